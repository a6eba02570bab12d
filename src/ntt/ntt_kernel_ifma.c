/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * AVX-512 IFMA kernel: a row is one vector of eight elements. Rows in worker memory are not
 * normalised; only what is about to be multiplied or stored is.
 *
 * Bounds, in multiples of r. Rows come in < 2 (the passes before leave them there).
 *   forward: a product is < 2 when its element is < 33, and each level adds at most 2; a first
 *     step without multiplications doubles twice instead. So < 8 + 2*8 = 24 after ten levels.
 *   inverse: rows stay < 4 between steps: the one output of a step that is a sum of four is
 *     reduced, the others are products or a sum of two products.
 */
#include "ntt_internal.h"

#ifdef CUZK_NTT_IFMA
#    include <string.h>

#    include "ff/vec/fr_ifma.h"

#    define LG_LEAF 6u  /* 64 rows, 20 KiB: finished in the first-level cache */
#    define STRIP   16u /* rows of each quarter that go through two levels together */

typedef struct factor { /* one twisted element for all lanes */
    uint64_t l[5];
} factor;

static const uint64_t R2[5] = CUZK_FR52_MOD_X2, R4[5] = CUZK_FR52_MOD_X4, R8[5] = CUZK_FR52_MOD_X8;

/* Twiddles of the running group. */
typedef struct twiddles {
    const void *tw;
    bool plain; /* tw is the table: level t starts at 0, not at 2^t */
} twiddles;

CUZK_HD_INLINE void get(cuzk_frx8 *w, const twiddles *s, unsigned t, size_t k, bool per_lane)
{
    const size_t i = (s->plain ? 0 : (size_t)1 << t) + k;
    if (per_lane) {
        *w = ((const cuzk_frx8 *)s->tw)[i];
    } else {
        cuzk_frx8_const(w, ((const factor *)s->tw)[i].l);
    }
}

static void twist(factor *out, const cuzk_fr *a)
{
    cuzk_fr x = *a;
    for (int i = 0; i < 4; i++) { /* from a*2^256 to a*2^260 */
        cuzk_fr_dbl(&x, &x);
    }
    const uint64_t m = ((uint64_t)1 << 52) - 1;
    out->l[0] = x.l[0] & m;
    out->l[1] = (x.l[0] >> 52 | x.l[1] << 12) & m;
    out->l[2] = (x.l[1] >> 40 | x.l[2] << 24) & m;
    out->l[3] = (x.l[2] >> 28 | x.l[3] << 36) & m;
    out->l[4] = x.l[3] >> 16;
}

/* The table holds the roots as given, for make_twiddles, and then twisted. */
static const factor *twisted(const void *table)
{
    return (const factor *)(const void *)((const cuzk_fr *)table + CUZK_NTT_TABLE_LEN);
}

static void make_table(void *table, const cuzk_fr *roots, size_t n)
{
    factor *f = (factor *)(void *)((cuzk_fr *)table + CUZK_NTT_TABLE_LEN);
    memcpy(table, roots, n * sizeof(*roots));
    for (size_t i = 0; i < n; i++) {
        twist(&f[i], &roots[i]);
    }
}

static void make_shared(factor *tw, const cuzk_fr *t0, const cuzk_fr *root, unsigned lg_rows)
{
    cuzk_fr f = *root, w;
    for (unsigned t = lg_rows; t-- > 0;) {
        for (size_t k = 0; k < (size_t)1 << t; k++) {
            cuzk_fr_mul(&w, &t0[k], &f);
            twist(&tw[((size_t)1 << t) + k], &w);
        }
        cuzk_fr_sqr(&f, &f);
    }
}

static void make_per_lane(cuzk_frx8 *tw, const factor *t0, const cuzk_fr *roots, unsigned lg_rows)
{
    static const uint64_t twist_by[5] = CUZK_FR52_TWIST;
    cuzk_frx8 f, c;
    cuzk_frx8_load(&f, roots, 1);
    cuzk_frx8_const(&c, twist_by);
    cuzk_frx8_mul(&f, &f, &c);
    cuzk_frx8_normalise(&f); /* products of two factors < 1.1r stay < 1.1r */
    for (unsigned t = lg_rows; t-- > 0;) {
        cuzk_frx8 *level = tw + ((size_t)1 << t);
        for (size_t k = 0; k < (size_t)1 << t; k++) {
            cuzk_frx8 w;
            cuzk_frx8_const(&w, t0[k].l);
            cuzk_frx8_mul(&w, &f, &w);
            cuzk_frx8_normalise(&w);
            level[k] = w;
        }
        cuzk_frx8_mul(&f, &f, &f);
        cuzk_frx8_normalise(&f);
    }
}

static void make_twiddles(void *tw, const void *table, const cuzk_fr *roots, bool per_lane,
                          unsigned lg_rows)
{
    if (per_lane) {
        make_per_lane(tw, twisted(table), roots, lg_rows);
    } else {
        make_shared(tw, table, roots, lg_rows);
    }
}

static void load(cuzk_frx8 *rows, const cuzk_ntt_group *g)
{
    for (size_t i = 0; i < (size_t)1 << g->lg_rows; i++) {
        const size_t to = g->reversed ? cuzk_ntt_bitrev(i, g->lg_rows) : i;
        cuzk_frx8_load(&rows[to], g->a + i * g->row_stride, g->lane_stride);
    }
}

/* g->scale for all lanes, twisted. */
static void get_scale(cuzk_frx8 *out, const cuzk_ntt_group *g)
{
    factor f;
    twist(&f, g->scale);
    cuzk_frx8_const(out, f.l);
}

static void store(const cuzk_ntt_group *g, const cuzk_frx8 *rows)
{
    cuzk_frx8 scale;
    if (g->scale != NULL) {
        get_scale(&scale, g);
    }
    for (size_t i = 0; i < (size_t)1 << g->lg_rows; i++) {
        const size_t from = g->reversed ? cuzk_ntt_bitrev(i, g->lg_rows) : i;
        cuzk_frx8 x = rows[from];
        cuzk_frx8_normalise(&x);
        if (g->scale != NULL) {
            cuzk_frx8_mul(&x, &x, &scale);
            cuzk_frx8_normalise(&x);
        } else {
            cuzk_frx8_reduce_lazy(&x);
        }
        if (g->last) {
            cuzk_frx8_reduce_once(&x);
        }
        cuzk_frx8_store(g->a + i * g->row_stride, g->lane_stride, &x);
    }
}

/* What store does to rows that stay, < 2 again. */
static void settle(const cuzk_ntt_group *g, cuzk_frx8 *rows)
{
    cuzk_frx8 scale;
    get_scale(&scale, g);
    for (size_t i = 0; i < (size_t)1 << g->lg_rows; i++) {
        cuzk_frx8 x = rows[i];
        cuzk_frx8_carry(&x);
        cuzk_frx8_mul(&x, &x, &scale);
        rows[i] = x;
    }
}

/* out = a * w for any a in the bounds. */
CUZK_HD_INLINE void times(cuzk_frx8 *a, const cuzk_frx8 *w)
{
    cuzk_frx8_carry(a);
    cuzk_frx8_mul(a, a, w);
}

/* n butterflies of one level. */
CUZK_HD_INLINE void forward_strip(cuzk_frx8 *x, cuzk_frx8 *y, size_t n, const cuzk_frx8 *w)
{
    for (size_t i = 0; i < n; i++) {
        cuzk_frx8 m = y[i];
        times(&m, w);
        cuzk_frx8_sub_plus(&y[i], &x[i], &m, R2);
        cuzk_frx8_add(&x[i], &x[i], &m);
    }
}

/* Levels t and t+1 on the four quarters of block k; q rows each. A product takes nearly all
 * registers, so levels are joined through the first-level cache and not through registers. */
CUZK_HD_INLINE void forward4(cuzk_frx8 *x, size_t q, const twiddles *s, unsigned t, size_t k,
                             bool per_lane)
{
    const size_t n = q < STRIP ? q : STRIP;
    cuzk_frx8 w; /* fetched again for each strip: three of them would not stay in registers */
    for (size_t i = 0; i < q; i += n, x += n) {
        get(&w, s, t, k, per_lane);
        forward_strip(x, x + 2 * q, n, &w);
        forward_strip(x + q, x + 3 * q, n, &w);
        get(&w, s, t + 1, 2 * k, per_lane);
        forward_strip(x, x + q, n, &w);
        get(&w, s, t + 1, 2 * k + 1, per_lane);
        forward_strip(x + 2 * q, x + 3 * q, n, &w);
    }
}

/* Levels 0 and 1 of the plain table: the only factor that is not 1 is a fourth root. */
static void forward4_plain(cuzk_frx8 *x, size_t q, const twiddles *s)
{
    cuzk_frx8 w;
    get(&w, s, 1, 1, false);
    for (size_t i = 0; i < q; i++) {
        cuzk_frx8 a = x[i], b = x[i + q], c = x[i + 2 * q], d = x[i + 3 * q], u, v;
        cuzk_frx8_add(&u, &b, &d);
        cuzk_frx8_sub_plus(&d, &b, &d, R2);
        times(&d, &w);
        cuzk_frx8_sub_plus(&v, &a, &c, R2);
        cuzk_frx8_add(&a, &a, &c);
        cuzk_frx8_add(&x[i], &a, &u);
        cuzk_frx8_sub_plus(&x[i + q], &a, &u, R4);
        cuzk_frx8_add(&x[i + 2 * q], &v, &d);
        cuzk_frx8_sub_plus(&x[i + 3 * q], &v, &d, R2);
    }
}

CUZK_HD_INLINE void forward2(cuzk_frx8 *x, const twiddles *s, unsigned t, size_t k, bool per_lane)
{
    cuzk_frx8 w, m = x[1];
    get(&w, s, t, k, per_lane);
    times(&m, &w);
    cuzk_frx8_sub_plus(&x[1], &x[0], &m, R2);
    cuzk_frx8_add(&x[0], &x[0], &m);
}

/* Levels t.. of block k, which has 2^lg rows: large blocks quarter by quarter, so that each is
 * finished while it is in cache. */
CUZK_HD_INLINE void forward_leaf(cuzk_frx8 *x, unsigned lg, const twiddles *s, unsigned t, size_t k,
                                 bool per_lane)
{
    unsigned left = lg, at = t;
    for (; left >= 2; left -= 2, at += 2) {
        const size_t first = k << (at - t), q = (size_t)1 << (left - 2);
        for (size_t j = 0; j < (size_t)1 << (at - t); j++) {
            forward4(x + 4 * q * j, q, s, at, first + j, per_lane);
        }
    }
    if (left == 1) {
        for (size_t j = 0; j < (size_t)1 << (at - t); j++) {
            forward2(x + 2 * j, s, at, (k << (at - t)) + j, per_lane);
        }
    }
}

#    define RECURSE_FORWARD(name, lanes)                                                     \
        static void name(cuzk_frx8 *x, unsigned lg, const twiddles *s, unsigned t, size_t k) \
        {                                                                                    \
            if (lg <= LG_LEAF) {                                                             \
                forward_leaf(x, lg, s, t, k, lanes);                                         \
                return;                                                                      \
            }                                                                                \
            const size_t q = (size_t)1 << (lg - 2);                                          \
            forward4(x, q, s, t, k, lanes);                                                  \
            for (size_t j = 0; j < 4; j++) {                                                 \
                name(x + j * q, lg - 2, s, t + 2, 4 * k + j);                                \
            }                                                                                \
        }
RECURSE_FORWARD(forward_shared, false)
RECURSE_FORWARD(forward_per_lane, true)

static void forward(const cuzk_ntt_group *g, const void *table, void *scratch)
{
    cuzk_frx8 *rows = scratch;
    const twiddles s = {g->plain ? (const void *)twisted(table) : g->tw, g->plain};
    if (!g->resident) {
        load(rows, g);
    }
    if (g->plain) {
        const size_t q = (size_t)1 << (g->lg_rows - 2);
        forward4_plain(rows, q, &s);
        for (size_t j = 0; j < 4; j++) {
            forward_shared(rows + j * q, g->lg_rows - 2, &s, 2, j);
        }
    } else if (g->per_lane) {
        forward_per_lane(rows, g->lg_rows, &s, 0, 0);
    } else {
        forward_shared(rows, g->lg_rows, &s, 0, 0);
    }
    store(g, rows);
}

/* n butterflies of one level; y < k, k a multiple of r. */
CUZK_HD_INLINE void inverse_strip(cuzk_frx8 *x, cuzk_frx8 *y, size_t n, const cuzk_frx8 *w,
                                  const uint64_t k[5], bool reduce)
{
    for (size_t i = 0; i < n; i++) {
        cuzk_frx8 d;
        cuzk_frx8_sub_plus(&d, &x[i], &y[i], k);
        cuzk_frx8_add(&x[i], &x[i], &y[i]);
        if (reduce) {
            cuzk_frx8_normalise(&x[i]);
            cuzk_frx8_reduce_lazy(&x[i]);
        }
        times(&d, w);
        y[i] = d;
    }
}

CUZK_HD_INLINE void inverse4(cuzk_frx8 *x, size_t q, const twiddles *s, unsigned t, size_t k,
                             bool per_lane)
{
    const size_t n = q < STRIP ? q : STRIP;
    cuzk_frx8 w;
    for (size_t i = 0; i < q; i += n, x += n) {
        get(&w, s, t + 1, 2 * k, per_lane);
        inverse_strip(x, x + q, n, &w, R4, false); /* inputs < 4 */
        get(&w, s, t + 1, 2 * k + 1, per_lane);
        inverse_strip(x + 2 * q, x + 3 * q, n, &w, R4, false);
        get(&w, s, t, k, per_lane);
        inverse_strip(x, x + 2 * q, n, &w, R8, true);      /* sums < 8 */
        inverse_strip(x + q, x + 3 * q, n, &w, R2, false); /* products < 2 */
    }
}

static void inverse4_plain(cuzk_frx8 *x, size_t q, const twiddles *s)
{
    cuzk_frx8 w;
    get(&w, s, 1, 1, false);
    for (size_t i = 0; i < q; i++) {
        cuzk_frx8 a = x[i], b = x[i + q], c = x[i + 2 * q], d = x[i + 3 * q], u, v;
        cuzk_frx8_sub_plus(&u, &a, &b, R4);
        cuzk_frx8_sub_plus(&v, &c, &d, R4);
        times(&v, &w);
        cuzk_frx8_add(&a, &a, &b);
        cuzk_frx8_add(&c, &c, &d);
        cuzk_frx8_add(&x[i], &a, &c);
        cuzk_frx8_sub_plus(&x[i + 2 * q], &a, &c, R8);
        cuzk_frx8_add(&x[i + q], &u, &v);
        cuzk_frx8_sub_plus(&x[i + 3 * q], &u, &v, R2);
    }
}

CUZK_HD_INLINE void inverse2(cuzk_frx8 *x, const twiddles *s, unsigned t, size_t k, bool per_lane)
{
    cuzk_frx8 w, d;
    get(&w, s, t, k, per_lane);
    cuzk_frx8_sub_plus(&d, &x[0], &x[1], R2);
    cuzk_frx8_add(&x[0], &x[0], &x[1]);
    times(&d, &w);
    x[1] = d;
}

CUZK_HD_INLINE void inverse_leaf(cuzk_frx8 *x, unsigned lg, const twiddles *s, unsigned t, size_t k,
                                 bool per_lane)
{
    unsigned at = t + lg, size = 0; /* levels at.. are done, blocks of 2^size rows */
    if (lg % 2 == 1) {
        at--;
        size = 1;
        for (size_t j = 0; j < (size_t)1 << (at - t); j++) {
            inverse2(x + 2 * j, s, at, (k << (at - t)) + j, per_lane);
        }
    }
    while (at > t) {
        const size_t q = (size_t)1 << size;
        at -= 2;
        size += 2;
        for (size_t j = 0; j < (size_t)1 << (at - t); j++) {
            inverse4(x + 4 * q * j, q, s, at, (k << (at - t)) + j, per_lane);
        }
    }
}

#    define RECURSE_INVERSE(name, lanes)                                                     \
        static void name(cuzk_frx8 *x, unsigned lg, const twiddles *s, unsigned t, size_t k) \
        {                                                                                    \
            if (lg <= LG_LEAF) {                                                             \
                inverse_leaf(x, lg, s, t, k, lanes);                                         \
                return;                                                                      \
            }                                                                                \
            const size_t q = (size_t)1 << (lg - 2);                                          \
            for (size_t j = 0; j < 4; j++) {                                                 \
                name(x + j * q, lg - 2, s, t + 2, 4 * k + j);                                \
            }                                                                                \
            inverse4(x, q, s, t, k, lanes);                                                  \
        }
RECURSE_INVERSE(inverse_shared, false)
RECURSE_INVERSE(inverse_per_lane, true)

static void inverse(const cuzk_ntt_group *g, const void *table, void *scratch)
{
    cuzk_frx8 *rows = scratch;
    const twiddles s = {g->plain ? (const void *)twisted(table) : g->tw, g->plain};
    load(rows, g);
    if (g->plain) {
        const size_t q = (size_t)1 << (g->lg_rows - 2);
        for (size_t j = 0; j < 4; j++) {
            inverse_shared(rows + j * q, g->lg_rows - 2, &s, 2, j);
        }
        inverse4_plain(rows, q, &s);
    } else if (g->per_lane) {
        inverse_per_lane(rows, g->lg_rows, &s, 0, 0);
    } else {
        inverse_shared(rows, g->lg_rows, &s, 0, 0);
    }
    if (g->keep) {
        settle(g, rows);
    } else {
        store(g, rows);
    }
}

const cuzk_ntt_kernel cuzk_ntt_kernel_ifma = {
    .name = "ifma",
    .row_bytes = sizeof(cuzk_frx8),
    .table_bytes = CUZK_NTT_TABLE_LEN * (sizeof(cuzk_fr) + sizeof(factor)),
    .lane_tw_bytes = sizeof(cuzk_frx8),
    .make_table = make_table,
    .make_twiddles = make_twiddles,
    .forward = forward,
    .inverse = inverse,
};
#endif
