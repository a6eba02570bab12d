/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The fold of ec/x4/fold_x4.h for either group. Included by fold_g1.c and fold_g2.c with
 *   EC_F, EC_FF(verb)     coordinate field of one point: type and function names
 *   EC_V, EC_VF(verb)     the same for four
 *   EC_AFF, EC_JAC, EC_FN(verb)   points and their functions, of one
 *   EC_DIGITS             digits of a scalar on the endomorphisms: 2 or 4
 *   EC_W                  window of the digits
 *   EC_Y                  how many of the endomorphisms' images have a y of their own: 1 or 2
 *   split_scalar          static function: the digits of a scalar < r, in 256 bits
 *   endomorphisms         static function: table->x[1..][i] and, for EC_Y = 2, table->y[1][i]
 * Digit d of image k stands for d times the point (x[k], y[k % EC_Y]), with y negated for k >= EC_DIGITS / 2.
 *
 * Equal or opposite points under an addition, which the formulas do not cover, give Z = 0 to the
 * end: such lanes, and those with a point at infinity, are done again, one at a time.
 */
#include <string.h>

enum {
    LANES = 4,
    ODD = 1 << (EC_W - 2),
    VECTORS = CUZK_EC_FOLD_BATCH / LANES,
    DIGIT_BITS = 256 / EC_DIGITS,
    STEPS = (DIGIT_BITS + 1) * EC_DIGITS
};

/* Odd multiples of four points and of their images. */
struct table {
    EC_V x[EC_DIGITS][ODD], y[EC_Y][ODD];
};
typedef struct table table;

typedef struct jac {
    EC_V x, y, z;
} jac;

typedef struct space {
    table t[VECTORS];
    jac p[VECTORS];
    EC_V x2[VECTORS], y2[VECTORS], den[VECTORS], scratch[VECTORS];
    EC_F z[CUZK_EC_FOLD_BATCH], z_scratch[CUZK_EC_FOLD_BATCH];
    EC_AFF got[CUZK_EC_FOLD_BATCH];
} space;

_Static_assert(sizeof(space) <= CUZK_EC_FOLD_BYTES, "scratch");

/* The constant c in all lanes. */
static void set_all(EC_V *out, const EC_F *c)
{
    const EC_F four[LANES] = {*c, *c, *c, *c};
    EC_VF(load)(out, four, sizeof(*four));
}

static void four_times(EC_V *out, const EC_V *a)
{
    EC_VF(add)(out, a, a);
    EC_VF(add)(out, out, out);
}

/* x3, y3 of the line of this slope through (x, y), whose other point has the abscissa other. */
static void third_point(EC_V *x3, EC_V *y3, const EC_V *slope, const EC_V *x, const EC_V *y,
                        const EC_V *other)
{
    EC_V sum, d;
    EC_VF(add)(&sum, x, other);
    EC_VF(sqr_sub)(&sum, slope, &sum);
    EC_VF(sub)(&d, x, &sum);
    EC_VF(mul_sub)(y3, &d, slope, y);
    *x3 = sum;
}

/* From the points at index 0, all odd multiples. Points of order r have no equal abscissae among these. */
static void odd_multiples(space *s, size_t n)
{
    table *t = s->t;
    EC_V *x2 = s->x2, *y2 = s->y2, *den = s->den;
    for (size_t v = 0; v < n; v++) {
        EC_VF(add)(&den[v], &t[v].y[0][0], &t[v].y[0][0]);
        EC_VF(carry)(&den[v], &den[v]);
    }
    EC_VF(batch_inv)(den, s->scratch, n);
    for (size_t v = 0; v < n; v++) {
        const EC_V *x = &t[v].x[0][0];
        EC_V xx, slope;
        EC_VF(sqr_sub)(&xx, x, NULL);
        EC_VF(add)(&slope, &xx, &xx);
        EC_VF(add)(&slope, &slope, &xx);
        EC_VF(mul)(&slope, &slope, &den[v]);
        third_point(&x2[v], &y2[v], &slope, x, &t[v].y[0][0], x);
    }
    for (size_t i = 1; i < ODD; i++) {
        for (size_t v = 0; v < n; v++) {
            EC_VF(sub)(&den[v], &t[v].x[0][i - 1], &x2[v]);
            EC_VF(carry)(&den[v], &den[v]);
        }
        EC_VF(batch_inv)(den, s->scratch, n);
        for (size_t v = 0; v < n; v++) {
            EC_V slope;
            EC_VF(sub)(&slope, &t[v].y[0][i - 1], &y2[v]);
            EC_VF(mul)(&slope, &slope, &den[v]);
            third_point(&t[v].x[0][i], &t[v].y[0][i], &slope, &x2[v], &y2[v], &t[v].x[0][i - 1]);
        }
    }
}

/* All coordinates stay normal. */
static __attribute__((noinline)) void jac_dbl(jac *p)
{
    EC_V a, b, d, e, e1, b4, b8, minus_b, t; /* dbl-2009-l of ec/ec_jac_tmpl.h */
    EC_VF(sqr_sub)(&a, &p->x, NULL);
    EC_VF(sqr_sub)(&b, &p->y, NULL);
    EC_VF(add)(&e, &a, &a);
    EC_VF(add)(&e, &e, &a); /* 3 X^2 */
    EC_VF(carry)(&e1, &e);
    four_times(&b4, &b);
    EC_VF(add)(&b8, &b4, &b4);
    EC_VF(carry)(&b4, &b4);
    EC_VF(carry)(&b8, &b8);
    EC_VF(mul)(&d, &p->x, &b4); /* 4 X Y^2 */
    EC_VF(add)(&t, &p->y, &p->y);
    EC_VF(mul)(&p->z, &t, &p->z);
    EC_VF(add)(&t, &d, &d);
    EC_VF(mul_sub)(&p->x, &e, &e1, &t);
    EC_VF(sub)(&t, &d, &p->x);
    EC_VF(neg)(&minus_b, &b);
    EC_VF(mul_add)(&p->y, &t, &e1, &minus_b, &b8); /* 3 X^2 (d - X') - 8 Y^4 */
}

/* p += (x, y). x normal, y: A <= 2. */
static __attribute__((noinline)) void jac_add(jac *p, const EC_V *x, const EC_V *y)
{
    EC_V zz, h, r, hh, hhh, u, t;
    EC_VF(sqr_sub)(&zz, &p->z, NULL);
    EC_VF(mul_sub)(&h, x, &zz, &p->x);
    EC_VF(mul)(&r, y, &p->z);
    EC_VF(mul_sub)(&r, &r, &zz, &p->y);
    EC_VF(sqr_sub)(&hh, &h, NULL);
    EC_VF(mul)(&hhh, &hh, &h);
    EC_VF(mul)(&u, &p->x, &hh);
    EC_VF(mul)(&p->z, &p->z, &h);
    EC_VF(add)(&t, &u, &u);
    EC_VF(add)(&t, &t, &hhh);
    EC_VF(sqr_sub)(&p->x, &r, &t);
    EC_VF(sub)(&t, &u, &p->x);
    EC_VF(neg)(&u, &p->y);
    EC_VF(mul_add)(&p->y, &t, &r, &u, &hhh);
}

static void jac_from_table(jac *p, const table *t, size_t image, int digit)
{
    const size_t i = (size_t)(digit < 0 ? -digit : digit) / 2;
    p->x = t->x[image][i];
    p->y = t->y[image % EC_Y][i];
    if ((digit < 0) != (image >= EC_DIGITS / 2)) {
        EC_VF(neg)(&p->y, &p->y);
    }
}

/* The digits of k, from the last step to the first: doublings before it, image, digit. */
typedef struct plan {
    struct step {
        uint8_t doublings, image;
        int8_t digit;
    } step[STEPS];
    size_t n;
    unsigned last_doublings;
} plan;

static void make_plan(plan *out, const cuzk_scalar *k)
{
    int8_t digit[EC_DIGITS][CUZK_EC_WNAF_DIGITS];
    uint64_t d[4];
    unsigned doublings = 0;
    cuzk_ec_reduce(d, k);
    split_scalar(d, d);
    for (size_t j = 0; j < EC_DIGITS; j++) {
        (void)cuzk_ec_wnaf(digit[j], d + j * DIGIT_BITS / 64, DIGIT_BITS, EC_W);
    }
    out->n = 0;
    for (size_t i = DIGIT_BITS + 1; i-- > 0;) {
        doublings += out->n != 0 ? 1 : 0;
        for (size_t j = 0; j < EC_DIGITS; j++) {
            if (digit[j][i] != 0) {
                out->step[out->n++] = (struct step){(uint8_t)doublings, (uint8_t)j, digit[j][i]};
                doublings = 0;
            }
        }
    }
    out->last_doublings = doublings;
}

/* p = k times the points of t. p->z is set by the caller to 1; k is not 0. */
static __attribute__((noinline)) void run_plan(jac *p, const table *t, const plan *k)
{
    jac_from_table(p, t, k->step[0].image, k->step[0].digit);
    EC_VF(mul)(&p->y, &p->y, &p->z); /* normal: a doubling needs it */
    for (size_t i = 1; i < k->n; i++) {
        jac q;
        for (unsigned j = 0; j < k->step[i].doublings; j++) {
            jac_dbl(p);
        }
        jac_from_table(&q, t, k->step[i].image, k->step[i].digit);
        jac_add(p, &q.x, &q.y);
    }
    for (unsigned j = 0; j < k->last_doublings; j++) {
        jac_dbl(p);
    }
}

static void fold_one(EC_AFF *out, const EC_AFF *low, const EC_AFF *high, const cuzk_scalar *k)
{
    EC_JAC t;
    EC_FN(from_affine)(&t, high);
    EC_FN(mul)(&t, &t, k);
    EC_FN(add_affine)(&t, &t, low);
    EC_FN(to_affine)(out, &t);
}

/* Four points from p[at]; the generator's for those beyond n or at infinity. */
static void load_four(EC_V *x, EC_V *y, const EC_AFF *p, size_t at, size_t n, const EC_AFF *other)
{
    EC_AFF four[LANES];
    for (size_t i = 0; i < LANES; i++) {
        four[i] = at + i < n && !EC_FN(affine_is_infinity)(&p[at + i]) ? p[at + i] : *other;
    }
    EC_VF(load)(x, &four[0].x, sizeof(*four));
    EC_VF(load)(y, &four[0].y, sizeof(*four));
}

static __attribute__((noinline)) void finish(EC_AFF *out, const EC_AFF *low, const EC_AFF *high,
                                             const cuzk_scalar *k, space *s, size_t n)
{
    EC_F *z = s->z;
    EC_AFF *got = s->got;
    const jac *p = s->p;
    const size_t vectors = (n + LANES - 1) / LANES;
    for (size_t v = 0; v < vectors; v++) {
        EC_VF(store)(&z[LANES * v], sizeof(*z), &p[v].z);
    }
    EC_FF(batch_inv)(z, s->z_scratch, LANES * vectors);
    for (size_t v = 0; v < vectors; v++) {
        EC_V zi, zi2, t;
        EC_VF(load)(&zi, &z[LANES * v], sizeof(*z));
        EC_VF(sqr_sub)(&zi2, &zi, NULL);
        EC_VF(mul)(&t, &p[v].x, &zi2);
        EC_VF(store)(&got[LANES * v].x, sizeof(*got), &t);
        EC_VF(mul)(&zi, &zi2, &zi);
        EC_VF(mul)(&t, &p[v].y, &zi);
        EC_VF(store)(&got[LANES * v].y, sizeof(*got), &t);
    }
    for (size_t i = 0; i < n; i++) {
        const bool again = EC_FF(is_zero)(&z[i]) || EC_FN(affine_is_infinity)(&low[i]) ||
                           EC_FN(affine_is_infinity)(&high[i]);
        if (again) {
            fold_one(&got[i], &low[i], &high[i], k);
        }
    }
    memcpy(out, got, n * sizeof(*out));
}

static void fold(EC_AFF *out, const EC_AFF *low, const EC_AFF *high, const cuzk_scalar *k, size_t n,
                 const EC_AFF *generator, space *s)
{
    const EC_F one = EC_ONE;
    const size_t vectors = (n + LANES - 1) / LANES;
    plan how;
    make_plan(&how, k);
    if (how.n == 0) { /* k = 0 */
        memmove(out, low, n * sizeof(*out));
        return;
    }
    for (size_t v = 0; v < vectors; v++) {
        load_four(&s->t[v].x[0][0], &s->t[v].y[0][0], high, LANES * v, n, generator);
    }
    odd_multiples(s, vectors);
    for (size_t v = 0; v < vectors; v++) {
        EC_V x, y;
        for (size_t i = 0; i < ODD; i++) {
            endomorphisms(&s->t[v], i);
        }
        set_all(&s->p[v].z, &one);
        run_plan(&s->p[v], &s->t[v], &how);
        load_four(&x, &y, low, LANES * v, n, generator);
        jac_add(&s->p[v], &x, &y);
    }
    finish(out, low, high, k, s, n);
}
