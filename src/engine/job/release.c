/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The release thread: it frees the witnesses, inputs and circuits that partitions, jobs and evictions leave. */
#include "base/alloc.h"
#include "base/clock.h"
#include "engine/engine_internal.h"

/*
 * Memory is freed without the lock, because returning gigabytes to the system takes long. The bytes count as used
 * until that is done.
 */
LOCKED static void release_flight(cuzk_engine *e, flight *f)
{
    job *j = f->job;
    const uint64_t bytes = f->memory.bytes + f->cpu_memory.bytes;
    cuzk_engine_unlock(e);
    if (f->witness != NULL) {
        e->backend->free_witness(e->backend->arg, f->witness);
    }
    cuzk_engine_lock(e);
    e->memory.leaving_bytes -= bytes;
    cuzk_engine_give_host(e, &f->memory, 0);
    cuzk_engine_give_host(e, &f->cpu_memory, 0);
    const uint64_t now = cuzk_clock_ns();
    cuzk_load_unref(&e->memory.cache, cuzk_engine_load_id(f->circuit, CUZK_LOAD_CIRCUIT), now);
    cuzk_load_unref(&e->memory.cache, cuzk_engine_load_id(f->circuit, CUZK_LOAD_PARAMS), now);
    cuzk_engine_drop_suspect(e, f->circuit);
    *(f->prev != NULL ? &f->prev->next : &e->flights.first) = f->next;
    if (f->next != NULL) {
        f->next->prev = f->prev;
    }
    e->memory.n_busy--;
    cuzk_free(f);
    if (j != NULL) {
        cuzk_job_release_input(e, j);
        cuzk_job_unpin(j);
    }
    cuzk_engine_wake_memory(e);
}

LOCKED static void release_job(cuzk_engine *e, job *j)
{
    void *input = j->input;
    const uint64_t bytes = j->input_memory.bytes + j->block_memory.bytes;
    j->input = NULL;
    cuzk_engine_unlock(e);
    if (input != NULL) {
        e->backend->free_input(e->backend->arg, input);
    }
    cuzk_job_drop_block(j);
    cuzk_engine_lock(e);
    e->memory.leaving_bytes -= bytes;
    e->memory.input_used -= j->input_memory.bytes;
    e->memory.block_used -= j->block_memory.bytes;
    cuzk_engine_give_host(e, &j->input_memory, 0);
    cuzk_engine_give_host(e, &j->block_memory, 0);
    cuzk_job_unpin(j);
    cuzk_engine_wake_memory(e);
}

LOCKED static bool release_entry(cuzk_engine *e)
{
    for (uint32_t i = 0; i < e->memory.cache.n; i++) {
        cuzk_load_entry *entry = &e->memory.cache.entries[i];
        if (entry->state == CUZK_LOAD_LEAVING) {
            void *object = entry->object;
            cuzk_engine_unlock(e);
            e->backend->unload(e->backend->arg, (cuzk_load_what)(i % 2), object);
            cuzk_engine_lock(e);
            const bool privileged = e->backend->circuits[i / 2].kind == CUZK_JOB_WINNING;
            const uint64_t bytes = cuzk_load_left(&e->memory.cache, i);
            e->memory.leaving_bytes -= bytes;
            cuzk_budget_give(&e->memory.host, bytes, privileged);
            cuzk_engine_wake_memory(e);
            pthread_cond_broadcast(&e->locks.change);
            return true;
        }
    }
    return false;
}

void cuzk_release_loop(worker *w)
{
    cuzk_engine *e = w->e;
    cuzk_engine_lock(e);
    for (;;) {
        if (e->flights.to_free != NULL) {
            flight *f = e->flights.to_free;
            e->flights.to_free = f->next_dead;
            release_flight(e, f);
        } else if (e->jobs.to_free != NULL) {
            job *j = e->jobs.to_free;
            e->jobs.to_free = j->next_dead;
            release_job(e, j);
        } else if (release_entry(e)) {
            continue;
        } else if (e->stop) {
            break;
        } else {
            pthread_cond_broadcast(&e->locks.change);
            cuzk_engine_wait(e, &e->locks.release);
        }
    }
    cuzk_engine_unlock(e);
}
