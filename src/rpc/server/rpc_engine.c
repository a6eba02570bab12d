/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* cuzk.v1.ProvingEngine: what a request asks is asked of the engine. Lanes and engine threads. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "rpc/server/rpc_internal.h"
#include "rpc/wire/rpc_messages.h"

static cuzk_bytes view(const rpc_call *call)
{
    return (cuzk_bytes){call->message, call->message_len};
}

static cuzk_bytes name_of(const rpc_call *call)
{
    return (cuzk_bytes){(const uint8_t *)call->name, strlen(call->name)};
}

/* Decodes the job that the call carries; the call is answered when that fails. */
static cuzk_rpc_job *read_job(rpc_call *call, cuzk_rpc_decode_fn decode, bool wrapped)
{
    cuzk_rpc_job *job = NULL;
    cuzk_err err = {.code = CUZK_OK};
    size_t n = 0;
    uint8_t *message = rpc_call_take_message(call, &n);
    const cuzk_status st = decode(&job, message, n, wrapped, &err);
    if (st != CUZK_OK) {
        rpc_call_answer_status(call, st, &err);
        return NULL;
    }
    return job;
}

void rpc_engine_submit(rpc_call *call)
{
    rpc_engine_submit_with(call, cuzk_rpc_job_decode);
}

void rpc_engine_submit_with(rpc_call *call, cuzk_rpc_decode_fn decode)
{
    char job_id[CUZK_JOB_ID_BYTES];
    uint32_t position = 0;
    cuzk_err err = {.code = CUZK_OK};
    cuzk_wire_writer w = {.data = NULL};
    cuzk_rpc_job *job = read_job(call, decode, false);
    if (job == NULL) {
        return;
    }
    const cuzk_owned_block block = {
        .arg = job, .bytes = job->message_len, .release = cuzk_rpc_job_free};
    job->request.owner = name_of(call);
    job->request.peer = call->peer;
    /* The call's timeout is for the call: the job goes on after it. */
    const cuzk_status st =
        cuzk_engine_submit(call->server->engine, &job->request, &block, job_id, &position, &err);
    if (st != CUZK_OK) {
        cuzk_rpc_job_free(job);
        rpc_call_answer_status(call, st, &err);
        return;
    }
    cuzk_rpc_put_submit_response(&w, job_id, position);
    rpc_call_answer_message(call, &w);
}

static void put_prove_result(cuzk_wire_writer *w, const cuzk_job_result *r)
{
    cuzk_wire_writer sub = {.data = NULL};
    cuzk_rpc_put_result(&sub, r->request_id, r); /* the caller's name, as it was given */
    cuzk_wire_put_message(w, 1, sub.data, sub.len);
    w->nomem = w->nomem || sub.nomem;
    cuzk_wire_writer_free(&sub);
}

/* From an engine thread; the reference taken in wait_begin ends here. */
static void on_done(void *arg, const cuzk_job_result *result)
{
    rpc_call *call = arg;
    (void)pthread_mutex_lock(&call->mu);
    call->done_called = true;
    call->wait = 0;
    const bool gone = call->gone;
    (void)pthread_mutex_unlock(&call->mu);
    if (!gone) {
        cuzk_wire_writer w = {.data = NULL};
        if (!call->is_prove) {
            const cuzk_bytes id = {(const uint8_t *)result->job_id, strlen(result->job_id)};
            cuzk_rpc_put_result(&w, id, result);
            rpc_call_answer_message(call, &w);
        } else if (result->state == CUZK_JOB_CANCELLED && call->deadline_ns != 0 &&
                   cuzk_clock_ns() >= call->deadline_ns) {
            /* the engine's clock of the same deadline was first */
            rpc_call_answer(call, CUZK_GRPC_DEADLINE_EXCEEDED, "deadline exceeded", NULL);
        } else {
            put_prove_result(&w, result);
            rpc_call_answer_message(call, &w);
        }
    }
    rpc_call_unref(call);
}

/* The caller has gone, and with it perhaps the job; or the server goes, then jobs stay. */
static bool end_wait(cuzk_rpc_server *s, cuzk_wait wait)
{
    return atomic_load(&s->stopping) != 0 ? cuzk_engine_leave(s->engine, wait)
                                          : cuzk_engine_unwait(s->engine, wait);
}

/* The wait was set up; if the caller went away meanwhile it is withdrawn at once. */
static void wait_begun(rpc_call *call, cuzk_wait wait)
{
    (void)pthread_mutex_lock(&call->mu);
    const bool withdraw = call->gone && !call->done_called;
    if (!call->gone && !call->done_called) {
        call->wait = wait;
    }
    (void)pthread_mutex_unlock(&call->mu);
    if (withdraw && end_wait(call->server, wait)) {
        rpc_call_unref(call);
    }
}

void rpc_engine_unwait(rpc_call *call)
{
    (void)pthread_mutex_lock(&call->mu);
    const cuzk_wait wait = call->wait;
    call->wait = 0;
    (void)pthread_mutex_unlock(&call->mu);
    if (wait != 0 && end_wait(call->server, wait)) {
        rpc_call_unref(call); /* done's */
    }
}

void rpc_engine_prove(rpc_call *call)
{
    rpc_engine_prove_with(call, cuzk_rpc_job_decode);
}

void rpc_engine_prove_with(rpc_call *call, cuzk_rpc_decode_fn decode)
{
    cuzk_wait wait = 0;
    cuzk_err err = {.code = CUZK_OK};
    cuzk_rpc_job *job = read_job(call, decode, true);
    if (job == NULL) {
        return;
    }
    job->request.owner = name_of(call);
    job->request.peer = call->peer;
    job->request.deadline_ns = call->deadline_ns;
    job->request.cancel_when_unwatched = true;
    call->is_prove = true;
    const cuzk_owned_block block = {
        .arg = job, .bytes = job->message_len, .release = cuzk_rpc_job_free};
    rpc_call_ref(call);
    const cuzk_status st =
        cuzk_engine_prove(call->server->engine, &job->request, &block, on_done, call, &wait, &err);
    if (st != CUZK_OK) {
        cuzk_rpc_job_free(job);
        rpc_call_answer_status(call, st, &err);
        rpc_call_unref(call);
        return;
    }
    wait_begun(call, wait);
}

/* Reads the name in a request; the call is answered when that fails. */
static bool read_name(rpc_call *call, char *text, size_t cap, uint64_t *number, const char *what)
{
    cuzk_err err = {.code = CUZK_OK};
    const cuzk_status st = cuzk_rpc_name_decode(text, cap, number, view(call), &err);
    if (st == CUZK_E_NOT_FOUND) {
        char message[96];
        (void)snprintf(message, sizeof(message), "%s not found", what);
        rpc_call_answer(call, CUZK_GRPC_NOT_FOUND, message, NULL);
    } else if (st != CUZK_OK) {
        rpc_call_answer_status(call, st, &err);
    }
    return st == CUZK_OK;
}

static void answer_job_error(rpc_call *call, cuzk_status st, const char *job_id,
                             const cuzk_err *err)
{
    if (st == CUZK_E_NOT_FOUND) {
        char message[CUZK_JOB_ID_BYTES + 32];
        (void)snprintf(message, sizeof(message), "job not found: %s", job_id);
        rpc_call_answer(call, CUZK_GRPC_NOT_FOUND, message, NULL);
    } else {
        rpc_call_answer_status(call, st, err);
    }
}

/* Jobs of others are as good as not there; the call is answered then. */
static bool is_own(rpc_call *call, const char *job_id)
{
    char owner[CUZK_OWNER_BYTES];
    cuzk_err err = {.code = CUZK_OK};
    if ((call->role & CUZK_RPC_MAY_ADMINISTER) != 0) {
        return true;
    }
    cuzk_status st = cuzk_engine_owner(call->server->engine, job_id, owner, &err);
    if (st == CUZK_OK && strcmp(owner, call->name) != 0) {
        st = CUZK_E_NOT_FOUND;
    }
    if (st != CUZK_OK) {
        answer_job_error(call, st, job_id, &err);
    }
    return st == CUZK_OK;
}

void rpc_engine_await(rpc_call *call)
{
    char job_id[CUZK_JOB_ID_BYTES];
    uint64_t timeout_ms = 0;
    cuzk_wait wait = 0;
    cuzk_err err = {.code = CUZK_OK};
    if (!read_name(call, job_id, sizeof(job_id), &timeout_ms, "job") || !is_own(call, job_id)) {
        return;
    }
    rpc_call_ref(call);
    const cuzk_status st =
        cuzk_engine_await(call->server->engine, job_id, timeout_ms, on_done, call, &wait, &err);
    if (st != CUZK_OK) {
        answer_job_error(call, st, job_id, &err);
        rpc_call_unref(call);
        return;
    }
    wait_begun(call, wait);
}

void rpc_engine_cancel(rpc_call *call)
{
    char job_id[CUZK_JOB_ID_BYTES];
    bool was_running = false;
    cuzk_err err = {.code = CUZK_OK};
    cuzk_wire_writer w = {.data = NULL};
    if (!read_name(call, job_id, sizeof(job_id), NULL, "job") || !is_own(call, job_id)) {
        return;
    }
    const cuzk_status st = cuzk_engine_cancel(call->server->engine, job_id, &was_running, &err);
    if (st != CUZK_OK) {
        answer_job_error(call, st, job_id, &err);
        return;
    }
    cuzk_rpc_put_cancel_response(&w, was_running);
    rpc_call_answer_message(call, &w);
}

static bool read_empty(rpc_call *call)
{
    cuzk_err err = {.code = CUZK_OK};
    const cuzk_status st = cuzk_rpc_empty_decode(view(call), &err);
    if (st != CUZK_OK) {
        rpc_call_answer_status(call, st, &err);
    }
    return st == CUZK_OK;
}

void rpc_engine_status(rpc_call *call)
{
    cuzk_engine_status s;
    cuzk_err err = {.code = CUZK_OK};
    cuzk_wire_writer w = {.data = NULL};
    if (!read_empty(call)) {
        return;
    }
    rpc_call_wait_tickets(call); /* jobs that came before this question are in its answer */
    const cuzk_status st = cuzk_engine_get_status(call->server->engine, &s, &err);
    if (st != CUZK_OK) {
        rpc_call_answer_status(call, st, &err);
        return;
    }
    if ((call->role & CUZK_RPC_MAY_ADMINISTER) == 0) { /* names of jobs are their owners' */
        for (uint32_t i = 0; i < s.n_devices; i++) {
            for (size_t k = 0; k < sizeof(s.devices[i].slot) / sizeof(s.devices[i].slot[0]); k++) {
                s.devices[i].slot[k].job_id[0] = '\0';
            }
        }
    }
    cuzk_rpc_put_status_response(&w, &s);
    cuzk_engine_status_free(&s);
    rpc_call_answer_message(call, &w);
}

void rpc_engine_metrics(rpc_call *call)
{
    const cuzk_rpc_server *s = call->server;
    char *text = NULL;
    size_t n = 0;
    cuzk_err err = {.code = CUZK_OK};
    cuzk_wire_writer w = {.data = NULL};
    if (!read_empty(call)) {
        return;
    }
    if (s->metrics == NULL) {
        rpc_call_answer(call, CUZK_GRPC_UNIMPLEMENTED, "this server has no metrics", NULL);
        return;
    }
    const cuzk_status st = s->metrics(s->metrics_arg, &text, &n, &err);
    if (st != CUZK_OK) {
        rpc_call_answer_status(call, st, &err);
        return;
    }
    cuzk_rpc_put_metrics_response(&w, text, n);
    cuzk_free(text);
    rpc_call_answer_message(call, &w);
}

#define CIRCUIT_ID_BYTES 64

void rpc_engine_preload(rpc_call *call)
{
    char id[CIRCUIT_ID_BYTES];
    bool already = false;
    uint64_t ms = 0;
    cuzk_err err = {.code = CUZK_OK};
    cuzk_wire_writer w = {.data = NULL};
    if (!read_name(call, id, sizeof(id), NULL, "circuit")) {
        return;
    }
    const cuzk_status st = cuzk_engine_preload(call->server->engine, id, &already, &ms, &err);
    if (st != CUZK_OK) {
        rpc_call_answer_status(call, st, &err);
        return;
    }
    cuzk_rpc_put_preload_response(&w, already, ms);
    rpc_call_answer_message(call, &w);
}

void rpc_engine_evict(rpc_call *call)
{
    char id[CIRCUIT_ID_BYTES];
    bool was_loaded = false;
    uint64_t freed = 0;
    cuzk_err err = {.code = CUZK_OK};
    cuzk_wire_writer w = {.data = NULL};
    if (!read_name(call, id, sizeof(id), NULL, "circuit")) {
        return;
    }
    const cuzk_status st = cuzk_engine_evict(call->server->engine, id, &was_loaded, &freed, &err);
    if (st == CUZK_E_BUDGET) { /* in use: not a matter of room */
        rpc_call_answer(call, CUZK_GRPC_FAILED_PRECONDITION, err.msg, NULL);
        return;
    }
    if (st != CUZK_OK) {
        rpc_call_answer_status(call, st, &err);
        return;
    }
    cuzk_rpc_put_evict_response(&w, was_loaded, freed);
    rpc_call_answer_message(call, &w);
}
