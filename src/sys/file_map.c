/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "sys/file.h"

#include "path_internal.h"

#define FIRST_READ ((size_t)64 << 10)

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
    return CUZK_FAIL_OS(err, CUZK_E_IO, os, "%s: cannot open: %s", shown, cuzk_os_text(os));
}

/* Whole rest of fd into a heap block, *n its size; NULL block for no bytes. */
static cuzk_status read_all(int fd, uint8_t **data, size_t *n, const char *path, cuzk_err *err)
{
    char shown[CUZK_SHOWN_BYTES];
    uint8_t *buf = NULL;
    size_t cap = 0, have = 0;
    for (;;) {
        if (have == cap) {
            const size_t want = cap == 0 ? FIRST_READ : 2 * cap;
            uint8_t *grown = cuzk_realloc(buf, want, 1);
            if (grown == NULL) {
                cuzk_free(buf);
                return CUZK_FAIL(err, CUZK_E_NOMEM, "%s: no memory for %zu bytes",
                                 cuzk_path_shown(shown, path), want);
            }
            buf = grown;
            cap = want;
        }
        const ssize_t got = read(fd, buf + have, cap - have);
        if (got > 0) {
            have += (size_t)got;
        } else if (got == 0) {
            break;
        } else if (errno != EINTR) {
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

static cuzk_status fill(cuzk_map *m, int fd, const char *path, bool stream, cuzk_err *err)
{
    char shown[CUZK_SHOWN_BYTES];
    struct stat st;
    if (fstat(fd, &st) != 0) {
        const int os = errno;
        return CUZK_FAIL_OS(err, CUZK_E_IO, os, "%s: cannot stat: %s", cuzk_path_shown(shown, path),
                            cuzk_os_text(os));
    }
    if (S_ISDIR(st.st_mode)) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "%s: is a directory", cuzk_path_shown(shown, path));
    }
    if (!stream && S_ISREG(st.st_mode) && st.st_size > 0) {
        void *p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (p != MAP_FAILED) {
            m->data = p;
            m->size = (size_t)st.st_size;
            return CUZK_OK;
        }
        if (errno != ENODEV && errno != EACCES) { /* else: a file system without mmap */
            const int os = errno;
            return CUZK_FAIL_OS(err, os == ENOMEM ? CUZK_E_NOMEM : CUZK_E_IO, os,
                                "%s: cannot map %lld bytes: %s", cuzk_path_shown(shown, path),
                                (long long)st.st_size, cuzk_os_text(os));
        }
    }
    uint8_t *data = NULL; /* size 0 included: files under /proc have content all the same */
    CUZK_TRY(read_all(fd, &data, &m->size, path, err));
    m->data = data;
    m->from_heap = data != NULL;
    return CUZK_OK;
}

cuzk_status cuzk_map_open(cuzk_map *out, const char *path, cuzk_err *err)
{
    const bool is_stdin = strcmp(path, "-") == 0;
    const char *name = is_stdin ? "standard input" : path;
    cuzk_map m = {NULL, 0, NULL, false};
    m.path = cuzk_path_copy(name);
    if (m.path == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory to open a file");
    }
    const int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        const int os = errno;
        cuzk_free(m.path);
        return open_failed(path, os, err);
    }
    /* Standard input may be a file that is already read in part, so it is never mapped. */
    const cuzk_status st = fill(&m, fd, name, is_stdin, err);
    if (!is_stdin) {
        (void)close(fd);
    }
    if (st != CUZK_OK) {
        cuzk_free(m.path);
        return st;
    }
    *out = m;
    return CUZK_OK;
}

/* data + offset without its const, which is a promise to readers and not to the owner. */
static void *own(const cuzk_map *m, size_t offset)
{
    const uint8_t *at = m->data + offset;
    void *p;
    memcpy(&p, &at, sizeof(p));
    return p;
}

void cuzk_map_close(cuzk_map *m)
{
    if (m->data != NULL) {
        void *p = own(m, 0);
        if (m->from_heap) {
            cuzk_free(p);
        } else {
            (void)munmap(p, m->size);
        }
    }
    cuzk_free(m->path);
    *m = (cuzk_map){NULL, 0, NULL, false};
}

void cuzk_map_advise(const cuzk_map *m, size_t offset, size_t bytes, cuzk_map_advice advice)
{
    static const int advices[] = {
        [CUZK_MAP_SEQUENTIAL] = MADV_SEQUENTIAL,
        [CUZK_MAP_RANDOM] = MADV_RANDOM,
        [CUZK_MAP_WILLNEED] = MADV_WILLNEED,
        [CUZK_MAP_DONTNEED] = MADV_DONTNEED,
    };
    if (m->data == NULL || m->from_heap || offset >= m->size) {
        return;
    }
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t end = bytes < m->size - offset ? offset + bytes : m->size;
    const size_t begin = offset & ~(page - 1); /* the mapping itself starts on a page */
    (void)madvise(own(m, begin), end - begin, advices[advice]);
}
