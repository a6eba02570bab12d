/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_TEST_GROTH16_CIRCUITS_H
#define CUZK_TEST_GROTH16_CIRCUITS_H

/* Small circuits with satisfying witnesses, and odd ones. All functions check for success. */
#include "r1cs/build/builder.h"
#include "r1cs/witness.h"

typedef struct test_instance {
    cuzk_circuit *c;
    cuzk_witness *w;
} test_instance;

void test_instance_destroy(test_instance *t);

/**
 * A circuit being written together with its values. Rows may be anything; test_draft_finish checks
 * that the values satisfy them.
 */
typedef struct test_draft {
    cuzk_builder *b;
    cuzk_var *vars; /* [n] every wire but ONE, in order of allocation */
    cuzk_fr *vals;
    bool *is_input;
    size_t n, cap;
} test_draft;

void test_draft_begin(test_draft *d);
cuzk_var test_draft_input(test_draft *d, const cuzk_fr *v);
cuzk_var test_draft_full(test_draft *d, const cuzk_fr *v);
/** With its row (1 - b) b = 0. */
cuzk_var test_draft_bit(test_draft *d, bool v);
/** x^2 of a full wire, with its row x * x = y. */
cuzk_var test_draft_square(test_draft *d, const cuzk_fr *x);
/** Adds k * v to a side of the current row. */
void test_draft_term(test_draft *d, cuzk_matrix_id m, cuzk_var v, int64_t k);
test_instance test_draft_finish(test_draft *d);

/** About `rows` rows: bits, products, sums with random coefficients, inputs in between. */
test_instance test_circuit_random(size_t rows, size_t n_inputs);
/** A preamble and n_blocks equal blocks that bind its wires. */
test_instance test_circuit_blocks(uint64_t n_blocks);
/** n wires: runs of `length` random bits and of as many squares in turn, so that slices end at either, and within words. */
test_instance test_circuit_runs(size_t n, size_t length);

/** Uniform element, or now and then 0, 1, -1, a small one. */
void test_fr(cuzk_fr *out);

#endif /* CUZK_TEST_GROTH16_CIRCUITS_H */
