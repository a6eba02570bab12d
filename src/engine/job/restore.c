/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Queues the unfinished jobs of an earlier run. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "engine/job/accept_internal.h"

typedef struct taking_up {
    cuzk_engine *e;
    cuzk_status st;
    cuzk_err *err;
} taking_up;

/* There may be more jobs than the queue accepts now. */
LOCKED cuzk_status cuzk_engine_reserve_queues(job_queues *queues, uint32_t n, cuzk_err *err)
{
    cuzk_sched *const all[] = {&queues->prep, &queues->ready, &queues->on_device,
                               &queues->to_verify, &queues->to_aggregate};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        CUZK_TRY(cuzk_sched_reserve(all[i], n, err));
    }
    return CUZK_OK;
}

void cuzk_job_set_deadline(job *j, int64_t deadline_unix_ms)
{
    j->deadline_unix_ms = deadline_unix_ms;
    j->deadline_ns = 0;
    if (deadline_unix_ms != 0) {
        const int64_t left_ms = deadline_unix_ms - cuzk_engine_unix_ms();
        j->deadline_ns = left_ms > 0 ? j->accepted_ns + (uint64_t)left_ms * MS_NS : 1;
    }
}

LOCKED static bool is_in_table(const job_table *jobs, uint64_t number)
{
    const job *j = jobs->first;
    while (j != NULL && j->number != number) {
        j = j->next;
    }
    return j != NULL;
}

cuzk_status cuzk_job_restore(cuzk_engine *e, const cuzk_job_record *r, cuzk_err *err)
{
    job *j = NULL;
    cuzk_status st = cuzk_job_new(&j, &r->request, NULL, r->content, err);
    if (st != CUZK_OK) {
        return st;
    }
    j->number = r->number;
    j->accepted_unix_ms = r->accepted_unix_ms;
    /* its waiters ended with the old process; a caller that asks again joins it */
    j->is_watched_only = false;
    cuzk_job_set_deadline(j, r->deadline_unix_ms);
    cuzk_err plan_err = {.msg = ""};
    const cuzk_status planned = e->backend->plan(e->backend->arg, &j->rq, &j->plan, &plan_err);
    cuzk_engine_lock(e);
    (void)snprintf(j->id, sizeof(j->id), "%s", r->job_id);
    /* a caller may have begun to wait for the job, of a shared queue, since it was claimed: it is claimed again then */
    st = is_in_table(&e->jobs, r->number)
             ? CUZK_E_EXISTS
             : cuzk_engine_reserve_queues(&e->queues, e->jobs.n_open + 1, err);
    if (st != CUZK_OK) {
        cuzk_job_unpin(j);
        cuzk_engine_unlock(e);
        return st;
    }
    e->jobs.n_open++;
    cuzk_job_insert(&e->jobs, j);
    cuzk_job_insert_id(&e->jobs, j);
    if (!cuzk_job_keep_block(&e->memory, j)) {
        if (e->store.read == NULL) {
            st = CUZK_FAIL(err, CUZK_E_BUDGET, "no memory for the stored jobs");
        } else {
            j->is_parked = true;
            cuzk_job_drop_block(j);
        }
    }
    cuzk_job_enqueue(e, j);
    if (planned != CUZK_OK) {
        cuzk_job_set_outcome(e, j, CUZK_JOB_FAILED, planned, plan_err.msg);
    }
    cuzk_engine_unlock(e);
    return st;
}

static void take_up_one(void *arg, const cuzk_job_record *r)
{
    taking_up *t = arg;
    if (t->st == CUZK_OK) {
        t->st = cuzk_job_restore(t->e, r, t->err);
    }
}

ALONE cuzk_status cuzk_engine_restore(cuzk_engine *e, cuzk_err *err)
{
    taking_up t = {.e = e, .st = CUZK_OK, .err = err};
    uint64_t next = 1;
    cuzk_err inner = {.msg = ""};
    const cuzk_status st = e->store.load(e->store.arg, take_up_one, &t, &next, &inner);
    if (st != CUZK_OK) {
        return CUZK_FAIL(err, st, "%s", inner.msg);
    }
    e->jobs.next_number = next != 0 ? next : 1;
    return t.st;
}
