/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_APPS_POREP_AGGREGATE_H
#define CUZK_APPS_POREP_AGGREGATE_H

/*
 * The proof of one non-interactive sector is the aggregate of its partitions' proofs
 * (docs/spec/snarkpack.md, section 7).
 */
#include "prover/aggregate/filecoin_aggregate.h"

#include "fil_opts.h"

typedef struct porep_agg {
    bool on; /* the type is non-interactive, and --plain-proofs is not given */
    cuzk_agg_seals seals;
    cuzk_agg_srs *srs;
    cuzk_agg_key key; /* proving only */
} porep_agg;

/**
 * Opens what an aggregate of the input takes, before hours of proving; off for other types. Do not
 * copy the result. proving: also reads the powers.
 */
CUZK_NODISCARD cuzk_status porep_agg_open(porep_agg *out, fil_opts *o, const cuzk_porep_input *in,
                                          bool proving);
/** A zeroed one is fine. */
void porep_agg_close(porep_agg *g);
/** Replaces the plain proofs, a block of base/alloc.h, by their aggregate. */
CUZK_NODISCARD cuzk_status porep_agg_make(porep_agg *g, fil_opts *o, const cuzk_vk *vk,
                                          uint8_t **proofs, size_t *n);
CUZK_NODISCARD cuzk_status porep_agg_verify(porep_agg *g, fil_opts *o, const cuzk_vk *vk,
                                            const uint8_t *proof, size_t n);

#endif /* CUZK_APPS_POREP_AGGREGATE_H */
