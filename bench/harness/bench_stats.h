/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_BENCH_HARNESS_BENCH_STATS_H
#define CUZK_BENCH_HARNESS_BENCH_STATS_H

#include <stddef.h>

typedef struct bench_stats {
    double min;
    double median;
    double p95;
} bench_stats;

/** Statistics of v[n], n > 0; sorts v. Median of an even count: mean of the two; p95: nearest rank. */
bench_stats bench_stats_of(double *v, size_t n);

#endif /* CUZK_BENCH_HARNESS_BENCH_STATS_H */
