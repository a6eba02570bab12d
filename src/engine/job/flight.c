/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* How started partitions (flights) begin, fail and end. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "base/clock.h"
#include "engine/engine_internal.h"

/* The activity that a stage is for the job's clock; false: none of its own. */
static bool activity_of(cuzk_stage s, cuzk_job_activity *out)
{
    switch (s) {
    case CUZK_STAGE_PARSE:
    case CUZK_STAGE_CHECK: *out = CUZK_JOB_PREPARES; return true;
    case CUZK_STAGE_WITNESS: *out = CUZK_JOB_WITNESSES; return true;
    case CUZK_STAGE_DEVICE: *out = CUZK_JOB_ON_DEVICE; return true;
    case CUZK_STAGE_VERIFY: *out = CUZK_JOB_VERIFIES; return true;
    case CUZK_STAGE_AGGREGATE: *out = CUZK_JOB_AGGREGATES; return true;
    case CUZK_STAGE_ACCEPT:
    case CUZK_STAGE_ASSEMBLE:
    case CUZK_STAGE_RETURN: break;
    }
    return false;
}

void cuzk_stage_begin(job *j, uint32_t partition, cuzk_stage s, uint64_t now_ns)
{
    cuzk_job_activity activity;
    if (activity_of(s, &activity)) {
        cuzk_job_clock_enter(&j->clock, activity, now_ns);
    }
    if (j->stage_begin_ns[s] == 0) {
        j->stage_begin_ns[s] = now_ns;
    }
    if (j->partitions != NULL) {
        job_partition *p = &j->partitions[partition];
        p->stage = s;
        p->begin_ns[s] = now_ns;
        p->end_ns[s] = 0;
    }
}

void cuzk_stage_end(engine_counts *counts, job *j, uint32_t partition, cuzk_stage s,
                    uint64_t now_ns)
{
    uint64_t begin = j->stage_begin_ns[s];
    cuzk_job_activity activity;
    if (activity_of(s, &activity)) {
        cuzk_job_clock_leave(&j->clock, activity, now_ns);
        if (s == CUZK_STAGE_PARSE) {
            cuzk_job_clock_wait(&j->clock, CUZK_JOB_WAITS_NEXT, now_ns);
        }
    }
    j->stage_end_ns[s] = now_ns;
    if (j->partitions != NULL && s >= CUZK_STAGE_WITNESS && s != CUZK_STAGE_RETURN) {
        j->partitions[partition].end_ns[s] = now_ns;
        begin = j->partitions[partition].begin_ns[s];
    }
    if (begin != 0 && now_ns >= begin) {
        cuzk_histogram_add(&counts->stage[s][j->rq.kind], now_ns - begin);
    }
}

void cuzk_stage_span_add(const cuzk_engine *e, const job *j, cuzk_stage s)
{
    cuzk_span_tags tags = CUZK_SPAN_TAGS_INIT;
    if (j->stage_begin_ns[s] == 0) { /* accepted before this engine was created */
        return;
    }
    tags.job = (int64_t)j->number;
    (void)cuzk_trace_add_here(e->trace, cuzk_stage_name(s), &tags, j->stage_begin_ns[s],
                              j->stage_end_ns[s]);
}

cuzk_span cuzk_stage_span_begin(cuzk_engine *e, job *j, uint32_t partition, cuzk_stage s)
{
    cuzk_span_tags tags = CUZK_SPAN_TAGS_INIT;
    uint64_t begin_ns;
    tags.job = (int64_t)j->number;
    tags.partition =
        s == CUZK_STAGE_WITNESS || s == CUZK_STAGE_VERIFY ? (int32_t)partition : CUZK_TRACE_NONE;
    const cuzk_span span = cuzk_span_begin_timed(e->trace, cuzk_stage_name(s), &tags, &begin_ns);
    cuzk_stage_begin(j, partition, s, begin_ns);
    return span;
}

uint64_t cuzk_stage_span_end(cuzk_engine *e, job *j, uint32_t partition, cuzk_stage s,
                             cuzk_span span, uint64_t bytes)
{
    const uint64_t end_ns = cuzk_span_end_timed(e->trace, span, bytes);
    cuzk_stage_end(&e->counts, j, partition, s, end_ns);
    return end_ns;
}

/* The next partition of a job that has not been started. */
static bool next_pending(const job *j, uint32_t *partition)
{
    for (uint32_t i = 0; i < j->n_partitions; i++) {
        if (j->partitions[i].state == CUZK_PART_PENDING) {
            *partition = i;
            return true;
        }
    }
    return false;
}

/* Each job with partitions to start has one item in the queue: its lowest partition. */
void cuzk_flight_queue_next(cuzk_engine *e, job *j, uint64_t now_ns)
{
    uint32_t partition = 0;
    cuzk_sched_item item;
    for (uint32_t i = 0; i < e->queues.ready.n; i++) {
        if (e->queues.ready.items[i].job == j->number) {
            (void)cuzk_sched_take(&e->queues.ready, i);
            break;
        }
    }
    if (next_pending(j, &partition)) {
        cuzk_job_item(j, partition, now_ns, &item);
        /* the queue has room for every job that may be open */
        CUZK_ASSERT(cuzk_sched_push(&e->queues.ready, &item));
        pthread_cond_broadcast(&e->locks.witness);
    } else {
        cuzk_engine_wake_prep(e); /* room for another parsed job */
    }
}

flight *cuzk_flight_start(cuzk_engine *e, job *j, uint32_t partition, uint64_t now_ns)
{
    flight *f = cuzk_alloc_zero(1, sizeof(*f));
    if (f == NULL) {
        return NULL;
    }
    f->job = j;
    f->partition = partition;
    f->circuit = j->circuit;
    f->device = -1;
    f->is_busy = true;
    (void)cuzk_load_ref(&e->memory.cache, cuzk_engine_load_id(f->circuit, CUZK_LOAD_CIRCUIT));
    (void)cuzk_load_ref(&e->memory.cache, cuzk_engine_load_id(f->circuit, CUZK_LOAD_PARAMS));
    f->next = e->flights.first;
    if (f->next != NULL) {
        f->next->prev = f;
    }
    e->flights.first = f;
    e->memory.n_busy++;
    j->pins++;
    j->partitions[partition].flight = f;
    j->partitions[partition].state = CUZK_PART_WITNESS;
    cuzk_flight_queue_next(e, j, now_ns);
    return f;
}

void cuzk_flight_drop(cuzk_engine *e, flight *f)
{
    job *j = f->job;
    if (j != NULL && j->partitions[f->partition].flight == f) {
        j->partitions[f->partition].flight = NULL;
    }
    f->is_busy = false;
    f->next_dead = e->flights.to_free;
    e->flights.to_free = f;
    e->memory.leaving_bytes += f->memory.bytes + f->cpu_memory.bytes;
    pthread_cond_signal(&e->locks.release);
}

void cuzk_flight_requeue(cuzk_engine *e, flight *f)
{
    job *j = f->job;
    job_partition *p = &j->partitions[f->partition];
    cuzk_flight_drop(e, f);
    p->state = CUZK_PART_PENDING;
    p->device = -1;
    cuzk_flight_queue_next(e, j, cuzk_clock_ns());
}

/*
 * Number of errors after which a partition fails. A driver that dies loses its devices one after the other, which
 * says little about the partition. So a partition may see each device fail, and the CPU is one more device.
 */
static uint32_t most_errors(const device_table *devices, cuzk_status st)
{
    return st == CUZK_E_DEV_LOST ? MAX_ERRORS + devices->n - 1 : MAX_ERRORS;
}

void cuzk_flight_failed(cuzk_engine *e, flight *f, cuzk_status st, const char *text)
{
    job *j = f->job;
    job_partition *p = &j->partitions[f->partition];
    char message[ERROR_BYTES];
    const uint32_t index = f->partition;
    p->errors++;
    if (cuzk_status_is_retryable(st) && p->errors < most_errors(&e->devices, st)) {
        cuzk_engine_log_job(e, 1, "partition.again", j, "why", text);
        cuzk_flight_requeue(e, f);
        return;
    }
    p->state = CUZK_PART_FAILED;
    cuzk_flight_drop(e, f);
    (void)snprintf(message, sizeof(message), "partition %u: %s", index, text);
    cuzk_job_set_outcome(e, j, st == CUZK_E_CANCELLED ? CUZK_JOB_CANCELLED : CUZK_JOB_FAILED, st,
                         message);
}

void cuzk_flight_abandon(cuzk_engine *e, flight *f, bool is_hopeless, const char *text)
{
    job *j = f->job;
    job_partition *p = &j->partitions[f->partition];
    char message[ERROR_BYTES];
    atomic_store_explicit(&f->cancel.requested, true, memory_order_relaxed);
    p->flight = NULL;
    p->errors++;
    p->avoid |= (uint64_t)1 << f->device;
    cuzk_job_clock_leave(&j->clock, CUZK_JOB_ON_DEVICE, cuzk_clock_ns());
    f->job = NULL;
    if (j->phase == PHASE_READY && !is_hopeless &&
        p->errors < most_errors(&e->devices, CUZK_E_DEV_LOST)) {
        p->state = CUZK_PART_PENDING;
        p->device = -1;
        cuzk_flight_queue_next(e, j, cuzk_clock_ns());
    } else {
        p->state = CUZK_PART_FAILED;
        (void)snprintf(message, sizeof(message), "partition %u: %s", f->partition, text);
        cuzk_job_set_outcome(e, j, CUZK_JOB_FAILED, CUZK_E_DEV_LOST, message);
    }
    cuzk_job_release_input(e, j);
    cuzk_job_unpin(j);
}
