/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_TEST_GROTH16_SRS_UTIL_H
#define CUZK_TEST_GROTH16_SRS_UTIL_H

/* Small parameters of random points, without a circuit behind them. */
#include "groth16/params/srs.h"

/** Counts h, l, a, b (b_g1 and b_g2); every point a multiple of its generator. Checks for success. */
cuzk_srs *test_srs_random(uint32_t n_ic, uint64_t h, uint64_t l, uint64_t a, uint64_t b);
/** A point on the curve and outside the subgroup. */
void test_g1_outside_subgroup(cuzk_g1_affine *out);
void test_g2_outside_subgroup(cuzk_g2_affine *out);
/** The .params bytes of srs, written to a file in the case's directory and read back; free(). */
uint8_t *test_srs_bytes(const cuzk_srs *srs, size_t *n);
/** Offset of point i of a section in the bytes of srs. */
size_t test_srs_offset(const cuzk_srs *srs, cuzk_srs_section s, uint64_t i);

#endif /* CUZK_TEST_GROTH16_SRS_UTIL_H */
