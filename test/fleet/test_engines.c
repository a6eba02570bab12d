/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Engines that share a queue in PostgreSQL, in one process, over mock devices: any of them answers for any job. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "fleet/model/fleet_history.h"
#include "store/pg/pg_store.h"

#include "pg_server.h"
#include "test.h"

#include "../engine/mock_engine.h"

#define LEASE_MS 30000u /* nobody dies here, on a slow machine either */

typedef struct node {
    mock_engine w;
    cuzk_job_store store;
} node;

static void open_node(node *n, const char *name)
{
    cuzk_err err = {0};
    const cuzk_pg_member m = {.name = name, .address = name, .version = "0", .lease_ms = LEASE_MS};
    const cuzk_pg_config c = {.url = pg_server_url(), .member = &m};
    memset(n, 0, sizeof(*n));
    CHECK_OK(cuzk_pg_store_open(&n->store, &c, NULL, &err), &err);
    n->w.cfg.store = &n->store;
    mock_engine_open(&n->w, 1);
}

static void close_node(node *n)
{
    cuzk_engine_destroy(n->w.e);
    CHECK_U64(atomic_load(&n->w.b.used), 0);
    mock_destroy(&n->w.b);
    (void)pthread_mutex_destroy(&n->w.log.mu);
    n->store.destroy(n->store.arg);
}

static void await(node *n, test_job *o, const char *id)
{
    cuzk_err err = {0};
    CHECK_OK(cuzk_engine_await(n->w.e, id, 0, engine_answer_set, &o->r, &o->wait, &err), &err);
}

static void check_told(test_job *o)
{
    CHECK(gets_answer(o));
    CHECK_MSG(is_right(o), "state %d, %zu bytes of proof, %u partitions: %s", (int)o->r.state,
              o->r.proof_bytes, o->job.n_partitions, o->r.error);
}

static uint64_t proofs_of(const node *n)
{
    return atomic_load(&n->w.b.proofs_of_device[0]);
}

static uint32_t n_inside(node *n)
{
    (void)pthread_mutex_lock(&n->w.b.mu);
    const uint32_t inside = n->w.b.inside[MOCK_PROVE];
    (void)pthread_mutex_unlock(&n->w.b.mu);
    return inside;
}

/* Jobs are put by one engine, proved by all of them, and awaited at each. */
static void any_engine_answers(void)
{
    enum { N = 24 };
    static node n[3];
    static const char *const names[] = {"a", "b", "c"};
    test_job *jobs[N];
    for (int i = 0; i < 3; i++) {
        open_node(&n[i], names[i]);
        atomic_store(&n[i].w.b.sleep_us[MOCK_PROVE], 20000);
    }
    history_begin();
    for (int i = 0; i < N; i++) {
        char id[32];
        (void)snprintf(id, sizeof(id), "job %d", i);
        jobs[i] = test_job_make(i % 3 == 0 ? CUZK_JOB_WINDOW : CUZK_JOB_POREP, 100 + (uint64_t)i,
                                1 + (uint32_t)i % 3, id);
        test_job_submit(&n[0].w, jobs[i]);
        CHECK_STR(jobs[i]->id, id);
        await(&n[i % 3], jobs[i], jobs[i]->id);
    }
    for (int i = 0; i < N; i++) {
        check_told(jobs[i]);
    }
    CHECK(proofs_of(&n[0]) > 0 && proofs_of(&n[1]) > 0 && proofs_of(&n[2]) > 0);
    CHECK_U64(proofs_of(&n[0]) + proofs_of(&n[1]) + proofs_of(&n[2]), 48);
    for (int i = 0; i < N; i++) { /* and when it is over, anywhere */
        test_job *o = test_job_make(CUZK_JOB_POREP, 100 + (uint64_t)i, 1 + (uint32_t)i % 3, "x");
        await(&n[(i + 1) % 3], o, jobs[i]->id);
        check_told(o);
        test_job_free(o);
        test_job_free(jobs[i]);
    }
    for (int i = 0; i < 3; i++) {
        close_node(&n[i]);
    }
    const history_sums h = history_check();
    CHECK(h.jobs == N && h.ended == N && h.claims == N);
}

/* Equal requests at two engines are one job; a cancel at one engine reaches the other. */
static void joins_and_cancels(void)
{
    static node a, b;
    cuzk_err err = {0};
    bool was_running = false;
    open_node(&a, "a");
    open_node(&b, "b");
    history_begin();
    mock_close(&a.w.b, MOCK_PROVE);
    mock_close(&b.w.b, MOCK_PROVE);
    test_job *first = test_job_make(CUZK_JOB_POREP, 7, 1, "same"),
             *second = test_job_make(CUZK_JOB_POREP, 7, 1, "same");
    test_job *third = test_job_make(CUZK_JOB_POREP, 8, 1, "other");
    test_job_prove(&a.w, first);
    test_job_prove(&b.w, second);
    mock_open(&a.w.b, MOCK_PROVE);
    mock_open(&b.w.b, MOCK_PROVE);
    check_told(first);
    check_told(second);
    CHECK_U64(proofs_of(&a) + proofs_of(&b), 1);
    mock_close(&a.w.b, MOCK_PROVE);
    mock_close(&b.w.b, MOCK_PROVE);
    test_job_submit(&a.w, third);
    await(&b, third, "other");
    const uint64_t limit = cuzk_clock_ns() + PATIENCE_NS;
    while (n_inside(&a) + n_inside(&b) == 0) {
        CHECK(cuzk_clock_ns() < limit);
        nap();
    }
    CHECK_OK(cuzk_engine_cancel(a.w.e, "other", &was_running, &err), &err);
    CHECK(gets_answer(third));
    CHECK(third->r.state == CUZK_JOB_CANCELLED);
    mock_open(&a.w.b, MOCK_PROVE);
    mock_open(&b.w.b, MOCK_PROVE);
    test_job_free(first);
    test_job_free(second);
    test_job_free(third);
    close_node(&a);
    close_node(&b);
    const history_sums h = history_check();
    CHECK(h.jobs == 2 && h.ended == 2 && h.cancelled == 1);
}

/* The urgent one does not go round: the engine that accepts it proves it. */
static void winning_stays(void)
{
    static node a, b;
    open_node(&a, "a");
    open_node(&b, "b");
    history_begin();
    for (int i = 0; i < 5; i++) {
        test_job *o = test_job_make(CUZK_JOB_WINNING, 50 + (uint64_t)i, 1, "");
        test_job_prove(&a.w, o);
        check_told(o);
        test_job_free(o);
    }
    CHECK_U64(proofs_of(&a), 5);
    CHECK_U64(proofs_of(&b), 0);
    close_node(&a);
    close_node(&b);
    CHECK_U64(history_check().claims, 0); /* put with their leases */
}

/* An engine that has no memory for a job leaves it to the others. */
static void what_does_not_fit_is_others(void)
{
    enum { N = 6 };
    static node small, large;
    test_job *jobs[N];
    cuzk_err err = {0};
    char id[CUZK_JOB_ID_BYTES];
    open_node(&small, "small");
    small.w.b.circuits[0].prove_bytes = 4096 * MOCK_MIB; /* more than its budget */
    open_node(&large, "large");
    history_begin();
    test_job *refused = test_job_make(CUZK_JOB_POREP, 99, 1, "refused");
    CHECK_STATUS(cuzk_engine_submit(small.w.e, &refused->rq, NULL, id, NULL, &err), CUZK_E_BUDGET);
    test_job_free(refused);
    mock_close(&large.w.b, MOCK_PROVE); /* the small one is idle, and claims */
    for (int i = 0; i < N; i++) {
        jobs[i] = test_job_make(CUZK_JOB_POREP, 100 + (uint64_t)i, 1, "");
        test_job_submit(&large.w, jobs[i]);
        await(&small, jobs[i], jobs[i]->id);
    }
    mock_wait_inside(&large.w.b, MOCK_PROVE, 1);
    for (int i = 0; i < 20; i++) {
        nap();
    }
    mock_open(&large.w.b, MOCK_PROVE);
    for (int i = 0; i < N; i++) {
        check_told(jobs[i]);
        test_job_free(jobs[i]);
    }
    CHECK_U64(proofs_of(&small), 0);
    CHECK_U64(proofs_of(&large), N);
    close_node(&small);
    close_node(&large);
    const history_sums h = history_check();
    CHECK(h.ended == N && h.claims >= N);
}

/* An engine that drains ends what it proves, gives back what it has not begun, and sends its callers on. */
static void drains(void)
{
    enum { N = 6 };
    static node a, b;
    test_job *jobs[N];
    open_node(&a, "a");
    history_begin();
    mock_close(&a.w.b, MOCK_PROVE);
    for (int i = 0; i < N; i++) {
        char id[32];
        (void)snprintf(id, sizeof(id), "job %d", i);
        jobs[i] = test_job_make(CUZK_JOB_POREP, 100 + (uint64_t)i, 1, id);
        test_job_submit(&a.w, jobs[i]);
    }
    mock_wait_inside(&a.w.b, MOCK_PROVE, 1);
    test_job *left = test_job_make(CUZK_JOB_POREP, 105, 1, "x");
    await(&a, left, "job 5"); /* the last one: not begun */
    cuzk_engine_drain(a.w.e);
    CHECK(gets_answer(left));
    CHECK_MSG(left->r.state == CUZK_JOB_FAILED &&
                  strstr(left->r.error, "ask another daemon") != NULL,
              "state %d: %s", (int)left->r.state, left->r.error);
    test_job_free(left);
    open_node(&b, "b");
    mock_open(&a.w.b, MOCK_PROVE);
    const uint64_t limit = cuzk_clock_ns() + PATIENCE_NS;
    while (!cuzk_engine_is_idle(a.w.e)) {
        CHECK(cuzk_clock_ns() < limit);
        nap();
    }
    for (int i = 0; i < N; i++) {
        await(&b, jobs[i], jobs[i]->id);
        check_told(jobs[i]);
        test_job_free(jobs[i]);
    }
    CHECK(proofs_of(&a) >= 1 && proofs_of(&b) >= 3);
    CHECK_U64(proofs_of(&a) + proofs_of(&b), N);
    close_node(&a);
    close_node(&b);
    const history_sums h = history_check();
    CHECK(h.ended == N && h.set_aside == 0);
}

/* The database goes for some seconds while jobs are proved: nobody notices but for the wait. */
static void the_database_may_go(void)
{
    enum { N = 12 };
    static node a, b;
    test_job *jobs[N];
    open_node(&a, "a");
    open_node(&b, "b");
    history_begin();
    for (int i = 0; i < N; i++) {
        jobs[i] = test_job_make(CUZK_JOB_POREP, 100 + (uint64_t)i, 1, "");
        atomic_store(&a.w.b.sleep_us[MOCK_PROVE], 30000);
        atomic_store(&b.w.b.sleep_us[MOCK_PROVE], 30000);
        test_job_submit(i % 2 == 0 ? &a.w : &b.w, jobs[i]);
        await(i % 2 == 0 ? &b : &a, jobs[i], jobs[i]->id);
        if (i == N / 2) {
            pg_server_restart();
        }
    }
    for (int i = 0; i < N; i++) {
        check_told(jobs[i]);
        test_job_free(jobs[i]);
    }
    close_node(&a);
    close_node(&b);
    const history_sums h = history_check();
    CHECK(h.jobs == N && h.ended == N && h.set_aside == 0);
}

static const cuzk_case cases[] = {CASE(any_engine_answers),
                                  CASE(joins_and_cancels),
                                  CASE(winning_stays),
                                  CASE(what_does_not_fit_is_others),
                                  CASE(drains),
                                  CASE(the_database_may_go)};
TEST_MAIN("fleet/engines", cases)
