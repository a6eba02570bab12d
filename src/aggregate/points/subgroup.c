/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "aggregate/points/subgroup.h"

#include <stdatomic.h>

#include "base/alloc.h"
#include "base/entropy.h"

/* Subsets, and from how many points on a table has 256 buckets in place of 16. */
enum { BITS = 64, MANY = 600 };

#define SUB_AFF        cuzk_g1_affine
#define SUB_XYZZ       cuzk_g1_xyzz
#define SUB_JAC        cuzk_g1
#define SUB_FN(verb)   cuzk_g1_##verb
#define SUB_NAME(verb) g1_##verb
#include "aggregate/points/subgroup_tmpl.h"
#undef SUB_AFF
#undef SUB_XYZZ
#undef SUB_JAC
#undef SUB_FN
#undef SUB_NAME

#define SUB_AFF        cuzk_g2_affine
#define SUB_XYZZ       cuzk_g2_xyzz
#define SUB_JAC        cuzk_g2
#define SUB_FN(verb)   cuzk_g2_##verb
#define SUB_NAME(verb) g2_##verb
#include "aggregate/points/subgroup_tmpl.h"

cuzk_status cuzk_agg_g1_in_subgroup(bool *all, const cuzk_g1_affine *p, size_t n, cuzk_pool *pool,
                                    const cuzk_cancel *cancel, cuzk_err *err)
{
    return g1_test(all, p, n, pool, cancel, err);
}

cuzk_status cuzk_agg_g2_in_subgroup(bool *all, const cuzk_g2_affine *p, size_t n, cuzk_pool *pool,
                                    const cuzk_cancel *cancel, cuzk_err *err)
{
    return g2_test(all, p, n, pool, cancel, err);
}
