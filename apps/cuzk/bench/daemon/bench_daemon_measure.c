/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* cuzk bench daemon batch --result: runs of calls to a daemon, layer by layer. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "report/text.h"
#include "top/http_get.h"

#include "bench_daemon.h"

#define FETCH_MS  10000u
#define MAX_BYTES ((size_t)64 << 20)

/* The daemon's clock minus this process's: 0 on one machine, where both read the same clock. */
static int64_t clock_difference(uint64_t daemon_ns, uint64_t before_ns, uint64_t after_ns)
{
    if (before_ns <= daemon_ns && daemon_ns <= after_ns) {
        return 0;
    }
    return (int64_t)(daemon_ns - (before_ns + (after_ns - before_ns) / 2));
}

static cuzk_status fetch(cuzk_trace_spans *out, int64_t *difference, const char *address,
                         cuzk_err *err)
{
    char *text = NULL;
    size_t n = 0;
    const uint64_t t0 = cuzk_clock_ns();
    CUZK_TRY(cuzk_http_get(&text, &n, address, "/trace?format=json", FETCH_MS, MAX_BYTES, err));
    const uint64_t t1 = cuzk_clock_ns();
    const cuzk_status st = cuzk_trace_parse(out, text, n, "the daemon's spans", err);
    cuzk_free(text);
    if (st == CUZK_OK) {
        *difference = clock_difference(out->now_ns, t0, t1);
    }
    return st;
}

/* Spans of the daemon below a root that begins and ends with the calls. */
typedef struct run_spans {
    cuzk_span_record *spans; /* [n] the first is the root */
    size_t n;
} run_spans;

/* all: as fetched; times become those of this process, ids grow by one for the root. */
static cuzk_status spans_of_run(run_spans *out, const cuzk_trace_spans *all, int64_t difference,
                                uint64_t begin_ns, uint64_t end_ns, cuzk_err *err)
{
    out->spans = cuzk_alloc(all->n + 1, sizeof(*out->spans));
    out->n = 0;
    if (out->spans == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for %zu spans", all->n);
    }
    out->spans[out->n++] = (cuzk_span_record){.id = 1,
                                              .name = "run",
                                              .tags = CUZK_SPAN_TAGS_INIT,
                                              .thread = 1,
                                              .begin_ns = begin_ns,
                                              .end_ns = end_ns};
    if (all->dropped > 0 &&
        (all->n == 0 || all->spans[0].begin_ns - (uint64_t)difference > begin_ns)) {
        cuzk_free(out->spans);
        return CUZK_FAIL(
            err, CUZK_E_BUDGET,
            "the daemon keeps fewer spans than one run records: use a smaller --count");
    }
    for (size_t i = 0; i < all->n; i++) {
        cuzk_span_record r = all->spans[i];
        r.begin_ns -= (uint64_t)difference;
        r.end_ns -= r.end_ns != 0 ? (uint64_t)difference : 0;
        if (r.begin_ns >= end_ns || (r.end_ns != 0 && r.end_ns <= begin_ns)) {
            continue;
        }
        r.id++;
        r.parent++; /* 0, none, becomes the root */
        out->spans[out->n++] = r;
    }
    return CUZK_OK;
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

static cuzk_status record(bench_daemon *b, const bench_daemon_run *run, const run_spans *s,
                          uint64_t reference_ns, uint32_t index)
{
    cuzk_result *r = &b->m.r;
    cuzk_layers l = {.rows = NULL};
    CUZK_TRY(cuzk_layers_compute(&l, s->spans, s->n, 1, &b->m.a.err));
    cuzk_result_add_layers(r, &l, index);
    add_value(r, "wall", "s", CUZK_ROLE_INFO, run->wall_s, false);
    if (b->count > 1) {
        add_value(r, "median_of_calls", "s", CUZK_ROLE_OTHER, run->median_s, false);
    }
    add_value(r, "proofs_per_minute", "1/min", CUZK_ROLE_INFO,
              (double)run->completed * 60 / run->wall_s, true);
    add_value(r, "reference_loop_1", "s", CUZK_ROLE_REFERENCE, (double)reference_ns * 1e-9, false);
    if (index + 1 == b->m.runs) {
        cuzk_result_set_timeline(r, s->spans, s->n, 1);
        if (b->m.a.layers && !b->m.a.json) {
            cuzk_text_layers(stdout, &l);
        }
    }
    cuzk_layers_free(&l);
    return CUZK_OK;
}

/* One run; index UINT32_MAX: a warm-up, which is not recorded. */
static cuzk_status one_run(bench_daemon *b, uint32_t index)
{
    bench_daemon_run run;
    cuzk_trace_spans all;
    run_spans spans;
    int64_t difference = 0;
    cuzk_err *err = &b->m.a.err;
    const uint64_t reference_ns = bench_reference_ns(false);
    const uint64_t t0 = cuzk_clock_ns();
    CUZK_TRY(bench_daemon_load(b, &run));
    const uint64_t t1 = t0 + (uint64_t)(run.wall_s * 1e9);
    if (index == UINT32_MAX) {
        return CUZK_OK;
    }
    CUZK_TRY(fetch(&all, &difference, b->status, err));
    cuzk_status st = spans_of_run(&spans, &all, difference, t0, t1, err);
    if (st == CUZK_OK) {
        st = record(b, &run, &spans, reference_ns, index);
        cuzk_free(spans.spans);
    }
    cuzk_trace_spans_free(&all);
    return st;
}

cuzk_status bench_daemon_measure(bench_daemon *b)
{
    char name[100];
    (void)snprintf(name, sizeof(name), "%s, %" PRIu64 " proofs, %" PRIu64 " at once",
                   remote_kind_name(b->job.kind), b->count, b->concurrency);
    bench_begin(&b->m, "daemon", name, b->argc, b->argv);
    for (uint64_t i = 0; i < b->m.warmup; i++) {
        CUZK_TRY(one_run(b, UINT32_MAX));
    }
    for (uint64_t i = 0; i < b->m.runs; i++) {
        CUZK_TRY(one_run(b, (uint32_t)i));
    }
    return CUZK_OK;
}
