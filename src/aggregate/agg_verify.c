/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <string.h>

#include "aggregate/aggregate.h"
#include "aggregate/statements.h"
#include "base/alloc.h"
#include "base/entropy.h"
#include "pairing/gt.h"
#include "verify/input_sum.h"
#include "verify/vk.h"

/*
 * The checks of docs/spec/snarkpack.md, section 5, but the one of Z_C, are joined: check k is raised
 * to a random exponent e_k of 128 bits, drawn after the aggregate is fixed. Terms with the same point
 * of G2 are added up in G1 first, and all powers in GT are one product.
 */
enum { TIPP_Z, TIPP_T, TIPP_U, MIPP_T, MIPP_U, KZG_V_A, KZG_V_B, KZG_W_A, KZG_W_B, CHECKS };

typedef struct verifier {
    const cuzk_agg_vk *srs;
    const cuzk_vk *vk;
    const cuzk_agg_claim *claim;
    cuzk_agg_proof *p;
    cuzk_agg_challenges c;
    cuzk_fr e[CHECKS];
    cuzk_fr weight; /* sum of the powers of r */
    cuzk_g1 ic;     /* sum of r^i (IC_0 + sum of x_ij IC_j) */
    cuzk_err *err;
} verifier;

static cuzk_status draw_exponents(verifier *v)
{
    for (size_t i = 0; i < CHECKS; i++) {
        cuzk_scalar s = {{0, 0, 0, 0}};
        do {
            CUZK_TRY(cuzk_entropy(s.l, 16, v->err));
        } while ((s.l[0] | s.l[1]) == 0);
        cuzk_fr_from_scalar(&v->e[i], &s);
    }
    return CUZK_OK;
}

static void derive_challenges(verifier *v)
{
    const cuzk_agg_claim *q = v->claim;
    cuzk_agg_challenge_r(&v->c, v->p, q->include, q->n_include, NULL);
    cuzk_agg_challenge_first(&v->c, v->p, NULL);
    for (unsigned i = 0; i < v->p->rounds; i++) {
        cuzk_agg_challenge_round(&v->c, v->p, i, q->version, NULL);
    }
    cuzk_agg_challenge_z(&v->c, v->p, q->version, NULL);
}

static cuzk_status sum_inputs(verifier *v)
{
    const size_t n = v->claim->n_inputs + 1;
    cuzk_scalar *s = cuzk_alloc(n, sizeof(*s));
    if (s == NULL) {
        return CUZK_FAIL(v->err, CUZK_E_NOMEM, "%s", "no memory for the public inputs");
    }
    cuzk_status st = cuzk_agg_weigh_inputs(s, v->claim, NULL, &v->c.r, v->p->n, v->err);
    if (st == CUZK_OK) {
        cuzk_fr_from_scalar(&v->weight, &s[0]);
        st = cuzk_verify_input_sum(&v->ic, v->vk->ic, s, n);
    }
    cuzk_free(s);
    return st;
}

static cuzk_status sum_g1(cuzk_g1 *out, const cuzk_g1_affine *p, const cuzk_fr *s, size_t n)
{
    enum { MOST = 2 * CUZK_AGG_MAX_ROUNDS + 2 };
    cuzk_scalar k[MOST];
    for (size_t i = 0; i < n; i++) {
        cuzk_fr_to_scalar(&k[i], &s[i]);
    }
    return cuzk_verify_input_sum(out, p, k, n);
}

/* Z_C + sum of x l + x_inv r = final_r final_c. */
static cuzk_status check_z_c(const verifier *v)
{
    enum { MOST = 2 * CUZK_AGG_MAX_ROUNDS + 2 };
    cuzk_g1_affine p[MOST];
    cuzk_fr s[MOST], final_r;
    cuzk_g1 sum;
    size_t n = 0;
    for (unsigned i = 0; i < v->p->rounds; i++) {
        p[n] = v->p->round[i].z_c_l;
        s[n++] = v->c.x[i];
        p[n] = v->p->round[i].z_c_r;
        s[n++] = v->c.x_inv[i];
    }
    p[n] = v->p->z_c;
    s[n++] = CUZK_FR_ONE;
    cuzk_agg_fold_eval(&final_r, v->c.x_inv, v->p->rounds, &v->c.r, &CUZK_FR_ONE);
    p[n] = v->p->final_c;
    cuzk_fr_neg(&s[n++], &final_r);
    CUZK_TRY(sum_g1(&sum, p, s, n));
    return cuzk_g1_is_infinity(&sum)
               ? CUZK_OK
               : CUZK_FAIL(v->err, CUZK_E_PROOF_FALSE, "%s", "the aggregate does not verify: z_c");
}

/* The points of G1 of the left sides, by their partner in G2. */
enum { AT_B, AT_V1, AT_V2, AT_O1, AT_O2, AT_H, AT_HA, AT_HB, AT_GAMMA, AT_DELTA, PARTNERS };

static cuzk_status left_points(const verifier *v, cuzk_g1 out[PARTNERS])
{
    const cuzk_agg_proof *p = v->p;
    const cuzk_fr *e = v->e, *z = &v->c.z;
    const cuzk_g1_affine *g = &CUZK_G1_GENERATOR, *ga = &v->srs->g_a, *gb = &v->srs->g_b;
    cuzk_fr y_v, y_w, r_inv, zn, m[CHECKS], s[5];
    for (size_t i = 0; i < CHECKS; i++) {
        cuzk_fr_neg(&m[i], &e[i]);
    }
    cuzk_fr_inv(&r_inv, &v->c.r);
    cuzk_agg_fold_eval(&y_v, v->c.x_inv, p->rounds, z, &CUZK_FR_ONE);
    cuzk_agg_fold_eval(&y_w, v->c.x, p->rounds, z, &r_inv);
    cuzk_fr_pow_u64(&zn, z, p->n);
    cuzk_fr_mul(&y_w, &y_w, &zn);
    {
        const cuzk_g1_affine b[3] = {p->final_a, p->final_w[0], p->final_w[1]};
        CUZK_TRY(sum_g1(&out[AT_B], b, &e[TIPP_Z], 3));
    }
    for (size_t i = 0; i < 2; i++) {
        const cuzk_g1_affine b[3] = {p->final_a, p->final_c, *g};
        s[0] = e[TIPP_T + i];
        s[1] = e[MIPP_T + i];
        s[2] = m[KZG_V_A + i];
        CUZK_TRY(sum_g1(&out[AT_V1 + i], b, s, 3));
        const cuzk_g1_affine o[2] = {i == 0 ? *ga : *gb, *g};
        s[0] = e[KZG_V_A + i];
        cuzk_fr_mul(&s[1], &m[KZG_V_A + i], z);
        CUZK_TRY(sum_g1(&out[AT_O1 + i], o, s, 2));
        CUZK_TRY(sum_g1(&out[AT_HA + i], &p->w_opening[i], &e[KZG_W_A + i], 1));
    }
    const cuzk_g1_affine b[5] = {*g, p->final_w[0], p->final_w[1], p->w_opening[0],
                                 p->w_opening[1]};
    cuzk_fr_add(&s[0], &e[KZG_V_A], &e[KZG_V_B]);
    cuzk_fr_mul(&s[0], &s[0], &y_v);
    cuzk_fr_add(&s[1], &e[KZG_W_A], &e[KZG_W_B]);
    cuzk_fr_mul(&s[1], &s[1], &y_w);
    cuzk_fr_add(&s[0], &s[0], &s[1]);
    for (size_t i = 0; i < 2; i++) {
        s[1 + i] = m[KZG_W_A + i];
        cuzk_fr_mul(&s[3 + i], &m[KZG_W_A + i], z);
    }
    CUZK_TRY(sum_g1(&out[AT_H], b, s, 5));
    cuzk_g1_neg(&out[AT_GAMMA], &v->ic); /* the key holds the lines of -gamma and -delta */
    cuzk_g1_from_affine(&out[AT_DELTA], &p->z_c);
    cuzk_g1_neg(&out[AT_DELTA], &out[AT_DELTA]);
    return CUZK_OK;
}

static cuzk_status left_side(const verifier *v, cuzk_fp12 *out)
{
    const cuzk_agg_proof *p = v->p;
    cuzk_g1 jac[PARTNERS];
    cuzk_g1_affine a[PARTNERS];
    cuzk_fp scratch[PARTNERS];
    CUZK_TRY(left_points(v, jac));
    cuzk_g1_batch_to_affine(a, jac, scratch, PARTNERS);
    const cuzk_pairing_term t[PARTNERS] = {{&a[AT_B], &p->final_b, NULL},
                                           {&a[AT_V1], &p->final_v[0], NULL},
                                           {&a[AT_V2], &p->final_v[1], NULL},
                                           {&a[AT_O1], &p->v_opening[0], NULL},
                                           {&a[AT_O2], &p->v_opening[1], NULL},
                                           {&a[AT_H], NULL, &v->srs->h_lines},
                                           {&a[AT_HA], NULL, &v->srs->h_a_lines},
                                           {&a[AT_HB], NULL, &v->srs->h_b_lines},
                                           {&a[AT_GAMMA], NULL, &v->vk->minus_gamma},
                                           {&a[AT_DELTA], NULL, &v->vk->minus_delta}};
    cuzk_pairing_miller(out, t, PARTNERS);
    cuzk_pairing_final_exp(out, out);
    return CUZK_OK;
}

static void put_term(cuzk_gt_term *t, const cuzk_fp12 *base, const cuzk_fr *e)
{
    t->base = *base;
    cuzk_fr_to_scalar(&t->exponent, e);
}

/* Which check round element j folds into. */
static const uint8_t check_of[AGG_ROUND_GT] = {TIPP_T, TIPP_U, TIPP_T, TIPP_U, MIPP_T,
                                               MIPP_U, MIPP_T, MIPP_U, TIPP_Z, TIPP_Z};
static const bool is_right[AGG_ROUND_GT] = {false, false, true, true,  false,
                                            false, true,  true, false, true};

/*
 * The elements of one side of a round have the same power of x in common: the product of their powers of
 * e_k, which have half as many digits, is made first and raised to that.
 */
static void round_side(const verifier *v, unsigned i, bool right, cuzk_gt_term *out,
                       cuzk_gt_term inner[AGG_ROUND_GT], cuzk_gt_table *scratch)
{
    cuzk_fp12 product;
    size_t n = 0;
    for (size_t j = 0; j < AGG_ROUND_GT; j++) {
        if (is_right[j] == right) {
            put_term(&inner[n++], &v->p->round[i].gt[j], &v->e[check_of[j]]);
        }
    }
    cuzk_gt_multi_pow(&product, inner, n, scratch);
    put_term(out, &product, right ? &v->c.x_inv[i] : &v->c.x[i]);
}

static cuzk_status right_side(const verifier *v, cuzk_fp12 *out)
{
    static const uint8_t com_check[AGG_COMMITMENTS] = {TIPP_T, TIPP_U, MIPP_T, MIPP_U};
    const cuzk_agg_proof *p = v->p;
    const size_t most = AGG_COMMITMENTS + 2 + 2 * (size_t)p->rounds + AGG_ROUND_GT;
    cuzk_gt_term *t = cuzk_alloc(most, sizeof(*t));
    cuzk_gt_table *scratch = cuzk_alloc(most, sizeof(*scratch));
    size_t n = 0;
    cuzk_fr e;
    if (t == NULL || scratch == NULL) {
        cuzk_free(t);
        cuzk_free(scratch);
        return CUZK_FAIL(v->err, CUZK_E_NOMEM, "%s", "no memory to verify the aggregate");
    }
    for (size_t i = 0; i < AGG_COMMITMENTS; i++) {
        put_term(&t[n++], &p->com[i], &v->e[com_check[i]]);
    }
    cuzk_fr_add(&e, &v->e[TIPP_Z], &CUZK_FR_ONE); /* Z_AB folded, and as sent for Groth16 */
    put_term(&t[n++], &p->z_ab, &e);
    cuzk_fr_neg(&e, &v->weight);
    put_term(&t[n++], &v->vk->alpha_beta, &e);
    for (unsigned i = 0; i < p->rounds; i++) {
        round_side(v, i, false, &t[n++], t + most - AGG_ROUND_GT, scratch);
        round_side(v, i, true, &t[n++], t + most - AGG_ROUND_GT, scratch);
    }
    cuzk_gt_multi_pow(out, t, n, scratch);
    cuzk_free(t);
    cuzk_free(scratch);
    return CUZK_OK;
}

static cuzk_status run(verifier *v)
{
    cuzk_fp12 l, r;
    CUZK_TRY(draw_exponents(v));
    derive_challenges(v);
    CUZK_TRY(sum_inputs(v));
    CUZK_TRY(check_z_c(v));
    CUZK_TRY(left_side(v, &l));
    CUZK_TRY(right_side(v, &r));
    return cuzk_fp12_eq(&l, &r)
               ? CUZK_OK
               : CUZK_FAIL(v->err, CUZK_E_PROOF_FALSE, "%s", "the aggregate does not verify");
}

cuzk_status cuzk_agg_verify(const cuzk_agg_vk *srs, const cuzk_vk *vk, const cuzk_agg_claim *claim,
                            const uint8_t *data, size_t n_bytes, bool allow_trailing, cuzk_err *err)
{
    size_t used = 0;
    if (claim->n_inputs != cuzk_vk_n_inputs(vk)) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "%zu public inputs; the verifying key has %zu",
                         claim->n_inputs, cuzk_vk_n_inputs(vk));
    }
    verifier *v = cuzk_alloc_zero(1, sizeof(*v));
    cuzk_agg_proof *p = cuzk_alloc_zero(1, sizeof(*p));
    cuzk_status st = CUZK_OK;
    if (v == NULL || p == NULL) {
        st = CUZK_FAIL(err, CUZK_E_NOMEM, "%s", "no memory to verify the aggregate");
        goto out;
    }
    CUZK_TRY_GOTO(st, cuzk_agg_proof_decode(p, allow_trailing ? &used : NULL, data, n_bytes, err));
    if (cuzk_agg_padded(claim->n) != p->n) {
        st = CUZK_FAIL(err, CUZK_E_INVALID, "%zu statements do not fit an aggregate of %zu proofs",
                       claim->n, p->n);
        goto out;
    }
    *v = (verifier){.srs = srs, .vk = vk, .claim = claim, .p = p, .err = err};
    CUZK_TRY_GOTO(st, run(v));
out:
    cuzk_free(v);
    cuzk_free(p);
    return st;
}
