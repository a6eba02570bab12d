/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_APPS_BENCH_DAEMON_H
#define CUZK_APPS_BENCH_DAEMON_H

#include "apps/cuzk/bench/bench_common.h"
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
    bench_opts m; /* m.a: the app. runs, result and the rest: batch only */
    remote_opts remote;
    remote_job job;
    bench_verb verb;
    int argc; /* the command line, for the result */
    char **argv;
    uint64_t count, concurrency, duration_s, seed;
    const char *circuit;
    const char *status; /* batch: HOST:PORT of the daemon's HTTP, where its spans are */
    char *specs[BENCH_MAX_JOBS];
    size_t n_specs;
    remote_job *jobs[BENCH_MAX_JOBS]; /* the mix; batch has one, which is job */
    size_t n_jobs;
} bench_daemon;

/** Text of the daemon as a terminal may show it: no control characters. Short ones only; the struct holds the copy. */
typedef struct bench_clean {
    char text[512];
} bench_clean;
const char *bench_show(bench_clean *out, const char *text);

/** What the calls of one run took. */
typedef struct bench_daemon_run {
    uint64_t completed, failed;
    double wall_s; /* of all calls together */
    double median_s;
} bench_daemon_run;
/**
 * Runs count jobs (duration_s 0) or jobs for a time, concurrency at once, and reports them. run may be
 * NULL. E_SELFTEST: a proof failed.
 */
CUZK_NODISCARD cuzk_status bench_daemon_load(bench_daemon *b, bench_daemon_run *run);
/**
 * b->m.warmup and b->m.runs times bench_daemon_load, into b->m.r: a layer for each span that the daemon
 * recorded meanwhile, by GET /trace of b->status. The daemon must have no other work. E_BUDGET: it
 * recorded more spans in one run than it keeps.
 */
CUZK_NODISCARD cuzk_status bench_daemon_measure(bench_daemon *b);

#endif /* CUZK_APPS_BENCH_DAEMON_H */
