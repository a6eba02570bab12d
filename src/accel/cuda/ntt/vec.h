/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_ACCEL_CUDA_VEC_CUDA_H
#define CUZK_ACCEL_CUDA_VEC_CUDA_H

/*
 * Pointwise steps of the quotient on vectors of Fr in device memory: reduced Montgomery values in,
 * 16-byte aligned. All only enqueue.
 */
#include "accel/cuda/queue/queue.h"
#include "ff/fr.h"

#ifdef __cplusplus
extern "C" {
#endif

/** d_out[i] = d_a[i] d_b[i]; d_out may be an input. */
CUZK_NODISCARD cuzk_status cuzk_cuda_vec_mul(cuzk_cuda_queue *q, cuzk_fr *d_out, const cuzk_fr *d_a,
                                             const cuzk_fr *d_b, uint64_t n, cuzk_err *err);
/** d_out[i] = d_a[i] d_b[i] - d_c[i] as an integer < r; d_out may be an input. */
CUZK_NODISCARD cuzk_status cuzk_cuda_vec_residue(cuzk_cuda_queue *q, cuzk_fr *d_out,
                                                 const cuzk_fr *d_a, const cuzk_fr *d_b,
                                                 const cuzk_fr *d_c, uint64_t n, cuzk_err *err);

/** d_out[i] = k (d_a[i] - d_b[i]) as an integer < r; k on the host; d_out may be an input. */
CUZK_NODISCARD cuzk_status cuzk_cuda_vec_diff(cuzk_cuda_queue *q, cuzk_fr *d_out,
                                              const cuzk_fr *d_a, const cuzk_fr *d_b,
                                              const cuzk_fr *k, uint64_t n, cuzk_err *err);
/** Swaps element i with the one whose index has the bits of i in reverse; n a power of two < 2^32. */
CUZK_NODISCARD cuzk_status cuzk_cuda_vec_reverse(cuzk_cuda_queue *q, cuzk_fr *d_a, uint64_t n,
                                                 cuzk_err *err);

#ifdef __cplusplus
}
#endif

#endif /* CUZK_ACCEL_CUDA_VEC_CUDA_H */
