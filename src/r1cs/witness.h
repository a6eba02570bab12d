/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_R1CS_WITNESS_H
#define CUZK_R1CS_WITNESS_H

/*
 * The values of all wires: inputs, a bitmap, and the full elements. Writers fill each part's bits
 * and fulls in allocation order within the class; blocks are independent and may be written by
 * different threads at once.
 */
#include "r1cs/circuit.h"
#include "sys/pool.h"

typedef struct cuzk_witness {
    const cuzk_circuit *circuit; /* borrowed */
    cuzk_fr *inputs;             /* [n_inputs] Montgomery, [0] = 1 */
    uint64_t *bits; /* [ceil(preamble.n_bits / 64) + n_blocks * bit_stride]; unused bits 0 */
    cuzk_fr *fulls; /* [n_fulls] preamble's, then block by block */
    uint64_t n_bit_words;
} cuzk_witness;

/** Allocates for a circuit; all bits 0, inputs[0] = 1, the rest unset. The circuit must outlive it. */
CUZK_NODISCARD cuzk_status cuzk_witness_create(cuzk_witness **out, const cuzk_circuit *c,
                                               cuzk_err *err);
void cuzk_witness_destroy(cuzk_witness *w);

/** Where one part's values are; for writers and for the evaluator. */
typedef struct cuzk_witness_part {
    cuzk_fr *inputs; /* [part.n_inputs], ONE not among them */
    uint64_t *bits;  /* bit i of the part: bits[i / 64] >> (i % 64) & 1 */
    cuzk_fr *fulls;
} cuzk_witness_part;

cuzk_witness_part cuzk_witness_preamble(const cuzk_witness *w);
cuzk_witness_part cuzk_witness_block(const cuzk_witness *w, uint64_t k);

/** Value of any wire of the whole circuit. Slow; for tests and messages. */
void cuzk_witness_get(cuzk_fr *out, const cuzk_witness *w, cuzk_wire wire);
/**
 * Fills from plain values: inputs [n_inputs], aux [n_aux] in wire order. E_UNSATISFIED when a bit
 * wire is not 0 or 1 (the message names it).
 */
CUZK_NODISCARD cuzk_status cuzk_witness_set_all(cuzk_witness *w, const cuzk_fr *inputs,
                                                const cuzk_fr *aux, cuzk_err *err);
/** SHA-256 of all input values (ONE first), then all aux values, 32-byte little-endian (7.2). */
CUZK_NODISCARD cuzk_status cuzk_witness_hash(const cuzk_witness *w, uint8_t out[32], cuzk_err *err);

/**
 * out[k] = <M_k, w> for every prover row: circuit rows, then for A the inputs and for B and C zeros.
 * out has n_out >= cuzk_circuit_prover_rows elements; the rest is zeroed (domain padding).
 */
CUZK_NODISCARD cuzk_status cuzk_r1cs_eval(cuzk_fr *out, uint64_t n_out, const cuzk_witness *w,
                                          cuzk_matrix_id m, cuzk_pool *pool,
                                          const cuzk_cancel *cancel, cuzk_err *err);
/**
 * Multiplies every row out. E_UNSATISFIED names the first (lowest) unsatisfied row by number and
 * path, and *bad_row (optional) gets its number. Needs no memory that grows with the circuit.
 */
CUZK_NODISCARD cuzk_status cuzk_r1cs_check(const cuzk_witness *w, uint64_t *bad_row,
                                           cuzk_pool *pool, const cuzk_cancel *cancel,
                                           cuzk_err *err);

#endif /* CUZK_R1CS_WITNESS_H */
