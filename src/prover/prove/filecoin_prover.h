/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_PROVER_PROVE_FILECOIN_PROVER_H
#define CUZK_PROVER_PROVE_FILECOIN_PROVER_H

/*
 * From vanilla proofs to verified proofs, on the CPU or on devices: native check, witness, proof, verification
 * against public inputs that are derived from the statement alone. One prover holds what one circuit
 * needs (compiled circuit, parameters, verifying key) and proves any number of partitions, one at a
 * time.
 */
#include <cuzk/verify.h>

#include "prover/prove/prove_all.h"

typedef struct cuzk_filecoin_prover cuzk_filecoin_prover;

/**
 * Builds the circuit and opens the parameters. E_NOT_FOUND names the folder, where it came from, and
 * the file. The .vk in the same folder, if there is one, must be the one inside (E_DIGEST).
 * The pool must outlive the prover.
 */
CUZK_NODISCARD cuzk_status cuzk_filecoin_prover_create(cuzk_filecoin_prover **out,
                                                       cuzk_circuit_kind kind,
                                                       uint64_t sector_bytes,
                                                       const cuzk_params_dir *dir, cuzk_pool *pool,
                                                       cuzk_err *err);
/**
 * A prover without parameters: cuzk_filecoin_prover_add_device makes them on the device, from a
 * seed. For tests and measurements only: anybody who knows the seed can forge proofs. Needs a device.
 */
CUZK_NODISCARD cuzk_status cuzk_filecoin_prover_create_insecure(cuzk_filecoin_prover **out,
                                                                cuzk_circuit_kind kind,
                                                                uint64_t sector_bytes,
                                                                uint64_t seed, cuzk_pool *pool,
                                                                cuzk_err *err);
#define CUZK_PROVER_MAX_DEVICES 16
/**
 * Loads the parameters to a device (borrowed) or makes them there. From then on partitions are
 * proved on the devices that were added, side by side. opts may be NULL.
 */
CUZK_NODISCARD cuzk_status cuzk_filecoin_prover_add_device(cuzk_filecoin_prover *p, cuzk_accel *dev,
                                                           const cuzk_device_key_opts *opts,
                                                           const cuzk_cancel *cancel,
                                                           cuzk_err *err);
/** The key of the i-th device; NULL: no such device. */
const cuzk_device_key *cuzk_filecoin_prover_key(const cuzk_filecoin_prover *p, size_t i);
/** NULL is fine. */
void cuzk_filecoin_prover_destroy(cuzk_filecoin_prover *p);
const cuzk_circuit *cuzk_filecoin_prover_circuit(const cuzk_filecoin_prover *p);
const cuzk_vk *cuzk_filecoin_prover_vk(const cuzk_filecoin_prover *p);

typedef struct cuzk_filecoin_opts {
    bool check_rows; /* multiply all rows out before proving: E_UNSATISFIED names the row */
    void (*progress)(void *arg, const char *what, uint64_t done, uint64_t total);
    void *progress_arg;
    uint64_t *release_backlog_peak; /* optional, as cuzk_prove_all_job */
    cuzk_trace_ctx trace;           /* spans "check", "witness", "prove", "verify"; zero: none */
} cuzk_filecoin_opts;

/**
 * All partitions of an input, whose spec is set: proofs gets n_partitions * 192 bytes, in partition order. Any input that is
 * not provable is refused before proving (E_VANILLA). A proof that does not verify is E_SELFTEST, names its partition and is
 * not returned. opts may be NULL.
 */
CUZK_NODISCARD cuzk_status cuzk_filecoin_prove(cuzk_filecoin_prover *p, uint8_t *proofs,
                                               const cuzk_filecoin_input *in,
                                               const cuzk_filecoin_opts *opts,
                                               const cuzk_cancel *cancel, cuzk_err *err);
/** The same of one partition of a PoSt: 192 bytes. */
CUZK_NODISCARD cuzk_status cuzk_filecoin_prove_post(cuzk_filecoin_prover *p,
                                                    uint8_t proof[CUZK_PROOF_BYTES],
                                                    const cuzk_post_input *in,
                                                    const cuzk_post_statement *st,
                                                    const cuzk_filecoin_opts *opts,
                                                    const cuzk_cancel *cancel, cuzk_err *err);

#endif /* CUZK_PROVER_PROVE_FILECOIN_PROVER_H */
