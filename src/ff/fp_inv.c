/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "ff/fp.h"

#define CUZK_MI_N       7
#define CUZK_MI_W       6
#define CUZK_MI_MOD     CUZK_FP_MOD62_LIMBS
#define CUZK_MI_INV62   CUZK_FP_MOD_INV62
/* (aR)^-1 R^2 = a^-1 R: Montgomery form in and out. */
#define CUZK_MI_ONE     CUZK_FP_R2_62_LIMBS
/* 15 * 62 >= floor((45907 * 381 + 26313) / 19929) = 878 divsteps (bound for delta = 1/2). */
#define CUZK_MI_BATCHES 15
#include "ff/modinv62_tmpl.h"

void cuzk_fp_inv(cuzk_fp *out, const cuzk_fp *a)
{
    inverse_var(out->l, a->l);
}

void cuzk_fp_inv_ct(cuzk_fp *out, const cuzk_fp *a)
{
    inverse_ct(out->l, a->l);
}
