/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_CIRCUIT_PATH_WITNESS_H
#define CUZK_CIRCUIT_PATH_WITNESS_H

/* Values of the gadgets of gadget/merkle.h, in their order of wires. */
#include "circuit/witness_writer.h"
#include "vanilla/check/check.h"

/** Poseidon with the Merkle tag (tag NULL) or another: its trace; *out gets the digest. */
void cuzk_wit_poseidon(cuzk_witness_writer *w, cuzk_fr *out, const cuzk_poseidon_params *p,
                       const cuzk_fr *tag, const cuzk_fr *in);
/** SHA-256 of two nodes: decompositions, hash, packed result; *out gets it. */
void cuzk_wit_sha256_pair(cuzk_witness_writer *w, cuzk_fr *out, const cuzk_fr *left,
                          const cuzk_fr *right);
/** out [arity]: elem inserted at `index` among siblings [arity - 1]. Writes nor/and bits and picks. */
void cuzk_wit_insert(cuzk_witness_writer *w, cuzk_fr *out, const cuzk_fr *elem, unsigned index,
                     const cuzk_fr *siblings, unsigned arity);

/**
 * A path with its own index bits and siblings (cuzk_gadget_por): per level bits, siblings, insert,
 * hash; then the input. leaf is a wire that exists already.
 */
void cuzk_wit_por(cuzk_witness_writer *w, const cuzk_fr *leaf, const cuzk_merkle_proof *p,
                  cuzk_tree_kind kind, const cuzk_hashes *h);
/**
 * n <= CUZK_WIT_PATHS such paths of equal shape in Poseidon trees, hashed side by side. w[k] is where
 * path k's wires go, leaf[k] its leaf.
 */
#define CUZK_WIT_PATHS 40
void cuzk_wit_por_many(cuzk_witness_writer *w, size_t n, const cuzk_fr *leaf,
                       const cuzk_merkle_proof *const *p, const cuzk_hashes *h);
/** A path over existing bits: all siblings first, then per level insert and hash (cuzk_gadget_por_with_bits). */
void cuzk_wit_por_with_bits(cuzk_witness_writer *w, const cuzk_fr *leaf,
                            const cuzk_path_level *levels, unsigned n_levels, cuzk_tree_kind kind,
                            bool write_siblings, const cuzk_hashes *h);

#endif /* CUZK_CIRCUIT_PATH_WITNESS_H */
