/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_HASH_CHACHA_H
#define CUZK_HASH_CHACHA_H

/*
 * ChaCha key stream with 8, 12 or 20 rounds (RFC 8439 layout: 32-bit block counter, 96-bit nonce).
 *
 * rand_chacha's generators (64-bit counter, 64-bit stream number) are the same words as long as
 * fewer than 2^32 blocks are drawn: nonce all zero for stream 0, next_u32 and next_u64 read the
 * key stream as little-endian integers in order.
 */
#include <stddef.h>
#include <stdint.h>

typedef struct cuzk_chacha {
    uint32_t state[16]; /* [12]: counter of the next block */
    uint32_t rounds;
    uint32_t used; /* bytes of buf already handed out; 64: none left */
    uint8_t buf[64];
} cuzk_chacha;

/** Positions the stream at its first byte. rounds is even. */
void cuzk_chacha_init(cuzk_chacha *c, const uint8_t key[32], const uint8_t nonce[12],
                      uint32_t rounds);
/** Continues at byte `offset` of the stream; offset < 2^38. */
void cuzk_chacha_seek(cuzk_chacha *c, uint64_t offset);
/** The next n bytes of the key stream. */
void cuzk_chacha_read(cuzk_chacha *c, uint8_t *out, size_t n);
uint32_t cuzk_chacha_next_u32(cuzk_chacha *c);
uint64_t cuzk_chacha_next_u64(cuzk_chacha *c);

#endif /* CUZK_HASH_CHACHA_H */
