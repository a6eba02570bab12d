/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_TEST_FF_MPZ_UTIL_H
#define CUZK_TEST_FF_MPZ_UTIL_H

/* Bridge between Montgomery limbs and GMP integers that shares no arithmetic with src/ff. */
#include <gmp.h>

#include "ff/fp_wide.h"

#include "ff_rand.h"

typedef struct modulus {
    mpz_t p;
    mpz_t mont_inv; /* 2^(-64 limbs) mod p */
    size_t limbs;
} modulus;

static inline void modulus_init(modulus *m, const char *hex, size_t limbs)
{
    mpz_init_set_str(m->p, hex, 16);
    mpz_init(m->mont_inv);
    mpz_setbit(m->mont_inv, 64 * limbs);
    (void)mpz_invert(m->mont_inv, m->mont_inv, m->p);
    m->limbs = limbs;
}

static inline void modulus_clear(modulus *m)
{
    mpz_clears(m->p, m->mont_inv, NULL);
}

/* The moduli as written in the specification of the curve. */
#define R_HEX "73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001"
#define Q_HEX                                                          \
    "1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f624" \
    "1eabfffeb153ffffb9feffffffffaaab"

static inline void mpz_from_limbs(mpz_t out, const uint64_t *l, size_t n)
{
    mpz_import(out, n, -1, 8, 0, 0, l);
}

/* Value of a Montgomery number; fails the case when it is not reduced. */
static inline void mpz_from_mont(mpz_t out, const uint64_t *l, const modulus *m)
{
    mpz_from_limbs(out, l, m->limbs);
    CHECK(mpz_cmp(out, m->p) < 0);
    mpz_mul(out, out, m->mont_inv);
    mpz_mod(out, out, m->p);
}

/* Montgomery limbs of v mod p. */
static inline void mont_from_mpz(uint64_t *l, const mpz_t v, const modulus *m)
{
    mpz_t t;
    size_t n = 0;
    mpz_init(t);
    mpz_mul_2exp(t, v, 64 * m->limbs);
    mpz_mod(t, t, m->p);
    memset(l, 0, 8 * m->limbs);
    mpz_export(l, &n, -1, 8, 0, 0, t);
    mpz_clear(t);
}

/* got (Montgomery) is v mod p. */
static inline void check_value(const char *file, int line, const char *what, const uint64_t *got,
                               const mpz_t v, const modulus *m)
{
    uint64_t want[6];
    mont_from_mpz(want, v, m);
    cuzk_test_mem(file, line, what, got, want, 8 * m->limbs);
}

#define CHECK_VALUE(got, v, m) check_value(__FILE__, __LINE__, #got, (got).l, (v), (m))

#endif /* CUZK_TEST_FF_MPZ_UTIL_H */
