/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The device stage: one worker per slot of each device. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "engine/engine_internal.h"
#include "engine/job/accept_internal.h"

/* how long a batch waits for partitions whose witness is being made */
#define STREAM_WAIT_NS (3000 * MS_NS)

/*
 * Number of partitions of a circuit that come to the device queue soon: their witness is being made, or is made next.
 */
LOCKED static uint32_t witnesses_coming(void *arg, uint32_t circuit)
{
    const cuzk_engine *e = arg;
    uint32_t n = 0;
    for (const flight *f = e->flights.first; f != NULL; f = f->next) {
        if (f->job != NULL && f->circuit == circuit && f->device < 0 && f->is_busy) {
            n++;
        }
    }
    return n != 0 ? n : cuzk_witnesses_to_start(e, circuit);
}

typedef struct batch_search {
    cuzk_engine *e;
    const worker *w;
    const cuzk_batch_rules *rules;
    uint64_t now_ns;
} batch_search;

LOCKED static uint64_t open_devices(void *arg, uint32_t circuit)
{
    const batch_search *l = arg;
    uint64_t open = 0;
    for (uint32_t i = 0; i < l->e->devices.n; i++) {
        if (cuzk_device_serves(&l->e->devices, i, circuit) &&
            !cuzk_circuit_is_set_aside(&l->e->devices.all[i].circuits[circuit], l->now_ns)) {
            open |= (uint64_t)1 << i;
        }
    }
    return open;
}

/* Circuits whose key is on the device, with memory for a proof. */
static bool usable(void *arg, const cuzk_sched_item *item)
{
    const batch_search *l = arg;
    return cuzk_device_key_is_usable(&l->e->devices.all[l->w->index], item->circuit,
                                     cuzk_job_is_privileged(NULL, item));
}

static bool allowed(void *arg, const cuzk_sched_item *item)
{
    const batch_search *l = arg;
    return cuzk_batch_may_take(l->rules, item);
}

static bool allowed_and_usable(void *arg, const cuzk_sched_item *item)
{
    return allowed(arg, item) && usable(arg, item);
}

LOCKED static uint32_t witnesses_coming_of(void *arg, uint32_t circuit)
{
    const batch_search *l = arg;
    return witnesses_coming(l->e, circuit);
}

LOCKED static cuzk_batch_rules rules_of(cuzk_engine *e, const worker *w, batch_search *l,
                                        uint64_t now)
{
    *l = (batch_search){e, w, NULL, now};
    return (cuzk_batch_rules){.max_size = w->is_express ? 1 : e->devices.batch,
                              .max_wait_ns = cuzk_engine_or_none(e->cfg.max_batch_wait_ms) * MS_NS,
                              .device = w->index,
                              .open = open_devices,
                              .privileged_only = w->is_express,
                              .is_privileged = cuzk_job_is_privileged,
                              .usable = cuzk_device_has_keys(e, w->index) ? usable : NULL,
                              .arg = l,
                              .coming = witnesses_coming_of};
}

/* After the key for a partition could not be loaded: the partition is tried elsewhere, or its job fails. */
LOCKED static void key_failed(cuzk_engine *e, const worker *w, const cuzk_sched_item *item,
                              cuzk_status st, const cuzk_err *err)
{
    device *d = &e->devices.all[w->index];
    char text[ERROR_BYTES];
    const uint32_t at = cuzk_sched_find(&e->queues.on_device, item->job, item->partition);
    if (at != CUZK_SCHED_NONE) {
        job *j = cuzk_sched_take(&e->queues.on_device, at).owner;
        job_partition *p = &j->partitions[item->partition];
        (void)snprintf(text, sizeof(text), "device %u (%s): %s", d->info.ordinal, d->info.name,
                       err->msg);
        p->avoid |= cuzk_device_status(st) != CUZK_E_CANCELLED ? (uint64_t)1 << w->index : 0;
        cuzk_flight_failed(e, p->flight, cuzk_engine_file_status(st), text);
    }
    pthread_cond_broadcast(&e->locks.device);
}

static void key_wait_is_over(cuzk_engine *e, device *d)
{
    d->keys.is_starved = false;
    pthread_cond_broadcast(&e->locks.witness);
}

/* True when a partition runs on a device or goes to one next, and will free memory. */
LOCKED static bool is_device_busy(const device_table *devices)
{
    for (uint32_t i = 0; i < devices->n; i++) {
        if (devices->all[i].keys.n_running != 0 || devices->all[i].keys.is_loading) {
            return true;
        }
    }
    return false;
}

/*
 * Breaks a deadlock: queued partitions hold all host memory, and the key that they wait for needs some.
 * Drops the witness of the lowest-priority partition; it is computed again later.
 */
LOCKED static void drop_a_witness(cuzk_engine *e, const cuzk_sched_item *keep)
{
    const uint64_t now = cuzk_clock_ns();
    uint32_t worst = CUZK_SCHED_NONE;
    for (uint32_t i = 0; i < e->queues.on_device.n; i++) {
        const cuzk_sched_item *item = &e->queues.on_device.items[i];
        if ((item->job != keep->job || item->partition != keep->partition) &&
            (worst == CUZK_SCHED_NONE ||
             cuzk_sched_before(&e->queues.on_device, &e->queues.on_device.items[worst], item,
                               now))) {
            worst = i;
        }
    }
    if (worst != CUZK_SCHED_NONE &&
        e->memory.leaving_bytes == 0) { /* otherwise wait for the memory that is being freed */
        const cuzk_sched_item item = cuzk_sched_take(&e->queues.on_device, worst);
        job *j = item.owner;
        cuzk_flight_requeue(e, j->partitions[item.partition].flight);
    }
}

typedef enum key_answer {
    KEY_PICK,  /* choose among what is usable */
    KEY_AGAIN, /* the state has changed meanwhile: look again */
    KEY_WAIT   /* wait for the calls that run: no item goes before the best one */
} key_answer;

/* The keys of other WinningPoSts may leave too little memory for this one's proof. */
LOCKED static bool evict_for_privileged(cuzk_engine *e, const worker *w,
                                        const cuzk_sched_item *item)
{
    const device_keys *k = &e->devices.all[w->index].keys;
    return cuzk_job_is_privileged(NULL, item) &&
           k->cache.entries[item->circuit].state == CUZK_LOAD_READY &&
           cuzk_device_key_evict_for_call(e, w->index, item->circuit, true);
}

/* The best item decides what is loaded. */
LOCKED static key_answer have_key(cuzk_engine *e, const worker *w, batch_search *l)
{
    device *d = &e->devices.all[w->index];
    const uint32_t best = cuzk_sched_best(&e->queues.on_device, cuzk_clock_ns(), allowed, l);
    if (best != CUZK_SCHED_NONE && evict_for_privileged(e, w, &e->queues.on_device.items[best])) {
        return KEY_AGAIN;
    }
    if (best == CUZK_SCHED_NONE || d->keys.is_loading ||
        d->keys.cache.entries[e->queues.on_device.items[best].circuit].state != CUZK_LOAD_ABSENT) {
        if (!w->is_express && d->keys.is_starved) {
            key_wait_is_over(e, d);
        }
        return KEY_PICK;
    }
    const cuzk_sched_item item = e->queues.on_device.items[best];
    cuzk_err err = {.msg = ""};
    bool waits_for_calls = false;
    const cuzk_status st = cuzk_device_key_load(
        e, w->index, item.circuit, cuzk_job_is_privileged(NULL, &item), &waits_for_calls, &err);
    if (st == CUZK_E_BUDGET) {
        if (!waits_for_calls && !is_device_busy(&e->devices)) {
            drop_a_witness(e, &item);
        }
        return waits_for_calls ? KEY_WAIT : KEY_PICK;
    }
    if (st != CUZK_OK) {
        key_failed(e, w, &item, st, &err);
    }
    return KEY_AGAIN;
}

LOCKED static bool allowed_and_fits(void *arg, const cuzk_sched_item *item)
{
    const batch_search *l = arg;
    return allowed(arg, item) &&
           cuzk_fallback_fits(l->e, item->circuit, cuzk_job_is_privileged(NULL, item));
}

/* Reserves for the fallback the memory that a partition needs there in addition to its own. */
LOCKED static void pick_for_cpu(cuzk_engine *e, const worker *w, batch_search *l, uint64_t now,
                                cuzk_batch *out)
{
    device *d = &e->devices.all[w->index];
    const uint32_t best = cuzk_sched_best(&e->queues.on_device, now, allowed_and_fits, l);
    if (best != CUZK_SCHED_NONE) {
        const cuzk_sched_item item = e->queues.on_device.items[best];
        const bool privileged = cuzk_job_is_privileged(NULL, &item);
        cuzk_reservation r = {0, false};
        if (!cuzk_engine_take_host(e, &r, e->backend->circuits[item.circuit].cpu_extra_bytes,
                                   privileged, true, now)) {
            bool is_busy = false; /* then memory will be freed */
            for (uint32_t s = 0; s < d->n_places; s++) {
                is_busy = is_busy || d->slot[s].busy;
            }
            d->keys.is_starved = d->keys.is_starved || !privileged;
            if (!is_busy) {
                drop_a_witness(e, &item);
            }
            return;
        }
        job *j = item.owner;
        j->partitions[item.partition].flight->cpu_memory = r;
        out->item[out->n++] = cuzk_sched_take(&e->queues.on_device, best);
    }
    if (d->keys.is_starved && !w->is_express) {
        key_wait_is_over(e, d);
    }
}

/* False: look again. */
LOCKED static bool pick(cuzk_engine *e, const worker *w, cuzk_batch *out)
{
    batch_search l;
    /* one reading of the clock for all: the order depends on it */
    const uint64_t now = cuzk_clock_ns();
    cuzk_batch_rules rules = rules_of(e, w, &l, now);
    l.rules = &rules;
    out->n = 0;
    out->wake_ns = 0;
    device *d = &e->devices.all[w->index];
    if (d->info.is_fallback && cuzk_health_is_good(&d->health)) {
        pick_for_cpu(e, w, &l, now, out); /* circuits that the fallback serves */
        return true;
    }
    if (!cuzk_device_is_open(&e->devices, w->index)) {
        if (d->keys.is_starved) {
            key_wait_is_over(e, d);
        }
        return true;
    }
    if (cuzk_device_has_keys(e, w->index)) {
        const key_answer answer = have_key(e, w, &l);
        if (answer != KEY_PICK) {
            return answer == KEY_WAIT;
        }
        const uint32_t best = cuzk_sched_best(&e->queues.on_device, now, allowed_and_usable, &l);
        if (best != CUZK_SCHED_NONE &&
            cuzk_device_key_evict_for_call(
                e, w->index, e->queues.on_device.items[best].circuit,
                cuzk_job_is_privileged(NULL, &e->queues.on_device.items[best]))) {
            return false;
        }
        if (best != CUZK_SCHED_NONE && !w->is_express &&
            d->keys.key[e->queues.on_device.items[best].circuit].batch > 1) {
            rules.max_size = cuzk_device_keys_batch(e, e->queues.on_device.items[best].circuit);
            /* a pass over points that stream takes seconds, however few it serves */
            rules.max_wait_ns = e->cfg.max_batch_wait_ms != 0 ? rules.max_wait_ns : STREAM_WAIT_NS;
        }
    }
    cuzk_batch_pick(out, &e->queues.on_device, &rules, now);
    if (out->wake_ns != 0 &&
        (e->devices.batch_wake_ns == 0 || out->wake_ns < e->devices.batch_wake_ns)) {
        e->devices.batch_wake_ns = out->wake_ns;
        pthread_cond_signal(&e->locks.timer);
    }
    return true;
}

typedef struct device_call {
    uint32_t n;
    flight *f[CUZK_BATCH_MAX];
    cuzk_backend_work work[CUZK_BATCH_MAX];
} device_call;

/* Starts the span of the call; the stages of its partitions begin with the span. */
LOCKED static cuzk_span begin(cuzk_engine *e, worker *w, const cuzk_batch *batch, device_call *call)
{
    device *d = &e->devices.all[w->index];
    const job *first = batch->item[0].owner;
    cuzk_span_tags tags = CUZK_SPAN_TAGS_INIT;
    uint64_t now;
    tags.job = (int64_t)first->number;
    tags.partition = (int32_t)batch->item[0].partition;
    tags.device = (int32_t)d->info.ordinal;
    const cuzk_span span = cuzk_span_begin_timed(e->trace, "device", &tags, &now);
    call->n = batch->n;
    for (uint32_t i = 0; i < batch->n; i++) {
        job *j = batch->item[i].owner;
        flight *f = j->partitions[batch->item[i].partition].flight;
        job_partition *p = &j->partitions[f->partition];
        cuzk_backend_work *work = &call->work[i];
        f->is_busy = true;
        f->device = (int32_t)w->index;
        f->slot = w->slot;
        f->period = d->health.quarantines;
        p->state = CUZK_PART_DEVICE;
        p->device = (int32_t)w->index;
        cuzk_part_moved(&e->store, j);
        cuzk_stage_begin(j, f->partition, CUZK_STAGE_DEVICE, now);
        *work = (cuzk_backend_work){.witness = f->witness,
                                    .proof = f->proof,
                                    .cancel = &f->cancel,
                                    .tags = CUZK_SPAN_TAGS_INIT,
                                    .status = CUZK_E_SELFTEST};
        work->tags.job = (int64_t)j->number;
        work->tags.partition = (int32_t)f->partition;
        work->tags.device = (int32_t)d->info.ordinal;
        call->f[i] = f;
    }
    d->slot[w->slot].busy = true;
    memcpy(d->slot[w->slot].id, call->f[0]->job->id, sizeof(d->slot[w->slot].id));
    d->slot[w->slot].kind = call->f[0]->job->rq.kind;
    d->slot[w->slot].partition = call->f[0]->partition;
    d->slot[w->slot].since_ns = now;
    cuzk_health_begin(&d->health, w->slot, now);
    if (d->health.limit_ns != 0) {
        pthread_cond_signal(&e->locks.timer);
    }
    return span;
}

/* Handles one flight after its call. Its witness has been freed already. */
LOCKED static void end_flight(cuzk_engine *e, flight *f, cuzk_backend_work *work, uint64_t now)
{
    job *j = f->job;
    f->is_busy = false;
    if (j == NULL) {
        cuzk_flight_drop(e, f);
        return;
    }
    job_partition *p = &j->partitions[f->partition];
    cuzk_stage_end(&e->counts, j, f->partition, CUZK_STAGE_DEVICE, now);
    j->device_ns += (now - p->begin_ns[CUZK_STAGE_DEVICE]);
    if (j->phase != PHASE_READY) {
        cuzk_flight_drop(e, f);
        cuzk_job_release_input(e, j);
        return;
    }
    if (work->status != CUZK_OK) {
        char text[ERROR_BYTES];
        const device *d = &e->devices.all[f->device];
        p->avoid |=
            cuzk_device_status(work->status) != CUZK_E_CANCELLED ? (uint64_t)1 << f->device : 0;
        (void)snprintf(text, sizeof(text), "device %u (%s): %s", d->info.ordinal, d->info.name,
                       work->err.msg[0] != '\0' ? work->err.msg : cuzk_status_text(work->status));
        cuzk_flight_failed(e, f, cuzk_engine_file_status(work->status), text);
        return;
    }
    cuzk_sched_item item;
    cuzk_stage_begin(j, f->partition, CUZK_STAGE_ASSEMBLE, now);
    cuzk_job_item(j, f->partition, now, &item);
    if (!cuzk_sched_push(&e->queues.to_verify, &item)) {
        cuzk_flight_failed(e, f, CUZK_E_BUDGET, "too many proofs wait to be verified");
        return;
    }
    cuzk_stage_end(&e->counts, j, f->partition, CUZK_STAGE_ASSEMBLE, cuzk_clock_ns());
    pthread_cond_signal(&e->locks.verify);
}

LOCKED static void run(cuzk_engine *e, worker *w, const cuzk_batch *batch)
{
    const cuzk_engine_backend *b = e->backend;
    device *d = &e->devices.all[w->index];
    device_call call;
    const cuzk_span span = begin(e, w, batch, &call);
    const uint32_t circuit = call.f[0]->circuit;
    void *compiled =
        e->memory.cache.entries[cuzk_engine_load_id(circuit, CUZK_LOAD_CIRCUIT)].object;
    void *params = e->memory.cache.entries[cuzk_engine_load_id(circuit, CUZK_LOAD_PARAMS)].object;
    cuzk_reservation memory = {0, false};
    void *key = cuzk_device_key_take(e, w->index, circuit, call.f[0]->job->is_privileged, &memory);
    cuzk_engine_unlock(e);
    b->prove(b->arg, w->index, compiled, params, key, call.work, call.n,
             cuzk_trace_in(e->trace, span));
    const cuzk_span release = cuzk_span_begin(cuzk_trace_in(e->trace, span), "release", NULL);
    for (uint32_t i = 0; i < call.n; i++) {
        b->free_witness(b->arg, call.f[i]->witness);
    }
    cuzk_span_end(e->trace, release, 0);
    cuzk_engine_lock(e);
    const uint64_t now = cuzk_span_end_timed(e->trace, span, 0);
    cuzk_status worst = CUZK_OK;
    cuzk_device_key_give(e, w->index, circuit, &memory);
    for (uint32_t i = 0; i < call.n; i++) {
        const cuzk_status st = call.work[i].status;
        worst = st != CUZK_OK && (worst == CUZK_OK || st == CUZK_E_DEV_LOST) ? st : worst;
        d->jobs_done += st == CUZK_OK ? 1 : 0;
    }
    d->slot[w->slot].busy = false;
    if (cuzk_engine_is_file_trouble(worst)) {
        cuzk_engine_suspect_params(e, circuit);
        cuzk_device_key_suspect(e, w->index, circuit); /* the key streams from that file */
    }
    if (cuzk_health_end(&d->health, w->slot, cuzk_device_status(worst), now)) {
        cuzk_device_quarantined(e, w->index, cuzk_status_text(worst));
    }
    for (uint32_t i = 0; i < call.n; i++) {
        call.f[i]->witness = NULL;
        cuzk_engine_give_host(e, &call.f[i]->cpu_memory, 0);
        cuzk_engine_give_host(e, &call.f[i]->memory, e->backend->circuits[circuit].verify_bytes);
        end_flight(e, call.f[i], &call.work[i], now);
    }
    pthread_cond_broadcast(&e->locks.witness); /* there is room before the device again */
    pthread_cond_signal(&e->locks.timer);      /* a quarantined device may be idle now */
}

/* Probes a quarantined device; on a thread of its own, because the probe may hang. */
LOCKED static bool probe(cuzk_engine *e, const worker *w)
{
    device *d = &e->devices.all[w->index];
    cuzk_err err = {.msg = ""};
    if (d->keys.is_loading || !cuzk_health_wants_probe(&d->health, cuzk_clock_ns())) {
        return false;
    }
    /* the keys belong to the lost context */
    (void)cuzk_device_keys_unload(e, w->index, UINT32_MAX);
    while (d->keys.n_leaving != 0) { /* other threads may unload some, too */
        cuzk_engine_wait(e, &e->locks.device);
    }
    cuzk_engine_unlock(e);
    const cuzk_status st = e->backend->probe(e->backend->arg, w->index, &err);
    cuzk_engine_lock(e);
    if (st == CUZK_OK) { /* it may be another one, or have other memory, than before */
        e->backend->device_info(e->backend->arg, w->index, &d->info);
        cuzk_device_abilities_read(e, w->index);
        if (cuzk_device_has_keys(e, w->index)) {
            cuzk_budget_resize(&d->keys.memory, d->info.memory_total, d->info.memory_held);
        }
    }
    const uint32_t circuit =
        cuzk_health_probed(&d->health, d->circuits, st == CUZK_OK, cuzk_clock_ns());
    if (circuit != CUZK_HEALTH_NO_CIRCUIT) {
        cuzk_circuit_set_aside(e, w->index, circuit);
    }
    cuzk_engine_log_device(e, st == CUZK_OK ? 2 : 1,
                           st == CUZK_OK ? "device.returned" : "device.still_bad", w->index,
                           st == CUZK_OK ? "works again" : err.msg);
    pthread_cond_broadcast(&e->locks.device);
    pthread_cond_signal(&e->locks.timer);
    return true;
}

/* Loads the keys of WinningPoSt circuits that are in host memory, once, before a job needs them. */
LOCKED static bool warm_up(cuzk_engine *e, worker *w)
{
    const device *d = &e->devices.all[w->index];
    cuzk_err err = {.msg = ""};
    for (uint32_t i = 0;
         w->is_express && cuzk_device_has_keys(e, w->index) && i < e->backend->n_circuits; i++) {
        const uint64_t bit = (uint64_t)1 << i % 64;
        if (e->backend->circuits[i].kind == CUZK_JOB_WINNING && (w->warmed & bit) == 0 &&
            cuzk_device_can(&e->devices, w->index, i) && cuzk_health_is_good(&d->health) &&
            !d->keys.is_loading && d->keys.cache.entries[i].state == CUZK_LOAD_ABSENT &&
            e->memory.cache.entries[cuzk_engine_load_id(i, CUZK_LOAD_CIRCUIT)].state ==
                CUZK_LOAD_READY &&
            e->memory.cache.entries[cuzk_engine_load_id(i, CUZK_LOAD_PARAMS)].state ==
                CUZK_LOAD_READY) {
            bool waits_for_calls = false;
            w->warmed |= bit;
            cuzk_ignore(cuzk_device_key_load(e, w->index, i, true, &waits_for_calls, &err));
            return true;
        }
    }
    return false;
}

void cuzk_device_loop(worker *w)
{
    cuzk_engine *e = w->e;
    cuzk_batch batch;
    cuzk_engine_lock(e);
    while (!e->stop) {
        /* a reconfiguration has removed this worker's slot */
        if (!w->is_express && w->rank >= e->devices.all[w->index].slots) {
            cuzk_engine_wait(e, &e->locks.device);
            continue;
        }
        if (probe(e, w) || cuzk_device_keys_tidy(e, w->index) || warm_up(e, w)) {
            continue;
        }
        /* a wake-up that comes while pick has released the lock finds nobody waiting: look again then */
        const uint64_t released = e->devices.n_released;
        if (!pick(e, w, &batch)) {
            continue;
        }
        if (batch.n != 0) {
            run(e, w, &batch);
        } else if (released == e->devices.n_released) {
            cuzk_engine_wait(e, &e->locks.device);
        }
    }
    cuzk_engine_unlock(e);
}
