/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_ACCEL_CUDA_MSM_TREE_TMPL_CUH
#define CUZK_ACCEL_CUDA_MSM_TREE_TMPL_CUH

/*
 * One level of a tree of affine additions: out[j] = in[2j] + in[2j + 1]. A thread takes up to
 * several hundred pairs and inverts the product of their denominators once (Montgomery's trick): 5
 * multiplications and a square per addition, against 8 and 2 in XYZZ. Going up it stores the
 * products so far and reads x alone; coming down it reads the points again, one pair ahead, into
 * shared memory: registers have no room for them.
 *
 * Points between levels are lazy (< 2q), in groups of 64: all first words of 16 bytes, all second
 * ones, ..., so that neighbouring threads read neighbouring words and a word's address is the point's
 * plus a constant. Products likewise. Infinity has all words zero; no finite point has y = 0, in
 * whatever form.
 */
#include "accel/cuda/ec/ec_dev.cuh"
#include "accel/cuda/queue/launch.cuh"

#include "msm_internal.h"

#define TREE_SIGN  CUZK_CUDA_MSM_SIGN
#define TREE_GROUP 64u

/* Words of 16 bytes in a coordinate. */
template <class G> struct tree_group;
template <> struct tree_group<g1_group> {
    static constexpr cuzk_cuda_msm_tree *run = cuzk_cuda_msm_tree_g1;
    static const unsigned words = 3;
    static const bool images = true, parts = true;
};
template <> struct tree_group<g2_group> {
    static constexpr cuzk_cuda_msm_tree *run = cuzk_cuda_msm_tree_g2;
    static const unsigned words = 6;
    static const bool images = false, parts = false;
};

/*
 * Two shapes, of one block per multiprocessor. The wide one has as many threads as the registers allow and stages
 * all of a pair, x and y of both points and the product. The lean one is for 99 KiB of shared memory: the
 * product goes straight to registers, and G2 has fewer threads.
 */
template <class G, bool LEAN> struct tree_shape;
template <> struct tree_shape<g1_group, false> {
    static const unsigned threads = CUZK_THREADS_TREE_G1;
    static const cuzk_kernel id = CUZK_KERNEL_TREE_G1;
};
template <> struct tree_shape<g1_group, true> {
    static const unsigned threads = CUZK_THREADS_TREE_G1_LEAN;
    static const cuzk_kernel id = CUZK_KERNEL_TREE_G1_LEAN;
};
template <> struct tree_shape<g2_group, false> {
    static const unsigned threads = CUZK_THREADS_TREE_G2;
    static const cuzk_kernel id = CUZK_KERNEL_TREE_G2;
};
template <> struct tree_shape<g2_group, true> {
    static const unsigned threads = CUZK_THREADS_TREE_G2_LEAN;
    static const cuzk_kernel id = CUZK_KERNEL_TREE_G2_LEAN;
};

/* Where the bases of list entries are. Zero but for bases: entries have no phi. */
template <class G> struct tree_bases {
    const typename G::affine *at;
    const typename G::host_fe *images; /* beta x and beta^2 x of each */
    uint32_t phi; /* an entry's bits for the power of phi: no bits, no images */
};

template <class G> static tree_bases<G> tree_bases_of(const void *d_bases, const void *d_images)
{
    tree_bases<G> b;
    b.at = (const typename G::affine *)d_bases;
    b.images = (const typename G::host_fe *)d_images;
    b.phi = d_images != NULL ? (uint32_t)3 << CUZK_CUDA_MSM_LG_PHI : 0;
    return b;
}

template <class G> CUZK_DEV uint32_t entry_term(const tree_bases<G> &b, uint32_t entry)
{
    return entry & ~(TREE_SIGN | (tree_group<G>::images ? b.phi : 0));
}

template <class G>
CUZK_DEV const typename G::affine *entry_base(const tree_bases<G> &b, uint32_t entry)
{
    return &b.at[entry_term<G>(b, entry)];
}

/* x of a list entry. */
template <class G>
CUZK_DEV const typename G::host_fe *entry_x(const tree_bases<G> &b, uint32_t entry)
{
    const uint32_t phi = tree_group<G>::images ? (entry & b.phi) >> CUZK_CUDA_MSM_LG_PHI : 0;
    const uint32_t term = entry_term<G>(b, entry);
    return phi == 0 ? &b.at[term].x : &b.images[2 * (uint64_t)term + (phi - 1)];
}

template <class G> struct tree_args {
    /* First level: list entries (CUZK_CUDA_MSM_NONE: infinity) of bases; then list is NULL. */
    const uint32_t *list;
    tree_bases<G> bases;
    const uint4 *in;
    uint4 *out;
    uint4 *products;
    uint64_t capacity;         /* of products */
    const uint32_t *d_entries; /* length of the list, a multiple of 2^(level + 1) */
    unsigned level;
};

/* Words STEP apart. */
template <unsigned STEP> CUZK_DEV void words_load(dfp &out, const uint4 *p)
{
#pragma unroll
    for (unsigned w = 0; w < 3; w++) {
        const uint4 v = p[w * STEP];
        out.l[4 * w] = v.x;
        out.l[4 * w + 1] = v.y;
        out.l[4 * w + 2] = v.z;
        out.l[4 * w + 3] = v.w;
    }
}
template <unsigned STEP> CUZK_DEV void words_load(dfp2 &out, const uint4 *p)
{
    words_load<STEP>(out.c0, p);
    words_load<STEP>(out.c1, p + 3 * STEP);
}

CUZK_DEV void words_store(uint4 *p, const dfp &a)
{
#pragma unroll
    for (unsigned w = 0; w < 3; w++) {
        p[w * TREE_GROUP] = make_uint4(a.l[4 * w], a.l[4 * w + 1], a.l[4 * w + 2], a.l[4 * w + 3]);
    }
}
CUZK_DEV void words_store(uint4 *p, const dfp2 &a)
{
    words_store(p, a.c0);
    words_store(p + 3 * TREE_GROUP, a.c1);
}

/* First word of element i of an array with `words` words each. */
template <class T> CUZK_DEV T *words_at(T *p, uint64_t i, unsigned words)
{
    return p + i / TREE_GROUP * (TREE_GROUP * words) + i % TREE_GROUP;
}
/* x and y of point i. */
template <class G, class T> CUZK_DEV T *tree_x(T *p, uint32_t i)
{
    return words_at(p, i, 2 * tree_group<G>::words);
}
template <class G, class T> CUZK_DEV T *tree_y(T *p, uint32_t i)
{
    return tree_x<G>(p, i) + tree_group<G>::words * TREE_GROUP;
}

/* Where the two points of a pair are. */
struct tree_pair {
    uint32_t first, second; /* LIST: entries; else first is the place of the first */
};

template <class G, bool LIST> CUZK_DEV tree_pair tree_pair_of(const tree_args<G> &a, uint32_t pair)
{
    tree_pair p;
    if (LIST) {
        const uint2 e = __ldg((const uint2 *)a.list + pair);
        p.first = e.x;
        p.second = e.y;
    } else {
        p.first = 2 * pair;
        p.second = 2 * pair + 1;
    }
    return p;
}

template <class G, bool LIST>
CUZK_DEV void tree_load_x(typename G::fe &x, const tree_args<G> &a, uint32_t at)
{
    if (!LIST) {
        words_load<TREE_GROUP>(x, tree_x<G>(a.in, at));
    } else if (at == CUZK_CUDA_MSM_NONE) {
        fe_zero(x);
    } else {
        fe_load_ro(x, entry_x<G>(a.bases, at));
    }
}

/* y of a list entry's base to the entry's. */
template <class G> CUZK_DEV void tree_sign(typename G::fe &y, uint32_t at)
{
    if ((at & TREE_SIGN) != 0 && !fe_is_null(y)) {
        fe_neg_canon(y);
    }
}

template <class G, bool LIST>
CUZK_DEV void tree_load_y(typename G::fe &y, const tree_args<G> &a, uint32_t at)
{
    if (!LIST) {
        words_load<TREE_GROUP>(y, tree_y<G>(a.in, at));
    } else if (at == CUZK_CUDA_MSM_NONE) {
        fe_zero(y);
    } else {
        fe_load_ro(y, &entry_base<G>(a.bases, at)->y);
        tree_sign<G>(y, at);
    }
}

typedef enum tree_kind { TREE_ADD, TREE_FIRST, TREE_SECOND, TREE_INFINITY } tree_kind;

/* What becomes of a pair that is not two finite points with different x. */
template <class G>
CUZK_DEV tree_kind tree_classify(const typename G::fe &d, const typename G::fe &y1,
                                 const typename G::fe &y2)
{
    if (fe_is_null(y1)) {
        return TREE_SECOND; /* it may be infinity too */
    }
    if (fe_is_null(y2)) {
        return TREE_FIRST;
    }
    if (fe_is_zero(d)) {
        typename G::fe t;
        fe_sub(t, y2, y1);
        return fe_is_zero(t) ? TREE_ADD : TREE_INFINITY; /* TREE_ADD: a doubling */
    }
    return TREE_ADD;
}

/* May be no addition of finite points with different x; d = x2 - x1. By the lowest limb: what it
 * takes for special and is not costs a classification, once in 2^30 pairs. */
CUZK_DEV bool tree_is_special(const dfp &d, const dfp &x1, const dfp &x2)
{
    return d.l[0] == 0 || d.l[0] == fp_field::mod(0) || x1.l[0] == 0 || x2.l[0] == 0;
}
CUZK_DEV bool tree_is_special(const dfp2 &d, const dfp2 &x1, const dfp2 &x2)
{
    return tree_is_special(d.c0, x1.c0, x2.c0);
}

/* Denominator of a pair, d = x2 - x1 on entry. */
template <class G, bool LIST>
static __device__ __noinline__ typename G::fe tree_rare_d(typename G::fe d, const tree_args<G> *a,
                                                          tree_pair p)
{
    typename G::fe y1, y2;
    tree_load_y<G, LIST>(y1, *a, p.first);
    tree_load_y<G, LIST>(y2, *a, p.second);
    if (tree_classify<G>(d, y1, y2) != TREE_ADD) {
        fe_one(d);
    } else if (fe_is_zero(d)) {
        fe_add(d, y1, y1);
    }
    return d;
}

/* 3 x^2 */
template <class G> static __device__ __noinline__ typename G::fe tree_tangent(typename G::fe x)
{
    typename G::fe t, u;
    fe_sqr(t, x);
    fe_add(u, t, t);
    fe_add(t, t, u);
    return t;
}

/* The result of a pair that is no addition: a copy or infinity. */
template <class G, bool LIST>
static __device__ __noinline__ void tree_rare_store(const tree_args<G> *a, uint32_t pair,
                                                    tree_pair p, tree_kind kind)
{
    typename G::fe x, y;
    fe_zero(x);
    fe_zero(y);
    if (kind != TREE_INFINITY) {
        const uint32_t at = kind == TREE_FIRST ? p.first : p.second;
        tree_load_x<G, LIST>(x, *a, at);
        tree_load_y<G, LIST>(y, *a, at);
    }
    words_store(tree_x<G>(a->out, pair), x);
    words_store(tree_y<G>(a->out, pair), y);
}

/* Product of the denominators of count pairs, pair, pair + threads, ...; the products before each
 * to products, products + step, ... */
template <class G, bool LEAN, bool LIST>
CUZK_DEV void tree_up(typename G::fe &run, const tree_args<G> &a, uint32_t pair, uint32_t count,
                      uint4 *products, uint64_t step)
{
    typename G::fe x1, x2, d;
    tree_pair p = tree_pair_of<G, LIST>(a, pair), next = p;
    tree_load_x<G, LIST>(x1, a, p.first);
    tree_load_x<G, LIST>(x2, a, p.second);
    if (count > 1) {
        next = tree_pair_of<G, LIST>(a, pair + tree_shape<G, LEAN>::threads);
    }
    fe_one(run);
#pragma unroll 1
    for (uint32_t k = 0; k < count; k++) {
        fe_sub(d, x2, x1);
        if (tree_is_special(d, x1, x2)) {
            d = tree_rare_d<G, LIST>(d, &a, p);
        }
        if (k + 1 < count) { /* the next pair is read beside this product */
            p = next;
            tree_load_x<G, LIST>(x1, a, p.first);
            tree_load_x<G, LIST>(x2, a, p.second);
            pair += tree_shape<G, LEAN>::threads;
            if (k + 2 < count) {
                next = tree_pair_of<G, LIST>(a, pair + tree_shape<G, LEAN>::threads);
            }
        }
        words_store(products, run);
        products += step;
        fe_mul(run, run, d);
    }
}

/* A 16-byte word from global to shared memory, beside the arithmetic and through no register. */
CUZK_DEV void stage_word(uint4 *shared, const uint4 *global)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(
                     (uint32_t)__cvta_generic_to_shared(shared)),
                 "l"(global)
                 : "memory");
}
CUZK_DEV void stage_wait(void)
{
    asm volatile("cp.async.wait_all;" ::: "memory");
}

/* Point `at` to the thread's words of shared memory, [2 words][threads]. */
template <class G, bool LEAN, bool LIST>
CUZK_DEV void tree_stage(uint4 *to, const tree_args<G> &a, uint32_t at)
{
    const unsigned words = tree_group<G>::words, threads = tree_shape<G, LEAN>::threads;
    if (LIST && at == CUZK_CUDA_MSM_NONE) {
#pragma unroll
        for (unsigned w = 0; w < 2 * words; w++) {
            to[w * threads] = make_uint4(0, 0, 0, 0);
        }
        return;
    }
    const uint4 *x = LIST ? (const uint4 *)entry_x<G>(a.bases, at) : tree_x<G>(a.in, at);
    const uint4 *y = LIST ? (const uint4 *)&entry_base<G>(a.bases, at)->y : tree_y<G>(a.in, at);
#pragma unroll
    for (unsigned w = 0; w < words; w++) {
        stage_word(to + w * threads, x + w * (LIST ? 1 : TREE_GROUP));
    }
#pragma unroll
    for (unsigned w = 0; w < words; w++) {
        stage_word(to + (words + w) * threads, y + w * (LIST ? 1 : TREE_GROUP));
    }
}

/* The two points and the product of a pair. */
template <class G, bool LEAN, bool LIST>
CUZK_DEV void tree_stage_pair(uint4 *sh, const tree_args<G> &a, tree_pair p, const uint4 *product)
{
    const unsigned words = tree_group<G>::words, threads = tree_shape<G, LEAN>::threads;
    tree_stage<G, LEAN, LIST>(sh, a, p.first);
    tree_stage<G, LEAN, LIST>(sh + 2 * words * threads, a, p.second);
    if (!LEAN) {
#pragma unroll
        for (unsigned w = 0; w < words; w++) {
            stage_word(sh + (4 * words + w) * threads, product + w * TREE_GROUP);
        }
    }
}

/* The sums of the same pairs, last first; inv = 1 / product of the denominators. sh: the thread's
 * words of shared memory, [5 words][threads]; lean: [4 words][threads]. */
template <class G, bool LEAN, bool LIST>
CUZK_DEV void tree_down(typename G::fe &inv, const tree_args<G> &a, uint4 *sh, uint32_t pair,
                        uint32_t count, const uint4 *products, uint64_t step)
{
    const unsigned words = tree_group<G>::words, threads = tree_shape<G, LEAN>::threads;
    pair += (count - 1) * threads;
    products += (count - 1) * step;
    tree_pair p = tree_pair_of<G, LIST>(a, pair), next = p;
    tree_stage_pair<G, LEAN, LIST>(sh, a, p, products);
    if (count > 1) {
        next = tree_pair_of<G, LIST>(a, pair - threads);
    }
#pragma unroll 1
    for (uint32_t k = 0; k < count; k++) {
        typename G::fe x1, y1, x2, t, u, d;
        tree_kind kind = TREE_ADD;
        if (LEAN) {
            words_load<TREE_GROUP>(t, products);
        }
        stage_wait();
        words_load<tree_shape<G, LEAN>::threads>(x1, sh);
        words_load<tree_shape<G, LEAN>::threads>(y1, sh + words * threads);
        words_load<tree_shape<G, LEAN>::threads>(x2, sh + 2 * words * threads);
        words_load<tree_shape<G, LEAN>::threads>(u, sh + 3 * words * threads);
        if (!LEAN) {
            words_load<tree_shape<G, LEAN>::threads>(t, sh + 4 * words * threads);
        }
        if (LIST) {
            tree_sign<G>(y1, p.first);
            tree_sign<G>(u, p.second);
        }
        fe_sub(d, x2, x1);
        if (tree_is_special(d, x1, x2)) {
            kind = tree_classify<G>(d, y1, u);
            if (kind != TREE_ADD) {
                fe_one(d);
            } else if (fe_is_zero(d)) {
                fe_add(d, y1, y1);
                u = tree_tangent<G>(x1);
                fe_add(u, u, y1); /* y1 is taken off below */
            }
        }
        fe_sub(u, u, y1);
        fe_mul(t, inv, t);
        const tree_pair now = p;
        if (k + 1 < count) { /* all words are in registers: the next pair takes their place */
            p = next;
            products -= step;
            tree_stage_pair<G, LEAN, LIST>(sh, a, p, products);
            if (k + 2 < count) {
                next = tree_pair_of<G, LIST>(a, pair - 2 * threads);
            }
        }
        fe_mul(inv, inv, d);
        fe_mul(t, u, t); /* the slope */
        fe_sqr(u, t);
        fe_sub(u, u, x1);
        fe_sub(u, u, x2); /* x3 */
        fe_sub(x1, x1, u);
        fe_mul(t, t, x1);
        fe_sub(t, t, y1); /* y3 */
        if (kind == TREE_ADD) {
            words_store(tree_x<G>(a.out, pair), u);
            words_store(tree_y<G>(a.out, pair), t);
        } else {
            tree_rare_store<G, LIST>(&a, pair, now, kind);
        }
        pair -= threads;
    }
}

template <class G, bool LEAN, bool LIST>
CUZK_DEV void tree_level(const tree_args<G> &a, uint4 *tree_shared)
{
    const uint32_t threads = tree_shape<G, LEAN>::threads;
    const uint64_t slots = (uint64_t)gridDim.x * threads;
    uint4 *products =
        words_at(a.products, (uint64_t)blockIdx.x * threads + threadIdx.x, tree_group<G>::words);
    const uint64_t step = slots * tree_group<G>::words; /* threads is a multiple of a group */
    const uint32_t pairs = *a.d_entries >> (a.level + 1);
    /*
     * A block's pairs in rounds of equal length, as few as the room for products allows. But where
     * bases and images are gathered the first round is shorter, in every block by another part: going up
     * waits for memory, coming down for arithmetic, and some blocks do the one while others do the other.
     * (On the other levels that costs more than it brings.)
     */
    const uint32_t most = (uint32_t)(a.capacity / slots);
    const uint32_t each = (uint32_t)((pairs + slots - 1) / slots);
    const uint32_t rounds = (each + most - 1) / most;
    const uint32_t longest = rounds == 0 ? 0 : (each + rounds - 1) / rounds;
    const uint64_t begin = (uint64_t)blockIdx.x * threads * each;
    const uint64_t end = min(begin + (uint64_t)threads * each, (uint64_t)pairs);
    /* 40503: 2^16 by the golden ratio. */
    const uint32_t part = LIST && a.bases.phi != 0 ? (blockIdx.x * 40503u) % 65536 : 0;
    uint32_t length = longest - (uint32_t)((uint64_t)longest * part >> 16);
    for (uint64_t at = begin, next; at < end; at = next, length = longest) {
        next = at + (uint64_t)threads * length;
        const uint64_t pair = at + threadIdx.x;
        uint32_t count = 0;
        if (pair < end) {
            const uint64_t left = (end - pair + threads - 1) / threads;
            count = left < length ? (uint32_t)left : length;
        }
        typename G::fe run;
        /* The barriers keep the warps at the same code. */
        if (count != 0) {
            tree_up<G, LEAN, LIST>(run, a, (uint32_t)pair, count, products, step);
        }
        __syncthreads();
        if (count != 0) {
            fe_inv(run, run);
        }
        __syncthreads();
        if (count != 0) {
            tree_down<G, LEAN, LIST>(run, a, tree_shared + threadIdx.x, (uint32_t)pair, count,
                                     products, step);
        }
        __syncthreads();
    }
}

template <class G, bool LEAN, bool LIST>
static __global__ void __launch_bounds__(tree_shape<G, LEAN>::threads, 1)
    tree_k(const tree_args<G> a)
{
    extern __shared__ __align__(16) uint4 tree_shared[];
    if constexpr (LEAN || !CUZK_LEAN_ONLY) {
        tree_level<G, LEAN, LIST>(a, tree_shared);
    }
}

/*
 * Levels of the tree over a list: the sums of 2^levels neighbours, at *d_out. The list's length, at d_entries, is a multiple of 2^levels.
 */
template <class G, bool LEAN>
static cuzk_status tree_levels(const cuzk_cuda_msm_memory *m, cuzk_cuda_queue *q,
                               const tree_bases<G> &bases, const uint32_t *d_entries,
                               unsigned levels, const void **d_out, cuzk_err *err)
{
    static_assert(tree_shape<G, LEAN>::threads % TREE_GROUP == 0, "products are in groups");
    const cuzk_kernel id = tree_shape<G, LEAN>::id;
    tree_args<G> a = {};
    a.list = m->d_list;
    a.bases = bases;
    a.products = (uint4 *)m->d_products;
    a.capacity = m->products;
    a.d_entries = d_entries;
    const uint64_t most = m->products / tree_shape<G, LEAN>::threads;
    const unsigned blocks = most < q->card.sms ? (unsigned)most : q->card.sms;
    for (a.level = 0; a.level < levels; a.level++) {
        a.out = (uint4 *)(a.level % 2 == 0 ? m->d_tree_a : m->d_tree_b);
        if (a.level == 0) {
            CUZK_TRY(cuzk_cuda_launch(q, id, tree_k<G, LEAN, true>, blocks, err, a));
        } else {
            CUZK_TRY(cuzk_cuda_launch(q, id, tree_k<G, LEAN, false>, blocks, err, a));
        }
        a.in = a.out;
    }
    *d_out = a.in;
    return CUZK_OK;
}

#endif /* CUZK_ACCEL_CUDA_MSM_TREE_TMPL_CUH */
