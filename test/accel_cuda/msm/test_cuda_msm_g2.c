/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <pthread.h>
#include <string.h>

#include "accel/cuda/msm/msm.h"
#include "accel/cuda/msm/msm_internal.h"
#include "accel_cuda/cuda_test.h"
#include "base/alloc.h"
#include "msm/msm.h"

#include "cuda_msm_scalars.h"

#define P(name)          cuzk_g2_##name
#define P_POINT          cuzk_g2
#define CUDA(name, verb) cuzk_cuda_##name##_g2##verb
#define HOST_MSM         cuzk_msm_g2
#define HOST_BITS        cuzk_msm_bits_g2
#define GENERATOR        CUZK_G2_GENERATOR
#define FIELD            cuzk_fp2
#define GROUP            CUZK_CUDA_MSM_G2
#define LARGE_LG         14
#define SUITE            "accel_cuda/msm_g2"
#include "cuda_msm_cases_tmpl.h"
