/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The calls of the public interface: submit, await, prove, cancel. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "engine/job/accept_internal.h"

static uint32_t position_of(const job_queues *queues, const job *j)
{
    const cuzk_sched *waiting[] = {&queues->prep, &queues->ready, &queues->to_aggregate};
    cuzk_sched_item mine;
    uint32_t n = 0;
    const uint64_t now = cuzk_clock_ns();
    cuzk_job_item(j, 0, now, &mine);
    for (size_t q = 0; q < sizeof(waiting) / sizeof(waiting[0]); q++) {
        for (uint32_t i = 0; i < waiting[q]->n; i++) {
            const cuzk_sched_item *other = &waiting[q]->items[i];
            n +=
                other->job != j->number && cuzk_sched_before(waiting[q], other, &mine, now) ? 1 : 0;
        }
    }
    return n;
}

cuzk_status cuzk_engine_submit(cuzk_engine *e, const cuzk_job_request *request,
                               const cuzk_owned_block *block, char *job_id, uint32_t *position,
                               cuzk_err *err)
{
    job *j = NULL;
    cuzk_engine_lock(e);
    const cuzk_status st = cuzk_job_accept(e, request, block, &j, err);
    if (st == CUZK_OK) {
        memcpy(job_id, j->id, CUZK_JOB_ID_BYTES);
        if (position != NULL) {
            *position =
                j->phase == PHASE_PREP || j->phase == PHASE_READY ? position_of(&e->queues, j) : 0;
        }
        cuzk_job_unpin(j);
    }
    cuzk_engine_unlock(e);
    return st;
}

/* Waits on a pinned job and unpins it. Releases the lock meanwhile. */
LOCKED static cuzk_status wait_on(cuzk_engine *e, job *j, uint64_t timeout_ms,
                                  cuzk_job_done_fn done, void *arg, cuzk_wait *wait, cuzk_err *err)
{
    cuzk_status st = CUZK_OK;
    *wait = 0;
    if (j->phase == PHASE_ENDED) {
        cuzk_job_result result;
        cuzk_job_fill_result(j, &result);
        cuzk_engine_unlock(e);
        done(arg, &result);
        cuzk_engine_lock(e);
        cuzk_job_unpin(j);
        return CUZK_OK;
    }
    uint64_t until = 0;
    if (timeout_ms != 0) {
        const uint64_t now = cuzk_clock_ns();
        until = timeout_ms < (UINT64_MAX - now) / MS_NS ? now + timeout_ms * MS_NS : UINT64_MAX;
    }
    waiter *w = cuzk_waiter_add(&e->jobs, j, done, arg, until);
    if (w != NULL) {
        *wait = w->id;
        pthread_cond_signal(&e->locks.timer);
    } else {
        st = CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for a wait");
        /* this wait would have kept the job: the job is cancelled if no other waiter does */
        cuzk_waiters_check(e, j);
    }
    cuzk_job_unpin(j);
    return st;
}

/* A job in memory. Waits while the job is being accepted, since its id may still become another job's. */
LOCKED static job *job_in_memory(cuzk_engine *e, const char *job_id)
{
    job *j = cuzk_job_by_id(&e->jobs, job_id);
    while (j != NULL && j->phase == PHASE_ACCEPTING) {
        cuzk_engine_wait(e, &e->locks.change);
        j = cuzk_job_by_id(&e->jobs, job_id);
    }
    return j;
}

/*
 * The job of an id, with one pin, from memory or, when it is over, from the store. Releases the lock
 * meanwhile. E_NOT_FOUND; E_IO: it is over, and the store could not record that.
 */
LOCKED static cuzk_status find_job(cuzk_engine *e, const char *job_id, job **out, cuzk_err *err)
{
    *out = job_in_memory(e, job_id);
    if (*out != NULL) {
        (*out)->pins++;
        return CUZK_OK;
    }
    cuzk_engine_unlock(e);
    const cuzk_status st = cuzk_job_find_stored_id(e, job_id, out, err);
    cuzk_engine_lock(e);
    if (st != CUZK_OK || *out != NULL) {
        return st;
    }
    *out = job_in_memory(e, job_id); /* accepted while the lock was released */
    if (*out != NULL) {
        (*out)->pins++;
        return CUZK_OK;
    }
    return CUZK_FAIL(
        err, CUZK_E_IO,
        "job %s is over, but the job store could not record its result: it is proved again "
        "after the next start, or when it is submitted again",
        job_id);
}

cuzk_status cuzk_engine_await(cuzk_engine *e, const char *job_id, uint64_t timeout_ms,
                              cuzk_job_done_fn done, void *arg, cuzk_wait *wait, cuzk_err *err)
{
    job *j = NULL;
    cuzk_engine_lock(e);
    cuzk_status st = find_job(e, job_id, &j, err);
    if (st == CUZK_OK) {
        st = wait_on(e, j, timeout_ms, done, arg, wait, err);
    }
    cuzk_engine_unlock(e);
    return st;
}

cuzk_status cuzk_engine_prove(cuzk_engine *e, const cuzk_job_request *request,
                              const cuzk_owned_block *block, cuzk_job_done_fn done, void *arg,
                              cuzk_wait *wait, cuzk_err *err)
{
    job *j = NULL;
    cuzk_engine_lock(e);
    cuzk_status st = cuzk_job_accept(e, request, block, &j, err);
    if (st == CUZK_OK) {
        st = wait_on(e, j, 0, done, arg, wait, err);
    }
    cuzk_engine_unlock(e);
    return st;
}

cuzk_status cuzk_engine_cancel(cuzk_engine *e, const char *job_id, bool *was_running, cuzk_err *err)
{
    job *j = NULL;
    cuzk_engine_lock(e);
    const cuzk_status st = find_job(e, job_id, &j, err);
    if (st == CUZK_OK) {
        *was_running = j->phase != PHASE_ENDED && j->state == CUZK_JOB_RUNNING;
        cuzk_job_set_outcome(e, j, CUZK_JOB_CANCELLED, CUZK_E_CANCELLED, "cancelled");
        cuzk_job_unpin(j);
    }
    cuzk_engine_unlock(e);
    return st;
}
