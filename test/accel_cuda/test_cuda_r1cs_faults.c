/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Every CUDA call and every host allocation fails once: a status, nothing lost, the next job fine. */
#include <string.h>

#include "accel/cuda/queue/status.h"
#include "accel/cuda/r1cs/r1cs.h"
#include "accel/cuda/section/section.h"
#include "accel/cuda/section/srs.h"
#include "accel/cuda/setup/setup.h"
#include "base/alloc.h"
#include "groth16/circuits.h"
#include "groth16/setup/setup.h"

#include "cuda_test.h"

#define SLICE ((uint64_t)1 << 19) /* the tables in one step */

/* A job holds some 400 MB; what the driver keeps, and what other processes give back, varies. */
#define SLACK ((uint64_t)64 << 20)

/* What a job holds. */
typedef struct job {
    cuzk_cuda_queue *q;
    const cuzk_circuit *c;
    const cuzk_witness *w;
    cuzk_cuda_circuit *dc;
    cuzk_cuda_sections *sections;
    void *d_circuit, *d_witness, *d_sections, *d_out, *d_points, *d_report, *d_setup, *staging;
    uint64_t points; /* that setup made */
} job;

static cuzk_status take_points(void *arg, cuzk_cuda_queue *q, cuzk_srs_section section,
                               uint64_t first, uint64_t n, const void *d_points, cuzk_err *err)
{
    job *j = arg;
    (void)section;
    (void)first;
    j->points += n;
    return cuzk_cuda_copy(q, j->d_points, d_points, 96, err);
}

static cuzk_status run_sections(job *j, cuzk_err *err)
{
    CUZK_TRY(cuzk_cuda_alloc(j->q, &j->d_sections, cuzk_cuda_sections_bytes(j->c, false), err));
    CUZK_TRY(cuzk_cuda_sections_create(&j->sections, j->q, j->c, false, j->d_sections, err));
    for (unsigned i = 0; i < CUZK_SRS_WIRE_SETS; i++) {
        const cuzk_srs_section wires = cuzk_srs_of_wire_set(i);
        const uint64_t count = cuzk_cuda_sections_count(j->sections, wires);
        CUZK_TRY(
            cuzk_cuda_sections_gather_bits(j->sections, j->q, j->d_witness, wires, j->d_out, err));
        CUZK_TRY(
            cuzk_cuda_sections_gather_fulls(j->sections, j->q, j->d_witness, wires, j->d_out, err));
        CUZK_TRY(cuzk_cuda_sections_split_g1(j->sections, j->q, wires, 0, count < 10 ? count : 10,
                                             j->d_out, j->d_out, j->d_points, err));
    }
    return CUZK_OK;
}

static cuzk_status run_job(job *j, cuzk_err *err)
{
    uint64_t bad = 0, report = 0;
    cuzk_toxic x;
    cuzk_toxic_from_seed(&x, 3);
    const uint64_t n = cuzk_circuit_prover_rows(j->c) + 7;
    const uint64_t big = (n + j->c->n_aux + 64) * 192;
    CUZK_TRY(cuzk_cuda_queue_create(&j->q, 0, err));
    CUZK_TRY(cuzk_cuda_alloc(j->q, &j->d_circuit, cuzk_cuda_circuit_bytes(j->c, true), err));
    CUZK_TRY(cuzk_cuda_alloc(j->q, &j->d_witness, cuzk_cuda_witness_bytes(j->c), err));
    CUZK_TRY(cuzk_cuda_alloc(j->q, &j->d_out, big, err));
    CUZK_TRY(cuzk_cuda_alloc(j->q, &j->d_points, 100 * 192, err));
    CUZK_TRY(cuzk_cuda_alloc(j->q, &j->d_report, sizeof(report), err));
    CUZK_TRY(cuzk_cuda_alloc(j->q, &j->d_setup, cuzk_cuda_setup_bytes(j->c, SLICE), err));
    CUZK_TRY(cuzk_cuda_circuit_create(&j->dc, j->q, j->c, true, j->d_circuit, err));
    CUZK_TRY(cuzk_cuda_witness_upload(j->dc, j->q, j->d_witness, j->w, j->staging, err));
    CUZK_TRY(cuzk_cuda_witness_upload(j->dc, j->q, j->d_witness, j->w, NULL, err));
    for (unsigned m = 0; m < 3; m++) {
        CUZK_TRY(cuzk_cuda_eval(j->dc, j->q, j->d_witness, (cuzk_matrix_id)m, j->d_out, n, err));
    }
    CUZK_TRY(cuzk_cuda_eval_check(j->dc, j->q, j->d_witness, j->d_report, err));
    CUZK_TRY(cuzk_cuda_download(j->q, &bad, j->d_report, sizeof(bad), err));
    CHECK_U64(bad, UINT64_MAX);
    CUZK_TRY(run_sections(j, err));
    CUZK_TRY(cuzk_cuda_srs_report_reset(j->q, j->d_report, err));
    CUZK_TRY(cuzk_cuda_srs_decode_g1(j->q, j->d_points, j->d_points, 10, 0, CUZK_POINT_ON_CURVE,
                                     true, j->d_report, err));
    CUZK_TRY(cuzk_cuda_srs_decode_g2(j->q, j->d_points, j->d_points, 10, 0, CUZK_POINT_UNCHECKED,
                                     true, j->d_report, err));
    CUZK_TRY(cuzk_cuda_download(j->q, &report, j->d_report, sizeof(report), err));
    CUZK_TRY(cuzk_cuda_setup_run(j->q, j->c, &x, 0x3f, SLICE, j->d_setup, take_points, j, err));
    CHECK(j->points > j->c->n_aux);
    return cuzk_cuda_queue_sync(j->q, err);
}

static cuzk_status run(const test_instance *t, void *staging, cuzk_err *err)
{
    job j = {.c = t->c, .w = t->w, .staging = staging};
    const cuzk_status st = run_job(&j, err);
    cuzk_cuda_circuit_destroy(j.dc);
    cuzk_cuda_sections_destroy(j.sections);
    if (j.q != NULL) {
        cuzk_cuda_free(j.q, j.d_circuit);
        cuzk_cuda_free(j.q, j.d_witness);
        cuzk_cuda_free(j.q, j.d_sections);
        cuzk_cuda_free(j.q, j.d_out);
        cuzk_cuda_free(j.q, j.d_points);
        cuzk_cuda_free(j.q, j.d_report);
        cuzk_cuda_free(j.q, j.d_setup);
    }
    cuzk_cuda_queue_destroy(j.q);
    return st;
}

static uint64_t free_device_memory(void)
{
    size_t now = 0, total = 0;
    CHECK(cudaMemGetInfo(&now, &total) == cudaSuccess);
    return now;
}

static void every_call_fails(void)
{
    cuzk_err err;
    cuzk_cuda_queue_destroy(cuda_queue());
    test_instance t = test_circuit_blocks(3);
    void *staging = cuzk_alloc((size_t)cuzk_cuda_witness_staging_bytes(t.c), 1);
    CHECK(staging != NULL);
    CHECK_OK(run(&t, staging, &err), &err); /* loads all kernels */
    const uint64_t blocks = cuzk_alloc_get_stats().blocks_now, memory = free_device_memory();
    for (unsigned kind = 0; kind < 2; kind++) {
        const cudaError_t e = kind == 0 ? cudaErrorMemoryAllocation : cudaErrorLaunchFailure;
        const cuzk_status want = kind == 0 ? CUZK_E_DEV_NOMEM : CUZK_E_DEV_LOST;
        uint64_t n = 1;
        for (;; n++) {
            (void)cuzk_cuda_fail_nth(n, e, false);
            const cuzk_status st = run(&t, staging, &err);
            const uint64_t calls = cuzk_cuda_fail_nth(0, e, false);
            CHECK_U64(cuzk_alloc_get_stats().blocks_now, blocks);
            if (calls < n) {
                CHECK_OK(st, &err);
                break;
            }
            CHECK_STATUS(st, want);
        }
        CHECK(n > 50);
        CHECK(free_device_memory() + SLACK >= memory);
        CHECK_OK(run(&t, staging, &err), &err);
    }
    cuzk_free(staging);
    test_instance_destroy(&t);
}

static void every_allocation_fails(void)
{
    cuzk_err err;
    cuzk_cuda_queue_destroy(cuda_queue());
    test_instance t = test_circuit_blocks(3);
    void *staging = cuzk_alloc((size_t)cuzk_cuda_witness_staging_bytes(t.c), 1);
    CHECK(staging != NULL);
    const uint64_t blocks = cuzk_alloc_get_stats().blocks_now;
    cuzk_status st = CUZK_E_NOMEM;
    uint64_t n = 0;
    while (st != CUZK_OK) {
        cuzk_alloc_fail_nth(++n, false);
        st = run(&t, staging, &err);
        cuzk_alloc_fail_nth(0, false);
        CHECK(st == CUZK_OK || st == CUZK_E_NOMEM);
        CHECK_U64(cuzk_alloc_get_stats().blocks_now, blocks);
    }
    CHECK(n > 30);
    cuzk_free(staging);
    test_instance_destroy(&t);
}

static const cuzk_case cases[] = {CASE(every_call_fails), CASE(every_allocation_fails)};

TEST_MAIN("accel_cuda/r1cs_faults", cases)
