/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_GROTH16_SECTION_WRITER_H
#define CUZK_GROTH16_SECTION_WRITER_H

/* Streams a .params file: key, then per section a count and encoded points. */
#include "groth16/params/srs.h"

typedef struct cuzk_section_writer {
    cuzk_file_writer *file;
    uint8_t *bytes;    /* room for max_points of G2 */
    size_t max_points; /* per call of _g1 / _g2 */
} cuzk_section_writer;

/** w zeroed before. On failure w is as abort leaves it. */
CUZK_NODISCARD cuzk_status cuzk_section_writer_open(cuzk_section_writer *w, const char *path,
                                                    bool replace, size_t max_points, cuzk_err *err);
CUZK_NODISCARD cuzk_status cuzk_section_writer_vk(cuzk_section_writer *w, const cuzk_srs_vk *vk,
                                                  cuzk_err *err);
/** E_INVALID when count does not fit the format's 32 bits. */
CUZK_NODISCARD cuzk_status cuzk_section_writer_count(cuzk_section_writer *w, uint64_t count,
                                                     cuzk_err *err);
/** n <= max_points. */
CUZK_NODISCARD cuzk_status cuzk_section_writer_g1(cuzk_section_writer *w, const cuzk_g1_affine *p,
                                                  size_t n, cuzk_pool *pool, cuzk_err *err);
CUZK_NODISCARD cuzk_status cuzk_section_writer_g2(cuzk_section_writer *w, const cuzk_g2_affine *p,
                                                  size_t n, cuzk_pool *pool, cuzk_err *err);
/** Makes the file visible; w is then as abort leaves it, also on failure. */
CUZK_NODISCARD cuzk_status cuzk_section_writer_commit(cuzk_section_writer *w, cuzk_err *err);
/**
 * Makes a .params file and its .vk file visible. Without a .vk file, vk is zeroed. The old .vk file is removed first. So a
 * reader finds the two files of one setup, or a .params file alone, which has its key inside; also after a crash. Both writers are
 * then as abort leaves them, also on failure.
 */
CUZK_NODISCARD cuzk_status cuzk_section_writer_commit_pair(cuzk_section_writer *params,
                                                           cuzk_section_writer *vk, cuzk_err *err);
/** Drops the file when it was not committed. Fine on a zeroed w and twice. */
void cuzk_section_writer_abort(cuzk_section_writer *w);

#endif /* CUZK_GROTH16_SECTION_WRITER_H */
