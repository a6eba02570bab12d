/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_TEST_GROTH16_GOLDEN_GOLDEN_INSTANCE_H
#define CUZK_TEST_GROTH16_GOLDEN_GOLDEN_INSTANCE_H

/* Circuits and witnesses of the golden vectors, built by our own code from the vanilla proofs. */
#include "groth16/cpu/prove.h"
#include "groth16/golden/golden_proofs.h"
#include "r1cs/witness.h"

typedef struct golden_instance {
    const char *vector;
    cuzk_circuit *c;
    cuzk_witness *w;
    cuzk_pool *pool;
} golden_instance;

/** One of the vectors that have proofs. Checks for success. */
void golden_instance_open(golden_instance *t, const char *vector);
void golden_instance_close(golden_instance *t);
#define GOLDEN_PROOFS (sizeof(golden_proofs) / sizeof(golden_proofs[0]))
/** The 192 bytes of golden_proofs[i], and its r and s. */
void golden_proof_bytes(uint8_t out[192], cuzk_scalar *r, cuzk_scalar *s, size_t i);
/** SHA-256 of the quotient's coefficients is the vector's h_sha256. */
void golden_check_quotient(const golden_instance *t);
/** With these parameters the vector's proofs come out, and vk (a file's bytes) accepts them. */
void golden_check_proofs(const golden_instance *t, const cuzk_srs *srs, const char *vk_file);
/** SHA-256 of a file, as hex. */
void golden_check_sha256(const char *path, const char *hex);

#endif /* CUZK_TEST_GROTH16_GOLDEN_GOLDEN_INSTANCE_H */
