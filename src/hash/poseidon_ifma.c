/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Eight Poseidon hashes at once, one per lane (AVX-512 IFMA; ff/vec/fr_ifma.h explains the form).
 * Compiled with those flags, so that nothing here may run before cuzk_cpu_has says so.
 *
 * Bounds, in multiples of r, for width t <= 12; a product of a and b is < 1 + a b / 35 and all
 * operands must be < 35:
 *   S-box input, powers and result are reduced (< 1); 16 times one is < 16.
 *   In the partial rounds elements 1.. grow by a product (< 1.03 each) for at most REDUCE_EVERY
 *   rounds: < 2 + 1.03 * 16 < 19, so that a dot product is < 1 + 12 * 19 / 35 < 8.
 */
#include "hash/poseidon_internal.h"

#ifdef CUZK_HASH_IFMA
#    include <string.h>

#    include "ff/vec/fr_ifma.h"

#    define LANES        CUZK_POSEIDON_LANES
#    define MAX_T        CUZK_POSEIDON_MAX_WIDTH
#    define REDUCE_EVERY 16u

#    define INLINE       static inline __attribute__((always_inline))

/* Next value of each lane's trace. */
typedef struct sink {
    cuzk_fr *at[LANES];
} sink;

INLINE void put(sink *k, const cuzk_frx8 *x)
{
    __m512i e[4], q[4];
    cuzk_frx8_join(q, x);
    cuzk_frx8_transpose_out(e, q);
    for (unsigned i = 0; i < 4; i++) {
        _mm256_storeu_si256((__m256i *)(void *)k->at[2 * i]++, _mm512_castsi512_si256(e[i]));
        _mm256_storeu_si256((__m256i *)(void *)k->at[2 * i + 1]++,
                            _mm512_extracti64x4_epi64(e[i], 1));
    }
}

/* < 35 r, limbs any, to < r. */
INLINE void reduce(cuzk_frx8 *x)
{
    cuzk_frx8_normalise(x);
    cuzk_frx8_reduce_lazy(x);
    cuzk_frx8_reduce_once(x);
}

/* out = a * b, < r; for a < 1 and b < 16. */
INLINE void mul_reduced(cuzk_frx8 *out, const cuzk_frx8 *a, const cuzk_frx8 *b)
{
    cuzk_frx8_mul(out, a, b);
    cuzk_frx8_normalise(out);
    cuzk_frx8_reduce_once(out);
}

/* 16 a: the product with a element a*2^256 then carries one factor 2^260, as a factor must. */
INLINE void twist(cuzk_frx8 *out, const cuzk_frx8 *a)
{
    for (int i = 0; i < 5; i++) {
        out->l[i] = _mm512_slli_epi64(a->l[i], 4);
    }
    cuzk_frx8_normalise(out);
}

INLINE void add_reduced(cuzk_frx8 *x, const uint64_t key[5])
{
    for (int i = 0; i < 5; i++) {
        x->l[i] = _mm512_add_epi64(x->l[i], cuzk_frx8_set1(key[i]));
    }
    cuzk_frx8_normalise(x);
    cuzk_frx8_reduce_once(x);
}

INLINE void sbox(cuzk_frx8 *x, const cuzk_fr52 *key, sink *k)
{
    cuzk_frx8 x16, x2, y16, x4;
    twist(&x16, x);
    mul_reduced(&x2, x, &x16);
    twist(&y16, &x2);
    mul_reduced(&x4, &x2, &y16);
    mul_reduced(x, &x4, &x16);
    if (key != NULL) {
        add_reduced(x, key->l);
    }
    if (k != NULL) {
        put(k, &x2);
        put(k, &x4);
        put(k, x);
    }
}

INLINE void sbox_wire(cuzk_frx8 *x, const cuzk_fr52 *key, sink *k)
{
    if (k != NULL) {
        put(k, x);
    }
    sbox(x, key, k);
}

/* out = sum of s[i] * f[i], < r. */
INLINE void dot(cuzk_frx8 *out, const cuzk_frx8 *s, const cuzk_fr52 *f, unsigned n)
{
    __m512i t[10];
    cuzk_frx8_mac_init(t);
    for (unsigned i = 0; i < n; i++) {
        cuzk_frx8 b;
        cuzk_frx8_const(&b, f[i].l);
        cuzk_frx8_mac(t, &s[i], &b);
    }
    cuzk_frx8_redc(out, t);
    reduce(out);
}

INLINE void mix(cuzk_frx8 *s, const cuzk_fr52 *m, unsigned t)
{
    cuzk_frx8 x[MAX_T];
    for (unsigned j = 0; j < t; j++) {
        dot(&x[j], s, m + j * t, t);
    }
    memcpy(s, x, t * sizeof(*s));
}

INLINE void mix_sparse(cuzk_frx8 *s, const cuzk_fr52 *w_hat, const cuzk_fr52 *v_rest, unsigned t,
                       bool reduce_rest)
{
    cuzk_frx8 first;
    dot(&first, s, w_hat, t);
    for (unsigned j = 1; j < t; j++) {
        cuzk_frx8 f, x;
        cuzk_frx8_const(&f, v_rest[j - 1].l);
        cuzk_frx8_mul(&x, &s[0], &f);
        cuzk_frx8_add(&s[j], &s[j], &x);
        cuzk_frx8_normalise(&s[j]);
        if (reduce_rest) {
            cuzk_frx8_reduce_lazy(&s[j]);
        }
    }
    s[0] = first;
}

INLINE void full_round(cuzk_frx8 *s, const cuzk_fr52 *key, const cuzk_fr52 *m, unsigned t, sink *k)
{
    for (unsigned i = 0; i < t; i++) {
        sbox_wire(&s[i], key == NULL ? NULL : &key[i], k);
    }
    mix(s, m, t);
}

/* s: the preimage in 1.., loaded; element 0 after the first S-box in c0. Result in s[1]. */
INLINE void permute(cuzk_frx8 *s, const cuzk_poseidon_params *p, const cuzk_fr52 *c0, sink *k)
{
    const cuzk_poseidon_factors *f = p->factors;
    const unsigned t = p->width, half = CUZK_POSEIDON_FULL_ROUNDS / 2;
    const cuzk_fr52 *key = f->key + t;
    cuzk_frx8_const(&s[0], c0->l);
    for (unsigned i = 1; i < t; i++) {
        add_reduced(&s[i], f->key[i].l);
        sbox(&s[i], &key[i], k);
    }
    key += t;
    mix(s, f->mds, t);
    for (unsigned r = 1; r < half; r++, key += t) {
        full_round(s, key, r + 1 == half ? f->pre_sparse : f->mds, t, k);
    }
    for (unsigned r = 0; r < p->partial_rounds; r++, key++) {
        sbox_wire(&s[0], key, k);
        mix_sparse(s, f->w_hat + r * t, f->v_rest + r * (t - 1), t, r % REDUCE_EVERY == 0);
    }
    for (unsigned i = 1; i < t; i++) {
        cuzk_frx8_reduce_lazy(&s[i]);
        cuzk_frx8_reduce_once(&s[i]);
    }
    for (unsigned r = 1; r < half; r++, key += t) {
        full_round(s, key, f->mds, t, k);
    }
    for (unsigned i = 0; i < t; i++) {
        sbox_wire(&s[i], NULL, k);
    }
    cuzk_frx8 out;
    dot(&out, s, f->mds + t, t);
    s[1] = out;
    if (k != NULL) {
        put(k, &out);
    }
}

/* Lanes beyond the last take the input of the first. */
static void load(cuzk_frx8 *s, const cuzk_fr *in, unsigned arity, unsigned lanes)
{
    cuzk_fr v[LANES];
    for (unsigned i = 0; i < arity; i++) {
        if (lanes == LANES) {
            cuzk_frx8_load(&s[i + 1], in + i, arity);
            continue;
        }
        for (unsigned k = 0; k < LANES; k++) {
            v[k] = in[(k < lanes ? k : 0) * arity + i];
        }
        cuzk_frx8_load(&s[i + 1], v, 1);
    }
}

void cuzk_poseidon_hash_ifma(cuzk_fr *out, const cuzk_poseidon_params *p, const cuzk_fr52 *c0,
                             const cuzk_fr *in, unsigned lanes)
{
    cuzk_frx8 s[MAX_T];
    cuzk_fr v[LANES];
    load(s, in, p->arity, lanes);
    permute(s, p, c0, NULL);
    cuzk_frx8_store(v, 1, &s[1]);
    memcpy(out, v, lanes * sizeof(*v));
}

void cuzk_poseidon_trace_ifma(cuzk_fr *const *trace, const cuzk_poseidon_params *p,
                              const cuzk_fr52 *c0, const cuzk_fr *in, unsigned lanes)
{
    cuzk_frx8 s[MAX_T];
    sink k;
    /* A lane beyond the last is the first one's twin: same input, same place. */
    for (unsigned i = 0; i < LANES; i++) {
        k.at[i] = trace[i < lanes ? i : 0];
    }
    load(s, in, p->arity, lanes);
    permute(s, p, c0, &k);
}
#else
typedef int cuzk_poseidon_ifma_is_empty; /* a translation unit must not be empty */
#endif
