/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "app.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "base/bytes.h"
#include "base/clock.h"
#include "base/text/utf8.h"
#include "cpu/cpu.h"
#include "groth16/params/srs.h"
#include "report/text.h"
#include "sys/file.h"
#include "trace/trace_read.h"

#include "examples.h"
#include "exit_status.h"

/* Set by the signal handler; the only state that it may change. */
static cuzk_cancel interrupted;

static void on_signal(int sig)
{
    atomic_store_explicit(&interrupted.requested, true, memory_order_relaxed);
    (void)signal(sig, SIG_DFL); /* the second one ends the process */
}

/* The signal stays ignored if it was ignored at the start, as under nohup. */
static void take_signal(int sig)
{
    struct sigaction old;
    if (sigaction(sig, NULL, &old) == 0 && old.sa_handler != SIG_IGN) {
        (void)signal(sig, on_signal);
    }
}

/* Where the report goes: standard output, unless that carries the proof itself. */
static FILE *report_stream(const app *a)
{
    return a->payload_on_stdout ? stderr : stdout;
}

enum {
    OPT_JSON = 0x100,
    OPT_THREADS,
    OPT_CPU_MASK,
    OPT_FORCE,
    OPT_QUIET,
    OPT_TRACE,
    OPT_TRACE_COUNTERS,
    OPT_LAYERS,
    OPT_TRACE_FORMAT,
    OPT_UNSAFE_KEY
};

/* work: flags of the options about computing; output: flags of the options about output files. Every command accepts every
 * common option, so that a script can give the same ones to all; its help hides those without effect (OPTION_HIDDEN). */
/* clang-format off */
#define COMMON_OPTIONS(work, output) \
    {"json", OPT_JSON, NULL, 0, "Report as one JSON object on standard output", 0}, \
    {"threads", OPT_THREADS, "N", work, "Threads to use (default: all that this process may use)", 0}, \
    {"cpu-mask", OPT_CPU_MASK, "MASK", work, \
     "Use only these CPU features: 1 adx, 2 avx2, 4 avx512ifma, 8 sha (0: portable code)", 0}, \
    {"allow-unsafe-key", OPT_UNSAFE_KEY, NULL, work, \
     "For tests: take a key under which anybody can forge proofs (its ceremony was not finished)", 0}, \
    {"force", OPT_FORCE, NULL, output, "Replace output files that exist", 0}, \
    {"trace", OPT_TRACE, "FILE", work, \
     "Write what was done when, for ui.perfetto.dev or chrome://tracing", 0}, \
    {"trace-format", OPT_TRACE_FORMAT, "FORMAT", work, \
     "perfetto (default), or json: every span with all its fields (docs/tracing.md)", 0}, \
    {"layers", OPT_LAYERS, NULL, work, \
     "Print where the time went: each layer's inclusive and exclusive time, overlap, bytes", 0}, \
    {"trace-counters", OPT_TRACE_COUNTERS, NULL, work, \
     "With --trace: count instructions, cycles and branches, where the kernel allows it", 0}, \
    {"quiet", OPT_QUIET, NULL, 0, "No progress and no remarks", 0}, \
    {0}
/* clang-format on */

static const struct argp_option options[] = {COMMON_OPTIONS(0, 0)};
static const struct argp_option output_options[] = {COMMON_OPTIONS(OPTION_HIDDEN, 0)};
static const struct argp_option few_options[] = {COMMON_OPTIONS(OPTION_HIDDEN, OPTION_HIDDEN)};

bool app_parse_u64(uint64_t *out, const char *s, uint64_t max)
{
    uint64_t v = 0;
    if (*s == '\0') {
        return false;
    }
    for (; *s != '\0'; s++) {
        if (*s < '0' || *s > '9' || __builtin_mul_overflow(v, (uint64_t)10, &v) ||
            __builtin_add_overflow(v, (uint64_t)(*s - '0'), &v)) {
            return false;
        }
    }
    *out = v;
    return v <= max;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    app *a = state->input;
    uint64_t v = 0;
    switch (key) {
    case OPT_JSON: a->json = true; return 0;
    case OPT_FORCE: a->force = true; return 0;
    case OPT_UNSAFE_KEY: cuzk_srs_allow_unsafe_keys(true); return 0;
    case OPT_QUIET: a->quiet = true; return 0;
    case OPT_TRACE: a->trace_path = arg; return 0;
    case OPT_TRACE_FORMAT:
        a->trace_plain = strcmp(arg, "json") == 0;
        if (!a->trace_plain && strcmp(arg, "perfetto") != 0) {
            argp_error(state, "--trace-format is perfetto or json, not '%s'", arg);
        }
        return 0;
    case OPT_LAYERS: a->layers = true; return 0;
    case OPT_TRACE_COUNTERS: a->count = true; return 0;
    case OPT_THREADS:
        if (!app_parse_u64(&v, arg, 4096) || v == 0) {
            argp_error(state, "--threads wants a number from 1 to 4096, not '%s'", arg);
        }
        a->threads = (unsigned)v;
        return 0;
    case OPT_CPU_MASK:
        if (!app_parse_u64(&v, arg, 15)) {
            argp_error(state, "--cpu-mask wants a number from 0 to 15, not '%s'", arg);
        }
        a->cpu_mask = (uint32_t)v;
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

/* A line that would be wrapped is continued with a backslash, so that it can be copied into a shell. */
static void put_example(FILE *f, const char *p, size_t n)
{
    enum { WIDTH = 74 };
    const char *before = "\n  ";
    while (n > WIDTH) {
        size_t k = WIDTH;
        while (k > 0 && p[k] != ' ') {
            k--;
        }
        if (k == 0) {
            break;
        }
        (void)fprintf(f, "%s%.*s \\", before, (int)k, p);
        before = "\n      ";
        p += k + 1;
        n -= k + 1;
    }
    (void)fprintf(f, "%s%.*s", before, (int)n, p);
}

/*
 * Adds the examples of the command at the end of its help. argp frees a text that is not the one that it passed in.
 */
static char *end_of_help(int key, const char *text, void *input)
{
    const app *a = input;
    const char *lines = key == ARGP_KEY_HELP_EXTRA && a != NULL ? examples_of(a->command) : NULL;
    if (lines == NULL) {
        return (char *)(uintptr_t)text;
    }
    char *out = NULL;
    size_t n = 0;
    FILE *f = open_memstream(&out, &n);
    if (f == NULL) {
        return NULL;
    }
    (void)fputs("Examples:", f);
    for (const char *p = lines; *p != '\0';) {
        const size_t length = strcspn(p, "\n");
        put_example(f, p, length);
        p += length + (p[length] == '\n' ? 1 : 0);
    }
    return fclose(f) == 0 ? out : NULL;
}

const struct argp app_argp = {options, parse, NULL, NULL, NULL, end_of_help, NULL};
const struct argp app_argp_output = {output_options, parse, NULL, NULL, NULL, end_of_help, NULL};
const struct argp app_argp_few = {few_options, parse, NULL, NULL, NULL, end_of_help, NULL};

void app_init(app *a, const char *command)
{
    memset(a, 0, sizeof(*a));
    a->command = command;
    a->cpu_mask = ~0u;
    a->cancel = &interrupted;
}

/* Before the pool is made: counters follow only threads that start later. */
static cuzk_status start_trace(app *a)
{
    enum { SPANS = 1 << 16 };
    if (a->trace_path == NULL && !a->record && !a->times && !a->layers) {
        return CUZK_OK;
    }
    CUZK_TRY(cuzk_trace_create(&a->trace.trace, SPANS, &a->err));
    if (a->count && !cuzk_trace_count(a->trace.trace)) {
        app_note(a, "%s", cuzk_trace_counters_note(a->trace.trace));
    }
    a->span = cuzk_span_begin(a->trace, "command", NULL);
    a->trace.parent = a->span;
    return CUZK_OK;
}

void app_span_seconds(app *a, const char *key, cuzk_span after, const char *name)
{
    app_seconds(a, key, cuzk_trace_sum(a->trace.trace, after, NULL, name));
}

cuzk_span app_newest_span(const app *a)
{
    return cuzk_trace_get_info(a->trace.trace).begun;
}

/* Layers of the whole command; a benchmark prints those of its last run itself. */
static cuzk_status print_layers(app *a)
{
    cuzk_span_record *spans = NULL;
    cuzk_layers l;
    size_t n = 0;
    CUZK_TRY(cuzk_trace_snapshot(&spans, &n, a->trace.trace, &a->err));
    const cuzk_status st = cuzk_layers_compute(&l, spans, n, a->span, &a->err);
    if (st == CUZK_OK) {
        cuzk_text_layers(report_stream(a), &l);
        cuzk_layers_free(&l);
    }
    cuzk_free(spans);
    return st;
}

static cuzk_status finish_trace(app *a)
{
    cuzk_jsonw w;
    cuzk_status st;
    if (a->trace.trace == NULL) {
        return CUZK_OK;
    }
    cuzk_span_end(a->trace, a->span, 0);
    cuzk_jsonw_init(&w, false);
    st = a->trace_path == NULL ? CUZK_OK
         : a->trace_plain      ? cuzk_trace_write_json(&w, a->trace.trace, &a->err)
                               : cuzk_trace_write_perfetto(&w, a->trace.trace, &a->err);
    if (st == CUZK_OK && a->trace_path != NULL) {
        st = app_write_json(a, a->trace_path, &w);
    }
    cuzk_jsonw_free(&w);
    if (st == CUZK_OK && a->layers && !a->record && !a->json) {
        st = print_layers(a);
    }
    cuzk_trace_destroy(a->trace.trace);
    a->trace = CUZK_TRACE_OFF;
    return st;
}

cuzk_status app_begin(app *a)
{
    const cuzk_pool_cfg cfg = {.n_threads = a->threads};
    a->started_ns = cuzk_clock_ns();
    cuzk_cpu_set_mask(a->cpu_mask);
    cuzk_jsonw_init(&a->w, true);
    if (a->json) {
        cuzk_jsonw_begin_object(&a->w);
        app_text(a, "command", a->command);
    }
    take_signal(SIGINT);
    take_signal(SIGTERM);
    take_signal(SIGHUP);
    (void)signal(SIGXFSZ, SIG_IGN); /* write fails instead, and the temporary file is removed */
    cuzk_file_interrupt_by(&interrupted);
    app_output(a, a->trace_path);
    CUZK_TRY(app_check_files(a));
    CUZK_TRY(start_trace(a));
    return cuzk_pool_create(&a->pool, &cfg, &a->err);
}

static void end_progress(app *a, bool complete)
{
    cuzk_progress_finish(a->progress, complete);
    a->progress = NULL;
}

static const char *hint(cuzk_status st)
{
    return st == CUZK_E_EXISTS ? " (--force replaces it)" : "";
}

/* A message may quote a file or a daemon. */
static void report_text(const app *a, cuzk_status st)
{
    char shown[sizeof(a->err.msg)];
    if (st == CUZK_OK || st == CUZK_E_PROOF_FALSE) {
        return; /* the command has said so in its own words */
    }
    (void)fprintf(stderr, "%s: %s%s\n", a->command,
                  a->err.msg[0] != '\0'
                      ? cuzk_utf8_clean(shown, sizeof(shown), a->err.msg, strlen(a->err.msg))
                      : cuzk_status_text(st),
                  hint(st));
    if (a->err.os_code != 0 && strstr(a->err.msg, strerror(a->err.os_code)) == NULL) {
        (void)fprintf(stderr, "%s: the system says: %s\n", a->command, strerror(a->err.os_code));
    }
}

static bool report_json(app *a, cuzk_status st)
{
    const char *text = NULL;
    size_t n = 0;
    app_bool(a, "ok", st == CUZK_OK);
    if (st != CUZK_OK) {
        cuzk_jsonw_key(&a->w, "error");
        cuzk_jsonw_begin_object(&a->w);
        app_text(a, "code", cuzk_status_name(st));
        app_text(a, "message", a->err.msg[0] != '\0' ? a->err.msg : cuzk_status_text(st));
        app_bool(a, "retryable", cuzk_status_is_retryable(st));
        cuzk_jsonw_end_object(&a->w);
    }
    app_u64(a, "exit_status", (uint64_t)exit_status_of(st));
    cuzk_jsonw_end_object(&a->w);
    return cuzk_jsonw_finish(&a->w, &text, &n, NULL) == CUZK_OK &&
           fwrite(text, 1, n, report_stream(a)) == n && fputc('\n', report_stream(a)) != EOF;
}

int app_finish(app *a, cuzk_status st)
{
    end_progress(a, st == CUZK_OK);
    /* a failure of the work itself is reported, not one of the trace after it */
    const cuzk_status traced = finish_trace(a);
    st = st == CUZK_OK ? traced : st;
    if (!a->json) {
        report_text(a, st);
    }
    const bool wrote = !a->json || report_json(a, st);
    cuzk_jsonw_free(&a->w);
    cuzk_pool_destroy(a->pool);
    if (fflush(stdout) != 0 || !wrote) {
        (void)fprintf(stderr, "%s: cannot write the report to standard output\n", a->command);
        return st == CUZK_OK ? EXIT_STATUS_MACHINE : (int)exit_status_of(st);
    }
    return (int)exit_status_of(st);
}

CUZK_PRINTF(3, 4) static void line(app *a, const char *key, const char *fmt, ...)
{
    char label[64];
    va_list ap;
    size_t i = 0;
    for (; key[i] != '\0' && i < sizeof(label) - 1; i++) {
        label[i] = key[i];
        if (key[i] == '_') {
            label[i] = ' ';
        }
    }
    label[i] = '\0';
    end_progress(a, true);
    FILE *f = report_stream(a);
    (void)fprintf(f, "%-20s ", label);
    va_start(ap, fmt);
    (void)vfprintf(f, fmt, ap);
    va_end(ap);
    (void)putc('\n', f);
}

void app_text(app *a, const char *key, const char *value)
{
    if (a->json) {
        cuzk_jsonw_key(&a->w, key);
        cuzk_jsonw_str(&a->w, value);
    } else {
        char shown[4096];
        line(a, key, "%s", cuzk_utf8_clean(shown, sizeof(shown), value, strlen(value)));
    }
}

/* key without its unit, for a line; false: the key does not end in the unit. */
static bool strip_unit(char out[64], const char *key, const char *unit)
{
    const size_t n = strlen(key), k = strlen(unit);
    if (n <= k || n - k >= 64 || strcmp(key + n - k, unit) != 0) {
        return false;
    }
    memcpy(out, key, n - k);
    out[n - k] = '\0';
    return true;
}

const char *app_human_bytes(char out[32], uint64_t bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    double v = (double)bytes;
    size_t u = 0;
    for (; v >= 1000 && u < 4; u++) {
        v /= 1024;
    }
    (void)snprintf(out, 32, u == 0 || v >= 100 ? "%.0f %s" : "%.1f %s", v, units[u]);
    return out;
}

/* Bytes and milliseconds in the units of people; false: another key. */
static bool human_line(app *a, const char *key, uint64_t value)
{
    char plain[64], text[32];
    if (strip_unit(plain, key, "_bytes")) {
        line(a, plain, "%s", app_human_bytes(text, value));
        return true;
    }
    if (strip_unit(plain, key, "_ms")) {
        line(a, plain, value < 1000 ? "%.0f ms" : "%.2f s",
             value < 1000 ? (double)value : (double)value * 1e-3);
        return true;
    }
    return false;
}

void app_u64(app *a, const char *key, uint64_t value)
{
    if (a->json) {
        cuzk_jsonw_key(&a->w, key);
        cuzk_jsonw_u64(&a->w, value);
    } else if (isatty(fileno(report_stream(a))) == 0 || !human_line(a, key, value)) {
        line(a, key, "%" PRIu64, value);
    }
}

void app_bool(app *a, const char *key, bool value)
{
    if (a->json) {
        cuzk_jsonw_key(&a->w, key);
        cuzk_jsonw_bool(&a->w, value);
    } else {
        line(a, key, "%s", value ? "yes" : "no");
    }
}

void app_hex(app *a, const char *key, const uint8_t *data, size_t n)
{
    char text[2 * 256 + 1];
    CUZK_ASSERT(n <= 256);
    cuzk_hex_encode(text, data, n);
    app_text(a, key, text);
}

void app_seconds(app *a, const char *key, uint64_t ns)
{
    if (a->json) {
        char full[64];
        (void)snprintf(full, sizeof(full), "%s_s", key);
        cuzk_jsonw_key(&a->w, full);
        cuzk_jsonw_f64(&a->w, (double)ns * 1e-9);
    } else {
        line(a, key, "%.3f s", (double)ns * 1e-9);
    }
}

void app_note(app *a, const char *fmt, ...)
{
    va_list ap;
    if (a->quiet || a->json) {
        return;
    }
    end_progress(a, true);
    char text[2048], shown[2048];
    va_start(ap, fmt);
    (void)vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    (void)fprintf(stderr, "%s\n", cuzk_utf8_clean(shown, sizeof(shown), text, strlen(text)));
}

void app_progress(void *arg, const char *what, uint64_t done, uint64_t total)
{
    app *a = arg;
    (void)what;
    if (a->quiet || a->json) {
        return;
    }
    if (a->progress == NULL) {
        const char *label = strrchr(a->command, ' ');
        cuzk_ignore(cuzk_progress_start(&a->progress, STDERR_FILENO,
                                        label == NULL ? a->command : label + 1, total, NULL));
    }
    cuzk_progress_set(a->progress, done, total);
    if (done == total) {
        end_progress(a, true);
    }
}

int32_t app_stop(void *arg, const char *what, uint64_t done, uint64_t total)
{
    const app *a = arg;
    (void)what;
    (void)done;
    (void)total;
    return cuzk_cancel_requested(a->cancel) ? 1 : 0;
}

int32_t app_progress_or_stop(void *arg, const char *what, uint64_t done, uint64_t total)
{
    app_progress(arg, what, done, total);
    return app_stop(arg, what, done, total);
}

cuzk_status app_public_error(cuzk_err *err, cuzk_status st, const cuzk_error *error)
{
    return st == CUZK_OK ? st : CUZK_FAIL_OS(err, st, error->os_code, "%s", error->text);
}

cuzk_status app_write_json(app *a, const char *path, cuzk_jsonw *w)
{
    const char *text = NULL;
    size_t n = 0;
    cuzk_file_writer *f = NULL;
    cuzk_status st;
    CUZK_TRY(cuzk_jsonw_finish(w, &text, &n, &a->err));
    CUZK_TRY(cuzk_file_writer_open(&f, path, a->force, &a->err));
    CUZK_TRY_GOTO(st, cuzk_file_writer_write(f, text, n, &a->err));
    CUZK_TRY_GOTO(st, cuzk_file_writer_write(f, "\n", 1, &a->err));
    return cuzk_file_writer_commit(f, &a->err);
out:
    cuzk_file_writer_abort(f);
    return st;
}
