/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "msm_cuda_internal.h"

static void reduce(cuzk_fp *a)
{
    cuzk_fp_reduce_once_hd(a->l, a->l);
}

void cuzk_cuda_msm_fold(cuzk_g1 *out, cuzk_g1_xyzz *sums, unsigned windows, unsigned c)
{
    cuzk_g1_set_infinity(out);
    for (unsigned w = windows; w-- > 0;) {
        cuzk_g1_xyzz *s = &sums[w];
        cuzk_g1 p;
        reduce(&s->x);
        reduce(&s->y);
        reduce(&s->zz);
        reduce(&s->zzz);
        if (w + 1 < windows) {
            for (unsigned i = 0; i < c; i++) {
                cuzk_g1_dbl(out, out);
            }
        }
        cuzk_g1_from_xyzz(&p, s);
        cuzk_g1_add(out, out, &p);
    }
}
