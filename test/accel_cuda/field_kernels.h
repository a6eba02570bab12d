/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_TEST_ACCEL_CUDA_FIELD_KERNELS_H
#define CUZK_TEST_ACCEL_CUDA_FIELD_KERNELS_H

#include "accel/cuda/cuda_queue.h"
#include "ff/fp_hd.h"
#include "ff/fr_hd.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum field_op {
    FIELD_MUL,
    FIELD_MUL2,
    FIELD_ADD,
    FIELD_SUB,
    FIELD_NEG,
    FIELD_OPS
} field_op;

/* MUL2: a b + b a by mont_mul2 on Fp; by mont_mul and mont_add on Fr, which has no room for it. */
/* out[i] = op(a[i], b[i]), reduced; host arrays [n]. The inputs may be as lazy as the op allows. */
cuzk_status field_run_fr(cuzk_cuda_queue *q, field_op op, cuzk_fr *out, const cuzk_fr *a,
                         const cuzk_fr *b, unsigned n, cuzk_err *err);
cuzk_status field_run_fp(cuzk_cuda_queue *q, field_op op, cuzk_fp *out, const cuzk_fp *a,
                         const cuzk_fp *b, unsigned n, cuzk_err *err);

#ifdef __cplusplus
}
#endif

#endif
