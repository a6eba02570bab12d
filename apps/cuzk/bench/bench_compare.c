/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* cuzk bench compare BASE NEW, cuzk bench moved FILE..., and cuzk bench show FILE. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/cuzk/commands.h"
#include "apps/cuzk/exit_status.h"
#include "base/alloc.h"
#include "report/compare.h"
#include "report/text.h"

#include "bench_common.h"

#define MAX_FILES 64

typedef struct bench_compare {
    app a;
    const char *path[MAX_FILES];
    const char *also[MAX_FILES];
    uint32_t n, n_also;
    uint32_t least, most; /* files */
    const char *html;
    cuzk_compare_opts opts;
    cuzk_result *results; /* [n] */
} bench_compare;

enum { OPT_REPORT = 0x500, OPT_EFFECT, OPT_CONFIDENCE, OPT_ALSO };

static const struct argp_option options[] = {
    {"report", OPT_REPORT, "FILE", 0, "Write an HTML page", 0},
    {"min-effect", OPT_EFFECT, "PERCENT", 0,
     "Changes below this are none, whatever the runs say (default 3)", 0},
    {"confidence", OPT_CONFIDENCE, "PERCENT", 0, "Of all intervals together (default 95)", 0},
    {"also", OPT_ALSO, "FILE", 0,
     "Another result: told when the same metric of the same commit has another value there", 0},
    {0}};

static double percent(struct argp_state *state, const char *arg, double most)
{
    char *end = NULL;
    const double v = strtod(arg, &end);
    if (end == arg || *end != '\0' || !(v > 0) || !(v < most)) {
        argp_error(state, "'%s' is not a percentage between 0 and %g", arg, most);
    }
    return v / 100;
}

static void add_file(bench_compare *c, const char *path, struct argp_state *state)
{
    if (c->n == MAX_FILES) {
        argp_error(state, "more than %d files", MAX_FILES);
    }
    c->path[c->n++] = path;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    bench_compare *c = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &c->a; return 0;
    case OPT_REPORT: c->html = arg; return 0;
    case OPT_EFFECT: c->opts.min_effect = percent(state, arg, 100); return 0;
    case OPT_CONFIDENCE: c->opts.confidence = percent(state, arg, 100); return 0;
    case OPT_ALSO:
        if (c->n_also == MAX_FILES) {
            argp_error(state, "more than %d files", MAX_FILES);
        }
        c->also[c->n_also++] = arg;
        return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num >= c->most) {
            argp_error(state, "too many arguments");
        }
        add_file(c, arg, state);
        return 0;
    case ARGP_KEY_END:
        if (c->n < c->least) {
            argp_error(state, c->least == 2 ? "needs BASE and NEW" : "needs FILE");
        }
        for (uint32_t i = 0; i < c->n_also; i++) { /* behind the two */
            add_file(c, c->also[i], state);
        }
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static cuzk_status load_all(bench_compare *c)
{
    c->results = cuzk_alloc_zero(c->n, sizeof(*c->results));
    if (c->results == NULL) {
        return CUZK_FAIL(&c->a.err, CUZK_E_NOMEM, "no memory for %u results", c->n);
    }
    for (uint32_t i = 0; i < c->n; i++) {
        CUZK_TRY(bench_load(&c->results[i], c->path[i], &c->a.err));
    }
    return CUZK_OK;
}

static void report_json(app *a, const cuzk_comparison *c)
{
    cuzk_jsonw *w = &a->w;
    app_text(a, "verdict", cuzk_verdict_name(c->verdict));
    cuzk_jsonw_key(w, "layers");
    cuzk_jsonw_begin_array(w);
    for (uint32_t i = 0; i < c->n_judged; i++) {
        const cuzk_compared *r = &c->rows[i];
        cuzk_jsonw_begin_object(w);
        app_text(a, "name", r->base->name);
        app_text(a, "unit", r->base->unit);
        app_text(a, "verdict", cuzk_verdict_name(r->verdict));
        cuzk_jsonw_key(w, "base");
        cuzk_jsonw_f64(w, r->base_median);
        cuzk_jsonw_key(w, "new");
        cuzk_jsonw_f64(w, r->new_median);
        cuzk_jsonw_key(w, "delta");
        cuzk_jsonw_f64(w, r->delta.value);
        cuzk_jsonw_key(w, "delta_lo");
        cuzk_jsonw_f64(w, r->delta.lo);
        cuzk_jsonw_key(w, "delta_hi");
        cuzk_jsonw_f64(w, r->delta.hi);
        cuzk_jsonw_end_object(w);
    }
    cuzk_jsonw_end_array(w);
    app_u64(a, "moved_baselines", c->n_moved);
}

static cuzk_status compare(bench_compare *c, int *worse)
{
    const cuzk_result *all[MAX_FILES];
    cuzk_comparison k;
    cuzk_err *err = &c->a.err;
    CUZK_TRY(load_all(c));
    CUZK_TRY(cuzk_compare(&k, &c->results[0], &c->results[1], &c->opts, err));
    for (uint32_t i = 0; i < c->n; i++) {
        all[i] = &c->results[i];
    }
    cuzk_status st = c->n > 2 ? cuzk_compare_moved(&k, all, c->path, c->n, &c->opts, err) : CUZK_OK;
    if (st == CUZK_OK && c->html != NULL) {
        st = bench_write_page(c->html, all[0], all[1], &k, c->a.force, err);
    }
    if (st == CUZK_OK && c->a.json) {
        report_json(&c->a, &k);
    } else if (st == CUZK_OK) {
        cuzk_text_comparison(stdout, &k, all[0], all[1]);
    }
    *worse = cuzk_comparison_exit_status(&k);
    cuzk_comparison_free(&k);
    return st;
}

/* Any results: none is base, none is new. */
static cuzk_status moved(bench_compare *c, int *worse)
{
    const cuzk_result *all[MAX_FILES];
    cuzk_comparison k = {.rows = NULL};
    CUZK_TRY(load_all(c));
    for (uint32_t i = 0; i < c->n; i++) {
        all[i] = &c->results[i];
    }
    const cuzk_status st = cuzk_compare_moved(&k, all, c->path, c->n, &c->opts, &c->a.err);
    if (st == CUZK_OK && c->a.json) {
        app_u64(&c->a, "moved_baselines", k.n_moved);
    } else if (st == CUZK_OK) {
        cuzk_text_moved(stdout, &k);
        (void)printf("%u of the baselines in %u results moved\n", k.n_moved, c->n);
    }
    *worse = k.n_moved > 0 ? 1 : 0;
    cuzk_comparison_free(&k);
    return st;
}

static cuzk_status show(bench_compare *c)
{
    CUZK_TRY(load_all(c));
    if (c->html != NULL) {
        CUZK_TRY(bench_write_page(c->html, &c->results[0], NULL, NULL, c->a.force, &c->a.err));
    }
    if (!c->a.json) {
        cuzk_text_result(stdout, &c->results[0]);
    }
    return CUZK_OK;
}

static int run(int argc, char **argv, uint32_t least, uint32_t most, const struct argp_option *opts,
               const char *args, const char *doc)
{
    const struct argp_child children[] = {APP_CHILD, {0}};
    const struct argp argp = {opts, parse, args, doc, children, NULL, NULL};
    bench_compare c;
    int worse = EXIT_STATUS_OK;
    memset(&c, 0, sizeof(c));
    c.least = least;
    c.most = most;
    app_init(&c.a, argv[0]);
    c.a.threads = 1;
    (void)argp_parse(&argp, argc, argv, 0, NULL, &c);
    cuzk_status st = app_begin(&c.a);
    if (st == CUZK_OK) {
        st = least == 2 ? compare(&c, &worse) : most == 1 ? show(&c) : moved(&c, &worse);
    }
    for (uint32_t i = 0; c.results != NULL && i < c.n; i++) {
        cuzk_result_free(&c.results[i]);
    }
    cuzk_free(c.results);
    const int status = app_finish(&c.a, st);
    return status != EXIT_STATUS_OK ? status : worse;
}

int cmd_bench_compare(int argc, char **argv)
{
    return run(
        argc, argv, 2, 2, options, "BASE.json NEW.json",
        "Compare two results of one benchmark, layer by layer. Exit status 0: nothing is worse; 1: something "
        "is, even if the total is better, or a baseline moved; 3: too few runs to tell.");
}

int cmd_bench_show(int argc, char **argv)
{
    static const struct argp_option show_options[] = {
        {"report", OPT_REPORT, "FILE", 0, "Write an HTML page", 0}, {0}};
    return run(argc, argv, 1, 1, show_options, "FILE.json", "Print a result.");
}

int cmd_bench_moved(int argc, char **argv)
{
    static const struct argp_option moved_options[] = {
        {"min-effect", OPT_EFFECT, "PERCENT", 0, "Differences below this are none (default 3)", 0},
        {0}};
    return run(
        argc, argv, 1, MAX_FILES, moved_options, "FILE.json...",
        "Find baselines that moved: the same metric of the same commit on the same machine with different values "
        "in two of the results. Exit status 1 when there is one.");
}
