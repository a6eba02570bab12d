/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The engine's birth and death. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "base/clock.h"
#include "engine/backend_filecoin.h"
#include "engine/engine_internal.h"
#include "sys/host_memory.h"

#define DEFAULT_QUEUED       4096u
#define DEFAULT_KEEP_MS      (60ull * 60 * 1000)
#define DEFAULT_KEEP_COUNT   10000u
#define DEFAULT_AGE_MS       (10ull * 60 * 1000)
#define DEFAULT_NO_DEVICE_MS (5ull * 60 * 1000)
#define DEFAULT_CPU_AFTER_MS (10ull * 1000)
#define DEFAULT_MARGIN       ((uint64_t)1 << 30)
#define MOST_BLOCKS          ((uint64_t)1 << 30)
#define MOST_INPUTS          ((uint64_t)2 << 30)
#define PATIENCE_AGES        3u /* without a deadline: due after so many age_ms */

static void set_defaults(cuzk_engine_config *c)
{
    c->max_queued_jobs = c->max_queued_jobs != 0 ? c->max_queued_jobs : DEFAULT_QUEUED;
    c->result_keep_ms = c->result_keep_ms != 0 ? c->result_keep_ms : DEFAULT_KEEP_MS;
    c->result_keep_count = c->result_keep_count != 0 ? c->result_keep_count : DEFAULT_KEEP_COUNT;
    c->no_device_ms = c->no_device_ms != 0 ? c->no_device_ms : DEFAULT_NO_DEVICE_MS;
    c->cpu_after_ms = c->cpu_after_ms != 0 ? c->cpu_after_ms : DEFAULT_CPU_AFTER_MS;
    c->age_ms = c->age_ms != 0 ? c->age_ms : DEFAULT_AGE_MS;
    if (c->budget_bytes == 0) {
        const uint64_t total = cuzk_host_memory_total();
        uint64_t margin = c->safety_margin_bytes != 0 ? c->safety_margin_bytes : DEFAULT_MARGIN;
        margin = margin < total / 2 ? margin : total / 2;
        c->budget_bytes = total - margin;
    }
}

static uint64_t min_u64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* What one WinningPoSt of the largest size takes, input and output included. */
static uint64_t winning_need(const cuzk_engine_backend *b)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < b->n_circuits; i++) {
        const cuzk_backend_circuit *c = &b->circuits[i];
        const uint64_t need = c->compile_bytes + c->params_bytes + c->witness_bytes +
                              c->prove_bytes + c->cpu_extra_bytes + (4u << 20);
        most = c->kind == CUZK_JOB_WINNING && need > most ? need : most;
    }
    return most;
}

static cuzk_status init_memory(cuzk_engine *e, cuzk_err *err)
{
    const uint64_t total = e->cfg.budget_bytes;
    const uint64_t reserve = e->cfg.winning_reserve_bytes != 0
                                 ? e->cfg.winning_reserve_bytes
                                 : min_u64(winning_need(e->backend), total / 4);
    cuzk_budget_init(&e->host, total, reserve);
    e->base_bytes = cuzk_host_memory_resident();
    if (!cuzk_budget_take(&e->host, e->base_bytes, false)) {
        return CUZK_FAIL(
            err, CUZK_E_BUDGET,
            "a budget of %llu MiB is too small: %llu MiB are held for WinningPoSt, and the "
            "process itself has %llu MiB",
            (unsigned long long)(total >> 20), (unsigned long long)(reserve >> 20),
            (unsigned long long)(e->base_bytes >> 20));
    }
    e->block_limit = min_u64(total / 16, MOST_BLOCKS);
    e->input_limit = min_u64(total / 8, MOST_INPUTS);
    return CUZK_OK;
}

static cuzk_status init_queues(cuzk_engine *e, cuzk_err *err)
{
    const uint64_t age = e->cfg.age_ms * MS_NS, patience = PATIENCE_AGES * age;
    const uint32_t n = e->cfg.max_queued_jobs;
    const uint32_t flying = n + MAX_DEVICES * CUZK_HEALTH_SLOTS * CUZK_BATCH_MAX;
    CUZK_TRY(cuzk_sched_init(&e->prep, n, age, patience, err));
    CUZK_TRY(cuzk_sched_init(&e->ready, n, age, patience, err));
    CUZK_TRY(cuzk_sched_init(&e->on_device, flying, age, patience, err));
    CUZK_TRY(cuzk_sched_init(&e->to_verify, flying, age, patience, err));
    CUZK_TRY(cuzk_load_cache_init(&e->cache, 2 * e->backend->n_circuits, err));
    e->wants = cuzk_alloc_zero(2 * (size_t)e->backend->n_circuits, sizeof(*e->wants));
    return e->wants != NULL ? CUZK_OK : CUZK_FAIL(err, CUZK_E_NOMEM, "engine: out of memory");
}

static cuzk_status init_devices(cuzk_engine *e, cuzk_err *err)
{
    const cuzk_engine_backend *b = e->backend;
    e->n_devices = b->n_devices < MAX_DEVICES ? b->n_devices : MAX_DEVICES;
    e->slots = e->cfg.slots_per_device;
    e->batch = e->cfg.max_batch_size != 0 ? e->cfg.max_batch_size : b->batch;
    e->batch = e->batch == 0 ? 1 : e->batch < CUZK_BATCH_MAX ? e->batch : CUZK_BATCH_MAX;
    bool is_cpu = false;
    for (uint32_t i = 0; i < e->n_devices; i++) {
        device *d = &e->devices[i];
        b->device_info(b->arg, i, &d->info);
        is_cpu = is_cpu || (d->info.is_cpu && !d->info.is_fallback);
        e->n_primary += d->info.is_fallback ? 0 : 1;
        /* the fallback takes as long as it takes: there is nothing else */
        cuzk_health_init(&d->health, d->info.is_fallback ? 0 : e->cfg.device_timeout_ms * MS_NS,
                         e->cfg.device_back_off_ms * MS_NS);
    }
    if (e->slots == 0) {
        e->slots = is_cpu ? 1 : 2;
    }
    e->slots = e->slots < CUZK_HEALTH_SLOTS ? e->slots : CUZK_HEALTH_SLOTS - 1;
    for (uint32_t i = 0; i < e->n_devices; i++) {
        e->devices[i].slots = e->devices[i].info.is_fallback ? 1 : e->slots;
    }
    e->ready_limit = 4 + 2 * e->n_primary * e->slots * e->batch;
    for (uint32_t i = 0; i < e->n_devices && cuzk_engine_has_keys(e); i++) {
        CUZK_TRY(cuzk_device_keys_init(e, &e->devices[i], err));
    }
    return CUZK_OK;
}

static bool init_locks(cuzk_engine *e)
{
    pthread_condattr_t monotonic;
    pthread_cond_t *const conds[] = {&e->cv_prep,   &e->cv_witness, &e->cv_device,
                                     &e->cv_verify, &e->cv_loader,  &e->cv_finish,
                                     &e->cv_timer,  &e->cv_release, &e->cv_change};
    bool ok = pthread_condattr_init(&monotonic) == 0 &&
              pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC) == 0 &&
              pthread_mutex_init(&e->mu, NULL) == 0;
    for (size_t i = 0; ok && i < sizeof(conds) / sizeof(conds[0]); i++) {
        ok = pthread_cond_init(conds[i], &monotonic) == 0;
    }
    (void)pthread_condattr_destroy(&monotonic);
    return ok;
}

static void *worker_main(void *arg)
{
    worker *w = arg;
    switch (w->role) {
    case ROLE_PREP: cuzk_prep_loop(w); break;
    case ROLE_WITNESS: cuzk_witness_loop(w); break;
    case ROLE_DEVICE: cuzk_device_loop(w); break;
    case ROLE_VERIFY: cuzk_verify_loop(w); break;
    case ROLE_LOADER: cuzk_loader_loop(w); break;
    case ROLE_FINISH: cuzk_finish_loop(w); break;
    case ROLE_TIMER: cuzk_timer_loop(w); break;
    case ROLE_RELEASE: cuzk_release_loop(w); break;
    }
    return NULL;
}

static cuzk_status start_worker(cuzk_engine *e, worker_role role, uint32_t index, uint32_t slot,
                                bool is_express, cuzk_err *err)
{
    worker *w = &e->workers[e->n_workers];
    *w = (worker){.e = e, .role = role, .index = index, .slot = slot, .is_express = is_express};
    const int failed = pthread_create(&w->thread, NULL, worker_main, w);
    if (failed != 0) {
        return CUZK_FAIL_OS(err, CUZK_E_NOMEM, failed, "cannot start a thread");
    }
    e->n_workers++;
    return CUZK_OK;
}

/* Each stage that WinningPoSt goes through has a worker that does nothing else. */
static cuzk_status start_workers(cuzk_engine *e, cuzk_err *err)
{
    /* first those that a stop needs */
    CUZK_TRY(start_worker(e, ROLE_FINISH, 0, 0, false, err));
    CUZK_TRY(start_worker(e, ROLE_RELEASE, 0, 0, false, err));
    for (uint32_t i = 0; i < 2; i++) {
        CUZK_TRY(start_worker(e, ROLE_PREP, 0, 0, i == 1, err));
        CUZK_TRY(start_worker(e, ROLE_WITNESS, 0, 0, i == 1, err));
        CUZK_TRY(start_worker(e, ROLE_VERIFY, 0, 0, false, err));
        CUZK_TRY(start_worker(e, ROLE_LOADER, 0, 0, i == 1, err));
    }
    for (uint32_t d = 0; d < e->n_devices; d++) {
        const uint32_t slots = e->devices[d].slots;
        for (uint32_t s = 0; s <= slots; s++) {
            CUZK_TRY(start_worker(e, ROLE_DEVICE, d, s, s == slots, err));
        }
    }
    return start_worker(e, ROLE_TIMER, 0, 0, false, err);
}

/* WinningPoSt's circuits are small, and the first proof after a start is as urgent as any: they are
 * loaded at once. */
static void warm_up(cuzk_engine *e)
{
    const cuzk_engine_backend *b = e->backend;
    for (uint32_t i = 0; b->is_available != NULL && i < b->n_circuits; i++) {
        if (b->circuits[i].kind == CUZK_JOB_WINNING && b->is_available(b->arg, i)) {
            e->wants[cuzk_engine_load_id(i, CUZK_LOAD_CIRCUIT)].wanted = true;
            e->wants[cuzk_engine_load_id(i, CUZK_LOAD_PARAMS)].wanted = true;
        }
    }
}

static cuzk_status init(cuzk_engine *e, cuzk_err *err)
{
    if (!init_locks(e)) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "engine: no locks");
    }
    e->is_locks_ready = true;
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
    CUZK_TRY(cuzk_engine_take_up(e, err));
    warm_up(e);
    return start_workers(e, err);
}

cuzk_status cuzk_engine_create(cuzk_engine **out, const cuzk_engine_config *config, cuzk_err *err)
{
    cuzk_engine *e = cuzk_alloc_zero(1, sizeof(*e));
    if (e == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "engine: out of memory");
    }
    e->cfg = *config;
    set_defaults(&e->cfg);
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
    pthread_mutex_lock(&e->mu);
    e->draining = true;
    pthread_cond_broadcast(&e->cv_change);
    pthread_mutex_unlock(&e->mu);
}

bool cuzk_engine_is_idle(cuzk_engine *e)
{
    pthread_mutex_lock(&e->mu);
    const bool idle = e->n_open == 0;
    pthread_mutex_unlock(&e->mu);
    return idle;
}

static bool is_quiet(const cuzk_engine *e)
{
    if (e->n_open != 0 || e->busy != 0 || e->flights != NULL || e->dead_jobs != NULL ||
        e->dead_bytes != 0) {
        return false;
    }
    for (uint32_t i = 0; i < e->cache.n; i++) {
        if (e->cache.entries[i].state == CUZK_LOAD_LEAVING) {
            return false;
        }
    }
    return true;
}

/* Ends every job, waits until nothing is under way, stops the workers. */
static void stop(cuzk_engine *e)
{
    pthread_mutex_lock(&e->mu);
    e->draining = true;
    const bool has_run = e->n_workers >= 2;
    for (job *j = e->first; has_run && j != NULL; j = j->next) {
        if (j->outcome == CUZK_JOB_QUEUED) {
            j->is_left_in_store = true;
            cuzk_job_over(e, j, CUZK_JOB_CANCELLED, CUZK_E_CANCELLED, "the daemon is stopping");
        }
    }
    while (has_run && !is_quiet(e)) {
        pthread_cond_wait(&e->cv_change, &e->mu);
    }
    e->stop = true;
    cuzk_engine_wake_memory(e);
    pthread_cond_broadcast(&e->cv_device);
    pthread_cond_broadcast(&e->cv_verify);
    pthread_cond_broadcast(&e->cv_finish);
    pthread_cond_broadcast(&e->cv_timer);
    pthread_cond_broadcast(&e->cv_release);
    pthread_cond_broadcast(&e->cv_change);
    pthread_mutex_unlock(&e->mu);
    for (uint32_t i = 0; i < e->n_workers; i++) {
        (void)pthread_join(e->workers[i].thread, NULL);
    }
}

static void drop_jobs(cuzk_engine *e)
{
    while (e->first != NULL) {
        cuzk_job_forget(e, e->first);
    }
}

static void unload_all(cuzk_engine *e)
{
    pthread_mutex_lock(&e->mu);
    for (uint32_t i = 0; i < e->n_devices && cuzk_engine_has_keys(e); i++) {
        (void)cuzk_device_keys_unload(e, i, UINT32_MAX);
    }
    pthread_mutex_unlock(&e->mu);
    for (uint32_t i = 0; i < e->cache.n; i++) {
        if (e->cache.entries[i].state == CUZK_LOAD_READY) {
            void *object = cuzk_load_leave(&e->cache, i);
            e->backend->unload(e->backend->arg, (cuzk_load_what)(i % 2), object);
            cuzk_budget_give(&e->host, cuzk_load_left(&e->cache, i),
                             e->backend->circuits[i / 2].kind == CUZK_JOB_WINNING);
        }
    }
}

void cuzk_engine_destroy(cuzk_engine *e)
{
    if (e == NULL) {
        return;
    }
    if (e->is_locks_ready) {
        stop(e);
        if (e->backend != NULL) {
            unload_all(e);
        }
        if (e->n_workers >= 2) { /* everything taken has been given back */
            CUZK_ASSERT(e->host.used == e->base_bytes);
        }
        drop_jobs(e);
        pthread_cond_t *const conds[] = {&e->cv_prep,   &e->cv_witness, &e->cv_device,
                                         &e->cv_verify, &e->cv_loader,  &e->cv_finish,
                                         &e->cv_timer,  &e->cv_release, &e->cv_change};
        for (size_t i = 0; i < sizeof(conds) / sizeof(conds[0]); i++) {
            (void)pthread_cond_destroy(conds[i]);
        }
        (void)pthread_mutex_destroy(&e->mu);
    }
    cuzk_sched_free(&e->prep);
    cuzk_sched_free(&e->ready);
    cuzk_sched_free(&e->on_device);
    cuzk_sched_free(&e->to_verify);
    cuzk_load_cache_free(&e->cache);
    for (uint32_t i = 0; i < e->n_devices; i++) {
        cuzk_device_keys_free(&e->devices[i]);
    }
    cuzk_free(e->wants);
    if (e->owns_backend) {
        e->own_backend.destroy(e->own_backend.arg);
    }
    if (e->owns_store) {
        e->store.destroy(e->store.arg);
    }
    cuzk_free(e);
}
