/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* PoSt challenges depend on randomness and sector id only, so each sector's tree can be made to fit. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "vanilla/generate/sparse_tree.h"

#include "generate_internal.h"

static int compare_nodes(const void *a, const void *b)
{
    const uint64_t x = ((const cuzk_sparse_node *)a)->index,
                   y = ((const cuzk_sparse_node *)b)->index;
    return x < y ? -1 : x > y;
}

typedef struct post_generator {
    const cuzk_sector_shape *shape;
    const cuzk_hashes *h;
    uint64_t seed;
    const cuzk_post_statement *st;
    uint32_t n_challenges;
    uint8_t arity[16];
    unsigned levels;
    cuzk_node other; /* every leaf that is not challenged */
} post_generator;

static cuzk_status make_sector(const post_generator *g, cuzk_post_input *in, cuzk_post_sector *s,
                               cuzk_err *err)
{
    cuzk_sparse_node leaves[CUZK_WINNING_SECTORS];
    uint64_t challenges[CUZK_WINNING_SECTORS];
    cuzk_sparse_tree tree;
    size_t n = 0;
    cuzk_merkle_proof *proofs = cuzk_arena_alloc(&in->arena, g->n_challenges, sizeof(*proofs));
    if (proofs == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "synthetic PoSt: out of memory");
    }
    for (uint32_t i = 0; i < g->n_challenges; i++) {
        challenges[i] = cuzk_post_leaf_challenge(&g->st->randomness, s->sector_id, i,
                                                 cuzk_sector_nodes(g->shape));
        leaves[i].index = challenges[i];
        synthetic_node(&leaves[i].value, g->seed, "leaf", s->sector_id, challenges[i]);
    }
    qsort(leaves, g->n_challenges, sizeof(leaves[0]), compare_nodes);
    for (uint32_t i = 0; i < g->n_challenges;
         i++) { /* small sectors are challenged twice at a leaf */
        if (n == 0 || leaves[n - 1].index != leaves[i].index) {
            leaves[n++] = leaves[i];
        }
    }
    CUZK_TRY(cuzk_sparse_tree_build(&tree, CUZK_TREE_POSEIDON, g->arity, g->levels, &g->other,
                                    leaves, n, g->h, err));
    cuzk_status st = CUZK_OK;
    for (uint32_t i = 0; st == CUZK_OK && i < g->n_challenges; i++) {
        st = cuzk_sparse_tree_prove(&proofs[i], &tree, challenges[i], &in->arena, err);
    }
    s->comm_r_last = *cuzk_sparse_tree_root(&tree);
    synthetic_node(&s->comm_c, g->seed, "comm_c", s->sector_id, 0);
    (void)synthetic_comm_r(&s->comm_r, &s->comm_c, &s->comm_r_last, g->h);
    s->proofs = proofs;
    s->n_proofs = g->n_challenges;
    cuzk_sparse_tree_free(&tree);
    return st;
}

cuzk_status cuzk_generate_post(cuzk_post_input **out, cuzk_post_statement *st, bool is_window,
                               uint64_t sector_bytes, uint32_t n_sectors, uint64_t seed,
                               const cuzk_hashes *h, cuzk_err *err)
{
    post_generator g = {.h = h, .seed = seed, .st = st};
    cuzk_post_input *in = NULL;
    g.shape = cuzk_sector_shape_of(sector_bytes);
    if (g.shape == NULL) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "no sector of %llu bytes",
                         (unsigned long long)sector_bytes);
    }
    const uint32_t capacity = is_window ? g.shape->window_sectors : 1;
    if (n_sectors == 0) {
        n_sectors = capacity;
    }
    if (n_sectors > capacity) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "%u sectors; a partition takes %u", n_sectors,
                         capacity);
    }
    memset(st, 0, sizeof(*st));
    st->type.number = UINT64_MAX;
    st->type.sector_bytes = sector_bytes;
    st->type.is_window = is_window;
    st->type.is_v1_2 = is_window;
    synthetic_node(&st->randomness, seed, "randomness", 0, 0);
    synthetic_node(&g.other, seed, "replica", 0, 0);
    g.n_challenges = is_window ? CUZK_WINDOW_CHALLENGES : CUZK_WINNING_SECTORS;
    g.levels = cuzk_tree_levels(g.shape, g.arity);
    CUZK_TRY(cuzk_post_input_create(&in, err));
    cuzk_status s = CUZK_OK;
    in->sectors = cuzk_alloc_zero(n_sectors, sizeof(*in->sectors));
    if (in->sectors == NULL) {
        s = CUZK_FAIL(err, CUZK_E_NOMEM, "synthetic PoSt: out of memory");
    }
    for (uint32_t i = 0; s == CUZK_OK && i < n_sectors; i++) {
        in->sectors[i].sector_id = i + 1;
        s = make_sector(&g, in, &in->sectors[i], err);
        in->n_sectors = i + 1;
    }
    if (s != CUZK_OK) {
        cuzk_post_input_destroy(in);
        return s;
    }
    *out = in;
    return CUZK_OK;
}
