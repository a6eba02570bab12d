/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <string.h>

#include "ff/tower/fp12.h"

#include "test.h"

static void random_fp12(cuzk_fp12 *out)
{
    cuzk_fp *c = (cuzk_fp *)out;
    for (size_t i = 0; i < 12; i++) {
        uint64_t l[6];
        test_bytes(l, sizeof(l));
        cuzk_fp_from_canonical(&c[i], l);
        if (test_below(8) == 0) {
            c[i] = CUZK_FP_ZERO;
        }
    }
}

/* Schoolbook product of the six coefficients in w with w^6 = 1 + i: no Karatsuba, no tower. */
static void schoolbook(cuzk_fp12 *out, const cuzk_fp12 *a, const cuzk_fp12 *b)
{
    const cuzk_fp2 *x[6] = {&a->c0.c0, &a->c1.c0, &a->c0.c1, &a->c1.c1, &a->c0.c2, &a->c1.c2};
    const cuzk_fp2 *y[6] = {&b->c0.c0, &b->c1.c0, &b->c0.c1, &b->c1.c1, &b->c0.c2, &b->c1.c2};
    cuzk_fp2 r[6];
    memset(r, 0, sizeof(r));
    for (size_t i = 0; i < 6; i++) {
        for (size_t j = 0; j < 6; j++) {
            cuzk_fp2 t;
            cuzk_fp2_mul(&t, x[i], y[j]);
            if (i + j >= 6) {
                cuzk_fp2_mul_nonresidue(&t, &t);
            }
            cuzk_fp2_add(&r[(i + j) % 6], &r[(i + j) % 6], &t);
        }
    }
    *out = (cuzk_fp12){{r[0], r[2], r[4]}, {r[1], r[3], r[5]}};
}

static void products_against_schoolbook(void)
{
    for (size_t i = 0; i < test_iters(500); i++) {
        cuzk_fp12 a, b, s, want, got;
        random_fp12(&a);
        random_fp12(&b);
        schoolbook(&want, &a, &b);
        cuzk_fp12_mul(&got, &a, &b);
        CHECK(cuzk_fp12_eq(&got, &want));
        got = a;
        cuzk_fp12_mul(&got, &got, &b);
        CHECK(cuzk_fp12_eq(&got, &want));
        got = b;
        cuzk_fp12_mul(&got, &a, &got);
        CHECK(cuzk_fp12_eq(&got, &want));
        schoolbook(&want, &a, &a);
        got = a;
        cuzk_fp12_sqr(&got, &got);
        CHECK(cuzk_fp12_eq(&got, &want));
        memset(&s, 0, sizeof(s));
        s.c0.c0 = b.c0.c0;
        s.c0.c1 = b.c0.c1;
        s.c1.c1 = b.c1.c1;
        schoolbook(&want, &a, &s);
        got = a;
        cuzk_fp12_mul_014(&got, &got, &s.c0.c0, &s.c0.c1, &s.c1.c1);
        CHECK(cuzk_fp12_eq(&got, &want));
        s.c1.c1 = CUZK_FP2_ONE;
        schoolbook(&want, &a, &s);
        got = a;
        cuzk_fp12_mul_01one(&got, &got, &s.c0.c0, &s.c0.c1);
        CHECK(cuzk_fp12_eq(&got, &want));
    }
}

static void fp6_against_fp12(void)
{
    for (size_t i = 0; i < test_iters(500); i++) {
        cuzk_fp12 a, b, want;
        cuzk_fp6 got;
        random_fp12(&a);
        random_fp12(&b);
        memset(&a.c1, 0, sizeof(a.c1));
        memset(&b.c1, 0, sizeof(b.c1));
        schoolbook(&want, &a, &b);
        got = a.c0;
        cuzk_fp6_mul(&got, &got, &b.c0);
        CHECK(cuzk_fp6_eq(&got, &want.c0));
        got = a.c0;
        schoolbook(&want, &a, &a);
        cuzk_fp6_sqr(&got, &got);
        CHECK(cuzk_fp6_eq(&got, &want.c0));
        b.c0.c2 = CUZK_FP2_ZERO;
        schoolbook(&want, &a, &b);
        got = a.c0;
        cuzk_fp6_mul_01(&got, &got, &b.c0.c0, &b.c0.c1);
        CHECK(cuzk_fp6_eq(&got, &want.c0));
        b.c0.c0 = CUZK_FP2_ZERO;
        schoolbook(&want, &a, &b);
        got = a.c0;
        cuzk_fp6_mul_1(&got, &got, &b.c0.c1);
        CHECK(cuzk_fp6_eq(&got, &want.c0));
    }
}

static void inverses(void)
{
    for (size_t i = 0; i < test_iters(200); i++) {
        cuzk_fp12 a, b;
        random_fp12(&a);
        cuzk_fp12_inv(&b, &a);
        cuzk_fp12_mul(&b, &a, &b);
        CHECK(cuzk_fp12_is_one(&b));
        b = a;
        cuzk_fp12_inv(&b, &b);
        cuzk_fp12_inv(&b, &b);
        CHECK(cuzk_fp12_eq(&a, &b));
    }
    cuzk_fp12 z;
    memset(&z, 0, sizeof(z));
    cuzk_fp12_inv(&z, &z);
    CHECK(cuzk_fp6_is_zero(&z.c0) && cuzk_fp6_is_zero(&z.c1));
}

static void power_of_q(cuzk_fp12 *out, const cuzk_fp12 *a)
{
    static const uint64_t q[6] = CUZK_FP_MOD_LIMBS;
    cuzk_fp12 acc;
    cuzk_fp12_set_one(&acc);
    for (size_t i = 384; i-- > 0;) {
        cuzk_fp12_sqr(&acc, &acc);
        if ((q[i / 64] >> (i % 64) & 1) != 0) {
            cuzk_fp12_mul(&acc, &acc, a);
        }
    }
    *out = acc;
}

static void frobenius_is_the_power(void)
{
    for (size_t i = 0; i < test_iters(5); i++) {
        cuzk_fp12 a, want, got;
        random_fp12(&a);
        power_of_q(&want, &a);
        got = a;
        cuzk_fp12_frobenius(&got, &got, 1);
        CHECK(cuzk_fp12_eq(&got, &want));
        power_of_q(&want, &want);
        got = a;
        cuzk_fp12_frobenius(&got, &got, 2);
        CHECK(cuzk_fp12_eq(&got, &want));
        for (int k = 0; k < 4; k++) {
            power_of_q(&want, &want);
        }
        cuzk_fp12_conj(&got, &a);
        CHECK(cuzk_fp12_eq(&got, &want));
    }
}

/* An element of the cyclotomic subgroup: a^((q^6 - 1)(q^2 + 1)). */
static void cyclotomic(cuzk_fp12 *out)
{
    cuzk_fp12 a, t;
    random_fp12(&a);
    cuzk_fp12_inv(&t, &a);
    cuzk_fp12_conj(&a, &a);
    cuzk_fp12_mul(&a, &a, &t);
    cuzk_fp12_frobenius(&t, &a, 2);
    cuzk_fp12_mul(out, &a, &t);
}

static void cyclotomic_square_and_power(void)
{
    for (size_t i = 0; i < test_iters(100); i++) {
        cuzk_fp12 a, want, got;
        cyclotomic(&a);
        schoolbook(&want, &a, &a);
        got = a;
        cuzk_fp12_cyclotomic_sqr(&got, &got);
        CHECK(cuzk_fp12_eq(&got, &want));
        uint64_t e[2];
        test_bytes(e, sizeof(e));
        cuzk_fp12_cyclotomic_pow(&got, &a, e, 2);
        cuzk_fp12_set_one(&want);
        for (size_t b = 128; b-- > 0;) {
            schoolbook(&want, &want, &want);
            if ((e[b / 64] >> (b % 64) & 1) != 0) {
                schoolbook(&want, &want, &a);
            }
        }
        CHECK(cuzk_fp12_eq(&got, &want));
        memset(e, 0, sizeof(e));
        cuzk_fp12_cyclotomic_pow(&got, &a, e, 2);
        CHECK(cuzk_fp12_is_one(&got));
    }
}

static const cuzk_case cases[] = {CASE(products_against_schoolbook), CASE(fp6_against_fp12),
                                  CASE(inverses), CASE(frobenius_is_the_power),
                                  CASE(cyclotomic_square_and_power)};
TEST_MAIN("pairing/tower", cases)
