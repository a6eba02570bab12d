/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_TEST_ENGINE_ENGINE_REQUESTS_H
#define CUZK_TEST_ENGINE_ENGINE_REQUESTS_H

/* What the engine's tests share: requests from generated sectors, and results that can be waited for. */
#include <pthread.h>

#include "engine/engine_config.h"
#include "engine/engine_status.h"
#include "prover/fil_jobs.h"

/** A request for the engine; views point into job and views. */
typedef struct engine_request {
    fil_job job;
    cuzk_job_request rq;
    cuzk_bytes *views;
    char id[64];
} engine_request;

void engine_request_make(engine_request *out, cuzk_job_kind kind, uint64_t seed, const char *id);
void engine_request_free(engine_request *r);

/** A copy of what a waiter was told. */
typedef struct engine_answer {
    pthread_mutex_t mu;
    pthread_cond_t cv;
    unsigned calls;
    cuzk_job_state state;
    cuzk_status code;
    char job_id[CUZK_JOB_ID_BYTES];
    char request_id[CUZK_JOB_ID_BYTES];
    char error[1024];
    uint8_t proof[192 * 4];
    size_t proof_bytes;
    uint64_t total_ms;
    struct engine_answer *self;
} engine_answer;

void engine_answer_init(engine_answer *r);
void engine_answer_destroy(engine_answer *r);
/** cuzk_job_done_fn; arg is a engine_answer. */
void engine_answer_set(void *arg, const cuzk_job_result *result);
/** Waits up to two minutes for a call. */
void engine_answer_wait(engine_answer *r);

/** The proof of a request verifies against that request's statement. */
bool engine_request_verifies(const engine_request *r, const uint8_t *proof, size_t n,
                             const char *params);

#endif /* CUZK_TEST_ENGINE_ENGINE_REQUESTS_H */
