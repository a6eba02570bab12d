/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Tasks as their owners see them: submit, wait, cancel, result, times. */
#include <errno.h>
#include <stdio.h>
#include <time.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "trace/trace_read.h"

#include "lib_program.h"
#include "prover_internal.h"

#define SPANS_KEPT 8192u

CUZK_STATIC_ASSERT(sizeof(cuzk_task_span) == 64, "fixed layout");

static const uint32_t all_flags =
    CUZK_PROVE_CHECK_ROWS | CUZK_PROVE_ONE_PARTITION | CUZK_PROVE_SPANS | CUZK_PROVE_BIND_SECTOR;

static cuzk_status check_circom(const cuzk_prover *p, const cuzk_prove_request *rq,
                                cuzk_error *error)
{
    if (rq->circom_key == NULL || lib_circom_prover(rq->circom_key) != p) {
        return lib_fail(error, CUZK_E_INVALID, "circom_key: %s",
                        rq->circom_key == NULL ? "there is none" : "it is another prover's");
    }
    if (rq->n_inputs != 1) {
        return lib_fail(error, CUZK_E_INVALID, "n_inputs is %zu: a circom witness is one",
                        rq->n_inputs);
    }
    if ((rq->flags & ~(uint32_t)CUZK_PROVE_SPANS) != 0) {
        return lib_fail(error, CUZK_E_INVALID, "flags is %u: not for circom", rq->flags);
    }
    return CUZK_OK;
}

static cuzk_status check_request(const cuzk_prover *p, const cuzk_prove_request *rq,
                                 cuzk_error *error)
{
    if ((rq->flags & ~all_flags) != 0) {
        return lib_fail(error, CUZK_E_INVALID, "flags is %u: only %u are known", rq->flags,
                        all_flags);
    }
    if (rq->inputs == NULL || rq->n_inputs == 0 || rq->n_inputs > LIB_MAX_INPUTS) {
        return lib_fail(error, CUZK_E_INVALID, "n_inputs is %zu: 1 to %u are possible",
                        rq->inputs != NULL ? rq->n_inputs : 0, LIB_MAX_INPUTS);
    }
    for (size_t i = 0; i < rq->n_inputs; i++) {
        if (rq->inputs[i].data == NULL || rq->inputs[i].size == 0) {
            return lib_fail(error, CUZK_E_INVALID, "inputs[%zu] is empty", i);
        }
    }
    if (rq->kind == CUZK_KIND_CIRCOM) {
        return check_circom(p, rq, error);
    }
    cuzk_circuit_kind kind;
    CUZK_TRY(lib_kind(&kind, rq->kind, error));
    if ((rq->flags & CUZK_PROVE_ONE_PARTITION) != 0 && kind != CUZK_CIRCUIT_POREP &&
        kind != CUZK_CIRCUIT_UPDATE) {
        return lib_fail(error, CUZK_E_INVALID, "ONE_PARTITION: a %s has one partition anyway",
                        cuzk_circuit_kind_name(kind));
    }
    return CUZK_OK;
}

static void free_task(cuzk_task *t)
{
    cuzk_circom_key_destroy(t->key);
    cuzk_trace_destroy(t->trace);
    cuzk_free((void *)(uintptr_t)t->rq.inputs);
    cuzk_free(t->proof);
    cuzk_free(t->public_inputs);
    cuzk_free(t);
}

static cuzk_status make_task(cuzk_task **out, const cuzk_prove_request *rq, cuzk_error *error)
{
    cuzk_task *t = cuzk_alloc_zero(1, sizeof(*t));
    cuzk_input *inputs = cuzk_alloc(rq->n_inputs, sizeof(*inputs));
    if (t == NULL || inputs == NULL) {
        cuzk_free(t);
        cuzk_free(inputs);
        return lib_fail(error, CUZK_E_NOMEM, "task: out of memory for %zu inputs", rq->n_inputs);
    }
    if (rq->n_inputs != 0) {
        memcpy(inputs, rq->inputs, rq->n_inputs * sizeof(*inputs));
    }
    t->rq = *rq;
    t->rq.inputs = inputs;
    t->room = SIZE_MAX;
    if ((rq->flags & CUZK_PROVE_SPANS) != 0) {
        cuzk_err err = {.msg = ""};
        const cuzk_status st = cuzk_trace_create(&t->trace, SPANS_KEPT, &err);
        if (st != CUZK_OK) {
            free_task(t);
            return lib_error(error, st, &err);
        }
    }
    if (rq->kind == CUZK_KIND_CIRCOM) {
        t->key = lib_circom_ref(rq->circom_key);
    }
    *out = t;
    return CUZK_OK;
}

/* Puts a task into the queue, behind those of its priority. */
static void enqueue(cuzk_prover *p, cuzk_task *t)
{
    t->p = p;
    (void)pthread_mutex_lock(&p->lock);
    p->refs++;
    cuzk_task **at = &p->queue;
    while (*at != NULL && (*at)->rq.priority >= t->rq.priority) {
        at = &(*at)->next;
    }
    t->next = *at;
    *at = t;
    (void)pthread_cond_broadcast(&p->changed);
    (void)pthread_mutex_unlock(&p->lock);
}

cuzk_status lib_task_make_room(cuzk_task *t, size_t n, cuzk_err *err)
{
    t->proof_bytes = n;
    if (t->room < n) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "the proof has %zu bytes, there is room for %zu", n,
                         t->room);
    }
    t->proof = cuzk_alloc(n, 1);
    return t->proof != NULL
               ? CUZK_OK
               : CUZK_FAIL(err, CUZK_E_NOMEM, "out of memory for %zu bytes of proof", n);
}

static cuzk_status submit(cuzk_task **out, cuzk_prover *p, const cuzk_prove_request *request,
                          size_t room, cuzk_error *error)
{
    cuzk_prove_request rq;
    cuzk_task *t = NULL;
    CUZK_TRY(lib_take(&rq, sizeof(rq), request, "cuzk_prove_request", error));
    CUZK_TRY(check_request(p, &rq, error));
    CUZK_TRY(make_task(&t, &rq, error));
    CUZK_ASSERT(t != NULL);
    t->room = room;
    enqueue(p, t);
    *out = t;
    return CUZK_OK;
}

cuzk_status cuzk_prover_submit(cuzk_task **out, cuzk_prover *p, const cuzk_prove_request *request,
                               cuzk_error *error)
{
    return submit(out, p, request, SIZE_MAX, error);
}

cuzk_status lib_prover_submit_parsed(cuzk_task **out, cuzk_prover *p, const cuzk_filecoin_input *in,
                                     uint32_t flags, cuzk_progress_fn progress, void *progress_arg,
                                     cuzk_error *error)
{
    const cuzk_prove_request rq = {.struct_size = sizeof(rq),
                                   .kind = (int32_t)in->spec.kind,
                                   .flags = flags,
                                   .progress = progress,
                                   .progress_arg = progress_arg};
    cuzk_task *t = NULL;
    CUZK_TRY(make_task(&t, &rq, error));
    CUZK_ASSERT(t != NULL);
    t->parsed = in;
    enqueue(p, t);
    *out = t;
    return CUZK_OK;
}

int32_t cuzk_task_wait(cuzk_task *t, int64_t timeout_ms)
{
    struct timespec until;
    int e = 0;
    (void)clock_gettime(CLOCK_MONOTONIC, &until);
    if (timeout_ms > 0) {
        const int64_t ns = until.tv_nsec + timeout_ms % 1000 * 1000000;
        until.tv_sec += (time_t)(timeout_ms / 1000 + ns / 1000000000);
        until.tv_nsec = (long)(ns % 1000000000);
    }
    (void)pthread_mutex_lock(&t->p->lock);
    while (t->state != LIB_TASK_ENDED && e == 0) {
        e = timeout_ms < 0 ? pthread_cond_wait(&t->p->changed, &t->p->lock)
                           : pthread_cond_timedwait(&t->p->changed, &t->p->lock, &until);
    }
    const bool has_ended = t->state == LIB_TASK_ENDED;
    (void)pthread_mutex_unlock(&t->p->lock);
    return has_ended ? 1 : 0;
}

void cuzk_task_cancel(cuzk_task *t)
{
    (void)pthread_mutex_lock(&t->p->lock);
    lib_task_cancel_locked(t->p, t);
    (void)pthread_mutex_unlock(&t->p->lock);
}

cuzk_status cuzk_task_result(cuzk_task *t, uint8_t *proof, size_t capacity, size_t *proof_bytes,
                             cuzk_error *error)
{
    if (cuzk_task_wait(t, 0) == 0) {
        return lib_fail(error, CUZK_E_INVALID, "the task has not ended");
    }
    if (t->st != CUZK_OK) {
        return lib_error(error, t->st, &t->err);
    }
    if (proof_bytes != NULL) {
        *proof_bytes = t->proof_bytes;
    }
    if (capacity < t->proof_bytes) {
        return lib_fail(error, CUZK_E_INVALID, "the proof has %zu bytes, there is room for %zu",
                        t->proof_bytes, capacity);
    }
    memcpy(proof, t->proof, t->proof_bytes);
    return CUZK_OK;
}

cuzk_status cuzk_task_get_info(cuzk_task_info *out, cuzk_task *t)
{
    if (cuzk_task_wait(t, 0) == 0) {
        return CUZK_E_INVALID;
    }
    const cuzk_task_info info = {
        .struct_size = out->struct_size,
        .partitions = t->st == CUZK_OK ? (uint32_t)(t->proof_bytes / CUZK_PROOF_BYTES) : 0,
        .sector_bytes = t->sector_bytes,
        .constraints = t->constraints};
    return lib_give(out, &info, sizeof(info));
}

cuzk_status cuzk_task_public(cuzk_task *t, uint8_t *out, size_t capacity, size_t *n,
                             cuzk_error *error)
{
    if (cuzk_task_wait(t, 0) == 0 || t->st != CUZK_OK || t->key == NULL) {
        return lib_fail(error, CUZK_E_INVALID, "not a proved task of circom");
    }
    *n = t->n_public;
    if (capacity < t->n_public) {
        return lib_fail(error, CUZK_E_INVALID, "there are %zu public inputs, and room for %zu",
                        t->n_public, capacity);
    }
    if (t->n_public != 0) {
        memcpy(out, t->public_inputs, 32 * t->n_public);
    }
    return CUZK_OK;
}

/* Index of the span with this id; -1: it is not there. */
static int32_t index_of(const cuzk_span_record *all, size_t n, cuzk_span id)
{
    size_t low = 0, high = n;
    while (low < high) {
        const size_t mid = low + (high - low) / 2;
        if (all[mid].id < id) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    return low < n && all[low].id == id ? (int32_t)low : -1;
}

size_t cuzk_task_spans(cuzk_task *t, cuzk_task_span *out, size_t capacity)
{
    cuzk_span_record *all = NULL;
    size_t n = 0;
    if (t->trace == NULL || cuzk_task_wait(t, 0) == 0 ||
        cuzk_trace_snapshot(&all, &n, t->trace, NULL) != CUZK_OK) {
        return 0;
    }
    for (size_t i = 0; i < n && i < capacity; i++) {
        const cuzk_span_record *r = &all[i];
        out[i] = (cuzk_task_span){.begin_ns = r->begin_ns,
                                  .end_ns = r->end_ns,
                                  .parent = index_of(all, n, r->parent),
                                  .partition = r->tags.partition,
                                  .device = r->tags.device};
        (void)snprintf(out[i].name, sizeof(out[i].name), "%s", r->name);
    }
    cuzk_free(all);
    return n;
}

void cuzk_task_destroy(cuzk_task *t)
{
    if (t == NULL) {
        return;
    }
    cuzk_prover *p = t->p;
    cuzk_task_cancel(t);
    (void)cuzk_task_wait(t, -1);
    free_task(t);
    lib_prover_unref(p);
}

cuzk_status cuzk_prover_prove(cuzk_prover *p, uint8_t *proof, size_t capacity, size_t *proof_bytes,
                              const cuzk_prove_request *request, cuzk_error *error)
{
    cuzk_task *t = NULL;
    CUZK_TRY(submit(&t, p, request, capacity, error));
    (void)cuzk_task_wait(t, -1);
    const cuzk_status st = cuzk_task_result(t, proof, capacity, proof_bytes, error);
    if (st != CUZK_OK && t->proof_bytes > capacity && proof_bytes != NULL) {
        *proof_bytes = t->proof_bytes; /* which was known before any proving */
    }
    cuzk_task_destroy(t);
    return st;
}
