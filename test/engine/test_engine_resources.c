/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Devices, memory and the store: what goes wrong with them, and what is kept and given back. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "sys/host_memory.h"

#include "mock_engine.h"
#include "test.h"

/* A wrong proof is made again on another device; wrong everywhere, the job fails and says where. */
static void wrong_proofs(void)
{
    mock_engine w = {.e = NULL};
    static cuzk_engine_status s;
    mock_engine_open(&w, 2);
    atomic_store(&w.b.wrong_device, 1);
    test_job *o[8];
    for (uint64_t i = 0; i < 8; i++) {
        o[i] = test_job_make(CUZK_JOB_POREP, i, 2, "");
        test_job_prove(&w, o[i]);
    }
    for (int i = 0; i < 8; i++) {
        engine_answer_wait(&o[i]->r);
        CHECK_MSG(is_right(o[i]), "%s", o[i]->r.error);
        test_job_free(o[i]);
    }
    status_of(&w, &s);
    CHECK(s.reproved[CUZK_JOB_POREP] > 0 && s.devices[0].errors > 0);
    CHECK_U64(s.devices[1].errors, 0);
    cuzk_engine_status_free(&s);
    atomic_store(&w.b.wrong_device, 0);
    atomic_store(&w.b.wrong, 1000);
    const cuzk_job_kind kinds[] = {CUZK_JOB_POREP, CUZK_JOB_UPDATE, CUZK_JOB_WINDOW,
                                   CUZK_JOB_WINNING};
    for (uint64_t k = 0; k < 4; k++) {
        test_job *bad = test_job_make(kinds[k], 100 + k, 1, "");
        test_job_prove(&w, bad);
        engine_answer_wait(&bad->r);
        CHECK(bad->r.state == CUZK_JOB_FAILED && bad->r.proof_bytes == 0);
        CHECK_MSG(strncmp(bad->r.error, "internal: partition 0", 21) == 0, "%s", bad->r.error);
        test_job_free(bad);
    }
    wait_rest(&w);
    mock_engine_close(&w);
}

/* A device that hangs: quarantined, its partition goes on elsewhere, and it comes back. */
static void hanging_device(void)
{
    mock_engine w = {.cfg = {.device_timeout_ms = 3000}};
    static cuzk_engine_status s;
    mock_engine_open(&w, 2);
    w.b.ignores_cancel = true;
    w.b.hanging_device = 1;
    mock_close(&w.b, MOCK_PROVE);
    test_job *o[6];
    for (uint64_t i = 0; i < 6; i++) {
        o[i] = test_job_make(CUZK_JOB_POREP, i, 2, "");
        test_job_prove(&w, o[i]);
    }
    for (int i = 0; i < 6; i++) {
        engine_answer_wait(&o[i]->r);
        CHECK_MSG(is_right(o[i]), "%s", o[i]->r.error);
        test_job_free(o[i]);
    }
    /* The other device may have been quick enough to take everything: then there is more. */
    const uint64_t out_limit = cuzk_clock_ns() + PATIENCE_NS;
    bool is_out = false;
    for (uint64_t i = 6; !is_out; i++) {
        status_of(&w, &s);
        const bool other_is_out = s.devices[1].quarantined;
        is_out = s.devices[0].quarantined;
        cuzk_engine_status_free(&s);
        CHECK(!other_is_out);
        CHECK_MSG(cuzk_clock_ns() < out_limit, "the device that hangs is not quarantined");
        if (!is_out) {
            test_job *more = test_job_make(CUZK_JOB_POREP, i, 2, "");
            test_job_prove(&w, more);
            engine_answer_wait(&more->r);
            CHECK_MSG(is_right(more), "%s", more->r.error);
            test_job_free(more);
        }
    }
    CHECK_U64(atomic_load(&w.b.proofs_of_device[0]), 0);
    mock_open(&w.b, MOCK_PROVE);
    const uint64_t limit = cuzk_clock_ns() + PATIENCE_NS;
    bool is_back = false;
    while (!is_back) {
        CHECK_MSG(cuzk_clock_ns() < limit, "the device does not come back");
        nap();
        status_of(&w, &s);
        is_back = !s.devices[0].quarantined;
        cuzk_engine_status_free(&s);
    }
    wait_rest(&w);
    mock_engine_close(&w);
}

/* The only device hangs: the job fails instead of waiting for ever. */
static void only_device_hangs(void)
{
    mock_engine w = {.cfg = {.device_timeout_ms = 2000}};
    mock_engine_open(&w, 1);
    w.b.ignores_cancel = true;
    mock_close(&w.b, MOCK_PROVE);
    test_job *o = test_job_make(CUZK_JOB_WINNING, 1, 1, "win");
    test_job_prove(&w, o);
    engine_answer_wait(&o->r);
    CHECK(o->r.state == CUZK_JOB_FAILED);
    CHECK_MSG(strncmp(o->r.error, "environment: partition 0: device 0", 34) == 0, "%s", o->r.error);
    mock_open(&w.b, MOCK_PROVE);
    test_job *next = test_job_make(CUZK_JOB_WINNING, 2, 1, "win");
    test_job_prove(&w, next); /* taken up when the device is back */
    engine_answer_wait(&next->r);
    CHECK_MSG(is_right(next), "%s", next->r.error);
    test_job_free(o);
    test_job_free(next);
    mock_engine_close(&w);
}

static void lost_device(void)
{
    mock_engine w = {.e = NULL};
    mock_engine_open(&w, 2);
    atomic_store(&w.b.lost, 200);
    atomic_store(&w.b.probes_to_fail, 3);
    size_t completed = 0;
    for (uint64_t i = 0; i < 30; i++) {
        test_job *o = test_job_make(CUZK_JOB_POREP, i, 2, "");
        test_job_prove(&w, o);
        engine_answer_wait(&o->r);
        CHECK(o->r.state == CUZK_JOB_COMPLETED ? is_right(o) : o->r.proof_bytes == 0);
        completed += o->r.state == CUZK_JOB_COMPLETED ? 1 : 0;
        test_job_free(o);
    }
    CHECK(completed > 20);
    wait_rest(&w);
    mock_engine_close(&w);
}

/* Refused at once, with the numbers, when it can never fit. */
static void never_fits(void)
{
    mock_engine w = {.e = NULL};
    cuzk_err err = {.msg = ""};
    /* 3/16 are for inputs, and the process itself counts */
    w.cfg.budget_bytes = (cuzk_host_memory_resident() + 30 * MOCK_MIB) / 13 * 16;
    mock_engine_open(&w, 1);
    test_job *big = test_job_make(CUZK_JOB_POREP, 1, 1, "big");
    CHECK_STATUS(
        cuzk_engine_prove(w.e, &big->rq, NULL, engine_answer_set, &big->r, &big->wait, &err),
        CUZK_E_BUDGET);
    CHECK_MSG(strstr(err.msg, "porep-32g can never fit: it needs ") != NULL, "%s", err.msg);
    CHECK_MSG(strstr(err.msg, "(40 circuit and parameters, 30 a partition, ") != NULL, "%s",
              err.msg);
    test_job *small = test_job_make(CUZK_JOB_WINNING, 1, 1, "small");
    test_job_prove(&w, small);
    engine_answer_wait(&small->r);
    CHECK(is_right(small));
    test_job_free(big);
    test_job_free(small);
    mock_engine_close(&w);
}

/* What the front may take is taken from the start; the total stays the configured one. */
static void front_is_part_of_the_budget(void)
{
    mock_engine w = {.cfg = {.budget_bytes = 600 * MOCK_MIB, .front_bytes = 400 * MOCK_MIB}};
    cuzk_err err = {.msg = ""};
    static cuzk_engine_status s;
    cuzk_engine *none = NULL;
    mock_engine_open(&w, 1);
    status_of(&w, &s);
    CHECK_U64(s.budget_total, 600 * MOCK_MIB);
    CHECK(s.budget_used >= 400 * MOCK_MIB);
    cuzk_engine_status_free(&s);
    test_job *big = test_job_make(CUZK_JOB_POREP, 1, 1, "big");
    CHECK_STATUS(
        cuzk_engine_prove(w.e, &big->rq, NULL, engine_answer_set, &big->r, &big->wait, &err),
        CUZK_E_BUDGET);
    CHECK_MSG(strstr(err.msg, "the process, requests and answers), the budget allows") != NULL,
              "%s", err.msg);
    test_job *small = test_job_make(CUZK_JOB_WINNING, 1, 1, "small");
    test_job_prove(&w, small);
    engine_answer_wait(&small->r);
    CHECK(is_right(small));
    test_job_free(big);
    test_job_free(small);
    CHECK(atomic_load(&w.b.peak) <= 200 * MOCK_MIB);
    /* Not another one that leaves the engine nothing. */
    cuzk_engine_config c = w.cfg;
    mock_backend b;
    mock_init(&b, 1);
    c.backend = &b.vtable;
    c.front_bytes = 590 * MOCK_MIB;
    CHECK_STATUS(cuzk_engine_create(&none, &c, &err), CUZK_E_BUDGET);
    mock_destroy(&b);
    mock_engine_close(&w);
}

/* Room for one circuit: kinds that alternate evict each other, and all finish. */
static void one_circuit_fits(void)
{
    mock_engine w = {.cfg = {.eviction_min_idle_ms = 3600 * 1000}};
    w.cfg.budget_bytes = (cuzk_host_memory_resident() + 130 * MOCK_MIB) / 13 * 16;
    mock_engine_open(&w, 2);
    test_job *o[40];
    for (uint64_t i = 0; i < 40; i++) {
        o[i] = test_job_make((cuzk_job_kind)(1 + i % 3), i, 1, "");
        test_job_prove(&w, o[i]);
    }
    for (int i = 0; i < 40; i++) {
        engine_answer_wait(&o[i]->r);
        CHECK_MSG(is_right(o[i]), "%s", o[i]->r.error);
        test_job_free(o[i]);
    }
    wait_rest(&w);
    mock_engine_close(&w);
}

static void preload_and_evict(void)
{
    mock_engine w = {.e = NULL};
    cuzk_err err;
    bool already = true, was_loaded = false;
    uint64_t ms = 99, freed = 0;
    static cuzk_engine_status s;
    mock_engine_open(&w, 1);
    CHECK_OK(cuzk_engine_preload(w.e, "porep-32g", &already, &ms, &err), &err);
    CHECK(!already);
    CHECK_OK(cuzk_engine_preload(w.e, "porep-32g", &already, &ms, &err), &err);
    CHECK(already && ms == 0);
    status_of(&w, &s);
    CHECK_U64(s.n_cached, 2);
    CHECK_STR(s.cached[0].circuit_id, "porep-32g");
    CHECK_U64(s.cached[0].bytes + s.cached[1].bytes, 40 * MOCK_MIB);
    cuzk_engine_status_free(&s);
    mock_close(&w.b, MOCK_PROVE);
    test_job *o = test_job_make(CUZK_JOB_POREP, 1, 1, "porep");
    test_job_prove(&w, o);
    mock_wait_inside(&w.b, MOCK_PROVE, 1);
    CHECK_STATUS(cuzk_engine_evict(w.e, "porep-32g", &was_loaded, &freed, &err), CUZK_E_BUDGET);
    mock_open(&w.b, MOCK_PROVE);
    engine_answer_wait(&o->r);
    wait_rest(&w);
    CHECK_OK(cuzk_engine_evict(w.e, "porep-32g", &was_loaded, &freed, &err), &err);
    CHECK(was_loaded && freed == 40 * MOCK_MIB);
    CHECK_OK(cuzk_engine_evict(w.e, "porep-32g", &was_loaded, &freed, &err), &err);
    CHECK(!was_loaded && freed == 0);
    CHECK_STATUS(cuzk_engine_evict(w.e, "porep-33g", &was_loaded, &freed, &err), CUZK_E_NOT_FOUND);
    CHECK_U64(atomic_load(&w.b.used), 0);
    atomic_store(&w.b.fail[MOCK_LOAD], 1000);
    CHECK_STATUS(cuzk_engine_preload(w.e, "porep-32g", &already, &ms, &err), CUZK_E_NOMEM);
    test_job_free(o);
    mock_engine_close(&w);
}

/* Inputs that do not fit in memory while they wait are read back from the store. */
static void parked_inputs(void)
{
    mock_engine w = {.cfg = {.budget_bytes = 200 * MOCK_MIB}};
    cuzk_err err;
    mock_engine_open(&w, 1);
    mock_close(&w.b, MOCK_CHECK);
    test_job *o[8];
    uint8_t *inputs[8];
    const size_t n = 5 << 20; /* the store keeps 40 MiB, the engine 12.5 */
    for (uint64_t i = 0; i < 8; i++) {
        o[i] = test_job_make(CUZK_JOB_POREP, i, 1, "");
        inputs[i] = calloc(1, n);
        memcpy(inputs[i], &o[i]->job, sizeof(o[i]->job));
        o[i]->rq.vanilla_proof = (cuzk_bytes){inputs[i], n};
        CHECK_OK(
            cuzk_engine_prove(w.e, &o[i]->rq, NULL, engine_answer_set, &o[i]->r, &o[i]->wait, &err),
            &err);
        free(inputs[i]);
    }
    mock_open(&w.b, MOCK_CHECK);
    for (int i = 0; i < 8; i++) {
        engine_answer_wait(&o[i]->r);
        CHECK_MSG(is_right(o[i]), "%s", o[i]->r.error);
        test_job_free(o[i]);
    }
    wait_rest(&w);
    mock_engine_close(&w);
}

/* An engine that ends leaves its jobs in the store; the next one proves them. */
static void taken_up(void)
{
    cuzk_err err;
    mock_store store;
    mock_store_init(&store);
    test_job *o[5];
    char ids[5][CUZK_JOB_ID_BYTES];
    for (int run = 0; run < 2; run++) {
        mock_engine w = {.cfg = {.store = &store.vtable}};
        w.before = cuzk_alloc_get_stats();
        mock_init(&w.b, 1);
        w.cfg.backend = &w.b.vtable;
        w.cfg.budget_bytes = 1024 * MOCK_MIB;
        if (run == 0) {
            mock_close(&w.b, MOCK_PROVE);
        }
        CHECK_OK(cuzk_engine_create(&w.e, &w.cfg, &err), &err);
        for (uint64_t i = 0; i < 5; i++) {
            if (run == 0) {
                o[i] = test_job_make(i == 0 ? CUZK_JOB_WINDOW : CUZK_JOB_POREP, i, 2, "same");
                o[i]->job.n_partitions = i == 0 ? 1 : 2;
                test_job_submit(&w, o[i]);
                memcpy(ids[i], o[i]->id, sizeof(ids[i]));
                CHECK_OK(cuzk_engine_await(w.e, ids[i], 0, engine_answer_set, &o[i]->r, &o[i]->wait,
                                           &err),
                         &err);
            } else {
                o[i]->r.calls = 0;
                CHECK_OK(cuzk_engine_await(w.e, ids[i], 0, engine_answer_set, &o[i]->r, &o[i]->wait,
                                           &err),
                         &err);
                engine_answer_wait(&o[i]->r);
                CHECK_MSG(is_right(o[i]), "%s", o[i]->r.error);
                CHECK_STR(o[i]->r.request_id, "same");
            }
        }
        cuzk_engine_destroy(w.e);
        for (int i = 0; run == 0 && i < 5; i++) {
            CHECK(o[i]->r.calls == 1 && o[i]->r.state == CUZK_JOB_CANCELLED);
        }
        CHECK_U64(atomic_load(&w.b.used), 0);
        mock_destroy(&w.b);
    }
    /* a third run knows the results */
    mock_engine w = {.cfg = {.store = &store.vtable}};
    mock_engine_open(&w, 1);
    for (int i = 0; i < 5; i++) {
        o[i]->r.calls = 0;
        CHECK_OK(cuzk_engine_await(w.e, ids[i], 0, engine_answer_set, &o[i]->r, &o[i]->wait, &err),
                 &err);
        engine_answer_wait(&o[i]->r);
        CHECK(is_right(o[i]));
        o[i]->r.calls = 0;
        test_job_prove(&w, o[i]); /* the same request: the kept proof */
        engine_answer_wait(&o[i]->r);
        CHECK(is_right(o[i]));
        test_job_free(o[i]);
    }
    CHECK_U64(atomic_load(&w.b.calls[MOCK_PROVE]), 0);
    cuzk_engine_destroy(w.e);
    mock_destroy(&w.b);
    mock_store_destroy(&store);
}

/* Keys that stream keep their points on the host: one that can never fit there fails its job, with the
 * numbers, and harms nobody else. */
static void key_never_fits(void)
{
    mock_engine w = {.e = NULL};
    mock_init(&w.b, 1);
    mock_use_keys(&w.b, 12 * MOCK_MIB);
    w.before = cuzk_alloc_get_stats();
    w.cfg.backend = &w.b.vtable;
    w.cfg.stream = CUZK_ENGINE_STREAM_MEMORY;
    /* 30 of 30 MiB staged and 22 beside would be needed; a partition itself fits */
    w.cfg.budget_bytes = (cuzk_host_memory_resident() + 45 * MOCK_MIB) / 13 * 16;
    w.cfg.winning_reserve_bytes = 8 * MOCK_MIB;
    w.b.circuits[0].circuit_bytes = w.b.circuits[0].compile_bytes = MOCK_MIB;
    w.b.circuits[0].params_bytes = w.b.circuits[0].witness_bytes = MOCK_MIB;
    w.b.circuits[0].prove_bytes = MOCK_MIB;
    w.b.circuits[0].verify_bytes = 0;
    cuzk_err err;
    static cuzk_engine_status s;
    CHECK_OK(cuzk_engine_create(&w.e, &w.cfg, &err), &err);
    test_job *big = test_job_make(CUZK_JOB_POREP, 1, 1, "big");
    test_job_prove(&w, big);
    engine_answer_wait(&big->r);
    CHECK(big->r.state == CUZK_JOB_FAILED);
    CHECK_MSG(strstr(big->r.error, "environment: ") == big->r.error &&
                  strstr(big->r.error, "can never be loaded") != NULL,
              "%s", big->r.error);
    test_job *small = test_job_make(CUZK_JOB_WINNING, 1, 1, "small");
    test_job_prove(&w, small);
    engine_answer_wait(&small->r);
    CHECK_MSG(is_right(small), "%s", small->r.error);
    status_of(&w, &s);
    CHECK(!s.devices[0].quarantined);
    cuzk_engine_status_free(&s);
    test_job_free(big);
    test_job_free(small);
    mock_engine_close(&w);
}

/* The same budget, and a device that has room for half of the points: the others stay in their file,
 * because they must or because there is no room. */
static void key_streams_from_file(void)
{
    for (int i = 0; i < 3; i++) {
        mock_engine w = {.e = NULL};
        cuzk_err err;
        mock_init(&w.b, 1);
        mock_use_keys(&w.b, 20 * MOCK_MIB);
        w.before = cuzk_alloc_get_stats();
        w.cfg.backend = &w.b.vtable;
        w.cfg.stream = i == 0 ? CUZK_ENGINE_STREAM_FILE : CUZK_ENGINE_STREAM_AUTO;
        /* 30 staged and 16 beside; with plenty of memory auto leaves them there */
        const uint64_t budget = i == 1 ? 45 * MOCK_MIB : 900 * MOCK_MIB;
        w.cfg.budget_bytes = (cuzk_host_memory_resident() + budget) / 13 * 16;
        w.cfg.winning_reserve_bytes = 8 * MOCK_MIB;
        w.b.circuits[0].circuit_bytes = w.b.circuits[0].compile_bytes = MOCK_MIB;
        w.b.circuits[0].params_bytes = w.b.circuits[0].witness_bytes = MOCK_MIB;
        w.b.circuits[0].prove_bytes = MOCK_MIB;
        w.b.circuits[0].verify_bytes = 0;
        CHECK_OK(cuzk_engine_create(&w.e, &w.cfg, &err), &err);
        test_job *big = test_job_make(CUZK_JOB_POREP, 1, 1, "big");
        test_job_prove(&w, big);
        engine_answer_wait(&big->r);
        CHECK_MSG(is_right(big), "%s", big->r.error);
        CHECK_U64(atomic_load(&w.b.keys_from_file), i == 2 ? 0 : 1);
        test_job_free(big);
        mock_engine_close(&w);
    }
}

/* With as many jobs as may wait, an answer about them still takes milliseconds of a processor, and a WinningPoSt goes
 * past all of them. */
static void full_queue(void)
{
    mock_engine w = {.e = NULL};
    static cuzk_engine_status s;
    mock_engine_open(&w, 1);
    const size_t n = 4095;
    test_job **o = calloc(n, sizeof(test_job *));
    mock_close(&w.b, MOCK_CHECK);
    for (size_t i = 0; i < n; i++) {
        o[i] = test_job_make(CUZK_JOB_POREP, i, 1, "");
        test_job_prove(&w, o[i]);
    }
    uint64_t best = UINT64_MAX;
    const uint64_t enough = (TEST_IS_BRIEF ? 10 : 1) * UINT64_C(50000000);
    for (int i = 0; i < 50 && best >= enough;
         i++) { /* of this thread: a busy machine does not matter */
        const uint64_t begin = cuzk_clock_cpu_ns();
        status_of(&w, &s);
        const uint64_t took = cuzk_clock_cpu_ns() - begin;
        CHECK_U64(s.n_jobs, n);
        CHECK_U64(s.pending[CUZK_JOB_POREP] + s.in_progress[CUZK_JOB_POREP], n);
        cuzk_engine_status_free(&s);
        best = took < best ? took : best;
    }
    CHECK_MSG(best < enough, "%llu us", (unsigned long long)(best / 1000));
    test_job *winning = test_job_make(CUZK_JOB_WINNING, 1, 1, "winning");
    test_job_prove(&w, winning);
    mock_wait_inside(&w.b, MOCK_CHECK, 2);
    mock_open(&w.b, MOCK_CHECK);
    engine_answer_wait(&winning->r);
    CHECK(is_right(winning));
    test_job_free(winning);
    for (size_t i = 0; i < n; i++) {
        engine_answer_wait(&o[i]->r);
        CHECK(is_right(o[i]));
        test_job_free(o[i]);
    }
    free(o);
    wait_rest(&w);
    mock_engine_close(&w);
}

/* Thousands of small jobs: what is kept is bounded, memory stays flat. */
static void flat_memory(void)
{
    mock_engine w = {.cfg = {.result_keep_count = 100}};
    mock_engine_open(&w, 2);
    uint64_t blocks_early = 0;
    const size_t n = test_iters(TEST_IS_SPARSE ? 2000 : 10000);
    for (size_t i = 0; i < n; i++) {
        test_job *o = test_job_make(CUZK_JOB_WINNING, i, 1, "small");
        test_job_prove(&w, o);
        engine_answer_wait(&o->r);
        CHECK(is_right(o));
        test_job_free(o);
        if (i == 500) {
            wait_rest(&w);
            blocks_early = cuzk_alloc_get_stats().blocks_now;
        }
    }
    wait_rest(&w);
    /* the store's records are its own: 2 blocks for each of the jobs since */
    const uint64_t grown = cuzk_alloc_get_stats().blocks_now - blocks_early;
    CHECK_MSG(grown <= 2 * (n - 501) + 16, "%llu blocks more", (unsigned long long)grown);
    mock_engine_close(&w);
}

/* No device comes back: what waits for one fails in the end. */
static void no_device_at_all(void)
{
    mock_engine w = {.cfg = {.no_device_ms = 60}};
    mock_engine_open(&w, 2);
    atomic_store(&w.b.lost, 1000);
    atomic_store(&w.b.probes_to_fail, 1000000);
    for (uint64_t i = 0; i < 3; i++) {
        test_job *o = test_job_make(CUZK_JOB_POREP, i, 2, "");
        test_job_prove(&w, o);
        engine_answer_wait(&o->r);
        CHECK(o->r.state == CUZK_JOB_FAILED && o->r.code == CUZK_E_DEV_LOST);
        CHECK_MSG(strncmp(o->r.error, "environment: ", 13) == 0, "%s", o->r.error);
        test_job_free(o);
    }
    wait_rest(&w);
    mock_engine_close(&w);
}

/* A parameter file that fails is no fault of the devices: they stay, and the file is opened again. */
static void bad_file(void)
{
    for (int with_keys = 0; with_keys < 2; with_keys++) {
        mock_engine w = {.cfg = {.no_device_ms = 600000}};
        static cuzk_engine_status s;
        mock_engine_open_with_keys(&w, 2, with_keys ? 200 : 0);
        atomic_store(&w.b.bad_file, 1000);
        for (uint64_t i = 0; i < 5; i++) {
            test_job *bad = test_job_make(CUZK_JOB_POREP, i, 3, "");
            test_job_prove(&w, bad);
            engine_answer_wait(&bad->r);
            CHECK(bad->r.state == CUZK_JOB_FAILED);
            CHECK_STATUS(bad->r.code, CUZK_E_IO);
            CHECK_MSG(strncmp(bad->r.error, "environment: partition ", 23) == 0 &&
                          strstr(bad->r.error, "mock.params: ends before its end") != NULL,
                      "%s", bad->r.error);
            test_job_free(bad);
        }
        wait_rest(&w);
        /* the circuit once (or more, when it failed), the parameters for each try */
        const uint64_t loads = atomic_load(&w.b.calls[MOCK_LOAD]);
        CHECK_MSG(loads >= 6, "%llu loads", (unsigned long long)loads);
        status_of(&w, &s);
        for (uint32_t i = 0; i < s.n_devices; i++) {
            CHECK(!s.devices[i].quarantined && s.devices[i].errors == 0);
        }
        cuzk_engine_status_free(&s);
        atomic_store(&w.b.bad_file, 0);
        test_job *good = test_job_make(CUZK_JOB_POREP, 99, 3, "");
        test_job_prove(&w, good);
        engine_answer_wait(&good->r);
        CHECK(is_right(good));
        test_job_free(good);
        mock_engine_close(&w);
    }
}

static const cuzk_case cases[] = {
    CASE(no_device_at_all),
    CASE(wrong_proofs),
    CASE(hanging_device),
    CASE(only_device_hangs),
    CASE(lost_device),
    CASE(never_fits),
    CASE(front_is_part_of_the_budget),
    CASE(one_circuit_fits),
    CASE(preload_and_evict),
    CASE(parked_inputs),
    CASE(taken_up),
    CASE(key_never_fits),
    CASE(key_streams_from_file),
    CASE(full_queue),
    CASE(flat_memory),
    CASE(bad_file),
};
TEST_MAIN("engine/resources", cases)
