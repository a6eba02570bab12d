/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_R1CS_EVAL_ACC_INTERNAL_H
#define CUZK_R1CS_EVAL_ACC_INTERNAL_H

/*
 * Sums of field elements without reduction on the way: five limbs, below 2^287, so up to 2^32
 * summands; one reduction at the end.
 */
#include "base/compiler.h"
#include "ff/fr.h"

typedef struct cuzk_acc {
    uint64_t l[5];
} cuzk_acc;

static inline void cuzk_acc_add(cuzk_acc *acc, const cuzk_fr *v)
{
#if defined(__x86_64__) && !defined(CUZK_PORTABLE)
    /* gcc 12 makes some 60 instructions of the C form, through the stack. */
    __asm__("addq %5, %0\n\tadcq %6, %1\n\tadcq %7, %2\n\tadcq %8, %3\n\tadcq $0, %4"
            : "+&r"(acc->l[0]), "+&r"(acc->l[1]), "+&r"(acc->l[2]), "+&r"(acc->l[3]),
              "+&r"(acc->l[4])
            : "m"(v->l[0]), "m"(v->l[1]), "m"(v->l[2]), "m"(v->l[3])
            : "cc");
#else
    uint64_t c = 0;
    for (int i = 0; i < 4; i++) {
        acc->l[i] = cuzk_adc(acc->l[i], v->l[i], c, &c);
    }
    acc->l[4] += c;
#endif
}

/**
 * out = acc mod r. Barrett with one word of the sum: hi = floor(acc / 2^224) < 2^63 and
 * k = floor(2^96 / (r_3 + 1)), r_3 the top limb, is at most 2^288 / r and less than it by a
 * relative 2^-61; so q = floor(hi * k / 2^64) is floor(acc / r) or one less, and what is left is
 * below 2r.
 */
static inline void cuzk_acc_reduce(cuzk_fr *out, const cuzk_acc *acc)
{
    static const uint64_t r[4] = CUZK_FR_MOD_LIMBS;
    __extension__ typedef unsigned __int128 u128;
    const uint64_t k = (uint64_t)(((u128)1 << 96) / ((u128)r[3] + 1));
    const uint64_t q = cuzk_mulhi64(acc->l[4] << 32 | acc->l[3] >> 32, k);
    uint64_t s[4], carry = 0, borrow = 0;
    for (int i = 0; i < 4; i++) {
        const uint64_t t = cuzk_mac(carry, q, r[i], 0, &carry);
        s[i] = cuzk_sbb(acc->l[i], t, borrow, &borrow);
    }
    cuzk_fr_reduce_once_hd(out->l, s);
}

#endif /* CUZK_R1CS_EVAL_ACC_INTERNAL_H */
