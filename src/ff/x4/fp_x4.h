/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_FF_X4_FP_X4_H
#define CUZK_FF_X4_FP_X4_H

/*
 * Four elements of Fp side by side, for AVX2: limb j of all four in one register, 28 bits in lanes of 64.
 * Included by files that are compiled with -mavx2 alone; whether the processor has AVX2 is for their callers to ask
 * (cuzk_cpu_has). Nothing here branches on values.
 *
 * A number x stands for x / 2^392 mod q. Numbers are not reduced. Two bounds are counted instead:
 *   value  as a multiple of q;
 *   limbs  as a multiple A of 2^28: every limb is below A 2^28.
 * "normal": value below 1.5 q, limbs below 2^28 (A = 1).
 *
 * A sum of products (cuzk_fp_x4_dot*) needs
 *   A <= 16 for every factor, since a multiplication reads 32 bits,
 *   sum of A(a) A(b) over its products <= 17, since columns of 14 limbs must stay below 2^64, and
 *   sum of a b <= 1250 q^2, for which it is normal: it is below (1 + sum / 2500 q^2) q.
 * Additions add the limbs, and both bounds. Subtractions add 2 q or 16 q first, lent among the limbs:
 * A grows by 2.
 */
#include <immintrin.h>
#include <stddef.h>

#include "ff/fp.h"
#include "ff/gen/fp28_const_gen.h"
#include "ff/x4/x4.h"

#define CUZK_FP_X4_LIMBS 14

typedef struct cuzk_fp_x4 {
    __m256i l[CUZK_FP_X4_LIMBS];
} cuzk_fp_x4;

/** One product of a sum. Borrowed. */
typedef struct cuzk_fp_x4_term {
    const cuzk_fp_x4 *a, *b;
} cuzk_fp_x4_term;

/** out = (sum of term[i].a term[i].b) / 2^392 + addend mod q, limbs below 2^28. addend NULL: 0. out may be any operand. */
void cuzk_fp_x4_dot1_avx2(cuzk_fp_x4 *out, const cuzk_fp_x4_term term[1], const cuzk_fp_x4 *addend);
void cuzk_fp_x4_dot2_avx2(cuzk_fp_x4 *out, const cuzk_fp_x4_term term[2], const cuzk_fp_x4 *addend);
void cuzk_fp_x4_dot3_avx2(cuzk_fp_x4 *out, const cuzk_fp_x4_term term[3], const cuzk_fp_x4 *addend);
void cuzk_fp_x4_dot4_avx2(cuzk_fp_x4 *out, const cuzk_fp_x4_term term[4], const cuzk_fp_x4 *addend);

extern const cuzk_fp_x4 cuzk_fp_x4_one, cuzk_fp_x4_minus_one;
extern const cuzk_fp_x4 cuzk_fp_x4_q;
extern const cuzk_fp_x4 cuzk_fp_x4_2q, cuzk_fp_x4_16q, cuzk_fp_x4_16q_far,
    cuzk_fp_x4_q_far; /* lent among the limbs */

/** Elements in[0], in[stride], ... of the usual form, stride in bytes. Normal. */
void cuzk_fp_x4_load(cuzk_fp_x4 *out, const cuzk_fp *in, size_t stride);
/** The reverse, reduced. in: value up to 2200 q, limbs A <= 16. */
void cuzk_fp_x4_store(cuzk_fp *out, size_t stride, const cuzk_fp_x4 *in);

static inline void cuzk_fp_x4_add(cuzk_fp_x4 *out, const cuzk_fp_x4 *a, const cuzk_fp_x4 *b)
{
    for (int j = 0; j < CUZK_FP_X4_LIMBS; j++) {
        out->l[j] = _mm256_add_epi64(a->l[j], b->l[j]);
    }
}

/** out = a + 2 q - b. b normal. */
static inline void cuzk_fp_x4_sub(cuzk_fp_x4 *out, const cuzk_fp_x4 *a, const cuzk_fp_x4 *b)
{
    for (int j = 0; j < CUZK_FP_X4_LIMBS; j++) {
        out->l[j] = _mm256_add_epi64(a->l[j], _mm256_sub_epi64(cuzk_fp_x4_2q.l[j], b->l[j]));
    }
}

/** out = 2 q - a, A = 2. a normal. */
static inline void cuzk_fp_x4_neg(cuzk_fp_x4 *out, const cuzk_fp_x4 *a)
{
    for (int j = 0; j < CUZK_FP_X4_LIMBS; j++) {
        out->l[j] = _mm256_sub_epi64(cuzk_fp_x4_2q.l[j], a->l[j]);
    }
}

/** out = 16 q - a, A = 2. a below 15 q with A = 1. */
static inline void cuzk_fp_x4_neg16(cuzk_fp_x4 *out, const cuzk_fp_x4 *a)
{
    for (int j = 0; j < CUZK_FP_X4_LIMBS; j++) {
        out->l[j] = _mm256_sub_epi64(cuzk_fp_x4_16q.l[j], a->l[j]);
    }
}

/** The same number with A = 1. In place allowed. */
static inline void cuzk_fp_x4_carry(cuzk_fp_x4 *out, const cuzk_fp_x4 *a)
{
    const __m256i mask = _mm256_set1_epi64x((1 << 28) - 1);
    __m256i c = _mm256_setzero_si256();
    for (int j = 0; j < CUZK_FP_X4_LIMBS - 1; j++) {
        const __m256i t = _mm256_add_epi64(a->l[j], c);
        c = _mm256_srli_epi64(t, 28);
        out->l[j] = _mm256_and_si256(t, mask);
    }
    out->l[CUZK_FP_X4_LIMBS - 1] = _mm256_add_epi64(a->l[CUZK_FP_X4_LIMBS - 1], c);
}

/**
 * The same element, normal: the multiple e q that the top limb shows is subtracted. v: limbs below 2^41, and all but the
 * last at least those of e q; value from q to 1252 q. A fifth of the price of a product with 1.
 */
static inline void cuzk_fp_x4_shrink(cuzk_fp_x4 *out, const cuzk_fp_x4 *v)
{
    const __m256i mask = _mm256_set1_epi64x((1 << 28) - 1);
    const __m256i quot = _mm256_set1_epi64x(CUZK_FP28_QUOT);
    __m256i top = _mm256_add_epi64(v->l[12], _mm256_srli_epi64(v->l[11], 28));
    top = _mm256_add_epi64(v->l[13], _mm256_srli_epi64(top, 28));
    const __m256i e = _mm256_srli_epi64(_mm256_mul_epu32(top, quot), 40);
    __m256i c = _mm256_setzero_si256();
    for (int j = 0; j < CUZK_FP_X4_LIMBS; j++) {
        const __m256i eq = _mm256_mul_epu32(e, cuzk_fp_x4_q.l[j]);
        const __m256i t = _mm256_add_epi64(_mm256_sub_epi64(v->l[j], eq), c);
        c = _mm256_srli_epi64(t, 28);
        out->l[j] = j + 1 < CUZK_FP_X4_LIMBS ? _mm256_and_si256(t, mask) : t;
    }
}

/** out = a - d, normal. a: normal; d: value below 15 q, A <= 4. out may be a or d. */
static inline void cuzk_fp_x4_minus(cuzk_fp_x4 *out, const cuzk_fp_x4 *a, const cuzk_fp_x4 *d)
{
    cuzk_fp_x4 v;
    for (int j = 0; j < CUZK_FP_X4_LIMBS; j++) {
        v.l[j] = _mm256_add_epi64(a->l[j], _mm256_sub_epi64(cuzk_fp_x4_16q_far.l[j], d->l[j]));
    }
    cuzk_fp_x4_shrink(out, &v);
}

static inline void cuzk_fp_x4_mul(cuzk_fp_x4 *out, const cuzk_fp_x4 *a, const cuzk_fp_x4 *b)
{
    const cuzk_fp_x4_term t[1] = {{a, b}};
    cuzk_fp_x4_dot1_avx2(out, t, NULL);
}

/** out = a b - d, normal. A(a) A(b) <= 17, in value a b <= 1250 q^2; d: value below 15 q, A <= 4. */
static inline void cuzk_fp_x4_mul_sub(cuzk_fp_x4 *out, const cuzk_fp_x4 *a, const cuzk_fp_x4 *b,
                                      const cuzk_fp_x4 *d)
{
    cuzk_fp_x4 p;
    cuzk_fp_x4_mul(&p, a, b);
    cuzk_fp_x4_minus(out, &p, d);
}

/** out = a b + c d, normal. A(a) A(b) + A(c) A(d) <= 17, in value at most 1250 q^2. */
static inline void cuzk_fp_x4_mul_add(cuzk_fp_x4 *out, const cuzk_fp_x4 *a, const cuzk_fp_x4 *b,
                                      const cuzk_fp_x4 *c, const cuzk_fp_x4 *d)
{
    const cuzk_fp_x4_term t[2] = {{a, b}, {c, d}};
    cuzk_fp_x4_dot2_avx2(out, t, NULL);
}

/** out = a^2 - d, normal. a normal; d: A <= 4, or NULL for 0. */
static inline void cuzk_fp_x4_sqr_sub(cuzk_fp_x4 *out, const cuzk_fp_x4 *a, const cuzk_fp_x4 *d)
{
    if (d == NULL) {
        cuzk_fp_x4_mul(out, a, a);
    } else {
        cuzk_fp_x4_mul_sub(out, a, a, d);
    }
}

/** a[i] = a[i]^-1 in place, normal, with one inversion per lane; no element may be 0. n >= 1.
 * a: A <= 5; a[0]: A = 1, below 15 q. scratch [n], disjoint from a. */
void cuzk_fp_x4_batch_inv(cuzk_fp_x4 *a, cuzk_fp_x4 *scratch, size_t n);

/** The same element, normal, whatever its value up to 1250 q and its A up to 16. In place allowed. */
static inline void cuzk_fp_x4_reduce(cuzk_fp_x4 *out, const cuzk_fp_x4 *a)
{
    cuzk_fp_x4 v;
    cuzk_fp_x4_add(&v, a, &cuzk_fp_x4_q_far);
    cuzk_fp_x4_shrink(out, &v);
}

#endif /* CUZK_FF_X4_FP_X4_H */
