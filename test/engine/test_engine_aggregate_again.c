/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Machine trouble while an aggregate is made: it is made again, but not for ever. */
#include "engine/engine_limits.h"

#include "mock_engine.h"
#include "test.h"

static void trouble(void)
{
    mock_engine w = {.e = NULL};
    mock_engine_open(&w, 1);
    for (uint32_t failures = 0; failures <= MAX_ERRORS; failures++) {
        test_job *o = test_job_make(CUZK_JOB_AGGREGATE, failures, 1, "");
        const uint64_t before = atomic_load(&w.b.calls[MOCK_AGGREGATE]);
        atomic_store(&w.b.aggregates_to_fail, failures);
        test_job_prove(&w, o);
        engine_answer_wait(&o->r);
        const uint64_t calls = atomic_load(&w.b.calls[MOCK_AGGREGATE]) - before;
        if (failures < MAX_ERRORS) {
            CHECK_MSG(is_right(o), "%s", o->r.error);
            CHECK_U64(calls, failures + 1);
        } else {
            CHECK_U64(o->r.state, CUZK_JOB_FAILED);
            CHECK_STATUS(o->r.code, CUZK_E_IO);
            CHECK_STR(o->r.error, "environment: mock: the file cannot be read");
            CHECK_U64(calls, MAX_ERRORS);
        }
        test_job_free(o);
    }
    wait_rest(&w);
    mock_engine_close(&w);
}

static const cuzk_case cases[] = {CASE(trouble)};
TEST_MAIN("engine/aggregate_again", cases)
