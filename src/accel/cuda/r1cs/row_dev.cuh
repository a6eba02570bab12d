/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_ACCEL_CUDA_ROW_DEV_CUH
#define CUZK_ACCEL_CUDA_ROW_DEV_CUH

/*
 * Rows times witness on the device. Nearly every term is +-2^k times a bit: those are added up as
 * integers and meet the field once per row. The others go to a sum of nine limbs without reduction
 * on the way, below 2^287: up to 2^31 summands below 2r.
 */
#include "accel/cuda/field/mont_dev.cuh"

#include "circuit_internal.h"

/** Powers up to 2^32 of bits are added as integers: with fewer than 2^29 of them below 2^61. */
#define SMALL_ID 32u

/** What the terms of one part refer to. */
struct row_values {
    const uint32_t *bits;
    const cuzk_fr *fulls, *inputs, *slots; /* slots without ONE */
    const cuzk_fr *coeffs, *small;
};

/** Values for part `index`: 0 the preamble, 1 + k block k. */
CUZK_DEV row_values row_values_of(const cuzk_cuda_circuit_view &c, const cuzk_cuda_witness_view &w,
                                  uint64_t index)
{
    row_values v;
    const uint64_t k = index == 0 ? 0 : index - 1;
    const uint64_t skip = index == 0 ? 0 : c.preamble_words + k * c.bit_stride;
    const cuzk_fr *fulls = w.elements + c.n_inputs;
    v.bits = (const uint32_t *)(w.bits + skip);
    v.fulls = index == 0 ? fulls : fulls + c.preamble.n_fulls + k * c.block.n_fulls;
    v.inputs = w.elements + 1 + (index == 0 ? 0 : c.preamble.n_inputs + k * c.block.n_inputs);
    v.slots = w.slots + k * c.block.n_slots;
    v.coeffs = c.coeffs;
    v.small = c.small;
    return v;
}

struct row_sum {
    uint32_t l[9];
    long long small;
    bool big; /* l is not zero */
};

CUZK_DEV void row_sum_init(row_sum &s)
{
#pragma unroll
    for (int i = 0; i < 9; i++) {
        s.l[i] = 0;
    }
    s.small = 0;
    s.big = false;
}

CUZK_DEV void row_sum_add(row_sum &s, const dfr &v)
{
    s.l[0] = add_cc(s.l[0], v.l[0]);
#pragma unroll
    for (int i = 1; i < 8; i++) {
        s.l[i] = addc_cc(s.l[i], v.l[i]);
    }
    s.l[8] = addc(s.l[8], 0);
    s.big = true;
}

CUZK_DEV uint32_t row_bit(const row_values &v, uint32_t i)
{
    return __ldg(&v.bits[i / 32]) >> (i % 32) & 1;
}

/** A term whose variable is neither a bit nor ONE, or whose coefficient is not a small power. */
CUZK_DEV void row_sum_add_term(row_sum &s, const row_values &v, cuzk_var var, uint32_t coef)
{
    const uint32_t i = var & CUZK_VAR_INDEX_MASK;
    const uint32_t kind = var >> CUZK_VAR_KIND_SHIFT;
    dfr x;
    if (kind == CUZK_VAR_KIND_BIT || var == CUZK_VAR_ONE) {
        if (kind == CUZK_VAR_KIND_BIT && row_bit(v, i) == 0) {
            return;
        }
        mont_load_ro(x, &v.coeffs[coef]);
        row_sum_add(s, x);
        return;
    }
    mont_load_ro(x, kind == CUZK_VAR_KIND_FULL    ? &v.fulls[i]
                    : kind == CUZK_VAR_KIND_INPUT ? &v.inputs[i]
                                                  : &v.slots[i - 1]);
    if (coef == CUZK_COEF_MINUS_ONE) {
        mont_neg_canon(x);
    } else if (coef != 0) {
        dfr y;
        mont_load_ro(y, &v.coeffs[coef]);
        mont_mul(x, y, x);
    }
    row_sum_add(s, x);
}

/** Adds the words of a row, on one thread. */
CUZK_DEV void row_sum_words(row_sum &s, const row_values &v, const uint32_t *p, uint32_t len)
{
    const uint32_t *end = p + len;
    while (p < end) {
        const uint32_t word = __ldg(p++);
        const uint32_t code = word >> 8, id = word & 0xff;
        if ((code < CUZK_COL_BITS || code == CUZK_COL_INPUTS) &&
            (id <= SMALL_ID || id == CUZK_COEF_MINUS_ONE)) {
            const long long bit = code < CUZK_COL_BITS ? row_bit(v, code) : 1;
            s.small += id == CUZK_COEF_MINUS_ONE ? -bit : bit << id;
            continue;
        }
        uint32_t coef = id, var;
        if (id >= CUZK_COEF_ESCAPE) {
            coef = __ldg(p++);
        }
        if (id == CUZK_TERM_ESCAPE) {
            var = __ldg(p++);
        } else if (code < CUZK_COL_BITS) {
            var = (uint32_t)CUZK_VAR_KIND_BIT << CUZK_VAR_KIND_SHIFT | code;
        } else if (code < CUZK_COL_FULLS) {
            var = (uint32_t)CUZK_VAR_KIND_FULL << CUZK_VAR_KIND_SHIFT | (code - CUZK_COL_BITS);
        } else if (code < CUZK_COL_INPUTS) {
            var = (uint32_t)CUZK_VAR_KIND_INPUT << CUZK_VAR_KIND_SHIFT | (code - CUZK_COL_FULLS);
        } else {
            var = (uint32_t)CUZK_VAR_KIND_SLOT << CUZK_VAR_KIND_SHIFT | (code - CUZK_COL_INPUTS);
        }
        row_sum_add_term(s, v, var, coef);
    }
}

/** An integer of size below 2^63 as a reduced element. */
CUZK_DEV void row_from_int(dfr &out, const row_values &v, long long x)
{
    if (x >= -CUZK_CUDA_SMALL && x <= CUZK_CUDA_SMALL) {
        mont_load_ro(out, &v.small[x + CUZK_CUDA_SMALL]);
        return;
    }
    constexpr uint64_t r2_limbs[4] = CUZK_FR_R2_LIMBS;
    const unsigned long long size = x < 0 ? 0ULL - (unsigned long long)x : (unsigned long long)x;
    dfr r2, t;
    mont_zero(t);
#pragma unroll
    for (int i = 0; i < 8; i++) {
        r2.l[i] = mont_limb(r2_limbs, i);
    }
    t.l[0] = (uint32_t)size;
    t.l[1] = (uint32_t)(size >> 32);
    mont_mul(out, r2, t);
    mont_canon(out);
    if (x < 0) {
        mont_neg_canon(out); /* x is not 0 modulo r */
    }
}

/** l mod r, as cuzk_acc_reduce: one Barrett step leaves less than 2r. */
CUZK_DEV void row_reduce(dfr &out, const uint32_t (&l)[9])
{
    constexpr uint64_t r[4] = CUZK_FR_MOD_LIMBS;
    /* floor(2^96 / (r_3 + 1)) */
    constexpr uint64_t k = (uint64_t)(((unsigned __int128)1 << 96) / ((unsigned __int128)r[3] + 1));
    const uint64_t q = __umul64hi((uint64_t)l[8] << 32 | l[7], k);
    dfr t;
    uint64_t carry = 0; /* of q * r, which is wanted modulo 2^256 */
    uint64_t p[4];
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const uint64_t lo = q * r[i];
        p[i] = lo + carry;
        carry = __umul64hi(q, r[i]) + (p[i] < lo);
    }
    t.l[0] = sub_cc(l[0], (uint32_t)p[0]);
#pragma unroll
    for (int i = 1; i < 7; i++) {
        t.l[i] = subc_cc(l[i], (uint32_t)(p[i / 2] >> (32 * (i % 2))));
    }
    t.l[7] = subc(l[7], (uint32_t)(p[3] >> 32));
    mont_canon(t);
    out = t;
}

/** The sum's value, reduced. */
CUZK_DEV void row_sum_value(dfr &out, const row_sum &s, const row_values &v)
{
    if (!s.big) {
        row_from_int(out, v, s.small);
        return;
    }
    row_sum t = s;
    if (s.small != 0) {
        dfr x;
        row_from_int(x, v, s.small);
        row_sum_add(t, x);
    }
    row_reduce(out, t.l);
}

CUZK_DEV void row_sum_add_any(row_sum &s, const row_values &v, const cuzk_cuda_term *term)
{
    const uint2 t = __ldg((const uint2 *)term);
    if (t.x >> CUZK_VAR_KIND_SHIFT == CUZK_VAR_KIND_BIT &&
        (t.y <= SMALL_ID || t.y == CUZK_COEF_MINUS_ONE)) {
        const long long bit = row_bit(v, t.x & CUZK_VAR_INDEX_MASK);
        s.small += t.y == CUZK_COEF_MINUS_ONE ? -bit : bit << t.y;
    } else {
        row_sum_add_term(s, v, t.x, t.y);
    }
}

/** Terms [begin, end) of a long row, on one thread. */
CUZK_DEV void row_value_thread(dfr &out, const row_values &v, const cuzk_cuda_term *terms,
                               uint32_t begin, uint32_t end)
{
    row_sum s;
    row_sum_init(s);
    for (uint32_t i = begin; i < end; i++) {
        row_sum_add_any(s, v, &terms[i]);
    }
    row_sum_value(out, s, v);
}

/** Terms [begin, end) of a long row on the threads of one warp; every lane gets the value. */
CUZK_DEV void row_value_warp(dfr &out, const row_values &v, const cuzk_cuda_term *terms,
                             uint32_t begin, uint32_t end)
{
    const uint32_t lane = threadIdx.x % 32;
    row_sum s;
    row_sum_init(s);
    for (uint32_t i = begin + lane; i < end; i += 32) {
        row_sum_add_any(s, v, &terms[i]);
    }
#pragma unroll
    for (int d = 16; d > 0; d /= 2) {
        uint32_t o[9];
#pragma unroll
        for (int i = 0; i < 9; i++) {
            o[i] = __shfl_xor_sync(0xffffffffu, s.l[i], d);
        }
        s.l[0] = add_cc(s.l[0], o[0]);
#pragma unroll
        for (int i = 1; i < 8; i++) {
            s.l[i] = addc_cc(s.l[i], o[i]);
        }
        s.l[8] = addc(s.l[8], o[8]);
        s.small += __shfl_xor_sync(0xffffffffu, s.small, d);
    }
    s.big = true;
    row_sum_value(out, s, v);
}

#endif /* CUZK_ACCEL_CUDA_ROW_DEV_CUH */
