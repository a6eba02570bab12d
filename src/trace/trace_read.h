/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_TRACE_TRACE_READ_H
#define CUZK_TRACE_TRACE_READ_H

/* What a recorder holds, while it records or after: snapshots, and two export formats. */
#include "base/text/json_writer.h"
#include "trace/trace.h"

typedef enum cuzk_trace_counter {
    CUZK_COUNTER_INSTRUCTIONS,
    CUZK_COUNTER_CYCLES,
    CUZK_COUNTER_BRANCHES,
    CUZK_COUNTER_BRANCH_MISSES,
    CUZK_COUNTERS
} cuzk_trace_counter;

/** "instructions", "cycles", "branches", "branch_misses". */
const char *cuzk_trace_counter_name(cuzk_trace_counter c);

typedef struct cuzk_span_record {
    cuzk_span id, parent;
    const char *name;
    cuzk_span_tags tags;
    uint32_t thread; /* the kernel's number of the thread that began it; 0: added afterwards */
    uint32_t lane;   /* of an added span */
    uint64_t begin_ns, end_ns;      /* end_ns 0: still open */
    uint64_t mem_begin, mem_end;    /* bytes of base/alloc.h in use */
    uint64_t cpu_ns;                /* CPU time of the whole process meanwhile */
    uint64_t counts[CUZK_COUNTERS]; /* as cuzk_trace_count says; 0 when not counted */
} cuzk_span_record;

typedef struct cuzk_trace_info {
    uint64_t begun;   /* spans ever begun or added: ids are 1 .. begun */
    uint64_t dropped; /* of them no longer held */
    uint32_t capacity;
    bool counted[CUZK_COUNTERS];
} cuzk_trace_info;

cuzk_trace_info cuzk_trace_get_info(const cuzk_trace *t);
/** One line: what is counted, or why not. Valid as long as t. */
const char *cuzk_trace_counters_note(const cuzk_trace *t);
/**
 * Copies the spans with an id above `after`, in order of id, at most cap; returns their number.
 * Again with the last id copied for the rest. Spans that end meanwhile are seen open or closed,
 * never half. @thread any, also while spans are recorded.
 */
size_t cuzk_trace_read(const cuzk_trace *t, cuzk_span after, cuzk_span_record *out, size_t cap);
/** All spans held, in a block to be freed with cuzk_free. */
CUZK_NODISCARD cuzk_status cuzk_trace_snapshot(cuzk_span_record **out, size_t *n,
                                               const cuzk_trace *t, cuzk_err *err);

/** One JSON object with every span; docs/tracing.md lists the fields. */
CUZK_NODISCARD cuzk_status cuzk_trace_write_json(cuzk_jsonw *w, const cuzk_trace *t, cuzk_err *err);
/**
 * Nanoseconds of all ended spans of a name with an id above `after`, added up whether or not they overlap.
 * parent: only those directly inside a span of that name; NULL: any.
 */
uint64_t cuzk_trace_sum(const cuzk_trace *t, cuzk_span after, const char *parent, const char *name);

#define CUZK_SPAN_NAME_BYTES 64
/** Spans that were read back. */
typedef struct cuzk_trace_spans {
    cuzk_span_record *spans; /* [n] in order of id; counts and mem_* are zero */
    size_t n;
    uint64_t now_ns;                     /* the recorder's clock when the text was written */
    uint64_t dropped;                    /* spans that the recorder no longer held */
    char (*names)[CUZK_SPAN_NAME_BYTES]; /* what the spans' names point into */
    uint32_t n_names;
} cuzk_trace_spans;
/**
 * Reads the text of cuzk_trace_write_json. Any bytes; what: of the source, for messages. Fields that are
 * not known are skipped. E_FORMAT with place and reason (also for ids that do not grow, parents that do not
 * come before their children, spans that end before they begin), E_NOMEM; then out is empty.
 */
CUZK_NODISCARD cuzk_status cuzk_trace_parse(cuzk_trace_spans *out, const void *text, size_t n,
                                            const char *what, cuzk_err *err);
void cuzk_trace_spans_free(cuzk_trace_spans *s);
/**
 * One object of the Trace Event format, which Perfetto and chrome://tracing open: a track per thread
 * and per device queue, and the memory in use. Spans of one track that do not nest get a track
 * beside it. Times start at the first span.
 */
CUZK_NODISCARD cuzk_status cuzk_trace_write_perfetto(cuzk_jsonw *w, const cuzk_trace *t,
                                                     cuzk_err *err);

#endif /* CUZK_TRACE_TRACE_READ_H */
