/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cuda_instance.h"

#include <string.h>

#include "base/alloc.h"
#include "circuit/fill.h"
#include "vanilla/generate/generate.h"

#include "cuda_test.h"

void *cuda_host(uint64_t bytes)
{
    void *p = cuzk_alloc((size_t)bytes, 1);
    CHECK(p != NULL);
    return p;
}

static cuzk_witness *fill(const cuzk_circuit *c, cuzk_circuit_kind kind, uint64_t bytes)
{
    cuzk_err err;
    cuzk_hashes *h = NULL;
    cuzk_pool *pool = NULL;
    cuzk_witness *w = NULL;
    CHECK_OK(cuzk_hashes_create(&h, &err), &err);
    CHECK_OK(cuzk_pool_create(&pool, NULL, &err), &err);
    CHECK_OK(cuzk_witness_create(&w, c, &err), &err);
    if (kind == CUZK_CIRCUIT_POREP) {
        cuzk_porep_input *in = NULL;
        CHECK_OK(cuzk_generate_porep(&in, bytes, 11, h, &err), &err);
        CHECK_OK(cuzk_porep_fill(w, in, 0, h, pool, NULL, &err), &err);
        cuzk_porep_input_destroy(in);
    } else if (kind == CUZK_CIRCUIT_UPDATE) {
        cuzk_update_input *in = NULL;
        cuzk_update_statement st;
        CHECK_OK(cuzk_generate_update(&in, &st, bytes, 0, 13, h, &err), &err);
        CHECK_OK(cuzk_update_fill(w, in, &st, h, pool, NULL, &err), &err);
        cuzk_update_input_destroy(in);
    } else {
        const bool window = kind == CUZK_CIRCUIT_WINDOW;
        cuzk_post_input *in = NULL;
        cuzk_post_statement st;
        CHECK_OK(cuzk_generate_post(&in, &st, window, bytes, 0, 12, h, &err), &err);
        CHECK_OK(cuzk_post_fill(w, in, window, h, pool, NULL, &err), &err);
        cuzk_post_input_destroy(in);
    }
    cuzk_hashes_destroy(h);
    cuzk_pool_destroy(pool);
    return w;
}

void cuda_instance_open(cuda_instance *t, const cuzk_circuit *c, cuzk_witness *w)
{
    cuzk_err err;
    memset(t, 0, sizeof(*t));
    t->q = cuda_queue();
    t->c = c;
    t->w = w;
    CHECK_OK(cuzk_cuda_alloc(t->q, &t->d_circuit, cuzk_cuda_circuit_bytes(c, true), &err), &err);
    CHECK_OK(cuzk_cuda_alloc(t->q, &t->d_witness, cuzk_cuda_witness_bytes(c), &err), &err);
    CHECK_OK(cuzk_cuda_circuit_create(&t->dc, t->q, c, true, t->d_circuit, &err), &err);
    cuda_instance_upload(t);
}

void cuda_instance_filecoin(cuda_instance *t, cuzk_circuit_kind kind, uint64_t sector_bytes)
{
    cuzk_err err;
    cuzk_circuit *c = NULL;
    cuzk_cuda_queue_destroy(cuda_queue()); /* skips before the work */
    CHECK_OK(cuzk_filecoin_circuit_build(kind, sector_bytes, &c, &err), &err);
    cuda_instance_open(t, c, fill(c, kind, sector_bytes));
    t->owned = c;
}

void cuda_instance_close(cuda_instance *t)
{
    cuzk_cuda_circuit_destroy(t->dc);
    cuzk_cuda_free(t->q, t->d_circuit);
    cuzk_cuda_free(t->q, t->d_witness);
    cuzk_cuda_queue_destroy(t->q);
    cuzk_witness_destroy(t->w);
    cuzk_circuit_destroy(t->owned);
}

void cuda_instance_upload(cuda_instance *t)
{
    cuzk_err err;
    void *staging = test_below(2) == 0 ? NULL : cuda_host(cuzk_cuda_witness_staging_bytes(t->c));
    CHECK_OK(cuzk_cuda_witness_upload(t->dc, t->q, t->d_witness, t->w, staging, &err), &err);
    CHECK_OK(cuzk_cuda_queue_sync(t->q, &err), &err);
    cuzk_free(staging);
}

static void random_fr(cuzk_fr *out)
{
    cuzk_scalar s;
    test_bytes(&s, sizeof(s));
    cuzk_fr_from_scalar(out, &s);
}

void cuda_instance_randomise(cuda_instance *t)
{
    const cuzk_circuit *c = t->c;
    for (uint64_t i = 1; i < c->n_inputs; i++) {
        random_fr(&t->w->inputs[i]);
    }
    for (uint64_t i = 0; i < c->n_fulls; i++) {
        random_fr(&t->w->fulls[i]);
    }
    for (uint64_t k = 0; k <= c->n_blocks; k++) {
        const cuzk_circuit_part *p = k == 0 ? &c->preamble : &c->block;
        const cuzk_witness_part v =
            k == 0 ? cuzk_witness_preamble(t->w) : cuzk_witness_block(t->w, k - 1);
        for (uint64_t i = 0; i < (p->n_bits + 63) / 64; i++) {
            v.bits[i] = test_u64();
            if (p->n_bits - i * 64 < 64) {
                v.bits[i] &= ((uint64_t)1 << (p->n_bits % 64)) - 1;
            }
        }
    }
    cuda_instance_upload(t);
}
