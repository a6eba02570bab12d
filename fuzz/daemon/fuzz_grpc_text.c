/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* DEPS: base rpc */
/* Header values and addresses: grpc-timeout, grpc-message, content-type, authorization, message prefixes. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "rpc/wire/rpc_address.h"
#include "rpc/wire/rpc_grpc.h"
#include "rpc/wire/rpc_tls.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void timeout(const char *s, size_t n)
{
    uint64_t ns = 0, back = 0;
    char text[12];
    if (!cuzk_grpc_timeout_parse(&ns, s, n)) {
        return;
    }
    CUZK_ASSERT(n >= 2 && n <= 9);
    cuzk_grpc_timeout_format(text, ns);
    CUZK_ASSERT(cuzk_grpc_timeout_parse(&back, text, strlen(text)) && back >= ns);
}

static void percent(const char *s, size_t n)
{
    const size_t cap = CUZK_GRPC_PERCENT_MAX(n);
    char *enc = malloc(cap), *dec = malloc(n + 1), small[8];
    CUZK_ASSERT(enc != NULL && dec != NULL);
    const size_t k = cuzk_grpc_percent_encode(enc, cap, s, n);
    CUZK_ASSERT(k < cap && enc[k] == '\0');
    for (size_t i = 0; i < k; i++) {
        CUZK_ASSERT(enc[i] >= 0x20 && enc[i] <= 0x7e);
    }
    CUZK_ASSERT(cuzk_grpc_percent_decode(dec, n + 1, enc, k) == n);
    CUZK_ASSERT(n == 0 || memcmp(dec, s, n) == 0);
    const size_t d = cuzk_grpc_percent_decode(dec, n + 1, s, n);
    CUZK_ASSERT(d <= n && dec[d] == '\0');
    CUZK_ASSERT(cuzk_grpc_percent_encode(small, sizeof(small), s, n) < sizeof(small));
    CUZK_ASSERT(cuzk_grpc_percent_decode(small, sizeof(small), s, n) < sizeof(small));
    free(enc);
    free(dec);
}

/* Fed in pieces or at once, a prefix is the same. */
static void prefix(const uint8_t *data, size_t size)
{
    cuzk_grpc_prefix whole = {.n = 0}, pieces = {.n = 0};
    const size_t k = cuzk_grpc_prefix_feed(&whole, data, size);
    size_t at = 0;
    while (at < size && pieces.n < CUZK_GRPC_PREFIX) {
        at += cuzk_grpc_prefix_feed(&pieces, data + at, 1);
    }
    CUZK_ASSERT(k == at && whole.n == pieces.n);
    CUZK_ASSERT(memcmp(whole.bytes, pieces.bytes, sizeof(whole.bytes)) == 0);
}

static void address(const char *s, size_t n)
{
    cuzk_rpc_address a;
    cuzk_err err;
    char *text = malloc(n + 1);
    CUZK_ASSERT(text != NULL);
    if (n > 0) {
        memcpy(text, s, n);
    }
    text[n] = '\0';
    if (cuzk_rpc_address_parse(&a, text, &err) == CUZK_OK) {
        CUZK_ASSERT(a.is_unix ? a.path[0] != '\0' : a.port[0] != '\0');
        CUZK_ASSERT(strlen(a.host) < sizeof(a.host) && strlen(a.path) < sizeof(a.path));
    }
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *s = (const char *)data;
    timeout(s, size);
    percent(s, size);
    prefix(data, size);
    address(s, size);
    if (cuzk_grpc_content_type(s, size)) {
        CUZK_ASSERT(size >= 16);
    }
    if (cuzk_rpc_token_matches("secret", s, size)) {
        CUZK_ASSERT(size == 13 && memcmp(s + 7, "secret", 6) == 0);
    }
    return 0;
}
