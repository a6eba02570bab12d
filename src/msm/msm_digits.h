/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_MSM_MSM_DIGITS_H
#define CUZK_MSM_MSM_DIGITS_H

/*
 * Windows, buckets and digits of a sum (docs/msm.md). Two kinds of digits:
 *   signed    for values below 2^64: digit d in [-2^(c-1), 2^(c-1)], bucket |d|
 *   hexagonal for full scalars: ec/hex_hd.h; digit unit * (p + q zeta), bucket (p, q)
 * Either way a digit is a bucket of its window and a unit, together its code.
 */
#include "ec/hex.h"
#include "ff/fr.h"
#include "msm/msm_engine.h"

__extension__ typedef __int128 cuzk_i128;
__extension__ typedef unsigned __int128 cuzk_u128;

/* bucket << MSM_ENTRY_SHIFT | unit bits of an entry. */
#define MSM_CODE_NONE      UINT32_MAX
#define MSM_MAX_WINDOWS    64u
#define MSM_SIGNED_BITS    64u
#define MSM_C_MIN          3u
#define MSM_C_MAX          20u
/* 12 digits, m = 1573, serve best up to the most scalars at once. Rows: span / 2; of blocks: 16 each. */
#define MSM_HEX_MIN_DIGITS 12u
#define MSM_MAX_ROWS       787u
#define MSM_MAX_BLOCK_ROWS ((MSM_MAX_ROWS + 15) / 16)
/* Limbs of the fractions from which hexagonal digits come. */
#define MSM_HEX_FRACTION   3

/*
 * Buckets lie in blocks of 2^block_bits, which are 2^(block_bits - q_bits) values of p by 2^q_bits of
 * q; signed digits have p alone. Bucket 0 has p = 1. A window has `slots` buckets, some of which (at
 * the edge of a hexagon) are never used, in `blocks` blocks, by rows of blocks and then by q.
 * 2^low consecutive buckets of a group of windows form a partition, which is what one task sorts and
 * sums; `group` windows are in memory at a time.
 */
typedef struct cuzk_msm_plan {
    bool hex;
    unsigned windows, low, group, block_bits, q_bits;
    uint32_t blocks, slots;
    size_t group_parts;                 /* partitions per group */
    size_t parts;                       /* over all groups */
    size_t first_part[MSM_MAX_WINDOWS]; /* of the window's group */
    size_t first_slot[MSM_MAX_WINDOWS]; /* in its group */
    /* Signed. */
    unsigned bits, c;
    cuzk_u128 bias; /* added to a value, makes its digits plain bit fields minus 2^(c-1) */
    /* Hexagonal. */
    cuzk_hex_base base;
    unsigned rows;                        /* of blocks */
    uint32_t row[MSM_MAX_BLOCK_ROWS + 1]; /* first block of each */
    uint32_t row_code[MSM_MAX_ROWS + 1];  /* code of (p, 0); p = 0: MSM_CODE_NONE */
    uint32_t q_code[MSM_MAX_ROWS + 1];    /* what q adds to that */
    uint64_t recip[MSM_HEX_FRACTION];     /* floor(2^287 / m^windows) 2^32 */
    uint8_t from[MSM_MAX_WINDOWS];        /* lowest limb, of six of 32 bits, that digit w needs */
} cuzk_msm_plan;

/** For n > 0 values of at most `bits` bits, 1 <= bits <= MSM_SIGNED_BITS. */
void cuzk_msm_plan_signed(cuzk_msm_plan *p, const cuzk_msm_engine *eng, size_t n, unsigned bits);
/** For n > 0 full scalars. */
void cuzk_msm_plan_hex(cuzk_msm_plan *p, const cuzk_msm_engine *eng, size_t n);
/** With the window, or the number of digits and the logarithm of the side of blocks (2 to 5), given;
 * for tests and measurements. */
void cuzk_msm_plan_signed_c(cuzk_msm_plan *p, size_t n, unsigned bits, unsigned c);
void cuzk_msm_plan_hex_digits(cuzk_msm_plan *p, size_t n, unsigned digits, unsigned side);

/** First block of row r of blocks, r <= rows. */
static inline uint32_t cuzk_msm_plan_row(const cuzk_msm_plan *p, unsigned r)
{
    return p->hex ? p->row[r] : r;
}

/** Code of digit w of `value`, a value of at most `bits` bits plus p->bias. */
static inline uint32_t cuzk_msm_signed_code(const cuzk_msm_plan *p, cuzk_u128 biased, unsigned w)
{
    const uint32_t half = 1u << (p->c - 1);
    uint32_t v = (uint32_t)(biased >> (p->c * w));
    if (w + 1 == p->windows) { /* not biased */
        v += half;
    } else {
        v &= 2 * half - 1;
    }
    const uint32_t neg = v < half, mag = neg != 0 ? half - v : v - half;
    return mag == 0 ? MSM_CODE_NONE : (mag - 1) << MSM_ENTRY_SHIFT | neg;
}

/** Code of the hexagonal digit a + b w. The signs of what is random must not be branches: masks. */
static inline uint32_t cuzk_msm_hex_code(const cuzk_msm_plan *p, int32_t a, int32_t b)
{
    /* (a - b) + b zeta, turned into the upper half plane: b > 0, or b = 0 and a >= b. */
    const int32_t lower = (b * (1 << 16) + (a - b)) >> 31;
    const int32_t x = ((a - b) ^ lower) - lower, q = (b ^ lower) - lower, both = x + q;
    /* Its thirds are 1, zeta, zeta^2 = w times what has p > 0, q >= 0. */
    const int32_t not_first = (x - 1) >> 31, third = not_first & ((both - 1) >> 31);
    const int32_t second = not_first ^ third;
    const int32_t row = (x & ~not_first) | (both & second) | (q & third);
    const int32_t at = (q & ~not_first) | (-x & second) | (-both & third);
    /* The power of phi, twice, and the sign: zeta = -w^2. */
    const int32_t unit = (second & 5) ^ (third & 2) ^ (lower & 1);
    return (p->row_code[row] + p->q_code[at]) | (uint32_t)unit;
}

/* What is left of a + b w after some digits from the top, over m^(digits left): integer parts, which
 * are -1 or 0, and fractions, of which the highest limbs are valid. */
typedef struct msm_hex_rest {
    uint64_t a[MSM_HEX_FRACTION], b[MSM_HEX_FRACTION];
    int32_t a_int, b_int;
} msm_hex_rest;

/* As cuzk_hex_scale_hd in limbs of 64 bits. */
static inline int32_t msm_hex_scale(uint64_t out[MSM_HEX_FRACTION], const uint64_t v[2],
                                    const uint64_t recip[MSM_HEX_FRACTION])
{
    const uint64_t neg = 0 - (v[1] >> 63);
    const uint64_t lo = (v[0] ^ neg) - neg, hi = (v[1] ^ neg) + (neg & (uint64_t)(lo == 0));
    const uint64_t x0 = lo << 1, x1 = hi << 1 | lo >> 63;
    uint64_t t[MSM_HEX_FRACTION + 2], c;
    t[0] = cuzk_mac(0, x0, recip[0], 0, &c);
    t[1] = cuzk_mac(0, x0, recip[1], c, &c);
    t[2] = cuzk_mac(0, x0, recip[2], c, &t[3]);
    t[1] = cuzk_mac(t[1], x1, recip[0], 0, &c);
    t[2] = cuzk_mac(t[2], x1, recip[1], c, &c);
    t[3] = cuzk_mac(t[3], x1, recip[2], c, &t[4]);
    c = neg & 1;
    for (int i = 0; i < MSM_HEX_FRACTION; i++) {
        out[i] = cuzk_adc(t[i + 2] ^ neg, 0, c, &c);
    }
    return (int32_t)(uint32_t)(neg + c); /* -1, but for a v that came out as 0 */
}

/* *x *= m, the highest `limbs` limbs of it; returns the integer part. */
static inline int32_t msm_hex_times(uint64_t x[MSM_HEX_FRACTION], int32_t x_int, uint32_t m,
                                    int limbs)
{
    uint64_t c = 0;
    for (int i = MSM_HEX_FRACTION - limbs; i < MSM_HEX_FRACTION; i++) {
        x[i] = cuzk_mac(c, x[i], m, 0, &c);
    }
    return x_int * (int32_t)m + (int32_t)c;
}

/* As cuzk_hex_next_hd: the code of the next digit from the top. */
static inline uint32_t msm_hex_next(const cuzk_msm_plan *p, msm_hex_rest *u, int limbs)
{
    const int32_t ai = msm_hex_times(u->a, u->a_int, p->base.m, limbs);
    const int32_t bi = msm_hex_times(u->b, u->b_int, p->base.m, limbs);
    /* Triangles 0, 1, 1 + w and 0, w, 1 + w, and the nearest corner of either; units of 2^-61. */
    const int64_t one = (int64_t)1 << 61;
    const int64_t f = (int64_t)(u->a[MSM_HEX_FRACTION - 1] >> 3);
    const int64_t g = (int64_t)(u->b[MSM_HEX_FRACTION - 1] >> 3);
    const int64_t wide = (g - f) >> 63, dif = ((f - g) ^ ~wide) - ~wide; /* |f - g| */
    const int64_t least = f + ((g - f) & wide), most = least + dif;
    const int64_t near = (least - dif) >> 63; /* not to 1 + w */
    const int64_t both = ~near & ((one - f - g) >> 63), single = near & ((one - most - dif) >> 63);
    u->a_int = (int32_t)(both | (single & wide));
    u->b_int = (int32_t)(both | (single & ~wide));
    return cuzk_msm_hex_code(p, ai - u->a_int, bi - u->b_int);
}

/** code[w * stride] = digit w of z, which comes from cuzk_hex_reduce_hd. */
static inline void cuzk_msm_hex_codes(const cuzk_msm_plan *p, const cuzk_hex_int *z, uint32_t *code,
                                      size_t stride)
{
    msm_hex_rest u;
    u.a_int = msm_hex_scale(u.a, z->a, p->recip);
    u.b_int = msm_hex_scale(u.b, z->b, p->recip);
    for (unsigned w = p->windows; w-- > 0;) {
        code[w * stride] = p->from[w] < 2   ? msm_hex_next(p, &u, 3)
                           : p->from[w] < 4 ? msm_hex_next(p, &u, 2)
                                            : msm_hex_next(p, &u, 1);
    }
}

#ifdef CUZK_MSM_AVX2
/** code[w * stride + i] = digit w of z[i], which come from cuzk_hex_reduce_hd. */
void cuzk_msm_hex_codes8_avx2(const cuzk_msm_plan *p, const cuzk_hex_int z[8], uint32_t *code,
                              size_t stride);
#endif

#endif /* CUZK_MSM_MSM_DIGITS_H */
