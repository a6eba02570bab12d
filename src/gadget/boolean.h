/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_GADGET_BOOLEAN_H
#define CUZK_GADGET_BOOLEAN_H

/*
 * Booleans of a circuit: a constant, a bit wire, or its negation (docs/spec/gadgets.md#booleans). The
 * case analysis decides which rows exist and is part of every circuit's definition: it follows
 * bellpepper-core 0.2.1 rule by rule. Errors stick to the builder.
 */
#include <stdbool.h>
#include <stdint.h>

#include "r1cs/build/builder.h"

/** A bit wire and a sign: `var`, or 1 - var with CUZK_BOOL_NOT. Constant 1 is ONE, 0 is not ONE. */
typedef struct cuzk_bool {
    uint32_t code;
} cuzk_bool;
#define CUZK_BOOL_NOT 0x80000000u

static inline cuzk_bool cuzk_bool_is(cuzk_var v)
{
    const cuzk_bool r = {v};
    return r;
}

static inline cuzk_bool cuzk_bool_const(bool v)
{
    const cuzk_bool r = {v ? CUZK_VAR_ONE : CUZK_VAR_ONE | CUZK_BOOL_NOT};
    return r;
}

static inline cuzk_bool cuzk_bool_not(cuzk_bool a)
{
    const cuzk_bool r = {a.code ^ CUZK_BOOL_NOT};
    return r;
}

static inline cuzk_var cuzk_bool_var(cuzk_bool a)
{
    return a.code & ~CUZK_BOOL_NOT;
}

static inline bool cuzk_bool_is_negated(cuzk_bool a)
{
    return (a.code & CUZK_BOOL_NOT) != 0;
}

static inline bool cuzk_bool_is_const(cuzk_bool a)
{
    return cuzk_bool_var(a) == CUZK_VAR_ONE;
}

static inline bool cuzk_bool_is_true(cuzk_bool a)
{
    return a.code == CUZK_VAR_ONE;
}

static inline bool cuzk_bool_is_false(cuzk_bool a)
{
    return a.code == (CUZK_VAR_ONE | CUZK_BOOL_NOT);
}

/** New bit wire v with its row (1 - v) * v = 0. */
cuzk_bool cuzk_bool_alloc(cuzk_builder *b);
/** Adds coef * a to matrix m of the row being built. */
void cuzk_bool_term(cuzk_builder *b, cuzk_matrix_id m, cuzk_bool a, cuzk_coef coef);

/* Each makes at most one wire and one row (maj: two); none when constants decide. */
cuzk_bool cuzk_bool_xor(cuzk_builder *b, cuzk_bool x, cuzk_bool y);
cuzk_bool cuzk_bool_and(cuzk_builder *b, cuzk_bool x, cuzk_bool y);
/** SHA-256 choose: x ? y : z. */
cuzk_bool cuzk_bool_ch(cuzk_builder *b, cuzk_bool x, cuzk_bool y, cuzk_bool z);
/** SHA-256 majority. The wire of the result comes before that of y and z. */
cuzk_bool cuzk_bool_maj(cuzk_builder *b, cuzk_bool x, cuzk_bool y, cuzk_bool z);

#endif /* CUZK_GADGET_BOOLEAN_H */
