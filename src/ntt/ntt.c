/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Passes of a transform. Two networks, each with its inverse:
 *   natural -> reversed (N side first): a pass takes levels by descending stride;
 *   reversed -> natural: by ascending stride, rows of a group reversed.
 * Both are built so that the coset shift disappears in the roots of the twiddles.
 */
#include "ntt/ntt.h"

#include <string.h>

#include "base/alloc.h"

#include "ntt_internal.h"

#define LG_DIRECT (2 * CUZK_NTT_LG_LANES) /* below: no room for 8 lanes in both passes */
#define NO_KEY    SIZE_MAX

typedef struct pass {
    unsigned done;    /* levels of the forward network before this pass */
    unsigned lg_rows; /* levels of this pass */
} pass;

typedef struct worker_memory {
    unsigned char *rows, *tw;
    size_t key; /* of the twiddles in tw */
} worker_memory;

typedef struct transform {
    const cuzk_ntt_domain *d;
    cuzk_fr *a;
    bool inverse;
    bool nr;             /* the forward network takes natural to reversed order */
    const cuzk_fr *base; /* shift, inverted for inverse; NULL: 1 */
    worker_memory *workers;
    /* of the running pass */
    pass p;
    cuzk_fr gamma; /* base^(n / 2^(done + lg_rows)) */
    bool last;
} transform;

static unsigned plan(pass *passes, unsigned lg)
{
    const unsigned n = (lg + CUZK_NTT_LG_ROWS - 1) / CUZK_NTT_LG_ROWS;
    const unsigned count = n < 2 ? 2 : n;
    unsigned done = 0;
    for (unsigned i = 0; i < count; i++) {
        passes[i].done = done;
        passes[i].lg_rows = (lg - done) / (count - i);
        done += passes[i].lg_rows;
    }
    return count;
}

/* Root of the twiddles of one lane: gamma * w_M^(+-e), M = 2^(done + lg_rows). */
static void lane_root(cuzk_fr *out, const transform *t, uint64_t e)
{
    const unsigned lg = t->d->lg, lg_m = t->p.done + t->p.lg_rows;
    const uint64_t mask = ((uint64_t)1 << lg) - 1;
    const uint64_t full = e << (lg - lg_m);
    cuzk_ntt_root_pow(out, t->d, (t->inverse ? 0 - full : full) & mask);
    cuzk_fr_mul(out, out, &t->gamma);
}

/*
 * Where group number i lies, and the key of its twiddles; groups with one key are adjacent.
 *   nr: outer block K, stride D = n / 2^(done + rows); twiddles depend on K only.
 *   rn: stride D = 2^done, column c < D; twiddles depend on c only.
 * Lanes are adjacent columns, or for D = 1 adjacent blocks.
 */
static size_t place(cuzk_ntt_group *g, const transform *t, size_t i)
{
    const unsigned lg = t->d->lg, done = t->p.done, b = t->p.lg_rows;
    const unsigned lg_stride = t->nr ? lg - done - b : done;
    size_t outer, column8, key;
    g->lg_rows = b;
    g->reversed = !t->nr;
    if (lg_stride == 0) {
        outer = i << CUZK_NTT_LG_LANES;
        column8 = 0;
        key = t->nr ? i : 0;
        g->lane_stride = (size_t)1 << b;
        g->per_lane = t->nr;
    } else {
        const unsigned lg_in = t->nr ? lg_stride - CUZK_NTT_LG_LANES : lg - done - b;
        const size_t in = i & (((size_t)1 << lg_in) - 1);
        outer = t->nr ? i >> lg_in : in;
        column8 = t->nr ? in : i >> lg_in;
        key = i >> lg_in;
        g->lane_stride = 1;
        g->per_lane = !t->nr;
    }
    g->row_stride = (size_t)1 << lg_stride;
    g->a = t->a + (outer << (lg_stride + b)) + (column8 << CUZK_NTT_LG_LANES);
    g->plain = done == 0 && t->base == NULL;
    return key;
}

static void load_twiddles(const transform *t, const cuzk_ntt_group *g, size_t key, worker_memory *w)
{
    cuzk_fr roots[CUZK_NTT_LANES];
    const size_t lanes = g->per_lane ? CUZK_NTT_LANES : 1;
    for (size_t l = 0; l < lanes; l++) {
        const size_t e = key * lanes + l; /* block number or column */
        lane_root(&roots[l], t, t->nr ? cuzk_ntt_bitrev(e, t->p.done) : e);
    }
    t->d->kernel->make_twiddles(w->tw, t->d->table[t->inverse ? 1 : 0], roots, g->per_lane,
                                g->lg_rows);
    w->key = key;
}

static cuzk_status run_groups(void *arg, size_t begin, size_t end, unsigned worker)
{
    const transform *t = arg;
    worker_memory *w = &t->workers[worker];
    const cuzk_ntt_kernel *k = t->d->kernel;
    cuzk_ntt_group g;
    memset(&g, 0, sizeof(g));
    g.tw = w->tw;
    g.last = t->last;
    g.scale = t->inverse && t->last ? &t->d->n_inv : NULL;
    for (size_t i = begin; i < end; i++) {
        const size_t key = place(&g, t, i);
        if (!g.plain && w->key != key) {
            load_twiddles(t, &g, key, w);
        }
        (t->inverse ? k->inverse : k->forward)(&g, t->d->table[t->inverse ? 1 : 0], w->rows);
    }
    return CUZK_OK;
}

/* The last pass of an inverse and the first of a forward transform: the same groups, so each is read
 * and written once. */
typedef struct joined {
    const transform *inverse, *forward;
} joined;

static cuzk_status run_joined_groups(void *arg, size_t begin, size_t end, unsigned worker)
{
    const joined *j = arg;
    const transform *ti = j->inverse, *tf = j->forward;
    worker_memory *w = &ti->workers[worker];
    const cuzk_ntt_kernel *k = ti->d->kernel;
    cuzk_ntt_group gi, gf;
    memset(&gi, 0, sizeof(gi));
    memset(&gf, 0, sizeof(gf));
    gi.scale = &ti->d->n_inv;
    gi.keep = true;
    gf.resident = true;
    gf.tw = w->tw;
    for (size_t i = begin; i < end; i++) {
        const size_t key = place(&gf, tf, i);
        (void)place(&gi, ti, i); /* plain: no shift, first levels */
        if (!gf.plain && w->key != key) {
            load_twiddles(tf, &gf, key, w);
        }
        k->inverse(&gi, ti->d->table[1], w->rows);
        k->forward(&gf, ti->d->table[0], w->rows);
    }
    return CUZK_OK;
}

static void start_pass(transform *t, const pass *p, unsigned threads)
{
    t->p = *p;
    t->gamma = CUZK_FR_ONE;
    if (t->base != NULL) {
        cuzk_fr_pow_u64(&t->gamma, t->base, (uint64_t)1 << (t->d->lg - p->done - p->lg_rows));
    }
    for (unsigned i = 0; i < threads; i++) {
        t->workers[i].key = NO_KEY;
    }
}

static cuzk_status run_pass(transform *t, const pass *p, bool last, cuzk_pool *pool,
                            const cuzk_cancel *cancel)
{
    const size_t groups = (size_t)1 << (t->d->lg - p->lg_rows - CUZK_NTT_LG_LANES);
    t->last = last;
    start_pass(t, p, cuzk_pool_threads(pool));
    return cuzk_parallel_for(pool, cancel, groups, 0, run_groups, t);
}

static cuzk_status run_passes(transform *t, const pass *passes, unsigned count, cuzk_pool *pool,
                              const cuzk_cancel *cancel)
{
    for (unsigned i = 0; i < count; i++) {
        const pass *p = &passes[t->inverse ? count - 1 - i : i];
        CUZK_TRY(run_pass(t, p, i == count - 1, pool, cancel));
    }
    return CUZK_OK;
}

/* Inverse NR of ti, then forward RN of tf. */
static cuzk_status run_both(transform *ti, transform *tf, const pass *passes, unsigned count,
                            cuzk_pool *pool, const cuzk_cancel *cancel)
{
    const size_t groups = (size_t)1 << (ti->d->lg - passes[0].lg_rows - CUZK_NTT_LG_LANES);
    joined j = {ti, tf};
    for (unsigned i = count - 1; i > 0; i--) {
        CUZK_TRY(run_pass(ti, &passes[i], false, pool, cancel));
    }
    start_pass(ti, &passes[0], cuzk_pool_threads(pool));
    start_pass(tf, &passes[0], cuzk_pool_threads(pool));
    CUZK_TRY(cuzk_parallel_for(pool, cancel, groups, 0, run_joined_groups, &j));
    for (unsigned i = 1; i < count; i++) {
        CUZK_TRY(run_pass(tf, &passes[i], i == count - 1, pool, cancel));
    }
    return CUZK_OK;
}

/* Domains of up to 32 points: the same networks level by level on the array itself. */
static void run_direct(const transform *t)
{
    const unsigned lg = t->d->lg;
    for (unsigned i = 0; i < lg; i++) {
        const unsigned level = t->inverse ? lg - 1 - i : i;
        const size_t half = (size_t)1 << (t->nr ? lg - 1 - level : level);
        cuzk_fr g = CUZK_FR_ONE;
        if (t->base != NULL) {
            cuzk_fr_pow_u64(&g, t->base, (uint64_t)1 << (lg - 1 - level));
        }
        for (size_t j = 0; j < (size_t)1 << (lg - 1); j++) {
            const size_t block = j / half, off = j % half;
            const size_t k = t->nr ? block : cuzk_ntt_bitrev(off, level);
            cuzk_fr *x = t->a + 2 * half * block + off, *y = x + half, m, w;
            cuzk_fr_mul(&w, &t->d->roots[t->inverse ? 1 : 0][k], &g);
            if (t->inverse) {
                cuzk_fr_sub(&m, x, y);
                cuzk_fr_add(x, x, y);
                cuzk_fr_mul(y, &m, &w);
            } else {
                cuzk_fr_mul(&m, y, &w);
                cuzk_fr_sub(y, x, &m);
                cuzk_fr_add(x, x, &m);
            }
        }
    }
    if (t->inverse) {
        for (size_t i = 0; i < (size_t)1 << lg; i++) {
            cuzk_fr_mul(&t->a[i], &t->a[i], &t->d->n_inv);
        }
    }
}

/* t alone, or t and then the forward transform `then`. */
static cuzk_status run_grouped(transform *t, transform *then, cuzk_pool *pool,
                               const cuzk_cancel *cancel, cuzk_err *err)
{
    pass passes[CUZK_NTT_MAX_PASS];
    const cuzk_ntt_kernel *k = t->d->kernel;
    const unsigned threads = cuzk_pool_threads(pool), count = plan(passes, t->d->lg);
    const size_t rows = (size_t)1 << passes[count - 1].lg_rows; /* the longest comes last */
    const size_t each = rows * (k->row_bytes + k->lane_tw_bytes);
    unsigned char *memory = cuzk_alloc(threads, each);
    t->workers = cuzk_alloc(threads, sizeof(*t->workers));
    cuzk_status st = CUZK_E_NOMEM;
    if (memory != NULL && t->workers != NULL) {
        for (unsigned i = 0; i < threads; i++) {
            t->workers[i].rows = memory + i * each;
            t->workers[i].tw = memory + i * each + rows * k->row_bytes;
        }
        if (then != NULL) {
            then->workers = t->workers;
            st = run_both(t, then, passes, count, pool, cancel);
        } else {
            st = run_passes(t, passes, count, pool, cancel);
        }
    } else {
        (void)CUZK_FAIL(err, st, "no memory for the NTT of %u threads", threads);
    }
    cuzk_free(t->workers);
    cuzk_free(memory);
    return st;
}

static cuzk_status run(transform *t, cuzk_ntt_order order, cuzk_pool *pool,
                       const cuzk_cancel *cancel, cuzk_err *err)
{
    /* NN: the reversal goes to the side where a network with a free shift fits either way. */
    const bool reverse_first = order == CUZK_NTT_NN && t->inverse;
    const unsigned lg = t->d->lg;
    /* The inverse runs the forward network backwards, so its input is that one's output. */
    t->nr = order == CUZK_NTT_NN || (order == CUZK_NTT_NR) == !t->inverse;
    cuzk_status st = CUZK_OK;
    if (t->base != NULL && cuzk_fr_is_zero(t->base)) { /* the inverse of 0 is given as 0 */
        return CUZK_FAIL(err, CUZK_E_INVALID, "NTT of 2^%u points: the coset shift is zero", lg);
    }
    if (cuzk_cancel_requested(cancel)) {
        st = CUZK_E_CANCELLED;
    }
    if (st == CUZK_OK && reverse_first) {
        st = cuzk_ntt_reverse(t->a, lg, pool, cancel, err);
    }
    if (st == CUZK_OK) {
        if (lg < LG_DIRECT) {
            run_direct(t);
        } else {
            st = run_grouped(t, NULL, pool, cancel, err);
        }
    }
    if (st == CUZK_OK && order == CUZK_NTT_NN && !reverse_first) {
        st = cuzk_ntt_reverse(t->a, lg, pool, cancel, err);
    }
    return st == CUZK_E_CANCELLED ? CUZK_FAIL(err, st, "NTT of 2^%u points cancelled", lg) : st;
}

cuzk_status cuzk_ntt_forward(const cuzk_ntt_domain *d, cuzk_fr *a, cuzk_ntt_order order,
                             const cuzk_fr *shift, cuzk_pool *pool, const cuzk_cancel *cancel,
                             cuzk_err *err)
{
    transform t = {.d = d, .a = a, .inverse = false, .base = shift};
    return run(&t, order, pool, cancel, err);
}

cuzk_status cuzk_ntt_inverse(const cuzk_ntt_domain *d, cuzk_fr *a, cuzk_ntt_order order,
                             const cuzk_fr *shift, cuzk_pool *pool, const cuzk_cancel *cancel,
                             cuzk_err *err)
{
    cuzk_fr inv;
    transform t = {.d = d, .a = a, .inverse = true};
    if (shift != NULL) {
        cuzk_fr_inv(&inv, shift);
        t.base = &inv;
    }
    return run(&t, order, pool, cancel, err);
}

cuzk_status cuzk_ntt_to_coset(const cuzk_ntt_domain *d, cuzk_fr *a, const cuzk_fr *shift,
                              cuzk_pool *pool, const cuzk_cancel *cancel, cuzk_err *err)
{
    transform ti = {.d = d, .a = a, .inverse = true}, tf = {.d = d, .a = a, .base = shift};
    cuzk_status st = CUZK_OK;
    if (cuzk_fr_is_zero(shift)) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "NTT of 2^%u points: the coset shift is zero", d->lg);
    }
    if (cuzk_cancel_requested(cancel)) {
        st = CUZK_E_CANCELLED;
    } else if (d->lg < LG_DIRECT) {
        run_direct(&ti);
        run_direct(&tf);
    } else {
        st = run_grouped(&ti, &tf, pool, cancel, err);
    }
    return st == CUZK_E_CANCELLED ? CUZK_FAIL(err, st, "NTT of 2^%u points cancelled", d->lg) : st;
}
