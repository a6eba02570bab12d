/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* One element per thread; bound by memory: 64 to 96 bytes per element. */
#include <string.h>

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

/* k: an integer in the place of an element, so that the product is out of Montgomery form. */
static __global__ void __launch_bounds__(THREADS)
    vec_diff_k(cuzk_fr *out, const cuzk_fr *a, const cuzk_fr *b, cuzk_fr k, uint64_t n)
{
    const uint64_t i = (uint64_t)blockIdx.x * THREADS + threadIdx.x;
    if (i >= n) {
        return;
    }
    dfr x, y;
    mont_load(x, &a[i]);
    mont_load(y, &b[i]);
    mont_sub(x, x, y);
    mont_load(y, &k);
    mont_mul(x, y, x);
    mont_canon(x);
    mont_store(&out[i], x);
}

/* An element as two quarters of 16 bytes. */
struct pair16 {
    uint4 a, b;
};

CUZK_DEV pair16 get16(const cuzk_fr *p)
{
    const uint4 *q = (const uint4 *)p;
    const pair16 v = {q[0], q[1]};
    return v;
}

CUZK_DEV void put16(cuzk_fr *p, const pair16 &v)
{
    uint4 *q = (uint4 *)p;
    q[0] = v.a;
    q[1] = v.b;
}

/* Few elements: each pair is swapped by one thread. */
static __global__ void __launch_bounds__(THREADS) reverse_small_k(cuzk_fr *a, unsigned lg)
{
    const uint32_t i = blockIdx.x * THREADS + threadIdx.x;
    const uint32_t j = lg > 0 ? __brev(i) >> (32 - lg) : 0;
    if (i >> lg != 0 || j <= i) {
        return;
    }
    const pair16 x = get16(&a[i]), y = get16(&a[j]);
    put16(&a[i], y);
    put16(&a[j], x);
}

#define LG_SIDE 4u /* a tile: 16 rows of 16 neighbours, 512 bytes each */
#define SIDE    (1u << LG_SIDE)

/*
 * An index is [row | middle | column], rows and columns of LG_SIDE bits. Its reverse is [column reversed |
 * middle reversed | row reversed]: a block swaps the tiles of a middle and of its reverse.
 */
static __global__ void __launch_bounds__(SIDE *SIDE) reverse_k(cuzk_fr *a, unsigned lg)
{
    __shared__ pair16 sh[2][SIDE][SIDE];
    const unsigned lg_middle = lg - 2 * LG_SIDE;
    const uint32_t m = blockIdx.x;
    const uint32_t w = lg_middle > 0 ? __brev(m) >> (32 - lg_middle) : 0;
    if (w < m) {
        return; /* the block of w does both */
    }
    const uint32_t r = threadIdx.x / SIDE, c = threadIdx.x % SIDE;
    const uint32_t rev_r = __brev(r) >> (32 - LG_SIDE), rev_c = __brev(c) >> (32 - LG_SIDE);
    cuzk_fr *const p = a + ((uint64_t)r << (lg - LG_SIDE) | (uint64_t)m << LG_SIDE | c);
    cuzk_fr *const q = a + ((uint64_t)r << (lg - LG_SIDE) | (uint64_t)w << LG_SIDE | c);
    sh[0][r][c] = get16(p);
    sh[1][r][c] = get16(q);
    __syncthreads();
    put16(q, sh[0][rev_c][rev_r]);
    put16(p, sh[1][rev_c][rev_r]);
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

cuzk_status cuzk_cuda_vec_diff(cuzk_cuda_queue *q, cuzk_fr *d_out, const cuzk_fr *d_a,
                               const cuzk_fr *d_b, const cuzk_fr *k, uint64_t n, cuzk_err *err)
{
    cuzk_scalar plain;
    cuzk_fr factor;
    cuzk_fr_to_scalar(&plain, k);
    static_assert(sizeof(factor) == sizeof(plain), "elements and scalars have the same limbs");
    memcpy(&factor, &plain, sizeof(factor));
    CUZK_TRY(CUZK_CUDA(cudaSetDevice(q->device), err));
    if (n == 0) {
        return CUZK_OK;
    }
    return cuzk_cuda_launch(q, CUZK_KERNEL_VEC_DIFF, vec_diff_k, blocks_for(n), err, d_out, d_a,
                            d_b, factor, n);
}

cuzk_status cuzk_cuda_vec_reverse(cuzk_cuda_queue *q, cuzk_fr *d_a, uint64_t n, cuzk_err *err)
{
    unsigned lg = 0;
    while (lg < 32 && n >> lg > 1) {
        lg++;
    }
    if (n != (uint64_t)1 << lg || lg > 31) {
        return CUZK_FAIL(err, CUZK_E_INVALID,
                         "%llu elements in bit-reversed order: no power of two",
                         (unsigned long long)n);
    }
    CUZK_TRY(CUZK_CUDA(cudaSetDevice(q->device), err));
    if (lg < 2 * LG_SIDE) {
        return cuzk_cuda_launch(q, CUZK_KERNEL_REVERSE_SMALL, reverse_small_k, blocks_for(n), err,
                                d_a, lg);
    }
    static_assert(CUZK_THREADS_REVERSE == SIDE * SIDE, "the table of kernels");
    return cuzk_cuda_launch(q, CUZK_KERNEL_REVERSE, reverse_k, 1u << (lg - 2 * LG_SIDE), err, d_a,
                            lg);
}
