/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Every Filecoin circuit against what the original implementation synthesises. With "slow" as its
 * argument the program takes the large circuits, else those that take well under a second each.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "circuit/filecoin.h"
#include "circuit/golden.h"
#include "circuit/record.h"
#include "r1cs/witness.h"

#include "test.h"

#define KIB ((uint64_t)1 << 10)
#define MIB ((uint64_t)1 << 20)
#define GIB ((uint64_t)1 << 30)

static cuzk_circuit *build(cuzk_circuit_kind kind, uint64_t bytes)
{
    cuzk_circuit *c = NULL;
    cuzk_err err;
    CHECK_OK(cuzk_filecoin_circuit_build(kind, bytes, &c, &err), &err);
    return c;
}

static void check_golden(const golden_file *file, cuzk_circuit_kind kind, uint64_t bytes)
{
    const golden *want = golden_circuit(file, cuzk_circuit_kind_name(kind), bytes);
    CHECK(want != NULL);
    cuzk_circuit *c = build(kind, bytes);
    cuzk_circuit_spec spec;
    CHECK_STATUS(cuzk_circuit_spec_of(&spec, kind, bytes, NULL), CUZK_OK);
    CHECK_U64(c->n_inputs, spec.n_inputs);
    CHECK_U64(c->n_blocks, spec.n_blocks);
    golden_check_counts(c, want);
    golden_check_transcript(c, want);
    cuzk_circuit_destroy(c);
}

static void check_kind(cuzk_circuit_kind kind, uint64_t max_bytes)
{
    golden_file file;
    golden_load(&file);
    unsigned n, done = 0;
    const cuzk_sector_shape *s = cuzk_sector_shapes(&n);
    for (unsigned i = 0; i < n && s[i].bytes <= max_bytes; i++) {
        if (golden_circuit(&file, cuzk_circuit_kind_name(kind), s[i].bytes) != NULL) {
            check_golden(&file, kind, s[i].bytes);
            done++;
        }
    }
    CHECK(done > 0);
    golden_unload(&file);
}

static void porep(void)
{
    check_kind(CUZK_CIRCUIT_POREP, 2 * KIB);
}

static void winning(void)
{
    check_kind(CUZK_CIRCUIT_WINNING, 64 * GIB);
}

static void window(void)
{
    check_kind(CUZK_CIRCUIT_WINDOW, 1 * GIB);
}

static void update(void)
{
    check_kind(CUZK_CIRCUIT_UPDATE, 2 * KIB);
}

/* Circuits whose transcripts nobody recorded: counts of an independent model (docs/spec/counts.md). */
static void counts_without_transcript(void)
{
    static const struct {
        cuzk_circuit_kind kind;
        golden want;
    } t[] = {
        {CUZK_CIRCUIT_POREP,
         {.sector_bytes = 16 * MIB,
          .rows = 3945741,
          .inputs = 40,
          .aux = 3943199,
          .nnz = {9664839 - 40, 3948822, 8441108},
          .a_aux_density = 3913246,
          .b_input_density = 1,
          .b_aux_density = 1041807}},
        {CUZK_CIRCUIT_WINNING,
         {.sector_bytes = 32 * KIB,
          .rows = 146454,
          .inputs = 133,
          .aux = 147906,
          .nnz = {1003201 - 133, 148500, 183348},
          .a_aux_density = 111804,
          .b_input_density = 1,
          .b_aux_density = 107976}},
        {CUZK_CIRCUIT_WINDOW,
         {.sector_bytes = 16 * KIB,
          .rows = 32466,
          .inputs = 23,
          .aux = 32868,
          .nnz = {223285 - 23, 33010, 40776},
          .a_aux_density = 24910,
          .b_input_density = 1,
          .b_aux_density = 23808}},
        /* The table counts the entry 0 * ONE of the first challenge digest. */
        {CUZK_CIRCUIT_UPDATE,
         {.sector_bytes = 4 * KIB,
          .rows = 2165109,
          .inputs = 5,
          .aux = 2163189,
          .nnz = {5115093 - 5 - 1, 2166947, 4593178},
          .a_aux_density = 2155229,
          .b_input_density = 1,
          .b_aux_density = 564063}},
    };
    for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
        cuzk_circuit *c = build(t[i].kind, t[i].want.sector_bytes);
        golden_check_counts(c, &t[i].want);
        cuzk_circuit_destroy(c);
    }
}

/* A block may depend on nothing but its slots: a second recording is the same. */
static void blocks_are_equal(void)
{
    static const uint64_t size[CUZK_CIRCUIT_N_KINDS] = {2 * KIB, 32 * KIB, 4 * KIB, 16 * KIB};
    for (unsigned k = 0; k < CUZK_CIRCUIT_N_KINDS; k++) {
        cuzk_circuit_spec spec;
        cuzk_builder *b = NULL;
        cuzk_circuit *c = NULL;
        cuzk_err err;
        CHECK_OK(cuzk_circuit_spec_of(&spec, (cuzk_circuit_kind)k, size[k], &err), &err);
        CHECK_OK(cuzk_builder_create(&b, &err), &err);
        CHECK_OK(cuzk_record_circuit(b, &spec, true, &err), &err);
        CHECK_OK(cuzk_builder_finish(b, &c, &err), &err);
        cuzk_builder_destroy(b);
        cuzk_circuit *once = build((cuzk_circuit_kind)k, size[k]);
        CHECK_MEM(c->identity, once->identity, sizeof(c->identity));
        cuzk_circuit_destroy(c);
        cuzk_circuit_destroy(once);
    }
}

static void check_path(const cuzk_circuit *c, uint64_t row, const char *want)
{
    char buf[256];
    CHECK_STR(cuzk_circuit_row_path(c, row, buf, sizeof(buf)), want);
}

static void row_paths(void)
{
    cuzk_circuit *c = build(CUZK_CIRCUIT_WINDOW, 2 * KIB);
    check_path(c, 0, "sector 0, comm_r");
    check_path(c, 313, "sector 0, challenge 0, level 0");
    check_path(c, 316, "sector 0, challenge 0, level 0, insert");
    check_path(c, c->block.n_rows + 313, "sector 1, challenge 0, level 0");
    check_path(c, 2 * c->block.n_rows - 1, "sector 1, challenge 9, root");
    cuzk_circuit_destroy(c);
    c = build(CUZK_CIRCUIT_POREP, 2 * KIB);
    check_path(c, 0, "replica_id");
    check_path(c, c->preamble.n_rows - 1, "comm_r");
    check_path(c, c->preamble.n_rows, "challenge 0, tree_d path, level 0");
    char buf[256];
    unsigned found = 0;
    for (uint64_t r = c->preamble.n_rows; r < c->preamble.n_rows + c->block.n_rows; r++) {
        const char *p = cuzk_circuit_row_path(c, r, buf, sizeof(buf));
        found += strcmp(p, "challenge 0, layer 2, label sha256, block 4, round 17") == 0;
    }
    CHECK(found > 200); /* sums of e and a, three xors of two sigmas, ch and maj: some 360 rows */
    cuzk_circuit_destroy(c);
}

static void refuses(void)
{
    cuzk_circuit *c = NULL;
    cuzk_err err;
    CHECK_STATUS(cuzk_filecoin_circuit_build(CUZK_CIRCUIT_UPDATE, 1 * GIB, &c, &err),
                 CUZK_E_INVALID);
    CHECK_STR(err.msg, "there is no update circuit for 1GiB sectors");
    CHECK_STATUS(cuzk_filecoin_circuit_build(CUZK_CIRCUIT_POREP, 3 * KIB, &c, NULL),
                 CUZK_E_INVALID);
    CHECK_STATUS(cuzk_filecoin_circuit_build(CUZK_CIRCUIT_POREP, 0, &c, NULL), CUZK_E_INVALID);
    CHECK(c == NULL);
}

static void out_of_memory(void)
{
    const uint64_t before = cuzk_alloc_get_stats().blocks_now;
    for (uint64_t n = 1;; n++) {
        cuzk_circuit *c = NULL;
        cuzk_alloc_fail_nth(n, false);
        const cuzk_status st = cuzk_filecoin_circuit_build(CUZK_CIRCUIT_WINDOW, 2 * KIB, &c, NULL);
        cuzk_alloc_fail_nth(0, false);
        if (st == CUZK_OK) {
            CHECK(n > 20);
            cuzk_circuit_destroy(c);
            break;
        }
        CHECK_STATUS(st, CUZK_E_NOMEM);
        CHECK(c == NULL);
        CHECK_U64(cuzk_alloc_get_stats().blocks_now, before);
    }
    CHECK_U64(cuzk_alloc_get_stats().blocks_now, before);
}

/* Allocations here and there in the recording of SHA-256 and of both update parts. */
static void out_of_memory_sometimes(void)
{
    static const cuzk_circuit_kind kinds[2] = {CUZK_CIRCUIT_POREP, CUZK_CIRCUIT_UPDATE};
    const uint64_t before = cuzk_alloc_get_stats().blocks_now;
    for (size_t i = 0; i < test_iters(TEST_IS_SPARSE ? 6 : 16); i++) {
        cuzk_circuit *c = NULL;
        cuzk_alloc_fail_nth(1 + test_below(20 + 40 * (i / 2)), false);
        const cuzk_status st = cuzk_filecoin_circuit_build(kinds[i % 2], 2 * KIB, &c, NULL);
        cuzk_alloc_fail_nth(0, false);
        CHECK(st == CUZK_OK || st == CUZK_E_NOMEM);
        CHECK((st == CUZK_OK) == (c != NULL));
        cuzk_circuit_destroy(c);
        CHECK_U64(cuzk_alloc_get_stats().blocks_now, before);
    }
}

static const cuzk_case cases[] = {CASE(porep),
                                  CASE(winning),
                                  CASE(window),
                                  CASE(update),
                                  CASE(counts_without_transcript),
                                  CASE(blocks_are_equal),
                                  CASE(row_paths),
                                  CASE(refuses),
                                  CASE(out_of_memory),
                                  CASE(out_of_memory_sometimes)};
TEST_MAIN("circuit/circuits", cases)
