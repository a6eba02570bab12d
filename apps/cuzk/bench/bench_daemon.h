/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_APPS_BENCH_DAEMON_H
#define CUZK_APPS_BENCH_DAEMON_H

#include "apps/cuzk/remote/remote.h"

#define BENCH_MAX_JOBS 16

typedef enum bench_verb {
    BENCH_SINGLE,
    BENCH_BATCH,
    BENCH_STRESS,
    BENCH_STATUS,
    BENCH_PRELOAD,
    BENCH_METRICS
} bench_verb;

typedef struct bench_daemon {
    app a;
    remote_opts remote;
    remote_job job;
    bench_verb verb;
    uint64_t count, concurrency, duration_s, seed;
    const char *circuit;
    char *specs[BENCH_MAX_JOBS];
    size_t n_specs;
    remote_job *jobs[BENCH_MAX_JOBS]; /* the mix; batch has one, which is job */
    size_t n_jobs;
} bench_daemon;

/** Runs count jobs (duration_s 0) or jobs for a time, concurrency at once, and reports. */
CUZK_NODISCARD cuzk_status bench_daemon_load(bench_daemon *b);

#endif /* CUZK_APPS_BENCH_DAEMON_H */
