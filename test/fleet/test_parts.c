/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Engines that prove partitions of one job together, in one process, over mock devices and a queue in PostgreSQL. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "fleet/model/fleet_history.h"
#include "fleet/model/part_history.h"
#include "store/pg/pg_store.h"

#include "pg_server.h"
#include "test.h"

#include "../engine/mock_engine.h"

#define PARTS 10u

typedef struct node {
    mock_engine w;
    cuzk_job_store store;
} node;

static void open_node(node *n, const char *name, uint64_t lease_ms, bool spreads)
{
    cuzk_err err = {0};
    const cuzk_pg_member m = {.name = name, .address = name, .version = "0", .lease_ms = lease_ms};
    const cuzk_pg_config c = {.url = pg_server_url(), .member = &m};
    memset(n, 0, sizeof(*n));
    CHECK_OK(cuzk_pg_store_open(&n->store, &c, NULL, &err), &err);
    n->w.cfg.store = &n->store;
    n->w.cfg.spread_partitions = spreads;
    mock_engine_open(&n->w, 1);
    n->w.b.plans_partitions = true; /* as PoReps of clients that say registered_proof */
}

static void close_node(node *n)
{
    cuzk_engine_destroy(n->w.e);
    CHECK_U64(atomic_load(&n->w.b.used), 0);
    mock_destroy(&n->w.b);
    (void)pthread_mutex_destroy(&n->w.log.mu);
    n->store.destroy(n->store.arg);
}

static uint64_t proofs_of(const node *n)
{
    return atomic_load(&n->w.b.proofs_of_device[0]);
}

static uint64_t sql_u64(const char *sql)
{
    char *text = pg_server_sql(sql);
    CHECK(text != NULL);
    const uint64_t v = strtoull(text, NULL, 10);
    free(text);
    return v;
}

static void wait_sql(const char *sql, uint64_t least)
{
    const uint64_t limit = cuzk_clock_ns() + PATIENCE_NS;
    while (sql_u64(sql) < least) {
        CHECK_MSG(cuzk_clock_ns() < limit, "%s stays below %llu", sql, (unsigned long long)least);
        nap();
    }
}

static test_job *submit(node *n, uint64_t tag, uint32_t n_partitions, const char *id)
{
    test_job *o = test_job_make(CUZK_JOB_POREP, tag, n_partitions, id);
    test_job_prove(&n->w, o);
    return o;
}

static void check_proof(test_job *o)
{
    uint8_t want[192];
    CHECK(gets_answer(o));
    CHECK_MSG(o->r.state == CUZK_JOB_COMPLETED, "state %d: %s", (int)o->r.state, o->r.error);
    CHECK_U64(o->r.proof_bytes, (uint64_t)192 * o->job.n_partitions);
    char sql[160];
    (void)snprintf(sql, sizeof(sql),
                   "SELECT encode(proof, 'hex') FROM cuzk_job WHERE request_id = '%.*s'",
                   (int)o->rq.request_id.size, (const char *)o->rq.request_id.data);
    char *proof = pg_server_sql(sql); /* the answer of the test has no room for so many */
    CHECK_U64(strlen(proof), (uint64_t)2 * 192 * o->job.n_partitions);
    for (uint32_t i = 0; i < o->job.n_partitions; i++) {
        mock_proof(want, &o->job, i);
        for (size_t k = 0; k < sizeof(want); k++) {
            char byte[3];
            (void)snprintf(byte, sizeof(byte), "%02x", want[k]);
            CHECK_MSG(memcmp(byte, proof + 2 * (192 * i + k), 2) == 0, "partition %u", i);
        }
    }
    free(proof);
    test_job_free(o);
}

static void begin(void)
{
    history_begin();
    part_history_begin();
}

/* n engines close; what the tables say of all that has happened keeps the rules. */
static part_sums end(node *nodes, int n, uint64_t n_jobs)
{
    for (int i = 0; i < n; i++) {
        close_node(&nodes[i]);
    }
    const history_sums h = history_check();
    CHECK_U64(h.jobs, n_jobs);
    CHECK_U64(h.ended, n_jobs);
    return part_history_check();
}

/* All gates of a stage, closed or open. */
static void gate(node *nodes, int n, bool is_open)
{
    for (int i = 0; i < n; i++) {
        (is_open ? mock_open : mock_close)(&nodes[i].w.b, MOCK_PROVE);
    }
}

/* Each of four engines holds one partition at its device at one moment; no partition is proved twice. */
static void all_prove(bool plans_partitions)
{
    static node n[4];
    static const char *const names[] = {"a", "b", "c", "d"};
    uint64_t sum = 0;
    for (int i = 0; i < 4; i++) {
        open_node(&n[i], names[i], 30000, true);
        n[i].w.b.plans_partitions = plans_partitions;
    }
    begin();
    gate(n, 4, false);
    test_job *o = submit(&n[0], 7, PARTS, "one");
    for (int i = 0; i < 4; i++) {
        mock_wait_inside(&n[i].w.b, MOCK_PROVE, 1);
    }
    gate(n, 4, true);
    check_proof(o);
    for (int i = 0; i < 4; i++) {
        CHECK(proofs_of(&n[i]) >= 1);
        sum += proofs_of(&n[i]);
    }
    CHECK_U64(sum, PARTS);
    CHECK_U64(sql_u64("SELECT count(*) FROM cuzk_part"), 0);
    const part_sums s = end(n, 4, 1);
    CHECK_U64(s.parts, PARTS);
    CHECK(s.by_task >= 3 && s.deaths == 0);
}

static void all_prove_one_job(void)
{
    all_prove(true);
}

/* The number of partitions is known when the holder has parsed the input, no sooner. */
static void number_from_the_input(void)
{
    all_prove(false);
}

/* The others parse while the holder does; an input that cannot be parsed is the holder's to refuse. */
static void bad_input_of_a_shared_job(void)
{
    static node n[2];
    open_node(&n[0], "a", 30000, true);
    open_node(&n[1], "b", 30000, true);
    begin();
    for (int i = 0; i < 2; i++) {
        mock_close(&n[i].w.b, MOCK_PARSE);
    }
    test_job *o = test_job_make(CUZK_JOB_POREP, 15, PARTS, "bad");
    o->job.bad_input = 1;
    test_job_prove(&n[0].w, o);
    for (int i = 0; i < 2; i++) {
        mock_wait_inside(&n[i].w.b, MOCK_PARSE, 1);
    }
    const bool b_holds = sql_u64("SELECT count(*) FROM cuzk_job j JOIN cuzk_member m ON"
                                 " m.incarnation = j.member WHERE m.name = 'b'") == 1;
    node *holder = &n[b_holds ? 1 : 0], *helper = &n[b_holds ? 0 : 1];
    mock_open(&helper->w.b, MOCK_PARSE); /* its failure is no end of the job */
    wait_sql("SELECT count(*) FROM cuzk_part WHERE state = 0 AND member IS NULL", PARTS);
    CHECK_U64(sql_u64("SELECT count(*) FROM cuzk_job WHERE state = 1"), 1);
    mock_open(&holder->w.b, MOCK_PARSE);
    CHECK(gets_answer(o));
    CHECK(o->r.state == CUZK_JOB_FAILED);
    CHECK_STATUS(o->r.code, CUZK_E_FORMAT);
    test_job_free(o);
    CHECK_U64(proofs_of(&n[0]) + proofs_of(&n[1]), 0);
    (void)end(n, 2, 1);
}

/* Off unless it is asked for, and for one partition in any case. */
static void off_by_default(void)
{
    static node n[2];
    open_node(&n[0], "a", 30000, false);
    open_node(&n[1], "b", 30000, true);
    begin();
    mock_close(&n[1].w.b, MOCK_PARSE); /* when b claims the job it proves it alone */
    test_job *o = test_job_make(CUZK_JOB_POREP, 9, PARTS, "whole");
    test_job_submit(&n[0].w, o);
    wait_sql("SELECT count(*) FROM cuzk_job WHERE state > 0", 1);
    mock_open(&n[1].w.b, MOCK_PARSE);
    wait_sql("SELECT count(*) FROM cuzk_job WHERE state = 2", 1);
    CHECK(proofs_of(&n[0]) == PARTS || proofs_of(&n[1]) == PARTS);
    CHECK_U64(proofs_of(&n[0]) + proofs_of(&n[1]), PARTS);
    test_job_free(o);
    test_job *single = submit(&n[1], 11, 1, "single");
    check_proof(single);
    (void)end(n, 2, 2);
}

/* A helper that drains gives back what it has not begun, ends what it has, and takes no more. */
static void helper_drains(void)
{
    static node n[2];
    open_node(&n[0], "a", 30000, true);
    open_node(&n[1], "b", 30000, true);
    begin();
    gate(n, 2, false);
    test_job *o = submit(&n[0], 20, PARTS, "drained");
    mock_wait_inside(&n[0].w.b, MOCK_PROVE, 1);
    mock_wait_inside(&n[1].w.b, MOCK_PROVE, 1);
    const bool b_holds = sql_u64("SELECT count(*) FROM cuzk_job j JOIN cuzk_member m ON"
                                 " m.incarnation = j.member WHERE m.name = 'b'") == 1;
    node *helper = &n[b_holds ? 0 : 1];
    cuzk_engine_drain(helper->w.e);
    gate(n, 2, true);
    const uint64_t limit = cuzk_clock_ns() + PATIENCE_NS;
    while (!cuzk_engine_is_idle(helper->w.e)) {
        CHECK(cuzk_clock_ns() < limit);
        nap();
    }
    if (helper == &n[0]) { /* its caller was sent to another daemon */
        CHECK(gets_answer(o));
        wait_sql("SELECT count(*) FROM cuzk_job WHERE state = 2", 1);
        test_job_free(o);
    } else {
        check_proof(o);
    }
    CHECK_U64(proofs_of(&n[0]) + proofs_of(&n[1]), PARTS);
    (void)end(n, 2, 1);
}

/* A cancel of the job stops all who prove partitions of it. */
static void cancel_reaches_all(void)
{
    static node n[3];
    static const char *const names[] = {"a", "b", "c"};
    cuzk_err err = {0};
    bool was_running = false;
    for (int i = 0; i < 3; i++) {
        open_node(&n[i], names[i], 30000, true);
    }
    begin();
    gate(n, 3, false);
    test_job *o = submit(&n[1], 30, PARTS, "cancelled");
    for (int i = 0; i < 3; i++) {
        mock_wait_inside(&n[i].w.b, MOCK_PROVE, 1);
    }
    CHECK_OK(cuzk_engine_cancel(n[1].w.e, "cancelled", &was_running, &err), &err);
    CHECK(gets_answer(o));
    CHECK(o->r.state == CUZK_JOB_CANCELLED);
    for (int i = 0; i < 3; i++) { /* the gates are closed still: only a cancel ends the calls */
        const uint64_t limit = cuzk_clock_ns() + PATIENCE_NS;
        while (!cuzk_engine_is_idle(n[i].w.e)) {
            CHECK(cuzk_clock_ns() < limit);
            nap();
        }
    }
    gate(n, 3, true);
    test_job_free(o);
    CHECK_U64(proofs_of(&n[0]) + proofs_of(&n[1]) + proofs_of(&n[2]), 0);
    (void)end(n, 3, 1);
}

/* A proof that does not fit is not taken from the table: the holder proves the partition itself. */
static void wrong_proof_of_another(void)
{
    static node n[2];
    open_node(&n[0], "a", 30000, true);
    begin();
    mock_close(&n[0].w.b, MOCK_PROVE);
    test_job *o = submit(&n[0], 40, PARTS, "forged");
    mock_wait_inside(&n[0].w.b, MOCK_PROVE, 1);
    /* as if another member had written it, under its task */
    CHECK_U64(sql_u64("WITH u AS (UPDATE cuzk_part SET state = 2, member = 999, fence = 4294967297,"
                      " proof = decode(repeat('ab', 192), 'hex') WHERE part = 9 RETURNING 1)"
                      " SELECT count(*) FROM u"),
              1);
    mock_open(&n[0].w.b, MOCK_PROVE);
    check_proof(o);
    CHECK_U64(proofs_of(&n[0]), PARTS);
    close_node(&n[0]);
    CHECK_U64(history_check().ended, 1);
}

/* A partition that has killed its provers fails the job, with the reason. */
static void set_aside_fails_the_job(void)
{
    static node n[2];
    open_node(&n[0], "a", 30000, true);
    open_node(&n[1], "b", 30000, true);
    history_begin();
    gate(n, 2, false);
    test_job *o = submit(&n[0], 50, PARTS, "poison");
    mock_wait_inside(&n[0].w.b, MOCK_PROVE, 1);
    mock_wait_inside(&n[1].w.b, MOCK_PROVE, 1);
    free(
        pg_server_sql("UPDATE cuzk_part SET state = 3, member = NULL, error = 'set aside: 3 daemons"
                      " died or lost their lease while they proved partition 5: x, y, z'"
                      " WHERE part = 5"));
    CHECK(gets_answer(o));
    CHECK_MSG(o->r.state == CUZK_JOB_FAILED &&
                  strcmp(o->r.error, "environment: set aside: 3 daemons died or lost their lease "
                                     "while they proved partition 5: x, y, z") == 0,
              "state %d: %s", (int)o->r.state, o->r.error);
    gate(n, 2, true);
    test_job_free(o);
    close_node(&n[0]);
    close_node(&n[1]);
    CHECK_U64(history_check().ended, 1);
}

/* The holder is declared dead: another one takes the job, and what has been proved is not proved again. */
static void holder_is_lost(void)
{
    static node n[3];
    static const char *const names[] = {"a", "b", "c"};
    char *holder = NULL, sql[128];
    for (int i = 0; i < 3; i++) {
        open_node(&n[i], names[i], 6000, true);
    }
    begin();
    gate(n, 3, false);
    test_job *o = submit(&n[0], 60, PARTS, "lost");
    for (int i = 0; i < 3; i++) {
        mock_wait_inside(&n[i].w.b, MOCK_PROVE, 1);
    }
    holder =
        pg_server_sql("SELECT name FROM cuzk_member m JOIN cuzk_job j ON j.member = m.incarnation");
    for (int i = 0; i < 3; i++) { /* the others end what they have; the holder hangs */
        if (strcmp(names[i], holder) != 0) {
            mock_open(&n[i].w.b, MOCK_PROVE);
        }
    }
    wait_sql("SELECT count(*) FROM cuzk_part WHERE state = 2", 4);
    (void)snprintf(sql, sizeof(sql), "UPDATE cuzk_member SET is_alive = false WHERE name = '%s'",
                   holder);
    free(pg_server_sql(sql));
    wait_sql("SELECT count(*) FROM cuzk_job WHERE fence >= 2", 1);
    gate(n, 3, true);
    check_proof(o);
    CHECK(sql_u64("SELECT fence FROM cuzk_job") >= 2);
    free(holder);
    const part_sums s = end(n, 3, 1);
    CHECK(s.proved >= 4 && s.deaths >= 1);
}

/* Jobs of several partitions, whole ones and urgent ones, from all sides. */
static void many_jobs(void)
{
    enum { N = 12, NODES = 3 };
    static node n[NODES];
    static const char *const names[] = {"a", "b", "c"};
    static char ids[N][16];
    test_job *jobs[N];
    uint64_t want = 0, sum = 0;
    for (int i = 0; i < NODES; i++) {
        open_node(&n[i], names[i], 30000, true);
        n[i].w.b.plans_partitions = i != 1;
        atomic_store(&n[i].w.b.sleep_us[MOCK_PROVE], 5000);
    }
    begin();
    for (int i = 0; i < N; i++) {
        (void)snprintf(ids[i], sizeof(ids[i]), "job %d", i);
        jobs[i] = submit(&n[i % NODES], 100 + (uint64_t)i, 1 + (uint32_t)(i * 5) % 16, ids[i]);
        want += jobs[i]->job.n_partitions;
    }
    for (int i = 0; i < N; i++) {
        check_proof(jobs[i]);
    }
    for (int i = 0; i < NODES; i++) {
        sum += proofs_of(&n[i]);
    }
    CHECK_U64(sum, want);
    (void)end(n, NODES, N);
}

/* Not a test: the time of one job over 1 to 10 engines, whose stages sleep for as long as the ten partitions of a PoRep take. */
static void latency(void)
{
    static const int counts[] = {1, 2, 4, 10};
    static node n[10];
    if (getenv("CUZK_LATENCY") == NULL) {
        cuzk_test_skip("prints times; run with CUZK_LATENCY=RUNS");
    }
    const int runs = atoi(getenv("CUZK_LATENCY"));
    for (size_t k = 0; k < sizeof(counts) / sizeof(counts[0]); k++) {
        for (int i = 0; i < counts[k]; i++) {
            char name[16];
            (void)snprintf(name, sizeof(name), "d%d", i);
            open_node(&n[i], name, 60000, true);
            atomic_store(&n[i].w.b.sleep_us[MOCK_PARSE], 200000);
            atomic_store(&n[i].w.b.sleep_us[MOCK_WITNESS], 150000);
            atomic_store(&n[i].w.b.sleep_us[MOCK_PROVE], 780000);
        }
        (void)printf("%2d engines:", counts[k]);
        for (int r = 0; r < runs; r++) {
            const uint64_t from = cuzk_clock_ns();
            char id[32];
            (void)snprintf(id, sizeof(id), "timed %zu %d", k, r);
            check_proof(submit(&n[0], 1000 + (uint64_t)r + 100 * k, PARTS, id));
            (void)printf(" %5.2f", (double)(cuzk_clock_ns() - from) / 1e9);
        }
        (void)printf(" s; partitions of each:");
        for (int i = 0; i < counts[k]; i++) {
            (void)printf(" %llu", (unsigned long long)proofs_of(&n[i]));
            close_node(&n[i]);
        }
        (void)printf("\n");
        (void)fflush(stdout);
    }
}

static const cuzk_case cases[] = {CASE(all_prove_one_job),
                                  CASE(number_from_the_input),
                                  CASE(bad_input_of_a_shared_job),
                                  CASE(off_by_default),
                                  CASE(helper_drains),
                                  CASE(cancel_reaches_all),
                                  CASE(wrong_proof_of_another),
                                  CASE(set_aside_fails_the_job),
                                  CASE(holder_is_lost),
                                  CASE(many_jobs),
                                  CASE(latency)};
TEST_MAIN("fleet/parts", cases)
