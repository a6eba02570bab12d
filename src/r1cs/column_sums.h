/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_R1CS_COLUMN_SUMS_H
#define CUZK_R1CS_COLUMN_SUMS_H

/*
 * Column sums, for setup: with weights L_k(tau) the sums are the wires' polynomials at tau.
 */
#include "r1cs/circuit.h"
#include "sys/pool.h"

/**
 * Adds to the sum of each wire: sum over circuit rows k of coefficient(m, k, wire) * weights[k].
 * inputs [n_inputs] (ONE first) and aux [n_aux] hold what is added to (zeros to begin with);
 * weights [n_rows], disjoint from them. The prover's input rows are not included: for A add
 * weights of row n_rows + i to inputs[i]. The result does not depend on the number of threads.
 *
 * Memory: 8 bytes per term and 12 per wire of preamble plus one block. E_NOMEM, E_CANCELLED;
 * E_INVALID for 2^32 rows in a part. On failure the sums are of no use.
 */
CUZK_NODISCARD cuzk_status cuzk_circuit_column_sums(cuzk_fr *inputs, cuzk_fr *aux,
                                                    const cuzk_circuit *c, cuzk_matrix_id m,
                                                    const cuzk_fr *weights, cuzk_pool *pool,
                                                    const cuzk_cancel *cancel, cuzk_err *err);

#endif /* CUZK_R1CS_COLUMN_SUMS_H */
