/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "sys/pool.h"

#include "test.h"

#define MARKS 4099

typedef struct marks {
    _Atomic uint8_t hit[MARKS]; /* times that the index was visited */
    _Atomic uint32_t busy[64];  /* calls inside, per worker */
    _Atomic bool shared;        /* two calls at once had one worker index */
    _Atomic size_t largest;     /* chunk */
    unsigned threads;
} marks;

static cuzk_status mark(void *arg, size_t begin, size_t end, unsigned worker)
{
    marks *m = arg;
    if (worker >= m->threads || end <= begin) {
        return CUZK_E_INVALID;
    }
    if (atomic_fetch_add(&m->busy[worker], 1) != 0) {
        m->shared = true;
    }
    size_t seen = atomic_load(&m->largest);
    while (end - begin > seen && !atomic_compare_exchange_weak(&m->largest, &seen, end - begin)) {
    }
    for (size_t i = begin; i < end; i++) {
        atomic_fetch_add(&m->hit[i], 1);
    }
    atomic_fetch_sub(&m->busy[worker], 1);
    return CUZK_OK;
}

static cuzk_pool *make_pool(unsigned threads)
{
    cuzk_err err;
    cuzk_pool *p = NULL;
    const cuzk_pool_cfg cfg = {.n_threads = threads, .name = "test-pool-long-name"};
    CHECK_OK(cuzk_pool_create(&p, &cfg, &err), &err);
    CHECK_U64(cuzk_pool_threads(p), threads);
    return p;
}

static void check_once(cuzk_pool *p, size_t n, size_t grain)
{
    static marks m;
    memset(&m, 0, sizeof(m));
    m.threads = cuzk_pool_threads(p);
    CHECK_OK(cuzk_parallel_for(p, NULL, n, grain, mark, &m), NULL);
    CHECK(!m.shared);
    for (size_t i = 0; i < MARKS; i++) {
        CHECK_MSG(m.hit[i] == (i < n ? 1 : 0), "n=%zu grain=%zu: index %zu visited %d times", n,
                  grain, i, (int)m.hit[i]);
    }
    if (grain != 0) {
        CHECK(m.largest <= grain);
    }
}

static void every_index_once(void)
{
    static const size_t sizes[] = {0, 1, 2, 3, 7, 8, 63, 64, 65, 1000, 4096, MARKS};
    static const size_t grains[] = {0, 1, 2, 3, 64, 1000, MARKS, 100000, SIZE_MAX};
    static const unsigned threads[] = {1, 2, 3, 8};
    for (size_t t = 0; t < 4; t++) {
        cuzk_pool *p = make_pool(threads[t]);
        for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
            for (size_t g = 0; g < sizeof(grains) / sizeof(grains[0]); g++) {
                check_once(p, sizes[s], grains[g]);
            }
        }
        cuzk_pool_destroy(p);
    }
}

static void null_pool_is_the_caller(void)
{
    CHECK_U64(cuzk_pool_threads(NULL), 1);
    check_once(NULL, 100, 7);
    cuzk_pool_destroy(NULL);
}

static void defaults_use_the_cpus(void)
{
    cuzk_pool *p = NULL;
    CHECK_OK(cuzk_pool_create(&p, NULL, NULL), NULL);
    CHECK_U64(cuzk_pool_threads(p), cuzk_cpu_count());
    cuzk_pool_destroy(p);
    const cuzk_pool_cfg pinned = {.n_threads = 4, .pin = true};
    CHECK_OK(cuzk_pool_create(&p, &pinned, NULL), NULL);
    check_once(p, 1000, 3);
    cuzk_pool_destroy(p);
}

typedef struct adder {
    cuzk_pool *pool;
    _Atomic uint64_t sum;
    uint64_t rounds;
    _Atomic bool wrong;
} adder;

static cuzk_status add_range(void *arg, size_t begin, size_t end, unsigned worker)
{
    (void)worker;
    uint64_t s = 0;
    for (size_t i = begin; i < end; i++) {
        s += i;
    }
    atomic_fetch_add((_Atomic uint64_t *)arg, s);
    return CUZK_OK;
}

static void *caller_main(void *arg)
{
    adder *a = arg;
    for (uint64_t r = 1; r <= a->rounds; r++) {
        const size_t n = (size_t)(r * 37 % 1500);
        atomic_store(&a->sum, 0);
        const cuzk_status st = cuzk_parallel_for(a->pool, NULL, n, 1 + n / 40, add_range, &a->sum);
        const uint64_t want = n == 0 ? 0 : (uint64_t)n * (n - 1) / 2;
        if (st != CUZK_OK || atomic_load(&a->sum) != want) {
            a->wrong = true;
        }
    }
    return NULL;
}

static void several_callers_share_the_workers(void)
{
    pthread_t t[6];
    static adder a[6];
    cuzk_pool *p = make_pool(4);
    for (size_t i = 0; i < 6; i++) {
        memset(&a[i], 0, sizeof(a[i]));
        a[i].pool = p;
        a[i].rounds = 300;
        CHECK(pthread_create(&t[i], NULL, caller_main, &a[i]) == 0);
    }
    for (size_t i = 0; i < 6; i++) {
        CHECK(pthread_join(t[i], NULL) == 0);
    }
    cuzk_pool_destroy(p);
    for (size_t i = 0; i < 6; i++) {
        CHECK(!a[i].wrong);
    }
}

typedef struct failing {
    size_t at;
    _Atomic size_t calls;
    cuzk_cancel *cancel;
} failing;

static cuzk_status fail_at(void *arg, size_t begin, size_t end, unsigned worker)
{
    failing *f = arg;
    (void)end;
    (void)worker;
    atomic_fetch_add(&f->calls, 1);
    if (begin == f->at) {
        if (f->cancel != NULL) {
            f->cancel->requested = true;
            return CUZK_OK;
        }
        return CUZK_E_FORMAT;
    }
    return CUZK_OK;
}

static void first_failure_stops_the_loop(void)
{
    static const unsigned threads[] = {1, 2, 4};
    for (size_t t = 0; t < 3; t++) {
        cuzk_pool *p = make_pool(threads[t]);
        failing f = {.at = 10};
        CHECK_STATUS(cuzk_parallel_for(p, NULL, 1000000, 1, fail_at, &f), CUZK_E_FORMAT);
        CHECK(f.calls >= 1 && f.calls < 1000000);
        if (threads[t] == 1) {
            CHECK_U64(f.calls, 11);
        }
        check_once(p, 500, 9); /* the pool is usable afterwards */
        cuzk_pool_destroy(p);
    }
}

static void cancel_stops_the_loop(void)
{
    cuzk_pool *p = make_pool(3);
    cuzk_cancel c = {false};
    failing f = {.at = 20, .cancel = &c};
    CHECK_STATUS(cuzk_parallel_for(p, &c, 1000000, 1, fail_at, &f), CUZK_E_CANCELLED);
    CHECK(f.calls < 1000000);
    const size_t before = f.calls;
    CHECK_STATUS(cuzk_parallel_for(p, &c, 5, 1, fail_at, &f), CUZK_E_CANCELLED);
    CHECK_STATUS(cuzk_parallel_for(p, &c, 0, 1, fail_at, &f), CUZK_E_CANCELLED);
    CHECK_U64(f.calls, before);
    cuzk_pool_destroy(p);
}

typedef struct nest {
    cuzk_pool *pool, *other;
    _Atomic uint64_t sum;
    _Atomic bool wrong;
} nest;

typedef struct inner {
    pthread_t thread;
    bool elsewhere;
    uint64_t sum;
} inner;

static cuzk_status inner_fn(void *arg, size_t begin, size_t end, unsigned worker)
{
    inner *in = arg; /* not atomic: all on one thread */
    if (worker != 0 || !pthread_equal(in->thread, pthread_self())) {
        in->elsewhere = true;
    }
    in->sum += end - begin;
    return CUZK_OK;
}

static cuzk_status outer_fn(void *arg, size_t begin, size_t end, unsigned worker)
{
    nest *n = arg;
    (void)worker;
    for (size_t i = begin; i < end; i++) {
        inner in = {pthread_self(), false, 0};
        const cuzk_status a = cuzk_parallel_for(n->pool, NULL, 100, 7, inner_fn, &in);
        const cuzk_status b = cuzk_parallel_for(n->other, NULL, 100, 7, inner_fn, &in);
        if (a != CUZK_OK || b != CUZK_OK || in.elsewhere) {
            n->wrong = true;
        }
        atomic_fetch_add(&n->sum, in.sum);
    }
    return CUZK_OK;
}

static void nested_loops_run_inline(void)
{
    static nest n;
    memset(&n, 0, sizeof(n));
    n.pool = make_pool(4);
    n.other = make_pool(2);
    CHECK_OK(cuzk_parallel_for(n.pool, NULL, 200, 1, outer_fn, &n), NULL);
    CHECK(!n.wrong);
    CHECK_U64(n.sum, 200 * 200);
    cuzk_pool_destroy(n.other);
    cuzk_pool_destroy(n.pool);
}

static void creation_survives_allocation_failure(void)
{
    const uint64_t blocks = cuzk_alloc_get_stats().blocks_now;
    const cuzk_pool_cfg cfg = {.n_threads = 3};
    uint64_t nth = 1;
    for (;; nth++) {
        cuzk_pool *p = NULL;
        cuzk_err err;
        cuzk_alloc_fail_nth(nth, false);
        const cuzk_status st = cuzk_pool_create(&p, &cfg, &err);
        cuzk_alloc_fail_nth(0, false);
        if (st == CUZK_OK) {
            cuzk_pool_destroy(p);
            break;
        }
        CHECK_U64(st, CUZK_E_NOMEM);
        CHECK(p == NULL);
        CHECK_U64(cuzk_alloc_get_stats().blocks_now, blocks);
    }
    CHECK(nth > 1);
    CHECK_U64(cuzk_alloc_get_stats().blocks_now, blocks);
}

static void create_and_destroy_at_once(void)
{
    for (int i = 0; i < 200; i++) {
        cuzk_pool *p = make_pool(1 + (unsigned)i % 5);
        cuzk_pool_destroy(p);
    }
}

static const cuzk_case cases[] = {
    CASE(every_index_once),
    CASE(null_pool_is_the_caller),
    CASE(defaults_use_the_cpus),
    CASE(several_callers_share_the_workers),
    CASE(first_failure_stops_the_loop),
    CASE(cancel_stops_the_loop),
    CASE(nested_loops_run_inline),
    CASE(creation_survives_allocation_failure),
    CASE(create_and_destroy_at_once),
};
TEST_MAIN("sys/pool", cases)
