/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <errno.h>
#include <openssl/err.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "rpc/server/rpc_internal.h"
#include "rpc/wire/rpc_tls.h"

static bool start_session(rpc_conn *c)
{
    const cuzk_rpc_limits *lim = &c->server->lim;
    const nghttp2_settings_entry settings[] = {
        {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, lim->max_streams},
        {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, RPC_WINDOW_WAITING},
        {NGHTTP2_SETTINGS_MAX_FRAME_SIZE, 1 << 20},
        {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, lim->max_header_bytes}};
    return nghttp2_session_server_new2(&c->ng, c->server->callbacks, c, c->server->option) == 0 &&
           nghttp2_submit_settings(c->ng, NGHTTP2_FLAG_NONE, settings,
                                   sizeof(settings) / sizeof(settings[0])) == 0 &&
           nghttp2_session_set_local_window_size(c->ng, NGHTTP2_FLAG_NONE, 0, RPC_WINDOW_CONN) == 0;
}

static bool start_tls(rpc_conn *c)
{
    c->ssl = rpc_secrets_tls(c->server);
    if (c->ssl == NULL || SSL_set_fd(c->ssl, c->fd) != 1) {
        return false;
    }
    SSL_set_accept_state(c->ssl);
    return true;
}

static void free_parts(rpc_conn *c)
{
    if (c->ng != NULL) {
        nghttp2_session_del(c->ng);
    }
    SSL_free(c->ssl);
    cuzk_free(c->out);
    c->ng = NULL;
    c->ssl = NULL;
    c->out = NULL;
    c->out_len = 0;
}

rpc_conn *rpc_conn_create(cuzk_rpc_server *s, int fd, bool tls, bool need_token)
{
    rpc_conn *c = cuzk_alloc_zero(1, sizeof(*c));
    if (c == NULL) {
        return NULL;
    }
    c->server = s;
    c->fd = fd;
    c->need_token = need_token;
    c->role = CUZK_RPC_ADMINISTER; /* the listener says less */
    c->pending_tail = &c->pending;
    c->handshake_done = !tls;
    c->opened_ns = c->read_ns = c->idle_ns = cuzk_clock_ns();
    if (!start_session(c) || (tls && !start_tls(c))) {
        free_parts(c);
        cuzk_free(c);
        return NULL;
    }
    c->next = s->conns;
    if (s->conns != NULL) {
        s->conns->prev = c;
    }
    s->conns = c;
    (void)atomic_fetch_add(&s->n_conns, 1);
    (void)atomic_fetch_add(&s->total_conns, 1);
    return c;
}

void rpc_conn_kill(rpc_conn *c, const char *why)
{
    cuzk_rpc_server *s = c->server;
    if (c->dead) {
        return;
    }
    c->dead = true;
    if (why != NULL) {
        const char *const kv[] = {"reason", why, NULL};
        rpc_log(s, CUZK_LOG_DEBUG, "rpc.connection_closed", kv);
    }
    while (c->calls != NULL) {
        rpc_call_close(c->calls);
    }
    rpc_room_answer_taken(c, c->out_bytes);
    free_parts(c);
    if (c->fd >= 0) {
        (void)epoll_ctl(s->epoll_fd, EPOLL_CTL_DEL, c->fd, NULL);
        (void)close(c->fd);
    }
    if (c->prev != NULL) {
        c->prev->next = c->next;
    } else {
        s->conns = c->next;
    }
    if (c->next != NULL) {
        c->next->prev = c->prev;
    }
    rpc_room_forget(c);
    c->next = s->graveyard; /* later events of this batch may still name it */
    s->graveyard = c;
    (void)atomic_fetch_sub(&s->n_conns, 1);
}

void rpc_conns_reap(cuzk_rpc_server *s)
{
    while (s->graveyard != NULL) {
        rpc_conn *c = s->graveyard;
        s->graveyard = c->next;
        cuzk_free(c);
    }
}

/* ---- out ---- */

static void watch(rpc_conn *c, bool write)
{
    if (write != c->want_write && c->fd >= 0) {
        struct epoll_event e = {.events = EPOLLIN | (write ? EPOLLOUT : 0u), .data.ptr = c};
        (void)epoll_ctl(c->server->epoll_fd, EPOLL_CTL_MOD, c->fd, &e);
    }
    c->want_write = write;
}

/* Bytes taken, 0 when the socket is full, -1 on an error. */
static ssize_t write_some(rpc_conn *c, const uint8_t *p, size_t n)
{
    if (c->ssl == NULL) {
        const ssize_t k = send(c->fd, p, n, MSG_NOSIGNAL);
        return k >= 0 ? k : errno == EAGAIN || errno == EINTR ? 0 : -1;
    }
    ERR_clear_error();
    const int k = SSL_write(c->ssl, p, n > INT32_MAX ? INT32_MAX : (int)n);
    if (k > 0) {
        return k;
    }
    const int e = SSL_get_error(c->ssl, k);
    ERR_clear_error();
    return e == SSL_ERROR_WANT_WRITE || e == SSL_ERROR_WANT_READ ? 0 : -1;
}

/* Writes p; what the socket does not take is kept in c->out. false: killed. */
static bool write_or_keep(rpc_conn *c, const uint8_t *p, size_t n)
{
    while (n > 0) {
        const ssize_t k = write_some(c, p, n);
        if (k < 0) {
            rpc_conn_kill(c, "write failed");
            return false;
        }
        if (k == 0) {
            break;
        }
        p += k;
        n -= (size_t)k;
        c->write_ns = 0;
    }
    if (n == 0) {
        return true;
    }
    uint8_t *keep = cuzk_alloc(n, 1);
    if (keep == NULL) {
        rpc_conn_kill(c, "out of memory");
        return false;
    }
    memcpy(keep, p, n);
    rpc_room_answer(c, n);
    cuzk_free(c->out);
    c->out = keep;
    c->out_len = n;
    c->out_off = 0;
    return true;
}

/* What an earlier write left. false: still something left, or killed. */
static bool write_rest(rpc_conn *c)
{
    while (c->out_off < c->out_len) {
        const ssize_t k = write_some(c, c->out + c->out_off, c->out_len - c->out_off);
        if (k < 0) {
            rpc_conn_kill(c, "write failed");
            return false;
        }
        if (k == 0) {
            watch(c, true);
            if (c->write_ns == 0) {
                c->write_ns = cuzk_clock_ns();
            }
            return false;
        }
        c->out_off += (size_t)k;
        c->write_ns = 0;
    }
    rpc_room_answer_taken(c, c->out_len);
    cuzk_free(c->out);
    c->out = NULL;
    c->out_len = c->out_off = 0;
    return true;
}

/* Collects frames of the session into scratch, as many as fit. */
static ssize_t collect(rpc_conn *c)
{
    const size_t frame_max = 16384 + 9; /* the library cuts DATA at this */
    uint8_t *scratch = c->server->scratch;
    size_t n = 0;
    while (n + frame_max <= RPC_SCRATCH) {
        const uint8_t *p = NULL;
        const ssize_t k = nghttp2_session_mem_send(c->ng, &p);
        if (k < 0) {
            return -1;
        }
        if (k == 0) {
            break;
        }
        if ((size_t)k > RPC_SCRATCH - n) {
            return -1;
        }
        memcpy(scratch + n, p, (size_t)k);
        n += (size_t)k;
    }
    return (ssize_t)n;
}

/*
 * Frames that the session queues for a peer that takes nothing: refusals, resets, acknowledgements.
 * They count as answers, and a peer that makes very many of them is closed.
 */
static void count_queue(rpc_conn *c)
{
    if (c->dead) {
        return;
    }
    const size_t frames = c->out_len > 0 ? nghttp2_session_get_outbound_queue_size(c->ng) : 0;
    rpc_room_answer_taken(c, c->queue_bytes);
    c->queue_bytes = frames * RPC_FRAME_BYTES;
    rpc_room_answer(c, c->queue_bytes);
    if (frames > RPC_QUEUE_LIMIT) {
        (void)atomic_fetch_add(&c->server->evicted_conns, 1);
        rpc_conn_kill(c, "answers are not read");
    }
}

static void write_all(rpc_conn *c)
{
    while (write_rest(c)) {
        const ssize_t n = collect(c);
        if (n < 0) {
            rpc_conn_kill(c, "session ended");
            return;
        }
        if (n == 0) {
            watch(c, false);
            if (nghttp2_session_want_read(c->ng) == 0 && nghttp2_session_want_write(c->ng) == 0) {
                rpc_conn_kill(c, NULL);
            }
            return;
        }
        if (!write_or_keep(c, c->server->scratch, (size_t)n)) {
            return;
        }
    }
}

void rpc_conn_flush(rpc_conn *c)
{
    if (!c->dead && c->handshake_done && c->fd >= 0) {
        write_all(c);
        count_queue(c);
    }
}

/* ---- in ---- */

bool rpc_conn_receive(rpc_conn *c, const uint8_t *data, size_t n)
{
    c->read_ns = cuzk_clock_ns();
    c->ping_ns = 0;
    (void)atomic_fetch_add_explicit(&c->server->bytes_in, n, memory_order_relaxed);
    return nghttp2_session_mem_recv(c->ng, data, n) == (ssize_t)n;
}

/* true: done. */
static bool handshake(rpc_conn *c)
{
    ERR_clear_error();
    const int k = SSL_do_handshake(c->ssl);
    if (k != 1) {
        const int e = SSL_get_error(c->ssl, k);
        if (e == SSL_ERROR_WANT_READ) {
            watch(c, false);
        } else if (e == SSL_ERROR_WANT_WRITE) {
            watch(c, true);
        } else {
            char reason[160];
            cuzk_rpc_tls_reason(reason, sizeof(reason));
            const char *const kv[] = {"reason", reason, NULL};
            rpc_log(c->server, CUZK_LOG_WARN, "rpc.tls_handshake_failed", kv);
            rpc_conn_kill(c, NULL);
        }
        return false;
    }
    if (!cuzk_rpc_tls_is_h2(c->ssl)) {
        rpc_conn_kill(c, "TLS without ALPN h2");
        return false;
    }
    c->handshake_done = true;
    if ((SSL_get_verify_mode(c->ssl) & SSL_VERIFY_FAIL_IF_NO_PEER_CERT) != 0) {
        rpc_secrets_cert(c);
        rpc_room_know(c, c->name); /* its certificate was checked */
    }
    return true;
}

/* Bytes read, 0 when there are none for now, -1 at the end. */
static ssize_t read_some(rpc_conn *c, uint8_t *p, size_t n)
{
    if (c->ssl == NULL) {
        const ssize_t k = recv(c->fd, p, n, 0);
        return k > 0 ? k : k < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : -1;
    }
    ERR_clear_error();
    const int k = SSL_read(c->ssl, p, (int)n);
    if (k > 0) {
        return k;
    }
    const int e = SSL_get_error(c->ssl, k);
    ERR_clear_error();
    return e == SSL_ERROR_WANT_READ || e == SSL_ERROR_WANT_WRITE ? 0 : -1;
}

void rpc_conn_read(rpc_conn *c)
{
    uint8_t *buf = c->server->scratch + RPC_SCRATCH; /* second half: flush uses the first */
    if (c->dead || (!c->handshake_done && !handshake(c))) {
        return;
    }
    /* A few rounds only, so that one fast sender does not keep the others waiting; but what OpenSSL
     * has decrypted already must be taken, epoll does not know of it. */
    for (int round = 0; round < 16 || (c->ssl != NULL && SSL_pending(c->ssl) > 0); round++) {
        const ssize_t n = read_some(c, buf, RPC_SCRATCH);
        if (n == 0) {
            break;
        }
        if (n < 0) {
            rpc_conn_kill(c, "closed by the peer");
            return;
        }
        if (!rpc_conn_receive(c, buf, (size_t)n)) {
            rpc_conn_flush(c); /* the GOAWAY that says why */
            rpc_conn_kill(c, "HTTP/2 protocol error");
            return;
        }
        rpc_conn_flush(c);
        if (c->dead) {
            return;
        }
        if (c->ssl == NULL && (size_t)n < RPC_SCRATCH) {
            break;
        }
    }
    rpc_conn_flush(c);
}

/* ---- time ---- */

static bool older(uint64_t since_ns, uint64_t now_ns, uint64_t ms)
{
    return since_ns != 0 && now_ns > since_ns && (now_ns - since_ns) / 1000000u >= ms;
}

void rpc_conn_drain(rpc_conn *c, uint64_t now_ns)
{
    if (!c->draining && c->ng != NULL) {
        c->draining = true;
        c->drain_ns = now_ns;
        (void)nghttp2_submit_shutdown_notice(c->ng);
        rpc_conn_flush(c);
    }
}

/*
 * Half-received messages whose sender has gone quiet (those that wait for memory are not at fault),
 * and answers that are not read.
 */
static void end_stalled_calls(rpc_conn *c, uint64_t now_ns)
{
    for (rpc_call *call = c->calls, *next; call != NULL; call = next) {
        next = call->next;
        if (!older(call->last_data_ns, now_ns, c->server->lim.stall_ms)) {
            continue;
        }
        if (call->finished) {
            (void)nghttp2_submit_rst_stream(c->ng, NGHTTP2_FLAG_NONE, call->stream_id,
                                            NGHTTP2_CANCEL);
            call->last_data_ns = now_ns;
        } else if (!call->started && !call->waiting && call->method != NULL &&
                   (call->method->where != RPC_STREAM || call->receiving)) {
            rpc_call_finish(call, CUZK_GRPC_UNAVAILABLE, "the request stopped coming");
        }
    }
}

void rpc_conn_tick(rpc_conn *c, uint64_t now_ns)
{
    const cuzk_rpc_limits *lim = &c->server->lim;
    if (!c->greeted && older(c->opened_ns, now_ns, lim->preface_ms)) {
        rpc_conn_kill(c, "no HTTP/2 greeting in time");
        return;
    }
    for (const rpc_call *call = c->calls; call != NULL; call = call->next) {
        if (!call->headers_done && older(call->opened_ns, now_ns, lim->preface_ms)) {
            rpc_conn_kill(c, "headers not complete in time");
            return;
        }
    }
    if (older(c->write_ns, now_ns, lim->stall_ms)) {
        rpc_conn_kill(c, "output not taken in time");
        return;
    }
    if (older(c->ping_ns, now_ns, lim->ping_timeout_ms)) {
        rpc_conn_kill(c, "ping not answered");
        return;
    }
    if (c->greeted && c->ping_ns == 0 && older(c->read_ns, now_ns, lim->ping_ms)) {
        c->ping_ns = now_ns;
        (void)nghttp2_submit_ping(c->ng, NGHTTP2_FLAG_NONE, NULL);
    }
    end_stalled_calls(c, now_ns);
    if (c->calls == NULL && c->idle_ns == 0) {
        c->idle_ns = now_ns;
    }
    const bool told_long_ago = c->draining && older(c->drain_ns, now_ns, 500);
    if ((told_long_ago || older(c->idle_ns, now_ns, lim->idle_ms)) && !c->last_goaway_sent) {
        c->last_goaway_sent = true;
        (void)nghttp2_submit_goaway(c->ng, NGHTTP2_FLAG_NONE,
                                    nghttp2_session_get_last_proc_stream_id(c->ng),
                                    NGHTTP2_NO_ERROR, NULL, 0);
    }
    rpc_conn_flush(c);
}
