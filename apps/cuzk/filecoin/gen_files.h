/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_APPS_GEN_FILES_H
#define CUZK_APPS_GEN_FILES_H

/* Generated inputs (vanilla/generate/generate.h) as files. Each replaces a file that is there if `replace`. */
#include "vanilla/generate/generate.h"

CUZK_NODISCARD cuzk_status gen_write_porep(const cuzk_porep_input *in, const char *path,
                                           bool replace, cuzk_err *err);
/** One sector of a PoSt input of that sector size. */
CUZK_NODISCARD cuzk_status gen_write_sector(const cuzk_post_sector *s, uint64_t sector_bytes,
                                            const char *path, bool replace, cuzk_err *err);
CUZK_NODISCARD cuzk_status gen_write_update(const cuzk_update_input *in,
                                            const cuzk_sector_shape *shape, const char *path,
                                            bool replace, cuzk_err *err);

#endif /* CUZK_APPS_GEN_FILES_H */
