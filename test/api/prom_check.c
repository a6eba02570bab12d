/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "prom_check.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

typedef struct state {
    prom_text out;
    char family[PROM_NAME]; /* of the last # TYPE */
    char helped[PROM_NAME]; /* of the last # HELP */
    char type;
    char seen[128][PROM_NAME]; /* families that were started */
    size_t n_seen;
    const char *line;
} state;

#define BAD(st, why) CHECK_MSG(false, "%s: %.120s", (why), (st)->line)

static bool is_name(const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!(isalpha((unsigned char)s[i]) || s[i] == '_' || s[i] == ':' ||
              (i > 0 && isdigit((unsigned char)s[i])))) {
            return false;
        }
    }
    return n > 0;
}

static void copy(char *out, size_t cap, const char *s, size_t n, state *st)
{
    if (n >= cap) {
        BAD(st, "too long for this reader");
        return;
    }
    memcpy(out, s, n);
    out[n] = '\0';
}

static void read_comment(state *st, const char *p)
{
    const bool help = strncmp(p, "# HELP ", 7) == 0;
    if (!help && strncmp(p, "# TYPE ", 7) != 0) {
        BAD(st, "a comment that is neither HELP nor TYPE");
    }
    p += 7;
    const size_t n = strcspn(p, " ");
    if (!is_name(p, n) || p[n] == '\0') {
        BAD(st, "no name or text");
    }
    if (help) {
        copy(st->helped, sizeof(st->helped), p, n, st);
        return;
    }
    copy(st->family, sizeof(st->family), p, n, st);
    if (strcmp(st->family, st->helped) != 0) {
        BAD(st, "TYPE without its HELP right before");
    }
    for (size_t i = 0; i < st->n_seen; i++) {
        if (strcmp(st->seen[i], st->family) == 0) {
            BAD(st, "a family in two places");
        }
    }
    CHECK(st->n_seen < 128);
    memcpy(st->seen[st->n_seen++], st->family, sizeof(st->family));
    const char *type = p + n + 1;
    st->type = strcmp(type, "counter") == 0     ? 'c'
               : strcmp(type, "gauge") == 0     ? 'g'
               : strcmp(type, "histogram") == 0 ? 'h'
                                                : '?';
    if (st->type == '?') {
        BAD(st, "unknown type");
    }
}

/* One label="value"; returns what follows. le goes to out->le, the rest to out->labels. */
static const char *read_label(state *st, prom_series *out, const char *p)
{
    const char *name = p;
    const size_t n = strcspn(p, "=");
    if (!is_name(name, n) || p[n] != '=' || p[n + 1] != '"') {
        BAD(st, "bad label");
    }
    p += n + 2;
    const char *value = p;
    for (; *p != '"'; p++) {
        if (*p == '\0' || *p == '\n' ||
            (*p == '\\' && p[1] != '\\' && p[1] != '"' && p[1] != 'n')) {
            BAD(st, "bad label value");
        }
        p += *p == '\\' ? 1 : 0;
    }
    if (n == 2 && memcmp(name, "le", 2) == 0) {
        out->le = strncmp(value, "+Inf\"", 5) == 0 ? HUGE_VAL : strtod(value, NULL);
    } else {
        const size_t have = strlen(out->labels);
        copy(out->labels + have, sizeof(out->labels) - have, name, (size_t)(p + 1 - name), st);
    }
    return p + 1;
}

static const char *suffix(const char *name, const char *family)
{
    const size_t n = strlen(family);
    return strncmp(name, family, n) == 0 ? name + n : NULL;
}

static void read_sample(state *st, const char *p)
{
    CHECK(st->out.n < PROM_MAX_SERIES);
    prom_series *s = &st->out.series[st->out.n];
    memset(s, 0, sizeof(*s));
    s->le = -1;
    s->type = st->type;
    const size_t n = strcspn(p, "{ ");
    if (!is_name(p, n)) {
        BAD(st, "bad name");
    }
    copy(s->name, sizeof(s->name), p, n, st);
    p += n;
    if (*p == '{') {
        do {
            p = read_label(st, s, p + 1);
        } while (*p == ',');
        if (*p != '}') {
            BAD(st, "labels do not end");
        }
        p++;
    }
    char *end = NULL;
    s->value = strtod(p, &end);
    if (*p != ' ' || end == p + 1 || *end != '\0') {
        BAD(st, "bad value");
    }
    const char *tail = suffix(s->name, st->family);
    if (tail == NULL || (st->type != 'h' && *tail != '\0') ||
        (st->type == 'h' && strcmp(tail, "_bucket") != 0 && strcmp(tail, "_sum") != 0 &&
         strcmp(tail, "_count") != 0)) {
        BAD(st, "a sample outside its family");
    }
    if ((s->le >= 0) != (st->type == 'h' && strcmp(tail, "_bucket") == 0)) {
        BAD(st, "le where there is no bucket, or a bucket without");
    }
    if (st->type != 'g' && !(s->value >= 0)) {
        BAD(st, "a negative count");
    }
    for (size_t i = 0; i < st->out.n; i++) {
        const prom_series *o = &st->out.series[i];
        if (strcmp(o->name, s->name) == 0 && strcmp(o->labels, s->labels) == 0 &&
            !(o->le < s->le) && !(o->le > s->le)) {
            BAD(st, "a series twice");
        }
    }
    st->out.n++;
}

/* Buckets rise to +Inf, which is the count. */
static void check_histograms(const prom_text *t)
{
    for (size_t i = 0; i < t->n; i++) {
        const prom_series *s = &t->series[i];
        if (s->le < 0) {
            continue;
        }
        if (isinf(s->le)) {
            char count[PROM_NAME];
            const size_t base = strlen(s->name) - strlen("_bucket");
            (void)snprintf(count, sizeof(count), "%.*s_count", (int)base, s->name);
            CHECK_MSG(!(prom_value(t, count, s->labels) < s->value) &&
                          !(prom_value(t, count, s->labels) > s->value),
                      "%s{%s}: +Inf is not the count", s->name, s->labels);
            continue;
        }
        CHECK_MSG(i + 1 < t->n, "%s ends without +Inf", s->name);
        const prom_series *next = s + 1;
        CHECK_MSG(strcmp(next->name, s->name) == 0 && strcmp(next->labels, s->labels) == 0 &&
                      next->le > s->le && next->value >= s->value,
                  "%s{%s}: le %g is not followed by a larger one", s->name, s->labels, s->le);
    }
}

prom_text prom_parse(const char *text)
{
    static const size_t line_cap = 1024;
    char line[1024];
    state st = {.type = '?'};
    st.out.series = calloc(PROM_MAX_SERIES, sizeof(*st.out.series));
    CHECK(st.out.series != NULL);
    st.line = line;
    while (*text != '\0') {
        const size_t n = strcspn(text, "\n");
        (void)snprintf(line, sizeof(line), "%.*s", (int)(n < 100 ? n : 100), text);
        CHECK_MSG(text[n] == '\n' && n < line_cap && n > 0, "no line: %s", line);
        memcpy(line, text, n);
        line[n] = '\0';
        if (line[0] == '#') {
            read_comment(&st, line);
        } else {
            read_sample(&st, line);
        }
        text += n + 1;
    }
    check_histograms(&st.out);
    return st.out;
}

void prom_free(prom_text *t)
{
    free(t->series);
    memset(t, 0, sizeof(*t));
}

static const prom_series *find(const prom_text *t, const char *name, const char *labels, double le)
{
    for (size_t i = 0; i < t->n; i++) {
        const prom_series *s = &t->series[i];
        if (strcmp(s->name, name) == 0 && strcmp(s->labels, labels) == 0 && !(s->le < le) &&
            !(s->le > le)) {
            return s;
        }
    }
    return NULL;
}

double prom_value(const prom_text *t, const char *name, const char *labels)
{
    const prom_series *s = find(t, name, labels, -1);
    CHECK_MSG(s != NULL, "no %s{%s}", name, labels);
    return s->value;
}

void prom_check_monotonic(const prom_text *a, const prom_text *b)
{
    size_t n = 0;
    for (size_t i = 0; i < a->n; i++) {
        const prom_series *s = &a->series[i];
        if (s->type != 'g') {
            const prom_series *o = find(b, s->name, s->labels, s->le);
            CHECK_MSG(o != NULL && o->value >= s->value, "%s{%s} went back", s->name, s->labels);
            n++;
        }
    }
    CHECK(n > 0);
}
