/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "sys/tcp_listen.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

static int listen_on(const struct addrinfo *a, int backlog)
{
    const int one = 1, zero = 0;
    const int fd = socket(a->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        return -1;
    }
    (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
    if (a->ai_family == AF_INET6) {
        (void)setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &zero, sizeof(zero));
    }
    if (bind(fd, a->ai_addr, a->ai_addrlen) != 0 || listen(fd, backlog) != 0) {
        const int e = errno;
        (void)close(fd);
        errno = e;
        return -1;
    }
    return fd;
}

int cuzk_tcp_listen(const struct addrinfo *list, int backlog)
{
    int fd = -1, e = EADDRNOTAVAIL;
    for (int v4 = 1; v4 >= 0; v4--) {
        for (const struct addrinfo *a = list; a != NULL && fd < 0 && e != EADDRINUSE;
             a = a->ai_next) {
            if ((a->ai_family == AF_INET) == (v4 == 1)) {
                fd = listen_on(a, backlog);
                e = errno;
            }
        }
    }
    errno = e;
    return fd;
}
