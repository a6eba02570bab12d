/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The server from outside, byte by byte, on a scripted engine. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "api/answer/page.h"
#include "api/api_peers.h"
#include "api/api_server.h"
#include "api/http_input.h"
#include "base/alloc.h"
#include "base/clock.h"

#include "fake_load.h"
#include "prom_check.h"
#include "test.h"

enum { REPLY_CAP = 1 << 20 };

typedef struct fixture {
    fake_load *load;
    cuzk_api_server *server;
    uint16_t port;
    atomic_int second, fail, drain, sick, calls;
} fixture;

static cuzk_status scripted(void *arg, cuzk_engine_status *out, cuzk_err *err)
{
    fixture *f = arg;
    atomic_fetch_add(&f->calls, 1);
    if (atomic_load(&f->fail)) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "scripted");
    }
    const cuzk_status st = fake_load_status(f->load, atomic_load(&f->second), 1000, out, err);
    if (st == CUZK_OK) {
        out->draining = atomic_load(&f->drain) != 0;
        for (uint32_t i = 0; atomic_load(&f->sick) && i < out->n_devices; i++) {
            out->devices[i].quarantined = true;
        }
    }
    return st;
}

static void start(fixture *f, const cuzk_api_config *more)
{
    cuzk_api_config cfg = *more;
    cuzk_err err = {0};
    memset(f, 0, sizeof(*f));
    f->load = fake_load_new();
    atomic_store(&f->second, 60);
    cfg.listen = cfg.listen != NULL ? cfg.listen : "127.0.0.1:0";
    cfg.get_status = scripted;
    cfg.get_status_arg = f;
    cfg.version = "1.2.3";
    CHECK_OK(cuzk_api_server_create(&f->server, &cfg, &err), &err);
    f->port = cuzk_api_server_port(f->server);
    CHECK(f->port != 0);
}

static void stop(fixture *f)
{
    cuzk_api_server_stop(f->server);
    fake_load_free(f->load);
}

static int dial(uint16_t port)
{
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(port)};
    const struct timeval limit = {.tv_sec = 120};
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    CHECK(fd >= 0);
    CHECK(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)) == 0);
    CHECK(connect(fd, (const struct sockaddr *)&a, sizeof(a)) == 0);
    return fd;
}

/* Sends and reads until the other side closes; the reply is malloc'd. */
static char *talk(uint16_t port, const char *request, size_t n_request)
{
    const int fd = dial(port);
    char *reply = malloc(REPLY_CAP);
    size_t n = 0;
    CHECK(reply != NULL);
    for (size_t sent = 0; sent < n_request;) {
        const ssize_t k = send(fd, request + sent, n_request - sent, MSG_NOSIGNAL);
        if (k <= 0) {
            break; /* refused half-way: the reply says why */
        }
        sent += (size_t)k;
    }
    for (;;) {
        const ssize_t k = recv(fd, reply + n, REPLY_CAP - 1 - n, 0);
        if (k <= 0) {
            break;
        }
        n += (size_t)k;
    }
    reply[n] = '\0';
    (void)close(fd);
    return reply;
}

static char *get_with(uint16_t port, const char *method, const char *path, const char *headers)
{
    char request[2048];
    const int n = snprintf(request, sizeof(request),
                           "%s %s HTTP/1.1\r\n%sConnection: close\r\n\r\n", method, path, headers);
    return talk(port, request, (size_t)n);
}

static char *get(uint16_t port, const char *path)
{
    return get_with(port, "GET", path, "Host: 127.0.0.1\r\n");
}

static int code_of(const char *reply)
{
    CHECK_MSG(strncmp(reply, "HTTP/1.1 ", 9) == 0, "no HTTP reply: %.60s", reply);
    return (int)strtol(reply + 9, NULL, 10);
}

static const char *body_of(const char *reply)
{
    const char *p = strstr(reply, "\r\n\r\n");
    CHECK(p != NULL);
    return p + 4;
}

/* The reply's code, and that it contains text. Frees it. */
static void expect(char *reply, int code, const char *text)
{
    CHECK_MSG(code_of(reply) == code && strstr(reply, text) != NULL, "wanted %d and '%s': %.400s",
              code, text, reply);
    free(reply);
}

static void routes(void)
{
    fixture f;
    start(&f, &(cuzk_api_config){0});
    expect(get(f.port, "/healthz"), 200, "\r\n\r\nok\n");
    expect(get(f.port, "/readyz"), 200,
           "\r\n\r\nready\nGPU 0: porep-32g resident, wpost-32g resident\n");
    expect(get(f.port, "/readyz"), 200, "GPU 2: porep-32g streamed, wpost-32g not possible\n");
    expect(get(f.port, "/"), 200, "Content-Security-Policy: default-src 'none'");
    expect(get(f.port, "/"), 200, "<!doctype html>");
    expect(get(f.port, "/status"), 200, "Content-Type: application/json");
    expect(get(f.port, "/status"), 200, "\"uptime_secs\":60,");
    expect(get(f.port, "/status?whatever=1&x"), 200, "\"uptime_secs\":60,");
    expect(get(f.port, "/status?ended_since_us=5"), 200, "\"uptime_secs\":60,");
    expect(get(f.port, "/status?ended_since_us=-5"), 400, "not an integer");
    expect(get(f.port, "/status?ended_since_us="), 400, "not an integer");
    expect(get(f.port, "/metrics"), 200, "Content-Type: text/plain; version=0.0.4");
    expect(get(f.port, "/history"), 200, "{\"step_secs\":300,\"newest_began_secs_ago\":");
    expect(get(f.port, "/trace"), 404, "not found"); /* nothing is recorded */
    expect(get(f.port, "/nothing"), 404, "not found");
    expect(get(f.port, "/status/"), 404, "not found");
    expect(get(f.port, "/%2e%2e/etc/passwd"), 404, "not found");
    char *reply = get(f.port, "/status");
    CHECK(strstr(reply, "Access-Control") == NULL); /* the original sent "*" */
    free(reply);
    stop(&f);
}

static void trace_of_the_recorder(void)
{
    fixture f;
    cuzk_trace *trace = NULL;
    cuzk_err err = {0};
    CHECK_OK(cuzk_trace_create(&trace, 64, &err), &err);
    const cuzk_trace_ctx ctx = {trace, 0};
    cuzk_span_end(ctx, cuzk_span_begin(ctx, "a_span_of_this_test", NULL), 0);
    start(&f, &(cuzk_api_config){.trace = trace});
    expect(get(f.port, "/trace"), 200, "\"a_span_of_this_test\"");
    expect(get(f.port, "/trace"), 200, "\"traceEvents\"");
    expect(get(f.port, "/trace?format=perfetto"), 200, "\"traceEvents\"");
    expect(get(f.port, "/trace?format=json"), 200, "\"cuzk-trace\"");
    expect(get(f.port, "/trace?format=xml"), 400, "json or perfetto");
    stop(&f);
    cuzk_trace_destroy(trace);
}

static void metrics_are_well_formed(void)
{
    fixture f;
    start(&f, &(cuzk_api_config){0});
    char *a = get(f.port, "/metrics");
    prom_text ta = prom_parse(body_of(a));
    atomic_store(&f.second, 90);
    (void)usleep(60000); /* an answer is kept for 50 ms */
    expect(get(f.port, "/nothing"), 404, "");
    char *b = get(f.port, "/metrics");
    prom_text tb = prom_parse(body_of(b));
    prom_check_monotonic(&ta, &tb);
    CHECK(prom_value(&tb, "cuzk_uptime_seconds", "") == 90);
    CHECK(prom_value(&tb, "cuzk_http_requests_total", "path=\"/metrics\"") >= 1);
    CHECK(prom_value(&tb, "cuzk_http_refused_total", "") == 1);
    prom_free(&ta);
    prom_free(&tb);
    free(a);
    free(b);
    stop(&f);
}

static void methods(void)
{
    fixture f;
    start(&f, &(cuzk_api_config){0});
    char *reply = get_with(f.port, "HEAD", "/status", "Host: localhost\r\n");
    CHECK_U64(code_of(reply), 200);
    CHECK_STR(body_of(reply), "");
    CHECK(strstr(reply, "Content-Length: ") != NULL && strstr(reply, "Content-Length: 0") == NULL);
    free(reply);
    static const char *const others[] = {"POST",  "PUT",  "DELETE", "OPTIONS",
                                         "TRACE", "BREW", "get"};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        expect(get_with(f.port, others[i], "/status", "Host: localhost\r\n"), 405,
               "Allow: GET, HEAD");
    }
    expect(get_with(f.port, "GET", "/status", "Host: localhost\r\nContent-Length: 99999999\r\n"),
           413, "no request here has a body");
    expect(get_with(f.port, "GET", "/status", "Host: localhost\r\nTransfer-Encoding: chunked\r\n"),
           413, "no request here has a body");
    stop(&f);
}

/* A page of another site whose name was made to mean 127.0.0.1 sends that name. */
static void other_hosts_are_refused_on_loopback(void)
{
    fixture f;
    start(&f, &(cuzk_api_config){.listen = "localhost:0"});
    expect(get_with(f.port, "GET", "/status", "Host: evil.example\r\n"), 421, "loopback");
    expect(get_with(f.port, "GET", "/status", "Host: 127.0.0.1.evil.example:80\r\n"), 421,
           "loopback");
    expect(get_with(f.port, "GET", "/status", "Host: localhost:9821\r\n"), 200, "uptime");
    expect(get_with(f.port, "GET", "/status", "Host: LOCALHOST\r\n"), 200, "uptime");
    expect(get_with(f.port, "GET", "/status", "Host: [::1]:9821\r\n"), 200, "uptime");
    stop(&f);
    start(&f, &(cuzk_api_config){.listen = "0.0.0.0:0", .allow_origin = "https://ops.example"});
    expect(get_with(f.port, "GET", "/status", "Host: prover-7\r\n"), 200,
           "Access-Control-Allow-Origin: https://ops.example\r\n");
    stop(&f);
}

static void ready_says_why_not(void)
{
    fixture f;
    start(&f, &(cuzk_api_config){0});
    atomic_store(&f.drain, 1);
    expect(get(f.port, "/readyz"), 503, "draining");
    expect(get(f.port, "/healthz"), 200, "ok");
    atomic_store(&f.drain, 0);
    atomic_store(&f.sick, 1);
    expect(get(f.port, "/readyz"), 503, "no usable device");
    atomic_store(&f.sick, 0);
    expect(get(f.port, "/readyz"), 200, "ready");
    atomic_store(&f.fail, 1);
    expect(get(f.port, "/readyz"), 503, "Retry-After: 1");
    expect(get(f.port, "/status"), 503, "no status");
    expect(get(f.port, "/metrics"), 503, "no status");
    expect(get(f.port, "/healthz"), 200, "ok");
    stop(&f);
}

/* Many pollers cost the engine twenty snapshots a second, not one each. */
static void pollers_share_snapshots(void)
{
    fixture f;
    enum { N = 40 };
    start(&f, &(cuzk_api_config){0});
    const uint64_t begin = cuzk_clock_ns();
    for (int i = 0; i < N; i++) {
        expect(get(f.port, "/status"), 200, "uptime");
    }
    const uint64_t took_ms = (cuzk_clock_ns() - begin) / 1000000;
    CHECK_MSG((uint64_t)atomic_load(&f.calls) <= took_ms / 50 + 1, "%d snapshots in %" PRIu64 " ms",
              atomic_load(&f.calls), took_ms);
    stop(&f);
}

static void big_requests_are_refused(void)
{
    fixture f;
    enum { BIG = 256 * 1024 };
    char *request = malloc(BIG);
    CHECK(request != NULL);
    start(&f, &(cuzk_api_config){0});
    memset(request, 'a', BIG);
    const int n = snprintf(request, BIG, "GET /status HTTP/1.1\r\nHost: localhost\r\nX: ");
    request[n] = 'a';
    char *reply = talk(f.port, request, BIG);
    CHECK_MSG(reply[0] == '\0' || code_of(reply) == 431 || code_of(reply) == 413, "%.60s", reply);
    free(reply);
    memset(request, 'a', BIG);
    memcpy(request, "GET /", 5);
    reply = talk(f.port, request, BIG);
    CHECK_MSG(reply[0] == '\0' || code_of(reply) == 414 || code_of(reply) == 431, "%.60s", reply);
    free(reply);
    expect(get(f.port, "/healthz"), 200, "ok");
    free(request);
    stop(&f);
}

/* Nanoseconds of an answer while clients are silent in the middle of a request. They are hung up on after two seconds. */
static uint64_t answer_beside_slow_clients(void)
{
    fixture f;
    enum { N = 20 };
    int slow[N];
    start(&f, &(cuzk_api_config){.max_connections = 32, .idle_timeout_sec = 2});
    for (int i = 0; i < N; i++) {
        slow[i] = dial(f.port);
        const char *half =
            i % 2 ? "GET /status HTTP/1.1\r\nHo" : "GET /status HTTP/1.1\r\nHost: a\r\n";
        CHECK(send(slow[i], half, strlen(half), MSG_NOSIGNAL) > 0);
    }
    const uint64_t begin = cuzk_clock_ns();
    expect(get(f.port, "/status"), 200, "uptime");
    const uint64_t took = cuzk_clock_ns() - begin;
    char c; /* the silent ones are hung up on */
    CHECK(recv(slow[0], &c, 1, 0) <= 0);
    for (int i = 0; i < N; i++) {
        (void)close(slow[i]);
    }
    stop(&f);
    return took;
}

/* Half a request, and no reading of the answer: neither keeps others waiting. On a busy machine, one of some tries shows it. */
static void slow_clients_hold_nobody_up(void)
{
    int tries = 1;
    while (answer_beside_slow_clients() >= 2000000000u) {
        CHECK_MSG(tries < 10, "the answer waits for the slow clients");
        tries++;
    }
}

static void connections_are_bounded(void)
{
    fixture f;
    enum { LIMIT = 8 };
    int held[LIMIT];
    start(&f, &(cuzk_api_config){.max_connections = LIMIT, .idle_timeout_sec = 30});
    for (int i = 0; i < LIMIT; i++) {
        held[i] = dial(f.port);
        static const char ask[] = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
        char got[512];
        CHECK(send(held[i], ask, sizeof(ask) - 1, MSG_NOSIGNAL) > 0);
        CHECK(recv(held[i], got, sizeof(got), 0) > 0);
    }
    /* one more is answered, and the one that is idle for longest was closed for it */
    expect(get(f.port, "/healthz"), 200, "ok");
    char got[64];
    CHECK(recv(held[0], got, sizeof(got), 0) <= 0);
    static const char again[] = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
    CHECK(send(held[LIMIT - 1], again, sizeof(again) - 1, MSG_NOSIGNAL) > 0);
    CHECK(recv(held[LIMIT - 1], got, sizeof(got), 0) > 0);
    for (int i = 0; i < LIMIT; i++) {
        (void)close(held[i]);
    }
    for (int tries = 0;; tries++) { /* and room again when they are gone */
        char *reply = get(f.port, "/healthz");
        const bool ok = strncmp(reply, "HTTP/1.1 200", 12) == 0;
        free(reply);
        if (ok) {
            break;
        }
        CHECK(tries < 3000);
        (void)usleep(20000);
    }
    stop(&f);
}

/* A byte now and then: no silence, but the header must be whole in time. */
static void dripping_headers_hold_nobody_up(void)
{
    fixture f;
    enum { LIMIT = 8, N = 20 };
    int slow[N];
    static const char begin[] = "GET /status HTTP/1.1\r\nHost: localhost\r\nX-A: ";
    start(&f, &(cuzk_api_config){.max_connections = LIMIT, .idle_timeout_sec = 30});
    for (int i = 0; i < N; i++) {
        slow[i] = dial(f.port);
        CHECK(send(slow[i], begin, sizeof(begin) - 1, MSG_NOSIGNAL) > 0);
    }
    const uint64_t start_ns = cuzk_clock_ns();
    unsigned beside = 0; /* answers that came while a slow client was there */
    int open = N;
    while (open > 0 && cuzk_clock_ns() - start_ns < 120000000000u) {
        expect(get(f.port, "/healthz"), 200, "ok");
        for (int i = 0; i < N; i++) {
            if (slow[i] >= 0 && send(slow[i], "a", 1, MSG_NOSIGNAL) <= 0) {
                (void)close(slow[i]);
                slow[i] = -1;
                open--;
            }
        }
        beside += open > 0 ? 1 : 0;
        (void)usleep(300000);
    }
    CHECK_MSG(open == 0, "%d are still open", open);
    CHECK_MSG(beside >= 2, "%u answers while slow clients were there", beside);
    stop(&f);
}

enum { LARGE_BODY = 6 << 20 };

static cuzk_status large_metrics(void *arg, char **text, size_t *n, cuzk_err *err)
{
    (void)arg;
    *n = LARGE_BODY;
    *text = cuzk_alloc(*n, 1);
    if (*text == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory");
    }
    memset(*text, '#', *n);
    return CUZK_OK;
}

static int code_at(uint16_t port, const char *path)
{
    char *reply = get(port, path);
    const int code = atoi(reply + 9);
    free(reply);
    return code;
}

/* Nanoseconds until large answers that nobody takes have made room for another one. */
static uint64_t time_to_make_room(void)
{
    fixture f;
    enum { MOST = 40 };
    int held[MOST], n = 0;
    static const char ask[] = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n";
    start(&f, &(cuzk_api_config){.get_metrics = large_metrics});
    const uint64_t begin = cuzk_clock_ns();
    while (code_at(f.port, "/metrics") == 200) {
        CHECK(n < MOST);
        held[n] = dial(f.port);
        CHECK(send(held[n++], ask, sizeof(ask) - 1, MSG_NOSIGNAL) > 0);
        (void)usleep(60000); /* a later answer has a body of its own */
    }
    CHECK_U64((uint64_t)code_at(f.port, "/readyz"), 200); /* tiny ones are always made */
    while (code_at(f.port, "/metrics") != 200) {
        (void)usleep(100000);
    }
    const uint64_t took = cuzk_clock_ns() - begin;
    while (n > 0) {
        (void)close(held[--n]);
    }
    stop(&f);
    return took;
}

/* Large answers that nobody takes: others are refused for a moment, not until those time out. On a busy machine, one of some tries shows
 * it. */
static void unread_answers_make_room(void)
{
    int tries = 1;
    while (time_to_make_room() >= CUZK_API_ANSWER_MS * UINT64_C(1000000)) {
        CHECK_MSG(tries < 5, "others are refused until the answers time out");
        tries++;
    }
}

static void hosts_and_forms_of_a_target(void)
{
    fixture f;
    start(&f, &(cuzk_api_config){0});
    static const struct {
        const char *target, *headers;
        int code;
    } c[] = {
        {"/healthz", "Host: localhost\r\nHost: localhost\r\n", 400},
        {"/healthz", "Host: localhost\r\nhost: evil.example\r\n", 400},
        {"http://localhost/healthz", "Host: localhost\r\n", 200},
        {"HTTP://127.0.0.1:9821/healthz", "Host: evil.example\r\n", 200},
        {"http://evil.example/healthz", "Host: localhost\r\n", 421},
        {"http://localhost", "Host: localhost\r\n", 200},
        {"http://localhost/nothing", "Host: localhost\r\n", 404},
        {"https://localhost/healthz", "Host: localhost\r\n", 404},
    };
    for (size_t i = 0; i < sizeof(c) / sizeof(c[0]); i++) {
        char *reply = get_with(f.port, "GET", c[i].target, c[i].headers);
        CHECK_MSG(atoi(reply + 9) == c[i].code, "%s %s: %.60s", c[i].target, c[i].headers, reply);
        free(reply);
    }
    stop(&f);
}

static const char *not_ready(void *arg)
{
    return *(bool *)arg ? "not ready: scripted\n" : NULL;
}

static bool allow(void *arg, const char *authorization)
{
    (void)arg;
    return authorization != NULL && strcmp(authorization, "Bearer good") == 0;
}

static void readiness_and_roles_are_asked(void)
{
    fixture f;
    bool full = true;
    start(&f, &(cuzk_api_config){.get_ready = not_ready, .get_ready_arg = &full, .allow = allow});
    static const char *const closed[] = {"/",        "/status", "/metrics",
                                         "/history", "/trace",  "/nothing"};
    expect(get(f.port, "/readyz"), 503, "scripted");
    full = false;
    expect(get(f.port, "/readyz"), 200, "ready");
    expect(get(f.port, "/healthz"), 200, "ok");
    for (size_t i = 0; i < 5; i++) {
        char *ok =
            get_with(f.port, "GET", closed[i], "Host: localhost\r\nAuthorization: Bearer good\r\n");
        expect(get(f.port, closed[i]), 401, "WWW-Authenticate: Bearer");
        expect(
            get_with(f.port, "GET", closed[i], "Host: localhost\r\nAuthorization: Bearer bad\r\n"),
            401, "token");
        CHECK(strncmp(ok, "HTTP/1.1 401", 12) != 0);
        free(ok);
    }
    stop(&f);
}

static void stop_with_open_connections(void)
{
    fixture f;
    start(&f, &(cuzk_api_config){0});
    const uint64_t blocks = cuzk_alloc_get_stats().blocks_now;
    const int a = dial(f.port), b = dial(f.port);
    CHECK(send(a, "GET /sta", 8, MSG_NOSIGNAL) == 8);
    static const char ask[] = "GET /status HTTP/1.1\r\nHost: localhost\r\n\r\n";
    CHECK(send(b, ask, sizeof(ask) - 1, MSG_NOSIGNAL) > 0);
    char got[256];
    CHECK(recv(b, got, sizeof(got), 0) > 0);
    stop(&f);
    CHECK_U64(cuzk_alloc_get_stats().blocks_now, blocks - 1); /* the server itself */
    (void)close(a);
    (void)close(b);
}

static void bad_configs(void)
{
    static const char *const bad[] = {"",        "127.0.0.1", "127.0.0.1:",   "127.0.0.1:65536",
                                      "[::1:80", "a b:1",     "127.0.0.1:1x", "[127.0.0.1]:80",
                                      "host:-1", "65536",     "::1:80"};
    cuzk_api_server *s = NULL;
    cuzk_err err = {0};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        const cuzk_api_config cfg = {.listen = bad[i]};
        const cuzk_status st = cuzk_api_server_create(&s, &cfg, &err);
        CHECK_MSG(st == CUZK_E_INVALID && s == NULL, "'%s' gave %d", bad[i], (int)st);
        CHECK(strstr(err.msg, bad[i]) != NULL);
    }
    CHECK_STATUS(cuzk_api_server_create(&s, &(cuzk_api_config){0}, NULL), CUZK_E_INVALID);
    CHECK_STATUS(cuzk_api_server_create(&s, &(cuzk_api_config){.listen = "192.0.2.1:0"}, &err),
                 CUZK_E_IO);
    CHECK(strstr(err.msg, "192.0.2.1:0") != NULL);
    CHECK_STATUS(
        cuzk_api_server_create(
            &s, &(cuzk_api_config){.listen = ":0", .allow_origin = "x\r\nSet-Cookie: y"}, &err),
        CUZK_E_INVALID);
    fixture f;
    start(&f, &(cuzk_api_config){0});
    char taken[32];
    (void)snprintf(taken, sizeof(taken), "127.0.0.1:%u", (unsigned)f.port);
    CHECK_STATUS(cuzk_api_server_create(&s, &(cuzk_api_config){.listen = taken}, &err), CUZK_E_IO);
    CHECK(strstr(err.msg, taken) != NULL);
    stop(&f);
}

static void addresses(void)
{
    cuzk_host_port hp;
    uint64_t v = 0;
    CHECK(cuzk_host_port_parse(&hp, "9821", true) && hp.port == 9821 && hp.host[0] == '\0');
    CHECK(cuzk_host_port_parse(&hp, ":9821", false) && hp.port == 9821 && hp.host[0] == '\0');
    CHECK(cuzk_host_port_parse(&hp, "[::1]:0", true) && hp.has_port && strcmp(hp.host, "::1") == 0);
    CHECK(cuzk_host_port_parse(&hp, "[::1]", true) && !hp.has_port);
    CHECK(cuzk_host_port_parse(&hp, "a-b_c.d:65535", false) && hp.port == 65535);
    CHECK(!cuzk_host_port_parse(&hp, "[fe80::1%eth0]:1", false));
    CHECK(cuzk_host_is_literal("10.1.2.3:80") && !cuzk_host_is_literal("a") &&
          !cuzk_host_is_literal(""));
    CHECK(cuzk_query_u64("18446744073709551615", &v) && v == UINT64_MAX);
    CHECK(!cuzk_query_u64("18446744073709551616", &v) && !cuzk_query_u64("", &v) &&
          !cuzk_query_u64("1 ", &v) && !cuzk_query_u64("+1", &v));
}

static void policy_needs_one_of_each(void)
{
    char csp[CUZK_PAGE_CSP_BYTES];
    static const unsigned char good[] = "<style>a</style><script>b</script>";
    static const unsigned char two[] = "<style>a</style><script>b</script><script>c</script>";
    static const unsigned char open[] = "<style>a</style><script>b";
    CHECK(cuzk_page_csp(csp, good, sizeof(good) - 1));
    /* printf a | sha256sum | xxd -r -p | base64, and b */
    CHECK(strstr(csp, "style-src 'sha256-ypeBEsobvcr6wjGzmiPcTaeG7/gUfE5yuYB3ha/uSLs='") != NULL);
    CHECK(strstr(csp, "script-src 'sha256-PiPoFgA5WUoziU9lZOGxNIu9egCI1CxKy3PurtWcAJ0='") != NULL);
    CHECK(!cuzk_page_csp(csp, two, sizeof(two) - 1));
    CHECK(!cuzk_page_csp(csp, open, sizeof(open) - 1));
    CHECK(!cuzk_page_csp(csp, good, 0));
}

static const cuzk_case cases[] = {CASE(routes),
                                  CASE(trace_of_the_recorder),
                                  CASE(metrics_are_well_formed),
                                  CASE(methods),
                                  CASE(other_hosts_are_refused_on_loopback),
                                  CASE(ready_says_why_not),
                                  CASE(pollers_share_snapshots),
                                  CASE(big_requests_are_refused),
                                  CASE(slow_clients_hold_nobody_up),
                                  CASE(connections_are_bounded),
                                  CASE(dripping_headers_hold_nobody_up),
                                  CASE(unread_answers_make_room),
                                  CASE(hosts_and_forms_of_a_target),
                                  CASE(readiness_and_roles_are_asked),
                                  CASE(stop_with_open_connections),
                                  CASE(bad_configs),
                                  CASE(addresses),
                                  CASE(policy_needs_one_of_each)};
TEST_MAIN("api/server", cases)
