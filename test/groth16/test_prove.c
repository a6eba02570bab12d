/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "groth16/circuits.h"
#include "groth16/cpu/prove.h"
#include "groth16/setup/setup.h"
#include "groth16/trapdoor.h"
#include "trace/trace_read.h"

#include "test.h"

static const cuzk_scalar pairs[4][2] = {
    {{{0}}, {{0}}},
    {{{1}}, {{0}}},
    {{{0}}, {{1}}},
    {{{0x1122334455667788u, 5, 6, 7}}, {{0x99aabbccddeeff00u, ~0ull, 0, 0x73eda753299d7d47u}}},
};

static void check_proof(const cuzk_witness *w, const cuzk_srs *srs, const cuzk_toxic *x,
                        const cuzk_scalar *r, const cuzk_scalar *s, cuzk_pool *pool)
{
    cuzk_proof proof;
    cuzk_prove_opts opts = {.r = r, .s = s, .check_witness = true};
    uint8_t got[192], want[192];
    cuzk_err err;
    test_trapdoor_proof(want, w, x, cuzk_srs_quotient(srs), r, s);
    if ((want[0] & 0x40) != 0 || (want[48] & 0x40) != 0 || (want[144] & 0x40) != 0) {
        /* Zeros everywhere and r = s = 0: C is infinity, which verifiers refuse. */
        CHECK_STATUS(cuzk_prove(&proof, w, srs, &opts, pool, NULL, &err), CUZK_E_INFINITY);
        return;
    }
    CHECK_OK(cuzk_prove(&proof, w, srs, &opts, pool, NULL, &err), &err);
    cuzk_proof_encode(got, &proof);
    CHECK_MEM(got, want, 192);
}

/* Setup in memory, then the proofs for all pairs are what the waste predicts. */
static void check_circuit(test_instance *t, cuzk_quotient_kind kind, size_t n_pairs,
                          cuzk_pool *pool)
{
    cuzk_toxic x;
    cuzk_srs *srs = NULL;
    cuzk_err err;
    const cuzk_setup_opts opts = {.kind = kind};
    cuzk_toxic_from_seed(&x, test_u64());
    CHECK_OK(cuzk_setup_create(&srs, t->c, &x, &opts, pool, NULL, &err), &err);
    for (size_t i = 0; i < n_pairs; i++) {
        check_proof(t->w, srs, &x, pairs[3 - i], pairs[3 - i] + 1, pool);
    }
    cuzk_srs_close(srs);
    test_instance_destroy(t);
}

static void random_circuits(void)
{
    TEST_HAS_ONE_THREAD();
    for (size_t it = 0; it < test_iters(12); it++) {
        test_instance t = test_circuit_random(1 + test_below(200), 1 + test_below(8));
        check_circuit(&t, it % 3 == 2 ? CUZK_QUOTIENT_ODD_COSET : CUZK_QUOTIENT_COEFFS, 4, NULL);
    }
}

static void repeated_blocks(void)
{
    cuzk_pool *pool = NULL;
    const cuzk_pool_cfg cfg = {.n_threads = 3};
    cuzk_err err;
    CHECK_OK(cuzk_pool_create(&pool, &cfg, &err), &err);
    static const uint64_t n[] = {1, 2, 7, 100};
    for (size_t i = 0; i < 4; i++) {
        test_instance t = test_circuit_blocks(n[i]);
        check_circuit(&t, CUZK_QUOTIENT_COEFFS, 2, pool);
        t = test_circuit_blocks(n[i]);
        check_circuit(&t, CUZK_QUOTIENT_ODD_COSET, 2, pool);
    }
    cuzk_pool_destroy(pool);
}

/* Every domain size up to 2^10, full to the last row and just above half. */
static void domains(void)
{
    TEST_HAS_ONE_THREAD();
    for (unsigned lg = 0; lg <= 10; lg++) {
        const size_t m = (size_t)1 << lg;
        const size_t sizes[2] = {m - 1, m / 2};
        for (size_t k = 0; k < 2; k++) {
            test_instance t = test_circuit_random(sizes[k], 1);
            CHECK_U64(cuzk_circuit_lg_domain(t.c), lg);
            check_circuit(&t, CUZK_QUOTIENT_COEFFS, 1, NULL);
            if (lg <= 5) {
                t = test_circuit_random(sizes[k], 1);
                check_circuit(&t, CUZK_QUOTIENT_ODD_COSET, 1, NULL);
            }
        }
    }
}

/* However small the chunks, from file or memory, the bytes are the same. */
static void chunks(void)
{
    TEST_HAS_ONE_THREAD();
    static const size_t sizes[] = {1, 2, 7, 64, 100};
    test_instance t = test_circuit_blocks(23);
    cuzk_toxic x;
    cuzk_err err;
    char whole[512], path[512];
    uint8_t want[192], got[192];
    size_t n, m;
    cuzk_toxic_from_seed(&x, 9);
    (void)snprintf(whole, sizeof(whole), "%s/whole.params", test_tmpdir());
    (void)snprintf(path, sizeof(path), "%s/chunks.params", test_tmpdir());
    CHECK_OK(cuzk_setup_write(t.c, &x, whole, NULL, NULL, NULL, NULL, &err), &err);
    uint8_t *a = test_read_file(whole, &n);
    test_trapdoor_proof(want, t.w, &x, CUZK_QUOTIENT_COEFFS, &pairs[3][0], &pairs[3][1]);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        const cuzk_setup_opts setup = {.chunk_points = sizes[i], .replace = true};
        const cuzk_prove_opts opts = {
            .r = &pairs[3][0], .s = &pairs[3][1], .chunk_points = sizes[i]};
        CHECK_OK(cuzk_setup_write(t.c, &x, path, NULL, &setup, NULL, NULL, &err), &err);
        uint8_t *b = test_read_file(path, &m);
        CHECK_U64(m, n);
        CHECK_MEM(b, a, n);
        free(b);
        for (unsigned memory = 0; memory < 2; memory++) {
            cuzk_srs *srs = NULL;
            cuzk_proof proof;
            if (memory != 0) {
                CHECK_OK(cuzk_setup_create(&srs, t.c, &x, &setup, NULL, NULL, &err), &err);
            } else {
                CHECK_OK(cuzk_srs_open(&srs, path, CUZK_POINT_UNCHECKED, NULL, NULL, &err), &err);
            }
            CHECK_OK(cuzk_prove(&proof, t.w, srs, &opts, NULL, NULL, &err), &err);
            cuzk_proof_encode(got, &proof);
            CHECK_MEM(got, want, 192);
            cuzk_srs_close(srs);
        }
    }
    free(a);
    test_instance_destroy(&t);
}

static void large_domains(void)
{
    cuzk_pool *pool = NULL;
    cuzk_err err;
    CHECK_OK(cuzk_pool_create(&pool, NULL, &err), &err);
    for (unsigned lg = 11; lg <= 12; lg++) {
        test_instance t = test_circuit_random(((size_t)1 << lg) - 7, 7);
        CHECK_U64(cuzk_circuit_lg_domain(t.c), lg);
        check_circuit(&t, CUZK_QUOTIENT_COEFFS, 1, pool);
    }
    cuzk_pool_destroy(pool);
}

static test_instance only_inputs(size_t n)
{
    test_draft d;
    cuzk_fr v;
    test_draft_begin(&d);
    for (size_t i = 1; i < n; i++) {
        test_fr(&v);
        (void)test_draft_input(&d, &v);
    }
    return test_draft_finish(&d);
}

/* x * x = y with x, y both public: no aux wire at all. */
static test_instance no_aux(void)
{
    test_draft d;
    cuzk_fr v, q;
    test_draft_begin(&d);
    test_fr(&v);
    cuzk_fr_mul(&q, &v, &v);
    const cuzk_var x = test_draft_input(&d, &v);
    const cuzk_var y = test_draft_input(&d, &q);
    test_draft_term(&d, CUZK_MATRIX_A, x, 1);
    test_draft_term(&d, CUZK_MATRIX_B, x, 1);
    test_draft_term(&d, CUZK_MATRIX_C, y, 1);
    cuzk_builder_row(d.b);
    return test_draft_finish(&d);
}

/* One row, nothing public: b (b - 1) = 0. */
static test_instance one_bit(bool value)
{
    test_draft d;
    test_draft_begin(&d);
    (void)test_draft_bit(&d, value);
    return test_draft_finish(&d);
}

/* One row x * x = y, both secret. */
static test_instance one_square(void)
{
    test_draft d;
    cuzk_fr v;
    test_draft_begin(&d);
    cuzk_fr_from_u64(&v, 1234567);
    (void)test_draft_square(&d, &v);
    return test_draft_finish(&d);
}

/* Terms that vanish, 0 x and x - x, on side m of the row x * y = z; u occurs only in them and,
 * properly, in a row of its own on another side. */
static test_instance vanishing(cuzk_matrix_id m)
{
    test_draft d;
    cuzk_fr v[4];
    test_draft_begin(&d);
    for (size_t i = 0; i < 3; i++) {
        cuzk_fr_from_u64(&v[i], 11 + i);
    }
    cuzk_fr_mul(&v[3], &v[0], &v[1]);
    const cuzk_var x = test_draft_full(&d, &v[0]);
    const cuzk_var y = test_draft_full(&d, &v[1]);
    const cuzk_var u = test_draft_full(&d, &v[2]);
    test_draft_term(&d, CUZK_MATRIX_A, x, 1);
    test_draft_term(&d, CUZK_MATRIX_B, y, 1);
    test_draft_term(&d, m, u, 0);
    test_draft_term(&d, m, u, 7);
    test_draft_term(&d, m, u, -7);
    const cuzk_var z = test_draft_input(&d, &v[3]);
    test_draft_term(&d, CUZK_MATRIX_C, z, 1);
    cuzk_builder_row(d.b);
    /* (u - 13) on a side other than m, times nothing or as C of an empty product. */
    const cuzk_matrix_id other = m == CUZK_MATRIX_C ? CUZK_MATRIX_A : CUZK_MATRIX_C;
    test_draft_term(&d, other, u, 1);
    test_draft_term(&d, other, CUZK_VAR_ONE, -13);
    cuzk_builder_row(d.b);
    return test_draft_finish(&d);
}

static void degenerate(void)
{
    TEST_HAS_ONE_THREAD();
    for (unsigned kind = 0; kind < 2; kind++) {
        const cuzk_quotient_kind k = (cuzk_quotient_kind)kind;
        test_instance t;
        for (size_t n = 1; n <= 5; n++) {
            t = only_inputs(n);
            CHECK_U64(t.c->n_rows, 0);
            check_circuit(&t, k, 4, NULL);
        }
        t = no_aux();
        CHECK_U64(t.c->n_aux, 0);
        check_circuit(&t, k, 4, NULL);
        t = one_bit(false); /* B and l are zero, and so is the quotient */
        check_circuit(&t, k, 4, NULL);
        t = one_bit(true);
        check_circuit(&t, k, 4, NULL);
        t = one_square();
        CHECK_U64(t.c->n_inputs, 1);
        check_circuit(&t, k, 4, NULL);
        for (unsigned m = 0; m < 3; m++) {
            t = vanishing((cuzk_matrix_id)m);
            check_circuit(&t, k, 4, NULL);
        }
    }
}

/* No aux wire, no quotient, r = s = 0: C would be infinity, which verifiers refuse. */
static void infinite_point(void)
{
    test_instance t = only_inputs(2);
    cuzk_toxic x;
    cuzk_srs *srs = NULL;
    cuzk_err err;
    cuzk_proof proof;
    const cuzk_prove_opts opts = {.r = &pairs[0][0], .s = &pairs[0][1]};
    cuzk_toxic_from_seed(&x, 2);
    CHECK_OK(cuzk_setup_create(&srs, t.c, &x, NULL, NULL, NULL, &err), &err);
    CHECK_STATUS(cuzk_prove(&proof, t.w, srs, &opts, NULL, NULL, &err), CUZK_E_INFINITY);
    cuzk_srs_close(srs);
    test_instance_destroy(&t);
}

/* Aux wires in no row: refused by name for bellperson's form, infinity in snarkjs's. */
static void unused_wires(void)
{
    TEST_HAS_ONE_THREAD();
    test_draft d;
    cuzk_fr v;
    cuzk_toxic x;
    cuzk_srs *srs = NULL;
    cuzk_err err;
    test_draft_begin(&d);
    cuzk_fr_from_u64(&v, 9);
    (void)test_draft_bit(&d, true);
    (void)test_draft_full(&d, &v);  /* aux wire 1 */
    (void)test_draft_input(&d, &v); /* an unused input is fine: it has its own row */
    (void)test_draft_bit(&d, false);
    test_instance t = test_draft_finish(&d);
    cuzk_toxic_from_seed(&x, 1);
    CHECK_STATUS(cuzk_setup_create(&srs, t.c, &x, NULL, NULL, NULL, &err), CUZK_E_INVALID);
    CHECK_STR(err.msg, "aux wire 1 is in no row");
    CHECK(srs == NULL);
    check_circuit(&t, CUZK_QUOTIENT_ODD_COSET, 4, NULL);
}

static void bad_toxic(void)
{
    test_instance t = test_circuit_random(30, 2);
    cuzk_toxic good, x;
    cuzk_srs *srs = NULL;
    cuzk_err err;
    cuzk_toxic_from_seed(&good, 7);
    cuzk_fr *const fields[5] = {&x.alpha, &x.beta, &x.gamma, &x.delta, &x.tau};
    for (size_t i = 0; i < 5; i++) {
        x = good;
        *fields[i] = CUZK_FR_ZERO;
        CHECK_STATUS(cuzk_setup_create(&srs, t.c, &x, NULL, NULL, NULL, &err), CUZK_E_INVALID);
        CHECK(strstr(err.msg, "is zero") != NULL);
    }
    for (unsigned lg = 0; lg <= 7; lg++) {
        x = good;
        cuzk_fr_root_of_unity(&x.tau, &CUZK_FR_ROOT_2_32, lg);
        const cuzk_setup_opts odd = {.kind = CUZK_QUOTIENT_ODD_COSET};
        const unsigned lg_m = cuzk_circuit_lg_domain(t.c);
        CHECK_STATUS(cuzk_setup_create(&srs, t.c, &x, NULL, NULL, NULL, &err),
                     lg <= lg_m ? CUZK_E_INVALID : CUZK_OK);
        cuzk_srs_close(srs);
        srs = NULL;
        CHECK_STATUS(cuzk_setup_create(&srs, t.c, &x, &odd, NULL, NULL, &err),
                     lg <= lg_m + 1 ? CUZK_E_INVALID : CUZK_OK);
        cuzk_srs_close(srs);
        srs = NULL;
    }
    x = good;
    memset(&x.g1, 0, sizeof(x.g1));
    CHECK_STATUS(cuzk_setup_create(&srs, t.c, &x, NULL, NULL, NULL, &err), CUZK_E_INVALID);
    x = good;
    memset(&x.g2, 0, sizeof(x.g2));
    CHECK_STATUS(cuzk_setup_create(&srs, t.c, &x, NULL, NULL, NULL, &err), CUZK_E_INVALID);
    x = good;
    x.g1.x = x.g1.y;
    CHECK_STATUS(cuzk_setup_create(&srs, t.c, &x, NULL, NULL, NULL, &err), CUZK_E_INVALID);
    test_instance_destroy(&t);
}

static void random_toxic(void)
{
    cuzk_toxic x, y;
    cuzk_err err;
    CHECK_OK(cuzk_toxic_random(&x, &err), &err);
    CHECK_OK(cuzk_toxic_random(&y, &err), &err);
    CHECK(!cuzk_fr_eq(&x.tau, &y.tau) && !cuzk_fr_eq(&x.tau, &x.delta));
    cuzk_toxic_from_seed(&x, 3);
    cuzk_toxic_from_seed(&y, 3);
    CHECK_MEM(&x, &y, sizeof(x));
    cuzk_toxic_from_seed(&y, 4);
    CHECK(!cuzk_fr_eq(&x.alpha, &y.alpha));
}

/* Files hold what memory holds; a proof from a file is the proof from memory. */
static void files(void)
{
    test_instance t = test_circuit_random(150, 3);
    cuzk_toxic x;
    cuzk_srs *mem = NULL, *file = NULL;
    cuzk_err err;
    char params[512], vk[512], copy[512];
    size_t n, m;
    (void)snprintf(params, sizeof(params), "%s/c.params", test_tmpdir());
    (void)snprintf(vk, sizeof(vk), "%s/c.vk", test_tmpdir());
    (void)snprintf(copy, sizeof(copy), "%s/copy.params", test_tmpdir());
    test_toxic_golden(&x);
    CHECK_OK(cuzk_setup_write(t.c, &x, params, vk, NULL, NULL, NULL, &err), &err);
    CHECK_STATUS(cuzk_setup_write(t.c, &x, params, vk, NULL, NULL, NULL, &err), CUZK_E_EXISTS);
    CHECK_OK(cuzk_setup_create(&mem, t.c, &x, NULL, NULL, NULL, &err), &err);
    CHECK_OK(cuzk_srs_open(&file, params, CUZK_POINT_IN_SUBGROUP, NULL, NULL, &err), &err);
    CHECK_OK(cuzk_srs_write(mem, copy, false, NULL, NULL, &err), &err);
    uint8_t *a = test_read_file(params, &n), *b = test_read_file(copy, &m);
    CHECK_U64(n, m);
    CHECK_MEM(a, b, n);
    free(b);
    b = test_read_file(vk, &m);
    CHECK_U64(m, cuzk_srs_vk_bytes(mem));
    CHECK_MEM(a, b, m);
    free(a);
    free(b);
    check_proof(t.w, mem, &x, &pairs[3][0], &pairs[3][1], NULL);
    check_proof(t.w, file, &x, &pairs[3][0], &pairs[3][1], NULL);
    cuzk_srs_close(mem);
    cuzk_srs_close(file);

    /* With only the key in the way, no parameters appear either. */
    CHECK(unlink(params) == 0);
    CHECK_STATUS(cuzk_setup_write(t.c, &x, params, vk, NULL, NULL, NULL, &err), CUZK_E_EXISTS);
    CHECK(access(params, F_OK) != 0);
    const cuzk_setup_opts replace = {.replace = true};
    CHECK_OK(cuzk_setup_write(t.c, &x, params, vk, &replace, NULL, NULL, &err), &err);
    const cuzk_setup_opts odd = {.kind = CUZK_QUOTIENT_ODD_COSET, .replace = true};
    CHECK_STATUS(cuzk_setup_write(t.c, &x, params, vk, &odd, NULL, NULL, &err), CUZK_E_INVALID);
    test_instance_destroy(&t);
}

/* What takes the place of a crash: the temporary files of one folder go while the setup runs. */
static void lose_temporary(void *arg, const char *section, uint64_t done, uint64_t total)
{
    const char *folder = arg;
    DIR *d = opendir(folder);
    CHECK(d != NULL && section != NULL && done <= total);
    for (struct dirent *e = readdir(d); e != NULL; e = readdir(d)) {
        if (strncmp(e->d_name, ".cuzk-", 6) == 0) {
            CHECK(unlinkat(dirfd(d), e->d_name, 0) == 0);
        }
    }
    (void)closedir(d);
}

/* A setup over older files that ends before, or between, its two renames: no key of another setup lies beside the parameters. */
static void no_key_of_another_setup(void)
{
    test_instance t = test_circuit_random(20, 3);
    char folders[2][512], params[600], vk[600];
    cuzk_toxic old, new;
    cuzk_err err;
    size_t n, m;
    cuzk_toxic_from_seed(&old, 1);
    cuzk_toxic_from_seed(&new, 2);
    for (size_t i = 0; i < 2; i++) {
        (void)snprintf(folders[i], sizeof(folders[i]), "%s/%zu", test_tmpdir(), i);
        CHECK(mkdir(folders[i], 0755) == 0);
    }
    (void)snprintf(params, sizeof(params), "%s/c.params", folders[0]);
    (void)snprintf(vk, sizeof(vk), "%s/c.vk", folders[1]);
    for (size_t lost = 0; lost < 2; lost++) { /* the parameters, the key */
        const cuzk_setup_opts whole = {.replace = true};
        const cuzk_setup_opts cut = {
            .replace = true, .progress = lose_temporary, .progress_arg = folders[lost]};
        CHECK_OK(cuzk_setup_write(t.c, &old, params, vk, &whole, NULL, NULL, &err), &err);
        uint8_t *before = test_read_file(params, &n);
        CHECK_STATUS(cuzk_setup_write(t.c, &new, params, vk, &cut, NULL, NULL, &err), CUZK_E_IO);
        uint8_t *after = test_read_file(params, &m);
        CHECK_U64(m, n);
        CHECK((memcmp(before, after, n) == 0) == (lost == 0));
        CHECK(access(vk, F_OK) != 0);
        free(before);
        free(after);
    }
    test_instance_destroy(&t);
}

typedef struct progress {
    uint64_t calls, done, total;
} progress;

static void on_progress(void *arg, const char *section, uint64_t done, uint64_t total)
{
    progress *p = arg;
    CHECK(section != NULL && done > p->done && done <= total);
    p->calls++;
    p->done = done;
    p->total = total;
}

static void progress_and_cancel(void)
{
    test_instance t = test_circuit_random(60, 3);
    cuzk_toxic x;
    cuzk_srs *srs = NULL, *none = NULL;
    cuzk_err err;
    progress p = {0};
    const cuzk_setup_opts opts = {.progress = on_progress, .progress_arg = &p};
    cuzk_toxic_from_seed(&x, 5);
    CHECK_OK(cuzk_setup_create(&srs, t.c, &x, &opts, NULL, NULL, &err), &err);
    CHECK(p.calls >= 6);
    CHECK_U64(p.done, p.total);
    cuzk_cancel cancel = {true};
    cuzk_proof proof = {0}, before = {0};
    CHECK_STATUS(cuzk_setup_create(&none, t.c, &x, NULL, NULL, &cancel, &err), CUZK_E_CANCELLED);
    CHECK_STATUS(cuzk_prove(&proof, t.w, srs, NULL, NULL, &cancel, &err), CUZK_E_CANCELLED);
    CHECK_MEM(&proof, &before, sizeof(proof));
    cuzk_srs_close(srs);
    test_instance_destroy(&t);
}

/* Parameters of another circuit are refused with the count that differs. */
static void mismatch(void)
{
    test_instance t = test_circuit_random(100, 3);
    cuzk_toxic x;
    cuzk_srs *srs = NULL, *other = NULL;
    cuzk_err err;
    cuzk_proof proof;
    cuzk_toxic_from_seed(&x, 5);
    CHECK_OK(cuzk_setup_create(&srs, t.c, &x, NULL, NULL, NULL, &err), &err);
    static const char *const parts[6] = {"number of inputs", "count of h", "count of l",
                                         "count of a",       "count of b", "count of b"};
    for (size_t i = 0; i < 5; i++) {
        cuzk_srs_source source = {.vk = *cuzk_srs_get_vk(srs)};
        for (unsigned s = 0; s < CUZK_SRS_SECTIONS; s++) {
            source.count[s] = cuzk_srs_count(srs, (cuzk_srs_section)s);
        }
        switch (i) {
        case 0: /* a too: its points are at most the wires */
            source.vk.n_ic--;
            source.count[CUZK_SRS_A]--;
            source.count[CUZK_SRS_B_G1]--;
            source.count[CUZK_SRS_B_G2]--;
            break;
        case 1: source.count[CUZK_SRS_H] = 2 * source.count[CUZK_SRS_H] + 1; break;
        case 2: source.count[CUZK_SRS_L]++; break;
        case 3: source.count[CUZK_SRS_A]--; break;
        default: source.count[CUZK_SRS_B_G1]--; source.count[CUZK_SRS_B_G2]--;
        }
        CHECK_OK(cuzk_srs_create(&other, &source, &err), &err);
        CHECK_STATUS(cuzk_prove(&proof, t.w, other, NULL, NULL, NULL, &err), CUZK_E_FORMAT);
        CHECK_MSG(strstr(err.msg, parts[i]) != NULL, "%s", err.msg);
        cuzk_srs_close(other);
    }
    /* r and s: both, and canonical. */
    const cuzk_scalar one = {{1, 0, 0, 0}}, big = {{~0ull, ~0ull, ~0ull, ~0ull}};
    cuzk_prove_opts opts = {.r = &one};
    CHECK_STATUS(cuzk_prove(&proof, t.w, srs, &opts, NULL, NULL, &err), CUZK_E_INVALID);
    opts.s = &big;
    CHECK_STATUS(cuzk_prove(&proof, t.w, srs, &opts, NULL, NULL, &err), CUZK_E_INVALID);
    cuzk_srs_close(srs);
    test_instance_destroy(&t);
}

/* A(z) B(z) - C(z) = h(z) (z^m - 1) at a random z, with C from its own rows. */
static void quotient_identity(void)
{
    TEST_HAS_ONE_THREAD();
    for (size_t it = 0; it < 20; it++) {
        test_instance t = test_circuit_random(test_below(300), 1 + test_below(4));
        const unsigned lg = cuzk_circuit_lg_domain(t.c);
        const size_t m = (size_t)1 << lg;
        cuzk_fr *v = malloc(m * sizeof(*v));
        cuzk_fr z, at[3], zm, h, w;
        cuzk_err err;
        CHECK(v != NULL);
        do {
            test_fr(&z);
            cuzk_fr_pow_u64(&zm, &z, m);
        } while (cuzk_fr_is_one(&zm));
        cuzk_fr_sub(&zm, &zm, &CUZK_FR_ONE);
        cuzk_fr_root_of_unity(&w, &CUZK_FR_ROOT_2_32, lg);
        for (unsigned k = 0; k < 3; k++) {
            cuzk_fr point = CUZK_FR_ONE, sum = CUZK_FR_ZERO, u;
            CHECK_OK(cuzk_r1cs_eval(v, m, t.w, (cuzk_matrix_id)k, NULL, NULL, &err), &err);
            for (size_t i = 0; i < m; i++) { /* (z^m - 1)/m sum of v_i w^i/(z - w^i) */
                cuzk_fr_sub(&u, &z, &point);
                cuzk_fr_inv(&u, &u);
                cuzk_fr_mul(&u, &u, &point);
                cuzk_fr_mul(&u, &u, &v[i]);
                cuzk_fr_add(&sum, &sum, &u);
                cuzk_fr_mul(&point, &point, &w);
            }
            cuzk_fr_from_u64(&u, m);
            cuzk_fr_inv(&u, &u);
            cuzk_fr_mul(&sum, &sum, &u);
            cuzk_fr_mul(&at[k], &sum, &zm);
        }
        CHECK_OK(cuzk_quotient(v, t.w, CUZK_QUOTIENT_COEFFS, CUZK_TRACE_OFF, NULL, NULL, &err),
                 &err);
        CHECK(cuzk_fr_is_zero(&v[m - 1]));
        h = CUZK_FR_ZERO;
        for (size_t i = m; i-- > 0;) {
            cuzk_fr_mul(&h, &h, &z);
            cuzk_fr_add(&h, &h, &v[i]);
        }
        cuzk_fr_mul(&at[0], &at[0], &at[1]);
        cuzk_fr_sub(&at[0], &at[0], &at[2]);
        cuzk_fr_mul(&h, &h, &zm);
        CHECK(cuzk_fr_eq(&h, &at[0]));
        free(v);
        test_instance_destroy(&t);
    }
}

/* Without r and s they are random; the encoding reads back. */
static void random_rs(void)
{
    test_instance t = test_circuit_random(40, 2);
    cuzk_toxic x;
    cuzk_srs *srs = NULL;
    cuzk_err err;
    cuzk_proof p, q, back;
    cuzk_trace *trace = NULL;
    uint8_t bytes[192];
    CHECK_OK(cuzk_trace_create(&trace, 256, &err), &err);
    const cuzk_prove_opts opts = {.trace = {trace, 0}};
    cuzk_toxic_from_seed(&x, 5);
    CHECK_OK(cuzk_setup_create(&srs, t.c, &x, NULL, NULL, NULL, &err), &err);
    CHECK_OK(cuzk_prove(&p, t.w, srs, &opts, NULL, NULL, &err), &err);
    CHECK_OK(cuzk_prove(&q, t.w, srs, NULL, NULL, NULL, &err), &err);
    CHECK(!cuzk_g1_affine_eq(&p.a, &q.a) && !cuzk_g2_affine_eq(&p.b, &q.b) &&
          !cuzk_g1_affine_eq(&p.c, &q.c));
    static const char *const steps[] = {"eval",  "ntt",      "msm_h",    "msm_l",
                                        "msm_a", "msm_b_g1", "msm_b_g2", "assemble"};
    uint64_t parts = 0;
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        const uint64_t ns = cuzk_trace_sum(trace, 0, "prove", steps[i]);
        CHECK_MSG(ns > 0, "no span %s", steps[i]);
        parts += ns;
    }
    CHECK(parts <= cuzk_trace_sum(trace, 0, NULL, "prove"));
    cuzk_trace_destroy(trace);
    cuzk_proof_encode(bytes, &p);
    CHECK_OK(cuzk_proof_decode(&back, bytes, &err), &err);
    CHECK_MEM(&back, &p, sizeof(p));
    bytes[150] ^= 1;
    CHECK(cuzk_proof_decode(&back, bytes, &err) != CUZK_OK);
    CHECK(strstr(err.msg, "point C") != NULL);
    cuzk_srs_close(srs);
    test_instance_destroy(&t);
}

/* check_witness names the row; the proof is not written. */
static void unsatisfied(void)
{
    test_instance t = test_circuit_blocks(3);
    cuzk_toxic x;
    cuzk_srs *srs = NULL;
    cuzk_err err;
    cuzk_proof proof = {0}, before = {0};
    const cuzk_prove_opts opts = {.check_witness = true};
    cuzk_toxic_from_seed(&x, 5);
    CHECK_OK(cuzk_setup_create(&srs, t.c, &x, NULL, NULL, NULL, &err), &err);
    CHECK(t.c->n_fulls > 0);
    cuzk_fr_add(&t.w->fulls[0], &t.w->fulls[0], &CUZK_FR_ONE);
    CHECK_STATUS(cuzk_prove(&proof, t.w, srs, &opts, NULL, NULL, &err), CUZK_E_UNSATISFIED);
    CHECK_MEM(&proof, &before, sizeof(proof));
    cuzk_srs_close(srs);
    test_instance_destroy(&t);
}

/* Whatever allocation fails in setup or prove: E_NOMEM, nothing left, nothing written. */
static void out_of_memory(void)
{
    TEST_HAS_ONE_THREAD();
    test_instance t = test_circuit_blocks(3);
    cuzk_toxic x;
    cuzk_err err;
    char params[512], vk[512];
    (void)snprintf(params, sizeof(params), "%s/c.params", test_tmpdir());
    (void)snprintf(vk, sizeof(vk), "%s/c.vk", test_tmpdir());
    cuzk_toxic_from_seed(&x, 5);
    const uint64_t blocks = cuzk_alloc_get_stats().blocks_now;
    uint64_t fails = 0;
    for (unsigned mode = 0; mode < 3; mode++) {
        for (uint64_t n = 1;; n++) {
            cuzk_srs *srs = NULL;
            cuzk_proof proof = {0}, before = {0};
            if (mode == 2) {
                CHECK_OK(cuzk_srs_open(&srs, params, CUZK_POINT_UNCHECKED, NULL, NULL, &err), &err);
            }
            cuzk_alloc_fail_nth(n, n % 2 == 0);
            cuzk_status st;
            if (mode == 0) {
                st = cuzk_setup_create(&srs, t.c, &x, NULL, NULL, NULL, &err);
            } else if (mode == 1) {
                st = cuzk_setup_write(t.c, &x, params, vk, NULL, NULL, NULL, &err);
            } else {
                st = cuzk_prove(&proof, t.w, srs, NULL, NULL, NULL, &err);
            }
            cuzk_alloc_fail_nth(0, false);
            CHECK((srs != NULL) == (mode == 2 || (mode == 0 && st == CUZK_OK)));
            cuzk_srs_close(srs);
            CHECK_U64(cuzk_alloc_get_stats().blocks_now, blocks);
            CHECK((access(params, F_OK) == 0) == (mode == 2 || (mode == 1 && st == CUZK_OK)));
            if (st == CUZK_OK) {
                break;
            }
            CHECK_STATUS(st, CUZK_E_NOMEM);
            CHECK_MEM(&proof, &before, sizeof(proof));
            fails++;
        }
    }
    CHECK(fails > 20);
    test_instance_destroy(&t);
}

static const cuzk_case cases[] = {
    CASE(random_circuits),     CASE(repeated_blocks), CASE(domains),
    CASE(large_domains),       CASE(chunks),          CASE(degenerate),
    CASE(infinite_point),      CASE(unused_wires),    CASE(bad_toxic),
    CASE(random_toxic),        CASE(files),           CASE(no_key_of_another_setup),
    CASE(progress_and_cancel), CASE(mismatch),        CASE(quotient_identity),
    CASE(random_rs),           CASE(unsatisfied),     CASE(out_of_memory)};
TEST_MAIN("groth16/prove", cases)
