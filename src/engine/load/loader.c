/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The loader: reads circuits and parameters into host memory, for jobs that wait and before jobs need them. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "engine/engine_internal.h"
#include "prover/keys/circuit_id.h"

#define MAX_TRIES 3 /* tries of a load that may succeed later */

static bool is_privileged(const cuzk_engine_backend *backend, uint32_t id)
{
    return backend->circuits[id / 2].kind == CUZK_JOB_WINNING;
}

static void set_failure(load_want *want, cuzk_status st, const char *text)
{
    want->wanted = false;
    want->is_for_job = false;
    want->tries = 0;
    want->n_failures++;
    want->status = st;
    (void)snprintf(want->failure, sizeof(want->failure), "%s", text);
}

/* Fails the jobs that wait for the load; the next job tries again. */
LOCKED static void fail_jobs(cuzk_engine *e, uint32_t circuit, cuzk_status st, const char *text)
{
    for (uint32_t i = 0; i < e->queues.ready.n;) {
        if (e->queues.ready.items[i].circuit == circuit) {
            cuzk_job_set_outcome(e, e->queues.ready.items[i].owner, CUZK_JOB_FAILED, st, text);
            i = 0; /* the queue has changed */
        } else {
            i++;
        }
    }
}

LOCKED static void load(cuzk_engine *e, uint32_t id)
{
    load_want *want = &e->memory.wants[id];
    const cuzk_load_what what = (cuzk_load_what)(id % 2);
    const uint64_t reserved = e->memory.cache.entries[id].bytes, begin = cuzk_clock_ns();
    const bool privileged = is_privileged(e->backend, id);
    void *object = NULL;
    uint64_t bytes = 0;
    cuzk_err err = {.msg = ""};
    want->wanted = false;
    e->memory.n_busy++;
    const cuzk_span span = cuzk_span_begin(
        e->trace, what == CUZK_LOAD_CIRCUIT ? "compile_circuit" : "load_params", NULL);
    cuzk_engine_unlock(e);
    const cuzk_status st = e->backend->load(e->backend->arg, id / 2, what, &object, &bytes, &err);
    cuzk_engine_lock(e);
    cuzk_span_end(e->trace, span, bytes);
    e->memory.n_busy--;
    const uint64_t now = cuzk_clock_ns();
    want->load_ns = now - begin;
    if (st == CUZK_OK) {
        bytes = bytes < reserved ? bytes : reserved;
        cuzk_budget_give(&e->memory.host, reserved - bytes, privileged);
        cuzk_load_done(&e->memory.cache, id, object, bytes, now);
        want->is_suspect = false;
        want->is_for_job = false;
        want->tries = 0;
    } else {
        cuzk_budget_give(&e->memory.host, reserved, privileged);
        cuzk_load_failed(&e->memory.cache, id);
        if (cuzk_status_is_retryable(st) && ++want->tries < MAX_TRIES) {
            want->wanted = true;
        } else {
            set_failure(want, st, err.msg);
            fail_jobs(e, id / 2, cuzk_engine_file_status(st), err.msg);
        }
    }
    cuzk_engine_wake_memory(e);
    pthread_cond_broadcast(&e->locks.change);
}

/* Other work stops taking memory, or may take it again. */
LOCKED static void set_starved(cuzk_engine *e, load_want *want, bool is_starved)
{
    if (want->is_starved != is_starved) {
        want->is_starved = is_starved;
        pthread_cond_broadcast(&e->locks.witness);
        cuzk_engine_wake_prep(e);
    }
}

/* Reserves the memory of a load that a job waits for. */
LOCKED static bool may_begin(cuzk_engine *e, uint32_t id, uint64_t now)
{
    load_want *want = &e->memory.wants[id];
    cuzk_reservation r = {0, false};
    const uint64_t bytes = cuzk_load_bytes(e->backend, id);
    if (cuzk_engine_take_host(e, &r, bytes, is_privileged(e->backend, id), true, now)) {
        cuzk_load_begin(&e->memory.cache, id, bytes);
        set_starved(e, want, false);
        return true;
    }
    if (want->is_for_job) {
        set_starved(e, want, true);
        /* otherwise memory that is being freed may be enough */
    } else if (e->memory.leaving_bytes == 0) {
        char text[128];
        (void)snprintf(text, sizeof(text), "%s needs %llu MiB, %llu are free",
                       e->backend->circuits[id / 2].id, (unsigned long long)(bytes >> 20),
                       (unsigned long long)(cuzk_budget_free(&e->memory.host, false) >> 20));
        set_failure(want, CUZK_E_BUDGET, text);
        pthread_cond_broadcast(&e->locks.change);
    }
    return false;
}

/* Finds a load that is wanted and whose memory could be reserved; CUZK_LOAD_NONE when there is none now. */
LOCKED static uint32_t next(cuzk_engine *e, bool is_express)
{
    const uint64_t now = cuzk_clock_ns();
    for (uint32_t id = 0; id < e->memory.cache.n; id++) {
        load_want *want = &e->memory.wants[id];
        if (is_express && !is_privileged(e->backend, id)) {
            continue;
        }
        if (e->memory.cache.entries[id].state == CUZK_LOAD_READY) {
            want->wanted = false;
        }
        if (!want->wanted) {
            set_starved(e, want, false);
        } else if (e->memory.cache.entries[id].state == CUZK_LOAD_ABSENT && may_begin(e, id, now)) {
            return id;
        }
    }
    return CUZK_LOAD_NONE;
}

void cuzk_loader_loop(worker *w)
{
    cuzk_engine *e = w->e;
    cuzk_engine_lock(e);
    while (!e->stop) {
        const uint32_t id = next(e, w->is_express);
        if (id != CUZK_LOAD_NONE) {
            load(e, id);
        } else {
            cuzk_engine_wait(e, &e->locks.loader);
        }
    }
    cuzk_engine_unlock(e);
}

static cuzk_status find_circuit(const cuzk_engine_backend *backend, const char *id, uint32_t *out,
                                cuzk_err *err)
{
    char canonical[CUZK_CIRCUIT_ID_BYTES];
    cuzk_circuit_spec spec;
    if (cuzk_circuit_id_parse(&spec, id)) { /* "window-32GiB" */
        id = cuzk_circuit_id(canonical, &spec);
    }
    for (uint32_t i = 0; i < backend->n_circuits; i++) {
        if (strcmp(backend->circuits[i].id, id) == 0) {
            *out = i;
            return CUZK_OK;
        }
    }
    return CUZK_FAIL(
        err, CUZK_E_NOT_FOUND,
        "unknown circuit ID: %s; circuits are KIND-SIZE, as in porep-32g or window-64GiB", id);
}

/* With the lock. Waits until the entry is loaded or its load has failed. */
LOCKED static cuzk_status load_and_wait(cuzk_engine *e, uint32_t id, bool *was_there, cuzk_err *err)
{
    load_want *want = &e->memory.wants[id];
    const uint64_t failures = want->n_failures;
    *was_there = e->memory.cache.entries[id].state == CUZK_LOAD_READY;
    while (e->memory.cache.entries[id].state != CUZK_LOAD_READY) {
        if (want->n_failures != failures) {
            return CUZK_FAIL(err, want->status, "%s", want->failure);
        }
        if (e->stop || e->draining) {
            return CUZK_FAIL(err, CUZK_E_CANCELLED, "the daemon is stopping");
        }
        if (e->memory.cache.entries[id].state == CUZK_LOAD_ABSENT && !want->wanted) {
            want->wanted = true;
            pthread_cond_broadcast(&e->locks.loader);
        }
        cuzk_engine_wait(e, &e->locks.change);
    }
    return CUZK_OK;
}

cuzk_status cuzk_engine_preload(cuzk_engine *e, const char *circuit_id, bool *already_loaded,
                                uint64_t *load_ms, cuzk_err *err)
{
    uint32_t circuit = 0;
    bool was_circuit = false, was_params = false;
    CUZK_TRY(find_circuit(e->backend, circuit_id, &circuit, err));
    const uint64_t begin = cuzk_clock_ns();
    cuzk_engine_lock(e);
    /* first the file, which may not exist; compiling takes seconds */
    cuzk_status st =
        load_and_wait(e, cuzk_engine_load_id(circuit, CUZK_LOAD_PARAMS), &was_params, err);
    if (st == CUZK_OK) {
        st = load_and_wait(e, cuzk_engine_load_id(circuit, CUZK_LOAD_CIRCUIT), &was_circuit, err);
    }
    if (st == CUZK_OK) {
        st = cuzk_device_keys_preload(e, circuit, &was_circuit, err);
    }
    cuzk_engine_unlock(e);
    if (st == CUZK_OK) {
        *already_loaded = was_circuit && was_params;
        *load_ms = *already_loaded ? 0 : (cuzk_clock_ns() - begin) / MS_NS;
    }
    return st;
}

cuzk_status cuzk_engine_evict(cuzk_engine *e, const char *circuit_id, bool *was_loaded,
                              uint64_t *freed_bytes, cuzk_err *err)
{
    uint32_t circuit = 0;
    cuzk_status st = CUZK_OK;
    CUZK_TRY(find_circuit(e->backend, circuit_id, &circuit, err));
    *was_loaded = false;
    *freed_bytes = 0;
    cuzk_engine_lock(e);
    cuzk_circuit_trust_all(&e->devices, circuit); /* the operator may have replaced its file */
    for (uint32_t i = 0; i < e->devices.n && cuzk_engine_has_keys(e->backend); i++) {
        *freed_bytes += e->devices.all[i].keys.taken[circuit].bytes;
        if (!cuzk_device_keys_unload(e, i, circuit)) {
            *freed_bytes = 0;
            st = CUZK_FAIL(err, CUZK_E_BUDGET, "%s is in use on device %u", circuit_id,
                           e->devices.all[i].info.ordinal);
            break;
        }
    }
    for (uint32_t what = 0; what < 2 && st == CUZK_OK; what++) {
        const cuzk_load_entry *entry = &e->memory.cache.entries[2 * circuit + what];
        if (entry->state == CUZK_LOAD_LOADING || entry->refs != 0) {
            st = CUZK_FAIL(err, CUZK_E_BUDGET, "%s is in use by %u partitions", circuit_id,
                           entry->refs);
        }
    }
    for (uint32_t what = 0; what < 2 && st == CUZK_OK; what++) {
        const uint32_t id = 2 * circuit + what;
        const uint64_t bytes = e->memory.cache.entries[id].bytes;
        if (cuzk_engine_evict_entry(e, id)) {
            *was_loaded = true;
            *freed_bytes += bytes;
        }
    }
    while (st == CUZK_OK && (e->memory.cache.entries[2 * circuit].state == CUZK_LOAD_LEAVING ||
                             e->memory.cache.entries[2 * circuit + 1].state == CUZK_LOAD_LEAVING)) {
        cuzk_engine_wait(e, &e->locks.change);
    }
    cuzk_engine_unlock(e);
    return st;
}
