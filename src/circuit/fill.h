/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_CIRCUIT_FILL_H
#define CUZK_CIRCUIT_FILL_H

/*
 * Witnesses of the Filecoin circuits from vanilla proofs: straight-line code, parallel over blocks.
 * The input must have passed its native check (vanilla/check/check.h) and w must be of the input's
 * circuit; a part that comes out too short or too long is E_SELFTEST. E_VANILLA when a value is not
 * a field element.
 */
#include "r1cs/witness.h"
#include "vanilla/check/check.h"

CUZK_NODISCARD cuzk_status cuzk_porep_fill(cuzk_witness *w, const cuzk_porep_input *in,
                                           uint32_t partition, const cuzk_hashes *h,
                                           cuzk_pool *pool, const cuzk_cancel *cancel,
                                           cuzk_err *err);
/** A short WindowPoSt partition repeats its last sector. */
CUZK_NODISCARD cuzk_status cuzk_post_fill(cuzk_witness *w, const cuzk_post_input *in,
                                          bool is_window, const cuzk_hashes *h, cuzk_pool *pool,
                                          const cuzk_cancel *cancel, cuzk_err *err);
CUZK_NODISCARD cuzk_status cuzk_update_fill(cuzk_witness *w, const cuzk_update_input *in,
                                            const cuzk_update_statement *st, const cuzk_hashes *h,
                                            cuzk_pool *pool, const cuzk_cancel *cancel,
                                            cuzk_err *err);

#endif /* CUZK_CIRCUIT_FILL_H */
