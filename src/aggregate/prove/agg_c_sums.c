/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "aggregate/prove/agg_c_sums.h"

#include "msm/msm.h"
#include "verify/input_sum.h"

enum {
    FEW = 256,  /* up to this many points, cuzk_verify_input_sum */
    CROSSED = 8 /* halves as short as this are summed crossed */
};

/* out = sum of k[i] c[i], i < n. */
static cuzk_status sum(const cuzk_agg_c_sums *s, cuzk_g1 *out, const cuzk_g1_affine *c,
                       const cuzk_fr *k, size_t n, cuzk_err *err)
{
    for (size_t i = 0; i < n; i++) {
        cuzk_fr_to_scalar(&s->k[i], &k[i]);
    }
    return n <= FEW ? cuzk_verify_input_sum(out, c, s->k, n)
                    : cuzk_msm_g1(out, c, s->k, n, 255, s->pool, s->cancel, err);
}

static void multiply(cuzk_g1 *out, const cuzk_g1 *p, const cuzk_fr *k)
{
    cuzk_scalar e;
    cuzk_fr_to_scalar(&e, k);
    cuzk_g1_mul(out, p, &e);
}

cuzk_status cuzk_agg_c_begin(cuzk_agg_c_sums *s, cuzk_g1_affine *z_c, const cuzk_fr *r,
                             const cuzk_g1_affine *c, const cuzk_fr *rho, size_t m, cuzk_err *err)
{
    const size_t h = m / 2;
    s->r = *r;
    cuzk_fr_inv(&s->r_inv, r);
    s->has_whole = s->has_lo = h > CROSSED;
    if (s->has_lo) {
        CUZK_TRY(sum(s, &s->lo, c, rho, h, err));
        CUZK_TRY(sum(s, &s->whole, c + h, rho + h, m - h, err));
        cuzk_g1_add(&s->whole, &s->whole, &s->lo);
    } else {
        CUZK_TRY(sum(s, &s->whole, c, rho, m, err));
    }
    cuzk_g1_to_affine(z_c, &s->whole);
    return CUZK_OK;
}

cuzk_status cuzk_agg_c_round(cuzk_agg_c_sums *s, cuzk_g1_affine *l, cuzk_g1_affine *r,
                             const cuzk_g1_affine *c, const cuzk_fr *rho, size_t h, cuzk_err *err)
{
    if (s->has_whole) {
        cuzk_fr rh, rh_inv;
        cuzk_g1 hi;
        if (!s->has_lo) {
            CUZK_TRY(sum(s, &s->lo, c, rho, h, err));
        }
        cuzk_g1_neg(&hi, &s->lo);
        cuzk_g1_add(&hi, &hi, &s->whole);
        cuzk_fr_pow_u64(&rh, &s->r, h);
        cuzk_fr_pow_u64(&rh_inv, &s->r_inv, h);
        multiply(&s->r_side, &s->lo, &rh);
        multiply(&s->l, &hi, &rh_inv);
    } else {
        CUZK_TRY(sum(s, &s->l, c + h, rho, h, err));
        CUZK_TRY(sum(s, &s->r_side, c, rho + h, h, err));
    }
    cuzk_g1_to_affine(l, &s->l);
    cuzk_g1_to_affine(r, &s->r_side);
    return CUZK_OK;
}

void cuzk_agg_c_fold(cuzk_agg_c_sums *s, const cuzk_fr *x, const cuzk_fr *x_inv, size_t h)
{
    cuzk_g1 t;
    s->has_whole = s->has_whole && h / 2 > CROSSED;
    s->has_lo = false;
    if (s->has_whole) {
        multiply(&t, &s->l, x);
        cuzk_g1_add(&s->whole, &s->whole, &t);
        multiply(&t, &s->r_side, x_inv);
        cuzk_g1_add(&s->whole, &s->whole, &t);
    }
}
