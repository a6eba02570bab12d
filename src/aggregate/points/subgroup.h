/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_AGGREGATE_POINTS_SUBGROUP_H
#define CUZK_AGGREGATE_POINTS_SUBGROUP_H

/*
 * Whether all of many points of a curve are in the subgroup of order r, by 64 sums over random subsets. A sum of points
 * of the subgroup is in it. When a point is not, a random subset's sum is outside with a probability of at least one
 * half: with that point and without it, at most one of the two sums is inside. So all 64 are inside with 2^-64 at most.
 * Random coefficients in place of subsets would not do: the cofactors have small divisors.
 *
 * The subsets are drawn from the system's generator. 8 of them cost one addition a point.
 */
#include <stdbool.h>

#include "ec/g1.h"
#include "ec/g2.h"
#include "sys/pool.h"

/** Below this many proofs, of two points of G1 and one of G2, one test a point is faster. */
#define CUZK_AGG_SUBGROUP_LEAST 96

/** *all: no point is outside. p [n] are points of the curve, n >= 1. E_NOMEM, E_IO (no randomness), E_CANCELLED. */
CUZK_NODISCARD cuzk_status cuzk_agg_g1_in_subgroup(bool *all, const cuzk_g1_affine *p, size_t n,
                                                   cuzk_pool *pool, const cuzk_cancel *cancel,
                                                   cuzk_err *err);
CUZK_NODISCARD cuzk_status cuzk_agg_g2_in_subgroup(bool *all, const cuzk_g2_affine *p, size_t n,
                                                   cuzk_pool *pool, const cuzk_cancel *cancel,
                                                   cuzk_err *err);

#endif /* CUZK_AGGREGATE_POINTS_SUBGROUP_H */
