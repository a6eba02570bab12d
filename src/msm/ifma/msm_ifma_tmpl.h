/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The engine of one group on AVX-512 IFMA: sixteen independent additions at a time, as two sets of
 * eight lanes, so that independent products are always under way. Included once per group.
 * Parameters: IT_N (1: Fp, 2: Fp2), IT_AFFINE (type of a base), IT_GROUP, IT_ENGINE (objects),
 * IT_NAME, IT_ADD_NS, IT_BETA (beta * 2^416), IT_INV(out, a), IT_FIELD (cuzk_fp or cuzk_fp2).
 *
 * Points inside are on an isomorphic curve, (u^2 x, u^3 y) with u = 2^-10. In the form of 2^416 the
 * coordinates are then x * 2^396 and y * 2^386, which is what the callers' x * 2^384, y * 2^384 are
 * after a shift by 12 and by 2 bits. The addition formulas do not see the curve's constant, so
 * entries cost no multiplication to convert; only results do.
 *
 * Bounds, in multiples of q: x of an entry < 2^12, y < 4 (between -4 and 4 with the sign of the
 * entry); both of a slot < 1.01; a denominator < 2^13; products < 1.01.
 */
#include <string.h>

#include "msm/ifma/ifma_fp.h"
#include "msm/msm_engine.h"

#define NOINLINE static __attribute__((noinline))

/* TOGETHER: sets whose steps alternate, for independent products; a product in Fp2 is two already. */
enum { SET = 8, GROUP = 16, TOGETHER = IT_N == 1 ? 2 : 1 };
#define ALL for (int i = 0; i < TOGETHER; i++)

/* One or two components of eight lanes. */
typedef struct fe {
    vfp c[IT_N];
} fe;

typedef struct slot {
    uint64_t x[IT_N][8], y[IT_N][8]; /* normal limbs; all zero: infinity */
} slot;

/* What the forward pass leaves for the backward pass, per group of sixteen. */
typedef struct group_scratch {
    fe prefix[2]; /* product of the denominators of the groups before */
    fe den[2];
    /* Lanes by set. first: the sum is the first operand; second; none: infinity; dbl: doubling. */
    __mmask8 first[2], second[2], none[2], dbl[2];
    uint8_t special; /* any of them */
} __attribute__((aligned(64))) group_scratch;

/* Where the operands of a batch are. */
typedef struct source {
    const cuzk_msm_table *table; /* NULL: slots */
    const slot *slots;
} source;

static const __mmask8 LIMBS6 = 0x3f; /* of a coordinate in memory */

#define EACH for (int c = 0; c < IT_N; c++)

VFP_INLINE fe fe_raw_add(const fe *a, const fe *b)
{
    fe r;
    VFP_UNROLL
    EACH r.c[c] = vfp_raw_add(&a->c[c], &b->c[c]);
    return r;
}

/* a - b + offset, limb by limb. */
VFP_INLINE fe fe_raw_sub(const fe *a, const fe *b, const uint64_t offset[8])
{
    fe r;
    VFP_UNROLL
    EACH
    {
        r.c[c] = vfp_raw_sub(&a->c[c], &b->c[c]);
        r.c[c] = vfp_raw_add_words(&r.c[c], offset);
    }
    return r;
}

VFP_INLINE fe fe_normal(const fe *a)
{
    fe r;
    VFP_UNROLL
    EACH r.c[c] = vfp_normal(&a->c[c]);
    return r;
}

VFP_INLINE fe fe_reduce(const fe *a)
{
    fe r;
    VFP_UNROLL
    EACH r.c[c] = vfp_reduce(&a->c[c]);
    return r;
}

/* To something that may be a factor. */
VFP_INLINE fe fe_difference(const fe *a, const fe *b, const uint64_t offset[8])
{
    const fe t = fe_raw_sub(a, b, offset);
    return fe_normal(&t);
}

VFP_INLINE __mmask8 fe_zero_mod(const fe *a)
{
    __mmask8 m = 0xff;
    EACH m &= vfp_zero_mod(&a->c[c]);
    return m;
}

VFP_INLINE __mmask8 fe_zero_bits(const fe *a)
{
    __mmask8 m = 0xff;
    EACH m &= vfp_zero_bits(&a->c[c]);
    return m;
}

VFP_INLINE void set_lanes(fe *v, __mmask8 m, const fe *to)
{
    EACH v->c[c] = vfp_select(m, &v->c[c], &to->c[c]);
}

VFP_INLINE fe fe_one(void)
{
    fe r;
    EACH r.c[c] = vfp_broadcast(c == 0 ? VFP_ONE : VFP_ZERO);
    return r;
}

#if IT_N == 1
VFP_INLINE void fe_mul(fe *out, const fe *a, const fe *b)
{
    vfp_mul(&out->c[0], &a->c[0], &b->c[0]);
}

VFP_INLINE void fe_sqr(fe *out, const fe *a)
{
    vfp_sqr(&out->c[0], &a->c[0]);
}
#else
/* (a0 b0 - a1 b1) + (a0 b1 + a1 b0) i, two products to a reduction. Pre: b < 2^14. */
NOINLINE void fe_mul(fe *out, const fe *a, const fe *b)
{
    const vfp zero = vfp_broadcast(VFP_ZERO);
    vfp neg = vfp_raw_sub(&zero, &b->c[1]), re;
    neg = vfp_raw_add_words(&neg, VFP_16384P);
    neg = vfp_normal(&neg);
    vfp_mul_add(&re, &a->c[0], &b->c[0], &a->c[1], &neg);
    vfp_mul_add(&out->c[1], &a->c[0], &b->c[1], &a->c[1], &b->c[0]);
    out->c[0] = re;
}

/* (a0 + a1)(a0 - a1) + 2 a0 a1 i. Pre: a < 2^13. */
NOINLINE void fe_sqr(fe *out, const fe *a)
{
    vfp sum = vfp_raw_add(&a->c[0], &a->c[1]), dif = vfp_raw_sub(&a->c[0], &a->c[1]);
    vfp dbl = vfp_raw_add(&a->c[0], &a->c[0]);
    sum = vfp_normal(&sum);
    dif = vfp_raw_add_words(&dif, VFP_16384P);
    dif = vfp_normal(&dif);
    dbl = vfp_normal(&dbl);
    vfp_mul(&out->c[1], &dbl, &a->c[1]);
    vfp_mul(&out->c[0], &sum, &dif);
}
#endif

/* out may be a or b; the two products are independent. */
VFP_INLINE void fe_mul2(fe out[2], const fe a[2], const fe b[2])
{
    fe_mul(&out[0], &a[0], &b[0]);
    fe_mul(&out[1], &a[1], &b[1]);
}

CUZK_STATIC_ASSERT(sizeof(IT_AFFINE) == 2 * sizeof(IT_FIELD), "a base is x and y");

VFP_INLINE const cuzk_fp *entry_x(const cuzk_msm_table *t, uint32_t e)
{
    return (const cuzk_fp *)(const void *)&(
               (const IT_AFFINE *)t->x[(e & MSM_ENTRY_UNIT) >> 1])[e >> MSM_ENTRY_SHIFT]
        .x;
}

VFP_INLINE const cuzk_fp *entry_y(const cuzk_msm_table *t, uint32_t e)
{
    const void *p = &((const IT_AFFINE *)t->x[0])[e >> MSM_ENTRY_SHIFT].y;
    return p;
}

/* Operand `which` of eight pairs. */
VFP_INLINE fe get_x(const source *s, const uint32_t (*p)[2], int which, bool entries)
{
    fe v;
    EACH
    {
        __m512i r[8];
        VFP_UNROLL
        for (int i = 0; i < SET; i++) {
            r[i] = entries ? _mm512_maskz_loadu_epi64(LIMBS6, entry_x(s->table, p[i][which]) + c)
                           : _mm512_load_si512(s->slots[p[i][which]].x[c]);
        }
        vfp_transpose(r);
        v.c[c] = entries ? vfp_from_limbs64(r, 12) : vfp_from_words(r);
    }
    return v;
}

/* Limbs may be negative. */
VFP_INLINE fe get_y(const source *s, const uint32_t (*p)[2], int which, bool entries)
{
    fe v;
    unsigned neg = 0;
    VFP_UNROLL
    for (int i = 0; i < SET && entries; i++) {
        neg |= (p[i][which] & MSM_ENTRY_NEG) << i;
    }
    EACH
    {
        __m512i r[8];
        VFP_UNROLL
        for (int i = 0; i < SET; i++) {
            r[i] = entries ? _mm512_maskz_loadu_epi64(LIMBS6, entry_y(s->table, p[i][which]) + c)
                           : _mm512_load_si512(s->slots[p[i][which]].y[c]);
        }
        vfp_transpose(r);
        v.c[c] = entries ? vfp_from_limbs64(r, 2) : vfp_from_words(r);
        VFP_UNROLL
        for (int i = 0; i < 8 && entries; i++) {
            v.c[c].l[i] = _mm512_mask_sub_epi64(v.c[c].l[i], (__mmask8)neg, _mm512_setzero_si512(),
                                                v.c[c].l[i]);
        }
    }
    return v;
}

VFP_INLINE void prefetch(const source *s, const uint32_t (*p)[2])
{
    for (int i = 0; i < GROUP; i++) {
        for (int w = 0; w < 2; w++) {
            const char *y = (const char *)entry_y(s->table, p[i][w]);
            const char *x = (const char *)entry_x(s->table, p[i][w]);
            for (size_t k = 0; k < sizeof(IT_FIELD); k += 64) {
                __builtin_prefetch(x + k);
                __builtin_prefetch(y + k);
            }
            __builtin_prefetch(x + sizeof(IT_FIELD) - 1);
            __builtin_prefetch(y + sizeof(IT_FIELD) - 1);
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

/*
 * Finds the lanes where x1 = x2 and puts 2 y1 there as the denominator (doubling), or marks the sum
 * as infinity. Only after a batch whose product came out zero.
 */
NOINLINE void look_closely(group_scratch *g, int h, const fe *y1, const fe *y2, const fe *one)
{
    const __mmask8 skip = g->first[h] | g->second[h];
    const __mmask8 same = fe_zero_mod(&g->den[h]) & (__mmask8)~skip;
    fe t = fe_difference(y2, y1, VFP_8P);
    g->dbl[h] = same & fe_zero_mod(&t);
    g->none[h] = same & (__mmask8)~g->dbl[h];
    t = fe_raw_add(y1, y1);
    EACH t.c[c] = vfp_raw_add_words(&t.c[c], VFP_8P);
    t = fe_normal(&t);
    set_lanes(&g->den[h], g->dbl[h], &t);
    /* 2 y1 = 0 is a point of order two, outside the subgroup; such lanes must not stop the rest. */
    const __mmask8 bad = g->dbl[h] & fe_zero_mod(&t);
    g->dbl[h] &= (__mmask8)~bad;
    g->none[h] |= bad;
    set_lanes(&g->den[h], g->none[h], one);
}

/* Denominators and their running products; returns in acc the products of all, by lane. */
VFP_INLINE void forward(fe acc[2], const source *s, const uint32_t (*p)[2], size_t n,
                        group_scratch *scratch, bool entries, bool careful)
{
    const fe one = fe_one();
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
            const fe x1 = get_x(s, q + h * SET, 0, entries), x2 = get_x(s, q + h * SET, 1, entries);
            g->den[h] = fe_difference(&x2, &x1, entries ? VFP_4096P : VFP_2P);
            g->none[h] = g->dbl[h] = 0;
            g->first[h] = g->second[h] = 0;
            if (!entries) {
                g->first[h] = fe_zero_bits(&x2);
                g->second[h] = fe_zero_bits(&x1) & (__mmask8)~g->first[h];
                if ((g->first[h] | g->second[h]) != 0) {
                    set_lanes(&g->den[h], g->first[h] | g->second[h], &one);
                }
            }
            if (careful) {
                const fe y1 = get_y(s, q + h * SET, 0, entries);
                const fe y2 = get_y(s, q + h * SET, 1, entries);
                look_closely(g, h, &y1, &y2, &one);
            }
            special |= (unsigned)(g->first[h] | g->second[h] | g->none[h] | g->dbl[h]);
            g->prefix[h] = acc[h];
        }
        g->special = special != 0;
        fe_mul2(acc, acc, g->den);
    }
}

/* Lane 0, as a field element of the caller's form times 2^32. */
VFP_INLINE void take_lane(IT_FIELD *out, const fe *a)
{
    cuzk_fp v[IT_N];
    EACH
    {
        const vfp t = vfp_reduce_once(&a->c[c]);
        __m512i w[8];
        vfp_to_limbs64(w, &t);
        for (int i = 0; i < 6; i++) {
            v[c].l[i] = (uint64_t)_mm_cvtsi128_si64(_mm512_castsi512_si128(w[i]));
        }
    }
    memcpy(out, v, sizeof(v));
}

/* The same value in all lanes; without the factor 2^32. */
VFP_INLINE fe give_lanes(const IT_FIELD *a)
{
    static const cuzk_fp fix = {CUZK_MSM_INV_FIX_LIMBS};
    cuzk_fp v[IT_N];
    fe r;
    memcpy(v, a, sizeof(v));
    EACH
    {
        __m512i w[8];
        cuzk_fp_mul(&v[c], &v[c], &fix);
        for (int i = 0; i < 6; i++) {
            w[i] = vfp_word(v[c].l[i]);
        }
        w[6] = w[7] = _mm512_setzero_si512();
        r.c[c] = vfp_from_limbs64(w, 0);
    }
    return r;
}

/* acc[h] = the inverse of acc[h] in every lane; false when one of them is zero. */
NOINLINE bool invert(fe acc[2])
{
    fe o[3], w;
    IT_FIELD x;
    fe_mul(&w, &acc[0], &acc[1]);
    for (int s = 0; s < 3; s++) { /* partners at distance 1, 2, 4; then all lanes are the same */
        const long long d = 1 << s;
        const __m512i idx = _mm512_set_epi64(7 ^ d, 6 ^ d, 5 ^ d, 4 ^ d, 3 ^ d, 2 ^ d, 1 ^ d, d);
        EACH
        {
            VFP_UNROLL
            for (int i = 0; i < 8; i++) {
                o[s].c[c].l[i] = _mm512_permutexvar_epi64(idx, w.c[c].l[i]);
            }
        }
        fe_mul(&w, &w, &o[s]);
    }
    take_lane(&x, &w);
    if (IT_IS_ZERO(&x)) {
        return false;
    }
    IT_INV(&x, &x);
    w = give_lanes(&x);
    for (int s = 0; s < 3; s++) { /* 1 / v = 1 / all * the others */
        fe_mul(&w, &w, &o[s]);
    }
    const fe ww[2] = {w, w}, other[2] = {acc[1], acc[0]};
    fe_mul2(acc, ww, other);
    return true;
}

VFP_INLINE void put(slot *slots, const size_t *at, size_t lanes, const fe *x, const fe *y)
{
    EACH
    {
        __m512i r[8], t[8];
        vfp_to_words(r, &x->c[c]);
        vfp_to_words(t, &y->c[c]);
        vfp_transpose(r);
        vfp_transpose(t);
        for (size_t i = 0; i < lanes; i++) {
            _mm512_store_si512(slots[at[i]].x[c], r[i]);
            _mm512_store_si512(slots[at[i]].y[c], t[i]);
        }
    }
}

/* Lanes that are not plain additions, after the fact. */
NOINLINE void fix_lanes(const group_scratch *g, int h, fe *x3, fe *y3, const fe *x1, const fe *y1,
                        const fe *x2, const fe *y2)
{
    fe zero;
    EACH zero.c[c] = vfp_broadcast(VFP_ZERO);
    set_lanes(x3, g->first[h], x1);
    set_lanes(y3, g->first[h], y1);
    set_lanes(x3, g->second[h], x2);
    set_lanes(y3, g->second[h], y2);
    set_lanes(x3, g->none[h], &zero);
    set_lanes(y3, g->none[h], &zero);
}

/* The operands of eight pairs in the backward pass. */
typedef struct operands {
    fe x1, y1, x2, y2;
    fe num; /* y2 - y1 */
} operands;

VFP_INLINE void get_operands(operands *o, const source *s, const uint32_t (*p)[2], bool entries)
{
    o->y1 = get_y(s, p, 0, entries);
    o->y2 = get_y(s, p, 1, entries);
    o->num = fe_difference(&o->y2, &o->y1, VFP_8P);
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
    fe t, u;
    fe_sqr(&t, &o->x1);
    u = fe_raw_add(&t, &t);
    u = fe_raw_add(&u, &t);
    u = fe_normal(&u);
    set_lanes(&o->num, lanes, &u);
}

/* x3 = square - x1 - x2 and t = x1 - x3. */
NOINLINE void sum_x(fe *x3, fe *t, const fe *square, const operands *o, const uint64_t offset[8])
{
    fe u = fe_raw_sub(square, &o->x1, offset);
    u = fe_raw_sub(&u, &o->x2, VFP_ZERO);
    *x3 = fe_reduce(&u);
    *t = fe_difference(&o->x1, x3, VFP_2P);
}

/* y3 = product - y1; the sums go to their slots. */
NOINLINE void sum_y(slot *out, const size_t *at, size_t lanes, fe *x3, const fe *product,
                    const operands *o, const group_scratch *g, int h)
{
    fe u = fe_raw_sub(product, &o->y1, VFP_8P);
    u = fe_reduce(&u);
    if (g->special != 0) {
        fix_lanes(g, h, x3, &u, &o->x1, &o->y1, &o->x2, &o->y2);
    }
    put(out, at, lanes, x3, &u);
}

/* Sets h .. h + TOGETHER - 1 of a group with `left` pairs. */
VFP_INLINE void sum_sets(slot *out, size_t first, fe acc[2], const source *s,
                         const uint32_t (*q)[2], size_t left, const group_scratch *g, int h,
                         size_t k, bool entries)
{
    operands o[TOGETHER];
    fe a[TOGETHER], b[TOGETHER], x3[TOGETHER];
    ALL fe_mul(&a[i], &acc[h + i], &g->prefix[h + i]);
    ALL fe_mul(&acc[h + i], &acc[h + i], &g->den[h + i]);
    ALL
    {
        if (entries) {
            operands_entries(&o[i], s, q + (h + i) * SET);
        } else {
            operands_slots(&o[i], s, q + (h + i) * SET);
        }
        if (g->dbl[h + i] != 0) {
            tangent(&o[i], g->dbl[h + i]);
        }
    }
    ALL fe_mul(&a[i], &o[i].num, &a[i]); /* lambda */
    ALL fe_sqr(&b[i], &a[i]);
    ALL sum_x(&x3[i], &b[i], &b[i], &o[i], entries ? VFP_16384P : VFP_8P);
    ALL fe_mul(&b[i], &a[i], &b[i]);
    ALL
    {
        const size_t done = (size_t)(h + i) * SET;
        size_t at[SET];
        for (size_t j = 0; j < SET; j++) {
            at[j] = entries ? first + k * GROUP + done + j : q[done + j][0];
        }
        const size_t lanes = left < done ? 0 : left - done;
        sum_y(out, at, lanes < SET ? lanes : SET, &x3[i], &b[i], &o[i], g, h + i);
    }
}

VFP_INLINE void backward(slot *out, size_t first, fe acc[2], const source *s,
                         const uint32_t (*p)[2], size_t n, const group_scratch *scratch,
                         bool entries)
{
    uint32_t pad[GROUP][2];
    for (size_t k = (n + GROUP - 1) / GROUP; k-- > 0;) {
        const group_scratch *g = &scratch[k];
        const uint32_t(*q)[2] = group_pairs(p, n, k, pad);
        for (int h = 0; h < 2; h += TOGETHER) {
            sum_sets(out, first, acc, s, q, n - k * GROUP, g, h, k, entries);
        }
    }
}

NOINLINE void forward_entries(fe acc[2], const source *s, const uint32_t (*p)[2], size_t n,
                              group_scratch *scratch)
{
    forward(acc, s, p, n, scratch, true, false);
}

NOINLINE void forward_slots(fe acc[2], const source *s, const uint32_t (*p)[2], size_t n,
                            group_scratch *scratch)
{
    forward(acc, s, p, n, scratch, false, false);
}

NOINLINE void careful_entries(fe acc[2], const source *s, const uint32_t (*p)[2], size_t n,
                              group_scratch *scratch)
{
    forward(acc, s, p, n, scratch, true, true);
}

NOINLINE void careful_slots(fe acc[2], const source *s, const uint32_t (*p)[2], size_t n,
                            group_scratch *scratch)
{
    forward(acc, s, p, n, scratch, false, true);
}

static void add_entries(void *slots, size_t first, const cuzk_msm_table *t, const uint32_t (*e)[2],
                        size_t n, void *scratch)
{
    const source s = {t, NULL};
    fe acc[2];
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
    fe acc[2];
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
        fe x = get_x(&s, (const uint32_t(*)[2])p, 0, true);
        fe y = get_y(&s, (const uint32_t(*)[2])p, 0, true);
        EACH x.c[c] = vfp_raw_add_words(&x.c[c], VFP_8P);
        EACH y.c[c] = vfp_raw_add_words(&y.c[c], VFP_8P);
        x = fe_reduce(&x);
        y = fe_reduce(&y);
        put(slots, at, left, &x, &y);
    }
}

/* Eight coordinates (normal, < 2q) to the caller's form; to[i] has room for IT_N. */
VFP_INLINE void put_limbs64(cuzk_fp *const *to, size_t lanes, const fe *v)
{
    EACH
    {
        const vfp t = vfp_reduce_once(&v->c[c]);
        __m512i w[8];
        vfp_to_limbs64(w, &t);
        vfp_transpose(w);
        for (size_t i = 0; i < lanes; i++) {
            _mm512_mask_storeu_epi64(to[i] + c, LIMBS6, w[i]);
        }
    }
}

static void store(void *out, const void *slots, const uint32_t *idx, size_t n)
{
    const vfp scale_x = vfp_broadcast(VFP_EXPORT_X), scale_y = vfp_broadcast(VFP_EXPORT_Y);
    const source s = {NULL, slots};
    IT_AFFINE *o = out;
    for (size_t i = 0; i < n; i += SET) {
        uint32_t p[SET][2];
        cuzk_fp *to_x[SET], *to_y[SET];
        const size_t left = n - i < SET ? n - i : SET;
        for (size_t j = 0; j < SET; j++) {
            const size_t k = j < left ? i + j : n - 1;
            p[j][0] = p[j][1] = idx[k];
            to_x[j] = (cuzk_fp *)(void *)&o[k].x;
            to_y[j] = (cuzk_fp *)(void *)&o[k].y;
        }
        fe x = get_x(&s, (const uint32_t(*)[2])p, 0, false);
        fe y = get_y(&s, (const uint32_t(*)[2])p, 0, false);
        EACH
        {
            vfp_mul(&x.c[c], &x.c[c], &scale_x);
            vfp_mul(&y.c[c], &y.c[c], &scale_y);
        }
        put_limbs64(to_x, left, &x);
        put_limbs64(to_y, left, &y);
    }
}

static void endo(void *endo_x, const void *bases, const uint32_t *idx, size_t n)
{
    static const uint64_t beta_words[8] = IT_BETA;
    const vfp beta = vfp_broadcast(beta_words), zero = vfp_broadcast(VFP_ZERO);
    const cuzk_msm_table t = {{bases, NULL, NULL}};
    for (size_t i = 0; i < n; i += SET) {
        fe x, w2;
        cuzk_fp *to[SET], *to2[SET];
        const size_t left = n - i < SET ? n - i : SET;
        for (size_t j = 0; j < SET; j++) {
            IT_FIELD *two = &((IT_FIELD *)endo_x)[2 * (size_t)idx[j < left ? i + j : n - 1]];
            to[j] = (cuzk_fp *)(void *)&two[0];
            to2[j] = (cuzk_fp *)(void *)&two[1];
        }
        EACH
        {
            __m512i r[8];
            for (size_t j = 0; j < SET; j++) {
                const uint32_t e = idx[j < left ? i + j : n - 1] << MSM_ENTRY_SHIFT;
                r[j] = _mm512_maskz_loadu_epi64(LIMBS6, entry_x(&t, e) + c);
            }
            vfp_transpose(r);
            x.c[c] = vfp_from_limbs64(r, 0);
            vfp_mul(&w2.c[c], &x.c[c], &beta);
        }
        /* w = -1 - w^2; what put_limbs64 makes of w^2 x is congruent, so this is below 2q too. */
        fe w = fe_raw_add(&x, &w2);
        EACH w.c[c] = vfp_raw_sub(&zero, &w.c[c]);
        EACH w.c[c] = vfp_raw_add_words(&w.c[c], VFP_8P);
        w = fe_reduce(&w);
        put_limbs64(to, left, &w);
        put_limbs64(to2, left, &w2);
    }
}

const cuzk_msm_engine IT_ENGINE = {
    .name = IT_NAME,
    .group = &IT_GROUP,
    .slot_bytes = sizeof(slot),
    .pair_bytes = sizeof(group_scratch) / GROUP,
    .lanes = GROUP,
    .add_ns = IT_ADD_NS,
    .load = load,
    .add_entries = add_entries,
    .add_slots = add_slots,
    .store = store,
    .endo = endo,
};
