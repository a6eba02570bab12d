/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_CIRCUIT_UPDATE_LAYOUT_H
#define CUZK_CIRCUIT_UPDATE_LAYOUT_H

/* Numbers of the SnapDeals circuit that follow from the sector shape (docs/spec/update.md#layout). */
#include <string.h>

#include "vanilla/sector/challenges.h"

#define CUZK_UPDATE_H_SELECTS 6

typedef struct cuzk_update_layout {
    uint32_t node_bits;         /* log2 of nodes: bits of a challenge */
    uint32_t partition_bits;    /* its top bits */
    uint32_t apex_bits;         /* log2 of apex leaves per partition; the bits below those */
    uint32_t random_bits;       /* node_bits - partition_bits, drawn from a digest */
    uint32_t digest_challenges; /* challenges per digest: 254 / random_bits */
    uint32_t digests;
    uint32_t tree_d_levels;           /* from a data leaf to its apex leaf */
    uint8_t h[CUZK_UPDATE_H_SELECTS]; /* top bits of a challenge that rho depends on, selectable */
} cuzk_update_layout;

static inline cuzk_update_layout cuzk_update_layout_of(const cuzk_sector_shape *s)
{
    cuzk_update_layout u;
    u.node_bits = s->lg_nodes;
    u.partition_bits = (uint32_t)__builtin_ctz(s->update_partitions);
    u.apex_bits = (uint32_t)__builtin_ctz(s->apex_leaves);
    u.random_bits = u.node_bits - u.partition_bits;
    u.digest_challenges = 254 / u.random_bits;
    u.digests = (s->update_challenges + u.digest_challenges - 1) / u.digest_challenges;
    u.tree_d_levels = u.random_bits - u.apex_bits;
    memcpy(u.h, cuzk_update_hs(s), sizeof(u.h));
    return u;
}

#endif /* CUZK_CIRCUIT_UPDATE_LAYOUT_H */
