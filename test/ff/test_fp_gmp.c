/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Fp and wide Fp products against GMP. */
#define F        cuzk_fp
#define FF(verb) cuzk_fp_##verb
#define F_ZERO   CUZK_FP_ZERO
#define LIMBS    6
#define MOD_HEX  Q_HEX
#define MOD      gen_q
#define POWERS   380
#define CHECK_MORE(a)                                                                  \
    do {                                                                               \
        mpz_sub(t_, m.p, a_);                                                          \
        CHECK(cuzk_fp_is_lex_largest(a) == (mpz_sgn(a_) != 0 && mpz_cmp(a_, t_) > 0)); \
    } while (0)
#define GEN gen_fp
#include "field_gmp_tmpl.h"

static void powers(void)
{
    begin();
    for (size_t i = 0; i < test_iters(300); i++) {
        cuzk_fp a, x;
        gen_fp(&a);
        mpz_from_mont(a_, a.l, &m);
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

static const cuzk_case cases[] = {
    FIELD_CASES,         CASE(powers),    CASE(square_root), CASE(bytes),
    CASE(wide_products), CASE(reduction), CASE(wide_sums),   CASE(unreduced_operands)};
TEST_MAIN("ff/fp_gmp", cases)
