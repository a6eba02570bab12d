/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_API_HTTP_REQUEST_H
#define CUZK_API_HTTP_REQUEST_H

/* What the headers of a request say of its target and its body. */
#include <microhttpd.h>
#include <stdbool.h>

#include "api/http_input.h"

/** A body is said to come; of two headers that contradict each other, each counts. */
bool cuzk_http_has_body(struct MHD_Connection *c);
/**
 * The name of a header is empty or has a character that no name has (RFC 9110, 5.6.2). A blank before the colon is one: what
 * passes requests on may read "Transfer-Encoding :" as that header.
 */
bool cuzk_http_has_odd_name(struct MHD_Connection *c);
/**
 * Splits the target of a request. *path points into url. host [CUZK_HOST_MAX] gets the host of "http://HOST/PATH" if url has
 * that form, else the Host header (RFC 9112, 3.2.2), else "". false: more than one Host header, or a host that is too long.
 */
bool cuzk_http_target(const char **path, char *host, struct MHD_Connection *c, const char *url);

#endif /* CUZK_API_HTTP_REQUEST_H */
