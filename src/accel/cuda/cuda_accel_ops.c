/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The operations of accel/accel.h by the kernels of this folder. */
#include "accel/card/tuning.h"
#include "accel/cuda/ntt/vec.h"
#include "accel/cuda/section/srs.h"
#include "base/alloc.h"

#include "cuda_accel_internal.h"

static bool is_bits(const cuzk_accel_op *op)
{
    return op->kind == CUZK_ACCEL_OP_BITS_G1 || op->kind == CUZK_ACCEL_OP_BITS_G2;
}

static bool is_signs(const cuzk_accel_op *op)
{
    return op->kind == CUZK_ACCEL_OP_SIGNS_G1 || op->kind == CUZK_ACCEL_OP_SIGNS_G2;
}

static bool is_g2(const cuzk_accel_op *op)
{
    return op->kind == CUZK_ACCEL_OP_MSM_G2 || op->kind == CUZK_ACCEL_OP_BITS_G2 ||
           op->kind == CUZK_ACCEL_OP_SIGNS_G2;
}

static cuzk_cuda_msm_terms form_of(const cuzk_accel_op *op)
{
    if (op->kind == CUZK_ACCEL_OP_MSM_G1 && op->u.msm.images) {
        return cuzk_cuda_msm_of_images();
    }
    return is_bits(op) || is_signs(op) ? cuzk_cuda_msm_of_bits() : cuzk_cuda_msm_of_scalars(255);
}

/* Points that a sum adds up, at most. */
static uint64_t terms_of(const cuzk_accel_op *op)
{
    return is_signs(op) ? cuzk_accel_comb_groups(op->u.msm.n, op->u.msm.teeth) : op->u.msm.n;
}

static cuzk_status check_teeth(unsigned teeth, cuzk_err *err)
{
    if (teeth < CUZK_ACCEL_MIN_TEETH || teeth > CUZK_ACCEL_MAX_TEETH) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "a comb of %u teeth on a GPU", teeth);
    }
    return CUZK_OK;
}

/* Fewer terms gain nothing. */
uint64_t gpu_image_bytes(cuzk_accel *dev, uint64_t n)
{
    const gpu_device *d = (const gpu_device *)(const void *)dev;
    return n >> cuzk_card_tuning_of(&d->card)->lg_images == 0 ? 0 : CUZK_CUDA_MSM_IMAGE_BYTES;
}

cuzk_status gpu_plan(cuzk_accel *dev, const cuzk_accel_op *op, cuzk_accel_need *out, cuzk_err *err)
{
    const gpu_device *d = (const gpu_device *)(const void *)dev;
    switch (op->kind) {
    case CUZK_ACCEL_OP_COMB_G1:
    case CUZK_ACCEL_OP_COMB_G2:
        CUZK_TRY(check_teeth(op->u.comb.teeth, err));
        out->device_bytes = cuzk_cuda_msm_comb_bytes(
            op->u.comb.n, op->u.comb.teeth,
            op->kind == CUZK_ACCEL_OP_COMB_G2 ? CUZK_CUDA_MSM_G2 : CUZK_CUDA_MSM_G1);
        return CUZK_OK;
    case CUZK_ACCEL_OP_SIGNS_G1:
    case CUZK_ACCEL_OP_SIGNS_G2: CUZK_TRY(check_teeth(op->u.msm.teeth, err)); /* fall through */
    case CUZK_ACCEL_OP_MSM_G1:
    case CUZK_ACCEL_OP_MSM_G2:
    case CUZK_ACCEL_OP_BITS_G1:
    case CUZK_ACCEL_OP_BITS_G2:
        if (op->u.msm.n > CUZK_CUDA_MSM_MAX_N) {
            return CUZK_FAIL(err, CUZK_E_INVALID, "a sum of %llu terms on a GPU: at most 2^28",
                             (unsigned long long)op->u.msm.n);
        }
        out->device_bytes =
            cuzk_cuda_msm_batch_bytes(&d->card, terms_of(op), form_of(op), op->u.msm.lg_batch,
                                      is_g2(op) ? CUZK_CUDA_MSM_G2 : CUZK_CUDA_MSM_G1);
        out->pinned_bytes = 64 * sizeof(cuzk_g2_xyzz);
        return CUZK_OK;
    case CUZK_ACCEL_OP_WITNESS:
        out->pinned_bytes = cuzk_cuda_witness_staging_bytes(op->u.witness.circuit->circuit);
        return CUZK_OK;
    case CUZK_ACCEL_OP_UPLOAD:
    case CUZK_ACCEL_OP_DOWNLOAD:
    case CUZK_ACCEL_OP_COPY:
    case CUZK_ACCEL_OP_ZERO:
    case CUZK_ACCEL_OP_EVAL:
    case CUZK_ACCEL_OP_EVAL_TIMES:
    case CUZK_ACCEL_OP_INTT:
    case CUZK_ACCEL_OP_TO_COSET:
    case CUZK_ACCEL_OP_MUL:
    case CUZK_ACCEL_OP_RESIDUE:
    case CUZK_ACCEL_OP_DIFF:
    case CUZK_ACCEL_OP_REVERSE:
    case CUZK_ACCEL_OP_PRODUCT:
    case CUZK_ACCEL_OP_QUOTIENT:
    case CUZK_ACCEL_OP_SECTION:
    case CUZK_ACCEL_OP_DECODE_G1:
    case CUZK_ACCEL_OP_DECODE_G2:
    case CUZK_ACCEL_OP_SPLIT_G1:
    case CUZK_ACCEL_OP_SPLIT_G2:
    case CUZK_ACCEL_OP_IMAGES_G1: return CUZK_OK;
    case CUZK_ACCEL_OPS: break;
    }
    return CUZK_FAIL(err, CUZK_E_UNSUPPORTED, "operation %d", (int)op->kind);
}

static cuzk_status finish_sum(gpu_sum *s, cuzk_err *err)
{
    cuzk_accel_sum *out = s->out;
    s->out = NULL;
    return s->g2 ? cuzk_cuda_msm_g2_finish(s->msm, &out->v.g2, err)
                 : cuzk_cuda_msm_g1_finish(s->msm, &out->v.g1, err);
}

static bool fits_sum(const gpu_sum *s, const cuzk_accel_op *op, const void *d_ws)
{
    return s->d_ws == d_ws && s->n == terms_of(op) && s->terms.form == form_of(op).form &&
           s->terms.bits == form_of(op).bits && s->lg_batch == op->u.msm.lg_batch &&
           s->g2 == is_g2(op);
}

/*
 * A workspace object over d_ws that is not busy: one that was used so before, else a new one. When
 * all are busy the oldest sum is waited for, which is then at most GPU_SUMS behind.
 */
static cuzk_status take_sum(gpu_queue *q, const cuzk_accel_op *op, void *d_ws, uint64_t ws_bytes,
                            gpu_sum **out, cuzk_err *err)
{
    gpu_sum *s = NULL, *oldest = NULL;
    for (size_t i = 0; i < GPU_SUMS; i++) {
        gpu_sum *t = &q->sums[i];
        if (t->out != NULL) {
            oldest = oldest == NULL || t->number < oldest->number ? t : oldest;
        } else if (t->msm != NULL && fits_sum(t, op, d_ws)) {
            *out = t;
            return CUZK_OK;
        } else if (s == NULL || (s->msm != NULL && t->msm == NULL)) {
            s = t;
        }
    }
    if (s == NULL) {
        s = oldest;
        CUZK_TRY(finish_sum(s, err));
        if (fits_sum(s, op, d_ws)) {
            *out = s;
            return CUZK_OK;
        }
    }
    cuzk_cuda_msm_destroy(s->msm, q->q);
    s->msm = NULL;
    CUZK_TRY(cuzk_cuda_msm_create_batch(&s->msm, q->q, d_ws, ws_bytes, terms_of(op), form_of(op),
                                        op->u.msm.lg_batch,
                                        is_g2(op) ? CUZK_CUDA_MSM_G2 : CUZK_CUDA_MSM_G1, err));
    s->d_ws = d_ws;
    s->n = terms_of(op);
    s->terms = form_of(op);
    s->lg_batch = op->u.msm.lg_batch;
    s->g2 = is_g2(op);
    *out = s;
    return CUZK_OK;
}

static cuzk_status enqueue_sum(gpu_queue *q, const cuzk_accel_op *op, void *d_ws, uint64_t ws_bytes,
                               cuzk_err *err)
{
    gpu_sum *s = NULL;
    const void *bases = op->u.msm.d_bases;
    const uint64_t n = op->u.msm.n;
    if (n == 0) {
        op->u.msm.sum->is_g2 = is_g2(op);
        if (is_g2(op)) {
            cuzk_g2_set_infinity(&op->u.msm.sum->v.g2);
        } else {
            cuzk_g1_set_infinity(&op->u.msm.sum->v.g1);
        }
        return CUZK_OK;
    }
    if (is_signs(op)) {
        CUZK_TRY(check_teeth(op->u.msm.teeth, err));
    }
    CUZK_TRY(take_sum(q, op, d_ws, ws_bytes, &s, err));
    cuzk_status st;
    if (form_of(op).form == CUZK_CUDA_MSM_OF_IMAGES) {
        st = cuzk_cuda_msm_images_g1_enqueue(s->msm, q->q, bases, op->u.msm.d_images,
                                             op->u.msm.d_scalars, n, err);
    } else if (op->kind == CUZK_ACCEL_OP_MSM_G1) {
        st = cuzk_cuda_msm_g1_enqueue(s->msm, q->q, bases, op->u.msm.d_scalars, n, err);
    } else if (op->kind == CUZK_ACCEL_OP_MSM_G2) {
        st = cuzk_cuda_msm_g2_enqueue(s->msm, q->q, bases, op->u.msm.d_scalars, n, err);
    } else if (is_signs(op)) {
        st = cuzk_cuda_msm_signs_enqueue(s->msm, q->q,
                                         is_g2(op) ? CUZK_CUDA_MSM_G2 : CUZK_CUDA_MSM_G1, bases,
                                         op->u.msm.d_bits, n, op->u.msm.teeth, err);
    } else if (op->kind == CUZK_ACCEL_OP_BITS_G1) {
        st = cuzk_cuda_msm_bits_g1_enqueue(s->msm, q->q, bases, op->u.msm.d_bits, n, err);
    } else {
        st = cuzk_cuda_msm_bits_g2_enqueue(s->msm, q->q, bases, op->u.msm.d_bits, n, err);
    }
    if (st == CUZK_OK) {
        s->out = op->u.msm.sum;
        s->out->is_g2 = s->g2;
        s->number = q->n_sums++;
    }
    return st;
}

cuzk_status gpu_collect(gpu_queue *q, cuzk_err *err)
{
    cuzk_status st = CUZK_OK;
    for (size_t i = 0; i < GPU_SUMS && st == CUZK_OK; i++) {
        if (q->sums[i].out != NULL) {
            st = finish_sum(&q->sums[i], err);
        }
    }
    if (st == CUZK_OK && q->decoding != NULL) {
        uint64_t report = 0;
        st = cuzk_cuda_download(q->q, &report, q->d_report, sizeof(report), err);
        if (st == CUZK_OK) {
            st = cuzk_cuda_srs_report_status(report, q->decoding, err);
        }
        q->decoding = NULL;
    }
    if (st != CUZK_OK) {
        gpu_drop(q);
    }
    return st;
}

void gpu_drop(gpu_queue *q)
{
    cuzk_accel_sum nowhere;
    for (size_t i = 0; i < GPU_SUMS; i++) {
        if (q->sums[i].out != NULL) {
            q->sums[i].out = &nowhere; /* the caller's is not written after a failure */
            cuzk_ignore(finish_sum(&q->sums[i], NULL));
        }
    }
    q->decoding = NULL;
}

void gpu_release_sums(gpu_queue *q)
{
    for (size_t i = 0; i < GPU_SUMS; i++) {
        cuzk_cuda_msm_destroy(q->sums[i].msm, q->q);
        q->sums[i].msm = NULL;
    }
}

static cuzk_status enqueue_copy(gpu_queue *q, const cuzk_accel_op *op, cuzk_err *err)
{
    static const enum cudaMemcpyKind kinds[] = {cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost,
                                                cudaMemcpyDeviceToDevice};
    if (op->u.copy.bytes == 0) {
        return CUZK_OK;
    }
    CUZK_TRY(CUZK_CUDA(cudaSetDevice(q->q->device), err));
    if (op->kind == CUZK_ACCEL_OP_ZERO) {
        return CUZK_CUDA(cudaMemsetAsync(op->u.copy.d_dst, 0, op->u.copy.bytes, q->q->stream), err);
    }
    return CUZK_CUDA(cudaMemcpyAsync(op->u.copy.d_dst, op->u.copy.src, op->u.copy.bytes,
                                     kinds[op->kind], q->q->stream),
                     err);
}

static cuzk_status reserve_staging(gpu_queue *q, uint64_t bytes, cuzk_err *err)
{
    if (bytes <= q->staging_bytes) {
        return CUZK_CUDA(cudaEventSynchronize(q->staged), err);
    }
    CUZK_TRY(cuzk_cuda_queue_sync(q->q, err));
    if (q->staging != NULL) {
        (void)cudaFreeHost(q->staging);
    }
    q->staging = NULL;
    q->staging_bytes = 0;
    CUZK_TRY(CUZK_CUDA(cudaHostAlloc(&q->staging, bytes, cudaHostAllocPortable), err));
    q->staging_bytes = bytes;
    return CUZK_OK;
}

static cuzk_status enqueue_witness(gpu_queue *q, const cuzk_accel_op *op, cuzk_err *err)
{
    const gpu_circuit *c = (const gpu_circuit *)(const void *)op->u.witness.circuit;
    CUZK_TRY(CUZK_CUDA(cudaSetDevice(q->q->device), err));
    if (op->u.witness.pinned) {
        return cuzk_cuda_witness_upload(c->circuit, q->q, op->u.witness.d_out, op->u.witness.w,
                                        NULL, err);
    }
    CUZK_TRY(reserve_staging(q, cuzk_cuda_witness_staging_bytes(c->base.circuit), err));
    CUZK_TRY(cuzk_cuda_witness_upload(c->circuit, q->q, op->u.witness.d_out, op->u.witness.w,
                                      q->staging, err));
    return CUZK_CUDA(cudaEventRecord(q->staged, q->q->stream), err);
}

static cuzk_status enqueue_ntt(gpu_queue *q, const cuzk_accel_op *op, cuzk_err *err)
{
    const gpu_domain *d = (const gpu_domain *)(const void *)op->u.ntt.domain;
    const cuzk_fr *shift = cuzk_fr_is_one(&op->u.ntt.shift) ? NULL : &op->u.ntt.shift;
    if (op->kind == CUZK_ACCEL_OP_INTT) {
        return cuzk_cuda_ntt_inverse(d->ntt, q->q, op->u.ntt.d_a, CUZK_CUDA_NR, shift, err);
    }
    return cuzk_cuda_ntt_to_coset(d->ntt, q->q, op->u.ntt.d_a, &op->u.ntt.shift, err);
}

static cuzk_status enqueue_poly(gpu_queue *q, const cuzk_accel_op *op, cuzk_err *err)
{
    const gpu_domain *d = (const gpu_domain *)(const void *)op->u.poly.domain;
    if (op->kind == CUZK_ACCEL_OP_PRODUCT) {
        return cuzk_cuda_ntt_product(d->ntt, q->q, op->u.poly.d_out, op->u.poly.d_a, op->u.poly.d_b,
                                     &op->u.poly.k, err);
    }
    return cuzk_cuda_ntt_quotient(d->ntt, q->q, op->u.poly.d_out, op->u.poly.d_a, op->u.poly.d_b,
                                  op->u.poly.d_c, &op->u.poly.shift, &op->u.poly.k, err);
}

static cuzk_status enqueue_vec(gpu_queue *q, const cuzk_accel_op *op, cuzk_err *err)
{
    cuzk_fr *out = op->u.vec.d_out;
    const cuzk_fr *a = op->u.vec.d_a, *b = op->u.vec.d_b, *c = op->u.vec.d_c;
    const uint64_t n = op->u.vec.n;
    if (op->kind == CUZK_ACCEL_OP_MUL) {
        return cuzk_cuda_vec_mul(q->q, out, a, b, n, err);
    }
    if (op->kind == CUZK_ACCEL_OP_DIFF) {
        return cuzk_cuda_vec_diff(q->q, out, a, b, &op->u.vec.k, n, err);
    }
    if (op->kind == CUZK_ACCEL_OP_REVERSE) {
        return cuzk_cuda_vec_reverse(q->q, out, n, err);
    }
    return cuzk_cuda_vec_residue(q->q, out, a, b, c, n, err);
}

static cuzk_status enqueue_section(gpu_queue *q, const cuzk_accel_op *op, cuzk_err *err)
{
    const gpu_circuit *c = (const gpu_circuit *)(const void *)op->u.section.circuit;
    const cuzk_srs_section wires = op->u.section.section;
    if (op->u.section.d_bits != NULL) {
        CUZK_TRY(cuzk_cuda_sections_gather_bits(c->sections, q->q, op->u.section.d_witness, wires,
                                                op->u.section.d_bits, err));
    }
    return op->u.section.d_scalars == NULL
               ? CUZK_OK
               : cuzk_cuda_sections_gather_fulls(c->sections, q->q, op->u.section.d_witness, wires,
                                                 op->u.section.d_scalars, err);
}

static cuzk_status enqueue_split(gpu_queue *q, const cuzk_accel_op *op, cuzk_err *err)
{
    const gpu_circuit *c = (const gpu_circuit *)(const void *)op->u.split.circuit;
    const cuzk_srs_section wires = op->u.split.section;
    const uint64_t first = op->u.split.first;
    const uint64_t bit = cuzk_cuda_sections_bits_before(c->sections, wires, first);
    const uint64_t bits_at = bit - op->u.split.bit_slot;
    const uint64_t fulls_at = first - bit - op->u.split.full_slot;
    if (op->kind == CUZK_ACCEL_OP_SPLIT_G1) {
        return cuzk_cuda_sections_split_g1(c->sections, q->q, wires, first, op->u.split.n,
                                           (cuzk_g1_affine *)op->u.split.d_bits + bits_at,
                                           (cuzk_g1_affine *)op->u.split.d_fulls + fulls_at,
                                           op->u.split.d_points, err);
    }
    return cuzk_cuda_sections_split_g2(c->sections, q->q, wires, first, op->u.split.n,
                                       (cuzk_g2_affine *)op->u.split.d_bits + bits_at,
                                       (cuzk_g2_affine *)op->u.split.d_fulls + fulls_at,
                                       op->u.split.d_points, err);
}

static cuzk_status enqueue_decode(gpu_queue *q, const cuzk_accel_op *op, cuzk_err *err)
{
    if (q->decoding == NULL) {
        CUZK_TRY(cuzk_cuda_srs_report_reset(q->q, q->d_report, err));
    }
    q->decoding = op->u.decode.what;
    if (op->kind == CUZK_ACCEL_OP_DECODE_G1) {
        return cuzk_cuda_srs_decode_g1(q->q, op->u.decode.d_out, op->u.decode.d_in, op->u.decode.n,
                                       op->u.decode.first, op->u.decode.check, false, q->d_report,
                                       err);
    }
    return cuzk_cuda_srs_decode_g2(q->q, op->u.decode.d_out, op->u.decode.d_in, op->u.decode.n,
                                   op->u.decode.first, op->u.decode.check, false, q->d_report, err);
}

cuzk_status gpu_enqueue(cuzk_accel_queue *queue, const cuzk_accel_op *op, void *d_ws,
                        uint64_t ws_bytes, cuzk_err *err)
{
    gpu_queue *q = (gpu_queue *)(void *)queue;
    switch (op->kind) {
    case CUZK_ACCEL_OP_UPLOAD:
    case CUZK_ACCEL_OP_DOWNLOAD:
    case CUZK_ACCEL_OP_COPY:
    case CUZK_ACCEL_OP_ZERO: return enqueue_copy(q, op, err);
    case CUZK_ACCEL_OP_WITNESS: return enqueue_witness(q, op, err);
    case CUZK_ACCEL_OP_EVAL:
    case CUZK_ACCEL_OP_EVAL_TIMES: {
        const gpu_circuit *c = (const gpu_circuit *)(const void *)op->u.eval.circuit;
        return (op->kind == CUZK_ACCEL_OP_EVAL ? cuzk_cuda_eval : cuzk_cuda_eval_times)(
            c->circuit, q->q, op->u.eval.d_witness, op->u.eval.matrix, op->u.eval.d_out,
            op->u.eval.n_out, err);
    }
    case CUZK_ACCEL_OP_INTT:
    case CUZK_ACCEL_OP_TO_COSET: return enqueue_ntt(q, op, err);
    case CUZK_ACCEL_OP_MUL:
    case CUZK_ACCEL_OP_RESIDUE:
    case CUZK_ACCEL_OP_DIFF:
    case CUZK_ACCEL_OP_REVERSE: return enqueue_vec(q, op, err);
    case CUZK_ACCEL_OP_PRODUCT:
    case CUZK_ACCEL_OP_QUOTIENT: return enqueue_poly(q, op, err);
    case CUZK_ACCEL_OP_SECTION: return enqueue_section(q, op, err);
    case CUZK_ACCEL_OP_MSM_G1:
    case CUZK_ACCEL_OP_MSM_G2:
    case CUZK_ACCEL_OP_BITS_G1:
    case CUZK_ACCEL_OP_BITS_G2:
    case CUZK_ACCEL_OP_SIGNS_G1:
    case CUZK_ACCEL_OP_SIGNS_G2: return enqueue_sum(q, op, d_ws, ws_bytes, err);
    case CUZK_ACCEL_OP_COMB_G1:
    case CUZK_ACCEL_OP_COMB_G2:
        return cuzk_cuda_msm_comb_make(q->q, op->u.comb.d_points, op->u.comb.n, op->u.comb.teeth,
                                       op->kind == CUZK_ACCEL_OP_COMB_G2 ? CUZK_CUDA_MSM_G2
                                                                         : CUZK_CUDA_MSM_G1,
                                       d_ws, ws_bytes, err);
    case CUZK_ACCEL_OP_SPLIT_G1:
    case CUZK_ACCEL_OP_SPLIT_G2: return enqueue_split(q, op, err);
    case CUZK_ACCEL_OP_DECODE_G1:
    case CUZK_ACCEL_OP_DECODE_G2: return enqueue_decode(q, op, err);
    case CUZK_ACCEL_OP_IMAGES_G1:
        return cuzk_cuda_msm_make_images_g1(q->q, op->u.images.d_images, op->u.images.d_points,
                                            op->u.images.n, err);
    case CUZK_ACCEL_OPS: break;
    }
    return CUZK_FAIL(err, CUZK_E_UNSUPPORTED, "operation %d", (int)op->kind);
}
