/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_GADGET_MERKLE_H
#define CUZK_GADGET_MERKLE_H

/*
 * Hashes of wires and Merkle paths (docs/spec/gadgets.md#inclusion), with the working space
 * that they share.
 */
#include "gadget/num.h"
#include "gadget/poseidon_gadget.h"
#include "gadget/sha256_gadget.h"

#define CUZK_TREE_MAX_ARITY  8
#define CUZK_TREE_MAX_LEVELS 32

/** What hashes there are: Poseidon by arity with the Merkle tag, randomness (arity 2, tag 2^40), SHA-256. */
typedef enum cuzk_gadget_hash {
    CUZK_GADGET_POSEIDON_2,
    CUZK_GADGET_POSEIDON_4,
    CUZK_GADGET_POSEIDON_8,
    CUZK_GADGET_POSEIDON_11,
    CUZK_GADGET_RANDOMNESS,
    CUZK_GADGET_N_POSEIDON,
    CUZK_GADGET_SHA256 = CUZK_GADGET_N_POSEIDON
} cuzk_gadget_hash;

/** Everything that gadgets need in addition to the builder; for one builder and one thread. */
typedef struct cuzk_gadgets {
    cuzk_builder *b; /* borrowed */
    cuzk_poseidon_gadget *poseidon[CUZK_GADGET_N_POSEIDON];
    cuzk_sha256_gadget sha;
} cuzk_gadgets;

/** mask: bit 1 << h for each Poseidon h that will be used. */
CUZK_NODISCARD cuzk_status cuzk_gadgets_create(cuzk_gadgets **out, cuzk_builder *b, uint32_t mask,
                                               cuzk_err *err);
void cuzk_gadgets_destroy(cuzk_gadgets *g);
/** The Merkle-tag Poseidon of an arity. */
cuzk_gadget_hash cuzk_gadget_poseidon_of(unsigned arity);

/** Poseidon hash of in [arity of h], a new wire. */
cuzk_var cuzk_gadget_poseidon(cuzk_gadgets *g, cuzk_gadget_hash h, const cuzk_var *in);
/**
 * New wire for the digest in g->sha, finalised here: the low 254 bits, as nodes have them.
 */
cuzk_var cuzk_gadget_sha256_node(cuzk_gadgets *g);
/** SHA-256 of two nodes: 255 bits each, then the hash, then the packed result (a new wire). */
cuzk_var cuzk_gadget_sha256_pair(cuzk_gadgets *g, cuzk_var left, cuzk_var right);

/**
 * out [arity] = siblings [arity - 1] with elem put in at position sum bits_i 2^i; new wires.
 * arity 2, 4 or 8 with 1, 2 or 3 bit wires.
 */
void cuzk_gadget_insert(cuzk_builder *b, cuzk_var *out, cuzk_var elem, const cuzk_bool *bits,
                        const cuzk_var *siblings, unsigned arity);

/** Shape of a path: arity of each level, bottom up; SHA-256 for TreeD (arity 2), else Poseidon. */
typedef struct cuzk_gadget_tree {
    bool is_sha256;
    uint8_t n_levels;
    uint8_t arity[CUZK_TREE_MAX_LEVELS];
} cuzk_gadget_tree;

static inline unsigned cuzk_arity_bits(unsigned arity)
{
    return (unsigned)__builtin_ctz(arity);
}

/** Index bits of a whole path. */
unsigned cuzk_gadget_tree_bits(const cuzk_gadget_tree *t);
/** Siblings of a whole path. */
unsigned cuzk_gadget_tree_siblings(const cuzk_gadget_tree *t);

/**
 * Inclusion of `leaf` under `root`, with its own index bits and siblings: per level the bits, the
 * siblings, insert, hash; then one public input, the leaf's index; then the row hash = root.
 */
void cuzk_gadget_por(cuzk_gadgets *g, const cuzk_gadget_tree *t, cuzk_var leaf, cuzk_var root);
/**
 * Inclusion with index bits that exist already, and no public input. siblings
 * [cuzk_gadget_tree_siblings], bits [cuzk_gadget_tree_bits].
 */
void cuzk_gadget_por_with_bits(cuzk_gadgets *g, const cuzk_gadget_tree *t, cuzk_var leaf,
                               const cuzk_bool *bits, const cuzk_var *siblings, cuzk_var root);

#endif /* CUZK_GADGET_MERKLE_H */
