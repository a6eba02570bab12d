/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Callers among each other: turns in the lanes, what CPU time costs, and places of connections. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "rpc/server/rpc_internal.h"

#include "rpc_fixture.h"
#include "test.h"

#define PROVE  "/cuzk.v1.ProvingEngine/Prove"
#define STATUS "/cuzk.v1.ProvingEngine/GetStatus"
#define HEALTH "/grpc.health.v1.Health/Check"
#define NEVER  3600000u /* milliseconds */
#define MAX    16u      /* connections of a server here */

static const uint8_t empty[5] = {0};

/* ---- lanes, without threads ---- */

static char order[64]; /* who ran, a letter a task */
static unsigned burn_ms;

static void note(rpc_call *call)
{
    struct timespec t;
    const size_t n = strlen(order);
    CHECK(n + 1 < sizeof(order));
    order[n] = call->name[0] == '\0' ? '-' : call->name[0];
    order[n + 1] = '\0';
    uint64_t until = 0, now;
    do {
        CHECK(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t) == 0);
        now = (uint64_t)t.tv_sec * 1000u + (uint64_t)t.tv_nsec / 1000000u;
        until = until == 0 ? now + burn_ms : until;
    } while (now < until);
}

static void push(rpc_lane *l, rpc_call *calls, size_t i, const char *caller)
{
    rpc_call *call = &calls[i];
    atomic_init(&call->refs, 2); /* this test's, and the lane's, which takes one more */
    (void)snprintf(call->name, sizeof(call->name), "%s", caller == NULL ? "" : caller);
    rpc_lane_push(l, &call->task, call, caller, note);
}

static void callers_take_turns(void)
{
    cuzk_err err;
    rpc_lane l = {.stop = false};
    rpc_call *calls = calloc(16, sizeof(*calls));
    size_t n = 0;
    CHECK(calls != NULL);
    CHECK_OK(rpc_lane_init(&l, &err), &err);
    order[0] = '\0';
    burn_ms = 0;
    push(&l, calls, n++, ""); /* callers that nobody knows */
    push(&l, calls, n++, "");
    for (int i = 0; i < 5; i++) {
        push(&l, calls, n++, "flood");
    }
    push(&l, calls, n++, "honest");
    push(&l, calls, n++, "honest");
    push(&l, calls, n++, NULL); /* the server's own */
    while (rpc_lane_run_one(&l, false)) {
    }
    CHECK_MSG(strcmp(order, "-hfhffff--") == 0, "%s", order);
    rpc_lane_stop(&l);
    rpc_lane_destroy(&l);
    free(calls);
}

/* A caller in debt waits, others and the server's own tasks do not; at the end all run. */
static void cpu_time_is_paid_for(void)
{
    cuzk_err err;
    rpc_lane l = {.stop = false};
    rpc_call *calls = calloc(16, sizeof(*calls));
    CHECK(calls != NULL);
    CHECK_OK(rpc_lane_init(&l, &err), &err);
    l.price = 1000000; /* two milliseconds cost half an hour */
    order[0] = '\0';
    burn_ms = 3;
    push(&l, calls, 0, "flood");
    push(&l, calls, 1, "flood");
    CHECK(rpc_lane_run_one(&l, false) && !rpc_lane_run_one(&l, false));
    push(&l, calls, 2, "flood");
    push(&l, calls, 3, "honest");
    push(&l, calls, 4, NULL);
    CHECK(rpc_lane_run_one(&l, false) && rpc_lane_run_one(&l, false));
    CHECK(!rpc_lane_run_one(&l, false));
    CHECK_MSG(strcmp(order, "f-h") == 0, "%s", order);
    rpc_lane_stop(&l);
    CHECK_MSG(strcmp(order, "f-hff") == 0, "%s", order);
    rpc_lane_destroy(&l);
    free(calls);
}

/* ---- places ---- */

static cuzk_rpc_stats stats(const fixture *f)
{
    cuzk_rpc_stats s;
    cuzk_rpc_server_get_stats(f->server, &s);
    return s;
}

static void start(fixture *f, const cuzk_rpc_callers *tokens)
{
    const cuzk_rpc_server_config config = {
        .limits = {.max_connections = MAX, .ping_ms = NEVER, .preface_ms = NEVER},
        .tokens = tokens};
    fixture_start(f, &config);
    fake_engine_auto(f->engine, false); /* jobs stay under way */
}

/* A framed ProveRequest; freed by the caller. */
static uint8_t *prove_body(size_t *len)
{
    cuzk_wire_writer w = {.data = NULL}, p = {.data = NULL};
    cuzk_wire_put_u64(&w, 2, 1);
    cuzk_wire_put_bytes(&w, 10, "{}", 2);
    cuzk_wire_put_message(&p, 1, w.data, w.len);
    uint8_t *out = malloc(p.len + 5);
    CHECK(out != NULL && !w.nomem && !p.nomem);
    *len = peer_frame(out, p.data, p.len);
    cuzk_wire_writer_free(&w);
    cuzk_wire_writer_free(&p);
    return out;
}

/* The code of a call that is answered at once. */
static int ask(const fixture *f, const char *path, const char *const *extra)
{
    h2_peer *p = fixture_peer(f, 65535);
    const peer_call *c = peer_request(p, path, extra, empty, 5, false);
    CHECK(peer_run(p, 1, PEER_PATIENCE));
    const int code = c->code;
    peer_destroy(p);
    return code;
}

/*
 * Callers that nobody knows, each with a job under way, leave places for new connections: those get an answer,
 * and a caller of the unix socket all that it wants.
 */
static void working_callers_leave_room(void)
{
    enum { N = 20, MAY_WORK = 11 }; /* three quarters of 16, less the place for new connections */
    static h2_peer *peers[N];
    fixture f;
    size_t n = 0, working = 0;
    uint8_t *body = prove_body(&n);
    start(&f, NULL);
    for (size_t i = 0; i < N; i++) {
        peers[i] = fixture_peer(&f, 65535);
        const peer_call *c = peer_request(peers[i], PROVE, NULL, body, n, false);
        while (!c->closed && fake_engine_accepted(f.engine) == working) {
            (void)peer_run(peers[i], 1, 10);
            CHECK(!peers[i]->eof);
        }
        CHECK(!c->closed || c->code == CUZK_GRPC_RESOURCE_EXHAUSTED);
        working += c->closed ? 0 : 1;
    }
    CHECK_U64(working, MAY_WORK);
    CHECK(ask(&f, HEALTH, NULL) == CUZK_GRPC_OK);
    CHECK(ask(&f, STATUS, NULL) == CUZK_GRPC_RESOURCE_EXHAUSTED);
    cuzk_err err;
    uint64_t v = 0;
    cuzk_rpc_client *c = fixture_client(f.unix_address);
    CHECK_OK(cuzk_rpc_client_health(c, "", &v, &err), &err);
    cuzk_rpc_client_destroy(c);
    CHECK_U64(fake_engine_cancelled(f.engine), 0);
    CHECK(stats(&f).connections_now <= MAX);
    for (size_t i = 0; i < N; i++) {
        peer_destroy(peers[i]);
    }
    free(body);
    fixture_stop(&f);
}

/* One token's connections do not lock another token out, and a job under way keeps its connection. */
static void one_token_does_not_take_all(void)
{
    enum { N = 24 };
    static const char text[] =
        "greedy submit greedy-secret-12345\nhonest submit honest-secret-12345\n";
    static const char *const greedy[] = {"authorization", "Bearer greedy-secret-12345", NULL},
                             *const honest[] = {"authorization", "Bearer honest-secret-12345",
                                                NULL};
    static h2_peer *peers[N];
    fixture f;
    cuzk_err err;
    static cuzk_rpc_callers tokens;
    size_t n = 0, answered = 0;
    uint8_t *body = prove_body(&n);
    CHECK_OK(cuzk_rpc_callers_parse(&tokens, "f", text, sizeof(text) - 1, true, &err), &err);
    start(&f, &tokens);
    for (size_t i = 0; i < N / 2; i++) {
        peers[i] = fixture_peer(&f, 65535);
        (void)peer_request(peers[i], STATUS, greedy, empty, 5, false);
        CHECK(peer_run(peers[i], 1, PEER_PATIENCE));
    }
    h2_peer *working = fixture_peer(&f, 65535);
    const peer_call *job = peer_request(working, PROVE, honest, body, n, false);
    while (fake_engine_accepted(f.engine) == 0) {
        CHECK(!peer_run(working, 1, 10) && !working->eof);
    }
    for (size_t i = N / 2; i < N; i++) {
        peers[i] = fixture_peer(&f, 65535);
        const peer_call *c = peer_request(peers[i], STATUS, greedy, empty, 5, false);
        CHECK(peer_run(peers[i], 1, PEER_PATIENCE));
        answered += c->code == CUZK_GRPC_OK ? 1 : 0;
        CHECK(ask(&f, STATUS, honest) == CUZK_GRPC_OK);
    }
    CHECK_U64(answered, N / 2); /* its own idle ones make room */
    CHECK(!peer_run(working, 1, 10) && !job->closed && !working->eof);
    CHECK(stats(&f).connections_evicted > 0 && stats(&f).connections_now <= MAX);
    for (size_t i = 0; i < N; i++) {
        peer_destroy(peers[i]);
    }
    peer_destroy(working);
    free(body);
    fixture_stop(&f);
}

static const cuzk_case cases[] = {CASE(callers_take_turns), CASE(cpu_time_is_paid_for),
                                  CASE(working_callers_leave_room),
                                  CASE(one_token_does_not_take_all)};
TEST_MAIN("rpc/turns", cases)
