/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "base/alloc.h"
#include "rpc/server/rpc_internal.h"

void rpc_lane_init(rpc_lane *l)
{
    for (int q = 0; q < RPC_LANE_QUEUES; q++) {
        l->tail[q] = &l->head[q];
    }
    (void)pthread_mutex_init(&l->mu, NULL);
    (void)pthread_cond_init(&l->cv, NULL);
}

bool rpc_lane_run_one(rpc_lane *l, bool wait)
{
    (void)pthread_mutex_lock(&l->mu);
    while (wait && l->head[0] == NULL && l->head[1] == NULL && !l->stop) {
        (void)pthread_cond_wait(&l->cv, &l->mu);
    }
    const int q = l->head[RPC_LANE_KNOWN] != NULL ? RPC_LANE_KNOWN : RPC_LANE_OTHER;
    const rpc_task *t = l->head[q];
    if (t != NULL) {
        l->head[q] = t->next;
        if (l->head[q] == NULL) {
            l->tail[q] = &l->head[q];
        }
    }
    (void)pthread_mutex_unlock(&l->mu);
    if (t == NULL) {
        return false;
    }
    rpc_call *call = t->call; /* t may be used again as soon as it runs */
    t->run(call);
    rpc_call_unref(call);
    return true;
}

static void *run(void *arg)
{
    while (rpc_lane_run_one(arg, true)) {
    }
    return NULL;
}

cuzk_status rpc_lane_start(rpc_lane *l, unsigned n_threads, cuzk_err *err)
{
    l->threads = cuzk_alloc(n_threads, sizeof(*l->threads));
    if (l->threads == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "out of memory for threads");
    }
    for (; l->n_threads < n_threads; l->n_threads++) {
        const int e = pthread_create(&l->threads[l->n_threads], NULL, run, l);
        if (e != 0) {
            return CUZK_FAIL_OS(err, CUZK_E_IO, e, "cannot start a thread");
        }
    }
    return CUZK_OK;
}

void rpc_lane_push(rpc_lane *l, rpc_task *t, rpc_call *call, bool known,
                   void (*task)(rpc_call *call))
{
    const int q = known ? RPC_LANE_KNOWN : RPC_LANE_OTHER;
    rpc_call_ref(call);
    t->next = NULL;
    t->run = task;
    t->call = call;
    (void)pthread_mutex_lock(&l->mu);
    *l->tail[q] = t;
    l->tail[q] = &t->next;
    (void)pthread_cond_signal(&l->cv);
    (void)pthread_mutex_unlock(&l->mu);
}

void rpc_lane_stop(rpc_lane *l)
{
    (void)pthread_mutex_lock(&l->mu);
    l->stop = true;
    (void)pthread_cond_broadcast(&l->cv);
    (void)pthread_mutex_unlock(&l->mu);
    for (unsigned i = 0; i < l->n_threads; i++) {
        (void)pthread_join(l->threads[i], NULL);
    }
    l->n_threads = 0;
    while (rpc_lane_run_one(l, false)) { /* if none was ever started */
    }
    cuzk_free(l->threads);
    l->threads = NULL;
}

void rpc_lane_destroy(rpc_lane *l)
{
    (void)pthread_cond_destroy(&l->cv);
    (void)pthread_mutex_destroy(&l->mu);
}
