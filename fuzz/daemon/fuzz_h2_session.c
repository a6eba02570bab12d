/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* DEPS: base rpc */
/*
 * A connection without a socket: the bytes of a peer go into the server's HTTP/2 session, what it
 * answers is thrown away. The engine is a stub that ends jobs at once, later or never. Afterwards
 * nothing may be left: no reservation, no call, no block of memory.
 *
 * The first byte says in which pieces the rest is fed and whether the connection needs a token;
 * the HTTP/2 greeting is put in front.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "base/clock.h"
#include "rpc/server/rpc_internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* ---- the engine: defines all that rpc asks for, so that the real one is not linked ---- */

#define MAX_WAITS 64
struct cuzk_engine {
    struct {
        cuzk_job_done_fn done; /* NULL: free */
        void *arg;
    } waits[MAX_WAITS];
};

static void tell(cuzk_job_done_fn done, void *arg, cuzk_job_state state)
{
    static const uint8_t proof[192] = {1};
    const cuzk_job_result r = {.job_id = "job",
                               .request_id = {(const uint8_t *)"name", 4},
                               .state = state,
                               .proof = {proof, sizeof(proof)},
                               .error = ""};
    done(arg, &r);
}

/* By the first byte of the name: now, never (until withdrawn), or not at all. */
static cuzk_status wait_for(cuzk_engine *e, uint8_t how, cuzk_job_done_fn done, void *arg,
                            cuzk_wait *wait)
{
    size_t i = 0;
    while (i < MAX_WAITS && e->waits[i].done != NULL) {
        i++;
    }
    if (how % 4 == 3 || i == MAX_WAITS) {
        return CUZK_E_BUDGET;
    }
    *wait = i + 1;
    if (how % 4 == 0) {
        tell(done, arg, how % 8 == 0 ? CUZK_JOB_COMPLETED : CUZK_JOB_CANCELLED);
    } else {
        e->waits[i].done = done;
        e->waits[i].arg = arg;
    }
    return CUZK_OK;
}

static uint8_t first(cuzk_bytes b)
{
    return b.size == 0 ? 0 : b.data[0];
}

cuzk_status cuzk_engine_prove(cuzk_engine *e, const cuzk_job_request *request,
                              const cuzk_owned_block *block, cuzk_job_done_fn done, void *arg,
                              cuzk_wait *wait, cuzk_err *err)
{
    err->msg[0] = '\0';
    const cuzk_status st = wait_for(e, first(request->request_id), done, arg, wait);
    if (st == CUZK_OK) {
        block->release(block->arg);
    }
    return st;
}

cuzk_status cuzk_engine_submit(cuzk_engine *e, const cuzk_job_request *request,
                               const cuzk_owned_block *block, char *job_id, uint32_t *position,
                               cuzk_err *err)
{
    (void)e;
    if (first(request->request_id) % 4 == 3) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "no");
    }
    memcpy(job_id, "job", 4);
    *position = 1;
    block->release(block->arg);
    return CUZK_OK;
}

cuzk_status cuzk_engine_await(cuzk_engine *e, const char *job_id, uint64_t timeout_ms,
                              cuzk_job_done_fn done, void *arg, cuzk_wait *wait, cuzk_err *err)
{
    (void)timeout_ms;
    err->msg[0] = '\0';
    return job_id[0] == '\0' ? CUZK_E_NOT_FOUND : wait_for(e, (uint8_t)job_id[0], done, arg, wait);
}

bool cuzk_engine_unwait(cuzk_engine *e, cuzk_wait wait)
{
    CUZK_ASSERT(wait >= 1 && wait <= MAX_WAITS);
    const bool there = e->waits[wait - 1].done != NULL;
    e->waits[wait - 1].done = NULL;
    return there;
}

bool cuzk_engine_leave(cuzk_engine *e, cuzk_wait wait)
{
    return cuzk_engine_unwait(e, wait);
}

cuzk_status cuzk_engine_owner(cuzk_engine *e, const char *job_id, char out[CUZK_OWNER_BYTES],
                              cuzk_err *err)
{
    (void)e;
    (void)job_id;
    (void)err;
    out[0] = '\0';
    return CUZK_OK;
}

cuzk_status cuzk_engine_cancel(cuzk_engine *e, const char *job_id, bool *was_running, cuzk_err *err)
{
    (void)e;
    *was_running = true;
    return job_id[0] == '\0' ? CUZK_FAIL(err, CUZK_E_NOT_FOUND, "no") : CUZK_OK;
}

cuzk_status cuzk_engine_preload(cuzk_engine *e, const char *circuit_id, bool *already_loaded,
                                uint64_t *load_ms, cuzk_err *err)
{
    (void)e;
    *already_loaded = true;
    *load_ms = 1;
    return circuit_id[0] == '\0' ? CUZK_FAIL(err, CUZK_E_NOT_FOUND, "no") : CUZK_OK;
}

cuzk_status cuzk_engine_evict(cuzk_engine *e, const char *circuit_id, bool *was_loaded,
                              uint64_t *freed_bytes, cuzk_err *err)
{
    return cuzk_engine_preload(e, circuit_id, was_loaded, freed_bytes, err);
}

const char *cuzk_job_kind_queue_name(cuzk_job_kind k)
{
    (void)k;
    return "kind";
}

cuzk_status cuzk_engine_get_status(cuzk_engine *e, cuzk_engine_status *out, cuzk_err *err)
{
    (void)e;
    (void)err;
    memset(out, 0, sizeof(*out));
    return CUZK_OK;
}

void cuzk_engine_status_free(cuzk_engine_status *s)
{
    (void)s;
}

/* ---- the connection ---- */

static void settle(cuzk_rpc_server *s)
{
    bool more = true;
    while (more) { /* submissions first: GetStatus waits for them */
        more = rpc_lane_run_one(&s->submit, false) || rpc_lane_run_one(&s->slow, false) ||
               rpc_lane_run_one(&s->query, false);
    }
    rpc_answers_apply(s);
    rpc_lanes_refill(s);
    if (s->waiting != NULL) {
        rpc_stream_grant(s);
    }
}

static bool drain_output(rpc_conn *c)
{
    const uint8_t *p = NULL;
    ssize_t n;
    while ((n = nghttp2_session_mem_send(c->ng, &p)) > 0) {
    }
    return n == 0 &&
           (nghttp2_session_want_read(c->ng) != 0 || nghttp2_session_want_write(c->ng) != 0);
}

static void feed(rpc_conn *c, const uint8_t *data, size_t size, size_t piece)
{
    static const uint8_t greeting[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0";
    bool ok = rpc_conn_receive(c, greeting, sizeof(greeting)) && drain_output(c);
    for (size_t at = 0; ok && at < size; at += piece) {
        const size_t n = size - at < piece ? size - at : piece;
        ok = rpc_conn_receive(c, data + at, n);
        settle(c->server);
        ok = drain_output(c) && ok;
    }
    if (ok) { /* time passes: deadlines and stalls */
        const uint64_t now = cuzk_clock_ns() + 3600u * UINT64_C(1000000000);
        (void)rpc_deadlines_run(c->server, now);
        settle(c->server);
        ok = drain_output(c);
        if (ok) {
            c->ping_ns = c->write_ns = 0;
            rpc_conn_tick(c, now);
        }
    }
}

static void run(const uint8_t *data, size_t size)
{
    cuzk_engine e = {.waits = {{.done = NULL}}};
    cuzk_rpc_server *s = NULL;
    cuzk_err err;
    const cuzk_rpc_server_config config = {
        .engine = &e,
        .token = "a token of some length",
        .limits = {.max_message = 100 << 10, .receive_budget = 130 << 10, .max_streams = 50}};
    if (rpc_server_init(&s, &config, &err) != CUZK_OK) {
        abort();
    }
    rpc_conn *c = rpc_conn_create(s, -1, false, size > 0 && (data[0] & 0x80) != 0);
    CUZK_ASSERT(c != NULL);
    if (size > 0) {
        feed(c, data + 1, size - 1, 1 + (size_t)(data[0] & 0x7f) * (data[0] & 0x7f));
    }
    rpc_conn_kill(c, NULL);
    settle(s);
    CUZK_ASSERT(atomic_load(&s->n_calls) == 0 && atomic_load(&s->n_streams) == 0);
    CUZK_ASSERT(atomic_load(&s->n_waiting) == 0 && s->waiting == NULL && s->tickets == NULL);
    CUZK_ASSERT(atomic_load(&s->budget.used) == 0 && s->stash_bytes == 0 && s->n_deadlines == 0);
    for (size_t i = 0; i < MAX_WAITS; i++) {
        CUZK_ASSERT(e.waits[i].done == NULL);
    }
    rpc_conns_reap(s);
    cuzk_rpc_server_destroy(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const cuzk_alloc_stats before = cuzk_alloc_get_stats();
    run(data, size);
    CUZK_ASSERT(cuzk_alloc_get_stats().blocks_now == before.blocks_now);
    return 0;
}
