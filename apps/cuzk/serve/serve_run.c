/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The main thread: takes signals from a signalfd, and queries the engine once a second for the service manager's
 * status line and watchdog. An engine that does not answer gets no watchdog message.
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "sys/file.h"
#include "sys/pool.h"

#include "serve.h"

#define TICK_MS       1000
#define DRAIN_TICK_MS 50
#define NS_PER_MS     1000000u

static void handled_signals(sigset_t *set)
{
    (void)sigemptyset(set);
    (void)sigaddset(set, SIGTERM);
    (void)sigaddset(set, SIGINT);
    (void)sigaddset(set, SIGHUP);
}

void serve_block_signals(void)
{
    sigset_t set;
    handled_signals(&set);
    (void)pthread_sigmask(SIG_BLOCK, &set, NULL); /* inherited by every thread */
    (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGXFSZ, SIG_IGN); /* a write beyond the limit of file sizes fails instead */
    (void)signal(SIGUSR1,
                 SIG_IGN); /* what rotates logs may send one: it must not cost running jobs */
    (void)signal(SIGUSR2, SIG_IGN);
}

/* Waits up to ms for a signal; 0: none came. */
static int next_signal(int fd, int ms)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    struct signalfd_siginfo info;
    if (poll(&p, 1, ms) <= 0 || read(fd, &info, sizeof(info)) != (ssize_t)sizeof(info)) {
        return 0;
    }
    return (int)info.ssi_signo;
}

typedef struct counts {
    uint64_t queued, running, completed, failed;
} counts;

static bool count(serve *s, counts *c)
{
    cuzk_engine_status st;
    memset(c, 0, sizeof(*c));
    if (cuzk_engine_get_status(s->engine, &st, NULL) != CUZK_OK) {
        return false;
    }
    for (int k = 0; k <= CUZK_JOB_KINDS; k++) {
        c->queued += st.pending[k];
        c->running += st.in_progress[k];
        c->completed += st.completed[k];
        c->failed += st.failed[k];
    }
    cuzk_engine_status_free(&st);
    return true;
}

/* The status line, and the watchdog's sign of life: only while the engine answers. */
static void tell_manager(serve *s, const char *state)
{
    char text[192];
    counts c;
    if (count(s, &c)) {
        (void)snprintf(text, sizeof(text),
                       "%s: %" PRIu64 " queued, %" PRIu64 " running, %" PRIu64
                       " completed, %" PRIu64 " failed",
                       state, c.queued, c.running, c.completed, c.failed);
        serve_notify_status(&s->notify, text);
        if (s->notify.watchdog_us != 0) {
            (void)serve_notify_send(&s->notify, "WATCHDOG=1");
        }
    }
}

static const char *signal_name(int sig)
{
    return sig == SIGTERM ? "SIGTERM" : "SIGINT";
}

/* The disk became full, or has room again: changes log, readiness and health. */
static void look_at_store(serve *s)
{
    cuzk_store_state state;
    if (s->has_store && !s->is_shared) {
        cuzk_store_look(&s->store, &state);
        cuzk_rpc_server_ready_changed(s->rpc);
    }
}

/* Waits for SIGTERM or SIGINT, and returns it. */
static int serve_jobs(serve *s, int fd)
{
    const uint64_t half_ms = s->notify.watchdog_us / 2000;
    const int tick = half_ms > 0 && half_ms < TICK_MS ? (int)half_ms : TICK_MS;
    for (;;) {
        tell_manager(s, "serving");
        look_at_store(s);
        serve_timeline(s);
        const int sig = next_signal(fd, tick);
        if (sig == SIGHUP) {
            serve_reload(s);
        } else if (sig != 0) {
            return sig;
        }
    }
}

static void say_drain(serve *s, const char *event, const char *why)
{
    counts c;
    char queued[24], running[24];
    if (count(s, &c)) {
        (void)snprintf(queued, sizeof(queued), "%" PRIu64, c.queued);
        (void)snprintf(running, sizeof(running), "%" PRIu64, c.running);
        CUZK_LOG(s->log, CUZK_LOG_INFO, event, "why", why, "queued", queued, "running", running);
    }
}

static void drain(serve *s, int fd)
{
    const uint64_t end_ns = cuzk_clock_ns() + s->config->drain_ms * NS_PER_MS;
    for (unsigned ticks = 0;; ticks++) {
        if (cuzk_engine_is_idle(s->engine) && cuzk_rpc_server_is_idle(s->rpc)) {
            say_drain(s, "drain.done", "all jobs are over");
            return;
        }
        if (cuzk_clock_ns() >= end_ns) {
            say_drain(s, "drain.cut",
                      "daemon.drain_timeout is over; what is left stays in the store");
            return;
        }
        if (ticks % (TICK_MS / DRAIN_TICK_MS) == 0) {
            tell_manager(s, "draining");
        }
        const int sig = next_signal(fd, DRAIN_TICK_MS);
        if (sig == SIGTERM || sig == SIGINT) {
            say_drain(s, "drain.cut", signal_name(sig));
            return;
        }
    }
}

/* A thread that still waits for a named pipe stops reading it: the end of the daemon waits for that thread. */
static void end_reading(void)
{
    static const cuzk_cancel ended = {.requested = true};
    cuzk_file_interrupt_by(&ended);
}

void serve_run(serve *s)
{
    sigset_t set;
    handled_signals(&set);
    const int fd = signalfd(-1, &set, SFD_CLOEXEC);
    if (fd < 0) {
        CUZK_LOG(s->log, CUZK_LOG_ERROR, "daemon.failed", "why", "signalfd");
        return;
    }
    serve_notify_open(&s->notify);
    CUZK_LOG(s->log, CUZK_LOG_INFO, "daemon.ready", NULL);
    (void)serve_notify_send(&s->notify, "READY=1");
    const int sig = serve_jobs(s, fd);
    cuzk_engine_drain(s->engine);
    cuzk_rpc_server_drain(s->rpc);
    (void)serve_notify_send(&s->notify, "STOPPING=1\nEXTEND_TIMEOUT_USEC=%" PRIu64,
                            (s->config->drain_ms + 60000) * 1000);
    say_drain(s, "daemon.drain", signal_name(sig));
    drain(s, fd);
    end_reading();
    serve_timeline(s);
    serve_notify_close(&s->notify);
    (void)close(fd);
    /* from here on a signal ends the process: a third signal is meant */
    (void)sigdelset(&set, SIGHUP);
    (void)pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}
