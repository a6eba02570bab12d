/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Witness of a PoRep partition, in the order that circuit/porep.c states at its top. */
#include <string.h>

#include "circuit/fill.h"
#include "circuit/path_witness.h"
#include "circuit/sha256_witness.h"

#define LABEL_WORDS \
    (16 + 8 * CUZK_LABEL_PARENTS) /* replica_id, layer, node, zeros; then the parents */
#define LABEL_PADDED 320

typedef struct porep_fill {
    cuzk_witness *w;
    const cuzk_porep_input *in;
    const cuzk_porep_challenge *challenges;
    const cuzk_hashes *h;
} porep_fill;

CUZK_STATIC_ASSERT(LABEL_PADDED >= (LABEL_WORDS + 3 + 15) / 16 * 16, "padded label message");

static cuzk_status fill_header(const porep_fill *f)
{
    const cuzk_witness_part start = cuzk_witness_preamble(f->w);
    cuzk_witness_writer w;
    cuzk_fr v, in[2];
    cuzk_scalar s;
    cuzk_writer_init(&w, start);
    cuzk_write_node(&w, &f->in->replica_id, &v);
    cuzk_write_input(&w, &v);
    cuzk_fr_to_scalar(&s, &v);
    cuzk_write_decomposition(&w, &s);
    cuzk_write_node(&w, &f->in->comm_d, &v);
    cuzk_write_input(&w, &v);
    cuzk_write_node(&w, &f->in->comm_r, &v);
    cuzk_write_input(&w, &v);
    cuzk_write_node(&w, &f->challenges[0].comm_r_last.root, &in[1]);
    cuzk_write_node(&w, &f->challenges[0].c_x.inclusion.root, &in[0]);
    cuzk_wit_poseidon(&w, &v, f->h->p2, NULL, in);
    return cuzk_writer_end(&w, &f->w->circuit->preamble, start);
}

static void fill_column(cuzk_witness_writer *w, const cuzk_column_proof *c, const cuzk_hashes *h)
{
    cuzk_fr rows[CUZK_MAX_LAYERS], leaf;
    for (uint32_t i = 0; i < c->n_rows; i++) {
        cuzk_write_node(w, &c->rows[i], &rows[i]);
    }
    cuzk_wit_poseidon(w, &leaf, cuzk_hashes_arity(h, c->n_rows), NULL, rows);
    cuzk_wit_por(w, &leaf, &c->inclusion, CUZK_TREE_POSEIDON, h);
}

static void fill_label(cuzk_witness_writer *w, cuzk_fr *out, const porep_fill *f,
                       const cuzk_porep_challenge *c, uint32_t layer, uint64_t node)
{
    cuzk_wit_word words[LABEL_PADDED], parents[CUZK_DRG_PARENTS + CUZK_EXP_PARENTS][8];
    uint32_t digest[8];
    cuzk_node label;
    unsigned n = 0;
    for (unsigned i = 0; i < CUZK_DRG_PARENTS + CUZK_EXP_PARENTS; i++) {
        const bool is_drg = i < CUZK_DRG_PARENTS;
        if (!is_drg && layer == 1) {
            break;
        }
        const cuzk_node *row =
            is_drg ? &c->drg[i].rows[layer - 1] : &c->exp[i - CUZK_DRG_PARENTS].rows[layer - 2];
        cuzk_scalar s;
        cuzk_scalar_from_bytes_le(&s, row->b);
        cuzk_write_decomposition(w, &s);
        cuzk_wit_node_words(parents[n++], row->b);
    }
    cuzk_wit_node_words(words, f->in->replica_id.b);
    words[8] = cuzk_wit_const(layer);
    words[9] = cuzk_wit_var((uint32_t)(node >> 32));
    words[10] = cuzk_wit_var((uint32_t)node);
    for (int i = 11; i < 16; i++) {
        words[i] = cuzk_wit_const(0);
    }
    for (unsigned i = 0; i < CUZK_LABEL_PARENTS; i++) {
        memcpy(&words[16 + 8 * i], parents[i % n], sizeof(parents[0]));
    }
    cuzk_wit_sha256(w, digest, words, LABEL_WORDS);
    cuzk_wit_digest_node(&label, digest);
    cuzk_write_node(w, &label, out);
}

static void fill_challenge(cuzk_witness_writer *w, const porep_fill *f,
                           const cuzk_porep_challenge *c)
{
    const uint64_t node = c->labeling[0].node;
    cuzk_fr data, v, labels[CUZK_MAX_LAYERS];
    cuzk_write_node(w, &c->comm_d.leaf, &data);
    cuzk_wit_por(w, &data, &c->comm_d, CUZK_TREE_SHA256, f->h);
    for (unsigned i = 0; i < CUZK_DRG_PARENTS; i++) {
        fill_column(w, &c->drg[i], f->h);
    }
    for (unsigned i = 0; i < CUZK_EXP_PARENTS; i++) {
        fill_column(w, &c->exp[i], f->h);
    }
    cuzk_write_bits(w, node, 64);
    cuzk_fr_from_u64(&v, node);
    cuzk_write_input(w, &v);
    for (uint32_t layer = 1; layer <= f->in->shape->layers; layer++) {
        fill_label(w, &labels[layer - 1], f, c, layer, node);
    }
    cuzk_fr_add(&v, &labels[f->in->shape->layers - 1], &data);
    cuzk_write_full(w, &v);
    cuzk_wit_por(w, &v, &c->comm_r_last, CUZK_TREE_POSEIDON, f->h);
    cuzk_wit_poseidon(w, &v, cuzk_hashes_arity(f->h, f->in->shape->layers), NULL, labels);
    cuzk_wit_por(w, &v, &c->c_x.inclusion, CUZK_TREE_POSEIDON, f->h);
}

static cuzk_status fill_range(void *arg, size_t begin, size_t end, unsigned worker)
{
    const porep_fill *f = arg;
    (void)worker;
    for (size_t k = begin; k < end; k++) {
        const cuzk_witness_part start = cuzk_witness_block(f->w, k);
        cuzk_witness_writer w;
        cuzk_writer_init(&w, start);
        fill_challenge(&w, f, &f->challenges[k]);
        CUZK_TRY(cuzk_writer_end(&w, &f->w->circuit->block, start));
    }
    return CUZK_OK;
}

cuzk_status cuzk_porep_fill(cuzk_witness *w, const cuzk_porep_input *in, uint32_t partition,
                            const cuzk_hashes *h, cuzk_pool *pool, const cuzk_cancel *cancel,
                            cuzk_err *err)
{
    if (partition >= in->n_partitions || w->circuit->n_blocks != in->n_challenges) {
        return CUZK_FAIL(err, CUZK_E_INVALID,
                         "partition %u of %u, %u challenges for a circuit of %llu", partition,
                         in->n_partitions, in->n_challenges,
                         (unsigned long long)w->circuit->n_blocks);
    }
    porep_fill f = {w, in, in->partitions[partition], h};
    cuzk_status st = fill_header(&f);
    if (st == CUZK_OK) {
        st = cuzk_parallel_for(pool, cancel, in->n_challenges, 1, fill_range, &f);
    }
    if (st != CUZK_OK) {
        return CUZK_FAIL(err, st, "witness of partition %u: %s", partition, cuzk_status_text(st));
    }
    return CUZK_OK;
}
