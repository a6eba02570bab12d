/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_TEST_ENGINE_MOCK_ENGINE_H
#define CUZK_TEST_ENGINE_MOCK_ENGINE_H

/* An engine over the mock backend, jobs for it, and what must hold when they are over. */
#include "base/alloc.h"

#include "engine_requests.h"
#include "mock_backend.h"

#define SECOND_NS   1000000000ull
/* How long a test waits for what must happen: a hang ends the test, a busy machine does not. */
#define PATIENCE_S  300u
#define PATIENCE_NS (PATIENCE_S * SECOND_NS)

/** What the engine has logged of one event. */
typedef struct mock_engine_log {
    pthread_mutex_t mu;
    uint32_t n_jobs; /* job.over */
    uint32_t n_fallback, n_over, n_warnings,
        n_set_aside;  /* device.fallback, device.fallback_over; of those two; circuit.set_aside */
    char devices[64]; /* of the last job.over */
} mock_engine_log;

typedef struct mock_engine {
    mock_backend b;
    mock_engine_log log;
    bool starts_early;  /* before mock_engine_open: partitions start before the check has ended */
    bool with_fallback; /* before mock_engine_open: the CPU for when no device works */
    const uint32_t
        *cannot; /* [MOCK_DEVICES] before mock_engine_open: mock_use_abilities; NULL: not */
    /* before mock_engine_open: changes the backend; NULL: not */
    void (*use)(mock_backend *b, void *arg);
    void *use_arg;
    cuzk_engine *e;
    cuzk_engine_config cfg;
    cuzk_alloc_stats before;
} mock_engine;

/** cfg may be filled before. */
void mock_engine_open(mock_engine *w, uint32_t n_devices);
/** The same, of devices with so many MiB of their own; 0: without. */
void mock_engine_open_with_keys(mock_engine *w, uint32_t n_devices, uint64_t device_mib);
/** Checks that nothing is left and that the budget held. */
void mock_engine_close(mock_engine *w);

/** A job and what its waiter was told. */
typedef struct test_job {
    mock_job job;
    cuzk_bytes view;
    cuzk_job_request rq;
    engine_answer r;
    cuzk_wait wait;
    char id[CUZK_JOB_ID_BYTES];
} test_job;

test_job *test_job_make(cuzk_job_kind kind, uint64_t tag, uint32_t n_partitions, const char *id);
void test_job_prove(mock_engine *w, test_job *o);
void test_job_submit(mock_engine *w, test_job *o);
void test_job_free(test_job *o);
/** It completed with the right proof. */
bool is_right(const test_job *o);

/** The status; it comes while stages hang at their gates. */
void status_of(mock_engine *w, cuzk_engine_status *out);
/** Waits until memory and queues are back to what they are without jobs. */
void wait_rest(mock_engine *w);
void nap(void);
/** Lines reach the logger later than the callers: waits until it has had so many of an event (a member of log). */
void wait_log(mock_engine *w, const uint32_t *counter, uint32_t least);
/** The waiter has its answer; what the answer says is not looked at. */
bool has_answer(test_job *o);
/** The same, after a wait of at most PATIENCE_S. */
bool gets_answer(test_job *o);
/** Waits up to PATIENCE_S for a counter of the mock. */
void wait_for(const _Atomic uint64_t *counter, uint64_t least);

#endif /* CUZK_TEST_ENGINE_MOCK_ENGINE_H */
