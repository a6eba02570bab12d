/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <string.h>

#include "aggregate/prove/agg_prove_internal.h"
#include "base/alloc.h"
#include "msm/msm.h"

/* f [2^rounds] = coefficients of product over j of (1 + x[rounds - 1 - j] (s X)^(2^j)). */
static void expand(cuzk_fr *f, const cuzk_fr *x, unsigned rounds, const cuzk_fr *s)
{
    cuzk_fr power = *s; /* s^(2^j) */
    f[0] = CUZK_FR_ONE;
    for (unsigned j = 0; j < rounds; j++) {
        cuzk_fr k;
        cuzk_fr_mul(&k, &x[rounds - 1 - j], &power);
        for (size_t i = 0; i < (size_t)1 << j; i++) {
            cuzk_fr_mul(&f[((size_t)1 << j) + i], &f[i], &k);
        }
        cuzk_fr_sqr(&power, &power);
    }
}

/* q [n] = (f - f(z)) / (X - z) by Horner, its last coefficient 0; value = f(z). */
static void divide(cuzk_fr *q, cuzk_fr *value, const cuzk_fr *f, size_t n, const cuzk_fr *z)
{
    cuzk_fr c = CUZK_FR_ZERO;
    for (size_t i = n; i-- > 0;) {
        q[i] = c;
        cuzk_fr_mul(&c, &c, z);
        cuzk_fr_add(&c, &c, &f[i]);
    }
    *value = c;
}

static cuzk_status open_v(cuzk_agg_proof *p, const cuzk_scalar *q, const cuzk_agg_key *key,
                          cuzk_pool *pool, const cuzk_cancel *cancel, cuzk_err *err)
{
    const cuzk_g2_affine *list[2] = {key->h_a, key->h_b};
    for (size_t i = 0; i < 2; i++) {
        cuzk_g2 sum;
        CUZK_TRY(cuzk_msm_g2(&sum, list[i], q, p->n, 255, pool, cancel, err));
        cuzk_g2_to_affine(&p->v_opening[i], &sum);
    }
    return CUZK_OK;
}

static cuzk_status open_w(cuzk_agg_proof *p, const cuzk_scalar *q, const cuzk_agg_key *key,
                          cuzk_pool *pool, const cuzk_cancel *cancel, cuzk_err *err)
{
    const cuzk_g1_affine *list[2] = {key->g_a, key->g_b};
    for (size_t i = 0; i < 2; i++) {
        cuzk_g1 sum;
        CUZK_TRY(cuzk_msm_g1(&sum, list[i], q, 2 * p->n, 255, pool, cancel, err));
        cuzk_g1_to_affine(&p->w_opening[i], &sum);
    }
    return CUZK_OK;
}

cuzk_status cuzk_agg_open_keys(cuzk_agg_proof *p, const cuzk_agg_challenges *c,
                               const cuzk_agg_key *key, const cuzk_agg_watch_prover *watch,
                               cuzk_pool *pool, const cuzk_cancel *cancel, cuzk_err *err)
{
    const size_t n = p->n;
    cuzk_fr value, r_inv;
    cuzk_fr *f = cuzk_alloc_zero(2 * n, sizeof(*f)), *q = cuzk_alloc(2 * n, sizeof(*q));
    cuzk_scalar *s = cuzk_alloc(2 * n, sizeof(*s));
    cuzk_status st = CUZK_OK;
    if (f == NULL || q == NULL || s == NULL) {
        st = CUZK_FAIL(err, CUZK_E_NOMEM, "%s", "no memory for the openings");
        goto out;
    }
    expand(f, c->x_inv, p->rounds, &CUZK_FR_ONE);
    divide(q, &value, f, n, &c->z);
    for (size_t i = 0; i < n; i++) {
        cuzk_fr_to_scalar(&s[i], &q[i]);
    }
    if (watch != NULL && watch->opening != NULL) {
        watch->opening(watch->arg, 'v', f, q, n, &value);
    }
    CUZK_TRY_GOTO(st, open_v(p, s, key, pool, cancel, err));
    cuzk_fr_inv(&r_inv, &c->r);
    expand(f + n, c->x, p->rounds, &r_inv);
    memset(f, 0, n * sizeof(*f)); /* the factor X^n */
    divide(q, &value, f, 2 * n, &c->z);
    for (size_t i = 0; i < 2 * n; i++) {
        cuzk_fr_to_scalar(&s[i], &q[i]);
    }
    if (watch != NULL && watch->opening != NULL) {
        watch->opening(watch->arg, 'w', f, q, 2 * n, &value);
    }
    CUZK_TRY_GOTO(st, open_w(p, s, key, pool, cancel, err));
out:
    cuzk_free(f);
    cuzk_free(q);
    cuzk_free(s);
    return st;
}
