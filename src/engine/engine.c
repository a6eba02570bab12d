/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Creating and destroying the engine. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "base/clock.h"
#include "engine/backend/backend_filecoin.h"
#include "engine/engine_internal.h"
#include "engine/job/accept_internal.h"
#include "sys/host_memory.h"

ALONE static cuzk_status init_queues(cuzk_engine *e, cuzk_err *err)
{
    const uint32_t n = e->cfg.max_queued_jobs + WINNING_PLACES,
                   flying = cuzk_engine_flying_limit(n);
    CUZK_TRY(cuzk_sched_init(&e->queues.prep, n, 0, 0, err));
    CUZK_TRY(cuzk_sched_init(&e->queues.ready, n, 0, 0, err));
    CUZK_TRY(cuzk_sched_init(&e->queues.on_device, flying, 0, 0, err));
    CUZK_TRY(cuzk_sched_init(&e->queues.to_verify, flying, 0, 0, err));
    CUZK_TRY(cuzk_sched_init(&e->queues.to_aggregate, n, 0, 0, err));
    cuzk_engine_set_ages(&e->queues, e->cfg.age_ms);
    CUZK_TRY(cuzk_load_cache_init(&e->memory.cache, 2 * e->backend->n_circuits, err));
    e->memory.wants = cuzk_alloc_zero(2 * (size_t)e->backend->n_circuits, sizeof(*e->memory.wants));
    return e->memory.wants != NULL ? CUZK_OK
                                   : CUZK_FAIL(err, CUZK_E_NOMEM, "engine: out of memory");
}

ALONE static cuzk_status init_devices(cuzk_engine *e, cuzk_err *err)
{
    const cuzk_engine_backend *b = e->backend;
    e->devices.n = b->n_devices < MAX_DEVICES ? b->n_devices : MAX_DEVICES;
    for (uint32_t i = 0; i < e->devices.n; i++) {
        device *d = &e->devices.all[i];
        b->device_info(b->arg, i, &d->info);
        d->circuits = cuzk_alloc_zero(b->n_circuits, sizeof(*d->circuits));
        if (d->circuits == NULL) {
            return CUZK_FAIL(err, CUZK_E_NOMEM, "engine: out of memory");
        }
        CUZK_TRY(cuzk_device_abilities_init(e, i, err));
        e->devices.n_primary += d->info.is_fallback ? 0 : 1;
        /* no time limit for the fallback: there is no other device to go to */
        cuzk_health_init(&d->health, d->info.is_fallback ? 0 : e->cfg.device_timeout_ms * MS_NS,
                         e->cfg.device_back_off_ms * MS_NS);
        if (d->info.is_absent) {
            cuzk_health_lost(&d->health, cuzk_clock_ns());
        }
    }
    cuzk_engine_set_batch(e, e->cfg.max_batch_size);
    cuzk_engine_set_slots(e, e->cfg.slots_per_device);
    for (uint32_t i = 0; i < e->devices.n && cuzk_engine_has_keys(e->backend); i++) {
        CUZK_TRY(cuzk_device_keys_init(e->backend, &e->devices.all[i], err));
    }
    return CUZK_OK;
}

/* The process's footprint at the start and what its front ends may take are charged for good. */
ALONE static cuzk_status init_memory(cuzk_engine *e, cuzk_err *err)
{
    e->memory.base_bytes = cuzk_host_memory_resident() + e->cfg.front_bytes;
    CUZK_TRY(cuzk_engine_size_memory(e, &e->cfg, err));
    CUZK_ASSERT(cuzk_budget_take(&e->memory.host, e->memory.base_bytes, false));
    return CUZK_OK;
}

/* WinningPoSt's circuits are small, and the first proof after a start is as urgent as any: they are
 * loaded at once. */
ALONE static void warm_up(cuzk_engine *e)
{
    const cuzk_engine_backend *b = e->backend;
    for (uint32_t i = 0; b->is_available != NULL && i < b->n_circuits; i++) {
        if (b->circuits[i].kind == CUZK_JOB_WINNING && b->is_available(b->arg, i)) {
            e->memory.wants[cuzk_engine_load_id(i, CUZK_LOAD_CIRCUIT)].wanted = true;
            e->memory.wants[cuzk_engine_load_id(i, CUZK_LOAD_PARAMS)].wanted = true;
        }
    }
}

ALONE static cuzk_status init(cuzk_engine *e, cuzk_err *err)
{
    if (!cuzk_engine_locks_init(&e->locks)) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "engine: no locks");
    }
    e->locks.is_ready = true;
    CUZK_TRY(cuzk_log_init(&e->log, err));
    if (e->cfg.store != NULL) {
        e->store = *e->cfg.store;
    } else {
        CUZK_TRY(cuzk_job_store_memory(&e->store, err));
        e->owns_store = true;
    }
    if (e->cfg.backend != NULL) {
        e->backend = e->cfg.backend;
    } else {
        CUZK_TRY(cuzk_backend_filecoin_create(&e->own_backend, &e->cfg, err));
        e->owns_backend = true;
        e->backend = &e->own_backend;
    }
    CUZK_TRY(init_queues(e, err));
    CUZK_TRY(init_devices(e, err));
    CUZK_TRY(init_memory(e, err));
    cuzk_fallback_note_absent(e);
    CUZK_TRY(cuzk_engine_restore(e, err));
    warm_up(e);
    return cuzk_engine_start_workers(e, err);
}

ALONE cuzk_status cuzk_engine_create(cuzk_engine **out, const cuzk_engine_config *config,
                                     cuzk_err *err)
{
    cuzk_engine *e = cuzk_alloc_zero(1, sizeof(*e));
    if (e == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "engine: out of memory");
    }
    e->cfg = *config;
    cuzk_engine_config_complete(&e->cfg);
    e->trace.trace = config->trace;
    e->started_ns = cuzk_clock_ns();
    const cuzk_status st = init(e, err);
    if (st != CUZK_OK) {
        cuzk_engine_destroy(e);
        return st;
    }
    *out = e;
    return CUZK_OK;
}

void cuzk_engine_drain(cuzk_engine *e)
{
    cuzk_engine_lock(e);
    e->draining = true;
    pthread_cond_broadcast(&e->locks.change);
    cuzk_engine_unlock(e);
    if (e->store.shared != NULL) {
        e->store.shared->wake(e->store.arg);
    }
}

bool cuzk_engine_is_idle(cuzk_engine *e)
{
    cuzk_engine_lock(e);
    const bool idle = e->jobs.n_open == 0;
    cuzk_engine_unlock(e);
    return idle;
}

LOCKED static bool is_quiet(const cuzk_engine *e)
{
    if (e->jobs.n_open != 0 || e->memory.n_busy != 0 || e->flights.first != NULL ||
        e->jobs.to_free != NULL || e->memory.leaving_bytes != 0) {
        return false;
    }
    for (uint32_t i = 0; i < e->memory.cache.n; i++) {
        if (e->memory.cache.entries[i].state == CUZK_LOAD_LEAVING) {
            return false;
        }
    }
    return true;
}

/* Ends every job, waits until nothing is under way, stops the workers. */
static void stop(cuzk_engine *e)
{
    cuzk_engine_lock(e);
    e->draining = true;
    const bool has_run = e->workers.n >= 2;
    if (e->store.shared != NULL) {
        cuzk_shared_tell_stopping(e);
    }
    for (job *j = e->jobs.first; has_run && j != NULL; j = j->next) {
        if (j->outcome == CUZK_JOB_QUEUED && j->phase != PHASE_ELSEWHERE) {
            j->is_left_in_store = true;
            cuzk_job_set_outcome(e, j, CUZK_JOB_CANCELLED, CUZK_E_CANCELLED,
                                 "the daemon is stopping");
        }
    }
    while (has_run && !is_quiet(e)) {
        cuzk_engine_wait(e, &e->locks.change);
    }
    e->stop = true;
    cuzk_engine_wake_all(&e->locks);
    cuzk_engine_unlock(e);
    if (e->store.shared != NULL) {
        e->store.shared->wake(e->store.arg);
    }
    for (uint32_t i = 0; i < e->workers.n; i++) {
        (void)pthread_join(e->workers.all[i].thread, NULL);
    }
}

ALONE static void drop_jobs(job_table *jobs)
{
    while (jobs->first != NULL) {
        cuzk_job_forget(jobs, jobs->first);
    }
}

ALONE static void unload_all(cuzk_engine *e)
{
    cuzk_engine_lock(e);
    for (uint32_t i = 0; i < e->devices.n && cuzk_engine_has_keys(e->backend); i++) {
        (void)cuzk_device_keys_unload(e, i, UINT32_MAX);
    }
    cuzk_engine_unlock(e);
    for (uint32_t i = 0; i < e->memory.cache.n; i++) {
        cuzk_load_entry *entry = &e->memory.cache.entries[i];
        if (entry->state == CUZK_LOAD_READY) {
            (void)cuzk_load_leave(&e->memory.cache, i);
        }
        if (entry->state ==
            /* a worker may have evicted it after the release thread had ended */
            CUZK_LOAD_LEAVING) {
            e->backend->unload(e->backend->arg, (cuzk_load_what)(i % 2), entry->object);
            cuzk_budget_give(&e->memory.host, cuzk_load_left(&e->memory.cache, i),
                             e->backend->circuits[i / 2].kind == CUZK_JOB_WINNING);
        }
    }
}

ALONE void cuzk_engine_destroy(cuzk_engine *e)
{
    if (e == NULL) {
        return;
    }
    if (e->locks.is_ready) {
        stop(e);
        if (e->backend != NULL) {
            unload_all(e);
        }
        if (e->workers.n >= 2) { /* all host memory that was reserved has been returned */
            CUZK_ASSERT(e->memory.host.used == e->memory.base_bytes);
        }
        drop_jobs(&e->jobs);
        cuzk_engine_locks_destroy(&e->locks);
    }
    cuzk_log_free(e);
    cuzk_sched_free(&e->queues.prep);
    cuzk_sched_free(&e->queues.ready);
    cuzk_sched_free(&e->queues.on_device);
    cuzk_sched_free(&e->queues.to_verify);
    cuzk_sched_free(&e->queues.to_aggregate);
    cuzk_load_cache_free(&e->memory.cache);
    for (uint32_t i = 0; i < e->devices.n; i++) {
        cuzk_device_keys_free(&e->devices.all[i]);
        cuzk_free(e->devices.all[i].circuits);
        cuzk_free(e->devices.all[i].abilities);
    }
    cuzk_free(e->memory.wants);
    if (e->owns_backend) {
        e->own_backend.destroy(e->own_backend.arg);
    }
    if (e->owns_store) {
        e->store.destroy(e->store.arg);
    }
    cuzk_free(e);
}
