/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_PROVER_KEYS_FILECOIN_KEY_H
#define CUZK_PROVER_KEYS_FILECOIN_KEY_H

/*
 * What proofs of one circuit need and jobs share: the compiled circuit, the parameters, the verifying key. Immutable
 * once made, so any number of threads may use it.
 */
#include <cuzk/verify.h>

#include "groth16/params/srs.h"
#include "prover/keys/params_dir.h"
#include "r1cs/circuit.h"

/** A compiled circuit with its specification. */
typedef struct cuzk_filecoin_circuit cuzk_filecoin_circuit;

/** Records and compiles; single-threaded, some seconds for the largest. */
CUZK_NODISCARD cuzk_status cuzk_filecoin_circuit_create(cuzk_filecoin_circuit **out,
                                                        const cuzk_circuit_spec *spec,
                                                        cuzk_err *err);
/** NULL is fine. */
void cuzk_filecoin_circuit_destroy(cuzk_filecoin_circuit *c);
const cuzk_circuit *cuzk_filecoin_circuit_get(const cuzk_filecoin_circuit *c);
/** "porep 32GiB", for messages; as long as the circuit. */
const char *cuzk_filecoin_circuit_label(const cuzk_filecoin_circuit *c);
const cuzk_circuit_spec *cuzk_filecoin_circuit_spec(const cuzk_filecoin_circuit *c);

/** The parameters and the verifying key of a circuit. */
typedef struct cuzk_filecoin_params cuzk_filecoin_params;

/**
 * Opens the parameters of a circuit. E_NOT_FOUND names the folder, where it came from, and the
 * file. The .vk in the same folder, if there is one, must be the one inside (E_DIGEST). The pool
 * is used during the call only.
 */
CUZK_NODISCARD cuzk_status cuzk_filecoin_params_open(cuzk_filecoin_params **out,
                                                     const cuzk_circuit_spec *spec,
                                                     const cuzk_params_dir *dir, cuzk_pool *pool,
                                                     cuzk_err *err);
/**
 * Checks that the .params file of a circuit exists and can be read: takes microseconds, so call it before hours of
 * work. E_NOT_FOUND, with the message of cuzk_filecoin_params_open; E_IO. The content of the file is not checked.
 */
CUZK_NODISCARD cuzk_status cuzk_filecoin_params_find(const cuzk_circuit_spec *spec,
                                                     const cuzk_params_dir *dir, cuzk_err *err);
/** NULL is fine. */
void cuzk_filecoin_params_close(cuzk_filecoin_params *p);
const cuzk_srs *cuzk_filecoin_params_srs(const cuzk_filecoin_params *p);
const cuzk_vk *cuzk_filecoin_params_vk(const cuzk_filecoin_params *p);

#endif /* CUZK_PROVER_KEYS_FILECOIN_KEY_H */
