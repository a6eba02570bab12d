/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "vanilla/sector/graph.h"

#include <string.h>

#include "base/bytes.h"
#include "hash/blake2b.h"
#include "hash/chacha.h"
#include "hash/sha256.h"

#define DRG_DOMAIN     "Filecoin_DRSample"
#define FEISTEL_DOMAIN "Filecoin_Feistel"
#define META_DEGREE    5u /* parents drawn from the meta-graph; the sixth is node - 1 */
#define FEISTEL_ROUNDS 3

static void domain_seed(uint8_t out[32], const char *domain, const cuzk_node *porep_id)
{
    cuzk_sha256 s;
    cuzk_sha256_init(&s);
    cuzk_sha256_update(&s, domain, strlen(domain));
    cuzk_sha256_update(&s, porep_id->b, CUZK_NODE_BYTES);
    cuzk_sha256_final(out, &s);
}

void cuzk_graph_init(cuzk_graph *g, uint64_t n_nodes, const cuzk_node *porep_id, uint8_t api_minor)
{
    uint8_t seed[32];
    g->n_nodes = n_nodes;
    g->api_minor = api_minor;
    domain_seed(seed, DRG_DOMAIN, porep_id);
    memcpy(g->drg_seed, seed, sizeof(g->drg_seed));
    domain_seed(seed, FEISTEL_DOMAIN, porep_id);
    for (int i = 0; i < 4; i++) {
        g->feistel_keys[i] = cuzk_load_u64_le(seed + 8 * i);
    }
}

static uint32_t ceil_log2(uint64_t v)
{
    return v <= 1 ? 0 : 64 - (uint32_t)__builtin_clzll(v - 1);
}

void cuzk_graph_drg_parents(uint32_t out[CUZK_DRG_PARENTS], const cuzk_graph *g, uint32_t node)
{
    uint8_t key[32];
    const uint8_t nonce[12] = {0};
    cuzk_chacha rng;
    if (node < 2) { /* no choice: everything comes from node 0 */
        memset(out, 0, CUZK_DRG_PARENTS * sizeof(out[0]));
        return;
    }
    memcpy(key, g->drg_seed, sizeof(g->drg_seed));
    cuzk_store_u32_le(key + sizeof(g->drg_seed), node);
    cuzk_chacha_init(&rng, key, nonce, 8);
    const bool previous_first = g->api_minor >= 1;
    uint32_t *drawn = out + (previous_first ? 1 : 0);
    out[previous_first ? 0 : CUZK_DRG_PARENTS - 1] = node - 1;
    const uint64_t meta = (uint64_t)node * META_DEGREE;
    const uint64_t buckets = ceil_log2(meta);
    for (unsigned i = 0; i < META_DEGREE; i++) {
        const uint64_t bucket = cuzk_chacha_next_u64(&rng) % buckets + 1;
        const uint64_t reach = (uint64_t)1 << bucket;
        const uint64_t large = meta < reach ? meta : reach;
        const uint64_t small = large >> 1 < 2 ? 2 : large >> 1;
        const uint64_t distance = small + cuzk_chacha_next_u64(&rng) % (large - small + 1);
        const uint32_t parent = (uint32_t)((meta - distance) / META_DEGREE);
        drawn[i] = parent == node ? node - 1 : parent;
    }
}

static uint64_t feistel_round(uint64_t right, uint64_t key, uint64_t mask)
{
    uint8_t in[16], digest[64];
    cuzk_store_u64_be(in, right);
    cuzk_store_u64_be(in + 8, key);
    cuzk_blake2b_hash(digest, sizeof(digest), in, sizeof(in));
    return cuzk_load_u64_be(digest) & mask;
}

/* One pass of the network over [0, 4^half). */
static uint64_t feistel_pass(const cuzk_graph *g, uint64_t x, uint32_t half)
{
    const uint64_t mask = ((uint64_t)1 << half) - 1;
    uint64_t left = x >> half, right = x & mask;
    for (int i = 0; i < FEISTEL_ROUNDS; i++) {
        const uint64_t next = left ^ feistel_round(right, g->feistel_keys[i], mask);
        left = right;
        right = next;
    }
    return left << half | right;
}

void cuzk_graph_exp_parents(uint32_t out[CUZK_EXP_PARENTS], const cuzk_graph *g, uint32_t node)
{
    const uint64_t domain = g->n_nodes * CUZK_EXP_PARENTS;
    uint32_t half = 1;
    while ((uint64_t)1 << (2 * half) < domain) {
        half++;
    }
    for (unsigned i = 0; i < CUZK_EXP_PARENTS; i++) {
        uint64_t x = feistel_pass(g, (uint64_t)node * CUZK_EXP_PARENTS + i, half);
        while (x >=
               domain) { /* cycle walking: the permutation of the larger domain stays in reach */
            x = feistel_pass(g, x, half);
        }
        if (g->api_minor == 0) {
            x = (uint32_t)x; /* ApiVersion 1.0.0 truncates before it divides */
        }
        out[i] = (uint32_t)(x / CUZK_EXP_PARENTS);
    }
}
