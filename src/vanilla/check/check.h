/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_VANILLA_CHECK_CHECK_H
#define CUZK_VANILLA_CHECK_CHECK_H

/*
 * Native checks of vanilla proofs: everything that a circuit relies on, before any proving. A
 * failure is E_VANILLA and its message names sector or partition, challenge and field; with several
 * faults, the first in the order of the input.
 */
#include "sys/pool.h"
#include "vanilla/read/vanilla.h"
#include "vanilla/sector/challenges.h"

/** Poseidon of the arities that the circuits use; immutable, shareable between threads. */
typedef struct cuzk_hashes {
    cuzk_poseidon_params *p2, *p8, *p11;
} cuzk_hashes;

CUZK_NODISCARD cuzk_status cuzk_hashes_create(cuzk_hashes **out, cuzk_err *err);
void cuzk_hashes_destroy(cuzk_hashes *h);
/** Parameters for an arity of 2, 8 or 11; NULL for another. */
const cuzk_poseidon_params *cuzk_hashes_arity(const cuzk_hashes *h, unsigned arity);

/** Root that a path leads to: Poseidon of each level's arity, or trimmed SHA-256 (arity 2). */
typedef enum cuzk_tree_kind { CUZK_TREE_POSEIDON, CUZK_TREE_SHA256 } cuzk_tree_kind;
/** false when a node is >= r or an arity is not supported. */
bool cuzk_merkle_compute_root(cuzk_node *out, const cuzk_merkle_proof *p, cuzk_tree_kind kind,
                              const cuzk_hashes *h);
/** Index of the leaf that the path's positions spell. */
uint64_t cuzk_merkle_leaf_index(const cuzk_merkle_proof *p);

/**
 * The CUZK_LABEL_PARENTS values that are hashed into a label of `layer` (docs/spec/sectors.md#labels).
 * columns: labels of layers 1, 2, .. of the DRG parents, then of the expander parents; those of the
 * DRG parents are read in `layer`, those of the expander parents in the layer below.
 */
void cuzk_label_parents(cuzk_node out[CUZK_LABEL_PARENTS],
                        const cuzk_node *const columns[CUZK_DRG_PARENTS + CUZK_EXP_PARENTS],
                        uint32_t layer);
/** Label of a node: trimmed SHA-256 of replica_id, layer, node and CUZK_LABEL_PARENTS parents. */
void cuzk_label(cuzk_node *out, const cuzk_node *replica_id, uint32_t layer, uint64_t node,
                const cuzk_node *parents);

typedef struct cuzk_porep_check_opts {
    /* With these, replica_id is recomputed from prover_id, sector and ticket; else it is taken as given. */
    const cuzk_node *prover_id;
    uint64_t sector_id;
} cuzk_porep_check_opts;

/**
 * All lengths and arities are those of the circuit: a witness may be made from such an input before
 * its check is over, as long as nothing made of it gets out before. What is false here fails the
 * check, too.
 */
bool cuzk_porep_is_shaped(const cuzk_porep_input *in);
/** opts may be NULL. */
CUZK_NODISCARD cuzk_status cuzk_porep_check(const cuzk_porep_input *in, const cuzk_hashes *h,
                                            const cuzk_porep_check_opts *opts, cuzk_pool *pool,
                                            const cuzk_cancel *cancel, cuzk_err *err);

/** What a PoSt proves: sectors are those of the partition in order, first_sector its position among all. */
typedef struct cuzk_post_statement {
    cuzk_post_type type;
    cuzk_node randomness; /* a field element */
    uint32_t partition;
} cuzk_post_statement;

/** As cuzk_porep_is_shaped. */
bool cuzk_post_is_shaped(const cuzk_post_input *in, const cuzk_post_type *type);
/** Window: at most shape->window_sectors sectors of 10 challenges; winning: one sector of 66. */
CUZK_NODISCARD cuzk_status cuzk_post_check(const cuzk_post_input *in, const cuzk_post_statement *st,
                                           const cuzk_hashes *h, cuzk_pool *pool,
                                           const cuzk_cancel *cancel, cuzk_err *err);

typedef struct cuzk_update_statement {
    const cuzk_sector_shape *shape;
    cuzk_node comm_r_old, comm_d_new, comm_r_new;
    uint32_t partition;
    unsigned h; /* cuzk_update_default_h */
} cuzk_update_statement;

CUZK_NODISCARD cuzk_status cuzk_update_check(const cuzk_update_input *in,
                                             const cuzk_update_statement *st, const cuzk_hashes *h,
                                             cuzk_pool *pool, const cuzk_cancel *cancel,
                                             cuzk_err *err);

#endif /* CUZK_VANILLA_CHECK_CHECK_H */
