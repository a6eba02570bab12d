/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_LIB_LIB_WATCH_H
#define CUZK_LIB_LIB_WATCH_H

/*
 * A blocking call of <cuzk/params.h>: its threads, the caller's progress function, and the stop that it may ask for.
 * During steps that report nothing, a thread of the call asks the progress function ten times a second.
 */
#include <pthread.h>

#include <cuzk/cuzk.h>

#include "sys/pool.h"

typedef struct lib_watch {
    cuzk_progress_fn progress; /* NULL: none */
    void *arg;
    cuzk_pool *pool; /* NULL: the call has none */
    cuzk_cancel cancel;
    uint64_t done, total; /* bytes of lib_watch_bytes */
    /* Of lib_watch_silent. */
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    const char *step;
    bool is_running, is_over;
} lib_watch;

/** E_NOMEM, E_IO: a pool of threads, 0: all CPUs. */
CUZK_NODISCARD cuzk_status lib_watch_begin(lib_watch *w, cuzk_progress_fn progress, void *arg,
                                           uint32_t threads, cuzk_err *err);
/** The same without threads of its own. */
void lib_watch_begin_alone(lib_watch *w, cuzk_progress_fn progress, void *arg);
/** Ends the threads. */
void lib_watch_end(lib_watch *w);
/** Reports a step; in the form of cuzk_setup_opts.progress. arg: the lib_watch. */
void lib_watch_step(void *arg, const char *step, uint64_t done, uint64_t total);
/** Reports more bytes of the step "digest"; in the form of cuzk_file_progress. arg: the lib_watch. */
void lib_watch_bytes(void *arg, uint64_t bytes);
/**
 * From here to lib_watch_loud the progress function is called ten times a second with step, 0 of 0. Without a progress
 * function, or when no thread can be started, nothing happens but one report.
 */
void lib_watch_silent(lib_watch *w, const char *step);
void lib_watch_loud(lib_watch *w);

#endif /* CUZK_LIB_LIB_WATCH_H */
