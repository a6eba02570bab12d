/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_GROTH16_COLUMNS_H
#define CUZK_GROTH16_COLUMNS_H

/*
 * The polynomials of A, B and C of every wire at tau: sums over a wire's column of coefficient
 * times Lagrange value of the row. Made where they are asked for (r1cs/eval/column_sums.h).
 */
#include "r1cs/eval/column_sums.h"

#include "lagrange.h"

typedef struct cuzk_columns {
    cuzk_column_sums *sums;
    cuzk_lagrange_points points; /* the domain's, all */
    cuzk_fr tau;
    cuzk_fr *input_rows;        /* [n_inputs] Lagrange values of the prover's rows I_i * 0 = 0 */
    uint64_t n_inputs, n_wires; /* inputs (ONE first), then aux */
} cuzk_columns;

/**
 * Stays where out is until destroyed; tau is not in the domain. E_INVALID when a wire that A or B
 * has vanishes at tau, which would shift the sections (probability 2^-220; or a tau chosen for it).
 * Memory: as cuzk_column_sums_create. On failure out may be destroyed.
 */
CUZK_NODISCARD cuzk_status cuzk_columns_create(cuzk_columns *out, const cuzk_circuit *c,
                                               const cuzk_lagrange_points *points,
                                               const cuzk_fr *tau, cuzk_pool *pool,
                                               const cuzk_cancel *cancel, cuzk_err *err);
/** A zeroed struct is fine. */
void cuzk_columns_destroy(cuzk_columns *c);
/** out[i], i < n: polynomial of wire first + i in matrix m, at tau. The rows of inputs count. */
CUZK_NODISCARD cuzk_status cuzk_columns_get(cuzk_fr *out, cuzk_columns *c, cuzk_matrix_id m,
                                            uint64_t first, size_t n, cuzk_pool *pool,
                                            const cuzk_cancel *cancel, cuzk_err *err);

#endif /* CUZK_GROTH16_COLUMNS_H */
