/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_FF_TOWER_FP6_H
#define CUZK_FF_TOWER_FP6_H

/*
 * Fp6 = Fp2[v] / (v^3 - (1 + i)): c0 + c1 v + c2 v^2. Conventions as in ff/fr.h.
 */
#include "ff/tower/fp2.h"

typedef struct cuzk_fp6 {
    cuzk_fp2 c0, c1, c2;
} cuzk_fp6;

static inline void cuzk_fp6_add(cuzk_fp6 *out, const cuzk_fp6 *a, const cuzk_fp6 *b)
{
    cuzk_fp2_add(&out->c0, &a->c0, &b->c0);
    cuzk_fp2_add(&out->c1, &a->c1, &b->c1);
    cuzk_fp2_add(&out->c2, &a->c2, &b->c2);
}

static inline void cuzk_fp6_sub(cuzk_fp6 *out, const cuzk_fp6 *a, const cuzk_fp6 *b)
{
    cuzk_fp2_sub(&out->c0, &a->c0, &b->c0);
    cuzk_fp2_sub(&out->c1, &a->c1, &b->c1);
    cuzk_fp2_sub(&out->c2, &a->c2, &b->c2);
}

static inline void cuzk_fp6_neg(cuzk_fp6 *out, const cuzk_fp6 *a)
{
    cuzk_fp2_neg(&out->c0, &a->c0);
    cuzk_fp2_neg(&out->c1, &a->c1);
    cuzk_fp2_neg(&out->c2, &a->c2);
}

static inline bool cuzk_fp6_is_zero(const cuzk_fp6 *a)
{
    return cuzk_fp2_is_zero(&a->c0) && cuzk_fp2_is_zero(&a->c1) && cuzk_fp2_is_zero(&a->c2);
}

static inline bool cuzk_fp6_eq(const cuzk_fp6 *a, const cuzk_fp6 *b)
{
    return cuzk_fp2_eq(&a->c0, &b->c0) && cuzk_fp2_eq(&a->c1, &b->c1) &&
           cuzk_fp2_eq(&a->c2, &b->c2);
}

/** out = a * v, the non-residue of the next floor. */
void cuzk_fp6_mul_v(cuzk_fp6 *out, const cuzk_fp6 *a);
void cuzk_fp6_mul(cuzk_fp6 *out, const cuzk_fp6 *a, const cuzk_fp6 *b);
/** out = a * (b0 + b1 v). */
void cuzk_fp6_mul_01(cuzk_fp6 *out, const cuzk_fp6 *a, const cuzk_fp2 *b0, const cuzk_fp2 *b1);
/** out = a * b1 v. */
void cuzk_fp6_mul_1(cuzk_fp6 *out, const cuzk_fp6 *a, const cuzk_fp2 *b1);
void cuzk_fp6_sqr(cuzk_fp6 *out, const cuzk_fp6 *a);
/** out = a^-1; 0 for a = 0. */
void cuzk_fp6_inv(cuzk_fp6 *out, const cuzk_fp6 *a);

#endif /* CUZK_FF_TOWER_FP6_H */
