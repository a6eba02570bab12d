/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* cuzk bench prove KIND: whole proofs, one at a time or a stream, layer by layer. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "apps/cuzk/commands.h"
#include "base/alloc.h"
#include "base/clock.h"

#include "bench_common.h"
#include "bench_runs.h"
#include "bench_subject.h"

typedef struct bench_prove {
    bench_opts b;
    bench_subject s;
    uint64_t count, jobs, lg, bits;
    bool cold, counters, overhead;
} bench_prove;

enum {
    OPT_PARAMS = 0x480,
    OPT_SEED,
    OPT_SECTORS,
    OPT_COUNT,
    OPT_JOBS,
    OPT_COLD,
    OPT_LG,
    OPT_BITS,
    OPT_COUNTERS,
    OPT_OVERHEAD
};

static const struct argp_option options[] = {
    STATEMENT_OPTION_SECTOR_SIZE(" (default 2KiB)"),
    {"params", OPT_PARAMS, "DIR", 0,
     "Folder of parameter files (default: made from a known seed, and thrown away)", 0},
    STATEMENT_OPTION_C1("; default: generated"),
    STATEMENT_OPTION_VANILLA("; default: generated"),
    STATEMENT_OPTION_RANDOMNESS(", with --vanilla"),
    STATEMENT_OPTION_TYPE,
    STATEMENT_OPTION_PARTITION,
    STATEMENT_OPTIONS_UPDATE,
    {"seed", OPT_SEED, "N", 0, "Of generated inputs and parameters (default 1)", 0},
    {"sectors", OPT_SECTORS, "N", 0, "Generated window: sectors (default: a full partition)", 0},
    DEVICES_OPTION_DEVICE,
    DEVICES_OPTION_VRAM,
    DEVICES_OPTION_STREAM,
    DEVICES_OPTION_LANES,
    DEVICES_OPTION_NO_COMB,
    DEVICES_OPTION_NO_IMAGES,
    {"count", OPT_COUNT, "N", 0, "Proofs per run: a stream (default 1)", 0},
    {"jobs", OPT_JOBS, "J", 0, "Proofs of the stream at once (default 1)", 0},
    {"cold", OPT_COLD, NULL, 0,
     "Each run loads circuit and parameters anew, the file dropped from the page cache", 0},
    {"lg", OPT_LG, "N", 0, "rows: 2^N rows, 3 to 26 (default 20)", 0},
    {"bits", OPT_BITS, "PERCENT", 0, "rows: part of bit wires (default 50)", 0},
    {"counters", OPT_COUNTERS, NULL, 0,
     "Count instructions, cycles and branches per layer, where the kernel allows it", 0},
    {"overhead", OPT_OVERHEAD, NULL, 0,
     "Runs without tracing between the others: what tracing itself costs", 0},
    {0}};

static void number(struct argp_state *state, uint64_t *out, const char *arg, uint64_t least,
                   uint64_t most, const char *name)
{
    if (!app_parse_u64(out, arg, most) || *out < least) {
        argp_error(state, "--%s wants a number from %llu to %llu, not '%s'", name,
                   (unsigned long long)least, (unsigned long long)most, arg);
    }
}

static error_t parse_subject(bench_subject *s, int key, char *arg, struct argp_state *state)
{
    switch (key) {
    case OPT_PARAMS: s->params = arg; return 0;
    case OPT_SEED: number(state, &s->seed, arg, 0, UINT32_MAX, "seed"); return 0;
    case OPT_SECTORS: number(state, &s->sectors, arg, 1, BENCH_MAX_BLOBS, "sectors"); return 0;
    default: return statement_opts_parse(&s->in, key, arg, state);
    }
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    bench_prove *p = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &p->b; return 0;
    case OPT_COUNT: number(state, &p->count, arg, 1, 1000000, "count"); return 0;
    case OPT_JOBS: number(state, &p->jobs, arg, 1, 256, "jobs"); return 0;
    case OPT_LG: number(state, &p->lg, arg, 3, 26, "lg"); return 0;
    case OPT_BITS: number(state, &p->bits, arg, 0, 100, "bits"); return 0;
    case OPT_COLD: p->cold = true; return 0;
    case OPT_DEVICE: p->s.dev.spec = arg; return 0;
    case OPT_VRAM: p->s.dev.vram = arg; return 0;
    case OPT_STREAM: p->s.dev.stream = arg; return 0;
    case OPT_LANES: number(state, &p->s.dev.lanes, arg, 1, 2, "lanes"); return 0;
    case OPT_NO_COMB: p->s.dev.no_comb = true; return 0;
    case OPT_NO_IMAGES: p->s.dev.no_images = true; return 0;
    case OPT_COUNTERS: p->counters = true; return 0;
    case OPT_OVERHEAD: p->overhead = true; return 0;
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
    default: return parse_subject(&p->s, key, arg, state);
    }
}

/* The proofs of one run. */
typedef struct stream {
    const bench_prove *p;
    cuzk_trace_ctx trace;
    _Atomic uint64_t next;
    _Atomic bool failed;
    pthread_mutex_t lock;
    cuzk_status st;
    cuzk_err err;
} stream;

static void *stream_worker(void *arg)
{
    stream *m = arg;
    for (;;) {
        const uint64_t k = atomic_fetch_add(&m->next, 1);
        cuzk_err err = {.msg = ""};
        if (k >= m->p->count || atomic_load(&m->failed)) {
            return NULL;
        }
        cuzk_span_tags tags = CUZK_SPAN_TAGS_INIT;
        tags.job = (int64_t)k;
        const cuzk_span span = cuzk_span_begin(m->trace, "proof", &tags);
        const cuzk_status st = bench_subject_prove(&m->p->s, cuzk_trace_in(m->trace, span), &err);
        cuzk_span_end(m->trace, span, 0);
        if (st != CUZK_OK && !atomic_exchange(&m->failed, true)) {
            (void)pthread_mutex_lock(&m->lock);
            m->st = st;
            m->err = err;
            (void)pthread_mutex_unlock(&m->lock);
        }
    }
}

static cuzk_status run_stream(bench_prove *p, cuzk_trace_ctx trace)
{
    stream m = {.p = p, .trace = trace, .st = CUZK_OK};
    pthread_t threads[256];
    uint64_t n = 0;
    (void)pthread_mutex_init(&m.lock, NULL);
    while (n + 1 < p->jobs && pthread_create(&threads[n], NULL, stream_worker, &m) == 0) {
        n++;
    }
    (void)stream_worker(&m);
    for (uint64_t i = 0; i < n; i++) {
        (void)pthread_join(threads[i], NULL);
    }
    (void)pthread_mutex_destroy(&m.lock);
    if (m.st != CUZK_OK) {
        p->b.a.err = m.err;
    }
    return m.st;
}

static void before_run(void *arg)
{
    bench_prove *p = arg;
    if (p->cold) {
        bench_subject_unload(&p->s);
    }
}

static uint64_t device_peak(void *arg)
{
    const bench_prove *p = arg;
    return devices_peak(&p->s.dev);
}

static cuzk_status run(void *arg, cuzk_trace_ctx trace)
{
    bench_prove *p = arg;
    if (p->cold) {
        CUZK_TRY(bench_subject_load(&p->s, trace, &p->b.a.err));
    }
    return p->count == 1 ? bench_subject_prove(&p->s, trace, &p->b.a.err) : run_stream(p, trace);
}

/* Writes the devices or the CPU that prove into the result. */
static void devices_fact(bench_subject *s, cuzk_result *r)
{
    for (size_t i = 0; i < s->dev.n; i++) {
        cuzk_accel_props props;
        cuzk_accel_get_props(s->dev.list[i], &props);
        cuzk_result_fact(r, i == 0 ? "device" : "device_more", "%s", props.name);
        if (i == 0) {
            const cuzk_device_key_stats k =
                cuzk_device_key_get_stats(cuzk_filecoin_prover_key(s->prover, 0));
            cuzk_result_fact(r, "device_memory_limit_bytes", "%llu",
                             (unsigned long long)props.memory_total);
            cuzk_result_fact(r, "params_resident", "%s", k.resident ? "yes" : "no");
            cuzk_result_fact(r, "params_from_file", "%s", k.from_file ? "yes" : "no");
            cuzk_result_fact(r, "lanes", "%u", k.lanes);
            cuzk_result_fact(r, "comb_teeth", "%u", k.teeth);
            cuzk_result_fact(r, "params_device_bytes", "%llu", (unsigned long long)k.device_bytes);
            cuzk_result_fact(r, "params_host_bytes", "%llu", (unsigned long long)k.host_bytes);
        }
    }
    if (s->dev.n == 0) {
        cuzk_result_fact(r, "device", "CPU");
    }
}

static cuzk_status work(bench_prove *p, int argc, char **argv)
{
    app *a = &p->b.a;
    char name[200];
    const uint64_t t0 = cuzk_clock_ns();
    CUZK_TRY(app_check_output(a, p->b.result));
    CUZK_TRY(app_check_output(a, p->b.html));
    p->s.rows = (bench_rows){(unsigned)p->lg, (unsigned)p->bits};
    CUZK_TRY(bench_subject_open(&p->s, a, true));
    (void)snprintf(name, sizeof(name), "%s%s", p->s.name, p->cold ? ", cold" : "");
    if (p->count > 1) {
        const size_t n = strlen(name);
        (void)snprintf(name + n, sizeof(name) - n, ", %llu proofs, %llu at once",
                       (unsigned long long)p->count, (unsigned long long)p->jobs);
    }
    bench_begin(&p->b, "prove", name, argc, argv);
    devices_fact(&p->s, &p->b.r);
    cuzk_result_fact(&p->b.r, "constraints", "%llu",
                     (unsigned long long)bench_subject_circuit(&p->s)->n_rows);
    if (p->s.setup_ns != 0) {
        cuzk_result_fact(&p->b.r, "params_made_in_s", "%.3f", (double)p->s.setup_ns * 1e-9);
    }
    app_seconds(a, "prepared_in", cuzk_clock_ns() - t0);
    const bench_runs runs = {.b = &p->b,
                             .proofs = p->count,
                             .overhead = p->overhead,
                             .before = before_run,
                             .run = run,
                             .device_peak = device_peak,
                             .arg = p};
    return bench_runs_measure(&runs);
}

int cmd_bench_prove(int argc, char **argv)
{
    static const struct argp_child children[] = {BENCH_CHILD, {0}};
    static const struct argp argp = {
        options,
        parse,
        "KIND",
        "Measure whole proofs of KIND (porep, winning, window, update, or rows: a made-up circuit), layer by "
        "layer. Inputs are generated and parameters made when none are given. Every proof is verified.",
        children,
        NULL,
        NULL};
    static bench_prove p; /* too large for the stack */
    bench_opts_init(&p.b, argv[0]);
    p.count = p.jobs = 1;
    p.lg = 20;
    p.bits = 50;
    p.s.seed = 1;
    (void)argp_parse(&argp, argc, argv, 0, NULL, &p);
    p.b.a.count = p.b.a.count || p.counters;
    p.b.a.record = true;
    cuzk_status st = app_begin(&p.b.a);
    if (st == CUZK_OK) {
        st = work(&p, argc, argv);
        st = bench_end(&p.b, st);
        bench_subject_close(&p.s);
        devices_close(&p.s.dev);
    }
    return app_finish(&p.b.a, st);
}
