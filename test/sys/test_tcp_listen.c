/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sys/tcp_listen.h"

#include "test.h"

/* A name with both addresses, the other one first, as a plain Debian has localhost. */
typedef struct both {
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
    struct addrinfo list[2];
} both;

static void both_of(both *b, uint16_t port)
{
    memset(b, 0, sizeof(*b));
    b->v4.sin_family = AF_INET;
    b->v4.sin_port = htons(port);
    b->v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    b->v6.sin6_family = AF_INET6;
    b->v6.sin6_port = htons(port);
    b->v6.sin6_addr = in6addr_loopback;
    b->list[0] = (struct addrinfo){.ai_family = AF_INET6,
                                   .ai_addr = (struct sockaddr *)(void *)&b->v6,
                                   .ai_addrlen = sizeof(b->v6),
                                   .ai_next = &b->list[1]};
    b->list[1] = (struct addrinfo){.ai_family = AF_INET,
                                   .ai_addr = (struct sockaddr *)(void *)&b->v4,
                                   .ai_addrlen = sizeof(b->v4)};
}

static void ipv4_goes_first(void)
{
    both b;
    struct sockaddr_storage got;
    socklen_t n = sizeof(got);
    both_of(&b, 0);
    const int fd = cuzk_tcp_listen(b.list, 4);
    CHECK(fd >= 0);
    CHECK(getsockname(fd, (struct sockaddr *)(void *)&got, &n) == 0);
    CHECK(got.ss_family == AF_INET);
    (void)close(fd);
}

static void an_address_in_use_is_no_reason_for_another(void)
{
    both b;
    struct sockaddr_in at;
    socklen_t n = sizeof(at);
    both_of(&b, 0);
    const int fd = cuzk_tcp_listen(b.list, 4);
    CHECK(fd >= 0);
    CHECK(getsockname(fd, (struct sockaddr *)(void *)&at, &n) == 0);
    both_of(&b, ntohs(at.sin_port));
    CHECK(cuzk_tcp_listen(b.list, 4) == -1);
    CHECK(errno == EADDRINUSE);
    (void)close(fd);
}

static void nothing_to_listen_on(void)
{
    CHECK(cuzk_tcp_listen(NULL, 4) == -1);
    CHECK(errno == EADDRNOTAVAIL);
}

static const cuzk_case cases[] = {CASE(ipv4_goes_first),
                                  CASE(an_address_in_use_is_no_reason_for_another),
                                  CASE(nothing_to_listen_on)};
TEST_MAIN("sys/tcp_listen", cases)
