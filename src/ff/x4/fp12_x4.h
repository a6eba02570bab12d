/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_FF_X4_FP12_X4_H
#define CUZK_FF_X4_FP12_X4_H

/*
 * Four elements of Fp12 side by side, as polynomials in w of degree 5 over Fp2, w^6 = 1 + i: the even
 * powers are c0 of cuzk_fp12, the odd ones c1. Bounds as in ff/x4/fp_x4.h, for all coefficients.
 */
#include "ff/tower/fp12.h"
#include "ff/x4/fp2_x4.h"

typedef struct cuzk_fp12_x4 {
    cuzk_fp2_x4 w[6];
} cuzk_fp12_x4;

void cuzk_fp12_x4_set_one(cuzk_fp12_x4 *out);
/** out [4], reduced. in: value up to 2200 q, A <= 16. */
void cuzk_fp12_x4_store(cuzk_fp12 *out, const cuzk_fp12_x4 *in);
/** out = a^2, below 30 q, A = 1. a: value up to 2200 q, A <= 16. In place allowed. */
void cuzk_fp12_x4_sqr(cuzk_fp12_x4 *out, const cuzk_fp12_x4 *a);

/** An element of Fp2 as a factor: with the negative of its second coefficient. */
typedef struct cuzk_fp2_x4_factor {
    cuzk_fp_x4 c0, c1, minus_c1;
} cuzk_fp2_x4_factor;

/** The line 1 + b / (1 + i) w^5 + a / (1 + i) w^3, all of A <= 4 and below 4 q. */
typedef struct cuzk_fp12_x4_line {
    cuzk_fp2_x4_factor a, a_over, b, b_over;
} cuzk_fp12_x4_line;

/** The line of a = 2 half_a and b = 2 half_b, both halves below 1.1 q and A = 1. */
void cuzk_fp12_x4_set_line(cuzk_fp12_x4_line *out, const cuzk_fp2_x4 *half_a,
                           const cuzk_fp2_x4 *half_b);
/**
 * out = f line, A = 1. f: A = 1. The bound of out is that of f, F q, and (1 + 12 F / 2500) q: after a
 * squaring and up to 64 lines it is below 140 q. Not in place.
 */
void cuzk_fp12_x4_mul_line(cuzk_fp12_x4 *out, const cuzk_fp12_x4 *f, const cuzk_fp12_x4_line *line);

#endif /* CUZK_FF_X4_FP12_X4_H */
