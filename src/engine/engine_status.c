/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* A consistent snapshot of the engine, copied under the lock into one block. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "engine/engine_internal.h"
#include "sys/host_memory.h"

#define SLACK 16u /* jobs and partitions that may come between counting and copying */

typedef struct sizes {
    size_t n_devices, n_cached, n_jobs, n_parts, n_set_aside, n_abilities;
} sizes;

static bool is_shown(const job *j, uint64_t now)
{
    return j->phase != PHASE_ENDED || now - j->ended_ns < SHOWN_NS;
}

LOCKED static bool shows_ability(const cuzk_engine *e, uint32_t index, uint32_t circuit)
{
    return e->devices.all[index].has_abilities && (e->backend->circuits[circuit].is_network ||
                                                   !cuzk_device_can(&e->devices, index, circuit));
}

LOCKED static sizes measure(const cuzk_engine *e, uint64_t now)
{
    sizes s = {.n_devices = e->devices.n};
    for (uint32_t i = 0; i < e->memory.cache.n; i++) {
        s.n_cached += e->memory.cache.entries[i].state == CUZK_LOAD_READY ? 1 : 0;
    }
    for (uint32_t d = 0; d < e->devices.n; d++) {
        for (uint32_t i = 0; i < e->backend->n_circuits; i++) {
            s.n_set_aside += cuzk_circuit_is_set_aside(&e->devices.all[d].circuits[i], now) ? 1 : 0;
            s.n_abilities += shows_ability(e, d, i) ? 1 : 0;
        }
        const cuzk_load_cache *keys = &e->devices.all[d].keys.cache;
        for (uint32_t i = 0; i < keys->n; i++) {
            s.n_cached += keys->entries[i].state == CUZK_LOAD_READY ? 1 : 0;
        }
    }
    for (const job *j = e->jobs.first; j != NULL; j = j->next) {
        if (is_shown(j, now)) {
            s.n_jobs++;
            s.n_parts += j->partitions != NULL ? j->n_partitions : 0;
        }
    }
    return s;
}

static bool fits(const sizes *need, const sizes *have)
{
    return need->n_devices <= have->n_devices && need->n_cached <= have->n_cached &&
           need->n_jobs <= have->n_jobs && need->n_parts <= have->n_parts &&
           need->n_set_aside <= have->n_set_aside && need->n_abilities <= have->n_abilities;
}

static void fill_part(cuzk_status_partition *out, uint32_t index, const job_partition *p)
{
    *out = (cuzk_status_partition){
        .index = index, .state = p->state, .stage = p->stage, .device = p->device};
    memcpy(out->stage_begin_ns, p->begin_ns, sizeof(out->stage_begin_ns));
    memcpy(out->stage_end_ns, p->end_ns, sizeof(out->stage_end_ns));
}

LOCKED static void fill_jobs(const cuzk_engine *e, cuzk_engine_status *out,
                             cuzk_status_partition *partitions, uint64_t now)
{
    for (const job *j = e->jobs.first; j != NULL; j = j->next) {
        if (!is_shown(j, now)) {
            continue;
        }
        cuzk_status_job *o = &out->jobs[out->n_jobs++];
        *o = (cuzk_status_job){.kind = j->rq.kind,
                               .priority = (cuzk_job_priority)j->class_base,
                               .state = j->state,
                               .number = j->number,
                               .accepted_ns = j->accepted_ns,
                               .started_ns = j->started_ns,
                               .ended_ns = j->phase == PHASE_ENDED ? j->ended_ns : 0,
                               .deadline_ns = j->deadline_ns,
                               .n_partitions = j->n_partitions,
                               .n_done = j->n_done,
                               .is_task = j->part_of != 0,
                               .is_privileged = j->is_privileged,
                               .code = j->phase == PHASE_ENDED ? j->code : CUZK_OK,
                               .error_class = ""};
        memcpy(o->job_id, j->id, sizeof(o->job_id));
        memcpy(o->peer, j->peer, sizeof(o->peer));
        cuzk_job_fill_times(j, now, &o->times);
        if (j->phase == PHASE_ENDED && j->error[0] != '\0') {
            o->error_class = cuzk_job_error_class(j->code);
            (void)snprintf(o->error_text, sizeof(o->error_text), "%s", cuzk_job_error_text(j));
        }
        if (j->partitions != NULL) {
            o->partitions = partitions;
            for (uint32_t i = 0; i < j->n_partitions; i++) {
                const job_partition *p = &j->partitions[i];
                o->n_on_cpu += p->state == CUZK_PART_DONE && p->device >= 0 &&
                                       e->devices.all[p->device].info.is_cpu
                                   ? 1
                                   : 0;
                o->n_elsewhere += p->state == CUZK_PART_ELSEWHERE ? 1 : 0;
                fill_part(partitions++, i, p);
            }
        }
    }
}

LOCKED static void fill_devices(const cuzk_engine *e, cuzk_engine_status *out)
{
    out->n_devices = e->devices.n;
    for (uint32_t i = 0; i < e->devices.n; i++) {
        const device *d = &e->devices.all[i];
        cuzk_status_device *o = &out->devices[i];
        cuzk_backend_device info;
        e->backend->device_info(e->backend->arg, i, &info);
        *o = (cuzk_status_device){
            .ordinal = info.ordinal,
            .is_cpu = info.is_cpu,
            .quarantined = !cuzk_health_is_good(&d->health),
            .memory_total = info.is_cpu ? e->memory.host.total : info.memory_total,
            .memory_free = !info.is_cpu ? info.memory_free
                           : e->memory.host.total > e->memory.host.used
                               ? e->memory.host.total - e->memory.host.used
                               : 0,
            .jobs_done = d->jobs_done,
            .errors = d->health.errors,
            .is_fallback = info.is_fallback,
        };
        memcpy(o->name, info.name, sizeof(o->name));
        uint32_t n = 0; /* a slot that a reconfiguration removed is shown while it is busy */
        for (uint32_t s = 0; s < d->n_places; s++) {
            const uint32_t rank = s < d->express ? s : s - 1;
            if (d->slot[s].busy) {
                o->slot[n].busy = true;
                memcpy(o->slot[n].job_id, d->slot[s].id, sizeof(o->slot[n].job_id));
                o->slot[n].kind = d->slot[s].kind;
                o->slot[n].partition = d->slot[s].partition;
                o->slot[n].since_ns = d->slot[s].since_ns;
            }
            n += d->slot[s].busy || s == d->express || rank < d->slots ? 1 : 0;
        }
        o->n_slots = n;
    }
}

/* Keys on devices. Their part in host memory counts as pinned. */
LOCKED static void fill_keys(const cuzk_engine *e, cuzk_engine_status *out)
{
    for (uint32_t d = 0; d < e->devices.n; d++) {
        const device_keys *k = &e->devices.all[d].keys;
        for (uint32_t i = 0; i < k->cache.n; i++) {
            out->pinned_used += k->host[i].bytes;
            if (k->cache.entries[i].state != CUZK_LOAD_READY) {
                continue;
            }
            cuzk_status_cached *o = &out->cached[out->n_cached++];
            *o = (cuzk_status_cached){.is_srs = true,
                                      .on_device = true,
                                      .bytes = k->key[i].device_bytes,
                                      .last_used_ns = k->cache.entries[i].last_used_ns,
                                      .refs = k->cache.entries[i].refs};
            memcpy(o->circuit_id, e->backend->circuits[i].id, sizeof(o->circuit_id));
        }
    }
    out->pinned_limit =
        cuzk_engine_has_keys(e->backend) ? cuzk_device_keys_pin_limit(&e->memory, false) : 0;
}

LOCKED static void fill_cached(const cuzk_engine *e, cuzk_engine_status *out)
{
    for (uint32_t i = 0; i < e->memory.cache.n; i++) {
        const cuzk_load_entry *entry = &e->memory.cache.entries[i];
        if (entry->state != CUZK_LOAD_READY) {
            continue;
        }
        cuzk_status_cached *o = &out->cached[out->n_cached++];
        *o = (cuzk_status_cached){.is_srs = i % 2 == CUZK_LOAD_PARAMS,
                                  .bytes = entry->bytes,
                                  .last_used_ns = entry->last_used_ns,
                                  .refs = entry->refs};
        memcpy(o->circuit_id, e->backend->circuits[i / 2].id, sizeof(o->circuit_id));
    }
}

LOCKED static void fill_set_aside(const cuzk_engine *e, cuzk_engine_status *out, uint64_t now)
{
    for (uint32_t d = 0; d < e->devices.n; d++) {
        for (uint32_t i = 0; i < e->backend->n_circuits; i++) {
            const cuzk_circuit_health *c = &e->devices.all[d].circuits[i];
            if (cuzk_circuit_is_set_aside(c, now)) {
                cuzk_status_set_aside *o = &out->set_aside[out->n_set_aside++];
                o->device = d;
                o->until_ns = c->until_ns;
                memcpy(o->circuit_id, e->backend->circuits[i].id, sizeof(o->circuit_id));
            }
        }
    }
}

LOCKED static void fill_abilities(const cuzk_engine *e, cuzk_engine_status *out)
{
    for (uint32_t d = 0; d < e->devices.n; d++) {
        for (uint32_t i = 0; i < e->backend->n_circuits; i++) {
            const cuzk_backend_ability *a = &e->devices.all[d].abilities[i];
            if (!shows_ability(e, d, i)) {
                continue;
            }
            cuzk_status_ability *o = &out->abilities[out->n_abilities++];
            *o = (cuzk_status_ability){.device = d,
                                       .ability = a->ability,
                                       .needed_bytes = a->needed_bytes,
                                       .available_bytes = a->available_bytes,
                                       .expected_ms = a->expected_ms,
                                       .is_measured = a->is_measured};
            memcpy(o->circuit_id, e->backend->circuits[i].id, sizeof(o->circuit_id));
        }
    }
}

/* Where partitions and whole jobs wait. */
LOCKED static void fill_queues(const cuzk_engine *e, cuzk_engine_status *out)
{
    for (const job *j = e->jobs.first; j != NULL; j = j->next) {
        const cuzk_job_kind k = j->rq.kind;
        if (j->phase == PHASE_ENDED || j->phase == PHASE_ELSEWHERE) {
            continue; /* so that the numbers of all daemons of a shared queue add up */
        }
        if (j->part_of != 0) {
            /* the job is another daemon's */
        } else if (j->state == CUZK_JOB_QUEUED) {
            out->pending[k]++;
        } else {
            out->in_progress[k]++;
        }
        if (j->phase == PHASE_ENDING) {
            out->queue_len[CUZK_STAGE_RETURN] += j->n_partitions;
        }
        const bool has_witness = k != CUZK_JOB_AGGREGATE;
        for (uint32_t i = 0; has_witness && j->phase == PHASE_READY && i < j->n_partitions; i++) {
            out->queue_len[CUZK_STAGE_WITNESS] +=
                j->partitions[i].state == CUZK_PART_PENDING ? 1 : 0;
        }
    }
    out->queue_len[CUZK_STAGE_PARSE] = e->queues.prep.n;
    out->queue_len[CUZK_STAGE_DEVICE] = e->queues.on_device.n;
    out->queue_len[CUZK_STAGE_VERIFY] = e->queues.to_verify.n;
    out->queue_len[CUZK_STAGE_AGGREGATE] = e->queues.to_aggregate.n;
}

LOCKED static void fill(const cuzk_engine *e, cuzk_engine_status *out,
                        cuzk_status_partition *partitions, uint64_t now)
{
    out->now_ns = now;
    out->started_ns = e->started_ns;
    out->draining = e->draining;
    memcpy(out->completed, e->counts.completed, sizeof(out->completed));
    memcpy(out->failed, e->counts.failed, sizeof(out->failed));
    memcpy(out->cancelled, e->counts.cancelled, sizeof(out->cancelled));
    memcpy(out->verified, e->counts.verified, sizeof(out->verified));
    memcpy(out->reproved, e->counts.reproved, sizeof(out->reproved));
    memcpy(out->stage, e->counts.stage, sizeof(out->stage));
    memcpy(out->job, e->counts.job_time, sizeof(out->job));
    out->budget_total = e->memory.host.total;
    out->budget_used = e->memory.host.used;
    out->budget_reserved_winning = e->memory.host.held;
    out->release_backlog_bytes = e->memory.leaving_bytes;
    out->on_cpu = e->devices.on_cpu;
    out->on_cpu_since_ns = e->devices.on_cpu_since_ns;
    out->n_fallbacks = e->devices.n_fallbacks;
    out->has_fallback = cuzk_engine_has_fallback(&e->devices);
    fill_queues(e, out);
    fill_devices(e, out);
    fill_cached(e, out);
    fill_keys(e, out);
    fill_set_aside(e, out, now);
    fill_abilities(e, out);
    out->log_lines_lost = e->log.n_lost;
    out->unsaved_ends = e->jobs.n_unsaved;
    fill_jobs(e, out, partitions, now);
}

cuzk_status cuzk_engine_get_status(cuzk_engine *e, cuzk_engine_status *out, cuzk_err *err)
{
    memset(out, 0, sizeof(*out));
    cuzk_engine_lock(e);
    sizes have = measure(e, cuzk_clock_ns());
    for (;;) {
        cuzk_engine_unlock(e);
        have.n_cached += 2;
        have.n_set_aside += 2;
        have.n_jobs += SLACK;
        have.n_parts += SLACK * 16;
        const size_t total = have.n_devices * sizeof(cuzk_status_device) +
                             have.n_cached * sizeof(cuzk_status_cached) +
                             have.n_jobs * sizeof(cuzk_status_job) +
                             have.n_set_aside * sizeof(cuzk_status_set_aside) +
                             have.n_abilities * sizeof(cuzk_status_ability) +
                             have.n_parts * sizeof(cuzk_status_partition);
        uint8_t *block = cuzk_alloc_zero(1, total);
        if (block == NULL) {
            return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for a status of %zu jobs", have.n_jobs);
        }
        cuzk_engine_lock(e);
        const uint64_t now = cuzk_clock_ns();
        const sizes need = measure(e, now);
        if (fits(&need, &have)) {
            /* all sizes are multiples of 8, the block is aligned */
            out->devices = (cuzk_status_device *)(void *)block;
            out->cached = (cuzk_status_cached *)(void *)(out->devices + have.n_devices);
            out->jobs = (cuzk_status_job *)(void *)(out->cached + have.n_cached);
            out->set_aside = (cuzk_status_set_aside *)(void *)(out->jobs + have.n_jobs);
            out->abilities = (cuzk_status_ability *)(void *)(out->set_aside + have.n_set_aside);
            fill(e, out, (cuzk_status_partition *)(void *)(out->abilities + have.n_abilities), now);
            break;
        }
        have = need;
        cuzk_engine_unlock(e);
        cuzk_free(block);
        cuzk_engine_lock(e);
    }
    cuzk_engine_unlock(e);
    out->resident_bytes = cuzk_host_memory_resident();
    return CUZK_OK;
}

void cuzk_engine_status_free(cuzk_engine_status *s)
{
    cuzk_free(s->devices); /* the block that holds all of them */
    memset(s, 0, sizeof(*s));
}
