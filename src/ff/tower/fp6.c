/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "ff/tower/fp6.h"

void cuzk_fp6_mul_v(cuzk_fp6 *out, const cuzk_fp6 *a)
{
    const cuzk_fp2 c0 = a->c0, c1 = a->c1;
    cuzk_fp2_mul_nonresidue(&out->c0, &a->c2);
    out->c1 = c0;
    out->c2 = c1;
}

/* out = (a0 + a1)(b0 + b1) - p0 - p1, the cross term of Karatsuba. */
static void cross(cuzk_fp2 *out, const cuzk_fp2 *a0, const cuzk_fp2 *a1, const cuzk_fp2 *b0,
                  const cuzk_fp2 *b1, const cuzk_fp2 *p0, const cuzk_fp2 *p1)
{
    cuzk_fp2 s, t;
    cuzk_fp2_add(&s, a0, a1);
    cuzk_fp2_add(&t, b0, b1);
    cuzk_fp2_mul(&s, &s, &t);
    cuzk_fp2_sub(&s, &s, p0);
    cuzk_fp2_sub(out, &s, p1);
}

void cuzk_fp6_mul(cuzk_fp6 *out, const cuzk_fp6 *a, const cuzk_fp6 *b)
{
    cuzk_fp2 p0, p1, p2, x, y, z;
    cuzk_fp2_mul(&p0, &a->c0, &b->c0);
    cuzk_fp2_mul(&p1, &a->c1, &b->c1);
    cuzk_fp2_mul(&p2, &a->c2, &b->c2);
    cross(&x, &a->c1, &a->c2, &b->c1, &b->c2, &p1, &p2); /* v^3 term */
    cross(&y, &a->c0, &a->c1, &b->c0, &b->c1, &p0, &p1); /* v */
    cross(&z, &a->c0, &a->c2, &b->c0, &b->c2, &p0, &p2); /* v^2, less p1 */
    cuzk_fp2_mul_nonresidue(&x, &x);
    cuzk_fp2_add(&out->c0, &p0, &x);
    cuzk_fp2_mul_nonresidue(&p2, &p2);
    cuzk_fp2_add(&out->c1, &y, &p2);
    cuzk_fp2_add(&out->c2, &z, &p1);
}

void cuzk_fp6_mul_01(cuzk_fp6 *out, const cuzk_fp6 *a, const cuzk_fp2 *b0, const cuzk_fp2 *b1)
{
    cuzk_fp2 p0, p1, x, y, z;
    cuzk_fp2_mul(&p0, &a->c0, b0);
    cuzk_fp2_mul(&p1, &a->c1, b1);
    cross(&y, &a->c0, &a->c1, b0, b1, &p0, &p1);
    cuzk_fp2_mul(&x, &a->c2, b1);
    cuzk_fp2_mul(&z, &a->c2, b0);
    cuzk_fp2_mul_nonresidue(&x, &x);
    cuzk_fp2_add(&out->c0, &p0, &x);
    out->c1 = y;
    cuzk_fp2_add(&out->c2, &z, &p1);
}

void cuzk_fp6_mul_1(cuzk_fp6 *out, const cuzk_fp6 *a, const cuzk_fp2 *b1)
{
    const cuzk_fp2 b = *b1;
    cuzk_fp2 x;
    cuzk_fp2_mul(&x, &a->c2, &b);
    cuzk_fp2_mul(&out->c2, &a->c1, &b);
    cuzk_fp2_mul(&out->c1, &a->c0, &b);
    cuzk_fp2_mul_nonresidue(&out->c0, &x);
}

void cuzk_fp6_sqr(cuzk_fp6 *out, const cuzk_fp6 *a)
{
    /* Chung, Hasan, "Asymmetric squaring formulae" (ARITH 2007), SQR3: two products, three squares. */
    cuzk_fp2 s0, s1, s2, s3, s4;
    cuzk_fp2_sqr(&s0, &a->c0);
    cuzk_fp2_mul(&s1, &a->c0, &a->c1);
    cuzk_fp2_dbl(&s1, &s1);
    cuzk_fp2_sub(&s2, &a->c0, &a->c1);
    cuzk_fp2_add(&s2, &s2, &a->c2);
    cuzk_fp2_sqr(&s2, &s2);
    cuzk_fp2_mul(&s3, &a->c1, &a->c2);
    cuzk_fp2_dbl(&s3, &s3);
    cuzk_fp2_sqr(&s4, &a->c2);
    cuzk_fp2_add(&s2, &s2, &s1);
    cuzk_fp2_add(&s2, &s2, &s3);
    cuzk_fp2_sub(&s2, &s2, &s0);
    cuzk_fp2_sub(&out->c2, &s2, &s4);
    cuzk_fp2_mul_nonresidue(&s3, &s3);
    cuzk_fp2_add(&out->c0, &s0, &s3);
    cuzk_fp2_mul_nonresidue(&s4, &s4);
    cuzk_fp2_add(&out->c1, &s1, &s4);
}

void cuzk_fp6_inv(cuzk_fp6 *out, const cuzk_fp6 *a)
{
    /* The adjugate of multiplication by a, over the norm to Fp2. */
    cuzk_fp2 x, y, z, t, n;
    cuzk_fp2_sqr(&x, &a->c0);
    cuzk_fp2_mul(&t, &a->c1, &a->c2);
    cuzk_fp2_mul_nonresidue(&t, &t);
    cuzk_fp2_sub(&x, &x, &t); /* c0^2 - xi c1 c2 */
    cuzk_fp2_sqr(&y, &a->c2);
    cuzk_fp2_mul_nonresidue(&y, &y);
    cuzk_fp2_mul(&t, &a->c0, &a->c1);
    cuzk_fp2_sub(&y, &y, &t); /* xi c2^2 - c0 c1 */
    cuzk_fp2_sqr(&z, &a->c1);
    cuzk_fp2_mul(&t, &a->c0, &a->c2);
    cuzk_fp2_sub(&z, &z, &t); /* c1^2 - c0 c2 */
    cuzk_fp2_mul(&n, &a->c2, &y);
    cuzk_fp2_mul(&t, &a->c1, &z);
    cuzk_fp2_add(&n, &n, &t);
    cuzk_fp2_mul_nonresidue(&n, &n);
    cuzk_fp2_mul(&t, &a->c0, &x);
    cuzk_fp2_add(&n, &n, &t);
    cuzk_fp2_inv(&n, &n);
    cuzk_fp2_mul(&out->c0, &x, &n);
    cuzk_fp2_mul(&out->c1, &y, &n);
    cuzk_fp2_mul(&out->c2, &z, &n);
}
