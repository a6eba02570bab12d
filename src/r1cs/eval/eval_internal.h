/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_R1CS_EVAL_EVAL_INTERNAL_H
#define CUZK_R1CS_EVAL_EVAL_INTERNAL_H

/* One row times the witness, and how the rows of a circuit are cut into pieces of work. */
#include "r1cs/eval/acc_internal.h"
#include "r1cs/rows.h"
#include "r1cs/witness.h"

/** What the terms of one part refer to. */
typedef struct cuzk_part_values {
    const uint64_t *bits;
    const cuzk_fr *fulls, *inputs;
    const cuzk_fr *slots;  /* [n_slots + 1], ONE first */
    const cuzk_fr *coeffs; /* of the circuit */
    const cuzk_fr *fixed;  /* [1 + CUZK_COEF_TABLE] zero, then the fixed coefficients */
} cuzk_part_values;

/** What evaluation needs in addition to the witness. */
typedef struct cuzk_eval_tables {
    cuzk_fr *slots; /* [n_blocks * (n_slots + 1)], at least one: values of ONE and of all slots */
    cuzk_fr fixed[1 + CUZK_COEF_TABLE];
} cuzk_eval_tables;

CUZK_NODISCARD cuzk_status cuzk_eval_tables_create(cuzk_eval_tables **out, const cuzk_witness *w,
                                                   cuzk_err *err);
void cuzk_eval_tables_destroy(cuzk_eval_tables *t);

/** Values for part `index` (cuzk_circuit_part_base). */
cuzk_part_values cuzk_part_values_get(const cuzk_witness *w, const cuzk_eval_tables *t,
                                      uint64_t index);

#define CUZK_EVAL_ROWS 2048u /* rows of a piece; a multiple of CUZK_ROW_GROUP */

/** A piece: rows [begin, end) of part `index`, numbered within it. */
typedef struct cuzk_row_piece {
    uint64_t index, begin, end;
} cuzk_row_piece;

uint64_t cuzk_row_pieces(const cuzk_circuit *c);
cuzk_row_piece cuzk_row_piece_get(const cuzk_circuit *c, uint64_t i);

static inline uint64_t cuzk_part_bit(const cuzk_part_values *v, uint32_t i)
{
    return v->bits[i / 64] >> (i % 64) & 1;
}

/* acc += coefficient * v. */
static inline void cuzk_acc_add_product(cuzk_acc *acc, const cuzk_fr *coeffs, uint32_t coef,
                                        const cuzk_fr *v)
{
    cuzk_fr t;
    if (coef == 0) {
        cuzk_acc_add(acc, v);
        return;
    }
    if (coef == CUZK_COEF_MINUS_ONE) {
        cuzk_fr_neg(&t, v);
    } else {
        cuzk_fr_mul(&t, &coeffs[coef], v);
    }
    cuzk_acc_add(acc, &t);
}

/* Adds the term at p, which may be of any form; returns where the next one is. */
static inline const uint32_t *cuzk_acc_add_term(cuzk_acc *acc, const cuzk_part_values *v,
                                                const uint32_t *p)
{
    uint32_t coef;
    const cuzk_var var = cuzk_term_next(&p, &coef);
    const uint32_t i = cuzk_var_index(var);
    switch (cuzk_var_get_kind(var)) {
    case CUZK_VAR_KIND_BIT:
        if (cuzk_part_bit(v, i) != 0) {
            cuzk_acc_add(acc, &v->coeffs[coef]);
        }
        break;
    case CUZK_VAR_KIND_FULL: cuzk_acc_add_product(acc, v->coeffs, coef, &v->fulls[i]); break;
    case CUZK_VAR_KIND_INPUT: cuzk_acc_add_product(acc, v->coeffs, coef, &v->inputs[i]); break;
    case CUZK_VAR_KIND_SLOT:
    default:
        if (i == 0) {
            cuzk_acc_add(acc, &v->coeffs[coef]);
        } else {
            cuzk_acc_add_product(acc, v->coeffs, coef, &v->slots[i]);
        }
    }
    return p;
}

/* A term of one word whose variable is a bit or ONE: what it adds. The bit selects the entry, so
 * that there is no branch to mispredict. */
static inline bool cuzk_term_is_plain(uint32_t word)
{
    return (word >> 8 < CUZK_COL_BITS || word >> 8 == CUZK_COL_INPUTS) &&
           (word & 0xff) < CUZK_COEF_ESCAPE;
}

static inline const cuzk_fr *cuzk_plain_term_value(const cuzk_part_values *v, uint32_t word)
{
    const uint32_t code = word >> 8;
    const uint64_t bit = code < CUZK_COL_BITS ? cuzk_part_bit(v, code) : 1;
    return &v->fixed[((word & 0xff) + 1) & (0 - bit)];
}

/** *out = <row, witness>; the row is len words at p. */
static inline void cuzk_row_eval(cuzk_fr *out, const cuzk_part_values *v, const uint32_t *p,
                                 uint32_t len)
{
    if (len <= 1) {
        if (len == 0) {
            *out = v->fixed[0];
            return;
        }
        if (cuzk_term_is_plain(*p)) {
            *out = *cuzk_plain_term_value(v, *p);
            return;
        }
    }
    const uint32_t *end = p + len;
    cuzk_acc acc = {{0, 0, 0, 0, 0}};
    while (p < end) {
        if (__builtin_expect(cuzk_term_is_plain(*p), true)) {
            cuzk_acc_add(&acc, cuzk_plain_term_value(v, *p++));
        } else {
            p = cuzk_acc_add_term(&acc, v, p);
        }
    }
    cuzk_acc_reduce(out, &acc);
}

#endif /* CUZK_R1CS_EVAL_EVAL_INTERNAL_H */
