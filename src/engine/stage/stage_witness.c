/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Starting partitions: memory, circuit and parameters first, then the witness. */
#include "base/assert.h"
#include "base/clock.h"
#include "engine/engine_internal.h"

/* CRITICAL work does not wait for room in the device queue: it goes to the device next. */
static bool is_urgent(const job *j)
{
    return j->class_base == CUZK_PRIORITY_CRITICAL;
}

/* Number of partitions that have been started and are not on a device yet, without urgent ones. */
LOCKED static uint32_t n_ahead(const flight_table *flights)
{
    uint32_t n = 0;
    for (const flight *f = flights->first; f != NULL; f = f->next) {
        if (f->job != NULL && !is_urgent(f->job) && f->device < 0 && !f->is_foreign) {
            n++;
        }
    }
    return n;
}

/* Enough witnesses for all slots; where points stream, as many as one pass serves. */
LOCKED static bool has_room(const cuzk_engine *e, const job *j)
{
    return is_urgent(j) || n_ahead(&e->flights) < e->devices.n_primary * e->devices.slots *
                                                      cuzk_device_keys_batch(e, j->circuit);
}

typedef struct start_search {
    cuzk_engine *e;
    bool is_express;
} start_search;

LOCKED static bool can_start_loaded(void *arg, const cuzk_sched_item *item)
{
    const start_search *p = arg;
    return cuzk_circuit_is_loaded(&p->e->memory, item->circuit) &&
           (!p->is_express || cuzk_job_is_privileged(NULL, item));
}

/* Reserves memory and starts the item at an index; NULL when there is no memory now. */
LOCKED static flight *start(cuzk_engine *e, uint32_t index, bool may_evict, uint64_t now)
{
    const cuzk_sched_item item = e->queues.ready.items[index];
    job *j = item.owner;
    const cuzk_backend_circuit *c = &e->backend->circuits[item.circuit];
    cuzk_reservation memory = {0, false};
    if (!cuzk_engine_take_host(e, &memory, c->witness_bytes + c->prove_bytes, j->is_privileged,
                               may_evict, now)) {
        return NULL;
    }
    flight *f = cuzk_flight_start(e, j, item.partition, now);
    if (f == NULL) {
        cuzk_engine_give_host(e, &memory, 0);
        cuzk_job_set_outcome(e, j, CUZK_JOB_FAILED, CUZK_E_NOMEM, "no memory for a partition");
        return NULL;
    }
    f->memory = memory;
    cuzk_job_clock_wait(&j->clock, CUZK_JOB_WAITS_NEXT, now);
    if (j->launched_ns == 0) {
        j->launched_ns = now;
    }
    return f;
}

/* True when no load and no key waits for the memory that a partition of this job would take. */
LOCKED static bool has_memory(const cuzk_engine *e, const job *j)
{
    const cuzk_backend_circuit *c = &e->backend->circuits[j->circuit];
    const uint64_t held = cuzk_loads_starved_bytes(e);
    return j->is_privileged ||
           (!cuzk_device_keys_starved(&e->devices) &&
            (held == 0 ||
             cuzk_budget_fits(&e->memory.host, held + c->witness_bytes + c->prove_bytes, false)));
}

LOCKED static flight *next(cuzk_engine *e, bool is_express)
{
    const uint64_t now = cuzk_clock_ns();
    start_search p = {e, is_express};
    uint32_t best =
        cuzk_sched_best(&e->queues.ready, now, is_express ? cuzk_job_is_privileged : NULL, NULL);
    if (best == CUZK_SCHED_NONE) {
        return NULL;
    }
    job *j = e->queues.ready.items[best].owner;
    if (cuzk_circuit_is_out(&e->devices, j->circuit, now)) {
        cuzk_circuit_fail_job(e, j, j->circuit);
        pthread_cond_broadcast(&e->locks.witness); /* another worker may start the next one */
        return NULL;
    }
    if (!has_room(e, j)) {
        return NULL;
    }
    if (cuzk_circuit_is_loaded(&e->memory, j->circuit)) {
        cuzk_job_clock_wait(&j->clock, CUZK_JOB_WAITS_NEXT, now);
        return has_memory(e, j) ? start(e, best, true, now) : NULL;
    }
    cuzk_job_clock_wait(&j->clock, CUZK_JOB_WAITS_LOAD, now);
    cuzk_circuit_want(e, j->circuit);
    /* meanwhile others may go first, with memory that no job waits for */
    best = cuzk_sched_best(&e->queues.ready, now, can_start_loaded, &p);
    if (best == CUZK_SCHED_NONE) {
        return NULL;
    }
    j = e->queues.ready.items[best].owner;
    if (!has_memory(e, j) || !has_room(e, j)) {
        return NULL;
    }
    return start(e, best, false, now);
}

LOCKED uint32_t cuzk_witnesses_to_start(const cuzk_engine *e, uint32_t circuit)
{
    const cuzk_backend_circuit *c = &e->backend->circuits[circuit];
    uint32_t n = 0;
    if (!cuzk_circuit_is_loaded(&e->memory, circuit) ||
        !cuzk_budget_fits(&e->memory.host, c->witness_bytes + c->prove_bytes, false)) {
        return 0;
    }
    for (uint32_t i = 0; i < e->queues.ready.n; i++) {
        const cuzk_sched_item *item = &e->queues.ready.items[i];
        n += item->circuit == circuit && has_memory(e, item->owner) && has_room(e, item->owner);
    }
    return n;
}

/*
 * Prepares the verification while a device has the witness. The flight and the job may end meanwhile. So job and
 * parameters are held here, and n_busy makes the engine's stop wait.
 */
LOCKED static void before_verify(cuzk_engine *e, job *j, uint32_t circuit, uint32_t partition)
{
    const cuzk_engine_backend *b = e->backend;
    const uint32_t id = cuzk_engine_load_id(circuit, CUZK_LOAD_PARAMS);
    cuzk_span_tags tags = CUZK_SPAN_TAGS_INIT;
    tags.job = (int64_t)j->number;
    tags.partition = (int32_t)partition;
    void *params = cuzk_load_ref(&e->memory.cache, id);
    j->input_users++;
    j->pins++;
    e->memory.n_busy++;
    const cuzk_span span = cuzk_span_begin(e->trace, "before_verify", &tags);
    cuzk_engine_unlock(e);
    b->before_verify(b->arg, j->input, params, partition, cuzk_trace_in(e->trace, span));
    cuzk_engine_lock(e);
    cuzk_span_end(e->trace, span, 0);
    cuzk_load_unref(&e->memory.cache, id, cuzk_clock_ns());
    cuzk_engine_drop_suspect(e, circuit);
    j->input_users--;
    e->memory.n_busy--;
    cuzk_job_release_input(e, j);
    cuzk_job_unpin(j);
    cuzk_engine_wake_memory(e);
}

LOCKED static void run(cuzk_engine *e, flight *f)
{
    const cuzk_engine_backend *b = e->backend;
    job *j = f->job;
    void *circuit =
        e->memory.cache.entries[cuzk_engine_load_id(f->circuit, CUZK_LOAD_CIRCUIT)].object;
    cuzk_err err = {.msg = ""};
    j->input_users++;
    j->has_begun_witness = true;
    const cuzk_span span = cuzk_stage_span_begin(e, j, f->partition, CUZK_STAGE_WITNESS);
    cuzk_engine_unlock(e);
    const cuzk_status st = b->witness(b->arg, j->input, circuit, f->partition, &f->witness,
                                      &f->cancel, cuzk_trace_in(e->trace, span), &err);
    cuzk_engine_lock(e);
    const uint64_t now = cuzk_stage_span_end(e, j, f->partition, CUZK_STAGE_WITNESS, span, 0);
    j->witness_ns += now - j->partitions[f->partition].begin_ns[CUZK_STAGE_WITNESS];
    if (!j->has_witness) {
        j->has_witness = true;
        pthread_cond_broadcast(&e->locks.change); /* the check may be waiting for this witness */
    }
    /* the check's message is better than this failure's */
    while (st != CUZK_OK && j->is_checking) {
        cuzk_engine_wait(e, &e->locks.change);
    }
    j->input_users--;
    f->is_busy = false;
    if (j->phase != PHASE_READY) {
        cuzk_flight_drop(e, f);
        cuzk_job_release_input(e, j);
    } else if (st != CUZK_OK) {
        cuzk_flight_failed(e, f, st, err.msg);
    } else {
        cuzk_sched_item item;
        cuzk_job_item(j, f->partition, now, &item);
        j->partitions[f->partition].state = CUZK_PART_WITNESS_DONE;
        if (!cuzk_sched_push(&e->queues.on_device, &item)) {
            cuzk_flight_failed(e, f, CUZK_E_BUDGET, "too many partitions wait for a device");
            return;
        }
        pthread_cond_broadcast(&e->locks.device);
        if (b->before_verify != NULL) {
            before_verify(e, j, f->circuit, f->partition);
        }
    }
}

void cuzk_witness_loop(worker *w)
{
    cuzk_engine *e = w->e;
    cuzk_engine_lock(e);
    while (!e->stop) {
        flight *f = next(e, w->is_express);
        if (f != NULL) {
            run(e, f);
        } else {
            cuzk_engine_wait(e, &e->locks.witness);
        }
    }
    cuzk_engine_unlock(e);
}
