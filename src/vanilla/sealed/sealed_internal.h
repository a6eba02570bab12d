/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_VANILLA_SEALED_SEALED_INTERNAL_H
#define CUZK_VANILLA_SEALED_SEALED_INTERNAL_H

#include "sys/file.h"
#include "vanilla/sealed/sealed.h"

#define SEALED_PATH_BYTES    4096
#define SEALED_MAX_DISCARDED 5u  /* a block of 8^6 leaves, 8 MiB */
#define SEALED_MAX_TREES     16u /* base trees below the sub and top levels */

struct cuzk_sealed {
    const cuzk_sector_shape *shape;
    const cuzk_hashes *h;
    const char *replica_path, *cache; /* owned */
    cuzk_file *replica, *tree[SEALED_MAX_TREES];
    unsigned n_trees;
    unsigned levels;    /* of a base tree, all of base_arity */
    unsigned discarded; /* rows above the leaves that are not in the files */
    cuzk_node root[SEALED_MAX_TREES];
    cuzk_node comm_c, comm_r_last, comm_r;
    uint64_t bytes_read;
};

/* Name of a tree's file in the cache; number: of n_trees, which have one name when it is one. E_INVALID. */
CUZK_NODISCARD cuzk_status sealed_tree_path(char path[SEALED_PATH_BYTES], const cuzk_sealed *s,
                                            const char *tree, unsigned number, cuzk_err *err);
/* Inclusion of a leaf in TreeR; the path is in the arena, and leads to comm_r_last. */
CUZK_NODISCARD cuzk_status sealed_prove(cuzk_merkle_proof *out, cuzk_sealed *s, uint64_t leaf,
                                        cuzk_arena *arena, cuzk_err *err);
/* Root of a small tree over n nodes: sub and top levels. false: a node is no field element. */
bool sealed_root_of_roots(cuzk_node *out, const cuzk_sealed *s, const cuzk_node *roots);
/* Counted read. */
CUZK_NODISCARD cuzk_status sealed_read(cuzk_sealed *s, const cuzk_file *f, void *dst, uint64_t node,
                                       size_t n_nodes, cuzk_err *err);

#endif /* CUZK_VANILLA_SEALED_SEALED_INTERNAL_H */
