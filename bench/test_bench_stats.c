/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "bench.h"
#include "bench_stats.h"
#include "test.h"

static void one_sample(void)
{
    double v[1] = {3};
    const bench_stats s = bench_stats_of(v, 1);
    CHECK(s.min == 3 && s.median == 3 && s.p95 == 3);
}

static void unsorted(void)
{
    double v[4] = {4, 1, 3, 2};
    const bench_stats s = bench_stats_of(v, 4);
    CHECK(s.min == 1 && s.median == 2.5 && s.p95 == 4);
}

static void rank_of_p95(void)
{
    double v[100];
    for (int i = 0; i < 100; i++) {
        v[i] = 100 - i;
    }
    const bench_stats s = bench_stats_of(v, 100);
    CHECK(s.min == 1 && s.median == 50.5 && s.p95 == 95);
}

static void fill_is_deterministic(void)
{
    uint8_t a[33], b[33];
    bench_fill(a, sizeof(a), 7);
    bench_fill(b, sizeof(b), 7);
    CHECK_MEM(a, b, sizeof(a));
    bench_fill(b, sizeof(b), 8);
    CHECK(a[0] != b[0] || a[1] != b[1]);
}

static const cuzk_case cases[] = {CASE(one_sample), CASE(unsorted), CASE(rank_of_p95),
                                  CASE(fill_is_deterministic)};
TEST_MAIN("bench/stats", cases)
