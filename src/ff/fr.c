/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "ff/fr.h"

#include "base/bytes.h"

static const cuzk_fr FR_R2 = {CUZK_FR_R2_LIMBS};
static const cuzk_fr FR_R3 = {CUZK_FR_R3_LIMBS};

void cuzk_fr_mul_c(cuzk_fr *out, const cuzk_fr *a, const cuzk_fr *b)
{
    cuzk_fr_mul_hd(out, a, b);
}

void cuzk_fr_pow(cuzk_fr *out, const cuzk_fr *a, const uint64_t *e, size_t limbs)
{
    cuzk_fr acc = CUZK_FR_ONE;
    const cuzk_fr base = *a;
    bool started = false;
    for (size_t i = limbs; i-- > 0;) {
        for (int b = 63; b >= 0; b--) {
            if (started) {
                cuzk_fr_sqr(&acc, &acc);
            }
            if ((e[i] >> b & 1) != 0) {
                cuzk_fr_mul(&acc, &acc, &base);
                started = true;
            }
        }
    }
    *out = acc;
}

void cuzk_fr_pow_u64(cuzk_fr *out, const cuzk_fr *a, uint64_t e)
{
    cuzk_fr_pow(out, a, &e, 1);
}

void cuzk_fr_batch_inv(cuzk_fr *a, cuzk_fr *scratch, size_t n)
{
    cuzk_fr acc = CUZK_FR_ONE;
    for (size_t i = 0; i < n; i++) {
        scratch[i] = acc;
        if (!cuzk_fr_is_zero(&a[i])) {
            cuzk_fr_mul(&acc, &acc, &a[i]);
        }
    }
    cuzk_fr_inv(&acc, &acc);
    for (size_t i = n; i-- > 0;) {
        if (!cuzk_fr_is_zero(&a[i])) {
            cuzk_fr t;
            cuzk_fr_mul(&t, &acc, &scratch[i]);
            cuzk_fr_mul(&acc, &acc, &a[i]);
            a[i] = t;
        }
    }
}

void cuzk_fr_from_u64(cuzk_fr *out, uint64_t v)
{
    const cuzk_fr t = {{v, 0, 0, 0}};
    cuzk_fr_mul(out, &t, &FR_R2);
}

void cuzk_fr_root_of_unity(cuzk_fr *out, const cuzk_fr *root_2_32, unsigned lg_n)
{
    cuzk_fr w = *root_2_32;
    for (unsigned i = lg_n; i < CUZK_FR_TWO_ADICITY; i++) {
        cuzk_fr_sqr(&w, &w);
    }
    *out = w;
}

void cuzk_fr_from_scalar(cuzk_fr *out, const cuzk_scalar *s)
{
    const cuzk_fr t = {{s->l[0], s->l[1], s->l[2], s->l[3]}};
    cuzk_fr_mul(out, &FR_R2, &t); /* first operand < r, second < 2^256: in range */
}

void cuzk_fr_to_scalar(cuzk_scalar *out, const cuzk_fr *a)
{
    const cuzk_fr one = {{1, 0, 0, 0}};
    cuzk_fr t;
    cuzk_fr_mul(&t, a, &one);
    for (int i = 0; i < 4; i++) {
        out->l[i] = t.l[i];
    }
}

bool cuzk_scalar_is_canonical(const cuzk_scalar *s)
{
    return cuzk_fr_ge_mod_mask_hd(s->l) == 0;
}

void cuzk_scalar_from_bytes_le(cuzk_scalar *out, const uint8_t in[32])
{
    for (int i = 0; i < 4; i++) {
        out->l[i] = cuzk_load_u64_le(in + 8 * i);
    }
}

void cuzk_scalar_to_bytes_le(uint8_t out[32], const cuzk_scalar *s)
{
    for (int i = 0; i < 4; i++) {
        cuzk_store_u64_le(out + 8 * i, s->l[i]);
    }
}

bool cuzk_fr_from_bytes_le(cuzk_fr *out, const uint8_t in[32])
{
    cuzk_scalar s;
    cuzk_scalar_from_bytes_le(&s, in);
    if (!cuzk_scalar_is_canonical(&s)) {
        return false;
    }
    cuzk_fr_from_scalar(out, &s);
    return true;
}

void cuzk_fr_to_bytes_le(uint8_t out[32], const cuzk_fr *a)
{
    cuzk_scalar s;
    cuzk_fr_to_scalar(&s, a);
    cuzk_scalar_to_bytes_le(out, &s);
}

void cuzk_fr_from_wide_le_ct(cuzk_fr *out, const uint8_t in[64])
{
    cuzk_fr lo, hi;
    for (int i = 0; i < 4; i++) {
        lo.l[i] = cuzk_load_u64_le(in + 8 * i);
        hi.l[i] = cuzk_load_u64_le(in + 32 + 8 * i);
    }
    cuzk_fr_mul(&lo, &FR_R2, &lo); /* lo * R */
    cuzk_fr_mul(&hi, &FR_R3, &hi); /* hi * 2^256 * R */
    cuzk_fr_add(out, &lo, &hi);
    cuzk_wipe(&lo, sizeof(lo));
    cuzk_wipe(&hi, sizeof(hi));
}
