/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_FF_X4_FP12_X4_H
#define CUZK_FF_X4_FP12_X4_H

/*
 * Four elements of Fp12 side by side, as polynomials in w of degree 5 over Fp2, w^6 = 1 + i: the even
 * powers are c0 of cuzk_fp12, the odd ones c1. Bounds as in ff/x4/fp_x4.h, for all coefficients.
 */
#include "ff/tower/fp12.h"
#include "ff/x4/fp_x4_wide.h"

typedef struct cuzk_fp12_x4 {
    cuzk_fp2_x4 w[6];
} cuzk_fp12_x4;

void cuzk_fp12_x4_set_one(cuzk_fp12_x4 *out);
/** out [4], reduced. in: value up to 2200 q, A <= 16. */
void cuzk_fp12_x4_store(cuzk_fp12 *out, const cuzk_fp12_x4 *in);
/** Elements in[0..3] of the usual form. All coefficients normal. */
void cuzk_fp12_x4_load(cuzk_fp12_x4 *out, const cuzk_fp12 *in);
/** out = a b, normal. a and b normal. In place allowed. */
void cuzk_fp12_x4_mul(cuzk_fp12_x4 *out, const cuzk_fp12_x4 *a, const cuzk_fp12_x4 *b);
/** out = a^2, normal, for a in the cyclotomic subgroup (ff/tower/fp12.h). a normal. In place allowed. */
void cuzk_fp12_x4_cyclotomic_sqr(cuzk_fp12_x4 *out, const cuzk_fp12_x4 *a);
/** The conjugate, normal. a normal. In place allowed. */
void cuzk_fp12_x4_conj(cuzk_fp12_x4 *out, const cuzk_fp12_x4 *a);
/** out = a^2, below 30 q, A = 1. a: value up to 2200 q, A <= 16. In place allowed. */
void cuzk_fp12_x4_sqr(cuzk_fp12_x4 *out, const cuzk_fp12_x4 *a);

/** An element of Fp2 as a factor. */
typedef struct cuzk_fp2_x4_factor {
    cuzk_fp2_x4 v;
    cuzk_fp2_x4_parts parts;
} cuzk_fp2_x4_factor;

/** The line 1 + b / (1 + i) w^5 + a / (1 + i) w^3, all of A <= 3 and below 3.1 q, the first coefficients below 2.2 q. */
typedef struct cuzk_fp12_x4_line {
    cuzk_fp2_x4_factor a, a_over, b, b_over;
} cuzk_fp12_x4_line;

/** A product of lines. Holds pointers into itself: not to be copied. */
typedef struct cuzk_fp12_x4_product {
    cuzk_fp12_x4 f[2]; /* f[at] is the product so far, A = 1 */
    size_t at;
    cuzk_fp2_x4_parts parts[6]; /* of f[at] */
    cuzk_fp12_x4_line line;
    cuzk_fp_x4_factors term[2][6][3][2]; /* by at, coefficient, product of Fp2, and which of two */
} cuzk_fp12_x4_product;

/** at = 0; f[0] is for the caller to set. */
void cuzk_fp12_x4_product_init(cuzk_fp12_x4_product *p);
/**
 * Times the line 1 + b / (1 + i) w^5 + a / (1 + i) w^3 of a = 2 half_a and b = 2 half_b, both halves below 1.1 q and
 * A = 1. The bound of a coefficient goes from F q, F < 145, to (F + 1.37 + F / 540) q for the first half of an element
 * of Fp2, and (F + 1 + F / 235) q for the second: after a squaring and up to 64 lines it is below 140 q.
 */
void cuzk_fp12_x4_mul_line(cuzk_fp12_x4_product *p, const cuzk_fp2_x4 *half_a,
                           const cuzk_fp2_x4 *half_b);

#endif /* CUZK_FF_X4_FP12_X4_H */
