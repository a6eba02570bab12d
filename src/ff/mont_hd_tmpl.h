/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Lane arithmetic modulo one prime, for host C and CUDA device code; included once per field.
 * Parameters: CUZK_MT_T (type), CUZK_MT_N (limbs), CUZK_MT_MOD (limb list), CUZK_MT_INV
 * (-mod^-1 mod 2^64), CUZK_MT_FN(verb) (function name). Undefined again at the end.
 *
 * Both moduli leave the top bit of the top limb free (r < 2^255, q < 2^381), so that sums of two
 * reduced values do not leave the limbs and the multiplication needs no extra carry word.
 */
#include "ff/limbs_hd.h"

/** All ones when a >= mod. */
CUZK_HD_INLINE uint64_t CUZK_MT_FN(ge_mod_mask_hd)(const uint64_t *a)
{
    const uint64_t p[CUZK_MT_N] = CUZK_MT_MOD;
    uint64_t bw = 0;
    for (int i = 0; i < CUZK_MT_N; i++) {
        (void)cuzk_sbb(a[i], p[i], bw, &bw);
    }
    return bw - 1; /* no borrow: a >= mod */
}

/** out = a - mod when a >= mod, else a. Pre: a < 2*mod. */
CUZK_HD_INLINE void CUZK_MT_FN(reduce_once_hd)(uint64_t *out, const uint64_t *a)
{
    const uint64_t p[CUZK_MT_N] = CUZK_MT_MOD;
    uint64_t s[CUZK_MT_N], bw = 0;
    for (int i = 0; i < CUZK_MT_N; i++) {
        s[i] = cuzk_sbb(a[i], p[i], bw, &bw);
    }
    const uint64_t keep = cuzk_mask(0 - bw); /* all ones: a < mod */
    for (int i = 0; i < CUZK_MT_N; i++) {
        out[i] = (a[i] & keep) | (s[i] & ~keep);
    }
}

/** out = a + b. Pre: a, b < mod. Post: out < mod. Aliasing allowed. */
CUZK_HD_INLINE void CUZK_MT_FN(add_hd)(CUZK_MT_T *out, const CUZK_MT_T *a, const CUZK_MT_T *b)
{
    uint64_t s[CUZK_MT_N], c = 0;
    for (int i = 0; i < CUZK_MT_N; i++) {
        s[i] = cuzk_adc(a->l[i], b->l[i], c, &c);
    }
    CUZK_MT_FN(reduce_once_hd)(out->l, s);
}

/** out = a - b. Pre: a, b < mod. Post: out < mod. Aliasing allowed. */
CUZK_HD_INLINE void CUZK_MT_FN(sub_hd)(CUZK_MT_T *out, const CUZK_MT_T *a, const CUZK_MT_T *b)
{
    const uint64_t p[CUZK_MT_N] = CUZK_MT_MOD;
    uint64_t s[CUZK_MT_N], bw = 0, c = 0;
    for (int i = 0; i < CUZK_MT_N; i++) {
        s[i] = cuzk_sbb(a->l[i], b->l[i], bw, &bw);
    }
    const uint64_t m = cuzk_mask(0 - bw);
    for (int i = 0; i < CUZK_MT_N; i++) {
        out->l[i] = cuzk_adc(s[i], p[i] & m, c, &c);
    }
}

/** out = -a. Pre: a < mod. Post: out < mod. Aliasing allowed. */
CUZK_HD_INLINE void CUZK_MT_FN(neg_hd)(CUZK_MT_T *out, const CUZK_MT_T *a)
{
    const uint64_t p[CUZK_MT_N] = CUZK_MT_MOD;
    uint64_t any = 0, bw = 0;
    for (int i = 0; i < CUZK_MT_N; i++) {
        any |= a->l[i];
    }
    const uint64_t m = cuzk_mask(0 - (uint64_t)(any != 0)); /* -0 = 0, not mod */
    for (int i = 0; i < CUZK_MT_N; i++) {
        out->l[i] = cuzk_sbb(p[i] & m, a->l[i], bw, &bw);
    }
}

/**
 * out = a*b*2^(-64N) mod mod. Pre: a < mod, b < 2^(64N) with a*b < mod*2^(64N). Post: out < mod.
 * Aliasing allowed. Interleaved operand scanning; t stays < 2*mod after each row because mod's
 * top bit is free, so one word per row suffices for both carries.
 */
CUZK_HD_INLINE void CUZK_MT_FN(mul_hd)(CUZK_MT_T *out, const CUZK_MT_T *a, const CUZK_MT_T *b)
{
    const uint64_t p[CUZK_MT_N] = CUZK_MT_MOD;
    uint64_t t[CUZK_MT_N];
    for (int i = 0; i < CUZK_MT_N; i++) {
        t[i] = 0;
    }
    for (int i = 0; i < CUZK_MT_N; i++) {
        const uint64_t bi = b->l[i];
        uint64_t ca = 0, cm = 0;
        t[0] = cuzk_mac(t[0], a->l[0], bi, 0, &ca);
        const uint64_t m = t[0] * CUZK_MT_INV;
        (void)cuzk_mac(t[0], m, p[0], 0, &cm);
        for (int j = 1; j < CUZK_MT_N; j++) {
            t[j] = cuzk_mac(t[j], a->l[j], bi, ca, &ca);
            t[j - 1] = cuzk_mac(t[j], m, p[j], cm, &cm);
        }
        t[CUZK_MT_N - 1] = ca + cm;
    }
    CUZK_MT_FN(reduce_once_hd)(out->l, t);
}

#undef CUZK_MT_T
#undef CUZK_MT_N
#undef CUZK_MT_MOD
#undef CUZK_MT_INV
#undef CUZK_MT_FN
