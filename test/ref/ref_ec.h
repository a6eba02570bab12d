/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_TEST_REF_REF_EC_H
#define CUZK_TEST_REF_REF_EC_H

/*
 * Naive affine arithmetic on y^2 = x^3 + b over Fp2 by GMP: the textbook chord and tangent, one
 * inversion for each addition. G1 is the case b = 4 with zero imaginary parts, G2 b = 4 + 4i.
 * Shares nothing with src/. Coordinates cross as 48-byte big-endian integers.
 */
#include <gmp.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct ref_fp2 {
    mpz_t c0, c1;
} ref_fp2;

typedef struct ref_point {
    bool infinity;
    ref_fp2 x, y;
} ref_point;

void ref_init(ref_point *p);
void ref_clear(ref_point *p);
void ref_set(ref_point *out, const ref_point *p);
/** Big-endian coordinates (c1 NULL: zero); all zero is infinity. */
void ref_import(ref_point *out, const uint8_t *x0, const uint8_t *x1, const uint8_t *y0,
                const uint8_t *y1);
bool ref_eq(const ref_point *p, const ref_point *q);
void ref_neg(ref_point *out, const ref_point *p);
void ref_add(ref_point *out, const ref_point *p, const ref_point *q);
/** k: 32 bytes little-endian. Bit by bit. */
void ref_mul(ref_point *out, const ref_point *p, const uint8_t k[32]);

#endif /* CUZK_TEST_REF_REF_EC_H */
