/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Parameters made on the device: the host's, point by point. */
#include <string.h>

#include "accel/cuda/cuda_accel.h"
#include "accel/cuda/setup/setup.h"
#include "base/alloc.h"
#include "circuit/filecoin.h"
#include "groth16/circuits.h"
#include "groth16/device/device_key.h"
#include "sys/file.h"

#include "cuda_test.h"

#define ALL 0x3fu

typedef struct sink_state {
    const cuzk_srs *want;
    uint64_t next[6];
    unsigned last; /* IC comes first, then the sections in the order of a file */
    uint32_t fail_after;
} sink_state;

static const void *wanted(const cuzk_srs *srs, cuzk_srs_section s, uint64_t first)
{
    if (s == CUZK_SRS_IC) {
        return cuzk_srs_get_vk(srs)->ic + first;
    }
    if (s == CUZK_SRS_B_G2) {
        return cuzk_srs_g2_array(srs) + first;
    }
    return cuzk_srs_g1_array(srs, s) + first;
}

static cuzk_status compare_slice(void *arg, cuzk_cuda_queue *q, cuzk_srs_section section,
                                 uint64_t first, uint64_t n, const void *d_points, cuzk_err *err)
{
    sink_state *s = arg;
    const size_t size = section == CUZK_SRS_B_G2 ? sizeof(cuzk_g2_affine) : sizeof(cuzk_g1_affine);
    if (s->fail_after != 0 && --s->fail_after == 0) {
        return CUZK_FAIL(err, CUZK_E_CANCELLED, "no more");
    }
    const unsigned place = section == CUZK_SRS_IC ? 0 : (unsigned)section + 1;
    CHECK(place >= s->last && n > 0);
    s->last = place;
    CHECK_U64(first, s->next[section]);
    s->next[section] += n;
    uint8_t *got = cuzk_alloc((size_t)n, size);
    CHECK(got != NULL);
    CUZK_TRY(cuzk_cuda_download(q, got, d_points, n * size, err));
    const uint8_t *want = wanted(s->want, section, first);
    for (uint64_t i = 0; i < n; i++) {
        CHECK_MSG(memcmp(got + i * size, want + i * size, size) == 0, "section %d, point %llu",
                  (int)section, (unsigned long long)(first + i));
    }
    cuzk_free(got);
    return CUZK_OK;
}

static void compare(const cuzk_circuit *c, uint64_t slice)
{
    cuzk_err err;
    cuzk_toxic x;
    cuzk_srs *srs = NULL;
    cuzk_pool *pool = NULL;
    void *d = NULL;
    cuzk_cuda_queue *q = cuda_queue();
    cuzk_toxic_from_seed(&x, test_u64());
    CHECK_OK(cuzk_pool_create(&pool, NULL, &err), &err);
    CHECK_OK(cuzk_setup_create(&srs, c, &x, NULL, pool, NULL, &err), &err);
    CHECK_OK(cuzk_cuda_alloc(q, &d, cuzk_cuda_setup_bytes(c, slice), &err), &err);
    sink_state s = {.want = srs};
    CHECK_OK(cuzk_cuda_setup_run(q, c, &x, ALL, slice, d, compare_slice, &s, &err), &err);
    for (unsigned i = 0; i < 6; i++) {
        CHECK_U64(s.next[i], cuzk_cuda_setup_count(c, (cuzk_srs_section)i));
        CHECK_U64(s.next[i],
                  i == CUZK_SRS_IC ? c->n_inputs : cuzk_srs_count(srs, (cuzk_srs_section)i));
    }
    /* One section alone, and a sink that gives up. */
    sink_state one = {.want = srs};
    CHECK_OK(cuzk_cuda_setup_run(q, c, &x, 1u << CUZK_SRS_A, slice, d, compare_slice, &one, &err),
             &err);
    CHECK_U64(one.next[CUZK_SRS_A], s.next[CUZK_SRS_A]);
    CHECK_U64(one.next[CUZK_SRS_H], 0);
    sink_state tired = {.want = srs, .fail_after = 2};
    CHECK_STATUS(cuzk_cuda_setup_run(q, c, &x, ALL, slice, d, compare_slice, &tired, &err),
                 CUZK_E_CANCELLED);
    cuzk_srs_close(srs);
    cuzk_pool_destroy(pool);
    cuzk_cuda_free(q, d);
    cuzk_cuda_queue_destroy(q);
}

static void small_circuits(void)
{
    static const size_t rows[] = {1, 2, 3, 31, 127, 128, 500, 3000};
    cuzk_cuda_queue_destroy(cuda_queue());
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        test_instance t = test_circuit_random(rows[i], 1 + test_below(5));
        compare(t.c, (uint64_t)1 << (rows[i] == 3000 ? 11 : 16)); /* small slices: slow tables */
        test_instance_destroy(&t);
    }
    for (uint64_t blocks = 1; blocks < 2000; blocks = blocks * 7 + 1) {
        test_instance t = test_circuit_blocks(blocks);
        compare(t.c, (uint64_t)1 << (blocks > 200 ? 10 : 16));
        test_instance_destroy(&t);
    }
}

/* One wire in every row: a column that a whole block of threads adds up. */
static void long_columns(void)
{
    test_draft d;
    cuzk_fr v;
    cuzk_cuda_queue_destroy(cuda_queue());
    test_draft_begin(&d);
    test_fr(&v);
    const cuzk_var x = test_draft_full(&d, &v);
    for (size_t i = 0; i < 3000; i++) {
        const cuzk_var y = test_draft_full(&d, &v);
        test_draft_term(&d, CUZK_MATRIX_A, x, 1);
        test_draft_term(&d, CUZK_MATRIX_B, CUZK_VAR_ONE, 1);
        test_draft_term(&d, CUZK_MATRIX_C, y, 1);
        cuzk_builder_row(d.b);
    }
    test_instance t = test_draft_finish(&d);
    compare(t.c, (uint64_t)1 << 11);
    test_instance_destroy(&t);
}

static void filecoin_kinds(void)
{
    cuzk_cuda_queue_destroy(cuda_queue());
    for (unsigned kind = 0; kind < CUZK_CIRCUIT_N_KINDS; kind++) {
        cuzk_err err;
        cuzk_circuit *c = NULL;
        CHECK_OK(cuzk_filecoin_circuit_build((cuzk_circuit_kind)kind, 2048, &c, &err), &err);
        compare(c, (uint64_t)1 << 16);
        cuzk_circuit_destroy(c);
    }
}

static void same_file(const char *a, const char *b)
{
    cuzk_err err;
    cuzk_content x, y;
    CHECK_OK(cuzk_content_read(&x, a, CUZK_CONTENT_ANY, &err), &err);
    CHECK_OK(cuzk_content_read(&y, b, CUZK_CONTENT_ANY, &err), &err);
    CHECK_U64(x.size, y.size);
    CHECK(memcmp(x.data, y.data, x.size) == 0);
    cuzk_content_free(&x);
    cuzk_content_free(&y);
}

static void compare_files(const cuzk_circuit *c, uint64_t chunk)
{
    char path[4][256];
    static const char *const name[4] = {"a.params", "a.vk", "b.params", "b.vk"};
    cuzk_err err;
    cuzk_toxic x;
    cuzk_accel *dev = NULL;
    cuzk_pool *pool = NULL;
    const cuzk_setup_opts opts = {.replace = true, .chunk_points = chunk};
    for (size_t i = 0; i < 4; i++) {
        (void)snprintf(path[i], sizeof(path[i]), "%s/%s", test_tmpdir(), name[i]);
    }
    cuzk_toxic_from_seed(&x, test_u64());
    CHECK_OK(cuzk_pool_create(&pool, NULL, &err), &err);
    CHECK_OK(cuzk_accel_cuda_open(&dev, 0, (uint64_t)4 << 30, &err), &err);
    CHECK_OK(cuzk_setup_write(c, &x, path[0], path[1], &opts, pool, NULL, &err), &err);
    CHECK_OK(cuzk_device_setup_write(dev, c, &x, path[2], path[3], &opts, pool, NULL, &err), &err);
    same_file(path[0], path[2]);
    same_file(path[1], path[3]);
    cuzk_accel_close(dev);
    cuzk_pool_destroy(pool);
}

/* Sections without points among them: one row without B, one wire. */
static void files(void)
{
    cuzk_err err;
    cuzk_circuit *c = NULL;
    cuzk_builder *b = NULL;
    cuzk_cuda_queue_destroy(cuda_queue());
    CHECK_OK(cuzk_filecoin_circuit_build(CUZK_CIRCUIT_WINNING, 2048, &c, &err), &err);
    compare_files(c, 5000);
    cuzk_circuit_destroy(c);
    CHECK_OK(cuzk_builder_create(&b, &err), &err);
    cuzk_builder_term(b, CUZK_MATRIX_C, cuzk_builder_full(b), CUZK_COEF_ONE);
    cuzk_builder_row(b);
    CHECK_OK(cuzk_builder_finish(b, &c, &err), &err);
    cuzk_builder_destroy(b);
    compare_files(c, 0);
    cuzk_circuit_destroy(c);
}

static cuzk_status refused(const cuzk_circuit *c, const cuzk_toxic *x, uint64_t slice,
                           cuzk_err *err)
{
    cuzk_err ignored;
    void *d = NULL;
    cuzk_cuda_queue *q = cuda_queue();
    sink_state s = {.fail_after = 1};
    CHECK_OK(cuzk_cuda_alloc(q, &d, cuzk_cuda_setup_bytes(c, 1024), &ignored), &ignored);
    const cuzk_status st = cuzk_cuda_setup_run(q, c, x, ALL, slice, d, compare_slice, &s, err);
    cuzk_cuda_free(q, d);
    cuzk_cuda_queue_destroy(q);
    return st;
}

static void refusals(void)
{
    cuzk_err err;
    cuzk_toxic x;
    cuzk_circuit *c = NULL;
    cuzk_builder *b = NULL;
    cuzk_cuda_queue_destroy(cuda_queue());
    test_instance t = test_circuit_random(50, 2);
    const unsigned lg = cuzk_circuit_lg_domain(t.c);
    cuzk_toxic_from_seed(&x, 1);
    CHECK_STATUS(refused(t.c, &x, 1000, &err), CUZK_E_INVALID);
    CHECK_STATUS(refused(t.c, &x, 512, &err), CUZK_E_INVALID);
    CHECK_STATUS(refused(t.c, &x, 1024, &err), CUZK_E_CANCELLED); /* by the sink */
    cuzk_fr_root_of_unity(&x.tau, &CUZK_FR_ROOT_2_32, lg);
    CHECK_STATUS(refused(t.c, &x, 1024, &err), CUZK_E_INVALID);
    CHECK(strstr(err.msg, "domain") != NULL);
    cuzk_toxic_from_seed(&x, 1);
    x.gamma = CUZK_FR_ZERO;
    CHECK_STATUS(refused(t.c, &x, 1024, &err), CUZK_E_INVALID);
    cuzk_toxic_from_seed(&x, 1);
    x.g1.x = CUZK_FP_ONE;
    CHECK_STATUS(refused(t.c, &x, 1024, &err), CUZK_E_INVALID);
    test_instance_destroy(&t);
    /* A wire that no row has: the host's words. */
    cuzk_toxic_from_seed(&x, 1);
    CHECK_OK(cuzk_builder_create(&b, &err), &err);
    const cuzk_var used = cuzk_builder_full(b);
    (void)cuzk_builder_full(b);
    for (unsigned m = 0; m < 3; m++) {
        cuzk_builder_term(b, (cuzk_matrix_id)m, used, CUZK_COEF_ONE);
    }
    cuzk_builder_row(b);
    CHECK_OK(cuzk_builder_finish(b, &c, &err), &err);
    cuzk_builder_destroy(b);
    CHECK_STATUS(refused(c, &x, 1024, &err), CUZK_E_INVALID);
    CHECK_STR(err.msg, "aux wire 1 is in no row");
    cuzk_circuit_destroy(c);
}

static const cuzk_case cases[] = {CASE(small_circuits), CASE(long_columns), CASE(filecoin_kinds),
                                  CASE(files), CASE(refusals)};

TEST_MAIN("accel_cuda/setup", cases)
