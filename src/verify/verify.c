/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <string.h>

#include <cuzk/verify.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/entropy.h"
#include "base/status.h"
#include "verify/input_sum.h"
#include "verify/vk.h"

/*
 * Groth16 (eprint 2016/260): e(A, B) = e(alpha, beta) e(S, gamma) e(C, delta) with
 * S = IC_0 + sum of x_i IC_i. The factors of gamma and delta are moved to the left by preparing
 * -gamma and -delta, and e(alpha, beta) is kept in the key.
 */

CUZK_STATIC_ASSERT((int)CUZK_VERIFY_OK == (int)CUZK_OK, "shared value");
CUZK_STATIC_ASSERT((int)CUZK_VERIFY_E_INVALID == (int)CUZK_E_INVALID, "shared value");
CUZK_STATIC_ASSERT((int)CUZK_VERIFY_E_NOMEM == (int)CUZK_E_NOMEM, "shared value");
CUZK_STATIC_ASSERT((int)CUZK_VERIFY_E_IO == (int)CUZK_E_IO, "shared value");
CUZK_STATIC_ASSERT((int)CUZK_VERIFY_E_FORMAT == (int)CUZK_E_FORMAT, "shared value");
CUZK_STATIC_ASSERT((int)CUZK_VERIFY_E_ENCODING == (int)CUZK_E_ENCODING, "shared value");
CUZK_STATIC_ASSERT((int)CUZK_VERIFY_E_NOT_ON_CURVE == (int)CUZK_E_NOT_ON_CURVE, "shared value");
CUZK_STATIC_ASSERT((int)CUZK_VERIFY_E_NOT_IN_GROUP == (int)CUZK_E_NOT_IN_GROUP, "shared value");
CUZK_STATIC_ASSERT((int)CUZK_VERIFY_E_UNSAFE_KEY == (int)CUZK_E_UNSAFE_KEY, "shared value");
CUZK_STATIC_ASSERT((int)CUZK_VERIFY_E_INFINITY == (int)CUZK_E_INFINITY, "shared value");
CUZK_STATIC_ASSERT((int)CUZK_VERIFY_E_PROOF_FALSE == (int)CUZK_E_PROOF_FALSE, "shared value");

typedef struct proof_points {
    cuzk_g1_affine a, c;
    cuzk_g2_affine b;
} proof_points;

static cuzk_status read_proof(proof_points *out, const uint8_t in[CUZK_PROOF_BYTES])
{
    CUZK_TRY(cuzk_g1_decode_compressed(&out->a, in, CUZK_POINT_IN_SUBGROUP));
    CUZK_TRY(cuzk_g2_decode_compressed(&out->b, in + 48, CUZK_POINT_IN_SUBGROUP));
    CUZK_TRY(cuzk_g1_decode_compressed(&out->c, in + 144, CUZK_POINT_IN_SUBGROUP));
    return cuzk_g1_affine_is_infinity(&out->a) || cuzk_g2_affine_is_infinity(&out->b) ||
                   cuzk_g1_affine_is_infinity(&out->c)
               ? CUZK_E_INFINITY
               : CUZK_OK;
}

/* s = 1, then the inputs of one proof; every input must be below r. s has n_inputs + 1 entries. */
static cuzk_status read_inputs(cuzk_scalar *s, const uint8_t *inputs, size_t n_inputs)
{
    s[0] = (cuzk_scalar){{1, 0, 0, 0}};
    for (size_t i = 0; i < n_inputs; i++) {
        cuzk_scalar_from_bytes_le(&s[i + 1], inputs + i * CUZK_SCALAR_BYTES);
        if (!cuzk_scalar_is_canonical(&s[i + 1])) {
            return CUZK_E_ENCODING;
        }
    }
    return CUZK_OK;
}

/* e(-gamma, sum) e(-delta, c) f = e(alpha, beta)^k? f is a Miller value; k NULL means 1. */
static cuzk_status check_equation(const cuzk_vk *vk, const cuzk_fp12 *f, const cuzk_g1 *sum,
                                  const cuzk_g1 *c, const cuzk_scalar *k)
{
    const cuzk_g1 jac[2] = {*sum, *c};
    cuzk_g1_affine aff[2];
    cuzk_fp scratch[2];
    cuzk_fp12 l, r;
    cuzk_g1_batch_to_affine(aff, jac, scratch, 2);
    const cuzk_pairing_term terms[2] = {{&aff[0], NULL, &vk->minus_gamma},
                                        {&aff[1], NULL, &vk->minus_delta}};
    cuzk_pairing_miller(&l, terms, 2);
    cuzk_fp12_mul(&l, &l, f);
    cuzk_pairing_final_exp(&l, &l);
    r = vk->alpha_beta;
    if (k != NULL) {
        cuzk_fp12_cyclotomic_pow(&r, &r, k->l, 4);
    }
    return cuzk_fp12_eq(&l, &r) ? CUZK_OK : CUZK_E_PROOF_FALSE;
}

static cuzk_status check_proof(const cuzk_vk *vk, const proof_points *p, const cuzk_g1 *sum)
{
    cuzk_g1 c;
    cuzk_fp12 f;
    cuzk_g1_from_affine(&c, &p->c);
    const cuzk_pairing_term term = {&p->a, &p->b, NULL};
    cuzk_pairing_miller(&f, &term, 1);
    return check_equation(vk, &f, sum, &c, NULL);
}

/* s [n_ic] is scratch. */
static cuzk_status verify_one(const cuzk_vk *vk, const uint8_t *proof_bytes, const uint8_t *inputs,
                              cuzk_scalar *s)
{
    proof_points p;
    cuzk_g1 sum;
    CUZK_TRY(read_inputs(s, inputs, vk->n_ic - 1));
    CUZK_TRY(read_proof(&p, proof_bytes));
    CUZK_TRY(cuzk_verify_input_sum(&sum, vk->ic, s, vk->n_ic));
    return check_proof(vk, &p, &sum);
}

cuzk_verify_result cuzk_verify(const cuzk_vk *vk, const uint8_t *proof, size_t proof_bytes,
                               const uint8_t *inputs, size_t n_inputs)
{
    if (proof_bytes != CUZK_PROOF_BYTES || n_inputs != cuzk_vk_n_inputs(vk)) {
        return CUZK_VERIFY_E_INVALID;
    }
    cuzk_scalar *s = cuzk_alloc(vk->n_ic, sizeof(*s));
    if (s == NULL) {
        return CUZK_VERIFY_E_NOMEM;
    }
    const cuzk_status st = verify_one(vk, proof, inputs, s);
    cuzk_free(s);
    return (cuzk_verify_result)st;
}

struct cuzk_verify_inputs {
    cuzk_g1 sum;
};

static cuzk_status sum_inputs(cuzk_verify_inputs *x, const cuzk_vk *vk, const uint8_t *inputs,
                              cuzk_scalar *s)
{
    CUZK_TRY(read_inputs(s, inputs, vk->n_ic - 1));
    return cuzk_verify_input_sum(&x->sum, vk->ic, s, vk->n_ic);
}

cuzk_verify_result cuzk_verify_inputs_create(cuzk_verify_inputs **out, const cuzk_vk *vk,
                                             const uint8_t *inputs, size_t n_inputs)
{
    if (n_inputs != cuzk_vk_n_inputs(vk)) {
        return CUZK_VERIFY_E_INVALID;
    }
    cuzk_verify_inputs *x = cuzk_alloc(1, sizeof(*x));
    cuzk_scalar *s = cuzk_alloc(vk->n_ic, sizeof(*s));
    const cuzk_status st = x != NULL && s != NULL ? sum_inputs(x, vk, inputs, s) : CUZK_E_NOMEM;
    cuzk_free(s);
    if (st == CUZK_OK) {
        *out = x;
    } else {
        cuzk_free(x);
    }
    return (cuzk_verify_result)st;
}

void cuzk_verify_inputs_destroy(cuzk_verify_inputs *x)
{
    cuzk_free(x);
}

cuzk_verify_result cuzk_verify_with(const cuzk_vk *vk, const cuzk_verify_inputs *x,
                                    const uint8_t *proof, size_t proof_bytes)
{
    proof_points p;
    if (proof_bytes != CUZK_PROOF_BYTES) {
        return CUZK_VERIFY_E_INVALID;
    }
    cuzk_status st = read_proof(&p, proof);
    if (st == CUZK_OK) {
        st = check_proof(vk, &p, &x->sum);
    }
    return (cuzk_verify_result)st;
}

/* What a batch keeps; arrays [n], and s, x [n_ic]. */
typedef struct batch {
    proof_points *p;
    cuzk_scalar *z; /* random 128-bit coefficients */
    cuzk_g1_affine *c;
    cuzk_scalar *s;
    cuzk_fr *x; /* sums of z_j x_ji */
} batch;

static bool batch_alloc(batch *b, size_t n, size_t n_ic)
{
    b->p = cuzk_alloc(n, sizeof(*b->p));
    b->z = cuzk_alloc_zero(n, sizeof(*b->z));
    b->c = cuzk_alloc(n, sizeof(*b->c));
    b->s = cuzk_alloc(n_ic, sizeof(*b->s));
    b->x = cuzk_alloc_zero(n_ic, sizeof(*b->x));
    return b->p != NULL && b->z != NULL && b->c != NULL && b->s != NULL && b->x != NULL;
}

static void batch_free(batch *b)
{
    cuzk_free(b->p);
    cuzk_free(b->z);
    cuzk_free(b->c);
    cuzk_free(b->s);
    cuzk_free(b->x);
}

/* Coefficients are drawn after the proofs are fixed; a zero one would let its proof pass. */
static cuzk_status draw(cuzk_scalar *z, size_t n)
{
    for (size_t j = 0; j < n; j++) {
        do {
            CUZK_TRY(cuzk_entropy(z[j].l, 16, NULL));
        } while ((z[j].l[0] | z[j].l[1]) == 0);
    }
    return CUZK_OK;
}

/* f = product of Miller(z_j A_j, B_j). */
static void batch_miller(cuzk_fp12 *f, const batch *b, size_t n)
{
    enum { GROUP = 16 };
    cuzk_fp12_set_one(f);
    for (size_t i = 0; i < n; i += GROUP) {
        const size_t m = n - i < GROUP ? n - i : GROUP;
        cuzk_g1 jac[GROUP];
        cuzk_g1_affine aff[GROUP];
        cuzk_fp scratch[GROUP];
        cuzk_pairing_term term[GROUP];
        cuzk_fp12 part;
        for (size_t j = 0; j < m; j++) {
            cuzk_g1_from_affine(&jac[j], &b->p[i + j].a);
            cuzk_g1_mul(&jac[j], &jac[j], &b->z[i + j]);
            term[j] = (cuzk_pairing_term){&aff[j], &b->p[i + j].b, NULL};
        }
        cuzk_g1_batch_to_affine(aff, jac, scratch, m);
        cuzk_pairing_miller(&part, term, m);
        cuzk_fp12_mul(f, f, &part);
    }
}

static cuzk_status verify_many(const cuzk_vk *vk, const uint8_t *proofs, const uint8_t *inputs,
                               size_t n, batch *b)
{
    const size_t n_inputs = vk->n_ic - 1;
    cuzk_fr z, x;
    cuzk_g1 sum, c;
    cuzk_fp12 f;
    cuzk_scalar k;
    CUZK_TRY(draw(b->z, n));
    for (size_t j = 0; j < n; j++) {
        CUZK_TRY(read_inputs(b->s, inputs + j * n_inputs * CUZK_SCALAR_BYTES, n_inputs));
        CUZK_TRY(read_proof(&b->p[j], proofs + j * CUZK_PROOF_BYTES));
        b->c[j] = b->p[j].c;
        cuzk_fr_from_scalar(&z, &b->z[j]);
        for (size_t i = 0; i < vk->n_ic; i++) {
            cuzk_fr_from_scalar(&x, &b->s[i]);
            cuzk_fr_mul(&x, &x, &z);
            cuzk_fr_add(&b->x[i], &b->x[i], &x);
        }
    }
    for (size_t i = 0; i < vk->n_ic; i++) {
        cuzk_fr_to_scalar(&b->s[i], &b->x[i]);
    }
    k = b->s[0]; /* the sum of the coefficients */
    CUZK_TRY(cuzk_verify_input_sum(&sum, vk->ic, b->s, vk->n_ic));
    CUZK_TRY(cuzk_verify_input_sum(&c, b->c, b->z, n));
    batch_miller(&f, b, n);
    return check_equation(vk, &f, &sum, &c, &k);
}

/* Faults of the machine say nothing about the proofs. */
static bool is_about_proofs(cuzk_status st)
{
    return st != CUZK_OK && st != CUZK_E_NOMEM && st != CUZK_E_IO;
}

cuzk_verify_result cuzk_verify_batch(const cuzk_vk *vk, const uint8_t *proofs, size_t proofs_bytes,
                                     const uint8_t *inputs, size_t n_inputs, size_t n,
                                     size_t *first_bad)
{
    /* An empty batch proves nothing; n is bounded by the bytes that are there. */
    if (n == 0 || proofs_bytes % CUZK_PROOF_BYTES != 0 || proofs_bytes / CUZK_PROOF_BYTES != n ||
        n_inputs != cuzk_vk_n_inputs(vk)) {
        return CUZK_VERIFY_E_INVALID;
    }
    batch b = {0};
    cuzk_status st =
        batch_alloc(&b, n, vk->n_ic) ? verify_many(vk, proofs, inputs, n, &b) : CUZK_E_NOMEM;
    if (is_about_proofs(st) && first_bad != NULL) {
        for (size_t j = 0; j < n; j++) {
            const cuzk_status one = verify_one(vk, proofs + j * CUZK_PROOF_BYTES,
                                               inputs + j * n_inputs * CUZK_SCALAR_BYTES, b.s);
            if (one != CUZK_OK) {
                st = one;
                if (is_about_proofs(one)) {
                    *first_bad = j;
                }
                break;
            }
        }
    }
    batch_free(&b);
    return (cuzk_verify_result)st;
}

const char *cuzk_verify_text(cuzk_verify_result r)
{
    return cuzk_status_text((cuzk_status)r);
}
