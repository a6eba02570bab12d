/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_TEST_VERIFY_GOLDEN_H
#define CUZK_TEST_VERIFY_GOLDEN_H

/* The proofs of test/vectors/groth16/vectors.json with their inputs and keys. */
#include <stddef.h>
#include <stdint.h>

typedef struct golden_proof {
    char kind[32];
    const char *vk_file; /* in test/vectors/groth16 */
    uint8_t *inputs;     /* [n_inputs * 32], owned */
    size_t n_inputs;
    uint8_t proof[192];
} golden_proof;

enum { GOLDEN_MAX = 32 };

/** Fills out, returns how many; fails the case when the file is not as expected. */
size_t golden_load(golden_proof out[GOLDEN_MAX]);
void golden_free(golden_proof *g, size_t n);

#endif /* CUZK_TEST_VERIFY_GOLDEN_H */
