/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "gadget/label.h"

#include "base/assert.h"

cuzk_var cuzk_gadget_label(cuzk_gadgets *g, const cuzk_sha_node *replica_id, uint32_t layer,
                           const cuzk_bool node[64], const cuzk_sha_node *parents,
                           unsigned n_parents)
{
    CUZK_ASSERT(n_parents == (layer == 1 ? CUZK_LABEL_DRG_PARENTS : CUZK_LABEL_ALL_PARENTS));
    cuzk_builder *b = g->b;
    cuzk_bool second[CUZK_NODE_BITS]; /* layer, node, zeros */
    for (int i = 0; i < 32; i++) {
        second[i] = cuzk_bool_const((layer >> (31 - i) & 1) != 0);
    }
    for (int i = 0; i < 64; i++) {
        second[32 + i] = node[63 - i];
    }
    for (int i = 96; i < CUZK_NODE_BITS; i++) {
        second[i] = cuzk_bool_const(false);
    }
    cuzk_builder_enter(b, "label sha256", -1);
    cuzk_sha256_gadget_init(&g->sha);
    cuzk_sha256_gadget_update(b, &g->sha, replica_id->bit, CUZK_NODE_BITS);
    cuzk_sha256_gadget_update(b, &g->sha, second, CUZK_NODE_BITS);
    for (unsigned i = 0; i < CUZK_LABEL_HASHED_PARENTS; i++) {
        cuzk_sha256_gadget_update(b, &g->sha, parents[i % n_parents].bit, CUZK_NODE_BITS);
    }
    const cuzk_var label = cuzk_gadget_sha256_node(g);
    cuzk_builder_leave(b);
    return label;
}
