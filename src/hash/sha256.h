/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_HASH_SHA256_H
#define CUZK_HASH_SHA256_H

/*
 * SHA-256 (FIPS 180-4), streaming, with the compression function exposed. Nothing here fails or
 * allocates; distinct contexts may be used by different threads. Not constant time in the length.
 */
#include <stddef.h>
#include <stdint.h>

#include "cpu/cpu.h"

#if (defined(__x86_64__) && !defined(CUZK_PORTABLE))
#    define CUZK_HASH_SHANI 1
#endif

#define CUZK_SHA256_BYTES       32
#define CUZK_SHA256_BLOCK_BYTES 64

/** Round constants K_t: fractional parts of the cube roots of the first 64 primes (4.2.2). */
extern const uint32_t cuzk_sha256_k[64];
/** Initial hash value H(0) (5.3.3). */
extern const uint32_t cuzk_sha256_iv[8];

typedef struct cuzk_sha256 {
    uint32_t h[8];
    uint64_t n_bytes; /* taken in so far; the last n_bytes % 64 of them wait in buf */
    uint8_t buf[CUZK_SHA256_BLOCK_BYTES];
} cuzk_sha256;

void cuzk_sha256_init(cuzk_sha256 *s);
/** in [n] bytes; n may be 0 and in then NULL. */
void cuzk_sha256_update(cuzk_sha256 *s, const void *in, size_t n);
/** s is not to be used again before another init. */
void cuzk_sha256_final(uint8_t out[CUZK_SHA256_BYTES], cuzk_sha256 *s);
/** init, update, final. */
void cuzk_sha256_digest(uint8_t out[CUZK_SHA256_BYTES], const void *in, size_t n);

/** h = compression of h with each of the n 64-byte blocks in turn; no padding. */
void cuzk_sha256_compress_c(uint32_t h[8], const uint8_t *blocks, size_t n);
#ifdef CUZK_HASH_SHANI
/** Twin of cuzk_sha256_compress_c; needs CUZK_CPU_SHA. */
void cuzk_sha256_compress_ni(uint32_t h[8], const uint8_t *blocks, size_t n);
#endif

/** The fastest that this processor has. */
static inline void cuzk_sha256_compress(uint32_t h[8], const uint8_t *blocks, size_t n)
{
#ifdef CUZK_HASH_SHANI
    if (cuzk_cpu_has(CUZK_CPU_SHA)) {
        cuzk_sha256_compress_ni(h, blocks, n);
        return;
    }
#endif
    cuzk_sha256_compress_c(h, blocks, n);
}

#endif /* CUZK_HASH_SHA256_H */
