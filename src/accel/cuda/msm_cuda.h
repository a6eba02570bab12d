/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_ACCEL_CUDA_MSM_CUDA_H
#define CUZK_ACCEL_CUDA_MSM_CUDA_H

/*
 * Multi-scalar multiplication in G1 on a GPU. Conventions of msm/msm.h (bases affine on the curve,
 * infinity (0,0) allowed; scalars canonical, not secret); bases and scalars are in device memory.
 */
#include "ec/g1.h"

#include "cuda_queue.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Workspace for sums of up to n_max terms on one device. @thread one call at a time. */
typedef struct cuzk_cuda_msm cuzk_cuda_msm;

#define CUZK_CUDA_MSM_MAX_N ((uint64_t)1 << 27)

/** Device bytes that cuzk_cuda_msm_create(n_max, nbits) takes. */
uint64_t cuzk_cuda_msm_bytes(uint64_t n_max, unsigned nbits);
/**
 * @param n_max most terms, at most CUZK_CUDA_MSM_MAX_N
 * @param nbits scalars will be < 2^nbits, 1..255
 * @return E_INVALID, E_NOMEM, E_DEV_NOMEM
 */
CUZK_NODISCARD cuzk_status cuzk_cuda_msm_create(cuzk_cuda_msm **out, cuzk_cuda_queue *q,
                                                uint64_t n_max, unsigned nbits, cuzk_err *err);
/** Waits for the queue. NULL is fine. */
void cuzk_cuda_msm_destroy(cuzk_cuda_msm *m, cuzk_cuda_queue *q);

/**
 * out (on the host) = sum of d_scalars[i] * d_bases[i], i < n <= n_max; scalars < 2^nbits of the
 * workspace. Waits for the result. n == 0 gives infinity. On failure out is not written.
 */
CUZK_NODISCARD cuzk_status cuzk_cuda_msm_g1(cuzk_cuda_msm *m, cuzk_cuda_queue *q, cuzk_g1 *out,
                                            const cuzk_g1_affine *d_bases,
                                            const cuzk_scalar *d_scalars, uint64_t n,
                                            cuzk_err *err);
/** out = sum of the bases whose bit is set, as cuzk_msm_bits_g1; d_bits [(n + 63) / 64]. Waits. */
CUZK_NODISCARD cuzk_status cuzk_cuda_msm_bits_g1(cuzk_cuda_msm *m, cuzk_cuda_queue *q, cuzk_g1 *out,
                                                 const cuzk_g1_affine *d_bases,
                                                 const uint64_t *d_bits, uint64_t n, cuzk_err *err);

#ifdef __cplusplus
}
#endif

#endif /* CUZK_ACCEL_CUDA_MSM_CUDA_H */
