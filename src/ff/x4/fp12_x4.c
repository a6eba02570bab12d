/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "ff/x4/fp12_x4.h"

#include <string.h>

typedef struct fp6_x4 {
    cuzk_fp2_x4 c[3];
} fp6_x4;

void cuzk_fp12_x4_set_one(cuzk_fp12_x4 *out)
{
    memset(out, 0, sizeof(*out));
    out->w[0].c0 = cuzk_fp_x4_one;
}

void cuzk_fp12_x4_store(cuzk_fp12 *out, const cuzk_fp12_x4 *in)
{
    cuzk_fp2 *at[6] = {&out->c0.c0, &out->c1.c0, &out->c0.c1,
                       &out->c1.c1, &out->c0.c2, &out->c1.c2};
    for (size_t k = 0; k < 6; k++) {
        cuzk_fp2_x4_store(at[k], sizeof(*out), &in->w[k]);
    }
}

/* out = a + (1 + i) b with A(a) + 3. b normal. */
static void add_xi(cuzk_fp2_x4 *out, const cuzk_fp2_x4 *a, const cuzk_fp2_x4 *b)
{
    cuzk_fp_x4 d, s;
    cuzk_fp_x4_sub(&d, &b->c0, &b->c1);
    cuzk_fp_x4_add(&s, &b->c0, &b->c1);
    cuzk_fp_x4_add(&out->c0, &a->c0, &d);
    cuzk_fp_x4_add(&out->c1, &a->c1, &s);
}

/* out = (a0 + a1)(b0 + b1) - p0 - p1, A = 5, below 6 q. p0, p1 normal. */
static void cross(cuzk_fp2_x4 *out, const cuzk_fp2_x4 *a0, const cuzk_fp2_x4 *a1,
                  const cuzk_fp2_x4 *b0, const cuzk_fp2_x4 *b1, const cuzk_fp2_x4 *p0,
                  const cuzk_fp2_x4 *p1)
{
    cuzk_fp2_x4 s, t;
    cuzk_fp2_x4_add(&s, a0, a1);
    cuzk_fp2_x4_add(&t, b0, b1);
    cuzk_fp2_x4_carry(&t, &t);
    cuzk_fp2_x4_mul(&s, &s, &t);
    cuzk_fp2_x4_sub(&s, &s, p0);
    cuzk_fp2_x4_sub(out, &s, p1);
}

/* out below 24 q, A = 1. a and b below 5 q, A = 1. */
static __attribute__((noinline)) void fp6_mul(fp6_x4 *out, const fp6_x4 *a, const fp6_x4 *b)
{
    cuzk_fp2_x4 p0, p1, p2, x, y, z;
    cuzk_fp_x4 minus;
    cuzk_fp2_x4_mul(&p0, &a->c[0], &b->c[0]);
    cuzk_fp2_x4_mul(&p1, &a->c[1], &b->c[1]);
    cuzk_fp2_x4_mul(&p2, &a->c[2], &b->c[2]);
    cross(&x, &a->c[1], &a->c[2], &b->c[1], &b->c[2], &p1, &p2); /* v^3 term */
    cross(&y, &a->c[0], &a->c[1], &b->c[0], &b->c[1], &p0, &p1); /* v */
    cross(&z, &a->c[0], &a->c[2], &b->c[0], &b->c[2], &p0, &p2); /* v^2, less p1 */
    cuzk_fp2_x4_carry(&x, &x);
    cuzk_fp_x4_neg16(&minus, &x.c1);
    cuzk_fp_x4_add(&p0.c0, &p0.c0, &x.c0);
    cuzk_fp_x4_add(&p0.c0, &p0.c0, &minus);
    cuzk_fp_x4_add(&p0.c1, &p0.c1, &x.c0);
    cuzk_fp_x4_add(&p0.c1, &p0.c1, &x.c1);
    cuzk_fp2_x4_carry(&out->c[0], &p0);
    add_xi(&y, &y, &p2);
    cuzk_fp2_x4_carry(&out->c[1], &y);
    cuzk_fp2_x4_add(&z, &z, &p1);
    cuzk_fp2_x4_carry(&out->c[2], &z);
}

static void reduce(cuzk_fp2_x4 *out, const cuzk_fp2_x4 *a)
{
    cuzk_fp_x4_reduce(&out->c0, &a->c0);
    cuzk_fp_x4_reduce(&out->c1, &a->c1);
}

void cuzk_fp12_x4_sqr(cuzk_fp12_x4 *out, const cuzk_fp12_x4 *a)
{
    fp6_x4 even, odd, p, s, t; /* (even + odd)(even + v odd) - p - v p, and 2 p, p = even odd */
    for (size_t k = 0; k < 3; k++) {
        reduce(&even.c[k], &a->w[2 * k]);
        reduce(&odd.c[k], &a->w[2 * k + 1]);
    }
    fp6_mul(&p, &even, &odd);
    for (size_t k = 0; k < 3; k++) {
        reduce(&p.c[k], &p.c[k]);
        cuzk_fp2_x4_add(&s.c[k], &even.c[k], &odd.c[k]);
        cuzk_fp2_x4_carry(&s.c[k], &s.c[k]);
    }
    add_xi(&t.c[0], &even.c[0], &odd.c[2]);
    cuzk_fp2_x4_add(&t.c[1], &even.c[1], &odd.c[0]);
    cuzk_fp2_x4_add(&t.c[2], &even.c[2], &odd.c[1]);
    for (size_t k = 0; k < 3; k++) {
        cuzk_fp2_x4_carry(&t.c[k], &t.c[k]);
    }
    fp6_mul(&s, &s, &t);
    for (size_t k = 0; k < 3; k++) {
        cuzk_fp2_x4_sub(&s.c[k], &s.c[k], &p.c[k]);
    }
    /* - (1 + i) p2 = (p2.c1 - p2.c0) - (p2.c0 + p2.c1) i */
    cuzk_fp_x4_sub(&s.c[0].c0, &s.c[0].c0, &p.c[2].c0);
    cuzk_fp_x4_add(&s.c[0].c0, &s.c[0].c0, &p.c[2].c1);
    cuzk_fp_x4_sub(&s.c[0].c1, &s.c[0].c1, &p.c[2].c0);
    cuzk_fp_x4_sub(&s.c[0].c1, &s.c[0].c1, &p.c[2].c1);
    cuzk_fp2_x4_sub(&s.c[1], &s.c[1], &p.c[0]);
    cuzk_fp2_x4_sub(&s.c[2], &s.c[2], &p.c[1]);
    for (size_t k = 0; k < 3; k++) {
        cuzk_fp2_x4_carry(&out->w[2 * k], &s.c[k]);
        cuzk_fp2_x4_add(&p.c[k], &p.c[k], &p.c[k]);
        cuzk_fp2_x4_carry(&out->w[2 * k + 1], &p.c[k]);
    }
}

void cuzk_fp12_x4_load(cuzk_fp12_x4 *out, const cuzk_fp12 *in)
{
    const cuzk_fp2 *at[6] = {&in->c0.c0, &in->c1.c0, &in->c0.c1,
                             &in->c1.c1, &in->c0.c2, &in->c1.c2};
    for (size_t k = 0; k < 6; k++) {
        cuzk_fp2_x4_load(&out->w[k], at[k], sizeof(*in));
    }
}

/* The even powers of w, the odd ones, or their sums, below 3 q. */
typedef enum part { EVEN, ODD, SUM } part;

static void take_part(fp6_x4 *out, const cuzk_fp12_x4 *a, part which)
{
    for (size_t k = 0; k < 3; k++) {
        if (which != SUM) {
            out->c[k] = a->w[2 * k + (which == ODD ? 1 : 0)];
            continue;
        }
        cuzk_fp2_x4_add(&out->c[k], &a->w[2 * k], &a->w[2 * k + 1]);
        cuzk_fp2_x4_carry(&out->c[k], &out->c[k]);
    }
}

static __attribute__((noinline)) void mul_parts(fp6_x4 *out, const cuzk_fp12_x4 *a,
                                                const cuzk_fp12_x4 *b, part which)
{
    fp6_x4 x, y;
    take_part(&x, a, which);
    take_part(&y, b, which);
    fp6_mul(out, &x, &y);
}

void cuzk_fp12_x4_mul(cuzk_fp12_x4 *out, const cuzk_fp12_x4 *a, const cuzk_fp12_x4 *b)
{
    fp6_x4 p, q, s; /* (e0 + w o0)(e1 + w o1), w^2 = v */
    mul_parts(&p, a, b, EVEN);
    mul_parts(&q, a, b, ODD);
    mul_parts(&s, a, b, SUM);
    for (size_t k = 0; k < 3; k++) {
        reduce(&p.c[k], &p.c[k]);
        reduce(&q.c[k], &q.c[k]);
        cuzk_fp2_x4_sub(&s.c[k], &s.c[k], &p.c[k]);
        cuzk_fp2_x4_sub(&s.c[k], &s.c[k], &q.c[k]);
        reduce(&out->w[2 * k + 1], &s.c[k]);
    }
    add_xi(&p.c[0], &p.c[0], &q.c[2]);
    cuzk_fp2_x4_add(&p.c[1], &p.c[1], &q.c[0]);
    cuzk_fp2_x4_add(&p.c[2], &p.c[2], &q.c[1]);
    for (size_t k = 0; k < 3; k++) {
        reduce(&out->w[2 * k], &p.c[k]);
    }
}

/* c0 + c1 y = (a + b y)^2, y^2 = 1 + i. c0: A = 4, below 6.5 q; c1: A = 5, below 5.5 q. a and b normal. */
static void fp4_sqr(cuzk_fp2_x4 *c0, cuzk_fp2_x4 *c1, const cuzk_fp2_x4 *a, const cuzk_fp2_x4 *b)
{
    cuzk_fp2_x4 aa, bb, t;
    cuzk_fp2_x4_sqr_sub(&aa, a, NULL);
    cuzk_fp2_x4_sqr_sub(&bb, b, NULL);
    cuzk_fp2_x4_add(&t, a, b);
    reduce(&t, &t);
    cuzk_fp2_x4_sqr_sub(&t, &t, NULL);
    cuzk_fp2_x4_sub(&t, &t, &aa);
    cuzk_fp2_x4_sub(c1, &t, &bb);
    add_xi(c0, &aa, &bb);
}

/* out = 3 x + 2 y, or 3 x - 2 y. y normal. */
static void three_two(cuzk_fp2_x4 *out, const cuzk_fp2_x4 *x, const cuzk_fp2_x4 *y, bool minus)
{
    cuzk_fp2_x4 t, s;
    cuzk_fp2_x4_add(&t, x, x);
    cuzk_fp2_x4_add(&t, &t, x);
    if (minus) {
        cuzk_fp2_x4_neg(&s, y);
        cuzk_fp2_x4_add(&s, &s, &s);
    } else {
        cuzk_fp2_x4_add(&s, y, y);
    }
    cuzk_fp2_x4_add(&t, &t, &s);
    reduce(out, &t);
}

void cuzk_fp12_x4_cyclotomic_sqr(cuzk_fp12_x4 *out, const cuzk_fp12_x4 *a)
{
    static const cuzk_fp2_x4 zero;
    const cuzk_fp2_x4 *w = a->w;
    cuzk_fp2_x4 x0, x1, y0, y1, z0, z1, t;
    fp4_sqr(&x0, &x1, &w[0], &w[3]);
    fp4_sqr(&y0, &y1, &w[1], &w[4]);
    fp4_sqr(&z0, &z1, &w[2], &w[5]);
    reduce(&z1, &z1);
    add_xi(&t, &zero, &z1);
    three_two(&out->w[0], &x0, &w[0], true);
    three_two(&out->w[3], &x1, &w[3], false);
    three_two(&out->w[2], &y0, &w[2], true);
    three_two(&out->w[5], &y1, &w[5], false);
    three_two(&out->w[1], &t, &w[1], false);
    three_two(&out->w[4], &z0, &w[4], true);
}

void cuzk_fp12_x4_conj(cuzk_fp12_x4 *out, const cuzk_fp12_x4 *a)
{
    for (size_t k = 0; k < 6; k++) {
        if (k % 2 == 0) {
            out->w[k] = a->w[k];
        } else {
            cuzk_fp2_x4_neg(&out->w[k], &a->w[k]);
            reduce(&out->w[k], &out->w[k]);
        }
    }
}

/* x = 2 h and over = 2 h / (1 + i) = h (1 - i). h below 1.1 q, A = 1. */
static void set_factors(cuzk_fp2_x4_factor *x, cuzk_fp2_x4_factor *over, const cuzk_fp2_x4 *h)
{
    cuzk_fp2_x4_add(&x->v, h, h);
    cuzk_fp_x4_add(&over->v.c0, &h->c0, &h->c1);
    cuzk_fp_x4_sub(&over->v.c1, &h->c1, &h->c0);
    cuzk_fp2_x4_set_parts(&x->parts, &x->v);
    cuzk_fp2_x4_set_parts(&over->parts, &over->v);
}

/* Coefficient k of f line is f_k + f_i x + f_j y. */
static const struct {
    uint8_t i, j;
    bool x_over, y_over; /* divided by 1 + i */
} recipe[6] = {{3, 1, false, false}, {4, 2, false, false}, {5, 3, false, false},
               {0, 4, true, false},  {1, 5, true, false},  {2, 0, true, true}};

void cuzk_fp12_x4_product_init(cuzk_fp12_x4_product *p)
{
    p->at = 0;
    for (size_t at = 0; at < 2; at++) {
        for (size_t k = 0; k < 6; k++) {
            const size_t i = recipe[k].i, j = recipe[k].j;
            const cuzk_fp2_x4_factor *x = recipe[k].x_over ? &p->line.a_over : &p->line.a;
            const cuzk_fp2_x4_factor *y = recipe[k].y_over ? &p->line.b_over : &p->line.b;
            cuzk_fp_x4_factors fx[3], fy[3];
            cuzk_fp2_x4_set_factors(fx, &p->f[at].w[i], &p->parts[i], &x->v, &x->parts);
            cuzk_fp2_x4_set_factors(fy, &p->f[at].w[j], &p->parts[j], &y->v, &y->parts);
            for (size_t n = 0; n < 3; n++) {
                p->term[at][k][n][0] = fx[n];
                p->term[at][k][n][1] = fy[n];
            }
        }
    }
}

void cuzk_fp12_x4_mul_line(cuzk_fp12_x4_product *p, const cuzk_fp2_x4 *half_a,
                           const cuzk_fp2_x4 *half_b)
{
    const cuzk_fp12_x4 *f = &p->f[p->at];
    cuzk_fp12_x4 *out = &p->f[1 - p->at];
    set_factors(&p->line.a, &p->line.a_over, half_a);
    set_factors(&p->line.b, &p->line.b_over, half_b);
    for (size_t k = 0; k < 6; k++) {
        cuzk_fp2_x4_set_parts(&p->parts[k], &f->w[k]);
    }
    for (size_t k = 0; k < 6; k++) {
        cuzk_fp_x4_wide sum[3];
        for (size_t n = 0; n < 3; n++) {
            cuzk_fp_x4_wide2_avx2(&sum[n], p->term[p->at][k][n]);
        }
        cuzk_fp_x4_redc_real_avx2(&out->w[k].c0, &sum[0], &sum[1], &cuzk_fp_x4_wide900,
                                  &f->w[k].c0);
        cuzk_fp_x4_redc_cross_avx2(&out->w[k].c1, &sum[2], &sum[0], &sum[1], &f->w[k].c1);
    }
    p->at = 1 - p->at;
}
