/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <string.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "msm/msm_run.h"

/*
 * Multiples of one point: a table of d * 2^(c w) * base for every window w and 1 <= d <= 2^(c-1),
 * and every scalar is a row of up to 256/c + 1 table entries that a tree sums.
 */
enum { SCALAR_BITS = 255, C_MIN = 2, C_MAX = 14, ROWS_MAX = SCALAR_BITS / C_MIN + 1 };

typedef struct fixed_job {
    const cuzk_msm_run_cfg *cfg;
    const cuzk_msm_trees *trees;
    const cuzk_scalar *scalars;
    unsigned char *out;
    size_t n, rows; /* rows: scalars per task */
    unsigned c, windows;
    unsigned char *table;     /* [windows << (c - 1)] affine */
    cuzk_msm_acc *powers;     /* [windows] 2^(c w) * base */
    unsigned char *multiples; /* [workers] scratch */
    size_t multiples_bytes;
    uint32_t *lens; /* [workers][rows] */
} fixed_job;

static unsigned choose_c(size_t n)
{
    unsigned best = C_MIN;
    double least = 0;
    for (unsigned c = C_MIN; c <= C_MAX; c++) {
        const unsigned n_windows = SCALAR_BITS / c + 1;
        const double windows = (double)n_windows;
        /* An entry of the table costs about three additions (Jacobian, and its conversion). */
        const double cost = windows * ((double)n + 3.0 * (double)((uint64_t)1 << (c - 1)));
        if (c == C_MIN || cost < least) {
            least = cost;
            best = c;
        }
    }
    return best;
}

static cuzk_status fill_windows(void *arg, size_t begin, size_t end, unsigned worker)
{
    const fixed_job *f = arg;
    const cuzk_msm_group *g = f->cfg->eng->group;
    const size_t each = (size_t)1 << (f->c - 1);
    for (size_t w = begin; w < end; w++) {
        g->multiples(f->table + w * each * g->affine_bytes, &f->powers[w], each,
                     f->multiples + worker * f->multiples_bytes);
    }
    return CUZK_OK;
}

/* Appends the entries of s; returns how many. Digits in [-2^(c-1), 2^(c-1)], zeros left out. */
static uint32_t recode(const fixed_job *f, const cuzk_scalar *s, uint32_t *e)
{
    const uint32_t half = 1u << (f->c - 1);
    uint32_t n = 0, carry = 0;
    for (unsigned w = 0; w < f->windows; w++) {
        const unsigned at = w * f->c, limb = at / 64, sh = at % 64;
        uint64_t v = limb < 4 ? s->l[limb] >> sh : 0;
        if (sh + f->c > 64 && limb + 1 < 4) {
            v |= s->l[limb + 1] << (64 - sh);
        }
        uint32_t d = ((uint32_t)v & (2 * half - 1)) + carry, neg = 0;
        carry = d > half;
        if (carry != 0) {
            d = 2 * half - d;
            neg = MSM_ENTRY_NEG;
        }
        if (d != 0) {
            e[n++] = (w * half + d - 1) << MSM_ENTRY_SHIFT | neg;
        }
    }
    CUZK_DASSERT(carry == 0);
    return n;
}

static cuzk_status sum_rows(void *arg, size_t begin, size_t end, unsigned worker)
{
    const fixed_job *f = arg;
    const cuzk_msm_table table = {{f->table, NULL, NULL}};
    cuzk_msm_tree *t = &f->trees->t[worker];
    uint32_t *lens = f->lens + worker * f->rows;
    for (size_t k = begin; k < end; k++) {
        const size_t first = k * f->rows, rows = f->n - first < f->rows ? f->n - first : f->rows;
        size_t used = 0;
        for (size_t i = 0; i < rows; i++) {
            if (!cuzk_scalar_is_canonical(&f->scalars[first + i])) {
                return CUZK_E_INVALID;
            }
            lens[i] = recode(f, &f->scalars[first + i], t->sorted + used);
            used += lens[i];
        }
        cuzk_msm_tree_rows(t, &table, t->sorted, lens, rows,
                           f->out + first * f->cfg->eng->group->affine_bytes);
    }
    return CUZK_OK;
}

static void direct(const fixed_job *f, const void *base)
{
    const cuzk_msm_group *g = f->cfg->eng->group;
    for (size_t i = 0; i < f->n; i++) {
        cuzk_msm_acc a;
        g->acc_clear(&a);
        g->acc_add_mul(&a, base, &f->scalars[i]);
        g->acc_to_affine(f->out + i * g->affine_bytes, &a);
    }
}

cuzk_status cuzk_msm_run_fixed(void *out, const cuzk_msm_run_cfg *cfg, const void *base,
                               const cuzk_scalar *scalars, size_t n, cuzk_err *err)
{
    const cuzk_msm_group *g = cfg->eng->group;
    const unsigned threads = cuzk_pool_threads(cfg->pool);
    cuzk_msm_trees trees = {NULL, 0, NULL};
    fixed_job f = {.cfg = cfg, .trees = &trees, .scalars = scalars, .out = out, .n = n};
    cuzk_status st = CUZK_OK;
    if (g->base_is_infinity(base, 0)) {
        memset(out, 0, n * g->affine_bytes);
        return CUZK_OK;
    }
    if (n <= 2 * MSM_DIRECT) {
        direct(&f, base);
        return CUZK_OK;
    }
    f.c = choose_c(n);
    f.windows = SCALAR_BITS / f.c + 1; /* ceil((255 + 1) / c) */
    f.rows = MSM_PIECE / f.windows;
    f.rows = f.rows < MSM_SEGMENTS ? f.rows : MSM_SEGMENTS;
    f.multiples_bytes = (((size_t)1 << (f.c - 1)) * g->multiple_bytes + 63) / 64 * 64;
    CUZK_TRY(cuzk_msm_trees_create(&trees, cfg->eng, threads, err));
    f.table = cuzk_alloc((size_t)f.windows << (f.c - 1), g->affine_bytes);
    f.powers = cuzk_alloc(f.windows, sizeof(*f.powers));
    f.multiples = cuzk_alloc(threads, f.multiples_bytes);
    f.lens = cuzk_alloc(threads * f.rows, sizeof(*f.lens));
    if (f.table == NULL || f.powers == NULL || f.multiples == NULL || f.lens == NULL) {
        st = CUZK_FAIL(err, CUZK_E_NOMEM, "fixed base: no memory for a table of %u windows",
                       f.windows);
        goto out;
    }
    g->acc_clear(&f.powers[0]);
    g->acc_add_affine(&f.powers[0], base);
    for (unsigned w = 1; w < f.windows; w++) {
        f.powers[w] = f.powers[w - 1];
        for (unsigned b = 0; b < f.c; b++) {
            g->acc_dbl(&f.powers[w]);
        }
    }
    CUZK_TRY_GOTO(st, cuzk_parallel_for(cfg->pool, cfg->cancel, f.windows, 1, fill_windows, &f));
    st = cuzk_parallel_for(cfg->pool, cfg->cancel, (n + f.rows - 1) / f.rows, 1, sum_rows, &f);
    if (st == CUZK_E_CANCELLED) {
        st = CUZK_FAIL(err, st, "fixed base: cancelled");
    } else if (st == CUZK_E_INVALID) {
        st = CUZK_FAIL(err, st, "fixed base: a scalar is not below the group order");
    }
out:
    cuzk_free(f.lens);
    cuzk_free(f.multiples);
    cuzk_free(f.powers);
    cuzk_free(f.table);
    cuzk_msm_trees_destroy(&trees);
    return st;
}
