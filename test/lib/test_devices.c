/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The path of <cuzk/prove.h> on devices, with devices that compute on the CPU: the library is built without CUDA, so the
 * test gives them to the prover itself. What a GPU computes is for test/accel_cuda.
 */
#include <string.h>

#include "accel/mock/mock_accel.h"
#include "lib/prover_internal.h"

#include "golden_jobs.h"

#define MEMORY ((uint64_t)1 << 30)

/* A prover with n devices. */
static cuzk_prover *open_prover(size_t n)
{
    const cuzk_prover_options o = {.struct_size = sizeof(o),
                                   .devices = "cpu",
                                   .params_folder = golden_params(CUZK_KIND_WINDOW)};
    cuzk_prover *p = NULL;
    cuzk_err err = {.msg = ""};
    LIB_OK(cuzk_prover_create(&p, &o, &golden_error));
    for (size_t i = 0; i < n; i++) { /* there is no job yet that reads them */
        CHECK_OK(cuzk_accel_mock_open(&p->devices[i], (uint32_t)i, MEMORY, p->pool, &err), &err);
        p->n_devices++;
    }
    return p;
}

static bool has_span(const cuzk_task_span *spans, size_t n, const char *name, int32_t device)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(spans[i].name, name) == 0 && spans[i].device == device) {
            return true;
        }
    }
    return false;
}

/* A proof with the steps that the daemon's proofs have on a device, and none of those of the CPU. */
static void a_proof_by_a_device(void)
{
    static const char *const steps[] = {"gpu_total", "eval", "quotient", "msm_h", "b_g2_msm"};
    static cuzk_task_span spans[512];
    golden_job j;
    cuzk_task *t = NULL;
    uint8_t proof[192];
    size_t n = 0;
    cuzk_prover *p = open_prover(2);
    golden_job_make(&j, "window");
    j.rq.flags |= CUZK_PROVE_SPANS | CUZK_PROVE_CHECK_ROWS;
    LIB_OK(cuzk_prover_submit(&t, p, &j.rq, &golden_error));
    CHECK(cuzk_task_wait(t, -1) == 1);
    LIB_OK(cuzk_task_result(t, proof, sizeof(proof), &n, &golden_error));
    CHECK_U64(n, 192);
    LIB_OK(golden_verify(&j, proof, n));
    const size_t n_spans = cuzk_task_spans(t, spans, sizeof(spans) / sizeof(spans[0]));
    CHECK(n_spans > 0 && n_spans <= sizeof(spans) / sizeof(spans[0]));
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        CHECK_MSG(has_span(spans, n_spans, steps[i], 0) || has_span(spans, n_spans, steps[i], 1),
                  "no step %s on a device", steps[i]);
    }
    for (size_t i = 0; i < 2; i++) {
        CHECK(cuzk_accel_mock_stats(p->devices[i]).objects > 0); /* the key is on both */
    }
    CHECK(has_span(spans, n_spans, "check", -1) && has_span(spans, n_spans, "verify", -1));
    CHECK(!has_span(spans, n_spans, "msm_h", -1) && !has_span(spans, n_spans, "ntt", -1));
    cuzk_task_destroy(t);
    cuzk_prover_destroy(p);
}

/* The device's failure is the machine's; after a passing one the prover goes on, a lost device stays lost. */
static void a_device_fails(void)
{
    const cuzk_mock_script wrong = {.wrong_sum_at = 1}, none = {.fail_at = 0};
    const cuzk_mock_script lost = {.fail_at = 1, .fail_with = CUZK_E_DEV_LOST};
    golden_job j;
    uint8_t proof[192];
    size_t n = 0;
    cuzk_prover *p = open_prover(1);
    golden_job_make(&j, "window");
    LIB_OK(cuzk_prover_load(p, CUZK_KIND_WINDOW, 2048, &golden_error));
    cuzk_accel_mock_set(p->devices[0], &wrong);
    LIB_STATUS(cuzk_prover_prove(p, proof, 192, &n, &j.rq, &golden_error), CUZK_E_SELFTEST);
    CHECK(golden_error.error_class == CUZK_CLASS_ENVIRONMENT);
    cuzk_accel_mock_set(p->devices[0], &none);
    LIB_OK(cuzk_prover_prove(p, proof, 192, &n, &j.rq, &golden_error));
    LIB_OK(golden_verify(&j, proof, n));
    cuzk_accel_mock_set(p->devices[0], &lost);
    for (int i = 0; i < 2; i++) {
        LIB_STATUS(cuzk_prover_prove(p, proof, 192, &n, &j.rq, &golden_error), CUZK_E_DEV_LOST);
        CHECK(golden_error.error_class == CUZK_CLASS_ENVIRONMENT);
    }
    cuzk_prover_destroy(p);
}

/* A false input is found before the device computes, and nothing stays in the device's memory. */
static void devices_are_given_back(void)
{
    golden_job j;
    uint8_t proof[192];
    size_t n = 0;
    cuzk_prover *p = open_prover(1);
    golden_job_make(&j, "window");
    j.rq.randomness[0] ^= 1;
    LIB_STATUS(cuzk_prover_prove(p, proof, 192, &n, &j.rq, &golden_error), CUZK_E_VANILLA);
    LIB_OK(cuzk_prover_unload(p, CUZK_KIND_WINDOW, 2048, &golden_error));
    const cuzk_mock_stats s = cuzk_accel_mock_stats(p->devices[0]);
    CHECK(s.bytes == 0 && s.blocks == 0 && s.objects == 0 && s.queues == 0);
    cuzk_prover_destroy(p);
}

static const cuzk_case cases[] = {CASE(a_proof_by_a_device), CASE(a_device_fails),
                                  CASE(devices_are_given_back)};
TEST_MAIN("lib/devices", cases)
