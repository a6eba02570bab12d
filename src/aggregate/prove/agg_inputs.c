/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The proofs that are to be aggregated: decoded, and verified before the rounds. */
#include <stdatomic.h>
#include <string.h>

#include "aggregate/points/subgroup.h"
#include "aggregate/prove/agg_prove_internal.h"
#include "aggregate/statements.h"
#include "base/alloc.h"
#include "pairing/gt.h"
#include "verify/input_sum.h"
#include "verify/vk.h"

typedef struct each_proof {
    cuzk_agg_points *out;
    const uint8_t *proofs, *inputs;
    const cuzk_vk *vk;
    size_t n_inputs;
    cuzk_point_check check;
    _Atomic size_t first_bad;
} each_proof;

static void note_bad(each_proof *e, size_t i)
{
    size_t seen = atomic_load(&e->first_bad);
    while (i < seen && !atomic_compare_exchange_weak(&e->first_bad, &seen, i)) {
    }
}

static cuzk_status decode_one(const cuzk_agg_points *out, size_t i, const uint8_t *in,
                              cuzk_point_check check)
{
    CUZK_TRY(cuzk_g1_decode_compressed(&out->a[i], in, check));
    CUZK_TRY(cuzk_g2_decode_compressed(&out->b[i], in + 48, check));
    CUZK_TRY(cuzk_g1_decode_compressed(&out->c[i], in + 144, check));
    return cuzk_g1_affine_is_infinity(&out->a[i]) || cuzk_g2_affine_is_infinity(&out->b[i]) ||
                   cuzk_g1_affine_is_infinity(&out->c[i])
               ? CUZK_E_INFINITY
               : CUZK_OK;
}

static cuzk_status decode_range(void *arg, size_t begin, size_t end, unsigned worker)
{
    each_proof *e = arg;
    (void)worker;
    for (size_t i = begin; i < end; i++) {
        const cuzk_status st = decode_one(e->out, i, e->proofs + i * CUZK_PROOF_BYTES, e->check);
        if (st != CUZK_OK) {
            note_bad(e, i);
            return st;
        }
    }
    return CUZK_OK;
}

/* Whether all points of the first n proofs, which are on their curves, are in the subgroups. */
static cuzk_status test_subgroups(bool *all, const cuzk_agg_points *p, size_t n, cuzk_pool *pool,
                                  const cuzk_cancel *cancel, cuzk_err *err)
{
    cuzk_g1_affine *both = cuzk_alloc(n, 2 * sizeof(*both)); /* one test for all points of G1 */
    if (both == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "%s", "no memory to test points");
    }
    memcpy(both, p->a, n * sizeof(*both));
    memcpy(both + n, p->c, n * sizeof(*both));
    const cuzk_status st = cuzk_agg_g1_in_subgroup(all, both, 2 * n, pool, cancel, err);
    cuzk_free(both);
    CUZK_TRY(st);
    return *all ? cuzk_agg_g2_in_subgroup(all, p->b, n, pool, cancel, err) : CUZK_OK;
}

/* Together; false: one by one is left to do, to name the first bad proof, or because they are few. */
static cuzk_status decode_together(bool *done, cuzk_agg_points *out, const uint8_t *proofs,
                                   size_t n_proofs, cuzk_pool *pool, const cuzk_cancel *cancel,
                                   cuzk_err *err)
{
    each_proof e = {
        .out = out, .proofs = proofs, .check = CUZK_POINT_ON_CURVE, .first_bad = SIZE_MAX};
    *done = false;
    return n_proofs >= CUZK_AGG_SUBGROUP_LEAST &&
                   cuzk_parallel_for(pool, cancel, n_proofs, 0, decode_range, &e) == CUZK_OK
               ? test_subgroups(done, out, n_proofs, pool, cancel, err)
               : CUZK_OK;
}

static cuzk_status decode_each(cuzk_agg_points *out, const uint8_t *proofs, size_t n_proofs,
                               cuzk_pool *pool, const cuzk_cancel *cancel, cuzk_err *err)
{
    each_proof e = {
        .out = out, .proofs = proofs, .check = CUZK_POINT_IN_SUBGROUP, .first_bad = SIZE_MAX};
    const cuzk_status st = cuzk_parallel_for(pool, cancel, n_proofs, 0, decode_range, &e);
    if (st == CUZK_OK) {
        return CUZK_OK;
    }
    return e.first_bad == SIZE_MAX ? CUZK_FAIL(err, st, "%s", cuzk_status_text(st))
                                   : CUZK_FAIL(err, st, "proof %zu of %zu: %s", (size_t)e.first_bad,
                                               n_proofs, cuzk_status_text(st));
}

cuzk_status cuzk_agg_decode_proofs(cuzk_agg_points *out, const uint8_t *proofs, size_t n_proofs,
                                   size_t n, cuzk_pool *pool, const cuzk_cancel *cancel,
                                   cuzk_err *err)
{
    bool done = false;
    CUZK_TRY(decode_together(&done, out, proofs, n_proofs, pool, cancel, err));
    if (!done) {
        CUZK_TRY(decode_each(out, proofs, n_proofs, pool, cancel, err));
    }
    for (size_t i = n_proofs; i < n; i++) {
        out->a[i] = out->a[n_proofs - 1];
        out->b[i] = out->b[n_proofs - 1];
        out->c[i] = out->c[n_proofs - 1];
    }
    return CUZK_OK;
}

static cuzk_status verify_range(void *arg, size_t begin, size_t end, unsigned worker)
{
    each_proof *e = arg;
    (void)worker;
    for (size_t i = begin; i < end; i++) {
        if (i > e->first_bad) { /* an earlier one is bad already */
            return CUZK_OK;
        }
        const cuzk_verify_result r =
            cuzk_verify(e->vk, e->proofs + i * CUZK_PROOF_BYTES, CUZK_PROOF_BYTES,
                        e->inputs + i * e->n_inputs * CUZK_SCALAR_BYTES, e->n_inputs);
        if (r == CUZK_VERIFY_E_NOMEM || r == CUZK_VERIFY_E_IO) {
            return (cuzk_status)r;
        }
        if (r != CUZK_VERIFY_OK) {
            note_bad(e, i);
        }
    }
    return CUZK_OK;
}

static cuzk_status name_bad(const uint8_t *proofs, const cuzk_vk *vk, const cuzk_agg_claim *claim,
                            cuzk_pool *pool, const cuzk_cancel *cancel, cuzk_err *err)
{
    each_proof e = {.proofs = proofs,
                    .inputs = claim->inputs,
                    .vk = vk,
                    .n_inputs = claim->n_inputs,
                    .first_bad = SIZE_MAX};
    const cuzk_status st = cuzk_parallel_for(pool, cancel, claim->n, 4, verify_range, &e);
    if (st != CUZK_OK) {
        return CUZK_FAIL(err, st, "verifying the proofs: %s", cuzk_status_text(st));
    }
    return e.first_bad == SIZE_MAX
               ? CUZK_FAIL(err, CUZK_E_SELFTEST, "%s",
                           "the proofs verify one by one but not together")
               : CUZK_FAIL(err, CUZK_E_PROOF_FALSE, "proof %zu of %zu does not verify",
                           (size_t)e.first_bad, claim->n);
}

/* Z_AB = e(alpha, beta)^k e(sum, gamma) e(Z_C, delta)? The coefficients are the powers of r. */
static cuzk_status check_together(cuzk_scalar *s, const cuzk_agg_proof *p, const cuzk_fr *r,
                                  const cuzk_vk *vk, const cuzk_agg_claim *claim, bool *holds,
                                  cuzk_err *err)
{
    cuzk_g1 jac;
    cuzk_g1_affine ic;
    cuzk_fp12 left, right;
    CUZK_TRY(cuzk_agg_weigh_inputs(s, claim, NULL, r, p->n, err));
    CUZK_TRY(cuzk_verify_input_sum(&jac, vk->ic, s, claim->n_inputs + 1));
    cuzk_g1_to_affine(&ic, &jac);
    const cuzk_pairing_term t[2] = {{&ic, NULL, &vk->minus_gamma},
                                    {&p->z_c, NULL, &vk->minus_delta}};
    cuzk_pairing_miller(&left, t, 2);
    cuzk_pairing_final_exp(&left, &left);
    cuzk_fp12_mul(&left, &left, &p->z_ab);
    cuzk_gt_pow(&right, &vk->alpha_beta, &s[0]);
    *holds = cuzk_fp12_eq(&left, &right);
    return CUZK_OK;
}

cuzk_status cuzk_agg_check_inputs(const cuzk_agg_proof *p, const cuzk_fr *r, const uint8_t *proofs,
                                  const cuzk_vk *vk, const cuzk_agg_claim *claim, cuzk_pool *pool,
                                  const cuzk_cancel *cancel, cuzk_err *err)
{
    bool holds = false;
    cuzk_scalar *s = cuzk_alloc(claim->n_inputs + 1, sizeof(*s));
    cuzk_status st = s != NULL
                         ? check_together(s, p, r, vk, claim, &holds, err)
                         : CUZK_FAIL(err, CUZK_E_NOMEM, "%s", "no memory to verify the proofs");
    cuzk_free(s);
    if (st == CUZK_OK && !holds) {
        st = name_bad(proofs, vk, claim, pool, cancel, err);
    }
    return st;
}
