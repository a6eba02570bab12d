/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_SYS_FILE_H
#define CUZK_SYS_FILE_H

/*
 * Whole files: mapped read-only, or written so that a half-written one is never visible.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/** A read-only mapping. Whatever points into data must not outlive it. */
typedef struct cuzk_map {
    const uint8_t *data; /* NULL for an empty file */
    size_t size;
    char *path;     /* owned; for messages */
    bool from_heap; /* not mappable (pipe): read into memory instead */
} cuzk_map;

/**
 * Maps the file, "-" reads standard input. Messages name the path, and say "dangling symbolic
 * link" when that is what it is. E_NOT_FOUND, E_IO, E_NOMEM, E_INVALID (a directory).
 */
CUZK_NODISCARD cuzk_status cuzk_map_open(cuzk_map *out, const char *path, cuzk_err *err);
/** Unmaps; a zeroed struct is fine. */
void cuzk_map_close(cuzk_map *m);
typedef enum cuzk_map_advice {
    CUZK_MAP_SEQUENTIAL,
    CUZK_MAP_RANDOM,
    CUZK_MAP_WILLNEED,
    CUZK_MAP_DONTNEED
} cuzk_map_advice;
/** madvise on [offset, offset + bytes), widened to pages; a hint, never fails. */
void cuzk_map_advise(const cuzk_map *m, size_t offset, size_t bytes, cuzk_map_advice advice);

/**
 * A file that appears whole or not at all: written under a temporary name in the same directory,
 * then synced and renamed. Buffered.
 */
typedef struct cuzk_file_writer cuzk_file_writer;
/** E_EXISTS when the target is there and replace is false. "-" writes standard output (then nothing is atomic). */
CUZK_NODISCARD cuzk_status cuzk_file_writer_open(cuzk_file_writer **out, const char *path,
                                                 bool replace, cuzk_err *err);
CUZK_NODISCARD cuzk_status cuzk_file_writer_write(cuzk_file_writer *w, const void *data, size_t n,
                                                  cuzk_err *err);
/** Makes the file visible and frees w. On failure nothing is visible and w is freed too. */
CUZK_NODISCARD cuzk_status cuzk_file_writer_commit(cuzk_file_writer *w, cuzk_err *err);
/** Drops the temporary file and frees w. NULL is fine. */
void cuzk_file_writer_abort(cuzk_file_writer *w);
/** open + write + commit. */
CUZK_NODISCARD cuzk_status cuzk_file_write_all(const char *path, const void *data, size_t n,
                                               bool replace, cuzk_err *err);

#endif /* CUZK_SYS_FILE_H */
