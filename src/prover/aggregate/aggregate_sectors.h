/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_PROVER_AGGREGATE_AGGREGATE_SECTORS_H
#define CUZK_PROVER_AGGREGATE_AGGREGATE_SECTORS_H

/*
 * A list of sealed sectors as JSON, for aggregation (docs/snarkpack.md#the-list-of-sectors):
 *
 *     {"registered_proof": 5, "miner": 1000, "sectors": [
 *       {"sector": 1, "comm_r": HEX, "comm_d": HEX, "ticket": HEX, "seed": HEX, "proof": HEX}]}
 */
#include "vanilla/sector/challenges.h"

/** An entry as it is given. */
typedef struct cuzk_agg_sector {
    uint64_t number, miner;                 /* miner: of the entry, else of the list */
    cuzk_node comm_r, comm_d, ticket, seed; /* seed: zeros for no seed */
    bool has_miner, has_seed, has_proof;
} cuzk_agg_sector;

typedef struct cuzk_agg_sector_list {
    cuzk_porep_statement *sectors; /* [n], owned */
    cuzk_agg_sector *entries;      /* [n], owned */
    size_t n;
    uint8_t *proofs; /* [n_proof_bytes] those of the sectors one after another; NULL: none given */
    size_t n_proof_bytes;
} cuzk_agg_sector_list;

/**
 * E_FORMAT with line and column; E_INVALID for an unknown type. Either all sectors have proofs or
 * none has. seed may be missing in non-interactive types only.
 */
CUZK_NODISCARD cuzk_status cuzk_agg_sector_list_parse(cuzk_agg_sector_list *out, const void *data,
                                                      size_t n, cuzk_err *err);
/** A zeroed one is fine. */
void cuzk_agg_sector_list_free(cuzk_agg_sector_list *l);

#endif /* CUZK_PROVER_AGGREGATE_AGGREGATE_SECTORS_H */
