/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The connection and the call of rpc_client.h; what calls mean is in rpc_client_calls.c. */
#include "rpc/client/rpc_client.h"

#include <arpa/inet.h>
#include <errno.h>
#include <nghttp2/nghttp2.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "rpc/wire/rpc_address.h"
#include "rpc/wire/rpc_tls.h"

#define REPLY_MAX ((size_t)256 << 20)

/* The call under way. */
typedef struct exchange {
    int32_t stream_id;
    uint8_t prefix[CUZK_GRPC_PREFIX]; /* of the request */
    const cuzk_bytes *parts;
    size_t n_parts, part, offset; /* part 0 is the prefix, part i + 1 is parts[i] */
    cuzk_grpc_prefix reply_prefix;
    uint8_t *reply; /* owned */
    size_t reply_len, reply_got;
    bool reply_begun, closed, has_code, nomem, too_big;
    uint32_t reset_code;
    int http_status;
    cuzk_grpc_code code;
    char message[400];
} exchange;

struct cuzk_rpc_client {
    cuzk_rpc_client_config config;
    cuzk_rpc_address address;
    SSL_CTX *ctx;
    int fd; /* -1: not connected */
    SSL *ssl;
    nghttp2_session *ng;
    nghttp2_session_callbacks *callbacks;
    exchange *x; /* NULL between calls */
    bool goaway;
    cuzk_grpc_code code;
    uint8_t in[64 << 10];
};

/* ---- callbacks ---- */

static cuzk_bytes part_at(const exchange *x)
{
    return x->part == 0 ? (cuzk_bytes){x->prefix, sizeof(x->prefix)} : x->parts[x->part - 1];
}

static ssize_t read_request(nghttp2_session *ng, int32_t stream_id, uint8_t *buf, size_t len,
                            uint32_t *flags, nghttp2_data_source *source, void *client)
{
    exchange *x = source->ptr;
    size_t n = 0;
    (void)ng;
    (void)stream_id;
    (void)client;
    while (x->part <= x->n_parts) {
        const cuzk_bytes p = part_at(x);
        const size_t left = p.size - x->offset, k = left < len - n ? left : len - n;
        if (k > 0) {
            memcpy(buf + n, p.data + x->offset, k);
            n += k;
            x->offset += k;
        }
        if (x->offset < p.size) {
            return (ssize_t)n;
        }
        x->part++;
        x->offset = 0;
    }
    *flags |= NGHTTP2_DATA_FLAG_EOF;
    return (ssize_t)n;
}

static ssize_t read_length(nghttp2_session *ng, uint8_t type, int32_t stream_id,
                           int32_t session_window, int32_t stream_window, uint32_t max_frame,
                           void *client)
{
    ssize_t n = 1 << 20; /* instead of frames of 16 KiB */
    (void)ng;
    (void)type;
    (void)stream_id;
    (void)client;
    n = n > session_window ? session_window : n;
    n = n > stream_window ? stream_window : n;
    return n > (ssize_t)max_frame ? (ssize_t)max_frame : n;
}

static exchange *exchange_of(void *client, int32_t stream_id)
{
    exchange *x = ((cuzk_rpc_client *)client)->x;
    return x != NULL && x->stream_id == stream_id ? x : NULL;
}

/* A number of at most three digits; -1 otherwise. */
static int small_number(const uint8_t *p, size_t n)
{
    int v = 0;
    if (n == 0 || n > 3) {
        return -1;
    }
    for (size_t i = 0; i < n; i++) {
        if (p[i] < '0' || p[i] > '9') {
            return -1;
        }
        v = v * 10 + (p[i] - '0');
    }
    return v;
}

static bool is(const uint8_t *p, size_t n, const char *text)
{
    return n == strlen(text) && memcmp(p, text, n) == 0;
}

static int on_header(nghttp2_session *ng, const nghttp2_frame *f, const uint8_t *name,
                     size_t name_len, const uint8_t *value, size_t value_len, uint8_t flags,
                     void *client)
{
    exchange *x = exchange_of(client, f->hd.stream_id);
    (void)ng;
    (void)flags;
    if (x == NULL) {
        return 0;
    }
    if (is(name, name_len, ":status")) {
        x->http_status = small_number(value, value_len);
    } else if (is(name, name_len, "grpc-status")) {
        const int v = small_number(value, value_len);
        x->has_code = true;
        x->code = v < 0 || v >= CUZK_GRPC_CODES ? CUZK_GRPC_UNKNOWN : (cuzk_grpc_code)v;
    } else if (is(name, name_len, "grpc-message")) {
        (void)cuzk_grpc_percent_decode(x->message, sizeof(x->message), (const char *)value,
                                       value_len);
    }
    return 0;
}

static void take_reply(exchange *x, const uint8_t *p, size_t n)
{
    while (n > 0 && !x->nomem && !x->too_big) {
        size_t k;
        if (!x->reply_begun) {
            k = cuzk_grpc_prefix_feed(&x->reply_prefix, p, n);
            if (x->reply_prefix.n == CUZK_GRPC_PREFIX) {
                x->reply_begun = true;
                x->reply_len = cuzk_grpc_prefix_len(&x->reply_prefix);
                x->too_big = x->reply_len > REPLY_MAX || x->reply_prefix.bytes[0] != 0;
                x->reply = x->too_big ? NULL : cuzk_alloc(x->reply_len + 1, 1);
                x->nomem = x->reply == NULL && !x->too_big;
            }
        } else {
            const size_t left = x->reply_len - x->reply_got;
            k = left < n ? left : n;
            if (k == 0) {
                x->too_big = true; /* a second message */
                return;
            }
            memcpy(x->reply + x->reply_got, p, k);
            x->reply_got += k;
        }
        p += k;
        n -= k;
    }
}

static int on_data(nghttp2_session *ng, uint8_t flags, int32_t stream_id, const uint8_t *p,
                   size_t n, void *client)
{
    exchange *x = exchange_of(client, stream_id);
    (void)ng;
    (void)flags;
    if (x != NULL) {
        take_reply(x, p, n);
    }
    return 0;
}

static int on_close(nghttp2_session *ng, int32_t stream_id, uint32_t error, void *client)
{
    exchange *x = exchange_of(client, stream_id);
    (void)ng;
    if (x != NULL) {
        x->closed = true;
        x->reset_code = error;
    }
    return 0;
}

static int on_frame(nghttp2_session *ng, const nghttp2_frame *f, void *client)
{
    (void)ng;
    if (f->hd.type == NGHTTP2_GOAWAY) {
        ((cuzk_rpc_client *)client)->goaway = true; /* the next call connects again */
    }
    return 0;
}

/* ---- connection ---- */

static void disconnect(cuzk_rpc_client *c)
{
    nghttp2_session_del(c->ng);
    SSL_free(c->ssl);
    if (c->fd >= 0) {
        (void)close(c->fd);
    }
    c->ng = NULL;
    c->ssl = NULL;
    c->fd = -1;
    c->goaway = false;
}

static bool cancelled(const cuzk_rpc_client *c)
{
    return cuzk_cancel_requested(c->config.cancel);
}

/* Waits for the socket, at most 50 ms, so that a cancellation is seen. */
static void wait_socket(cuzk_rpc_client *c, short events, uint64_t until_ns)
{
    const uint64_t now = cuzk_clock_ns();
    struct pollfd p = {.fd = c->fd, .events = events};
    uint64_t ms = until_ns <= now ? 0 : (until_ns - now) / 1000000u + 1;
    ms = ms > 50 ? 50 : ms;
    (void)poll(&p, 1, (int)ms);
}

static cuzk_status fail_tls(const cuzk_rpc_client *c, cuzk_err *err)
{
    char reason[160];
    const long v = SSL_get_verify_result(c->ssl);
    cuzk_rpc_tls_reason(reason, sizeof(reason));
    if (v != X509_V_OK) {
        return CUZK_FAIL(err, CUZK_E_IO, "TLS with %s:%s: %s", c->address.host, c->address.port,
                         X509_verify_cert_error_string(v));
    }
    return CUZK_FAIL(err, CUZK_E_IO, "TLS with %s:%s: %s", c->address.host, c->address.port,
                     reason);
}

static cuzk_status start_tls(cuzk_rpc_client *c, uint64_t until_ns, cuzk_err *err)
{
    const char *name = c->config.tls_name != NULL ? c->config.tls_name : c->address.host;
    uint8_t ip[16];
    const bool is_ip = inet_pton(AF_INET, name, ip) == 1 || inet_pton(AF_INET6, name, ip) == 1;
    ERR_clear_error();
    c->ssl = SSL_new(c->ctx);
    if (c->ssl == NULL || SSL_set_fd(c->ssl, c->fd) != 1 ||
        (is_ip ? X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(c->ssl), name)
               : SSL_set1_host(c->ssl, name)) != 1) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "out of memory for TLS");
    }
    if (!is_ip) {
        union {
            const char *in;
            void *out; /* the macro's type is not const */
        } host = {.in = name};
        (void)SSL_ctrl(c->ssl, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name, host.out);
    }
    for (;;) {
        ERR_clear_error();
        const int k = SSL_connect(c->ssl);
        if (k == 1) {
            break;
        }
        const int e = SSL_get_error(c->ssl, k);
        if (e != SSL_ERROR_WANT_READ && e != SSL_ERROR_WANT_WRITE) {
            return fail_tls(c, err);
        }
        if (cancelled(c)) {
            return CUZK_FAIL(err, CUZK_E_CANCELLED, "cancelled");
        }
        if (cuzk_clock_ns() >= until_ns) {
            return CUZK_FAIL(err, CUZK_E_IO, "TLS with %s:%s: no answer in time", c->address.host,
                             c->address.port);
        }
        wait_socket(c, e == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT, until_ns);
    }
    if (!cuzk_rpc_tls_is_h2(c->ssl)) {
        return CUZK_FAIL(err, CUZK_E_IO, "TLS with %s:%s: the server does not speak HTTP/2",
                         c->address.host, c->address.port);
    }
    return CUZK_OK;
}

static cuzk_status connect_now(cuzk_rpc_client *c, cuzk_err *err)
{
    const uint32_t ms = c->config.connect_ms == 0 ? 10000 : c->config.connect_ms;
    const uint64_t until = cuzk_clock_ns() + (uint64_t)ms * 1000000u;
    const nghttp2_settings_entry settings[] = {{NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
                                               {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, 1 << 20}};
    CUZK_TRY(cuzk_rpc_address_connect(&c->fd, &c->address, ms, c->config.cancel, err));
    cuzk_status st = CUZK_OK;
    if (c->ctx != NULL) {
        st = start_tls(c, until, err);
    }
    if (st == CUZK_OK && (nghttp2_session_client_new(&c->ng, c->callbacks, c) != 0 ||
                          nghttp2_submit_settings(c->ng, NGHTTP2_FLAG_NONE, settings, 2) != 0)) {
        st = CUZK_FAIL(err, CUZK_E_NOMEM, "out of memory for HTTP/2");
    }
    if (st != CUZK_OK) {
        disconnect(c);
    }
    return st;
}

/* What a header can carry: a token with a line's end would be refused without a reason. */
static bool token_is_printable(const char *t)
{
    while (*t >= ' ' && *t <= '~') {
        t++;
    }
    return *t == '\0';
}

static cuzk_status init(cuzk_rpc_client *c, cuzk_err *err)
{
    if (c->config.token != NULL && !token_is_printable(c->config.token)) {
        return CUZK_FAIL(err, CUZK_E_INVALID,
                         "the token has a character that is not printable ASCII");
    }
    CUZK_TRY(cuzk_rpc_address_parse(&c->address, c->config.address, err));
    if (c->config.tls || c->address.tls) {
        CUZK_TRY(cuzk_rpc_tls_client(&c->ctx, c->config.tls_ca, c->config.tls_cert,
                                     c->config.tls_key, err));
    }
    if (nghttp2_session_callbacks_new(&c->callbacks) != 0) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "out of memory for HTTP/2");
    }
    nghttp2_session_callbacks_set_on_header_callback(c->callbacks, on_header);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(c->callbacks, on_data);
    nghttp2_session_callbacks_set_on_stream_close_callback(c->callbacks, on_close);
    nghttp2_session_callbacks_set_on_frame_recv_callback(c->callbacks, on_frame);
    nghttp2_session_callbacks_set_data_source_read_length_callback(c->callbacks, read_length);
    return connect_now(c, err);
}

cuzk_status cuzk_rpc_client_create(cuzk_rpc_client **out, const cuzk_rpc_client_config *config,
                                   cuzk_err *err)
{
    cuzk_rpc_client *c = cuzk_alloc_zero(1, sizeof(*c));
    if (c == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "out of memory for a client");
    }
    c->config = *config;
    c->fd = -1;
    c->code = CUZK_GRPC_UNAVAILABLE;
    const cuzk_status st = init(c, err);
    if (st != CUZK_OK) {
        cuzk_rpc_client_destroy(c);
        return st;
    }
    *out = c;
    return CUZK_OK;
}

void cuzk_rpc_client_destroy(cuzk_rpc_client *c)
{
    if (c == NULL) {
        return;
    }
    disconnect(c);
    nghttp2_session_callbacks_del(c->callbacks);
    SSL_CTX_free(c->ctx);
    cuzk_free(c);
}

void cuzk_rpc_client_set_timeout(cuzk_rpc_client *c, uint64_t timeout_ms)
{
    c->config.timeout_ms = timeout_ms;
}

void cuzk_rpc_client_set_cancel(cuzk_rpc_client *c, const cuzk_cancel *cancel)
{
    c->config.cancel = cancel;
}

cuzk_grpc_code cuzk_rpc_client_code(const cuzk_rpc_client *c)
{
    return c->code;
}

/* ---- one call ---- */

/* 1: something was moved, 0: the socket would block, -1: the connection is over. */
static int write_some(cuzk_rpc_client *c, const uint8_t **p, size_t *n)
{
    ssize_t k;
    if (c->ssl == NULL) {
        k = send(c->fd, *p, *n, MSG_NOSIGNAL);
        if (k < 0) {
            return errno == EAGAIN || errno == EINTR ? 0 : -1;
        }
    } else {
        ERR_clear_error();
        k = SSL_write(c->ssl, *p, *n > INT32_MAX ? INT32_MAX : (int)*n);
        if (k <= 0) {
            const int e = SSL_get_error(c->ssl, (int)k);
            return e == SSL_ERROR_WANT_READ || e == SSL_ERROR_WANT_WRITE ? 0 : -1;
        }
    }
    *p += k;
    *n -= (size_t)k;
    return 1;
}

static int read_some(cuzk_rpc_client *c)
{
    ssize_t k;
    if (c->ssl == NULL) {
        k = recv(c->fd, c->in, sizeof(c->in), 0);
        if (k < 0 && (errno == EAGAIN || errno == EINTR)) {
            return 0;
        }
    } else {
        ERR_clear_error();
        k = SSL_read(c->ssl, c->in, sizeof(c->in));
        if (k <= 0) {
            const int e = SSL_get_error(c->ssl, (int)k);
            if (e == SSL_ERROR_WANT_READ || e == SSL_ERROR_WANT_WRITE) {
                return 0;
            }
        }
    }
    return k > 0 && nghttp2_session_mem_recv(c->ng, c->in, (size_t)k) == k ? 1 : -1;
}

typedef struct pending {
    const uint8_t *p;
    size_t n;
} pending;

/* Sends what there is until the socket is full. *blocked: it is. false: the connection is over. */
static bool send_all(cuzk_rpc_client *c, pending *out, bool *blocked)
{
    *blocked = false;
    for (;;) {
        if (out->n == 0) {
            const ssize_t k = nghttp2_session_mem_send(c->ng, &out->p);
            if (k <= 0) {
                return k == 0;
            }
            out->n = (size_t)k;
        }
        const int r = write_some(c, &out->p, &out->n);
        if (r <= 0) {
            *blocked = r == 0;
            return r == 0;
        }
    }
}

static cuzk_status lost(cuzk_rpc_client *c, cuzk_err *err)
{
    disconnect(c);
    return CUZK_FAIL(err, CUZK_E_IO, "%s: the connection was closed by the server",
                     c->config.address);
}

/* Tells the server that nobody waits any more. */
static void reset_stream(cuzk_rpc_client *c, pending *out)
{
    bool blocked = false;
    (void)nghttp2_submit_rst_stream(c->ng, NGHTTP2_FLAG_NONE, c->x->stream_id, NGHTTP2_CANCEL);
    if (!send_all(c, out, &blocked) || blocked) {
        disconnect(c);
    }
}

/* Runs the session until the stream is closed. */
static cuzk_status run(cuzk_rpc_client *c, uint64_t until_ns, cuzk_err *err)
{
    pending out = {NULL, 0};
    bool blocked = false;
    while (!c->x->closed) {
        if (!send_all(c, &out, &blocked)) {
            return lost(c, err);
        }
        const int r = read_some(c);
        if (r < 0) {
            return lost(c, err);
        }
        if (c->x->closed) {
            break;
        }
        if (cancelled(c)) {
            reset_stream(c, &out);
            return CUZK_FAIL(err, CUZK_E_CANCELLED, "cancelled");
        }
        if (cuzk_clock_ns() >= until_ns) {
            c->x->has_code = true;
            c->x->code = CUZK_GRPC_DEADLINE_EXCEEDED;
            (void)snprintf(c->x->message, sizeof(c->x->message), "deadline exceeded");
            reset_stream(c, &out);
            return CUZK_OK;
        }
        if (r == 0) {
            wait_socket(c, (short)(POLLIN | (blocked ? POLLOUT : 0)), until_ns);
        }
    }
    if (out.n > 0) { /* a frame was cut in the middle: this connection cannot be used again */
        disconnect(c);
    }
    return CUZK_OK;
}

static nghttp2_nv nv(const char *name, const char *value)
{
    union {
        const char *in;
        uint8_t *out;
    } n = {.in = name}, v = {.in = value};
    return (nghttp2_nv){n.out, v.out, strlen(name), strlen(value), NGHTTP2_NV_FLAG_NONE};
}

static cuzk_status submit(cuzk_rpc_client *c, const char *method, cuzk_err *err)
{
    nghttp2_nv h[8];
    char timeout[12], authority[300], token[600];
    size_t n = 0;
    const nghttp2_data_provider body = {.source = {.ptr = c->x}, .read_callback = read_request};
    const bool v6 = strchr(c->address.host, ':') != NULL;
    (void)snprintf(authority, sizeof(authority), "%s%s%s%s%s", v6 ? "[" : "",
                   c->address.is_unix ? "localhost" : c->address.host, v6 ? "]" : "",
                   c->address.is_unix ? "" : ":", c->address.port);
    h[n++] = nv(":method", "POST");
    h[n++] = nv(":scheme", c->ssl != NULL ? "https" : "http");
    h[n++] = nv(":path", method);
    h[n++] = nv(":authority", authority);
    h[n++] = nv("te", "trailers");
    h[n++] = nv("content-type", "application/grpc");
    if (c->config.timeout_ms != 0) {
        uint64_t ns;
        if (__builtin_mul_overflow(c->config.timeout_ms, UINT64_C(1000000), &ns)) {
            ns = UINT64_MAX;
        }
        cuzk_grpc_timeout_format(timeout, ns);
        h[n++] = nv("grpc-timeout", timeout);
    }
    if (c->config.token != NULL) {
        if ((size_t)snprintf(token, sizeof(token), "Bearer %s", c->config.token) >= sizeof(token)) {
            return CUZK_FAIL(err, CUZK_E_INVALID, "the token is longer than %zu characters",
                             sizeof(token) - 8);
        }
        h[n++] = nv("authorization", token);
    }
    c->x->stream_id = nghttp2_submit_request(c->ng, NULL, h, n, &body, NULL);
    return c->x->stream_id < 0 ? CUZK_FAIL(err, CUZK_E_IO, "%s: cannot start a call: %s",
                                           c->config.address, nghttp2_strerror(c->x->stream_id))
                               : CUZK_OK;
}

static cuzk_status status_of(cuzk_grpc_code code)
{
    switch (code) {
    case CUZK_GRPC_OK: return CUZK_OK;
    case CUZK_GRPC_INVALID_ARGUMENT:
    case CUZK_GRPC_UNAUTHENTICATED:
    case CUZK_GRPC_PERMISSION_DENIED:
    case CUZK_GRPC_OUT_OF_RANGE: return CUZK_E_INVALID;
    case CUZK_GRPC_NOT_FOUND: return CUZK_E_NOT_FOUND;
    case CUZK_GRPC_RESOURCE_EXHAUSTED:
    case CUZK_GRPC_FAILED_PRECONDITION: return CUZK_E_BUDGET;
    case CUZK_GRPC_UNIMPLEMENTED: return CUZK_E_UNSUPPORTED;
    case CUZK_GRPC_CANCELLED:
    case CUZK_GRPC_DEADLINE_EXCEEDED: return CUZK_E_CANCELLED;
    case CUZK_GRPC_UNKNOWN:
    case CUZK_GRPC_ALREADY_EXISTS:
    case CUZK_GRPC_ABORTED:
    case CUZK_GRPC_INTERNAL:
    case CUZK_GRPC_UNAVAILABLE:
    case CUZK_GRPC_DATA_LOSS: return CUZK_E_IO;
    }
    return CUZK_E_IO;
}

/* What the closed stream means. */
static cuzk_status conclude(cuzk_rpc_client *c, cuzk_err *err)
{
    const exchange *x = c->x;
    if (x->nomem) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "out of memory for an answer of %zu bytes",
                         x->reply_len);
    }
    if (!x->has_code) {
        if (x->reset_code == NGHTTP2_REFUSED_STREAM) {
            return CUZK_FAIL(err, CUZK_E_IO, "%s: the server is going away; try again",
                             c->config.address);
        }
        return CUZK_FAIL(err, CUZK_E_FORMAT, "%s: not a gRPC answer (HTTP status %d, reset %u)",
                         c->config.address, x->http_status, x->reset_code);
    }
    c->code = x->code;
    if (x->code != CUZK_GRPC_OK) {
        const cuzk_status st = status_of(x->code);
        (void)cuzk_err_set(err, st, 0, __FILE__, __LINE__, "%s: %s", cuzk_grpc_code_name(x->code),
                           x->message);
        return st;
    }
    if (x->too_big || !x->reply_begun || x->reply_got != x->reply_len) {
        return CUZK_FAIL(err, CUZK_E_FORMAT, "%s: not one whole message in the answer",
                         c->config.address);
    }
    return CUZK_OK;
}

static cuzk_status call(cuzk_rpc_client *c, const char *method, cuzk_err *err)
{
    uint64_t until = UINT64_MAX, ns;
    if (c->fd >= 0 && (c->goaway || nghttp2_session_want_read(c->ng) == 0)) {
        disconnect(c);
    }
    if (c->fd < 0) {
        CUZK_TRY(connect_now(c, err));
    }
    if (c->config.timeout_ms != 0 &&
        !__builtin_mul_overflow(c->config.timeout_ms, UINT64_C(1000000), &ns) &&
        !__builtin_add_overflow(cuzk_clock_ns(), ns, &until)) {
        /* until is set */
    } else {
        until = UINT64_MAX;
    }
    CUZK_TRY(submit(c, method, err));
    CUZK_TRY(run(c, until, err));
    return conclude(c, err);
}

cuzk_status cuzk_rpc_client_call(cuzk_rpc_client *c, const char *method, const cuzk_bytes *parts,
                                 size_t n_parts, uint8_t **reply, size_t *reply_size, cuzk_err *err)
{
    exchange x = {.stream_id = -1, .parts = parts, .n_parts = n_parts, .code = CUZK_GRPC_UNKNOWN};
    uint64_t total = 0;
    for (size_t i = 0; i < n_parts; i++) {
        total += parts[i].size;
    }
    if (total > UINT32_MAX) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "request of %llu bytes", (unsigned long long)total);
    }
    cuzk_grpc_prefix_write(x.prefix, (uint32_t)total);
    c->x = &x;
    c->code = CUZK_GRPC_UNAVAILABLE;
    const cuzk_status st = call(c, method, err);
    c->x = NULL;
    if (st != CUZK_OK) {
        cuzk_free(x.reply);
        return st;
    }
    *reply = x.reply;
    *reply_size = x.reply_len;
    return CUZK_OK;
}
