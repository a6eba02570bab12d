/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* cuzk top: the daemon's status on a terminal. */
#include <argp.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "api/text_buf.h"
#include "apps/cuzk/commands.h"
#include "apps/cuzk/exit_status.h"
#include "base/alloc.h"
#include "top/http_get.h"
#include "top/status_read.h"
#include "top/top_render.h"

#define DEFAULT_ADDRESS "127.0.0.1:9821"
#define TIMEOUT_MS      5000u
#define MAX_STATUS      ((size_t)16 << 20)

typedef struct top {
    const char *address;
    double interval;
    bool once, plain;
} top;

static const struct argp_option options[] = {
    {"status", 's', "HOST:PORT", 0,
     "Where the daemon serves HTTP (its status_listen); " DEFAULT_ADDRESS " when not given", 0},
    {"once", '1', NULL, 0, "Print once and exit: 0, or 3 when there is no answer", 0},
    {"interval", 'n', "SECONDS", 0, "Ask so often (default 1)", 0},
    {"plain", 'p', NULL, 0, "No colours", 0},
    {0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    top *t = state->input;
    char *end = NULL;
    switch (key) {
    case 's': t->address = arg; return 0;
    case '1': t->once = true; return 0;
    case 'p': t->plain = true; return 0;
    case 'n':
        t->interval = strtod(arg, &end);
        if (*end != '\0' || end == arg || !(t->interval >= 0.1 && t->interval <= 3600)) {
            argp_error(state, "--interval wants 0.1 to 3600 seconds");
        }
        return 0;
    case ARGP_KEY_ARG: argp_error(state, "takes no arguments"); return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static cuzk_status fetch(const top *t, cuzk_status_view *v, cuzk_err *err)
{
    char *body = NULL;
    size_t n = 0;
    CUZK_TRY(cuzk_http_get(&body, &n, t->address, "/status", TIMEOUT_MS, MAX_STATUS, err));
    const cuzk_status st = cuzk_status_view_parse(v, body, n, t->address, err);
    cuzk_free(body);
    return st;
}

static cuzk_top_style terminal_style(const top *t)
{
    struct winsize w = {0};
    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
    const bool tty = isatty(STDOUT_FILENO) == 1;
    cuzk_top_style s = {.width = 120, .height = 0, .colour = false};
    if (tty && ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col > 0) {
        s.width = w.ws_col;
        s.height = t->once ? 0 : w.ws_row;
    }
    s.colour = tty && !t->plain && (no_color == NULL || no_color[0] == '\0') && term != NULL &&
               strcmp(term, "dumb") != 0;
    return s;
}

static cuzk_status print(const top *t, const cuzk_status_view *v, const char *before, cuzk_err *err)
{
    const cuzk_top_style style = terminal_style(t);
    cuzk_text_buf b = {0};
    char *text = NULL;
    size_t n = 0;
    cuzk_text_put(&b, before, strlen(before));
    cuzk_top_render(&b, v, &style);
    CUZK_TRY(cuzk_text_finish(&b, &text, &n, err));
    const bool ok = fwrite(text, 1, n, stdout) == n && fflush(stdout) == 0;
    const int os = errno;
    cuzk_free(text);
    return ok ? CUZK_OK : CUZK_FAIL_OS(err, CUZK_E_IO, os, "standard output: %s", strerror(os));
}

/* True when a signal asks to end. They are blocked, so that the terminal is always put back. */
static bool sleep_until_signal(double seconds)
{
    sigset_t ends;
    (void)sigemptyset(&ends);
    (void)sigaddset(&ends, SIGINT);
    (void)sigaddset(&ends, SIGTERM);
    const struct timespec t = {.tv_sec = (time_t)seconds,
                               .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9)};
    return sigtimedwait(&ends, NULL, &t) > 0;
}

/* Asks again and again; a daemon that does not answer is waited for. */
static cuzk_status watch(const top *t, cuzk_status_view *v, cuzk_err *err)
{
    sigset_t ends;
    cuzk_status st = CUZK_OK;
    (void)sigemptyset(&ends);
    (void)sigaddset(&ends, SIGINT);
    (void)sigaddset(&ends, SIGTERM);
    (void)sigprocmask(SIG_BLOCK, &ends, NULL);
    const bool tty = isatty(STDOUT_FILENO) == 1;
    if (tty) {
        (void)fputs("\033[?1049h\033[?25l", stdout); /* other screen, no cursor */
    }
    do {
        st = fetch(t, v, err);
        if (st == CUZK_OK) {
            st = print(t, v, tty ? "\033[H\033[J" : "", err);
        } else if (cuzk_status_is_retryable(st)) {
            (void)printf("%scuzk top: %s\n", tty ? "\033[H\033[J" : "", err->msg);
            st = fflush(stdout) == 0 ? CUZK_OK : CUZK_E_IO;
        }
    } while (st == CUZK_OK && !sleep_until_signal(t->interval));
    if (tty) {
        (void)fputs("\033[?25h\033[?1049l", stdout);
        (void)fflush(stdout);
    }
    return st;
}

int cmd_top(int argc, char **argv)
{
    static const struct argp argp = {
        options,
        parse,
        NULL,
        "Show a daemon's jobs, devices, queues and memory, from its HTTP status.\v"
        "Partitions are shown by letter: . not begun, p parse, c check, w witness, D device, "
        "a assemble, v verify, # done, F failed.\n\n"
        "Examples:\n  cuzk top\n  cuzk top --once",
        NULL,
        NULL,
        NULL};
    top t = {.address = DEFAULT_ADDRESS, .interval = 1};
    cuzk_err err = {0};
    const char *name = argv[0]; /* argp may move it */
    (void)argp_parse(&argp, argc, argv, 0, NULL, &t);
    cuzk_status_view *v = cuzk_alloc_zero(1, sizeof(*v));
    cuzk_status st = v != NULL ? CUZK_OK : CUZK_FAIL(&err, CUZK_E_NOMEM, "out of memory");
    if (st == CUZK_OK && t.once) {
        st = fetch(&t, v, &err);
        if (st == CUZK_OK) {
            st = print(&t, v, "", &err);
        }
    } else if (st == CUZK_OK) {
        st = watch(&t, v, &err);
    }
    cuzk_free(v);
    if (st != CUZK_OK) {
        (void)fprintf(stderr, "%s: %s\n", name, err.msg);
    }
    return (int)exit_status_of(st);
}
