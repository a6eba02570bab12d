/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_TEST_RPC_H2_PEER_H
#define CUZK_TEST_RPC_H2_PEER_H

/* An HTTP/2 client that does what it is told, also what a well-behaved one would not. */
#include <nghttp2/nghttp2.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PEER_CALLS    600
/* Milliseconds after which what should come has not come: only a fault takes so long. */
#define PEER_PATIENCE 120000u

typedef struct peer_call {
    int32_t stream_id;
    const uint8_t *body;
    size_t body_len, body_off;
    bool keep_open; /* no END_STREAM after the body */
    bool closed;
    uint32_t reset;
    int http, code; /* -1: not said */
    char message[512];
    uint8_t reply[32768]; /* what fits */
    size_t reply_len;
} peer_call;

typedef struct h2_peer {
    int fd;
    nghttp2_session *ng;
    peer_call calls[PEER_CALLS];
    size_t n_calls, n_closed;
    size_t n_pings; /* of the server; each is answered when the peer runs next */
    bool goaway, eof;
} h2_peer;

/** Adopts a connected socket. window: SETTINGS_INITIAL_WINDOW_SIZE. Fails the case on errors. */
h2_peer *peer_create(int fd, uint32_t window);
void peer_destroy(h2_peer *p);
/** A POST to path with the usual headers, then extra (name, value, ..., NULL), which replace equal names. */
peer_call *peer_request(h2_peer *p, const char *path, const char *const *extra, const void *body,
                        size_t body_len, bool keep_open);
/** Runs until n calls are closed, the connection ends, or ms have passed; true when n are closed. */
bool peer_run(h2_peer *p, size_t n, unsigned ms);
void peer_reset(h2_peer *p, peer_call *c);
/** gRPC message around data into out [n + 5]. */
size_t peer_frame(uint8_t *out, const void *data, size_t n);

#endif /* CUZK_TEST_RPC_H2_PEER_H */
