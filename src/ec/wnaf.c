/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <string.h>

#include "base/bytes.h"
#include "ec/ec_internal.h"

size_t cuzk_ec_wnaf(int8_t digit[CUZK_EC_WNAF_DIGITS], const uint64_t *s, size_t bits, unsigned w)
{
    /* Bit i of s plus the carry of the digits below decides whether a digit starts at i; a digit
     * takes w bits and carries one into the next when it is taken negative. */
    size_t used = 0, i = 0;
    uint64_t carry = 0;
    memset(digit, 0, CUZK_EC_WNAF_DIGITS);
    while (i <= bits) {
        const size_t limb = i / 64, sh = i % 64;
        uint64_t v = limb < bits / 64 ? s[limb] >> sh : 0;
        if ((v & 1) == carry) {
            i++;
            continue;
        }
        if (sh + w > 64 && limb + 1 < bits / 64) {
            v |= s[limb + 1] << (64 - sh);
        }
        v = (v & (((uint64_t)1 << w) - 1)) + carry;
        carry = v >> (w - 1) & 1;
        digit[i] = (int8_t)((int64_t)v - (int64_t)(carry << w));
        used = i + 1;
        i += w;
    }
    return used;
}

void cuzk_ec_reduce(uint64_t out[4], const cuzk_scalar *s)
{
    static const uint64_t r[4] = CUZK_FR_MOD_LIMBS;
    memcpy(out, s->l, sizeof(s->l));
    for (int k = 0; k < 2; k++) { /* 2^256 < 3 r */
        uint64_t t[4], bw = 0;
        for (int i = 0; i < 4; i++) {
            t[i] = cuzk_sbb(out[i], r[i], bw, &bw);
        }
        const uint64_t keep = 0 - bw;
        for (int i = 0; i < 4; i++) {
            out[i] = (out[i] & keep) | (t[i] & ~keep);
        }
        cuzk_wipe(t, sizeof(t));
    }
}
