/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_PAIRING_MILLER_X4_H
#define CUZK_PAIRING_MILLER_X4_H

/* The loop of pairing/miller_shared.h with four sequences of points of G2 in the lanes of AVX2. */
#include "ff/x4/x4.h"
#include "pairing/miller_shared.h"

#ifdef CUZK_FF_AVX2
/**
 * As cuzk_pairing_miller_lanes; needs CUZK_CPU_AVX2. The values differ from those of the plain loop by factors that
 * the final exponentiation removes. Some lane has a point.
 */
void cuzk_pairing_miller_lanes_avx2(cuzk_fp12 (*out)[CUZK_MILLER_LANES],
                                    const cuzk_miller_lane lane[CUZK_MILLER_LANES],
                                    size_t n_targets, cuzk_miller_scratch *scratch);
#endif

#endif /* CUZK_PAIRING_MILLER_X4_H */
