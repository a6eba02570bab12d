/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "vanilla/sector/challenges.h"

#include <string.h>

#include "base/bytes.h"
#include "hash/blake2b.h"
#include "hash/chacha.h"
#include "hash/sha256.h"

#define NI_DOMAIN          "filecoin.io|PoRep|1|NonInteractive|1"
#define SYNTH_GEN_KEY      "filecoin.io|PoRep|1|Synthetic|1|Generation"
#define SYNTH_SEL_KEY      "filecoin.io|PoRep|1|Synthetic|1|Selection"
#define SYNTH_NONCE        "synth-porep"
#define MAX_SYNTHETIC      ((uint64_t)1 << 18)
#define UPDATE_DIGEST_BITS 254u /* bits of a digest that are used */

void cuzk_replica_id(cuzk_node *out, const cuzk_node *prover_id, uint64_t sector_id,
                     const cuzk_node *ticket, const cuzk_node *comm_d, const cuzk_node *porep_id)
{
    uint8_t sector[8];
    cuzk_sha256 s;
    cuzk_store_u64_be(sector, sector_id);
    cuzk_sha256_init(&s);
    cuzk_sha256_update(&s, prover_id->b, CUZK_NODE_BYTES);
    cuzk_sha256_update(&s, sector, sizeof(sector));
    cuzk_sha256_update(&s, ticket->b, CUZK_NODE_BYTES);
    cuzk_sha256_update(&s, comm_d->b, CUZK_NODE_BYTES);
    cuzk_sha256_update(&s, porep_id->b, CUZK_NODE_BYTES);
    cuzk_sha256_final(out->b, &s);
    out->b[31] &= 0x3f;
}

uint32_t cuzk_porep_partitions(const cuzk_seal_type *type)
{
    const cuzk_sector_shape *s = cuzk_sector_shape_of(type->sector_bytes);
    return type->feature == CUZK_SEAL_NON_INTERACTIVE ? s->ni_partitions : s->porep_partitions;
}

/* The 256-bit little-endian integer mod (n - 1), plus 1: never node 0. */
static uint32_t to_challenge(const uint8_t digest[32], uint64_t n_nodes)
{
    const uint64_t m = n_nodes - 1; /* < 2^32 */
    uint64_t acc = 0;
    for (int i = 28; i >= 0; i -= 4) {
        acc = (acc << 32 | cuzk_load_u32_le(digest + i)) % m;
    }
    return (uint32_t)(acc + 1);
}

static void hash_with_index(uint8_t out[32], const char *domain, const cuzk_node *a,
                            const cuzk_node *b, uint32_t index)
{
    uint8_t le[4];
    cuzk_sha256 s;
    cuzk_store_u32_le(le, index);
    cuzk_sha256_init(&s);
    cuzk_sha256_update(&s, domain, strlen(domain));
    cuzk_sha256_update(&s, a->b, CUZK_NODE_BYTES);
    cuzk_sha256_update(&s, b->b, CUZK_NODE_BYTES);
    cuzk_sha256_update(&s, le, sizeof(le));
    cuzk_sha256_final(out, &s);
}

static void synthetic_stream(cuzk_chacha *out, const char *key, const cuzk_node *a,
                             const cuzk_node *b)
{
    uint8_t digest[32];
    cuzk_blake2b h;
    cuzk_blake2b_init(&h, sizeof(digest), key, strlen(key));
    cuzk_blake2b_update(&h, a->b, CUZK_NODE_BYTES);
    cuzk_blake2b_update(&h, b->b, CUZK_NODE_BYTES);
    cuzk_blake2b_final(&h, digest);
    cuzk_chacha_init(out, digest, (const uint8_t *)SYNTH_NONCE,
                     20); /* 11 letters and the NUL: 12 bytes */
}

static void synthetic_challenges(uint32_t *out, const cuzk_porep_statement *s, uint64_t n_nodes,
                                 uint32_t first, uint32_t count)
{
    cuzk_chacha gen, sel;
    const uint64_t n_synthetic = n_nodes < MAX_SYNTHETIC ? n_nodes : MAX_SYNTHETIC;
    synthetic_stream(&gen, SYNTH_GEN_KEY, &s->replica_id, &s->comm_r);
    synthetic_stream(&sel, SYNTH_SEL_KEY, &s->replica_id, &s->seed);
    cuzk_chacha_seek(&sel, 4 * (uint64_t)first);
    for (uint32_t i = 0; i < count; i++) {
        uint8_t bytes[32];
        const uint64_t index = cuzk_chacha_next_u32(&sel) % n_synthetic;
        cuzk_chacha_seek(&gen, 32 * index);
        cuzk_chacha_read(&gen, bytes, sizeof(bytes));
        out[i] = to_challenge(bytes, n_nodes);
    }
}

cuzk_status cuzk_porep_challenges(uint32_t *out, const cuzk_porep_statement *s, uint32_t partition,
                                  cuzk_err *err)
{
    const cuzk_sector_shape *shape = cuzk_sector_shape_of(s->type.sector_bytes);
    if (shape == NULL || partition >= cuzk_porep_partitions(&s->type)) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "partition %u does not exist", partition);
    }
    const uint64_t n_nodes = cuzk_sector_nodes(shape);
    const uint32_t count = shape->porep_challenges;
    const uint32_t first = partition * count;
    uint8_t digest[32];
    switch (s->type.feature) {
    case CUZK_SEAL_SYNTHETIC: synthetic_challenges(out, s, n_nodes, first, count); break;
    case CUZK_SEAL_NON_INTERACTIVE:
        for (uint32_t i = 0; i < count; i++) {
            hash_with_index(digest, NI_DOMAIN, &s->replica_id, &s->comm_r, first + i);
            out[i] = to_challenge(digest, n_nodes);
        }
        break;
    case CUZK_SEAL_PLAIN:
        for (uint32_t i = 0; i < count; i++) {
            hash_with_index(digest, "", &s->replica_id, &s->seed, first + i);
            out[i] = to_challenge(digest, n_nodes);
        }
        break;
    }
    return CUZK_OK;
}

uint64_t cuzk_post_leaf_challenge(const cuzk_node *randomness, uint64_t sector_id, uint64_t idx,
                                  uint64_t n_leaves)
{
    uint8_t in[48], digest[32];
    memcpy(in, randomness->b, CUZK_NODE_BYTES);
    cuzk_store_u64_le(in + 32, sector_id);
    cuzk_store_u64_le(in + 40, idx);
    cuzk_sha256_digest(digest, in, sizeof(in));
    return cuzk_load_u64_le(digest) % n_leaves;
}

const uint8_t *cuzk_update_hs(const cuzk_sector_shape *shape)
{
    static const uint8_t small[6] = {1, 1, 1, 1, 1, 1}, large[6] = {7, 8, 9, 10, 11, 12};
    return shape->lg_nodes <= 10 ? small : large;
}

unsigned cuzk_update_default_h(const cuzk_sector_shape *shape)
{
    return cuzk_update_hs(shape)[3];
}

uint64_t cuzk_update_k_and_h_select(const cuzk_sector_shape *shape, uint32_t partition, unsigned h)
{
    const uint8_t *hs = cuzk_update_hs(shape);
    unsigned i = 0;
    while (i < 5 && hs[i] != h) { /* the first of equal ones: small sectors always select 0 */
        i++;
    }
    const unsigned partition_bits = (unsigned)__builtin_ctz(shape->update_partitions);
    return partition | (uint64_t)1 << (partition_bits + i);
}

/* n <= 32 bits of a little-endian string, from bit `at`. */
static uint32_t take_bits(const uint8_t bytes[32], uint32_t at, uint32_t n)
{
    uint32_t v = 0;
    for (uint32_t i = 0; i < n; i++) {
        v |= (uint32_t)(bytes[(at + i) / 8] >> ((at + i) % 8) & 1) << i;
    }
    return v;
}

cuzk_status cuzk_update_challenges(uint32_t *out, const cuzk_sector_shape *shape,
                                   const cuzk_poseidon_params *poseidon2,
                                   const cuzk_node *comm_r_new, uint32_t partition, cuzk_err *err)
{
    if (partition >= shape->update_partitions) {
        return CUZK_FAIL(err, CUZK_E_INVALID,
                         "an update of %s has %u partitions; there is no partition %u", shape->name,
                         shape->update_partitions, partition);
    }
    const uint32_t partition_bits = (uint32_t)__builtin_ctz(shape->update_partitions);
    const uint32_t bits = shape->lg_nodes - partition_bits;
    const uint32_t per_digest = UPDATE_DIGEST_BITS / bits;
    const uint32_t count = shape->update_challenges;
    const uint32_t digests = (count + per_digest - 1) / per_digest;
    cuzk_fr in[2], tag, digest;
    uint8_t bytes[32];
    if (!cuzk_fr_from_bytes_le(&in[0], comm_r_new->b)) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "comm_r_new is not a field element");
    }
    cuzk_poseidon_randomness_tag(&tag);
    for (uint32_t i = 0; i < count; i++) {
        if (i % per_digest == 0) {
            cuzk_fr_from_u64(&in[1], (uint64_t)partition * digests + i / per_digest);
            cuzk_poseidon_hash_tagged(&digest, poseidon2, &tag, in);
            cuzk_fr_to_bytes_le(bytes, &digest);
        }
        out[i] =
            take_bits(bytes, i % per_digest * bits, bits) | (uint32_t)((uint64_t)partition << bits);
    }
    return CUZK_OK;
}
