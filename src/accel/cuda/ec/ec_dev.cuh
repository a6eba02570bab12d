/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_ACCEL_CUDA_EC_DEV_CUH
#define CUZK_ACCEL_CUDA_EC_DEV_CUH

/*
 * G1 and G2 on the device in XYZZ coordinates (hyperelliptic.org EFD, short Weierstrass xyzz,
 * a = 0). Coordinates are lazy (< 2q); infinity has zz with all limbs zero, and only infinity has
 * zz = 0 modulo q. Additions are complete. In memory: cuzk_g1_xyzz and cuzk_g1_affine (or g2), the
 * first lazy. No point of either curve has y = 0: their orders are odd.
 */
#include "accel/cuda/field/fp2_dev.cuh"
#include "ec/g1.h"
#include "ec/g2.h"

struct g1_group {
    typedef dfp fe;
    typedef cuzk_fp host_fe;
    typedef cuzk_g1_affine affine;
    typedef cuzk_g1_xyzz xyzz;
};
struct g2_group {
    typedef dfp2 fe;
    typedef cuzk_fp2 host_fe;
    typedef cuzk_g2_affine affine;
    typedef cuzk_g2_xyzz xyzz;
};

template <class G> struct dpoint_affine {
    typename G::fe x, y;
};
template <class G> struct dpoint {
    typename G::fe x, y, zz, zzz;
};

template <class G> CUZK_DEV void point_load(dpoint<G> &out, const typename G::xyzz *p)
{
    fe_load(out.x, &p->x);
    fe_load(out.y, &p->y);
    fe_load(out.zz, &p->zz);
    fe_load(out.zzz, &p->zzz);
}

template <class G> CUZK_DEV void point_store(typename G::xyzz *p, const dpoint<G> &a)
{
    fe_store(&p->x, a.x);
    fe_store(&p->y, a.y);
    fe_store(&p->zz, a.zz);
    fe_store(&p->zzz, a.zzz);
}

template <class G> CUZK_DEV void point_infinity(dpoint<G> &a)
{
    fe_zero(a.x);
    fe_zero(a.y);
    fe_zero(a.zz);
    fe_zero(a.zzz);
}

template <class G> CUZK_DEV bool point_is_infinity(const dpoint<G> &a)
{
    return fe_is_null(a.zz);
}

/** a = 2a, a not infinity: 6M + 3S. */
template <class G> CUZK_DEV void point_dbl(dpoint<G> &a)
{
    typename G::fe u, v, w, s, m;
    fe_add(u, a.y, a.y);
    fe_sqr(v, u);
    fe_mul(w, u, v);
    fe_mul(s, a.x, v);
    fe_sqr(m, a.x);
    fe_add(u, m, m);
    fe_add(m, u, m);
    fe_mul(a.zz, v, a.zz);
    fe_mul(a.zzz, w, a.zzz);
    fe_sqr(a.x, m);
    fe_sub(a.x, a.x, s);
    fe_sub(a.x, a.x, s);
    fe_sub(s, s, a.x);
    fe_mul_sub_mul(a.y, m, s, w, a.y);
}

/* The rare doublings are calls: inlined, they would double the code of every addition. */
template <class G> static __device__ __noinline__ void point_dbl_call(dpoint<G> *a)
{
    point_dbl<G>(*a);
}

/* The common end of both additions: a's x, y times the other's zz and zzz are already in place.
 * p = U2 - U1, r = S2 - S1, not zero both; writes x, y and multiplies zz, zzz. */
template <class G>
CUZK_DEV void point_finish(dpoint<G> &a, const typename G::fe &p, const typename G::fe &r)
{
    typename G::fe pp, ppp, q;
    fe_sqr(pp, p);
    fe_mul(ppp, pp, p);
    fe_mul(a.zz, a.zz, pp);
    fe_mul(a.zzz, a.zzz, ppp);
    fe_mul(q, a.x, pp);
    fe_sqr(a.x, r);
    fe_sub(a.x, a.x, ppp);
    fe_sub(a.x, a.x, q);
    fe_sub(a.x, a.x, q);
    fe_sub(q, q, a.x);
    fe_mul_sub_mul(a.y, r, q, a.y, ppp); /* r (q - x3) - y1 ppp: in Fp one reduction less */
}

/** a = b, b not infinity. */
template <class G> CUZK_DEV void point_from_affine(dpoint<G> &a, const dpoint_affine<G> &b)
{
    a.x = b.x;
    a.y = b.y;
    fe_one(a.zz);
    fe_one(a.zzz);
}

/** a += b, b not infinity: 8M + 2S. */
template <class G> CUZK_DEV void point_add_affine(dpoint<G> &a, const dpoint_affine<G> &b)
{
    if (point_is_infinity<G>(a)) {
        point_from_affine<G>(a, b);
        return;
    }
    typename G::fe p, r;
    fe_mul(p, a.zz, b.x);
    fe_sub(p, p, a.x);
    fe_mul(r, a.zzz, b.y);
    fe_sub(r, r, a.y);
    if (fe_is_zero(p)) {
        if (fe_is_zero(r)) {
            dpoint<G> t; /* not a: its address must not leave the registers */
            point_from_affine<G>(t, b);
            point_dbl_call<G>(&t);
            a = t;
        } else {
            point_infinity<G>(a);
        }
        return;
    }
    point_finish<G>(a, p, r);
}

/** a += b: 12M + 2S. */
template <class G> CUZK_DEV void point_add(dpoint<G> &a, const dpoint<G> &b)
{
    if (point_is_infinity<G>(b)) {
        return;
    }
    if (point_is_infinity<G>(a)) {
        a = b;
        return;
    }
    typename G::fe p, r, x, y;
    fe_mul(x, a.x, b.zz);
    fe_mul(p, b.x, a.zz);
    fe_sub(p, p, x);
    fe_mul(y, a.y, b.zzz);
    fe_mul(r, b.y, a.zzz);
    fe_sub(r, r, y);
    if (fe_is_zero(p)) {
        if (fe_is_zero(r)) {
            dpoint<G> t = a;
            point_dbl_call<G>(&t);
            a = t;
        } else {
            point_infinity<G>(a);
        }
        return;
    }
    a.x = x;
    a.y = y;
    fe_mul(a.zz, a.zz, b.zz);
    fe_mul(a.zzz, a.zzz, b.zzz);
    point_finish<G>(a, p, r);
}

#endif /* CUZK_ACCEL_CUDA_EC_DEV_CUH */
