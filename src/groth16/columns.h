/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_GROTH16_COLUMNS_H
#define CUZK_GROTH16_COLUMNS_H

/*
 * The polynomials of A, B and C of every wire at tau: sums over a wire's column of coefficient
 * times Lagrange value of the row.
 */
#include "r1cs/circuit.h"
#include "sys/pool.h"

typedef struct cuzk_columns {
    cuzk_fr *m[3]; /* by cuzk_matrix_id: [n_wires], inputs (ONE first), then aux */
    uint64_t n_inputs, n_wires;
} cuzk_columns;

/**
 * row_values: [cuzk_circuit_prover_rows], L_k(tau) of each row. The rows of inputs count. E_INVALID
 * when a wire that A or B has vanishes at tau, which would shift the sections (probability
 * 2^-220; or a tau chosen for it).
 */
CUZK_NODISCARD cuzk_status cuzk_columns_create(cuzk_columns *out, const cuzk_circuit *c,
                                               const cuzk_fr *row_values, cuzk_pool *pool,
                                               const cuzk_cancel *cancel, cuzk_err *err);
/** A zeroed struct is fine. */
void cuzk_columns_destroy(cuzk_columns *c);

#endif /* CUZK_GROTH16_COLUMNS_H */
