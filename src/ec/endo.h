/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_EC_ENDO_H
#define CUZK_EC_ENDO_H

/*
 * The endomorphisms and their eigenvalues on the order-r subgroups.
 *
 * G1: phi(x, y) = (beta x, y) = [lambda](x, y), lambda = -z^2 mod r.
 * G2: psi(x, y) = (PSI_X conj(x), PSI_Y conj(y)) = [z](x, y), z negative.
 *
 * With the digits of endo_hd.h:
 *   s P = k0 P - k1 phi(P)                                        (two scalars below 2^128)
 *   s Q = d0 Q - d1 psi(Q) + d2 psi^2(Q) - d3 psi^3(Q)            (four scalars below 2^64)
 * Both hold only inside the subgroups. Aliasing allowed; infinity maps to infinity.
 */
#include "ec/endo_hd.h"
#include "ec/g1.h"
#include "ec/g2.h"

static const cuzk_fp CUZK_ENDO_BETA = {CUZK_EC_BETA_LIMBS};
/** -z^2 mod r. */
static const cuzk_scalar CUZK_ENDO_LAMBDA = {CUZK_EC_LAMBDA_LIMBS};
/** z mod r. */
static const cuzk_scalar CUZK_ENDO_PSI_LAMBDA = {CUZK_EC_PSI_LAMBDA_LIMBS};

/** out = phi(p) = -z^2 p. One multiplication. */
static inline void cuzk_g1_affine_endo(cuzk_g1_affine *out, const cuzk_g1_affine *p)
{
    cuzk_fp_mul(&out->x, &p->x, &CUZK_ENDO_BETA);
    out->y = p->y;
}

/** out = psi(p) = z p. Two multiplications in Fp2. */
void cuzk_g2_affine_endo(cuzk_g2_affine *out, const cuzk_g2_affine *p);

#endif /* CUZK_EC_ENDO_H */
