/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_APPS_APP_H
#define CUZK_APPS_APP_H

/*
 * What every sub-command shares: common options, the thread pool, cancellation by Ctrl-C, and one
 * way of reporting that is text or, with --json, one object on standard output.
 *
 * A sub-command is `int cmd_x(int argc, char **argv)`; argv[0] is its full name ("cuzk groth16
 * prove"). It parses with argp (APP_CHILD as child, &app as the child's input), then
 *
 *     app_begin(&a);
 *     st = work(&a, ...);       // reports with app_text, app_u64, ...; errors in a.err
 *     return app_finish(&a, st);
 */
#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cuzk/cuzk.h>

#include "base/status.h"
#include "base/text/json_writer.h"
#include "sys/pool.h"
#include "sys/progress.h"
#include "trace/trace.h"

/** A file that a command reads or writes, known before the work. */
typedef struct app_file {
    const char *path;
    bool is_output;
} app_file;
#define APP_MAX_FILES 32

typedef struct app {
    const char *command; /* argv[0] */
    bool json, quiet, force;
    unsigned threads; /* 0: all CPUs that the process may use */
    uint32_t cpu_mask;
    cuzk_pool *pool;
    cuzk_cancel *cancel; /* requested by SIGINT or SIGTERM */
    cuzk_err err;
    cuzk_jsonw w; /* with json: the object being built */
    uint64_t started_ns;
    const char *trace_path; /* --trace */
    bool trace_plain;       /* --trace-format json */
    bool layers;            /* --layers: where the time went, at the end */
    bool count;             /* with counters */
    bool record;            /* set before app_begin: a benchmark, which records spans even without
                               --trace and prints their layers itself */
    bool times;             /* set before app_begin: record spans for app_span_seconds */
    cuzk_trace_ctx trace;   /* inside the span "command"; zero where nothing is recorded */
    cuzk_span span;
    cuzk_progress *progress; /* of the step that is running; NULL: none shown */
    app_file files[APP_MAX_FILES];
    size_t n_files;
    bool payload_on_stdout; /* an output is "-": the report goes to standard error */
} app;

extern const struct argp app_argp, app_argp_output, app_argp_few;
/* For the children table of a sub-command's argp. All of them take every common option; help has those that the command uses. */
#define APP_CHILD                           \
    {                                       \
        &app_argp, 0, "Common options:", 90 \
    }
/* A command that computes nothing here and writes a file: --json, --quiet, --force. */
#define APP_CHILD_OUTPUT                           \
    {                                              \
        &app_argp_output, 0, "Common options:", 90 \
    }
/* A command that computes nothing here and writes no file: --json, --quiet. */
#define APP_CHILD_FEW                           \
    {                                           \
        &app_argp_few, 0, "Common options:", 90 \
    }

void app_init(app *a, const char *command);
/** Applies the CPU mask, starts the pool, installs handlers of SIGINT and SIGTERM. */
CUZK_NODISCARD cuzk_status app_begin(app *a);
/** Reports the outcome, releases everything; the exit status of the process. */
int app_finish(app *a, cuzk_status st);

/*
 * Each reports one value: as a line of text, or as a field of the JSON object. key is lower_case. On a terminal,
 * numbers whose key ends in _bytes or _ms are shown in MiB, seconds and so on; elsewhere as they are.
 */
void app_text(app *a, const char *key, const char *value);
/** "44.1 GiB": bytes as a terminal shows them. Returns out. */
const char *app_human_bytes(char out[32], uint64_t bytes);
void app_u64(app *a, const char *key, uint64_t value);
void app_bool(app *a, const char *key, bool value);
void app_hex(app *a, const char *key, const uint8_t *data, size_t n);
/** Nanoseconds, shown as seconds; in JSON a number with _s in its key. */
void app_seconds(app *a, const char *key, uint64_t ns);
/**
 * The time of all spans of a name that began after the span `after` (0: all of the command), as
 * app_seconds. Needs app.times.
 */
void app_span_seconds(app *a, const char *key, cuzk_span after, const char *name);
/** Number of the newest span; pass it as `after` to select the spans that follow. */
cuzk_span app_newest_span(const app *a);
/** A remark for people, on standard error; nothing with --quiet or --json. */
void app_note(app *a, const char *fmt, ...) CUZK_PRINTF(2, 3);
/** Progress of a long step, in the form of cuzk_setup_opts.progress; arg is the app. */
void app_progress(void *arg, const char *what, uint64_t done, uint64_t total);

/* For functions of <cuzk/...>, which take a cuzk_progress_fn; arg is the app. Both ask to stop after SIGINT or SIGTERM. */
/** As app_progress. */
int32_t app_progress_or_stop(void *arg, const char *what, uint64_t done, uint64_t total);
/** Asks to stop only; shows nothing. */
int32_t app_stop(void *arg, const char *what, uint64_t done, uint64_t total);
/** Stores a failure of such a function in err as the program reports it; returns st. */
CUZK_NODISCARD cuzk_status app_public_error(cuzk_err *err, cuzk_status st, const cuzk_error *error);

/*
 * Registers files before app_begin, which checks that no output is named twice and none is an input. NULL is ignored.
 */
void app_output(app *a, const char *path);
void app_input(app *a, const char *path);
CUZK_NODISCARD cuzk_status app_check_files(app *a);
/**
 * Checks of an output before minutes of work: E_EXISTS without --force; its folder, permission, kind of file, free
 * space. NULL is fine. "-" moves the report to standard error.
 */
CUZK_NODISCARD cuzk_status app_check_output(app *a, const char *path);
/** What is done with a file; its failure is in the program's error. */
typedef cuzk_status (*app_file_fn)(void *arg, const char *path);
/**
 * fn of the file at path; of a folder, fn of each file in it, in the order of their names, but for hidden ones. Ends with
 * the first failure. E_INVALID: an empty folder.
 */
CUZK_NODISCARD cuzk_status app_each_file(app *a, const char *path, app_file_fn fn, void *arg);
/** Writes text of w to path with a final newline. */
CUZK_NODISCARD cuzk_status app_write_json(app *a, const char *path, cuzk_jsonw *w);

/** Decimal, whole string; false otherwise. */
bool app_parse_u64(uint64_t *out, const char *s, uint64_t max);

#endif /* CUZK_APPS_APP_H */
