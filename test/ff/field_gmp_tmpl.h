/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Cases of a prime field against GMP, and what they share; included by test_fr_gmp.c and test_fp_gmp.c with
 *   F, FF(verb)   the type and its functions
 *   F_ZERO        the constant
 *   LIMBS         of an element
 *   MOD_HEX, MOD  the modulus: text, array of limbs
 *   POWERS        2^k for k < POWERS are below the modulus
 *   GEN           random element
 *   CHECK_MORE(a) further checks of an element whose value is in a_; t_ is free
 */
#include "mpz_util.h"

static modulus m;
static mpz_t a_, b_, t_, u_;

static void begin(void)
{
    modulus_init(&m, MOD_HEX, LIMBS);
    mpz_inits(a_, b_, t_, u_, NULL);
}

static void end(void)
{
    mpz_clears(a_, b_, t_, u_, NULL);
    modulus_clear(&m);
}

static F montgomery_number(uint64_t low)
{
    F x = F_ZERO;
    x.l[0] = low;
    return x;
}

static void check_ring(const F *a, const F *b)
{
    F x;
    mpz_from_mont(a_, a->l, &m);
    mpz_from_mont(b_, b->l, &m);
    FF(add)(&x, a, b);
    mpz_add(t_, a_, b_);
    CHECK_VALUE(x, t_, &m);
    FF(sub)(&x, a, b);
    mpz_sub(t_, a_, b_);
    CHECK_VALUE(x, t_, &m);
    FF(mul)(&x, a, b);
    mpz_mul(t_, a_, b_);
    CHECK_VALUE(x, t_, &m);
    FF(sqr)(&x, a);
    mpz_mul(t_, a_, a_);
    CHECK_VALUE(x, t_, &m);
    FF(dbl)(&x, a);
    mpz_mul_ui(t_, a_, 2);
    CHECK_VALUE(x, t_, &m);
    FF(neg)(&x, a);
    mpz_neg(t_, a_);
    CHECK_VALUE(x, t_, &m);
    CHECK(FF(eq)(a, b) == (mpz_cmp(a_, b_) == 0));
    CHECK(FF(is_zero)(a) == (mpz_sgn(a_) == 0));
    CHECK_MORE(a);
}

static void ring(void)
{
    begin();
    for (size_t i = 0; i < test_iters(20000); i++) {
        F a, b;
        GEN(&a);
        GEN(&b);
        check_ring(&a, &b);
    }
    end();
}

/* All pairs of values in [-24, 24], and of Montgomery numbers 0..48. */
static void ring_small(void)
{
    begin();
    for (long i = -24; i <= 24; i++) {
        for (long j = -24; j <= 24; j++) {
            F a, b;
            mpz_set_si(t_, i);
            mont_from_mpz(a.l, t_, &m);
            mpz_set_si(t_, j);
            mont_from_mpz(b.l, t_, &m);
            check_ring(&a, &b);
            a = montgomery_number((uint64_t)(i + 24));
            b = montgomery_number((uint64_t)(j + 24));
            check_ring(&a, &b);
        }
    }
    end();
}

static void check_inverse(const F *a)
{
    F x = *a;
    mpz_from_mont(a_, a->l, &m);
    if (mpz_invert(t_, a_, m.p) == 0) {
        mpz_set_ui(t_, 0);
    }
    FF(inv)(&x, &x);
    CHECK_VALUE(x, t_, &m);
    FF(inv_ct)(&x, a);
    CHECK_VALUE(x, t_, &m);
}

static void inverse(void)
{
    begin();
    F a;
    for (size_t i = 0; i < test_iters(5000); i++) {
        GEN(&a);
        check_inverse(&a);
    }
    for (unsigned k = 0; k < 64 * LIMBS; k++) { /* +-2^k as values and as Montgomery numbers */
        mpz_set_ui(t_, 0);
        mpz_setbit(t_, k);
        mont_from_mpz(a.l, t_, &m);
        check_inverse(&a);
        FF(neg)(&a, &a);
        check_inverse(&a);
        a = F_ZERO;
        if (k < POWERS) {
            a.l[k / 64] = UINT64_C(1) << k % 64;
            check_inverse(&a);
        }
    }
    for (uint64_t i = 0; i < 500; i++) {
        a = montgomery_number(i);
        check_inverse(&a);
    }
    end();
}

static void batch_inverse(void)
{
    enum { MAX = 33 };
    F a[MAX], b[MAX], scratch[MAX];
    for (size_t n = 0; n <= MAX; n++) {
        for (size_t i = 0; i < n; i++) {
            GEN(&a[i]);
            if (test_below(4) == 0 || n % 8 == 7) { /* sizes 7, 15, ...: all zero */
                a[i] = F_ZERO;
            }
            FF(inv)(&b[i], &a[i]);
        }
        FF(batch_inv)(a, scratch, n);
        CHECK_MEM(a, b, n * sizeof(a[0]));
    }
}

#define FIELD_CASES CASE(ring), CASE(ring_small), CASE(inverse), CASE(batch_inverse)
