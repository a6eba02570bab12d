/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_FF_LIMBS_HD_H
#define CUZK_FF_LIMBS_HD_H

/*
 * Carry primitives on 64-bit limbs, shared by host C and CUDA device code ("HD" header).
 * Subset: C17 that is also C++17. No libc, no globals, no allocation. All constant time.
 */
#include <stdint.h>

#include "base/compiler.h"

/** High half of a * b. */
CUZK_HD_INLINE uint64_t cuzk_mulhi64(uint64_t a, uint64_t b)
{
#ifdef __CUDA_ARCH__
    return __umul64hi(a, b);
#else
    __extension__ typedef unsigned __int128 u128;
    return (uint64_t)(((u128)a * b) >> 64);
#endif
}

/** a + b + cin; *cout is 0 or 1. Pre: cin is 0 or 1. */
CUZK_HD_INLINE uint64_t cuzk_adc(uint64_t a, uint64_t b, uint64_t cin, uint64_t *cout)
{
#ifdef __CUDA_ARCH__
    const uint64_t s = a + b;
    const uint64_t t = s + cin;
    *cout = (uint64_t)(s < a) | (uint64_t)(t < s);
    return t;
#else
    __extension__ typedef unsigned __int128 u128;
    const u128 t = (u128)a + b + cin;
    *cout = (uint64_t)(t >> 64);
    return (uint64_t)t;
#endif
}

/** a - b - bin; *bout is 0 or 1. Pre: bin is 0 or 1. */
CUZK_HD_INLINE uint64_t cuzk_sbb(uint64_t a, uint64_t b, uint64_t bin, uint64_t *bout)
{
#ifdef __CUDA_ARCH__
    const uint64_t d = a - b;
    const uint64_t e = d - bin;
    *bout = (uint64_t)(a < b) | (uint64_t)(d < bin);
    return e;
#else
    __extension__ typedef unsigned __int128 u128;
    const u128 t = (u128)a - b - bin;
    *bout = (uint64_t)(t >> 64) & 1;
    return (uint64_t)t;
#endif
}

/** acc + a*b + cin; the high word goes to *hi. Never overflows: the maximum is 2^128 - 1. */
CUZK_HD_INLINE uint64_t cuzk_mac(uint64_t acc, uint64_t a, uint64_t b, uint64_t cin, uint64_t *hi)
{
#ifdef __CUDA_ARCH__
    uint64_t lo = a * b;
    uint64_t h = __umul64hi(a, b);
    lo += acc;
    h += (lo < acc);
    lo += cin;
    h += (lo < cin);
    *hi = h;
    return lo;
#else
    __extension__ typedef unsigned __int128 u128;
    const u128 t = (u128)a * b + acc + cin;
    *hi = (uint64_t)(t >> 64);
    return (uint64_t)t;
#endif
}

/**
 * x, a mask of all zeros or all ones, in a way that hides this from the optimiser: compilers turn
 * selections by a mask that comes from a borrow into a branch, which here is taken at random.
 */
CUZK_HD_INLINE uint64_t cuzk_mask(uint64_t x)
{
#ifndef __CUDA_ARCH__
    __asm__("" : "+r"(x));
#endif
    return x;
}

#endif /* CUZK_FF_LIMBS_HD_H */
