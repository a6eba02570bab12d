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
    static const cuzk_fp2 cx = {{CUZK_EC_PSI_X_C0_LIMBS}, {CUZK_EC_PSI_X_C1_LIMBS}};
    static const cuzk_fp2 cy = {{CUZK_EC_PSI_Y_C0_LIMBS}, {CUZK_EC_PSI_Y_C1_LIMBS}};
    cuzk_fp2 x, y;
    cuzk_fp2_conj(&x, &p->x);
    cuzk_fp2_conj(&y, &p->y);
    cuzk_fp2_mul(&out->x, &x, &cx);
    cuzk_fp2_mul(&out->y, &y, &cy);
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
