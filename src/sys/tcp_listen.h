/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_SYS_TCP_LISTEN_H
#define CUZK_SYS_TCP_LISTEN_H

struct addrinfo;

/**
 * A non-blocking socket, closed on exec, that listens on one of the addresses of a name. A name may have
 * addresses of both kinds, localhost mostly does: IPv4 goes first, which everybody can reach,
 * whatever the resolver prefers. An address that somebody else has ends the search, for nobody
 * looks at the others then. [::] takes IPv4 connections too.
 * @return the socket, the caller's to close; -1 with errno
 */
int cuzk_tcp_listen(const struct addrinfo *list, int backlog);

#endif /* CUZK_SYS_TCP_LISTEN_H */
