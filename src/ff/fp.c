/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "ff/fp.h"

#include <string.h>

#include "base/bytes.h"
#include "ff/gen/fp_chain_gen.h"

static const cuzk_fp FP_R2 = {CUZK_FP_R2_LIMBS};

void cuzk_fp_mul_c(cuzk_fp *out, const cuzk_fp *a, const cuzk_fp *b)
{
    cuzk_fp_mul_hd(out, a, b);
}

void cuzk_fp_sqr_n(cuzk_fp *out, const cuzk_fp *a, size_t n)
{
#ifdef CUZK_FF_ADX
    if (n > 0 && cuzk_cpu_has(CUZK_CPU_ADX)) {
        cuzk_fp_sqr_n_adx(out, a, n);
        return;
    }
#endif
    cuzk_fp t = *a;
    for (size_t i = 0; i < n; i++) {
        cuzk_fp_sqr(&t, &t);
    }
    *out = t;
}

void cuzk_fp_batch_inv(cuzk_fp *a, cuzk_fp *scratch, size_t n)
{
    cuzk_fp acc = CUZK_FP_ONE;
    for (size_t i = 0; i < n; i++) {
        scratch[i] = acc;
        if (!cuzk_fp_is_zero(&a[i])) {
            cuzk_fp_mul(&acc, &acc, &a[i]);
        }
    }
    cuzk_fp_inv(&acc, &acc);
    for (size_t i = n; i-- > 0;) {
        if (!cuzk_fp_is_zero(&a[i])) {
            cuzk_fp t;
            cuzk_fp_mul(&t, &acc, &scratch[i]);
            cuzk_fp_mul(&acc, &acc, &a[i]);
            a[i] = t;
        }
    }
}

void cuzk_fp_pow_qm3d4(cuzk_fp *out, const cuzk_fp *a)
{
    static const uint8_t sums[][2] = {CUZK_FP_CHAIN_SUMS}, steps[][2] = {CUZK_FP_CHAIN_STEPS};
    enum { N_SUMS = sizeof(sums) / sizeof(sums[0]), N_STEPS = sizeof(steps) / sizeof(steps[0]) };
    cuzk_fp power[N_SUMS + 1], acc;
    power[0] = *a;
    for (size_t i = 0; i < N_SUMS; i++) {
        cuzk_fp_mul(&power[i + 1], &power[sums[i][0]], &power[sums[i][1]]);
    }
    acc = power[CUZK_FP_CHAIN_START];
    for (size_t i = 0; i < N_STEPS; i++) {
        cuzk_fp_sqr_n(&acc, &acc, steps[i][0]);
        cuzk_fp_mul(&acc, &acc, &power[steps[i][1]]);
    }
    cuzk_fp_sqr_n(out, &acc, CUZK_FP_CHAIN_TAIL);
}

bool cuzk_fp_sqrt(cuzk_fp *out, const cuzk_fp *a)
{
    cuzk_fp s, t;
    cuzk_fp_pow_qm3d4(&s, a);
    cuzk_fp_mul(&s, &s, a);
    cuzk_fp_sqr(&t, &s);
    if (!cuzk_fp_eq(&t, a)) {
        return false;
    }
    *out = s;
    return true;
}

void cuzk_fp_to_canonical(uint64_t out[6], const cuzk_fp *a)
{
    const cuzk_fp one = {{1, 0, 0, 0, 0, 0}};
    cuzk_fp t;
    cuzk_fp_mul(&t, a, &one);
    memcpy(out, t.l, sizeof(t.l));
}

void cuzk_fp_from_canonical(cuzk_fp *out, const uint64_t in[6])
{
    cuzk_fp t;
    memcpy(t.l, in, sizeof(t.l));
    cuzk_fp_mul_c(out, &FP_R2, &t); /* t may be >= 2q, which only this twin takes */
}

bool cuzk_fp_is_lex_largest(const cuzk_fp *a)
{
    static const uint64_t half[6] = CUZK_FP_HALF_LIMBS;
    uint64_t c[6], bw = 0;
    cuzk_fp_to_canonical(c, a);
    for (int i = 0; i < 6; i++) {
        (void)cuzk_sbb(half[i], c[i], bw, &bw);
    }
    return bw != 0; /* half - c < 0 */
}

bool cuzk_fp_from_bytes_be(cuzk_fp *out, const uint8_t in[48])
{
    cuzk_fp c;
    for (int i = 0; i < 6; i++) {
        c.l[i] = cuzk_load_u64_be(in + 8 * (5 - i));
    }
    if (cuzk_fp_ge_mod_mask_hd(c.l) != 0) {
        return false;
    }
    cuzk_fp_mul(out, &FP_R2, &c); /* reduced: the fast twin may take it, unlike in from_canonical */
    return true;
}

void cuzk_fp_to_bytes_be(uint8_t out[48], const cuzk_fp *a)
{
    uint64_t c[6];
    cuzk_fp_to_canonical(c, a);
    for (int i = 0; i < 6; i++) {
        cuzk_store_u64_be(out + 8 * (5 - i), c[i]);
    }
}
