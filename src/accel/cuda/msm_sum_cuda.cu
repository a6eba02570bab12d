/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Sums over the sorted list. Every thread takes an equal segment of the list, whatever the
 * buckets are, so skewed scalars cost nothing: the run that continues a bucket begun in an
 * earlier segment goes to the segment's head, every other run is the (first) value of its bucket,
 * and a second pass adds the heads to the buckets. The accumulation runs one block of 384
 * threads per SM: its loop fills the instruction cache, which blocks out of step would thrash.
 */
#include "cuda_queue_internal.h"
#include "msm_cuda_internal.h"

#include "g1_dev.cuh"

#define ACC_THREADS 384u
#define SUM_THREADS 128u
#define RED_THREADS 512u /* one block per SM, as the accumulation */
#define SIGN        0x80000000u
#define HEAVY       48u /* heads of a bucket that one thread still adds */

struct acc_args {
    const uint32_t *list, *offset;
    const cuzk_g1_affine *bases;
    cuzk_g1_xyzz *buckets, *heads;
    uint32_t n_buckets, segment;
    bool all_heads; /* one bucket, all runs to the heads */
};

/* The passes after the accumulation add by call: small code, and few enough additions. */
static __device__ __noinline__ void add_call(dg1 *a, const dg1 *b)
{
    dg1_add(*a, *b);
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

CUZK_DEV void load_base(dg1_affine &p, const cuzk_g1_affine *bases, uint32_t entry)
{
    const cuzk_g1_affine *b = &bases[entry & ~SIGN];
    mont_load_ro(p.x, &b->x);
    mont_load_ro(p.y, &b->y);
}

static __global__ void __launch_bounds__(ACC_THREADS, 1) accumulate_k(acc_args a)
{
    const uint32_t t = blockIdx.x * ACC_THREADS + threadIdx.x;
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
    dg1 acc;
    dg1_affine p, next;
    dg1_infinity(acc);
    uint32_t entry = a.list[i];
    load_base(next, a.bases, entry);
    /* All segments of a warp have one length, but runs end at different times: without the
     * barriers the lanes that wrote a bucket would go on apart from the others, each part at the
     * price of all. (Lanes past the end of the list have left; they do not count.) */
    while (true) {
        __syncwarp();
        p = next;
        const bool negative = (entry & SIGN) != 0;
        const bool none = mont_is_null(p.x) && mont_is_null(p.y);
        if (i + 1 < end) { /* the gather of the next point runs beside this addition */
            entry = a.list[i + 1];
            load_base(next, a.bases, entry);
        }
        if (negative) {
            mont_neg_canon(p.y);
        }
        if (!none) {
            dg1_add_affine(acc, p);
        }
        __syncwarp();
        i++;
        if (i == end || i == stop) {
            dg1_store(head ? &a.heads[t] : &a.buckets[k], acc);
            if (i == end) {
                return;
            }
            head = false;
            dg1_infinity(acc);
            do { /* empty buckets hold nothing and are not written */
                k++;
                stop = a.offset[k + 1];
            } while (stop == i);
        }
    }
}

/* End of the segments that hold entries of bucket k, which is not empty. */
CUZK_DEV uint32_t heads_end(const acc_args &a, uint32_t k)
{
    return (a.offset[k + 1] - 1) / a.segment + 1;
}

/* One thread per segment but the first; it works when its head is the first one of a bucket. */
static __global__ void __launch_bounds__(SUM_THREADS) combine_k(acc_args a, uint32_t *heavy)
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
    const uint32_t to = heads_end(a, k);
    if (to - from > HEAVY) {
        heavy[1 + atomicAdd(&heavy[0], 1u)] = k;
        return;
    }
    dg1 acc, h;
    dg1_load(acc, &a.buckets[k]);
    for (uint32_t t = from; t < to; t++) {
        dg1_load(h, &a.heads[t]);
        add_call(&acc, &h);
    }
    dg1_store(&a.buckets[k], acc);
}

/* Sum over a block of SUM_THREADS; valid in thread 0. All threads call it. */
CUZK_DEV void block_sum(dg1 &acc, cuzk_g1_xyzz *sh)
{
    for (unsigned half = SUM_THREADS / 2; half > 0; half /= 2) {
        if (threadIdx.x >= half && threadIdx.x < 2 * half) {
            dg1_store(&sh[threadIdx.x - half], acc);
        }
        __syncthreads();
        if (threadIdx.x < half) {
            dg1 h;
            dg1_load(h, &sh[threadIdx.x]);
            add_call(&acc, &h);
        }
        __syncthreads();
    }
}

static __global__ void __launch_bounds__(SUM_THREADS)
    combine_heavy_k(acc_args a, const uint32_t *heavy)
{
    __shared__ __align__(16) cuzk_g1_xyzz sh[SUM_THREADS / 2];
    for (uint32_t j = blockIdx.x; j < heavy[0]; j += gridDim.x) {
        const uint32_t k = heavy[1 + j];
        const uint32_t from = a.offset[k] / a.segment + 1, to = heads_end(a, k);
        dg1 acc, h;
        dg1_infinity(acc);
        if (threadIdx.x == 0) {
            dg1_load(acc, &a.buckets[k]);
        }
        for (uint32_t t = from + threadIdx.x; t < to; t += SUM_THREADS) {
            dg1_load(h, &a.heads[t]);
            add_call(&acc, &h);
        }
        block_sum(acc, sh);
        if (threadIdx.x == 0) {
            dg1_store(&a.buckets[k], acc);
        }
    }
}

struct reduce_args {
    const uint32_t *offset;
    const cuzk_g1_xyzz *buckets;
    cuzk_g1_xyzz *chunks;
    unsigned c, windows, top_bits, lg_chunk;
};

CUZK_DEV uint32_t window_buckets(const reduce_args &a, unsigned w)
{
    return 1u << (w + 1 == a.windows ? a.top_bits : a.c - 1);
}

/*
 * Chunk of 2^lg_chunk buckets of a window from bucket b on: sum of (j + 1) B_j over the window's
 * numbering j = running sums over the chunk, plus b times the chunk's plain sum.
 */
static __global__ void __launch_bounds__(RED_THREADS, 1) reduce_k(reduce_args a, uint32_t stride)
{
    const unsigned w = blockIdx.y;
    const uint32_t j = blockIdx.x * RED_THREADS + threadIdx.x;
    const uint32_t count = window_buckets(a, w), from = j << a.lg_chunk;
    if (from >= count) {
        return;
    }
    const uint32_t first = w << (a.c - 1);
    const uint32_t to = count - from < 1u << a.lg_chunk ? count : from + (1u << a.lg_chunk);
    dg1 run, sum, b;
    dg1_infinity(run);
    dg1_infinity(sum);
    for (uint32_t k = to; k-- > from;) {
        if (a.offset[first + k] != a.offset[first + k + 1]) {
            dg1_load(b, &a.buckets[first + k]);
            add_call(&run, &b);
        }
        __syncwarp();
        add_call(&sum, &run);
    }
    if (from != 0 && !dg1_is_infinity(run)) {
        b = run;
        for (unsigned bit = 31u - (unsigned)__clz((int)from); bit-- > 0;) {
            if (!dg1_is_infinity(b)) {
                dg1_dbl_call(&b);
            }
            if (from >> bit & 1) {
                add_call(&b, &run);
            }
        }
        add_call(&sum, &b);
    }
    dg1_store(&a.chunks[w * stride + j], sum);
}

/* out[row][block] = sum of in[row][i], i = block, block + blocks, ... below the row's length. */
struct fold_args {
    const cuzk_g1_xyzz *in;
    cuzk_g1_xyzz *out;
    uint32_t in_stride, out_stride;
    uint32_t length, last_length; /* of rows, of the last row */
    const uint32_t *d_entries;    /* not NULL: length is ceil(*d_entries / segment) */
    uint32_t segment;
};

static __global__ void __launch_bounds__(SUM_THREADS) fold_k(fold_args a)
{
    __shared__ __align__(16) cuzk_g1_xyzz sh[SUM_THREADS / 2];
    const unsigned row = blockIdx.y;
    uint32_t length = row + 1 == gridDim.y ? a.last_length : a.length;
    if (a.d_entries != NULL) {
        length = (uint32_t)(((uint64_t)*a.d_entries + a.segment - 1) / a.segment);
    }
    dg1 acc, h;
    dg1_infinity(acc);
    for (uint32_t i = blockIdx.x * SUM_THREADS + threadIdx.x; i < length;
         i += gridDim.x * SUM_THREADS) {
        dg1_load(h, &a.in[(uint64_t)row * a.in_stride + i]);
        add_call(&acc, &h);
    }
    block_sum(acc, sh);
    if (threadIdx.x == 0) {
        dg1_store(&a.out[row * a.out_stride + blockIdx.x], acc);
    }
}

static unsigned blocks_for(uint64_t n, unsigned threads)
{
    return (unsigned)((n + threads - 1) / threads);
}

/* Rows of `f` to d_sums by way of d_partials. */
static cuzk_status fold_rows(const cuzk_cuda_msm *m, cuzk_cuda_queue *q, fold_args f, unsigned rows,
                             uint64_t longest, cuzk_err *err)
{
    unsigned blocks = blocks_for(longest, 4 * SUM_THREADS);
    if (blocks > CUZK_CUDA_MSM_PARTIALS) {
        blocks = CUZK_CUDA_MSM_PARTIALS;
    }
    f.out = m->d_partials;
    f.out_stride = CUZK_CUDA_MSM_PARTIALS;
    fold_k<<<dim3(blocks, rows), SUM_THREADS, 0, q->stream>>>(f);
    CUZK_TRY(CUZK_CUDA_LAUNCHED(fold_k, err));
    fold_args g = {};
    g.in = m->d_partials;
    g.in_stride = CUZK_CUDA_MSM_PARTIALS;
    g.out = m->d_sums;
    g.out_stride = 1;
    g.length = blocks;
    g.last_length = blocks;
    fold_k<<<dim3(1, rows), SUM_THREADS, 0, q->stream>>>(g);
    return CUZK_CUDA_LAUNCHED(fold_k, err);
}

cuzk_status cuzk_cuda_msm_sum(const cuzk_cuda_msm *m, const cuzk_cuda_msm_shape *s,
                              cuzk_cuda_queue *q, const cuzk_g1_affine *d_bases, cuzk_err *err)
{
    acc_args a = {};
    a.list = m->d_list;
    a.offset = m->d_offset;
    a.bases = d_bases;
    a.buckets = m->d_buckets;
    a.heads = m->d_heads;
    a.n_buckets = s->buckets;
    a.segment = s->segment;
    const uint64_t segments = (s->n * s->windows + s->segment - 1) / s->segment;
    CUZK_TRY(CUZK_CUDA(cudaMemsetAsync(m->d_heavy, 0, sizeof(uint32_t), q->stream), err));
    accumulate_k<<<blocks_for(segments, ACC_THREADS), ACC_THREADS, 0, q->stream>>>(a);
    CUZK_TRY(CUZK_CUDA_LAUNCHED(accumulate_k, err));
    combine_k<<<blocks_for(segments, SUM_THREADS), SUM_THREADS, 0, q->stream>>>(a, m->d_heavy);
    CUZK_TRY(CUZK_CUDA_LAUNCHED(combine_k, err));
    combine_heavy_k<<<2 * (unsigned)q->sm_count, SUM_THREADS, 0, q->stream>>>(a, m->d_heavy);
    CUZK_TRY(CUZK_CUDA_LAUNCHED(combine_heavy_k, err));

    reduce_args r = {};
    r.offset = m->d_offset;
    r.buckets = m->d_buckets;
    r.chunks = m->d_chunks;
    r.c = s->c;
    r.windows = s->windows;
    r.top_bits = s->top_bits;
    r.lg_chunk = s->lg_chunk;
    const unsigned most_bits = s->windows == 1 ? s->top_bits : s->c - 1;
    const uint32_t round = (1u << s->lg_chunk) - 1;
    const uint32_t stride = ((1u << most_bits) + round) >> s->lg_chunk;
    const uint32_t last = ((1u << s->top_bits) + round) >> s->lg_chunk;
    reduce_k<<<dim3(blocks_for(stride, RED_THREADS), s->windows), RED_THREADS, 0, q->stream>>>(
        r, stride);
    CUZK_TRY(CUZK_CUDA_LAUNCHED(reduce_k, err));
    fold_args f = {};
    f.in = m->d_chunks;
    f.in_stride = stride;
    f.length = stride;
    f.last_length = last;
    return fold_rows(m, q, f, s->windows, stride, err);
}

cuzk_status cuzk_cuda_msm_sum_list(const cuzk_cuda_msm *m, cuzk_cuda_queue *q,
                                   const cuzk_g1_affine *d_bases, uint64_t n, cuzk_err *err)
{
    acc_args a = {};
    a.list = m->d_list;
    a.offset = m->d_offset;
    a.bases = d_bases;
    a.buckets = m->d_buckets;
    a.heads = m->d_heads;
    a.n_buckets = 1;
    a.segment = n > (uint64_t)1 << 24 ? 128 : 32;
    a.all_heads = true;
    const uint64_t segments = (n + a.segment - 1) / a.segment;
    accumulate_k<<<blocks_for(segments, ACC_THREADS), ACC_THREADS, 0, q->stream>>>(a);
    CUZK_TRY(CUZK_CUDA_LAUNCHED(accumulate_k, err));
    fold_args f = {};
    f.in = m->d_heads;
    f.d_entries = m->d_offset + 1;
    f.segment = a.segment;
    return fold_rows(m, q, f, 1, segments, err);
}
