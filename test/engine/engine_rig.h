/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_TEST_ENGINE_ENGINE_RIG_H
#define CUZK_TEST_ENGINE_ENGINE_RIG_H

/* What the engine's tests share: requests from generated sectors, and results that can be waited for. */
#include <pthread.h>

#include "engine/engine_config.h"
#include "engine/engine_status.h"
#include "prover/fil_jobs.h"

/** A request for the engine; views point into job and views. */
typedef struct rig_request {
    fil_job job;
    cuzk_job_request rq;
    cuzk_bytes *views;
    char id[64];
} rig_request;

void rig_request_make(rig_request *out, cuzk_job_kind kind, uint64_t seed, const char *id);
void rig_request_free(rig_request *r);

/** A copy of what a waiter was told. */
typedef struct rig_result {
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
    struct rig_result *self;
} rig_result;

void rig_result_init(rig_result *r);
void rig_result_destroy(rig_result *r);
/** cuzk_job_done_fn; arg is a rig_result. */
void rig_done(void *arg, const cuzk_job_result *result);
/** Waits up to two minutes for a call. */
void rig_wait(rig_result *r);

/** The proof of a request verifies against that request's statement. */
bool rig_verifies(const rig_request *r, const uint8_t *proof, size_t n, const char *params);

#endif /* CUZK_TEST_ENGINE_ENGINE_RIG_H */
