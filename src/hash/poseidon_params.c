/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <string.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "hash/poseidon_internal.h"

#define MAX_T      CUZK_POSEIDON_MAX_WIDTH
#define MAX_RAW    ((CUZK_POSEIDON_FULL_ROUNDS + CUZK_POSEIDON_MAX_PARTIALS) * MAX_T)
#define HALF_FULL  (CUZK_POSEIDON_FULL_ROUNDS / 2)
#define FIELD_BITS 255

/* ---- Grain LFSR in self-shrinking mode (Poseidon paper, appendix E) ---- */

typedef struct grain {
    uint64_t lo, hi; /* s_0..s_63 and s_64..s_79, s_i at bit i mod 64 */
} grain;

static inline void grain_shift(grain *g, uint64_t in)
{
    g->lo = g->lo >> 1 | g->hi << 63;
    g->hi = g->hi >> 1 | in << 15;
}

static inline uint64_t grain_step(grain *g)
{
    const uint64_t taps = UINT64_C(1) << 62 | UINT64_C(1) << 51 | UINT64_C(1) << 38 |
                          UINT64_C(1) << 23 | UINT64_C(1) << 13 | 1;
    const uint64_t b = (uint64_t)__builtin_parityll(g->lo & taps);
    grain_shift(g, b);
    return b;
}

static void grain_put(grain *g, unsigned value, int bits)
{
    for (int i = bits - 1; i >= 0; i--) {
        grain_shift(g, value >> i & 1);
    }
}

/* The 80 bits of the description push out whatever was there. */
static void grain_init(grain *g, unsigned width, unsigned partial_rounds)
{
    g->lo = 0;
    g->hi = 0;
    grain_put(g, 1, 2); /* prime field */
    grain_put(g, 1, 4); /* S-box; neptune encodes x^5 as 1 */
    grain_put(g, FIELD_BITS, 12);
    grain_put(g, width, 12);
    grain_put(g, CUZK_POSEIDON_FULL_ROUNDS, 10);
    grain_put(g, partial_rounds, 10);
    grain_put(g, (1u << 30) - 1, 30);
    for (int i = 0; i < 160; i++) {
        (void)grain_step(g);
    }
}

static uint64_t grain_bit(grain *g)
{
    while (grain_step(g) == 0) {
        (void)grain_step(g);
    }
    return grain_step(g);
}

static void grain_fr(cuzk_fr *out, grain *g)
{
    cuzk_scalar s;
    do { /* rejection sampling: the integer must be below r */
        memset(&s, 0, sizeof(s));
        for (int i = FIELD_BITS - 1; i >= 0; i--) {
            s.l[i / 64] |= grain_bit(g) << (i % 64);
        }
    } while (!cuzk_scalar_is_canonical(&s));
    cuzk_fr_from_scalar(out, &s);
}

uint32_t cuzk_poseidon_partial_rounds(unsigned arity)
{
    switch (arity) {
    case 2: return 55;
    case 4: return 56;
    case 8:
    case 11: return 57;
    default: return 0;
    }
}

void cuzk_poseidon_round_constants(cuzk_fr *out, unsigned arity)
{
    const uint32_t r_p = cuzk_poseidon_partial_rounds(arity);
    CUZK_ASSERT(r_p != 0);
    grain g;
    grain_init(&g, arity + 1, r_p);
    for (uint32_t i = 0; i < (CUZK_POSEIDON_FULL_ROUNDS + r_p) * (arity + 1); i++) {
        grain_fr(&out[i], &g);
    }
}

/* ---- Matrices: n x n, row-major, stride n ---- */

typedef struct scratch {
    cuzk_fr raw[MAX_RAW];
    cuzk_fr mds_inv[MAX_T * MAX_T];
    cuzk_fr cur[MAX_T * MAX_T], hat[MAX_T * MAX_T], hat_inv[MAX_T * MAX_T];
    cuzk_fr gauss[MAX_T * MAX_T];
} scratch;

/* out[j] = sum_i v[i] * m[i][j]; out and v are disjoint. */
static void vec_mat(cuzk_fr *out, const cuzk_fr *v, const cuzk_fr *m, unsigned n)
{
    for (unsigned j = 0; j < n; j++) {
        cuzk_fr sum = CUZK_FR_ZERO, x;
        for (unsigned i = 0; i < n; i++) {
            cuzk_fr_mul(&x, &v[i], &m[i * n + j]);
            cuzk_fr_add(&sum, &sum, &x);
        }
        out[j] = sum;
    }
}

/* Gauss-Jordan with working copy a [n * n]. All matrices here are Cauchy or built from invertible
 * ones, so that a pivot is always found. */
static void mat_inv(cuzk_fr *out, const cuzk_fr *m, unsigned n, cuzk_fr *a)
{
    memcpy(a, m, n * n * sizeof(*m));
    for (unsigned i = 0; i < n * n; i++) {
        out[i] = i % (n + 1) == 0 ? CUZK_FR_ONE : CUZK_FR_ZERO;
    }
    for (unsigned c = 0; c < n; c++) {
        unsigned p = c;
        while (p < n && cuzk_fr_is_zero(&a[p * n + c])) {
            p++;
        }
        CUZK_ASSERT(p < n);
        cuzk_fr inv, f, x;
        cuzk_fr_inv(&inv, &a[p * n + c]);
        for (unsigned j = 0; j < n; j++) { /* swap rows c and p, scale row c */
            x = a[c * n + j];
            cuzk_fr_mul(&a[c * n + j], &a[p * n + j], &inv);
            if (p != c) {
                a[p * n + j] = x;
            }
            x = out[c * n + j];
            cuzk_fr_mul(&out[c * n + j], &out[p * n + j], &inv);
            if (p != c) {
                out[p * n + j] = x;
            }
        }
        for (unsigned r = 0; r < n; r++) {
            if (r == c || cuzk_fr_is_zero(&a[r * n + c])) {
                continue;
            }
            f = a[r * n + c];
            for (unsigned j = 0; j < n; j++) {
                cuzk_fr_mul(&x, &f, &a[c * n + j]);
                cuzk_fr_sub(&a[r * n + j], &a[r * n + j], &x);
                cuzk_fr_mul(&x, &f, &out[c * n + j]);
                cuzk_fr_sub(&out[r * n + j], &out[r * n + j], &x);
            }
        }
    }
}

/* m[i][j] = 1 / (i + j + width), a Cauchy matrix. */
static void make_mds(cuzk_poseidon_params *p)
{
    const unsigned t = p->width;
    for (unsigned i = 0; i < t; i++) {
        for (unsigned j = 0; j < t; j++) {
            cuzk_fr x;
            cuzk_fr_from_u64(&x, i + j + t);
            cuzk_fr_inv(&p->mds[i * t + j], &x);
        }
    }
}

/*
 * Round constants moved behind the S-boxes. Adding k before the S-boxes of a round is adding
 * k M^-1 before the preceding mix. In the partial rounds only element 0 passes an S-box, so the
 * other elements' constants travel on to earlier rounds, and one key per round is left.
 */
static void compress_constants(cuzk_poseidon_params *p, const scratch *sc)
{
    const cuzk_fr *raw = sc->raw, *mds_inv = sc->mds_inv;
    const unsigned t = p->width, r_p = p->partial_rounds;
    cuzk_fr *out = p->crc;
    memcpy(out, raw, t * sizeof(*raw));
    out += t;
    for (unsigned k = 1; k < HALF_FULL; k++, out += t) {
        vec_mat(out, raw + k * t, mds_inv, t);
    }
    cuzk_fr acc[MAX_T], x[MAX_T];
    memcpy(acc, raw + (HALF_FULL + r_p) * t, t * sizeof(*raw));
    cuzk_fr *keys = out + t;
    for (unsigned k = r_p; k-- > 0;) {
        vec_mat(x, acc, mds_inv, t);
        keys[k] = x[0];
        x[0] = CUZK_FR_ZERO;
        for (unsigned i = 0; i < t; i++) {
            cuzk_fr_add(&acc[i], &raw[(HALF_FULL + k) * t + i], &x[i]);
        }
    }
    vec_mat(out, acc, mds_inv, t);
    out = keys + r_p;
    for (unsigned k = 1; k < HALF_FULL; k++, out += t) {
        vec_mat(out, raw + (HALF_FULL + r_p + k) * t, mds_inv, t);
    }
    CUZK_ASSERT(out == p->crc + cuzk_poseidon_n_crc(p));
}

/*
 * cur = M' M'' with M'' sparse and M' = diag(1, M^), from the last partial round to the first;
 * M' commutes with the S-box of element 0, so it joins the mix of the round before.
 */
static void factor_sparse(cuzk_poseidon_params *p, scratch *sc)
{
    const unsigned t = p->width, n = p->arity;
    cuzk_fr *cur = sc->cur, *hat = sc->hat, *inv = sc->hat_inv, w[MAX_T];
    memcpy(cur, p->mds, t * t * sizeof(*cur));
    for (unsigned k = p->partial_rounds; k-- > 0;) {
        for (unsigned i = 0; i < n; i++) {
            w[i] = cur[(i + 1) * t];
            memcpy(hat + i * n, cur + (i + 1) * t + 1, n * sizeof(*cur));
        }
        mat_inv(inv, hat, n, sc->gauss);
        p->w_hat[k * t] = cur[0];
        vec_mat(p->w_hat + k * t + 1, w, inv, n);
        memcpy(p->v_rest + k * n, cur + 1, n * sizeof(*cur));
        for (unsigned i = 0; i < t; i++) { /* cur = M M' */
            cur[i * t] = p->mds[i * t];
            vec_mat(cur + i * t + 1, p->mds + i * t + 1, hat, n);
        }
    }
    memcpy(p->pre_sparse, cur, t * t * sizeof(*cur));
}

#ifdef CUZK_HASH_IFMA
static void twist(cuzk_fr52 *out, const cuzk_fr *x)
{
    cuzk_fr y = *x;
    for (int i = 0; i < 4; i++) {
        cuzk_fr_dbl(&y, &y);
    }
    cuzk_fr52_split(out, &y);
}

static void make_factors(cuzk_poseidon_factors *f, const cuzk_poseidon_params *p)
{
    const unsigned t = p->width, r_p = p->partial_rounds;
    for (unsigned i = 0; i < cuzk_poseidon_n_crc(p); i++) {
        cuzk_fr52_split(&f->key[i], &p->crc[i]);
    }
    for (unsigned i = 0; i < t; i++) {
        for (unsigned j = 0; j < t; j++) {
            twist(&f->mds[j * t + i], &p->mds[i * t + j]);
            twist(&f->pre_sparse[j * t + i], &p->pre_sparse[i * t + j]);
        }
    }
    for (unsigned i = 0; i < r_p * t; i++) {
        twist(&f->w_hat[i], &p->w_hat[i]);
    }
    for (unsigned i = 0; i < r_p * p->arity; i++) {
        twist(&f->v_rest[i], &p->v_rest[i]);
    }
}
#endif

cuzk_status cuzk_poseidon_params_create(cuzk_poseidon_params **out, unsigned arity, cuzk_err *err)
{
    const uint32_t r_p = cuzk_poseidon_partial_rounds(arity);
    if (r_p == 0) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "no Poseidon parameters for arity %u", arity);
    }
    cuzk_poseidon_params *p = cuzk_alloc_zero(1, sizeof(*p));
    scratch *sc = cuzk_alloc(1, sizeof(*sc));
#ifdef CUZK_HASH_IFMA
    if (p != NULL) {
        p->factors = cuzk_alloc_zero(1, sizeof(*p->factors));
    }
    const bool has_all = p != NULL && sc != NULL && p->factors != NULL;
#else
    const bool has_all = p != NULL && sc != NULL;
#endif
    if (!has_all) {
        cuzk_poseidon_params_destroy(p);
        cuzk_free(sc);
        return CUZK_FAIL(err, CUZK_E_NOMEM, "Poseidon parameters for arity %u", arity);
    }
    p->arity = arity;
    p->width = arity + 1;
    p->partial_rounds = r_p;
    cuzk_fr_from_u64(&p->tag, (UINT64_C(1) << arity) - 1);
    cuzk_poseidon_round_constants(sc->raw, arity);
    make_mds(p);
    mat_inv(sc->mds_inv, p->mds, p->width, sc->gauss);
    compress_constants(p, sc);
    factor_sparse(p, sc);
    cuzk_free(sc);
#ifdef CUZK_HASH_IFMA
    make_factors(p->factors, p);
#endif
    *out = p;
    return CUZK_OK;
}

void cuzk_poseidon_params_destroy(cuzk_poseidon_params *p)
{
    if (p != NULL) {
        cuzk_free(p->factors);
    }
    cuzk_free(p);
}

void cuzk_poseidon_randomness_tag(cuzk_fr *out)
{
    cuzk_fr_from_u64(out, UINT64_C(1) << 40);
}
