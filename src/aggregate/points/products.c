/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "aggregate/points/products.h"

#include <string.h>

#include "base/alloc.h"
#include "pairing/gt.h"
#include "pairing/miller_shared.h"

enum { FOUR = 4, LANES = CUZK_MILLER_LANES };

typedef struct worker_space {
    cuzk_miller_scratch miller;
    cuzk_fp12 out[CUZK_AGG_TARGETS][LANES];
} worker_space;

/* Points [at, at + n) of one half of a group. */
typedef struct piece {
    size_t group, half, at, n;
} piece;

/* Pieces with equally many products, which go through the loop side by side. */
typedef struct quad {
    piece lane[LANES];   /* n = 0: empty */
    size_t n_targets, n; /* n: of the longest */
} quad;

typedef struct product_run {
    const cuzk_agg_group *groups;
    size_t n_groups, m, half, chunk;
    quad *quads;
    size_t n_quads, items; /* items: of each quad */
    worker_space *space;
    cuzk_fp12 *acc; /* [workers][n_groups][2][CUZK_AGG_TARGETS] */
} product_run;

static cuzk_fp12 *acc_of(const product_run *r, unsigned worker, size_t group, size_t half)
{
    return r->acc + ((worker * r->n_groups + group) * 2 + half) * CUZK_AGG_TARGETS;
}

/* Elements [at, at + most) of a piece. */
static cuzk_miller_lane lane_of(const product_run *r, const piece *p, size_t at, size_t most)
{
    const cuzk_agg_group *g = &r->groups[p->group];
    const size_t left = at < p->n ? p->n - at : 0, first = p->at + (left != 0 ? at : 0);
    cuzk_miller_lane lane = {.q = g->q + first, .n = left < most ? left : most};
    for (size_t t = 0; t < g->n_targets; t++) {
        const size_t other = p->half != 0 ? first - r->half : first + r->half;
        lane.p[t] = g->target[t].p + (g->target[t].shifted ? other : first);
    }
    return lane;
}

/* Item i: a chunk of a quad. */
static cuzk_status run_items(void *arg, size_t begin, size_t end, unsigned worker)
{
    const product_run *r = arg;
    worker_space *s = &r->space[worker];
    for (size_t i = begin; i < end; i++) {
        const quad *d = &r->quads[i / r->items];
        const size_t at = i % r->items * r->chunk;
        cuzk_miller_lane lane[LANES] = {{.n = 0}};
        if (at >= d->n) {
            continue;
        }
        for (size_t k = 0; k < LANES; k++) {
            if (d->lane[k].n != 0) {
                lane[k] = lane_of(r, &d->lane[k], at, r->chunk);
            }
        }
        cuzk_pairing_miller_lanes(s->out, lane, d->n_targets, &s->miller);
        for (size_t k = 0; k < LANES; k++) {
            cuzk_fp12 *acc = acc_of(r, worker, d->lane[k].group, d->lane[k].half);
            for (size_t t = 0; t < d->n_targets && lane[k].n != 0; t++) {
                cuzk_fp12_mul(&acc[t], &acc[t], &s->out[t][k]);
            }
        }
    }
    return CUZK_OK;
}

/* Puts n pieces into a quad, each divided evenly between as many lanes as there are for it. */
static void add_quad(product_run *r, const piece *pieces, size_t n, size_t n_targets, size_t lanes)
{
    quad *d = &r->quads[r->n_quads++];
    size_t k = 0;
    memset(d, 0, sizeof(*d));
    d->n_targets = n_targets;
    for (size_t i = 0; i < n; i++) {
        const size_t parts = (lanes - k) / (n - i), each = (pieces[i].n + parts - 1) / parts;
        for (size_t at = 0; at < pieces[i].n; at += each, k++) {
            d->lane[k] = pieces[i];
            d->lane[k].at += at;
            d->lane[k].n = pieces[i].n - at < each ? pieces[i].n - at : each;
        }
        d->n = each > d->n ? each : d->n;
    }
}

/* All halves of all groups. */
static void make_quads(product_run *r, size_t lanes)
{
    for (size_t n_targets = 1; n_targets <= CUZK_AGG_TARGETS; n_targets++) {
        piece wait[LANES];
        size_t n = 0;
        for (size_t i = 0; i < 2 * r->n_groups; i++) {
            const size_t half = i % 2, at = half != 0 ? r->half : 0;
            const piece p = {i / 2, half, at, (half != 0 ? r->m : r->half) - at};
            if (p.n == 0 || r->groups[p.group].n_targets != n_targets) {
                continue;
            }
            wait[n++] = p;
            if (n == lanes) {
                add_quad(r, wait, n, n_targets, lanes);
                n = 0;
            }
        }
        if (n != 0) {
            add_quad(r, wait, n, n_targets, lanes);
        }
    }
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

/* Large enough to share squarings and inversions, small enough that every thread has something to do. */
static size_t choose_chunk(const product_run *r, size_t lanes, unsigned workers)
{
    const size_t most = CUZK_MILLER_BATCH / lanes;
    size_t points = 0;
    for (size_t i = 0; i < r->n_quads; i++) {
        points += r->quads[i].n;
    }
    const size_t even = workers == 1 ? most : points / (4 * (size_t)workers);
    return even < 1 ? 1 : even > most ? most : even;
}

static void choose_items(product_run *r, size_t lanes, unsigned workers)
{
    r->chunk = choose_chunk(r, lanes, workers);
    for (size_t i = 0; i < r->n_quads; i++) {
        const size_t items = (r->quads[i].n + r->chunk - 1) / r->chunk;
        r->items = items > r->items ? items : r->items;
    }
}

cuzk_status cuzk_agg_products(cuzk_agg_group *groups, size_t n_groups, size_t m, cuzk_pool *pool,
                              const cuzk_cancel *cancel, cuzk_err *err)
{
    const unsigned workers = cuzk_pool_threads(pool);
    const size_t n_acc = (size_t)workers * n_groups * 2 * CUZK_AGG_TARGETS;
    const size_t lanes = cuzk_pairing_miller_lanes_best();
    product_run r = {.groups = groups, .n_groups = n_groups, .m = m, .half = m / 2};
    r.quads = cuzk_alloc(2 * n_groups, sizeof(*r.quads));
    r.space = cuzk_alloc(workers, sizeof(*r.space));
    r.acc = cuzk_alloc(n_acc, sizeof(*r.acc));
    cuzk_status st = CUZK_OK;
    if (r.quads == NULL || r.space == NULL || r.acc == NULL) {
        st = CUZK_FAIL(err, CUZK_E_NOMEM, "%s", "no memory for products of pairings");
        goto out;
    }
    for (size_t i = 0; i < n_acc; i++) {
        cuzk_fp12_set_one(&r.acc[i]);
    }
    make_quads(&r, lanes);
    choose_items(&r, lanes, workers);
    st = cuzk_parallel_for(pool, cancel, r.n_quads * r.items, 1, run_items, &r);
    if (st != CUZK_OK) {
        st = CUZK_FAIL(err, st, "products of pairings: %s", cuzk_status_text(st));
        goto out;
    }
    collect(groups, &r, workers);
out:
    cuzk_free(r.quads);
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
