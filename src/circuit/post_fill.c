/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Witness of a WinningPoSt or WindowPoSt partition, in the order that circuit/post.c states at its top. */
#include "circuit/fill.h"
#include "circuit/path_witness.h"

typedef struct post_fill {
    cuzk_witness *w;
    const cuzk_post_input *in;
    bool is_window;
    const cuzk_hashes *h;
} post_fill;

static void fill_sector(cuzk_witness_writer *w, const post_fill *f, const cuzk_post_sector *s,
                        const cuzk_merkle_proof *proofs, uint32_t n)
{
    cuzk_fr in[2], v;
    cuzk_write_node(w, &s->comm_r_last, &in[1]);
    cuzk_write_node(w, &s->comm_c, &in[0]);
    cuzk_write_node(w, &s->comm_r, &v);
    cuzk_write_input(w, &v);
    cuzk_wit_poseidon(w, &v, f->h->p2, NULL, in);
    for (uint32_t i = 0; i < n; i++) {
        cuzk_write_node(w, &proofs[i].leaf, &v);
        cuzk_wit_por(w, &v, &proofs[i], CUZK_TREE_POSEIDON, f->h);
    }
}

static cuzk_status fill_range(void *arg, size_t begin, size_t end, unsigned worker)
{
    const post_fill *f = arg;
    (void)worker;
    for (size_t k = begin; k < end; k++) {
        const cuzk_witness_part start = cuzk_witness_block(f->w, k);
        cuzk_witness_writer w;
        cuzk_writer_init(&w, start);
        if (f->is_window) {
            const cuzk_post_sector *s =
                &f->in->sectors[k < f->in->n_sectors ? k : f->in->n_sectors - 1];
            fill_sector(&w, f, s, s->proofs, s->n_proofs);
        } else {
            fill_sector(&w, f, &f->in->sectors[0], &f->in->sectors[0].proofs[k], 1);
        }
        CUZK_TRY(cuzk_writer_end(&w, &f->w->circuit->block, start));
    }
    return CUZK_OK;
}

cuzk_status cuzk_post_fill(cuzk_witness *w, const cuzk_post_input *in, bool is_window,
                           const cuzk_hashes *h, cuzk_pool *pool, const cuzk_cancel *cancel,
                           cuzk_err *err)
{
    const uint64_t n_blocks = w->circuit->n_blocks;
    if (in->n_sectors == 0 ||
        (is_window ? in->n_sectors > n_blocks : in->sectors[0].n_proofs != n_blocks)) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "%u sectors for a circuit of %llu blocks",
                         in->n_sectors, (unsigned long long)n_blocks);
    }
    post_fill f = {w, in, is_window, h};
    const cuzk_status st = cuzk_parallel_for(pool, cancel, n_blocks, 1, fill_range, &f);
    if (st != CUZK_OK) {
        return CUZK_FAIL(err, st, "PoSt witness: %s", cuzk_status_text(st));
    }
    return CUZK_OK;
}
