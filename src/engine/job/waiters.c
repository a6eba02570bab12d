/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Waits: each waiter gets one answer, or withdraws. */
#include "base/alloc.h"
#include "base/assert.h"
#include "engine/engine_internal.h"

static waiter **find(job_table *jobs, cuzk_wait id)
{
    waiter **at = &jobs->waits[id & (BUCKETS - 1)];
    while (*at != NULL && (*at)->id != id) {
        at = &(*at)->next_hash;
    }
    return at;
}

waiter *cuzk_waiter_add(job_table *jobs, job *j, cuzk_job_done_fn done, void *arg,
                        uint64_t until_ns)
{
    waiter *w = cuzk_alloc_zero(1, sizeof(*w));
    if (w != NULL) {
        *w = (waiter){
            .id = ++jobs->next_wait, .job = j, .done = done, .arg = arg, .until_ns = until_ns};
        w->next = j->waiters;
        j->waiters = w;
        waiter **at = find(jobs, w->id);
        w->next_hash = NULL;
        *at = w;
    }
    return w;
}

static void leave_job(waiter *w)
{
    waiter **at = &w->job->waiters;
    while (*at != w) {
        CUZK_ASSERT(*at != NULL);
        at = &(*at)->next;
    }
    *at = w->next;
}

static void leave_hash(job_table *jobs, waiter *w)
{
    waiter **at = find(jobs, w->id);
    CUZK_ASSERT(*at == w);
    *at = w->next_hash;
}

void cuzk_waiters_check(cuzk_engine *e, job *j)
{
    if (j->waiters == NULL && j->is_watched_only &&
        (j->phase < PHASE_ENDING || j->phase == PHASE_ELSEWHERE)) {
        cuzk_job_set_outcome(e, j, CUZK_JOB_CANCELLED, CUZK_E_CANCELLED, "the client has gone");
    }
}

void cuzk_waiter_call(cuzk_engine *e, waiter *w)
{
    job *j = w->job;
    cuzk_job_result result;
    leave_job(w);
    w->state = WAITER_CALLING;
    w->caller = pthread_self();
    j->pins++;
    cuzk_job_fill_result(j, &result);
    cuzk_engine_unlock(e);
    w->done(w->arg, &result);
    cuzk_engine_lock(e);
    leave_hash(&e->jobs, w);
    cuzk_free(w);
    pthread_cond_broadcast(&e->locks.change);
    cuzk_waiters_check(e, j);
    cuzk_job_unpin(j);
}

void cuzk_waiters_call_all(cuzk_engine *e, job *j)
{
    while (j->waiters != NULL) {
        cuzk_waiter_call(e, j->waiters);
    }
}

uint64_t cuzk_waiters_expire(cuzk_engine *e, uint64_t now_ns)
{
    uint64_t earliest = 0;
    for (job *j = e->jobs.first; j != NULL; j = j->next) {
        for (waiter *w = j->waiters; w != NULL; w = w->next) {
            if (w->until_ns != 0 && w->until_ns <= now_ns && w->state == WAITER_WAITING) {
                cuzk_waiter_call(e, w);
                return now_ns; /* the lists may have changed: again from the start */
            }
            if (w->until_ns != 0 && (earliest == 0 || w->until_ns < earliest)) {
                earliest = w->until_ns;
            }
        }
    }
    return earliest;
}

static bool withdraw(cuzk_engine *e, cuzk_wait wait, bool may_cancel)
{
    bool was_waiting = false;
    cuzk_engine_lock(e);
    for (;;) {
        waiter *w = wait != 0 ? *find(&e->jobs, wait) : NULL;
        if (w == NULL) {
            break;
        }
        if (w->state == WAITER_WAITING) {
            job *j = w->job;
            leave_job(w);
            leave_hash(&e->jobs, w);
            cuzk_free(w);
            if (may_cancel) {
                cuzk_waiters_check(e, j);
            }
            was_waiting = true;
            break;
        }
        if (pthread_equal(w->caller, pthread_self())) {
            break;
        }
        cuzk_engine_wait(e, &e->locks.change);
    }
    cuzk_engine_unlock(e);
    return was_waiting;
}

bool cuzk_engine_unwait(cuzk_engine *e, cuzk_wait wait)
{
    return withdraw(e, wait, true);
}

bool cuzk_engine_leave(cuzk_engine *e, cuzk_wait wait)
{
    return withdraw(e, wait, false);
}
