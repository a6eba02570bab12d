/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Replica and tree-r-last. The tree's files hold the upper rows only: the leaves are the replica, and
 * `discarded` rows above them are computed from it again, for one block of leaves at a time.
 */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"

#include "sealed_internal.h"

#define ARITY 8u

cuzk_status sealed_tree_path(char path[SEALED_PATH_BYTES], const cuzk_sealed *s, const char *tree,
                             unsigned number, cuzk_err *err)
{
    const int n =
        s->n_trees == 1
            ? snprintf(path, SEALED_PATH_BYTES, "%s/sc-02-data-%s.dat", s->cache, tree)
            : snprintf(path, SEALED_PATH_BYTES, "%s/sc-02-data-%s-%u.dat", s->cache, tree, number);
    return n > 0 && n < SEALED_PATH_BYTES
               ? CUZK_OK
               : CUZK_FAIL(err, CUZK_E_INVALID, "%s: the path is too long", s->cache);
}

cuzk_status sealed_read(cuzk_sealed *s, const cuzk_file *f, void *dst, uint64_t node,
                        size_t n_nodes, cuzk_err *err)
{
    s->bytes_read += n_nodes * CUZK_NODE_BYTES;
    return cuzk_file_read(f, dst, node * CUZK_NODE_BYTES, n_nodes * CUZK_NODE_BYTES, err);
}

static bool hash_children(cuzk_node *out, const cuzk_sealed *s, const cuzk_node *children,
                          unsigned arity)
{
    cuzk_fr in[ARITY], digest;
    for (unsigned i = 0; i < arity; i++) {
        if (!cuzk_fr_from_bytes_le(&in[i], children[i].b)) {
            return false;
        }
    }
    cuzk_poseidon_hash(&digest, cuzk_hashes_arity(s->h, arity), in);
    cuzk_fr_to_bytes_le(out->b, &digest);
    return true;
}

bool sealed_root_of_roots(cuzk_node *out, const cuzk_sealed *s, const cuzk_node *roots)
{
    cuzk_node level[SEALED_MAX_TREES];
    const unsigned arities[2] = {s->shape->sub_arity, s->shape->top_arity};
    unsigned n = s->n_trees;
    memcpy(level, roots, n * sizeof(level[0]));
    for (unsigned k = 0; k < 2 && arities[k] != 0; k++) {
        n /= arities[k];
        for (unsigned i = 0; i < n; i++) {
            if (!hash_children(&level[i], s, level + (size_t)i * arities[k], arities[k])) {
                return false;
            }
        }
    }
    *out = level[0];
    return true;
}

/* One level of a path: nodes [arity] of which `index` is the path's own. */
static cuzk_status put_level(cuzk_path_level *out, const cuzk_node *nodes, unsigned arity,
                             unsigned index, cuzk_arena *arena, cuzk_err *err)
{
    cuzk_node *siblings = cuzk_arena_alloc(arena, arity - 1, sizeof(*siblings));
    if (siblings == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "sealed sector: out of memory");
    }
    for (unsigned i = 0, k = 0; i < arity; i++) {
        if (i != index) {
            siblings[k++] = nodes[i];
        }
    }
    *out = (cuzk_path_level){(uint8_t)arity, (uint8_t)index, siblings};
    return CUZK_OK;
}

/* Levels 0 to s->discarded of a leaf's path, from a block of leaves that is hashed on the spot. */
static cuzk_status prove_block(cuzk_path_level *levels, cuzk_node *leaf_value, cuzk_sealed *s,
                               uint64_t leaf, cuzk_node *block, cuzk_arena *arena, cuzk_err *err)
{
    size_t n = (size_t)1 << (3 * (s->discarded + 1));
    uint64_t at = leaf & (n - 1);
    CUZK_TRY(sealed_read(s, s->replica, block, leaf - at, n, err));
    *leaf_value = block[at];
    for (unsigned row = 0; row <= s->discarded; row++) {
        const uint64_t first = at & ~(uint64_t)(ARITY - 1);
        CUZK_TRY(put_level(&levels[row], block + first, ARITY, (unsigned)(at - first), arena, err));
        n /= ARITY;
        at /= ARITY;
        for (size_t i = 0; i < n && row < s->discarded; i++) {
            if (!hash_children(&block[i], s, block + i * ARITY, ARITY)) {
                return CUZK_FAIL(err, CUZK_E_VANILLA, "%s: not a field element near node %llu",
                                 s->replica_path, (unsigned long long)leaf);
            }
        }
    }
    return CUZK_OK;
}

/* The levels above, from the files of the tree. */
static cuzk_status prove_stored(cuzk_path_level *levels, cuzk_sealed *s, uint64_t leaf,
                                cuzk_arena *arena, cuzk_err *err)
{
    const uint64_t tree = leaf >> (3 * s->levels);
    uint64_t at = (leaf & (((uint64_t)1 << (3 * s->levels)) - 1)) >> (3 * (s->discarded + 1));
    uint64_t row_start = 0;
    for (unsigned row = s->discarded + 1; row < s->levels; row++) {
        cuzk_node group[ARITY];
        const uint64_t first = at & ~(uint64_t)(ARITY - 1);
        CUZK_TRY(sealed_read(s, s->tree[tree], group, row_start + first, ARITY, err));
        CUZK_TRY(put_level(&levels[row], group, ARITY, (unsigned)(at - first), arena, err));
        row_start += (uint64_t)1 << (3 * (s->levels - row));
        at /= ARITY;
    }
    return CUZK_OK;
}

/* Sub and top levels, from the roots of the base trees. */
static cuzk_status prove_roots(cuzk_path_level *levels, const cuzk_sealed *s, uint64_t leaf,
                               cuzk_arena *arena, cuzk_err *err)
{
    cuzk_node level[SEALED_MAX_TREES];
    const unsigned arities[2] = {s->shape->sub_arity, s->shape->top_arity};
    unsigned n = s->n_trees, at = (unsigned)(leaf >> (3 * s->levels));
    memcpy(level, s->root, sizeof(level));
    for (unsigned k = 0; k < 2 && arities[k] != 0; k++) {
        const unsigned first = at / arities[k] * arities[k];
        CUZK_TRY(put_level(&levels[k], level + first, arities[k], at - first, arena, err));
        n /= arities[k];
        at /= arities[k];
        for (unsigned i = 0; i < n; i++) {
            /* The roots are field elements: that was seen when they were read. */
            (void)hash_children(&level[i], s, level + (size_t)i * arities[k], arities[k]);
        }
    }
    return CUZK_OK;
}

cuzk_status sealed_prove(cuzk_merkle_proof *out, cuzk_sealed *s, uint64_t leaf, cuzk_arena *arena,
                         cuzk_err *err)
{
    uint8_t arity[16];
    cuzk_node root;
    const unsigned n = cuzk_tree_levels(s->shape, arity);
    cuzk_path_level *levels = cuzk_arena_alloc(arena, n, sizeof(*levels));
    cuzk_node *block = cuzk_alloc((size_t)1 << (3 * (s->discarded + 1)), sizeof(*block));
    if (levels == NULL || block == NULL) {
        cuzk_free(block);
        return CUZK_FAIL(err, CUZK_E_NOMEM, "sealed sector: out of memory");
    }
    cuzk_status st = prove_block(levels, &out->leaf, s, leaf, block, arena, err);
    cuzk_free(block);
    CUZK_TRY(st);
    CUZK_TRY(prove_stored(levels, s, leaf, arena, err));
    CUZK_TRY(prove_roots(levels + s->levels, s, leaf, arena, err));
    out->levels = levels;
    out->n_levels = n;
    out->root = s->comm_r_last;
    if (!cuzk_merkle_compute_root(&root, out, CUZK_TREE_POSEIDON, s->h) ||
        memcmp(&root, &s->comm_r_last, sizeof(root)) != 0) {
        return CUZK_FAIL(
            err, CUZK_E_VANILLA,
            "%s: node %llu does not lead to comm_r_last: the replica is damaged, or is not "
            "that of the cache %s",
            s->replica_path, (unsigned long long)leaf, s->cache);
    }
    return CUZK_OK;
}
