/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <pthread.h>
#include <stdatomic.h>

#include "base/alloc.h"
#include "sys/releaser.h"

#include "test.h"

static _Atomic unsigned released;
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

static void count_release(void *p)
{
    cuzk_free(p);
    atomic_fetch_add(&released, 1);
}

static void gated_release(void *p)
{
    (void)pthread_mutex_lock(&gate);
    (void)pthread_mutex_unlock(&gate);
    count_release(p);
}

static void releases_everything(void)
{
    cuzk_releaser *r = NULL;
    cuzk_err err;
    const uint64_t before = cuzk_alloc_get_stats().blocks_now;
    atomic_store(&released, 0);
    CHECK_OK(cuzk_releaser_create(&r, 1000, &err), &err);
    for (unsigned i = 0; i < 500; i++) {
        void *p = cuzk_alloc(1, 64);
        CHECK(p != NULL);
        cuzk_releaser_push(r, count_release, p, i % 7 == 0 ? 5000 : 100);
        CHECK(cuzk_releaser_get_stats(r).backlog_bytes <= 5000);
    }
    CHECK(cuzk_releaser_get_stats(r).backlog_peak <= 5000);
    cuzk_releaser_destroy(r);
    CHECK_U64(atomic_load(&released), 500);
    CHECK_U64(cuzk_alloc_get_stats().blocks_now, before);
}

typedef struct pusher {
    cuzk_releaser *r;
    _Atomic bool pushed;
} pusher;

static void *push_one(void *arg)
{
    pusher *p = arg;
    cuzk_releaser_push(p->r, count_release, cuzk_alloc(1, 64), 600);
    atomic_store(&p->pushed, true);
    return NULL;
}

/* A push over the bound waits until what is in the way is really given back. */
static void backlog_is_bounded(void)
{
    cuzk_err err;
    pthread_t t;
    pusher p = {NULL, false};
    atomic_store(&released, 0);
    CHECK_OK(cuzk_releaser_create(&p.r, 1000, &err), &err);
    (void)pthread_mutex_lock(&gate);
    cuzk_releaser_push(p.r, gated_release, cuzk_alloc(1, 64), 600);
    CHECK(pthread_create(&t, NULL, push_one, &p) == 0);
    for (unsigned i = 0; i < 100; i++) {
        CHECK(!atomic_load(&p.pushed));
        CHECK_U64(cuzk_releaser_get_stats(p.r).backlog_bytes, 600);
        sched_yield();
    }
    (void)pthread_mutex_unlock(&gate);
    CHECK(pthread_join(t, NULL) == 0);
    CHECK(atomic_load(&released) >= 1);
    cuzk_releaser_destroy(p.r);
    CHECK_U64(atomic_load(&released), 2);
}

static void without_memory_or_thread(void)
{
    cuzk_releaser *r = NULL;
    cuzk_err err;
    atomic_store(&released, 0);
    cuzk_releaser_push(NULL, count_release, cuzk_alloc(1, 64), 64);
    CHECK_U64(atomic_load(&released), 1);
    CHECK_OK(cuzk_releaser_create(&r, 1000, &err), &err);
    void *p = cuzk_alloc(1, 64);
    cuzk_alloc_fail_nth(1, false);
    cuzk_releaser_push(r, count_release, p, 64);
    cuzk_alloc_fail_nth(0, false);
    CHECK_U64(atomic_load(&released), 2);
    cuzk_releaser_destroy(r);
    cuzk_alloc_fail_nth(1, false);
    CHECK_STATUS(cuzk_releaser_create(&r, 1000, &err), CUZK_E_NOMEM);
    cuzk_alloc_fail_nth(0, false);
}

static const cuzk_case cases[] = {CASE(releases_everything), CASE(backlog_is_bounded),
                                  CASE(without_memory_or_thread)};
TEST_MAIN("sys/releaser", cases)
