/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_GADGET_SHA256_GADGET_H
#define CUZK_GADGET_SHA256_GADGET_H

/*
 * SHA-256 of Booleans (docs/spec/gadgets.md#sha-256), streaming. Message bits come in SHA-256's order:
 * most significant bit of each byte first. Wires and rows of a block appear when its 512th bit
 * arrives; a block that is all constants has none.
 *
 * Order of wires within a block: schedule words 16..63, each sigma0 (two xors of 32), sigma1, 34 sum
 * bits; then per round the sum bits of e, Sigma1 (two xors), ch, the sum bits of a, Sigma0, maj
 * (per bit: maj, then and); then the sum bits of h0..h7. Constants take wires away.
 */
#include "gadget/word.h"

typedef struct cuzk_sha256_gadget {
    cuzk_word h[8];
    cuzk_bool buf[512];
    uint64_t n_bits;
    int32_t n_blocks; /* done; names the rows */
    cuzk_word w[64];  /* working space */
    cuzk_multieq sums;
} cuzk_sha256_gadget;

void cuzk_sha256_gadget_init(cuzk_sha256_gadget *s);
void cuzk_sha256_gadget_update(cuzk_builder *b, cuzk_sha256_gadget *s, const cuzk_bool *bits,
                               size_t n);
/** Pads and writes the digest; bit i of word k is that of the k-th big-endian digest word. */
void cuzk_sha256_gadget_final(cuzk_builder *b, cuzk_word out[8], cuzk_sha256_gadget *s);

/** h = compression of h with one block of 512 Booleans; w is working space. */
void cuzk_sha256_gadget_compress(cuzk_builder *b, cuzk_word h[8], const cuzk_bool *block,
                                 cuzk_word w[64], cuzk_multieq *sums);

#endif /* CUZK_GADGET_SHA256_GADGET_H */
