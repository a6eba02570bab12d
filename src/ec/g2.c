/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "ec/g2.h"

#include <string.h>

#include "base/bytes.h"
#include "ec/ec_internal.h"
#include "ec/endo.h"

const cuzk_g2_affine CUZK_G2_GENERATOR = {
    {{CUZK_EC_G2_GEN_X_C0_LIMBS}, {CUZK_EC_G2_GEN_X_C1_LIMBS}},
    {{CUZK_EC_G2_GEN_Y_C0_LIMBS}, {CUZK_EC_G2_GEN_Y_C1_LIMBS}}};

/* b = 4 (1 + i) */
static void field_mul_b(cuzk_fp2 *out, const cuzk_fp2 *a)
{
    cuzk_fp2_mul_nonresidue(out, a);
    cuzk_fp2_dbl(out, out);
    cuzk_fp2_dbl(out, out);
}

/* The part of i comes first. */
static bool field_load(cuzk_fp2 *out, const uint8_t in[96])
{
    return cuzk_fp_from_bytes_be(&out->c1, in) && cuzk_fp_from_bytes_be(&out->c0, in + 48);
}

static void field_store(uint8_t out[96], const cuzk_fp2 *a)
{
    cuzk_fp_to_bytes_be(out, &a->c1);
    cuzk_fp_to_bytes_be(out + 48, &a->c0);
}

/* Digits in base |z|. */
static void split_scalar(uint64_t d[4], const uint64_t s[4])
{
    cuzk_endo_digits_hd(d, s);
}

/* psi^2 = z^2 is (beta^2 x, -y). */
static void z2_x(cuzk_fp2 *out, const cuzk_fp2 *x)
{
    static const cuzk_fp beta2 = {CUZK_EC_BETA2_LIMBS};
    cuzk_fp2_mul_fp(out, x, &beta2);
}

static const cuzk_fp2 PSI_X = {{CUZK_EC_PSI_X_C0_LIMBS}, {CUZK_EC_PSI_X_C1_LIMBS}};
static const cuzk_fp2 PSI_Y = {{CUZK_EC_PSI_Y_C0_LIMBS}, {CUZK_EC_PSI_Y_C1_LIMBS}};

/* -psi = |z|. */
static void minus_psi(cuzk_fp2 *ox, cuzk_fp2 *oy, cuzk_fp2 *oz, const cuzk_fp2 *x,
                      const cuzk_fp2 *y, const cuzk_fp2 *z)
{
    cuzk_fp2 t;
    cuzk_fp2_conj(&t, x);
    cuzk_fp2_mul(ox, &t, &PSI_X);
    cuzk_fp2_conj(&t, y);
    cuzk_fp2_mul(oy, &t, &PSI_Y);
    cuzk_fp2_neg(oy, oy);
    cuzk_fp2_conj(oz, z);
}

#define CUZK_EC_TABLES   2
#define CUZK_EC_MUL_W    4
#define CUZK_EC_F        cuzk_fp2
#define CUZK_EC_FF(verb) cuzk_fp2_##verb
#define CUZK_EC_AFF      cuzk_g2_affine
#define CUZK_EC_JAC      cuzk_g2
#define CUZK_EC_XYZZ     cuzk_g2_xyzz
#define CUZK_EC_FN(verb) cuzk_g2_##verb
#define CUZK_EC_ONE      CUZK_FP2_ONE
#define CUZK_EC_F_BYTES  96
/* In this order: later ones use functions of the earlier. */
/* clang-format off */
#include "ec/ec_jac_tmpl.h"
#include "ec/ec_xyzz_tmpl.h"
#include "ec/ec_mul_tmpl.h"
#include "ec/ec_codec_tmpl.h"
/* clang-format on */

void cuzk_g2_affine_endo(cuzk_g2_affine *out, const cuzk_g2_affine *p)
{
    cuzk_fp2 x, y;
    cuzk_fp2_conj(&x, &p->x);
    cuzk_fp2_conj(&y, &p->y);
    cuzk_fp2_mul(&out->x, &x, &PSI_X);
    cuzk_fp2_mul(&out->y, &y, &PSI_Y);
}

bool cuzk_g2_affine_is_in_subgroup(const cuzk_g2_affine *p)
{
    /* psi(P) = z P holds exactly in the subgroup (eprint 2021/1130, section 4; eprint 2022/352). */
    if (cuzk_g2_affine_is_infinity(p)) {
        return true;
    }
    cuzk_g2 t;
    cuzk_g2_affine e;
    cuzk_g2_from_affine(&t, p);
    mul_z_abs(&t, &t);
    cuzk_g2_neg(&t, &t); /* z < 0 */
    cuzk_g2_affine_endo(&e, p);
    return affine_eq_jacobian(&e, &t);
}
