/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_TEST_CIRCUIT_GOLDEN_H
#define CUZK_TEST_CIRCUIT_GOLDEN_H

/* test/vectors/circuits.json: what the original implementation synthesises. */
#include <stddef.h>
#include <stdint.h>

#include "r1cs/circuit.h"

#define GOLDEN_MAX_PREFIXES 32

typedef struct golden {
    char kind[24], size[16]; /* of a circuit */
    char setup[192];         /* of a gadget */
    uint64_t sector_bytes;
    uint64_t rows, inputs, aux;
    uint64_t nnz[3]; /* circuit rows only, zero coefficients left out */
    uint64_t a_aux_density, b_input_density, b_aux_density;
    uint8_t transcript[32];
    size_t n_prefixes;
    struct {
        uint64_t rows;
        uint8_t hash[16];
    } prefix[GOLDEN_MAX_PREFIXES]; /* ascending rows */
} golden;

typedef struct golden_file {
    golden *circuits, *gadgets;
    size_t n_circuits, n_gadgets;
} golden_file;

/** Fails the running case when the file cannot be read. */
void golden_load(golden_file *out);
void golden_unload(golden_file *g);
/** NULL when there is none. */
const golden *golden_circuit(const golden_file *g, const char *kind, uint64_t sector_bytes);
/** The gadget whose setup starts with the text; fails the case when there is none. */
const golden *golden_gadget(const golden_file *g, const char *setup);

/** Counts and, for circuits, non-zeros and densities. */
void golden_check_counts(const cuzk_circuit *c, const golden *want);
/** The transcript; on a mismatch says between which rows it begins and what is there. */
void golden_check_transcript(const cuzk_circuit *c, const golden *want);

#endif /* CUZK_TEST_CIRCUIT_GOLDEN_H */
