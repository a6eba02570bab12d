/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <string.h>

#include "msm/gen/msm_const_gen.h"
#include "msm/msm_engine.h"
#include "msm/scalar/msm_scalar_fp.h"

static const cuzk_fp BETA = {CUZK_MSM_G2_BETA_LIMBS};
static const cuzk_fp2 ONE = {{CUZK_FP_ONE_LIMBS}, {{0, 0, 0, 0, 0, 0}}};

static inline void sign(cuzk_fp2 *out, const cuzk_fp2 *a, bool negative)
{
    if (negative) { /* the halves may be zero, which msm_fp_sign does not take */
        cuzk_fp2_neg(out, a);
    } else {
        *out = *a;
    }
}

static inline void sub(cuzk_fp2 *out, const cuzk_fp2 *a, const cuzk_fp2 *b)
{
    msm_fp_sub(&out->c0, &a->c0, &b->c0);
    msm_fp_sub(&out->c1, &a->c1, &b->c1);
}

static inline void sub2(cuzk_fp2 *out, const cuzk_fp2 *a, const cuzk_fp2 *b, const cuzk_fp2 *c)
{
    msm_fp_sub2(&out->c0, &a->c0, &b->c0, &c->c0);
    msm_fp_sub2(&out->c1, &a->c1, &b->c1, &c->c1);
}

#define MT_G                  g2
#define MT_F                  fp2
#define MT_GROUP              CUZK_MSM_GROUP_G2
#define MT_ENGINE             CUZK_MSM_ENGINE_G2
#define MT_NAME               "g2/scalar"
#define MT_ADD_NS             500.0
#define MT_ACC_NS             750.0
#define MT_DIF(out, a, b)     sub((out), (a), (b))
#define MT_NO_DIF(d)          cuzk_fp2_is_zero(d)
#define MT_SUB(out, a, b)     sub((out), (a), (b))
#define MT_SUB2(out, a, b, c) sub2((out), (a), (b), (c))
#define MT_SIGN(out, a, n)    sign((out), (a), (n))
#define MT_W2_MUL(out, x)     cuzk_fp2_mul_fp((out), (x), &BETA)
#include "msm_scalar_tmpl.h"
