/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_GROTH16_SRS_INTERNAL_H
#define CUZK_GROTH16_SRS_INTERNAL_H

#include "groth16/params/srs.h"

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

    /* Exactly one of the ways to the points: a .params file, or its bytes, ... */
    cuzk_file *file;
    const uint8_t *data;                /* the caller's */
    uint64_t size;                      /* of file or data; 0: neither */
    uint64_t offset[CUZK_SRS_SECTIONS]; /* of each section's first point */
    cuzk_srs_transcript transcript;

    bool in_memory;
    cuzk_srs_arrays arrays;

    cuzk_srs_source source; /* read_g1 != NULL: callbacks */
};

static inline size_t cuzk_srs_point_bytes(cuzk_srs_section s)
{
    return s == CUZK_SRS_B_G2 ? CUZK_G2_UNCOMPRESSED_BYTES : CUZK_G1_UNCOMPRESSED_BYTES;
}

/** The points are encoded: the srs is a .params file or its bytes. */
static inline bool cuzk_srs_is_encoded(const cuzk_srs *srs)
{
    return srs->size != 0;
}

/** Reads bytes [at, at + n) of the .params file, within its size. E_IO names the file. Threads may read at once. */
CUZK_NODISCARD cuzk_status cuzk_srs_read_bytes(const cuzk_srs *srs, uint8_t *out, uint64_t at,
                                               size_t n, cuzk_err *err);
/** Encoded points [first, first + n) of a section of it, with threads of pool. */
CUZK_NODISCARD cuzk_status cuzk_srs_read_encoded(const cuzk_srs *srs, cuzk_srs_section s,
                                                 uint64_t first, uint64_t n, uint8_t *out,
                                                 cuzk_pool *pool, const cuzk_cancel *cancel,
                                                 cuzk_err *err);
/**
 * Sections of the same file, for reading alone (no key), whatever becomes of srs. E_UNSUPPORTED: not
 * a file that can be read again.
 */
CUZK_NODISCARD cuzk_status cuzk_srs_dup_file(cuzk_srs **out, const cuzk_srs *srs, cuzk_err *err);
/** Zeroed, with a copy of name. NULL when out of memory. */
cuzk_srs *cuzk_srs_new(const char *name);
/** Reads what begins at `at`, behind the last section. E_FORMAT: not a transcript of this key. */
CUZK_NODISCARD cuzk_status cuzk_srs_find_transcript(cuzk_srs *srs, uint64_t at, cuzk_err *err);
/** Fills transcript.chain; every point of the transcript is in its group. E_IO, E_CANCELLED. */
CUZK_NODISCARD cuzk_status cuzk_srs_check_chain(cuzk_srs *srs, const cuzk_cancel *cancel,
                                                cuzk_err *err);
/** The point of G2 that bellman's phase 2 makes of a hash. false: none was found, which does not happen. */
bool cuzk_srs_hash_to_g2(cuzk_g2_affine *out, const uint8_t hash[64]);
/** Decodes every point of the transcript, if there is one. */
CUZK_NODISCARD cuzk_status cuzk_srs_check_transcript(const cuzk_srs *srs, cuzk_point_check check,
                                                     const cuzk_cancel *cancel, cuzk_err *err);
/** Decodes every point of all sections with this check; file-backed only. */
CUZK_NODISCARD cuzk_status cuzk_srs_check_points(const cuzk_srs *srs, cuzk_point_check check,
                                                 cuzk_pool *pool, const cuzk_cancel *cancel,
                                                 cuzk_err *err);

#endif /* CUZK_GROTH16_SRS_INTERNAL_H */
