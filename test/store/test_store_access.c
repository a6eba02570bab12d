/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* A store that cannot be written: the message names the file and the reason, and the status is the machine's. */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store_jobs.h"
#include "test.h"

#define OTHER_USER 65534

static const char *folder(void)
{
    static char f[400];
    (void)snprintf(f, sizeof(f), "%s/state", test_tmpdir());
    return f;
}

static void file_of(char out[600], const char *suffix)
{
    (void)snprintf(out, 600, "%s/jobs.db%s", folder(), suffix);
}

/* A store with a job whose input is a file, closed again. */
static cuzk_status make_store(cuzk_err *err)
{
    char file[600];
    cuzk_job_store s;
    job j;
    file_of(file, "");
    const cuzk_store_config c = {.path = file};
    CUZK_TRY(cuzk_store_open(&s, &c, NULL, err));
    job_make(&j, 1, true);
    const cuzk_status st = s.put(s.arg, &j.record, err);
    job_free(&j);
    s.destroy(s.arg);
    return st;
}

static cuzk_status open_again(cuzk_err *err)
{
    char file[600];
    cuzk_job_store s;
    file_of(file, "");
    const cuzk_store_config c = {.path = file};
    const cuzk_status st = cuzk_store_open(&s, &c, NULL, err);
    if (st == CUZK_OK) {
        s.destroy(s.arg);
    }
    return st;
}

/* named: the file that the message has to name; os: the reason. */
static bool is_said(cuzk_status st, const cuzk_err *err, const char *named, int os)
{
    char wanted[700];
    (void)snprintf(wanted, sizeof(wanted), "%s cannot be written: %s", named, strerror(os));
    if (st == CUZK_E_IO && cuzk_status_is_retryable(st) && err->os_code == os &&
        strstr(err->msg, wanted) != NULL) {
        return true;
    }
    (void)fprintf(stderr, "got %s: %s\n", cuzk_status_name(st), err->msg);
    return false;
}

/* As a user whom permissions hold back; false: this one cannot become such a user. */
static bool become_other(void)
{
    char probe[600];
    if (geteuid() != 0) {
        return true;
    }
    (void)snprintf(probe, sizeof(probe), "%s/probe", test_tmpdir());
    if (chown(test_tmpdir(), OTHER_USER, (gid_t)-1) != 0 || seteuid(OTHER_USER) != 0) {
        return false;
    }
    const int fd = open(probe, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    return fd >= 0 && close(fd) == 0 && unlink(probe) == 0;
}

static void become_self(void)
{
    if (getuid() == 0) {
        CHECK(seteuid(0) == 0);
    }
}

static void permissions_are_named(void)
{
    static const struct {
        const char *suffix;
        mode_t mode, back;
    } rows[] = {{"", 0400, 0600},
                {"", 0200, 0600},
                {".mark", 0400, 0600},
                {".reserve", 0400, 0600},
                {".reserve-winning", 0400, 0600},
                {".inputs", 0500, 0700}};
    cuzk_err err = {0};
    char file[600];
    const bool can = become_other();
    if (!can) {
        become_self();
        cuzk_test_skip("no other user here");
    }
    CHECK(mkdir(folder(), 0700) == 0);
    CHECK_OK(make_store(&err), &err);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        file_of(file, rows[i].suffix);
        CHECK(chmod(file, rows[i].mode) == 0);
        const cuzk_status st = open_again(&err);
        CHECK(chmod(file, rows[i].back) == 0);
        CHECK_MSG(is_said(st, &err, file, EACCES), "%s", file);
    }
    /* a folder in which nothing can be made: with the store in it, and without */
    CHECK(chmod(folder(), 0500) == 0);
    cuzk_status st = open_again(&err);
    CHECK(chmod(folder(), 0700) == 0);
    CHECK(is_said(st, &err, folder(), EACCES));
    CHECK_OK(open_again(&err), &err);
    file_of(file, "");
    CHECK(unlink(file) == 0);
    CHECK(chmod(folder(), 0500) == 0);
    st = open_again(&err);
    CHECK(chmod(folder(), 0700) == 0);
    CHECK(is_said(st, &err, folder(), EACCES));
    become_self();
}

static void another_owner_is_named(void)
{
    cuzk_err err = {0};
    char file[600];
    if (geteuid() != 0 || chmod(test_tmpdir(), 0777) != 0) {
        cuzk_test_skip("needs root");
    }
    CHECK(mkdir(folder(), 0700) == 0);
    CHECK_OK(make_store(&err), &err);
    CHECK(chown(folder(), OTHER_USER, (gid_t)-1) == 0 && seteuid(OTHER_USER) == 0);
    file_of(file, "");
    const cuzk_status st = access(test_tmpdir(), X_OK) == 0 ? open_again(&err) : CUZK_E_CANCELLED;
    CHECK(seteuid(0) == 0);
    CHECK(st == CUZK_E_CANCELLED || is_said(st, &err, file, EACCES));
    CHECK(st == CUZK_E_CANCELLED ||
          strstr(err.msg, "(it belongs to user 0, mode 0600; this process runs as user 65534)") !=
              NULL);
}

/* 0, 77: such a mount cannot be made here, or what failed. */
static int live_on_a_read_only_mount(void)
{
    cuzk_err err = {0};
    char file[600];
    if (unshare(CLONE_NEWNS) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) {
        return 77;
    }
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("none", folder(), "tmpfs", 0, "size=32m") != 0) {
        return 77;
    }
    if (make_store(&err) != CUZK_OK) {
        return 1;
    }
    if (mount("none", folder(), "tmpfs", MS_REMOUNT | MS_RDONLY, "size=32m") != 0) {
        return 77;
    }
    file_of(file, "");
    cuzk_status st = open_again(&err);
    if (!is_said(st, &err, file, EROFS)) {
        return 2;
    }
    if (mount("none", folder(), "tmpfs", MS_REMOUNT, "size=32m") != 0 || unlink(file) != 0 ||
        mount("none", folder(), "tmpfs", MS_REMOUNT | MS_RDONLY, "size=32m") != 0) {
        return 3;
    }
    file_of(file, ".mark"); /* what an earlier store left */
    st = open_again(&err);
    return is_said(st, &err, file, EROFS) ? 0 : 4;
}

static void a_read_only_mount_is_named(void)
{
    int status = 0;
    CHECK(mkdir(folder(), 0700) == 0);
    const pid_t pid = fork();
    CHECK(pid >= 0);
    if (pid == 0) {
        _exit(live_on_a_read_only_mount());
    }
    CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status));
    if (WEXITSTATUS(status) == 77) {
        cuzk_test_skip("no mounts of its own here");
    }
    CHECK_U64(WEXITSTATUS(status), 0);
}

/* Sets or clears the mark of chattr +i; false: this file system or user has none. */
static bool set_immutable(const char *file, bool on)
{
    int flags = 0;
    const int fd = open(file, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    bool ok = fd >= 0 && ioctl(fd, FS_IOC_GETFLAGS, &flags) == 0;
    flags = on ? flags | FS_IMMUTABLE_FL : flags & ~FS_IMMUTABLE_FL;
    ok = ok && ioctl(fd, FS_IOC_SETFLAGS, &flags) == 0;
    if (fd >= 0) {
        (void)close(fd);
    }
    return ok;
}

static void an_immutable_file_is_named(void)
{
    cuzk_err err = {0};
    char file[600];
    CHECK(mkdir(folder(), 0700) == 0);
    CHECK_OK(make_store(&err), &err);
    file_of(file, "");
    if (!set_immutable(file, true)) {
        cuzk_test_skip("no immutable files here");
    }
    cuzk_status st = open_again(&err);
    CHECK(set_immutable(file, false));
    CHECK(is_said(st, &err, file, EPERM));
    CHECK(set_immutable(folder(), true));
    st = open_again(&err);
    CHECK(set_immutable(folder(), false));
    CHECK(is_said(st, &err, folder(), EPERM));
    CHECK_OK(open_again(&err), &err);
}

/* A fault of the configuration, not of the machine. */
static void a_name_that_no_file_can_have(void)
{
    char path[1000];
    char file[600];
    cuzk_job_store s;
    cuzk_err err = {0};
    const cuzk_store_config c = {.path = path};
    CHECK(mkdir(folder(), 0700) == 0);
    (void)snprintf(path, sizeof(path), "%s/%0250d", folder(), 0); /* PATH-wal has no room */
    CHECK_STATUS(cuzk_store_open(&s, &c, NULL, &err), CUZK_E_INVALID);
    CHECK_MSG(strstr(err.msg, "-journal: no file can have this name: File name too long") != NULL,
              "%s", err.msg);
    file_of(file, "");
    const int fd = open(file, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    CHECK(fd >= 0 && close(fd) == 0);
    (void)snprintf(path, sizeof(path), "%s/jobs.db/of/it", folder());
    CHECK_STATUS(cuzk_store_open(&s, &c, NULL, &err), CUZK_E_INVALID);
    CHECK_MSG(strstr(err.msg, "no file can have this name: Not a directory") != NULL, "%s",
              err.msg);
}

static const cuzk_case cases[] = {
    CASE(permissions_are_named), CASE(another_owner_is_named), CASE(a_name_that_no_file_can_have),
    CASE(a_read_only_mount_is_named), CASE(an_immutable_file_is_named)};
TEST_MAIN("store/access", cases)
