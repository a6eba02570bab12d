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
    job *job; /* NULL: the job has abandoned this flight */
    uint32_t partition, circuit;
    cuzk_cancel cancel;
    cuzk_reservation memory;
    cuzk_reservation cpu_memory; /* in addition to memory, while the fallback proves it */
    void *witness;
    bool is_busy; /* true: a worker has it; false: a queue has it */
    /* another daemon made its proof, which is to be verified; no device has proved it here */
    bool is_foreign;
    int32_t device;
    uint32_t slot;
    uint64_t period; /* period of the device's health in which the proof was made */
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
/** Hands a flight to the release thread. */
LOCKED void cuzk_flight_drop(cuzk_engine *e, flight *f);
/** Tries a partition again when that may help and has not been tried too often; otherwise its job fails. */
LOCKED void cuzk_flight_failed(cuzk_engine *e, flight *f, cuzk_status st, const char *text);
/** Ends a flight whose partition will be started again. */
LOCKED void cuzk_flight_requeue(cuzk_engine *e, flight *f);
/** For a device that does not return: the call keeps its flight, and the job goes on without the flight. */
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
/** Records the span of a stage that has ended: acceptance and return, which begin and end in different functions. */
LOCKED void cuzk_stage_span_add(const cuzk_engine *e, const job *j, cuzk_stage s);
/** Returns the time. bytes: of the span. */
LOCKED uint64_t cuzk_stage_span_end(cuzk_engine *e, job *j, uint32_t partition, cuzk_stage s,
                                    cuzk_span span, uint64_t bytes);

#endif /* CUZK_ENGINE_JOB_FLIGHT_H */
