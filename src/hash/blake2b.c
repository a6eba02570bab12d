/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "hash/blake2b.h"

#include <string.h>

#include "base/assert.h"
#include "base/bytes.h"

/* The initial value of SHA-512: fractional parts of the square roots of the first eight primes. */
static const uint64_t iv[8] = {0x6a09e667f3bcc908ULL, 0xbb67ae8584caa73bULL, 0x3c6ef372fe94f82bULL,
                               0xa54ff53a5f1d36f1ULL, 0x510e527fade682d1ULL, 0x9b05688c2b3e6c1fULL,
                               0x1f83d9abfb41bd6bULL, 0x5be0cd19137e2179ULL};

/* Message word permutations of the rounds; rounds 10 and 11 use the first two again. */
static const uint8_t sigma[10][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
    {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
    {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
    {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
    {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0},
};

static inline uint64_t rotr(uint64_t x, unsigned n)
{
    return x >> n | x << (64 - n);
}

static inline void mix(uint64_t v[16], int a, int b, int c, int d, uint64_t x, uint64_t y)
{
    v[a] += v[b] + x;
    v[d] = rotr(v[d] ^ v[a], 32);
    v[c] += v[d];
    v[b] = rotr(v[b] ^ v[c], 24);
    v[a] += v[b] + y;
    v[d] = rotr(v[d] ^ v[a], 16);
    v[c] += v[d];
    v[b] = rotr(v[b] ^ v[c], 63);
}

/* t already counts this block's bytes. */
static void compress(cuzk_blake2b *ctx, const uint8_t block[CUZK_BLAKE2B_BLOCK_BYTES], bool last)
{
    uint64_t m[16], v[16];
    for (size_t i = 0; i < 16; i++) {
        m[i] = cuzk_load_u64_le(block + 8 * i);
    }
    memcpy(v, ctx->h, sizeof(ctx->h));
    memcpy(v + 8, iv, sizeof(iv));
    v[12] ^= ctx->t[0];
    v[13] ^= ctx->t[1];
    v[14] = last ? ~v[14] : v[14];
    for (size_t r = 0; r < 12; r++) {
        const uint8_t *s = sigma[r % 10];
        mix(v, 0, 4, 8, 12, m[s[0]], m[s[1]]);
        mix(v, 1, 5, 9, 13, m[s[2]], m[s[3]]);
        mix(v, 2, 6, 10, 14, m[s[4]], m[s[5]]);
        mix(v, 3, 7, 11, 15, m[s[6]], m[s[7]]);
        mix(v, 0, 5, 10, 15, m[s[8]], m[s[9]]);
        mix(v, 1, 6, 11, 12, m[s[10]], m[s[11]]);
        mix(v, 2, 7, 8, 13, m[s[12]], m[s[13]]);
        mix(v, 3, 4, 9, 14, m[s[14]], m[s[15]]);
    }
    for (size_t i = 0; i < 8; i++) {
        ctx->h[i] ^= v[i] ^ v[i + 8];
    }
}

static void count(cuzk_blake2b *ctx, size_t n)
{
    ctx->t[0] += n;
    ctx->t[1] += ctx->t[0] < n;
}

void cuzk_blake2b_init(cuzk_blake2b *ctx, size_t out_bytes, const void *key, size_t key_bytes)
{
    CUZK_ASSERT(out_bytes >= 1 && out_bytes <= CUZK_BLAKE2B_MAX_BYTES);
    CUZK_ASSERT(key_bytes <= 64);
    memset(ctx, 0, sizeof(*ctx));
    memcpy(ctx->h, iv, sizeof(iv));
    ctx->h[0] ^= 0x01010000u ^ (uint64_t)key_bytes << 8 ^ (uint64_t)out_bytes;
    ctx->out_bytes = out_bytes;
    if (key_bytes > 0) { /* the key is the first block, zero-padded */
        memcpy(ctx->buf, key, key_bytes);
        ctx->used = CUZK_BLAKE2B_BLOCK_BYTES;
    }
}

void cuzk_blake2b_update(cuzk_blake2b *ctx, const void *data, size_t n)
{
    const uint8_t *p = data;
    if (n == 0) {
        return;
    }
    const size_t room = CUZK_BLAKE2B_BLOCK_BYTES - ctx->used;
    if (n > room) {
        memcpy(ctx->buf + ctx->used, p, room);
        p += room;
        n -= room;
        count(ctx, CUZK_BLAKE2B_BLOCK_BYTES);
        compress(ctx, ctx->buf, false);
        ctx->used = 0;
        while (n > CUZK_BLAKE2B_BLOCK_BYTES) {
            count(ctx, CUZK_BLAKE2B_BLOCK_BYTES);
            compress(ctx, p, false);
            p += CUZK_BLAKE2B_BLOCK_BYTES;
            n -= CUZK_BLAKE2B_BLOCK_BYTES;
        }
    }
    memcpy(ctx->buf + ctx->used, p, n);
    ctx->used += n;
}

void cuzk_blake2b_final(cuzk_blake2b *ctx, uint8_t *out)
{
    uint8_t full[CUZK_BLAKE2B_MAX_BYTES];
    count(ctx, ctx->used);
    memset(ctx->buf + ctx->used, 0, CUZK_BLAKE2B_BLOCK_BYTES - ctx->used);
    compress(ctx, ctx->buf, true);
    for (size_t i = 0; i < 8; i++) {
        cuzk_store_u64_le(full + 8 * i, ctx->h[i]);
    }
    memcpy(out, full, ctx->out_bytes);
    cuzk_wipe(full, sizeof(full));
    cuzk_wipe(ctx, sizeof(*ctx));
}

void cuzk_blake2b_hash(uint8_t *out, size_t out_bytes, const void *data, size_t n)
{
    cuzk_blake2b ctx;
    cuzk_blake2b_init(&ctx, out_bytes, NULL, 0);
    cuzk_blake2b_update(&ctx, data, n);
    cuzk_blake2b_final(&ctx, out);
}
