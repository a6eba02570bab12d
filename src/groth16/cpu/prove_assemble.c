/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What proofs by the CPU and by a device share: the match of circuit and key, r and s, and the end. */
#include "base/bytes.h"
#include "base/entropy.h"
#include "groth16/params/wire_cursor.h"

#include "prove_internal.h"

static cuzk_status check_count(const char *what, uint64_t circuit, uint64_t srs, cuzk_err *err)
{
    if (circuit != srs) {
        return CUZK_FAIL(err, CUZK_E_FORMAT,
                         "parameters of another circuit: %s is %llu in the circuit and %llu in the "
                         "parameters",
                         what, (unsigned long long)circuit, (unsigned long long)srs);
    }
    return CUZK_OK;
}

cuzk_status cuzk_prove_check_match(const cuzk_circuit *c, const cuzk_srs *srs, cuzk_err *err)
{
    static const char *const what[CUZK_SRS_SECTIONS] = {
        "the count of h (domain size)", "the count of l (aux wires)", "the count of a (wires in A)",
        "the count of b_g1 (wires in B)", "the count of b_g2 (wires in B)"};
    const bool all = cuzk_srs_all_wires(srs);
    const unsigned lg = cuzk_circuit_lg_domain(c);
    if (lg >= CUZK_FR_TWO_ADICITY) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "circuit with %llu rows is too large for the field",
                         (unsigned long long)c->n_rows);
    }
    const uint64_t h =
        ((uint64_t)1 << lg) - (cuzk_srs_quotient(srs) == CUZK_QUOTIENT_COEFFS ? 1 : 0);
    CUZK_TRY(check_count("the number of inputs", c->n_inputs, cuzk_srs_get_vk(srs)->n_ic, err));
    CUZK_TRY(check_count(what[CUZK_SRS_H], h, cuzk_srs_count(srs, CUZK_SRS_H), err));
    for (unsigned i = CUZK_SRS_L; i < CUZK_SRS_SECTIONS; i++) {
        const cuzk_srs_section s = (cuzk_srs_section)i;
        CUZK_TRY(check_count(what[i], cuzk_wire_count(c, s, all), cuzk_srs_count(srs, s), err));
    }
    return CUZK_OK;
}

static void mul_g1_ct(cuzk_g1 *out, const cuzk_g1_affine *p, const cuzk_scalar *k)
{
    cuzk_g1 t;
    cuzk_g1_from_affine(&t, p);
    cuzk_g1_mul_ct(out, &t, k);
}

/*
 * A = alpha + sum_a + r delta, B = beta + sum_b + s delta (in both groups),
 * C = L + H + s A + r B1 - r s delta.
 */
void cuzk_prove_assemble_ct(cuzk_proof *out, const cuzk_prove_sums *q, const cuzk_srs_vk *vk,
                            const cuzk_scalar *r, const cuzk_scalar *s)
{
    cuzk_g1 a, b1, c, t;
    cuzk_g2 b2, t2;
    cuzk_fr fr, fs;
    cuzk_scalar rs;

    mul_g1_ct(&t, &vk->delta_g1, r);
    cuzk_g1_add_affine(&a, &q->a, &vk->alpha_g1);
    cuzk_g1_add_ct(&a, &a, &t);

    mul_g1_ct(&t, &vk->delta_g1, s);
    cuzk_g1_add_affine(&b1, &q->b1, &vk->beta_g1);
    cuzk_g1_add_ct(&b1, &b1, &t);

    cuzk_g2_from_affine(&t2, &vk->delta_g2);
    cuzk_g2_mul_ct(&t2, &t2, s);
    cuzk_g2_add_affine(&b2, &q->b2, &vk->beta_g2);
    cuzk_g2_add_ct(&b2, &b2, &t2);

    cuzk_g1_add(&c, &q->l, &q->h);
    cuzk_g1_mul_ct(&t, &a, s);
    cuzk_g1_add_ct(&c, &c, &t);
    cuzk_g1_mul_ct(&t, &b1, r);
    cuzk_g1_add_ct(&c, &c, &t);
    cuzk_fr_from_scalar(&fr, r);
    cuzk_fr_from_scalar(&fs, s);
    cuzk_fr_mul(&fr, &fr, &fs);
    cuzk_fr_to_scalar(&rs, &fr);
    mul_g1_ct(&t, &vk->delta_g1, &rs);
    cuzk_g1_neg(&t, &t);
    cuzk_g1_add_ct(&c, &c, &t);

    cuzk_g1_to_affine_ct(&out->a, &a);
    cuzk_g2_to_affine_ct(&out->b, &b2);
    cuzk_g1_to_affine_ct(&out->c, &c);
    cuzk_wipe(&a, sizeof(a)); /* coordinates that are not affine tell more than the proof does */
    cuzk_wipe(&b1, sizeof(b1));
    cuzk_wipe(&b2, sizeof(b2));
    cuzk_wipe(&c, sizeof(c));
    cuzk_wipe(&fr, sizeof(fr));
    cuzk_wipe(&fs, sizeof(fs));
    cuzk_wipe(&rs, sizeof(rs));
    cuzk_wipe(&t, sizeof(t));
    cuzk_wipe(&t2, sizeof(t2));
}

static cuzk_status random_scalar(cuzk_scalar *out, cuzk_err *err)
{
    uint8_t wide[64];
    cuzk_fr v;
    CUZK_TRY(cuzk_entropy(wide, sizeof(wide), err));
    cuzk_fr_from_wide_le_ct(&v, wide);
    cuzk_fr_to_scalar(out, &v);
    cuzk_wipe(wide, sizeof(wide));
    cuzk_wipe(&v, sizeof(v));
    return CUZK_OK;
}

static cuzk_status choose_rs(cuzk_scalar rs[2], const cuzk_scalar *r, const cuzk_scalar *s,
                             cuzk_err *err)
{
    if ((r == NULL) != (s == NULL)) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "r and s: give both or neither");
    }
    if (r == NULL) {
        CUZK_TRY(random_scalar(&rs[0], err));
        return random_scalar(&rs[1], err);
    }
    if (!cuzk_scalar_is_canonical(r) || !cuzk_scalar_is_canonical(s)) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "r or s is not below the group order");
    }
    rs[0] = *r;
    rs[1] = *s;
    return CUZK_OK;
}

cuzk_status cuzk_prove_assemble(cuzk_proof *out, const cuzk_prove_sums *sums, const cuzk_srs_vk *vk,
                                const cuzk_scalar *r, const cuzk_scalar *s, cuzk_err *err)
{
    cuzk_scalar rs[2] = {{{0}}, {{0}}};
    cuzk_proof proof;
    cuzk_status st;
    CUZK_TRY_GOTO(st, choose_rs(rs, r, s, err));
    cuzk_prove_assemble_ct(&proof, sums, vk, &rs[0], &rs[1]);
    if (cuzk_g1_affine_is_infinity(&proof.a) || cuzk_g2_affine_is_infinity(&proof.b) ||
        cuzk_g1_affine_is_infinity(&proof.c)) {
        st = CUZK_FAIL(err, CUZK_E_INFINITY, "a point of the proof is infinity");
        goto out;
    }
    *out = proof;
out:
    cuzk_wipe(rs, sizeof(rs));
    return st;
}
