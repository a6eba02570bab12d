/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "pairing/gt_x4.h"

#ifdef CUZK_FF_AVX2
#    include "ec/gen/ec_const_gen.h"
#    include "ff/x4/fp12_x4.h"

enum { LANES = 4 };

static __attribute__((noinline)) void pow_z(cuzk_fp12_x4 *out, const cuzk_fp12_x4 *a)
{
    const cuzk_fp12_x4 base = *a;
    cuzk_fp12_x4 acc = base;
    for (int i = 62; i >= 0; i--) {
        cuzk_fp12_x4_cyclotomic_sqr(&acc, &acc);
        if ((CUZK_EC_Z_ABS >> i & 1) != 0) {
            cuzk_fp12_x4_mul(&acc, &acc, &base);
        }
    }
    cuzk_fp12_x4_conj(out, &acc);
}

void cuzk_gt_pow_z_avx2(cuzk_fp12 out[4], const cuzk_fp12 a[4])
{
    cuzk_fp12_x4 t;
    cuzk_fp12_x4_load(&t, a);
    pow_z(&t, &t);
    cuzk_fp12_x4_store(out, &t);
}

/* out = a^(z - 1). In place allowed. */
static __attribute__((noinline)) void pow_z_minus_1(cuzk_fp12_x4 *out, const cuzk_fp12_x4 *a)
{
    cuzk_fp12_x4 inv;
    cuzk_fp12_x4_conj(&inv, a);
    pow_z(out, a);
    cuzk_fp12_x4_mul(out, out, &inv);
}

/* out = a^(q^k). In place allowed. */
static void frobenius(cuzk_fp12_x4 *out, const cuzk_fp12_x4 *a, unsigned k)
{
    cuzk_fp12 t[LANES];
    cuzk_fp12_x4_store(t, a);
    for (size_t i = 0; i < LANES; i++) {
        cuzk_fp12_frobenius(&t[i], &t[i], k);
    }
    cuzk_fp12_x4_load(out, t);
}

/* out *= a^(q^2) / a */
static __attribute__((noinline)) void times_twice_over(cuzk_fp12_x4 *out, const cuzk_fp12_x4 *a)
{
    cuzk_fp12_x4 t;
    frobenius(&t, a, 2);
    cuzk_fp12_x4_mul(out, out, &t);
    cuzk_fp12_x4_conj(&t, a);
    cuzk_fp12_x4_mul(out, out, &t);
}

/* out *= m^3 */
static __attribute__((noinline)) void times_cube(cuzk_fp12_x4 *out, const cuzk_fp12 m[LANES])
{
    cuzk_fp12_x4 t;
    cuzk_fp12_x4_load(&t, m);
    cuzk_fp12_x4_mul(out, out, &t);
    cuzk_fp12_x4_cyclotomic_sqr(&t, &t);
    cuzk_fp12_x4_mul(out, out, &t);
}

/* f^((q^6 - 1)(q^2 + 1)) */
static void easy_part(cuzk_fp12 *out, const cuzk_fp12 *f)
{
    cuzk_fp12 t, m;
    cuzk_fp12_inv(&t, f);
    cuzk_fp12_conj(&m, f);
    cuzk_fp12_mul(&m, &m, &t);
    cuzk_fp12_frobenius(&t, &m, 2);
    cuzk_fp12_mul(out, &m, &t);
}

/* The chain of final_exp.c. */
void cuzk_pairing_final_exp_avx2(cuzk_fp12 out[4], const cuzk_fp12 f[4])
{
    cuzk_fp12 m[LANES];
    cuzk_fp12_x4 a, b;
    for (size_t i = 0; i < LANES; i++) {
        easy_part(&m[i], &f[i]);
    }
    cuzk_fp12_x4_load(&a, m);
    pow_z_minus_1(&a, &a);
    pow_z_minus_1(&a, &a);
    pow_z(&b, &a);
    frobenius(&a, &a, 1);
    cuzk_fp12_x4_mul(&a, &a, &b); /* (z - 1)^2 (z + q) */
    pow_z(&b, &a);
    pow_z(&b, &b);
    times_twice_over(&b, &a);
    times_cube(&b, m);
    cuzk_fp12_x4_store(out, &b);
}
#endif
