/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_SCHED_LOAD_CACHE_H
#define CUZK_SCHED_LOAD_CACHE_H

/*
 * What is loaded: compiled circuits, parameters, keys on devices. States and references only; who
 * loads, frees and accounts for the bytes is the caller. No clock, no threads, no allocation but at
 * init.
 *
 *   ABSENT -> LOADING -> READY -> LEAVING -> ABSENT
 *                     \-> ABSENT (failed)
 *
 * Invariants: only READY entries have references; an entry with references never leaves.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

typedef enum cuzk_load_state {
    CUZK_LOAD_ABSENT = 0,
    CUZK_LOAD_LOADING = 1,
    CUZK_LOAD_READY = 2,
    CUZK_LOAD_LEAVING = 3
} cuzk_load_state;

typedef struct cuzk_load_entry {
    cuzk_load_state state;
    uint32_t refs;
    uint64_t bytes; /* while LOADING: what has been reserved for it */
    uint64_t last_used_ns;
    void *object;
} cuzk_load_entry;

typedef struct cuzk_load_cache {
    cuzk_load_entry *entries; /* [n] */
    uint32_t n;
} cuzk_load_cache;

#define CUZK_LOAD_NONE UINT32_MAX

CUZK_NODISCARD cuzk_status cuzk_load_cache_init(cuzk_load_cache *c, uint32_t n, cuzk_err *err);
void cuzk_load_cache_free(cuzk_load_cache *c);
/** ABSENT -> LOADING. */
void cuzk_load_begin(cuzk_load_cache *c, uint32_t id, uint64_t bytes);
/** LOADING -> READY. */
void cuzk_load_done(cuzk_load_cache *c, uint32_t id, void *object, uint64_t bytes, uint64_t now_ns);
/** LOADING -> ABSENT. */
void cuzk_load_failed(cuzk_load_cache *c, uint32_t id);
/** One more user of a READY entry. */
void *cuzk_load_ref(cuzk_load_cache *c, uint32_t id);
void cuzk_load_unref(cuzk_load_cache *c, uint32_t id, uint64_t now_ns);
/**
 * The least recently used entry of [first, end) that is READY, without references, and idle for
 * min_idle_ns; CUZK_LOAD_NONE: no such entry. keep (an id or CUZK_LOAD_NONE) is passed over.
 */
uint32_t cuzk_load_victim(const cuzk_load_cache *c, uint32_t first, uint32_t end,
                          uint64_t min_idle_ns, uint32_t keep, uint64_t now_ns);
/** READY, no references -> LEAVING; returns the object, which the caller frees. */
void *cuzk_load_leave(cuzk_load_cache *c, uint32_t id);
/** LEAVING -> ABSENT: it is freed. Returns the bytes. */
uint64_t cuzk_load_left(cuzk_load_cache *c, uint32_t id);

#endif /* CUZK_SCHED_LOAD_CACHE_H */
