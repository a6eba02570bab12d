/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What a store may touch, what it notices, and the places that are WinningPoSt's. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store_jobs.h"
#include "test.h"

static const char *path(void)
{
    static char p[400];
    (void)snprintf(p, sizeof(p), "%s/jobs.db", test_tmpdir());
    return p;
}

static const char *beside(const char *suffix)
{
    static char p[4][500];
    static unsigned i;
    char *out = p[i++ % 4];
    (void)snprintf(out, sizeof(p[0]), "%s%s", path(), suffix);
    return out;
}

static cuzk_job_store open_store(cuzk_store_report *report)
{
    cuzk_job_store s;
    cuzk_err err = {0};
    const cuzk_store_config c = {.path = path()};
    CHECK_OK(cuzk_store_open(&s, &c, report, &err), &err);
    return s;
}

static cuzk_status put(cuzk_job_store *s, uint64_t number, cuzk_job_kind kind, cuzk_err *err)
{
    job j;
    job_make(&j, number, false);
    j.record.request.kind = kind;
    j.record.request.priority = 0;
    j.record.is_privileged = kind == CUZK_JOB_WINNING;
    const cuzk_status st = s->put(s->arg, &j.record, err);
    job_free(&j);
    return st;
}

static void write_file(const char *file, const char *text)
{
    const int fd = open(file, O_CREAT | O_WRONLY | O_TRUNC, 0600);
    CHECK(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text) && close(fd) == 0);
}

static bool is_there(const char *file)
{
    struct stat st;
    return lstat(file, &st) == 0;
}

static void other_files_are_left_alone(void)
{
    static const char *const theirs[] = {"thesis.tex", "7x", "007",         "+7",
                                         " 7",         "-1", ".cuzk-1.tmp", "18446744073709551616",
                                         ".hidden"};
    static const char *const own[] = {"7", "4711", ".cuzk-0123456789abcdef.tmp"};
    cuzk_store_report report;
    char file[700];
    CHECK(mkdir(beside(".inputs"), 0700) == 0);
    for (size_t i = 0; i < 9; i++) {
        (void)snprintf(file, sizeof(file), "%s/%s", beside(".inputs"), theirs[i]);
        write_file(file, "x");
    }
    for (size_t i = 0; i < 3; i++) {
        (void)snprintf(file, sizeof(file), "%s/%s", beside(".inputs"), own[i]);
        write_file(file, "x");
    }
    (void)snprintf(file, sizeof(file), "%s/12", beside(".inputs"));
    CHECK(symlink("/etc/passwd", file) == 0);
    (void)snprintf(file, sizeof(file), "%s/13", beside(".inputs"));
    CHECK(mkdir(file, 0700) == 0);
    cuzk_job_store s = open_store(&report);
    CHECK_U64(report.orphans, 3);
    CHECK_U64(report.strangers, 11);
    for (size_t i = 0; i < 9; i++) {
        (void)snprintf(file, sizeof(file), "%s/%s", beside(".inputs"), theirs[i]);
        CHECK_MSG(is_there(file), "%s", file);
    }
    s.destroy(s.arg);
}

static void links_and_other_kinds_are_refused(void)
{
    static const char *const names[] = {"",         "-wal",  "-journal",        ".inputs",
                                        ".reserve", ".mark", ".reserve-winning"};
    char target[500];
    const cuzk_store_config c = {.path = path()};
    (void)snprintf(target, sizeof(target), "%s/precious", test_tmpdir());
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        for (int kind = 0; kind < 4; kind++) {
            cuzk_job_store s;
            cuzk_err err = {0};
            struct stat st;
            const char *name = beside(names[i]);
            if (strcmp(names[i], ".inputs") == 0 && kind > 0) {
                continue;
            }
            write_file(target, "precious");
            CHECK(kind == 0   ? symlink(target, name) == 0
                  : kind == 1 ? mkdir(name, 0700) == 0
                  : kind == 2 ? mkfifo(name, 0600) == 0
                              : link(target, name) == 0);
            CHECK_STATUS(cuzk_store_open(&s, &c, NULL, &err), CUZK_E_INVALID);
            CHECK_MSG(strstr(err.msg, name) != NULL, "%s", err.msg);
            CHECK(stat(target, &st) == 0 && st.st_size == 8);
            CHECK(kind == 1 ? rmdir(name) == 0 : unlink(name) == 0);
        }
    }
    /* a file of this name that somebody wrote, or that has another name too */
    cuzk_job_store s;
    cuzk_err err = {0};
    write_file(beside(".reserve"), "my notes");
    CHECK_STATUS(cuzk_store_open(&s, &c, NULL, &err), CUZK_E_INVALID);
    CHECK(unlink(beside(".reserve")) == 0);
    write_file(beside(".reserve"), "");
    CHECK(link(beside(".reserve"), beside(".second")) == 0);
    CHECK_STATUS(cuzk_store_open(&s, &c, NULL, &err), CUZK_E_INVALID);
    CHECK(unlink(beside(".second")) == 0);
    s = open_store(NULL);
    s.destroy(s.arg);
}

/* Files under the store's names that no store wrote: a text, a note, the start of another format. */
static void texts_are_no_damaged_stores(void)
{
    static const struct {
        const char *name, *text;
    } c[] = {{"", "years of work"},
             {"", "PK\3\4 an archive"},
             {"", "x"},
             {".mark", "remember the milk, and the bread"},
             {".mark", "12a"}};
    const cuzk_store_config config = {.path = path()};
    for (size_t i = 0; i < sizeof(c) / sizeof(c[0]); i++) {
        cuzk_job_store s;
        cuzk_err err = {0};
        struct stat st;
        const char *name = beside(c[i].name);
        write_file(name, c[i].text);
        CHECK_STATUS(cuzk_store_open(&s, &config, NULL, &err), CUZK_E_INVALID);
        CHECK_MSG(strstr(err.msg, name) != NULL, "%s", err.msg);
        CHECK(stat(name, &st) == 0 && (size_t)st.st_size == strlen(c[i].text));
        CHECK(unlink(name) == 0);
    }
    /* beside a store's other files it is a damaged database, and its jobs are gone */
    cuzk_store_report report;
    cuzk_job_store s = open_store(NULL);
    s.destroy(s.arg);
    write_file(path(), "years of work");
    s = open_store(&report);
    CHECK(report.moved_to[0] != '\0');
    s.destroy(s.arg);
}

static void count_jobs(void *arg, const cuzk_job_record *r)
{
    (void)r;
    ++*(size_t *)arg;
}

/* Killed, so that the log is not merged into the database; then the log goes. */
static void killed_with_jobs(uint64_t n)
{
    (void)path();
    const pid_t pid = fork();
    CHECK(pid >= 0);
    if (pid == 0) {
        cuzk_job_store s;
        const cuzk_store_config c = {.path = path()};
        bool ok = cuzk_store_open(&s, &c, NULL, NULL) == CUZK_OK;
        for (uint64_t i = 1; i <= n && ok; i++) {
            ok = put(&s, i, CUZK_JOB_WINDOW, NULL) == CUZK_OK;
        }
        _exit(ok ? 0 : 1);
    }
    int status = 0;
    CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void a_lost_log_is_noticed(void)
{
    cuzk_store_report report;
    uint64_t next = 0;
    size_t jobs = 0;
    for (int how = 0; how < 4; how++) {
        struct stat st;
        killed_with_jobs(10);
        CHECK(stat(beside("-wal"), &st) == 0 && st.st_size > 0);
        if (how == 0) {
            CHECK(unlink(beside("-wal")) == 0);
        } else if (how == 1) {
            CHECK(truncate(beside("-wal"), 0) == 0);
        } else if (how == 2) {
            CHECK(truncate(beside("-wal"), st.st_size / 2) == 0);
        }
        cuzk_job_store s = open_store(&report);
        CHECK_U64(report.unfinished + report.lost, 10);
        CHECK(how == 3 ? report.lost == 0 : report.lost > 0);
        jobs = 0;
        CHECK(s.load(s.arg, count_jobs, &jobs, &next, NULL) == CUZK_OK);
        CHECK_U64(next, 11); /* numbers of lost jobs are not used again */
        CHECK_U64(jobs, report.unfinished);
        s.destroy(s.arg);
        s = open_store(&report); /* it is told once */
        CHECK_U64(report.lost, 0);
        s.destroy(s.arg);
        CHECK(unlink(path()) == 0 && unlink(beside(".mark")) == 0);
        (void)unlink(beside("-wal"));
    }
    /* a mark that is damaged says nothing */
    killed_with_jobs(3);
    write_file(beside(".mark"), "99999999999999999999\n");
    cuzk_job_store s = open_store(&report);
    CHECK_U64(report.lost, 0);
    CHECK_U64(report.unfinished, 3);
    s.destroy(s.arg);
}

static void run_sql(const char *sql)
{
    sqlite3 *db = NULL;
    char *why = NULL;
    CHECK(sqlite3_open(path(), &db) == SQLITE_OK);
    CHECK_MSG(sqlite3_exec(db, sql, NULL, NULL, &why) == SQLITE_OK, "%s", why);
    CHECK(sqlite3_close(db) == SQLITE_OK);
}

static void a_damaged_schema_is_moved_aside(void)
{
    static const char *const damage[] = {
        "ALTER TABLE job RENAME COLUMN miner_id TO miner_ie",
        "ALTER TABLE job RENAME TO jpb",
        "ALTER TABLE meta RENAME COLUMN value TO vague",
        "DROP TABLE meta",
    };
    for (size_t i = 0; i < sizeof(damage) / sizeof(damage[0]); i++) {
        cuzk_store_report report;
        cuzk_job_store s = open_store(NULL);
        CHECK(put(&s, 1, CUZK_JOB_WINDOW, NULL) == CUZK_OK);
        s.destroy(s.arg);
        run_sql(damage[i]);
        s = open_store(&report);
        CHECK_MSG(report.moved_to[0] != '\0', "%s", damage[i]);
        CHECK(is_there(report.moved_to));
        CHECK(put(&s, 2, CUZK_JOB_WINDOW, NULL) == CUZK_OK);
        s.destroy(s.arg);
    }
}

static void see_failed(void *arg, const cuzk_job_record *r)
{
    *(bool *)arg = r->state == CUZK_JOB_FAILED;
}

/* A record with a value that no program writes: the others are taken up, this one is failed. */
static void a_record_without_sense_is_no_end_of_the_start(void)
{
    static const char *const damage[] = {"UPDATE job SET kind = 77 WHERE number = 2",
                                         "UPDATE job SET code = -999 WHERE number = 2",
                                         "UPDATE job SET content = x'00' WHERE number = 2",
                                         "UPDATE job SET input_digest = x'' WHERE number = 2"};
    for (size_t i = 0; i < sizeof(damage) / sizeof(damage[0]); i++) {
        cuzk_err err = {0};
        uint64_t next = 0;
        size_t jobs = 0;
        bool failed = false;
        cuzk_job_store s = open_store(NULL);
        for (uint64_t n = 1; n <= 3; n++) {
            CHECK(put(&s, n, CUZK_JOB_WINDOW, NULL) == CUZK_OK);
        }
        s.destroy(s.arg);
        run_sql(damage[i]);
        s = open_store(NULL);
        CHECK_OK(s.load(s.arg, count_jobs, &jobs, &next, &err), &err);
        CHECK_U64(jobs, 2);
        const cuzk_status st = s.find(s.arg, "job-2", see_failed, &failed, &err);
        CHECK(st == CUZK_E_FORMAT || (st == CUZK_OK && failed));
        s.destroy(s.arg);
        CHECK(unlink(path()) == 0 && unlink(beside(".mark")) == 0);
    }
}

/* --- a full disk, in a child with a file system of 6 MiB --- */

static bool mount_small(const char *folder)
{
    if (unshare(CLONE_NEWNS) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) {
        return false;
    }
    return mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
           mount("none", folder, "tmpfs", 0, "size=6m") == 0;
}

static bool fill_rest(const char *folder)
{
    char file[400];
    static const char block[4096];
    (void)snprintf(file, sizeof(file), "%s/ballast", folder);
    const int fd = open(file, O_CREAT | O_WRONLY | O_APPEND, 0600);
    while (fd >= 0 && write(fd, block, sizeof(block)) > 0) {
    }
    return fd >= 0 && errno == ENOSPC && close(fd) == 0;
}

static void note_full(void *arg, bool full, const char *why)
{
    (void)why;
    int *said = arg;
    said[full ? 1 : 0]++;
}

static int live_on_a_full_disk(const char *folder)
{
    int said[2] = {0, 0};
    const cuzk_store_config c = {.path = path(), .on_full = note_full, .on_full_arg = said};
    cuzk_store_report report;
    cuzk_store_state state;
    cuzk_job_store s;
    char ballast[400];
    uint64_t n = 1;
    (void)snprintf(ballast, sizeof(ballast), "%s/ballast", folder);
    if (!mount_small(folder)) {
        return 77;
    }
    if (cuzk_store_open(&s, &c, &report, NULL) != CUZK_OK || cuzk_store_is_full(&s) ||
        put(&s, n++, CUZK_JOB_WINDOW, NULL) != CUZK_OK || !fill_rest(folder)) {
        return 11;
    }
    while (n < 2000 && put(&s, n, CUZK_JOB_WINDOW, NULL) == CUZK_OK) {
        n++; /* until the log is full */
    }
    if (!cuzk_store_is_full(&s) || said[1] != 1 || put(&s, n, CUZK_JOB_POREP, NULL) != CUZK_E_IO) {
        return 12;
    }
    for (int i = 0; i < 5; i++) { /* the space that is kept for it */
        if (put(&s, n++, CUZK_JOB_WINNING, NULL) != CUZK_OK) {
            return 13;
        }
    }
    if (put(&s, n, CUZK_JOB_WINDOW, NULL) != CUZK_E_IO) {
        return 14;
    }
    s.destroy(s.arg);
    /* started again on the full disk */
    if (!fill_rest(folder) || cuzk_store_open(&s, &c, &report, NULL) != CUZK_OK ||
        report.unfinished < 6 || report.lost != 0) {
        return 15;
    }
    if (put(&s, n, CUZK_JOB_WINDOW, NULL) == CUZK_OK) {
        n++; /* the log was merged at the end, which gave some space back */
    } else if (!cuzk_store_is_full(&s)) {
        return 16;
    }
    job j;
    job_make(&j, 1, false);
    job_complete(&j);
    if (s.finish(s.arg, &j.record, NULL) != CUZK_OK) {
        return 17;
    }
    job_free(&j);
    if (unlink(ballast) != 0) {
        return 18;
    }
    cuzk_store_look(&s, &state);
    if (state.is_full || put(&s, n, CUZK_JOB_WINDOW, NULL) != CUZK_OK || said[0] < 1 ||
        state.database_bytes == 0 || state.max_bytes == 0) {
        return 19;
    }
    s.destroy(s.arg);
    return 0;
}

static void a_full_disk_is_told_and_started_on(void)
{
    int status = 0;
    const char *folder = test_tmpdir();
    (void)path();
    const pid_t pid = fork();
    CHECK(pid >= 0);
    if (pid == 0) {
        _exit(live_on_a_full_disk(folder));
    }
    CHECK(waitpid(pid, &status, 0) == pid);
    CHECK_MSG(WIFEXITED(status), "signal %d", WTERMSIG(status));
    if (WEXITSTATUS(status) == 77) {
        cuzk_test_skip("may not mount a file system");
    }
    CHECK_U64(WEXITSTATUS(status), 0);
}

static void a_full_store_has_a_place_for_winning(void)
{
    cuzk_job_store s;
    cuzk_err err = {0};
    const cuzk_store_config c = {.path = path(), .max_bytes = 1u << 20};
    uint64_t n = 1;
    CHECK_OK(cuzk_store_open(&s, &c, NULL, &err), &err);
    while (n < 5000 && put(&s, n, CUZK_JOB_WINDOW, &err) == CUZK_OK) {
        n++;
    }
    CHECK(err.code == CUZK_E_BUDGET);
    CHECK_OK(put(&s, n++, CUZK_JOB_WINNING, &err), &err);
    CHECK_STATUS(put(&s, n, CUZK_JOB_UPDATE, &err), CUZK_E_BUDGET);
    s.destroy(s.arg);
}

static char said_why[300];

static void note_why(void *arg, bool full, const char *why)
{
    ++((int *)arg)[full ? 1 : 0];
    (void)snprintf(said_why, sizeof(said_why), "%s", why != NULL ? why : "");
}

/* A store whose file goes, or that may not be written, takes no job until that is mended. */
static void a_store_that_cannot_be_written_says_so(void)
{
    int said[2] = {0, 0};
    cuzk_job_store s;
    cuzk_err err = {0};
    cuzk_store_state state;
    const cuzk_store_config c = {.path = path(), .on_full = note_why, .on_full_arg = said};
    struct rlimit old, small = {.rlim_cur = 4096};
    CHECK_OK(cuzk_store_open(&s, &c, NULL, &err), &err);
    CHECK(put(&s, 1, CUZK_JOB_WINDOW, NULL) == CUZK_OK && !cuzk_store_is_full(&s));
    CHECK(rename(path(), beside(".elsewhere")) == 0);
    CHECK_STATUS(put(&s, 2, CUZK_JOB_WINNING, &err), CUZK_E_IO);
    CHECK(strstr(err.msg, "moved, removed or replaced") != NULL);
    CHECK(cuzk_store_is_full(&s) && said[1] == 1 && strstr(said_why, path()) != NULL);
    CHECK_STATUS(put(&s, 2, CUZK_JOB_WINDOW, NULL), CUZK_E_IO);
    CHECK(said[1] == 1); /* one line */
    cuzk_store_look(&s, &state);
    CHECK(state.is_full && said[0] == 0);
    CHECK(rename(beside(".elsewhere"), path()) == 0);
    cuzk_store_look(&s, &state);
    CHECK(!state.is_full && said[0] == 1);
    CHECK_STATUS(put(&s, 2, CUZK_JOB_WINDOW, NULL), CUZK_OK);
    /* as of a read-only file system: every write fails, and not for want of space */
    CHECK(signal(SIGXFSZ, SIG_IGN) != SIG_ERR && getrlimit(RLIMIT_FSIZE, &old) == 0);
    small.rlim_max = old.rlim_max;
    CHECK(setrlimit(RLIMIT_FSIZE, &small) == 0);
    const cuzk_status st = put(&s, 3, CUZK_JOB_WINDOW, NULL);
    cuzk_store_look(&s, &state);
    CHECK(setrlimit(RLIMIT_FSIZE, &old) == 0);
    CHECK(st == CUZK_E_IO && state.is_full && said[1] == 2 && said[0] == 1);
    cuzk_store_look(&s, &state);
    CHECK(!state.is_full && said[0] == 2);
    CHECK_STATUS(put(&s, 3, CUZK_JOB_WINDOW, NULL), CUZK_OK);
    s.destroy(s.arg);
}

static void permissions_and_one_owner(void)
{
    struct stat st;
    cuzk_job_store s = open_store(NULL), second;
    cuzk_err err = {0};
    const cuzk_store_config c = {.path = path()}, none = {.path = ""};
    CHECK(stat(path(), &st) == 0);
    CHECK_U64(st.st_mode & 07777, 0600);
    CHECK(stat(beside(".inputs"), &st) == 0);
    CHECK_U64(st.st_mode & 07777, 0700);
    CHECK_STATUS(cuzk_store_open(&second, &c, NULL, &err), CUZK_E_IO);
    CHECK(strstr(err.msg, "in use by another process") != NULL);
    CHECK_OK(put(&s, 1, CUZK_JOB_POREP, &err), &err);
    s.destroy(s.arg);
    CHECK_STATUS(cuzk_store_open(&second, &none, NULL, &err), CUZK_E_INVALID);
    const cuzk_store_config nowhere = {.path = "/nonexistent/a/b.db"};
    CHECK_STATUS(cuzk_store_open(&second, &nowhere, NULL, &err), CUZK_E_IO);
    CHECK(strstr(err.msg, "/nonexistent/a cannot be written: No such file") != NULL);
}

static const cuzk_case cases[] = {CASE(permissions_and_one_owner),
                                  CASE(other_files_are_left_alone),
                                  CASE(links_and_other_kinds_are_refused),
                                  CASE(texts_are_no_damaged_stores),
                                  CASE(a_store_that_cannot_be_written_says_so),
                                  CASE(a_lost_log_is_noticed),
                                  CASE(a_damaged_schema_is_moved_aside),
                                  CASE(a_record_without_sense_is_no_end_of_the_start),
                                  CASE(a_full_disk_is_told_and_started_on),
                                  CASE(a_full_store_has_a_place_for_winning)};
TEST_MAIN("store/own", cases)
