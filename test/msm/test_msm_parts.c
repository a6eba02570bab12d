/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <gmp.h>
#include <string.h>

#include "base/alloc.h"
#include "msm/msm_core.h"

#include "test.h"

static void to_mpz(mpz_t out, cuzk_i128 v)
{
    const cuzk_u128 m = v < 0 ? -(cuzk_u128)v : (cuzk_u128)v;
    const uint64_t w[2] = {(uint64_t)m, (uint64_t)(m >> 64)};
    mpz_import(out, 2, -1, 8, 0, 0, w);
    if (v < 0) {
        mpz_neg(out, out);
    }
}

static void check_halves(const mpz_t k, const mpz_t r)
{
    cuzk_scalar s = {{0, 0, 0, 0}};
    cuzk_i128 k1, k2;
    mpz_t a, b, lambda, bound;
    mpz_inits(a, b, lambda, bound, NULL);
    (void)mpz_set_str(lambda, "ac45a4010001a40200000000ffffffff", 16);
    mpz_add_ui(bound, lambda, 1);
    mpz_tdiv_q_2exp(bound, bound, 1);
    mpz_add_ui(bound, bound, 1);
    (void)mpz_export(s.l, NULL, -1, 8, 0, 0, k);
    cuzk_msm_decompose(&k1, &k2, &s);
    to_mpz(a, k1);
    to_mpz(b, k2);
    CHECK(mpz_cmpabs(a, bound) <= 0 && mpz_cmpabs(b, bound) <= 0);
    mpz_addmul(a, b, lambda);
    mpz_sub(a, a, k);
    CHECK(mpz_divisible_p(a, r) != 0);
    mpz_clears(a, b, lambda, bound, NULL);
}

static void halves(void)
{
    mpz_t r, k, lambda;
    mpz_inits(r, k, lambda, NULL);
    (void)mpz_set_str(r, "73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001", 16);
    (void)mpz_set_str(lambda, "ac45a4010001a40200000000ffffffff", 16);
    for (unsigned i = 0; i < 40; i++) {
        mpz_set_ui(k, i);
        check_halves(k, r);
        mpz_sub_ui(k, r, i + 1);
        check_halves(k, r);
        mpz_tdiv_q_2exp(k, r, 1);
        mpz_add_ui(k, k, i);
        check_halves(k, r);
    }
    for (size_t i = 0; i < test_iters(20000); i++) {
        uint8_t raw[32];
        test_bytes(raw, sizeof(raw));
        mpz_import(k, 32, 1, 1, 0, 0, raw);
        if (test_below(2) != 0) { /* about the multiples of lambda and of lambda / 2 */
            mpz_tdiv_q_2exp(k, k, 128);
            mpz_mul(k, k, lambda);
            mpz_tdiv_q_2exp(k, k, (mp_bitcnt_t)test_below(2));
            mpz_add_ui(k, k, test_below(5));
            mpz_sub_ui(k, k, 2);
        }
        mpz_mod(k, k, r);
        check_halves(k, r);
    }
    mpz_clears(r, k, lambda, NULL);
}

/* The digits stay in range and make up the number, for every window size. */
static void digits(void)
{
    for (unsigned c = MSM_C_MIN; c <= MSM_C_MAX; c++) {
        for (unsigned bits = 1; bits <= MSM_GLV_BITS; bits++) {
            cuzk_msm_plan p;
            cuzk_msm_plan_make_c(&p, 1000, bits, c);
            for (size_t i = 0; i < test_iters(12); i++) {
                uint64_t raw[2];
                test_bytes(raw, sizeof(raw));
                cuzk_u128 m = ((cuzk_u128)raw[1] << 64 | raw[0]) >> (128 - bits);
                /* Halves are below 0.7 * 2^127, short values below 2^bits and not negative. */
                if (bits == MSM_GLV_BITS) {
                    m = m / 10 * 7;
                }
                const cuzk_i128 k =
                    bits == MSM_GLV_BITS && test_below(2) != 0 ? -(cuzk_i128)m : (cuzk_i128)m;
                cuzk_i128 sum = 0, biased;
                CHECK(!__builtin_add_overflow(k, p.bias, &biased)); /* a wrap would recombine */
                for (unsigned w = p.windows; w-- > 0;) {
                    const int32_t d = cuzk_msm_digit(&p, biased, w);
                    CHECK(d >= -(1 << (c - 1)) && d <= 1 << (c - 1));
                    if (d != 0) {
                        CHECK(cuzk_msm_bucket(&p, w, d) >> p.low < p.parts);
                    }
                    sum = sum * ((cuzk_i128)1 << c) + d;
                }
                CHECK(sum == k);
            }
        }
    }
}

static void plans(void)
{
    const cuzk_msm_engine *eng = cuzk_msm_engine_g1();
    for (size_t m = 1; m < (size_t)1 << 26; m += 1 + m / 5) {
        for (unsigned bits = 1; bits <= MSM_GLV_BITS; bits += 3) {
            cuzk_msm_plan p;
            cuzk_msm_plan_make(&p, eng, m, bits);
            /* The largest half is z^2 / 2 + 1. */
            const cuzk_i128 most = (cuzk_i128)0x5622d2008000d202LL << 64,
                            half = bits < 120 ? 0 : most;
            cuzk_i128 sum;
            CHECK(!__builtin_add_overflow(half, p.bias, &sum));
            CHECK(p.windows * p.c > bits);
            CHECK((1u << p.low) <= MSM_SEGMENTS);
            CHECK_U64(((size_t)p.group << (p.c - 1)) % ((size_t)1 << p.low), 0);
            CHECK_U64(p.group_parts, (size_t)p.group << (p.c - 1) >> p.low);
            CHECK(p.parts >= ((size_t)p.windows << (p.c - 1)) >> p.low);
        }
    }
}

/* (beta x, y) is lambda (x, y), in both groups and for every engine. */
static void endomorphism(void)
{
    const cuzk_scalar lambda = {CUZK_MSM_LAMBDA_LIMBS};
    const cuzk_msm_engine *list[] = {&CUZK_MSM_ENGINE_G1, cuzk_msm_engine_g1(), &CUZK_MSM_ENGINE_G2,
                                     cuzk_msm_engine_g2()};
    for (size_t i = 0; i < 4; i++) {
        enum { N = 21 };
        const cuzk_msm_group *g = list[i]->group;
        const void *gen = i < 2 ? (const void *)&CUZK_G1_GENERATOR : &CUZK_G2_GENERATOR;
        unsigned char *bases = cuzk_alloc(N, g->affine_bytes),
                      *want = cuzk_alloc(N, g->affine_bytes);
        unsigned char *endo_x = cuzk_alloc(N, g->coord_bytes);
        uint32_t idx[N];
        CHECK(bases != NULL && want != NULL && endo_x != NULL);
        for (uint32_t k = 0; k < N; k++) {
            cuzk_msm_acc a;
            const cuzk_scalar s = {{test_u64(), test_u64(), 0, 0}};
            g->acc_clear(&a);
            g->acc_add_mul(&a, gen, &s);
            g->acc_to_affine(bases + k * g->affine_bytes, &a);
            g->acc_clear(&a);
            g->acc_add_mul(&a, bases + k * g->affine_bytes, &lambda);
            g->acc_to_affine(want + k * g->affine_bytes, &a);
            idx[k] = N - 1 - k;
        }
        list[i]->endo(endo_x, bases, idx, N);
        for (size_t k = 0; k < N; k++) {
            CHECK_MEM(endo_x + k * g->coord_bytes, want + k * g->affine_bytes, g->coord_bytes);
        }
        cuzk_free(endo_x);
        cuzk_free(want);
        cuzk_free(bases);
    }
}

static const cuzk_case cases[] = {CASE(halves), CASE(digits), CASE(plans), CASE(endomorphism)};
TEST_MAIN("msm/parts", cases)
