/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The original implementation's parameters and proofs for 2 KiB sectors (test/vectors),
 * from vanilla proofs on. With CUZK_WINNING the WinningPoSt, which takes long under sanitizers.
 */
#include <stdlib.h>
#include <string.h>

#include "groth16/golden/golden_instance.h"
#include "groth16/setup/setup.h"
#include "groth16/trapdoor.h"
#include "hash/blake2b.h"

#include "test.h"

/* Files of parameters, and what vectors prove with them. */
typedef struct made {
    char params[512], vk[512];
} made;

/* With the original's waste and generators we write its files: their SHA-256 and its .vk. */
static void make(made *f, const golden_instance *t, const char *params_sha256,
                 const char *vk_golden)
{
    cuzk_toxic x;
    cuzk_err err;
    size_t n, m;
    test_toxic_golden(&x);
    (void)snprintf(f->params, sizeof(f->params), "%s/g.params", test_tmpdir());
    (void)snprintf(f->vk, sizeof(f->vk), "%s/g.vk", test_tmpdir());
    CHECK_OK(cuzk_setup_write(t->c, &x, f->params, f->vk, NULL, t->pool, NULL, &err), &err);
    golden_check_sha256(f->params, params_sha256);
    uint8_t *got = test_read_file(f->vk, &n), *want = test_read_file(vk_golden, &m);
    CHECK_U64(n, m);
    CHECK_MEM(got, want, n);
    free(got);
    free(want);
}

/* Ours prove like its own. */
static void check_made(const made *f, const golden_instance *t)
{
    cuzk_srs *srs = NULL;
    cuzk_err err;
    CHECK_OK(cuzk_srs_open(&srs, f->params, CUZK_POINT_UNCHECKED, NULL, NULL, &err), &err);
    golden_check_proofs(t, srs, f->vk);
    cuzk_srs_close(srs);
}

#ifndef CUZK_WINNING
static void quotients(void)
{
    static const char *const vectors[] = {"window[0]", "windowv1[0]", "winning[0]"};
    for (size_t i = 0; i < 3; i++) {
        golden_instance t;
        golden_instance_open(&t, vectors[i]);
        golden_check_quotient(&t);
        golden_instance_close(&t);
    }
}

/* Every golden proof from the waste, field arithmetic, and three multiplications: PoRep and update
 * too, whose parameters are too large to keep. */
static void predicted(void)
{
    golden_instance t = {0};
    cuzk_toxic x;
    test_toxic_golden(&x);
    for (size_t i = 0; i < GOLDEN_PROOFS; i++) {
        uint8_t got[192], want[192];
        cuzk_scalar r, s;
        if (t.vector == NULL || strcmp(golden_proofs[i].vector, t.vector) != 0) {
            golden_instance_close(&t);
            golden_instance_open(&t, golden_proofs[i].vector);
        }
        golden_proof_bytes(want, &r, &s, i);
        test_trapdoor_proof(got, t.w, &x, CUZK_QUOTIENT_COEFFS, &r, &s);
        CHECK_MEM(got, want, 192);
    }
    golden_instance_close(&t);
}

static void make_window(made *f, const golden_instance *t)
{
    make(f, t, "5a4be35a58bd937f8aed3b904758e19145f9f5b4c061427eb007113f36a462d7",
         "test/vectors/groth16/window.vk");
}

static void window_proofs(void)
{
    static const char *const vectors[] = {"window[0]", "windowv1[0]"};
    made f;
    for (size_t i = 0; i < 2; i++) {
        golden_instance t;
        golden_instance_open(&t, vectors[i]);
        if (i == 0) {
            make_window(&f, &t);
        }
        check_made(&f, &t);
        golden_instance_close(&t);
    }
}

/* The file for WindowPoSt of 2 KiB sectors: decoded, fully checked, encoded again. */
static void file_round_trip(void)
{
    golden_instance t;
    made f;
    char copy[512];
    cuzk_srs *srs = NULL, *none = NULL;
    cuzk_err err;
    uint8_t digest[16], full[64];
    size_t n, m, vk_n;
    golden_instance_open(&t, "window[0]");
    make_window(&f, &t);
    CHECK_OK(cuzk_srs_open(&srs, f.params, CUZK_POINT_IN_SUBGROUP, t.pool, NULL, &err), &err);
    CHECK_U64(cuzk_srs_get_vk(srs)->n_ic, 23);
    CHECK_U64(cuzk_srs_count(srs, CUZK_SRS_H), 32767);
    CHECK_U64(cuzk_srs_count(srs, CUZK_SRS_L), 22128);
    CHECK_U64(cuzk_srs_count(srs, CUZK_SRS_B_G1), cuzk_srs_count(srs, CUZK_SRS_B_G2));

    (void)snprintf(copy, sizeof(copy), "%s/copy.params", test_tmpdir());
    CHECK_OK(cuzk_srs_write(srs, copy, false, t.pool, NULL, &err), &err);
    uint8_t *want = test_read_file(f.params, &n);
    uint8_t *got = test_read_file(copy, &m);
    CHECK_U64(m, n);
    CHECK(memcmp(got, want, n) == 0);
    CHECK_OK(cuzk_srs_digest(srs, digest, NULL, &err), &err);
    cuzk_blake2b_hash(full, 64, want, n);
    CHECK_MEM(digest, full, 16);

    uint8_t *vk = test_read_file(f.vk, &vk_n);
    CHECK_U64(cuzk_srs_vk_bytes(srs), vk_n);
    uint8_t *own = malloc(vk_n);
    CHECK(own != NULL);
    cuzk_srs_write_vk(srs, own);
    CHECK_MEM(own, vk, vk_n);
    CHECK_STATUS(
        cuzk_srs_open_bytes(&none, vk, vk_n, "g.vk", CUZK_POINT_UNCHECKED, NULL, NULL, &err),
        CUZK_E_FORMAT);
    CHECK(none == NULL && strstr(err.msg, "a verifying key (.vk)") != NULL);
    cuzk_srs_close(srs);
    free(own);
    free(vk);
    free(want);
    free(got);
    golden_instance_close(&t);
}

static const cuzk_case cases[] = {CASE(quotients), CASE(predicted), CASE(window_proofs),
                                  CASE(file_round_trip)};
#else
static void winning_proofs(void)
{
    golden_instance t;
    made f;
    golden_instance_open(&t, "winning[0]");
    make(&f, &t, "64182a387a7604b6e34253f7c2cb3f9d31f1dd962f136043d14ab2e9f5e731e8",
         "test/vectors/groth16/winning.vk");
    check_made(&f, &t);
    golden_instance_close(&t);
}

static const cuzk_case cases[] = {CASE(winning_proofs)};
#endif
TEST_MAIN("groth16/golden", cases)
