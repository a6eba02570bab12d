/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The end of jobs: outcome, record, waiters. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "engine/engine_internal.h"

static int64_t unix_ms(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Whose fault it is: operators and clients act on it (retry elsewhere, or never). */
static const char *class_of(cuzk_status st)
{
    switch (st) {
    case CUZK_E_INVALID:
    case CUZK_E_FORMAT:
    case CUZK_E_VANILLA:
    case CUZK_E_ENCODING:
    case CUZK_E_NOT_ON_CURVE:
    case CUZK_E_NOT_IN_GROUP:
    case CUZK_E_INFINITY:
    case CUZK_E_UNSUPPORTED: return "input: ";
    case CUZK_E_NOMEM:
    case CUZK_E_BUDGET:
    case CUZK_E_IO:
    case CUZK_E_CANCELLED:
    case CUZK_E_NOT_FOUND:
    case CUZK_E_EXISTS:
    case CUZK_E_DIGEST:
    case CUZK_E_DEV_NOMEM:
    case CUZK_E_DEV_LOST:
    case CUZK_E_DEV_UNFIT: return "environment: ";
    case CUZK_OK:
    case CUZK_E_SELFTEST:
    case CUZK_E_UNSATISFIED:
    case CUZK_E_PROOF_FALSE: break;
    }
    return "internal: ";
}

static void leave_queue(cuzk_engine *e, cuzk_sched *q, const job *j)
{
    for (uint32_t i = 0; i < q->n;) {
        if (q->items[i].job == j->number) {
            (void)cuzk_sched_take(q, i);
        } else {
            i++;
        }
    }
    (void)e;
}

static void drop_flights(cuzk_engine *e, job *j)
{
    for (uint32_t i = 0; j->parts != NULL && i < j->n_partitions; i++) {
        flight *f = j->parts[i].flight;
        if (f != NULL) {
            atomic_store_explicit(&f->cancel.requested, true, memory_order_relaxed);
            if (!f->is_busy) {
                cuzk_flight_drop(e, f);
            }
        }
    }
}

/* In order, but for what is urgent: each takes a write to disk. */
static void queue_finish(cuzk_engine *e, job *j)
{
    if (j->is_privileged) {
        j->next_finish = e->finish_first;
        e->finish_first = j;
        e->finish_last = e->finish_last != NULL ? e->finish_last : j;
        return;
    }
    j->next_finish = NULL;
    *(e->finish_last != NULL ? &e->finish_last->next_finish : &e->finish_first) = j;
    e->finish_last = j;
}

void cuzk_job_over(cuzk_engine *e, job *j, cuzk_job_state outcome, cuzk_status code,
                   const char *text)
{
    if (j->outcome != CUZK_JOB_QUEUED) {
        return;
    }
    j->outcome = outcome;
    j->code = code;
    if (outcome != CUZK_JOB_COMPLETED) {
        (void)snprintf(j->error, sizeof(j->error), "%s%s", class_of(code),
                       text != NULL ? text : "");
    }
    atomic_store_explicit(&j->cancel.requested, true, memory_order_relaxed);
    leave_queue(e, &e->prep, j);
    leave_queue(e, &e->ready, j);
    leave_queue(e, &e->on_device, j);
    leave_queue(e, &e->to_verify, j);
    drop_flights(e, j);
    if (j->phase == PHASE_ACCEPTING) {
        return; /* accept goes on from here when the store has it */
    }
    j->phase = PHASE_ENDING;
    j->ended_ns = cuzk_clock_ns();
    j->ended_unix_ms = unix_ms();
    j->pins++; /* the finisher's */
    queue_finish(e, j);
    cuzk_job_settle(e, j);
    pthread_cond_signal(&e->cv_finish);
    cuzk_engine_wake_memory(e);
}

void cuzk_job_settle(cuzk_engine *e, job *j)
{
    if (j->phase < PHASE_ENDING || j->input_users != 0 || j->in_dead) {
        return;
    }
    if (j->input != NULL || j->has_block || j->input_memory.bytes != 0 ||
        j->block_memory.bytes != 0) {
        j->in_dead = true;
        j->pins++; /* the release thread's */
        j->next_dead = e->dead_jobs;
        e->dead_jobs = j;
        e->dead_bytes += j->input_memory.bytes + j->block_memory.bytes;
        pthread_cond_signal(&e->cv_release);
    }
}

static void fill_times(job *j)
{
    const uint64_t launched = j->launched_ns != 0 ? j->launched_ns : j->ended_ns;
    const uint64_t before = launched - j->accepted_ns;
    const uint64_t busy = j->prep_ns + j->load_ns;
    j->kept_ms[0] = (before > busy ? before - busy : 0) / MS_NS;
    j->kept_ms[1] = j->load_ns / MS_NS;
    j->kept_ms[2] = j->witness_ns / MS_NS;
    j->kept_ms[3] = j->device_ns / MS_NS;
    j->kept_ms[4] = (j->ended_ns - j->accepted_ns) / MS_NS;
}

void cuzk_job_fill_record(const job *j, bool with_input, cuzk_job_record *out)
{
    *out = (cuzk_job_record){
        .number = j->number,
        .job_id = j->id,
        .request = j->rq,
        .accepted_unix_ms = j->accepted_unix_ms,
        .deadline_unix_ms = j->deadline_unix_ms,
        .cancel_when_unwatched = j->is_watched_only,
        .state = j->outcome,
        .ended_unix_ms = j->ended_unix_ms,
        .code = j->code,
        .error = j->error,
        .proof = {j->proof, j->proof != NULL ? (size_t)j->n_partitions * PROOF_BYTES : 0},
        .queue_wait_ms = j->kept_ms[0],
        .srs_load_ms = j->kept_ms[1],
        .synthesis_ms = j->kept_ms[2],
        .gpu_compute_ms = j->kept_ms[3],
        .total_ms = j->kept_ms[4],
    };
    memcpy(out->content, j->content, sizeof(out->content));
    if (!with_input) {
        out->request.vanilla_proof = (cuzk_bytes){NULL, 0};
        out->request.vanilla_proofs = NULL;
        out->request.n_vanilla_proofs = 0;
    }
}

void cuzk_job_fill_result(const job *j, cuzk_job_result *out)
{
    const bool is_over = j->phase == PHASE_ENDED;
    *out = (cuzk_job_result){
        .job_id = j->id, .request_id = j->rq.request_id, .state = j->state, .error = ""};
    if (is_over) {
        out->code = j->code;
        out->error = j->error;
        if (j->state == CUZK_JOB_COMPLETED) {
            out->proof = (cuzk_bytes){j->proof, (size_t)j->n_partitions * PROOF_BYTES};
        }
        out->queue_wait_ms = j->kept_ms[0];
        out->srs_load_ms = j->kept_ms[1];
        out->synthesis_ms = j->kept_ms[2];
        out->gpu_compute_ms = j->kept_ms[3];
        out->total_ms = j->kept_ms[4];
    }
}

static void count(cuzk_engine *e, const job *j)
{
    const cuzk_job_kind k = j->rq.kind;
    switch (j->outcome) {
    case CUZK_JOB_COMPLETED: e->completed[k]++; break;
    case CUZK_JOB_FAILED: e->failed[k]++; break;
    case CUZK_JOB_CANCELLED: e->cancelled[k]++; break;
    case CUZK_JOB_QUEUED:
    case CUZK_JOB_RUNNING: break;
    }
    cuzk_histogram_add(&e->job_time[k], j->ended_ns - j->accepted_ns);
}

/* Ended jobs beyond what is kept in memory; the store has them all. */
static void forget_old(cuzk_engine *e)
{
    const uint32_t keep = e->cfg.result_keep_count < RAM_KEEP ? e->cfg.result_keep_count : RAM_KEEP;
    for (job *j = e->first; j != NULL && e->n_ended > keep;) {
        job *next = j->next;
        if (j->phase == PHASE_ENDED && j->waiters == NULL) {
            e->n_ended--;
            cuzk_job_forget(e, j);
        }
        j = next;
    }
}

/* The result is durable before anybody is told. When the store cannot take it, the waiters are told
 * all the same: the proof is good, and the job will be found unfinished and proved again at worst. */
static void finish(cuzk_engine *e, job *j)
{
    cuzk_job_record record;
    cuzk_err err = {.msg = ""};
    cuzk_status st = CUZK_OK;
    const uint64_t begin = cuzk_clock_ns();
    j->stage_begin_ns[CUZK_STAGE_RETURN] = begin;
    fill_times(j);
    cuzk_job_fill_record(j, false, &record);
    const bool is_kept = j->is_stored && !j->is_left_in_store;
    pthread_mutex_unlock(&e->mu);
    if (is_kept) {
        st = e->store.finish(e->store.arg, &record, &err);
    }
    pthread_mutex_lock(&e->mu);
    if (st != CUZK_OK) {
        cuzk_engine_log_job(e, 0, "job.not_stored", j, "why", err.msg);
    }
    const uint64_t end = cuzk_clock_ns();
    j->phase = PHASE_ENDED;
    j->state = j->outcome;
    j->stage_end_ns[CUZK_STAGE_RETURN] = end;
    for (uint32_t i = 0; j->parts != NULL && i < j->n_partitions; i++) {
        j->parts[i].begin_ns[CUZK_STAGE_RETURN] = begin;
        j->parts[i].end_ns[CUZK_STAGE_RETURN] = end;
    }
    cuzk_histogram_add(&e->stage[CUZK_STAGE_RETURN][j->rq.kind], end - begin);
    e->n_open--;
    e->n_ended++;
    count(e, j);
    char devices[64];
    cuzk_job_devices(e, j, devices, sizeof(devices));
    cuzk_engine_log_job(e, j->outcome == CUZK_JOB_FAILED ? 1 : 2, "job.over", j,
                        j->outcome == CUZK_JOB_COMPLETED ? "devices"
                        : j->error[0] != '\0'            ? "error"
                                                         : NULL,
                        j->outcome == CUZK_JOB_COMPLETED ? devices : j->error);
    cuzk_waiters_call_all(e, j);
    forget_old(e);
    cuzk_job_unpin(e, j);
    pthread_cond_broadcast(&e->cv_change);
}

void cuzk_finish_loop(worker *w)
{
    cuzk_engine *e = w->e;
    pthread_mutex_lock(&e->mu);
    for (;;) {
        job *j = e->finish_first;
        if (j != NULL) {
            e->finish_first = j->next_finish;
            if (e->finish_first == NULL) {
                e->finish_last = NULL;
            }
            finish(e, j);
        } else if (e->stop) {
            break;
        } else {
            pthread_cond_wait(&e->cv_finish, &e->mu);
        }
    }
    pthread_mutex_unlock(&e->mu);
}
