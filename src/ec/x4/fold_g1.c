/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "ec/x4/fold_x4.h"

#ifdef CUZK_FF_AVX2
#    include "ec/ec_internal.h"
#    include "ec/endo.h"
#    include "ff/x4/fp_x4.h"

#    define EC_F        cuzk_fp
#    define EC_FF(verb) cuzk_fp_##verb
#    define EC_V        cuzk_fp_x4
#    define EC_VF(verb) cuzk_fp_x4_##verb
#    define EC_AFF      cuzk_g1_affine
#    define EC_JAC      cuzk_g1
#    define EC_FN(verb) cuzk_g1_##verb
#    define EC_ONE      CUZK_FP_ONE
#    define EC_DIGITS   2
#    define EC_Y        1
#    define EC_W        5

/* d[0..1] + d[2..3] z^2. */
static void split_scalar(uint64_t d[4], const uint64_t s[4])
{
    uint64_t k0[2], k1[2];
    cuzk_endo_split_g1_hd(k0, k1, s);
    d[0] = k0[0];
    d[1] = k0[1];
    d[2] = k1[0];
    d[3] = k1[1];
}

struct table;
static void endomorphisms(struct table *t, size_t i);

#    include "ec/x4/fold_tmpl.h"

/* z^2 P = (beta x, -y). */
static void endomorphisms(table *t, size_t i)
{
    cuzk_fp_x4 beta;
    set_all(&beta, &CUZK_ENDO_BETA);
    cuzk_fp_x4_mul(&t->x[1][i], &t->x[0][i], &beta);
}

void cuzk_g1_fold_avx2(cuzk_g1_affine *out, const cuzk_g1_affine *low, const cuzk_g1_affine *high,
                       const cuzk_scalar *k, size_t n, void *scratch)
{
    fold(out, low, high, k, n, &CUZK_G1_GENERATOR, scratch);
}
#endif
