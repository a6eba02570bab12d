/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* cuzk bench synth KIND: recording the circuit, making a witness, evaluating the rows. */
#include <stdio.h>
#include <string.h>

#include "apps/cuzk/commands.h"
#include "base/alloc.h"
#include "r1cs/witness.h"

#include "bench_runs.h"
#include "bench_subject.h"

typedef struct bench_synth {
    bench_opts b;
    bench_subject s;
    uint64_t lg, bits;
    cuzk_fr *values; /* [m] of one matrix */
} bench_synth;

enum { OPT_SIZE = 0x480, OPT_SEED, OPT_SECTORS, OPT_LG, OPT_BITS, OPT_COUNTERS };

static const struct argp_option options[] = {
    {"sector-size", OPT_SIZE, "SIZE", 0, "2KiB (default) to 64GiB", 0},
    STATEMENT_OPTION_C1("; default: generated"),
    STATEMENT_OPTION_VANILLA("; default: generated"),
    STATEMENT_OPTION_RANDOMNESS(", with --vanilla"),
    STATEMENT_OPTION_TYPE,
    STATEMENT_OPTIONS_UPDATE,
    {"partition", OPT_PARTITION, "K", 0, "Whose witness is made (default 0)", 0},
    {"seed", OPT_SEED, "N", 0, "Of the generated input (default 1)", 0},
    {"sectors", OPT_SECTORS, "N", 0, "window: sectors (default: a full partition)", 0},
    {"lg", OPT_LG, "N", 0, "rows: 2^N rows, 3 to 26 (default 20)", 0},
    {"bits", OPT_BITS, "PERCENT", 0, "rows: part of bit wires (default 50)", 0},
    {"counters", OPT_COUNTERS, NULL, 0,
     "Count instructions, cycles and branches, where the kernel allows it", 0},
    {0}};

static void number(struct argp_state *state, uint64_t *out, const char *arg, uint64_t least,
                   uint64_t most)
{
    if (!app_parse_u64(out, arg, most) || *out < least) {
        argp_error(state, "'%s' is not a number from %llu to %llu", arg, (unsigned long long)least,
                   (unsigned long long)most);
    }
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    bench_synth *p = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &p->b; return 0;
    case OPT_SIZE: p->s.in.sector_size = arg; return 0;
    case OPT_SEED: number(state, &p->s.seed, arg, 0, UINT32_MAX); return 0;
    case OPT_SECTORS: number(state, &p->s.sectors, arg, 1, BENCH_MAX_BLOBS); return 0;
    case OPT_LG: number(state, &p->lg, arg, 3, 26); return 0;
    case OPT_BITS: number(state, &p->bits, arg, 0, 100); return 0;
    case OPT_COUNTERS: p->b.a.count = true; return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num > 0) {
            argp_error(state, "too many arguments");
        }
        p->s.kind = arg;
        return 0;
    case ARGP_KEY_END:
        if (p->s.kind == NULL) {
            argp_error(state, "needs KIND: porep, winning, window, update, rows");
        }
        return 0;
    default: return statement_opts_parse(&p->s.in, key, arg, state);
    }
}

static cuzk_status evaluate(bench_synth *p, const cuzk_witness *w, cuzk_trace_ctx trace)
{
    static const char *const names[3] = {"eval_a", "eval_b", "eval_c"};
    app *a = &p->b.a;
    const size_t m = (size_t)1 << cuzk_circuit_lg_domain(w->circuit);
    for (int i = 0; i < 3; i++) {
        const cuzk_span span = cuzk_span_begin(trace, names[i], NULL);
        const cuzk_status st =
            cuzk_r1cs_eval(p->values, m, w, (cuzk_matrix_id)i, a->pool, a->cancel, &a->err);
        cuzk_span_end(trace, span, m * sizeof(cuzk_fr));
        CUZK_TRY(st);
    }
    return CUZK_OK;
}

static cuzk_status run(void *arg, cuzk_trace_ctx trace)
{
    bench_synth *p = arg;
    cuzk_err *err = &p->b.a.err;
    cuzk_circuit *c = NULL;
    cuzk_witness *w = NULL;
    cuzk_span span = cuzk_span_begin(trace, "record", NULL);
    cuzk_status st = bench_subject_record(&p->s, &c, err);
    cuzk_span_end(trace, span, 0);
    cuzk_circuit_destroy(c);
    CUZK_TRY(st);
    span = cuzk_span_begin(trace, "witness", NULL);
    st = bench_subject_witness(&p->s, &w, err);
    cuzk_span_end(trace, span, 0);
    if (st == CUZK_OK) {
        st = evaluate(p, w, trace);
    }
    cuzk_witness_destroy(w);
    return st;
}

/* Figures per constraint, by which circuits of different sizes can be compared. */
static void add_per_row(bench_synth *p, double rows)
{
    cuzk_result *r = &p->b.r;
    const uint32_t n = r->n_metrics;
    for (uint32_t i = 0; i < n; i++) {
        char name[CUZK_METRIC_NAME_BYTES];
        const cuzk_metric *m = &r->metrics[i];
        const bool layer = m->role == CUZK_ROLE_LAYER && strcmp(m->name, "unaccounted") != 0;
        const bool counter =
            strstr(m->name, " instructions") != NULL || strstr(m->name, " branches") != NULL;
        if (!layer && !counter) {
            continue;
        }
        (void)snprintf(name, sizeof(name), "%.80s per constraint", m->name);
        cuzk_metric *per = cuzk_result_metric(r, name, layer ? "ns" : "", CUZK_ROLE_INFO);
        for (uint32_t k = 0; per != NULL && k < r->metrics[i].n; k++) {
            cuzk_result_add(r, per, r->metrics[i].values[k] / rows * (layer ? 1e9 : 1));
            per = &r->metrics[r->n_metrics - 1];
        }
    }
}

static cuzk_status work(bench_synth *p, int argc, char **argv)
{
    app *a = &p->b.a;
    CUZK_TRY(app_check_output(a, p->b.result));
    CUZK_TRY(app_check_output(a, p->b.html));
    p->s.rows = (bench_rows){(unsigned)p->lg, (unsigned)p->bits};
    CUZK_TRY(bench_subject_open(&p->s, a, false));
    const cuzk_circuit *c = bench_subject_circuit(&p->s);
    const size_t m = (size_t)1 << cuzk_circuit_lg_domain(c);
    p->values = cuzk_alloc(m, sizeof(*p->values));
    if (p->values == NULL) {
        return CUZK_FAIL(&a->err, CUZK_E_NOMEM, "no memory for %zu values", m);
    }
    bench_begin(&p->b, "synth", p->s.name, argc, argv);
    cuzk_result_fact(&p->b.r, "constraints", "%llu", (unsigned long long)c->n_rows);
    const bench_runs runs = {.b = &p->b, .run = run, .arg = p};
    CUZK_TRY(bench_runs_measure(&runs));
    add_per_row(p, (double)c->n_rows);
    return CUZK_OK;
}

int cmd_bench_synth(int argc, char **argv)
{
    static const struct argp_child children[] = {BENCH_CHILD, {0}};
    static const struct argp argp = {
        options,
        parse,
        "KIND",
        "Measure what comes before the proof for a circuit of KIND (porep, winning, window, update, or rows): recording "
        "and compiling it, the witness of a partition, and evaluating A, B and C.",
        children,
        NULL,
        NULL};
    static bench_synth p; /* too large for the stack */
    bench_opts_init(&p.b, argv[0]);
    p.lg = 20;
    p.bits = 50;
    p.s.seed = 1;
    p.b.a.record = true;
    (void)argp_parse(&argp, argc, argv, 0, NULL, &p);
    cuzk_status st = app_begin(&p.b.a);
    if (st == CUZK_OK) {
        st = work(&p, argc, argv);
        st = bench_end(&p.b, st);
        cuzk_free(p.values);
        bench_subject_close(&p.s);
    }
    return app_finish(&p.b.a, st);
}
