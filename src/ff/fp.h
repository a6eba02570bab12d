/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_FF_FP_H
#define CUZK_FF_FP_H

/*
 * Fp, the base field of BLS12-381, on the host. Conventions as in ff/fr.h.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpu/cpu.h"
#include "ff/fp_hd.h"
#include "ff/isa.h"

#ifdef __cplusplus
extern "C" {
#endif

static const cuzk_fp CUZK_FP_ZERO = {{0, 0, 0, 0, 0, 0}};
static const cuzk_fp CUZK_FP_ONE = {CUZK_FP_ONE_LIMBS};

/*
 * Twins. _c: portable. _x64, _adx: assembly with the same results, chosen below.
 * Multiplication and squaring also take a, b < 2q (unreduced sums).
 */
void cuzk_fp_mul_c(cuzk_fp *out, const cuzk_fp *a, const cuzk_fp *b);
#ifdef CUZK_FF_X64
void cuzk_fp_add_x64(cuzk_fp *out, const cuzk_fp *a, const cuzk_fp *b);
void cuzk_fp_sub_x64(cuzk_fp *out, const cuzk_fp *a, const cuzk_fp *b);
#endif
#ifdef CUZK_FF_ADX
void cuzk_fp_mul_adx(cuzk_fp *out, const cuzk_fp *a, const cuzk_fp *b);
void cuzk_fp_sqr_adx(cuzk_fp *out, const cuzk_fp *a);
/** n >= 1. */
void cuzk_fp_sqr_n_adx(cuzk_fp *out, const cuzk_fp *a, size_t n);
#endif

/** out = a + b. */
static inline void cuzk_fp_add(cuzk_fp *out, const cuzk_fp *a, const cuzk_fp *b)
{
#ifdef CUZK_FF_X64
    cuzk_fp_add_x64(out, a, b);
#else
    cuzk_fp_add_hd(out, a, b);
#endif
}

/** out = a - b. */
static inline void cuzk_fp_sub(cuzk_fp *out, const cuzk_fp *a, const cuzk_fp *b)
{
#ifdef CUZK_FF_X64
    cuzk_fp_sub_x64(out, a, b);
#else
    cuzk_fp_sub_hd(out, a, b);
#endif
}

/** out = 2a. */
static inline void cuzk_fp_dbl(cuzk_fp *out, const cuzk_fp *a)
{
    cuzk_fp_add(out, a, a);
}

/** out = -a. */
static inline void cuzk_fp_neg(cuzk_fp *out, const cuzk_fp *a)
{
#ifdef CUZK_FF_X64
    cuzk_fp_sub_x64(out, &CUZK_FP_ZERO, a);
#else
    cuzk_fp_neg_hd(out, a);
#endif
}

/** out = a * b. */
static inline void cuzk_fp_mul(cuzk_fp *out, const cuzk_fp *a, const cuzk_fp *b)
{
#ifdef CUZK_FF_ADX
    if (cuzk_cpu_has(CUZK_CPU_ADX)) {
        cuzk_fp_mul_adx(out, a, b);
        return;
    }
#endif
    cuzk_fp_mul_c(out, a, b);
}

/** out = a^2. */
static inline void cuzk_fp_sqr(cuzk_fp *out, const cuzk_fp *a)
{
#ifdef CUZK_FF_ADX
    if (cuzk_cpu_has(CUZK_CPU_ADX)) {
        cuzk_fp_sqr_adx(out, a);
        return;
    }
#endif
    cuzk_fp_mul_c(out, a, a);
}

/** out = a^(2^n); n = 0 copies. */
void cuzk_fp_sqr_n(cuzk_fp *out, const cuzk_fp *a, size_t n);

static inline bool cuzk_fp_is_zero(const cuzk_fp *a)
{
    return (a->l[0] | a->l[1] | a->l[2] | a->l[3] | a->l[4] | a->l[5]) == 0;
}

static inline bool cuzk_fp_eq(const cuzk_fp *a, const cuzk_fp *b)
{
    uint64_t d = 0;
    for (int i = 0; i < 6; i++) {
        d |= a->l[i] ^ b->l[i];
    }
    return d == 0;
}

/** out = a^-1; 0 for a = 0. Time depends on a: for secrets use cuzk_fp_inv_ct. */
void cuzk_fp_inv(cuzk_fp *out, const cuzk_fp *a);
/** As cuzk_fp_inv in constant time, about twice as long. */
void cuzk_fp_inv_ct(cuzk_fp *out, const cuzk_fp *a);
/** a[i] = a[i]^-1 in place with one inversion; zeros stay zero. scratch [n], disjoint from a. */
void cuzk_fp_batch_inv(cuzk_fp *a, cuzk_fp *scratch, size_t n);
/** out = a^((q-3)/4): a * out is a square root of a, or of -a when a is not a square. */
void cuzk_fp_pow_qm3d4(cuzk_fp *out, const cuzk_fp *a);
/** Square root a^((q+1)/4); false, and out untouched, when a is not a square. */
bool cuzk_fp_sqrt(cuzk_fp *out, const cuzk_fp *a);
/** True when the canonical integer of a is > (q-1)/2: the "larger root" of point compression. */
bool cuzk_fp_is_lex_largest(const cuzk_fp *a);

/** 48 bytes big-endian; false, and out untouched, when the integer is >= q. */
bool cuzk_fp_from_bytes_be(cuzk_fp *out, const uint8_t in[48]);
void cuzk_fp_to_bytes_be(uint8_t out[48], const cuzk_fp *a);
/** Canonical limbs (< q), little-endian. */
void cuzk_fp_to_canonical(uint64_t out[6], const cuzk_fp *a);
/** From a 384-bit integer, reduced mod q. */
void cuzk_fp_from_canonical(cuzk_fp *out, const uint64_t in[6]);

#ifdef __cplusplus
}
#endif

#endif /* CUZK_FF_FP_H */
