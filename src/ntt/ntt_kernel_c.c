/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Portable kernel: rows of 8 reduced elements; the scalar multiplication is ff's best one. */
#include <string.h>

#include "ntt_internal.h"

#define L CUZK_NTT_LANES

static void make_table(void *table, const cuzk_fr *roots, size_t n)
{
    memcpy(table, roots, n * sizeof(*roots));
}

/* Layout: level t at index 2^t, entry k; an entry is one element, or one row when per lane. */
static void make_twiddles(void *tw, const void *table, const cuzk_fr *roots, bool per_lane,
                          unsigned lg_rows)
{
    const cuzk_fr *t0 = table;
    const size_t lanes = per_lane ? L : 1;
    cuzk_fr f[CUZK_NTT_LANES];
    memcpy(f, roots, lanes * sizeof(f[0]));
    for (unsigned t = lg_rows; t-- > 0;) {
        cuzk_fr *level = (cuzk_fr *)tw + (lanes << t);
        for (size_t k = 0; k < (size_t)1 << t; k++) {
            for (size_t l = 0; l < lanes; l++) {
                cuzk_fr_mul(&level[k * lanes + l], &t0[k], &f[l]);
            }
        }
        for (size_t l = 0; l < lanes; l++) {
            cuzk_fr_sqr(&f[l], &f[l]);
        }
    }
}

static void load(cuzk_fr *rows, const cuzk_ntt_group *g)
{
    for (size_t i = 0; i < (size_t)1 << g->lg_rows; i++) {
        const size_t from = g->reversed ? cuzk_ntt_bitrev(i, g->lg_rows) : i;
        const cuzk_fr *p = g->a + from * g->row_stride;
        for (size_t l = 0; l < L; l++) {
            rows[i * L + l] = p[l * g->lane_stride];
        }
    }
}

static void store(const cuzk_ntt_group *g, const cuzk_fr *rows)
{
    for (size_t i = 0; i < (size_t)1 << g->lg_rows; i++) {
        const size_t to = g->reversed ? cuzk_ntt_bitrev(i, g->lg_rows) : i;
        cuzk_fr *p = g->a + to * g->row_stride;
        for (size_t l = 0; l < L; l++) {
            p[l * g->lane_stride] = rows[i * L + l];
        }
    }
}

/* Twiddles of level t; *step elements from one block to the next, *lane_step from lane to lane. */
static const cuzk_fr *level_twiddles(const cuzk_ntt_group *g, const void *table, unsigned t,
                                     size_t *step, size_t *lane_step)
{
    *lane_step = g->per_lane ? 1 : 0;
    *step = g->per_lane ? L : 1;
    return g->plain ? (const cuzk_fr *)table : (const cuzk_fr *)g->tw + (*step << t);
}

static void forward(const cuzk_ntt_group *g, const void *table, void *scratch)
{
    cuzk_fr *rows = scratch;
    load(rows, g);
    for (unsigned t = 0; t < g->lg_rows; t++) {
        const size_t half = (size_t)1 << (g->lg_rows - 1 - t);
        size_t step, ls;
        const cuzk_fr *w = level_twiddles(g, table, t, &step, &ls);
        for (size_t k = 0; k < (size_t)1 << t; k++, w += step) {
            cuzk_fr *x = rows + 2 * half * k * L, *y = x + half * L;
            for (size_t i = 0; i < half * L; i++) {
                cuzk_fr m;
                cuzk_fr_mul(&m, &y[i], &w[(i & (L - 1)) * ls]);
                cuzk_fr_sub(&y[i], &x[i], &m);
                cuzk_fr_add(&x[i], &x[i], &m);
            }
        }
    }
    store(g, rows);
}

static void inverse(const cuzk_ntt_group *g, const void *table, void *scratch)
{
    cuzk_fr *rows = scratch;
    load(rows, g);
    for (unsigned t = g->lg_rows; t-- > 0;) {
        const size_t half = (size_t)1 << (g->lg_rows - 1 - t);
        size_t step, ls;
        const cuzk_fr *w = level_twiddles(g, table, t, &step, &ls);
        for (size_t k = 0; k < (size_t)1 << t; k++, w += step) {
            cuzk_fr *x = rows + 2 * half * k * L, *y = x + half * L;
            for (size_t i = 0; i < half * L; i++) {
                cuzk_fr d;
                cuzk_fr_sub(&d, &x[i], &y[i]);
                cuzk_fr_add(&x[i], &x[i], &y[i]);
                cuzk_fr_mul(&y[i], &d, &w[(i & (L - 1)) * ls]);
            }
        }
    }
    if (g->scale != NULL) {
        for (size_t i = 0; i < (size_t)L << g->lg_rows; i++) {
            cuzk_fr_mul(&rows[i], &rows[i], g->scale);
        }
    }
    store(g, rows);
}

const cuzk_ntt_kernel cuzk_ntt_kernel_c = {
    .name = "c",
    .row_bytes = L * sizeof(cuzk_fr),
    .table_bytes = CUZK_NTT_TABLE_LEN * sizeof(cuzk_fr),
    .lane_tw_bytes = L * sizeof(cuzk_fr),
    .make_table = make_table,
    .make_twiddles = make_twiddles,
    .forward = forward,
    .inverse = inverse,
};
