/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_HASH_BLAKE2B_H
#define CUZK_HASH_BLAKE2B_H

/*
 * BLAKE2b (RFC 7693), keyed and unkeyed, digests of 1..64 bytes. Filecoin's parameters.json lists
 * the first 16 bytes of the unkeyed 64-byte digest of each file.
 */
#include <stddef.h>
#include <stdint.h>

#define CUZK_BLAKE2B_MAX_BYTES   64
#define CUZK_BLAKE2B_BLOCK_BYTES 128

typedef struct cuzk_blake2b {
    uint64_t h[8];
    uint64_t t[2]; /* bytes compressed so far, 128 bits */
    uint8_t buf[CUZK_BLAKE2B_BLOCK_BYTES];
    size_t used; /* bytes in buf; a full buf is compressed only when more follows */
    size_t out_bytes;
} cuzk_blake2b;

/** @param out_bytes 1..64. @param key [key_bytes], 0..64 bytes; NULL when 0. Other lengths: assertion. */
void cuzk_blake2b_init(cuzk_blake2b *ctx, size_t out_bytes, const void *key, size_t key_bytes);
/** data may be NULL when n is 0. */
void cuzk_blake2b_update(cuzk_blake2b *ctx, const void *data, size_t n);
/** Writes out_bytes (of init) and wipes ctx. */
void cuzk_blake2b_final(cuzk_blake2b *ctx, uint8_t *out);
/** init + update + final without a key. */
void cuzk_blake2b_hash(uint8_t *out, size_t out_bytes, const void *data, size_t n);

#endif /* CUZK_HASH_BLAKE2B_H */
