/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "bench.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "cpu/cpu.h"

#include "bench_machine.h"
#include "bench_stats.h"

enum {
    SAMPLE_NS = 500 * 1000, /* a sample this long hides the clock's own 50 ns below 0.02 % */
    MAX_SAMPLES = 400,
    MAX_MATCH = 32,
    MAX_GROUP = 16
};

typedef struct options {
    const char *match[MAX_MATCH];
    size_t n_match;
    const char *commit;
    FILE *json;
    double seconds; /* per case */
    size_t min_samples;
    bool list;
    bool all;
} options;

/* One case while its group is measured. */
typedef struct lane {
    const bench_case *c;
    void *state;
    uint64_t iters; /* per sample */
    double *ns;     /* per iteration, one per sample */
    double *ratio;  /* to lane 0, sample by sample */
    double tsc_min;
    bench_stats stats;
} lane;

void bench_fill(void *out, size_t n, uint64_t seed)
{
    uint8_t *p = out;
    for (size_t i = 0; i < n; i++) { /* splitmix64, one output per 8 bytes */
        const uint64_t k = seed + (i / 8 + 1) * 0x9e3779b97f4a7c15u;
        uint64_t z = (k ^ k >> 30) * 0xbf58476d1ce4e5b9u;
        z = (z ^ z >> 27) * 0x94d049bb133111ebu;
        p[i] = (uint8_t)((z ^ z >> 31) >> 8 * (i % 8));
    }
}

static bool is_wanted(const options *o, const bench_case *c)
{
    if (o->n_match == 0) {
        return o->all || !c->big;
    }
    for (size_t i = 0; i < o->n_match; i++) {
        if (strstr(c->name, o->match[i]) != NULL) {
            return true;
        }
    }
    return false;
}

/* Length of "module/op/", and where the parameters begin after the variant. */
static size_t group_prefix(const char *name, const char **params)
{
    const char *a = strchr(name, '/');
    const char *b = a != NULL ? strchr(a + 1, '/') : NULL;
    if (b == NULL) {
        *params = "";
        return strlen(name);
    }
    const char *p = strchr(b + 1, '/');
    *params = p != NULL ? p : "";
    return (size_t)(b - name) + 1;
}

static bool is_same_group(const char *x, const char *y)
{
    const char *px, *py;
    const size_t nx = group_prefix(x, &px), ny = group_prefix(y, &py);
    return nx == ny && strncmp(x, y, nx) == 0 && strcmp(px, py) == 0;
}

static double sample(lane *l, double *tsc)
{
    const uint64_t t0 = cuzk_clock_ns(), c0 = bench_tsc();
    l->c->run(l->state, l->iters);
    const uint64_t c1 = bench_tsc(), t1 = cuzk_clock_ns();
    *tsc = (double)(c1 - c0) / (double)l->iters;
    return (double)(t1 - t0) / (double)l->iters;
}

/* Grow the count until a sample is long enough; these runs are the warm-up and are thrown away. */
static double calibrate(lane *l)
{
    double tsc, ns;
    l->iters = 1;
    for (;;) {
        ns = sample(l, &tsc) * (double)l->iters;
        if (ns >= SAMPLE_NS || l->iters >= UINT64_C(1) << 40) {
            break;
        }
        const double want = SAMPLE_NS * 1.2 / (ns > 1 ? ns : 1);
        l->iters = (uint64_t)((double)l->iters * (want < 10 ? want : 10)) + 1;
    }
    return ns;
}

static void report(const options *o, const lane *l, size_t n, const lane *base)
{
    const bench_case *c = l->c;
    const char *unit = c->unit != NULL ? c->unit : "op";
    const double k = c->units != 0 ? (double)c->units : 1;
    const double ratio = l == base ? 1 : bench_stats_of(l->ratio, n).median;
    (void)printf("%-44s %12.3f %12.3f %12.3f ns/%-10s", c->name, l->stats.min / k,
                 l->stats.median / k, l->stats.p95 / k, unit);
    if (l == base) {
        (void)printf("\n");
    } else {
        (void)printf(" x%.3f of %s\n", ratio, base->c->name);
    }
    (void)fflush(stdout);
    if (o->json == NULL) {
        return;
    }
    (void)fprintf(o->json, "{\"type\":\"case\",\"name\":");
    bench_json_string(o->json, c->name);
    (void)fprintf(o->json, ",\"unit\":");
    bench_json_string(o->json, unit);
    (void)fprintf(o->json,
                  ",\"units\":%.0f,\"ns_min\":%.4f,\"ns_median\":%.4f,\"ns_p95\":%.4f,"
                  "\"tsc_min\":%.3f,\"samples\":%zu,\"iters\":%" PRIu64,
                  k, l->stats.min / k, l->stats.median / k, l->stats.p95 / k, l->tsc_min / k, n,
                  l->iters);
    if (l != base) {
        (void)fprintf(o->json, ",\"base\":");
        bench_json_string(o->json, base->c->name);
        (void)fprintf(o->json, ",\"ratio_min\":%.4f,\"ratio_median\":%.4f",
                      l->stats.min / base->stats.min, ratio);
    }
    (void)fprintf(o->json, "}\n");
    (void)fflush(o->json);
}

/* All lanes of a group, one sample each in turn, so that drift of the machine hits all alike. */
static bool run_group(const options *o, lane *lanes, size_t n_lanes)
{
    double longest = 0, tsc;
    for (size_t i = 0; i < n_lanes; i++) {
        const double ns = calibrate(&lanes[i]);
        longest = ns > longest ? ns : longest;
        lanes[i].tsc_min = 1e300;
    }
    double want = o->seconds * 1e9 / longest;
    want = want > MAX_SAMPLES ? MAX_SAMPLES : want;
    const size_t n = want < (double)o->min_samples ? o->min_samples : (size_t)want;
    bool ok = true;
    for (size_t i = 0; i < n_lanes; i++) {
        lanes[i].ns = cuzk_alloc(n, sizeof(double));
        lanes[i].ratio = cuzk_alloc(n, sizeof(double));
        ok = ok && lanes[i].ns != NULL && lanes[i].ratio != NULL;
    }
    for (size_t s = 0; ok && s < n; s++) {
        for (size_t i = 0; i < n_lanes; i++) {
            lanes[i].ns[s] = sample(&lanes[i], &tsc);
            lanes[i].ratio[s] = lanes[i].ns[s] / lanes[0].ns[s];
            lanes[i].tsc_min = tsc < lanes[i].tsc_min ? tsc : lanes[i].tsc_min;
        }
    }
    for (size_t i = 0; ok && i < n_lanes; i++) {
        lanes[i].stats = bench_stats_of(lanes[i].ns, n);
    }
    for (size_t i = 0; ok && i < n_lanes; i++) {
        report(o, &lanes[i], n, &lanes[0]);
    }
    for (size_t i = 0; i < n_lanes; i++) {
        cuzk_free(lanes[i].ns);
        cuzk_free(lanes[i].ratio);
    }
    return ok;
}

/* Measures the group of cases[first] among those not yet done; marks them in `done`. */
static bool do_group(const options *o, const bench_case *cases, size_t n, size_t first, bool *done)
{
    lane lanes[MAX_GROUP];
    size_t m = 0;
    for (size_t i = first; i < n && m < MAX_GROUP; i++) {
        const bench_case *c = &cases[i];
        if (done[i] || !is_wanted(o, c) || !is_same_group(cases[first].name, c->name)) {
            continue;
        }
        done[i] = true;
        if (o->list) {
            (void)printf("%s%s\n", c->name, c->big ? " (big)" : "");
            continue;
        }
        union {
            const bench_case *in;
            void *out;
        } self = {.in = c};
        void *state = NULL;
        if (cuzk_cpu_has(c->cpu)) {
            state = c->setup != NULL ? c->setup(c) : self.out;
        }
        if (state == NULL) {
            (void)printf("%-44s skipped\n", c->name);
            continue;
        }
        lanes[m++] = (lane){.c = c, .state = state};
    }
    const bool ok = m == 0 || run_group(o, lanes, m);
    for (size_t i = 0; i < m; i++) {
        if (lanes[i].c->teardown != NULL) {
            lanes[i].c->teardown(lanes[i].state);
        }
    }
    return ok;
}

static bool run_module(const options *o, const bench_module *module)
{
    bool *done = cuzk_alloc_zero(module->n, sizeof(bool));
    bool ok = done != NULL;
    for (size_t i = 0; ok && i < module->n; i++) {
        if (!done[i] && is_wanted(o, &module->cases[i])) {
            ok = do_group(o, module->cases, module->n, i, done);
        }
    }
    cuzk_free(done);
    return ok;
}

static const char usage[] =
    "Usage: cuzk_bench_micro [--list] [--match=TEXT]... [--all] [--time=SECONDS] [--samples=MIN]\n"
    "                        [--json=FILE] [--commit=ID] [--cpu-mask=N]\n";

static bool parse(options *o, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char *a = argv[i];
        char *end = NULL;
        bool ok = true;
        if (strcmp(a, "--list") == 0) {
            o->list = o->all = true;
        } else if (strcmp(a, "--all") == 0) {
            o->all = true;
        } else if (strncmp(a, "--match=", 8) == 0 && o->n_match < MAX_MATCH) {
            o->match[o->n_match++] = a + 8;
        } else if (strncmp(a, "--time=", 7) == 0) {
            o->seconds = strtod(a + 7, &end);
            ok = end != a + 7 && *end == '\0' && o->seconds > 0;
        } else if (strncmp(a, "--samples=", 10) == 0) {
            o->min_samples = (size_t)strtoull(a + 10, &end, 10);
            ok = end != a + 10 && *end == '\0' && o->min_samples > 0;
        } else if (strncmp(a, "--json=", 7) == 0) {
            o->json = fopen(a + 7, "a");
            ok = o->json != NULL;
        } else if (strncmp(a, "--commit=", 9) == 0) {
            o->commit = a + 9;
        } else if (strncmp(a, "--cpu-mask=", 11) == 0) {
            cuzk_cpu_set_mask((uint32_t)strtoul(a + 11, &end, 0));
            ok = end != a + 11 && *end == '\0';
        } else {
            ok = false;
        }
        if (!ok) {
            (void)fprintf(stderr, "bad argument: %s\n%s", a, usage);
            return false;
        }
    }
    return true;
}

int bench_main(int argc, char **argv)
{
    const char *env = getenv("CUZK_COMMIT");
    options o = {.seconds = 0.3, .min_samples = 5, .commit = env != NULL ? env : ""};
    if (!parse(&o, argc, argv)) {
        return 2;
    }
    if (!o.list) {
        bench_machine_line(stdout, o.commit);
        (void)printf("%-44s %12s %12s %12s\n", "case", "min", "median", "p95");
        if (o.json != NULL) {
            bench_machine_line(o.json, o.commit);
        }
    }
    bool ok = true;
    for (size_t i = 0; ok && i < bench_modules_count; i++) {
        ok = run_module(&o, bench_modules[i]);
    }
    if (o.json != NULL && fclose(o.json) != 0) {
        ok = false;
    }
    return ok ? 0 : 1;
}
