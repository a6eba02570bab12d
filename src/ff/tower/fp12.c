/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "ff/tower/fp12.h"

#include <string.h>

#include "ff/gen/tower_const_gen.h"

void cuzk_fp12_set_one(cuzk_fp12 *out)
{
    memset(out, 0, sizeof(*out));
    out->c0.c0.c0 = CUZK_FP_ONE;
}

bool cuzk_fp12_is_one(const cuzk_fp12 *a)
{
    cuzk_fp12 one;
    cuzk_fp12_set_one(&one);
    return cuzk_fp12_eq(a, &one);
}

bool cuzk_fp12_eq(const cuzk_fp12 *a, const cuzk_fp12 *b)
{
    return cuzk_fp6_eq(&a->c0, &b->c0) && cuzk_fp6_eq(&a->c1, &b->c1);
}

void cuzk_fp12_mul(cuzk_fp12 *out, const cuzk_fp12 *a, const cuzk_fp12 *b)
{
    cuzk_fp6 p0, p1, s, t;
    cuzk_fp6_mul(&p0, &a->c0, &b->c0);
    cuzk_fp6_mul(&p1, &a->c1, &b->c1);
    cuzk_fp6_add(&s, &a->c0, &a->c1);
    cuzk_fp6_add(&t, &b->c0, &b->c1);
    cuzk_fp6_mul(&s, &s, &t);
    cuzk_fp6_sub(&s, &s, &p0);
    cuzk_fp6_sub(&out->c1, &s, &p1);
    cuzk_fp6_mul_v(&p1, &p1);
    cuzk_fp6_add(&out->c0, &p0, &p1);
}

void cuzk_fp12_sqr(cuzk_fp12 *out, const cuzk_fp12 *a)
{
    cuzk_fp6 p, s, t; /* (c0 + c1)(c0 + v c1) - p - v p, and 2 p, where p = c0 c1 */
    cuzk_fp6_mul(&p, &a->c0, &a->c1);
    cuzk_fp6_mul_v(&t, &a->c1);
    cuzk_fp6_add(&t, &t, &a->c0);
    cuzk_fp6_add(&s, &a->c0, &a->c1);
    cuzk_fp6_mul(&s, &s, &t);
    cuzk_fp6_mul_v(&t, &p);
    cuzk_fp6_sub(&s, &s, &p);
    cuzk_fp6_sub(&out->c0, &s, &t);
    cuzk_fp6_add(&out->c1, &p, &p);
}

void cuzk_fp12_mul_014(cuzk_fp12 *out, const cuzk_fp12 *a, const cuzk_fp2 *b0, const cuzk_fp2 *b1,
                       const cuzk_fp2 *b4)
{
    cuzk_fp6 p0, p1, s;
    cuzk_fp2 b14;
    cuzk_fp6_mul_01(&p0, &a->c0, b0, b1);
    cuzk_fp6_mul_1(&p1, &a->c1, b4);
    cuzk_fp2_add(&b14, b1, b4);
    cuzk_fp6_add(&s, &a->c0, &a->c1);
    cuzk_fp6_mul_01(&s, &s, b0, &b14);
    cuzk_fp6_sub(&s, &s, &p0);
    cuzk_fp6_sub(&out->c1, &s, &p1);
    cuzk_fp6_mul_v(&p1, &p1);
    cuzk_fp6_add(&out->c0, &p0, &p1);
}

/*
 * out = f (b0 + b1 v) + (xi s0, s1, s2), b01 = b0 + b1. out overlaps none of the others.
 */
static void mul_01_add(cuzk_fp6 *out, const cuzk_fp6 *f, const cuzk_fp2 *b0, const cuzk_fp2 *b1,
                       const cuzk_fp2 *b01, const cuzk_fp2 *s0, const cuzk_fp2 *s1,
                       const cuzk_fp2 *s2)
{
    cuzk_fp2 p0, p1, t, u;
    cuzk_fp2_mul(&p0, &f->c0, b0);
    cuzk_fp2_mul(&p1, &f->c1, b1);
    cuzk_fp2_mul(&t, &f->c2, b1);
    cuzk_fp2_add(&t, &t, s0);
    cuzk_fp2_mul_nonresidue(&u, &t);
    cuzk_fp2_add(&out->c0, &p0, &u);
    cuzk_fp2_add(&t, &f->c0, &f->c1);
    cuzk_fp2_mul(&t, &t, b01);
    cuzk_fp2_sub(&t, &t, &p0);
    cuzk_fp2_sub(&t, &t, &p1);
    cuzk_fp2_add(&out->c1, &t, s1);
    cuzk_fp2_mul(&t, &f->c2, b0);
    cuzk_fp2_add(&t, &t, &p1);
    cuzk_fp2_add(&out->c2, &t, s2);
}

void cuzk_fp12_mul_01one(cuzk_fp12 *out, const cuzk_fp12 *a, const cuzk_fp2 *b0, const cuzk_fp2 *b1)
{
    /* (c0 + c1 w)(b + v w) = c0 b + v^2 c1 + (c1 b + v c0) w with b = b0 + b1 v: the last
     * coefficient costs no multiplication. */
    const cuzk_fp12 t = *a;
    cuzk_fp2 b01, xi_c12;
    cuzk_fp2_add(&b01, b0, b1);
    cuzk_fp2_mul_nonresidue(&xi_c12, &t.c1.c2);
    mul_01_add(&out->c0, &t.c0, b0, b1, &b01, &t.c1.c1, &xi_c12, &t.c1.c0);
    mul_01_add(&out->c1, &t.c1, b0, b1, &b01, &t.c0.c2, &t.c0.c0, &t.c0.c1);
}

void cuzk_fp12_conj(cuzk_fp12 *out, const cuzk_fp12 *a)
{
    out->c0 = a->c0;
    cuzk_fp6_neg(&out->c1, &a->c1);
}

void cuzk_fp12_inv(cuzk_fp12 *out, const cuzk_fp12 *a)
{
    cuzk_fp6 n, t; /* (c0 - c1 w) / (c0^2 - v c1^2) */
    cuzk_fp6_sqr(&n, &a->c0);
    cuzk_fp6_sqr(&t, &a->c1);
    cuzk_fp6_mul_v(&t, &t);
    cuzk_fp6_sub(&n, &n, &t);
    cuzk_fp6_inv(&n, &n);
    cuzk_fp6_mul(&out->c0, &a->c0, &n);
    cuzk_fp6_mul(&t, &a->c1, &n);
    cuzk_fp6_neg(&out->c1, &t);
}

void cuzk_fp12_frobenius(cuzk_fp12 *out, const cuzk_fp12 *a, unsigned k)
{
    /* The coefficient of w^j is conjugated for odd k and takes the factor w^(j (q^k - 1)). */
    static const cuzk_fp2 once[6] = CUZK_TOWER_FROBENIUS1;
    static const cuzk_fp twice[6] = CUZK_TOWER_FROBENIUS2;
    const cuzk_fp2 in[6] = {a->c0.c0, a->c1.c0, a->c0.c1, a->c1.c1, a->c0.c2, a->c1.c2};
    cuzk_fp2 r[6];
    for (size_t j = 0; j < 6; j++) {
        if (k == 1) {
            cuzk_fp2_conj(&r[j], &in[j]);
            cuzk_fp2_mul(&r[j], &r[j], &once[j]);
        } else {
            cuzk_fp2_mul_fp(&r[j], &in[j], &twice[j]);
        }
    }
    out->c0.c0 = r[0];
    out->c1.c0 = r[1];
    out->c0.c1 = r[2];
    out->c1.c1 = r[3];
    out->c0.c2 = r[4];
    out->c1.c2 = r[5];
}

/* (a + b s)^2 in Fp4 = Fp2[s] / (s^2 - (1 + i)). */
static void fp4_sqr(cuzk_fp2 *c0, cuzk_fp2 *c1, const cuzk_fp2 *a, const cuzk_fp2 *b)
{
    cuzk_fp2 aa, bb, t;
    cuzk_fp2_sqr(&aa, a);
    cuzk_fp2_sqr(&bb, b);
    cuzk_fp2_add(&t, a, b);
    cuzk_fp2_sqr(&t, &t);
    cuzk_fp2_sub(&t, &t, &aa);
    cuzk_fp2_sub(c1, &t, &bb);
    cuzk_fp2_mul_nonresidue(&bb, &bb);
    cuzk_fp2_add(c0, &aa, &bb);
}

/* out = 3 t - 2 z (minus) or 3 t + 2 z. */
static void three_two(cuzk_fp2 *out, const cuzk_fp2 *t, const cuzk_fp2 *z, bool minus)
{
    cuzk_fp2 s;
    if (minus) {
        cuzk_fp2_sub(&s, t, z);
    } else {
        cuzk_fp2_add(&s, t, z);
    }
    cuzk_fp2_dbl(&s, &s);
    cuzk_fp2_add(out, &s, t);
}

void cuzk_fp12_cyclotomic_sqr(cuzk_fp12 *out, const cuzk_fp12 *a)
{
    cuzk_fp2 x0, x1, y0, y1, z0, z1;
    fp4_sqr(&x0, &x1, &a->c0.c0, &a->c1.c1);
    fp4_sqr(&y0, &y1, &a->c1.c0, &a->c0.c2);
    fp4_sqr(&z0, &z1, &a->c0.c1, &a->c1.c2);
    three_two(&out->c0.c0, &x0, &a->c0.c0, true);
    three_two(&out->c1.c1, &x1, &a->c1.c1, false);
    three_two(&out->c0.c1, &y0, &a->c0.c1, true);
    three_two(&out->c1.c2, &y1, &a->c1.c2, false);
    cuzk_fp2_mul_nonresidue(&z1, &z1);
    three_two(&out->c1.c0, &z1, &a->c1.c0, false);
    three_two(&out->c0.c2, &z0, &a->c0.c2, true);
}

void cuzk_fp12_cyclotomic_pow(cuzk_fp12 *out, const cuzk_fp12 *a, const uint64_t *e, size_t limbs)
{
    const cuzk_fp12 base = *a;
    cuzk_fp12 acc;
    bool started = false;
    cuzk_fp12_set_one(&acc);
    for (size_t i = 64 * limbs; i-- > 0;) {
        if (started) {
            cuzk_fp12_cyclotomic_sqr(&acc, &acc);
        }
        if ((e[i / 64] >> (i % 64) & 1) == 0) {
            continue;
        }
        if (started) {
            cuzk_fp12_mul(&acc, &acc, &base);
        } else {
            acc = base;
            started = true;
        }
    }
    *out = acc;
}
