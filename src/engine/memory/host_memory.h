/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_ENGINE_MEMORY_HOST_MEMORY_H
#define CUZK_ENGINE_MEMORY_HOST_MEMORY_H

/* Host memory, and the circuits and parameters that are loaded into it. */
#include "engine/backend/backend.h"
#include "engine/engine_limits.h"
#include "engine/lock/engine_lock.h"
#include "sched/budget.h"
#include "sched/load_cache.h"

/** What the loader has to do about an entry of the cache. */
typedef struct load_want {
    bool wanted, is_for_job;
    bool is_starved;    /* the loader looked at it, and there was no memory for it */
    cuzk_status status; /* of the last failure */
    char failure[ERROR_BYTES];
    uint64_t n_failures; /* number of failed tries, for those who wait */
    uint32_t tries;      /* in a row */
    uint64_t load_ns;    /* of the last load */
    bool is_suspect;     /* READY, but its file failed: it gets no new users, and is loaded again */
} load_want;

/** Host memory, what is loaded into it, and what is being freed. */
typedef struct engine_memory {
    GUARDED cuzk_budget host;
    GUARDED uint64_t block_limit, block_used; /* proofs of waiting jobs */
    GUARDED uint64_t input_limit, input_used; /* parsed inputs */
    uint64_t base_bytes;                      /* of the process itself, and for its front */
    GUARDED cuzk_load_cache cache;            /* 2 per circuit: cuzk_load_what */
    GUARDED load_want *wants;                 /* [2 n_circuits] */
    GUARDED uint64_t leaving_bytes;           /* still reserved, about to be freed */
    GUARDED uint32_t
        n_busy; /* number of partitions, loads and parses that hold memory and will free it */
} engine_memory;

/* host_memory.c */
/** Reserves host memory. When there is too little, evicts idle circuits and returns false for now. */
LOCKED bool cuzk_engine_take_host(cuzk_engine *e, cuzk_reservation *r, uint64_t bytes,
                                  bool privileged, bool may_evict, uint64_t now_ns);
LOCKED void cuzk_engine_give_host(cuzk_engine *e, cuzk_reservation *r, uint64_t keep);
/** Wakes the workers of PARSE and CHECK: a job came, or may be taken now. */
LOCKED void cuzk_engine_wake_prep(cuzk_engine *e);
/** Wakes every thread that may be waiting for memory. */
LOCKED void cuzk_engine_wake_memory(cuzk_engine *e);
/** E_BUDGET with the numbers when a job of this circuit and input can never run. */
LOCKED CUZK_NODISCARD cuzk_status cuzk_engine_can_fit(const cuzk_engine *e, uint32_t circuit,
                                                      uint64_t input_bytes, bool privileged,
                                                      cuzk_err *err);
/** Starts to free an entry of the cache; false when it is not loaded or in use. */
LOCKED bool cuzk_engine_evict_entry(cuzk_engine *e, uint32_t id);
uint32_t cuzk_engine_load_id(uint32_t circuit, cuzk_load_what what);

/* loads.c */
/** Host memory that a load takes. */
uint64_t cuzk_load_bytes(const cuzk_engine_backend *backend, uint32_t id);
/** Bytes that loads need and could not reserve: other work takes only what is free beyond them. */
LOCKED uint64_t cuzk_loads_starved_bytes(const cuzk_engine *e);
/** True when circuit and parameters are in memory, and the parameters' file has not failed. */
LOCKED bool cuzk_circuit_is_loaded(const engine_memory *memory, uint32_t circuit);
/** Asks a loader to load for a job what is missing of circuit and parameters. */
LOCKED void cuzk_circuit_want(cuzk_engine *e, uint32_t circuit);
/** An error with a parameter file: its disk, or invalid points. It says nothing of a device. */
bool cuzk_engine_is_file_trouble(cuzk_status st);
/**
 * The status of a job that fails by such an error: E_IO, since the request is not at fault. Other statuses are
 * unchanged.
 */
cuzk_status cuzk_engine_file_status(cuzk_status st);
/** The file may have been replaced, or be readable again: it is opened again when its last user has finished. */
LOCKED void cuzk_engine_suspect_params(cuzk_engine *e, uint32_t circuit);
/** Call it after a user of the parameters has finished. */
LOCKED void cuzk_engine_drop_suspect(cuzk_engine *e, uint32_t circuit);

#endif /* CUZK_ENGINE_MEMORY_HOST_MEMORY_H */
