/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "api/api_server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <microhttpd.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "api/answer/metrics_text.h"
#include "api/answer/page.h"
#include "api/answer/ready_text.h"
#include "api/answer/status_json.h"
#include "api/answer/text_buf.h"
#include "api/api_peers.h"
#include "api/history/history.h"
#include "api/http_input.h"
#include "api/http_request.h"
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
/* Of answers that are not taken yet. The last part is for those that are not large; tiny ones are always made. */
#define BODY_BYTES_MAX    ((uint64_t)32 << 20)
#define BODY_BYTES_LARGE  ((uint64_t)28 << 20)
#define BODY_LARGE        ((size_t)1 << 20)
#define BODY_TINY         ((size_t)4 << 10)
#define REAP_MS           500
#define VERSION_BYTES     64
#define ORIGIN_BYTES      256
/* Between looks for the history. */
#define LOOK_NS           (UINT64_C(10) * 1000000000u)

typedef enum route {
    ROUTE_PAGE,
    ROUTE_METRICS,
    ROUTE_STATUS,
    ROUTE_HEALTHZ,
    ROUTE_READYZ,
    ROUTE_TRACE,
    ROUTE_HISTORY,
    ROUTE_OTHER,
    N_ROUTES
} route;
static const char *const route_path[N_ROUTES] = {"/",       "/metrics", "/status",  "/healthz",
                                                 "/readyz", "/trace",   "/history", "other"};

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
    cuzk_api_fleet_fn get_fleet; /* NULL: no fleet */
    void *get_fleet_arg;
    cuzk_api_ready_fn get_ready; /* NULL: always */
    void *get_ready_arg;
    cuzk_api_allow_fn allow; /* NULL: everybody */
    void *allow_arg;
    pthread_t thread;
    int wake_fd;
    bool has_thread;
    atomic_bool stop;
    /* Of the server's one thread: */
    cuzk_api_peers peers;
    uint64_t body_bytes; /* of answers that are kept or on their way */
    answer status, metrics;
    cuzk_history *history; /* own_history, or who made the server keeps one */
    cuzk_history own_history;
    cuzk_api_history_fn on_history; /* NULL: nobody keeps it */
    void *on_history_arg;
    uint64_t looked_ns;                   /* for the history */
    uint64_t answered[N_ROUTES], refused; /* 200 (and readyz's 503), and everything else */
};

typedef struct sent_body {
    cuzk_api_server *server;
    size_t n;
    char *data;
} sent_body;

static void free_body(void *p)
{
    sent_body *b = p;
    b->server->body_bytes -= b->n;
    cuzk_free(b->data);
    cuzk_free(b);
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

/* There is memory for one more answer of n bytes. Else who does not take an answer loses it soon. */
static bool has_room(cuzk_api_server *s, size_t n)
{
    const uint64_t max = n > BODY_LARGE ? BODY_BYTES_LARGE : BODY_BYTES_MAX;
    if (n <= BODY_TINY || s->body_bytes + n <= max) {
        return true;
    }
    cuzk_api_peers_hurry(&s->peers, cuzk_clock_ns());
    return false;
}

/* data [n] is this module's and taken in any case. NULL: no memory. */
static struct MHD_Response *own_response(cuzk_api_server *s, char *data, size_t n, const char *type)
{
    sent_body *b = has_room(s, n) ? cuzk_alloc(1, sizeof(*b)) : NULL;
    if (b == NULL) {
        cuzk_free(data);
        return NULL;
    }
    *b = (sent_body){.server = s, .n = n, .data = data};
    s->body_bytes += n;
    struct MHD_Response *r =
        MHD_create_response_from_buffer_with_free_callback_cls(n, data, free_body, b);
    if (r == NULL) {
        free_body(b);
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
    if (ok && code == MHD_HTTP_UNAUTHORIZED) {
        ok = add_header(r, MHD_HTTP_HEADER_WWW_AUTHENTICATE, "Bearer");
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
                     "cuzk_http_refused_total %" PRIu64 "\n"
                     "# HELP cuzk_http_connections HTTP connections that are open.\n"
                     "# TYPE cuzk_http_connections gauge\n"
                     "cuzk_http_connections %u\n"
                     "# HELP cuzk_http_closed_total HTTP connections closed for want of speed or "
                     "room.\n"
                     "# TYPE cuzk_http_closed_total counter\n"
                     "cuzk_http_closed_total %" PRIu64 "\n",
                     s->refused, s->peers.n, s->peers.closed);
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
static struct MHD_Response *make_metrics(cuzk_api_server *s)
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

/* The status with one key more; as it is when there is no fleet, or no memory for it. */
static void add_fleet(cuzk_api_server *s, char **text, size_t *n)
{
    char *fleet = NULL, *joined = NULL;
    size_t n_fleet = 0, n_joined = 0;
    cuzk_text_buf b = {0};
    if (s->get_fleet == NULL || *n == 0 ||
        s->get_fleet(s->get_fleet_arg, &fleet, &n_fleet, NULL) != CUZK_OK) {
        return;
    }
    cuzk_text_put(&b, *text, *n - 1); /* but for the last brace */
    cuzk_text_printf(&b, ",\"fleet\":");
    cuzk_text_put(&b, fleet, n_fleet);
    cuzk_text_put(&b, "}", 1);
    cuzk_free(fleet);
    if (cuzk_text_finish(&b, &joined, &n_joined, NULL) == CUZK_OK) {
        cuzk_free(*text);
        *text = joined;
        *n = n_joined;
    }
}

/* NULL: no memory. */
static struct MHD_Response *make_status(cuzk_api_server *s, uint64_t ended_since_us)
{
    cuzk_engine_status es;
    char *text = NULL;
    size_t n = 0;
    if (s->get_status(s->get_status_arg, &es, NULL) != CUZK_OK) {
        return NULL;
    }
    const cuzk_status st = cuzk_status_json(&text, &n, &es, s->version, ended_since_us, NULL);
    cuzk_engine_status_free(&es);
    if (st == CUZK_OK) {
        add_fleet(s, &text, &n);
    }
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
        return refuse(s, c, MHD_HTTP_SERVICE_UNAVAILABLE,
                      "no status now: too many answers are not taken, or out of memory\n");
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
    cuzk_text_buf text = {.p = NULL};
    cuzk_ready_text(&text, &es);
    cuzk_engine_status_free(&es);
    char *body = NULL;
    size_t n = 0;
    const cuzk_status st = cuzk_text_finish(&text, &body, &n, NULL);
    s->answered[ROUTE_READYZ]++;
    const char *why = draining               ? "not ready: draining\n"
                      : usable == 0          ? "not ready: no usable device\n"
                      : st != CUZK_OK        ? "not ready: out of memory\n"
                      : s->get_ready != NULL ? s->get_ready(s->get_ready_arg)
                                             : NULL;
    if (why != NULL) {
        cuzk_free(body);
        return send_text(s, c, MHD_HTTP_SERVICE_UNAVAILABLE, why);
    }
    return send_response(c, MHD_HTTP_OK, own_response(s, body, n, "text/plain; charset=utf-8"));
}

/* Adds a sample to the history. Adds nothing when there is no memory for a status. */
static void look(cuzk_api_server *s)
{
    cuzk_engine_status es;
    cuzk_history_look l;
    s->looked_ns = cuzk_clock_ns();
    if (s->get_status(s->get_status_arg, &es, NULL) != CUZK_OK) {
        return;
    }
    cuzk_history_look_at(&l, &es);
    cuzk_engine_status_free(&es);
    l.now_ns = s->looked_ns;
    const uint64_t step = s->history->step;
    cuzk_history_take(s->history, &l);
    if (s->on_history != NULL && s->history->step != step) {
        s->on_history(s->on_history_arg, s->history, s->looked_ns);
    }
}

static enum MHD_Result send_history(cuzk_api_server *s, struct MHD_Connection *c)
{
    char *text = NULL;
    size_t n = 0;
    look(s);
    struct MHD_Response *r = cuzk_history_json(&text, &n, s->history, s->looked_ns, NULL) == CUZK_OK
                                 ? own_response(s, text, n, "application/json")
                                 : NULL;
    if (r == NULL) {
        return refuse(s, c, MHD_HTTP_SERVICE_UNAVAILABLE,
                      "no history now: too many answers are not taken, or out of memory\n");
    }
    s->answered[ROUTE_HISTORY]++;
    return send_response(c, MHD_HTTP_OK, r);
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
    const char *format = MHD_lookup_connection_value(c, MHD_GET_ARGUMENT_KIND, "format");
    const bool is_plain = format != NULL && strcmp(format, "json") == 0;
    if (format != NULL && !is_plain && strcmp(format, "perfetto") != 0) {
        return refuse(s, c, MHD_HTTP_BAD_REQUEST, "format: json or perfetto\n");
    }
    if (info.begun - info.dropped > TRACE_MAX_SPANS) {
        return refuse(s, c, MHD_HTTP_SERVICE_UNAVAILABLE, "too many spans to answer at once\n");
    }
    cuzk_jsonw w;
    const char *text = NULL;
    char *text_copy = NULL;
    size_t n = 0;
    cuzk_jsonw_init(&w, false);
    if ((is_plain ? cuzk_trace_write_json(&w, s->trace, NULL)
                  : cuzk_trace_write_perfetto(&w, s->trace, NULL)) == CUZK_OK &&
        cuzk_jsonw_finish(&w, &text, &n, NULL) == CUZK_OK) {
        text_copy = cuzk_alloc(n + 1, 1);
        if (text_copy != NULL) {
            memcpy(text_copy, text, n + 1);
        }
    }
    cuzk_jsonw_free(&w);
    struct MHD_Response *r =
        text_copy != NULL ? own_response(s, text_copy, n, "application/json") : NULL;
    if (r == NULL) {
        return refuse(s, c, MHD_HTTP_SERVICE_UNAVAILABLE,
                      "no trace now: too many answers are not taken, or out of memory\n");
    }
    s->answered[ROUTE_TRACE]++;
    return send_response(c, MHD_HTTP_OK, r);
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
    case ROUTE_HISTORY: return send_history(s, c);
    case ROUTE_TRACE:
        if (s->trace != NULL) {
            return send_trace(s, c);
        }
        break;
    case ROUTE_OTHER:
    case N_ROUTES: break;
    }
    return refuse(s, c, MHD_HTTP_NOT_FOUND,
                  "not found; there are / /status /metrics /history /trace /healthz /readyz\n");
}

static bool needs_no_role(route at)
{
    return at == ROUTE_HEALTHZ || at == ROUTE_READYZ;
}

static enum MHD_Result answer_request(cuzk_api_server *s, struct MHD_Connection *c, const char *url)
{
    char host[CUZK_HOST_MAX];
    const char *path = NULL;
    if (!cuzk_http_target(&path, host, c, url)) {
        return refuse(s, c, MHD_HTTP_BAD_REQUEST, "more than one Host, or one that is too long\n");
    }
    if (s->loopback && host[0] != '\0' && !cuzk_host_is_literal(host)) {
        return refuse(s, c, MHD_HTTP_MISDIRECTED_REQUEST,
                      "on a loopback address, only localhost and IP addresses are served\n");
    }
    if (s->allow != NULL && !needs_no_role(find_route(path)) &&
        !s->allow(s->allow_arg,
                  MHD_lookup_connection_value(c, MHD_HEADER_KIND, MHD_HTTP_HEADER_AUTHORIZATION))) {
        return refuse(s, c, MHD_HTTP_UNAUTHORIZED,
                      "a bearer token with the role observe or administer is needed\n");
    }
    return dispatch(s, c, path);
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
        cuzk_api_peer_asked(c);
        if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0) {
            return refuse(s, c, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET and HEAD\n");
        }
        if (cuzk_http_has_odd_name(c)) {
            return refuse(s, c, MHD_HTTP_BAD_REQUEST,
                          "a header has a name that HTTP does not allow\n");
        }
        if (cuzk_http_has_body(c)) {
            return refuse(s, c, MHD_HTTP_CONTENT_TOO_LARGE, "no request here has a body\n");
        }
        return MHD_YES;
    }
    if (*upload_size != 0) { /* cuzk_http_has_body: refused above */
        return MHD_NO;
    }
    return answer_request(s, c, url);
}

static void on_answered(void *arg, struct MHD_Connection *c, void **seen,
                        enum MHD_RequestTerminationCode code)
{
    (void)arg;
    (void)seen;
    (void)code;
    cuzk_api_peer_done(c);
}

/* The server's one thread. */
static void *run(void *arg)
{
    cuzk_api_server *s = arg;
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(s->daemon, MHD_DAEMON_INFO_EPOLL_FD);
    struct pollfd p[2] = {{.fd = info != NULL ? info->epoll_fd : -1, .events = POLLIN},
                          {.fd = s->wake_fd, .events = POLLIN}};
    uint64_t reaped_ns = 0;
    while (!atomic_load(&s->stop)) {
        MHD_UNSIGNED_LONG_LONG ms = REAP_MS;
        if (MHD_get_timeout(s->daemon, &ms) != MHD_YES || ms > REAP_MS) {
            ms = REAP_MS;
        }
        (void)poll(p, 2, (int)ms);
        (void)MHD_run(s->daemon);
        const uint64_t now = cuzk_clock_ns();
        if (now - reaped_ns >= REAP_MS * UINT64_C(1000000)) {
            reaped_ns = now;
            cuzk_api_peers_reap(&s->peers, now);
        }
        if (now - s->looked_ns >= LOOK_NS) {
            look(s);
        }
    }
    look(s);
    if (s->on_history != NULL) {
        s->on_history(s->on_history_arg, s->history, s->looked_ns);
    }
    return NULL;
}

static cuzk_status start_thread(cuzk_api_server *s, cuzk_err *err)
{
    s->wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    s->has_thread = s->wake_fd >= 0 && pthread_create(&s->thread, NULL, run, s) == 0;
    return s->has_thread ? CUZK_OK
                         : CUZK_FAIL(err, CUZK_E_IO, "cannot start a thread for the HTTP server");
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
    s->get_fleet = cfg->get_fleet;
    s->get_fleet_arg = cfg->get_fleet_arg;
    s->get_ready = cfg->get_ready;
    s->get_ready_arg = cfg->get_ready_arg;
    s->allow = cfg->allow;
    s->allow_arg = cfg->allow_arg;
    s->wake_fd = -1;
    s->trace = cfg->trace;
    s->on_history = cfg->history != NULL ? cfg->on_history : NULL;
    s->on_history_arg = cfg->on_history_arg;
    s->history = cfg->history != NULL ? cfg->history : &s->own_history;
    s->looked_ns = cuzk_clock_ns();
    if (cfg->history == NULL) {
        cuzk_history_init(s->history, s->looked_ns);
    }
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
    s->peers.max = cfg->max_connections != 0 ? cfg->max_connections : 64u;
    /* MHD stops accepting at its own limit: there is always a place for one that is let in while the
     * one that makes room is being closed */
    s->daemon = MHD_start_daemon(
        MHD_USE_EPOLL, 0, NULL, NULL, on_request, s, MHD_OPTION_LISTEN_SOCKET, (MHD_socket)fd,
        MHD_OPTION_CONNECTION_LIMIT, 2 * s->peers.max + 16u, MHD_OPTION_CONNECTION_TIMEOUT,
        cfg->idle_timeout_sec != 0 ? cfg->idle_timeout_sec : 15u,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, CONNECTION_MEMORY, MHD_OPTION_NOTIFY_CONNECTION,
        cuzk_api_peers_notify, &s->peers, MHD_OPTION_NOTIFY_COMPLETED, on_answered, s,
        MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
    if (s->daemon == NULL) {
        st = CUZK_FAIL(err, CUZK_E_IO, "cannot start the HTTP server on %s", cfg->listen);
        goto out;
    }
    fd = -1; /* the daemon's */
    CUZK_TRY_GOTO(st, start_thread(s, err));
    *out = s;
    return CUZK_OK;
out:
    if (fd >= 0) {
        (void)close(fd);
    }
    cuzk_api_server_stop(s);
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
    if (s->has_thread) {
        const uint64_t one = 1;
        atomic_store(&s->stop, true);
        const ssize_t k = write(s->wake_fd, &one, sizeof(one));
        (void)k; /* it looks twice a second in any case */
        (void)pthread_join(s->thread, NULL);
    }
    drop_answer(&s->status);
    drop_answer(&s->metrics);
    if (s->daemon != NULL) {
        MHD_stop_daemon(s->daemon); /* closes the socket, too */
    }
    if (s->wake_fd >= 0) {
        (void)close(s->wake_fd);
    }
    cuzk_free(s);
}
