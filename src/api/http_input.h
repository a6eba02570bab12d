/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_API_HTTP_INPUT_H
#define CUZK_API_HTTP_INPUT_H

/* The little that is parsed from addresses and requests. All of it takes any bytes. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CUZK_HOST_MAX 256

/** host: without brackets; "" when none was given. */
typedef struct cuzk_host_port {
    char host[CUZK_HOST_MAX];
    uint16_t port;
    bool has_port;
} cuzk_host_port;

/**
 * "host", "host:port", "[IPv6]", "[IPv6]:port", ":port" and, with bare_port, "port". Host names
 * are letters, digits, '-', '.' and '_'; a zone ("%eth0") is refused. False: none of these.
 */
bool cuzk_host_port_parse(cuzk_host_port *out, const char *text, bool bare_port);

/**
 * True for a Host header that names this machine by itself: "localhost" or an IP address, with or
 * without port. A page of some other site that had its name resolve to a loopback address sends
 * its own name instead, and so cannot read what is served there.
 */
bool cuzk_host_is_literal(const char *host_header);

/** A decimal integer and nothing else, no sign; false also above 2^64 - 1. */
bool cuzk_query_u64(const char *text, uint64_t *out);

#endif /* CUZK_API_HTTP_INPUT_H */
