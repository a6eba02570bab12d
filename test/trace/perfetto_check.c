/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "perfetto_check.h"

#include <string.h>

#include "base/text/json.h"

#include "test.h"

enum { MAX = 4096, MAX_TRACKS = 256 };

typedef struct span {
    uint64_t pid, tid;
    double ts, end;
} span;

typedef struct state {
    cuzk_json j;
    span spans[MAX];
    struct {
        uint64_t pid, tid;
    } named[MAX_TRACKS];
    perfetto_counts n;
} state;

typedef struct event {
    char ph[4], name[64], arg_name[96];
    uint64_t pid, tid;
    double ts, dur;
    uint64_t seen;
    size_t n_args, n_numbers;
} event;

enum { PH, NAME, CAT, TS, DUR, PID, TID, ARGS };
static const char *const fields[] = {"ph", "name", "cat", "ts", "dur", "pid", "tid", "args"};

static void read_args(cuzk_json *j, event *e)
{
    cuzk_json_str key;
    cuzk_json_begin_object(j);
    while (cuzk_json_next_key(j, &key)) {
        e->n_args++;
        const cuzk_json_kind kind = cuzk_json_peek(j);
        e->n_numbers += kind == CUZK_JSON_NUMBER;
        if (cuzk_json_str_eq(&key, "name")) {
            cuzk_json_string_copy(j, e->arg_name, sizeof(e->arg_name));
        } else {
            CHECK(kind == CUZK_JSON_NUMBER || kind == CUZK_JSON_BOOL || kind == CUZK_JSON_STRING);
            cuzk_json_skip(j);
        }
    }
}

static void read_event(cuzk_json *j, event *e)
{
    char cat[32];
    cuzk_json_str key;
    memset(e, 0, sizeof(*e));
    cuzk_json_begin_object(j);
    while (cuzk_json_next_key(j, &key)) {
        switch (cuzk_json_field(j, &key, fields, 8, &e->seen)) {
        case PH: cuzk_json_string_copy(j, e->ph, sizeof(e->ph)); break;
        case NAME: cuzk_json_string_copy(j, e->name, sizeof(e->name)); break;
        case CAT: cuzk_json_string_copy(j, cat, sizeof(cat)); break;
        case TS: cuzk_json_f64(j, &e->ts); break;
        case DUR: cuzk_json_f64(j, &e->dur); break;
        case PID: cuzk_json_u64(j, &e->pid); break;
        case TID: cuzk_json_u64(j, &e->tid); break;
        case ARGS: read_args(j, e); break;
        default: cuzk_test_fail(__FILE__, __LINE__, "a field the format does not have");
        }
    }
    CHECK_MSG(!j->failed, "%s", j->msg);
}

static bool has(const event *e, unsigned field)
{
    return (e->seen >> field & 1) != 0;
}

static void check_event(state *s, const event *e)
{
    CHECK(has(e, PH) && has(e, NAME) && has(e, PID) && has(e, TID) && has(e, ARGS));
    if (strcmp(e->ph, "X") == 0) {
        CHECK(has(e, TS) && has(e, DUR) && has(e, CAT) && e->ts >= 0 && e->dur >= 0);
        CHECK(e->name[0] != '\0' && s->n.spans < MAX);
        s->spans[s->n.spans++] = (span){e->pid, e->tid, e->ts, e->ts + e->dur};
    } else if (strcmp(e->ph, "C") == 0) {
        CHECK(has(e, TS) && !has(e, DUR) && e->ts >= 0 && e->n_args > 0);
        CHECK_U64(e->n_numbers, e->n_args); /* a counter's values are numbers */
        s->n.counters++;
    } else {
        CHECK_STR(e->ph, "M");
        CHECK(!has(e, TS) && !has(e, DUR) && e->arg_name[0] != '\0');
        if (strcmp(e->name, "thread_name") == 0) {
            CHECK(s->n.tracks < MAX_TRACKS);
            s->named[s->n.tracks].pid = e->pid;
            s->named[s->n.tracks++].tid = e->tid;
        } else {
            CHECK_STR(e->name, "process_name");
        }
    }
}

/* Two spans of one track are apart or one is inside the other; 1 ns for the decimal fractions. */
static void check_nesting(const state *s)
{
    const double e = 1e-3;
    for (size_t i = 0; i < s->n.spans; i++) {
        const span *a = &s->spans[i];
        bool named = false;
        for (size_t k = 0; k < s->n.tracks; k++) {
            named = named || (s->named[k].pid == a->pid && s->named[k].tid == a->tid);
        }
        CHECK(named);
        for (size_t k = i + 1; k < s->n.spans; k++) {
            const span *b = &s->spans[k];
            const bool apart = a->end <= b->ts + e || b->end <= a->ts + e;
            const bool inside = (a->ts <= b->ts + e && b->end <= a->end + e) ||
                                (b->ts <= a->ts + e && a->end <= b->end + e);
            CHECK(a->pid != b->pid || a->tid != b->tid || apart || inside);
        }
    }
}

perfetto_counts perfetto_check(const void *text, size_t n)
{
    static state s; /* too large for the stack */
    char unit[8] = "ms";
    bool events = false;
    cuzk_json_str key;
    cuzk_json *j = &s.j;
    memset(&s, 0, sizeof(s));
    cuzk_json_init(j, text, n, 8);
    cuzk_json_begin_object(j);
    while (cuzk_json_next_key(j, &key)) {
        if (cuzk_json_str_eq(&key, "traceEvents")) {
            events = true;
            cuzk_json_begin_array(j);
            while (cuzk_json_next(j)) {
                event e;
                read_event(j, &e);
                check_event(&s, &e);
            }
        } else if (cuzk_json_str_eq(&key, "displayTimeUnit")) {
            cuzk_json_string_copy(j, unit, sizeof(unit));
        } else {
            CHECK(cuzk_json_str_eq(&key, "otherData"));
            cuzk_json_skip(j);
        }
    }
    cuzk_json_end(j);
    CHECK_MSG(!j->failed, "%s", j->msg);
    CHECK(events);
    CHECK(strcmp(unit, "ms") == 0 || strcmp(unit, "ns") == 0);
    check_nesting(&s);
    return s.n;
}
