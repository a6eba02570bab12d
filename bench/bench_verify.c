/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Verification on one thread. Keys and proofs are random points of the right groups: the proofs are
 * false, which takes exactly as long as finding them true.
 */
#include <string.h>

#include <cuzk/verify.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "ec/g1.h"
#include "ec/g2.h"

#include "bench.h"

enum { BATCH = 10 };

typedef struct data {
    cuzk_vk *vk;
    uint8_t *vk_file, *inputs;
    size_t vk_bytes, n;
    uint8_t proofs[BATCH * CUZK_PROOF_BYTES];
} data;

/* Different points for different k. */
static void g1_point(cuzk_g1_affine *out, uint64_t k)
{
    const cuzk_scalar s = {{k + 2, 0, 0, 0}};
    cuzk_g1 p;
    cuzk_g1_from_affine(&p, &CUZK_G1_GENERATOR);
    cuzk_g1_mul(&p, &p, &s);
    cuzk_g1_to_affine(out, &p);
}

static void teardown(void *state)
{
    data *d = state;
    cuzk_vk_destroy(d->vk);
    cuzk_free(d->vk_file);
    cuzk_free(d->inputs);
    cuzk_free(d);
}

static void fill(data *d)
{
    static const size_t g1_at[] = {0, 96, 576}, g2_at[] = {192, 384, 672};
    cuzk_g1_affine p;
    for (size_t i = 0; i < 3; i++) {
        g1_point(&p, i);
        cuzk_g1_encode_uncompressed(d->vk_file + g1_at[i], &p);
        cuzk_g2_encode_uncompressed(d->vk_file + g2_at[i], &CUZK_G2_GENERATOR);
    }
    cuzk_store_u32_be(d->vk_file + 864, (uint32_t)(d->n + 1));
    for (size_t i = 0; i <= d->n; i++) {
        g1_point(&p, i);
        cuzk_g1_encode_uncompressed(d->vk_file + 868 + 96 * i, &p);
    }
    bench_fill(d->inputs, d->n * CUZK_SCALAR_BYTES, 3);
    for (size_t i = 0; i < d->n; i++) {
        d->inputs[32 * i + 31] &= 0x3f;
    }
    for (size_t i = 0; i < BATCH; i++) {
        uint8_t *b = d->proofs + i * CUZK_PROOF_BYTES;
        g1_point(&p, i);
        cuzk_g1_encode_compressed(b, &p);
        cuzk_g2_encode_compressed(b + 48, &CUZK_G2_GENERATOR);
        cuzk_g1_encode_compressed(b + 144, &p);
    }
}

static void *setup(const bench_case *c)
{
    data *d = cuzk_alloc_zero(1, sizeof(*d));
    if (d == NULL) {
        return NULL;
    }
    d->n = c->arg;
    d->vk_bytes = 868 + 96 * (d->n + 1);
    d->vk_file = cuzk_alloc(d->vk_bytes, 1);
    d->inputs = cuzk_alloc(d->n * BATCH, CUZK_SCALAR_BYTES);
    if (d->vk_file != NULL && d->inputs != NULL) {
        fill(d);
        for (size_t i = 1; i < BATCH; i++) {
            memcpy(d->inputs + i * d->n * CUZK_SCALAR_BYTES, d->inputs, d->n * CUZK_SCALAR_BYTES);
        }
        if (cuzk_vk_read(&d->vk, d->vk_file, d->vk_bytes) == CUZK_VERIFY_OK) {
            return d;
        }
    }
    teardown(d);
    return NULL;
}

static void one(void *state, uint64_t iters)
{
    data *d = state;
    for (uint64_t i = 0; i < iters; i++) {
        const cuzk_verify_result r =
            cuzk_verify(d->vk, d->proofs, CUZK_PROOF_BYTES, d->inputs, d->n);
        bench_use(&r);
    }
}

static void batch(void *state, uint64_t iters)
{
    data *d = state;
    for (uint64_t i = 0; i < iters; i++) {
        const cuzk_verify_result r =
            cuzk_verify_batch(d->vk, d->proofs, sizeof(d->proofs), d->inputs, d->n, BATCH, NULL);
        bench_use(&r);
    }
}

static void vk_read(void *state, uint64_t iters)
{
    data *d = state;
    for (uint64_t i = 0; i < iters; i++) {
        cuzk_vk *vk = NULL;
        const cuzk_verify_result r = cuzk_vk_read(&vk, d->vk_file, d->vk_bytes);
        bench_use(&r);
        cuzk_vk_destroy(vk);
    }
}

/* 25,839 inputs: WindowPoSt of 32 GiB sectors. */
#define CASES(op, fn, inputs, is_big)              \
    {.name = "verify/" op "/cuzk/inputs=" #inputs, \
     .setup = setup,                               \
     .run = (fn),                                  \
     .teardown = teardown,                         \
     .arg = (inputs),                              \
     .big = (is_big)},

/* clang-format off */
static const bench_case cases[] = {
    CASES("one", one, 4, false)
    CASES("one", one, 39, false)
    CASES("one", one, 132, false)
    CASES("one", one, 25839, true)
    {.name = "verify/batch/cuzk/inputs=39", .setup = setup, .run = batch, .teardown = teardown,
     .unit = "proof", .units = BATCH, .arg = 39},
    CASES("vk_read", vk_read, 39, false)
    CASES("vk_read", vk_read, 25839, true)
};
/* clang-format on */

BENCH_MODULE(verify, cases)
