/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_VANILLA_CHECK_PUBLIC_INPUTS_H
#define CUZK_VANILLA_CHECK_PUBLIC_INPUTS_H

/*
 * Public inputs of a proof, ONE left out, derived from the statement alone: no vanilla proof is
 * looked at (docs/spec/porep.md#public-inputs, docs/spec/post.md#public-inputs,
 * docs/spec/update.md#public-inputs). Montgomery form.
 */
#include "vanilla/check/check.h"

/** 3 + 18 per challenge of a partition. */
uint32_t cuzk_porep_n_public_inputs(const cuzk_sector_shape *shape);
/** out [cuzk_porep_n_public_inputs]. E_INVALID when a commitment is not a field element or the partition does not exist. */
CUZK_NODISCARD cuzk_status cuzk_porep_public_inputs(cuzk_fr *out, const cuzk_porep_statement *s,
                                                    uint32_t partition, cuzk_err *err);

/** A sector as the verifier knows it. */
typedef struct cuzk_post_public_sector {
    uint64_t sector_id;
    cuzk_node comm_r;
} cuzk_post_public_sector;

/** Circuit sectors * (1 + challenges). */
uint32_t cuzk_post_n_public_inputs(const cuzk_post_type *type);
/** E_INVALID: a WinningPoSt with another partition than 0. */
CUZK_NODISCARD cuzk_status cuzk_post_check_partition(const cuzk_post_statement *st, cuzk_err *err);
/** sectors [n] of the partition; a short partition repeats its last sector. E_INVALID as above, and for n out of range. */
CUZK_NODISCARD cuzk_status cuzk_post_public_inputs(cuzk_fr *out, const cuzk_post_statement *st,
                                                   const cuzk_post_public_sector *sectors,
                                                   uint32_t n, cuzk_err *err);

#define CUZK_UPDATE_PUBLIC_INPUTS 4
CUZK_NODISCARD cuzk_status cuzk_update_public_inputs(cuzk_fr out[CUZK_UPDATE_PUBLIC_INPUTS],
                                                     const cuzk_update_statement *st,
                                                     cuzk_err *err);

#endif /* CUZK_VANILLA_CHECK_PUBLIC_INPUTS_H */
