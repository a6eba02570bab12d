/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_AGGREGATE_STATEMENTS_H
#define CUZK_AGGREGATE_STATEMENTS_H

#include "aggregate/aggregate.h"

/**
 * out[0] = sum of the weights, out[1 + j] = sum over i of w_i x_ij, canonical, with the last statement
 * repeated for the weights from claim->n to n. out [claim->n_inputs + 1]. step NULL: the weights are
 * w [n]; otherwise they are the powers of *step and w is NULL. E_ENCODING, naming it, for an input
 * that is not below r.
 */
CUZK_NODISCARD cuzk_status cuzk_agg_weigh_inputs(cuzk_scalar *out, const cuzk_agg_claim *claim,
                                                 const cuzk_fr *w, const cuzk_fr *step, size_t n,
                                                 cuzk_err *err);

#endif /* CUZK_AGGREGATE_STATEMENTS_H */
