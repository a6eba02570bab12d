/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Stores of other versions. test/vectors/store_v1 was written by the program at commit 0e1aca4, with job_make of
 * store_jobs.c: jobs 1 to 4, of which 3 is completed.
 */
#include <fcntl.h>
#include <sqlite3.h>
#include <string.h>
#include <unistd.h>

#include "store_jobs.h"
#include "test.h"

static const char *path(void)
{
    static char p[400];
    (void)snprintf(p, sizeof(p), "%s/jobs.db", test_tmpdir());
    return p;
}

static cuzk_status try_open(cuzk_job_store *s, cuzk_store_report *report, cuzk_err *err)
{
    const cuzk_store_config c = {.path = path()};
    return cuzk_store_open(s, &c, report, err);
}

static void copy_recorded(void)
{
    static char bytes[65536];
    const int from = open(VECTORS "/store_v1/jobs.db", O_RDONLY);
    CHECK(from >= 0);
    const ssize_t n = read(from, bytes, sizeof(bytes));
    CHECK(n > 0 && (size_t)n < sizeof(bytes) && close(from) == 0);
    const int to = open(path(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    CHECK(to >= 0 && write(to, bytes, (size_t)n) == n && close(to) == 0);
}

static void run_sql(const char *sql)
{
    sqlite3 *db = NULL;
    char *message = NULL;
    CHECK(sqlite3_open(path(), &db) == SQLITE_OK);
    CHECK_MSG(sqlite3_exec(db, sql, NULL, NULL, &message) == SQLITE_OK, "%s: %s", sql, message);
    CHECK(sqlite3_close(db) == SQLITE_OK);
}

typedef struct text {
    char p[1024];
} text;

static int keep_first(void *out, int n, char **values, char **names)
{
    text *t = out;
    (void)n;
    (void)names;
    (void)snprintf(t->p, sizeof(t->p), "%s", values[0] != NULL ? values[0] : "");
    return 0;
}

/* The one value that a query gives, as text. */
static text ask(const char *sql)
{
    sqlite3 *db = NULL;
    text t = {""};
    CHECK(sqlite3_open(path(), &db) == SQLITE_OK);
    CHECK(sqlite3_exec(db, sql, keep_first, &t, NULL) == SQLITE_OK);
    CHECK(sqlite3_close(db) == SQLITE_OK);
    return t;
}

static void see_unfinished(void *arg, const cuzk_job_record *r)
{
    job_check(r, false);
    *(unsigned *)arg |= 1u << r->number;
}

static void see_over(void *arg, const cuzk_job_record *r)
{
    job_check_fields(r);
    job_check_completed(r);
    *(bool *)arg = true;
}

/* Jobs 1, 2 and 4 are to be proved, 3 has its proof. */
static void check_jobs(cuzk_job_store *s)
{
    cuzk_err err = {0};
    unsigned seen = 0;
    uint64_t next = 0;
    bool over = false;
    CHECK_OK(s->load(s->arg, see_unfinished, &seen, &next, &err), &err);
    CHECK_U64(seen, 1u << 1 | 1u << 2 | 1u << 4);
    CHECK_U64(next, 5);
    CHECK_OK(s->find(s->arg, "job-3", see_over, &over, &err), &err);
    CHECK(over);
}

static void older_store_is_brought_forward(void)
{
    cuzk_job_store s;
    cuzk_store_report report;
    cuzk_err err = {0};
    copy_recorded();
    CHECK_STR(ask("PRAGMA user_version").p, "1");
    CHECK_STR(ask("SELECT count(*) FROM pragma_table_info('job') WHERE name = 'owner'").p, "0");
    for (int round = 0; round < 2; round++) { /* the second one finds it brought forward */
        CHECK_OK(try_open(&s, &report, &err), &err);
        CHECK_STR(report.moved_to, "");
        CHECK_U64(report.unfinished, 3);
        CHECK_U64(report.ended, 1);
        check_jobs(&s);
        s.destroy(s.arg);
        CHECK_STR(ask("PRAGMA user_version").p, "2");
        CHECK_STR(ask("SELECT value FROM meta WHERE name = 'compatible'").p, "2");
    }
    CHECK_OK(try_open(&s, NULL, &err), &err); /* and takes jobs */
    job j;
    job_make(&j, 5, false);
    CHECK_OK(s.put(s.arg, &j.record, &err), &err);
    job_free(&j);
    s.destroy(s.arg);
}

/* A fresh store and one that was brought forward have the same columns. */
static void both_ways_lead_to_one_schema(void)
{
    static const char columns[] = "SELECT group_concat(name || ' ' || type || ' ' || \"notnull\")"
                                  " FROM pragma_table_info('job')";
    cuzk_job_store s;
    cuzk_err err = {0};
    CHECK_OK(try_open(&s, NULL, &err), &err);
    s.destroy(s.arg);
    const text fresh = ask(columns);
    CHECK(strstr(fresh.p, "job_id TEXT 1") != NULL && unlink(path()) == 0);
    copy_recorded();
    CHECK(strcmp(ask(columns).p, fresh.p) != 0);
    CHECK_OK(try_open(&s, NULL, &err), &err);
    s.destroy(s.arg);
    CHECK_STR(ask(columns).p, fresh.p);
}

/* A step that fails, as on a full disk: the store is as it was, and the next start brings it forward. */
static void migration_is_all_or_nothing(void)
{
    cuzk_job_store s;
    cuzk_err err = {0};
    copy_recorded();
    run_sql("CREATE TRIGGER no BEFORE INSERT ON meta WHEN new.name = 'compatible'"
            " BEGIN SELECT raise(ABORT, 'not now'); END");
    CHECK_STATUS(try_open(&s, NULL, &err), CUZK_E_IO);
    CHECK_MSG(strstr(err.msg, "not now") != NULL, "%s", err.msg);
    CHECK_STR(ask("PRAGMA user_version").p, "1");
    CHECK_STR(ask("SELECT count(*) FROM pragma_table_info('job') WHERE name = 'owner'").p, "0");
    run_sql("DROP TRIGGER no");
    CHECK_OK(try_open(&s, NULL, &err), &err);
    check_jobs(&s);
    s.destroy(s.arg);
}

static void newer_store_is_left_alone(void)
{
    cuzk_job_store s;
    cuzk_err err = {0};
    copy_recorded();
    CHECK_OK(try_open(&s, NULL, &err), &err);
    s.destroy(s.arg);
    run_sql("PRAGMA user_version = 9; UPDATE meta SET value = 7 WHERE name = 'compatible'");
    CHECK_STATUS(try_open(&s, NULL, &err), CUZK_E_UNSUPPORTED);
    const char *said = err.msg;
    CHECK_MSG(strstr(said, "jobs.db: its format has version 9") != NULL &&
                  strstr(said, "knows version 7; this program knows version 2") != NULL &&
                  strstr(said, "Install the newer program again") != NULL &&
                  strstr(said, "docs/upgrade.md") != NULL,
              "%s", said);
    /* one that does not say who may use it is for its own version only */
    run_sql("DELETE FROM meta WHERE name = 'compatible'");
    CHECK_STATUS(try_open(&s, NULL, &err), CUZK_E_UNSUPPORTED);
    CHECK_MSG(strstr(err.msg, "knows version 9") != NULL, "%s", err.msg);
    /* nothing was written: it was opened when it was recorded, and above */
    CHECK_STR(ask("SELECT value FROM meta WHERE name = 'opened'").p, "2");
}

/* A newer program only added a column: this one goes on with the store, and leaves its version. */
static void compatible_newer_store_is_used(void)
{
    cuzk_job_store s;
    cuzk_err err = {0};
    copy_recorded();
    CHECK_OK(try_open(&s, NULL, &err), &err);
    s.destroy(s.arg);
    run_sql(
        "ALTER TABLE job ADD COLUMN colour TEXT NOT NULL DEFAULT 'red'; PRAGMA user_version = 3");
    CHECK_OK(try_open(&s, NULL, &err), &err);
    check_jobs(&s);
    job j;
    job_make(&j, 5, false);
    CHECK_OK(s.put(s.arg, &j.record, &err), &err);
    job_free(&j);
    s.destroy(s.arg);
    CHECK_STR(ask("PRAGMA user_version").p, "3");
    CHECK_STR(ask("SELECT count(*) FROM job WHERE colour = 'red'").p, "5");
}

static const cuzk_case cases[] = {
    CASE(older_store_is_brought_forward), CASE(both_ways_lead_to_one_schema),
    CASE(migration_is_all_or_nothing), CASE(newer_store_is_left_alone),
    CASE(compatible_newer_store_is_used)};
TEST_MAIN("store/version", cases)
