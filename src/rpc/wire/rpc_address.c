/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "rpc/wire/rpc_address.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "sys/tcp_listen.h"

static bool skip_prefix(const char **s, const char *prefix)
{
    const size_t n = strlen(prefix);
    if (strncmp(*s, prefix, n) != 0) {
        return false;
    }
    *s += n;
    return true;
}

static cuzk_status parse_unix(cuzk_rpc_address *out, const char *text, const char *path,
                              cuzk_err *err)
{
    const size_t n = strlen(path);
    if (n == 0 || n >= sizeof(out->path)) {
        return CUZK_FAIL(err, CUZK_E_INVALID,
                         "address '%s': the path of a unix socket has 1 to %zu bytes", text,
                         sizeof(out->path) - 1);
    }
    out->is_unix = true;
    memcpy(out->path, path, n + 1);
    return CUZK_OK;
}

static bool parse_port(cuzk_rpc_address *out, const char *s)
{
    unsigned v = 0;
    size_t n = 0;
    for (; s[n] >= '0' && s[n] <= '9' && n < 5; n++) {
        v = v * 10 + (unsigned)(s[n] - '0');
    }
    if (n == 0 || s[n] != '\0' || v > 65535) {
        return false;
    }
    (void)snprintf(out->port, sizeof(out->port), "%u", v & 0xffffu);
    return true;
}

cuzk_status cuzk_rpc_address_parse(cuzk_rpc_address *out, const char *text, cuzk_err *err)
{
    const char *s = text;
    memset(out, 0, sizeof(*out));
    if (skip_prefix(&s, "unix://") || skip_prefix(&s, "unix:")) {
        return parse_unix(out, text, s, err);
    }
    if (skip_prefix(&s, "https://")) {
        out->tls = true;
    } else if (!skip_prefix(&s, "http://")) {
        (void)skip_prefix(&s, "dns:///");
    }
    size_t n = strlen(s);
    char copy[sizeof(out->host) + 8];
    while (n > 0 && s[n - 1] == '/') { /* http://host:port/ */
        n--;
    }
    const char *host = copy;
    char *colon = NULL;
    if (n < sizeof(copy)) {
        memcpy(copy, s, n);
        copy[n] = '\0';
        colon = strrchr(copy, ':');
    }
    if (colon == NULL || !parse_port(out, colon + 1)) {
        return CUZK_FAIL(err, CUZK_E_INVALID,
                         "address '%s': expected HOST:PORT, [IPV6]:PORT or unix:///PATH", text);
    }
    *colon = '\0';
    if (*host == '[' && colon[-1] == ']') {
        colon[-1] = '\0';
        host++;
    } else if (strpbrk(host, ":/[]") != NULL) {
        return CUZK_FAIL(err, CUZK_E_INVALID,
                         "address '%s': '%s' is not a host; IPv6 is written in brackets", text,
                         host);
    }
    if (strlen(host) >= sizeof(out->host)) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "address '%s': host name too long", text);
    }
    memcpy(out->host, host, strlen(host) + 1);
    return CUZK_OK;
}

/* mkdir -p of the folder that path lies in. */
static void make_parents(const char *path)
{
    char part[108];
    for (size_t i = 1; path[i] != '\0' && i < sizeof(part); i++) {
        if (path[i] == '/') {
            memcpy(part, path, i);
            part[i] = '\0';
            (void)mkdir(part, 0755); /* bind reports what is wrong */
        }
    }
}

static void unix_name(struct sockaddr_un *u, const char *path)
{
    memset(u, 0, sizeof(*u));
    u->sun_family = AF_UNIX;
    memcpy(u->sun_path, path, strlen(path) + 1);
}

/* A socket file without a listener is left over from a process that was killed. */
static bool is_stale(const struct sockaddr_un *u)
{
    struct stat sb;
    if (lstat(u->sun_path, &sb) != 0 || !S_ISSOCK(sb.st_mode)) {
        return false;
    }
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        return false;
    }
    const bool refused =
        connect(fd, (const struct sockaddr *)u, sizeof(*u)) != 0 && errno == ECONNREFUSED;
    (void)close(fd);
    return refused;
}

static cuzk_status listen_unix(int *out, const cuzk_rpc_address *a, int mode, cuzk_err *err)
{
    struct sockaddr_un u;
    struct stat sb;
    unix_name(&u, a->path);
    make_parents(a->path);
    if (lstat(a->path, &sb) == 0 && !S_ISSOCK(sb.st_mode)) {
        return CUZK_FAIL(err, CUZK_E_INVALID,
                         "cannot listen on unix socket %s: there is a %s of this name, which is "
                         "left alone",
                         a->path, S_ISDIR(sb.st_mode) ? "folder" : "file");
    }
    if (is_stale(&u)) {
        (void)unlink(a->path);
    }
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0 || bind(fd, (const struct sockaddr *)&u, sizeof(u)) != 0 ||
        (mode != 0 && chmod(a->path, (mode_t)mode) != 0) || listen(fd, 1024) != 0) {
        const int e = errno;
        if (fd >= 0) {
            (void)close(fd);
        }
        return CUZK_FAIL_OS(err, CUZK_E_IO, e, "cannot listen on unix socket %s: %s", a->path,
                            strerror(e));
    }
    *out = fd;
    return CUZK_OK;
}

static cuzk_status resolve(struct addrinfo **out, const cuzk_rpc_address *a, bool passive,
                           cuzk_err *err)
{
    const struct addrinfo hints = {.ai_family = AF_UNSPEC,
                                   .ai_socktype = SOCK_STREAM,
                                   .ai_flags = AI_NUMERICSERV | (passive ? AI_PASSIVE : 0)};
    const int rc = getaddrinfo(a->host[0] == '\0' ? NULL : a->host, a->port, &hints, out);
    if (rc != 0) {
        return CUZK_FAIL(err, passive ? CUZK_E_INVALID : CUZK_E_IO, "host '%s': %s", a->host,
                         gai_strerror(rc));
    }
    return CUZK_OK;
}

cuzk_status cuzk_rpc_address_listen(int *fd, const cuzk_rpc_address *a, int unix_mode,
                                    cuzk_err *err)
{
    struct addrinfo *list = NULL;
    if (a->is_unix) {
        return listen_unix(fd, a, unix_mode, err);
    }
    CUZK_TRY(resolve(&list, a, true, err));
    const int got = cuzk_tcp_listen(list, 1024), e = errno;
    freeaddrinfo(list);
    if (got < 0) {
        return CUZK_FAIL_OS(err, CUZK_E_IO, e, "cannot listen on %s:%s: %s", a->host, a->port,
                            strerror(e));
    }
    *fd = got;
    return CUZK_OK;
}

/* Waits until the socket is connected or cannot be, in steps that see a cancellation; an errno or 0. */
static int wait_connected(int fd, uint64_t until_ns, const cuzk_cancel *cancel)
{
    int e = 0;
    socklen_t len = sizeof(e);
    for (;;) {
        struct pollfd p = {.fd = fd, .events = POLLOUT};
        const uint64_t now = cuzk_clock_ns();
        const uint64_t left_ms = until_ns > now ? (until_ns - now) / 1000000u : 0;
        if (poll(&p, 1, left_ms > 50 ? 50 : (int)left_ms) == 1) {
            return getsockopt(fd, SOL_SOCKET, SO_ERROR, &e, &len) != 0 ? errno : e;
        }
        if (cuzk_cancel_requested(cancel)) {
            return ECANCELED;
        }
        if (left_ms == 0) {
            return ETIMEDOUT;
        }
    }
}

/* Connects a fresh non-blocking socket; errno on failure. */
static int connect_to(int family, const struct sockaddr *to, socklen_t n, uint64_t until_ns,
                      const cuzk_cancel *cancel)
{
    const int one = 1;
    const int fd = socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        return -1;
    }
    int e = connect(fd, to, n) == 0 ? 0 : errno;
    if (e == EINPROGRESS) {
        e = wait_connected(fd, until_ns, cancel);
    }
    if (e != 0) {
        (void)close(fd);
        errno = e;
        return -1;
    }
    if (family != AF_UNIX) {
        (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    }
    return fd;
}

cuzk_status cuzk_rpc_address_connect(int *fd, const cuzk_rpc_address *a, uint32_t timeout_ms,
                                     const cuzk_cancel *cancel, cuzk_err *err)
{
    const uint64_t until = cuzk_clock_ns() + (uint64_t)timeout_ms * 1000000u;
    int got = -1, e = 0;
    if (a->is_unix) {
        struct sockaddr_un u;
        unix_name(&u, a->path);
        got = connect_to(AF_UNIX, (const struct sockaddr *)&u, sizeof(u), until, cancel);
        e = errno;
    } else {
        struct addrinfo *list = NULL;
        CUZK_TRY(resolve(&list, a, false, err));
        for (const struct addrinfo *ai = list; ai != NULL && got < 0 && e != ECANCELED;
             ai = ai->ai_next) {
            got = connect_to(ai->ai_family, ai->ai_addr, ai->ai_addrlen, until, cancel);
            e = errno;
        }
        freeaddrinfo(list);
    }
    if (got < 0 && e == ECANCELED) {
        return CUZK_FAIL(err, CUZK_E_CANCELLED, "cancelled");
    }
    if (got < 0) {
        return CUZK_FAIL_OS(err, CUZK_E_IO, e, "cannot connect to %s%s%s%s: %s",
                            a->is_unix ? "unix://" : "", a->is_unix ? a->path : a->host,
                            a->is_unix ? "" : ":", a->port, strerror(e));
    }
    *fd = got;
    return CUZK_OK;
}

uint16_t cuzk_rpc_socket_port(int fd)
{
    struct sockaddr_storage ss;
    socklen_t n = sizeof(ss);
    char port[8];
    if (getsockname(fd, (struct sockaddr *)&ss, &n) != 0 ||
        (ss.ss_family != AF_INET && ss.ss_family != AF_INET6) ||
        getnameinfo((const struct sockaddr *)&ss, n, NULL, 0, port, sizeof(port), NI_NUMERICSERV) !=
            0) {
        return 0;
    }
    unsigned v = 0;
    for (const char *p = port; *p >= '0' && *p <= '9'; p++) {
        v = v * 10 + (unsigned)(*p - '0');
    }
    return (uint16_t)v;
}
