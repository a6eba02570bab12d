/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_ACCEL_CUDA_FP_INV_DEV_CUH
#define CUZK_ACCEL_CUDA_FP_INV_DEV_CUH

/*
 * Inversion in Fp by divsteps, as ff/modinv62_tmpl.h (same references) with limbs of 30 bits: 30
 * batches of 30 divsteps, the same for every input, so that a warp keeps together.
 */
#include "mont_dev.cuh"

#define INV_LIMBS   13 /* signed, limbs 0 to 11 in [0, 2^30) */
#define INV_BATCHES 30 /* 30 * 30 >= 878 divsteps, the bound for 381 bits */
#define INV_MASK    ((int32_t)0x3fffffff)

struct inv_num {
    int32_t l[INV_LIMBS];
};

/* Limb i of 30 bits of a number of six limbs of 64. */
static CUZK_HD constexpr int32_t inv_limb(const uint64_t (&m)[6], int i)
{
    const int bit = 30 * i, w = bit / 64, s = bit % 64;
    uint64_t x = m[w] >> s;
    if (s > 34 && w + 1 < 6) {
        x |= m[w + 1] << (64 - s);
    }
    return (int32_t)(x & (uint64_t)INV_MASK);
}

static CUZK_HD constexpr int32_t inv_mod(int i)
{
    constexpr uint64_t m[6] = CUZK_FP_MOD_LIMBS;
    return inv_limb(m, i);
}

/* 2^768 mod q: what the inverse is multiplied by, (aR)^-1 R^2 = a^-1 R. */
static CUZK_HD constexpr int32_t inv_start(int i)
{
    constexpr uint64_t m[6] = CUZK_FP_R2_LIMBS;
    return inv_limb(m, i);
}

struct inv_matrix {
    int32_t u, v, q, r;
};

/* 30 divsteps on the low words of f (odd) and g; zeta = -(delta + 1/2). */
CUZK_DEV int32_t inv_divsteps(int32_t zeta, uint32_t f, uint32_t g, inv_matrix &t)
{
    uint32_t u = 1, v = 0, q = 0, r = 1;
#pragma unroll 6
    for (int i = 0; i < 30; i++) {
        uint32_t c1 = (uint32_t)(zeta >> 31); /* delta > 0 */
        const uint32_t c2 = 0 - (g & 1);      /* g odd */
        g += ((f ^ c1) - c1) & c2;            /* g odd: g += f, or g -= f for delta > 0 */
        q += ((u ^ c1) - c1) & c2;
        r += ((v ^ c1) - c1) & c2;
        c1 &= c2; /* swap: f becomes the old g */
        zeta = (zeta ^ (int32_t)c1) - 1;
        f += g & c1;
        u += q & c1;
        v += r & c1;
        g >>= 1;
        u <<= 1;
        v <<= 1;
    }
    t.u = (int32_t)u;
    t.v = (int32_t)v;
    t.q = (int32_t)q;
    t.r = (int32_t)r;
    return zeta;
}

/* (f, g) := t (f, g) / 2^30, exact. */
CUZK_DEV void inv_update_fg(inv_num &f, inv_num &g, const inv_matrix &t)
{
    int64_t cf = (int64_t)t.u * f.l[0] + (int64_t)t.v * g.l[0];
    int64_t cg = (int64_t)t.q * f.l[0] + (int64_t)t.r * g.l[0];
    cf >>= 30;
    cg >>= 30;
#pragma unroll
    for (int i = 1; i < INV_LIMBS; i++) {
        cf += (int64_t)t.u * f.l[i] + (int64_t)t.v * g.l[i];
        cg += (int64_t)t.q * f.l[i] + (int64_t)t.r * g.l[i];
        f.l[i - 1] = (int32_t)cf & INV_MASK;
        g.l[i - 1] = (int32_t)cg & INV_MASK;
        cf >>= 30;
        cg >>= 30;
    }
    f.l[INV_LIMBS - 1] = (int32_t)cf;
    g.l[INV_LIMBS - 1] = (int32_t)cg;
}

/* (d, e) := t (d, e) / 2^30 mod q; both stay in (-2q, q). */
CUZK_DEV void inv_update_de(inv_num &d, inv_num &e, const inv_matrix &t)
{
    const int32_t sd = d.l[INV_LIMBS - 1] >> 31, se = e.l[INV_LIMBS - 1] >> 31;
    int32_t md = (t.u & sd) + (t.v & se); /* add q once to a negative d or e */
    int32_t me = (t.q & sd) + (t.r & se);
    int64_t cd = (int64_t)t.u * d.l[0] + (int64_t)t.v * e.l[0];
    int64_t ce = (int64_t)t.q * d.l[0] + (int64_t)t.r * e.l[0];
    /* and make the sum divisible by 2^30 with a multiple of q; fp_field::inv = -1/q */
    const uint32_t inv = 0u - fp_field::inv;
    md -= (int32_t)((inv * (uint32_t)cd + (uint32_t)md) & (uint32_t)INV_MASK);
    me -= (int32_t)((inv * (uint32_t)ce + (uint32_t)me) & (uint32_t)INV_MASK);
    cd += (int64_t)inv_mod(0) * md;
    ce += (int64_t)inv_mod(0) * me;
    cd >>= 30;
    ce >>= 30;
#pragma unroll
    for (int i = 1; i < INV_LIMBS; i++) {
        cd += (int64_t)t.u * d.l[i] + (int64_t)t.v * e.l[i] + (int64_t)inv_mod(i) * md;
        ce += (int64_t)t.q * d.l[i] + (int64_t)t.r * e.l[i] + (int64_t)inv_mod(i) * me;
        d.l[i - 1] = (int32_t)cd & INV_MASK;
        e.l[i - 1] = (int32_t)ce & INV_MASK;
        cd >>= 30;
        ce >>= 30;
    }
    d.l[INV_LIMBS - 1] = (int32_t)cd;
    e.l[INV_LIMBS - 1] = (int32_t)ce;
}

CUZK_DEV void inv_carry(inv_num &a)
{
#pragma unroll
    for (int i = 0; i < INV_LIMBS - 1; i++) {
        a.l[i + 1] += a.l[i] >> 30;
        a.l[i] &= INV_MASK;
    }
}

/* d in (-2q, q) to [0, q), negated first when sign < 0. */
CUZK_DEV void inv_normalise(inv_num &d, int32_t sign)
{
    int32_t add = d.l[INV_LIMBS - 1] >> 31;
    const int32_t neg = sign >> 31;
#pragma unroll
    for (int i = 0; i < INV_LIMBS; i++) {
        d.l[i] = ((d.l[i] + (inv_mod(i) & add)) ^ neg) - neg; /* now in (-q, q) */
    }
    inv_carry(d);
    add = d.l[INV_LIMBS - 1] >> 31;
#pragma unroll
    for (int i = 0; i < INV_LIMBS; i++) {
        d.l[i] += inv_mod(i) & add;
    }
    inv_carry(d);
}

/** An inversion that is under way; it may be put off between batches. */
struct fp_inv_state {
    inv_num f, g, d, e;
    int32_t zeta;
};

/** Of a (< 2q, Montgomery form). */
CUZK_DEV void fp_inv_begin(fp_inv_state &s, dfp a)
{
    mont_canon(a);
#pragma unroll
    for (int i = 0; i < INV_LIMBS; i++) {
        const int w = 30 * i / 32, shift = 30 * i % 32;
        const uint32_t hi = w + 1 < fp_field::N ? a.l[w + 1 < fp_field::N ? w + 1 : 0] : 0;
        s.g.l[i] = (int32_t)__funnelshift_r(a.l[w], hi, shift) & INV_MASK;
        s.f.l[i] = inv_mod(i);
        s.d.l[i] = 0;
        s.e.l[i] = inv_start(i);
    }
    s.zeta = -1;
}

/** `batches` of the INV_BATCHES that an inversion has. */
CUZK_DEV void fp_inv_go_on(fp_inv_state &s, int batches)
{
#pragma unroll 1
    for (int i = 0; i < batches; i++) {
        inv_matrix t;
        s.zeta = inv_divsteps(s.zeta, (uint32_t)s.f.l[0], (uint32_t)s.g.l[0], t);
        inv_update_de(s.d, s.e, t);
        inv_update_fg(s.f, s.g, t);
    }
}

/** The inverse after all batches, in Montgomery form, reduced; 0 for 0. */
CUZK_DEV void fp_inv_end(dfp &out, fp_inv_state &s)
{
    inv_num &d = s.d;
    inv_normalise(d, s.f.l[INV_LIMBS - 1]); /* g = 0, f = +-1 (or +-q for input 0, with d = 0) */
#pragma unroll
    for (int w = 0; w < fp_field::N; w++) {
        const int i = 32 * w / 30, shift = 32 * w % 30;
        uint32_t x = (uint32_t)d.l[i] >> shift | (uint32_t)d.l[i + 1] << (30 - shift);
        if (shift > 28 && i + 2 < INV_LIMBS) {
            x |= (uint32_t)d.l[i + 2 < INV_LIMBS ? i + 2 : 0] << (60 - shift);
        }
        out.l[w] = x;
    }
}

/** The inverse of a (< 2q, Montgomery form in and out), reduced; 0 gives 0. */
static __device__ __noinline__ dfp fp_inv_call(dfp a)
{
    fp_inv_state s;
    dfp out;
    fp_inv_begin(s, a);
    fp_inv_go_on(s, INV_BATCHES);
    fp_inv_end(out, s);
    return out;
}

#endif /* CUZK_ACCEL_CUDA_FP_INV_DEV_CUH */
