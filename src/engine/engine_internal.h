/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_ENGINE_ENGINE_INTERNAL_H
#define CUZK_ENGINE_ENGINE_INTERNAL_H

/*
 * The runtime: one mutex over all state, worker threads that take work from the queues under it and
 * work without it. Everything that decides is a state machine of its own (scheduler, batcher, budget,
 * load_cache, device_health); this is the part that has threads.
 *
 * A job goes ACCEPTING -> PREP (queue) -> PREPPING (parse, check) -> READY (its partitions fly) ->
 * ENDING (outcome decided, record and waiters to come) -> ENDED. A partition that has been started is
 * a flight: it owns its memory reservation, its references to circuit and parameters, its witness and
 * its own cancel flag, so that a call that hangs on a device can be abandoned without its job.
 */
#include <pthread.h>

#include "engine/backend/backend.h"
#include "engine/device/device.h"
#include "engine/engine_config.h"
#include "engine/engine_counts.h"
#include "engine/engine_facts.h"
#include "engine/engine_limits.h"
#include "engine/engine_status.h"
#include "engine/job/flight.h"
#include "engine/job/job.h"
#include "engine/job/job_table.h"
#include "engine/key/keys.h"
#include "engine/lock/engine_lock.h"
#include "engine/log/engine_log.h"
#include "engine/memory/host_memory.h"
#include "engine/worker/worker.h"
#include "sched/batcher.h"

/*
 * Each part of the state is declared by the header of the folder that owns it, which says what the lock guards.
 * Functions of a folder call functions of the folders below it only (tools/check/check_calls.py has the order).
 */
struct cuzk_engine {
    cuzk_engine_config cfg;
    cuzk_engine_backend *backend;
    cuzk_engine_backend own_backend;
    bool owns_backend;
    cuzk_job_store store;
    bool owns_store;
    cuzk_trace_ctx trace;
    uint64_t started_ns;
    GUARDED bool stop, draining;

    engine_locks locks;   /* lock/engine_lock.h */
    log_queue log;        /* log/engine_log.h */
    engine_counts counts; /* engine_counts.h */
    engine_memory memory; /* memory/host_memory.h */
    device_table devices; /* device/device.h */
    job_table jobs;       /* job/job_table.h */
    job_queues queues;    /* job/job_table.h */
    flight_table flights; /* job/flight.h */
    worker_pool workers;  /* worker/worker.h */
};

/* All functions below are called with the lock, unless they say otherwise. */

/* reconfigure.c */
/** Budget and the limits that follow from it; base_bytes is set. E_BUDGET changes nothing. */
LOCKED CUZK_NODISCARD cuzk_status cuzk_engine_size_memory(cuzk_engine *e,
                                                          const cuzk_engine_config *c,
                                                          cuzk_err *err);
LOCKED void cuzk_engine_set_slots(cuzk_engine *e, unsigned slots);
LOCKED void cuzk_engine_set_batch(cuzk_engine *e, uint32_t max_batch_size);
LOCKED void cuzk_engine_set_ages(job_queues *queues, uint64_t age_ms);
/** Limit of the partitions that may be between their start and the end of their device call. */
uint32_t cuzk_engine_flying_limit(uint32_t max_queued_jobs);
/* worker/workers.c */
/** Starts all threads; no other thread runs. */
CUZK_NODISCARD cuzk_status cuzk_engine_start_workers(cuzk_engine *e, cuzk_err *err);
/** Starts threads until there is one for each of that many slots of each device. */
LOCKED CUZK_NODISCARD cuzk_status cuzk_engine_add_workers(cuzk_engine *e, unsigned slots,
                                                          cuzk_err *err);

/* restore.c */
CUZK_NODISCARD cuzk_status cuzk_engine_restore(cuzk_engine *e, cuzk_err *err);

/** Where a job's proofs were made: ordinals and "cpu", with commas. */
LOCKED void cuzk_job_devices(const device_table *devices, const job *j, char *out, size_t n);

#endif /* CUZK_ENGINE_ENGINE_INTERNAL_H */
