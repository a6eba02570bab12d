/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_TEST_REF_R1CS_H
#define CUZK_TEST_REF_R1CS_H

/*
 * A naive R1CS: every row of the whole circuit as a list of (wire, coefficient) in the order of the
 * calls, duplicates and zeros included; arithmetic modulo r bit by bit. Shares no code with src.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ref_fr {
    uint64_t l[4]; /* canonical */
} ref_fr;

ref_fr ref_fr_u64(uint64_t v);
ref_fr ref_fr_add(ref_fr a, ref_fr b);
ref_fr ref_fr_neg(ref_fr a);
ref_fr ref_fr_mul(ref_fr a, ref_fr b);
bool ref_fr_eq(ref_fr a, ref_fr b);
bool ref_fr_is_zero(ref_fr a);
/** From 32 little-endian bytes, reduced. */
ref_fr ref_fr_bytes(const uint8_t b[32]);
void ref_fr_to_bytes(uint8_t out[32], ref_fr a);

#define REF_AUX 0x80000000u

typedef struct ref_term {
    uint32_t wire; /* input index, or aux index | REF_AUX */
    ref_fr coef;
} ref_term;

typedef struct ref_side {
    ref_term *t;
    size_t n, cap;
} ref_side;

typedef struct ref_r1cs {
    uint32_t n_inputs, n_aux;
    ref_side (*rows)[3]; /* [cap_rows]; the one at n_rows is under construction */
    size_t n_rows, cap_rows;
} ref_r1cs;

/** Aborts when out of memory, like the others. n_inputs starts at 1. */
void ref_r1cs_init(ref_r1cs *r);
void ref_r1cs_deinit(ref_r1cs *r);
void ref_r1cs_term(ref_r1cs *r, int m, uint32_t wire, ref_fr coef);
void ref_r1cs_row(ref_r1cs *r);
/** Sorts every side by wire (inputs first), adds up duplicates, drops zeros. */
void ref_r1cs_tidy(ref_r1cs *r);
/** <row of m, values>. */
ref_fr ref_r1cs_dot(const ref_r1cs *r, int m, size_t row, const ref_fr *inputs, const ref_fr *aux);
/** First unsatisfied row, or n_rows. */
size_t ref_r1cs_check(const ref_r1cs *r, const ref_fr *inputs, const ref_fr *aux);
/** After tidy: whether the wire is in some row of m. */
bool ref_r1cs_is_dense(const ref_r1cs *r, int m, uint32_t wire);
/** After tidy: the transcript's bytes for rows [0, n_rows), malloc'd. */
uint8_t *ref_r1cs_row_bytes(const ref_r1cs *r, size_t n_rows, size_t *n_bytes);

#endif /* CUZK_TEST_REF_R1CS_H */
