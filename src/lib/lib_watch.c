/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "lib_watch.h"

#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#define PERIOD_NS 100000000

void lib_watch_begin_alone(lib_watch *w, cuzk_progress_fn progress, void *arg)
{
    memset(w, 0, sizeof(*w));
    w->progress = progress;
    w->arg = arg;
}

cuzk_status lib_watch_begin(lib_watch *w, cuzk_progress_fn progress, void *arg, uint32_t threads,
                            cuzk_err *err)
{
    const cuzk_pool_cfg cfg = {.n_threads = threads};
    lib_watch_begin_alone(w, progress, arg);
    return cuzk_pool_create(&w->pool, &cfg, err);
}

void lib_watch_end(lib_watch *w)
{
    lib_watch_loud(w);
    cuzk_pool_destroy(w->pool);
    w->pool = NULL;
}

void lib_watch_step(void *arg, const char *step, uint64_t done, uint64_t total)
{
    lib_watch *w = arg;
    if (w->progress != NULL && w->progress(w->arg, step, done, total) != 0) {
        atomic_store(&w->cancel.requested, true);
    }
}

void lib_watch_bytes(void *arg, uint64_t bytes)
{
    lib_watch *w = arg;
    w->done += bytes;
    lib_watch_step(w, "digest", w->done, w->total);
}

static void *ask(void *arg)
{
    lib_watch *w = arg;
    (void)pthread_mutex_lock(&w->lock);
    while (!w->is_over) {
        struct timespec until;
        (void)pthread_mutex_unlock(&w->lock);
        lib_watch_step(w, w->step, 0, 0);
        (void)pthread_mutex_lock(&w->lock);
        (void)clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += PERIOD_NS;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        int e = 0;
        while (!w->is_over && e == 0) {
            e = pthread_cond_timedwait(&w->changed, &w->lock, &until);
        }
    }
    (void)pthread_mutex_unlock(&w->lock);
    return NULL;
}

void lib_watch_silent(lib_watch *w, const char *step)
{
    pthread_condattr_t attr; /* neither it nor the mutex can fail on Linux */
    sigset_t all, before;
    if (w->progress == NULL) {
        return;
    }
    w->step = step;
    w->is_over = false;
    (void)pthread_mutex_init(&w->lock, NULL);
    (void)pthread_condattr_init(&attr);
    (void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&w->changed, &attr);
    (void)pthread_condattr_destroy(&attr);
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_BLOCK, &all, &before); /* signals are for the caller's threads */
    w->is_running = pthread_create(&w->thread, NULL, ask, w) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!w->is_running) {
        (void)pthread_cond_destroy(&w->changed);
        (void)pthread_mutex_destroy(&w->lock);
        lib_watch_step(w, step, 0, 0);
    }
}

void lib_watch_loud(lib_watch *w)
{
    if (!w->is_running) {
        return;
    }
    (void)pthread_mutex_lock(&w->lock);
    w->is_over = true;
    (void)pthread_cond_signal(&w->changed);
    (void)pthread_mutex_unlock(&w->lock);
    (void)pthread_join(w->thread, NULL);
    (void)pthread_cond_destroy(&w->changed);
    (void)pthread_mutex_destroy(&w->lock);
    w->is_running = false;
}
