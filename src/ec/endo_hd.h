/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_EC_ENDO_HD_H
#define CUZK_EC_ENDO_HD_H

/*
 * Scalars in base |z|, z the curve parameter: r = z^4 - z^2 + 1, so a scalar below r has exactly
 * four digits of 64 bits, and division by the constant is all that the decomposition needs (no
 * lattice, no rounding, no signs). Shared by host and device; constant time.
 */
#include <stdint.h>

#include "ec/gen/ec_const_gen.h"
#include "ff/limbs_hd.h"

/**
 * out = in / |z| and the remainder is returned; [4] limbs little-endian, aliasing allowed.
 * Two-by-one division with the reciprocal of a normalised divisor (Moeller, Granlund, "Improved
 * division by invariant integers", IEEE Trans. Comp. 2011, algorithm 4). With b = 2^64, their last
 * correction needs (d-1) k + (b-1)(b-d) + (b-1) d >= 2 d b, k = b^2 - (b+v) d; here k is 0.17 b and
 * the left side stays below 1.4 d b, so that it never happens and is left out.
 */
CUZK_HD_INLINE uint64_t cuzk_endo_div_z_hd(uint64_t out[4], const uint64_t in[4])
{
    const uint64_t d = CUZK_EC_Z_ABS, v = CUZK_EC_Z_RECIPROCAL;
    uint64_t rem = 0;
    for (int i = 3; i >= 0; i--) {
        uint64_t q1, c;
        const uint64_t q0 = cuzk_mac(in[i], v, rem, 0, &q1);
        q1 = cuzk_adc(q1, rem, 0, &c) + 1; /* the true quotient fits 64 bits, so the sum wraps */
        uint64_t r = in[i] - q1 * d;
        const uint64_t down = 0 - (uint64_t)(r > q0);
        q1 += down;
        r += down & d;
        out[i] = q1;
        rem = r;
    }
    return rem;
}

/** s = d[0] + d[1]|z| + d[2]|z|^2 + d[3]|z|^3 with digits < |z| < 2^64. Pre: s < |z|^4 (so any s < r). */
CUZK_HD_INLINE void cuzk_endo_digits_hd(uint64_t d[4], const uint64_t s[4])
{
    uint64_t t[4] = {s[0], s[1], s[2], s[3]};
    for (int i = 0; i < 4; i++) {
        d[i] = cuzk_endo_div_z_hd(t, t);
    }
}

/**
 * s = k0 + k1 z^2 with k0, k1 < z^2 < 2^128 ([2] limbs). Pre: s < r.
 * In G1: s P = k0 P - k1 phi(P).
 */
CUZK_HD_INLINE void cuzk_endo_split_g1_hd(uint64_t k0[2], uint64_t k1[2], const uint64_t s[4])
{
    const uint64_t z = CUZK_EC_Z_ABS;
    uint64_t d[4];
    cuzk_endo_digits_hd(d, s);
    k0[0] = cuzk_mac(d[0], d[1], z, 0, &k0[1]);
    k1[0] = cuzk_mac(d[2], d[3], z, 0, &k1[1]);
}

#endif /* CUZK_EC_ENDO_HD_H */
