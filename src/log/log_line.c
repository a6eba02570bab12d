/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/text/json.h"
#include "base/text/utf8.h"

#include "log_internal.h"

/* Kept free for what ends a line: a closing quote, "truncated", "suppressed" and its number. */
#define TAIL_BYTES 96u

typedef struct line {
    char *buf;
    size_t len, cap; /* cap: what the values may use */
    bool cut;
} line;

static void put(line *l, const char *s, size_t n)
{
    if (l->cut || l->len > l->cap || n > l->cap - l->len) {
        l->cut = true;
        return;
    }
    memcpy(l->buf + l->len, s, n);
    l->len += n;
}

static void put_text(line *l, const char *s)
{
    put(l, s, strlen(s));
}

CUZK_PRINTF(2, 3) static void put_format(line *l, const char *fmt, ...)
{
    char tmp[128];
    va_list ap;
    va_start(ap, fmt);
    const int n = vsnprintf(tmp, sizeof(tmp), fmt, ap);
    va_end(ap);
    if (n > 0) {
        put(l, tmp, (size_t)n < sizeof(tmp) ? (size_t)n : sizeof(tmp) - 1);
    }
}

/* Characters that move a terminal or turn the direction of its text. */
static void put_code(line *l, uint32_t code)
{
    if (code < 0x10000) {
        put_format(l, "\\u%04x", code);
    } else { /* JSON has surrogates only */
        put_format(l, "\\u%04x\\u%04x", 0xd800 + ((code - 0x10000) >> 10),
                   0xdc00 + ((code - 0x10000) & 0x3ff));
    }
}

/* One character at s (n > 0 bytes left), escaped as JSON strings are; returns its bytes. */
static size_t put_escaped(line *l, const char *s, size_t n)
{
    const unsigned char c = (unsigned char)*s;
    const size_t len = cuzk_utf8_len((const uint8_t *)s, n);
    const uint32_t code = len == 0 ? 0 : cuzk_utf8_code((const uint8_t *)s, len);
    if (c == '"' || c == '\\') {
        const char esc[2] = {'\\', (char)c};
        put(l, esc, 2);
    } else if (c == '\n') {
        put_text(l, "\\n");
    } else if (c == '\r') {
        put_text(l, "\\r");
    } else if (c == '\t') {
        put_text(l, "\\t");
    } else if (len == 0) {
        put_text(l, "\xef\xbf\xbd"); /* U+FFFD */
    } else if (cuzk_utf8_is_control(code)) {
        put_code(l, code);
    } else {
        put(l, s, len);
    }
    return len == 0 ? 1 : len;
}

static void put_quoted(line *l, const char *s)
{
    const size_t n = strlen(s);
    /* the tail has room for both quotes */
    l->buf[l->len++] = '"';
    l->cut = l->len > l->cap;
    for (size_t i = 0; i < n && !l->cut;) {
        i += put_escaped(l, s + i, n - i);
    }
    l->buf[l->len++] = '"';
}

static bool is_plain(const char *s)
{
    if (*s == '\0') {
        return false;
    }
    for (; *s != '\0'; s++) {
        const unsigned char c = (unsigned char)*s;
        if (c <= ' ' || c >= 0x7f || c == '"' || c == '=' || c == '\\') {
            return false;
        }
    }
    return true;
}

static void put_value(line *l, const char *s)
{
    if (is_plain(s)) {
        put_text(l, s);
    } else {
        put_quoted(l, s);
    }
}

static void put_time(line *l, uint64_t unix_ms)
{
    const time_t seconds = (time_t)(unix_ms / 1000);
    struct tm tm;
    if (gmtime_r(&seconds, &tm) == NULL) {
        put_text(l, "?");
        return;
    }
    put_format(l, "%04d-%02d-%02dT%02d:%02d:%02d.%03uZ", tm.tm_year + 1900, tm.tm_mon + 1,
               tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec, (unsigned)(unix_ms % 1000));
}

static void head_text(line *l, bool colour, uint64_t unix_ms, cuzk_log_level level)
{
    static const char *const names[] = {"ERROR", "WARN ", "INFO ", "DEBUG", "TRACE"};
    static const char *const colours[] = {"\x1b[31m", "\x1b[33m", "\x1b[32m", "\x1b[36m",
                                          "\x1b[2m"};
    put_time(l, unix_ms);
    put(l, " ", 1);
    put_text(l, colour ? colours[level] : "");
    put_text(l, names[level]);
    put_text(l, colour ? "\x1b[0m " : " ");
}

static void head(line *l, cuzk_log_format format, bool colour, uint64_t unix_ms,
                 cuzk_log_level level, const char *event)
{
    /* <syslog.h>: LOG_ERR 3, LOG_WARNING 4, LOG_INFO 6, LOG_DEBUG 7 */
    static const int journal[] = {3, 4, 6, 7, 7};
    switch (format) {
    case CUZK_LOG_JSON:
        put_text(l, "{\"time\":\"");
        put_time(l, unix_ms);
        put_format(l, "\",\"level\":\"%s\",\"event\":", cuzk_log_level_name(level));
        put_quoted(l, event);
        return;
    case CUZK_LOG_JOURNAL: put_format(l, "<%d>", journal[level]); break;
    case CUZK_LOG_TEXT: head_text(l, colour, unix_ms, level); break;
    }
    put_value(l, event);
}

size_t cuzk_log_render(char *buf, cuzk_log_format format, bool colour, uint64_t unix_ms,
                       cuzk_log_level level, const char *event, const char *const *kv,
                       uint64_t suppressed)
{
    line l = {.buf = buf, .len = 0, .cap = CUZK_LOG_LINE_BYTES - TAIL_BYTES, .cut = false};
    const bool json = format == CUZK_LOG_JSON;
    head(&l, format, colour, unix_ms, level, event);
    for (; kv != NULL && kv[0] != NULL && !l.cut; kv += 2) {
        const size_t before = l.len;
        if (kv[1] == NULL) {
            continue;
        }
        put(&l, json ? "," : " ", 1);
        if (json) {
            put_quoted(&l, kv[0]);
            put(&l, ":", 1);
        } else {
            put_text(&l, kv[0]);
            put(&l, "=", 1);
        }
        if (l.cut) {
            l.len = before; /* a name without its value says nothing */
        } else if (json) {
            put_quoted(&l, kv[1]);
        } else {
            put_value(&l, kv[1]);
        }
    }
    const bool cut = l.cut;
    l.cut = false;
    l.cap = CUZK_LOG_LINE_BYTES - 1;
    if (cut) {
        put_text(&l, json ? ",\"truncated\":true" : " truncated=true");
    }
    if (suppressed > 0) {
        put_format(&l, json ? ",\"suppressed\":%" PRIu64 : " suppressed=%" PRIu64, suppressed);
    }
    put_text(&l, json ? "}" : "");
    buf[l.len++] = '\n';
    return l.len;
}
