/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_MSM_MSM_TREE_H
#define CUZK_MSM_MSM_TREE_H

/*
 * Segmented sums: every segment of a list is summed by a binary tree, level by level, and one
 * level of all segments is one batch of independent additions. Works on pieces that fit the
 * second-level cache. One cuzk_msm_tree per worker.
 */
#include "msm/msm_engine.h"
#include "sys/pool.h"

/* Entries per piece. Measured: docs/msm.md. */
#define MSM_PIECE      8192u
/* Most segments per piece. */
#define MSM_SEGMENTS   2048u
/* Most buckets of a block, which is weighed as one: all of them. */
#define MSM_BLOCK_BITS 11u
/* Slots that a flat sum carries from piece to piece. */
#define MSM_CARRY      128u

typedef struct cuzk_msm_tree {
    const cuzk_msm_engine *eng;
    unsigned char *slots; /* [MSM_PIECE + MSM_SEGMENTS] points */
    void *pair_scratch;   /* [MSM_PIECE / 2 + lanes] pairs */
    uint32_t (*pairs)[2]; /* [MSM_PIECE / 2 + MSM_SEGMENTS] */
    uint32_t *sorted;     /* [MSM_PIECE] entries by segment */
    uint32_t *singles;    /* [MSM_SEGMENTS] entries without a partner */
    uint32_t *live;       /* [MSM_PIECE + MSM_SEGMENTS] slots still in a sum, by segment */
    uint32_t *count;      /* [MSM_SEGMENTS + 1] */
    uint32_t *seg_start;  /* [MSM_SEGMENTS] */
    uint32_t *seg_count;  /* [MSM_SEGMENTS] */
    uint32_t *active;     /* [MSM_SEGMENTS] */
    size_t carried;       /* flat sum: slots [0, carried) are left over */
} cuzk_msm_tree;

typedef struct cuzk_msm_trees {
    cuzk_msm_tree *t; /* [n] one per worker */
    unsigned n;
    void *block;
} cuzk_msm_trees;

CUZK_NODISCARD cuzk_status cuzk_msm_trees_create(cuzk_msm_trees *out, const cuzk_msm_engine *eng,
                                                 unsigned n, cuzk_err *err);
void cuzk_msm_trees_destroy(cuzk_msm_trees *t);

/**
 * Adds n <= MSM_PIECE entries into their buckets. entries[i] holds the bucket (< n_buckets <=
 * MSM_SEGMENTS) in its high and the entry in its low 32 bits. `fresh`: the buckets hold nothing yet
 * and all of them are written; otherwise they are added to.
 */
void cuzk_msm_tree_buckets(cuzk_msm_tree *t, const cuzk_msm_table *table, const uint64_t *entries,
                           size_t n, void *buckets, size_t n_buckets, bool fresh);

/**
 * In place over n = 2^k * blocks slots: for each block of 2^k slots B_0, B_1, ... leaves in slot 0
 * the sum of all B_b, and in slot 2^l the sum of the B_b with bit l of b set: n additions for the
 * first, n for the others. Hence sum b * B_b = sum_l 2^l * slot(2^l). n <= MSM_SEGMENTS.
 */
void cuzk_msm_tree_weigh(cuzk_msm_tree *t, void *slots, size_t n, unsigned k);

/**
 * After cuzk_msm_tree_weigh: adds up the slots 2^l of the blocks of each window, in the window's first
 * block here. Block 0 is the one of number `first`; window_blocks to a window. Others than the slots
 * 2^l of the first blocks and 0 of all are undefined then.
 */
void cuzk_msm_tree_join(cuzk_msm_tree *t, void *slots, size_t blocks, unsigned k, size_t first,
                        size_t window_blocks);

/** Segment sums of entries already in order: out[s] (affine) = sum of the `each` entries of s. */
void cuzk_msm_tree_rows(cuzk_msm_tree *t, const cuzk_msm_table *table, const uint32_t *entries,
                        const uint32_t *seg_len, size_t n_segs, void *out);

/** Flat sum: start with t->carried = 0, feed pieces of n <= MSM_PIECE / 2, then take the result. */
void cuzk_msm_tree_feed(cuzk_msm_tree *t, const cuzk_msm_table *table, const uint32_t *entries,
                        size_t n);
/** affine_out = sum of all that was fed; leaves t->carried = 0. */
void cuzk_msm_tree_take(cuzk_msm_tree *t, void *affine_out);

#endif /* CUZK_MSM_MSM_TREE_H */
