/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Proofs on the GPU equal the CPU's; the runtime fails at every call, and the next job is fine. */
#include <stdlib.h>

#include "accel/cuda/cuda_accel.h"
#include "accel/cuda/queue/status.h"
#include "base/alloc.h"
#include "groth16/device_instance.h"

#include "test.h"

#define MIB ((uint64_t)1 << 20)

static cuzk_accel *open_device(uint64_t limit)
{
    cuzk_accel *dev = NULL;
    cuzk_err err;
    if (cuzk_accel_cuda_count() == 0) {
        cuzk_test_skip("no CUDA device");
    }
    CHECK_OK(cuzk_accel_cuda_open(&dev, 0, limit, &err), &err);
    return dev;
}

static void check_empty(cuzk_accel *dev)
{
    cuzk_accel_props p;
    cuzk_accel_get_props(dev, &p);
    CHECK_U64(p.memory_free, p.memory_total);
}

static const device_variant variants[] = {
    {.group = 0},
    {.stream = true},
    {.stream = true, .file = true},
    {.group = 1, .slice = 128},
    {.stream = true, .group = 1, .slice = 128},
    {.stream = true, .group = 1, .slice = 128, .file = true},
    {.group = 3, .slice = 1024, .comb = CUZK_DEVICE_COMB_3},
    {.stream = true, .group = 3, .slice = 1024},
    {.stream = true, .group = 3, .slice = 1024, .file = true},
    {.comb = CUZK_DEVICE_COMB_4},
    {.group = 1, .slice = 128, .comb = CUZK_DEVICE_COMB_4},
};
#define VARIANTS (sizeof(variants) / sizeof(variants[0]))

/* A third of the variants, by turns: most of the time is page-locked memory for short slices. */
static void check_instance(const device_instance *in, cuzk_accel *dev, size_t turn)
{
    cuzk_proof got[4];
    cuzk_err err;
    for (size_t v = turn % 3; v < VARIANTS; v += 3) {
        CHECK_OK(device_load_and_prove(in, dev, variants[v], 4, got, &err), &err);
        device_check_proofs(got, in->want, 4);
        check_empty(dev);
    }
}

static void equals_cpu(void)
{
    cuzk_accel *dev = open_device(2048 * MIB);
    for (size_t i = 0; i < test_iters(9); i++) {
        device_instance in;
        const cuzk_quotient_kind kind = i % 3 == 2 ? CUZK_QUOTIENT_ODD_COSET : CUZK_QUOTIENT_COEFFS;
        device_instance_begin(&in,
                              i % 2 == 0
                                  ? test_circuit_random(1 + test_below(3000), 1 + test_below(8))
                                  : test_circuit_blocks(1 + test_below(200)),
                              kind);
        check_instance(&in, dev, i + i / 3);
        device_instance_end(&in);
    }
    cuzk_accel_close(dev);
}

/* Small proofs: what compute-sanitizer looks at, access by access. */
static void one(device_variant v, cuzk_quotient_kind kind)
{
    cuzk_accel *dev = open_device(256 * MIB);
    device_instance in;
    cuzk_proof got[2];
    cuzk_err err;
    device_instance_begin(&in, test_circuit_blocks(2), kind);
    CHECK_OK(device_load_and_prove(&in, dev, v, 2, got, &err), &err);
    device_check_proofs(got, in.want, 2);
    check_empty(dev);
    device_instance_end(&in);
    cuzk_accel_close(dev);
}

static void one_resident(void)
{
    one((device_variant){.comb = CUZK_DEVICE_COMB_3}, CUZK_QUOTIENT_COEFFS);
}

static void one_streamed(void)
{
    one((device_variant){.stream = true, .group = 2, .slice = 128}, CUZK_QUOTIENT_ODD_COSET);
}

static void one_from_file(void)
{
    one((device_variant){.stream = true, .group = 2, .slice = 128, .file = true},
        CUZK_QUOTIENT_COEFFS);
}

/* Every domain size up to 2^10. */
static void equals_cpu_domains(void)
{
    cuzk_accel *dev = open_device(2048 * MIB);
    for (unsigned lg = 0; lg <= 10; lg++) {
        device_instance in;
        cuzk_proof got[1];
        cuzk_err err;
        device_instance_begin(&in, test_circuit_random(((size_t)1 << lg) - 1, 1),
                              CUZK_QUOTIENT_COEFFS);
        CHECK_OK(device_load_and_prove(&in, dev, variants[0], 1, got, &err), &err);
        device_check_proofs(got, in.want, 1);
        device_instance_end(&in);
    }
    cuzk_accel_close(dev);
}

/* Parameters made on the device are those of the CPU. */
static void setup_equals_cpu(void)
{
    cuzk_accel *dev = open_device(2048 * MIB);
    for (size_t i = 0; i < test_iters(6); i++) {
        device_instance in;
        cuzk_proof got[2];
        cuzk_err err;
        const device_variant v = {.stream = i % 2 == 1,
                                  .make = true,
                                  .comb = i % 3 == 0 ? CUZK_DEVICE_COMB_4 : CUZK_DEVICE_COMB_AUTO};
        device_instance_begin(&in, test_circuit_blocks(1 + test_below(300)), CUZK_QUOTIENT_COEFFS);
        CHECK_OK(device_load_and_prove(&in, dev, v, 2, got, &err), &err);
        device_check_proofs(got, in.want, 2);
        device_instance_end(&in);
    }
    cuzk_accel_close(dev);
}

/* The files of setup on the device are those of the CPU, byte for byte. */
static void setup_files_equal_cpu(void)
{
    cuzk_accel *dev = open_device(2048 * MIB);
    for (size_t i = 0; i < 3; i++) {
        test_instance t = test_circuit_blocks(1 + test_below(300));
        cuzk_toxic x;
        cuzk_err err;
        char path[4][512];
        static const char *const names[4] = {"cpu.params", "cpu.vk", "gpu.params", "gpu.vk"};
        const cuzk_setup_opts opts = {.replace = true};
        for (size_t k = 0; k < 4; k++) {
            (void)snprintf(path[k], sizeof(path[k]), "%s/%s", test_tmpdir(), names[k]);
        }
        cuzk_toxic_from_seed(&x, test_u64());
        CHECK_OK(cuzk_setup_write(t.c, &x, path[0], path[1], &opts, NULL, NULL, &err), &err);
        CHECK_OK(cuzk_device_setup_write(dev, t.c, &x, path[2], path[3], &opts, NULL, NULL, &err),
                 &err);
        for (size_t k = 0; k < 2; k++) {
            size_t n, m;
            uint8_t *a = test_read_file(path[k], &n);
            uint8_t *b = test_read_file(path[k + 2], &m);
            CHECK_U64(m, n);
            CHECK_MEM(b, a, n);
            free(a);
            free(b);
        }
        check_empty(dev);
        test_instance_destroy(&t);
    }
    cuzk_accel_close(dev);
}

/* The n-th call of the runtime fails, for n over the whole of a job; about 10 of them each way. */
static void failures(void)
{
    static const device_variant ways[] = {
        {.group = 2, .slice = 1024, .comb = CUZK_DEVICE_COMB_3},
        {.stream = true, .group = 2, .slice = 1024},
        {.make = true, .group = 1, .comb = CUZK_DEVICE_COMB_4},
        {.stream = true, .group = 2, .slice = 1024, .file = true}};
    static const cudaError_t errors[] = {cudaErrorMemoryAllocation, cudaErrorLaunchFailure};
    cuzk_err err;
    cuzk_proof got[3];
    device_instance in;
    cuzk_accel *dev = open_device(512 * MIB);
    uint64_t failed = 0;
    device_instance_begin(&in, test_circuit_blocks(5), CUZK_QUOTIENT_COEFFS);
    const uint64_t before = cuzk_alloc_get_stats().blocks_now;
    for (size_t v = 0; v < 8; v++) {
        bool through = false;
        (void)cuzk_cuda_fail_nth(0, cudaSuccess, false);
        CHECK_OK(device_load_and_prove(&in, dev, ways[v / 2], 3, got, &err), &err);
        const uint64_t calls = cuzk_cuda_fail_nth(0, cudaSuccess, false);
        for (uint64_t at = 1; !through; at += 1 + test_below(calls / 3 + 1)) {
            (void)cuzk_cuda_fail_nth(at, errors[v % 2], false);
            const cuzk_status st = device_load_and_prove(&in, dev, ways[v / 2], 3, got, &err);
            through = cuzk_cuda_fail_nth(0, cudaSuccess, false) < at;
            if (st == CUZK_OK) {
                device_check_proofs(got, in.want, 3);
            } else {
                CHECK(cuzk_status_is_retryable(st));
                failed++;
            }
            CHECK_U64(cuzk_alloc_get_stats().blocks_now, before);
            check_empty(dev);
            if (cuzk_accel_is_lost(dev)) { /* as far as anybody can tell: open it again */
                CHECK_STATUS(device_load_and_prove(&in, dev, ways[v / 2], 1, got, &err),
                             CUZK_E_DEV_LOST);
                cuzk_accel_close(dev);
                dev = NULL;
                CHECK_OK(cuzk_accel_cuda_open(&dev, 0, 512 * MIB, &err), &err);
            }
            CHECK_OK(device_load_and_prove(&in, dev, ways[v / 2], 1, got, &err), &err);
            device_check_proofs(got, in.want, 1);
        }
    }
    CHECK(failed > 20);
    device_instance_end(&in);
    cuzk_accel_close(dev);
}

static const cuzk_case cases[] = {CASE(equals_cpu),
                                  CASE(one_resident),
                                  CASE(one_streamed),
                                  CASE(one_from_file),
                                  CASE(equals_cpu_domains),
                                  CASE(setup_equals_cpu),
                                  CASE(setup_files_equal_cpu),
                                  CASE(failures)};
TEST_MAIN("accel_cuda/prove", cases)
