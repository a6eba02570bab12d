/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "pg_proxy.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "test.h"

#define MAX_PAIRS 32
#define CHUNK     65536

/* Where a stream is in its messages: a type and a length, but for the first one of a client. */
typedef struct scanner {
    uint8_t head[5];
    uint32_t n_head;
    uint64_t left;   /* of the body */
    bool is_startup; /* the first message of a client has no type */
} scanner;

typedef struct pair {
    int client, server; /* -1: free */
    scanner from_client, from_server;
    bool is_held; /* hit: answers are dropped until the server is done */
} pair;

static struct {
    char folder[64], server[64];
    int listener, wake[2];
    pthread_t thread;
    pair pairs[MAX_PAIRS];
    pthread_mutex_t mutex; /* what follows */
    uint64_t left;         /* statements until the hit; 0: not armed */
    bool after, was_hit;
    pid_t victim;
} g = {.mutex = PTHREAD_MUTEX_INITIALIZER};

/* Moves over one byte; the type of a message that ends its head here, or 0. */
static uint8_t step(scanner *s, uint8_t byte)
{
    if (s->left > 0) {
        s->left--;
        return 0;
    }
    s->head[s->n_head++] = byte;
    const uint32_t skip = s->is_startup ? 0 : 1;
    if (s->n_head < 4 + skip) {
        return 0;
    }
    const uint8_t *l = s->head + skip;
    s->left = ((uint64_t)l[0] << 24 | (uint64_t)l[1] << 16 | (uint64_t)l[2] << 8 | l[3]) - 4;
    const uint8_t type = s->is_startup ? 1 : s->head[0];
    s->n_head = 0;
    s->is_startup = false;
    return type;
}

static void close_pair(pair *p)
{
    (void)close(p->client);
    (void)close(p->server);
    p->client = p->server = -1;
}

static bool send_all(int fd, const uint8_t *data, size_t n)
{
    while (n > 0) {
        const ssize_t sent = send(fd, data, n, MSG_NOSIGNAL);
        if (sent < 0 && errno != EINTR) {
            return false;
        }
        data += sent > 0 ? sent : 0;
        n -= sent > 0 ? (size_t)sent : 0;
    }
    return true;
}

/* One statement ends; true: it is the one. */
static bool count_statement(bool *after)
{
    (void)pthread_mutex_lock(&g.mutex);
    const bool is_hit = g.left == 1;
    g.left -= g.left > 0 ? 1 : 0;
    g.was_hit = g.was_hit || is_hit;
    *after = g.after;
    if (is_hit && !g.after && g.victim != 0) {
        (void)kill(g.victim, SIGKILL);
    }
    (void)pthread_mutex_unlock(&g.mutex);
    return is_hit;
}

static void from_client(pair *p)
{
    static uint8_t buf[CHUNK];
    const ssize_t n = recv(p->client, buf, sizeof(buf), 0);
    if (n <= 0) {
        close_pair(p);
        return;
    }
    for (ssize_t i = 0; i < n; i++) {
        bool after = false;
        const uint8_t type = step(&p->from_client, buf[i]);
        if ((type == 'S' || type == 'Q') && count_statement(&after)) {
            if (!after) { /* the server never gets the end of it */
                close_pair(p);
                return;
            }
            p->is_held = true;
        }
    }
    if (!send_all(p->server, buf, (size_t)n)) {
        close_pair(p);
    }
}

static void from_server(pair *p)
{
    static uint8_t buf[CHUNK];
    const ssize_t n = recv(p->server, buf, sizeof(buf), 0);
    if (n <= 0) {
        close_pair(p);
        return;
    }
    for (ssize_t i = 0; i < n; i++) {
        if (step(&p->from_server, buf[i]) == 'Z' && p->is_held) { /* done, and nobody hears of it */
            (void)pthread_mutex_lock(&g.mutex);
            if (g.victim != 0) {
                (void)kill(g.victim, SIGKILL);
            }
            (void)pthread_mutex_unlock(&g.mutex);
            close_pair(p);
            return;
        }
    }
    if (!p->is_held && !send_all(p->client, buf, (size_t)n)) {
        close_pair(p);
    }
}

static int connect_to(const char *folder)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    (void)snprintf(a.sun_path, sizeof(a.sun_path), "%.80s/.s.PGSQL.5432", folder);
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, (const struct sockaddr *)&a, sizeof(a)) != 0) {
        (void)close(fd);
        return -1;
    }
    return fd;
}

static void accept_one(void)
{
    const int client = accept4(g.listener, NULL, NULL, SOCK_CLOEXEC);
    const int server = client >= 0 ? connect_to(g.server) : -1;
    for (int i = 0; i < MAX_PAIRS && server >= 0; i++) {
        if (g.pairs[i].client < 0) {
            g.pairs[i] = (pair){.client = client, .server = server};
            g.pairs[i].from_client.is_startup = true;
            return;
        }
    }
    (void)close(client);
    (void)close(server);
}

static void *run(void *arg)
{
    (void)arg;
    for (;;) {
        struct pollfd p[2 + 2 * MAX_PAIRS];
        p[0] = (struct pollfd){.fd = g.wake[0], .events = POLLIN};
        p[1] = (struct pollfd){.fd = g.listener, .events = POLLIN};
        for (int i = 0; i < MAX_PAIRS; i++) {
            p[2 + 2 * i] = (struct pollfd){.fd = g.pairs[i].client, .events = POLLIN};
            p[3 + 2 * i] = (struct pollfd){.fd = g.pairs[i].server, .events = POLLIN};
        }
        if (poll(p, 2 + 2 * MAX_PAIRS, -1) < 0) {
            continue;
        }
        if (p[0].revents != 0) {
            return NULL;
        }
        for (int i = 0; i < MAX_PAIRS; i++) {
            if (g.pairs[i].client >= 0 && p[2 + 2 * i].revents != 0) {
                from_client(&g.pairs[i]);
            } else if (g.pairs[i].client >= 0 && p[3 + 2 * i].revents != 0) {
                from_server(&g.pairs[i]);
            }
        }
        if (p[1].revents != 0) {
            accept_one();
        }
    }
}

const char *pg_proxy_start(const char *server_folder)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    (void)snprintf(g.server, sizeof(g.server), "%s", server_folder);
    (void)snprintf(g.folder, sizeof(g.folder), "%s", test_tmpdir());
    (void)snprintf(a.sun_path, sizeof(a.sun_path), "%s/.s.PGSQL.5432", g.folder);
    for (int i = 0; i < MAX_PAIRS; i++) {
        g.pairs[i].client = g.pairs[i].server = -1;
    }
    g.listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK(g.listener >= 0 && pipe(g.wake) == 0);
    CHECK(bind(g.listener, (const struct sockaddr *)&a, sizeof(a)) == 0);
    CHECK(listen(g.listener, 64) == 0);
    CHECK(pthread_create(&g.thread, NULL, run, NULL) == 0);
    return g.folder;
}

void pg_proxy_arm(uint64_t k, bool after, pid_t victim)
{
    (void)pthread_mutex_lock(&g.mutex);
    g.left = k;
    g.after = after;
    g.was_hit = false;
    g.victim = victim;
    (void)pthread_mutex_unlock(&g.mutex);
}

bool pg_proxy_was_hit(void)
{
    (void)pthread_mutex_lock(&g.mutex);
    const bool was_hit = g.was_hit;
    (void)pthread_mutex_unlock(&g.mutex);
    return was_hit;
}

void pg_proxy_stop(void)
{
    CHECK(write(g.wake[1], "x", 1) == 1);
    CHECK(pthread_join(g.thread, NULL) == 0);
    for (int i = 0; i < MAX_PAIRS; i++) {
        if (g.pairs[i].client >= 0) {
            close_pair(&g.pairs[i]);
        }
    }
    (void)close(g.listener);
    (void)close(g.wake[0]);
    (void)close(g.wake[1]);
}
