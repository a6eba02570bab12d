/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_MSM_MSM_GLV_H
#define CUZK_MSM_MSM_GLV_H

/*
 * Scalar decomposition for the endomorphism (x, y) -> (beta x, y), which multiplies by
 * lambda = z^2 - 1 (Gallant, Lambert, Vanstone, CRYPTO 2001). lambda^2 + lambda + 1 = r exactly, so
 * division by lambda takes the place of a lattice reduction: (1, z^2) is the short relation.
 */
#include <stdint.h>

#include "ff/fr.h"
#include "ff/limbs_hd.h"
#include "msm/gen/msm_const_gen.h"

__extension__ typedef __int128 cuzk_i128;
__extension__ typedef unsigned __int128 cuzk_u128;

/** Every half is within +- 2^127 * 0.68: a bound of 127 bits and a sign. */
#define MSM_GLV_BITS 127u

/** k = k1 + k2 * lambda mod r. Pre: k < r. Post: |k1|, |k2| <= z^2/2 + 1 < 2^126.5. */
static inline void cuzk_msm_decompose(cuzk_i128 *k1, cuzk_i128 *k2, const cuzk_scalar *k)
{
    static const uint64_t lam[2] = CUZK_MSM_LAMBDA_LIMBS, mu[2] = CUZK_MSM_LAMBDA_MU_LIMBS;
    const cuzk_u128 lambda = (cuzk_u128)lam[1] << 64 | lam[0];
    uint64_t t[6] = {0, 0, 0, 0, 0, 0}, m[4] = {0, 0, 0, 0}, d[3], c = 0;
    for (int i = 0; i < 2; i++) {
        c = 0;
        for (int j = 0; j < 4; j++) {
            t[i + j] = cuzk_mac(t[i + j], mu[i], k->l[j], c, &c);
        }
        t[i + 4] = c;
    }
    /* q is k / lambda or one less: k (2^255 / lambda - mu) / 2^255 < 1. */
    const uint64_t q0 = t[3] >> 63 | t[4] << 1, q1 = t[4] >> 63 | t[5] << 1;
    cuzk_u128 q = (cuzk_u128)q1 << 64 | q0;
    m[0] = cuzk_mac(0, q0, lam[0], 0, &c);
    m[1] = cuzk_mac(0, q0, lam[1], c, &m[2]);
    m[1] = cuzk_mac(m[1], q1, lam[0], 0, &c);
    m[2] = cuzk_mac(m[2], q1, lam[1], c, &m[3]);
    uint64_t bw = 0;
    for (int i = 0; i < 3; i++) {
        d[i] = cuzk_sbb(k->l[i], m[i], bw, &bw);
    }
    cuzk_u128 rem = (cuzk_u128)d[1] << 64 | d[0]; /* k - q lambda < 2 lambda < 2^129 */
    if (d[2] != 0 || rem >= lambda) {
        rem -= lambda;
        q += 1;
    }
    cuzk_i128 a = (cuzk_i128)rem;
    if (rem > lambda / 2) {
        a = -(cuzk_i128)(lambda - rem);
        q += 1;
    }
    if (q > (lambda + 1) / 2) { /* minus (1, lambda + 1), which stands for r */
        *k2 = -(cuzk_i128)(lambda + 1 - q);
        a -= 1;
    } else {
        *k2 = (cuzk_i128)q;
    }
    *k1 = a;
}

#endif /* CUZK_MSM_MSM_GLV_H */
