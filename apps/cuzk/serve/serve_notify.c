/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "serve_notify.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static const char *environment(const char *name)
{
    const char *v = getenv(name); /* NOLINT(concurrency-mt-unsafe): nobody here calls setenv */
    return v != NULL && v[0] != '\0' ? v : NULL;
}

/* 0 when the variable is not a number. */
static uint64_t number(const char *name)
{
    const char *v = environment(name);
    char *end = NULL;
    const unsigned long long n = v == NULL ? 0 : strtoull(v, &end, 10);
    return end != NULL && *end == '\0' ? (uint64_t)n : 0;
}

static int connect_to(const char *path)
{
    struct sockaddr_un u = {.sun_family = AF_UNIX};
    const size_t n = strlen(path);
    if ((path[0] != '/' && path[0] != '@') || n >= sizeof(u.sun_path)) {
        return -1;
    }
    memcpy(u.sun_path, path, n);
    if (path[0] == '@') {
        u.sun_path[0] = '\0'; /* the abstract name space */
    }
    const socklen_t len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n);
    const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd >= 0 && connect(fd, (const struct sockaddr *)&u, len) != 0) {
        (void)close(fd);
        return -1;
    }
    return fd;
}

void serve_notify_open(serve_notify *n)
{
    const char *path = environment("NOTIFY_SOCKET");
    const uint64_t pid = number("WATCHDOG_PID");
    memset(n, 0, sizeof(*n));
    n->fd = path == NULL ? -1 : connect_to(path);
    if (n->fd >= 0 && (pid == 0 || pid == (uint64_t)getpid())) {
        n->watchdog_us = number("WATCHDOG_USEC");
    }
}

void serve_notify_close(serve_notify *n)
{
    if (n->fd >= 0) {
        (void)close(n->fd);
        n->fd = -1;
    }
}

bool serve_notify_send(const serve_notify *n, const char *fmt, ...)
{
    char text[512];
    va_list ap;
    if (n->fd < 0) {
        return false;
    }
    va_start(ap, fmt);
    const int len = vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    return len > 0 && (size_t)len < sizeof(text) &&
           send(n->fd, text, (size_t)len, MSG_NOSIGNAL) == (ssize_t)len;
}

void serve_notify_status(serve_notify *n, const char *text)
{
    if (strncmp(text, n->status, sizeof(n->status)) != 0 &&
        serve_notify_send(n, "STATUS=%s", text)) {
        (void)snprintf(n->status, sizeof(n->status), "%s", text);
    }
}
