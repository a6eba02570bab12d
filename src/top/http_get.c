/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "top/http_get.h"

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "api/http_input.h"
#include "base/alloc.h"
#include "base/clock.h"

#define MAX_HEAD 16384u

static bool is_header(const char *line, size_t n, const char *name)
{
    const size_t k = strlen(name);
    return n > k && line[k] == ':' && strncasecmp(line, name, k) == 0;
}

/* Decimal between blanks. */
static bool header_u64(const char *line, size_t n, uint64_t *out)
{
    char text[24];
    size_t i = strcspn(line, ":") + 1, k = 0;
    while (i < n && (line[i] == ' ' || line[i] == '\t')) {
        i++;
    }
    while (n > i && (line[n - 1] == ' ' || line[n - 1] == '\t')) {
        n--;
    }
    if (n - i >= sizeof(text)) {
        return false;
    }
    for (; i < n; i++) {
        text[k++] = line[i];
    }
    text[k] = '\0';
    return cuzk_query_u64(text, out);
}

static bool parse_line(cuzk_http_head *h, const char *line, size_t n)
{
    uint64_t length = 0;
    if (is_header(line, n, "transfer-encoding")) {
        return false;
    }
    if (is_header(line, n, "content-length")) {
        if (!header_u64(line, n, &length) || (h->has_length && length != h->content_length)) {
            return false;
        }
        h->has_length = true;
        h->content_length = length;
    }
    return true;
}

bool cuzk_http_parse_head(cuzk_http_head *out, const void *data, size_t n, bool *bad)
{
    const char *p = data;
    memset(out, 0, sizeof(*out));
    *bad = true;
    const char *end = n == 0 ? NULL : memmem(p, n, "\r\n\r\n", 4);
    if (end == NULL) {
        *bad = n > MAX_HEAD || (n > 0 && memcmp(p, "HTTP/1.", n < 7 ? n : 7) != 0);
        return false;
    }
    out->head_bytes = (size_t)(end - p) + 4;
    /* "HTTP/1.x ccc" */
    if (out->head_bytes < 14 || memcmp(p, "HTTP/1.", 7) != 0 || p[8] != ' ') {
        return false;
    }
    for (int i = 9; i < 12; i++) {
        if (p[i] < '0' || p[i] > '9') {
            return false;
        }
        out->code = out->code * 10 + (unsigned)(p[i] - '0');
    }
    if (out->code < 100 || (p[12] != ' ' && p[12] != '\r')) {
        return false;
    }
    for (const char *line = p; line < end;) {
        const char *stop = memmem(line, (size_t)(end + 2 - line), "\r\n", 2);
        if (stop == NULL || !parse_line(out, line, (size_t)(stop - line))) {
            return false;
        }
        line = stop + 2;
    }
    *bad = false;
    return true;
}

/* Waits for events until the deadline; false: it passed. */
static bool wait_for(int fd, short events, uint64_t deadline_ns)
{
    for (;;) {
        struct pollfd p = {.fd = fd, .events = events};
        const uint64_t now = cuzk_clock_ns();
        if (now >= deadline_ns) {
            return false;
        }
        const int k = poll(&p, 1, (int)((deadline_ns - now) / 1000000) + 1);
        if (k > 0) {
            return true;
        }
        if (k < 0 && errno != EINTR) {
            return false;
        }
    }
}

static int dial_one(const struct addrinfo *a, uint64_t deadline_ns)
{
    const int fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    int failure = 0;
    socklen_t n = sizeof(failure);
    if (fd < 0) {
        return -1;
    }
    if (connect(fd, a->ai_addr, a->ai_addrlen) == 0) {
        return fd;
    }
    failure = errno;
    if (failure == EINPROGRESS) {
        if (!wait_for(fd, POLLOUT, deadline_ns)) {
            failure = ETIMEDOUT;
        } else if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &failure, &n) != 0) {
            failure = errno;
        }
    }
    if (failure == 0) {
        return fd;
    }
    (void)close(fd);
    errno = failure;
    return -1;
}

static cuzk_status dial(int *fd, const char *address, const cuzk_host_port *hp,
                        uint64_t deadline_ns, cuzk_err *err)
{
    char port[8];
    struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    struct addrinfo *list = NULL;
    hints.ai_flags = AI_NUMERICSERV;
    (void)snprintf(port, sizeof(port), "%u", (unsigned)hp->port);
    const int rc = getaddrinfo(hp->host[0] != '\0' ? hp->host : "127.0.0.1", port, &hints, &list);
    if (rc != 0) {
        return CUZK_FAIL(err, CUZK_E_IO, "%s: %s", address, gai_strerror(rc));
    }
    *fd = -1;
    for (const struct addrinfo *a = list; a != NULL && *fd < 0; a = a->ai_next) {
        *fd = dial_one(a, deadline_ns);
    }
    const int os = errno;
    freeaddrinfo(list);
    return *fd >= 0
               ? CUZK_OK
               : CUZK_FAIL_OS(err, CUZK_E_IO, os, "cannot reach %s: %s", address, strerror(os));
}

static cuzk_status send_all(int fd, const char *p, size_t n, uint64_t deadline_ns,
                            const char *address, cuzk_err *err)
{
    while (n > 0) {
        const ssize_t k = send(fd, p, n, MSG_NOSIGNAL);
        if (k > 0) {
            p += k;
            n -= (size_t)k;
        } else if (errno != EINTR && (errno != EAGAIN || !wait_for(fd, POLLOUT, deadline_ns))) {
            return CUZK_FAIL_OS(err, CUZK_E_IO, errno, "%s: cannot send", address);
        }
    }
    return CUZK_OK;
}

/* Reads the whole reply, which ends with the connection (it is asked for so). */
static cuzk_status receive(char **reply, size_t *n, int fd, uint64_t deadline_ns, size_t max,
                           const char *address, cuzk_err *err)
{
    size_t cap = 0;
    for (;;) {
        if (cap - *n < 65536) {
            const size_t more = cap + cap / 2 + 131072;
            char *p = cuzk_realloc(*reply, more, 1);
            if (p == NULL) {
                return CUZK_FAIL(err, CUZK_E_NOMEM, "%s: no memory for the reply", address);
            }
            *reply = p;
            cap = more;
        }
        const ssize_t k = recv(fd, *reply + *n, cap - *n - 1, 0);
        if (k == 0) {
            (*reply)[*n] = '\0';
            return CUZK_OK;
        }
        if (k > 0) {
            *n += (size_t)k;
            if (*n > max) {
                return CUZK_FAIL(err, CUZK_E_BUDGET, "%s: the reply is larger than %zu bytes",
                                 address, max);
            }
        } else if (errno != EINTR && errno != EAGAIN) {
            return CUZK_FAIL_OS(err, CUZK_E_IO, errno, "%s: %s", address, strerror(errno));
        } else if (!wait_for(fd, POLLIN, deadline_ns)) {
            return CUZK_FAIL_OS(err, CUZK_E_IO, ETIMEDOUT, "%s does not answer", address);
        }
    }
}

static cuzk_status take_body(char *reply, size_t *n, const char *address, const char *path,
                             cuzk_err *err)
{
    cuzk_http_head h;
    bool bad = false;
    if (!cuzk_http_parse_head(&h, reply, *n, &bad)) {
        return CUZK_FAIL(err, CUZK_E_IO, "%s does not speak HTTP", address);
    }
    if (h.code != 200) {
        return CUZK_FAIL_OS(err, CUZK_E_IO, (int)h.code, "%s%s: HTTP %u", address, path, h.code);
    }
    const size_t have = *n - h.head_bytes;
    if (h.has_length && have != h.content_length) {
        return CUZK_FAIL(err, CUZK_E_IO, "%s: the reply was cut off", address);
    }
    memmove(reply, reply + h.head_bytes, have + 1);
    *n = have;
    return CUZK_OK;
}

cuzk_status cuzk_http_get(char **body, size_t *n, const char *address, const char *path,
                          unsigned timeout_ms, size_t max_body, cuzk_err *err)
{
    cuzk_host_port hp;
    char request[1024];
    int fd = -1;
    const uint64_t deadline_ns = cuzk_clock_ns() + (uint64_t)timeout_ms * 1000000;
    *body = NULL;
    *n = 0;
    const char *at = strncmp(address, "http://", 7) == 0 ? address + 7 : address;
    if (!cuzk_host_port_parse(&hp, at, true) || !hp.has_port) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "'%s' is not HOST:PORT", address);
    }
    const bool v6 = strchr(hp.host, ':') != NULL;
    const int k = snprintf(request, sizeof(request),
                           "GET %s HTTP/1.1\r\nHost: %s%s%s:%u\r\nConnection: close\r\n\r\n", path,
                           v6 ? "[" : "", hp.host[0] != '\0' ? hp.host : "127.0.0.1", v6 ? "]" : "",
                           (unsigned)hp.port);
    if (k < 0 || (size_t)k >= sizeof(request)) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "'%s' is too long", address);
    }
    CUZK_TRY(dial(&fd, address, &hp, deadline_ns, err));
    cuzk_status st = send_all(fd, request, (size_t)k, deadline_ns, address, err);
    if (st == CUZK_OK) {
        st = receive(body, n, fd, deadline_ns, max_body + MAX_HEAD, address, err);
    }
    if (st == CUZK_OK) {
        st = take_body(*body, n, address, path, err);
    }
    (void)close(fd);
    if (st != CUZK_OK) {
        cuzk_free(*body);
        *body = NULL;
        *n = 0;
    }
    return st;
}
