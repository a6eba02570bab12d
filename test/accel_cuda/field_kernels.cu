/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "accel/cuda/field/fp2_dev.cuh"
#include "accel/cuda/field/mont_dev.cuh"
#include "accel/cuda/queue/status.h"

#include "field_kernels.h"

template <class F>
static __global__ void op_k(field_op op, typename F::host *out, const typename F::host *a,
                            const typename F::host *b, unsigned n)
{
    const unsigned i = blockIdx.x * 128 + threadIdx.x;
    if (i >= n) {
        return;
    }
    mont<F> x, y;
    mont_load(x, &a[i]);
    mont_load(y, &b[i]);
    if (op == FIELD_MUL) {
        mont_mul(x, x, y);
    } else if (op == FIELD_MUL2) {
        if (F::N == 12) {
            mont_mul2(x, x, y, y, x);
        } else {
            mont_mul(x, x, y);
            mont_add(x, x, x);
        }
    } else if (op == FIELD_ADD) {
        mont_add(x, x, y);
    } else if (op == FIELD_SUB) {
        mont_sub(x, x, y);
    } else {
        mont_neg_canon(x);
    }
    const bool zero = mont_is_zero(x);
    mont_canon(x);
    if (zero != mont_is_null(x)) {
        x.l[0] = ~x.l[0]; /* the two tests for zero differ: make the comparison fail */
    }
    mont_store(&out[i], x);
}

template <class F>
static cuzk_status run(cuzk_cuda_queue *q, field_op op, typename F::host *out,
                       const typename F::host *a, const typename F::host *b, unsigned n,
                       cuzk_err *err)
{
    typedef typename F::host T;
    void *d[3] = {};
    cuzk_status st = CUZK_OK;
    for (int i = 0; i < 3; i++) {
        CUZK_TRY_GOTO(st, cuzk_cuda_alloc(q, &d[i], n * sizeof(T), err));
    }
    CUZK_TRY_GOTO(st, cuzk_cuda_upload(q, d[0], a, n * sizeof(T), err));
    CUZK_TRY_GOTO(st, cuzk_cuda_upload(q, d[1], b, n * sizeof(T), err));
    op_k<F><<<(n + 127) / 128, 128, 0, (cudaStream_t)cuzk_cuda_queue_stream(q)>>>(
        op, (T *)d[2], (const T *)d[0], (const T *)d[1], n);
    CUZK_TRY_GOTO(st, CUZK_CUDA_LAUNCHED(op_k, err));
    CUZK_TRY_GOTO(st, cuzk_cuda_download(q, out, d[2], n * sizeof(T), err));
out:
    for (int i = 0; i < 3; i++) {
        cuzk_cuda_free(q, d[i]);
    }
    return st;
}

cuzk_status field_run_fr(cuzk_cuda_queue *q, field_op op, cuzk_fr *out, const cuzk_fr *a,
                         const cuzk_fr *b, unsigned n, cuzk_err *err)
{
    return run<fr_field>(q, op, out, a, b, n, err);
}

cuzk_status field_run_fp(cuzk_cuda_queue *q, field_op op, cuzk_fp *out, const cuzk_fp *a,
                         const cuzk_fp *b, unsigned n, cuzk_err *err)
{
    return run<fp_field>(q, op, out, a, b, n, err);
}

static __global__ void fp2_k(fp2_op op, cuzk_fp2 *out, const cuzk_fp2 *a, const cuzk_fp2 *b,
                             unsigned n)
{
    const unsigned i = blockIdx.x * 128 + threadIdx.x;
    if (i >= n) {
        return;
    }
    dfp2 x, y;
    fe_load(x, &a[i]);
    fe_load(y, &b[i]);
    if (op == FP2_MUL) {
        fe_mul(x, x, y);
    } else if (op == FP2_SQR) {
        fe_sqr(x, x);
    } else if (op == FP2_INV) {
        fe_inv(x, x);
    } else if (op == FP2_EACH_SQR) {
        fe_sqr(x.c0, x.c0);
        fe_sqr(x.c1, x.c1);
    } else {
        fe_inv(x.c0, x.c0);
        fe_inv(x.c1, x.c1);
    }
    fe_canon(x);
    fe_store(&out[i], x);
}

cuzk_status field_run_fp2(cuzk_cuda_queue *q, fp2_op op, cuzk_fp2 *out, const cuzk_fp2 *a,
                          const cuzk_fp2 *b, unsigned n, cuzk_err *err)
{
    void *d[3] = {};
    cuzk_status st = CUZK_OK;
    for (int i = 0; i < 3; i++) {
        CUZK_TRY_GOTO(st, cuzk_cuda_alloc(q, &d[i], n * sizeof(cuzk_fp2), err));
    }
    CUZK_TRY_GOTO(st, cuzk_cuda_upload(q, d[0], a, n * sizeof(cuzk_fp2), err));
    CUZK_TRY_GOTO(st, cuzk_cuda_upload(q, d[1], b, n * sizeof(cuzk_fp2), err));
    fp2_k<<<(n + 127) / 128, 128, 0, (cudaStream_t)cuzk_cuda_queue_stream(q)>>>(
        op, (cuzk_fp2 *)d[2], (const cuzk_fp2 *)d[0], (const cuzk_fp2 *)d[1], n);
    CUZK_TRY_GOTO(st, CUZK_CUDA_LAUNCHED(fp2_k, err));
    CUZK_TRY_GOTO(st, cuzk_cuda_download(q, out, d[2], n * sizeof(cuzk_fp2), err));
out:
    for (int i = 0; i < 3; i++) {
        cuzk_cuda_free(q, d[i]);
    }
    return st;
}
