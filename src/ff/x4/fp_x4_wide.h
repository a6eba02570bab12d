/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_FF_X4_FP_X4_WIDE_H
#define CUZK_FF_X4_FP_X4_WIDE_H

/*
 * Products of fp_x4.h that are not reduced: sums and differences of them are made first, and reduced once. Four
 * products of Fp2's multiplication become three that way, and each is split in halves of seven limbs: 441
 * multiplications of the processor and two reductions of 210, in place of 784 and two.
 *
 * Columns are computed modulo 2^64, and have to be right at the reduction only. The bounds, A(x) as in fp_x4.h:
 *   A <= 4 for a factor, A <= 8 for a sum of two that is a factor itself (its halves are added once more, and a
 *   multiplication reads 32 bits);
 *   sum of A(a) A(b) over the products of one coefficient <= 7, for redc_real with the constants below.
 */
#include "ff/x4/fp2_x4.h"

#define CUZK_FP_X4_HALF 7

/** 28 columns of 28 bits, up to 64 bits each; the last is 0. */
typedef struct cuzk_fp_x4_wide {
    cuzk_fp_x4 low, high;
} cuzk_fp_x4_wide;

/** A factor: 14 limbs, and limb j plus limb j + 7 for j < 7. Borrowed. */
typedef struct cuzk_fp_x4_factors {
    const __m256i *a, *a_half, *b, *b_half;
} cuzk_fp_x4_factors;

/** out = the product, or the sum of the two products. */
void cuzk_fp_x4_wide1_avx2(cuzk_fp_x4_wide *out, const cuzk_fp_x4_factors term[1]);
void cuzk_fp_x4_wide2_avx2(cuzk_fp_x4_wide *out, const cuzk_fp_x4_factors term[2]);
/** out = t / 2^392 + addend mod q, below t / 2^392 + q + addend, limbs below 2^28. addend NULL: 0. */
void cuzk_fp_x4_redc_avx2(cuzk_fp_x4 *out, const cuzk_fp_x4_wide *t, const cuzk_fp_x4 *addend);
/** The same for t = p - m + k; k is a multiple of q whose columns are not below those of m. */
void cuzk_fp_x4_redc_real_avx2(cuzk_fp_x4 *out, const cuzk_fp_x4_wide *p, const cuzk_fp_x4_wide *m,
                               const cuzk_fp_x4_wide *k, const cuzk_fp_x4 *addend);
/** The same for t = s - p - m, whose columns are those of a sum of products. */
void cuzk_fp_x4_redc_cross_avx2(cuzk_fp_x4 *out, const cuzk_fp_x4_wide *s, const cuzk_fp_x4_wide *p,
                                const cuzk_fp_x4_wide *m, const cuzk_fp_x4 *addend);

/** k of redc_real, for m below 600 q^2 and 900 q^2; themselves at most one q more. */
extern const cuzk_fp_x4_wide cuzk_fp_x4_wide600, cuzk_fp_x4_wide900;

/** half [7] of the limbs of a. */
static inline void cuzk_fp_x4_halves(__m256i *half, const cuzk_fp_x4 *a)
{
    for (int j = 0; j < CUZK_FP_X4_HALF; j++) {
        half[j] = _mm256_add_epi64(a->l[j], a->l[j + CUZK_FP_X4_HALF]);
    }
}

/** What an element of Fp2 needs besides itself to be a factor: the sum of its coefficients, and the halves of all three. */
typedef struct cuzk_fp2_x4_parts {
    cuzk_fp_x4 sum;
    __m256i half[3][CUZK_FP_X4_HALF];
} cuzk_fp2_x4_parts;

static inline void cuzk_fp2_x4_set_parts(cuzk_fp2_x4_parts *out, const cuzk_fp2_x4 *a)
{
    cuzk_fp_x4_add(&out->sum, &a->c0, &a->c1);
    cuzk_fp_x4_halves(out->half[0], &a->c0);
    cuzk_fp_x4_halves(out->half[1], &a->c1);
    cuzk_fp_x4_halves(out->half[2], &out->sum);
}

/** The three products of a b: of the first coefficients, of the second, of the sums. */
static inline void cuzk_fp2_x4_set_factors(cuzk_fp_x4_factors out[3], const cuzk_fp2_x4 *a,
                                           const cuzk_fp2_x4_parts *pa, const cuzk_fp2_x4 *b,
                                           const cuzk_fp2_x4_parts *pb)
{
    out[0] = (cuzk_fp_x4_factors){a->c0.l, pa->half[0], b->c0.l, pb->half[0]};
    out[1] = (cuzk_fp_x4_factors){a->c1.l, pa->half[1], b->c1.l, pb->half[1]};
    out[2] = (cuzk_fp_x4_factors){pa->sum.l, pa->half[2], pb->sum.l, pb->half[2]};
}

#endif /* CUZK_FF_X4_FP_X4_WIDE_H */
