/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_VANILLA_READ_VANILLA_H
#define CUZK_VANILLA_READ_VANILLA_H

/*
 * Parsed vanilla proofs (docs/spec/inputs.md). Everything hangs in the input's arena; nodes
 * are copied out of the file, so that its bytes need not be kept.
 */
#include "base/arena.h"
#include "base/status.h"
#include "sys/pool.h"
#include "vanilla/sector/sector.h"

/** One level of a Merkle path, bottom up. */
typedef struct cuzk_path_level {
    uint8_t arity;             /* siblings + 1: 2, 4 or 8 */
    uint8_t index;             /* position of the path's node among the arity children */
    const cuzk_node *siblings; /* [arity - 1], left to right, the node itself left out */
} cuzk_path_level;

typedef struct cuzk_merkle_proof {
    cuzk_node root, leaf;
    uint32_t n_levels;
    const cuzk_path_level *levels;
} cuzk_merkle_proof;

typedef struct cuzk_column_proof {
    uint32_t index; /* node */
    uint32_t n_rows;
    const cuzk_node *rows; /* [n_rows] labels of layers 1, 2, ... */
    cuzk_merkle_proof inclusion;
} cuzk_column_proof;

/** Parents as the prover listed them, for one layer. */
typedef struct cuzk_labeling_proof {
    uint32_t layer; /* 1-based */
    uint64_t node;
    uint32_t n_parents;
    const cuzk_node *parents; /* [n_parents], CUZK_LABEL_PARENTS when valid */
} cuzk_labeling_proof;

typedef struct cuzk_porep_challenge {
    cuzk_merkle_proof comm_d, comm_r_last;
    cuzk_column_proof c_x;
    cuzk_column_proof drg[CUZK_DRG_PARENTS];
    cuzk_column_proof exp[CUZK_EXP_PARENTS];
    uint32_t n_labeling;
    const cuzk_labeling_proof *labeling; /* [n_labeling] */
    cuzk_labeling_proof encoding;
} cuzk_porep_challenge;

/** A whole C1 output. */
typedef struct cuzk_porep_input {
    cuzk_arena arena;
    cuzk_seal_type type;
    const cuzk_sector_shape *shape;
    cuzk_node comm_r, comm_d, replica_id, seed, ticket;
    uint32_t n_partitions;
    uint32_t n_challenges;                         /* per partition, the same in all */
    const cuzk_porep_challenge *const *partitions; /* [n_partitions] -> [n_challenges] */
    bool has_sector_number, has_prover_id;         /* from the envelope */
    uint64_t sector_number;
    cuzk_node prover_id;
} cuzk_porep_input;

/** One sector of a PoSt: a whole WinningPoSt, or one of the sectors of a WindowPoSt partition. */
typedef struct cuzk_post_sector {
    uint64_t sector_id;
    cuzk_node comm_r, comm_c, comm_r_last;
    uint32_t n_proofs;
    const cuzk_merkle_proof *proofs; /* [n_proofs] in TreeR */
} cuzk_post_sector;

typedef struct cuzk_post_input {
    cuzk_arena arena;
    uint32_t n_sectors;
    cuzk_post_sector *sectors; /* [n_sectors] */
} cuzk_post_input;

typedef struct cuzk_update_challenge {
    cuzk_merkle_proof r_old, d_new, r_new;
} cuzk_update_challenge;

/** One partition of a SnapDeals update. */
typedef struct cuzk_update_input {
    cuzk_arena arena;
    cuzk_node comm_c;
    uint32_t n_apex;
    const cuzk_node *apex; /* [n_apex] */
    uint32_t n_challenges;
    const cuzk_update_challenge *challenges; /* [n_challenges] */
} cuzk_update_input;

/**
 * Parses a C1 (docs/spec/inputs.md): JSON, bincode, or an envelope of either; keys of JSON in any
 * order, unknown ones ignored, duplicate ones refused. Checks syntax and shape only: use
 * cuzk_porep_check before proving. E_FORMAT names line and column, or field and offset; E_INVALID: the
 * envelope and the C1 inside contradict each other. pool, optional: a large text is read by its threads.
 */
CUZK_NODISCARD cuzk_status cuzk_porep_parse(cuzk_porep_input **out, const uint8_t *data, size_t n,
                                            cuzk_pool *pool, cuzk_err *err);
void cuzk_porep_input_destroy(cuzk_porep_input *in);

/** An empty input; add the sectors of the partition in order. */
CUZK_NODISCARD cuzk_status cuzk_post_input_create(cuzk_post_input **out, cuzk_err *err);
/** Moves the sectors of another input behind those of in. E_NOMEM: both as before. */
CUZK_NODISCARD cuzk_status cuzk_post_input_append(cuzk_post_input *in, cuzk_post_input *from,
                                                  cuzk_err *err);
/** Appends the sector of one bincode blob (FallbackPoStSectorProof), trailing bytes passed over. E_FORMAT names the field and offset. */
CUZK_NODISCARD cuzk_status cuzk_post_input_add(cuzk_post_input *in, const uint8_t *blob, size_t n,
                                               cuzk_err *err);
/**
 * Sectors by ascending number, the order in which the chain verifies a WindowPoSt partition.
 * E_INVALID names a sector that is there twice.
 */
CUZK_NODISCARD cuzk_status cuzk_post_input_sort(cuzk_post_input *in, cuzk_err *err);
void cuzk_post_input_destroy(cuzk_post_input *in);

/** Parses one bincode PartitionProof, trailing bytes passed over. */
CUZK_NODISCARD cuzk_status cuzk_update_parse(cuzk_update_input **out, const uint8_t *blob, size_t n,
                                             cuzk_err *err);
void cuzk_update_input_destroy(cuzk_update_input *in);

#endif /* CUZK_VANILLA_READ_VANILLA_H */
