/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * SnapDeals' EmptySectorUpdate (docs/spec/update.md#circuit). A block is a challenge. N = log2 nodes,
 * pb = log2 partitions, A apex leaves; P is the trace of a Poseidon hash with the Merkle tag, R with
 * the randomness tag, all full.
 *
 * Wires of the preamble, in order:
 *   k_and_h_select full; input; pb + 6 bits (partition, then h_select); partition full
 *   comm_r_old full; input; comm_d_new full; input; comm_r_new full; input
 *   R(comm_d_new, comm_r_old) = phi
 *   comm_c full; root_r_old full; root_r_new full; A apex leaves full; pb partition path full
 *   P_2(comm_c, root_r_old); P_2(comm_c, root_r_new)
 *   apex tree, level by level, pairs from the left: 255 bits of each child, the bits of 2 SHA-256
 *     blocks (gadget/sha256_gadget.h), node full
 *   path of the apex root in TreeD, per level: 2 full (insert), then as above
 *   per digest: digest_index full; R(comm_r_new, digest_index); 255 bits
 *
 * Slots of a block: the N bits of its challenge (N - pb of a digest, then the partition's); 6 h_select
 * bits; phi; root_r_old; root_r_new; A apex leaves.
 *
 * Wires of a block, in order:
 *   per h: high bits full; product with the h_select bit full
 *   sel full; R(phi, sel) = rho; leaf_r_old full; leaf_d_new full; leaf_d_new * rho full;
 *   leaf_r_new full
 *   twice (old, new): all siblings in TreeR full; per level: insert (arity 2: 2 full; 4: 8 full; 8: nor
 *     bit, and bit, 20 full), P_arity
 *   select: A/2 full, A/4 full, .. 1 full
 *   siblings in TreeD up to the apex leaf full; per level: 2 full (insert), 255 bits of each child, the
 *     bits of 2 SHA-256 blocks, node full
 */
#include <string.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "circuit/record.h"
#include "circuit/update_layout.h"

#define MAX_APEX     128
#define MAX_BITS     31
#define MAX_DIGESTS  10
#define MAX_SIBLINGS (CUZK_TREE_MAX_LEVELS * (CUZK_TREE_MAX_ARITY - 1))
#define MAX_SLOTS    (MAX_BITS + CUZK_UPDATE_H_SELECTS + 3 + MAX_APEX)

/* Wires that challenges refer to; in the preamble its own, in a block the slots. */
typedef struct shared {
    cuzk_bool bits[MAX_BITS]; /* of the challenge, with the partition's on top */
    cuzk_bool h_select[CUZK_UPDATE_H_SELECTS];
    cuzk_var phi, root_r_old, root_r_new;
    cuzk_var apex[MAX_APEX];
} shared;

typedef struct recorder {
    cuzk_gadgets *g;
    const cuzk_circuit_spec *spec;
    cuzk_update_layout lay;
    cuzk_gadget_tree tree_r;
    uint32_t n_apex;
    shared s;
    cuzk_var partition, comm_r_new;
    cuzk_var apex_work[MAX_APEX];
    cuzk_var siblings[MAX_SIBLINGS];
    cuzk_bool digest_bits[MAX_DIGESTS][CUZK_FR_BITS];
} recorder;

static cuzk_var hash_2(recorder *r, cuzk_gadget_hash h, cuzk_var x, cuzk_var y)
{
    const cuzk_var in[2] = {x, y};
    return cuzk_gadget_poseidon(r->g, h, in);
}

static cuzk_var public_full(cuzk_builder *b)
{
    const cuzk_var v = cuzk_builder_full(b);
    cuzk_num_inputize(b, v);
    return v;
}

/* Root over n nodes, a power of two, pairs from the left; overwrites nodes. */
static cuzk_var apex_root(recorder *r, cuzk_var *nodes, uint32_t n)
{
    cuzk_builder *b = r->g->b;
    for (int32_t level = 0; n > 1; level++, n /= 2) {
        cuzk_builder_enter(b, "level", level);
        for (uint32_t i = 0; i < n / 2; i++) {
            cuzk_builder_enter(b, "node", (int32_t)i);
            nodes[i] = cuzk_gadget_sha256_pair(r->g, nodes[2 * i], nodes[2 * i + 1]);
            cuzk_builder_leave(b);
        }
        cuzk_builder_leave(b);
    }
    return nodes[0];
}

static void record_digest(recorder *r, uint32_t j)
{
    cuzk_builder *b = r->g->b;
    cuzk_fr dpp, jj;
    cuzk_fr_from_u64(&dpp, r->lay.digests);
    cuzk_fr_from_u64(&jj, j);
    cuzk_builder_enter(b, "challenge digest", (int32_t)j);
    const cuzk_var index = cuzk_builder_full(b);
    cuzk_builder_term(b, CUZK_MATRIX_A, r->partition, cuzk_builder_coef(b, &dpp));
    cuzk_builder_term(b, CUZK_MATRIX_A, CUZK_VAR_ONE, cuzk_builder_coef(b, &jj));
    cuzk_builder_term(b, CUZK_MATRIX_B, CUZK_VAR_ONE, CUZK_COEF_ONE);
    cuzk_builder_term(b, CUZK_MATRIX_C, index, CUZK_COEF_ONE);
    cuzk_builder_row(b);
    const cuzk_var digest = hash_2(r, CUZK_GADGET_RANDOMNESS, r->comm_r_new, index);
    for (int i = 0; i < CUZK_FR_BITS; i++) {
        r->digest_bits[j][i] = cuzk_bool_alloc(b);
    }
    cuzk_num_equal_packed(b, r->digest_bits[j], CUZK_FR_BITS, digest);
    cuzk_builder_leave(b);
}

static void record_header(recorder *r)
{
    cuzk_builder *b = r->g->b;
    shared *s = &r->s;
    const uint32_t pb = r->lay.partition_bits;
    cuzk_bool select_bits[8 + CUZK_UPDATE_H_SELECTS];

    cuzk_builder_enter(b, "k_and_h_select", -1);
    const cuzk_var k_and_h = public_full(b);
    for (uint32_t i = 0; i < pb + CUZK_UPDATE_H_SELECTS; i++) {
        select_bits[i] = cuzk_bool_alloc(b);
    }
    cuzk_num_equal_packed(b, select_bits, pb + CUZK_UPDATE_H_SELECTS, k_and_h);
    memcpy(s->bits + r->lay.random_bits, select_bits, pb * sizeof(*s->bits));
    memcpy(s->h_select, select_bits + pb, sizeof(s->h_select));
    r->partition = cuzk_num_pack(b, select_bits, pb);
    cuzk_builder_leave(b);

    cuzk_builder_enter(b, "commitments", -1);
    const cuzk_var comm_r_old = public_full(b);
    const cuzk_var comm_d_new = public_full(b);
    r->comm_r_new = public_full(b);
    s->phi = hash_2(r, CUZK_GADGET_RANDOMNESS, comm_d_new, comm_r_old);
    const cuzk_var comm_c = cuzk_builder_full(b);
    s->root_r_old = cuzk_builder_full(b);
    s->root_r_new = cuzk_builder_full(b);
    for (uint32_t i = 0; i < r->n_apex; i++) {
        s->apex[i] = cuzk_builder_full(b);
    }
    for (uint32_t i = 0; i < pb; i++) {
        r->siblings[i] = cuzk_builder_full(b);
    }
    cuzk_num_equal(b, hash_2(r, CUZK_GADGET_POSEIDON_2, comm_c, s->root_r_old), comm_r_old);
    cuzk_num_equal(b, hash_2(r, CUZK_GADGET_POSEIDON_2, comm_c, s->root_r_new), r->comm_r_new);
    cuzk_builder_leave(b);

    cuzk_builder_enter(b, "apex tree", -1);
    memcpy(r->apex_work, s->apex, r->n_apex * sizeof(*s->apex));
    const cuzk_var root = apex_root(r, r->apex_work, r->n_apex);
    cuzk_builder_leave(b);
    cuzk_builder_enter(b, "partition path", -1);
    cuzk_gadget_tree top;
    cuzk_record_tree_d(&top, pb);
    /* The leaf of the top tree is the root of the partition's tree. NOLINTNEXTLINE(readability-suspicious-call-argument) */
    cuzk_gadget_por_with_bits(r->g, &top, root, select_bits, r->siblings, comm_d_new);
    cuzk_builder_leave(b);
    for (uint32_t j = 0; j < r->lay.digests; j++) {
        record_digest(r, j);
    }
}

/* slots [cuzk count below] of the challenge whose bits are in s. */
static uint32_t fill_slots(const recorder *r, cuzk_var *slots)
{
    const shared *s = &r->s;
    uint32_t n = 0;
    for (uint32_t i = 0; i < r->lay.node_bits; i++) {
        slots[n++] = cuzk_bool_var(s->bits[i]);
    }
    for (int i = 0; i < CUZK_UPDATE_H_SELECTS; i++) {
        slots[n++] = cuzk_bool_var(s->h_select[i]);
    }
    slots[n++] = s->phi;
    slots[n++] = s->root_r_old;
    slots[n++] = s->root_r_new;
    for (uint32_t i = 0; i < r->n_apex; i++) {
        slots[n++] = s->apex[i];
    }
    return n;
}

/* The inverse: shared wires as a block sees them. */
static void take_slots(recorder *r)
{
    shared *s = &r->s;
    uint32_t n = 0;
    for (uint32_t i = 0; i < r->lay.node_bits; i++) {
        s->bits[i] = cuzk_bool_is(cuzk_builder_slot(n++));
    }
    for (int i = 0; i < CUZK_UPDATE_H_SELECTS; i++) {
        s->h_select[i] = cuzk_bool_is(cuzk_builder_slot(n++));
    }
    s->phi = cuzk_builder_slot(n++);
    s->root_r_old = cuzk_builder_slot(n++);
    s->root_r_new = cuzk_builder_slot(n++);
    for (uint32_t i = 0; i < r->n_apex; i++) {
        s->apex[i] = cuzk_builder_slot(n++);
    }
}

static cuzk_var record_rho(recorder *r)
{
    cuzk_builder *b = r->g->b;
    const shared *s = &r->s;
    cuzk_var part[CUZK_UPDATE_H_SELECTS];
    for (int k = 0; k < CUZK_UPDATE_H_SELECTS; k++) {
        const uint32_t h = r->lay.h[k];
        const cuzk_var high = cuzk_num_pack(b, s->bits + r->lay.node_bits - h, h);
        part[k] = cuzk_num_mul(b, high, cuzk_bool_var(s->h_select[k]));
    }
    const cuzk_var sel = cuzk_builder_full(b);
    for (int k = 1; k < CUZK_UPDATE_H_SELECTS; k++) {
        cuzk_builder_term(b, CUZK_MATRIX_A, part[k], CUZK_COEF_ONE);
    }
    cuzk_num_equal(b, part[0], sel);
    return hash_2(r, CUZK_GADGET_RANDOMNESS, s->phi, sel);
}

static void record_path(recorder *r, const char *name, const cuzk_gadget_tree *t, cuzk_var leaf,
                        cuzk_var root)
{
    cuzk_builder *b = r->g->b;
    const unsigned n = cuzk_gadget_tree_siblings(t);
    CUZK_ASSERT(n <= MAX_SIBLINGS);
    cuzk_builder_enter(b, name, -1);
    for (unsigned i = 0; i < n; i++) {
        r->siblings[i] = cuzk_builder_full(b);
    }
    cuzk_gadget_por_with_bits(r->g, t, leaf, r->s.bits, r->siblings, root);
    cuzk_builder_leave(b);
}

static void record_challenge(recorder *r)
{
    cuzk_builder *b = r->g->b;
    const shared *s = &r->s;
    cuzk_builder_enter(b, "label", -1);
    const cuzk_var rho = record_rho(r);
    const cuzk_var leaf_r_old = cuzk_builder_full(b);
    const cuzk_var leaf_d_new = cuzk_builder_full(b);
    const cuzk_var m = cuzk_num_mul(b, leaf_d_new, rho);
    const cuzk_var leaf_r_new = cuzk_num_add(b, leaf_r_old, m);
    cuzk_builder_leave(b);
    record_path(r, "tree_r_old path", &r->tree_r, leaf_r_old, s->root_r_old);
    record_path(r, "tree_r_new path", &r->tree_r, leaf_r_new, s->root_r_new);
    cuzk_builder_enter(b, "apex leaf", -1);
    memcpy(r->apex_work, s->apex, r->n_apex * sizeof(*s->apex));
    const cuzk_var apex =
        cuzk_num_select(b, r->apex_work, s->bits + r->lay.tree_d_levels, r->lay.apex_bits);
    cuzk_builder_leave(b);
    cuzk_gadget_tree bottom;
    cuzk_record_tree_d(&bottom, r->lay.tree_d_levels);
    record_path(r, "tree_d_new path", &bottom, leaf_d_new, apex);
}

static void record_blocks(recorder *r, bool twice)
{
    cuzk_builder *b = r->g->b;
    cuzk_var slots[MAX_SLOTS];
    cuzk_builder_begin_block(b, r->spec->n_blocks, fill_slots(r, slots));
    cuzk_builder_name_block(b, "challenge");
    for (uint32_t k = 0; k < r->spec->n_blocks; k++) {
        const uint32_t j = k / r->lay.digest_challenges, i = k % r->lay.digest_challenges;
        memcpy(r->s.bits, r->digest_bits[j] + i * r->lay.random_bits,
               r->lay.random_bits * sizeof(*r->s.bits));
        (void)fill_slots(r, slots);
        cuzk_builder_bind(b, k, slots);
    }
    take_slots(r);
    record_challenge(r);
    if (twice) {
        cuzk_builder_record_again(b);
        record_challenge(r);
    }
}

cuzk_status cuzk_record_update(cuzk_builder *b, const cuzk_circuit_spec *spec, bool twice,
                               cuzk_err *err)
{
    recorder *r = cuzk_alloc_zero(1, sizeof(*r));
    if (r == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory to record an update circuit");
    }
    r->spec = spec;
    r->lay = cuzk_update_layout_of(spec->shape);
    r->n_apex = spec->shape->apex_leaves;
    CUZK_ASSERT(r->n_apex <= MAX_APEX && r->lay.digests <= MAX_DIGESTS);
    cuzk_record_tree_r(&r->tree_r, spec->shape);
    const uint32_t hashes = 1u << CUZK_GADGET_POSEIDON_2 | 1u << CUZK_GADGET_RANDOMNESS |
                            cuzk_record_tree_r_hashes(spec->shape);
    const cuzk_status st = cuzk_gadgets_create(&r->g, b, hashes, err);
    if (st == CUZK_OK) {
        record_header(r);
        record_blocks(r, twice);
    }
    cuzk_gadgets_destroy(r->g);
    cuzk_free(r);
    return st;
}
