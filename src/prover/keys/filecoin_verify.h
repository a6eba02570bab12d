/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_PROVER_KEYS_FILECOIN_VERIFY_H
#define CUZK_PROVER_KEYS_FILECOIN_VERIFY_H

/*
 * Verification of whole Filecoin proofs: a proof has exactly 192 bytes per partition, and every
 * partition must verify against its own public inputs.
 */
#include <cuzk/verify.h>

#include "prover/keys/params_dir.h"
#include "vanilla/check/public_inputs.h"

/**
 * The .vk of a circuit in a folder; without one, the key inside its .params file.
 * E_NOT_FOUND names folder, origin and file.
 */
CUZK_NODISCARD cuzk_status cuzk_filecoin_vk_load(cuzk_vk **out, cuzk_circuit_kind kind,
                                                 uint64_t sector_bytes, const cuzk_params_dir *dir,
                                                 cuzk_err *err);

/**
 * proofs: of the partitions from first to end - 1, which exist. Any status but CUZK_OK means: not
 * proven. E_PROOF_FALSE names the partition; E_INVALID a wrong length.
 */
CUZK_NODISCARD cuzk_status cuzk_filecoin_verify_porep(const cuzk_vk *vk, const uint8_t *proofs,
                                                      size_t n_bytes,
                                                      const cuzk_porep_statement *st,
                                                      uint32_t first, uint32_t end, cuzk_err *err);
/** The proof of st->partition; the same errors. */
CUZK_NODISCARD cuzk_status cuzk_filecoin_verify_post(const cuzk_vk *vk, const uint8_t *proof,
                                                     size_t n_bytes, const cuzk_post_statement *st,
                                                     const cuzk_post_public_sector *sectors,
                                                     uint32_t n_sectors, cuzk_err *err);
CUZK_NODISCARD cuzk_status cuzk_filecoin_verify_update(const cuzk_vk *vk, const uint8_t *proof,
                                                       size_t n_bytes,
                                                       const cuzk_update_statement *st,
                                                       cuzk_err *err);

/** The statement that a C1 output makes. */
void cuzk_porep_statement_of(cuzk_porep_statement *out, const cuzk_porep_input *in);
/** The sectors of a PoSt input as the verifier knows them; out [in->n_sectors]. */
void cuzk_post_public_sectors_of(cuzk_post_public_sector *out, const cuzk_post_input *in);

#endif /* CUZK_PROVER_KEYS_FILECOIN_VERIFY_H */
