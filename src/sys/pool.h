/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_SYS_POOL_H
#define CUZK_SYS_POOL_H

/*
 * A pool of worker threads and one primitive on it, parallel_for. No globals: a function that needs
 * threads has a pool as parameter. NULL is a valid pool everywhere: the work runs on the calling thread.
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

typedef struct cuzk_pool cuzk_pool;

/** A request to stop, shared by the threads that ask and the threads that work. Zero-initialised: not requested. */
typedef struct cuzk_cancel {
    _Atomic bool requested;
} cuzk_cancel;

static inline bool cuzk_cancel_requested(const cuzk_cancel *c)
{
    return c != NULL && atomic_load_explicit(&c->requested, memory_order_relaxed);
}

typedef struct cuzk_pool_cfg {
    unsigned n_threads; /* including the caller of parallel_for; 0: the CPUs this process may use */
    bool pin;           /* pin worker k to the k-th allowed CPU */
    const char *name;   /* thread name prefix, up to 10 characters; NULL: "cuzk" */
} cuzk_pool_cfg;

/** Starts the workers. cfg NULL: defaults. E_NOMEM or E_IO when threads cannot be started. */
CUZK_NODISCARD cuzk_status cuzk_pool_create(cuzk_pool **out, const cuzk_pool_cfg *cfg,
                                            cuzk_err *err);
/** Waits for running work, joins the workers, frees. NULL is fine. */
void cuzk_pool_destroy(cuzk_pool *pool);
/** Number of threads that a parallel_for uses, the caller included; 1 for NULL. */
unsigned cuzk_pool_threads(const cuzk_pool *pool);
/** CPUs that this process may run on (affinity and cgroup quota), at least 1. */
unsigned cuzk_cpu_count(void);

/**
 * Work on [begin, end). `worker` is < cuzk_pool_threads(pool) and no two calls running at once for
 * one parallel_for share it: use it to index per-worker scratch.
 */
typedef cuzk_status (*cuzk_range_fn)(void *arg, size_t begin, size_t end, unsigned worker);

/**
 * Runs fn over [0, n) in chunks of at most `grain` (0: n / (8 * threads), at least 1), the caller
 * taking part. Returns when all chunks are done. The first failing status stops the handing out of
 * chunks and is returned; a requested cancel likewise gives E_CANCELLED. Calls from inside fn run
 * inline on the calling worker (no nested parallelism, no deadlock); their worker index is 0.
 *
 * @thread several threads may call it on one pool at once; they share the workers.
 */
CUZK_NODISCARD cuzk_status cuzk_parallel_for(cuzk_pool *pool, const cuzk_cancel *cancel, size_t n,
                                             size_t grain, cuzk_range_fn fn, void *arg);

#endif /* CUZK_SYS_POOL_H */
