/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_FF_VEC_FR_VEC_INTERNAL_H
#define CUZK_FF_VEC_FR_VEC_INTERNAL_H

#include "ff/vec/fr_vec.h"

#ifdef CUZK_FF_X64
#    define CUZK_FF_IFMA 1
/* Twins for n / 8 * 8 elements; they return that number. Need CUZK_CPU_AVX512IFMA. */
size_t cuzk_fr_vec_mul_ifma(cuzk_fr *out, const cuzk_fr *a, const cuzk_fr *b, size_t n);
size_t cuzk_fr_vec_scale_ifma(cuzk_fr *out, const cuzk_fr *a, const cuzk_fr *k, size_t n);
size_t cuzk_fr_vec_mul_sub_ifma(cuzk_fr *out, const cuzk_fr *a, const cuzk_fr *b, const cuzk_fr *c,
                                size_t n);
size_t cuzk_fr_vec_sub_scale_ifma(cuzk_fr *out, const cuzk_fr *a, const cuzk_fr *c,
                                  const cuzk_fr *k, size_t n);
size_t cuzk_fr_vec_to_scalar_ifma(cuzk_scalar *out, const cuzk_fr *a, size_t n);
size_t cuzk_fr_vec_from_scalar_ifma(cuzk_fr *out, const cuzk_scalar *s, size_t n);
#endif

#endif /* CUZK_FF_VEC_FR_VEC_INTERNAL_H */
