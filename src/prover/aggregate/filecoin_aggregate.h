/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_PROVER_AGGREGATE_FILECOIN_AGGREGATE_H
#define CUZK_PROVER_AGGREGATE_FILECOIN_AGGREGATE_H

/*
 * Aggregates of seal proofs as the network takes them (docs/spec/snarkpack.md, section 7): order,
 * padding and hash of seeds and replica commitments.
 */
#include "aggregate/aggregate.h"
#include "vanilla/sector/challenges.h"

/** Sectors that the chain takes in one aggregate. */
#define CUZK_AGG_CHAIN_MIN_SECTORS    4
#define CUZK_AGG_CHAIN_MAX_SECTORS    819
#define CUZK_AGG_CHAIN_MAX_NI_SECTORS 65

/** Statements of a list of sectors of one type, as claim and its memory. */
typedef struct cuzk_agg_seals {
    cuzk_agg_claim claim; /* version CUZK_AGG_V2 */
    cuzk_seal_type type;
    size_t n_sectors;
    uint32_t partitions; /* of each sector */
    uint8_t include[32];
    uint8_t *inputs; /* owned; claim.inputs */
} cuzk_agg_seals;

/**
 * Public inputs of every partition of the sectors [n], and transcript_include. E_INVALID names the
 * sector by its place: a type that differs, a commitment that is not a field element, no sectors, or
 * more proofs than an aggregate can have.
 */
CUZK_NODISCARD cuzk_status cuzk_agg_seals_create(cuzk_agg_seals *out,
                                                 const cuzk_porep_statement *sectors, size_t n,
                                                 cuzk_pool *pool, cuzk_err *err);
/** A zeroed one is fine. */
void cuzk_agg_seals_free(cuzk_agg_seals *s);

/** E_INVALID, with the limits, when the chain would not take an aggregate of that many sectors. */
CUZK_NODISCARD cuzk_status cuzk_agg_check_chain_limits(const cuzk_seal_type *type, size_t n_sectors,
                                                       cuzk_err *err);

/** DIR/CUZK_AGG_SRS_FILE, opened, and not read beyond its beginning. dir as for parameters. */
CUZK_NODISCARD cuzk_status cuzk_filecoin_agg_srs_open(cuzk_agg_srs **out, const char *dir,
                                                      cuzk_err *err);

#endif /* CUZK_PROVER_AGGREGATE_FILECOIN_AGGREGATE_H */
