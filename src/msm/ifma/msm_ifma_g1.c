/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "ff/tower/fp2.h"
#include "msm/msm_engine.h"

#define IT_N       1
#define IT_AFFINE  cuzk_g1_affine
#define IT_FIELD   cuzk_fp
#define IT_INV     cuzk_fp_inv
#define IT_IS_ZERO cuzk_fp_is_zero
#define IT_BETA    CUZK_MSM_G1_BETA52
#define IT_GROUP   CUZK_MSM_GROUP_G1
#define IT_ENGINE  CUZK_MSM_ENGINE_G1_IFMA
#define IT_NAME    "g1/ifma"
#define IT_ADD_NS  45.0
#include "msm/ifma/msm_ifma_tmpl.h"
