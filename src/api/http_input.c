/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "api/http_input.h"

#include <arpa/inet.h>
#include <string.h>
#include <strings.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_name_char(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
           c == '.' || c == '_';
}

bool cuzk_query_u64(const char *text, uint64_t *out)
{
    uint64_t v = 0;
    if (*text == '\0') {
        return false;
    }
    for (; *text != '\0'; text++) {
        if (!is_digit(*text) || __builtin_mul_overflow(v, 10u, &v) ||
            __builtin_add_overflow(v, (uint64_t)(*text - '0'), &v)) {
            return false;
        }
    }
    *out = v;
    return true;
}

static bool parse_port(cuzk_host_port *out, const char *text)
{
    uint64_t port = 0;
    if (strlen(text) > 5 || !cuzk_query_u64(text, &port) || port > UINT16_MAX) {
        return false;
    }
    out->port = (uint16_t)port;
    out->has_port = true;
    return true;
}

static bool copy_host(cuzk_host_port *out, const char *text, size_t n)
{
    if (n >= sizeof(out->host)) {
        return false;
    }
    memcpy(out->host, text, n);
    out->host[n] = '\0';
    return true;
}

bool cuzk_host_port_parse(cuzk_host_port *out, const char *text, bool bare_port)
{
    struct in6_addr v6;
    memset(out, 0, sizeof(*out));
    if (text[0] == '[') {
        const char *close = strchr(text, ']');
        if (close == NULL || !copy_host(out, text + 1, (size_t)(close - text) - 1) ||
            inet_pton(AF_INET6, out->host, &v6) != 1) {
            return false;
        }
        return close[1] == '\0' || (close[1] == ':' && parse_port(out, close + 2));
    }
    if (bare_port && parse_port(out, text)) {
        return true;
    }
    const size_t n = strcspn(text, ":");
    for (size_t i = 0; i < n; i++) {
        if (!is_name_char(text[i])) {
            return false;
        }
    }
    if (!copy_host(out, text, n) || (n == 0 && text[0] == '\0')) {
        return false;
    }
    return text[n] == '\0' || parse_port(out, text + n + 1);
}

bool cuzk_host_is_literal(const char *host_header)
{
    cuzk_host_port hp;
    struct in_addr v4;
    struct in6_addr v6;
    if (!cuzk_host_port_parse(&hp, host_header, false)) {
        return false;
    }
    return strcasecmp(hp.host, "localhost") == 0 || inet_pton(AF_INET, hp.host, &v4) == 1 ||
           inet_pton(AF_INET6, hp.host, &v6) == 1;
}
