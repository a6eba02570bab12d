/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Every assembly twin against the portable one, on edge-biased inputs, aliased outputs included. */
#include "ff/fp_wide.h"

#include "checked_call.h"
#include "ff_rand.h"

#ifdef CUZK_FF_X64

static const uint64_t two_q[6] = CUZK_FP_MOD2_LIMBS, two_r[4] = CUZK_FR_MOD2_LIMBS;

static void need_adx(void)
{
    if (!cuzk_cpu_has(CUZK_CPU_ADX)) {
        cuzk_test_skip("no ADX");
    }
}

static void fr_add_sub(void)
{
    for (size_t i = 0; i < test_iters(50000); i++) {
        cuzk_fr a, b, x, y;
        gen_fr(&a);
        gen_fr(&b);
        cuzk_fr_add_hd(&x, &a, &b);
        CHECKED_CALL(cuzk_fr_add_x64, &y, &a, &b);
        CHECK_MEM(&y, &x, sizeof(x));
        cuzk_fr_sub_hd(&x, &a, &b);
        CHECKED_CALL(cuzk_fr_sub_x64, &y, &a, &b);
        CHECK_MEM(&y, &x, sizeof(x));
        cuzk_fr_neg_hd(&x, &a);
        cuzk_fr_neg(&y, &a);
        CHECK_MEM(&y, &x, sizeof(x));
        cuzk_fr_sub_hd(&x, &a, &b);
        y = b;
        CHECKED_CALL(cuzk_fr_sub_x64, &y, &a, &y);
        CHECK_MEM(&y, &x, sizeof(x));
        CHECKED_CALL(cuzk_fr_add_x64, &a, &a, &a);
        cuzk_fr_add_hd(&y, &b, &b);
        CHECKED_CALL(cuzk_fr_add_x64, &b, &b, &b);
        CHECK_MEM(&b, &y, sizeof(y));
    }
}

static void fr_mul(void)
{
    need_adx();
    for (size_t i = 0; i < test_iters(50000); i++) {
        cuzk_fr a, b, x, y;
        gen_fr(&a);
        gen_below(b.l, gen_r, two_r, 4);
        cuzk_fr_mul_c(&x, &a, &b);
        CHECKED_CALL(cuzk_fr_mul_adx, &y, &a, &b);
        CHECK_MEM(&y, &x, sizeof(x));
        y = b;
        CHECKED_CALL(cuzk_fr_mul_adx, &y, &a, &y);
        CHECK_MEM(&y, &x, sizeof(x));
        cuzk_fr_mul_c(&x, &a, &a);
        CHECKED_CALL(cuzk_fr_sqr_adx, &a, &a);
        CHECK_MEM(&a, &x, sizeof(x));
    }
}

static void fp_add_sub(void)
{
    for (size_t i = 0; i < test_iters(50000); i++) {
        cuzk_fp a, b, x, y;
        gen_fp(&a);
        gen_fp(&b);
        cuzk_fp_add_hd(&x, &a, &b);
        CHECKED_CALL(cuzk_fp_add_x64, &y, &a, &b);
        CHECK_MEM(&y, &x, sizeof(x));
        cuzk_fp_sub_hd(&x, &a, &b);
        CHECKED_CALL(cuzk_fp_sub_x64, &y, &a, &b);
        CHECK_MEM(&y, &x, sizeof(x));
        cuzk_fp_neg_hd(&x, &a);
        cuzk_fp_neg(&y, &a);
        CHECK_MEM(&y, &x, sizeof(x));
        cuzk_fp_sub_hd(&x, &a, &b);
        y = b;
        CHECKED_CALL(cuzk_fp_sub_x64, &y, &a, &y);
        CHECK_MEM(&y, &x, sizeof(x));
        cuzk_fp_add_hd(&y, &b, &b);
        CHECKED_CALL(cuzk_fp_add_x64, &b, &b, &b);
        CHECK_MEM(&b, &y, sizeof(y));
    }
}

static void fp_mul(void)
{
    need_adx();
    for (size_t i = 0; i < test_iters(50000); i++) {
        cuzk_fp a, b, x, y;
        gen_below(a.l, gen_q, two_q, 6);
        gen_below(b.l, gen_q, two_q, 6);
        cuzk_fp_mul_c(&x, &a, &b);
        CHECKED_CALL(cuzk_fp_mul_adx, &y, &a, &b);
        CHECK_MEM(&y, &x, sizeof(x));
        y = b;
        CHECKED_CALL(cuzk_fp_mul_adx, &y, &a, &y);
        CHECK_MEM(&y, &x, sizeof(x));
        cuzk_fp_mul_c(&x, &a, &a);
        CHECKED_CALL(cuzk_fp_sqr_adx, &a, &a);
        CHECK_MEM(&a, &x, sizeof(x));
    }
}

static void fp_wide(void)
{
    need_adx();
    for (size_t i = 0; i < test_iters(50000); i++) {
        cuzk_fp a, b, p, r;
        cuzk_fp_wide x, y;
        gen_limbs(a.l, gen_q, 6);
        gen_limbs(b.l, gen_q, 6);
        cuzk_fp_wide_mul_c(&x, &a, &b);
        CHECKED_CALL(cuzk_fp_wide_mul_adx, &y, &a, &b);
        CHECK_MEM(&y, &x, sizeof(x));
        cuzk_fp_wide_mul_c(&x, &a, &a);
        CHECKED_CALL(cuzk_fp_wide_sqr_adx, &y, &a);
        CHECK_MEM(&y, &x, sizeof(x));

        gen_below(a.l, gen_q, two_q, 6); /* 4 q^2 is inside the range of redc */
        gen_below(b.l, gen_q, two_q, 6);
        cuzk_fp_wide_mul_c(&x, &a, &b);
        cuzk_fp_redc_c(&p, &x);
        CHECKED_CALL(cuzk_fp_redc_adx, &r, &x);
        CHECK_MEM(&r, &p, sizeof(r));
        cuzk_fp_mul_c(&r, &a, &b);
        CHECK_MEM(&r, &p, sizeof(r));
    }
}

static void fp2(void)
{
    need_adx();
    for (size_t i = 0; i < test_iters(30000); i++) {
        cuzk_fp2 a, b, x, y;
        gen_fp2(&a);
        gen_fp2(&b);
        cuzk_fp2_mul_c(&x, &a, &b);
        CHECKED_CALL(cuzk_fp2_mul_adx, &y, &a, &b);
        CHECK_MEM(&y, &x, sizeof(x));
        y = a;
        CHECKED_CALL(cuzk_fp2_mul_adx, &y, &y, &b);
        CHECK_MEM(&y, &x, sizeof(x));
        cuzk_fp2_mul_c(&y, &a, &b);
        CHECK_MEM(&y, &x, sizeof(x));
        y = b;
        CHECKED_CALL(cuzk_fp2_mul_adx, &y, &a, &y);
        CHECK_MEM(&y, &x, sizeof(x));
        y = b;
        cuzk_fp2_mul_c(&y, &a, &y);
        CHECK_MEM(&y, &x, sizeof(x));
        cuzk_fp2_sqr_c(&x, &a);
        cuzk_fp2_mul_c(&y, &a, &a);
        CHECK_MEM(&y, &x, sizeof(x));
        CHECKED_CALL(cuzk_fp2_sqr_adx, &y, &a);
        CHECK_MEM(&y, &x, sizeof(x));
        y = a;
        CHECKED_CALL(cuzk_fp2_sqr_adx, &y, &y);
        CHECK_MEM(&y, &x, sizeof(x));
        y = a;
        cuzk_fp2_sqr_c(&y, &y);
        CHECK_MEM(&y, &x, sizeof(x));
    }
}

static void fp_sums_of_products(void)
{
    need_adx();
    for (size_t i = 0; i < test_iters(30000); i++) {
        cuzk_fp a, b, c, d, x, y, z;
        gen_fp(&a);
        gen_below(b.l, gen_q, two_q, 6);
        gen_fp(&c);
        gen_below(d.l, gen_q, two_q, 6);
        cuzk_fp_mul_c(&x, &a, &b);
        cuzk_fp_mul_c(&y, &c, &d);
        cuzk_fp_add_hd(&z, &x, &y);
        cuzk_fp_sub_hd(&x, &x, &y);
        cuzk_fp_mulsum_c(&y, &a, &b, &c, &d);
        CHECK_MEM(&y, &z, sizeof(z));
        CHECKED_CALL(cuzk_fp_mulsum_adx, &y, &a, &b, &c, &d);
        CHECK_MEM(&y, &z, sizeof(z));
        y = d;
        CHECKED_CALL(cuzk_fp_mulsum_adx, &y, &a, &b, &c, &y);
        CHECK_MEM(&y, &z, sizeof(z));
        cuzk_fp_muldiff_c(&y, &a, &b, &c, &d);
        CHECK_MEM(&y, &x, sizeof(x));
        y = c;
        CHECKED_CALL(cuzk_fp_muldiff_adx, &y, &a, &b, &y, &d);
        CHECK_MEM(&y, &x, sizeof(x));
        y = a;
        CHECKED_CALL(cuzk_fp_muldiff_adx, &y, &y, &b, &c, &d);
        CHECK_MEM(&y, &x, sizeof(x));
    }
}

static void gen_modular(cuzk_fp_wide *out)
{
    static const uint64_t k[12] = CUZK_FP_MOD_SHL382_LIMBS;
    gen_below(out->l, k, k, 12);
}

static void fp_wide_add_sub(void)
{
    for (size_t i = 0; i < test_iters(50000); i++) {
        cuzk_fp_wide a, b, x, y;
        cuzk_fp p, q, r;
        gen_modular(&a);
        gen_modular(&b);
        cuzk_fp_redc_c(&p, &a);
        cuzk_fp_redc_c(&q, &b);
        cuzk_fp_wide_add_c(&x, &a, &b);
        CHECKED_CALL(cuzk_fp_wide_add_x64, &y, &a, &b);
        CHECK_MEM(&y, &x, sizeof(x));
        cuzk_fp_redc(&r, &x); /* also: redc over the whole modular class */
        cuzk_fp_sub_hd(&r, &r, &p);
        CHECK_MEM(&r, &q, sizeof(r));
        cuzk_fp_wide_sub_c(&x, &a, &b);
        CHECKED_CALL(cuzk_fp_wide_sub_x64, &y, &a, &b);
        CHECK_MEM(&y, &x, sizeof(x));
        cuzk_fp_redc(&r, &x);
        cuzk_fp_add_hd(&r, &r, &q);
        CHECK_MEM(&r, &p, sizeof(r));
        y = b;
        CHECKED_CALL(cuzk_fp_wide_sub_x64, &y, &a, &y);
        CHECK_MEM(&y, &x, sizeof(x));
        cuzk_fp_wide_add_nr(&x, &a, &b);
        cuzk_fp_wide_sub_nr(&x, &x, &b);
        CHECK_MEM(&x, &a, sizeof(x));
    }
}

/* got = a + b as integers of n limbs. */
static void check_sum(const uint64_t *got, const uint64_t *a, const uint64_t *b, size_t n)
{
    uint64_t carry = 0;
    for (size_t k = 0; k < n; k++) {
        const uint64_t partial = a[k] + carry;
        const uint64_t sum = partial + b[k];
        carry = (uint64_t)(partial < carry) | (uint64_t)(sum < partial);
        CHECK_U64(got[k], sum);
    }
}

/* n squarings in a row; the sums without reduction. */
static void chains_and_plain_sums(void)
{
    for (size_t i = 0; i < test_iters(5000); i++) {
        cuzk_fp a, b, x, y;
        gen_fp(&a);
        gen_fp(&b);
        cuzk_fp_add_nr_x64(&x, &a, &b);
        CHECKED_CALL(cuzk_fp_add_nr_x64, &y, &a, &b);
        CHECK_MEM(&y, &x, sizeof(x));
        check_sum(y.l, a.l, b.l, 6);
        cuzk_fp_wide u, v, s, t;
        cuzk_fp_wide_mul_c(&u, &a, &b);
        cuzk_fp_wide_mul_c(&v, &a, &a);
        CHECKED_CALL(cuzk_fp_wide_add_nr_x64, &s, &u, &v);
        check_sum(s.l, u.l, v.l, 12);
        CHECKED_CALL(cuzk_fp_wide_sub_nr_x64, &t, &s, &v);
        CHECK_MEM(&t, &u, sizeof(t));
        if (!cuzk_cpu_has(CUZK_CPU_ADX)) {
            continue;
        }
        const size_t n = 1 + test_below(9);
        x = a;
        for (size_t k = 0; k < n; k++) {
            cuzk_fp_mul_c(&x, &x, &x);
        }
        CHECKED_CALL(cuzk_fp_sqr_n_adx, &y, &a, n);
        CHECK_MEM(&y, &x, sizeof(x));
        CHECKED_CALL(cuzk_fp_sqr_n_adx, &a, &a, n);
        CHECK_MEM(&a, &x, sizeof(x));
    }
}

void test_bad_register(void);
void test_bad_stack(void);
void test_bad_direction(void);
void test_bad_canary(void);

/* Functions that break one rule each are found. */
static void checked_call_finds(void)
{
    const uint64_t none[6] = {0};
    CHECK_U64(test_checked_call_x64(test_bad_register, none), CUZK_BROKE_REGISTER);
    CHECK_U64(test_checked_call_x64(test_bad_stack, none), CUZK_BROKE_STACK_POINTER);
    CHECK_U64(test_checked_call_x64(test_bad_direction, none), CUZK_BROKE_DIRECTION_FLAG);
    CHECK_U64(test_checked_call_x64(test_bad_canary, none), CUZK_BROKE_CALLERS_STACK);
}

static const cuzk_case cases[] = {CASE(fr_add_sub),
                                  CASE(fr_mul),
                                  CASE(fp_add_sub),
                                  CASE(fp_mul),
                                  CASE(fp_wide),
                                  CASE(fp2),
                                  CASE(fp_sums_of_products),
                                  CASE(fp_wide_add_sub),
                                  CASE(chains_and_plain_sums),
                                  CASE(checked_call_finds)};

#else

static void twins(void)
{
    cuzk_test_skip("portable build");
}

static const cuzk_case cases[] = {CASE(twins)};

#endif

TEST_MAIN("ff/twins", cases)
