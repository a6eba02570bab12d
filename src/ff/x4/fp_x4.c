/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "ff/x4/fp_x4.h"

#include "ff/gen/fp28_const_gen.h"
#include "ff/x4/fp2_x4.h"
#include "ff/x4/fp_x4_wide.h"

#define FOUR(x)                                                        \
    {                                                                  \
        (long long)(x), (long long)(x), (long long)(x), (long long)(x) \
    }
#define SPREAD(a, b, c, d, e, f, g, h, i, j, k, l, m, n)                                     \
    {                                                                                        \
        {                                                                                    \
            FOUR(a), FOUR(b), FOUR(c), FOUR(d), FOUR(e), FOUR(f), FOUR(g), FOUR(h), FOUR(i), \
                FOUR(j), FOUR(k), FOUR(l), FOUR(m), FOUR(n)                                  \
        }                                                                                    \
    }
#define NUMBER(limbs) SPREAD(limbs)

const cuzk_fp_x4 cuzk_fp_x4_one = NUMBER(CUZK_FP28_ONE);
const cuzk_fp_x4 cuzk_fp_x4_minus_one = NUMBER(CUZK_FP28_MINUS_ONE);
const cuzk_fp_x4 cuzk_fp_x4_q = NUMBER(CUZK_FP28_MOD);
const cuzk_fp_x4 cuzk_fp_x4_16q_far = NUMBER(CUZK_FP28_MOD16_FAR);
const cuzk_fp_x4 cuzk_fp_x4_q_far = NUMBER(CUZK_FP28_MOD_FAR);
const cuzk_fp_x4 cuzk_fp_x4_2q = NUMBER(CUZK_FP28_MOD2_LENT);
const cuzk_fp_x4 cuzk_fp_x4_16q = NUMBER(CUZK_FP28_MOD16_LENT);
const cuzk_fp_x4_wide cuzk_fp_x4_wide600 = {NUMBER(CUZK_FP28_WIDE600_LOW),
                                            NUMBER(CUZK_FP28_WIDE600_HIGH)};
const cuzk_fp_x4_wide cuzk_fp_x4_wide900 = {NUMBER(CUZK_FP28_WIDE900_LOW),
                                            NUMBER(CUZK_FP28_WIDE900_HIGH)};
static const cuzk_fp_x4 from_limbs64 = NUMBER(CUZK_FP28_FROM_LIMBS64);
static const cuzk_fp_x4 to_limbs64 = NUMBER(CUZK_FP28_TO_LIMBS64);

enum { LANES = 4, BITS = 28 };

void cuzk_fp_x4_load(cuzk_fp_x4 *out, const cuzk_fp *in, size_t stride)
{
    union {
        cuzk_fp_x4 v;
        uint64_t w[CUZK_FP_X4_LIMBS][LANES];
    } u;
    for (size_t k = 0; k < LANES; k++) {
        const cuzk_fp *p = (const cuzk_fp *)(const void *)((const char *)in + k * stride);
        for (size_t j = 0; j < CUZK_FP_X4_LIMBS; j++) {
            const size_t at = BITS * j, word = at / 64, shift = at % 64;
            uint64_t x = p->l[word] >> shift;
            if (shift + BITS > 64 && word < 5) {
                x |= p->l[word + 1] << (64 - shift);
            }
            u.w[j][k] = x & ((UINT64_C(1) << BITS) - 1);
        }
    }
    cuzk_fp_x4_mul(out, &u.v, &from_limbs64);
}

void cuzk_fp_x4_store(cuzk_fp *out, size_t stride, const cuzk_fp_x4 *in)
{
    static const cuzk_fp q = {CUZK_FP_MOD_LIMBS};
    union {
        cuzk_fp_x4 v;
        uint64_t w[CUZK_FP_X4_LIMBS][LANES];
    } u;
    cuzk_fp_x4_mul(&u.v, in, &to_limbs64);
    for (size_t k = 0; k < LANES; k++) {
        cuzk_fp *p = (cuzk_fp *)(void *)((char *)out + k * stride);
        cuzk_fp x = {{0}}, less = {{0}};
        for (size_t j = 0; j < CUZK_FP_X4_LIMBS; j++) {
            const size_t at = BITS * j, word = at / 64, shift = at % 64;
            x.l[word] |= u.w[j][k] << shift;
            if (shift + BITS > 64 && word < 5) {
                x.l[word + 1] |= u.w[j][k] >> (64 - shift);
            }
        }
        uint64_t borrow = 0;
        for (size_t i = 0; i < 6; i++) { /* below 2 q */
            less.l[i] = cuzk_sbb(x.l[i], q.l[i], borrow, &borrow);
        }
        *p = borrow != 0 ? x : less;
    }
}

void cuzk_fp_x4_batch_inv(cuzk_fp_x4 *a, cuzk_fp_x4 *scratch, size_t n)
{
    cuzk_fp_x4 acc = a[0];
    cuzk_fp four[LANES], s[LANES];
    for (size_t i = 1; i < n; i++) {
        scratch[i] = acc;
        cuzk_fp_x4_mul(&acc, &a[i], &acc);
    }
    cuzk_fp_x4_store(four, sizeof(*four), &acc);
    cuzk_fp_batch_inv(four, s, LANES);
    cuzk_fp_x4_load(&acc, four, sizeof(*four));
    for (size_t i = n; i-- > 1;) {
        cuzk_fp_x4 t;
        cuzk_fp_x4_mul(&t, &acc, &scratch[i]);
        cuzk_fp_x4_mul(&acc, &a[i], &acc);
        a[i] = t;
    }
    a[0] = acc;
}

void cuzk_fp2_x4_load(cuzk_fp2_x4 *out, const cuzk_fp2 *in, size_t stride)
{
    cuzk_fp_x4_load(&out->c0, &in->c0, stride);
    cuzk_fp_x4_load(&out->c1, &in->c1, stride);
}

void cuzk_fp2_x4_store(cuzk_fp2 *out, size_t stride, const cuzk_fp2_x4 *in)
{
    cuzk_fp_x4_store(&out->c0, stride, &in->c0);
    cuzk_fp_x4_store(&out->c1, stride, &in->c1);
}

void cuzk_fp2_x4_batch_inv(cuzk_fp2_x4 *a, cuzk_fp2_x4 *scratch, size_t n)
{
    cuzk_fp2_x4 acc = a[0];
    cuzk_fp2 four[LANES], s[LANES];
    for (size_t i = 1; i < n; i++) {
        scratch[i] = acc;
        cuzk_fp2_x4_mul(&acc, &a[i], &acc);
    }
    cuzk_fp2_x4_store(four, sizeof(*four), &acc);
    cuzk_fp2_batch_inv(four, s, LANES);
    cuzk_fp2_x4_load(&acc, four, sizeof(*four));
    for (size_t i = n; i-- > 1;) {
        cuzk_fp2_x4 t;
        cuzk_fp2_x4_mul(&t, &acc, &scratch[i]);
        cuzk_fp2_x4_mul(&acc, &a[i], &acc);
        a[i] = t;
    }
    a[0] = acc;
}
