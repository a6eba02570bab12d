/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Witness of an update partition, in the order that circuit/update.c states at its top. */
#include <string.h>

#include "circuit/fill.h"
#include "circuit/path_witness.h"
#include "circuit/update_layout.h"

#define MAX_APEX 128

typedef struct update_fill {
    cuzk_witness *w;
    const cuzk_update_input *in;
    const cuzk_update_statement *st;
    const cuzk_hashes *h;
    cuzk_update_layout lay;
    uint64_t k_and_h;
    cuzk_fr phi, tag;
    cuzk_fr apex[MAX_APEX];
    uint32_t nodes[UINT8_MAX];
} update_fill;

static void write_u64(cuzk_witness_writer *w, uint64_t x, cuzk_fr *out)
{
    cuzk_fr v;
    cuzk_fr_from_u64(&v, x);
    cuzk_write_full(w, &v);
    if (out != NULL) {
        *out = v;
    }
}

static void fill_public(cuzk_witness_writer *w, const cuzk_node *n, cuzk_fr *out)
{
    cuzk_write_node(w, n, out);
    cuzk_write_input(w, out);
}

static void fill_apex_tree(cuzk_witness_writer *w, const update_fill *f, cuzk_fr *root)
{
    cuzk_fr row[MAX_APEX];
    memcpy(row, f->apex, f->in->n_apex * sizeof(row[0]));
    for (uint32_t n = f->in->n_apex; n > 1; n /= 2) {
        for (uint32_t i = 0; i < n / 2; i++) {
            cuzk_fr node;
            cuzk_wit_sha256_pair(w, &node, &row[2 * i], &row[2 * i + 1]);
            row[i] = node;
        }
    }
    *root = row[0];
}

static void fill_digests(cuzk_witness_writer *w, const update_fill *f, const cuzk_fr *comm_r_new)
{
    for (uint32_t j = 0; j < f->lay.digests; j++) {
        cuzk_fr in[2], digest;
        cuzk_scalar s;
        in[0] = *comm_r_new;
        write_u64(w, (uint64_t)f->st->partition * f->lay.digests + j, &in[1]);
        cuzk_wit_poseidon(w, &digest, f->h->p2, &f->tag, in);
        cuzk_fr_to_scalar(&s, &digest);
        cuzk_write_decomposition(w, &s);
    }
}

static cuzk_status fill_header(update_fill *f)
{
    const cuzk_witness_part start = cuzk_witness_preamble(f->w);
    const cuzk_merkle_proof *d0 = &f->in->challenges[0].d_new;
    const uint32_t pb = f->lay.partition_bits;
    cuzk_witness_writer w;
    cuzk_fr v, in[2], comm_r_old, comm_d_new, comm_r_new, comm_c, roots[2];
    cuzk_writer_init(&w, start);
    write_u64(&w, f->k_and_h, &v);
    cuzk_write_input(&w, &v);
    cuzk_write_bits(&w, f->k_and_h, pb + CUZK_UPDATE_H_SELECTS);
    write_u64(&w, f->st->partition, NULL);
    fill_public(&w, &f->st->comm_r_old, &comm_r_old);
    fill_public(&w, &f->st->comm_d_new, &comm_d_new);
    fill_public(&w, &f->st->comm_r_new, &comm_r_new);
    in[0] = comm_d_new;
    in[1] = comm_r_old;
    cuzk_wit_poseidon(&w, &f->phi, f->h->p2, &f->tag, in);
    cuzk_write_node(&w, &f->in->comm_c, &comm_c);
    cuzk_write_node(&w, &f->in->challenges[0].r_old.root, &roots[0]);
    cuzk_write_node(&w, &f->in->challenges[0].r_new.root, &roots[1]);
    for (uint32_t i = 0; i < f->in->n_apex; i++) {
        cuzk_write_node(&w, &f->in->apex[i], &f->apex[i]);
    }
    const cuzk_path_level *top = d0->levels + f->lay.random_bits;
    for (uint32_t i = 0; i < pb; i++) {
        cuzk_write_node(&w, &top[i].siblings[0], NULL);
    }
    for (int i = 0; i < 2; i++) {
        in[0] = comm_c;
        in[1] = roots[i];
        cuzk_wit_poseidon(&w, &v, f->h->p2, NULL, in);
    }
    fill_apex_tree(&w, f, &v);
    cuzk_wit_por_with_bits(&w, &v, top, pb, CUZK_TREE_SHA256, false, f->h);
    fill_digests(&w, f, &comm_r_new);
    return cuzk_writer_end(&w, &f->w->circuit->preamble, start);
}

static void fill_rho(cuzk_witness_writer *w, const update_fill *f, uint32_t node, cuzk_fr *rho)
{
    cuzk_fr in[2];
    uint64_t sel = 0;
    for (unsigned k = 0; k < CUZK_UPDATE_H_SELECTS; k++) {
        const uint64_t high = node >> (f->lay.node_bits - f->lay.h[k]);
        const bool selected = (f->k_and_h >> (f->lay.partition_bits + k) & 1) != 0;
        write_u64(w, high, NULL);
        write_u64(w, selected ? high : 0, NULL);
        sel += selected ? high : 0;
    }
    in[0] = f->phi;
    write_u64(w, sel, &in[1]);
    cuzk_wit_poseidon(w, rho, f->h->p2, &f->tag, in);
}

static void fill_select(cuzk_witness_writer *w, const update_fill *f, uint32_t index)
{
    cuzk_fr state[MAX_APEX];
    memcpy(state, f->apex, f->in->n_apex * sizeof(state[0]));
    for (uint32_t half = f->in->n_apex / 2; half > 0; half /= 2) {
        for (uint32_t j = 0; j < half; j++) {
            if ((index & half) != 0) {
                state[j] = state[half + j];
            }
            cuzk_write_full(w, &state[j]);
        }
    }
}

static void fill_challenge(cuzk_witness_writer *w, const update_fill *f, size_t i)
{
    const cuzk_update_challenge *c = &f->in->challenges[i];
    const uint32_t node = f->nodes[i];
    cuzk_fr rho, r_old, d_new, m, r_new;
    fill_rho(w, f, node, &rho);
    cuzk_write_node(w, &c->r_old.leaf, &r_old);
    cuzk_write_node(w, &c->d_new.leaf, &d_new);
    cuzk_fr_mul(&m, &d_new, &rho);
    cuzk_write_full(w, &m);
    cuzk_fr_add(&r_new, &r_old, &m);
    cuzk_write_full(w, &r_new);
    cuzk_wit_por_with_bits(w, &r_old, c->r_old.levels, c->r_old.n_levels, CUZK_TREE_POSEIDON, true,
                           f->h);
    cuzk_wit_por_with_bits(w, &r_new, c->r_new.levels, c->r_new.n_levels, CUZK_TREE_POSEIDON, true,
                           f->h);
    fill_select(w, f, node >> f->lay.tree_d_levels & (f->in->n_apex - 1));
    cuzk_wit_por_with_bits(w, &d_new, c->d_new.levels, f->lay.tree_d_levels, CUZK_TREE_SHA256, true,
                           f->h);
}

static cuzk_status fill_range(void *arg, size_t begin, size_t end, unsigned worker)
{
    const update_fill *f = arg;
    (void)worker;
    for (size_t k = begin; k < end; k++) {
        const cuzk_witness_part start = cuzk_witness_block(f->w, k);
        cuzk_witness_writer w;
        cuzk_writer_init(&w, start);
        fill_challenge(&w, f, k);
        CUZK_TRY(cuzk_writer_end(&w, &f->w->circuit->block, start));
    }
    return CUZK_OK;
}

cuzk_status cuzk_update_fill(cuzk_witness *w, const cuzk_update_input *in,
                             const cuzk_update_statement *st, const cuzk_hashes *h, cuzk_pool *pool,
                             const cuzk_cancel *cancel, cuzk_err *err)
{
    update_fill f = {.w = w, .in = in, .st = st, .h = h, .lay = cuzk_update_layout_of(st->shape)};
    if (w->circuit->n_blocks != in->n_challenges || in->n_apex > MAX_APEX) {
        return CUZK_FAIL(err, CUZK_E_INVALID,
                         "%u challenges and %u apex leaves for a circuit of %llu blocks",
                         in->n_challenges, in->n_apex, (unsigned long long)w->circuit->n_blocks);
    }
    f.k_and_h = cuzk_update_k_and_h_select(st->shape, st->partition, st->h);
    cuzk_poseidon_randomness_tag(&f.tag);
    CUZK_TRY(
        cuzk_update_challenges(f.nodes, st->shape, h->p2, &st->comm_r_new, st->partition, err));
    cuzk_status s = fill_header(&f);
    if (s == CUZK_OK) {
        s = cuzk_parallel_for(pool, cancel, in->n_challenges, 1, fill_range, &f);
    }
    if (s != CUZK_OK) {
        return CUZK_FAIL(err, s, "update witness: %s", cuzk_status_text(s));
    }
    return CUZK_OK;
}
