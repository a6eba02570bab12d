/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_GADGET_WORD_H
#define CUZK_GADGET_WORD_H

/*
 * 32-bit words of Booleans, and sums modulo 2^32 whose equalities are packed several to a row
 * (docs/spec/gadgets.md#words).
 */
#include <stddef.h>

#include "gadget/boolean.h"

/** Least significant bit first. */
typedef struct cuzk_word {
    cuzk_bool bit[32];
} cuzk_word;

void cuzk_word_const(cuzk_word *out, uint32_t v);
/** From 32 Booleans, most significant first, as SHA-256 reads its message. */
void cuzk_word_from_be(cuzk_word *out, const cuzk_bool *bits);
/** out != in. No wires, no rows. */
void cuzk_word_rotr(cuzk_word *out, const cuzk_word *in, unsigned n);
void cuzk_word_shr(cuzk_word *out, const cuzk_word *in, unsigned n);
/** Bit by bit from the least significant; out may be an operand. */
void cuzk_word_xor(cuzk_builder *b, cuzk_word *out, const cuzk_word *x, const cuzk_word *y);
void cuzk_word_ch(cuzk_builder *b, cuzk_word *out, const cuzk_word *x, const cuzk_word *y,
                  const cuzk_word *z);
void cuzk_word_maj(cuzk_builder *b, cuzk_word *out, const cuzk_word *x, const cuzk_word *y,
                   const cuzk_word *z);

#define CUZK_MULTIEQ_CAPACITY  254
#define CUZK_WORD_MAX_ADDENDS  8
/* A sum takes at least 33 bits, so that at most 7 fit in a row. */
#define CUZK_MULTIEQ_MAX_TERMS (CUZK_MULTIEQ_CAPACITY / 33 * CUZK_WORD_MAX_ADDENDS * 32)

/** Equalities of sums waiting for a common row: lhs * 1 = rhs, each shifted past the ones before. */
typedef struct cuzk_multieq {
    uint32_t n_bits;  /* of all sums so far */
    uint32_t n_terms; /* of the left side, constants left out */
    cuzk_bool term[CUZK_MULTIEQ_MAX_TERMS];
    uint8_t weight[CUZK_MULTIEQ_MAX_TERMS]; /* term counts 2^weight */
    cuzk_var result[CUZK_MULTIEQ_CAPACITY]; /* right side: bit i counts 2^i */
    uint64_t one[4];                        /* left side: coefficient of ONE, < 2^254 */
} cuzk_multieq;

void cuzk_multieq_init(cuzk_multieq *q);
/** Ends pending equalities with a row, if there are any. */
void cuzk_multieq_flush(cuzk_builder *b, cuzk_multieq *q);

/**
 * out = sum of ops[n] mod 2^32, 2 <= n <= 8: constant when all operands are, else as many bit wires
 * as the largest possible sum has, of which the low 32 are the result. out may be an operand.
 */
void cuzk_word_add(cuzk_builder *b, cuzk_multieq *q, cuzk_word *out, const cuzk_word *const *ops,
                   size_t n);

#endif /* CUZK_GADGET_WORD_H */
