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
static void fp6_mul(fp6_x4 *out, const fp6_x4 *a, const fp6_x4 *b)
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

/* x = 2 h and over = 2 h / (1 + i) = h (1 - i). h below 1.1 q, A = 1. */
static void set_factors(cuzk_fp2_x4_factor *x, cuzk_fp2_x4_factor *over, const cuzk_fp2_x4 *h)
{
    cuzk_fp_x4 minus;
    cuzk_fp_x4_neg(&minus, &h->c1);
    cuzk_fp_x4_add(&x->c0, &h->c0, &h->c0);
    cuzk_fp_x4_add(&x->c1, &h->c1, &h->c1);
    cuzk_fp_x4_add(&x->minus_c1, &minus, &minus);
    cuzk_fp_x4_add(&over->c0, &h->c0, &h->c1);
    cuzk_fp_x4_sub(&over->c1, &h->c1, &h->c0);
    cuzk_fp_x4_add(&over->minus_c1, &h->c0, &minus);
}

void cuzk_fp12_x4_set_line(cuzk_fp12_x4_line *out, const cuzk_fp2_x4 *half_a,
                           const cuzk_fp2_x4 *half_b)
{
    set_factors(&out->a, &out->a_over, half_a);
    set_factors(&out->b, &out->b_over, half_b);
}

/* out = f + g x + h y */
static void add_two(cuzk_fp2_x4 *out, const cuzk_fp2_x4 *f, const cuzk_fp2_x4 *g,
                    const cuzk_fp2_x4_factor *x, const cuzk_fp2_x4 *h, const cuzk_fp2_x4_factor *y)
{
    const cuzk_fp_x4_term t0[4] = {
        {&g->c0, &x->c0}, {&g->c1, &x->minus_c1}, {&h->c0, &y->c0}, {&h->c1, &y->minus_c1}};
    const cuzk_fp_x4_term t1[4] = {
        {&g->c0, &x->c1}, {&g->c1, &x->c0}, {&h->c0, &y->c1}, {&h->c1, &y->c0}};
    cuzk_fp_x4_dot4_avx2(&out->c0, t0, &f->c0);
    cuzk_fp_x4_dot4_avx2(&out->c1, t1, &f->c1);
}

void cuzk_fp12_x4_mul_line(cuzk_fp12_x4 *out, const cuzk_fp12_x4 *f, const cuzk_fp12_x4_line *line)
{
    const cuzk_fp2_x4 *w = f->w;
    add_two(&out->w[0], &w[0], &w[3], &line->a, &w[1], &line->b);
    add_two(&out->w[1], &w[1], &w[4], &line->a, &w[2], &line->b);
    add_two(&out->w[2], &w[2], &w[5], &line->a, &w[3], &line->b);
    add_two(&out->w[3], &w[3], &w[0], &line->a_over, &w[4], &line->b);
    add_two(&out->w[4], &w[4], &w[1], &line->a_over, &w[5], &line->b);
    add_two(&out->w[5], &w[5], &w[2], &line->a_over, &w[0], &line->b_over);
}
