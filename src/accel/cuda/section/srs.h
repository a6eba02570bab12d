/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_ACCEL_CUDA_SRS_CUDA_H
#define CUZK_ACCEL_CUDA_SRS_CUDA_H

/*
 * Points of a .params file on a GPU: decoding and checking, with the verdicts of
 * cuzk_srs_read_g1 / _g2 and cuzk_srs_open.
 */
#include "accel/cuda/queue/queue.h"
#include "ec/g1.h"
#include "ec/g2.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * What is wrong with the first bad point of all decodings since the reset, in device memory. One
 * word: UINT64_MAX, nothing; else index << 8 | reason.
 */
CUZK_NODISCARD cuzk_status cuzk_cuda_srs_report_reset(cuzk_cuda_queue *q, uint64_t *d_report,
                                                      cuzk_err *err);
/**
 * Verdict of a report that was downloaded: CUZK_OK, or E_ENCODING, E_INFINITY, E_NOT_ON_CURVE,
 * E_NOT_IN_GROUP with a message that names section and index.
 */
CUZK_NODISCARD cuzk_status cuzk_cuda_srs_report_status(uint64_t report, const char *section,
                                                       cuzk_err *err);

/**
 * Enqueues d_out[i] = point i of d_in (uncompressed, 96 bytes each; 16-byte aligned), checked:
 * canonical coordinates, not (0, 0), and no infinity unless allow_infinity, always; the curve and the subgroup as check says.
 * first: index of d_in[0], for the report. Bad points become infinity (0, 0). d_out may be d_in.
 */
CUZK_NODISCARD cuzk_status cuzk_cuda_srs_decode_g1(cuzk_cuda_queue *q, cuzk_g1_affine *d_out,
                                                   const void *d_in, uint64_t n, uint64_t first,
                                                   cuzk_point_check check, bool allow_infinity,
                                                   uint64_t *d_report, cuzk_err *err);
/** The same, 192 bytes each. */
CUZK_NODISCARD cuzk_status cuzk_cuda_srs_decode_g2(cuzk_cuda_queue *q, cuzk_g2_affine *d_out,
                                                   const void *d_in, uint64_t n, uint64_t first,
                                                   cuzk_point_check check, bool allow_infinity,
                                                   uint64_t *d_report, cuzk_err *err);

#ifdef __cplusplus
}
#endif

#endif /* CUZK_ACCEL_CUDA_SRS_CUDA_H */
