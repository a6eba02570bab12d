/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Verifies every proof before it is returned. A wrong proof is made again. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "engine/engine_internal.h"
#include "engine/job/accept_internal.h"

LOCKED static void complete(cuzk_engine *e, job *j)
{
    uint8_t *proof = cuzk_alloc(j->n_partitions, PROOF_BYTES);
    if (proof == NULL) {
        cuzk_job_set_outcome(e, j, CUZK_JOB_FAILED, CUZK_E_NOMEM, "no memory for the proof");
        return;
    }
    for (uint32_t i = 0; i < j->n_partitions; i++) {
        memcpy(proof + (size_t)i * PROOF_BYTES, j->partitions[i].proof, PROOF_BYTES);
    }
    j->proof = proof;
    j->proof_bytes = (size_t)j->n_partitions * PROOF_BYTES;
    cuzk_job_set_outcome(e, j, CUZK_JOB_COMPLETED, CUZK_OK, NULL);
}

LOCKED static void right(cuzk_engine *e, flight *f)
{
    job *j = f->job;
    job_partition *p = &j->partitions[f->partition];
    memcpy(p->proof, f->proof, PROOF_BYTES);
    p->state = CUZK_PART_DONE;
    j->n_done++;
    cuzk_flight_drop(e, f);
    cuzk_part_proved(e, j, p);
    if (j->n_done == j->n_partitions && j->part_of == 0) {
        complete(e, j);
    }
}

LOCKED static void wrong(cuzk_engine *e, flight *f, const char *why)
{
    job *j = f->job;
    job_partition *p = &j->partitions[f->partition];
    const uint32_t partition = f->partition;
    char text[ERROR_BYTES];
    p->wrong++;
    p->avoid |= f->device >= 0 ? (uint64_t)1 << f->device : 0;
    (void)snprintf(text, sizeof(text),
                   "partition %u: %u proofs in a row did not verify, none is returned; last: %s",
                   partition, p->wrong, why);
    if (p->wrong < MAX_WRONG) {
        e->counts.reproved[j->rq.kind]++;
        cuzk_engine_log_job(e, 0, "proof.wrong", j, "why", why);
        cuzk_flight_requeue(e, f);
        return;
    }
    p->state = CUZK_PART_FAILED;
    cuzk_flight_drop(e, f);
    cuzk_job_set_outcome(e, j, CUZK_JOB_FAILED, CUZK_E_SELFTEST, text);
}

LOCKED static void tell_health(cuzk_engine *e, const flight *f, bool is_right, uint64_t now)
{
    device *d = &e->devices.all[f->device];
    switch (cuzk_health_verified(&d->health, d->circuits, e->backend->n_circuits, f->circuit,
                                 f->period, is_right, now)) {
    case CUZK_HEALTH_UNCHANGED: break;
    case CUZK_HEALTH_QUARANTINES:
        cuzk_device_quarantined(e, (uint32_t)f->device, "its proofs do not verify");
        break;
    case CUZK_HEALTH_SETS_ASIDE: cuzk_circuit_set_aside(e, (uint32_t)f->device, f->circuit); break;
    }
}

LOCKED static void run(cuzk_engine *e, uint32_t index)
{
    const cuzk_engine_backend *b = e->backend;
    const cuzk_sched_item item = cuzk_sched_take(&e->queues.to_verify, index);
    job *j = item.owner;
    flight *f = j->partitions[item.partition].flight;
    void *params =
        e->memory.cache.entries[cuzk_engine_load_id(f->circuit, CUZK_LOAD_PARAMS)].object;
    cuzk_err err = {.msg = ""};
    f->is_busy = true;
    j->input_users++;
    const cuzk_span span = cuzk_stage_span_begin(e, j, f->partition, CUZK_STAGE_VERIFY);
    cuzk_engine_unlock(e);
    const cuzk_status st = b->verify(b->arg, j->input, params, f->partition, f->proof, &err);
    cuzk_engine_lock(e);
    const uint64_t now = cuzk_stage_span_end(e, j, f->partition, CUZK_STAGE_VERIFY, span, 0);
    j->input_users--;
    f->is_busy = false;
    if (!f->is_foreign && (st == CUZK_OK || st == CUZK_E_SELFTEST)) {
        tell_health(e, f, st == CUZK_OK, now);
    }
    if (j->phase != PHASE_READY) {
        cuzk_flight_drop(e, f);
        cuzk_job_release_input(e, j);
    } else if (st == CUZK_OK) {
        right(e, f);
    } else if (st == CUZK_E_SELFTEST) {
        wrong(e, f, err.msg);
    } else {
        cuzk_flight_failed(e, f, st, err.msg);
    }
}

static bool is_checked(void *arg, const cuzk_sched_item *item)
{
    (void)arg;
    const job *j = item->owner;
    return !j->is_checking;
}

void cuzk_verify_loop(worker *w)
{
    cuzk_engine *e = w->e;
    cuzk_engine_lock(e);
    while (!e->stop) {
        const uint32_t best =
            cuzk_sched_best(&e->queues.to_verify, cuzk_clock_ns(), is_checked, NULL);
        if (best != CUZK_SCHED_NONE) {
            run(e, best);
        } else {
            cuzk_engine_wait(e, &e->locks.verify);
        }
    }
    cuzk_engine_unlock(e);
}
