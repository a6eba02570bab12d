/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "gadget/merkle.h"

#include "base/alloc.h"
#include "base/assert.h"

#define A CUZK_MATRIX_A
#define B CUZK_MATRIX_B
#define C CUZK_MATRIX_C

static const uint8_t arity_of[CUZK_GADGET_N_POSEIDON] = {2, 4, 8, 11, 2};

static cuzk_status add_poseidon(cuzk_gadgets *g, unsigned h, cuzk_err *err)
{
    cuzk_poseidon_params *p = NULL;
    CUZK_TRY(cuzk_poseidon_params_create(&p, arity_of[h], err));
    cuzk_fr tag = p->tag;
    if (h == CUZK_GADGET_RANDOMNESS) {
        cuzk_poseidon_randomness_tag(&tag);
    }
    const cuzk_status st = cuzk_poseidon_gadget_create(&g->poseidon[h], g->b, p, &tag, err);
    cuzk_poseidon_params_destroy(p);
    return st;
}

cuzk_status cuzk_gadgets_create(cuzk_gadgets **out, cuzk_builder *b, uint32_t mask, cuzk_err *err)
{
    cuzk_gadgets *g = cuzk_alloc_zero(1, sizeof(*g));
    if (g == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "gadget working space");
    }
    g->b = b;
    for (unsigned h = 0; h < CUZK_GADGET_N_POSEIDON; h++) {
        const cuzk_status st = (mask >> h & 1) != 0 ? add_poseidon(g, h, err) : CUZK_OK;
        if (st != CUZK_OK) {
            cuzk_gadgets_destroy(g);
            return st;
        }
    }
    *out = g;
    return CUZK_OK;
}

void cuzk_gadgets_destroy(cuzk_gadgets *g)
{
    if (g == NULL) {
        return;
    }
    for (unsigned h = 0; h < CUZK_GADGET_N_POSEIDON; h++) {
        cuzk_poseidon_gadget_destroy(g->poseidon[h]);
    }
    cuzk_free(g);
}

cuzk_gadget_hash cuzk_gadget_poseidon_of(unsigned arity)
{
    switch (arity) {
    case 2: return CUZK_GADGET_POSEIDON_2;
    case 4: return CUZK_GADGET_POSEIDON_4;
    case 8: return CUZK_GADGET_POSEIDON_8;
    default: CUZK_ASSERT(arity == 11); return CUZK_GADGET_POSEIDON_11;
    }
}

cuzk_var cuzk_gadget_poseidon(cuzk_gadgets *g, cuzk_gadget_hash h, const cuzk_var *in)
{
    CUZK_ASSERT(g->poseidon[h] != NULL);
    return cuzk_poseidon_gadget_hash(g->b, g->poseidon[h], in);
}

cuzk_var cuzk_gadget_sha256_node(cuzk_gadgets *g)
{
    cuzk_word digest[8];
    cuzk_bool bits[CUZK_FR_CAPACITY];
    cuzk_sha256_gadget_final(g->b, digest, &g->sha);
    for (unsigned i = 0; i < CUZK_FR_CAPACITY; i++) { /* bytes of a word come top first */
        bits[i] = digest[i / 32].bit[i % 32 ^ 24];
    }
    return cuzk_num_pack(g->b, bits, CUZK_FR_CAPACITY);
}

cuzk_var cuzk_gadget_sha256_pair(cuzk_gadgets *g, cuzk_var left, cuzk_var right)
{
    const cuzk_var in[2] = {left, right};
    cuzk_bool bits[CUZK_FR_BITS], msg[2][CUZK_NODE_BITS];
    for (int i = 0; i < 2; i++) {
        cuzk_builder_enter(g->b, "bits", i);
        cuzk_num_to_bits(g->b, bits, in[i]);
        cuzk_builder_leave(g->b);
        cuzk_num_bits_to_sha(msg[i], bits);
    }
    cuzk_builder_enter(g->b, "sha256", -1);
    cuzk_sha256_gadget_init(&g->sha);
    cuzk_sha256_gadget_update(g->b, &g->sha, msg[0], CUZK_NODE_BITS);
    cuzk_sha256_gadget_update(g->b, &g->sha, msg[1], CUZK_NODE_BITS);
    const cuzk_var out = cuzk_gadget_sha256_node(g);
    cuzk_builder_leave(g->b);
    return out;
}

static void insert_2(cuzk_builder *b, cuzk_var *out, cuzk_var e, const cuzk_bool *bit,
                     const cuzk_var *s)
{
    out[0] = cuzk_num_pick(b, bit[0], s[0], e);
    out[1] = cuzk_num_pick(b, bit[0], e, s[0]);
}

static void insert_4(cuzk_builder *b, cuzk_var *out, cuzk_var e, const cuzk_bool *bit,
                     const cuzk_var *s)
{
    cuzk_var t = cuzk_num_pick(b, bit[0], s[0], e);
    out[0] = cuzk_num_pick(b, bit[1], s[0], t);
    t = cuzk_num_pick(b, bit[0], e, s[0]);
    out[1] = cuzk_num_pick(b, bit[1], s[1], t);
    t = cuzk_num_pick(b, bit[0], s[2], e);
    out[2] = cuzk_num_pick(b, bit[1], t, s[1]);
    t = cuzk_num_pick(b, bit[0], e, s[2]);
    out[3] = cuzk_num_pick(b, bit[1], t, s[2]);
}

/*
 * Positions 0..3 (bit 2 clear) and 4..7 (set) see the same two low bits. In each half the element
 * stands at position p when the low bits say p; what stands there otherwise is a sibling.
 */
static void insert_8(cuzk_builder *b, cuzk_var *out, cuzk_var e, const cuzk_bool *bit,
                     const cuzk_var *s)
{
    const cuzk_bool nor = cuzk_bool_and(b, cuzk_bool_not(bit[0]), cuzk_bool_not(bit[1]));
    const cuzk_bool both = cuzk_bool_and(b, bit[0], bit[1]);
    cuzk_var t = cuzk_num_pick(b, nor, e, s[0]);
    out[0] = cuzk_num_pick(b, bit[2], s[0], t);
    t = cuzk_num_pick(b, bit[0], e, s[0]);
    t = cuzk_num_pick(b, bit[1], s[1], t);
    out[1] = cuzk_num_pick(b, bit[2], s[1], t);
    t = cuzk_num_pick(b, bit[0], s[2], e);
    t = cuzk_num_pick(b, bit[1], t, s[1]);
    out[2] = cuzk_num_pick(b, bit[2], s[2], t);
    t = cuzk_num_pick(b, both, e, s[2]);
    out[3] = cuzk_num_pick(b, bit[2], s[3], t);
    t = cuzk_num_pick(b, nor, e, s[4]);
    out[4] = cuzk_num_pick(b, bit[2], t, s[3]);
    t = cuzk_num_pick(b, bit[0], e, s[4]);
    t = cuzk_num_pick(b, bit[1], s[5], t);
    out[5] = cuzk_num_pick(b, bit[2], t, s[4]);
    t = cuzk_num_pick(b, bit[0], s[6], e);
    t = cuzk_num_pick(b, bit[1], t, s[5]);
    out[6] = cuzk_num_pick(b, bit[2], t, s[5]);
    t = cuzk_num_pick(b, both, e, s[6]);
    out[7] = cuzk_num_pick(b, bit[2], t, s[6]);
}

void cuzk_gadget_insert(cuzk_builder *b, cuzk_var *out, cuzk_var elem, const cuzk_bool *bits,
                        const cuzk_var *siblings, unsigned arity)
{
    switch (arity) {
    case 2: insert_2(b, out, elem, bits, siblings); break;
    case 4: insert_4(b, out, elem, bits, siblings); break;
    default:
        CUZK_ASSERT(arity == 8);
        insert_8(b, out, elem, bits, siblings);
        break;
    }
}

unsigned cuzk_gadget_tree_bits(const cuzk_gadget_tree *t)
{
    unsigned n = 0;
    for (unsigned i = 0; i < t->n_levels; i++) {
        n += cuzk_arity_bits(t->arity[i]);
    }
    return n;
}

unsigned cuzk_gadget_tree_siblings(const cuzk_gadget_tree *t)
{
    unsigned n = 0;
    for (unsigned i = 0; i < t->n_levels; i++) {
        n += t->arity[i] - 1u;
    }
    return n;
}

/* Parent of cur and its siblings on level i. */
static cuzk_var climb(cuzk_gadgets *g, const cuzk_gadget_tree *t, unsigned i, cuzk_var cur,
                      const cuzk_bool *bits, const cuzk_var *siblings)
{
    cuzk_var children[CUZK_TREE_MAX_ARITY];
    cuzk_builder_enter(g->b, "insert", -1);
    cuzk_gadget_insert(g->b, children, cur, bits, siblings, t->arity[i]);
    cuzk_builder_leave(g->b);
    if (t->is_sha256) {
        return cuzk_gadget_sha256_pair(g, children[0], children[1]);
    }
    cuzk_builder_enter(g->b, "hash", -1);
    cur = cuzk_gadget_poseidon(g, cuzk_gadget_poseidon_of(t->arity[i]), children);
    cuzk_builder_leave(g->b);
    return cur;
}

void cuzk_gadget_por(cuzk_gadgets *g, const cuzk_gadget_tree *t, cuzk_var leaf, cuzk_var root)
{
    cuzk_builder *b = g->b;
    cuzk_bool bits[3 * CUZK_TREE_MAX_LEVELS];
    cuzk_var siblings[CUZK_TREE_MAX_ARITY - 1];
    unsigned n_bits = 0;
    for (unsigned i = 0; i < t->n_levels; i++) {
        cuzk_builder_enter(b, "level", (int32_t)i);
        const unsigned lg = cuzk_arity_bits(t->arity[i]);
        for (unsigned j = 0; j < lg; j++) {
            bits[n_bits + j] = cuzk_bool_alloc(b);
        }
        for (unsigned j = 0; j + 1 < t->arity[i]; j++) {
            siblings[j] = cuzk_builder_full(b);
        }
        leaf = climb(g, t, i, leaf, bits + n_bits, siblings);
        n_bits += lg;
        cuzk_builder_leave(b);
    }
    cuzk_builder_enter(b, "index", -1);
    cuzk_num_pack_into_input(b, bits, n_bits);
    cuzk_builder_leave(b);
    cuzk_builder_enter(b, "root", -1);
    cuzk_num_equal(b, leaf, root);
    cuzk_builder_leave(b);
}

void cuzk_gadget_por_with_bits(cuzk_gadgets *g, const cuzk_gadget_tree *t, cuzk_var leaf,
                               const cuzk_bool *bits, const cuzk_var *siblings, cuzk_var root)
{
    for (unsigned i = 0; i < t->n_levels; i++) {
        cuzk_builder_enter(g->b, "level", (int32_t)i);
        leaf = climb(g, t, i, leaf, bits, siblings);
        bits += cuzk_arity_bits(t->arity[i]);
        siblings += t->arity[i] - 1;
        cuzk_builder_leave(g->b);
    }
    cuzk_builder_enter(g->b, "root", -1);
    cuzk_num_equal(g->b, leaf, root);
    cuzk_builder_leave(g->b);
}
