/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_SYS_TCP_LISTEN_H
#define CUZK_SYS_TCP_LISTEN_H

struct addrinfo;

/**
 * A non-blocking socket, closed on exec, that listens on one of the addresses of a name. A name may have IPv4 and
 * IPv6 addresses (localhost mostly does). IPv4 is tried first, which every client can reach, whatever the resolver
 * prefers. An address that is in use ends the search, because no client would try the other addresses. [::] takes
 * IPv4 connections too. @return the socket, which the caller closes; -1 with errno
 */
int cuzk_tcp_listen(const struct addrinfo *list, int backlog);

#endif /* CUZK_SYS_TCP_LISTEN_H */
