/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_TEST_DAEMON_STACK_H
#define CUZK_TEST_DAEMON_STACK_H

/*
 * All that the daemon is made of in one process, with the mock prover at its end: gRPC on a unix
 * socket, HTTP on a port, the engine between. Tests act and look through the two front ends only;
 * the mock is there to stop a stage at will and to count what is left behind.
 */
#include "api/api_server.h"
#include "rpc/client/rpc_client.h"
#include "rpc/server/rpc_server.h"
#include "top/status_read.h"

#include "../engine/mock_backend.h"

typedef struct stack {
    mock_backend mock;
    cuzk_job_store store; /* with_store only */
    bool with_store;
    cuzk_engine *engine;
    cuzk_rpc_server *rpc;
    cuzk_api_server *api;
    char address[300], http[32];
} stack;

/**
 * On the heap, so that a case that fails leaves its threads something to run on. cfg's backend is
 * the stack's own; with_store: jobs are kept in SQLite as the daemon does, else in memory.
 */
stack *stack_start(uint32_t n_devices, bool with_store, const cuzk_engine_config *cfg);
void stack_stop(stack *s);
/** How many jobs have come to a device so far. */
uint32_t stack_n_order(stack *s);

cuzk_rpc_client *stack_client(const stack *s, uint64_t timeout_ms, const cuzk_cancel *cancel);
/** GET /status, of a moment after this call began (takes 55 ms or more, since the server keeps answers for 50). */
void stack_status(const stack *s, cuzk_status_view *out);
/** Partitions that wait before any stage, jobs that wait or run, busy slots: 0 when nothing is left. */
uint64_t stack_left(const cuzk_status_view *v);
/** Waits until nothing is left and the mock holds no more than `held` bytes; then *out is the status. */
void stack_settle(const stack *s, uint64_t held, cuzk_status_view *out);
/** State of a job in GET /status: "queued", "running", ...; "" when it is not listed. */
const char *stack_job_state(const cuzk_status_view *v, const char *id);

/** One Prove on a thread of its own. */
typedef struct stack_call {
    const stack *stack;
    mock_job job;
    cuzk_bytes view;
    cuzk_job_request rq;
    char id[64];
    uint64_t timeout_ms;
    cuzk_cancel *cancel; /* NULL: none */
    pthread_t thread;
    cuzk_status status;
    cuzk_err err;
    cuzk_rpc_result result;
} stack_call;

void stack_call_start(stack_call *c, const stack *s, cuzk_job_kind kind, uint32_t priority,
                      uint64_t tag, const char *id);
/** Joins the thread. The result is freed by stack_call_free. */
void stack_call_join(stack_call *c);
void stack_call_free(stack_call *c);

#endif /* CUZK_TEST_DAEMON_STACK_H */
