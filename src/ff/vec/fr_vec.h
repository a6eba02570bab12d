/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_FF_VEC_FR_VEC_H
#define CUZK_FF_VEC_FR_VEC_H

/*
 * Pointwise operations on arrays of n elements. Every output array is one of the inputs or does
 * not overlap any. n may be 0. With CUZK_CPU_AVX512IFMA eight elements are done at once.
 */
#include "ff/fr.h"

/** out[i] = a[i] * b[i]. */
void cuzk_fr_vec_mul(cuzk_fr *out, const cuzk_fr *a, const cuzk_fr *b, size_t n);
/** out[i] = a[i] * k; k is one element, outside the arrays. */
void cuzk_fr_vec_scale(cuzk_fr *out, const cuzk_fr *a, const cuzk_fr *k, size_t n);
/** out[i] = a[i] * b[i] - c[i]. */
void cuzk_fr_vec_mul_sub(cuzk_fr *out, const cuzk_fr *a, const cuzk_fr *b, const cuzk_fr *c,
                         size_t n);
/** out[i] = (a[i] - c[i]) * k; k is one element, outside the arrays. */
void cuzk_fr_vec_sub_scale(cuzk_fr *out, const cuzk_fr *a, const cuzk_fr *c, const cuzk_fr *k,
                           size_t n);
/** Canonical integers (< r); in place with out = (cuzk_scalar *)a. */
void cuzk_fr_vec_to_scalar(cuzk_scalar *out, const cuzk_fr *a, size_t n);
/** Elements of any 256-bit integers, reduced mod r; in place with out = (cuzk_fr *)s. */
void cuzk_fr_vec_from_scalar(cuzk_fr *out, const cuzk_scalar *s, size_t n);

#endif /* CUZK_FF_VEC_FR_VEC_H */
