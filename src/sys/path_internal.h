/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_SYS_PATH_INTERNAL_H
#define CUZK_SYS_PATH_INTERNAL_H

#include <stddef.h>

#define CUZK_SHOWN_BYTES 340

/** path for a message: a long one loses its head, not the reason that follows it. Returns buf. */
const char *cuzk_path_shown(char buf[CUZK_SHOWN_BYTES], const char *path);
/** Copy in a block of cuzk_alloc; NULL when out of memory. */
char *cuzk_path_copy(const char *path);

#endif /* CUZK_SYS_PATH_INTERNAL_H */
