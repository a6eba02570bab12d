/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Keys on devices: loaded by the slot that needs one; the least recently used key is unloaded first. */
#include "base/alloc.h"
#include "base/assert.h"
#include "base/clock.h"
#include "engine/engine_internal.h"

#define STAGING_BYTES ((uint64_t)512 << 20) /* most pinned memory that loading a key takes */

bool cuzk_device_has_keys(const cuzk_engine *e, uint32_t index)
{
    return cuzk_engine_has_keys(e->backend) && !e->devices.all[index].info.is_fallback;
}

uint64_t cuzk_device_keys_pin_limit(const engine_memory *memory, bool privileged)
{
    const uint64_t limit = cuzk_budget_limit(&memory->host, privileged);
    const uint64_t others = memory->base_bytes + memory->block_limit + memory->input_limit;
    return limit > others ? limit - others : 0;
}

cuzk_status cuzk_device_keys_init(const cuzk_engine_backend *backend, device *d, cuzk_err *err)
{
    device_keys *k = &d->keys;
    const uint32_t n = backend->n_circuits;
    cuzk_budget_init(&k->memory, d->info.memory_total, d->info.memory_held);
    CUZK_TRY(cuzk_load_cache_init(&k->cache, n, err));
    k->key = cuzk_alloc_zero(n, sizeof(*k->key));
    k->taken = cuzk_alloc_zero(n, sizeof(*k->taken));
    k->host = cuzk_alloc_zero(n, sizeof(*k->host));
    return k->key != NULL && k->taken != NULL && k->host != NULL
               ? CUZK_OK
               : CUZK_FAIL(err, CUZK_E_NOMEM, "engine: out of memory");
}

void cuzk_device_keys_free(device *d)
{
    cuzk_load_cache_free(&d->keys.cache);
    cuzk_free(d->keys.key);
    cuzk_free(d->keys.taken);
    cuzk_free(d->keys.host);
}

/* Device memory of a call: what the key asks for, or all that the key leaves. */
static uint64_t call_bytes(const device_keys *k, uint32_t circuit)
{
    const uint64_t beside =
        k->memory.total > k->taken[circuit].bytes ? k->memory.total - k->taken[circuit].bytes : 0;
    return k->key[circuit].prove_bytes < beside ? k->key[circuit].prove_bytes : beside;
}

/*
 * What a call takes now. A privileged one begins with less where its key can: it must not wait for the memory that
 * others use. The keys of all WinningPoSts are in the memory that is held for them, and leave less than one of them
 * does.
 */
static uint64_t bytes_now(const device_keys *k, uint32_t circuit, bool privileged)
{
    const uint64_t most = call_bytes(k, circuit);
    const uint64_t free = cuzk_budget_free(&k->memory, privileged);
    const uint64_t least = k->key[circuit].least_bytes;
    if (!privileged || least == 0 || free >= most) {
        return most;
    }
    return free > least ? free : least < most ? least : most;
}

bool cuzk_device_key_is_usable(const device *d, uint32_t circuit, bool privileged)
{
    const device_keys *k = &d->keys;
    if (k->cache.entries[circuit].state != CUZK_LOAD_READY || k->key[circuit].is_suspect) {
        return false;
    }
    if (k->is_loading) { /* its memory has been reserved already */
        return privileged &&
               cuzk_budget_fits(&k->memory, bytes_now(k, circuit, privileged), privileged);
    }
    return (k->n_running == 0 && k->n_leaving == 0) ||
           cuzk_budget_fits(&k->memory, bytes_now(k, circuit, privileged), privileged);
}

void *cuzk_device_key_take(cuzk_engine *e, uint32_t index, uint32_t circuit, bool privileged,
                           cuzk_reservation *memory)
{
    device_keys *k = &e->devices.all[index].keys;
    if (!cuzk_device_has_keys(e, index)) {
        return NULL;
    }
    uint64_t bytes = bytes_now(k, circuit, privileged);
    if (!cuzk_budget_fits(&k->memory, bytes, privileged)) {
        /* no call runs and no key leaves: idle keys take the rest */
        bytes = cuzk_budget_free(&k->memory, privileged);
    }
    CUZK_ASSERT(cuzk_reservation_take(memory, &k->memory, bytes, privileged));
    k->n_running++;
    (void)cuzk_load_ref(&k->cache, circuit);
    return k->key[circuit].object;
}

void cuzk_device_key_give(cuzk_engine *e, uint32_t index, uint32_t circuit,
                          cuzk_reservation *memory)
{
    device_keys *k = &e->devices.all[index].keys;
    if (!cuzk_device_has_keys(e, index)) {
        return;
    }
    cuzk_reservation_shrink(memory, &k->memory, 0);
    k->n_running--;
    cuzk_load_unref(&k->cache, circuit, cuzk_clock_ns());
    pthread_cond_broadcast(&e->locks.device);
}

LOCKED static void unload(cuzk_engine *e, uint32_t index, uint32_t circuit)
{
    device_keys *k = &e->devices.all[index].keys;
    void *object = cuzk_load_leave(&k->cache, circuit);
    k->n_leaving++;
    e->devices.n_released++;
    cuzk_engine_unlock(e);
    e->backend->unload_key(e->backend->arg, index, circuit, object);
    cuzk_engine_lock(e);
    (void)cuzk_load_left(&k->cache, circuit);
    k->n_leaving--;
    k->key[circuit] = (cuzk_backend_key){.object = NULL};
    cuzk_reservation_shrink(&k->taken[circuit], &k->memory, 0);
    cuzk_engine_give_host(e, &k->host[circuit], 0);
    cuzk_load_unref(&e->memory.cache, cuzk_engine_load_id(circuit, CUZK_LOAD_CIRCUIT),
                    cuzk_clock_ns());
    pthread_cond_broadcast(&e->locks.device);
    pthread_cond_broadcast(&e->locks.change);
}

void cuzk_device_key_suspect(cuzk_engine *e, uint32_t index, uint32_t circuit)
{
    if (cuzk_device_has_keys(e, index)) {
        e->devices.all[index].keys.key[circuit].is_suspect = true;
    }
}

bool cuzk_device_keys_unload(cuzk_engine *e, uint32_t index, uint32_t circuit)
{
    device_keys *k = &e->devices.all[index].keys;
    bool all = true;
    for (uint32_t i = 0; i < k->cache.n; i++) {
        const cuzk_load_entry *entry = &k->cache.entries[i];
        if ((circuit != UINT32_MAX && i != circuit) || entry->state == CUZK_LOAD_ABSENT) {
            continue;
        }
        if (entry->state != CUZK_LOAD_READY || entry->refs != 0) {
            all = false;
        } else {
            unload(e, index, i);
        }
    }
    return all;
}

bool cuzk_device_keys_tidy(cuzk_engine *e, uint32_t index)
{
    const device_keys *k = &e->devices.all[index].keys;
    if (!cuzk_device_has_keys(e, index) || k->is_loading) {
        return false;
    }
    const bool is_over = e->memory.host.used - e->memory.leaving_bytes > e->memory.host.total;
    for (uint32_t i = 0; i < k->cache.n; i++) {
        if (k->cache.entries[i].state == CUZK_LOAD_READY && k->cache.entries[i].refs == 0 &&
            (k->key[i].is_suspect || (is_over && k->host[i].bytes != 0))) {
            unload(e, index, i);
            return true;
        }
    }
    return false;
}

/* The least recently used idle key. A key of WinningPoSt is chosen only for another key of WinningPoSt. */
static uint32_t victim(const cuzk_engine_backend *backend, const device_keys *k, uint32_t keep,
                       bool privileged)
{
    uint32_t best = CUZK_LOAD_NONE;
    for (uint32_t i = 0; i < k->cache.n; i++) {
        const cuzk_load_entry *entry = &k->cache.entries[i];
        if (i != keep && entry->state == CUZK_LOAD_READY && entry->refs == 0 &&
            (privileged || backend->circuits[i].kind != CUZK_JOB_WINNING) &&
            (best == CUZK_LOAD_NONE || entry->last_used_ns < k->cache.entries[best].last_used_ns)) {
            best = i;
        }
    }
    return best;
}

/* Unloads idle keys, the least recently used first, until the bytes are free or no idle key is left. */
LOCKED static void make_room(cuzk_engine *e, uint32_t index, uint64_t bytes, bool privileged)
{
    device_keys *k = &e->devices.all[index].keys;
    while (!cuzk_budget_fits(&k->memory, bytes, privileged)) {
        const uint32_t id = victim(e->backend, k, CUZK_LOAD_NONE, privileged);
        if (id == CUZK_LOAD_NONE) {
            return;
        }
        unload(e, index, id);
    }
}

bool cuzk_device_key_evict_for_call(cuzk_engine *e, uint32_t index, uint32_t circuit,
                                    bool privileged)
{
    device_keys *k = &e->devices.all[index].keys;
    /* What runs frees its memory in the end. A privileged call does not wait for that. */
    const bool waits = !privileged && (k->is_loading || k->n_running != 0);
    if (waits || k->n_leaving != 0 ||
        cuzk_budget_fits(&k->memory, bytes_now(k, circuit, privileged), privileged)) {
        return false;
    }
    const uint32_t id = victim(e->backend, k, circuit, privileged);
    if (id == CUZK_LOAD_NONE) {
        return false;
    }
    unload(e, index, id);
    return true;
}

LOCKED static void loaded(cuzk_engine *e, uint32_t index, uint32_t circuit,
                          const cuzk_backend_key *key)
{
    device_keys *k = &e->devices.all[index].keys;
    cuzk_reservation *taken = &k->taken[circuit];
    cuzk_reservation_shrink(taken, &k->memory, key->device_bytes);
    if (taken->bytes < key->device_bytes &&
        cuzk_budget_take(&k->memory, key->device_bytes - taken->bytes, taken->privileged)) {
        taken->bytes = key->device_bytes; /* there was more than was known to be free */
    }
    cuzk_reservation *host = &k->host[circuit];
    cuzk_engine_give_host(e, host, key->pinned_bytes);
    if (host->bytes < key->pinned_bytes &&
        cuzk_budget_take(&e->memory.host, key->pinned_bytes - host->bytes, host->privileged)) {
        host->bytes = key->pinned_bytes;
    }
    k->key[circuit] = *key;
    cuzk_load_done(&k->cache, circuit, key->object, key->device_bytes, cuzk_clock_ns());
}

LOCKED static void not_loaded(cuzk_engine *e, uint32_t index, uint32_t circuit)
{
    device_keys *k = &e->devices.all[index].keys;
    cuzk_load_failed(&k->cache, circuit);
    cuzk_reservation_shrink(&k->taken[circuit], &k->memory, 0);
    cuzk_engine_give_host(e, &k->host[circuit], 0);
    cuzk_load_unref(&e->memory.cache, cuzk_engine_load_id(circuit, CUZK_LOAD_CIRCUIT),
                    cuzk_clock_ns());
}

/*
 * Host memory that the points of a key may take which has `beside` bytes of them there, and staging
 * while it is loaded. 0: none, they stream from the file. Auto leaves a quarter of what is free now to
 * witnesses, and takes no more than `most`, which keys can ever have: the file always does.
 */
static uint64_t host_bytes_for(const cuzk_engine *e, uint64_t staging, uint64_t beside,
                               uint64_t most, bool privileged)
{
    const uint64_t now = cuzk_budget_free(&e->memory.host, privileged) / 4 * 3;
    const uint64_t comfortable = now < most ? now : most;
    switch (e->cfg.stream) {
    case CUZK_ENGINE_STREAM_MEMORY: return UINT64_MAX;
    case CUZK_ENGINE_STREAM_FILE:
    case CUZK_ENGINE_STREAM_LOCKED:
    case CUZK_ENGINE_STREAM_READ: return 0;
    case CUZK_ENGINE_STREAM_AUTO: break;
    }
    return staging + beside <= comfortable ? comfortable - staging : 0;
}

/*
 * Bytes of a parameter file that may be page-locked: half of what is free, since locked memory comes back only when
 * the key is unloaded.
 */
static uint64_t locked_bytes_for(const cuzk_engine *e, bool privileged)
{
    return e->cfg.stream == CUZK_ENGINE_STREAM_READ
               ? 0
               : cuzk_budget_free(&e->memory.host, privileged) / 2;
}

/* The memory of a load: on the device, and on the host for staging and streaming. */
typedef struct load_plan {
    uint64_t here;          /* device memory for the key and its points */
    uint64_t on_host;       /* host memory, taken before the load */
    cuzk_backend_host host; /* points: a part of on_host. locked: is accounted for after the load */
} load_plan;

/* Plans the load. Unloads idle keys to make room; releases the lock meanwhile. */
LOCKED static cuzk_status plan_load(cuzk_engine *e, uint32_t index, uint32_t circuit,
                                    bool privileged, load_plan *out, bool *waits_for_calls,
                                    cuzk_err *err)
{
    const cuzk_engine_backend *b = e->backend;
    const device_keys *k = &e->devices.all[index].keys;
    const uint64_t wanted = b->key_bytes(b->arg, index, circuit);
    make_room(e, index, wanted, privileged);
    const uint64_t free = cuzk_budget_free(&k->memory, privileged);
    if (wanted > free && (k->n_running != 0 || k->n_leaving != 0)) {
        /* a smaller key would take the memory that a call was promised: wait until no call runs */
        *waits_for_calls = true;
        return CUZK_FAIL(err, CUZK_E_BUDGET, "%s: waits for room on the device",
                         b->circuits[circuit].id);
    }
    out->here = wanted < free ? wanted : free;
    /* points that do not fit there stream from pinned memory here; a third of a device is working
     * memory at most */
    const uint64_t third = out->here / 3;
    const uint64_t beside = wanted > out->here - third ? wanted - (out->here - third) : 0;
    const uint64_t of_calls =
        b->call_host_bytes != NULL ? b->call_host_bytes(b->arg, index, circuit) : 0;
    const uint64_t staging = (wanted < STAGING_BYTES ? wanted : STAGING_BYTES) + of_calls;
    const uint64_t most = cuzk_device_keys_pin_limit(&e->memory, privileged);
    out->host.points = host_bytes_for(e, staging, wanted <= free ? 0 : beside, most, privileged);
    out->host.locked = wanted <= free ? 0 : locked_bytes_for(e, privileged);
    out->host.small_pages = e->cfg.stream == CUZK_ENGINE_STREAM_LOCKED;
    out->on_host = staging + (wanted <= free || out->host.points == 0 ? 0 : beside);
    return out->on_host <= most
               ? CUZK_OK
               : CUZK_FAIL(
                     err, CUZK_E_NOMEM,
                     "%s can never be loaded: its %llu MiB need %llu MiB on the host, on their "
                     "way to the device, to stream from and for calls, and the budget allows %llu MiB",
                     b->circuits[circuit].id, (unsigned long long)(wanted >> 20),
                     (unsigned long long)(out->on_host >> 20), (unsigned long long)(most >> 20));
}

/* Memory is taken: the load itself, watched like a call. */
LOCKED static cuzk_status run_load(cuzk_engine *e, uint32_t index, uint32_t circuit,
                                   const load_plan *plan, cuzk_err *err)
{
    const cuzk_engine_backend *b = e->backend;
    device *d = &e->devices.all[index];
    const uint32_t params = cuzk_engine_load_id(circuit, CUZK_LOAD_PARAMS);
    cuzk_backend_key key = {.object = NULL};
    cuzk_load_begin(&d->keys.cache, circuit, plan->here);
    void *compiled_object =
        cuzk_load_ref(&e->memory.cache, cuzk_engine_load_id(circuit, CUZK_LOAD_CIRCUIT));
    void *params_object = cuzk_load_ref(&e->memory.cache, params);
    e->memory.n_busy++;
    cuzk_health_begin(&d->health, CUZK_HEALTH_LOAD_SLOT, cuzk_clock_ns());
    pthread_cond_signal(&e->locks.timer);
    e->devices.n_released++;
    cuzk_engine_unlock(e);
    cuzk_status st = b->load_key(b->arg, index, circuit, compiled_object, params_object,
                                 &plan->host, &key, e->trace, err);
    cuzk_engine_lock(e);
    e->memory.n_busy--;
    st = st == CUZK_E_BUDGET ? CUZK_E_DEV_NOMEM : st;
    if (cuzk_health_end(&d->health, CUZK_HEALTH_LOAD_SLOT, cuzk_device_status(st),
                        cuzk_clock_ns())) {
        cuzk_device_quarantined(e, index, err->msg);
    }
    cuzk_load_unref(&e->memory.cache, params, cuzk_clock_ns());
    /* another device may have found the file bad while this load ran */
    cuzk_engine_drop_suspect(e, circuit);
    if (st == CUZK_OK) {
        loaded(e, index, circuit, &key);
    } else {
        not_loaded(e, index, circuit);
        if (cuzk_engine_is_file_trouble(st)) {
            cuzk_engine_suspect_params(e, circuit);
        }
    }
    cuzk_engine_log_device(e, st == CUZK_OK ? 2 : 0,
                           st == CUZK_OK ? "key.loaded" : "key.not_loaded", index,
                           st == CUZK_OK ? b->circuits[circuit].id : err->msg);
    return st;
}

cuzk_status cuzk_device_key_load(cuzk_engine *e, uint32_t index, uint32_t circuit, bool privileged,
                                 bool *waits_for_calls, cuzk_err *err)
{
    device_keys *k = &e->devices.all[index].keys;
    load_plan plan = {.here = 0};
    *waits_for_calls = false;
    k->is_loading = true;
    cuzk_status st = plan_load(e, index, circuit, privileged, &plan, waits_for_calls, err);
    if (st == CUZK_OK) {
        const bool is_ready =
            cuzk_health_is_good(&e->devices.all[index].health) &&
            k->cache.entries[circuit].state == CUZK_LOAD_ABSENT &&
            e->memory.cache.entries[cuzk_engine_load_id(circuit, CUZK_LOAD_CIRCUIT)].state ==
                CUZK_LOAD_READY &&
            e->memory.cache.entries[cuzk_engine_load_id(circuit, CUZK_LOAD_PARAMS)].state ==
                CUZK_LOAD_READY;
        if (is_ready && cuzk_engine_take_host(e, &k->host[circuit], plan.on_host, privileged, true,
                                              cuzk_clock_ns())) {
            CUZK_ASSERT(
                cuzk_reservation_take(&k->taken[circuit], &k->memory, plan.here, privileged));
            st = run_load(e, index, circuit, &plan, err);
        } else {
            st = CUZK_FAIL(err, CUZK_E_BUDGET, "%s: no host memory for its way to the device",
                           e->backend->circuits[circuit].id);
        }
    }
    k->is_loading = false;
    const bool is_starved = st == CUZK_E_BUDGET && !*waits_for_calls && !privileged;
    if (k->is_starved && !is_starved) {
        pthread_cond_broadcast(&e->locks.witness);
    }
    k->is_starved = is_starved;
    /* after E_BUDGET nothing has changed: waking the others would make them try in circles */
    if (st != CUZK_E_BUDGET) {
        pthread_cond_broadcast(&e->locks.device);
    }
    pthread_cond_broadcast(&e->locks.change);
    return st;
}

uint32_t cuzk_device_keys_batch(const cuzk_engine *e, uint32_t circuit)
{
    uint32_t most = e->devices.batch;
    if (e->cfg.max_batch_size != 0 || !cuzk_engine_has_keys(e->backend)) {
        return most;
    }
    for (uint32_t i = 0; i < e->devices.n; i++) {
        const uint32_t batch = e->devices.all[i].keys.key[circuit].batch;
        most = batch > most ? batch : most;
    }
    return most < CUZK_BATCH_MAX ? most : CUZK_BATCH_MAX;
}

bool cuzk_device_keys_starved(const device_table *devices)
{
    for (uint32_t i = 0; i < devices->n; i++) {
        if (devices->all[i].keys.is_starved) {
            return true;
        }
    }
    return false;
}

cuzk_status cuzk_device_keys_preload(cuzk_engine *e, uint32_t circuit, bool *was_there,
                                     cuzk_err *err)
{
    for (uint32_t i = 0; i < e->devices.n && cuzk_engine_has_keys(e->backend); i++) {
        const device *d = &e->devices.all[i];
        while (d->keys.is_loading && cuzk_health_is_good(&d->health)) {
            cuzk_engine_wait(e, &e->locks.change);
        }
        if (cuzk_device_has_keys(e, i) && cuzk_device_can(&e->devices, i, circuit) &&
            cuzk_health_is_good(&d->health) && !d->keys.is_loading &&
            d->keys.cache.entries[circuit].state == CUZK_LOAD_ABSENT) {
            *was_there = false;
            bool waits_for_calls = false;
            const bool privileged = e->backend->circuits[circuit].kind == CUZK_JOB_WINNING;
            CUZK_TRY(cuzk_device_key_load(e, i, circuit, privileged, &waits_for_calls, err));
        }
    }
    return CUZK_OK;
}
