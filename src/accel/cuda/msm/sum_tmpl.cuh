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
#include "accel/cuda/ec/ec_dev.cuh"
#include "accel/cuda/queue/launch.cuh"

#include "msm_internal.h"

#include "reduce_tmpl.cuh"
#include "tree_tmpl.cuh"

#define SIGN  CUZK_CUDA_MSM_SIGN
#define HEAVY 48u /* heads of a bucket that one thread still adds */

/* Threads of the accumulation, one block per SM: as many as the registers allow. */
template <class G> struct sum_shape;
template <> struct sum_shape<g1_group> {
    static const unsigned acc = CUZK_THREADS_ACCUMULATE_G1, combine_blocks = 4;
    static const bool prefetch = true;
    static const cuzk_kernel accumulate = CUZK_KERNEL_ACCUMULATE_G1,
                             combine = CUZK_KERNEL_COMBINE_G1,
                             combine_heavy = CUZK_KERNEL_COMBINE_HEAVY_G1,
                             combine_shares = CUZK_KERNEL_COMBINE_SHARES_G1;
};
template <> struct sum_shape<g2_group> {
    static const unsigned acc = CUZK_THREADS_ACCUMULATE_G2, combine_blocks = 2;
    static const bool prefetch = false; /* no registers left for it */
    static const cuzk_kernel accumulate = CUZK_KERNEL_ACCUMULATE_G2,
                             combine = CUZK_KERNEL_COMBINE_G2,
                             combine_heavy = CUZK_KERNEL_COMBINE_HEAVY_G2,
                             combine_shares = CUZK_KERNEL_COMBINE_SHARES_G2;
};

template <class G> struct acc_args {
    const uint32_t *list, *offset;
    tree_bases<G> bases;
    const uint4 *points; /* after `levels` > 0 levels of the tree: these, not the list's bases */
    unsigned levels;
    typename G::xyzz *buckets, *heads;
    uint32_t n_buckets, segment;
    bool all_heads; /* one bucket, all runs to the heads */
};

/* First entry or point of bucket k. */
template <class G> CUZK_DEV uint32_t bucket_start(const acc_args<G> &a, uint32_t k)
{
    return a.offset[k] >> a.levels;
}

/* Bucket of entry or point i, which is below the last bucket's end. */
template <class G> CUZK_DEV uint32_t bucket_of(const acc_args<G> &a, uint32_t i)
{
    uint32_t lo = 0, hi = a.n_buckets; /* bucket_start(lo) <= i < bucket_start(hi) */
    while (hi - lo > 1) {
        const uint32_t mid = lo + (hi - lo) / 2;
        if (bucket_start<G>(a, mid) <= i) {
            lo = mid;
        } else {
            hi = mid;
        }
    }
    return lo;
}

/* The next entry's base, or the next point. */
template <class G, bool LIST>
CUZK_DEV void load_next(dpoint_affine<G> &p, const acc_args<G> &a, uint32_t i, uint32_t entry)
{
    if (!LIST) {
        words_load<TREE_GROUP>(p.x, tree_x<G>(a.points, i));
        words_load<TREE_GROUP>(p.y, tree_y<G>(a.points, i));
    } else if (entry == CUZK_CUDA_MSM_NONE) {
        fe_zero(p.x);
        fe_zero(p.y);
    } else {
        fe_load_ro(p.x, entry_x<G>(a.bases, entry));
        fe_load_ro(p.y, &entry_base<G>(a.bases, entry)->y);
    }
}

template <class G, bool LIST>
static __global__ void __launch_bounds__(sum_shape<G>::acc, 1) accumulate_k(acc_args<G> a)
{
    const uint32_t t = blockIdx.x * sum_shape<G>::acc + threadIdx.x;
    const uint32_t total = bucket_start<G>(a, a.n_buckets);
    const uint64_t from = (uint64_t)t * a.segment;
    if (from >= total) {
        return;
    }
    const uint32_t end = total - from < a.segment ? total : (uint32_t)from + a.segment;
    uint32_t i = (uint32_t)from;
    uint32_t k = bucket_of<G>(a, i);
    uint32_t stop = bucket_start<G>(a, k + 1);
    bool head = a.all_heads || bucket_start<G>(a, k) < i;
    dpoint<G> acc;
    dpoint_affine<G> p, next;
    point_infinity<G>(acc);
    uint32_t entry = LIST ? a.list[i] : 0;
    if (sum_shape<G>::prefetch) {
        load_next<G, LIST>(next, a, i, entry);
    }
    /* All segments of a warp have one length, but runs end at different times: without the
     * barriers the lanes that wrote a bucket would go on apart from the others, each part at the
     * price of all. (Lanes past the end of the list have left; they do not count.) */
    while (true) {
        __syncwarp();
        if (sum_shape<G>::prefetch) {
            p = next;
        } else {
            load_next<G, LIST>(p, a, i, entry);
        }
        const bool negative = LIST && (entry & SIGN) != 0;
        const bool none = fe_is_null(p.y);
        if (i + 1 < end) { /* the gather of the next point runs beside this addition */
            entry = LIST ? a.list[i + 1] : 0;
            if (sum_shape<G>::prefetch) {
                load_next<G, LIST>(next, a, i + 1, entry);
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
                stop = bucket_start<G>(a, k + 1);
            } while (stop == i);
        }
    }
}

/* End of the segments that hold points of bucket k, which is not empty. */
template <class G> CUZK_DEV uint32_t heads_end(const acc_args<G> &a, uint32_t k)
{
    return (bucket_start<G>(a, k + 1) - 1) / a.segment + 1;
}

/* One thread per segment but the first; it works when its head is the first one of a bucket. */
template <class G>
static __global__ void __launch_bounds__(SUM_THREADS, sum_shape<G>::combine_blocks)
    combine_k(acc_args<G> a, uint32_t *heavy)
{
    const uint32_t from = 1 + blockIdx.x * SUM_THREADS + threadIdx.x;
    const uint64_t i = (uint64_t)from * a.segment;
    if (i >= bucket_start<G>(a, a.n_buckets)) {
        return;
    }
    const uint32_t k = bucket_of<G>(a, (uint32_t)i);
    const uint32_t first = bucket_start<G>(a, k);
    if (first == (uint32_t)i || first / a.segment + 1 != from) {
        return;
    }
    const uint32_t to = heads_end<G>(a, k);
    if (to - from > HEAVY) {
        heavy[1 + atomicAdd(&heavy[0], 1u)] = k;
        return;
    }
    for (uint32_t t = from; t < to; t++) {
        add_call<G>(&a.buckets[k], &a.heads[t]);
    }
}

/* Blocks of combine_heavy_k that share a bucket. */
CUZK_DEV uint32_t heavy_shares(uint32_t count)
{
    return count < gridDim.x ? gridDim.x / count : 1;
}

/* Sum of a block's share of the heads of a heavy bucket to the share's first head. */
template <class G>
static __global__ void __launch_bounds__(SUM_THREADS)
    combine_heavy_k(acc_args<G> a, const uint32_t *heavy)
{
    __shared__ __align__(16) typename G::xyzz sh[SUM_THREADS / 2];
    const uint32_t count = heavy[0];
    if (count == 0) {
        return;
    }
    const uint32_t shares = heavy_shares(count);
    for (uint32_t j = blockIdx.x; j < count * shares; j += gridDim.x) {
        const uint32_t k = heavy[1 + j / shares], share = j % shares;
        const uint32_t from = bucket_start<G>(a, k) / a.segment + 1, to = heads_end<G>(a, k);
        const uint32_t each = (to - from + shares - 1) / shares;
        const uint32_t begin = from + share * each;
        if (begin >= to) {
            continue;
        }
        const uint32_t end = to - begin < each ? to : begin + each;
        __align__(16) typename G::xyzz acc;
        clear<G>(&acc);
        for (uint32_t t = begin + threadIdx.x; t < end; t += SUM_THREADS) {
            add_call<G>(&acc, &a.heads[t]);
        }
        block_sum<G>(&acc, sh); /* all heads of the share are read before this writes one */
        if (threadIdx.x == 0) {
            copy<G>(&a.heads[begin], &acc);
        }
        __syncthreads();
    }
}

/* The shares of heavy buckets to the buckets; as many blocks as combine_heavy_k. */
template <class G>
static __global__ void __launch_bounds__(SUM_THREADS)
    combine_shares_k(acc_args<G> a, const uint32_t *heavy)
{
    __shared__ __align__(16) typename G::xyzz sh[SUM_THREADS / 2];
    const uint32_t count = heavy[0];
    if (count == 0) {
        return;
    }
    const uint32_t shares = heavy_shares(count);
    for (uint32_t j = blockIdx.x; j < count; j += gridDim.x) {
        const uint32_t k = heavy[1 + j];
        const uint32_t from = bucket_start<G>(a, k) / a.segment + 1, to = heads_end<G>(a, k);
        const uint32_t each = (to - from + shares - 1) / shares;
        __align__(16) typename G::xyzz acc;
        clear<G>(&acc);
        if (threadIdx.x == 0) {
            copy<G>(&acc, &a.buckets[k]);
        }
        for (uint32_t t = from + threadIdx.x * each; t < to; t += SUM_THREADS * each) {
            add_call<G>(&acc, &a.heads[t]);
        }
        block_sum<G>(&acc, sh);
        if (threadIdx.x == 0) {
            copy<G>(&a.buckets[k], &acc);
        }
        __syncthreads();
    }
}

/* The levels of the tree, then the accumulation; at most `entries` entries in the list. */
template <class G>
static cuzk_status run_levels(const cuzk_cuda_msm_memory *m, cuzk_cuda_queue *q, acc_args<G> *a,
                              uint64_t entries, cuzk_err *err)
{
    const cuzk_kernel id = sum_shape<G>::accumulate;
    const unsigned blocks =
        blocks_for(((entries >> a->levels) + a->segment - 1) / a->segment, sum_shape<G>::acc);
    if (a->levels == 0) {
        return cuzk_cuda_launch(q, id, accumulate_k<G, true>, blocks, err, *a);
    }
    const void *points = NULL;
    const void *images = a->bases.phi != 0 ? a->bases.images : NULL;
    const uint32_t *d_entries = a->offset + a->n_buckets;
    if (tree_group<G>::parts && q->card.cached_tree && a->levels == 2) {
        CUZK_TRY(cuzk_cuda_msm_tree_parts_g1(m, q, a->bases.at, images, d_entries, entries, &points,
                                             err));
    } else {
        CUZK_TRY(tree_group<G>::run(m, q, a->bases.at, images, d_entries, a->levels, &points, err));
    }
    a->points = (const uint4 *)points;
    return cuzk_cuda_launch(q, id, accumulate_k<G, false>, blocks, err, *a);
}

template <class G>
static cuzk_status accumulate(const cuzk_cuda_msm_memory *m, const cuzk_cuda_msm_shape *s,
                              const cuzk_cuda_msm_batch *b, cuzk_cuda_queue *q, const void *d_bases,
                              const void *d_images, cuzk_err *err)
{
    acc_args<G> a = {};
    a.list = m->d_list;
    a.offset = b->d_offset;
    a.bases = tree_bases_of<G>(d_bases, d_images);
    a.levels = s->levels;
    a.buckets = (typename G::xyzz *)m->d_buckets + b->first_bucket;
    a.heads = (typename G::xyzz *)m->d_heads;
    a.n_buckets = b->buckets;
    const uint64_t entries = cuzk_cuda_msm_list_length(s->n * b->count, b->buckets, s->levels);
    a.segment = cuzk_cuda_msm_segment(entries >> s->levels, q->card.sms);
    const unsigned combine = blocks_for((entries >> s->levels) / a.segment + 1, SUM_THREADS);
    const unsigned heavy = 2 * q->card.sms;
    CUZK_TRY(CUZK_CUDA(cudaMemsetAsync(m->d_heavy, 0, sizeof(uint32_t), q->stream), err));
    CUZK_TRY(run_levels<G>(m, q, &a, entries, err));
    CUZK_TRY(cuzk_cuda_launch(q, sum_shape<G>::combine, combine_k<G>, combine, err, a, m->d_heavy));
    CUZK_TRY(cuzk_cuda_launch(q, sum_shape<G>::combine_heavy, combine_heavy_k<G>, heavy, err, a,
                              m->d_heavy));
    return cuzk_cuda_launch(q, sum_shape<G>::combine_shares, combine_shares_k<G>, heavy, err, a,
                            m->d_heavy);
}

template <class G>
static cuzk_status sum_list(const cuzk_cuda_msm_memory *m, cuzk_cuda_queue *q, const void *d_bases,
                            uint64_t n, unsigned levels, cuzk_err *err)
{
    acc_args<G> a = {};
    a.list = m->d_list;
    a.offset = m->d_offset;
    a.bases = tree_bases_of<G>(d_bases, NULL);
    a.levels = levels;
    a.buckets = (typename G::xyzz *)m->d_buckets;
    a.heads = (typename G::xyzz *)m->d_heads;
    a.n_buckets = 1;
    a.segment =
        cuzk_cuda_msm_segment(cuzk_cuda_msm_list_length(n, 1, levels) >> levels, q->card.sms);
    a.all_heads = true;
    const uint64_t entries = cuzk_cuda_msm_list_length(n, 1, a.levels);
    CUZK_TRY(run_levels<G>(m, q, &a, entries, err));
    fold_args<G> f = {};
    f.in = (const typename G::xyzz *)m->d_heads;
    f.d_entries = m->d_offset + 1;
    f.levels = a.levels;
    f.segment = a.segment;
    return fold_rows<G>(m, q, f, 1, (entries >> a.levels) / a.segment + 1, err);
}

#endif /* CUZK_ACCEL_CUDA_MSM_SUM_TMPL_CUH */
