/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "ec/gen/ec_const_gen.h"
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
