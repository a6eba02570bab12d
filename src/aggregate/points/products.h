/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_AGGREGATE_POINTS_PRODUCTS_H
#define CUZK_AGGREGATE_POINTS_PRODUCTS_H

/* Products of many pairings, on all threads of a pool. */
#include "ec/g1.h"
#include "ec/g2.h"
#include "ff/fr.h"
#include "ff/tower/fp12.h"
#include "sys/pool.h"

/** Most targets of one group. */
#define CUZK_AGG_TARGETS 4

/**
 * The points of G1 of a pair of products. Element i of the group's points of G2 is paired with
 * p[i], or, when shifted, with the element of the other half: p[i + m/2] or p[i - m/2].
 */
typedef struct cuzk_agg_target {
    const cuzk_g1_affine *p; /* [m], borrowed */
    bool shifted;            /* m must be even */
    cuzk_fp12 lo, hi;        /* out: Miller values of the first and of the second half */
} cuzk_agg_target;

/** Points of G2 and what is paired with them. */
typedef struct cuzk_agg_group {
    const cuzk_g2_affine *q; /* [m], borrowed */
    size_t n_targets;
    cuzk_agg_target target[CUZK_AGG_TARGETS];
} cuzk_agg_group;

/** Fills lo and hi of all targets; all groups have m points. The halves are [0, m/2) and [m/2, m). */
CUZK_NODISCARD cuzk_status cuzk_agg_products(cuzk_agg_group *groups, size_t n_groups, size_t m,
                                             cuzk_pool *pool, const cuzk_cancel *cancel,
                                             cuzk_err *err);

/** out = e(f) e(raised)^k, e being the final exponentiation. */
typedef struct cuzk_agg_gt_job {
    cuzk_fp12 *out;
    cuzk_fp12 f, raised;  /* Miller values */
    const cuzk_scalar *k; /* NULL: 1; borrowed */
} cuzk_agg_gt_job;

CUZK_NODISCARD cuzk_status cuzk_agg_gt_jobs(const cuzk_agg_gt_job *jobs, size_t n, cuzk_pool *pool,
                                            const cuzk_cancel *cancel, cuzk_err *err);

#endif /* CUZK_AGGREGATE_POINTS_PRODUCTS_H */
