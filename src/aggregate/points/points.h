/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_AGGREGATE_POINTS_POINTS_H
#define CUZK_AGGREGATE_POINTS_POINTS_H

/* Vectors of points, folded and scaled on all threads of a pool. */
#include "ec/g1.h"
#include "ec/g2.h"
#include "sys/pool.h"

/** p[i] = p[i] + k p[i + half] for i < half. Points are in the subgroup. */
CUZK_NODISCARD cuzk_status cuzk_agg_fold_g1(cuzk_g1_affine *p, size_t half, const cuzk_fr *k,
                                            cuzk_pool *pool, const cuzk_cancel *cancel,
                                            cuzk_err *err);
CUZK_NODISCARD cuzk_status cuzk_agg_fold_g2(cuzk_g2_affine *p, size_t half, const cuzk_fr *k,
                                            cuzk_pool *pool, const cuzk_cancel *cancel,
                                            cuzk_err *err);
/** out[i] = p[i] + p[i + half] for i < half. out is disjoint from p. */
CUZK_NODISCARD cuzk_status cuzk_agg_sum_halves_g1(cuzk_g1_affine *out, const cuzk_g1_affine *p,
                                                  size_t half, cuzk_pool *pool,
                                                  const cuzk_cancel *cancel, cuzk_err *err);
CUZK_NODISCARD cuzk_status cuzk_agg_sum_halves_g2(cuzk_g2_affine *out, const cuzk_g2_affine *p,
                                                  size_t half, cuzk_pool *pool,
                                                  const cuzk_cancel *cancel, cuzk_err *err);
/** out[i] = k[i] p[i] for i < n; out may be p. */
CUZK_NODISCARD cuzk_status cuzk_agg_scale_g1(cuzk_g1_affine *out, const cuzk_g1_affine *p,
                                             const cuzk_fr *k, size_t n, cuzk_pool *pool,
                                             const cuzk_cancel *cancel, cuzk_err *err);
CUZK_NODISCARD cuzk_status cuzk_agg_scale_g2(cuzk_g2_affine *out, const cuzk_g2_affine *p,
                                             const cuzk_fr *k, size_t n, cuzk_pool *pool,
                                             const cuzk_cancel *cancel, cuzk_err *err);
/** out[i] = base^i for i < n. */
void cuzk_agg_powers(cuzk_fr *out, const cuzk_fr *base, size_t n);

#endif /* CUZK_AGGREGATE_POINTS_POINTS_H */
