/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "circuit/param_name.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/bytes.h"
#include "hash/sha256.h"

#define PARAM_VERSION 28

typedef struct tree_name {
    char s[48];
} tree_name;

static tree_name tree_of(const cuzk_sector_shape *s)
{
    tree_name t;
    (void)snprintf(t.s, sizeof(t.s), "merkletree-poseidon_hasher-%u-%u-%u", s->base_arity,
                   s->sub_arity, s->top_arity);
    return t;
}

const char *cuzk_param_identifier(char out[CUZK_PARAM_ID_BYTES], const cuzk_circuit_spec *spec)
{
    const cuzk_sector_shape *s = spec->shape;
    const uint64_t nodes = cuzk_sector_nodes(s);
    const tree_name tree = tree_of(s);
    int n = 0;
    switch (spec->kind) {
    case CUZK_CIRCUIT_POREP:
        n = snprintf(out, CUZK_PARAM_ID_BYTES,
                     "layered_drgporep::PublicParams{ graph: stacked_graph::StackedGraph{"
                     "expansion_degree: %d base_graph: drgraph::BucketGraph{size: %" PRIu64
                     "; degree: %d; hasher: poseidon_hasher} }, challenges: LayerChallenges { "
                     "layers: %u, max_count: %u }, tree: %s }",
                     CUZK_EXP_PARENTS, nodes, CUZK_DRG_PARENTS, s->layers, spec->n_blocks, tree.s);
        break;
    case CUZK_CIRCUIT_WINNING:
    case CUZK_CIRCUIT_WINDOW:
        n = snprintf(out, CUZK_PARAM_ID_BYTES,
                     "FallbackPoSt::PublicParams{sector_size: %" PRIu64
                     ", challenge_count: %u, sector_count: %u}",
                     s->bytes, spec->block_proofs, spec->n_blocks);
        break;
    case CUZK_CIRCUIT_UPDATE:
    default:
        n = snprintf(out, CUZK_PARAM_ID_BYTES,
                     "empty_sector_update::PublicParams{ sector_nodes: %" PRIu64 " }", nodes);
        break;
    }
    CUZK_ASSERT(n > 0 && n < CUZK_PARAM_ID_BYTES);
    return out;
}

const char *cuzk_param_file_name(char out[CUZK_PARAM_NAME_BYTES], const cuzk_circuit_spec *spec,
                                 cuzk_param_file file)
{
    static const char *const prefix[CUZK_CIRCUIT_N_KINDS] = {
        "stacked-proof-of-replication", "proof-of-spacetime-fallback",
        "proof-of-spacetime-fallback", "empty-sector-update"};
    static const char *const ext[3] = {"params", "vk", "meta"};
    char id[CUZK_PARAM_ID_BYTES], hex[65];
    uint8_t sum[CUZK_SHA256_BYTES];
    (void)cuzk_param_identifier(id, spec);
    cuzk_sha256_digest(sum, id, strlen(id));
    cuzk_hex_encode(hex, sum, sizeof(sum));
    const int n =
        snprintf(out, CUZK_PARAM_NAME_BYTES, "v%d-%s-%s%s-%s.%s", PARAM_VERSION, prefix[spec->kind],
                 tree_of(spec->shape).s, spec->kind == CUZK_CIRCUIT_POREP ? "-sha256_hasher" : "",
                 hex, ext[file]);
    CUZK_ASSERT(n > 0 && n < CUZK_PARAM_NAME_BYTES);
    return out;
}
