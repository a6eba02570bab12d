/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "config/config_value.h"

#include <string.h>
#include <strings.h>

/* sun_path of a unix address, its NUL included */
#define UNIX_PATH_BYTES 108u

__extension__ typedef unsigned __int128 u128;

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool fail(const char **why, const char *text)
{
    *why = text;
    return false;
}

/* Digits at *p; false: no digits, or the number does not fit. */
static bool take_number(const char **p, uint64_t *out)
{
    uint64_t v = 0;
    if (!is_digit(**p)) {
        return false;
    }
    for (; is_digit(**p); ++*p) {
        if (__builtin_mul_overflow(v, (uint64_t)10, &v) ||
            __builtin_add_overflow(v, (uint64_t)(**p - '0'), &v)) {
            return false;
        }
    }
    *out = v;
    return true;
}

bool cuzk_config_parse_size(uint64_t *out, const char *text, const char **why)
{
    static const struct {
        const char *name;
        uint64_t bytes;
    } units[] = {{"", 1},
                 {"b", 1},
                 {"kb", 1000},
                 {"mb", 1000000},
                 {"gb", 1000000000},
                 {"tb", 1000000000000},
                 {"kib", (uint64_t)1 << 10},
                 {"mib", (uint64_t)1 << 20},
                 {"gib", (uint64_t)1 << 30},
                 {"tib", (uint64_t)1 << 40}};
    static const char grammar[] = "not a size such as \"512MiB\", \"1.5GiB\" or a number of bytes";
    const char *p = text;
    uint64_t whole = 0, fraction = 0, scale = 1;
    if (!take_number(&p, &whole)) {
        return fail(why, is_digit(*text) ? "too big" : grammar);
    }
    if (*p == '.') {
        const char *digits = ++p;
        if (!take_number(&p, &fraction) || p - digits > 12) {
            return fail(why, grammar);
        }
        for (; digits < p; digits++) {
            scale *= 10;
        }
    }
    if (*p == ' ' && p[1] != '\0') {
        p++;
    }
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        if (strcasecmp(p, units[i].name) == 0) {
            const u128 v = (u128)whole * units[i].bytes + (u128)fraction * units[i].bytes / scale;
            if (v > INT64_MAX) {
                return fail(why, "too big");
            }
            if (scale > 1 && units[i].bytes == 1) {
                return fail(why, "not a whole number of bytes");
            }
            *out = (uint64_t)v;
            return true;
        }
    }
    return fail(why, grammar);
}

bool cuzk_config_parse_duration(uint64_t *out_ms, const char *text, const char **why)
{
    static const struct {
        const char *name;
        uint64_t ms;
    } units[] = {{"ms", 1}, {"s", 1000}, {"m", 60000}, {"h", 3600000}, {"d", 86400000}};
    static const char grammar[] = "not a time such as \"30s\", \"5m\", \"1h30m\" or seconds";
    enum { N = sizeof(units) / sizeof(units[0]) };
    const char *p = text;
    u128 total = 0;
    size_t last = N; /* units go down: 1h30m, not 30m1h */
    do {
        uint64_t v = 0;
        if (!take_number(&p, &v)) {
            return fail(why, grammar);
        }
        const char *unit = p;
        while (*p >= 'a' && *p <= 'z') {
            p++;
        }
        const size_t len = (size_t)(p - unit);
        size_t i = 0;
        if (len == 0 && *p == '\0' && unit != text && last == N) {
            i = 1; /* a bare number */
        } else {
            while (i < N &&
                   (strlen(units[i].name) != len || strncmp(units[i].name, unit, len) != 0)) {
                i++;
            }
        }
        if (i >= last || i == N) {
            return fail(why, grammar);
        }
        last = i;
        total += (u128)v * units[i].ms;
        if (total > (u128)INT64_MAX / 1000000) { /* nanoseconds fit, too */
            return fail(why, "too long");
        }
    } while (*p != '\0');
    *out_ms = (uint64_t)total;
    return true;
}

bool cuzk_config_parse_mode(uint64_t *out, const char *text, const char **why)
{
    const size_t n = strlen(text);
    uint64_t v = 0;
    if (n < 3 || n > 4 || strspn(text, "01234567") != n || (n == 4 && text[0] != '0')) {
        return fail(why, "not permissions in octal such as \"0660\"");
    }
    for (size_t i = 0; i < n; i++) {
        v = v * 8 + (uint64_t)(text[i] - '0');
    }
    *out = v;
    return true;
}

static const char *unix_path(const char *text)
{
    if (strncmp(text, "unix://", 7) == 0) {
        return text + 7;
    }
    return strncmp(text, "unix:", 5) == 0 ? text + 5 : NULL;
}

bool cuzk_config_listen_is_unix(const char *text)
{
    return unix_path(text) != NULL;
}

/* "HOST:PORT" without its scheme. */
static const char *host_port(const char *text)
{
    if (strncmp(text, "http://", 7) == 0) {
        return text + 7;
    }
    return strncmp(text, "https://", 8) == 0 ? text + 8 : text;
}

/* The host, n bytes, brackets and all; NULL when there is no ":PORT" at its end. */
static const char *host_of(const char *text, size_t *n)
{
    const char *host = host_port(text), *colon = strrchr(host, ':');
    if (colon == NULL) {
        return NULL;
    }
    *n = (size_t)(colon - host);
    return host;
}

static bool check_host(const char *host, size_t n)
{
    if (n > 0 && host[0] == '[') {
        return n > 2 && host[n - 1] == ']' && strspn(host + 1, "0123456789abcdefABCDEF:.") == n - 2;
    }
    for (size_t i = 0; i < n; i++) {
        const char c = host[i];
        if (!is_digit(c) && !(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && c != '.' &&
            c != '-' && c != '_') {
            return false;
        }
    }
    return n <= 255;
}

bool cuzk_config_check_listen(const char *text, const char **why)
{
    static const char grammar[] =
        "not an address such as \"127.0.0.1:9820\", \"[::1]:9820\" or \"unix:///run/cuzk.sock\"";
    const char *path = unix_path(text);
    size_t n = 0;
    uint64_t port = 0;
    if (path != NULL) {
        if (path[0] == '\0') {
            return fail(why, grammar);
        }
        return strlen(path) < UNIX_PATH_BYTES ? true : fail(why, "longer than 107 bytes");
    }
    const char *host = host_of(text, &n);
    if (host == NULL || !check_host(host, n)) {
        return fail(why, grammar);
    }
    const char *p = host + n + 1;
    if (!take_number(&p, &port) || *p != '\0' || port > 65535) {
        return fail(why, "the port is not a number from 0 to 65535");
    }
    return true;
}

static bool host_is(const char *host, size_t n, const char *name)
{
    return strlen(name) == n && strncasecmp(host, name, n) == 0;
}

bool cuzk_config_listen_is_wildcard(const char *text)
{
    size_t n = 0;
    const char *host = unix_path(text) == NULL ? host_of(text, &n) : NULL;
    return host != NULL && (n == 0 || host_is(host, n, "0.0.0.0") || host_is(host, n, "[::]") ||
                            host_is(host, n, "[::0]") || host_is(host, n, "0"));
}

bool cuzk_config_listen_is_local(const char *text)
{
    size_t n = 0;
    if (unix_path(text) != NULL) {
        return true;
    }
    const char *host = host_of(text, &n);
    return host != NULL && ((n > 4 && strncmp(host, "127.", 4) == 0) || host_is(host, n, "[::1]") ||
                            host_is(host, n, "localhost"));
}
