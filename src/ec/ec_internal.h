/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_EC_EC_INTERNAL_H
#define CUZK_EC_EC_INTERNAL_H

/* Shared by g1.c and g2.c only. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ff/fr.h"

#define CUZK_EC_FLAG_COMPRESSED 0x80
#define CUZK_EC_FLAG_INFINITY   0x40
#define CUZK_EC_FLAG_LARGER     0x20
#define CUZK_EC_FLAGS           0xe0

#define CUZK_EC_WNAF_DIGITS     257

/**
 * Signed digits of the integer s of `bits` bits (a multiple of 64, at most 256), least significant
 * first: zero or odd, |digit| < 2^(w-1), at most one of any w consecutive ones non-zero. Returns how
 * many there are, at most bits + 1; all after them are zero too. 2 <= w <= 7.
 */
size_t cuzk_ec_wnaf(int8_t digit[CUZK_EC_WNAF_DIGITS], const uint64_t *s, size_t bits, unsigned w);

/** out = s mod r. Constant time. */
void cuzk_ec_reduce(uint64_t out[4], const cuzk_scalar *s);

static inline bool cuzk_ec_all_zero(const uint8_t *p, size_t n)
{
    uint8_t any = 0;
    for (size_t i = 0; i < n; i++) {
        any |= p[i];
    }
    return any == 0;
}

/** All ones when a == b; a, b < 2^63. The barrier keeps the compiler from turning it into a branch. */
static inline uint64_t cuzk_ec_ct_eq_mask(uint64_t a, uint64_t b)
{
    uint64_t d = a ^ b;
    __asm__("" : "+r"(d));
    return 0 - ((d - 1) >> 63);
}

#endif /* CUZK_EC_EC_INTERNAL_H */
