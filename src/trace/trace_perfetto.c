/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The Trace Event format ("Trace Event Format", Google, JSON object form): complete events "X" on
 * tracks named by metadata events "M", counters "C". Times are microseconds.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"

#include "trace_internal.h"

enum { HOST_PID = 1, DEVICE_PID = 100 /* + ordinal */, SIDE = 10000000 /* tids of side tracks */ };

typedef struct event {
    const cuzk_span_record *r;
    uint64_t pid, tid; /* the track it belongs to */
    uint64_t end_ns;
    uint32_t side; /* 0: the track itself; k: the k-th extra track */
} event;

static int by_track_and_time(const void *a, const void *b)
{
    const event *x = a, *y = b;
    if (x->pid != y->pid) {
        return x->pid < y->pid ? -1 : 1;
    }
    if (x->tid != y->tid) {
        return x->tid < y->tid ? -1 : 1;
    }
    if (x->r->begin_ns != y->r->begin_ns) {
        return x->r->begin_ns < y->r->begin_ns ? -1 : 1;
    }
    if (x->end_ns != y->end_ns) { /* the outer one first */
        return x->end_ns > y->end_ns ? -1 : 1;
    }
    return x->r->id < y->r->id ? -1 : 1;
}

/*
 * Events on one track must nest. In order of begin, an event goes on the first side track whose open
 * events all end before it begins or not before it ends. ends [depth] of each side track is a stack.
 */
enum { MAX_SIDES = 64, MAX_DEPTH = 64 };

typedef struct sides {
    uint64_t ends[MAX_SIDES][MAX_DEPTH];
    uint32_t depth[MAX_SIDES];
} sides;

static uint32_t place(sides *s, uint64_t begin, uint64_t end)
{
    for (uint32_t k = 0; k < MAX_SIDES; k++) {
        uint32_t *d = &s->depth[k];
        while (*d > 0 && s->ends[k][*d - 1] <= begin) {
            (*d)--;
        }
        if (*d < MAX_DEPTH && (*d == 0 || s->ends[k][*d - 1] >= end)) {
            s->ends[k][(*d)++] = end;
            return k;
        }
    }
    return MAX_SIDES; /* its own: more than 64 overlapping spans of one thread */
}

static void place_all(event *e, size_t n, sides *s)
{
    memset(s->depth, 0, sizeof(s->depth));
    for (size_t i = 0; i < n; i++) {
        if (i > 0 && (e[i].pid != e[i - 1].pid || e[i].tid != e[i - 1].tid)) {
            memset(s->depth, 0, sizeof(s->depth));
        }
        e[i].side = place(s, e[i].r->begin_ns, e[i].end_ns);
    }
}

static double us(uint64_t ns, uint64_t origin)
{
    return (double)(ns - origin) / 1e3;
}

static void field_tag(cuzk_jsonw *w, const char *key, int64_t v)
{
    if (v != CUZK_TRACE_NONE) {
        cuzk_jsonw_key(w, key);
        cuzk_jsonw_i64(w, v);
    }
}

/* ph, name, pid, tid and the opened "args". */
static void begin_event(cuzk_jsonw *w, const char *ph, const char *name, uint64_t pid, uint64_t tid)
{
    cuzk_jsonw_begin_object(w);
    cuzk_jsonw_put_str(w, "ph", ph);
    cuzk_jsonw_put_str(w, "name", name);
    cuzk_jsonw_put_u64(w, "pid", pid);
    cuzk_jsonw_put_u64(w, "tid", tid);
}

static void end_event(cuzk_jsonw *w)
{
    cuzk_jsonw_end_object(w);
    cuzk_jsonw_end_object(w);
}

static void begin_args(cuzk_jsonw *w)
{
    cuzk_jsonw_key(w, "args");
    cuzk_jsonw_begin_object(w);
}

static void metadata(cuzk_jsonw *w, const char *what, uint64_t pid, uint64_t tid, const char *name)
{
    begin_event(w, "M", what, pid, tid);
    begin_args(w);
    cuzk_jsonw_put_str(w, "name", name);
    end_event(w);
}

/* The thread's own name while it lives. */
static void thread_name(char *out, size_t cap, uint64_t tid)
{
    char path[64], name[32];
    (void)snprintf(path, sizeof(path), "/proc/self/task/%llu/comm", (unsigned long long)tid);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = 0;
    if (fd >= 0) {
        n = read(fd, name, sizeof(name) - 1);
        (void)close(fd);
    }
    name[n > 0 ? n : 0] = '\0';
    name[strcspn(name, "\n")] = '\0';
    (void)snprintf(out, cap, "%s %llu", name[0] != '\0' ? name : "thread", (unsigned long long)tid);
}

static uint64_t tid_of(const event *e)
{
    return e->side == 0 ? e->tid : (uint64_t)SIDE * e->side + e->tid;
}

static void name_tracks(cuzk_jsonw *w, const event *e, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char name[64], full[96];
        bool seen = false;
        if (i == 0 || e[i].pid != e[i - 1].pid) {
            if (e[i].pid == HOST_PID) {
                (void)snprintf(name, sizeof(name), "host");
            } else {
                (void)snprintf(name, sizeof(name), "device %llu",
                               (unsigned long long)(e[i].pid - DEVICE_PID));
            }
            metadata(w, "process_name", e[i].pid, tid_of(&e[i]), name);
        }
        for (size_t k = i; k-- > 0 && e[k].pid == e[i].pid && e[k].tid == e[i].tid && !seen;) {
            seen = e[k].side == e[i].side;
        }
        if (seen) {
            continue;
        }
        if (e[i].pid == HOST_PID && e[i].r->thread != 0) {
            thread_name(name, sizeof(name), e[i].tid);
        } else {
            (void)snprintf(name, sizeof(name), "queue %u", e[i].r->lane);
        }
        (void)snprintf(full, sizeof(full), e[i].side == 0 ? "%s" : "%s (%u)", name, e[i].side + 1);
        metadata(w, "thread_name", e[i].pid, tid_of(&e[i]), full);
    }
}

static void write_event(cuzk_jsonw *w, const event *e, const cuzk_trace_info *info, uint64_t origin)
{
    const cuzk_span_record *r = e->r;
    begin_event(w, "X", r->name, e->pid, tid_of(e));
    cuzk_jsonw_put_str(w, "cat", r->thread != 0 ? "host" : "device");
    cuzk_jsonw_key(w, "ts");
    cuzk_jsonw_f64(w, us(r->begin_ns, origin));
    cuzk_jsonw_key(w, "dur");
    cuzk_jsonw_f64(w, us(e->end_ns, r->begin_ns));
    begin_args(w);
    cuzk_jsonw_put_u64(w, "id", r->id);
    cuzk_jsonw_put_u64(w, "parent", r->parent);
    field_tag(w, "job", r->tags.job);
    field_tag(w, "partition", r->tags.partition);
    field_tag(w, "device", r->tags.device);
    if (r->tags.bytes != 0) {
        cuzk_jsonw_put_u64(w, "bytes", r->tags.bytes);
    }
    if (r->end_ns == 0) {
        cuzk_jsonw_key(w, "open");
        cuzk_jsonw_bool(w, true);
    } else if (r->thread != 0) {
        cuzk_trace_put_usage(w, r, info);
    }
    end_event(w);
}

static void memory_counter(cuzk_jsonw *w, uint64_t ns, uint64_t origin, uint64_t bytes)
{
    begin_event(w, "C", "memory in use", HOST_PID, 0);
    cuzk_jsonw_key(w, "ts");
    cuzk_jsonw_f64(w, us(ns, origin));
    begin_args(w);
    cuzk_jsonw_put_u64(w, "bytes", bytes);
    end_event(w);
}

static void write_all(cuzk_jsonw *w, const event *e, size_t n, const cuzk_trace *t, uint64_t origin)
{
    const cuzk_trace_info info = cuzk_trace_get_info(t);
    cuzk_jsonw_begin_object(w);
    cuzk_jsonw_put_str(w, "displayTimeUnit", "ms");
    cuzk_jsonw_key(w, "otherData");
    cuzk_jsonw_begin_object(w);
    cuzk_jsonw_put_str(w, "counters", cuzk_trace_counters_note(t));
    cuzk_jsonw_put_u64(w, "dropped", info.dropped);
    cuzk_jsonw_put_u64(w, "origin_ns", origin);
    cuzk_jsonw_end_object(w);
    cuzk_jsonw_key(w, "traceEvents");
    cuzk_jsonw_begin_array(w);
    name_tracks(w, e, n);
    for (size_t i = 0; i < n; i++) {
        write_event(w, &e[i], &info, origin);
        if (e[i].r->thread != 0) {
            memory_counter(w, e[i].r->begin_ns, origin, e[i].r->mem_begin);
            if (e[i].r->end_ns != 0) {
                memory_counter(w, e[i].r->end_ns, origin, e[i].r->mem_end);
            }
        }
    }
    cuzk_jsonw_end_array(w);
    cuzk_jsonw_end_object(w);
}

cuzk_status cuzk_trace_write_perfetto(cuzk_jsonw *w, const cuzk_trace *t, cuzk_err *err)
{
    cuzk_span_record *r = NULL;
    size_t n = 0;
    cuzk_status st;
    CUZK_TRY(cuzk_trace_snapshot(&r, &n, t, err));
    const uint64_t now = cuzk_clock_ns();
    uint64_t origin = n > 0 ? UINT64_MAX : 0;
    event *e = cuzk_alloc(n, sizeof(*e));
    sides *s = cuzk_alloc(1, sizeof(*s));
    if (e == NULL || s == NULL) {
        st = CUZK_FAIL(err, CUZK_E_NOMEM, "no memory to export %zu spans", n);
        goto out;
    }
    for (size_t i = 0; i < n; i++) {
        const bool device = r[i].tags.device != CUZK_TRACE_NONE && r[i].thread == 0;
        e[i] = (event){.r = &r[i],
                       .pid = device ? DEVICE_PID + (uint64_t)r[i].tags.device : HOST_PID,
                       .tid = r[i].thread != 0 ? r[i].thread : r[i].lane + 1,
                       .end_ns = r[i].end_ns != 0      ? r[i].end_ns
                                 : now > r[i].begin_ns ? now
                                                       : r[i].begin_ns};
        origin = r[i].begin_ns < origin ? r[i].begin_ns : origin;
    }
    qsort(e, n, sizeof(*e), by_track_and_time);
    place_all(e, n, s);
    write_all(w, e, n, t, origin);
    st = CUZK_OK;
out:
    cuzk_free(s);
    cuzk_free(e);
    cuzk_free(r);
    return st;
}
