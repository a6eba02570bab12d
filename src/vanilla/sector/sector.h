/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_VANILLA_SECTOR_SECTOR_H
#define CUZK_VANILLA_SECTOR_SECTOR_H

/*
 * Sector sizes and everything that follows from them (docs/spec/sectors.md#sizes), and the numbers
 * of the registered proof types (docs/spec/sectors.md#registered-proofs).
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

#define CUZK_NODE_BYTES    32
#define CUZK_DRG_PARENTS   6
#define CUZK_EXP_PARENTS   8
#define CUZK_LABEL_PARENTS 37 /* parents hashed into a label, repetitions included */
#define CUZK_MAX_LAYERS    11
#define CUZK_WINNING_SECTORS \
    66 /* challenges of a WinningPoSt, as circuit sectors of one challenge */
#define CUZK_WINDOW_CHALLENGES 10

/** A 32-byte value: a node, label, commitment or id. Little-endian integer where it is an Fr. */
typedef struct cuzk_node {
    uint8_t b[CUZK_NODE_BYTES];
} cuzk_node;

typedef struct cuzk_sector_shape {
    uint64_t bytes;
    const char *name;                         /* "32GiB" */
    uint8_t lg_nodes;                         /* nodes of 32 bytes */
    uint8_t base_arity, sub_arity, top_arity; /* TreeC and TreeR; 0: level absent */
    uint8_t layers;
    uint8_t porep_partitions,
        porep_challenges; /* interactive and synthetic; challenges per partition */
    uint8_t ni_partitions;
    uint16_t window_sectors;   /* per WindowPoSt partition */
    uint8_t update_partitions; /* 0: no update circuit */
    uint8_t update_challenges; /* per partition */
    uint8_t apex_leaves;       /* per partition */
    bool is_published;         /* mainnet parameters exist */
} cuzk_sector_shape;

/** NULL when no such size exists. */
const cuzk_sector_shape *cuzk_sector_shape_of(uint64_t sector_bytes);
#define CUZK_SECTOR_SHAPES 10u /* how many there are */
/** All shapes, ascending; *n gets their number, CUZK_SECTOR_SHAPES. */
const cuzk_sector_shape *cuzk_sector_shapes(unsigned *n);
/** "2KiB", "32GiB", "2 KiB", "2048", case of the unit free; false when it is no number with a known unit. */
bool cuzk_sector_size_parse(uint64_t *bytes, const char *text);

static inline uint64_t cuzk_sector_nodes(const cuzk_sector_shape *s)
{
    return (uint64_t)1 << s->lg_nodes;
}

/** Levels of a Merkle path in TreeC and TreeR, bottom up: arity of level i, i < returned n. */
unsigned cuzk_tree_levels(const cuzk_sector_shape *s, uint8_t arity[16]);

/** What a registered seal proof number says. */
typedef enum cuzk_seal_feature {
    CUZK_SEAL_PLAIN,
    CUZK_SEAL_SYNTHETIC,
    CUZK_SEAL_NON_INTERACTIVE
} cuzk_seal_feature;
typedef struct cuzk_seal_type {
    uint64_t number; /* RegisteredSealProof, 0..19 */
    uint64_t sector_bytes;
    cuzk_seal_feature feature;
    uint8_t api_minor; /* ApiVersion 1.x.0 */
} cuzk_seal_type;

/** E_INVALID for a number or name that is not registered. */
CUZK_NODISCARD cuzk_status cuzk_seal_type_of(cuzk_seal_type *out, uint64_t number, cuzk_err *err);
/** "StackedDrg2KiBV1_1" and so on; text [n], not terminated. */
CUZK_NODISCARD cuzk_status cuzk_seal_type_parse(cuzk_seal_type *out, const char *text, size_t n,
                                                cuzk_err *err);
/** The name, into buf; returns buf. */
const char *cuzk_seal_type_name(const cuzk_seal_type *t, char *buf, size_t buf_bytes);
/** porep_id: number and nonce 0, little-endian, zero-padded. */
void cuzk_porep_id(cuzk_node *out, uint64_t number);

/** RegisteredPoStProof, 0..14: what the number says. */
typedef struct cuzk_post_type {
    uint64_t number;
    uint64_t sector_bytes;
    bool is_window;
    bool is_v1_2; /* challenge index restarts in each sector */
} cuzk_post_type;
CUZK_NODISCARD cuzk_status cuzk_post_type_of(cuzk_post_type *out, uint64_t number, cuzk_err *err);

#endif /* CUZK_VANILLA_SECTOR_SECTOR_H */
