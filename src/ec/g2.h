/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_EC_G2_H
#define CUZK_EC_G2_H

/*
 * G2: the order-r subgroup of y^2 = x^3 + 4(1 + i) over Fp2. Coordinates in Montgomery form.
 * Out first, aliasing allowed, nothing allocates. Additions are complete: equal points, P and -P
 * and infinity give the right answer. Variable time unless _ct.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "ff/fr.h"
#include "ff/tower/fp2.h"

#define CUZK_G2_COMPRESSED_BYTES   96
#define CUZK_G2_UNCOMPRESSED_BYTES 192

/** Affine; infinity is (0, 0), which is not on the curve. */
typedef struct cuzk_g2_affine {
    cuzk_fp2 x, y;
} cuzk_g2_affine;

/** Jacobian: (X/Z^2, Y/Z^3); infinity has Z = 0. */
typedef struct cuzk_g2 {
    cuzk_fp2 x, y, z;
} cuzk_g2;

/** XYZZ: (X/ZZ, Y/ZZZ) with ZZ^3 = ZZZ^2; infinity has ZZ = 0. Cheapest mixed addition; MSM buckets. */
typedef struct cuzk_g2_xyzz {
    cuzk_fp2 x, y, zz, zzz;
} cuzk_g2_xyzz;

/** The standard generator. */
extern const cuzk_g2_affine CUZK_G2_GENERATOR;

static inline bool cuzk_g2_affine_is_infinity(const cuzk_g2_affine *p)
{
    return cuzk_fp2_is_zero(&p->x) && cuzk_fp2_is_zero(&p->y);
}

static inline bool cuzk_g2_is_infinity(const cuzk_g2 *p)
{
    return cuzk_fp2_is_zero(&p->z);
}

void cuzk_g2_set_infinity(cuzk_g2 *out);
void cuzk_g2_from_affine(cuzk_g2 *out, const cuzk_g2_affine *p);
void cuzk_g2_to_affine(cuzk_g2_affine *out, const cuzk_g2 *p);
/** out[i] = affine of p[i] with one inversion. scratch [n] of the field, disjoint from both. */
void cuzk_g2_batch_to_affine(cuzk_g2_affine *out, const cuzk_g2 *p, cuzk_fp2 *scratch, size_t n);
void cuzk_g2_dbl(cuzk_g2 *out, const cuzk_g2 *p);
void cuzk_g2_add(cuzk_g2 *out, const cuzk_g2 *p, const cuzk_g2 *q);
void cuzk_g2_add_affine(cuzk_g2 *out, const cuzk_g2 *p, const cuzk_g2_affine *q);
void cuzk_g2_neg(cuzk_g2 *out, const cuzk_g2 *p);
void cuzk_g2_affine_neg(cuzk_g2_affine *out, const cuzk_g2_affine *p);
/** Same point, whatever the Z. */
bool cuzk_g2_eq(const cuzk_g2 *p, const cuzk_g2 *q);
bool cuzk_g2_affine_eq(const cuzk_g2_affine *p, const cuzk_g2_affine *q);

void cuzk_g2_xyzz_set_infinity(cuzk_g2_xyzz *out);
void cuzk_g2_xyzz_add_affine(cuzk_g2_xyzz *out, const cuzk_g2_xyzz *p, const cuzk_g2_affine *q);
void cuzk_g2_xyzz_add(cuzk_g2_xyzz *out, const cuzk_g2_xyzz *p, const cuzk_g2_xyzz *q);
void cuzk_g2_xyzz_dbl(cuzk_g2_xyzz *out, const cuzk_g2_xyzz *p);
void cuzk_g2_from_xyzz(cuzk_g2 *out, const cuzk_g2_xyzz *p);

/** out = s * p for any 256-bit s. p is in the subgroup: uses the endomorphism (ec/endo.h). */
void cuzk_g2_mul(cuzk_g2 *out, const cuzk_g2 *p, const cuzk_scalar *s);
/** As cuzk_g2_mul with no branch or address that depends on s or p. For r and s of a proof. */
void cuzk_g2_mul_ct(cuzk_g2 *out, const cuzk_g2 *p, const cuzk_scalar *s);
/** As cuzk_g2_add with no branch or address that depends on p or q: for what follows from secrets. */
void cuzk_g2_add_ct(cuzk_g2 *out, const cuzk_g2 *p, const cuzk_g2 *q);
/** As cuzk_g2_to_affine, in the same way. */
void cuzk_g2_to_affine_ct(cuzk_g2_affine *out, const cuzk_g2 *p);

/** On the curve, or infinity. */
bool cuzk_g2_affine_is_on_curve(const cuzk_g2_affine *p);
/** In the order-r subgroup; p must be on the curve. By the endomorphism (Scott, eprint 2021/1130). */
bool cuzk_g2_affine_is_in_subgroup(const cuzk_g2_affine *p);

/** How far a decoded point is checked. The encoding itself is always checked strictly. */
#ifndef CUZK_EC_POINT_CHECK
#    define CUZK_EC_POINT_CHECK
typedef enum cuzk_point_check {
    CUZK_POINT_UNCHECKED = 0, /* flags and range of the coordinates only (uncompressed) */
    CUZK_POINT_ON_CURVE = 1,
    CUZK_POINT_IN_SUBGROUP = 2
} cuzk_point_check;
#endif

/*
 * ZCash/IETF encodings (draft-irtf-cfrg-pairing-friendly-curves, appendix C; docs/proof-format.md):
 * big-endian, 0x80 compressed, 0x40 infinity, 0x20 larger root. Decoding refuses every non-canonical form with E_ENCODING, and gives
 * E_NOT_ON_CURVE or E_NOT_IN_GROUP as asked; infinity decodes to (0, 0).
 */
void cuzk_g2_encode_compressed(uint8_t out[96], const cuzk_g2_affine *p);
void cuzk_g2_encode_uncompressed(uint8_t out[192], const cuzk_g2_affine *p);
CUZK_NODISCARD cuzk_status cuzk_g2_decode_compressed(cuzk_g2_affine *out, const uint8_t in[96],
                                                     cuzk_point_check check);
CUZK_NODISCARD cuzk_status cuzk_g2_decode_uncompressed(cuzk_g2_affine *out, const uint8_t in[192],
                                                       cuzk_point_check check);

#endif /* CUZK_EC_G2_H */
