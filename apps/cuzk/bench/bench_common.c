/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "bench_common.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "cpu/cpu.h"
#include "report/html.h"
#include "report/text.h"
#include "sys/file.h"

#include "commit.h"

enum { OPT_RUNS = 0x400, OPT_WARMUP, OPT_RESULT, OPT_REPORT, OPT_COMMIT, OPT_INJECT, OPT_CPU_TIME };

static const struct argp_option options[] = {
    {"runs", OPT_RUNS, "N", 0, "Measured runs (default 5)", 0},
    {"warmup", OPT_WARMUP, "N", 0, "Runs before them that do not count (default 1)", 0},
    {"result", OPT_RESULT, "FILE", 0, "Write the result here as JSON, for 'cuzk bench compare'", 0},
    {"report", OPT_REPORT, "FILE", 0, "Write an HTML page", 0},
    {"commit", OPT_COMMIT, "ID", 0, "Recorded instead of the commit this program was built from",
     0},
    {"cpu-time", OPT_CPU_TIME, NULL, 0,
     "prove, synth, micro: CPU time of the process, not wall time: for busy machines, one proof at a time",
     0},
    {"inject", OPT_INJECT, "[PARENT/]LAYER=PERCENT", OPTION_HIDDEN,
     "Make a layer slower by spinning: to test comparisons with", 0},
    {0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    bench_opts *b = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &b->a; return 0;
    case OPT_RESULT: b->result = arg; return 0;
    case OPT_REPORT: b->html = arg; return 0;
    case OPT_COMMIT: b->commit = arg; return 0;
    case OPT_CPU_TIME: b->by_cpu = true; return 0;
    case OPT_INJECT: b->inject = arg; return 0;
    case OPT_RUNS:
        if (!app_parse_u64(&b->runs, arg, 100000) || b->runs == 0) {
            argp_error(state, "--runs wants a number from 1 to 100000, not '%s'", arg);
        }
        return 0;
    case OPT_WARMUP:
        if (!app_parse_u64(&b->warmup, arg, 1000)) {
            argp_error(state, "--warmup wants a number up to 1000, not '%s'", arg);
        }
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {APP_CHILD, {0}};
const struct argp bench_argp = {options, parse, NULL, NULL, children, NULL, NULL};

void bench_opts_init(bench_opts *b, const char *command)
{
    memset(b, 0, sizeof(*b));
    app_init(&b->a, command);
    b->runs = 5;
    b->warmup = 1;
}

void bench_begin(bench_opts *b, const char *kind, const char *name, int argc, char **argv)
{
    char flags[64];
    size_t at = 0;
    cuzk_result *r = &b->r;
    const char *commit = b->commit != NULL ? b->commit : getenv("CUZK_COMMIT");
    char full[128];
    (void)snprintf(full, sizeof(full), "%.110s%s", name, b->by_cpu ? ", CPU time" : "");
    cuzk_result_init(r, kind, full);
    (void)snprintf(r->commit, sizeof(r->commit), "%s", commit != NULL ? commit : CUZK_COMMIT_STR);
    for (int i = 0; i < argc && at < sizeof(r->command); i++) {
        const int n =
            snprintf(r->command + at, sizeof(r->command) - at, "%s%s", i == 0 ? "" : " ", argv[i]);
        at += n > 0 ? (size_t)n : 0;
    }
    cuzk_result_machine(r);
    cuzk_result_fact(r, "cpu_flags", "%s",
                     cuzk_cpu_describe(cuzk_cpu_active, flags, sizeof(flags)));
    cuzk_result_fact(r, "compiler", "%s", CUZK_COMPILER_STR);
    cuzk_result_fact(r, "flags", "%s", CUZK_CFLAGS_STR);
#if defined(CUZK_PORTABLE)
    cuzk_result_fact(r, "build", "portable");
#elif defined(CUZK_VERIFY)
    cuzk_result_fact(r, "build", "verify");
#else
    cuzk_result_fact(r, "build", "release");
#endif
    cuzk_result_fact(r, "threads", "%u", cuzk_pool_threads(b->a.pool));
    r->runs = (uint32_t)b->runs;
    r->warmup = (uint32_t)b->warmup;
}

cuzk_status bench_inject(bench_opts *b)
{
    char *end = NULL;
    if (b->inject == NULL) {
        return CUZK_OK;
    }
    char *percent = strchr(b->inject, '=');
    const double part = percent != NULL ? strtod(percent + 1, &end) / 100 : 0;
    if (percent == NULL || end == percent + 1 || *end != '\0' || !(part > 0) || !(part < 100)) {
        return CUZK_FAIL(&b->a.err, CUZK_E_INVALID, "--inject wants [PARENT/]LAYER=PERCENT");
    }
    cuzk_result_note(&b->r, "made slower for a test: %s", b->inject);
    *percent = '\0';
    char *name = strchr(b->inject, '/');
    if (name != NULL) {
        *name++ = '\0';
    }
    cuzk_trace_slow_down(b->a.trace.trace, name != NULL ? b->inject : NULL,
                         name != NULL ? name : b->inject, part);
    return CUZK_OK;
}

static cuzk_status write_result(bench_opts *b)
{
    cuzk_jsonw w;
    cuzk_jsonw_init(&w, false);
    cuzk_status st = cuzk_result_write(&w, &b->r, &b->a.err);
    if (st == CUZK_OK) {
        st = app_write_json(&b->a, b->result, &w);
    }
    cuzk_jsonw_free(&w);
    return st;
}

cuzk_status bench_end(bench_opts *b, cuzk_status st)
{
    if (st == CUZK_OK && b->r.nomem) {
        st = CUZK_FAIL(&b->a.err, CUZK_E_NOMEM, "out of memory while measuring");
    }
    if (st == CUZK_OK && !b->a.json && !b->no_tables) {
        cuzk_text_result(stdout, &b->r);
    }
    if (st == CUZK_OK && b->result != NULL) {
        st = write_result(b);
        app_text(&b->a, "result", b->result);
    }
    if (st == CUZK_OK && b->html != NULL) {
        st = bench_write_page(b->html, &b->r, NULL, NULL, b->a.force, &b->a.err);
        app_text(&b->a, "report", b->html);
    }
    cuzk_result_free(&b->r);
    return st;
}

/*
 * A dependent chain of operations: its time depends on the clock of the core and on other programs on it, and not on
 * the code that is measured.
 */
uint64_t bench_reference_ns(bool by_cpu)
{
    const uint64_t t0 = by_cpu ? cuzk_clock_cpu_ns() : cuzk_clock_ns();
    uint64_t x = t0 | 1;
    for (uint32_t i = 0; i < 10u * 1000 * 1000; i++) {
        x = x * 0x9e3779b97f4a7c15u + i;
    }
    __asm__ volatile("" : : "r"(x)); /* keeps the compiler from removing the loop */
    return (by_cpu ? cuzk_clock_cpu_ns() : cuzk_clock_ns()) - t0;
}

bool bench_reset_peak_rss(void)
{
    const int fd = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
    if (fd < 0) {
        return false;
    }
    const bool ok = write(fd, "5", 1) == 1; /* 5: the peak only */
    (void)close(fd);
    return ok;
}

cuzk_status bench_write_page(const char *path, const cuzk_result *base, const cuzk_result *new_,
                             const cuzk_comparison *c, bool replace, cuzk_err *err)
{
    char *text = NULL;
    size_t n = 0;
    FILE *f = open_memstream(&text, &n);
    if (f == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for the page");
    }
    cuzk_html_page(f, base, new_, c);
    const bool ok = ferror(f) == 0 && fclose(f) == 0;
    const cuzk_status st = ok ? cuzk_file_write_all(path, text, n, replace, err)
                              : CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for the page");
    (free)(text); /* open_memstream's */
    return st;
}

cuzk_status bench_load(cuzk_result *r, const char *path, cuzk_err *err)
{
    cuzk_content m;
    CUZK_TRY(cuzk_content_read(&m, path, CUZK_CONTENT_INPUT, err));
    const cuzk_status st = cuzk_result_parse(r, m.data, m.size, path, err);
    cuzk_content_free(&m);
    return st;
}
