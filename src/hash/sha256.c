/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "hash/sha256.h"

#include <string.h>

#include "base/bytes.h"

const uint32_t cuzk_sha256_k[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

const uint32_t cuzk_sha256_iv[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

static inline uint32_t rotr(uint32_t x, unsigned n)
{
    return x >> n | x << (32 - n);
}

static void compress_one(uint32_t h[8], const uint8_t block[CUZK_SHA256_BLOCK_BYTES])
{
    uint32_t w[16], s[8];
    for (int i = 0; i < 16; i++) {
        w[i] = cuzk_load_u32_be(block + 4 * i);
    }
    memcpy(s, h, sizeof(s));
    for (int t = 0; t < 64; t += 16) {
#pragma GCC unroll 16
        for (int i = 0; i < 16; i++) {
            if (t > 0) { /* w is a ring of the last 16 schedule words */
                const uint32_t x = w[(i + 1) & 15], y = w[(i + 14) & 15];
                w[i] += (rotr(x, 7) ^ rotr(x, 18) ^ x >> 3) + w[(i + 9) & 15] +
                        (rotr(y, 17) ^ rotr(y, 19) ^ y >> 10);
            }
            /* The state turns instead of moving: a is s[-i mod 8], b the next, and so on. */
            const uint32_t a = s[(0 - i) & 7], b = s[(1 - i) & 7], c = s[(2 - i) & 7];
            const uint32_t e = s[(4 - i) & 7], f = s[(5 - i) & 7], g = s[(6 - i) & 7];
            const uint32_t t1 = s[(7 - i) & 7] + (rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25)) +
                                ((e & f) ^ (~e & g)) + cuzk_sha256_k[t + i] + w[i];
            s[(3 - i) & 7] += t1;
            s[(7 - i) & 7] =
                t1 + (rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
        }
    }
    for (int i = 0; i < 8; i++) {
        h[i] += s[i];
    }
}

void cuzk_sha256_compress_c(uint32_t h[8], const uint8_t *blocks, size_t n)
{
    for (; n > 0; n--, blocks += CUZK_SHA256_BLOCK_BYTES) {
        compress_one(h, blocks);
    }
}

void cuzk_sha256_init(cuzk_sha256 *s)
{
    memcpy(s->h, cuzk_sha256_iv, sizeof(s->h));
    s->n_bytes = 0;
}

void cuzk_sha256_update(cuzk_sha256 *s, const void *in, size_t n)
{
    if (n == 0) {
        return;
    }
    const uint8_t *p = in;
    const size_t have = s->n_bytes % CUZK_SHA256_BLOCK_BYTES;
    s->n_bytes += n;
    if (have > 0) {
        const size_t room = CUZK_SHA256_BLOCK_BYTES - have;
        const size_t take = n < room ? n : room;
        memcpy(s->buf + have, p, take);
        p += take;
        n -= take;
        if (take < room) {
            return;
        }
        cuzk_sha256_compress(s->h, s->buf, 1);
    }
    cuzk_sha256_compress(s->h, p, n / CUZK_SHA256_BLOCK_BYTES);
    memcpy(s->buf, p + (n & ~(size_t)(CUZK_SHA256_BLOCK_BYTES - 1)), n % CUZK_SHA256_BLOCK_BYTES);
}

void cuzk_sha256_final(uint8_t out[CUZK_SHA256_BYTES], cuzk_sha256 *s)
{
    const uint64_t n_bits = s->n_bytes * 8;
    size_t have = s->n_bytes % CUZK_SHA256_BLOCK_BYTES;
    s->buf[have++] = 0x80;
    if (have > CUZK_SHA256_BLOCK_BYTES - 8) { /* no room left for the length */
        memset(s->buf + have, 0, CUZK_SHA256_BLOCK_BYTES - have);
        cuzk_sha256_compress(s->h, s->buf, 1);
        have = 0;
    }
    memset(s->buf + have, 0, CUZK_SHA256_BLOCK_BYTES - 8 - have);
    cuzk_store_u64_be(s->buf + CUZK_SHA256_BLOCK_BYTES - 8, n_bits);
    cuzk_sha256_compress(s->h, s->buf, 1);
    for (int i = 0; i < 8; i++) {
        cuzk_store_u32_be(out + 4 * i, s->h[i]);
    }
}

void cuzk_sha256_digest(uint8_t out[CUZK_SHA256_BYTES], const void *in, size_t n)
{
    cuzk_sha256 s;
    cuzk_sha256_init(&s);
    cuzk_sha256_update(&s, in, n);
    cuzk_sha256_final(out, &s);
}
