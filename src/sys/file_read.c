/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "sys/file.h"
#include "sys/host_memory.h"
#include "sys/pool.h"

#include "path_internal.h"

#define FIRST_READ ((size_t)64 << 10)
#define UNIT       CUZK_FILE_VIEW_UNIT

struct cuzk_file {
    int fd; /* -1: the bytes are in memory */
    uint8_t *data;
    uint64_t size;
    struct timespec changed; /* when it was opened */
    char *path;
};

const char *cuzk_path_shown(char buf[CUZK_SHOWN_BYTES], const char *path)
{
    const size_t n = strlen(path), cap = CUZK_SHOWN_BYTES - 4;
    if (n <= cap) {
        (void)snprintf(buf, CUZK_SHOWN_BYTES, "%s", path);
    } else {
        (void)snprintf(buf, CUZK_SHOWN_BYTES, "...%s", path + (n - cap));
    }
    return buf;
}

char *cuzk_path_copy(const char *path)
{
    const size_t n = strlen(path) + 1;
    char *p = cuzk_alloc(n, 1);
    if (p != NULL) {
        memcpy(p, path, n);
    }
    return p;
}

cuzk_status cuzk_path_status(int os)
{
    switch (os) {
    case ENOENT:
    case ENOTDIR:
    case ENAMETOOLONG:
    case ELOOP: return CUZK_E_NOT_FOUND;
    case EISDIR:
    case ENXIO: return CUZK_E_INVALID;
    default: return CUZK_E_IO;
    }
}

bool cuzk_path_is_kernels(const char *path)
{
    struct statfs fs;
    return statfs(path, &fs) == 0 && (fs.f_type == PROC_SUPER_MAGIC || fs.f_type == SYSFS_MAGIC);
}

static cuzk_status open_failed(const char *path, int os, cuzk_err *err)
{
    char shown[CUZK_SHOWN_BYTES];
    struct stat st;
    (void)cuzk_path_shown(shown, path);
    if (os == ENOENT || os == ENOTDIR) {
        if (lstat(path, &st) == 0 && S_ISLNK(st.st_mode)) {
            return CUZK_FAIL_OS(err, CUZK_E_NOT_FOUND, os, "%s: dangling symbolic link", shown);
        }
        return CUZK_FAIL_OS(err, CUZK_E_NOT_FOUND, os, "%s: no such file", shown);
    }
    if (os == ENXIO && stat(path, &st) == 0 && S_ISSOCK(st.st_mode)) {
        return CUZK_FAIL_OS(err, CUZK_E_INVALID, os, "%s: is a socket, not a file", shown);
    }
    return CUZK_FAIL_OS(err, cuzk_path_status(os), os, "%s: cannot open: %s", shown,
                        cuzk_os_text(os));
}

static cuzk_status too_much(const char *path, size_t max, cuzk_err *err)
{
    char shown[CUZK_SHOWN_BYTES];
    return CUZK_FAIL(err, CUZK_E_INVALID, "%s: more than the %zu bytes that such a file may have",
                     cuzk_path_shown(shown, path), max);
}

static const cuzk_cancel *_Atomic interrupt;

void cuzk_file_interrupt_by(const struct cuzk_cancel *cancel)
{
    atomic_store(&interrupt, cancel);
}

/* SIGTERM or SIGINT has come and is held back, as a daemon does that reads its signals from a descriptor. */
static bool is_end_pending(void)
{
    sigset_t set;
    return sigpending(&set) == 0 &&
           (sigismember(&set, SIGTERM) == 1 || sigismember(&set, SIGINT) == 1);
}

bool cuzk_file_is_interrupted(void)
{
    return cuzk_cancel_requested(atomic_load(&interrupt)) || is_end_pending();
}

static cuzk_status interrupted(const char *path, cuzk_err *err)
{
    char shown[CUZK_SHOWN_BYTES];
    return CUZK_FAIL(err, CUZK_E_CANCELLED, "%s: interrupted while it was read",
                     cuzk_path_shown(shown, path));
}

/* Until fd has something to read; E_CANCELLED. A named pipe without a writer waits here too. */
static cuzk_status wait_readable(int fd, const char *path, cuzk_err *err)
{
    enum { STEP_MS = 100 };
    for (;;) {
        struct pollfd p = {.fd = fd, .events = POLLIN};
        if (cuzk_file_is_interrupted()) {
            return interrupted(path, err);
        }
        const int n = poll(&p, 1, STEP_MS);
        if (n > 0 || (n < 0 && errno != EINTR)) {
            return CUZK_OK; /* read says what is wrong */
        }
    }
}

/* Whole rest of fd into a heap block, *n its size; NULL block for no bytes. */
static cuzk_status read_all(int fd, uint8_t **data, size_t *n, const char *path, size_t max,
                            cuzk_err *err)
{
    char shown[CUZK_SHOWN_BYTES];
    uint8_t *buf = NULL;
    size_t cap = 0, have = 0;
    for (;;) {
        if (have == cap) {
            const size_t twice = cap == 0 ? FIRST_READ : 2 * cap;
            const size_t want = twice < max ? twice : max + 1; /* a byte more tells of too much */
            uint8_t *grown = cuzk_realloc(buf, want, 1);
            if (grown == NULL) {
                cuzk_free(buf);
                return CUZK_FAIL(err, CUZK_E_NOMEM, "%s: no memory for %zu bytes",
                                 cuzk_path_shown(shown, path), want);
            }
            buf = grown;
            cap = want;
        }
        const cuzk_status st = wait_readable(fd, path, err);
        if (st != CUZK_OK) {
            cuzk_free(buf);
            return st;
        }
        const ssize_t got = read(fd, buf + have, cap - have);
        if (got > 0) {
            have += (size_t)got;
            if (have > max) {
                cuzk_free(buf);
                return too_much(path, max, err);
            }
        } else if (got == 0) {
            break;
        } else if (errno != EINTR && errno != EAGAIN) {
            const int os = errno;
            cuzk_free(buf);
            return CUZK_FAIL_OS(err, CUZK_E_IO, os, "%s: cannot read: %s",
                                cuzk_path_shown(shown, path), cuzk_os_text(os));
        }
    }
    if (have == 0) {
        cuzk_free(buf);
        buf = NULL;
    }
    *data = buf;
    *n = have;
    return CUZK_OK;
}

/* Of a character device: neither a terminal nor /dev/null, which end. */
static bool is_endless(const struct stat *st)
{
    enum { MEMORY_DEVICES = 1, NULL_DEVICE = 3 }; /* Linux: null, zero, full, random, ... */
    return major(st->st_rdev) == MEMORY_DEVICES && minor(st->st_rdev) != NULL_DEVICE;
}

/* What has no size is kept in memory: at most half of what there is. */
static size_t most_in_memory(size_t max)
{
    const uint64_t half = cuzk_host_memory_available() / 2;
    const uint64_t limit = half > CUZK_CONTENT_INPUT ? half : CUZK_CONTENT_INPUT;
    return limit < max ? (size_t)limit : max;
}

/* The rest of fd belongs to f from here on, whatever the outcome. */
static cuzk_status begin(cuzk_file *f, bool is_stdin, size_t max, cuzk_err *err)
{
    char shown[CUZK_SHOWN_BYTES];
    struct stat st;
    size_t n = 0;
    if (fstat(f->fd, &st) != 0) {
        const int os = errno;
        return CUZK_FAIL_OS(err, CUZK_E_IO, os, "%s: cannot stat: %s",
                            cuzk_path_shown(shown, f->path), cuzk_os_text(os));
    }
    if (S_ISDIR(st.st_mode)) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "%s: is a directory",
                         cuzk_path_shown(shown, f->path));
    }
    /* Standard input may be a file that is already read in part; files report size 0 under
     * /proc that have content all the same. */
    if (!is_stdin && S_ISREG(st.st_mode) && st.st_size > 0) {
        f->size = (uint64_t)st.st_size;
        f->changed = st.st_mtim;
        (void)posix_fadvise(f->fd, 0, 0, POSIX_FADV_SEQUENTIAL); /* a hint */
        return CUZK_OK;
    }
    if (S_ISCHR(st.st_mode) && is_endless(&st)) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "%s: is a device without an end, not a file",
                         cuzk_path_shown(shown, f->path));
    }
    CUZK_TRY(read_all(f->fd, &f->data, &n, f->path, most_in_memory(max), err));
    f->size = n;
    if (!is_stdin) {
        (void)close(f->fd);
    }
    f->fd = -1;
    return CUZK_OK;
}

/* max bounds what is read into memory. */
static cuzk_status open_file(cuzk_file **out, const char *path, size_t max, cuzk_err *err)
{
    const bool is_stdin = strcmp(path, "-") == 0;
    cuzk_file *f = cuzk_alloc_zero(1, sizeof(*f));
    char *name = cuzk_path_copy(is_stdin ? "standard input" : path);
    if (f == NULL || name == NULL) {
        cuzk_free(f);
        cuzk_free(name);
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory to open a file");
    }
    f->path = name;
    f->fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const cuzk_status st = f->fd < 0 ? open_failed(path, errno, err) : begin(f, is_stdin, max, err);
    if (st != CUZK_OK) {
        if (is_stdin) {
            f->fd = -1; /* not ours */
        }
        cuzk_file_close(f);
        return st;
    }
    *out = f;
    return CUZK_OK;
}

cuzk_status cuzk_file_open(cuzk_file **out, const char *path, cuzk_err *err)
{
    return open_file(out, path, SIZE_MAX, err);
}

cuzk_status cuzk_file_check_plain(const char *path, cuzk_err *err)
{
    char shown[CUZK_SHOWN_BYTES];
    struct stat st;
    if (stat(path, &st) != 0) {
        return CUZK_OK; /* opening it says what is wrong */
    }
    if (!S_ISREG(st.st_mode)) {
        return CUZK_FAIL(err, CUZK_E_FORMAT, "%s: is not a plain file",
                         cuzk_path_shown(shown, path));
    }
    if (cuzk_path_is_kernels(path)) {
        return CUZK_FAIL(err, CUZK_E_FORMAT, "%s: is a file of the kernel's, not a plain file",
                         cuzk_path_shown(shown, path));
    }
    return CUZK_OK;
}

bool cuzk_file_is_in_memory(const cuzk_file *f)
{
    return f->fd < 0;
}

cuzk_status cuzk_file_dup(cuzk_file **out, const cuzk_file *f, cuzk_err *err)
{
    char shown[CUZK_SHOWN_BYTES];
    if (f->fd < 0) {
        return CUZK_FAIL(err, CUZK_E_UNSUPPORTED, "%s: not a file that can be read again",
                         cuzk_path_shown(shown, f->path));
    }
    cuzk_file *d = cuzk_alloc_zero(1, sizeof(*d));
    char *name = cuzk_path_copy(f->path);
    if (d == NULL || name == NULL) {
        cuzk_free(d);
        cuzk_free(name);
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory to open a file");
    }
    *d = (cuzk_file){.fd = fcntl(f->fd, F_DUPFD_CLOEXEC, 0),
                     .size = f->size,
                     .changed = f->changed,
                     .path = name};
    if (d->fd < 0) {
        const int os = errno;
        cuzk_file_close(d);
        return CUZK_FAIL_OS(err, CUZK_E_IO, os, "%s: cannot open again: %s",
                            cuzk_path_shown(shown, f->path), cuzk_os_text(os));
    }
    *out = d;
    return CUZK_OK;
}

cuzk_status cuzk_file_check(const cuzk_file *f, cuzk_err *err)
{
    char shown[CUZK_SHOWN_BYTES];
    struct stat st;
    if (f->fd < 0) {
        return CUZK_OK;
    }
    if (fstat(f->fd, &st) != 0) {
        const int os = errno;
        return CUZK_FAIL_OS(err, CUZK_E_IO, os, "%s: cannot stat: %s",
                            cuzk_path_shown(shown, f->path), cuzk_os_text(os));
    }
    if ((uint64_t)st.st_size != f->size || st.st_mtim.tv_sec != f->changed.tv_sec ||
        st.st_mtim.tv_nsec != f->changed.tv_nsec) {
        return CUZK_FAIL(err, CUZK_E_IO, "%s: has been changed since it was opened",
                         cuzk_path_shown(shown, f->path));
    }
    return CUZK_OK;
}

void cuzk_file_close(cuzk_file *f)
{
    if (f == NULL) {
        return;
    }
    if (f->fd >= 0) {
        (void)close(f->fd);
    }
    cuzk_free(f->data);
    cuzk_free(f->path);
    cuzk_free(f);
}

uint64_t cuzk_file_size(const cuzk_file *f)
{
    return f->size;
}

cuzk_status cuzk_file_read(const cuzk_file *f, void *dst, uint64_t at, size_t n, cuzk_err *err)
{
    char shown[CUZK_SHOWN_BYTES];
    uint8_t *to = dst;
    size_t done = 0;
    CUZK_ASSERT(at <= f->size && n <= f->size - at);
    if (n > 0 && f->fd < 0) {
        memcpy(to, f->data + at, n);
        return CUZK_OK;
    }
    while (done < n) {
        const ssize_t got = pread(f->fd, to + done, n - done, (off_t)(at + done));
        if (got > 0) {
            done += (size_t)got;
        } else if (got == 0) {
            return CUZK_FAIL(err, CUZK_E_IO,
                             "%s: ends before byte %llu, it had %llu bytes when it was opened",
                             cuzk_path_shown(shown, f->path), (unsigned long long)(at + n),
                             (unsigned long long)f->size);
        } else if (errno != EINTR) {
            const int os = errno;
            return CUZK_FAIL_OS(err, CUZK_E_IO, os, "%s: cannot read at byte %llu: %s",
                                cuzk_path_shown(shown, f->path), (unsigned long long)(at + done),
                                cuzk_os_text(os));
        }
    }
    return CUZK_OK;
}

/* All of f, in pieces: what is large can be interrupted between two. */
static cuzk_status read_pieces(const cuzk_file *f, uint8_t *dst, cuzk_err *err)
{
    const uint64_t piece = (uint64_t)64 << 20;
    for (uint64_t at = 0; at < f->size; at += piece) {
        const uint64_t left = f->size - at;
        if (at > 0 && cuzk_file_is_interrupted()) {
            return interrupted(f->path, err);
        }
        CUZK_TRY(cuzk_file_read(f, dst + at, at, (size_t)(left < piece ? left : piece), err));
    }
    return CUZK_OK;
}

cuzk_status cuzk_content_of(cuzk_content *out, const cuzk_file *f, size_t max, cuzk_err *err)
{
    char shown[CUZK_SHOWN_BYTES];
    cuzk_content c = {.size = (size_t)f->size};
    cuzk_status st = CUZK_OK;
    if (f->size > max) {
        return too_much(f->path, max, err);
    }
    c.path = cuzk_path_copy(f->path);
    if (c.size > 0) {
        c.data = cuzk_alloc(c.size, 1);
    }
    if (c.path == NULL || (c.size > 0 && c.data == NULL)) {
        st = CUZK_FAIL(err, CUZK_E_NOMEM, "%s: no memory for %zu bytes",
                       cuzk_path_shown(shown, f->path), c.size);
    } else {
        st = read_pieces(f, c.data, err);
    }
    if (st != CUZK_OK) {
        cuzk_content_free(&c);
        return st;
    }
    *out = c;
    return CUZK_OK;
}

cuzk_status cuzk_content_read(cuzk_content *out, const char *path, size_t max, cuzk_err *err)
{
    cuzk_file *f;
    CUZK_TRY(open_file(&f, path, max, err));
    const cuzk_status st = cuzk_content_of(out, f, max, err);
    cuzk_file_close(f);
    return st;
}

void cuzk_content_free(cuzk_content *c)
{
    cuzk_free(c->data);
    cuzk_free(c->path);
    *c = (cuzk_content){NULL, 0, NULL};
}

/* Views. */

/* Reserves addresses that begin at a multiple of UNIT. NULL: there are none. */
static uint8_t *take_addresses(uint64_t bytes)
{
    uint8_t *p =
        mmap(NULL, bytes + UNIT, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) {
        return NULL;
    }
    const uint64_t before = (UNIT - (uintptr_t)p % UNIT) % UNIT;
    if (before > 0) {
        (void)munmap(p, before);
    }
    (void)munmap(p + before + bytes, UNIT - before);
    return p + before;
}

cuzk_status cuzk_file_view_open(cuzk_file_view *out, const cuzk_file *f, uint64_t at,
                                uint64_t bytes, cuzk_err *err)
{
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    const uint64_t from = at / UNIT * UNIT;
    const uint64_t until = (at + bytes + page - 1) / page * page;
    char shown[CUZK_SHOWN_BYTES];
    CUZK_ASSERT(bytes > 0 && at <= f->size && bytes <= f->size - at);
    if (f->fd < 0) {
        return CUZK_FAIL(err, CUZK_E_UNSUPPORTED, "%s: is no file that can be mapped",
                         cuzk_path_shown(shown, f->path));
    }
    uint8_t *p = take_addresses(until - from);
    if (p == NULL || mmap(p, until - from, PROT_READ, MAP_SHARED | MAP_FIXED, f->fd, (off_t)from) ==
                         MAP_FAILED) {
        const int os = errno;
        if (p != NULL) {
            (void)munmap(p, until - from);
        }
        return CUZK_FAIL_OS(err, CUZK_E_IO, os, "%s: cannot be mapped: %s",
                            cuzk_path_shown(shown, f->path), cuzk_os_text(os));
    }
    *out = (cuzk_file_view){.p = p, .at = from, .bytes = until - from};
    return CUZK_OK;
}

void cuzk_file_view_forget(uint8_t *p, uint64_t bytes)
{
    (void)madvise(p, bytes, MADV_DONTNEED); /* a hint */
}

void cuzk_file_view_close(cuzk_file_view *v)
{
    if (v->p != NULL) {
        (void)munmap(v->p, v->bytes);
    }
    *v = (cuzk_file_view){.p = NULL};
}
