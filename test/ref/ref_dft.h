/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_TEST_REF_REF_DFT_H
#define CUZK_TEST_REF_REF_DFT_H

/*
 * Oracle for transforms: plain integers mod r by schoolbook arithmetic on 32-bit digits and
 * evaluation by Horner's rule. Shares nothing with src; slow on purpose.
 */
#include <stddef.h>
#include <stdint.h>

/** Integer < r, 32-bit digits, little-endian. */
typedef struct ref_int {
    uint32_t d[8];
} ref_int;

ref_int ref_from_u64(uint64_t v);
/** From four 64-bit limbs of any 256-bit integer. */
ref_int ref_from_limbs(const uint64_t l[4]);
void ref_to_limbs(uint64_t l[4], const ref_int *a);
ref_int ref_add(const ref_int *a, const ref_int *b);
ref_int ref_mul(const ref_int *a, const ref_int *b);
/** a^((r-1) / 2^lg): a root of unity whose order divides 2^lg. */
ref_int ref_root_from(uint64_t a, unsigned lg);

/** out[i] = p(shift * w^i), i < n; p has n coefficients, natural order. */
void ref_dft(ref_int *out, const ref_int *p, size_t n, const ref_int *w, const ref_int *shift);

#endif /* CUZK_TEST_REF_REF_DFT_H */
