/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* PoSt and update vanilla proofs of sealed sectors. */
#include <string.h>

#include "base/alloc.h"

#include "sealed_internal.h"

cuzk_status cuzk_sealed_post(cuzk_post_input *in, cuzk_sealed *s, uint64_t sector_id,
                             const cuzk_post_statement *st, uint64_t index, cuzk_err *err)
{
    const uint32_t n = st->type.is_window ? CUZK_WINDOW_CHALLENGES : CUZK_WINNING_SECTORS;
    const uint64_t first = st->type.is_v1_2 ? 0 : index * n;
    cuzk_merkle_proof *proofs = cuzk_arena_alloc(&in->arena, n, sizeof(*proofs));
    if (proofs == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "sealed sector: out of memory");
    }
    for (uint32_t i = 0; i < n; i++) {
        const uint64_t leaf = cuzk_post_leaf_challenge(&st->randomness, sector_id, first + i,
                                                       cuzk_sector_nodes(s->shape));
        CUZK_TRY(sealed_prove(&proofs[i], s, leaf, &in->arena, err));
    }
    cuzk_post_sector *grown = cuzk_realloc(in->sectors, (size_t)in->n_sectors + 1, sizeof(*grown));
    if (grown == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "sealed sector: out of memory");
    }
    in->sectors = grown;
    grown[in->n_sectors++] = (cuzk_post_sector){.sector_id = sector_id,
                                                .comm_r = s->comm_r,
                                                .comm_c = s->comm_c,
                                                .comm_r_last = s->comm_r_last,
                                                .n_proofs = n,
                                                .proofs = proofs};
    return CUZK_OK;
}

/* tree-d: a whole binary tree, row after row from the leaves up, in one file. */
typedef struct data_tree {
    cuzk_sealed *s;
    cuzk_file *f;
    char path[SEALED_PATH_BYTES];
    unsigned levels;
    cuzk_node root;
} data_tree;

static uint64_t row_start(const data_tree *t, unsigned row)
{
    uint64_t at = 0;
    for (unsigned k = 0; k < row; k++) {
        at += (uint64_t)1 << (t->levels - k);
    }
    return at;
}

static cuzk_status open_data_tree(data_tree *t, cuzk_sealed *s, cuzk_err *err)
{
    const unsigned n_trees = s->n_trees;
    *t = (data_tree){.s = s, .levels = s->shape->lg_nodes};
    s->n_trees = 1; /* its name has no number, whatever the size */
    const cuzk_status st = sealed_tree_path(t->path, s, "tree-d", 0, err);
    s->n_trees = n_trees;
    CUZK_TRY(st);
    CUZK_TRY(cuzk_file_open(&t->f, t->path, err));
    const uint64_t nodes = row_start(t, t->levels) + 1;
    if (cuzk_file_size(t->f) != nodes * CUZK_NODE_BYTES) {
        return CUZK_FAIL(err, CUZK_E_FORMAT, "%s: %llu bytes, tree-d of a sector of %s has %llu",
                         t->path, (unsigned long long)cuzk_file_size(t->f), s->shape->name,
                         (unsigned long long)(nodes * CUZK_NODE_BYTES));
    }
    return sealed_read(s, t->f, &t->root, nodes - 1, 1, err);
}

static cuzk_status prove_data(cuzk_merkle_proof *out, const data_tree *t, uint64_t leaf,
                              cuzk_arena *arena, cuzk_err *err)
{
    cuzk_node root;
    cuzk_path_level *levels = cuzk_arena_alloc(arena, t->levels, sizeof(*levels));
    cuzk_node *siblings = cuzk_arena_alloc(arena, t->levels, sizeof(*siblings));
    if (levels == NULL || siblings == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "sealed sector: out of memory");
    }
    CUZK_TRY(sealed_read(t->s, t->f, &out->leaf, leaf, 1, err));
    for (unsigned row = 0; row < t->levels; row++) {
        const uint64_t at = leaf >> row;
        CUZK_TRY(sealed_read(t->s, t->f, &siblings[row], row_start(t, row) + (at ^ 1), 1, err));
        levels[row] = (cuzk_path_level){2, (uint8_t)(at & 1), &siblings[row]};
    }
    out->levels = levels;
    out->n_levels = t->levels;
    out->root = t->root;
    if (!cuzk_merkle_compute_root(&root, out, CUZK_TREE_SHA256, t->s->h) ||
        memcmp(&root, &t->root, sizeof(root)) != 0) {
        return CUZK_FAIL(err, CUZK_E_VANILLA, "%s: node %llu does not lead to the root", t->path,
                         (unsigned long long)leaf);
    }
    return CUZK_OK;
}

static cuzk_status prove_partition(cuzk_update_input *in, const cuzk_update_statement *st,
                                   cuzk_sealed *from, cuzk_sealed *to, const data_tree *data,
                                   cuzk_err *err)
{
    const cuzk_sector_shape *shape = st->shape;
    const unsigned partition_bits = (unsigned)__builtin_ctz(shape->update_partitions);
    const unsigned apex_row =
        shape->lg_nodes - partition_bits - (unsigned)__builtin_ctz(shape->apex_leaves);
    uint32_t nodes[UINT8_MAX];
    cuzk_node *apex = cuzk_arena_alloc(&in->arena, shape->apex_leaves, sizeof(*apex));
    cuzk_update_challenge *c = cuzk_arena_alloc(&in->arena, shape->update_challenges, sizeof(*c));
    if (apex == NULL || c == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "sealed sector: out of memory");
    }
    CUZK_TRY(cuzk_update_challenges(nodes, shape, to->h->p2, &st->comm_r_new, st->partition, err));
    CUZK_TRY(sealed_read(to, data->f, apex,
                         row_start(data, apex_row) + (uint64_t)st->partition * shape->apex_leaves,
                         shape->apex_leaves, err));
    for (unsigned i = 0; i < shape->update_challenges; i++) {
        CUZK_TRY(sealed_prove(&c[i].r_old, from, nodes[i], &in->arena, err));
        CUZK_TRY(prove_data(&c[i].d_new, data, nodes[i], &in->arena, err));
        CUZK_TRY(sealed_prove(&c[i].r_new, to, nodes[i], &in->arena, err));
    }
    in->comm_c = from->comm_c;
    in->apex = apex;
    in->n_apex = shape->apex_leaves;
    in->challenges = c;
    in->n_challenges = shape->update_challenges;
    return CUZK_OK;
}

static cuzk_status check_pair(const cuzk_sealed *from, const cuzk_sealed *to, cuzk_err *err)
{
    if (from->shape != to->shape) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "%s is a sector of %s, %s one of %s",
                         from->replica_path, from->shape->name, to->replica_path, to->shape->name);
    }
    if (from->shape->update_partitions == 0) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "there is no update circuit for sectors of %s",
                         from->shape->name);
    }
    if (memcmp(&from->comm_c, &to->comm_c, sizeof(from->comm_c)) != 0) {
        return CUZK_FAIL(
            err, CUZK_E_VANILLA,
            "%s/p_aux and %s/p_aux have different comm_c: not an update of that sector",
            from->cache, to->cache);
    }
    return CUZK_OK;
}

cuzk_status cuzk_sealed_update(cuzk_update_input **out, cuzk_update_statement *st,
                               cuzk_sealed *from, cuzk_sealed *to, uint32_t partition,
                               cuzk_err *err)
{
    data_tree data = {.f = NULL};
    CUZK_TRY(check_pair(from, to, err));
    cuzk_update_input *in = cuzk_alloc_zero(1, sizeof(*in));
    if (in == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "sealed sector: out of memory");
    }
    cuzk_status r = open_data_tree(&data, to, err);
    if (r == CUZK_OK) {
        *st = (cuzk_update_statement){.shape = to->shape,
                                      .comm_r_old = from->comm_r,
                                      .comm_d_new = data.root,
                                      .comm_r_new = to->comm_r,
                                      .partition = partition,
                                      .h = cuzk_update_default_h(to->shape)};
        r = prove_partition(in, st, from, to, &data, err);
    }
    cuzk_file_close(data.f);
    if (r != CUZK_OK) {
        cuzk_update_input_destroy(in);
        return r;
    }
    *out = in;
    return CUZK_OK;
}
