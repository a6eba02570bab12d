/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_ACCEL_CUDA_MONT_DEV_CUH
#define CUZK_ACCEL_CUDA_MONT_DEV_CUH

/*
 * Fr and Fp on the device: 32-bit limbs over the memory of cuzk_fr and cuzk_fp (same bytes).
 *
 * Values are lazy, in [0, 2 mod), unless a function says otherwise. A product is accumulated in two
 * rows: the products with even limbs and those with odd limbs, the second one limb higher, so
 * that every carry runs along one chain of 64-bit multiply-adds (mad.lo.cc and madc.hi.cc of the
 * same operands are one IMAD.WIDE). Multiplication and reduction alternate row by row.
 *
 * The carry flag passes from one asm statement to the next: they are volatile, so the compiler
 * keeps their order, and nothing else in these functions uses the flag.
 */
#include <stdint.h>

#include "ff/fp_hd.h"
#include "ff/fr_hd.h"

#define CUZK_DEV static __device__ __forceinline__

CUZK_DEV uint32_t add_cc(uint32_t a, uint32_t b)
{
    uint32_t r;
    asm volatile("add.cc.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
    return r;
}

CUZK_DEV uint32_t addc_cc(uint32_t a, uint32_t b)
{
    uint32_t r;
    asm volatile("addc.cc.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
    return r;
}

CUZK_DEV uint32_t addc(uint32_t a, uint32_t b)
{
    uint32_t r;
    asm volatile("addc.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
    return r;
}

CUZK_DEV uint32_t sub_cc(uint32_t a, uint32_t b)
{
    uint32_t r;
    asm volatile("sub.cc.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
    return r;
}

CUZK_DEV uint32_t subc_cc(uint32_t a, uint32_t b)
{
    uint32_t r;
    asm volatile("subc.cc.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
    return r;
}

CUZK_DEV uint32_t subc(uint32_t a, uint32_t b)
{
    uint32_t r;
    asm volatile("subc.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
    return r;
}

CUZK_DEV uint32_t mad_lo_cc(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t r;
    asm volatile("mad.lo.cc.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
    return r;
}

CUZK_DEV uint32_t madc_lo_cc(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t r;
    asm volatile("madc.lo.cc.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
    return r;
}

CUZK_DEV uint32_t madc_hi_cc(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t r;
    asm volatile("madc.hi.cc.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
    return r;
}

CUZK_DEV uint32_t madc_hi(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t r;
    asm volatile("madc.hi.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
    return r;
}

/** Half of a 64-bit limb list as a 32-bit limb. */
template <int N> CUZK_HD constexpr uint32_t mont_limb(const uint64_t (&m)[N], int i)
{
    return (uint32_t)(m[i / 2] >> (32 * (i % 2)));
}

struct fr_field {
    typedef cuzk_fr host;
    static const int N = 8;
    static const uint32_t inv = (uint32_t)CUZK_FR_INV;
    static CUZK_HD constexpr uint32_t mod(int i)
    {
        constexpr uint64_t m[4] = CUZK_FR_MOD_LIMBS;
        return mont_limb(m, i);
    }
    static CUZK_HD constexpr uint32_t one(int i)
    {
        constexpr uint64_t m[4] = CUZK_FR_ONE_LIMBS;
        return mont_limb(m, i);
    }
};

struct fp_field {
    typedef cuzk_fp host;
    static const int N = 12;
    static const uint32_t inv = (uint32_t)CUZK_FP_INV;
    static CUZK_HD constexpr uint32_t mod(int i)
    {
        constexpr uint64_t m[6] = CUZK_FP_MOD_LIMBS;
        return mont_limb(m, i);
    }
    static CUZK_HD constexpr uint32_t one(int i)
    {
        constexpr uint64_t m[6] = CUZK_FP_ONE_LIMBS;
        return mont_limb(m, i);
    }
};

/** Limb i of 2*mod. */
template <class F> CUZK_HD constexpr uint32_t mont_mod2(int i)
{
    return F::mod(i) << 1 | (i > 0 ? F::mod(i - 1) >> 31 : 0);
}

template <class F> struct mont {
    uint32_t l[F::N];
};
typedef mont<fr_field> dfr;
typedef mont<fp_field> dfp;

/** p is 16-byte aligned. */
template <class F> CUZK_DEV void mont_load(mont<F> &out, const typename F::host *p)
{
    const uint4 *s = (const uint4 *)p;
#pragma unroll
    for (int i = 0; i < F::N / 4; i++) {
        const uint4 v = s[i];
        out.l[4 * i] = v.x;
        out.l[4 * i + 1] = v.y;
        out.l[4 * i + 2] = v.z;
        out.l[4 * i + 3] = v.w;
    }
}

/** As mont_load through the read-only cache: nobody writes *p while the kernel runs. */
template <class F> CUZK_DEV void mont_load_ro(mont<F> &out, const typename F::host *p)
{
    const uint4 *s = (const uint4 *)p;
#pragma unroll
    for (int i = 0; i < F::N / 4; i++) {
        const uint4 v = __ldg(&s[i]);
        out.l[4 * i] = v.x;
        out.l[4 * i + 1] = v.y;
        out.l[4 * i + 2] = v.z;
        out.l[4 * i + 3] = v.w;
    }
}

template <class F> CUZK_DEV void mont_store(typename F::host *p, const mont<F> &a)
{
    uint4 *d = (uint4 *)p;
#pragma unroll
    for (int i = 0; i < F::N / 4; i++) {
        d[i] = make_uint4(a.l[4 * i], a.l[4 * i + 1], a.l[4 * i + 2], a.l[4 * i + 3]);
    }
}

template <class F> CUZK_DEV void mont_zero(mont<F> &a)
{
#pragma unroll
    for (int i = 0; i < F::N; i++) {
        a.l[i] = 0;
    }
}

template <class F> CUZK_DEV void mont_one(mont<F> &a)
{
#pragma unroll
    for (int i = 0; i < F::N; i++) {
        a.l[i] = F::one(i);
    }
}

/* Columns of m * mod onto the rows e (limb 0 becomes 0) and o; o's top limb cannot overflow. */
template <class F> CUZK_DEV void mont_fold(uint32_t (&e)[F::N], uint32_t (&o)[F::N])
{
    const int N = F::N;
    const uint32_t m = e[0] * F::inv;
    o[0] = mad_lo_cc(F::mod(1), m, o[0]);
    o[1] = madc_hi_cc(F::mod(1), m, o[1]);
#pragma unroll
    for (int k = 2; k < N - 2; k += 2) {
        o[k] = madc_lo_cc(F::mod(k + 1), m, o[k]);
        o[k + 1] = madc_hi_cc(F::mod(k + 1), m, o[k + 1]);
    }
    o[N - 2] = madc_lo_cc(F::mod(N - 1), m, o[N - 2]);
    o[N - 1] = madc_hi(F::mod(N - 1), m, o[N - 1]);
    e[0] = mad_lo_cc(F::mod(0), m, e[0]);
    e[1] = madc_hi_cc(F::mod(0), m, e[1]);
#pragma unroll
    for (int k = 2; k < N; k += 2) {
        e[k] = madc_lo_cc(F::mod(k), m, e[k]);
        e[k + 1] = madc_hi_cc(F::mod(k), m, e[k + 1]);
    }
    o[N - 1] = addc(o[N - 1], 0);
}

/* The next row: (e, o) become the odd and even rows shifted down by a limb, plus a * bi. */
template <class F>
CUZK_DEV void mont_row(uint32_t (&e)[F::N], uint32_t (&o)[F::N], const uint32_t (&a)[F::N],
                       uint32_t bi)
{
    const int N = F::N;
    e[0] = add_cc(e[0], o[1]);
#pragma unroll
    for (int k = 0; k < N - 2; k += 2) {
        o[k] = madc_lo_cc(a[k + 1], bi, o[k + 2]);
        o[k + 1] = madc_hi_cc(a[k + 1], bi, o[k + 3]);
    }
    o[N - 2] = madc_lo_cc(a[N - 1], bi, 0);
    o[N - 1] = madc_hi(a[N - 1], bi, 0);
    e[0] = mad_lo_cc(a[0], bi, e[0]);
    e[1] = madc_hi_cc(a[0], bi, e[1]);
#pragma unroll
    for (int k = 2; k < N; k += 2) {
        e[k] = madc_lo_cc(a[k], bi, e[k]);
        e[k + 1] = madc_hi_cc(a[k], bi, e[k + 1]);
    }
    o[N - 1] = addc(o[N - 1], 0);
}

/* The first row: (e, o) = a * bi. */
template <class F>
CUZK_DEV void mont_first(uint32_t (&e)[F::N], uint32_t (&o)[F::N], const uint32_t (&a)[F::N],
                         uint32_t bi)
{
#pragma unroll
    for (int k = 0; k < F::N; k += 2) {
        const uint64_t pe = (uint64_t)a[k] * bi;
        const uint64_t po = (uint64_t)a[k + 1] * bi;
        e[k] = (uint32_t)pe;
        e[k + 1] = (uint32_t)(pe >> 32);
        o[k] = (uint32_t)po;
        o[k + 1] = (uint32_t)(po >> 32);
    }
}

/* After the last row, whose even part is o with limb 0 zero: both rows shifted down and added. */
template <class F>
CUZK_DEV void mont_join(mont<F> &out, const uint32_t (&e)[F::N], const uint32_t (&o)[F::N])
{
    const int N = F::N;
    out.l[0] = add_cc(e[0], o[1]);
#pragma unroll
    for (int k = 1; k < N - 1; k++) {
        out.l[k] = addc_cc(e[k], o[k + 1]);
    }
    out.l[N - 1] = addc(e[N - 1], 0);
}

/* (e, o) += c * di, without a shift. */
template <class F>
CUZK_DEV void mont_acc(uint32_t (&e)[F::N], uint32_t (&o)[F::N], const uint32_t (&c)[F::N],
                       uint32_t di)
{
    const int N = F::N;
    o[0] = mad_lo_cc(c[1], di, o[0]);
    o[1] = madc_hi_cc(c[1], di, o[1]);
#pragma unroll
    for (int k = 2; k < N - 2; k += 2) {
        o[k] = madc_lo_cc(c[k + 1], di, o[k]);
        o[k + 1] = madc_hi_cc(c[k + 1], di, o[k + 1]);
    }
    o[N - 2] = madc_lo_cc(c[N - 1], di, o[N - 2]);
    o[N - 1] = madc_hi(c[N - 1], di, o[N - 1]);
    e[0] = mad_lo_cc(c[0], di, e[0]);
    e[1] = madc_hi_cc(c[0], di, e[1]);
#pragma unroll
    for (int k = 2; k < N; k += 2) {
        e[k] = madc_lo_cc(c[k], di, e[k]);
        e[k + 1] = madc_hi_cc(c[k], di, e[k + 1]);
    }
    o[N - 1] = addc(o[N - 1], 0);
}

/**
 * out = a * b * 2^(-32N). Pre: a + mod < 2^(32N); for Fp both may be lazy. For Fr there is a faster
 * one (fr_mul_dev.cuh).
 * Post: out < a*b / 2^(32N) + mod, below 1.41 mod for Fp: lazy.
 */
template <class F> CUZK_DEV void mont_mul(mont<F> &out, const mont<F> &a, const mont<F> &b)
{
    const int N = F::N;
    uint32_t e[N], o[N];
    mont_first<F>(e, o, a.l, b.l[0]);
    mont_fold<F>(e, o);
    mont_row<F>(o, e, a.l, b.l[1]);
    mont_fold<F>(o, e);
#pragma unroll
    for (int i = 2; i < N; i += 2) {
        mont_row<F>(e, o, a.l, b.l[i]);
        mont_fold<F>(e, o);
        mont_row<F>(o, e, a.l, b.l[i + 1]);
        mont_fold<F>(o, e);
    }
    mont_join<F>(out, e, o);
}

/**
 * out = (a * b + c * d) * 2^(-32N) with one reduction. Pre: a + c + mod < 2^(32N), which Fp allows
 * for lazy a and c <= 2 mod. Post: for Fp with a, b, c, d <= 2 mod below 1.82 mod: lazy.
 */
template <class F>
CUZK_DEV void mont_mul2(mont<F> &out, const mont<F> &a, const mont<F> &b, const mont<F> &c,
                        const mont<F> &d)
{
    const int N = F::N;
    uint32_t e[N], o[N];
    mont_first<F>(e, o, a.l, b.l[0]);
    mont_acc<F>(e, o, c.l, d.l[0]);
    mont_fold<F>(e, o);
    mont_row<F>(o, e, a.l, b.l[1]);
    mont_acc<F>(o, e, c.l, d.l[1]);
    mont_fold<F>(o, e);
#pragma unroll
    for (int i = 2; i < N; i += 2) {
        mont_row<F>(e, o, a.l, b.l[i]);
        mont_acc<F>(e, o, c.l, d.l[i]);
        mont_fold<F>(e, o);
        mont_row<F>(o, e, a.l, b.l[i + 1]);
        mont_acc<F>(o, e, c.l, d.l[i + 1]);
        mont_fold<F>(o, e);
    }
    mont_join<F>(out, e, o);
}

/*
 * Double-length numbers as two rows: limb k of E at position k, limb k of O at position k + 1.
 * In a row of products every chain starts at the row's own position, and its carry goes to the
 * first limb above, which is still zero or a carry: no chain runs further.
 */
template <class F> struct mont_wide {
    uint32_t e[2 * F::N], o[2 * F::N];
};

/*
 * Row I of a square: a_i a_j for j >= i, those with j > i doubled. a2 = 2a as a number, so its
 * limb j is that of 2 a_j and the bit from limb j - 1 below; the product with j = i + 1 must leave
 * that bit out.
 */
template <class F>
CUZK_DEV void mont_sqr_row(mont_wide<F> &w, const uint32_t (&a)[F::N], const uint32_t (&a2)[F::N],
                           int i)
{
    const int N = F::N;
    w.e[2 * i] = mad_lo_cc(a[i], a[i], w.e[2 * i]);
    w.e[2 * i + 1] = madc_hi_cc(a[i], a[i], w.e[2 * i + 1]);
#pragma unroll
    for (int j = i + 2; j < N; j += 2) {
        w.e[i + j] = madc_lo_cc(a[i], a2[j], w.e[i + j]);
        w.e[i + j + 1] = madc_hi_cc(a[i], a2[j], w.e[i + j + 1]);
    }
    if (i % 2 == 0) {
        w.e[i + N] = addc(w.e[i + N], 0);
    }
    if (i + 1 < N) {
        const uint32_t next = a[i + 1] << 1;
        w.o[2 * i] = mad_lo_cc(a[i], next, w.o[2 * i]);
        w.o[2 * i + 1] = madc_hi_cc(a[i], next, w.o[2 * i + 1]);
#pragma unroll
        for (int j = i + 3; j < N; j += 2) {
            w.o[i + j - 1] = madc_lo_cc(a[i], a2[j], w.o[i + j - 1]);
            w.o[i + j] = madc_hi_cc(a[i], a2[j], w.o[i + j]);
        }
        if (i % 2 == 1) {
            w.o[i + N - 1] = addc(w.o[i + N - 1], 0);
        }
    }
}

/** w = a^2 in 78 of the 144 products. Pre: a < 2^(32N - 1). */
template <class F> CUZK_DEV void mont_sqr_wide(mont_wide<F> &w, const mont<F> &a)
{
    const int N = F::N;
    uint32_t a2[N];
    a2[0] = a.l[0] << 1;
#pragma unroll
    for (int i = 1; i < N; i++) {
        a2[i] = __funnelshift_l(a.l[i - 1], a.l[i], 1);
    }
#pragma unroll
    for (int i = 0; i < 2 * N; i++) {
        w.e[i] = 0;
        w.o[i] = 0;
    }
#pragma unroll
    for (int i = 0; i < N; i++) {
        mont_sqr_row<F>(w, a.l, a2, i);
    }
}

/* As mont_row with no product, then mont_fold. */
template <class F> CUZK_DEV void mont_shift_fold(uint32_t (&e)[F::N], uint32_t (&o)[F::N])
{
    const int N = F::N;
    e[0] = add_cc(e[0], o[1]);
    const uint32_t m = e[0] * F::inv;
#pragma unroll
    for (int k = 0; k < N - 2; k += 2) {
        o[k] = madc_lo_cc(F::mod(k + 1), m, o[k + 2]);
        o[k + 1] = madc_hi_cc(F::mod(k + 1), m, o[k + 3]);
    }
    o[N - 2] = madc_lo_cc(F::mod(N - 1), m, 0);
    o[N - 1] = madc_hi(F::mod(N - 1), m, 0);
    e[0] = mad_lo_cc(F::mod(0), m, e[0]);
    e[1] = madc_hi_cc(F::mod(0), m, e[1]);
#pragma unroll
    for (int k = 2; k < N; k += 2) {
        e[k] = madc_lo_cc(F::mod(k), m, e[k]);
        e[k + 1] = madc_hi_cc(F::mod(k), m, e[k + 1]);
    }
    o[N - 1] = addc(o[N - 1], 0);
}

/** out = w * 2^(-32N), below w / 2^(32N) + mod. Pre: mod < 2^(32N - 3), which Fp has. */
template <class F> CUZK_DEV void mont_redc(mont<F> &out, const mont_wide<F> &w)
{
    const int N = F::N;
    uint32_t e[N], o[N];
#pragma unroll
    for (int i = 0; i < N; i++) {
        e[i] = w.e[i];
        o[i] = i < N - 1 ? w.o[i] : 0; /* the top limb is room for carries: added below */
    }
    mont_fold<F>(e, o);
    mont_shift_fold<F>(o, e);
#pragma unroll
    for (int i = 2; i < N; i += 2) {
        mont_shift_fold<F>(e, o);
        mont_shift_fold<F>(o, e);
    }
    mont_join<F>(out, e, o);
    out.l[0] = add_cc(out.l[0], w.e[N]);
#pragma unroll
    for (int k = 1; k < N - 1; k++) {
        out.l[k] = addc_cc(out.l[k], w.e[N + k]);
    }
    out.l[N - 1] = addc(out.l[N - 1], w.e[2 * N - 1]);
    out.l[0] = add_cc(out.l[0], w.o[N - 1]);
#pragma unroll
    for (int k = 1; k < N - 1; k++) {
        out.l[k] = addc_cc(out.l[k], w.o[N - 1 + k]);
    }
    out.l[N - 1] = addc(out.l[N - 1], w.o[2 * N - 2]);
}

/** out = a^2 * 2^(-32N) for Fp. Pre: a < 2^(32N - 1). Post: below a^2 / 2^(32N) + mod. */
template <class F> CUZK_DEV void mont_sqr(mont<F> &out, const mont<F> &a)
{
    mont_wide<F> w;
    mont_sqr_wide<F>(w, a);
    mont_redc<F>(out, w);
}

/** out = a + b as integers. Pre: the sum is below 2^(32N). */
template <class F> CUZK_DEV void mont_add_raw(mont<F> &out, const mont<F> &a, const mont<F> &b)
{
    const int N = F::N;
    out.l[0] = add_cc(a.l[0], b.l[0]);
#pragma unroll
    for (int i = 1; i < N - 1; i++) {
        out.l[i] = addc_cc(a.l[i], b.l[i]);
    }
    out.l[N - 1] = addc(a.l[N - 1], b.l[N - 1]);
}

/** out = a + b, lazy in and out. */
template <class F> CUZK_DEV void mont_add(mont<F> &out, const mont<F> &a, const mont<F> &b)
{
    const int N = F::N;
    uint32_t s[N], t[N];
    s[0] = add_cc(a.l[0], b.l[0]);
#pragma unroll
    for (int i = 1; i < N; i++) {
        s[i] = addc_cc(a.l[i], b.l[i]);
    }
    const uint32_t carry = addc(0, 0); /* Fr: 4 mod > 2^256 */
    t[0] = sub_cc(s[0], mont_mod2<F>(0));
#pragma unroll
    for (int i = 1; i < N; i++) {
        t[i] = subc_cc(s[i], mont_mod2<F>(i));
    }
    const bool below = (int32_t)subc(carry, 0) < 0;
#pragma unroll
    for (int i = 0; i < N; i++) {
        out.l[i] = below ? s[i] : t[i];
    }
}

/* a += 2 mod where on is not zero: a chain under a predicate is shorter than one of masked limbs.
 * Limbs 0 to 7, and 8 to 11 of Fp, whose carry stays in the flag. */
template <class F> CUZK_DEV void mont_add_mod2_if(mont<F> &a, uint32_t on)
{
    asm volatile("{\n\t.reg .pred p;\n\t"
                 "setp.ne.u32 p, %16, 0;\n\t"
                 "@p add.cc.u32 %0, %0, %8;\n\t"
                 "@p addc.cc.u32 %1, %1, %9;\n\t"
                 "@p addc.cc.u32 %2, %2, %10;\n\t"
                 "@p addc.cc.u32 %3, %3, %11;\n\t"
                 "@p addc.cc.u32 %4, %4, %12;\n\t"
                 "@p addc.cc.u32 %5, %5, %13;\n\t"
                 "@p addc.cc.u32 %6, %6, %14;\n\t"
                 "@p addc.cc.u32 %7, %7, %15;\n\t}"
                 : "+r"(a.l[0]), "+r"(a.l[1]), "+r"(a.l[2]), "+r"(a.l[3]), "+r"(a.l[4]),
                   "+r"(a.l[5]), "+r"(a.l[6]), "+r"(a.l[7])
                 : "n"(mont_mod2<F>(0)), "n"(mont_mod2<F>(1)), "n"(mont_mod2<F>(2)),
                   "n"(mont_mod2<F>(3)), "n"(mont_mod2<F>(4)), "n"(mont_mod2<F>(5)),
                   "n"(mont_mod2<F>(6)), "n"(mont_mod2<F>(7)), "r"(on));
    if (F::N == 12) {
        const int k = F::N == 12 ? 8 : 4;
        asm volatile("{\n\t.reg .pred p;\n\t"
                     "setp.ne.u32 p, %8, 0;\n\t"
                     "@p addc.cc.u32 %0, %0, %4;\n\t"
                     "@p addc.cc.u32 %1, %1, %5;\n\t"
                     "@p addc.cc.u32 %2, %2, %6;\n\t"
                     "@p addc.u32 %3, %3, %7;\n\t}"
                     : "+r"(a.l[k]), "+r"(a.l[k + 1]), "+r"(a.l[k + 2]), "+r"(a.l[k + 3])
                     : "n"(mont_mod2<F>(k)), "n"(mont_mod2<F>(k + 1)), "n"(mont_mod2<F>(k + 2)),
                       "n"(mont_mod2<F>(k + 3)), "r"(on));
    }
}

/** a -= 2r where on is not zero, as above; a carry out of a is the caller's knowledge. */
CUZK_DEV void mont_sub_mod2_if(dfr &a, uint32_t on)
{
    asm volatile("{\n\t.reg .pred p;\n\t"
                 "setp.ne.u32 p, %16, 0;\n\t"
                 "@p sub.cc.u32 %0, %0, %8;\n\t"
                 "@p subc.cc.u32 %1, %1, %9;\n\t"
                 "@p subc.cc.u32 %2, %2, %10;\n\t"
                 "@p subc.cc.u32 %3, %3, %11;\n\t"
                 "@p subc.cc.u32 %4, %4, %12;\n\t"
                 "@p subc.cc.u32 %5, %5, %13;\n\t"
                 "@p subc.cc.u32 %6, %6, %14;\n\t"
                 "@p subc.u32 %7, %7, %15;\n\t}"
                 : "+r"(a.l[0]), "+r"(a.l[1]), "+r"(a.l[2]), "+r"(a.l[3]), "+r"(a.l[4]),
                   "+r"(a.l[5]), "+r"(a.l[6]), "+r"(a.l[7])
                 : "n"(mont_mod2<fr_field>(0)), "n"(mont_mod2<fr_field>(1)),
                   "n"(mont_mod2<fr_field>(2)), "n"(mont_mod2<fr_field>(3)),
                   "n"(mont_mod2<fr_field>(4)), "n"(mont_mod2<fr_field>(5)),
                   "n"(mont_mod2<fr_field>(6)), "n"(mont_mod2<fr_field>(7)), "r"(on));
}

/** out = a - b, lazy in and out. */
template <class F> CUZK_DEV void mont_sub(mont<F> &out, const mont<F> &a, const mont<F> &b)
{
    const int N = F::N;
    mont<F> s;
    s.l[0] = sub_cc(a.l[0], b.l[0]);
#pragma unroll
    for (int i = 1; i < N; i++) {
        s.l[i] = subc_cc(a.l[i], b.l[i]);
    }
    mont_add_mod2_if(s, subc(0, 0)); /* all ones after a borrow */
    out = s;
}

/** a = 2 mod - a, in (0, 2 mod] for lazy a: an operand of mont_mul2, else not lazy. */
template <class F> CUZK_DEV void mont_neg_lazy(mont<F> &a)
{
    const int N = F::N;
    a.l[0] = sub_cc(mont_mod2<F>(0), a.l[0]);
#pragma unroll
    for (int i = 1; i < N - 1; i++) {
        a.l[i] = subc_cc(mont_mod2<F>(i), a.l[i]);
    }
    a.l[N - 1] = subc(mont_mod2<F>(N - 1), a.l[N - 1]);
}

/** Lazy to reduced (< mod). */
template <class F> CUZK_DEV void mont_canon(mont<F> &a)
{
    const int N = F::N;
    uint32_t t[N];
    t[0] = sub_cc(a.l[0], F::mod(0));
#pragma unroll
    for (int i = 1; i < N; i++) {
        t[i] = subc_cc(a.l[i], F::mod(i));
    }
    const bool below = subc(0, 0) != 0;
#pragma unroll
    for (int i = 0; i < N; i++) {
        a.l[i] = below ? a.l[i] : t[i];
    }
}

/** out = mod - a for reduced a; 0 gives mod, which is lazy. */
template <class F> CUZK_DEV void mont_neg_canon(mont<F> &a)
{
    const int N = F::N;
    a.l[0] = sub_cc(F::mod(0), a.l[0]);
#pragma unroll
    for (int i = 1; i < N - 1; i++) {
        a.l[i] = subc_cc(F::mod(i), a.l[i]);
    }
    a.l[N - 1] = subc(F::mod(N - 1), a.l[N - 1]);
}

/** a = 0 modulo mod, a lazy: 0 or mod. */
template <class F> CUZK_DEV bool mont_is_zero(const mont<F> &a)
{
    if (a.l[0] != 0 && a.l[0] != F::mod(0)) {
        return false;
    }
    uint32_t z = 0, p = 0;
#pragma unroll
    for (int i = 0; i < F::N; i++) {
        z |= a.l[i];
        p |= a.l[i] ^ F::mod(i);
    }
    return z == 0 || p == 0;
}

/** All limbs zero: the test for reduced values and for marks. */
template <class F> CUZK_DEV bool mont_is_null(const mont<F> &a)
{
    uint32_t z = 0;
#pragma unroll
    for (int i = 0; i < F::N; i++) {
        z |= a.l[i];
    }
    return z == 0;
}

#include "fr_mul_dev.cuh"

#endif /* CUZK_ACCEL_CUDA_MONT_DEV_CUH */
