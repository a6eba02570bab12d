/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "api/answer/page.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "hash/sha256.h"

#define DIGEST_TEXT 45 /* base64 of 32 bytes and a NUL */

static void base64_digest(char out[DIGEST_TEXT], const uint8_t in[CUZK_SHA256_BYTES])
{
    static const char alphabet[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t o = 0;
    for (size_t i = 0; i < CUZK_SHA256_BYTES; i += 3) {
        const uint32_t b1 = i + 1 < CUZK_SHA256_BYTES ? in[i + 1] : 0;
        const uint32_t b2 = i + 2 < CUZK_SHA256_BYTES ? in[i + 2] : 0;
        const uint32_t v = ((uint32_t)in[i] << 16) | (b1 << 8) | b2;
        for (int k = 0; k < 4; k++) {
            out[o++] = alphabet[(v >> (18 - 6 * k)) & 63];
        }
    }
    out[o - 1] = '='; /* 32 is 2 modulo 3 */
    out[o] = '\0';
}

/* Digest of what is between open and close, which occur once each, in this order. */
static bool element_digest(char out[DIGEST_TEXT], const unsigned char *html, size_t n,
                           const char *open, const char *close)
{
    uint8_t digest[CUZK_SHA256_BYTES];
    const unsigned char *a = memmem(html, n, open, strlen(open));
    if (a == NULL) {
        return false;
    }
    a += strlen(open);
    const size_t left = n - (size_t)(a - html);
    const unsigned char *b = memmem(a, left, close, strlen(close));
    if (b == NULL || memmem(a, left, open, strlen(open)) != NULL) {
        return false;
    }
    cuzk_sha256_digest(digest, a, (size_t)(b - a));
    base64_digest(out, digest);
    return true;
}

bool cuzk_page_csp(char out[CUZK_PAGE_CSP_BYTES], const unsigned char *html, size_t n)
{
    char style[DIGEST_TEXT], script[DIGEST_TEXT];
    if (!element_digest(style, html, n, "<style>", "</style>") ||
        !element_digest(script, html, n, "<script>", "</script>")) {
        return false;
    }
    (void)snprintf(out, CUZK_PAGE_CSP_BYTES,
                   "default-src 'none'; style-src 'sha256-%s'; script-src 'sha256-%s'; "
                   "connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; "
                   "frame-ancestors 'none'",
                   style, script);
    return true;
}
