/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "prover/prove/pipeline.h"

#include <pthread.h>
#include <string.h>

#include "base/alloc.h"

#define MANY_INPUTS 64u /* number of public inputs whose sum takes as long as the pairings */

struct cuzk_pipeline {
    const cuzk_filecoin_input *in;
    const cuzk_hashes *hashes;
    cuzk_pool *pool;
    pthread_mutex_t lock;
    pthread_cond_t checked;
    /* Under the lock. */
    cuzk_check_state check;
    cuzk_status check_st;
    cuzk_err check_err;
    cuzk_verify_inputs **sums; /* [n_partitions] NULL: not there */
};

cuzk_status cuzk_pipeline_create(cuzk_pipeline **out, const cuzk_filecoin_input *in,
                                 const cuzk_hashes *hashes, cuzk_pool *pool, cuzk_err *err)
{
    cuzk_pipeline *p = cuzk_alloc_zero(1, sizeof(*p));
    cuzk_verify_inputs **sums = cuzk_alloc_zero(in->n_partitions, sizeof(*sums));
    if (p == NULL || sums == NULL) {
        cuzk_free(p);
        cuzk_free(sums);
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory to prove %u partitions", in->n_partitions);
    }
    p->in = in;
    p->hashes = hashes;
    p->pool = pool;
    p->sums = sums;
    (void)pthread_mutex_init(&p->lock, NULL); /* default attributes: cannot fail */
    (void)pthread_cond_init(&p->checked, NULL);
    *out = p;
    return CUZK_OK;
}

void cuzk_pipeline_destroy(cuzk_pipeline *p)
{
    if (p != NULL) {
        for (uint32_t i = 0; i < p->in->n_partitions; i++) {
            cuzk_verify_inputs_destroy(p->sums[i]);
        }
        (void)pthread_mutex_destroy(&p->lock);
        (void)pthread_cond_destroy(&p->checked);
        cuzk_free(p->sums);
        cuzk_free(p);
    }
}

const cuzk_filecoin_input *cuzk_pipeline_input(const cuzk_pipeline *p)
{
    return p->in;
}

bool cuzk_pipeline_may_start(const cuzk_pipeline *p)
{
    return cuzk_filecoin_input_is_shaped(p->in);
}

cuzk_status cuzk_pipeline_check(cuzk_pipeline *p, const cuzk_cancel *cancel, cuzk_trace_ctx trace,
                                cuzk_err *err)
{
    cuzk_err inner = {.msg = ""};
    const cuzk_span span = cuzk_span_begin(trace, "check", NULL);
    const cuzk_status st = cuzk_filecoin_input_check(p->in, p->hashes, p->pool, cancel, &inner);
    cuzk_span_end(trace, span, 0);
    (void)pthread_mutex_lock(&p->lock);
    p->check = st == CUZK_OK ? CUZK_CHECK_PASSED : CUZK_CHECK_FAILED;
    p->check_st = st;
    p->check_err = inner;
    (void)pthread_cond_broadcast(&p->checked);
    (void)pthread_mutex_unlock(&p->lock);
    if (st != CUZK_OK && err != NULL) {
        *err = inner;
    }
    return st;
}

cuzk_status cuzk_pipeline_await_check(cuzk_pipeline *p, cuzk_err *err)
{
    (void)pthread_mutex_lock(&p->lock);
    while (p->check == CUZK_CHECK_PENDING) {
        (void)pthread_cond_wait(&p->checked, &p->lock);
    }
    const cuzk_status st = p->check_st;
    if (st != CUZK_OK && err != NULL) {
        *err = p->check_err;
    }
    (void)pthread_mutex_unlock(&p->lock);
    return st;
}

static cuzk_status fill(cuzk_placed_witness *placed, const cuzk_pipeline *p, uint32_t partition,
                        bool check_rows, const cuzk_cancel *cancel, cuzk_trace_ctx trace,
                        cuzk_err *err)
{
    cuzk_witness *w = cuzk_placed_begin(placed);
    cuzk_span span = cuzk_span_begin(trace, "witness_fill", NULL);
    cuzk_status st = cuzk_filecoin_input_fill(w, p->in, partition, p->hashes, p->pool, cancel, err);
    cuzk_span_end(trace, span, 0);
    if (st == CUZK_OK && check_rows) {
        span = cuzk_span_begin(trace, "check_rows", NULL);
        st = cuzk_r1cs_check(w, NULL, p->pool, cancel, err);
        cuzk_span_end(trace, span, 0);
    }
    cuzk_placed_end(placed);
    return st;
}

cuzk_status cuzk_pipeline_witness(cuzk_placed_witness **out, const cuzk_pipeline *p,
                                  const cuzk_circuit *circuit, uint32_t partition,
                                  const cuzk_witness_opts *opts, const cuzk_cancel *cancel,
                                  cuzk_trace_ctx trace, cuzk_err *err)
{
    cuzk_placed_witness *placed = NULL;
    if (circuit->n_inputs != p->in->spec.n_inputs) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "the circuit is not of the input's kind");
    }
    const cuzk_span span = cuzk_span_begin(trace, "witness_memory", NULL);
    cuzk_status st = cuzk_placed_take(&placed, opts->memory, circuit, err);
    cuzk_span_end(trace, span, 0);
    CUZK_TRY(st);
    st = fill(placed, p, partition, opts->check_rows, cancel, trace, err);
    cuzk_placed_end(placed);
    if (st != CUZK_OK) {
        cuzk_placed_give(placed);
        return st;
    }
    *out = placed;
    return CUZK_OK;
}

void cuzk_pipeline_sum_inputs(cuzk_pipeline *p, const cuzk_vk *vk, uint32_t partition,
                              cuzk_trace_ctx trace)
{
    cuzk_verify_inputs *sum = NULL;
    if (cuzk_vk_n_inputs(vk) < MANY_INPUTS || partition >= p->in->n_partitions) {
        return;
    }
    const cuzk_span span = cuzk_span_begin(trace, "public_inputs", NULL);
    if (cuzk_filecoin_input_claim(&sum, p->in, vk, partition, NULL) != CUZK_OK) {
        sum = NULL;
    }
    cuzk_span_end(trace, span, 0);
    (void)pthread_mutex_lock(&p->lock);
    if (p->sums[partition] == NULL) {
        p->sums[partition] = sum;
        sum = NULL;
    }
    (void)pthread_mutex_unlock(&p->lock);
    cuzk_verify_inputs_destroy(sum);
}

cuzk_status cuzk_pipeline_prove(uint8_t proof[CUZK_PROOF_BYTES], cuzk_placed_witness *witness,
                                const cuzk_srs *srs, cuzk_pool *pool, const cuzk_cancel *cancel,
                                cuzk_trace_ctx trace, cuzk_err *err)
{
    const cuzk_prove_opts opts = {.trace = trace};
    cuzk_proof p;
    const cuzk_witness *w = cuzk_placed_begin(witness);
    const cuzk_status st = cuzk_prove(&p, w, srs, &opts, pool, cancel, err);
    cuzk_placed_end(witness);
    if (st == CUZK_OK) {
        cuzk_proof_encode(proof, &p);
    }
    return st;
}

/* Witnesses of a running call. */
typedef struct awaited {
    const cuzk_device_call *call;
    cuzk_placed_witness *placed[CUZK_PIPELINE_MAX_BATCH]; /* NULL: not there yet */
    const cuzk_witness *in[CUZK_PIPELINE_MAX_BATCH];
} awaited;

static cuzk_status await_witness(void *arg, size_t i, const cuzk_witness **w, bool *pinned,
                                 cuzk_err *err)
{
    awaited *a = arg;
    if (a->placed[i] == NULL) {
        cuzk_placed_witness *placed = NULL;
        CUZK_TRY(a->call->await(a->call->await_arg, (uint32_t)i, &placed, err));
        a->in[i] = cuzk_placed_begin(placed);
        a->placed[i] = placed;
    }
    *w = a->in[i];
    *pinned = cuzk_placed_is_locked(a->placed[i]);
    return CUZK_OK;
}

cuzk_status cuzk_pipeline_prove_on_device(uint8_t (*proofs)[CUZK_PROOF_BYTES],
                                          cuzk_placed_witness *const *witnesses, uint32_t n,
                                          const cuzk_device_call *call, const cuzk_cancel *cancel,
                                          cuzk_trace_ctx trace, cuzk_err *err)
{
    awaited a = {.call = call};
    cuzk_proof out[CUZK_PIPELINE_MAX_BATCH];
    bool is_locked = true;
    if (n > CUZK_PIPELINE_MAX_BATCH) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "%u witnesses in one call, %u are the most", n,
                         CUZK_PIPELINE_MAX_BATCH);
    }
    for (uint32_t i = 0; i < n && call->await == NULL; i++) {
        a.in[i] = cuzk_placed_begin(witnesses[i]);
        a.placed[i] = witnesses[i];
        is_locked = is_locked && cuzk_placed_is_locked(witnesses[i]);
    }
    const cuzk_device_prove_opts opts = {.trace = trace,
                                         .partitions = call->partitions,
                                         .device = call->device,
                                         .pool = call->pool,
                                         .most_bytes = call->most_bytes,
                                         .pinned = is_locked,
                                         .await = call->await != NULL ? await_witness : NULL,
                                         .await_arg = &a};
    const cuzk_status st = cuzk_device_prove(call->key, out, n, a.in, &opts, cancel, err);
    for (uint32_t i = 0; i < n; i++) {
        if (a.placed[i] != NULL) {
            cuzk_placed_end(a.placed[i]);
        }
        if (st == CUZK_OK) {
            cuzk_proof_encode(proofs[i], &out[i]);
        }
    }
    return st;
}

cuzk_status cuzk_pipeline_verify(cuzk_pipeline *p, const cuzk_vk *vk, uint32_t partition,
                                 const uint8_t proof[CUZK_PROOF_BYTES], cuzk_err *err)
{
    if (partition >= p->in->n_partitions) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "there is no partition %u", partition);
    }
    (void)pthread_mutex_lock(&p->lock);
    const bool is_checked = p->check == CUZK_CHECK_PASSED;
    const cuzk_verify_inputs *sum = p->sums[partition]; /* never changes once it is set */
    (void)pthread_mutex_unlock(&p->lock);
    if (!is_checked) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "partition %u: the input has not been checked",
                         partition);
    }
    return sum != NULL ? cuzk_filecoin_input_check_claim(p->in, vk, sum, partition, proof, err)
                       : cuzk_filecoin_input_verify(p->in, vk, partition, proof, err);
}
