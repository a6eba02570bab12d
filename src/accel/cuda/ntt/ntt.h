/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_ACCEL_CUDA_NTT_CUDA_H
#define CUZK_ACCEL_CUDA_NTT_CUDA_H

/*
 * Number-theoretic transforms over Fr on a GPU: the results of src/ntt, byte for byte.
 */
#include "accel/cuda/queue/queue.h"
#include "ff/fr.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Twiddles of one domain on one device. Immutable; any queue of the device may use it. Full tables have
 * 2^lg_n * 32 bytes. Small ones have at most 513 MiB: the twiddles of all levels but the lowest, and a second
 * table with which the lowest levels multiply them (one more product for each element and transform).
 */
typedef struct cuzk_cuda_ntt cuzk_cuda_ntt;
/** Device bytes of the tables. */
uint64_t cuzk_cuda_ntt_bytes(unsigned lg_n, bool is_small);

#define CUZK_CUDA_NTT_MAX_LG 27

/** root_2_32 as in cuzk_ntt_domain_create; waits. E_INVALID (lg_n), E_NOMEM, device errors. */
CUZK_NODISCARD cuzk_status cuzk_cuda_ntt_create(cuzk_cuda_ntt **out, cuzk_cuda_queue *q,
                                                unsigned lg_n, const cuzk_fr *root_2_32,
                                                bool is_small, cuzk_err *err);
/** No queue may still be using it. NULL is fine. */
void cuzk_cuda_ntt_destroy(cuzk_cuda_ntt *d, cuzk_cuda_queue *q);

/** N natural order, R bit-reversed; first letter the input's, second the output's. */
typedef enum cuzk_cuda_order { CUZK_CUDA_NR = 0, CUZK_CUDA_RN = 1 } cuzk_cuda_order;

/**
 * Enqueues the transform of d_a [2^lg_n], reduced Montgomery values in and out, in place.
 * shift (on the host) NULL: 1; zero: E_INVALID. Meaning as cuzk_ntt_forward, cuzk_ntt_inverse.
 */
CUZK_NODISCARD cuzk_status cuzk_cuda_ntt_forward(const cuzk_cuda_ntt *d, cuzk_cuda_queue *q,
                                                 cuzk_fr *d_a, cuzk_cuda_order order,
                                                 const cuzk_fr *shift, cuzk_err *err);
CUZK_NODISCARD cuzk_status cuzk_cuda_ntt_inverse(const cuzk_cuda_ntt *d, cuzk_cuda_queue *q,
                                                 cuzk_fr *d_a, cuzk_cuda_order order,
                                                 const cuzk_fr *shift, cuzk_err *err);

/** The inverse, then the forward transform on the coset, in natural order both; shift not NULL. */
CUZK_NODISCARD cuzk_status cuzk_cuda_ntt_to_coset(const cuzk_cuda_ntt *d, cuzk_cuda_queue *q,
                                                  cuzk_fr *d_a, const cuzk_fr *shift,
                                                  cuzk_err *err);

/**
 * d_out = coefficients of the product of d_a and d_b, both [2^lg_n] on the domain in natural order,
 * times k (host), as integers < r in bit-reversed order. d_out may be an input.
 */
CUZK_NODISCARD cuzk_status cuzk_cuda_ntt_product(const cuzk_cuda_ntt *d, cuzk_cuda_queue *q,
                                                 cuzk_scalar *d_out, const cuzk_fr *d_a,
                                                 const cuzk_fr *d_b, const cuzk_fr *k,
                                                 cuzk_err *err);
/**
 * d_out = k times the coefficients of the product of d_a and d_b, which are on the coset of shift, less
 * d_c: integers < r as cuzk_cuda_ntt_product makes them. d_out is in natural order. Overwrites d_a;
 * d_out may be d_b. shift and k are on the host.
 */
CUZK_NODISCARD cuzk_status cuzk_cuda_ntt_quotient(const cuzk_cuda_ntt *d, cuzk_cuda_queue *q,
                                                  cuzk_scalar *d_out, cuzk_fr *d_a,
                                                  const cuzk_fr *d_b, const cuzk_scalar *d_c,
                                                  const cuzk_fr *shift, const cuzk_fr *k,
                                                  cuzk_err *err);

#ifdef __cplusplus
}
#endif

#endif /* CUZK_ACCEL_CUDA_NTT_CUDA_H */
