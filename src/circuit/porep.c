/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * StackedDRG PoRep (docs/spec/porep.md#circuit), L layers. A block is a challenge.
 *
 * Wires of the preamble, in order (P: the trace of a Poseidon hash, all full):
 *   replica_id full; input; 255 bits of replica_id; comm_d full; input; comm_r full; input;
 *   comm_r_last full; comm_c full; P_2(comm_c, comm_r_last)
 *
 * Slots of a block: 0..254 the bits of replica_id; 255 comm_d; 256 comm_c; 257 comm_r_last.
 *
 * Wires of a block, in order:
 *   data_leaf full; path in TreeD (below); input (its index)
 *   per parent, 6 DRG then 8 expander: column: L full (layers 1..L); P_L(column); path in TreeC of
 *     the hash; input
 *   64 bits of the challenge; input
 *   per layer l = 1..L:
 *     255 bits of each DRG parent's label in layer l; for l > 1 of each expander parent's in l - 1
 *     label: bits of 20 SHA-256 blocks (gadget/sha256_gadget.h); label full
 *   encoded full; path in TreeR of it; input
 *   P_L(labels 1..L); path in TreeC of it; input
 *
 * Path, per level of arity a: log2(a) bits; a - 1 siblings full;
 *   insert: arity 2: 2 full; 4: 8 full; 8: nor bit, and bit, 20 full; then
 *   Poseidon trees: P_a; TreeD: 255 bits of each child, the bits of 2 SHA-256 blocks, node full.
 */
#include "base/alloc.h"
#include "circuit/record.h"
#include "gadget/label.h"

#define N_PARENTS (CUZK_DRG_PARENTS + CUZK_EXP_PARENTS)
#define N_SLOTS   (CUZK_FR_BITS + 3)

CUZK_STATIC_ASSERT(N_PARENTS == CUZK_LABEL_ALL_PARENTS, "DRG and expander parents of a label");
CUZK_STATIC_ASSERT(CUZK_LABEL_HASHED_PARENTS == CUZK_LABEL_PARENTS, "parents hashed into a label");

typedef struct recorder {
    cuzk_gadgets *g;
    const cuzk_circuit_spec *spec;
    cuzk_gadget_tree tree_d, tree_r; /* TreeC has TreeR's shape */
    cuzk_sha_node replica_id;
    cuzk_sha_node parent_bits[N_PARENTS];
    cuzk_var column[N_PARENTS][CUZK_MAX_LAYERS];
} recorder;

static cuzk_var column_hash(recorder *r, const cuzk_var *column)
{
    return cuzk_gadget_poseidon(r->g, cuzk_gadget_poseidon_of(r->spec->shape->layers), column);
}

static void record_header(recorder *r, cuzk_var slots[N_SLOTS])
{
    cuzk_builder *b = r->g->b;
    cuzk_bool bits[CUZK_FR_BITS];
    cuzk_builder_enter(b, "replica_id", -1);
    const cuzk_var replica_id = cuzk_builder_full(b);
    cuzk_num_inputize(b, replica_id);
    cuzk_num_to_bits(b, bits, replica_id);
    cuzk_builder_leave(b);
    cuzk_builder_enter(b, "comm_d", -1);
    const cuzk_var comm_d = cuzk_builder_full(b);
    cuzk_num_inputize(b, comm_d);
    cuzk_builder_leave(b);
    cuzk_builder_enter(b, "comm_r", -1);
    const cuzk_var comm_r = cuzk_builder_full(b);
    cuzk_num_inputize(b, comm_r);
    const cuzk_var comm_r_last = cuzk_builder_full(b);
    const cuzk_var comm_c = cuzk_builder_full(b);
    const cuzk_var in[2] = {comm_c, comm_r_last};
    cuzk_num_equal(b, comm_r, cuzk_gadget_poseidon(r->g, CUZK_GADGET_POSEIDON_2, in));
    cuzk_builder_leave(b);
    for (int i = 0; i < CUZK_FR_BITS; i++) {
        slots[i] = cuzk_bool_var(bits[i]);
    }
    slots[CUZK_FR_BITS] = comm_d;
    slots[CUZK_FR_BITS + 1] = comm_c;
    slots[CUZK_FR_BITS + 2] = comm_r_last;
}

static void record_parent(recorder *r, unsigned i, cuzk_var comm_c)
{
    cuzk_builder *b = r->g->b;
    const bool is_drg = i < CUZK_DRG_PARENTS;
    cuzk_builder_enter(b, is_drg ? "drg parent" : "expander parent",
                       (int32_t)(is_drg ? i : i - CUZK_DRG_PARENTS));
    for (unsigned l = 0; l < r->spec->shape->layers; l++) {
        r->column[i][l] = cuzk_builder_full(b);
    }
    cuzk_builder_enter(b, "column hash", -1);
    const cuzk_var leaf = column_hash(r, r->column[i]);
    cuzk_builder_leave(b);
    cuzk_builder_enter(b, "tree_c path", -1);
    cuzk_gadget_por(r->g, &r->tree_r, leaf, comm_c);
    cuzk_builder_leave(b);
    cuzk_builder_leave(b);
}

/* layer counts from 1. */
static cuzk_var record_label(recorder *r, unsigned layer, const cuzk_bool node[64])
{
    cuzk_builder *b = r->g->b;
    const unsigned n = layer == 1 ? CUZK_DRG_PARENTS : N_PARENTS;
    cuzk_builder_enter(b, "layer", (int32_t)layer);
    for (unsigned i = 0; i < n; i++) {
        cuzk_bool bits[CUZK_FR_BITS];
        const unsigned of_layer = i < CUZK_DRG_PARENTS ? layer : layer - 1;
        cuzk_builder_enter(b, "parent bits", (int32_t)i);
        cuzk_num_to_bits(b, bits, r->column[i][of_layer - 1]);
        cuzk_builder_leave(b);
        cuzk_num_bits_to_sha(r->parent_bits[i].bit, bits);
    }
    const cuzk_var label = cuzk_gadget_label(r->g, &r->replica_id, layer, node, r->parent_bits, n);
    cuzk_builder_leave(b);
    return label;
}

static void record_challenge(recorder *r)
{
    cuzk_builder *b = r->g->b;
    const cuzk_var comm_d = cuzk_builder_slot(CUZK_FR_BITS);
    const cuzk_var comm_c = cuzk_builder_slot(CUZK_FR_BITS + 1);
    const cuzk_var comm_r_last = cuzk_builder_slot(CUZK_FR_BITS + 2);
    const unsigned layers = r->spec->shape->layers;

    cuzk_builder_enter(b, "tree_d path", -1);
    const cuzk_var data_leaf = cuzk_builder_full(b);
    cuzk_gadget_por(r->g, &r->tree_d, data_leaf, comm_d);
    cuzk_builder_leave(b);
    for (unsigned i = 0; i < N_PARENTS; i++) {
        record_parent(r, i, comm_c);
    }

    cuzk_bool node[64];
    cuzk_builder_enter(b, "challenge bits", -1);
    for (int i = 0; i < 64; i++) {
        node[i] = cuzk_bool_alloc(b);
    }
    cuzk_num_pack_into_input(b, node, 64);
    cuzk_builder_leave(b);

    cuzk_var labels[CUZK_MAX_LAYERS];
    for (unsigned l = 1; l <= layers; l++) {
        labels[l - 1] = record_label(r, l, node);
    }

    cuzk_builder_enter(b, "encoding", -1);
    const cuzk_var encoded = cuzk_num_add(b, labels[layers - 1], data_leaf);
    cuzk_builder_leave(b);
    cuzk_builder_enter(b, "tree_r path", -1);
    cuzk_gadget_por(r->g, &r->tree_r, encoded, comm_r_last);
    cuzk_builder_leave(b);
    cuzk_builder_enter(b, "column hash", -1);
    const cuzk_var column = column_hash(r, labels);
    cuzk_builder_leave(b);
    cuzk_builder_enter(b, "tree_c path", -1);
    cuzk_gadget_por(r->g, &r->tree_r, column, comm_c);
    cuzk_builder_leave(b);
}

static void record_blocks(recorder *r, const cuzk_var *slots, bool twice)
{
    cuzk_builder *b = r->g->b;
    cuzk_bool bits[CUZK_FR_BITS];
    cuzk_builder_begin_block(b, r->spec->n_blocks, N_SLOTS);
    cuzk_builder_name_block(b, "challenge");
    for (uint32_t k = 0; k < r->spec->n_blocks; k++) {
        cuzk_builder_bind(b, k, slots);
    }
    for (uint32_t i = 0; i < CUZK_FR_BITS; i++) {
        bits[i] = cuzk_bool_is(cuzk_builder_slot(i));
    }
    cuzk_num_bits_to_sha(r->replica_id.bit, bits);
    record_challenge(r);
    if (twice) {
        cuzk_builder_record_again(b);
        record_challenge(r);
    }
}

cuzk_status cuzk_record_porep(cuzk_builder *b, const cuzk_circuit_spec *spec, bool twice,
                              cuzk_err *err)
{
    recorder *r = cuzk_alloc_zero(1, sizeof(*r));
    if (r == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory to record a PoRep circuit");
    }
    r->spec = spec;
    cuzk_record_tree_r(&r->tree_r, spec->shape);
    cuzk_record_tree_d(&r->tree_d, spec->shape->lg_nodes);
    const uint32_t hashes = 1u << CUZK_GADGET_POSEIDON_2 |
                            1u << cuzk_gadget_poseidon_of(spec->shape->layers) |
                            cuzk_record_tree_r_hashes(spec->shape);
    const cuzk_status st = cuzk_gadgets_create(&r->g, b, hashes, err);
    if (st == CUZK_OK) {
        cuzk_var slots[N_SLOTS];
        record_header(r, slots);
        record_blocks(r, slots, twice);
    }
    cuzk_gadgets_destroy(r->g);
    cuzk_free(r);
    return st;
}
