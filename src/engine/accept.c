/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* How a job gets in: joined to an equal one, or recorded and queued. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "base/clock.h"
#include "engine/engine_internal.h"

#define ID_TEXT_BYTES 256 /* of a request_id in a job id */

static int64_t unix_ms(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static uint32_t class_of(const cuzk_job_request *rq)
{
    if (rq->priority >= CUZK_PRIORITY_LOW && rq->priority <= CUZK_PRIORITY_CRITICAL) {
        return rq->priority;
    }
    if (rq->priority != 0) {
        return CUZK_PRIORITY_NORMAL;
    }
    switch (rq->kind) {
    case CUZK_JOB_WINNING: return CUZK_PRIORITY_CRITICAL;
    case CUZK_JOB_WINDOW: return CUZK_PRIORITY_HIGH;
    case CUZK_JOB_POREP:
    case CUZK_JOB_UPDATE: break;
    }
    return CUZK_PRIORITY_NORMAL;
}

/* A joined job serves the more demanding of its callers. */
static void join(cuzk_engine *e, job *j, const cuzk_job_request *rq)
{
    const uint32_t class_base = class_of(rq);
    if (class_base > j->class_base) {
        j->class_base = class_base;
    }
    if (rq->deadline_ns == 0 || j->deadline_ns == 0) {
        j->deadline_ns = 0;
        j->deadline_unix_ms = 0;
    } else if (rq->deadline_ns > j->deadline_ns) {
        j->deadline_unix_ms += (int64_t)((rq->deadline_ns - j->deadline_ns) / MS_NS);
        j->deadline_ns = rq->deadline_ns;
    }
    j->is_watched_only = j->is_watched_only && rq->cancel_when_unwatched;
    cuzk_job_refresh_items(e, j);
}

static cuzk_status new_job(job **out, const cuzk_job_request *rq, const cuzk_owned_block *block,
                           const uint8_t content[32], cuzk_err *err)
{
    job *j = cuzk_alloc_zero(1, sizeof(*j));
    if (j == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for a job");
    }
    const cuzk_status st = cuzk_job_take_request(j, rq, block, err);
    if (st != CUZK_OK) {
        cuzk_free(j);
        return st;
    }
    memcpy(j->content, content, sizeof(j->content));
    j->class_base = class_of(rq);
    j->deadline_ns = rq->deadline_ns;
    j->is_watched_only = rq->cancel_when_unwatched;
    j->is_privileged = rq->kind == CUZK_JOB_WINNING && j->class_base == CUZK_PRIORITY_CRITICAL;
    j->circuit = CUZK_CIRCUIT_UNKNOWN;
    j->accepted_ns = cuzk_clock_ns();
    j->accepted_unix_ms = unix_ms();
    if (rq->deadline_ns != 0) {
        const int64_t left = ((int64_t)rq->deadline_ns - (int64_t)j->accepted_ns) / (int64_t)MS_NS;
        j->deadline_unix_ms = j->accepted_unix_ms + left;
    }
    j->pins = 1; /* the caller's */
    *out = j;
    return CUZK_OK;
}

/* An ended job out of a record of the store. */
typedef struct found {
    bool is_found;
    uint8_t content[32];
    job *j; /* NULL when there was no memory */
} found;

static void take_found(void *arg, const cuzk_job_record *r)
{
    found *f = arg;
    cuzk_err err;
    cuzk_job_request rq = r->request;
    const cuzk_owned_block nothing = {NULL, 0, NULL};
    f->is_found = true;
    memcpy(f->content, r->content, sizeof(f->content));
    rq.vanilla_proof = (cuzk_bytes){NULL, 0};
    rq.n_vanilla_proofs = 0;
    if (f->j != NULL || new_job(&f->j, &rq, &nothing, r->content, &err) != CUZK_OK) {
        return;
    }
    job *j = f->j;
    uint8_t *proof = cuzk_alloc(r->proof.size, 1);
    if (proof == NULL) {
        cuzk_free(j->small);
        cuzk_free(j);
        f->j = NULL;
        return;
    }
    if (r->proof.size != 0) {
        memcpy(proof, r->proof.data, r->proof.size);
    }
    j->proof = proof;
    j->n_partitions = (uint32_t)(r->proof.size / PROOF_BYTES);
    j->number = r->number;
    (void)snprintf(j->id, sizeof(j->id), "%s", r->job_id);
    (void)snprintf(j->error, sizeof(j->error), "%s", r->error != NULL ? r->error : "");
    j->phase = PHASE_ENDED;
    j->state = j->outcome = r->state;
    j->code = r->code;
    j->is_stored = true;
    j->accepted_unix_ms = r->accepted_unix_ms;
    j->ended_unix_ms = r->ended_unix_ms;
    j->kept_ms[0] = r->queue_wait_ms;
    j->kept_ms[1] = r->srs_load_ms;
    j->kept_ms[2] = r->synthesis_ms;
    j->kept_ms[3] = r->gpu_compute_ms;
    j->kept_ms[4] = r->total_ms;
}

/* A completed equal job that only the store still has; NULL when there is none. One pin. */
static cuzk_status find_stored(cuzk_engine *e, const uint8_t content[32], cuzk_bytes request_id,
                               job **out, cuzk_err *err)
{
    found f = {.is_found = false};
    cuzk_err inner = {.msg = ""};
    *out = NULL;
    const cuzk_status st =
        e->store.find_content(e->store.arg, content, request_id, take_found, &f, &inner);
    if (st != CUZK_OK && st != CUZK_E_NOT_FOUND) {
        return CUZK_FAIL(err, st, "job store: %s", inner.msg);
    }
    if (f.j != NULL) {
        *out = f.j;
    }
    return CUZK_OK;
}

/* An ended job that only the store still has. One pin. No lock. */
static cuzk_status find_stored_id(cuzk_engine *e, const char *id, job **out, cuzk_err *err)
{
    found f = {.is_found = false};
    cuzk_err inner = {.msg = ""};
    const cuzk_status st = e->store.find(e->store.arg, id, take_found, &f, &inner);
    if (st == CUZK_OK && f.j != NULL && f.j->state >= CUZK_JOB_COMPLETED) {
        *out = f.j;
        return CUZK_OK;
    }
    if (f.j != NULL) {
        cuzk_job_unpin(e, f.j);
    }
    if (st == CUZK_OK && !f.is_found) {
        return CUZK_FAIL(err, CUZK_E_NOT_FOUND, "job not found: %s", id);
    }
    if (st == CUZK_OK) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for a job");
    }
    return CUZK_FAIL(err, st, st == CUZK_E_NOT_FOUND ? "job not found: %s" : "job store: %s",
                     st == CUZK_E_NOT_FOUND ? id : inner.msg);
}

/* True when another job, with other content or not proved again, has this id. */
static bool is_taken_in_store(cuzk_engine *e, const job *j, const char *id)
{
    found f = {.is_found = false};
    cuzk_err err;
    const cuzk_status st = e->store.find(e->store.arg, id, take_found, &f, &err);
    if (f.j != NULL) {
        cuzk_job_unpin(e, f.j);
    }
    return st == CUZK_OK && f.is_found && memcmp(f.content, j->content, 32) != 0;
}

/* The first candidate is the request_id, then with the job's number, then with more numbers. */
static void candidate(char out[CUZK_JOB_ID_BYTES], const job *j, uint32_t attempt)
{
    const cuzk_bytes r = j->rq.request_id;
    size_t n = r.size < ID_TEXT_BYTES ? r.size : ID_TEXT_BYTES;
    while (n < r.size && n > 0 && (r.data[n] & 0xc0) == 0x80) {
        n--; /* not in the middle of a character */
    }
    if (n == 0 || memchr(r.data, 0, n) != NULL) {
        (void)snprintf(out, CUZK_JOB_ID_BYTES, attempt == 0 ? "job-%llu" : "job-%llu-%u",
                       (unsigned long long)j->number, attempt);
        return;
    }
    if (attempt == 0 && n == r.size) {
        (void)snprintf(out, CUZK_JOB_ID_BYTES, "%.*s", (int)n, (const char *)r.data);
        return;
    }
    (void)snprintf(out, CUZK_JOB_ID_BYTES, attempt < 2 ? "%.*s#%llu" : "%.*s#%llu-%u", (int)n,
                   (const char *)r.data, (unsigned long long)j->number, attempt);
}

/* Gives the job an id that nobody else has. With the lock, which it lets go of in between. */
static void choose_id(cuzk_engine *e, job *j)
{
    for (uint32_t attempt = 0;; attempt++) {
        char id[CUZK_JOB_ID_BYTES];
        candidate(id, j, attempt);
        job *other = cuzk_job_by_id(e, id);
        if (other != NULL) {
            /* the same again after a failure: the id now means the new one */
            if (other->phase != PHASE_ENDED || memcmp(other->content, j->content, 32) != 0 ||
                other->waiters != NULL) {
                continue;
            }
            cuzk_job_remove_id(e, other);
        }
        memcpy(j->id, id, sizeof(id));
        cuzk_job_insert_id(e, j);
        pthread_mutex_unlock(&e->mu);
        const bool is_taken = is_taken_in_store(e, j, id);
        pthread_mutex_lock(&e->mu);
        if (!is_taken) {
            return;
        }
        cuzk_job_remove_id(e, j);
    }
}

/* Keeps the proofs in memory when there is room, else leaves them to the store. */
static bool keep_block(cuzk_engine *e, job *j)
{
    const uint64_t n = j->block_bytes;
    if (!j->is_privileged && e->block_used + n > e->block_limit) {
        return false;
    }
    if (!cuzk_reservation_take(&j->block_memory, &e->host, n, j->is_privileged)) {
        return false;
    }
    e->block_used += n;
    return true;
}

static cuzk_status too_many(const cuzk_engine *e, cuzk_err *err)
{
    return CUZK_FAIL(err, CUZK_E_BUDGET,
                     "%u jobs are waiting or running, the most allowed: try later", e->n_open);
}

static cuzk_status put(cuzk_engine *e, job *j, cuzk_err *err)
{
    cuzk_job_record record;
    cuzk_err inner = {.msg = ""};
    cuzk_job_fill_record(j, true, &record);
    record.state = CUZK_JOB_QUEUED;
    record.error = ""; /* the job's own may be written meanwhile, by a cancel */
    pthread_mutex_unlock(&e->mu);
    const cuzk_status st = e->store.put(e->store.arg, &record, &inner);
    if (st == CUZK_OK && j->is_parked) {
        cuzk_job_drop_block(j);
    }
    pthread_mutex_lock(&e->mu);
    return st == CUZK_OK ? st : CUZK_FAIL(err, st, "job store: %s", inner.msg);
}

/* Queues what the store has. */
static void enqueue(cuzk_engine *e, job *j)
{
    cuzk_sched_item item;
    const uint64_t now = cuzk_clock_ns();
    j->is_stored = true;
    cuzk_stage_end(e, j, 0, CUZK_STAGE_ACCEPT, now);
    if (j->outcome != CUZK_JOB_QUEUED) { /* cancelled meanwhile */
        const cuzk_job_state outcome = j->outcome;
        char text[ERROR_BYTES];
        memcpy(text, j->error, sizeof(text));
        j->phase = PHASE_PREP;
        j->outcome = CUZK_JOB_QUEUED;
        const char *after = strstr(text, ": ");
        cuzk_job_over(e, j, outcome, j->code, after != NULL ? after + 2 : text);
        return;
    }
    j->phase = PHASE_PREP;
    cuzk_job_item(j, 0, now, &item);
    item.circuit = j->plan.circuit;
    CUZK_ASSERT(cuzk_sched_push(&e->prep, &item)); /* room for every open job */
    cuzk_engine_log_job(e, 2, "job.accepted", j, NULL, NULL);
    pthread_cond_broadcast(&e->cv_prep);
    pthread_cond_signal(&e->cv_timer);
}

static uint32_t position_of(const cuzk_engine *e, const job *j)
{
    const cuzk_sched *queues[] = {&e->prep, &e->ready};
    cuzk_sched_item mine;
    uint32_t n = 0;
    const uint64_t now = cuzk_clock_ns();
    cuzk_job_item(j, 0, now, &mine);
    for (size_t q = 0; q < 2; q++) {
        for (uint32_t i = 0; i < queues[q]->n; i++) {
            const cuzk_sched_item *other = &queues[q]->items[i];
            n += other->job != j->number && cuzk_sched_before(queues[q], other, &mine, now) ? 1 : 0;
        }
    }
    return n;
}

/* A new job, recorded. With the lock. On failure nothing is left of it. */
static cuzk_status accept_new(cuzk_engine *e, job *j, cuzk_err *err)
{
    cuzk_status st = CUZK_OK;
    j->number = e->next_number++;
    j->phase = PHASE_ACCEPTING;
    j->stage_begin_ns[CUZK_STAGE_ACCEPT] = j->accepted_ns;
    e->n_open++;
    j->pins++; /* the tables' */
    cuzk_job_insert(e, j);
    const bool keeps = keep_block(e, j);
    if (!keeps && e->store.read == NULL) {
        st = CUZK_FAIL(err, CUZK_E_BUDGET,
                       "no room for another %llu bytes of input: %llu of %llu are taken, try later",
                       (unsigned long long)j->block_bytes, (unsigned long long)e->block_used,
                       (unsigned long long)e->block_limit);
    }
    if (st == CUZK_OK) {
        choose_id(e, j);
        j->is_parked = !keeps;
        st = put(e, j, err);
    }
    if (st != CUZK_OK) {
        e->block_used -= j->block_memory.bytes;
        cuzk_engine_give_host(e, &j->block_memory, 0);
        j->phase = PHASE_ENDED;
        j->outcome = CUZK_JOB_FAILED;
        e->n_open--;
        cuzk_job_forget(e, j);
    } else {
        enqueue(e, j);
    }
    pthread_cond_broadcast(&e->cv_change);
    return st;
}

/* What can be said without looking at other jobs. No lock needed. */
static cuzk_status check_request(cuzk_engine *e, const cuzk_job_request *rq,
                                 cuzk_backend_plan *plan, cuzk_err *err)
{
    if ((int)rq->kind < CUZK_JOB_POREP || (int)rq->kind > CUZK_JOB_WINNING) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "invalid proof_kind: %d", (int)rq->kind);
    }
    CUZK_TRY(e->backend->plan(e->backend->arg, rq, plan, err));
    const bool is_privileged =
        rq->kind == CUZK_JOB_WINNING && class_of(rq) == CUZK_PRIORITY_CRITICAL;
    /* while it is parsed, the input is there twice */
    return cuzk_engine_can_fit(e, plan->circuit, plan->input_bytes + cuzk_job_proof_bytes(rq),
                               is_privileged, err);
}

/*
 * With the lock. *out: an equal job that is under way or kept in memory, with a pin; NULL: none. An
 * equal one that is being recorded is waited for: then it is there, or has failed.
 */
static cuzk_status join_equal(cuzk_engine *e, const cuzk_job_request *rq, const uint8_t content[32],
                              job **out, cuzk_err *err)
{
    *out = NULL;
    for (;;) {
        if (e->draining || e->stop) {
            return CUZK_FAIL(err, CUZK_E_CANCELLED, "the daemon is stopping, no new jobs");
        }
        job *equal = cuzk_job_joinable(e, content, rq->request_id);
        if (equal == NULL) {
            return CUZK_OK;
        }
        equal->pins++;
        if (equal->phase != PHASE_ACCEPTING) {
            join(e, equal, rq);
            *out = equal;
            return CUZK_OK;
        }
        pthread_cond_wait(&e->cv_change, &e->mu);
        cuzk_job_unpin(e, equal);
    }
}

/* With the lock, after a look without it for an equal job. */
static cuzk_status join_or_accept(cuzk_engine *e, const cuzk_job_request *rq, job *mine, job **out,
                                  cuzk_err *err)
{
    CUZK_TRY(join_equal(e, rq, mine->content, out, err));
    if (*out != NULL) {
        return CUZK_OK;
    }
    if (e->n_open >= e->cfg.max_queued_jobs) {
        return too_many(e, err);
    }
    CUZK_TRY(accept_new(e, mine, err));
    mine->pins++;
    *out = mine;
    return CUZK_OK;
}

/*
 * On success *out has one pin, and the block is taken: by the job, or released because an equal job
 * was joined. Without the lock before, with it after.
 */
static cuzk_status accept_job(cuzk_engine *e, const cuzk_job_request *rq,
                              const cuzk_owned_block *block, job **out, cuzk_err *err)
{
    uint8_t content[32];
    cuzk_backend_plan plan = {.circuit = CUZK_CIRCUIT_UNKNOWN};
    job *mine = NULL;
    const uint64_t began = cuzk_clock_ns();
    *out = NULL;
    cuzk_status st = check_request(e, rq, &plan, err);
    if (st == CUZK_OK) {
        cuzk_job_content(content, rq);
    }
    pthread_mutex_lock(&e->mu);
    if (st == CUZK_OK) {
        st = join_equal(e, rq, content, out, err);
    }
    if (st == CUZK_OK && *out == NULL) {
        pthread_mutex_unlock(&e->mu);
        st = find_stored(e, content, rq->request_id, out, err);
        if (st == CUZK_OK && *out == NULL) {
            st = new_job(&mine, rq, block, content, err);
        }
        pthread_mutex_lock(&e->mu);
    }
    if (mine != NULL) {
        mine->plan = plan;
        mine->accepted_ns = began;
        st = join_or_accept(e, rq, mine, out, err);
        if (*out != mine && block != NULL) {
            mine->has_block = false; /* not taken */
        }
    }
    if (st == CUZK_OK && *out != mine && block != NULL && block->release != NULL) {
        pthread_mutex_unlock(&e->mu);
        block->release(block->arg);
        pthread_mutex_lock(&e->mu);
    }
    if (mine != NULL) {
        cuzk_job_unpin(e, mine);
    }
    return st;
}

cuzk_status cuzk_engine_submit(cuzk_engine *e, const cuzk_job_request *request,
                               const cuzk_owned_block *block, char *job_id, uint32_t *position,
                               cuzk_err *err)
{
    job *j = NULL;
    const cuzk_status st = accept_job(e, request, block, &j, err);
    if (st == CUZK_OK) {
        memcpy(job_id, j->id, CUZK_JOB_ID_BYTES);
        if (position != NULL) {
            *position = j->phase == PHASE_PREP || j->phase == PHASE_READY ? position_of(e, j) : 0;
        }
        cuzk_job_unpin(e, j);
    }
    pthread_mutex_unlock(&e->mu);
    return st;
}

/* Waits on a pinned job, with the lock held; lets go of pin and lock. */
static cuzk_status wait_on(cuzk_engine *e, job *j, uint64_t timeout_ms, cuzk_job_done_fn done,
                           void *arg, cuzk_wait *wait, cuzk_err *err)
{
    *wait = 0;
    if (j->phase == PHASE_ENDED) {
        cuzk_job_result result;
        cuzk_job_fill_result(j, &result);
        pthread_mutex_unlock(&e->mu);
        done(arg, &result);
        pthread_mutex_lock(&e->mu);
        cuzk_job_unpin(e, j);
        pthread_mutex_unlock(&e->mu);
        return CUZK_OK;
    }
    uint64_t until = 0;
    if (timeout_ms != 0) {
        const uint64_t now = cuzk_clock_ns();
        until = timeout_ms < (UINT64_MAX - now) / MS_NS ? now + timeout_ms * MS_NS : UINT64_MAX;
    }
    waiter *w = cuzk_waiter_add(e, j, done, arg, until);
    if (w != NULL) {
        *wait = w->id;
        pthread_cond_signal(&e->cv_timer);
    } else {
        cuzk_waiters_check(e, j); /* it would have been watched */
    }
    cuzk_job_unpin(e, j);
    pthread_mutex_unlock(&e->mu);
    return w != NULL ? CUZK_OK : CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for a wait");
}

cuzk_status cuzk_engine_await(cuzk_engine *e, const char *job_id, uint64_t timeout_ms,
                              cuzk_job_done_fn done, void *arg, cuzk_wait *wait, cuzk_err *err)
{
    pthread_mutex_lock(&e->mu);
    job *j = cuzk_job_by_id(e, job_id);
    while (j != NULL && j->phase == PHASE_ACCEPTING) {
        pthread_cond_wait(&e->cv_change, &e->mu);
        j = cuzk_job_by_id(e, job_id);
    }
    if (j != NULL) {
        j->pins++;
        return wait_on(e, j, timeout_ms, done, arg, wait, err);
    }
    pthread_mutex_unlock(&e->mu);
    CUZK_TRY(find_stored_id(e, job_id, &j, err));
    pthread_mutex_lock(&e->mu);
    return wait_on(e, j, timeout_ms, done, arg, wait, err);
}

cuzk_status cuzk_engine_prove(cuzk_engine *e, const cuzk_job_request *request,
                              const cuzk_owned_block *block, cuzk_job_done_fn done, void *arg,
                              cuzk_wait *wait, cuzk_err *err)
{
    job *j = NULL;
    const cuzk_status st = accept_job(e, request, block, &j, err);
    if (st != CUZK_OK) {
        pthread_mutex_unlock(&e->mu);
        return st;
    }
    return wait_on(e, j, 0, done, arg, wait, err);
}

cuzk_status cuzk_engine_cancel(cuzk_engine *e, const char *job_id, bool *was_running, cuzk_err *err)
{
    pthread_mutex_lock(&e->mu);
    job *j = cuzk_job_by_id(e, job_id);
    if (j != NULL) {
        *was_running = j->phase != PHASE_ENDED && j->state == CUZK_JOB_RUNNING;
        cuzk_job_over(e, j, CUZK_JOB_CANCELLED, CUZK_E_CANCELLED, "cancelled");
        pthread_mutex_unlock(&e->mu);
        return CUZK_OK;
    }
    pthread_mutex_unlock(&e->mu);
    CUZK_TRY(find_stored_id(e, job_id, &j, err));
    *was_running = false;
    cuzk_job_unpin(e, j);
    return CUZK_OK;
}

/* Unfinished jobs of an earlier run. */
typedef struct taking_up {
    cuzk_engine *e;
    cuzk_status st;
    cuzk_err *err;
} taking_up;

/* There may be more than are accepted now. */
static cuzk_status reserve_queues(cuzk_engine *e, uint32_t n, cuzk_err *err)
{
    cuzk_sched *const queues[] = {&e->prep, &e->ready, &e->on_device, &e->to_verify};
    for (size_t i = 0; i < 4; i++) {
        CUZK_TRY(cuzk_sched_reserve(queues[i], n, err));
    }
    return CUZK_OK;
}

static void take_up_one(void *arg, const cuzk_job_record *r)
{
    taking_up *t = arg;
    cuzk_engine *e = t->e;
    job *j = NULL;
    if (t->st != CUZK_OK) {
        return;
    }
    t->st = new_job(&j, &r->request, NULL, r->content, t->err);
    if (t->st != CUZK_OK) {
        return;
    }
    j->number = r->number;
    j->accepted_unix_ms = r->accepted_unix_ms;
    j->is_watched_only = false; /* its waiters went with the old process; a retry will join it */
    if (r->deadline_unix_ms != 0) {
        const int64_t left_ms = r->deadline_unix_ms - unix_ms();
        j->deadline_unix_ms = r->deadline_unix_ms;
        j->deadline_ns = left_ms > 0 ? j->accepted_ns + (uint64_t)left_ms * MS_NS : 1;
    }
    cuzk_err plan_err = {.msg = ""};
    const cuzk_status planned = e->backend->plan(e->backend->arg, &j->rq, &j->plan, &plan_err);
    pthread_mutex_lock(&e->mu);
    (void)snprintf(j->id, sizeof(j->id), "%s", r->job_id);
    t->st = reserve_queues(e, e->n_open + 1, t->err);
    if (t->st != CUZK_OK) {
        cuzk_job_unpin(e, j);
        pthread_mutex_unlock(&e->mu);
        return;
    }
    e->n_open++;
    cuzk_job_insert(e, j);
    cuzk_job_insert_id(e, j);
    if (!keep_block(e, j)) {
        if (e->store.read == NULL) {
            t->st = CUZK_FAIL(t->err, CUZK_E_BUDGET, "no memory for the stored jobs");
        } else {
            j->is_parked = true;
            cuzk_job_drop_block(j);
        }
    }
    enqueue(e, j);
    if (planned != CUZK_OK) {
        cuzk_job_over(e, j, CUZK_JOB_FAILED, planned, plan_err.msg);
    }
    pthread_mutex_unlock(&e->mu);
}

cuzk_status cuzk_engine_take_up(cuzk_engine *e, cuzk_err *err)
{
    taking_up t = {.e = e, .st = CUZK_OK, .err = err};
    uint64_t next = 1;
    cuzk_err inner = {.msg = ""};
    const cuzk_status st = e->store.load(e->store.arg, take_up_one, &t, &next, &inner);
    if (st != CUZK_OK) {
        return CUZK_FAIL(err, st, "job store: %s", inner.msg);
    }
    e->next_number = next != 0 ? next : 1;
    return t.st;
}
