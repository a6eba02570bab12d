/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Jobs that only the store still has. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "engine/job/accept_internal.h"

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
    if (f->j != NULL || cuzk_job_new(&f->j, &rq, &nothing, r->content, &err) != CUZK_OK) {
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
    j->proof_bytes = r->proof.size;
    j->n_partitions = r->request.kind == CUZK_JOB_AGGREGATE
                          ? (r->proof.size != 0 ? 1 : 0)
                          : (uint32_t)(r->proof.size / PROOF_BYTES);
    j->number = r->number;
    (void)snprintf(j->id, sizeof(j->id), "%s", r->job_id);
    (void)snprintf(j->error, sizeof(j->error), "%s", r->error != NULL ? r->error : "");
    j->phase = PHASE_ENDED;
    j->state = j->outcome = r->state;
    j->code = r->code;
    j->is_stored = true;
    j->clock = (cuzk_job_clock){.is_stopped = true};
    j->accepted_unix_ms = r->accepted_unix_ms;
    j->ended_unix_ms = r->ended_unix_ms;
    j->kept_ms[0] = r->queue_wait_ms;
    j->kept_ms[1] = r->srs_load_ms;
    j->kept_ms[2] = r->synthesis_ms;
    j->kept_ms[3] = r->gpu_compute_ms;
    j->kept_ms[4] = r->total_ms;
}

/* Finds a completed equal job that only the store still has: one pin, or NULL. */
cuzk_status cuzk_job_find_stored(cuzk_engine *e, const uint8_t content[32], cuzk_bytes request_id,
                                 job **out, cuzk_err *err)
{
    found f = {.is_found = false};
    cuzk_err inner = {.msg = ""};
    *out = NULL;
    const cuzk_status st =
        e->store.find_content(e->store.arg, content, request_id, take_found, &f, &inner);
    if (st != CUZK_OK && st != CUZK_E_NOT_FOUND) {
        return CUZK_FAIL(err, st, "%s", inner.msg);
    }
    if (f.j != NULL) {
        *out = f.j->state < CUZK_JOB_COMPLETED ? cuzk_shared_adopt(e, f.j) : f.j;
    }
    return CUZK_OK;
}

cuzk_status cuzk_job_get_stored(const cuzk_job_store *store, uint64_t number, job **out,
                                cuzk_err *err)
{
    found f = {.is_found = false};
    *out = NULL;
    CUZK_TRY(store->shared->get(store->arg, number, take_found, &f, err));
    *out = f.j;
    return f.j != NULL ? CUZK_OK : CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for a job");
}

cuzk_status cuzk_job_find_stored_id(cuzk_engine *e, const char *id, job **out, cuzk_err *err)
{
    found f = {.is_found = false};
    cuzk_err inner = {.msg = ""};
    const cuzk_status st = e->store.find(e->store.arg, id, take_found, &f, &inner);
    *out = NULL;
    if (st == CUZK_E_NOT_FOUND || (st == CUZK_OK && !f.is_found)) {
        return CUZK_FAIL(err, CUZK_E_NOT_FOUND, "job not found: %s", id);
    }
    if (st != CUZK_OK) {
        return CUZK_FAIL(err, st, "%s", inner.msg);
    }
    if (f.j == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for a job");
    }
    if (f.j->state < CUZK_JOB_COMPLETED && e->store.shared != NULL) {
        *out = cuzk_shared_adopt(e, f.j);
        return CUZK_OK;
    }
    if (f.j->state < CUZK_JOB_COMPLETED) {
        cuzk_job_destroy(f.j);
        return CUZK_OK;
    }
    *out = f.j;
    return CUZK_OK;
}

/* True when the store has a job of this id with other content, or one that is not to be proved again. */
bool cuzk_job_id_is_taken(const cuzk_job_store *store, const job *j, const char *id)
{
    found f = {.is_found = false};
    cuzk_err err;
    const cuzk_status st = store->find(store->arg, id, take_found, &f, &err);
    if (f.j != NULL) {
        cuzk_job_destroy(f.j);
    }
    return st == CUZK_OK && f.is_found && memcmp(f.content, j->content, 32) != 0;
}
