/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_ACCEL_CUDA_MSM_CUDA_INTERNAL_H
#define CUZK_ACCEL_CUDA_MSM_CUDA_INTERNAL_H

/*
 * Parts of an MSM of n terms in W windows of c bits with signed digits:
 *   msm_sort_cuda.cu  digits, and the terms of all windows sorted by bucket into one list;
 *   msm_sum_cuda.cu   sums over the list, per bucket, per window;
 *   msm_fold_cuda.c   the windows joined on the host.
 * A window but the last has 2^(c-1) buckets (digits of size 1 to 2^(c-1)); the last one has an
 * unsigned digit of top_bits bits plus a carry, 2^top_bits buckets. Buckets are numbered through.
 */
#include "ec/g1.h"

#include "cuda_queue.h"
#include "msm_cuda.h"

#define CUZK_CUDA_MSM_LG_BINS  11u /* first sort: bins of a window */
#define CUZK_CUDA_MSM_MAX_C    22u
#define CUZK_CUDA_MSM_MAX_WIN  44u /* 255 bits in windows of 6 */
#define CUZK_CUDA_MSM_PARTIALS 64u /* sums left per window before the last step */

typedef struct cuzk_cuda_msm_shape {
    uint64_t n;
    unsigned nbits, c, windows, top_bits;
    uint32_t buckets;  /* of all windows */
    uint32_t lg_chunk; /* the reduction's buckets per thread */
    uint32_t segment;  /* list entries per thread */
} cuzk_cuda_msm_shape;

struct cuzk_cuda_msm {
    int device;
    uint64_t n_max;
    unsigned nbits;
    void *d_arena; /* one block; the pointers below point into it */
    uint64_t arena_bytes;
    uint32_t *d_digits;  /* [windows][n rounded up to 4]: sign << 31 | size, 0: none */
    uint32_t *d_list;    /* [windows * n]: sign << 31 | term, sorted by bucket */
    uint64_t *d_entries; /* [windows * n]: after the first sort: low key << 32 | sign and term */
    uint32_t *d_bin_start, *d_bin_next; /* [bins + 1] */
    uint32_t *d_offset;                 /* [buckets + 1]: first list entry of each bucket */
    uint32_t *d_heavy;                  /* [1 + buckets]: count, then buckets of many segments */
    cuzk_g1_xyzz *d_buckets;            /* [buckets] */
    cuzk_g1_xyzz *d_heads;    /* [segments]: what a segment adds to a bucket begun before it */
    cuzk_g1_xyzz *d_chunks;   /* weighted chunk sums of the reduction */
    cuzk_g1_xyzz *d_partials; /* [windows][CUZK_CUDA_MSM_PARTIALS] */
    cuzk_g1_xyzz *d_sums;     /* [windows] */
};

#ifdef __cplusplus
extern "C" {
#endif
cuzk_status cuzk_cuda_msm_sort(const cuzk_cuda_msm *m, const cuzk_cuda_msm_shape *s,
                               cuzk_cuda_queue *q, const cuzk_scalar *d_scalars, cuzk_err *err);
/** List of the set bits; d_offset = {0, length}. */
cuzk_status cuzk_cuda_msm_list_bits(const cuzk_cuda_msm *m, cuzk_cuda_queue *q,
                                    const uint64_t *d_bits, uint64_t n, cuzk_err *err);
/** Sorted list to d_sums [windows]. */
cuzk_status cuzk_cuda_msm_sum(const cuzk_cuda_msm *m, const cuzk_cuda_msm_shape *s,
                              cuzk_cuda_queue *q, const cuzk_g1_affine *d_bases, cuzk_err *err);
/** Sum of the whole list, of at most n entries, to d_sums[0]. */
cuzk_status cuzk_cuda_msm_sum_list(const cuzk_cuda_msm *m, cuzk_cuda_queue *q,
                                   const cuzk_g1_affine *d_bases, uint64_t n, cuzk_err *err);
/** out = sum of 2^(c w) sums[w]; sums with lazy coordinates (< 2q), reduced in place. */
void cuzk_cuda_msm_fold(cuzk_g1 *out, cuzk_g1_xyzz *sums, unsigned windows, unsigned c);
#ifdef __cplusplus
}
#endif

#endif /* CUZK_ACCEL_CUDA_MSM_CUDA_INTERNAL_H */
