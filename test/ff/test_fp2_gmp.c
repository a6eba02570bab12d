/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Fp2 against GMP: schoolbook formulas on integers. */
#include "mpz_util.h"

static modulus m;
static mpz_t a0, a1, b0, b1, x0, x1, t_;

static void begin(void)
{
    modulus_init(&m, Q_HEX, 6);
    mpz_inits(a0, a1, b0, b1, x0, x1, t_, NULL);
}

static void end(void)
{
    mpz_clears(a0, a1, b0, b1, x0, x1, t_, NULL);
    modulus_clear(&m);
}

static void load(const cuzk_fp2 *a, mpz_t c0, mpz_t c1)
{
    mpz_from_mont(c0, a->c0.l, &m);
    mpz_from_mont(c1, a->c1.l, &m);
}

#define CHECK_FP2(got)                 \
    do {                               \
        CHECK_VALUE((got).c0, x0, &m); \
        CHECK_VALUE((got).c1, x1, &m); \
    } while (0)

/* (x0, x1) = (c0 + c1 i)(d0 + d1 i) */
static void multiply(const mpz_t c0, const mpz_t c1, const mpz_t d0, const mpz_t d1)
{
    mpz_mul(x0, c0, d0);
    mpz_submul(x0, c1, d1);
    mpz_mul(x1, c0, d1);
    mpz_addmul(x1, c1, d0);
}

static void check_ring(const cuzk_fp2 *a, const cuzk_fp2 *b)
{
    cuzk_fp2 x;
    load(a, a0, a1);
    load(b, b0, b1);
    multiply(a0, a1, b0, b1);
    cuzk_fp2_mul(&x, a, b);
    CHECK_FP2(x);
    multiply(a0, a1, a0, a1);
    cuzk_fp2_sqr(&x, a);
    CHECK_FP2(x);
    mpz_add(x0, a0, b0);
    mpz_add(x1, a1, b1);
    cuzk_fp2_add(&x, a, b);
    CHECK_FP2(x);
    mpz_sub(x0, a0, b0);
    mpz_sub(x1, a1, b1);
    cuzk_fp2_sub(&x, a, b);
    CHECK_FP2(x);
    mpz_mul(x0, a0, b0);
    mpz_mul(x1, a1, b0);
    cuzk_fp2_mul_fp(&x, a, &b->c0);
    CHECK_FP2(x);
    mpz_sub(x0, a0, a1);
    mpz_add(x1, a0, a1);
    cuzk_fp2_mul_nonresidue(&x, a);
    CHECK_FP2(x);
    x = *a;
    cuzk_fp2_mul_nonresidue(&x, &x);
    CHECK_FP2(x);
    mpz_mul_ui(x0, a0, 2);
    mpz_mul_ui(x1, a1, 2);
    cuzk_fp2_dbl(&x, a);
    CHECK_FP2(x);
    mpz_neg(x0, a0);
    mpz_neg(x1, a1);
    cuzk_fp2_neg(&x, a);
    CHECK_FP2(x);
    mpz_set(x0, a0);
    cuzk_fp2_conj(&x, a);
    CHECK_FP2(x);
    CHECK(cuzk_fp2_is_zero(a) == (mpz_sgn(a0) == 0 && mpz_sgn(a1) == 0));
    CHECK(cuzk_fp2_eq(a, b) == (mpz_cmp(a0, b0) == 0 && mpz_cmp(a1, b1) == 0));
    mpz_sub(t_, m.p, a1);
    const int c1 = mpz_sgn(a1) == 0 ? 0 : mpz_cmp(a1, t_);
    mpz_sub(t_, m.p, a0);
    const int c0 = mpz_sgn(a0) == 0 ? 0 : mpz_cmp(a0, t_);
    CHECK(cuzk_fp2_is_lex_largest(a) == (c1 != 0 ? c1 > 0 : c0 > 0));
}

static void ring(void)
{
    begin();
    for (size_t i = 0; i < test_iters(20000); i++) {
        cuzk_fp2 a, b;
        gen_fp2(&a);
        gen_fp2(&b);
        check_ring(&a, &b);
    }
    end();
}

static void set_small(cuzk_fp2 *a, long c0, long c1)
{
    mpz_set_si(t_, c0);
    mont_from_mpz(a->c0.l, t_, &m);
    mpz_set_si(t_, c1);
    mont_from_mpz(a->c1.l, t_, &m);
}

static void check_inverse(const cuzk_fp2 *a)
{
    cuzk_fp2 x;
    load(a, a0, a1); /* (a0 - a1 i) / (a0^2 + a1^2) */
    mpz_mul(t_, a0, a0);
    mpz_addmul(t_, a1, a1);
    if (mpz_invert(t_, t_, m.p) == 0) {
        mpz_set_ui(t_, 0);
    }
    mpz_mul(x0, a0, t_);
    mpz_mul(x1, a1, t_);
    mpz_neg(x1, x1);
    cuzk_fp2_inv(&x, a);
    CHECK_FP2(x);
}

/* a is a square exactly when its norm is one in Fp. */
static void check_root(const cuzk_fp2 *a)
{
    cuzk_fp2 x = {{{7, 7, 7, 7, 7, 7}}, {{7, 7, 7, 7, 7, 7}}};
    const cuzk_fp2 before = x;
    load(a, a0, a1);
    mpz_mul(t_, a0, a0);
    mpz_addmul(t_, a1, a1);
    mpz_mod(t_, t_, m.p);
    if (mpz_legendre(t_, m.p) < 0) {
        CHECK(!cuzk_fp2_sqrt(&x, a));
        CHECK_MEM(&x, &before, sizeof(x));
        return;
    }
    CHECK(cuzk_fp2_sqrt(&x, a));
    load(&x, b0, b1);
    multiply(b0, b1, b0, b1);
    CHECK_FP2(*a);
    x = *a;
    CHECK(cuzk_fp2_sqrt(&x, &x)); /* in place */
    load(&x, b0, b1);
    multiply(b0, b1, b0, b1);
    CHECK_FP2(*a);
}

static void inverse_and_root(void)
{
    begin();
    for (size_t i = 0; i < test_iters(150); i++) {
        cuzk_fp2 a;
        gen_fp2(&a);
        check_inverse(&a);
        check_root(&a);
        cuzk_fp2_sqr(&a, &a);
        check_root(&a);
        a.c1 = CUZK_FP_ZERO;
        check_root(&a);
        cuzk_fp_neg(&a.c0, &a.c0);
        check_root(&a);
        a.c1 = a.c0;
        a.c0 = CUZK_FP_ZERO;
        check_inverse(&a);
        check_root(&a);
    }
    end();
}

/* All of {-7..7}^2: real, imaginary, squares, non-squares, zero. */
static void small(void)
{
    begin();
    for (long i = -7; i <= 7; i++) {
        for (long j = -7; j <= 7; j++) {
            cuzk_fp2 a, b;
            set_small(&a, i, j);
            set_small(&b, j + 1, -i);
            check_ring(&a, &b);
            check_inverse(&a);
            check_root(&a);
        }
    }
    end();
}

static void batch_inverse(void)
{
    enum { MAX = 17 };
    cuzk_fp2 a[MAX], b[MAX], scratch[MAX];
    for (size_t n = 0; n <= MAX; n++) {
        for (size_t i = 0; i < n; i++) {
            gen_fp2(&a[i]);
            if (test_below(4) == 0 || n == 7) {
                a[i] = CUZK_FP2_ZERO;
            }
            cuzk_fp2_inv(&b[i], &a[i]);
        }
        cuzk_fp2_batch_inv(a, scratch, n);
        CHECK_MEM(a, b, n * sizeof(a[0]));
    }
}

static const cuzk_case cases[] = {CASE(ring), CASE(inverse_and_root), CASE(small),
                                  CASE(batch_inverse)};
TEST_MAIN("ff/fp2_gmp", cases)
