/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_ENGINE_JOB_FLIGHT_H
#define CUZK_ENGINE_JOB_FLIGHT_H

/* A started partition: what it owns, and how it begins, fails and ends. */
#include "engine/backend/backend.h"
#include "engine/engine_limits.h"
#include "engine/engine_status.h"
#include "engine/lock/engine_lock.h"
#include "sched/budget.h"

typedef struct job job;
typedef struct engine_counts engine_counts;

/** A started partition. */
typedef struct flight {
    job *job; /* NULL: abandoned */
    uint32_t partition, circuit;
    cuzk_cancel cancel;
    cuzk_reservation memory;
    cuzk_reservation cpu_memory; /* beyond memory, while the fallback proves it */
    void *witness;
    bool is_busy;    /* a worker has it; else a queue */
    bool is_foreign; /* its proof is another daemon's, to be verified; no device has had it */
    int32_t device;
    uint32_t slot;
    uint64_t period; /* of the device's health, in which the proof was made */
    uint8_t proof[PROOF_BYTES];
    struct flight *next, *prev; /* all flights */
    struct flight *next_dead;
} flight;

typedef struct flight_table {
    GUARDED flight *first;   /* all: next, prev */
    GUARDED flight *to_free; /* next_dead */
} flight_table;

LOCKED flight *cuzk_flight_start(cuzk_engine *e, job *j, uint32_t partition, uint64_t now_ns);
/** Queues the lowest partition of a job that is PENDING, if there is one. */
LOCKED void cuzk_flight_queue_next(cuzk_engine *e, job *j, uint64_t now_ns);
/** To the release thread. */
LOCKED void cuzk_flight_drop(cuzk_engine *e, flight *f);
/** Again, when that may help and has not been tried too often; else the job fails. */
LOCKED void cuzk_flight_failed(cuzk_engine *e, flight *f, cuzk_status st, const char *text);
/** The partition will be started again. */
LOCKED void cuzk_flight_requeue(cuzk_engine *e, flight *f);
/** The device does not come back: the call keeps its flight, the job goes on without it. */
LOCKED void cuzk_flight_abandon(cuzk_engine *e, flight *f, bool is_hopeless, const char *text);
/** A stage of a partition (or of the whole job, while it has no partitions) begins and ends, at times that the caller has. */
void cuzk_stage_begin(job *j, uint32_t partition, cuzk_stage s, uint64_t now_ns);
LOCKED void cuzk_stage_end(engine_counts *counts, job *j, uint32_t partition, cuzk_stage s,
                           uint64_t now_ns);
/**
 * The same with a span of the stage's name around it. Status, histograms and trace have one reading of the clock for
 * each end, that of the span. Returns the span.
 */
LOCKED cuzk_span cuzk_stage_span_begin(cuzk_engine *e, job *j, uint32_t partition, cuzk_stage s);
/** A span of a stage that is over: acceptance and return, which end in other places than they begin. */
LOCKED void cuzk_stage_span_add(const cuzk_engine *e, const job *j, cuzk_stage s);
/** Returns the time. bytes: of the span. */
LOCKED uint64_t cuzk_stage_span_end(cuzk_engine *e, job *j, uint32_t partition, cuzk_stage s,
                                    cuzk_span span, uint64_t bytes);

#endif /* CUZK_ENGINE_JOB_FLIGHT_H */
