/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "report/stats.h"

#include "test.h"

static bool near(double x, double want, double rel)
{
    return fabs(x - want) <= rel * fabs(want);
}

static double uniform(void)
{
    return ((double)(test_u64() >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void)
{
    return sqrt(-2 * log(uniform())) * cos(2 * 3.14159265358979 * uniform());
}

/* Two-sided critical values as printed tables have them. */
static void t_quantiles(void)
{
    CHECK(near(cuzk_stats_t_quantile(0.95, 1), 12.7062, 1e-5));
    CHECK(near(cuzk_stats_t_quantile(0.95, 4), 2.77645, 1e-5));
    CHECK(near(cuzk_stats_t_quantile(0.99, 8), 3.35539, 1e-5));
    CHECK(near(cuzk_stats_t_quantile(0.998, 10), 4.14370, 1e-5));
    CHECK(near(cuzk_stats_t_quantile(0.95, 1e6), 1.95997, 1e-5));
}

static void median_and_interval(void)
{
    double v[10] = {9, 1, 8, 2, 7, 3, 6, 4, 5, 10}, reached;
    cuzk_interval i = cuzk_stats_median_interval(v, 10, 0.95, &reached);
    CHECK(i.value == 5.5 && i.lo == 2 && i.hi == 9); /* tables: n = 10, second and ninth, 97.9 % */
    CHECK(near(reached, 0.97852, 1e-4));
    double w[5] = {5, 1, 4, 2, 3};
    i = cuzk_stats_median_interval(w, 5, 0.95, &reached);
    CHECK(i.value == 3 && i.lo == 1 && i.hi == 5 && near(reached, 0.9375, 1e-9));
    i = cuzk_stats_median_interval(w, 1, 0.95, &reached);
    CHECK(i.lo == i.hi && reached == 0);
}

/* Counts of the Mann-Whitney distribution by going through all arrangements, against the interval:
 * with a = 1..n and b shifted far away, the ends are order statistics of known rank. */
static void rank_interval_of_a_table(void)
{
    double a[10], b[10];
    cuzk_interval s;
    cuzk_shift_method m;
    cuzk_err err;
    for (int i = 0; i < 10; i++) {
        a[i] = i;
        b[i] = 1000 + i * 0.001;
    }
    /* n = m = 10, two-sided 5 %: critical U is 23, so the 24th smallest difference */
    CHECK_OK(cuzk_stats_shift(&s, &m, a, 10, b, 10, 0.95, &err), &err);
    CHECK(m == CUZK_SHIFT_RANKS);
    /* differences in order: 10 of each of 991.., 992.. : the 24th lies in the third ten */
    CHECK(s.lo >= 993 && s.lo < 993.01 && s.hi >= 998 && s.hi < 998.01);
    CHECK(s.value > 995 && s.value < 996.01);
    /* 1 %: critical U is 16 */
    CHECK_OK(cuzk_stats_shift(&s, &m, a, 10, b, 10, 0.99, &err), &err);
    CHECK(s.lo >= 992 && s.lo < 992.01);
}

static void few_runs_say_nothing(void)
{
    const double a[3] = {1, 2, 3};
    cuzk_interval s;
    cuzk_shift_method m;
    cuzk_err err;
    CHECK_OK(cuzk_stats_shift(&s, &m, a, 2, a, 3, 0.95, &err), &err);
    CHECK(m == CUZK_SHIFT_NONE && isinf(s.lo) && isinf(s.hi) && s.value == 0.5);
    CHECK_OK(cuzk_stats_shift(&s, &m, a, 0, a, 3, 0.95, &err), &err);
    CHECK(m == CUZK_SHIFT_NONE);
    CHECK_OK(cuzk_stats_shift(&s, &m, a, 3, a, 3, 0.95, &err), &err);
    CHECK(m == CUZK_SHIFT_WELCH && s.value == 0 && near(s.hi, 2.2670, 1e-3));
}

/* An interval covers the true shift as often as it promises, for skewed noise too. */
static void intervals_cover(void)
{
    for (unsigned n = 5; n <= 20; n += 5) {
        unsigned missed = 0;
        const unsigned rounds = 2000;
        for (unsigned k = 0; k < rounds; k++) {
            double a[20], b[20];
            cuzk_interval s;
            cuzk_shift_method m;
            cuzk_err err;
            for (unsigned i = 0; i < n; i++) {
                a[i] = exp(0.1 * normal());
                b[i] = exp(0.1 * normal()) + 0.5;
            }
            CHECK_OK(cuzk_stats_shift(&s, &m, a, n, b, n, 0.95, &err), &err);
            missed += s.lo > 0.5 || s.hi < 0.5;
        }
        CHECK_MSG(missed < 140, "%u runs: %u of %u intervals miss", n, missed, rounds);
        CHECK_MSG(missed > 40, "%u runs: intervals far too wide (%u miss)", n, missed);
    }
}

static void no_memory(void)
{
    const double a[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    cuzk_interval s;
    cuzk_shift_method m;
    for (uint64_t n = 1; n <= 2; n++) {
        cuzk_alloc_fail_nth(n, false);
        CHECK_STATUS(cuzk_stats_shift(&s, &m, a, 8, a, 8, 0.95, NULL), CUZK_E_NOMEM);
    }
    cuzk_alloc_fail_nth(0, false);
}

static const cuzk_case cases[] = {
    CASE(t_quantiles),          CASE(median_and_interval), CASE(rank_interval_of_a_table),
    CASE(few_runs_say_nothing), CASE(intervals_cover),     CASE(no_memory)};
TEST_MAIN("report/stats", cases)
