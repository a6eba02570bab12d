/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "hash/chacha.h"

#include <string.h>

#include "base/bytes.h"

static inline uint32_t rotl(uint32_t x, unsigned n)
{
    return x << n | x >> (32 - n);
}

static inline void quarter_round(uint32_t *x, int a, int b, int c, int d)
{
    x[a] += x[b];
    x[d] = rotl(x[d] ^ x[a], 16);
    x[c] += x[d];
    x[b] = rotl(x[b] ^ x[c], 12);
    x[a] += x[b];
    x[d] = rotl(x[d] ^ x[a], 8);
    x[c] += x[d];
    x[b] = rotl(x[b] ^ x[c], 7);
}

static void next_block(cuzk_chacha *c)
{
    uint32_t x[16];
    memcpy(x, c->state, sizeof(x));
    for (uint32_t r = 0; r < c->rounds; r += 2) {
        for (int i = 0; i < 4; i++) {
            quarter_round(x, i, 4 + i, 8 + i, 12 + i);
        }
        for (int i = 0; i < 4; i++) {
            quarter_round(x, i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4);
        }
    }
    for (int i = 0; i < 16; i++) {
        cuzk_store_u32_le(c->buf + 4 * i, x[i] + c->state[i]);
    }
    c->state[12]++;
    c->used = 0;
}

void cuzk_chacha_init(cuzk_chacha *c, const uint8_t key[32], const uint8_t nonce[12],
                      uint32_t rounds)
{
    static const uint32_t sigma[4] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};
    memcpy(c->state, sigma, sizeof(sigma)); /* "expand 32-byte k" */
    for (int i = 0; i < 8; i++) {
        c->state[4 + i] = cuzk_load_u32_le(key + 4 * i);
    }
    c->state[12] = 0;
    for (int i = 0; i < 3; i++) {
        c->state[13 + i] = cuzk_load_u32_le(nonce + 4 * i);
    }
    c->rounds = rounds;
    c->used = sizeof(c->buf);
}

void cuzk_chacha_seek(cuzk_chacha *c, uint64_t offset)
{
    c->state[12] = (uint32_t)(offset / sizeof(c->buf));
    next_block(c);
    c->used = (uint32_t)(offset % sizeof(c->buf));
}

void cuzk_chacha_read(cuzk_chacha *c, uint8_t *out, size_t n)
{
    while (n > 0) {
        if (c->used == sizeof(c->buf)) {
            next_block(c);
        }
        const size_t left = sizeof(c->buf) - c->used;
        const size_t take = n < left ? n : left;
        memcpy(out, c->buf + c->used, take);
        c->used += (uint32_t)take;
        out += take;
        n -= take;
    }
}

uint32_t cuzk_chacha_next_u32(cuzk_chacha *c)
{
    uint8_t b[4];
    cuzk_chacha_read(c, b, sizeof(b));
    return cuzk_load_u32_le(b);
}

uint64_t cuzk_chacha_next_u64(cuzk_chacha *c)
{
    uint8_t b[8];
    cuzk_chacha_read(c, b, sizeof(b));
    return cuzk_load_u64_le(b);
}
