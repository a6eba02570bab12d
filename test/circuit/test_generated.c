/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Synthetic inputs satisfy their circuits, row by row. Built twice: sizes up to 16 MiB, and with
 * CUZK_LARGE those up to 64 GiB, which take minutes and 9 GB.
 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "circuit/filecoin.h"
#include "circuit/fill.h"
#include "vanilla/generate/generate.h"

#include "test.h"

#define MIB ((uint64_t)1 << 20)
#define GIB ((uint64_t)1 << 30)

typedef struct fixture {
    cuzk_pool *pool;
    cuzk_hashes *h;
    cuzk_circuit *c;
    cuzk_witness *w;
} fixture;

static void fixture_open(fixture *r, cuzk_circuit_kind kind, uint64_t bytes)
{
    cuzk_err err;
    CHECK_OK(cuzk_pool_create(&r->pool, NULL, &err), &err);
    CHECK_OK(cuzk_hashes_create(&r->h, &err), &err);
    CHECK_OK(cuzk_filecoin_circuit_build(kind, bytes, &r->c, &err), &err);
    CHECK_OK(cuzk_witness_create(&r->w, r->c, &err), &err);
}

static void fixture_close(fixture *r)
{
    cuzk_witness_destroy(r->w);
    cuzk_circuit_destroy(r->c);
    cuzk_hashes_destroy(r->h);
    cuzk_pool_destroy(r->pool);
}

static void satisfied(fixture *r)
{
    cuzk_err err;
    uint64_t bad = 0;
    CHECK_OK(cuzk_r1cs_check(r->w, &bad, r->pool, NULL, &err), &err);
}

static void porep(uint64_t bytes, uint32_t n_partitions)
{
    fixture r;
    cuzk_err err;
    cuzk_porep_input *in;
    fixture_open(&r, CUZK_CIRCUIT_POREP, bytes);
    CHECK_OK(cuzk_generate_porep(&in, bytes, 11, r.h, &err), &err);
    for (uint32_t k = 0; k < n_partitions; k++) {
        const uint64_t cpu = cuzk_clock_cpu_ns();
        CHECK_OK(cuzk_porep_fill(r.w, in, k, r.h, r.pool, NULL, &err), &err);
        if (bytes >= 32 * GIB) {
            (void)printf("witness of partition %u: %.3f core-seconds\n", k,
                         (double)(cuzk_clock_cpu_ns() - cpu) * 1e-9);
        }
        satisfied(&r);
    }
    cuzk_porep_input_destroy(in);
    fixture_close(&r);
}

static void post(bool window, uint64_t bytes)
{
    fixture r;
    cuzk_err err;
    cuzk_post_input *in;
    cuzk_post_statement st;
    fixture_open(&r, window ? CUZK_CIRCUIT_WINDOW : CUZK_CIRCUIT_WINNING, bytes);
    CHECK_OK(cuzk_generate_post(&in, &st, window, bytes, 0, 12, r.h, &err), &err);
    const uint64_t cpu = cuzk_clock_cpu_ns();
    CHECK_OK(cuzk_post_fill(r.w, in, window, r.h, r.pool, NULL, &err), &err);
    if (window && bytes >= 32 * GIB) {
        (void)printf("witness of the partition: %.3f core-seconds\n",
                     (double)(cuzk_clock_cpu_ns() - cpu) * 1e-9);
    }
    satisfied(&r);
    cuzk_post_input_destroy(in);
    fixture_close(&r);
}

static void update(uint64_t bytes)
{
    fixture r;
    cuzk_err err;
    cuzk_update_input *in;
    cuzk_update_statement st;
    fixture_open(&r, CUZK_CIRCUIT_UPDATE, bytes);
    const uint32_t last = cuzk_sector_shape_of(bytes)->update_partitions - 1u;
    CHECK_OK(cuzk_generate_update(&in, &st, bytes, last, 13, r.h, &err), &err);
    CHECK_OK(cuzk_update_fill(r.w, in, &st, r.h, r.pool, NULL, &err), &err);
    satisfied(&r);
    cuzk_update_input_destroy(in);
    fixture_close(&r);
}

#ifndef CUZK_LARGE
static void small_porep(void)
{
    porep(2048, 1);
    porep(8 * MIB, 1);
}

static void small_post(void)
{
    static const uint64_t sizes[] = {2048, 4096, 16384, 32768, 8 * MIB, 16 * MIB};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        post(false, sizes[i]);
        post(true, sizes[i]);
    }
}

static void small_update(void)
{
    update(2048);
    update(4096);
    update(16384);
}

/* A changed wire is found, and named by its place in the circuit. */
static void bad_row_is_named(void)
{
    fixture r;
    cuzk_err err;
    cuzk_porep_input *in;
    uint64_t bad = 0;
    fixture_open(&r, CUZK_CIRCUIT_POREP, 2048);
    CHECK_OK(cuzk_generate_porep(&in, 2048, 11, r.h, &err), &err);
    CHECK_OK(cuzk_porep_fill(r.w, in, 0, r.h, r.pool, NULL, &err), &err);
    const cuzk_witness_part block = cuzk_witness_block(r.w, 1);
    block.bits[r.c->block.n_bits / 128] ^= 1; /* half way through the second challenge's bits */
    CHECK_STATUS(cuzk_r1cs_check(r.w, &bad, r.pool, NULL, &err), CUZK_E_UNSATISFIED);
    CHECK(bad >= r.c->preamble.n_rows + r.c->block.n_rows);
    CHECK_MSG(strstr(err.msg, "sha256") != NULL || strstr(err.msg, "label") != NULL, "%s", err.msg);
    cuzk_porep_input_destroy(in);
    fixture_close(&r);
}

static const cuzk_case cases[] = {
    CASE(small_porep),
    CASE(small_post),
    CASE(small_update),
    CASE(bad_row_is_named),
};
#else
static void large_others(void)
{
    porep(512 * MIB, 1);
    post(false, 32 * GIB);
    post(false, 64 * GIB);
    update(8 * MIB);
    update(32 * GIB);
}

static void large_porep_32gib_all_partitions(void)
{
    porep(32 * GIB, 10);
}

static void large_window_32gib(void)
{
    post(true, 32 * GIB);
}

static const cuzk_case cases[] = {
    CASE(large_others),
    CASE(large_porep_32gib_all_partitions),
    CASE(large_window_32gib),
};
#endif
TEST_MAIN("circuit/generated", cases)
