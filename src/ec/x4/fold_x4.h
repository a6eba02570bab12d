/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_EC_X4_FOLD_X4_H
#define CUZK_EC_X4_FOLD_X4_H

/*
 * low + k high for many points and one k, four points in the lanes of AVX2: one scalar means one
 * sequence of doublings and additions. Needs CUZK_CPU_AVX2. Variable time.
 */
#include "ec/g1.h"
#include "ec/g2.h"
#include "ff/x4/x4.h"

#ifdef CUZK_FF_AVX2
/** Most points of one call; a multiple of four. */
#    define CUZK_EC_FOLD_BATCH 32
/** Working memory of a call, aligned to 64 bytes; its content means nothing between calls. */
#    define CUZK_EC_FOLD_BYTES ((size_t)CUZK_EC_FOLD_BATCH / 4 * 33 * 896)

/**
 * out[i] = low[i] + k high[i], i < n <= CUZK_EC_FOLD_BATCH. Points in their subgroups; any may be infinity. out
 * may be low or high. scratch [CUZK_EC_FOLD_BYTES].
 */
void cuzk_g1_fold_avx2(cuzk_g1_affine *out, const cuzk_g1_affine *low, const cuzk_g1_affine *high,
                       const cuzk_scalar *k, size_t n, void *scratch);
void cuzk_g2_fold_avx2(cuzk_g2_affine *out, const cuzk_g2_affine *low, const cuzk_g2_affine *high,
                       const cuzk_scalar *k, size_t n, void *scratch);
#endif

#endif /* CUZK_EC_X4_FOLD_X4_H */
