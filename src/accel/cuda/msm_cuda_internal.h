/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_ACCEL_CUDA_MSM_CUDA_INTERNAL_H
#define CUZK_ACCEL_CUDA_MSM_CUDA_INTERNAL_H

/*
 * Parts of an MSM of n terms in W windows of c bits with signed digits:
 *   msm_shape_cuda.c  the windows and the workspace's memory;
 *   msm_sort_cuda.cu  digits, and the terms of a batch of windows sorted by bucket into one list;
 *   msm_sum_...       sums over the list, per bucket, per window; one file per group;
 *   msm_fold_cuda.c   the windows joined on the host.
 * A window but the last has 2^(c-1) buckets (digits of size 1 to 2^(c-1)); the last one has an
 * unsigned digit of top_bits bits plus a carry, 2^top_bits buckets. Buckets are numbered through.
 * Windows are worked on in batches, so that the memory of the sort does not grow with their number.
 */
#include "ec/g1.h"
#include "ec/g2.h"

#include "cuda_queue.h"
#include "msm_cuda.h"

#define CUZK_CUDA_MSM_LG_BINS  11u /* first sort: bins of a window */
#define CUZK_CUDA_MSM_MAX_C    22u
#define CUZK_CUDA_MSM_MAX_WIN  44u /* 255 bits in windows of 6 */
#define CUZK_CUDA_MSM_PARTIALS 64u /* sums left per window before the last step */

typedef struct cuzk_cuda_msm_shape {
    uint64_t n;
    unsigned nbits, c, windows, top_bits;
    unsigned batch;    /* windows sorted and added up at a time */
    uint32_t buckets;  /* of all windows */
    uint32_t lg_chunk; /* the reduction's buckets per thread */
    uint32_t segment;  /* list entries per thread */
} cuzk_cuda_msm_shape;

/* Device arrays of a workspace, all in its arena. */
typedef struct cuzk_cuda_msm_memory {
    uint32_t *d_digits;  /* [batch][n rounded up to 4]: sign << 31 | size, 0: none */
    uint32_t *d_list;    /* [batch * n]: sign << 31 | term, sorted by bucket */
    uint64_t *d_entries; /* [batch * n]: after the first sort: low key << 32 | sign and term */
    uint32_t *d_bin_start, *d_bin_next; /* [bins of a batch + 1] */
    uint32_t *d_offset; /* [buckets + batches]: first list entry of each bucket; each batch has one
                           more at its end */
    uint32_t *d_heavy;  /* [1 + segments]: count, then buckets of many segments */
    void *d_buckets;    /* [buckets] points in XYZZ */
    void *d_heads;      /* [segments]: what a segment adds to a bucket begun before it */
    void *d_chunks;     /* weighted chunk sums of the reduction */
    void *d_partials;   /* [windows][CUZK_CUDA_MSM_PARTIALS] */
    void *d_sums;       /* [windows] */
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
void cuzk_cuda_msm_shape_of(cuzk_cuda_msm_shape *s, uint64_t n, unsigned nbits);
/** Batch number i of a shape; false when there are fewer. */
bool cuzk_cuda_msm_batch_of(cuzk_cuda_msm_batch *b, const cuzk_cuda_msm_shape *s,
                            const cuzk_cuda_msm_memory *m, unsigned i);
/** Lays the arrays out from base on (NULL: only counts the bytes). */
void cuzk_cuda_msm_place(cuzk_cuda_msm_memory *m, void *base, uint64_t n_max, unsigned nbits,
                         cuzk_cuda_msm_group group);
uint64_t cuzk_cuda_msm_bits_segment(uint64_t n);

cuzk_status cuzk_cuda_msm_sort(const cuzk_cuda_msm_memory *m, const cuzk_cuda_msm_shape *s,
                               const cuzk_cuda_msm_batch *b, cuzk_cuda_queue *q,
                               const cuzk_scalar *d_scalars, cuzk_err *err);
/** List of the set bits; d_offset = {0, length}. */
cuzk_status cuzk_cuda_msm_list_bits(const cuzk_cuda_msm_memory *m, cuzk_cuda_queue *q,
                                    const uint64_t *d_bits, uint64_t n, cuzk_err *err);

/** Sorted list of a batch to the batch's buckets. d_bases of the group. */
cuzk_status cuzk_cuda_msm_accumulate_g1(const cuzk_cuda_msm_memory *m, const cuzk_cuda_msm_shape *s,
                                        const cuzk_cuda_msm_batch *b, cuzk_cuda_queue *q,
                                        const void *d_bases, cuzk_err *err);
cuzk_status cuzk_cuda_msm_accumulate_g2(const cuzk_cuda_msm_memory *m, const cuzk_cuda_msm_shape *s,
                                        const cuzk_cuda_msm_batch *b, cuzk_cuda_queue *q,
                                        const void *d_bases, cuzk_err *err);
/** Buckets of all windows to d_sums [windows]. */
cuzk_status cuzk_cuda_msm_reduce_g1(const cuzk_cuda_msm_memory *m, const cuzk_cuda_msm_shape *s,
                                    cuzk_cuda_queue *q, cuzk_err *err);
cuzk_status cuzk_cuda_msm_reduce_g2(const cuzk_cuda_msm_memory *m, const cuzk_cuda_msm_shape *s,
                                    cuzk_cuda_queue *q, cuzk_err *err);
/** Sum of the whole list, of at most n entries, to d_sums[0]. */
cuzk_status cuzk_cuda_msm_sum_list_g1(const cuzk_cuda_msm_memory *m, cuzk_cuda_queue *q,
                                      const void *d_bases, uint64_t n, cuzk_err *err);
cuzk_status cuzk_cuda_msm_sum_list_g2(const cuzk_cuda_msm_memory *m, cuzk_cuda_queue *q,
                                      const void *d_bases, uint64_t n, cuzk_err *err);

/** out = sum of 2^(c w) sums[w]; sums with lazy coordinates (< 2q), reduced in place. */
void cuzk_cuda_msm_fold_g1(cuzk_g1 *out, cuzk_g1_xyzz *sums, unsigned windows, unsigned c);
void cuzk_cuda_msm_fold_g2(cuzk_g2 *out, cuzk_g2_xyzz *sums, unsigned windows, unsigned c);
#ifdef __cplusplus
}
#endif

#endif /* CUZK_ACCEL_CUDA_MSM_CUDA_INTERNAL_H */
