/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <string.h>

#include "msm/gen/msm_const_gen.h"
#include "msm/msm_engine.h"

static const cuzk_fp BETA = {CUZK_MSM_G1_BETA_LIMBS};
static const cuzk_fp ONE = {CUZK_FP_ONE_LIMBS};

static const uint64_t Q[6] = CUZK_FP_MOD_LIMBS;

/* a - b + q, in (0, 2q), which cuzk_fp_mul takes. */
static inline void lazy_sub(cuzk_fp *out, const cuzk_fp *a, const cuzk_fp *b)
{
#if defined(__x86_64__) && !defined(CUZK_PORTABLE)
    /* gcc 12 keeps the carries of the plain version in registers, at three times the length. */
    uint64_t r0 = a->l[0], r1 = a->l[1], r2 = a->l[2], r3 = a->l[3], r4 = a->l[4], r5 = a->l[5];
    __asm__("subq %[b0], %[r0]\n\tsbbq %[b1], %[r1]\n\tsbbq %[b2], %[r2]\n\t"
            "sbbq %[b3], %[r3]\n\tsbbq %[b4], %[r4]\n\tsbbq %[b5], %[r5]\n\t"
            "addq %[q0], %[r0]\n\tadcq %[q1], %[r1]\n\tadcq %[q2], %[r2]\n\t"
            "adcq %[q3], %[r3]\n\tadcq %[q4], %[r4]\n\tadcq %[q5], %[r5]"
            : [r0] "+&r"(r0), [r1] "+&r"(r1), [r2] "+&r"(r2), [r3] "+&r"(r3), [r4] "+&r"(r4),
              [r5] "+&r"(r5)
            : [b0] "m"(b->l[0]), [b1] "m"(b->l[1]), [b2] "m"(b->l[2]), [b3] "m"(b->l[3]),
              [b4] "m"(b->l[4]), [b5] "m"(b->l[5]), [q0] "m"(Q[0]), [q1] "m"(Q[1]), [q2] "m"(Q[2]),
              [q3] "m"(Q[3]), [q4] "m"(Q[4]), [q5] "m"(Q[5])
            : "cc");
    out->l[0] = r0;
    out->l[1] = r1;
    out->l[2] = r2;
    out->l[3] = r3;
    out->l[4] = r4;
    out->l[5] = r5;
#else
    uint64_t bw = 0, c = 0;
    for (int i = 0; i < 6; i++) {
        out->l[i] = cuzk_sbb(a->l[i], b->l[i], bw, &bw);
    }
    for (int i = 0; i < 6; i++) {
        out->l[i] = cuzk_adc(out->l[i], Q[i], c, &c);
    }
#endif
}

/* Both are computed: the sign is random, and a wrong guess costs more. Pre: a is not zero. */
static inline void sign(cuzk_fp *out, const cuzk_fp *a, bool negative)
{
    static const cuzk_fp zero = {{0, 0, 0, 0, 0, 0}};
    const uint64_t m = 0 - (uint64_t)negative;
    cuzk_fp n;
    lazy_sub(&n, &zero, a); /* q - a, reduced */
    for (int i = 0; i < 6; i++) {
        out->l[i] = (n.l[i] & m) | (a->l[i] & ~m);
    }
}

#define MT_G               g1
#define MT_F               fp
#define MT_GROUP           CUZK_MSM_GROUP_G1
#define MT_ENGINE          CUZK_MSM_ENGINE_G1
#define MT_NAME            "g1/scalar"
#define MT_ADD_NS          180.0
#define MT_ACC_NS          300.0
#define MT_DIF(out, a, b)  lazy_sub((out), (a), (b))
#define MT_SIGN(out, a, n) sign((out), (a), (n))
#define MT_W2_MUL(out, x)  cuzk_fp_mul((out), (x), &BETA)
#include "msm_scalar_tmpl.h"
