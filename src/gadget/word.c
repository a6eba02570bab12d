/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "gadget/word.h"

#include "base/assert.h"

void cuzk_word_const(cuzk_word *out, uint32_t v)
{
    for (int i = 0; i < 32; i++) {
        out->bit[i] = cuzk_bool_const((v >> i & 1) != 0);
    }
}

void cuzk_word_from_be(cuzk_word *out, const cuzk_bool *bits)
{
    for (int i = 0; i < 32; i++) {
        out->bit[i] = bits[31 - i];
    }
}

void cuzk_word_rotr(cuzk_word *out, const cuzk_word *in, unsigned n)
{
    for (unsigned i = 0; i < 32; i++) {
        out->bit[i] = in->bit[(i + n) % 32];
    }
}

void cuzk_word_shr(cuzk_word *out, const cuzk_word *in, unsigned n)
{
    for (unsigned i = 0; i < 32; i++) {
        out->bit[i] = i + n < 32 ? in->bit[i + n] : cuzk_bool_const(false);
    }
}

void cuzk_word_xor(cuzk_builder *b, cuzk_word *out, const cuzk_word *x, const cuzk_word *y)
{
    for (int i = 0; i < 32; i++) {
        out->bit[i] = cuzk_bool_xor(b, x->bit[i], y->bit[i]);
    }
}

void cuzk_word_ch(cuzk_builder *b, cuzk_word *out, const cuzk_word *x, const cuzk_word *y,
                  const cuzk_word *z)
{
    for (int i = 0; i < 32; i++) {
        out->bit[i] = cuzk_bool_ch(b, x->bit[i], y->bit[i], z->bit[i]);
    }
}

void cuzk_word_maj(cuzk_builder *b, cuzk_word *out, const cuzk_word *x, const cuzk_word *y,
                   const cuzk_word *z)
{
    for (int i = 0; i < 32; i++) {
        out->bit[i] = cuzk_bool_maj(b, x->bit[i], y->bit[i], z->bit[i]);
    }
}

void cuzk_multieq_init(cuzk_multieq *q)
{
    q->n_bits = 0;
    q->n_terms = 0;
    q->one[0] = q->one[1] = q->one[2] = q->one[3] = 0;
}

/* one += v * 2^shift. Sums in a row stay below 2^254 (each below 2^its bits), so nothing is lost. */
static void add_to_one(cuzk_multieq *q, uint64_t v, uint32_t shift)
{
    const uint32_t limb = shift / 64, off = shift % 64;
    const uint64_t part[2] = {v << off, off == 0 ? 0 : v >> (64 - off)};
    uint64_t carry = 0;
    for (uint32_t i = limb; i < 4; i++) {
        uint64_t x = i - limb < 2 ? part[i - limb] : 0;
        carry = (uint64_t)__builtin_add_overflow(x, carry, &x);
        carry += (uint64_t)__builtin_add_overflow(q->one[i], x, &q->one[i]);
    }
}

void cuzk_multieq_flush(cuzk_builder *b, cuzk_multieq *q)
{
    if (q->n_bits == 0) {
        return;
    }
    cuzk_scalar s;
    cuzk_fr one;
    for (int i = 0; i < 4; i++) {
        s.l[i] = q->one[i];
    }
    cuzk_fr_from_scalar(&one, &s);
    if (!cuzk_fr_is_zero(&one)) {
        cuzk_builder_term(b, CUZK_MATRIX_A, CUZK_VAR_ONE, cuzk_builder_coef(b, &one));
    }
    for (uint32_t i = 0; i < q->n_terms; i++) {
        const cuzk_coef c = cuzk_builder_coef_pow2(b, q->weight[i]);
        cuzk_builder_term(b, CUZK_MATRIX_A, cuzk_bool_var(q->term[i]),
                          cuzk_bool_is_negated(q->term[i]) ? cuzk_builder_coef_neg(b, c) : c);
    }
    cuzk_builder_term(b, CUZK_MATRIX_B, CUZK_VAR_ONE, CUZK_COEF_ONE);
    for (uint32_t i = 0; i < q->n_bits; i++) {
        cuzk_builder_term(b, CUZK_MATRIX_C, q->result[i], cuzk_builder_coef_pow2(b, i));
    }
    cuzk_builder_row(b);
    cuzk_multieq_init(q);
}

static bool word_is_const(uint32_t *value, const cuzk_word *w)
{
    *value = 0;
    for (int i = 0; i < 32; i++) {
        if (!cuzk_bool_is_const(w->bit[i])) {
            return false;
        }
        *value |= (uint32_t)cuzk_bool_is_true(w->bit[i]) << i;
    }
    return true;
}

/* Puts 2^shift * w on the left side. */
static void push_word(cuzk_multieq *q, const cuzk_word *w, uint32_t shift)
{
    uint32_t ones = 0; /* true constants, and the 1 of each 1 - v */
    for (uint32_t i = 0; i < 32; i++) {
        const cuzk_bool x = w->bit[i];
        if (!cuzk_bool_is_const(x)) {
            CUZK_ASSERT(q->n_terms < CUZK_MULTIEQ_MAX_TERMS);
            q->term[q->n_terms] = x;
            q->weight[q->n_terms++] = (uint8_t)(shift + i);
            ones |= (uint32_t)cuzk_bool_is_negated(x) << i;
        } else {
            ones |= (uint32_t)cuzk_bool_is_true(x) << i;
        }
    }
    add_to_one(q, ones, shift);
}

void cuzk_word_add(cuzk_builder *b, cuzk_multieq *q, cuzk_word *out, const cuzk_word *const *ops,
                   size_t n)
{
    CUZK_ASSERT(n >= 2 && n <= CUZK_WORD_MAX_ADDENDS);
    uint32_t sum = 0, v;
    size_t consts = 0;
    for (; consts < n && word_is_const(&v, ops[consts]); consts++) {
        sum += v;
    }
    if (consts == n) {
        cuzk_word_const(out, sum);
        return;
    }
    const uint32_t bits = 64 - (uint32_t)__builtin_clzll((uint64_t)n * 0xffffffffu);
    cuzk_var result[36];
    for (uint32_t i = 0; i < bits; i++) {
        result[i] = cuzk_bool_var(cuzk_bool_alloc(b));
    }
    if (q->n_bits + bits >= CUZK_MULTIEQ_CAPACITY) {
        cuzk_multieq_flush(b, q);
    }
    for (size_t i = 0; i < n; i++) {
        push_word(q, ops[i], q->n_bits);
    }
    for (uint32_t i = 0; i < bits; i++) {
        q->result[q->n_bits + i] = result[i];
    }
    q->n_bits += bits;
    for (int i = 0; i < 32; i++) {
        out->bit[i] = cuzk_bool_is(result[i]);
    }
}
