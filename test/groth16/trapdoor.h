/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_TEST_GROTH16_TRAPDOOR_H
#define CUZK_TEST_GROTH16_TRAPDOOR_H

/*
 * Who knows the toxic waste can say what the proof of a satisfied witness is with field arithmetic
 * and three scalar multiplications (docs/spec/groth16.md#proofs-from-the-trapdoor): no
 * parameters, transforms, or multi-scalar multiplications.
 */
#include "groth16/cpu/prove.h"
#include "groth16/setup/setup.h"

/**
 * The 192 bytes of the proof for r and s. kind is the one of the parameters: it decides the root of
 * unity. Checks for success.
 */
void test_trapdoor_proof(uint8_t out[192], const cuzk_witness *w, const cuzk_toxic *x,
                         cuzk_quotient_kind kind, const cuzk_scalar *r, const cuzk_scalar *s);
/** The same, and the .vk file of those parameters: vk [868 + 96 * n_inputs], or NULL. */
void test_trapdoor_proof_and_vk(uint8_t out[192], uint8_t *vk, const cuzk_witness *w,
                                const cuzk_toxic *x, cuzk_quotient_kind kind, const cuzk_scalar *r,
                                const cuzk_scalar *s);
/** The waste and generators of bellperson's test parameters (docs/spec/groth16.md#test-parameters). */
void test_toxic_golden(cuzk_toxic *out);

#endif /* CUZK_TEST_GROTH16_TRAPDOOR_H */
