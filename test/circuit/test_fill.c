/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Witnesses of the golden inputs: hash and a, b, c as bellperson had them, and every row satisfied. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "circuit/filecoin.h"
#include "circuit/fill.h"
#include "hash/sha256.h"
#include "vanilla/golden.h"

#include "test.h"

typedef struct fixture {
    cuzk_hashes *h;
    cuzk_circuit *c;
    cuzk_witness *w;
    cuzk_pool *pool;
} fixture;

static void setup(fixture *f, cuzk_circuit_kind kind)
{
    cuzk_err err;
    CHECK_OK(cuzk_pool_create(&f->pool, NULL, &err), &err);
    CHECK_OK(cuzk_hashes_create(&f->h, &err), &err);
    CHECK_OK(cuzk_filecoin_circuit_build(kind, 2048, &f->c, &err), &err);
    CHECK_OK(cuzk_witness_create(&f->w, f->c, &err), &err);
}

static void teardown(fixture *f)
{
    cuzk_witness_destroy(f->w);
    cuzk_circuit_destroy(f->c);
    cuzk_hashes_destroy(f->h);
    cuzk_pool_destroy(f->pool);
}

static void check_hash(const char *vector, const char *key, const uint8_t got[32])
{
    uint8_t want[32];
    golden_bytes(want, 32, (const char *const[]){"vectors", vector, key}, 3);
    CHECK_MSG(memcmp(got, want, 32) == 0, "%s of %s differs", key, vector);
}

static void check_witness(fixture *f, const char *vector)
{
    static const char *const names[3] = {"a_sha256", "b_sha256", "c_sha256"};
    cuzk_err err;
    uint8_t digest[32];
    uint64_t bad;
    const uint64_t n = cuzk_circuit_prover_rows(f->c);
    CHECK_OK(cuzk_r1cs_check(f->w, &bad, f->pool, NULL, &err), &err);
    CHECK_OK(cuzk_witness_hash(f->w, digest, &err), &err);
    check_hash(vector, "witness_sha256", digest);
    cuzk_fr *v = cuzk_alloc(n, sizeof(*v));
    CHECK(v != NULL);
    for (int m = 0; m < 3; m++) {
        cuzk_sha256 s;
        CHECK_OK(cuzk_r1cs_eval(v, n, f->w, (cuzk_matrix_id)m, f->pool, NULL, &err), &err);
        cuzk_sha256_init(&s);
        for (uint64_t i = 0; i < n; i++) {
            uint8_t b[32];
            cuzk_fr_to_bytes_le(b, &v[i]);
            cuzk_sha256_update(&s, b, 32);
        }
        cuzk_sha256_final(digest, &s);
        check_hash(vector, names[m], digest);
    }
    cuzk_free(v);
}

static void porep_file(const char *file, const char *vector)
{
    fixture f;
    cuzk_err err;
    size_t n;
    cuzk_porep_input *in;
    uint8_t *text = test_read_file(file, &n);
    CHECK_OK(cuzk_porep_parse(&in, text, n, NULL, &err), &err);
    free(text);
    setup(&f, CUZK_CIRCUIT_POREP);
    CHECK_OK(cuzk_porep_fill(f.w, in, 0, f.h, f.pool, NULL, &err), &err);
    check_witness(&f, vector);
    cuzk_porep_input_destroy(in);
    teardown(&f);
}

static void porep_plain(void)
{
    porep_file("test/vectors/filecoin/porep-v1_1.c1.json", "porep-v1_1[0]");
}

static void porep_synthetic(void)
{
    porep_file("test/vectors/filecoin/porep-synth.c1.json", "porep-synth[0]");
}

static void porep_non_interactive(void)
{
    porep_file("test/vectors/filecoin/porep-ni.c1.json", "porep-ni[0]");
}

static void post_files(cuzk_circuit_kind kind, const char *const *files, size_t n_files,
                       const char *vector)
{
    fixture f;
    cuzk_err err;
    cuzk_post_input *in;
    CHECK_OK(cuzk_post_input_create(&in, &err), &err);
    for (size_t i = 0; i < n_files; i++) {
        size_t n;
        uint8_t *b = test_read_file(files[i], &n);
        CHECK_OK(cuzk_post_input_add(in, b, n, &err), &err);
        free(b);
    }
    setup(&f, kind);
    CHECK_OK(cuzk_post_fill(f.w, in, kind == CUZK_CIRCUIT_WINDOW, f.h, f.pool, NULL, &err), &err);
    check_witness(&f, vector);
    cuzk_post_input_destroy(in);
    teardown(&f);
}

static void window(void)
{
    static const char *const files[] = {"test/vectors/filecoin/window.sector1.vanilla.bin",
                                        "test/vectors/filecoin/window.sector2.vanilla.bin"};
    post_files(CUZK_CIRCUIT_WINDOW, files, 2, "window[0]");
}

static void window_v1(void)
{
    static const char *const files[] = {"test/vectors/filecoin/windowv1.sector1.vanilla.bin",
                                        "test/vectors/filecoin/windowv1.sector2.vanilla.bin"};
    post_files(CUZK_CIRCUIT_WINDOW, files, 2, "windowv1[0]");
}

static void winning(void)
{
    static const char *const files[] = {"test/vectors/filecoin/winning.sector1.vanilla.bin"};
    post_files(CUZK_CIRCUIT_WINNING, files, 1, "winning[0]");
}

static void update(void)
{
    fixture f;
    cuzk_err err;
    size_t n;
    cuzk_update_input *in;
    cuzk_update_statement st = {.shape = cuzk_sector_shape_of(2048), .partition = 0};
    st.h = cuzk_update_default_h(st.shape);
    GOLDEN_NODE(&st.comm_r_old, "update", "comm_r_old");
    GOLDEN_NODE(&st.comm_r_new, "update", "comm_r_new");
    GOLDEN_NODE(&st.comm_d_new, "update", "comm_d_new");
    uint8_t *b = test_read_file("test/vectors/filecoin/update.p0.vanilla.bin", &n);
    CHECK_OK(cuzk_update_parse(&in, b, n, &err), &err);
    free(b);
    setup(&f, CUZK_CIRCUIT_UPDATE);
    CHECK_OK(cuzk_update_fill(f.w, in, &st, f.h, f.pool, NULL, &err), &err);
    check_witness(&f, "update[0]");
    cuzk_update_input_destroy(in);
    teardown(&f);
}

static const cuzk_case cases[] = {
    CASE(window),      CASE(window_v1),       CASE(winning),
    CASE(porep_plain), CASE(porep_synthetic), CASE(porep_non_interactive),
    CASE(update),
};
TEST_MAIN("circuit/fill", cases)
