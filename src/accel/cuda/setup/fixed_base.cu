/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Multiples of a generator: signed windows of 16 bits, so 16 additions from a table of 2^19 points
 * (48 MiB in G1, some of which the cache keeps), then a batch inversion to affine.
 */
#include "accel/cuda/ec/ec_dev.cuh"
#include "accel/cuda/queue/launch.cuh"

#include "setup_internal.h"

/* One block per multiprocessor: the loop fills the instruction cache, G2's all the registers. */
#define MUL_THREADS_G1 ((unsigned)CUZK_THREADS_FIXED_MUL_G1)
#define MUL_THREADS_G2 ((unsigned)CUZK_THREADS_FIXED_MUL_G2)
#define NORM_THREADS   ((unsigned)CUZK_THREADS_NORMALISE)
#define NORM_BATCH     16u

#define HALF           (1u << (CUZK_CUDA_FIXED_C - 1)) /* largest digit */

/* out[i] = sum of the digits' table entries. */
template <class G, uint32_t MUL_THREADS>
__global__ void __launch_bounds__(MUL_THREADS, 1)
    multiply(typename G::xyzz *out, const typename G::affine *table, const cuzk_scalar *scalars,
             uint32_t n)
{
    const uint32_t i = blockIdx.x * MUL_THREADS + threadIdx.x;
    if (i >= n) {
        return;
    }
    const uint16_t *windows = (const uint16_t *)&scalars[i];
    dpoint<G> acc;
    point_infinity<G>(acc);
    uint32_t carry = 0;
    /* The last window of a scalar < r is at most 0x73ed: no carry leaves it. */
#pragma unroll 1
    for (uint32_t w = 0; w < CUZK_CUDA_FIXED_WINDOWS; w++) {
        uint32_t d = __ldg(&windows[w]) + carry;
        carry = d > HALF ? 1 : 0;
        const bool negative = carry != 0;
        d = negative ? 2 * HALF - d : d;
        if (d != 0) {
            const typename G::affine *p = &table[w * HALF + d - 1];
            dpoint_affine<G> b;
            fe_load_ro(b.x, &p->x);
            fe_load_ro(b.y, &p->y);
            if (negative) {
                fe_neg_canon(b.y);
            }
            point_add_affine<G>(acc, b);
        }
    }
    point_store<G>(&out[i], acc);
}

/* Table entry first + i: its window's base times its digit, by doubling and adding. */
template <class G>
__global__ void __launch_bounds__(NORM_THREADS)
    table_entries(typename G::xyzz *out, const typename G::affine *bases, uint32_t first,
                  uint32_t n)
{
    const uint32_t i = blockIdx.x * NORM_THREADS + threadIdx.x;
    if (i >= n) {
        return;
    }
    const uint32_t digit = (first + i) % HALF + 1;
    const typename G::affine *p = &bases[(first + i) / HALF];
    dpoint_affine<G> b;
    dpoint<G> acc;
    fe_load_ro(b.x, &p->x);
    fe_load_ro(b.y, &p->y);
    point_infinity<G>(acc);
#pragma unroll 1
    for (int k = 31 - __clz(digit); k >= 0; k--) {
        if (!point_is_infinity<G>(acc)) {
            point_dbl<G>(acc);
        }
        if ((digit >> k & 1) != 0) {
            point_add_affine<G>(acc, b);
        }
    }
    point_store<G>(&out[i], acc);
}

/*
 * XYZZ to affine, reduced; infinity to (0, 0). A thread does points t, t + T, ... of T threads
 * with one inversion; products so far wait in out's x.
 */
template <class G>
__global__ void __launch_bounds__(NORM_THREADS)
    normalise(typename G::affine *out, const typename G::xyzz *in, uint32_t n)
{
    const uint32_t stride = gridDim.x * NORM_THREADS;
    const uint32_t first = blockIdx.x * NORM_THREADS + threadIdx.x;
    if (first >= n) {
        return;
    }
    typename G::fe product, z, inv, t;
    fe_one(product);
    uint32_t count = 0;
    for (uint64_t i = first; i < n; i += stride, count++) {
        fe_store(&out[i].x, product);
        fe_load(z, &in[i].zzz);
        if (!fe_is_null(z)) {
            fe_mul(product, product, z);
        }
    }
    fe_inv(inv, product);
    while (count-- > 0) {
        const uint64_t i = first + (uint64_t)count * stride;
        fe_load(z, &in[i].zzz);
        if (fe_is_null(z)) {
            fe_zero(t);
            fe_store(&out[i].x, t);
            fe_store(&out[i].y, t);
            continue;
        }
        fe_load(product, &out[i].x);
        fe_mul(product, product, inv); /* 1 / zzz */
        fe_mul(inv, inv, z);
        fe_load(t, &in[i].y);
        fe_mul(t, t, product);
        fe_canon(t);
        fe_store(&out[i].y, t);
        fe_load(t, &in[i].zz);
        fe_mul(t, t, product); /* zz / zzz = 1 / z, and zz = z^2 */
        fe_sqr(t, t);
        fe_load(z, &in[i].x);
        fe_mul(t, t, z);
        fe_canon(t);
        fe_store(&out[i].x, t);
    }
}

template <class G>
static cuzk_status to_affine(cuzk_cuda_queue *q, typename G::affine *d_out,
                             const typename G::xyzz *d_in, uint32_t n, cuzk_err *err)
{
    const uint32_t per_block = NORM_THREADS * NORM_BATCH;
    return cuzk_cuda_launch(q, CUZK_KERNEL_NORMALISE, normalise<G>, (n + per_block - 1) / per_block,
                            err, d_out, d_in, n);
}

template <class G>
static cuzk_status make_table(cuzk_cuda_queue *q, typename G::affine *d_table,
                              const typename G::affine *d_bases, void *d_xyzz, uint32_t slice,
                              cuzk_err *err)
{
    typename G::xyzz *xyzz = (typename G::xyzz *)d_xyzz;
    CUZK_TRY(CUZK_CUDA(cudaSetDevice(q->device), err));
    for (uint32_t at = 0; at < CUZK_CUDA_FIXED_ENTRIES; at += slice) {
        const uint32_t left = CUZK_CUDA_FIXED_ENTRIES - at, n = left < slice ? left : slice;
        CUZK_TRY(cuzk_cuda_launch(q, CUZK_KERNEL_TABLE_ENTRIES, table_entries<G>,
                                  (n + NORM_THREADS - 1) / NORM_THREADS, err, xyzz, d_bases, at,
                                  n));
        CUZK_TRY(to_affine<G>(q, d_table + at, xyzz, n, err));
    }
    return CUZK_OK;
}

template <class G, uint32_t MUL_THREADS>
static cuzk_status fixed_mul(cuzk_cuda_queue *q, typename G::affine *d_out,
                             const typename G::affine *d_table, const cuzk_scalar *d_scalars,
                             uint32_t n, void *d_xyzz, cuzk_err *err)
{
    typename G::xyzz *xyzz = (typename G::xyzz *)d_xyzz;
    CUZK_TRY(CUZK_CUDA(cudaSetDevice(q->device), err));
    if (n == 0) {
        return CUZK_OK;
    }
    CUZK_TRY(cuzk_cuda_launch(
        q, MUL_THREADS == MUL_THREADS_G1 ? CUZK_KERNEL_FIXED_MUL_G1 : CUZK_KERNEL_FIXED_MUL_G2,
        multiply<G, MUL_THREADS>, (n + MUL_THREADS - 1) / MUL_THREADS, err, xyzz, d_table,
        d_scalars, n));
    return to_affine<G>(q, d_out, xyzz, n, err);
}

cuzk_status cuzk_cuda_fixed_table_g1(cuzk_cuda_queue *q, cuzk_g1_affine *d_table,
                                     const cuzk_g1_affine *d_bases, void *d_xyzz, uint32_t slice,
                                     cuzk_err *err)
{
    return make_table<g1_group>(q, d_table, d_bases, d_xyzz, slice, err);
}

cuzk_status cuzk_cuda_fixed_table_g2(cuzk_cuda_queue *q, cuzk_g2_affine *d_table,
                                     const cuzk_g2_affine *d_bases, void *d_xyzz, uint32_t slice,
                                     cuzk_err *err)
{
    return make_table<g2_group>(q, d_table, d_bases, d_xyzz, slice, err);
}

cuzk_status cuzk_cuda_fixed_mul_g1(cuzk_cuda_queue *q, cuzk_g1_affine *d_out,
                                   const cuzk_g1_affine *d_table, const cuzk_scalar *d_scalars,
                                   uint32_t n, void *d_xyzz, cuzk_err *err)
{
    return fixed_mul<g1_group, MUL_THREADS_G1>(q, d_out, d_table, d_scalars, n, d_xyzz, err);
}

cuzk_status cuzk_cuda_fixed_mul_g2(cuzk_cuda_queue *q, cuzk_g2_affine *d_out,
                                   const cuzk_g2_affine *d_table, const cuzk_scalar *d_scalars,
                                   uint32_t n, void *d_xyzz, cuzk_err *err)
{
    return fixed_mul<g2_group, MUL_THREADS_G2>(q, d_out, d_table, d_scalars, n, d_xyzz, err);
}
