/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "ec/g1.h"

#include <string.h>

#include "base/bytes.h"
#include "ec/ec_internal.h"
#include "ec/endo.h"

const cuzk_g1_affine CUZK_G1_GENERATOR = {{CUZK_EC_G1_GEN_X_LIMBS}, {CUZK_EC_G1_GEN_Y_LIMBS}};

/* b = 4 */
static void field_mul_b(cuzk_fp *out, const cuzk_fp *a)
{
    cuzk_fp_dbl(out, a);
    cuzk_fp_dbl(out, out);
}

static bool field_load(cuzk_fp *out, const uint8_t in[48])
{
    return cuzk_fp_from_bytes_be(out, in);
}

static void field_store(uint8_t out[48], const cuzk_fp *a)
{
    cuzk_fp_to_bytes_be(out, a);
}

/* d[0..1] + d[2..3] z^2. */
static void split_scalar(uint64_t d[4], const uint64_t s[4])
{
    uint64_t k0[2], k1[2];
    cuzk_endo_split_g1_hd(k0, k1, s);
    d[0] = k0[0];
    d[1] = k0[1];
    d[2] = k1[0];
    d[3] = k1[1];
}

static void z2_x(cuzk_fp *out, const cuzk_fp *x)
{
    cuzk_fp_mul(out, x, &CUZK_ENDO_BETA);
}

#define CUZK_EC_TABLES   1
#define CUZK_EC_MUL_W    5
#define CUZK_EC_F        cuzk_fp
#define CUZK_EC_FF(verb) cuzk_fp_##verb
#define CUZK_EC_AFF      cuzk_g1_affine
#define CUZK_EC_JAC      cuzk_g1
#define CUZK_EC_XYZZ     cuzk_g1_xyzz
#define CUZK_EC_FN(verb) cuzk_g1_##verb
#define CUZK_EC_ONE      CUZK_FP_ONE
#define CUZK_EC_F_BYTES  48
/* In this order: later ones use functions of the earlier. */
/* clang-format off */
#include "ec/ec_jac_tmpl.h"
#include "ec/ec_xyzz_tmpl.h"
#include "ec/ec_mul_tmpl.h"
#include "ec/ec_codec_tmpl.h"
/* clang-format on */

bool cuzk_g1_affine_is_in_subgroup(const cuzk_g1_affine *p)
{
    /* phi(P) = -z^2 P holds exactly in the subgroup (eprint 2021/1130, section 6; the proof for
     * this curve is eprint 2022/352, section 3.3). */
    if (cuzk_g1_affine_is_infinity(p)) {
        return true;
    }
    cuzk_g1 t;
    cuzk_g1_affine e;
    cuzk_g1_from_affine(&t, p);
    mul_z_abs(&t, &t);
    mul_z_abs(&t, &t);
    cuzk_g1_neg(&t, &t);
    cuzk_g1_affine_endo(&e, p);
    return affine_eq_jacobian(&e, &t);
}
