/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Four elements at a time (ff/x4) against one at a time, up to the bounds that the headers state. */
#include <string.h>

#include "ff/x4/fp12_x4.h"

#include "checked_call.h"
#include "test.h"

enum { LANES = 4 };

/* Any limbs below A 2^28, the last one below 2^(top): not the limbs of a reduced element. */
static void random_limbs(cuzk_fp_x4 *out, uint64_t a, unsigned top)
{
    uint64_t w[CUZK_FP_X4_LIMBS][LANES];
    test_bytes(w, sizeof(w));
    for (size_t j = 0; j < CUZK_FP_X4_LIMBS; j++) {
        for (size_t k = 0; k < LANES; k++) {
            const uint64_t limit = j + 1 < CUZK_FP_X4_LIMBS ? a << 28 : UINT64_C(1) << top;
            w[j][k] = w[j][k] % 8 == 0 ? limit - 1 : w[j][k] % limit;
        }
    }
    memcpy(out, w, sizeof(w));
}

/* What lane k of limbs stands for, by Horner's rule in Fp. */
static cuzk_fp meaning(const cuzk_fp_x4 *a, size_t k)
{
    uint64_t w[CUZK_FP_X4_LIMBS][LANES];
    cuzk_fp sum = CUZK_FP_ZERO, shift = CUZK_FP_ONE, r = CUZK_FP_ONE;
    memcpy(w, a, sizeof(w));
    for (size_t i = 0; i < 28; i++) {
        cuzk_fp_add(&shift, &shift, &shift);
    }
    for (size_t j = CUZK_FP_X4_LIMBS; j-- > 0;) {
        cuzk_fp limb = CUZK_FP_ZERO;
        for (size_t bit = 64; bit-- > 0;) {
            cuzk_fp_add(&limb, &limb, &limb);
            if ((w[j][k] >> bit & 1) != 0) {
                cuzk_fp_add(&limb, &limb, &CUZK_FP_ONE);
            }
        }
        cuzk_fp_mul(&sum, &sum, &shift);
        cuzk_fp_add(&sum, &sum, &limb);
        cuzk_fp_mul(&r, &r, &shift);
    }
    cuzk_fp_inv(&r, &r); /* 2^-392 */
    cuzk_fp_mul(&sum, &sum, &r);
    return sum;
}

static void check_limbs(const cuzk_fp_x4 *a)
{
    uint64_t w[CUZK_FP_X4_LIMBS][LANES];
    memcpy(w, a, sizeof(w));
    for (size_t j = 0; j < CUZK_FP_X4_LIMBS; j++) {
        for (size_t k = 0; k < LANES; k++) {
            CHECK(w[j][k] < UINT64_C(1) << 28);
        }
    }
}

static void check_store(const cuzk_fp_x4 *a)
{
    cuzk_fp got[LANES];
    cuzk_fp_x4_store(got, sizeof(*got), a);
    for (size_t k = 0; k < LANES; k++) {
        const cuzk_fp want = meaning(a, k);
        CHECK_MEM(&got[k], &want, sizeof(want));
    }
}

static void random_fp(cuzk_fp *out)
{
    uint8_t b[48];
    do {
        test_bytes(b, sizeof(b));
        b[0] &= 0x1f;
    } while (!cuzk_fp_from_bytes_be(out, b));
}

static void load_and_store(void)
{
    for (size_t round = 0; round < 50; round++) {
        cuzk_fp in[LANES], got[LANES];
        cuzk_fp_x4 v;
        for (size_t k = 0; k < LANES; k++) {
            random_fp(&in[k]);
        }
        if (round == 0) {
            in[0] = CUZK_FP_ZERO;
            in[1] = CUZK_FP_ONE;
            cuzk_fp_neg(&in[2], &CUZK_FP_ONE);
        }
        cuzk_fp_x4_load(&v, in, sizeof(*in));
        check_limbs(&v);
        cuzk_fp_x4_store(got, sizeof(*got), &v);
        CHECK_MEM(got, in, sizeof(in));
        cuzk_fp_x4_carry(&v, &v);
        check_store(&v);
    }
}

/* The sum of n products; the registers that a function must keep are looked at. */
static void dot(size_t n, cuzk_fp_x4 *out, const cuzk_fp_x4_term *t, const cuzk_fp_x4 *addend)
{
    switch (n) {
    case 1: CHECKED_CALL(cuzk_fp_x4_dot1_avx2, out, t, addend); break;
    case 2: CHECKED_CALL(cuzk_fp_x4_dot2_avx2, out, t, addend); break;
    case 3: CHECKED_CALL(cuzk_fp_x4_dot3_avx2, out, t, addend); break;
    default: CHECKED_CALL(cuzk_fp_x4_dot4_avx2, out, t, addend); break;
    }
}

/* Top limbs: q is below 2^16.7 2^364, so that 2^21 2^364 is 20 q and 2^25 2^364 some 300 q. */
static void sums_of_products(void)
{
    static const struct {
        size_t n;
        uint64_t a, b;
        unsigned top_a, top_b;
    } form[] = {{1, 16, 1, 25, 18}, {1, 1, 1, 17, 17}, {2, 4, 2, 21, 21},
                {3, 5, 1, 21, 21},  {4, 2, 2, 20, 20}, {4, 1, 4, 22, 19}};
    for (size_t round = 0; round < 300; round++) {
        const size_t f = round % (sizeof(form) / sizeof(form[0])), n = form[f].n;
        static cuzk_fp_x4 a[4], b[4], addend, got;
        cuzk_fp_x4_term t[4];
        for (size_t i = 0; i < n; i++) {
            random_limbs(&a[i], form[f].a, form[f].top_a);
            random_limbs(&b[i], form[f].b, form[f].top_b);
            t[i] = (cuzk_fp_x4_term){&a[i], &b[i]};
        }
        random_limbs(&addend, 1, 24);
        const bool with = round % 2 == 0;
        dot(n, &got, t, with ? &addend : NULL);
        check_limbs(&got);
        for (size_t k = 0; k < LANES; k++) {
            cuzk_fp want = CUZK_FP_ZERO;
            for (size_t i = 0; i < n; i++) {
                cuzk_fp x = meaning(&a[i], k), y = meaning(&b[i], k);
                cuzk_fp_mul(&x, &x, &y);
                cuzk_fp_add(&want, &want, &x);
            }
            if (with) {
                const cuzk_fp x = meaning(&addend, k);
                cuzk_fp_add(&want, &want, &x);
            }
            const cuzk_fp is = meaning(&got, k);
            CHECK_MEM(&is, &want, sizeof(want));
        }
        dot(n, &a[0], t, with ? &addend : NULL); /* into an operand */
        CHECK_MEM(&a[0], &got, sizeof(got));
    }
}

/* Factors for an unreduced product. */
static cuzk_fp_x4_factors factors_of(const cuzk_fp_x4 *a, __m256i *a_half, const cuzk_fp_x4 *b,
                                     __m256i *b_half)
{
    cuzk_fp_x4_halves(a_half, a);
    cuzk_fp_x4_halves(b_half, b);
    return (cuzk_fp_x4_factors){a->l, a_half, b->l, b_half};
}

static void check_sum(const cuzk_fp_x4 *got, const cuzk_fp_x4 *const a[2],
                      const cuzk_fp_x4 *const b[2], bool minus, const cuzk_fp_x4 *addend)
{
    check_limbs(got);
    for (size_t k = 0; k < LANES; k++) {
        cuzk_fp want = CUZK_FP_ZERO;
        for (size_t i = 0; i < 2; i++) {
            cuzk_fp x = meaning(a[i], k), y = meaning(b[i], k);
            cuzk_fp_mul(&x, &x, &y);
            (i == 1 && minus ? cuzk_fp_sub : cuzk_fp_add)(&want, &want, &x);
        }
        if (addend != NULL) {
            const cuzk_fp x = meaning(addend, k);
            cuzk_fp_add(&want, &want, &x);
        }
        const cuzk_fp is = meaning(got, k);
        CHECK_MEM(&is, &want, sizeof(want));
    }
}

/* Sums and differences of products that are reduced once, with limbs and values up to the bounds. */
static void products_not_reduced(void)
{
    for (size_t round = 0; round < 200; round++) {
        static cuzk_fp_x4 a[2], b[2], a_sum, b_sum, addend, got;
        static cuzk_fp_x4_wide p, m, s, both;
        __m256i half[8][CUZK_FP_X4_HALF];
        random_limbs(&a[0], 4, 21);
        random_limbs(&a[1], 3, 21);
        random_limbs(&b[0], 1, 20);
        random_limbs(&b[1], 1, 20);
        random_limbs(&addend, 1, 24);
        const cuzk_fp_x4 *add = round % 2 == 0 ? &addend : NULL;
        const cuzk_fp_x4_factors t[2] = {factors_of(&a[0], half[0], &b[0], half[1]),
                                         factors_of(&a[1], half[2], &b[1], half[3])};
        CHECKED_CALL(cuzk_fp_x4_wide2_avx2, &both, t);
        CHECKED_CALL(cuzk_fp_x4_redc_avx2, &got, &both, add);
        check_sum(&got, (const cuzk_fp_x4 *[]){&a[0], &a[1]}, (const cuzk_fp_x4 *[]){&b[0], &b[1]},
                  false, add);
        CHECKED_CALL(cuzk_fp_x4_wide1_avx2, &p, &t[0]);
        CHECKED_CALL(cuzk_fp_x4_wide1_avx2, &m, &t[1]);
        const cuzk_fp_x4_wide *k = round % 3 == 0 ? &cuzk_fp_x4_wide600 : &cuzk_fp_x4_wide900;
        CHECKED_CALL(cuzk_fp_x4_redc_real_avx2, &got, &p, &m, k, add);
        check_sum(&got, (const cuzk_fp_x4 *[]){&a[0], &a[1]}, (const cuzk_fp_x4 *[]){&b[0], &b[1]},
                  true, add);
        cuzk_fp_x4_add(&a_sum, &a[0], &a[1]);
        cuzk_fp_x4_add(&b_sum, &b[0], &b[1]);
        const cuzk_fp_x4_factors sums = factors_of(&a_sum, half[4], &b_sum, half[5]);
        CHECKED_CALL(cuzk_fp_x4_wide1_avx2, &s, &sums);
        CHECKED_CALL(cuzk_fp_x4_redc_cross_avx2, &got, &s, &p, &m, add);
        check_sum(&got, (const cuzk_fp_x4 *[]){&a[0], &a[1]}, (const cuzk_fp_x4 *[]){&b[1], &b[0]},
                  false, add);
    }
}

/* The multiple of q that the top limb shows, taken off: up to 1250 q, with limbs up to 2^32. */
static void small_multiples_of_q(void)
{
    for (size_t round = 0; round < 200; round++) {
        static cuzk_fp_x4 a, d, got;
        random_limbs(&a, 16, 27);
        if (round < 3) { /* the smallest: 0, 1 and a limb below the top ones */
            memset(&a, 0, sizeof(a));
            a.l[0] = _mm256_set1_epi64x(round == 0 ? 0 : 1);
            a.l[11] = _mm256_set1_epi64x(round == 2 ? 1 : 0);
        }
        cuzk_fp_x4_reduce(&got, &a);
        check_limbs(&got);
        for (size_t k = 0; k < LANES; k++) {
            const cuzk_fp is = meaning(&got, k), want = meaning(&a, k);
            CHECK_MEM(&is, &want, sizeof(want));
        }
        a = got;
        random_limbs(&d, 4, 20);
        cuzk_fp_x4_minus(&got, &a, &d);
        check_limbs(&got);
        for (size_t k = 0; k < LANES; k++) {
            const cuzk_fp is = meaning(&got, k), x = meaning(&a, k), y = meaning(&d, k);
            cuzk_fp want;
            cuzk_fp_sub(&want, &x, &y);
            CHECK_MEM(&is, &want, sizeof(want));
            uint64_t w[CUZK_FP_X4_LIMBS][LANES];
            memcpy(w, &got, sizeof(w));
            CHECK(w[13][k] <= 3 * 106514 / 2); /* below 1.5 q */
        }
    }
}

typedef struct four {
    cuzk_fp2 one[LANES];
    cuzk_fp2_x4 x4;
} four;

static void random_four(four *out)
{
    for (size_t k = 0; k < LANES; k++) {
        random_fp(&out->one[k].c0);
        random_fp(&out->one[k].c1);
    }
    cuzk_fp2_x4_load(&out->x4, out->one, sizeof(*out->one));
}

static void check_four(const cuzk_fp2_x4 *got, const cuzk_fp2 want[LANES])
{
    cuzk_fp2 is[LANES];
    check_limbs(&got->c0);
    check_limbs(&got->c1);
    cuzk_fp2_x4_store(is, sizeof(*is), got);
    CHECK_MEM(is, want, sizeof(is));
}

static void products_in_fp2(void)
{
    for (size_t round = 0; round < 30; round++) {
        static four a, b, c, d;
        cuzk_fp2 want[LANES], t;
        cuzk_fp2_x4 got, inv[2], scratch[2];
        random_four(&a);
        random_four(&b);
        random_four(&c);
        random_four(&d);
        for (size_t k = 0; k < LANES; k++) {
            cuzk_fp2_mul(&want[k], &a.one[k], &b.one[k]);
            cuzk_fp2_sub(&want[k], &want[k], &d.one[k]);
        }
        cuzk_fp2_x4_mul_sub(&got, &a.x4, &b.x4, &d.x4);
        check_four(&got, want);
        for (size_t k = 0; k < LANES; k++) {
            cuzk_fp2_mul(&want[k], &a.one[k], &b.one[k]);
            cuzk_fp2_mul(&t, &c.one[k], &d.one[k]);
            cuzk_fp2_add(&want[k], &want[k], &t);
        }
        cuzk_fp2_x4_mul_add(&got, &a.x4, &b.x4, &c.x4, &d.x4);
        check_four(&got, want);
        for (size_t k = 0; k < LANES; k++) {
            cuzk_fp2_sqr(&want[k], &a.one[k]);
            cuzk_fp2_sub(&want[k], &want[k], &d.one[k]);
        }
        cuzk_fp2_x4_sqr_sub(&got, &a.x4, &d.x4);
        check_four(&got, want);
        for (size_t k = 0; k < LANES;
             k++) { /* test_bytes gives zeros at times, which have no inverse */
            a.one[k] = cuzk_fp2_is_zero(&a.one[k]) ? CUZK_FP2_ONE : a.one[k];
            if (cuzk_fp2_eq(&b.one[k], &c.one[k])) {
                cuzk_fp2_add(&b.one[k], &c.one[k], &CUZK_FP2_ONE);
            }
        }
        cuzk_fp2_x4_load(&inv[0], a.one, sizeof(*a.one));
        cuzk_fp2_x4_load(&b.x4, b.one, sizeof(*b.one));
        cuzk_fp2_x4_sub(&inv[1], &b.x4, &c.x4);
        cuzk_fp2_x4_batch_inv(inv, scratch, 2);
        for (size_t k = 0; k < LANES; k++) {
            cuzk_fp2_sub(&t, &b.one[k], &c.one[k]);
            cuzk_fp2_inv(&want[k], &t);
        }
        check_four(&inv[1], want);
    }
}

/* As many lines as a Miller loop has between two squarings, all coefficients as large as they get. */
static void lines_and_squarings(void)
{
    static cuzk_fp12_x4_product p;
    static cuzk_fp12_x4 f;
    static cuzk_fp12 want[LANES], got[LANES];
    cuzk_fp12_x4_set_one(&f);
    cuzk_fp12_x4_product_init(&p);
    for (size_t k = 0; k < LANES; k++) {
        cuzk_fp12_set_one(&want[k]);
    }
    for (size_t round = 0; round < 4; round++) {
        p.f[p.at] = f;
        for (size_t i = 0; i < 64; i++) {
            static four a, b;
            random_four(&a);
            random_four(&b);
            cuzk_fp12_x4_mul_line(&p, &a.x4, &b.x4);
            for (size_t k = 0; k < LANES; k++) { /* 1 + 2 b (1 - i) / 2 w^5 + 2 a (1 - i) / 2 w^3 */
                static const cuzk_fp2 zero;
                cuzk_fp2 conj;
                cuzk_fp12 l;
                cuzk_fp12_set_one(&l);
                cuzk_fp2_conj(&conj, &CUZK_FP2_ONE);
                cuzk_fp_neg(&conj.c1, &CUZK_FP_ONE); /* 1 - i */
                cuzk_fp2_mul(&l.c1.c1, &a.one[k], &conj);
                cuzk_fp2_mul(&l.c1.c2, &b.one[k], &conj);
                l.c1.c0 = zero;
                cuzk_fp12_mul(&want[k], &want[k], &l);
            }
        }
        f = p.f[p.at];
        cuzk_fp12_x4_store(got, &f);
        CHECK_MEM(got, want, sizeof(got));
        cuzk_fp12_x4_sqr(&f, &f);
        for (size_t k = 0; k < LANES; k++) {
            cuzk_fp12_sqr(&want[k], &want[k]);
        }
        cuzk_fp12_x4_store(got, &f);
        CHECK_MEM(got, want, sizeof(got));
    }
}

/* The cases need AVX2 from the first instruction on: this file is compiled for it. */
static void all(void)
{
    if (!cuzk_cpu_has(CUZK_CPU_AVX2)) {
        cuzk_test_skip("this processor has no AVX2");
    }
    load_and_store();
    sums_of_products();
    products_not_reduced();
    small_multiples_of_q();
    products_in_fp2();
    lines_and_squarings();
}

static const cuzk_case cases[] = {CASE(all)};
TEST_MAIN("ff/x4", cases)
