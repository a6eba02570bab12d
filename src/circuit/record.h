/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_CIRCUIT_RECORD_H
#define CUZK_CIRCUIT_RECORD_H

/* Recording one circuit into a builder; behind cuzk_filecoin_circuit_build, and for tests. */
#include "circuit/filecoin.h"
#include "gadget/merkle.h"

/** TreeC and TreeR of a sector, TreeD's lowest n_levels levels. */
void cuzk_record_tree_r(cuzk_gadget_tree *out, const cuzk_sector_shape *s);
void cuzk_record_tree_d(cuzk_gadget_tree *out, unsigned n_levels);
/** Poseidon gadgets that TreeR needs, as a mask for cuzk_gadgets_create. */
uint32_t cuzk_record_tree_r_hashes(const cuzk_sector_shape *s);

/*
 * Preamble, begin_block, bindings, and one block. With `twice` the block is recorded a second time
 * after cuzk_builder_record_again.
 */
CUZK_NODISCARD cuzk_status cuzk_record_porep(cuzk_builder *b, const cuzk_circuit_spec *spec,
                                             bool twice, cuzk_err *err);
CUZK_NODISCARD cuzk_status cuzk_record_post(cuzk_builder *b, const cuzk_circuit_spec *spec,
                                            bool twice, cuzk_err *err);
CUZK_NODISCARD cuzk_status cuzk_record_update(cuzk_builder *b, const cuzk_circuit_spec *spec,
                                              bool twice, cuzk_err *err);
/** The one for spec->kind. */
CUZK_NODISCARD cuzk_status cuzk_record_circuit(cuzk_builder *b, const cuzk_circuit_spec *spec,
                                               bool twice, cuzk_err *err);

#endif /* CUZK_CIRCUIT_RECORD_H */
