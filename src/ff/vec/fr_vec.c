/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "ff/vec/fr_vec.h"

#include <string.h>

#include "fr_vec_internal.h"

/* How many leading elements the vector twin has done. */
#ifdef CUZK_FF_IFMA
#    define VECTOR_PART(call) (cuzk_cpu_has(CUZK_CPU_AVX512IFMA) ? (call) : 0)
#else
#    define VECTOR_PART(call) ((size_t)0)
#endif

void cuzk_fr_vec_mul(cuzk_fr *out, const cuzk_fr *a, const cuzk_fr *b, size_t n)
{
    for (size_t i = VECTOR_PART(cuzk_fr_vec_mul_ifma(out, a, b, n)); i < n; i++) {
        cuzk_fr_mul(&out[i], &a[i], &b[i]);
    }
}

void cuzk_fr_vec_scale(cuzk_fr *out, const cuzk_fr *a, const cuzk_fr *k, size_t n)
{
    for (size_t i = VECTOR_PART(cuzk_fr_vec_scale_ifma(out, a, k, n)); i < n; i++) {
        cuzk_fr_mul(&out[i], &a[i], k);
    }
}

void cuzk_fr_vec_mul_sub(cuzk_fr *out, const cuzk_fr *a, const cuzk_fr *b, const cuzk_fr *c,
                         size_t n)
{
    for (size_t i = VECTOR_PART(cuzk_fr_vec_mul_sub_ifma(out, a, b, c, n)); i < n; i++) {
        cuzk_fr t;
        cuzk_fr_mul(&t, &a[i], &b[i]);
        cuzk_fr_sub(&out[i], &t, &c[i]);
    }
}

void cuzk_fr_vec_sub_scale(cuzk_fr *out, const cuzk_fr *a, const cuzk_fr *c, const cuzk_fr *k,
                           size_t n)
{
    for (size_t i = VECTOR_PART(cuzk_fr_vec_sub_scale_ifma(out, a, c, k, n)); i < n; i++) {
        cuzk_fr t;
        cuzk_fr_sub(&t, &a[i], &c[i]);
        cuzk_fr_mul(&out[i], &t, k);
    }
}

/* In place, out and in have different types: hence memcpy. */

void cuzk_fr_vec_to_scalar(cuzk_scalar *out, const cuzk_fr *a, size_t n)
{
    for (size_t i = VECTOR_PART(cuzk_fr_vec_to_scalar_ifma(out, a, n)); i < n; i++) {
        cuzk_scalar s;
        cuzk_fr_to_scalar(&s, &a[i]);
        memcpy(&out[i], &s, sizeof(s));
    }
}

void cuzk_fr_vec_from_scalar(cuzk_fr *out, const cuzk_scalar *s, size_t n)
{
    for (size_t i = VECTOR_PART(cuzk_fr_vec_from_scalar_ifma(out, s, n)); i < n; i++) {
        cuzk_fr t;
        cuzk_fr_from_scalar(&t, &s[i]);
        memcpy(&out[i], &t, sizeof(t));
    }
}
