/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_ACCEL_CUDA_G1_DEV_CUH
#define CUZK_ACCEL_CUDA_G1_DEV_CUH

/*
 * G1 on the device in XYZZ coordinates (hyperelliptic.org EFD, short Weierstrass xyzz, a = 0).
 * Coordinates are lazy (< 2q); infinity has zz with all limbs zero, and only infinity has zz = 0
 * modulo q. Additions are complete. In memory: cuzk_g1_xyzz and cuzk_g1_affine, the first lazy.
 */
#include "ec/g1.h"

#include "mont_dev.cuh"

struct dg1_affine {
    dfp x, y;
};
struct dg1 {
    dfp x, y, zz, zzz;
};

CUZK_DEV void dg1_load(dg1 &out, const cuzk_g1_xyzz *p)
{
    mont_load(out.x, &p->x);
    mont_load(out.y, &p->y);
    mont_load(out.zz, &p->zz);
    mont_load(out.zzz, &p->zzz);
}

CUZK_DEV void dg1_store(cuzk_g1_xyzz *p, const dg1 &a)
{
    mont_store(&p->x, a.x);
    mont_store(&p->y, a.y);
    mont_store(&p->zz, a.zz);
    mont_store(&p->zzz, a.zzz);
}

CUZK_DEV void dg1_infinity(dg1 &a)
{
    mont_zero(a.x);
    mont_zero(a.y);
    mont_zero(a.zz);
    mont_zero(a.zzz);
}

CUZK_DEV bool dg1_is_infinity(const dg1 &a)
{
    return mont_is_null(a.zz);
}

/** a = 2a, a not infinity: 6M + 3S. No point of the group has y = 0. */
CUZK_DEV void dg1_dbl(dg1 &a)
{
    dfp u, v, w, s, m;
    mont_add(u, a.y, a.y);
    mont_mul(v, u, u);
    mont_mul(w, u, v);
    mont_mul(s, a.x, v);
    mont_mul(m, a.x, a.x);
    mont_add(u, m, m);
    mont_add(m, u, m);
    mont_mul(a.zz, v, a.zz);
    mont_mul(a.zzz, w, a.zzz);
    mont_mul(w, w, a.y);
    mont_mul(a.x, m, m);
    mont_sub(a.x, a.x, s);
    mont_sub(a.x, a.x, s);
    mont_sub(s, s, a.x);
    mont_mul(a.y, m, s);
    mont_sub(a.y, a.y, w);
}

/* The rare doublings are calls: inlined, they would double the code of every addition. */
static __device__ __noinline__ void dg1_dbl_call(dg1 *a)
{
    dg1_dbl(*a);
}

/* The common end of both additions: a's x, y times the other's zz and zzz are already in place.
 * p = U2 - U1, r = S2 - S1, not zero both; writes x, y and multiplies zz, zzz. */
CUZK_DEV void dg1_finish(dg1 &a, const dfp &p, const dfp &r)
{
    dfp pp, ppp, q;
    mont_mul(pp, p, p);
    mont_mul(ppp, pp, p);
    mont_mul(a.zz, a.zz, pp);
    mont_mul(a.zzz, a.zzz, ppp);
    mont_mul(q, a.x, pp);
    mont_mul(a.x, r, r);
    mont_sub(a.x, a.x, ppp);
    mont_sub(a.x, a.x, q);
    mont_sub(a.x, a.x, q);
    mont_sub(q, q, a.x);
    mont_neg_lazy(ppp);
    mont_mul2(a.y, r, q, a.y, ppp); /* r (q - x3) - y1 ppp: one reduction less */
}

/** a = b, b not infinity. */
CUZK_DEV void dg1_from_affine(dg1 &a, const dg1_affine &b)
{
    a.x = b.x;
    a.y = b.y;
    mont_one(a.zz);
    mont_one(a.zzz);
}

/** a += b, b not infinity: 8M + 2S. */
CUZK_DEV void dg1_add_affine(dg1 &a, const dg1_affine &b)
{
    if (dg1_is_infinity(a)) {
        dg1_from_affine(a, b);
        return;
    }
    dfp p, r;
    mont_mul(p, a.zz, b.x);
    mont_sub(p, p, a.x);
    mont_mul(r, a.zzz, b.y);
    mont_sub(r, r, a.y);
    if (mont_is_zero(p)) {
        if (mont_is_zero(r)) {
            dg1 t; /* not a: its address must not leave the registers */
            dg1_from_affine(t, b);
            dg1_dbl_call(&t);
            a = t;
        } else {
            dg1_infinity(a);
        }
        return;
    }
    dg1_finish(a, p, r);
}

/** a += b: 12M + 2S. */
CUZK_DEV void dg1_add(dg1 &a, const dg1 &b)
{
    if (dg1_is_infinity(b)) {
        return;
    }
    if (dg1_is_infinity(a)) {
        a = b;
        return;
    }
    dfp p, r, x, y;
    mont_mul(x, a.x, b.zz);
    mont_mul(p, b.x, a.zz);
    mont_sub(p, p, x);
    mont_mul(y, a.y, b.zzz);
    mont_mul(r, b.y, a.zzz);
    mont_sub(r, r, y);
    if (mont_is_zero(p)) {
        if (mont_is_zero(r)) {
            dg1 t = a;
            dg1_dbl_call(&t);
            a = t;
        } else {
            dg1_infinity(a);
        }
        return;
    }
    a.x = x;
    a.y = y;
    mont_mul(a.zz, a.zz, b.zz);
    mont_mul(a.zzz, a.zzz, b.zzz);
    dg1_finish(a, p, r);
}

#endif /* CUZK_ACCEL_CUDA_G1_DEV_CUH */
