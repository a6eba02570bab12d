/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_GROTH16_SETUP_INTERNAL_H
#define CUZK_GROTH16_SETUP_INTERNAL_H

#include "groth16/setup/setup.h"

/** The six points of a key that are powers of the waste alone; not ic. */
void cuzk_setup_vk_points(cuzk_srs_vk *vk, const cuzk_toxic *x);

#endif /* CUZK_GROTH16_SETUP_INTERNAL_H */
