/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The quotient of a satisfied witness takes six transforms instead of bellperson's seven: with
 * c = a b on the domain, C = A B mod (X^m - 1). Write A B = lo + X^m hi. Then C = lo + hi, and
 * interpolating the product on the coset g D gives P = lo + g^m hi, so that
 * h = (A B - C)/(X^m - 1) = hi = (P - C)/(g^m - 1), coefficient by coefficient.
 * For an unsatisfied witness this is the quotient of another C, and the proof does not verify.
 */
#include <string.h>

#include "base/alloc.h"
#include "ff/vec/fr_vec.h"
#include "groth16/cpu/prove.h"
#include "ntt/ntt.h"

#define GRAIN 4096

typedef struct pointwise_job {
    cuzk_fr *out;
    const cuzk_fr *a, *b, *c;
    cuzk_fr k;
} pointwise_job;

static cuzk_status product_range(void *arg, size_t begin, size_t end, unsigned worker)
{
    const pointwise_job *j = arg;
    (void)worker;
    cuzk_fr_vec_mul(j->out + begin, j->a + begin, j->b + begin, end - begin);
    return CUZK_OK;
}

/* out = a b - c. */
static cuzk_status residue_range(void *arg, size_t begin, size_t end, unsigned worker)
{
    const pointwise_job *j = arg;
    (void)worker;
    cuzk_fr_vec_mul_sub(j->out + begin, j->a + begin, j->b + begin, j->c + begin, end - begin);
    return CUZK_OK;
}

/* out = (a - c) k. */
static cuzk_status difference_range(void *arg, size_t begin, size_t end, unsigned worker)
{
    const pointwise_job *j = arg;
    (void)worker;
    cuzk_fr_vec_sub_scale(j->out + begin, j->a + begin, j->c + begin, &j->k, end - begin);
    return CUZK_OK;
}

static cuzk_status pointwise(cuzk_range_fn fn, pointwise_job *j, size_t m, cuzk_pool *pool,
                             const cuzk_cancel *cancel, cuzk_err *err)
{
    const cuzk_status st = cuzk_parallel_for(pool, cancel, m, GRAIN, fn, j);
    if (st != CUZK_OK) {
        return CUZK_FAIL(err, st, "quotient: %s", cuzk_status_text(st));
    }
    return CUZK_OK;
}

typedef struct quotient_run {
    const cuzk_ntt_domain *d;
    cuzk_fr *a, *b, *c; /* evaluations on the domain; b is also the output */
    size_t m;
    cuzk_pool *pool;
    const cuzk_cancel *cancel;
} quotient_run;

/* Moves v from the domain to the coset. */
static cuzk_status to_coset(const quotient_run *q, cuzk_fr *v, const cuzk_fr *shift, cuzk_err *err)
{
    return cuzk_ntt_to_coset(q->d, v, shift, q->pool, q->cancel, err);
}

static cuzk_status coefficients(const quotient_run *q, cuzk_err *err)
{
    const cuzk_fr *g = &CUZK_FR_GENERATOR;
    pointwise_job j = {.out = q->a, .a = q->a, .b = q->b, .c = q->c};
    CUZK_TRY(cuzk_ntt_inverse(q->d, q->c, CUZK_NTT_NR, NULL, q->pool, q->cancel, err));
    CUZK_TRY(to_coset(q, q->a, g, err));
    CUZK_TRY(to_coset(q, q->b, g, err));
    CUZK_TRY(pointwise(product_range, &j, q->m, q->pool, q->cancel, err));
    CUZK_TRY(cuzk_ntt_inverse(q->d, q->a, CUZK_NTT_NR, g, q->pool, q->cancel, err));
    cuzk_fr_pow_u64(&j.k, g, q->m);
    cuzk_fr_sub(&j.k, &j.k, &CUZK_FR_ONE);
    cuzk_fr_inv(&j.k, &j.k);
    j.out = q->b;
    CUZK_TRY(pointwise(difference_range, &j, q->m, q->pool, q->cancel, err));
    return cuzk_ntt_reverse(q->b, cuzk_ntt_domain_lg(q->d), q->pool, q->cancel, err);
}

static cuzk_status odd_coset(const quotient_run *q, cuzk_err *err)
{
    cuzk_fr shift; /* w_2m */
    pointwise_job j = {.out = q->b, .a = q->a, .b = q->b, .c = q->c};
    cuzk_fr_root_of_unity(&shift, &CUZK_FR_ROOT_2_32_SNARKJS, cuzk_ntt_domain_lg(q->d) + 1);
    CUZK_TRY(to_coset(q, q->a, &shift, err));
    CUZK_TRY(to_coset(q, q->b, &shift, err));
    CUZK_TRY(to_coset(q, q->c, &shift, err));
    return pointwise(residue_range, &j, q->m, q->pool, q->cancel, err);
}

cuzk_status cuzk_quotient(cuzk_fr *h, const cuzk_witness *w, cuzk_quotient_kind kind,
                          cuzk_trace_ctx trace, cuzk_pool *pool, const cuzk_cancel *cancel,
                          cuzk_err *err)
{
    const unsigned lg = cuzk_circuit_lg_domain(w->circuit);
    if (lg >= CUZK_FR_TWO_ADICITY) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "circuit with %llu rows is too large for the field",
                         (unsigned long long)w->circuit->n_rows);
    }
    const size_t m = (size_t)1 << lg;
    cuzk_ntt_domain *d = NULL;
    cuzk_status st = CUZK_OK;
    cuzk_span eval = 0, ntt = 0;
    const cuzk_fr *root = kind == CUZK_QUOTIENT_ODD_COSET ? &CUZK_FR_ROOT_2_32_SNARKJS : NULL;
    cuzk_fr *a = cuzk_alloc(m, sizeof(*a));
    cuzk_fr *c = cuzk_alloc(m, sizeof(*c));
    pointwise_job j = {.out = c, .a = a, .b = h};
    quotient_run q = {NULL, a, h, c, m, pool, cancel};
    if (a == NULL || c == NULL) {
        st = CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for a quotient on 2^%u points", lg);
        goto out;
    }
    eval = cuzk_span_begin(trace, "eval", NULL);
    CUZK_TRY_GOTO(st, cuzk_r1cs_eval(a, m, w, CUZK_MATRIX_A, pool, cancel, err));
    CUZK_TRY_GOTO(st, cuzk_r1cs_eval(h, m, w, CUZK_MATRIX_B, pool, cancel, err));
    cuzk_span_end(trace, eval, 0);
    ntt = cuzk_span_begin(trace, "ntt", NULL);
    CUZK_TRY_GOTO(st, cuzk_ntt_domain_create(&d, lg, root, pool, err));
    CUZK_TRY_GOTO(st, pointwise(product_range, &j, m, pool, cancel, err));
    q.d = d;
    CUZK_TRY_GOTO(st, kind == CUZK_QUOTIENT_ODD_COSET ? odd_coset(&q, err) : coefficients(&q, err));
out:
    cuzk_ntt_domain_destroy(d);
    cuzk_free(a);
    cuzk_free(c);
    cuzk_span_end(trace, eval, 0); /* no effect when it has ended */
    cuzk_span_end(trace, ntt, 0);
    return st;
}
