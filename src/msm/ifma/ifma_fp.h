/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_MSM_IFMA_IFMA_FP_H
#define CUZK_MSM_IFMA_IFMA_FP_H

/*
 * Fp in eight lanes: radix 2^52, Montgomery with 2^416, for files compiled with AVX-512 IFMA.
 *
 * 416 bits leave 35 above q, so nothing is reduced exactly. A value is *normal* when its limbs are
 * below 2^52, which every factor of a product must be; sums are made limb by limb in signed 64-bit
 * words and normalised once. Bounds are given as multiples of q.
 *   product of a and b: a b / 2^416 + q <= q (1 + 2^-35 a/q b/q), so q + a little for a b < 2^30 q^2
 *   vfp_reduce: below 1.01 q
 */
#include <immintrin.h>
#include <stdint.h>

#include "ff/fp.h"
#include "msm/gen/msm_const_gen.h"

#if defined(__clang__)
#    define VFP_UNROLL _Pragma("unroll")
/* It does not see that a loop over all limbs sets all limbs. */
#    pragma clang diagnostic ignored "-Wconditional-uninitialized"
#else
#    define VFP_UNROLL _Pragma("GCC unroll 16")
#endif
#define VFP_INLINE static inline __attribute__((always_inline, unused))

typedef struct vfp {
    __m512i l[8];
} vfp;

static const uint64_t VFP_P[8] = CUZK_MSM_P52;
static const uint64_t VFP_NEGP[8] = CUZK_MSM_NEGP52;
static const uint64_t VFP_ONE[8] = CUZK_MSM_ONE52;
static const uint64_t VFP_ZERO[8] = {0, 0, 0, 0, 0, 0, 0, 0};
static const uint64_t VFP_EXPORT_X[8] = CUZK_MSM_EXPORT_X52;
static const uint64_t VFP_EXPORT_Y[8] = CUZK_MSM_EXPORT_Y52;
/* Multiples of q that keep differences positive. */
static const uint64_t VFP_2P[8] = CUZK_MSM_P52_SHL1;
static const uint64_t VFP_8P[8] = CUZK_MSM_P52_SHL3;
static const uint64_t VFP_4096P[8] = CUZK_MSM_P52_SHL12;
static const uint64_t VFP_16384P[8] = CUZK_MSM_P52_SHL14;

VFP_INLINE __m512i vfp_word(uint64_t v)
{
    return _mm512_set1_epi64((long long)v);
}

VFP_INLINE __m512i vfp_mask52(void)
{
    return vfp_word(((uint64_t)1 << 52) - 1);
}

VFP_INLINE vfp vfp_broadcast(const uint64_t c[8])
{
    vfp r;
    VFP_UNROLL
    for (int i = 0; i < 8; i++) {
        r.l[i] = vfp_word(c[i]);
    }
    return r;
}

/** Limb by limb; not normal. */
VFP_INLINE vfp vfp_raw_sub(const vfp *a, const vfp *b)
{
    vfp r;
    VFP_UNROLL
    for (int i = 0; i < 8; i++) {
        r.l[i] = _mm512_sub_epi64(a->l[i], b->l[i]);
    }
    return r;
}

VFP_INLINE vfp vfp_raw_add(const vfp *a, const vfp *b)
{
    vfp r;
    VFP_UNROLL
    for (int i = 0; i < 8; i++) {
        r.l[i] = _mm512_add_epi64(a->l[i], b->l[i]);
    }
    return r;
}

/** a + c limb by limb, c the same for all lanes. */
VFP_INLINE vfp vfp_raw_add_words(const vfp *a, const uint64_t c[8])
{
    vfp r;
    VFP_UNROLL
    for (int i = 0; i < 8; i++) {
        r.l[i] = _mm512_add_epi64(a->l[i], vfp_word(c[i]));
    }
    return r;
}

/** Carries, for a value in [0, 2^416) with signed limbs of less than 62 bits. */
VFP_INLINE vfp vfp_normal(const vfp *a)
{
    const __m512i mask = vfp_mask52();
    vfp r;
    __m512i c = _mm512_setzero_si512();
    VFP_UNROLL
    for (int i = 0; i < 8; i++) {
        const __m512i t = _mm512_add_epi64(a->l[i], c);
        c = _mm512_srai_epi64(t, 52);
        r.l[i] = _mm512_and_si512(t, mask);
    }
    return r;
}

/**
 * Same value mod q, normal, < 1.01 q. Pre: a value in [2^365, 2^414) with signed limbs of less than
 * 60 bits. The quotient by the top bits is never too large, and too small by less than 1.01.
 */
VFP_INLINE vfp vfp_reduce(const vfp *a)
{
    vfp t = *a;
    const __m512i zero = _mm512_setzero_si512();
    /* One less than the top limb with the carry of the next: below the true one by at most 2. */
    __m512i top = _mm512_add_epi64(t.l[7], _mm512_srai_epi64(t.l[6], 52));
    top = _mm512_sub_epi64(top, vfp_word(1));
    const __m512i q = _mm512_madd52hi_epu64(zero, top, vfp_word(CUZK_MSM_QEST52));
    VFP_UNROLL
    for (int i = 0; i < 8; i++) { /* + q (2^416 - p): what leaves the top limb is dropped */
        t.l[i] = _mm512_madd52lo_epu64(t.l[i], q, vfp_word(VFP_NEGP[i]));
    }
    VFP_UNROLL
    for (int i = 0; i < 7; i++) {
        t.l[i + 1] = _mm512_madd52hi_epu64(t.l[i + 1], q, vfp_word(VFP_NEGP[i]));
    }
    return vfp_normal(&t);
}

/* One row of Montgomery reduction: t = (t + m q) / 2^52, m making the low limb vanish. */
VFP_INLINE void vfp_redc_row(__m512i t[9], __m512i m)
{
    VFP_UNROLL
    for (int j = 0; j < 8; j++) {
        t[j] = _mm512_madd52lo_epu64(t[j], m, vfp_word(VFP_P[j]));
    }
    const __m512i c = _mm512_srli_epi64(t[0], 52);
    VFP_UNROLL
    for (int j = 0; j < 8; j++) {
        t[j] = _mm512_madd52hi_epu64(t[j + 1], m, vfp_word(VFP_P[j]));
    }
    t[0] = _mm512_add_epi64(t[0], c);
    t[8] = _mm512_setzero_si512();
}

VFP_INLINE void vfp_carry(vfp *out, const __m512i t[8])
{
    const __m512i mask = vfp_mask52();
    __m512i c = _mm512_setzero_si512();
    VFP_UNROLL
    for (int j = 0; j < 8; j++) {
        const __m512i s = _mm512_add_epi64(t[j], c);
        c = _mm512_srli_epi64(s, 52);
        out->l[j] = _mm512_and_si512(s, mask);
    }
}

/**
 * out = a b / 2^416. A call, not inlined: the 300 instructions stay in the decoded cache, all of
 * the working set is in registers, and the processor overlaps neighbouring independent calls. Two
 * in a row take 4.4 ns per lane and product on Zen 5, interleaved by hand 4.9.
 */
static __attribute__((noinline, unused)) void vfp_mul(vfp *out, const vfp *a, const vfp *b)
{
    const __m512i zero = _mm512_setzero_si512(), pinv = vfp_word(CUZK_MSM_PINV52);
    __m512i t[9];
    VFP_UNROLL
    for (int j = 0; j < 9; j++) {
        t[j] = zero;
    }
    VFP_UNROLL
    for (int i = 0; i < 8; i++) {
        const __m512i bi = b->l[i];
        VFP_UNROLL
        for (int j = 0; j < 8; j++) {
            t[j] = _mm512_madd52lo_epu64(t[j], a->l[j], bi);
        }
        const __m512i m = _mm512_madd52lo_epu64(zero, t[0], pinv);
        VFP_UNROLL
        for (int j = 0; j < 8; j++) {
            t[j + 1] = _mm512_madd52hi_epu64(t[j + 1], a->l[j], bi);
        }
        vfp_redc_row(t, m);
    }
    vfp_carry(out, t);
}

/** out = a^2 / 2^416: the products off the diagonal once, doubled. */
static __attribute__((noinline, unused)) void vfp_sqr(vfp *out, const vfp *a)
{
    const __m512i zero = _mm512_setzero_si512(), pinv = vfp_word(CUZK_MSM_PINV52);
    __m512i w[16], t[9];
    VFP_UNROLL
    for (int j = 0; j < 16; j++) {
        w[j] = zero;
    }
    VFP_UNROLL
    for (int i = 0; i < 7; i++) {
        VFP_UNROLL
        for (int j = i + 1; j < 8; j++) {
            w[i + j] = _mm512_madd52lo_epu64(w[i + j], a->l[i], a->l[j]);
            w[i + j + 1] = _mm512_madd52hi_epu64(w[i + j + 1], a->l[i], a->l[j]);
        }
    }
    VFP_UNROLL
    for (int i = 0; i < 8; i++) {
        w[2 * i] = _mm512_add_epi64(w[2 * i], w[2 * i]);
        w[2 * i + 1] = _mm512_add_epi64(w[2 * i + 1], w[2 * i + 1]);
        w[2 * i] = _mm512_madd52lo_epu64(w[2 * i], a->l[i], a->l[i]);
        w[2 * i + 1] = _mm512_madd52hi_epu64(w[2 * i + 1], a->l[i], a->l[i]);
    }
    VFP_UNROLL
    for (int j = 0; j < 8; j++) {
        t[j] = w[j];
    }
    VFP_UNROLL
    for (int i = 0; i < 8; i++) {
        const __m512i m = _mm512_madd52lo_epu64(zero, t[0], pinv);
        t[8] = w[8 + i];
        vfp_redc_row(t, m);
    }
    vfp_carry(out, t);
}

/** out = (a b + c d) / 2^416 with one reduction. */
static __attribute__((noinline, unused)) void vfp_mul_add(vfp *out, const vfp *a, const vfp *b,
                                                          const vfp *c, const vfp *d)
{
    const __m512i zero = _mm512_setzero_si512(), pinv = vfp_word(CUZK_MSM_PINV52);
    __m512i t[9];
    VFP_UNROLL
    for (int j = 0; j < 9; j++) {
        t[j] = zero;
    }
    VFP_UNROLL
    for (int i = 0; i < 8; i++) {
        const __m512i bi = b->l[i], di = d->l[i];
        VFP_UNROLL
        for (int j = 0; j < 8; j++) {
            t[j] = _mm512_madd52lo_epu64(t[j], a->l[j], bi);
            t[j] = _mm512_madd52lo_epu64(t[j], c->l[j], di);
        }
        const __m512i m = _mm512_madd52lo_epu64(zero, t[0], pinv);
        VFP_UNROLL
        for (int j = 0; j < 8; j++) {
            t[j + 1] = _mm512_madd52hi_epu64(t[j + 1], a->l[j], bi);
            t[j + 1] = _mm512_madd52hi_epu64(t[j + 1], c->l[j], di);
        }
        vfp_redc_row(t, m);
    }
    vfp_carry(out, t);
}

VFP_INLINE vfp vfp_from_words(const __m512i w[8])
{
    vfp r;
    VFP_UNROLL
    for (int i = 0; i < 8; i++) {
        r.l[i] = w[i];
    }
    return r;
}

VFP_INLINE void vfp_to_words(__m512i w[8], const vfp *a)
{
    VFP_UNROLL
    for (int i = 0; i < 8; i++) {
        w[i] = a->l[i];
    }
}

/** Lanes whose value is 0 mod q. Pre: below 2^30 q. */
VFP_INLINE __mmask8 vfp_zero_mod(const vfp *a)
{
    const uint64_t plain_one[8] = {1, 0, 0, 0, 0, 0, 0, 0};
    const vfp one = vfp_broadcast(plain_one);
    vfp r; /* a / 2^416 is 0 or q exactly when a is 0 mod q */
    vfp_mul(&r, a, &one);
    __m512i any = _mm512_setzero_si512(), diff = any;
    VFP_UNROLL
    for (int i = 0; i < 8; i++) {
        any = _mm512_or_si512(any, r.l[i]);
        diff = _mm512_or_si512(diff, _mm512_xor_si512(r.l[i], vfp_word(VFP_P[i])));
    }
    return (__mmask8)(_mm512_testn_epi64_mask(any, any) | _mm512_testn_epi64_mask(diff, diff));
}

/** Lanes whose limbs are all zero. */
VFP_INLINE __mmask8 vfp_zero_bits(const vfp *a)
{
    __m512i any = a->l[0];
    VFP_UNROLL
    for (int i = 1; i < 8; i++) {
        any = _mm512_or_si512(any, a->l[i]);
    }
    return _mm512_testn_epi64_mask(any, any);
}

/** Lanes of m from b, the others from a. */
VFP_INLINE vfp vfp_select(__mmask8 m, const vfp *a, const vfp *b)
{
    vfp r;
    VFP_UNROLL
    for (int i = 0; i < 8; i++) {
        r.l[i] = _mm512_mask_mov_epi64(a->l[i], m, b->l[i]);
    }
    return r;
}

/** 8x8 transpose of 64-bit words. */
VFP_INLINE void vfp_transpose(__m512i r[8])
{
    __m512i t[8], u[8];
    VFP_UNROLL
    for (int i = 0; i < 4; i++) {
        t[2 * i] = _mm512_unpacklo_epi64(r[2 * i], r[2 * i + 1]);
        t[2 * i + 1] = _mm512_unpackhi_epi64(r[2 * i], r[2 * i + 1]);
    }
    VFP_UNROLL
    for (int i = 0; i < 2; i++) { /* 128-bit blocks: 0 2 | 0 2 and 1 3 | 1 3 of each half */
        u[i] = _mm512_shuffle_i64x2(t[i], t[i + 2], 0x88);
        u[i + 2] = _mm512_shuffle_i64x2(t[i], t[i + 2], 0xdd);
        u[i + 4] = _mm512_shuffle_i64x2(t[i + 4], t[i + 6], 0x88);
        u[i + 6] = _mm512_shuffle_i64x2(t[i + 4], t[i + 6], 0xdd);
    }
    VFP_UNROLL
    for (int i = 0; i < 2; i++) {
        r[i] = _mm512_shuffle_i64x2(u[i], u[i + 4], 0x88);
        r[i + 4] = _mm512_shuffle_i64x2(u[i], u[i + 4], 0xdd);
        r[i + 2] = _mm512_shuffle_i64x2(u[i + 2], u[i + 6], 0x88);
        r[i + 6] = _mm512_shuffle_i64x2(u[i + 2], u[i + 6], 0xdd);
    }
}

/** Eight 384-bit integers, 64-bit limbs in w[0..5], times 2^shift, to limbs of 52 bits. shift < 32. */
VFP_INLINE vfp vfp_from_limbs64(const __m512i w[8], int shift)
{
    const __m512i mask = vfp_mask52();
    vfp r;
    r.l[0] = _mm512_and_si512(_mm512_slli_epi64(w[0], (unsigned)shift), mask);
    VFP_UNROLL
    for (int k = 1; k < 8; k++) {
        const int at = 52 * k - shift, i = at / 64, sh = at % 64;
        __m512i v = _mm512_srli_epi64(w[i], (unsigned)sh);
        if (sh > 12 && i < 5) {
            v = _mm512_or_si512(v, _mm512_slli_epi64(w[i + 1], (unsigned)(64 - sh)));
        }
        r.l[k] = _mm512_and_si512(v, mask);
    }
    return r;
}

/** Back: w[0..5] from a normal value below 2^384. */
VFP_INLINE void vfp_to_limbs64(__m512i w[8], const vfp *a)
{
    VFP_UNROLL
    for (int i = 0; i < 6; i++) {
        const int k = 64 * i / 52, sh = 64 * i % 52;
        __m512i v = _mm512_srli_epi64(a->l[k], (unsigned)sh);
        v = _mm512_or_si512(v, _mm512_slli_epi64(a->l[k + 1], (unsigned)(52 - sh)));
        if (52 - sh + 52 < 64) {
            v = _mm512_or_si512(v, _mm512_slli_epi64(a->l[k + 2], (unsigned)(104 - sh)));
        }
        w[i] = v;
    }
    w[6] = w[7] = _mm512_setzero_si512();
}

/** Subtracts q from 6-limb values that are >= q. Pre: < 2q. */
VFP_INLINE vfp vfp_reduce_once(const vfp *a)
{
    vfp t;
    const __m512i mask = vfp_mask52();
    __m512i c = _mm512_setzero_si512();
    VFP_UNROLL
    for (int i = 0; i < 8; i++) {
        const __m512i s = _mm512_add_epi64(_mm512_sub_epi64(a->l[i], vfp_word(VFP_P[i])), c);
        c = _mm512_srai_epi64(s, 52);
        t.l[i] = _mm512_and_si512(s, mask);
    }
    const __mmask8 less = _mm512_test_epi64_mask(c, c); /* borrow: keep */
    return vfp_select(less, &t, a);
}

#endif /* CUZK_MSM_IFMA_IFMA_FP_H */
