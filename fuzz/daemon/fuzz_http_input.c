/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* DEPS: api top base */
/*
 * Addresses, Host headers, query integers and reply heads from any bytes. What is accepted means
 * what it says: printed again, it is accepted with the same meaning.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/http_input.h"
#include "base/assert.h"
#include "top/http_get.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_host_port(const char *text, bool bare_port)
{
    cuzk_host_port a, b;
    char again[CUZK_HOST_MAX + 16];
    if (!cuzk_host_port_parse(&a, text, bare_port)) {
        return;
    }
    CUZK_ASSERT(memchr(a.host, 0, sizeof(a.host)) != NULL);
    const bool v6 = strchr(a.host, ':') != NULL;
    int n = snprintf(again, sizeof(again), "%s%s%s", v6 ? "[" : "", a.host, v6 ? "]" : "");
    if (a.has_port) {
        (void)snprintf(again + n, sizeof(again) - (size_t)n, ":%u", (unsigned)a.port);
    }
    CUZK_ASSERT(cuzk_host_port_parse(&b, again, false));
    CUZK_ASSERT(strcmp(a.host, b.host) == 0 && a.port == b.port && a.has_port == b.has_port);
}

static void check_u64(const char *text)
{
    uint64_t v = 0;
    char again[24];
    if (cuzk_query_u64(text, &v)) {
        (void)snprintf(again, sizeof(again), "%" PRIu64, v);
        while (text[0] == '0' && text[1] != '\0') {
            text++;
        }
        CUZK_ASSERT(strcmp(text, again) == 0);
    }
}

static void check_head(const uint8_t *data, size_t size)
{
    cuzk_http_head h, g;
    bool bad = false, bad_prefix = false;
    const bool ok = cuzk_http_parse_head(&h, data, size, &bad);
    CUZK_ASSERT(!(ok && bad));
    if (ok) {
        CUZK_ASSERT(h.head_bytes <= size && h.head_bytes >= 4 && h.code >= 100 && h.code <= 999);
        CUZK_ASSERT(memcmp(data + h.head_bytes - 4, "\r\n\r\n", 4) == 0);
        /* the head alone says the same, and less than it says nothing yet */
        CUZK_ASSERT(cuzk_http_parse_head(&g, data, h.head_bytes, &bad));
        CUZK_ASSERT(g.code == h.code && g.content_length == h.content_length);
        CUZK_ASSERT(!cuzk_http_parse_head(&g, data, h.head_bytes - 1, &bad_prefix));
        CUZK_ASSERT(!bad_prefix || h.head_bytes > 16384);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (text == NULL) {
        return 0;
    }
    if (size > 0) {
        memcpy(text, data, size);
    }
    text[size] = '\0';
    check_host_port(text, false);
    check_host_port(text, true);
    check_u64(text);
    cuzk_host_port hp;
    CUZK_ASSERT(!cuzk_host_is_literal(text) || cuzk_host_port_parse(&hp, text, false));
    check_head(data, size);
    free(text);
    return 0;
}
