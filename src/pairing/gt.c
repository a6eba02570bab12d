/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "pairing/gt.h"

#include <string.h>

#include "ec/endo_hd.h"
#include "pairing/gt_x4.h"

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

cuzk_status cuzk_gt_decompress_any(cuzk_fp12 *out, const uint8_t in[CUZK_GT_COMPRESSED_BYTES])
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
    *out = g;
    return CUZK_OK;
}

cuzk_status cuzk_gt_decompress(cuzk_fp12 *out, const uint8_t in[CUZK_GT_COMPRESSED_BYTES])
{
    cuzk_fp12 g;
    CUZK_TRY(cuzk_gt_decompress_any(&g, in));
    if (!cuzk_gt_is_in_group(&g)) {
        return CUZK_E_NOT_IN_GROUP;
    }
    *out = g;
    return CUZK_OK;
}

/* a^(q^4 - q^2 + 1) = 1: then the fast squaring is right. */
static bool is_cyclotomic(const cuzk_fp12 *a)
{
    cuzk_fp12 two, four, t;
    cuzk_fp12_frobenius(&two, a, 2);
    cuzk_fp12_frobenius(&four, &two, 2);
    cuzk_fp12_mul(&t, &four, a);
    return cuzk_fp12_eq(&t, &two) && !(cuzk_fp6_is_zero(&a->c0) && cuzk_fp6_is_zero(&a->c1));
}

/* a^q = a^z, whose solutions in the cyclotomic subgroup have order gcd(q - z, q^4 - q^2 + 1) = r (computed:
 * tools/gen/gt_order.py). */
static bool is_fixed(const cuzk_fp12 *a, const cuzk_fp12 *to_z)
{
    cuzk_fp12 once;
    cuzk_fp12_frobenius(&once, a, 1);
    return cuzk_fp12_eq(to_z, &once);
}

bool cuzk_gt_is_in_group(const cuzk_fp12 *a)
{
    static const uint64_t z_abs = CUZK_EC_Z_ABS;
    cuzk_fp12 t;
    if (!is_cyclotomic(a)) {
        return false;
    }
    cuzk_fp12_cyclotomic_pow(&t, a, &z_abs, 1);
    cuzk_fp12_conj(&t, &t);
    return is_fixed(a, &t);
}

#ifdef CUZK_FF_AVX2
enum { LANES = 4 };

/* Of the first up to four elements: how many are in the group before one that is not. */
static size_t count_in_lanes(const cuzk_fp12 *const *a, size_t n)
{
    cuzk_fp12 in[LANES], to_z[LANES];
    const size_t m = n < LANES ? n : LANES;
    size_t good = 0;
    for (size_t i = 0; i < LANES; i++) {
        in[i] = *a[i < m ? i : 0];
    }
    cuzk_gt_pow_z_avx2(to_z, in);
    while (good < m && is_cyclotomic(&in[good]) && is_fixed(&in[good], &to_z[good])) {
        good++;
    }
    return good;
}
#endif

size_t cuzk_gt_first_outside(const cuzk_fp12 *const *a, size_t n)
{
    size_t i = 0;
#ifdef CUZK_FF_AVX2
    while (cuzk_cpu_has(CUZK_CPU_AVX2) && n - i > 1) {
        const size_t m = n - i < LANES ? n - i : LANES, good = count_in_lanes(a + i, m);
        i += good;
        if (good < m) {
            return i;
        }
    }
#endif
    while (i < n && cuzk_gt_is_in_group(a[i])) {
        i++;
    }
    return i;
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
    for (size_t i = 0; i < 4;
         i++) { /* a^|z| is the conjugate of a^q. Short exponents have fewer digits. */
        if ((d[1] | d[3]) != 0) {
            cuzk_fp12_frobenius(&t->odd[1][i], &t->odd[0][i], 1);
            cuzk_fp12_conj(&t->odd[1][i], &t->odd[1][i]);
        }
        if (d[2] != 0) {
            cuzk_fp12_frobenius(&t->odd[2][i], &t->odd[0][i], 2);
        }
        if (d[3] != 0) {
            cuzk_fp12_frobenius(&t->odd[3][i], &t->odd[1][i], 2);
        }
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
