/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "pg_server.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <grp.h>
#include <libpq-fe.h>
#include <pwd.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "test.h"

static struct {
    char bin[256];    /* folder of the programs */
    char folder[64];  /* of data and socket */
    char schema[64];  /* of the running case */
    char of_case[64]; /* temporary folder of the case that it belongs to */
    char url[256];
    uid_t uid;
    gid_t gid;
    pid_t pid, owner; /* of the server; of this program */
} g;

static void pause_ms(long ms)
{
    const struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    (void)nanosleep(&t, NULL);
}

/* The newest installed version: Debian's folders, else what is in the path. */
static bool find_programs(void)
{
    glob_t found;
    bool ok = false;
    if (glob("/usr/lib/postgresql/*/bin/postgres", 0, NULL, &found) == 0) {
        const char *last = found.gl_pathv[found.gl_pathc - 1];
        (void)snprintf(g.bin, sizeof(g.bin), "%.*s", (int)(strlen(last) - strlen("/postgres")),
                       last);
        ok = true;
    }
    globfree(&found);
    return ok;
}

static void choose_user(void)
{
    const struct passwd *p = NULL;
    g.uid = getuid();
    g.gid = getgid();
    if (g.uid == 0) {
        p = getpwnam("postgres");
        p = p != NULL ? p : getpwnam("nobody");
        CHECK(p != NULL);
        g.uid = p->pw_uid;
        g.gid = p->pw_gid;
    }
}

/* In the child: becomes the server's user, if it is to, and runs the program; ends with its parent. */
static void run_program(char *const argv[], const char *log, bool as_server)
{
    const int fd = open(log, O_WRONLY | O_CREAT | O_APPEND, 0644);
    if (fd < 0 || dup2(fd, STDOUT_FILENO) < 0 || dup2(fd, STDERR_FILENO) < 0) {
        _exit(126);
    }
    if (as_server && getuid() == 0 &&
        (setgroups(0, NULL) != 0 || setgid(g.gid) != 0 || setuid(g.uid) != 0)) {
        _exit(126);
    }
    (void)prctl(PR_SET_PDEATHSIG, SIGQUIT);
    (void)chdir(g.folder);
    (void)execvp(argv[0], argv);
    _exit(127);
}

static pid_t start(char *const argv[], bool as_server)
{
    char log[128];
    (void)snprintf(log, sizeof(log), "%s/log", g.folder);
    const pid_t pid = fork();
    if (pid == 0) {
        run_program(argv, log, as_server);
    }
    CHECK(pid > 0);
    return pid;
}

/* Whether the program ended with 0. */
static bool run(char *const argv[], bool as_server)
{
    int status = 0;
    const pid_t pid = start(argv, as_server);
    CHECK(waitpid(pid, &status, 0) == pid);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static int remove_entry(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    (void)st;
    (void)kind;
    (void)at;
    (void)remove(path);
    return 0;
}

static void remove_folder(const char *path)
{
    (void)nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

static void stop(int sig)
{
    if (g.pid > 0) {
        (void)kill(g.pid, sig);
        (void)waitpid(g.pid, NULL, 0);
        g.pid = 0;
    }
}

static void clean_up(void)
{
    if (g.owner == getpid()) { /* not in children */
        stop(SIGQUIT);
        remove_folder(g.folder);
    }
}

static void drop_notice(void *arg, const PGresult *r)
{
    (void)arg;
    (void)r;
}

static PGconn *connect_plain(const char *url)
{
    PGconn *c = PQconnectdb(url);
    (void)PQsetNoticeReceiver(c, drop_notice, NULL);
    if (PQstatus(c) != CONNECTION_OK) {
        PQfinish(c);
        return NULL;
    }
    return c;
}

static void start_server(void)
{
    char program[300], data[128], base[160];
    (void)snprintf(program, sizeof(program), "%s/postgres", g.bin);
    (void)snprintf(data, sizeof(data), "%s/data", g.folder);
    (void)snprintf(base, sizeof(base), "postgresql://cuzk@/postgres?host=%s", g.folder);
    /* the tests kill processes, not machines: nothing has to be synced */
    char *const argv[] = {program,
                          (char[]){"-D"},
                          data,
                          (char[]){"-k"},
                          g.folder,
                          (char[]){"-clisten_addresses="},
                          (char[]){"-cfsync=off"},
                          (char[]){"-cmax_connections=200"},
                          (char[]){"-cshared_buffers=32MB"},
                          NULL};
    g.pid = start(argv, true);
    for (int i = 0; i < 6000; i++) { /* five minutes: the machine may be busy */
        PGconn *c = connect_plain(base);
        if (c != NULL) {
            PQfinish(c);
            return;
        }
        CHECK_MSG(waitpid(g.pid, NULL, WNOHANG) == 0, "postgres ended: see %s/log", g.folder);
        pause_ms(50);
    }
    CHECK_MSG(false, "postgres does not answer: see %s/log", g.folder);
}

/* A copy with owners and modes. Partial copies are removed. */
static bool copy_folder(char *from, char *to)
{
    char *const argv[] = {(char[]){"cp"}, (char[]){"-a"}, (char[]){"-T"}, from, to, NULL};
    const bool ok = run(argv, false);
    if (!ok) {
        remove_folder(to);
    }
    return ok;
}

/*
 * The empty data folder: a copy of the one that an earlier test of this build left in CUZK_TEST_PG (a folder of the build; CTest sets it),
 * else made by initdb, and then left there. The name of what is left says how it was made. It appears by a rename, so it is
 * whole, and tests that run at the same time need no lock: the first rename stays.
 */
static void make_data(char *data)
{
    char program[300], left[512], part[520];
    char *const argv[] = {program,           (char[]){"-D"},         data,
                          (char[]){"-U"},    (char[]){"cuzk"},       (char[]){"-A"},
                          (char[]){"trust"}, (char[]){"-N"},         (char[]){"-E"},
                          (char[]){"UTF8"},  (char[]){"--locale=C"}, NULL};
    const char *folder = getenv("CUZK_TEST_PG");
    (void)snprintf(program, sizeof(program), "%s/initdb", g.bin);
    if (folder != NULL) {
        size_t n = (size_t)snprintf(left, sizeof(left), "%s/", folder);
        CHECK(n < sizeof(left));
        for (size_t i = 0; argv[i] != NULL; i++) { /* without slashes: one name */
            const char *word = argv[i] == data ? "" : argv[i];
            for (; *word != '\0' && n + 1 < sizeof(left); word++) {
                left[n++] = *word == '/' ? '_' : *word;
            }
        }
        left[n] = '\0';
        if (access(left, F_OK) == 0 && copy_folder(left, data)) {
            return;
        }
    }
    CHECK_MSG(run(argv, true), "initdb failed: see %s/log", g.folder);
    if (folder != NULL && (mkdir(folder, 0755) == 0 || errno == EEXIST)) {
        (void)snprintf(part, sizeof(part), "%s.XXXXXX", left);
        if (mkdtemp(part) != NULL && copy_folder(data, part) && rename(part, left) != 0) {
            remove_folder(part);
        }
    }
}

static void set_up(void)
{
    char data[128];
    if (!find_programs()) {
        cuzk_test_skip("PostgreSQL is not installed (tools/deps.sh test installs it)");
    }
    choose_user();
    (void)snprintf(g.folder, sizeof(g.folder), "/tmp/cuzk-pg-XXXXXX");
    CHECK(mkdtemp(g.folder) != NULL);
    g.owner = getpid();
    test_at_exit(clean_up);
    CHECK(chmod(g.folder, 0755) == 0);
    CHECK(getuid() != 0 || chown(g.folder, g.uid, g.gid) == 0);
    (void)snprintf(data, sizeof(data), "%s/data", g.folder);
    make_data(data);
    start_server();
}

const char *pg_server_folder(void)
{
    if (g.pid == 0) {
        set_up();
    }
    return g.folder;
}

const char *pg_server_url(void)
{
    char base[160], sql[128];
    const char *folder = pg_server_folder(), *mine = test_tmpdir();
    if (strcmp(g.of_case, mine) == 0) {
        return g.url;
    }
    (void)snprintf(g.of_case, sizeof(g.of_case), "%s", mine);
    (void)snprintf(g.schema, sizeof(g.schema), "%s", strrchr(mine, '/') + 1);
    (void)snprintf(base, sizeof(base), "postgresql://cuzk@/postgres?host=%s", folder);
    PGconn *c = connect_plain(base);
    CHECK(c != NULL);
    (void)snprintf(sql, sizeof(sql), "CREATE SCHEMA \"%s\"", g.schema);
    PGresult *r = PQexec(c, sql);
    const bool ok = PQresultStatus(r) == PGRES_COMMAND_OK;
    PQclear(r);
    PQfinish(c);
    CHECK(ok);
    (void)snprintf(g.url, sizeof(g.url), "%s&options=-csearch_path%%3D%%22%s%%22", base, g.schema);
    return g.url;
}

void pg_server_restart(void)
{
    stop(SIGQUIT);
    start_server();
}

char *pg_server_sql(const char *sql)
{
    PGconn *c = connect_plain(pg_server_url());
    CHECK(c != NULL);
    PGresult *r = PQexec(c, sql);
    const ExecStatusType st = PQresultStatus(r);
    char why[300];
    (void)snprintf(why, sizeof(why), "%s", PQresultErrorMessage(r));
    char *out = st == PGRES_TUPLES_OK && PQntuples(r) > 0 ? strdup(PQgetvalue(r, 0, 0)) : NULL;
    PQclear(r);
    PQfinish(c);
    CHECK_MSG(st == PGRES_TUPLES_OK || st == PGRES_COMMAND_OK, "%s: %s", sql, why);
    return out;
}
