/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The images of bases of G1 under (x, y) -> (beta x, y): beta x and beta^2 x. */
#include "accel/cuda/ec/ec_dev.cuh"
#include "accel/cuda/queue/launch.cuh"
#include "ec/endo.h"

#include "msm_internal.h"

#define THREADS ((unsigned)CUZK_THREADS_IMAGES)

/* Reduced, so that infinity's are words of zeros. */
static __global__ void __launch_bounds__(THREADS)
    images_k(cuzk_fp *images, const cuzk_g1_affine *bases, uint64_t n, const cuzk_fp beta)
{
    const uint64_t i = blockIdx.x * (uint64_t)THREADS + threadIdx.x;
    if (i >= n) {
        return;
    }
    dfp x, b, t;
    fe_load_ro(x, &bases[i].x);
    fe_load(b, &beta);
    fe_mul(t, x, b);
    fe_canon(t);
    fe_store(&images[2 * i], t);
    fe_mul(t, t, b);
    fe_canon(t);
    fe_store(&images[2 * i + 1], t);
}

cuzk_status cuzk_cuda_msm_make_images_g1(cuzk_cuda_queue *q, void *d_images,
                                         const cuzk_g1_affine *d_bases, uint64_t n, cuzk_err *err)
{
    CUZK_TRY(CUZK_CUDA(cudaSetDevice(q->device), err));
    if (n == 0) {
        return CUZK_OK;
    }
    return cuzk_cuda_launch(q, CUZK_KERNEL_IMAGES, images_k,
                            (unsigned)((n + THREADS - 1) / THREADS), err, (cuzk_fp *)d_images,
                            d_bases, n, CUZK_ENDO_BETA);
}
