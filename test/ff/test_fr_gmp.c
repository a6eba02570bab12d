/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Fr against GMP. */
#define F             cuzk_fr
#define FF(verb)      cuzk_fr_##verb
#define F_ZERO        CUZK_FR_ZERO
#define LIMBS         4
#define MOD_HEX       R_HEX
#define MOD           gen_r
#define POWERS        254
#define CHECK_MORE(a) CHECK(cuzk_fr_is_one(a) == (mpz_cmp_ui(a_, 1) == 0))
#define GEN           gen_fr
#include "field_gmp_tmpl.h"

static void scalars(void)
{
    begin();
    for (size_t i = 0; i < test_iters(10000); i++) {
        cuzk_scalar s, back;
        cuzk_fr a;
        gen_limbs(s.l, gen_r, 4);
        mpz_from_limbs(t_, s.l, 4);
        cuzk_fr_from_scalar(&a, &s);
        CHECK_VALUE(a, t_, &m);
        const bool canonical = mpz_cmp(t_, m.p) < 0;
        CHECK(cuzk_scalar_is_canonical(&s) == canonical);
        cuzk_fr_to_scalar(&back, &a);
        CHECK((memcmp(&back, &s, sizeof(s)) == 0) == canonical);
        cuzk_fr_from_u64(&a, s.l[0]);
        mpz_from_limbs(t_, s.l, 1);
        CHECK_VALUE(a, t_, &m);
    }
    end();
}

static void bytes(void)
{
    begin();
    for (size_t i = 0; i < test_iters(10000); i++) {
        cuzk_scalar s;
        uint8_t in[32], out[32];
        cuzk_fr a = {{1, 2, 3, 4}}, b = a;
        gen_limbs(s.l, gen_r, 4);
        mpz_from_limbs(t_, s.l, 4);
        for (size_t k = 0; k < 32; k++) {
            in[k] = (uint8_t)(s.l[k / 8] >> 8 * (k % 8));
        }
        if (mpz_cmp(t_, m.p) < 0) {
            CHECK(cuzk_fr_from_bytes_le(&a, in));
            CHECK_VALUE(a, t_, &m);
            cuzk_fr_to_bytes_le(out, &a);
            CHECK_MEM(out, in, 32);
        } else {
            CHECK(!cuzk_fr_from_bytes_le(&a, in));
            CHECK_MEM(&a, &b, sizeof(a));
        }
    }
    end();
}

/* Exactly the integers below r are accepted: r - 1, r, r + 1, 2^255, 2^256 - 1. */
static void bytes_at_the_bound(void)
{
    static const uint64_t top[4] = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX};
    for (int delta = -1; delta <= 1; delta++) {
        uint8_t in[32];
        cuzk_fr a;
        cuzk_scalar s = {CUZK_FR_MOD_LIMBS};
        s.l[0] += (uint64_t)(int64_t)delta;
        cuzk_scalar_to_bytes_le(in, &s);
        CHECK(cuzk_fr_from_bytes_le(&a, in) == (delta < 0));
    }
    CHECK(!cuzk_scalar_is_canonical((const cuzk_scalar *)(const void *)top));
}

static void wide_bytes(void)
{
    begin();
    for (size_t i = 0; i < test_iters(5000); i++) {
        uint64_t l[8];
        uint8_t in[64];
        cuzk_fr a;
        gen_limbs(l, gen_r, 4);
        gen_limbs(l + 4, gen_r, 4);
        mpz_from_limbs(t_, l, 8);
        for (size_t k = 0; k < 64; k++) {
            in[k] = (uint8_t)(l[k / 8] >> 8 * (k % 8));
        }
        cuzk_fr_from_wide_le_ct(&a, in);
        CHECK_VALUE(a, t_, &m);
    }
    end();
}

/* A random element to a random power of up to 4 limbs; the element's value is left in a_. */
static void check_pow(cuzk_fr *a)
{
    cuzk_fr x;
    uint64_t e[4];
    gen_fr(a);
    gen_limbs(e, gen_r, 4);
    const size_t n = (size_t)test_below(5);
    mpz_from_mont(a_, a->l, &m);
    mpz_from_limbs(b_, e, n);
    mpz_powm(t_, a_, b_, m.p);
    cuzk_fr_pow(&x, a, e, n);
    CHECK_VALUE(x, t_, &m);
}

static void powers(void)
{
    begin();
    for (size_t i = 0; i < test_iters(500); i++) {
        cuzk_fr a, x;
        uint64_t e;
        check_pow(&a);
        gen_limbs(&e, gen_r, 1);
        mpz_from_limbs(b_, &e, 1);
        mpz_powm(t_, a_, b_, m.p);
        cuzk_fr_pow_u64(&x, &a, e);
        CHECK_VALUE(x, t_, &m);
    }
    end();
}

static void roots_of_unity(void)
{
    begin();
    const cuzk_fr *roots[] = {&CUZK_FR_ROOT_2_32, &CUZK_FR_ROOT_2_32_SNARKJS};
    const unsigned long generators[] = {7, 5};
    for (size_t i = 0; i < 2; i++) {
        mpz_sub_ui(b_, m.p, 1);
        mpz_fdiv_q_2exp(b_, b_, 32);
        mpz_set_ui(a_, generators[i]);
        mpz_powm(t_, a_, b_, m.p);
        CHECK_VALUE(*roots[i], t_, &m);
        for (unsigned lg = 0; lg <= 32; lg++) {
            cuzk_fr w;
            cuzk_fr_root_of_unity(&w, roots[i], lg);
            for (unsigned k = 0; k + 1 < lg; k++) {
                cuzk_fr_sqr(&w, &w);
            }
            if (lg > 0) { /* w^(2^(lg-1)) = -1 */
                cuzk_fr_add(&w, &w, &CUZK_FR_ONE);
                CHECK(cuzk_fr_is_zero(&w));
            } else {
                CHECK(cuzk_fr_is_one(&w));
            }
        }
    }
    mpz_set_ui(t_, 7);
    CHECK_VALUE(CUZK_FR_GENERATOR, t_, &m);
    end();
}

static const cuzk_case cases[] = {
    FIELD_CASES,      CASE(scalars), CASE(bytes),         CASE(bytes_at_the_bound),
    CASE(wide_bytes), CASE(powers),  CASE(roots_of_unity)};
TEST_MAIN("ff/fr_gmp", cases)
