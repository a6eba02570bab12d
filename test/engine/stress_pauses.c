/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Random pauses around every lock of a program: a library for LD_PRELOAD. Schedules that a quiet machine never
 * has come up in seconds. CUZK_PAUSES=SEED chooses the sequence; without it nothing pauses.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#define ONE_OF     24u    /* locks */
#define LONGEST_NS 400000 /* of a pause */

typedef int (*mutex_fn)(pthread_mutex_t *);

static _Atomic(mutex_fn) next_lock, next_unlock;
static _Atomic uint64_t seed; /* 0: no pauses */
static _Thread_local uint64_t state;

static mutex_fn find(_Atomic(mutex_fn) *at, const char *name)
{
    mutex_fn f = atomic_load(at);
    if (f == NULL) {
        union {
            void *object;
            mutex_fn function;
        } u = {dlsym(RTLD_NEXT, name)};
        f = u.function;
        atomic_store(at, f);
    }
    return f;
}

__attribute__((constructor)) static void start(void)
{
    const char *text = getenv("CUZK_PAUSES");
    atomic_store(&seed, text != NULL ? strtoull(text, NULL, 10) * 2654435761u + 1 : 0);
}

static void pause_sometimes(void)
{
    const uint64_t s = atomic_load(&seed);
    if (s == 0) {
        return;
    }
    if (state == 0) {
        state =
            s ^ (uint64_t)(uintptr_t)&state ^ ((uint64_t)pthread_self() << 7) ^ 88172645463325252u;
    }
    state ^= state << 13; /* xorshift64 */
    state ^= state >> 7;
    state ^= state << 17;
    if (state % ONE_OF != 0) {
        return;
    }
    if ((state >> 20) % 3 == 0) {
        (void)sched_yield();
        return;
    }
    const struct timespec t = {0, (long)((state >> 24) % LONGEST_NS)};
    (void)nanosleep(&t, NULL);
}

int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    pause_sometimes();
    return find(&next_lock, "pthread_mutex_lock")(mutex);
}

int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    const int failed = find(&next_unlock, "pthread_mutex_unlock")(mutex);
    pause_sometimes();
    return failed;
}
