/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <string.h>

#include "msm/gen/msm_const_gen.h"
#include "msm/msm_engine.h"

static const cuzk_fp BETA = {CUZK_MSM_G1_BETA_LIMBS};
static const cuzk_fp ONE = {CUZK_FP_ONE_LIMBS};

#define MT_G                g1
#define MT_F                fp
#define MT_GROUP            CUZK_MSM_GROUP_G1
#define MT_ENGINE           CUZK_MSM_ENGINE_G1
#define MT_NAME             "g1/scalar"
#define MT_ADD_NS           180.0
#define MT_BETA_MUL(out, x) cuzk_fp_mul((out), (x), &BETA)
#include "msm_scalar_tmpl.h"
