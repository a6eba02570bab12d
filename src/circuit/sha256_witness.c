/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Mirrors gadget/sha256_gadget.c and the case analysis of gadget/boolean.c (docs/spec/gadgets.md).
 * Words without constants take a straight path of word operations; words with some, which occur in
 * the first rounds of a hash and in padding, go bit by bit.
 */
#include "circuit/sha256_witness.h"

#include "hash/sha256.h"

typedef cuzk_wit_word word;

static inline word rotr(const word *x, unsigned n)
{
    const word r = {x->v >> n | x->v << (32 - n), x->is_const >> n | x->is_const << (32 - n),
                    x->is_negated >> n | x->is_negated << (32 - n)};
    return r;
}

static inline word shr(const word *x, unsigned n)
{
    const word r = {x->v >> n, x->is_const >> n | ~((uint32_t)0xffffffffu >> n),
                    x->is_negated >> n};
    return r;
}

/* The bits of v at the positions of mask, closed up. */
static inline uint32_t gather(uint32_t v, uint32_t mask)
{
    uint32_t out = 0;
    unsigned n = 0;
    while (mask != 0) {
        const uint32_t low = mask & (0 - mask);
        out |= (uint32_t)((v & low) != 0) << n++;
        mask ^= low;
    }
    return out;
}

static inline word xor_words(cuzk_witness_writer *w, const word *x, const word *y)
{
    word r = {x->v ^ y->v, 0, 0};
    const uint32_t some = x->is_const | y->is_const;
    if (some == 0) {
        r.is_negated = x->is_negated ^ y->is_negated; /* exactly one Not: Not of the wires' xor */
        cuzk_write_bits(w, r.v ^ r.is_negated, 32);
        return r;
    }
    r.is_const = x->is_const & y->is_const;
    /* A constant 0 passes the other operand, a constant 1 its negation; no wire. */
    r.is_negated = (~some & (x->is_negated ^ y->is_negated)) |
                   (x->is_const & (y->is_negated ^ x->v)) | (y->is_const & (x->is_negated ^ y->v));
    r.is_negated &= ~r.is_const;
    if (some != ~(uint32_t)0) {
        cuzk_write_bits(w, gather(r.v ^ r.is_negated, ~some), (unsigned)__builtin_popcount(~some));
    }
    return r;
}

/* One Boolean, for the slow paths: value, constant, negated. */
typedef struct boolean {
    bool v, is_const, is_negated;
} boolean;

static inline boolean bit_of(const word *x, unsigned i)
{
    const boolean b = {(x->v >> i & 1) != 0, (x->is_const >> i & 1) != 0,
                       (x->is_negated >> i & 1) != 0};
    return b;
}

static inline boolean not_bit(boolean b)
{
    b.v = !b.v;
    if (!b.is_const) {
        b.is_negated = !b.is_negated;
    }
    return b;
}

static inline void set_bit(word *x, unsigned i, boolean b)
{
    x->v |= (uint32_t)b.v << i;
    x->is_const |= (uint32_t)b.is_const << i;
    x->is_negated |= (uint32_t)b.is_negated << i;
}

static boolean and_bits(cuzk_witness_writer *w, boolean x, boolean y)
{
    if (x.is_const) {
        return x.v ? y : x;
    }
    if (y.is_const) {
        return y.v ? x : y;
    }
    const boolean r = {x.v && y.v, false, false};
    cuzk_write_bits(w, r.v, 1);
    return r;
}

static boolean ch_bits(cuzk_witness_writer *w, boolean a, boolean b, boolean c)
{
    if (a.is_const && b.is_const && c.is_const) {
        const boolean r = {a.v ? b.v : c.v, true, false};
        return r;
    }
    if (a.is_const && !a.v) {
        return c;
    }
    if (b.is_const && !b.v) {
        return and_bits(w, not_bit(a), c);
    }
    if (c.is_const && !c.v) {
        return and_bits(w, a, b);
    }
    if (c.is_const) {
        return not_bit(and_bits(w, a, not_bit(b)));
    }
    if (b.is_const) {
        return not_bit(and_bits(w, not_bit(a), not_bit(c)));
    }
    const boolean r = {a.v ? b.v : c.v, false, false};
    cuzk_write_bits(w, r.v, 1);
    return r;
}

static boolean maj_bits(cuzk_witness_writer *w, boolean a, boolean b, boolean c)
{
    const bool v = (a.v && b.v) || (a.v && c.v) || (b.v && c.v);
    if (a.is_const && b.is_const && c.is_const) {
        const boolean r = {v, true, false};
        return r;
    }
    if (a.is_const && !a.v) {
        return and_bits(w, b, c);
    }
    if (b.is_const && !b.v) {
        return and_bits(w, a, c);
    }
    if (c.is_const && !c.v) {
        return and_bits(w, a, b);
    }
    if (c.is_const) {
        return not_bit(and_bits(w, not_bit(a), not_bit(b)));
    }
    if (b.is_const) {
        return not_bit(and_bits(w, not_bit(a), not_bit(c)));
    }
    if (a.is_const) {
        return not_bit(and_bits(w, not_bit(b), not_bit(c)));
    }
    const boolean r = {v, false, false};
    cuzk_write_bits(w, r.v, 1); /* maj is allocated before the product b*c */
    (void)and_bits(w, b, c);
    return r;
}

static inline word ch(cuzk_witness_writer *w, const word *a, const word *b, const word *c)
{
    if ((a->is_const | b->is_const | c->is_const) == 0) {
        const word r = cuzk_wit_var((a->v & b->v) ^ (~a->v & c->v));
        cuzk_write_bits(w, r.v, 32);
        return r;
    }
    word r = {0, 0, 0};
    for (unsigned i = 0; i < 32; i++) {
        set_bit(&r, i, ch_bits(w, bit_of(a, i), bit_of(b, i), bit_of(c, i)));
    }
    return r;
}

/* Bit i of x to bit 2i. */
static inline uint64_t spread(uint32_t x)
{
    uint64_t v = x;
    v = (v | v << 16) & 0x0000ffff0000ffffULL;
    v = (v | v << 8) & 0x00ff00ff00ff00ffULL;
    v = (v | v << 4) & 0x0f0f0f0f0f0f0f0fULL;
    v = (v | v << 2) & 0x3333333333333333ULL;
    return (v | v << 1) & 0x5555555555555555ULL;
}

static inline word maj(cuzk_witness_writer *w, const word *a, const word *b, const word *c)
{
    if ((a->is_const | b->is_const | c->is_const) == 0) {
        const uint32_t bc = b->v & c->v;
        const word r = cuzk_wit_var((a->v & (b->v ^ c->v)) ^ bc);
        cuzk_write_bits(w, spread(r.v) | spread(bc) << 1, 64);
        return r;
    }
    word r = {0, 0, 0};
    for (unsigned i = 0; i < 32; i++) {
        set_bit(&r, i, maj_bits(w, bit_of(a, i), bit_of(b, i), bit_of(c, i)));
    }
    return r;
}

/* Operands of a sum: only the total, their number and whether all are constant matter. */
typedef struct sum {
    uint64_t total;
    uint32_t all_const; /* and of the operands' is_const */
    unsigned n;
} sum;

static inline void sum_add(sum *s, const word *x)
{
    s->total += x->v;
    s->all_const &= x->is_const;
    s->n++;
}

#define SUM_EMPTY          \
    {                      \
        0, ~(uint32_t)0, 0 \
    }

static inline word sum_write(cuzk_witness_writer *w, const sum *s)
{
    if (s->all_const == ~(uint32_t)0) {
        return cuzk_wit_const((uint32_t)s->total);
    }
    /* bits of n * (2^32 - 1): 33 for two operands, 34 up to four, 35 up to eight */
    cuzk_write_bits(w, s->total, s->n <= 2 ? 33 : s->n <= 4 ? 34 : 35);
    return cuzk_wit_var((uint32_t)s->total);
}

static inline word sigma(cuzk_witness_writer *w, const word *x, unsigned a, unsigned b, word third)
{
    const word p = rotr(x, a), q = rotr(x, b);
    const word pq = xor_words(w, &p, &q);
    return xor_words(w, &pq, &third);
}

static void expand(cuzk_witness_writer *w, word m[64])
{
    for (unsigned i = 16; i < 64; i++) {
        const word s0 = sigma(w, &m[i - 15], 7, 18, shr(&m[i - 15], 3));
        const word s1 = sigma(w, &m[i - 2], 17, 19, shr(&m[i - 2], 10));
        sum s = SUM_EMPTY;
        sum_add(&s, &m[i - 16]);
        sum_add(&s, &s0);
        sum_add(&s, &m[i - 7]);
        sum_add(&s, &s1);
        m[i] = sum_write(w, &s);
    }
}

static void compress(cuzk_witness_writer *w, word state[8], const word block[16])
{
    word m[64];
    word a, b = state[1], c = state[2], d = state[3], e, f = state[5], g = state[6], h = state[7];
    sum next_a = SUM_EMPTY, next_e = SUM_EMPTY;
    for (int i = 0; i < 16; i++) {
        m[i] = block[i];
    }
    expand(w, m);
    for (unsigned i = 0; i < 64; i++) {
        /* a and e are sums that become wires only when a round uses them */
        e = i == 0 ? state[4] : sum_write(w, &next_e);
        const word s1 = sigma(w, &e, 6, 11, rotr(&e, 25));
        const word chosen = ch(w, &e, &f, &g);
        const word k = cuzk_wit_const(cuzk_sha256_k[i]);
        sum temp1 = SUM_EMPTY;
        sum_add(&temp1, &h);
        sum_add(&temp1, &s1);
        sum_add(&temp1, &chosen);
        sum_add(&temp1, &k);
        sum_add(&temp1, &m[i]);
        a = i == 0 ? state[0] : sum_write(w, &next_a);
        const word s0 = sigma(w, &a, 2, 13, rotr(&a, 22));
        const word majority = maj(w, &a, &b, &c);
        next_e = temp1;
        sum_add(&next_e, &d);
        next_a = temp1;
        sum_add(&next_a, &s0);
        sum_add(&next_a, &majority);
        h = g;
        g = f;
        f = e;
        d = c;
        c = b;
        b = a;
    }
    sum_add(&next_a, &state[0]);
    state[0] = sum_write(w, &next_a);
    const word *const chain[3] = {&b, &c, &d};
    for (int i = 0; i < 3; i++) {
        sum s = SUM_EMPTY;
        sum_add(&s, &state[1 + i]);
        sum_add(&s, chain[i]);
        state[1 + i] = sum_write(w, &s);
    }
    sum_add(&next_e, &state[4]);
    state[4] = sum_write(w, &next_e);
    const word *const chain2[3] = {&f, &g, &h};
    for (int i = 0; i < 3; i++) {
        sum s = SUM_EMPTY;
        sum_add(&s, &state[5 + i]);
        sum_add(&s, chain2[i]);
        state[5 + i] = sum_write(w, &s);
    }
}

void cuzk_wit_sha256(cuzk_witness_writer *w, uint32_t digest[8], cuzk_wit_word *words,
                     size_t n_words)
{
    const size_t padded = cuzk_wit_sha256_padded(n_words);
    const uint64_t n_bits = 32 * (uint64_t)n_words;
    word state[8];
    for (size_t i = n_words; i < padded; i++) {
        words[i] = cuzk_wit_const(0);
    }
    words[n_words] = cuzk_wit_const(0x80000000u);
    words[padded - 2] = cuzk_wit_const((uint32_t)(n_bits >> 32));
    words[padded - 1] = cuzk_wit_const((uint32_t)n_bits);
    for (int i = 0; i < 8; i++) {
        state[i] = cuzk_wit_const(cuzk_sha256_iv[i]);
    }
    for (size_t i = 0; i < padded; i += 16) {
        compress(w, state, words + i);
    }
    for (int i = 0; i < 8; i++) {
        digest[i] = state[i].v;
    }
}
