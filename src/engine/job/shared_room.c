/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What this engine reports to a shared queue: how many jobs it takes, and which circuits it has loaded. */
#include <stdio.h>
#include <string.h>

#include "engine/job/accept_internal.h"
#include "fleet/member.h"

/* Number of jobs that can be worked on at once. */
LOCKED static uint32_t places_of(const device_table *devices)
{
    uint32_t places = 0;
    for (uint32_t i = 0; i < devices->n_primary; i++) {
        places += cuzk_health_is_good(&devices->all[i].health) ? devices->all[i].slots : 0;
    }
    return places == 0 && (devices->on_cpu || cuzk_engine_has_fallback(devices)) ? 1 : places;
}

typedef struct counts {
    /* jobs that are worked on; jobs that could be, if there were a place */
    uint32_t running, waiting;
} counts;

LOCKED static counts count(const job_table *jobs)
{
    counts n = {0, 0};
    for (const job *j = jobs->first; j != NULL; j = j->next) {
        bool is_waiting = j->phase <= PHASE_PREPPING, is_here = j->phase != PHASE_READY;
        for (uint32_t i = 0; j->phase == PHASE_READY && i < j->n_partitions; i++) {
            const cuzk_partition_state s = j->partitions[i].state;
            is_waiting = is_waiting || s == CUZK_PART_PENDING;
            is_here = is_here || (s != CUZK_PART_DONE && s != CUZK_PART_ELSEWHERE);
        }
        is_here = is_here || !j->is_spread; /* otherwise only other daemons work on it */
        n.waiting += is_waiting ? 1 : 0;
        n.running += !is_waiting && is_here && j->phase <= PHASE_ENDING ? 1 : 0;
    }
    return n;
}

uint32_t cuzk_shared_room(const cuzk_engine *e)
{
    const uint32_t places = places_of(&e->devices);
    const counts n = count(&e->jobs);
    /* without a place, what is claimed could not start */
    return places == 0 ? 0 : cuzk_member_room(places, n.running, n.waiting);
}

bool cuzk_shared_has_idle_place(const cuzk_engine *e)
{
    const counts n = count(&e->jobs);
    return n.running + n.waiting < places_of(&e->devices);
}

bool cuzk_shared_starts_at_once(const cuzk_engine *e)
{
    const counts n = count(&e->jobs); /* the job that asks is one of those that wait */
    return n.running + n.waiting <= places_of(&e->devices);
}

LOCKED static bool is_loaded(const cuzk_engine *e, uint32_t circuit)
{
    bool is = 2 * circuit + 1 < e->memory.cache.n &&
              e->memory.cache.entries[2 * circuit + CUZK_LOAD_PARAMS].state == CUZK_LOAD_READY;
    for (uint32_t d = 0; d < e->devices.n && !is; d++) {
        const cuzk_load_cache *keys = &e->devices.all[d].keys.cache;
        is = circuit < keys->n && keys->entries[circuit].state == CUZK_LOAD_READY;
    }
    return is;
}

void cuzk_shared_report(const cuzk_engine *e)
{
    cuzk_queue_report r = {
        .places = places_of(&e->devices), .devices = e->devices.n_primary, .loaded = " "};
    size_t at = 1;
    for (uint32_t i = 0; i < e->devices.n_primary; i++) {
        r.healthy += cuzk_health_is_good(&e->devices.all[i].health) ? 1 : 0;
    }
    for (uint32_t i = 0; i < e->backend->n_circuits; i++) {
        const char *id = e->backend->circuits[i].id;
        if (is_loaded(e, i) && strlen(id) + 2 < sizeof(r.loaded) - at) {
            at += (size_t)snprintf(r.loaded + at, sizeof(r.loaded) - at, "%s ", id);
        }
    }
    e->store.shared->report(e->store.arg, &r);
}
