/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_TRACE_TRACE_H
#define CUZK_TRACE_TRACE_H

/*
 * Spans: who did what from when to when, nested. One recorder per command or per daemon; every
 * layer takes a cuzk_trace_ctx (a recorder and the span to nest under) and a NULL recorder costs
 * one branch. Spans are meant for stages and kernels (microseconds and more), not for inner loops.
 *
 * Times are CLOCK_MONOTONIC nanoseconds (base/clock.h). Device spans are recorded after the fact
 * with cuzk_trace_add, their times carried over to the host clock by the device's owner.
 *
 * A recorder keeps the newest spans in a ring of fixed size: a daemon never runs out, memory is
 * bounded. Costs under half a microsecond per span (two clocks, the allocator's counter, the thread's
 * number). Reading: trace/trace_read.h.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cuzk_trace cuzk_trace;

/** Numbered from 1 in order of their beginning; 0: no span (the root, or tracing is off). */
typedef uint64_t cuzk_span;

#define CUZK_TRACE_NONE (-1)

/** What a span is about. Value-initialise with CUZK_SPAN_TAGS_INIT: CUZK_TRACE_NONE means "not said". */
typedef struct cuzk_span_tags {
    int64_t job;       /* internal job number */
    int32_t partition; /* partition of the job */
    int32_t device;    /* ordinal of a device; none: the host */
    uint64_t bytes;    /* bytes moved or read, 0: none */
} cuzk_span_tags;
#define CUZK_SPAN_TAGS_INIT                                                             \
    {                                                                                   \
        .job = CUZK_TRACE_NONE, .partition = CUZK_TRACE_NONE, .device = CUZK_TRACE_NONE \
    }

/** Where to record: passed by value in option structs. All zero: nowhere. */
typedef struct cuzk_trace_ctx {
    cuzk_trace *trace;
    cuzk_span parent;
} cuzk_trace_ctx;
#define CUZK_TRACE_OFF ((cuzk_trace_ctx){NULL, 0})

/**
 * capacity: spans kept; the oldest make room for new ones and are counted as dropped. About 192
 * bytes each. E_NOMEM.
 */
CUZK_NODISCARD cuzk_status cuzk_trace_create(cuzk_trace **out, uint32_t capacity, cuzk_err *err);
/** NULL is fine. */
void cuzk_trace_destroy(cuzk_trace *t);
/**
 * From now on count instructions, cycles, branches and mispredicted branches of user code in every
 * span. Counts are of the whole process while the span was open, so that they include its worker
 * threads; only threads started after this call are counted: call it before the pool is made. True
 * when at least one counter runs. cuzk_trace_counters_note says which are missing and why.
 */
bool cuzk_trace_count(cuzk_trace *t);

/**
 * Test hook: every span of this name, and under a span of that name if parent is given, takes part
 * more of its time, spent spinning before it ends: a layer that is slower for real. Names are kept
 * by address; set before recording. name NULL: off.
 */
void cuzk_trace_slow_down(cuzk_trace *t, const char *parent, const char *name, double part);
/**
 * Opens a span under ctx.parent on the calling thread; name is a string literal (kept by address),
 * lower case with '_', the layer's term: "witness", "ntt", "msm_h". Tags not said (or tags NULL) are
 * those of the parent, but for bytes. Records the memory in use. @thread any.
 */
cuzk_span cuzk_span_begin(cuzk_trace_ctx ctx, const char *name, const cuzk_span_tags *tags);
/** The same. *begin_ns: the time that the span begins with, also when nothing is recorded. */
cuzk_span cuzk_span_begin_timed(cuzk_trace_ctx ctx, const char *name, const cuzk_span_tags *tags,
                                uint64_t *begin_ns);
/** Closes it; adds bytes to the span's. 0 is fine. May be another thread than begin's. */
void cuzk_span_end(cuzk_trace_ctx ctx, cuzk_span s, uint64_t bytes);
/** The same. Returns the time that the span ends with, also when nothing is recorded. */
uint64_t cuzk_span_end_timed(cuzk_trace_ctx ctx, cuzk_span s, uint64_t bytes);
/**
 * A span that is over already (device events). lane: device queue number. end_ns is moved to
 * begin_ns when it is before it. @thread any.
 */
cuzk_span cuzk_trace_add(cuzk_trace_ctx ctx, const char *name, const cuzk_span_tags *tags,
                         uint32_t lane, uint64_t begin_ns, uint64_t end_ns);
/** The same of the calling thread: a stage whose begin nobody knew to be one, or that may yet come to nothing. */
cuzk_span cuzk_trace_add_here(cuzk_trace_ctx ctx, const char *name, const cuzk_span_tags *tags,
                              uint64_t begin_ns, uint64_t end_ns);
/** The context for what runs inside s. */
static inline cuzk_trace_ctx cuzk_trace_in(cuzk_trace_ctx ctx, cuzk_span s)
{
    const cuzk_trace_ctx inner = {ctx.trace, s};
    return inner;
}

#ifdef __cplusplus
}
#endif

#endif /* CUZK_TRACE_TRACE_H */
