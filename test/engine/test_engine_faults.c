/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Thousands of simulated jobs with everything going wrong at once: device errors, lost contexts,
 * wrong proofs, failing allocations, a full disk, cancelled and expired jobs, clients that go away.
 * Every accepted job ends once, no unverified proof is returned, the budget holds, nothing leaks.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "sys/host_memory.h"

#include "mock_backend.h"
#include "test.h"

typedef struct storm_job {
    mock_job job;
    cuzk_bytes view;
    cuzk_job_request rq;
    char id[32];
    cuzk_wait wait;
    bool accepted, withdrawn;
    _Atomic uint32_t calls;
    cuzk_job_state state;
    cuzk_status code;
    bool is_wrong;
    char error[200];
} storm_job;

static void done(void *arg, const cuzk_job_result *result)
{
    storm_job *s = arg;
    uint8_t want[192];
    s->state = result->state;
    s->code = result->code;
    (void)snprintf(s->error, sizeof(s->error), "%s", result->error);
    if (result->state == CUZK_JOB_COMPLETED) {
        s->is_wrong = result->proof.size != (size_t)192 * s->job.n_partitions;
        for (uint32_t i = 0; i < s->job.n_partitions && !s->is_wrong; i++) {
            mock_proof(want, &s->job, i);
            s->is_wrong = memcmp(want, result->proof.data + (size_t)192 * i, 192) != 0;
        }
    } else {
        s->is_wrong = result->proof.size != 0;
    }
    atomic_fetch_add(&s->calls, 1);
}

static void sleep_us(uint64_t us)
{
    const struct timespec t = {(time_t)(us / 1000000), (long)(us % 1000000) * 1000};
    (void)nanosleep(&t, NULL);
}

/* Waits until the engine holds nothing but what is cached. */
static void wait_idle(cuzk_engine *e)
{
    const uint64_t limit = cuzk_clock_ns() + 300ull * 1000000000;
    while (!cuzk_engine_is_idle(e)) {
        CHECK_MSG(cuzk_clock_ns() < limit, "the engine does not come to rest");
        sleep_us(2000);
    }
}

static void make_job(storm_job *s, uint64_t k)
{
    static const cuzk_job_kind kinds[] = {CUZK_JOB_POREP, CUZK_JOB_UPDATE, CUZK_JOB_WINDOW,
                                          CUZK_JOB_WINNING};
    const cuzk_job_kind kind = kinds[test_below(4)];
    memset(s, 0, sizeof(*s));
    s->job.tag = k;
    s->job.n_partitions =
        kind == CUZK_JOB_WINNING || kind == CUZK_JOB_WINDOW ? 1 : 1 + (uint32_t)test_below(5);
    s->job.bad_input = test_below(50) == 0 ? 1 + (uint32_t)test_below(2) : 0;
    /* request ids are shared by jobs of other contents */
    (void)snprintf(s->id, sizeof(s->id), "id-%u", (unsigned)test_below(40));
    mock_request(&s->rq, kind, &s->job, &s->view, s->id);
    s->rq.priority = (uint32_t)test_below(6);
    s->rq.cancel_when_unwatched = test_below(2) == 0;
    if (test_below(20) == 0) {
        s->rq.deadline_ns = cuzk_clock_ns() + 1000000 * (1 + test_below(50));
    }
}

static void set_faults(mock_backend *b, uint32_t k)
{
    for (int i = 0; i < MOCK_STAGES; i++) {
        atomic_store(&b->fail[i], k);
    }
    atomic_store(&b->lost, k / 4);
    atomic_store(&b->wrong, k);
    atomic_store(&b->bad_file, k / 2);
}

static void check_all(storm_job *jobs, size_t n, size_t *completed)
{
    for (size_t i = 0; i < n; i++) {
        const storm_job *s = &jobs[i];
        if (!s->accepted) {
            continue;
        }
        CHECK_MSG(atomic_load(&s->calls) == (s->withdrawn ? 0 : 1), "job %zu: %u calls", i,
                  atomic_load(&s->calls));
        CHECK_MSG(!s->is_wrong, "job %zu: a wrong proof was returned", i);
        if (s->withdrawn) {
            continue;
        }
        *completed += s->state == CUZK_JOB_COMPLETED ? 1 : 0;
        CHECK(s->state >= CUZK_JOB_COMPLETED);
        if (s->job.bad_input != 0) {
            CHECK(s->state != CUZK_JOB_COMPLETED);
        }
        CHECK((s->state == CUZK_JOB_COMPLETED) == (s->error[0] == '\0'));
        if (s->state == CUZK_JOB_FAILED) {
            CHECK_MSG(strncmp(s->error, "input: ", 7) == 0 ||
                          strncmp(s->error, "environment: ", 13) == 0 ||
                          strncmp(s->error, "internal: ", 10) == 0,
                      "%s", s->error);
        }
    }
}

static void check_rest(cuzk_engine *e)
{
    cuzk_err err;
    cuzk_engine_status st;
    CHECK_OK(cuzk_engine_get_status(e, &st, &err), &err);
    for (int s = 0; s < CUZK_STAGES; s++) {
        CHECK_U64(st.queue_len[s], 0);
    }
    for (int k = 0; k <= CUZK_JOB_KINDS; k++) {
        CHECK_U64(st.pending[k] + st.in_progress[k], 0);
    }
    cuzk_engine_status_free(&st);
}

/* Anything that may change while it runs. */
static void reconfigure(cuzk_engine *e, const cuzk_engine_config *cfg, uint64_t most_bytes)
{
    cuzk_engine_config c = *cfg;
    cuzk_err err = {.msg = ""};
    c.budget_bytes = most_bytes / 2 + test_below(most_bytes / 2);
    c.winning_reserve_bytes = (8 + test_below(16)) * MOCK_MIB;
    c.slots_per_device = 1 + (unsigned)test_below(4);
    c.max_batch_size = 1 + (uint32_t)test_below(4);
    c.max_batch_wait_ms = test_below(3);
    c.max_queued_jobs = 10 + (uint32_t)test_below(5000);
    c.result_keep_count = 1 + (uint32_t)test_below(100);
    c.age_ms = 1 + test_below(100);
    c.eviction_min_idle_ms = test_below(10);
    const cuzk_status st = cuzk_engine_reconfigure(e, &c, &err);
    CHECK_MSG(st == CUZK_OK || (st == CUZK_E_BUDGET && err.msg[0] != '\0'), "%s",
              cuzk_status_name(st));
}

static void storm_round_on(uint32_t faults, size_t n, uint64_t budget_mib, uint64_t device_mib,
                           bool gpus_come_and_go, bool settings_change)
{
    cuzk_err err;
    mock_backend b;
    mock_store store;
    cuzk_engine *e = NULL;
    size_t completed = 0, accepted = 0;
    mock_init(&b, MOCK_DEVICES);
    mock_store_init(&store);
    set_faults(&b, faults);
    if (device_mib != 0) {
        mock_use_keys(&b, device_mib * MOCK_MIB);
    }
    if (gpus_come_and_go) {
        mock_use_fallback(&b);
    }
    atomic_store(&store.fail_put, faults);
    atomic_store(&store.fail_finish, faults);
    const cuzk_engine_config cfg = {.budget_bytes =
                                        budget_mib * MOCK_MIB + cuzk_host_memory_resident(),
                                    .winning_reserve_bytes = 16 * MOCK_MIB,
                                    .max_batch_size = 1 + (uint32_t)test_below(4),
                                    .max_batch_wait_ms = 1,
                                    .result_keep_count = 50,
                                    .age_ms = 50,
                                    .device_back_off_ms = 2,
                                    .cpu_when_lost = gpus_come_and_go,
                                    .cpu_after_ms = 3,
                                    .store = &store.vtable,
                                    .backend = &b.vtable};
    CHECK_OK(cuzk_engine_create(&e, &cfg, &err), &err);
    storm_job *jobs = calloc(n, sizeof(*jobs));
    for (size_t i = 0; i < n; i++) {
        storm_job *s = &jobs[i];
        make_job(s, i);
        const cuzk_status st = cuzk_engine_prove(e, &s->rq, NULL, done, s, &s->wait, &err);
        s->accepted = st == CUZK_OK;
        accepted += s->accepted ? 1 : 0;
        CHECK_MSG(st == CUZK_OK || st == CUZK_E_IO || st == CUZK_E_BUDGET, "%s: %s",
                  cuzk_status_name(st), err.msg);
        if (test_below(10) == 0) { /* a client goes */
            storm_job *other = &jobs[test_below(i + 1)];
            if (other->accepted && !other->withdrawn) {
                other->withdrawn = cuzk_engine_unwait(e, other->wait);
            }
        }
        if (test_below(15) == 0) {
            bool was_running;
            char id[CUZK_JOB_ID_BYTES];
            (void)snprintf(id, sizeof(id), "id-%u", (unsigned)test_below(40));
            cuzk_ignore(cuzk_engine_cancel(e, id, &was_running, &err));
        }
        if (gpus_come_and_go && i % 100 == 50) { /* at the end they are gone */
            atomic_store(&b.no_gpu, i % 200 == 150 || i + 100 > n);
        }
        if (settings_change && i % 40 == 39) {
            reconfigure(e, &cfg, cfg.budget_bytes);
        }
        if (i % 64 == 0) {
            cuzk_engine_status status;
            CHECK_OK(cuzk_engine_get_status(e, &status, &err), &err);
            CHECK(settings_change || status.budget_used <= status.budget_total);
            cuzk_engine_status_free(&status);
            sleep_us(test_below(3000));
        }
    }
    wait_idle(e);
    check_rest(e);
    cuzk_engine_destroy(e);
    check_all(jobs, n, &completed);
    CHECK(completed > 0 && accepted >= completed);
    CHECK((atomic_load(&b.proofs_of_device[MOCK_CPU]) != 0) == gpus_come_and_go);
    CHECK_U64(atomic_load(&b.used), 0);
    CHECK_U64(atomic_load(&b.n_keys), 0);
    CHECK_U64(atomic_load(&b.device_over), 0);
    CHECK_MSG(atomic_load(&b.peak) <= cfg.budget_bytes, "peak %llu",
              (unsigned long long)atomic_load(&b.peak));
    free(jobs);
    mock_store_destroy(&store);
    mock_destroy(&b);
}

static void storm_round(uint32_t faults, size_t n, uint64_t budget_mib, uint64_t device_mib)
{
    storm_round_on(faults, n, budget_mib, device_mib, false, false);
}

/* The same with GPUs that are all lost at times and come back, and the CPU meanwhile. */
static void storm_with_fallback(void)
{
    const cuzk_alloc_stats before = cuzk_alloc_get_stats();
    storm_round_on(0, test_iters(1200), 500, 0, true, false);
    storm_round_on(20, test_iters(1500), 500, 0, true, false);
    storm_round_on(20, test_iters(1500), 900, 60, true, false);
    storm_round_on(20, test_iters(1500), 900, 26, true, false);
    CHECK_U64(cuzk_alloc_get_stats().blocks_now, before.blocks_now);
}

/* The same while budget, concurrency and times change. */
static void storm_with_new_settings(void)
{
    const cuzk_alloc_stats before = cuzk_alloc_get_stats();
    storm_round_on(0, test_iters(1200), 600, 0, false, true);
    storm_round_on(20, test_iters(1500), 600, 0, false, true);
    storm_round_on(20, test_iters(1500), 1200, 60, false, true);
    storm_round_on(20, test_iters(1500), 900, 0, true, true);
    CHECK_U64(cuzk_alloc_get_stats().blocks_now, before.blocks_now);
}

static void storm(void)
{
    const cuzk_alloc_stats before = cuzk_alloc_get_stats();
    storm_round(0, test_iters(1500), 400, 0);
    storm_round(20, test_iters(4000), 400, 0);
    storm_round(120, test_iters(3000), 200, 0);
    CHECK_U64(cuzk_alloc_get_stats().blocks_now, before.blocks_now);
    CHECK_U64(cuzk_alloc_get_stats().bytes_now, before.bytes_now);
}

/* The same with devices that have memory of their own: room for all keys, for some, and for half
 * a key beside a call. */
static void storm_with_keys(void)
{
    const cuzk_alloc_stats before = cuzk_alloc_get_stats();
    storm_round(0, test_iters(800), 900, 120);
    storm_round(20, test_iters(1500), 900, 60);
    storm_round(20, test_iters(1500), 900, 26);
    CHECK_U64(cuzk_alloc_get_stats().blocks_now, before.blocks_now);
}

/* Each allocation of a start fails once: an error, and nothing is left behind. */
static void start_without_memory(void)
{
    mock_backend b;
    cuzk_err err;
    mock_init(&b, 2);
    const cuzk_engine_config cfg = {.budget_bytes = cuzk_host_memory_resident() + 512 * MOCK_MIB,
                                    .backend = &b.vtable};
    const cuzk_alloc_stats before = cuzk_alloc_get_stats();
    for (uint64_t n = 1;; n++) {
        cuzk_engine *e = NULL;
        cuzk_alloc_fail_nth(n, false);
        const cuzk_status st = cuzk_engine_create(&e, &cfg, &err);
        cuzk_alloc_fail_nth(0, false);
        if (st == CUZK_OK) {
            cuzk_engine_destroy(e);
            CHECK(n > 5);
            break;
        }
        CHECK_STATUS(st, CUZK_E_NOMEM);
        CHECK_U64(cuzk_alloc_get_stats().blocks_now, before.blocks_now);
    }
    CHECK_U64(cuzk_alloc_get_stats().blocks_now, before.blocks_now);
    mock_destroy(&b);
}

/* An allocation fails somewhere on a job's way: it ends, and the next one is proved. */
static void jobs_without_memory(void)
{
    mock_backend b;
    cuzk_err err;
    cuzk_engine *e = NULL;
    const cuzk_alloc_stats before = cuzk_alloc_get_stats();
    mock_init(&b, 2);
    /* what a sanitizer keeps of the storms before counts as the process's own */
    const cuzk_engine_config cfg = {.budget_bytes = cuzk_host_memory_resident() + 512 * MOCK_MIB,
                                    .result_keep_count = 1,
                                    .backend = &b.vtable};
    CHECK_OK(cuzk_engine_create(&e, &cfg, &err), &err);
    size_t refused = 0, failed = 0;
    for (uint64_t n = 1; n <= 60; n++) {
        for (int again = 0; again < 2; again++) {
            storm_job s;
            make_job(&s, 1000 + 2 * n + (uint64_t)again);
            s.job.bad_input = 0;
            s.rq.deadline_ns = 0;
            if (again == 0) {
                cuzk_alloc_fail_nth(n, false);
            }
            const cuzk_status st = cuzk_engine_prove(e, &s.rq, NULL, done, &s, &s.wait, &err);
            if (st == CUZK_OK) {
                wait_idle(e);
                while (atomic_load(&s.calls) == 0) {
                    sleep_us(200);
                }
            }
            cuzk_alloc_fail_nth(0, false);
            CHECK(st == CUZK_OK || (again == 0 && st == CUZK_E_NOMEM));
            refused += st != CUZK_OK ? 1 : 0;
            CHECK(!s.is_wrong);
            if (st == CUZK_OK && s.state != CUZK_JOB_COMPLETED) {
                CHECK_MSG(again == 0 && s.code == CUZK_E_NOMEM, "%s", s.error);
                failed++;
            }
        }
    }
    CHECK(refused > 0 && refused + failed < 60);
    cuzk_engine_destroy(e);
    CHECK_U64(atomic_load(&b.used), 0);
    mock_destroy(&b);
    CHECK_U64(cuzk_alloc_get_stats().blocks_now, before.blocks_now);
}

static const cuzk_case cases[] = {CASE(storm),
                                  CASE(storm_with_keys),
                                  CASE(storm_with_fallback),
                                  CASE(storm_with_new_settings),
                                  CASE(start_without_memory),
                                  CASE(jobs_without_memory)};
TEST_MAIN("engine/faults", cases)
