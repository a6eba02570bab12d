/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_EC_HEX_HD_H
#define CUZK_EC_HEX_HD_H

/*
 * Scalars of G1 as numbers a + b w, w^2 + w + 1 = 0, in a base m with hexagonal digits (docs/msm.md
 * has the mathematics). w acts as phi of endo.h, which is [-z^2], so that pi = z^2 + w is zero; its
 * norm is r. Shared by host and device.
 *
 * A hexagon of size t, t > 0: the points of the plane at least as near to 0 as to the six t u, where
 * u = +-1, +-w, +-w^2. Every point is in the hexagon of size 1 around some a + b w, its nearest. Where
 * two are near alike either does; so the comparisons below may be of leading bits alone, which adds
 * less than 2^-29 to a size of 1.
 */
#include "ec/gen/ec_const_gen.h"
#include "ff/gen/fr_const_gen.h"
#include "ff/limbs_hd.h"

#define CUZK_HEX_FRACTION 5 /* limbs of 32 bits, little-endian */

/**
 * A base. Digits are in the hexagon of size m + 1. A digit is unit * (p + q zeta), zeta = 1 + w =
 * -w^2, with p >= 1, q >= 0, 2p + q <= span and p + 2q <= span; these pairs are the keys, by p and
 * then by q.
 */
typedef struct cuzk_hex_base {
    uint32_t m, digits;
    uint32_t span;                     /* the even one of m + 1 and m + 2 */
    uint32_t keys;                     /* pairs (p, q) */
    uint32_t recip[CUZK_HEX_FRACTION]; /* floor(2^287 / m^digits) */
} cuzk_hex_base;

/** a + b w, two's complement. */
typedef struct cuzk_hex_int {
    uint64_t a[2], b[2];
} cuzk_hex_int;

/** What is left of a number after some digits from the top, over m^(digits left): integer parts -1
 * or 0, and fractions. */
typedef struct cuzk_hex_rest {
    uint32_t a[CUZK_HEX_FRACTION], b[CUZK_HEX_FRACTION];
    int32_t a_int, b_int;
} cuzk_hex_rest;

/** Units of digits: the power of phi in two bits, then the sign. */
#define CUZK_HEX_PHI      3u
#define CUZK_HEX_NEGATIVE 4u

/**
 * s = k0 + k1 z^2 with k0 < z^2, k1 < 2^128. Pre: s < 2^255. The estimate of k1 is right or one less:
 * what the reciprocal misses is less than s / 2^255, and what s's lowest limb would add 2^-63.
 */
CUZK_HD_INLINE void cuzk_hex_divide_hd(uint64_t k0[2], uint64_t k1[2], const uint64_t s[4])
{
    const uint64_t mu[2] = CUZK_EC_Z2_RECIPROCAL_LIMBS, d[2] = CUZK_EC_Z2_LIMBS;
    uint64_t t[5], c, m[3], x, y[3], bw;
    t[0] = cuzk_mac(0, mu[0], s[1], 0, &c);
    t[1] = cuzk_mac(0, mu[0], s[2], c, &c);
    t[2] = cuzk_mac(0, mu[0], s[3], c, &t[3]);
    t[1] = cuzk_mac(t[1], mu[1], s[1], 0, &c);
    t[2] = cuzk_mac(t[2], mu[1], s[2], c, &c);
    t[3] = cuzk_mac(t[3], mu[1], s[3], c, &t[4]);
    /* Of s mu the limbs from 2^64 on; k1 is that by 2^255. */
    k1[0] = t[2] >> 63 | t[3] << 1;
    k1[1] = t[3] >> 63 | t[4] << 1;
    m[0] = cuzk_mac(0, k1[0], d[0], 0, &c);
    m[1] = cuzk_mac(0, k1[0], d[1], c, &m[2]);
    m[1] = cuzk_mac(m[1], k1[1], d[0], 0, &c);
    m[2] += k1[1] * d[1] + c;
    y[0] = cuzk_sbb(s[0], m[0], 0, &bw);
    y[1] = cuzk_sbb(s[1], m[1], bw, &bw);
    y[2] = s[2] - m[2] - bw; /* s - k1 z^2 < 2 z^2 < 2^129 */
    k0[0] = cuzk_sbb(y[0], d[0], 0, &bw);
    k0[1] = cuzk_sbb(y[1], d[1], bw, &bw);
    x = y[2] - bw; /* all ones: it was less than z^2 already */
    k0[0] += x & d[0];
    c = k0[0] < (x & d[0]);
    k0[1] += (x & d[1]) + c;
    k1[0] += 1 + x;
    k1[1] += k1[0] < 1 + x;
}

/**
 * z = s modulo pi, in the hexagon of size z^2 (1 + 2^-29). Pre: s < 2^255; it is taken modulo r.
 *
 * s = k0 - k1 w is in the parallelogram of 0, z^2, -z^2 w and their sum, all of them multiples of pi
 * to one in 2^126: two triangles with equal sides, and nearest is the corner with the largest
 * barycentric coordinate.
 */
CUZK_HD_INLINE void cuzk_hex_reduce_hd(cuzk_hex_int *z, const uint64_t scalar[4])
{
    const uint64_t d[2] = CUZK_EC_Z2_LIMBS, r[4] = CUZK_FR_MOD_LIMBS;
    uint64_t s[4], k0[2], k1[2], bw = 0, c = 0;
    for (int i = 0; i < 4; i++) {
        s[i] = cuzk_sbb(scalar[i], r[i], bw, &bw);
    }
    for (int i = 0; i < 4; i++) {
        s[i] = bw != 0 ? scalar[i] : s[i];
    }
    cuzk_hex_divide_hd(k0, k1, s);
    const uint64_t one = d[1] >> 1, f = k0[1] >> 1, g = k1[1] >> 1;
    const int far = f + g >= one;
    /* Coordinates of the corners 0 (far: 1 - w), 1, -w. */
    const uint64_t w0 = far ? f + g - one : one - f - g;
    const uint64_t w1 = far ? one - g : f, w2 = far ? one - f : g;
    const int is1 = w1 >= w2 && w1 > w0, is2 = w2 > w1 && w2 > w0;
    const int sum = far && !is1 && !is2;
    /* pi = z^2 + w; -w pi = 1 + (1 - z^2) w. */
    const uint64_t ones = 0 - (uint64_t)(is1 || sum), minus_w = 0 - (uint64_t)(is2 || sum);
    uint64_t t;
    t = (d[0] & ones);
    z->a[0] = cuzk_sbb(k0[0], t, 0, &bw);
    z->a[1] = k0[1] - (d[1] & ones) - bw;
    bw = z->a[0] < (minus_w & 1);
    z->a[0] -= minus_w & 1;
    z->a[1] -= bw;
    /* b = -k1 - [1] + [-w] (z^2 - 1) */
    t = k1[0] + (ones & 1);
    c = t < k1[0];
    t += minus_w & 1;
    c += t < (minus_w & 1);
    z->b[0] = cuzk_sbb(d[0] & minus_w, t, 0, &bw);
    z->b[1] = (d[1] & minus_w) - k1[1] - c - bw;
}

/** out = v / m^digits as integer part and fraction, to 2 units of the last bit. Pre: |v| < m^digits and
 * < 2^127. */
CUZK_HD_INLINE int32_t cuzk_hex_scale_hd(uint32_t out[CUZK_HEX_FRACTION], const uint64_t v[2],
                                         const uint32_t recip[CUZK_HEX_FRACTION])
{
    const uint64_t neg = 0 - (v[1] >> 63);
    const uint64_t lo = (v[0] ^ neg) - neg, hi = (v[1] ^ neg) + (uint64_t)(neg != 0 && lo == 0);
    const uint64_t twice[2] = {lo << 1, hi << 1 | lo >> 63};
    uint32_t t[4 + CUZK_HEX_FRACTION] = {0};
#ifdef __CUDA_ARCH__
#    pragma unroll
#endif
    for (int i = 0; i < 4; i++) {
        const uint32_t x = (uint32_t)(twice[i / 2] >> 32 * (i % 2));
        uint64_t c = 0;
#ifdef __CUDA_ARCH__
#    pragma unroll
#endif
        for (int j = 0; j < CUZK_HEX_FRACTION; j++) {
            c += (uint64_t)x * recip[j] + t[i + j];
            t[i + j] = (uint32_t)c;
            c >>= 32;
        }
        t[i + CUZK_HEX_FRACTION] = (uint32_t)c;
    }
    uint64_t c = neg & 1;
#ifdef __CUDA_ARCH__
#    pragma unroll
#endif
    for (int i = 0; i < CUZK_HEX_FRACTION; i++) {
        c += t[4 + i] ^ (uint32_t)neg;
        out[i] = (uint32_t)c;
        c >>= 32;
    }
    return (int32_t)(uint32_t)(neg + c); /* -1 for a negative v, but for one that came out as 0 */
}

CUZK_HD_INLINE void cuzk_hex_start_hd(cuzk_hex_rest *u, const cuzk_hex_int *z,
                                      const cuzk_hex_base *base)
{
    u->a_int = cuzk_hex_scale_hd(u->a, z->a, base->recip);
    u->b_int = cuzk_hex_scale_hd(u->b, z->b, base->recip);
}

/* *x *= m; the integer part is returned. */
CUZK_HD_INLINE int32_t cuzk_hex_times_hd(uint32_t x[CUZK_HEX_FRACTION], int32_t x_int, uint32_t m)
{
    uint64_t c = 0;
#ifdef __CUDA_ARCH__
#    pragma unroll
#endif
    for (int i = 0; i < CUZK_HEX_FRACTION; i++) {
        c += (uint64_t)x[i] * m;
        x[i] = (uint32_t)c;
        c >>= 32;
    }
    return x_int * (int32_t)m + (int32_t)c;
}

/**
 * The next digit from the top, a + b w: the integer nearest to m u, and u is what is left of it.
 * After `digits` calls nothing is left: errors have grown to 2 m^digits 2^-160 < 2^-26, so the last
 * digit's fraction, which is 0, is nearest to 0.
 */
CUZK_HD_INLINE void cuzk_hex_next_hd(int32_t *a, int32_t *b, cuzk_hex_rest *u, uint32_t m)
{
    const int32_t ai = cuzk_hex_times_hd(u->a, u->a_int, m);
    const int32_t bi = cuzk_hex_times_hd(u->b, u->b_int, m);
    /* Triangles 0, 1, 1 + w and 0, w, 1 + w; barycentric coordinates, in units of 2^-32. */
    const uint32_t f = u->a[CUZK_HEX_FRACTION - 1], g = u->b[CUZK_HEX_FRACTION - 1];
    const int wide = f > g;
    const uint32_t most = wide ? f : g, least = wide ? g : f;
    const uint32_t w0 = ~most, w1 = most - least, w2 = least;
    const int both = w2 >= w1 && w2 > w0, one = w1 > w2 && w1 > w0;
    u->a_int = -(int32_t)(both || (one && wide));
    u->b_int = -(int32_t)(both || (one && !wide));
    *a = ai - u->a_int;
    *b = bi - u->b_int;
}

/** Keys of rows 1 to p - 1, p at most span / 2 + 1. Row p has min(span - 2p, (span - p) / 2) + 1. */
CUZK_HD_INLINE uint32_t cuzk_hex_row_hd(const cuzk_hex_base *base, uint32_t p)
{
    const uint32_t half = base->span / 2, rest = half + 1 - p;
    /* From span / 3 on the rows shrink by two: what follows row p - 1 is a square. */
    return 3 * p > base->span ? base->keys - rest * rest : (p - 1) * (half + 1) - p * p / 4;
}

/** Most p with a key (p, q); 0: none. */
CUZK_HD_INLINE uint32_t cuzk_hex_rows_hd(const cuzk_hex_base *base, uint32_t q)
{
    const uint32_t s = base->span;
    return 2 * q >= s ? 0 : s - 2 * q < (s - q) / 2 ? s - 2 * q : (s - q) / 2;
}

/** Key of a digit plus 1, and its unit; 0 for the digit 0. */
CUZK_HD_INLINE uint32_t cuzk_hex_key_hd(uint32_t *unit, int32_t a, int32_t b,
                                        const cuzk_hex_base *base)
{
    int32_t p = a - b, q = b; /* p + q zeta; to the upper half plane */
    const int lower = q < 0 || (q == 0 && p < 0);
    p = lower ? -p : p;
    q = lower ? -q : q;
    /* Its thirds: 1, zeta and zeta^2 = w times p > 0, q >= 0. */
    const int32_t both = p + q;
    const int first = p > 0, second = !first && both > 0;
    const int32_t row = first ? p : second ? both : q;
    const int32_t at = first ? q : second ? -p : -both;
    *unit = (first ? 0 : second ? 2u : 1u) | (lower != second ? CUZK_HEX_NEGATIVE : 0);
    return row == 0 ? 0 : cuzk_hex_row_hd(base, (uint32_t)row) + (uint32_t)at + 1;
}

#endif /* CUZK_EC_HEX_HD_H */
