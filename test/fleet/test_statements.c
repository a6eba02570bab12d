/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Every statement of a member, from its start to its end, is broken once before the server has it and once after
 * the server has answered: the member goes on as if nothing had been. And a member that is killed at each of
 * these moments leaves a queue with which the next one goes on: every job that was accepted ends once.
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
#include "store_jobs.h"
#include "test.h"

static cuzk_job_store join(const char *url, const char *name)
{
    cuzk_job_store s;
    cuzk_err err = {0};
    const cuzk_pg_member m = {.name = name, .address = "test", .version = "0"};
    const cuzk_pg_config c = {.url = url, .member = &m, .retry_ms = 20000};
    CHECK_OK(cuzk_pg_store_open(&s, &c, NULL, &err), &err);
    return s;
}

static uint64_t first_number(cuzk_job_store *s)
{
    uint64_t n = 0;
    CHECK_STATUS(s->load(s->arg, NULL, NULL, &n, NULL), CUZK_OK);
    return n;
}

/* Told when a job is accepted: by a line on standard output of a process that may be killed. */
static bool says;

static void put(cuzk_job_store *s, uint64_t number, size_t bytes, bool claims)
{
    job j;
    cuzk_err err = {0};
    uint8_t *data = calloc(bytes, 1);
    CHECK(data != NULL);
    job_make(&j, number, false);
    j.record.request = (cuzk_job_request){.kind = CUZK_JOB_POREP,
                                          .request_id = {(const uint8_t *)j.id, strlen(j.id)},
                                          .vanilla_proof = {data, bytes}};
    j.record.claims = claims;
    CHECK_OK(s->put(s->arg, &j.record, &err), &err);
    job_free(&j);
    free(data);
    if (says) {
        (void)printf("accepted %" PRIu64 "\n", number);
        (void)fflush(stdout);
    }
}

static void complete(cuzk_job_store *s, uint64_t number)
{
    job j;
    cuzk_err err = {0};
    job_make(&j, number, false);
    job_complete(&j);
    CHECK_OK(s->finish(s->arg, &j.record, &err), &err);
    job_free(&j);
}

typedef struct list {
    uint64_t n[64];
    size_t count;
} list;

static void see(void *arg, const cuzk_job_record *r)
{
    list *l = arg;
    CHECK(l->count < 64);
    l->n[l->count++] = r->number;
}

static list claim(cuzk_job_store *s, uint32_t n)
{
    list l = {.count = 0};
    cuzk_err err = {0};
    CHECK_OK(s->shared->claim(s->arg, n, NULL, 0, see, &l, &err), &err);
    return l;
}

static void see_state(void *arg, const cuzk_job_record *r)
{
    *(cuzk_job_state *)arg = r->state;
}

typedef struct told {
    uint32_t taken[16], n_taken, n_proved;
    uint64_t job;
} told;

static void see_news(void *arg, const cuzk_part_news *news)
{
    told *t = arg;
    if (news->what == CUZK_PART_TAKEN) {
        t->taken[t->n_taken++ % 16] = news->partition;
    }
    t->n_proved += news->what == CUZK_PART_PROVED ? 1 : 0;
}

static void see_task(void *arg, const cuzk_job_record *r, const uint32_t *parts, size_t n)
{
    told *t = arg;
    t->job = r->number;
    for (size_t i = 0; i < n; i++) {
        t->taken[t->n_taken++ % 16] = parts[i];
    }
}

/* Two members prove the partitions of one job: every call is done, whatever breaks. */
static void share_one(cuzk_job_store *s, uint64_t task, const char *url)
{
    static const uint8_t proof[192] = {1};
    cuzk_job_store h = join(url, "h");
    const cuzk_shared_parts *p = s->shared->parts;
    const uint64_t n = first_number(&h);
    cuzk_err err = {0};
    told t = {.n_taken = 0}, more = {.n_taken = 0}, held = {.n_taken = 0};
    put(&h, n, 100, true);
    CHECK_OK(h.shared->start(h.arg, n, &err), &err);
    CHECK_OK(p->open(h.arg, n, 4, &err), &err);
    CHECK_OK(p->take(h.arg, n, 1, see_news, &held, &err), &err);
    CHECK_OK(p->claim(s->arg, task, 2, NULL, 0, see_task, &t, &err), &err);
    CHECK(t.job == n && t.n_taken == 2);
    CHECK_OK(s->shared->start(s->arg, task, &err), &err);
    CHECK_OK(p->write(s->arg, task, t.taken[0], proof, 1, &err), &err);
    CHECK_OK(p->take(s->arg, task, 1, see_news, &more, &err), &err);
    for (uint32_t i = 0; i < more.n_taken; i++) {
        CHECK_OK(p->write(s->arg, task, more.taken[i], proof, 1, &err), &err);
    }
    CHECK_OK(s->shared->release(s->arg, task, &err), &err);
    held = (told){.n_taken = 0};
    CHECK_OK(p->take(h.arg, n, 4, see_news, &held, &err), &err);
    CHECK_U64(held.n_proved, 1 + more.n_taken);
    complete(&h, n);
    h.destroy(h.arg);
}

/* All that a member does. A claim whose answer was lost is found by a renewal, not by the next claim. */
static void live(const char *url)
{
    cuzk_job_store s = join(url, "m");
    const uint64_t n = first_number(&s);
    cuzk_job_state state = CUZK_JOB_QUEUED;
    cuzk_err err = {0};
    put(&s, n, 100, false);
    put(&s, n + 1, CUZK_PG_PART_BYTES + 100, false);
    put(&s, n + 2, 100, true);
    CHECK(s.shared->is_held(s.arg, n + 2));
    const list l = claim(&s, 1);
    for (size_t i = 0; i < l.count; i++) {
        CHECK_OK(s.shared->start(s.arg, l.n[i], &err), &err);
        complete(&s, l.n[i]);
    }
    CHECK_OK(s.shared->start(s.arg, n + 2, &err), &err);
    CHECK_OK(s.shared->release(s.arg, n + 2, &err), &err);
    CHECK_OK(s.shared->cancel(s.arg, n + 2, &err), &err);
    CHECK_OK(s.shared->get(s.arg, n + 2, see_state, &state, &err), &err);
    CHECK(state == CUZK_JOB_CANCELLED);
    share_one(&s, n + 100, url);
    CHECK_OK(s.prune(s.arg, 0, 1000000, &err), &err);
    s.destroy(s.arg);
}

static bool is_left(const char *query)
{
    char *left = pg_server_sql(query);
    const bool is_any = strcmp(left, "0") != 0;
    free(left);
    return is_any;
}

/* Another member ends what is there. */
static void end_all(void)
{
    static const char jobs[] = "SELECT count(*) FROM cuzk_job WHERE state < 2";
    const struct timespec nap = {.tv_nsec = 5000000};
    const uint64_t limit = cuzk_clock_ns() + UINT64_C(300000000000);
    cuzk_job_store h = join(pg_server_url(), "h"); /* in place of one that was killed */
    cuzk_job_store s = join(pg_server_url(), "m");
    h.destroy(h.arg);
    while (is_left(jobs)) {
        const list l = claim(&s, 16);
        if (l.count ==
            0) { /* the server may not have noticed yet that a killed process is gone, whose rows are locked */
            CHECK_MSG(cuzk_clock_ns() < limit, "jobs are left that nobody can claim");
            (void)nanosleep(&nap, NULL);
        }
        for (size_t i = 0; i < l.count; i++) {
            CHECK_STATUS(s.shared->start(s.arg, l.n[i], NULL), CUZK_OK);
            complete(&s, l.n[i]);
        }
    }
    s.destroy(s.arg);
    do { /* who joins tidies */
        CHECK_MSG(cuzk_clock_ns() < limit, "partitions are left that nobody removes");
        s = join(pg_server_url(), "m");
        s.destroy(s.arg);
    } while (is_left("SELECT count(*) FROM cuzk_part"));
    CHECK(!is_left(jobs));
}

static const char *proxy_url(void)
{
    static char url[600];
    const char *folder = pg_proxy_start(pg_server_folder());
    const char *options = strstr(pg_server_url(), "&options=");
    (void)snprintf(url, sizeof(url), "postgresql://cuzk@/postgres?host=%s%s", folder, options);
    return url;
}

static void make_tables(void)
{
    cuzk_job_store s = join(pg_server_url(), "m");
    s.destroy(s.arg);
    history_begin();
    part_history_begin();
}

/* One statement of ten, a random one to begin with; every one with --iters=10. */
static uint64_t stride(void)
{
    const size_t factor = test_iters(1);
    return factor < 10 ? 10 / factor : 1;
}

static void each_statement_is_broken(void)
{
    make_tables();
    const char *url = proxy_url();
    uint64_t n_broken = 0, n_runs = 0;
    for (int after = 0; after < 2; after++) {
        for (uint64_t k = 1 + test_below(stride());; k += stride()) {
            pg_proxy_arm(k, after != 0, 0);
            live(url);
            end_all();
            n_runs++;
            if (!pg_proxy_was_hit()) {
                break;
            }
            n_broken++;
        }
    }
    pg_proxy_stop();
    CHECK(n_broken > 40 / stride());
    const history_sums h = history_check();
    CHECK_U64(h.jobs, 4 * n_runs);
    CHECK_U64(h.ended, 4 * n_runs);
    CHECK_U64(h.set_aside, 0);
    CHECK_U64(part_history_check().parts, 4 * n_runs);
}

/* The process of the next case. */
static void live_and_say(void)
{
    const char *url = getenv("TEST_URL");
    if (url == NULL) {
        cuzk_test_skip("a process that killed_at_each_statement starts");
    }
    says = true;
    live(url);
}

static pid_t start_process(const char *url, int *from)
{
    int out[2];
    (void)fflush(NULL);
    CHECK(pipe(out) == 0);
    const pid_t pid = fork();
    if (pid == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        (void)dup2(out[1], STDOUT_FILENO);
        (void)close(out[0]);
        (void)setenv("TEST_URL", url, 1);
        (void)execl("/proc/self/exe", "live", "--match=live_and_say", (char *)NULL);
        _exit(127);
    }
    CHECK(pid > 0);
    (void)close(out[1]);
    *from = out[0];
    return pid;
}

/* Every job of a line "accepted N" is in the database, and over. */
static uint64_t check_accepted(int from)
{
    char line[128], sql[128];
    uint64_t n = 0;
    FILE *f = fdopen(from, "r");
    CHECK(f != NULL);
    while (fgets(line, sizeof(line), f) != NULL) {
        if (strncmp(line, "accepted ", 9) == 0) {
            (void)snprintf(sql, sizeof(sql), "SELECT state >= 2 FROM cuzk_job WHERE number = %llu",
                           strtoull(line + 9, NULL, 10));
            char *over = pg_server_sql(sql);
            CHECK_MSG(over != NULL && strcmp(over, "t") == 0, "%s", line);
            free(over);
            n++;
        }
    }
    (void)fclose(f);
    return n;
}

static void killed_at_each_statement(void)
{
    make_tables();
    const char *url = proxy_url();
    uint64_t n_killed = 0, n_accepted = 0;
    for (int after = 0; after < 2; after++) {
        for (uint64_t k = 1 + test_below(stride());; k += stride()) {
            int from = -1, status = 0;
            pg_proxy_arm(0, after != 0, 0);
            const pid_t pid = start_process(url, &from);
            pg_proxy_arm(k, after != 0, pid);
            CHECK(waitpid(pid, &status, 0) == pid);
            end_all();
            n_accepted += check_accepted(from);
            if (!pg_proxy_was_hit()) {
                CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
                break;
            }
            n_killed++;
        }
    }
    pg_proxy_stop();
    CHECK(n_killed > 40 / stride() && n_accepted > 40 / stride());
    const history_sums h = history_check();
    CHECK_U64(h.jobs, h.ended);
    CHECK_U64(h.set_aside, 0);
    CHECK_U64(part_history_check().set_aside, 0);
}

static const cuzk_case cases[] = {CASE(each_statement_is_broken), CASE(killed_at_each_statement),
                                  CASE(live_and_say)};
TEST_MAIN("fleet/statements", cases)
