/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Many calls to a daemon: batch and stress. One thread and one connection per call at once. */
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"

#include "bench_daemon.h"

/* One call that is over. */
typedef struct sample {
    size_t job;
    bool completed;
    double wall_s, prove_s;
} sample;

typedef struct load {
    bench_daemon *b;
    uint64_t started_ns, until_ns;
    uint64_t total; /* calls to be made; UINT64_MAX: until time is up */
    _Atomic uint64_t next;
    pthread_mutex_t mu;
    sample *samples; /* [n], under mu */
    size_t n, cap;
    cuzk_status status; /* first failure that is not a job's */
    cuzk_err err;
} load;

/* splitmix64 of a counter: the choice depends on seed and index only, not on timing. */
static uint64_t mix(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static size_t choose(const bench_daemon *b, uint64_t i)
{
    uint64_t total = 0;
    for (size_t k = 0; k < b->n_jobs; k++) {
        total += b->jobs[k]->weight;
    }
    uint64_t at = mix(b->seed + i) % total;
    for (size_t k = 0; k + 1 < b->n_jobs; k++) {
        if (at < b->jobs[k]->weight) {
            return k;
        }
        at -= b->jobs[k]->weight;
    }
    return b->n_jobs - 1;
}

/* With mu held. */
static void keep(load *l, sample s)
{
    if (l->n == l->cap) {
        const size_t cap = l->cap == 0 ? 64 : 2 * l->cap;
        sample *p = cuzk_realloc(l->samples, cap, sizeof(*p));
        if (p == NULL) {
            l->status = CUZK_FAIL(&l->err, CUZK_E_NOMEM, "out of memory for samples");
            return;
        }
        l->samples = p;
        l->cap = cap;
    }
    l->samples[l->n++] = s;
}

static void print_one(const load *l, const sample *s, const cuzk_rpc_result *r, const char *error)
{
    bench_clean shown;
    if (l->b->m.a.json) {
        return;
    }
    if (l->total != UINT64_MAX) {
        (void)printf("[%zu/%" PRIu64 "] ", l->n, l->total);
    } else {
        (void)printf("[%.1f s] %s ", (double)(cuzk_clock_ns() - l->started_ns) * 1e-9,
                     remote_kind_name(l->b->jobs[s->job]->kind));
    }
    if (s->completed) {
        (void)printf("COMPLETED — %.1fs (prove=%" PRIu64 " ms, queue=%" PRIu64 " ms)\n", s->wall_s,
                     r->gpu_compute_ms, r->queue_wait_ms);
    } else {
        (void)printf("%s — %.1fs: %s\n", r != NULL ? cuzk_rpc_outcome_name(r->outcome) : "ERROR",
                     s->wall_s, bench_show(&shown, error));
    }
    (void)fflush(stdout);
}

/* true: go on. */
static bool one_call(load *l, cuzk_rpc_client *c, uint64_t i)
{
    char id[64];
    cuzk_rpc_result r;
    cuzk_err err = {.code = CUZK_OK};
    sample s = {.job = choose(l->b, i)};
    cuzk_job_request q = l->b->jobs[s.job]->request;
    /* Names of their own: equal names with equal content would be one job. */
    (void)snprintf(id, sizeof(id), "bench-%ld-%" PRIu64 "-%" PRIu64, (long)getpid(), l->started_ns,
                   i);
    q.request_id = (cuzk_bytes){(const uint8_t *)id, strlen(id)};
    const uint64_t t0 = cuzk_clock_ns();
    const cuzk_status st = cuzk_rpc_client_prove(c, &q, &r, &err);
    s.wall_s = (double)(cuzk_clock_ns() - t0) * 1e-9;
    s.completed = st == CUZK_OK && r.outcome == CUZK_RPC_COMPLETED;
    s.prove_s = st == CUZK_OK ? (double)r.gpu_compute_ms * 1e-3 : 0;
    (void)pthread_mutex_lock(&l->mu);
    keep(l, s);
    print_one(l, &s, st == CUZK_OK ? &r : NULL, st == CUZK_OK ? r.error : err.msg);
    const bool unreachable = st != CUZK_OK && cuzk_rpc_client_code(c) == CUZK_GRPC_UNAVAILABLE;
    if (unreachable && l->status == CUZK_OK) {
        l->status = st;
        l->err = err;
    }
    const bool go_on = l->status == CUZK_OK && !cuzk_cancel_requested(l->b->m.a.cancel);
    (void)pthread_mutex_unlock(&l->mu);
    if (st == CUZK_OK) {
        cuzk_rpc_result_free(&r);
    }
    return go_on;
}

static void *caller(void *arg)
{
    load *l = arg;
    cuzk_rpc_client *c = NULL;
    cuzk_err err = {.code = CUZK_OK};
    const cuzk_status st = cuzk_rpc_client_create(&c, &l->b->remote.config, &err);
    if (st != CUZK_OK) {
        (void)pthread_mutex_lock(&l->mu);
        if (l->status == CUZK_OK) {
            l->status = st;
            l->err = err;
        }
        (void)pthread_mutex_unlock(&l->mu);
        return NULL;
    }
    for (;;) {
        const uint64_t i = atomic_fetch_add(&l->next, 1);
        if (i >= l->total || cuzk_clock_ns() >= l->until_ns || !one_call(l, c, i)) {
            break;
        }
    }
    cuzk_rpc_client_destroy(c);
    return NULL;
}

/* ---- summary ---- */

typedef struct figures {
    uint64_t completed, failed;
    double wall_sum, wall_min, wall_max, prove_sum, prove_min, prove_max;
    double median, p95;
} figures;

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y ? 1 : 0;
}

/* Of the completed calls of one job of the mix; job == n_jobs: of all. */
static bool figures_of(figures *f, const load *l, size_t job)
{
    double *walls = cuzk_alloc(l->n, sizeof(*walls));
    memset(f, 0, sizeof(*f));
    if (walls == NULL) {
        return false;
    }
    for (size_t i = 0; i < l->n; i++) {
        const sample *s = &l->samples[i];
        if (job != l->b->n_jobs && s->job != job) {
            continue;
        }
        if (!s->completed) {
            f->failed++;
            continue;
        }
        const bool first = f->completed == 0;
        f->wall_min = first || s->wall_s < f->wall_min ? s->wall_s : f->wall_min;
        f->wall_max = first || s->wall_s > f->wall_max ? s->wall_s : f->wall_max;
        f->prove_min = first || s->prove_s < f->prove_min ? s->prove_s : f->prove_min;
        f->prove_max = first || s->prove_s > f->prove_max ? s->prove_s : f->prove_max;
        f->wall_sum += s->wall_s;
        f->prove_sum += s->prove_s;
        walls[f->completed++] = s->wall_s;
    }
    if (f->completed > 0) {
        qsort(walls, f->completed, sizeof(*walls), by_size);
        f->median = walls[f->completed / 2];
        f->p95 = walls[(f->completed * 95 + 99) / 100 - 1];
    }
    cuzk_free(walls);
    return true;
}

static void print_summary(const load *l, const figures *f, double total_s)
{
    const double n = (double)f->completed;
    (void)printf("\n=== %s Summary ===\n", l->b->verb == BENCH_STRESS ? "Stress" : "Batch");
    (void)printf("total time:  %.1f s\n", total_s);
    (void)printf("completed:   %" PRIu64 "\nfailed:      %" PRIu64 "\n", f->completed, f->failed);
    if (f->completed > 0) {
        (void)printf("wall:        avg=%.1fs min=%.1fs max=%.1fs\n", f->wall_sum / n, f->wall_min,
                     f->wall_max);
        (void)printf("prove:       avg=%.1fs min=%.1fs max=%.1fs\n", f->prove_sum / n, f->prove_min,
                     f->prove_max);
        (void)printf("throughput:  %.3f proofs/min (%.1f s/proof)\n", n * 60 / total_s,
                     total_s / n);
    }
}

static void json_figures(app *a, const figures *f, double total_s)
{
    const double n = f->completed == 0 ? 1 : (double)f->completed;
    app_u64(a, "completed", f->completed);
    app_u64(a, "failed", f->failed);
    cuzk_jsonw_put_f64(&a->w, "wall_avg_s", f->wall_sum / n);
    cuzk_jsonw_put_f64(&a->w, "wall_min_s", f->wall_min);
    cuzk_jsonw_put_f64(&a->w, "wall_median_s", f->median);
    cuzk_jsonw_put_f64(&a->w, "wall_p95_s", f->p95);
    cuzk_jsonw_put_f64(&a->w, "wall_max_s", f->wall_max);
    cuzk_jsonw_put_f64(&a->w, "prove_avg_s", f->prove_sum / n);
    cuzk_jsonw_put_f64(&a->w, "proofs_per_minute", (double)f->completed * 60 / total_s);
}

static cuzk_status report(load *l, double total_s, bench_daemon_run *run)
{
    app *a = &l->b->m.a;
    figures f;
    if (!figures_of(&f, l, l->b->n_jobs)) {
        return CUZK_FAIL(&a->err, CUZK_E_NOMEM, "out of memory for a summary");
    }
    if (run != NULL) {
        *run = (bench_daemon_run){f.completed, f.failed, total_s, f.median};
    } else if (a->json) {
        cuzk_jsonw_put_f64(&a->w, "total_s", total_s);
        json_figures(a, &f, total_s);
    } else {
        print_summary(l, &f, total_s);
    }
    if (l->b->verb == BENCH_STRESS && a->json) {
        cuzk_jsonw_key(&a->w, "jobs");
        cuzk_jsonw_begin_array(&a->w);
    }
    for (size_t i = 0; l->b->verb == BENCH_STRESS && i < l->b->n_jobs; i++) {
        figures g;
        if (!figures_of(&g, l, i)) {
            return CUZK_FAIL(&a->err, CUZK_E_NOMEM, "out of memory for a summary");
        }
        if (a->json) {
            cuzk_jsonw_begin_object(&a->w);
            app_text(a, "kind", remote_kind_name(l->b->jobs[i]->kind));
            json_figures(a, &g, total_s);
            cuzk_jsonw_end_object(&a->w);
        } else {
            (void)printf("%-12s completed=%" PRIu64 " failed=%" PRIu64
                         " median=%.2fs p95=%.2fs max=%.2fs\n",
                         remote_kind_name(l->b->jobs[i]->kind), g.completed, g.failed, g.median,
                         g.p95, g.wall_max);
        }
    }
    if (l->b->verb == BENCH_STRESS && a->json) {
        cuzk_jsonw_end_array(&a->w);
    }
    return f.failed == 0
               ? CUZK_OK
               : CUZK_FAIL(&a->err, CUZK_E_SELFTEST, "%" PRIu64 " of %" PRIu64 " proofs failed",
                           f.failed, f.failed + f.completed);
}

static cuzk_status run_callers(load *l)
{
    const size_t n = (size_t)l->b->concurrency;
    size_t started = 0;
    pthread_t *t = cuzk_alloc(n, sizeof(*t));
    if (t == NULL) {
        return CUZK_FAIL(&l->b->m.a.err, CUZK_E_NOMEM, "out of memory for threads");
    }
    while (started < n && pthread_create(&t[started], NULL, caller, l) == 0) {
        started++;
    }
    for (size_t i = 0; i < started; i++) {
        (void)pthread_join(t[i], NULL);
    }
    cuzk_free(t);
    if (started < n) {
        return CUZK_FAIL(&l->b->m.a.err, CUZK_E_IO, "cannot start %zu threads", n);
    }
    if (l->status != CUZK_OK) {
        l->b->m.a.err = l->err;
    }
    return l->status;
}

cuzk_status bench_daemon_load(bench_daemon *b, bench_daemon_run *run)
{
    load l = {.b = b, .status = CUZK_OK, .until_ns = UINT64_MAX, .total = b->count};
    CUZK_TRY(remote_prepare(&b->m.a, &b->remote));
    (void)pthread_mutex_init(&l.mu, NULL);
    l.started_ns = cuzk_clock_ns();
    if (b->duration_s != 0) {
        l.total = UINT64_MAX;
        l.until_ns = l.started_ns + b->duration_s * 1000000000u;
    }
    if (!b->m.a.json) {
        (void)printf("=== %s: ", b->verb == BENCH_STRESS ? "Stress" : "Batch");
        if (b->duration_s != 0) {
            (void)printf("%" PRIu64 " s, %zu jobs", b->duration_s, b->n_jobs);
        } else {
            (void)printf("%" PRIu64 " x %s", b->count, remote_kind_name(b->job.kind));
        }
        (void)printf(", concurrency %" PRIu64 ", %s ===\n", b->concurrency,
                     b->remote.config.address);
    }
    cuzk_status st = run_callers(&l);
    const uint64_t ended_ns = cuzk_clock_ns();
    if (l.n > 0) {
        const cuzk_status r = report(&l, (double)(ended_ns - l.started_ns) * 1e-9, run);
        st = st == CUZK_OK ? r : st;
    }
    (void)pthread_mutex_destroy(&l.mu);
    cuzk_free(l.samples);
    return st;
}
