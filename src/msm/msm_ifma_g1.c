/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The G1 engine on AVX-512 IFMA: sixteen independent additions at a time, as two sets of eight
 * lanes, so that two products are always under way.
 *
 * Points inside are on an isomorphic curve, (u^2 x, u^3 y) with u = 2^-10. In the form of 2^416 the
 * coordinates are then x * 2^396 and y * 2^386, which is what the callers' x * 2^384, y * 2^384 are
 * after a shift by 12 and by 2 bits. The addition formulas do not see the curve's constant, so
 * entries cost no multiplication to convert; only results do.
 *
 * Bounds, in multiples of q: x of an entry < 2^12, y < 4 (between -4 and 4 with the sign of the
 * entry); both of a slot < 1.01.
 */
#include <string.h>

#include "msm/ifma_fp.h"
#include "msm/msm_engine.h"

#define NOINLINE static __attribute__((noinline))

enum { SET = 8, GROUP = 16 };

typedef struct slot {
    uint64_t x[8], y[8]; /* normal limbs; all zero: infinity */
} slot;

/* What the forward pass leaves for the backward pass, per group of sixteen. */
typedef struct group_scratch {
    vfp prefix[2]; /* product of the denominators of the groups before */
    vfp den[2];
    /* Lanes by set. first: the sum is the first operand; second; none: infinity; dbl: doubling. */
    __mmask8 first[2], second[2], none[2], dbl[2];
    uint8_t special; /* any of them */
} __attribute__((aligned(64))) group_scratch;

/* Where the operands of a batch are. */
typedef struct source {
    const cuzk_msm_table *table; /* NULL: slots */
    const slot *slots;
} source;

static const __mmask8 LIMBS6 = 0x3f;

VFP_INLINE const cuzk_fp *entry_x(const cuzk_msm_table *t, uint32_t e)
{
    const size_t i = e >> MSM_ENTRY_SHIFT;
    return (e & MSM_ENTRY_ENDO) != 0 ? &((const cuzk_fp *)t->endo_x)[i]
                                     : &((const cuzk_g1_affine *)t->bases)[i].x;
}

VFP_INLINE const cuzk_fp *entry_y(const cuzk_msm_table *t, uint32_t e)
{
    return &((const cuzk_g1_affine *)t->bases)[e >> MSM_ENTRY_SHIFT].y;
}

/* Operand `which` of eight pairs. */
VFP_INLINE vfp get_x(const source *s, const uint32_t (*p)[2], int which, bool entries)
{
    __m512i r[8];
    VFP_UNROLL
    for (int i = 0; i < SET; i++) {
        r[i] = entries ? _mm512_maskz_loadu_epi64(LIMBS6, entry_x(s->table, p[i][which]))
                       : _mm512_load_si512(s->slots[p[i][which]].x);
    }
    vfp_transpose(r);
    if (entries) {
        return vfp_from_limbs64(r, 12);
    }
    vfp v;
    memcpy(v.l, r, sizeof(r));
    return v;
}

/* Limbs may be negative. */
VFP_INLINE vfp get_y(const source *s, const uint32_t (*p)[2], int which, bool entries)
{
    __m512i r[8];
    VFP_UNROLL
    for (int i = 0; i < SET; i++) {
        r[i] = entries ? _mm512_maskz_loadu_epi64(LIMBS6, entry_y(s->table, p[i][which]))
                       : _mm512_load_si512(s->slots[p[i][which]].y);
    }
    vfp_transpose(r);
    vfp v;
    if (entries) {
        unsigned neg = 0;
        VFP_UNROLL
        for (int i = 0; i < SET; i++) {
            neg |= (p[i][which] & MSM_ENTRY_NEG) << i;
        }
        v = vfp_from_limbs64(r, 2);
        VFP_UNROLL
        for (int i = 0; i < 8; i++) {
            v.l[i] = _mm512_mask_sub_epi64(v.l[i], (__mmask8)neg, _mm512_setzero_si512(), v.l[i]);
        }
    } else {
        memcpy(v.l, r, sizeof(r));
    }
    return v;
}

VFP_INLINE void prefetch(const source *s, const uint32_t (*p)[2])
{
    for (int i = 0; i < GROUP; i++) {
        for (int w = 0; w < 2; w++) {
            const char *b = (const char *)&(
                (const cuzk_g1_affine *)s->table->bases)[p[i][w] >> MSM_ENTRY_SHIFT];
            __builtin_prefetch(b);
            __builtin_prefetch(b + sizeof(cuzk_g1_affine) - 1);
            if ((p[i][w] & MSM_ENTRY_ENDO) != 0) {
                __builtin_prefetch(entry_x(s->table, p[i][w]));
            }
        }
    }
}

/*
 * The pairs of group k: in place when it is full, else copied to pad with the last pair repeated,
 * which changes no product from nonzero to zero.
 */
VFP_INLINE const uint32_t (*group_pairs(const uint32_t (*p)[2], size_t n, size_t k,
                                        uint32_t (*pad)[2]))[2]
{
    if (k * GROUP + GROUP <= n) {
        return p + k * GROUP;
    }
    for (size_t i = 0; i < GROUP; i++) {
        const size_t j = k * GROUP + i < n ? k * GROUP + i : n - 1;
        pad[i][0] = p[j][0];
        pad[i][1] = p[j][1];
    }
    return (const uint32_t(*)[2])pad;
}

VFP_INLINE void set_lanes(vfp *v, __mmask8 m, const vfp *to)
{
    *v = vfp_select(m, v, to);
}

/*
 * Finds the lanes where x1 = x2 and puts 2 y1 there as the denominator (doubling), or marks the sum
 * as infinity. Only after a batch whose product came out zero.
 */
NOINLINE void look_closely(group_scratch *g, int h, const vfp *y1, const vfp *y2, const vfp *one)
{
    const __mmask8 skip = g->first[h] | g->second[h];
    const __mmask8 same = vfp_zero_mod(&g->den[h]) & (__mmask8)~skip;
    vfp t = vfp_raw_sub(y2, y1);
    t = vfp_raw_add_words(&t, VFP_8P);
    t = vfp_normal(&t);
    g->dbl[h] = same & vfp_zero_mod(&t);
    g->none[h] = same & (__mmask8)~g->dbl[h];
    t = vfp_raw_add(y1, y1);
    t = vfp_raw_add_words(&t, VFP_8P);
    t = vfp_normal(&t);
    set_lanes(&g->den[h], g->dbl[h], &t);
    /* 2 y1 = 0 is a point of order two, outside the subgroup; such lanes must not stop the rest. */
    const __mmask8 bad = g->dbl[h] & vfp_zero_mod(&t);
    g->dbl[h] &= (__mmask8)~bad;
    g->none[h] |= bad;
    set_lanes(&g->den[h], g->none[h], one);
}

/* Denominators and their running products; returns in acc the products of all, by lane. */
VFP_INLINE void forward(vfp acc[2], const source *s, const uint32_t (*p)[2], size_t n,
                        group_scratch *scratch, bool entries, bool careful)
{
    const vfp one = vfp_broadcast((const uint64_t[8])CUZK_MSM_ONE52);
    const size_t groups = (n + GROUP - 1) / GROUP;
    uint32_t pad[GROUP][2];
    acc[0] = acc[1] = one;
    for (size_t k = 0; k < groups; k++) {
        group_scratch *g = &scratch[k];
        const uint32_t(*q)[2] = group_pairs(p, n, k, pad);
        if (entries && !careful && (k + 3) * GROUP <= n) {
            prefetch(s, p + (k + 2) * GROUP);
        }
        unsigned special = 0;
        VFP_UNROLL
        for (int h = 0; h < 2; h++) {
            const vfp x1 = get_x(s, q + h * SET, 0, entries),
                      x2 = get_x(s, q + h * SET, 1, entries);
            vfp d = vfp_raw_sub(&x2, &x1);
            d = vfp_raw_add_words(&d, entries ? VFP_4096P : VFP_2P);
            g->den[h] = vfp_normal(&d);
            g->none[h] = g->dbl[h] = 0;
            g->first[h] = g->second[h] = 0;
            if (!entries) {
                g->first[h] = vfp_zero_bits(&x2);
                g->second[h] = vfp_zero_bits(&x1) & (__mmask8)~g->first[h];
                if ((g->first[h] | g->second[h]) != 0) {
                    set_lanes(&g->den[h], g->first[h] | g->second[h], &one);
                }
            }
            if (careful) {
                const vfp y1 = get_y(s, q + h * SET, 0, entries);
                const vfp y2 = get_y(s, q + h * SET, 1, entries);
                look_closely(g, h, &y1, &y2, &one);
            }
            special |= (unsigned)(g->first[h] | g->second[h] | g->none[h] | g->dbl[h]);
            g->prefix[h] = acc[h];
        }
        g->special = special != 0;
        vfp_mul2(acc, acc, g->den);
    }
}

/* acc[h] = the inverse of acc[h] in every lane; false when one of them is zero. */
NOINLINE bool invert(vfp acc[2])
{
    static const cuzk_fp fix = {CUZK_MSM_INV_FIX_LIMBS};
    vfp v, o[3], w;
    vfp_mul(&v, &acc[0], &acc[1]);
    w = v;
    VFP_UNROLL
    for (int s = 0; s < 3;
         s++) { /* partners at distance 1, 2, 4: then w is the same in all lanes */
        const long long d = 1 << s;
        const __m512i idx = _mm512_set_epi64(7 ^ d, 6 ^ d, 5 ^ d, 4 ^ d, 3 ^ d, 2 ^ d, 1 ^ d, d);
        VFP_UNROLL
        for (int i = 0; i < 8; i++) {
            o[s].l[i] = _mm512_permutexvar_epi64(idx, w.l[i]);
        }
        vfp_mul(&w, &w, &o[s]);
    }
    w = vfp_reduce_once(&w);
    __m512i words[8];
    vfp_to_limbs64(words, &w);
    cuzk_fp x;
    for (int i = 0; i < 6; i++) {
        x.l[i] = (uint64_t)_mm_cvtsi128_si64(_mm512_castsi512_si128(words[i]));
    }
    if (cuzk_fp_is_zero(&x)) {
        return false;
    }
    cuzk_fp_inv(&x, &x);
    cuzk_fp_mul(&x, &x, &fix);
    for (int i = 0; i < 6; i++) {
        words[i] = vfp_word(x.l[i]);
    }
    words[6] = words[7] = _mm512_setzero_si512();
    w = vfp_from_limbs64(words, 0);
    VFP_UNROLL
    for (int s = 0; s < 3; s++) { /* 1 / v = 1 / all * the others */
        vfp_mul(&w, &w, &o[s]);
    }
    const vfp ww[2] = {w, w}, other[2] = {acc[1], acc[0]};
    vfp_mul2(acc, ww, other);
    return true;
}

VFP_INLINE void put(slot *slots, const size_t *at, size_t lanes, const vfp *x, const vfp *y)
{
    __m512i r[8], t[8];
    memcpy(r, x->l, sizeof(r));
    memcpy(t, y->l, sizeof(t));
    vfp_transpose(r);
    vfp_transpose(t);
    for (size_t i = 0; i < lanes; i++) {
        _mm512_store_si512(slots[at[i]].x, r[i]);
        _mm512_store_si512(slots[at[i]].y, t[i]);
    }
}

/* y - y1 and the like, from signed parts, to something that may be a factor. */
VFP_INLINE vfp difference(const vfp *a, const vfp *b, const uint64_t offset[8])
{
    vfp t = vfp_raw_sub(a, b);
    t = vfp_raw_add_words(&t, offset);
    return vfp_normal(&t);
}

/* Lanes that are not plain additions, after the fact. */
NOINLINE void fix_lanes(const group_scratch *g, int h, vfp *x3, vfp *y3, const vfp *x1,
                        const vfp *y1, const vfp *x2, const vfp *y2)
{
    const vfp zero = {{_mm512_setzero_si512(), _mm512_setzero_si512(), _mm512_setzero_si512(),
                       _mm512_setzero_si512(), _mm512_setzero_si512(), _mm512_setzero_si512(),
                       _mm512_setzero_si512(), _mm512_setzero_si512()}};
    set_lanes(x3, g->first[h], x1);
    set_lanes(y3, g->first[h], y1);
    set_lanes(x3, g->second[h], x2);
    set_lanes(y3, g->second[h], y2);
    set_lanes(x3, g->none[h], &zero);
    set_lanes(y3, g->none[h], &zero);
}

/* The operands of eight pairs in the backward pass. */
typedef struct operands {
    vfp x1, y1, x2, y2;
    vfp num; /* y2 - y1 */
} operands;

VFP_INLINE void get_operands(operands *o, const source *s, const uint32_t (*p)[2], bool entries)
{
    o->y1 = get_y(s, p, 0, entries);
    o->y2 = get_y(s, p, 1, entries);
    o->num = difference(&o->y2, &o->y1, VFP_8P);
    o->x1 = get_x(s, p, 0, entries);
    o->x2 = get_x(s, p, 1, entries);
}

NOINLINE void operands_entries(operands *o, const source *s, const uint32_t (*p)[2])
{
    get_operands(o, s, p, true);
}

NOINLINE void operands_slots(operands *o, const source *s, const uint32_t (*p)[2])
{
    get_operands(o, s, p, false);
}

/* num = 3 x1^2 in doubling lanes. */
NOINLINE void tangent(operands *o, __mmask8 lanes)
{
    vfp t, u;
    vfp_sqr(&t, &o->x1);
    u = vfp_raw_add(&t, &t);
    u = vfp_raw_add(&u, &t);
    u = vfp_normal(&u);
    set_lanes(&o->num, lanes, &u);
}

/* x3 = square - x1 - x2 and t = x1 - x3. */
NOINLINE void sum_x(vfp *x3, vfp *t, const vfp *square, const operands *o, const uint64_t offset[8])
{
    vfp u = vfp_raw_sub(square, &o->x1);
    u = vfp_raw_sub(&u, &o->x2);
    u = vfp_raw_add_words(&u, offset);
    *x3 = vfp_reduce(&u);
    *t = difference(&o->x1, x3, VFP_2P);
}

/* y3 = product - y1; the sums go to their slots. */
NOINLINE void sum_y(slot *out, const size_t *at, size_t lanes, vfp *x3, const vfp *product,
                    const operands *o, const group_scratch *g, int h)
{
    vfp u = vfp_raw_sub(product, &o->y1);
    u = vfp_raw_add_words(&u, VFP_8P);
    u = vfp_reduce(&u);
    if (g->special != 0) {
        fix_lanes(g, h, x3, &u, &o->x1, &o->y1, &o->x2, &o->y2);
    }
    put(out, at, lanes, x3, &u);
}

VFP_INLINE void backward(slot *out, size_t first, vfp acc[2], const source *s,
                         const uint32_t (*p)[2], size_t n, const group_scratch *scratch,
                         bool entries)
{
    uint32_t pad[GROUP][2];
    for (size_t k = (n + GROUP - 1) / GROUP; k-- > 0;) {
        const group_scratch *g = &scratch[k];
        const uint32_t(*q)[2] = group_pairs(p, n, k, pad);
        const size_t left = n - k * GROUP;
        operands o[2];
        vfp a[2], b[2], x3[2];
        vfp_mul2(a, acc, g->prefix);
        vfp_mul2(acc, acc, g->den);
        for (int h = 0; h < 2; h++) {
            if (entries) {
                operands_entries(&o[h], s, q + h * SET);
            } else {
                operands_slots(&o[h], s, q + h * SET);
            }
            if (g->dbl[h] != 0) {
                tangent(&o[h], g->dbl[h]);
            }
        }
        vfp_mul(&a[0], &o[0].num, &a[0]); /* lambda */
        vfp_mul(&a[1], &o[1].num, &a[1]);
        vfp_sqr2(b, a);
        sum_x(&x3[0], &b[0], &b[0], &o[0], entries ? VFP_16384P : VFP_8P);
        sum_x(&x3[1], &b[1], &b[1], &o[1], entries ? VFP_16384P : VFP_8P);
        vfp_mul2(b, a, b);
        for (int h = 0; h < 2; h++) {
            const size_t done = (size_t)h * SET;
            size_t at[SET];
            for (size_t i = 0; i < SET; i++) {
                at[i] = entries ? first + k * GROUP + done + i : q[done + i][0];
            }
            sum_y(out, at,
                  left >= done + SET ? SET
                  : left > done      ? left - done
                                     : 0,
                  &x3[h], &b[h], &o[h], g, h);
        }
    }
}

NOINLINE void forward_entries(vfp acc[2], const source *s, const uint32_t (*p)[2], size_t n,
                              group_scratch *scratch)
{
    forward(acc, s, p, n, scratch, true, false);
}

NOINLINE void forward_slots(vfp acc[2], const source *s, const uint32_t (*p)[2], size_t n,
                            group_scratch *scratch)
{
    forward(acc, s, p, n, scratch, false, false);
}

NOINLINE void careful_entries(vfp acc[2], const source *s, const uint32_t (*p)[2], size_t n,
                              group_scratch *scratch)
{
    forward(acc, s, p, n, scratch, true, true);
}

NOINLINE void careful_slots(vfp acc[2], const source *s, const uint32_t (*p)[2], size_t n,
                            group_scratch *scratch)
{
    forward(acc, s, p, n, scratch, false, true);
}

static void add_entries(void *slots, size_t first, const cuzk_msm_table *t, const uint32_t (*e)[2],
                        size_t n, void *scratch)
{
    const source s = {t, NULL};
    vfp acc[2];
    forward_entries(acc, &s, e, n, scratch);
    if (!invert(acc)) {
        careful_entries(acc, &s, e, n, scratch);
        (void)invert(acc);
    }
    backward(slots, first, acc, &s, e, n, scratch, true);
}

static void add_slots(void *slots, const uint32_t (*p)[2], size_t n, void *scratch)
{
    const source s = {NULL, slots};
    vfp acc[2];
    forward_slots(acc, &s, p, n, scratch);
    if (!invert(acc)) {
        careful_slots(acc, &s, p, n, scratch);
        (void)invert(acc);
    }
    backward(slots, 0, acc, &s, p, n, scratch, false);
}

static void load(void *slots, size_t first, const cuzk_msm_table *t, const uint32_t *e, size_t n)
{
    const source s = {t, NULL};
    for (size_t i = 0; i < n; i += SET) {
        uint32_t p[SET][2];
        size_t at[SET];
        const size_t left = n - i < SET ? n - i : SET;
        for (size_t j = 0; j < SET; j++) {
            p[j][0] = p[j][1] = e[j < left ? i + j : n - 1];
            at[j] = first + i + j;
        }
        /* Slots are below 1.01 q: bring x and the signed y there. */
        vfp x = get_x(&s, (const uint32_t(*)[2])p, 0, true);
        vfp y = get_y(&s, (const uint32_t(*)[2])p, 0, true);
        x = vfp_raw_add_words(&x, VFP_8P);
        x = vfp_reduce(&x);
        y = vfp_raw_add_words(&y, VFP_8P);
        y = vfp_reduce(&y);
        put(slots, at, left, &x, &y);
    }
}

static void store(void *out, const void *slots, const uint32_t *idx, size_t n)
{
    const vfp scale[2] = {vfp_broadcast((const uint64_t[8])CUZK_MSM_EXPORT_X52),
                          vfp_broadcast((const uint64_t[8])CUZK_MSM_EXPORT_Y52)};
    const source s = {NULL, slots};
    cuzk_g1_affine *o = out;
    for (size_t i = 0; i < n; i += SET) {
        uint32_t p[SET][2];
        const size_t left = n - i < SET ? n - i : SET;
        for (size_t j = 0; j < SET; j++) {
            p[j][0] = p[j][1] = idx[j < left ? i + j : n - 1];
        }
        vfp v[2] = {get_x(&s, (const uint32_t(*)[2])p, 0, false),
                    get_y(&s, (const uint32_t(*)[2])p, 0, false)};
        vfp_mul2(v, v, scale);
        __m512i w[2][8];
        for (int c = 0; c < 2; c++) {
            v[c] = vfp_reduce_once(&v[c]);
            vfp_to_limbs64(w[c], &v[c]);
            vfp_transpose(w[c]);
        }
        for (size_t j = 0; j < left; j++) {
            _mm512_mask_storeu_epi64(&o[i + j].x, LIMBS6, w[0][j]);
            _mm512_mask_storeu_epi64(&o[i + j].y, LIMBS6, w[1][j]);
        }
    }
}

static void endo(void *endo_x, const void *bases, const uint32_t *idx, size_t n)
{
    const vfp beta = vfp_broadcast((const uint64_t[8])CUZK_MSM_G1_BETA52), by[2] = {beta, beta};
    const cuzk_msm_table t = {bases, NULL};
    for (size_t i = 0; i < n; i += GROUP) {
        vfp x[2];
        const size_t left = n - i < GROUP ? n - i : GROUP;
        for (size_t h = 0; h < 2; h++) {
            __m512i r[8];
            for (size_t j = 0; j < SET; j++) {
                const size_t k = h * SET + j;
                r[j] = _mm512_maskz_loadu_epi64(
                    LIMBS6, entry_x(&t, idx[k < left ? i + k : n - 1] << MSM_ENTRY_SHIFT));
            }
            vfp_transpose(r);
            x[h] = vfp_from_limbs64(r, 0);
        }
        vfp_mul2(x, x, by);
        for (size_t h = 0; h < 2; h++) {
            __m512i w[8];
            x[h] = vfp_reduce_once(&x[h]);
            vfp_to_limbs64(w, &x[h]);
            vfp_transpose(w);
            for (size_t j = 0; j < SET && h * SET + j < left; j++) {
                _mm512_mask_storeu_epi64(&((cuzk_fp *)endo_x)[idx[i + h * SET + j]], LIMBS6, w[j]);
            }
        }
    }
}

const cuzk_msm_engine CUZK_MSM_ENGINE_G1_IFMA = {
    .name = "g1/ifma",
    .group = &CUZK_MSM_GROUP_G1,
    .slot_bytes = sizeof(slot),
    .pair_bytes = sizeof(group_scratch) / GROUP,
    .lanes = GROUP,
    .add_ns = 45.0,
    .load = load,
    .add_entries = add_entries,
    .add_slots = add_slots,
    .store = store,
    .endo = endo,
};
