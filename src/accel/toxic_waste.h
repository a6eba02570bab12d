/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_ACCEL_TOXIC_WASTE_H
#define CUZK_ACCEL_TOXIC_WASTE_H

/*
 * What parameters are made from. Here because the CPU's setup (groth16) and the devices' make the
 * same parameters from it; how it is drawn is groth16's (cuzk_toxic_random).
 */
#include "base/status.h"
#include "ec/g1.h"
#include "ec/g2.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Who knows it can forge proofs. Wipe with cuzk_wipe when done. */
typedef struct cuzk_toxic {
    cuzk_fr alpha, beta, gamma, delta, tau; /* all non-zero */
    cuzk_g1_affine g1;                      /* generators, in the subgroup, not infinity */
    cuzk_g2_affine g2;
} cuzk_toxic;

/**
 * E_INVALID, naming what is wrong: a value is zero, a generator is infinity or not in the subgroup,
 * or tau is in the domain of 2^lg points (tau^(2^lg) = 1, lg < 64). Variable time.
 */
CUZK_NODISCARD cuzk_status cuzk_toxic_check(const cuzk_toxic *x, unsigned lg, cuzk_err *err);

#ifdef __cplusplus
}
#endif

#endif /* CUZK_ACCEL_TOXIC_WASTE_H */
