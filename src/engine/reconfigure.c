/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Changing settings while the engine runs: all of a request or nothing, under the lock. */
#include "base/clock.h"
#include "engine/engine_internal.h"
#include "sys/host_memory.h"

#define DEFAULT_QUEUED       4096u
#define DEFAULT_KEEP_MS      (60ull * 60 * 1000)
#define DEFAULT_KEEP_COUNT   10000u
#define DEFAULT_AGE_MS       (10ull * 60 * 1000)
#define DEFAULT_NO_DEVICE_MS (5ull * 60 * 1000)
#define DEFAULT_CPU_AFTER_MS (10ull * 1000)
#define DEFAULT_MARGIN       ((uint64_t)5 << 30)
#define DEFAULT_MIN_IDLE_MS  (5ull * 60 * 1000)
#define DEFAULT_TIMEOUT_MS   (10ull * 60 * 1000)
#define MOST_BLOCKS          ((uint64_t)1 << 30)
#define MOST_INPUTS          ((uint64_t)2 << 30)
#define PATIENCE_AGES        3u /* without a deadline: due after this many age_ms */

static uint64_t min_u64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

void cuzk_engine_config_complete(cuzk_engine_config *s)
{
    s->max_queued_jobs = s->max_queued_jobs != 0 ? s->max_queued_jobs : DEFAULT_QUEUED;
    s->result_keep_ms = s->result_keep_ms != 0 ? s->result_keep_ms : DEFAULT_KEEP_MS;
    s->result_keep_count = s->result_keep_count != 0 ? s->result_keep_count : DEFAULT_KEEP_COUNT;
    s->age_ms = s->age_ms != 0 ? s->age_ms : DEFAULT_AGE_MS;
    s->no_device_ms = s->no_device_ms != 0 ? s->no_device_ms : DEFAULT_NO_DEVICE_MS;
    s->cpu_after_ms = s->cpu_after_ms != 0 ? s->cpu_after_ms : DEFAULT_CPU_AFTER_MS;
    s->safety_margin_bytes = s->safety_margin_bytes != 0 ? s->safety_margin_bytes : DEFAULT_MARGIN;
    s->eviction_min_idle_ms =
        s->eviction_min_idle_ms != 0 ? s->eviction_min_idle_ms : DEFAULT_MIN_IDLE_MS;
    s->device_timeout_ms = s->device_timeout_ms != 0 ? s->device_timeout_ms : DEFAULT_TIMEOUT_MS;
    if (s->budget_bytes == 0) {
        const uint64_t total = cuzk_host_memory_total();
        const uint64_t margin = cuzk_engine_or_none(s->safety_margin_bytes);
        s->budget_bytes = total - min_u64(margin, total / 2);
    }
}

/* Host memory of one WinningPoSt of the largest size, input and output included. */
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

cuzk_status cuzk_engine_size_memory(cuzk_engine *e, const cuzk_engine_config *s, cuzk_err *err)
{
    const uint64_t total = s->budget_bytes;
    const uint64_t wanted = s->winning_reserve_bytes != 0
                                ? cuzk_engine_or_none(s->winning_reserve_bytes)
                                : min_u64(winning_need(e->backend), total / 4);
    const uint64_t reserve = min_u64(wanted, total);
    if (e->memory.base_bytes > total - reserve) {
        return CUZK_FAIL(
            err, CUZK_E_BUDGET,
            "a budget of %llu MiB is too small: %llu MiB are held for WinningPoSt, and the process "
            "itself, requests and answers have %llu MiB",
            (unsigned long long)(total >> 20), (unsigned long long)(reserve >> 20),
            (unsigned long long)(e->memory.base_bytes >> 20));
    }
    cuzk_budget_resize(&e->memory.host, total, reserve);
    e->memory.block_limit = min_u64(total / 16, MOST_BLOCKS);
    e->memory.input_limit = min_u64(total / 8, MOST_INPUTS);
    return CUZK_OK;
}

void cuzk_engine_set_slots(cuzk_engine *e, unsigned slots)
{
    bool is_cpu = false;
    for (uint32_t i = 0; i < e->devices.n_primary; i++) {
        is_cpu = is_cpu || e->devices.all[i].info.is_cpu;
    }
    e->devices.slots = slots != 0 ? slots : is_cpu ? 1 : 2;
    e->devices.slots =
        e->devices.slots < CUZK_HEALTH_SLOTS ? e->devices.slots : CUZK_HEALTH_SLOTS - 1;
    for (uint32_t i = 0; i < e->devices.n; i++) {
        e->devices.all[i].slots = e->devices.all[i].info.is_fallback ? 1 : e->devices.slots;
    }
    e->queues.ready_limit = 4 + 2 * e->devices.n_primary * e->devices.slots * e->devices.batch;
}

void cuzk_engine_set_batch(cuzk_engine *e, uint32_t max_batch_size)
{
    e->devices.batch = max_batch_size != 0 ? max_batch_size : e->backend->batch;
    e->devices.batch = e->devices.batch == 0               ? 1
                       : e->devices.batch < CUZK_BATCH_MAX ? e->devices.batch
                                                           : CUZK_BATCH_MAX;
}

void cuzk_engine_set_ages(job_queues *queues, uint64_t age_ms)
{
    cuzk_sched *const all[] = {&queues->prep, &queues->ready, &queues->on_device,
                               &queues->to_verify, &queues->to_aggregate};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        all[i]->age_ns = age_ms * MS_NS;
        all[i]->patience_ns = PATIENCE_AGES * age_ms * MS_NS;
    }
}

uint32_t cuzk_engine_flying_limit(uint32_t max_queued_jobs)
{
    return max_queued_jobs + MAX_DEVICES * CUZK_HEALTH_SLOTS * CUZK_BATCH_MAX;
}

/* True when every accepted job could still run if it were the only one. */
LOCKED static cuzk_status check_jobs(const cuzk_engine *e, cuzk_err *err)
{
    for (const job *j = e->jobs.first; j != NULL; j = j->next) {
        const bool is_parsed = j->partitions != NULL;
        const uint32_t circuit = is_parsed ? j->circuit : j->plan.circuit;
        const uint64_t input = is_parsed ? j->input_memory.bytes : j->plan.input_bytes;
        cuzk_err inner = {.msg = ""};
        if (j->phase < PHASE_ENDING &&
            cuzk_engine_can_fit(e, circuit, input, j->is_privileged, &inner) != CUZK_OK) {
            return CUZK_FAIL(err, CUZK_E_BUDGET, "the budget is too small for job %.64s: %s", j->id,
                             inner.msg);
        }
    }
    return CUZK_OK;
}

LOCKED static cuzk_status resize_memory(cuzk_engine *e, const cuzk_engine_config *s, cuzk_err *err)
{
    const cuzk_budget host = e->memory.host;
    const uint64_t block = e->memory.block_limit, input = e->memory.input_limit;
    cuzk_status st = cuzk_engine_size_memory(e, s, err);
    if (st == CUZK_OK) { /* a larger reserve takes from others as well as a smaller budget */
        st = check_jobs(e, err);
    }
    if (st != CUZK_OK) {
        e->memory.host = host;
        e->memory.block_limit = block;
        e->memory.input_limit = input;
    }
    return st;
}

/* Evicts idle circuits until the used memory fits. Running work frees its memory when it ends. */
LOCKED static void shrink(cuzk_engine *e, uint64_t now)
{
    uint64_t used = e->memory.host.used - e->memory.leaving_bytes;
    while (used > e->memory.host.total) {
        const uint32_t id =
            cuzk_load_victim(&e->memory.cache, 0, e->memory.cache.n, 0, CUZK_LOAD_NONE, now);
        if (id == CUZK_LOAD_NONE) {
            return;
        }
        used -= e->memory.cache.entries[id].bytes;
        (void)cuzk_engine_evict_entry(e, id);
    }
}

LOCKED static cuzk_status apply(cuzk_engine *e, const cuzk_engine_config *s, uint64_t now,
                                cuzk_err *err)
{
    cuzk_engine_config *c = &e->cfg;
    const uint32_t n = s->max_queued_jobs, flying = cuzk_engine_flying_limit(n);
    /* first all that may fail: additional room or an idle thread changes nothing */
    CUZK_TRY(cuzk_sched_reserve(&e->queues.prep, n + WINNING_PLACES, err));
    CUZK_TRY(cuzk_sched_reserve(&e->queues.ready, n + WINNING_PLACES, err));
    CUZK_TRY(cuzk_sched_reserve(&e->queues.on_device, flying, err));
    CUZK_TRY(cuzk_sched_reserve(&e->queues.to_verify, flying, err));
    CUZK_TRY(cuzk_sched_reserve(&e->queues.to_aggregate, n + WINNING_PLACES, err));
    CUZK_TRY(cuzk_engine_add_workers(e, s->slots_per_device, err));
    CUZK_TRY(resize_memory(e, s, err));
    c->budget_bytes = s->budget_bytes;
    c->safety_margin_bytes = s->safety_margin_bytes;
    c->winning_reserve_bytes = s->winning_reserve_bytes;
    c->eviction_min_idle_ms = s->eviction_min_idle_ms;
    c->slots_per_device = s->slots_per_device;
    c->max_batch_size = s->max_batch_size;
    c->max_batch_wait_ms = s->max_batch_wait_ms;
    c->max_queued_jobs = n;
    c->result_keep_ms = s->result_keep_ms;
    c->result_keep_count = s->result_keep_count;
    c->age_ms = s->age_ms;
    c->device_timeout_ms = s->device_timeout_ms;
    cuzk_engine_set_batch(e, s->max_batch_size);
    cuzk_engine_set_slots(e, s->slots_per_device);
    cuzk_engine_set_ages(&e->queues, s->age_ms);
    for (uint32_t i = 0; i < e->devices.n_primary; i++) {
        e->devices.all[i].health.limit_ns = s->device_timeout_ms * MS_NS;
    }
    shrink(e, now);
    return CUZK_OK;
}

cuzk_status cuzk_engine_reconfigure(cuzk_engine *e, const cuzk_engine_config *config, cuzk_err *err)
{
    cuzk_engine_config fresh = *config;
    cuzk_engine_config_complete(&fresh);
    cuzk_engine_lock(e);
    const cuzk_status st = apply(e, &fresh, cuzk_clock_ns(), err);
    if (st == CUZK_OK) { /* there may be room, more at once, or less time */
        cuzk_engine_wake_memory(e);
        pthread_cond_broadcast(&e->locks.device);
        pthread_cond_broadcast(&e->locks.witness);
        pthread_cond_signal(&e->locks.timer);
    }
    cuzk_engine_unlock(e);
    return st;
}
