/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Fp and wide Fp products against GMP. */
#include "mpz_util.h"

static modulus m;
static mpz_t a_, b_, t_, u_;

static void begin(void)
{
    modulus_init(&m, Q_HEX, 6);
    mpz_inits(a_, b_, t_, u_, NULL);
}

static void end(void)
{
    mpz_clears(a_, b_, t_, u_, NULL);
    modulus_clear(&m);
}

static void check_ring(const cuzk_fp *a, const cuzk_fp *b)
{
    cuzk_fp x;
    mpz_from_mont(a_, a->l, &m);
    mpz_from_mont(b_, b->l, &m);
    cuzk_fp_add(&x, a, b);
    mpz_add(t_, a_, b_);
    CHECK_VALUE(x, t_, &m);
    cuzk_fp_sub(&x, a, b);
    mpz_sub(t_, a_, b_);
    CHECK_VALUE(x, t_, &m);
    cuzk_fp_mul(&x, a, b);
    mpz_mul(t_, a_, b_);
    CHECK_VALUE(x, t_, &m);
    cuzk_fp_sqr(&x, a);
    mpz_mul(t_, a_, a_);
    CHECK_VALUE(x, t_, &m);
    cuzk_fp_dbl(&x, a);
    mpz_mul_ui(t_, a_, 2);
    CHECK_VALUE(x, t_, &m);
    cuzk_fp_neg(&x, a);
    mpz_neg(t_, a_);
    CHECK_VALUE(x, t_, &m);
    CHECK(cuzk_fp_eq(a, b) == (mpz_cmp(a_, b_) == 0));
    CHECK(cuzk_fp_is_zero(a) == (mpz_sgn(a_) == 0));
    mpz_sub(t_, m.p, a_);
    CHECK(cuzk_fp_is_lex_largest(a) == (mpz_sgn(a_) != 0 && mpz_cmp(a_, t_) > 0));
}

static void ring(void)
{
    begin();
    for (size_t i = 0; i < test_iters(20000); i++) {
        cuzk_fp a, b;
        gen_fp(&a);
        gen_fp(&b);
        check_ring(&a, &b);
    }
    end();
}

static void ring_small(void)
{
    begin();
    for (long i = -24; i <= 24; i++) {
        for (long j = -24; j <= 24; j++) {
            cuzk_fp a, b;
            mpz_set_si(t_, i);
            mont_from_mpz(a.l, t_, &m);
            mpz_set_si(t_, j);
            mont_from_mpz(b.l, t_, &m);
            check_ring(&a, &b);
            a = (cuzk_fp){{(uint64_t)(i + 24), 0, 0, 0, 0, 0}};
            b = (cuzk_fp){{(uint64_t)(j + 24), 0, 0, 0, 0, 0}};
            check_ring(&a, &b);
        }
    }
    end();
}

static void check_inverse(const cuzk_fp *a)
{
    cuzk_fp x = *a;
    mpz_from_mont(a_, a->l, &m);
    if (mpz_invert(t_, a_, m.p) == 0) {
        mpz_set_ui(t_, 0);
    }
    cuzk_fp_inv(&x, &x);
    CHECK_VALUE(x, t_, &m);
    cuzk_fp_inv_ct(&x, a);
    CHECK_VALUE(x, t_, &m);
}

static void inverse(void)
{
    begin();
    cuzk_fp a;
    for (size_t i = 0; i < test_iters(5000); i++) {
        gen_fp(&a);
        check_inverse(&a);
    }
    for (unsigned k = 0; k < 384; k++) { /* +-2^k as values and as Montgomery numbers */
        mpz_set_ui(t_, 0);
        mpz_setbit(t_, k);
        mont_from_mpz(a.l, t_, &m);
        check_inverse(&a);
        cuzk_fp_neg(&a, &a);
        check_inverse(&a);
        a = CUZK_FP_ZERO;
        if (k < 380) {
            a.l[k / 64] = UINT64_C(1) << k % 64;
            check_inverse(&a);
        }
    }
    for (uint64_t i = 0; i < 500; i++) {
        a = (cuzk_fp){{i, 0, 0, 0, 0, 0}};
        check_inverse(&a);
    }
    end();
}

static void batch_inverse(void)
{
    enum { MAX = 33 };
    cuzk_fp a[MAX], b[MAX], scratch[MAX];
    for (size_t n = 0; n <= MAX; n++) {
        for (size_t i = 0; i < n; i++) {
            gen_fp(&a[i]);
            if (test_below(4) == 0 || n % 8 == 7) { /* sizes 7, 15, ...: all zero */
                a[i] = CUZK_FP_ZERO;
            }
            cuzk_fp_inv(&b[i], &a[i]);
        }
        cuzk_fp_batch_inv(a, scratch, n);
        CHECK_MEM(a, b, n * sizeof(a[0]));
    }
}

static void powers(void)
{
    begin();
    for (size_t i = 0; i < test_iters(300); i++) {
        cuzk_fp a, x;
        uint64_t e[6];
        gen_fp(&a);
        gen_limbs(e, gen_q, 6);
        const size_t n = (size_t)test_below(7);
        mpz_from_mont(a_, a.l, &m);
        mpz_from_limbs(b_, e, n);
        mpz_powm(t_, a_, b_, m.p);
        cuzk_fp_pow(&x, &a, e, n);
        CHECK_VALUE(x, t_, &m);

        const unsigned k = (unsigned)test_below(40);
        mpz_set_ui(b_, 0);
        mpz_setbit(b_, k);
        mpz_powm(t_, a_, b_, m.p);
        x = a;
        cuzk_fp_sqr_n(&x, &x, k);
        CHECK_VALUE(x, t_, &m);

        mpz_sub_ui(b_, m.p, 3);
        mpz_fdiv_q_2exp(b_, b_, 2);
        mpz_powm(t_, a_, b_, m.p);
        cuzk_fp_pow_qm3d4(&x, &a);
        CHECK_VALUE(x, t_, &m);
    }
    end();
}

static void check_root(const cuzk_fp *a)
{
    cuzk_fp x = {{7, 7, 7, 7, 7, 7}};
    const cuzk_fp before = x;
    mpz_from_mont(a_, a->l, &m);
    if (mpz_legendre(a_, m.p) < 0) {
        CHECK(!cuzk_fp_sqrt(&x, a));
        CHECK_MEM(&x, &before, sizeof(x));
        return;
    }
    CHECK(cuzk_fp_sqrt(&x, a));
    mpz_from_mont(t_, x.l, &m);
    mpz_mul(t_, t_, t_);
    CHECK_VALUE(*a, t_, &m);
}

static void square_root(void)
{
    begin();
    for (size_t i = 0; i < test_iters(300); i++) {
        cuzk_fp a;
        gen_fp(&a);
        check_root(&a);
        cuzk_fp_sqr(&a, &a);
        check_root(&a);
        cuzk_fp_neg(&a, &a);
        check_root(&a);
        mpz_set_ui(t_, i);
        mont_from_mpz(a.l, t_, &m);
        check_root(&a);
    }
    end();
}

static void bytes(void)
{
    begin();
    for (size_t i = 0; i < test_iters(10000); i++) {
        uint64_t l[6], c[6];
        uint8_t in[48], out[48];
        cuzk_fp a = {{1, 2, 3, 4, 5, 6}}, b = a;
        gen_limbs(l, gen_q, 6);
        mpz_from_limbs(t_, l, 6);
        for (size_t k = 0; k < 48; k++) {
            in[47 - k] = (uint8_t)(l[k / 8] >> 8 * (k % 8));
        }
        if (mpz_cmp(t_, m.p) < 0) {
            CHECK(cuzk_fp_from_bytes_be(&a, in));
            CHECK_VALUE(a, t_, &m);
            cuzk_fp_to_bytes_be(out, &a);
            CHECK_MEM(out, in, 48);
            cuzk_fp_to_canonical(c, &a);
            CHECK_MEM(c, l, 48);
        } else {
            CHECK(!cuzk_fp_from_bytes_be(&a, in));
            CHECK_MEM(&a, &b, sizeof(a));
        }
        cuzk_fp_from_canonical(&a, l);
        CHECK_VALUE(a, t_, &m);
    }
    for (int delta = -1; delta <= 1; delta++) { /* q - 1, q, q + 1 */
        uint8_t in[48];
        cuzk_fp a;
        for (size_t k = 0; k < 48; k++) {
            in[47 - k] = (uint8_t)(gen_q[k / 8] >> 8 * (k % 8));
        }
        in[47] = (uint8_t)(in[47] + delta);
        CHECK(cuzk_fp_from_bytes_be(&a, in) == (delta < 0));
    }
    end();
}

static const uint64_t two_q[6] = CUZK_FP_MOD2_LIMBS;

static void check_wide(const cuzk_fp_wide *got, const mpz_t want)
{
    mpz_from_limbs(u_, got->l, 12);
    CHECK(mpz_cmp(u_, want) == 0);
}

static void wide_products(void)
{
    begin();
    for (size_t i = 0; i < test_iters(20000); i++) {
        cuzk_fp a, b;
        cuzk_fp_wide w;
        gen_limbs(a.l, gen_q, 6);
        gen_limbs(b.l, gen_q, 6);
        mpz_from_limbs(a_, a.l, 6);
        mpz_from_limbs(b_, b.l, 6);
        mpz_mul(t_, a_, b_);
        cuzk_fp_wide_mul(&w, &a, &b);
        check_wide(&w, t_);
        mpz_mul(t_, a_, a_);
        cuzk_fp_wide_sqr(&w, &a);
        check_wide(&w, t_);
    }
    end();
}

/* redc over [0, 4.5 q^2], bounds and random; the inverse of 2^384 twice since values count double. */
static void reduction(void)
{
    begin();
    uint64_t bound[12] = {0};
    size_t n = 0;
    mpz_mul(t_, m.p, m.p);
    mpz_mul_ui(t_, t_, 9);
    mpz_fdiv_q_2exp(t_, t_, 1);
    mpz_export(bound, &n, -1, 8, 0, 0, t_);
    for (size_t i = 0; i < test_iters(20000); i++) {
        cuzk_fp_wide w;
        cuzk_fp x;
        gen_below(w.l, bound, bound, 12);
        mpz_from_limbs(t_, w.l, 12);
        mpz_mul(t_, t_, m.mont_inv);
        mpz_mul(t_, t_, m.mont_inv);
        cuzk_fp_redc(&x, &w);
        CHECK_VALUE(x, t_, &m);
    }
    end();
}

static void wide_sums(void)
{
    begin();
    uint64_t k[12] = {0};
    size_t n = 0;
    mpz_mul_2exp(b_, m.p, 382);
    mpz_export(k, &n, -1, 8, 0, 0, b_);
    for (size_t i = 0; i < test_iters(20000); i++) {
        cuzk_fp_wide x, y, w;
        gen_below(x.l, k, k, 12);
        gen_below(y.l, k, k, 12);
        mpz_from_limbs(a_, x.l, 12);
        mpz_from_limbs(u_, y.l, 12);
        mpz_add(t_, a_, u_);
        mpz_mod(t_, t_, b_);
        cuzk_fp_wide_add(&w, &x, &y);
        check_wide(&w, t_);
        mpz_from_limbs(u_, y.l, 12);
        mpz_sub(t_, a_, u_);
        mpz_mod(t_, t_, b_);
        cuzk_fp_wide_sub(&w, &x, &y);
        check_wide(&w, t_);
        mpz_from_limbs(u_, y.l, 12);
        mpz_add(t_, a_, u_);
        cuzk_fp_wide_add_nr(&w, &x, &y);
        check_wide(&w, t_);
        cuzk_fp_wide_sub_nr(&w, &w, &x);
        CHECK_MEM(&w, &y, sizeof(w));
    }
    end();
}

/* Operands up to 2q where the headers allow it. */
static void unreduced_operands(void)
{
    begin();
    for (size_t i = 0; i < test_iters(20000); i++) {
        cuzk_fp a, b, c, d, x;
        gen_below(a.l, gen_q, two_q, 6);
        gen_below(b.l, gen_q, two_q, 6);
        mpz_from_limbs(a_, a.l, 6);
        mpz_from_limbs(b_, b.l, 6);
        mpz_mul(t_, a_, b_);
        mpz_mul(t_, t_, m.mont_inv);
        mpz_mul(t_, t_, m.mont_inv);
        cuzk_fp_mul(&x, &a, &b);
        CHECK_VALUE(x, t_, &m);
        mpz_mul(t_, a_, a_);
        mpz_mul(t_, t_, m.mont_inv);
        mpz_mul(t_, t_, m.mont_inv);
        cuzk_fp_sqr(&x, &a);
        CHECK_VALUE(x, t_, &m);
        cuzk_fp_sqr_n(&x, &a, 1);
        CHECK_VALUE(x, t_, &m);
        cuzk_fp_add_nr(&x, &a, &b);
        mpz_add(t_, a_, b_);
        mpz_from_limbs(u_, x.l, 6);
        CHECK(mpz_cmp(u_, t_) == 0);

        gen_fp(&a); /* a, c < q; b, d < 2q */
        gen_fp(&c);
        gen_below(d.l, gen_q, two_q, 6);
        mpz_from_limbs(a_, a.l, 6);
        mpz_mul(t_, a_, b_);
        mpz_from_limbs(a_, c.l, 6);
        mpz_from_limbs(b_, d.l, 6);
        mpz_mul(u_, a_, b_);
        mpz_add(a_, t_, u_);
        mpz_mul(a_, a_, m.mont_inv);
        mpz_mul(a_, a_, m.mont_inv);
        cuzk_fp_mulsum(&x, &a, &b, &c, &d);
        CHECK_VALUE(x, a_, &m);
        mpz_sub(a_, t_, u_);
        mpz_mul(a_, a_, m.mont_inv);
        mpz_mul(a_, a_, m.mont_inv);
        cuzk_fp_muldiff(&x, &a, &b, &c, &d);
        CHECK_VALUE(x, a_, &m);
    }
    end();
}

static const cuzk_case cases[] = {CASE(ring),
                                  CASE(ring_small),
                                  CASE(inverse),
                                  CASE(batch_inverse),
                                  CASE(powers),
                                  CASE(square_root),
                                  CASE(bytes),
                                  CASE(wide_products),
                                  CASE(reduction),
                                  CASE(wide_sums),
                                  CASE(unreduced_operands)};
TEST_MAIN("ff/fp_gmp", cases)
