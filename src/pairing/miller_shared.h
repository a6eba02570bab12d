/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_PAIRING_MILLER_SHARED_H
#define CUZK_PAIRING_MILLER_SHARED_H

/*
 * Products of Miller functions that share their points of G2: the lines of a point are computed
 * once and evaluated for each product. All points go through the loop side by side in affine
 * coordinates, with one inversion for all of them per step.
 */
#include "pairing/pairing.h"

/** Most points of one call. */
#define CUZK_MILLER_BATCH   128
/** Most products of one call. */
#define CUZK_MILLER_TARGETS 8

/** Most sequences of one call of cuzk_pairing_miller_lanes. */
#define CUZK_MILLER_LANES   4

/** Working memory with AVX2: 32 + 2 targets elements of 448 bytes for four points, the products, and one that is under way. */
#define CUZK_MILLER_X4_BYTES                                                                      \
    (((32 + 2 * CUZK_MILLER_TARGETS) * (CUZK_MILLER_BATCH / 4) + 12 * CUZK_MILLER_TARGETS + 80) * \
     448)

/** Working memory of one call, about 900 KiB; its content means nothing between calls. */
typedef struct cuzk_miller_scratch {
    _Alignas(64) unsigned char x4[CUZK_MILLER_X4_BYTES];
    cuzk_fp12 part[CUZK_MILLER_TARGETS][CUZK_MILLER_LANES];
    cuzk_g2_affine t[CUZK_MILLER_BATCH];
    cuzk_fp2 den[CUZK_MILLER_BATCH], prefix[CUZK_MILLER_BATCH];
    cuzk_fp2 slope[CUZK_MILLER_BATCH], rest[CUZK_MILLER_BATCH];
    cuzk_fp inv[CUZK_MILLER_BATCH];
    cuzk_fp x[CUZK_MILLER_TARGETS][CUZK_MILLER_BATCH]; /* xP / yP */
    cuzk_fp y[CUZK_MILLER_TARGETS][CUZK_MILLER_BATCH]; /* 1 / yP */
} cuzk_miller_scratch;

/**
 * out[t] = product over i < n of the Miller functions of (p[t][i], q[i]), for t < n_targets; defined
 * up to factors that the final exponentiation removes. Points are in their subgroups; infinity gives
 * the factor 1. n <= CUZK_MILLER_BATCH, n_targets <= CUZK_MILLER_TARGETS.
 */
void cuzk_pairing_miller_shared(cuzk_fp12 *out, const cuzk_g2_affine *q,
                                const cuzk_g1_affine *const *p, size_t n_targets, size_t n,
                                cuzk_miller_scratch *scratch);

/** A sequence of n points of G2 and, for each product over it, n points of G1; all borrowed. */
typedef struct cuzk_miller_lane {
    const cuzk_g2_affine *q;
    const cuzk_g1_affine *p[CUZK_MILLER_TARGETS];
    size_t n;
} cuzk_miller_lane;

/** How many sequences one call takes best: CUZK_MILLER_LANES where the processor has lanes, else 1. */
size_t cuzk_pairing_miller_lanes_best(void);
/**
 * out[t][k] = what cuzk_pairing_miller_shared makes of the points q and p[t] of lane[k], for k < CUZK_MILLER_LANES and
 * t < n_targets. Lanes that have as many points as the others cost the least; a lane of n = 0 gives 1. The sum of the
 * longest lane's points over all lanes, CUZK_MILLER_LANES times n, is at most CUZK_MILLER_BATCH where the processor
 * has lanes; else each n is.
 */
void cuzk_pairing_miller_lanes(cuzk_fp12 (*out)[CUZK_MILLER_LANES],
                               const cuzk_miller_lane lane[CUZK_MILLER_LANES], size_t n_targets,
                               cuzk_miller_scratch *scratch);

#endif /* CUZK_PAIRING_MILLER_SHARED_H */
