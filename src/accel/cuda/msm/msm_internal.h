/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_ACCEL_CUDA_MSM_CUDA_INTERNAL_H
#define CUZK_ACCEL_CUDA_MSM_CUDA_INTERNAL_H

/*
 * Parts of an MSM of n terms in W windows of c bits with signed digits:
 *   accel/cuda/msm/shape.c  the windows and the workspace's memory;
 *   accel/cuda/msm/sort.cu  digits, and the terms of a batch of windows sorted by bucket into one list;
 *   accel/cuda/msm/tree_tmpl.cuh levels of affine additions over the list;
 *   accel/cuda/msm/sum_tmpl.cuh  sums over what they leave, per bucket;
 *   accel/cuda/msm/reduce_tmpl.cuh  sums of the buckets, per window;
 *   accel/cuda/msm/fold.c   the windows joined on the host.
 * A window but the last has 2^(c-1) buckets (digits of size 1 to 2^(c-1)); the last one has an
 * unsigned digit of top_bits bits plus a carry, 2^top_bits buckets. Buckets are numbered through.
 * With hexagonal digits (ec/hex_hd.h; G1, when the images of the bases are there) all windows are
 * alike: a bucket for each key of the base.
 * Windows are worked on in batches, so that the memory of the sort does not grow with their number.
 */
#include "accel/cuda/queue/queue.h"
#include "ec/g1.h"
#include "ec/g2.h"
#include "ec/hex.h"

#include "msm.h"

#define CUZK_CUDA_MSM_MAX_LG_BINS 11u /* first sort: bins of a window */
#define CUZK_CUDA_MSM_MAX_LOW     10u /* second sort: key bits of a bin */
#define CUZK_CUDA_MSM_MAX_C       22u
#define CUZK_CUDA_MSM_MAX_WIN     44u  /* 255 bits in windows of 6 */
#define CUZK_CUDA_MSM_PARTIALS    256u /* sums left per window before the last step */
#define CUZK_CUDA_MSM_MAX_HEX     22u  /* windows of hexagonal digits, with two sums each */
#define CUZK_CUDA_MSM_MAX_LEVELS  6u
#define CUZK_CUDA_MSM_NONE        0xffffffffu /* list entry of no term: infinity */
/* Digits and list entries: the sign in bit 31, the power of phi (0 to 2) in bits 28 and 29, below
 * them a digit's size or key plus 1, or an entry's term, both below 2^28. */
#define CUZK_CUDA_MSM_SIGN        0x80000000u
#define CUZK_CUDA_MSM_LG_PHI      28u
#define CUZK_CUDA_MSM_FLAGS       0xf0000000u

/** Choices by size, which tests change to have every path at small sizes. */
typedef struct cuzk_cuda_msm_tuning {
    unsigned lg_level_entries; /* least entries of a level of affine additions */
    unsigned lg_batch_entries; /* most entries of a batch of windows, if more than one window */
    unsigned level_load;       /* least entries of a bucket on a level of them */
    unsigned width;            /* bits of a window, 6 to 22; 0: the cheapest */
    unsigned most_levels;      /* of affine additions; 0: no bound */
    unsigned hex_digits;       /* windows of hexagonal digits; 0: the cheapest */
    unsigned hex_at_once;      /* windows whose hexagonal digits are made at a time; 0: all */
} cuzk_cuda_msm_tuning;

typedef struct cuzk_cuda_msm_shape {
    uint64_t n;
    bool hex;           /* hexagonal digits, to the base `base`; else signed ones of c bits */
    cuzk_hex_base base; /* hex */
    unsigned c, windows, top_bits;
    uint32_t keys, top_keys; /* buckets of a window but the last, and of the last */
    unsigned low, top_low;   /* key bits of a bin of the first sort */
    unsigned batch;          /* windows sorted and added up at a time */
    unsigned digits;         /* windows whose digits are made at a time: some batches */
    unsigned lg_bins;        /* first sort: bins of a window */
    unsigned levels;         /* of affine additions, before the sums in XYZZ */
    uint32_t buckets;        /* of all windows */
    uint32_t lg_chunk;       /* the reduction's buckets per thread */
    uint32_t piece;          /* hex: the same, of a row of keys */
} cuzk_cuda_msm_shape;

/* Device arrays of a workspace, all in its arena. */
typedef struct cuzk_cuda_msm_memory {
    uint32_t *d_digits;  /* [digits][n rounded up to 4]: flags | size or key + 1, 0: none */
    uint32_t *d_list;    /* [batch * n and the padding]: flags | term, sorted by bucket */
    uint64_t *d_entries; /* [batch * n]: after the first sort: low key << 32 | flags and term */
    uint32_t *d_bin_start, *d_bin_next, *d_list_start; /* [bins of a batch + 1] */
    uint32_t *d_offset; /* [buckets + batches]: first list entry of each bucket; each batch has one
                           more at its end */
    uint32_t *d_heavy;  /* [1 + segments]: count, then buckets of many segments */
    void *d_tree_a,
        *d_tree_b;    /* points after odd and even levels, half and a quarter of the list */
    void *d_products; /* [products] field elements */
    uint64_t products;
    void *d_buckets;  /* [buckets] points in XYZZ */
    void *d_heads;    /* [segments]: what a segment adds to a bucket begun before it */
    void *d_chunks;   /* [windows][chunk stride]: weighted chunk sums of the reduction;
                         hex: [2 windows][chunk stride], see accel/cuda/msm/hex_reduce.cuh */
    void *d_plain;    /* [windows][chunk stride]: plain ones */
    void *d_partials; /* [sums][CUZK_CUDA_MSM_PARTIALS] */
    void *d_sums;     /* [sums]: one per window; hex: two */
    uint64_t bytes;
} cuzk_cuda_msm_memory;

/* Windows first to first + count - 1, sorted and added up together. */
typedef struct cuzk_cuda_msm_batch {
    unsigned first, count;
    uint32_t first_bucket, buckets;
    uint32_t *d_offset; /* [buckets + 1] */
} cuzk_cuda_msm_batch;

#ifdef __cplusplus
extern "C" {
#endif
/** What the card's tuning says (accel/card/tuning.h). */
cuzk_cuda_msm_tuning cuzk_cuda_msm_tuning_of(const cuzk_card *card, cuzk_cuda_msm_group group);
/** As cuzk_cuda_msm_create_in and _create, with other tuning; d_arena NULL: a block of its own. */
CUZK_NODISCARD cuzk_status cuzk_cuda_msm_create_tuned(cuzk_cuda_msm **out, cuzk_cuda_queue *q,
                                                      void *d_arena, uint64_t bytes, uint64_t n_max,
                                                      cuzk_cuda_msm_terms terms,
                                                      cuzk_cuda_msm_group group,
                                                      const cuzk_cuda_msm_tuning *t, cuzk_err *err);
void cuzk_cuda_msm_shape_of(cuzk_cuda_msm_shape *s, uint64_t n, cuzk_cuda_msm_terms terms,
                            const cuzk_cuda_msm_tuning *t, const cuzk_card *card);
/** Batch number i of a shape; false when there are fewer. */
bool cuzk_cuda_msm_batch_of(cuzk_cuda_msm_batch *b, const cuzk_cuda_msm_shape *s,
                            const cuzk_cuda_msm_memory *m, unsigned i);
/** Lays the arrays out from base on (NULL: only counts the bytes). */
void cuzk_cuda_msm_place(cuzk_cuda_msm_memory *m, void *base, uint64_t n_max,
                         cuzk_cuda_msm_terms terms, cuzk_cuda_msm_group group,
                         const cuzk_cuda_msm_tuning *t, const cuzk_card *card);
/** Most entries of a list with its buckets filled up to multiples of 2^levels; one itself. */
uint64_t cuzk_cuda_msm_list_length(uint64_t entries, uint64_t buckets, unsigned levels);
/** Chunks of the reduction in a window, and room for its second step. */
uint32_t cuzk_cuda_msm_chunk_stride(const cuzk_cuda_msm_shape *s);
/** Pieces of at most `length` keys of the rows of a base, no piece in two rows. */
uint32_t cuzk_cuda_msm_hex_pieces(const cuzk_hex_base *base, uint32_t length);
/** Levels for the sum of n bits. */
unsigned cuzk_cuda_msm_bits_levels(uint64_t n, const cuzk_cuda_msm_tuning *t,
                                   const cuzk_card *card);
/** Points per thread of the sums in XYZZ, for that many after the levels, on a device of sms multiprocessors. */
uint32_t cuzk_cuda_msm_segment(uint64_t points, uint32_t sms);

cuzk_status cuzk_cuda_msm_sort(const cuzk_cuda_msm_memory *m, const cuzk_cuda_msm_shape *s,
                               const cuzk_cuda_msm_batch *b, cuzk_cuda_queue *q,
                               const cuzk_scalar *d_scalars, cuzk_err *err);
/** List of the set bits, filled up to a multiple of 2^levels; d_offset = {0, length}. */
cuzk_status cuzk_cuda_msm_list_bits(const cuzk_cuda_msm_memory *m, cuzk_cuda_queue *q,
                                    const uint64_t *d_bits, uint64_t n, unsigned levels,
                                    cuzk_err *err);
/** List of the comb's entries for n signs, filled up; d_offset = {0, length}. */
cuzk_status cuzk_cuda_msm_list_signs(const cuzk_cuda_msm_memory *m, cuzk_cuda_queue *q,
                                     const uint64_t *d_bits, uint64_t n, unsigned teeth,
                                     unsigned levels, cuzk_err *err);

/**
 * d_out[i] = sum of the bases of list entries 2i and 2i + 1, canonical. Uses d_list [2 pairs],
 * d_offset [1] (the list's length), d_tree_a [pairs] and d_products alone.
 */
cuzk_status cuzk_cuda_msm_add_pairs_g1(const cuzk_cuda_msm_memory *m, cuzk_cuda_queue *q,
                                       const void *d_bases, void *d_out, uint32_t pairs,
                                       cuzk_err *err);
cuzk_status cuzk_cuda_msm_add_pairs_g2(const cuzk_cuda_msm_memory *m, cuzk_cuda_queue *q,
                                       const void *d_bases, void *d_out, uint32_t pairs,
                                       cuzk_err *err);

/**
 * Levels of the tree of affine additions over a list, at least one: the sums of 2^levels neighbours, at
 * *d_out (tree_tmpl.cuh). The list's length, at d_entries, is a multiple of 2^levels. d_images NULL:
 * no entry has a power of phi.
 */
typedef cuzk_status cuzk_cuda_msm_tree(const cuzk_cuda_msm_memory *m, cuzk_cuda_queue *q,
                                       const void *d_bases, const void *d_images,
                                       const uint32_t *d_entries, unsigned levels,
                                       const void **d_out, cuzk_err *err);
cuzk_cuda_msm_tree cuzk_cuda_msm_tree_g1, cuzk_cuda_msm_tree_g2;
/** Two levels of it, through the second-level cache (tree_parts.cu); `entries`: at least the list's length. */
cuzk_status cuzk_cuda_msm_tree_parts_g1(const cuzk_cuda_msm_memory *m, cuzk_cuda_queue *q,
                                        const void *d_bases, const void *d_images,
                                        const uint32_t *d_entries, uint64_t entries,
                                        const void **d_out, cuzk_err *err);
/** The shape for 99 KiB of shared memory. */
cuzk_cuda_msm_tree cuzk_cuda_msm_tree_g1_lean, cuzk_cuda_msm_tree_g2_lean;

/** Sorted list of a batch to the batch's buckets. d_bases of the group; d_images of d_bases for
 * hexagonal digits, else not read. */
cuzk_status cuzk_cuda_msm_accumulate_g1(const cuzk_cuda_msm_memory *m, const cuzk_cuda_msm_shape *s,
                                        const cuzk_cuda_msm_batch *b, cuzk_cuda_queue *q,
                                        const void *d_bases, const void *d_images, cuzk_err *err);
cuzk_status cuzk_cuda_msm_accumulate_g2(const cuzk_cuda_msm_memory *m, const cuzk_cuda_msm_shape *s,
                                        const cuzk_cuda_msm_batch *b, cuzk_cuda_queue *q,
                                        const void *d_bases, const void *d_images, cuzk_err *err);
/** Buckets of all windows to d_sums [windows]. */
cuzk_status cuzk_cuda_msm_reduce_g1(const cuzk_cuda_msm_memory *m, const cuzk_cuda_msm_shape *s,
                                    cuzk_cuda_queue *q, cuzk_err *err);
/** Buckets of all windows of hexagonal digits to d_sums [2 windows]. */
cuzk_status cuzk_cuda_msm_reduce_hex_g1(const cuzk_cuda_msm_memory *m, const cuzk_cuda_msm_shape *s,
                                        cuzk_cuda_queue *q, cuzk_err *err);
cuzk_status cuzk_cuda_msm_reduce_g2(const cuzk_cuda_msm_memory *m, const cuzk_cuda_msm_shape *s,
                                    cuzk_cuda_queue *q, cuzk_err *err);
/** Sum of the whole list, of at most n entries, to d_sums[0]. */
cuzk_status cuzk_cuda_msm_sum_list_g1(const cuzk_cuda_msm_memory *m, cuzk_cuda_queue *q,
                                      const void *d_bases, uint64_t n, unsigned levels,
                                      cuzk_err *err);
cuzk_status cuzk_cuda_msm_sum_list_g2(const cuzk_cuda_msm_memory *m, cuzk_cuda_queue *q,
                                      const void *d_bases, uint64_t n, unsigned levels,
                                      cuzk_err *err);

/** out = sum of 2^(c w) sums[w]; sums with lazy coordinates (< 2q), reduced in place. */
void cuzk_cuda_msm_fold_g1(cuzk_g1 *out, cuzk_g1_xyzz *sums, unsigned windows, unsigned c);
/** out = sum of m^w (sums[2w] + zeta sums[2w + 1]), zeta = -phi^2. */
void cuzk_cuda_msm_fold_hex_g1(cuzk_g1 *out, cuzk_g1_xyzz *sums, unsigned windows, uint32_t m);
void cuzk_cuda_msm_fold_g2(cuzk_g2 *out, cuzk_g2_xyzz *sums, unsigned windows, unsigned c);
#ifdef __cplusplus
}
#endif

#endif /* CUZK_ACCEL_CUDA_MSM_CUDA_INTERNAL_H */
