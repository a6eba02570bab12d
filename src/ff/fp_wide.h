/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_FF_FP_WIDE_H
#define CUZK_FF_FP_WIDE_H

/*
 * Unreduced products in Fp, for sums of products with one reduction (lazy reduction in the tower).
 *
 * Ranges. A wide value is a 768-bit integer t that stands for t / 2^384 mod q. Two classes:
 *   free   [0, 4.5 q^2): what cuzk_fp_redc takes (exactly: t < 0.46 * q * 2^384);
 *   modular [0, q * 2^382), about [0, 2.46 q^2): closed under cuzk_fp_wide_add and _sub, which
 *          correct by q * 2^382 (a multiple of q whose five low limbs are zero).
 * A product of reduced elements is < q^2, and (a0 + a1)(b0 + b1) of unreduced sums is < 4 q^2.
 * cuzk_fp_wide_add_nr and _sub_nr do not correct: the caller counts multiples of q^2.
 *
 * Fp2 example, c1 = a0 b1 + a1 b0 by Karatsuba: (a0 + a1)(b0 + b1) - a0 b0 - a1 b1 needs _sub_nr
 * only, since the result is not negative, and is < 2 q^2, thus modular. c0 = a0 b0 - a1 b1 needs
 * cuzk_fp_wide_sub.
 *
 * Conventions as in ff/fr.h, except that the output of a wide product must not overlap its inputs.
 */
#include "base/assert.h"
#include "ff/fp.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cuzk_fp_wide {
    uint64_t l[12];
} cuzk_fp_wide;

/* The ranges above by the highest limb alone, for CUZK_DASSERT: a value that is out of range by more than
 * 2^-60 of it is found. */
static inline bool cuzk_fp_wide_is_free(const cuzk_fp_wide *t)
{
    return t->l[11] <= UINT64_C(0xbf6408f95546f32); /* of 0.46 q */
}
static inline bool cuzk_fp_wide_is_modular(const cuzk_fp_wide *t)
{
    return t->l[11] <= UINT64_C(0x680447a8e5ff9a6); /* of q / 4 */
}
static inline bool cuzk_fp_is_below_2q(const cuzk_fp *a)
{
    return a->l[5] <= UINT64_C(0x340223d472ffcd35); /* of 2 q */
}

void cuzk_fp_wide_mul_c(cuzk_fp_wide *out, const cuzk_fp *a, const cuzk_fp *b);
void cuzk_fp_wide_add_c(cuzk_fp_wide *out, const cuzk_fp_wide *a, const cuzk_fp_wide *b);
void cuzk_fp_wide_sub_c(cuzk_fp_wide *out, const cuzk_fp_wide *a, const cuzk_fp_wide *b);
void cuzk_fp_redc_c(cuzk_fp *out, const cuzk_fp_wide *t);
void cuzk_fp_mulsum_c(cuzk_fp *out, const cuzk_fp *a, const cuzk_fp *b, const cuzk_fp *c,
                      const cuzk_fp *d);
void cuzk_fp_muldiff_c(cuzk_fp *out, const cuzk_fp *a, const cuzk_fp *b, const cuzk_fp *c,
                       const cuzk_fp *d);
#ifdef CUZK_FF_X64
void cuzk_fp_wide_add_x64(cuzk_fp_wide *out, const cuzk_fp_wide *a, const cuzk_fp_wide *b);
void cuzk_fp_wide_sub_x64(cuzk_fp_wide *out, const cuzk_fp_wide *a, const cuzk_fp_wide *b);
void cuzk_fp_wide_add_nr_x64(cuzk_fp_wide *out, const cuzk_fp_wide *a, const cuzk_fp_wide *b);
void cuzk_fp_wide_sub_nr_x64(cuzk_fp_wide *out, const cuzk_fp_wide *a, const cuzk_fp_wide *b);
void cuzk_fp_add_nr_x64(cuzk_fp *out, const cuzk_fp *a, const cuzk_fp *b);
#endif
#ifdef CUZK_FF_ADX
void cuzk_fp_wide_mul_adx(cuzk_fp_wide *out, const cuzk_fp *a, const cuzk_fp *b);
void cuzk_fp_wide_sqr_adx(cuzk_fp_wide *out, const cuzk_fp *a);
void cuzk_fp_redc_adx(cuzk_fp *out, const cuzk_fp_wide *t);
void cuzk_fp_mulsum_adx(cuzk_fp *out, const cuzk_fp *a, const cuzk_fp *b, const cuzk_fp *c,
                        const cuzk_fp *d);
void cuzk_fp_muldiff_adx(cuzk_fp *out, const cuzk_fp *a, const cuzk_fp *b, const cuzk_fp *c,
                         const cuzk_fp *d);
#endif

/** out = a + b mod 2^384, not reduced: for a, b < 2q the sum itself, < 4q. */
static inline void cuzk_fp_add_nr(cuzk_fp *out, const cuzk_fp *a, const cuzk_fp *b)
{
#ifdef CUZK_FF_X64
    cuzk_fp_add_nr_x64(out, a, b);
#else
    uint64_t c = 0;
    for (int i = 0; i < 6; i++) {
        out->l[i] = cuzk_adc(a->l[i], b->l[i], c, &c);
    }
#endif
}

/** out = a * b, the integer product of any two 384-bit integers. */
static inline void cuzk_fp_wide_mul(cuzk_fp_wide *out, const cuzk_fp *a, const cuzk_fp *b)
{
#ifdef CUZK_FF_ADX
    if (cuzk_cpu_has(CUZK_CPU_ADX)) {
        cuzk_fp_wide_mul_adx(out, a, b);
        return;
    }
#endif
    cuzk_fp_wide_mul_c(out, a, b);
}

/** out = a^2, the integer square of any 384-bit integer. */
static inline void cuzk_fp_wide_sqr(cuzk_fp_wide *out, const cuzk_fp *a)
{
#ifdef CUZK_FF_ADX
    if (cuzk_cpu_has(CUZK_CPU_ADX)) {
        cuzk_fp_wide_sqr_adx(out, a);
        return;
    }
#endif
    cuzk_fp_wide_mul_c(out, a, a);
}

/** out = t / 2^384 mod q, reduced. Pre: t free (< 4.5 q^2). */
static inline void cuzk_fp_redc(cuzk_fp *out, const cuzk_fp_wide *t)
{
    CUZK_DASSERT(cuzk_fp_wide_is_free(t));
#ifdef CUZK_FF_ADX
    if (cuzk_cpu_has(CUZK_CPU_ADX)) {
        cuzk_fp_redc_adx(out, t);
        return;
    }
#endif
    cuzk_fp_redc_c(out, t);
}

/** out = a + b, modular. Pre: a, b modular. Aliasing allowed. */
static inline void cuzk_fp_wide_add(cuzk_fp_wide *out, const cuzk_fp_wide *a, const cuzk_fp_wide *b)
{
    CUZK_DASSERT(cuzk_fp_wide_is_modular(a) && cuzk_fp_wide_is_modular(b));
#ifdef CUZK_FF_X64
    cuzk_fp_wide_add_x64(out, a, b);
#else
    cuzk_fp_wide_add_c(out, a, b);
#endif
}

/** out = a - b, modular. Pre: a, b modular. Aliasing allowed. */
static inline void cuzk_fp_wide_sub(cuzk_fp_wide *out, const cuzk_fp_wide *a, const cuzk_fp_wide *b)
{
    CUZK_DASSERT(cuzk_fp_wide_is_modular(a) && cuzk_fp_wide_is_modular(b));
#ifdef CUZK_FF_X64
    cuzk_fp_wide_sub_x64(out, a, b);
#else
    cuzk_fp_wide_sub_c(out, a, b);
#endif
}

/** out = a + b mod 2^768: the sum, when the caller knows that it fits. Aliasing allowed. */
static inline void cuzk_fp_wide_add_nr(cuzk_fp_wide *out, const cuzk_fp_wide *a,
                                       const cuzk_fp_wide *b)
{
#ifdef CUZK_FF_X64
    cuzk_fp_wide_add_nr_x64(out, a, b);
#else
    uint64_t c = 0;
    for (int i = 0; i < 12; i++) {
        out->l[i] = cuzk_adc(a->l[i], b->l[i], c, &c);
    }
#endif
}

/** out = a - b mod 2^768: the difference, when the caller knows that a >= b. Aliasing allowed. */
static inline void cuzk_fp_wide_sub_nr(cuzk_fp_wide *out, const cuzk_fp_wide *a,
                                       const cuzk_fp_wide *b)
{
#ifdef CUZK_FF_X64
    cuzk_fp_wide_sub_nr_x64(out, a, b);
#else
    uint64_t bw = 0;
    for (int i = 0; i < 12; i++) {
        out->l[i] = cuzk_sbb(a->l[i], b->l[i], bw, &bw);
    }
#endif
}

/**
 * out = a b + c d with one reduction, about 1.5 multiplications. Aliasing allowed.
 * Pre: a, b, c, d < 2q and ab + cd < 4.5 q^2: all reduced, or one operand of each product < 2q.
 */
static inline void cuzk_fp_mulsum(cuzk_fp *out, const cuzk_fp *a, const cuzk_fp *b,
                                  const cuzk_fp *c, const cuzk_fp *d)
{
    CUZK_DASSERT(cuzk_fp_is_below_2q(a) && cuzk_fp_is_below_2q(b) && cuzk_fp_is_below_2q(c) &&
                 cuzk_fp_is_below_2q(d));
#ifdef CUZK_FF_ADX
    if (cuzk_cpu_has(CUZK_CPU_ADX)) {
        cuzk_fp_mulsum_adx(out, a, b, c, d);
        return;
    }
#endif
    cuzk_fp_mulsum_c(out, a, b, c, d);
}

/**
 * out = a b - c d with one reduction, about 1.5 multiplications. Aliasing allowed.
 * Pre: c < q, the others < 2q, and ab + qd < 4.5 q^2: all reduced, or d and one of a, b < 2q.
 */
static inline void cuzk_fp_muldiff(cuzk_fp *out, const cuzk_fp *a, const cuzk_fp *b,
                                   const cuzk_fp *c, const cuzk_fp *d)
{
    CUZK_DASSERT(cuzk_fp_is_below_2q(a) && cuzk_fp_is_below_2q(b) && cuzk_fp_is_below_2q(c) &&
                 cuzk_fp_is_below_2q(d));
#ifdef CUZK_FF_ADX
    if (cuzk_cpu_has(CUZK_CPU_ADX)) {
        cuzk_fp_muldiff_adx(out, a, b, c, d);
        return;
    }
#endif
    cuzk_fp_muldiff_c(out, a, b, c, d);
}

#ifdef __cplusplus
}
#endif

#endif /* CUZK_FF_FP_WIDE_H */
