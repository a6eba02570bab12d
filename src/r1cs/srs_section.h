/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_R1CS_SRS_SECTION_H
#define CUZK_R1CS_SRS_SECTION_H

/* The sections of Groth16 parameters, and the wires of a circuit that they have points for. */
#include "base/assert.h"

/** Arrays are indexed by it; 0 to 4 are the order of a .params file. */
typedef enum cuzk_srs_section {
    CUZK_SRS_H = 0,    /* G1, [m - 1] */
    CUZK_SRS_L = 1,    /* G1, [n_aux] */
    CUZK_SRS_A = 2,    /* G1, [n_inputs + a_aux_density] */
    CUZK_SRS_B_G1 = 3, /* G1, [b_input_density + b_aux_density] */
    CUZK_SRS_B_G2 = 4, /* G2, same count */
    CUZK_SRS_IC =
        5 /* G1, [n_inputs]; of the verifying key, and made with the sections; in no array of sections */
} cuzk_srs_section;
/** Of a .params file: all but IC. */
#define CUZK_SRS_SECTIONS  5

/**
 * Sets of wires that sections have points for, in the order of the points. L: aux wires; A: inputs, then aux wires in A;
 * B_G1 and B_G2: inputs and aux wires in B. Arrays of sets are indexed by cuzk_srs_wire_set.
 */
#define CUZK_SRS_WIRE_SETS 3
/** L: 0; A: 1; B_G1 and B_G2: 2. Asserted: not H, and not IC. */
static inline unsigned cuzk_srs_wire_set(cuzk_srs_section s)
{
    CUZK_ASSERT(s >= CUZK_SRS_L && s <= CUZK_SRS_B_G2);
    return (s == CUZK_SRS_B_G2 ? (unsigned)CUZK_SRS_B_G1 : (unsigned)s) - (unsigned)CUZK_SRS_L;
}
/** The first section that has a set: L, A, B_G1. */
static inline cuzk_srs_section cuzk_srs_of_wire_set(unsigned set)
{
    CUZK_ASSERT(set < CUZK_SRS_WIRE_SETS);
    return (cuzk_srs_section)((unsigned)CUZK_SRS_L + set);
}
CUZK_STATIC_ASSERT(CUZK_SRS_H == 0 && CUZK_SRS_B_G2 == CUZK_SRS_SECTIONS - 1 &&
                       CUZK_SRS_IC == CUZK_SRS_SECTIONS,
                   "sections of a file are numbered in its order, and the last one is IC");
CUZK_STATIC_ASSERT(CUZK_SRS_A == CUZK_SRS_L + 1 && CUZK_SRS_B_G1 == CUZK_SRS_L + 2 &&
                       CUZK_SRS_B_G2 == CUZK_SRS_L + 3,
                   "sets of wires are numbered as the sections from L on");

#endif /* CUZK_R1CS_SRS_SECTION_H */
