/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_VANILLA_GENERATE_GENERATE_INTERNAL_H
#define CUZK_VANILLA_GENERATE_GENERATE_INTERNAL_H

#include "vanilla/generate/generate.h"

/* A field element that depends on everything given: trimmed SHA-256. */
void synthetic_node(cuzk_node *out, uint64_t seed, const char *what, uint64_t a, uint64_t b);
/* Poseidon_2(comm_c, comm_r_last). */
bool synthetic_comm_r(cuzk_node *out, const cuzk_node *comm_c, const cuzk_node *comm_r_last,
                      const cuzk_hashes *h);

#endif /* CUZK_VANILLA_GENERATE_GENERATE_INTERNAL_H */
