/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "base/text/json_writer.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "base/text/json.h"

void cuzk_jsonw_init(cuzk_jsonw *w, bool pretty)
{
    memset(w, 0, sizeof(*w));
    w->pretty = pretty;
}

void cuzk_jsonw_free(cuzk_jsonw *w)
{
    cuzk_free(w->buf);
    cuzk_jsonw_init(w, w->pretty);
}

static void put(cuzk_jsonw *w, const char *s, size_t n)
{
    if (w->nomem) {
        return;
    }
    if (n >= w->cap - w->len) { /* keep one byte for the final NUL */
        size_t cap = w->cap + w->cap / 2;
        cap = cap < w->len + n + 256 ? w->len + n + 256 : cap;
        char *buf = cuzk_realloc(w->buf, cap, 1);
        if (buf == NULL) {
            w->nomem = true;
            return;
        }
        w->buf = buf;
        w->cap = cap;
    }
    memcpy(w->buf + w->len, s, n);
    w->len += n;
}

static uint64_t level_bit(const cuzk_jsonw *w)
{
    return (uint64_t)1 << (w->depth - 1);
}

static void new_line(cuzk_jsonw *w)
{
    if (w->pretty) {
        put(w, "\n", 1);
        for (uint32_t i = 0; i < w->depth; i++) {
            put(w, "  ", 2);
        }
    }
}

/* Comma and indentation before an element. */
static void separate(cuzk_jsonw *w)
{
    if (w->depth == 0) {
        CUZK_ASSERT(w->len == 0 || w->nomem); /* one value only */
        return;
    }
    if ((w->filled & level_bit(w)) != 0) {
        put(w, ",", 1);
    }
    w->filled |= level_bit(w);
    new_line(w);
}

static void before_value(cuzk_jsonw *w)
{
    if (w->after_key) {
        w->after_key = false;
        return;
    }
    CUZK_ASSERT(w->depth == 0 || (w->objects & level_bit(w)) == 0); /* a key comes first */
    separate(w);
}

static void begin(cuzk_jsonw *w, bool object)
{
    before_value(w);
    CUZK_ASSERT(w->depth < CUZK_JSON_MAX_DEPTH);
    w->depth++;
    w->filled &= ~level_bit(w);
    w->objects = object ? w->objects | level_bit(w) : w->objects & ~level_bit(w);
    put(w, object ? "{" : "[", 1);
}

static void end(cuzk_jsonw *w, bool object)
{
    CUZK_ASSERT(w->depth > 0 && !w->after_key && ((w->objects & level_bit(w)) != 0) == object);
    const bool filled = (w->filled & level_bit(w)) != 0;
    w->depth--;
    if (filled) {
        new_line(w);
    }
    put(w, object ? "}" : "]", 1);
}

void cuzk_jsonw_begin_object(cuzk_jsonw *w)
{
    begin(w, true);
}

void cuzk_jsonw_end_object(cuzk_jsonw *w)
{
    end(w, true);
}

void cuzk_jsonw_begin_array(cuzk_jsonw *w)
{
    begin(w, false);
}

void cuzk_jsonw_end_array(cuzk_jsonw *w)
{
    end(w, false);
}

static void put_string(cuzk_jsonw *w, const char *s, size_t n)
{
    put(w, "\"", 1);
    for (size_t i = 0; i < n;) {
        const uint8_t c = (uint8_t)s[i];
        const size_t len = cuzk_utf8_len((const uint8_t *)s + i, n - i);
        if (c == '"' || c == '\\') {
            const char esc[2] = {'\\', (char)c};
            put(w, esc, 2);
        } else if (c == '\n') {
            put(w, "\\n", 2);
        } else if (c == '\t') {
            put(w, "\\t", 2);
        } else if (c < 0x20 || c == 0x7f) {
            char esc[8];
            (void)snprintf(esc, sizeof(esc), "\\u%04x", c);
            put(w, esc, 6);
        } else if (len == 0) {
            put(w, "\xef\xbf\xbd", 3);
        } else {
            put(w, s + i, len);
        }
        i += len == 0 ? 1 : len;
    }
    put(w, "\"", 1);
}

void cuzk_jsonw_key(cuzk_jsonw *w, const char *key)
{
    CUZK_ASSERT(w->depth > 0 && (w->objects & level_bit(w)) != 0 && !w->after_key);
    separate(w);
    put_string(w, key, strlen(key));
    put(w, ": ", w->pretty ? 2 : 1);
    w->after_key = true;
}

void cuzk_jsonw_str_n(cuzk_jsonw *w, const char *s, size_t n)
{
    before_value(w);
    put_string(w, s, n);
}

void cuzk_jsonw_str(cuzk_jsonw *w, const char *s)
{
    cuzk_jsonw_str_n(w, s, strlen(s));
}

void cuzk_jsonw_raw(cuzk_jsonw *w, const char *text, size_t n)
{
    before_value(w);
    put(w, text, n);
}

void cuzk_jsonw_u64(cuzk_jsonw *w, uint64_t v)
{
    char b[24];
    const int n = snprintf(b, sizeof(b), "%" PRIu64, v);
    cuzk_jsonw_raw(w, b, (size_t)n);
}

void cuzk_jsonw_i64(cuzk_jsonw *w, int64_t v)
{
    char b[24];
    const int n = snprintf(b, sizeof(b), "%" PRId64, v);
    cuzk_jsonw_raw(w, b, (size_t)n);
}

void cuzk_jsonw_f64(cuzk_jsonw *w, double v)
{
    char b[40];
    if (!isfinite(v)) {
        cuzk_jsonw_null(w);
        return;
    }
    int n = snprintf(b, sizeof(b), "%.15g", v);
    const double back = strtod(b, NULL);
    if (memcmp(&back, &v, sizeof(v)) != 0) {
        n = snprintf(b, sizeof(b), "%.17g", v);
    }
    cuzk_jsonw_raw(w, b, (size_t)n);
}

void cuzk_jsonw_bool(cuzk_jsonw *w, bool v)
{
    cuzk_jsonw_raw(w, v ? "true" : "false", v ? 4 : 5);
}

void cuzk_jsonw_null(cuzk_jsonw *w)
{
    cuzk_jsonw_raw(w, "null", 4);
}

void cuzk_jsonw_hex(cuzk_jsonw *w, const uint8_t *data, size_t n)
{
    static const char digits[] = "0123456789abcdef";
    before_value(w);
    put(w, "\"", 1);
    for (size_t i = 0; i < n; i++) {
        const char pair[2] = {digits[data[i] >> 4], digits[data[i] & 15]};
        put(w, pair, 2);
    }
    put(w, "\"", 1);
}

cuzk_status cuzk_jsonw_finish(cuzk_jsonw *w, const char **text, size_t *n, cuzk_err *err)
{
    CUZK_ASSERT(w->depth == 0 && !w->after_key);
    if (w->nomem || w->buf == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "out of memory for JSON output");
    }
    w->buf[w->len] = '\0';
    *text = w->buf;
    *n = w->len;
    return CUZK_OK;
}
