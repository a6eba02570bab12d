/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "mock_card.h"

#include <stdio.h>

#include "base/alloc.h"

#include "test.h"

#define WINNING    3u
#define WINNING_64 4u

typedef struct card_key {
    uint32_t circuit;
    uint64_t bytes;
} card_key;

static mock_card *card_of(void *arg)
{
    return ((mock_backend *)arg)->use_arg;
}

static bool is_winning(uint32_t circuit)
{
    return circuit >= WINNING;
}

static bool take(mock_card *c, uint64_t bytes)
{
    uint64_t used = atomic_load(&c->used);
    do {
        if (used + bytes > c->total * MOCK_MIB) {
            return false;
        }
    } while (!atomic_compare_exchange_weak(&c->used, &used, used + bytes));
    return true;
}

static bool is_64(const cuzk_job_request *rq)
{
    return rq->kind == CUZK_JOB_WINNING && rq->sector_size == 64 * 1024 * MOCK_MIB;
}

static cuzk_status plan(void *arg, const cuzk_job_request *rq, cuzk_backend_plan *out,
                        cuzk_err *err)
{
    CUZK_TRY(card_of(arg)->inner.plan(arg, rq, out, err));
    out->circuit = is_64(rq) ? WINNING_64 : out->circuit;
    return CUZK_OK;
}

static cuzk_status parse(void *arg, const cuzk_job_request *rq, cuzk_backend_input *out,
                         const cuzk_cancel *cancel, cuzk_err *err)
{
    CUZK_TRY(card_of(arg)->inner.parse(arg, rq, out, cancel, err));
    out->circuit = is_64(rq) ? WINNING_64 : out->circuit;
    return CUZK_OK;
}

static void device_info(void *arg, uint32_t device, cuzk_backend_device *out)
{
    const mock_card *c = card_of(arg);
    c->inner.device_info(arg, device, out);
    out->memory_total = c->total * MOCK_MIB;
    out->memory_held = c->held * MOCK_MIB;
}

static uint64_t key_bytes(void *arg, uint32_t device, uint32_t circuit)
{
    const mock_card *c = card_of(arg);
    (void)device;
    return MOCK_MIB * (is_winning(circuit) ? c->winning_key + c->winning_room : 16 * c->other_key);
}

static uint64_t call_host_bytes(void *arg, uint32_t device, uint32_t circuit)
{
    (void)device;
    return is_winning(circuit) ? 0 : card_of(arg)->other_host * MOCK_MIB;
}

static cuzk_status load_key(void *arg, uint32_t device, uint32_t circuit, void *compiled,
                            void *params, const cuzk_backend_host *host, cuzk_backend_key *out,
                            cuzk_trace_ctx trace, cuzk_err *err)
{
    mock_backend *b = arg;
    mock_card *c = card_of(arg);
    const bool winning = is_winning(circuit);
    const uint64_t bytes = MOCK_MIB * (winning ? c->winning_key : c->other_key);
    (void)host;
    (void)trace;
    CHECK(*(uint32_t *)compiled == circuit && *(uint32_t *)params == circuit);
    card_key *k = cuzk_alloc(1, sizeof(*k));
    if (k == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "mock: out of memory");
    }
    if (!take(c, bytes)) {
        cuzk_free(k);
        return CUZK_FAIL(err, CUZK_E_DEV_NOMEM, "mock: no device memory for a key");
    }
    *k = (card_key){circuit, bytes};
    atomic_fetch_add(winning ? &c->winning_bytes : &c->other_bytes, bytes);
    atomic_fetch_add(&b->n_keys, 1);
    atomic_fetch_add(&b->keys_loaded, 1);
    *out = (cuzk_backend_key){.object = k,
                              .device_bytes = bytes,
                              .pinned_bytes = call_host_bytes(b, device, circuit),
                              .prove_bytes = MOCK_MIB * (winning ? c->winning_call : c->other_call),
                              .least_bytes = winning ? c->winning_least * MOCK_MIB : 0,
                              .batch = winning ? 1 : 10};
    return CUZK_OK;
}

static void unload_key(void *arg, uint32_t device, uint32_t circuit, void *key)
{
    mock_backend *b = arg;
    mock_card *c = card_of(arg);
    card_key *k = key;
    (void)device;
    CHECK(k->circuit == circuit);
    atomic_fetch_sub(is_winning(circuit) ? &c->winning_bytes : &c->other_bytes, k->bytes);
    atomic_fetch_sub(&c->used, k->bytes);
    atomic_fetch_sub(&b->n_keys, 1);
    cuzk_free(k);
}

/* What a call takes of the memory that it finds free, as the real backend plans it. */
static uint64_t call_bytes(const mock_card *c, bool winning)
{
    const uint64_t total = c->total * MOCK_MIB, used = atomic_load(&c->used);
    const uint64_t of_winning = atomic_load(&c->winning_bytes), held = c->held * MOCK_MIB;
    const uint64_t kept = atomic_load(&c->other_bytes) + (of_winning > held ? of_winning : held);
    uint64_t bytes = MOCK_MIB * (winning ? c->winning_call : c->other_call);
    if (!winning && total - kept < bytes) {
        bytes = total - kept;
    }
    return total - used < bytes ? total - used : bytes;
}

static void prove(void *arg, uint32_t device, void *circuit, void *params, void *key,
                  cuzk_backend_work *work, uint32_t n, cuzk_trace_ctx trace)
{
    mock_card *c = card_of(arg);
    const card_key *k = key;
    const bool winning = is_winning(k->circuit);
    const uint64_t least = MOCK_MIB * (winning ? c->winning_least : c->other_least);
    uint64_t bytes;
    CHECK(k->circuit == *(uint32_t *)circuit);
    do {
        bytes = call_bytes(c, winning);
    } while (!take(c, bytes));
    atomic_fetch_add(&c->too_little, bytes < least ? 1 : 0);
    c->inner.prove(arg, device, circuit, params, key, work, n, trace);
    atomic_fetch_sub(&c->used, bytes);
}

void mock_use_card(mock_backend *b, void *arg)
{
    mock_card *c = arg;
    cuzk_backend_circuit *second = &b->circuits[WINNING_64];
    b->use_arg = c;
    c->inner = b->vtable;
    *second = b->circuits[WINNING];
    (void)snprintf(second->id, sizeof(second->id), "winning-64g");
    b->vtable.n_circuits = WINNING_64 + 1;
    b->vtable.plan = plan;
    b->vtable.parse = parse;
    b->vtable.device_info = device_info;
    b->vtable.key_bytes = key_bytes;
    b->vtable.call_host_bytes = call_host_bytes;
    b->vtable.load_key = load_key;
    b->vtable.unload_key = unload_key;
    b->vtable.prove = prove;
}
