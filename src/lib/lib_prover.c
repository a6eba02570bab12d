/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* A prover, and the tasks that it works on. */
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

#include "base/alloc.h"

#include "lib_program.h"
#include "prover_internal.h"

void lib_prover_ref(cuzk_prover *p)
{
    (void)pthread_mutex_lock(&p->lock);
    p->refs++;
    (void)pthread_mutex_unlock(&p->lock);
}

void lib_prover_unref(cuzk_prover *p)
{
    (void)pthread_mutex_lock(&p->lock);
    const bool is_last = --p->refs == 0;
    (void)pthread_mutex_unlock(&p->lock);
    if (is_last) {
        (void)pthread_mutex_destroy(&p->lock);
        (void)pthread_cond_destroy(&p->changed);
        cuzk_free(p);
    }
}

void lib_task_progress(void *arg, const char *step, uint64_t done, uint64_t total)
{
    cuzk_task *t = arg;
    if (t->rq.progress != NULL && t->rq.progress(t->rq.progress_arg, step, done, total) != 0) {
        atomic_store(&t->cancel.requested, true);
    }
}

static cuzk_status run_kind(cuzk_task *t, cuzk_trace_ctx trace)
{
    return t->key != NULL ? lib_circom_run(t, trace, &t->err) : lib_filecoin_run(t, trace, &t->err);
}

static void run_task(cuzk_task *t)
{
    if (cuzk_cancel_requested(&t->cancel)) {
        t->st = CUZK_FAIL(&t->err, CUZK_E_CANCELLED, "cancelled");
        return;
    }
    if (t->p->program_trace.trace != NULL) {
        t->st = run_kind(t, t->p->program_trace);
        return;
    }
    const cuzk_trace_ctx root = {t->trace, 0};
    const cuzk_span span = cuzk_span_begin(root, "job", NULL);
    t->st = run_kind(t, cuzk_trace_in(root, span));
    cuzk_span_end(root, span, 0);
    if (t->st == CUZK_E_CANCELLED) { /* the program shows what was under way */
        (void)snprintf(t->err.msg, sizeof(t->err.msg), "cancelled");
    }
}

/* Moves the first task of the queue to those that run, with the lock; NULL: the queue is empty. */
static cuzk_task *begin_locked(cuzk_prover *p)
{
    cuzk_task *t = p->queue;
    if (t != NULL) {
        p->queue = t->next;
        t->next = p->running;
        p->running = t;
        t->state = LIB_TASK_RUNNING;
    }
    return t;
}

/* With the lock. The task may be gone when the lock is released. */
static void end_locked(cuzk_prover *p, cuzk_task *t)
{
    for (cuzk_task **at = &p->running; *at != NULL; at = &(*at)->next) {
        if (*at == t) {
            *at = t->next;
            break;
        }
    }
    t->state = LIB_TASK_ENDED;
    (void)pthread_cond_broadcast(&p->changed);
}

static void *work(void *arg)
{
    cuzk_prover *p = arg;
    (void)pthread_mutex_lock(&p->lock);
    while (!p->is_stopping) {
        cuzk_task *t = begin_locked(p);
        if (t == NULL) {
            (void)pthread_cond_wait(&p->changed, &p->lock);
            continue;
        }
        (void)pthread_mutex_unlock(&p->lock);
        run_task(t);
        (void)pthread_mutex_lock(&p->lock);
        end_locked(p, t);
    }
    (void)pthread_mutex_unlock(&p->lock);
    return NULL;
}

void lib_task_cancel_locked(cuzk_prover *p, cuzk_task *t)
{
    atomic_store(&t->cancel.requested, true);
    if (t->state == LIB_TASK_QUEUED) {
        cuzk_task **at = &p->queue;
        while (*at != t) {
            at = &(*at)->next;
        }
        *at = t->next;
        t->st = CUZK_FAIL(&t->err, CUZK_E_CANCELLED, "cancelled before it began");
        end_locked(p, t);
    }
    (void)pthread_cond_broadcast(&p->changed); /* it may be waiting for memory */
}

static void stop_workers(cuzk_prover *p)
{
    (void)pthread_mutex_lock(&p->lock);
    p->is_stopping = true;
    while (p->queue != NULL) {
        lib_task_cancel_locked(p, p->queue);
    }
    for (cuzk_task *t = p->running; t != NULL; t = t->next) {
        lib_task_cancel_locked(p, t);
    }
    (void)pthread_cond_broadcast(&p->changed);
    (void)pthread_mutex_unlock(&p->lock);
    for (uint32_t i = 0; i < p->n_workers; i++) {
        (void)pthread_join(p->workers[i], NULL);
    }
}

static cuzk_status start_workers(cuzk_prover *p, uint32_t n, cuzk_err *err)
{
    for (uint32_t i = 0; i < n; i++) {
        const int e = pthread_create(&p->workers[i], NULL, work, p);
        if (e != 0) {
            return CUZK_FAIL_OS(err, CUZK_E_IO, e, "prover: thread %u of %u cannot be started",
                                i + 1, n);
        }
        p->n_workers = i + 1;
    }
    return CUZK_OK;
}

static void init_lock(cuzk_prover *p)
{
    pthread_condattr_t attr; /* none of these can fail on Linux */
    (void)pthread_mutex_init(&p->lock, NULL);
    (void)pthread_condattr_init(&attr);
    (void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&p->changed, &attr);
    (void)pthread_condattr_destroy(&attr);
}

static cuzk_status open_prover(cuzk_prover *p, const cuzk_prover_options *o, cuzk_err *err)
{
    const cuzk_pool_cfg cfg = {.n_threads = o->threads};
    if (o->workers > LIB_MAX_WORKERS) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "workers is %u, %u are the most", o->workers,
                         LIB_MAX_WORKERS);
    }
    p->limit = o->memory_bytes != 0 ? o->memory_bytes : UINT64_MAX;
    p->device_limit = o->device_memory_bytes;
    p->log = o->log;
    p->log_arg = o->log_arg;
    CUZK_TRY(cuzk_params_dir_choose(&p->dir, o->params_folder, err));
    p->dir.origin = o->params_folder != NULL ? "params_folder" : p->dir.origin;
    CUZK_TRY(cuzk_pool_create(&p->pool, &cfg, err));
    CUZK_TRY(cuzk_hashes_create(&p->hashes, err));
    CUZK_TRY(lib_devices_open(p, o->devices, err));
    return start_workers(p, o->workers != 0 ? o->workers : 2, err);
}

void lib_prover_for_program(cuzk_prover *p, const lib_program *program)
{
    p->program_trace = program->trace;
    if (program->params_origin != NULL) {
        p->dir.origin = program->params_origin;
    }
}

cuzk_status cuzk_prover_create(cuzk_prover **out, const cuzk_prover_options *options,
                               cuzk_error *error)
{
    cuzk_prover_options o = {.struct_size = sizeof(o)};
    cuzk_err err = {.msg = ""};
    if (options != NULL) {
        CUZK_TRY(lib_take(&o, sizeof(o), options, "cuzk_prover_options", error));
    }
    cuzk_prover *p = cuzk_alloc_zero(1, sizeof(*p));
    if (p == NULL) {
        return lib_fail(error, CUZK_E_NOMEM, "prover: out of memory");
    }
    p->refs = 1;
    init_lock(p);
    const cuzk_status st = open_prover(p, &o, &err);
    if (st != CUZK_OK) {
        cuzk_prover_destroy(p);
        return lib_error(error, st, &err);
    }
    *out = p;
    return CUZK_OK;
}

void cuzk_prover_destroy(cuzk_prover *p)
{
    if (p == NULL) {
        return;
    }
    stop_workers(p);
    lib_keys_free(p);
    lib_circom_close_devices(p);
    lib_devices_close(p);
    cuzk_hashes_destroy(p->hashes);
    cuzk_pool_destroy(p->pool);
    lib_prover_unref(p);
}
