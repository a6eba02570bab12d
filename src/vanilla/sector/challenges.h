/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_VANILLA_SECTOR_CHALLENGES_H
#define CUZK_VANILLA_SECTOR_CHALLENGES_H

/*
 * Challenge derivation (docs/spec/porep.md#challenges, docs/spec/post.md#challenges and
 * docs/spec/update.md#challenges), and nothing that depends on a vanilla proof: what a verifier
 * computes for itself.
 */
#include "base/status.h"
#include "hash/poseidon.h"
#include "vanilla/sector/sector.h"

/** trim(SHA-256(prover_id, sector_id big-endian, ticket, comm_d, porep_id)). */
void cuzk_replica_id(cuzk_node *out, const cuzk_node *prover_id, uint64_t sector_id,
                     const cuzk_node *ticket, const cuzk_node *comm_d, const cuzk_node *porep_id);

/** What PoRep challenges depend on; seed is not used by the non-interactive kind. */
typedef struct cuzk_porep_statement {
    cuzk_seal_type type;
    cuzk_node replica_id, comm_r, comm_d, seed;
} cuzk_porep_statement;

/** Partitions of a proof of this type. */
uint32_t cuzk_porep_partitions(const cuzk_seal_type *type);
/**
 * Challenges of one partition into out [shape->porep_challenges]. E_INVALID for a partition that
 * does not exist. Synthetic challenges are computed by seeking, no table is made.
 */
CUZK_NODISCARD cuzk_status cuzk_porep_challenges(uint32_t *out, const cuzk_porep_statement *s,
                                                 uint32_t partition, cuzk_err *err);

/**
 * Leaf challenged by PoSt challenge idx of a sector: idx counts within the sector for V1_2, over
 * the whole proof before (docs/spec/post.md#challenges).
 */
uint64_t cuzk_post_leaf_challenge(const cuzk_node *randomness, uint64_t sector_id, uint64_t idx,
                                  uint64_t n_leaves);

/** h of an update: exponent of the high bits that choose rho; the network's default for the size. */
unsigned cuzk_update_default_h(const cuzk_sector_shape *shape);
/** Input 1 of the update circuit: partition, and the one-hot choice of h above its bits. */
uint64_t cuzk_update_k_and_h_select(const cuzk_sector_shape *shape, uint32_t partition, unsigned h);
/** The six values that h may have. */
const uint8_t *cuzk_update_hs(const cuzk_sector_shape *shape);
/**
 * Challenges of one update partition into out [shape->update_challenges]: node indices. poseidon2
 * has arity 2. comm_r_new must be canonical (E_INVALID).
 */
CUZK_NODISCARD cuzk_status cuzk_update_challenges(uint32_t *out, const cuzk_sector_shape *shape,
                                                  const cuzk_poseidon_params *poseidon2,
                                                  const cuzk_node *comm_r_new, uint32_t partition,
                                                  cuzk_err *err);

#endif /* CUZK_VANILLA_SECTOR_CHALLENGES_H */
