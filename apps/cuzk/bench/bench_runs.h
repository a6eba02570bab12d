/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_APPS_BENCH_RUNS_H
#define CUZK_APPS_BENCH_RUNS_H

/* Runs of a function that records spans: warm-up, measured runs; layers and other figures go into a result. */
#include "bench_common.h"

typedef struct bench_runs {
    bench_opts *b;             /* its app was begun with app.record */
    uint64_t proofs;           /* per run; 0: not proofs */
    bool overhead;             /* every other run without tracing */
    void (*before)(void *arg); /* outside the clock; may be NULL */
    cuzk_status (*run)(void *arg, cuzk_trace_ctx trace);
    uint64_t (*device_peak)(void *arg); /* bytes, 0: no device; may be NULL */
    void *arg;
} bench_runs;

/** Fills b->r. Shows progress. */
CUZK_NODISCARD cuzk_status bench_runs_measure(const bench_runs *p);

#endif /* CUZK_APPS_BENCH_RUNS_H */
