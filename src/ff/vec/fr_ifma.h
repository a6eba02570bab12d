/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_FF_VEC_FR_IFMA_H
#define CUZK_FF_VEC_FR_IFMA_H

/*
 * Eight elements of Fr at once with AVX-512 IFMA, for files compiled with those flags and entered
 * only when cuzk_cpu_has(CUZK_CPU_AVX512IFMA).
 *
 * A vector is five limbs of eight lanes, radix 2^52. Limbs are signed 64-bit numbers of magnitude
 * < 2^62 whose weighted sum is the value. "Normalised": every limb in [0, 2^52). "Carried": the
 * low 52 bits of the limbs are the digits of the value, and what is above them is to be ignored;
 * IFMA multiplies such limbs as they are. Bounds are on values, as multiples of r; 2^260 > 35 r.
 *
 * Multiplication divides by 2^260. Elements keep the 2^256 form of cuzk_fr throughout: a factor
 * is stored as w * 2^260 ("twisted"), so that the product of an element and a factor is again an
 * element.
 */
#include <immintrin.h>

#include "ff/fr.h"
#include "ff/gen/fr52_const_gen.h"

typedef struct cuzk_frx8 {
    __m512i l[5];
} cuzk_frx8;

#define CUZK_FRX8_MASK _mm512_set1_epi64((1LL << 52) - 1)

CUZK_HD_INLINE __m512i cuzk_frx8_set1(uint64_t v)
{
    return _mm512_set1_epi64((long long)v);
}

/** Eight elements as limbs 0..3 of eight lanes. */
CUZK_HD_INLINE void cuzk_frx8_transpose_in(__m512i q[4], __m512i e01, __m512i e23, __m512i e45,
                                           __m512i e67)
{
    const __m512i lo = _mm512_setr_epi64(0, 4, 8, 12, 1, 5, 9, 13);
    const __m512i hi = _mm512_setr_epi64(2, 6, 10, 14, 3, 7, 11, 15);
    const __m512i a = _mm512_permutex2var_epi64(e01, lo, e23);
    const __m512i b = _mm512_permutex2var_epi64(e01, hi, e23);
    const __m512i c = _mm512_permutex2var_epi64(e45, lo, e67);
    const __m512i d = _mm512_permutex2var_epi64(e45, hi, e67);
    q[0] = _mm512_shuffle_i64x2(a, c, 0x44);
    q[1] = _mm512_shuffle_i64x2(a, c, 0xee);
    q[2] = _mm512_shuffle_i64x2(b, d, 0x44);
    q[3] = _mm512_shuffle_i64x2(b, d, 0xee);
}

/** The inverse: out[0] = elements 0 and 1, ... */
CUZK_HD_INLINE void cuzk_frx8_transpose_out(__m512i out[4], const __m512i q[4])
{
    const __m512i a = _mm512_unpacklo_epi64(q[0], q[1]); /* limbs 0,1 of lanes 0 2 4 6 */
    const __m512i b = _mm512_unpackhi_epi64(q[0], q[1]); /* of lanes 1 3 5 7 */
    const __m512i c = _mm512_unpacklo_epi64(q[2], q[3]);
    const __m512i d = _mm512_unpackhi_epi64(q[2], q[3]);
    const __m512i p01 = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13);
    const __m512i p23 = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
    const __m512i even04 = _mm512_permutex2var_epi64(a, p01, c); /* elements 0 and 4 */
    const __m512i even26 = _mm512_permutex2var_epi64(a, p23, c);
    const __m512i odd15 = _mm512_permutex2var_epi64(b, p01, d);
    const __m512i odd37 = _mm512_permutex2var_epi64(b, p23, d);
    out[0] = _mm512_shuffle_i64x2(even04, odd15, 0x44);
    out[1] = _mm512_shuffle_i64x2(even26, odd37, 0x44);
    out[2] = _mm512_shuffle_i64x2(even04, odd15, 0xee);
    out[3] = _mm512_shuffle_i64x2(even26, odd37, 0xee);
}

/** From 64-bit limbs; normalised, value < 2^256. */
CUZK_HD_INLINE void cuzk_frx8_split(cuzk_frx8 *x, const __m512i q[4])
{
    const __m512i m = CUZK_FRX8_MASK;
    x->l[0] = _mm512_and_si512(q[0], m);
    x->l[1] = _mm512_and_si512(
        _mm512_or_si512(_mm512_srli_epi64(q[0], 52), _mm512_slli_epi64(q[1], 12)), m);
    x->l[2] = _mm512_and_si512(
        _mm512_or_si512(_mm512_srli_epi64(q[1], 40), _mm512_slli_epi64(q[2], 24)), m);
    x->l[3] = _mm512_and_si512(
        _mm512_or_si512(_mm512_srli_epi64(q[2], 28), _mm512_slli_epi64(q[3], 36)), m);
    x->l[4] = _mm512_srli_epi64(q[3], 16);
}

/** To 64-bit limbs. Pre: normalised, value < 2^256. */
CUZK_HD_INLINE void cuzk_frx8_join(__m512i q[4], const cuzk_frx8 *x)
{
    q[0] = _mm512_or_si512(x->l[0], _mm512_slli_epi64(x->l[1], 52));
    q[1] = _mm512_or_si512(_mm512_srli_epi64(x->l[1], 12), _mm512_slli_epi64(x->l[2], 40));
    q[2] = _mm512_or_si512(_mm512_srli_epi64(x->l[2], 24), _mm512_slli_epi64(x->l[3], 28));
    q[3] = _mm512_or_si512(_mm512_srli_epi64(x->l[3], 36), _mm512_slli_epi64(x->l[4], 16));
}

/** 64-bit limbs of eight elements at distance `stride` (in elements). */
CUZK_HD_INLINE void cuzk_frx8_gather(__m512i q[4], const cuzk_fr *p, size_t stride)
{
    __m512i e[4];
    for (size_t i = 0; i < 4; i++) {
        if (stride == 1) {
            e[i] = _mm512_loadu_si512(p + 2 * i);
        } else {
            e[i] = _mm512_inserti64x4(
                _mm512_castsi256_si512(
                    _mm256_loadu_si256((const __m256i *)(const void *)(p + 2 * i * stride))),
                _mm256_loadu_si256((const __m256i *)(const void *)(p + (2 * i + 1) * stride)), 1);
        }
    }
    cuzk_frx8_transpose_in(q, e[0], e[1], e[2], e[3]);
}

/** Eight elements at distance `stride`; normalised. */
CUZK_HD_INLINE void cuzk_frx8_load(cuzk_frx8 *x, const cuzk_fr *p, size_t stride)
{
    __m512i q[4];
    cuzk_frx8_gather(q, p, stride);
    cuzk_frx8_split(x, q);
}

/** The same times 16: factors for cuzk_frx8_mul whose product with an element is again an element. */
CUZK_HD_INLINE void cuzk_frx8_load_x16(cuzk_frx8 *x, const cuzk_fr *p, size_t stride)
{
    const __m512i m = CUZK_FRX8_MASK;
    __m512i q[4];
    cuzk_frx8_gather(q, p, stride);
    x->l[0] = _mm512_and_si512(_mm512_slli_epi64(q[0], 4), m);
    x->l[1] = _mm512_and_si512(
        _mm512_or_si512(_mm512_srli_epi64(q[0], 48), _mm512_slli_epi64(q[1], 16)), m);
    x->l[2] = _mm512_and_si512(
        _mm512_or_si512(_mm512_srli_epi64(q[1], 36), _mm512_slli_epi64(q[2], 28)), m);
    x->l[3] = _mm512_and_si512(
        _mm512_or_si512(_mm512_srli_epi64(q[2], 24), _mm512_slli_epi64(q[3], 40)), m);
    x->l[4] = _mm512_srli_epi64(q[3], 12);
}

/** Pre: normalised, < 2^256 (elements: < r). */
CUZK_HD_INLINE void cuzk_frx8_store(cuzk_fr *p, size_t stride, const cuzk_frx8 *x)
{
    __m512i e[4], q[4];
    cuzk_frx8_join(q, x);
    cuzk_frx8_transpose_out(e, q);
    for (size_t i = 0; i < 4; i++) {
        if (stride == 1) {
            _mm512_storeu_si512(p + 2 * i, e[i]);
        } else {
            _mm256_storeu_si256((__m256i *)(void *)(p + 2 * i * stride),
                                _mm512_castsi512_si256(e[i]));
            _mm256_storeu_si256((__m256i *)(void *)(p + (2 * i + 1) * stride),
                                _mm512_extracti64x4_epi64(e[i], 1));
        }
    }
}

CUZK_HD_INLINE void cuzk_frx8_const(cuzk_frx8 *x, const uint64_t v[5])
{
    for (int i = 0; i < 5; i++) {
        x->l[i] = cuzk_frx8_set1(v[i]);
    }
}

/** Makes x carried. Pre: 0 <= value < 2^260. */
CUZK_HD_INLINE void cuzk_frx8_carry(cuzk_frx8 *x)
{
    for (int i = 0; i < 4; i++) {
        x->l[i + 1] = _mm512_add_epi64(x->l[i + 1], _mm512_srai_epi64(x->l[i], 52));
    }
}

/** Carries limbs 0..3 upwards. Post: normalised when 0 <= value < 2^260; else the top limb is out of range, too. */
CUZK_HD_INLINE void cuzk_frx8_normalise(cuzk_frx8 *x)
{
    cuzk_frx8_carry(x);
    for (int i = 0; i < 4; i++) {
        x->l[i] = _mm512_and_si512(x->l[i], CUZK_FRX8_MASK);
    }
}

CUZK_HD_INLINE void cuzk_frx8_add(cuzk_frx8 *out, const cuzk_frx8 *a, const cuzk_frx8 *b)
{
    for (int i = 0; i < 5; i++) {
        out->l[i] = _mm512_add_epi64(a->l[i], b->l[i]);
    }
}

CUZK_HD_INLINE void cuzk_frx8_sub(cuzk_frx8 *out, const cuzk_frx8 *a, const cuzk_frx8 *b)
{
    for (int i = 0; i < 5; i++) {
        out->l[i] = _mm512_sub_epi64(a->l[i], b->l[i]);
    }
}

/** out = a - b + k, k a multiple of r that is at least b. */
CUZK_HD_INLINE void cuzk_frx8_sub_plus(cuzk_frx8 *out, const cuzk_frx8 *a, const cuzk_frx8 *b,
                                       const uint64_t k[5])
{
    for (int i = 0; i < 5; i++) {
        out->l[i] = _mm512_sub_epi64(_mm512_add_epi64(a->l[i], cuzk_frx8_set1(k[i])), b->l[i]);
    }
}

/** Columns of a sum of products, before the first; redc says why the lower ones do not start at 0. */
CUZK_HD_INLINE void cuzk_frx8_mac_init(__m512i t[10])
{
    for (int i = 0; i < 10; i++) {
        t[i] = i < 5 ? CUZK_FRX8_MASK : _mm512_setzero_si512();
    }
}

/** Columns t += a*b, at most 64 times. Pre: both carried. */
CUZK_HD_INLINE void cuzk_frx8_mac(__m512i t[10], const cuzk_frx8 *a, const cuzk_frx8 *b)
{
    for (int i = 0; i < 5; i++) {
        for (int j = 0; j < 5; j++) {
            t[i + j] = _mm512_madd52lo_epu64(t[i + j], a->l[j], b->l[i]);
            t[i + j + 1] = _mm512_madd52hi_epu64(t[i + j + 1], a->l[j], b->l[i]);
        }
    }
}

/**
 * out = sum of the products in t / 2^260 mod r; t is used up. Post: limbs in [0, n 2^57) for n
 * products; value < r + sum/2^260.
 *
 * Five Montgomery steps. The lowest limb of a step becomes 0 mod 2^52, so its carry is the column
 * rounded up, and m r0 contributes its high half only. To round up by a shift alone, columns 0..4
 * start at 2^52 - 1; m = inv * (column + 1) makes up for it. The two terms on the way from one m to
 * the next are accumulated apart, which shortens that way.
 */
CUZK_HD_INLINE void cuzk_frx8_redc(cuzk_frx8 *out, __m512i t[10])
{
    static const uint64_t r[5] = CUZK_FR52_MOD;
    const __m512i inv = cuzk_frx8_set1(CUZK_FR52_INV);
    for (int i = 0; i < 5; i++) {
        const __m512i m = _mm512_madd52lo_epu64(inv, t[i], inv);
        const __m512i up =
            _mm512_madd52hi_epu64(_mm512_srli_epi64(t[i], 52), m, cuzk_frx8_set1(r[0]));
        t[i + 1] = _mm512_madd52lo_epu64(t[i + 1], m, cuzk_frx8_set1(r[1]));
        t[i + 1] = _mm512_add_epi64(t[i + 1], up);
        for (int j = 1; j < 5; j++) {
            if (j > 1) {
                t[i + j] = _mm512_madd52lo_epu64(t[i + j], m, cuzk_frx8_set1(r[j]));
            }
            t[i + j + 1] = _mm512_madd52hi_epu64(t[i + j + 1], m, cuzk_frx8_set1(r[j]));
        }
    }
    for (int i = 0; i < 5; i++) {
        out->l[i] = t[i + 5];
    }
}

/**
 * out = a*b / 2^260 mod r. Pre: both carried. Post: limbs in [0, 2^57); value < r + a*b/2^260: for
 * a < X r and b < W r that is (1 + X W / 35) r.
 */
CUZK_HD_INLINE void cuzk_frx8_mul(cuzk_frx8 *out, const cuzk_frx8 *a, const cuzk_frx8 *b)
{
    __m512i t[10];
    cuzk_frx8_mac_init(t);
    cuzk_frx8_mac(t, a, b);
    cuzk_frx8_redc(out, t);
}

/** Pre: normalised, < 2^260. Post: normalised, < 2r. */
CUZK_HD_INLINE void cuzk_frx8_reduce_lazy(cuzk_frx8 *x)
{
    static const uint64_t neg[5] = CUZK_FR52_MOD_NEG;
    const __m512i q = _mm512_srli_epi64(
        _mm512_madd52hi_epu64(_mm512_setzero_si512(), x->l[4], cuzk_frx8_set1(CUZK_FR52_QUOT)), 46);
    /* x - q r = x + q (2^260 - r) mod 2^260 */
    for (int i = 0; i < 5; i++) {
        const __m512i n = cuzk_frx8_set1(neg[i]);
        x->l[i] = _mm512_madd52lo_epu64(x->l[i], q, n);
        if (i < 4) {
            x->l[i + 1] = _mm512_madd52hi_epu64(x->l[i + 1], q, n);
        }
    }
    cuzk_frx8_normalise(x);
    x->l[4] = _mm512_and_si512(x->l[4], CUZK_FRX8_MASK);
}

/** Pre: normalised, < 2r. Post: normalised, < r. */
CUZK_HD_INLINE void cuzk_frx8_reduce_once(cuzk_frx8 *x)
{
    static const uint64_t r[5] = CUZK_FR52_MOD;
    cuzk_frx8 s;
    for (int i = 0; i < 5; i++) {
        s.l[i] = _mm512_sub_epi64(x->l[i], cuzk_frx8_set1(r[i]));
    }
    cuzk_frx8_normalise(&s); /* the top limb keeps the sign */
    const __mmask8 below = _mm512_movepi64_mask(s.l[4]);
    for (int i = 0; i < 5; i++) {
        x->l[i] = _mm512_mask_mov_epi64(s.l[i], below, x->l[i]);
    }
}

#endif /* CUZK_FF_VEC_FR_IFMA_H */
