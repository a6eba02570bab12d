/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/compiler.h"

#include "progress_internal.h"

#define NS_PER_S  1000000000u
#define MIN_CELLS 8u   /* narrower bars show too little */
#define MAX_CELLS 200u /* bounds the buffer */
#define EIGHTHS   8u

typedef struct text {
    char *buf;
    size_t cap, len;
} text;

/* Appends all or nothing, so that no character is cut. */
static void put(text *t, const char *s, size_t n)
{
    if (n < t->cap - t->len) {
        memcpy(t->buf + t->len, s, n);
        t->len += n;
        t->buf[t->len] = '\0';
    }
}

static CUZK_PRINTF(2, 3) void put_f(text *t, const char *fmt, ...)
{
    char s[96];
    va_list ap;
    va_start(ap, fmt);
    /* NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): clang-tidy 14 does not see va_start */
    const int n = vsnprintf(s, sizeof(s), fmt, ap);
    va_end(ap);
    if (n > 0 && (size_t)n < sizeof(s)) {
        put(t, s, (size_t)n);
    }
}

/* Bytes of the first `columns` characters of s; *used is how many there were. One column each:
 * labels are ours and hold no wide characters. */
static size_t prefix_bytes(const char *s, unsigned columns, unsigned *used)
{
    size_t i = 0;
    *used = 0;
    while (s[i] != '\0' && *used < columns) {
        i++;
        while (((unsigned char)s[i] & 0xc0) == 0x80) { /* continuation bytes */
            i++;
        }
        (*used)++;
    }
    return i;
}

/* "0:07", "12:34", "1:02:03"; returns characters. */
static unsigned clock_text(char out[24], uint64_t ns)
{
    const uint64_t s = ns / NS_PER_S < 359999 ? ns / NS_PER_S : 359999; /* 99:59:59 */
    const int n = s < 3600 ? snprintf(out, 24, "%" PRIu64 ":%02" PRIu64, s / 60, s % 60)
                           : snprintf(out, 24, "%" PRIu64 ":%02" PRIu64 ":%02" PRIu64, s / 3600,
                                      s / 60 % 60, s % 60);
    return n > 0 ? (unsigned)n : 0;
}

/* Rest of the time at the pace so far; false before there is one. */
static bool remaining(uint64_t *ns, const cuzk_progress_view *v)
{
    if (v->total == 0 || v->done == 0) {
        return false;
    }
    const double f = (double)v->done / (double)v->total;
    const double rest = f >= 1 ? 0 : (double)v->elapsed_ns * (1 - f) / f;
    *ns = rest < 1e18 ? (uint64_t)rest : (uint64_t)1e18;
    return f >= 1e-4; /* below that the guess is noise */
}

static unsigned percent(const cuzk_progress_view *v)
{
    if (v->total == 0) {
        return 0;
    }
    return v->done >= v->total ? 100 : (unsigned)(100.0 * ((double)v->done / (double)v->total));
}

static void render_line(text *t, const cuzk_progress_view *v)
{
    uint64_t rest;
    put(t, v->label, strlen(v->label));
    if (v->total == 0) {
        put_f(t, " %" PRIu64 " done, elapsed %" PRIu64 "s", v->done, v->elapsed_ns / NS_PER_S);
    } else {
        put_f(t, " %u%% elapsed %" PRIu64 "s", percent(v), v->elapsed_ns / NS_PER_S);
    }
    if (v->done < v->total && remaining(&rest, v)) {
        put_f(t, ", %" PRIu64 "s left", rest / NS_PER_S);
    }
    put(t, "\n", 1);
}

static void render_cells(text *t, const cuzk_progress_view *v, unsigned cells)
{
    static const char *const part[EIGHTHS] = {" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    const double f = v->done >= v->total ? 1 : (double)v->done / (double)v->total;
    const unsigned eighths = (unsigned)(f * cells * EIGHTHS);
    const unsigned full = eighths / EIGHTHS;
    put(t, "[", 1);
    if (v->colour) {
        put(t, "\x1b[36m", 5);
    }
    for (unsigned i = 0; i < cells; i++) {
        if (i < full) {
            put_f(t, "%s", v->style == CUZK_PROGRESS_UTF8 ? "█" : "#");
        } else if (i == full && v->style == CUZK_PROGRESS_UTF8) {
            put_f(t, "%s", part[eighths % EIGHTHS]);
        } else {
            put(t, " ", 1);
        }
    }
    if (v->colour) {
        put(t, "\x1b[0m", 4);
    }
    put(t, "]", 1);
}

static void render_bar(text *t, const cuzk_progress_view *v)
{
    char elapsed[24], eta[24] = "-:--", tail[96];
    uint64_t rest;
    /* The last column stays free: some terminals wrap as soon as it is written. */
    const unsigned room = v->columns > 1 ? v->columns - 1 : 0;
    unsigned label = 0;
    (void)clock_text(elapsed, v->elapsed_ns);
    if (remaining(&rest, v)) {
        (void)clock_text(eta, rest);
    }
    const int n = v->total == 0
                      ? snprintf(tail, sizeof(tail), " %" PRIu64 " %s", v->done, elapsed)
                      : snprintf(tail, sizeof(tail), " %3u%% %s ETA %s", percent(v), elapsed, eta);
    const unsigned tail_columns = n > 0 ? (unsigned)n : 0;
    put(t, "\r\x1b[K", 4);
    if (tail_columns > room) {
        put_f(t, "%.*s", (int)room, tail + (tail_columns > 0 ? 1 : 0));
        return;
    }
    const size_t bytes = prefix_bytes(v->label, room - tail_columns, &label);
    put(t, v->label, bytes);
    const unsigned left = room - tail_columns - label;
    if (v->total != 0 && left >= MIN_CELLS + 3) { /* a blank and two brackets */
        const unsigned cells = left - 3 < MAX_CELLS ? left - 3 : MAX_CELLS;
        put(t, " ", 1);
        render_cells(t, v, cells);
    }
    put(t, tail, tail_columns);
}

size_t cuzk_progress_render(char *buf, size_t cap, const cuzk_progress_view *v)
{
    text t = {buf, cap, 0};
    buf[0] = '\0';
    if (v->style == CUZK_PROGRESS_LINES) {
        render_line(&t, v);
    } else {
        render_bar(&t, v);
    }
    return t.len;
}

cuzk_progress_style cuzk_progress_choose(bool is_terminal, const char *term, const char *locale)
{
    if (!is_terminal || term == NULL || term[0] == '\0' || strcmp(term, "dumb") == 0) {
        return CUZK_PROGRESS_LINES;
    }
    const char *dot = locale != NULL ? strchr(locale, '.') : NULL;
    if (dot != NULL && (strncasecmp(dot, ".utf-8", 6) == 0 || strncasecmp(dot, ".utf8", 5) == 0)) {
        return CUZK_PROGRESS_UTF8;
    }
    return CUZK_PROGRESS_ASCII;
}
