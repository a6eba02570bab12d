/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Folds of points in lanes against one point at a time. */
#include <string.h>

#include "base/alloc.h"
#include "ec/x4/fold_x4.h"

#include "test.h"

#ifdef CUZK_FF_AVX2

enum { N = CUZK_EC_FOLD_BATCH };

static void random_scalar(cuzk_scalar *s)
{
    cuzk_fr f;
    test_bytes(s, sizeof(*s));
    cuzk_fr_from_scalar(&f, s);
    cuzk_fr_to_scalar(s, &f);
}

/* Random ones, and those whose digits or sums are special. */
static void scalar_of(cuzk_scalar *k, size_t round)
{
    static const uint64_t small[] = {0, 1, 2, 3, 7, UINT64_C(0xd201000000010000)};
    memset(k, 0, sizeof(*k));
    if (round < sizeof(small) / sizeof(small[0])) {
        k->l[0] = small[round];
    } else if (round == 6) { /* r - 1 */
        cuzk_fr f;
        cuzk_fr_neg(&f, &CUZK_FR_ONE);
        cuzk_fr_to_scalar(k, &f);
    } else {
        random_scalar(k);
    }
}

enum { ROUNDS = 9 };

/* low [N] and high [N], some of them infinity, some the very sums that have no slope. */
#    define MAKE_POINTS(group, G)                                                           \
        static void group##_points(cuzk_##group##_affine *low, cuzk_##group##_affine *high, \
                                   const cuzk_scalar *k)                                    \
        {                                                                                   \
            cuzk_##group t;                                                                 \
            for (size_t i = 0; i < N; i++) {                                                \
                cuzk_scalar s;                                                              \
                random_scalar(&s);                                                          \
                cuzk_##group##_from_affine(&t, &CUZK_##G##_GENERATOR);                      \
                cuzk_##group##_mul(&t, &t, &s);                                             \
                cuzk_##group##_to_affine(&high[i], &t);                                     \
                cuzk_##group##_dbl(&t, &t);                                                 \
                cuzk_##group##_to_affine(&low[i], &t);                                      \
            }                                                                               \
            memset(&low[1], 0, sizeof(low[1]));                                             \
            memset(&high[2], 0, sizeof(high[2]));                                           \
            cuzk_##group##_from_affine(&t, &high[9]); /* low = k high: a doubling */        \
            cuzk_##group##_mul(&t, &t, k);                                                  \
            cuzk_##group##_to_affine(&low[9], &t);                                          \
            cuzk_##group##_from_affine(&t, &high[14]); /* low = -k high: infinity */        \
            cuzk_##group##_mul(&t, &t, k);                                                  \
            cuzk_##group##_neg(&t, &t);                                                     \
            cuzk_##group##_to_affine(&low[14], &t);                                         \
        }                                                                                   \
        static void group##_folds(void)                                                     \
        {                                                                                   \
            static const size_t sizes[] = {1, 3, 4, 15, N};                                 \
            static cuzk_##group##_affine low[N], high[N], want[N], got[N];                  \
            void *scratch = cuzk_alloc(1, CUZK_EC_FOLD_BYTES);                              \
            CHECK(scratch != NULL);                                                         \
            for (size_t round = 0; round < ROUNDS; round++) {                               \
                cuzk_scalar k;                                                              \
                scalar_of(&k, round);                                                       \
                group##_points(low, high, &k);                                              \
                for (size_t i = 0; i < N; i++) {                                            \
                    cuzk_##group t;                                                         \
                    cuzk_##group##_from_affine(&t, &high[i]);                               \
                    cuzk_##group##_mul(&t, &t, &k);                                         \
                    cuzk_##group##_add_affine(&t, &t, &low[i]);                             \
                    cuzk_##group##_to_affine(&want[i], &t);                                 \
                }                                                                           \
                for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {             \
                    memset(got, 0x5a, sizeof(got));                                         \
                    cuzk_##group##_fold_avx2(got, low, high, &k, sizes[s], scratch);        \
                    CHECK_MEM(got, want, sizes[s] * sizeof(got[0]));                        \
                }                                                                           \
                cuzk_##group##_fold_avx2(low, low, high, &k, N, scratch);                   \
                CHECK_MEM(low, want, sizeof(want));                                         \
            }                                                                               \
            cuzk_free(scratch);                                                             \
        }

MAKE_POINTS(g1, G1)
MAKE_POINTS(g2, G2)

static void folds(void)
{
    if (!cuzk_cpu_has(CUZK_CPU_AVX2)) {
        cuzk_test_skip("this processor has no AVX2");
    }
    g1_folds();
    g2_folds();
}
#else
static void folds(void)
{
    cuzk_test_skip("this build has no lanes");
}
#endif

static const cuzk_case cases[] = {CASE(folds)};
TEST_MAIN("ec/fold", cases)
