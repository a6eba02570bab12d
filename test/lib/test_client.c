/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* <cuzk/client.h> against the gRPC server on an engine that proves nothing; test_client.py has the real daemon. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include <cuzk/client.h>

#include "base/alloc.h"

#include "test.h"

#include "../rpc/certs.h"
#include "../rpc/rpc_fixture.h"

static fixture fx;
static cuzk_error error;
static const uint8_t vanilla[] = "a vanilla proof";

#define OK(call)                                                             \
    do {                                                                     \
        const cuzk_status st_ = (call);                                      \
        CHECK_MSG(st_ == CUZK_OK, "%s: %d %s", #call, (int)st_, error.text); \
    } while (0)
#define STATUS(call, want)                                                                        \
    do {                                                                                          \
        const cuzk_status st_ = (call);                                                           \
        CHECK_MSG(st_ == (want), "%s: %d, not %d: %s", #call, (int)st_, (int)(want), error.text); \
        CHECK(error.status == (int32_t)(want) && error.text[0] != '\0');                          \
    } while (0)

static cuzk_client *connect_to(const char *address)
{
    const cuzk_client_options o = {.struct_size = sizeof(o), .address = address};
    cuzk_client *c = NULL;
    OK(cuzk_client_create(&c, &o, &error));
    return c;
}

/* input must live as long as the request. */
static cuzk_prove_request request(const cuzk_input *input, int32_t kind, uint8_t tag)
{
    cuzk_prove_request rq = {.struct_size = sizeof(rq),
                             .kind = kind,
                             .inputs = input,
                             .n_inputs = 1,
                             .registered_proof = kind == CUZK_KIND_WINDOW ? 10u : 0u,
                             .miner_id = 1000};
    memset(rq.randomness, tag, sizeof(rq.randomness));
    return rq;
}

/* The server's numbers: 4 is a WinningPoSt, and so on. Fields that are not of the kind stay behind. */
static void requests_arrive(void)
{
    static const cuzk_job_kind kinds[] = {CUZK_JOB_POREP, CUZK_JOB_WINNING, CUZK_JOB_WINDOW,
                                          CUZK_JOB_UPDATE};
    const cuzk_input two[] = {{vanilla, sizeof(vanilla)}, {vanilla, 4}};
    fixture_start(&fx, NULL);
    cuzk_client *c = connect_to(fx.tcp);
    for (int32_t kind = CUZK_KIND_POREP; kind <= CUZK_KIND_UPDATE; kind++) {
        char id[CUZK_JOB_NAME_BYTES];
        uint32_t position = 77;
        cuzk_prove_request rq = request(two, kind, 3);
        rq.n_inputs = kind == CUZK_KIND_POREP ? 1 : 2;
        rq.sector_bytes = 2048;
        rq.sector_number = 12;
        rq.partition = 5;
        rq.priority = 3;
        OK(cuzk_client_submit(id, &position, c, &rq, "name", NULL, &error));
        CHECK(id[0] != '\0');
        CHECK_U64(position, (uint64_t)kind); /* the engine counts all jobs */
        const cuzk_job_request got = fake_engine_last(fx.engine);
        CHECK(got.kind == kinds[kind]);
        CHECK_U64(got.sector_size, 2048);
        CHECK_U64(got.registered_proof, rq.registered_proof);
        CHECK_U64(got.miner_id, 1000);
        CHECK_U64(got.sector_number, 12);
        CHECK_U64(got.priority, 3);
        CHECK_U64(got.partition_index, 5);
        const bool post = kind == CUZK_KIND_WINNING || kind == CUZK_KIND_WINDOW;
        CHECK_U64(got.randomness.size, post ? 32 : 0);
        CHECK_U64(got.comm_d_new.size, kind == CUZK_KIND_UPDATE ? 32 : 0);
        CHECK_U64(got.vanilla_proof.size, kind == CUZK_KIND_POREP ? sizeof(vanilla) : 0);
        CHECK_U64(got.n_vanilla_proofs, kind == CUZK_KIND_POREP ? 0 : 2);
    }
    cuzk_client_destroy(c);
    fixture_stop(&fx);
}

static void a_proof_is_given(void)
{
    const cuzk_input in = {vanilla, sizeof(vanilla)};
    const cuzk_bytes view = {vanilla, sizeof(vanilla)};
    cuzk_prove_request rq = request(&in, CUZK_KIND_WINNING, 9);
    cuzk_client_result *r = NULL;
    uint8_t want[192];
    size_t n = 0;
    fixture_start(&fx, NULL);
    cuzk_client *c = connect_to(fx.unix_address);
    const cuzk_job_request q = {.kind = CUZK_JOB_WINNING,
                                .miner_id = 1000,
                                .randomness = {rq.randomness, 32},
                                .vanilla_proofs = &view,
                                .n_vanilla_proofs = 1};
    fake_engine_proof(want, &q);
    OK(cuzk_client_prove(&r, c, &rq, "p", NULL, &error));
    CHECK_U64((uint64_t)cuzk_client_result_outcome(r), CUZK_OUTCOME_COMPLETED);
    const uint8_t *proof = cuzk_client_result_proof(r, &n);
    CHECK(n == 192 && memcmp(proof, want, 192) == 0);
    CHECK_U64((uint64_t)cuzk_client_result_error_class(r), CUZK_CLASS_OK);
    CHECK(strcmp(cuzk_client_result_error(r), "") == 0);
    CHECK(strcmp(cuzk_client_result_job_id(r), "p") == 0);
    cuzk_client_times t = {.struct_size = sizeof(t)};
    CHECK(cuzk_client_result_times(&t, r) == CUZK_OK && t.struct_size == sizeof(t));
    t.struct_size = 3;
    CHECK(cuzk_client_result_times(&t, r) == CUZK_E_INVALID);
    cuzk_client_destroy(c); /* the result stays */
    CHECK(memcmp(cuzk_client_result_proof(r, &n), want, 192) == 0);
    cuzk_client_result_destroy(r);
    fixture_stop(&fx);
}

static void outcomes(void)
{
    const cuzk_input in = {vanilla, sizeof(vanilla)};
    static const struct {
        cuzk_job_state state;
        int32_t outcome, error_class;
    } ends[] = {{CUZK_JOB_COMPLETED, CUZK_OUTCOME_COMPLETED, CUZK_CLASS_OK},
                {CUZK_JOB_FAILED, CUZK_OUTCOME_FAILED, CUZK_CLASS_INPUT},
                {CUZK_JOB_CANCELLED, CUZK_OUTCOME_CANCELLED, CUZK_CLASS_CANCELLED}};
    char id[CUZK_JOB_NAME_BYTES];
    int32_t was_running = 7;
    cuzk_client_result *r = NULL;
    size_t n = 9;
    fixture_start(&fx, NULL);
    fake_engine_auto(fx.engine, false);
    cuzk_client *c = connect_to(fx.tcp);
    for (size_t i = 0; i < 3; i++) {
        cuzk_prove_request rq = request(&in, CUZK_KIND_WINNING, (uint8_t)i);
        OK(cuzk_client_submit(id, NULL, c, &rq, NULL, NULL, &error));
        OK(cuzk_client_await(&r, c, id, 1, NULL, &error));
        CHECK_U64((uint64_t)cuzk_client_result_outcome(r), CUZK_OUTCOME_TIMEOUT);
        CHECK(cuzk_client_result_proof(r, &n) == NULL && n == 0);
        cuzk_client_result_destroy(r);
        CHECK(fake_engine_finish(fx.engine, id, ends[i].state));
        OK(cuzk_client_await(&r, c, id, 0, NULL, &error));
        CHECK_U64((uint64_t)cuzk_client_result_outcome(r), (uint64_t)ends[i].outcome);
        CHECK_U64((uint64_t)cuzk_client_result_error_class(r), (uint64_t)ends[i].error_class);
        CHECK((cuzk_client_result_proof(r, &n) != NULL) == (i == 0) && n == (i == 0 ? 192u : 0u));
        CHECK((cuzk_client_result_error(r)[0] != '\0') == (i == 1 || i == 2));
        CHECK(strncmp(cuzk_client_result_error(r), "input: ", 7) !=
              0); /* the class is its own value */
        cuzk_client_result_destroy(r);
    }
    cuzk_prove_request rq = request(&in, CUZK_KIND_WINNING, 90);
    OK(cuzk_client_submit(id, NULL, c, &rq, NULL, NULL, &error));
    OK(cuzk_client_cancel(&was_running, c, id, NULL, &error));
    CHECK(was_running == 0 || was_running == 1);
    OK(cuzk_client_await(&r, c, id, 0, NULL, &error));
    CHECK_U64((uint64_t)cuzk_client_result_outcome(r), CUZK_OUTCOME_CANCELLED);
    cuzk_client_result_destroy(r);
    STATUS(cuzk_client_cancel(NULL, c, "nobody's", NULL, &error), CUZK_E_NOT_FOUND);
    STATUS(cuzk_client_await(&r, c, "nobody's", 0, NULL, &error), CUZK_E_NOT_FOUND);
    fake_engine_refuse(fx.engine, CUZK_E_BUDGET);
    STATUS(cuzk_client_submit(id, NULL, c, &rq, "full", NULL, &error), CUZK_E_BUDGET);
    CHECK_U64((uint64_t)error.error_class, CUZK_CLASS_ENVIRONMENT);
    cuzk_client_destroy(c);
    fixture_stop(&fx);
}

static void requests_are_checked_here(void)
{
    cuzk_input in = {vanilla, sizeof(vanilla)};
    char id[CUZK_JOB_NAME_BYTES], name[300];
    fixture_start(&fx, NULL);
    cuzk_client *c = connect_to(fx.tcp);
    const cuzk_prove_request good = request(&in, CUZK_KIND_WINNING, 1);
    memset(name, 'x', sizeof(name));
    name[299] = '\0';
#define REFUSED(field, value, want)                                                 \
    do {                                                                            \
        cuzk_prove_request bad_ = good;                                             \
        bad_.field = (value);                                                       \
        STATUS(cuzk_client_submit(id, NULL, c, &bad_, NULL, NULL, &error), (want)); \
        CHECK_MSG(strstr(error.text, #field) != NULL, "%s", error.text);            \
    } while (0)
    REFUSED(kind, 4, CUZK_E_INVALID);
    REFUSED(kind, -1, CUZK_E_INVALID);
    REFUSED(kind, CUZK_KIND_CIRCOM, CUZK_E_UNSUPPORTED);
    REFUSED(flags, CUZK_PROVE_SPANS, CUZK_E_UNSUPPORTED);
    REFUSED(priority, 5, CUZK_E_INVALID);
    REFUSED(priority, -1, CUZK_E_INVALID);
    REFUSED(n_inputs, 0, CUZK_E_INVALID);
    REFUSED(inputs, NULL, CUZK_E_INVALID);
    REFUSED(struct_size, 0, CUZK_E_INVALID);
    STATUS(cuzk_client_submit(id, NULL, c, &good, name, NULL, &error), CUZK_E_INVALID);
    in.size = 0;
    STATUS(cuzk_client_submit(id, NULL, c, &good, NULL, NULL, &error), CUZK_E_INVALID);
    CHECK(strstr(error.text, "inputs[0]") != NULL);
    CHECK_U64(fake_engine_accepted(fx.engine), 0);
    cuzk_client_destroy(c);
    fixture_stop(&fx);
}

static cuzk_status make_metrics(void *arg, char **text, size_t *n, cuzk_err *err)
{
    (void)err;
    *n = strlen(arg);
    *text = cuzk_alloc(*n + 1, 1);
    CHECK(*text != NULL);
    memcpy(*text, arg, *n + 1);
    return CUZK_OK;
}

static void the_daemon_itself(void)
{
    static char metrics[] = "cuzk_jobs 3\n";
    const cuzk_rpc_server_config config = {.metrics = make_metrics, .metrics_arg = metrics};
    cuzk_client_status *s = NULL;
    cuzk_client_totals t = {.struct_size = sizeof(t)};
    cuzk_client_queue q = {.struct_size = sizeof(q)};
    cuzk_client_gpu g = {.struct_size = sizeof(g)};
    cuzk_client_circuit circuit = {.struct_size = sizeof(circuit)};
    cuzk_client_ability a = {.struct_size = sizeof(a)};
    char *text = NULL;
    int32_t flag = 7;
    uint64_t number = 0;
    fixture_start(&fx, &config);
    cuzk_client *c = connect_to(fx.tcp);
    OK(cuzk_client_get_status(&s, c, NULL, &error));
    CHECK(cuzk_client_status_totals(&t, s) == CUZK_OK);
    CHECK_U64(t.n_queues, 4);
    for (size_t i = 0; i < t.n_queues; i++) {
        CHECK(cuzk_client_status_queue(&q, s, i) == CUZK_OK && q.proof_kind[0] != '\0');
    }
    for (size_t i = 0; i < t.n_gpus; i++) {
        CHECK(cuzk_client_status_gpu(&g, s, i) == CUZK_OK && g.name[0] != '\0' &&
              g.memory_bytes != 0);
    }
    for (size_t i = 0; i < t.n_circuits; i++) {
        CHECK(cuzk_client_status_circuit(&circuit, s, i) == CUZK_OK &&
              circuit.circuit_id[0] != '\0');
    }
    for (size_t i = 0; i < t.n_abilities; i++) {
        CHECK(cuzk_client_status_ability(&a, s, i) == CUZK_OK && a.ability[0] != '\0');
    }
    CHECK(cuzk_client_status_queue(&q, s, t.n_queues) == CUZK_E_NOT_FOUND);
    CHECK(cuzk_client_status_gpu(&g, s, t.n_gpus) == CUZK_E_NOT_FOUND);
    CHECK(cuzk_client_status_circuit(&circuit, s, t.n_circuits) == CUZK_E_NOT_FOUND);
    CHECK(cuzk_client_status_ability(&a, s, t.n_abilities) == CUZK_E_NOT_FOUND);
    cuzk_client_status_destroy(s);
    OK(cuzk_client_get_metrics(&text, c, NULL, &error));
    CHECK(strcmp(text, metrics) == 0);
    cuzk_client_text_free(text);
    OK(cuzk_client_health(&flag, c, NULL, &error));
    CHECK(flag == 1);
    OK(cuzk_client_preload(&flag, &number, c, "porep-2k", NULL, &error));
    CHECK(flag == 0 && number == 42);
    STATUS(cuzk_client_preload(NULL, NULL, c, "porep-3k", NULL, &error), CUZK_E_NOT_FOUND);
    STATUS(cuzk_client_evict(NULL, NULL, c, "in-use", NULL, &error), CUZK_E_BUDGET);
    OK(cuzk_client_evict(&flag, &number, c, "porep-2k", NULL, &error));
    CHECK(flag == 1 && number == 1234);
    cuzk_client_destroy(c);
    fixture_stop(&fx);
}

/* ---- threads ---- */

typedef struct user {
    cuzk_client *c;
    const cuzk_client_call *call;
    uint8_t tag;
    cuzk_status st;
    pthread_t thread;
} user;

static void *prove_one(void *arg)
{
    user *u = arg;
    const cuzk_input in = {vanilla, sizeof(vanilla)};
    cuzk_prove_request rq = request(&in, CUZK_KIND_WINNING, u->tag);
    cuzk_client_result *r = NULL;
    u->st = cuzk_client_prove(&r, u->c, &rq, NULL, u->call, NULL);
    if (u->st == CUZK_OK && cuzk_client_result_outcome(r) != CUZK_OUTCOME_COMPLETED) {
        u->st = CUZK_E_SELFTEST;
    }
    cuzk_client_result_destroy(r);
    return NULL;
}

static bool eight_wait(fixture *f)
{
    return fake_engine_waiting(f->engine) == 8;
}

static bool none_waits(fixture *f)
{
    return fake_engine_waiting(f->engine) == 0;
}

/* Eight calls of one client are with the daemon at the same time; stopping them ends them all. */
static void calls_run_side_by_side_and_stop(void)
{
    user u[8];
    cuzk_client_stop *stop = NULL;
    cuzk_client_call call = {.struct_size = sizeof(call)};
    fixture_start(&fx, NULL);
    fake_engine_auto(fx.engine, false);
    cuzk_client *c = connect_to(fx.tcp);
    OK(cuzk_client_stop_create(&stop, &error));
    call.stop = stop;
    for (uint8_t i = 0; i < 8; i++) {
        u[i] = (user){.c = c, .call = &call, .tag = i};
        CHECK(pthread_create(&u[i].thread, NULL, prove_one, &u[i]) == 0);
    }
    CHECK(fixture_wait(&fx, eight_wait));
    cuzk_client_stop_request(stop);
    for (size_t i = 0; i < 8; i++) {
        CHECK(pthread_join(u[i].thread, NULL) == 0);
        CHECK(u[i].st == CUZK_E_CANCELLED);
    }
    STATUS(cuzk_client_health(NULL, c, &call, &error), CUZK_E_CANCELLED);
    CHECK(fixture_wait(&fx, none_waits)); /* the server has seen that nobody waits */
    CHECK_U64(fake_engine_cancelled(fx.engine), 8);
    cuzk_client_stop_destroy(stop);
    /* The client is good for more. */
    fake_engine_auto(fx.engine, true);
    for (uint8_t i = 0; i < 8; i++) {
        u[i] = (user){.c = c, .tag = (uint8_t)(20 + i)};
        CHECK(pthread_create(&u[i].thread, NULL, prove_one, &u[i]) == 0);
    }
    for (size_t i = 0; i < 8; i++) {
        CHECK(pthread_join(u[i].thread, NULL) == 0);
        CHECK(u[i].st == CUZK_OK);
    }
    cuzk_client_destroy(c);
    fixture_stop(&fx);
}

static void a_call_has_a_limit(void)
{
    const cuzk_input in = {vanilla, sizeof(vanilla)};
    const cuzk_client_call call = {.struct_size = sizeof(call), .timeout_ms = 20};
    cuzk_prove_request rq = request(&in, CUZK_KIND_WINNING, 1);
    cuzk_client_result *r = NULL;
    fixture_start(&fx, NULL);
    fake_engine_auto(fx.engine, false);
    cuzk_client *c = connect_to(fx.tcp);
    STATUS(cuzk_client_prove(&r, c, &rq, NULL, &call, &error), CUZK_E_CANCELLED);
    CHECK(r == NULL);
    CHECK(fixture_wait(&fx, none_waits));
    cuzk_client_destroy(c);
    fixture_stop(&fx);
}

/* ---- connections ---- */

static void nobody_is_there(void)
{
    char address[300];
    cuzk_client *c = NULL;
    cuzk_client_options o = {.struct_size = sizeof(o), .address = address};
    (void)snprintf(address, sizeof(address), "unix://%s/nobody.sock", test_tmpdir());
    STATUS(cuzk_client_create(&c, &o, &error), CUZK_E_IO);
    CHECK_U64((uint64_t)error.error_class, CUZK_CLASS_ENVIRONMENT);
    o.address = "no address";
    STATUS(cuzk_client_create(&c, &o, &error), CUZK_E_INVALID);
    o.address = NULL;
    STATUS(cuzk_client_create(&c, &o, &error), CUZK_E_INVALID);
    o.struct_size = 0;
    STATUS(cuzk_client_create(&c, &o, &error), CUZK_E_INVALID);
    CHECK(c == NULL);
    cuzk_client_destroy(NULL);
}

/* A daemon that has been restarted: the kept connection is dead, and no signal comes of it, TLS or not. */
static void the_daemon_restarts(void)
{
    char ca[320], cert[320], key[320];
    struct sigaction act;
    int32_t serving = 0;
    cuzk_err err;
    CHECK(sigaction(SIGPIPE, NULL, &act) == 0 && act.sa_handler == SIG_DFL);
    certs_make_ca(test_tmpdir(), "ca");
    certs_make(test_tmpdir(), "ca", "server");
    (void)snprintf(ca, sizeof(ca), "%s/ca.pem", test_tmpdir());
    (void)snprintf(cert, sizeof(cert), "%s/server.pem", test_tmpdir());
    (void)snprintf(key, sizeof(key), "%s/server.key", test_tmpdir());
    const cuzk_rpc_listen listen[] = {{.address = "https://127.0.0.1:0"}};
    const cuzk_rpc_server_config config = {.engine = fake_engine_create(),
                                           .listen = listen,
                                           .n_listen = 1,
                                           .tls_cert = cert,
                                           .tls_key = key,
                                           .token = "long-secret"};
    char address[64];
    cuzk_client *c = NULL;
    cuzk_client_options o = {
        .struct_size = sizeof(o), .address = address, .tls_ca = ca, .token = "long-secret"};
    cuzk_rpc_server *server = NULL;
    CHECK_OK(cuzk_rpc_server_create(&server, &config, &err), &err);
    CHECK_OK(cuzk_rpc_server_start(server, &err), &err);
    (void)snprintf(address, sizeof(address), "https://127.0.0.1:%u",
                   cuzk_rpc_server_port(server, 0));
    OK(cuzk_client_create(&c, &o, &error));
    cuzk_client_status *s = NULL;
    OK(cuzk_client_get_status(&s, c, NULL, &error));
    cuzk_client_status_destroy(s);
    cuzk_rpc_server_destroy(server);
    STATUS(cuzk_client_health(&serving, c, NULL, &error), CUZK_E_IO);
    STATUS(cuzk_client_health(&serving, c, NULL, &error), CUZK_E_IO);
    cuzk_client_destroy(c);
    o.token = "wrong-secret";
    CHECK_OK(cuzk_rpc_server_create(&server, &config, &err), &err);
    CHECK_OK(cuzk_rpc_server_start(server, &err), &err);
    (void)snprintf(address, sizeof(address), "https://127.0.0.1:%u",
                   cuzk_rpc_server_port(server, 0));
    OK(cuzk_client_create(&c, &o, &error));
    STATUS(cuzk_client_get_status(&s, c, NULL, &error), CUZK_E_INVALID);
    CHECK(strstr(error.text, "UNAUTHENTICATED") != NULL);
    cuzk_client_destroy(c);
    o.tls_ca = key; /* no authority's file */
    CHECK(cuzk_client_create(&c, &o, &error) != CUZK_OK);
    cuzk_rpc_server_destroy(server);
    fake_engine_destroy(config.engine);
    CHECK(sigaction(SIGPIPE, NULL, &act) == 0 && act.sa_handler == SIG_DFL);
}

static const cuzk_case cases[] = {
    CASE(requests_arrive),           CASE(a_proof_is_given),  CASE(outcomes),
    CASE(requests_are_checked_here), CASE(the_daemon_itself), CASE(calls_run_side_by_side_and_stop),
    CASE(a_call_has_a_limit),        CASE(nobody_is_there),   CASE(the_daemon_restarts)};
TEST_MAIN("lib/client", cases)
