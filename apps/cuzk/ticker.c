/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "apps/cuzk/ticker.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text/utf8.h"

#define FIRST_SECONDS 2u
#define LINE_SECONDS  10u

static void show(const ticker *t, const char *text)
{
    char clean[2 * TICKER_TEXT];
    const uint64_t seconds = (cuzk_clock_ns() - t->began_ns) / 1000000000u;
    (void)cuzk_utf8_clean(clean, sizeof(clean), text, strlen(text));
    (void)fprintf(stderr, "%s%s: %" PRIu64 " s%s%s%s", t->is_terminal ? "\r\033[K" : "", t->label,
                  seconds, clean[0] != '\0' ? ", " : "", clean, t->is_terminal ? "" : "\n");
    (void)fflush(stderr);
}

/* Until `seconds` after begin; false: it is over. Under the mutex. */
static bool wait_until(ticker *t, uint64_t seconds)
{
    const uint64_t at = t->began_ns + seconds * 1000000000u;
    const struct timespec when = {.tv_sec = (time_t)(at / 1000000000u),
                                  .tv_nsec = (long)(at % 1000000000u)};
    while (!cuzk_cancel_requested(&t->over) && cuzk_clock_ns() < at) {
        (void)pthread_cond_timedwait(&t->changed, &t->mutex, &when);
    }
    return !cuzk_cancel_requested(&t->over);
}

static void *run(void *arg)
{
    ticker *t = arg;
    uint64_t next = FIRST_SECONDS;
    (void)pthread_mutex_lock(&t->mutex);
    while (wait_until(t, next)) {
        char text[TICKER_TEXT] = "";
        (void)pthread_mutex_unlock(&t->mutex);
        t->text(t->arg, text, &t->over);
        (void)pthread_mutex_lock(&t->mutex);
        if (!cuzk_cancel_requested(&t->over)) {
            show(t, text);
        }
        next = (cuzk_clock_ns() - t->began_ns) / 1000000000u + (t->is_terminal ? 1 : LINE_SECONDS);
    }
    if (t->is_terminal && next != FIRST_SECONDS) {
        (void)fputs("\r\033[K", stderr);
    }
    (void)pthread_mutex_unlock(&t->mutex);
    return NULL;
}

/* *t is zero, but for the step. */
static void begin(ticker *t, const app *a, ticker_text_fn text, void *arg)
{
    pthread_condattr_t clock;
    sigset_t all, before;
    if (a->quiet || a->json) {
        return;
    }
    const char *blank = strrchr(a->command, ' ');
    t->label = blank != NULL ? blank + 1 : a->command;
    t->text = text;
    t->arg = arg;
    t->began_ns = cuzk_clock_ns();
    t->is_terminal = isatty(STDERR_FILENO) == 1;
    (void)pthread_mutex_init(&t->mutex, NULL);
    (void)pthread_condattr_init(&clock);
    (void)pthread_condattr_setclock(&clock, CLOCK_MONOTONIC); /* cuzk_clock_ns is that */
    (void)pthread_cond_init(&t->changed, &clock);
    (void)pthread_condattr_destroy(&clock);
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_BLOCK, &all, &before); /* signals are for the thread that works */
    t->has_thread = pthread_create(&t->thread, NULL, run, t) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void ticker_begin(ticker *t, const app *a, ticker_text_fn text, void *arg)
{
    memset(t, 0, sizeof(*t));
    begin(t, a, text, arg);
}

static void say_step(void *arg, char out[TICKER_TEXT], const cuzk_cancel *over)
{
    (void)over;
    (void)snprintf(out, TICKER_TEXT, "%s", ((ticker *)arg)->step);
}

void ticker_begin_steps(ticker *t, const app *a, const char *first)
{
    memset(t, 0, sizeof(*t));
    t->step = first;
    begin(t, a, say_step, t);
}

void ticker_step(ticker *t, const char *step)
{
    t->step = step;
}

void ticker_end(ticker *t)
{
    if (t->label == NULL) {
        return;
    }
    if (t->has_thread) {
        (void)pthread_mutex_lock(&t->mutex);
        atomic_store(&t->over.requested, true);
        (void)pthread_cond_signal(&t->changed);
        (void)pthread_mutex_unlock(&t->mutex);
        (void)pthread_join(t->thread, NULL);
    }
    (void)pthread_cond_destroy(&t->changed);
    (void)pthread_mutex_destroy(&t->mutex);
    t->label = NULL;
}
