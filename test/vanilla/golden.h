/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_TEST_VANILLA_GOLDEN_H
#define CUZK_TEST_VANILLA_GOLDEN_H

/* Reads test/vectors/groth16/vectors.json. */
#include "vanilla/check/public_inputs.h"

/** Hex string found at the path of keys in vectors.json, as n bytes. Fails the case when absent. */
void golden_bytes(uint8_t *out, size_t n, const char *const *path, size_t n_path);
#define GOLDEN_NODE(out, ...)                                      \
    golden_bytes((out)->b, 32, (const char *const[]){__VA_ARGS__}, \
                 sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))
/** public_inputs_le of a vector into out [max]; returns their number. */
uint32_t golden_public_inputs(cuzk_node *out, uint32_t max, const char *vector);

#endif /* CUZK_TEST_VANILLA_GOLDEN_H */
