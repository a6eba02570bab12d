/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_FF_FR_H
#define CUZK_FF_FR_H

/*
 * Fr, the scalar field of BLS12-381, on the host. cuzk_fr is in Montgomery form, cuzk_scalar is a
 * plain integer; crossing is an explicit call. Conventions of the module: out first, aliasing of
 * out with any input allowed, values reduced (< r) in and out unless a function says otherwise,
 * nothing fails, nothing allocates, all functions are reentrant. Variable time unless _ct.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/assert.h"
#include "cpu/cpu.h"
#include "ff/fr_hd.h"
#include "ff/isa.h"

#ifdef __cplusplus
extern "C" {
#endif

/** 256-bit integer, limbs little-endian. Canonical (< r) where a function says so. */
typedef struct cuzk_scalar {
    uint64_t l[4];
} cuzk_scalar;

#define CUZK_FR_TWO_ADICITY 32

static const cuzk_fr CUZK_FR_ZERO = {{0, 0, 0, 0}};
static const cuzk_fr CUZK_FR_ONE = {CUZK_FR_ONE_LIMBS};
/** 7, a generator of the multiplicative group; the coset shift of the quotient. */
static const cuzk_fr CUZK_FR_GENERATOR = {CUZK_FR_GENERATOR_LIMBS};
/** Primitive 2^32-th root of unity 7^((r-1)/2^32) of bellperson's domains. */
static const cuzk_fr CUZK_FR_ROOT_2_32 = {CUZK_FR_ROOT_2_32_LIMBS};
/** 5^((r-1)/2^32), the root that snarkjs uses. */
static const cuzk_fr CUZK_FR_ROOT_2_32_SNARKJS = {CUZK_FR_ROOT_2_32_SNARKJS_LIMBS};

/*
 * Twins. _c: portable. _x64, _adx: assembly with the same results, chosen below.
 * Multiplication: a < r always (CUZK_DASSERT); b may be < 2r, and any integer < 2^256 where
 * a*b < 2^256 * 0.99r. With a in [r, 2r) one product in ten is wrong.
 */
void cuzk_fr_mul_c(cuzk_fr *out, const cuzk_fr *a, const cuzk_fr *b);
#ifdef CUZK_FF_X64
void cuzk_fr_add_x64(cuzk_fr *out, const cuzk_fr *a, const cuzk_fr *b);
void cuzk_fr_sub_x64(cuzk_fr *out, const cuzk_fr *a, const cuzk_fr *b);
#endif
#ifdef CUZK_FF_ADX
void cuzk_fr_mul_adx(cuzk_fr *out, const cuzk_fr *a, const cuzk_fr *b);
void cuzk_fr_sqr_adx(cuzk_fr *out, const cuzk_fr *a);
#endif

/** In the range that functions take and give, unless they say otherwise. */
static inline bool cuzk_fr_is_reduced(const cuzk_fr *a)
{
    static const uint64_t r[4] = CUZK_FR_MOD_LIMBS;
    for (int i = 3; i > 0; i--) {
        if (a->l[i] != r[i]) {
            return a->l[i] < r[i];
        }
    }
    return a->l[0] < r[0];
}

/** out = a + b. */
static inline void cuzk_fr_add(cuzk_fr *out, const cuzk_fr *a, const cuzk_fr *b)
{
#ifdef CUZK_FF_X64
    cuzk_fr_add_x64(out, a, b);
#else
    cuzk_fr_add_hd(out, a, b);
#endif
}

/** out = a - b. */
static inline void cuzk_fr_sub(cuzk_fr *out, const cuzk_fr *a, const cuzk_fr *b)
{
#ifdef CUZK_FF_X64
    cuzk_fr_sub_x64(out, a, b);
#else
    cuzk_fr_sub_hd(out, a, b);
#endif
}

/** out = 2a. */
static inline void cuzk_fr_dbl(cuzk_fr *out, const cuzk_fr *a)
{
    cuzk_fr_add(out, a, a);
}

/** out = -a. */
static inline void cuzk_fr_neg(cuzk_fr *out, const cuzk_fr *a)
{
#ifdef CUZK_FF_X64
    cuzk_fr_sub_x64(out, &CUZK_FR_ZERO, a);
#else
    cuzk_fr_neg_hd(out, a);
#endif
}

/** out = a * b; b may be < 2r. */
static inline void cuzk_fr_mul(cuzk_fr *out, const cuzk_fr *a, const cuzk_fr *b)
{
    CUZK_DASSERT(cuzk_fr_is_reduced(a));
#ifdef CUZK_FF_ADX
    if (cuzk_cpu_has(CUZK_CPU_ADX)) {
        cuzk_fr_mul_adx(out, a, b);
        return;
    }
#endif
    cuzk_fr_mul_c(out, a, b);
}

/** out = a^2. */
static inline void cuzk_fr_sqr(cuzk_fr *out, const cuzk_fr *a)
{
    CUZK_DASSERT(cuzk_fr_is_reduced(a));
#ifdef CUZK_FF_ADX
    if (cuzk_cpu_has(CUZK_CPU_ADX)) {
        cuzk_fr_sqr_adx(out, a);
        return;
    }
#endif
    cuzk_fr_mul_c(out, a, a);
}

static inline bool cuzk_fr_is_zero(const cuzk_fr *a)
{
    return (a->l[0] | a->l[1] | a->l[2] | a->l[3]) == 0;
}

static inline bool cuzk_fr_eq(const cuzk_fr *a, const cuzk_fr *b)
{
    return ((a->l[0] ^ b->l[0]) | (a->l[1] ^ b->l[1]) | (a->l[2] ^ b->l[2]) |
            (a->l[3] ^ b->l[3])) == 0;
}

static inline bool cuzk_fr_is_one(const cuzk_fr *a)
{
    return cuzk_fr_eq(a, &CUZK_FR_ONE);
}

/** out = a^-1; 0 for a = 0. Time depends on a: for secrets use cuzk_fr_inv_ct. */
void cuzk_fr_inv(cuzk_fr *out, const cuzk_fr *a);
/** As cuzk_fr_inv in constant time, about twice as long. */
void cuzk_fr_inv_ct(cuzk_fr *out, const cuzk_fr *a);
/** a[i] = a[i]^-1 in place with one inversion; zeros stay zero. scratch [n], disjoint from a. */
void cuzk_fr_batch_inv(cuzk_fr *a, cuzk_fr *scratch, size_t n);
/** out = a^e, e an integer of `limbs` 64-bit limbs, little-endian. 0^0 = 1. */
void cuzk_fr_pow(cuzk_fr *out, const cuzk_fr *a, const uint64_t *e, size_t limbs);
/** out = a^e. */
void cuzk_fr_pow_u64(cuzk_fr *out, const cuzk_fr *a, uint64_t e);
void cuzk_fr_from_u64(cuzk_fr *out, uint64_t v);
/** Primitive 2^lg_n-th root: root_2_32 squared 32 - lg_n times. lg_n <= 32. */
void cuzk_fr_root_of_unity(cuzk_fr *out, const cuzk_fr *root_2_32, unsigned lg_n);

/** Montgomery form of any 256-bit integer, reduced mod r. */
void cuzk_fr_from_scalar(cuzk_fr *out, const cuzk_scalar *s);
/** Canonical integer (< r) of a. */
void cuzk_fr_to_scalar(cuzk_scalar *out, const cuzk_fr *a);
/** 32 bytes little-endian; false, and out untouched, when the integer is >= r. */
bool cuzk_fr_from_bytes_le(cuzk_fr *out, const uint8_t in[32]);
void cuzk_fr_to_bytes_le(uint8_t out[32], const cuzk_fr *a);
/** 64 bytes little-endian, any integer, reduced mod r (bias < 2^-256 for uniform input). Constant time. */
void cuzk_fr_from_wide_le_ct(cuzk_fr *out, const uint8_t in[64]);

void cuzk_scalar_from_bytes_le(cuzk_scalar *out, const uint8_t in[32]);
void cuzk_scalar_to_bytes_le(uint8_t out[32], const cuzk_scalar *s);
/** True when s < r. */
bool cuzk_scalar_is_canonical(const cuzk_scalar *s);

#ifdef __cplusplus
}
#endif

#endif /* CUZK_FF_FR_H */
