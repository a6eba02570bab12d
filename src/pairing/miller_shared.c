/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "pairing/miller_shared.h"

#include <string.h>

#include "base/assert.h"
#include "ec/gen/ec_const_gen.h"
#include "pairing/miller_x4.h"

/*
 * The line with slope s through T at P is (s xT - yT) - s xP v + yP v w (pairing/line.h). Divided by
 * yP, its last coefficient is 1. A point at infinity is (0, 0) throughout, on both sides: its slopes,
 * xP / yP and 1 / yP are 0 by the rules of batch inversion. Its lines are then v w = w^3, which the
 * final exponentiation removes: (w^3)^(q^6 - 1) = -1 and q^2 + 1 is even.
 */

/* Below this many points, lanes are not worth their inversions and the way in and out. */
#define MIN_FOR_LANES 4

static void invert_y(cuzk_miller_scratch *s, const cuzk_g1_affine *p, size_t t, size_t n)
{
    cuzk_fp *y = s->y[t];
    for (size_t i = 0; i < n; i++) {
        y[i] = p[i].y;
    }
    cuzk_fp_batch_inv(y, s->inv, n);
    for (size_t i = 0; i < n; i++) {
        cuzk_fp_mul(&s->x[t][i], &p[i].x, &y[i]);
    }
}

/* From slopes: the rest of the lines, and the third points. other NULL: a doubling. */
static void finish_step(cuzk_miller_scratch *s, const cuzk_g2_affine *other, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        cuzk_g2_affine *t = &s->t[i];
        const cuzk_fp2 *l = &s->slope[i];
        cuzk_fp2 x3, y3;
        cuzk_fp2_mul(&s->rest[i], l, &t->x);
        cuzk_fp2_sub(&s->rest[i], &s->rest[i], &t->y); /* s xT - yT */
        cuzk_fp2_sqr(&x3, l);
        cuzk_fp2_sub(&x3, &x3, &t->x);
        cuzk_fp2_sub(&x3, &x3, other != NULL ? &other[i].x : &t->x);
        cuzk_fp2_mul(&y3, l, &x3);
        cuzk_fp2_sub(&t->y, &s->rest[i], &y3); /* s (xT - x3) - yT */
        t->x = x3;
    }
}

/* Slopes of the tangents. 2 yT is not 0: no points of order two. */
static void double_all(cuzk_miller_scratch *s, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        cuzk_fp2_dbl(&s->den[i], &s->t[i].y);
    }
    cuzk_fp2_batch_inv(s->den, s->prefix, n);
    for (size_t i = 0; i < n; i++) {
        cuzk_fp2 xx, t;
        cuzk_fp2_sqr(&xx, &s->t[i].x);
        cuzk_fp2_dbl(&t, &xx);
        cuzk_fp2_add(&t, &t, &xx);
        cuzk_fp2_mul(&s->slope[i], &t, &s->den[i]);
    }
    finish_step(s, NULL, n);
}

/* Slopes of the chords through T and q. T is a multiple k q with 1 < k < r - 1: never q or -q. */
static void add_all(cuzk_miller_scratch *s, const cuzk_g2_affine *q, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        cuzk_fp2_sub(&s->den[i], &s->t[i].x, &q[i].x);
    }
    cuzk_fp2_batch_inv(s->den, s->prefix, n);
    for (size_t i = 0; i < n; i++) {
        cuzk_fp2_sub(&s->slope[i], &s->t[i].y, &q[i].y);
        cuzk_fp2_mul(&s->slope[i], &s->slope[i], &s->den[i]);
    }
    finish_step(s, q, n);
}

static void multiply_lines(cuzk_fp12 *f, const cuzk_miller_scratch *s, size_t t, size_t n)
{
    const cuzk_fp *x = s->x[t], *y = s->y[t];
    for (size_t i = 0; i < n; i++) {
        cuzk_fp2 a, b;
        cuzk_fp2_mul_fp(&a, &s->rest[i], &y[i]);
        cuzk_fp2_mul_fp(&b, &s->slope[i], &x[i]);
        cuzk_fp2_neg(&b, &b);
        cuzk_fp12_mul_01one(f, f, &a, &b);
    }
}

static void plain(cuzk_fp12 *out, const cuzk_g2_affine *q, const cuzk_g1_affine *const *p,
                  size_t n_targets, size_t n, cuzk_miller_scratch *scratch)
{
    for (size_t t = 0; t < n_targets; t++) {
        invert_y(scratch, p[t], t, n);
        cuzk_fp12_set_one(&out[t]);
    }
    if (n != 0) {
        memcpy(scratch->t, q, n * sizeof(*q));
    }
    for (int i = 62; i >= 0; i--) {
        double_all(scratch, n);
        for (size_t t = 0; t < n_targets; t++) {
            if (i != 62) {
                cuzk_fp12_sqr(&out[t], &out[t]);
            }
            multiply_lines(&out[t], scratch, t, n);
        }
        if ((CUZK_EC_Z_ABS >> i & 1) != 0) {
            add_all(scratch, q, n);
            for (size_t t = 0; t < n_targets; t++) {
                multiply_lines(&out[t], scratch, t, n);
            }
        }
    }
    for (size_t t = 0; t < n_targets; t++) {
        cuzk_fp12_conj(&out[t], &out[t]); /* z is negative */
    }
}

size_t cuzk_pairing_miller_lanes_best(void)
{
#ifdef CUZK_FF_AVX2
    return cuzk_cpu_has(CUZK_CPU_AVX2) ? CUZK_MILLER_LANES : 1;
#else
    return 1;
#endif
}

void cuzk_pairing_miller_lanes(cuzk_fp12 (*out)[CUZK_MILLER_LANES],
                               const cuzk_miller_lane lane[CUZK_MILLER_LANES], size_t n_targets,
                               cuzk_miller_scratch *scratch)
{
    cuzk_fp12 one_lane[CUZK_MILLER_TARGETS];
    CUZK_ASSERT(n_targets <= CUZK_MILLER_TARGETS);
#ifdef CUZK_FF_AVX2
    if (cuzk_pairing_miller_lanes_best() > 1 &&
        (lane[0].n | lane[1].n | lane[2].n | lane[3].n) != 0) {
        cuzk_pairing_miller_lanes_avx2(out, lane, n_targets, scratch);
        return;
    }
#endif
    for (size_t k = 0; k < CUZK_MILLER_LANES; k++) {
        CUZK_ASSERT(lane[k].n <= CUZK_MILLER_BATCH);
        if (lane[k].n != 0) {
            plain(one_lane, lane[k].q, lane[k].p, n_targets, lane[k].n, scratch);
        }
        for (size_t t = 0; t < n_targets; t++) {
            if (lane[k].n != 0) {
                out[t][k] = one_lane[t];
            } else {
                cuzk_fp12_set_one(&out[t][k]);
            }
        }
    }
}

/* Four parts of the points in the lanes. */
static void in_parts(cuzk_fp12 *out, const cuzk_g2_affine *q, const cuzk_g1_affine *const *p,
                     size_t n_targets, size_t n, cuzk_miller_scratch *scratch)
{
    cuzk_fp12(*part)[CUZK_MILLER_LANES] = scratch->part;
    cuzk_miller_lane lane[CUZK_MILLER_LANES];
    const size_t each = (n + CUZK_MILLER_LANES - 1) / CUZK_MILLER_LANES;
    for (size_t k = 0; k < CUZK_MILLER_LANES; k++) {
        const size_t at = k * each < n ? k * each : n;
        lane[k] = (cuzk_miller_lane){.q = q + at, .n = n - at < each ? n - at : each};
        for (size_t t = 0; t < n_targets; t++) {
            lane[k].p[t] = p[t] + at;
        }
    }
    cuzk_pairing_miller_lanes(part, lane, n_targets, scratch);
    for (size_t t = 0; t < n_targets; t++) {
        cuzk_fp12_mul(&part[t][0], &part[t][0], &part[t][1]);
        cuzk_fp12_mul(&part[t][2], &part[t][2], &part[t][3]);
        cuzk_fp12_mul(&out[t], &part[t][0], &part[t][2]);
    }
}

void cuzk_pairing_miller_shared(cuzk_fp12 *out, const cuzk_g2_affine *q,
                                const cuzk_g1_affine *const *p, size_t n_targets, size_t n,
                                cuzk_miller_scratch *scratch)
{
    CUZK_ASSERT(n <= CUZK_MILLER_BATCH && n_targets <= CUZK_MILLER_TARGETS);
    if (n >= MIN_FOR_LANES && cuzk_pairing_miller_lanes_best() > 1) {
        in_parts(out, q, p, n_targets, n, scratch);
    } else {
        plain(out, q, p, n_targets, n, scratch);
    }
}
