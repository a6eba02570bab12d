/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_ENGINE_WORKER_WORKER_H
#define CUZK_ENGINE_WORKER_WORKER_H

/* The engine's threads. */
#include <pthread.h>

#include "engine/engine.h"
#include "engine/engine_limits.h"
#include "sched/device_health.h"

typedef enum worker_role {
    ROLE_PREP,
    ROLE_WITNESS,
    ROLE_DEVICE,
    ROLE_VERIFY,
    ROLE_AGGREGATE,
    ROLE_LOADER,
    ROLE_FINISH,
    ROLE_TIMER,
    ROLE_RELEASE,
    ROLE_STORE,
    ROLE_LOG,
    ROLE_SHARE
} worker_role;

typedef struct worker {
    cuzk_engine *e;
    worker_role role;
    uint32_t index; /* ROLE_DEVICE: device */
    uint32_t slot;
    uint32_t rank;   /* ROLE_DEVICE, not express: idle from the device's slots on */
    bool is_express; /* privileged work only */
    uint64_t warmed; /* ROLE_DEVICE: circuits (bits) that were loaded ahead of need */
    pthread_t thread;
    bool is_started;
} worker;

#define MAX_WORKERS (15 + MAX_DEVICES * CUZK_HEALTH_SLOTS)

/* Changed only while no other thread starts workers: at the start, and by a reconfiguration under the lock. */
typedef struct worker_pool {
    worker all[MAX_WORKERS];
    uint32_t n;
} worker_pool;

/* One worker's loop each; called without the lock. */
void cuzk_prep_loop(worker *w);
void cuzk_witness_loop(worker *w);
/** Number of partitions of a circuit that wait only for their witness: neither for memory nor for a load. */
LOCKED uint32_t cuzk_witnesses_to_start(const cuzk_engine *e, uint32_t circuit);
void cuzk_device_loop(worker *w);
void cuzk_verify_loop(worker *w);
void cuzk_aggregate_loop(worker *w);
void cuzk_loader_loop(worker *w);
void cuzk_timer_loop(worker *w);
void cuzk_release_loop(worker *w);
void cuzk_finish_loop(worker *w);
void cuzk_store_loop(worker *w);
void cuzk_log_loop(worker *w);
void cuzk_share_loop(worker *w); /* only with a shared queue */

#endif /* CUZK_ENGINE_WORKER_WORKER_H */
