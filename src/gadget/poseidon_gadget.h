/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_GADGET_POSEIDON_GADGET_H
#define CUZK_GADGET_POSEIDON_GADGET_H

/*
 * The Poseidon circuit of neptune 11's circuit.rs (docs/spec/poseidon.md#circuit). State elements that
 * a mix produces stay linear combinations until an S-box needs them. All combinations are known
 * beforehand up to their variables, so that their coefficients are computed once per builder.
 *
 * Wires of one hash, all full: round 0: x^2, x^4, x^5 + key of elements 1..n; then per S-box input, x^2,
 * x^4, x^5 + key: all elements in rounds 1..3, element 0 in the partial rounds, all elements in the
 * last four; then the result. The values are those of cuzk_poseidon_trace.
 */
#include "hash/poseidon.h"
#include "r1cs/build/builder.h"

typedef struct cuzk_poseidon_gadget cuzk_poseidon_gadget;

/** For one builder, arity and tag; keeps nothing of p and tag. */
CUZK_NODISCARD cuzk_status cuzk_poseidon_gadget_create(cuzk_poseidon_gadget **out, cuzk_builder *b,
                                                       const cuzk_poseidon_params *p,
                                                       const cuzk_fr *tag, cuzk_err *err);
/** NULL is fine. */
void cuzk_poseidon_gadget_destroy(cuzk_poseidon_gadget *g);
/** Hash of in [arity], a new wire. b is the builder that g was made for. */
cuzk_var cuzk_poseidon_gadget_hash(cuzk_builder *b, const cuzk_poseidon_gadget *g,
                                   const cuzk_var *in);

#endif /* CUZK_GADGET_POSEIDON_GADGET_H */
