/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_MSM_MSM_H
#define CUZK_MSM_MSM_H

/*
 * Multi-scalar multiplication in G1 and G2. Scalars are canonical plain integers and not secret.
 * Bases are affine, on the curve and in the subgroup (the endomorphism is used), infinity (0,0)
 * allowed; repeated and opposite bases are fine. Sizes are elements.
 */
#include "base/status.h"
#include "ec/g1.h"
#include "ec/g2.h"
#include "sys/pool.h"

/**
 * out = sum of scalars[i] * bases[i]. Each scalar < 2^nbits and < r; nbits 1..255. Zeros, ones and
 * small scalars mixed among full ones cost what they need, not a full one's work.
 * n == 0 gives infinity. On failure (E_INVALID, E_NOMEM, E_CANCELLED) out is not written.
 */
CUZK_NODISCARD cuzk_status cuzk_msm_g1(cuzk_g1 *out, const cuzk_g1_affine *bases,
                                       const cuzk_scalar *scalars, size_t n, unsigned nbits,
                                       cuzk_pool *pool, const cuzk_cancel *cancel, cuzk_err *err);
CUZK_NODISCARD cuzk_status cuzk_msm_g2(cuzk_g2 *out, const cuzk_g2_affine *bases,
                                       const cuzk_scalar *scalars, size_t n, unsigned nbits,
                                       cuzk_pool *pool, const cuzk_cancel *cancel, cuzk_err *err);

/**
 * out = sum of the bases whose bit is set: bit i is bits[i / 64] >> (i % 64) & 1, i < n. Batched
 * affine tree, no buckets.
 */
CUZK_NODISCARD cuzk_status cuzk_msm_bits_g1(cuzk_g1 *out, const cuzk_g1_affine *bases,
                                            const uint64_t *bits, size_t n, cuzk_pool *pool,
                                            const cuzk_cancel *cancel, cuzk_err *err);
CUZK_NODISCARD cuzk_status cuzk_msm_bits_g2(cuzk_g2 *out, const cuzk_g2_affine *bases,
                                            const uint64_t *bits, size_t n, cuzk_pool *pool,
                                            const cuzk_cancel *cancel, cuzk_err *err);

/**
 * Many multiples of one point: out[i] = scalars[i] * base, affine, by a window table. For setup.
 * On failure out is unspecified.
 */
CUZK_NODISCARD cuzk_status cuzk_fixed_base_g1(cuzk_g1_affine *out, const cuzk_g1_affine *base,
                                              const cuzk_scalar *scalars, size_t n, cuzk_pool *pool,
                                              const cuzk_cancel *cancel, cuzk_err *err);
CUZK_NODISCARD cuzk_status cuzk_fixed_base_g2(cuzk_g2_affine *out, const cuzk_g2_affine *base,
                                              const cuzk_scalar *scalars, size_t n, cuzk_pool *pool,
                                              const cuzk_cancel *cancel, cuzk_err *err);

#endif /* CUZK_MSM_MSM_H */
