/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Challenges depend on comm_r_new, so the new replica must be known whole: old replica and data are
 * one value each in every leaf, and a new leaf depends on the top h bits of its node only. Below the
 * level k0 that those bits reach, a new subtree is uniform; from k0 up every node is explicit.
 */
#include <string.h>

#include "base/alloc.h"
#include "vanilla/generate/sparse_tree.h"

#include "generate_internal.h"

typedef struct update_generator {
    cuzk_update_input *in;
    cuzk_update_statement *st;
    const cuzk_hashes *h;
    uint64_t seed;
    uint8_t arity[16];
    unsigned levels;
    unsigned k0;        /* levels that are uniform below */
    unsigned k0_shift;  /* from an index of level k0 to its top h bits */
    cuzk_node *uniform; /* [2^h * (k0 + 1)]: node of each level under each choice of high bits */
    cuzk_sparse_tree old_tree, data_tree, new_top;
} update_generator;

static cuzk_status no_memory(cuzk_err *err)
{
    return CUZK_FAIL(err, CUZK_E_NOMEM, "synthetic update: out of memory");
}

static cuzk_status make_old(update_generator *g, cuzk_err *err)
{
    const cuzk_sector_shape *shape = g->st->shape;
    uint8_t binary[CUZK_SPARSE_MAX_LEVELS];
    cuzk_node leaf;
    memset(binary, 2, sizeof(binary));
    synthetic_node(&leaf, g->seed, "old replica", 0, 0);
    CUZK_TRY(cuzk_sparse_tree_build(&g->old_tree, CUZK_TREE_POSEIDON, g->arity, g->levels, &leaf,
                                    NULL, 0, g->h, err));
    synthetic_node(&leaf, g->seed, "new data", 0, 0);
    CUZK_TRY(cuzk_sparse_tree_build(&g->data_tree, CUZK_TREE_SHA256, binary, shape->lg_nodes, &leaf,
                                    NULL, 0, g->h, err));
    synthetic_node(&g->in->comm_c, g->seed, "comm_c", 0, 0);
    g->st->comm_d_new = *cuzk_sparse_tree_root(&g->data_tree);
    (void)synthetic_comm_r(&g->st->comm_r_old, &g->in->comm_c, cuzk_sparse_tree_root(&g->old_tree),
                           g->h);
    return CUZK_OK;
}

/* uniform[high][0..k0] for every choice of the high bits. */
static cuzk_status make_uniform(update_generator *g, cuzk_err *err)
{
    const uint64_t n = (uint64_t)1 << g->st->h;
    cuzk_fr in[2], tag, phi, rho, old_leaf, data, v, children[8];
    g->uniform = cuzk_alloc(n * (g->k0 + 1), sizeof(*g->uniform));
    if (g->uniform == NULL) {
        return no_memory(err);
    }
    cuzk_poseidon_randomness_tag(&tag);
    (void)cuzk_fr_from_bytes_le(&in[0], g->st->comm_d_new.b);
    (void)cuzk_fr_from_bytes_le(&in[1], g->st->comm_r_old.b);
    cuzk_poseidon_hash_tagged(&phi, g->h->p2, &tag, in);
    (void)cuzk_fr_from_bytes_le(&old_leaf, g->old_tree.fallback[0].b);
    (void)cuzk_fr_from_bytes_le(&data, g->data_tree.fallback[0].b);
    for (uint64_t high = 0; high < n; high++) {
        cuzk_node *u = g->uniform + high * (g->k0 + 1);
        in[0] = phi;
        cuzk_fr_from_u64(&in[1], high);
        cuzk_poseidon_hash_tagged(&rho, g->h->p2, &tag, in);
        cuzk_fr_mul(&v, &data, &rho);
        cuzk_fr_add(&v, &v, &old_leaf);
        cuzk_fr_to_bytes_le(u[0].b, &v);
        for (unsigned k = 0; k < g->k0; k++) {
            for (unsigned c = 0; c < g->arity[k]; c++) {
                children[c] = v;
            }
            cuzk_poseidon_hash(&v, cuzk_hashes_arity(g->h, g->arity[k]), children);
            cuzk_fr_to_bytes_le(u[k + 1].b, &v);
        }
    }
    return CUZK_OK;
}

static cuzk_status make_new(update_generator *g, cuzk_err *err)
{
    const unsigned below = g->st->shape->lg_nodes - g->st->h;
    unsigned bits = 0;
    while (g->k0 < g->levels && bits + (unsigned)__builtin_ctz(g->arity[g->k0]) <= below) {
        bits += (unsigned)__builtin_ctz(g->arity[g->k0++]);
    }
    g->k0_shift = below - bits;
    CUZK_TRY(make_uniform(g, err));
    const uint64_t n = (uint64_t)1 << (g->st->shape->lg_nodes - bits);
    cuzk_sparse_node *nodes = cuzk_alloc(n, sizeof(*nodes));
    if (nodes == NULL) {
        return no_memory(err);
    }
    for (uint64_t i = 0; i < n; i++) {
        nodes[i].index = i;
        nodes[i].value = g->uniform[(i >> g->k0_shift) * (g->k0 + 1) + g->k0];
    }
    const cuzk_status st =
        cuzk_sparse_tree_build(&g->new_top, CUZK_TREE_POSEIDON, g->arity + g->k0, g->levels - g->k0,
                               &nodes[0].value, nodes, n, g->h, err);
    cuzk_free(nodes);
    if (st == CUZK_OK) {
        (void)synthetic_comm_r(&g->st->comm_r_new, &g->in->comm_c,
                               cuzk_sparse_tree_root(&g->new_top), g->h);
    }
    return st;
}

static cuzk_status prove_new(update_generator *g, cuzk_merkle_proof *out, uint32_t node,
                             cuzk_err *err)
{
    cuzk_merkle_proof top;
    uint64_t index = node;
    const cuzk_node *u =
        g->uniform + (node >> (g->st->shape->lg_nodes - g->st->h)) * (uint64_t)(g->k0 + 1);
    cuzk_path_level *levels = cuzk_arena_alloc(&g->in->arena, g->levels, sizeof(*levels));
    if (levels == NULL) {
        return no_memory(err);
    }
    for (unsigned k = 0; k < g->k0; k++) {
        const unsigned arity = g->arity[k];
        cuzk_node *siblings = cuzk_arena_alloc(&g->in->arena, arity - 1, sizeof(*siblings));
        if (siblings == NULL) {
            return no_memory(err);
        }
        for (unsigned c = 0; c + 1 < arity; c++) {
            siblings[c] = u[k];
        }
        levels[k] = (cuzk_path_level){(uint8_t)arity, (uint8_t)(index % arity), siblings};
        index /= arity;
    }
    CUZK_TRY(cuzk_sparse_tree_prove(&top, &g->new_top, index, &g->in->arena, err));
    memcpy(levels + g->k0, top.levels, top.n_levels * sizeof(*levels));
    out->root = top.root;
    out->leaf = u[0];
    out->levels = levels;
    out->n_levels = g->levels;
    return CUZK_OK;
}

static cuzk_status make_proofs(update_generator *g, cuzk_err *err)
{
    const cuzk_sector_shape *shape = g->st->shape;
    const unsigned partition_bits = (unsigned)__builtin_ctz(shape->update_partitions);
    const unsigned apex_level =
        shape->lg_nodes - partition_bits - (unsigned)__builtin_ctz(shape->apex_leaves);
    uint32_t nodes[UINT8_MAX];
    cuzk_node *apex = cuzk_arena_alloc(&g->in->arena, shape->apex_leaves, sizeof(*apex));
    cuzk_update_challenge *c =
        cuzk_arena_alloc(&g->in->arena, shape->update_challenges, sizeof(*c));
    if (apex == NULL || c == NULL) {
        return no_memory(err);
    }
    for (unsigned i = 0; i < shape->apex_leaves; i++) {
        apex[i] = g->data_tree.fallback[apex_level];
    }
    CUZK_TRY(
        cuzk_update_challenges(nodes, shape, g->h->p2, &g->st->comm_r_new, g->st->partition, err));
    for (unsigned i = 0; i < shape->update_challenges; i++) {
        CUZK_TRY(cuzk_sparse_tree_prove(&c[i].r_old, &g->old_tree, nodes[i], &g->in->arena, err));
        CUZK_TRY(cuzk_sparse_tree_prove(&c[i].d_new, &g->data_tree, nodes[i], &g->in->arena, err));
        CUZK_TRY(prove_new(g, &c[i].r_new, nodes[i], err));
    }
    g->in->apex = apex;
    g->in->n_apex = shape->apex_leaves;
    g->in->challenges = c;
    g->in->n_challenges = shape->update_challenges;
    return CUZK_OK;
}

cuzk_status cuzk_generate_update(cuzk_update_input **out, cuzk_update_statement *st,
                                 uint64_t sector_bytes, uint32_t partition, uint64_t seed,
                                 const cuzk_hashes *h, cuzk_err *err)
{
    update_generator g = {.st = st, .h = h, .seed = seed};
    cuzk_status s;
    memset(st, 0, sizeof(*st));
    st->shape = cuzk_sector_shape_of(sector_bytes);
    if (st->shape == NULL || st->shape->update_partitions == 0) {
        return CUZK_FAIL(err, CUZK_E_INVALID,
                         "there is no update circuit for sectors of %llu bytes",
                         (unsigned long long)sector_bytes);
    }
    st->partition = partition;
    st->h = cuzk_update_default_h(st->shape);
    g.levels = cuzk_tree_levels(st->shape, g.arity);
    g.in = cuzk_alloc_zero(1, sizeof(*g.in));
    if (g.in == NULL) {
        return no_memory(err);
    }
    CUZK_TRY_GOTO(s, make_old(&g, err));
    CUZK_TRY_GOTO(s, make_new(&g, err));
    CUZK_TRY_GOTO(s, make_proofs(&g, err));
    *out = g.in;
    g.in = NULL;
out:
    cuzk_update_input_destroy(g.in);
    cuzk_free(g.uniform);
    cuzk_sparse_tree_free(&g.old_tree);
    cuzk_sparse_tree_free(&g.data_tree);
    cuzk_sparse_tree_free(&g.new_top);
    return s;
}
