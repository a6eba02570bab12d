/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_VERIFY_INPUT_SUM_H
#define CUZK_VERIFY_INPUT_SUM_H

#include "base/status.h"
#include "ec/g1.h"

/**
 * out = sum of scalars[i] * bases[i], one thread, for the public inputs of a proof (the msm module
 * needs a pool of threads, which a verifier does not). Bases in the subgroup or infinity; scalars
 * below r, not secret. n == 0 gives infinity. E_NOMEM: out untouched.
 */
CUZK_NODISCARD cuzk_status cuzk_verify_input_sum(cuzk_g1 *out, const cuzk_g1_affine *bases,
                                                 const cuzk_scalar *scalars, size_t n);

#endif /* CUZK_VERIFY_INPUT_SUM_H */
