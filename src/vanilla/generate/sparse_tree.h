/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_VANILLA_GENERATE_SPARSE_TREE_H
#define CUZK_VANILLA_GENERATE_SPARSE_TREE_H

/*
 * A Merkle tree of any size with few explicit leaves: all others are equal, so that each level has
 * one default node. Memory and time grow with the explicit leaves, not with the tree.
 */
#include "vanilla/check/check.h"

#define CUZK_SPARSE_MAX_LEVELS 40

typedef struct cuzk_sparse_node {
    uint64_t index; /* within its level */
    cuzk_node value;
} cuzk_sparse_node;

typedef struct cuzk_sparse_tree {
    cuzk_tree_kind kind;
    unsigned n_levels;
    uint8_t arity[CUZK_SPARSE_MAX_LEVELS];
    /* Level 0: the leaves; level n_levels: the root, always explicit. */
    cuzk_sparse_node *nodes[CUZK_SPARSE_MAX_LEVELS + 1]; /* ascending index */
    size_t n_nodes[CUZK_SPARSE_MAX_LEVELS + 1];
    cuzk_node fallback[CUZK_SPARSE_MAX_LEVELS + 1];
} cuzk_sparse_tree;

/**
 * leaves [n]: ascending, distinct indices; copied. All values must be field elements, arities 2 or 8
 * (SHA-256: 2), else E_INVALID.
 */
CUZK_NODISCARD cuzk_status cuzk_sparse_tree_build(cuzk_sparse_tree *t, cuzk_tree_kind kind,
                                                  const uint8_t *arity, unsigned n_levels,
                                                  const cuzk_node *default_leaf,
                                                  const cuzk_sparse_node *leaves, size_t n,
                                                  const cuzk_hashes *h, cuzk_err *err);
/** A zeroed struct is fine. */
void cuzk_sparse_tree_free(cuzk_sparse_tree *t);
const cuzk_node *cuzk_sparse_tree_root(const cuzk_sparse_tree *t);
/** Value of any node. */
const cuzk_node *cuzk_sparse_tree_node(const cuzk_sparse_tree *t, unsigned level, uint64_t index);
/** Inclusion proof of a leaf, its path in the arena. E_NOMEM. */
CUZK_NODISCARD cuzk_status cuzk_sparse_tree_prove(cuzk_merkle_proof *out, const cuzk_sparse_tree *t,
                                                  uint64_t leaf, cuzk_arena *arena, cuzk_err *err);

#endif /* CUZK_VANILLA_GENERATE_SPARSE_TREE_H */
