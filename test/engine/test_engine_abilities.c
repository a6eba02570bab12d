/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* A device is never given a circuit that it has no memory for. */
#include <string.h>

#include "mock_engine.h"
#include "test.h"

#define POREP (1u << 0)

/* Jobs of that kind, all at once; each is right in the end. */
static void prove_many(mock_engine *w, cuzk_job_kind kind, uint64_t tag, uint32_t n)
{
    test_job *list[8];
    CHECK(n <= 8);
    for (uint32_t i = 0; i < n; i++) {
        list[i] = test_job_make(kind, tag + i, 3, "");
        test_job_prove(w, list[i]);
    }
    for (uint32_t i = 0; i < n; i++) {
        engine_answer_wait(&list[i]->r);
        CHECK_MSG(is_right(list[i]), "%s", list[i]->r.error);
        test_job_free(list[i]);
    }
}

static void goes_to_the_other(void)
{
    static const uint32_t cannot[MOCK_DEVICES] = {POREP, 0};
    for (int with_keys = 0; with_keys < 2; with_keys++) {
        mock_engine w = {.cannot = cannot};
        static cuzk_engine_status s; /* static: frames are small */
        mock_engine_open_with_keys(&w, 2, with_keys ? 200 : 0);
        prove_many(&w, CUZK_JOB_POREP, 1, 8);
        CHECK_U64(atomic_load(&w.b.proofs_of_device[0]), 0);
        CHECK_U64(atomic_load(&w.b.proofs_of_device[1]), 24);
        status_of(&w, &s);
        CHECK_U64(s.n_abilities, 8);
        CHECK_STR(s.abilities[0].circuit_id, "porep-32g");
        CHECK(s.abilities[0].device == 0 && s.abilities[0].ability == CUZK_DEVICE_CANNOT);
        CHECK_U64(s.abilities[0].needed_bytes, 100 * MOCK_MIB);
        CHECK_U64(s.abilities[0].available_bytes, 50 * MOCK_MIB);
        CHECK(s.abilities[4].device == 1 && s.abilities[4].ability == CUZK_DEVICE_STREAMS);
        CHECK_U64(s.abilities[4].expected_ms, 1500);
        cuzk_engine_status_free(&s);
        wait_rest(&w);
        mock_engine_close(&w);
    }
}

/* Known before anything is read or made: the request is refused, and not as its own fault. */
static void refused_when_none_can(void)
{
    static const uint32_t cannot[MOCK_DEVICES] = {POREP, POREP};
    mock_engine w = {.cannot = cannot};
    cuzk_err err = {.msg = ""};
    mock_engine_open(&w, 2);
    test_job *o = test_job_make(CUZK_JOB_POREP, 1, 1, "");
    CHECK_STATUS(cuzk_engine_prove(w.e, &o->rq, NULL, engine_answer_set, &o->r, &o->wait, &err),
                 CUZK_E_DEV_UNFIT);
    CHECK_STR(err.msg, "no device of this machine can prove porep-32g: it needs 100 MiB of device "
                       "memory, and mock 1 (device 1) has 51 MiB");
    CHECK_STR(cuzk_job_error_class(CUZK_E_DEV_UNFIT), "environment");
    CHECK_U64(atomic_load(&w.b.calls[MOCK_PARSE]), 0);
    test_job_free(o);
    prove_many(&w, CUZK_JOB_WINNING, 10, 2);
    mock_engine_close(&w);
}

/* The CPU proves what no GPU can, while GPUs go on with the rest. */
static void fallback_for_one_kind(void)
{
    static const uint32_t cannot[MOCK_DEVICES] = {POREP};
    mock_engine w = {.cfg = {.cpu_when_lost = true, .cpu_after_ms = 20},
                     .cannot = cannot,
                     .with_fallback = true};
    static cuzk_engine_status s; /* static: frames are small */
    mock_engine_open(&w, 1);
    prove_many(&w, CUZK_JOB_POREP, 1, 2);
    prove_many(&w, CUZK_JOB_UPDATE, 20, 2);
    CHECK_U64(atomic_load(&w.b.proofs_of_device[MOCK_CPU]), 6);
    CHECK_U64(atomic_load(&w.b.proofs_of_device[0]), 6);
    status_of(&w, &s);
    CHECK(!s.on_cpu); /* the GPU works */
    cuzk_engine_status_free(&s);
    wait_rest(&w);
    mock_engine_close(&w);
}

/* The device that can is lost for a while: the job waits for it. */
static void waits_for_the_one_that_can(void)
{
    static const uint32_t cannot[MOCK_DEVICES] = {POREP, 0};
    mock_engine w = {.cannot = cannot};
    mock_engine_open(&w, 2);
    atomic_store(&w.b.probes_to_fail, 5);
    atomic_store(&w.b.lost_device, 2);
    test_job *o = test_job_make(CUZK_JOB_POREP, 1, 2, "");
    test_job_prove(&w, o);
    wait_for(&w.b.calls[MOCK_PROVE], 1);
    prove_many(&w, CUZK_JOB_WINNING, 10, 2);
    atomic_store(&w.b.lost_device, 0);
    engine_answer_wait(&o->r);
    CHECK_MSG(is_right(o), "%s", o->r.error);
    test_job_free(o);
    wait_rest(&w);
    mock_engine_close(&w);
}

static const cuzk_case cases[] = {CASE(goes_to_the_other), CASE(refused_when_none_can),
                                  CASE(fallback_for_one_kind), CASE(waits_for_the_one_that_can)};
TEST_MAIN("engine/abilities", cases)
