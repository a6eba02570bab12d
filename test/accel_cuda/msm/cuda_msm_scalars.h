/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_TEST_ACCEL_CUDA_MSM_CUDA_MSM_SCALARS_H
#define CUZK_TEST_ACCEL_CUDA_MSM_CUDA_MSM_SCALARS_H

#include "ff/fr.h"

#include "test.h"

typedef enum scalar_kind { DENSE, EDGE, SPARSE, EQUAL, TOP, BITS01, KINDS } scalar_kind;

/* Canonical scalars cut to nbits. */
static inline void fill_scalars(cuzk_scalar *s, size_t n, scalar_kind k, unsigned nbits)
{
    cuzk_fr minus_one;
    cuzk_fr_neg(&minus_one, &CUZK_FR_ONE);
    for (size_t i = 0; i < n; i++) {
        cuzk_scalar v;
        cuzk_fr t;
        if (k == EDGE) {
            test_bytes(&v, sizeof(v));
        } else {
            v = (cuzk_scalar){{test_u64(), test_u64(), test_u64(), test_u64()}};
        }
        cuzk_fr_from_scalar(&t, &v);
        cuzk_fr_to_scalar(&s[i], &t);
        if (k == TOP) {
            cuzk_fr_to_scalar(&s[i], &minus_one);
        } else if (k == EQUAL && i > 0) {
            s[i] = s[0];
        } else if (k == SPARSE && test_below(50) != 0) {
            s[i] = (cuzk_scalar){{0}};
        } else if (k == BITS01 && test_below(50) != 0) {
            s[i] = (cuzk_scalar){{test_below(2)}};
        }
        for (unsigned b = nbits; b < 256; b++) {
            s[i].l[b / 64] &= ~((uint64_t)1 << b % 64);
        }
    }
}

#endif
