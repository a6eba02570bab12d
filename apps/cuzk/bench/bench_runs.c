/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "bench_runs.h"

#include <stdio.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "report/text.h"

/* What a run records in addition to its layers. */
typedef struct measured {
    uint64_t wall_ns, cpu_ns, heap, rss, reference_ns;
    bool rss_of_run;
} measured;

static cuzk_status one_run(const bench_runs *p, cuzk_trace *t, cuzk_span *root, measured *out)
{
    cuzk_trace_ctx trace = {t, 0};
    if (p->before != NULL) {
        p->before(p->arg);
    }
    out->reference_ns = bench_reference_ns(p->b->by_cpu);
    out->rss_of_run = bench_reset_peak_rss();
    cuzk_alloc_reset_peak();
    const uint64_t c0 = cuzk_clock_cpu_ns(), t0 = cuzk_clock_ns();
    *root = cuzk_span_begin(trace, "run", NULL);
    trace.parent = *root;
    const cuzk_status st = p->run(p->arg, trace);
    cuzk_span_end(trace, *root, 0);
    out->wall_ns = cuzk_clock_ns() - t0;
    out->cpu_ns = cuzk_clock_cpu_ns() - c0;
    out->heap = cuzk_alloc_get_stats().bytes_peak;
    out->rss = cuzk_clock_peak_rss();
    return st;
}

static void add_value(cuzk_result *r, const char *name, const char *unit, cuzk_metric_role role,
                      double v, bool more)
{
    cuzk_metric *m = cuzk_result_metric(r, name, unit, role);
    if (m != NULL) {
        m->more_is_better = more;
    }
    cuzk_result_add(r, m, v);
}

static void add_counts(cuzk_result *r, const cuzk_layers *l, const cuzk_trace *t)
{
    const cuzk_trace_info info = cuzk_trace_get_info(t);
    for (uint32_t i = 0; i < l->n; i++) {
        for (unsigned c = 0; c < CUZK_COUNTERS && l->rows[i].count > 0; c++) {
            char name[CUZK_METRIC_NAME_BYTES];
            if (info.counted[c]) {
                (void)snprintf(name, sizeof(name), "%.80s %s", l->rows[i].path,
                               cuzk_trace_counter_name((cuzk_trace_counter)c));
                add_value(r, name, "", CUZK_ROLE_INFO, (double)l->rows[i].counts[c], false);
            }
        }
    }
}

/* Adds the figures of one measured run to the result. */
static cuzk_status record(const bench_runs *p, const cuzk_trace *t, cuzk_span root,
                          const measured *m, uint32_t run, bool last)
{
    cuzk_result *r = &p->b->r;
    cuzk_err *err = &p->b->a.err;
    cuzk_span_record *spans = NULL;
    cuzk_layers l = {.rows = NULL};
    size_t n = 0;
    CUZK_TRY(cuzk_trace_snapshot(&spans, &n, t, err));
    cuzk_status st = cuzk_layers_compute(&l, spans, n, root, err);
    if (st == CUZK_OK) {
        if (p->b->by_cpu) {
            cuzk_layers_by_cpu(&l);
        }
        cuzk_result_add_layers(r, &l, run);
        add_counts(r, &l, t);
        add_value(r, "wall", "s", CUZK_ROLE_INFO, (double)m->wall_ns * 1e-9,
                  false); /* another clock reading */
        add_value(r, "cpu", "s", CUZK_ROLE_OTHER, (double)m->cpu_ns * 1e-9, false);
        add_value(r, "peak_heap", "bytes", CUZK_ROLE_OTHER, (double)m->heap, false);
        add_value(r, "peak_rss", "bytes", m->rss_of_run ? CUZK_ROLE_OTHER : CUZK_ROLE_INFO,
                  (double)m->rss, false);
        const uint64_t device = p->device_peak != NULL ? p->device_peak(p->arg) : 0;
        if (device > 0) {
            add_value(r, "peak_device", "bytes", CUZK_ROLE_OTHER, (double)device, false);
        }
        if (p->proofs > 0) {
            add_value(r, "proofs_per_minute", "1/min", CUZK_ROLE_INFO,
                      (double)p->proofs * 60e9 / (double)m->wall_ns, true);
        }
        add_value(r, "reference_loop_1", "s", CUZK_ROLE_REFERENCE, (double)m->reference_ns * 1e-9,
                  false);
    }
    if (st == CUZK_OK && last) {
        cuzk_result_set_timeline(r, spans, n, root);
        if (p->b->a.layers && !p->b->a.json) {
            cuzk_text_layers(stdout, &l);
        }
    }
    cuzk_layers_free(&l);
    cuzk_free(spans);
    return st;
}

static cuzk_status measure(const bench_runs *p)
{
    app *a = &p->b->a;
    cuzk_trace *t = a->trace.trace; /* with --trace the file holds the runs too */
    cuzk_status st = CUZK_OK;
    const uint64_t per_run = p->overhead ? 2 : 1;
    const uint64_t total = (p->b->warmup + p->b->runs) * per_run;
    for (uint64_t i = 0; st == CUZK_OK && i < total; i++) {
        const bool traced = !p->overhead || i % 2 == (i / 2) % 2; /* on off off on ... */
        const uint64_t run = i / per_run;
        const bool counts = run >= p->b->warmup;
        cuzk_span root = 0;
        measured m;
        app_progress(a, "runs", i, total);
        st = one_run(p, traced ? t : NULL, &root, &m);
        if (st == CUZK_OK && counts && p->overhead) {
            add_value(&p->b->r, traced ? "wall, traced" : "wall, not traced", "s", CUZK_ROLE_INFO,
                      (double)m.wall_ns * 1e-9, false);
            add_value(&p->b->r, traced ? "cpu, traced" : "cpu, not traced", "s", CUZK_ROLE_INFO,
                      (double)m.cpu_ns * 1e-9, false);
        }
        if (st == CUZK_OK && counts && traced) {
            st = record(p, t, root, &m, (uint32_t)(run - p->b->warmup),
                        run + 1 == p->b->warmup + p->b->runs);
        }
        if (st == CUZK_OK && cuzk_cancel_requested(a->cancel)) {
            st = CUZK_FAIL(&a->err, CUZK_E_CANCELLED, "interrupted");
        }
    }
    app_progress(a, "runs", total, total);
    return st;
}

static cuzk_status report_overhead(const bench_runs *p)
{
    static const char *const what[2] = {"wall", "cpu"};
    for (int i = 0; i < 2; i++) {
        char on[40], off[40];
        cuzk_interval d;
        cuzk_shift_method method;
        (void)snprintf(on, sizeof(on), "%s, traced", what[i]);
        (void)snprintf(off, sizeof(off), "%s, not traced", what[i]);
        const cuzk_metric *x = cuzk_result_find(&p->b->r, on);
        const cuzk_metric *y = cuzk_result_find(&p->b->r, off);
        double least = 0;
        CUZK_TRY(
            cuzk_stats_shift(&d, &method, y->values, y->n, x->values, x->n, 0.95, &p->b->a.err));
        for (uint32_t k = 0; k < y->n; k++) {
            least = k == 0 || y->values[k] < least ? y->values[k] : least;
        }
        if (method == CUZK_SHIFT_NONE) {
            cuzk_result_note(&p->b->r, "too few runs to tell what tracing costs");
            return CUZK_OK;
        }
        cuzk_result_note(&p->b->r, "tracing costs %+.2f %% of %s time (95 %%: %+.2f to %+.2f)",
                         100 * d.value / least, what[i], 100 * d.lo / least, 100 * d.hi / least);
    }
    return CUZK_OK;
}

cuzk_status bench_runs_measure(const bench_runs *p)
{
    const app *a = &p->b->a;
    if (a->count) {
        cuzk_result_note(&p->b->r, "%s", cuzk_trace_counters_note(a->trace.trace));
    }
    CUZK_TRY(bench_inject(p->b));
    CUZK_TRY(measure(p));
    return p->overhead ? report_overhead(p) : CUZK_OK;
}
