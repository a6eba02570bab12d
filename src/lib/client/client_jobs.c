/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Jobs of <cuzk/client.h>: the calls SubmitProof, AwaitProof, Prove and CancelProof, and their results. */
#include <string.h>

#include "base/alloc.h"

#include "client_internal.h"

#define INPUTS_MAX     65536u
#define REQUEST_ID_MAX 256u

struct cuzk_client_result {
    cuzk_rpc_result r;
    int32_t error_class;
    const char *error; /* in r, behind the class */
};

/* ---- requests ---- */

static cuzk_status check_request(const cuzk_prove_request *rq, const char *request_id,
                                 cuzk_error *error)
{
    if (rq->kind < CUZK_KIND_POREP || rq->kind > CUZK_KIND_UPDATE) {
        return lib_fail(error, rq->kind == CUZK_KIND_CIRCOM ? CUZK_E_UNSUPPORTED : CUZK_E_INVALID,
                        "kind is %d: not one that a daemon proves", rq->kind);
    }
    if (rq->flags != 0 || rq->circom_key != NULL || rq->progress != NULL) {
        return lib_fail(error, CUZK_E_UNSUPPORTED, "%s: not for a daemon",
                        rq->flags != 0           ? "flags"
                        : rq->circom_key != NULL ? "circom_key"
                                                 : "progress");
    }
    if (rq->priority < 0 || rq->priority > 4) {
        return lib_fail(error, CUZK_E_INVALID, "priority is %d: 0 to 4 are possible", rq->priority);
    }
    if (rq->inputs == NULL || rq->n_inputs == 0 || rq->n_inputs > INPUTS_MAX) {
        return lib_fail(error, CUZK_E_INVALID, "n_inputs is %zu: 1 to %u are possible",
                        rq->inputs != NULL ? rq->n_inputs : 0, INPUTS_MAX);
    }
    for (size_t i = 0; i < rq->n_inputs; i++) {
        if (rq->inputs[i].data == NULL || rq->inputs[i].size == 0) {
            return lib_fail(error, CUZK_E_INVALID, "inputs[%zu] is empty", i);
        }
    }
    if (rq->kind == CUZK_KIND_POREP && rq->n_inputs != 1) {
        return lib_fail(error, CUZK_E_INVALID, "n_inputs is %zu: a C1 output is one", rq->n_inputs);
    }
    if (request_id != NULL && strlen(request_id) > REQUEST_ID_MAX) {
        return lib_fail(error, CUZK_E_INVALID, "request_id has more than %u bytes", REQUEST_ID_MAX);
    }
    return CUZK_OK;
}

/* The request of the wire. *views is freed by the caller; the bytes are the caller's. */
static cuzk_status make_job(cuzk_job_request *out, cuzk_bytes **views, const cuzk_prove_request *rq,
                            const char *request_id, cuzk_error *error)
{
    static const cuzk_job_kind kinds[] = {[CUZK_KIND_POREP] = CUZK_JOB_POREP,
                                          [CUZK_KIND_WINNING] = CUZK_JOB_WINNING,
                                          [CUZK_KIND_WINDOW] = CUZK_JOB_WINDOW,
                                          [CUZK_KIND_UPDATE] = CUZK_JOB_UPDATE};
    CUZK_TRY(check_request(rq, request_id, error));
    const bool post = rq->kind == CUZK_KIND_WINNING || rq->kind == CUZK_KIND_WINDOW;
    const size_t update = rq->kind == CUZK_KIND_UPDATE ? 32 : 0;
    cuzk_bytes *v = cuzk_alloc(rq->n_inputs, sizeof(*v));
    if (v == NULL) {
        return lib_fail(error, CUZK_E_NOMEM, "request: out of memory for %zu inputs", rq->n_inputs);
    }
    for (size_t i = 0; i < rq->n_inputs; i++) {
        v[i] = (cuzk_bytes){rq->inputs[i].data, rq->inputs[i].size};
    }
    *out = (cuzk_job_request){
        .kind = kinds[rq->kind],
        .priority = (uint32_t)rq->priority,
        .sector_size = rq->sector_bytes,
        .registered_proof = rq->registered_proof,
        .sector_number = rq->sector_number,
        .miner_id = rq->miner_id,
        .partition_index = rq->partition,
        .randomness = {rq->randomness, post ? 32 : 0},
        .comm_r_old = {rq->comm_r_old, update},
        .comm_r_new = {rq->comm_r_new, update},
        .comm_d_new = {rq->comm_d_new, update},
    };
    if (rq->kind == CUZK_KIND_POREP) {
        out->vanilla_proof = v[0];
    } else {
        out->vanilla_proofs = v;
        out->n_vanilla_proofs = rq->n_inputs;
    }
    if (request_id != NULL) {
        out->request_id = (cuzk_bytes){(const uint8_t *)request_id, strlen(request_id)};
    }
    *views = v;
    return CUZK_OK;
}

/* ---- results ---- */

/* The class that the daemon puts before the text. */
static void classify(cuzk_client_result *x)
{
    static const struct {
        const char *prefix;
        int32_t error_class;
    } classes[] = {{"input: ", CUZK_CLASS_INPUT},
                   {"environment: ", CUZK_CLASS_ENVIRONMENT},
                   {"internal: ", CUZK_CLASS_ENVIRONMENT}};
    x->error = x->r.error;
    if (x->r.outcome == CUZK_RPC_COMPLETED || x->r.outcome == CUZK_RPC_TIMEOUT) {
        x->error_class = CUZK_CLASS_OK;
        return;
    }
    x->error_class =
        x->r.outcome == CUZK_RPC_CANCELLED ? CUZK_CLASS_CANCELLED : CUZK_CLASS_ENVIRONMENT;
    for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
        const size_t n = strlen(classes[i].prefix);
        if (strncmp(x->error, classes[i].prefix, n) == 0) {
            x->error += n;
            x->error_class =
                x->r.outcome == CUZK_RPC_FAILED ? classes[i].error_class : x->error_class;
            return;
        }
    }
}

static cuzk_client_result *new_result(cuzk_error *error)
{
    cuzk_client_result *x = cuzk_alloc_zero(1, sizeof(*x));
    if (x == NULL) {
        (void)lib_fail(error, CUZK_E_NOMEM, "result: out of memory");
    }
    return x;
}

/* Gives x to the caller when the call went well; otherwise frees it. */
static cuzk_status finish(cuzk_client_result **out, cuzk_client_result *x, cuzk_status st)
{
    if (st != CUZK_OK) {
        cuzk_client_result_destroy(x);
        return st;
    }
    classify(x);
    *out = x;
    return CUZK_OK;
}

void cuzk_client_result_destroy(cuzk_client_result *r)
{
    if (r != NULL) {
        cuzk_rpc_result_free(&r->r);
        cuzk_free(r);
    }
}

int32_t cuzk_client_result_outcome(const cuzk_client_result *r)
{
    return (int32_t)r->r.outcome;
}

const uint8_t *cuzk_client_result_proof(const cuzk_client_result *r, size_t *bytes)
{
    const bool is_there = r->r.outcome == CUZK_RPC_COMPLETED && r->r.proof_size != 0;
    *bytes = is_there ? r->r.proof_size : 0;
    return is_there ? r->r.proof : NULL;
}

const char *cuzk_client_result_error(const cuzk_client_result *r)
{
    return r->error;
}

int32_t cuzk_client_result_error_class(const cuzk_client_result *r)
{
    return r->error_class;
}

const char *cuzk_client_result_job_id(const cuzk_client_result *r)
{
    return r->r.job_id;
}

cuzk_status cuzk_client_result_times(cuzk_client_times *out, const cuzk_client_result *r)
{
    const cuzk_client_times t = {.struct_size = out->struct_size,
                                 .queue_wait_ms = r->r.queue_wait_ms,
                                 .srs_load_ms = r->r.srs_load_ms,
                                 .synthesis_ms = r->r.synthesis_ms,
                                 .gpu_compute_ms = r->r.gpu_compute_ms,
                                 .total_ms = r->r.total_ms};
    return lib_give(out, &t, sizeof(t));
}

/* ---- calls ---- */

cuzk_status cuzk_client_submit(char job_id[CUZK_JOB_NAME_BYTES], uint32_t *position, cuzk_client *c,
                               const cuzk_prove_request *request, const char *request_id,
                               const cuzk_client_call *call, cuzk_error *error)
{
    cuzk_prove_request rq;
    cuzk_job_request job;
    cuzk_bytes *views = NULL;
    cuzk_err err = {.msg = ""};
    client_call x;
    uint32_t before = 0;
    CUZK_TRY(lib_take(&rq, sizeof(rq), request, "cuzk_prove_request", error));
    CUZK_TRY(make_job(&job, &views, &rq, request_id, error));
    cuzk_status st = client_call_begin(&x, c, call, error);
    if (st == CUZK_OK) {
        char id[CUZK_JOB_ID_BYTES];
        st = cuzk_rpc_client_submit(x.connection, &job, id, &before, &err);
        if (st == CUZK_OK) {
            memcpy(job_id, id, sizeof(id));
        }
        st = client_call_end(&x, st, &err, error);
    }
    if (st == CUZK_OK && position != NULL) {
        *position = before;
    }
    cuzk_free(views);
    return st;
}

CUZK_STATIC_ASSERT(CUZK_JOB_NAME_BYTES == CUZK_JOB_ID_BYTES, "the public size is the engine's");

cuzk_status cuzk_client_prove(cuzk_client_result **out, cuzk_client *c,
                              const cuzk_prove_request *request, const char *request_id,
                              const cuzk_client_call *call, cuzk_error *error)
{
    cuzk_prove_request rq;
    cuzk_job_request job;
    cuzk_bytes *views = NULL;
    cuzk_err err = {.msg = ""};
    client_call x;
    CUZK_TRY(lib_take(&rq, sizeof(rq), request, "cuzk_prove_request", error));
    cuzk_client_result *r = new_result(error);
    if (r == NULL) {
        return CUZK_E_NOMEM;
    }
    cuzk_status st = make_job(&job, &views, &rq, request_id, error);
    if (st == CUZK_OK) {
        st = client_call_begin(&x, c, call, error);
    }
    if (st == CUZK_OK) {
        st = cuzk_rpc_client_prove(x.connection, &job, &r->r, &err);
        st = client_call_end(&x, st, &err, error);
    }
    cuzk_free(views);
    return finish(out, r, st);
}

cuzk_status cuzk_client_await(cuzk_client_result **out, cuzk_client *c, const char *job_id,
                              uint64_t wait_ms, const cuzk_client_call *call, cuzk_error *error)
{
    cuzk_err err = {.msg = ""};
    client_call x;
    cuzk_client_result *r = new_result(error);
    if (r == NULL) {
        return CUZK_E_NOMEM;
    }
    cuzk_status st = client_call_begin(&x, c, call, error);
    if (st == CUZK_OK) {
        st = cuzk_rpc_client_await(x.connection, job_id, wait_ms, &r->r, &err);
        st = client_call_end(&x, st, &err, error);
    }
    return finish(out, r, st);
}

cuzk_status cuzk_client_cancel(int32_t *was_running, cuzk_client *c, const char *job_id,
                               const cuzk_client_call *call, cuzk_error *error)
{
    cuzk_err err = {.msg = ""};
    client_call x;
    bool running = false;
    CUZK_TRY(client_call_begin(&x, c, call, error));
    const cuzk_status st = cuzk_rpc_client_cancel(x.connection, job_id, &running, &err);
    if (st == CUZK_OK && was_running != NULL) {
        *was_running = running;
    }
    return client_call_end(&x, st, &err, error);
}
