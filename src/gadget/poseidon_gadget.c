/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "gadget/poseidon_gadget.h"

#include "base/alloc.h"
#include "base/assert.h"

#define A     CUZK_MATRIX_A
#define B     CUZK_MATRIX_B
#define C     CUZK_MATRIX_C
#define MAX_T CUZK_POSEIDON_MAX_WIDTH
#define MAX_P CUZK_POSEIDON_MAX_PARTIALS
#define HALF  (CUZK_POSEIDON_FULL_ROUNDS / 2)

/*
 * During the partial rounds the state is a combination of `base` (the t S-box results of round 3)
 * and of the S-box results of the partial rounds so far:
 *   element j >= 1 before partial round k:  sum_i pre_sparse[i][j] base_i + sum_{r<k} v_rest_r[j] part_r
 *   element 0 before partial round k >= 1:  w_hat_{k-1} times the state before with part_{k-1} for
 *   element 0, which gives first[k][i] for base_i and first[k][t + r] for part_r.
 */
struct cuzk_poseidon_gadget {
    uint32_t t, r_p;
    cuzk_coef pre_key[MAX_T];                                     /* [1..n] */
    cuzk_coef neg_key[CUZK_POSEIDON_FULL_ROUNDS * MAX_T + MAX_P]; /* -crc */
    cuzk_coef round1_one[MAX_T];                                  /* constant element's part */
    cuzk_coef mds[MAX_T * MAX_T], pre_sparse[MAX_T * MAX_T];      /* [i * t + j] */
    cuzk_coef v_rest[MAX_P * MAX_T];                              /* [r * t + j], j >= 1 */
    cuzk_coef first[(MAX_P + 1) * (MAX_T + MAX_P)];               /* row k: stride MAX_T + MAX_P */
};

static void sparse_coefs(cuzk_poseidon_gadget *g, cuzk_builder *b, const cuzk_poseidon_params *p)
{
    const uint32_t t = g->t, n = t - 1;
    for (uint32_t i = 0; i < t; i++) {
        g->first[i] = g->pre_sparse[i * t];
    }
    for (uint32_t k = 1; k <= g->r_p; k++) {
        cuzk_coef *row = g->first + k * (MAX_T + MAX_P);
        const cuzk_fr *w = p->w_hat + (k - 1) * t;
        for (uint32_t i = 0; i < t + k - 1; i++) {
            cuzk_fr sum = CUZK_FR_ZERO, x;
            for (uint32_t j = 1; j < t; j++) {
                const cuzk_fr *c =
                    i < t ? &p->pre_sparse[i * t + j] : &p->v_rest[(i - t) * n + j - 1];
                cuzk_fr_mul(&x, &w[j], c);
                cuzk_fr_add(&sum, &sum, &x);
            }
            row[i] = cuzk_builder_coef(b, &sum);
        }
        row[t + k - 1] = cuzk_builder_coef(b, &w[0]);
    }
    for (uint32_t r = 0; r < g->r_p; r++) {
        for (uint32_t j = 1; j < t; j++) {
            g->v_rest[r * t + j] = cuzk_builder_coef(b, &p->v_rest[r * n + j - 1]);
        }
    }
}

cuzk_status cuzk_poseidon_gadget_create(cuzk_poseidon_gadget **out, cuzk_builder *b,
                                        const cuzk_poseidon_params *p, const cuzk_fr *tag,
                                        cuzk_err *err)
{
    cuzk_poseidon_gadget *g = cuzk_alloc_zero(1, sizeof(*g));
    if (g == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "Poseidon gadget of arity %u", p->arity);
    }
    const uint32_t t = p->width;
    g->t = t;
    g->r_p = p->partial_rounds;
    for (uint32_t i = 0; i < cuzk_poseidon_n_crc(p); i++) {
        g->neg_key[i] = cuzk_builder_coef_neg(b, cuzk_builder_coef(b, &p->crc[i]));
    }
    for (uint32_t i = 0; i < t * t; i++) {
        g->mds[i] = cuzk_builder_coef(b, &p->mds[i]);
        g->pre_sparse[i] = cuzk_builder_coef(b, &p->pre_sparse[i]);
    }
    cuzk_fr c0, x;
    cuzk_fr_add(&c0, tag, &p->crc[0]);
    cuzk_fr_pow_u64(&c0, &c0, 5);
    cuzk_fr_add(&c0, &c0, &p->crc[t]);
    for (uint32_t j = 0; j < t; j++) {
        g->pre_key[j] = cuzk_builder_coef(b, &p->crc[j]);
        cuzk_fr_mul(&x, &c0, &p->mds[j]);
        g->round1_one[j] = cuzk_builder_coef(b, &x);
    }
    sparse_coefs(g, b, p);
    *out = g;
    return CUZK_OK;
}

void cuzk_poseidon_gadget_destroy(cuzk_poseidon_gadget *g)
{
    cuzk_free(g);
}

/* Ends the row <combination built in A> * 1 = new wire. */
static cuzk_var close_combination(cuzk_builder *b)
{
    const cuzk_var v = cuzk_builder_full(b);
    cuzk_builder_term(b, B, CUZK_VAR_ONE, CUZK_COEF_ONE);
    cuzk_builder_term(b, C, v, CUZK_COEF_ONE);
    cuzk_builder_row(b);
    return v;
}

static cuzk_var product(cuzk_builder *b, cuzk_var x, cuzk_var y)
{
    const cuzk_var v = cuzk_builder_full(b);
    cuzk_builder_term(b, A, x, CUZK_COEF_ONE);
    cuzk_builder_term(b, B, y, CUZK_COEF_ONE);
    cuzk_builder_term(b, C, v, CUZK_COEF_ONE);
    return v; /* the row is left open for keys */
}

/* l^5 + key, or with pre: (l + pre)^5 + key. NULL: no such key. */
static cuzk_var sbox(cuzk_builder *b, cuzk_var l, const cuzk_coef *pre, const cuzk_coef *neg_key)
{
    const cuzk_var l2 = product(b, l, l);
    if (pre != NULL) {
        cuzk_builder_term(b, A, CUZK_VAR_ONE, *pre);
        cuzk_builder_term(b, B, CUZK_VAR_ONE, *pre);
    }
    cuzk_builder_row(b);
    const cuzk_var l4 = product(b, l2, l2);
    cuzk_builder_row(b);
    const cuzk_var l5 = product(b, l, l4);
    if (pre != NULL) {
        cuzk_builder_term(b, A, CUZK_VAR_ONE, *pre);
    }
    if (neg_key != NULL) {
        cuzk_builder_term(b, C, CUZK_VAR_ONE, *neg_key);
    }
    cuzk_builder_row(b);
    return l5;
}

/* Wire for element j = sum_i m[i][j] * x[i], i >= from. */
static cuzk_var mixed(cuzk_builder *b, const cuzk_var *x, const cuzk_coef *m, uint32_t t,
                      uint32_t from, uint32_t j)
{
    for (uint32_t i = from; i < t; i++) {
        cuzk_builder_term(b, A, x[i], m[i * t + j]);
    }
    return close_combination(b);
}

/* A full round after another: mixes x with m, then S-boxes with keys (NULL: none). */
static void full_round(cuzk_builder *b, cuzk_var *x, const cuzk_coef *m, uint32_t t,
                       const cuzk_coef *neg_key)
{
    cuzk_var y[MAX_T];
    for (uint32_t j = 0; j < t; j++) {
        const cuzk_var l = mixed(b, x, m, t, 0, j);
        y[j] = sbox(b, l, NULL, neg_key == NULL ? NULL : &neg_key[j]);
    }
    for (uint32_t j = 0; j < t; j++) {
        x[j] = y[j];
    }
}

/* Rounds 0 and 1. The tag makes element 0 of round 0 a constant; it has no wires. */
static void first_rounds(cuzk_builder *b, const cuzk_poseidon_gadget *g, cuzk_var *x,
                         const cuzk_var *in)
{
    cuzk_var y[MAX_T];
    for (uint32_t i = 1; i < g->t; i++) {
        y[i] = sbox(b, in[i - 1], &g->pre_key[i], &g->neg_key[g->t + i]);
    }
    for (uint32_t j = 0; j < g->t; j++) {
        cuzk_builder_term(b, A, CUZK_VAR_ONE, g->round1_one[j]);
        const cuzk_var l = mixed(b, y, g->mds, g->t, 1, j);
        x[j] = sbox(b, l, NULL, &g->neg_key[2 * g->t + j]);
    }
}

/* Wire for element 0 before partial round k (after the last one for k = r_p). */
static cuzk_var first_element(cuzk_builder *b, const cuzk_poseidon_gadget *g, const cuzk_var *base,
                              const cuzk_var *part, uint32_t k)
{
    const cuzk_coef *row = g->first + k * (MAX_T + MAX_P);
    for (uint32_t i = 0; i < g->t; i++) {
        cuzk_builder_term(b, A, base[i], row[i]);
    }
    for (uint32_t r = 0; r < k; r++) {
        cuzk_builder_term(b, A, part[r], row[g->t + r]);
    }
    return close_combination(b);
}

/* The partial rounds and the S-boxes of the full round that follows. */
static void partial_rounds(cuzk_builder *b, const cuzk_poseidon_gadget *g, cuzk_var *x,
                           const cuzk_coef *neg_key)
{
    const uint32_t t = g->t;
    cuzk_var part[MAX_P], y[MAX_T];
    for (uint32_t k = 0; k < g->r_p; k++) {
        part[k] = sbox(b, first_element(b, g, x, part, k), NULL, &neg_key[k]);
    }
    neg_key += g->r_p;
    for (uint32_t j = 0; j < t; j++) {
        cuzk_var l;
        if (j == 0) {
            l = first_element(b, g, x, part, g->r_p);
        } else {
            for (uint32_t r = 0; r < g->r_p; r++) {
                cuzk_builder_term(b, A, part[r], g->v_rest[r * t + j]);
            }
            l = mixed(b, x, g->pre_sparse, t, 0, j);
        }
        y[j] = sbox(b, l, NULL, &neg_key[j]);
    }
    for (uint32_t j = 0; j < t; j++) {
        x[j] = y[j];
    }
}

cuzk_var cuzk_poseidon_gadget_hash(cuzk_builder *b, const cuzk_poseidon_gadget *g,
                                   const cuzk_var *in)
{
    const uint32_t t = g->t;
    const cuzk_coef *neg_key = g->neg_key + 3 * t;
    cuzk_var x[MAX_T];
    first_rounds(b, g, x, in);
    for (uint32_t r = 2; r < HALF; r++, neg_key += t) {
        full_round(b, x, g->mds, t, neg_key);
    }
    partial_rounds(b, g, x, neg_key);
    neg_key += g->r_p + t;
    for (uint32_t r = 2; r < HALF; r++, neg_key += t) {
        full_round(b, x, g->mds, t, neg_key);
    }
    CUZK_DASSERT(neg_key == g->neg_key + CUZK_POSEIDON_FULL_ROUNDS * t + g->r_p);
    full_round(b, x, g->mds, t, NULL);
    return mixed(b, x, g->mds, t, 0, 1);
}
