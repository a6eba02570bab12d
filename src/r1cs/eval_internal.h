/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_R1CS_EVAL_INTERNAL_H
#define CUZK_R1CS_EVAL_INTERNAL_H

/* One row times the witness, and how the rows of a circuit are cut into pieces of work. */
#include "r1cs/acc_internal.h"
#include "r1cs/rows.h"
#include "r1cs/witness.h"

/** What the terms of one part refer to. */
typedef struct cuzk_part_values {
    const uint64_t *bits;
    const cuzk_fr *fulls, *inputs;
    const cuzk_fr *slots; /* [n_slots + 1], ONE first */
    const cuzk_fr *coeffs;
} cuzk_part_values;

/** Values of ONE and all slots, block by block: [n_blocks * (n_slots + 1)], at least one. */
CUZK_NODISCARD cuzk_status cuzk_slot_values_create(cuzk_fr **out, const cuzk_witness *w,
                                                   cuzk_err *err);

/** Values for part `index` (cuzk_circuit_part_base). slots: from cuzk_slot_values_create. */
cuzk_part_values cuzk_part_values_get(const cuzk_witness *w, const cuzk_fr *slots, uint64_t index);

#define CUZK_EVAL_ROWS 2048u /* rows of a piece; a multiple of CUZK_ROW_GROUP */

/** A piece: rows [begin, end) of part `index`, numbered within it. */
typedef struct cuzk_row_piece {
    uint64_t index, begin, end;
} cuzk_row_piece;

uint64_t cuzk_row_pieces(const cuzk_circuit *c);
cuzk_row_piece cuzk_row_piece_get(const cuzk_circuit *c, uint64_t i);

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

/** *out = <row, witness>; the row is len words at p. */
static inline void cuzk_row_eval(cuzk_fr *out, const cuzk_part_values *v, const uint32_t *p,
                                 uint32_t len)
{
    const uint32_t *end = p + len;
    cuzk_acc acc = {{0, 0, 0, 0, 0}};
    while (p < end) {
        const uint32_t word = *p;
        const uint32_t code = word >> 8, id = word & 0xff;
        if (code < CUZK_COL_BITS && id < CUZK_COEF_ESCAPE) {
            const uint64_t bit = v->bits[code / 64] >> (code % 64) & 1;
            cuzk_acc_add_masked(&acc, &v->coeffs[id], 0 - bit);
            p++;
            continue;
        }
        if (word == CUZK_COL_INPUTS << 8) { /* ONE with coefficient 1 */
            cuzk_acc_add(&acc, &v->coeffs[0]);
            p++;
            continue;
        }
        uint32_t coef;
        const cuzk_var var = cuzk_term_next(&p, &coef);
        const uint32_t i = cuzk_var_index(var);
        switch (cuzk_var_get_kind(var)) {
        case CUZK_VAR_KIND_BIT:
            cuzk_acc_add_masked(&acc, &v->coeffs[coef], 0 - (v->bits[i / 64] >> (i % 64) & 1));
            break;
        case CUZK_VAR_KIND_FULL: cuzk_acc_add_product(&acc, v->coeffs, coef, &v->fulls[i]); break;
        case CUZK_VAR_KIND_INPUT: cuzk_acc_add_product(&acc, v->coeffs, coef, &v->inputs[i]); break;
        case CUZK_VAR_KIND_SLOT:
        default:
            if (i == 0) {
                cuzk_acc_add(&acc, &v->coeffs[coef]);
            } else {
                cuzk_acc_add_product(&acc, v->coeffs, coef, &v->slots[i]);
            }
        }
    }
    cuzk_acc_reduce(out, &acc);
}

#endif /* CUZK_R1CS_EVAL_INTERNAL_H */
