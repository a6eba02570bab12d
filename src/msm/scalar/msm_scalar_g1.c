/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <string.h>

#include "msm/gen/msm_const_gen.h"
#include "msm/msm_engine.h"
#include "msm/scalar/msm_scalar_fp.h"

static const cuzk_fp BETA = {CUZK_MSM_G1_BETA_LIMBS};
static const cuzk_fp ONE = {CUZK_FP_ONE_LIMBS};

/* a - b + q, in (0, 2q), which cuzk_fp_mul takes. */
static inline void lazy_sub(cuzk_fp *out, const cuzk_fp *a, const cuzk_fp *b)
{
    msm_fp_sub_add(out, a, b, &MSM_FP_Q[1]);
}

/* Is that q? The lowest limb alone nearly always says no. */
static inline bool is_q(const cuzk_fp *a)
{
    return a->l[0] == MSM_FP_Q[1].l[0] && cuzk_fp_eq(a, &MSM_FP_Q[1]);
}

#define MT_G                  g1
#define MT_F                  fp
#define MT_GROUP              CUZK_MSM_GROUP_G1
#define MT_ENGINE             CUZK_MSM_ENGINE_G1
#define MT_NAME               "g1/scalar"
#define MT_ADD_NS             180.0
#define MT_ACC_NS             300.0
#define MT_DIF(out, a, b)     lazy_sub((out), (a), (b))
#define MT_NO_DIF(d)          is_q(d)
#define MT_SIGN(out, a, n)    msm_fp_sign((out), (a), (n))
#define MT_SUB(out, a, b)     msm_fp_sub((out), (a), (b))
#define MT_SUB2(out, a, b, c) msm_fp_sub2((out), (a), (b), (c))
#define MT_W2_MUL(out, x)     cuzk_fp_mul((out), (x), &BETA)
#include "msm_scalar_tmpl.h"
