/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* cuzk top: the daemon's status on a terminal. */
#include <argp.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

#include "api/answer/text_buf.h"
#include "apps/cuzk/commands.h"
#include "apps/cuzk/exit_status.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "top/http_get.h"
#include "top/status_read.h"
#include "top/top_render.h"

#define DEFAULT_ADDRESS "127.0.0.1:9821"
#define TIMEOUT_MS      5000u
#define MAX_STATUS      ((size_t)16 << 20)
#define ESCAPE_MS       50u /* an Escape without another byte for this long is the key */

typedef struct top {
    const char *address;
    double interval;
    bool once, plain;
    cuzk_top_keys *keys; /* NULL: standard input is no terminal, or once */
} top;

static const struct argp_option options[] = {
    {"status", 's', "HOST:PORT", 0,
     "Where the daemon serves HTTP: its daemon.http_listen (default: " DEFAULT_ADDRESS ")", 0},
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
    cuzk_top_style s = {.width = 120, .height = 0, .colour = false, .keys = t->keys};
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

/* The terminal while the screen is watched: keys come at once and are not shown. */
typedef struct terminal {
    struct termios before;
    bool has_output, has_keys; /* standard output and input are a terminal */
    int signals;               /* signalfd of those that end the program; -1: none */
} terminal;

static void open_terminal(terminal *t)
{
    sigset_t ends;
    (void)sigemptyset(&ends);
    (void)sigaddset(&ends, SIGINT);
    (void)sigaddset(&ends, SIGTERM);
    (void)sigaddset(&ends, SIGHUP);
    (void)sigprocmask(SIG_BLOCK, &ends, NULL); /* so that the terminal is always put back */
    t->signals = signalfd(-1, &ends, SFD_CLOEXEC);
    t->has_output = isatty(STDOUT_FILENO) == 1;
    t->has_keys = t->has_output && tcgetattr(STDIN_FILENO, &t->before) == 0;
    if (t->has_output) {
        (void)fputs("\033[?1049h\033[?25l", stdout); /* other screen, no cursor */
    }
    if (t->has_keys) {
        struct termios raw = t->before;
        raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO | ISIG);
        (void)tcsetattr(STDIN_FILENO, TCSANOW, &raw);
    }
}

static void close_terminal(const terminal *t)
{
    if (t->has_keys) {
        (void)tcsetattr(STDIN_FILENO, TCSANOW, &t->before);
    }
    if (t->has_output) {
        (void)fputs("\033[?25h\033[?1049l", stdout);
        (void)fflush(stdout);
    }
    if (t->signals >= 0) {
        (void)close(t->signals);
    }
}

typedef enum awake { AWAKE_TIME, AWAKE_KEY, AWAKE_END } awake;

/* Waits until the time is over, a key has changed the view, or the user or a signal ends the program. */
static awake sleep_for(const terminal *t, cuzk_top_keys *keys, uint64_t until_ns)
{
    for (;;) {
        struct pollfd fds[2] = {{.fd = t->signals, .events = POLLIN},
                                {.fd = t->has_keys ? STDIN_FILENO : -1, .events = POLLIN}};
        const uint64_t now = cuzk_clock_ns();
        uint64_t ms = until_ns > now ? (until_ns - now + 999999) / 1000000 : 0;
        if (keys->sequence != 0 && ms > ESCAPE_MS) {
            ms = ESCAPE_MS;
        }
        const int ready = poll(fds, 2, (int)ms);
        if (ready < 0 && errno != EINTR) {
            return AWAKE_END;
        }
        if (ready > 0 && fds[0].revents != 0) {
            return AWAKE_END;
        }
        bool changed = false;
        if (ready > 0 && fds[1].revents != 0) {
            char bytes[64];
            const ssize_t n = read(STDIN_FILENO, bytes, sizeof(bytes));
            if (n <= 0) {
                return AWAKE_END; /* the terminal is gone */
            }
            changed = cuzk_top_keys_feed(keys, bytes, (size_t)n);
        } else if (ready == 0) {
            changed = cuzk_top_keys_idle(keys);
        }
        if (keys->quit) {
            return AWAKE_END;
        }
        if (changed) {
            return AWAKE_KEY;
        }
        if (cuzk_clock_ns() >= until_ns) {
            return AWAKE_TIME;
        }
    }
}

/* Asks the daemon repeatedly, also while it does not answer. */
static cuzk_status watch(top *t, cuzk_status_view *v, cuzk_err *err)
{
    cuzk_status st = CUZK_OK;
    cuzk_top_keys keys = {.order = CUZK_TOP_BY_STATE};
    terminal term;
    open_terminal(&term);
    t->keys = term.has_keys ? &keys : NULL;
    const char *clear = term.has_output ? "\033[H\033[J" : "";
    const uint64_t interval_ns = (uint64_t)(t->interval * 1e9);
    uint64_t next_ns = 0;
    awake why = AWAKE_TIME;
    do {
        if (why == AWAKE_TIME) {
            st = fetch(t, v, err);
            next_ns = cuzk_clock_ns() + interval_ns;
        }
        if (st == CUZK_OK) {
            st = print(t, v, clear, err);
        } else if (cuzk_status_is_retryable(st)) {
            (void)printf("%scuzk top: %s\n", clear, err->msg);
            st = fflush(stdout) == 0 ? CUZK_OK : CUZK_E_IO;
        }
        if (st == CUZK_OK) {
            why = sleep_for(&term, &keys, next_ns);
        }
    } while (st == CUZK_OK && why != AWAKE_END);
    close_terminal(&term);
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
        "Keys: q quits, s changes the order of jobs, / filters them, up and down select one, Enter shows its details with "
        "the error, Escape goes back.\n\n"
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
        (void)fprintf(stderr, "%s: %s%s\n", name, err.msg,
                      err.os_code == ECONNREFUSED
                          ? "; is the daemon running, with daemon.http_listen? --status names "
                            "another address"
                          : "");
    }
    return (int)exit_status_of(st);
}
