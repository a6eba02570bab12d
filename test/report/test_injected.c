/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The whole way with real work: a program of four layers is traced, its spans become layers, runs
 * become results, results are compared. Base and new run in turns, so that a busy neighbour hits
 * both. Injected: 5 % more steps in one layer, 10 % fewer in another.
 */
#include <string.h>

#include "base/alloc.h"
#include "report/compare.h"
#include "report/layers.h"

#include "test.h"

enum { LAYERS = 4, RUNS = 20, REPEATS = 20 };

static const char *const names[LAYERS] = {"witness", "ntt", "msm", "verify"};
static const uint64_t steps[LAYERS] = {300000, 400000, 900000, 200000};

static volatile uint64_t sink;

/* A chain of multiplications: as long as it is, whatever else the machine does. */
static void work(uint64_t n)
{
    uint64_t x = 0x9e3779b97f4a7c15u;
    for (uint64_t i = 0; i < n; i++) {
        x = x * x + i;
    }
    sink = x;
}

/* The layers of a run of the program into r. A run during which others had the CPU is done again, as
 * a person would on a busy machine. */
static void run_once(cuzk_result *r, const double factor[LAYERS])
{
    cuzk_trace *t = NULL;
    cuzk_span_record *spans = NULL;
    cuzk_layers l = {.wall_ns = UINT64_MAX};
    size_t n = 0;
    cuzk_err err;
    CHECK_OK(cuzk_trace_create(&t, 64, &err), &err);
    bool quiet = false;
    for (int attempt = 0; attempt < 1000 && !quiet; attempt++) {
        const cuzk_trace_ctx ctx = {t, 0};
        const cuzk_span job = cuzk_span_begin(ctx, "job", NULL);
        for (int i = 0; i < LAYERS; i++) {
            const cuzk_trace_ctx in = cuzk_trace_in(ctx, job);
            const cuzk_span s = cuzk_span_begin(in, names[i], NULL);
            work((uint64_t)((double)steps[i] * factor[i]));
            cuzk_span_end(in, s, 0);
        }
        cuzk_span_end(ctx, job, 0);
        cuzk_layers seen;
        CHECK_OK(cuzk_trace_snapshot(&spans, &n, t, &err), &err);
        CHECK_OK(cuzk_layers_compute(&seen, spans, n, job, &err), &err);
        quiet = (double)seen.rows[0].cpu_ns > 0.995 * (double)seen.wall_ns;
        cuzk_layers_free(&l);
        l = seen;
        cuzk_free(spans);
    }
    if (!quiet) {
        cuzk_layers_free(&l);
        cuzk_trace_destroy(t);
        cuzk_test_skip("the machine is too busy to time two milliseconds");
    }
    cuzk_result_add_layers(r, &l, r->runs++);
    cuzk_layers_free(&l);
    cuzk_trace_destroy(t);
}

static cuzk_verdict compare_once(const double factor[LAYERS], int *exit_status, char *report)
{
    static const double one[LAYERS] = {1, 1, 1, 1};
    cuzk_result a, b;
    cuzk_comparison c;
    cuzk_err err;
    cuzk_result_init(&a, "prove", "injected");
    cuzk_result_init(&b, "prove", "injected");
    memset(&c, 0, sizeof(c));
    do { /* a comparison that cannot tell asks for more runs, and gets them */
        cuzk_comparison_free(&c);
        for (int i = 0; i < RUNS; i++) {
            run_once(i % 2 == 0 ? &a : &b, i % 2 == 0 ? one : factor);
            run_once(i % 2 == 0 ? &b : &a, i % 2 == 0 ? factor : one);
        }
        CHECK_OK(cuzk_compare(&c, &a, &b, NULL, &err), &err);
    } while (c.verdict == CUZK_VERDICT_UNCLEAR && a.runs < 8 * RUNS);
    int len = 0;
    for (uint32_t i = 0; i < c.n_judged; i++) {
        len += snprintf(report + len, 1000 - (size_t)len, "%s %+.2f %% [%+.2f, %+.2f] %s; ",
                        c.rows[i].base->name, 100 * c.rows[i].delta.value / c.rows[i].base_median,
                        100 * c.rows[i].delta.lo / c.rows[i].base_median,
                        100 * c.rows[i].delta.hi / c.rows[i].base_median,
                        cuzk_verdict_name(c.rows[i].verdict));
    }
    const cuzk_verdict v = c.verdict;
    if (v == CUZK_VERDICT_MIXED) {
        CHECK_STR(c.rows[c.worse[0]].base->name, "ntt");
    }
    *exit_status = cuzk_comparison_exit_status(&c);
    cuzk_comparison_free(&c);
    cuzk_result_free(&a);
    cuzk_result_free(&b);
    return v;
}

static void the_same_program_is_the_same(void)
{
    static const double one[LAYERS] = {1, 1, 1, 1};
    for (int i = 0; i < REPEATS; i++) {
        char report[1000];
        int status;
        const cuzk_verdict v = compare_once(one, &status, report);
        CHECK_MSG(v == CUZK_VERDICT_SAME && status == 0, "repeat %d: %s: %s", i,
                  cuzk_verdict_name(v), report);
    }
}

static void a_loss_beside_a_gain_is_mixed(void)
{
    static const double factor[LAYERS] = {1, 1.05, 0.9, 1};
    for (int i = 0; i < REPEATS; i++) {
        char report[1000];
        int status;
        const cuzk_verdict v = compare_once(factor, &status, report);
        CHECK_MSG(v == CUZK_VERDICT_MIXED && status == 1, "repeat %d: %s: %s", i,
                  cuzk_verdict_name(v), report);
    }
}

static const cuzk_case cases[] = {CASE(the_same_program_is_the_same),
                                  CASE(a_loss_beside_a_gain_is_mixed)};
TEST_MAIN("report/injected", cases)
