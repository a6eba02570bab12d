/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_TRACE_TRACE_INTERNAL_H
#define CUZK_TRACE_TRACE_INTERNAL_H

#include "trace/trace_read.h"

/* Hardware counters of the process. fd -1: not counted. */
typedef struct cuzk_perf {
    int fd[CUZK_COUNTERS];
    bool any;
    char note[200];
} cuzk_perf;

void cuzk_perf_init(cuzk_perf *p);
/** Opens what the kernel allows; true when anything counts. */
bool cuzk_perf_open(cuzk_perf *p);
/** The same for other events of perf_event_open (2); for tests on machines without counters. */
bool cuzk_perf_open_events(cuzk_perf *p, uint32_t type, const uint64_t config[CUZK_COUNTERS]);
void cuzk_perf_close(cuzk_perf *p);
/** Counts since opening, scaled when the kernel had to share the hardware; 0 where not counted. */
void cuzk_perf_read(const cuzk_perf *p, uint64_t out[CUZK_COUNTERS]);

/** Fields of a host span that has ended: memory, CPU time, and the counters that were counted. */
void cuzk_trace_put_usage(cuzk_jsonw *w, const cuzk_span_record *r, const cuzk_trace_info *info);

#endif /* CUZK_TRACE_TRACE_INTERNAL_H */
