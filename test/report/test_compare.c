/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "report/compare.h"

#include "test.h"

static double uniform(void)
{
    return ((double)(test_u64() >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void)
{
    return sqrt(-2 * log(uniform())) * cos(2 * 3.14159265358979 * uniform());
}

/* A quiet machine as we know it: 1 % and now and then a disturbance of up to a fifth. */
static double noise(void)
{
    return exp(0.01 * normal()) * (test_below(25) == 0 ? 1 + 0.2 * uniform() : 1);
}

enum { LAYERS = 14 };
static const double seconds[LAYERS] = {2.6,   0.47,  0.33,  0.12,  0.066, 0.06,   0.072,
                                       0.032, 0.026, 0.012, 0.004, 0.001, 0.0007, 0.0012};

static void simulate(cuzk_result *r, unsigned runs, const double factor[LAYERS])
{
    cuzk_result_init(r, "prove", "simulated");
    r->runs = runs;
    for (unsigned k = 0; k < runs; k++) {
        double total = 0;
        for (unsigned i = 0; i < LAYERS; i++) {
            char name[32];
            (void)snprintf(name, sizeof(name), "layer%u", i);
            const double v = seconds[i] * noise() * (factor != NULL ? factor[i] : 1);
            total += v;
            cuzk_result_add(r, cuzk_result_metric(r, name, "s", CUZK_ROLE_LAYER), v);
        }
        cuzk_result_add(r, cuzk_result_metric(r, "total", "s", CUZK_ROLE_TOTAL), total);
    }
}

static cuzk_comparison compare(const cuzk_result *a, const cuzk_result *b)
{
    cuzk_comparison c;
    cuzk_err err;
    CHECK_OK(cuzk_compare(&c, a, b, NULL, &err), &err);
    return c;
}

static cuzk_verdict verdict_of(unsigned runs, const double factor[LAYERS], int *exit_status)
{
    cuzk_result a, b;
    simulate(&a, runs, NULL);
    simulate(&b, runs, factor);
    cuzk_comparison c = compare(&a, &b);
    const cuzk_verdict v = c.verdict;
    *exit_status = cuzk_comparison_exit_status(&c);
    cuzk_comparison_free(&c);
    cuzk_result_free(&a);
    cuzk_result_free(&b);
    return v;
}

static void two_equal_programs_are_the_same(void)
{
    unsigned same = 0;
    int status;
    for (int i = 0; i < 20; i++) {
        same += verdict_of(20, NULL, &status) == CUZK_VERDICT_SAME && status == 0;
    }
    CHECK_U64(same, 20);
}

/* A layer 5 % slower, another 10 % faster: the total is better, the verdict is not. */
static void a_loss_beside_a_gain_is_mixed(void)
{
    double factor[LAYERS];
    unsigned mixed = 0;
    int status;
    for (int i = 0; i < LAYERS; i++) {
        factor[i] = 1;
    }
    factor[0] = 0.9;
    factor[1] = 1.05;
    for (int i = 0; i < 20; i++) {
        mixed += verdict_of(20, factor, &status) == CUZK_VERDICT_MIXED && status == 1;
    }
    CHECK_U64(mixed, 20);
}

/* False alarms of the whole procedure, five runs as by default and more. */
static void false_alarms_are_rare(void)
{
    for (unsigned runs = 5; runs <= 20; runs += 5) {
        unsigned alarms = 0;
        int status;
        for (int i = 0; i < 400; i++) {
            const cuzk_verdict v = verdict_of(runs, NULL, &status);
            alarms += v != CUZK_VERDICT_SAME && v != CUZK_VERDICT_UNCLEAR;
        }
        CHECK_MSG(alarms <= 20, "%u runs: %u false alarms in 400", runs, alarms);
    }
}

static void five_runs_see_large_changes(void)
{
    double factor[LAYERS];
    unsigned found = 0;
    int status;
    for (int i = 0; i < LAYERS; i++) {
        factor[i] = 1;
    }
    factor[2] = 1.6; /* what this project was started for */
    factor[0] = 0.5;
    for (int i = 0; i < 20; i++) {
        found += verdict_of(5, factor, &status) == CUZK_VERDICT_MIXED && status == 1;
    }
    CHECK_MSG(found >= 18, "%u of 20", found);
}

static void too_few_runs_are_said(void)
{
    int status;
    for (unsigned runs = 1; runs <= 2; runs++) {
        CHECK(verdict_of(runs, NULL, &status) == CUZK_VERDICT_UNCLEAR);
        CHECK(status == 3);
    }
    cuzk_result a, b;
    double factor[LAYERS];
    for (int i = 0; i < LAYERS; i++) {
        factor[i] = 1;
    }
    factor[0] = 2;
    simulate(&a, 1, NULL);
    simulate(&b, 1, factor);
    cuzk_comparison c = compare(&a, &b);
    CHECK(c.n_unclear == LAYERS + 1 && c.n_worse == 0);
    cuzk_comparison_free(&c);
    cuzk_result_free(&a);
    cuzk_result_free(&b);
}

static void put(cuzk_result *r, const char *name, cuzk_metric_role role, double value, double step,
                unsigned n)
{
    cuzk_metric *m = cuzk_result_metric(r, name, "s", role);
    for (unsigned i = 0; i < n; i++) {
        cuzk_result_add(r, m, value + step * i);
    }
}

static void layers_are_named_by_size(void)
{
    cuzk_result a, b;
    cuzk_result_init(&a, "prove", "x");
    cuzk_result_init(&b, "prove", "x");
    put(&a, "small", CUZK_ROLE_LAYER, 1, 1e-4, 10);
    put(&a, "large", CUZK_ROLE_LAYER, 10, 1e-3, 10);
    put(&a, "gain", CUZK_ROLE_LAYER, 5, 1e-3, 10);
    put(&a, "total", CUZK_ROLE_TOTAL, 16, 1e-3, 10);
    put(&b, "small", CUZK_ROLE_LAYER, 1.5, 1e-4, 10);
    put(&b, "large", CUZK_ROLE_LAYER, 11, 1e-3, 10);
    put(&b, "gain", CUZK_ROLE_LAYER, 1, 1e-3, 10);
    put(&b, "total", CUZK_ROLE_TOTAL, 13.5, 1e-3, 10);
    cuzk_comparison c = compare(&a, &b);
    CHECK(c.verdict == CUZK_VERDICT_MIXED && c.n_worse == 2 && c.n_better == 2);
    CHECK_STR(c.rows[c.worse[0]].base->name, "large");
    CHECK_STR(c.rows[c.worse[1]].base->name, "small");
    CHECK_STR(c.rows[c.better[0]].base->name, "gain");
    CHECK(c.total != NULL && c.total->verdict == CUZK_VERDICT_BETTER);
    CHECK(cuzk_comparison_exit_status(&c) == 1);
    cuzk_comparison_free(&c);
    cuzk_result_free(&a);
    cuzk_result_free(&b);
}

/* Better here, and there too noisy to say: not yet a win. */
static void a_gain_beside_an_unknown_is_no_win(void)
{
    cuzk_result a, b;
    cuzk_result_init(&a, "prove", "x");
    cuzk_result_init(&b, "prove", "x");
    put(&a, "gain", CUZK_ROLE_LAYER, 5, 1e-3, 10);
    put(&b, "gain", CUZK_ROLE_LAYER, 4, 1e-3, 10);
    put(&a, "noisy", CUZK_ROLE_LAYER, 1, 0.2, 10);
    put(&b, "noisy", CUZK_ROLE_LAYER, 1.1, 0.2, 10);
    cuzk_comparison c = compare(&a, &b);
    CHECK(c.verdict == CUZK_VERDICT_UNCLEAR && c.n_better == 1 && c.n_unclear == 1);
    CHECK(cuzk_comparison_exit_status(&c) == 3);
    cuzk_comparison_free(&c);
    cuzk_result_free(&a);
    cuzk_result_free(&b);
}

static void more_may_be_better(void)
{
    cuzk_result a, b;
    cuzk_result_init(&a, "prove", "x");
    cuzk_result_init(&b, "prove", "x");
    put(&a, "proofs per minute", CUZK_ROLE_OTHER, 10, 1e-3, 10);
    put(&b, "proofs per minute", CUZK_ROLE_OTHER, 12, 1e-3, 10);
    a.metrics[0].more_is_better = b.metrics[0].more_is_better = true;
    cuzk_comparison c = compare(&a, &b);
    CHECK(c.verdict == CUZK_VERDICT_BETTER);
    cuzk_comparison_free(&c);
    c = compare(&b, &a);
    CHECK(c.verdict == CUZK_VERDICT_WORSE);
    cuzk_comparison_free(&c);
    cuzk_result_free(&a);
    cuzk_result_free(&b);
}

/* Everything 8 % slower, the fixed loop too: the machine, not the program. */
static void a_slower_machine_is_not_a_slower_program(void)
{
    cuzk_result a, b;
    cuzk_result_init(&a, "prove", "x");
    cuzk_result_init(&b, "prove", "x");
    put(&a, "layer", CUZK_ROLE_LAYER, 1, 1e-4, 10);
    put(&a, "reference", CUZK_ROLE_REFERENCE, 0.1, 1e-5, 10);
    put(&b, "layer", CUZK_ROLE_LAYER, 1.08, 1e-4, 10);
    put(&b, "reference", CUZK_ROLE_REFERENCE, 0.108, 1e-5, 10);
    cuzk_comparison c = compare(&a, &b);
    CHECK(c.verdict == CUZK_VERDICT_SAME && c.drift_known);
    CHECK(c.drift > 0.07 && c.drift < 0.09);
    cuzk_comparison_free(&c);
    b.metrics[1].n = 0;
    put(&b, "reference", CUZK_ROLE_REFERENCE, 0.1, 1e-5, 10);
    c = compare(&a, &b);
    CHECK(c.verdict == CUZK_VERDICT_WORSE);
    cuzk_comparison_free(&c);
    cuzk_result_free(&a);
    cuzk_result_free(&b);
}

/* A blank at the end of a fact, as older results have one, makes no other machine; another flag does. */
static void facts_of_one_machine(void)
{
    static const struct {
        const char *a, *b;
        bool same;
    } cases[] = {{"adx avx2 sha ", "adx avx2 sha", true},
                 {"adx avx2 sha", "adx avx2 sha", true},
                 {"adx avx2 ", "adx avx2 sha", false},
                 {"", "adx", false}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        cuzk_result a, b;
        cuzk_result_init(&a, "prove", "x");
        cuzk_result_init(&b, "prove", "x");
        cuzk_result_fact(&a, "cpu_flags", "%s", cases[i].a);
        cuzk_result_fact(&b, "cpu_flags", "%s", cases[i].b);
        put(&a, "layer", CUZK_ROLE_LAYER, 1, 1e-4, 10);
        put(&b, "layer", CUZK_ROLE_LAYER, 1, 1e-4, 10);
        cuzk_comparison c = compare(&a, &b);
        CHECK(c.same_machine == cases[i].same);
        cuzk_comparison_free(&c);
        cuzk_result_free(&a);
        cuzk_result_free(&b);
    }
}

static void moved_baselines_are_found(void)
{
    static cuzk_result r[4];
    static const char *const files[4] = {"t1", "t2", "t3", "t4"};
    const cuzk_result *p[4] = {&r[0], &r[1], &r[2], &r[3]};
    static const double value[4] = {1, 1.004, 2, 3};
    cuzk_comparison c;
    cuzk_err err;
    for (int i = 0; i < 4; i++) {
        cuzk_result_init(&r[i], "prove", "x");
        (void)snprintf(r[i].commit, sizeof(r[i].commit), i == 3 ? "other" : "abc");
        put(&r[i], "layer", CUZK_ROLE_LAYER, value[i], 1e-4, i == 0 ? 1 : 10);
        put(&r[i], "stable", CUZK_ROLE_LAYER, 1, 1e-4, 10);
    }
    c = compare(&r[1], &r[2]);
    CHECK(c.same_commit && c.same_machine && c.n_moved == 0);
    CHECK_OK(cuzk_compare_moved(&c, p, files, 4, NULL, &err), &err);
    CHECK_U64(c.n_moved, 1); /* t2 and t3; one run of t1 is no proof either way */
    CHECK_STR(c.moved[0].metric, "layer");
    CHECK_STR(c.moved[0].file_a, "t2");
    CHECK_STR(c.moved[0].file_b, "t3");
    cuzk_comparison_free(&c);
    c = compare(&r[1], &r[1]);
    r[2].metrics[0].n = 1; /* tables with single values */
    CHECK_OK(cuzk_compare_moved(&c, p, files, 4, NULL, &err), &err);
    CHECK_U64(c.n_moved, 1);
    CHECK_STR(c.moved[0].file_a, "t1");
    CHECK(cuzk_comparison_exit_status(&c) == 1);
    cuzk_comparison_free(&c);
    (void)snprintf(r[0].commit, sizeof(r[0].commit), "abc-dirty");
    c = compare(&r[1], &r[1]);
    CHECK_OK(cuzk_compare_moved(&c, p, files, 1, NULL, &err), &err);
    CHECK_U64(c.n_moved, 0);
    cuzk_comparison_free(&c);
    for (int i = 0; i < 4; i++) {
        cuzk_result_free(&r[i]);
    }
}

static void what_cannot_be_compared(void)
{
    cuzk_result a, b;
    cuzk_comparison c;
    cuzk_err err;
    cuzk_result_init(&a, "prove", "x");
    cuzk_result_init(&b, "prove", "y");
    CHECK_STATUS(cuzk_compare(&c, &a, &b, NULL, &err), CUZK_E_INVALID);
    (void)snprintf(b.name, sizeof(b.name), "x");
    put(&a, "layer", CUZK_ROLE_LAYER, 1, 0, 3);
    put(&b, "other", CUZK_ROLE_LAYER, 1, 0, 3);
    CHECK_STATUS(cuzk_compare(&c, &a, &b, NULL, &err), CUZK_E_INVALID);
    put(&b, "layer", CUZK_ROLE_LAYER, 1, 0, 3);
    for (uint64_t n = 1;; n++) {
        cuzk_alloc_fail_nth(n, false);
        const cuzk_status st = cuzk_compare(&c, &a, &b, NULL, &err);
        cuzk_alloc_fail_nth(0, false);
        if (st == CUZK_OK) {
            break;
        }
        CHECK(st == CUZK_E_NOMEM);
    }
    CHECK(c.only_new == 1 && c.only_base == 0 && c.verdict == CUZK_VERDICT_SAME);
    cuzk_comparison_free(&c);
    cuzk_result_free(&a);
    cuzk_result_free(&b);
}

static const cuzk_case cases[] = {CASE(two_equal_programs_are_the_same),
                                  CASE(a_loss_beside_a_gain_is_mixed),
                                  CASE(false_alarms_are_rare),
                                  CASE(five_runs_see_large_changes),
                                  CASE(too_few_runs_are_said),
                                  CASE(layers_are_named_by_size),
                                  CASE(a_gain_beside_an_unknown_is_no_win),
                                  CASE(more_may_be_better),
                                  CASE(a_slower_machine_is_not_a_slower_program),
                                  CASE(facts_of_one_machine),
                                  CASE(moved_baselines_are_found),
                                  CASE(what_cannot_be_compared)};
TEST_MAIN("report/compare", cases)
