/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_GROTH16_SRS_INTERNAL_H
#define CUZK_GROTH16_SRS_INTERNAL_H

#include "groth16/srs.h"

/** alpha_g1, beta_g1, beta_g2, gamma_g2, delta_g1, delta_g2: bytes before the count of ic. */
#define CUZK_VK_POINTS_BYTES 864u
#define CUZK_VK_FIXED_BYTES  (CUZK_VK_POINTS_BYTES + 4u)

struct cuzk_srs {
    cuzk_srs_vk vk; /* vk.ic = ic */
    cuzk_g1_affine *ic;
    uint64_t count[CUZK_SRS_SECTIONS];
    cuzk_quotient_kind quotient;
    bool all_wires;
    char *name; /* for messages */

    /* Exactly one of the three ways to the points. */
    const uint8_t *data; /* a file's bytes, else NULL */
    size_t size;
    size_t offset[CUZK_SRS_SECTIONS]; /* of each section's first point */
    cuzk_map map;                     /* zeroed when data is the caller's */

    bool in_memory;
    cuzk_srs_arrays arrays;

    cuzk_srs_source source; /* read_g1 != NULL: callbacks */
};

static inline size_t cuzk_srs_point_bytes(cuzk_srs_section s)
{
    return s == CUZK_SRS_B_G2 ? CUZK_G2_UNCOMPRESSED_BYTES : CUZK_G1_UNCOMPRESSED_BYTES;
}

/** Encoded points [first, ...) of a section of a file; NULL: the srs is no file. */
static inline const uint8_t *cuzk_srs_encoded(const cuzk_srs *srs, cuzk_srs_section s,
                                              uint64_t first)
{
    return srs->data == NULL ? NULL : srs->data + srs->offset[s] + first * cuzk_srs_point_bytes(s);
}

/** Zeroed, with a copy of name. NULL when out of memory. */
cuzk_srs *cuzk_srs_new(const char *name);
/**
 * Tells the system that bytes just read are not needed soon: the file may be larger than memory
 * budgets, and its pages would count as resident. Reading them again is a soft page fault.
 */
void cuzk_srs_release(const cuzk_srs *srs, size_t offset, size_t bytes);
/** Decodes every point of all sections with this check; file-backed only. */
CUZK_NODISCARD cuzk_status cuzk_srs_check_points(const cuzk_srs *srs, cuzk_point_check check,
                                                 cuzk_pool *pool, const cuzk_cancel *cancel,
                                                 cuzk_err *err);

#endif /* CUZK_GROTH16_SRS_INTERNAL_H */
