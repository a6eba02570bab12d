/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "accel/toxic_waste.h"

cuzk_status cuzk_toxic_check(const cuzk_toxic *x, unsigned lg, cuzk_err *err)
{
    const cuzk_fr *v[5] = {&x->alpha, &x->beta, &x->gamma, &x->delta, &x->tau};
    static const char *const name[5] = {"alpha", "beta", "gamma", "delta", "tau"};
    for (size_t i = 0; i < 5; i++) {
        if (cuzk_fr_is_zero(v[i])) {
            return CUZK_FAIL(err, CUZK_E_INVALID, "toxic waste: %s is zero", name[i]);
        }
    }
    if (cuzk_g1_affine_is_infinity(&x->g1) || !cuzk_g1_affine_is_on_curve(&x->g1) ||
        !cuzk_g1_affine_is_in_subgroup(&x->g1)) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "g1 does not generate G1");
    }
    if (cuzk_g2_affine_is_infinity(&x->g2) || !cuzk_g2_affine_is_on_curve(&x->g2) ||
        !cuzk_g2_affine_is_in_subgroup(&x->g2)) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "g2 does not generate G2");
    }
    cuzk_fr t;
    cuzk_fr_pow_u64(&t, &x->tau, (uint64_t)1 << lg);
    if (cuzk_fr_is_one(&t)) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "tau is in the domain of 2^%u points", lg);
    }
    return CUZK_OK;
}
