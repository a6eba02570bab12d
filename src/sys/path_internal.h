/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_SYS_PATH_INTERNAL_H
#define CUZK_SYS_PATH_INTERNAL_H

#include <stdbool.h>
#include <string.h>

#define CUZK_SHOWN_BYTES 340

/** path for a message: a long one loses its head, not the reason that follows it. Returns buf. */
const char *cuzk_path_shown(char buf[CUZK_SHOWN_BYTES], const char *path);
/** Copy in a block of cuzk_alloc; NULL when out of memory. */
char *cuzk_path_copy(const char *path);

/** Reading or writing that waits, or takes long, should stop: see cuzk_file_interrupt_by. */
bool cuzk_file_is_interrupted(void);

/** Text of an errno for a message. */
static inline const char *cuzk_os_text(int os)
{
    return strerror(os); /* NOLINT(concurrency-mt-unsafe): safe in glibc >= 2.32 and in musl */
}

#endif /* CUZK_SYS_PATH_INTERNAL_H */
