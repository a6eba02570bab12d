/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What callers call: submit, await, prove, cancel. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "engine/job/accept_internal.h"

static uint32_t position_of(const cuzk_engine *e, const job *j)
{
    const cuzk_sched *queues[] = {&e->prep, &e->ready};
    cuzk_sched_item mine;
    uint32_t n = 0;
    const uint64_t now = cuzk_clock_ns();
    cuzk_job_item(j, 0, now, &mine);
    for (size_t q = 0; q < 2; q++) {
        for (uint32_t i = 0; i < queues[q]->n; i++) {
            const cuzk_sched_item *other = &queues[q]->items[i];
            n += other->job != j->number && cuzk_sched_before(queues[q], other, &mine, now) ? 1 : 0;
        }
    }
    return n;
}

cuzk_status cuzk_engine_submit(cuzk_engine *e, const cuzk_job_request *request,
                               const cuzk_owned_block *block, char *job_id, uint32_t *position,
                               cuzk_err *err)
{
    job *j = NULL;
    const cuzk_status st = cuzk_job_accept(e, request, block, &j, err);
    if (st == CUZK_OK) {
        memcpy(job_id, j->id, CUZK_JOB_ID_BYTES);
        if (position != NULL) {
            *position = j->phase == PHASE_PREP || j->phase == PHASE_READY ? position_of(e, j) : 0;
        }
        cuzk_job_unpin(e, j);
    }
    pthread_mutex_unlock(&e->mu);
    return st;
}

/* Waits on a pinned job, with the lock held; lets go of pin and lock. */
static cuzk_status wait_on(cuzk_engine *e, job *j, uint64_t timeout_ms, cuzk_job_done_fn done,
                           void *arg, cuzk_wait *wait, cuzk_err *err)
{
    *wait = 0;
    if (j->phase == PHASE_ENDED) {
        cuzk_job_result result;
        cuzk_job_fill_result(j, &result);
        pthread_mutex_unlock(&e->mu);
        done(arg, &result);
        pthread_mutex_lock(&e->mu);
        cuzk_job_unpin(e, j);
        pthread_mutex_unlock(&e->mu);
        return CUZK_OK;
    }
    uint64_t until = 0;
    if (timeout_ms != 0) {
        const uint64_t now = cuzk_clock_ns();
        until = timeout_ms < (UINT64_MAX - now) / MS_NS ? now + timeout_ms * MS_NS : UINT64_MAX;
    }
    waiter *w = cuzk_waiter_add(e, j, done, arg, until);
    if (w != NULL) {
        *wait = w->id;
        pthread_cond_signal(&e->cv_timer);
    } else {
        cuzk_waiters_check(e, j); /* it would have been watched */
    }
    cuzk_job_unpin(e, j);
    pthread_mutex_unlock(&e->mu);
    return w != NULL ? CUZK_OK : CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for a wait");
}

cuzk_status cuzk_engine_await(cuzk_engine *e, const char *job_id, uint64_t timeout_ms,
                              cuzk_job_done_fn done, void *arg, cuzk_wait *wait, cuzk_err *err)
{
    pthread_mutex_lock(&e->mu);
    job *j = cuzk_job_by_id(e, job_id);
    while (j != NULL && j->phase == PHASE_ACCEPTING) {
        pthread_cond_wait(&e->cv_change, &e->mu);
        j = cuzk_job_by_id(e, job_id);
    }
    if (j != NULL) {
        j->pins++;
        return wait_on(e, j, timeout_ms, done, arg, wait, err);
    }
    pthread_mutex_unlock(&e->mu);
    CUZK_TRY(cuzk_job_find_stored_id(e, job_id, &j, err));
    pthread_mutex_lock(&e->mu);
    return wait_on(e, j, timeout_ms, done, arg, wait, err);
}

cuzk_status cuzk_engine_prove(cuzk_engine *e, const cuzk_job_request *request,
                              const cuzk_owned_block *block, cuzk_job_done_fn done, void *arg,
                              cuzk_wait *wait, cuzk_err *err)
{
    job *j = NULL;
    const cuzk_status st = cuzk_job_accept(e, request, block, &j, err);
    if (st != CUZK_OK) {
        pthread_mutex_unlock(&e->mu);
        return st;
    }
    return wait_on(e, j, 0, done, arg, wait, err);
}

cuzk_status cuzk_engine_cancel(cuzk_engine *e, const char *job_id, bool *was_running, cuzk_err *err)
{
    pthread_mutex_lock(&e->mu);
    job *j = cuzk_job_by_id(e, job_id);
    if (j != NULL) {
        *was_running = j->phase != PHASE_ENDED && j->state == CUZK_JOB_RUNNING;
        cuzk_job_over(e, j, CUZK_JOB_CANCELLED, CUZK_E_CANCELLED, "cancelled");
        pthread_mutex_unlock(&e->mu);
        return CUZK_OK;
    }
    pthread_mutex_unlock(&e->mu);
    CUZK_TRY(cuzk_job_find_stored_id(e, job_id, &j, err));
    *was_running = false;
    cuzk_job_unpin(e, j);
    return CUZK_OK;
}
