/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_ACCEL_CUDA_MSM_SUM_TMPL_CUH
#define CUZK_ACCEL_CUDA_MSM_SUM_TMPL_CUH

/*
 * Sums over the sorted list. Every thread takes an equal segment of the list, whatever the
 * buckets are, so skewed scalars cost nothing: the run that continues a bucket begun in an
 * earlier segment goes to the segment's head, every other run is the (first) value of its bucket,
 * and a second pass adds the heads to the buckets. The accumulation runs one block per
 * SM: its loop fills the instruction cache, which blocks out of step would thrash.
 */
#include "cuda_queue_internal.h"
#include "msm_cuda_internal.h"

#include "ec_dev.cuh"

#define SUM_THREADS 128u
#define SIGN        0x80000000u
#define HEAVY       48u /* heads of a bucket that one thread still adds */

/* Threads of the kernels with one block per SM: as many as the registers allow. */
template <class G> struct sum_shape;
template <> struct sum_shape<g1_group> {
    static const unsigned acc = 384, red = 512;
    static const bool prefetch = true;
};
template <> struct sum_shape<g2_group> {
    static const unsigned acc = 256, red = 256;
    static const bool prefetch = false; /* no registers left for it */
};

template <class G> struct acc_args {
    const uint32_t *list, *offset;
    const typename G::affine *bases;
    typename G::xyzz *buckets, *heads;
    uint32_t n_buckets, segment;
    bool all_heads; /* one bucket, all runs to the heads */
};

/* The passes after the accumulation add by call: small code, and few enough additions. */
template <class G> static __device__ __noinline__ void add_call(dpoint<G> *a, const dpoint<G> *b)
{
    point_add<G>(*a, *b);
}

/* Largest k with offset[k] <= i; then offset[k + 1] > i, when i is below the last offset. */
CUZK_DEV uint32_t bucket_of(const uint32_t *offset, uint32_t n_buckets, uint32_t i)
{
    uint32_t lo = 0, hi = n_buckets; /* offset[lo] <= i < offset[hi] */
    while (hi - lo > 1) {
        const uint32_t mid = lo + (hi - lo) / 2;
        if (offset[mid] <= i) {
            lo = mid;
        } else {
            hi = mid;
        }
    }
    return lo;
}

template <class G>
CUZK_DEV void load_base(dpoint_affine<G> &p, const typename G::affine *bases, uint32_t entry)
{
    const typename G::affine *b = &bases[entry & ~SIGN];
    fe_load_ro(p.x, &b->x);
    fe_load_ro(p.y, &b->y);
}

template <class G>
static __global__ void __launch_bounds__(sum_shape<G>::acc, 1) accumulate_k(acc_args<G> a)
{
    const uint32_t t = blockIdx.x * sum_shape<G>::acc + threadIdx.x;
    const uint32_t total = a.offset[a.n_buckets];
    const uint64_t from = (uint64_t)t * a.segment;
    if (from >= total) {
        return;
    }
    const uint32_t end = total - from < a.segment ? total : (uint32_t)from + a.segment;
    uint32_t i = (uint32_t)from;
    uint32_t k = bucket_of(a.offset, a.n_buckets, i);
    uint32_t stop = a.offset[k + 1];
    bool head = a.all_heads || a.offset[k] < i;
    dpoint<G> acc;
    dpoint_affine<G> p, next;
    point_infinity<G>(acc);
    uint32_t entry = a.list[i];
    if (sum_shape<G>::prefetch) {
        load_base<G>(next, a.bases, entry);
    }
    /* All segments of a warp have one length, but runs end at different times: without the
     * barriers the lanes that wrote a bucket would go on apart from the others, each part at the
     * price of all. (Lanes past the end of the list have left; they do not count.) */
    while (true) {
        __syncwarp();
        if (sum_shape<G>::prefetch) {
            p = next;
        } else {
            load_base<G>(p, a.bases, entry);
        }
        const bool negative = (entry & SIGN) != 0;
        const bool none = fe_is_null(p.y);
        if (i + 1 < end) { /* the gather of the next point runs beside this addition */
            entry = a.list[i + 1];
            if (sum_shape<G>::prefetch) {
                load_base<G>(next, a.bases, entry);
            }
        }
        if (negative) {
            fe_neg_canon(p.y);
        }
        if (!none) {
            point_add_affine<G>(acc, p);
        }
        __syncwarp();
        i++;
        if (i == end || i == stop) {
            point_store<G>(head ? &a.heads[t] : &a.buckets[k], acc);
            if (i == end) {
                return;
            }
            head = false;
            point_infinity<G>(acc);
            do { /* empty buckets hold nothing and are not written */
                k++;
                stop = a.offset[k + 1];
            } while (stop == i);
        }
    }
}

/* End of the segments that hold entries of bucket k, which is not empty. */
template <class G> CUZK_DEV uint32_t heads_end(const acc_args<G> &a, uint32_t k)
{
    return (a.offset[k + 1] - 1) / a.segment + 1;
}

/* One thread per segment but the first; it works when its head is the first one of a bucket. */
template <class G>
static __global__ void __launch_bounds__(SUM_THREADS) combine_k(acc_args<G> a, uint32_t *heavy)
{
    const uint32_t from = 1 + blockIdx.x * SUM_THREADS + threadIdx.x;
    const uint64_t i = (uint64_t)from * a.segment;
    if (i >= a.offset[a.n_buckets]) {
        return;
    }
    const uint32_t k = bucket_of(a.offset, a.n_buckets, (uint32_t)i);
    const uint32_t first = a.offset[k];
    if (first == (uint32_t)i || first / a.segment + 1 != from) {
        return;
    }
    const uint32_t to = heads_end<G>(a, k);
    if (to - from > HEAVY) {
        heavy[1 + atomicAdd(&heavy[0], 1u)] = k;
        return;
    }
    dpoint<G> acc, h;
    point_load<G>(acc, &a.buckets[k]);
    for (uint32_t t = from; t < to; t++) {
        point_load<G>(h, &a.heads[t]);
        add_call<G>(&acc, &h);
    }
    point_store<G>(&a.buckets[k], acc);
}

/* Sum over a block of SUM_THREADS; valid in thread 0. All threads call it. */
template <class G> CUZK_DEV void block_sum(dpoint<G> &acc, typename G::xyzz *sh)
{
    for (unsigned half = SUM_THREADS / 2; half > 0; half /= 2) {
        if (threadIdx.x >= half && threadIdx.x < 2 * half) {
            point_store<G>(&sh[threadIdx.x - half], acc);
        }
        __syncthreads();
        if (threadIdx.x < half) {
            dpoint<G> h;
            point_load<G>(h, &sh[threadIdx.x]);
            add_call<G>(&acc, &h);
        }
        __syncthreads();
    }
}

template <class G>
static __global__ void __launch_bounds__(SUM_THREADS)
    combine_heavy_k(acc_args<G> a, const uint32_t *heavy)
{
    __shared__ __align__(16) typename G::xyzz sh[SUM_THREADS / 2];
    for (uint32_t j = blockIdx.x; j < heavy[0]; j += gridDim.x) {
        const uint32_t k = heavy[1 + j];
        const uint32_t from = a.offset[k] / a.segment + 1, to = heads_end<G>(a, k);
        dpoint<G> acc, h;
        point_infinity<G>(acc);
        if (threadIdx.x == 0) {
            point_load<G>(acc, &a.buckets[k]);
        }
        for (uint32_t t = from + threadIdx.x; t < to; t += SUM_THREADS) {
            point_load<G>(h, &a.heads[t]);
            add_call<G>(&acc, &h);
        }
        block_sum<G>(acc, sh);
        if (threadIdx.x == 0) {
            point_store<G>(&a.buckets[k], acc);
        }
    }
}

template <class G> struct reduce_args {
    const uint32_t *offset;
    const typename G::xyzz *buckets;
    typename G::xyzz *chunks;
    unsigned c, windows, top_bits, lg_chunk, batch;
};

template <class G> CUZK_DEV uint32_t window_buckets(const reduce_args<G> &a, unsigned w)
{
    return 1u << (w + 1 == a.windows ? a.top_bits : a.c - 1);
}

/*
 * Chunk of 2^lg_chunk buckets of a window from bucket b on: sum of (j + 1) B_j over the window's
 * numbering j = running sums over the chunk, plus b times the chunk's plain sum.
 */
template <class G>
static __global__ void __launch_bounds__(sum_shape<G>::red, 1)
    reduce_k(reduce_args<G> a, uint32_t stride)
{
    const unsigned w = blockIdx.y;
    const uint32_t j = blockIdx.x * sum_shape<G>::red + threadIdx.x;
    const uint32_t count = window_buckets<G>(a, w), from = j << a.lg_chunk;
    if (from >= count) {
        return;
    }
    const uint32_t first = w << (a.c - 1);
    const uint32_t to = count - from < 1u << a.lg_chunk ? count : from + (1u << a.lg_chunk);
    const uint32_t *offset = a.offset + first + w / a.batch; /* each batch has one more */
    dpoint<G> run, sum, b;
    point_infinity<G>(run);
    point_infinity<G>(sum);
    for (uint32_t k = to; k-- > from;) {
        if (offset[k] != offset[k + 1]) {
            point_load<G>(b, &a.buckets[first + k]);
            add_call<G>(&run, &b);
        }
        __syncwarp();
        add_call<G>(&sum, &run);
    }
    if (from != 0 && !point_is_infinity<G>(run)) {
        b = run;
        for (unsigned bit = 31u - (unsigned)__clz((int)from); bit-- > 0;) {
            if (!point_is_infinity<G>(b)) {
                point_dbl_call<G>(&b);
            }
            if (from >> bit & 1) {
                add_call<G>(&b, &run);
            }
        }
        add_call<G>(&sum, &b);
    }
    point_store<G>(&a.chunks[w * stride + j], sum);
}

/* out[row][block] = sum of in[row][i], i = block, block + blocks, ... below the row's length. */
template <class G> struct fold_args {
    const typename G::xyzz *in;
    typename G::xyzz *out;
    uint32_t in_stride, out_stride;
    uint32_t length, last_length; /* of rows, of the last row */
    const uint32_t *d_entries;    /* not NULL: length is ceil(*d_entries / segment) */
    uint32_t segment;
};

template <class G> static __global__ void __launch_bounds__(SUM_THREADS) fold_k(fold_args<G> a)
{
    __shared__ __align__(16) typename G::xyzz sh[SUM_THREADS / 2];
    const unsigned row = blockIdx.y;
    uint32_t length = row + 1 == gridDim.y ? a.last_length : a.length;
    if (a.d_entries != NULL) {
        length = (uint32_t)(((uint64_t)*a.d_entries + a.segment - 1) / a.segment);
    }
    dpoint<G> acc, h;
    point_infinity<G>(acc);
    for (uint32_t i = blockIdx.x * SUM_THREADS + threadIdx.x; i < length;
         i += gridDim.x * SUM_THREADS) {
        point_load<G>(h, &a.in[(uint64_t)row * a.in_stride + i]);
        add_call<G>(&acc, &h);
    }
    block_sum<G>(acc, sh);
    if (threadIdx.x == 0) {
        point_store<G>(&a.out[row * a.out_stride + blockIdx.x], acc);
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
    fold_k<G><<<dim3(blocks, rows), SUM_THREADS, 0, q->stream>>>(f);
    CUZK_TRY(CUZK_CUDA_LAUNCHED(fold_k, err));
    fold_args<G> g = {};
    g.in = (const typename G::xyzz *)m->d_partials;
    g.in_stride = CUZK_CUDA_MSM_PARTIALS;
    g.out = (typename G::xyzz *)m->d_sums;
    g.out_stride = 1;
    g.length = blocks;
    g.last_length = blocks;
    fold_k<G><<<dim3(1, rows), SUM_THREADS, 0, q->stream>>>(g);
    return CUZK_CUDA_LAUNCHED(fold_k, err);
}

template <class G>
static cuzk_status accumulate(const cuzk_cuda_msm_memory *m, const cuzk_cuda_msm_shape *s,
                              const cuzk_cuda_msm_batch *b, cuzk_cuda_queue *q, const void *d_bases,
                              cuzk_err *err)
{
    acc_args<G> a = {};
    a.list = m->d_list;
    a.offset = b->d_offset;
    a.bases = (const typename G::affine *)d_bases;
    a.buckets = (typename G::xyzz *)m->d_buckets + b->first_bucket;
    a.heads = (typename G::xyzz *)m->d_heads;
    a.n_buckets = b->buckets;
    a.segment = s->segment;
    const uint64_t segments = (s->n * b->count + s->segment - 1) / s->segment;
    CUZK_TRY(CUZK_CUDA(cudaMemsetAsync(m->d_heavy, 0, sizeof(uint32_t), q->stream), err));
    accumulate_k<G>
        <<<blocks_for(segments, sum_shape<G>::acc), sum_shape<G>::acc, 0, q->stream>>>(a);
    CUZK_TRY(CUZK_CUDA_LAUNCHED(accumulate_k, err));
    combine_k<G><<<blocks_for(segments, SUM_THREADS), SUM_THREADS, 0, q->stream>>>(a, m->d_heavy);
    CUZK_TRY(CUZK_CUDA_LAUNCHED(combine_k, err));
    combine_heavy_k<G><<<2 * (unsigned)q->sm_count, SUM_THREADS, 0, q->stream>>>(a, m->d_heavy);
    return CUZK_CUDA_LAUNCHED(combine_heavy_k, err);
}

template <class G>
static cuzk_status reduce(const cuzk_cuda_msm_memory *m, const cuzk_cuda_msm_shape *s,
                          cuzk_cuda_queue *q, cuzk_err *err)
{
    reduce_args<G> r = {};
    r.offset = m->d_offset;
    r.buckets = (const typename G::xyzz *)m->d_buckets;
    r.chunks = (typename G::xyzz *)m->d_chunks;
    r.c = s->c;
    r.windows = s->windows;
    r.top_bits = s->top_bits;
    r.lg_chunk = s->lg_chunk;
    r.batch = s->batch;
    const unsigned most_bits = s->windows == 1 ? s->top_bits : s->c - 1;
    const uint32_t round = (1u << s->lg_chunk) - 1;
    const uint32_t stride = ((1u << most_bits) + round) >> s->lg_chunk;
    const uint32_t last = ((1u << s->top_bits) + round) >> s->lg_chunk;
    const unsigned threads = sum_shape<G>::red;
    reduce_k<G>
        <<<dim3(blocks_for(stride, threads), s->windows), threads, 0, q->stream>>>(r, stride);
    CUZK_TRY(CUZK_CUDA_LAUNCHED(reduce_k, err));
    fold_args<G> f = {};
    f.in = (const typename G::xyzz *)m->d_chunks;
    f.in_stride = stride;
    f.length = stride;
    f.last_length = last;
    return fold_rows<G>(m, q, f, s->windows, stride, err);
}

template <class G>
static cuzk_status sum_list(const cuzk_cuda_msm_memory *m, cuzk_cuda_queue *q, const void *d_bases,
                            uint64_t n, cuzk_err *err)
{
    acc_args<G> a = {};
    a.list = m->d_list;
    a.offset = m->d_offset;
    a.bases = (const typename G::affine *)d_bases;
    a.buckets = (typename G::xyzz *)m->d_buckets;
    a.heads = (typename G::xyzz *)m->d_heads;
    a.n_buckets = 1;
    a.segment = (uint32_t)cuzk_cuda_msm_bits_segment(n);
    a.all_heads = true;
    const uint64_t segments = (n + a.segment - 1) / a.segment;
    accumulate_k<G>
        <<<blocks_for(segments, sum_shape<G>::acc), sum_shape<G>::acc, 0, q->stream>>>(a);
    CUZK_TRY(CUZK_CUDA_LAUNCHED(accumulate_k, err));
    fold_args<G> f = {};
    f.in = (const typename G::xyzz *)m->d_heads;
    f.d_entries = m->d_offset + 1;
    f.segment = a.segment;
    return fold_rows<G>(m, q, f, 1, segments, err);
}

#endif /* CUZK_ACCEL_CUDA_MSM_SUM_TMPL_CUH */
