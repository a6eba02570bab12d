/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The operations, by the CPU's own code. */
#include <string.h>

#include "base/alloc.h"
#include "ec/endo.h"
#include "ff/vec/fr_vec.h"
#include "msm/msm.h"

#include "cpu_internal.h"

#define GRAIN 4096

static cuzk_status vec_range(void *arg, size_t begin, size_t end, unsigned worker)
{
    const cuzk_accel_op *op = arg;
    cuzk_fr *out = op->u.vec.d_out + begin;
    const cuzk_fr *a = op->u.vec.d_a + begin;
    const size_t n = end - begin;
    (void)worker;
    if (op->kind == CUZK_ACCEL_OP_MUL) {
        cuzk_fr_vec_mul(out, a, op->u.vec.d_b + begin, n);
    } else if (op->kind == CUZK_ACCEL_OP_DIFF) {
        for (size_t i = 0; i < n; i++) {
            cuzk_fr_sub(&out[i], &a[i], &op->u.vec.d_b[begin + i]);
        }
        cuzk_fr_vec_scale(out, out, &op->u.vec.k, n);
        cuzk_fr_vec_to_scalar((cuzk_scalar *)(void *)out, out, n);
    } else {
        cuzk_fr_vec_mul_sub(out, a, op->u.vec.d_b + begin, op->u.vec.d_c + begin, n);
        cuzk_fr_vec_to_scalar((cuzk_scalar *)(void *)out, out, n);
    }
    return CUZK_OK;
}

static cuzk_status run_vec(cpu_device *d, const cuzk_accel_op *op, cuzk_err *err)
{
    cuzk_accel_op copy = *op;
    const cuzk_status st = cuzk_parallel_for(d->pool, NULL, op->u.vec.n, GRAIN, vec_range, &copy);
    if (st != CUZK_OK) {
        return CUZK_FAIL(err, st, "vector operation: %s", cuzk_status_text(st));
    }
    return CUZK_OK;
}

static cuzk_status run_reverse(cpu_device *d, const cuzk_accel_op *op, cuzk_err *err)
{
    unsigned lg = 0;
    while (op->u.vec.n >> lg > 1) {
        lg++;
    }
    return cuzk_ntt_reverse(op->u.vec.d_out, lg, d->pool, NULL, err);
}

static cuzk_status run_eval(cpu_device *d, const cuzk_accel_op *op, cuzk_err *err)
{
    const cuzk_witness w = cpu_witness_view(op->u.eval.circuit->circuit, op->u.eval.d_witness);
    const uint64_t n = op->u.eval.n_out;
    if (op->kind == CUZK_ACCEL_OP_EVAL) {
        return cuzk_r1cs_eval(op->u.eval.d_out, n, &w, op->u.eval.matrix, d->pool, NULL, err);
    }
    cuzk_fr *values = cuzk_alloc(n, sizeof(*values));
    if (values == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for %llu rows", (unsigned long long)n);
    }
    const cuzk_status st = cuzk_r1cs_eval(values, n, &w, op->u.eval.matrix, d->pool, NULL, err);
    if (st == CUZK_OK) {
        cuzk_fr_vec_mul(op->u.eval.d_out, op->u.eval.d_out, values, n);
    }
    cuzk_free(values);
    return st;
}

/* out = k times out as scalars, for QUOTIENT less c. */
static cuzk_status poly_range(void *arg, size_t begin, size_t end, unsigned worker)
{
    const cuzk_accel_op *op = arg;
    cuzk_fr *out = (cuzk_fr *)(void *)op->u.poly.d_out;
    const cuzk_fr *c = (const cuzk_fr *)(const void *)op->u.poly.d_c;
    (void)worker;
    cuzk_fr_vec_scale(out + begin, out + begin, &op->u.poly.k, end - begin);
    cuzk_fr_vec_to_scalar(op->u.poly.d_out + begin, out + begin, end - begin);
    for (size_t i = begin; op->kind == CUZK_ACCEL_OP_QUOTIENT && i < end; i++) {
        cuzk_fr_sub(&out[i], &out[i], &c[i]); /* integers < r */
    }
    return CUZK_OK;
}

static cuzk_status run_poly(cpu_device *d, const cuzk_accel_op *op, cuzk_err *err)
{
    const cpu_domain *dom = (const cpu_domain *)(const void *)op->u.poly.domain;
    cuzk_fr *out = (cuzk_fr *)(void *)op->u.poly.d_out;
    const bool coset = op->kind == CUZK_ACCEL_OP_QUOTIENT;
    const unsigned lg = cuzk_ntt_domain_lg(dom->ntt);
    cuzk_accel_op copy = *op;
    cuzk_accel_op mul = {
        .kind = CUZK_ACCEL_OP_MUL,
        .u.vec = {
            .d_out = out, .d_a = op->u.poly.d_a, .d_b = op->u.poly.d_b, .n = (uint64_t)1 << lg}};
    CUZK_TRY(run_vec(d, &mul, err));
    CUZK_TRY(cuzk_ntt_inverse(dom->ntt, out, CUZK_NTT_NR, coset ? &op->u.poly.shift : NULL, d->pool,
                              NULL, err));
    const cuzk_status st = cuzk_parallel_for(d->pool, NULL, mul.u.vec.n, GRAIN, poly_range, &copy);
    if (st != CUZK_OK) {
        return CUZK_FAIL(err, st, "coefficients of a product: %s", cuzk_status_text(st));
    }
    return coset ? cuzk_ntt_reverse(out, lg, d->pool, NULL, err) : CUZK_OK;
}

static cuzk_status run_ntt(cpu_device *d, const cuzk_accel_op *op, cuzk_err *err)
{
    const cpu_domain *dom = (const cpu_domain *)(const void *)op->u.ntt.domain;
    if (op->kind == CUZK_ACCEL_OP_TO_COSET) {
        return cuzk_ntt_to_coset(dom->ntt, op->u.ntt.d_a, &op->u.ntt.shift, d->pool, NULL, err);
    }
    const cuzk_fr *shift = cuzk_fr_is_one(&op->u.ntt.shift) ? NULL : &op->u.ntt.shift;
    return cuzk_ntt_inverse(dom->ntt, op->u.ntt.d_a, CUZK_NTT_NR, shift, d->pool, NULL, err);
}

static cuzk_status run_msm(cpu_device *d, const cuzk_accel_op *op, cuzk_err *err)
{
    cuzk_accel_sum s;
    memset(&s, 0, sizeof(s));
    s.is_g2 = op->kind == CUZK_ACCEL_OP_MSM_G2 || op->kind == CUZK_ACCEL_OP_BITS_G2;
    const void *bases = op->u.msm.d_bases;
    const uint64_t *bits = op->u.msm.d_bits;
    const cuzk_scalar *k = op->u.msm.d_scalars;
    const size_t n = op->u.msm.n;
    if (op->kind == CUZK_ACCEL_OP_MSM_G1) {
        CUZK_TRY(cuzk_msm_g1(&s.v.g1, bases, k, n, 255, d->pool, NULL, err));
    } else if (op->kind == CUZK_ACCEL_OP_MSM_G2) {
        CUZK_TRY(cuzk_msm_g2(&s.v.g2, bases, k, n, 255, d->pool, NULL, err));
    } else if (op->kind == CUZK_ACCEL_OP_BITS_G1) {
        CUZK_TRY(cuzk_msm_bits_g1(&s.v.g1, bases, bits, n, d->pool, NULL, err));
    } else {
        CUZK_TRY(cuzk_msm_bits_g2(&s.v.g2, bases, bits, n, d->pool, NULL, err));
    }
    *op->u.msm.sum = s;
    return CUZK_OK;
}

static cuzk_status decode_one(const cuzk_accel_op *op, uint64_t i, bool g2)
{
    cuzk_status st;
    bool infinity;
    if (g2) {
        cuzk_g2_affine *p = (cuzk_g2_affine *)op->u.decode.d_out + i;
        st = cuzk_g2_decode_uncompressed(p, op->u.decode.d_in + i * CUZK_G2_UNCOMPRESSED_BYTES,
                                         op->u.decode.check);
        infinity = st == CUZK_OK && cuzk_g2_affine_is_infinity(p);
    } else {
        cuzk_g1_affine *p = (cuzk_g1_affine *)op->u.decode.d_out + i;
        st = cuzk_g1_decode_uncompressed(p, op->u.decode.d_in + i * CUZK_G1_UNCOMPRESSED_BYTES,
                                         op->u.decode.check);
        infinity = st == CUZK_OK && cuzk_g1_affine_is_infinity(p);
    }
    return infinity ? CUZK_E_INFINITY : st;
}

static cuzk_status run_decode(const cuzk_accel_op *op, cuzk_err *err)
{
    const bool g2 = op->kind == CUZK_ACCEL_OP_DECODE_G2;
    for (uint64_t i = 0; i < op->u.decode.n; i++) {
        const cuzk_status st = decode_one(op, i, g2);
        if (st != CUZK_OK) {
            return CUZK_FAIL(err, st, "section %s, point %llu: %s", op->u.decode.what,
                             (unsigned long long)(op->u.decode.first + i), cuzk_status_text(st));
        }
    }
    return CUZK_OK;
}

/* For the mock device: nothing here sums faster with them. */
static void run_images(const cuzk_accel_op *op)
{
    const cuzk_g1_affine *p = op->u.images.d_points;
    cuzk_fp *out = op->u.images.d_images;
    for (uint64_t i = 0; i < op->u.images.n; i++) {
        cuzk_fp_mul(&out[2 * i], &p[i].x, &CUZK_ENDO_BETA);
        cuzk_fp_mul(&out[2 * i + 1], &out[2 * i], &CUZK_ENDO_BETA);
    }
}

static void run_copy(const cuzk_accel_op *op)
{
    if (op->u.copy.bytes == 0) {
        return;
    }
    if (op->kind == CUZK_ACCEL_OP_ZERO) {
        memset(op->u.copy.d_dst, 0, op->u.copy.bytes);
    } else {
        memcpy(op->u.copy.d_dst, op->u.copy.src, op->u.copy.bytes);
    }
}

cuzk_status cpu_run(cpu_device *d, const cuzk_accel_op *op, cuzk_err *err)
{
    switch (op->kind) {
    case CUZK_ACCEL_OP_UPLOAD:
    case CUZK_ACCEL_OP_DOWNLOAD:
    case CUZK_ACCEL_OP_COPY:
    case CUZK_ACCEL_OP_ZERO: run_copy(op); return CUZK_OK;
    case CUZK_ACCEL_OP_WITNESS:
        cpu_witness_store(op->u.witness.circuit->circuit, op->u.witness.d_out, op->u.witness.w);
        return CUZK_OK;
    case CUZK_ACCEL_OP_EVAL:
    case CUZK_ACCEL_OP_EVAL_TIMES: return run_eval(d, op, err);
    case CUZK_ACCEL_OP_INTT:
    case CUZK_ACCEL_OP_TO_COSET: return run_ntt(d, op, err);
    case CUZK_ACCEL_OP_MUL:
    case CUZK_ACCEL_OP_DIFF:
    case CUZK_ACCEL_OP_RESIDUE: return run_vec(d, op, err);
    case CUZK_ACCEL_OP_REVERSE: return run_reverse(d, op, err);
    case CUZK_ACCEL_OP_PRODUCT:
    case CUZK_ACCEL_OP_QUOTIENT: return run_poly(d, op, err);
    case CUZK_ACCEL_OP_SECTION: {
        const cuzk_accel_circuit *c = op->u.section.circuit;
        const cuzk_witness w = cpu_witness_view(c->circuit, op->u.section.d_witness);
        cpu_section_values((const cpu_circuit *)(const void *)c, op->u.section.section, &w,
                           op->u.section.d_bits, op->u.section.d_scalars);
        return CUZK_OK;
    }
    case CUZK_ACCEL_OP_MSM_G1:
    case CUZK_ACCEL_OP_MSM_G2:
    case CUZK_ACCEL_OP_BITS_G1:
    case CUZK_ACCEL_OP_BITS_G2: return run_msm(d, op, err);
    case CUZK_ACCEL_OP_SIGNS_G1:
    case CUZK_ACCEL_OP_SIGNS_G2: cpu_sum_signs(op); return CUZK_OK;
    case CUZK_ACCEL_OP_COMB_G1:
    case CUZK_ACCEL_OP_COMB_G2: return cpu_make_comb(op, err);
    case CUZK_ACCEL_OP_DECODE_G1:
    case CUZK_ACCEL_OP_DECODE_G2: return run_decode(op, err);
    case CUZK_ACCEL_OP_SPLIT_G1: cpu_split_points(op, sizeof(cuzk_g1_affine)); return CUZK_OK;
    case CUZK_ACCEL_OP_SPLIT_G2: cpu_split_points(op, sizeof(cuzk_g2_affine)); return CUZK_OK;
    case CUZK_ACCEL_OP_IMAGES_G1: run_images(op); return CUZK_OK;
    case CUZK_ACCEL_OPS: break;
    }
    return CUZK_FAIL(err, CUZK_E_UNSUPPORTED, "operation %d", (int)op->kind);
}
