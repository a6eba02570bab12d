/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_APPS_TICKER_H
#define CUZK_APPS_TICKER_H

/*
 * A sign of life while a command waits: "submit: 12 s, 3 jobs wait" on standard error. On a terminal one line that is
 * redrawn each second and wiped at the end, otherwise a line at the beginning and one every ten seconds. Steps of less
 * than two seconds show nothing, --quiet and --json show nothing.
 */
#include <pthread.h>

#include "apps/cuzk/app.h"

#define TICKER_TEXT 160

/**
 * Writes what the command does now, as one line; called once a second from the ticker's thread. It must return soon
 * after *over is set.
 */
typedef void (*ticker_text_fn)(void *arg, char out[TICKER_TEXT], const cuzk_cancel *over);

/** Must exist until ticker_end; its members belong to the ticker. */
typedef struct ticker {
    const char *label;
    ticker_text_fn text;
    void *arg;
    uint64_t began_ns;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    cuzk_cancel over;
    _Atomic(const char *) step; /* of ticker_begin_steps */
    bool is_terminal, has_thread;
} ticker;

/** label: the last word of the command. When no thread can be started, nothing is shown. */
void ticker_begin(ticker *t, const app *a, ticker_text_fn text, void *arg);
/**
 * Shows the current step: first, then the one that ticker_step names. Texts must exist until ticker_end (string
 * literals).
 */
void ticker_begin_steps(ticker *t, const app *a, const char *first);
/** From any thread, between ticker_begin_steps and ticker_end. */
void ticker_step(ticker *t, const char *step);
/** Wipes the line, and joins. Nothing else may be printed between begin and end. */
void ticker_end(ticker *t);

#endif /* CUZK_APPS_TICKER_H */
