/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "ff/tower/fp2.h"
#include "msm/msm_engine.h"

#define IT_N       2
#define IT_AFFINE  cuzk_g2_affine
#define IT_FIELD   cuzk_fp2
#define IT_INV     cuzk_fp2_inv
#define IT_IS_ZERO cuzk_fp2_is_zero
#define IT_BETA    CUZK_MSM_G2_BETA52
#define IT_GROUP   CUZK_MSM_GROUP_G2
#define IT_ENGINE  CUZK_MSM_ENGINE_G2_IFMA
#define IT_NAME    "g2/ifma"
#define IT_ADD_NS  120.0
#include "msm/ifma/msm_ifma_tmpl.h"
