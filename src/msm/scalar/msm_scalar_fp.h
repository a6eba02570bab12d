/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_MSM_SCALAR_MSM_SCALAR_FP_H
#define CUZK_MSM_SCALAR_MSM_SCALAR_FP_H

/*
 * Differences in Fp for the scalar engines, inline: calls and carries kept in registers cost about a
 * tenth of an addition of points. What is added afterwards comes from a table, by the sign: the sign
 * is as good as random and must not be a branch.
 */
#include "ff/fp.h"

/* 0, q and q + 1. */
static const cuzk_fp MSM_FP_Q[3] = {
    {{0, 0, 0, 0, 0, 0}},
    {CUZK_FP_MOD_LIMBS},
    {{0xb9feffffffffaaacULL, 0x1eabfffeb153ffffULL, 0x6730d2a0f6b0f624ULL, 0x64774b84f38512bfULL,
      0x4b1ba7b6434bacd7ULL, 0x1a0111ea397fe69aULL}}};

#if defined(__x86_64__) && !defined(CUZK_PORTABLE)
#    define MSM_FP_LOAD(a)                                                                       \
        uint64_t r0 = (a)->l[0], r1 = (a)->l[1], r2 = (a)->l[2], r3 = (a)->l[3], r4 = (a)->l[4], \
                 r5 = (a)->l[5]
#    define MSM_FP_REGS                                                                 \
        [r0] "+&r"(r0), [r1] "+&r"(r1), [r2] "+&r"(r2), [r3] "+&r"(r3), [r4] "+&r"(r4), \
            [r5] "+&r"(r5)
#    define MSM_FP_CHAIN(op, opc, p)                                                       \
#        op "q 0(%[" #        p "]), %[r0]\n\t" #        opc "q 8(%[" #        p           \
            "]), %[r1]\n\t" #        opc "q 16(%[" #        p "]), %[r2]\n\t" #        opc \
            "q 24(%[" #        p "]), %[r3]\n\t" #        opc "q 32(%[" #        p         \
            "]), %[r4]\n\t" #        opc "q 40(%[" #        p "]), %[r5]\n\t"
#    define MSM_FP_STORE(out)                                                                     \
        (out)->l[0] = r0, (out)->l[1] = r1, (out)->l[2] = r2, (out)->l[3] = r3, (out)->l[4] = r4, \
        (out)->l[5] = r5

/** out = a - b + c as integers modulo 2^384. */
static inline void msm_fp_sub_add(cuzk_fp *out, const cuzk_fp *a, const cuzk_fp *b,
                                  const cuzk_fp *c)
{
    MSM_FP_LOAD(a);
    __asm__(MSM_FP_CHAIN(sub, sbb, b) MSM_FP_CHAIN(add, adc, c)
            : MSM_FP_REGS
            : [b] "r"(b), [c] "r"(c), "m"(*b), "m"(*c)
            : "cc");
    MSM_FP_STORE(out);
}

/** out = a - b. */
static inline void msm_fp_sub(cuzk_fp *out, const cuzk_fp *a, const cuzk_fp *b)
{
    uint64_t neg;
    MSM_FP_LOAD(a);
    __asm__(MSM_FP_CHAIN(sub, sbb, b) "sbbq %[neg], %[neg]\n\t"
            : MSM_FP_REGS, [neg] "=&r"(neg)
            : [b] "r"(b), "m"(*b)
            : "cc");
    const cuzk_fp *c = &MSM_FP_Q[neg & 1];
    __asm__(MSM_FP_CHAIN(add, adc, c) : MSM_FP_REGS : [c] "r"(c), "m"(*c) : "cc");
    MSM_FP_STORE(out);
}

/** out = a - b - c. */
static inline void msm_fp_sub2(cuzk_fp *out, const cuzk_fp *a, const cuzk_fp *b, const cuzk_fp *c)
{
    /* a - b - c > -2q > -2^384: one of the chains borrows at most, and then q is added once or twice,
     * the second time if the first did not carry. */
    uint64_t neg;
    MSM_FP_LOAD(a);
    __asm__(MSM_FP_CHAIN(sub, sbb, b) "sbbq %[neg], %[neg]\n\t" MSM_FP_CHAIN(
                sub, sbb, c) "sbbq $0, %[neg]\n\t"
            : MSM_FP_REGS, [neg] "=&r"(neg)
            : [b] "r"(b), [c] "r"(c), "m"(*b), "m"(*c)
            : "cc");
    const cuzk_fp *d = &MSM_FP_Q[neg & 1];
    __asm__(MSM_FP_CHAIN(add, adc, d) "adcq $0, %[neg]\n\t"
            : MSM_FP_REGS, [neg] "+&r"(neg)
            : [d] "r"(d), "m"(*d)
            : "cc");
    d = &MSM_FP_Q[neg & 1];
    __asm__(MSM_FP_CHAIN(add, adc, d) : MSM_FP_REGS : [d] "r"(d), "m"(*d) : "cc");
    MSM_FP_STORE(out);
}

/** out = negative ? -a : a. Pre: a is not zero. */
static inline void msm_fp_sign(cuzk_fp *out, const cuzk_fp *a, bool negative)
{
    const uint64_t m = 0 - (uint64_t)negative; /* q - a = ~a + q + 1 */
    const cuzk_fp *c = &MSM_FP_Q[m & 2];
    uint64_t r0 = a->l[0] ^ m, r1 = a->l[1] ^ m, r2 = a->l[2] ^ m, r3 = a->l[3] ^ m,
             r4 = a->l[4] ^ m, r5 = a->l[5] ^ m;
    __asm__(MSM_FP_CHAIN(add, adc, c) : MSM_FP_REGS : [c] "r"(c), "m"(*c) : "cc");
    MSM_FP_STORE(out);
}
#else
static inline void msm_fp_sub_add(cuzk_fp *out, const cuzk_fp *a, const cuzk_fp *b,
                                  const cuzk_fp *c)
{
    uint64_t bw = 0, carry = 0;
    for (int i = 0; i < 6; i++) {
        out->l[i] = cuzk_sbb(a->l[i], b->l[i], bw, &bw);
    }
    for (int i = 0; i < 6; i++) {
        out->l[i] = cuzk_adc(out->l[i], c->l[i], carry, &carry);
    }
}

static inline void msm_fp_sub(cuzk_fp *out, const cuzk_fp *a, const cuzk_fp *b)
{
    cuzk_fp_sub(out, a, b);
}

static inline void msm_fp_sub2(cuzk_fp *out, const cuzk_fp *a, const cuzk_fp *b, const cuzk_fp *c)
{
    cuzk_fp t;
    cuzk_fp_sub(&t, a, b);
    cuzk_fp_sub(out, &t, c);
}

static inline void msm_fp_sign(cuzk_fp *out, const cuzk_fp *a, bool negative)
{
    const uint64_t m = 0 - (uint64_t)negative;
    cuzk_fp n;
    msm_fp_sub_add(&n, &MSM_FP_Q[0], a, &MSM_FP_Q[1]);
    for (int i = 0; i < 6; i++) {
        out->l[i] = (n.l[i] & m) | (a->l[i] & ~m);
    }
}
#endif

#endif /* CUZK_MSM_SCALAR_MSM_SCALAR_FP_H */
