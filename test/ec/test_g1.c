/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "ec/g1.h"
#include "ref/ref_ec.h"

#define F           cuzk_fp
#define FF(verb)    cuzk_fp_##verb
#define AFF         cuzk_g1_affine
#define JAC         cuzk_g1
#define XYZZ        cuzk_g1_xyzz
#define FN(verb)    cuzk_g1_##verb
#define GEN         CUZK_G1_GENERATOR
#define NB          48
#define BAD         "bad1"
#define COMP_COLUMN 1

static void to_ref(ref_point *out, const cuzk_g1_affine *a)
{
    uint8_t x[48], y[48];
    cuzk_fp_to_bytes_be(x, &a->x);
    cuzk_fp_to_bytes_be(y, &a->y);
    ref_import(out, x, NULL, y, NULL);
}

#include "ec_cases_tmpl.h"

static void endomorphism(void)
{
    for (size_t i = 0; i < test_iters(20); i++) {
        AFF a, e, want;
        JAC p, q;
        random_point(&a);
        cuzk_g1_affine_endo(&e, &a);
        FN(from_affine)(&p, &a);
        mul_plain(&q, &p, &CUZK_ENDO_LAMBDA);
        FN(to_affine)(&want, &q);
        CHECK(FN(affine_eq)(&e, &want));
        /* s P = k0 P - k1 phi(P) */
        cuzk_scalar s, k0 = {{0}}, k1 = {{0}};
        cuzk_fr f;
        random_scalar(&s);
        cuzk_fr_from_scalar(&f, &s);
        cuzk_fr_to_scalar(&s, &f);
        cuzk_endo_split_g1_hd(k0.l, k1.l, s.l);
        mul_plain(&q, &p, &s);
        mul_plain(&p, &p, &k0);
        JAC t;
        FN(from_affine)(&t, &e);
        mul_plain(&t, &t, &k1);
        FN(neg)(&t, &t);
        FN(add)(&p, &p, &t);
        CHECK(FN(eq)(&p, &q));
    }
}

static const cuzk_case cases[] = {
    CASE(jacobian_all_small_pairs),  CASE(xyzz_all_small_pairs), CASE(batch_to_affine),
    CASE(mul_against_reference),     CASE(mul_edge_scalars),     CASE(mul_edge_digits),
    CASE(encoding_round_trip),       CASE(encoding_refusals),    CASE(known_answers),
    CASE(subgroup_of_random_points), CASE(endomorphism)};
TEST_MAIN("ec/g1", cases)
