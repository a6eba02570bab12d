/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <string.h>

#include "ff/fp.h"
#include "ff/fr.h"
#include "ff/tower/fp2.h"

#include "test.h"

static void random_fr(cuzk_fr *out)
{
    cuzk_scalar s;
    test_bytes(&s, sizeof(s));
    cuzk_fr_from_scalar(out, &s);
}

static void ring_laws(void)
{
    for (size_t i = 0; i < test_iters(1000); i++) {
        cuzk_fr a, b, c, x, y;
        random_fr(&a);
        random_fr(&b);
        random_fr(&c);
        cuzk_fr_add(&x, &b, &c);
        cuzk_fr_mul(&x, &a, &x);
        cuzk_fr_mul(&y, &a, &b);
        cuzk_fr_mul(&c, &a, &c);
        cuzk_fr_add(&y, &y, &c);
        CHECK(cuzk_fr_eq(&x, &y));
    }
}

static void inverse(void)
{
    for (size_t i = 0; i < test_iters(100); i++) {
        cuzk_fr a, b;
        random_fr(&a);
        cuzk_fr_inv(&b, &a);
        cuzk_fr_mul(&b, &a, &b);
        CHECK(cuzk_fr_is_zero(&a) ? cuzk_fr_is_zero(&b) : cuzk_fr_is_one(&b));
    }
}

static void root_of_unity_order(void)
{
    cuzk_fr w;
    cuzk_fr_root_of_unity(&w, &CUZK_FR_ROOT_2_32, 1);
    cuzk_fr_add(&w, &w, &CUZK_FR_ONE);
    CHECK(cuzk_fr_is_zero(&w));
}

static void fp_sqrt_of_square(void)
{
    for (size_t i = 0; i < test_iters(20); i++) {
        uint64_t c[6];
        cuzk_fp2 a, s, t;
        test_bytes(c, sizeof(c));
        cuzk_fp_from_canonical(&a.c0, c);
        test_bytes(c, sizeof(c));
        cuzk_fp_from_canonical(&a.c1, c);
        cuzk_fp2_sqr(&s, &a);
        CHECK(cuzk_fp2_sqrt(&t, &s));
        cuzk_fp2_sqr(&t, &t);
        CHECK(cuzk_fp2_eq(&t, &s));
    }
}

/* The second operand of a product may be in [r, 2r); the first may not, which the debug build asserts. */
static void ranges(void)
{
    static const uint64_t r[4] = CUZK_FR_MOD_LIMBS;
    cuzk_fr x, y, wide, want, got;
    memcpy(x.l, r, sizeof(r));
    CHECK(!cuzk_fr_is_reduced(&x));
    x.l[0]--;
    CHECK(cuzk_fr_is_reduced(&x) && cuzk_fr_is_reduced(&CUZK_FR_ZERO));
    for (int i = 0; i < 20000; i++) {
        uint64_t carry = 0;
        random_fr(&x);
        random_fr(&y);
        for (int k = 0; k < 4; k++) {
            const uint64_t sum = y.l[k] + r[k];
            wide.l[k] = sum + carry;
            carry = (sum < r[k]) | (wide.l[k] < carry);
        }
        cuzk_fr_mul(&want, &x, &y);
        cuzk_fr_mul(&got, &x, &wide);
        CHECK(cuzk_fr_is_reduced(&got) && cuzk_fr_eq(&want, &got));
        cuzk_fr_mul_c(&got, &x, &wide);
        CHECK(cuzk_fr_is_reduced(&got) && cuzk_fr_eq(&want, &got));
    }
}

static const cuzk_case cases[] = {CASE(ranges), CASE(ring_laws), CASE(inverse),
                                  CASE(root_of_unity_order), CASE(fp_sqrt_of_square)};
TEST_MAIN("ff/fr", cases)
