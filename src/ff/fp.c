/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "ff/fp.h"

#include <string.h>

#include "base/bytes.h"

static const cuzk_fp FP_R2 = {CUZK_FP_R2_LIMBS};

void cuzk_fp_mul_c(cuzk_fp *out, const cuzk_fp *a, const cuzk_fp *b)
{
    cuzk_fp_mul_hd(out, a, b);
}

void cuzk_fp_pow(cuzk_fp *out, const cuzk_fp *a, const uint64_t *e, size_t limbs)
{
    cuzk_fp acc = CUZK_FP_ONE;
    const cuzk_fp base = *a;
    bool started = false;
    for (size_t i = limbs; i-- > 0;) {
        for (int b = 63; b >= 0; b--) {
            if (started) {
                cuzk_fp_sqr(&acc, &acc);
            }
            if ((e[i] >> b & 1) != 0) {
                cuzk_fp_mul(&acc, &acc, &base);
                started = true;
            }
        }
    }
    *out = acc;
}

void cuzk_fp_inv(cuzk_fp *out, const cuzk_fp *a)
{
    static const uint64_t e[6] = CUZK_FP_MOD_M2_LIMBS;
    cuzk_fp_pow(out, a, e, 6); /* 0^(q-2) = 0 */
}

void cuzk_fp_batch_inv(cuzk_fp *a, cuzk_fp *scratch, size_t n)
{
    cuzk_fp acc = CUZK_FP_ONE;
    for (size_t i = 0; i < n; i++) {
        scratch[i] = acc;
        if (!cuzk_fp_is_zero(&a[i])) {
            cuzk_fp_mul(&acc, &acc, &a[i]);
        }
    }
    cuzk_fp_inv(&acc, &acc);
    for (size_t i = n; i-- > 0;) {
        if (!cuzk_fp_is_zero(&a[i])) {
            cuzk_fp t;
            cuzk_fp_mul(&t, &acc, &scratch[i]);
            cuzk_fp_mul(&acc, &acc, &a[i]);
            a[i] = t;
        }
    }
}

bool cuzk_fp_sqrt(cuzk_fp *out, const cuzk_fp *a)
{
    static const uint64_t e[6] = CUZK_FP_SQRT_EXP_LIMBS;
    cuzk_fp s, t;
    cuzk_fp_pow(&s, a, e, 6);
    cuzk_fp_sqr(&t, &s);
    if (!cuzk_fp_eq(&t, a)) {
        return false;
    }
    *out = s;
    return true;
}

void cuzk_fp_to_canonical(uint64_t out[6], const cuzk_fp *a)
{
    const cuzk_fp one = {{1, 0, 0, 0, 0, 0}};
    cuzk_fp t;
    cuzk_fp_mul(&t, a, &one);
    memcpy(out, t.l, sizeof(t.l));
}

void cuzk_fp_from_canonical(cuzk_fp *out, const uint64_t in[6])
{
    cuzk_fp t;
    memcpy(t.l, in, sizeof(t.l));
    cuzk_fp_mul_c(out, &FP_R2, &t); /* t may be >= 2q, which only this twin takes */
}

bool cuzk_fp_is_lex_largest(const cuzk_fp *a)
{
    static const uint64_t half[6] = CUZK_FP_HALF_LIMBS;
    uint64_t c[6], bw = 0;
    cuzk_fp_to_canonical(c, a);
    for (int i = 0; i < 6; i++) {
        (void)cuzk_sbb(half[i], c[i], bw, &bw);
    }
    return bw != 0; /* half - c < 0 */
}

bool cuzk_fp_from_bytes_be(cuzk_fp *out, const uint8_t in[48])
{
    uint64_t c[6];
    for (int i = 0; i < 6; i++) {
        c[i] = cuzk_load_u64_be(in + 8 * (5 - i));
    }
    if (cuzk_fp_ge_mod_mask_hd(c) != 0) {
        return false;
    }
    cuzk_fp_from_canonical(out, c);
    return true;
}

void cuzk_fp_to_bytes_be(uint8_t out[48], const cuzk_fp *a)
{
    uint64_t c[6];
    cuzk_fp_to_canonical(c, a);
    for (int i = 0; i < 6; i++) {
        cuzk_store_u64_be(out + 8 * (5 - i), c[i]);
    }
}
