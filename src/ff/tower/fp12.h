/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_FF_TOWER_FP12_H
#define CUZK_FF_TOWER_FP12_H

/*
 * Fp12 = Fp6[w] / (w^2 - v): c0 + c1 w, so that w^6 = 1 + i. Conventions as in ff/fr.h.
 */
#include "ff/tower/fp6.h"

typedef struct cuzk_fp12 {
    cuzk_fp6 c0, c1;
} cuzk_fp12;

void cuzk_fp12_set_one(cuzk_fp12 *out);
bool cuzk_fp12_is_one(const cuzk_fp12 *a);
bool cuzk_fp12_eq(const cuzk_fp12 *a, const cuzk_fp12 *b);
void cuzk_fp12_mul(cuzk_fp12 *out, const cuzk_fp12 *a, const cuzk_fp12 *b);
void cuzk_fp12_sqr(cuzk_fp12 *out, const cuzk_fp12 *a);
/** out = a * (b0 + b1 v + b4 v w): the shape of a line of the pairing. */
void cuzk_fp12_mul_014(cuzk_fp12 *out, const cuzk_fp12 *a, const cuzk_fp2 *b0, const cuzk_fp2 *b1,
                       const cuzk_fp2 *b4);
/** As above with b4 = 1: a line divided by its last coefficient. */
void cuzk_fp12_mul_01one(cuzk_fp12 *out, const cuzk_fp12 *a, const cuzk_fp2 *b0,
                         const cuzk_fp2 *b1);
/** out = a^(q^6), the conjugate c0 - c1 w; the inverse of an element of the cyclotomic subgroup. */
void cuzk_fp12_conj(cuzk_fp12 *out, const cuzk_fp12 *a);
/** out = a^-1; 0 for a = 0. */
void cuzk_fp12_inv(cuzk_fp12 *out, const cuzk_fp12 *a);
/** out = a^(q^k), k 1 or 2. */
void cuzk_fp12_frobenius(cuzk_fp12 *out, const cuzk_fp12 *a, unsigned k);

/*
 * In the cyclotomic subgroup only: a^(q^4 - q^2 + 1) = 1, as after the easy part of the final
 * exponentiation.
 */
/** out = a^2 (Granger, Scott, eprint 2009/565). */
void cuzk_fp12_cyclotomic_sqr(cuzk_fp12 *out, const cuzk_fp12 *a);
/** out = a^e, e an integer of `limbs` 64-bit limbs, little-endian. */
void cuzk_fp12_cyclotomic_pow(cuzk_fp12 *out, const cuzk_fp12 *a, const uint64_t *e, size_t limbs);

#endif /* CUZK_FF_TOWER_FP12_H */
