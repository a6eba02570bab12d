/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_FF_X4_FP2_X4_H
#define CUZK_FF_X4_FP2_X4_H

/* Four elements of Fp2 side by side. Bounds as in ff/x4/fp_x4.h, for both coefficients. */
#include "ff/tower/fp2.h"
#include "ff/x4/fp_x4.h"

typedef struct cuzk_fp2_x4 {
    cuzk_fp_x4 c0, c1;
} cuzk_fp2_x4;

/** Elements in[0], in[stride], ... of the usual form, stride in bytes. Normal. */
void cuzk_fp2_x4_load(cuzk_fp2_x4 *out, const cuzk_fp2 *in, size_t stride);
/** The reverse, reduced. */
void cuzk_fp2_x4_store(cuzk_fp2 *out, size_t stride, const cuzk_fp2_x4 *in);
/**
 * a[i] = a[i]^-1 in place, normal, with one inversion; no element may be 0. n >= 1.
 * a: value below 35 q, A <= 4; a[0]: A = 1, below 15 q. scratch [n], disjoint from a.
 */
void cuzk_fp2_x4_batch_inv(cuzk_fp2_x4 *a, cuzk_fp2_x4 *scratch, size_t n);

static inline void cuzk_fp2_x4_add(cuzk_fp2_x4 *out, const cuzk_fp2_x4 *a, const cuzk_fp2_x4 *b)
{
    cuzk_fp_x4_add(&out->c0, &a->c0, &b->c0);
    cuzk_fp_x4_add(&out->c1, &a->c1, &b->c1);
}

/** out = a + 2 q - b. b normal. */
static inline void cuzk_fp2_x4_sub(cuzk_fp2_x4 *out, const cuzk_fp2_x4 *a, const cuzk_fp2_x4 *b)
{
    cuzk_fp_x4_sub(&out->c0, &a->c0, &b->c0);
    cuzk_fp_x4_sub(&out->c1, &a->c1, &b->c1);
}

static inline void cuzk_fp2_x4_carry(cuzk_fp2_x4 *out, const cuzk_fp2_x4 *a)
{
    cuzk_fp_x4_carry(&out->c0, &a->c0);
    cuzk_fp_x4_carry(&out->c1, &a->c1);
}

/** out = a b, normal. a: value below 35 q, A <= 4; b: value below 15 q, A = 1. */
void cuzk_fp2_x4_mul(cuzk_fp2_x4 *out, const cuzk_fp2_x4 *a, const cuzk_fp2_x4 *b);
/** out = a b - d, normal. a and b as in a product; d: A <= 4, value below 15 q. */
void cuzk_fp2_x4_mul_sub(cuzk_fp2_x4 *out, const cuzk_fp2_x4 *a, const cuzk_fp2_x4 *b,
                         const cuzk_fp2_x4 *d);
/** out = a b + c d, normal. a, c: value below 15 q, A(a) + A(c) <= 5; b, d: value below 15 q, A = 1. */
void cuzk_fp2_x4_mul_add(cuzk_fp2_x4 *out, const cuzk_fp2_x4 *a, const cuzk_fp2_x4 *b,
                         const cuzk_fp2_x4 *c, const cuzk_fp2_x4 *d);

/** out = 2 q - a, A = 2. a normal. */
static inline void cuzk_fp2_x4_neg(cuzk_fp2_x4 *out, const cuzk_fp2_x4 *a)
{
    cuzk_fp_x4_neg(&out->c0, &a->c0);
    cuzk_fp_x4_neg(&out->c1, &a->c1);
}

/** out = a^2 - d, normal. a normal; d: A <= 4, value below 15 q, or NULL for 0. */
void cuzk_fp2_x4_sqr_sub(cuzk_fp2_x4 *out, const cuzk_fp2_x4 *a, const cuzk_fp2_x4 *d);

#endif /* CUZK_FF_X4_FP2_X4_H */
