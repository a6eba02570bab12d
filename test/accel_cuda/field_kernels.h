/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_TEST_ACCEL_CUDA_FIELD_KERNELS_H
#define CUZK_TEST_ACCEL_CUDA_FIELD_KERNELS_H

#include "accel/cuda/queue/queue.h"
#include "ff/fp_hd.h"
#include "ff/fr_hd.h"
#include "ff/tower/fp2.h"

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

/* Products, squares and inverses in Fp2; squares and inverses of both coordinates in Fp. */
typedef enum fp2_op { FP2_MUL, FP2_SQR, FP2_INV, FP2_EACH_SQR, FP2_EACH_INV, FP2_OPS } fp2_op;

/* As above; the inputs may be lazy. b is read by FP2_MUL alone. */
cuzk_status field_run_fp2(cuzk_cuda_queue *q, fp2_op op, cuzk_fp2 *out, const cuzk_fp2 *a,
                          const cuzk_fp2 *b, unsigned n, cuzk_err *err);

#ifdef __cplusplus
}
#endif

#endif
