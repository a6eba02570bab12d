/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Parts of a parameter file that are locked in the page cache, from which a device copies by itself. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "accel/cpu/cpu_accel.h"
#include "accel/mock/mock_accel.h"
#include "groth16/device/device_lock.h"
#include "groth16/device_instance.h"

#include "test.h"

#define GIB  ((uint64_t)1 << 30)
#define PAGE 4096u

static void make_file(char path[600], size_t bytes)
{
    (void)snprintf(path, 600, "%s/locked", test_tmpdir());
    const int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    CHECK(fd >= 0);
    for (size_t i = 0; i < bytes; i++) {
        const uint8_t b = (uint8_t)(i * 7 + i / 251);
        CHECK(write(fd, &b, 1) == 1);
    }
    CHECK(close(fd) == 0);
}

static void blocks_hold_the_bytes(void)
{
    TEST_HAS_ONE_THREAD();
    char path[600];
    cuzk_err err;
    cuzk_accel *dev = NULL;
    cuzk_file *f = NULL;
    const uint64_t size = 5 * PAGE + 77;
    size_t n_whole = 0;
    make_file(path, size);
    uint8_t *whole = test_read_file(path, &n_whole);
    CHECK_OK(cuzk_accel_mock_open(&dev, 0, GIB, NULL, &err), &err);
    CHECK_OK(cuzk_file_open(&f, path, &err), &err);
    for (uint64_t at = 0; at < size; at += 1021) {
        device_lock l;
        CHECK_OK(device_lock_take(&l, dev, f, at, size - at, 2 * PAGE, 0, &err), &err);
        CHECK(cuzk_accel_mock_stats(dev).locked_blocks ==
              (l.view.bytes + 2 * PAGE - 1) / (2 * PAGE));
        for (uint64_t done = at, n; done < size; done += n) {
            n = size - done;
            const uint8_t *p = device_lock_find(&l, done, &n);
            CHECK(p != NULL && n > 0 && n <= 2 * PAGE);
            CHECK(memcmp(p, whole + done, n) == 0); /* nobody cuts this file short */
            CHECK((done - l.view.at) / (2 * PAGE) == (done + n - 1 - l.view.at) / (2 * PAGE));
        }
        uint64_t n = 1;
        CHECK(device_lock_find(&l, l.view.at + l.view.bytes, &n) == NULL);
        CHECK(l.view.at == 0 || device_lock_find(&l, l.view.at - 1, &n) == NULL);
        device_lock_release(&l, dev);
        CHECK(device_lock_find(&l, at, &n) == NULL);
        CHECK_U64(cuzk_accel_mock_stats(dev).locked_blocks, 0);
    }
    free(whole);
    cuzk_file_close(f);
    cuzk_accel_close(dev);
}

/* A block that cannot be locked: those before it are given back. */
static void gives_back_after_a_failure(void)
{
    TEST_HAS_ONE_THREAD();
    char path[600];
    cuzk_err err;
    cuzk_accel *dev = NULL, *cpu = NULL;
    cuzk_file *f = NULL;
    device_lock l;
    make_file(path, 4 * PAGE);
    CHECK_OK(cuzk_accel_mock_open(&dev, 0, GIB, NULL, &err), &err);
    CHECK_OK(cuzk_file_open(&f, path, &err), &err);
    for (uint64_t i = 1; i <= 4; i++) {
        const cuzk_mock_script script = {.fail_at = i, .fail_with = CUZK_E_NOMEM};
        cuzk_accel_mock_set(dev, &script);
        CHECK_STATUS(device_lock_take(&l, dev, f, 0, 4 * PAGE, PAGE, 0, &err), CUZK_E_NOMEM);
        CHECK_U64(cuzk_accel_mock_stats(dev).locked_blocks, 0);
        CHECK(l.locked == 0 && l.view.p == NULL);
    }
    /* A block of 4 KiB that is locked in less than a nanosecond: no system is that fast. */
    const cuzk_mock_script none = {.fail_at = 0};
    cuzk_accel_mock_set(dev, &none);
    CHECK_STATUS(
        device_lock_take(&l, dev, f, 0, 4 * PAGE, PAGE, (uint64_t)PAGE * 1000000000u, &err),
        CUZK_E_UNSUPPORTED);
    CHECK(cuzk_accel_mock_stats(dev).locked_blocks == 0 && l.view.p == NULL);
    /* The CPU's device reads what it copies, and so must not be given mapped files. */
    CHECK_OK(cuzk_accel_cpu_open(&cpu, NULL, &err), &err);
    CHECK_STATUS(device_lock_take(&l, cpu, f, 0, PAGE, PAGE, 0, &err), CUZK_E_UNSUPPORTED);
    cuzk_accel_close(cpu);
    cuzk_file_close(f);
    /* What is no file of a disk is in memory. */
    CHECK_OK(cuzk_file_open(&f, "/proc/self/status", &err), &err);
    CHECK_STATUS(device_lock_take(&l, dev, f, 0, 1, PAGE, 0, &err), CUZK_E_UNSUPPORTED);
    cuzk_file_close(f);
    cuzk_accel_close(dev);
}

static cuzk_status prove(const device_instance *in, cuzk_accel *dev, uint64_t lock_bytes,
                         uint64_t slice, cuzk_device_key_stats *stats, cuzk_proof got[3],
                         cuzk_err *err)
{
    cuzk_device_key *k = NULL;
    const cuzk_device_key_opts ko = {.stream = true,
                                     .points = CUZK_DEVICE_POINTS_FILE,
                                     .lock_bytes = lock_bytes,
                                     .chunk_points = 512};
    const cuzk_device_prove_opts po = {
        .r = in->r, .s = in->s, .max_group = 2, .slice_points = slice, .device = CUZK_TRACE_NONE};
    CUZK_TRY(cuzk_device_key_create(&k, dev, in->t.c, in->file, &ko, NULL, NULL, err));
    *stats = cuzk_device_key_get_stats(k);
    const cuzk_status st = cuzk_device_prove(k, got, 3, in->witnesses, &po, NULL, err);
    cuzk_device_key_destroy(k);
    return st;
}

static void check_clean(cuzk_accel *dev)
{
    const cuzk_mock_stats s = cuzk_accel_mock_stats(dev);
    CHECK_U64(s.blocks + s.host_blocks + s.queues + s.objects + s.bytes + s.locked_blocks, 0);
}

/* The same proofs, however much is locked: nothing, section h alone, all. */
static void proofs_are_the_same(void)
{
    TEST_HAS_ONE_THREAD();
    device_instance in;
    cuzk_err err;
    cuzk_accel *dev = NULL;
    device_instance_begin(&in, test_circuit_runs(500, 100), CUZK_QUOTIENT_COEFFS);
    const uint64_t h_bytes = cuzk_srs_count(in.file, CUZK_SRS_H) * 96;
    const uint64_t limits[] = {0, 95, h_bytes, UINT64_MAX};
    uint64_t direct[4], locked[4];
    CHECK_OK(cuzk_accel_mock_open(&dev, 0, GIB, NULL, &err), &err);
    for (unsigned i = 0; i < 4; i++) {
        static const cuzk_mock_script none;
        cuzk_device_key_stats s;
        cuzk_proof got[3];
        cuzk_accel_mock_set(dev, &none);
        CHECK_OK(prove(&in, dev, limits[i], 128 + 128 * i, &s, got, &err), &err);
        device_check_proofs(got, in.want, 3);
        CHECK(s.from_file);
        direct[i] = cuzk_accel_mock_stats(dev).direct;
        locked[i] = s.locked_bytes;
        check_clean(dev);
    }
    CHECK(direct[0] == 0 && direct[1] == 0 && locked[0] == 0 && locked[1] == 0);
    CHECK(direct[2] > 4 && locked[2] == h_bytes);
    CHECK(direct[3] > direct[2] && locked[3] > h_bytes);
    cuzk_accel_close(dev);
    device_instance_end(&in);
}

/* Each call of the device fails in turn. A failed lock is no failure: the file is read then. */
static void failures(void)
{
    TEST_HAS_ONE_THREAD();
    device_instance in;
    cuzk_err err;
    cuzk_accel *dev = NULL;
    unsigned failed = 0, unlocked = 0;
    bool over = false;
    cuzk_proof got[3];
    cuzk_device_key_stats s, whole;
    device_instance_begin(&in, test_circuit_runs(60, 100), CUZK_QUOTIENT_COEFFS);
    CHECK_OK(cuzk_accel_mock_open(&dev, 0, GIB, NULL, &err), &err);
    CHECK_OK(prove(&in, dev, UINT64_MAX, 128, &whole, got, &err), &err);
    for (uint64_t i = 1; !over; i += TEST_IS_SPARSE ? 9 : 3) {
        const cuzk_mock_script script = {.fail_at = i, .fail_with = CUZK_E_DEV_NOMEM};
        cuzk_accel_mock_set(dev, &script);
        const cuzk_status st = prove(&in, dev, UINT64_MAX, 128, &s, got, &err);
        over = cuzk_accel_mock_stats(dev).calls < i;
        CHECK(st == CUZK_OK || st == CUZK_E_DEV_NOMEM);
        if (st == CUZK_OK) {
            device_check_proofs(got, in.want, 3);
        }
        failed += st != CUZK_OK;
        unlocked += st == CUZK_OK && s.locked_bytes < whole.locked_bytes;
        check_clean(dev);
    }
    CHECK(failed > 5 && (unlocked > 0 || TEST_IS_SPARSE));
    cuzk_accel_close(dev);
    device_instance_end(&in);
}

/* Another time of change: the file is not the one that was loaded. */
static void changed_in_place(void)
{
    TEST_HAS_ONE_THREAD();
    device_instance in;
    cuzk_err err;
    cuzk_accel *dev = NULL;
    cuzk_srs *srs = NULL;
    cuzk_device_key *k = NULL;
    cuzk_proof got[1];
    char path[600];
    const cuzk_device_key_opts ko = {
        .stream = true, .points = CUZK_DEVICE_POINTS_FILE, .lock_bytes = GIB, .chunk_points = 512};
    const cuzk_device_prove_opts po = {.r = in.r, .s = in.s, .device = CUZK_TRACE_NONE};
    device_instance_begin(&in, test_circuit_runs(200, 100), CUZK_QUOTIENT_COEFFS);
    (void)snprintf(path, sizeof(path), "%s/changed.params", test_tmpdir());
    CHECK_OK(cuzk_srs_write(in.srs, path, true, NULL, NULL, &err), &err);
    CHECK_OK(cuzk_accel_mock_open(&dev, 0, GIB, NULL, &err), &err);
    CHECK_OK(cuzk_srs_open(&srs, path, CUZK_POINT_UNCHECKED, NULL, NULL, &err), &err);
    CHECK_OK(cuzk_device_key_create(&k, dev, in.t.c, srs, &ko, NULL, NULL, &err), &err);
    cuzk_srs_close(srs);
    CHECK_OK(cuzk_device_prove(k, got, 1, in.witnesses, &po, NULL, &err), &err);
    device_check_proofs(got, in.want, 1);
    const struct timespec times[2] = {{.tv_sec = 1}, {.tv_sec = 1}};
    CHECK(utimensat(AT_FDCWD, path, times, 0) == 0);
    CHECK_STATUS(cuzk_device_prove(k, got, 1, in.witnesses, &po, NULL, &err), CUZK_E_IO);
    CHECK_MSG(strstr(err.msg, path) != NULL, "%s", err.msg);
    cuzk_device_key_destroy(k);
    check_clean(dev);
    cuzk_accel_close(dev);
    device_instance_end(&in);
}

static const cuzk_case cases[] = {CASE(blocks_hold_the_bytes), CASE(gives_back_after_a_failure),
                                  CASE(proofs_are_the_same), CASE(failures),
                                  CASE(changed_in_place)};
TEST_MAIN("groth16/device_lock", cases)
