/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "ec/key_guard.h"

enum { MULTIPLES = 16 };

/* p = k q for some k with 1 <= |k| <= MULTIPLES. */
static bool related_g1(const cuzk_g1_affine *p, const cuzk_g1_affine *q)
{
    cuzk_g1 want, minus, at;
    cuzk_g1_from_affine(&want, p);
    cuzk_g1_neg(&minus, &want);
    cuzk_g1_from_affine(&at, q);
    for (int k = 1; k <= MULTIPLES; k++) {
        if (cuzk_g1_eq(&at, &want) || cuzk_g1_eq(&at, &minus)) {
            return true;
        }
        cuzk_g1_add_affine(&at, &at, q);
    }
    return false;
}

static bool related_g2(const cuzk_g2_affine *p, const cuzk_g2_affine *q)
{
    cuzk_g2 want, minus, at;
    cuzk_g2_from_affine(&want, p);
    cuzk_g2_neg(&minus, &want);
    cuzk_g2_from_affine(&at, q);
    for (int k = 1; k <= MULTIPLES; k++) {
        if (cuzk_g2_eq(&at, &want) || cuzk_g2_eq(&at, &minus)) {
            return true;
        }
        cuzk_g2_add_affine(&at, &at, q);
    }
    return false;
}

/* Either may be the multiple of the other. */
static bool same_g1(const cuzk_g1_affine *p, const cuzk_g1_affine *q)
{
    return related_g1(p, q) || related_g1(q, p);
}

static bool same_g2(const cuzk_g2_affine *p, const cuzk_g2_affine *q)
{
    return related_g2(p, q) || related_g2(q, p);
}

const char *cuzk_key_defect(const cuzk_key_points *k)
{
    if (same_g2(k->delta_g2, k->gamma_g2)) {
        return "delta is gamma: the ceremony was not finished, anybody can forge proofs";
    }
    if (same_g2(k->delta_g2, &CUZK_G2_GENERATOR)) {
        return "delta is a generator: the ceremony was not finished, anybody can forge proofs";
    }
    if (same_g1(k->alpha_g1, &CUZK_G1_GENERATOR)) {
        return "alpha is a generator: the ceremony was not finished, anybody can forge proofs";
    }
    if (same_g2(k->beta_g2, &CUZK_G2_GENERATOR)) {
        return "beta is a generator: the ceremony was not finished, anybody can forge proofs";
    }
    if (same_g2(k->beta_g2, k->gamma_g2)) {
        return "beta is gamma: no ceremony makes such a key";
    }
    if (same_g2(k->beta_g2, k->delta_g2)) {
        return "beta is delta: no ceremony makes such a key";
    }
    if (same_g1(k->alpha_g1, k->beta_g1)) {
        return "alpha is beta: no ceremony makes such a key";
    }
    if (same_g1(k->alpha_g1, k->delta_g1)) {
        return "alpha is delta: no ceremony makes such a key";
    }
    return NULL;
}
