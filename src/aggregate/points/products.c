/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "aggregate/points/products.h"

#include "base/alloc.h"
#include "pairing/gt.h"
#include "pairing/miller_shared.h"

enum { FOUR = 4 };

typedef struct worker_space {
    cuzk_miller_scratch miller;
    cuzk_fp12 out[CUZK_AGG_TARGETS];
} worker_space;

typedef struct product_run {
    const cuzk_agg_group *groups;
    size_t n_groups, m, half, chunk;
    size_t chunks[2]; /* of each half */
    worker_space *space;
    cuzk_fp12 *acc; /* [workers][n_groups][2][CUZK_AGG_TARGETS] */
} product_run;

static cuzk_fp12 *acc_of(const product_run *r, unsigned worker, size_t group, size_t half)
{
    return r->acc + ((worker * r->n_groups + group) * 2 + half) * CUZK_AGG_TARGETS;
}

/* Item i: group by group, its first half in chunks, then its second. */
static cuzk_status run_items(void *arg, size_t begin, size_t end, unsigned worker)
{
    const product_run *r = arg;
    worker_space *s = &r->space[worker];
    const size_t each = r->chunks[0] + r->chunks[1];
    for (size_t i = begin; i < end; i++) {
        const cuzk_agg_group *g = &r->groups[i / each];
        const size_t k = i % each, second = k >= r->chunks[0] ? 1 : 0;
        const size_t last = second != 0 ? r->m : r->half;
        const size_t at = second != 0 ? r->half + (k - r->chunks[0]) * r->chunk : k * r->chunk;
        const size_t n = last - at < r->chunk ? last - at : r->chunk;
        const cuzk_g1_affine *p[CUZK_AGG_TARGETS];
        for (size_t t = 0; t < g->n_targets; t++) {
            const size_t other = second != 0 ? at - r->half : at + r->half;
            p[t] = g->target[t].p + (g->target[t].shifted ? other : at);
        }
        cuzk_pairing_miller_shared(s->out, g->q + at, p, g->n_targets, n, &s->miller);
        cuzk_fp12 *acc = acc_of(r, worker, i / each, second);
        for (size_t t = 0; t < g->n_targets; t++) {
            cuzk_fp12_mul(&acc[t], &acc[t], &s->out[t]);
        }
    }
    return CUZK_OK;
}

static void collect(cuzk_agg_group *groups, const product_run *r, unsigned workers)
{
    for (size_t g = 0; g < r->n_groups; g++) {
        for (size_t t = 0; t < groups[g].n_targets; t++) {
            cuzk_agg_target *target = &groups[g].target[t];
            cuzk_fp12_set_one(&target->lo);
            cuzk_fp12_set_one(&target->hi);
            for (unsigned w = 0; w < workers; w++) {
                cuzk_fp12_mul(&target->lo, &target->lo, &acc_of(r, w, g, 0)[t]);
                cuzk_fp12_mul(&target->hi, &target->hi, &acc_of(r, w, g, 1)[t]);
            }
        }
    }
}

/* Large enough to share inversions, small enough that every thread has several. */
static size_t choose_chunk(size_t points, unsigned workers)
{
    const size_t even = points / (4 * (size_t)workers);
    return even < 16 ? 16 : even > CUZK_MILLER_BATCH ? CUZK_MILLER_BATCH : even;
}

cuzk_status cuzk_agg_products(cuzk_agg_group *groups, size_t n_groups, size_t m, cuzk_pool *pool,
                              const cuzk_cancel *cancel, cuzk_err *err)
{
    const unsigned workers = cuzk_pool_threads(pool);
    const size_t n_acc = (size_t)workers * n_groups * 2 * CUZK_AGG_TARGETS;
    product_run r = {.groups = groups, .n_groups = n_groups, .m = m, .half = m / 2};
    r.chunk = choose_chunk(n_groups * m, workers);
    r.chunks[0] = (r.half + r.chunk - 1) / r.chunk;
    r.chunks[1] = (m - r.half + r.chunk - 1) / r.chunk;
    r.space = cuzk_alloc(workers, sizeof(*r.space));
    r.acc = cuzk_alloc(n_acc, sizeof(*r.acc));
    cuzk_status st = CUZK_OK;
    if (r.space == NULL || r.acc == NULL) {
        st = CUZK_FAIL(err, CUZK_E_NOMEM, "%s", "no memory for products of pairings");
        goto out;
    }
    for (size_t i = 0; i < n_acc; i++) {
        cuzk_fp12_set_one(&r.acc[i]);
    }
    st = cuzk_parallel_for(pool, cancel, n_groups * (r.chunks[0] + r.chunks[1]), 1, run_items, &r);
    if (st != CUZK_OK) {
        st = CUZK_FAIL(err, st, "products of pairings: %s", cuzk_status_text(st));
        goto out;
    }
    collect(groups, &r, workers);
out:
    cuzk_free(r.space);
    cuzk_free(r.acc);
    return st;
}

/* The final exponentiations of all jobs, four at a time where the processor has lanes for that. */
typedef struct exp_run {
    cuzk_fp12 *f; /* [n], in place */
    size_t n;
} exp_run;

static cuzk_status exp_range(void *arg, size_t begin, size_t end, unsigned worker)
{
    const exp_run *r = arg;
    (void)worker;
    for (size_t i = begin; i < end; i++) {
        cuzk_pairing_final_exps(r->f + FOUR * i, r->n - FOUR * i < FOUR ? r->n - FOUR * i : FOUR);
    }
    return CUZK_OK;
}

typedef struct gt_run {
    const cuzk_agg_gt_job *jobs;
    cuzk_fp12 *f; /* [2 n] job i: the value, or both factors */
} gt_run;

static cuzk_status pow_range(void *arg, size_t begin, size_t end, unsigned worker)
{
    const gt_run *r = arg;
    (void)worker;
    for (size_t i = begin; i < end; i++) {
        const cuzk_agg_gt_job *j = &r->jobs[i];
        cuzk_fp12 t;
        if (j->k == NULL) {
            *j->out = r->f[2 * i];
            continue;
        }
        cuzk_gt_pow(&t, &r->f[2 * i + 1], j->k);
        cuzk_fp12_mul(j->out, &r->f[2 * i], &t);
    }
    return CUZK_OK;
}

/* Into f [n] what has to be raised; where[k] is the place of f[k] among the 2 n. */
static size_t gather(cuzk_fp12 *f, size_t *where, const cuzk_agg_gt_job *jobs, size_t n_jobs)
{
    size_t n = 0;
    for (size_t i = 0; i < n_jobs; i++) {
        const cuzk_agg_gt_job *j = &jobs[i];
        if (j->k == NULL) {
            where[n] = 2 * i;
            cuzk_fp12_mul(&f[n++], &j->f, &j->raised);
            continue;
        }
        where[n] = 2 * i + 1;
        f[n++] = j->raised;
        if (!cuzk_fp12_is_one(&j->f)) {
            where[n] = 2 * i;
            f[n++] = j->f;
        }
    }
    return n;
}

cuzk_status cuzk_agg_gt_jobs(const cuzk_agg_gt_job *jobs, size_t n, cuzk_pool *pool,
                             const cuzk_cancel *cancel, cuzk_err *err)
{
    cuzk_fp12 *f = cuzk_alloc(2 * n, sizeof(*f)), *raised = cuzk_alloc(2 * n, sizeof(*raised));
    size_t *where = cuzk_alloc(2 * n, sizeof(*where));
    exp_run exps = {.f = f};
    cuzk_status st = CUZK_OK;
    if (f == NULL || raised == NULL || where == NULL) {
        st = CUZK_FAIL(err, CUZK_E_NOMEM, "%s", "no memory for final exponentiations");
        goto out;
    }
    exps.n = gather(f, where, jobs, n);
    st = cuzk_parallel_for(pool, cancel, (exps.n + FOUR - 1) / FOUR, 1, exp_range, &exps);
    if (st == CUZK_OK) {
        for (size_t i = 0; i < 2 * n; i++) {
            cuzk_fp12_set_one(&raised[i]);
        }
        for (size_t i = 0; i < exps.n; i++) {
            raised[where[i]] = f[i];
        }
        gt_run pows = {jobs, raised};
        st = cuzk_parallel_for(pool, cancel, n, 1, pow_range, &pows);
    }
    if (st != CUZK_OK) {
        st = CUZK_FAIL(err, st, "final exponentiations: %s", cuzk_status_text(st));
    }
out:
    cuzk_free(f);
    cuzk_free(raised);
    cuzk_free(where);
    return st;
}
