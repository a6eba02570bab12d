/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The files beside the database. The store opens, changes and removes its own files only: names that
 * it gives itself, plain files, never through a symbolic link.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store_internal.h"

static cuzk_status refuse(const char *path, const char *what, cuzk_err *err)
{
    return CUZK_FAIL(err, CUZK_E_INVALID, "job store: %s %s; the store does not use it", path,
                     what);
}

/* What is there must be of the kind; nothing there is fine. */
static cuzk_status check_kind(const store *s, const char *suffix, bool folder, cuzk_err *err)
{
    char path[CUZK_STORE_PATH_BYTES + 16];
    struct stat st;
    (void)snprintf(path, sizeof(path), "%s%s", s->path, suffix);
    if (lstat(path, &st) != 0) {
        return CUZK_OK; /* what else is wrong shows when it is opened */
    }
    if (S_ISLNK(st.st_mode)) {
        return refuse(path, "is a symbolic link", err);
    }
    if (folder ? !S_ISDIR(st.st_mode) : !S_ISREG(st.st_mode)) {
        return refuse(path, folder ? "is not a folder" : "is not a plain file", err);
    }
    if (!folder && st.st_nlink > 1) {
        return refuse(path, "has a second name (a hard link)", err);
    }
    return CUZK_OK;
}

/* Files that only a store has. Where they are, the database of the same name is this program's, even when it is damaged. */
static bool has_companion(const store *s)
{
    static const char *const names[] = {"-wal", ".reserve", ".reserve-winning", ".mark", ".inputs"};
    char path[CUZK_STORE_PATH_BYTES + 32];
    struct stat st;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        (void)snprintf(path, sizeof(path), "%s%s", s->path, names[i]);
        if (lstat(path, &st) == 0) {
            return true;
        }
    }
    return false;
}

/* A file that never was a database must not be moved aside as a damaged one. */
static cuzk_status check_database(const store *s, cuzk_err *err)
{
    static const char magic[16] = "SQLite format 3";
    char head[sizeof(magic)];
    const int fd = open(s->path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) {
        return CUZK_OK; /* what is wrong shows when it is opened */
    }
    const ssize_t n = read(fd, head, sizeof(head));
    (void)close(fd); /* nothing has locked it yet */
    if (n <= 0 || (n == (ssize_t)sizeof(head) && memcmp(head, magic, sizeof(head)) == 0) ||
        has_companion(s)) {
        return CUZK_OK;
    }
    return refuse(s->path, "is no job store", err);
}

/* --- the mark: the number of the newest accepted job, outside of the database --- */

#define MARK_BYTES 21 /* twenty digits and a line feed */

static int open_mark(const store *s, int flags)
{
    char path[CUZK_STORE_PATH_BYTES + 16];
    (void)snprintf(path, sizeof(path), "%s.mark", s->path);
    return open(path, flags | O_NOFOLLOW | O_CLOEXEC, 0600);
}

/* What a store wrote: at most a number and a line feed, or zeros after a power cut. */
static cuzk_status check_mark(const store *s, cuzk_err *err)
{
    char text[MARK_BYTES + 1], path[CUZK_STORE_PATH_BYTES + 16];
    const int fd = open_mark(s, O_RDONLY | O_NONBLOCK);
    if (fd < 0) {
        return CUZK_OK;
    }
    const ssize_t n = read(fd, text, sizeof(text));
    (void)close(fd);
    bool own = n <= MARK_BYTES;
    for (ssize_t i = 0; i < n && own; i++) {
        own = text[i] == '\0' || text[i] == '\n' || (text[i] >= '0' && text[i] <= '9');
    }
    (void)snprintf(path, sizeof(path), "%s.mark", s->path);
    return own ? CUZK_OK : refuse(path, "is not a file of this store", err);
}

uint64_t store_mark_read(const store *s)
{
    char text[MARK_BYTES + 1] = "";
    const int fd = open_mark(s, O_RDONLY);
    if (fd < 0) {
        return 0;
    }
    const ssize_t n = read(fd, text, MARK_BYTES);
    (void)close(fd);
    if (n != MARK_BYTES || text[MARK_BYTES - 1] != '\n' ||
        strspn(text, "0123456789") != MARK_BYTES - 1) {
        return 0;
    }
    const uint64_t number = strtoull(text, NULL, 10);
    return number < INT64_MAX ? number : 0;
}

void store_mark_write(store *s, uint64_t number)
{
    char text[MARK_BYTES + 1];
    if (number <= s->mark) {
        return;
    }
    if (s->mark_fd < 0) {
        s->mark_fd = open_mark(s, O_WRONLY | O_CREAT);
    }
    (void)snprintf(text, sizeof(text), "%020" PRIu64 "\n", number);
    if (s->mark_fd >= 0 && pwrite(s->mark_fd, text, MARK_BYTES, 0) == MARK_BYTES) {
        s->mark = number;
    }
}

/* --- all of them --- */

static cuzk_status check_file_system(const store *s, cuzk_err *err)
{
    char folder[CUZK_STORE_PATH_BYTES];
    store_folder_of(folder, s->path);
    if (!cuzk_path_is_kernels(folder)) {
        return CUZK_OK; /* what else is wrong shows when it is opened */
    }
    return refuse(s->path, "is in a file system of the kernel's, which keeps no files", err);
}

cuzk_status store_check_files(const store *s, cuzk_err *err)
{
    static const char *const files[] = {
        "", "-wal", "-shm", "-journal", ".reserve", ".reserve-winning", ".mark"};
    CUZK_TRY(check_file_system(s, err));
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        CUZK_TRY(check_kind(s, files[i], false, err));
    }
    CUZK_TRY(check_kind(s, ".inputs", true, err));
    CUZK_TRY(check_mark(s, err));
    return check_database(s, err);
}

/* --- the folder of inputs --- */

static bool is_unfinished(store *s, uint64_t number)
{
    sqlite3_stmt *q = NULL;
    bool found = true; /* when in doubt the file stays */
    if (store_prepare(s, &q, "SELECT 1 FROM job WHERE state < 2 AND number = ?", NULL) == CUZK_OK) {
        (void)sqlite3_bind_int64(q, 1, (sqlite3_int64)number);
        found = sqlite3_step(q) != SQLITE_DONE;
    }
    (void)sqlite3_finalize(q);
    return found;
}

/* The name of a job's input, as store_input_path writes it. */
static bool is_number(const char *name, uint64_t *number)
{
    char again[24];
    char *end = NULL;
    errno = 0;
    *number = strtoull(name, &end, 10);
    (void)snprintf(again, sizeof(again), "%" PRIu64, *number);
    return errno == 0 && *end == '\0' && strcmp(again, name) == 0;
}

/* The temporary name of sys/file.h's writer: ".cuzk-" sixteen hexadecimal digits ".tmp". */
static bool is_temporary(const char *name)
{
    static const char head[] = ".cuzk-", tail[] = ".tmp";
    return strlen(name) == sizeof(head) - 1 + 16 + sizeof(tail) - 1 &&
           strncmp(name, head, sizeof(head) - 1) == 0 &&
           strspn(name + sizeof(head) - 1, "0123456789abcdef") == 16 &&
           strcmp(name + sizeof(head) - 1 + 16, tail) == 0;
}

static bool is_plain_file(int folder, const char *name)
{
    struct stat st;
    return fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode);
}

cuzk_status store_sweep_inputs(store *s, cuzk_store_report *report, cuzk_err *err)
{
    char path[CUZK_STORE_PATH_BYTES + 16];
    (void)snprintf(path, sizeof(path), "%s.inputs", s->path);
    const bool made = mkdir(path, 0700) == 0;
    const int fd =
        made || errno == EEXIST ? open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
    DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
    if (d == NULL) {
        const int os = errno;
        if (fd >= 0) {
            (void)close(fd);
        }
        return CUZK_FAIL_OS(err, CUZK_E_IO, os, "%s: %s", path,
                            strerror(os)); /* NOLINT(concurrency-mt-unsafe) */
    }
    const struct dirent *e;
    while ((e = readdir(d)) != NULL) { /* NOLINT(concurrency-mt-unsafe): d is ours */
        uint64_t number = 0;
        const bool own = is_number(e->d_name, &number);
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) {
            continue;
        }
        if ((!own && !is_temporary(e->d_name)) || !is_plain_file(dirfd(d), e->d_name)) {
            report->strangers++;
        } else if (!own || !is_unfinished(s, number)) {
            report->orphans += unlinkat(dirfd(d), e->d_name, 0) == 0 ? 1 : 0;
        }
    }
    (void)closedir(d);
    return CUZK_OK;
}

/* --- files that cannot be written: SQLite says "disk I/O error" for most of it --- */

/* 0 or errno. For the user that opens files, who may be another than the one that started the program. */
static int why_not(const char *path, int mode)
{
    /* access() where that is the same user: sandboxes know it, and some refuse what faccessat() calls. */
    const bool same = geteuid() == getuid() && getegid() == getgid();
    const int rc = same ? access(path, mode) : faccessat(AT_FDCWD, path, mode, AT_EACCESS);
    return rc == 0 ? 0 : errno;
}

int store_find_unwritable(const store *s, char out[STORE_FILE_BYTES])
{
    static const char *const files[] = {
        "", "-wal", "-shm", "-journal", ".mark", ".reserve", ".reserve-winning"};
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        (void)snprintf(out, STORE_FILE_BYTES, "%s%s", s->path, files[i]);
        const int os = why_not(out, R_OK | W_OK);
        if (os != 0 && os != ENOENT) {
            return os;
        }
    }
    (void)snprintf(out, STORE_FILE_BYTES, "%s.inputs", s->path);
    const int os = why_not(out, R_OK | W_OK | X_OK);
    if (os != 0 && os != ENOENT) {
        return os;
    }
    store_folder_of(out, s->path); /* files are made and removed in it */
    return why_not(out, W_OK | X_OK);
}

/* The end of a long path, so that the message has room for the reason. */
static const char *shown_end(const char *path)
{
    const size_t n = strlen(path), most = 300;
    return n > most ? path + (n - most) : path;
}

cuzk_status store_fail_unwritable(const char *file, int os, cuzk_err *err)
{
    char owner[128] = "";
    struct stat st;
    const char *text = strerror(os); /* NOLINT(concurrency-mt-unsafe): safe in glibc >= 2.32 */
    /* A fault of the configuration; a folder that is missing may be mounted later. */
    if (os != ENOENT && cuzk_path_status(os) != CUZK_E_IO) {
        return CUZK_FAIL_OS(err, CUZK_E_INVALID, os,
                            "job store: %s: no file can have this name: %s", shown_end(file), text);
    }
    if (os == EACCES && stat(file, &st) == 0) {
        (void)snprintf(owner, sizeof(owner),
                       " (it belongs to user %u, mode %04o; this process runs as user %u)",
                       (unsigned)st.st_uid, (unsigned)(st.st_mode & 07777), (unsigned)geteuid());
    } else if (os == EPERM) {
        (void)snprintf(owner, sizeof(owner), " (is it marked immutable? lsattr shows it)");
    }
    return CUZK_FAIL_OS(err, CUZK_E_IO, os, "job store: %s cannot be written: %s%s",
                        shown_end(file), text, owner);
}

cuzk_status store_check_access(const store *s, cuzk_err *err)
{
    char file[STORE_FILE_BYTES];
    const int os = store_find_unwritable(s, file);
    return os == 0 ? CUZK_OK : store_fail_unwritable(file, os, err);
}
