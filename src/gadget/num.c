/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "gadget/num.h"

#include "base/assert.h"

#define A CUZK_MATRIX_A
#define B CUZK_MATRIX_B
#define C CUZK_MATRIX_C

void cuzk_num_equal(cuzk_builder *b, cuzk_var x, cuzk_var y)
{
    cuzk_builder_term(b, A, x, CUZK_COEF_ONE);
    cuzk_builder_term(b, B, CUZK_VAR_ONE, CUZK_COEF_ONE);
    cuzk_builder_term(b, C, y, CUZK_COEF_ONE);
    cuzk_builder_row(b);
}

void cuzk_num_inputize(cuzk_builder *b, cuzk_var v)
{
    cuzk_num_equal(b, cuzk_builder_input(b), v);
}

cuzk_var cuzk_num_mul(cuzk_builder *b, cuzk_var x, cuzk_var y)
{
    const cuzk_var p = cuzk_builder_full(b);
    cuzk_builder_term(b, A, x, CUZK_COEF_ONE);
    cuzk_builder_term(b, B, y, CUZK_COEF_ONE);
    cuzk_builder_term(b, C, p, CUZK_COEF_ONE);
    cuzk_builder_row(b);
    return p;
}

cuzk_var cuzk_num_add(cuzk_builder *b, cuzk_var x, cuzk_var y)
{
    const cuzk_var s = cuzk_builder_full(b);
    cuzk_builder_term(b, A, y, CUZK_COEF_ONE);
    cuzk_num_equal(b, x, s);
    return s;
}

static void packed(cuzk_builder *b, cuzk_matrix_id m, const cuzk_bool *bits, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        cuzk_bool_term(b, m, bits[i], cuzk_builder_coef_pow2(b, (unsigned)i));
    }
}

void cuzk_num_to_bits(cuzk_builder *b, cuzk_bool out[CUZK_FR_BITS], cuzk_var v)
{
    for (int i = 0; i < CUZK_FR_BITS; i++) {
        out[i] = cuzk_bool_alloc(b);
    }
    packed(b, C, out, CUZK_FR_BITS);
    cuzk_builder_term(b, C, v, CUZK_COEF_MINUS_ONE);
    cuzk_builder_row(b);
}

void cuzk_num_equal_packed(cuzk_builder *b, const cuzk_bool *bits, size_t n, cuzk_var v)
{
    packed(b, A, bits, n);
    cuzk_builder_term(b, B, CUZK_VAR_ONE, CUZK_COEF_ONE);
    cuzk_builder_term(b, C, v, CUZK_COEF_ONE);
    cuzk_builder_row(b);
}

cuzk_var cuzk_num_pack(cuzk_builder *b, const cuzk_bool *bits, size_t n)
{
    CUZK_ASSERT(n <= CUZK_FR_CAPACITY);
    const cuzk_var v = cuzk_builder_full(b);
    cuzk_num_equal_packed(b, bits, n, v);
    return v;
}

void cuzk_num_pack_into_input(cuzk_builder *b, const cuzk_bool *bits, size_t n)
{
    CUZK_ASSERT(n <= CUZK_FR_CAPACITY);
    if (n > 0) {
        cuzk_num_equal_packed(b, bits, n, cuzk_builder_input(b));
    }
}

void cuzk_num_bits_to_sha(cuzk_bool out[CUZK_NODE_BITS], const cuzk_bool bits[CUZK_FR_BITS])
{
    for (unsigned i = 0; i < CUZK_NODE_BITS; i++) {
        const unsigned le = i ^ 7; /* mirrored inside its byte */
        out[i] = le < CUZK_FR_BITS ? bits[le] : cuzk_bool_const(false);
    }
}

cuzk_var cuzk_num_pick(cuzk_builder *b, cuzk_bool cond, cuzk_var x, cuzk_var y)
{
    const cuzk_var c = cuzk_builder_full(b);
    cuzk_builder_term(b, A, y, CUZK_COEF_ONE);
    cuzk_builder_term(b, A, x, CUZK_COEF_MINUS_ONE);
    cuzk_bool_term(b, B, cond, CUZK_COEF_ONE);
    cuzk_builder_term(b, C, y, CUZK_COEF_ONE);
    cuzk_builder_term(b, C, c, CUZK_COEF_MINUS_ONE);
    cuzk_builder_row(b);
    return c;
}

cuzk_var cuzk_num_select(cuzk_builder *b, cuzk_var *table, const cuzk_bool *bits, unsigned n)
{
    while (n-- > 0) {
        const size_t half = (size_t)1 << n;
        for (size_t j = 0; j < half; j++) {
            table[j] = cuzk_num_pick(b, bits[n], table[half + j], table[j]);
        }
    }
    return table[0];
}
