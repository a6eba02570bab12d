/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <stdbool.h>
#include <string.h>

#include "base/assert.h"
#include "ff/limbs_hd.h"
#include "hash/poseidon_internal.h"

#define MAX_T CUZK_POSEIDON_MAX_WIDTH

/*
 * Sum of n products with one Montgomery reduction at the end. n <= 12 and r < 0.454 * 2^256:
 * the sum is below 12 r^2 < 2^515, so that nine limbs hold it, and after the reduction it is below
 * 12 * 0.454 r + r < 6.5 r.
 */
static inline void dot(cuzk_fr *out, const cuzk_fr *a, const cuzk_fr *b, size_t b_stride,
                       unsigned n)
{
    static const uint64_t mod[4] = CUZK_FR_MOD_LIMBS;
    uint64_t s[9] = {0};
    for (unsigned k = 0; k < n; k++) {
        const uint64_t *x = a[k].l, *y = b[k * b_stride].l;
        uint64_t row_carry = 0; /* into limb i + 4 of the next row; 0 or 1 */
        for (int i = 0; i < 4; i++) {
            uint64_t c = 0;
            for (int j = 0; j < 4; j++) {
                s[i + j] = cuzk_mac(s[i + j], x[j], y[i], c, &c);
            }
            s[i + 4] = cuzk_adc(s[i + 4], c, row_carry, &row_carry);
        }
        s[8] += row_carry;
    }
    uint64_t row_carry = 0;
    for (int i = 0; i < 4; i++) {
        const uint64_t m = s[i] * CUZK_FR_INV;
        uint64_t c = 0;
        for (int j = 0; j < 4; j++) {
            s[i + j] = cuzk_mac(s[i + j], m, mod[j], c, &c);
        }
        s[i + 4] = cuzk_adc(s[i + 4], c, row_carry, &row_carry);
    }
    s[8] += row_carry;
    while (s[8] != 0 || cuzk_fr_ge_mod_mask_hd(s + 4) != 0) {
        uint64_t bw = 0;
        for (int j = 0; j < 4; j++) {
            s[4 + j] = cuzk_sbb(s[4 + j], mod[j], bw, &bw);
        }
        s[8] -= bw;
    }
    memcpy(out->l, s + 4, sizeof(out->l));
}

static inline void mix(cuzk_fr *s, const cuzk_fr *m, unsigned t)
{
    cuzk_fr x[MAX_T];
    for (unsigned j = 0; j < t; j++) {
        dot(&x[j], s, m + j, t, t);
    }
    memcpy(s, x, t * sizeof(*s));
}

static inline void mix_sparse(cuzk_fr *s, const cuzk_fr *w_hat, const cuzk_fr *v_rest, unsigned t)
{
    cuzk_fr first, x;
    dot(&first, s, w_hat, 1, t);
    for (unsigned j = 1; j < t; j++) {
        cuzk_fr_mul(&x, &s[0], &v_rest[j - 1]);
        cuzk_fr_add(&s[j], &s[j], &x);
    }
    s[0] = first;
}

/* x^5, or (x + pre)^5 as the first round has it; squares and result go to *trace when it is set. */
static inline void sbox(cuzk_fr *x, const cuzk_fr *post, cuzk_fr **trace)
{
    cuzk_fr x2, x4;
    cuzk_fr_sqr(&x2, x);
    cuzk_fr_sqr(&x4, &x2);
    cuzk_fr_mul(x, x, &x4);
    if (post != NULL) {
        cuzk_fr_add(x, x, post);
    }
    if (trace != NULL) {
        cuzk_fr *t = *trace;
        t[0] = x2;
        t[1] = x4;
        t[2] = *x;
        *trace = t + 3;
    }
}

/* S-box of an element that the circuit first gives a wire of its own. */
static inline void sbox_wire(cuzk_fr *x, const cuzk_fr *post, cuzk_fr **trace)
{
    if (trace != NULL) {
        *(*trace)++ = *x;
    }
    sbox(x, post, trace);
}

static inline void permute(cuzk_fr *s, const cuzk_poseidon_params *p, cuzk_fr **trace)
{
    const unsigned t = p->width, half = CUZK_POSEIDON_FULL_ROUNDS / 2;
    const cuzk_fr *c = p->crc;
    for (unsigned i = 0; i < t; i++) {
        cuzk_fr_add(&s[i], &s[i], &c[i]);
    }
    c += t;
    sbox(&s[0], &c[0], NULL); /* the tag is a constant: no wires */
    for (unsigned i = 1; i < t; i++) {
        sbox(&s[i], &c[i], trace);
    }
    c += t;
    mix(s, p->mds, t);
    for (unsigned r = 1; r < half; r++, c += t) {
        for (unsigned i = 0; i < t; i++) {
            sbox_wire(&s[i], &c[i], trace);
        }
        mix(s, r + 1 == half ? p->pre_sparse : p->mds, t);
    }
    for (unsigned r = 0; r < p->partial_rounds; r++, c++) {
        sbox_wire(&s[0], c, trace);
        mix_sparse(s, p->w_hat + r * t, p->v_rest + r * (t - 1), t);
    }
    for (unsigned r = 1; r < half; r++, c += t) {
        for (unsigned i = 0; i < t; i++) {
            sbox_wire(&s[i], &c[i], trace);
        }
        mix(s, p->mds, t);
    }
    for (unsigned i = 0; i < t; i++) {
        sbox_wire(&s[i], NULL, trace);
    }
    cuzk_fr out;
    dot(&out, s, p->mds + 1, t, t); /* element 1 is all that is asked for */
    s[1] = out;
    if (trace != NULL) {
        *(*trace)++ = out;
    }
}

void cuzk_poseidon_hash_tagged(cuzk_fr *out, const cuzk_poseidon_params *p, const cuzk_fr *tag,
                               const cuzk_fr *in)
{
    cuzk_fr s[MAX_T];
    s[0] = *tag;
    memcpy(s + 1, in, p->arity * sizeof(*in));
    permute(s, p, NULL);
    *out = s[1];
}

void cuzk_poseidon_hash(cuzk_fr *out, const cuzk_poseidon_params *p, const cuzk_fr *in)
{
    cuzk_poseidon_hash_tagged(out, p, &p->tag, in);
}

void cuzk_poseidon_trace(cuzk_fr *trace, const cuzk_poseidon_params *p, const cuzk_fr *tag,
                         const cuzk_fr *in)
{
    cuzk_fr s[MAX_T], *at = trace;
    s[0] = *tag;
    memcpy(s + 1, in, p->arity * sizeof(*in));
    permute(s, p, &at);
    CUZK_DASSERT(at == trace + cuzk_poseidon_trace_len(p));
}

#ifdef CUZK_HASH_IFMA
/* Below this many, one by one is faster than a vector with empty lanes. */
#    define MIN_LANES 2u

static void constant_element(cuzk_fr52 *out, const cuzk_poseidon_params *p, const cuzk_fr *tag)
{
    cuzk_fr x;
    cuzk_fr_add(&x, tag, &p->crc[0]);
    sbox(&x, &p->crc[p->width], NULL);
    cuzk_fr52_split(out, &x);
}

/* Lanes to give to the vector kernel when n hashes are left; 0: none. */
static unsigned lanes_for(size_t n)
{
    if (!cuzk_cpu_has(CUZK_CPU_AVX512IFMA) || n < MIN_LANES) {
        return 0;
    }
    return n < CUZK_POSEIDON_LANES ? (unsigned)n : CUZK_POSEIDON_LANES;
}
#endif

void cuzk_poseidon_hash_many(cuzk_fr *out, const cuzk_poseidon_params *p, const cuzk_fr *tag,
                             const cuzk_fr *in, size_t n)
{
    size_t i = 0;
    tag = tag != NULL ? tag : &p->tag;
#ifdef CUZK_HASH_IFMA
    cuzk_fr52 c0;
    constant_element(&c0, p, tag);
    for (unsigned k = lanes_for(n); k > 0; i += k, k = lanes_for(n - i)) {
        cuzk_poseidon_hash_ifma(out + i, p, &c0, in + i * p->arity, k);
    }
#endif
    for (; i < n; i++) {
        cuzk_poseidon_hash_tagged(out + i, p, tag, in + i * p->arity);
    }
}

void cuzk_poseidon_trace_many(cuzk_fr *const *trace, const cuzk_poseidon_params *p,
                              const cuzk_fr *tag, const cuzk_fr *in, size_t n)
{
    size_t i = 0;
    tag = tag != NULL ? tag : &p->tag;
#ifdef CUZK_HASH_IFMA
    cuzk_fr52 c0;
    constant_element(&c0, p, tag);
    for (unsigned k = lanes_for(n); k > 0; i += k, k = lanes_for(n - i)) {
        cuzk_poseidon_trace_ifma(trace + i, p, &c0, in + i * p->arity, k);
    }
#endif
    for (; i < n; i++) {
        cuzk_poseidon_trace(trace[i], p, tag, in + i * p->arity);
    }
}
