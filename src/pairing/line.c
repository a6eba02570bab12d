/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "pairing/line.h"

void cuzk_line_dbl(cuzk_line *out, cuzk_line_point *t)
{
    /* Costello, Lange, Naehrig (eprint 2009/615), 3M + 6S; here scaled by 2 so that nothing is
     * halved, which multiplies X, Y and Z by 4. E = 3 b Z^2 with b = 4 (1 + i). */
    cuzk_fp2 a, b, c, e, f, g, h, j;
    cuzk_fp2_mul(&a, &t->x, &t->y);
    cuzk_fp2_sqr(&b, &t->y);
    cuzk_fp2_sqr(&c, &t->z);
    cuzk_fp2_dbl(&e, &c);
    cuzk_fp2_add(&e, &e, &c);
    cuzk_fp2_dbl(&e, &e);
    cuzk_fp2_dbl(&e, &e);
    cuzk_fp2_mul_nonresidue(&e, &e);
    cuzk_fp2_dbl(&f, &e);
    cuzk_fp2_add(&f, &f, &e);
    cuzk_fp2_add(&h, &t->y, &t->z);
    cuzk_fp2_sqr(&h, &h);
    cuzk_fp2_sub(&h, &h, &b);
    cuzk_fp2_sub(&h, &h, &c); /* 2 Y Z */
    cuzk_fp2_sqr(&j, &t->x);
    /* The line times -2 Y Z. */
    cuzk_fp2_sub(&out->a, &e, &b);
    cuzk_fp2_dbl(&out->b, &j);
    cuzk_fp2_add(&out->b, &out->b, &j);
    cuzk_fp2_neg(&out->c, &h);
    /* X' = 2 X Y (B - F), Y' = (B + F)^2 - 12 E^2, Z' = 4 B H */
    cuzk_fp2_sub(&g, &b, &f);
    cuzk_fp2_mul(&a, &a, &g);
    cuzk_fp2_dbl(&t->x, &a);
    cuzk_fp2_add(&g, &b, &f);
    cuzk_fp2_sqr(&g, &g);
    cuzk_fp2_sqr(&e, &e);
    cuzk_fp2_dbl(&f, &e);
    cuzk_fp2_add(&f, &f, &e);
    cuzk_fp2_dbl(&f, &f);
    cuzk_fp2_dbl(&f, &f);
    cuzk_fp2_sub(&t->y, &g, &f);
    cuzk_fp2_mul(&h, &h, &b);
    cuzk_fp2_dbl(&h, &h);
    cuzk_fp2_dbl(&t->z, &h);
}

void cuzk_line_add(cuzk_line *out, cuzk_line_point *t, const cuzk_fp2 *qx, const cuzk_fp2 *qy)
{
    cuzk_fp2 theta, lambda, c, d, e, f, g, h;
    cuzk_fp2_mul(&theta, qy, &t->z);
    cuzk_fp2_sub(&theta, &t->y, &theta);
    cuzk_fp2_mul(&lambda, qx, &t->z);
    cuzk_fp2_sub(&lambda, &t->x, &lambda);
    /* The line times lambda; the slope is theta / lambda. */
    cuzk_fp2_mul(&c, &theta, qx);
    cuzk_fp2_mul(&d, &lambda, qy);
    cuzk_fp2_sub(&out->a, &c, &d);
    cuzk_fp2_neg(&out->b, &theta);
    out->c = lambda;
    cuzk_fp2_sqr(&c, &theta);
    cuzk_fp2_sqr(&d, &lambda);
    cuzk_fp2_mul(&e, &lambda, &d);
    cuzk_fp2_mul(&f, &t->z, &c);
    cuzk_fp2_mul(&g, &t->x, &d);
    cuzk_fp2_add(&h, &e, &f);
    cuzk_fp2_sub(&h, &h, &g);
    cuzk_fp2_sub(&h, &h, &g);
    cuzk_fp2_mul(&t->x, &lambda, &h);
    cuzk_fp2_sub(&g, &g, &h);
    cuzk_fp2_mul(&g, &g, &theta);
    cuzk_fp2_mul(&h, &e, &t->y);
    cuzk_fp2_sub(&t->y, &g, &h);
    cuzk_fp2_mul(&t->z, &t->z, &e);
}
