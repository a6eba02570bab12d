/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_VANILLA_CHECK_CHECK_INTERNAL_H
#define CUZK_VANILLA_CHECK_CHECK_INTERNAL_H

#include <pthread.h>
#include <string.h>

#include "vanilla/check/check.h"

/* Shape of a tree: what a path in it must look like. */
typedef struct tree_shape {
    cuzk_tree_kind kind;
    unsigned n_levels;
    uint8_t arity[64];
} tree_shape;

void tree_shape_poseidon(tree_shape *out, const cuzk_sector_shape *s);
/* TreeD: binary, SHA-256. */
void tree_shape_data(tree_shape *out, const cuzk_sector_shape *s);

/* The path has the tree's levels and arities. NULL, or what is wrong. */
const char *path_shape_fault(const cuzk_merkle_proof *p, const tree_shape *t);

/*
 * The path has the tree's shape, leads from its leaf to its own root, and that root is the expected
 * one; the leaf is at `index`. NULL when all that holds, else what is wrong.
 */
const char *merkle_fault(const cuzk_merkle_proof *p, const tree_shape *t, uint64_t index,
                         const cuzk_node *root, const cuzk_hashes *h);

/* As many paths as are hashed side by side; five full vectors of eight. */
#define PATHS_AT_ONCE 40

typedef struct path_batch {
    size_t n;
    struct path_claim {
        const cuzk_merkle_proof *p;
        uint64_t index;
        const cuzk_node *root;
        const char *fault; /* of merkle_faults */
    } claim[PATHS_AT_ONCE];
} path_batch;

/* merkle_fault of every path of a batch in a Poseidon tree; same answers. */
void merkle_faults(path_batch *batch, const tree_shape *t, const cuzk_hashes *h);

static inline bool node_eq(const cuzk_node *a, const cuzk_node *b)
{
    return memcmp(a->b, b->b, CUZK_NODE_BYTES) == 0;
}

bool node_is_canonical(const cuzk_node *n);
bool node_is_zero(const cuzk_node *n);

/* Keeps the failure of the lowest index, so that the message does not depend on the threads. */
typedef struct first_fault {
    pthread_mutex_t lock;
    size_t index;
    cuzk_status status; /* guarded by lock, as index and err */
    cuzk_err err;
} first_fault;

void first_fault_init(first_fault *f);
void first_fault_add(first_fault *f, size_t index, cuzk_status st, const cuzk_err *e);
/* Status of the kept failure, copied to err; CUZK_OK when there was none. */
cuzk_status first_fault_end(first_fault *f, cuzk_err *err);

#endif /* CUZK_VANILLA_CHECK_CHECK_INTERNAL_H */
