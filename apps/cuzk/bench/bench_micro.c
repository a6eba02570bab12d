/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* cuzk bench micro: one operation at a time; the cases are bench/bench_<module>.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "accel/cpu/cpu_accel.h"
#include "apps/cuzk/commands.h"
#include "apps/cuzk/device/devices.h"
#include "base/alloc.h"
#include "cpu/cpu.h"
#include "report/stats.h"
#include "sys/file.h"

#include "bench.h"
#include "bench_common.h"
#include "bench_device.h"
#include "bench_stats.h"

enum { MAX_MATCH = 64, MOST_VALUES = 100 };

typedef struct bench_micro {
    bench_opts b;
    bench_micro_opts o;
    const char *match[MAX_MATCH];
    const char *cases_path; /* whole names, one a line */
    char *names;            /* their text, cut into lines */
    const char **exact;
    bool list, count;
    devices dev; /* --device */
    bool on_device;
    uint64_t max_lg;
    uint64_t samples;
    size_t n, done;
} bench_micro;

enum {
    OPT_MATCH = 0x480,
    OPT_ALL,
    OPT_TIME,
    OPT_SAMPLES,
    OPT_LIST,
    OPT_COUNT,
    OPT_CASES,
    OPT_MAX_LG
};

static const struct argp_option options[] = {
    {"match", OPT_MATCH, "TEXT", 0, "Cases whose name contains TEXT; may be repeated", 0},
    {"all", OPT_ALL, NULL, 0, "Long cases too", 0},
    {"list", OPT_LIST, NULL, 0, "Names only", 0},
    {"time", OPT_TIME, "SECONDS", 0, "For each case (default 0.3)", 0},
    {"samples", OPT_SAMPLES, "N", 0, "But at least N samples of each (default 8)", 0},
    {"cases", OPT_CASES, "FILE", 0, "The cases named in FILE, one a line", 0},
    {"device", OPT_DEVICE, "WHICH", 0,
     "Operations of a device instead: cpu (through the interface of devices), cuda, cuda:N", 0},
    DEVICES_OPTION_VRAM,
    {"max-lg", OPT_MAX_LG, "N", 0, "With --device: sizes up to 2^N (default 24 on a GPU, else 14)",
     0},
    {"count", OPT_COUNT, NULL, 0,
     "No clock: each case a fixed number of times inside bench_counted_run, for callgrind "
     "(tools/measure/instructions.py)",
     0},
    {0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    bench_micro *p = state->input;
    char *end = NULL;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &p->b; return 0;
    case OPT_ALL: p->o.all = true; return 0;
    case OPT_LIST: p->list = true; return 0;
    case OPT_COUNT: p->count = true; return 0;
    case OPT_DEVICE:
        p->dev.spec = arg;
        p->on_device = true;
        return 0;
    case OPT_VRAM: p->dev.vram = arg; return 0;
    case OPT_MAX_LG:
        if (!app_parse_u64(&p->max_lg, arg, 27) || p->max_lg < 4) {
            argp_error(state, "--max-lg wants a number from 4 to 27, not '%s'", arg);
        }
        return 0;
    case OPT_CASES: p->cases_path = arg; return 0;
    case OPT_MATCH:
        if (p->o.n_match == MAX_MATCH) {
            argp_error(state, "more than %d --match", (int)MAX_MATCH);
        }
        p->match[p->o.n_match++] = arg;
        return 0;
    case OPT_TIME:
        p->o.seconds = strtod(arg, &end);
        if (end == arg || *end != '\0' || !(p->o.seconds > 0) || !(p->o.seconds < 3600)) {
            argp_error(state, "--time wants seconds, not '%s'", arg);
        }
        return 0;
    case OPT_SAMPLES:
        if (!app_parse_u64(&p->samples, arg, 400) || p->samples == 0) {
            argp_error(state, "--samples wants a number from 1 to 400, not '%s'", arg);
        }
        return 0;
    case ARGP_KEY_ARG: argp_error(state, "'%s': cases are chosen with --match", arg); return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static bool stop(void *arg)
{
    const bench_micro *p = arg;
    return cuzk_cancel_requested(p->b.a.cancel);
}

static void progress(bench_micro *p)
{
    app_progress(&p->b.a, "cases", p->done, p->n);
}

static const char *unit_of(const bench_case *c)
{
    return c->unit != NULL ? c->unit : "op";
}

static void measured(void *arg, const bench_case *c, const double *ns, size_t n,
                     const bench_case *base, double ratio)
{
    bench_micro *p = arg;
    char unit[16];
    double *copy = cuzk_alloc(n, sizeof(*copy));
    (void)snprintf(unit, sizeof(unit), "ns/%s", unit_of(c));
    cuzk_metric *m = cuzk_result_metric(&p->b.r, c->name, unit, CUZK_ROLE_OTHER);
    const size_t keep = n < MOST_VALUES ? n : MOST_VALUES;
    for (size_t i = 0; i < keep; i++) {
        cuzk_result_add(&p->b.r, m, ns[i * n / keep]);
    }
    /* measured for each case: the speed of the machine during the measurement, not before it */
    m = cuzk_result_metric(&p->b.r, "reference_loop_1", "s", CUZK_ROLE_REFERENCE);
    cuzk_result_add(&p->b.r, m, (double)bench_reference_ns(false) * 1e-9);
    p->done++;
    if (copy == NULL) {
        p->b.r.nomem = true;
        return;
    }
    memcpy(copy, ns, n * sizeof(*copy));
    const bench_stats s = bench_stats_of(copy, n);
    cuzk_free(copy);
    progress(p);
    if (p->b.a.json) {
        return;
    }
    (void)printf("%-44s %12.3f %12.3f %12.3f ns/%-10s", c->name, s.min, s.median, s.p95,
                 unit_of(c));
    if (base != NULL) {
        char name[CUZK_METRIC_NAME_BYTES];
        (void)snprintf(name, sizeof(name), "%.80s to %s", c->name,
                       strrchr(base->name, '/') != NULL ? base->name : "base");
        cuzk_result_add(&p->b.r, cuzk_result_metric(&p->b.r, name, "", CUZK_ROLE_INFO), ratio);
        (void)printf(" x%.3f of %s", ratio, base->name);
    }
    (void)printf("\n");
    (void)fflush(stdout);
}

static void skipped(void *arg, const bench_case *c)
{
    bench_micro *p = arg;
    p->done++;
    if (p->count) {
        (void)printf("skipped %s\n", c->name);
    } else if (!p->b.a.json) {
        (void)printf("%-44s skipped: this processor, or the mask, has no code for it\n", c->name);
    }
}

static void list(void *arg, const bench_case *c)
{
    (void)arg;
    (void)printf("%s%s\n", c->name, c->big ? " (big)" : "");
}

/* tools/measure/instructions.py reads these lines, in the order of callgrind's dumps. */
static void counted(void *arg, const bench_case *c, uint64_t units)
{
    (void)arg;
    (void)printf("counted %s %llu\n", c->name, (unsigned long long)units);
}

static cuzk_status read_cases(bench_micro *p)
{
    cuzk_content m;
    app *a = &p->b.a;
    CUZK_TRY(cuzk_content_read(&m, p->cases_path, CUZK_CONTENT_INPUT, &a->err));
    p->names = cuzk_alloc(m.size + 1, 1);
    p->exact = cuzk_alloc(m.size / 2 + 1, sizeof(*p->exact));
    if (p->names == NULL || p->exact == NULL) {
        cuzk_content_free(&m);
        return CUZK_FAIL(&a->err, CUZK_E_NOMEM, "%s: out of memory", p->cases_path);
    }
    if (m.size > 0) {
        memcpy(p->names, m.data, m.size);
    }
    p->names[m.size] = '\0';
    cuzk_content_free(&m);
    for (char *at = p->names; *at != '\0';) {
        const size_t n = strcspn(at, "\n");
        const bool last = at[n] == '\0';
        at[n] = '\0';
        if (n > 0) {
            p->exact[p->o.n_exact++] = at;
        }
        at += n + !last;
    }
    p->o.exact = p->exact;
    return CUZK_OK;
}

static cuzk_status work_device(bench_micro *p, int argc, char **argv)
{
    app *a = &p->b.a;
    cuzk_accel *cpu = NULL;
    CUZK_TRY(devices_open(a, &p->dev));
    if (p->dev.n == 0) {
        CUZK_TRY(cuzk_accel_cpu_open(&cpu, a->pool, &a->err));
    }
    const unsigned most = p->max_lg != 0 ? (unsigned)p->max_lg : cpu != NULL ? 14 : 24;
    bench_device_opts o = {
        .samples = (unsigned)p->samples, .match = p->match, .n_match = p->o.n_match};
    const unsigned step = most > 16 ? 4 : 2; /* e.g. 16 20 24, and the largest */
    for (unsigned lg = most - 3 * step < most ? most - 3 * step : 4; lg <= most; lg += step) {
        if (lg >= 4 && o.n_lg < 8) {
            o.lg[o.n_lg++] = lg;
        }
    }
    bench_begin(&p->b, "micro", "device", argc, argv);
    p->b.r.runs = o.samples;
    (void)printf("%-44s %12s %12s %12s\n", "operation", "first", "median", "greatest");
    const cuzk_status st = bench_device_run(&p->b, cpu != NULL ? cpu : p->dev.list[0], &o);
    cuzk_accel_close(cpu);
    return st;
}

static cuzk_status work(bench_micro *p, int argc, char **argv)
{
    app *a = &p->b.a;
    CUZK_TRY(app_check_output(a, p->b.result));
    CUZK_TRY(app_check_output(a, p->b.html));
    if (p->cases_path != NULL) {
        CUZK_TRY(read_cases(p));
    }
    bench_begin(&p->b, "micro", "cases", argc, argv);
    cuzk_result_fact(&p->b.r, "threads", "%s", "as the case says, else 1");
    p->o.modules = bench_modules;
    p->o.n_modules = bench_modules_count;
    p->o.match = p->match;
    p->o.min_samples = p->samples;
    p->o.cpu_time = p->b.by_cpu;
    p->o.arg = p;
    p->o.stop = stop;
    p->o.measured = measured;
    p->o.skipped = skipped;
    p->o.list = p->list ? list : NULL;
    p->o.counted = p->count ? counted : NULL;
    if (p->count) { /* valgrind hides ADX from programs, but runs it */
        cuzk_cpu_assume(a->cpu_mask & CUZK_CPU_ADX);
    }
    p->n = bench_count(&p->o);
    if (p->n == 0) {
        return CUZK_FAIL(&a->err, CUZK_E_INVALID, "no case has such a name (--list shows them)");
    }
    if (!p->list && !p->count && !a->json) {
        (void)printf("%-44s %12s %12s %12s\n", "case", "min", "median", "p95");
    }
    if (!bench_run(&p->o)) {
        return CUZK_FAIL(&a->err, CUZK_E_NOMEM, "out of memory");
    }
    if (cuzk_cancel_requested(a->cancel)) {
        return CUZK_FAIL(&a->err, CUZK_E_CANCELLED, "interrupted");
    }
    p->b.r.runs = (uint32_t)p->samples;
    return CUZK_OK;
}

int cmd_bench_micro(int argc, char **argv)
{
    static const struct argp_child children[] = {BENCH_CHILD, {0}};
    static const struct argp argp = {
        options,
        parse,
        NULL,
        "Measure single operations: fields, curve, pairing, hashes, NTT, MSM, circuits. Cases that differ in the variant "
        "only are measured in turns and compared.",
        children,
        NULL,
        NULL};
    static bench_micro p;
    bench_opts_init(&p.b, argv[0]);
    p.o.seconds = 0.3;
    p.samples = 8;
    p.b.no_tables = true;
    (void)argp_parse(&argp, argc, argv, 0, NULL, &p);
    cuzk_status st = app_begin(&p.b.a);
    if (st == CUZK_OK) {
        st = bench_end(&p.b, p.on_device ? work_device(&p, argc, argv) : work(&p, argc, argv));
        devices_close(&p.dev);
        cuzk_free(p.names);
        cuzk_free(p.exact);
    }
    return app_finish(&p.b.a, st);
}
