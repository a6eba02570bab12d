/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_EC_HEX_H
#define CUZK_EC_HEX_H

#include <stdbool.h>

#include "ec/hex_hd.h"

#define CUZK_HEX_MIN_DIGITS 10u
#define CUZK_HEX_MAX_DIGITS 40u

/**
 * The smallest base in which every scalar has that many digits: m^digits > z^2.
 * Pre: CUZK_HEX_MIN_DIGITS <= digits <= CUZK_HEX_MAX_DIGITS.
 */
void cuzk_hex_base_of(cuzk_hex_base *out, unsigned digits);

/** Its keys alone. */
uint32_t cuzk_hex_keys_of(unsigned digits);

#endif /* CUZK_EC_HEX_H */
