/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Kernel of one element at a time, included once per multiplication. Parameters, undefined at the
 * end: CUZK_NS_NAME (identifier of the kernel), CUZK_NS_TEXT (its name), CUZK_NS_MUL(out, a, b),
 * and the level loops CUZK_NS_FORWARD(x, y, w, step, n) and CUZK_NS_INVERSE(...): n butterflies on
 * x[i], y[i] with the factor w[i * step], step 0 or 1.
 *
 * Elements are reduced throughout. A row is eight elements; worker memory holds rows in order.
 */
#include <string.h>

#include "ntt_internal.h"

#define LANES   CUZK_NTT_LANES
#define LG_LEAF 6u /* 64 rows, 16 KiB: finished in the first-level cache */

static void make_table(void *table, const cuzk_fr *roots, size_t n)
{
    memcpy(table, roots, n * sizeof(*roots));
}

/* Layout: level t at index 2^t, entry k; an entry is one element, or one row when per lane. */
static void make_twiddles(void *tw, const void *table, const cuzk_fr *roots, bool per_lane,
                          unsigned lg_rows)
{
    const cuzk_fr *t0 = table;
    const size_t lanes = per_lane ? LANES : 1;
    cuzk_fr f[LANES];
    memcpy(f, roots, lanes * sizeof(f[0]));
    for (unsigned t = lg_rows; t-- > 0;) {
        cuzk_fr *level = (cuzk_fr *)tw + (lanes << t);
        for (size_t k = 0; k < (size_t)1 << t; k++) {
            for (size_t l = 0; l < lanes; l++) {
                CUZK_NS_MUL(&level[k * lanes + l], &t0[k], &f[l]);
            }
        }
        for (size_t l = 0; l < lanes; l++) {
            CUZK_NS_MUL(&f[l], &f[l], &f[l]);
        }
    }
}

static void load(cuzk_fr *rows, const cuzk_ntt_group *g)
{
    for (size_t i = 0; i < (size_t)1 << g->lg_rows; i++) {
        const size_t to = g->reversed ? cuzk_ntt_bitrev(i, g->lg_rows) : i;
        const cuzk_fr *p = g->a + i * g->row_stride;
        for (size_t l = 0; l < LANES; l++) {
            rows[to * LANES + l] = p[l * g->lane_stride];
        }
    }
}

static void store(const cuzk_ntt_group *g, const cuzk_fr *rows)
{
    for (size_t i = 0; i < (size_t)1 << g->lg_rows; i++) {
        const size_t from = g->reversed ? cuzk_ntt_bitrev(i, g->lg_rows) : i;
        cuzk_fr *p = g->a + i * g->row_stride;
        for (size_t l = 0; l < LANES; l++) {
            p[l * g->lane_stride] = rows[from * LANES + l];
        }
    }
}

/* Butterflies with the factor 1, the same in both directions. */
static void trivial(cuzk_fr *x, cuzk_fr *y, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const cuzk_fr b = y[i];
        cuzk_fr_sub(&y[i], &x[i], &b);
        cuzk_fr_add(&x[i], &x[i], &b);
    }
}

/* Level t of block k of `rows` rows. */
static void forward_block(cuzk_fr *x, size_t rows, const cuzk_ntt_group *g, const void *table,
                          unsigned t, size_t k)
{
    cuzk_fr *y = x + rows / 2 * LANES;
    if (g->per_lane) {
        const cuzk_fr *w = (const cuzk_fr *)g->tw + (((size_t)1 << t) + k) * LANES;
        for (size_t i = 0; i < rows / 2 * LANES; i += LANES) {
            CUZK_NS_FORWARD(x + i, y + i, w, 1, LANES);
        }
    } else if (g->plain && k == 0) {
        trivial(x, y, rows / 2 * LANES);
    } else {
        const cuzk_fr *w =
            g->plain ? (const cuzk_fr *)table + k : (const cuzk_fr *)g->tw + ((size_t)1 << t) + k;
        CUZK_NS_FORWARD(x, y, w, 0, rows / 2 * LANES);
    }
}

static void inverse_block(cuzk_fr *x, size_t rows, const cuzk_ntt_group *g, const void *table,
                          unsigned t, size_t k)
{
    cuzk_fr *y = x + rows / 2 * LANES;
    if (g->per_lane) {
        const cuzk_fr *w = (const cuzk_fr *)g->tw + (((size_t)1 << t) + k) * LANES;
        for (size_t i = 0; i < rows / 2 * LANES; i += LANES) {
            CUZK_NS_INVERSE(x + i, y + i, w, 1, LANES);
        }
    } else if (g->plain && k == 0) {
        trivial(x, y, rows / 2 * LANES);
    } else {
        const cuzk_fr *w =
            g->plain ? (const cuzk_fr *)table + k : (const cuzk_fr *)g->tw + ((size_t)1 << t) + k;
        CUZK_NS_INVERSE(x, y, w, 0, rows / 2 * LANES);
    }
}

/* Levels t.. of block k of 2^lg rows: large blocks half by half, so that each is finished while it
 * is in cache. */
/* NOLINTNEXTLINE(misc-no-recursion): at most CUZK_NTT_LG_ROWS deep */
static void forward_levels(cuzk_fr *x, unsigned lg, const cuzk_ntt_group *g, const void *table,
                           unsigned t, size_t k)
{
    if (lg > LG_LEAF) {
        const size_t half = (size_t)LANES << (lg - 1);
        forward_block(x, (size_t)1 << lg, g, table, t, k);
        forward_levels(x, lg - 1, g, table, t + 1, 2 * k);
        forward_levels(x + half, lg - 1, g, table, t + 1, 2 * k + 1);
        return;
    }
    for (unsigned s = 0; s < lg; s++) {
        for (size_t j = 0; j < (size_t)1 << s; j++) {
            forward_block(x + (j * LANES << (lg - s)), (size_t)1 << (lg - s), g, table, t + s,
                          (k << s) + j);
        }
    }
}

/* NOLINTNEXTLINE(misc-no-recursion) */
static void inverse_levels(cuzk_fr *x, unsigned lg, const cuzk_ntt_group *g, const void *table,
                           unsigned t, size_t k)
{
    if (lg > LG_LEAF) {
        const size_t half = (size_t)LANES << (lg - 1);
        inverse_levels(x, lg - 1, g, table, t + 1, 2 * k);
        inverse_levels(x + half, lg - 1, g, table, t + 1, 2 * k + 1);
        inverse_block(x, (size_t)1 << lg, g, table, t, k);
        return;
    }
    for (unsigned s = lg; s-- > 0;) {
        for (size_t j = 0; j < (size_t)1 << s; j++) {
            inverse_block(x + (j * LANES << (lg - s)), (size_t)1 << (lg - s), g, table, t + s,
                          (k << s) + j);
        }
    }
}

static void forward(const cuzk_ntt_group *g, const void *table, void *scratch)
{
    cuzk_fr *rows = scratch;
    if (!g->resident) {
        load(rows, g);
    }
    forward_levels(rows, g->lg_rows, g, table, 0, 0);
    store(g, rows);
}

static void inverse(const cuzk_ntt_group *g, const void *table, void *scratch)
{
    cuzk_fr *rows = scratch;
    load(rows, g);
    inverse_levels(rows, g->lg_rows, g, table, 0, 0);
    if (g->scale != NULL) {
        for (size_t i = 0; i < (size_t)LANES << g->lg_rows; i++) {
            CUZK_NS_MUL(&rows[i], &rows[i], g->scale);
        }
    }
    if (!g->keep) {
        store(g, rows);
    }
}

const cuzk_ntt_kernel CUZK_NS_NAME = {
    .name = CUZK_NS_TEXT,
    .row_bytes = LANES * sizeof(cuzk_fr),
    .table_bytes = CUZK_NTT_TABLE_LEN * sizeof(cuzk_fr),
    .lane_tw_bytes = LANES * sizeof(cuzk_fr),
    .make_table = make_table,
    .make_twiddles = make_twiddles,
    .forward = forward,
    .inverse = inverse,
};

#undef LANES
#undef LG_LEAF
#undef CUZK_NS_NAME
#undef CUZK_NS_TEXT
#undef CUZK_NS_MUL
#undef CUZK_NS_FORWARD
#undef CUZK_NS_INVERSE
