/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "ref/ref_dft.h"

#include <string.h>

/* r, most significant digit first, as printed in the curve's definition. */
static const uint32_t R_BE[8] = {0x73eda753, 0x299d7d48, 0x3339d808, 0x09a1d805,
                                 0x53bda402, 0xfffe5bfe, 0xffffffff, 0x00000001};

static int compare_to_r(const uint32_t *d, size_t digits)
{
    for (size_t i = digits; i-- > 0;) {
        const uint32_t r = i < 8 ? R_BE[7 - i] : 0;
        if (d[i] != r) {
            return d[i] < r ? -1 : 1;
        }
    }
    return 0;
}

static void subtract_r(uint32_t *d, size_t digits)
{
    uint64_t borrow = 0;
    for (size_t i = 0; i < digits; i++) {
        const uint64_t r = (i < 8 ? R_BE[7 - i] : 0) + borrow;
        borrow = d[i] < r ? 1 : 0;
        d[i] = (uint32_t)(d[i] + (borrow << 32) - r);
    }
}

/* Long division by shift and subtract: x [digits], most significant bit first. */
static ref_int reduce(const uint32_t *x, size_t digits)
{
    uint32_t rem[9] = {0};
    ref_int out;
    for (size_t bit = 32 * digits; bit-- > 0;) {
        uint32_t carry = x[bit / 32] >> (bit % 32) & 1;
        for (size_t i = 0; i < 9; i++) {
            const uint32_t top = rem[i] >> 31;
            rem[i] = rem[i] << 1 | carry;
            carry = top;
        }
        if (compare_to_r(rem, 9) >= 0) {
            subtract_r(rem, 9);
        }
    }
    memcpy(out.d, rem, sizeof(out.d));
    return out;
}

ref_int ref_from_u64(uint64_t v)
{
    const uint32_t d[2] = {(uint32_t)v, (uint32_t)(v >> 32)};
    return reduce(d, 2);
}

ref_int ref_from_limbs(const uint64_t l[4])
{
    uint32_t d[8];
    for (size_t i = 0; i < 8; i++) {
        d[i] = (uint32_t)(l[i / 2] >> (32 * (i % 2)));
    }
    return reduce(d, 8);
}

void ref_to_limbs(uint64_t l[4], const ref_int *a)
{
    for (size_t i = 0; i < 4; i++) {
        l[i] = (uint64_t)a->d[2 * i] | (uint64_t)a->d[2 * i + 1] << 32;
    }
}

ref_int ref_add(const ref_int *a, const ref_int *b)
{
    uint32_t s[9];
    uint64_t c = 0;
    for (size_t i = 0; i < 8; i++) {
        c += (uint64_t)a->d[i] + b->d[i];
        s[i] = (uint32_t)c;
        c >>= 32;
    }
    s[8] = (uint32_t)c;
    return reduce(s, 9);
}

ref_int ref_mul(const ref_int *a, const ref_int *b)
{
    uint32_t p[16] = {0};
    for (size_t i = 0; i < 8; i++) {
        uint64_t c = 0;
        for (size_t j = 0; j < 8; j++) {
            c += (uint64_t)a->d[i] * b->d[j] + p[i + j];
            p[i + j] = (uint32_t)c;
            c >>= 32;
        }
        p[i + 8] = (uint32_t)c;
    }
    return reduce(p, 16);
}

ref_int ref_root_from(uint64_t a, unsigned lg)
{
    const ref_int base = ref_from_u64(a);
    ref_int acc = ref_from_u64(1);
    for (unsigned bit = 255; bit-- > lg;) { /* (r-1) >> lg: r is odd, so r-1 differs in bit 0 */
        acc = ref_mul(&acc, &acc);
        if ((R_BE[7 - bit / 32] >> (bit % 32) & 1) != 0 && bit != 0) {
            acc = ref_mul(&acc, &base);
        }
    }
    return acc;
}

void ref_dft(ref_int *out, const ref_int *p, size_t n, const ref_int *w, const ref_int *shift)
{
    ref_int x = *shift;
    for (size_t i = 0; i < n; i++) {
        ref_int v = ref_from_u64(0);
        for (size_t k = n; k-- > 0;) {
            v = ref_mul(&v, &x);
            v = ref_add(&v, &p[k]);
        }
        out[i] = v;
        x = ref_mul(&x, w);
    }
}
