/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Every method by role, whose jobs are whose, and the files that say who may call. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "rpc/wire/rpc_grpc.h"
#include "rpc/wire/rpc_wire.h"

#include "rpc_fixture.h"
#include "test.h"

#define ENGINE     "/cuzk.v1.ProvingEngine/"
#define AGGREGATOR "/cuzk.aggregate.v1.Aggregator/"

enum { OBSERVE, SUBMIT, ADMINISTER, NO_TOKEN, CALLERS };
static const char *const tokens[CALLERS] = {"observer-secret-1234", "submitter-secret-123",
                                            "administrator-secret", NULL};

typedef struct house {
    cuzk_engine *engine;
    cuzk_rpc_server *server;
    char tcp[64], unix_address[300];
} house;

static void open_house(house *h, const cuzk_rpc_callers *callers, cuzk_rpc_role open)
{
    cuzk_err err;
    memset(h, 0, sizeof(*h));
    (void)snprintf(h->unix_address, sizeof(h->unix_address), "unix://%s/r.sock", test_tmpdir());
    const cuzk_rpc_listen listen[] = {{.address = "127.0.0.1:0", .role = open},
                                      {.address = h->unix_address, .no_token = true}};
    h->engine = fake_engine_create();
    const cuzk_rpc_server_config c = {
        .engine = h->engine, .listen = listen, .n_listen = 2, .tokens = callers};
    CHECK_OK(cuzk_rpc_server_create(&h->server, &c, &err), &err);
    CHECK_OK(cuzk_rpc_server_start(h->server, &err), &err);
    (void)snprintf(h->tcp, sizeof(h->tcp), "127.0.0.1:%u", cuzk_rpc_server_port(h->server, 0));
}

static void close_house(house *h)
{
    cuzk_rpc_server_destroy(h->server);
    fake_engine_destroy(h->engine);
}

static cuzk_rpc_client *caller(const char *address, const char *token)
{
    cuzk_rpc_client *c = NULL;
    cuzk_err err;
    const cuzk_rpc_client_config config = {
        .address = address, .token = token, .timeout_ms = PEER_PATIENCE};
    CHECK_OK(cuzk_rpc_client_create(&c, &config, &err), &err);
    return c;
}

static cuzk_grpc_code call(cuzk_rpc_client *c, const char *method, const void *body, size_t n)
{
    uint8_t *reply = NULL;
    size_t size = 0;
    cuzk_err err = {0};
    const cuzk_bytes part = {body, n};
    if (cuzk_rpc_client_call(c, method, &part, 1, &reply, &size, &err) == CUZK_OK) {
        cuzk_free(reply);
        return CUZK_GRPC_OK;
    }
    return cuzk_rpc_client_code(c);
}

static const cuzk_rpc_callers *three(void)
{
    static const char text[] = "# who may what\n"
                               "watcher observe observer-secret-1234\n"
                               "\n"
                               "  curio   submit  submitter-secret-123  \r\n"
                               "boss\tadminister administrator-secret";
    static cuzk_rpc_callers c;
    cuzk_err err;
    c.n = 0;
    CHECK_OK(cuzk_rpc_callers_parse(&c, "f", text, sizeof(text) - 1, true, &err), &err);
    CHECK_U64(c.n, 3);
    return &c;
}

/* A SubmitProofRequest with this request_id, and the same wrapped for Prove. */
static void job_of(cuzk_wire_writer *submit, cuzk_wire_writer *prove, const char *id)
{
    memset(submit, 0, sizeof(*submit));
    memset(prove, 0, sizeof(*prove));
    cuzk_wire_put_str(submit, 1, id);
    cuzk_wire_put_u64(submit, 2, 1);
    cuzk_wire_put_str(submit, 10, "c1");
    cuzk_wire_put_message(prove, 1, submit->data, submit->len);
    CHECK(!submit->nomem && !prove->nomem);
}

static void every_method_by_role(void)
{
    enum { D = CUZK_GRPC_PERMISSION_DENIED, U = CUZK_GRPC_UNAUTHENTICATED, OK = CUZK_GRPC_OK };
    static const struct {
        const char *method;
        int want[CALLERS]; /* observe, submit, administer, no token; -1: anything but D and U */
    } matrix[] = {
        {ENGINE "SubmitProof", {D, OK, OK, U}},
        {ENGINE "Prove", {D, OK, OK, U}},
        {ENGINE "AwaitProof", {D, -1, -1, U}},
        {ENGINE "CancelProof", {D, -1, -1, U}},
        {ENGINE "GetStatus", {OK, OK, OK, U}},
        {ENGINE "GetMetrics", {-1, -1, -1, U}},
        {ENGINE "PreloadSRS", {D, D, -1, U}},
        {ENGINE "EvictSRS", {D, D, -1, U}},
        {AGGREGATOR "SubmitAggregate", {D, -1, -1, U}},
        {AGGREGATOR "Aggregate", {D, -1, -1, U}},
        {AGGREGATOR "AwaitAggregate", {D, -1, -1, U}},
        {AGGREGATOR "CancelAggregate", {D, -1, -1, U}},
        {AGGREGATOR "GetStatus", {-1, -1, -1, U}},
        {AGGREGATOR "VerifyAggregate", {D, -1, -1, U}},
        {"/grpc.health.v1.Health/Check", {OK, OK, OK, OK}},
        {"/grpc.reflection.v1.ServerReflection/ServerReflectionInfo", {-1, -1, -1, U}},
        {"/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo", {-1, -1, -1, U}},
        {ENGINE "NoSuchMethod",
         {CUZK_GRPC_UNIMPLEMENTED, CUZK_GRPC_UNIMPLEMENTED, CUZK_GRPC_UNIMPLEMENTED, U}},
    };
    house h;
    open_house(&h, three(), CUZK_RPC_NOBODY);
    for (int who = 0; who < CALLERS; who++) {
        cuzk_rpc_client *c = caller(h.tcp, tokens[who]);
        for (size_t i = 0; i < sizeof(matrix) / sizeof(matrix[0]); i++) {
            cuzk_wire_writer submit, prove;
            char id[32];
            (void)snprintf(id, sizeof(id), "job-%d-%zu", who, i);
            job_of(&submit, &prove, id);
            const bool is_prove = i == 1;
            const int got = (int)call(c, matrix[i].method,
                                      i == 0     ? submit.data
                                      : is_prove ? prove.data
                                                 : (const uint8_t *)"",
                                      i == 0     ? submit.len
                                      : is_prove ? prove.len
                                                 : 0);
            const int want = matrix[i].want[who];
            CHECK_MSG(want >= 0 ? got == want : got != D && got != U,
                      "caller %d, %s: code %d, not %d", who, matrix[i].method, got, want);
            cuzk_wire_writer_free(&submit);
            cuzk_wire_writer_free(&prove);
        }
        cuzk_rpc_client_destroy(c);
    }
    /* the owner of a unix socket administers */
    cuzk_rpc_client *c = caller(h.unix_address, NULL);
    const int got = (int)call(c, ENGINE "EvictSRS", "\n\1x", 3);
    CHECK(got != D && got != U);
    cuzk_rpc_client_destroy(c);
    close_house(&h);
}

/* The stream of a health watch is open to everybody, until its caller goes. */
static void health_watch_by_role(void)
{
    house h;
    open_house(&h, three(), CUZK_RPC_NOBODY);
    for (int who = 0; who < CALLERS; who++) {
        cuzk_rpc_client *c = NULL;
        cuzk_err err;
        const cuzk_rpc_client_config config = {
            .address = h.tcp, .token = tokens[who], .timeout_ms = 300};
        CHECK_OK(cuzk_rpc_client_create(&c, &config, &err), &err);
        const int got = (int)call(c, "/grpc.health.v1.Health/Watch", "", 0);
        CHECK_MSG(got == CUZK_GRPC_DEADLINE_EXCEEDED, "caller %d: code %d", who, got);
        cuzk_rpc_client_destroy(c);
    }
    close_house(&h);
}

static void open_addresses_have_a_role(void)
{
    static const struct {
        cuzk_rpc_role role;
        int status, submit, evict;
    } c[] = {{CUZK_RPC_OBSERVE, 0, 7, 7}, {CUZK_RPC_SUBMIT, 0, 0, 7}};
    for (size_t i = 0; i < 2; i++) {
        house h;
        cuzk_wire_writer submit, prove;
        open_house(&h, NULL, c[i].role);
        job_of(&submit, &prove, "j");
        cuzk_rpc_client *x = caller(h.tcp, NULL);
        CHECK_U64(call(x, ENGINE "GetStatus", "", 0), (uint64_t)c[i].status);
        CHECK_U64(call(x, ENGINE "SubmitProof", submit.data, submit.len), (uint64_t)c[i].submit);
        CHECK_U64(call(x, ENGINE "EvictSRS", "", 0), (uint64_t)c[i].evict);
        cuzk_rpc_client_destroy(x);
        cuzk_wire_writer_free(&submit);
        cuzk_wire_writer_free(&prove);
        close_house(&h);
    }
}

/* Jobs of others are as good as not there. */
static void jobs_are_their_owners(void)
{
    static const char text[] = "a submit aaaaaaaaaaaaaaaa\nb submit bbbbbbbbbbbbbbbb\n"
                               "boss administer cccccccccccccccc\n";
    static cuzk_rpc_callers callers;
    cuzk_err err;
    house h;
    callers.n = 0;
    cuzk_wire_writer submit, prove, name = {.data = NULL};
    CHECK_OK(cuzk_rpc_callers_parse(&callers, "f", text, sizeof(text) - 1, true, &err), &err);
    open_house(&h, &callers, CUZK_RPC_NOBODY);
    fake_engine_auto(h.engine, false);
    job_of(&submit, &prove, "mine");
    cuzk_wire_put_str(&name, 1, "mine");
    cuzk_wire_put_u64(&name, 2, 20); /* milliseconds */
    cuzk_rpc_client *a = caller(h.tcp, "aaaaaaaaaaaaaaaa"), *b = caller(h.tcp, "bbbbbbbbbbbbbbbb"),
                    *boss = caller(h.tcp, "cccccccccccccccc");
    CHECK_U64(call(a, ENGINE "SubmitProof", submit.data, submit.len), CUZK_GRPC_OK);
    CHECK_U64(call(b, ENGINE "AwaitProof", name.data, name.len), CUZK_GRPC_NOT_FOUND);
    CHECK_U64(call(b, ENGINE "CancelProof", name.data, name.len), CUZK_GRPC_NOT_FOUND);
    CHECK_U64(call(a, ENGINE "AwaitProof", name.data, name.len), CUZK_GRPC_OK);
    CHECK_U64(call(boss, ENGINE "AwaitProof", name.data, name.len), CUZK_GRPC_OK);
    CHECK_U64(fake_engine_cancelled(h.engine), 0);
    CHECK_U64(call(a, ENGINE "CancelProof", name.data, name.len), CUZK_GRPC_OK);
    CHECK_U64(fake_engine_cancelled(h.engine), 1);
    cuzk_rpc_client_destroy(a);
    cuzk_rpc_client_destroy(b);
    cuzk_rpc_client_destroy(boss);
    cuzk_wire_writer_free(&submit);
    cuzk_wire_writer_free(&prove);
    cuzk_wire_writer_free(&name);
    close_house(&h);
}

static void files_of_callers(void)
{
    static const struct {
        const char *text;
        bool tokens;
        size_t n;
        const char *why; /* NULL: good */
    } c[] = {
        {"0123456789abcdef\n", true, 1, NULL},
        {"a observe 0123456789abcdef # comment", true, 0, "wants NAME"},
        {"# don't \"quote\n a observe 0123456789abcdef", true, 1, NULL},
        {"a observe short", true, 0, "f:1: a secret"},
        {"\na rule 0123456789abcdef", true, 0, "f:2: the role"},
        {"a none 0123456789abcdef", true, 0, "the role"},
        {"a/b observe 0123456789abcdef", true, 0, "a name"},
        {"a observe 0123456789abcdef\na submit 0123456789abcdeg", true, 0, "f:2: the name"},
        {"a observe 0123456789abcdef\nb submit 0123456789abcdef", true, 0, "f:2: the secret"},
        {"", true, 0, "nobody"},
        {"#\n\n", true, 0, "nobody"},
        {"\"Big Miner Ltd\" submit\nops administer", false, 2, NULL},
        {"\"Big Miner submit", false, 0, "quote"},
        {"curio", false, 0, "NAME ROLE"},
    };
    for (size_t i = 0; i < sizeof(c) / sizeof(c[0]); i++) {
        static cuzk_rpc_callers out;
        out.n = 0;
        cuzk_err err = {0};
        const cuzk_status st =
            cuzk_rpc_callers_parse(&out, "f", c[i].text, strlen(c[i].text), c[i].tokens, &err);
        CHECK_MSG((st == CUZK_OK) == (c[i].why == NULL), "%s: %s", c[i].text, err.msg);
        CHECK(c[i].why == NULL || strstr(err.msg, c[i].why) != NULL);
        CHECK(strstr(err.msg, "0123456789abcdef") == NULL); /* a secret is never shown */
        CHECK(c[i].why != NULL || out.n == c[i].n);
    }
    for (size_t round = 0; round < test_iters(2000); round++) {
        char text[200];
        static cuzk_rpc_callers out;
        out.n = 0;
        static const char letters[] = "ab \n\t\"#0 submit observe 0123456789abcdef";
        const size_t n = (size_t)test_below(sizeof(text));
        for (size_t i = 0; i < n; i++) {
            text[i] = letters[test_below(sizeof(letters))]; /* its NUL too */
        }
        cuzk_ignore(cuzk_rpc_callers_parse(&out, "f", text, n, test_below(2) == 0, NULL));
        CHECK(out.n <= CUZK_RPC_MAX_CALLERS);
    }
}

static const cuzk_case cases[] = {CASE(every_method_by_role), CASE(health_watch_by_role),
                                  CASE(open_addresses_have_a_role), CASE(jobs_are_their_owners),
                                  CASE(files_of_callers)};
TEST_MAIN("rpc/roles", cases)
