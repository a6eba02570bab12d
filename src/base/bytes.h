/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_BASE_BYTES_H
#define CUZK_BASE_BYTES_H

/* Unaligned loads and stores in a stated byte order. No libc beyond memcpy. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint32_t cuzk_load_u32_le(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint64_t cuzk_load_u64_le(const uint8_t *p)
{
    return (uint64_t)cuzk_load_u32_le(p) | (uint64_t)cuzk_load_u32_le(p + 4) << 32;
}

static inline uint32_t cuzk_load_u32_be(const uint8_t *p)
{
    return __builtin_bswap32(cuzk_load_u32_le(p));
}

static inline uint64_t cuzk_load_u64_be(const uint8_t *p)
{
    return __builtin_bswap64(cuzk_load_u64_le(p));
}

static inline void cuzk_store_u32_le(uint8_t *p, uint32_t v)
{
    for (int i = 0; i < 4; i++) {
        p[i] = (uint8_t)(v >> (8 * i));
    }
}

static inline void cuzk_store_u64_le(uint8_t *p, uint64_t v)
{
    for (int i = 0; i < 8; i++) {
        p[i] = (uint8_t)(v >> (8 * i));
    }
}

static inline void cuzk_store_u32_be(uint8_t *p, uint32_t v)
{
    cuzk_store_u32_le(p, __builtin_bswap32(v));
}

static inline void cuzk_store_u64_be(uint8_t *p, uint64_t v)
{
    cuzk_store_u64_le(p, __builtin_bswap64(v));
}

/** Hex of [n] bytes into out (2n+1 chars, NUL-terminated, lower case). */
void cuzk_hex_encode(char *out, const uint8_t *in, size_t n);
/** Exactly 2n hex digits (either case, no prefix) into out [n]; false on any other character. */
bool cuzk_hex_decode(uint8_t *out, size_t n, const char *in, size_t in_len);

/** Overwrites [n] bytes with zeros in a way the compiler may not drop. */
void cuzk_wipe(void *p, size_t n);

#endif /* CUZK_BASE_BYTES_H */
