/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <string.h>

#include "accel/cuda/ntt/ntt.h"
#include "base/alloc.h"
#include "ntt/ntt.h"

#include "cuda_test.h"

#define LG_FAST 15u

static void random_array(cuzk_fr *a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        cuzk_scalar s;
        test_bytes(&s, sizeof(s));
        cuzk_fr_from_scalar(&a[i], &s);
    }
}

static cuzk_fr *alloc_fr(size_t n)
{
    cuzk_fr *p = cuzk_alloc(n, sizeof(*p));
    CHECK(p != NULL);
    return p;
}

/* Both directions, both orders, with and without a shift, against the host. */
static void compare(cuzk_cuda_queue *q, unsigned lg, const cuzk_fr *root)
{
    cuzk_err err;
    const size_t n = (size_t)1 << lg, bytes = n * sizeof(cuzk_fr);
    cuzk_fr *a = alloc_fr(n), *want = alloc_fr(n), *got = alloc_fr(n);
    cuzk_ntt_domain *host = NULL;
    cuzk_cuda_ntt *dev = NULL;
    CHECK_OK(cuzk_ntt_domain_create(&host, lg, root, NULL, &err), &err);
    CHECK_OK(cuzk_cuda_ntt_create(&dev, q, lg, root, false, &err), &err);
    random_array(a, n);
    void *d = cuda_upload(q, a, bytes);
    for (unsigned run = 0; run < 8; run++) {
        const bool inverse = run & 1, rn = run & 2;
        const cuzk_fr *shift = run & 4 ? &CUZK_FR_GENERATOR : NULL;
        const cuzk_ntt_order o = rn ? CUZK_NTT_RN : CUZK_NTT_NR;
        const cuzk_cuda_order oc = rn ? CUZK_CUDA_RN : CUZK_CUDA_NR;
        memcpy(want, a, bytes);
        CHECK_OK(cuzk_cuda_upload(q, d, a, bytes, &err), &err);
        if (inverse) {
            CHECK_OK(cuzk_ntt_inverse(host, want, o, shift, NULL, NULL, &err), &err);
            CHECK_OK(cuzk_cuda_ntt_inverse(dev, q, d, oc, shift, &err), &err);
        } else {
            CHECK_OK(cuzk_ntt_forward(host, want, o, shift, NULL, NULL, &err), &err);
            CHECK_OK(cuzk_cuda_ntt_forward(dev, q, d, oc, shift, &err), &err);
        }
        CHECK_OK(cuzk_cuda_download(q, got, d, bytes, &err), &err);
        CHECK_MSG(memcmp(got, want, bytes) == 0, "lg %u inverse %d rn %d shift %d differs", lg,
                  inverse, rn, shift != NULL);
    }
    cuzk_cuda_free(q, d);
    cuzk_cuda_ntt_destroy(dev, q);
    cuzk_ntt_domain_destroy(host);
    cuzk_free(a);
    cuzk_free(want);
    cuzk_free(got);
}

static void small_sizes_equal_host(void)
{
    cuzk_cuda_queue *q = cuda_queue();
    for (unsigned lg = 0; lg <= LG_FAST; lg++) {
        compare(q, lg, NULL);
    }
    compare(q, 12, &CUZK_FR_ROOT_2_32_SNARKJS);
    cuzk_cuda_queue_destroy(q);
}

/* Three passes; with --iters=2 up to 2^20. */
static void large_sizes_equal_host(void)
{
    cuzk_cuda_queue *q = cuda_queue();
    const unsigned top = test_iters(1) > 1 ? 20 : 17;
    for (unsigned lg = LG_FAST + 1; lg <= top; lg++) {
        compare(q, lg, NULL);
    }
    cuzk_cuda_queue_destroy(q);
}

static void round_trip_of_large_domain(void)
{
    cuzk_cuda_queue *q = cuda_queue();
    cuzk_err err;
    const unsigned lg = test_iters(1) > 1 ? 23 : 19;
    const size_t n = (size_t)1 << lg, bytes = n * sizeof(cuzk_fr);
    cuzk_fr *a = alloc_fr(n), *got = alloc_fr(n);
    random_array(a, n);
    void *d = cuda_upload(q, a, bytes);
    cuzk_cuda_ntt *dev = NULL;
    CHECK_OK(cuzk_cuda_ntt_create(&dev, q, lg, NULL, false, &err), &err);
    CHECK_OK(cuzk_cuda_ntt_inverse(dev, q, d, CUZK_CUDA_NR, NULL, &err), &err);
    CHECK_OK(cuzk_cuda_ntt_forward(dev, q, d, CUZK_CUDA_RN, &CUZK_FR_GENERATOR, &err), &err);
    CHECK_OK(cuzk_cuda_ntt_inverse(dev, q, d, CUZK_CUDA_NR, &CUZK_FR_GENERATOR, &err), &err);
    CHECK_OK(cuzk_cuda_ntt_forward(dev, q, d, CUZK_CUDA_RN, NULL, &err), &err);
    CHECK_OK(cuzk_cuda_download(q, got, d, bytes, &err), &err);
    CHECK(memcmp(a, got, bytes) == 0);
    cuzk_cuda_free(q, d);
    cuzk_cuda_ntt_destroy(dev, q);
    cuzk_free(a);
    cuzk_free(got);
    cuzk_cuda_queue_destroy(q);
}

/* One of the transforms that a proof has, on a copy of a; the result to got. */
static void transform(const cuzk_cuda_ntt *t, cuzk_cuda_queue *q, unsigned which, void *d[3],
                      const cuzk_fr *a, cuzk_fr *got, size_t bytes)
{
    cuzk_err err;
    const cuzk_fr *shift = which & 1 ? &CUZK_FR_GENERATOR : NULL;
    const cuzk_cuda_order o = which & 2 ? CUZK_CUDA_RN : CUZK_CUDA_NR;
    void *out = d[0];
    for (int i = 0; i < 3; i++) {
        CHECK_OK(cuzk_cuda_upload(q, d[i], a, bytes, &err), &err);
    }
    if (which < 4) {
        CHECK_OK(cuzk_cuda_ntt_forward(t, q, d[0], o, shift, &err), &err);
    } else if (which < 8) {
        CHECK_OK(cuzk_cuda_ntt_inverse(t, q, d[0], o, shift, &err), &err);
    } else if (which == 8) {
        CHECK_OK(cuzk_cuda_ntt_to_coset(t, q, d[0], &CUZK_FR_GENERATOR, &err), &err);
    } else if (which == 9) {
        CHECK_OK(cuzk_cuda_ntt_product(t, q, d[0], d[1], d[2], &a[1], &err), &err);
    } else {
        CHECK_OK(cuzk_cuda_ntt_product(t, q, d[2], d[0], d[1], &CUZK_FR_ONE, &err), &err);
        CHECK_OK(
            cuzk_cuda_ntt_quotient(t, q, d[1], d[0], d[1], d[2], &CUZK_FR_GENERATOR, &a[2], &err),
            &err);
        out = d[1];
    }
    CHECK_OK(cuzk_cuda_download(q, got, out, bytes, &err), &err);
}

/* Small tables give the bytes of full ones, where they are small: from 2^25 points on. */
static void small_tables_equal_full(void)
{
    cuzk_cuda_queue *q = cuda_queue();
    cuzk_err err;
    CHECK(cuzk_cuda_ntt_bytes(24, true) == cuzk_cuda_ntt_bytes(24, false));
    CHECK(cuzk_cuda_ntt_bytes(27, false) == (uint64_t)4 << 30);
    CHECK(cuzk_cuda_ntt_bytes(27, true) <= (uint64_t)513 << 20);
    for (unsigned lg = 25; lg <= (test_iters(1) > 1 ? 26u : 25u); lg++) {
        const size_t n = (size_t)1 << lg, bytes = n * sizeof(cuzk_fr);
        cuzk_fr *a = alloc_fr(n), *want = alloc_fr(n), *got = alloc_fr(n);
        cuzk_cuda_ntt *full = NULL, *small = NULL;
        void *d[3];
        random_array(a, n);
        for (int i = 0; i < 3; i++) {
            d[i] = cuda_upload(q, a, bytes);
        }
        CHECK_OK(cuzk_cuda_ntt_create(&full, q, lg, NULL, false, &err), &err);
        CHECK_OK(cuzk_cuda_ntt_create(&small, q, lg, NULL, true, &err), &err);
        for (unsigned which = 0; which <= 10; which++) {
            transform(full, q, which, d, a, want, bytes);
            transform(small, q, which, d, a, got, bytes);
            CHECK_MSG(memcmp(got, want, bytes) == 0, "lg %u transform %u differs", lg, which);
        }
        for (int i = 0; i < 3; i++) {
            cuzk_cuda_free(q, d[i]);
        }
        cuzk_cuda_ntt_destroy(full, q);
        cuzk_cuda_ntt_destroy(small, q);
        cuzk_free(a);
        cuzk_free(want);
        cuzk_free(got);
    }
    cuzk_cuda_queue_destroy(q);
}

static void refuses_bad_arguments(void)
{
    cuzk_cuda_queue *q = cuda_queue();
    cuzk_cuda_ntt *dev = NULL;
    cuzk_err err;
    cuzk_fr one = CUZK_FR_ONE;
    CHECK_STATUS(cuzk_cuda_ntt_create(&dev, q, CUZK_CUDA_NTT_MAX_LG + 1, NULL, false, NULL),
                 CUZK_E_INVALID);
    CHECK(dev == NULL);
    CHECK_OK(cuzk_cuda_ntt_create(&dev, q, 0, NULL, false, &err), &err);
    void *d = cuda_upload(q, &one, sizeof(one));
    CHECK_STATUS(cuzk_cuda_ntt_forward(dev, q, d, CUZK_CUDA_NR, &CUZK_FR_ZERO, NULL),
                 CUZK_E_INVALID);
    cuzk_cuda_free(q, d);
    cuzk_cuda_ntt_destroy(dev, q);
    cuzk_cuda_queue_destroy(q);
}

static const cuzk_case cases[] = {CASE(small_sizes_equal_host), CASE(large_sizes_equal_host),
                                  CASE(round_trip_of_large_domain), CASE(small_tables_equal_full),
                                  CASE(refuses_bad_arguments)};
TEST_MAIN("accel_cuda/ntt", cases)
