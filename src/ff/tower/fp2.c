/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "ff/tower/fp2.h"

#include "ff/fp_wide.h"

void cuzk_fp2_mul_c(cuzk_fp2 *out, const cuzk_fp2 *a, const cuzk_fp2 *b)
{
    cuzk_fp s, u; /* Karatsuba: (a0+a1)(b0+b1) - a0b0 - a1b1 = a0b1 + a1b0 >= 0 */
    cuzk_fp_wide t0, t1, t2;
    cuzk_fp_add_nr(&s, &a->c0, &a->c1);
    cuzk_fp_add_nr(&u, &b->c0, &b->c1);
    cuzk_fp_wide_mul_c(&t2, &s, &u);
    cuzk_fp_wide_mul_c(&t0, &a->c0, &b->c0);
    cuzk_fp_wide_mul_c(&t1, &a->c1, &b->c1);
    cuzk_fp_wide_sub_nr(&t2, &t2, &t0);
    cuzk_fp_wide_sub_nr(&t2, &t2, &t1);
    cuzk_fp_wide_sub(&t0, &t0, &t1);
    cuzk_fp_redc_c(&out->c1, &t2);
    cuzk_fp_redc_c(&out->c0, &t0);
}

void cuzk_fp2_sqr_c(cuzk_fp2 *out, const cuzk_fp2 *a)
{
    cuzk_fp s, d, t; /* (a0+a1)(a0-a1) + 2 a0 a1 i */
    cuzk_fp_add_nr(&s, &a->c0, &a->c1);
    cuzk_fp_sub(&d, &a->c0, &a->c1);
    cuzk_fp_add_nr(&t, &a->c0, &a->c0);
    cuzk_fp_mul_c(&out->c1, &t, &a->c1);
    cuzk_fp_mul_c(&out->c0, &s, &d);
}

void cuzk_fp2_mul_fp(cuzk_fp2 *out, const cuzk_fp2 *a, const cuzk_fp *b)
{
    const cuzk_fp k = *b;
    cuzk_fp_mul(&out->c0, &a->c0, &k);
    cuzk_fp_mul(&out->c1, &a->c1, &k);
}

void cuzk_fp2_mul_nonresidue(cuzk_fp2 *out, const cuzk_fp2 *a)
{
    cuzk_fp t;
    cuzk_fp_sub(&t, &a->c0, &a->c1);
    cuzk_fp_add(&out->c1, &a->c0, &a->c1);
    out->c0 = t;
}

void cuzk_fp2_inv(cuzk_fp2 *out, const cuzk_fp2 *a)
{
    cuzk_fp n, t; /* (a0 - a1 i) / (a0^2 + a1^2) */
    cuzk_fp_sqr(&n, &a->c0);
    cuzk_fp_sqr(&t, &a->c1);
    cuzk_fp_add(&n, &n, &t);
    cuzk_fp_inv(&n, &n);
    cuzk_fp_mul(&out->c0, &a->c0, &n);
    cuzk_fp_mul(&t, &a->c1, &n);
    cuzk_fp_neg(&out->c1, &t);
}

void cuzk_fp2_inv_ct(cuzk_fp2 *out, const cuzk_fp2 *a)
{
    cuzk_fp n, t; /* (a0 - a1 i) / (a0^2 + a1^2) */
    cuzk_fp_sqr(&n, &a->c0);
    cuzk_fp_sqr(&t, &a->c1);
    cuzk_fp_add(&n, &n, &t);
    cuzk_fp_inv_ct(&n, &n);
    cuzk_fp_mul(&out->c0, &a->c0, &n);
    cuzk_fp_mul(&t, &a->c1, &n);
    cuzk_fp_neg(&out->c1, &t);
}

void cuzk_fp2_batch_inv(cuzk_fp2 *a, cuzk_fp2 *scratch, size_t n)
{
    cuzk_fp2 acc = CUZK_FP2_ONE;
    for (size_t i = 0; i < n; i++) {
        scratch[i] = acc;
        if (!cuzk_fp2_is_zero(&a[i])) {
            cuzk_fp2_mul(&acc, &acc, &a[i]);
        }
    }
    cuzk_fp2_inv(&acc, &acc);
    for (size_t i = n; i-- > 0;) {
        if (!cuzk_fp2_is_zero(&a[i])) {
            cuzk_fp2 t;
            cuzk_fp2_mul(&t, &acc, &scratch[i]);
            cuzk_fp2_mul(&acc, &acc, &a[i]);
            a[i] = t;
        }
    }
}

bool cuzk_fp2_sqrt(cuzk_fp2 *out, const cuzk_fp2 *a)
{
    /*
     * Complex method with two exponentiations and no inversion. a is a square exactly when its
     * norm is one in Fp. With s^2 = a0^2 + a1^2, d = (a0 + s)/2, t = d^((q-3)/4) and y = d t:
     * y^2 = d (d t^2) and d t^2 = +-1. If it is 1, 1/y = t and the root is y + a1 t/2 i. If it is
     * -1, y^2 = -d, 1/y = -t, and (a0 - s)/2 = -a1^2/(4 d) = (a1/(2y))^2, so it is -a1 t/2 + y i.
     */
    static const cuzk_fp half = {CUZK_FP_TWO_INV_LIMBS};
    cuzk_fp s, d, t, y, k;
    cuzk_fp_mulsum(&s, &a->c0, &a->c0, &a->c1, &a->c1);
    if (!cuzk_fp_sqrt(&s, &s)) {
        return false;
    }
    cuzk_fp_add(&d, &a->c0, &s);
    if (cuzk_fp_is_zero(&d)) { /* then a1 = 0, and -s is as good a root: d = (a0 - s)/2 = a0 */
        d = a->c0;
    } else {
        cuzk_fp_mul(&d, &d, &half);
    }
    cuzk_fp_pow_qm3d4(&t, &d);
    cuzk_fp_mul(&y, &d, &t);
    cuzk_fp_mul(&k, &y, &t); /* +-1, or 0 for a = 0 */
    cuzk_fp_mul(&t, &t, &half);
    cuzk_fp_mul(&t, &t, &a->c1);
    if (cuzk_fp_eq(&k, &CUZK_FP_ONE)) {
        out->c0 = y;
        out->c1 = t;
    } else {
        cuzk_fp_neg(&out->c0, &t);
        out->c1 = y;
    }
    return true;
}

bool cuzk_fp2_is_lex_largest(const cuzk_fp2 *a)
{
    return cuzk_fp_is_zero(&a->c1) ? cuzk_fp_is_lex_largest(&a->c0)
                                   : cuzk_fp_is_lex_largest(&a->c1);
}
