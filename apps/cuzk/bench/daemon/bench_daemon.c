/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * cuzk bench daemon single|batch|stress|status|preload|metrics: the verbs and the output that users
 * of the earlier bench tool know, for any daemon that speaks cuzk.v1.
 */
#include "bench_daemon.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "apps/cuzk/commands.h"
#include "apps/cuzk/exit_status.h"
#include "base/alloc.h"
#include "base/bytes.h"
#include "base/clock.h"
#include "base/text/utf8.h"

enum { OPT_DURATION = 0x700, OPT_JOB, OPT_SEED, OPT_STATUS };

static const struct argp_child children[] = {APP_CHILD, REMOTE_CHILD, {NULL, 0, NULL, 0}};
/* batch measures, too */
static const struct argp_child batch_children[] = {BENCH_CHILD, REMOTE_CHILD, {NULL, 0, NULL, 0}};

/* argp's parser for all verbs; which options exist is up to each verb's table. */
static error_t parse(int key, char *arg, struct argp_state *state)
{
    bench_daemon *b = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = b->verb == BENCH_BATCH ? (void *)&b->m : (void *)&b->m.a;
        state->child_inputs[1] = &b->remote;
        b->m.a.threads = 1;
        return remote_job_parse(&b->job, key, arg, state);
    case ARGP_KEY_ARG: argp_error(state, "too many arguments"); return 0;
    case 'c':
        if (b->verb == BENCH_PRELOAD) {
            b->circuit = arg;
        } else if (!app_parse_u64(&b->count, arg, 1000000) || b->count == 0) {
            argp_error(state, "--count wants a number from 1 to 1000000, not '%s'", arg);
        }
        return 0;
    case 'j':
        if (!app_parse_u64(&b->concurrency, arg, 1024) || b->concurrency == 0) {
            argp_error(state, "--concurrency wants a number from 1 to 1024, not '%s'", arg);
        }
        return 0;
    case OPT_DURATION:
        if (!app_parse_u64(&b->duration_s, arg, 1000000) || b->duration_s == 0) {
            argp_error(state, "--duration wants a number of seconds, not '%s'", arg);
        }
        return 0;
    case OPT_STATUS: b->status = arg; return 0;
    case OPT_SEED:
        if (!app_parse_u64(&b->seed, arg, UINT64_MAX)) {
            argp_error(state, "--seed wants a number, not '%s'", arg);
        }
        return 0;
    case OPT_JOB:
        if (b->n_specs == BENCH_MAX_JOBS) {
            argp_error(state, "at most %d times --job", BENCH_MAX_JOBS);
        }
        b->specs[b->n_specs++] = arg;
        return 0;
    default: return remote_job_parse(&b->job, key, arg, state);
    }
}

/* ---- single ---- */

static void print_hex(const uint8_t *p, size_t n)
{
    char text[257];
    const size_t shown =
        n > 256 ? 128 : n; /* as it always was: all of a short one, else 128 bytes */
    for (size_t i = 0; i < shown; i += 128) {
        const size_t k = shown - i < 128 ? shown - i : 128;
        cuzk_hex_encode(text, p + i, k);
        (void)fputs(text, stdout);
    }
    (void)puts(n > shown ? "..." : "");
}

const char *bench_show(bench_clean *out, const char *text)
{
    return cuzk_utf8_clean(out->text, sizeof(out->text), text, strlen(text));
}

static void print_single(const cuzk_rpc_result *r, double wall_ms)
{
    bench_clean shown;
    (void)printf("\n=== Proof Result ===\n");
    (void)printf("status:     %s\n", cuzk_rpc_outcome_name(r->outcome));
    (void)printf("job_id:     %s\n", bench_show(&shown, r->job_id));
    if (r->outcome == CUZK_RPC_COMPLETED) {
        (void)printf("timings:    total=%" PRIu64 " ms queue=%" PRIu64 " ms srs=%" PRIu64
                     " ms synth=%" PRIu64 " ms gpu=%" PRIu64 " ms\n",
                     r->total_ms, r->queue_wait_ms, r->srs_load_ms, r->synthesis_ms,
                     r->gpu_compute_ms);
        (void)printf("wall time:  %.0f ms\n", wall_ms);
        (void)printf("proof:      %zu bytes\n", r->proof_size);
        (void)printf("proof hex:  ");
        print_hex(r->proof, r->proof_size);
    } else {
        (void)printf("error:      %s\n", bench_show(&shown, r->error));
    }
}

static cuzk_status work_single(bench_daemon *b)
{
    app *a = &b->m.a;
    cuzk_rpc_client *c = NULL;
    cuzk_rpc_result r;
    CUZK_TRY(remote_job_load(a, &b->job));
    CUZK_TRY(remote_connect(a, &b->remote, &c));
    const uint64_t t0 = cuzk_clock_ns();
    cuzk_status st = cuzk_rpc_client_prove(c, &b->job.request, &r, &a->err);
    const uint64_t wall = cuzk_clock_ns() - t0;
    if (st == CUZK_OK) {
        if (a->json) {
            st = remote_report(a, &r, wall, NULL);
            app_hex(a, "proof", r.proof, r.proof_size <= 256 ? r.proof_size : 128);
        } else {
            print_single(&r, (double)wall * 1e-6);
            st = remote_outcome(&r, &a->err);
        }
        cuzk_rpc_result_free(&r);
    }
    cuzk_rpc_client_destroy(c);
    return st;
}

/* ---- batch and stress ---- */

static cuzk_status work_batch(bench_daemon *b)
{
    b->jobs[0] = &b->job;
    b->job.weight = 1;
    b->n_jobs = 1;
    const bool measures = b->m.result != NULL || b->m.html != NULL;
    if (measures && b->status == NULL) {
        return CUZK_FAIL(
            &b->m.a.err, CUZK_E_INVALID,
            "--result and --report need --status HOST:PORT, the daemon.http_listen of the daemon");
    }
    CUZK_TRY(app_check_output(&b->m.a, b->m.result));
    CUZK_TRY(app_check_output(&b->m.a, b->m.html));
    CUZK_TRY(remote_job_load(&b->m.a, &b->job));
    return measures ? bench_end(&b->m, bench_daemon_measure(b)) : bench_daemon_load(b, NULL);
}

/* "type=winning,vanilla=FILE,weight=3"; the text is cut up in place. */
static cuzk_status parse_spec(bench_daemon *b, char *spec, remote_job *j)
{
    char *rest = NULL;
    j->sector_number = 1;
    j->miner_id = 1000;
    j->weight = 1;
    for (char *p = strtok_r(spec, ",", &rest); p != NULL; p = strtok_r(NULL, ",", &rest)) {
        char *eq = strchr(p, '=');
        if (eq == NULL) {
            return CUZK_FAIL(&b->m.a.err, CUZK_E_INVALID, "--job: '%s' is not NAME=VALUE", p);
        }
        *eq = '\0';
        const char *wrong = remote_job_set(j, p, eq + 1);
        if (wrong != NULL) {
            return CUZK_FAIL(&b->m.a.err, CUZK_E_INVALID, "--job: '%s' %s (%s)", p, wrong, eq + 1);
        }
    }
    return remote_job_load(&b->m.a, j);
}

static cuzk_status work_stress(bench_daemon *b)
{
    uint64_t weight = 0;
    if (b->n_specs == 0 || b->duration_s == 0) {
        return CUZK_FAIL(&b->m.a.err, CUZK_E_INVALID, "needs --duration and at least one --job");
    }
    for (; b->n_jobs < b->n_specs; b->n_jobs++) {
        b->jobs[b->n_jobs] = cuzk_alloc_zero(1, sizeof(remote_job));
        if (b->jobs[b->n_jobs] == NULL) {
            return CUZK_FAIL(&b->m.a.err, CUZK_E_NOMEM, "out of memory");
        }
        CUZK_TRY(parse_spec(b, b->specs[b->n_jobs], b->jobs[b->n_jobs]));
        weight += b->jobs[b->n_jobs]->weight;
    }
    if (weight == 0) {
        return CUZK_FAIL(&b->m.a.err, CUZK_E_INVALID, "all weights are 0");
    }
    return bench_daemon_load(b, NULL);
}

/* ---- the short ones ---- */

static cuzk_status work_status(bench_daemon *b)
{
    cuzk_rpc_client *c = NULL;
    cuzk_rpc_status s;
    bench_clean a, z;
    CUZK_TRY(remote_connect(&b->m.a, &b->remote, &c));
    const cuzk_status st = cuzk_rpc_client_status(c, &s, &b->m.a.err);
    cuzk_rpc_client_destroy(c);
    if (st != CUZK_OK) {
        return st;
    }
    (void)printf("uptime:     %" PRIu64 " s\n", s.uptime_seconds);
    (void)printf("completed:  %" PRIu64 "\nfailed:     %" PRIu64 "\n", s.completed, s.failed);
    (void)printf("pinned:     %" PRIu64 " / %" PRIu64 " MiB\n", s.pinned_bytes >> 20,
                 s.pinned_limit_bytes >> 20);
    for (size_t i = 0; i < s.n_gpus; i++) {
        const struct cuzk_rpc_status_gpu *g = &s.gpus[i];
        (void)printf("GPU %u: %s (%" PRIu64 " / %" PRIu64 " MiB free) ", g->ordinal,
                     bench_show(&a, g->name), g->memory_free >> 20, g->memory_total >> 20);
        if (g->job_id[0] == '\0') {
            (void)puts("idle");
        } else {
            (void)printf("proving %s (%.8s)\n", bench_show(&a, g->proof_kind),
                         bench_show(&z, g->job_id));
        }
    }
    for (size_t i = 0; i < s.n_srs; i++) {
        (void)printf("SRS %s: %" PRIu64 " MiB, %u refs\n", bench_show(&a, s.srs[i].circuit_id),
                     s.srs[i].size_bytes >> 20, s.srs[i].ref_count);
    }
    for (size_t i = 0; i < s.n_queues; i++) {
        (void)printf("queue %s: %u pending, %u in progress\n",
                     bench_show(&a, s.queues[i].proof_kind), s.queues[i].pending,
                     s.queues[i].in_progress);
    }
    cuzk_rpc_status_free(&s);
    return CUZK_OK;
}

static cuzk_status work_preload(bench_daemon *b)
{
    cuzk_rpc_client *c = NULL;
    bool already = false;
    uint64_t ms = 0;
    if (b->circuit == NULL) {
        return CUZK_FAIL(&b->m.a.err, CUZK_E_INVALID, "needs --circuit-id");
    }
    CUZK_TRY(remote_connect(&b->m.a, &b->remote, &c));
    const cuzk_status st = cuzk_rpc_client_preload(c, b->circuit, &already, &ms, &b->m.a.err);
    cuzk_rpc_client_destroy(c);
    if (st == CUZK_OK && already) {
        (void)printf("%s already loaded\n", b->circuit);
    } else if (st == CUZK_OK) {
        (void)printf("%s loaded in %" PRIu64 " ms\n", b->circuit, ms);
    }
    return st;
}

/* Each line of text, which this changes. */
static void print_lines(char *text)
{
    char *rest = NULL;
    char shown[4096];
    for (const char *line = strtok_r(text, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest)) {
        (void)puts(cuzk_utf8_clean(shown, sizeof(shown), line, strlen(line)));
    }
}

static cuzk_status work_metrics(bench_daemon *b)
{
    cuzk_rpc_client *c = NULL;
    char *text = NULL;
    CUZK_TRY(remote_connect(&b->m.a, &b->remote, &c));
    const cuzk_status st = cuzk_rpc_client_metrics(c, &text, &b->m.a.err);
    cuzk_rpc_client_destroy(c);
    if (st == CUZK_OK) {
        print_lines(text);
    }
    cuzk_free(text);
    return st;
}

/* ---- commands ---- */

static int run(int argc, char **argv, bench_verb verb, const struct argp_option *own,
               const char *doc, cuzk_status (*work)(bench_daemon *b))
{
    enum { MAX = 48 };
    struct argp_option all[MAX] = {0};
    size_t n = 0;
    bench_daemon *b = cuzk_alloc_zero(1, sizeof(*b));
    if (b == NULL) {
        (void)fprintf(stderr, "%s: out of memory\n", argv[0]);
        return EXIT_STATUS_MACHINE;
    }
    if (verb == BENCH_SINGLE || verb == BENCH_BATCH) {
        for (; remote_job_options[n].name != NULL && n < MAX - 8; n++) {
            all[n] = remote_job_options[n];
        }
    }
    for (size_t i = 0; own != NULL && own[i].name != NULL && n < MAX - 1; i++) {
        all[n++] = own[i];
    }
    const struct argp argp = {
        all, parse, NULL, doc, verb == BENCH_BATCH ? batch_children : children, NULL, NULL};
    bench_opts_init(&b->m, argv[0]);
    b->argc = argc;
    b->argv = argv;
    b->verb = verb;
    b->count = 3;
    b->concurrency = 1;
    b->seed = 1;
    (void)argp_parse(&argp, argc, argv, 0, NULL, b);
    b->m.a.threads = 1;                  /* the daemon proves */
    b->m.a.record = verb == BENCH_BATCH; /* --layers shows those of the daemon */
    cuzk_status st = app_begin(&b->m.a);
    if (st == CUZK_OK) {
        st = work(b);
    }
    for (size_t i = 0; i < b->n_specs && b->jobs[i] != NULL; i++) {
        remote_job_free(b->jobs[i]);
        cuzk_free(b->jobs[i]);
    }
    remote_job_free(&b->job);
    remote_free(&b->remote);
    const int rc = app_finish(&b->m.a, st);
    cuzk_free(b);
    return rc;
}

static int run_single(int argc, char **argv)
{
    return run(argc, argv, BENCH_SINGLE, NULL, "One proof, with its timings.", work_single);
}

static int run_batch(int argc, char **argv)
{
    static const struct argp_option own[] = {
        {"count", 'c', "N", 0, "Proofs (default: 3)", 0},
        {"concurrency", 'j', "J", 0, "Calls at once (default: 1)", 0},
        {"status", OPT_STATUS, "HOST:PORT", 0,
         "With --result or --report: the daemon's HTTP address, where its spans are read", 0},
        {0}};
    return run(
        argc, argv, BENCH_BATCH, own,
        "The same proof N times, J at once. With --result or --report this is one run of several, and the "
        "result has a layer for each span that the daemon recorded.",
        work_batch);
}

static int run_stress(int argc, char **argv)
{
    static const struct argp_option own[] = {
        {"job", OPT_JOB, "SPEC", 0,
         "A job of the mix: NAME=VALUE,..., names as the options of single, and weight=N; repeat it",
         0},
        {"duration", OPT_DURATION, "SECONDS", 0, "How long new jobs are started", 0},
        {"concurrency", 'j', "J", 0, "Calls at once (default: 1)", 0},
        {"seed", OPT_SEED, "N", 0, "Of the random choice of jobs (default: 1)", 0},
        {0}};
    return run(argc, argv, BENCH_STRESS, own, "A mix of jobs for a time, J at once.", work_stress);
}

static int run_status(int argc, char **argv)
{
    return run(argc, argv, BENCH_STATUS, NULL, "What the daemon is doing.", work_status);
}

static int run_preload(int argc, char **argv)
{
    static const struct argp_option own[] = {
        {"circuit-id", 'c', "ID", 0, "porep-32g, winning-32g, ...", 0}, {0}};
    return run(argc, argv, BENCH_PRELOAD, own, "Load parameters ahead of need.", work_preload);
}

static int run_metrics(int argc, char **argv)
{
    return run(argc, argv, BENCH_METRICS, NULL, "The daemon's Prometheus text.", work_metrics);
}

int cmd_bench_daemon(int argc, char **argv)
{
    static const command commands[] = {
        {"single", "one proof, with its timings", run_single},
        {"batch", "the same proof several times, several at once", run_batch},
        {"stress", "a mix of jobs for a time", run_stress},
        {"status", "what the daemon is doing", run_status},
        {"preload", "load parameters ahead of need", run_preload},
        {"metrics", "the daemon's Prometheus text", run_metrics},
        {NULL, NULL, NULL}};
    return dispatch(argc, argv, argv[0], "Drive a daemon by gRPC and time it.", commands);
}
