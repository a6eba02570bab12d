/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The steps of the pipeline by themselves: where witnesses are, and what must come before what. */
#include <string.h>

#include "accel/mock/mock_accel.h"
#include "base/alloc.h"
#include "prover/prove/pipeline.h"

#include "fil_jobs.h"
#include "test.h"

#define MEMORY ((uint64_t)1 << 28)

static cuzk_circuit *winning_circuit(void)
{
    cuzk_err err;
    cuzk_circuit *c = NULL;
    CHECK_OK(cuzk_filecoin_circuit_build(CUZK_CIRCUIT_WINNING, 2048, &c, &err), &err);
    return c;
}

/* Every word of a witness from a counter, but for what is fixed. */
static void scribble(cuzk_placed_witness *p, uint64_t seed)
{
    cuzk_witness *w = cuzk_placed_begin(p);
    for (uint64_t i = 0; i < w->n_bit_words; i++) {
        w->bits[i] = seed + i;
    }
    for (uint64_t i = 0; i < w->circuit->n_fulls; i++) {
        w->fulls[i].l[0] = seed ^ i;
    }
    for (uint64_t i = 0; i < w->circuit->n_inputs; i++) {
        w->inputs[i].l[3] = seed + 3 * i;
    }
    cuzk_placed_end(p);
}

static void expect_scribble(cuzk_placed_witness *p, uint64_t seed)
{
    const cuzk_witness *w = cuzk_placed_begin(p);
    uint64_t wrong = 0;
    for (uint64_t i = 0; i < w->n_bit_words; i++) {
        wrong += w->bits[i] != seed + i;
    }
    for (uint64_t i = 0; i < w->circuit->n_fulls; i++) {
        wrong += w->fulls[i].l[0] != (seed ^ i);
    }
    for (uint64_t i = 0; i < w->circuit->n_inputs; i++) {
        wrong += w->inputs[i].l[3] != seed + 3 * i;
    }
    CHECK_U64(wrong, 0);
    cuzk_placed_end(p);
}

/* A witness is empty when it is taken, also in a block that another one has left. */
static void expect_empty(cuzk_placed_witness *p)
{
    const cuzk_witness *w = cuzk_placed_begin(p);
    uint64_t set = 0;
    for (uint64_t i = 0; i < w->n_bit_words; i++) {
        set += w->bits[i] != 0;
    }
    CHECK_U64(set, 0);
    CHECK_MEM(&w->inputs[0], &CUZK_FR_ONE, sizeof(CUZK_FR_ONE));
    cuzk_placed_end(p);
}

static void blocks_are_kept(void)
{
    cuzk_err err;
    cuzk_accel *dev = NULL;
    cuzk_witness_memory *m = NULL;
    cuzk_placed_witness *p = NULL;
    cuzk_circuit *c = winning_circuit();
    CHECK_OK(cuzk_accel_mock_open(&dev, 0, MEMORY, NULL, &err), &err);
    CHECK_OK(cuzk_witness_memory_create(&m, &err), &err);
    CHECK_OK(cuzk_placed_take(&p, m, c, &err), &err); /* no device yet: on the heap */
    CHECK(!cuzk_placed_is_locked(p));
    cuzk_placed_end(p);
    cuzk_placed_give(p);
    cuzk_witness_memory_attach(m, dev);
    for (uint64_t i = 0; i < 3; i++) {
        CHECK_OK(cuzk_placed_take(&p, m, c, &err), &err);
        CHECK(cuzk_placed_is_locked(p));
        cuzk_placed_end(p);
        expect_empty(p);
        scribble(p, 77 + i);
        cuzk_placed_give(p);
        CHECK_U64(cuzk_accel_mock_stats(dev).host_blocks, 1);
    }
    /* more than are kept */
    cuzk_placed_witness *many[9];
    for (size_t i = 0; i < 9; i++) {
        CHECK_OK(cuzk_placed_take(&many[i], m, c, &err), &err);
        cuzk_placed_end(many[i]);
    }
    CHECK_U64(cuzk_accel_mock_stats(dev).host_blocks, 9);
    for (size_t i = 0; i < 9; i++) {
        cuzk_placed_give(many[i]);
    }
    CHECK_U64(cuzk_accel_mock_stats(dev).host_blocks, 6);
    cuzk_witness_memory_trim(m);
    CHECK_U64(cuzk_accel_mock_stats(dev).host_blocks, 0);
    /* one is taken at once, and as many are kept as a call uses */
    cuzk_witness_memory_prepare(m, c, 8);
    CHECK_U64(cuzk_accel_mock_stats(dev).host_blocks, 1);
    cuzk_witness_memory_prepare(m, c, 1);
    CHECK_U64(cuzk_accel_mock_stats(dev).host_blocks, 1);
    for (size_t i = 0; i < 9; i++) {
        CHECK_OK(cuzk_placed_take(&many[i], m, c, &err), &err);
        cuzk_placed_end(many[i]);
    }
    for (size_t i = 0; i < 9; i++) {
        cuzk_placed_give(many[i]);
    }
    CHECK_U64(cuzk_accel_mock_stats(dev).host_blocks, 8);
    cuzk_witness_memory_trim(m);
    /* a device without such memory: the heap */
    const cuzk_mock_script none_left = {.fail_at = 1, .and_after = true, .fail_with = CUZK_E_NOMEM};
    cuzk_accel_mock_set(dev, &none_left);
    cuzk_witness_memory_prepare(m, c, 1);
    CHECK_U64(cuzk_accel_mock_stats(dev).host_blocks, 0);
    CHECK_OK(cuzk_placed_take(&p, m, c, &err), &err);
    CHECK(!cuzk_placed_is_locked(p));
    cuzk_placed_end(p);
    cuzk_placed_give(p);
    cuzk_witness_memory_destroy(m);
    cuzk_accel_close(dev);
    cuzk_circuit_destroy(c);
}

/* The device is closed while witnesses wait in its memory. */
static void witnesses_outlive_their_device(void)
{
    cuzk_err err;
    cuzk_accel *dev[2];
    cuzk_witness_memory *m = NULL;
    cuzk_placed_witness *a = NULL, *b = NULL, *d = NULL;
    cuzk_circuit *c = winning_circuit();
    CHECK_OK(cuzk_witness_memory_create(&m, &err), &err);
    for (uint32_t i = 0; i < 2; i++) {
        CHECK_OK(cuzk_accel_mock_open(&dev[i], i, MEMORY, NULL, &err), &err);
    }
    cuzk_witness_memory_attach(m, dev[0]);
    CHECK_OK(cuzk_placed_take(&a, m, c, &err), &err);
    CHECK_OK(cuzk_placed_take(&b, m, c, &err), &err);
    CHECK_OK(cuzk_placed_take(&d, m, c, &err), &err);
    cuzk_placed_end(a);
    cuzk_placed_end(b);
    cuzk_placed_end(d);
    scribble(a, 1000);
    scribble(b, 2000);
    cuzk_placed_give(d); /* an idle block */
    CHECK_U64(cuzk_accel_mock_stats(dev[0]).host_blocks, 3);
    CHECK_OK(cuzk_witness_memory_detach(m, &err), &err);
    CHECK_U64(cuzk_accel_mock_stats(dev[0]).host_blocks, 0);
    cuzk_accel_close(dev[0]);
    CHECK(!cuzk_placed_is_locked(a) && !cuzk_placed_is_locked(b));
    expect_scribble(a, 1000);
    cuzk_witness_memory_attach(m, dev[1]);
    CHECK_OK(cuzk_placed_take(&d, m, c, &err), &err);
    CHECK(cuzk_placed_is_locked(d));
    cuzk_placed_end(d);
    cuzk_placed_give(a);
    expect_scribble(b, 2000);
    cuzk_placed_give(b);
    cuzk_placed_give(d);
    cuzk_witness_memory_destroy(m);
    CHECK_U64(cuzk_accel_mock_stats(dev[1]).host_blocks, 0);
    cuzk_accel_close(dev[1]);
    cuzk_circuit_destroy(c);
}

/* No proof is verified, and so none can be returned, of an input that has not been checked. */
static void check_comes_before_verify(void)
{
    cuzk_err err, why = {.msg = ""};
    fil_job job;
    cuzk_filecoin_input *in = NULL;
    cuzk_hashes *h = NULL;
    cuzk_pipeline *p = NULL;
    const cuzk_cancel cancelled = {true};
    const uint8_t proof[CUZK_PROOF_BYTES] = {0};
    CHECK_OK(cuzk_hashes_create(&h, &err), &err);
    fil_job_make(&job, CUZK_CIRCUIT_WINNING, 2048, 5);
    CHECK_OK(cuzk_filecoin_input_parse(&in, &job.rq, &err), &err);
    fil_job_free(&job);
    CHECK_OK(cuzk_pipeline_create(&p, in, h, NULL, &err), &err);
    CHECK(cuzk_pipeline_may_start(p));
    CHECK_STATUS(cuzk_pipeline_verify(p, NULL, 0, proof, &err), CUZK_E_INVALID);
    CHECK_MSG(strstr(err.msg, "has not been checked") != NULL, "%s", err.msg);
    CHECK_STATUS(cuzk_pipeline_verify(p, NULL, 1, proof, &err), CUZK_E_INVALID);
    cuzk_pipeline_destroy(p);
    CHECK_OK(cuzk_pipeline_create(&p, in, h, NULL, &err), &err);
    CHECK_STATUS(cuzk_pipeline_check(p, &cancelled, CUZK_TRACE_OFF, &err), CUZK_E_CANCELLED);
    CHECK_STATUS(cuzk_pipeline_await_check(p, &why), CUZK_E_CANCELLED);
    CHECK_STR(why.msg, err.msg);
    CHECK_STATUS(cuzk_pipeline_verify(p, NULL, 0, proof, &err), CUZK_E_INVALID);
    cuzk_pipeline_destroy(p);
    cuzk_filecoin_input_destroy(in);
    cuzk_hashes_destroy(h);
}

static const cuzk_case cases[] = {CASE(blocks_are_kept), CASE(witnesses_outlive_their_device),
                                  CASE(check_comes_before_verify)};
TEST_MAIN("prover/pipeline_steps", cases)
