/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The server on a fake engine: every method, by our own client. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"

#include "rpc_fixture.h"
#include "test.h"

static cuzk_job_request request_of(const char *id, cuzk_job_kind kind, const void *c1, size_t n)
{
    return (cuzk_job_request){.request_id = {(const uint8_t *)id, strlen(id)},
                              .kind = kind,
                              .sector_size = 2048,
                              .vanilla_proof = {c1, n}};
}

static cuzk_status make_metrics(void *arg, char **text, size_t *n, cuzk_err *err)
{
    (void)err;
    *n = strlen(arg);
    *text = cuzk_alloc(*n, 1);
    CHECK(*text != NULL);
    memcpy(*text, arg, *n);
    return CUZK_OK;
}

static void all_methods(const char *address, fixture *f)
{
    cuzk_err err;
    char job_id[CUZK_JOB_ID_BYTES];
    uint8_t proof[192];
    uint32_t position = 9;
    uint64_t v = 0;
    bool flag = true;
    cuzk_rpc_result r;
    cuzk_rpc_status s;
    char *text = NULL;
    cuzk_rpc_client *c = fixture_client(address);
    const cuzk_bytes proofs[] = {
        {(const uint8_t *)"p1", 2}, {(const uint8_t *)"", 0}, {(const uint8_t *)"p333", 4}};
    cuzk_job_request q = {.request_id = {(const uint8_t *)"w d\n[1 2]", 9},
                          .kind = CUZK_JOB_WINDOW,
                          .priority = 4,
                          .registered_proof = 10,
                          .sector_number = UINT64_MAX,
                          .miner_id = 1000,
                          .partition_index = 3,
                          .randomness = {(const uint8_t *)"random", 6},
                          .vanilla_proofs = proofs,
                          .n_vanilla_proofs = 3};
    const size_t before = fake_engine_accepted(f->engine);
    CHECK_OK(cuzk_rpc_client_prove(c, &q, &r, &err), &err);
    fake_engine_proof(proof, &q);
    CHECK(r.outcome == CUZK_RPC_COMPLETED && r.proof_size == 192);
    CHECK_MEM(r.proof, proof, 192);
    CHECK_STR(r.job_id, "w d\n[1 2]"); /* the caller's name */
    CHECK_U64(r.total_ms, 7);
    cuzk_rpc_result_free(&r);
    const cuzk_job_request got = fake_engine_last(f->engine);
    CHECK(got.kind == CUZK_JOB_WINDOW && got.priority == 4 && got.registered_proof == 10 &&
          got.sector_number == UINT64_MAX && got.miner_id == 1000 && got.partition_index == 3 &&
          got.randomness.size == 6 && got.n_vanilla_proofs == 3 && got.sector_size == 0);
    CHECK(got.cancel_when_unwatched && got.deadline_ns > cuzk_clock_ns());

    q = request_of("job-a", CUZK_JOB_POREP, "c1", 2);
    CHECK_OK(cuzk_rpc_client_submit(c, &q, job_id, &position, &err), &err);
    CHECK_U64(position, before + 1);
    CHECK(strncmp(job_id, "job-a", 5) == 0);
    CHECK(!fake_engine_last(f->engine).cancel_when_unwatched);
    CHECK_U64(fake_engine_last(f->engine).deadline_ns, 0); /* a submitted job outlives the call */
    CHECK_OK(cuzk_rpc_client_await(c, job_id, 0, &r, &err), &err);
    CHECK(r.outcome == CUZK_RPC_COMPLETED);
    CHECK_STR(r.job_id, job_id);
    cuzk_rpc_result_free(&r);
    CHECK_STATUS(cuzk_rpc_client_await(c, "nobody", 0, &r, &err), CUZK_E_NOT_FOUND);
    CHECK(cuzk_rpc_client_code(c) == CUZK_GRPC_NOT_FOUND);
    CHECK_STATUS(cuzk_rpc_client_cancel(c, "nobody", &flag, &err), CUZK_E_NOT_FOUND);
    CHECK_STR(err.msg, "NOT_FOUND: job not found: nobody");
    CHECK_OK(cuzk_rpc_client_cancel(c, job_id, &flag, &err), &err);
    CHECK(!flag);

    CHECK_OK(cuzk_rpc_client_preload(c, "porep-2k", &flag, &v, &err), &err);
    CHECK(!flag && v == 42);
    CHECK_STATUS(cuzk_rpc_client_preload(c, "nope", &flag, &v, &err), CUZK_E_NOT_FOUND);
    CHECK_OK(cuzk_rpc_client_status(c, &s, &err), &err);
    CHECK_U64(s.uptime_seconds, 10);
    CHECK_U64(s.completed, before + 2);
    CHECK(s.n_gpus == 1 && s.n_queues == 4 && s.n_srs == 1); /* circuits are not SRS */
    CHECK_STR(s.gpus[0].name, "made up device");
    CHECK_STR(s.gpus[0].job_id, "busy-job");
    CHECK_STR(s.gpus[0].proof_kind, "window-post");
    CHECK_STR(s.srs[0].circuit_id, "porep-2k");
    CHECK(s.srs[0].size_bytes == 1234 && s.srs[0].ref_count == 3 && s.srs[0].tier == 1);
    CHECK_STR(s.queues[3].proof_kind, "winning-post");
    cuzk_rpc_status_free(&s);
    CHECK_OK(cuzk_rpc_client_evict(c, "porep-2k", &flag, &v, &err), &err);
    CHECK(flag && v == 1234);
    CHECK_STATUS(cuzk_rpc_client_evict(c, "in-use", &flag, &v, &err), CUZK_E_BUDGET);
    CHECK(cuzk_rpc_client_code(c) == CUZK_GRPC_FAILED_PRECONDITION);

    CHECK_OK(cuzk_rpc_client_metrics(c, &text, &err), &err);
    CHECK_STR(text, "cuzk_up 1\n");
    cuzk_free(text);
    CHECK_OK(cuzk_rpc_client_health(c, "", &v, &err), &err);
    CHECK_U64(v, 1);
    CHECK_OK(cuzk_rpc_client_health(c, "cuzk.v1.ProvingEngine", &v, &err), &err);
    CHECK_STATUS(cuzk_rpc_client_health(c, "other", &v, &err), CUZK_E_NOT_FOUND);
    cuzk_rpc_client_destroy(c);
}

static void methods(void)
{
    fixture f;
    char text[] = "cuzk_up 1\n";
    const cuzk_rpc_server_config config = {
        .metrics = make_metrics, .metrics_arg = text, .unix_mode = 0600};
    struct stat sb;
    fixture_start(&f, &config);
    all_methods(f.tcp, &f);
    all_methods(f.unix_address, &f);
    CHECK(stat(f.unix_path, &sb) == 0 && (sb.st_mode & 0777) == 0600);
    fixture_stop(&f);
}

static void no_metrics(void)
{
    fixture f;
    cuzk_err err;
    char *text = NULL;
    fixture_start(&f, NULL);
    cuzk_rpc_client *c = fixture_client(f.tcp);
    CHECK_STATUS(cuzk_rpc_client_metrics(c, &text, &err), CUZK_E_UNSUPPORTED);
    cuzk_rpc_client_destroy(c);
    fixture_stop(&f);
}

static void outcomes(void)
{
    fixture f;
    cuzk_err err;
    cuzk_rpc_result r;
    char job_id[CUZK_JOB_ID_BYTES];
    uint32_t position;
    bool was_running;
    fixture_start(&f, NULL);
    fake_engine_auto(f.engine, false);
    cuzk_rpc_client *c = fixture_client(f.tcp);
    const cuzk_job_request q = request_of("", CUZK_JOB_POREP, "x", 1);
    CHECK_OK(cuzk_rpc_client_submit(c, &q, job_id, &position, &err), &err);
    CHECK(job_id[0] != '\0'); /* an empty request_id still gets an id */
    const uint64_t t0 = cuzk_clock_ns();
    CHECK_OK(cuzk_rpc_client_await(c, job_id, 60, &r, &err), &err);
    CHECK(r.outcome == CUZK_RPC_TIMEOUT && r.proof_size == 0);
    CHECK(cuzk_clock_ns() - t0 >= 60000000u);
    cuzk_rpc_result_free(&r);
    CHECK(fake_engine_finish(f.engine, job_id, CUZK_JOB_FAILED));
    CHECK_OK(cuzk_rpc_client_await(c, job_id, 0, &r, &err), &err); /* a failed proof is an answer */
    CHECK(r.outcome == CUZK_RPC_FAILED);
    CHECK_STR(r.error, "input: made up");
    cuzk_rpc_result_free(&r);
    CHECK_OK(cuzk_rpc_client_submit(c, &q, job_id, &position, &err), &err);
    CHECK_OK(cuzk_rpc_client_cancel(c, job_id, &was_running, &err), &err);
    CHECK_OK(cuzk_rpc_client_await(c, job_id, 0, &r, &err), &err);
    CHECK(r.outcome == CUZK_RPC_CANCELLED);
    cuzk_rpc_result_free(&r);
    fake_engine_refuse(f.engine, CUZK_E_BUDGET);
    CHECK_STATUS(cuzk_rpc_client_prove(c, &q, &r, &err), CUZK_E_BUDGET);
    CHECK(cuzk_rpc_client_code(c) == CUZK_GRPC_RESOURCE_EXHAUSTED);
    fake_engine_refuse(f.engine, CUZK_E_INVALID);
    CHECK_STATUS(cuzk_rpc_client_submit(c, &q, job_id, &position, &err), CUZK_E_INVALID);
    CHECK_STR(err.msg, "INVALID_ARGUMENT: made up refusal");
    cuzk_rpc_client_destroy(c);
    fixture_stop(&f);
}

/* Sizes around every boundary there is; content checked by the proof. */
static void sizes(void)
{
    static const size_t at[] = {0, 1, 16383, 16384, 65520, 65535, 65536, 70000, 1 << 20, 40 << 20};
    fixture f;
    cuzk_err err;
    fixture_start(&f, NULL);
    cuzk_rpc_client *c = fixture_client(f.tcp);
    uint8_t *data = calloc(1, 40 << 20);
    CHECK(data != NULL);
    for (size_t i = 0; i < (40 << 20); i += 4096) {
        data[i] = (uint8_t)(i >> 12);
    }
    for (size_t i = 0; i < sizeof(at) / sizeof(at[0]); i++) {
        for (size_t d = 0; d < 3; d++) {
            cuzk_rpc_result r;
            uint8_t proof[192];
            const size_t n = at[i] + d < (40 << 20) ? at[i] + d : at[i];
            const cuzk_job_request q = request_of("s", CUZK_JOB_POREP, data, n);
            CHECK_OK(cuzk_rpc_client_prove(c, &q, &r, &err), &err);
            fake_engine_proof(proof, &q);
            CHECK(r.proof_size == 192);
            CHECK_MEM(r.proof, proof, 192);
            cuzk_rpc_result_free(&r);
        }
    }
    cuzk_rpc_stats s;
    CHECK(fixture_wait(&f, fixture_nothing_reserved));
    cuzk_rpc_server_get_stats(f.server, &s);
    CHECK_U64(s.calls_by_code[CUZK_GRPC_OK], 3 * sizeof(at) / sizeof(at[0]));
    free(data);
    cuzk_rpc_client_destroy(c);
    fixture_stop(&f);
}

static void too_large(void)
{
    fixture f;
    cuzk_err err;
    cuzk_rpc_result r;
    const cuzk_rpc_server_config config = {.limits = {.max_message = 1 << 20}};
    fixture_start(&f, &config);
    cuzk_rpc_client *c = fixture_client(f.tcp);
    uint8_t *data = calloc(1, 8 << 20);
    CHECK(data != NULL);
    const size_t overhead = 24; /* of the fields around the bytes, at most */
    cuzk_job_request q = request_of("s", CUZK_JOB_POREP, data, (1 << 20) - overhead);
    CHECK_OK(cuzk_rpc_client_prove(c, &q, &r, &err), &err);
    cuzk_rpc_result_free(&r);
    q.vanilla_proof.size = 8 << 20;
    for (int i = 0; i < 3; i++) { /* and the connection is still good for others */
        CHECK_STATUS(cuzk_rpc_client_prove(c, &q, &r, &err), CUZK_E_BUDGET);
        CHECK(cuzk_rpc_client_code(c) == CUZK_GRPC_RESOURCE_EXHAUSTED);
        CHECK(strstr(err.msg, "limit of 1048576") != NULL);
    }
    CHECK_U64(fake_engine_accepted(f.engine), 1);
    free(data);
    cuzk_rpc_client_destroy(c);
    fixture_stop(&f);
}

static bool one_cancelled(fixture *f)
{
    return fake_engine_cancelled(f->engine) >= 1 && fake_engine_waiting(f->engine) == 0;
}

static void deadline_cancels(void)
{
    fixture f;
    cuzk_err err;
    cuzk_rpc_result r;
    fixture_start(&f, NULL);
    fake_engine_auto(f.engine, false);
    cuzk_rpc_client *c = fixture_client(f.tcp);
    const cuzk_job_request q = request_of("d", CUZK_JOB_WINNING, "x", 1);
    /* on a busy machine the deadline may pass before the call comes to the engine: then one with a longer deadline */
    for (uint32_t ms = 100; fake_engine_accepted(f.engine) == 0; ms *= 3) {
        CHECK(ms < 100000);
        cuzk_rpc_client_set_timeout(c, ms);
        const uint64_t t0 = cuzk_clock_ns();
        CHECK_STATUS(cuzk_rpc_client_prove(c, &q, &r, &err), CUZK_E_CANCELLED);
        CHECK(cuzk_rpc_client_code(c) == CUZK_GRPC_DEADLINE_EXCEEDED);
        CHECK(cuzk_clock_ns() - t0 >= (ms - 1) * UINT64_C(1000000));
    }
    CHECK(fixture_wait(&f, one_cancelled));
    cuzk_rpc_client_destroy(c);
    fixture_stop(&f);
}

typedef struct canceller {
    cuzk_cancel cancel;
    fixture *f;
} canceller;

static bool one_waiting(fixture *f)
{
    return fake_engine_waiting(f->engine) == 1;
}

static void *cancel_soon(void *arg)
{
    canceller *k = arg;
    (void)fixture_wait(k->f, one_waiting);
    atomic_store(&k->cancel.requested, true);
    return NULL;
}

static void client_cancels(void)
{
    fixture f;
    cuzk_err err;
    cuzk_rpc_result r;
    cuzk_rpc_client *c = NULL;
    pthread_t t;
    fixture_start(&f, NULL);
    fake_engine_auto(f.engine, false);
    canceller k = {.f = &f};
    const cuzk_rpc_client_config config = {.address = f.unix_address, .cancel = &k.cancel};
    CHECK_OK(cuzk_rpc_client_create(&c, &config, &err), &err);
    const cuzk_job_request q = request_of("c", CUZK_JOB_POREP, "x", 1);
    CHECK(pthread_create(&t, NULL, cancel_soon, &k) == 0);
    CHECK_STATUS(cuzk_rpc_client_prove(c, &q, &r, &err), CUZK_E_CANCELLED);
    (void)pthread_join(t, NULL);
    CHECK(fixture_wait(&f, one_cancelled));
    cuzk_rpc_client_destroy(c);
    fixture_stop(&f);
}

static void *prove_once(void *arg)
{
    cuzk_rpc_client *c = fixture_client(arg);
    cuzk_err err;
    cuzk_rpc_result r;
    const cuzk_job_request q = request_of("in-flight", CUZK_JOB_POREP, "x", 1);
    const cuzk_status st = cuzk_rpc_client_prove(c, &q, &r, &err);
    const bool ok = st == CUZK_OK && r.outcome == CUZK_RPC_COMPLETED;
    if (st == CUZK_OK) {
        cuzk_rpc_result_free(&r);
    }
    cuzk_rpc_client_destroy(c);
    return ok ? arg : NULL;
}

static void drain(void)
{
    fixture f;
    cuzk_err err;
    cuzk_rpc_result r;
    cuzk_rpc_status s;
    uint64_t v = 0;
    pthread_t t;
    void *ok = NULL;
    fixture_start(&f, NULL);
    fake_engine_auto(f.engine, false);
    cuzk_rpc_client *c = fixture_client(f.tcp);
    CHECK(pthread_create(&t, NULL, prove_once, f.tcp) == 0);
    CHECK(fixture_wait(&f, one_waiting));
    CHECK(!cuzk_rpc_server_is_idle(f.server));
    cuzk_rpc_server_drain(f.server);
    const cuzk_job_request q = request_of("late", CUZK_JOB_POREP, "x", 1);
    CHECK_STATUS(cuzk_rpc_client_prove(c, &q, &r, &err), CUZK_E_IO);
    CHECK(cuzk_rpc_client_code(c) == CUZK_GRPC_UNAVAILABLE);
    CHECK_OK(cuzk_rpc_client_health(c, "", &v, &err), &err);
    CHECK_U64(v, 2);
    CHECK_OK(cuzk_rpc_client_status(c, &s, &err), &err);
    cuzk_rpc_status_free(&s);
    (void)usleep(700000); /* past the second GOAWAY: the call under way still gets its answer */
    CHECK(fake_engine_finish(f.engine, "in-flight", CUZK_JOB_COMPLETED));
    (void)pthread_join(t, &ok);
    CHECK(ok != NULL);
    cuzk_rpc_client_destroy(c);
    cuzk_rpc_server_stop(f.server, 1000);
    fixture_stop(&f);
}

static void stop_keeps_jobs(void)
{
    fixture f;
    pthread_t t;
    void *ok = NULL;
    fixture_start(&f, NULL);
    fake_engine_auto(f.engine, false);
    CHECK(pthread_create(&t, NULL, prove_once, f.tcp) == 0);
    CHECK(fixture_wait(&f, one_waiting));
    cuzk_rpc_server_stop(f.server, 50);
    CHECK_U64(fake_engine_waiting(f.engine), 0);
    CHECK_U64(fake_engine_cancelled(f.engine), 0); /* the caller did not go */
    (void)pthread_join(t, &ok);
    CHECK(ok == NULL);
    fixture_stop(&f);
}

/* Asks for the health until it is told. The server may have said goodbye to the connection meanwhile: that is found out by trying. */
static void ask_health(cuzk_rpc_client *c)
{
    cuzk_err err;
    uint64_t v = 0;
    int tries = 1;
    while (cuzk_rpc_client_health(c, "", &v, &err) != CUZK_OK) {
        CHECK_MSG(cuzk_rpc_client_code(c) == CUZK_GRPC_UNAVAILABLE && tries < 100, "%s", err.msg);
        tries++;
    }
}

static bool no_connection(fixture *f)
{
    cuzk_rpc_stats s;
    cuzk_rpc_server_get_stats(f->server, &s);
    return s.connections_now == 0;
}

static void reconnects(void)
{
    fixture f;
    const cuzk_rpc_server_config config = {.limits = {.idle_ms = 60}};
    fixture_start(&f, &config);
    cuzk_rpc_client *c = fixture_client(f.tcp);
    for (int i = 0; i < 3; i++) {
        ask_health(c);
        CHECK(fixture_wait(&f, no_connection)); /* the server says goodbye to idle connections */
        cuzk_rpc_stats s;
        cuzk_rpc_server_get_stats(f.server, &s);
        CHECK_U64(s.calls_now, 0);
        ask_health(c);
    }
    cuzk_rpc_client_destroy(c);
    fixture_stop(&f);
}

static void wrong_configs(void)
{
    cuzk_rpc_server *s = NULL;
    cuzk_err err = {.code = CUZK_OK};
    cuzk_engine *e = fake_engine_create();
    const cuzk_rpc_listen tls[] = {{.address = "127.0.0.1:0", .tls = true}};
    const cuzk_rpc_listen odd[] = {{.address = "nonsense"}};
    const cuzk_rpc_listen taken[] = {{.address = "127.0.0.1:0"}};
    cuzk_rpc_server_config c = {.engine = e, .listen = tls, .n_listen = 1};
    CHECK_STATUS(cuzk_rpc_server_create(&s, &c, &err), CUZK_E_INVALID);
    CHECK(strstr(err.msg, "certificate") != NULL);
    c.listen = odd;
    CHECK_STATUS(cuzk_rpc_server_create(&s, &c, &err), CUZK_E_INVALID);
    CHECK(strstr(err.msg, "nonsense") != NULL);
    c.listen = taken;
    c.token = "short";
    CHECK_STATUS(cuzk_rpc_server_create(&s, &c, &err), CUZK_E_INVALID);
    c.token = NULL;
    c.limits.receive_budget = 1 << 20;
    CHECK_STATUS(cuzk_rpc_server_create(&s, &c, &err), CUZK_E_INVALID);
    CHECK(strstr(err.msg, "budget") != NULL);
    c.limits.receive_budget = 0;
    CHECK_OK(cuzk_rpc_server_create(&s, &c, &err), &err);
    char address[32];
    (void)snprintf(address, sizeof(address), "127.0.0.1:%u", cuzk_rpc_server_port(s, 0));
    const cuzk_rpc_listen again[] = {{.address = address}};
    cuzk_rpc_server *s2 = NULL;
    c.listen = again;
    CHECK_STATUS(cuzk_rpc_server_create(&s2, &c, &err), CUZK_E_IO);
    CHECK(strstr(err.msg, address) != NULL);
    cuzk_rpc_server_destroy(s);  /* never started */
    for (uint64_t n = 1;; n++) { /* every allocation of create fails in turn */
        c.listen = taken;
        cuzk_alloc_fail_nth(n, false);
        const cuzk_status st = cuzk_rpc_server_create(&s, &c, &err);
        cuzk_alloc_fail_nth(0, false);
        if (st == CUZK_OK) {
            CHECK(n > 2);
            cuzk_rpc_server_destroy(s);
            break;
        }
        CHECK(st == CUZK_E_NOMEM);
    }
    fake_engine_destroy(e);
}

static void stale_socket(void)
{
    fixture f;
    cuzk_err err = {.code = CUZK_OK};
    cuzk_rpc_server *s = NULL;
    fixture_start(&f, NULL);
    const cuzk_rpc_listen listen[] = {{.address = f.unix_address}};
    const cuzk_rpc_server_config c = {.engine = f.engine, .listen = listen, .n_listen = 1};
    CHECK_STATUS(cuzk_rpc_server_create(&s, &c, &err), CUZK_E_IO); /* somebody listens there */
    CHECK(strstr(err.msg, f.unix_path) != NULL);
    char other[300], moved[310];
    (void)snprintf(other, sizeof(other), "%s.left", f.unix_path);
    (void)snprintf(moved, sizeof(moved), "unix:%s", other);
    CHECK(link(f.unix_path, other) == 0 || rename(f.unix_path, other) == 0);
    fixture_stop(&f); /* the listener is gone, the second name is left over */
    f.engine = fake_engine_create();
    const cuzk_rpc_listen left[] = {{.address = moved}};
    const cuzk_rpc_server_config c2 = {.engine = f.engine, .listen = left, .n_listen = 1};
    CHECK_OK(cuzk_rpc_server_create(&s, &c2, &err), &err);
    cuzk_rpc_server_destroy(s);
    fake_engine_destroy(f.engine);
}

static const cuzk_case cases[] = {CASE(methods),        CASE(no_metrics),    CASE(outcomes),
                                  CASE(sizes),          CASE(too_large),     CASE(deadline_cancels),
                                  CASE(client_cancels), CASE(drain),         CASE(stop_keeps_jobs),
                                  CASE(reconnects),     CASE(wrong_configs), CASE(stale_socket)};
TEST_MAIN("rpc/server", cases)
