/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * cuzk bench sweep KIND: the daemon's engine in this process, with each combination of calls at once,
 * partitions in a batch and partitions on a device at once; one table.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/cuzk/commands.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "engine/engine_config.h"

#include "bench_subject.h"

#define MAX_VALUES 8

typedef struct list {
    uint64_t v[MAX_VALUES];
    size_t n;
} list;

typedef struct bench_sweep {
    app a;
    bench_subject s;
    list concurrency, batch, lanes;
    uint64_t count, budget;
    cuzk_job_request rq;
    cuzk_bytes proofs[BENCH_MAX_BLOBS];
} bench_sweep;

/* One combination, and what it gave. */
typedef struct point {
    bench_sweep *p;
    cuzk_engine *e;
    uint64_t concurrency, batch, lanes;
    pthread_mutex_t mu;
    pthread_cond_t cv;
    uint64_t started, over, failed, under_way;
    double *walls; /* [count], of completed jobs */
    uint64_t completed, first_ns, last_ns;
    char why[160]; /* of the first failure */
} point;

typedef struct call {
    point *pt;
    uint64_t started_ns;
} call;

enum {
    OPT_CONCURRENCY = 'j',
    OPT_BATCH = 0x4a0,
    OPT_SWEEP_LANES,
    OPT_SWEEP_COUNT,
    OPT_SWEEP_PARAMS,
    OPT_SWEEP_SEED,
    OPT_SWEEP_SECTORS,
    OPT_BUDGET
};

static const struct argp_option options[] = {
    STATEMENT_OPTION_SECTOR_SIZE(" (default 2KiB)"),
    {"params", OPT_SWEEP_PARAMS, "DIR", 0,
     "Folder of parameter files (default: made from a known seed, and thrown away)", 0},
    STATEMENT_OPTION_C1("; default: generated"),
    STATEMENT_OPTION_VANILLA("; default: generated"),
    STATEMENT_OPTION_RANDOMNESS(", with --vanilla"),
    STATEMENT_OPTION_TYPE,
    STATEMENT_OPTION_PARTITION,
    STATEMENT_OPTIONS_UPDATE,
    {"seed", OPT_SWEEP_SEED, "N", 0, "Of generated inputs and parameters (default 1)", 0},
    {"sectors", OPT_SWEEP_SECTORS, "N", 0, "Generated window: sectors (default: a full partition)",
     0},
    {"concurrency", OPT_CONCURRENCY, "LIST", 0, "Jobs at once, such as 1,2,4 (default: 1,2,4)", 0},
    {"batch", OPT_BATCH, "LIST", 0,
     "Partitions of one circuit that share a pass over the parameters; 0: the engine's choice (default)",
     0},
    {"lanes", OPT_SWEEP_LANES, "LIST", 0,
     "Partitions on a device at once; 0: the engine's choice (default)", 0},
    {"count", OPT_SWEEP_COUNT, "N", 0, "Proofs for each combination (default: 8)", 0},
    {"budget", OPT_BUDGET, "SIZE", 0, "Memory of the engine, in GiB (default: as the daemon's)", 0},
    {0}};

static void read_list(struct argp_state *state, list *out, const char *arg, uint64_t least)
{
    char text[128];
    char *rest = NULL;
    out->n = 0;
    if (snprintf(text, sizeof(text), "%s", arg) >= (int)sizeof(text)) {
        argp_error(state, "'%s' is too long", arg);
    }
    for (char *w = strtok_r(text, ",", &rest); w != NULL; w = strtok_r(NULL, ",", &rest)) {
        if (out->n == MAX_VALUES || !app_parse_u64(&out->v[out->n], w, 256) ||
            out->v[out->n] < least) {
            argp_error(state, "'%s' is not a list of at most %d numbers from %llu to 256", arg,
                       MAX_VALUES, (unsigned long long)least);
        }
        out->n++;
    }
    if (out->n == 0) {
        argp_error(state, "an empty list");
    }
}

static void number(struct argp_state *state, uint64_t *out, const char *arg, uint64_t most)
{
    if (!app_parse_u64(out, arg, most) || *out == 0) {
        argp_error(state, "'%s' is not a number from 1 to %llu", arg, (unsigned long long)most);
    }
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    bench_sweep *p = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &p->a; return 0;
    case OPT_CONCURRENCY: read_list(state, &p->concurrency, arg, 1); return 0;
    case OPT_BATCH: read_list(state, &p->batch, arg, 0); return 0;
    case OPT_SWEEP_LANES: read_list(state, &p->lanes, arg, 0); return 0;
    case OPT_SWEEP_COUNT: number(state, &p->count, arg, 10000); return 0;
    case OPT_SWEEP_SEED: number(state, &p->s.seed, arg, UINT32_MAX); return 0;
    case OPT_SWEEP_SECTORS: number(state, &p->s.sectors, arg, BENCH_MAX_BLOBS); return 0;
    case OPT_SWEEP_PARAMS: p->s.params = arg; return 0;
    case OPT_BUDGET:
        number(state, &p->budget, arg, 1 << 20);
        p->budget <<= 30;
        return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num > 0) {
            argp_error(state, "too many arguments");
        }
        p->s.kind = arg;
        return 0;
    case ARGP_KEY_END:
        if (p->s.kind == NULL || strcmp(p->s.kind, "rows") == 0) {
            argp_error(state, "needs KIND: porep, winning, window, update");
        }
        return 0;
    default: return statement_opts_parse(&p->s.in, key, arg, state);
    }
}

static cuzk_bytes bytes_of(cuzk_filecoin_blob b)
{
    return (cuzk_bytes){b.data, b.size};
}

static void make_request(bench_sweep *p)
{
    static const cuzk_job_kind kinds[] = {[CUZK_CIRCUIT_POREP] = CUZK_JOB_POREP,
                                          [CUZK_CIRCUIT_WINNING] = CUZK_JOB_WINNING,
                                          [CUZK_CIRCUIT_WINDOW] = CUZK_JOB_WINDOW,
                                          [CUZK_CIRCUIT_UPDATE] = CUZK_JOB_UPDATE};
    const cuzk_filecoin_request *q = &p->s.request;
    for (size_t i = 0; i < q->n_proofs; i++) {
        p->proofs[i] = bytes_of(q->proofs[i]);
    }
    p->rq = (cuzk_job_request){.kind = kinds[q->kind],
                               .priority = 2,
                               .sector_size = q->sector_bytes,
                               .registered_proof = q->registered_proof,
                               .sector_number = q->sector_number,
                               .miner_id = q->miner_id,
                               .partition_index = q->partition_index,
                               .randomness = bytes_of(q->randomness),
                               .comm_r_old = bytes_of(q->comm_r_old),
                               .comm_r_new = bytes_of(q->comm_r_new),
                               .comm_d_new = bytes_of(q->comm_d_new)};
    if (q->kind == CUZK_CIRCUIT_POREP) {
        p->rq.vanilla_proof = p->proofs[0];
    } else {
        p->rq.vanilla_proofs = p->proofs;
        p->rq.n_vanilla_proofs = q->n_proofs;
    }
}

static void done(void *arg, const cuzk_job_result *r)
{
    call *c = arg;
    point *pt = c->pt;
    (void)pthread_mutex_lock(&pt->mu);
    pt->last_ns = cuzk_clock_ns();
    if (r->state == CUZK_JOB_COMPLETED) {
        pt->walls[pt->completed++] = (double)(pt->last_ns - c->started_ns) * 1e-9;
    } else if (pt->failed++ == 0) {
        (void)snprintf(pt->why, sizeof(pt->why), "%s", r->error);
    }
    pt->over++;
    pt->under_way--;
    (void)pthread_cond_signal(&pt->cv);
    (void)pthread_mutex_unlock(&pt->mu);
    cuzk_free(c);
}

/* The engine joins equal jobs of one id; each gets its own. */
static cuzk_status start_job(point *pt, uint64_t i)
{
    char id[32];
    cuzk_wait wait;
    cuzk_job_request rq = pt->p->rq;
    call *c = cuzk_alloc(1, sizeof(*c));
    if (c == NULL) {
        return CUZK_FAIL(&pt->p->a.err, CUZK_E_NOMEM, "out of memory");
    }
    (void)snprintf(id, sizeof(id), "sweep-%llu", (unsigned long long)i);
    rq.request_id = (cuzk_bytes){(const uint8_t *)id, strlen(id)};
    *c = (call){pt, cuzk_clock_ns()};
    const cuzk_status st = cuzk_engine_prove(pt->e, &rq, NULL, done, c, &wait, &pt->p->a.err);
    if (st != CUZK_OK) {
        cuzk_free(c);
    }
    return st;
}

/* Keeps `concurrency` jobs running until n have ended. */
static cuzk_status run_jobs(point *pt, uint64_t n)
{
    cuzk_status st = CUZK_OK;
    pt->completed = 0;
    pt->failed = 0;
    pt->over = 0;
    pt->first_ns = cuzk_clock_ns();
    (void)pthread_mutex_lock(&pt->mu);
    for (uint64_t i = 0; st == CUZK_OK && i < n; i++) {
        while (pt->under_way >= pt->concurrency) {
            (void)pthread_cond_wait(&pt->cv, &pt->mu);
        }
        if (cuzk_cancel_requested(pt->p->a.cancel)) {
            st = CUZK_FAIL(&pt->p->a.err, CUZK_E_CANCELLED, "cancelled");
            break;
        }
        pt->under_way++;
        (void)pthread_mutex_unlock(&pt->mu);
        st = start_job(pt, pt->started++);
        (void)pthread_mutex_lock(&pt->mu);
        pt->under_way -= st != CUZK_OK;
    }
    while (pt->under_way > 0) {
        (void)pthread_cond_wait(&pt->cv, &pt->mu);
    }
    (void)pthread_mutex_unlock(&pt->mu);
    return st;
}

static int by_size(const void *x, const void *y)
{
    const double a = *(const double *)x, b = *(const double *)y;
    return a < b ? -1 : a > b;
}

static void report(point *pt)
{
    app *a = &pt->p->a;
    const uint64_t n = pt->completed;
    const double total = (double)(pt->last_ns - pt->first_ns) * 1e-9;
    const double per_minute = n == 0 ? 0 : (double)n * 60 / total;
    qsort(pt->walls, n, sizeof(*pt->walls), by_size);
    const double median = n == 0 ? 0 : pt->walls[n / 2];
    const double p95 = n == 0 ? 0 : pt->walls[(n * 95 + 99) / 100 - 1];
    if (!a->json) {
        (void)printf("%11llu %6llu %6llu %7llu %7llu %9.2f %11.2f %9.3f %9.3f\n",
                     (unsigned long long)pt->concurrency, (unsigned long long)pt->batch,
                     (unsigned long long)pt->lanes, (unsigned long long)n,
                     (unsigned long long)pt->failed, total, per_minute, median, p95);
        (void)fflush(stdout);
        return;
    }
    cuzk_jsonw_begin_object(&a->w);
    app_u64(a, "concurrency", pt->concurrency);
    app_u64(a, "batch", pt->batch);
    app_u64(a, "lanes", pt->lanes);
    app_u64(a, "completed", n);
    app_u64(a, "failed", pt->failed);
    cuzk_jsonw_put_f64(&a->w, "total_s", total);
    cuzk_jsonw_put_f64(&a->w, "proofs_per_minute", per_minute);
    cuzk_jsonw_put_f64(&a->w, "wall_median_s", median);
    cuzk_jsonw_put_f64(&a->w, "wall_p95_s", p95);
    cuzk_jsonw_end_object(&a->w);
}

/* An engine of its own, one proof that loads circuit and parameters, then those that count. */
static cuzk_status measure(point *pt)
{
    bench_sweep *p = pt->p;
    const cuzk_engine_config cfg = {.param_cache = p->s.params_dir.path,
                                    .budget_bytes = p->budget,
                                    .slots_per_device = (unsigned)pt->lanes,
                                    .max_batch_size = (uint32_t)pt->batch};
    pt->under_way = 0;
    pt->why[0] = '\0';
    CUZK_TRY(cuzk_engine_create(&pt->e, &cfg, &p->a.err));
    cuzk_status st = run_jobs(pt, 1);
    if (st == CUZK_OK && pt->failed == 0) {
        st = run_jobs(pt, p->count);
    }
    cuzk_engine_destroy(pt->e);
    CUZK_TRY(st);
    report(pt);
    return pt->failed == 0 ? CUZK_OK
                           : CUZK_FAIL(&p->a.err, CUZK_E_SELFTEST, "%llu proofs failed: %s",
                                       (unsigned long long)pt->failed, pt->why);
}

static cuzk_status sweep(bench_sweep *p, point *pt)
{
    for (size_t l = 0; l < p->lanes.n; l++) {
        for (size_t b = 0; b < p->batch.n; b++) {
            for (size_t j = 0; j < p->concurrency.n; j++) {
                pt->lanes = p->lanes.v[l];
                pt->batch = p->batch.v[b];
                pt->concurrency = p->concurrency.v[j];
                CUZK_TRY(measure(pt));
            }
        }
    }
    return CUZK_OK;
}

static cuzk_status work(bench_sweep *p)
{
    app *a = &p->a;
    point pt = {.p = p};
    /* Makes input and parameter files. What was loaded for that is unloaded: each engine loads its own. */
    p->s.dev.spec = "cpu";
    CUZK_TRY(bench_subject_open(&p->s, a, true));
    bench_subject_unload(&p->s);
    make_request(p);
    pt.walls = cuzk_alloc(p->count, sizeof(*pt.walls));
    if (pt.walls == NULL) {
        return CUZK_FAIL(&a->err, CUZK_E_NOMEM, "out of memory");
    }
    (void)pthread_mutex_init(&pt.mu, NULL);
    (void)pthread_cond_init(&pt.cv, NULL);
    if (a->json) {
        app_text(a, "subject", p->s.name);
        cuzk_jsonw_key(&a->w, "points");
        cuzk_jsonw_begin_array(&a->w);
    } else {
        (void)printf("%s, %llu proofs for each line; 0: the engine's choice\n", p->s.name,
                     (unsigned long long)p->count);
        (void)printf("%11s %6s %6s %7s %7s %9s %11s %9s %9s\n", "concurrency", "batch", "lanes",
                     "proofs", "failed", "seconds", "proofs/min", "median s", "p95 s");
    }
    const cuzk_status st = sweep(p, &pt);
    if (a->json) {
        cuzk_jsonw_end_array(&a->w);
    }
    (void)pthread_cond_destroy(&pt.cv);
    (void)pthread_mutex_destroy(&pt.mu);
    cuzk_free(pt.walls);
    return st;
}

int cmd_bench_sweep(int argc, char **argv)
{
    static const struct argp_child children[] = {APP_CHILD, {0}};
    static const struct argp argp = {
        options,
        parse,
        "KIND",
        "Measure the daemon's engine, in this process, with each combination of jobs at once, partitions in a batch and "
        "partitions on a device at once. Each line has an engine of its own, whose first proof, which loads the "
        "parameters, does not count.",
        children,
        NULL,
        NULL};
    static bench_sweep p; /* too large for the stack */
    app_init(&p.a, argv[0]);
    p.concurrency = (list){{1, 2, 4}, 3};
    p.batch = (list){{0}, 1};
    p.lanes = (list){{0}, 1};
    p.count = 8;
    p.s.seed = 1;
    (void)argp_parse(&argp, argc, argv, 0, NULL, &p);
    cuzk_status st = app_begin(&p.a);
    if (st == CUZK_OK) {
        st = work(&p);
        bench_subject_close(&p.s);
    }
    return app_finish(&p.a, st);
}
