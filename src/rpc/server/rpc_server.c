/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "rpc/server/rpc_server.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "rpc/server/rpc_internal.h"
#include "rpc/wire/rpc_address.h"
#include "rpc/wire/rpc_tls.h"

#define ENGINE     "/cuzk.v1.ProvingEngine/"
#define AGGREGATOR "/cuzk.aggregate.v1.Aggregator/"
#define FLEET      "/cuzk.fleet.v1.Inputs/"
#define SMALL      ((size_t)64 << 10) /* requests that hold one name */
#define CLAIM      ((size_t)32 << 20) /* an aggregate and its sectors, also with the proofs of all */

static const rpc_method methods[] = {
    {ENGINE "SubmitProof", RPC_SUBMIT, false, CUZK_RPC_MAY_SUBMIT, true, rpc_engine_submit, 0},
    {ENGINE "Prove", RPC_SUBMIT, false, CUZK_RPC_MAY_SUBMIT, true, rpc_engine_prove, 0},
    {ENGINE "AwaitProof", RPC_QUERY, false, CUZK_RPC_MAY_SUBMIT, false, rpc_engine_await, SMALL},
    {ENGINE "CancelProof", RPC_QUERY, false, CUZK_RPC_MAY_SUBMIT, false, rpc_engine_cancel, SMALL},
    {ENGINE "GetStatus", RPC_QUERY, false, CUZK_RPC_MAY_OBSERVE, false, rpc_engine_status, SMALL},
    {ENGINE "GetMetrics", RPC_QUERY, false, CUZK_RPC_MAY_OBSERVE, false, rpc_engine_metrics, SMALL},
    {ENGINE "PreloadSRS", RPC_SLOW, false, CUZK_RPC_MAY_ADMINISTER, false, rpc_engine_preload,
     SMALL},
    {ENGINE "EvictSRS", RPC_SLOW, false, CUZK_RPC_MAY_ADMINISTER, false, rpc_engine_evict, SMALL},
    {AGGREGATOR "SubmitAggregate", RPC_SUBMIT, false, CUZK_RPC_MAY_SUBMIT, true,
     rpc_aggregate_submit, 0},
    {AGGREGATOR "Aggregate", RPC_SUBMIT, false, CUZK_RPC_MAY_SUBMIT, true, rpc_aggregate_make, 0},
    {AGGREGATOR "AwaitAggregate", RPC_QUERY, false, CUZK_RPC_MAY_SUBMIT, false, rpc_engine_await,
     SMALL},
    {AGGREGATOR "CancelAggregate", RPC_QUERY, false, CUZK_RPC_MAY_SUBMIT, false, rpc_engine_cancel,
     SMALL},
    {AGGREGATOR "GetStatus", RPC_QUERY, false, CUZK_RPC_MAY_OBSERVE, false, rpc_aggregate_status,
     SMALL},
    {AGGREGATOR "VerifyAggregate", RPC_VERIFY, false, CUZK_RPC_MAY_SUBMIT, false,
     rpc_aggregate_verify, CLAIM},
    {FLEET "Read", RPC_QUERY, false, CUZK_RPC_MAY_ADMINISTER, false, rpc_fleet_read, SMALL},
    {"/grpc.health.v1.Health/Check", RPC_INLINE, true, 0, false, rpc_health_check, SMALL},
    {"/grpc.health.v1.Health/Watch", RPC_STREAM, true, 0, false, rpc_health_watch, SMALL},
    {"/grpc.reflection.v1.ServerReflection/ServerReflectionInfo", RPC_STREAM, false,
     CUZK_RPC_MAY_OBSERVE, false, rpc_reflection, SMALL},
    {"/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo", RPC_STREAM, false,
     CUZK_RPC_MAY_OBSERVE, false, rpc_reflection, SMALL}};

const rpc_method *rpc_method_find(const char *path)
{
    for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
        if (strcmp(methods[i].path, path) == 0) {
            return &methods[i];
        }
    }
    return NULL;
}

void rpc_log(const cuzk_rpc_server *s, int level, const char *event, const char *const *kv)
{
    if (s->log != NULL) {
        s->log(s->log_arg, level, event, kv);
    }
}

/* ---- create ---- */

static cuzk_status set_limits(cuzk_rpc_limits *l, cuzk_err *err)
{
    l->max_message = l->max_message == 0 ? CUZK_RPC_MAX_MESSAGE : l->max_message;
    l->receive_budget = l->receive_budget == 0 ? UINT64_C(1) << 30 : l->receive_budget;
    l->answer_budget = l->answer_budget == 0 ? UINT64_C(64) << 20 : l->answer_budget;
    l->stash_budget = l->stash_budget == 0 ? UINT64_C(64) << 20 : l->stash_budget;
    l->max_calls = l->max_calls == 0 ? 16384 : l->max_calls;
    l->max_connections = l->max_connections == 0 ? 4096 : l->max_connections;
    l->max_streams = l->max_streams == 0 ? 256 : l->max_streams;
    l->max_header_bytes = l->max_header_bytes == 0 ? 16u << 10 : l->max_header_bytes;
    l->preface_ms = l->preface_ms == 0 ? 10000 : l->preface_ms;
    l->idle_ms = l->idle_ms == 0 ? 30u * 60000u : l->idle_ms;
    l->ping_ms = l->ping_ms == 0 ? 30000 : l->ping_ms;
    l->ping_timeout_ms = l->ping_timeout_ms == 0 ? 20000 : l->ping_timeout_ms;
    l->stall_ms = l->stall_ms == 0 ? 60000 : l->stall_ms;
    l->submit_threads = l->submit_threads == 0 ? 4 : l->submit_threads;
    if (l->max_message > (size_t)1 << 30) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "max_message of %zu bytes: at most 1 GiB",
                         l->max_message);
    }
    if (cuzk_rpc_budget_largest(l->receive_budget) < l->max_message) {
        return CUZK_FAIL(err, CUZK_E_INVALID,
                         "receive budget of %llu bytes does not hold a message of %zu (an eighth "
                         "is kept for small ones)",
                         (unsigned long long)l->receive_budget, l->max_message);
    }
    return CUZK_OK;
}

static bool read_identity(const char *path, uint64_t *device, uint64_t *inode)
{
    struct stat st;
    if (path[0] == '\0' || lstat(path, &st) != 0) {
        return false;
    }
    *device = (uint64_t)st.st_dev;
    *inode = (uint64_t)st.st_ino;
    return true;
}

/* The socket's name, unless somebody has put another file or socket in its place. */
static void remove_socket(const rpc_listener *l)
{
    uint64_t device = 0, inode = 0;
    if (l->is_unix && read_identity(l->path, &device, &inode) && device == l->device &&
        inode == l->inode) {
        (void)unlink(l->path);
    }
}

static cuzk_status add_listener(cuzk_rpc_server *s, const cuzk_rpc_listen *l, int unix_mode,
                                cuzk_err *err)
{
    cuzk_rpc_address a;
    rpc_listener *out = &s->listeners[s->n_listeners];
    CUZK_TRY(cuzk_rpc_address_parse(&a, l->address, err));
    out->tls = l->tls || a.tls;
    out->is_unix = a.is_unix;
    out->role = l->role == CUZK_RPC_NOBODY ? CUZK_RPC_ADMINISTER : l->role;
    out->need_token = s->secrets->tokens != NULL && !l->no_token;
    if (out->tls && s->secrets->tls == NULL) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "%s: TLS needs a certificate and a key", l->address);
    }
    memcpy(out->path, a.path, sizeof(out->path));
    CUZK_TRY(cuzk_rpc_address_listen(&out->fd, &a, unix_mode, err));
    (void)read_identity(out->path, &out->device, &out->inode);
    s->n_listeners++;
    return CUZK_OK;
}

static void init_locks(cuzk_rpc_server *s)
{
    pthread_condattr_t attr;
    (void)pthread_condattr_init(&attr);
    (void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    (void)pthread_mutex_init(&s->answers_mu, NULL);
    (void)pthread_mutex_init(&s->tickets_mu, NULL);
    (void)pthread_mutex_init(&s->secrets_mu, NULL);
    (void)pthread_cond_init(&s->tickets_cv, &attr);
    (void)pthread_condattr_destroy(&attr);
}

cuzk_status rpc_server_init(cuzk_rpc_server **out, const cuzk_rpc_server_config *config,
                            cuzk_err *err)
{
    cuzk_rpc_server *s = cuzk_alloc_zero(1, sizeof(*s));
    cuzk_status st;
    if (s == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "out of memory for a server");
    }
    init_locks(s);
    s->engine = config->engine;
    s->lim = config->limits;
    s->metrics = config->metrics;
    s->metrics_arg = config->metrics_arg;
    s->input_part = config->input_part;
    s->input_part_arg = config->input_part_arg;
    s->not_ready = config->not_ready;
    s->not_ready_arg = config->not_ready_arg;
    s->log = config->log;
    s->log_arg = config->log_arg;
    s->answers_tail = &s->answers;
    s->epoll_fd = s->event_fd = -1;
    struct epoll_event e = {.events = EPOLLIN, .data.ptr = s};
    CUZK_TRY_GOTO(st, rpc_lane_init(&s->query, err));
    CUZK_TRY_GOTO(st, rpc_lane_init(&s->submit, err));
    CUZK_TRY_GOTO(st, rpc_lane_init(&s->slow, err));
    CUZK_TRY_GOTO(st, rpc_lane_init(&s->verify, err));
    CUZK_TRY_GOTO(st, set_limits(&s->lim, err));
    s->budget.total = s->lim.receive_budget;
    s->budget.max_message = s->lim.max_message;
    s->scratch = cuzk_alloc(2, RPC_SCRATCH);
    if (s->scratch == NULL) {
        st = CUZK_FAIL(err, CUZK_E_NOMEM, "out of memory for a server");
        goto out;
    }
    CUZK_TRY_GOTO(st, rpc_stream_init(s, err));
    s->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    s->event_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (s->epoll_fd < 0 || s->event_fd < 0 ||
        epoll_ctl(s->epoll_fd, EPOLL_CTL_ADD, s->event_fd, &e) != 0) {
        st = CUZK_FAIL_OS(err, CUZK_E_IO, errno, "cannot create an event loop");
        goto out;
    }
    CUZK_TRY_GOTO(st, cuzk_rpc_secrets_read(&s->secrets, config->tls_cert, config->tls_key,
                                            config->tls_client_ca, config->token, config->tokens,
                                            config->certs, err));
    *out = s;
    return CUZK_OK;
out:
    cuzk_rpc_server_destroy(s);
    return st;
}

cuzk_status cuzk_rpc_server_create(cuzk_rpc_server **out, const cuzk_rpc_server_config *config,
                                   cuzk_err *err)
{
    cuzk_rpc_server *s = NULL;
    cuzk_status st;
    CUZK_TRY(rpc_server_init(&s, config, err));
    s->listeners = cuzk_alloc_zero(config->n_listen, sizeof(*s->listeners));
    if (s->listeners == NULL) {
        st = CUZK_FAIL(err, CUZK_E_NOMEM, "out of memory for a server");
        goto out;
    }
    for (size_t i = 0; i < config->n_listen; i++) {
        CUZK_TRY_GOTO(st, add_listener(s, &config->listen[i], config->unix_mode, err));
    }
    *out = s;
    return CUZK_OK;
out:
    cuzk_rpc_server_destroy(s);
    return st;
}

uint16_t cuzk_rpc_server_port(const cuzk_rpc_server *s, size_t i)
{
    return i < s->n_listeners ? cuzk_rpc_socket_port(s->listeners[i].fd) : 0;
}

/* ---- the I/O thread ---- */

static void watch_listeners(cuzk_rpc_server *s, bool on)
{
    for (size_t i = 0; i < s->n_listeners; i++) {
        struct epoll_event e = {.events = EPOLLIN, .data.ptr = &s->listeners[i]};
        (void)epoll_ctl(s->epoll_fd, on ? EPOLL_CTL_ADD : EPOLL_CTL_DEL, s->listeners[i].fd, &e);
    }
}

static void accept_one(cuzk_rpc_server *s, const rpc_listener *l, int fd)
{
    const int one = 1;
    struct epoll_event e = {.events = EPOLLIN};
    if (!rpc_room_conn(s, l->is_unix)) {
        const uint64_t n = atomic_fetch_add(&s->refused_conns, 1);
        if ((n & (n + 1)) == 0) { /* powers of two only: a flood must not fill the log */
            rpc_log(s, CUZK_LOG_WARN, "rpc.too_many_connections", NULL);
        }
        (void)close(fd);
        return;
    }
    if (!l->is_unix) {
        (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    }
    rpc_conn *c = rpc_conn_create(s, fd, l->tls, l->need_token);
    if (c == NULL) {
        (void)close(fd);
        return;
    }
    rpc_secrets_peer(c, l);
    if (l->is_unix) {
        rpc_room_know(c, c->name);
    }
    e.data.ptr = c;
    if (epoll_ctl(s->epoll_fd, EPOLL_CTL_ADD, fd, &e) != 0) {
        rpc_conn_kill(c, "epoll_ctl failed");
        return;
    }
    rpc_conn_flush(c);
}

static void accept_all(cuzk_rpc_server *s, const rpc_listener *l)
{
    for (int i = 0; i < 64; i++) {
        const int fd = accept4(l->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd >= 0) {
            accept_one(s, l, fd);
        } else if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS) {
            const uint64_t n = s->n_no_descriptor++;
            if ((n & (n + 1)) == 0) { /* powers of two only, as above */
                rpc_log(s, CUZK_LOG_WARN, "rpc.out_of_descriptors", NULL);
            }
            if (rpc_room_evict_idle(s)) {
                continue;
            }
            /* epoll would report it again and again: pause until some have closed */
            s->accept_paused = true;
            s->accept_resume_ns = cuzk_clock_ns() + 100000000u;
            watch_listeners(s, false);
            return;
        } else if (errno != EINTR && errno != ECONNABORTED) {
            return;
        }
    }
}

static const rpc_listener *listener_of(const cuzk_rpc_server *s, const void *p)
{
    for (size_t i = 0; i < s->n_listeners; i++) {
        if (p == &s->listeners[i]) {
            return &s->listeners[i];
        }
    }
    return NULL;
}

static void conn_event(rpc_conn *c, uint32_t events)
{
    if (c->dead) { /* an earlier event of this batch ended it */
        return;
    }
    if ((events & EPOLLOUT) != 0 && c->handshake_done) {
        rpc_conn_flush(c);
    }
    if (!c->dead && ((events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0 || c->ssl != NULL)) {
        rpc_conn_read(c);
    }
}

static void handle_events(cuzk_rpc_server *s, const struct epoll_event *ev, int n)
{
    for (int i = 0; i < n; i++) {
        void *p = ev[i].data.ptr;
        const rpc_listener *l = listener_of(s, p);
        if (p == s) {
            uint64_t count;
            const ssize_t k = read(s->event_fd, &count, sizeof(count));
            (void)k; /* EAGAIN: somebody else's wake-up */
        } else if (l != NULL) {
            if (!s->accept_paused) {
                accept_all(s, l);
            }
        } else {
            conn_event(p, ev[i].events);
        }
    }
}

/* Looks at every connection; how often: a quarter of the shortest time-out. */
static uint64_t tick_ns(const cuzk_rpc_limits *l)
{
    uint64_t ms = l->preface_ms;
    ms = l->idle_ms < ms ? l->idle_ms : ms;
    ms = l->ping_ms < ms ? l->ping_ms : ms;
    ms = l->ping_timeout_ms < ms ? l->ping_timeout_ms : ms;
    ms = l->stall_ms < ms ? l->stall_ms : ms;
    ms /= 4;
    ms = ms < 10 ? 10 : ms;
    return (ms > 500 ? 500 : ms) * 1000000u;
}

static void tick(cuzk_rpc_server *s, uint64_t now_ns)
{
    for (rpc_conn *c = s->conns, *next; c != NULL; c = next) {
        next = c->next;
        rpc_conn_tick(c, now_ns);
    }
    rpc_room_uploads(s, now_ns);
    if (s->accept_paused && now_ns >= s->accept_resume_ns) {
        s->accept_paused = false;
        watch_listeners(s, true);
    }
}

static void see_drain(cuzk_rpc_server *s, uint64_t now_ns)
{
    if (atomic_exchange(&s->ready_asked, false)) {
        rpc_health_changed(s);
    }
    if (!s->drain_seen && atomic_load(&s->draining)) {
        s->drain_seen = true;
        rpc_health_changed(s);
        for (rpc_conn *c = s->conns, *next; c != NULL; c = next) {
            next = c->next;
            rpc_conn_drain(c, now_ns);
        }
    }
}

/* true: time to leave. */
static bool see_stop(cuzk_rpc_server *s, uint64_t now_ns)
{
    const int stop = atomic_load(&s->stopping);
    if (stop == 0) {
        return false;
    }
    if (s->n_listeners > 0 && s->listeners[0].fd >= 0) {
        for (size_t i = 0; i < s->n_listeners; i++) {
            (void)close(s->listeners[i].fd);
            s->listeners[i].fd = -1;
        }
        for (rpc_conn *c = s->conns, *next; c != NULL; c = next) {
            next = c->next;
            rpc_conn_drain(c, now_ns);
        }
    }
    return stop == 2 || cuzk_rpc_server_is_idle(s) || now_ns >= atomic_load(&s->stop_at_ns);
}

static void *io_main(void *arg)
{
    cuzk_rpc_server *s = arg;
    struct epoll_event ev[64];
    const uint64_t step = tick_ns(&s->lim);
    uint64_t next_tick = cuzk_clock_ns() + step;
    for (;;) {
        uint64_t now = cuzk_clock_ns();
        const uint64_t deadline = rpc_deadlines_run(s, now);
        uint64_t wait = now < next_tick ? next_tick - now : 0;
        wait = deadline < wait ? deadline : wait;
        rpc_conns_reap(s);
        const int n =
            epoll_wait(s->epoll_fd, ev, 64, (int)((wait + 999999) / 1000000u)); /* rounded up */
        handle_events(s, ev, n < 0 ? 0 : n);
        rpc_answers_apply(s);
        rpc_lanes_refill(s);
        rpc_room_enforce(s);
        now = cuzk_clock_ns();
        see_drain(s, now);
        if (now >= next_tick) {
            tick(s, now);
            next_tick = now + step;
        }
        if (s->waiting != NULL) {
            rpc_stream_grant(s);
        }
        if (see_stop(s, now)) {
            break;
        }
    }
    while (s->conns != NULL) {
        rpc_conn_flush(s->conns);
        if (s->conns != NULL) {
            rpc_conn_kill(s->conns, NULL);
        }
    }
    rpc_conns_reap(s);
    return NULL;
}

cuzk_status cuzk_rpc_server_start(cuzk_rpc_server *s, cuzk_err *err)
{
    cuzk_status st;
    int e;
    CUZK_TRY_GOTO(st, rpc_lane_start(&s->query, RPC_QUERY_THREADS, true, err));
    CUZK_TRY_GOTO(st, rpc_lane_start(&s->submit, s->lim.submit_threads, true, err));
    CUZK_TRY_GOTO(st, rpc_lane_start(&s->slow, 2, false, err));
    CUZK_TRY_GOTO(st, rpc_lane_start(&s->verify, 1, true, err));
    watch_listeners(s, true);
    e = pthread_create(&s->io, NULL, io_main, s);
    if (e != 0) {
        st = CUZK_FAIL_OS(err, CUZK_E_IO, e, "cannot start a thread");
        goto out;
    }
    s->io_started = true;
    return CUZK_OK;
out:
    cuzk_rpc_server_stop(s, 0);
    return st;
}

void cuzk_rpc_server_drain(cuzk_rpc_server *s)
{
    atomic_store(&s->draining, true);
    rpc_server_wake(s);
}

void cuzk_rpc_server_ready_changed(cuzk_rpc_server *s)
{
    if (s->not_ready != NULL) {
        atomic_store(&s->ready_asked, true);
        rpc_server_wake(s);
    }
}

bool cuzk_rpc_server_is_idle(cuzk_rpc_server *s)
{
    /* in this order: a stream's end may fall between the two, never make it negative */
    const uint64_t calls = atomic_load(&s->n_calls);
    return calls <= atomic_load(&s->n_streams);
}

void cuzk_rpc_server_stop(cuzk_rpc_server *s, uint32_t grace_ms)
{
    atomic_store(&s->draining, true);
    atomic_store(&s->stop_at_ns, cuzk_clock_ns() + (uint64_t)grace_ms * 1000000u);
    atomic_store(&s->stopping, grace_ms == 0 ? 2 : 1);
    if (s->io_started) {
        rpc_server_wake(s);
        (void)pthread_join(s->io, NULL);
        s->io_started = false;
    }
    rpc_lane_stop(&s->submit);
    rpc_lane_stop(&s->slow);
    rpc_lane_stop(&s->verify);
    rpc_lane_stop(&s->query);
    rpc_answers_apply(s); /* connections are gone: only drops what is queued */
    rpc_lanes_refill(s);
}

void cuzk_rpc_server_destroy(cuzk_rpc_server *s)
{
    if (s == NULL) {
        return;
    }
    cuzk_rpc_server_stop(s, 0);
    for (size_t i = 0; i < s->n_listeners; i++) {
        if (s->listeners[i].fd >= 0) {
            (void)close(s->listeners[i].fd);
        }
        remove_socket(&s->listeners[i]);
    }
    rpc_lane_destroy(&s->query);
    rpc_lane_destroy(&s->submit);
    rpc_lane_destroy(&s->slow);
    rpc_lane_destroy(&s->verify);
    if (s->epoll_fd >= 0) {
        (void)close(s->epoll_fd);
    }
    if (s->event_fd >= 0) {
        (void)close(s->event_fd);
    }
    nghttp2_session_callbacks_del(s->callbacks);
    nghttp2_option_del(s->option);
    cuzk_rpc_secrets_free(s->secrets);
    cuzk_free(s->deadlines);
    cuzk_free(s->scratch);
    cuzk_free(s->listeners);
    (void)pthread_mutex_destroy(&s->answers_mu);
    (void)pthread_mutex_destroy(&s->tickets_mu);
    (void)pthread_mutex_destroy(&s->secrets_mu);
    (void)pthread_cond_destroy(&s->tickets_cv);
    cuzk_free(s);
}

void cuzk_rpc_server_get_stats(cuzk_rpc_server *s, cuzk_rpc_stats *out)
{
    out->connections_now = atomic_load(&s->n_conns);
    out->connections_total = atomic_load(&s->total_conns);
    out->connections_refused = atomic_load(&s->refused_conns);
    out->connections_evicted = atomic_load(&s->evicted_conns);
    out->uploads_ended = atomic_load(&s->ended_uploads);
    out->answer_bytes_now = atomic_load(&s->answer_bytes);
    out->calls_now = atomic_load(&s->n_calls);
    out->calls_total = atomic_load(&s->total_calls);
    for (size_t i = 0; i < CUZK_GRPC_CODES; i++) {
        out->calls_by_code[i] = atomic_load(&s->by_code[i]);
    }
    out->receive_bytes_now = atomic_load(&s->budget.used);
    out->receive_waiting_now = atomic_load(&s->n_waiting);
    out->bytes_received = atomic_load(&s->bytes_in);
    out->certificate_expires = rpc_secrets_expire(s);
}
