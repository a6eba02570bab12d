/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "gadget/boolean.h"

#define A CUZK_MATRIX_A
#define B CUZK_MATRIX_B
#define C CUZK_MATRIX_C

void cuzk_bool_term(cuzk_builder *b, cuzk_matrix_id m, cuzk_bool a, cuzk_coef coef)
{
    if (!cuzk_bool_is_negated(a)) {
        cuzk_builder_term(b, m, cuzk_bool_var(a), coef);
    } else if (!cuzk_bool_is_const(a)) {
        cuzk_builder_term(b, m, CUZK_VAR_ONE, coef);
        cuzk_builder_term(b, m, cuzk_bool_var(a), cuzk_builder_coef_neg(b, coef));
    }
}

/* Adds a or -a, without the look-up of the negated coefficient. */
static void plus(cuzk_builder *b, cuzk_matrix_id m, cuzk_bool a)
{
    if (!cuzk_bool_is_negated(a)) {
        cuzk_builder_term(b, m, cuzk_bool_var(a), CUZK_COEF_ONE);
    } else if (!cuzk_bool_is_const(a)) {
        cuzk_builder_term(b, m, CUZK_VAR_ONE, CUZK_COEF_ONE);
        cuzk_builder_term(b, m, cuzk_bool_var(a), CUZK_COEF_MINUS_ONE);
    }
}

static void minus(cuzk_builder *b, cuzk_matrix_id m, cuzk_bool a)
{
    if (!cuzk_bool_is_negated(a)) {
        cuzk_builder_term(b, m, cuzk_bool_var(a), CUZK_COEF_MINUS_ONE);
    } else if (!cuzk_bool_is_const(a)) {
        cuzk_builder_term(b, m, CUZK_VAR_ONE, CUZK_COEF_MINUS_ONE);
        cuzk_builder_term(b, m, cuzk_bool_var(a), CUZK_COEF_ONE);
    }
}

cuzk_bool cuzk_bool_alloc(cuzk_builder *b)
{
    const cuzk_bool v = cuzk_bool_is(cuzk_builder_bit(b));
    plus(b, A, cuzk_bool_not(v));
    plus(b, B, v);
    cuzk_builder_row(b);
    return v;
}

/* r = x xor y of two wires: 2x * y = x + y - r. */
static cuzk_bool xor_wires(cuzk_builder *b, cuzk_var x, cuzk_var y)
{
    const cuzk_var r = cuzk_builder_bit(b);
    cuzk_builder_term(b, A, x, CUZK_COEF_TWO);
    cuzk_builder_term(b, B, y, CUZK_COEF_ONE);
    cuzk_builder_term(b, C, x, CUZK_COEF_ONE);
    cuzk_builder_term(b, C, y, CUZK_COEF_ONE);
    cuzk_builder_term(b, C, r, CUZK_COEF_MINUS_ONE);
    cuzk_builder_row(b);
    return cuzk_bool_is(r);
}

cuzk_bool cuzk_bool_xor(cuzk_builder *b, cuzk_bool x, cuzk_bool y)
{
    if (cuzk_bool_is_const(x)) {
        return cuzk_bool_is_true(x) ? cuzk_bool_not(y) : y;
    }
    if (cuzk_bool_is_const(y)) {
        return cuzk_bool_is_true(y) ? cuzk_bool_not(x) : x;
    }
    if (cuzk_bool_is_negated(x) == cuzk_bool_is_negated(y)) {
        return xor_wires(b, cuzk_bool_var(x), cuzk_bool_var(y));
    }
    /* The plain operand comes first, whichever side it was on. */
    const bool swap = cuzk_bool_is_negated(x);
    return cuzk_bool_not(xor_wires(b, cuzk_bool_var(swap ? y : x), cuzk_bool_var(swap ? x : y)));
}

cuzk_bool cuzk_bool_and(cuzk_builder *b, cuzk_bool x, cuzk_bool y)
{
    if (cuzk_bool_is_const(x)) {
        return cuzk_bool_is_true(x) ? y : x;
    }
    if (cuzk_bool_is_const(y)) {
        return cuzk_bool_is_true(y) ? x : y;
    }
    const bool swap = cuzk_bool_is_negated(x) && !cuzk_bool_is_negated(y);
    const cuzk_bool r = cuzk_bool_is(cuzk_builder_bit(b));
    plus(b, A, swap ? y : x);
    plus(b, B, swap ? x : y);
    plus(b, C, r);
    cuzk_builder_row(b);
    return r;
}

static cuzk_bool nand(cuzk_builder *b, cuzk_bool x, cuzk_bool y)
{
    return cuzk_bool_not(cuzk_bool_and(b, x, y));
}

cuzk_bool cuzk_bool_ch(cuzk_builder *b, cuzk_bool x, cuzk_bool y, cuzk_bool z)
{
    if (cuzk_bool_is_const(x) && cuzk_bool_is_const(y) && cuzk_bool_is_const(z)) {
        return cuzk_bool_is_true(x) ? y : z;
    }
    if (cuzk_bool_is_false(x)) {
        return z;
    }
    if (cuzk_bool_is_false(y)) {
        return cuzk_bool_and(b, cuzk_bool_not(x), z);
    }
    if (cuzk_bool_is_false(z)) {
        return cuzk_bool_and(b, x, y);
    }
    if (cuzk_bool_is_true(z)) {
        return nand(b, x, cuzk_bool_not(y));
    }
    if (cuzk_bool_is_true(y)) {
        return nand(b, cuzk_bool_not(x), cuzk_bool_not(z));
    }
    const cuzk_bool r = cuzk_bool_is(cuzk_builder_bit(b)); /* (y - z) * x = r - z */
    plus(b, A, y);
    minus(b, A, z);
    plus(b, B, x);
    plus(b, C, r);
    minus(b, C, z);
    cuzk_builder_row(b);
    return r;
}

cuzk_bool cuzk_bool_maj(cuzk_builder *b, cuzk_bool x, cuzk_bool y, cuzk_bool z)
{
    if (cuzk_bool_is_const(x) && cuzk_bool_is_const(y) && cuzk_bool_is_const(z)) {
        return cuzk_bool_is_true(x) == cuzk_bool_is_true(y) ? x : z;
    }
    if (cuzk_bool_is_false(x)) {
        return cuzk_bool_and(b, y, z);
    }
    if (cuzk_bool_is_false(y)) {
        return cuzk_bool_and(b, x, z);
    }
    if (cuzk_bool_is_false(z)) {
        return cuzk_bool_and(b, x, y);
    }
    if (cuzk_bool_is_true(z)) {
        return nand(b, cuzk_bool_not(x), cuzk_bool_not(y));
    }
    if (cuzk_bool_is_true(y)) {
        return nand(b, cuzk_bool_not(x), cuzk_bool_not(z));
    }
    if (cuzk_bool_is_true(x)) {
        return nand(b, cuzk_bool_not(y), cuzk_bool_not(z));
    }
    const cuzk_bool r = cuzk_bool_is(cuzk_builder_bit(b));
    const cuzk_bool yz = cuzk_bool_and(b, y, z);
    cuzk_builder_term(b, A, cuzk_bool_var(yz), CUZK_COEF_TWO); /* (2yz - y - z) * x = yz - r */
    minus(b, A, y);
    minus(b, A, z);
    plus(b, B, x);
    plus(b, C, yz);
    minus(b, C, r);
    cuzk_builder_row(b);
    return r;
}
