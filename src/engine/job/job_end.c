/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The end of a job: its outcome, its record, its waiters. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "engine/job/accept_internal.h"

static void leave_queue(cuzk_sched *q, const job *j)
{
    for (uint32_t i = 0; i < q->n;) {
        if (q->items[i].job == j->number) {
            (void)cuzk_sched_take(q, i);
        } else {
            i++;
        }
    }
}

LOCKED static void drop_flights(cuzk_engine *e, job *j)
{
    for (uint32_t i = 0; j->partitions != NULL && i < j->n_partitions; i++) {
        flight *f = j->partitions[i].flight;
        if (f != NULL) {
            atomic_store_explicit(&f->cancel.requested, true, memory_order_relaxed);
            if (!f->is_busy) {
                cuzk_flight_drop(e, f);
            }
        }
    }
}

/* In order, except for urgent jobs: each record takes a write to disk. */
LOCKED static void queue_finish(job_table *jobs, job *j)
{
    if (j->is_privileged) {
        j->next_finish = jobs->finish_first;
        jobs->finish_first = j;
        jobs->finish_last = jobs->finish_last != NULL ? jobs->finish_last : j;
        return;
    }
    j->next_finish = NULL;
    *(jobs->finish_last != NULL ? &jobs->finish_last->next_finish : &jobs->finish_first) = j;
    jobs->finish_last = j;
}

void cuzk_job_set_outcome(cuzk_engine *e, job *j, cuzk_job_state outcome, cuzk_status code,
                          const char *text)
{
    if (j->outcome != CUZK_JOB_QUEUED) {
        return;
    }
    if (j->phase == PHASE_ELSEWHERE) {
        /* the shared queue has it as ended; the thread of shared_queue.c asks for its result */
        j->wants_cancel = true;
        e->store.shared->wake(e->store.arg);
        return;
    }
    j->outcome = outcome;
    j->code = code;
    if (outcome != CUZK_JOB_COMPLETED) {
        (void)snprintf(j->error, sizeof(j->error), "%s: %s", cuzk_job_error_class(code),
                       text != NULL ? text : "");
    }
    atomic_store_explicit(&j->cancel.requested, true, memory_order_relaxed);
    /* otherwise cuzk_job_enqueue continues once the store has it */
    if (j->phase != PHASE_ACCEPTING) {
        cuzk_job_end(e, j);
    }
}

void cuzk_job_end(cuzk_engine *e, job *j)
{
    leave_queue(&e->queues.prep, j);
    leave_queue(&e->queues.ready, j);
    leave_queue(&e->queues.on_device, j);
    leave_queue(&e->queues.to_verify, j);
    leave_queue(&e->queues.to_aggregate, j);
    drop_flights(e, j);
    j->phase = PHASE_ENDING;
    j->ended_ns = cuzk_clock_ns();
    j->ended_unix_ms = cuzk_engine_unix_ms();
    cuzk_job_clock_end(&j->clock, j->ended_ns);
    j->pins++; /* the finisher's */
    queue_finish(&e->jobs, j);
    cuzk_job_release_input(e, j);
    pthread_cond_signal(&e->locks.finish);
    cuzk_engine_wake_memory(e);
}

void cuzk_job_release_input(cuzk_engine *e, job *j)
{
    if (j->phase < PHASE_ENDING || j->input_users != 0 || j->in_dead) {
        return;
    }
    if (j->input != NULL || j->has_block || j->input_memory.bytes != 0 ||
        j->block_memory.bytes != 0) {
        j->in_dead = true;
        j->pins++; /* the release thread's */
        j->next_dead = e->jobs.to_free;
        e->jobs.to_free = j;
        e->memory.leaving_bytes += j->input_memory.bytes + j->block_memory.bytes;
        pthread_cond_signal(&e->locks.release);
    }
}

static void fill_times(job *j)
{
    const uint64_t launched = j->launched_ns != 0 ? j->launched_ns : j->ended_ns;
    const uint64_t before = launched - j->accepted_ns;
    const uint64_t load = cuzk_job_clock_spent(&j->clock, CUZK_JOB_WAITS_LOAD, j->ended_ns);
    const uint64_t busy = j->prep_ns + load;
    j->kept_ms[0] = (before > busy ? before - busy : 0) / MS_NS;
    j->kept_ms[1] = load / MS_NS;
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
        .is_privileged = j->is_privileged,
        .class_base = j->class_base,
        .state = j->outcome,
        .ended_unix_ms = j->ended_unix_ms,
        .code = j->code,
        .error = j->error,
        .proof = {j->proof, j->proof != NULL ? j->proof_bytes : 0},
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

void cuzk_job_fill_times(const job *j, uint64_t now_ns, cuzk_job_times *out)
{
    const cuzk_job_clock *c = &j->clock;
    *out = (cuzk_job_times){
        .accept_ns = cuzk_job_clock_spent(c, CUZK_JOB_ACCEPTING, now_ns),
        .queue_ns = cuzk_job_clock_spent(c, CUZK_JOB_WAITS_FIRST, now_ns),
        .load_ns = cuzk_job_clock_spent(c, CUZK_JOB_WAITS_LOAD, now_ns),
        .wait_ns = cuzk_job_clock_spent(c, CUZK_JOB_WAITS_NEXT, now_ns),
        .return_ns = cuzk_job_clock_spent(c, CUZK_JOB_RETURNING, now_ns),
        .prepare_ns = cuzk_job_clock_spent(c, CUZK_JOB_PREPARES, now_ns),
        .witness_ns = cuzk_job_clock_spent(c, CUZK_JOB_WITNESSES, now_ns),
        .device_ns = cuzk_job_clock_spent(c, CUZK_JOB_ON_DEVICE, now_ns),
        .verify_ns = cuzk_job_clock_spent(c, CUZK_JOB_VERIFIES, now_ns),
        .aggregate_ns = cuzk_job_clock_spent(c, CUZK_JOB_AGGREGATES, now_ns),
        .total_ns = cuzk_job_clock_total(c, now_ns),
    };
}

const char *cuzk_job_error_text(const job *j)
{
    const char *class = cuzk_job_error_class(j->code);
    const size_t n = strlen(class);
    const bool has_class = n != 0 && strncmp(j->error, class, n) == 0 && j->error[n] == ':';
    return has_class && j->error[n + 1] == ' ' ? j->error + n + 2 : j->error;
}

void cuzk_job_fill_result(const job *j, cuzk_job_result *out)
{
    const bool is_over = j->phase == PHASE_ENDED;
    *out = (cuzk_job_result){.job_id = j->id,
                             .request_id = j->rq.request_id,
                             .state = j->state,
                             .error = "",
                             .error_class = "",
                             .error_text = "",
                             .peer = j->peer};
    if (is_over) {
        out->code = j->code;
        out->error = j->error;
        out->error_class = j->error[0] != '\0' ? cuzk_job_error_class(j->code) : "";
        out->error_text = cuzk_job_error_text(j);
        cuzk_job_fill_times(j, j->ended_ns, &out->times);
        if (out->times.total_ns == 0) { /* only the store has it */
            out->times.total_ns = j->kept_ms[4] * MS_NS;
        }
        if (j->state == CUZK_JOB_COMPLETED) {
            out->proof = (cuzk_bytes){j->proof, j->proof_bytes};
        }
        out->queue_wait_ms = j->kept_ms[0];
        out->srs_load_ms = j->kept_ms[1];
        out->synthesis_ms = j->kept_ms[2];
        out->gpu_compute_ms = j->kept_ms[3];
        out->total_ms = j->kept_ms[4];
    }
}

LOCKED static void count(engine_counts *counts, const job *j)
{
    const cuzk_job_kind k = j->rq.kind;
    switch (j->outcome) {
    case CUZK_JOB_COMPLETED: counts->completed[k]++; break;
    case CUZK_JOB_FAILED: counts->failed[k]++; break;
    case CUZK_JOB_CANCELLED: counts->cancelled[k]++; break;
    case CUZK_JOB_QUEUED:
    case CUZK_JOB_RUNNING: break;
    }
    cuzk_histogram_add(&counts->job_time[k], j->ended_ns - j->accepted_ns);
}

void cuzk_jobs_forget_old(cuzk_engine *e)
{
    const uint32_t keep = e->cfg.result_keep_count < RAM_KEEP ? e->cfg.result_keep_count : RAM_KEEP;
    for (job *j = e->jobs.first; j != NULL && e->jobs.n_ended > keep;) {
        job *next = j->next;
        /* an end that only memory has stays, within limits: a job that is dropped is proved again after a restart */
        if (j->phase == PHASE_ENDED && j->waiters == NULL &&
            (!j->is_end_unsaved || e->jobs.n_unsaved > RAM_KEEP)) {
            e->jobs.n_ended--;
            cuzk_job_forget(&e->jobs, j);
        }
        j = next;
    }
}

void cuzk_job_end_saved(cuzk_engine *e, job *j, cuzk_status st, const char *text)
{
    const bool was_unsaved = j->is_end_unsaved;
    j->is_end_unsaved = st != CUZK_OK;
    if (st != CUZK_OK && !was_unsaved) {
        e->jobs.n_unsaved++;
        cuzk_engine_log_job(e, 0, "job.not_stored", j, "why", text);
        pthread_cond_signal(&e->locks.store);
    } else if (st == CUZK_OK && was_unsaved) {
        e->jobs.n_unsaved--;
    }
}

/* The log line of a job that has ended: reason or devices, times, peer. */
LOCKED static void log_over(cuzk_engine *e, const job *j)
{
    char devices[64];
    const bool has_error = j->outcome != CUZK_JOB_COMPLETED && j->error[0] != '\0';
    cuzk_job_devices(&e->devices, j, devices, sizeof(devices));
    cuzk_engine_log_job(e, j->outcome == CUZK_JOB_FAILED ? 1 : 2, "job.over", j,
                        j->outcome == CUZK_JOB_COMPLETED ? "devices"
                        : has_error                      ? "error"
                                                         : NULL,
                        j->outcome == CUZK_JOB_COMPLETED ? devices : j->error);
}

/*
 * The result is durable before any waiter gets it. When the store cannot record it, the waiters get it all the same:
 * the proof is valid. At worst the job is found unfinished after a restart, and is proved again.
 */
LOCKED static void finish(cuzk_engine *e, job *j)
{
    cuzk_job_record record;
    cuzk_err err = {.msg = ""};
    cuzk_status st = CUZK_OK;
    const uint64_t begin = cuzk_clock_ns();
    if (j->part_of != 0) {
        cuzk_part_end(e, j);
        cuzk_job_unpin(j);
        pthread_cond_broadcast(&e->locks.change);
        return;
    }
    j->stage_begin_ns[CUZK_STAGE_RETURN] = begin;
    fill_times(j);
    cuzk_job_fill_record(j, false, &record);
    record.circuit =
        j->circuit < e->backend->n_circuits ? e->backend->circuits[j->circuit].id : NULL;
    const bool is_kept = j->is_stored && !j->is_left_in_store && !j->is_given_up;
    const bool is_shared = e->store.shared != NULL;
    cuzk_engine_unlock(e);
    if (is_kept) {
        st = e->store.finish(e->store.arg, &record, &err);
    } else if (j->is_given_up) {
        cuzk_ignore(
            e->store.shared->release(e->store.arg, j->number, NULL)); /* or it is lost already */
    }
    cuzk_engine_lock(e);
    if (j->is_given_up || (is_shared && st == CUZK_E_EXISTS)) {
        cuzk_shared_give_up(e, j);
        cuzk_job_unpin(j);
        pthread_cond_broadcast(&e->locks.change);
        return;
    }
    const uint64_t end = cuzk_clock_ns();
    j->phase = PHASE_ENDED;
    j->state = j->outcome;
    cuzk_job_clock_stop(&j->clock, end);
    j->stage_end_ns[CUZK_STAGE_RETURN] = end;
    cuzk_stage_span_add(e, j, CUZK_STAGE_RETURN);
    for (uint32_t i = 0; j->partitions != NULL && i < j->n_partitions; i++) {
        j->partitions[i].begin_ns[CUZK_STAGE_RETURN] = begin;
        j->partitions[i].end_ns[CUZK_STAGE_RETURN] = end;
    }
    cuzk_histogram_add(&e->counts.stage[CUZK_STAGE_RETURN][j->rq.kind], end - begin);
    e->jobs.n_open--;
    e->jobs.n_ended++;
    count(&e->counts, j);
    cuzk_job_end_saved(e, j, st, err.msg);
    log_over(e, j);
    cuzk_waiters_call_all(e, j);
    cuzk_jobs_forget_old(e);
    cuzk_job_unpin(j);
    pthread_cond_broadcast(&e->locks.change);
}

void cuzk_finish_loop(worker *w)
{
    cuzk_engine *e = w->e;
    cuzk_engine_lock(e);
    for (;;) {
        job *j = e->jobs.finish_first;
        if (j != NULL) {
            e->jobs.finish_first = j->next_finish;
            if (e->jobs.finish_first == NULL) {
                e->jobs.finish_last = NULL;
            }
            finish(e, j);
        } else if (e->stop) {
            break;
        } else {
            cuzk_engine_wait(e, &e->locks.finish);
        }
    }
    cuzk_engine_unlock(e);
}
