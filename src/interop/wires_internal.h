/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_INTEROP_WIRES_INTERNAL_H
#define CUZK_INTEROP_WIRES_INTERNAL_H

/*
 * circom's wire numbering in a compiled circuit: wire 0 is ONE, wires 1..n_public are inputs, the
 * others aux wires, all full.
 */
#include "r1cs/build/builder.h"

static inline cuzk_var cuzk_wires_var(uint32_t n_public, uint32_t wire)
{
    if (wire == 0) {
        return CUZK_VAR_ONE;
    }
    return wire <= n_public ? cuzk_var_make(CUZK_VAR_KIND_INPUT, wire - 1)
                            : cuzk_var_make(CUZK_VAR_KIND_FULL, wire - 1 - n_public);
}

/** Allocates all wires in an empty builder, in the order that cuzk_wires_var relies on. */
static inline void cuzk_wires_declare(cuzk_builder *b, uint32_t n_wires, uint32_t n_public)
{
    for (uint32_t i = 1; i < n_wires; i++) {
        if (i <= n_public) {
            (void)cuzk_builder_input(b);
        } else {
            (void)cuzk_builder_full(b);
        }
    }
}

#endif /* CUZK_INTEROP_WIRES_INTERNAL_H */
