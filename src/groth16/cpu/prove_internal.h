/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_GROTH16_PROVE_INTERNAL_H
#define CUZK_GROTH16_PROVE_INTERNAL_H

#include "groth16/cpu/prove.h"

/** Sums over the sections of witness value times point, without the key's constant points. */
typedef struct cuzk_prove_sums {
    cuzk_g1 h, l, a, b1;
    cuzk_g2 b2;
} cuzk_prove_sums;

/** E_INVALID names the first count in which parameters and circuit differ. */
CUZK_NODISCARD cuzk_status cuzk_prove_check_match(const cuzk_circuit *c, const cuzk_srs *srs,
                                                  cuzk_err *err);
/**
 * The proof of r and s below the group order, without the check for infinity: no branch or address depends
 * on r and s, and what follows from them is wiped.
 */
void cuzk_prove_assemble_ct(cuzk_proof *out, const cuzk_prove_sums *sums, const cuzk_srs_vk *vk,
                            const cuzk_scalar *r, const cuzk_scalar *s);
/** The proof; r and s as in cuzk_prove_opts. E_INVALID (r, s), E_INFINITY. */
CUZK_NODISCARD cuzk_status cuzk_prove_assemble(cuzk_proof *out, const cuzk_prove_sums *sums,
                                               const cuzk_srs_vk *vk, const cuzk_scalar *r,
                                               const cuzk_scalar *s, cuzk_err *err);

#endif /* CUZK_GROTH16_PROVE_INTERNAL_H */
