/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "vanilla/generate/sparse_tree.h"

#include <string.h>

#include "base/alloc.h"
#include "hash/sha256.h"

static bool hash_children(cuzk_node *out, const cuzk_node *children, unsigned arity,
                          cuzk_tree_kind kind, const cuzk_hashes *h)
{
    cuzk_fr in[8], digest;
    if (kind == CUZK_TREE_SHA256) {
        if (arity != 2) {
            return false;
        }
        cuzk_sha256_digest(out->b, children, 2 * sizeof(*children));
        out->b[31] &= 0x3f;
        return true;
    }
    const cuzk_poseidon_params *p = cuzk_hashes_arity(h, arity);
    if (p == NULL || arity > 8) {
        return false;
    }
    for (unsigned i = 0; i < arity; i++) {
        if (!cuzk_fr_from_bytes_le(&in[i], children[i].b)) {
            return false;
        }
    }
    cuzk_poseidon_hash(&digest, p, in);
    cuzk_fr_to_bytes_le(out->b, &digest);
    return true;
}

/* Level k + 1 from level k: each explicit node makes its parent explicit. */
static cuzk_status build_level(cuzk_sparse_tree *t, unsigned k, const cuzk_hashes *h, cuzk_err *err)
{
    const unsigned arity = t->arity[k];
    const cuzk_sparse_node *below = t->nodes[k];
    const size_t n = t->n_nodes[k];
    const bool top = k + 1 == t->n_levels;
    cuzk_node children[8];
    cuzk_sparse_node *level = cuzk_alloc(n + 1, sizeof(*level));
    if (level == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "synthetic tree: out of memory");
    }
    t->nodes[k + 1] = level;
    for (unsigned i = 0; i < arity; i++) {
        children[i] = t->fallback[k];
    }
    bool ok = hash_children(&t->fallback[k + 1], children, arity, t->kind, h);
    size_t m = 0;
    for (size_t i = 0; i < n;) {
        const uint64_t parent = below[i].index / arity;
        for (unsigned c = 0; c < arity; c++) {
            children[c] = t->fallback[k];
        }
        for (; i < n && below[i].index / arity == parent; i++) {
            children[below[i].index % arity] = below[i].value;
        }
        level[m].index = parent;
        ok = ok && hash_children(&level[m].value, children, arity, t->kind, h);
        m++;
    }
    if (top && m == 0) {
        level[m].index = 0;
        level[m++].value = t->fallback[k + 1];
    }
    t->n_nodes[k + 1] = m;
    return ok ? CUZK_OK
              : CUZK_FAIL(err, CUZK_E_INVALID, "synthetic tree: a leaf is not a field element");
}

cuzk_status cuzk_sparse_tree_build(cuzk_sparse_tree *t, cuzk_tree_kind kind, const uint8_t *arity,
                                   unsigned n_levels, const cuzk_node *default_leaf,
                                   const cuzk_sparse_node *leaves, size_t n, const cuzk_hashes *h,
                                   cuzk_err *err)
{
    memset(t, 0, sizeof(*t));
    if (n_levels == 0 || n_levels > CUZK_SPARSE_MAX_LEVELS) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "synthetic tree: %u levels", n_levels);
    }
    t->kind = kind;
    t->n_levels = n_levels;
    memcpy(t->arity, arity, n_levels);
    t->fallback[0] = *default_leaf;
    t->nodes[0] = cuzk_alloc(n, sizeof(*leaves));
    if (t->nodes[0] == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "synthetic tree: out of memory");
    }
    if (n != 0) {
        memcpy(t->nodes[0], leaves, n * sizeof(*leaves));
    }
    t->n_nodes[0] = n;
    cuzk_status st = CUZK_OK;
    for (unsigned k = 0; st == CUZK_OK && k < n_levels; k++) {
        st = build_level(t, k, h, err);
    }
    if (st != CUZK_OK) {
        cuzk_sparse_tree_free(t);
    }
    return st;
}

void cuzk_sparse_tree_free(cuzk_sparse_tree *t)
{
    for (unsigned k = 0; k <= CUZK_SPARSE_MAX_LEVELS; k++) {
        cuzk_free(t->nodes[k]);
        t->nodes[k] = NULL;
        t->n_nodes[k] = 0;
    }
}

const cuzk_node *cuzk_sparse_tree_node(const cuzk_sparse_tree *t, unsigned level, uint64_t index)
{
    const cuzk_sparse_node *nodes = t->nodes[level];
    size_t lo = 0, hi = t->n_nodes[level];
    while (lo < hi) {
        const size_t mid = lo + (hi - lo) / 2;
        if (nodes[mid].index < index) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    return lo < t->n_nodes[level] && nodes[lo].index == index ? &nodes[lo].value
                                                              : &t->fallback[level];
}

const cuzk_node *cuzk_sparse_tree_root(const cuzk_sparse_tree *t)
{
    return &t->nodes[t->n_levels][0].value;
}

cuzk_status cuzk_sparse_tree_prove(cuzk_merkle_proof *out, const cuzk_sparse_tree *t, uint64_t leaf,
                                   cuzk_arena *arena, cuzk_err *err)
{
    uint64_t index = leaf;
    cuzk_path_level *levels = cuzk_arena_alloc(arena, t->n_levels, sizeof(*levels));
    if (levels == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "synthetic tree: out of memory");
    }
    for (unsigned k = 0; k < t->n_levels; k++) {
        const unsigned arity = t->arity[k];
        cuzk_node *siblings = cuzk_arena_alloc(arena, arity - 1, sizeof(*siblings));
        if (siblings == NULL) {
            return CUZK_FAIL(err, CUZK_E_NOMEM, "synthetic tree: out of memory");
        }
        levels[k].arity = (uint8_t)arity;
        levels[k].index = (uint8_t)(index % arity);
        levels[k].siblings = siblings;
        for (unsigned c = 0, s = 0; c < arity; c++) {
            if (c != index % arity) {
                siblings[s++] = *cuzk_sparse_tree_node(t, k, index / arity * arity + c);
            }
        }
        index /= arity;
    }
    out->root = *cuzk_sparse_tree_root(t);
    out->leaf = *cuzk_sparse_tree_node(t, 0, leaf);
    out->levels = levels;
    out->n_levels = t->n_levels;
    return CUZK_OK;
}
