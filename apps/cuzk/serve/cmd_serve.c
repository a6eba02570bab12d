/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "apps/cuzk/commands.h"
#include "apps/cuzk/exit_status.h"
#include "base/alloc.h"
#include "base/text/utf8.h"
#include "store/pg/pg_store.h"

#include "serve.h"
#include "serve_engine.h"

enum { OPT_LOG_LEVEL = 0x300, OPT_CHECK, OPT_REFERENCE, OPT_HTTP };

static const struct argp_option options[] = {
    {"config", 'c', "FILE", 0,
     "Configuration (default: " CUZK_CONFIG_ORIGINAL_PATH
     " if it is there, else " CUZK_CONFIG_PACKAGED_PATH " if that is there)",
     0},
    {"listen", 'l', "ADDRESS", 0,
     "Serve gRPC here instead of at daemon.listen: unix:///PATH or HOST:PORT; may be repeated", 0},
    {"http-listen", OPT_HTTP, "ADDRESS", 0, "Serve HTTP here instead of at daemon.http_listen", 0},
    {"log-level", OPT_LOG_LEVEL, "LEVEL", 0, "off, error, warn, info, debug or trace", 0},
    {"check-config", OPT_CHECK, NULL, 0,
     "Read the configuration, say what is wrong with it, and exit: 0 when nothing is", 0},
    {"config-reference", OPT_REFERENCE, NULL, 0, "Print the table of all keys, and exit", 0},
    {NULL, 'h', NULL, OPTION_HIDDEN, NULL, 0},
    {0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    serve_options *o = state->input;
    cuzk_log_level level;
    switch (key) {
    case 'c': o->config_path = arg; return 0;
    case 'l':
        if (o->n_listen == SERVE_MAX_LISTEN) {
            argp_error(state, "at most %d times --listen", SERVE_MAX_LISTEN);
        }
        o->listen[o->n_listen++] = arg;
        return 0;
    case 'h': argp_state_help(state, stdout, ARGP_HELP_STD_HELP); return 0;
    case OPT_HTTP: o->http_listen = arg; return 0;
    case OPT_LOG_LEVEL:
        if (!cuzk_log_level_parse(&level, arg)) {
            argp_error(state, "--log-level wants off, error, warn, info, debug or trace, not '%s'",
                       arg);
        }
        o->log_level = arg;
        return 0;
    case OPT_CHECK: o->check = true; return 0;
    case OPT_REFERENCE: o->reference = true; return 0;
    case ARGP_KEY_ARG: argp_error(state, "too many arguments"); return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static void print_row(void *arg, const char *key, const char *type, const char *default_text,
                      const char *meaning)
{
    char number[32], text[64];
    (void)arg;
    if (serve_engine_default(number, sizeof(number), key)) {
        (void)snprintf(text, sizeof(text), "%s (%s)", default_text, number);
        default_text = text;
    }
    /* the bars of a choice would end the cell */
    (void)printf("| `%s` | %s | `%s` | %s |\n", key, strchr(type, '|') != NULL ? "choice" : type,
                 default_text[0] == '\0' ? "\"\"" : default_text, meaning);
}

static int print_reference(void)
{
    (void)printf("| key | type | default | meaning |\n|---|---|---|---|\n");
    cuzk_config_reference(print_row, NULL);
    return fflush(stdout) == 0 ? EXIT_STATUS_OK : EXIT_STATUS_MACHINE;
}

static void print_issues(const cuzk_config_issues *issues, FILE *out)
{
    static const char *const names[] = {"note", "warning", "error"};
    for (size_t i = 0; i < issues->n; i++) {
        char shown[512];
        const char *text = issues->item[i].text;
        (void)fprintf(out, "%s: %s\n", names[issues->item[i].severity],
                      cuzk_utf8_clean(shown, sizeof(shown), text, strlen(text)));
    }
    const size_t all = issues->notes + issues->warnings + issues->errors;
    if (all > issues->n) {
        (void)fprintf(out, "and %zu more\n", all - issues->n);
    }
}

/*
 * Notes settings of the file that this machine or build cannot follow. They are no errors, since the file may be for
 * another machine.
 */
static void check_machine(const serve *s)
{
    const char *params = s->config->param_cache, *unknown = s->env.unknown;
    char shown[1024];
    if (unknown[0] != '\0') {
        (void)printf("warning: environment: not a variable of this program: %s\n",
                     cuzk_utf8_clean(shown, sizeof(shown), unknown, strlen(unknown)));
    }
    if (!serve_rust_log_is_clear(s)) {
        (void)printf(
            "warning: environment: RUST_LOG=%s names no level for cuzk\n",
            cuzk_utf8_clean(shown, sizeof(shown), s->env.rust_log, strlen(s->env.rust_log)));
    }
    if (params[0] != '\0' && access(params, R_OK | X_OK) != 0) {
        (void)printf("warning: srs.param_cache: %s cannot be read here\n",
                     cuzk_utf8_clean(shown, sizeof(shown), params, strlen(params)));
    }
    if (s->config->devices.n > 0 && CUZK_HAVE_CUDA == 0) {
        (void)printf("warning: gpus.devices: this program was built without CUDA: it proves on the "
                     "CPU\n");
    }
}

/* What only PostgreSQL's library can tell of a database's address; it is not connected to. */
static cuzk_status check_url(const serve *s)
{
    char name[CUZK_PG_NAME_BYTES], shown[1024];
    cuzk_err err = {.msg = ""};
    if (s->config->store_url[0] == '\0') {
        return CUZK_OK;
    }
    const cuzk_status st = cuzk_pg_describe(name, s->config->store_url, &err);
    if (st != CUZK_OK) {
        (void)printf("error: %s\n",
                     cuzk_utf8_clean(shown, sizeof(shown), err.msg, strlen(err.msg)));
    }
    return st;
}

/* Unknown keys fail the check, so that typing errors are found, though they would not stop the daemon. */
static int check(const serve *s, cuzk_status st)
{
    print_issues(s->issues, stdout);
    if (st == CUZK_OK && s->config_path == NULL) {
        (void)printf("note: no file at " CUZK_CONFIG_ORIGINAL_PATH " or " CUZK_CONFIG_PACKAGED_PATH
                     ": every key has its default\n");
    } else if (st == CUZK_OK) {
        (void)printf("file: %s\n", s->config_path);
    }
    if (st == CUZK_OK) {
        check_machine(s);
        st = check_url(s);
    }
    if (st == CUZK_OK && s->issues->unknown > 0) {
        (void)printf("%zu unknown\n", s->issues->unknown);
        st = CUZK_E_INVALID;
    }
    if (st == CUZK_OK) {
        (void)printf("the configuration is good\n");
    }
    return fflush(stdout) == 0 ? (int)exit_status_of(st) : EXIT_STATUS_MACHINE;
}

static cuzk_status run(serve *s)
{
    cuzk_status st;
    CUZK_TRY_GOTO(st, serve_open_log(s));
    CUZK_TRY_GOTO(st, serve_start(s));
    serve_run(s);
out:
    serve_stop(s);
    return st;
}

int cmd_serve(int argc, char **argv)
{
    static const struct argp argp = {
        options,
        parse,
        NULL,
        "The daemon: proofs over gRPC, for Curio and others.\v"
        "SIGTERM and SIGINT stop it when the running jobs are done, at once the second time; SIGHUP "
        "reads the configuration, certificates and tokens again and takes over what may change. docs/daemon.md has the whole story.\n\n"
        "Examples:\n  cuzk serve --config /etc/cuzk/cuzk.toml\n  cuzk serve --check-config --config /etc/cuzk/cuzk.toml\n"
        "  cuzk serve --listen 127.0.0.1:9820 --http-listen 127.0.0.1:9821",
        NULL,
        NULL,
        NULL};
    serve s;
    memset(&s, 0, sizeof(s));
    (void)argp_parse(&argp, argc, argv, 0, NULL, &s.options);
    if (s.options.reference) {
        return print_reference();
    }
    (void)umask(0027);
    serve_block_signals(); /* before any thread */
    s.issues = cuzk_alloc_zero(1, sizeof(*s.issues));
    cuzk_status st =
        s.issues == NULL ? CUZK_FAIL(&s.err, CUZK_E_NOMEM, "out of memory") : serve_configure(&s);
    int rc = (int)exit_status_of(st);
    const bool print = st != CUZK_OK && (s.issues == NULL || s.issues->errors == 0);
    if (print) {
        char shown[1024];
        (void)fprintf(stderr, "%s: %s\n", argv[0],
                      cuzk_utf8_clean(shown, sizeof(shown), s.err.msg, strlen(s.err.msg)));
    }
    if (s.options.check && s.issues != NULL) {
        rc = check(&s, st);
    } else if (st == CUZK_OK) {
        rc = (int)exit_status_of(run(&s));
    } else if (!print) {
        print_issues(s.issues, stderr);
    }
    cuzk_config_destroy(s.config);
    cuzk_free(s.issues);
    return rc;
}
