/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Aggregates: one stage on the host's threads after the input has been parsed. */
#include "base/alloc.h"
#include "base/clock.h"
#include "engine/engine_internal.h"

LOCKED static job *next(cuzk_engine *e)
{
    const uint32_t best = cuzk_sched_best(&e->queues.to_aggregate, cuzk_clock_ns(), NULL, NULL);
    if (best == CUZK_SCHED_NONE) {
        return NULL;
    }
    const cuzk_sched_item item = cuzk_sched_take(&e->queues.to_aggregate, best);
    pthread_cond_broadcast(&e->locks.prep); /* room for another parsed aggregate */
    return item.owner;
}

/* After an error of the machine: queues the aggregate again, unless that has been tried too often. */
LOCKED static bool again(cuzk_engine *e, job *j, cuzk_status st, const char *why)
{
    job_partition *p = &j->partitions[0];
    cuzk_sched_item item;
    if (!cuzk_status_is_retryable(st) || ++p->errors >= MAX_ERRORS) {
        return false;
    }
    cuzk_job_item(j, 0, cuzk_clock_ns(), &item);
    if (!cuzk_sched_push(&e->queues.to_aggregate, &item)) {
        return false;
    }
    p->state = CUZK_PART_PENDING;
    cuzk_engine_log_job(e, 1, "aggregate.again", j, "why", why);
    pthread_cond_broadcast(&e->locks.aggregate);
    return true;
}

/* Takes out on success. */
LOCKED static void ended(cuzk_engine *e, job *j, cuzk_status st, uint8_t *out, size_t n,
                         const char *why)
{
    job_partition *p = &j->partitions[0];
    if (j->phase != PHASE_READY) { /* cancelled meanwhile */
        cuzk_free(out);
    } else if (st != CUZK_OK && !again(e, j, st, why)) {
        p->state = CUZK_PART_FAILED;
        cuzk_job_set_outcome(e, j, st == CUZK_E_CANCELLED ? CUZK_JOB_CANCELLED : CUZK_JOB_FAILED,
                             st, why);
    } else if (st == CUZK_OK) {
        p->state = CUZK_PART_DONE;
        j->n_done = 1;
        j->proof = out;
        j->proof_bytes = n;
        cuzk_job_set_outcome(e, j, CUZK_JOB_COMPLETED, CUZK_OK, NULL);
    }
}

LOCKED static void run(cuzk_engine *e, job *j)
{
    const cuzk_engine_backend *b = e->backend;
    uint8_t *out = NULL;
    size_t n = 0;
    cuzk_err err = {.msg = ""};
    j->partitions[0].state = CUZK_PART_AGGREGATE;
    j->input_users++;
    j->pins++;
    e->memory.n_busy++;
    const cuzk_span span = cuzk_stage_span_begin(e, j, 0, CUZK_STAGE_AGGREGATE);
    j->launched_ns = j->stage_begin_ns[CUZK_STAGE_AGGREGATE];
    cuzk_engine_unlock(e);
    const cuzk_status st =
        b->aggregate(b->arg, j->input, &out, &n, &j->cancel, cuzk_trace_in(e->trace, span), &err);
    cuzk_engine_lock(e);
    (void)cuzk_stage_span_end(e, j, 0, CUZK_STAGE_AGGREGATE, span, n);
    j->input_users--;
    e->memory.n_busy--;
    ended(e, j, st, out, n, err.msg);
    cuzk_job_release_input(e, j);
    cuzk_job_unpin(j);
    cuzk_engine_wake_memory(e);
    pthread_cond_broadcast(&e->locks.change);
}

void cuzk_aggregate_loop(worker *w)
{
    cuzk_engine *e = w->e;
    cuzk_engine_lock(e);
    while (!e->stop) {
        job *j = next(e);
        if (j != NULL) {
            run(e, j);
        } else {
            cuzk_engine_wait(e, &e->locks.aggregate);
        }
    }
    cuzk_engine_unlock(e);
}
