/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Hexagonal digits: their sum is the scalar, and every one has a key. */
#include <string.h>

#include "ec/endo.h"
#include "ec/hex.h"
#include "ff/fr.h"

#include "test.h"

static cuzk_fr small(int64_t v)
{
    cuzk_fr t;
    const cuzk_scalar s = {{(uint64_t)(v < 0 ? -v : v)}};
    cuzk_fr_from_scalar(&t, &s);
    if (v < 0) {
        cuzk_fr_neg(&t, &t);
    }
    return t;
}

/* Two limbs, two's complement. */
static cuzk_fr wide(const uint64_t v[2])
{
    cuzk_scalar s = {{v[0], v[1]}};
    cuzk_fr t;
    if (v[1] >> 63 != 0) {
        s.l[0] = 0 - v[0];
        s.l[1] = ~v[1] + (v[0] == 0);
    }
    cuzk_fr_from_scalar(&t, &s);
    if (v[1] >> 63 != 0) {
        cuzk_fr_neg(&t, &t);
    }
    return t;
}

static cuzk_fr lambda(void)
{
    cuzk_fr l;
    cuzk_fr_from_scalar(&l, &CUZK_ENDO_LAMBDA);
    return l;
}

/* p and q of a key, by counting. */
static void pair_of(uint32_t *p, uint32_t *q, uint32_t key, const cuzk_hex_base *base)
{
    for (*p = 1;; ++*p) {
        const uint32_t a = base->span - 2 * *p, b = (base->span - *p) / 2,
                       row = (a < b ? a : b) + 1;
        if (key < row) {
            *q = key;
            return;
        }
        key -= row;
    }
}

/* |v| <= hexagon of size t: all of |2a - b|, |2b - a|, |a + b| <= t. */
static bool in_hexagon(int64_t a, int64_t b, int64_t t)
{
    const int64_t v[3] = {2 * a - b, 2 * b - a, a + b};
    for (int i = 0; i < 3; i++) {
        if (v[i] > t || v[i] < -t) {
            return false;
        }
    }
    return true;
}

static void check_scalar(const cuzk_scalar *s, const cuzk_hex_base *base)
{
    const cuzk_fr w = lambda(), m = small(base->m);
    cuzk_fr want, sum, t;
    cuzk_hex_int z;
    cuzk_hex_rest u;
    cuzk_fr_from_scalar(&want, s);
    cuzk_hex_reduce_hd(&z, s->l);
    t = wide(z.b);
    cuzk_fr_mul(&t, &t, &w);
    sum = wide(z.a);
    cuzk_fr_add(&sum, &sum, &t);
    CHECK(cuzk_fr_eq(&sum, &want));
    /* The hexagon, in units of 2^80. */
    const uint64_t z2[2] = CUZK_EC_Z2_LIMBS;
    const int64_t size = (int64_t)(z2[1] >> 16), low = (int64_t)z.a[1] >> 16;
    CHECK(in_hexagon(low, (int64_t)z.b[1] >> 16, size + (size >> 29) + 4));
    sum = small(0);
    cuzk_hex_start_hd(&u, &z, base);
    for (unsigned i = 0; i < base->digits; i++) {
        int32_t a, b;
        uint32_t unit, p, q;
        cuzk_hex_next_hd(&a, &b, &u, base->m);
        CHECK(in_hexagon(a, b, (int64_t)base->m + 1));
        const uint32_t key = cuzk_hex_key_hd(&unit, a, b, base);
        CHECK((key == 0) == (a == 0 && b == 0));
        CHECK(key <= base->keys);
        cuzk_fr_mul(&sum, &sum, &m);
        if (key == 0) {
            continue;
        }
        pair_of(&p, &q, key - 1, base);
        cuzk_fr d = small((int64_t)p + q); /* p + q (1 + w) */
        t = small(q);
        cuzk_fr_mul(&t, &t, &w);
        cuzk_fr_add(&d, &d, &t);
        CHECK((unit & CUZK_HEX_PHI) < 3);
        for (unsigned k = 0; k < (unit & CUZK_HEX_PHI); k++) {
            cuzk_fr_mul(&d, &d, &w);
        }
        if ((unit & CUZK_HEX_NEGATIVE) != 0) {
            cuzk_fr_neg(&d, &d);
        }
        cuzk_fr_add(&sum, &sum, &d);
    }
    CHECK(cuzk_fr_eq(&sum, &want));
}

static void check_element(const cuzk_fr *a)
{
    for (unsigned d = CUZK_HEX_MIN_DIGITS; d <= CUZK_HEX_MAX_DIGITS; d++) {
        cuzk_hex_base base;
        cuzk_scalar s;
        cuzk_hex_base_of(&base, d);
        cuzk_fr_to_scalar(&s, a);
        check_scalar(&s, &base);
    }
}

static void bases_are_least(void)
{
    static const uint32_t want[][3] = {
        {10, 6855, 7835265}, {11, 3071, 1573376}, {12, 1573, 413175}, {22, 56, 570}};
    for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
        cuzk_hex_base base;
        cuzk_hex_base_of(&base, want[i][0]);
        CHECK_U64(base.m, want[i][1]);
        CHECK_U64(base.keys, want[i][2]);
    }
}

/* m^digits, limbs of 16 bits: m is below 2^16. */
static void power(uint32_t out[12], uint32_t m, unsigned digits)
{
    memset(out, 0, 12 * sizeof(out[0]));
    out[0] = 1;
    for (unsigned i = 0; i < digits; i++) {
        uint32_t carry = 0;
        for (unsigned k = 0; k < 12; k++) {
            carry += out[k] * m;
            out[k] = carry & 0xffff;
            carry >>= 16;
        }
        CHECK(carry == 0);
    }
}

static bool exceeds_z2(uint32_t m, unsigned digits)
{
    const uint64_t z2[2] = CUZK_EC_Z2_LIMBS;
    uint32_t v[12];
    power(v, m, digits);
    for (unsigned k = 12; k-- > 0;) {
        const uint32_t want = k < 8 ? (uint32_t)(z2[k / 4] >> 16 * (k % 4)) & 0xffff : 0;
        if (v[k] != want) {
            return v[k] > want;
        }
    }
    return false;
}

/* Every base is the least one that is large enough, and has as many keys as there are pairs. */
static void tables_are_right(void)
{
    for (unsigned d = CUZK_HEX_MIN_DIGITS; d <= CUZK_HEX_MAX_DIGITS; d++) {
        cuzk_hex_base base;
        uint32_t keys = 0;
        cuzk_hex_base_of(&base, d);
        CHECK(exceeds_z2(base.m, d) && !exceeds_z2(base.m - 1, d));
        CHECK(base.span % 2 == 0 && base.span > base.m && base.span <= base.m + 2);
        for (uint32_t p = 1; 2 * p <= base.span; p++) {
            const uint32_t a = base.span - 2 * p, b = (base.span - p) / 2;
            keys += (a < b ? a : b) + 1;
        }
        CHECK_U64(base.keys, keys);
        CHECK_U64(cuzk_hex_keys_of(d), keys);
    }
}

/* Keys are 0, 1, 2, ... row by row, and every digit of the hexagon has its own with its unit. */
static void keys_are_rows(void)
{
    for (unsigned d = 11; d <= CUZK_HEX_MAX_DIGITS; d++) {
        cuzk_hex_base base;
        uint32_t at = 0;
        cuzk_hex_base_of(&base, d);
        const uint32_t span = base.span;
        for (uint32_t p = 1; p <= span / 2; p++) {
            CHECK_U64(cuzk_hex_row_hd(&base, p), at);
            for (uint32_t q = 0; 2 * p + q <= span && p + 2 * q <= span; q++, at++) {
                uint32_t unit;
                CHECK_U64(cuzk_hex_key_hd(&unit, (int32_t)(p + q), (int32_t)q, &base), at + 1);
                CHECK_U64(unit, 0);
                CHECK(p <= cuzk_hex_rows_hd(&base, q));
            }
        }
        CHECK_U64(at, base.keys);
        CHECK_U64(cuzk_hex_row_hd(&base, span / 2 + 1), at);
        for (uint32_t q = 0; q <= span; q++) {
            const uint32_t rows = cuzk_hex_rows_hd(&base, q);
            CHECK(rows == 0 || (2 * rows + q <= span && rows + 2 * q <= span));
            CHECK(2 * (rows + 1) + q > span || rows + 1 + 2 * q > span);
        }
    }
}

/* The six units of one digit are six digits of one key. */
static void units_share_a_key(void)
{
    cuzk_hex_base base;
    cuzk_hex_base_of(&base, 12);
    for (size_t i = 0; i < test_iters(2000); i++) {
        const int32_t p = 1 + (int32_t)test_below(base.span / 3),
                      q = (int32_t)test_below((uint64_t)p);
        int32_t a = p + q, b = q;
        uint32_t seen = 0, unit, key = 0;
        for (unsigned k = 0; k < 6; k++) {
            const uint32_t got = cuzk_hex_key_hd(&unit, a, b, &base);
            key = k == 0 ? got : key;
            CHECK_U64(got, key);
            seen |= 1u << unit;
            const int32_t t = a; /* times zeta = 1 + w: a + b w + a w - b - b w */
            a = a - b;
            b = t;
        }
        CHECK_U64(seen, 0x77);
    }
}

static void extreme_scalars(void)
{
    const cuzk_fr w = lambda();
    cuzk_fr half = small(2), t;
    cuzk_fr_inv(&half, &half);
    cuzk_fr third = small(3);
    cuzk_fr_inv(&third, &third);
    const cuzk_fr centres[] = {small(0), w, half, third};
    for (size_t i = 0; i < sizeof(centres) / sizeof(centres[0]); i++) {
        for (int64_t d = -3; d <= 3; d++) {
            for (unsigned k = 0; k < 4; k++) {
                t = small(d);
                cuzk_fr_add(&t, &t, &centres[i]);
                if (k % 2 == 1) {
                    cuzk_fr_neg(&t, &t);
                }
                if (k / 2 == 1) {
                    cuzk_fr_mul(&t, &t, &w);
                }
                check_element(&t);
            }
        }
    }
}

/* Around the corners and the middles of the sides of the hexagon of pi, and of those of its digits:
 * (k/6 + l/6 w) z^2 / m^j plus a little. */
static void rounding_boundaries(void)
{
    const cuzk_fr w = lambda();
    for (unsigned d = 11; d <= 13; d++) {
        cuzk_hex_base base;
        cuzk_hex_base_of(&base, d);
        for (int64_t k = -6; k <= 6; k++) {
            for (int64_t l = -6; l <= 6; l++) {
                cuzk_fr a = small(0), m = small(base.m), t;
                for (unsigned j = 0; j < d; j++) { /* digits near the boundary, every one */
                    cuzk_scalar s;
                    const int64_t x = (int64_t)base.m * k / 6, y = (int64_t)base.m * l / 6;
                    t = small(y);
                    cuzk_fr_mul(&t, &t, &w);
                    cuzk_fr_mul(&a, &a, &m);
                    cuzk_fr_add(&a, &a, &t);
                    t = small(x + (int64_t)test_below(3) - 1);
                    cuzk_fr_add(&a, &a, &t);
                    cuzk_fr_to_scalar(&s, &a);
                    check_scalar(&s, &base);
                }
                /* k z^2 / 6 and neighbours: -w is z^2. */
                const cuzk_fr sixth = small(6);
                cuzk_fr_inv(&t, &sixth);
                a = small(k);
                cuzk_fr b = small(l);
                cuzk_fr_mul(&b, &b, &w);
                cuzk_fr_add(&a, &a, &b);
                cuzk_fr_mul(&a, &a, &t);
                check_element(&a);
            }
        }
    }
}

static void random_scalars(void)
{
    for (size_t i = 0; i < test_iters(2000); i++) {
        cuzk_scalar s;
        cuzk_fr t;
        if (i % 2 == 0) {
            test_bytes(&s, sizeof(s));
        } else {
            s = (cuzk_scalar){{test_u64(), test_u64(), test_u64(), test_u64()}};
        }
        cuzk_fr_from_scalar(&t, &s);
        check_element(&t);
    }
}

/* Not reduced ones up to 2^255, as sums of scalars allow them. */
static void unreduced_scalars(void)
{
    for (size_t i = 0; i < test_iters(2000); i++) {
        cuzk_hex_base base;
        cuzk_scalar s;
        cuzk_hex_base_of(&base, 11);
        test_bytes(&s, sizeof(s));
        s.l[3] &= UINT64_MAX >> 1;
        check_scalar(&s, &base);
    }
    const cuzk_scalar top = {{UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX >> 1}};
    cuzk_hex_base base;
    cuzk_hex_base_of(&base, 12);
    check_scalar(&top, &base);
}

static void division_is_exact(void)
{
    const uint64_t d[2] = CUZK_EC_Z2_LIMBS;
    __extension__ typedef unsigned __int128 u128;
    const u128 z2 = (u128)d[1] << 64 | d[0];
    for (size_t i = 0; i < test_iters(20000); i++) {
        /* k1 z^2 + k0 with both near their bounds or anything. */
        u128 q, rest;
        uint64_t s[4], k0[2], k1[2], c;
        test_bytes(&q, sizeof(q));
        test_bytes(&rest, sizeof(rest));
        q %= z2;
        rest %= z2;
        rest = i % 4 == 0 ? (u128)test_below(2) : i % 4 == 1 ? z2 - 1 - test_below(2) : rest;
        const uint64_t ql = (uint64_t)q, qh = (uint64_t)(q >> 64);
        s[0] = cuzk_mac((uint64_t)rest, ql, d[0], 0, &c);
        s[1] = cuzk_mac((uint64_t)(rest >> 64), ql, d[1], c, &s[2]);
        s[1] = cuzk_mac(s[1], qh, d[0], 0, &c);
        s[2] = cuzk_mac(s[2], qh, d[1], c, &s[3]);
        cuzk_hex_divide_hd(k0, k1, s);
        CHECK_U64(k0[0], (uint64_t)rest);
        CHECK_U64(k0[1], (uint64_t)(rest >> 64));
        CHECK_U64(k1[0], ql);
        CHECK_U64(k1[1], qh);
    }
}

static const cuzk_case cases[] = {
    CASE(bases_are_least),     CASE(tables_are_right),  CASE(keys_are_rows),
    CASE(units_share_a_key),   CASE(division_is_exact), CASE(extreme_scalars),
    CASE(rounding_boundaries), CASE(random_scalars),    CASE(unreduced_scalars)};
TEST_MAIN("ec/hex", cases)
