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

static bool exceeds_z2(uint32_t m, unsigned digits)
{
    const uint64_t z2[2] = CUZK_EC_Z2_LIMBS;
    uint32_t v[LIMBS] = {(uint32_t)z2[0], (uint32_t)(z2[0] >> 32), (uint32_t)z2[1],
                         (uint32_t)(z2[1] >> 32)};
    divide_by_power(v, m, digits);
    return (v[0] | v[1] | v[2] | v[3]) == 0;
}

void cuzk_hex_base_of(cuzk_hex_base *out, unsigned digits)
{
    uint32_t m = 0;
    for (uint32_t bit = 1u << 13; bit != 0; bit >>= 1) { /* m: the largest that is too small */
        m += exceeds_z2(m + bit, digits) ? 0 : bit;
    }
    m++;
    uint32_t v[LIMBS] = {[LIMBS - 1] = (uint32_t)1 << 31};
    divide_by_power(v, m, digits);
    out->m = m;
    out->digits = digits;
    out->span = (m + 2) & ~(uint32_t)1;
    for (int i = 0; i < CUZK_HEX_FRACTION; i++) {
        out->recip[i] = v[i];
    }
    out->keys = 0;
    for (uint32_t p = 1; 2 * p <= out->span; p++) {
        const uint32_t a = out->span - 2 * p, b = (out->span - p) / 2;
        out->keys += (a < b ? a : b) + 1;
    }
}
