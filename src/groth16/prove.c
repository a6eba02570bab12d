/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "groth16/prove.h"

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/clock.h"
#include "base/entropy.h"

#include "section_sum.h"
#include "wire_cursor.h"

static cuzk_status check_count(const char *what, uint64_t circuit, uint64_t srs, cuzk_err *err)
{
    if (circuit != srs) {
        return CUZK_FAIL(err, CUZK_E_INVALID,
                         "parameters of another circuit: %s is %llu in the circuit and %llu in the "
                         "parameters",
                         what, (unsigned long long)circuit, (unsigned long long)srs);
    }
    return CUZK_OK;
}

static cuzk_status check_match(const cuzk_circuit *c, const cuzk_srs *srs, cuzk_err *err)
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

/* Sums over the sections. b1, b2 and a without the key's constant points. */
typedef struct sums {
    cuzk_g1 h, l, a, b1;
    cuzk_g2 b2;
} sums;

static cuzk_status sum_h(cuzk_g1 *out, const cuzk_witness *w, const cuzk_srs *srs, size_t chunk,
                         cuzk_prove_times *t, cuzk_section_times *st_times, cuzk_pool *pool,
                         const cuzk_cancel *cancel, cuzk_err *err)
{
    const size_t m = (size_t)1 << cuzk_circuit_lg_domain(w->circuit);
    cuzk_fr *h = cuzk_alloc(m, sizeof(*h));
    cuzk_status st = CUZK_OK;
    uint64_t t0;
    if (h == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for a quotient of %zu coefficients", m);
    }
    CUZK_TRY_GOTO(st, cuzk_quotient(h, w, cuzk_srs_quotient(srs), t, pool, cancel, err));
    t0 = cuzk_clock_ns();
    CUZK_TRY_GOTO(st, cuzk_fr_array_to_scalars(h, m, pool, cancel, err));
    t->ntt_ns += cuzk_clock_ns() - t0;
    st = cuzk_section_sum_h(out, (const cuzk_scalar *)(const void *)h, srs, chunk, st_times, pool,
                            cancel, err);
out:
    cuzk_free(h);
    return st;
}

static void collect(uint64_t *msm_ns, cuzk_section_times *s, cuzk_prove_times *t)
{
    *msm_ns += s->msm_ns;
    t->decode_ns += s->decode_ns;
    t->select_ns += s->select_ns;
    const cuzk_section_times zero = {0};
    *s = zero;
}

static cuzk_status sum_sections(sums *out, const cuzk_witness *w, const cuzk_srs *srs, size_t chunk,
                                cuzk_prove_times *t, cuzk_pool *pool, const cuzk_cancel *cancel,
                                cuzk_err *err)
{
    cuzk_section_times s = {0};
    CUZK_TRY(sum_h(&out->h, w, srs, chunk, t, &s, pool, cancel, err));
    collect(&t->msm_h_ns, &s, t);
    CUZK_TRY(cuzk_section_sum_g1(&out->l, w, srs, CUZK_SRS_L, chunk, &s, pool, cancel, err));
    collect(&t->msm_l_ns, &s, t);
    CUZK_TRY(cuzk_section_sum_g1(&out->a, w, srs, CUZK_SRS_A, chunk, &s, pool, cancel, err));
    collect(&t->msm_a_ns, &s, t);
    CUZK_TRY(cuzk_section_sum_g1(&out->b1, w, srs, CUZK_SRS_B_G1, chunk, &s, pool, cancel, err));
    collect(&t->msm_b_g1_ns, &s, t);
    CUZK_TRY(cuzk_section_sum_g2(&out->b2, w, srs, CUZK_SRS_B_G2, chunk, &s, pool, cancel, err));
    collect(&t->msm_b_g2_ns, &s, t);
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
static void assemble(cuzk_proof *out, const sums *q, const cuzk_srs_vk *vk, const cuzk_scalar *r,
                     const cuzk_scalar *s)
{
    cuzk_g1 a, b1, c, t;
    cuzk_g2 b2, t2;
    cuzk_fr fr, fs;
    cuzk_scalar rs;

    mul_g1_ct(&t, &vk->delta_g1, r);
    cuzk_g1_add_affine(&a, &q->a, &vk->alpha_g1);
    cuzk_g1_add(&a, &a, &t);

    mul_g1_ct(&t, &vk->delta_g1, s);
    cuzk_g1_add_affine(&b1, &q->b1, &vk->beta_g1);
    cuzk_g1_add(&b1, &b1, &t);

    cuzk_g2_from_affine(&t2, &vk->delta_g2);
    cuzk_g2_mul_ct(&t2, &t2, s);
    cuzk_g2_add_affine(&b2, &q->b2, &vk->beta_g2);
    cuzk_g2_add(&b2, &b2, &t2);

    cuzk_g1_add(&c, &q->l, &q->h);
    cuzk_g1_mul_ct(&t, &a, s);
    cuzk_g1_add(&c, &c, &t);
    cuzk_g1_mul_ct(&t, &b1, r);
    cuzk_g1_add(&c, &c, &t);
    cuzk_fr_from_scalar(&fr, r);
    cuzk_fr_from_scalar(&fs, s);
    cuzk_fr_mul(&fr, &fr, &fs);
    cuzk_fr_to_scalar(&rs, &fr);
    mul_g1_ct(&t, &vk->delta_g1, &rs);
    cuzk_g1_neg(&t, &t);
    cuzk_g1_add(&c, &c, &t);

    cuzk_g1_to_affine(&out->a, &a);
    cuzk_g2_to_affine(&out->b, &b2);
    cuzk_g1_to_affine(&out->c, &c);
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

static cuzk_status choose_rs(cuzk_scalar rs[2], const cuzk_prove_opts *opts, cuzk_err *err)
{
    if ((opts->r == NULL) != (opts->s == NULL)) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "r and s: give both or neither");
    }
    if (opts->r == NULL) {
        CUZK_TRY(random_scalar(&rs[0], err));
        return random_scalar(&rs[1], err);
    }
    if (!cuzk_scalar_is_canonical(opts->r) || !cuzk_scalar_is_canonical(opts->s)) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "r or s is not below the group order");
    }
    rs[0] = *opts->r;
    rs[1] = *opts->s;
    return CUZK_OK;
}

cuzk_status cuzk_prove(cuzk_proof *out, const cuzk_witness *w, const cuzk_srs *srs,
                       const cuzk_prove_opts *opts, cuzk_pool *pool, const cuzk_cancel *cancel,
                       cuzk_err *err)
{
    const cuzk_prove_opts defaults = {0};
    cuzk_prove_times t = {0};
    cuzk_scalar rs[2] = {{{0}}, {{0}}};
    cuzk_proof proof;
    sums q;
    cuzk_status st = CUZK_OK;
    const uint64_t start = cuzk_clock_ns();
    opts = opts != NULL ? opts : &defaults;

    CUZK_TRY(check_match(w->circuit, srs, err));
    if (opts->check_witness) {
        CUZK_TRY(cuzk_r1cs_check(w, NULL, pool, cancel, err));
        t.check_ns = cuzk_clock_ns() - start;
    }
    CUZK_TRY(sum_sections(&q, w, srs,
                          opts->chunk_points != 0 ? opts->chunk_points : CUZK_SECTION_CHUNK, &t,
                          pool, cancel, err));
    const uint64_t t0 = cuzk_clock_ns();
    CUZK_TRY_GOTO(st, choose_rs(rs, opts, err));
    assemble(&proof, &q, cuzk_srs_get_vk(srs), &rs[0], &rs[1]);
    if (cuzk_g1_affine_is_infinity(&proof.a) || cuzk_g2_affine_is_infinity(&proof.b) ||
        cuzk_g1_affine_is_infinity(&proof.c)) {
        st = CUZK_FAIL(err, CUZK_E_INFINITY, "a point of the proof is infinity");
        goto out;
    }
    *out = proof;
    if (opts->times != NULL) {
        t.assemble_ns = cuzk_clock_ns() - t0;
        t.total_ns = cuzk_clock_ns() - start;
        *opts->times = t;
    }
out:
    cuzk_wipe(rs, sizeof(rs));
    return st;
}

void cuzk_proof_encode(uint8_t out[192], const cuzk_proof *p)
{
    cuzk_g1_encode_compressed(out, &p->a);
    cuzk_g2_encode_compressed(out + 48, &p->b);
    cuzk_g1_encode_compressed(out + 144, &p->c);
}

cuzk_status cuzk_proof_decode(cuzk_proof *out, const uint8_t in[192], cuzk_err *err)
{
    cuzk_proof p;
    cuzk_status st = cuzk_g1_decode_compressed(&p.a, in, CUZK_POINT_IN_SUBGROUP);
    const char *which = "A";
    if (st == CUZK_OK) {
        st = cuzk_g2_decode_compressed(&p.b, in + 48, CUZK_POINT_IN_SUBGROUP);
        which = "B";
    }
    if (st == CUZK_OK) {
        st = cuzk_g1_decode_compressed(&p.c, in + 144, CUZK_POINT_IN_SUBGROUP);
        which = "C";
    }
    if (st == CUZK_OK) {
        const bool a = cuzk_g1_affine_is_infinity(&p.a);
        const bool b = cuzk_g2_affine_is_infinity(&p.b);
        if (a || b || cuzk_g1_affine_is_infinity(&p.c)) {
            st = CUZK_E_INFINITY;
            which = a ? "A" : b ? "B" : "C";
        }
    }
    if (st != CUZK_OK) {
        return CUZK_FAIL(err, st, "point %s of the proof: %s", which, cuzk_status_text(st));
    }
    *out = p;
    return CUZK_OK;
}
