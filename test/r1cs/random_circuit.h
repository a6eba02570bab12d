/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_TEST_R1CS_RANDOM_CIRCUIT_H
#define CUZK_TEST_R1CS_RANDOM_CIRCUIT_H

/*
 * Random circuits with a preamble and blocks: a list of builder calls, recorded through the builder
 * and, fully expanded, in the naive reference; and a satisfying witness. Each row has a full wire
 * of its own in C, whose value makes it hold, or an empty C and an empty A or B.
 */
#include "r1cs/build/builder.h"
#include "r1cs/witness.h"
#include "ref/ref_r1cs.h"

typedef struct random_cfg {
    uint64_t n_blocks; /* 0: preamble only */
    size_t rows[2];    /* of preamble and block */
    size_t max_terms;  /* per side; now and then 20 times as many */
    bool only_fulls;   /* as circuits from circom are */
} random_cfg;

typedef struct random_op {
    uint8_t kind, m;
    uint32_t var, coef; /* coef: index into the palette */
} random_op;

typedef struct random_circuit {
    random_cfg cfg;
    random_op *ops[2];
    size_t n_ops[2], cap_ops[2];
    ref_fr *palette;
    uint32_t n_slots, n_pre_inputs, n_pre_aux;
    cuzk_var *bind; /* [n_blocks * n_slots] */
    cuzk_circuit *c;
    ref_r1cs ref;    /* tidy */
    uint8_t *is_bit; /* [n_aux] */
    uint32_t *own;   /* [rows] aux wire that makes the row hold; UINT32_MAX: none */
    ref_fr *inputs, *aux;
} random_circuit;

void random_circuit_make(random_circuit *r, const random_cfg *cfg);
void random_circuit_free(random_circuit *r);
/** The same calls into another builder. */
void random_circuit_record(const random_circuit *r, cuzk_builder *b);
/** A witness object with the values of r. */
cuzk_witness *random_circuit_witness(const random_circuit *r);

cuzk_fr fr_of_ref(ref_fr a);
ref_fr ref_of_fr(const cuzk_fr *a);

#endif /* CUZK_TEST_R1CS_RANDOM_CIRCUIT_H */
