/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "sys/releaser.h"

#include <pthread.h>

#include "base/alloc.h"

typedef struct item {
    struct item *next;
    cuzk_release_fn fn;
    void *p;
    uint64_t bytes;
} item;

struct cuzk_releaser {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t work, room;
    item *first, *last;
    bool closing;
    uint64_t max_bytes;
    cuzk_releaser_stats stats;
};

static void *release_loop(void *arg)
{
    cuzk_releaser *r = arg;
    (void)pthread_mutex_lock(&r->lock);
    for (;;) {
        while (r->first == NULL && !r->closing) {
            (void)pthread_cond_wait(&r->work, &r->lock);
        }
        item *i = r->first;
        if (i == NULL) {
            break;
        }
        r->first = i->next;
        r->last = r->first == NULL ? NULL : r->last;
        (void)pthread_mutex_unlock(&r->lock);
        i->fn(i->p);
        (void)pthread_mutex_lock(&r->lock);
        r->stats.backlog_bytes -= i->bytes; /* only now is it given back */
        r->stats.released++;
        (void)pthread_cond_broadcast(&r->room);
        cuzk_free(i);
    }
    (void)pthread_mutex_unlock(&r->lock);
    return NULL;
}

cuzk_status cuzk_releaser_create(cuzk_releaser **out, uint64_t max_bytes, cuzk_err *err)
{
    cuzk_releaser *r = cuzk_alloc_zero(1, sizeof(*r));
    if (r == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for a releaser");
    }
    r->max_bytes = max_bytes;
    /* Default attributes: these cannot fail on Linux. */
    (void)pthread_mutex_init(&r->lock, NULL);
    (void)pthread_cond_init(&r->work, NULL);
    (void)pthread_cond_init(&r->room, NULL);
    const int e = pthread_create(&r->thread, NULL, release_loop, r);
    if (e != 0) {
        cuzk_free(r);
        return CUZK_FAIL_OS(err, CUZK_E_IO, e, "no thread for a releaser");
    }
    *out = r;
    return CUZK_OK;
}

void cuzk_releaser_destroy(cuzk_releaser *r)
{
    if (r == NULL) {
        return;
    }
    (void)pthread_mutex_lock(&r->lock);
    r->closing = true;
    (void)pthread_cond_signal(&r->work);
    (void)pthread_mutex_unlock(&r->lock);
    (void)pthread_join(r->thread, NULL);
    (void)pthread_mutex_destroy(&r->lock);
    (void)pthread_cond_destroy(&r->work);
    (void)pthread_cond_destroy(&r->room);
    cuzk_free(r);
}

void cuzk_releaser_push(cuzk_releaser *r, cuzk_release_fn fn, void *p, uint64_t bytes)
{
    item *i = r == NULL ? NULL : cuzk_alloc(1, sizeof(*i));
    if (i == NULL) {
        fn(p);
        return;
    }
    const item fresh = {NULL, fn, p, bytes};
    *i = fresh;
    (void)pthread_mutex_lock(&r->lock);
    while (r->stats.backlog_bytes != 0 &&
           (bytes > r->max_bytes || r->stats.backlog_bytes > r->max_bytes - bytes)) {
        (void)pthread_cond_wait(&r->room, &r->lock);
    }
    r->stats.backlog_bytes += bytes;
    if (r->stats.backlog_bytes > r->stats.backlog_peak) {
        r->stats.backlog_peak = r->stats.backlog_bytes;
    }
    if (r->last == NULL) {
        r->first = i;
    } else {
        r->last->next = i;
    }
    r->last = i;
    (void)pthread_cond_signal(&r->work);
    (void)pthread_mutex_unlock(&r->lock);
}

cuzk_releaser_stats cuzk_releaser_get_stats(cuzk_releaser *r)
{
    (void)pthread_mutex_lock(&r->lock);
    const cuzk_releaser_stats s = r->stats;
    (void)pthread_mutex_unlock(&r->lock);
    return s;
}
