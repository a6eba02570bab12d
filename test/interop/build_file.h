/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_TEST_INTEROP_BUILD_FILE_H
#define CUZK_TEST_INTEROP_BUILD_FILE_H

/* Makes iden3 container files in memory, right and wrong ones; shares no code with src/interop. */
#include <stdint.h>
#include <string.h>

#include "test.h"

typedef struct blob {
    uint8_t d[1024];
    size_t n;
} blob;

static inline void put_bytes(blob *b, const void *p, size_t n)
{
    CHECK(n <= sizeof(b->d) - b->n);
    memcpy(b->d + b->n, p, n);
    b->n += n;
}

static inline void put_le(blob *b, uint64_t v, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        const uint8_t c = (uint8_t)(v >> (8 * i));
        put_bytes(b, &c, 1);
    }
}

static inline void put_section(blob *b, uint32_t id, const blob *body)
{
    put_le(b, id, 4);
    put_le(b, body->n, 8);
    put_bytes(b, body->d, body->n);
}

/* r of BLS12-381 and of BN254, little-endian, as circom writes them. */
static const uint8_t prime_bls[32] = {
    0x01, 0x00, 0x00, 0x00, 0xff, 0xff, 0xff, 0xff, 0xfe, 0x5b, 0xfe, 0xff, 0x02, 0xa4, 0xbd, 0x53,
    0x05, 0xd8, 0xa1, 0x09, 0x08, 0xd8, 0x39, 0x33, 0x48, 0x7d, 0x9d, 0x29, 0x53, 0xa7, 0xed, 0x73};
static const uint8_t prime_bn[32] = {
    0x01, 0x00, 0x00, 0xf0, 0x93, 0xf5, 0xe1, 0x43, 0x91, 0x70, 0xb9, 0x79, 0x48, 0xe8, 0x33, 0x28,
    0x5d, 0x58, 0x81, 0x81, 0xb6, 0x45, 0x50, 0xb8, 0x29, 0xa0, 0x31, 0xe1, 0x72, 0x4e, 0x64, 0x30};

static inline void put_fr(blob *b, uint64_t v)
{
    put_le(b, v, 8);
    put_le(b, 0, 8);
    put_le(b, 0, 8);
    put_le(b, 0, 8);
}

#endif /* CUZK_TEST_INTEROP_BUILD_FILE_H */
