/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Processes that prove partitions of the same jobs over mock devices are killed, stopped for longer than their lease, and
 * cut off from the database at one of their statements, at random; with --iters=50 (fleet/part_trouble) for some minutes,
 * in which the database is killed and started again, too. Every job ends once: with the right proof, or because a
 * partition has killed three of them. What the tables say of all that has happened is checked by the rules alone.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "fleet/model/fleet_history.h"
#include "fleet/model/part_history.h"
#include "store/pg/pg_store.h"

#include "pg_proxy.h"
#include "pg_server.h"
#include "test.h"

#include "../engine/mock_engine.h"

#define LEASE_MS 3000u
#define PARTS    10u
#define CHILDREN 4
#define ROUNDS   12  /* of trouble, times --iters */
#define JOBS     12  /* that are not over, at most; one more with each round */
#define RESTARTS 120 /* rounds from one restart of the database to the next */

typedef struct node {
    mock_engine w;
    cuzk_job_store store;
} node;

static void open_node(node *n, const char *url, const char *name)
{
    cuzk_err err = {0};
    const cuzk_pg_member m = {.name = name, .address = "", .version = "0", .lease_ms = LEASE_MS};
    const cuzk_pg_config c = {.url = url, .member = &m, .retry_ms = 60000};
    memset(n, 0, sizeof(*n));
    CHECK_OK(cuzk_pg_store_open(&n->store, &c, NULL, &err), &err);
    n->w.cfg.store = &n->store;
    n->w.cfg.spread_partitions = true;
    mock_engine_open(&n->w, 1);
    n->w.b.plans_partitions = true;
    atomic_store(&n->w.b.sleep_us[MOCK_PROVE], 100000);
}

/* The process that is killed. */
static void prove_until_killed(void)
{
    static node n;
    const char *url = getenv("TEST_URL"), *name = getenv("TEST_NAME");
    if (url == NULL || name == NULL) {
        cuzk_test_skip("a process that killed_and_stopped starts");
    }
    open_node(&n, url, name);
    for (;;) {
        (void)pause();
    }
}

static char proxy_url[600];

static void start_proxy(void)
{
    const char *folder = pg_proxy_start(pg_server_folder());
    const char *options = strstr(pg_server_url(), "&options=");
    (void)snprintf(proxy_url, sizeof(proxy_url), "postgresql://cuzk@/postgres?host=%s%s", folder,
                   options);
}

static pid_t start_process(int i)
{
    char name[16];
    (void)snprintf(name, sizeof(name), "d%d", i);
    (void)fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        (void)setenv("TEST_NAME", name, 1);
        (void)setenv("TEST_URL", proxy_url, 1);
        (void)execl("/proc/self/exe", "prove", "--match=prove_until_killed", (char *)NULL);
        _exit(127);
    }
    CHECK(pid > 0);
    return pid;
}

typedef struct child {
    pid_t pid;
    uint64_t goes_on_ns; /* it is stopped until then; 0: it is not */
} child;

static void end_child(child *c)
{
    CHECK(kill(c->pid, SIGKILL) == 0);
    CHECK(waitpid(c->pid, NULL, 0) == c->pid);
}

typedef struct troubles {
    uint64_t kills, stops, cuts, restarts;
} troubles;

/*
 * One of them is killed and started again, or stopped, or the connection of one breaks at a statement; those that were
 * stopped for long enough go on.
 */
static void trouble(child *children, uint64_t now, troubles *n)
{
    const int i = (int)test_below(CHILDREN);
    const uint64_t kind = test_below(3);
    child *c = &children[i];
    if (kind == 0) {
        n->cuts += pg_proxy_was_hit() ? 1 : 0;
        pg_proxy_arm(1 + test_below(10), test_below(2) != 0, 0);
    } else if (c->goes_on_ns == 0 && kind == 1) {
        end_child(c);
        c->pid = start_process(i);
        n->kills++;
    } else if (c->goes_on_ns == 0) {
        CHECK(kill(c->pid, SIGSTOP) == 0);
        c->goes_on_ns = now + (500 + test_below(2 * LEASE_MS)) * 1000000;
        n->stops++;
    }
    for (int k = 0; k < CHILDREN; k++) {
        if (children[k].goes_on_ns != 0 && now >= children[k].goes_on_ns) {
            CHECK(kill(children[k].pid, SIGCONT) == 0);
            children[k].goes_on_ns = 0;
        }
    }
}

static bool is_proof(const test_job *o)
{
    char sql[80 + CUZK_JOB_ID_BYTES], byte[3];
    uint8_t want[192];
    (void)snprintf(sql, sizeof(sql),
                   "SELECT encode(proof, 'hex') FROM cuzk_job WHERE job_id = '%s'", o->id);
    char *proof = pg_server_sql(sql);
    bool ok = proof != NULL && strlen(proof) == (size_t)2 * 192 * PARTS;
    for (uint32_t i = 0; ok && i < PARTS; i++) {
        mock_proof(want, &o->job, i);
        for (size_t k = 0; ok && k < sizeof(want); k++) {
            (void)snprintf(byte, sizeof(byte), "%02x", want[k]);
            ok = memcmp(byte, proof + 2 * (192 * i + k), 2) == 0;
        }
    }
    free(proof);
    return ok;
}

static uint64_t n_over(void)
{
    char *text = pg_server_sql("SELECT count(*) FROM cuzk_job WHERE state >= 2");
    const uint64_t n = strtoull(text, NULL, 10);
    free(text);
    return n;
}

static void pause_ms(uint64_t ms)
{
    const struct timespec t = {.tv_sec = (time_t)(ms / 1000),
                               .tv_nsec = (long)(ms % 1000) * 1000000};
    (void)nanosleep(&t, NULL);
}

static void killed_and_stopped(void)
{
    static node front;
    const size_t n_rounds = test_iters(ROUNDS);
    size_t n_jobs = 0;
    test_job **jobs = calloc(n_rounds, sizeof(*jobs));
    char(*ids)[32] = calloc(n_rounds, sizeof(*ids));
    child children[CHILDREN] = {{0, 0}};
    uint64_t n_proved = 0, n_aside = 0;
    troubles n = {.kills = 0};
    CHECK(jobs != NULL && ids != NULL);
    open_node(&front, pg_server_url(), "front");
    history_begin();
    part_history_begin();
    start_proxy();
    const uint64_t begin = cuzk_clock_ns();
    for (int i = 0; i < CHILDREN; i++) {
        children[i].pid = start_process(i);
    }
    for (size_t i = 0; i < n_rounds; i++) {
        if (n_jobs < JOBS || n_over() + JOBS > n_jobs) {
            (void)snprintf(ids[n_jobs], sizeof(ids[n_jobs]), "job %zu", n_jobs);
            jobs[n_jobs] = test_job_make(CUZK_JOB_POREP, 100 + n_jobs, PARTS, ids[n_jobs]);
            test_job_submit(&front.w, jobs[n_jobs]);
            n_jobs++;
        }
        pause_ms(200 + test_below(300));
        trouble(children, cuzk_clock_ns(), &n);
        if (i % RESTARTS == RESTARTS - 1) {
            pg_server_restart();
            n.restarts++;
        }
    }
    const uint64_t trouble_ns = cuzk_clock_ns() - begin;
    for (int i = 0; i < CHILDREN; i++) {
        (void)kill(children[i].pid, SIGCONT);
    }
    const uint64_t limit = cuzk_clock_ns() + (300 + 2 * n_jobs) * SECOND_NS;
    while (n_over() < n_jobs) {
        CHECK_MSG(cuzk_clock_ns() < limit, "%llu of %zu jobs are over",
                  (unsigned long long)n_over(), n_jobs);
        pause_ms(50);
    }
    for (size_t i = 0; i < n_jobs; i++) {
        const bool is_right = is_proof(jobs[i]);
        n_proved += is_right ? 1 : 0;
        test_job_free(jobs[i]);
    }
    for (int i = 0; i < CHILDREN; i++) {
        end_child(&children[i]);
    }
    pg_proxy_stop();
    free(jobs);
    free(ids);
    cuzk_engine_destroy(front.w.e);
    mock_destroy(&front.w.b);
    (void)pthread_mutex_destroy(&front.w.log.mu);
    front.store.destroy(front.store.arg);
    char *aside = pg_server_sql("SELECT count(*) FROM cuzk_job WHERE state = 3 AND error LIKE"
                                " 'environment: set aside: 3 daemons%'");
    n_aside = strtoull(aside, NULL, 10);
    free(aside);
    CHECK_U64(n_proved + n_aside, n_jobs);
    CHECK(n_proved >= 1);
    const history_sums h = history_check();
    CHECK_U64(h.jobs, n_jobs);
    CHECK_U64(h.ended, n_jobs);
    const part_sums p = part_history_check();
    CHECK(p.by_task > 0 && p.proved > 0);
    (void)printf("%.0f s of trouble: %llu kills, %llu stops, %llu cuts, %llu restarts of the"
                 " database; %zu jobs\n",
                 (double)trouble_ns / 1e9, (unsigned long long)n.kills, (unsigned long long)n.stops,
                 (unsigned long long)n.cuts, (unsigned long long)n.restarts, n_jobs);
    (void)printf(
        "%llu proved, %llu set aside; partitions: %llu taken, %llu by tasks, %llu deaths\n",
        (unsigned long long)n_proved, (unsigned long long)n_aside, (unsigned long long)p.taken,
        (unsigned long long)p.by_task, (unsigned long long)p.deaths);
}

static const cuzk_case cases[] = {CASE(killed_and_stopped), CASE(prove_until_killed)};
TEST_MAIN("fleet/part_kills", cases)
