/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Two levels of the tree of affine additions over a list of G1, for cards whose memory is slow against their
 * multiplier: points are read from memory once, and what is kept between the passes stays in the second-level cache.
 *
 * So little may be at work at a time that a thread has one pair. The product of denominators is a tree over the pairs
 * of a block, and inversions (ROOTS of a block) are steps of their own: they take long, and so few of them keep few
 * threads. The list goes through in parts, and a part in eight stages: up, two halves of the inversions, down; then
 * the same with the sums. One launch is a step of eight parts, each at another stage.
 */
#include "tree_tmpl.cuh"

#define THREADS     CUZK_THREADS_TREE_PARTS_G1
#define ROOTS       4u   /* products of a block that are inverted, each of THREADS / ROOTS pairs */
#define INVERTERS   128u /* threads of a block of inversions that work: a warp for each scheduler */
#define STAGES      8u
#define WORDS       3u /* of 16 bytes in a coordinate */
#define RING        4u /* parts between up and down, with them */
#define RING_SUMS   5u /* parts from the down that writes sums to the down that reads them */
#define LEAST_PAIRS 1024u
#define STATE_WORDS ((unsigned)(sizeof(fp_inv_state) / 4))
/* Bytes of the workspace for each pair of a part: points and products of the first level, of the second; states. */
#define PAIR_BYTES \
    (16 * WORDS * (RING * (4 + 1) + RING_SUMS * 2) + 16 * WORDS * RING / 2 + STATE_BYTES)
#define STATE_BYTES 16u
static_assert(3 * STATE_WORDS * 4 * ROOTS <= STATE_BYTES * THREADS,
              "two states of a root, on both levels");

typedef g1_group group;

struct part_args {
    const uint32_t *list;
    tree_bases<group> bases;
    const uint32_t *d_entries; /* length of the list, a multiple of 4 */
    /* Of each level: rings of points and of products. */
    uint4 *points[2], *nodes[2];
    int32_t *states[2]; /* of inversions under way: [2][STATE_WORDS][roots of a part] */
    uint4 *out;         /* sums of four neighbours, as the tree has them */
    uint32_t pairs;     /* of a part, on the first level; a multiple of LEAST_PAIRS */
    uint32_t blocks;    /* that a part's first level takes; the second takes half */
    uint32_t
        inverters; /* blocks of a half of the first level's inversions; as many for the second's */
};

/* Pairs of a part on a level; 0 for numbers below 0 and beyond the last. */
CUZK_DEV uint32_t part_pairs(const part_args &a, uint32_t part, unsigned level)
{
    const uint64_t all = *a.d_entries / 2, first = (uint64_t)part * a.pairs;
    const uint64_t left = first < all ? all - first : 0;
    return (left < a.pairs ? (uint32_t)left : a.pairs) >> level;
}

/* A part's points on a level: [2][pairs], the first points of all pairs, then the second ones. */
CUZK_DEV uint4 *part_points(const part_args &a, uint32_t part, unsigned level)
{
    const uint32_t slot = level == 0 ? part % RING : part % RING_SUMS;
    return a.points[level] + (uint64_t)slot * (4 * WORDS * (a.pairs >> level));
}

/* x of point i of them; y is WORDS groups on. */
CUZK_DEV uint4 *part_x(const part_args &a, uint4 *points, unsigned level, uint32_t i)
{
    return tree_x<group>(points + (uint64_t)(i % 2) * (2 * WORDS * (a.pairs >> level)), i / 2);
}
#define PART_Y (WORDS * TREE_GROUP)

/* A block's products, a binary tree: node i has the product of nodes 2i and 2i + 1, the denominators are nodes from
 * THREADS on and not kept. Nodes ROOTS to 2 ROOTS - 1 become their inverses. */
CUZK_DEV uint4 *part_nodes(const part_args &a, uint32_t part, unsigned level, uint32_t block)
{
    return a.nodes[level] + (uint64_t)(part % RING) * (WORDS * (a.pairs >> level)) +
           (uint64_t)block * (WORDS * THREADS);
}

template <unsigned STEP> CUZK_DEV void part_store(uint4 *p, const dfp &a)
{
#pragma unroll
    for (unsigned w = 0; w < WORDS; w++) {
        p[w * STEP] = make_uint4(a.l[4 * w], a.l[4 * w + 1], a.l[4 * w + 2], a.l[4 * w + 3]);
    }
}

/* A coordinate of a base. It is not read again soon: it is to leave the cache before what is kept there. */
CUZK_DEV void part_read_once(dfp &out, const cuzk_fp *p)
{
    uint64_t policy;
    asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
#pragma unroll
    for (unsigned w = 0; w < WORDS; w++) {
        asm volatile("ld.global.nc.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;"
                     : "=r"(out.l[4 * w]), "=r"(out.l[4 * w + 1]), "=r"(out.l[4 * w + 2]),
                       "=r"(out.l[4 * w + 3])
                     : "l"(__cvta_generic_to_global((const uint4 *)p + w)), "l"(policy));
    }
}

CUZK_DEV void part_gather(dfp &x, dfp &y, const part_args &a, uint32_t entry)
{
    if (entry == CUZK_CUDA_MSM_NONE) {
        fe_zero(x);
        fe_zero(y);
        return;
    }
    part_read_once(x, entry_x<group>(a.bases, entry));
    part_read_once(y, &entry_base<group>(a.bases, entry)->y);
    tree_sign<group>(y, entry);
}

/* What a pair is that tree_is_special, and its denominator; d = x2 - x1 on entry. */
CUZK_DEV tree_kind part_special(dfp &d, bool &doubling, const dfp &y1, const dfp &y2)
{
    const tree_kind kind = tree_classify<group>(d, y1, y2);
    doubling = kind == TREE_ADD && fe_is_zero(d);
    if (kind != TREE_ADD) {
        fe_one(d);
    } else if (doubling) {
        fe_add(d, y1, y1);
    }
    return kind;
}

/* The denominator of pair j, d; on the first level the points go from the bases to the part's. */
template <bool LIST>
CUZK_DEV void part_denominator(dfp &d, const part_args &a, uint32_t part, uint32_t j)
{
    const unsigned level = LIST ? 0 : 1;
    uint4 *points = part_points(a, part, level);
    uint4 *first = part_x(a, points, level, 2 * j), *second = part_x(a, points, level, 2 * j + 1);
    dfp x1, y1, x2, y2;
    bool doubling;
    if (LIST) {
        const uint2 e = __ldg((const uint2 *)a.list + (uint64_t)part * a.pairs + j);
        part_gather(x1, y1, a, e.x);
        part_gather(x2, y2, a, e.y);
        words_store(first, x1);
        words_store(first + PART_Y, y1);
        words_store(second, x2);
        words_store(second + PART_Y, y2);
    } else {
        words_load<TREE_GROUP>(x1, first);
        words_load<TREE_GROUP>(x2, second);
    }
    fe_sub(d, x2, x1);
    if (tree_is_special(d, x1, x2)) {
        if (!LIST) {
            words_load<TREE_GROUP>(y1, first + PART_Y);
            words_load<TREE_GROUP>(y2, second + PART_Y);
        }
        (void)part_special(d, doubling, y1, y2);
    }
}

/* Up: the products of a block's denominators. sh: [WORDS][2 THREADS]. */
template <bool LIST>
CUZK_DEV void part_up(const part_args &a, uint4 *sh, uint32_t part, uint32_t block)
{
    const unsigned level = LIST ? 0 : 1;
    const uint32_t n = part_pairs(a, part, level), t = threadIdx.x, j = block * THREADS + t;
    if (block * THREADS >= n) {
        return;
    }
    uint4 *nodes = part_nodes(a, part, level, block);
    dfp u, v;
    fe_one(u);
    if (j < n) {
        part_denominator<LIST>(u, a, part, j);
    }
    part_store<2 * THREADS>(sh + THREADS + t, u);
    __syncthreads();
#pragma unroll 1
    for (uint32_t half = THREADS / 2; half >= ROOTS; half /= 2) {
        if (t < half) {
            words_load<2 * THREADS>(u, sh + 2 * (half + t));
            words_load<2 * THREADS>(v, sh + 2 * (half + t) + 1);
            fe_mul(u, u, v);
            part_store<2 * THREADS>(sh + half + t, u);
            part_store<THREADS>(nodes + half + t, u);
        }
        __syncthreads();
    }
}

/* The roots of some blocks half of the way to their inverses, or the other half. No denominator is 0. */
CUZK_DEV void part_invert(const part_args &a, uint32_t part, unsigned level, bool second,
                          uint32_t block)
{
    const uint32_t n = part_pairs(a, part, level), i = block * INVERTERS + threadIdx.x;
    const uint32_t roots = (a.pairs >> level) / THREADS * ROOTS;
    if (threadIdx.x >= INVERTERS || i / ROOTS * THREADS >= n) {
        return;
    }
    uint4 *root = part_nodes(a, part, level, i / ROOTS) + ROOTS + i % ROOTS;
    int32_t *kept = a.states[level] + (uint64_t)(part % 2) * STATE_WORDS * roots + i;
    fp_inv_state s;
    int32_t *words = (int32_t *)&s;
    dfp u;
    if (second) {
#pragma unroll
        for (unsigned w = 0; w < STATE_WORDS; w++) {
            words[w] = kept[(uint64_t)w * roots];
        }
    } else {
        words_load<THREADS>(u, root);
        fp_inv_begin(s, u);
    }
    fp_inv_go_on(s, INV_BATCHES / 2);
    if (second) {
        fp_inv_end(u, s);
        part_store<THREADS>(root, u);
    } else {
#pragma unroll
        for (unsigned w = 0; w < STATE_WORDS; w++) {
            kept[(uint64_t)w * roots] = words[w];
        }
    }
}

/* d to its inverse, for every thread of a block: from the inverses of the roots down. */
CUZK_DEV void part_inverses(dfp &d, uint4 *sh, const uint4 *nodes)
{
    const uint32_t t = threadIdx.x;
    dfp v;
    part_store<2 * THREADS>(sh + THREADS + t, d);
    if (t >= ROOTS) {
        words_load<THREADS>(v, nodes + t);
        part_store<2 * THREADS>(sh + t, v);
    }
    __syncthreads();
#pragma unroll 1
    for (uint32_t half = ROOTS; half <= THREADS / 2; half *= 2) {
        const uint32_t child = 2 * half + t;
        if (t < 2 * half) { /* 1/a = b / (a b) */
            words_load<2 * THREADS>(d, sh + child / 2);
            words_load<2 * THREADS>(v, sh + (child ^ 1));
            fe_mul(d, d, v);
        }
        __syncthreads();
        if (t < 2 * half) {
            part_store<2 * THREADS>(sh + child, d);
        }
        __syncthreads();
    }
}

/* Where the sum of pair j of a part is written: x, y is PART_Y on. */
CUZK_DEV uint4 *part_sum(const part_args &a, uint32_t part, unsigned level, uint32_t j)
{
    return level == 0 ? part_x(a, part_points(a, part, 1), 1, j)
                      : tree_x<group>(a.out, (uint32_t)((uint64_t)part * (a.pairs / 2) + j));
}

/* Down: the sums of a block's pairs. */
CUZK_DEV void part_down(const part_args &a, uint4 *sh, uint32_t part, unsigned level,
                        uint32_t block)
{
    const uint32_t n = part_pairs(a, part, level), j = block * THREADS + threadIdx.x;
    if (block * THREADS >= n) {
        return;
    }
    uint4 *points = part_points(a, part, level);
    const uint4 *first = part_x(a, points, level, 2 * j);
    const uint4 *second = part_x(a, points, level, 2 * j + 1);
    dfp x1, y1, x2, t, u, inv;
    tree_kind kind = TREE_ADD;
    bool doubling = false;
    fe_one(inv);
    if (j < n) {
        words_load<TREE_GROUP>(x1, first);
        words_load<TREE_GROUP>(x2, second);
        fe_sub(inv, x2, x1);
        if (tree_is_special(inv, x1, x2)) {
            words_load<TREE_GROUP>(y1, first + PART_Y);
            words_load<TREE_GROUP>(u, second + PART_Y);
            kind = part_special(inv, doubling, y1, u);
        }
    }
    part_inverses(inv, sh, part_nodes(a, part, level, block));
    if (j >= n) {
        return;
    }
    uint4 *to = part_sum(a, part, level, j);
    if (kind != TREE_ADD) { /* a copy, or infinity */
        const uint4 *from = kind == TREE_FIRST ? first : second;
        fe_zero(u);
        fe_zero(t);
        if (kind != TREE_INFINITY) {
            words_load<TREE_GROUP>(u, from);
            words_load<TREE_GROUP>(t, from + PART_Y);
        }
        words_store(to, u);
        words_store(to + PART_Y, t);
        return;
    }
    words_load<TREE_GROUP>(y1, first + PART_Y);
    if (doubling) {
        u = tree_tangent<group>(x1);
    } else {
        words_load<TREE_GROUP>(u, second + PART_Y);
        fe_sub(u, u, y1);
    }
    fe_mul(t, u, inv); /* the slope */
    fe_sqr(u, t);
    fe_sub(u, u, x1);
    fe_sub(u, u, x2); /* x3 */
    fe_sub(x1, x1, u);
    fe_mul(t, t, x1);
    fe_sub(t, t, y1); /* y3 */
    words_store(to, u);
    words_store(to + PART_Y, t);
}

/* Step number `step`: part `step` goes up, the one before it is inverted, and so on. */
static __global__ void __launch_bounds__(THREADS, 2) tree_part_k(const part_args a, uint32_t step)
{
    extern __shared__ __align__(16) uint4 part_shared[];
    uint32_t b = blockIdx.x;
    if (b < 4 * a.inverters) { /* first: they take longest */
        const unsigned level = b % 2;
        const bool second = b / 2 % 2 != 0;
        part_invert(a, step - 4 * level - (second ? 2 : 1), level, second, b / 4);
        return;
    }
    b -= 4 * a.inverters;
    /* Blocks that wait for memory and blocks that compute, by turns. */
    const bool up = b % 2 != 0;
    b /= 2;
    const unsigned level = b < a.blocks ? 0 : 1;
    b -= level * a.blocks;
    if (!up) {
        part_down(a, part_shared, level == 0 ? step - 3 : step - 7, level, b);
    } else if (level == 0) {
        part_up<true>(a, part_shared, step, b);
    } else {
        part_up<false>(a, part_shared, step - 4, b);
    }
}

/* Pairs of a part: what the cache keeps, and the room for products holds; 0: not worth it. */
static cuzk_status pairs_of(uint32_t *pairs, const cuzk_cuda_msm_memory *m,
                            const cuzk_cuda_queue *q, cuzk_err *err)
{
    int cache = 0;
    CUZK_TRY(CUZK_CUDA(cudaDeviceGetAttribute(&cache, cudaDevAttrL2CacheSize, q->device), err));
    uint64_t bytes =
        (uint64_t)cache < q->card.klass->l2_bytes ? (uint64_t)cache : q->card.klass->l2_bytes;
    bytes = bytes / 8 * 5; /* the rest is for what passes through */
    const uint64_t room = m->products * sizeof(cuzk_fp);
    bytes = bytes < room ? bytes : room;
    *pairs = (uint32_t)(bytes / PAIR_BYTES / LEAST_PAIRS * LEAST_PAIRS);
    return CUZK_OK;
}

cuzk_status cuzk_cuda_msm_tree_parts_g1(const cuzk_cuda_msm_memory *m, cuzk_cuda_queue *q,
                                        const void *d_bases, const void *d_images,
                                        const uint32_t *d_entries, uint64_t entries,
                                        const void **d_out, cuzk_err *err)
{
    static_assert(LEAST_PAIRS % (2 * THREADS) == 0,
                  "whole blocks, and groups of 64 on both levels");
    part_args a = {};
    CUZK_TRY(pairs_of(&a.pairs, m, q, err));
    if (a.pairs == 0) {
        return cuzk_cuda_msm_tree_g1(m, q, d_bases, d_images, d_entries, 2, d_out, err);
    }
    a.blocks = a.pairs / THREADS;
    a.list = m->d_list;
    a.bases = tree_bases_of<group>(d_bases, d_images);
    a.d_entries = d_entries;
    a.points[0] = (uint4 *)m->d_products;
    a.points[1] = a.points[0] + (uint64_t)RING * 4 * WORDS * a.pairs;
    a.nodes[0] = a.points[1] + (uint64_t)RING_SUMS * 2 * WORDS * a.pairs;
    a.nodes[1] = a.nodes[0] + (uint64_t)RING * WORDS * a.pairs;
    a.states[0] = (int32_t *)(a.nodes[1] + (uint64_t)RING * WORDS * (a.pairs / 2));
    a.states[1] = a.states[0] + (uint64_t)2 * STATE_WORDS * (a.blocks * ROOTS);
    a.out = (uint4 *)m->d_tree_a;
    a.inverters = (a.blocks * ROOTS + INVERTERS - 1) / INVERTERS;
    const uint32_t parts = (uint32_t)((entries / 2 + a.pairs - 1) / a.pairs);
    const unsigned grid = 4 * a.inverters + 2 * (a.blocks + a.blocks / 2);
    for (uint32_t step = 0; step < parts + STAGES - 1; step++) {
        CUZK_TRY(cuzk_cuda_launch(q, CUZK_KERNEL_TREE_PARTS_G1, tree_part_k, grid, err, a, step));
    }
    *d_out = a.out;
    return CUZK_OK;
}
