/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_VERIFY_VK_H
#define CUZK_VERIFY_VK_H

#include <cuzk/verify.h>

#include "ec/g1.h"
#include "ec/g2.h"
#include "pairing/pairing.h"

/* A verifying key, checked, with what every verification needs again. Immutable after cuzk_vk_read. */
struct cuzk_vk {
    cuzk_g1_affine alpha_g1, beta_g1, delta_g1;
    cuzk_g2_affine beta_g2, gamma_g2, delta_g2;
    cuzk_g1_affine *ic; /* [n_ic], owned; ic[0] belongs to the constant 1 */
    size_t n_ic;        /* > 0 */
    cuzk_g2_prepared minus_gamma, minus_delta;
    cuzk_fp12 alpha_beta; /* e(alpha_g1, beta_g2) */
};

#endif /* CUZK_VERIFY_VK_H */
