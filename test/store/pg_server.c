/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "pg_server.h"

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

/* In the child: becomes the server's user and runs the program; ends with its parent. */
static void run_program(char *const argv[], const char *log)
{
    const int fd = open(log, O_WRONLY | O_CREAT | O_APPEND, 0644);
    if (fd < 0 || dup2(fd, STDOUT_FILENO) < 0 || dup2(fd, STDERR_FILENO) < 0) {
        _exit(126);
    }
    if (getuid() == 0 && (setgroups(0, NULL) != 0 || setgid(g.gid) != 0 || setuid(g.uid) != 0)) {
        _exit(126);
    }
    (void)prctl(PR_SET_PDEATHSIG, SIGQUIT);
    (void)chdir(g.folder);
    (void)execv(argv[0], argv);
    _exit(127);
}

static pid_t start(char *const argv[])
{
    char log[128];
    (void)snprintf(log, sizeof(log), "%s/log", g.folder);
    const pid_t pid = fork();
    if (pid == 0) {
        run_program(argv, log);
    }
    CHECK(pid > 0);
    return pid;
}

static int remove_entry(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    (void)st;
    (void)kind;
    (void)at;
    (void)remove(path);
    return 0;
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
        (void)nftw(g.folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
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
    g.pid = start(argv);
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

static void set_up(void)
{
    char program[300], data[128];
    int status = 0;
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
    (void)snprintf(program, sizeof(program), "%s/initdb", g.bin);
    (void)snprintf(data, sizeof(data), "%s/data", g.folder);
    char *const argv[] = {program,           (char[]){"-D"},         data,
                          (char[]){"-U"},    (char[]){"cuzk"},       (char[]){"-A"},
                          (char[]){"trust"}, (char[]){"-N"},         (char[]){"-E"},
                          (char[]){"UTF8"},  (char[]){"--locale=C"}, NULL};
    const pid_t pid = start(argv);
    CHECK(waitpid(pid, &status, 0) == pid);
    CHECK_MSG(WIFEXITED(status) && WEXITSTATUS(status) == 0, "initdb failed: see %s/log", g.folder);
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
