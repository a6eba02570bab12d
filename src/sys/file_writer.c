/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The temporary file lies in the target's folder, so that the rename stays inside one file system.
 * Without replacing, RENAME_NOREPLACE (or link, which fails on an existing name too) decides
 * between two writers of one name; the check at open only spares the work of writing.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/entropy.h"
#include "sys/file.h"

#include "path_internal.h"

#define BUFFER_BYTES ((size_t)256 << 10)
#define WAIT_STEP_MS 100
#define WRITE_MAX    ((size_t)1 << 30) /* Linux writes at most 2 GiB less a page at once */
#define TEMP_CHARS   32u
#define TEMP_TRIES   16

struct cuzk_file_writer {
    int fd;
    bool replace;
    bool direct; /* standard output or a device: no temporary file */
    bool waits;  /* direct, and a write may have to wait for a reader */
    bool close_fd;
    cuzk_status failed; /* a write failed; commit repeats it */
    int failed_os;
    size_t used;
    uint8_t *buf; /* [BUFFER_BYTES] */
    char *target;
    char *temp;                   /* NULL when direct */
    char shown[CUZK_SHOWN_BYTES]; /* target, for messages */
};

static void free_writer(cuzk_file_writer *w)
{
    if (w->close_fd && w->fd >= 0) {
        (void)close(w->fd);
    }
    cuzk_free(w->temp);
    cuzk_free(w->target);
    cuzk_free(w->buf);
    cuzk_free(w);
}

/* Length of the folder part of path, its slash included. */
static size_t dir_chars(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? 0 : (size_t)(slash - path) + 1;
}

static cuzk_status open_temp(cuzk_file_writer *w, mode_t mode, cuzk_err *err)
{
    const size_t dir = dir_chars(w->target);
    w->temp = cuzk_alloc(dir + TEMP_CHARS, 1);
    if (w->temp == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "%s: no memory for a writer", w->shown);
    }
    memcpy(w->temp, w->target, dir);
    for (int i = 0; i < TEMP_TRIES; i++) {
        uint64_t r;
        CUZK_TRY(cuzk_entropy(&r, sizeof(r), err));
        (void)snprintf(w->temp + dir, TEMP_CHARS, ".cuzk-%016" PRIx64 ".tmp", r);
        w->fd = open(w->temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (w->fd >= 0 || errno != EEXIST) {
            break;
        }
    }
    if (w->fd < 0) {
        const int os = errno;
        return CUZK_FAIL_OS(err, cuzk_path_status(os), os,
                            "%s: cannot create a file in its folder: %s", w->shown,
                            cuzk_os_text(os));
    }
    w->close_fd = true;
    if (mode != 0) { /* a replaced file keeps its permissions; failing that, umask's */
        (void)fchmod(w->fd, mode);
    }
    return CUZK_OK;
}

/* Writing fd may have to wait for a reader: a pipe, a socket, a terminal. */
static bool may_wait(int fd)
{
    struct stat st;
    return fstat(fd, &st) == 0 && !S_ISREG(st.st_mode);
}

static cuzk_status interrupted(const cuzk_file_writer *w, const char *doing, cuzk_err *err)
{
    return CUZK_FAIL(err, CUZK_E_CANCELLED, "%s: interrupted while %s", w->shown, doing);
}

/* A named pipe is waited for until somebody reads it. */
static cuzk_status open_direct(cuzk_file_writer *w, cuzk_err *err)
{
    w->direct = true;
    while ((w->fd = open(w->target, O_WRONLY | O_CLOEXEC | O_NONBLOCK)) < 0 && errno == ENXIO) {
        struct stat st;
        if (stat(w->target, &st) != 0 || !S_ISFIFO(st.st_mode)) {
            errno = ENXIO;
            break;
        }
        if (cuzk_file_is_interrupted()) {
            return interrupted(w, "nobody read it", err);
        }
        (void)poll(NULL, 0, WAIT_STEP_MS);
    }
    if (w->fd < 0) {
        const int os = errno;
        return CUZK_FAIL_OS(err, cuzk_path_status(os), os, "%s: cannot open: %s", w->shown,
                            cuzk_os_text(os));
    }
    w->close_fd = true;
    w->waits = may_wait(w->fd);
    return CUZK_OK;
}

/* Replacing through a symbolic link replaces the file behind it and keeps the link. */
static cuzk_status follow_link(cuzk_file_writer *w, cuzk_err *err)
{
    char resolved[4096];
    if (realpath(w->target, resolved) == NULL) {
        const int os = errno;
        return CUZK_FAIL_OS(err, cuzk_path_status(os), os, "%s: cannot resolve: %s", w->shown,
                            cuzk_os_text(os));
    }
    char *copy = cuzk_path_copy(resolved);
    if (copy == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "%s: no memory for a writer", w->shown);
    }
    cuzk_free(w->target);
    w->target = copy;
    return CUZK_OK;
}

static cuzk_status open_target(cuzk_file_writer *w, cuzk_err *err)
{
    struct stat ls, st;
    if (strcmp(w->target, "-") == 0) {
        w->fd = STDOUT_FILENO;
        w->direct = true;
        w->waits = may_wait(w->fd);
        (void)snprintf(w->shown, sizeof(w->shown), "standard output");
        return CUZK_OK;
    }
    if (lstat(w->target, &ls) != 0) {
        if (errno != ENOENT) {
            const int os = errno;
            return CUZK_FAIL_OS(err, cuzk_path_status(os), os, "%s: cannot stat: %s", w->shown,
                                cuzk_os_text(os));
        }
        if (w->target[0] == '\0' || w->target[strlen(w->target) - 1] == '/') {
            return CUZK_FAIL(err, CUZK_E_INVALID, "\"%s\": names no file", w->shown);
        }
        return open_temp(w, 0, err);
    }
    if (stat(w->target, &st) != 0) {
        const int os = errno;
        if (S_ISLNK(ls.st_mode) && (os == ENOENT || os == ENOTDIR)) {
            return CUZK_FAIL_OS(err, w->replace ? CUZK_E_NOT_FOUND : CUZK_E_EXISTS, os,
                                "%s: dangling symbolic link; refusing to write", w->shown);
        }
        return CUZK_FAIL_OS(err, cuzk_path_status(os), os, "%s: cannot stat: %s", w->shown,
                            cuzk_os_text(os));
    }
    if (S_ISDIR(st.st_mode)) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "%s: is a directory", w->shown);
    }
    if (!S_ISREG(st.st_mode)) { /* /dev/null, a named pipe: nothing to overwrite */
        return open_direct(w, err);
    }
    if (!w->replace) {
        return CUZK_FAIL(err, CUZK_E_EXISTS, "%s: file exists; refusing to overwrite", w->shown);
    }
    if (S_ISLNK(ls.st_mode)) {
        CUZK_TRY(follow_link(w, err));
    }
    return open_temp(w, st.st_mode & 07777, err);
}

cuzk_status cuzk_file_writer_open(cuzk_file_writer **out, const char *path, bool replace,
                                  cuzk_err *err)
{
    char shown[CUZK_SHOWN_BYTES];
    cuzk_file_writer *w = cuzk_alloc_zero(1, sizeof(*w));
    if (w != NULL) {
        w->fd = -1;
        w->replace = replace;
        w->buf = cuzk_alloc(BUFFER_BYTES, 1);
        w->target = cuzk_path_copy(path);
    }
    if (w == NULL || w->buf == NULL || w->target == NULL) {
        if (w != NULL) {
            free_writer(w);
        }
        return CUZK_FAIL(err, CUZK_E_NOMEM, "%s: no memory for a writer",
                         cuzk_path_shown(shown, path));
    }
    (void)cuzk_path_shown(w->shown, path);
    const cuzk_status st = open_target(w, err);
    if (st != CUZK_OK) {
        free_writer(w);
        return st;
    }
    *out = w;
    return CUZK_OK;
}

static cuzk_status write_failed(const cuzk_file_writer *w, cuzk_err *err)
{
    if (w->failed == CUZK_E_CANCELLED) {
        return interrupted(w, "it was written", err);
    }
    return CUZK_FAIL_OS(err, w->failed, w->failed_os, "%s: cannot write: %s", w->shown,
                        cuzk_os_text(w->failed_os));
}

/* Until the reader has made room for PIPE_BUF bytes; false: interrupted before. */
static bool wait_writable(int fd)
{
    for (;;) {
        struct pollfd p = {.fd = fd, .events = POLLOUT};
        const int n = poll(&p, 1, WAIT_STEP_MS);
        if (n > 0 || (n < 0 && errno != EINTR)) {
            return true; /* write says what is wrong */
        }
        if (cuzk_file_is_interrupted()) {
            return false;
        }
    }
}

static cuzk_status write_out(cuzk_file_writer *w, const uint8_t *p, size_t n, cuzk_err *err)
{
    const size_t most = w->waits ? PIPE_BUF : WRITE_MAX;
    while (n > 0) {
        if (w->waits && !wait_writable(w->fd)) {
            w->failed = CUZK_E_CANCELLED;
            return write_failed(w, err);
        }
        const ssize_t put = write(w->fd, p, n < most ? n : most);
        if (put < 0) {
            if (errno == EINTR || (errno == EAGAIN && w->waits)) {
                continue;
            }
            w->failed = CUZK_E_IO;
            w->failed_os = errno;
            return write_failed(w, err);
        }
        p += put;
        n -= (size_t)put;
    }
    return CUZK_OK;
}

static cuzk_status flush(cuzk_file_writer *w, cuzk_err *err)
{
    const size_t n = w->used;
    w->used = 0;
    return write_out(w, w->buf, n, err);
}

cuzk_status cuzk_file_writer_write(cuzk_file_writer *w, const void *data, size_t n, cuzk_err *err)
{
    if (w->failed != CUZK_OK) {
        return write_failed(w, err);
    }
    if (n == 0) {
        return CUZK_OK;
    }
    if (n > BUFFER_BYTES - w->used) {
        CUZK_TRY(flush(w, err));
    }
    if (n >= BUFFER_BYTES) {
        return write_out(w, data, n, err);
    }
    memcpy(w->buf + w->used, data, n);
    w->used += n;
    return CUZK_OK;
}

/* 0 or errno. The name must be new unless the writer replaces. */
static int publish(const cuzk_file_writer *w)
{
    if (w->replace) {
        return rename(w->temp, w->target) == 0 ? 0 : errno;
    }
    if (renameat2(AT_FDCWD, w->temp, AT_FDCWD, w->target, RENAME_NOREPLACE) == 0) {
        return 0;
    }
    if (errno != EINVAL && errno != ENOSYS) {
        return errno;
    }
    if (link(w->temp, w->target) != 0) {
        return errno;
    }
    (void)unlink(w->temp);
    return 0;
}

/* The new name survives a power cut. The file is whole and visible by now, so a file system that
 * cannot sync folders is no failure. */
static void sync_folder(const cuzk_file_writer *w)
{
    const size_t n = dir_chars(w->temp);
    w->temp[n] = '\0'; /* the name is not needed any more */
    const int fd = open(n == 0 ? "." : w->temp, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        (void)fsync(fd);
        (void)close(fd);
    }
}

static cuzk_status finish(cuzk_file_writer *w, cuzk_err *err)
{
    if (w->failed != CUZK_OK) {
        return write_failed(w, err);
    }
    CUZK_TRY(flush(w, err));
    if (w->temp != NULL && fsync(w->fd) != 0) {
        const int os = errno;
        return CUZK_FAIL_OS(err, CUZK_E_IO, os, "%s: cannot sync: %s", w->shown, cuzk_os_text(os));
    }
    if (w->close_fd) { /* network file systems report a lost write here */
        const int fd = w->fd;
        w->fd = -1;
        if (close(fd) != 0 && errno != EINTR) {
            const int os = errno;
            return CUZK_FAIL_OS(err, CUZK_E_IO, os, "%s: cannot close: %s", w->shown,
                                cuzk_os_text(os));
        }
    }
    if (w->temp != NULL) {
        const int os = publish(w);
        if (os == EEXIST) {
            return CUZK_FAIL_OS(err, CUZK_E_EXISTS, os, "%s: file exists; refusing to overwrite",
                                w->shown);
        }
        if (os != 0) {
            return CUZK_FAIL_OS(err, CUZK_E_IO, os, "%s: cannot rename the written file: %s",
                                w->shown, cuzk_os_text(os));
        }
        sync_folder(w);
    }
    return CUZK_OK;
}

cuzk_status cuzk_file_writer_remove_old(cuzk_file_writer *w, cuzk_err *err)
{
    if (w->temp == NULL || !w->replace || unlink(w->target) == 0 || errno == ENOENT) {
        return CUZK_OK;
    }
    const int os = errno;
    return CUZK_FAIL_OS(err, CUZK_E_IO, os, "%s: cannot remove the old file: %s", w->shown,
                        cuzk_os_text(os));
}

cuzk_status cuzk_file_writer_commit(cuzk_file_writer *w, cuzk_err *err)
{
    const cuzk_status st = finish(w, err);
    if (st != CUZK_OK) {
        cuzk_file_writer_abort(w);
        return st;
    }
    free_writer(w);
    return CUZK_OK;
}

void cuzk_file_writer_abort(cuzk_file_writer *w)
{
    if (w == NULL) {
        return;
    }
    if (w->temp != NULL) {
        (void)unlink(w->temp);
    }
    free_writer(w);
}

cuzk_status cuzk_file_write_all(const char *path, const void *data, size_t n, bool replace,
                                cuzk_err *err)
{
    cuzk_file_writer *w = NULL;
    CUZK_TRY(cuzk_file_writer_open(&w, path, replace, err));
    const cuzk_status st = cuzk_file_writer_write(w, data, n, err);
    if (st != CUZK_OK) {
        cuzk_file_writer_abort(w);
        return st;
    }
    return cuzk_file_writer_commit(w, err);
}
