/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_R1CS_IDENTITY_INTERNAL_H
#define CUZK_R1CS_IDENTITY_INTERNAL_H

#include "r1cs/circuit.h"

/** Sets c->identity from everything but the names of rows. */
void cuzk_circuit_identify(cuzk_circuit *c);

#endif /* CUZK_R1CS_IDENTITY_INTERNAL_H */
