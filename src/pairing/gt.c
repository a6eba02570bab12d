/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "pairing/gt.h"

#include <string.h>

#include "ec/endo_hd.h"

static void encode_fp(uint8_t out[48], const cuzk_fp *a)
{
    uint8_t be[48];
    cuzk_fp_to_bytes_be(be, a);
    for (size_t i = 0; i < 48; i++) {
        out[i] = be[47 - i];
    }
}

static bool decode_fp(cuzk_fp *out, const uint8_t in[48])
{
    uint8_t be[48];
    for (size_t i = 0; i < 48; i++) {
        be[i] = in[47 - i];
    }
    return cuzk_fp_from_bytes_be(out, be);
}

static void encode_fp6(uint8_t out[288], const cuzk_fp6 *a)
{
    const cuzk_fp2 *c[3] = {&a->c0, &a->c1, &a->c2};
    for (size_t i = 0; i < 3; i++) {
        encode_fp(out + 96 * i, &c[i]->c0);
        encode_fp(out + 96 * i + 48, &c[i]->c1);
    }
}

void cuzk_gt_encode(uint8_t out[CUZK_GT_BYTES], const cuzk_fp12 *a)
{
    encode_fp6(out, &a->c0);
    encode_fp6(out + 288, &a->c1);
}

bool cuzk_gt_compress(uint8_t out[CUZK_GT_COMPRESSED_BYTES], const cuzk_fp12 *a)
{
    cuzk_fp6 b = a->c0, d;
    if (cuzk_fp6_is_zero(&a->c1)) {
        return false;
    }
    cuzk_fp_add(&b.c0.c0, &b.c0.c0, &CUZK_FP_ONE);
    cuzk_fp6_inv(&d, &a->c1);
    cuzk_fp6_mul(&b, &b, &d);
    encode_fp6(out, &b);
    return true;
}

cuzk_status cuzk_gt_decompress(cuzk_fp12 *out, const uint8_t in[CUZK_GT_COMPRESSED_BYTES])
{
    cuzk_fp6 b, d, n;
    cuzk_fp2 *c[3] = {&b.c0, &b.c1, &b.c2};
    for (size_t i = 0; i < 3; i++) {
        if (!decode_fp(&c[i]->c0, in + 96 * i) || !decode_fp(&c[i]->c1, in + 96 * i + 48)) {
            return CUZK_E_ENCODING;
        }
    }
    /* (b + w) / (b - w) = (b^2 + v + 2 b w) / (b^2 - v); v is not a square in Fp6. */
    cuzk_fp12 g;
    cuzk_fp6_sqr(&n, &b);
    d = n;
    cuzk_fp_sub(&d.c1.c0, &d.c1.c0, &CUZK_FP_ONE);
    cuzk_fp_add(&n.c1.c0, &n.c1.c0, &CUZK_FP_ONE);
    cuzk_fp6_inv(&d, &d);
    cuzk_fp6_mul(&g.c0, &n, &d);
    cuzk_fp6_mul(&g.c1, &b, &d);
    cuzk_fp6_add(&g.c1, &g.c1, &g.c1);
    if (!cuzk_gt_is_in_group(&g)) {
        return CUZK_E_NOT_IN_GROUP;
    }
    *out = g;
    return CUZK_OK;
}

bool cuzk_gt_is_in_group(const cuzk_fp12 *a)
{
    /* First a^(q^4 - q^2 + 1) = 1: then the fast squaring is right. Then a^q = a^z, whose solutions
     * there have order gcd(q - z, q^4 - q^2 + 1) = r (computed: tools/gt_order.py). */
    static const uint64_t z_abs = CUZK_EC_Z_ABS;
    cuzk_fp12 two, four, t;
    cuzk_fp12_frobenius(&two, a, 2);
    cuzk_fp12_frobenius(&four, &two, 2);
    cuzk_fp12_mul(&t, &four, a);
    if (!cuzk_fp12_eq(&t, &two) || (cuzk_fp6_is_zero(&a->c0) && cuzk_fp6_is_zero(&a->c1))) {
        return false;
    }
    cuzk_fp12_cyclotomic_pow(&t, a, &z_abs, 1);
    cuzk_fp12_conj(&t, &t);
    cuzk_fp12_frobenius(&two, a, 1);
    return cuzk_fp12_eq(&t, &two);
}

enum { WINDOW = 4, DIGITS = 66 };

/* Signed digits of k, least significant first: zero or odd, below 8 in size. */
static void recode(int8_t digit[DIGITS], uint64_t k)
{
    uint64_t high = 0; /* bit 64 */
    for (size_t i = 0; i < DIGITS; i++) {
        int d = 0;
        if ((k & 1) != 0) {
            d = (int)(k & ((1U << WINDOW) - 1));
            if (d >= 1 << (WINDOW - 1)) {
                d -= 1 << WINDOW;
                const uint64_t before = k;
                k += (uint64_t)-d;
                high += k < before ? 1 : 0;
            } else {
                k -= (uint64_t)d;
            }
        }
        digit[i] = (int8_t)d;
        k = k >> 1 | high << 63;
        high >>= 1;
    }
}

static void fill_table(cuzk_gt_table *t, const cuzk_gt_term *term)
{
    uint64_t d[4];
    cuzk_fp12 square;
    cuzk_endo_digits_hd(d, term->exponent.l);
    t->odd[0][0] = term->base;
    cuzk_fp12_cyclotomic_sqr(&square, &term->base);
    for (size_t i = 1; i < 4; i++) {
        cuzk_fp12_mul(&t->odd[0][i], &t->odd[0][i - 1], &square);
    }
    for (size_t i = 0; i < 4; i++) { /* a^|z| is the conjugate of a^q */
        cuzk_fp12_frobenius(&t->odd[1][i], &t->odd[0][i], 1);
        cuzk_fp12_conj(&t->odd[1][i], &t->odd[1][i]);
        cuzk_fp12_frobenius(&t->odd[2][i], &t->odd[0][i], 2);
        cuzk_fp12_frobenius(&t->odd[3][i], &t->odd[1][i], 2);
    }
    for (size_t k = 0; k < 4; k++) {
        recode(t->digit[k], d[k]);
    }
}

void cuzk_gt_multi_pow(cuzk_fp12 *out, const cuzk_gt_term *terms, size_t n, cuzk_gt_table *scratch)
{
    cuzk_fp12 acc, t;
    bool started = false;
    for (size_t j = 0; j < n; j++) {
        fill_table(&scratch[j], &terms[j]);
    }
    cuzk_fp12_set_one(&acc);
    for (size_t i = DIGITS; i-- > 0;) {
        if (started) {
            cuzk_fp12_cyclotomic_sqr(&acc, &acc);
        }
        for (size_t j = 0; j < 4 * n; j++) {
            const cuzk_gt_table *table = &scratch[j / 4];
            const int d = table->digit[j % 4][i];
            if (d > 0) {
                cuzk_fp12_mul(&acc, &acc, &table->odd[j % 4][d / 2]);
                started = true;
            } else if (d < 0) {
                cuzk_fp12_conj(&t, &table->odd[j % 4][-d / 2]);
                cuzk_fp12_mul(&acc, &acc, &t);
                started = true;
            }
        }
    }
    *out = acc;
}

void cuzk_gt_pow(cuzk_fp12 *out, const cuzk_fp12 *a, const cuzk_scalar *e)
{
    cuzk_gt_table table;
    const cuzk_gt_term term = {*a, *e};
    cuzk_gt_multi_pow(out, &term, 1, &table);
}
