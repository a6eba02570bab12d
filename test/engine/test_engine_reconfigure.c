/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What may change while the engine runs: all of it or nothing, and what runs goes on. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "sys/host_memory.h"

#include "mock_engine.h"
#include "test.h"

static void change(mock_engine *w, const cuzk_engine_config *c)
{
    cuzk_err err;
    CHECK_OK(cuzk_engine_reconfigure(w->e, c, &err), &err);
}

static void prove(mock_engine *w, uint64_t tag, uint32_t n_partitions)
{
    test_job *o = test_job_make(CUZK_JOB_POREP, tag, n_partitions, "");
    test_job_prove(w, o);
    engine_answer_wait(&o->r);
    CHECK_MSG(is_right(o), "%s", o->r.error);
    test_job_free(o);
}

static cuzk_engine_status *status(mock_engine *w)
{
    static cuzk_engine_status s; /* static: frames are small */
    status_of(w, &s);
    return &s;
}

static uint64_t budget_total(mock_engine *w)
{
    cuzk_engine_status *s = status(w);
    const uint64_t total = s->budget_total;
    cuzk_engine_status_free(s);
    return total;
}

static uint32_t n_slots(mock_engine *w)
{
    cuzk_engine_status *s = status(w);
    const uint32_t n = s->devices[0].n_slots;
    cuzk_engine_status_free(s);
    return n;
}

static void budget(void)
{
    mock_engine w = {.cfg = {.eviction_min_idle_ms = 600000}};
    cuzk_err err;
    mock_engine_open(&w, 1);
    prove(&w, 1, 2);
    test_job *other = test_job_make(CUZK_JOB_UPDATE, 2, 1, "");
    test_job_prove(&w, other);
    engine_answer_wait(&other->r);
    test_job_free(other);
    wait_rest(&w); /* two circuits of 40 MiB are loaded and idle */
    cuzk_engine_config c = w.cfg;
    c.budget_bytes = (cuzk_host_memory_resident() + 16 * MOCK_MIB + 84 * MOCK_MIB) / 13 * 16;
    change(&w, &c);
    CHECK_U64(budget_total(&w), c.budget_bytes);
    prove(&w, 3, 4);

    /* a job that runs must still fit; the engine says which, and nothing changes */
    mock_close(&w.b, MOCK_PROVE);
    test_job *o = test_job_make(CUZK_JOB_POREP, 4, 2, "running");
    test_job_prove(&w, o);
    mock_wait_inside(&w.b, MOCK_PROVE, 1);
    cuzk_engine_config small = c;
    small.budget_bytes = (cuzk_host_memory_resident() + 16 * MOCK_MIB + 30 * MOCK_MIB) / 13 * 16;
    small.slots_per_device = 3;
    CHECK_STATUS(cuzk_engine_reconfigure(w.e, &small, &err), CUZK_E_BUDGET);
    CHECK_MSG(strstr(err.msg, "the budget is too small for job running: ") == err.msg, "%s",
              err.msg);
    CHECK_U64(budget_total(&w), c.budget_bytes);
    CHECK_U64(n_slots(&w), 2);
    small.budget_bytes = 64 * MOCK_MIB / 64;
    CHECK_STATUS(cuzk_engine_reconfigure(w.e, &small, &err), CUZK_E_BUDGET);
    CHECK_MSG(strstr(err.msg, "the process itself") != NULL, "%s", err.msg);
    CHECK_U64(budget_total(&w), c.budget_bytes);
    mock_open(&w.b, MOCK_PROVE);
    engine_answer_wait(&o->r);
    CHECK(is_right(o));
    test_job_free(o);

    wait_rest(&w); /* now nobody needs so much: the idle circuit goes, too */
    small.budget_bytes = (cuzk_host_memory_resident() + 16 * MOCK_MIB + 30 * MOCK_MIB) / 13 * 16;
    change(&w, &small);
    CHECK_U64(budget_total(&w), small.budget_bytes);
    wait_rest(&w);
    cuzk_engine_status *s = status(&w);
    CHECK(s->budget_used <= s->budget_total);
    cuzk_engine_status_free(s);
    o = test_job_make(CUZK_JOB_POREP, 5, 1, "");
    CHECK_STATUS(cuzk_engine_prove(w.e, &o->rq, NULL, engine_answer_set, &o->r, &o->wait, &err),
                 CUZK_E_BUDGET);
    test_job_free(o);
    change(&w, &w.cfg);
    prove(&w, 6, 4);
    mock_engine_close(&w);
}

static void slots(void)
{
    enum { JOBS = 6 };
    mock_engine w = {.cfg = {.slots_per_device = 1}};
    test_job *o[JOBS];
    mock_engine_open(&w, 1);
    CHECK_U64(n_slots(&w), 2); /* one of them for WinningPoSt */
    mock_close(&w.b, MOCK_PROVE);
    for (uint64_t i = 0; i < JOBS; i++) {
        o[i] = test_job_make(CUZK_JOB_WINDOW, i, 1, "");
        test_job_prove(&w, o[i]);
    }
    mock_wait_inside(&w.b, MOCK_PROVE, 1);
    cuzk_engine_config c = w.cfg;
    c.slots_per_device = 3;
    change(&w, &c);
    mock_wait_inside(&w.b, MOCK_PROVE, 3);
    CHECK_U64(n_slots(&w), 4);
    c.slots_per_device = 1;
    change(&w, &c);
    CHECK_U64(n_slots(&w), 4); /* while they are busy */
    mock_open(&w.b, MOCK_PROVE);
    for (int i = 0; i < JOBS; i++) {
        engine_answer_wait(&o[i]->r);
        CHECK(is_right(o[i]));
        test_job_free(o[i]);
    }
    wait_rest(&w);
    CHECK_U64(n_slots(&w), 2);
    atomic_store(&w.b.most_on_device, 0);
    atomic_store(&w.b.sleep_us[MOCK_PROVE], 2000);
    for (uint64_t i = 0; i < JOBS; i++) {
        o[i] = test_job_make(CUZK_JOB_WINDOW, 100 + i, 1, "");
        test_job_prove(&w, o[i]);
    }
    for (int i = 0; i < JOBS; i++) {
        engine_answer_wait(&o[i]->r);
        CHECK(is_right(o[i]));
        test_job_free(o[i]);
    }
    CHECK_U64(atomic_load(&w.b.most_on_device), 1);
    /* up and down again and again makes no more threads than there are places */
    for (unsigned i = 0; i < 40; i++) {
        c.slots_per_device = 1 + i % 4;
        change(&w, &c);
        prove(&w, 200 + i, 2);
    }
    CHECK(n_slots(&w) <= 4);
    mock_engine_close(&w);
}

static void queue_limit(void)
{
    mock_engine w = {.cfg = {.max_queued_jobs = 2}};
    cuzk_err err;
    test_job *o[6];
    mock_engine_open(&w, 1);
    mock_close(&w.b, MOCK_WITNESS);
    for (uint64_t i = 0; i < 6; i++) {
        o[i] = test_job_make(CUZK_JOB_POREP, i, 2, "");
    }
    test_job_prove(&w, o[0]);
    test_job_prove(&w, o[1]);
    CHECK_STATUS(
        cuzk_engine_prove(w.e, &o[2]->rq, NULL, engine_answer_set, &o[2]->r, &o[2]->wait, &err),
        CUZK_E_BUDGET);
    cuzk_engine_config c = w.cfg;
    c.max_queued_jobs = 5;
    change(&w, &c);
    for (int i = 2; i < 5; i++) {
        test_job_prove(&w, o[i]);
    }
    CHECK_STATUS(
        cuzk_engine_prove(w.e, &o[5]->rq, NULL, engine_answer_set, &o[5]->r, &o[5]->wait, &err),
        CUZK_E_BUDGET);
    c.max_queued_jobs = 1; /* who is in stays in */
    change(&w, &c);
    mock_open(&w.b, MOCK_WITNESS);
    for (int i = 0; i < 5; i++) {
        engine_answer_wait(&o[i]->r);
        CHECK(is_right(o[i]));
    }
    for (int i = 0; i < 6; i++) {
        test_job_free(o[i]);
    }
    wait_rest(&w);
    mock_engine_close(&w);
}

/* A device that hangs without a limit is abandoned as soon as there is one. */
static void device_timeout(void)
{
    mock_engine w = {.e = NULL};
    mock_engine_open(&w, 2);
    w.b.ignores_cancel = true;
    w.b.hanging_device = 1;
    mock_close(&w.b, MOCK_PROVE);
    test_job *o = NULL;
    for (uint64_t i = 1; o == NULL;
         i++) { /* until the first device has some of a job: the other may be quicker */
        o = test_job_make(CUZK_JOB_POREP, i, 6, "");
        test_job_prove(&w, o);
        while (atomic_load(&w.b.hung) == 0 && !has_answer(o)) {
            nap();
        }
        if (atomic_load(&w.b.hung) == 0) {
            test_job_free(o);
            o = NULL;
        }
    }
    for (int i = 0; i < 30; i++) {
        nap();
    }
    CHECK(!has_answer(o));
    cuzk_engine_config c = w.cfg;
    c.device_timeout_ms = 2000;
    change(&w, &c);
    engine_answer_wait(&o->r);
    CHECK(o->r.state == CUZK_JOB_COMPLETED);
    test_job_free(o);
    mock_open(&w.b, MOCK_PROVE);
    wait_rest(&w);
    mock_engine_close(&w);
}

/* Results are kept for as long as the newest setting says. */
static void retention(void)
{
    mock_engine w = {.cfg = {.result_keep_ms = 3600000}};
    char id[CUZK_JOB_ID_BYTES];
    cuzk_err err;
    mock_engine_open(&w, 1);
    test_job *o = test_job_make(CUZK_JOB_POREP, 1, 1, "kept");
    test_job_submit(&w, o);
    (void)snprintf(id, sizeof(id), "%s", o->id);
    CHECK_OK(cuzk_engine_await(w.e, id, 0, engine_answer_set, &o->r, &o->wait, &err), &err);
    engine_answer_wait(&o->r);
    cuzk_engine_status *s = status(&w);
    CHECK_U64(s->n_jobs, 1);
    cuzk_engine_status_free(s);
    cuzk_engine_config c = w.cfg;
    c.result_keep_ms = 1;
    change(&w, &c);
    const uint64_t limit = cuzk_clock_ns() + PATIENCE_NS;
    for (uint32_t n = 1; n != 0; nap()) {
        s = status(&w);
        n = s->n_jobs;
        cuzk_engine_status_free(s);
        CHECK_MSG(cuzk_clock_ns() < limit, "the job is kept");
    }
    test_job_free(o);
    mock_engine_close(&w);
}

static void without_memory(void)
{
    mock_engine w = {.e = NULL};
    mock_engine_open(&w, 2);
    cuzk_engine_config c = w.cfg;
    c.max_queued_jobs = 100000;
    uint64_t failed = 0;
    for (uint64_t n = 1;; n++) {
        cuzk_err err;
        cuzk_alloc_fail_nth(n, false);
        const cuzk_status st = cuzk_engine_reconfigure(w.e, &c, &err);
        cuzk_alloc_fail_nth(0, false);
        if (st == CUZK_OK) {
            break;
        }
        CHECK_STATUS(st, CUZK_E_NOMEM);
        failed++;
    }
    CHECK(failed >= 2);
    prove(&w, 1, 3);
    wait_rest(&w);
    mock_engine_close(&w);
}

static const cuzk_case cases[] = {CASE(budget),         CASE(slots),     CASE(queue_limit),
                                  CASE(device_timeout), CASE(retention), CASE(without_memory)};
TEST_MAIN("engine/reconfigure", cases)
