/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The quotient of a witness on the device, as groth16/cpu/quotient.c has it, in as many vectors as the plan has memory for.
 * With three, every vector is made once. With two, the product on the coset is made first; then A and B are evaluated
 * once more, in place of the second vector, to the product on the domain. With one, the vector that has to wait is in
 * host memory and comes back in chunks.
 */
#include "device_run.h"

/* One quotient: d_w is the witness, a the vector in the scratch, b the values, c a second one of the scratch. */
typedef struct job {
    device_run *r;
    const uint8_t *d_w;
    cuzk_fr *a, *b, *c;
    cuzk_fr shift, factor; /* of the coset; 1 / (shift^m - 1) */
    uint32_t witness;
    bool odd; /* snarkjs' form: values on the odd coset */
} job;

static cuzk_status run_op(const job *j, const cuzk_accel_op *op, cuzk_err *err)
{
    const device_run *r = j->r;
    return cuzk_accel_enqueue(r->lane->q, op, r->d + r->plan.at_h, r->plan.quotient_work, err);
}

static cuzk_status eval(const job *j, cuzk_accel_op_kind kind, cuzk_fr *d_out, cuzk_matrix_id m,
                        cuzk_err *err)
{
    const cuzk_device_key *k = j->r->k;
    const cuzk_accel_op op = {.kind = kind,
                              .u.eval = {.circuit = k->dc,
                                         .d_witness = j->d_w,
                                         .d_out = d_out,
                                         .n_out = (uint64_t)1 << k->lg,
                                         .matrix = m}};
    CUZK_TRY(run_op(j, &op, err));
    return device_run_mark(j->r, m == CUZK_MATRIX_A ? PHASE_EVAL_A : PHASE_EVAL_B, j->witness, err);
}

static cuzk_status ntt(const job *j, cuzk_accel_op_kind kind, cuzk_fr *d_a, const cuzk_fr *shift,
                       int phase, cuzk_err *err)
{
    const cuzk_accel_op op = {.kind = kind,
                              .u.ntt = {.domain = j->r->k->domain, .d_a = d_a, .shift = *shift}};
    CUZK_TRY(run_op(j, &op, err));
    return device_run_mark(j->r, phase, j->witness, err);
}

/* Elements [at, at + n) of vectors; b may be elsewhere. */
static cuzk_status vec(const job *j, cuzk_accel_op_kind kind, cuzk_fr *out, const cuzk_fr *a,
                       const cuzk_fr *b, const cuzk_fr *c, uint64_t n, cuzk_err *err)
{
    const cuzk_accel_op op = {
        .kind = kind,
        .u.vec = {.d_out = out, .d_a = a, .d_b = b, .d_c = c, .n = n, .k = j->factor}};
    return run_op(j, &op, err);
}

static uint64_t length(const job *j)
{
    return (uint64_t)1 << j->r->k->lg;
}

/* Three vectors: six transforms with everything else at their ends. */
static cuzk_status poly(const job *j, cuzk_accel_op_kind kind, cuzk_scalar *out, int phase,
                        cuzk_err *err)
{
    const cuzk_accel_op op = {.kind = kind,
                              .u.poly = {.domain = j->r->k->domain,
                                         .d_out = out,
                                         .d_a = j->a,
                                         .d_b = j->b,
                                         .d_c = (cuzk_scalar *)(void *)j->c,
                                         .shift = j->shift,
                                         .k = j->factor}};
    CUZK_TRY(run_op(j, &op, err));
    return device_run_mark(j->r, phase, j->witness, err);
}

static cuzk_status with_three(const job *j, cuzk_err *err)
{
    CUZK_TRY(eval(j, CUZK_ACCEL_OP_EVAL, j->a, CUZK_MATRIX_A, err));
    CUZK_TRY(eval(j, CUZK_ACCEL_OP_EVAL, j->b, CUZK_MATRIX_B, err));
    if (j->odd) {
        CUZK_TRY(vec(j, CUZK_ACCEL_OP_MUL, j->c, j->a, j->b, NULL, length(j), err));
        CUZK_TRY(device_run_mark(j->r, PHASE_MUL_C, j->witness, err));
        CUZK_TRY(ntt(j, CUZK_ACCEL_OP_TO_COSET, j->c, &j->shift, PHASE_INTT_C, err));
    } else {
        CUZK_TRY(poly(j, CUZK_ACCEL_OP_PRODUCT, (cuzk_scalar *)(void *)j->c, PHASE_INTT_C, err));
    }
    CUZK_TRY(ntt(j, CUZK_ACCEL_OP_TO_COSET, j->a, &j->shift, PHASE_COSET_A, err));
    CUZK_TRY(ntt(j, CUZK_ACCEL_OP_TO_COSET, j->b, &j->shift, PHASE_COSET_B, err));
    if (j->odd) {
        CUZK_TRY(vec(j, CUZK_ACCEL_OP_RESIDUE, j->b, j->a, j->b, j->c, length(j), err));
        return device_run_mark(j->r, PHASE_QUOTIENT, j->witness, err);
    }
    return poly(j, CUZK_ACCEL_OP_QUOTIENT, (cuzk_scalar *)(void *)j->b, PHASE_QUOTIENT, err);
}

/* Minuend of the difference: a product on the coset, or its coefficients. */
static cuzk_status finish_product(const job *j, cuzk_fr *d, cuzk_err *err)
{
    return j->odd ? CUZK_OK : ntt(j, CUZK_ACCEL_OP_INTT, d, &j->shift, PHASE_QUOTIENT, err);
}

/* The product of A and B on the domain, in d, to the form of finish_product's. */
static cuzk_status other_product(const job *j, cuzk_fr *d, cuzk_err *err)
{
    CUZK_TRY(eval(j, CUZK_ACCEL_OP_EVAL, d, CUZK_MATRIX_A, err));
    CUZK_TRY(eval(j, CUZK_ACCEL_OP_EVAL_TIMES, d, CUZK_MATRIX_B, err));
    return j->odd ? ntt(j, CUZK_ACCEL_OP_TO_COSET, d, &j->shift, PHASE_INTT_C, err)
                  : ntt(j, CUZK_ACCEL_OP_INTT, d, &CUZK_FR_ONE, PHASE_INTT_C, err);
}

/* Coefficients are in bit-reversed order until here. */
static cuzk_status end(const job *j, cuzk_err *err)
{
    if (!j->odd) {
        CUZK_TRY(vec(j, CUZK_ACCEL_OP_REVERSE, j->b, NULL, NULL, NULL, length(j), err));
    }
    return device_run_mark(j->r, PHASE_QUOTIENT, j->witness, err);
}

static cuzk_status with_two(const job *j, cuzk_err *err)
{
    CUZK_TRY(eval(j, CUZK_ACCEL_OP_EVAL, j->a, CUZK_MATRIX_A, err));
    CUZK_TRY(ntt(j, CUZK_ACCEL_OP_TO_COSET, j->a, &j->shift, PHASE_COSET_A, err));
    CUZK_TRY(eval(j, CUZK_ACCEL_OP_EVAL, j->b, CUZK_MATRIX_B, err));
    CUZK_TRY(ntt(j, CUZK_ACCEL_OP_TO_COSET, j->b, &j->shift, PHASE_COSET_B, err));
    CUZK_TRY(vec(j, CUZK_ACCEL_OP_MUL, j->b, j->a, j->b, NULL, length(j), err));
    CUZK_TRY(finish_product(j, j->b, err));
    CUZK_TRY(other_product(j, j->a, err));
    CUZK_TRY(vec(j, CUZK_ACCEL_OP_DIFF, j->b, j->b, j->a, NULL, length(j), err));
    return end(j, err);
}

/* Copies the vector to its place in host memory. */
static cuzk_status to_host(const job *j, cuzk_err *err)
{
    const cuzk_accel_op op = {
        .kind = CUZK_ACCEL_OP_DOWNLOAD,
        .u.copy = {.d_dst = j->r->lane->vector, .src = j->b, .bytes = length(j) * sizeof(cuzk_fr)}};
    return run_op(j, &op, err);
}

/* MUL or DIFF of the vector in host memory and the one on the device, into the latter, chunk by chunk. */
static cuzk_status with_host(const job *j, cuzk_accel_op_kind kind, cuzk_err *err)
{
    const uint64_t chunk = j->r->plan.chunk / sizeof(cuzk_fr);
    for (uint64_t at = 0; at < length(j); at += chunk) {
        const uint64_t n = length(j) - at < chunk ? length(j) - at : chunk;
        const cuzk_accel_op up = {.kind = CUZK_ACCEL_OP_UPLOAD,
                                  .u.copy = {.d_dst = j->a,
                                             .src = j->r->lane->vector + at * sizeof(cuzk_fr),
                                             .bytes = n * sizeof(cuzk_fr)}};
        CUZK_TRY(run_op(j, &up, err));
        CUZK_TRY(vec(j, kind, j->b + at, j->a, j->b + at, NULL, n, err));
    }
    return CUZK_OK;
}

static cuzk_status with_one(const job *j, cuzk_err *err)
{
    CUZK_TRY(eval(j, CUZK_ACCEL_OP_EVAL, j->b, CUZK_MATRIX_A, err));
    CUZK_TRY(ntt(j, CUZK_ACCEL_OP_TO_COSET, j->b, &j->shift, PHASE_COSET_A, err));
    CUZK_TRY(to_host(j, err));
    CUZK_TRY(eval(j, CUZK_ACCEL_OP_EVAL, j->b, CUZK_MATRIX_B, err));
    CUZK_TRY(ntt(j, CUZK_ACCEL_OP_TO_COSET, j->b, &j->shift, PHASE_COSET_B, err));
    CUZK_TRY(with_host(j, CUZK_ACCEL_OP_MUL, err));
    CUZK_TRY(finish_product(j, j->b, err));
    CUZK_TRY(to_host(j, err));
    CUZK_TRY(other_product(j, j->b, err));
    CUZK_TRY(with_host(j, CUZK_ACCEL_OP_DIFF, err));
    return end(j, err);
}

cuzk_status device_run_quotient(device_run *r, const uint8_t *d_witness, uint32_t place,
                                uint32_t witness, cuzk_err *err)
{
    const cuzk_device_key *k = r->k;
    uint8_t *const scratch = r->d + r->plan.at_h + r->plan.quotient_work;
    job j = {.r = r,
             .d_w = d_witness,
             .a = (cuzk_fr *)(void *)scratch,
             .b = (cuzk_fr *)(void *)device_run_values(r, place),
             .c = (cuzk_fr *)(void *)(scratch + r->plan.vector),
             .shift = CUZK_FR_GENERATOR,
             .factor = CUZK_FR_ONE,
             .witness = witness,
             .odd = k->quotient == CUZK_QUOTIENT_ODD_COSET};
    if (j.odd) {
        cuzk_fr_root_of_unity(&j.shift, &CUZK_FR_ROOT_2_32_SNARKJS, k->lg + 1);
    } else {
        cuzk_fr_pow_u64(&j.factor, &j.shift, (uint64_t)1 << k->lg);
        cuzk_fr_sub(&j.factor, &j.factor, &CUZK_FR_ONE);
        cuzk_fr_inv(&j.factor, &j.factor);
    }
    return r->plan.vectors == 3   ? with_three(&j, err)
           : r->plan.vectors == 2 ? with_two(&j, err)
                                  : with_one(&j, err);
}
