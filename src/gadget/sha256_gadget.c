/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "gadget/sha256_gadget.h"

#include "base/assert.h"
#include "hash/sha256.h"

/* A sum that is made when it is first needed: its addends, or its value in sum. */
typedef struct lazy_word {
    cuzk_word addend[CUZK_WORD_MAX_ADDENDS];
    size_t n; /* 0: sum is concrete */
    cuzk_word sum;
} lazy_word;

static void lazy_push(lazy_word *z, const cuzk_word *w)
{
    CUZK_ASSERT(z->n < CUZK_WORD_MAX_ADDENDS);
    z->addend[z->n++] = *w;
}

static void lazy_force(cuzk_builder *b, cuzk_multieq *sums, lazy_word *z)
{
    if (z->n == 0) {
        return;
    }
    const cuzk_word *ops[CUZK_WORD_MAX_ADDENDS];
    for (size_t i = 0; i < z->n; i++) {
        ops[i] = &z->addend[i];
    }
    cuzk_word_add(b, sums, &z->sum, ops, z->n);
    z->n = 0;
}

/* rotr(r1) ^ rotr(r2) ^ rotr(r3), or shr(r3) for the small sigmas; folded from the left. */
static void sigma(cuzk_builder *b, cuzk_word *out, const cuzk_word *x, unsigned r1, unsigned r2,
                  unsigned r3, bool shift)
{
    cuzk_word y, z;
    cuzk_word_rotr(&y, x, r1);
    cuzk_word_rotr(&z, x, r2);
    cuzk_word_xor(b, &y, &y, &z);
    if (shift) {
        cuzk_word_shr(&z, x, r3);
    } else {
        cuzk_word_rotr(&z, x, r3);
    }
    cuzk_word_xor(b, out, &y, &z);
}

static void schedule(cuzk_builder *b, cuzk_word w[64], const cuzk_bool *block, cuzk_multieq *sums)
{
    for (int i = 0; i < 16; i++) {
        cuzk_word_from_be(&w[i], block + 32 * i);
    }
    for (int i = 16; i < 64; i++) {
        cuzk_builder_enter(b, "schedule", i);
        cuzk_word s0, s1;
        sigma(b, &s0, &w[i - 15], 7, 18, 3, true);
        sigma(b, &s1, &w[i - 2], 17, 19, 10, true);
        const cuzk_word *ops[4] = {&w[i - 16], &s0, &w[i - 7], &s1};
        cuzk_word_add(b, sums, &w[i], ops, 4);
        cuzk_builder_leave(b);
    }
}

typedef struct state {
    lazy_word a, e;
    cuzk_word b, c, d, f, g, h;
} state;

static void one_round(cuzk_builder *b, state *s, const cuzk_word *w, uint32_t k, cuzk_multieq *sums)
{
    cuzk_word big1, ch, big0, maj, k_word;
    lazy_force(b, sums, &s->e);
    const cuzk_word e = s->e.sum;
    sigma(b, &big1, &e, 6, 11, 25, false);
    cuzk_word_ch(b, &ch, &e, &s->f, &s->g);
    lazy_force(b, sums, &s->a);
    const cuzk_word a = s->a.sum;
    sigma(b, &big0, &a, 2, 13, 22, false);
    cuzk_word_maj(b, &maj, &a, &s->b, &s->c);
    cuzk_word_const(&k_word, k);

    const cuzk_word *temp1[5] = {&s->h, &big1, &ch, &k_word, w};
    for (int i = 0; i < 5; i++) {
        lazy_push(&s->e, temp1[i]);
        lazy_push(&s->a, temp1[i]);
    }
    lazy_push(&s->e, &s->d);
    lazy_push(&s->a, &big0);
    lazy_push(&s->a, &maj);
    s->h = s->g;
    s->g = s->f;
    s->f = e;
    s->d = s->c;
    s->c = s->b;
    s->b = a;
}

static void add_word(cuzk_builder *b, cuzk_multieq *sums, cuzk_word *h, const cuzk_word *x)
{
    const cuzk_word *ops[2] = {h, x};
    cuzk_word_add(b, sums, h, ops, 2);
}

static void add_lazy(cuzk_builder *b, cuzk_multieq *sums, cuzk_word *h, lazy_word *z)
{
    lazy_push(z, h); /* one sum of all addends, not a sum of sums */
    lazy_force(b, sums, z);
    *h = z->sum;
}

void cuzk_sha256_gadget_compress(cuzk_builder *b, cuzk_word h[8], const cuzk_bool *block,
                                 cuzk_word w[64], cuzk_multieq *sums)
{
    cuzk_multieq_init(sums);
    schedule(b, w, block, sums);
    state s;
    s.a.n = s.e.n = 0;
    s.a.sum = h[0];
    s.b = h[1];
    s.c = h[2];
    s.d = h[3];
    s.e.sum = h[4];
    s.f = h[5];
    s.g = h[6];
    s.h = h[7];
    for (int i = 0; i < 64; i++) {
        cuzk_builder_enter(b, "round", i);
        one_round(b, &s, &w[i], cuzk_sha256_k[i], sums);
        cuzk_builder_leave(b);
    }
    cuzk_builder_enter(b, "output", -1);
    add_lazy(b, sums, &h[0], &s.a);
    add_word(b, sums, &h[1], &s.b);
    add_word(b, sums, &h[2], &s.c);
    add_word(b, sums, &h[3], &s.d);
    add_lazy(b, sums, &h[4], &s.e);
    add_word(b, sums, &h[5], &s.f);
    add_word(b, sums, &h[6], &s.g);
    add_word(b, sums, &h[7], &s.h);
    cuzk_multieq_flush(b, sums);
    cuzk_builder_leave(b);
}

void cuzk_sha256_gadget_init(cuzk_sha256_gadget *s)
{
    for (int i = 0; i < 8; i++) {
        cuzk_word_const(&s->h[i], cuzk_sha256_iv[i]);
    }
    s->n_bits = 0;
    s->n_blocks = 0;
}

void cuzk_sha256_gadget_update(cuzk_builder *b, cuzk_sha256_gadget *s, const cuzk_bool *bits,
                               size_t n)
{
    for (size_t i = 0; i < n; i++) {
        s->buf[s->n_bits++ % 512] = bits[i];
        if (s->n_bits % 512 == 0) {
            cuzk_builder_enter(b, "block", s->n_blocks++);
            cuzk_sha256_gadget_compress(b, s->h, s->buf, s->w, &s->sums);
            cuzk_builder_leave(b);
        }
    }
}

void cuzk_sha256_gadget_final(cuzk_builder *b, cuzk_word out[8], cuzk_sha256_gadget *s)
{
    const uint64_t n_bits = s->n_bits;
    const cuzk_bool one = cuzk_bool_const(true), zero = cuzk_bool_const(false);
    cuzk_sha256_gadget_update(b, s, &one, 1);
    while (s->n_bits % 512 != 448) {
        cuzk_sha256_gadget_update(b, s, &zero, 1);
    }
    for (int i = 63; i >= 0; i--) {
        cuzk_sha256_gadget_update(b, s, (n_bits >> i & 1) != 0 ? &one : &zero, 1);
    }
    for (int i = 0; i < 8; i++) {
        out[i] = s->h[i];
    }
}
