/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Host memory: reserving it for a stage, and evicting idle circuits for it. */
#include "base/assert.h"
#include "engine/engine_internal.h"

uint32_t cuzk_engine_load_id(uint32_t circuit, cuzk_load_what what)
{
    return 2 * circuit + (uint32_t)what;
}

void cuzk_engine_wake_prep(cuzk_engine *e)
{
    pthread_cond_broadcast(&e->locks.prep);
    pthread_cond_broadcast(&e->locks.change); /* a thread waits for the first witness */
}

void cuzk_engine_wake_memory(cuzk_engine *e)
{
    pthread_cond_broadcast(&e->locks.prep);
    pthread_cond_broadcast(&e->locks.witness);
    pthread_cond_broadcast(&e->locks.loader);
    pthread_cond_broadcast(&e->locks.change); /* aggregates that callers want verified */
    if (cuzk_engine_has_keys(e->backend) || cuzk_engine_has_fallback(&e->devices)) {
        /* device workers wait for pinned memory, or for the CPU's memory */
        pthread_cond_broadcast(&e->locks.device);
    }
}

bool cuzk_engine_evict_entry(cuzk_engine *e, uint32_t id)
{
    const cuzk_load_entry *entry = &e->memory.cache.entries[id];
    if (entry->state != CUZK_LOAD_READY || entry->refs != 0) {
        return false;
    }
    (void)cuzk_load_leave(&e->memory.cache, id);
    e->memory.leaving_bytes += entry->bytes;
    pthread_cond_signal(&e->locks.release);
    return true;
}

LOCKED static bool is_something_leaving(const engine_memory *memory)
{
    return memory->leaving_bytes != 0;
}

/* True when work is under way that will free memory. Partitions that wait in a queue do not count. */
LOCKED static bool is_under_way(const cuzk_engine *e)
{
    uint32_t waiting = 0;
    for (const flight *f = e->flights.first; f != NULL; f = f->next) {
        waiting += f->is_busy ? 0 : 1;
    }
    return e->memory.n_busy > waiting;
}

bool cuzk_engine_take_host(cuzk_engine *e, cuzk_reservation *r, uint64_t bytes, bool privileged,
                           bool may_evict, uint64_t now_ns)
{
    if (cuzk_reservation_take(r, &e->memory.host, bytes, privileged)) {
        return true;
    }
    if (!may_evict || is_something_leaving(&e->memory)) {
        return false; /* what is being freed may be enough: its end wakes the waiters */
    }
    uint64_t free = cuzk_budget_free(&e->memory.host, privileged);
    const uint64_t idle = cuzk_engine_or_none(e->cfg.eviction_min_idle_ms) * MS_NS;
    while (free < bytes) {
        uint32_t id =
            cuzk_load_victim(&e->memory.cache, 0, e->memory.cache.n, idle, CUZK_LOAD_NONE, now_ns);
        if (id == CUZK_LOAD_NONE && !is_under_way(e)) {
            /* no work is under way that will free memory: waiting would never end */
            id =
                cuzk_load_victim(&e->memory.cache, 0, e->memory.cache.n, 0, CUZK_LOAD_NONE, now_ns);
        }
        if (id == CUZK_LOAD_NONE) {
            return false;
        }
        free += e->memory.cache.entries[id].bytes;
        (void)cuzk_engine_evict_entry(e, id);
    }
    return false;
}

void cuzk_engine_give_host(cuzk_engine *e, cuzk_reservation *r, uint64_t keep)
{
    if (r->bytes > keep) {
        cuzk_reservation_shrink(r, &e->memory.host, keep);
        cuzk_engine_wake_memory(e);
    }
}

cuzk_status cuzk_engine_can_fit(const cuzk_engine *e, uint32_t circuit, uint64_t input_bytes,
                                bool privileged, cuzk_err *err)
{
    static const cuzk_backend_circuit unknown = {.id = "the input"};
    const cuzk_backend_circuit *c =
        circuit != CUZK_CIRCUIT_UNKNOWN ? &e->backend->circuits[circuit] : &unknown;
    const uint64_t inputs =
        input_bytes > e->memory.input_limit ? input_bytes : e->memory.input_limit;
    const uint64_t loaded = c->circuit_bytes + c->params_bytes;
    const uint64_t partition = c->witness_bytes + c->prove_bytes;
    const uint64_t compiling = c->compile_bytes + c->params_bytes;
    const uint64_t circuit_need = loaded + partition > compiling ? loaded + partition : compiling;
    const uint64_t need = circuit_need + inputs + e->memory.block_limit + e->memory.base_bytes;
    const uint64_t limit = cuzk_budget_limit(&e->memory.host, privileged);
    if (need > limit) {
        return CUZK_FAIL(
            err, CUZK_E_BUDGET,
            "%s can never fit: it needs %llu MiB (%llu circuit and parameters, %llu a partition, %llu "
            "inputs, %llu the process, requests and answers), the budget allows %llu of %llu MiB",
            c->id, (unsigned long long)(need >> 20), (unsigned long long)(loaded >> 20),
            (unsigned long long)(partition >> 20),
            (unsigned long long)((inputs + e->memory.block_limit) >> 20),
            (unsigned long long)(e->memory.base_bytes >> 20), (unsigned long long)(limit >> 20),
            (unsigned long long)(e->memory.host.total >> 20));
    }
    return CUZK_OK;
}
