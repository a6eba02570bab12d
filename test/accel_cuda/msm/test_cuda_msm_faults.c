/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Every CUDA call and every host allocation fails once: a status, nothing lost, the next sum right. */
#include <string.h>

#include "accel/cuda/msm/msm.h"
#include "accel/cuda/msm/msm_internal.h"
#include "accel/cuda/queue/status.h"
#include "accel_cuda/cuda_test.h"
#include "base/alloc.h"
#include "msm/msm.h"

#include "cuda_msm_scalars.h"

#define N 300u

/* The job's inputs and right results, for both groups. */
typedef struct inputs {
    cuzk_g1_affine p1[N];
    cuzk_g2_affine p2[N];
    cuzk_scalar scalars[N];
    uint64_t bits[N / 64 + 1];
    cuzk_g1 sum1, bits1;
    cuzk_g2 sum2, bits2;
} inputs;

static void make_inputs(inputs *in)
{
    cuzk_err err;
    cuzk_g1 a;
    cuzk_g2 b;
    cuzk_g1_from_affine(&a, &CUZK_G1_GENERATOR);
    cuzk_g2_from_affine(&b, &CUZK_G2_GENERATOR);
    for (size_t i = 0; i < N; i++) {
        cuzk_g1_to_affine(&in->p1[i], &a);
        cuzk_g2_to_affine(&in->p2[i], &b);
        cuzk_g1_dbl(&a, &a);
        cuzk_g2_dbl(&b, &b);
    }
    fill_scalars(in->scalars, N, DENSE, 40);
    for (size_t i = 0; i < N / 64 + 1; i++) {
        in->bits[i] = test_u64();
    }
    CHECK_OK(cuzk_msm_g1(&in->sum1, in->p1, in->scalars, N, 40, NULL, NULL, &err), &err);
    CHECK_OK(cuzk_msm_g2(&in->sum2, in->p2, in->scalars, N, 40, NULL, NULL, &err), &err);
    CHECK_OK(cuzk_msm_bits_g1(&in->bits1, in->p1, in->bits, N, NULL, NULL, &err), &err);
    CHECK_OK(cuzk_msm_bits_g2(&in->bits2, in->p2, in->bits, N, NULL, NULL, &err), &err);
}

/* What a job holds. */
typedef struct job {
    cuzk_cuda_queue *q;
    cuzk_cuda_msm *m1, *m2, *tree, *hex;
    void *d_p1, *d_p2, *d_images, *d_scalars, *d_bits;
} job;

static cuzk_status run_job(job *j, cuzk_cuda_mem *mem, const inputs *in, cuzk_err *err)
{
    const cuzk_cuda_msm_tuning tuning = {
        .lg_level_entries = 2, .lg_batch_entries = 2, .level_load = 16};
    cuzk_g1 a;
    cuzk_g2 b;
    CUZK_TRY(cuzk_cuda_queue_create_in(&j->q, mem, err));
    CUZK_TRY(cuzk_cuda_alloc(j->q, &j->d_p1, sizeof(in->p1), err));
    CUZK_TRY(cuzk_cuda_alloc(j->q, &j->d_images, N * CUZK_CUDA_MSM_IMAGE_BYTES, err));
    CUZK_TRY(cuzk_cuda_alloc(j->q, &j->d_p2, sizeof(in->p2), err));
    CUZK_TRY(cuzk_cuda_alloc(j->q, &j->d_scalars, sizeof(in->scalars), err));
    CUZK_TRY(cuzk_cuda_alloc(j->q, &j->d_bits, sizeof(in->bits), err));
    CUZK_TRY(cuzk_cuda_upload(j->q, j->d_p1, in->p1, sizeof(in->p1), err));
    CUZK_TRY(cuzk_cuda_upload(j->q, j->d_p2, in->p2, sizeof(in->p2), err));
    CUZK_TRY(cuzk_cuda_upload(j->q, j->d_scalars, in->scalars, sizeof(in->scalars), err));
    CUZK_TRY(cuzk_cuda_upload(j->q, j->d_bits, in->bits, sizeof(in->bits), err));
    CUZK_TRY(
        cuzk_cuda_msm_create(&j->m1, j->q, N, cuzk_cuda_msm_of_scalars(40), CUZK_CUDA_MSM_G1, err));
    CUZK_TRY(
        cuzk_cuda_msm_create(&j->m2, j->q, N, cuzk_cuda_msm_of_scalars(40), CUZK_CUDA_MSM_G2, err));
    CUZK_TRY(cuzk_cuda_msm_create_tuned(&j->tree, j->q, NULL, 0, N, cuzk_cuda_msm_of_scalars(40),
                                        CUZK_CUDA_MSM_G1, &tuning, err));
    CUZK_TRY(cuzk_cuda_msm_create_tuned(&j->hex, j->q, NULL, 0, N, cuzk_cuda_msm_of_images(),
                                        CUZK_CUDA_MSM_G1, &tuning, err));
    CUZK_TRY(cuzk_cuda_msm_make_images_g1(j->q, j->d_images, j->d_p1, N, err));
    CUZK_TRY(cuzk_cuda_msm_g1_enqueue(j->m1, j->q, j->d_p1, j->d_scalars, N, err));
    CUZK_TRY(cuzk_cuda_msm_g2_enqueue(j->m2, j->q, j->d_p2, j->d_scalars, N, err));
    CUZK_TRY(cuzk_cuda_msm_g2_finish(j->m2, &b, err));
    CHECK(cuzk_g2_eq(&b, &in->sum2));
    CUZK_TRY(cuzk_cuda_msm_g1_finish(j->m1, &a, err));
    CHECK(cuzk_g1_eq(&a, &in->sum1));
    CUZK_TRY(cuzk_cuda_msm_bits_g1(j->m1, j->q, &a, j->d_p1, j->d_bits, N, err));
    CHECK(cuzk_g1_eq(&a, &in->bits1));
    CUZK_TRY(cuzk_cuda_msm_bits_g2(j->m2, j->q, &b, j->d_p2, j->d_bits, N, err));
    CHECK(cuzk_g2_eq(&b, &in->bits2));
    CUZK_TRY(cuzk_cuda_msm_g1(j->tree, j->q, &a, j->d_p1, j->d_scalars, N, err));
    CHECK(cuzk_g1_eq(&a, &in->sum1));
    CUZK_TRY(cuzk_cuda_msm_images_g1(j->hex, j->q, &a, j->d_p1, j->d_images, j->d_scalars, N, err));
    CHECK(cuzk_g1_eq(&a, &in->sum1));
    return cuzk_cuda_queue_sync(j->q, err);
}

static cuzk_status run(cuzk_cuda_mem *mem, const inputs *in, cuzk_err *err)
{
    job j = {0};
    const cuzk_status st = run_job(&j, mem, in, err);
    if (j.q != NULL) {
        cuzk_cuda_msm_destroy(j.m1, j.q);
        cuzk_cuda_msm_destroy(j.m2, j.q);
        cuzk_cuda_msm_destroy(j.tree, j.q);
        cuzk_cuda_msm_destroy(j.hex, j.q);
        cuzk_cuda_free(j.q, j.d_p1);
        cuzk_cuda_free(j.q, j.d_p2);
        cuzk_cuda_free(j.q, j.d_images);
        cuzk_cuda_free(j.q, j.d_scalars);
        cuzk_cuda_free(j.q, j.d_bits);
    }
    cuzk_cuda_queue_destroy(j.q);
    return st;
}

static cuzk_cuda_mem *new_memory(void)
{
    cuzk_err err;
    cuzk_cuda_mem *mem = NULL;
    cuzk_cuda_queue_destroy(cuda_queue()); /* skips without a device */
    CHECK_OK(cuzk_cuda_mem_create(&mem, 0, (uint64_t)256 << 20, &err), &err);
    return mem;
}

static inputs *new_inputs(void)
{
    inputs *in = cuzk_alloc_zero(1, sizeof(*in));
    CHECK(in != NULL);
    make_inputs(in);
    return in;
}

static void every_call_fails(void)
{
    cuzk_err err;
    cuzk_cuda_mem *mem = new_memory();
    inputs *in = new_inputs();
    const uint64_t blocks = cuzk_alloc_get_stats().blocks_now, memory = cuzk_cuda_mem_free(mem);
    for (unsigned kind = 0; kind < 2; kind++) {
        const cudaError_t e = kind == 0 ? cudaErrorMemoryAllocation : cudaErrorLaunchFailure;
        const cuzk_status want = kind == 0 ? CUZK_E_DEV_NOMEM : CUZK_E_DEV_LOST;
        uint64_t n = 1;
        for (;; n++) {
            (void)cuzk_cuda_fail_nth(n, e, false);
            const cuzk_status st = run(mem, in, &err);
            const uint64_t calls = cuzk_cuda_fail_nth(0, e, false);
            CHECK_U64(cuzk_alloc_get_stats().blocks_now, blocks);
            CHECK_U64(cuzk_cuda_mem_free(mem), memory);
            if (calls < n) {
                CHECK_OK(st, &err);
                break;
            }
            CHECK(st == want || st == CUZK_E_DEV_NOMEM); /* the reservation's own */
        }
        CHECK(n > 50);
        CHECK_OK(run(mem, in, &err), &err);
    }
    cuzk_free(in);
    cuzk_cuda_mem_destroy(mem);
}

static void every_allocation_fails(void)
{
    cuzk_err err;
    cuzk_cuda_mem *mem = new_memory();
    inputs *in = new_inputs();
    const uint64_t blocks = cuzk_alloc_get_stats().blocks_now;
    cuzk_status st = CUZK_E_NOMEM;
    uint64_t n = 0;
    while (st != CUZK_OK) {
        cuzk_alloc_fail_nth(++n, false);
        st = run(mem, in, &err);
        cuzk_alloc_fail_nth(0, false);
        CHECK(st == CUZK_OK || st == CUZK_E_NOMEM);
        CHECK_U64(cuzk_alloc_get_stats().blocks_now, blocks);
    }
    CHECK(n > 4);
    cuzk_free(in);
    cuzk_cuda_mem_destroy(mem);
}

static const cuzk_case cases[] = {CASE(every_call_fails), CASE(every_allocation_fails)};
TEST_MAIN("accel_cuda/msm_faults", cases)
