/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_FF_TOWER_FP2_H
#define CUZK_FF_TOWER_FP2_H

/*
 * Fp2 = Fp[i] / (i^2 + 1): c0 + c1*i. Conventions as in ff/fr.h.
 */
#include "ff/fp.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cuzk_fp2 {
    cuzk_fp c0;
    cuzk_fp c1;
} cuzk_fp2;

static const cuzk_fp2 CUZK_FP2_ZERO = {{{0, 0, 0, 0, 0, 0}}, {{0, 0, 0, 0, 0, 0}}};
static const cuzk_fp2 CUZK_FP2_ONE = {{CUZK_FP_ONE_LIMBS}, {{0, 0, 0, 0, 0, 0}}};

static inline void cuzk_fp2_add(cuzk_fp2 *out, const cuzk_fp2 *a, const cuzk_fp2 *b)
{
    cuzk_fp_add(&out->c0, &a->c0, &b->c0);
    cuzk_fp_add(&out->c1, &a->c1, &b->c1);
}

static inline void cuzk_fp2_sub(cuzk_fp2 *out, const cuzk_fp2 *a, const cuzk_fp2 *b)
{
    cuzk_fp_sub(&out->c0, &a->c0, &b->c0);
    cuzk_fp_sub(&out->c1, &a->c1, &b->c1);
}

static inline void cuzk_fp2_dbl(cuzk_fp2 *out, const cuzk_fp2 *a)
{
    cuzk_fp2_add(out, a, a);
}

static inline void cuzk_fp2_neg(cuzk_fp2 *out, const cuzk_fp2 *a)
{
    cuzk_fp_neg(&out->c0, &a->c0);
    cuzk_fp_neg(&out->c1, &a->c1);
}

static inline void cuzk_fp2_conj(cuzk_fp2 *out, const cuzk_fp2 *a)
{
    out->c0 = a->c0;
    cuzk_fp_neg(&out->c1, &a->c1);
}

static inline bool cuzk_fp2_is_zero(const cuzk_fp2 *a)
{
    return cuzk_fp_is_zero(&a->c0) && cuzk_fp_is_zero(&a->c1);
}

static inline bool cuzk_fp2_eq(const cuzk_fp2 *a, const cuzk_fp2 *b)
{
    return cuzk_fp_eq(&a->c0, &b->c0) && cuzk_fp_eq(&a->c1, &b->c1);
}

void cuzk_fp2_mul_c(cuzk_fp2 *out, const cuzk_fp2 *a, const cuzk_fp2 *b);
void cuzk_fp2_sqr_c(cuzk_fp2 *out, const cuzk_fp2 *a);
#ifdef CUZK_FF_ADX
void cuzk_fp2_mul_adx(cuzk_fp2 *out, const cuzk_fp2 *a, const cuzk_fp2 *b);
void cuzk_fp2_sqr_adx(cuzk_fp2 *out, const cuzk_fp2 *a);
#endif

/** out = a * b, with two reductions. */
static inline void cuzk_fp2_mul(cuzk_fp2 *out, const cuzk_fp2 *a, const cuzk_fp2 *b)
{
#ifdef CUZK_FF_ADX
    if (cuzk_cpu_has(CUZK_CPU_ADX)) {
        cuzk_fp2_mul_adx(out, a, b);
        return;
    }
#endif
    cuzk_fp2_mul_c(out, a, b);
}

/** out = a^2, two multiplications. */
static inline void cuzk_fp2_sqr(cuzk_fp2 *out, const cuzk_fp2 *a)
{
#ifdef CUZK_FF_ADX
    if (cuzk_cpu_has(CUZK_CPU_ADX)) {
        cuzk_fp2_sqr_adx(out, a);
        return;
    }
#endif
    cuzk_fp2_sqr_c(out, a);
}

/** out = a * b with b in Fp. */
void cuzk_fp2_mul_fp(cuzk_fp2 *out, const cuzk_fp2 *a, const cuzk_fp *b);
/** out = a * (1 + i), the non-residue of the tower. */
void cuzk_fp2_mul_nonresidue(cuzk_fp2 *out, const cuzk_fp2 *a);
/** out = a^-1; 0 for a = 0. */
void cuzk_fp2_inv_ct(cuzk_fp2 *out, const cuzk_fp2 *a);
void cuzk_fp2_inv(cuzk_fp2 *out, const cuzk_fp2 *a);
/** a[i] = a[i]^-1 in place with one inversion; zeros stay zero. scratch [n], disjoint from a. */
void cuzk_fp2_batch_inv(cuzk_fp2 *a, cuzk_fp2 *scratch, size_t n);
/** A square root; false, and out untouched, when a is not a square. */
bool cuzk_fp2_sqrt(cuzk_fp2 *out, const cuzk_fp2 *a);
/** True when (c1, c0) compares larger than the negation's, c1 first: the "larger root" of G2 compression. */
bool cuzk_fp2_is_lex_largest(const cuzk_fp2 *a);

#ifdef __cplusplus
}
#endif

#endif /* CUZK_FF_TOWER_FP2_H */
