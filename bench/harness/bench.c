/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "bench.h"

#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "cpu/cpu.h"

#include "bench_stats.h"

enum {
    SAMPLE_NS = 500 * 1000, /* a sample this long hides the clock's own 50 ns below 0.02 % */
    MAX_SAMPLES = 400,
    MAX_GROUP = 16
};

/* One case while its group is measured. */
typedef struct lane {
    const bench_case *c;
    void *state;
    uint64_t iters; /* per sample */
    double *ns;     /* per iteration, one per sample */
    double *ratio;  /* to lane 0, sample by sample */
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

static bool is_wanted(const bench_micro_opts *o, const bench_case *c)
{
    for (size_t i = 0; i < o->n_exact; i++) {
        if (strcmp(c->name, o->exact[i]) == 0) {
            return true;
        }
    }
    if (o->n_exact != 0) {
        return false;
    }
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

static uint64_t now(const bench_micro_opts *o)
{
    return o->cpu_time ? cuzk_clock_cpu_ns() : cuzk_clock_ns();
}

static double sample(const bench_micro_opts *o, lane *l)
{
    const uint64_t t0 = now(o);
    l->c->run(l->state, l->iters);
    return (double)(now(o) - t0) / (double)l->iters;
}

/* Grow the count until a sample is long enough; these runs are the warm-up and are thrown away. */
static double calibrate(const bench_micro_opts *o, lane *l)
{
    double ns;
    l->iters = 1;
    for (;;) {
        ns = sample(o, l) * (double)l->iters;
        if (ns >= SAMPLE_NS || l->iters >= UINT64_C(1) << 40) {
            break;
        }
        const double want = SAMPLE_NS * 1.2 / (ns > 1 ? ns : 1);
        l->iters = (uint64_t)((double)l->iters * (want < 10 ? want : 10)) + 1;
    }
    return ns;
}

/* All lanes of a group, one sample each in turn, so that drift of the machine hits all alike. */
static bool run_group(const bench_micro_opts *o, lane *lanes, size_t n_lanes)
{
    double longest = 0;
    for (size_t i = 0; i < n_lanes; i++) {
        const double ns = calibrate(o, &lanes[i]);
        longest = ns > longest ? ns : longest;
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
    for (size_t s = 0; ok && s < n && !o->stop(o->arg); s++) {
        for (size_t i = 0; i < n_lanes; i++) {
            const double k = lanes[i].c->units != 0 ? (double)lanes[i].c->units : 1;
            lanes[i].ns[s] = sample(o, &lanes[i]) / k;
            lanes[i].ratio[s] = lanes[i].ns[s] / lanes[0].ns[s];
        }
    }
    for (size_t i = 0; ok && i < n_lanes && !o->stop(o->arg); i++) {
        const double ratio = i == 0 ? 1 : bench_stats_of(lanes[i].ratio, n).median;
        o->measured(o->arg, lanes[i].c, lanes[i].ns, n, i == 0 ? NULL : lanes[0].c, ratio);
    }
    for (size_t i = 0; i < n_lanes; i++) {
        cuzk_free(lanes[i].ns);
        cuzk_free(lanes[i].ratio);
    }
    return ok;
}

__attribute__((noinline)) void bench_counted_run(const bench_case *c, void *state, uint64_t iters)
{
    c->run(state, iters);
}

/* The same number of iterations on every machine; once before, for tables made on first use. */
static void count_case(const bench_micro_opts *o, const bench_case *c, void *state)
{
    const uint64_t iters = c->units > 1 ? 1 : 100;
    c->run(state, iters);
    bench_counted_run(c, state, iters);
    o->counted(o->arg, c, iters * (c->units != 0 ? c->units : 1));
}

/* Measures the group of cases[first] among those not yet done; marks them in `done`. */
static bool do_group(const bench_micro_opts *o, const bench_case *cases, size_t n, size_t first,
                     bool *done)
{
    lane lanes[MAX_GROUP];
    size_t m = 0;
    for (size_t i = first; i < n && m < MAX_GROUP; i++) {
        const bench_case *c = &cases[i];
        if (done[i] || !is_wanted(o, c) || !is_same_group(cases[first].name, c->name)) {
            continue;
        }
        done[i] = true;
        if (o->list != NULL) {
            o->list(o->arg, c);
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
            o->skipped(o->arg, c);
            continue;
        }
        lanes[m++] = (lane){.c = c, .state = state};
        if (o->counted != NULL) {
            count_case(o, c, state);
        }
    }
    const bool ok = m == 0 || o->counted != NULL || run_group(o, lanes, m);
    for (size_t i = 0; i < m; i++) {
        if (lanes[i].c->teardown != NULL) {
            lanes[i].c->teardown(lanes[i].state);
        }
    }
    return ok;
}

static bool run_module(const bench_micro_opts *o, const bench_module *module)
{
    bool *done = cuzk_alloc_zero(module->n, sizeof(bool));
    bool ok = done != NULL;
    for (size_t i = 0; ok && i < module->n && !o->stop(o->arg); i++) {
        if (!done[i] && is_wanted(o, &module->cases[i])) {
            ok = do_group(o, module->cases, module->n, i, done);
        }
    }
    cuzk_free(done);
    return ok;
}

size_t bench_count(const bench_micro_opts *o)
{
    size_t n = 0;
    for (size_t i = 0; i < o->n_modules; i++) {
        for (size_t k = 0; k < o->modules[i]->n; k++) {
            n += is_wanted(o, &o->modules[i]->cases[k]);
        }
    }
    return n;
}

bool bench_run(const bench_micro_opts *o)
{
    bool ok = true;
    for (size_t i = 0; ok && i < o->n_modules; i++) {
        ok = run_module(o, o->modules[i]);
    }
    return ok;
}
