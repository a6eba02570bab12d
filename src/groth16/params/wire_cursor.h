/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_GROTH16_WIRE_CURSOR_H
#define CUZK_GROTH16_WIRE_CURSOR_H

/*
 * Walks a witness in the order of the points of a section and sorts the values: ones into a bitmap, all other values
 * but 0 into a list.
 */
#include "groth16/params/srs.h"
#include "r1cs/witness.h"

typedef struct cuzk_wire_cursor {
    const cuzk_witness *w;
    cuzk_srs_section section; /* L, A, or B_G1 for both of B */
    bool all_wires;
    uint64_t input;     /* next input */
    uint64_t part;      /* 0: preamble; k: block k - 1 */
    uint64_t aux;       /* next aux wire of the part */
    uint64_t bit, full; /* ranks of that wire within its part */
} cuzk_wire_cursor;

/** What the next points of the section are multiplied by. Arrays are the caller's. */
typedef struct cuzk_wire_values {
    uint64_t *ones;  /* bitmap [ceil(n / 64)] over the points */
    uint32_t *index; /* [n_full] which point, ascending */
    cuzk_fr *full;   /* [n_full] its value, neither 0 nor 1 */
    size_t n_full;
} cuzk_wire_values;

cuzk_wire_cursor cuzk_wire_cursor_init(const cuzk_witness *w, cuzk_srs_section section,
                                       bool all_wires);
/** Points of the section that the circuit asks for. */
uint64_t cuzk_wire_count(const cuzk_circuit *c, cuzk_srs_section section, bool all_wires);
/** Upper bound of n_full over the whole section. */
uint64_t cuzk_wire_full_bound(const cuzk_circuit *c);
/** The next n points (n < 2^32); asserts that the section has them. */
void cuzk_wire_cursor_next(cuzk_wire_cursor *cur, size_t n, cuzk_wire_values *out);

#endif /* CUZK_GROTH16_WIRE_CURSOR_H */
