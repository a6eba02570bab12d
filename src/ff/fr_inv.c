/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "ff/fr.h"

#define CUZK_MI_N       5
#define CUZK_MI_W       4
#define CUZK_MI_MOD     CUZK_FR_MOD62_LIMBS
#define CUZK_MI_INV62   CUZK_FR_MOD_INV62
/* (aR)^-1 R^2 = a^-1 R: Montgomery form in and out. */
#define CUZK_MI_ONE     CUZK_FR_R2_62_LIMBS
/* 10 * 62 >= floor((45907 * 255 + 26313) / 19929) = 588 divsteps (bound for delta = 1/2). */
#define CUZK_MI_BATCHES 10
#include "ff/modinv62_tmpl.h"

void cuzk_fr_inv(cuzk_fr *out, const cuzk_fr *a)
{
    inverse_var(out->l, a->l);
}

void cuzk_fr_inv_ct(cuzk_fr *out, const cuzk_fr *a)
{
    inverse_ct(out->l, a->l);
}
