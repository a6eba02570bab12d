/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_PAIRING_LINE_H
#define CUZK_PAIRING_LINE_H

/*
 * Tangents and chords of the Miller loop on the twist y^2 = x^3 + 4(1 + i), whose points lie on the
 * curve over Fp12 as (x/w^2, y/w^3). With slope s there, the line through T at P is, times w^3,
 *     (s xT - yT) - s xP v + yP v w.
 * A line here is a multiple (by an element of Fp2, which the final exponentiation removes) of that:
 * its three coefficients before xP and yP come in.
 */
#include "ff/tower/fp2.h"

/** Homogeneous (X/Z, Y/Z), never infinity inside the loop. */
typedef struct cuzk_line_point {
    cuzk_fp2 x, y, z;
} cuzk_line_point;

typedef struct cuzk_line {
    cuzk_fp2 a; /* s xT - yT */
    cuzk_fp2 b; /* -s, to be multiplied by xP */
    cuzk_fp2 c; /* 1, to be multiplied by yP */
} cuzk_line;

/** The tangent at t, then t = 2 t. */
void cuzk_line_dbl(cuzk_line *out, cuzk_line_point *t);
/** The chord through t and the affine (qx, qy), then t = t + q. t is not q or -q. */
void cuzk_line_add(cuzk_line *out, cuzk_line_point *t, const cuzk_fp2 *qx, const cuzk_fp2 *qy);

#endif /* CUZK_PAIRING_LINE_H */
