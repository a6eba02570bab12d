/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * WindowPoSt and WinningPoSt of 2 KiB sectors end to end: parameters from the test seed with the
 * digest that bellperson's have, and proofs equal to bellperson's byte for byte for given r and s.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/text/json.h"
#include "circuit/fill.h"
#include "hash/sha256.h"
#include "prover/keys/filecoin_verify.h"
#include "prover/prove/filecoin_prover.h"
#include "vanilla/golden.h"

#include "seed_params.h"
#include "test.h"

/* Of bellperson's file. */
#define WINDOW_SHA256 "5a4be35a58bd937f8aed3b904758e19145f9f5b4c061427eb007113f36a462d7"

static const char *const window_files[] = {"test/vectors/filecoin/window.sector1.vanilla.bin",
                                           "test/vectors/filecoin/window.sector2.vanilla.bin"};
static const char *const window_v1_files[] = {"test/vectors/filecoin/windowv1.sector1.vanilla.bin",
                                              "test/vectors/filecoin/windowv1.sector2.vanilla.bin"};
static const char *const winning_files[] = {"test/vectors/filecoin/winning.sector1.vanilla.bin"};

static void write_params(cuzk_params_dir *dir, const cuzk_circuit *c, cuzk_circuit_kind kind,
                         const char *want_hex, cuzk_pool *pool)
{
    cuzk_err err;
    cuzk_toxic toxic;
    cuzk_circuit_spec spec;
    char params[CUZK_PATH_BYTES], vk[CUZK_PATH_BYTES];
    uint8_t digest[32];
    char hex[65];
    size_t n;
    (void)snprintf(dir->path, sizeof(dir->path), "%s", test_tmpdir());
    dir->origin = "test";
    seed_toxic(&toxic);
    CHECK_OK(cuzk_circuit_spec_of(&spec, kind, 2048, &err), &err);
    CHECK_OK(cuzk_params_path(params, dir, &spec, CUZK_PARAM_FILE_PARAMS, &err), &err);
    CHECK_OK(cuzk_params_path(vk, dir, &spec, CUZK_PARAM_FILE_VK, &err), &err);
    CHECK_OK(cuzk_setup_write(c, &toxic, params, vk, NULL, pool, NULL, &err), &err);
    uint8_t *file = test_read_file(params, &n);
    cuzk_sha256_digest(digest, file, n);
    free(file);
    cuzk_hex_encode(hex, digest, sizeof(digest));
    CHECK_STR(hex, want_hex);
}

static void load_post(cuzk_post_input **in, const char *const *files, size_t n_files)
{
    cuzk_err err;
    CHECK_OK(cuzk_post_input_create(in, &err), &err);
    for (size_t i = 0; i < n_files; i++) {
        size_t n;
        uint8_t *b = test_read_file(files[i], &n);
        CHECK_OK(cuzk_post_input_add(*in, b, n, &err), &err);
        free(b);
    }
}

/* "0x1122": at most 64 bits. */
static void read_scalar(cuzk_json *j, cuzk_scalar *out)
{
    cuzk_json_str s;
    char text[32];
    size_t n = 0;
    CHECK(cuzk_json_string(j, &s) && cuzk_json_str_decode(&s, text, sizeof(text) - 1, &n));
    text[n] = '\0';
    memset(out, 0, sizeof(*out));
    out->l[0] = strtoull(text, NULL, 0);
}

static bool enter(cuzk_json *j, const char *name)
{
    cuzk_json_str key;
    CHECK(cuzk_json_begin_object(j));
    while (cuzk_json_next_key(j, &key)) {
        if (cuzk_json_str_eq(&key, name)) {
            return true;
        }
        (void)cuzk_json_skip(j);
    }
    return false;
}

/* Every proof of the vector, made again from the same r and s. */
static void check_proofs(const cuzk_witness *w, const cuzk_srs *srs, const char *vector,
                         cuzk_pool *pool)
{
    cuzk_json j;
    cuzk_json_str key, hex;
    size_t n, n_proofs = 0;
    uint8_t *text = test_read_file("test/vectors/groth16/vectors.json", &n);
    cuzk_json_init(&j, text, n, 16);
    CHECK(enter(&j, "vectors") && enter(&j, vector) && enter(&j, "proofs"));
    CHECK(cuzk_json_begin_array(&j));
    while (cuzk_json_next(&j)) {
        cuzk_scalar r, s;
        uint8_t want[192], got[192];
        cuzk_proof proof;
        cuzk_err err;
        CHECK(cuzk_json_begin_object(&j));
        while (cuzk_json_next_key(&j, &key)) {
            if (cuzk_json_str_eq(&key, "r")) {
                read_scalar(&j, &r);
            } else if (cuzk_json_str_eq(&key, "s")) {
                read_scalar(&j, &s);
            } else if (cuzk_json_str_eq(&key, "proof")) {
                CHECK(cuzk_json_string(&j, &hex) &&
                      cuzk_hex_decode(want, sizeof(want), hex.p, hex.n));
            } else {
                (void)cuzk_json_skip(&j);
            }
        }
        const cuzk_prove_opts opts = {.r = &r, .s = &s};
        CHECK_OK(cuzk_prove(&proof, w, srs, &opts, pool, NULL, &err), &err);
        cuzk_proof_encode(got, &proof);
        CHECK_MEM(got, want, sizeof(got));
        n_proofs++;
    }
    CHECK_U64(n_proofs, 4);
    free(text);
}

static void golden_bytes_equal(cuzk_circuit_kind kind, const char *digest, const char *const *files,
                               size_t n_files, const char *vector, const char *const *files2,
                               const char *vector2)
{
    cuzk_err err;
    cuzk_pool *pool;
    cuzk_circuit *c;
    cuzk_witness *w;
    cuzk_hashes *h;
    cuzk_srs *srs;
    cuzk_post_input *in;
    cuzk_params_dir dir;
    cuzk_circuit_spec spec;
    char path[CUZK_PATH_BYTES];
    CHECK_OK(cuzk_pool_create(&pool, NULL, &err), &err);
    CHECK_OK(cuzk_hashes_create(&h, &err), &err);
    CHECK_OK(cuzk_filecoin_circuit_build(kind, 2048, &c, &err), &err);
    write_params(&dir, c, kind, digest, pool);
    CHECK_OK(cuzk_circuit_spec_of(&spec, kind, 2048, &err), &err);
    CHECK_OK(cuzk_params_path(path, &dir, &spec, CUZK_PARAM_FILE_PARAMS, &err), &err);
    CHECK_OK(cuzk_srs_open(&srs, path, CUZK_POINT_UNCHECKED, pool, NULL, &err), &err);
    CHECK_OK(cuzk_witness_create(&w, c, &err), &err);
    for (int k = 0; k < (files2 != NULL ? 2 : 1); k++) {
        load_post(&in, k == 0 ? files : files2, n_files);
        CHECK_OK(cuzk_post_fill(w, in, kind == CUZK_CIRCUIT_WINDOW, h, pool, NULL, &err), &err);
        check_proofs(w, srs, k == 0 ? vector : vector2, pool);
        cuzk_post_input_destroy(in);
    }
    cuzk_srs_close(srs);
    cuzk_witness_destroy(w);
    cuzk_circuit_destroy(c);
    cuzk_hashes_destroy(h);
    cuzk_pool_destroy(pool);
}

static void window_parameters_and_proofs(void)
{
    golden_bytes_equal(CUZK_CIRCUIT_WINDOW, WINDOW_SHA256, window_files, 2, "window[0]",
                       window_v1_files, "windowv1[0]");
}

static void winning_parameters_and_proofs(void)
{
    golden_bytes_equal(CUZK_CIRCUIT_WINNING,
                       "64182a387a7604b6e34253f7c2cb3f9d31f1dd962f136043d14ab2e9f5e731e8",
                       winning_files, 1, "winning[0]", NULL, NULL);
}

/* The prover on golden parameters: proves, verifies, and refuses what it must. */
static void window_prover(void)
{
    cuzk_err err;
    cuzk_pool *pool;
    cuzk_circuit *c;
    cuzk_filecoin_prover *p;
    cuzk_post_input *in;
    cuzk_params_dir dir;
    cuzk_post_statement st = {.partition = 0};
    cuzk_post_public_sector sectors[2];
    uint8_t proof[CUZK_PROOF_BYTES], bad[CUZK_PROOF_BYTES];
    CHECK_OK(cuzk_pool_create(&pool, NULL, &err), &err);
    CHECK_OK(cuzk_filecoin_circuit_build(CUZK_CIRCUIT_WINDOW, 2048, &c, &err), &err);
    write_params(&dir, c, CUZK_CIRCUIT_WINDOW, WINDOW_SHA256, pool);
    cuzk_circuit_destroy(c);
    CHECK_OK(cuzk_post_type_of(&st.type, 10, &err), &err);
    GOLDEN_NODE(&st.randomness, "common", "post_randomness");
    load_post(&in, window_files, 2);
    CHECK_OK(cuzk_filecoin_prover_create(&p, CUZK_CIRCUIT_WINDOW, 2048, &dir, pool, &err), &err);
    CHECK_OK(cuzk_filecoin_prove_post(p, proof, in, &st, NULL, NULL, &err), &err);
    cuzk_post_public_sectors_of(sectors, in);
    const cuzk_vk *vk = cuzk_filecoin_prover_vk(p);
    CHECK_OK(cuzk_filecoin_verify_post(vk, proof, sizeof(proof), &st, sectors, 2, &err), &err);

    /* one changed thing each */
    CHECK_STATUS(cuzk_filecoin_verify_post(vk, proof, sizeof(proof) - 1, &st, sectors, 2, &err),
                 CUZK_E_INVALID);
    CHECK_STATUS(cuzk_filecoin_verify_post(vk, proof, sizeof(proof), &st, sectors, 1, &err),
                 CUZK_E_PROOF_FALSE);
    sectors[1].sector_id++;
    CHECK_STATUS(cuzk_filecoin_verify_post(vk, proof, sizeof(proof), &st, sectors, 2, &err),
                 CUZK_E_PROOF_FALSE);
    sectors[1].sector_id--;
    sectors[0].comm_r.b[4] ^= 1;
    CHECK_STATUS(cuzk_filecoin_verify_post(vk, proof, sizeof(proof), &st, sectors, 2, &err),
                 CUZK_E_PROOF_FALSE);
    sectors[0].comm_r.b[4] ^= 1;
    st.randomness.b[0] ^= 1;
    CHECK_STATUS(cuzk_filecoin_verify_post(vk, proof, sizeof(proof), &st, sectors, 2, &err),
                 CUZK_E_PROOF_FALSE);
    CHECK_STATUS(cuzk_filecoin_prove_post(p, bad, in, &st, NULL, NULL, &err), CUZK_E_VANILLA);
    st.randomness.b[0] ^= 1;
    st.partition = 1; /* V1_2 challenges do not depend on the position */
    CHECK_OK(cuzk_filecoin_verify_post(vk, proof, sizeof(proof), &st, sectors, 2, &err), &err);

    cuzk_filecoin_prover_destroy(p);
    cuzk_post_input_destroy(in);
    cuzk_pool_destroy(pool);
}

static void missing_parameters_name_the_file(void)
{
    cuzk_err err;
    cuzk_filecoin_prover *p = NULL;
    cuzk_params_dir dir = {.origin = "--params"};
    (void)snprintf(dir.path, sizeof(dir.path), "%s", test_tmpdir());
    CHECK_STATUS(cuzk_filecoin_prover_create(&p, CUZK_CIRCUIT_POREP, 2048, &dir, NULL, &err),
                 CUZK_E_NOT_FOUND);
    CHECK_MSG(strstr(err.msg, dir.path) != NULL && strstr(err.msg, "032d3138") != NULL &&
                  strstr(err.msg, "--params") != NULL,
              "%s", err.msg);
    CHECK(p == NULL);
}

static const cuzk_case cases[] = {
    CASE(window_parameters_and_proofs),
    CASE(winning_parameters_and_proofs),
    CASE(window_prover),
    CASE(missing_parameters_name_the_file),
};
TEST_MAIN("prover/golden_proofs", cases)
