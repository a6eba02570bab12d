/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Loaded keys of a prover, and its budget of memory. */
#include <stdio.h>

#include "base/alloc.h"
#include "sys/host_memory.h"

#include "prover_internal.h"

static lib_key *slot_of(cuzk_prover *p, const cuzk_circuit_spec *spec)
{
    unsigned n = 0;
    const cuzk_sector_shape *first = cuzk_sector_shapes(&n);
    return &p->keys[spec->kind][spec->shape - first];
}

/* Frees what the key holds; it is BUSY, or nobody else knows the prover. */
static void free_content(lib_key *k)
{
    for (size_t i = 0; i < LIB_MAX_DEVICES; i++) {
        cuzk_witness_memory_destroy(k->memories[i]);
        cuzk_device_key_destroy(k->keys[i]);
        k->memories[i] = NULL;
        k->keys[i] = NULL;
    }
    cuzk_filecoin_params_close(k->params);
    cuzk_filecoin_circuit_destroy(k->circuit);
    k->params = NULL;
    k->circuit = NULL;
}

void lib_keys_free(cuzk_prover *p)
{
    for (size_t i = 0; i < CUZK_CIRCUIT_N_KINDS; i++) {
        for (size_t j = 0; j < CUZK_SECTOR_SHAPES; j++) {
            free_content(&p->keys[i][j]);
        }
    }
}

/* With the lock, which it leaves and takes again. */
static void drop_locked(cuzk_prover *p, lib_key *k)
{
    k->state = LIB_KEY_BUSY;
    (void)pthread_mutex_unlock(&p->lock);
    free_content(k);
    (void)pthread_mutex_lock(&p->lock);
    p->used -= k->bytes;
    k->bytes = 0;
    k->is_kept = false;
    k->state = LIB_KEY_EMPTY;
    (void)pthread_cond_broadcast(&p->changed);
}

/* The key that was not used for longest, of those that may go; NULL: there is none. */
static lib_key *find_idle(cuzk_prover *p, const lib_key *except)
{
    lib_key *best = NULL;
    for (size_t i = 0; i < CUZK_CIRCUIT_N_KINDS; i++) {
        for (size_t j = 0; j < CUZK_SECTOR_SHAPES; j++) {
            lib_key *k = &p->keys[i][j];
            if (k != except && k->state == LIB_KEY_READY && k->users == 0 && !k->is_kept &&
                (best == NULL || k->used_at < best->used_at)) {
                best = k;
            }
        }
    }
    return best;
}

static cuzk_status over_budget(const cuzk_prover *p, const char *what, uint64_t bytes,
                               cuzk_err *err)
{
    return CUZK_FAIL(err, CUZK_E_BUDGET,
                     "%s needs %llu bytes of host memory; memory_bytes is %llu, of which %llu are "
                     "taken by what stays loaded",
                     what, (unsigned long long)bytes, (unsigned long long)p->limit,
                     (unsigned long long)p->used);
}

/*
 * With the lock: makes room for bytes. CUZK_OK: there is room now, or something has changed and the
 * caller looks again (*is_there false).
 */
static cuzk_status room_locked(cuzk_prover *p, bool *is_there, uint64_t bytes,
                               const lib_key *except, const char *what, const cuzk_cancel *cancel,
                               cuzk_err *err)
{
    const uint64_t own = except != NULL && except->state == LIB_KEY_READY ? except->bytes : 0;
    *is_there = false;
    if (cuzk_cancel_requested(cancel)) {
        return CUZK_FAIL(err, CUZK_E_CANCELLED, "cancelled");
    }
    if (bytes > p->limit || own > p->limit - bytes) {
        return over_budget(p, what, bytes + own, err);
    }
    if (p->used <= p->limit - bytes) {
        *is_there = true;
        return CUZK_OK;
    }
    lib_key *idle = find_idle(p, except);
    if (idle != NULL) {
        drop_locked(p, idle);
        return CUZK_OK;
    }
    if (p->n_holders == 0) {
        return over_budget(p, what, bytes + own, err);
    }
    (void)pthread_cond_wait(&p->changed, &p->lock);
    return CUZK_OK;
}

cuzk_status lib_bytes_take(cuzk_prover *p, uint64_t bytes, bool is_job, const char *what,
                           const cuzk_cancel *cancel, cuzk_err *err)
{
    bool is_there = false;
    cuzk_status st = CUZK_OK;
    (void)pthread_mutex_lock(&p->lock);
    while (st == CUZK_OK && !is_there) {
        st = room_locked(p, &is_there, bytes, NULL, what, cancel, err);
    }
    if (st == CUZK_OK) {
        p->used += bytes;
        p->n_holders += is_job ? 1 : 0;
    }
    (void)pthread_mutex_unlock(&p->lock);
    return st;
}

void lib_bytes_give(cuzk_prover *p, uint64_t bytes, bool is_job)
{
    (void)pthread_mutex_lock(&p->lock);
    p->used -= bytes;
    p->n_holders -= is_job ? 1 : 0;
    (void)pthread_cond_broadcast(&p->changed);
    (void)pthread_mutex_unlock(&p->lock);
}

static cuzk_status load_device(cuzk_prover *p, lib_key *k, size_t i, const cuzk_cancel *cancel,
                               cuzk_trace_ctx trace, cuzk_err *err)
{
    const uint64_t host =
        p->limit != UINT64_MAX ? p->limit / 2 : cuzk_host_memory_available() / 4 * 3;
    const cuzk_device_key_opts opts = {.host_bytes = host / p->n_devices + 1, /* 0 is no limit */
                                       .images = true,
                                       .trace = trace};
    CUZK_TRY(
        cuzk_device_key_create(&k->keys[i], p->devices[i], cuzk_filecoin_circuit_get(k->circuit),
                               cuzk_filecoin_params_srs(k->params), &opts, p->pool, cancel, err));
    CUZK_TRY(cuzk_witness_memory_create(&k->memories[i], err));
    cuzk_witness_memory_attach(k->memories[i], p->devices[i]);
    return CUZK_OK;
}

/* The key is BUSY. The parameters are first: a missing file is reported at once. */
static cuzk_status load_content(cuzk_prover *p, lib_key *k, const cuzk_cancel *cancel,
                                cuzk_trace_ctx trace, cuzk_err *err)
{
    const cuzk_span span = cuzk_span_begin(trace, "load_params", NULL);
    cuzk_status st = cuzk_filecoin_params_open(&k->params, &k->spec, &p->dir, p->pool, err);
    if (st == CUZK_OK) {
        st = cuzk_filecoin_circuit_create(&k->circuit, &k->spec, err);
    }
    for (size_t i = 0; st == CUZK_OK && i < p->n_devices; i++) {
        st = load_device(p, k, i, cancel, cuzk_trace_in(trace, span), err);
    }
    cuzk_span_end(trace, span, 0);
    return st;
}

static uint64_t content_bytes(const cuzk_prover *p, const lib_key *k, uint64_t params_heap)
{
    uint64_t sum = cuzk_circuit_bytes(cuzk_filecoin_circuit_get(k->circuit)) + params_heap;
    for (size_t i = 0; i < p->n_devices; i++) {
        sum += cuzk_device_key_get_stats(k->keys[i]).host_bytes;
    }
    return sum;
}

/* With the lock, which it leaves and takes again: an EMPTY key whose load_bytes are taken becomes READY. */
static cuzk_status load_locked(cuzk_prover *p, lib_key *k, const cuzk_filecoin_needs *needs,
                               uint64_t load_bytes, const cuzk_cancel *cancel, cuzk_trace_ctx trace,
                               cuzk_err *err)
{
    k->state = LIB_KEY_BUSY;
    (void)pthread_mutex_unlock(&p->lock);
    const cuzk_status st = load_content(p, k, cancel, trace, err);
    if (st != CUZK_OK) {
        free_content(k);
    }
    (void)pthread_mutex_lock(&p->lock);
    k->bytes = st == CUZK_OK ? content_bytes(p, k, needs->params_heap_bytes) : 0;
    p->used = p->used - load_bytes + k->bytes;
    k->state = st == CUZK_OK ? LIB_KEY_READY : LIB_KEY_EMPTY;
    (void)pthread_cond_broadcast(&p->changed);
    return st;
}

cuzk_status lib_key_take(lib_key **out, cuzk_prover *p, const cuzk_circuit_spec *spec,
                         uint64_t job_bytes, const cuzk_cancel *cancel, cuzk_trace_ctx trace,
                         cuzk_err *err)
{
    lib_key *k = slot_of(p, spec);
    cuzk_filecoin_needs needs;
    char what[64];
    bool is_there = false;
    cuzk_status st = CUZK_OK;
    CUZK_TRY(cuzk_filecoin_needs_of(&needs, spec, cuzk_pool_threads(p->pool), err));
    (void)snprintf(what, sizeof(what), "%s of %s", cuzk_circuit_kind_name(spec->kind),
                   spec->shape->name);
    const uint64_t load_bytes = needs.compile_bytes + needs.params_heap_bytes;
    (void)pthread_mutex_lock(&p->lock);
    while (st == CUZK_OK && !is_there) {
        if (k->state == LIB_KEY_BUSY) {
            (void)pthread_cond_wait(&p->changed, &p->lock);
        } else {
            const uint64_t bytes = job_bytes + (k->state == LIB_KEY_EMPTY ? load_bytes : 0);
            st = room_locked(p, &is_there, bytes, k, what, cancel, err);
            is_there = is_there && k->state != LIB_KEY_BUSY;
        }
    }
    if (st == CUZK_OK) {
        const bool is_new = k->state == LIB_KEY_EMPTY;
        p->used += job_bytes + (is_new ? load_bytes : 0);
        p->n_holders++;
        k->users++;
        k->used_at = ++p->n_uses;
        k->spec = *spec;
        if (is_new) {
            st = load_locked(p, k, &needs, load_bytes, cancel, trace, err);
        }
        if (st != CUZK_OK) {
            k->users--;
            p->used -= job_bytes;
            p->n_holders--;
        }
    }
    (void)pthread_mutex_unlock(&p->lock);
    if (st == CUZK_OK) {
        *out = k;
    }
    return st;
}

void lib_key_give(cuzk_prover *p, lib_key *k, uint64_t job_bytes)
{
    (void)pthread_mutex_lock(&p->lock);
    k->users--;
    p->used -= job_bytes;
    p->n_holders--;
    (void)pthread_cond_broadcast(&p->changed);
    (void)pthread_mutex_unlock(&p->lock);
}

static cuzk_status spec_of(cuzk_circuit_spec *out, int32_t kind, uint64_t sector_bytes,
                           cuzk_error *error)
{
    cuzk_circuit_kind k;
    cuzk_err err = {.msg = ""};
    CUZK_TRY(lib_kind(&k, kind, error));
    return lib_error(error, cuzk_circuit_spec_of(out, k, sector_bytes, &err), &err);
}

cuzk_status cuzk_prover_load(cuzk_prover *p, int32_t kind, uint64_t sector_bytes, cuzk_error *error)
{
    cuzk_circuit_spec spec;
    cuzk_err err = {.msg = ""};
    lib_key *k = NULL;
    CUZK_TRY(spec_of(&spec, kind, sector_bytes, error));
    const cuzk_status st = lib_key_take(&k, p, &spec, 0, NULL, CUZK_TRACE_OFF, &err);
    if (st == CUZK_OK) {
        (void)pthread_mutex_lock(&p->lock);
        k->is_kept = true;
        (void)pthread_mutex_unlock(&p->lock);
        lib_key_give(p, k, 0);
    }
    return lib_error(error, st, &err);
}

cuzk_status cuzk_prover_unload(cuzk_prover *p, int32_t kind, uint64_t sector_bytes,
                               cuzk_error *error)
{
    cuzk_circuit_spec spec;
    cuzk_err err = {.msg = ""};
    cuzk_status st = CUZK_OK;
    CUZK_TRY(spec_of(&spec, kind, sector_bytes, error));
    lib_key *k = slot_of(p, &spec);
    (void)pthread_mutex_lock(&p->lock);
    if (k->state == LIB_KEY_EMPTY) {
        st = CUZK_FAIL(&err, CUZK_E_NOT_FOUND, "%s of %s is not loaded",
                       cuzk_circuit_kind_name(spec.kind), spec.shape->name);
    } else if (k->state == LIB_KEY_BUSY || k->users != 0) {
        st = CUZK_FAIL(&err, CUZK_E_INVALID, "%s of %s is in use",
                       cuzk_circuit_kind_name(spec.kind), spec.shape->name);
    } else {
        drop_locked(p, k);
    }
    (void)pthread_mutex_unlock(&p->lock);
    return lib_error(error, st, &err);
}
