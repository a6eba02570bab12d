/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_VANILLA_SECTOR_MINER_H
#define CUZK_VANILLA_SECTOR_MINER_H

/* A miner's actor id, as a number, as an address, and as the prover_id of proofs. */
#include <stdbool.h>

#include "vanilla/sector/sector.h"

/* What cuzk_miner_parse takes. The chain knows no larger id. */
#define CUZK_MINER_EXPECTED "an actor id, as f01000 or 1000; f1, f2, f3 and f4 addresses hold none"
#define CUZK_MINER_MAX      ((uint64_t)INT64_MAX)

/** Unsigned LEB128 of the actor id, zero-padded. */
void cuzk_prover_id_of_miner(cuzk_node *out, uint64_t miner_id);
/** The actor id; false when it is none, or not in its shortest form. */
bool cuzk_miner_of_prover_id(uint64_t *miner_id, const cuzk_node *prover_id);
/** "1000", "f01000" or "t01000", at most CUZK_MINER_MAX. false for any other text: other addresses hold no actor id. */
bool cuzk_miner_parse(uint64_t *miner_id, const char *text);

#endif /* CUZK_VANILLA_SECTOR_MINER_H */
