/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "accel/cuda/ec/ec_dev.cuh"
#include "accel/cuda/queue/status.h"

#include "throughput_kernels.h"

#define BLOCKS      528u
#define MUL_THREADS 512u
#define MUL_STEPS   2048u
#define ADD_THREADS 384u
#define ADD_BLOCKS  (132u * 8u)
#define ADD_STEPS   256u
#define INV_STEPS   64u

/* Two independent chains per thread, so that latency is not what is measured. */
template <class F>
static __global__ void __launch_bounds__(MUL_THREADS) mul_k(typename F::host *sink)
{
    const uint32_t t = blockIdx.x * MUL_THREADS + threadIdx.x;
    mont<F> x, y, w;
    mont_one(w);
    w.l[0] ^= t;
    mont_canon(w);
    x = w;
    y = w;
    y.l[1] ^= 5;
#pragma unroll 1
    for (unsigned i = 0; i < MUL_STEPS; i++) {
        mont_mul(x, w, x);
        mont_mul(y, w, y);
    }
    mont_add(x, x, y);
    mont_store(&sink[t], x);
}

static __global__ void __launch_bounds__(MUL_THREADS) sqr_k(cuzk_fp *sink)
{
    const uint32_t t = blockIdx.x * MUL_THREADS + threadIdx.x;
    dfp x, y;
    mont_one(x);
    x.l[0] ^= t;
    mont_canon(x);
    y = x;
    y.l[1] ^= 5;
#pragma unroll 1
    for (unsigned i = 0; i < MUL_STEPS; i++) {
        mont_sqr(x, x);
        mont_sqr(y, y);
    }
    mont_add(x, x, y);
    mont_store(&sink[t], x);
}

static __global__ void __launch_bounds__(ADD_THREADS, 1)
    add_k(cuzk_fp *sink, const cuzk_g1_affine *bases, uint32_t mask)
{
    const uint32_t t = blockIdx.x * ADD_THREADS + threadIdx.x;
    uint32_t h = t * 2654435761u + 1;
    dpoint<g1_group> acc;
    dpoint_affine<g1_group> p, next;
    point_infinity<g1_group>(acc);
    mont_load_ro(next.x, &bases[h & mask].x);
    mont_load_ro(next.y, &bases[h & mask].y);
#pragma unroll 1
    for (unsigned i = 0; i < ADD_STEPS; i++) {
        p = next;
        h = h * 1664525u + 1013904223u;
        const cuzk_g1_affine *b = &bases[(h >> 3) & mask];
        mont_load_ro(next.x, &b->x);
        mont_load_ro(next.y, &b->y);
        point_add_affine<g1_group>(acc, p);
    }
    mont_add(acc.x, acc.x, acc.y);
    mont_add(acc.x, acc.x, acc.zz);
    mont_store(&sink[t], acc.x);
}

/* Inversions one after the other: how long one takes. */
static __global__ void __launch_bounds__(32) inv_k(cuzk_fp *sink)
{
    dfp x;
    mont_one(x);
    x.l[0] ^= blockIdx.x * 32 + threadIdx.x;
    mont_canon(x);
#pragma unroll 1
    for (unsigned i = 0; i < INV_STEPS; i++) {
        fe_inv(x, x);
        x.l[0] ^= 2;
    }
    mont_store(&sink[blockIdx.x * 32 + threadIdx.x], x);
}

static __global__ void __launch_bounds__(256) scalars_k(uint64_t *out, uint64_t words)
{
    const uint64_t i = blockIdx.x * (uint64_t)256 + threadIdx.x;
    if (i < words) { /* splitmix64 (Steele, Lea, Flood, OOPSLA 2014) */
        uint64_t z = (i + 1) * 0x9e3779b97f4a7c15ULL;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
        z ^= z >> 31;
        out[i] = i % 4 == 3 ? z >> 2 : z;
    }
}

double bench_op_count(bench_op op)
{
    if (op == BENCH_XYZZ_ADD) {
        return (double)ADD_BLOCKS * ADD_THREADS * ADD_STEPS;
    }
    if (op == BENCH_FP_INV) {
        return INV_STEPS;
    }
    return 2.0 * BLOCKS * MUL_THREADS * MUL_STEPS;
}

cuzk_status bench_op_launch(bench_op op, cuzk_cuda_queue *q, const cuzk_g1_affine *d_bases,
                            unsigned lg_bases, void *d_sink, cuzk_err *err)
{
    cudaStream_t s = (cudaStream_t)cuzk_cuda_queue_stream(q);
    if (op == BENCH_FP_MUL) {
        mul_k<fp_field><<<BLOCKS, MUL_THREADS, 0, s>>>((cuzk_fp *)d_sink);
    } else if (op == BENCH_FP_SQR) {
        sqr_k<<<BLOCKS, MUL_THREADS, 0, s>>>((cuzk_fp *)d_sink);
    } else if (op == BENCH_FR_MUL) {
        mul_k<fr_field><<<BLOCKS, MUL_THREADS, 0, s>>>((cuzk_fr *)d_sink);
    } else if (op == BENCH_FP_INV) {
        inv_k<<<32, 32, 0, s>>>((cuzk_fp *)d_sink);
    } else {
        add_k<<<ADD_BLOCKS, ADD_THREADS, 0, s>>>((cuzk_fp *)d_sink, d_bases, (1u << lg_bases) - 1);
    }
    return CUZK_CUDA_LAUNCHED(bench_op, err);
}

cuzk_status bench_fill_scalars(cuzk_cuda_queue *q, cuzk_scalar *d_out, uint64_t n, cuzk_err *err)
{
    const uint64_t words = 4 * n;
    scalars_k<<<(unsigned)((words + 255) / 256), 256, 0, (cudaStream_t)cuzk_cuda_queue_stream(q)>>>(
        (uint64_t *)d_out, words);
    return CUZK_CUDA_LAUNCHED(scalars_k, err);
}
