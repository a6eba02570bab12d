/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Parse and check: from a request's bytes to a job whose partitions can be started. */
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "engine/engine_internal.h"
#include "engine/job/accept_internal.h"

#define WITNESS_BEGINS_NS (20 * MS_NS) /* time for a witness worker to begin; later, none is idle */

static uint64_t block_need(const job *j)
{
    return j->is_parked ? j->block_bytes : 0;
}

/* Reserves memory for the input; false: there is none now. */
LOCKED static bool reserve(cuzk_engine *e, job *j, uint64_t now)
{
    const uint64_t need = j->plan.input_bytes;
    /* a single input may be larger than the limit; it then runs alone */
    if (!j->is_privileged && e->memory.input_used != 0 &&
        e->memory.input_used + need > e->memory.input_limit) {
        return false;
    }
    if (j->block_memory.bytes == 0 && block_need(j) != 0) {
        if (!cuzk_engine_take_host(e, &j->block_memory, block_need(j), j->is_privileged, true,
                                   now)) {
            return false;
        }
        e->memory.block_used += j->block_memory.bytes;
    }
    if (!cuzk_engine_take_host(e, &j->input_memory, need, j->is_privileged, true, now)) {
        e->memory.block_used -= j->is_parked ? j->block_memory.bytes : 0;
        if (j->is_parked) {
            cuzk_engine_give_host(e, &j->block_memory, 0);
        }
        return false;
    }
    e->memory.input_used += j->input_memory.bytes;
    return true;
}

/* Number of parsed jobs whose partitions have not all been started. */
LOCKED static uint32_t n_parsed(const job_queues *queues)
{
    return queues->ready.n;
}

/* True when enough parsed aggregates wait: another one must not keep proofs from being parsed. */
LOCKED static bool is_welcome(void *arg, const cuzk_sched_item *item)
{
    const cuzk_engine *e = arg;
    const job *j = item->owner;
    return j->rq.kind != CUZK_JOB_AGGREGATE || e->queues.to_aggregate.n < AGGREGATES_AHEAD;
}

/* above: take only a job that goes before this one; NULL: take any. */
LOCKED static job *next(cuzk_engine *e, bool is_express, const job *above)
{
    const uint64_t now = cuzk_clock_ns();
    const uint32_t best =
        cuzk_sched_best(&e->queues.prep, now, is_express ? cuzk_job_is_privileged : is_welcome, e);
    if (best == CUZK_SCHED_NONE) {
        return NULL;
    }
    job *j = e->queues.prep.items[best].owner;
    const bool is_urgent = j->class_base == CUZK_PRIORITY_CRITICAL;
    if (above != NULL && !is_urgent && j->class_base <= above->class_base) {
        return NULL;
    }
    if (!is_urgent && j->rq.kind != CUZK_JOB_AGGREGATE &&
        n_parsed(&e->queues) >= e->queues.ready_limit) {
        return NULL;
    }
    const uint64_t held = j->is_privileged ? 0 : cuzk_loads_starved_bytes(e);
    const uint64_t need = j->plan.input_bytes + (j->block_memory.bytes == 0 ? block_need(j) : 0);
    if (held != 0 && !cuzk_budget_fits(&e->memory.host, held + need, false)) {
        return NULL;
    }
    if (!reserve(e, j, now)) {
        return NULL;
    }
    (void)cuzk_sched_take(&e->queues.prep, best);
    return j;
}

/* The proofs of a parked job, in a block of their own. */
typedef struct parked_read {
    job copy; /* only what cuzk_job_take_request fills */
    cuzk_status st;
    cuzk_err err;
} parked_read;

static void take_read(void *arg, const cuzk_job_record *r)
{
    parked_read *t = arg;
    t->st = cuzk_job_take_request(&t->copy, &r->request, NULL, &t->err);
}

/* Reads the proofs of a parked job back. Releases the lock meanwhile. */
LOCKED static cuzk_status read_parked(cuzk_engine *e, job *j, cuzk_err *err)
{
    parked_read *t = cuzk_alloc_zero(1, sizeof(*t));
    if (t == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for a stored request");
    }
    cuzk_err inner = {.msg = ""};
    cuzk_engine_unlock(e);
    cuzk_status st = e->store.read(e->store.arg, j->number, take_read, t, &inner);
    cuzk_engine_lock(e);
    if (st != CUZK_OK) {
        st = CUZK_FAIL(err, st, "%s", inner.msg);
    } else if (t->st != CUZK_OK) {
        st = CUZK_FAIL(err, t->st, "%s", t->err.msg);
    } else {
        j->views = t->copy.small;
        j->rq.vanilla_proof = t->copy.rq.vanilla_proof;
        j->rq.vanilla_proofs = t->copy.rq.vanilla_proofs;
        j->rq.n_vanilla_proofs = t->copy.rq.n_vanilla_proofs;
        j->block = t->copy.block;
        j->has_block = true;
    }
    cuzk_free(t);
    return st;
}

/* With the lock: the job gets the parsed input, and its bytes are freed. */
LOCKED static cuzk_status take_input(cuzk_engine *e, job *j, const cuzk_backend_input *in,
                                     cuzk_err *err)
{
    job_partition *partitions = cuzk_alloc_zero(in->n_partitions, sizeof(*partitions));
    j->input = in->object;
    j->circuit = in->circuit;
    if (partitions == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for %u partitions", in->n_partitions);
    }
    for (uint32_t i = 0; i < in->n_partitions; i++) {
        partitions[i].device = -1;
        partitions[i].stage = CUZK_STAGE_CHECK;
        for (int s = 0; s <= CUZK_STAGE_PARSE; s++) {
            partitions[i].begin_ns[s] = j->stage_begin_ns[s];
            partitions[i].end_ns[s] = j->stage_end_ns[s];
        }
    }
    j->partitions = partitions;
    j->n_partitions = in->n_partitions;
    cuzk_part_begin(j);
    if (in->bytes < j->input_memory.bytes) {
        e->memory.input_used -= j->input_memory.bytes - in->bytes;
        cuzk_engine_give_host(e, &j->input_memory, in->bytes);
    }
    CUZK_TRY(cuzk_engine_can_prove(e, j->circuit, j->is_privileged, err));
    return cuzk_engine_can_fit(e, j->circuit, in->bytes, j->is_privileged, err);
}

LOCKED static void drop_block(cuzk_engine *e, job *j)
{
    cuzk_engine_unlock(e);
    cuzk_job_drop_block(j);
    cuzk_engine_lock(e);
    e->memory.block_used -= j->block_memory.bytes;
    cuzk_engine_give_host(e, &j->block_memory, 0);
}

/*
 * With the lock, which is released meanwhile. *may_start: partitions may be started before the check has
 * ended.
 */
LOCKED static cuzk_status parse(cuzk_engine *e, job *j, bool *may_start, cuzk_err *err)
{
    const cuzk_engine_backend *b = e->backend;
    cuzk_backend_input in = {.object = NULL};
    cuzk_status st = CUZK_OK;
    const cuzk_span span = cuzk_stage_span_begin(e, j, 0, CUZK_STAGE_PARSE);
    *may_start = false;
    if (j->is_parked && !j->has_block) {
        st = read_parked(e, j, err);
    }
    if (st == CUZK_OK) {
        cuzk_engine_unlock(e);
        st = b->parse(b->arg, &j->rq, &in, &j->cancel, err);
        *may_start = st == CUZK_OK && b->may_start != NULL && b->may_start(b->arg, in.object);
        cuzk_engine_lock(e);
    }
    (void)cuzk_stage_span_end(e, j, 0, CUZK_STAGE_PARSE, span, j->block_bytes);
    if (st == CUZK_OK) {
        st = take_input(e, j, &in, err);
    }
    drop_block(e, j); /* nothing points into it any more */
    return st;
}

/* Lets the job's partitions be started. */
LOCKED static void launch(cuzk_engine *e, job *j)
{
    cuzk_sched_item item;
    const uint64_t now = cuzk_clock_ns();
    j->phase = PHASE_READY;
    j->ready_ns = now;
    j->prep_ns = now - j->started_ns;
    cuzk_job_item(j, 0, now, &item);
    const bool is_aggregate = j->rq.kind == CUZK_JOB_AGGREGATE;
    if (j->is_spread || j->part_of != 0) { /* other engines may have some of them, or all */
        cuzk_flight_queue_next(e, j, now);
        cuzk_part_moved(&e->store, j); /* other engines may have proved some already */
        return;
    }
    if (!cuzk_sched_push(is_aggregate ? &e->queues.to_aggregate : &e->queues.ready, &item)) {
        cuzk_job_set_outcome(e, j, CUZK_JOB_FAILED, CUZK_E_BUDGET, "too many jobs");
    }
    pthread_cond_broadcast(is_aggregate ? &e->locks.aggregate : &e->locks.witness);
}

LOCKED static void run(const worker *w, job *j, bool may_wait);

/*
 * Devices are idle until there is a witness, and making it takes all threads. So the check of a job whose partitions
 * may be started waits for the job's first witness, if that is made next, and then runs while a device proves.
 * Meanwhile the worker that waits prepares jobs of a higher class, or CRITICAL ones.
 */
LOCKED static void await_first_witness(const worker *w, const job *j)
{
    cuzk_engine *e = w->e;
    const uint64_t until = cuzk_clock_ns() + WITNESS_BEGINS_NS;
    while (!e->stop && j->phase == PHASE_READY && !j->has_witness) {
        job *urgent = next(e, w->is_express, j);
        if (urgent != NULL) {
            run(w, urgent, false);
        } else if (j->has_begun_witness) {
            cuzk_engine_wait(e, &e->locks.change);
        } else if (cuzk_clock_ns() < until && cuzk_witnesses_to_start(e, j->circuit) != 0) {
            cuzk_engine_wait_until(e, &e->locks.change, until);
        } else {
            return;
        }
    }
}

/*
 * With the lock, which is released meanwhile. may_start: the partitions are started at once. may_wait: the check may
 * wait for the first witness.
 */
LOCKED static cuzk_status check(const worker *w, job *j, bool may_start, bool may_wait,
                                cuzk_err *err)
{
    cuzk_engine *e = w->e;
    const cuzk_engine_backend *b = e->backend;
    if (may_start && j->phase == PHASE_PREPPING) {
        j->is_checking = true;
        launch(e, j);
        if (may_wait) {
            await_first_witness(w, j);
        }
    }
    const cuzk_span span = cuzk_stage_span_begin(e, j, 0, CUZK_STAGE_CHECK);
    cuzk_engine_unlock(e);
    const cuzk_status st =
        b->check(b->arg, j->input, &j->cancel, cuzk_trace_in(e->trace, span), err);
    cuzk_engine_lock(e);
    (void)cuzk_stage_span_end(e, j, 0, CUZK_STAGE_CHECK, span, 0);
    for (uint32_t i = 0; i < j->n_partitions; i++) {
        j->partitions[i].begin_ns[CUZK_STAGE_CHECK] = j->stage_begin_ns[CUZK_STAGE_CHECK];
        j->partitions[i].end_ns[CUZK_STAGE_CHECK] = j->stage_end_ns[CUZK_STAGE_CHECK];
    }
    return st;
}

LOCKED static void run(const worker *w, job *j, bool may_wait)
{
    cuzk_engine *e = w->e;
    cuzk_err err = {.msg = ""};
    bool may_start = false;
    j->phase = PHASE_PREPPING;
    j->state = CUZK_JOB_RUNNING;
    j->started_ns = cuzk_clock_ns();
    j->input_users++;
    j->pins++;
    e->memory.n_busy++;
    cuzk_engine_log_job(e, 2, "job.started", j, NULL, NULL);
    cuzk_status st = cuzk_shared_start(e, j, &err);
    if (st == CUZK_OK) {
        cuzk_part_open_early(e, j);
        st = parse(e, j, &may_start, &err);
        if (st == CUZK_OK) {
            cuzk_part_open(e, j);
        }
    } else {
        drop_block(e, j);
    }
    if (st == CUZK_OK) {
        st = check(w, j, may_start, may_wait, &err);
    }
    j->input_users--;
    e->memory.n_busy--;
    if (st != CUZK_OK) {
        cuzk_job_set_outcome(e, j, st == CUZK_E_CANCELLED ? CUZK_JOB_CANCELLED : CUZK_JOB_FAILED,
                             st, err.msg);
    } else if (j->phase == PHASE_PREPPING) {
        launch(e, j);
    }
    if (j->is_checking) { /* wakes threads that wait for the check, after a failure has become the job's */
        j->is_checking = false;
        pthread_cond_broadcast(&e->locks.verify);
        pthread_cond_broadcast(&e->locks.change);
    }
    cuzk_job_release_input(e, j);
    cuzk_job_unpin(j);
    cuzk_engine_wake_memory(e);
}

void cuzk_prep_loop(worker *w)
{
    cuzk_engine *e = w->e;
    cuzk_engine_lock(e);
    while (!e->stop) {
        job *j = next(e, w->is_express, NULL);
        if (j != NULL) {
            run(w, j, true);
        } else {
            cuzk_engine_wait(e, &e->locks.prep);
        }
    }
    cuzk_engine_unlock(e);
}
