/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Points that stream from the file: every kind of section, and everything that can befall a file. */
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "accel/cpu/cpu_accel.h"
#include "accel/mock/mock_accel.h"
#include "base/alloc.h"
#include "groth16/device_instance.h"
#include "trace/trace_read.h"

#include "test.h"

#define GIB ((uint64_t)1 << 30)

static const device_variant from_file = {.stream = true, .file = true, .group = 2, .slice = 128};

static test_instance all_bits(size_t n)
{
    test_draft d;
    test_draft_begin(&d);
    for (size_t i = 0; i < n; i++) {
        (void)test_draft_bit(&d, test_below(2) != 0);
    }
    return test_draft_finish(&d);
}

static test_instance all_fulls(size_t n)
{
    test_draft d;
    test_draft_begin(&d);
    for (size_t i = 0; i < n; i++) {
        cuzk_fr x;
        test_fr(&x);
        (void)test_draft_square(&d, &x);
    }
    return test_draft_finish(&d);
}

static void kinds_of_sections(void)
{
    TEST_HAS_ONE_THREAD();
    cuzk_accel *dev = NULL;
    cuzk_err err;
    CHECK_OK(cuzk_accel_cpu_open(&dev, NULL, &err), &err);
    for (unsigned i = 0; i < 6; i += TEST_IS_SPARSE ? 2 : 1) {
        const size_t n = 1 + test_below(700);
        device_instance in;
        cuzk_proof got[4];
        device_instance_begin(&in,
                              i % 3 == 0   ? all_bits(n)
                              : i % 3 == 1 ? all_fulls(n)
                                           : test_circuit_runs(1000 + n, 300),
                              i < 3 ? CUZK_QUOTIENT_COEFFS : CUZK_QUOTIENT_ODD_COSET);
        for (uint64_t slice = 128; slice <= 1024; slice += 256 + 128 * test_below(5)) {
            device_variant v = from_file;
            v.slice = slice;
            CHECK_OK(device_load_and_prove(&in, dev, v, 3, got, &err), &err);
            device_check_proofs(got, in.want, 3);
        }
        device_instance_end(&in);
    }
    cuzk_accel_close(dev);
}

/* With less memory than the points need, some of them stay on the device. */
static void partly_resident(void)
{
    TEST_HAS_ONE_THREAD();
    device_instance in;
    cuzk_err err;
    unsigned mixed = 0;
    device_instance_begin(&in, test_circuit_runs(6000, 300), CUZK_QUOTIENT_COEFFS);
    for (uint64_t limit = (uint64_t)12 << 20; limit > (uint64_t)2 << 20; limit = limit / 4 * 3) {
        cuzk_accel *dev = NULL;
        cuzk_device_key *k = NULL;
        cuzk_proof got[2];
        const cuzk_device_key_opts ko = {.points = CUZK_DEVICE_POINTS_FILE, .chunk_points = 1024};
        const cuzk_device_prove_opts po = {.r = in.r, .s = in.s, .device = CUZK_TRACE_NONE};
        CHECK_OK(cuzk_accel_mock_open(&dev, 0, limit, NULL, &err), &err);
        if (cuzk_device_key_create(&k, dev, in.t.c, in.file, &ko, NULL, NULL, &err) == CUZK_OK) {
            const cuzk_device_key_stats s = cuzk_device_key_get_stats(k);
            const cuzk_status st = cuzk_device_prove(k, got, 2, in.witnesses, &po, NULL, &err);
            CHECK(st == CUZK_OK || st == CUZK_E_DEV_NOMEM);
            CHECK(s.resident != s.from_file);
            if (st == CUZK_OK) {
                device_check_proofs(got, in.want, 2);
                mixed += s.from_file;
            }
            cuzk_device_key_destroy(k);
        }
        CHECK(cuzk_accel_mock_stats(dev).peak_bytes <= limit);
        cuzk_accel_close(dev);
    }
    CHECK(mixed > 2);
    device_instance_end(&in);
}

/* As many as share a pass over most sections, each with its own over section h: more than the marks
 * of a queue can time one by one, and yet the phases add up to the whole. */
static void largest_batch(void)
{
    TEST_HAS_ONE_THREAD();
    enum { N = 16 };
    device_instance in;
    cuzk_err err;
    cuzk_accel *dev = NULL;
    cuzk_device_key *k = NULL;
    cuzk_proof got[N];
    const cuzk_witness *witnesses[N];
    cuzk_scalar r[N], s[N];
    cuzk_trace *trace = NULL;
    device_instance_begin(&in, test_circuit_runs(1500, 300), CUZK_QUOTIENT_COEFFS);
    for (size_t i = 0; i < N; i++) {
        witnesses[i] = in.witnesses[0];
        r[i] = in.r[i % 4];
        s[i] = in.s[i % 4];
    }
    CHECK_OK(cuzk_accel_cpu_open(&dev, NULL, &err), &err);
    const cuzk_device_key_opts ko = {
        .stream = true, .points = CUZK_DEVICE_POINTS_FILE, .chunk_points = 1024};
    CHECK_OK(cuzk_trace_create(&trace, 1024, &err), &err);
    const cuzk_device_prove_opts po = {
        .r = r, .s = s, .max_group = 1, .trace = {trace, 0}, .device = CUZK_TRACE_NONE};
    CHECK_OK(cuzk_device_key_create(&k, dev, in.t.c, in.file, &ko, NULL, NULL, &err), &err);
    CHECK_OK(cuzk_device_prove(k, got, N, witnesses, &po, NULL, &err), &err);
    for (size_t i = 0; i < N; i += 4) {
        device_check_proofs(got + i, in.want, 4);
    }
    CHECK_U64(cuzk_device_key_get_stats(k).passes, N);
    uint64_t parts = 0;
    static const char *const phases[] = {"prep_msm",  "eval",     "ntt_msm_h",
                                         "batch_add", "tail_msm", "b_g2_msm"};
    for (size_t i = 0; i < sizeof(phases) / sizeof(phases[0]); i++) {
        parts += cuzk_trace_sum(trace, 0, "gpu_total", phases[i]);
    }
    CHECK(cuzk_trace_sum(trace, 0, NULL, "batch_add") > 0);
    CHECK(cuzk_trace_sum(trace, 0, NULL, "b_g2_msm") > 0);
    CHECK_U64(parts, cuzk_trace_sum(trace, 0, "prove", "gpu_total"));
    cuzk_trace_destroy(trace);
    cuzk_device_key_destroy(k);
    cuzk_accel_close(dev);
    device_instance_end(&in);
}

/*
 * Copies and work on a device that puts off one or the other as long as the queues allow: neither may come too early
 * for the other. Several groups, of several witnesses; slices long and short against the quotients' memory.
 */
static void any_order(void)
{
    TEST_HAS_ONE_THREAD();
    static const cuzk_mock_order orders[] = {CUZK_MOCK_LATE_WORK, CUZK_MOCK_LATE_COPIES};
    static const device_variant ways[] = {{.stream = true, .file = true, .group = 1, .slice = 128},
                                          {.stream = true, .file = true, .group = 2, .slice = 384},
                                          {.stream = true, .file = true, .group = 2, .slice = 1024},
                                          {.stream = true, .file = true, .group = 2, .slice = 4096},
                                          {.stream = true, .group = 2, .slice = 256}};
    for (unsigned c = 0; c < 2; c++) { /* with bits alone, the second phase needs little memory */
        device_instance in;
        cuzk_err err;
        cuzk_proof got[3];
        device_instance_begin(&in, c == 0 ? test_circuit_runs(500, 300) : all_bits(1000),
                              CUZK_QUOTIENT_COEFFS);
        for (unsigned i = 0; i < 2 * sizeof(ways) / sizeof(ways[0]); i++) {
            const cuzk_mock_script script = {.order = orders[i % 2]};
            cuzk_accel *dev = NULL;
            CHECK_OK(cuzk_accel_mock_open(&dev, 0, GIB, NULL, &err), &err);
            cuzk_accel_mock_set(dev, &script);
            CHECK_OK(device_load_and_prove(&in, dev, ways[i / 2], 3, got, &err), &err);
            device_check_proofs(got, in.want, 3);
            cuzk_accel_close(dev);
        }
        device_instance_end(&in);
    }
}

/* AUTO takes the file when the host's memory is too small, and made parameters have none. */
static void choice(void)
{
    TEST_HAS_ONE_THREAD();
    device_instance in;
    cuzk_err err;
    cuzk_accel *dev = NULL;
    device_instance_begin(&in, test_circuit_blocks(20), CUZK_QUOTIENT_COEFFS);
    CHECK_OK(cuzk_accel_cpu_open(&dev, NULL, &err), &err);
    for (unsigned i = 0; i < 6; i++) {
        cuzk_device_key *k = NULL;
        const cuzk_device_key_opts ko = {.stream = i != 5,
                                         .points = i == 1   ? CUZK_DEVICE_POINTS_MEMORY
                                                   : i == 5 ? CUZK_DEVICE_POINTS_FILE
                                                            : CUZK_DEVICE_POINTS_AUTO,
                                         .host_bytes = i == 2             ? GIB
                                                       : i == 3 || i == 1 ? 1000
                                                                          : 0};
        const cuzk_srs *srs = i == 4 ? in.srs : in.file;
        CHECK_OK(cuzk_device_key_create(&k, dev, in.t.c, srs, &ko, NULL, NULL, &err), &err);
        const cuzk_device_key_stats s = cuzk_device_key_get_stats(k);
        CHECK(s.from_file == (i == 3));
        CHECK(s.resident == (i == 5));
        CHECK((s.host_bytes == 0) == (i == 5));
        cuzk_device_key_destroy(k);
    }
    cuzk_device_key *k = NULL;
    const cuzk_device_key_opts ko = {
        .stream = true, .points = CUZK_DEVICE_POINTS_FILE, .host_bytes = 1};
    CHECK_STATUS(cuzk_device_key_setup(&k, dev, in.t.c, &in.toxic, &ko, NULL, &err),
                 CUZK_E_UNSUPPORTED); /* the CPU's device makes none */
    cuzk_accel_close(dev);
    device_instance_end(&in);
}

/* A file of its own beside the instance's, and a key on it. */
typedef struct streamed_file {
    device_instance in;
    char path[600];
    cuzk_accel *dev;
    cuzk_srs *srs;
    cuzk_device_key *k;
} streamed_file;

static const cuzk_device_key_opts key_opts = {
    .stream = true, .points = CUZK_DEVICE_POINTS_FILE, .chunk_points = 1024};

static void streamed_file_open(streamed_file *f)
{
    cuzk_err err;
    memset(f, 0, sizeof(*f));
    device_instance_begin(&f->in, test_circuit_blocks(30), CUZK_QUOTIENT_COEFFS);
    (void)snprintf(f->path, sizeof(f->path), "%s/own.params", test_tmpdir());
    CHECK_OK(cuzk_srs_write(f->in.srs, f->path, true, NULL, NULL, &err), &err);
    CHECK_OK(cuzk_accel_mock_open(&f->dev, 0, GIB, NULL, &err), &err);
    CHECK_OK(cuzk_srs_open(&f->srs, f->path, CUZK_POINT_UNCHECKED, NULL, NULL, &err), &err);
}

/* The srs is gone as soon as the key is there. */
static void streamed_file_load(streamed_file *f)
{
    cuzk_err err;
    CHECK_OK(cuzk_device_key_create(&f->k, f->dev, f->in.t.c, f->srs, &key_opts, NULL, NULL, &err),
             &err);
    cuzk_srs_close(f->srs);
    f->srs = NULL;
}

static void streamed_file_close(streamed_file *f)
{
    cuzk_device_key_destroy(f->k);
    const cuzk_mock_stats s = cuzk_accel_mock_stats(f->dev);
    CHECK_U64(s.blocks + s.host_blocks + s.queues + s.objects + s.bytes, 0);
    cuzk_srs_close(f->srs);
    cuzk_accel_close(f->dev);
    device_instance_end(&f->in);
}

static cuzk_status streamed_file_prove(streamed_file *f, cuzk_proof got[3],
                                       const cuzk_cancel *cancel, cuzk_err *err)
{
    const cuzk_device_prove_opts po = {
        .r = f->in.r, .s = f->in.s, .max_group = 2, .slice_points = 128, .device = CUZK_TRACE_NONE};
    return cuzk_device_prove(f->k, got, 3, f->in.witnesses, &po, cancel, err);
}

static void expect_io(streamed_file *f, const char *what)
{
    cuzk_err err;
    cuzk_proof got[3];
    CHECK_STATUS(streamed_file_prove(f, got, NULL, &err), CUZK_E_IO);
    CHECK_MSG(strstr(err.msg, f->path) != NULL && strstr(err.msg, what) != NULL, "%s", err.msg);
}

static void srs_and_file_may_go(void)
{
    TEST_HAS_ONE_THREAD();
    streamed_file f;
    cuzk_err err;
    cuzk_proof got[3];
    streamed_file_open(&f);
    streamed_file_load(&f);
    CHECK(unlink(f.path) == 0);
    for (int i = 0; i < 2; i++) {
        CHECK_OK(streamed_file_prove(&f, got, NULL, &err), &err);
        device_check_proofs(got, f.in.want, 3);
    }
    streamed_file_close(&f);
}

static void cut_short(void)
{
    TEST_HAS_ONE_THREAD();
    streamed_file f;
    streamed_file_open(&f);
    streamed_file_load(&f);
    CHECK(truncate(f.path, 5000) == 0);
    expect_io(&f, "has been changed");
    streamed_file_close(&f);
}

/* Writes at an offset and sets the time of the last change back, as some restore programs do. */
static void patch(const char *path, uint64_t offset, const void *bytes, size_t n, int64_t cut)
{
    struct stat st;
    const int fd = open(path, O_RDWR);
    CHECK(fd >= 0 && fstat(fd, &st) == 0);
    CHECK(pwrite(fd, bytes, n, (off_t)offset) == (ssize_t)n);
    if (cut >= 0) {
        CHECK(ftruncate(fd, (off_t)cut) == 0);
    }
    const struct timespec times[2] = {st.st_atim, st.st_mtim};
    CHECK(futimens(fd, times) == 0);
    CHECK(close(fd) == 0);
}

static uint64_t h_offset(const device_instance *in)
{
    return cuzk_srs_vk_bytes(in->srs) + 4;
}

static void overwritten(void)
{
    TEST_HAS_ONE_THREAD();
    streamed_file f;
    cuzk_err err;
    cuzk_proof got[3];
    uint8_t bad[96];
    memset(bad, 0x7f, sizeof(bad));
    streamed_file_open(&f);
    streamed_file_load(&f);
    /* Not an encoding. */
    size_t n = 0;
    uint8_t *whole = test_read_file(f.path, &n);
    patch(f.path, h_offset(&f.in) + 96, bad, sizeof(bad), -1);
    expect_io(&f, "has other points than when it was loaded");
    /* Another point of the file: a wrong proof, which is for verification to find. */
    patch(f.path, h_offset(&f.in) + 96, whole + h_offset(&f.in), 96, -1);
    CHECK_OK(streamed_file_prove(&f, got, NULL, &err), &err);
    uint8_t a[192], b[192];
    cuzk_proof_encode(a, &got[0]);
    cuzk_proof_encode(b, &f.in.want[0]);
    CHECK(memcmp(a, b, 192) != 0);
    /* As it was: nothing of all this has stayed. */
    patch(f.path, h_offset(&f.in) + 96, whole + h_offset(&f.in) + 96, 96, -1);
    CHECK_OK(streamed_file_prove(&f, got, NULL, &err), &err);
    device_check_proofs(got, f.in.want, 3);
    free(whole);
    streamed_file_close(&f);
}

typedef struct late_change {
    streamed_file *f;
    cuzk_cancel cancel;
    atomic_bool is_over; /* the proofs have ended */
} late_change;

/* Waits until the device has had some tens of operations of the proofs. */
static void wait_for_operations(late_change *c)
{
    const struct timespec t = {0, 1000000};
    while (cuzk_accel_mock_stats(c->f->dev).calls < 40 && !atomic_load(&c->is_over)) {
        (void)nanosleep(&t, NULL);
    }
}

static void *cut_later(void *arg)
{
    late_change *c = arg;
    wait_for_operations(c);
    return truncate(c->f->path, 3000) == 0 ? NULL : arg;
}

static void *cancel_later(void *arg)
{
    late_change *c = arg;
    wait_for_operations(c);
    atomic_store(&c->cancel.requested, true);
    return NULL;
}

/* Cuts the file or cancels while it streams: each operation takes a millisecond, and there are hundreds. True when it came in time. */
static bool is_changed_in_the_middle(bool cut)
{
    const cuzk_mock_script slow = {.delay_ns = 1000000};
    streamed_file f;
    cuzk_err err;
    cuzk_proof got[3];
    pthread_t t;
    void *failed = NULL;
    streamed_file_open(&f);
    streamed_file_load(&f);
    cuzk_accel_mock_set(f.dev, &slow);
    late_change c = {.f = &f};
    CHECK(pthread_create(&t, NULL, cut ? cut_later : cancel_later, &c) == 0);
    const cuzk_status st = streamed_file_prove(&f, got, cut ? NULL : &c.cancel, &err);
    atomic_store(&c.is_over, true);
    CHECK(pthread_join(t, &failed) == 0 && failed == NULL);
    if (st != CUZK_OK) {
        CHECK_STATUS(st, cut ? CUZK_E_IO : CUZK_E_CANCELLED);
        CHECK(!cut || strstr(err.msg, f.path) != NULL);
    }
    streamed_file_close(&f);
    return st != CUZK_OK;
}

/* On a busy machine, the other thread may come too late in some tries. */
static void in_the_middle(void)
{
    for (int i = 0; i < 2; i++) {
        int tries = 1;
        while (!is_changed_in_the_middle(i == 0)) {
            CHECK_MSG(tries < 20, "the proofs do not notice");
            tries++;
        }
    }
}

/* What was opened is what is loaded, whatever has its name by then. */
static void replaced_before_loading(void)
{
    TEST_HAS_ONE_THREAD();
    streamed_file f;
    cuzk_err err;
    cuzk_proof got[3];
    device_instance other;
    streamed_file_open(&f);
    device_instance_begin(&other, test_circuit_blocks(30), CUZK_QUOTIENT_COEFFS);
    CHECK_OK(cuzk_srs_write(other.srs, f.path, true, NULL, NULL, &err), &err);
    streamed_file_load(&f);
    CHECK_OK(streamed_file_prove(&f, got, NULL, &err), &err);
    device_check_proofs(got, f.in.want, 3);
    device_instance_end(&other);
    streamed_file_close(&f);
}

/* Changed in place between the two. */
static void changed_before_loading(void)
{
    TEST_HAS_ONE_THREAD();
    streamed_file f;
    cuzk_err err;
    streamed_file_open(&f);
    CHECK(truncate(f.path, 5000) == 0);
    CHECK_STATUS(cuzk_device_key_create(&f.k, f.dev, f.in.t.c, f.srs, &key_opts, NULL, NULL, &err),
                 CUZK_E_IO);
    CHECK(strstr(err.msg, f.path) != NULL);
    streamed_file_close(&f);
}

/* Points of a file are checked as they are loaded, whether they stay or not. */
static void checks_points(void)
{
    TEST_HAS_ONE_THREAD();
    streamed_file f;
    cuzk_err err;
    const cuzk_device_key_opts opts = {
        .stream = true, .points = CUZK_DEVICE_POINTS_FILE, .check = CUZK_POINT_ON_CURVE};
    streamed_file_open(&f);
    uint8_t bad[96] = {0};
    bad[47] = 1;
    bad[95] = 1; /* (1, 1) is not on the curve */
    patch(f.path, h_offset(&f.in), bad, sizeof(bad), -1);
    CHECK_STATUS(cuzk_device_key_create(&f.k, f.dev, f.in.t.c, f.srs, &opts, NULL, NULL, &err),
                 CUZK_E_NOT_ON_CURVE);
    streamed_file_close(&f);
}

/* Heap beside the device's memory: what one load and proof take at most. */
static uint64_t host_peak(uint64_t n_blocks, bool file)
{
    device_instance in;
    cuzk_err err;
    cuzk_proof got[2];
    cuzk_accel *dev = NULL;
    device_instance_begin(&in, test_circuit_blocks(n_blocks), CUZK_QUOTIENT_COEFFS);
    CHECK_OK(cuzk_accel_mock_open(&dev, 0, GIB, NULL, &err), &err);
    device_variant v = from_file;
    v.file = file;
    v.group = 1;
    const uint64_t before = cuzk_alloc_get_stats().bytes_now;
    cuzk_alloc_reset_peak();
    CHECK_OK(device_load_and_prove(&in, dev, v, 1, got, &err), &err);
    const uint64_t peak = cuzk_alloc_get_stats().bytes_peak - before;
    const uint64_t on_device = cuzk_accel_mock_stats(dev).peak_bytes;
    device_check_proofs(got, in.want, 1);
    cuzk_accel_close(dev);
    device_instance_end(&in);
    return peak - on_device;
}

static void memory_does_not_grow(void)
{
    TEST_HAS_ONE_THREAD();
    const uint64_t small = host_peak(200, false), large = host_peak(1600, false);
    const uint64_t small_file = host_peak(200, true), large_file = host_peak(1600, true);
    /* A copy grows with the points, here by 4 MB; what is left then is the circuit's, on the mock. */
    CHECK(large > small + ((uint64_t)3 << 20));
    CHECK_MSG(large_file < small_file + (large - small) / 3, "%llu, then %llu",
              (unsigned long long)small_file, (unsigned long long)large_file);
}

static const cuzk_case cases[] = {CASE(kinds_of_sections),
                                  CASE(partly_resident),
                                  CASE(largest_batch),
                                  CASE(any_order),
                                  CASE(choice),
                                  CASE(srs_and_file_may_go),
                                  CASE(cut_short),
                                  CASE(overwritten),
                                  CASE(in_the_middle),
                                  CASE(replaced_before_loading),
                                  CASE(changed_before_loading),
                                  CASE(checks_points),
                                  CASE(memory_does_not_grow)};
TEST_MAIN("groth16/device_stream", cases)
