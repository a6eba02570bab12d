/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_TEST_PROVER_SEED_PARAMS_H
#define CUZK_TEST_PROVER_SEED_PARAMS_H

/* The toxic waste and generators of the original implementation's test seed (test/vectors/groth16/vectors.json). */
#include "groth16/setup/setup.h"

void seed_toxic(cuzk_toxic *out);

#endif /* CUZK_TEST_PROVER_SEED_PARAMS_H */
