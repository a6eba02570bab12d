/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_ENGINE_LOCK_ENGINE_LOCK_H
#define CUZK_ENGINE_LOCK_ENGINE_LOCK_H

/* The engine's lock: one mutex over all of its state, and conditions. */
#include <pthread.h>

#include "base/thread_safety.h"
#include "engine/engine.h"

/*
 * A name for the engine's lock in clang's thread-safety analysis; declared and never defined. LOCKED marks a function
 * that is called with the lock and returns with it; it may release the lock meanwhile where its comment says so. Only
 * cuzk_engine_lock and _unlock return with another state of the lock than they were called with.
 */
struct CUZK_CAPABILITY("mutex") cuzk_engine_capability {
    char unused;
};
extern const struct cuzk_engine_capability cuzk_engine_mutex;
#define LOCKED  CUZK_REQUIRES(cuzk_engine_mutex)
#define GUARDED CUZK_GUARDED_BY(cuzk_engine_mutex)
/* A function that runs before the first worker or after the last one: no other thread runs. */
#define ALONE   CUZK_NO_THREAD_SAFETY

/* The mutex; one condition for each kind of worker, and `change` for callers that wait (accept, preload, unwait). */
typedef struct engine_locks {
    pthread_mutex_t mu;
    pthread_cond_t prep, witness, device, verify, aggregate, loader, finish, timer, release, store,
        log, change;
    bool is_ready; /* all of them are initialised */
} engine_locks;

CUZK_ACQUIRES(cuzk_engine_mutex) void cuzk_engine_lock(cuzk_engine *e);
CUZK_RELEASES(cuzk_engine_mutex) void cuzk_engine_unlock(cuzk_engine *e);
/** Waits on one of the engine's conditions; the lock is released meanwhile. */
LOCKED void cuzk_engine_wait(cuzk_engine *e, pthread_cond_t *cv);
/** The same until a time of cuzk_clock_ns, at most. */
LOCKED void cuzk_engine_wait_until(cuzk_engine *e, pthread_cond_t *cv, uint64_t until_ns);
CUZK_NODISCARD bool cuzk_engine_locks_init(engine_locks *locks);
void cuzk_engine_locks_destroy(engine_locks *locks);
/** Wakes every worker and every caller that waits. */
LOCKED void cuzk_engine_wake_all(engine_locks *locks);

#endif /* CUZK_ENGINE_LOCK_ENGINE_LOCK_H */
