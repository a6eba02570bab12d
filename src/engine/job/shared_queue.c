/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * A queue that several daemons share (cuzk_shared_queue). A job that is put there has no daemon. While a caller waits
 * for it, this engine keeps it as PHASE_ELSEWHERE, and does nothing with it. The thread of this file claims jobs when
 * there is room, obeys orders about claimed jobs, and answers callers whose jobs other daemons have ended.
 */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "engine/job/accept_internal.h"

#define POLL_MS   1000u        /* for stores that do not report changes of the queue */
#define GAP_NS    (50 * MS_NS) /* between looks at the queue, on average */
#define AHEAD_NS  (4 * GAP_NS) /* after a time without looks, this many gaps may be left out */
#define MAX_LOOKS 256u

static const char stopping[] =
    "environment: the daemon is stopping; the job stays in the shared queue: ask another daemon";

LOCKED static job *by_number(job_table *jobs, uint64_t number)
{
    job *j = jobs->first;
    while (j != NULL && j->number != number) {
        j = j->next;
    }
    return j;
}

/* --- into PHASE_ELSEWHERE --- */

void cuzk_shared_leave(cuzk_engine *e, job *j)
{
    j->is_stored = true;
    e->jobs.n_open--;
    if (j->outcome != CUZK_JOB_QUEUED) { /* decided while it was being put */
        j->wants_cancel = !j->is_left_in_store;
        j->outcome = CUZK_JOB_QUEUED;
        j->code = CUZK_OK;
        j->error[0] = '\0';
        atomic_store_explicit(&j->cancel.requested, false, memory_order_relaxed);
    }
    j->phase = PHASE_ELSEWHERE;
    cuzk_engine_log_job(e, 2, "job.accepted", j, NULL, NULL);
    e->memory.block_used -= j->block_memory.bytes;
    cuzk_engine_give_host(e, &j->block_memory, 0);
    cuzk_engine_unlock(e);
    cuzk_job_drop_block(j);
    e->store.shared->wake(e->store.arg);
    cuzk_engine_lock(e);
}

job *cuzk_shared_adopt(cuzk_engine *e, job *found)
{
    cuzk_engine_lock(e);
    job *j = by_number(&e->jobs, found->number);
    if (j != NULL) {
        j->pins++;
        cuzk_engine_unlock(e);
        cuzk_job_destroy(found);
        return j;
    }
    job *other = cuzk_job_by_id(&e->jobs, found->id);
    if (other != NULL && other->phase == PHASE_ENDED) {
        cuzk_job_remove_id(&e->jobs, other);
        other = NULL;
    }
    cuzk_free(found->proof);
    found->proof = NULL;
    found->phase = PHASE_ELSEWHERE;
    found->outcome = CUZK_JOB_QUEUED;
    found->is_watched_only = false; /* only the daemon that accepted it knows its waiters */
    found->pins++;                  /* the tables' */
    cuzk_job_insert(&e->jobs, found);
    if (other == NULL) {
        cuzk_job_insert_id(&e->jobs, found);
    }
    cuzk_engine_unlock(e);
    return found;
}

/* Replaces a job that was given up by the queue's job; its callers wait for that one from now on. */
LOCKED static bool replace(job_table *jobs, job *j)
{
    static const cuzk_owned_block nothing = {NULL, 0, NULL};
    job *k = NULL;
    cuzk_job_request rq = j->rq;
    rq.vanilla_proof = (cuzk_bytes){NULL, 0};
    rq.n_vanilla_proofs = 0;
    rq.deadline_ns = 0;
    if (cuzk_job_new(&k, &rq, &nothing, j->content, NULL) != CUZK_OK) {
        return false;
    }
    k->number = j->number;
    k->class_base = j->class_base;
    k->is_watched_only = j->is_watched_only;
    k->is_stored = true;
    k->phase = PHASE_ELSEWHERE;
    k->accepted_unix_ms = j->accepted_unix_ms;
    memcpy(k->id, j->id, sizeof(k->id));
    memcpy(k->peer, j->peer, sizeof(k->peer));
    cuzk_job_remove_id(jobs, j);
    cuzk_job_insert(jobs, k); /* with the pin of cuzk_job_new */
    cuzk_job_insert_id(jobs, k);
    k->waiters = j->waiters;
    j->waiters = NULL;
    for (waiter *w = k->waiters; w != NULL; w = w->next) {
        w->job = k;
    }
    return true;
}

void cuzk_shared_give_up(cuzk_engine *e, job *j)
{
    e->jobs.n_open--;
    j->phase = PHASE_ENDED;
    j->state = j->outcome = CUZK_JOB_FAILED;
    j->code = CUZK_E_IO;
    (void)snprintf(j->error, sizeof(j->error),
                   "environment: another daemon has the job now: ask again");
    cuzk_job_clock_stop(&j->clock, cuzk_clock_ns());
    cuzk_engine_log_job(e, 1, "job.given_up", j, NULL, NULL);
    if (j->waiters != NULL && !replace(&e->jobs, j)) {
        cuzk_waiters_call_all(e, j);
    }
    cuzk_job_forget(&e->jobs, j);
}

/* --- claims --- */

/* Handles a claimed job that a caller waits for already. False: no room for its bytes. */
LOCKED static bool fill_in(cuzk_engine *e, job *j, job *c, const cuzk_job_record *r)
{
    const cuzk_job_request small = j->rq; /* callbacks may be reading these */
    j->block_bytes = c->block_bytes;
    if (!cuzk_job_keep_block(&e->memory, j)) {
        return false;
    }
    cuzk_free(j->views);
    j->views = c->small;
    j->rq = c->rq;
    j->rq.request_id = small.request_id;
    j->rq.owner = small.owner;
    j->block = c->block;
    j->has_block = c->has_block;
    c->small = NULL;
    c->has_block = false;
    j->plan = c->plan;
    j->is_privileged = c->is_privileged;
    j->class_base = r->class_base;
    j->is_parked = false;
    j->state = CUZK_JOB_QUEUED;
    j->in_dead = false;
    j->accepted_ns = c->accepted_ns;
    cuzk_job_clock_start(&j->clock, j->accepted_ns);
    cuzk_job_set_deadline(j, r->deadline_unix_ms);
    return true;
}

void cuzk_shared_refuse(refusals *f, uint64_t number)
{
    f->numbers[f->next] = number;
    f->next = (f->next + 1) % CUZK_CLAIM_EXCEPT;
    f->n += f->n < CUZK_CLAIM_EXCEPT ? 1 : 0;
}

typedef struct claimed {
    cuzk_engine *e;
    refusals *refused;
    uint64_t back[64]; /* jobs that cannot be started now, or never */
    uint32_t n_back;
} claimed;

/*
 * True when the engine could prove such a job if it were the only one. A failed plan is an end of the job, as for any
 * job.
 */
LOCKED static bool could_prove(const cuzk_engine *e, const job *c, cuzk_status planned)
{
    cuzk_err err;
    const uint64_t input = c->plan.input_bytes + c->block_bytes;
    return planned != CUZK_OK ||
           (cuzk_engine_can_prove(e, c->plan.circuit, c->is_privileged, &err) == CUZK_OK &&
            cuzk_engine_can_fit(e, c->plan.circuit, input, c->is_privileged, &err) == CUZK_OK);
}

static void take_claimed(void *arg, const cuzk_job_record *r)
{
    claimed *t = arg;
    cuzk_engine *e = t->e;
    job *c = NULL;
    cuzk_err err = {.msg = ""}, plan_err = {.msg = ""};
    cuzk_status st = cuzk_job_new(&c, &r->request, NULL, r->content, &err), planned = CUZK_OK;
    if (st == CUZK_OK) {
        planned = e->backend->plan(e->backend->arg, &c->rq, &c->plan, &plan_err);
    }
    cuzk_engine_lock(e);
    job *j = by_number(&e->jobs, r->number);
    while (j != NULL && j->phase == PHASE_ACCEPTING) { /* claimed before its own put has returned */
        cuzk_engine_wait(e, &e->locks.change);
        j = by_number(&e->jobs, r->number);
    }
    const bool can = st == CUZK_OK && could_prove(e, c, planned);
    const bool is_taken = j != NULL && j->phase < PHASE_ENDING; /* the put has taken it up */
    cuzk_engine_unlock(e);
    if (st == CUZK_OK && is_taken) {
        cuzk_job_destroy(c);
        return;
    }
    if (st != CUZK_OK || (j != NULL && j->phase != PHASE_ELSEWHERE)) {
        /* claimed while its earlier try is being given up */
        st = st != CUZK_OK ? st : CUZK_E_EXISTS;
    } else if (!can) {
        st = CUZK_E_UNSUPPORTED;
        cuzk_shared_refuse(t->refused, r->number);
    } else if (j == NULL) {
        cuzk_job_destroy(c);
        c = NULL;
        st = cuzk_job_restore(e, r, &err);
    } else { /* only this thread removes jobs of PHASE_ELSEWHERE */
        cuzk_engine_lock(e);
        st = cuzk_engine_reserve_queues(&e->queues, e->jobs.n_open + 1, &err);
        if (st == CUZK_OK && !fill_in(e, j, c, r)) {
            st = CUZK_E_BUDGET;
        }
        if (st == CUZK_OK) {
            e->jobs.n_open++;
            j->phase = PHASE_ACCEPTING;
            cuzk_job_enqueue(e, j);
            if (planned != CUZK_OK) {
                cuzk_job_set_outcome(e, j, CUZK_JOB_FAILED, planned, plan_err.msg);
            }
        }
        cuzk_engine_unlock(e);
    }
    if (c != NULL) {
        cuzk_job_destroy(c);
    }
    if (st != CUZK_OK && t->n_back < 64) {
        t->back[t->n_back++] = r->number;
    }
}

/* Logs what the store reports, once for each change. */
LOCKED static void say_trouble(cuzk_engine *e, cuzk_status st, const char *text, bool *in_trouble)
{
    if (st != CUZK_OK && !*in_trouble) {
        const char *const kv[] = {"why", text, NULL};
        cuzk_engine_log(e, 1, "queue.trouble", kv);
    }
    *in_trouble = st != CUZK_OK;
}

LOCKED static cuzk_status claim(cuzk_engine *e, refusals *refused, cuzk_err *err)
{
    const cuzk_shared_queue *q = e->store.shared;
    claimed t = {.e = e, .refused = refused};
    const refusals now = *refused; /* which the claim itself may add to */
    const uint32_t n = cuzk_shared_room(e);
    if (n == 0 || e->draining) {
        return CUZK_OK;
    }
    cuzk_engine_unlock(e);
    const cuzk_status st = q->claim(e->store.arg, n, now.numbers, now.n, take_claimed, &t, err);
    for (uint32_t i = 0; i < t.n_back; i++) {
        cuzk_ignore(q->release(e->store.arg, t.back[i], NULL));
    }
    cuzk_engine_lock(e);
    return st;
}

cuzk_status cuzk_shared_start(cuzk_engine *e, job *j, cuzk_err *err)
{
    if (e->store.shared == NULL) {
        return CUZK_OK;
    }
    cuzk_engine_unlock(e);
    const cuzk_status st = e->store.shared->start(e->store.arg, j->number, err);
    cuzk_engine_lock(e);
    j->is_given_up = j->is_given_up || (st != CUZK_OK && st != CUZK_E_CANCELLED);
    return st;
}

/* --- orders --- */

LOCKED static void obey(void *arg, uint64_t number, cuzk_job_order order)
{
    cuzk_engine *e = arg;
    job *j = by_number(&e->jobs, number);
    if (j == NULL || j->phase >= PHASE_ENDING) {
        return;
    }
    if (order == CUZK_JOB_ORDER_DROP) {
        j->is_given_up = true;
    }
    cuzk_job_set_outcome(e, j, CUZK_JOB_CANCELLED, CUZK_E_CANCELLED,
                         order == CUZK_JOB_ORDER_DROP ? "the lease is lost" : "cancelled");
}

/* Cancels jobs that were cancelled here and that another daemon has, or no daemon. */
LOCKED static cuzk_status send_cancels(cuzk_engine *e, cuzk_err *err)
{
    for (job *j = e->jobs.first; j != NULL;) {
        if (j->phase != PHASE_ELSEWHERE || !j->wants_cancel) {
            j = j->next;
            continue;
        }
        j->pins++;
        cuzk_engine_unlock(e);
        const cuzk_status st = e->store.shared->cancel(e->store.arg, j->number, err);
        cuzk_engine_lock(e);
        j->wants_cancel = st != CUZK_OK;
        cuzk_job_unpin(j);
        CUZK_TRY(st);
        j = e->jobs.first; /* the list may have changed */
    }
    return CUZK_OK;
}

/* --- ends --- */

/* Ends j with the outcome of found. */
LOCKED static void end_elsewhere(cuzk_engine *e, job *j, job *found, cuzk_status st)
{
    j->phase = PHASE_ENDED;
    j->ended_ns = cuzk_clock_ns();
    j->is_stored = true;
    cuzk_job_clock_stop(&j->clock, j->ended_ns);
    e->jobs.n_ended++;
    if (found != NULL) {
        j->state = j->outcome = found->outcome;
        j->code = found->code;
        j->proof = found->proof;
        j->proof_bytes = found->proof_bytes;
        j->n_partitions = found->n_partitions;
        j->ended_unix_ms = found->ended_unix_ms;
        memcpy(j->error, found->error, sizeof(j->error));
        memcpy(j->kept_ms, found->kept_ms, sizeof(j->kept_ms));
        found->proof = NULL;
    } else {
        j->state = j->outcome = CUZK_JOB_FAILED;
        j->code = st;
        (void)snprintf(j->error, sizeof(j->error), "environment: the result is not kept any more");
    }
    cuzk_waiters_call_all(e, j);
    pthread_cond_broadcast(&e->locks.change);
}

typedef struct looks {
    uint64_t numbers[MAX_LOOKS], over[MAX_LOOKS];
    uint32_t n, n_over;
} looks;

static void note_over(void *arg, uint64_t number)
{
    looks *l = arg;
    if (l->n_over < MAX_LOOKS) {
        l->over[l->n_over++] = number;
    }
}

/* Finds which of the jobs that callers wait for have been ended by other daemons. */
LOCKED static cuzk_status look(cuzk_engine *e, cuzk_err *err)
{
    looks l = {.n = 0};
    for (const job *j = e->jobs.first; j != NULL && l.n < MAX_LOOKS; j = j->next) {
        if (j->phase == PHASE_ELSEWHERE && j->waiters != NULL) {
            l.numbers[l.n++] = j->number;
        }
    }
    if (l.n == 0) {
        return CUZK_OK;
    }
    cuzk_engine_unlock(e);
    cuzk_status st = e->store.shared->ended(e->store.arg, l.numbers, l.n, note_over, &l, err);
    cuzk_engine_lock(e);
    for (uint32_t i = 0; i < l.n_over && st == CUZK_OK; i++) {
        job *found = NULL;
        cuzk_engine_unlock(e);
        st = cuzk_job_get_stored(&e->store, l.over[i], &found, err);
        cuzk_engine_lock(e);
        job *j = by_number(&e->jobs, l.over[i]);
        const bool is_over =
            st == CUZK_E_NOT_FOUND || (found != NULL && found->outcome >= CUZK_JOB_COMPLETED);
        if (j != NULL && j->phase == PHASE_ELSEWHERE && is_over) {
            end_elsewhere(e, j, found, st);
        }
        if (found != NULL) {
            cuzk_job_destroy(found);
        }
        st = st == CUZK_E_NOT_FOUND ? CUZK_OK : st;
    }
    return st;
}

/* Forgets jobs of the queue that no caller waits for. */
LOCKED static void forget_unwatched(job_table *jobs)
{
    for (job *j = jobs->first; j != NULL;) {
        job *following = j->next;
        if (j->phase == PHASE_ELSEWHERE && j->waiters == NULL && !j->wants_cancel && j->pins == 1) {
            cuzk_job_forget(jobs, j);
        }
        j = following;
    }
}

/* --- the end of the daemon --- */

void cuzk_shared_tell_stopping(cuzk_engine *e)
{
    for (job *j = e->jobs.first; j != NULL;) {
        if (j->phase != PHASE_ELSEWHERE || j->waiters == NULL) {
            j = j->next;
            continue;
        }
        j->phase = PHASE_ENDED;
        j->state = j->outcome = CUZK_JOB_FAILED;
        j->code = CUZK_E_IO;
        j->ended_ns = cuzk_clock_ns();
        (void)snprintf(j->error, sizeof(j->error), "%s", stopping);
        e->jobs.n_ended++;
        j->pins++;
        cuzk_waiters_call_all(e, j);
        cuzk_job_unpin(j);
        j = e->jobs.first;
    }
}

/* Returns jobs that have not been started to the queue. Running jobs go on to their end. */
LOCKED static void drain(cuzk_engine *e)
{
    e->store.shared->drain(e->store.arg);
    for (job *j = e->jobs.first; j != NULL;) {
        if (j->phase == PHASE_PREP) {
            j->is_given_up = true;
            cuzk_job_set_outcome(e, j, CUZK_JOB_CANCELLED, CUZK_E_CANCELLED,
                                 "the daemon is stopping");
            j = e->jobs.first;
        } else {
            j = j->next;
        }
    }
    cuzk_shared_tell_stopping(e);
}

void cuzk_share_loop(worker *w)
{
    cuzk_engine *e = w->e;
    refusals refused = {.n = 0};
    bool in_trouble = false;
    uint64_t due_ns = 0; /* of the next look, were all gaps equal */
    cuzk_engine_lock(e);
    while (!e->stop) {
        cuzk_err err = {.msg = ""};
        const uint64_t begin = cuzk_clock_ns();
        due_ns = (due_ns > begin ? due_ns : begin) + GAP_NS;
        e->store.shared->take_orders(e->store.arg, obey, e);
        if (e->draining) {
            drain(e);
        }
        cuzk_shared_report(e);
        cuzk_status st = send_cancels(e, &err);
        st = st == CUZK_OK ? claim(e, &refused, &err) : st;
        st = st == CUZK_OK ? cuzk_part_round(e, &err) : st;
        st = st == CUZK_OK ? look(e, &err) : st;
        forget_unwatched(&e->jobs);
        say_trouble(e, st, err.msg, &in_trouble);
        while (!e->stop && !e->draining && cuzk_clock_ns() + AHEAD_NS < due_ns) {
            cuzk_engine_wait_until(e, &e->locks.change, due_ns - AHEAD_NS);
        }
        if (!e->stop) {
            cuzk_engine_unlock(e);
            e->store.shared->wait(e->store.arg, POLL_MS);
            cuzk_engine_lock(e);
        }
    }
    cuzk_engine_unlock(e);
}
