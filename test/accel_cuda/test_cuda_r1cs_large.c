/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Whole partitions of 32 GiB sectors: A.w, B.w and C.w on the device are those of the host. */
#include <string.h>

#include "base/alloc.h"

#include "cuda_instance.h"
#include "cuda_test.h"

#define MIB ((uint64_t)1 << 20)

/* A whole partition; some GB of host memory. */
static void large(cuzk_circuit_kind kind, uint64_t bytes)
{
    cuda_instance t;
    cuzk_err err;
    double ms = 0;
    cuzk_pool *pool = NULL;
    cuda_instance_filecoin(&t, kind, bytes);
    CHECK_OK(cuzk_pool_create(&pool, NULL, &err), &err);
    const uint64_t n = (uint64_t)1 << cuzk_circuit_lg_domain(t.c);
    cuzk_fr *want = cuda_host(n * sizeof(*want)), *got = cuda_host(n * sizeof(*got));
    void *d = NULL;
    CHECK_OK(cuzk_cuda_alloc(t.q, &d, n * sizeof(*got), &err), &err);
    for (unsigned m = 0; m < 3; m++) {
        CHECK_OK(cuzk_cuda_eval(t.dc, t.q, t.d_witness, (cuzk_matrix_id)m, d, n, &err), &err);
        CHECK_OK(cuzk_cuda_timer_start(t.q, &err), &err);
        CHECK_OK(cuzk_cuda_eval(t.dc, t.q, t.d_witness, (cuzk_matrix_id)m, d, n, &err), &err);
        CHECK_OK(cuzk_cuda_timer_stop(t.q, &ms, &err), &err);
        (void)printf("%s, matrix %u: %.3f ms\n", cuzk_circuit_kind_name(kind), m, ms);
        CHECK_OK(cuzk_r1cs_eval(want, n, t.w, (cuzk_matrix_id)m, pool, NULL, &err), &err);
        CHECK_OK(cuzk_cuda_download(t.q, got, d, n * sizeof(*got), &err), &err);
        CHECK(memcmp(got, want, n * sizeof(*got)) == 0);
    }
    CHECK_OK(cuzk_cuda_timer_start(t.q, &err), &err);
    CHECK_OK(cuzk_cuda_eval_check(t.dc, t.q, t.d_witness, d, &err), &err);
    CHECK_OK(cuzk_cuda_timer_stop(t.q, &ms, &err), &err);
    (void)printf("%s, check: %.3f ms\n", cuzk_circuit_kind_name(kind), ms);
    CHECK_OK(cuzk_cuda_download(t.q, got, d, sizeof(uint64_t), &err), &err);
    CHECK_U64(got[0].l[0], UINT64_MAX);
    cuzk_cuda_free(t.q, d);
    cuzk_free(want);
    cuzk_free(got);
    cuzk_pool_destroy(pool);
    cuda_instance_close(&t);
}

static void large_porep(void)
{
    large(CUZK_CIRCUIT_POREP, 32768 * MIB);
}

static void large_window(void)
{
    large(CUZK_CIRCUIT_WINDOW, 32768 * MIB);
}

static void large_update(void)
{
    large(CUZK_CIRCUIT_UPDATE, 32768 * MIB);
}

static const cuzk_case cases[] = {CASE(large_porep), CASE(large_window), CASE(large_update)};

TEST_MAIN("accel_cuda/r1cs_large", cases)
