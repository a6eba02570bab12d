/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_CIRCUIT_SHA256_WITNESS_H
#define CUZK_CIRCUIT_SHA256_WITNESS_H

/*
 * Values of the bit wires that the SHA-256 gadget allocates (gadget/sha256_gadget.h), a word at a
 * time. A word knows which of its bits are constants and which are negated variables, because both
 * decide what the gadget allocates.
 */
#include "circuit/witness_writer.h"

typedef struct cuzk_wit_word {
    uint32_t v;        /* logical values */
    uint32_t is_const; /* bits that are constants */
    uint32_t
        is_negated; /* of the others: bits that are Not(variable); the wire holds v ^ is_negated */
} cuzk_wit_word;

static inline cuzk_wit_word cuzk_wit_const(uint32_t v)
{
    const cuzk_wit_word w = {v, ~(uint32_t)0, 0};
    return w;
}

static inline cuzk_wit_word cuzk_wit_var(uint32_t v)
{
    const cuzk_wit_word w = {v, 0, 0};
    return w;
}

/**
 * SHA-256 of n_words message words (the padding is added here: n_words is the message's length in
 * words), writing all wires; digest gets the value. words holds room for the padding:
 * cuzk_wit_sha256_padded(n_words) words.
 */
void cuzk_wit_sha256(cuzk_witness_writer *w, uint32_t digest[8], cuzk_wit_word *words,
                     size_t n_words);

static inline size_t cuzk_wit_sha256_padded(size_t n_words)
{
    return (n_words + 3 + 15) / 16 * 16; /* 1 bit and 64-bit length: three more words at least */
}

/** The 8 message words of a node whose 255 bits are wires: the top bit of byte 31 is a constant 0. */
static inline void cuzk_wit_node_words(cuzk_wit_word out[8], const uint8_t node[32])
{
    for (int i = 0; i < 8; i++) {
        uint32_t v;
        __builtin_memcpy(&v, node + 4 * i, 4);
        out[i] = cuzk_wit_var(__builtin_bswap32(v));
    }
    out[7].is_const = 0x80u;
}

/** The node that a digest packs to: its low 254 bits. */
static inline void cuzk_wit_digest_node(cuzk_node *out, const uint32_t digest[8])
{
    for (int i = 0; i < 8; i++) {
        const uint32_t v = __builtin_bswap32(digest[i]);
        __builtin_memcpy(out->b + 4 * i, &v, 4);
    }
    out->b[31] &= 0x3f;
}

#endif /* CUZK_CIRCUIT_SHA256_WITNESS_H */
