/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_SYS_FILE_H
#define CUZK_SYS_FILE_H

/*
 * Files read by positions or whole, or written so that a half-written one is never visible.
 * What is read is never mapped: a mapped file that is cut short, or whose disk fails, ends the process with
 * SIGBUS in the thread that reads it. read() returns an error instead.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/**
 * Status of a call on a path that failed with errno os. E_NOT_FOUND: no file can have that name (ENOENT, ENOTDIR,
 * ENAMETOOLONG, ELOOP); E_INVALID: what has it is of another kind (EISDIR, ENXIO: a socket); else E_IO.
 */
CUZK_NODISCARD cuzk_status cuzk_path_status(int os);
/** True when path exists in procfs or sysfs. Reading such a file may block for ever, though stat calls it a regular file. */
bool cuzk_path_is_kernels(const char *path);

/**
 * A file open for reading. Its size is that of the moment of opening. Any number of threads may
 * read at once. What has no size (a pipe, standard input, files of /proc) is in memory.
 */
typedef struct cuzk_file cuzk_file;
/**
 * "-" is standard input. Messages name the path, and say "dangling symbolic link" when that is
 * what it is. E_NOT_FOUND, E_IO, E_NOMEM, E_INVALID (a directory; /dev/zero and the like; more bytes from
 * a pipe than half of the memory that is available).
 */
CUZK_NODISCARD cuzk_status cuzk_file_open(cuzk_file **out, const char *path, cuzk_err *err);
/** The same file, whatever has its name now, until it is closed itself. E_UNSUPPORTED: it is in memory. */
CUZK_NODISCARD cuzk_status cuzk_file_dup(cuzk_file **out, const cuzk_file *f, cuzk_err *err);
/**
 * E_FORMAT, naming it, for what is no plain file (a named pipe, a device, a folder, a file of /proc or
 * /sys): for files that are looked for by name and must not be waited for. OK where nothing has the name.
 */
CUZK_NODISCARD cuzk_status cuzk_file_check_plain(const char *path, cuzk_err *err);
/** False for a file in memory (a pipe), which cannot be read again. */
bool cuzk_file_is_in_memory(const cuzk_file *f);
/** E_IO, naming it, when its size or the time of its last change is not what it was when it was opened. */
CUZK_NODISCARD cuzk_status cuzk_file_check(const cuzk_file *f, cuzk_err *err);
/** NULL is fine. */
void cuzk_file_close(cuzk_file *f);
uint64_t cuzk_file_size(const cuzk_file *f);
/**
 * Exactly the bytes [at, at + n); beyond the size is a bug of the caller (asserted). E_IO names the
 * file: the disk failed, or the file was cut short since it was opened. dst may then be written in part.
 */
CUZK_NODISCARD cuzk_status cuzk_file_read(const cuzk_file *f, void *dst, uint64_t at, size_t n,
                                          cuzk_err *err);

/**
 * Reading a pipe, a device or standard input, reading more than 64 MiB by cuzk_content_read, and writing
 * to what nobody reads (a named pipe without a reader, a full pipe) stop with E_CANCELLED when cancel is
 * requested, or when SIGTERM or SIGINT is pending because the process blocks it. For the whole process;
 * NULL: by pending signals only.
 */
struct cuzk_cancel;
void cuzk_file_interrupt_by(const struct cuzk_cancel *cancel);

/** The bytes of a whole file. */
typedef struct cuzk_content {
    uint8_t *data; /* owned; NULL for an empty file */
    size_t size;
    char *path; /* owned; for messages */
} cuzk_content;

/** Limit for the input of one job, a key, a proof, settings: a larger file is of another kind. */
#define CUZK_CONTENT_INPUT ((size_t)2 << 30)
/** Limit for files that take as much memory once they are parsed. */
#define CUZK_CONTENT_ANY   SIZE_MAX
/** As cuzk_file_open and cuzk_file_read; E_INVALID for more than max bytes. */
CUZK_NODISCARD cuzk_status cuzk_content_read(cuzk_content *out, const char *path, size_t max,
                                             cuzk_err *err);
/** The same of an open file. */
CUZK_NODISCARD cuzk_status cuzk_content_of(cuzk_content *out, const cuzk_file *f, size_t max,
                                           cuzk_err *err);
/** A zeroed struct is fine. */
void cuzk_content_free(cuzk_content *c);

/**
 * Writes a file that becomes visible whole or not at all: it is written under a temporary name in the same directory,
 * then synced and renamed. Buffered.
 */
typedef struct cuzk_file_writer cuzk_file_writer;
/**
 * E_EXISTS when the target is there and replace is false. "-" writes standard output (then nothing is atomic).
 * A named pipe is waited for until somebody reads it.
 */
CUZK_NODISCARD cuzk_status cuzk_file_writer_open(cuzk_file_writer **out, const char *path,
                                                 bool replace, cuzk_err *err);
CUZK_NODISCARD cuzk_status cuzk_file_writer_write(cuzk_file_writer *w, const void *data, size_t n,
                                                  cuzk_err *err);
/**
 * Removes the file that the commit would replace, now. For files that belong together: a reader between two commits then
 * finds no file, instead of an old one. E_IO, naming the file. Nothing to do when it does not replace a file.
 */
CUZK_NODISCARD cuzk_status cuzk_file_writer_remove_old(cuzk_file_writer *w, cuzk_err *err);
/** Makes the file visible and frees w. On failure nothing is visible and w is freed too. */
CUZK_NODISCARD cuzk_status cuzk_file_writer_commit(cuzk_file_writer *w, cuzk_err *err);
/** Drops the temporary file and frees w. NULL is fine. */
void cuzk_file_writer_abort(cuzk_file_writer *w);
/** open + write + commit. */
CUZK_NODISCARD cuzk_status cuzk_file_write_all(const char *path, const void *data, size_t n,
                                               bool replace, cuzk_err *err);

/*
 * Views: addresses of a file's bytes, for a device that copies from the page cache by itself. No thread may read them:
 * when the file is cut short or its disk fails, a read ends the process with SIGBUS.
 */

/* Of the largest pages: where the page cache has such ones, the device can use them as they are. */
#define CUZK_FILE_VIEW_UNIT ((uint64_t)2 << 20)

typedef struct cuzk_file_view {
    uint8_t *p;     /* of byte `at`; like `at`, a multiple of CUZK_FILE_VIEW_UNIT */
    uint64_t at;    /* in the file */
    uint64_t bytes; /* whole pages */
} cuzk_file_view;

/**
 * A view of at least the bytes [at, at + bytes), bytes > 0, which must be in the file (asserted). The file may be
 * closed before the view. E_UNSUPPORTED: the file is in memory; E_IO: the system refuses, for instance because the
 * file system has no page cache.
 */
CUZK_NODISCARD cuzk_status cuzk_file_view_open(cuzk_file_view *out, const cuzk_file *f, uint64_t at,
                                               uint64_t bytes, cuzk_err *err);
/**
 * Takes the pages [p, p + bytes) of a view out of the resident set of the process. They stay in the page cache, and
 * page-locked where they are. bytes: whole pages.
 */
void cuzk_file_view_forget(uint8_t *p, uint64_t bytes);
/** Fine for a zeroed view. */
void cuzk_file_view_close(cuzk_file_view *v);

#endif /* CUZK_SYS_FILE_H */
