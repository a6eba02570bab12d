/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The timer thread: waits, deadlines, batches, watchdogs. */
#include <stdio.h>

#include "base/clock.h"
#include "engine/engine_internal.h"

#define TICK_NS (1000 * MS_NS)

static void earlier(uint64_t *next, uint64_t at)
{
    if (at != 0 && at < *next) {
        *next = at;
    }
}

LOCKED static void expire_jobs(cuzk_engine *e, uint64_t now, uint64_t *next)
{
    for (job *j = e->jobs.first; j != NULL; j = j->next) {
        if (j->deadline_ns == 0 || j->phase >= PHASE_ENDING) {
            continue;
        }
        if (j->deadline_ns <= now) {
            cuzk_job_set_outcome(e, j, CUZK_JOB_CANCELLED, CUZK_E_CANCELLED,
                                 "the deadline passed before the proof was done");
        } else {
            earlier(next, j->deadline_ns);
        }
    }
}

static bool has_other_good(const device_table *devices, uint32_t index)
{
    if (cuzk_engine_has_fallback(devices)) {
        return true;
    }
    for (uint32_t i = 0; i < devices->n; i++) {
        if (i != index && cuzk_health_is_good(&devices->all[i].health)) {
            return true;
        }
    }
    return false;
}

/* Calls in some slots (bits) of a device take too long: other devices prove their partitions. */
LOCKED static void abandon(cuzk_engine *e, uint32_t index, uint32_t slots)
{
    const device *d = &e->devices.all[index];
    char text[200];
    (void)snprintf(text, sizeof(text), "device %u (%s) took longer than %llu ms", d->info.ordinal,
                   d->info.name, (unsigned long long)e->cfg.device_timeout_ms);
    for (flight *f = e->flights.first; f != NULL;) {
        flight *following = f->next;
        if (f->job != NULL && f->device == (int32_t)index && f->is_busy &&
            f->job->partitions[f->partition].state == CUZK_PART_DEVICE &&
            f->job->partitions[f->partition].stage == CUZK_STAGE_DEVICE &&
            (slots >> f->slot & 1) != 0) {
            cuzk_flight_abandon(e, f, !has_other_good(&e->devices, index), text);
        }
        f = following;
    }
}

LOCKED static void watch_devices(cuzk_engine *e, uint64_t now, uint64_t *next)
{
    for (uint32_t i = 0; i < e->devices.n; i++) {
        cuzk_health *h = &e->devices.all[i].health;
        bool quarantined = false;
        const uint32_t slots = cuzk_health_tick(h, &quarantined, now);
        if (quarantined) {
            cuzk_device_quarantined(e, i, "takes too long");
        }
        if (slots != 0) {
            abandon(e, i, slots);
        }
        const uint64_t at = cuzk_health_wake_ns(h);
        if (at != 0 && at <= now) {
            pthread_cond_broadcast(&e->locks.device); /* it is time to probe */
        } else {
            earlier(next, at);
        }
    }
}

/* Jobs before the devices whose circuit is set aside on all of them. */
LOCKED static void fail_set_aside(cuzk_engine *e, uint64_t now)
{
    for (uint32_t i = 0; i < e->queues.on_device.n;) {
        const cuzk_sched_item *item = &e->queues.on_device.items[i];
        if (cuzk_circuit_is_out(&e->devices, item->circuit, now)) {
            cuzk_circuit_fail_job(e, item->owner, item->circuit);
            i = 0; /* the queue has changed */
        } else {
            i++;
        }
    }
}

/*
 * Without a device nothing can be proved here: after a while the jobs fail, so that their callers ask another daemon.
 */
LOCKED static void check_devices(cuzk_engine *e, uint64_t now, uint64_t *next)
{
    const bool works = cuzk_engine_gpu_works(&e->devices);
    e->devices.no_device_ns = works                          ? 0
                              : e->devices.no_device_ns != 0 ? e->devices.no_device_ns
                                                             : now;
    cuzk_fallback_tick(e, works, now, next);
    if (works) {
        return;
    }
    const uint64_t patience = e->cfg.no_device_ms * MS_NS;
    if (now - e->devices.no_device_ns < patience) {
        earlier(next, e->devices.no_device_ns + patience);
        return;
    }
    for (uint32_t i = 0; i < e->queues.on_device.n;) {
        const cuzk_sched_item *item = &e->queues.on_device.items[i];
        job *j = item->owner;
        if (cuzk_engine_has_fallback(&e->devices) &&
            cuzk_fallback_fits(e, item->circuit, j->is_privileged)) {
            i++;
            continue;
        }
        cuzk_job_set_outcome(e, j, CUZK_JOB_FAILED, CUZK_E_DEV_LOST,
                             cuzk_engine_has_fallback(&e->devices)
                                 ? "no GPU works, and the memory budget is too small for the CPU"
                                 : "no device works");
        i = 0; /* the queue has changed */
    }
}

LOCKED static void forget_expired(cuzk_engine *e, uint64_t now)
{
    const uint64_t keep = e->cfg.result_keep_ms * MS_NS;
    for (job *j = e->jobs.first; j != NULL;) {
        job *following = j->next;
        if (j->phase == PHASE_ENDED && j->waiters == NULL && !j->is_end_unsaved &&
            now - j->ended_ns >= keep) {
            e->jobs.n_ended--;
            cuzk_job_forget(&e->jobs, j);
        }
        j = following;
    }
}

void cuzk_timer_loop(worker *w)
{
    cuzk_engine *e = w->e;
    uint64_t tick = 0;
    cuzk_engine_lock(e);
    while (!e->stop) {
        const uint64_t now = cuzk_clock_ns();
        uint64_t next = now + TICK_NS;
        const uint64_t wait_end = cuzk_waiters_expire(e, now);
        if (wait_end == now) {
            continue; /* one has been called: the lists may have changed */
        }
        earlier(&next, wait_end);
        expire_jobs(e, now, &next);
        watch_devices(e, now, &next);
        fail_set_aside(e, now);
        check_devices(e, now, &next);
        if (e->devices.batch_wake_ns != 0 && e->devices.batch_wake_ns <= now) {
            e->devices.batch_wake_ns = 0;
            pthread_cond_broadcast(&e->locks.device);
        }
        earlier(&next, e->devices.batch_wake_ns);
        if (now >= tick) { /* circuits have been idle for longer: some may be evicted now */
            tick = now + TICK_NS;
            forget_expired(e, now);
            cuzk_engine_wake_memory(e);
        }
        cuzk_engine_wait_until(e, &e->locks.timer, next);
    }
    cuzk_engine_unlock(e);
}
