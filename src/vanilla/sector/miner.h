/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_VANILLA_SECTOR_MINER_H
#define CUZK_VANILLA_SECTOR_MINER_H

/* A miner's actor id, as a number, as an address, and as the prover_id of proofs. */
#include <stdbool.h>

#include "vanilla/sector/sector.h"

/** Unsigned LEB128 of the actor id, zero-padded. */
void cuzk_prover_id_of_miner(cuzk_node *out, uint64_t miner_id);
/** The actor id; false when it is none, or not in its shortest form. */
bool cuzk_miner_of_prover_id(uint64_t *miner_id, const cuzk_node *prover_id);
/** "1000", "f01000" or "t01000". false for any other text: other addresses hold no actor id. */
bool cuzk_miner_parse(uint64_t *miner_id, const char *text);

#endif /* CUZK_VANILLA_SECTOR_MINER_H */
