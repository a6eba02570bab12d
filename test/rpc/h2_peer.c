/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "h2_peer.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "rpc/wire/rpc_grpc.h"

#include "test.h"

static peer_call *find(h2_peer *p, int32_t stream_id)
{
    for (size_t i = 0; i < p->n_calls; i++) {
        if (p->calls[i].stream_id == stream_id) {
            return &p->calls[i];
        }
    }
    return NULL;
}

static ssize_t read_body(nghttp2_session *ng, int32_t id, uint8_t *buf, size_t len, uint32_t *flags,
                         nghttp2_data_source *source, void *peer)
{
    peer_call *c = source->ptr;
    const size_t left = c->body_len - c->body_off, n = left < len ? left : len;
    (void)ng;
    (void)id;
    (void)peer;
    if (n == 0 && c->keep_open) {
        return NGHTTP2_ERR_DEFERRED;
    }
    if (n > 0) {
        memcpy(buf, c->body + c->body_off, n);
        c->body_off += n;
    }
    if (c->body_off == c->body_len && !c->keep_open) {
        *flags |= NGHTTP2_DATA_FLAG_EOF;
    }
    return (ssize_t)n;
}

static int on_header(nghttp2_session *ng, const nghttp2_frame *f, const uint8_t *name, size_t nl,
                     const uint8_t *value, size_t vl, uint8_t flags, void *peer)
{
    peer_call *c = find(peer, f->hd.stream_id);
    char v[16] = {0};
    (void)ng;
    (void)flags;
    if (c == NULL) {
        return 0;
    }
    memcpy(v, value, vl < sizeof(v) - 1 ? vl : sizeof(v) - 1);
    if (nl == 7 && memcmp(name, ":status", 7) == 0) {
        c->http = atoi(v);
    } else if (nl == 11 && memcmp(name, "grpc-status", 11) == 0) {
        c->code = atoi(v);
    } else if (nl == 12 && memcmp(name, "grpc-message", 12) == 0) {
        (void)cuzk_grpc_percent_decode(c->message, sizeof(c->message), (const char *)value, vl);
    }
    return 0;
}

static int on_data(nghttp2_session *ng, uint8_t flags, int32_t id, const uint8_t *d, size_t n,
                   void *peer)
{
    peer_call *c = find(peer, id);
    (void)ng;
    (void)flags;
    if (c != NULL) {
        const size_t room = sizeof(c->reply) - c->reply_len, k = n < room ? n : room;
        memcpy(c->reply + c->reply_len, d, k);
        c->reply_len += k;
    }
    return 0;
}

static int on_close(nghttp2_session *ng, int32_t id, uint32_t error, void *peer)
{
    h2_peer *p = peer;
    peer_call *c = find(p, id);
    (void)ng;
    if (c != NULL) {
        c->closed = true;
        c->reset = error;
        p->n_closed++;
    }
    return 0;
}

static int on_frame(nghttp2_session *ng, const nghttp2_frame *f, void *peer)
{
    (void)ng;
    if (f->hd.type == NGHTTP2_GOAWAY) {
        ((h2_peer *)peer)->goaway = true;
    }
    if (f->hd.type == NGHTTP2_PING) {
        ((h2_peer *)peer)->n_pings++;
    }
    return 0;
}

h2_peer *peer_create(int fd, uint32_t window)
{
    h2_peer *p = calloc(1, sizeof(*p));
    nghttp2_session_callbacks *cb = NULL;
    const nghttp2_settings_entry s[] = {{NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, window}};
    CHECK(p != NULL && nghttp2_session_callbacks_new(&cb) == 0);
    nghttp2_session_callbacks_set_on_header_callback(cb, on_header);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(cb, on_data);
    nghttp2_session_callbacks_set_on_stream_close_callback(cb, on_close);
    nghttp2_session_callbacks_set_on_frame_recv_callback(cb, on_frame);
    CHECK(nghttp2_session_client_new(&p->ng, cb, p) == 0);
    nghttp2_session_callbacks_del(cb);
    CHECK(nghttp2_submit_settings(p->ng, 0, s, 1) == 0);
    p->fd = fd;
    (void)fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
    return p;
}

void peer_destroy(h2_peer *p)
{
    nghttp2_session_del(p->ng);
    (void)close(p->fd);
    free(p);
}

static nghttp2_nv nv(const char *name, const char *value)
{
    union {
        const char *in;
        uint8_t *out;
    } n = {.in = name}, v = {.in = value};
    return (nghttp2_nv){n.out, v.out, strlen(name), strlen(value), NGHTTP2_NV_FLAG_NONE};
}

peer_call *peer_request(h2_peer *p, const char *path, const char *const *extra, const void *body,
                        size_t body_len, bool keep_open)
{
    nghttp2_nv h[16] = {nv(":method", "POST"), nv(":scheme", "http"),
                        nv(":path", path),     nv(":authority", "localhost"),
                        nv("te", "trailers"),  nv("content-type", "application/grpc")};
    size_t n = 6;
    for (size_t i = 0; extra != NULL && extra[i] != NULL; i += 2) {
        size_t at = 0;
        while (at < n && (h[at].namelen != strlen(extra[i]) ||
                          memcmp(h[at].name, extra[i], h[at].namelen) != 0)) {
            at++;
        }
        h[at] = nv(extra[i], extra[i + 1]);
        n += at == n ? 1 : 0;
    }
    CHECK(p->n_calls < PEER_CALLS);
    peer_call *c = &p->calls[p->n_calls++];
    c->body = body;
    c->body_len = body_len;
    c->keep_open = keep_open;
    c->http = c->code = -1;
    const nghttp2_data_provider dp = {.source = {.ptr = c}, .read_callback = read_body};
    c->stream_id = nghttp2_submit_request(p->ng, NULL, h, n, &dp, NULL);
    CHECK(c->stream_id > 0);
    return c;
}

void peer_reset(h2_peer *p, peer_call *c)
{
    (void)nghttp2_submit_rst_stream(p->ng, 0, c->stream_id, NGHTTP2_CANCEL);
}

/* One round of writing and reading. */
static void step(h2_peer *p)
{
    const uint8_t *out = NULL;
    ssize_t k;
    while ((k = nghttp2_session_mem_send(p->ng, &out)) > 0) {
        while (k > 0) {
            const ssize_t w = send(p->fd, out, (size_t)k, MSG_NOSIGNAL);
            if (w >= 0) {
                out += w;
                k -= w;
            } else if (errno == EAGAIN) {
                struct pollfd f = {.fd = p->fd, .events = POLLOUT | POLLIN};
                (void)poll(&f, 1, 100);
                if ((f.revents & POLLOUT) == 0) {
                    uint8_t in[8192]; /* the server must be read, or both wait */
                    const ssize_t r = recv(p->fd, in, sizeof(in), 0);
                    if (r > 0) {
                        (void)nghttp2_session_mem_recv(p->ng, in, (size_t)r);
                    }
                }
            } else {
                p->eof = true;
                return;
            }
        }
    }
    uint8_t in[8192];
    struct pollfd f = {.fd = p->fd, .events = POLLIN};
    if (poll(&f, 1, 10) == 1) {
        const ssize_t r = recv(p->fd, in, sizeof(in), 0);
        if (r <= 0) {
            p->eof = r == 0 || errno != EAGAIN;
        } else if (nghttp2_session_mem_recv(p->ng, in, (size_t)r) != r) {
            p->eof = true;
        }
    }
}

bool peer_run(h2_peer *p, size_t n, unsigned ms)
{
    const uint64_t until = cuzk_clock_ns() + (uint64_t)ms * 1000000u;
    while (p->n_closed < n && !p->eof && cuzk_clock_ns() < until) {
        step(p);
    }
    return p->n_closed >= n;
}

size_t peer_frame(uint8_t *out, const void *data, size_t n)
{
    cuzk_grpc_prefix_write(out, (uint32_t)n);
    if (n > 0) {
        memcpy(out + CUZK_GRPC_PREFIX, data, n);
    }
    return n + CUZK_GRPC_PREFIX;
}
