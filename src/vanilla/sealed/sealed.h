/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_VANILLA_SEALED_SEALED_H
#define CUZK_VANILLA_SEALED_SEALED_H

/*
 * Vanilla proofs of a sector that has been sealed: from the replica and the files of its cache
 * (docs/spec/inputs.md#sealed-sector). Only what a challenge needs is read: 16 KiB of the replica for
 * one of 32 GiB, and a few nodes of the tree.
 */
#include "vanilla/check/check.h"

/** One tree or layer as t_aux lists it. */
typedef struct cuzk_store_config {
    char id[64]; /* "tree-r-last" and so on */
    bool has_size;
    uint64_t size; /* nodes */
    uint64_t rows_to_discard;
} cuzk_store_config;

typedef struct cuzk_t_aux {
    uint32_t n_layers;
    cuzk_store_config tree_d, tree_r_last, tree_c;
} cuzk_t_aux;

/** p_aux: the two commitments that comm_r is the hash of. E_FORMAT. */
CUZK_NODISCARD cuzk_status cuzk_p_aux_parse(cuzk_node *comm_c, cuzk_node *comm_r_last,
                                            const uint8_t *data, size_t n, cuzk_err *err);
/** t_aux; bytes behind the value are passed over, as bincode 1.x does. E_FORMAT. */
CUZK_NODISCARD cuzk_status cuzk_t_aux_parse(cuzk_t_aux *out, const uint8_t *data, size_t n,
                                            cuzk_err *err);

typedef struct cuzk_sealed cuzk_sealed;

/**
 * Opens replica and cache folder. The sector size is that of the replica. p_aux and the files of
 * tree-r-last must be there; t_aux and tree-c (both are gone once a sector is finalised) are compared
 * with them when they are there. hashes must outlive the result.
 * E_NOT_FOUND, E_IO; E_FORMAT and E_VANILLA name the file that does not fit.
 */
CUZK_NODISCARD cuzk_status cuzk_sealed_open(cuzk_sealed **out, const char *replica,
                                            const char *cache, const cuzk_hashes *hashes,
                                            cuzk_err *err);
/** NULL is fine. */
void cuzk_sealed_close(cuzk_sealed *s);
const cuzk_sector_shape *cuzk_sealed_shape(const cuzk_sealed *s);
const cuzk_node *cuzk_sealed_comm_r(const cuzk_sealed *s);
/** Bytes read from replica and trees so far. */
uint64_t cuzk_sealed_bytes_read(const cuzk_sealed *s);

/**
 * Appends the sector's proof to a PoSt. index: the sector's place among all of the deadline, which
 * challenges of types before V1_2 depend on. E_VANILLA: replica and tree do not belong together.
 */
CUZK_NODISCARD cuzk_status cuzk_sealed_post(cuzk_post_input *in, cuzk_sealed *s, uint64_t sector_id,
                                            const cuzk_post_statement *st, uint64_t index,
                                            cuzk_err *err);
/**
 * One partition of the update from old to new; the cache of new also has tree-d, the tree of the new
 * data. st gets the statement.
 */
CUZK_NODISCARD cuzk_status cuzk_sealed_update(cuzk_update_input **out, cuzk_update_statement *st,
                                              cuzk_sealed *from, cuzk_sealed *to,
                                              uint32_t partition, cuzk_err *err);

#endif /* CUZK_VANILLA_SEALED_SEALED_H */
