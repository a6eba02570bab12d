/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <string.h>

#include "aggregate/srs/agg_srs_internal.h"
#include "base/alloc.h"
#include "base/entropy.h"
#include "msm/msm.h"

/*
 * A list P_0 = P, P_1, ... holds powers of a exactly when P_(i+1) = a P_i for all i. With random
 * coefficients c_i of 128 bits: sum c_i P_(i+1) = a (sum c_i P_i), which a pairing with the point of
 * a in the other group shows.
 */
enum { SLICE = 8192, COEFFICIENT_BITS = 128 };

typedef struct check {
    const cuzk_agg_srs *srs;
    cuzk_pool *pool;
    const cuzk_cancel *cancel;
    cuzk_err *err;
    cuzk_scalar *c;     /* [SLICE] */
    cuzk_g1_affine *g1; /* [SLICE + 1] */
    cuzk_g2_affine *g2;
} check;

static cuzk_status draw(check *k, size_t n)
{
    memset(k->c, 0, n * sizeof(*k->c));
    for (size_t i = 0; i < n; i++) {
        CUZK_TRY(cuzk_entropy(k->c[i].l, COEFFICIENT_BITS / 8, k->err));
    }
    return CUZK_OK;
}

static cuzk_status check_pairing(const check *k, const cuzk_pairing_term t[2], size_t list)
{
    cuzk_fp12 f;
    cuzk_pairing_miller(&f, t, 2);
    cuzk_pairing_final_exp(&f, &f);
    return cuzk_fp12_is_one(&f)
               ? CUZK_OK
               : CUZK_FAIL(k->err, CUZK_E_INVALID, "SRS: %s: not the powers of one secret",
                           cuzk_agg_list_name(list));
}

static cuzk_status check_g1(check *k, size_t list, const cuzk_g2_affine *secret)
{
    cuzk_g1 low, high, part;
    cuzk_g1_affine p[2];
    cuzk_g1_set_infinity(&low);
    cuzk_g1_set_infinity(&high);
    for (size_t at = 0; at + 1 < k->srs->n; at += SLICE) {
        const size_t left = k->srs->n - 1 - at, m = left < SLICE ? left : SLICE;
        CUZK_TRY(cuzk_agg_srs_read_g1(k->srs, k->g1, list, at, m + 1, CUZK_POINT_IN_SUBGROUP,
                                      k->pool, k->cancel, k->err));
        CUZK_TRY(draw(k, m));
        CUZK_TRY(cuzk_msm_g1(&part, k->g1, k->c, m, COEFFICIENT_BITS, k->pool, k->cancel, k->err));
        cuzk_g1_add(&low, &low, &part);
        CUZK_TRY(
            cuzk_msm_g1(&part, k->g1 + 1, k->c, m, COEFFICIENT_BITS, k->pool, k->cancel, k->err));
        cuzk_g1_add(&high, &high, &part);
    }
    cuzk_g1_neg(&low, &low);
    cuzk_g1_to_affine(&p[0], &high);
    cuzk_g1_to_affine(&p[1], &low);
    const cuzk_pairing_term t[2] = {{&p[0], &CUZK_G2_GENERATOR, NULL}, {&p[1], secret, NULL}};
    return check_pairing(k, t, list);
}

static cuzk_status check_g2(check *k, size_t list, const cuzk_g1_affine *secret)
{
    cuzk_g2 low, high, part;
    cuzk_g2_affine q[2];
    cuzk_g2_set_infinity(&low);
    cuzk_g2_set_infinity(&high);
    for (size_t at = 0; at + 1 < k->srs->n; at += SLICE) {
        const size_t left = k->srs->n - 1 - at, m = left < SLICE ? left : SLICE;
        CUZK_TRY(cuzk_agg_srs_read_g2(k->srs, k->g2, list, at, m + 1, CUZK_POINT_IN_SUBGROUP,
                                      k->pool, k->cancel, k->err));
        CUZK_TRY(draw(k, m));
        CUZK_TRY(cuzk_msm_g2(&part, k->g2, k->c, m, COEFFICIENT_BITS, k->pool, k->cancel, k->err));
        cuzk_g2_add(&low, &low, &part);
        CUZK_TRY(
            cuzk_msm_g2(&part, k->g2 + 1, k->c, m, COEFFICIENT_BITS, k->pool, k->cancel, k->err));
        cuzk_g2_add(&high, &high, &part);
    }
    cuzk_g2_neg(&low, &low);
    cuzk_g2_to_affine(&q[0], &high);
    cuzk_g2_to_affine(&q[1], &low);
    const cuzk_pairing_term t[2] = {{&CUZK_G1_GENERATOR, &q[0], NULL}, {secret, &q[1], NULL}};
    return check_pairing(k, t, list);
}

cuzk_status cuzk_agg_srs_check(const cuzk_agg_srs *srs, cuzk_pool *pool, const cuzk_cancel *cancel,
                               cuzk_err *err)
{
    check k = {srs, pool, cancel, err, NULL, NULL, NULL};
    cuzk_status st = CUZK_OK;
    k.c = cuzk_alloc(SLICE, sizeof(*k.c));
    k.g1 = cuzk_alloc(SLICE + 1, sizeof(*k.g1));
    k.g2 = cuzk_alloc(SLICE + 1, sizeof(*k.g2));
    if (k.c == NULL || k.g1 == NULL || k.g2 == NULL) {
        st = CUZK_FAIL(err, CUZK_E_NOMEM, "%s", "SRS: no memory");
        goto out;
    }
    CUZK_TRY_GOTO(st, check_g1(&k, AGG_LIST_G_A, &srs->vk.h_a));
    CUZK_TRY_GOTO(st, check_g1(&k, AGG_LIST_G_B, &srs->vk.h_b));
    CUZK_TRY_GOTO(st, check_g2(&k, AGG_LIST_H_A, &srs->vk.g_a));
    CUZK_TRY_GOTO(st, check_g2(&k, AGG_LIST_H_B, &srs->vk.g_b));
out:
    cuzk_free(k.c);
    cuzk_free(k.g1);
    cuzk_free(k.g2);
    return st;
}
