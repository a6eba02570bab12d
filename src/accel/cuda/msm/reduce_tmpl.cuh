/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_ACCEL_CUDA_MSM_REDUCE_TMPL_CUH
#define CUZK_ACCEL_CUDA_MSM_REDUCE_TMPL_CUH

/*
 * From buckets to the sums of windows: sum of (j + 1) B_j over a window's buckets B_0, B_1, ...
 * Chunks of the buckets give their plain sum and their sum weighted from 1 on by running sums, two
 * additions a bucket. What is missing, every chunk's first j times its plain sum, is the
 * chunk's number times the plain sum, times the chunk's length: the same problem again, small
 * enough for multiplications.
 */
#include "accel/cuda/ec/ec_dev.cuh"
#include "accel/cuda/queue/launch.cuh"

#include "msm_internal.h"

#define SUM_THREADS ((unsigned)CUZK_THREADS_FOLD_G1)
#define LG_TOP      2u /* plain sums per thread of the second step */

/* The other kernels of this file and of sum_tmpl.cuh. */
template <class G> struct fold_shape;
template <> struct fold_shape<g1_group> {
    static const cuzk_kernel top = CUZK_KERNEL_REDUCE_TOP_G1, fold = CUZK_KERNEL_FOLD_G1;
};
template <> struct fold_shape<g2_group> {
    static const cuzk_kernel top = CUZK_KERNEL_REDUCE_TOP_G2, fold = CUZK_KERNEL_FOLD_G2;
};

/* Threads of reduce_k, one block per SM, and their points in shared memory: an odd number of 16-byte
 * words apart, so that neighbours meet no bank conflicts. Lean, for 99 KiB: one point of a thread is
 * there, the running sum is in local memory. */
template <class G, bool LEAN> struct reduce_shape;
template <> struct reduce_shape<g1_group, false> {
    static const unsigned threads = CUZK_THREADS_REDUCE_G1;
    static const cuzk_kernel id = CUZK_KERNEL_REDUCE_G1, hex_id = CUZK_KERNEL_HEX_PIECES_G1;
};
template <> struct reduce_shape<g1_group, true> {
    static const unsigned threads = CUZK_THREADS_REDUCE_G1_LEAN;
    static const cuzk_kernel id = CUZK_KERNEL_REDUCE_G1_LEAN,
                             hex_id = CUZK_KERNEL_HEX_PIECES_G1_LEAN;
};
template <> struct reduce_shape<g2_group, false> {
    static const unsigned threads = CUZK_THREADS_REDUCE_G2;
    static const cuzk_kernel id = CUZK_KERNEL_REDUCE_G2;
};
template <> struct reduce_shape<g2_group, true> {
    static const unsigned threads = CUZK_THREADS_REDUCE_G2_LEAN;
    static const cuzk_kernel id = CUZK_KERNEL_REDUCE_G2_LEAN;
};
template <class G> struct __align__(16) shared_point
{
    typename G::xyzz p;
    uint64_t apart[2];
};

/* Additions here are calls: their code is much of an instruction cache, and each loop has two.
 * Sums stay in memory (shared, local or global), 16-byte aligned. *sum += *p. */
template <class G>
static __device__ __noinline__ void add_call(typename G::xyzz *sum, const typename G::xyzz *p)
{
    dpoint<G> a, b;
    point_load<G>(a, sum);
    point_load<G>(b, p);
    point_add<G>(a, b);
    point_store<G>(sum, a);
}

/* *sum *= 2 */
template <class G> static __device__ __noinline__ void double_call(typename G::xyzz *sum)
{
    dpoint<G> a;
    point_load<G>(a, sum);
    if (!point_is_infinity<G>(a)) {
        point_dbl<G>(a);
        point_store<G>(sum, a);
    }
}

template <class G> CUZK_DEV void clear(typename G::xyzz *sum)
{
    dpoint<G> a;
    point_infinity<G>(a);
    point_store<G>(sum, a);
}

template <class G> CUZK_DEV void copy(typename G::xyzz *to, const typename G::xyzz *from)
{
    dpoint<G> a;
    point_load<G>(a, from);
    point_store<G>(to, a);
}

/* Sum over a block of SUM_THREADS; valid in thread 0. All threads call it. */
template <class G> CUZK_DEV void block_sum(typename G::xyzz *acc, typename G::xyzz *sh)
{
    for (unsigned half = SUM_THREADS / 2; half > 0; half /= 2) {
        if (threadIdx.x >= half && threadIdx.x < 2 * half) {
            copy<G>(&sh[threadIdx.x - half], acc);
        }
        __syncthreads();
        if (threadIdx.x < half) {
            add_call<G>(acc, &sh[threadIdx.x]);
        }
        __syncthreads();
    }
}

template <class G> struct reduce_args {
    const uint32_t *offset;
    const typename G::xyzz *buckets;
    typename G::xyzz *chunks; /* [windows][stride]: weighted sums of chunks, then of the top step */
    typename G::xyzz *plain;  /* [windows][stride] */
    uint32_t stride;
    unsigned c, windows, top_bits, lg_chunk, batch;
};

template <class G> CUZK_DEV uint32_t window_chunks(const reduce_args<G> &a, unsigned w)
{
    const unsigned bits = w + 1 == a.windows ? a.top_bits : a.c - 1;
    return bits > a.lg_chunk ? 1u << (bits - a.lg_chunk) : 1;
}

/* run: the thread's running sum; sum: its weighted one. */
template <class G, bool LEAN>
CUZK_DEV void reduce_chunk(const reduce_args<G> &a, typename G::xyzz *run, typename G::xyzz *sum)
{
    const unsigned w = blockIdx.y;
    const uint32_t j = blockIdx.x * reduce_shape<G, LEAN>::threads + threadIdx.x;
    if (j >= window_chunks<G>(a, w)) {
        return;
    }
    const unsigned bits = w + 1 == a.windows ? a.top_bits : a.c - 1;
    const uint32_t length = 1u << (bits < a.lg_chunk ? bits : a.lg_chunk);
    const uint32_t first = (w << (a.c - 1)) + j * length;
    const uint32_t *offset = a.offset + first + w / a.batch; /* each batch has one more */
    const typename G::xyzz *buckets = a.buckets + first;
    clear<G>(run);
    clear<G>(sum);
    for (uint32_t k = length; k-- > 0;) {
        if (offset[k] != offset[k + 1]) {
            add_call<G>(run, &buckets[k]);
        }
        __syncwarp();
        add_call<G>(sum, run);
        __syncwarp();
    }
    copy<G>(&a.plain[(uint64_t)w * a.stride + j], run);
    copy<G>(&a.chunks[(uint64_t)w * a.stride + j], sum);
}

template <class G, bool LEAN>
static __global__ void __launch_bounds__(reduce_shape<G, LEAN>::threads, 1)
    reduce_k(const reduce_args<G> a)
{
    extern __shared__ __align__(16) uint4 raw[];
    typename G::xyzz *sum = &((shared_point<G> *)raw)[threadIdx.x].p;
    if constexpr (LEAN) {
        __align__(16) typename G::xyzz run;
        reduce_chunk<G, LEAN>(a, &run, sum);
    } else if constexpr (!CUZK_LEAN_ONLY) {
        reduce_chunk<G, LEAN>(
            a, &((shared_point<G> *)raw)[reduce_shape<G, LEAN>::threads + threadIdx.x].p, sum);
    }
}

/* Plain sums j to j + 2^LG_TOP - 1 of a window, each times its number and the length of a chunk. */
template <class G>
static __global__ void __launch_bounds__(SUM_THREADS) reduce_top_k(reduce_args<G> a)
{
    const unsigned w = blockIdx.y;
    const uint32_t t = blockIdx.x * SUM_THREADS + threadIdx.x;
    const uint32_t count = window_chunks<G>(a, w), from = t << LG_TOP;
    if (from >= count) {
        return;
    }
    const uint32_t to = count - from < 1u << LG_TOP ? count : from + (1u << LG_TOP);
    const typename G::xyzz *plain = a.plain + (uint64_t)w * a.stride;
    __align__(16) typename G::xyzz run, sum, times;
    clear<G>(&run);
    clear<G>(&sum);
    for (uint32_t k = to; k-- > from;) { /* run = all, sum = those past `from` by their distance */
        add_call<G>(&run, &plain[k]);
        if (k != from) {
            add_call<G>(&sum, &run);
        }
    }
    if (from != 0) {
        copy<G>(&times, &run);
        for (unsigned bit = 31u - (unsigned)__clz((int)from); bit-- > 0;) {
            double_call<G>(&times);
            if (from >> bit & 1) {
                add_call<G>(&times, &run);
            }
        }
        add_call<G>(&sum, &times);
    }
    for (unsigned i = 0; i < a.lg_chunk; i++) {
        double_call<G>(&sum);
    }
    copy<G>(&a.chunks[(uint64_t)w * a.stride + count + t], &sum);
}

/* out[row][block] = sum of in[row][i], i = block, block + blocks, ... below the row's length. */
template <class G> struct fold_args {
    const typename G::xyzz *in;
    typename G::xyzz *out;
    uint32_t in_stride, out_stride;
    uint32_t length, last_length; /* of rows, of the last row */
    const uint32_t *d_entries;    /* not NULL: length is ceil((*d_entries >> levels) / segment) */
    unsigned levels;
    uint32_t segment;
};

template <class G> static __global__ void __launch_bounds__(SUM_THREADS) fold_k(fold_args<G> a)
{
    __shared__ __align__(16) typename G::xyzz sh[SUM_THREADS / 2];
    const unsigned row = blockIdx.y;
    uint32_t length = row + 1 == gridDim.y ? a.last_length : a.length;
    if (a.d_entries != NULL) {
        length = ((*a.d_entries >> a.levels) + a.segment - 1) / a.segment;
    }
    __align__(16) typename G::xyzz acc;
    clear<G>(&acc);
    for (uint32_t i = blockIdx.x * SUM_THREADS + threadIdx.x; i < length;
         i += gridDim.x * SUM_THREADS) {
        add_call<G>(&acc, &a.in[(uint64_t)row * a.in_stride + i]);
    }
    block_sum<G>(&acc, sh);
    if (threadIdx.x == 0) {
        copy<G>(&a.out[row * a.out_stride + blockIdx.x], &acc);
    }
}

static unsigned blocks_for(uint64_t n, unsigned threads)
{
    return (unsigned)((n + threads - 1) / threads);
}

/* Rows of `f` to d_sums by way of d_partials. */
template <class G>
static cuzk_status fold_rows(const cuzk_cuda_msm_memory *m, cuzk_cuda_queue *q, fold_args<G> f,
                             unsigned rows, uint64_t longest, cuzk_err *err)
{
    unsigned blocks = blocks_for(longest, 4 * SUM_THREADS);
    if (blocks > CUZK_CUDA_MSM_PARTIALS) {
        blocks = CUZK_CUDA_MSM_PARTIALS;
    }
    f.out = (typename G::xyzz *)m->d_partials;
    f.out_stride = CUZK_CUDA_MSM_PARTIALS;
    CUZK_TRY(cuzk_cuda_launch(q, fold_shape<G>::fold, fold_k<G>, dim3(blocks, rows), err, f));
    fold_args<G> g = {};
    g.in = (const typename G::xyzz *)m->d_partials;
    g.in_stride = CUZK_CUDA_MSM_PARTIALS;
    g.out = (typename G::xyzz *)m->d_sums;
    g.out_stride = 1;
    g.length = blocks;
    g.last_length = blocks;
    return cuzk_cuda_launch(q, fold_shape<G>::fold, fold_k<G>, dim3(1, rows), err, g);
}

template <class G, bool LEAN>
static cuzk_status reduce(const cuzk_cuda_msm_memory *m, const cuzk_cuda_msm_shape *s,
                          cuzk_cuda_queue *q, cuzk_err *err)
{
    reduce_args<G> r = {};
    r.offset = m->d_offset;
    r.buckets = (const typename G::xyzz *)m->d_buckets;
    r.chunks = (typename G::xyzz *)m->d_chunks;
    r.plain = (typename G::xyzz *)m->d_plain;
    r.stride = cuzk_cuda_msm_chunk_stride(s);
    r.c = s->c;
    r.windows = s->windows;
    r.top_bits = s->top_bits;
    r.lg_chunk = s->lg_chunk;
    r.batch = s->batch;
    const unsigned most_bits = s->windows == 1 ? s->top_bits : s->c - 1;
    const uint32_t most = most_bits > s->lg_chunk ? 1u << (most_bits - s->lg_chunk) : 1;
    const uint32_t last = s->top_bits > s->lg_chunk ? 1u << (s->top_bits - s->lg_chunk) : 1;
    static_assert(sizeof(shared_point<G>) == sizeof(typename G::xyzz) + 16, "CUZK_REDUCE_BYTES");
    const unsigned threads = reduce_shape<G, LEAN>::threads;
    CUZK_TRY(cuzk_cuda_launch(q, reduce_shape<G, LEAN>::id, reduce_k<G, LEAN>,
                              dim3(blocks_for(most, threads), s->windows), err, r));
    const uint32_t tops = blocks_for(most, 1u << LG_TOP);
    CUZK_TRY(cuzk_cuda_launch(q, fold_shape<G>::top, reduce_top_k<G>,
                              dim3(blocks_for(tops, SUM_THREADS), s->windows), err, r));
    fold_args<G> f = {};
    f.in = (const typename G::xyzz *)m->d_chunks;
    f.in_stride = r.stride;
    f.length = most + tops;
    f.last_length = last + blocks_for(last, 1u << LG_TOP);
    return fold_rows<G>(m, q, f, s->windows, f.length, err);
}

#endif /* CUZK_ACCEL_CUDA_MSM_REDUCE_TMPL_CUH */
