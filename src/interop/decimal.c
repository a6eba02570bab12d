/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "interop/decimal.h"

#include <string.h>

#include "base/assert.h"

#define CHUNK_DIGITS 19 /* 10^19 < 2^64 */

__extension__ typedef unsigned __int128 u128;

/* a = a * m + c; returns the word that does not fit. */
static uint64_t mul_add(uint64_t *a, size_t n, uint64_t m, uint64_t c)
{
    for (size_t i = 0; i < n; i++) {
        const u128 t = (u128)a[i] * m + c;
        a[i] = (uint64_t)t;
        c = (uint64_t)(t >> 64);
    }
    return c;
}

/* a = a / d; returns the remainder. */
static uint64_t div_small(uint64_t *a, size_t n, uint64_t d)
{
    uint64_t rem = 0;
    for (size_t i = n; i-- > 0;) {
        const u128 t = (u128)rem << 64 | a[i];
        a[i] = (uint64_t)(t / d);
        rem = (uint64_t)(t % d);
    }
    return rem;
}

bool cuzk_decimal_parse(uint64_t *out, size_t n, const char *s, size_t len)
{
    uint64_t v[CUZK_DECIMAL_MAX_LIMBS] = {0};
    CUZK_ASSERT(n <= CUZK_DECIMAL_MAX_LIMBS);
    if (len == 0 || len >= CUZK_DECIMAL_BYTES || (len > 1 && s[0] == '0')) {
        return false;
    }
    for (size_t i = 0; i < len;) {
        uint64_t chunk = 0, scale = 1;
        for (int k = 0; k < CHUNK_DIGITS && i < len; k++, i++) {
            const uint8_t d = (uint8_t)(s[i] - '0');
            if (d > 9) {
                return false;
            }
            chunk = chunk * 10 + d;
            scale *= 10;
        }
        if (mul_add(v, n, scale, chunk) != 0) {
            return false;
        }
    }
    memcpy(out, v, n * sizeof(v[0]));
    return true;
}

size_t cuzk_decimal_format(char out[CUZK_DECIMAL_BYTES], const uint64_t *a, size_t n)
{
    uint64_t v[CUZK_DECIMAL_MAX_LIMBS];
    char tmp[CUZK_DECIMAL_BYTES + CHUNK_DIGITS];
    size_t k = 0;
    CUZK_ASSERT(n >= 1 && n <= CUZK_DECIMAL_MAX_LIMBS);
    memcpy(v, a, n * sizeof(v[0]));
    bool more = true;
    while (more) { /* digits from the lowest, chunk by chunk */
        uint64_t chunk = div_small(v, n, 10000000000000000000u);
        more = false;
        for (size_t i = 0; i < n; i++) {
            more |= v[i] != 0;
        }
        for (int d = 0; d < CHUNK_DIGITS && (more || chunk != 0 || (d == 0 && k == 0)); d++) {
            tmp[k++] = (char)('0' + chunk % 10);
            chunk /= 10;
        }
    }
    CUZK_ASSERT(k < CUZK_DECIMAL_BYTES);
    for (size_t i = 0; i < k; i++) {
        out[i] = tmp[k - 1 - i];
    }
    out[k] = '\0';
    return k;
}
