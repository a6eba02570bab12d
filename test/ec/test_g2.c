/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "ec/g2.h"
#include "ref/ref_ec.h"

#define F           cuzk_fp2
#define FF(verb)    cuzk_fp2_##verb
#define AFF         cuzk_g2_affine
#define JAC         cuzk_g2
#define XYZZ        cuzk_g2_xyzz
#define FN(verb)    cuzk_g2_##verb
#define GEN         CUZK_G2_GENERATOR
#define NB          96
#define BAD         "bad2"
#define COMP_COLUMN 3

static void to_ref(ref_point *out, const cuzk_g2_affine *a)
{
    uint8_t x0[48], x1[48], y0[48], y1[48];
    cuzk_fp_to_bytes_be(x0, &a->x.c0);
    cuzk_fp_to_bytes_be(x1, &a->x.c1);
    cuzk_fp_to_bytes_be(y0, &a->y.c0);
    cuzk_fp_to_bytes_be(y1, &a->y.c1);
    ref_import(out, x0, x1, y0, y1);
}

#include "ec_cases_tmpl.h"

static void endomorphism(void)
{
    for (size_t i = 0; i < test_iters(10); i++) {
        AFF a, e[4], want;
        JAC p, q, t;
        random_point(&a);
        e[0] = a;
        for (size_t k = 1; k < 4; k++) {
            cuzk_g2_affine_endo(&e[k], &e[k - 1]);
        }
        FN(from_affine)(&p, &a);
        mul_plain(&q, &p, &CUZK_ENDO_PSI_LAMBDA);
        FN(to_affine)(&want, &q);
        CHECK(FN(affine_eq)(&e[1], &want));
        /* s Q = d0 Q - d1 psi Q + d2 psi^2 Q - d3 psi^3 Q */
        cuzk_scalar s, d;
        cuzk_fr f;
        random_scalar(&s);
        cuzk_fr_from_scalar(&f, &s);
        cuzk_fr_to_scalar(&s, &f);
        cuzk_endo_digits_hd(d.l, s.l);
        mul_plain(&q, &p, &s);
        FN(set_infinity)(&p);
        for (size_t k = 0; k < 4; k++) {
            const cuzk_scalar dk = {{d.l[k], 0, 0, 0}};
            FN(from_affine)(&t, &e[k]);
            mul_plain(&t, &t, &dk);
            if (k % 2 == 1) {
                FN(neg)(&t, &t);
            }
            FN(add)(&p, &p, &t);
        }
        CHECK(FN(eq)(&p, &q));
    }
}

/* One division against 128-bit arithmetic, limb by limb, with limbs at the edges of z. */
static void division_by_z(void)
{
    __extension__ typedef unsigned __int128 u128;
    const uint64_t d = CUZK_EC_Z_ABS;
    const uint64_t edge[] = {0, 1, d - 1, d, d + 1, UINT64_MAX, UINT64_MAX - 1, 1ULL << 63};
    for (size_t i = 0; i < test_iters(20000); i++) {
        uint64_t in[4], out[4], rem = 0;
        for (size_t k = 0; k < 4; k++) {
            in[k] = test_below(2) == 0 ? edge[test_below(8)] : test_u64();
        }
        const uint64_t got = cuzk_endo_div_z_hd(out, in);
        for (size_t k = 4; k-- > 0;) {
            const u128 t = (u128)rem << 64 | in[k];
            CHECK_U64(out[k], (uint64_t)(t / d));
            rem = (uint64_t)(t % d);
        }
        CHECK_U64(got, rem);
    }
}

/* Digits against plain multiplication back, at the edges of the range. */
static void digits_recompose(void)
{
    for (size_t i = 0; i < test_iters(5000); i++) {
        cuzk_scalar s, z = {{CUZK_EC_Z_ABS, 0, 0, 0}}, d;
        cuzk_fr f, acc, zf, t;
        random_scalar(&s);
        cuzk_fr_from_scalar(&f, &s);
        if (i == 0) {
            cuzk_fr_neg(&f, &CUZK_FR_ONE);
        } else if (i <= 8) { /* around multiples of z */
            cuzk_fr_from_scalar(&f, &z);
            cuzk_fr_pow_u64(&f, &f, (i + 1) / 2);
            cuzk_fr_from_u64(&t, 1);
            if (i % 2 == 0) {
                cuzk_fr_sub(&f, &f, &t);
            }
        }
        cuzk_fr_to_scalar(&s, &f);
        cuzk_endo_digits_hd(d.l, s.l);
        cuzk_fr_from_scalar(&zf, &z);
        acc = CUZK_FR_ZERO;
        for (size_t k = 4; k-- > 0;) {
            CHECK(d.l[k] < CUZK_EC_Z_ABS);
            cuzk_fr_mul(&acc, &acc, &zf);
            cuzk_fr_from_u64(&t, d.l[k]);
            cuzk_fr_add(&acc, &acc, &t);
        }
        CHECK(cuzk_fr_eq(&acc, &f));
    }
}

static const cuzk_case cases[] = {
    CASE(jacobian_all_small_pairs),  CASE(xyzz_all_small_pairs), CASE(batch_to_affine),
    CASE(mul_against_reference),     CASE(mul_edge_scalars),     CASE(mul_edge_digits),
    CASE(encoding_round_trip),       CASE(encoding_refusals),    CASE(known_answers),
    CASE(subgroup_of_random_points), CASE(endomorphism),         CASE(division_by_z),
    CASE(digits_recompose)};
TEST_MAIN("ec/g2", cases)
