/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The cases of G1 once more, by hexagonal digits. */
#include <pthread.h>
#include <string.h>

#include "accel/cuda/msm/msm.h"
#include "accel/cuda/msm/msm_internal.h"
#include "accel/cuda/queue/queue_internal.h"
#include "accel_cuda/cuda_test.h"
#include "base/alloc.h"
#include "msm/msm.h"

#include "cuda_msm_scalars.h"

#define P(name)          cuzk_g1_##name
#define P_POINT          cuzk_g1
#define CUDA(name, verb) cuzk_cuda_##name##_g1##verb
#define HOST_MSM         cuzk_msm_g1
#define HOST_BITS        cuzk_msm_bits_g1
#define GENERATOR        CUZK_G1_GENERATOR
#define FIELD            cuzk_fp
#define GROUP            CUZK_CUDA_MSM_G1
#define LARGE_LG         16
#define SUITE            "accel_cuda/msm_images"
#define WITH_IMAGES
#define CACHED_TREE
#include "cuda_msm_cases_tmpl.h"
