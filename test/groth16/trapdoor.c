/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "groth16/trapdoor.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "r1cs/rows.h"

#include "test.h"

/* L_k(tau) for k < n by definition; one inversion through running products. */
static cuzk_fr *lagrange(size_t n, unsigned lg, const cuzk_fr *root, const cuzk_fr *tau)
{
    cuzk_fr *l = malloc(n * sizeof(*l)), *before = malloc(n * sizeof(*before));
    cuzk_fr w, p = CUZK_FR_ONE, all = CUZK_FR_ONE, c, t;
    CHECK(l != NULL && before != NULL);
    cuzk_fr_root_of_unity(&w, root, lg);
    for (size_t k = 0; k < n; k++) {
        before[k] = all;
        cuzk_fr_sub(&t, tau, &p);
        cuzk_fr_mul(&all, &all, &t);
        l[k] = p;
        cuzk_fr_mul(&p, &p, &w);
    }
    cuzk_fr_inv(&all, &all); /* 1 / product of all tau - w^k */
    cuzk_fr_pow_u64(&c, tau, (uint64_t)1 << lg);
    cuzk_fr_sub(&c, &c, &CUZK_FR_ONE);
    cuzk_fr_from_u64(&t, (uint64_t)1 << lg);
    cuzk_fr_inv(&t, &t);
    cuzk_fr_mul(&c, &c, &t);
    for (size_t k = n; k-- > 0;) {
        cuzk_fr d, inv;
        cuzk_fr_sub(&d, tau, &l[k]);
        cuzk_fr_mul(&inv, &all, &before[k]);
        cuzk_fr_mul(&all, &all, &d);
        cuzk_fr_mul(&l[k], &l[k], &inv);
        cuzk_fr_mul(&l[k], &l[k], &c);
    }
    free(before);
    return l;
}

typedef struct input_sums {
    const cuzk_circuit *c;
    const cuzk_fr *l;
    cuzk_fr *column; /* [n_inputs] */
} input_sums;

static cuzk_status add_inputs(void *arg, uint64_t row, const cuzk_row_term *terms, size_t n)
{
    const input_sums *s = arg;
    for (size_t i = 0; i < n; i++) {
        if ((terms[i].wire & CUZK_WIRE_AUX) == 0) {
            cuzk_fr t;
            cuzk_fr_mul(&t, &s->l[row], &s->c->coeffs[terms[i].coef]);
            cuzk_fr_add(&s->column[terms[i].wire], &s->column[terms[i].wire], &t);
        }
    }
    return CUZK_OK;
}

static void dot(cuzk_fr *out, const cuzk_fr *a, const cuzk_fr *b, size_t n)
{
    *out = CUZK_FR_ZERO;
    for (size_t i = 0; i < n; i++) {
        cuzk_fr t;
        cuzk_fr_mul(&t, &a[i], &b[i]);
        cuzk_fr_add(out, out, &t);
    }
}

/* e[i] = beta a_i + alpha b_i + c_i for every input i, the columns at tau. */
static void input_columns(cuzk_fr *e, const cuzk_circuit *c, const cuzk_toxic *x, const cuzk_fr *l)
{
    const size_t n = (size_t)c->n_inputs;
    cuzk_wire_map map = {0};
    cuzk_err err;
    const cuzk_fr *factor[3] = {&x->beta, &x->alpha, &CUZK_FR_ONE};
    cuzk_fr *column = malloc(n * sizeof(*column));
    CHECK(column != NULL);
    CHECK_OK(cuzk_wire_map_init(&map, c, &err), &err);
    for (unsigned m = 0; m < 3; m++) {
        input_sums s = {c, l, column};
        for (size_t i = 0; i < n; i++) {
            column[i] = m == 0 ? l[c->n_rows + i] : CUZK_FR_ZERO;
        }
        CHECK_OK(cuzk_circuit_visit(c, &map, (cuzk_matrix_id)m, 0, c->n_rows, add_inputs, &s, &err),
                 &err);
        for (size_t i = 0; i < n; i++) {
            cuzk_fr t;
            cuzk_fr_mul(&t, &column[i], factor[m]);
            cuzk_fr_add(&e[i], m == 0 ? &CUZK_FR_ZERO : &e[i], &t);
        }
    }
    cuzk_wire_map_deinit(&map);
    free(column);
}

/* <M_k, w> L_k(tau) summed over the prover's rows. */
static void row_sum(cuzk_fr *out, const cuzk_witness *w, cuzk_matrix_id m, const cuzk_fr *l)
{
    const size_t n = (size_t)cuzk_circuit_prover_rows(w->circuit);
    cuzk_err err;
    cuzk_fr *v = malloc(n * sizeof(*v));
    CHECK(v != NULL);
    CHECK_OK(cuzk_r1cs_eval(v, n, w, m, NULL, NULL, &err), &err);
    dot(out, v, l, n);
    free(v);
}

static void fma_fr(cuzk_fr *acc, const cuzk_fr *a, const cuzk_fr *b)
{
    cuzk_fr t;
    cuzk_fr_mul(&t, a, b);
    cuzk_fr_add(acc, acc, &t);
}

static void put_g1(uint8_t out[48], const cuzk_g1_affine *g, const cuzk_fr *k)
{
    cuzk_scalar s;
    cuzk_g1 p;
    cuzk_g1_affine a;
    cuzk_fr_to_scalar(&s, k);
    cuzk_g1_from_affine(&p, g);
    cuzk_g1_mul(&p, &p, &s);
    cuzk_g1_to_affine(&a, &p);
    cuzk_g1_encode_compressed(out, &a);
}

static void put_g2(uint8_t out[96], const cuzk_g2_affine *g, const cuzk_fr *k)
{
    cuzk_scalar s;
    cuzk_g2 p;
    cuzk_g2_affine a;
    cuzk_fr_to_scalar(&s, k);
    cuzk_g2_from_affine(&p, g);
    cuzk_g2_mul(&p, &p, &s);
    cuzk_g2_to_affine(&a, &p);
    cuzk_g2_encode_compressed(out, &a);
}

/* The .vk file of these parameters: e as from input_columns. */
static void put_vk(uint8_t *out, const cuzk_toxic *x, const cuzk_fr *e, size_t n_inputs)
{
    const cuzk_fr *g1[3] = {&x->alpha, &x->beta, &x->delta};
    const cuzk_fr *g2[3] = {&x->beta, &x->gamma, &x->delta};
    static const size_t at_g1[3] = {0, 96, 576}, at_g2[3] = {192, 384, 672};
    cuzk_fr inv, t;
    for (int i = 0; i < 3; i++) {
        uint8_t c1[48], c2[96];
        cuzk_g1_affine p;
        cuzk_g2_affine q;
        put_g1(c1, &x->g1, g1[i]);
        put_g2(c2, &x->g2, g2[i]);
        CHECK_STATUS(cuzk_g1_decode_compressed(&p, c1, CUZK_POINT_ON_CURVE), CUZK_OK);
        CHECK_STATUS(cuzk_g2_decode_compressed(&q, c2, CUZK_POINT_ON_CURVE), CUZK_OK);
        cuzk_g1_encode_uncompressed(out + at_g1[i], &p);
        cuzk_g2_encode_uncompressed(out + at_g2[i], &q);
    }
    cuzk_store_u32_be(out + 864, (uint32_t)n_inputs);
    cuzk_fr_inv(&inv, &x->gamma);
    for (size_t i = 0; i < n_inputs; i++) {
        uint8_t c1[48];
        cuzk_g1_affine p;
        cuzk_fr_mul(&t, &e[i], &inv);
        put_g1(c1, &x->g1, &t);
        CHECK_STATUS(cuzk_g1_decode_compressed(&p, c1, CUZK_POINT_ON_CURVE), CUZK_OK);
        cuzk_g1_encode_uncompressed(out + 868 + 96 * i, &p);
    }
}

void test_trapdoor_proof_and_vk(uint8_t out[192], uint8_t *vk, const cuzk_witness *w,
                                const cuzk_toxic *x, cuzk_quotient_kind kind, const cuzk_scalar *r,
                                const cuzk_scalar *s)
{
    const cuzk_circuit *c = w->circuit;
    const size_t n = (size_t)cuzk_circuit_prover_rows(c);
    const cuzk_fr *root =
        kind == CUZK_QUOTIENT_COEFFS ? &CUZK_FR_ROOT_2_32 : &CUZK_FR_ROOT_2_32_SNARKJS;
    cuzk_fr *l = lagrange(n, cuzk_circuit_lg_domain(c), root, &x->tau);
    cuzk_fr sa, sb, sc, fr, fs, ea, eb, ec, t;
    row_sum(&sa, w, CUZK_MATRIX_A, l);
    row_sum(&sb, w, CUZK_MATRIX_B, l);
    row_sum(&sc, w, CUZK_MATRIX_C, l);
    cuzk_fr *e = malloc((size_t)c->n_inputs * sizeof(*e));
    CHECK(e != NULL);
    input_columns(e, c, x, l);
    free(l);
    dot(&t, e, w->inputs, (size_t)c->n_inputs);
    if (vk != NULL) {
        put_vk(vk, x, e, (size_t)c->n_inputs);
    }
    free(e);
    cuzk_fr_from_scalar(&fr, r);
    cuzk_fr_from_scalar(&fs, s);
    /* A = alpha + sA + r delta, B = beta + sB + s delta */
    cuzk_fr_add(&ea, &x->alpha, &sa);
    fma_fr(&ea, &fr, &x->delta);
    cuzk_fr_add(&eb, &x->beta, &sb);
    fma_fr(&eb, &fs, &x->delta);
    /* (beta sA + alpha sB + sC - public + sA sB - sC) / delta + s A + r B - r s delta */
    cuzk_fr_neg(&ec, &t);
    fma_fr(&ec, &x->beta, &sa);
    fma_fr(&ec, &x->alpha, &sb);
    cuzk_fr_add(&ec, &ec, &sc);
    fma_fr(&ec, &sa, &sb);
    cuzk_fr_sub(&ec, &ec, &sc);
    cuzk_fr_inv(&t, &x->delta);
    cuzk_fr_mul(&ec, &ec, &t);
    fma_fr(&ec, &fs, &ea);
    fma_fr(&ec, &fr, &eb);
    cuzk_fr_mul(&t, &fr, &fs);
    cuzk_fr_neg(&t, &t);
    fma_fr(&ec, &t, &x->delta);
    put_g1(out, &x->g1, &ea);
    put_g2(out + 48, &x->g2, &eb);
    put_g1(out + 144, &x->g1, &ec);
}

void test_trapdoor_proof(uint8_t out[192], const cuzk_witness *w, const cuzk_toxic *x,
                         cuzk_quotient_kind kind, const cuzk_scalar *r, const cuzk_scalar *s)
{
    test_trapdoor_proof_and_vk(out, NULL, w, x, kind, r, s);
}

static void fr_hex(cuzk_fr *out, const char *hex)
{
    uint8_t b[32];
    CHECK(cuzk_hex_decode(b, 32, hex, strlen(hex)));
    CHECK(cuzk_fr_from_bytes_le(out, b));
}

void test_toxic_golden(cuzk_toxic *out)
{
    uint8_t g1[48], g2[96];
    const char *g1_hex = "b4059c98282801331b13090a269fd4d2c2188a78218ee9b50e22d91fc5531507"
                         "27021e5b7faadb3cc126479de4674823";
    const char *g2_hex = "b21d3e86a8a6f9c843b7038029951f0980f4e5a5f2ce43ee82b854c229136a12"
                         "58d1e5d9385cd1b88b22f1b7834cf4ed160a369c252c6af190b85f565886ba62"
                         "0c4266fe99e292bcb1470aed8f9522c1338cd649d97ddb54af42676880f1849f";
    fr_hex(&out->alpha, "a0b6950567be5994f3ba70608ea4a0576c3828ff680bdba6629a99434bc24f11");
    fr_hex(&out->beta, "56731aaf96ade4d14277215e57bb1331e0feef4dd66293b9c1895dec1e5e3840");
    fr_hex(&out->gamma, "07b0127241e9b5501771a650b31decd2611d9935720599cafffbd4a9f36a671b");
    fr_hex(&out->delta, "eb0ee8e6d13558e4a6215deaecfe4dca182e746cfa68a7497920f44a550deb6f");
    fr_hex(&out->tau, "5efa222258a6b050dfb3acbb5a809a0c9d7b5f39889808ec9dfce432cb32a46a");
    CHECK(cuzk_hex_decode(g1, 48, g1_hex, strlen(g1_hex)));
    CHECK(cuzk_hex_decode(g2, 96, g2_hex, strlen(g2_hex)));
    CHECK_STATUS(cuzk_g1_decode_compressed(&out->g1, g1, CUZK_POINT_IN_SUBGROUP), CUZK_OK);
    CHECK_STATUS(cuzk_g2_decode_compressed(&out->g2, g2, CUZK_POINT_IN_SUBGROUP), CUZK_OK);
}
