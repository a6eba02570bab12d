/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "sys/file_reader.h"

#include "test.h"

#define BYTES ((size_t)5 << 20)

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

static cuzk_file_reader *open_file(const char *path)
{
    cuzk_file_reader *r = NULL;
    cuzk_err err;
    CHECK_OK(cuzk_file_reader_open(&r, path, &err), &err);
    return r;
}

static void reads_ranges(void)
{
    char path[512];
    cuzk_err err;
    cuzk_pool *pool = NULL;
    const cuzk_pool_cfg cfg = {.n_threads = 3};
    uint8_t *data = cuzk_alloc(BYTES, 1), *got = cuzk_alloc(BYTES + 1, 1);
    CHECK(data != NULL && got != NULL);
    for (size_t i = 0; i < BYTES; i++) {
        data[i] = (uint8_t)(i * 2654435761u >> 13);
    }
    put(in_tmp(path, "f"), data, BYTES);
    CHECK_OK(cuzk_pool_create(&pool, &cfg, &err), &err);
    cuzk_file_reader *r = open_file(path);
    CHECK_U64(cuzk_file_reader_size(r), BYTES);
    CHECK_STR(cuzk_file_reader_path(r), path);
    for (size_t i = 0; i < test_iters(40); i++) {
        const size_t at = i == 0 ? 0 : test_below(BYTES + 1);
        const size_t n = i == 0 ? BYTES : test_below(BYTES - at + 1);
        got[n] = 0xa5;
        CHECK_OK(cuzk_file_reader_read(r, at, got, n, i % 2 == 0 ? pool : NULL, NULL, &err), &err);
        CHECK_MEM(got, data + at, n);
        CHECK_U64(got[n], 0xa5);
    }
    const cuzk_cancel cancel = {true};
    CHECK_STATUS(cuzk_file_reader_read(r, 0, got, BYTES, pool, &cancel, &err), CUZK_E_CANCELLED);
    cuzk_file_reader_close(r);
    cuzk_pool_destroy(pool);
    cuzk_free(data);
    cuzk_free(got);
}

static void what_happens_to_the_file(void)
{
    char path[512], other[512], want[700];
    uint8_t got[8];
    cuzk_err err;
    put(in_tmp(path, "f"), "0123456789", 10);
    cuzk_file_reader *r = open_file(path);
    CHECK_OK(cuzk_file_reader_check(r, &err), &err);

    /* Another file in its place, or none: this one is still there. */
    put(in_tmp(other, "g"), "abc", 3);
    CHECK(rename(other, path) == 0);
    CHECK_OK(cuzk_file_reader_read(r, 4, got, 6, NULL, NULL, &err), &err);
    CHECK_MEM(got, "456789", 6);
    CHECK_OK(cuzk_file_reader_check(r, &err), &err);
    cuzk_file_reader_close(r);

    r = open_file(path);
    CHECK(truncate(path, 2) == 0);
    CHECK_STATUS(cuzk_file_reader_read(r, 0, got, 3, NULL, NULL, &err), CUZK_E_IO);
    (void)snprintf(want, sizeof(want), "%s: ends before byte 3: it has been cut short", path);
    CHECK_STR(err.msg, want);
    CHECK_STATUS(cuzk_file_reader_check(r, &err), CUZK_E_IO);
    (void)snprintf(want, sizeof(want), "%s: has been changed since it was opened", path);
    CHECK_STR(err.msg, want);
    cuzk_file_reader_close(r);

    r = open_file(path);
    const struct timespec times[2] = {{1000, 0}, {1000, 0}};
    CHECK(utimensat(AT_FDCWD, path, times, 0) == 0);
    CHECK_STATUS(cuzk_file_reader_check(r, &err), CUZK_E_IO);
    cuzk_file_reader_close(r);
    cuzk_file_reader_close(NULL);
}

/* Address 0 of the process is nothing that can be read. */
static void read_failure(void)
{
    uint8_t got[8];
    cuzk_err err;
    cuzk_file_reader *r = open_file("/proc/self/mem");
    CHECK_STATUS(cuzk_file_reader_read(r, 0, got, 8, NULL, NULL, &err), CUZK_E_IO);
    CHECK(strstr(err.msg, "/proc/self/mem: cannot read: ") != NULL);
    CHECK(cuzk_status_is_retryable(CUZK_E_IO));
    cuzk_file_reader_close(r);
}

static void refuses(void)
{
    char path[512];
    cuzk_err err;
    cuzk_file_reader *r = NULL;
    CHECK_STATUS(cuzk_file_reader_open(&r, in_tmp(path, "absent"), &err), CUZK_E_NOT_FOUND);
    CHECK(strstr(err.msg, path) != NULL);
    CHECK_STATUS(cuzk_file_reader_open(&r, test_tmpdir(), &err), CUZK_E_UNSUPPORTED);
    CHECK(mkfifo(in_tmp(path, "pipe"), 0600) == 0);
    CHECK_STATUS(cuzk_file_reader_open(&r, path, &err), CUZK_E_UNSUPPORTED);
    put(in_tmp(path, "f"), "x", 1);
    const uint64_t blocks = cuzk_alloc_get_stats().blocks_now;
    cuzk_status st = CUZK_E_NOMEM;
    for (uint64_t n = 1; st != CUZK_OK; n++) {
        cuzk_alloc_fail_nth(n, false);
        st = cuzk_file_reader_open(&r, path, &err);
        cuzk_alloc_fail_nth(0, false);
        CHECK(st == CUZK_OK || st == CUZK_E_NOMEM);
        CHECK_U64(cuzk_alloc_get_stats().blocks_now, blocks + (st == CUZK_OK ? 2 : 0));
    }
    cuzk_file_reader_close(r);
    CHECK_U64(cuzk_alloc_get_stats().blocks_now, blocks);
}

static const cuzk_case cases[] = {CASE(reads_ranges), CASE(what_happens_to_the_file),
                                  CASE(read_failure), CASE(refuses)};
TEST_MAIN("sys/file_reader", cases)
