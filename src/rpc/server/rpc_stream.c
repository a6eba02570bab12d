/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What the HTTP/2 session tells us: requests begin, headers, data, ends. I/O thread. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "rpc/server/rpc_internal.h"
#include "rpc/wire/rpc_tls.h"

static rpc_call *call_of(nghttp2_session *ng, int32_t stream_id)
{
    return nghttp2_session_get_stream_user_data(ng, stream_id);
}

/* ---- receiving a message ---- */

static void queue_add(rpc_call *call)
{
    cuzk_rpc_server *s = call->server;
    call->waiting = true;
    call->waiting_ns = cuzk_clock_ns();
    call->wait_prev = s->waiting_last;
    call->wait_next = NULL;
    if (s->waiting_last != NULL) {
        s->waiting_last->wait_next = call;
    } else {
        s->waiting = call;
    }
    s->waiting_last = call;
    (void)atomic_fetch_add(&s->n_waiting, 1);
}

static void queue_remove(rpc_call *call)
{
    cuzk_rpc_server *s = call->server;
    if (!call->waiting) {
        return;
    }
    call->waiting = false;
    if (call->wait_prev != NULL) {
        call->wait_prev->wait_next = call->wait_next;
    } else {
        s->waiting = call->wait_next;
    }
    if (call->wait_next != NULL) {
        call->wait_next->wait_prev = call->wait_prev;
    } else {
        s->waiting_last = call->wait_prev;
    }
    (void)atomic_fetch_sub(&s->n_waiting, 1);
}

static void drop_stash(rpc_call *call)
{
    call->server->stash_bytes -= call->stash_cap;
    cuzk_free(call->stash);
    call->stash = NULL;
    call->stash_len = call->stash_cap = 0;
}

void rpc_stream_forget(rpc_call *call)
{
    queue_remove(call);
    drop_stash(call);
    if (!call->started) { /* else the lane's */
        rpc_call_drop_message(call);
    }
}

static void message_complete(rpc_call *call)
{
    call->receiving = false;
    call->prefix.n = 0;
    call->n_messages++;
    if (call->method->where == RPC_STREAM) {
        call->method->run(call);
        if (!call->started) {
            rpc_call_drop_message(call);
        }
        call->granted = false;
    }
}

/* Copies what belongs to the message; returns how much that was. */
static size_t take_bytes(rpc_call *call, const uint8_t *p, size_t n)
{
    const size_t left = call->message_len - call->message_got, k = left < n ? left : n;
    if (k > 0) {
        memcpy(call->message + call->message_got, p, k);
        call->message_got += k;
    }
    if (call->message_got == call->message_len) {
        message_complete(call);
    }
    return k;
}

/* Reserves and allocates; false when that has to wait. */
static bool try_grant(rpc_call *call)
{
    cuzk_rpc_server *s = call->server;
    const size_t n = call->message_len;
    const bool known = call->conn != NULL && call->conn->is_known;
    if (!cuzk_rpc_budget_take(&s->budget, n, known)) {
        return false;
    }
    call->reserved = n;
    call->message = cuzk_alloc(n, 1);
    if (call->message == NULL) {
        rpc_call_finish(call, CUZK_GRPC_RESOURCE_EXHAUSTED, "out of memory for the request");
        return true;
    }
    call->granted = true;
    call->message_got = 0;
    call->rate_ns = call->rate_left_ms = 0;
    if (n > RPC_WINDOW_WAITING && call->conn != NULL) {
        const int32_t window = n < RPC_WINDOW_GRANTED ? (int32_t)n : RPC_WINDOW_GRANTED;
        (void)nghttp2_session_set_local_window_size(call->conn->ng, NGHTTP2_FLAG_NONE,
                                                    call->stream_id, window);
    }
    return true;
}

static void end_of_request(rpc_call *call)
{
    call->end_seen = true;
    if (call->finished || call->started || call->waiting) {
        return; /* a message that waits is looked at when it is granted */
    }
    if (call->receiving || call->prefix.n != 0) {
        rpc_call_finish(call, CUZK_GRPC_INVALID_ARGUMENT, "incomplete request message");
    } else if (call->method->where == RPC_STREAM) {
        call->method->run(call);
    } else if (call->n_messages == 0) {
        rpc_call_finish(call, CUZK_GRPC_INVALID_ARGUMENT, "no request message");
    } else {
        rpc_call_start(call);
    }
}

/* The message has its memory: what came meanwhile goes in, and the sender may go on. */
static void go_on(rpc_call *call)
{
    rpc_conn *c = call->conn;
    if (!call->finished) {
        queue_remove(call);
        const size_t withheld = call->withheld;
        call->withheld = 0;
        call->last_data_ns = cuzk_clock_ns();
        (void)take_bytes(call, call->stash, call->stash_len);
        drop_stash(call);
        (void)nghttp2_session_consume_stream(c->ng, call->stream_id, withheld);
        if (call->end_seen) {
            end_of_request(call);
        }
    }
    rpc_conn_flush(c); /* may kill the connection, and with it calls that wait */
}

void rpc_stream_grant(cuzk_rpc_server *s)
{
    bool small_only =
        false; /* the large one whose turn it is does not fit: no other overtakes it */
    for (;;) {
        rpc_call *call = rpc_room_next_waiting(s, small_only);
        if (call == NULL) {
            return;
        }
        if (try_grant(call)) {
            go_on(call);
        } else if (small_only) {
            return;
        } else {
            small_only = true;
        }
    }
}

/* Bytes of a message that waits for memory. Bounded by the stream's small window. */
static void stash(rpc_call *call, const uint8_t *p, size_t n)
{
    cuzk_rpc_server *s = call->server;
    if (call->stash_cap - call->stash_len < n) {
        size_t cap =
            call->message_len < RPC_WINDOW_WAITING ? call->message_len : RPC_WINDOW_WAITING;
        uint8_t *p2 = NULL;
        if (cap >= call->stash_len + n && s->stash_bytes + cap <= s->lim.stash_budget) {
            p2 = cuzk_realloc(call->stash, cap, 1);
        }
        if (p2 == NULL) {
            rpc_call_finish(call, CUZK_GRPC_RESOURCE_EXHAUSTED,
                            "the server is receiving as much as it has memory for; try again");
            return;
        }
        s->stash_bytes += cap - call->stash_cap;
        call->stash = p2;
        call->stash_cap = cap;
    }
    memcpy(call->stash + call->stash_len, p, n);
    call->stash_len += n;
}

static void prefix_complete(rpc_call *call)
{
    const cuzk_rpc_limits *lim = &call->server->lim;
    const size_t n = cuzk_grpc_prefix_len(&call->prefix);
    const size_t max =
        call->method->max_message != 0 ? call->method->max_message : lim->max_message;
    char text[96];
    if (cuzk_grpc_prefix_compressed(&call->prefix)) {
        rpc_call_finish(call, CUZK_GRPC_UNIMPLEMENTED, "compressed messages are not taken");
    } else if (n > max) {
        (void)snprintf(text, sizeof(text), "message of %zu bytes is larger than the limit of %zu",
                       n, max);
        rpc_call_finish(call, CUZK_GRPC_RESOURCE_EXHAUSTED, text);
    } else if (call->n_messages > 0 && call->method->where != RPC_STREAM) {
        rpc_call_finish(call, CUZK_GRPC_INVALID_ARGUMENT, "more than one request message");
    } else {
        call->receiving = true;
        call->granted = false;
        call->message_len = n;
        /* A large one does not overtake those that wait. */
        if ((n > CUZK_RPC_SMALL && call->server->waiting != NULL) || !try_grant(call)) {
            queue_add(call);
        } else if (!call->finished && n == 0) {
            message_complete(call);
        }
    }
}

static int on_data(nghttp2_session *ng, uint8_t flags, int32_t stream_id, const uint8_t *p,
                   size_t n, void *conn)
{
    rpc_call *call = call_of(ng, stream_id);
    size_t withhold = 0;
    const size_t all = n;
    (void)flags;
    (void)conn;
    while (call != NULL && n > 0 && !call->finished && !call->started) {
        size_t k;
        call->last_data_ns = cuzk_clock_ns();
        if (!call->receiving) {
            k = cuzk_grpc_prefix_feed(&call->prefix, p, n);
            if (call->prefix.n == CUZK_GRPC_PREFIX) {
                prefix_complete(call);
            }
        } else if (call->granted) {
            k = take_bytes(call, p, n);
        } else {
            const size_t left = call->message_len - call->stash_len;
            k = left < n ? left : n;
            if (k == 0) { /* a second message behind one that waits */
                rpc_call_finish(call, CUZK_GRPC_INVALID_ARGUMENT, "more than one request message");
                break;
            }
            stash(call, p, k);
            withhold += k;
        }
        p += k;
        n -= k;
    }
    if (call != NULL && call->waiting) {
        call->withheld += withhold;
    } else {
        withhold = 0;
    }
    /* Every byte gives credit back to the connection; the stream's is kept while its message waits. */
    (void)nghttp2_session_consume_connection(ng, all);
    if (all > withhold) {
        (void)nghttp2_session_consume_stream(ng, stream_id, all - withhold);
    }
    return 0;
}

/* ---- headers ---- */

static int on_begin_headers(nghttp2_session *ng, const nghttp2_frame *f, void *conn)
{
    if (f->hd.type != NGHTTP2_HEADERS || f->headers.cat != NGHTTP2_HCAT_REQUEST) {
        return 0;
    }
    if (!rpc_room_call(conn)) {
        (void)nghttp2_submit_rst_stream(ng, NGHTTP2_FLAG_NONE, f->hd.stream_id,
                                        NGHTTP2_REFUSED_STREAM);
        return 0;
    }
    rpc_call *call = rpc_call_create(conn, f->hd.stream_id);
    if (call == NULL) {
        return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE; /* the stream is reset */
    }
    return nghttp2_session_set_stream_user_data(ng, f->hd.stream_id, call) == 0
               ? 0
               : NGHTTP2_ERR_CALLBACK_FAILURE;
}

static bool is(const uint8_t *p, size_t n, const char *text)
{
    return n == strlen(text) && memcmp(p, text, n) == 0;
}

static void set_timeout(rpc_call *call, const char *v, size_t n)
{
    uint64_t ns = 0;
    if (!cuzk_grpc_timeout_parse(&ns, v, n)) {
        call->bad_timeout = true;
    } else if (__builtin_add_overflow(cuzk_clock_ns(), ns, &call->deadline_ns)) {
        call->deadline_ns = 0; /* centuries: none */
    }
}

static int on_header(nghttp2_session *ng, const nghttp2_frame *f, const uint8_t *name,
                     size_t name_len, const uint8_t *value, size_t value_len, uint8_t flags,
                     void *conn)
{
    rpc_call *call = call_of(ng, f->hd.stream_id);
    const char *v = (const char *)value;
    rpc_conn *c = conn;
    (void)flags;
    if (call == NULL || call->headers_done) {
        return 0;
    }
    call->header_bytes += name_len + value_len + 32; /* as RFC 9113, 6.5.2 counts */
    call->headers_too_big =
        call->headers_too_big || call->header_bytes > c->server->lim.max_header_bytes;
    if (is(name, name_len, ":path")) {
        if (value_len < sizeof(call->path)) { /* a longer one is no method of ours */
            memcpy(call->path, v, value_len);
            call->path[value_len] = '\0';
        }
    } else if (is(name, name_len, ":method")) {
        call->is_post = is(value, value_len, "POST");
    } else if (is(name, name_len, "content-type")) {
        call->is_grpc = cuzk_grpc_content_type(v, value_len);
    } else if (is(name, name_len, "grpc-encoding")) {
        call->bad_encoding = !is(value, value_len, "identity");
    } else if (is(name, name_len, "grpc-timeout")) {
        set_timeout(call, v, value_len);
    } else if (is(name, name_len, "authorization")) {
        call->token_ok = rpc_secrets_token(call, v, value_len);
        if (call->token_ok) {
            rpc_room_know(c, call->name);
        }
    }
    return 0;
}

/* The request's headers are complete: is it a call that we serve? */
static void headers_complete(rpc_conn *c, rpc_call *call)
{
    cuzk_rpc_server *s = c->server;
    call->headers_done = true;
    call->last_data_ns = cuzk_clock_ns();
    call->method = rpc_method_find(call->path);
    if (call->method != NULL && call->method->where == RPC_STREAM) {
        call->is_stream = true;
        (void)atomic_fetch_add(&s->n_streams, 1);
    }
    char text[120];
    if (call->headers_too_big && call->is_post && call->is_grpc) {
        (void)snprintf(text, sizeof(text), "headers of %zu bytes; at most %u are taken",
                       call->header_bytes, s->lim.max_header_bytes);
        rpc_call_finish(call, CUZK_GRPC_RESOURCE_EXHAUSTED, text);
    } else if (call->headers_too_big) {
        rpc_call_refuse_http(call, "431");
    } else if (!call->is_post) {
        rpc_call_refuse_http(call, "405");
    } else if (!call->is_grpc) {
        rpc_call_refuse_http(call, "415");
    } else if (c->need_token && !call->token_ok &&
               (call->method == NULL || !call->method->no_token)) {
        rpc_call_finish(call, CUZK_GRPC_UNAUTHENTICATED, "missing or wrong bearer token");
    } else if (call->method == NULL) {
        rpc_call_finish(call, CUZK_GRPC_UNIMPLEMENTED, "unknown method");
    } else if ((call->role & call->method->right) != call->method->right) {
        (void)snprintf(text, sizeof(text), "the caller's role is %s, which may not do this",
                       cuzk_rpc_role_name(call->role));
        rpc_call_finish(call, CUZK_GRPC_PERMISSION_DENIED, text);
    } else if (call->bad_encoding) {
        rpc_call_finish(call, CUZK_GRPC_UNIMPLEMENTED, "grpc-encoding: only identity is taken");
    } else if (call->bad_timeout) {
        rpc_call_finish(call, CUZK_GRPC_INVALID_ARGUMENT, "malformed grpc-timeout");
    } else if (call->method->submits && atomic_load(&s->draining)) {
        rpc_call_finish(call, CUZK_GRPC_UNAVAILABLE, "the server is shutting down");
    } else if (call->deadline_ns != 0 && !rpc_deadline_add(call)) {
        rpc_call_finish(call, CUZK_GRPC_RESOURCE_EXHAUSTED, "out of memory");
    } else if (!call->method->no_token) {
        c->has_worked = true;
    }
}

static int on_frame(nghttp2_session *ng, const nghttp2_frame *f, void *conn)
{
    rpc_conn *c = conn;
    if (f->hd.type == NGHTTP2_SETTINGS) {
        c->greeted = true;
    }
    if (f->hd.type != NGHTTP2_HEADERS && f->hd.type != NGHTTP2_DATA) {
        return 0;
    }
    rpc_call *call = call_of(ng, f->hd.stream_id);
    if (call == NULL) {
        return 0;
    }
    if (f->hd.type == NGHTTP2_HEADERS && !call->headers_done) {
        headers_complete(c, call);
    }
    if ((f->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0) {
        end_of_request(call);
    }
    return 0;
}

/*
 * Once the whole response is out, a sender that is still sending is told to stop. Not earlier: a
 * reset before the trailers would hide them.
 */
static int on_frame_sent(nghttp2_session *ng, const nghttp2_frame *f, void *conn)
{
    (void)conn;
    if (f->hd.type == NGHTTP2_HEADERS && (f->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0) {
        const rpc_call *call = call_of(ng, f->hd.stream_id);
        if (call != NULL && !call->end_seen) {
            (void)nghttp2_submit_rst_stream(ng, NGHTTP2_FLAG_NONE, f->hd.stream_id,
                                            NGHTTP2_NO_ERROR);
        }
    }
    return 0;
}

static int on_close(nghttp2_session *ng, int32_t stream_id, uint32_t error, void *conn)
{
    rpc_call *call = call_of(ng, stream_id);
    (void)error;
    (void)conn;
    if (call != NULL) {
        (void)nghttp2_session_set_stream_user_data(ng, stream_id, NULL);
        rpc_call_close(call);
    }
    return 0;
}

cuzk_status rpc_stream_init(cuzk_rpc_server *s, cuzk_err *err)
{
    if (nghttp2_session_callbacks_new(&s->callbacks) != 0 || nghttp2_option_new(&s->option) != 0) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "out of memory for HTTP/2");
    }
    nghttp2_session_callbacks_set_on_begin_headers_callback(s->callbacks, on_begin_headers);
    nghttp2_session_callbacks_set_on_header_callback(s->callbacks, on_header);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(s->callbacks, on_data);
    nghttp2_session_callbacks_set_on_frame_recv_callback(s->callbacks, on_frame);
    nghttp2_session_callbacks_set_on_frame_send_callback(s->callbacks, on_frame_sent);
    nghttp2_session_callbacks_set_on_stream_close_callback(s->callbacks, on_close);
    nghttp2_option_set_no_auto_window_update(s->option, 1);
    nghttp2_option_set_no_closed_streams(s->option, 1);
    /* "Rapid reset": a caller that opens and resets more than 33 streams a second for long is cut off. */
    nghttp2_option_set_stream_reset_rate_limit(s->option, 1000, 33);
    return CUZK_OK;
}
