/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/alloc.h"
#include "sys/file.h"

#include "test.h"

static const char *in_tmp(char buf[512], const char *name)
{
    (void)snprintf(buf, 512, "%s/%s", test_tmpdir(), name);
    return buf;
}

static void put(const char *path, const void *data, size_t n)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    CHECK(fd >= 0);
    CHECK(write(fd, data, n) == (ssize_t)n);
    CHECK(close(fd) == 0);
}

static void check_content(const char *path, const void *data, size_t n)
{
    size_t got;
    uint8_t *p = test_read_file(path, &got);
    const bool same = got == n && memcmp(p, data, n) == 0;
    free(p);
    CHECK_MSG(same, "%s: %zu bytes that are not the %zu expected", path, got, n);
}

static size_t entries(void)
{
    size_t n = 0;
    DIR *d = opendir(test_tmpdir());
    CHECK(d != NULL);
    for (const struct dirent *e = readdir(d); e != NULL; e = readdir(d)) {
        n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 ? 1 : 0;
    }
    (void)closedir(d);
    return n;
}

static void content_of_a_file(void)
{
    char path[512];
    cuzk_content c;
    cuzk_err err;
    put(in_tmp(path, "f"), "hello", 5);
    CHECK_OK(cuzk_content_read(&c, path, 5, &err), &err);
    CHECK_U64(c.size, 5);
    CHECK_MEM(c.data, "hello", 5);
    CHECK_STR(c.path, path);
    cuzk_content_free(&c);
    CHECK(c.data == NULL && c.path == NULL);
    cuzk_content_free(&c);
}

static void content_of_an_empty_file(void)
{
    char path[512];
    cuzk_content c;
    put(in_tmp(path, "empty"), "", 0);
    CHECK_OK(cuzk_content_read(&c, path, 0, NULL), NULL);
    CHECK_U64(c.size, 0);
    CHECK(c.data == NULL);
    cuzk_content_free(&c);
}

static void proc_file_has_content(void)
{
    cuzk_content c;
    cuzk_file *f;
    CHECK_OK(cuzk_content_read(&c, "/proc/self/status", CUZK_CONTENT_INPUT, NULL), NULL);
    CHECK(c.size > 10 && memcmp(c.data, "Name:", 5) == 0);
    cuzk_content_free(&c);
    CHECK_OK(cuzk_file_open(&f, "/proc/self/status", NULL), NULL);
    CHECK(cuzk_file_size(f) > 10);
    cuzk_file_close(f);
}

static void too_large_is_refused(void)
{
    char path[512], want[600];
    cuzk_content c;
    cuzk_err err;
    const uint64_t blocks = cuzk_alloc_get_stats().blocks_now;
    put(in_tmp(path, "f"), "hello", 5);
    CHECK_STATUS(cuzk_content_read(&c, path, 4, &err), CUZK_E_INVALID);
    (void)snprintf(want, sizeof(want), "%s: more than the 4 bytes that such a file may have", path);
    CHECK_STR(err.msg, want);
    CHECK_STATUS(cuzk_content_read(&c, "/dev/zero", 1 << 20, &err), CUZK_E_INVALID);
    CHECK_U64(cuzk_alloc_get_stats().blocks_now, blocks);
}

static void parts_are_read_by_position(void)
{
    char path[512];
    uint8_t got[4] = {0};
    cuzk_file *f;
    put(in_tmp(path, "f"), "hello", 5);
    CHECK_OK(cuzk_file_open(&f, path, NULL), NULL);
    CHECK_U64(cuzk_file_size(f), 5);
    CHECK_OK(cuzk_file_read(f, got, 3, 2, NULL), NULL);
    CHECK_MEM(got, "lo", 2);
    CHECK_OK(cuzk_file_read(f, got, 0, 4, NULL), NULL);
    CHECK_MEM(got, "hell", 4);
    CHECK_OK(cuzk_file_read(f, NULL, 5, 0, NULL), NULL);
    cuzk_file_close(f);
    cuzk_file_close(NULL);
}

/* A second handle is the same file, whatever has its name, and both know when it is changed. */
static void handles_of_one_file(void)
{
    char path[512], other[512], want[600];
    uint8_t got[4];
    cuzk_file *f, *d = NULL;
    cuzk_err err;
    put(in_tmp(path, "f"), "hello", 5);
    CHECK_OK(cuzk_file_open(&f, path, NULL), NULL);
    CHECK(!cuzk_file_is_in_memory(f));
    const uint64_t blocks = cuzk_alloc_get_stats().blocks_now;
    cuzk_status st = CUZK_E_NOMEM;
    for (uint64_t n = 1; st != CUZK_OK; n++) {
        cuzk_alloc_fail_nth(n, false);
        st = cuzk_file_dup(&d, f, &err);
        cuzk_alloc_fail_nth(0, false);
        CHECK(st == CUZK_OK || st == CUZK_E_NOMEM);
        CHECK_U64(cuzk_alloc_get_stats().blocks_now, blocks + (st == CUZK_OK ? 2 : 0));
    }
    put(in_tmp(other, "g"), "others", 6);
    CHECK(rename(other, path) == 0);
    cuzk_file_close(f);
    CHECK_OK(cuzk_file_read(d, got, 1, 4, &err), &err);
    CHECK_MEM(got, "ello", 4);
    CHECK_U64(cuzk_file_size(d), 5);
    CHECK_OK(cuzk_file_check(d, &err), &err);
    cuzk_file_close(d);

    CHECK_OK(cuzk_file_open(&f, path, NULL), NULL);
    CHECK_OK(cuzk_file_dup(&d, f, &err), &err);
    CHECK(truncate(path, 2) == 0);
    CHECK_STATUS(cuzk_file_check(d, &err), CUZK_E_IO);
    (void)snprintf(want, sizeof(want), "%s: has been changed since it was opened", path);
    CHECK_STR(err.msg, want);
    CHECK_STATUS(cuzk_file_check(f, &err), CUZK_E_IO);
    cuzk_file_close(d);
    cuzk_file_close(f);

    CHECK_OK(cuzk_file_open(&f, path, NULL), NULL);
    const struct timespec times[2] = {{1000, 0}, {1000, 0}};
    CHECK(utimensat(AT_FDCWD, path, times, 0) == 0);
    CHECK_STATUS(cuzk_file_check(f, &err), CUZK_E_IO);
    cuzk_file_close(f);

    CHECK_OK(cuzk_file_open(&f, "/proc/self/status", NULL), NULL);
    CHECK(cuzk_file_is_in_memory(f));
    CHECK_STATUS(cuzk_file_dup(&d, f, &err), CUZK_E_UNSUPPORTED);
    CHECK_OK(cuzk_file_check(f, &err), &err);
    cuzk_file_close(f);
}

static void errors_name_the_path(void)
{
    char path[512], want[600];
    cuzk_content c;
    cuzk_err err;
    const uint64_t blocks = cuzk_alloc_get_stats().blocks_now;
    CHECK_STATUS(cuzk_content_read(&c, in_tmp(path, "absent"), 1, &err), CUZK_E_NOT_FOUND);
    (void)snprintf(want, sizeof(want), "%s: no such file", path);
    CHECK_STR(err.msg, want);
    CHECK(symlink("nowhere", in_tmp(path, "link")) == 0);
    CHECK_STATUS(cuzk_content_read(&c, path, 1, &err), CUZK_E_NOT_FOUND);
    (void)snprintf(want, sizeof(want), "%s: dangling symbolic link", path);
    CHECK_STR(err.msg, want);
    CHECK_STATUS(cuzk_content_read(&c, test_tmpdir(), 1, &err), CUZK_E_INVALID);
    (void)snprintf(want, sizeof(want), "%s: is a directory", test_tmpdir());
    CHECK_STR(err.msg, want);
    /* what a failing disk answers: EIO */
    CHECK_STATUS(cuzk_content_read(&c, "/proc/self/mem", CUZK_CONTENT_ANY, &err), CUZK_E_IO);
    CHECK(strncmp(err.msg, "/proc/self/mem: cannot read: ", 29) == 0 && err.os_code == EIO);
    CHECK_U64(cuzk_alloc_get_stats().blocks_now, blocks);
}

enum { CUT_PAGES = 4096, CUT_THREADS = 4 };

typedef struct reader {
    const cuzk_file *file;
    const char *path;
    _Atomic unsigned *rounds; /* of all readers, before the cut */
    cuzk_status st;
    cuzk_err err;
} reader;

/* Reads the file again and again, until that fails. */
static void *read_until_cut(void *arg)
{
    static const size_t page = 4096;
    reader *r = arg;
    uint8_t got[4096];
    for (;;) {
        for (size_t i = 0; i < CUT_PAGES; i++) {
            r->st = cuzk_file_read(r->file, got, i * page, page, &r->err);
            if (r->st != CUZK_OK) {
                return NULL;
            }
            if (got[0] != (uint8_t)i || got[page - 1] != (uint8_t)i) {
                return NULL; /* st stays CUZK_OK: the test fails */
            }
        }
        (void)atomic_fetch_add(r->rounds, 1);
    }
}

/* The reason why nothing is mapped: of a mapping, this test is a SIGBUS. */
static void file_cut_short_while_threads_read(void)
{
    static uint8_t data[CUT_PAGES * 4096];
    char path[512], want[600];
    pthread_t t[CUT_THREADS];
    static reader r[CUT_THREADS]; /* static: threads of a case that fails go on */
    static _Atomic unsigned rounds;
    cuzk_file *f;
    cuzk_content c;
    cuzk_err err;
    atomic_store(&rounds, 0);
    for (size_t i = 0; i < sizeof(data); i++) {
        data[i] = (uint8_t)(i / 4096);
    }
    put(in_tmp(path, "cut"), data, sizeof(data));
    CHECK_OK(cuzk_file_open(&f, path, &err), &err);
    for (int i = 0; i < CUT_THREADS; i++) {
        r[i] = (reader){.file = f, .path = path, .rounds = &rounds};
        CHECK(pthread_create(&t[i], NULL, read_until_cut, &r[i]) == 0);
    }
    while (atomic_load(&rounds) < CUT_THREADS) {
        (void)usleep(1000);
    }
    CHECK(truncate(path, (off_t)(sizeof(data) / 2 + 100)) == 0);
    for (int i = 0; i < CUT_THREADS; i++) {
        CHECK(pthread_join(t[i], NULL) == 0);
        CHECK_STATUS(r[i].st, CUZK_E_IO);
        CHECK(cuzk_status_is_retryable(r[i].st));
        (void)snprintf(want, sizeof(want), "%s: ends before byte ", path);
        CHECK_MSG(strncmp(r[i].err.msg, want, strlen(want)) == 0, "%s", r[i].err.msg);
        (void)snprintf(want, sizeof(want), ", it had %zu bytes when it was opened", sizeof(data));
        CHECK_MSG(strstr(r[i].err.msg, want) != NULL, "%s", r[i].err.msg);
    }
    CHECK_STATUS(cuzk_content_of(&c, f, CUZK_CONTENT_ANY, &err), CUZK_E_IO);
    CHECK(strstr(err.msg, path) == err.msg);
    /* what is left can be read, and the whole again when it is back */
    uint8_t last[100];
    CHECK_OK(cuzk_file_read(f, last, sizeof(data) / 2, 100, &err), &err);
    put(path, data, sizeof(data));
    CHECK_OK(cuzk_content_of(&c, f, CUZK_CONTENT_ANY, &err), &err);
    CHECK_MEM(c.data, data, sizeof(data));
    cuzk_content_free(&c);
    cuzk_file_close(f);
}

static void long_path_keeps_the_reason(void)
{
    char path[1000];
    cuzk_content m;
    cuzk_err err;
    memset(path, 'x', sizeof(path));
    for (size_t i = 0; i < sizeof(path); i += 100) {
        path[i] = '/';
    }
    path[999] = '\0';
    CHECK_STATUS(cuzk_content_read(&m, path, 1, &err), CUZK_E_NOT_FOUND);
    CHECK(strstr(err.msg, ": no such file") != NULL);
    CHECK(strncmp(err.msg, "...", 3) == 0);
}

typedef struct feed {
    const char *path;
    const uint8_t *data;
    size_t n;
} feed;

static void *feeder(void *arg)
{
    const feed *f = arg;
    const int fd = open(f->path, O_WRONLY);
    for (size_t done = 0; fd >= 0 && done < f->n;) {
        const ssize_t put_now = write(fd, f->data + done, f->n - done);
        if (put_now <= 0) {
            break;
        }
        done += (size_t)put_now;
    }
    (void)close(fd);
    return NULL;
}

static void pipe_is_read_into_memory(void)
{
    static uint8_t data[300001];
    char path[512];
    cuzk_content m;
    pthread_t t;
    for (size_t i = 0; i < sizeof(data); i++) {
        data[i] = (uint8_t)test_u64();
    }
    CHECK(mkfifo(in_tmp(path, "fifo"), 0600) == 0);
    feed f = {path, data, sizeof(data)};
    CHECK(pthread_create(&t, NULL, feeder, &f) == 0);
    const cuzk_status st = cuzk_content_read(&m, path, CUZK_CONTENT_INPUT, NULL);
    CHECK(pthread_join(t, NULL) == 0);
    CHECK_U64(st, CUZK_OK);
    CHECK_U64(m.size, sizeof(data));
    CHECK_MEM(m.data, data, sizeof(data));
    cuzk_content_free(&m);
}

static void dash_is_standard_input(void)
{
    char path[512];
    cuzk_content m;
    put(in_tmp(path, "in"), "skipped rest", 12);
    const int saved = dup(0), fd = open(path, O_RDONLY);
    CHECK(saved >= 0 && fd >= 0 && lseek(fd, 8, SEEK_SET) == 8 && dup2(fd, 0) == 0);
    const cuzk_status st = cuzk_content_read(&m, "-", CUZK_CONTENT_INPUT, NULL);
    CHECK(dup2(saved, 0) == 0);
    (void)close(saved);
    (void)close(fd);
    CHECK_U64(st, CUZK_OK);
    CHECK_U64(m.size, 4);
    CHECK_MEM(m.data, "rest", 4);
    CHECK_STR(m.path, "standard input");
    cuzk_content_free(&m);
}

static void reading_survives_allocation_failure(void)
{
    static const char *const stream = "/proc/self/status";
    char regular[512];
    const uint64_t blocks = cuzk_alloc_get_stats().blocks_now;
    put(in_tmp(regular, "f"), "hello", 5);
    for (int k = 0; k < 2; k++) {
        uint64_t nth = 1;
        for (;; nth++) {
            cuzk_content c = {NULL, 7, NULL};
            cuzk_alloc_fail_nth(nth, false);
            const cuzk_status st =
                cuzk_content_read(&c, k == 0 ? stream : regular, CUZK_CONTENT_INPUT, NULL);
            cuzk_alloc_fail_nth(0, false);
            if (st == CUZK_OK) {
                cuzk_content_free(&c);
                break;
            }
            CHECK_U64(st, CUZK_E_NOMEM);
            CHECK_U64(c.size, 7);
        }
        CHECK_U64(nth, k == 0 ? 6 : 5); /* file, its path, its bytes if a stream; path, bytes */
    }
    CHECK_U64(cuzk_alloc_get_stats().blocks_now, blocks);
}

static void writer_publishes_at_commit(void)
{
    char path[512];
    static uint8_t big[700000];
    cuzk_file_writer *w = NULL;
    cuzk_err err;
    for (size_t i = 0; i < sizeof(big); i++) {
        big[i] = (uint8_t)test_u64();
    }
    (void)in_tmp(path, "out");
    CHECK_OK(cuzk_file_writer_open(&w, path, false, &err), &err);
    CHECK_OK(cuzk_file_writer_write(w, big, 10, &err), &err);
    CHECK_OK(cuzk_file_writer_write(w, big + 10, 299990, &err), &err);
    CHECK_OK(cuzk_file_writer_write(w, NULL, 0, &err), &err);
    for (size_t i = 300000; i < sizeof(big); i += 1000) {
        CHECK_OK(cuzk_file_writer_write(w, big + i, 1000, &err), &err);
    }
    CHECK(access(path, F_OK) != 0);
    CHECK_OK(cuzk_file_writer_commit(w, &err), &err);
    check_content(path, big, sizeof(big));
    CHECK_U64(entries(), 1);
}

static void abort_leaves_nothing(void)
{
    char path[512];
    cuzk_file_writer *w = NULL;
    CHECK_OK(cuzk_file_writer_open(&w, in_tmp(path, "out"), false, NULL), NULL);
    CHECK_OK(cuzk_file_writer_write(w, "x", 1, NULL), NULL);
    CHECK_U64(entries(), 1);
    cuzk_file_writer_abort(w);
    CHECK_U64(entries(), 0);
    cuzk_file_writer_abort(NULL);
}

static void existing_file_is_kept(void)
{
    char path[512], want[600];
    cuzk_err err;
    put(in_tmp(path, "out"), "old", 3);
    CHECK_STATUS(cuzk_file_write_all(path, "new", 3, false, &err), CUZK_E_EXISTS);
    (void)snprintf(want, sizeof(want), "%s: file exists; refusing to overwrite", path);
    CHECK_STR(err.msg, want);
    check_content(path, "old", 3);
    CHECK_U64(entries(), 1);
}

static void two_writers_of_one_name(void)
{
    char path[512];
    cuzk_file_writer *a = NULL, *b = NULL;
    cuzk_err err;
    (void)in_tmp(path, "out");
    CHECK_OK(cuzk_file_writer_open(&a, path, false, NULL), NULL);
    CHECK_OK(cuzk_file_writer_open(&b, path, false, NULL), NULL);
    CHECK_OK(cuzk_file_writer_write(a, "first", 5, NULL), NULL);
    CHECK_OK(cuzk_file_writer_write(b, "second", 6, NULL), NULL);
    CHECK_OK(cuzk_file_writer_commit(a, &err), &err);
    CHECK_STATUS(cuzk_file_writer_commit(b, &err), CUZK_E_EXISTS);
    check_content(path, "first", 5);
    CHECK_U64(entries(), 1);
}

static void replace_keeps_mode_and_link(void)
{
    char path[512], link_path[512];
    struct stat st;
    put(in_tmp(path, "real"), "old", 3);
    CHECK(chmod(path, 0640) == 0);
    CHECK(symlink("real", in_tmp(link_path, "link")) == 0);
    CHECK_OK(cuzk_file_write_all(link_path, "newer", 5, true, NULL), NULL);
    check_content(path, "newer", 5);
    CHECK(stat(path, &st) == 0);
    CHECK_U64(st.st_mode & 07777, 0640);
    CHECK(lstat(link_path, &st) == 0 && S_ISLNK(st.st_mode));
    CHECK_U64(entries(), 2);
}

/* Files that belong together: the old one goes before the new one comes, and with it neither its link nor its mode. */
static void old_file_goes_first(void)
{
    char path[512], link_path[512];
    struct stat st;
    cuzk_file_writer *w = NULL;
    cuzk_err err;
    put(in_tmp(path, "real"), "old", 3);
    CHECK(chmod(path, 0640) == 0);
    CHECK(symlink("real", in_tmp(link_path, "link")) == 0);
    for (int i = 0; i < 2; i++) { /* twice: the second replaces the first */
        CHECK_OK(cuzk_file_writer_open(&w, link_path, true, &err), &err);
        CHECK_OK(cuzk_file_writer_remove_old(w, &err), &err);
        CHECK_OK(cuzk_file_writer_remove_old(w, &err), &err);
        CHECK(access(path, F_OK) != 0);
        CHECK(lstat(link_path, &st) == 0 && S_ISLNK(st.st_mode));
        CHECK_OK(cuzk_file_writer_write(w, "newer", 5, &err), &err);
        CHECK_OK(cuzk_file_writer_commit(w, &err), &err);
        check_content(path, "newer", 5);
        CHECK(stat(path, &st) == 0);
        CHECK_U64(st.st_mode & 07777, 0640);
    }
    CHECK_U64(entries(), 2);
    /* A writer that does not replace leaves what came meanwhile. */
    CHECK(unlink(path) == 0 && unlink(link_path) == 0);
    CHECK_OK(cuzk_file_writer_open(&w, path, false, &err), &err);
    put(path, "other", 5);
    CHECK_OK(cuzk_file_writer_remove_old(w, &err), &err);
    CHECK_STATUS(cuzk_file_writer_commit(w, &err), CUZK_E_EXISTS);
    check_content(path, "other", 5);
}

static void bad_targets(void)
{
    char path[512];
    cuzk_err err;
    CHECK_STATUS(cuzk_file_write_all(test_tmpdir(), "x", 1, true, &err), CUZK_E_INVALID);
    CHECK(strstr(err.msg, "is a directory") != NULL);
    CHECK_STATUS(cuzk_file_write_all(in_tmp(path, "no/such"), "x", 1, true, &err),
                 CUZK_E_NOT_FOUND);
    CHECK(strstr(err.msg, path) != NULL);
    CHECK_STATUS(cuzk_file_write_all("", "x", 1, true, &err), CUZK_E_INVALID);
    CHECK(symlink("nowhere", in_tmp(path, "link")) == 0);
    CHECK_STATUS(cuzk_file_write_all(path, "x", 1, true, &err), CUZK_E_NOT_FOUND);
    CHECK_STATUS(cuzk_file_write_all(path, "x", 1, false, &err), CUZK_E_EXISTS);
    CHECK(strstr(err.msg, "dangling symbolic link") != NULL);
    CHECK_U64(entries(), 1);
}

/* Names that no file can have, and a socket: the same status for reading and writing, and never trouble of the machine. */
static void names_that_no_file_can_have(void)
{
    char plain[512], loop[512], sock[512], path[1000];
    cuzk_content c;
    cuzk_err err;
    put(in_tmp(plain, "f"), "x", 1);
    CHECK(symlink("loop", in_tmp(loop, "loop")) == 0);
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    (void)in_tmp(sock, "sock");
    CHECK(strlen(sock) < sizeof(a.sun_path));
    (void)snprintf(a.sun_path, sizeof(a.sun_path), "%s", sock);
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK(fd >= 0 && bind(fd, (struct sockaddr *)&a, sizeof(a)) == 0 && close(fd) == 0);
    static const char *const reasons[] = {"File name too long", "",
                                          "Too many levels of symbolic links"};
    for (int i = 0; i < 3; i++) {
        if (i == 0) {
            (void)snprintf(path, sizeof(path), "%s/%0300d", test_tmpdir(), 0);
        } else {
            (void)snprintf(path, sizeof(path), "%s/f", i == 1 ? plain : loop);
        }
        CHECK_STATUS(cuzk_content_read(&c, path, 10, &err), CUZK_E_NOT_FOUND);
        CHECK_MSG(strstr(err.msg, reasons[i]) != NULL, "%s", err.msg);
        CHECK_STATUS(cuzk_file_write_all(path, "y", 1, true, &err), CUZK_E_NOT_FOUND);
        CHECK_MSG(strstr(err.msg, reasons[i]) != NULL, "%s", err.msg);
    }
    CHECK_STATUS(cuzk_file_write_all(loop, "y", 1, true, &err), CUZK_E_NOT_FOUND);
    CHECK_STATUS(cuzk_content_read(&c, sock, 10, &err), CUZK_E_INVALID);
    CHECK(strstr(err.msg, "is a socket, not a file") != NULL);
    CHECK_STATUS(cuzk_file_write_all(sock, "y", 1, true, &err), CUZK_E_INVALID);
    CHECK_U64(entries(), 3);
}

static void device_is_written_directly(void)
{
    struct stat st;
    CHECK_OK(cuzk_file_write_all("/dev/null", "x", 1, false, NULL), NULL);
    CHECK(lstat("/dev/null", &st) == 0 && S_ISCHR(st.st_mode));
}

static void full_disk_is_reported(void)
{
    cuzk_file_writer *w = NULL;
    cuzk_err err;
    if (access("/dev/full", W_OK) != 0) {
        cuzk_test_skip("no /dev/full");
    }
    CHECK_OK(cuzk_file_writer_open(&w, "/dev/full", true, NULL), NULL);
    CHECK_OK(cuzk_file_writer_write(w, "x", 1, NULL), NULL); /* buffered */
    CHECK_STATUS(cuzk_file_writer_commit(w, &err), CUZK_E_IO);
    CHECK(strstr(err.msg, "/dev/full: cannot write: ") == err.msg);
    static uint8_t big[600000];
    CHECK_OK(cuzk_file_writer_open(&w, "/dev/full", true, NULL), NULL);
    CHECK_STATUS(cuzk_file_writer_write(w, big, sizeof(big), NULL), CUZK_E_IO);
    CHECK_STATUS(cuzk_file_writer_write(w, "x", 1, NULL), CUZK_E_IO);
    CHECK_STATUS(cuzk_file_writer_commit(w, &err), CUZK_E_IO);
}

static void writer_survives_allocation_failure(void)
{
    char path[512];
    const uint64_t blocks = cuzk_alloc_get_stats().blocks_now;
    put(in_tmp(path, "real"), "old", 3);
    CHECK(symlink("real", in_tmp(path, "out")) == 0); /* the longest way through */
    uint64_t nth = 1;
    for (;; nth++) {
        cuzk_alloc_fail_nth(nth, false);
        const cuzk_status st = cuzk_file_write_all(path, "new", 3, true, NULL);
        cuzk_alloc_fail_nth(0, false);
        if (st == CUZK_OK) {
            break;
        }
        CHECK_U64(st, CUZK_E_NOMEM);
        check_content(path, "old", 3);
        CHECK_U64(entries(), 2);
    }
    CHECK(nth > 3);
    check_content(path, "new", 3);
    CHECK_U64(cuzk_alloc_get_stats().blocks_now, blocks);
}

static const cuzk_case cases[] = {
    CASE(content_of_a_file),
    CASE(content_of_an_empty_file),
    CASE(proc_file_has_content),
    CASE(too_large_is_refused),
    CASE(parts_are_read_by_position),
    CASE(file_cut_short_while_threads_read),
    CASE(handles_of_one_file),
    CASE(errors_name_the_path),
    CASE(long_path_keeps_the_reason),
    CASE(pipe_is_read_into_memory),
    CASE(dash_is_standard_input),
    CASE(reading_survives_allocation_failure),
    CASE(writer_publishes_at_commit),
    CASE(abort_leaves_nothing),
    CASE(existing_file_is_kept),
    CASE(two_writers_of_one_name),
    CASE(replace_keeps_mode_and_link),
    CASE(old_file_goes_first),
    CASE(bad_targets),
    CASE(names_that_no_file_can_have),
    CASE(device_is_written_directly),
    CASE(full_disk_is_reported),
    CASE(writer_survives_allocation_failure),
};
TEST_MAIN("sys/file", cases)
