/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * A ring of slots. Span number s lives in slot (s - 1) % capacity until s + capacity begins. Each
 * slot has its own lock, held for a copy of one record and so never for long; two threads meet on
 * one only when the ring goes round, or when a span is read while it ends.
 */
#include "trace/trace.h"

#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"

#include "trace_internal.h"

typedef struct slot {
    _Atomic uint32_t locked;
    cuzk_span_record r; /* until it ends, cpu_ns and counts hold the values at its begin */
} slot;

struct cuzk_trace {
    uint32_t capacity;
    _Atomic uint64_t begun;
    cuzk_perf perf;
    const char *slow_parent, *slow_name; /* test hook; NULL: off */
    double slow_part;
    slot slots[];
};

static void lock(slot *s)
{
    for (unsigned spins = 0; atomic_exchange_explicit(&s->locked, 1, memory_order_acquire) != 0;
         spins++) {
        if (spins > 64) { /* its owner has lost the CPU */
            (void)sched_yield();
        }
    }
}

static void unlock(slot *s)
{
    atomic_store_explicit(&s->locked, 0, memory_order_release);
}

static slot *slot_of(const cuzk_trace *t, cuzk_span s)
{
    /* A reader takes the slot's lock too: the recorder is only const to its users. */
    return &((cuzk_trace *)(uintptr_t)t)->slots[(s - 1) % t->capacity];
}

cuzk_status cuzk_trace_create(cuzk_trace **out, uint32_t capacity, cuzk_err *err)
{
    if (capacity == 0) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "a trace of no spans");
    }
    cuzk_trace *t = cuzk_alloc_zero(1, sizeof(*t) + capacity * sizeof(slot));
    if (t == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for a trace of %u spans", capacity);
    }
    t->capacity = capacity;
    cuzk_perf_init(&t->perf);
    *out = t;
    return CUZK_OK;
}

void cuzk_trace_destroy(cuzk_trace *t)
{
    if (t != NULL) {
        cuzk_perf_close(&t->perf);
        cuzk_free(t);
    }
}

bool cuzk_trace_count(cuzk_trace *t)
{
    return cuzk_perf_open(&t->perf);
}

const char *cuzk_trace_counters_note(const cuzk_trace *t)
{
    return t->perf.note;
}

cuzk_trace_info cuzk_trace_get_info(const cuzk_trace *t)
{
    cuzk_trace_info i = {.begun = atomic_load_explicit(&t->begun, memory_order_relaxed),
                         .capacity = t->capacity};
    i.dropped = i.begun > t->capacity ? i.begun - t->capacity : 0;
    for (unsigned c = 0; c < CUZK_COUNTERS; c++) {
        i.counted[c] = t->perf.fd[c] >= 0;
    }
    return i;
}

static cuzk_span_tags merge_tags(const cuzk_trace *t, cuzk_span parent, const cuzk_span_tags *own)
{
    cuzk_span_tags tags = CUZK_SPAN_TAGS_INIT;
    if (parent != 0) {
        slot *p = slot_of(t, parent);
        lock(p);
        if (p->r.id == parent) {
            tags = p->r.tags;
        }
        unlock(p);
        tags.bytes = 0;
    }
    if (own != NULL) {
        tags.job = own->job != CUZK_TRACE_NONE ? own->job : tags.job;
        tags.partition = own->partition != CUZK_TRACE_NONE ? own->partition : tags.partition;
        tags.device = own->device != CUZK_TRACE_NONE ? own->device : tags.device;
        tags.bytes = own->bytes;
    }
    return tags;
}

/* Gives the record a number and a place. */
static cuzk_span put(cuzk_trace *t, cuzk_span_record *r)
{
    r->id = atomic_fetch_add_explicit(&t->begun, 1, memory_order_relaxed) + 1;
    slot *s = slot_of(t, r->id);
    lock(s);
    if (s->r.id < r->id) { /* a thread may sleep for a whole round between number and lock */
        s->r = *r;
    }
    unlock(s);
    return r->id;
}

cuzk_span cuzk_span_begin(cuzk_trace_ctx ctx, const char *name, const cuzk_span_tags *tags)
{
    uint64_t begin_ns;
    return ctx.trace != NULL ? cuzk_span_begin_timed(ctx, name, tags, &begin_ns) : 0;
}

cuzk_span cuzk_span_begin_timed(cuzk_trace_ctx ctx, const char *name, const cuzk_span_tags *tags,
                                uint64_t *begin_ns)
{
    cuzk_trace *t = ctx.trace;
    if (t == NULL) {
        *begin_ns = cuzk_clock_ns();
        return 0;
    }
    cuzk_span_record r = {.parent = ctx.parent,
                          .name = name,
                          .tags = merge_tags(t, ctx.parent, tags),
                          .thread = (uint32_t)syscall(SYS_gettid),
                          .mem_begin = cuzk_alloc_get_stats().bytes_now,
                          .cpu_ns = cuzk_clock_cpu_ns()};
    if (t->perf.any) {
        cuzk_perf_read(&t->perf, r.counts);
    }
    r.begin_ns = cuzk_clock_ns();
    *begin_ns = r.begin_ns;
    return put(t, &r);
}

void cuzk_trace_slow_down(cuzk_trace *t, const char *parent, const char *name, double part)
{
    t->slow_parent = parent;
    t->slow_name = name;
    t->slow_part = part;
}

static bool copy_of(const cuzk_trace *t, cuzk_span id, cuzk_span_record *out)
{
    slot *s = slot_of(t, id);
    lock(s);
    const bool held = id != 0 && s->r.id == id;
    if (held) {
        *out = s->r;
    }
    unlock(s);
    return held;
}

static void slow_down(const cuzk_trace *t, cuzk_span id)
{
    cuzk_span_record r, parent;
    if (!copy_of(t, id, &r) || r.end_ns != 0 || strcmp(r.name, t->slow_name) != 0 ||
        (t->slow_parent != NULL && (r.parent == 0 || !copy_of(t, r.parent, &parent) ||
                                    strcmp(parent.name, t->slow_parent) != 0))) {
        return;
    }
    const uint64_t now = cuzk_clock_ns();
    const uint64_t until = now + (uint64_t)((double)(now - r.begin_ns) * t->slow_part);
    while (cuzk_clock_ns() < until) {
    }
}

void cuzk_span_end(cuzk_trace_ctx ctx, cuzk_span id, uint64_t bytes)
{
    if (ctx.trace != NULL && id != 0) {
        (void)cuzk_span_end_timed(ctx, id, bytes);
    }
}

uint64_t cuzk_span_end_timed(cuzk_trace_ctx ctx, cuzk_span id, uint64_t bytes)
{
    cuzk_trace *t = ctx.trace;
    uint64_t counts[CUZK_COUNTERS] = {0};
    if (t == NULL || id == 0) {
        return cuzk_clock_ns();
    }
    if (t->slow_name != NULL) {
        slow_down(t, id);
    }
    const uint64_t now = cuzk_clock_ns();
    const uint64_t cpu = cuzk_clock_cpu_ns(), mem = cuzk_alloc_get_stats().bytes_now;
    if (t->perf.any) {
        cuzk_perf_read(&t->perf, counts);
    }
    slot *s = slot_of(t, id);
    lock(s);
    if (s->r.id == id && s->r.end_ns == 0) {
        s->r.end_ns = now;
        s->r.mem_end = mem;
        s->r.cpu_ns = cpu - s->r.cpu_ns;
        s->r.tags.bytes += bytes;
        for (unsigned c = 0; c < CUZK_COUNTERS; c++) {
            s->r.counts[c] = counts[c] > s->r.counts[c] ? counts[c] - s->r.counts[c] : 0;
        }
    }
    unlock(s);
    return now;
}

/* thread 0: of a device's queue. */
static cuzk_span add(cuzk_trace_ctx ctx, const char *name, const cuzk_span_tags *tags,
                     uint32_t thread, uint32_t lane, uint64_t begin_ns, uint64_t end_ns)
{
    cuzk_trace *t = ctx.trace;
    if (t == NULL) {
        return 0;
    }
    const uint64_t mem = cuzk_alloc_get_stats().bytes_now;
    cuzk_span_record r = {.parent = ctx.parent,
                          .name = name,
                          .tags = merge_tags(t, ctx.parent, tags),
                          .thread = thread,
                          .lane = lane,
                          .begin_ns = begin_ns,
                          .end_ns = end_ns > begin_ns ? end_ns : begin_ns,
                          .mem_begin = mem,
                          .mem_end = mem};
    return put(t, &r);
}

cuzk_span cuzk_trace_add(cuzk_trace_ctx ctx, const char *name, const cuzk_span_tags *tags,
                         uint32_t lane, uint64_t begin_ns, uint64_t end_ns)
{
    return add(ctx, name, tags, 0, lane, begin_ns, end_ns);
}

cuzk_span cuzk_trace_add_here(cuzk_trace_ctx ctx, const char *name, const cuzk_span_tags *tags,
                              uint64_t begin_ns, uint64_t end_ns)
{
    return add(ctx, name, tags, (uint32_t)syscall(SYS_gettid), 0, begin_ns, end_ns);
}

size_t cuzk_trace_read(const cuzk_trace *t, cuzk_span after, cuzk_span_record *out, size_t cap)
{
    const uint64_t begun = atomic_load_explicit(&t->begun, memory_order_relaxed);
    const uint64_t oldest = begun > t->capacity ? begun - t->capacity : 0;
    size_t n = 0;
    for (cuzk_span id = after > oldest ? after + 1 : oldest + 1; id <= begun && n < cap; id++) {
        slot *s = slot_of(t, id);
        lock(s);
        const bool held = s->r.id == id;
        if (held) {
            out[n] = s->r;
        }
        unlock(s);
        if (held) {
            if (out[n].end_ns == 0) { /* what is there are values at the begin */
                out[n].cpu_ns = 0;
                out[n].mem_end = out[n].mem_begin;
                for (unsigned c = 0; c < CUZK_COUNTERS; c++) {
                    out[n].counts[c] = 0;
                }
            }
            n++;
        }
    }
    return n;
}

cuzk_status cuzk_trace_snapshot(cuzk_span_record **out, size_t *n, const cuzk_trace *t,
                                cuzk_err *err)
{
    const cuzk_trace_info i = cuzk_trace_get_info(t);
    const size_t cap = i.begun < i.capacity ? (size_t)i.begun : i.capacity;
    cuzk_span_record *r = cuzk_alloc(cap, sizeof(*r));
    if (r == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory to read %zu spans", cap);
    }
    *n = cuzk_trace_read(t, 0, r, cap);
    *out = r;
    return CUZK_OK;
}
