/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_AGGREGATE_PROVE_AGG_C_SUMS_H
#define CUZK_AGGREGATE_PROVE_AGG_C_SUMS_H

/*
 * Z_C and the two sums of C of each round, with few sums over points. The coefficients of a round are c r^i, so that
 * the sums over crossed halves are multiples of those over the halves:
 *   Z_C_R = sum of rho[h + i] C[i] = r^h lo,    Z_C_L = sum of rho[i] C[h + i] = r^-h hi,
 *   lo = sum of rho[i] C[i], hi = sum of rho[h + i] C[h + i], i < h.
 * lo + hi is the whole sum, which a fold by x takes to whole + x Z_C_L + Z_C_R / x. So one half is summed in a round,
 * and none in the first one. Short halves are summed crossed, which is less work then.
 */
#include "ec/g1.h"
#include "ff/fr.h"
#include "sys/pool.h"

typedef struct cuzk_agg_c_sums {
    cuzk_scalar *k; /* [n] scratch, borrowed */
    cuzk_pool *pool;
    const cuzk_cancel *cancel;
    cuzk_fr r, r_inv;
    cuzk_g1 whole, lo; /* of the vectors as they are */
    bool has_whole, has_lo;
    cuzk_g1 l, r_side; /* of the last round */
} cuzk_agg_c_sums;

/** k, pool and cancel are set; r is the base of rho. *z_c = sum of rho[i] c[i], both [m]. */
CUZK_NODISCARD cuzk_status cuzk_agg_c_begin(cuzk_agg_c_sums *s, cuzk_g1_affine *z_c,
                                            const cuzk_fr *r, const cuzk_g1_affine *c,
                                            const cuzk_fr *rho, size_t m, cuzk_err *err);
/** Z_C_L and Z_C_R of a round; c and rho are [2 h]. */
CUZK_NODISCARD cuzk_status cuzk_agg_c_round(cuzk_agg_c_sums *s, cuzk_g1_affine *l,
                                            cuzk_g1_affine *r, const cuzk_g1_affine *c,
                                            const cuzk_fr *rho, size_t h, cuzk_err *err);
/** After cuzk_agg_c_round: the vectors are folded by x, and have h elements. */
void cuzk_agg_c_fold(cuzk_agg_c_sums *s, const cuzk_fr *x, const cuzk_fr *x_inv, size_t h);

#endif /* CUZK_AGGREGATE_PROVE_AGG_C_SUMS_H */
