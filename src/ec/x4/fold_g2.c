/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "ec/x4/fold_x4.h"

#ifdef CUZK_FF_AVX2
#    include "ec/ec_internal.h"
#    include "ec/endo.h"
#    include "ff/x4/fp2_x4.h"

#    define EC_F        cuzk_fp2
#    define EC_FF(verb) cuzk_fp2_##verb
#    define EC_V        cuzk_fp2_x4
#    define EC_VF(verb) cuzk_fp2_x4_##verb
#    define EC_AFF      cuzk_g2_affine
#    define EC_JAC      cuzk_g2
#    define EC_FN(verb) cuzk_g2_##verb
#    define EC_ONE      CUZK_FP2_ONE
#    define EC_DIGITS   4
#    define EC_Y        2
#    define EC_W        4

/* Digits in base |z|. */
static void split_scalar(uint64_t d[4], const uint64_t s[4])
{
    cuzk_endo_digits_hd(d, s);
}

struct table;
static void endomorphisms(struct table *t, size_t i);

#    include "ec/x4/fold_tmpl.h"

static void conjugate(cuzk_fp2_x4 *out, const cuzk_fp2_x4 *a)
{
    out->c0 = a->c0;
    cuzk_fp_x4_neg(&out->c1, &a->c1);
}

/* |z| P = (PSI_X conj(x), -PSI_Y conj(y)); z^2 P = (beta^2 x, -y), whose sign is kept apart. */
static void endomorphisms(table *t, size_t i)
{
    static const cuzk_fp2 psi_x = {{CUZK_EC_PSI_X_C0_LIMBS}, {CUZK_EC_PSI_X_C1_LIMBS}};
    static const cuzk_fp2 psi_y = {{CUZK_EC_PSI_Y_C0_LIMBS}, {CUZK_EC_PSI_Y_C1_LIMBS}};
    static const cuzk_fp2 beta2 = {{CUZK_EC_BETA2_LIMBS}, {{0}}};
    cuzk_fp2 minus_psi_y;
    cuzk_fp2_x4 c, k;
    conjugate(&c, &t->x[0][i]);
    set_all(&k, &psi_x);
    cuzk_fp2_x4_mul(&t->x[1][i], &c, &k);
    conjugate(&c, &t->y[0][i]);
    cuzk_fp2_neg(&minus_psi_y, &psi_y);
    set_all(&k, &minus_psi_y);
    cuzk_fp2_x4_mul(&t->y[1][i], &c, &k);
    set_all(&k, &beta2);
    for (size_t j = 0; j < 2; j++) {
        cuzk_fp_x4_mul(&t->x[2 + j][i].c0, &t->x[j][i].c0, &k.c0);
        cuzk_fp_x4_mul(&t->x[2 + j][i].c1, &t->x[j][i].c1, &k.c0);
    }
}

void cuzk_g2_fold_avx2(cuzk_g2_affine *out, const cuzk_g2_affine *low, const cuzk_g2_affine *high,
                       const cuzk_scalar *k, size_t n, void *scratch)
{
    fold(out, low, high, k, n, &CUZK_G2_GENERATOR, scratch);
}
#endif
