/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_EC_KEY_GUARD_H
#define CUZK_EC_KEY_GUARD_H

/*
 * Groth16 keys that are well-formed and prove nothing: alpha, beta, gamma and delta of a finished
 * ceremony are unrelated secrets. When two of them are equal, or one of alpha, beta and delta is a
 * generator, a proof can be forged without a witness. snarkjs writes such a key before the first
 * contribution (delta = gamma = generator). gamma alone may be the generator: snarkjs and the
 * Filecoin ceremony leave it there.
 */
#include "ec/g1.h"
#include "ec/g2.h"

/** Borrowed points, valid and not infinity. */
typedef struct cuzk_key_points {
    const cuzk_g1_affine *alpha_g1;
    const cuzk_g1_affine *beta_g1,
        *delta_g1; /* not compared with the generator: a JSON key lacks them */
    const cuzk_g2_affine *beta_g2, *gamma_g2, *delta_g2;
} cuzk_key_points;

/**
 * Why the key proves nothing, a static text; NULL when nothing is known against it. Small multiples
 * of a point (up to 16 times, either sign) count as the point.
 */
const char *cuzk_key_defect(const cuzk_key_points *k);

#endif /* CUZK_EC_KEY_GUARD_H */
