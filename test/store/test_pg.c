/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What only the store on PostgreSQL has: the URL, passwords, the schema, servers that go and come. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "store/pg/pg_internal.h"

#include "pg_server.h"
#include "store_jobs.h"
#include "test.h"

static cuzk_status open_url(cuzk_job_store *s, const char *url, const char *password_file,
                            cuzk_err *err)
{
    const cuzk_pg_config c = {.url = url, .password_file = password_file, .retry_ms = 300};
    return cuzk_pg_store_open(s, &c, NULL, err);
}

static cuzk_job_store open_store(void)
{
    cuzk_job_store s;
    cuzk_err err = {0};
    const cuzk_pg_config c = {.url = pg_server_url(), .retry_ms = 60000};
    CHECK_OK(cuzk_pg_store_open(&s, &c, NULL, &err), &err);
    return s;
}

static void put(cuzk_job_store *s, uint64_t number, bool big)
{
    job j;
    cuzk_err err = {0};
    job_make(&j, number, big);
    CHECK_OK(s->put(s->arg, &j.record, &err), &err);
    job_free(&j);
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

static void count(void *arg, const cuzk_job_record *r)
{
    job_check(r, r->number > 1000000);
    ++*(size_t *)arg;
}

static size_t load(cuzk_job_store *s)
{
    size_t n = 0;
    uint64_t next = 0;
    cuzk_err err = {0};
    CHECK_OK(s->load(s->arg, count, &n, &next, &err), &err);
    return n;
}

static void urls(void)
{
    static const struct {
        const char *url, *name, *why;
    } table[] = {
        {"postgresql://u@db.example:5433/queue?sslmode=require",
         "postgresql://db.example:5433/queue", NULL},
        {"postgresql:///queue?host=/run/postgresql", "postgresql:///run/postgresql/queue", NULL},
        {"postgresql://u@a,b/queue?target_session_attrs=read-write", "postgresql://a,b/queue",
         NULL},
        {"mysql://u@h/db", NULL, "does not begin with postgresql://"},
        {"host=h dbname=d", NULL, "does not begin with postgresql://"},
        {"postgresql://u@h/db?colour=red", NULL, "colour"},
        {"postgresql://u:secret@h/db", NULL, "store.password_file"},
        {"postgresql://u@h/db?password=secret", NULL, "store.password_file"},
    };
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        char name[CUZK_PG_NAME_BYTES];
        cuzk_err err = {0};
        if (table[i].name != NULL) {
            CHECK_OK(cuzk_pg_describe(name, table[i].url, &err), &err);
            CHECK_STR(name, table[i].name);
        } else {
            CHECK_STATUS(cuzk_pg_describe(name, table[i].url, &err), CUZK_E_INVALID);
            CHECK_MSG(strstr(err.msg, table[i].why) != NULL, "%s", err.msg);
            CHECK_MSG(strstr(err.msg, "secret") == NULL, "%s", err.msg);
        }
    }
}

static void faults(void)
{
    CHECK(pg_fault_of(NULL) == PG_FAULT_LOST && pg_fault_of("08006") == PG_FAULT_LOST);
    CHECK(pg_fault_of("57P01") == PG_FAULT_LOST && pg_fault_of("53300") == PG_FAULT_LOST);
    CHECK(pg_fault_of("25006") == PG_FAULT_LOST);
    CHECK(pg_fault_of("40001") == PG_FAULT_CONFLICT && pg_fault_of("40P01") == PG_FAULT_CONFLICT);
    CHECK(pg_fault_of("42710") == PG_FAULT_DUPLICATE && pg_fault_of("42P07") == PG_FAULT_DUPLICATE);
    CHECK(pg_fault_of("23505") == PG_FAULT_DUPLICATE);
    CHECK(pg_fault_of("53100") == PG_FAULT_OTHER && pg_fault_of("42P01") == PG_FAULT_OTHER);
}

static void what_cannot_be_reached_is_named(void)
{
    cuzk_job_store s;
    cuzk_err err = {0};
    char url[300], file[300];
    (void)snprintf(url, sizeof(url), "postgresql://cuzk@/postgres?host=%s", test_tmpdir());
    CHECK_STATUS(open_url(&s, url, NULL, &err), CUZK_E_IO);
    CHECK_MSG(strstr(err.msg, test_tmpdir()) != NULL, "%s", err.msg);
    CHECK(cuzk_status_is_retryable(err.code));
    (void)snprintf(file, sizeof(file), "%s/password", test_tmpdir());
    CHECK_STATUS(open_url(&s, url, file, &err), CUZK_E_NOT_FOUND);
    CHECK_MSG(strstr(err.msg, file) != NULL, "%s", err.msg);
    FILE *f = fopen(file, "w");
    CHECK(f != NULL && fputs("secret\n", f) >= 0 && fclose(f) == 0 && chmod(file, 0644) == 0);
    CHECK_STATUS(open_url(&s, url, file, &err), CUZK_E_INVALID);
    CHECK_MSG(strstr(err.msg, "everybody can read it") != NULL, "%s", err.msg);
    (void)snprintf(url, sizeof(url), "postgresql://cuzk@/nowhere?host=%s", pg_server_folder());
    CHECK_STATUS(open_url(&s, url, NULL, &err), CUZK_E_IO);
    CHECK_MSG(strstr(err.msg, "\"nowhere\" does not exist") != NULL, "%s", err.msg);
}

static void write_password(const char *file, mode_t mode)
{
    FILE *f = fopen(file, "w");
    CHECK(f != NULL && fputs("secret\n", f) >= 0 && fclose(f) == 0 && chmod(file, mode) == 0);
}

static void check_put_fails(cuzk_job_store *s, uint64_t number, const char *why)
{
    job j;
    cuzk_err err = {0};
    job_make(&j, number, false);
    CHECK_STATUS(s->put(s->arg, &j.record, &err), CUZK_E_IO);
    CHECK_MSG(strstr(err.msg, why) != NULL, "%s", err.msg);
    job_free(&j);
}

/* While the store is open this is trouble of the machine. It must not be taken for a job that is not there. */
static void a_password_file_may_go_and_come(void)
{
    static const char cut[] = "SELECT count(pg_terminate_backend(pid, 60000)) FROM pg_stat_activity"
                              " WHERE application_name = 'cuzk'";
    cuzk_job_store s;
    job j;
    cuzk_err err = {0};
    char file[300];
    (void)snprintf(file, sizeof(file), "%s/password", test_tmpdir());
    write_password(file, 0600);
    CHECK_OK(open_url(&s, pg_server_url(), file, &err), &err);
    put(&s, 1, false);
    CHECK(unlink(file) == 0);
    free(pg_server_sql(cut));
    check_put_fails(&s, 2, file);
    CHECK_STATUS(s.find(s.arg, "job-1", count, NULL, &err), CUZK_E_IO);
    job_make(&j, 1, false);
    job_complete(&j);
    CHECK_STATUS(s.finish(s.arg, &j.record, &err), CUZK_E_IO);
    job_free(&j);
    write_password(file, 0644);
    check_put_fails(&s, 2, "everybody can read it");
    write_password(file, 0600);
    put(&s, 2, false);
    CHECK_U64(load(&s), 2);
    s.destroy(s.arg);
}

static void differences_of_clocks_are_told_from_slow_answers(void)
{
    static const struct {
        int64_t asked, answered, database, ahead;
    } table[] = {{1000000, 1000010, 1000005, 0},      {1000000, 1020000, 1000001, 0},
                 {1000000, 1000010, 940005, 60000},   {1000000, 1000010, 940105, 60000},
                 {1000000, 999000, 1, 60000},         {1000000, 1000010, 0, 60000},
                 {1000000, 1000010, 1060005, -60000}, {1000000, 1000010, 1000005, 0}};
    pg_store s = {.name = ""};
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        pg_clock_take(&s, table[i].asked, table[i].answered, table[i].database);
        CHECK_U64((uint64_t)pg_clock_to_database(&s, 5000000),
                  (uint64_t)(5000000 - table[i].ahead));
        CHECK_U64((uint64_t)pg_clock_from_database(&s, 5000000),
                  (uint64_t)(5000000 + table[i].ahead));
        CHECK_U64((uint64_t)pg_clock_to_database(&s, 0), 0);
        CHECK_U64((uint64_t)pg_clock_from_database(&s, 0), 0);
    }
}

static void take_deadline(void *arg, const cuzk_job_record *r)
{
    *(int64_t *)arg = r->deadline_unix_ms;
}

static void check_deadline(cuzk_job_store *s, int64_t want)
{
    int64_t got = 0;
    CHECK_STATUS(s->find(s->arg, "job-2", take_deadline, &got, NULL), CUZK_OK);
    CHECK_U64((uint64_t)got, (uint64_t)want);
}

/* One host's clock is an hour ahead of the database's and of the other host's. */
static void hosts_may_have_other_clocks(void)
{
    enum { HOUR_MS = 3600000 };
    cuzk_job_store ahead = open_store(), right = open_store();
    pg_store *s = ahead.arg;
    job j;
    cuzk_err err = {0};
    atomic_store(&s->clock_ahead_ms, HOUR_MS);
    job_make(&j, 2, false);
    CHECK_OK(ahead.put(ahead.arg, &j.record, &err), &err);
    check_deadline(&ahead, j.record.deadline_unix_ms);
    check_deadline(&right, j.record.deadline_unix_ms - HOUR_MS);
    job_complete(&j); /* ended a moment ago, by the right clock */
    const int64_t ended = j.record.ended_unix_ms;
    CHECK_OK(right.finish(right.arg, &j.record, &err), &err);
    job_free(&j);
    /* what ended more than 1 s ago may go: by the clock that is ahead, that was an hour and a moment later */
    CHECK_OK(ahead.prune(ahead.arg, ended + HOUR_MS - 1000, 100, &err), &err);
    char *n = pg_server_sql("SELECT count(*) FROM cuzk_job");
    CHECK_STR(n, "1");
    free(n);
    CHECK_OK(ahead.prune(ahead.arg, ended + HOUR_MS + 1, 100, &err), &err);
    n = pg_server_sql("SELECT count(*) FROM cuzk_job");
    CHECK_STR(n, "0");
    free(n);
    ahead.destroy(ahead.arg);
    right.destroy(right.arg);
}

static void a_server_that_takes_no_writes_is_refused(void)
{
    cuzk_job_store s;
    cuzk_err err = {0};
    char url[400];
    (void)snprintf(url, sizeof(url),
                   "postgresql://cuzk@/postgres?host=%s"
                   "&options=-cdefault_transaction_read_only%%3Don",
                   pg_server_folder());
    CHECK_STATUS(open_url(&s, url, NULL, &err), CUZK_E_IO);
    CHECK_MSG(strstr(err.msg, "read-only") != NULL, "%s", err.msg);
}

static void a_newer_schema_is_refused(void)
{
    cuzk_job_store s = open_store();
    cuzk_err err = {0};
    put(&s, 1, false);
    s.destroy(s.arg);
    /* a newer one that this program may still use */
    free(pg_server_sql("UPDATE cuzk_schema SET version = 7, compatible = 1"));
    s = open_store();
    CHECK_U64(load(&s), 1);
    s.destroy(s.arg);
    free(pg_server_sql("UPDATE cuzk_schema SET version = 7, compatible = 7"));
    CHECK_STATUS(open_url(&s, pg_server_url(), NULL, &err), CUZK_E_UNSUPPORTED);
    CHECK_MSG(strstr(err.msg, "version 7") != NULL && strstr(err.msg, "install a newer") != NULL,
              "%s", err.msg);
    char *n = pg_server_sql("SELECT count(*) FROM cuzk_job");
    CHECK_STR(n, "1");
    free(n);
}

/* Daemons that start at one moment on an empty database, and after a migration that was cut short. */
static void schema_is_made_once(void)
{
    enum { N = 6 };
    pid_t pids[N];
    const char *url = pg_server_url();
    for (int i = 0; i < N; i++) {
        pids[i] = fork();
        if (pids[i] == 0) {
            cuzk_job_store s;
            const cuzk_pg_config c = {.url = url};
            cuzk_err err = {0};
            const cuzk_status st = cuzk_pg_store_open(&s, &c, NULL, &err);
            if (st != CUZK_OK) {
                (void)fprintf(stderr, "%s\n", err.msg);
                _exit(1);
            }
            _exit(0);
        }
        CHECK(pids[i] > 0);
    }
    for (int i = 0; i < N; i++) {
        int status = 1;
        CHECK(waitpid(pids[i], &status, 0) == pids[i]);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    free(pg_server_sql("UPDATE cuzk_schema SET version = 0")); /* begins again: nothing is lost */
    cuzk_job_store s = open_store();
    put(&s, 5, false);
    s.destroy(s.arg);
    char *version = pg_server_sql("SELECT version FROM cuzk_schema");
    CHECK_U64(strtoull(version, NULL, 10), PG_SCHEMA_VERSION);
    free(version);
}

/* The server is killed as by a crash while jobs are put and ended: every call succeeds in the end. */
typedef struct busy {
    cuzk_job_store s;
    atomic_bool stop;
    _Atomic uint64_t n; /* the next number */
} busy;

static void *put_and_complete(void *arg)
{
    busy *b = arg;
    while (!atomic_load(&b->stop)) {
        put(&b->s, b->n, false);
        if (b->n % 3 == 0) {
            complete(&b->s, b->n);
        }
        b->n++;
    }
    return NULL;
}

static void a_server_may_go_and_come(void)
{
    pthread_t t;
    busy b = {.s = open_store(), .n = 1};
    CHECK(pthread_create(&t, NULL, put_and_complete, &b) == 0);
    for (int i = 0; i < 3; i++) {
        const uint64_t before = atomic_load(&b.n);
        do { /* jobs are put between two crashes, however slow the machine */
            const struct timespec some = {.tv_nsec = 150000000};
            (void)nanosleep(&some, NULL);
        } while (atomic_load(&b.n) < before + 2);
        pg_server_restart();
    }
    atomic_store(&b.stop, true);
    CHECK(pthread_join(t, NULL) == 0);
    CHECK(b.n > 5);
    CHECK_U64(load(&b.s), (b.n - 1) - (b.n - 1) / 3);
    b.s.destroy(b.s.arg);
}

static void see_failed(void *arg, const cuzk_job_record *r)
{
    *(bool *)arg = r->state == CUZK_JOB_FAILED && strncmp(r->error, "environment: ", 13) == 0;
}

/* Damage by whoever writes into the tables: the job fails, the others go on. */
static void damaged_inputs_end_their_jobs(void)
{
    static const char *const ids[] = {"job-1000001", "job-1000002", "job-1000003"};
    cuzk_job_store s = open_store();
    for (uint64_t n = 1000001; n <= 1000004; n++) {
        put(&s, n, true);
    }
    free(pg_server_sql("DELETE FROM cuzk_input WHERE number = 1000001"));
    free(pg_server_sql("UPDATE cuzk_input SET data = set_byte(data, 99, get_byte(data, 99) # 1)"
                       " WHERE number = 1000002"));
    free(pg_server_sql("UPDATE cuzk_job SET kind = 77 WHERE number = 1000003"));
    CHECK_U64(load(&s), 1);
    for (size_t i = 0; i < 2; i++) {
        bool ok = false;
        CHECK_STATUS(s.find(s.arg, ids[i], see_failed, &ok, NULL), CUZK_OK);
        CHECK(ok);
    }
    char *state = pg_server_sql("SELECT state FROM cuzk_job WHERE number = 1000003");
    CHECK_STR(state, "3");
    free(state);
    CHECK_U64(load(&s), 1);
    s.destroy(s.arg);
}

static const cuzk_case cases[] = {CASE(urls),
                                  CASE(faults),
                                  CASE(what_cannot_be_reached_is_named),
                                  CASE(a_password_file_may_go_and_come),
                                  CASE(differences_of_clocks_are_told_from_slow_answers),
                                  CASE(hosts_may_have_other_clocks),
                                  CASE(a_server_that_takes_no_writes_is_refused),
                                  CASE(a_newer_schema_is_refused),
                                  CASE(schema_is_made_once),
                                  CASE(damaged_inputs_end_their_jobs),
                                  CASE(a_server_may_go_and_come)};
TEST_MAIN("store/pg", cases)
