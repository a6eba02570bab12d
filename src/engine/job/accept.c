/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Accepting a job: it is joined to an equal one, or recorded and queued. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "base/clock.h"
#include "engine/job/accept_internal.h"

#define ID_TEXT_BYTES 256 /* longest part of a request_id in a job id */

int64_t cuzk_engine_unix_ms(void)
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
    case CUZK_JOB_UPDATE:
    case CUZK_JOB_AGGREGATE: break;
    }
    return CUZK_PRIORITY_NORMAL;
}

/* Joins a request to a job: the job gets the higher priority and the later deadline of the two. */
LOCKED static void join(cuzk_engine *e, job *j, const cuzk_job_request *rq)
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
    cuzk_job_refresh_items(&e->queues, j);
    /* another worker may be the one to serve it now: the one that is kept for WinningPoSt */
    cuzk_engine_wake_prep(e);
    pthread_cond_broadcast(&e->locks.witness);
    pthread_cond_broadcast(&e->locks.device);
    pthread_cond_broadcast(&e->locks.verify);
    pthread_cond_signal(&e->locks.timer);
}

cuzk_status cuzk_job_new(job **out, const cuzk_job_request *rq, const cuzk_owned_block *block,
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
    (void)snprintf(j->peer, sizeof(j->peer), "%s", rq->peer != NULL ? rq->peer : "");
    j->rq.peer = NULL;
    j->is_privileged = rq->kind == CUZK_JOB_WINNING && j->class_base == CUZK_PRIORITY_CRITICAL;
    j->circuit = CUZK_CIRCUIT_UNKNOWN;
    j->accepted_ns = cuzk_clock_ns();
    j->accepted_unix_ms = cuzk_engine_unix_ms();
    if (rq->deadline_ns != 0) {
        const int64_t left = ((int64_t)rq->deadline_ns - (int64_t)j->accepted_ns) / (int64_t)MS_NS;
        j->deadline_unix_ms = j->accepted_unix_ms + left;
    }
    cuzk_job_clock_start(&j->clock, j->accepted_ns);
    j->pins = 1; /* the caller's */
    *out = j;
    return CUZK_OK;
}

/* The first candidate is the request_id, then with the job's number, then with more numbers. */
static void candidate(char out[CUZK_JOB_ID_BYTES], const job *j, uint32_t attempt)
{
    const cuzk_bytes r = j->rq.request_id;
    size_t n = r.size < ID_TEXT_BYTES ? r.size : ID_TEXT_BYTES;
    while (n < r.size && n > 0 && (r.data[n] & 0xc0) == 0x80) {
        n--; /* does not cut within a UTF-8 character */
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

/*
 * Gives the job an id that no other job has. Asks the store, and releases the lock meanwhile. Until the job is
 * accepted, calls that name the id wait (cuzk_engine_cancel, cuzk_engine_await).
 */
LOCKED static void choose_id(cuzk_engine *e, job *j)
{
    for (uint32_t attempt = 0;; attempt++) {
        char id[CUZK_JOB_ID_BYTES];
        candidate(id, j, attempt);
        job *other = cuzk_job_by_id(&e->jobs, id);
        if (other != NULL) {
            /* the same request again after a failure: the id names the new job from now on */
            if (other->phase != PHASE_ENDED || memcmp(other->content, j->content, 32) != 0 ||
                other->waiters != NULL) {
                continue;
            }
            cuzk_job_remove_id(&e->jobs, other);
        }
        memcpy(j->id, id, sizeof(id));
        cuzk_job_insert_id(&e->jobs, j);
        cuzk_engine_unlock(e);
        const bool is_taken = cuzk_job_id_is_taken(&e->store, j, id);
        cuzk_engine_lock(e);
        if (!is_taken) {
            return;
        }
        cuzk_job_remove_id(&e->jobs, j);
    }
}

/* Keeps the proofs in memory when there is room; otherwise only the store has them. */
bool cuzk_job_keep_block(engine_memory *memory, job *j)
{
    const uint64_t n = j->block_bytes;
    if (!j->is_privileged && memory->block_used + n > memory->block_limit) {
        return false;
    }
    if (!cuzk_reservation_take(&j->block_memory, &memory->host, n, j->is_privileged)) {
        return false;
    }
    memory->block_used += n;
    return true;
}

LOCKED static cuzk_status too_many(const job_table *jobs, cuzk_err *err)
{
    return CUZK_FAIL(err, CUZK_E_BUDGET,
                     "%u jobs are waiting or running, the most allowed: try later", jobs->n_open);
}

LOCKED static cuzk_status put(cuzk_engine *e, job *j, cuzk_err *err)
{
    cuzk_job_record record;
    cuzk_err inner = {.msg = ""};
    cuzk_job_fill_record(j, true, &record);
    record.state = CUZK_JOB_QUEUED;
    record.error = ""; /* not the job's own, which a cancel may write at the same time */
    /* shared queue: the most urgent job is claimed at once, unless it would have to wait here */
    record.claims = j->is_privileged && cuzk_shared_starts_at_once(e);
    record.circuit =
        j->plan.circuit < e->backend->n_circuits ? e->backend->circuits[j->plan.circuit].id : NULL;
    cuzk_engine_unlock(e);
    const cuzk_status st = e->store.put(e->store.arg, &record, &inner);
    if (st == CUZK_OK && j->is_parked) {
        cuzk_job_drop_block(j);
    }
    cuzk_engine_lock(e);
    return st == CUZK_OK ? st : CUZK_FAIL(err, st, "%s", inner.msg);
}

/* Queues the jobs that are in the store. */
void cuzk_job_enqueue(cuzk_engine *e, job *j)
{
    cuzk_sched_item item;
    const uint64_t now = cuzk_clock_ns();
    j->is_stored = true;
    cuzk_stage_end(&e->counts, j, 0, CUZK_STAGE_ACCEPT, now);
    cuzk_stage_span_add(e, j, CUZK_STAGE_ACCEPT);
    cuzk_job_clock_wait(&j->clock, CUZK_JOB_WAITS_FIRST, now);
    /* the outcome was decided meanwhile: by a deadline, or because the engine stops */
    if (j->outcome != CUZK_JOB_QUEUED) {
        cuzk_job_end(e, j);
        return;
    }
    j->phase = PHASE_PREP;
    cuzk_job_item(j, 0, now, &item);
    item.circuit = j->plan.circuit;
    CUZK_ASSERT(cuzk_sched_push(&e->queues.prep, &item)); /* room for every open job */
    cuzk_engine_log_job(e, 2, "job.accepted", j, NULL, NULL);
    cuzk_engine_wake_prep(e);
    pthread_cond_signal(&e->locks.timer);
}

/* True when a job of this circuit and input could run if it were the only one. */
LOCKED static cuzk_status can_fit(const cuzk_engine *e, const cuzk_job_request *rq,
                                  const cuzk_backend_plan *plan, bool is_privileged, cuzk_err *err)
{
    CUZK_TRY(cuzk_engine_can_prove(e, plan->circuit, is_privileged, err));
    /* while a job is parsed, its input is in memory twice */
    return cuzk_engine_can_fit(e, plan->circuit, plan->input_bytes + cuzk_job_proof_bytes(rq),
                               is_privileged, err);
}

/* Makes and records a new job. Releases the lock meanwhile. On failure nothing of the job remains. */
LOCKED static cuzk_status accept_new(cuzk_engine *e, job *j, cuzk_err *err)
{
    /* a reconfiguration may have come since the request was checked */
    cuzk_status st = can_fit(e, &j->rq, &j->plan, j->is_privileged, err);
    if (st != CUZK_OK) {
        return st;
    }
    j->number = e->jobs.next_number++;
    j->phase = PHASE_ACCEPTING;
    j->stage_begin_ns[CUZK_STAGE_ACCEPT] = j->accepted_ns;
    e->jobs.n_open++;
    j->pins++; /* the tables' */
    cuzk_job_insert(&e->jobs, j);
    const bool keeps = cuzk_job_keep_block(&e->memory, j);
    if (!keeps && e->store.read == NULL) {
        st = CUZK_FAIL(err, CUZK_E_BUDGET,
                       "no room for another %llu bytes of input: %llu of %llu are taken, try later",
                       (unsigned long long)j->block_bytes, (unsigned long long)e->memory.block_used,
                       (unsigned long long)e->memory.block_limit);
    }
    if (st == CUZK_OK) {
        choose_id(e, j);
        j->is_parked = !keeps;
        st = put(e, j, err);
    }
    if (st != CUZK_OK) {
        e->memory.block_used -= j->block_memory.bytes;
        cuzk_engine_give_host(e, &j->block_memory, 0);
        j->phase = PHASE_ENDED;
        j->outcome = CUZK_JOB_FAILED;
        e->jobs.n_open--;
        cuzk_job_forget(&e->jobs, j);
    } else if (e->store.shared != NULL && !e->store.shared->is_held(e->store.arg, j->number)) {
        cuzk_shared_leave(e, j);
    } else {
        cuzk_job_enqueue(e, j);
    }
    pthread_cond_broadcast(&e->locks.change);
    return st;
}

/* Checks that need no look at other jobs. */
LOCKED static cuzk_status check_request(cuzk_engine *e, const cuzk_job_request *rq,
                                        const cuzk_backend_plan *plan, cuzk_err *err)
{
    const bool is_privileged =
        rq->kind == CUZK_JOB_WINNING && class_of(rq) == CUZK_PRIORITY_CRITICAL;
    return can_fit(e, rq, plan, is_privileged, err);
}

/*
 * With the lock. *out: an equal job that is under way or kept in memory, with a pin; NULL: none. An
 * equal one that is being recorded is waited for: then it is there, or has failed.
 */
LOCKED static cuzk_status join_equal(cuzk_engine *e, const cuzk_job_request *rq,
                                     const uint8_t content[32], job **out, cuzk_err *err)
{
    *out = NULL;
    for (;;) {
        if (e->draining || e->stop) {
            return CUZK_FAIL(err, CUZK_E_CANCELLED, "the daemon is stopping, no new jobs");
        }
        job *equal = cuzk_job_joinable(&e->jobs, content, rq->request_id);
        if (equal == NULL) {
            return CUZK_OK;
        }
        equal->pins++;
        if (equal->phase != PHASE_ACCEPTING) {
            join(e, equal, rq);
            *out = equal;
            return CUZK_OK;
        }
        cuzk_engine_wait(e, &e->locks.change);
        cuzk_job_unpin(equal);
    }
}

static bool same_owner(const job *a, const job *b)
{
    const cuzk_bytes x = a->rq.owner, y = b->rq.owner;
    return x.size == y.size && (x.size == 0 || memcmp(x.data, y.data, x.size) == 0);
}

/* True when the caller has a privileged job that has not ended. */
LOCKED static bool has_privileged(const job_table *jobs, const job *mine)
{
    for (const job *j = jobs->first; j != NULL; j = j->next) {
        if (j->is_privileged && j->phase != PHASE_ENDED && j != mine && same_owner(j, mine)) {
            return true;
        }
    }
    return false;
}

/*
 * True when the queue has a place for the job. A caller that fills the places of WinningPoSt cannot take the last
 * ones from other callers.
 */
LOCKED static bool has_place(const cuzk_engine *e, const job *mine)
{
    const uint32_t own = e->cfg.max_queued_jobs, n = e->jobs.n_open;
    if (n < own || !mine->is_privileged) {
        return n < own;
    }
    return n < own + WINNING_PLACES - WINNING_OTHERS ||
           (n < own + WINNING_PLACES && !has_privileged(&e->jobs, mine));
}

/* With the lock. The caller has looked for an equal job in the store without the lock. */
LOCKED static cuzk_status join_or_accept(cuzk_engine *e, const cuzk_job_request *rq, job *mine,
                                         job **out, cuzk_err *err)
{
    CUZK_TRY(join_equal(e, rq, mine->content, out, err));
    if (*out != NULL) {
        return CUZK_OK;
    }
    if (!has_place(e, mine)) {
        return too_many(&e->jobs, err);
    }
    CUZK_TRY(accept_new(e, mine, err));
    mine->pins++;
    *out = mine;
    return CUZK_OK;
}

/* The hash of the request's content and its plan. Needs no lock. */
static cuzk_status look_at(const cuzk_engine_backend *backend, const cuzk_job_request *rq,
                           uint8_t content[32], cuzk_backend_plan *plan, cuzk_err *err)
{
    if ((int)rq->kind < CUZK_JOB_POREP || (int)rq->kind > CUZK_JOB_AGGREGATE) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "invalid proof_kind: %d", (int)rq->kind);
    }
    if (rq->kind == CUZK_JOB_AGGREGATE && backend->aggregate == NULL) {
        return CUZK_FAIL(err, CUZK_E_UNSUPPORTED, "no aggregates are made here");
    }
    CUZK_TRY(backend->plan(backend->arg, rq, plan, err));
    cuzk_job_content(content, rq);
    return CUZK_OK;
}

/* Another daemon has accepted an equal job just now. Releases the lock meanwhile. */
LOCKED static cuzk_status join_other_daemon(cuzk_engine *e, const cuzk_job_request *rq,
                                            const job *mine, job **out, cuzk_err *err)
{
    cuzk_engine_unlock(e);
    const cuzk_status st = cuzk_job_find_stored(e, mine->content, rq->request_id, out, err);
    cuzk_engine_lock(e);
    if (st == CUZK_OK && *out == NULL) {
        return CUZK_FAIL(err, CUZK_E_IO, "an equal job of another daemon ends just now: try again");
    }
    return st;
}

cuzk_status cuzk_job_accept(cuzk_engine *e, const cuzk_job_request *rq,
                            const cuzk_owned_block *block, job **out, cuzk_err *err)
{
    uint8_t content[32];
    cuzk_backend_plan plan = {.circuit = CUZK_CIRCUIT_UNKNOWN};
    job *mine = NULL;
    const uint64_t began = cuzk_clock_ns();
    *out = NULL;
    cuzk_engine_unlock(e);
    cuzk_status st = look_at(e->backend, rq, content, &plan, err);
    cuzk_engine_lock(e);
    if (st == CUZK_OK) {
        st = check_request(e, rq, &plan, err);
    }
    if (st == CUZK_OK) {
        st = join_equal(e, rq, content, out, err);
    }
    if (st == CUZK_OK && *out == NULL) {
        cuzk_engine_unlock(e);
        st = cuzk_job_find_stored(e, content, rq->request_id, out, err);
        if (st == CUZK_OK && *out == NULL) {
            st = cuzk_job_new(&mine, rq, block, content, err);
        }
        cuzk_engine_lock(e);
    }
    if (mine != NULL) {
        mine->plan = plan;
        mine->accepted_ns = began;
        cuzk_job_clock_start(&mine->clock, began);
        st = join_or_accept(e, rq, mine, out, err);
        if (st == CUZK_E_EXISTS && e->store.shared != NULL) {
            st = join_other_daemon(e, rq, mine, out, err);
        }
        if (*out != mine && block != NULL) {
            mine->has_block = false; /* not taken */
        }
    }
    if (st == CUZK_OK && *out != mine && block != NULL && block->release != NULL) {
        cuzk_engine_unlock(e);
        block->release(block->arg);
        cuzk_engine_lock(e);
    }
    if (mine != NULL) {
        cuzk_job_unpin(mine);
    }
    return st;
}
