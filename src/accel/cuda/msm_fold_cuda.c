/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "msm_cuda_internal.h"

static void reduce_g1(cuzk_fp *a)
{
    cuzk_fp_reduce_once_hd(a->l, a->l);
}

static void reduce_g2(cuzk_fp2 *a)
{
    reduce_g1(&a->c0);
    reduce_g1(&a->c1);
}

#define FOLD(G)                                                                         \
    void cuzk_cuda_msm_fold_##G(cuzk_##G *out, cuzk_##G##_xyzz *sums, unsigned windows, \
                                unsigned c)                                             \
    {                                                                                   \
        cuzk_##G##_set_infinity(out);                                                   \
        for (unsigned w = windows; w-- > 0;) {                                          \
            cuzk_##G##_xyzz *s = &sums[w];                                              \
            cuzk_##G p;                                                                 \
            reduce_##G(&s->x);                                                          \
            reduce_##G(&s->y);                                                          \
            reduce_##G(&s->zz);                                                         \
            reduce_##G(&s->zzz);                                                        \
            for (unsigned i = 0; w + 1 < windows && i < c; i++) {                       \
                cuzk_##G##_dbl(out, out);                                               \
            }                                                                           \
            cuzk_##G##_from_xyzz(&p, s);                                                \
            cuzk_##G##_add(out, out, &p);                                               \
        }                                                                               \
    }

FOLD(g1)
FOLD(g2)
