/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* 2 KiB circuits: parameters made on the GPU, and there the original implementation's proofs. */
#include <string.h>

#include "accel/cuda/cuda_accel.h"
#include "base/alloc.h"
#include "groth16/device/device_key.h"
#include "groth16/golden/golden_instance.h"
#include "prover/seed_params.h"

#include "test.h"

#define MAX_PROOFS 8

/* All proofs of a vector in one call. */
static void check_vector(const golden_instance *t, cuzk_device_key *k)
{
    cuzk_scalar r[MAX_PROOFS], s[MAX_PROOFS];
    cuzk_proof got[MAX_PROOFS];
    const cuzk_witness *w[MAX_PROOFS];
    uint8_t want[MAX_PROOFS][192], bytes[192];
    size_t n = 0;
    cuzk_err err;
    const cuzk_device_prove_opts opts = {.r = r, .s = s, .device = 0};
    for (size_t i = 0; i < GOLDEN_PROOFS && n < MAX_PROOFS; i++) {
        if (strcmp(golden_proofs[i].vector, t->vector) == 0) {
            golden_proof_bytes(want[n], &r[n], &s[n], i);
            w[n++] = t->w;
        }
    }
    CHECK(n >= 2);
    CHECK_OK(cuzk_device_prove(k, got, n, w, &opts, NULL, &err), &err);
    for (size_t i = 0; i < n; i++) {
        cuzk_proof_encode(bytes, &got[i]);
        CHECK_MEM(bytes, want[i], 192);
    }
}

static void check_golden(const char *vector)
{
    golden_instance t;
    cuzk_accel *dev = NULL;
    cuzk_toxic toxic;
    cuzk_err err;
    if (cuzk_accel_cuda_count() == 0) {
        cuzk_test_skip("no CUDA device");
    }
    golden_instance_open(&t, vector);
    seed_toxic(&toxic);
    CHECK_OK(cuzk_accel_cuda_open(&dev, 0, (uint64_t)4 << 30, &err), &err);
    for (unsigned stream = 0; stream < 2; stream++) {
        const cuzk_device_key_opts opts = {.stream = stream == 1};
        cuzk_device_key *k = NULL;
        CHECK_OK(cuzk_device_key_setup(&k, dev, t.c, &toxic, &opts, NULL, &err), &err);
        check_vector(&t, k);
        cuzk_device_key_destroy(k);
    }
    cuzk_accel_close(dev);
    golden_instance_close(&t);
}

static void porep(void)
{
    check_golden("porep-v1_1[0]");
}

static void window(void)
{
    check_golden("window[0]");
}

static void window_v1(void)
{
    check_golden("windowv1[0]");
}

static void winning(void)
{
    check_golden("winning[0]");
}

static void update(void)
{
    check_golden("update[0]");
}

static const cuzk_case cases[] = {CASE(porep), CASE(window), CASE(window_v1), CASE(winning),
                                  CASE(update)};
TEST_MAIN("accel_cuda/golden", cases)
