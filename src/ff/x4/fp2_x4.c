/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "ff/x4/fp2_x4.h"

#include "ff/x4/fp_x4_wide.h"

void cuzk_fp2_x4_mul(cuzk_fp2_x4 *out, const cuzk_fp2_x4 *a, const cuzk_fp2_x4 *b)
{
    cuzk_fp2_x4_parts fa, fb;
    cuzk_fp_x4_factors t[3];
    cuzk_fp_x4_wide p, m, s;
    cuzk_fp2_x4_set_parts(&fa, a);
    cuzk_fp2_x4_set_parts(&fb, b);
    cuzk_fp2_x4_set_factors(t, a, &fa, b, &fb);
    cuzk_fp_x4_wide1_avx2(&p, &t[0]);
    cuzk_fp_x4_wide1_avx2(&m, &t[1]);
    cuzk_fp_x4_wide1_avx2(&s, &t[2]);
    cuzk_fp_x4_redc_real_avx2(&out->c0, &p, &m, &cuzk_fp_x4_wide600, NULL);
    cuzk_fp_x4_redc_cross_avx2(&out->c1, &s, &p, &m, NULL);
}

void cuzk_fp2_x4_mul_sub(cuzk_fp2_x4 *out, const cuzk_fp2_x4 *a, const cuzk_fp2_x4 *b,
                         const cuzk_fp2_x4 *d)
{
    cuzk_fp2_x4 p;
    cuzk_fp2_x4_mul(&p, a, b);
    cuzk_fp_x4_minus(&out->c0, &p.c0, &d->c0);
    cuzk_fp_x4_minus(&out->c1, &p.c1, &d->c1);
}

void cuzk_fp2_x4_sqr_sub(cuzk_fp2_x4 *out, const cuzk_fp2_x4 *a, const cuzk_fp2_x4 *d)
{
    cuzk_fp_x4 sum, difference, twice, c0;
    cuzk_fp_x4_add(&sum, &a->c0, &a->c1);
    cuzk_fp_x4_sub(&difference, &a->c0, &a->c1);
    cuzk_fp_x4_add(&twice, &a->c0, &a->c0);
    if (d == NULL) {
        cuzk_fp_x4_mul(&c0, &sum, &difference);
        cuzk_fp_x4_mul(&out->c1, &twice, &a->c1);
        out->c0 = c0;
    } else {
        cuzk_fp_x4_mul_sub(&c0, &sum, &difference, &d->c0);
        cuzk_fp_x4_mul_sub(&out->c1, &twice, &a->c1, &d->c1);
        out->c0 = c0;
    }
}

void cuzk_fp2_x4_mul_add(cuzk_fp2_x4 *out, const cuzk_fp2_x4 *a, const cuzk_fp2_x4 *b,
                         const cuzk_fp2_x4 *c, const cuzk_fp2_x4 *d)
{
    cuzk_fp2_x4_parts fa, fb, fc, fd;
    cuzk_fp_x4_factors ab[3], cd[3];
    cuzk_fp_x4_wide w[3];
    cuzk_fp2_x4_set_parts(&fa, a);
    cuzk_fp2_x4_set_parts(&fb, b);
    cuzk_fp2_x4_set_parts(&fc, c);
    cuzk_fp2_x4_set_parts(&fd, d);
    cuzk_fp2_x4_set_factors(ab, a, &fa, b, &fb);
    cuzk_fp2_x4_set_factors(cd, c, &fc, d, &fd);
    for (int i = 0; i < 3; i++) {
        const cuzk_fp_x4_factors t[2] = {ab[i], cd[i]};
        cuzk_fp_x4_wide2_avx2(&w[i], t);
    }
    cuzk_fp_x4_redc_real_avx2(&out->c0, &w[0], &w[1], &cuzk_fp_x4_wide600, NULL);
    cuzk_fp_x4_redc_cross_avx2(&out->c1, &w[2], &w[0], &w[1], NULL);
}
