/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "ff/fp_wide.h"

/* q * 2^382, limbs 5 to 11; the lower ones are zero. */
static const uint64_t Q382[7] = CUZK_FP_MOD_SHL382_HIGH_LIMBS;

void cuzk_fp_wide_mul_c(cuzk_fp_wide *out, const cuzk_fp *a, const cuzk_fp *b)
{
    uint64_t t[12] = {0};
    for (int i = 0; i < 6; i++) {
        uint64_t c = 0;
        for (int j = 0; j < 6; j++) {
            t[i + j] = cuzk_mac(t[i + j], a->l[j], b->l[i], c, &c);
        }
        t[i + 6] = c;
    }
    for (int i = 0; i < 12; i++) {
        out->l[i] = t[i];
    }
}

void cuzk_fp_redc_c(cuzk_fp *out, const cuzk_fp_wide *t)
{
    static const uint64_t q[6] = CUZK_FP_MOD_LIMBS;
    uint64_t w[6], c = 0;
    for (int i = 0; i < 6; i++) {
        w[i] = t->l[i];
    }
    for (int i = 0; i < 6; i++) { /* low half / 2^384: stays < 2^384 and ends <= q */
        const uint64_t m = w[0] * CUZK_FP_INV;
        (void)cuzk_mac(w[0], m, q[0], 0, &c);
        for (int j = 1; j < 6; j++) {
            w[j - 1] = cuzk_mac(w[j], m, q[j], c, &c);
        }
        w[5] = c;
    }
    c = 0;
    for (int i = 0; i < 6; i++) {
        w[i] = cuzk_adc(w[i], t->l[6 + i], c, &c);
    }
    cuzk_fp_reduce_once_hd(out->l, w);
}

void cuzk_fp_wide_add_c(cuzk_fp_wide *out, const cuzk_fp_wide *a, const cuzk_fp_wide *b)
{
    uint64_t s[7], c = 0, bw = 0;
    for (int i = 0; i < 12; i++) {
        out->l[i] = cuzk_adc(a->l[i], b->l[i], c, &c);
    }
    for (int i = 0; i < 7; i++) {
        s[i] = cuzk_sbb(out->l[5 + i], Q382[i], bw, &bw);
    }
    const uint64_t keep = cuzk_mask(0 - bw);
    for (int i = 0; i < 7; i++) {
        out->l[5 + i] = (out->l[5 + i] & keep) | (s[i] & ~keep);
    }
}

void cuzk_fp_wide_sub_c(cuzk_fp_wide *out, const cuzk_fp_wide *a, const cuzk_fp_wide *b)
{
    uint64_t c = 0, bw = 0;
    for (int i = 0; i < 12; i++) {
        out->l[i] = cuzk_sbb(a->l[i], b->l[i], bw, &bw);
    }
    const uint64_t m = cuzk_mask(0 - bw);
    for (int i = 0; i < 7; i++) {
        out->l[5 + i] = cuzk_adc(out->l[5 + i], Q382[i] & m, c, &c);
    }
}

void cuzk_fp_mulsum_c(cuzk_fp *out, const cuzk_fp *a, const cuzk_fp *b, const cuzk_fp *c,
                      const cuzk_fp *d)
{
    cuzk_fp_wide t, u;
    cuzk_fp_wide_mul_c(&t, a, b);
    cuzk_fp_wide_mul_c(&u, c, d);
    cuzk_fp_wide_add_nr(&t, &t, &u);
    cuzk_fp_redc_c(out, &t);
}

void cuzk_fp_muldiff_c(cuzk_fp *out, const cuzk_fp *a, const cuzk_fp *b, const cuzk_fp *c,
                       const cuzk_fp *d)
{
    static const cuzk_fp q = {CUZK_FP_MOD_LIMBS};
    cuzk_fp t;
    uint64_t bw = 0;
    for (int i = 0; i < 6; i++) {
        t.l[i] = cuzk_sbb(q.l[i], c->l[i], bw, &bw);
    }
    cuzk_fp_mulsum_c(out, a, b, &t, d);
}
