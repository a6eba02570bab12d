/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "bench_rows.h"

static void term(cuzk_builder *b, cuzk_matrix_id m, cuzk_var v, bool minus)
{
    const cuzk_coef one = CUZK_COEF_ONE;
    cuzk_builder_term(b, m, v, minus ? cuzk_builder_coef_neg(b, one) : one);
}

/* Row k is the bit row (1 - w) w = 0, or w = u (v + last bit) with the last two full wires u, v. */
static bool is_bit_row(const bench_rows *o, uint64_t k)
{
    return k % 100 < o->bits;
}

cuzk_status bench_rows_circuit(cuzk_circuit **out, const bench_rows *o, cuzk_err *err)
{
    const uint64_t rows = ((uint64_t)1 << o->lg) - 2;
    cuzk_builder *b = NULL;
    CUZK_TRY(cuzk_builder_create(&b, err));
    cuzk_var u = cuzk_builder_input(b), v = u, bit = CUZK_VAR_ONE;
    for (uint64_t k = 0; k < rows; k++) {
        if (is_bit_row(o, k)) {
            bit = cuzk_builder_bit(b);
            term(b, CUZK_MATRIX_A, CUZK_VAR_ONE, false);
            term(b, CUZK_MATRIX_A, bit, true);
            term(b, CUZK_MATRIX_B, bit, false);
        } else {
            const cuzk_var w = cuzk_builder_full(b);
            term(b, CUZK_MATRIX_A, u, false);
            term(b, CUZK_MATRIX_B, v, false);
            term(b, CUZK_MATRIX_B, bit, false);
            term(b, CUZK_MATRIX_C, w, false);
            v = u;
            u = w;
        }
        cuzk_builder_row(b);
    }
    const cuzk_status st = cuzk_builder_finish(b, out, err);
    cuzk_builder_destroy(b);
    return st;
}

cuzk_status bench_rows_witness(cuzk_witness **out, const bench_rows *o, const cuzk_circuit *c,
                               cuzk_err *err)
{
    cuzk_fr u, v, bit = CUZK_FR_ONE;
    uint64_t n_bits = 0, n_fulls = 0, x = 88172645463325252u;
    CUZK_TRY(cuzk_witness_create(out, c, err));
    cuzk_witness *w = *out;
    cuzk_fr_from_u64(&w->inputs[1], 0x123456789abcdefu);
    cuzk_fr_sqr(&w->inputs[1], &w->inputs[1]);
    u = v = w->inputs[1];
    for (uint64_t k = 0; k < c->n_rows; k++) {
        if (is_bit_row(o, k)) {
            x ^= x << 13; /* xorshift64 */
            x ^= x >> 7;
            x ^= x << 17;
            w->bits[n_bits / 64] |= (x & 1) << (n_bits % 64);
            n_bits++;
            cuzk_fr_from_u64(&bit, x & 1);
        } else {
            cuzk_fr t;
            cuzk_fr_add(&t, &v, &bit);
            cuzk_fr_mul(&t, &t, &u);
            v = u;
            u = t;
            w->fulls[n_fulls++] = t;
        }
    }
    return CUZK_OK;
}
