/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The engine of one group in plain field operations; included once per group.
 * Parameters: MT_G (g1 or g2), MT_F (fp or fp2), MT_GROUP and MT_ENGINE (names of the objects), MT_NAME,
 * MT_ADD_NS, MT_ACC_NS, MT_W2_MUL(out, x) (out = w^2 x), MT_DIF(out, a, b) (out = a - b, as a factor of a
 * product: may be unreduced), MT_NO_DIF(d) (is that of equal ones), MT_SUB(out, a, b), MT_SUB2(out, a, b, c)
 * (out = a - b - c), MT_SIGN(out, a, negative) (out = a or -a, a not zero).
 *
 * Batched affine addition: lambda = (y2 - y1) / (x2 - x1), x3 = lambda^2 - x1 - x2,
 * y3 = lambda (x1 - x3) - y1, all denominators of a batch inverted together (Montgomery's trick):
 * 5M + 1S per addition and a share of one inversion. Doublings put 3 x1^2 over 2 y1 instead.
 */
#define MT_CAT_(a, b, c, d) a##b##c##d
#define MT_CAT(a, b, c, d)  MT_CAT_(a, b, c, d)
#define PT                  MT_CAT(cuzk_, MT_G, _affine, )
#define PTFN(f)             MT_CAT(cuzk_, MT_G, _, f)
#define JAC                 MT_CAT(cuzk_, MT_G, , )
#define FE                  MT_CAT(cuzk_, MT_F, , )
#define FF(f)               MT_CAT(cuzk_, MT_F, _, f)

typedef enum pair_kind { PAIR_ADD, PAIR_DOUBLE, PAIR_FIRST, PAIR_SECOND, PAIR_CANCEL } pair_kind;

typedef struct pair_scratch {
    FE prefix; /* product of the denominators before this one */
    FE den;
    uint64_t kind;
} pair_scratch;

CUZK_STATIC_ASSERT(sizeof(PT) == 2 * sizeof(FE), "a base is x and y");

static inline const FE *entry_x(const cuzk_msm_table *t, uint32_t e)
{
    return &((const PT *)t->x[(e & MSM_ENTRY_UNIT) >> 1])[e >> MSM_ENTRY_SHIFT].x;
}

static inline void entry_y(FE *y, const cuzk_msm_table *t, uint32_t e)
{
    MT_SIGN(y, &((const PT *)t->x[0])[e >> MSM_ENTRY_SHIFT].y, (e & MSM_ENTRY_NEG) != 0);
}

static inline void entry_prefetch(const cuzk_msm_table *t, uint32_t e)
{
    const char *x = (const char *)entry_x(t, e);
    const char *y = (const char *)&((const PT *)t->x[0])[e >> MSM_ENTRY_SHIFT].y;
    __builtin_prefetch(x);
    __builtin_prefetch(x + sizeof(FE) - 1);
    __builtin_prefetch(y);
    __builtin_prefetch(y + sizeof(FE) - 1);
}

/* Which of the five cases, and the denominator where there is one. Both points are finite. */
static inline pair_kind denominator(FE *den, const FE *x1, const FE *y1, const FE *x2, const FE *y2)
{
    MT_DIF(den, x2, x1);
    if (!MT_NO_DIF(den)) {
        return PAIR_ADD;
    }
    FF(dbl)(den, y1);
    /* Not equal: opposite. Zero: a point of order two, outside the subgroup. */
    return FF(eq)(y1, y2) && !FF(is_zero)(den) ? PAIR_DOUBLE : PAIR_CANCEL;
}

/*
 * Products of the denominators so far, in two independent chains (even and odd pairs), because
 * one would wait for the latency of the multiplier.
 */
static inline void chain_push(FE acc[2], pair_scratch *s, size_t i)
{
    s->prefix = acc[i & 1];
    if (s->kind <= PAIR_DOUBLE) {
        FF(mul)(&acc[i & 1], &acc[i & 1], &s->den);
    }
}

static inline void chain_invert(FE acc[2])
{
    FE all, even;
    FF(mul)(&all, &acc[0], &acc[1]);
    FF(inv)(&all, &all);
    FF(mul)(&even, &all, &acc[1]);
    FF(mul)(&acc[1], &all, &acc[0]);
    acc[0] = even;
}

/* The inverse of the denominator of pair i; pairs come in falling order. */
static inline void chain_pop(FE *inv, FE acc[2], const pair_scratch *s, size_t i)
{
    FF(mul)(inv, &acc[i & 1], &s->prefix);
    FF(mul)(&acc[i & 1], &acc[i & 1], &s->den);
}

/* out = the sum, from the inverted denominator. out may be the place of either operand. */
static inline void finish(PT *out, pair_kind kind, const FE *inv, const FE *x1, const FE *y1,
                          const FE *x2, const FE *y2)
{
    FE l, x3, t;
    if (kind == PAIR_DOUBLE) {
        FF(sqr)(&l, x1);
        FF(dbl)(&t, &l);
        FF(add)(&l, &l, &t);
    } else {
        MT_DIF(&l, y2, y1);
    }
    FF(mul)(&l, &l, inv);
    FF(sqr)(&x3, &l);
    MT_SUB2(&x3, &x3, x1, x2);
    MT_DIF(&t, x1, &x3);
    FF(mul)(&t, &t, &l);
    MT_SUB(&out->y, &t, y1);
    out->x = x3;
}

/*
 * Two plain additions by turns. A product takes about as long as the processor looks ahead, so that the
 * differences between the products of one addition would leave the multiplier idle: 20 % of the time.
 */
typedef struct plain_sum {
    PT *out; /* may be the place of either operand */
    const FE *x1, *y1, *x2, *y2;
} plain_sum;

static inline void finish_two(const plain_sum p[2], FE acc[2], const pair_scratch *s, size_t i)
{
    FE inv[2], l[2], x3[2], t[2];
    FF(mul)(&inv[0], &acc[i & 1], &s[i].prefix);
    FF(mul)(&inv[1], &acc[~i & 1], &s[i - 1].prefix);
    FF(mul)(&acc[i & 1], &acc[i & 1], &s[i].den);
    FF(mul)(&acc[~i & 1], &acc[~i & 1], &s[i - 1].den);
    MT_DIF(&l[0], p[0].y2, p[0].y1);
    MT_DIF(&l[1], p[1].y2, p[1].y1);
    FF(mul)(&l[0], &l[0], &inv[0]);
    FF(mul)(&l[1], &l[1], &inv[1]);
    FF(sqr)(&x3[0], &l[0]);
    FF(sqr)(&x3[1], &l[1]);
    MT_SUB2(&x3[0], &x3[0], p[0].x1, p[0].x2);
    MT_DIF(&t[0], p[0].x1, &x3[0]);
    FF(mul)(&t[0], &t[0], &l[0]);
    MT_SUB2(&x3[1], &x3[1], p[1].x1, p[1].x2);
    MT_DIF(&t[1], p[1].x1, &x3[1]);
    FF(mul)(&t[1], &t[1], &l[1]);
    MT_SUB(&p[0].out->y, &t[0], p[0].y1);
    MT_SUB(&p[1].out->y, &t[1], p[1].y1);
    p[0].out->x = x3[0];
    p[1].out->x = x3[1];
}

static inline bool two_plain(const pair_scratch *s, size_t i)
{
    return i > 0 && (s[i].kind | s[i - 1].kind) == PAIR_ADD;
}

static void load(void *slots, size_t first, const cuzk_msm_table *t, const uint32_t *e, size_t n)
{
    PT *out = (PT *)slots + first;
    for (size_t i = 0; i < n; i++) {
        out[i].x = *entry_x(t, e[i]);
        entry_y(&out[i].y, t, e[i]);
    }
}

static void add_entries(void *slots, size_t first, const cuzk_msm_table *t, const uint32_t (*e)[2],
                        size_t n, void *scratch)
{
    enum { AHEAD = 8, BACK = 3 };
    PT *out = (PT *)slots + first;
    pair_scratch *s = scratch;
    FE acc[2] = {ONE, ONE};
    for (size_t i = 0; i < n; i++) {
        const size_t ahead = i + AHEAD < n ? i + AHEAD : n - 1;
        entry_prefetch(t, e[ahead][0]);
        entry_prefetch(t, e[ahead][1]);
        const FE *x1 = entry_x(t, e[i][0]), *x2 = entry_x(t, e[i][1]);
        MT_DIF(&s[i].den, x2, x1);
        s[i].kind = PAIR_ADD;
        if (MT_NO_DIF(&s[i].den)) {
            FE y1, y2;
            entry_y(&y1, t, e[i][0]);
            entry_y(&y2, t, e[i][1]);
            s[i].kind = denominator(&s[i].den, x1, &y1, x2, &y2);
        }
        chain_push(acc, &s[i], i);
    }
    chain_invert(acc);
    for (size_t i = n; i-- > 0;) {
        for (size_t k = BACK; k < BACK + 2; k++) {
            const size_t next = i > k ? i - k : 0;
            entry_prefetch(t, e[next][0]);
            entry_prefetch(t, e[next][1]);
        }
        FE inv, y1, y2;
        if (two_plain(s, i)) {
            FE y[2][2];
            plain_sum p[2];
            for (size_t k = 0; k < 2; k++) {
                const uint32_t *pair = e[i - k];
                entry_y(&y[k][0], t, pair[0]);
                entry_y(&y[k][1], t, pair[1]);
                p[k] = (plain_sum){&out[i - k], entry_x(t, pair[0]), &y[k][0], entry_x(t, pair[1]),
                                   &y[k][1]};
            }
            finish_two(p, acc, s, i);
            i--;
            continue;
        }
        if (s[i].kind == PAIR_CANCEL) {
            memset(&out[i], 0, sizeof(out[i]));
            continue;
        }
        entry_y(&y1, t, e[i][0]);
        entry_y(&y2, t, e[i][1]);
        chain_pop(&inv, acc, &s[i], i);
        finish(&out[i], (pair_kind)s[i].kind, &inv, entry_x(t, e[i][0]), &y1, entry_x(t, e[i][1]),
               &y2);
    }
}

/* Nearly always the first limb says no. */
static inline bool slot_infinity(const PT *p)
{
    uint64_t first;
    memcpy(&first, p, sizeof(first));
    return first == 0 && PTFN(affine_is_infinity)(p);
}

static void add_slots(void *slots, const uint32_t (*p)[2], size_t n, void *scratch)
{
    PT *pt = slots;
    pair_scratch *s = scratch;
    FE acc[2] = {ONE, ONE};
    for (size_t i = 0; i < n; i++) {
        const PT *a = &pt[p[i][0]], *b = &pt[p[i][1]];
        if (slot_infinity(b)) {
            s[i].kind = PAIR_FIRST;
        } else if (slot_infinity(a)) {
            s[i].kind = PAIR_SECOND;
        } else {
            s[i].kind = denominator(&s[i].den, &a->x, &a->y, &b->x, &b->y);
        }
        chain_push(acc, &s[i], i);
    }
    chain_invert(acc);
    for (size_t i = n; i-- > 0;) {
        PT *a = &pt[p[i][0]];
        const PT *b = &pt[p[i][1]];
        if (two_plain(s, i)) {
            PT *c = &pt[p[i - 1][0]];
            const PT *d = &pt[p[i - 1][1]];
            const plain_sum two[2] = {{a, &a->x, &a->y, &b->x, &b->y},
                                      {c, &c->x, &c->y, &d->x, &d->y}};
            finish_two(two, acc, s, i);
            i--;
            continue;
        }
        if (s[i].kind <= PAIR_DOUBLE) {
            FE inv;
            chain_pop(&inv, acc, &s[i], i);
            finish(a, (pair_kind)s[i].kind, &inv, &a->x, &a->y, &b->x, &b->y);
        } else if (s[i].kind == PAIR_SECOND) {
            *a = *b;
        } else if (s[i].kind == PAIR_CANCEL) {
            memset(a, 0, sizeof(*a));
        }
    }
}

static void store(void *out, const void *slots, const uint32_t *idx, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        ((PT *)out)[i] = ((const PT *)slots)[idx[i]];
    }
}

static void endo(void *endo_x, const void *bases, const uint32_t *idx, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const FE *x = &((const PT *)bases)[idx[i]].x;
        FE *to = &((FE *)endo_x)[2 * (size_t)idx[i]];
        MT_W2_MUL(&to[1], x);
        FF(add)(&to[0], &to[1], x); /* w = -1 - w^2 */
        FF(neg)(&to[0], &to[0]);
    }
}

static bool base_is_infinity(const void *bases, size_t i)
{
    return PTFN(affine_is_infinity)(&((const PT *)bases)[i]);
}

static void acc_clear(cuzk_msm_acc *a)
{
    PTFN(set_infinity)(&a->MT_G);
}

static void acc_dbl(cuzk_msm_acc *a)
{
    PTFN(dbl)(&a->MT_G, &a->MT_G);
}

static void acc_add(cuzk_msm_acc *a, const cuzk_msm_acc *b)
{
    PTFN(add)(&a->MT_G, &a->MT_G, &b->MT_G);
}

static void acc_add_affine(cuzk_msm_acc *a, const void *p)
{
    PTFN(add_affine)(&a->MT_G, &a->MT_G, (const PT *)p);
}

static void acc_zeta(cuzk_msm_acc *a)
{
    MT_W2_MUL(&a->MT_G.x, &a->MT_G.x);
    PTFN(neg)(&a->MT_G, &a->MT_G);
}

static void acc_add_mul(cuzk_msm_acc *a, const void *p, const cuzk_scalar *s)
{
    cuzk_msm_acc t;
    PTFN(from_affine)(&t.MT_G, (const PT *)p);
    PTFN(mul)(&t.MT_G, &t.MT_G, s);
    acc_add(a, &t);
}

static void acc_to_affine(void *out, const cuzk_msm_acc *a)
{
    PTFN(to_affine)((PT *)out, &a->MT_G);
}

static void multiples(void *out, const cuzk_msm_acc *p, size_t n, void *scratch)
{
    JAC *v = scratch;
    PT base;
    PTFN(to_affine)(&base, &p->MT_G);
    PTFN(from_affine)(&v[0], &base);
    for (size_t i = 1; i < n; i++) {
        PTFN(add_affine)(&v[i], &v[i - 1], &base);
    }
    PTFN(batch_to_affine)((PT *)out, v, (FE *)(v + n), n);
}

const cuzk_msm_group MT_GROUP = {
    .affine_bytes = sizeof(PT),
    .coord_bytes = sizeof(FE),
    .multiple_bytes = sizeof(JAC) + sizeof(FE),
    .acc_ns = MT_ACC_NS,
    .base_is_infinity = base_is_infinity,
    .acc_clear = acc_clear,
    .acc_dbl = acc_dbl,
    .acc_add = acc_add,
    .acc_add_affine = acc_add_affine,
    .acc_zeta = acc_zeta,
    .acc_add_mul = acc_add_mul,
    .acc_to_affine = acc_to_affine,
    .multiples = multiples,
};

const cuzk_msm_engine MT_ENGINE = {
    .name = MT_NAME,
    .group = &MT_GROUP,
    .slot_bytes = sizeof(PT),
    .pair_bytes = sizeof(pair_scratch),
    .lanes = 1,
    .add_ns = MT_ADD_NS,
    .load = load,
    .add_entries = add_entries,
    .add_slots = add_slots,
    .store = store,
    .endo = endo,
};
