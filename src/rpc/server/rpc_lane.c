/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * A lane: threads that run tasks of many callers. Callers take turns, one task each, so that a flood of one caller
 * waits behind itself. In a fair lane each caller also pays for its tasks: after a task of t CPU seconds its next
 * one waits for price * t, whoever else waits or not. On a machine whose processors prove, no caller takes more
 * than an eighth of them from the proofs.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "rpc/server/rpc_internal.h"
#include "sys/pool.h"

#define SHARE   8u                  /* a caller gets one of so many processors */
#define ALLOWED UINT64_C(500000000) /* nanoseconds of waiting that a caller need not pay at once */
#define NO_TURN UINT64_MAX

struct rpc_turn {
    rpc_turn *next;
    rpc_task *head, **tail;
    uint64_t paid_ns; /* its CPU time is paid for by then */
    char caller[CUZK_RPC_NAME_BYTES + 8];
};

static rpc_turn *turn_create(const char *caller)
{
    rpc_turn *t = cuzk_alloc_zero(1, sizeof(*t));
    if (t != NULL) {
        t->tail = &t->head;
        (void)snprintf(t->caller, sizeof(t->caller), "%s", caller);
    }
    return t;
}

cuzk_status rpc_lane_init(rpc_lane *l, cuzk_err *err)
{
    pthread_condattr_t attr;
    (void)pthread_condattr_init(&attr);
    (void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    (void)pthread_mutex_init(&l->mu, NULL);
    (void)pthread_cond_init(&l->cv, &attr);
    (void)pthread_condattr_destroy(&attr);
    l->own = turn_create("");
    return l->own != NULL ? CUZK_OK : CUZK_FAIL(err, CUZK_E_NOMEM, "out of memory for a server");
}

/* From when on the turn's next task may run; NO_TURN: it has none. */
static uint64_t ready_ns(const rpc_lane *l, const rpc_turn *t)
{
    if (t->head == NULL) {
        return NO_TURN;
    }
    return l->stop || t->paid_ns < ALLOWED ? 0 : t->paid_ns - ALLOWED;
}

/* Of two callers that may run: those that nobody knows go last; else the order of the list is kept. */
static bool goes_before(const rpc_turn *a, const rpc_turn *b)
{
    return a->caller[0] != '\0' && b->caller[0] == '\0';
}

/* Whose task is next. NULL: none may run before *until_ns. */
static rpc_turn *next_turn(const rpc_lane *l, uint64_t now_ns, uint64_t *until_ns)
{
    rpc_turn *best = NULL;
    *until_ns = NO_TURN;
    if (l->own->head != NULL) {
        return l->own;
    }
    for (rpc_turn *t = l->turns; t != NULL; t = t->next) {
        const uint64_t ready = ready_ns(l, t);
        if (ready > now_ns) {
            *until_ns = ready < *until_ns ? ready : *until_ns;
        } else if (best == NULL || goes_before(t, best)) {
            best = t;
        }
    }
    return best;
}

/* To the end of the list. */
static void put_last(rpc_lane *l, rpc_turn *t)
{
    rpc_turn **at = &l->turns;
    while (*at != t) {
        at = &(*at)->next;
    }
    *at = t->next;
    while (*at != NULL) {
        at = &(*at)->next;
    }
    t->next = NULL;
    *at = t;
}

static void drop_paid(rpc_lane *l, uint64_t now_ns)
{
    for (rpc_turn **at = &l->turns; *at != NULL;) {
        rpc_turn *t = *at;
        if (t->head == NULL && t->paid_ns <= now_ns) {
            *at = t->next;
            cuzk_free(t);
        } else {
            at = &t->next;
        }
    }
}

static rpc_turn *find_turn(const rpc_lane *l, const char *caller)
{
    rpc_turn *t = l->turns;
    while (t != NULL && strcmp(t->caller, caller) != 0) {
        t = t->next;
    }
    return t;
}

static rpc_task *take(rpc_lane *l, rpc_turn *turn)
{
    rpc_task *t = turn->head;
    turn->head = t->next;
    if (turn->head == NULL) {
        turn->tail = &turn->head;
    }
    if (turn != l->own) {
        put_last(l, turn);
    }
    return t;
}

static void wait_until(rpc_lane *l, uint64_t ns)
{
    if (ns == NO_TURN) {
        (void)pthread_cond_wait(&l->cv, &l->mu);
    } else {
        const struct timespec t = {.tv_sec = (time_t)(ns / 1000000000u),
                                   .tv_nsec = (long)(ns % 1000000000u)};
        (void)pthread_cond_timedwait(&l->cv, &l->mu, &t);
    }
}

static uint64_t cpu_ns(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* The caller has used n nanoseconds of CPU time. */
static void charge(rpc_lane *l, const char *caller, uint64_t n)
{
    const uint64_t now = cuzk_clock_ns();
    (void)pthread_mutex_lock(&l->mu);
    rpc_turn *t = find_turn(l, caller);
    if (t != NULL) {
        t->paid_ns = (t->paid_ns > now ? t->paid_ns : now) + n * l->price;
    }
    (void)pthread_mutex_unlock(&l->mu);
}

bool rpc_lane_run_one(rpc_lane *l, bool wait)
{
    char caller[CUZK_RPC_NAME_BYTES + 8] = "";
    uint64_t until = NO_TURN;
    (void)pthread_mutex_lock(&l->mu);
    rpc_turn *turn = next_turn(l, cuzk_clock_ns(), &until);
    while (turn == NULL && wait && !(l->stop && until == NO_TURN)) {
        wait_until(l, until);
        turn = next_turn(l, cuzk_clock_ns(), &until);
    }
    const rpc_task *t = turn != NULL ? take(l, turn) : NULL;
    const bool pays = t != NULL && turn != l->own && l->price > 0;
    if (pays) {
        memcpy(caller, turn->caller, sizeof(caller));
    }
    (void)pthread_mutex_unlock(&l->mu);
    if (t == NULL) {
        return false;
    }
    rpc_call *call = t->call; /* t may be used again as soon as it runs */
    const uint64_t before = pays ? cpu_ns() : 0;
    t->run(call);
    rpc_call_unref(call);
    if (pays) {
        charge(l, caller, cpu_ns() - before);
    }
    return true;
}

static void *run(void *arg)
{
    while (rpc_lane_run_one(arg, true)) {
    }
    return NULL;
}

cuzk_status rpc_lane_start(rpc_lane *l, unsigned n_threads, bool fair, cuzk_err *err)
{
    const unsigned cpus = cuzk_cpu_count();
    l->price = !fair ? 0 : cpus < SHARE ? SHARE / cpus : 1;
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

void rpc_lane_push(rpc_lane *l, rpc_task *t, rpc_call *call, const char *caller,
                   void (*task)(rpc_call *call))
{
    rpc_call_ref(call);
    t->next = NULL;
    t->run = task;
    t->call = call;
    (void)pthread_mutex_lock(&l->mu);
    rpc_turn *turn = caller == NULL ? l->own : find_turn(l, caller);
    if (turn == NULL) {
        drop_paid(l, cuzk_clock_ns());
        turn = turn_create(caller);
        if (turn != NULL) {
            turn->next = l->turns; /* a new caller is next */
            l->turns = turn;
        } else {
            turn = l->own;
        }
    }
    *turn->tail = t;
    turn->tail = &t->next;
    (void)pthread_cond_signal(&l->cv);
    (void)pthread_mutex_unlock(&l->mu);
}

void rpc_lane_stop(rpc_lane *l)
{
    if (l->own == NULL) { /* never begun */
        return;
    }
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
    if (l->own == NULL) {
        return;
    }
    while (l->turns != NULL) {
        rpc_turn *t = l->turns;
        l->turns = t->next;
        cuzk_free(t);
    }
    cuzk_free(l->own);
    l->own = NULL;
    (void)pthread_cond_destroy(&l->cv);
    (void)pthread_mutex_destroy(&l->mu);
}
