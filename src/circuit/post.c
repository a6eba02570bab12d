/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * WinningPoSt and WindowPoSt (docs/spec/post.md#circuit). No preamble, no slots; a block is a sector.
 *
 * Wires of a block, in order (P: the trace of a Poseidon hash, all full):
 *   comm_r_last full; comm_c full; comm_r full; input (comm_r); P_2(comm_c, comm_r_last)
 *   per challenge (Winning 1, Window 10):
 *     leaf full
 *     per level of TreeR, of arity a: log2(a) bits; a - 1 siblings full;
 *       insert: arity 2: 2 full; 4: 8 full; 8: nor bit, and bit, 20 full;
 *       P_a
 *     input (leaf index)
 */
#include "circuit/record.h"

static void record_sector(cuzk_gadgets *g, const cuzk_circuit_spec *spec,
                          const cuzk_gadget_tree *tree)
{
    cuzk_builder *b = g->b;
    cuzk_builder_enter(b, "comm_r", -1);
    const cuzk_var comm_r_last = cuzk_builder_full(b);
    const cuzk_var comm_c = cuzk_builder_full(b);
    const cuzk_var comm_r = cuzk_builder_full(b);
    cuzk_num_inputize(b, comm_r);
    const cuzk_var in[2] = {comm_c, comm_r_last};
    cuzk_num_equal(b, comm_r, cuzk_gadget_poseidon(g, CUZK_GADGET_POSEIDON_2, in));
    cuzk_builder_leave(b);
    for (uint32_t i = 0; i < spec->block_proofs; i++) {
        if (spec->kind == CUZK_CIRCUIT_WINDOW) {
            cuzk_builder_enter(b, "challenge", (int32_t)i);
        } else { /* the block itself is the challenge */
            cuzk_builder_enter(b, "tree_r path", -1);
        }
        cuzk_gadget_por(g, tree, cuzk_builder_full(b), comm_r_last);
        cuzk_builder_leave(b);
    }
}

cuzk_status cuzk_record_post(cuzk_builder *b, const cuzk_circuit_spec *spec, bool twice,
                             cuzk_err *err)
{
    cuzk_gadgets *g = NULL;
    cuzk_gadget_tree tree;
    cuzk_record_tree_r(&tree, spec->shape);
    const uint32_t hashes = 1u << CUZK_GADGET_POSEIDON_2 | cuzk_record_tree_r_hashes(spec->shape);
    CUZK_TRY(cuzk_gadgets_create(&g, b, hashes, err));
    cuzk_builder_begin_block(b, spec->n_blocks, 0);
    cuzk_builder_name_block(b, spec->kind == CUZK_CIRCUIT_WINDOW ? "sector" : "challenge");
    record_sector(g, spec, &tree);
    if (twice) {
        cuzk_builder_record_again(b);
        record_sector(g, spec, &tree);
    }
    cuzk_gadgets_destroy(g);
    return CUZK_OK;
}
