/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* When no GPU works: the CPU takes over, loudly, within the budget, and gives back. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "sys/host_memory.h"

#include "mock_engine.h"
#include "test.h"

static uint64_t on_cpu(const mock_engine *w)
{
    return atomic_load(&w->b.proofs_of_device[MOCK_CPU]);
}

/* Waits until the status says so. */
static void wait_cpu(mock_engine *w, bool want)
{
    const uint64_t limit = cuzk_clock_ns() + PATIENCE_NS;
    for (;;) {
        static cuzk_engine_status s; /* static: frames are small */
        status_of(w, &s);
        const bool is = s.on_cpu;
        cuzk_engine_status_free(&s);
        if (is == want) {
            return;
        }
        CHECK_MSG(cuzk_clock_ns() < limit, "on_cpu stays %d", is);
        nap();
    }
}

static void prove_one(mock_engine *w, uint64_t tag, uint32_t n_partitions)
{
    test_job *o = test_job_make(CUZK_JOB_POREP, tag, n_partitions, "");
    pthread_mutex_lock(&w->log.mu);
    const uint32_t before = w->log.n_jobs;
    pthread_mutex_unlock(&w->log.mu);
    test_job_prove(w, o);
    engine_answer_wait(&o->r);
    wait_log(w, &w->log.n_jobs, before + 1);
    CHECK_MSG(is_right(o), "%s", o->r.error);
    test_job_free(o);
}

/* The status of the newest job. */
static uint32_t newest_on_cpu(mock_engine *w)
{
    static cuzk_engine_status s; /* static: frames are small */
    status_of(w, &s);
    CHECK(s.n_jobs != 0);
    const uint32_t n = s.jobs[s.n_jobs - 1].n_on_cpu;
    cuzk_engine_status_free(&s);
    return n;
}

static void takes_over_and_gives_back(void)
{
    for (int with_keys = 0; with_keys < 2; with_keys++) {
        mock_engine w = {.cfg = {.cpu_when_lost = true, .cpu_after_ms = 20}, .with_fallback = true};
        static cuzk_engine_status s; /* static: frames are small */
        mock_engine_open_with_keys(&w, 2, with_keys ? 200 : 0);
        prove_one(&w, 1, 4);
        CHECK_U64(on_cpu(&w), 0);
        CHECK(w.log.devices[0] != '\0' && strstr(w.log.devices, "cpu") == NULL);
        for (uint32_t round = 1; round <= 3; round++) {
            const uint64_t before = on_cpu(&w);
            atomic_store(&w.b.no_gpu, true);
            prove_one(&w, 10 * round, 4);
            CHECK_U64(on_cpu(&w), before + 4);
            CHECK_STR(w.log.devices, "cpu");
            CHECK_U64(newest_on_cpu(&w), 4);
            status_of(&w, &s);
            CHECK(s.has_fallback && s.on_cpu && s.on_cpu_since_ns != 0);
            CHECK_U64(s.n_fallbacks, round);
            CHECK_U64(s.n_devices, 3);
            CHECK(s.devices[2].is_cpu && s.devices[2].is_fallback && !s.devices[2].quarantined);
            CHECK(s.devices[0].quarantined && s.devices[1].quarantined);
            CHECK_U64(s.devices[2].jobs_done, before + 4);
            cuzk_engine_status_free(&s);
            prove_one(&w, 10 * round + 1, 3);
            CHECK_U64(on_cpu(&w), before + 7);

            atomic_store(&w.b.no_gpu, false);
            wait_cpu(&w, false);
            prove_one(&w, 10 * round + 2, 4);
            CHECK_U64(on_cpu(&w), before + 7);
            CHECK_U64(newest_on_cpu(&w), 0);
            /* once per transition, as warnings */
            wait_log(&w, &w.log.n_over, round);
            pthread_mutex_lock(&w.log.mu);
            CHECK_U64(w.log.n_fallback, round);
            CHECK_U64(w.log.n_over, round);
            CHECK_U64(w.log.n_warnings, 2 * round);
            pthread_mutex_unlock(&w.log.mu);
        }
        mock_engine_close(&w);
    }
}

/* A loss that lasts no longer than an opening is waited out. */
static void short_losses_are_waited_out(void)
{
    mock_engine w = {.cfg = {.cpu_when_lost = true, .cpu_after_ms = 600000}, .with_fallback = true};
    static cuzk_engine_status s; /* static: frames are small */
    mock_engine_open(&w, 2);
    atomic_store(&w.b.no_gpu, true);
    test_job *o = test_job_make(CUZK_JOB_POREP, 1, 2, "");
    test_job_prove(&w, o);
    for (int i = 0; i < 50; i++) {
        nap();
    }
    CHECK_U64(o->r.calls, 0);
    atomic_store(&w.b.no_gpu, false);
    engine_answer_wait(&o->r);
    CHECK(is_right(o));
    test_job_free(o);
    status_of(&w, &s);
    CHECK(!s.on_cpu && s.n_fallbacks == 0);
    cuzk_engine_status_free(&s);
    CHECK_U64(on_cpu(&w), 0);
    mock_engine_close(&w);
}

/* The default: nothing is proved on the CPU, and what waits too long fails. */
static void waits_by_default(void)
{
    mock_engine w = {.cfg = {.no_device_ms = 60, .cpu_after_ms = 1}};
    static cuzk_engine_status s; /* static: frames are small */
    mock_engine_open(&w, 2);
    atomic_store(&w.b.no_gpu, true);
    test_job *o = test_job_make(CUZK_JOB_POREP, 1, 2, "");
    test_job_prove(&w, o);
    engine_answer_wait(&o->r);
    CHECK(o->r.state == CUZK_JOB_FAILED && o->r.code == CUZK_E_DEV_LOST);
    test_job_free(o);
    status_of(&w, &s);
    CHECK(!s.has_fallback && !s.on_cpu && s.n_fallbacks == 0 && s.n_devices == 2);
    cuzk_engine_status_free(&s);
    mock_engine_close(&w);
}

static uint64_t base(void)
{
    return cuzk_host_memory_resident();
}

/* Witnesses for the GPUs fill the memory; some are given up so that the CPU can prove the others. */
static void memory_is_made_for_the_cpu(void)
{
    mock_engine w = {.cfg = {.cpu_when_lost = true, .cpu_after_ms = 5}, .with_fallback = true};
    test_job *jobs[6];
    /* of the budget 3/16 are for inputs: room for 40 loaded and 110 of partitions, which take 30
     * each, and 70 on the CPU */
    w.cfg.budget_bytes = (base() + 166 * MOCK_MIB) / 13 * 16;
    mock_engine_open(&w, 3);
    prove_one(&w, 1, 2);
    mock_close(&w.b, MOCK_PROVE); /* until all memory is taken */
    w.b.ignores_cancel = true;
    for (uint64_t i = 0; i < 6; i++) {
        jobs[i] = test_job_make(CUZK_JOB_POREP, 100 + i, 4, "");
        test_job_prove(&w, jobs[i]);
    }
    mock_wait_inside(&w.b, MOCK_PROVE, 3);
    atomic_store(&w.b.no_gpu, true);
    mock_open(&w.b, MOCK_PROVE);
    for (uint64_t i = 0; i < 6; i++) {
        engine_answer_wait(&jobs[i]->r);
        CHECK_MSG(is_right(jobs[i]), "%s", jobs[i]->r.error);
        test_job_free(jobs[i]);
    }
    CHECK_U64(on_cpu(&w), 24);
    wait_rest(&w);
    mock_engine_close(&w);
}

/* What fits a GPU's partition and never the CPU's waits as by default, and says why it failed. */
static void too_large_for_the_cpu(void)
{
    mock_engine w = {.cfg = {.cpu_when_lost = true, .cpu_after_ms = 5, .no_device_ms = 60},
                     .with_fallback = true};
    w.cfg.budget_bytes = (base() + 16 * MOCK_MIB + 90 * MOCK_MIB) / 13 * 16;
    mock_engine_open(&w, 1);
    prove_one(&w, 1, 1);
    atomic_store(&w.b.no_gpu, true);
    test_job *o = test_job_make(CUZK_JOB_POREP, 2, 1, "");
    test_job_prove(&w, o);
    engine_answer_wait(&o->r);
    CHECK(o->r.state == CUZK_JOB_FAILED);
    CHECK_MSG(strstr(o->r.error, "environment: no GPU works, and the memory budget is too small") ==
                  o->r.error,
              "%s", o->r.error);
    test_job_free(o);
    test_job *small = test_job_make(CUZK_JOB_WINNING, 3, 1, "");
    test_job_prove(&w, small);
    engine_answer_wait(&small->r);
    CHECK_MSG(is_right(small), "%s", small->r.error);
    test_job_free(small);
    CHECK_U64(on_cpu(&w), 1);
    mock_engine_close(&w);
}

/* A device that hangs is as good as lost. */
static void hanging_devices(void)
{
    mock_engine w = {.cfg = {.cpu_when_lost = true, .cpu_after_ms = 5, .device_timeout_ms = 2000},
                     .with_fallback = true};
    mock_engine_open(&w, 1);
    w.b.ignores_cancel = true;
    w.b.hanging_device = 1;
    mock_close(&w.b, MOCK_PROVE);
    prove_one(&w, 1, 3);
    CHECK_U64(on_cpu(&w), 3);
    mock_open(&w.b, MOCK_PROVE);
    wait_cpu(&w, false);
    prove_one(&w, 2, 3);
    CHECK_U64(on_cpu(&w), 3);
    wait_rest(&w);
    mock_engine_close(&w);
}

/* WinningPoSt passes whatever waits for the CPU, too. */
static void winning_first(void)
{
    mock_engine w = {.cfg = {.cpu_when_lost = true, .cpu_after_ms = 5}, .with_fallback = true};
    test_job *slow[3];
    mock_engine_open(&w, 1);
    atomic_store(&w.b.no_gpu, true);
    prove_one(&w, 1, 1);
    mock_close(&w.b, MOCK_PROVE);
    for (uint64_t i = 0; i < 3; i++) {
        slow[i] = test_job_make(CUZK_JOB_POREP, 10 + i, 2, "");
        test_job_prove(&w, slow[i]);
    }
    mock_wait_inside(&w.b, MOCK_PROVE, 1);
    test_job *o = test_job_make(CUZK_JOB_WINNING, 2, 1, "");
    test_job_prove(&w, o);
    mock_wait_inside(&w.b, MOCK_PROVE, 2); /* beside the PoRep: it has a place of its own */
    mock_open(&w.b, MOCK_PROVE);
    engine_answer_wait(&o->r);
    CHECK(is_right(o));
    test_job_free(o);
    for (uint64_t i = 0; i < 3; i++) {
        engine_answer_wait(&slow[i]->r);
        CHECK(is_right(slow[i]));
        test_job_free(slow[i]);
    }
    mock_engine_close(&w);
}

static const cuzk_case cases[] = {CASE(takes_over_and_gives_back),
                                  CASE(short_losses_are_waited_out),
                                  CASE(waits_by_default),
                                  CASE(memory_is_made_for_the_cpu),
                                  CASE(too_large_for_the_cpu),
                                  CASE(hanging_devices),
                                  CASE(winning_first)};
TEST_MAIN("engine/fallback", cases)
