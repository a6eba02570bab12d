/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Callers that hold a place and do nothing with it: the place goes to callers that wait. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rpc/wire/rpc_grpc.h"
#include "rpc/wire/rpc_wire.h"

#include "rpc_fixture.h"
#include "test.h"

#define PROVE "/cuzk.v1.ProvingEngine/Prove"
#define NEVER 3600000u /* milliseconds: no time-out of the server ends what a case is about */

static const cuzk_rpc_limits patient = {.max_message = 3u << 20,
                                        .receive_budget = 4u << 20,
                                        .preface_ms = NEVER,
                                        .ping_ms = NEVER,
                                        .stall_ms = NEVER};

/* A framed ProveRequest with a C1 of n bytes; freed by the caller. */
static uint8_t *prove_body(size_t *len, size_t n)
{
    cuzk_wire_writer w = {.data = NULL}, p = {.data = NULL};
    uint8_t *c1 = calloc(1, n);
    CHECK(c1 != NULL);
    cuzk_wire_put_str(&w, 1, "peer");
    cuzk_wire_put_u64(&w, 2, 1);
    cuzk_wire_put_bytes(&w, 10, c1, n);
    cuzk_wire_put_message(&p, 1, w.data, w.len);
    uint8_t *out = malloc(p.len + 5);
    CHECK(out != NULL && !w.nomem && !p.nomem);
    *len = peer_frame(out, p.data, p.len);
    cuzk_wire_writer_free(&w);
    cuzk_wire_writer_free(&p);
    free(c1);
    return out;
}

static cuzk_rpc_stats stats(const fixture *f)
{
    cuzk_rpc_stats s;
    cuzk_rpc_server_get_stats(f->server, &s);
    return s;
}

/* Both sides run until the server has reserved n bytes of requests. */
static void run_until_reserved(const fixture *f, h2_peer *p, uint64_t n)
{
    while (stats(f).receive_bytes_now < n) {
        CHECK(!peer_run(p, 1, 10) && !p->eof);
    }
}

/*
 * Small messages, too, may not hold the memory of requests: neither one whose rest does not come, nor
 * one that is whole and whose request is not ended.
 */
static void small_uploads_make_room(void)
{
    enum { HELD = 6, SIZE = 600000 }; /* seven eighths of 4 MiB are for callers that nobody knows */
    size_t n = 0, honest_n = 0;
    uint8_t *body = prove_body(&n, SIZE), *honest_body = prove_body(&honest_n, 300000);
    for (int whole = 0; whole < 2; whole++) {
        fixture f;
        const cuzk_rpc_server_config config = {.limits = patient};
        fixture_start(&f, &config);
        h2_peer *hog = fixture_peer(&f, 65535), *honest = fixture_peer(&f, 65535);
        for (int i = 0; i < HELD; i++) {
            (void)peer_request(hog, PROVE, NULL, body, whole == 1 ? n : 1000, true);
        }
        run_until_reserved(&f, hog, HELD * (uint64_t)SIZE);
        const peer_call *c = peer_request(honest, PROVE, NULL, honest_body, honest_n, false);
        while (!c->closed) {
            (void)peer_run(hog, PEER_CALLS, 5); /* sends what it may, and answers pings */
            (void)peer_run(honest, 1, 5);
            CHECK(!honest->eof);
        }
        CHECK_MSG(c->code == CUZK_GRPC_OK, "code %d: %s", c->code, c->message);
        const uint64_t ended = stats(&f).uploads_ended;
        CHECK_MSG(ended >= 1 && ended < HELD, "%llu uploads were ended", (unsigned long long)ended);
        peer_destroy(hog);
        peer_destroy(honest);
        CHECK(fixture_wait(&f, fixture_nothing_reserved));
        fixture_stop(&f);
    }
    free(body);
    free(honest_body);
}

/* One frame of HTTP/2 into out; the length. */
static size_t put_frame(uint8_t *out, uint8_t type, uint8_t flags, uint32_t stream,
                        const void *payload, size_t n)
{
    const uint8_t head[9] = {(uint8_t)(n >> 16),
                             (uint8_t)(n >> 8),
                             (uint8_t)n,
                             type,
                             flags,
                             (uint8_t)(stream >> 24),
                             (uint8_t)(stream >> 16),
                             (uint8_t)(stream >> 8),
                             (uint8_t)stream};
    memcpy(out, head, sizeof(head));
    if (n > 0) {
        memcpy(out + sizeof(head), payload, n);
    }
    return sizeof(head) + n;
}

/*
 * Each request beyond max_streams is refused with a frame of its own. A peer that makes very many of
 * them and reads nothing is closed before they fill the memory.
 */
static void unread_refusals_are_bounded(void)
{
    enum { FRAMES = 4000000, AT_ONCE = 500 };
    static const char block[] = "\x83\x86\x41\x01x\x04\x02/x"; /* POST, http, :authority, :path */
    static uint8_t out[AT_ONCE * 32];
    fixture f;
    cuzk_rpc_server_config config = {.limits = patient};
    config.limits.max_streams = 1;
    fixture_start(&f, &config);
    const int fd = fixture_socket(&f), small = 4096;
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
    CHECK(fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK) == 0);
    CHECK(send(fd, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 24, MSG_NOSIGNAL) == 24);
    size_t n = put_frame(out, 4, 0, 0, NULL, 0);
    CHECK(send(fd, out, n, MSG_NOSIGNAL) == (ssize_t)n);
    uint32_t stream = 1;
    bool closed = false;
    uint64_t most = 0;
    for (int i = 0; i < FRAMES / AT_ONCE && !closed; i++) {
        n = 0;
        for (int k = 0; k < AT_ONCE; k++, stream += 2) {
            n += put_frame(out + n, 1, 4, stream, block, sizeof(block) - 1);
        }
        for (size_t at = 0; at < n && !closed;) {
            const ssize_t k = send(fd, out + at, n - at, MSG_NOSIGNAL);
            closed = k <= 0;
            at += k > 0 ? (size_t)k : 0;
        }
        const uint64_t held = stats(&f).answer_bytes_now;
        most = held > most ? held : most;
    }
    CHECK(closed);
    CHECK_MSG(most < 16u << 20, "%llu bytes", (unsigned long long)most);
    CHECK_U64(stats(&f).connections_evicted, 1);
    CHECK_U64(stats(&f).answer_bytes_now, 0);
    (void)close(fd);
    fixture_stop(&f);
}

/* Another program's socket or file under the name of the server's socket is not the server's to remove. */
static void only_its_own_socket_is_removed(void)
{
    fixture f;
    struct stat st;
    fixture_start(&f, NULL);
    CHECK(unlink(f.unix_path) == 0);
    FILE *file = fopen(f.unix_path, "w");
    CHECK(file != NULL && fputs("precious", file) >= 0 && fclose(file) == 0);
    cuzk_rpc_server_destroy(f.server);
    fake_engine_destroy(f.engine);
    CHECK(stat(f.unix_path, &st) == 0 && st.st_size == 8);
    CHECK(unlink(f.unix_path) == 0);
}

static const cuzk_case cases[] = {CASE(small_uploads_make_room), CASE(unread_refusals_are_bounded),
                                  CASE(only_its_own_socket_is_removed)};
TEST_MAIN("rpc/places", cases)
