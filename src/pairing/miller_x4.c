/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "pairing/miller_x4.h"

#ifdef CUZK_FF_AVX2
#    include "base/assert.h"
#    include "ec/gen/ec_const_gen.h"
#    include "ff/x4/fp12_x4.h"

/*
 * The line through T at P, divided by yP, is a + b w^2 + w^3 with a = (s xT - yT) / yP and
 * b = -s xP / yP (pairing/miller_shared.c). Divided by w^3 as well, which the final exponentiation
 * removes, it is 1 + a / (1 + i) w^3 + b / (1 + i) w^5: products with the coefficient 1 are additions
 * without a factor 1 + i, so that the bound of f grows by addition only.
 *
 * A pair with a point at infinity, or beyond the last, has a = b = 0; its T is the generator, as
 * inversions have to be of something.
 */
enum { LANES = CUZK_MILLER_LANES, VECTORS = CUZK_MILLER_BATCH / LANES };
_Static_assert(LANES == 4, "those of AVX2");

typedef struct space {
    cuzk_fp2_x4 qx[VECTORS], qy[VECTORS], tx[VECTORS], ty[VECTORS];
    cuzk_fp2_x4 den[VECTORS], prefix[VECTORS], slope[VECTORS], rest[VECTORS];
    cuzk_fp_x4 x[CUZK_MILLER_TARGETS][VECTORS]; /* -xP / 2 yP */
    cuzk_fp_x4 y[CUZK_MILLER_TARGETS][VECTORS]; /* 1 / 2 yP */
    cuzk_fp12_x4 f[CUZK_MILLER_TARGETS];
    cuzk_fp12_x4_product product;
} space;

_Static_assert(sizeof(space) <= CUZK_MILLER_X4_BYTES, "scratch");

/* Point i of lane k is element LANES i + k: one vector has point i of all lanes. */
static bool is_there(const cuzk_miller_lane *lane, size_t i)
{
    return i < lane->n && !cuzk_g2_affine_is_infinity(&lane->q[i]);
}

static void load_targets(space *s, cuzk_miller_scratch *scratch, const cuzk_miller_lane lane[LANES],
                         size_t t, size_t vectors)
{
    cuzk_fp *y = scratch->y[t], *x = scratch->x[t];
    for (size_t i = 0; i < vectors * LANES; i++) {
        const cuzk_miller_lane *l = &lane[i % LANES];
        y[i] = x[i] = CUZK_FP_ZERO;
        if (is_there(l, i / LANES)) {
            const cuzk_g1_affine *p = &l->p[t][i / LANES];
            cuzk_fp_add(&y[i], &p->y, &p->y);
            cuzk_fp_neg(&x[i], &p->x);
        }
    }
    cuzk_fp_batch_inv(y, scratch->inv, vectors * LANES); /* 0 stays 0 */
    for (size_t i = 0; i < vectors * LANES; i++) {
        cuzk_fp_mul(&x[i], &x[i], &y[i]);
    }
    for (size_t i = 0; i < vectors; i++) {
        cuzk_fp_x4_load(&s->x[t][i], &x[LANES * i], sizeof(*x));
        cuzk_fp_x4_load(&s->y[t][i], &y[LANES * i], sizeof(*y));
    }
}

static void load_points(space *s, const cuzk_miller_lane lane[LANES], size_t vectors)
{
    for (size_t i = 0; i < vectors; i++) {
        cuzk_g2_affine four[LANES];
        for (size_t k = 0; k < LANES; k++) {
            four[k] = is_there(&lane[k], i) ? lane[k].q[i] : CUZK_G2_GENERATOR;
        }
        cuzk_fp2_x4_load(&s->qx[i], &four[0].x, sizeof(*four));
        cuzk_fp2_x4_load(&s->qy[i], &four[0].y, sizeof(*four));
        s->tx[i] = s->qx[i];
        s->ty[i] = s->qy[i];
    }
}

/* From slopes: the rest of the lines, and the third points. other: x of the other points. */
static void finish_step(space *s, const cuzk_fp2_x4 *other, size_t vectors)
{
    for (size_t i = 0; i < vectors; i++) {
        cuzk_fp2_x4 sum, x3, d;
        cuzk_fp2_x4_mul_sub(&s->rest[i], &s->tx[i], &s->slope[i], &s->ty[i]); /* s xT - yT */
        cuzk_fp2_x4_add(&sum, &s->tx[i], &other[i]);
        cuzk_fp2_x4_sqr_sub(&x3, &s->slope[i], &sum);
        cuzk_fp2_x4_sub(&d, &s->tx[i], &x3);
        cuzk_fp2_x4_mul_sub(&s->ty[i], &d, &s->slope[i], &s->ty[i]);
        s->tx[i] = x3;
    }
}

static void double_all(space *s, size_t vectors)
{
    for (size_t i = 0; i < vectors; i++) {
        cuzk_fp2_x4_add(&s->den[i], &s->ty[i], &s->ty[i]);
    }
    cuzk_fp2_x4_carry(&s->den[0], &s->den[0]);
    cuzk_fp2_x4_batch_inv(s->den, s->prefix, vectors);
    for (size_t i = 0; i < vectors; i++) {
        cuzk_fp2_x4 xx, t;
        cuzk_fp2_x4_sqr_sub(&xx, &s->tx[i], NULL);
        cuzk_fp2_x4_add(&t, &xx, &xx);
        cuzk_fp2_x4_add(&t, &t, &xx);
        cuzk_fp2_x4_mul(&s->slope[i], &t, &s->den[i]);
    }
    finish_step(s, s->tx, vectors);
}

static void add_all(space *s, size_t vectors)
{
    for (size_t i = 0; i < vectors; i++) {
        cuzk_fp2_x4_sub(&s->den[i], &s->tx[i], &s->qx[i]);
    }
    cuzk_fp2_x4_carry(&s->den[0], &s->den[0]);
    cuzk_fp2_x4_batch_inv(s->den, s->prefix, vectors);
    for (size_t i = 0; i < vectors; i++) {
        cuzk_fp2_x4 d;
        cuzk_fp2_x4_sub(&d, &s->ty[i], &s->qy[i]);
        cuzk_fp2_x4_mul(&s->slope[i], &d, &s->den[i]);
    }
    finish_step(s, s->qx, vectors);
}

static void multiply_lines(space *s, size_t t, size_t vectors)
{
    cuzk_fp12_x4_product *p = &s->product;
    p->f[p->at] = s->f[t];
    for (size_t i = 0; i < vectors; i++) {
        cuzk_fp2_x4 a, b;
        cuzk_fp_x4_mul(&a.c0, &s->rest[i].c0, &s->y[t][i]);
        cuzk_fp_x4_mul(&a.c1, &s->rest[i].c1, &s->y[t][i]);
        cuzk_fp_x4_mul(&b.c0, &s->slope[i].c0, &s->x[t][i]);
        cuzk_fp_x4_mul(&b.c1, &s->slope[i].c1, &s->x[t][i]);
        cuzk_fp12_x4_mul_line(p, &a, &b);
    }
    s->f[t] = p->f[p->at];
}

void cuzk_pairing_miller_lanes_avx2(cuzk_fp12 (*out)[CUZK_MILLER_LANES],
                                    const cuzk_miller_lane lane[CUZK_MILLER_LANES],
                                    size_t n_targets, cuzk_miller_scratch *scratch)
{
    space *s = (space *)(void *)scratch->x4;
    size_t vectors = 0;
    for (size_t k = 0; k < LANES; k++) {
        vectors = lane[k].n > vectors ? lane[k].n : vectors;
    }
    CUZK_ASSERT(vectors != 0 && vectors <= VECTORS && n_targets <= CUZK_MILLER_TARGETS);
    load_points(s, lane, vectors);
    cuzk_fp12_x4_product_init(&s->product);
    for (size_t t = 0; t < n_targets; t++) {
        load_targets(s, scratch, lane, t, vectors);
        cuzk_fp12_x4_set_one(&s->f[t]);
    }
    for (int i = 62; i >= 0; i--) {
        double_all(s, vectors);
        for (size_t t = 0; t < n_targets; t++) {
            if (i != 62) {
                cuzk_fp12_x4_sqr(&s->f[t], &s->f[t]);
            }
            multiply_lines(s, t, vectors);
        }
        if ((CUZK_EC_Z_ABS >> i & 1) != 0) {
            add_all(s, vectors);
            for (size_t t = 0; t < n_targets; t++) {
                multiply_lines(s, t, vectors);
            }
        }
    }
    for (size_t t = 0; t < n_targets; t++) {
        cuzk_fp12_x4_store(out[t], &s->f[t]);
        for (size_t k = 0; k < LANES; k++) {
            cuzk_fp12_conj(&out[t][k], &out[t][k]); /* z is negative */
        }
    }
}
#endif
