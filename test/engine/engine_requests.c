/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engine_requests.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "test.h"

static cuzk_bytes bytes(cuzk_filecoin_blob b)
{
    return (cuzk_bytes){b.data, b.size};
}

static cuzk_circuit_kind circuit_kind(cuzk_job_kind k)
{
    switch (k) {
    case CUZK_JOB_UPDATE: return CUZK_CIRCUIT_UPDATE;
    case CUZK_JOB_WINDOW: return CUZK_CIRCUIT_WINDOW;
    case CUZK_JOB_WINNING: return CUZK_CIRCUIT_WINNING;
    case CUZK_JOB_POREP:
    case CUZK_JOB_AGGREGATE: break;
    }
    return CUZK_CIRCUIT_POREP;
}

void engine_request_make(engine_request *out, cuzk_job_kind kind, uint64_t seed, const char *id)
{
    memset(out, 0, sizeof(*out));
    fil_job_make(&out->job, circuit_kind(kind), 2048, seed);
    const cuzk_filecoin_request *f = &out->job.rq;
    (void)snprintf(out->id, sizeof(out->id), "%s", id);
    out->rq = (cuzk_job_request){.request_id = {(const uint8_t *)out->id, strlen(out->id)},
                                 .kind = kind,
                                 .sector_size = 2048,
                                 .miner_id = f->miner_id,
                                 .sector_number = f->sector_number,
                                 .randomness = bytes(f->randomness),
                                 .comm_r_old = bytes(f->comm_r_old),
                                 .comm_r_new = bytes(f->comm_r_new),
                                 .comm_d_new = bytes(f->comm_d_new)};
    if (kind == CUZK_JOB_POREP) {
        out->rq.vanilla_proof = bytes(f->proofs[0]);
        return;
    }
    out->views = calloc(f->n_proofs, sizeof(*out->views));
    for (size_t i = 0; i < f->n_proofs; i++) {
        out->views[i] = bytes(f->proofs[i]);
    }
    out->rq.vanilla_proofs = out->views;
    out->rq.n_vanilla_proofs = f->n_proofs;
}

void engine_request_free(engine_request *r)
{
    free(r->views);
    fil_job_free(&r->job);
}

void engine_answer_init(engine_answer *r)
{
    memset(r, 0, sizeof(*r));
    r->self = r;
    CHECK(pthread_mutex_init(&r->mu, NULL) == 0 && pthread_cond_init(&r->cv, NULL) == 0);
}

void engine_answer_destroy(engine_answer *r)
{
    (void)pthread_mutex_destroy(&r->mu);
    (void)pthread_cond_destroy(&r->cv);
}

void engine_answer_set(void *arg, const cuzk_job_result *result)
{
    engine_answer *r = arg;
    pthread_mutex_lock(&r->mu);
    r->calls++;
    r->state = result->state;
    r->code = result->code;
    (void)snprintf(r->job_id, sizeof(r->job_id), "%s", result->job_id);
    (void)snprintf(r->request_id, sizeof(r->request_id), "%.*s", (int)result->request_id.size,
                   (const char *)result->request_id.data);
    (void)snprintf(r->error, sizeof(r->error), "%s", result->error);
    r->proof_bytes = result->proof.size;
    if (result->proof.size != 0 && result->proof.size <= sizeof(r->proof)) {
        memcpy(r->proof, result->proof.data, result->proof.size);
    }
    r->total_ms = result->total_ms;
    pthread_cond_broadcast(&r->cv);
    pthread_mutex_unlock(&r->mu);
}

void engine_answer_wait(engine_answer *r)
{
    struct timespec until;
    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 590; /* a proof under a sanitizer, on a busy machine */
    pthread_mutex_lock(&r->mu);
    int failed = 0;
    while (r->calls == 0 && failed == 0) {
        failed = pthread_cond_timedwait(&r->cv, &r->mu, &until);
    }
    const unsigned calls = r->calls;
    pthread_mutex_unlock(&r->mu);
    CHECK_MSG(calls == 1, "%u calls", calls);
}

bool engine_request_verifies(const engine_request *r, const uint8_t *proof, size_t n,
                             const char *params)
{
    cuzk_err err;
    cuzk_params_dir dir = {.origin = "test"};
    cuzk_filecoin_input *in = NULL;
    cuzk_filecoin_params *p = NULL;
    (void)snprintf(dir.path, sizeof(dir.path), "%s", params);
    CHECK_OK(cuzk_filecoin_input_parse(&in, &r->job.rq, &err), &err);
    CHECK_OK(cuzk_filecoin_params_open(&p, &in->spec, &dir, NULL, &err), &err);
    bool good = n == (size_t)in->n_partitions * 192;
    for (uint32_t i = 0; good && i < in->n_partitions; i++) {
        good = cuzk_filecoin_input_verify(in, cuzk_filecoin_params_vk(p), i,
                                          proof + (size_t)192 * i, &err) == CUZK_OK;
    }
    cuzk_filecoin_params_close(p);
    cuzk_filecoin_input_destroy(in);
    return good;
}
