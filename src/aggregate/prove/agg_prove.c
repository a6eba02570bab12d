/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <string.h>

#include "aggregate/points/points.h"
#include "aggregate/points/products.h"
#include "aggregate/prove/agg_c_sums.h"
#include "aggregate/prove/agg_prove_internal.h"
#include "base/alloc.h"

/* Vectors as short as this are scaled for good: fewer multiplications than the powers in GT. */
#define SCALE_LENGTH 32
/* Vectors of points that are folded then. */
enum { N_G1 = 4, N_G2 = 3 };

typedef struct prover {
    const cuzk_agg_key *key;
    const cuzk_agg_claim *claim;
    const cuzk_agg_watch_prover *watch;
    const cuzk_agg_watch *challenges;
    cuzk_pool *pool;
    const cuzk_cancel *cancel;
    cuzk_err *err;
    cuzk_agg_state s;
    cuzk_agg_proof *p;
    cuzk_agg_challenges c;
    cuzk_scalar *k; /* [n] scratch */
    cuzk_agg_c_sums c_sums;
    /* One group per vector of G2. Round 0 and the commitments share the lines of v and b. */
    cuzk_agg_group g[3];
    cuzk_agg_group sum[3];                     /* the sums of the halves, in the first step */
    cuzk_g1_affine all_p[N_G1 * SCALE_LENGTH]; /* scratch of fold_scaled */
    cuzk_g2_affine all_q[N_G2 * SCALE_LENGTH];
} prover;

enum { GROUP_V1, GROUP_V2, GROUP_B };

static cuzk_status alloc_vectors(prover *t, size_t n)
{
    cuzk_agg_state *s = &t->s;
    bool ok = true;
    cuzk_g1_affine **g1[5] = {&s->a, &s->c, &s->ra, &s->w[0], &s->w[1]};
    cuzk_g2_affine **g2[3] = {&s->b, &s->v[0], &s->v[1]};
    for (size_t i = 0; i < 5; i++) {
        *g1[i] = cuzk_alloc(n, sizeof(**g1[i]));
        ok = ok && *g1[i] != NULL;
    }
    for (size_t i = 0; i < 3; i++) {
        *g2[i] = cuzk_alloc(n, sizeof(**g2[i]));
        ok = ok && *g2[i] != NULL;
    }
    s->rho = cuzk_alloc(n, sizeof(*s->rho));
    t->k = cuzk_alloc(n, sizeof(*t->k));
    t->c_sums = (cuzk_agg_c_sums){.k = t->k, .pool = t->pool, .cancel = t->cancel};
    t->p = cuzk_alloc_zero(1, sizeof(*t->p));
    return ok && s->rho != NULL && t->k != NULL && t->p != NULL
               ? CUZK_OK
               : CUZK_FAIL(t->err, CUZK_E_NOMEM, "no memory to aggregate %zu proofs", n);
}

static void free_vectors(prover *t)
{
    cuzk_agg_state *s = &t->s;
    cuzk_free(s->a);
    cuzk_free(s->c);
    cuzk_free(s->ra);
    cuzk_free(s->b);
    for (size_t i = 0; i < 2; i++) {
        cuzk_free(s->w[i]);
        cuzk_free(s->v[i]);
    }
    cuzk_free(s->rho);
    cuzk_free(t->k);
    cuzk_free(t->p);
}

static void set_key(prover *t)
{
    const size_t n = t->key->n;
    memcpy(t->s.w[0], t->key->g_a + n, n * sizeof(*t->s.w[0]));
    memcpy(t->s.w[1], t->key->g_b + n, n * sizeof(*t->s.w[1]));
    memcpy(t->s.v[0], t->key->h_a, n * sizeof(*t->s.v[0]));
    memcpy(t->s.v[1], t->key->h_b, n * sizeof(*t->s.v[1]));
    t->s.m = n;
}

/* Sums of the halves of all vectors. */
typedef struct halves {
    cuzk_g1_affine *a, *c, *w[2]; /* [m/2] */
    cuzk_g2_affine *b, *v[2];
} halves;

static void free_halves(halves *h)
{
    cuzk_free(h->a);
    cuzk_free(h->c);
    cuzk_free(h->b);
    for (size_t i = 0; i < 2; i++) {
        cuzk_free(h->w[i]);
        cuzk_free(h->v[i]);
    }
}

static cuzk_status sum_g1(prover *t, cuzk_g1_affine **out, const cuzk_g1_affine *p)
{
    *out = cuzk_alloc(t->s.m / 2, sizeof(**out));
    return *out != NULL ? cuzk_agg_sum_halves_g1(*out, p, t->s.m / 2, t->pool, t->cancel, t->err)
                        : CUZK_FAIL(t->err, CUZK_E_NOMEM, "%s", "no memory for the sums of halves");
}

static cuzk_status sum_g2(prover *t, cuzk_g2_affine **out, const cuzk_g2_affine *p)
{
    *out = cuzk_alloc(t->s.m / 2, sizeof(**out));
    return *out != NULL ? cuzk_agg_sum_halves_g2(*out, p, t->s.m / 2, t->pool, t->cancel, t->err)
                        : CUZK_FAIL(t->err, CUZK_E_NOMEM, "%s", "no memory for the sums of halves");
}

static cuzk_status make_halves(prover *t, halves *h)
{
    const cuzk_agg_state *s = &t->s;
    CUZK_TRY(sum_g1(t, &h->a, s->a));
    CUZK_TRY(sum_g1(t, &h->c, s->c));
    CUZK_TRY(sum_g2(t, &h->b, s->b));
    for (size_t i = 0; i < 2; i++) {
        CUZK_TRY(sum_g1(t, &h->w[i], s->w[i]));
        CUZK_TRY(sum_g2(t, &h->v[i], s->v[i]));
    }
    return CUZK_OK;
}

/*
 * The Miller value of the product over all i of (P_i, Q_i), from the cross products of the halves and
 * the product of their sums: (P_L + P_R, Q_L + Q_R) has all four. Conjugates are inverses up to
 * factors that the final exponentiation removes.
 */
static void straight(cuzk_fp12 *out, const cuzk_agg_target *sums, const cuzk_agg_target *cross)
{
    cuzk_fp12 t;
    cuzk_fp12_mul(&t, &cross->lo, &cross->hi);
    cuzk_fp12_conj(&t, &t);
    cuzk_fp12_mul(out, &sums->lo, &sums->hi);
    cuzk_fp12_mul(out, out, &t);
}

/* The products of round 0 but those of A and B. */
static void cross_groups(prover *t)
{
    cuzk_agg_state *s = &t->s;
    for (size_t i = 0; i < 2; i++) {
        t->g[i] = (cuzk_agg_group){
            .q = s->v[i],
            .n_targets = 2,
            .target = {{.p = s->a, .shifted = true}, {.p = s->c, .shifted = true}}};
    }
    t->g[GROUP_B] = (cuzk_agg_group){
        .q = s->b,
        .n_targets = 2,
        .target = {{.p = s->w[0], .shifted = true}, {.p = s->w[1], .shifted = true}}};
}

/*
 * The cross products of round 0, none of which needs r: the scaled vectors are powers of r away, which
 * e(s^i P, Q) = e(P, Q)^(s^i) moves out of the sum. T and U follow from them with half as many pairs
 * as they have.
 */
static cuzk_status commit_with(prover *t, const halves *h)
{
    cuzk_agg_group *sum = t->sum;
    for (size_t i = 0; i < 2; i++) {
        sum[i] =
            (cuzk_agg_group){.q = h->v[i], .n_targets = 2, .target = {{.p = h->a}, {.p = h->c}}};
    }
    sum[GROUP_B] =
        (cuzk_agg_group){.q = h->b, .n_targets = 2, .target = {{.p = h->w[0]}, {.p = h->w[1]}}};
    cross_groups(t);
    CUZK_TRY(cuzk_agg_products(t->g, 3, t->s.m, t->pool, t->cancel, t->err));
    CUZK_TRY(cuzk_agg_products(sum, 3, t->s.m / 2, t->pool, t->cancel, t->err));
    cuzk_agg_gt_job job[AGG_COMMITMENTS] = {{.out = &t->p->com[AGG_T_AB]},
                                            {.out = &t->p->com[AGG_U_AB]},
                                            {.out = &t->p->com[AGG_T_C]},
                                            {.out = &t->p->com[AGG_U_C]}};
    for (size_t i = 0; i < 2; i++) {
        straight(&job[AGG_T_AB + i].f, &sum[i].target[0], &t->g[i].target[0]);
        straight(&job[AGG_T_AB + i].raised, &sum[GROUP_B].target[i], &t->g[GROUP_B].target[i]);
        straight(&job[AGG_T_C + i].f, &sum[i].target[1], &t->g[i].target[1]);
        cuzk_fp12_set_one(&job[AGG_T_C + i].raised);
    }
    return cuzk_agg_gt_jobs(job, AGG_COMMITMENTS, t->pool, t->cancel, t->err);
}

static cuzk_status commit(prover *t)
{
    halves h = {.a = NULL};
    cuzk_status st = make_halves(t, &h);
    if (st == CUZK_OK) {
        st = commit_with(t, &h);
    }
    free_halves(&h);
    return st;
}

/* The products of A and B', for Z_AB and for round 0. */
static cuzk_status inner_products(prover *t)
{
    cuzk_agg_state *s = &t->s;
    s->s = t->c.r;
    cuzk_fr_inv(&s->s_inv, &s->s);
    cuzk_agg_powers(s->rho, &s->s, s->m);
    CUZK_TRY(cuzk_agg_scale_g1(s->ra, s->a, s->rho, s->m, t->pool, t->cancel, t->err));
    if (t->watch != NULL && t->watch->vectors != NULL) {
        t->watch->vectors(t->watch->arg, -1, s);
    }
    cuzk_agg_group g = {.q = s->b, .n_targets = 1, .target = {{.p = s->ra, .shifted = true}}};
    halves h = {.a = NULL};
    cuzk_status st = sum_g1(t, &h.a, s->ra);
    if (st == CUZK_OK) {
        st = sum_g2(t, &h.b, s->b);
    }
    t->sum[0] = (cuzk_agg_group){.q = h.b, .n_targets = 1, .target = {{.p = h.a}}};
    if (st == CUZK_OK) {
        st = cuzk_agg_products(&g, 1, s->m, t->pool, t->cancel, t->err);
    }
    if (st == CUZK_OK) {
        st = cuzk_agg_products(t->sum, 1, s->m / 2, t->pool, t->cancel, t->err);
    }
    free_halves(&h);
    CUZK_TRY(st);
    cuzk_agg_gt_job job = {.out = &t->p->z_ab};
    straight(&job.f, &t->sum[0].target[0], &g.target[0]);
    cuzk_fp12_set_one(&job.raised);
    CUZK_TRY(cuzk_agg_gt_jobs(&job, 1, t->pool, t->cancel, t->err));
    t->g[GROUP_B].target[2] = g.target[0];
    return cuzk_agg_c_begin(&t->c_sums, &t->p->z_c, &s->s, s->c, s->rho, s->m, t->err);
}

/* The products of a later round, at the places where commit and inner_products left round 0's. */
static cuzk_status cross_products(prover *t)
{
    cuzk_agg_state *s = &t->s;
    cuzk_agg_group *b = &t->g[GROUP_B];
    cross_groups(t);
    b->target[b->n_targets++] =
        (cuzk_agg_target){.p = s->is_scaled ? s->a : s->ra, .shifted = true};
    return cuzk_agg_products(t->g, 3, s->m, t->pool, t->cancel, t->err);
}

/* Elements of GT of a round. l pairs left points of G2: its powers of s are s^-h, those of r s^h. */
static cuzk_status round_gt(prover *t, cuzk_agg_round *out, const cuzk_scalar *l,
                            const cuzk_scalar *r)
{
    cuzk_agg_gt_job job[AGG_ROUND_GT];
    for (size_t i = 0; i < AGG_ROUND_GT; i++) {
        job[i].out = &out->gt[i];
        job[i].k = NULL;
        cuzk_fp12_set_one(&job[i].f);
        cuzk_fp12_set_one(&job[i].raised);
    }
    for (size_t i = 0; i < 2; i++) { /* the keys of a and of b */
        const cuzk_agg_target *a = &t->g[i].target[0], *c = &t->g[i].target[1];
        const cuzk_agg_target *w = &t->g[GROUP_B].target[i];
        job[AGG_T_AB_L + i].f = a->lo;
        job[AGG_T_AB_L + i].raised = w->lo;
        job[AGG_T_AB_L + i].k = l;
        job[AGG_T_AB_R + i].f = a->hi;
        job[AGG_T_AB_R + i].raised = w->hi;
        job[AGG_T_AB_R + i].k = r;
        job[AGG_T_C_L + i].f = c->lo;
        job[AGG_T_C_R + i].f = c->hi;
    }
    job[AGG_Z_AB_L].raised = t->g[GROUP_B].target[2].lo;
    job[AGG_Z_AB_L].k = l;
    job[AGG_Z_AB_R].raised = t->g[GROUP_B].target[2].hi;
    job[AGG_Z_AB_R].k = r;
    return cuzk_agg_gt_jobs(job, AGG_ROUND_GT, t->pool, t->cancel, t->err);
}

/* All vectors of G1 by x and all of G2 by 1 / x, each as one: short ones fill the lanes together. s is 1. */
static cuzk_status fold_scaled(prover *t, const cuzk_fr *x, const cuzk_fr *x_inv)
{
    cuzk_agg_state *s = &t->s;
    const size_t h = s->m / 2;
    cuzk_g1_affine *const p[N_G1] = {s->a, s->c, s->w[0], s->w[1]};
    cuzk_g2_affine *const q[N_G2] = {s->b, s->v[0], s->v[1]};
    cuzk_g1_affine *const all_p = t->all_p; /* first halves, then second halves */
    cuzk_g2_affine *const all_q = t->all_q;
    for (size_t i = 0; i < N_G1; i++) {
        memcpy(all_p + i * h, p[i], h * sizeof(*all_p));
        memcpy(all_p + (N_G1 + i) * h, p[i] + h, h * sizeof(*all_p));
    }
    for (size_t i = 0; i < N_G2; i++) {
        memcpy(all_q + i * h, q[i], h * sizeof(*all_q));
        memcpy(all_q + (N_G2 + i) * h, q[i] + h, h * sizeof(*all_q));
    }
    CUZK_TRY(cuzk_agg_fold_g1(all_p, N_G1 * h, x, t->pool, t->cancel, t->err));
    CUZK_TRY(cuzk_agg_fold_g2(all_q, N_G2 * h, x_inv, t->pool, t->cancel, t->err));
    for (size_t i = 0; i < N_G1; i++) {
        memcpy(p[i], all_p + i * h, h * sizeof(*all_p));
    }
    for (size_t i = 0; i < N_G2; i++) {
        memcpy(q[i], all_q + i * h, h * sizeof(*all_q));
    }
    return CUZK_OK;
}

static cuzk_status fold_points(prover *t, const cuzk_fr *x, const cuzk_fr *x_inv, const cuzk_fr *sh,
                               const cuzk_fr *sh_inv)
{
    cuzk_agg_state *s = &t->s;
    const size_t h = s->m / 2;
    cuzk_fr kw, kb;
    cuzk_fr_mul(&kw, x, sh_inv);
    cuzk_fr_mul(&kb, x_inv, sh);
    CUZK_TRY(cuzk_agg_fold_g1(s->a, h, x, t->pool, t->cancel, t->err));
    CUZK_TRY(cuzk_agg_fold_g1(s->c, h, x, t->pool, t->cancel, t->err));
    CUZK_TRY(cuzk_agg_fold_g1(s->ra, h, &kw, t->pool, t->cancel, t->err));
    CUZK_TRY(cuzk_agg_fold_g2(s->b, h, &kb, t->pool, t->cancel, t->err));
    for (size_t i = 0; i < 2; i++) {
        CUZK_TRY(cuzk_agg_fold_g1(s->w[i], h, &kw, t->pool, t->cancel, t->err));
        CUZK_TRY(cuzk_agg_fold_g2(s->v[i], h, x_inv, t->pool, t->cancel, t->err));
    }
    return CUZK_OK;
}

static cuzk_status fold_all(prover *t, const cuzk_fr *x, const cuzk_fr *x_inv, const cuzk_fr *sh,
                            const cuzk_fr *sh_inv)
{
    cuzk_agg_state *s = &t->s;
    const size_t h = s->m / 2;
    CUZK_TRY(s->is_scaled ? fold_scaled(t, x, x_inv) : fold_points(t, x, x_inv, sh, sh_inv));
    for (size_t i = 0; i < h; i++) {
        cuzk_fr p;
        cuzk_fr_mul(&p, &s->rho[h + i], x_inv);
        cuzk_fr_add(&s->rho[i], &s->rho[i], &p);
    }
    s->m = h;
    return CUZK_OK;
}

/* Applies the powers of s to b and w, after which s is 1. */
static cuzk_status scale_for_good(prover *t)
{
    cuzk_agg_state *s = &t->s;
    cuzk_fr power[SCALE_LENGTH];
    cuzk_agg_powers(power, &s->s, s->m);
    CUZK_TRY(cuzk_agg_scale_g2(s->b, s->b, power, s->m, t->pool, t->cancel, t->err));
    cuzk_agg_powers(power, &s->s_inv, s->m);
    for (size_t i = 0; i < 2; i++) {
        CUZK_TRY(cuzk_agg_scale_g1(s->w[i], s->w[i], power, s->m, t->pool, t->cancel, t->err));
    }
    s->s = s->s_inv = CUZK_FR_ONE;
    s->is_scaled = true;
    return CUZK_OK;
}

static cuzk_status run_round(prover *t, unsigned i)
{
    cuzk_agg_state *s = &t->s;
    cuzk_agg_round *out = &t->p->round[i];
    const size_t h = s->m / 2;
    cuzk_fr sh, sh_inv;
    cuzk_scalar l, r;
    cuzk_fr_pow_u64(&sh, &s->s, h);
    cuzk_fr_pow_u64(&sh_inv, &s->s_inv, h);
    cuzk_fr_to_scalar(&l, &sh_inv);
    cuzk_fr_to_scalar(&r, &sh);
    if (i > 0) {
        CUZK_TRY(cross_products(t));
    }
    CUZK_TRY(round_gt(t, out, s->is_scaled ? NULL : &l, s->is_scaled ? NULL : &r));
    CUZK_TRY(cuzk_agg_c_round(&t->c_sums, &out->z_c_l, &out->z_c_r, s->c, s->rho, h, t->err));
    cuzk_agg_challenge_round(&t->c, t->p, i, t->claim->version, t->challenges);
    CUZK_TRY(fold_all(t, &t->c.x[i], &t->c.x_inv[i], &sh, &sh_inv));
    cuzk_agg_c_fold(&t->c_sums, &t->c.x[i], &t->c.x_inv[i], h);
    if (t->watch != NULL && t->watch->vectors != NULL) {
        t->watch->vectors(t->watch->arg, (int)i, s);
    }
    return s->is_scaled || s->m > SCALE_LENGTH || s->m == 1 ? CUZK_OK : scale_for_good(t);
}

static void take_final(prover *t)
{
    cuzk_agg_proof *p = t->p;
    p->final_a = t->s.a[0];
    p->final_b = t->s.b[0]; /* s^0 is 1 */
    p->final_c = t->s.c[0];
    for (size_t i = 0; i < 2; i++) {
        p->final_v[i] = t->s.v[i][0];
        p->final_w[i] = t->s.w[i][0];
    }
}

static cuzk_status aggregate(prover *t, const cuzk_vk *vk, const uint8_t *proofs)
{
    const cuzk_agg_claim *q = t->claim;
    set_key(t);
    CUZK_TRY(commit(t));
    cuzk_agg_challenge_r(&t->c, t->p, q->include, q->n_include, t->challenges);
    CUZK_TRY(inner_products(t));
    if (t->watch == NULL || !t->watch->allow_bad_proofs) {
        CUZK_TRY(cuzk_agg_check_inputs(t->p, &t->c.r, proofs, vk, q, t->pool, t->cancel, t->err));
    }
    cuzk_agg_challenge_first(&t->c, t->p, t->challenges);
    for (unsigned i = 0; i < t->p->rounds; i++) {
        CUZK_TRY(run_round(t, i));
    }
    take_final(t);
    cuzk_agg_challenge_z(&t->c, t->p, q->version, t->challenges);
    return cuzk_agg_open_keys(t->p, &t->c, t->key, t->watch, t->pool, t->cancel, t->err);
}

/* Encoded, and read back and verified as anybody would. */
static cuzk_status finish(prover *t, uint8_t **out, size_t *n_out, const cuzk_agg_vk *srs,
                          const cuzk_vk *vk)
{
    const size_t n = cuzk_agg_proof_bytes(t->p->rounds);
    uint8_t *bytes = cuzk_alloc(n, 1);
    if (bytes == NULL) {
        return CUZK_FAIL(t->err, CUZK_E_NOMEM, "%s", "no memory for the aggregate");
    }
    cuzk_status st = cuzk_agg_proof_encode(bytes, t->p, t->err);
    if (st == CUZK_OK && (t->watch == NULL || !t->watch->allow_bad_proofs)) {
        cuzk_err why = {0};
        st = cuzk_agg_verify(srs, vk, t->claim, bytes, n, false, &why);
        if (st == CUZK_E_NOMEM || st == CUZK_E_IO) {
            st = CUZK_FAIL(t->err, st, "verifying the aggregate: %s", why.msg);
        } else if (st != CUZK_OK) {
            st = CUZK_FAIL(t->err, CUZK_E_SELFTEST,
                           "the aggregate that was made does not verify: %s", why.msg);
        }
    }
    if (st != CUZK_OK) {
        cuzk_free(bytes);
        return st;
    }
    *out = bytes;
    *n_out = n;
    return CUZK_OK;
}

static cuzk_status check_request(const cuzk_agg_key *key, const cuzk_vk *vk,
                                 const cuzk_agg_claim *claim, const cuzk_agg_watch_prover *watch,
                                 cuzk_err *err)
{
    if (claim->n_inputs != cuzk_vk_n_inputs(vk)) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "%zu public inputs; the verifying key has %zu",
                         claim->n_inputs, cuzk_vk_n_inputs(vk));
    }
    if (cuzk_agg_padded(claim->n) != key->n || key->n == 0) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "%zu proofs do not fit a key for %zu", claim->n,
                         key->n);
    }
    return claim->version == CUZK_AGG_V2 || watch != NULL
               ? CUZK_OK
               : CUZK_FAIL(err, CUZK_E_INVALID, "%s",
                           "aggregates of version 1 prove nothing and are not made");
}

static cuzk_status prove(prover *t, uint8_t **out, size_t *n_out, const cuzk_agg_vk *srs,
                         const cuzk_vk *vk, const uint8_t *proofs)
{
    const size_t n = t->key->n;
    CUZK_TRY(alloc_vectors(t, n));
    t->p->n = n;
    t->p->rounds = (unsigned)__builtin_ctzll(n);
    cuzk_agg_points points = {t->s.a, t->s.c, t->s.b};
    CUZK_TRY(cuzk_agg_decode_proofs(&points, proofs, t->claim->n, n, t->pool, t->cancel, t->err));
    CUZK_TRY(aggregate(t, vk, proofs));
    return finish(t, out, n_out, srs, vk);
}

cuzk_status cuzk_agg_prove(uint8_t **out, size_t *n_out, const cuzk_agg_key *key,
                           const cuzk_agg_vk *srs, const cuzk_vk *vk, const cuzk_agg_claim *claim,
                           const uint8_t *proofs, const struct cuzk_agg_watch_prover *watch,
                           cuzk_pool *pool, const cuzk_cancel *cancel, cuzk_err *err)
{
    CUZK_TRY(check_request(key, vk, claim, watch, err));
    prover *t = cuzk_alloc_zero(1, sizeof(*t));
    if (t == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory to aggregate %zu proofs", claim->n);
    }
    t->key = key;
    t->claim = claim;
    t->watch = watch;
    t->challenges = watch != NULL && watch->watch.challenge != NULL ? &watch->watch : NULL;
    t->pool = pool;
    t->cancel = cancel;
    t->err = err;
    const cuzk_status st = prove(t, out, n_out, srs, vk, proofs);
    free_vectors(t);
    cuzk_free(t);
    return st;
}
