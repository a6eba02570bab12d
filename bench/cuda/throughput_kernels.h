/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_BENCH_CUDA_THROUGHPUT_KERNELS_H
#define CUZK_BENCH_CUDA_THROUGHPUT_KERNELS_H

#include "accel/cuda/queue/queue.h"
#include "ec/g1.h"
#include "ff/fr.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum bench_op {
    BENCH_FP_MUL,
    BENCH_FP_SQR,
    BENCH_FR_MUL,
    BENCH_XYZZ_ADD,
    BENCH_FP_INV
} bench_op;

/* Operations of one launch of op; BENCH_FP_INV: that one thread does in turn, one warp on each of 32
 * multiprocessors. */
double bench_op_count(bench_op op);
/* Enqueues one launch; d_bases [2^lg_bases] are points to gather, d_sink [2^20 * 48 bytes]. */
cuzk_status bench_op_launch(bench_op op, cuzk_cuda_queue *q, const cuzk_g1_affine *d_bases,
                            unsigned lg_bases, void *d_sink, cuzk_err *err);
/* Enqueues; pseudo-random scalars below 2^254. */
cuzk_status bench_fill_scalars(cuzk_cuda_queue *q, cuzk_scalar *d_out, uint64_t n, cuzk_err *err);

#ifdef __cplusplus
}
#endif

#endif
