/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What happens to a store when its process is killed, its disk is full, or its files are damaged. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "store_jobs.h"
#include "test.h"

enum { KILLS = 50, NUMBERS = 60000 };

static const char *path(void)
{
    static char p[400];
    (void)snprintf(p, sizeof(p), "%s/jobs.db", test_tmpdir());
    return p;
}

static cuzk_job_store open_store(cuzk_store_report *report)
{
    cuzk_job_store s;
    cuzk_err err = {0};
    const cuzk_store_config c = {.path = path()};
    CHECK_OK(cuzk_store_open(&s, &c, report, &err), &err);
    return s;
}

static bool is_big(uint64_t number)
{
    return number % 5 == 0;
}

static cuzk_status put(cuzk_job_store *s, uint64_t number, cuzk_err *err)
{
    job j;
    job_make(&j, number, is_big(number));
    const cuzk_status st = s->put(s->arg, &j.record, err);
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

/* --- kill -9 --- */

/* What the child has been promised, as it said through the pipe; child and parent use one order. */
typedef struct said {
    uint32_t number;
    uint32_t over;
} said;

static _Noreturn void child(int pipe_fd, uint64_t first)
{
    cuzk_job_store s;
    const cuzk_store_config c = {.path = path()};
    if (cuzk_store_open(&s, &c, NULL, NULL) != CUZK_OK) {
        _exit(1);
    }
    for (uint64_t n = first;; n++) {
        said m = {.number = (uint32_t)n, .over = 0};
        if (put(&s, n, NULL) != CUZK_OK || write(pipe_fd, &m, sizeof(m)) != sizeof(m)) {
            _exit(2);
        }
        if (n % 3 == 0) {
            m.over = 1;
            if (complete(&s, n) != CUZK_OK || write(pipe_fd, &m, sizeof(m)) != sizeof(m)) {
                _exit(3);
            }
        }
    }
}

static uint8_t promised[NUMBERS]; /* 1: accepted, 2: over */
static uint8_t found[NUMBERS];

static void see_unfinished(void *arg, const cuzk_job_record *r)
{
    (void)arg;
    CHECK(r->number < NUMBERS);
    job_check(r, is_big(r->number));
    found[r->number] = 1;
}

static void see_over(void *arg, const cuzk_job_record *r)
{
    job_check_fields(r);
    job_check_completed(r);
    *(bool *)arg = true;
}

/* Everything promised is there, and what is there is whole. */
static uint64_t check_promises(uint64_t below)
{
    cuzk_store_report report;
    uint64_t next = 0;
    cuzk_err err = {0};
    cuzk_job_store s = open_store(&report);
    CHECK_STR(report.moved_to, "");
    memset(found, 0, sizeof(found));
    CHECK_OK(s.load(s.arg, see_unfinished, NULL, &next, &err), &err);
    CHECK_MSG(next >= below, "the next number %" PRIu64 " is not above %" PRIu64, next, below - 1);
    for (uint64_t n = 1; n < below; n++) {
        bool over = false;
        char id[32];
        (void)snprintf(id, sizeof(id), "job-%" PRIu64, n);
        if (promised[n] == 2) {
            CHECK_OK(s.find(s.arg, id, see_over, &over, &err), &err);
            CHECK(over && found[n] == 0);
        } else if (promised[n] == 1 && found[n] == 0) { /* its end was recorded, not yet told */
            CHECK_OK(s.find(s.arg, id, see_over, &over, &err), &err);
            CHECK(over);
            promised[n] = 2;
        }
    }
    s.destroy(s.arg);
    return next;
}

static void kill_after(pid_t pid, uint64_t us)
{
    const struct timespec t = {.tv_sec = 0, .tv_nsec = (long)us * 1000};
    int status = 0;
    (void)nanosleep(&t, NULL);
    CHECK(kill(pid, SIGKILL) == 0);
    CHECK(waitpid(pid, &status, 0) == pid);
    CHECK_MSG(WIFSIGNALED(status), "the child ended by itself, status %d", status);
}

static void killed_at_random_moments(void)
{
    uint64_t first = 1;
    size_t told = 0;
    memset(promised, 0, sizeof(promised));
    (void)path(); /* makes the folder, here and not in the child */
    for (size_t round = 0; round < KILLS; round++) {
        int p[2];
        CHECK(pipe(p) == 0);
        const pid_t pid = fork();
        CHECK(pid >= 0);
        if (pid == 0) {
            (void)close(p[0]);
            child(p[1], first);
        }
        (void)close(p[1]);
        if (round % 4 != 0) { /* mostly between and in promises; sometimes while it opens */
            struct pollfd first_word = {.fd = p[0], .events = POLLIN};
            CHECK(poll(&first_word, 1, 300000) == 1);
        }
        kill_after(pid, 3000 + test_below(60000));
        said m;
        ssize_t n;
        while ((n = read(p[0], &m, sizeof(m))) == (ssize_t)sizeof(m)) {
            CHECK(m.number < NUMBERS);
            promised[m.number] = m.over != 0 ? 2 : 1;
            first = m.number + 1;
            told++;
        }
        CHECK(n == 0);
        (void)close(p[0]);
        const uint64_t next = check_promises(first);
        first = next > first ? next : first;
    }
    CHECK_MSG(told > KILLS / 2, "only %zu jobs were accepted in all rounds", told);
}

/* --- no space --- */

/* In the child, whose limit it is: a status names the trouble, what was promised stays, and when
 * there is space again the store goes on. */
static int fill_up(uint64_t bytes)
{
    const struct rlimit small = {bytes, RLIM_INFINITY}, none = {RLIM_INFINITY, RLIM_INFINITY};
    cuzk_job_store s = open_store(NULL);
    cuzk_err err = {0};
    uint64_t n = 1;
    (void)signal(SIGXFSZ, SIG_IGN); /* then writes fail with EFBIG, as on a full disk */
    if (setrlimit(RLIMIT_FSIZE, &small) != 0) {
        return 10;
    }
    while (n < 3000 && put(&s, n, &err) == CUZK_OK) {
        n++;
    }
    if (n == 3000 || err.code != CUZK_E_IO || err.msg[0] == '\0') {
        return 11;
    }
    if (put(&s, n, &err) != CUZK_E_IO) {
        return 12;
    }
    if (setrlimit(RLIMIT_FSIZE, &none) != 0 || put(&s, n, &err) != CUZK_OK ||
        complete(&s, 1) != CUZK_OK) {
        return 13;
    }
    s.destroy(s.arg);
    memset(promised, 1, n + 1);
    promised[1] = 2;
    return check_promises(n + 1) == n + 1 ? 0 : 14;
}

static void disk_full(void)
{
    static const uint64_t limits[] = {60000, 150000, 280000, 1000000};
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
        int status = 0;
        (void)path(); /* makes the folder, here and not in the child */
        const pid_t pid = fork();
        CHECK(pid >= 0);
        if (pid == 0) {
            _exit(fill_up(limits[i]));
        }
        CHECK(waitpid(pid, &status, 0) == pid);
        CHECK_MSG(WIFEXITED(status) && WEXITSTATUS(status) == 0, "limit %" PRIu64 ": status %d",
                  limits[i], WEXITSTATUS(status));
        (void)unlink(path());
        char wal[512];
        (void)snprintf(wal, sizeof(wal), "%s-wal", path());
        (void)unlink(wal);
    }
}

/* A file system of its own, as small as a full disk. False where this process may not have one. */
static bool mount_small(const char *folder)
{
    if (unshare(CLONE_NEWNS) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) {
        return false;
    }
    return mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
           mount("none", folder, "tmpfs", 0, "size=6m") == 0;
}

/* Somebody else's file takes what is left to the last byte. */
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

/* The child: jobs until the disk is full; then every one of them can still be ended. */
static int fill_disk(const char *folder)
{
    cuzk_err err = {.code = CUZK_OK};
    uint64_t n = 1, next = 0;
    if (!mount_small(folder)) {
        return 77;
    }
    cuzk_job_store s = open_store(NULL);
    while (n < 3000 && put(&s, n, &err) == CUZK_OK) {
        n++;
    }
    if (n < 10 || n == 3000 || err.code != CUZK_E_IO || !fill_rest(folder)) {
        return 11;
    }
    for (uint64_t k = 1; k < n; k++) {
        if (complete(&s, k) != CUZK_OK) {
            return 12;
        }
        promised[k] = 2;
    }
    s.destroy(s.arg);
    next = check_promises(n);
    s = open_store(NULL);
    if (s.prune(s.arg, INT64_MAX, 0, NULL) != CUZK_OK || put(&s, next + 1, &err) != CUZK_OK) {
        return 13; /* with the jobs gone there is room again */
    }
    s.destroy(s.arg);
    return 0;
}

static void full_disk_keeps_results(void)
{
    int status = 0;
    const char *folder = test_tmpdir();
    (void)path();
    const pid_t pid = fork();
    CHECK(pid >= 0);
    if (pid == 0) {
        _exit(fill_disk(folder));
    }
    CHECK(waitpid(pid, &status, 0) == pid);
    CHECK_MSG(WIFEXITED(status), "signal %d", WTERMSIG(status));
    if (WEXITSTATUS(status) == 77) {
        cuzk_test_skip("may not mount a file system");
    }
    CHECK_U64(WEXITSTATUS(status), 0);
}

/* --- damage --- */

static void make_store(uint64_t jobs)
{
    cuzk_err err = {0};
    cuzk_job_store s = open_store(NULL);
    for (uint64_t n = 1; n <= jobs; n++) {
        CHECK_OK(put(&s, n, &err), &err);
    }
    CHECK(complete(&s, 1) == CUZK_OK);
    s.destroy(s.arg);
}

static void write_at(const char *file, off_t at, const void *data, size_t n)
{
    const int fd = open(file, O_WRONLY);
    CHECK(fd >= 0);
    CHECK(pwrite(fd, data, n, at) == (ssize_t)n);
    CHECK(close(fd) == 0);
}

static void damaged_store_is_moved_aside(void)
{
    cuzk_store_report report;
    struct stat st;
    char garbage[8192];
    make_store(10);
    test_bytes(garbage, sizeof(garbage));
    CHECK(stat(path(), &st) == 0);
    memset(garbage, 0x5a, 4096);
    write_at(path(), 4096, garbage, 4096);
    cuzk_job_store s = open_store(&report);
    CHECK(strstr(report.moved_to, ".damaged-") != NULL);
    CHECK(report.damage[0] != '\0');
    CHECK_U64(report.unfinished, 0);
    CHECK(put(&s, 1, NULL) == CUZK_OK); /* the fresh one works */
    s.destroy(s.arg);
    CHECK(access(report.moved_to, F_OK) == 0);
    char inputs[700];
    (void)snprintf(inputs, sizeof(inputs), "%s.inputs/5", report.moved_to);
    CHECK(access(inputs, F_OK) == 0);

    const int fd = open(path(), O_WRONLY | O_TRUNC); /* not a database at all */
    CHECK(fd >= 0 && write(fd, "what is this", 12) == 12 && close(fd) == 0);
    s = open_store(&report);
    CHECK(strstr(report.moved_to, ".damaged-") != NULL);
    s.destroy(s.arg);
    CHECK(truncate(path(), 0) == 0); /* an empty file is a fresh store */
    s = open_store(&report);
    CHECK_STR(report.moved_to, "");
    s.destroy(s.arg);
}

static void ignore_job(void *arg, const cuzk_job_record *r)
{
    (void)r;
    ++*(size_t *)arg;
}

/* Some bytes anywhere: never a crash, and never a job that is not what was put. */
static void random_damage(void)
{
    make_store(10);
    size_t n = 0, moved = 0;
    uint8_t *whole = test_read_file(path(), &n);
    for (size_t round = 0; round < test_iters(60); round++) {
        cuzk_store_report report;
        cuzk_job_store s;
        uint8_t bytes[16];
        const cuzk_store_config c = {.path = path()};
        const int fd = open(path(), O_WRONLY | O_TRUNC);
        CHECK(fd >= 0 && write(fd, whole, n) == (ssize_t)n && close(fd) == 0);
        test_bytes(bytes, sizeof(bytes));
        write_at(path(), (off_t)test_below(n - sizeof(bytes)), bytes, 1 + test_below(16));
        cuzk_err err = {0};
        if (cuzk_store_open(&s, &c, &report, &err) != CUZK_OK) {
            CHECK(err.msg[0] != '\0'); /* e.g. the header says: another program's */
            continue;
        }
        moved += report.moved_to[0] != '\0' ? 1 : 0;
        size_t jobs = 0;
        uint64_t next = 0;
        cuzk_ignore(s.load(s.arg, ignore_job, &jobs, &next, NULL));
        cuzk_ignore(s.find(s.arg, "job-3", ignore_job, &jobs, NULL));
        cuzk_ignore(complete(&s, 4));
        cuzk_ignore(put(&s, 4000 + round, NULL));
        cuzk_ignore(s.prune(s.arg, 0, 0, NULL));
        s.destroy(s.arg);
    }
    free(whole);
    CHECK(moved > 0);
}

static void see_lost(void *arg, const cuzk_job_record *r)
{
    *(bool *)arg = r->state == CUZK_JOB_FAILED && strncmp(r->error, "environment: ", 13) == 0;
}

static void lost_inputs_are_reported(void)
{
    char file[512];
    size_t jobs = 0;
    uint64_t next = 0;
    bool lost = false;
    cuzk_err err = {0};
    make_store(20); /* files of 5, 10, 15 and 20 */
    (void)snprintf(file, sizeof(file), "%s.inputs/5", path());
    CHECK(unlink(file) == 0);
    (void)snprintf(file, sizeof(file), "%s.inputs/10", path());
    CHECK(truncate(file, 1000) == 0);
    (void)snprintf(file, sizeof(file), "%s.inputs/15", path());
    write_at(file, 70000, "changed", 7);
    (void)snprintf(file, sizeof(file), "%s.inputs/77", path()); /* never committed */
    const int fd = open(file, O_CREAT | O_WRONLY, 0600);
    CHECK(fd >= 0 && close(fd) == 0);
    cuzk_store_report report;
    cuzk_job_store s = open_store(&report);
    CHECK_U64(report.orphans, 1);
    CHECK_STATUS(s.read(s.arg, 15, ignore_job, &jobs, &err), CUZK_E_DIGEST);
    CHECK_U64(jobs, 0);
    CHECK_OK(s.load(s.arg, ignore_job, &jobs, &next, &err), &err);
    CHECK_U64(jobs, 19 - 3);
    CHECK_OK(s.find(s.arg, "job-5", see_lost, &lost, &err), &err);
    CHECK(lost);
    lost = false;
    CHECK_OK(s.find(s.arg, "job-15", see_lost, &lost, &err), &err);
    CHECK(lost);
    s.destroy(s.arg);
}

static void run_sql(const char *sql)
{
    sqlite3 *db = NULL;
    CHECK(sqlite3_open(path(), &db) == SQLITE_OK);
    CHECK(sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK);
    CHECK(sqlite3_close(db) == SQLITE_OK);
}

static void foreign_databases_are_left_alone(void)
{
    cuzk_job_store s;
    cuzk_err err = {0};
    const cuzk_store_config c = {.path = path()};
    run_sql("CREATE TABLE theirs(a); INSERT INTO theirs VALUES(1)");
    CHECK_STATUS(cuzk_store_open(&s, &c, NULL, &err), CUZK_E_INVALID);
    run_sql("INSERT INTO theirs VALUES(2)");
    CHECK(unlink(path()) == 0);
}

static const cuzk_case cases[] = {
    CASE(killed_at_random_moments),        CASE(disk_full),     CASE(full_disk_keeps_results),
    CASE(damaged_store_is_moved_aside),    CASE(random_damage), CASE(lost_inputs_are_reported),
    CASE(foreign_databases_are_left_alone)};
TEST_MAIN("store/damage", cases)
