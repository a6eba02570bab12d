/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* One element per thread; bound by memory: 64 to 96 bytes per element. */
#include "accel/cuda/field/mont_dev.cuh"
#include "accel/cuda/queue/launch.cuh"

#include "vec.h"

#define THREADS ((unsigned)CUZK_THREADS_VEC_MUL)

static __global__ void __launch_bounds__(THREADS)
    vec_mul_k(cuzk_fr *out, const cuzk_fr *a, const cuzk_fr *b, uint64_t n)
{
    const uint64_t i = (uint64_t)blockIdx.x * THREADS + threadIdx.x;
    if (i >= n) {
        return;
    }
    dfr x, y;
    mont_load(x, &a[i]);
    mont_load(y, &b[i]);
    mont_mul(x, x, y);
    mont_canon(x);
    mont_store(&out[i], x);
}

static __global__ void __launch_bounds__(THREADS)
    vec_residue_k(cuzk_fr *out, const cuzk_fr *a, const cuzk_fr *b, const cuzk_fr *c, uint64_t n)
{
    const uint64_t i = (uint64_t)blockIdx.x * THREADS + threadIdx.x;
    if (i >= n) {
        return;
    }
    dfr x, y, one;
    mont_load(x, &a[i]);
    mont_load(y, &b[i]);
    mont_mul(x, x, y);
    mont_load(y, &c[i]);
    mont_sub(x, x, y);
    mont_zero(one); /* the integer 1: the product is the value out of Montgomery form */
    one.l[0] = 1;
    mont_mul(x, one, x);
    mont_canon(x);
    mont_store(&out[i], x);
}

static unsigned blocks_for(uint64_t n)
{
    return (unsigned)((n + THREADS - 1) / THREADS);
}

cuzk_status cuzk_cuda_vec_mul(cuzk_cuda_queue *q, cuzk_fr *d_out, const cuzk_fr *d_a,
                              const cuzk_fr *d_b, uint64_t n, cuzk_err *err)
{
    CUZK_TRY(CUZK_CUDA(cudaSetDevice(q->device), err));
    if (n == 0) {
        return CUZK_OK;
    }
    return cuzk_cuda_launch(q, CUZK_KERNEL_VEC_MUL, vec_mul_k, blocks_for(n), err, d_out, d_a, d_b,
                            n);
}

cuzk_status cuzk_cuda_vec_residue(cuzk_cuda_queue *q, cuzk_fr *d_out, const cuzk_fr *d_a,
                                  const cuzk_fr *d_b, const cuzk_fr *d_c, uint64_t n, cuzk_err *err)
{
    CUZK_TRY(CUZK_CUDA(cudaSetDevice(q->device), err));
    if (n == 0) {
        return CUZK_OK;
    }
    return cuzk_cuda_launch(q, CUZK_KERNEL_VEC_RESIDUE, vec_residue_k, blocks_for(n), err, d_out,
                            d_a, d_b, d_c, n);
}
