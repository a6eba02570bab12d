/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_GROTH16_LAGRANGE_H
#define CUZK_GROTH16_LAGRANGE_H

#include "ff/fr.h"
#include "sys/pool.h"

/** Points w^(first + stride k) of the domain of size 2^lg, w from root_2_32. */
typedef struct cuzk_lagrange_points {
    cuzk_fr root; /* w */
    unsigned lg;
    uint64_t first, stride;
} cuzk_lagrange_points;

cuzk_lagrange_points cuzk_lagrange_points_init(const cuzk_fr *root_2_32, unsigned lg,
                                               uint64_t first, uint64_t stride);
/**
 * out[k] = scale * L_(first + stride (begin + k))(x), k < n, with the Lagrange polynomial
 * L_j(x) = (x^N - 1)/N * w^j/(x - w^j), N = 2^lg. x must not be in the domain.
 * E_NOMEM, E_CANCELLED.
 */
CUZK_NODISCARD cuzk_status cuzk_lagrange_at(cuzk_fr *out, uint64_t begin, size_t n,
                                            const cuzk_lagrange_points *p, const cuzk_fr *x,
                                            const cuzk_fr *scale, cuzk_pool *pool,
                                            const cuzk_cancel *cancel, cuzk_err *err);

#endif /* CUZK_GROTH16_LAGRANGE_H */
