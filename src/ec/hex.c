/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "ec/hex.h"

#define LIMBS 9

/* v /= m, rounded down. */
static void divide(uint32_t v[LIMBS], uint32_t m)
{
    uint64_t rest = 0;
    for (int i = LIMBS - 1; i >= 0; i--) {
        rest = rest << 32 | v[i];
        v[i] = (uint32_t)(rest / m);
        rest %= m;
    }
}

/* v m^-digits, rounded down: rounding down after each division comes to the same. */
static void divide_by_power(uint32_t v[LIMBS], uint32_t m, unsigned digits)
{
    for (unsigned i = 0; i < digits; i++) {
        divide(v, m);
    }
}

/* From CUZK_HEX_MIN_DIGITS on; the test compares them with z^2. */
static const uint16_t least_bases[] = {6855, 3071, 1573, 893, 550, 361, 250, 181, 136, 105, 83,
                                       68,   56,   47,   40,  35,  30,  27,  24,  22,  19,  18,
                                       16,   15,   14,   13,  12,  11,  11,  10,  10};
_Static_assert(sizeof(least_bases) / sizeof(least_bases[0]) ==
                   CUZK_HEX_MAX_DIGITS - CUZK_HEX_MIN_DIGITS + 1,
               "a base for every number of digits");

static uint32_t span_of(uint32_t m)
{
    return (m + 2) & ~(uint32_t)1;
}

uint32_t cuzk_hex_keys_of(unsigned digits)
{
    const uint32_t span = span_of(least_bases[digits - CUZK_HEX_MIN_DIGITS]);
    const uint32_t half = span / 2, third = span / 3; /* rows up to there as cuzk_hex_row_hd */
    return third * (half + 1) - (third + 1) * (third + 1) / 4 + (half - third) * (half - third);
}

void cuzk_hex_base_of(cuzk_hex_base *out, unsigned digits)
{
    const uint32_t m = least_bases[digits - CUZK_HEX_MIN_DIGITS];
    uint32_t v[LIMBS] = {[LIMBS - 1] = (uint32_t)1 << 31};
    divide_by_power(v, m, digits);
    out->m = m;
    out->digits = digits;
    out->span = span_of(m);
    out->keys = cuzk_hex_keys_of(digits);
    for (int i = 0; i < CUZK_HEX_FRACTION; i++) {
        out->recip[i] = v[i];
    }
}
