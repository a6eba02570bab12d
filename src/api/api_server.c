/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "api/api_server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <microhttpd.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "api/http_input.h"
#include "api/metrics_text.h"
#include "api/page.h"
#include "api/status_json.h"
#include "api/text_buf.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "sys/tcp_listen.h"
#include "trace/trace_read.h"

/* Of one connection: request line and headers; MHD answers 431 or 414 beyond. */
#define CONNECTION_MEMORY ((size_t)32 * 1024)
/* Pollers share an answer for so long. */
#define SNAPSHOT_NS       50000000u
/* About 16 MB of JSON, and a tenth of a second in which nothing else is answered. */
#define TRACE_MAX_SPANS   65536u
#define VERSION_BYTES     64
#define ORIGIN_BYTES      256

typedef enum route {
    ROUTE_PAGE,
    ROUTE_METRICS,
    ROUTE_STATUS,
    ROUTE_HEALTHZ,
    ROUTE_READYZ,
    ROUTE_TRACE,
    ROUTE_OTHER,
    N_ROUTES
} route;
static const char *const route_path[N_ROUTES] = {"/",       "/metrics", "/status", "/healthz",
                                                 "/readyz", "/trace",   "other"};

typedef struct answer {
    struct MHD_Response *response;
    uint64_t until_ns;
} answer;

struct cuzk_api_server {
    struct MHD_Daemon *daemon;
    cuzk_engine *engine;
    cuzk_api_status_fn get_status;
    void *get_status_arg;
    cuzk_api_metrics_fn get_metrics; /* NULL: of the status */
    void *get_metrics_arg;
    const cuzk_trace *trace;
    bool loopback;
    uint16_t port;
    char version[VERSION_BYTES], allow_origin[ORIGIN_BYTES], csp[CUZK_PAGE_CSP_BYTES];
    /* Of the server's one thread: */
    answer status, metrics;
    uint64_t answered[N_ROUTES], refused; /* 200 (and readyz's 503), and everything else */
};

static void free_body(void *p)
{
    cuzk_free(p);
}

static bool add_header(struct MHD_Response *r, const char *name, const char *value)
{
    return MHD_add_response_header(r, name, value) == MHD_YES;
}

static bool add_common_headers(const cuzk_api_server *s, struct MHD_Response *r, const char *type)
{
    return add_header(r, MHD_HTTP_HEADER_CONTENT_TYPE, type) &&
           add_header(r, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store") &&
           add_header(r, "X-Content-Type-Options", "nosniff") &&
           add_header(r, "Referrer-Policy", "no-referrer") &&
           (s->allow_origin[0] == '\0' ||
            add_header(r, MHD_HTTP_HEADER_ACCESS_CONTROL_ALLOW_ORIGIN, s->allow_origin));
}

/* body is this module's and taken in any case. NULL: no memory. */
static struct MHD_Response *own_response(const cuzk_api_server *s, char *body, size_t n,
                                         const char *type)
{
    struct MHD_Response *r = MHD_create_response_from_buffer_with_free_callback(n, body, free_body);
    if (r == NULL) {
        cuzk_free(body);
        return NULL;
    }
    if (!add_common_headers(s, r, type)) {
        MHD_destroy_response(r);
        return NULL;
    }
    return r;
}

static struct MHD_Response *static_response(const cuzk_api_server *s, const void *body, size_t n,
                                            const char *type)
{
    /* MHD's parameter lacks const; PERSISTENT means that it only reads. */
    union {
        const void *in;
        void *out;
    } bytes = {body};
    struct MHD_Response *r = MHD_create_response_from_buffer(n, bytes.out, MHD_RESPMEM_PERSISTENT);
    if (r != NULL && !add_common_headers(s, r, type)) {
        MHD_destroy_response(r);
        return NULL;
    }
    return r;
}

/* Queues and gives up r; MHD_NO (r NULL: no memory) closes the connection. */
static enum MHD_Result send_response(struct MHD_Connection *c, unsigned code,
                                     struct MHD_Response *r)
{
    if (r == NULL) {
        return MHD_NO;
    }
    const enum MHD_Result done = MHD_queue_response(c, code, r);
    MHD_destroy_response(r);
    return done;
}

/* text: a literal. */
static enum MHD_Result send_text(const cuzk_api_server *s, struct MHD_Connection *c, unsigned code,
                                 const char *text)
{
    struct MHD_Response *r = static_response(s, text, strlen(text), "text/plain; charset=utf-8");
    bool ok = r != NULL;
    if (ok && code == MHD_HTTP_METHOD_NOT_ALLOWED) {
        ok = add_header(r, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
    }
    if (ok && code == MHD_HTTP_CONTENT_TOO_LARGE) {
        ok = add_header(r, MHD_HTTP_HEADER_CONNECTION, "close"); /* the body is not read */
    }
    if (ok && code == MHD_HTTP_SERVICE_UNAVAILABLE) {
        ok = add_header(r, MHD_HTTP_HEADER_RETRY_AFTER, "1");
    }
    if (!ok && r != NULL) {
        MHD_destroy_response(r);
        r = NULL;
    }
    return send_response(c, code, r);
}

static enum MHD_Result refuse(cuzk_api_server *s, struct MHD_Connection *c, unsigned code,
                              const char *text)
{
    s->refused++;
    return send_text(s, c, code, text);
}

static cuzk_status engine_status(void *arg, cuzk_engine_status *out, cuzk_err *err)
{
    return cuzk_engine_get_status((cuzk_engine *)arg, out, err);
}

static void put_own_metrics(const cuzk_api_server *s, cuzk_text_buf *b)
{
    cuzk_text_printf(b, "# HELP cuzk_http_requests_total HTTP requests answered.\n"
                        "# TYPE cuzk_http_requests_total counter\n");
    for (int i = 0; i < ROUTE_OTHER; i++) {
        cuzk_text_printf(b, "cuzk_http_requests_total{path=\"%s\"} %" PRIu64 "\n", route_path[i],
                         s->answered[i]);
    }
    cuzk_text_printf(b,
                     "# HELP cuzk_http_refused_total HTTP requests answered with an error.\n"
                     "# TYPE cuzk_http_refused_total counter\n"
                     "cuzk_http_refused_total %" PRIu64 "\n",
                     s->refused);
}

static cuzk_status engine_metrics(const cuzk_api_server *s, char **text, size_t *n)
{
    cuzk_engine_status es;
    CUZK_TRY(s->get_status(s->get_status_arg, &es, NULL));
    const cuzk_status st = cuzk_metrics_text(text, n, &es, s->version, NULL);
    cuzk_engine_status_free(&es);
    return st;
}

/* NULL: no memory. */
static struct MHD_Response *make_metrics(const cuzk_api_server *s)
{
    cuzk_text_buf b = {0};
    char *text = NULL;
    size_t n = 0;
    const cuzk_status st = s->get_metrics != NULL
                               ? s->get_metrics(s->get_metrics_arg, &text, &n, NULL)
                               : engine_metrics(s, &text, &n);
    if (st != CUZK_OK) {
        return NULL;
    }
    cuzk_text_put(&b, text, n);
    cuzk_free(text);
    put_own_metrics(s, &b);
    if (cuzk_text_finish(&b, &text, &n, NULL) != CUZK_OK) {
        return NULL;
    }
    return own_response(s, text, n, CUZK_METRICS_CONTENT_TYPE);
}

/* NULL: no memory. */
static struct MHD_Response *make_status(const cuzk_api_server *s, uint64_t ended_since_us)
{
    cuzk_engine_status es;
    char *text = NULL;
    size_t n = 0;
    if (s->get_status(s->get_status_arg, &es, NULL) != CUZK_OK) {
        return NULL;
    }
    const cuzk_status st = cuzk_status_json(&text, &n, &es, s->version, ended_since_us, NULL);
    cuzk_engine_status_free(&es);
    return st == CUZK_OK ? own_response(s, text, n, "application/json") : NULL;
}

static void drop_answer(answer *a)
{
    if (a->response != NULL) {
        MHD_destroy_response(a->response);
        a->response = NULL;
    }
}

/* What has to be made afresh from the engine's status; the default forms are kept a moment. */
static enum MHD_Result send_snapshot(cuzk_api_server *s, struct MHD_Connection *c, route at,
                                     uint64_t ended_since_us)
{
    answer *kept = at == ROUTE_METRICS ? &s->metrics : &s->status;
    const bool keep = at == ROUTE_METRICS || ended_since_us == 0;
    if (keep && kept->response != NULL && cuzk_clock_ns() < kept->until_ns) {
        s->answered[at]++;
        return MHD_queue_response(c, MHD_HTTP_OK, kept->response);
    }
    struct MHD_Response *r = at == ROUTE_METRICS ? make_metrics(s) : make_status(s, ended_since_us);
    if (r == NULL) {
        return refuse(s, c, MHD_HTTP_SERVICE_UNAVAILABLE, "no status: out of memory\n");
    }
    s->answered[at]++;
    if (!keep) {
        return send_response(c, MHD_HTTP_OK, r);
    }
    drop_answer(kept);
    kept->response = r;
    kept->until_ns = cuzk_clock_ns() + SNAPSHOT_NS;
    return MHD_queue_response(c, MHD_HTTP_OK, r);
}

static enum MHD_Result send_ready(cuzk_api_server *s, struct MHD_Connection *c)
{
    cuzk_engine_status es;
    if (s->get_status(s->get_status_arg, &es, NULL) != CUZK_OK) {
        return refuse(s, c, MHD_HTTP_SERVICE_UNAVAILABLE, "not ready: out of memory\n");
    }
    uint32_t usable = 0;
    for (uint32_t i = 0; i < es.n_devices; i++) {
        usable += es.devices[i].quarantined ? 0 : 1;
    }
    const bool draining = es.draining;
    cuzk_engine_status_free(&es);
    s->answered[ROUTE_READYZ]++;
    if (draining) {
        return send_text(s, c, MHD_HTTP_SERVICE_UNAVAILABLE, "not ready: draining\n");
    }
    if (usable == 0) {
        return send_text(s, c, MHD_HTTP_SERVICE_UNAVAILABLE, "not ready: no usable device\n");
    }
    return send_text(s, c, MHD_HTTP_OK, "ready\n");
}

static enum MHD_Result send_page(cuzk_api_server *s, struct MHD_Connection *c)
{
    struct MHD_Response *r =
        static_response(s, cuzk_page_html, cuzk_page_html_size, "text/html; charset=utf-8");
    if (r != NULL && !add_header(r, "Content-Security-Policy", s->csp)) {
        MHD_destroy_response(r);
        r = NULL;
    }
    s->answered[ROUTE_PAGE]++;
    return send_response(c, MHD_HTTP_OK, r);
}

static enum MHD_Result send_trace(cuzk_api_server *s, struct MHD_Connection *c)
{
    const cuzk_trace_info info = cuzk_trace_get_info(s->trace);
    if (info.begun - info.dropped > TRACE_MAX_SPANS) {
        return refuse(s, c, MHD_HTTP_SERVICE_UNAVAILABLE, "too many spans to answer at once\n");
    }
    cuzk_jsonw w;
    const char *text = NULL;
    char *body = NULL;
    size_t n = 0;
    cuzk_jsonw_init(&w, false);
    if (cuzk_trace_write_perfetto(&w, s->trace, NULL) == CUZK_OK &&
        cuzk_jsonw_finish(&w, &text, &n, NULL) == CUZK_OK) {
        body = cuzk_alloc(n + 1, 1);
        if (body != NULL) {
            memcpy(body, text, n + 1);
        }
    }
    cuzk_jsonw_free(&w);
    struct MHD_Response *r = body != NULL ? own_response(s, body, n, "application/json") : NULL;
    if (r == NULL) {
        return refuse(s, c, MHD_HTTP_SERVICE_UNAVAILABLE, "out of memory\n");
    }
    s->answered[ROUTE_TRACE]++;
    return send_response(c, MHD_HTTP_OK, r);
}

static bool has_body(struct MHD_Connection *c)
{
    const char *n = MHD_lookup_connection_value(c, MHD_HEADER_KIND, MHD_HTTP_HEADER_CONTENT_LENGTH);
    return (n != NULL && strcmp(n, "0") != 0) ||
           MHD_lookup_connection_value(c, MHD_HEADER_KIND, MHD_HTTP_HEADER_TRANSFER_ENCODING) !=
               NULL;
}

static route find_route(const char *path)
{
    for (int i = 0; i < ROUTE_OTHER; i++) {
        if (strcmp(path, route_path[i]) == 0) {
            return (route)i;
        }
    }
    return ROUTE_OTHER;
}

static enum MHD_Result dispatch(cuzk_api_server *s, struct MHD_Connection *c, const char *url)
{
    uint64_t ended_since_us = 0;
    switch (find_route(url)) {
    case ROUTE_PAGE: return send_page(s, c);
    case ROUTE_METRICS: return send_snapshot(s, c, ROUTE_METRICS, 0);
    case ROUTE_STATUS: {
        const char *q = MHD_lookup_connection_value(c, MHD_GET_ARGUMENT_KIND, "ended_since_us");
        if (q != NULL && !cuzk_query_u64(q, &ended_since_us)) {
            return refuse(s, c, MHD_HTTP_BAD_REQUEST, "ended_since_us: not an integer\n");
        }
        return send_snapshot(s, c, ROUTE_STATUS, ended_since_us);
    }
    case ROUTE_HEALTHZ: s->answered[ROUTE_HEALTHZ]++; return send_text(s, c, MHD_HTTP_OK, "ok\n");
    case ROUTE_READYZ: return send_ready(s, c);
    case ROUTE_TRACE:
        if (s->trace != NULL) {
            return send_trace(s, c);
        }
        break;
    case ROUTE_OTHER:
    case N_ROUTES: break;
    }
    return refuse(s, c, MHD_HTTP_NOT_FOUND,
                  "not found; there are / /status /metrics /trace /healthz /readyz\n");
}

/* Called with the headers first (*seen NULL), then once more when the request is complete. */
static enum MHD_Result on_request(void *arg, struct MHD_Connection *c, const char *url,
                                  const char *method, const char *http_version, const char *upload,
                                  size_t *upload_size, void **seen)
{
    cuzk_api_server *s = arg;
    (void)http_version;
    (void)upload;
    if (*seen == NULL) {
        *seen = s;
        if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0) {
            return refuse(s, c, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET and HEAD\n");
        }
        if (has_body(c)) {
            return refuse(s, c, MHD_HTTP_CONTENT_TOO_LARGE, "no request here has a body\n");
        }
        return MHD_YES;
    }
    if (*upload_size != 0) { /* has_body refuses these */
        return MHD_NO;
    }
    if (s->loopback) {
        const char *host = MHD_lookup_connection_value(c, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST);
        if (host != NULL && !cuzk_host_is_literal(host)) {
            return refuse(s, c, MHD_HTTP_MISDIRECTED_REQUEST,
                          "on a loopback address, only localhost and IP addresses are served\n");
        }
    }
    return dispatch(s, c, url);
}

static bool is_loopback(const struct sockaddr_storage *a)
{
    if (a->ss_family == AF_INET) {
        struct sockaddr_in v4;
        memcpy(&v4, a, sizeof(v4));
        return (ntohl(v4.sin_addr.s_addr) >> 24) == 127;
    }
    struct sockaddr_in6 v6;
    memcpy(&v6, a, sizeof(v6));
    return IN6_IS_ADDR_LOOPBACK(&v6.sin6_addr) != 0;
}

/* Port of the bound socket, and whether it can be reached from this machine only. */
static cuzk_status look_at_socket(cuzk_api_server *s, int fd, cuzk_err *err)
{
    struct sockaddr_storage a;
    socklen_t n = sizeof(a);
    memset(&a, 0, sizeof(a));
    if (getsockname(fd, (struct sockaddr *)&a, &n) != 0) {
        return CUZK_FAIL_OS(err, CUZK_E_IO, errno, "getsockname: %s", strerror(errno));
    }
    /* the port is at the same place in both */
    struct sockaddr_in v4;
    memcpy(&v4, &a, sizeof(v4));
    s->port = ntohs(v4.sin_port);
    s->loopback = is_loopback(&a);
    return CUZK_OK;
}

static cuzk_status open_socket(int *out, const char *listen_text, cuzk_err *err)
{
    cuzk_host_port hp;
    char port[8];
    struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    struct addrinfo *list = NULL;
    if (listen_text == NULL || !cuzk_host_port_parse(&hp, listen_text, true) || !hp.has_port) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "'%s' is not an address and port to listen on",
                         listen_text != NULL ? listen_text : "");
    }
    (void)snprintf(port, sizeof(port), "%u", (unsigned)hp.port);
    hints.ai_flags = AI_NUMERICSERV;
    const int rc = getaddrinfo(hp.host[0] != '\0' ? hp.host : "127.0.0.1", port, &hints, &list);
    if (rc != 0) {
        return CUZK_FAIL(err, CUZK_E_IO, "%s: %s", listen_text, gai_strerror(rc));
    }
    const int fd = cuzk_tcp_listen(list, 64), os = errno;
    freeaddrinfo(list);
    if (fd < 0) {
        return CUZK_FAIL_OS(err, CUZK_E_IO, os, "cannot listen on %s: %s", listen_text,
                            strerror(os));
    }
    *out = fd;
    return CUZK_OK;
}

cuzk_status cuzk_api_server_create(cuzk_api_server **out, const cuzk_api_config *cfg, cuzk_err *err)
{
    int fd = -1;
    cuzk_status st = CUZK_OK;
    *out = NULL;
    cuzk_api_server *s = cuzk_alloc_zero(1, sizeof(*s));
    if (s == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for the HTTP server");
    }
    s->get_status = cfg->get_status != NULL ? cfg->get_status : engine_status;
    s->get_status_arg = cfg->get_status != NULL ? cfg->get_status_arg : cfg->engine;
    s->get_metrics = cfg->get_metrics;
    s->get_metrics_arg = cfg->get_metrics_arg;
    s->trace = cfg->trace;
    (void)snprintf(s->version, sizeof(s->version), "%s",
                   cfg->version != NULL ? cfg->version : "unknown");
    if (cfg->allow_origin != NULL) {
        if (strlen(cfg->allow_origin) >= sizeof(s->allow_origin) ||
            strpbrk(cfg->allow_origin, "\r\n") != NULL) {
            st = CUZK_FAIL(err, CUZK_E_INVALID, "allow_origin is not an origin");
            goto out;
        }
        (void)snprintf(s->allow_origin, sizeof(s->allow_origin), "%s", cfg->allow_origin);
    }
    if (!cuzk_page_csp(s->csp, cuzk_page_html, cuzk_page_html_size)) {
        st = CUZK_FAIL(err, CUZK_E_SELFTEST, "the page lacks its style or script");
        goto out;
    }
    CUZK_TRY_GOTO(st, open_socket(&fd, cfg->listen, err));
    CUZK_TRY_GOTO(st, look_at_socket(s, fd, err));
    s->daemon = MHD_start_daemon(
        MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_ITC, 0, NULL, NULL, on_request, s,
        MHD_OPTION_LISTEN_SOCKET, (MHD_socket)fd, MHD_OPTION_CONNECTION_LIMIT,
        cfg->max_connections != 0 ? cfg->max_connections : 64u, MHD_OPTION_CONNECTION_TIMEOUT,
        cfg->idle_timeout_sec != 0 ? cfg->idle_timeout_sec : 15u,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, CONNECTION_MEMORY, MHD_OPTION_END);
    if (s->daemon == NULL) {
        st = CUZK_FAIL(err, CUZK_E_IO, "cannot start the HTTP server on %s", cfg->listen);
        goto out;
    }
    *out = s;
    return CUZK_OK;
out:
    if (fd >= 0) {
        (void)close(fd);
    }
    cuzk_free(s);
    return st;
}

uint16_t cuzk_api_server_port(const cuzk_api_server *s)
{
    return s->port;
}

void cuzk_api_server_stop(cuzk_api_server *s)
{
    if (s == NULL) {
        return;
    }
    MHD_stop_daemon(s->daemon); /* closes the socket, too */
    drop_answer(&s->status);
    drop_answer(&s->metrics);
    cuzk_free(s);
}
