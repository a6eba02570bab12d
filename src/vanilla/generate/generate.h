/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_VANILLA_GENERATE_GENERATE_H
#define CUZK_VANILLA_GENERATE_GENERATE_H

/*
 * Vanilla proofs of synthetic sectors of any size, without sealing: only the challenged nodes, their
 * parents' columns and the Merkle paths exist, everything else is one default value per tree level.
 * They pass every native check and satisfy the circuits. For tests and benchmarks; no such sector
 * exists on any chain.
 *
 * Equal arguments give equal outputs.
 */
#include "sys/file.h"
#include "vanilla/check/check.h"

/** Miner and sector of every generated PoRep. */
#define CUZK_GEN_MINER  1000
#define CUZK_GEN_SECTOR 1

/** A C1 output of an interactive PoRep (V1_1). E_INVALID when the size has no registered proof. */
CUZK_NODISCARD cuzk_status cuzk_generate_porep(cuzk_porep_input **out, uint64_t sector_bytes,
                                               uint64_t seed, const cuzk_hashes *h, cuzk_err *err);
/**
 * A WinningPoSt, or a WindowPoSt partition of n_sectors (0: as many as it takes). st gets the
 * statement, V1_2 for window.
 */
CUZK_NODISCARD cuzk_status cuzk_generate_post(cuzk_post_input **out, cuzk_post_statement *st,
                                              bool is_window, uint64_t sector_bytes,
                                              uint32_t n_sectors, uint64_t seed,
                                              const cuzk_hashes *h, cuzk_err *err);
/** One partition of an update. st gets the statement. */
CUZK_NODISCARD cuzk_status cuzk_generate_update(cuzk_update_input **out, cuzk_update_statement *st,
                                                uint64_t sector_bytes, uint32_t partition,
                                                uint64_t seed, const cuzk_hashes *h, cuzk_err *err);

/** C1 JSON as the network's tools write it, with an extra member "synthetic": true. */
CUZK_NODISCARD cuzk_status cuzk_porep_write_json(const cuzk_porep_input *in, cuzk_file_writer *w,
                                                 cuzk_err *err);
/** bincode of one sector's PoSt proof; shape decides Single, Sub or Top. */
CUZK_NODISCARD cuzk_status cuzk_post_write_bincode(const cuzk_post_sector *s,
                                                   const cuzk_sector_shape *shape,
                                                   cuzk_file_writer *w, cuzk_err *err);
CUZK_NODISCARD cuzk_status cuzk_update_write_bincode(const cuzk_update_input *in,
                                                     const cuzk_sector_shape *shape,
                                                     cuzk_file_writer *w, cuzk_err *err);

#endif /* CUZK_VANILLA_GENERATE_GENERATE_H */
