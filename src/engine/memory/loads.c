/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What is to be loaded, and parameter files that failed. The loads themselves: load/loader.c. */
#include "engine/engine_internal.h"

uint64_t cuzk_load_bytes(const cuzk_engine_backend *backend, uint32_t id)
{
    const cuzk_backend_circuit *c = &backend->circuits[id / 2];
    return id % 2 == CUZK_LOAD_CIRCUIT ? c->compile_bytes : c->params_bytes;
}

bool cuzk_engine_is_file_trouble(cuzk_status st)
{
    return st == CUZK_E_IO || st == CUZK_E_ENCODING || st == CUZK_E_NOT_ON_CURVE ||
           st == CUZK_E_NOT_IN_GROUP || st == CUZK_E_INFINITY;
}

cuzk_status cuzk_engine_file_status(cuzk_status st)
{
    return cuzk_engine_is_file_trouble(st) || st == CUZK_E_FORMAT ? CUZK_E_IO : st;
}

void cuzk_engine_suspect_params(cuzk_engine *e, uint32_t circuit)
{
    e->memory.wants[cuzk_engine_load_id(circuit, CUZK_LOAD_PARAMS)].is_suspect = true;
    cuzk_engine_drop_suspect(e, circuit);
}

void cuzk_engine_drop_suspect(cuzk_engine *e, uint32_t circuit)
{
    const uint32_t id = cuzk_engine_load_id(circuit, CUZK_LOAD_PARAMS);
    if (e->memory.wants[id].is_suspect && cuzk_engine_evict_entry(e, id)) {
        e->memory.wants[id].is_suspect = false;
    }
}

uint64_t cuzk_loads_starved_bytes(const cuzk_engine *e)
{
    uint64_t bytes = 0;
    for (uint32_t id = 0; id < e->memory.cache.n; id++) {
        bytes += e->memory.wants[id].is_starved ? cuzk_load_bytes(e->backend, id) : 0;
    }
    return bytes;
}

bool cuzk_circuit_is_loaded(const engine_memory *memory, uint32_t circuit)
{
    return !memory->wants[cuzk_engine_load_id(circuit, CUZK_LOAD_PARAMS)].is_suspect &&
           memory->cache.entries[cuzk_engine_load_id(circuit, CUZK_LOAD_CIRCUIT)].state ==
               CUZK_LOAD_READY &&
           memory->cache.entries[cuzk_engine_load_id(circuit, CUZK_LOAD_PARAMS)].state ==
               CUZK_LOAD_READY;
}

void cuzk_circuit_want(cuzk_engine *e, uint32_t circuit)
{
    for (int what = CUZK_LOAD_CIRCUIT; what <= CUZK_LOAD_PARAMS; what++) {
        const uint32_t id = cuzk_engine_load_id(circuit, (cuzk_load_what)what);
        if (e->memory.cache.entries[id].state == CUZK_LOAD_ABSENT) {
            load_want *want = &e->memory.wants[id];
            want->wanted = true;
            want->is_for_job = true;
            pthread_cond_broadcast(&e->locks.loader);
        }
    }
}
