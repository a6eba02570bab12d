/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_PAIRING_GT_H
#define CUZK_PAIRING_GT_H

/*
 * GT, the target group of the pairing: the elements of Fp12 of order r. Written multiplicatively;
 * the inverse is the conjugate. An element is a cuzk_fp12; every function here but the decoder and
 * the subgroup test needs elements of GT. Variable time, nothing allocates.
 *
 * On GT, a^q = a^z (q = z mod r), so that the Frobenius map gives powers of z for almost nothing
 * and an exponent below r becomes four digits of 64 bits (ec/endo_hd.h).
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "ff/fr.h"
#include "ff/tower/fp12.h"

/** Twelve coefficients of 48 bytes, little-endian: c0.c0.c0, c0.c0.c1, c0.c1.c0, ..., c1.c2.c1. */
#define CUZK_GT_BYTES            576
/** b = (c0 + 1) / c1 of Fp6, six coefficients in the same order. */
#define CUZK_GT_COMPRESSED_BYTES 288

void cuzk_gt_encode(uint8_t out[CUZK_GT_BYTES], const cuzk_fp12 *a);
/**
 * The torus form (Rubin, Silverberg, CRYPTO 2003) of an element with a^(q^6 + 1) = 1.
 * False, and out untouched, for c1 = 0 (1 and -1), which have none.
 */
CUZK_NODISCARD bool cuzk_gt_compress(uint8_t out[CUZK_GT_COMPRESSED_BYTES], const cuzk_fp12 *a);
/**
 * The element of a compressed form, checked: E_ENCODING when a coefficient is not below q,
 * E_NOT_IN_GROUP when its order is not r. On failure out is untouched.
 */
CUZK_NODISCARD cuzk_status cuzk_gt_decompress(cuzk_fp12 *out,
                                              const uint8_t in[CUZK_GT_COMPRESSED_BYTES]);

/** The same without the test of the order: E_ENCODING only. For cuzk_gt_first_outside. */
CUZK_NODISCARD cuzk_status cuzk_gt_decompress_any(cuzk_fp12 *out,
                                                  const uint8_t in[CUZK_GT_COMPRESSED_BYTES]);

/** The first i < n for which a[i] is not in the group; n: all are. Four at a time where the processor has AVX2. */
size_t cuzk_gt_first_outside(const cuzk_fp12 *const *a, size_t n);
/** a^r = 1, for any a of Fp12; false for 0. By the endomorphism (Scott, eprint 2021/1130). */
bool cuzk_gt_is_in_group(const cuzk_fp12 *a);

/** One factor of a product of powers. */
typedef struct cuzk_gt_term {
    cuzk_fp12 base;
    cuzk_scalar exponent; /* below r */
} cuzk_gt_term;

/** Odd powers of one base and of its three Frobenius images. About 10 KiB. */
typedef struct cuzk_gt_table {
    cuzk_fp12 odd[4][4]; /* [k][i] = base^((2 i + 1) |z|^k) */
    int8_t digit[4][66];
} cuzk_gt_table;

/** out = product of base^exponent over n terms; 1 for n = 0. scratch [n]. */
void cuzk_gt_multi_pow(cuzk_fp12 *out, const cuzk_gt_term *terms, size_t n, cuzk_gt_table *scratch);
/** out = a^e, e below r. Uses 10 KiB of stack. */
void cuzk_gt_pow(cuzk_fp12 *out, const cuzk_fp12 *a, const cuzk_scalar *e);

#endif /* CUZK_PAIRING_GT_H */
