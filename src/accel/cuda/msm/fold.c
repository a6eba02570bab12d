/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "ec/endo.h"

#include "msm_internal.h"

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

static void from_lazy_g1(cuzk_g1 *out, cuzk_g1_xyzz *s)
{
    reduce_g1(&s->x);
    reduce_g1(&s->y);
    reduce_g1(&s->zz);
    reduce_g1(&s->zzz);
    cuzk_g1_from_xyzz(out, s);
}

/* Twelve bits or so, for which cuzk_g1_mul is not made. */
static void times(cuzk_g1 *p, uint32_t m)
{
    const cuzk_g1 once = *p;
    cuzk_g1_set_infinity(p);
    for (unsigned bit = 32; bit-- > 0;) {
        cuzk_g1_dbl(p, p);
        if (m >> bit & 1) {
            cuzk_g1_add(p, p, &once);
        }
    }
}

void cuzk_cuda_msm_fold_hex_g1(cuzk_g1 *out, cuzk_g1_xyzz *sums, unsigned windows, uint32_t m)
{
    cuzk_fp zeta; /* minus beta^2 */
    cuzk_fp_sqr(&zeta, &CUZK_ENDO_BETA);
    cuzk_g1_set_infinity(out);
    for (unsigned w = windows; w-- > 0;) {
        cuzk_g1 p;
        times(out, m);
        from_lazy_g1(&p, &sums[2 * w]);
        cuzk_g1_add(out, out, &p);
        from_lazy_g1(&p, &sums[2 * w + 1]);
        cuzk_fp_mul(&p.x, &p.x, &zeta); /* Jacobian x, over z^2 */
        cuzk_g1_neg(&p, &p);
        cuzk_g1_add(out, out, &p);
    }
}
