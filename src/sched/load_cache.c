/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "sched/load_cache.h"

#include "base/alloc.h"
#include "base/assert.h"

cuzk_status cuzk_load_cache_init(cuzk_load_cache *c, uint32_t n, cuzk_err *err)
{
    c->entries = cuzk_alloc_zero(n, sizeof(*c->entries));
    c->n = c->entries != NULL ? n : 0;
    return c->entries != NULL ? CUZK_OK
                              : CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for %u cache entries", n);
}

void cuzk_load_cache_free(cuzk_load_cache *c)
{
    cuzk_free(c->entries);
    c->entries = NULL;
    c->n = 0;
}

void cuzk_load_begin(cuzk_load_cache *c, uint32_t id, uint64_t bytes)
{
    cuzk_load_entry *e = &c->entries[id];
    CUZK_ASSERT(e->state == CUZK_LOAD_ABSENT);
    e->state = CUZK_LOAD_LOADING;
    e->bytes = bytes;
}

void cuzk_load_done(cuzk_load_cache *c, uint32_t id, void *object, uint64_t bytes, uint64_t now_ns)
{
    cuzk_load_entry *e = &c->entries[id];
    CUZK_ASSERT(e->state == CUZK_LOAD_LOADING);
    *e = (cuzk_load_entry){
        .state = CUZK_LOAD_READY, .bytes = bytes, .last_used_ns = now_ns, .object = object};
}

void cuzk_load_failed(cuzk_load_cache *c, uint32_t id)
{
    cuzk_load_entry *e = &c->entries[id];
    CUZK_ASSERT(e->state == CUZK_LOAD_LOADING);
    *e = (cuzk_load_entry){.state = CUZK_LOAD_ABSENT};
}

void *cuzk_load_ref(cuzk_load_cache *c, uint32_t id)
{
    cuzk_load_entry *e = &c->entries[id];
    CUZK_ASSERT(e->state == CUZK_LOAD_READY);
    e->refs++;
    return e->object;
}

void cuzk_load_unref(cuzk_load_cache *c, uint32_t id, uint64_t now_ns)
{
    cuzk_load_entry *e = &c->entries[id];
    CUZK_ASSERT(e->state == CUZK_LOAD_READY && e->refs > 0);
    e->refs--;
    e->last_used_ns = now_ns;
}

uint32_t cuzk_load_victim(const cuzk_load_cache *c, uint32_t first, uint32_t end,
                          uint64_t min_idle_ns, uint32_t keep, uint64_t now_ns)
{
    uint32_t best = CUZK_LOAD_NONE;
    for (uint32_t i = first; i < end; i++) {
        const cuzk_load_entry *e = &c->entries[i];
        const uint64_t idle = now_ns > e->last_used_ns ? now_ns - e->last_used_ns : 0;
        if (i != keep && e->state == CUZK_LOAD_READY && e->refs == 0 && idle >= min_idle_ns &&
            (best == CUZK_LOAD_NONE || e->last_used_ns < c->entries[best].last_used_ns)) {
            best = i;
        }
    }
    return best;
}

void *cuzk_load_leave(cuzk_load_cache *c, uint32_t id)
{
    cuzk_load_entry *e = &c->entries[id];
    CUZK_ASSERT(e->state == CUZK_LOAD_READY && e->refs == 0);
    e->state = CUZK_LOAD_LEAVING;
    return e->object;
}

uint64_t cuzk_load_left(cuzk_load_cache *c, uint32_t id)
{
    cuzk_load_entry *e = &c->entries[id];
    const uint64_t bytes = e->bytes;
    CUZK_ASSERT(e->state == CUZK_LOAD_LEAVING);
    *e = (cuzk_load_entry){.state = CUZK_LOAD_ABSENT};
    return bytes;
}
