/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The engine's lock and its conditions. */
#include "engine/engine_internal.h"

CUZK_NO_THREAD_SAFETY void cuzk_engine_lock(cuzk_engine *e)
{
    (void)pthread_mutex_lock(&e->locks.mu);
}

CUZK_NO_THREAD_SAFETY void cuzk_engine_unlock(cuzk_engine *e)
{
    (void)pthread_mutex_unlock(&e->locks.mu);
}

void cuzk_engine_wait(cuzk_engine *e, pthread_cond_t *cv)
{
    (void)pthread_cond_wait(cv, &e->locks.mu);
}

void cuzk_engine_wait_until(cuzk_engine *e, pthread_cond_t *cv, uint64_t until_ns)
{
    const struct timespec until = {.tv_sec = (time_t)(until_ns / 1000000000ull),
                                   .tv_nsec = (long)(until_ns % 1000000000ull)};
    (void)pthread_cond_timedwait(cv, &e->locks.mu, &until);
}

#define N_CONDITIONS 12

static void conditions(engine_locks *locks, pthread_cond_t *out[N_CONDITIONS])
{
    pthread_cond_t *const all[N_CONDITIONS] = {&locks->prep,   &locks->witness,   &locks->device,
                                               &locks->verify, &locks->aggregate, &locks->loader,
                                               &locks->finish, &locks->timer,     &locks->release,
                                               &locks->store,  &locks->log,       &locks->change};
    for (int i = 0; i < N_CONDITIONS; i++) {
        out[i] = all[i];
    }
}

bool cuzk_engine_locks_init(engine_locks *locks)
{
    pthread_condattr_t monotonic;
    pthread_cond_t *all[N_CONDITIONS];
    conditions(locks, all);
    bool ok = pthread_condattr_init(&monotonic) == 0 &&
              pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC) == 0 &&
              pthread_mutex_init(&locks->mu, NULL) == 0;
    for (int i = 0; ok && i < N_CONDITIONS; i++) {
        ok = pthread_cond_init(all[i], &monotonic) == 0;
    }
    (void)pthread_condattr_destroy(&monotonic);
    return ok;
}

void cuzk_engine_locks_destroy(engine_locks *locks)
{
    pthread_cond_t *all[N_CONDITIONS];
    conditions(locks, all);
    for (int i = 0; i < N_CONDITIONS; i++) {
        (void)pthread_cond_destroy(all[i]);
    }
    (void)pthread_mutex_destroy(&locks->mu);
}

void cuzk_engine_wake_all(engine_locks *locks)
{
    pthread_cond_t *all[N_CONDITIONS];
    conditions(locks, all);
    for (int i = 0; i < N_CONDITIONS; i++) {
        (void)pthread_cond_broadcast(all[i]);
    }
}
