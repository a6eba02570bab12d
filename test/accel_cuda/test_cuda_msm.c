/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <string.h>

#include "accel/cuda/msm_cuda.h"
#include "base/alloc.h"
#include "msm/msm.h"

#include "cuda_test.h"

typedef struct fixture {
    cuzk_cuda_queue *q;
    cuzk_g1_affine *bases;
    cuzk_scalar *scalars;
    uint64_t *bits;
    void *d_bases, *d_scalars, *d_bits;
    size_t n;
} fixture;

/* Multiples of the generator in random steps; every 97th is infinity, some repeat or cancel. */
static void make_bases(cuzk_g1_affine *out, size_t n)
{
    cuzk_g1 *p = cuzk_alloc(n + 1, sizeof(*p));
    cuzk_fp *scratch = cuzk_alloc(n + 1, sizeof(*scratch));
    CHECK(p != NULL && scratch != NULL);
    cuzk_g1 at, step;
    cuzk_scalar s = {{test_u64(), test_u64(), test_u64(), 0}};
    cuzk_g1_from_affine(&at, &CUZK_G1_GENERATOR);
    cuzk_g1_mul(&step, &at, &s);
    for (size_t i = 0; i < n; i++) {
        p[i] = at;
        cuzk_g1_add(&at, &at, &step);
    }
    cuzk_g1_batch_to_affine(out, p, scratch, n);
    for (size_t i = 1; i < n; i++) {
        const uint64_t kind = test_below(64);
        if (i % 97 == 0) {
            memset(&out[i], 0, sizeof(out[i]));
        } else if (kind == 0) {
            out[i] = out[i - 1];
        } else if (kind == 1) {
            cuzk_g1_affine_neg(&out[i], &out[i - 1]);
        }
    }
    cuzk_free(p);
    cuzk_free(scratch);
}

static fixture setup(size_t n)
{
    fixture f;
    f.q = cuda_queue();
    f.n = n;
    f.bases = cuzk_alloc(n + 1, sizeof(*f.bases));
    f.scalars = cuzk_alloc(n + 1, sizeof(*f.scalars));
    f.bits = cuzk_alloc(n / 64 + 1, sizeof(*f.bits));
    CHECK(f.bases != NULL && f.scalars != NULL && f.bits != NULL);
    make_bases(f.bases, n);
    f.d_bases = cuda_upload(f.q, f.bases, n * sizeof(*f.bases));
    f.d_scalars = cuda_upload(f.q, f.bases, n * sizeof(*f.scalars)); /* room */
    f.d_bits = cuda_upload(f.q, f.bases, (n / 64 + 1) * sizeof(*f.bits));
    return f;
}

static void teardown(fixture *f)
{
    cuzk_cuda_free(f->q, f->d_bases);
    cuzk_cuda_free(f->q, f->d_scalars);
    cuzk_cuda_free(f->q, f->d_bits);
    cuzk_cuda_queue_destroy(f->q);
    cuzk_free(f->bases);
    cuzk_free(f->scalars);
    cuzk_free(f->bits);
}

/* Affine results are compared: the coordinates of the sums depend on their order. */
static void check_point(const cuzk_g1 *got, const cuzk_g1 *want, size_t n, unsigned nbits)
{
    cuzk_g1_affine g, w;
    cuzk_g1_to_affine(&g, got);
    cuzk_g1_to_affine(&w, want);
    CHECK_MSG(memcmp(&g, &w, sizeof(g)) == 0, "n = %zu, %u bits: wrong sum", n, nbits);
}

static void compare(fixture *f, cuzk_cuda_msm *m, size_t n, unsigned nbits)
{
    cuzk_err err;
    cuzk_g1 got, want;
    CHECK_OK(cuzk_cuda_upload(f->q, f->d_scalars, f->scalars, n * sizeof(*f->scalars), &err), &err);
    CHECK_OK(cuzk_cuda_msm_g1(m, f->q, &got, f->d_bases, f->d_scalars, n, &err), &err);
    CHECK_OK(cuzk_msm_g1(&want, f->bases, f->scalars, n, nbits, NULL, NULL, &err), &err);
    check_point(&got, &want, n, nbits);
}

typedef enum kind { DENSE, EDGE, SPARSE, EQUAL, TOP, BITS01, KINDS } kind;

static void fill_scalars(cuzk_scalar *s, size_t n, kind k, unsigned nbits)
{
    cuzk_fr minus_one;
    cuzk_fr_neg(&minus_one, &CUZK_FR_ONE);
    for (size_t i = 0; i < n; i++) {
        cuzk_scalar v;
        cuzk_fr t;
        if (k == EDGE) {
            test_bytes(&v, sizeof(v));
        } else {
            v = (cuzk_scalar){{test_u64(), test_u64(), test_u64(), test_u64()}};
        }
        cuzk_fr_from_scalar(&t, &v);
        cuzk_fr_to_scalar(&s[i], &t);
        if (k == TOP) {
            cuzk_fr_to_scalar(&s[i], &minus_one);
        } else if (k == EQUAL && i > 0) {
            s[i] = s[0];
        } else if (k == SPARSE && test_below(50) != 0) {
            s[i] = (cuzk_scalar){{0}};
        } else if (k == BITS01 && test_below(50) != 0) {
            s[i] = (cuzk_scalar){{test_below(2)}};
        }
        for (unsigned b = nbits; b < 256; b++) {
            s[i].l[b / 64] &= ~((uint64_t)1 << b % 64);
        }
    }
}

static void sizes_equal_host(void)
{
    static const size_t sizes[] = {0,    1,    2,    3,    31,   32,   33,   255,   256,  257,
                                   1023, 1024, 1025, 2047, 4095, 4096, 4097, 12345, 16384};
    static const unsigned widths[] = {255, 255, 255, 1, 5, 6, 64, 128, 254};
    const size_t top = 16384;
    fixture f = setup(top);
    for (size_t w = 0; w < sizeof(widths) / sizeof(widths[0]); w++) {
        cuzk_cuda_msm *m = NULL;
        cuzk_err err;
        CHECK_OK(cuzk_cuda_msm_create(&m, f.q, top, widths[w], &err), &err);
        for (size_t i = w % 3; i < sizeof(sizes) / sizeof(sizes[0]); i += 3) {
            fill_scalars(f.scalars, sizes[i], w == 1 ? EDGE : DENSE, widths[w]);
            compare(&f, m, sizes[i], widths[w]);
        }
        cuzk_cuda_msm_destroy(m, f.q);
    }
    teardown(&f);
}

static void kinds_equal_host(void)
{
    const size_t sizes[] = {1, 500, 8191, 20000};
    fixture f = setup(20000);
    cuzk_cuda_msm *m = NULL;
    cuzk_err err;
    CHECK_OK(cuzk_cuda_msm_create(&m, f.q, 20000, 255, &err), &err);
    for (int k = 0; k < KINDS; k++) {
        for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
            fill_scalars(f.scalars, sizes[i], (kind)k, 255);
            compare(&f, m, sizes[i], 255);
        }
    }
    cuzk_cuda_msm_destroy(m, f.q);
    teardown(&f);
}

/* 2^16 terms; with --iters=16 2^20. */
static void large_equals_host(void)
{
    const size_t n = ((size_t)1 << 16) * test_iters(1) + 1;
    fixture f = setup(n);
    cuzk_cuda_msm *m = NULL;
    cuzk_err err;
    CHECK_OK(cuzk_cuda_msm_create(&m, f.q, n, 255, &err), &err);
    for (int k = 0; k < KINDS; k++) {
        fill_scalars(f.scalars, n, (kind)k, 255);
        compare(&f, m, n - (size_t)k % 3, 255);
    }
    cuzk_cuda_msm_destroy(m, f.q);
    teardown(&f);
}

/* Every base with its opposite beside it, equal scalars: all buckets cancel. */
static void cancelling_terms_give_infinity(void)
{
    const size_t n = 4096;
    fixture f = setup(n);
    cuzk_cuda_msm *m = NULL;
    cuzk_err err;
    cuzk_g1 got;
    fill_scalars(f.scalars, n, DENSE, 255);
    for (size_t i = 0; i < n; i += 2) {
        f.bases[i] = f.bases[n - 2];
        cuzk_g1_affine_neg(&f.bases[i + 1], &f.bases[i]);
        f.scalars[i + 1] = f.scalars[i];
    }
    CHECK_OK(cuzk_cuda_upload(f.q, f.d_bases, f.bases, n * sizeof(*f.bases), &err), &err);
    CHECK_OK(cuzk_cuda_upload(f.q, f.d_scalars, f.scalars, n * sizeof(*f.scalars), &err), &err);
    CHECK_OK(cuzk_cuda_msm_create(&m, f.q, n, 255, &err), &err);
    CHECK_OK(cuzk_cuda_msm_g1(m, f.q, &got, f.d_bases, f.d_scalars, n, &err), &err);
    CHECK(cuzk_g1_is_infinity(&got));
    cuzk_cuda_msm_destroy(m, f.q);
    teardown(&f);
}

static void bits_equal_host(void)
{
    static const size_t sizes[] = {0, 1, 63, 64, 65, 127, 4096, 4097, 65535, 65536, 70000};
    fixture f = setup(70000);
    cuzk_cuda_msm *m = NULL;
    cuzk_err err;
    CHECK_OK(cuzk_cuda_msm_create(&m, f.q, f.n, 1, &err), &err);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        for (unsigned k = 0; k < 4; k++) { /* none, sparse, half, all */
            const size_t n = sizes[i];
            cuzk_g1 got, want;
            for (size_t w = 0; w < n / 64 + 1; w++) {
                const uint64_t x = test_u64();
                f.bits[w] = k == 0   ? 0
                            : k == 1 ? x & test_u64() & test_u64() & test_u64()
                            : k == 2 ? x
                                     : ~(uint64_t)0;
            }
            CHECK_OK(cuzk_cuda_upload(f.q, f.d_bits, f.bits, (n / 64 + 1) * 8, &err), &err);
            CHECK_OK(cuzk_cuda_msm_bits_g1(m, f.q, &got, f.d_bases, f.d_bits, n, &err), &err);
            CHECK_OK(cuzk_msm_bits_g1(&want, f.bases, f.bits, n, NULL, NULL, &err), &err);
            check_point(&got, &want, n, 1);
        }
    }
    cuzk_cuda_msm_destroy(m, f.q);
    teardown(&f);
}

static void refuses_bad_arguments(void)
{
    cuzk_cuda_queue *q = cuda_queue();
    cuzk_cuda_msm *m = NULL;
    cuzk_err err;
    cuzk_g1 out;
    CHECK_STATUS(cuzk_cuda_msm_create(&m, q, CUZK_CUDA_MSM_MAX_N + 1, 255, NULL), CUZK_E_INVALID);
    CHECK_STATUS(cuzk_cuda_msm_create(&m, q, 10, 0, NULL), CUZK_E_INVALID);
    CHECK_STATUS(cuzk_cuda_msm_create(&m, q, 10, 256, NULL), CUZK_E_INVALID);
    CHECK(m == NULL);
    CHECK_OK(cuzk_cuda_msm_create(&m, q, 10, 255, &err), &err);
    CHECK_STATUS(cuzk_cuda_msm_g1(m, q, &out, NULL, NULL, 11, NULL), CUZK_E_INVALID);
    cuzk_cuda_msm_destroy(m, q);
    cuzk_cuda_queue_destroy(q);
}

static const cuzk_case cases[] = {CASE(sizes_equal_host),  CASE(kinds_equal_host),
                                  CASE(large_equals_host), CASE(cancelling_terms_give_infinity),
                                  CASE(bits_equal_host),   CASE(refuses_bad_arguments)};
TEST_MAIN("accel_cuda/msm", cases)
