/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_PAIRING_MILLER_X4_H
#define CUZK_PAIRING_MILLER_X4_H

/* The loop of pairing/miller_shared.h with four points of G2 in the lanes of AVX2. */
#include "ff/x4/x4.h"
#include "pairing/miller_shared.h"

#ifdef CUZK_FF_AVX2
/**
 * As cuzk_pairing_miller_shared; needs CUZK_CPU_AVX2. The values differ from its by factors that the
 * final exponentiation removes.
 */
void cuzk_pairing_miller_shared_avx2(cuzk_fp12 *out, const cuzk_g2_affine *q,
                                     const cuzk_g1_affine *const *p, size_t n_targets, size_t n,
                                     cuzk_miller_scratch *scratch);
#endif

#endif /* CUZK_PAIRING_MILLER_X4_H */
