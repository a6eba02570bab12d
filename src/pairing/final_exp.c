/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "ec/gen/ec_const_gen.h"
#include "pairing/gt_x4.h"
#include "pairing/pairing.h"

/* out = a^z in the cyclotomic subgroup; z is negative. */
static void pow_z(cuzk_fp12 *out, const cuzk_fp12 *a)
{
    static const uint64_t z = CUZK_EC_Z_ABS;
    cuzk_fp12_cyclotomic_pow(out, a, &z, 1);
    cuzk_fp12_conj(out, out);
}

/* out = a^(z - 1). */
static void pow_z_minus_1(cuzk_fp12 *out, const cuzk_fp12 *a)
{
    cuzk_fp12 t, inv;
    cuzk_fp12_conj(&inv, a);
    pow_z(&t, a);
    cuzk_fp12_mul(out, &t, &inv);
}

void cuzk_pairing_final_exp(cuzk_fp12 *out, const cuzk_fp12 *f)
{
    /* Easy part (q^6 - 1)(q^2 + 1); hard part 3 (q^4 - q^2 + 1)/r
     * = (z - 1)^2 (z + q)(z^2 + q^2 - 1) + 3 (Hayashida, Hayasaka, Teruya, eprint 2020/875). */
    cuzk_fp12 m, a, b, t;
    cuzk_fp12_inv(&t, f);
    cuzk_fp12_conj(&m, f);
    cuzk_fp12_mul(&m, &m, &t);
    cuzk_fp12_frobenius(&t, &m, 2);
    cuzk_fp12_mul(&m, &m, &t);
    pow_z_minus_1(&a, &m);
    pow_z_minus_1(&a, &a);
    pow_z(&b, &a);
    cuzk_fp12_frobenius(&a, &a, 1);
    cuzk_fp12_mul(&a, &a, &b); /* (z - 1)^2 (z + q) */
    pow_z(&b, &a);
    pow_z(&b, &b);
    cuzk_fp12_frobenius(&t, &a, 2);
    cuzk_fp12_mul(&b, &b, &t);
    cuzk_fp12_conj(&a, &a);
    cuzk_fp12_mul(&b, &b, &a);
    cuzk_fp12_cyclotomic_sqr(&t, &m);
    cuzk_fp12_mul(&t, &t, &m);
    cuzk_fp12_mul(out, &b, &t);
}

void cuzk_pairing_final_exps(cuzk_fp12 *f, size_t n)
{
    size_t i = 0;
#ifdef CUZK_FF_AVX2
    enum { LANES = 4, LEAST = 2 };
    while (cuzk_cpu_has(CUZK_CPU_AVX2) && n - i >= LEAST) {
        cuzk_fp12 four[LANES];
        const size_t m = n - i < LANES ? n - i : LANES;
        for (size_t k = 0; k < LANES; k++) {
            four[k] = f[i + (k < m ? k : 0)];
        }
        cuzk_pairing_final_exp_avx2(four, four);
        for (size_t k = 0; k < m; k++) {
            f[i++] = four[k];
        }
    }
#endif
    while (i < n) {
        cuzk_pairing_final_exp(&f[i], &f[i]);
        i++;
    }
}
