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
#include "engine/engine_limits.h"
#include "engine/engine_lock.h"
#include "engine/engine_log.h"
#include "engine/engine_status.h"
#include "engine/job/job.h"
#include "engine/memory/host_memory.h"
#include "engine/stage/flight.h"
#include "engine/worker.h"
#include "sched/batcher.h"

struct cuzk_engine {
    cuzk_engine_config cfg;
    cuzk_engine_backend *backend;
    cuzk_engine_backend own_backend;
    bool owns_backend;
    cuzk_job_store store;
    bool owns_store;
    cuzk_trace_ctx trace;

    pthread_mutex_t mu;
    /* One per kind of worker; cv_change for callers that wait (accept, preload, unwait). */
    pthread_cond_t cv_prep, cv_witness, cv_device, cv_verify, cv_aggregate, cv_loader, cv_finish,
        cv_timer, cv_release, cv_store, cv_log, cv_change;
    bool is_locks_ready;
    GUARDED bool stop, draining;
    uint64_t started_ns;

    GUARDED cuzk_budget host;
    GUARDED uint64_t block_limit, block_used; /* proofs of waiting jobs */
    GUARDED uint64_t input_limit, input_used; /* parsed inputs */
    uint64_t base_bytes;                      /* of the process itself, and for its front */
    GUARDED cuzk_load_cache cache;            /* 2 per circuit: cuzk_load_what */
    GUARDED load_want *wants;                 /* [2 n_circuits] */

    GUARDED cuzk_sched prep, ready, on_device, to_verify, to_aggregate;
    GUARDED uint32_t ready_limit; /* parsed jobs that wait */
    GUARDED device devices[MAX_DEVICES];
    uint32_t n_devices, n_primary; /* n_primary: without the fallback, which is the last one */
    GUARDED uint32_t slots, batch; /* slots: of a primary device */
    GUARDED uint64_t batch_wake_ns;
    GUARDED uint64_t no_device_ns; /* since when no device works; 0: one does */
    GUARDED bool on_cpu;           /* because no GPU works */
    GUARDED uint64_t on_cpu_since_ns, n_fallbacks;

    GUARDED job *by_id[BUCKETS], *by_content[BUCKETS];
    GUARDED job *first, *last;
    GUARDED uint32_t n_open; /* not ENDED */
    GUARDED uint32_t n_ended;
    GUARDED uint64_t next_number;
    GUARDED job *finish_first, *finish_last;
    GUARDED flight *flights;
    GUARDED flight *dead_flights;
    GUARDED job *dead_jobs;
    GUARDED uint64_t dead_bytes;
    GUARDED uint32_t busy; /* flights and prep that hold memory which will come back */
    GUARDED waiter *waits[BUCKETS];
    GUARDED cuzk_wait next_wait;
    GUARDED uint32_t n_unsaved; /* jobs with is_end_unsaved */
    GUARDED log_queue log;

    GUARDED uint64_t completed[CUZK_JOB_KINDS + 1], failed[CUZK_JOB_KINDS + 1],
        cancelled[CUZK_JOB_KINDS + 1], reproved[CUZK_JOB_KINDS + 1];
    GUARDED cuzk_histogram stage[CUZK_STAGES][CUZK_JOB_KINDS + 1];
    GUARDED cuzk_histogram job_time[CUZK_JOB_KINDS + 1];

    worker workers[MAX_WORKERS];
    uint32_t n_workers;
};

/* All functions below are called with the lock, unless they say otherwise. */

/* reconfigure.c */
/** Budget and the limits that follow from it; base_bytes is set. E_BUDGET changes nothing. */
LOCKED CUZK_NODISCARD cuzk_status cuzk_engine_size_memory(cuzk_engine *e,
                                                          const cuzk_engine_config *c,
                                                          cuzk_err *err);
LOCKED void cuzk_engine_set_slots(cuzk_engine *e, unsigned slots);
LOCKED void cuzk_engine_set_batch(cuzk_engine *e, uint32_t max_batch_size);
LOCKED void cuzk_engine_set_ages(cuzk_engine *e, uint64_t age_ms);
/** Partitions that may be on their way to a device, or from it. */
uint32_t cuzk_engine_flying_limit(uint32_t max_queued_jobs);
/** engine.c: starts threads until there is one for each of that many slots of each device. */
LOCKED CUZK_NODISCARD cuzk_status cuzk_engine_add_workers(cuzk_engine *e, unsigned slots,
                                                          cuzk_err *err);

/* restore.c */
CUZK_NODISCARD cuzk_status cuzk_engine_restore(cuzk_engine *e, cuzk_err *err);

/** Where a job's proofs were made: ordinals and "cpu", with commas. */
LOCKED void cuzk_job_devices(const cuzk_engine *e, const job *j, char *out, size_t n);

#endif /* CUZK_ENGINE_ENGINE_INTERNAL_H */
