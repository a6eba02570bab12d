/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * One mutex guards the list of open loops and every wait condition; chunks are handed out with an
 * atomic counter, so the mutex is taken per loop and worker, not per chunk. A loop lives on its
 * caller's stack: the caller takes it off the list first and then waits until no worker is in it.
 */
#include "sys/pool.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/assert.h"

#include "cpu_count_internal.h"
#include "path_internal.h"

#define NAME_CHARS        10u
#define CHUNKS_PER_THREAD 8u

typedef struct loop {
    cuzk_range_fn fn;
    void *arg;
    const cuzk_cancel *cancel;
    size_t n, grain, chunks;
    _Atomic size_t next;    /* first chunk not handed out */
    _Atomic int32_t status; /* first failure; then nothing more is handed out */
    unsigned active;        /* workers inside, the caller not counted; under the pool's mutex */
    pthread_cond_t left;    /* active became 0 */
    struct loop *prev_open, *next_open;
} loop;

typedef struct worker {
    cuzk_pool *pool;
    pthread_t thread;
    unsigned id;
} worker;

struct cuzk_pool {
    pthread_mutex_t mutex;
    pthread_cond_t work;     /* a loop was opened, or shutdown */
    pthread_cond_t idle;     /* n_open became 0 */
    loop *open;              /* doubly linked */
    _Atomic unsigned n_open; /* written under the mutex; read without it as a hint */
    bool shutdown;
    unsigned n_workers; /* started threads; the caller of a loop is one more */
    worker *workers;
};

/* True on a thread that is inside a chunk: loops started there run inline. */
static _Thread_local bool in_chunk;

static bool has_work(const loop *l)
{
    return atomic_load_explicit(&l->next, memory_order_relaxed) < l->chunks &&
           atomic_load_explicit(&l->status, memory_order_relaxed) == CUZK_OK;
}

static void fail(loop *l, cuzk_status st)
{
    int32_t ok = CUZK_OK;
    (void)atomic_compare_exchange_strong(&l->status, &ok, (int32_t)st);
}

static void run_chunk(loop *l, size_t chunk, unsigned id)
{
    const size_t begin = chunk * l->grain;
    const size_t end = l->n - begin < l->grain ? l->n : begin + l->grain;
    const cuzk_status st = l->fn(l->arg, begin, end, id);
    if (st != CUZK_OK) {
        fail(l, st);
    }
}

/* Takes and runs one chunk; false: no chunk is left. */
static bool step(loop *l, unsigned id)
{
    if (!has_work(l)) { /* keeps next from running far past chunks */
        return false;
    }
    if (cuzk_cancel_requested(l->cancel)) {
        fail(l, CUZK_E_CANCELLED);
        return false;
    }
    const size_t chunk = atomic_fetch_add_explicit(&l->next, 1, memory_order_relaxed);
    if (chunk >= l->chunks) {
        return false;
    }
    run_chunk(l, chunk, id);
    return true;
}

/* The open loop with work left that has the fewest workers; under the mutex. */
static loop *pick(cuzk_pool *p)
{
    loop *best = NULL;
    for (loop *l = p->open; l != NULL; l = l->next_open) {
        if (has_work(l) && (best == NULL || l->active < best->active)) {
            best = l;
        }
    }
    return best;
}

static void *worker_main(void *arg)
{
    worker *w = arg;
    cuzk_pool *p = w->pool;
    in_chunk = true;
    (void)pthread_mutex_lock(&p->mutex);
    for (;;) {
        loop *l = pick(p);
        if (l == NULL) {
            if (p->shutdown) {
                break;
            }
            (void)pthread_cond_wait(&p->work, &p->mutex);
            continue;
        }
        l->active++;
        (void)pthread_mutex_unlock(&p->mutex);
        /* Several loops open: back to pick after each chunk, so that a long loop does not keep
         * all workers from a new one. */
        while (step(l, w->id) && atomic_load_explicit(&p->n_open, memory_order_relaxed) <= 1) {
        }
        (void)pthread_mutex_lock(&p->mutex);
        if (--l->active == 0) {
            (void)pthread_cond_signal(&l->left);
        }
    }
    (void)pthread_mutex_unlock(&p->mutex);
    return NULL;
}

static void start_name(const worker *w, const char *prefix)
{
    char name[16];
    (void)snprintf(name, sizeof(name), "%.*s-%u", (int)NAME_CHARS, prefix != NULL ? prefix : "cuzk",
                   w->id % 10000);
    (void)pthread_setname_np(w->thread, name);
}

static void stop_workers(cuzk_pool *p)
{
    (void)pthread_mutex_lock(&p->mutex);
    while (p->n_open > 0) {
        (void)pthread_cond_wait(&p->idle, &p->mutex);
    }
    p->shutdown = true;
    (void)pthread_cond_broadcast(&p->work);
    (void)pthread_mutex_unlock(&p->mutex);
    for (unsigned i = 0; i < p->n_workers; i++) {
        (void)pthread_join(p->workers[i].thread, NULL);
    }
}

static void free_pool(cuzk_pool *p)
{
    (void)pthread_cond_destroy(&p->idle);
    (void)pthread_cond_destroy(&p->work);
    (void)pthread_mutex_destroy(&p->mutex);
    cuzk_free(p->workers);
    cuzk_free(p);
}

/* 0 or the error of pthread_create; p->n_workers counts those that run. */
static int start_workers(cuzk_pool *p, unsigned n, const cuzk_pool_cfg *cfg)
{
    sigset_t all, old;
    int rc = 0;
    (void)sigfillset(&all); /* signals belong to the program's own threads */
    (void)pthread_sigmask(SIG_SETMASK, &all, &old);
    for (unsigned i = 0; i < n && rc == 0; i++) {
        worker *w = &p->workers[i];
        w->pool = p;
        w->id = i + 1;
        rc = pthread_create(&w->thread, NULL, worker_main, w);
        if (rc == 0) {
            p->n_workers++;
            start_name(w, cfg->name);
            if (cfg->pin) {
                cuzk_cpu_pin_thread(w->thread, w->id);
            }
        }
    }
    (void)pthread_sigmask(SIG_SETMASK, &old, NULL);
    return rc;
}

cuzk_status cuzk_pool_create(cuzk_pool **out, const cuzk_pool_cfg *cfg, cuzk_err *err)
{
    const cuzk_pool_cfg defaults = {0, false, NULL};
    const cuzk_pool_cfg *c = cfg != NULL ? cfg : &defaults;
    const unsigned threads = c->n_threads != 0 ? c->n_threads : cuzk_cpu_count();
    const unsigned n = threads - 1;
    cuzk_pool *p = cuzk_alloc_zero(1, sizeof(*p));
    if (p == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for a thread pool");
    }
    p->workers = cuzk_alloc_zero(n, sizeof(*p->workers));
    if (p->workers == NULL) {
        cuzk_free(p);
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for a pool of %u threads", threads);
    }
    (void)pthread_mutex_init(&p->mutex, NULL); /* default attributes: cannot fail on Linux */
    (void)pthread_cond_init(&p->work, NULL);
    (void)pthread_cond_init(&p->idle, NULL);
    const int rc = start_workers(p, n, c);
    if (rc != 0) {
        const unsigned started = p->n_workers;
        stop_workers(p);
        free_pool(p);
        return CUZK_FAIL_OS(err, CUZK_E_IO, rc, "cannot start thread %u of %u: %s", started + 1, n,
                            cuzk_os_text(rc));
    }
    *out = p;
    return CUZK_OK;
}

void cuzk_pool_destroy(cuzk_pool *pool)
{
    if (pool == NULL) {
        return;
    }
    CUZK_ASSERT(!in_chunk); /* would wait for itself */
    stop_workers(pool);
    free_pool(pool);
}

unsigned cuzk_pool_threads(const cuzk_pool *pool)
{
    return pool == NULL ? 1 : pool->n_workers + 1;
}

static void open_loop(cuzk_pool *p, loop *l)
{
    (void)pthread_mutex_lock(&p->mutex);
    l->next_open = p->open;
    if (p->open != NULL) {
        p->open->prev_open = l;
    }
    p->open = l;
    p->n_open++;
    if (l->chunks > p->n_workers) {
        (void)pthread_cond_broadcast(&p->work);
    } else { /* the caller takes a chunk too */
        for (size_t i = 1; i < l->chunks; i++) {
            (void)pthread_cond_signal(&p->work);
        }
    }
    (void)pthread_mutex_unlock(&p->mutex);
}

static void close_loop(cuzk_pool *p, loop *l)
{
    (void)pthread_mutex_lock(&p->mutex);
    if (l->prev_open != NULL) {
        l->prev_open->next_open = l->next_open;
    } else {
        p->open = l->next_open;
    }
    if (l->next_open != NULL) {
        l->next_open->prev_open = l->prev_open;
    }
    while (l->active > 0) {
        (void)pthread_cond_wait(&l->left, &p->mutex);
    }
    if (--p->n_open == 0) {
        (void)pthread_cond_broadcast(&p->idle);
    }
    (void)pthread_mutex_unlock(&p->mutex);
}

cuzk_status cuzk_parallel_for(cuzk_pool *pool, const cuzk_cancel *cancel, size_t n, size_t grain,
                              cuzk_range_fn fn, void *arg)
{
    if (cuzk_cancel_requested(cancel)) {
        return CUZK_E_CANCELLED;
    }
    if (n == 0) {
        return CUZK_OK;
    }
    const size_t g = grain != 0 ? grain : n / ((size_t)CHUNKS_PER_THREAD * cuzk_pool_threads(pool));
    loop l = {.fn = fn, .arg = arg, .cancel = cancel, .n = n, .grain = g != 0 ? g : 1};
    l.chunks = n / l.grain + (n % l.grain != 0 ? 1 : 0);
    if (cuzk_pool_threads(pool) == 1 || in_chunk || l.chunks == 1) {
        while (step(&l, 0)) {
        }
        return (cuzk_status)l.status;
    }
    (void)pthread_cond_init(&l.left, NULL);
    open_loop(pool, &l);
    in_chunk = true;
    while (step(&l, 0)) {
    }
    in_chunk = false;
    close_loop(pool, &l);
    (void)pthread_cond_destroy(&l.left);
    return (cuzk_status)l.status;
}
