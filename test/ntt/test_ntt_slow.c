/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <string.h>

#include "base/alloc.h"
#include "cpu/cpu.h"
#include "ntt/ntt.h"

#include "test.h"

#define LG 20 /* two passes; 2^21 takes three */

static void fill(cuzk_fr *a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const cuzk_scalar s = {{test_u64(), test_u64(), test_u64(), test_u64()}};
        cuzk_fr_from_scalar(&a[i], &s);
    }
}

static void check_round_trips(unsigned lg)
{
    const size_t n = (size_t)1 << lg;
    cuzk_ntt_domain *d = NULL;
    cuzk_pool *pool = NULL;
    CHECK_OK(cuzk_ntt_domain_create(&d, lg, NULL, NULL, NULL), NULL);
    CHECK_OK(cuzk_pool_create(&pool, NULL, NULL), NULL);
    cuzk_fr *a = cuzk_alloc(n, sizeof(*a)), *b = cuzk_alloc(n, sizeof(*b));
    CHECK(a != NULL && b != NULL);
    fill(a, n);
    static const cuzk_ntt_order there[] = {CUZK_NTT_NN, CUZK_NTT_NR, CUZK_NTT_RN};
    static const cuzk_ntt_order back[] = {CUZK_NTT_NN, CUZK_NTT_RN, CUZK_NTT_NR};
    const cuzk_fr *shifts[] = {NULL, &CUZK_FR_GENERATOR};
    for (size_t o = 0; o < 3; o++) {
        for (size_t s = 0; s < 2; s++) {
            memcpy(b, a, n * sizeof(*a));
            CHECK_OK(cuzk_ntt_forward(d, b, there[o], shifts[s], pool, NULL, NULL), NULL);
            CHECK(memcmp(a, b, n * sizeof(*a)) != 0);
            CHECK_OK(cuzk_ntt_inverse(d, b, back[o], shifts[s], pool, NULL, NULL), NULL);
            CHECK_MEM(b, a, n * sizeof(*a));
        }
    }
    cuzk_free(b);
    cuzk_free(a);
    cuzk_pool_destroy(pool);
    cuzk_ntt_domain_destroy(d);
}

static void round_trip_2_20(void)
{
    check_round_trips(LG);
}

static void round_trip_2_21(void)
{
    check_round_trips(LG + 1);
}

/* Every instruction-set level computes the same bytes. */
static void levels_agree(void)
{
    static const uint32_t masks[] = {0, CUZK_CPU_ADX, ~(uint32_t)0};
    const unsigned lg = 18;
    const size_t n = (size_t)1 << lg;
    cuzk_fr *a = cuzk_alloc(n, sizeof(*a)), *b[3];
    CHECK(a != NULL);
    fill(a, n);
    for (size_t m = 0; m < 3; m++) {
        cuzk_ntt_domain *d = NULL;
        cuzk_cpu_set_mask(masks[m]);
        b[m] = cuzk_alloc(n, sizeof(*a));
        CHECK(b[m] != NULL);
        memcpy(b[m], a, n * sizeof(*a));
        CHECK_OK(cuzk_ntt_domain_create(&d, lg, NULL, NULL, NULL), NULL);
        CHECK_OK(cuzk_ntt_inverse(d, b[m], CUZK_NTT_NR, NULL, NULL, NULL, NULL), NULL);
        CHECK_OK(cuzk_ntt_forward(d, b[m], CUZK_NTT_RN, &CUZK_FR_GENERATOR, NULL, NULL, NULL),
                 NULL);
        cuzk_ntt_domain_destroy(d);
    }
    cuzk_cpu_set_mask(~(uint32_t)0);
    CHECK_MEM(b[1], b[0], n * sizeof(*a));
    CHECK_MEM(b[2], b[0], n * sizeof(*a));
    for (size_t m = 0; m < 3; m++) {
        cuzk_free(b[m]);
    }
    cuzk_free(a);
}

static const cuzk_case cases[] = {CASE(round_trip_2_20), CASE(round_trip_2_21), CASE(levels_agree)};
TEST_MAIN("ntt/ntt_slow", cases)
