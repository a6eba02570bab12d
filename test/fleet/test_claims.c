/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Leases in the database: several processes claim, prove (sleep) and end jobs, and are killed and stopped meanwhile. */
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "fleet/model/fleet_history.h"
#include "store/pg/pg_store.h"

#include "pg_server.h"
#include "store_jobs.h"
#include "test.h"

#define LEASE_MS    900u
/* A lease that does not run out on a busy machine; a daemon renews it, and hears of orders, six times in it. */
#define HOLD_MS     12000u
#define PATIENCE_NS (300 * UINT64_C(1000000000)) /* a hang ends the test, a busy machine does not */

static void pause_ms(uint64_t ms)
{
    const struct timespec t = {.tv_sec = (time_t)(ms / 1000),
                               .tv_nsec = (long)(ms % 1000) * 1000000};
    (void)nanosleep(&t, NULL);
}

static cuzk_job_store join(const char *url, const char *name, uint64_t lease_ms)
{
    cuzk_job_store s;
    cuzk_err err = {0};
    const cuzk_pg_member m = {
        .name = name, .address = "test", .version = "0", .lease_ms = lease_ms};
    const cuzk_pg_config c = {.url = url, .member = &m, .retry_ms = 20000};
    CHECK_OK(cuzk_pg_store_open(&s, &c, NULL, &err), &err);
    CHECK(s.shared != NULL);
    return s;
}

static uint64_t first_number(cuzk_job_store *s)
{
    uint64_t n = 0;
    cuzk_err err = {0};
    CHECK_OK(s->load(s->arg, NULL, NULL, &n, &err), &err);
    return n;
}

static cuzk_status put_as(cuzk_job_store *s, uint64_t number, uint32_t class_base, bool claims)
{
    job j;
    job_make(&j, number, false);
    j.record.class_base = class_base;
    j.record.claims = claims;
    const cuzk_status st = s->put(s->arg, &j.record, NULL);
    job_free(&j);
    return st;
}

static cuzk_status complete(cuzk_job_store *s, uint64_t number)
{
    job j;
    job_make(&j, number, false);
    job_complete(&j);
    const cuzk_status st = s->finish(s->arg, &j.record, NULL);
    job_free(&j);
    return st;
}

typedef struct list {
    uint64_t n[64];
    size_t count;
} list;

static void see_claimed(void *arg, const cuzk_job_record *r)
{
    list *l = arg;
    job_check(r, false);
    CHECK(l->count < 64);
    l->n[l->count++] = r->number;
}

static list claim(cuzk_job_store *s, uint32_t n)
{
    list l = {.count = 0};
    cuzk_err err = {0};
    CHECK_OK(s->shared->claim(s->arg, n, NULL, 0, see_claimed, &l, &err), &err);
    return l;
}

static uint64_t sql_u64(const char *sql)
{
    char *text = pg_server_sql(sql);
    CHECK(text != NULL);
    const uint64_t v = strtoull(text, NULL, 10);
    free(text);
    return v;
}

/* --- one process --- */

static void see_state(void *arg, const cuzk_job_record *r)
{
    *(cuzk_job_state *)arg = r->state;
}

static cuzk_job_state state_of(cuzk_job_store *s, uint64_t number)
{
    cuzk_job_state st = CUZK_JOB_QUEUED;
    cuzk_err err = {0};
    CHECK_OK(s->shared->get(s->arg, number, see_state, &st, &err), &err);
    return st;
}

static void by_class_deadline_and_age(void)
{
    cuzk_job_store s = join(pg_server_url(), "a", 60000);
    const uint64_t n = first_number(&s) + 3; /* n + 1 and n + 2 have deadlines (number & 2) */
    history_begin();
    CHECK(n % 4 == 0);
    CHECK_STATUS(put_as(&s, n, 2, false), CUZK_OK);
    CHECK_STATUS(put_as(&s, n + 1, 1, false), CUZK_OK);
    CHECK_STATUS(put_as(&s, n + 2, 2, false), CUZK_OK);
    CHECK_STATUS(put_as(&s, n + 4, 2, false), CUZK_OK);
    CHECK_STATUS(put_as(&s, n + 5, 4, false), CUZK_OK);
    static const uint64_t order[] = {5, 2, 0, 4, 1};
    for (size_t i = 0; i < 5; i++) {
        const list l = claim(&s, 1);
        CHECK_U64(l.count, 1);
        CHECK_U64(l.n[0] - n, order[i]);
        CHECK(s.shared->is_held(s.arg, l.n[0]));
    }
    CHECK_U64(claim(&s, 5).count, 0);
    list none = {.count = 0};
    CHECK_STATUS(s.shared->release(s.arg, n + 2, NULL), CUZK_OK);
    const uint64_t except[] = {n + 2};
    CHECK_STATUS(s.shared->claim(s.arg, 5, except, 1, see_claimed, &none, NULL), CUZK_OK);
    CHECK_U64(none.count, 0);
    CHECK_U64(claim(&s, 5).count, 1);
    for (size_t i = 0; i < 4; i++) {
        CHECK_STATUS(s.shared->start(s.arg, n + order[i], NULL), CUZK_OK);
        CHECK(state_of(&s, n + order[i]) == CUZK_JOB_RUNNING);
        CHECK_STATUS(complete(&s, n + order[i]), CUZK_OK);
        CHECK_STATUS(complete(&s, n + order[i]), CUZK_E_EXISTS); /* the lease went with the end */
    }
    CHECK_STATUS(s.shared->release(s.arg, n + 1, NULL), CUZK_OK);
    CHECK_STATUS(complete(&s, n + 1), CUZK_E_EXISTS);
    CHECK_U64(claim(&s, 5).count, 1);
    CHECK_STATUS(complete(&s, n + 1), CUZK_OK);
    s.destroy(s.arg);
    const history_sums h = history_check();
    CHECK(h.jobs == 5 && h.ended == 5 && h.claims == 7);
}

static void note_order(void *arg, uint64_t number, cuzk_job_order order)
{
    list *l = arg;
    l->n[l->count++] = number << 1 | (order == CUZK_JOB_ORDER_CANCEL ? 1 : 0);
}

static void note_ended(void *arg, uint64_t number)
{
    list *l = arg;
    l->n[l->count++] = number;
}

static void cancels_reach_the_holder(void)
{
    cuzk_job_store a = join(pg_server_url(), "a", HOLD_MS), b = join(pg_server_url(), "b", HOLD_MS);
    const uint64_t n = first_number(&a);
    list orders = {.count = 0}, over = {.count = 0};
    history_begin();
    CHECK_STATUS(put_as(&a, n, 2, false), CUZK_OK);
    CHECK_STATUS(put_as(&a, n + 1, 2, true), CUZK_OK); /* a has it at once */
    CHECK(!a.shared->is_held(a.arg, n) && a.shared->is_held(a.arg, n + 1));
    CHECK_STATUS(b.shared->cancel(b.arg, n, NULL), CUZK_OK);
    CHECK(state_of(&b, n) == CUZK_JOB_CANCELLED);
    CHECK_U64(claim(&b, 4).count, 0);
    CHECK_STATUS(a.shared->start(a.arg, n + 1, NULL), CUZK_OK);
    CHECK_STATUS(b.shared->cancel(b.arg, n + 1, NULL), CUZK_OK);
    const uint64_t end = cuzk_clock_ns() + PATIENCE_NS;
    while (orders.count == 0 && cuzk_clock_ns() < end) {
        a.shared->wait(a.arg, 50);
        a.shared->take_orders(a.arg, note_order, &orders);
    }
    CHECK_U64(orders.count, 1);
    CHECK_U64(orders.n[0], (n + 1) << 1 | 1);
    CHECK_STATUS(a.shared->start(a.arg, n + 1, NULL), CUZK_E_CANCELLED);
    CHECK_STATUS(complete(&a, n + 1),
                 CUZK_OK); /* who is done before it hears of it has an end, too */
    const uint64_t asked[] = {n, n + 1, n + 77};
    CHECK_STATUS(b.shared->ended(b.arg, asked, 3, note_ended, &over, NULL), CUZK_OK);
    CHECK_U64(over.count, 3); /* n + 77 is not known */
    a.destroy(a.arg);
    b.destroy(b.arg);
    const history_sums h = history_check();
    CHECK(h.jobs == 2 && h.ended == 2 && h.cancelled == 1);
}

static void equal_jobs_are_put_once(void)
{
    cuzk_job_store a = join(pg_server_url(), "a", 60000), b = join(pg_server_url(), "b", 60000);
    const uint64_t n = first_number(&a), other = first_number(&b);
    job j;
    cuzk_job_state st = CUZK_JOB_FAILED;
    CHECK_STATUS(put_as(&a, n, 2, false), CUZK_OK);
    job_make(&j, n, false);
    j.record.number = other;
    CHECK_STATUS(b.put(b.arg, &j.record, NULL), CUZK_E_EXISTS);
    CHECK_STATUS(
        b.find_content(b.arg, j.record.content, j.record.request.request_id, see_state, &st, NULL),
        CUZK_OK);
    CHECK(st == CUZK_JOB_QUEUED);
    job_free(&j);
    a.destroy(a.arg);
    b.destroy(b.arg);
}

/* A clean end gives jobs back at once, a new start of the same name as well; neither waits for a lease. */
static void who_leaves_gives_back(void)
{
    cuzk_job_store a = join(pg_server_url(), "a", 60000), b = join(pg_server_url(), "b", 60000);
    const uint64_t n = first_number(&a);
    history_begin();
    CHECK_STATUS(put_as(&a, n, 2, true), CUZK_OK);
    CHECK_STATUS(a.shared->start(a.arg, n, NULL), CUZK_OK);
    a.destroy(a.arg);
    CHECK_U64(claim(&b, 4).count, 1);
    CHECK_STATUS(b.shared->start(b.arg, n, NULL), CUZK_OK);
    cuzk_job_store again = join(pg_server_url(), "b", 60000); /* b has crashed and is there again */
    CHECK_U64(claim(&again, 4).count, 1);
    CHECK_STATUS(complete(&b, n), CUZK_E_EXISTS);
    CHECK_STATUS(complete(&again, n), CUZK_OK);
    CHECK_U64(sql_u64("SELECT deaths FROM cuzk_job"), 1); /* b's; a left in order */
    again.destroy(again.arg);
    b.destroy(b.arg);
    CHECK_U64(history_check().ended, 1);
}

/* Two daemons of one name: the newer one stays, and the older one says so and claims nothing. */
static void note_replaced(void *arg, int level, const char *event, const char *text)
{
    if (strcmp(event, "fleet.replaced") == 0 && level == 0 &&
        strstr(text, "store.member") != NULL) {
        atomic_store((atomic_bool *)arg, true);
    }
}

static void of_two_with_one_name_the_newer_stays(void)
{
    cuzk_job_store older;
    cuzk_err err = {0};
    atomic_bool was_replaced = false;
    const cuzk_pg_member m = {.name = "a",
                              .lease_ms = LEASE_MS,
                              .on_event = note_replaced,
                              .on_event_arg = &was_replaced};
    const cuzk_pg_member bad = {.name = "a b"};
    cuzk_pg_config c = {.url = pg_server_url(), .member = &m};
    CHECK_OK(cuzk_pg_store_open(&older, &c, NULL, &err), &err);
    cuzk_job_store newer = join(pg_server_url(), "a", 60000);
    const uint64_t n = first_number(&newer), end = cuzk_clock_ns() + PATIENCE_NS;
    while (!atomic_load(&was_replaced)) {
        CHECK(cuzk_clock_ns() < end);
        pause_ms(20);
    }
    CHECK_STATUS(put_as(&older, n, 2, true), CUZK_OK); /* it takes jobs for the others */
    CHECK(!older.shared->is_held(older.arg, n));
    CHECK_U64(claim(&older, 4).count, 0);
    CHECK_U64(claim(&newer, 4).count, 1);
    older.destroy(older.arg);
    newer.destroy(newer.arg);
    c.member = &bad;
    CHECK_STATUS(cuzk_pg_store_open(&older, &c, NULL, &err), CUZK_E_INVALID);
    CHECK_MSG(strstr(err.msg, "store.member \"a b\"") != NULL, "%s", err.msg);
}

/* --- several processes --- */

#define IS_BAD(number) ((number) % 40 == 7) /* kills every process that proves it */

static atomic_int stop; /* the signal may come to a thread of the store */

static void on_term(int sig)
{
    (void)sig;
    atomic_store(&stop, 1);
}

static void prove(cuzk_job_store *s, uint64_t number)
{
    if (s->shared->start(s->arg, number, NULL) != CUZK_OK) {
        return;
    }
    pause_ms(test_below(40));
    if (IS_BAD(number)) {
        (void)kill(getpid(), SIGKILL);
    }
    const cuzk_status st = complete(s, number);
    CHECK(st == CUZK_OK || st == CUZK_E_EXISTS);
}

static void ignore_order(void *arg, uint64_t number, cuzk_job_order order)
{
    (void)arg;
    (void)number;
    (void)order;
}

/* A process of the claim loop alone: --worker=NAME, the URL in the environment. */
static void work_until_term(void)
{
    const char *name = getenv("TEST_MEMBER"), *url = getenv("TEST_URL");
    if (name == NULL || url == NULL) {
        cuzk_test_skip("a process that a_fleet_in_trouble starts");
    }
    (void)signal(SIGTERM, on_term);
    cuzk_job_store s = join(url, name, LEASE_MS);
    while (atomic_load(&stop) == 0) {
        s.shared->take_orders(s.arg, ignore_order, NULL);
        const list l = claim(&s, 3);
        for (size_t i = 0; i < l.count; i++) {
            prove(&s, l.n[i]);
        }
        if (l.count == 0) {
            s.shared->wait(s.arg, 100);
        }
    }
    s.destroy(s.arg);
}

enum { N_WORKERS = 6 };
typedef struct worker {
    pid_t pid; /* 0: none */
    uint64_t continue_ns;
} worker;

static void start_worker(worker *w, int index)
{
    char name[32], seed[32];
    (void)snprintf(name, sizeof(name), "worker-%d", index);
    (void)snprintf(seed, sizeof(seed), "--seed=%" PRIu64, 1 + test_below(1000000));
    (void)fflush(NULL);
    w->continue_ns = 0;
    w->pid = fork();
    if (w->pid == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        (void)setenv("TEST_MEMBER", name, 1);
        (void)execl("/proc/self/exe", "worker", "--match=work_until_term", seed, (char *)NULL);
        _exit(127);
    }
    CHECK(w->pid > 0);
}

/* One random thing to a random process; the dead ones are started again. */
static void trouble(worker *w, bool is_on)
{
    for (int i = 0; i < N_WORKERS; i++) {
        if (w[i].continue_ns != 0 && cuzk_clock_ns() >= w[i].continue_ns) {
            (void)kill(w[i].pid, SIGCONT);
            w[i].continue_ns = 0;
        }
        if (waitpid(w[i].pid, NULL, WNOHANG) == w[i].pid) {
            start_worker(&w[i], i);
        }
    }
    worker *v = &w[test_below(N_WORKERS)];
    const uint64_t what = test_below(100);
    if (!is_on || v->continue_ns != 0) {
        return;
    }
    if (what < 3) {
        (void)kill(v->pid, SIGKILL);
    } else if (what < 6) {
        (void)kill(v->pid, SIGSTOP);
        v->continue_ns = cuzk_clock_ns() + (LEASE_MS / 2 + test_below(2 * LEASE_MS)) * 1000000u;
    }
}

static void end_workers(worker *w)
{
    for (int i = 0; i < N_WORKERS; i++) {
        (void)kill(w[i].pid, SIGCONT);
        (void)kill(w[i].pid, SIGTERM);
    }
    for (int i = 0; i < N_WORKERS; i++) {
        int status = 0;
        CHECK(waitpid(w[i].pid, &status, 0) == w[i].pid);
        CHECK_MSG(WIFSIGNALED(status) || (WIFEXITED(status) && WEXITSTATUS(status) == 0),
                  "a process ended with %d", status);
    }
}

static void a_fleet_in_trouble(void)
{
    worker w[N_WORKERS];
    const uint64_t n_jobs = test_iters(150);
    uint64_t n_bad = 0, n = 0;
    cuzk_job_store s = join(pg_server_url(), "front", 60000);
    const uint64_t first = first_number(&s);
    history_begin();
    CHECK(setenv("TEST_URL", pg_server_url(), 1) == 0);
    for (int i = 0; i < N_WORKERS; i++) {
        start_worker(&w[i], i);
    }
    const uint64_t end = cuzk_clock_ns() + PATIENCE_NS + n_jobs / 2 * 1000000000u;
    for (;;) {
        trouble(w, true);
        for (int i = 0; i < 2 && n < n_jobs; i++, n++) {
            CHECK_STATUS(put_as(&s, first + n, 1 + (uint32_t)test_below(4), false), CUZK_OK);
            n_bad += IS_BAD(first + n) ? 1 : 0;
        }
        if (n == n_jobs && sql_u64("SELECT count(*) FROM cuzk_job WHERE state < 2") == 0) {
            break;
        }
        CHECK_MSG(cuzk_clock_ns() < end, "some jobs are not over");
        pause_ms(20);
    }
    end_workers(w);
    s.destroy(s.arg);
    const history_sums h = history_check();
    CHECK_U64(h.jobs, n_jobs);
    CHECK_U64(h.ended, n_jobs);
    CHECK(h.set_aside >= n_bad && h.claims >= n_jobs + 2 * n_bad);
    CHECK_U64(sql_u64("SELECT count(*) FROM cuzk_job WHERE number % 40 = 7 AND state <> 3"), 0);
    char *why = pg_server_sql("SELECT error FROM cuzk_job WHERE state = 3 LIMIT 1");
    CHECK_MSG(n_bad == 0 || strncmp(why, "environment: set aside: 3 daemons died", 38) == 0, "%s",
              why);
    free(why);
}

static const cuzk_case cases[] = {CASE(by_class_deadline_and_age),
                                  CASE(cancels_reach_the_holder),
                                  CASE(equal_jobs_are_put_once),
                                  CASE(who_leaves_gives_back),
                                  CASE(of_two_with_one_name_the_newer_stays),
                                  CASE(a_fleet_in_trouble),
                                  CASE(work_until_term)};
TEST_MAIN("fleet/claims", cases)
