/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * One job's partitions proved by several daemons (cuzk_shared_parts). The engine that has the job, its holder, opens the
 * partitions, before it parses the job if the request says how many there are. It takes some when the job has been
 * parsed, and takes more as it goes. Engines with an idle place take others
 * as a task: a job of this engine (part_of) that is in no table of ids and that nobody waits for. A partition that is
 * another engine's, or nobody's yet, is CUZK_PART_ELSEWHERE. The thread of shared_queue.c does all of this but for the opening.
 */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "base/clock.h"
#include "engine/job/accept_internal.h"

LOCKED static const cuzk_shared_parts *parts_of(const cuzk_engine *e)
{
    return e->cfg.spread_partitions && e->store.shared != NULL ? e->store.shared->parts : NULL;
}

/* Number of devices that work; without one the CPU counts. */
LOCKED static uint32_t n_good_devices(const device_table *devices)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < devices->n_primary; i++) {
        n += cuzk_health_is_good(&devices->all[i].health) ? 1 : 0;
    }
    return n == 0 ? 1 : n;
}

/* Number of partitions that this engine has and has not proved. */
static uint32_t n_outstanding(const job *j)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < j->n_partitions; i++) {
        const cuzk_partition_state s = j->partitions[i].state;
        n += s != CUZK_PART_DONE && s != CUZK_PART_ELSEWHERE ? 1 : 0;
    }
    return n;
}

/*
 * How many partitions to take: one for each device, once the partitions that this engine has are on devices. Until
 * then the other daemons take their share.
 */
LOCKED static uint32_t n_to_take(const cuzk_engine *e, const job *j)
{
    for (uint32_t i = 0; i < j->n_partitions; i++) {
        const cuzk_partition_state s = j->partitions[i].state;
        if (s == CUZK_PART_PENDING || s == CUZK_PART_WITNESS || s == CUZK_PART_WITNESS_DONE) {
            return 0;
        }
    }
    return n_good_devices(&e->devices);
}

/* --- what the queue says of partitions --- */

typedef struct news_list {
    uint32_t n;
    struct {
        uint32_t partition;
        cuzk_part_change what;
        uint64_t device_ms;
        uint8_t proof[PROOF_BYTES];
    } item[CUZK_PARTS_MOST];
    char error[256]; /* of one that is set aside */
} news_list;

static void note_news(void *arg, const cuzk_part_news *news)
{
    news_list *l = arg;
    if (l->n == CUZK_PARTS_MOST) {
        return;
    }
    l->item[l->n].partition = news->partition;
    l->item[l->n].what = news->what;
    l->item[l->n].device_ms = news->device_ms;
    if (news->what == CUZK_PART_PROVED) {
        memcpy(l->item[l->n].proof, news->proof.data, PROOF_BYTES);
    } else if (news->what == CUZK_PART_SET_ASIDE) {
        (void)snprintf(l->error, sizeof(l->error), "%s", news->error);
    }
    l->n++;
}

/*
 * Proofs of other engines are verified here like proofs of a device, as soon as parameters with a verifying key are
 * loaded.
 */
LOCKED static void verify_arrived(cuzk_engine *e, job *j)
{
    const uint64_t now = cuzk_clock_ns();
    for (uint32_t i = 0; i < j->n_partitions && j->phase == PHASE_READY; i++) {
        job_partition *p = &j->partitions[i];
        cuzk_sched_item item;
        if (!p->has_arrived) {
            continue;
        }
        if (!cuzk_circuit_is_loaded(&e->memory, j->circuit)) {
            cuzk_circuit_want(e, j->circuit);
            return;
        }
        flight *f = cuzk_flight_start(e, j, i, now);
        if (f == NULL) {
            return; /* with the next look */
        }
        p->has_arrived = false;
        p->state = CUZK_PART_DEVICE;
        memcpy(f->proof, p->proof, PROOF_BYTES);
        f->is_foreign = true;
        f->is_busy = false;
        cuzk_job_item(j, i, now, &item);
        if (!cuzk_sched_push(&e->queues.to_verify, &item)) {
            cuzk_flight_failed(e, f, CUZK_E_BUDGET, "too many proofs wait to be verified");
        }
    }
    pthread_cond_broadcast(&e->locks.verify);
}

/* The lock was released while the queue was read: partitions may have changed since. */
LOCKED static void apply(cuzk_engine *e, job *j, const news_list *l)
{
    bool has_taken = false;
    for (uint32_t i = 0; i < l->n && j->phase < PHASE_ENDING; i++) {
        if (l->item[i].partition >= j->n_partitions) {
            continue;
        }
        job_partition *p = &j->partitions[l->item[i].partition];
        if (p->state != CUZK_PART_ELSEWHERE || p->has_arrived) {
            continue;
        }
        switch (l->item[i].what) {
        case CUZK_PART_TAKEN:
            p->state = CUZK_PART_PENDING;
            has_taken = true;
            break;
        case CUZK_PART_PROVED:
            memcpy(p->proof, l->item[i].proof, PROOF_BYTES);
            p->has_arrived = true;
            j->device_ns += l->item[i].device_ms * MS_NS;
            break;
        case CUZK_PART_SET_ASIDE:
            cuzk_job_set_outcome(e, j, CUZK_JOB_FAILED, CUZK_E_IO, l->error);
            break;
        }
    }
    if (has_taken && j->phase == PHASE_READY) {
        cuzk_flight_queue_next(e, j, cuzk_clock_ns());
    }
}

/* Takes n more partitions, and reads what has changed. Releases the lock meanwhile; the caller has a pin. */
LOCKED static cuzk_status take(cuzk_engine *e, job *j, uint32_t n, cuzk_err *err)
{
    news_list *l = cuzk_alloc_zero(1, sizeof(*l));
    if (l == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for partitions of a shared job");
    }
    cuzk_engine_unlock(e);
    const cuzk_status st =
        e->store.shared->parts->take(e->store.arg, j->number, n, note_news, l, err);
    cuzk_engine_lock(e);
    if (st == CUZK_OK) {
        apply(e, j, l);
    }
    cuzk_free(l);
    return st;
}

/* --- the holder --- */

LOCKED static bool may_open(const cuzk_engine *e, const job *j, uint32_t n_partitions)
{
    return parts_of(e) != NULL && j->part_of == 0 && !j->is_privileged && n_partitions >= 2 &&
           n_partitions <= CUZK_PARTS_MOST && j->phase == PHASE_PREPPING;
}

/* Releases the lock meanwhile. */
LOCKED static cuzk_status open_parts(cuzk_engine *e, const job *j, uint32_t n_partitions,
                                     cuzk_err *err)
{
    const cuzk_shared_parts *parts = parts_of(e);
    cuzk_engine_unlock(e);
    const cuzk_status st = parts->open(e->store.arg, j->number, n_partitions, err);
    cuzk_engine_lock(e);
    return st;
}

void cuzk_part_open_early(cuzk_engine *e, job *j)
{
    const uint32_t n = j->plan.n_partitions;
    if (may_open(e, j, n) && !e->draining && open_parts(e, j, n, NULL) == CUZK_OK) {
        j->n_opened =
            n; /* else it is tried again, and a failure is logged, when the job has been parsed */
    }
}

void cuzk_part_open(cuzk_engine *e, job *j)
{
    cuzk_err err = {.msg = ""};
    if (!may_open(e, j, j->n_partitions) || (j->n_opened == 0 && e->draining)) {
        return;
    }
    if (j->n_opened != 0 && j->n_opened != j->n_partitions) {
        return; /* the check of the input refuses it */
    }
    cuzk_status st = j->n_opened != 0 ? CUZK_OK : open_parts(e, j, j->n_partitions, &err);
    if (st == CUZK_OK) {
        for (uint32_t i = 0; i < j->n_partitions; i++) {
            j->partitions[i].state = CUZK_PART_ELSEWHERE;
        }
        st = take(e, j, n_good_devices(&e->devices), &err);
    }
    j->is_spread = st == CUZK_OK;
    for (uint32_t i = 0; st != CUZK_OK && i < j->n_partitions; i++) {
        j->partitions[i].state = CUZK_PART_PENDING; /* it is proved here, as without the others */
        j->partitions[i].has_arrived = false;
    }
    if (st != CUZK_OK && st != CUZK_E_UNSUPPORTED) {
        cuzk_engine_log_job(e, 1, "job.not_spread", j, "why", err.msg);
    }
}

/* --- tasks: partitions of jobs that other engines have --- */

void cuzk_part_begin(job *j)
{
    for (uint32_t i = 0; j->part_of != 0 && i < j->n_partitions; i++) {
        const bool is_mine = i < CUZK_PARTS_MOST && (j->mine >> i & 1) != 0;
        j->partitions[i].state = is_mine ? CUZK_PART_PENDING : CUZK_PART_ELSEWHERE;
    }
}

/* A proof is to be sent, or the next partition taken. */
void cuzk_part_moved(const cuzk_job_store *store, const job *j)
{
    if (j->part_of != 0 || j->is_spread) {
        store->shared->wake(store->arg);
    }
}

void cuzk_part_proved(cuzk_engine *e, job *j, job_partition *p)
{
    p->is_unsent = j->part_of != 0;
    cuzk_part_moved(&e->store, j);
}

/* Sends the proofs that are ready. A lost lease ends the task. Releases the lock meanwhile. */
LOCKED static cuzk_status send(cuzk_engine *e, job *j, cuzk_err *err)
{
    for (uint32_t i = 0; i < j->n_partitions && j->phase == PHASE_READY; i++) {
        job_partition *p = &j->partitions[i];
        uint8_t proof[PROOF_BYTES];
        if (!p->is_unsent) {
            continue;
        }
        const uint64_t device_ms =
            (p->end_ns[CUZK_STAGE_DEVICE] - p->begin_ns[CUZK_STAGE_DEVICE]) / MS_NS;
        memcpy(proof, p->proof, sizeof(proof));
        cuzk_engine_unlock(e);
        const cuzk_status st =
            e->store.shared->parts->write(e->store.arg, j->number, i, proof, device_ms, err);
        cuzk_engine_lock(e);
        if (st == CUZK_E_EXISTS) {
            j->is_given_up = true;
            cuzk_job_set_outcome(e, j, CUZK_JOB_CANCELLED, CUZK_E_CANCELLED, "the lease is lost");
            return CUZK_OK;
        }
        CUZK_TRY(st);
        p->is_unsent = false;
    }
    return CUZK_OK;
}

LOCKED static bool has_unsent(const job *j)
{
    for (uint32_t i = 0; i < j->n_partitions; i++) {
        if (j->partitions[i].is_unsent) {
            return true;
        }
    }
    return false;
}

LOCKED static cuzk_status go_on_task(cuzk_engine *e, job *j, cuzk_err *err)
{
    CUZK_TRY(send(e, j, err));
    const uint32_t n = e->draining || j->phase != PHASE_READY ? 0 : n_to_take(e, j);
    if (n > 0) {
        CUZK_TRY(take(e, j, n, err));
    }
    if (j->phase == PHASE_READY && n_outstanding(j) == 0 && !has_unsent(j)) {
        cuzk_job_set_outcome(e, j, CUZK_JOB_COMPLETED, CUZK_OK, NULL);
    }
    return CUZK_OK;
}

LOCKED static cuzk_status go_on_holder(cuzk_engine *e, job *j, cuzk_err *err)
{
    CUZK_TRY(take(e, j, n_to_take(e, j), err));
    verify_arrived(e, j);
    return CUZK_OK;
}

typedef struct over_list {
    uint64_t numbers[CUZK_PARTS_MOST], over[CUZK_PARTS_MOST];
    size_t n, n_over;
} over_list;

static void note_over(void *arg, uint64_t number)
{
    over_list *l = arg;
    if (l->n_over < CUZK_PARTS_MOST) {
        l->over[l->n_over++] = number;
    }
}

/* Cancels tasks whose job has ended: their proofs are not needed. */
LOCKED static cuzk_status drop_over(cuzk_engine *e, cuzk_err *err)
{
    over_list l = {.n = 0};
    for (const job *j = e->jobs.first; j != NULL && l.n < CUZK_PARTS_MOST; j = j->next) {
        if (j->part_of != 0 && j->phase < PHASE_ENDING) {
            l.numbers[l.n++] = j->part_of;
        }
    }
    if (l.n == 0) {
        return CUZK_OK;
    }
    cuzk_engine_unlock(e);
    const cuzk_status st = e->store.shared->ended(e->store.arg, l.numbers, l.n, note_over, &l, err);
    cuzk_engine_lock(e);
    for (size_t i = 0; i < l.n_over && st == CUZK_OK; i++) {
        for (job *j = e->jobs.first; j != NULL; j = j->next) {
            if (j->part_of == l.over[i] && j->phase < PHASE_ENDING) {
                j->is_given_up = true;
                cuzk_job_set_outcome(e, j, CUZK_JOB_CANCELLED, CUZK_E_CANCELLED, "the job is over");
            }
        }
    }
    return st;
}

/* --- new tasks --- */

typedef struct task_claim {
    cuzk_engine *e;
    uint64_t task;
    bool is_taken, is_refused;
    uint64_t refused; /* the job: not for this engine */
} task_claim;

LOCKED static bool could_prove(const cuzk_engine *e, const job *j)
{
    cuzk_err err;
    return cuzk_engine_can_prove(e, j->plan.circuit, false, &err) == CUZK_OK &&
           cuzk_engine_can_fit(e, j->plan.circuit, j->plan.input_bytes + j->block_bytes, false,
                               &err) == CUZK_OK;
}

static void take_task(void *arg, const cuzk_job_record *r, const uint32_t *parts, size_t n)
{
    task_claim *t = arg;
    cuzk_engine *e = t->e;
    job *j = NULL;
    cuzk_err err = {.msg = ""};
    if (cuzk_job_new(&j, &r->request, NULL, r->content, &err) != CUZK_OK) {
        return;
    }
    j->number = t->task;
    j->part_of = r->number;
    for (size_t i = 0; i < n; i++) {
        j->mine |= parts[i] < CUZK_PARTS_MOST ? (uint64_t)1 << parts[i] : 0;
    }
    (void)snprintf(j->id, sizeof(j->id), "%s", r->job_id);
    j->class_base = r->class_base;
    j->is_watched_only = false;
    j->accepted_unix_ms = r->accepted_unix_ms;
    cuzk_job_set_deadline(j, r->deadline_unix_ms);
    const cuzk_status planned = e->backend->plan(e->backend->arg, &j->rq, &j->plan, &err);
    cuzk_engine_lock(e);
    t->is_refused = planned != CUZK_OK || !could_prove(e, j);
    t->refused = r->number;
    if (t->is_refused || e->draining ||
        cuzk_engine_reserve_queues(&e->queues, e->jobs.n_open + 1, &err) != CUZK_OK ||
        !cuzk_job_keep_block(&e->memory, j)) {
        cuzk_job_unpin(j);
    } else {
        e->jobs.n_open++;
        cuzk_job_insert(&e->jobs, j);
        cuzk_job_enqueue(e, j);
        t->is_taken = true;
    }
    cuzk_engine_unlock(e);
}

LOCKED static cuzk_status claim(cuzk_engine *e, cuzk_err *err)
{
    task_claim t = {.e = e, .task = e->jobs.next_number++};
    const refusals now = e->jobs.no_tasks;
    const uint32_t n = n_good_devices(&e->devices);
    cuzk_engine_unlock(e);
    const cuzk_status st = e->store.shared->parts->claim(e->store.arg, t.task, n, now.numbers,
                                                         now.n, take_task, &t, err);
    if (!t.is_taken) {
        cuzk_ignore(e->store.shared->release(e->store.arg, t.task, NULL));
    }
    cuzk_engine_lock(e);
    if (t.is_refused) {
        cuzk_shared_refuse(&e->jobs.no_tasks, t.refused);
    }
    return st;
}

/* --- one round of the thread --- */

/* The first open or half proved job after a number. */
LOCKED static job *next_shared(const job_table *jobs, uint64_t after)
{
    job *best = NULL;
    for (job *j = jobs->first; j != NULL; j = j->next) {
        const bool is = j->phase == PHASE_READY && (j->is_spread || j->part_of != 0);
        if (is && j->number > after && (best == NULL || j->number < best->number)) {
            best = j;
        }
    }
    return best;
}

cuzk_status cuzk_part_round(cuzk_engine *e, cuzk_err *err)
{
    cuzk_status first = CUZK_OK;
    if (parts_of(e) == NULL) {
        return CUZK_OK;
    }
    for (job *j = next_shared(&e->jobs, 0); j != NULL;) {
        cuzk_err why = {.msg = ""};
        const uint64_t number = j->number;
        j->pins++;
        const cuzk_status st = j->part_of != 0 ? go_on_task(e, j, &why) : go_on_holder(e, j, &why);
        cuzk_job_unpin(j);
        if (st != CUZK_OK && st != CUZK_E_EXISTS &&
            first == CUZK_OK) { /* a lost lease is an order, which comes */
            first = st;
            *err = why;
        }
        j = next_shared(&e->jobs, number);
    }
    CUZK_TRY(first);
    CUZK_TRY(drop_over(e, err));
    if (e->draining || e->stop || !cuzk_shared_has_idle_place(e)) {
        return CUZK_OK;
    }
    return claim(e, err);
}

void cuzk_part_end(cuzk_engine *e, job *j)
{
    cuzk_engine_unlock(e);
    /* partitions that are not proved return to the queue */
    cuzk_ignore(e->store.shared->release(e->store.arg, j->number, NULL));
    cuzk_engine_lock(e);
    e->jobs.n_open--;
    j->phase = PHASE_ENDED;
    j->state = j->outcome;
    cuzk_job_clock_stop(&j->clock, cuzk_clock_ns());
    if (j->outcome == CUZK_JOB_COMPLETED) {
        cuzk_engine_log_job(e, 2, "partitions.over", j, NULL, NULL);
    } else { /* they went back; the same would happen here again */
        cuzk_shared_refuse(&e->jobs.no_tasks, j->part_of);
        cuzk_engine_log_job(e, 1, "partitions.over", j, "why", j->error);
    }
    e->store.shared->wake(e->store.arg); /* for the next task: there is a place again */
    cuzk_job_forget(&e->jobs, j);
}
