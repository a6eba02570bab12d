/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_API_HTTP_GET_H
#define CUZK_API_HTTP_GET_H

/* Just enough of an HTTP client to ask a cuzk daemon for its status. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

typedef struct cuzk_http_head {
    unsigned code;     /* 100 .. 999 */
    size_t head_bytes; /* up to and with the empty line */
    bool has_length;
    uint64_t content_length;
} cuzk_http_head;

/**
 * Reads the head of a reply. False: it is not complete yet, or *bad is set and never will be (no
 * HTTP/1, two lengths that differ, a transfer coding). Takes any bytes.
 */
bool cuzk_http_parse_head(cuzk_http_head *out, const void *data, size_t n, bool *bad);

/**
 * GET path from address ("HOST:PORT", "[IPv6]:PORT", also after "http://"). *body: NUL-terminated,
 * the caller's, released with cuzk_free. E_INVALID (address), E_IO (no connection, no HTTP, cut off,
 * timeout; another code than 200: os_code is that code), E_BUDGET (more than max_body), E_NOMEM.
 */
CUZK_NODISCARD cuzk_status cuzk_http_get(char **body, size_t *n, const char *address,
                                         const char *path, unsigned timeout_ms, size_t max_body,
                                         cuzk_err *err);

#endif /* CUZK_API_HTTP_GET_H */
