/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_R1CS_EVAL_COLUMN_SUMS_H
#define CUZK_R1CS_EVAL_COLUMN_SUMS_H

/*
 * Column sums, for setup: with weights L_k(tau) the sums are the wires' polynomials at tau. No
 * vector of all wires or all rows exists: sums are made where they are asked for, from weights of
 * one part at a time.
 */
#include "r1cs/circuit.h"
#include "sys/pool.h"

/** Fills out[n] with the weights of circuit rows [begin, begin + n). A failure is passed on. */
typedef cuzk_status (*cuzk_row_weights_fn)(void *arg, cuzk_fr *out, uint64_t begin, size_t n,
                                           cuzk_pool *pool, const cuzk_cancel *cancel,
                                           cuzk_err *err);

typedef struct cuzk_column_sums cuzk_column_sums;

/**
 * Turns the matrices on their side and adds up what the preamble's wires and all inputs have; asks
 * for the weights of every part once. c and arg must outlive the object.
 *
 * Memory: 8 bytes per term and 12 per wire of preamble and one block, 32 per row of the larger of
 * the two, 96 per input and per wire of the preamble. E_NOMEM, E_CANCELLED; E_INVALID for 2^32 rows
 * or terms of a matrix in a part.
 */
CUZK_NODISCARD cuzk_status cuzk_column_sums_create(cuzk_column_sums **out, const cuzk_circuit *c,
                                                   cuzk_row_weights_fn weights, void *arg,
                                                   cuzk_pool *pool, const cuzk_cancel *cancel,
                                                   cuzk_err *err);
/** NULL is fine. */
void cuzk_column_sums_destroy(cuzk_column_sums *s);
/**
 * out[i], i < n: sum over circuit rows k of coefficient(m, k, wire) * weight of k, for wire
 * first + i, inputs (ONE first), then aux. The prover's input rows are not included: for A add the
 * weight of row n_rows + j to input j. Cheapest in order: going from one block to another asks for
 * weights again. The result does not depend on the number of threads.
 * @thread one call at a time
 */
CUZK_NODISCARD cuzk_status cuzk_column_sums_get(cuzk_fr *out, cuzk_column_sums *s, cuzk_matrix_id m,
                                                uint64_t first, size_t n, cuzk_pool *pool,
                                                const cuzk_cancel *cancel, cuzk_err *err);

#endif /* CUZK_R1CS_EVAL_COLUMN_SUMS_H */
