/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * A full disk must not take the results of jobs that were accepted while it had room, nor keep a
 * WinningPoSt out. Two files of zeros hold the space: PATH.reserve for results and for a start,
 * PATH.reserve-winning for WinningPoSt's jobs. A file goes when its space is needed, and no other job
 * is accepted until both can be made again.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/clock.h"

#include "store_internal.h"

#define FULL_BYTES ((uint64_t)128 << 10) /* free space below which the disk is called full */
#define ROOM_BYTES \
    ((uint64_t)256 << 10) /* and from which it is not, once both reserves are there */

static const struct {
    const char *suffix;
    size_t bytes;
} reserves[STORE_RESERVES] = {{".reserve", STORE_RESERVE_BYTES},
                              {".reserve-winning", STORE_RESERVE_WINNING_BYTES}};

static void path_of(char out[CUZK_STORE_PATH_BYTES + 32], const store *s, store_reserve r)
{
    (void)snprintf(out, CUZK_STORE_PATH_BYTES + 32, "%s%s", s->path, reserves[r].suffix);
}

/* A disk that is full for a moment only, while a log is rotated, is not called full: but for jobs that are
 * refused, and those say so at once. */
#define LOW_NS UINT64_C(5000000000)

/* A plain file of one name, with nothing but zeros: what this program made. */
static bool is_own(int fd, size_t bytes)
{
    static const char zeros[4096];
    char buf[4096];
    struct stat st;
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_nlink != 1 ||
        (uint64_t)st.st_size > bytes) {
        return false;
    }
    for (off_t at = 0; at < st.st_size;) {
        const ssize_t n = pread(fd, buf, sizeof(buf), at);
        if (n <= 0 || memcmp(buf, zeros, (size_t)n) != 0) {
            return false;
        }
        at += n;
    }
    return true;
}

static bool make(const char *path, size_t bytes)
{
    const int fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    if (fd < 0) {
        return false;
    }
    const bool own = is_own(fd, bytes);
    const bool ok = own && posix_fallocate(fd, 0, (off_t)bytes) == 0;
    (void)close(fd);
    if (own && !ok) {
        (void)unlink(path);
    }
    return ok;
}

cuzk_status store_reserves_check(const store *s, cuzk_err *err)
{
    for (int r = 0; r < STORE_RESERVES; r++) {
        char path[CUZK_STORE_PATH_BYTES + 32];
        path_of(path, s, (store_reserve)r);
        const int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        const bool own = fd < 0 || is_own(fd, reserves[r].bytes);
        if (fd >= 0) {
            (void)close(fd);
        }
        if (!own) {
            return CUZK_FAIL(err, CUZK_E_INVALID,
                             "job store: %s is not a file of this store; move it away", path);
        }
    }
    return CUZK_OK;
}

/* Gives unused pages and the log's space back to the file system. */
static void shrink(store *s)
{
    if (s->db != NULL) {
        cuzk_ignore(
            store_exec(s, "PRAGMA incremental_vacuum; PRAGMA wal_checkpoint(TRUNCATE)", NULL));
    }
}

static bool take(store *s, store_reserve r)
{
    char path[CUZK_STORE_PATH_BYTES + 32];
    path_of(path, s, r);
    if (!s->has_reserve[r]) {
        s->has_reserve[r] = make(path, reserves[r].bytes);
        if (!s->has_reserve[r]) {
            shrink(s);
            s->has_reserve[r] = make(path, reserves[r].bytes);
        }
    }
    return s->has_reserve[r];
}

bool store_reserves_take(store *s)
{
    return take(s, STORE_FOR_RESULTS) && take(s, STORE_FOR_WINNING);
}

bool store_reserve_give(store *s, store_reserve r)
{
    char path[CUZK_STORE_PATH_BYTES + 32];
    path_of(path, s, r);
    const int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    const bool own = fd >= 0 && is_own(fd, reserves[r].bytes);
    if (fd >= 0) {
        (void)close(fd);
    }
    const bool gone = own && unlink(path) == 0;
    s->has_reserve[r] = false;
    shrink(s);
    return gone;
}

bool store_is_full_error(const cuzk_err *err)
{
    return err != NULL && (err->os_code == ENOSPC || err->os_code == EDQUOT);
}

/* Under the mutex. */
static uint64_t free_bytes(const store *s)
{
    char folder[CUZK_STORE_PATH_BYTES];
    struct statvfs v;
    store_folder_of(folder, s->path);
    if (statvfs(folder, &v) != 0) {
        return UINT64_MAX;
    }
    return (uint64_t)v.f_bavail * v.f_frsize;
}

void store_set_full(store *s, bool full)
{
    if (atomic_exchange(&s->is_full, full) != full && s->on_full != NULL) {
        s->on_full(s->on_full_arg, full, NULL);
    }
}

void store_set_unwritable(store *s, const cuzk_err *err)
{
    if (!atomic_exchange(&s->is_full, true) && s->on_full != NULL) {
        s->on_full(s->on_full_arg, true, err->msg);
    }
}

void store_note_place(store *s)
{
    struct stat st;
    if (stat(s->path, &st) == 0) {
        s->device = (uint64_t)st.st_dev;
        s->inode = (uint64_t)st.st_ino;
    }
}

cuzk_status store_fail_moved(const store *s, cuzk_err *err)
{
    return CUZK_FAIL(err, CUZK_E_IO,
                     "job store %s: the file was moved, removed or replaced while the daemon runs; "
                     "put it back, or restart the daemon",
                     s->path);
}

bool store_is_in_place(const store *s)
{
    struct stat st;
    return stat(s->path, &st) == 0 && (uint64_t)st.st_dev == s->device &&
           (uint64_t)st.st_ino == s->inode;
}

/* Whether jobs can be taken (again); what is wrong goes to on_full. Under the mutex. */
static void look_at_file(store *s)
{
    cuzk_err err = {.code = CUZK_OK};
    if (!store_is_in_place(s)) {
        cuzk_ignore(store_fail_moved(s, &err));
        store_set_unwritable(s, &err);
    } else if (atomic_load(&s->is_full) && store_reserves_take(s) && free_bytes(s) >= ROOM_BYTES &&
               store_check_writable(s, &err) == CUZK_OK) {
        store_set_full(s, false);
    }
}

void cuzk_store_look(const cuzk_job_store *js, cuzk_store_state *out)
{
    store *s = js->arg;
    uint64_t pages = 0, page_bytes = 0;
    (void)pthread_mutex_lock(&s->mutex);
    const uint64_t before = free_bytes(s), now = cuzk_clock_ns();
    if (before >= FULL_BYTES) {
        s->low_since_ns = 0;
    } else if (s->low_since_ns == 0) {
        s->low_since_ns = now;
    }
    if (before < FULL_BYTES) {
        if (now - s->low_since_ns >= LOW_NS) {
            store_set_full(s, true);
        }
    } else {
        look_at_file(s);
    }
    cuzk_ignore(store_query_u64(s, &pages, "PRAGMA page_count", NULL));
    cuzk_ignore(store_query_u64(s, &page_bytes, "PRAGMA page_size", NULL));
    *out = (cuzk_store_state){.is_full = atomic_load(&s->is_full),
                              .database_bytes = pages * page_bytes,
                              .input_bytes = s->file_bytes,
                              .max_bytes = s->max_bytes,
                              .disk_free_bytes = before};
    (void)pthread_mutex_unlock(&s->mutex);
}

bool cuzk_store_is_full(const cuzk_job_store *js)
{
    store *s = js->arg;
    return atomic_load(&s->is_full);
}
