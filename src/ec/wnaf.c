/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <string.h>

#include "ec/ec_internal.h"

size_t cuzk_ec_wnaf(int8_t *digit, const cuzk_scalar *s, unsigned w)
{
    /* Bit i of s plus the carry of the digits below decides whether a digit starts at i; a digit
     * takes w bits and carries one into the next when it is taken negative. */
    size_t used = 0, i = 0;
    uint64_t carry = 0;
    memset(digit, 0, 257);
    while (i < 257) {
        const uint64_t bit = i < 256 ? s->l[i / 64] >> (i % 64) & 1 : 0;
        if (bit == carry) {
            i++;
            continue;
        }
        uint64_t v = carry;
        for (unsigned k = 0; k < w && i + k < 256; k++) {
            v += (s->l[(i + k) / 64] >> ((i + k) % 64) & 1) << k;
        }
        carry = v >> (w - 1) & 1;
        digit[i] = (int8_t)((int64_t)v - (int64_t)(carry << w));
        used = i + 1;
        i += w;
    }
    return used;
}
