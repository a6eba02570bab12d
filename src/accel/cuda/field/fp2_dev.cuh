/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_ACCEL_CUDA_FP2_DEV_CUH
#define CUZK_ACCEL_CUDA_FP2_DEV_CUH

/*
 * Fp2 on the device (ff/tower/fp2.h: c0 + c1 i, i^2 = -1) and one set of names, fe_..., for both fields,
 * so that curve code is written once. Both coordinates are lazy. Products in Fp2 are calls that
 * take and give their operands in registers: inlined, an addition of points would not fit the
 * instruction cache.
 */
#include "ff/tower/fp2.h"

#include "fp_inv_dev.cuh"
#include "mont_dev.cuh"

struct dfp2 {
    dfp c0, c1;
};

/* a0 b0 - a1 b1, a0 b1 + a1 b0, each with one reduction: 864 multiply-adds. */
static __device__ __noinline__ dfp2 fp2_mul_call(dfp2 a, dfp2 b)
{
    dfp2 out;
    mont_mul2(out.c1, a.c0, b.c1, a.c1, b.c0);
    mont_neg_lazy(a.c1);
    mont_mul2(out.c0, a.c0, b.c0, a.c1, b.c1);
    return out;
}

/* (a0 + a1)(a0 - a1), 2 a0 a1; the first factors are below 4q, which mont_mul allows in Fp. */
static __device__ __noinline__ dfp2 fp2_sqr_call(dfp2 a)
{
    dfp2 out;
    dfp s, d;
    mont_add_raw(s, a.c0, a.c1);
    mont_sub(d, a.c0, a.c1);
    mont_add_raw(a.c0, a.c0, a.c0);
    mont_mul(out.c0, s, d);
    mont_mul(out.c1, a.c0, a.c1);
    return out;
}

static __device__ __noinline__ dfp2 fp2_inv_call(dfp2 a)
{
    dfp n;
    mont_mul2(n, a.c0, a.c0, a.c1, a.c1);
    n = fp_inv_call(n);
    mont_mul(a.c0, a.c0, n);
    mont_neg_lazy(n); /* <= 2q, within what mont_mul allows */
    mont_mul(a.c1, a.c1, n);
    return a;
}

CUZK_DEV void fe_mul(dfp &out, const dfp &a, const dfp &b)
{
    mont_mul(out, a, b);
}
CUZK_DEV void fe_mul(dfp2 &out, const dfp2 &a, const dfp2 &b)
{
    out = fp2_mul_call(a, b);
}

CUZK_DEV void fe_sqr(dfp &out, const dfp &a)
{
    mont_sqr(out, a);
}
CUZK_DEV void fe_sqr(dfp2 &out, const dfp2 &a)
{
    out = fp2_sqr_call(a);
}

/** out = 1 / a; 0 gives 0. */
CUZK_DEV void fe_inv(dfp &out, const dfp &a)
{
    out = fp_inv_call(a);
}
CUZK_DEV void fe_inv(dfp2 &out, const dfp2 &a)
{
    out = fp2_inv_call(a);
}

CUZK_DEV void fe_add(dfp &out, const dfp &a, const dfp &b)
{
    mont_add(out, a, b);
}
CUZK_DEV void fe_add(dfp2 &out, const dfp2 &a, const dfp2 &b)
{
    mont_add(out.c0, a.c0, b.c0);
    mont_add(out.c1, a.c1, b.c1);
}

CUZK_DEV void fe_sub(dfp &out, const dfp &a, const dfp &b)
{
    mont_sub(out, a, b);
}
CUZK_DEV void fe_sub(dfp2 &out, const dfp2 &a, const dfp2 &b)
{
    mont_sub(out.c0, a.c0, b.c0);
    mont_sub(out.c1, a.c1, b.c1);
}

/** out = a b - c d. */
CUZK_DEV void fe_mul_sub_mul(dfp &out, const dfp &a, const dfp &b, const dfp &c, dfp d)
{
    mont_neg_lazy(d);
    mont_mul2(out, a, b, c, d);
}
CUZK_DEV void fe_mul_sub_mul(dfp2 &out, const dfp2 &a, const dfp2 &b, const dfp2 &c, const dfp2 &d)
{
    dfp2 t, s;
    fe_mul(t, c, d);
    fe_mul(s, a, b);
    fe_sub(out, s, t);
}

CUZK_DEV void fe_canon(dfp &a)
{
    mont_canon(a);
}
CUZK_DEV void fe_canon(dfp2 &a)
{
    mont_canon(a.c0);
    mont_canon(a.c1);
}

/** a = -a; reduced in, lazy out. */
CUZK_DEV void fe_neg_canon(dfp &a)
{
    mont_neg_canon(a);
}
CUZK_DEV void fe_neg_canon(dfp2 &a)
{
    mont_neg_canon(a.c0);
    mont_neg_canon(a.c1);
}

CUZK_DEV bool fe_is_zero(const dfp &a)
{
    return mont_is_zero(a);
}
CUZK_DEV bool fe_is_zero(const dfp2 &a)
{
    return mont_is_zero(a.c0) && mont_is_zero(a.c1);
}

/** All limbs zero: the test for reduced values and for marks. */
CUZK_DEV bool fe_is_null(const dfp &a)
{
    return mont_is_null(a);
}
CUZK_DEV bool fe_is_null(const dfp2 &a)
{
    return mont_is_null(a.c0) && mont_is_null(a.c1);
}

CUZK_DEV void fe_zero(dfp &a)
{
    mont_zero(a);
}
CUZK_DEV void fe_zero(dfp2 &a)
{
    mont_zero(a.c0);
    mont_zero(a.c1);
}

CUZK_DEV void fe_one(dfp &a)
{
    mont_one(a);
}
CUZK_DEV void fe_one(dfp2 &a)
{
    mont_one(a.c0);
    mont_zero(a.c1);
}

CUZK_DEV void fe_load(dfp &out, const cuzk_fp *p)
{
    mont_load(out, p);
}
CUZK_DEV void fe_load(dfp2 &out, const cuzk_fp2 *p)
{
    mont_load(out.c0, &p->c0);
    mont_load(out.c1, &p->c1);
}

/** As fe_load through the read-only cache: nobody writes *p while the kernel runs. */
CUZK_DEV void fe_load_ro(dfp &out, const cuzk_fp *p)
{
    mont_load_ro(out, p);
}
CUZK_DEV void fe_load_ro(dfp2 &out, const cuzk_fp2 *p)
{
    mont_load_ro(out.c0, &p->c0);
    mont_load_ro(out.c1, &p->c1);
}

CUZK_DEV void fe_store(cuzk_fp *p, const dfp &a)
{
    mont_store(p, a);
}
CUZK_DEV void fe_store(cuzk_fp2 *p, const dfp2 &a)
{
    mont_store(&p->c0, a.c0);
    mont_store(&p->c1, a.c1);
}

#endif /* CUZK_ACCEL_CUDA_FP2_DEV_CUH */
