/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_PAIRING_GT_X4_H
#define CUZK_PAIRING_GT_X4_H

/* Powers of z in the cyclotomic subgroup of Fp12, four elements in the lanes of AVX2. Needs CUZK_CPU_AVX2. */
#include "ff/tower/fp12.h"
#include "ff/x4/x4.h"

#ifdef CUZK_FF_AVX2
/** out[i] = a[i]^z, i < 4; z is negative. In place allowed. a in the cyclotomic subgroup. */
void cuzk_gt_pow_z_avx2(cuzk_fp12 out[4], const cuzk_fp12 a[4]);
/** out[i] = f[i]^(3 (q^12 - 1) / r), i < 4. In place allowed. No f is 0. */
void cuzk_pairing_final_exp_avx2(cuzk_fp12 out[4], const cuzk_fp12 f[4]);
#endif

#endif /* CUZK_PAIRING_GT_X4_H */
