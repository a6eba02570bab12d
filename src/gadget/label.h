/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_GADGET_LABEL_H
#define CUZK_GADGET_LABEL_H

/*
 * The label of a node in a layer of the stacked graph (docs/spec/gadgets.md#label):
 * SHA-256 of replica_id (256 bits), layer (32 bits, constant), node (64 bits, both big-endian), zeros
 * up to 512 bits, and 37 parents of 256 bits; the low 254 bits of the digest are the label.
 */
#include "gadget/merkle.h"

#define CUZK_LABEL_DRG_PARENTS    6
#define CUZK_LABEL_ALL_PARENTS    14
#define CUZK_LABEL_HASHED_PARENTS 37

/** Bits as cuzk_num_bits_to_sha gives them. */
typedef struct cuzk_sha_node {
    cuzk_bool bit[CUZK_NODE_BITS];
} cuzk_sha_node;

/**
 * New wire for the label. node: 64 bits, least significant first. parents: the 6 DRG parents in layer
 * 1, in later layers these and the 8 expander parents; they are repeated in order up to 37.
 */
cuzk_var cuzk_gadget_label(cuzk_gadgets *g, const cuzk_sha_node *replica_id, uint32_t layer,
                           const cuzk_bool node[64], const cuzk_sha_node *parents,
                           unsigned n_parents);

#endif /* CUZK_GADGET_LABEL_H */
