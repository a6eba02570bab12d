/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_INTEROP_DECIMAL_H
#define CUZK_INTEROP_DECIMAL_H

/*
 * Unsigned decimal integers of up to 384 bits, as snarkjs writes field elements.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CUZK_DECIMAL_MAX_LIMBS 6
/** Digits of 2^384 - 1, and the NUL. */
#define CUZK_DECIMAL_BYTES     117

/**
 * Digits only, no leading zero but in "0", the whole of s [len]; false otherwise, or when the value
 * needs more than n limbs. out [n] little-endian limbs, n <= CUZK_DECIMAL_MAX_LIMBS.
 */
bool cuzk_decimal_parse(uint64_t *out, size_t n, const char *s, size_t len);
/** NUL-terminated decimal of a [n] into out; returns its length. */
size_t cuzk_decimal_format(char out[CUZK_DECIMAL_BYTES], const uint64_t *a, size_t n);

#endif /* CUZK_INTEROP_DECIMAL_H */
