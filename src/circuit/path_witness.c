/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "circuit/path_witness.h"

#include <string.h>

#include "base/assert.h"
#include "circuit/sha256_witness.h"

#define MAX_SIBLINGS 7

void cuzk_wit_poseidon(cuzk_witness_writer *w, cuzk_fr *out, const cuzk_poseidon_params *p,
                       const cuzk_fr *tag, const cuzk_fr *in)
{
    cuzk_poseidon_trace(w->fulls, p, tag != NULL ? tag : &p->tag, in);
    w->fulls += cuzk_poseidon_trace_len(p);
    *out = w->fulls[-1];
}

void cuzk_wit_sha256_pair(cuzk_witness_writer *w, cuzk_fr *out, const cuzk_fr *left,
                          const cuzk_fr *right)
{
    cuzk_wit_word words[32]; /* 16 of message, padded to two blocks */
    const cuzk_fr *child[2] = {left, right};
    uint32_t digest[8];
    cuzk_node node;
    for (int i = 0; i < 2; i++) {
        cuzk_scalar s;
        uint8_t bytes[32];
        cuzk_fr_to_scalar(&s, child[i]);
        cuzk_write_decomposition(w, &s);
        cuzk_scalar_to_bytes_le(bytes, &s);
        cuzk_wit_node_words(words + 8 * i, bytes);
    }
    cuzk_wit_sha256(w, digest, words, 16);
    cuzk_wit_digest_node(&node, digest);
    cuzk_write_node(w, &node, out);
}

static void pick(cuzk_witness_writer *w, cuzk_fr *out, bool cond, const cuzk_fr *x,
                 const cuzk_fr *y)
{
    const cuzk_fr v = cond ? *x : *y;
    cuzk_write_full(w, &v);
    *out = v;
}

static void insert_2(cuzk_witness_writer *w, cuzk_fr *p, const cuzk_fr *a, unsigned index,
                     const cuzk_fr *s)
{
    pick(w, &p[0], (index & 1) != 0, &s[0], a);
    pick(w, &p[1], (index & 1) != 0, a, &s[0]);
}

static void insert_4(cuzk_witness_writer *w, cuzk_fr *p, const cuzk_fr *a, unsigned index,
                     const cuzk_fr *s)
{
    const bool b0 = (index & 1) != 0, b1 = (index & 2) != 0;
    cuzk_fr t;
    pick(w, &t, b0, &s[0], a);
    pick(w, &p[0], b1, &s[0], &t);
    pick(w, &t, b0, a, &s[0]);
    pick(w, &p[1], b1, &s[1], &t);
    pick(w, &t, b0, &s[2], a);
    pick(w, &p[2], b1, &t, &s[1]);
    pick(w, &t, b0, a, &s[2]);
    pick(w, &p[3], b1, &t, &s[2]);
}

static void insert_8(cuzk_witness_writer *w, cuzk_fr *p, const cuzk_fr *a, unsigned index,
                     const cuzk_fr *s)
{
    const bool b0 = (index & 1) != 0, b1 = (index & 2) != 0, b2 = (index & 4) != 0;
    const bool nor = !b0 && !b1, both = b0 && b1;
    const cuzk_fr *b = &s[0], *c = &s[1], *d = &s[2], *e = &s[3], *f = &s[4], *g = &s[5],
                  *h = &s[6];
    cuzk_fr t, u;
    cuzk_write_bits(w, (uint64_t)nor | (uint64_t)both << 1, 2);
    pick(w, &t, nor, a, b);
    pick(w, &p[0], b2, b, &t);
    pick(w, &t, b0, a, b);
    pick(w, &u, b1, c, &t);
    pick(w, &p[1], b2, c, &u);
    pick(w, &t, b0, d, a);
    pick(w, &u, b1, &t, c);
    pick(w, &p[2], b2, d, &u);
    pick(w, &t, both, a, d);
    pick(w, &p[3], b2, e, &t);
    pick(w, &t, nor, a, f);
    pick(w, &p[4], b2, &t, e);
    pick(w, &t, b0, a, f);
    pick(w, &u, b1, g, &t);
    pick(w, &p[5], b2, &u, f);
    pick(w, &t, b0, h, a);
    pick(w, &u, b1, &t, g);
    pick(w, &p[6], b2, &u, g);
    pick(w, &t, both, a, h);
    pick(w, &p[7], b2, &t, h);
}

void cuzk_wit_insert(cuzk_witness_writer *w, cuzk_fr *out, const cuzk_fr *elem, unsigned index,
                     const cuzk_fr *siblings, unsigned arity)
{
    switch (arity) {
    case 2: insert_2(w, out, elem, index, siblings); break;
    case 4: insert_4(w, out, elem, index, siblings); break;
    default: insert_8(w, out, elem, index, siblings); break;
    }
}

static void hash_level(cuzk_witness_writer *w, cuzk_fr *current, const cuzk_path_level *l,
                       const cuzk_fr *siblings, cuzk_tree_kind kind, const cuzk_hashes *h)
{
    cuzk_fr children[MAX_SIBLINGS + 1];
    cuzk_wit_insert(w, children, current, l->index, siblings, l->arity);
    if (kind == CUZK_TREE_SHA256) {
        cuzk_wit_sha256_pair(w, current, &children[0], &children[1]);
    } else {
        cuzk_wit_poseidon(w, current, cuzk_hashes_arity(h, l->arity), NULL, children);
    }
}

/* Index bits and siblings of a level. */
static void write_level(cuzk_witness_writer *w, const cuzk_path_level *l,
                        cuzk_fr siblings[MAX_SIBLINGS])
{
    cuzk_write_bits(w, l->index, (unsigned)__builtin_ctz(l->arity));
    for (unsigned k = 0; k + 1 < l->arity; k++) {
        cuzk_write_node(w, &l->siblings[k], &siblings[k]);
    }
}

void cuzk_wit_por(cuzk_witness_writer *w, const cuzk_fr *leaf, const cuzk_merkle_proof *p,
                  cuzk_tree_kind kind, const cuzk_hashes *h)
{
    cuzk_fr current = *leaf, input;
    for (uint32_t i = 0; i < p->n_levels; i++) {
        const cuzk_path_level *l = &p->levels[i];
        cuzk_fr siblings[MAX_SIBLINGS];
        write_level(w, l, siblings);
        hash_level(w, &current, l, siblings, kind, h);
    }
    cuzk_fr_from_u64(&input, cuzk_merkle_leaf_index(p));
    cuzk_write_input(w, &input);
}

void cuzk_wit_por_many(cuzk_witness_writer *w, size_t n, const cuzk_fr *leaf,
                       const cuzk_merkle_proof *const *p, const cuzk_hashes *h)
{
    cuzk_fr current[CUZK_WIT_PATHS], children[CUZK_WIT_PATHS * (MAX_SIBLINGS + 1)], input;
    cuzk_fr *trace[CUZK_WIT_PATHS];
    CUZK_ASSERT(n <= CUZK_WIT_PATHS);
    memcpy(current, leaf, n * sizeof(*current));
    for (uint32_t i = 0; n > 0 && i < p[0]->n_levels; i++) {
        const unsigned arity = p[0]->levels[i].arity;
        const cuzk_poseidon_params *params = cuzk_hashes_arity(h, arity);
        for (size_t k = 0; k < n; k++) {
            const cuzk_path_level *l = &p[k]->levels[i];
            cuzk_fr siblings[MAX_SIBLINGS];
            CUZK_ASSERT(p[k]->n_levels == p[0]->n_levels && l->arity == arity);
            write_level(&w[k], l, siblings);
            cuzk_wit_insert(&w[k], children + k * arity, &current[k], l->index, siblings, arity);
            trace[k] = w[k].fulls;
        }
        cuzk_poseidon_trace_many(trace, params, NULL, children, n);
        for (size_t k = 0; k < n; k++) {
            w[k].fulls += cuzk_poseidon_trace_len(params);
            current[k] = w[k].fulls[-1];
        }
    }
    for (size_t k = 0; k < n; k++) {
        cuzk_fr_from_u64(&input, cuzk_merkle_leaf_index(p[k]));
        cuzk_write_input(&w[k], &input);
    }
}

void cuzk_wit_por_with_bits(cuzk_witness_writer *w, const cuzk_fr *leaf,
                            const cuzk_path_level *levels, unsigned n_levels, cuzk_tree_kind kind,
                            bool write_siblings, const cuzk_hashes *h)
{
    cuzk_fr current = *leaf;
    for (unsigned i = 0; write_siblings && i < n_levels; i++) {
        for (unsigned k = 0; k + 1 < levels[i].arity; k++) {
            cuzk_write_node(w, &levels[i].siblings[k], NULL);
        }
    }
    for (unsigned i = 0; i < n_levels; i++) {
        cuzk_fr siblings[MAX_SIBLINGS] = {{{0}}};
        for (unsigned k = 0; k + 1 < levels[i].arity; k++) {
            w->bad = !cuzk_fr_from_bytes_le(&siblings[k], levels[i].siblings[k].b) || w->bad;
        }
        hash_level(w, &current, &levels[i], siblings, kind, h);
    }
}
