/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Modular inversion by divsteps (Bernstein, Yang, "Fast constant-time gcd computation and modular
 * inversion", TCHES 2019(3), in the variant with delta starting at 1/2 of P. Wuille), included once
 * per field. Parameters: CUZK_MI_N (limbs of 62 bits), CUZK_MI_W (64-bit limbs), CUZK_MI_MOD (limb
 * list, 62 bits each), CUZK_MI_INV62 (mod^-1 mod 2^62), CUZK_MI_ONE (limb list of the number that
 * the inverse is multiplied by), CUZK_MI_BATCHES (batches of 62 divsteps that always suffice).
 *
 * Numbers are signed: limbs 0 to N-2 in [0, 2^62), the top limb carries the sign. f and g start as
 * modulus and input; 62 divsteps at a time are done on their low words and summed up in a matrix
 * t with entries |u|+|v|, |q|+|r| <= 2^62, which is then applied to (f, g) and, modulo the modulus,
 * to (d, e), with d * input = f * one and e * input = g * one throughout.
 */
#include <stdbool.h>
#include <stdint.h>

__extension__ typedef __int128 i128;

#define MASK62 ((int64_t)(UINT64_MAX >> 2))

typedef struct num {
    int64_t l[CUZK_MI_N];
} num;

typedef struct matrix {
    int64_t u, v, q, r;
} matrix;

static const num MODULUS = {CUZK_MI_MOD};

static void from_limbs(num *out, const uint64_t *in)
{
    for (int i = 0; i < CUZK_MI_N; i++) {
        const int bit = 62 * i, w = bit / 64, s = bit % 64;
        uint64_t x = w < CUZK_MI_W ? in[w] >> s : 0;
        if (s > 2 && w + 1 < CUZK_MI_W) {
            x |= in[w + 1] << (64 - s);
        }
        out->l[i] = (int64_t)(x & (uint64_t)MASK62);
    }
}

/* Pre: 0 <= in < 2^(64W). */
static void to_limbs(uint64_t *out, const num *in)
{
    for (int w = 0; w < CUZK_MI_W; w++) {
        const int i = 64 * w / 62, s = 64 * w % 62;
        uint64_t x = (uint64_t)in->l[i] >> s;
        if (i + 1 < CUZK_MI_N) {
            x |= (uint64_t)in->l[i + 1] << (62 - s);
        }
        if (s > 60 && i + 2 < CUZK_MI_N) {
            x |= (uint64_t)in->l[i + 2] << (124 - s);
        }
        out[w] = x;
    }
}

/* 62 divsteps on the low words of f (odd) and g. zeta = -(delta + 1/2). Constant time. */
static int64_t divsteps_ct(int64_t zeta, uint64_t f, uint64_t g, matrix *t)
{
    uint64_t u = 1, v = 0, q = 0, r = 1;
    for (int i = 0; i < 62; i++) {
        uint64_t c1 = (uint64_t)(zeta >> 63); /* delta > 0 */
        uint64_t c2 = 0 - (g & 1);            /* g odd */
        __asm__("" : "+r"(c1), "+r"(c2));     /* hides that these are masks: no branches */
        g += ((f ^ c1) - c1) & c2;            /* g odd: g += f, or g -= f for delta > 0 */
        q += ((u ^ c1) - c1) & c2;
        r += ((v ^ c1) - c1) & c2;
        c1 &= c2; /* swap: f becomes the old g */
        zeta = (zeta ^ (int64_t)c1) - 1;
        f += g & c1;
        u += q & c1;
        v += r & c1;
        g >>= 1;
        u <<= 1;
        v <<= 1;
    }
    *t = (matrix){(int64_t)u, (int64_t)v, (int64_t)q, (int64_t)r};
    return zeta;
}

/* The same divsteps in variable time: runs of even g at once, and up to 6 odd steps by one multiple of f. eta = -delta, delta from 1. */
static int64_t divsteps_var(int64_t eta, uint64_t f, uint64_t g, matrix *t)
{
    uint64_t u = 1, v = 0, q = 0, r = 1;
    int left = 62;
    for (;;) {
        const int zeros = __builtin_ctzll(g | UINT64_MAX << left);
        g >>= zeros;
        u <<= zeros;
        v <<= zeros;
        eta -= zeros;
        left -= zeros;
        if (left == 0) {
            break;
        }
        uint64_t w, x;
        if (eta < 0) {
            eta = -eta;
            x = f;
            f = g;
            g = 0 - x;
            x = u;
            u = q;
            q = 0 - x;
            x = v;
            v = r;
            r = 0 - x;
            /* No further swap in the next eta + 1 steps: w = -g/f mod 2^6, by Newton from f*f = 1 mod 8. */
            const int limit = (int)(eta + 1 > left ? left : eta + 1);
            w = (f * g * (f * f - 2)) & (UINT64_MAX >> (64 - limit)) & 63;
        } else {
            /* Fewer steps are typical here: -g/f mod 2^4. */
            const int limit = (int)(eta + 1 > left ? left : eta + 1);
            w = f + (((f + 1) & 4) << 1);
            w = (0 - w * g) & (UINT64_MAX >> (64 - limit)) & 15;
        }
        g += f * w;
        q += u * w;
        r += v * w;
    }
    *t = (matrix){(int64_t)u, (int64_t)v, (int64_t)q, (int64_t)r};
    return eta;
}

/* (f, g) := t (f, g) / 2^62, exact; only limbs below len are read and written. */
static inline __attribute__((always_inline)) void update_fg(num *f, num *g, const matrix *t,
                                                            int len)
{
    i128 cf = (i128)t->u * f->l[0] + (i128)t->v * g->l[0];
    i128 cg = (i128)t->q * f->l[0] + (i128)t->r * g->l[0];
    cf >>= 62;
    cg >>= 62;
    for (int i = 1; i < len; i++) {
        const int64_t fi = f->l[i], gi = g->l[i];
        cf += (i128)t->u * fi + (i128)t->v * gi;
        cg += (i128)t->q * fi + (i128)t->r * gi;
        f->l[i - 1] = (int64_t)cf & MASK62;
        g->l[i - 1] = (int64_t)cg & MASK62;
        cf >>= 62;
        cg >>= 62;
    }
    f->l[len - 1] = (int64_t)cf;
    g->l[len - 1] = (int64_t)cg;
}

/* (d, e) := t (d, e) / 2^62 mod mod; both stay in (-2 mod, mod). */
static inline __attribute__((always_inline)) void update_de(num *d, num *e, const matrix *t)
{
    const int64_t sd = d->l[CUZK_MI_N - 1] >> 63, se = e->l[CUZK_MI_N - 1] >> 63;
    int64_t md = (t->u & sd) + (t->v & se); /* add mod once to a negative d or e */
    int64_t me = (t->q & sd) + (t->r & se);
    i128 cd = (i128)t->u * d->l[0] + (i128)t->v * e->l[0];
    i128 ce = (i128)t->q * d->l[0] + (i128)t->r * e->l[0];
    /* and make the sum divisible by 2^62 with a multiple of mod */
    md -= (int64_t)((CUZK_MI_INV62 * (uint64_t)cd + (uint64_t)md) & (uint64_t)MASK62);
    me -= (int64_t)((CUZK_MI_INV62 * (uint64_t)ce + (uint64_t)me) & (uint64_t)MASK62);
    cd += (i128)MODULUS.l[0] * md;
    ce += (i128)MODULUS.l[0] * me;
    cd >>= 62;
    ce >>= 62;
    for (int i = 1; i < CUZK_MI_N; i++) {
        const int64_t di = d->l[i], ei = e->l[i];
        cd += (i128)t->u * di + (i128)t->v * ei + (i128)MODULUS.l[i] * md;
        ce += (i128)t->q * di + (i128)t->r * ei + (i128)MODULUS.l[i] * me;
        d->l[i - 1] = (int64_t)cd & MASK62;
        e->l[i - 1] = (int64_t)ce & MASK62;
        cd >>= 62;
        ce >>= 62;
    }
    d->l[CUZK_MI_N - 1] = (int64_t)cd;
    e->l[CUZK_MI_N - 1] = (int64_t)ce;
}

static void carry(num *a)
{
    for (int i = 0; i < CUZK_MI_N - 1; i++) {
        a->l[i + 1] += a->l[i] >> 62;
        a->l[i] &= MASK62;
    }
}

/* d in (-2 mod, mod) to [0, mod), negated first when sign < 0. Constant time. */
static void normalise(num *d, int64_t sign)
{
    int64_t add = d->l[CUZK_MI_N - 1] >> 63;
    const int64_t neg = sign >> 63;
    for (int i = 0; i < CUZK_MI_N; i++) {
        d->l[i] = ((d->l[i] + (MODULUS.l[i] & add)) ^ neg) - neg; /* now in (-mod, mod) */
    }
    carry(d);
    add = d->l[CUZK_MI_N - 1] >> 63;
    for (int i = 0; i < CUZK_MI_N; i++) {
        d->l[i] += MODULUS.l[i] & add;
    }
    carry(d);
}

static void inverse_ct(uint64_t *out, const uint64_t *in)
{
    num f = MODULUS, g, d = {{0}}, e = {CUZK_MI_ONE};
    int64_t zeta = -1;
    from_limbs(&g, in);
    for (int i = 0; i < CUZK_MI_BATCHES; i++) {
        matrix t;
        zeta = divsteps_ct(zeta, (uint64_t)f.l[0], (uint64_t)g.l[0], &t);
        update_de(&d, &e, &t);
        update_fg(&f, &g, &t, CUZK_MI_N);
    }
    normalise(&d, f.l[CUZK_MI_N - 1]); /* g = 0, f = +-1 (or +-mod for input 0, with d = 0) */
    to_limbs(out, &d);
}

static void inverse_var(uint64_t *out, const uint64_t *in)
{
    num f = MODULUS, g, d = {{0}}, e = {CUZK_MI_ONE};
    int64_t eta = -1;
    int len = CUZK_MI_N;
    from_limbs(&g, in);
    for (;;) {
        matrix t;
        int64_t any = 0;
        eta = divsteps_var(eta, (uint64_t)f.l[0], (uint64_t)g.l[0], &t);
        update_de(&d, &e, &t);
        update_fg(&f, &g, &t, len);
        for (int i = 0; i < len; i++) {
            any |= g.l[i];
        }
        if (any == 0) {
            break;
        }
        /* Drop a top limb that is only a sign, moving it into the limb below. */
        const int64_t ft = f.l[len - 1], gt = g.l[len - 1];
        if (len > 1 && (ft ^ ft >> 63) == 0 && (gt ^ gt >> 63) == 0) {
            f.l[len - 2] |= (int64_t)((uint64_t)ft << 62);
            g.l[len - 2] |= (int64_t)((uint64_t)gt << 62);
            len--;
        }
    }
    normalise(&d, f.l[len - 1]);
    to_limbs(out, &d);
}

#undef CUZK_MI_N
#undef CUZK_MI_W
#undef CUZK_MI_MOD
#undef CUZK_MI_INV62
#undef CUZK_MI_ONE
#undef CUZK_MI_BATCHES
