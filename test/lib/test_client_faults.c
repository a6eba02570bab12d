/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* <cuzk/client.h> when memory runs out at any allocation of a call, and when a call is stopped while it connects. */
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cuzk/client.h>

#include "base/alloc.h"
#include "base/alloc_hooks.h"
#include "rpc/wire/rpc_address.h"

#include "test.h"

#include "../rpc/rpc_fixture.h"

static fixture fx;

/* ---- memory ---- */

/* Of the thread that calls the library; the server's threads have all the memory that they want. */
static _Thread_local struct {
    bool is_counted;
    long made, live;
    long fail_at; /* 0: none */
} memory;

static void *counted_alloc(void *arg, size_t align, size_t bytes)
{
    (void)arg;
    if (memory.is_counted && ++memory.made == memory.fail_at) {
        return NULL;
    }
    void *p = aligned_alloc(align, (bytes + align - 1) / align * align);
    memory.live += memory.is_counted && p != NULL;
    return p;
}

static void counted_free(void *arg, void *p, size_t bytes)
{
    (void)arg;
    (void)bytes;
    memory.live -= memory.is_counted;
    free(p);
}

static cuzk_status make_metrics(void *arg, char **text, size_t *n, cuzk_err *err)
{
    static const char metrics[] = "cuzk_jobs 3\n";
    (void)arg;
    (void)err;
    *n = strlen(metrics);
    *text = cuzk_alloc(*n + 1, 1);
    CHECK(*text != NULL);
    memcpy(*text, metrics, *n + 1);
    return CUZK_OK;
}

/* What a life of a client came to. */
typedef struct outcome {
    int calls, failed;
    cuzk_status status; /* of the call that failed */
} outcome;

static bool note(outcome *o, cuzk_status st, const cuzk_error *error)
{
    o->calls++;
    if (st != CUZK_OK) {
        o->failed++;
        o->status = st;
        CHECK(error->status == (int32_t)st && error->text[0] != '\0');
    }
    return st == CUZK_OK;
}

/* Every call once, each whatever became of the others. */
static outcome whole_life(uint8_t tag)
{
    static const uint8_t vanilla[] = "a vanilla proof";
    const cuzk_input in = {vanilla, sizeof(vanilla)};
    const cuzk_client_options o = {.struct_size = sizeof(o), .address = fx.unix_address};
    cuzk_prove_request rq = {
        .struct_size = sizeof(rq), .kind = CUZK_KIND_WINNING, .inputs = &in, .n_inputs = 1};
    cuzk_error error;
    cuzk_client *c = NULL;
    cuzk_client_status *s = NULL;
    cuzk_client_result *r = NULL;
    cuzk_client_stop *stop = NULL;
    cuzk_client_call call = {.struct_size = sizeof(call)};
    char id[CUZK_JOB_NAME_BYTES], *text = NULL;
    int32_t is_serving = 0;
    outcome out = {0, 0, CUZK_OK};
    memset(rq.randomness, tag, sizeof(rq.randomness));
    if (!note(&out, cuzk_client_create(&c, &o, &error), &error)) {
        return out;
    }
    if (note(&out, cuzk_client_stop_create(&stop, &error), &error)) {
        call.stop = stop;
    }
    if (note(&out, cuzk_client_get_status(&s, c, &call, &error), &error)) {
        cuzk_client_totals t = {.struct_size = sizeof(t)};
        CHECK(cuzk_client_status_totals(&t, s) == CUZK_OK);
        cuzk_client_status_destroy(s);
    }
    if (note(&out, cuzk_client_submit(id, NULL, c, &rq, NULL, &call, &error), &error)) {
        if (note(&out, cuzk_client_await(&r, c, id, 0, &call, &error), &error)) {
            CHECK(cuzk_client_result_outcome(r) == CUZK_OUTCOME_COMPLETED);
            cuzk_client_result_destroy(r);
        }
        cuzk_ignore(cuzk_client_cancel(NULL, c, id, &call, NULL)); /* it has ended */
    }
    if (note(&out, cuzk_client_prove(&r, c, &rq, "named", &call, &error), &error)) {
        cuzk_client_result_destroy(r);
    }
    if (note(&out, cuzk_client_get_metrics(&text, c, &call, &error), &error)) {
        cuzk_client_text_free(text);
    }
    (void)note(&out, cuzk_client_health(&is_serving, c, &call, &error), &error);
    (void)note(&out, cuzk_client_preload(NULL, NULL, c, "porep-2k", &call, &error), &error);
    (void)note(&out, cuzk_client_evict(NULL, NULL, c, "porep-2k", &call, &error), &error);
    cuzk_client_stop_destroy(stop);
    cuzk_client_destroy(c);
    return out;
}

/*
 * One allocation fails: the call that needed it says E_NOMEM, all other calls of the same client are as ever, and
 * nothing is left.
 */
static void memory_runs_out(void)
{
    const cuzk_alloc_hooks mine = {counted_alloc, counted_free, NULL};
    const cuzk_rpc_server_config config = {.metrics = make_metrics};
    CHECK(cuzk_alloc_set_hooks(&mine));
    fixture_start(&fx, &config);
    memory.is_counted = true;
    memory.made = memory.live = memory.fail_at = 0;
    const outcome whole = whole_life(0);
    CHECK(whole.failed == 0 && whole.calls == 10);
    const long all = memory.made;
    CHECK_MSG(all >= 10, "%ld allocations", all);
    CHECK(memory.live == 0);
    for (long at = 1; at <= all; at++) {
        memory.made = memory.live = 0;
        memory.fail_at = at;
        const outcome o = whole_life((uint8_t)at);
        CHECK_MSG(o.failed <= 1 && (o.failed == 0 || o.status == CUZK_E_NOMEM),
                  "allocation %ld of %ld: %d calls failed, %s", at, all, o.failed,
                  cuzk_status_name(o.status));
        CHECK_MSG(o.failed == 1 || memory.made < at || o.calls == 10, "allocation %ld of %ld", at,
                  all);
        CHECK_MSG(memory.live == 0, "allocation %ld of %ld: %ld blocks are left", at, all,
                  memory.live);
    }
    memory.is_counted = false;
    fixture_stop(&fx);
    CHECK(cuzk_alloc_set_hooks(NULL));
}

/* ---- connecting ---- */

typedef struct silent {
    int fd;
    cuzk_cancel stop;
    pthread_t thread;
} silent;

/* Takes the connection and says nothing; asks for the stop once it is there. */
static void *take_one(void *arg)
{
    silent *s = arg;
    const int fd = accept(s->fd, NULL, NULL);
    CHECK(fd >= 0);
    atomic_store(&s->stop.requested, true);
    char byte;
    while (recv(fd, &byte, 1, 0) > 0) { /* until the client has gone */
    }
    (void)close(fd);
    return NULL;
}

static void a_stop_during_the_handshake(void)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t n = sizeof(to);
    silent s = {.fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    char address[64];
    cuzk_rpc_client *c = NULL;
    cuzk_err err;
    CHECK(s.fd >= 0 && bind(s.fd, (const struct sockaddr *)&to, n) == 0 && listen(s.fd, 1) == 0);
    CHECK(getsockname(s.fd, (struct sockaddr *)&to, &n) == 0);
    (void)snprintf(address, sizeof(address), "https://127.0.0.1:%u", ntohs(to.sin_port));
    CHECK(pthread_create(&s.thread, NULL, take_one, &s) == 0);
    const cuzk_rpc_client_config config = {
        .address = address, .connect_ms = 600000, .cancel = &s.stop};
    CHECK_STATUS(cuzk_rpc_client_create(&c, &config, &err), CUZK_E_CANCELLED);
    CHECK(c == NULL);
    CHECK(pthread_join(s.thread, NULL) == 0);
    (void)close(s.fd);
}

/* A connection that the other side does not take: its queue of one is full. */
static void a_stop_while_it_connects(void)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t n = sizeof(to);
    enum { TAKEN = 8 };
    int taken[TAKEN];
    const cuzk_cancel stop = {.requested = true};
    char address[64];
    cuzk_rpc_address a;
    cuzk_err err;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), got = -1;
    CHECK(fd >= 0 && bind(fd, (const struct sockaddr *)&to, n) == 0 && listen(fd, 0) == 0);
    CHECK(getsockname(fd, (struct sockaddr *)&to, &n) == 0);
    for (size_t i = 0; i < TAKEN; i++) {
        taken[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        CHECK(taken[i] >= 0);
        (void)connect(taken[i], (const struct sockaddr *)&to, n);
    }
    (void)snprintf(address, sizeof(address), "127.0.0.1:%u", ntohs(to.sin_port));
    CHECK_OK(cuzk_rpc_address_parse(&a, address, &err), &err);
    CHECK_STATUS(cuzk_rpc_address_connect(&got, &a, 600000, &stop, &err), CUZK_E_CANCELLED);
    CHECK(got == -1);
    for (size_t i = 0; i < TAKEN; i++) {
        (void)close(taken[i]);
    }
    (void)close(fd);
}

static const cuzk_case cases[] = {CASE(memory_runs_out), CASE(a_stop_during_the_handshake),
                                  CASE(a_stop_while_it_connects)};
TEST_MAIN("lib/client_faults", cases)
