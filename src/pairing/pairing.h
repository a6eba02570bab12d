/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_PAIRING_PAIRING_H
#define CUZK_PAIRING_PAIRING_H

/*
 * The optimal ate pairing of BLS12-381 (Vercauteren, eprint 2008/096): the Miller loop runs over
 * |z|, 64 bits. Points are affine, on the curve and in the subgroup; infinity pairs to 1. Variable
 * time, nothing allocates, nothing fails.
 *
 * The final exponentiation raises to 3 (q^12 - 1) / r, the cube of the reduced pairing, as other
 * implementations of this curve do; 3 does not divide r, so equations keep their meaning.
 */
#include <stddef.h>

#include "ec/g1.h"
#include "ec/g2.h"
#include "ff/tower/fp12.h"

/* 63 doublings and 5 additions for the six set bits of |z|. */
#define CUZK_PAIRING_LINES 68

/** Lines of the Miller loop of one point of G2: minus the slope, and slope x - y. About 13 KiB. */
typedef struct cuzk_g2_prepared {
    bool is_infinity;
    cuzk_fp2 line[CUZK_PAIRING_LINES][2];
} cuzk_g2_prepared;

void cuzk_g2_prepare(cuzk_g2_prepared *out, const cuzk_g2_affine *q);

/** One factor of a product of pairings; exactly one of q and prepared is set. All borrowed. */
typedef struct cuzk_pairing_term {
    const cuzk_g1_affine *p;
    const cuzk_g2_affine *q;
    const cuzk_g2_prepared *prepared;
} cuzk_pairing_term;

/**
 * out = product of Miller functions of the n terms; 1 for n = 0. Defined up to factors that the
 * final exponentiation removes.
 */
void cuzk_pairing_miller(cuzk_fp12 *out, const cuzk_pairing_term *terms, size_t n);
/** out = f^(3 (q^12 - 1) / r). */
void cuzk_pairing_final_exp(cuzk_fp12 *out, const cuzk_fp12 *f);
/** out = e(p, q). */
void cuzk_pairing(cuzk_fp12 *out, const cuzk_g1_affine *p, const cuzk_g2_affine *q);

/** The same for f[i] in place, i < n, four at a time where the processor has AVX2. */
void cuzk_pairing_final_exps(cuzk_fp12 *f, size_t n);

#endif /* CUZK_PAIRING_PAIRING_H */
