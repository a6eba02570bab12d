/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_STORE_PG_PG_FOLDER_H
#define CUZK_STORE_PG_PG_FOLDER_H

/*
 * Inputs in files: in a folder that all daemons of the fleet share, or in one of the daemon that accepted the job.
 * A file's name is the number of its job and the SHA-256 of what is in it. A file appears whole, and durably, before
 * the row of its job; it goes when the job has ended, at the latest with the next sweep.
 */
#include "pg_input.h"
#include "pg_internal.h"

#define PG_FILE_CHARS (16 + 1 + 2 * CUZK_SHA256_BYTES)
/** The number of a job, '-', and the SHA-256 of what is kept, hexadecimal. */
void pg_file_name(char out[PG_FILE_CHARS + 1], uint64_t number,
                  const uint8_t digest[CUZK_SHA256_BYTES]);
/**
 * Checks the folder, and makes it when it is this daemon's own. A shared one must be the one that the other daemons
 * use: the file cuzk-queue.id in it has the number that is in the database. E_INVALID (another folder, nothing is
 * mounted there), E_IO.
 */
CUZK_NODISCARD cuzk_status pg_folder_open(pg_store *s, cuzk_err *err);
/** The file of a job, whole and durable. */
CUZK_NODISCARD cuzk_status pg_folder_write(const pg_store *s, uint64_t number, const pg_input *in,
                                           const pg_kept *kept, cuzk_err *err);
/**
 * The same without writing: a job of the same input, other, has the file already, which gets a second name (a hard
 * link) once its SHA-256 has been compared. False: it is not there any more or damaged, or the file system has no links; then it is to be written.
 */
bool pg_folder_share(const pg_store *s, uint64_t number, const pg_input *in, uint64_t other);
/**
 * *kept [in->kept_bytes], a block of base/alloc.h, not checked. E_NOT_FOUND: the file is lost; E_IO: perhaps it is not
 * to be seen yet, or its folder is not there; E_NOMEM.
 */
CUZK_NODISCARD cuzk_status pg_folder_read(uint8_t **kept, const pg_store *s, uint64_t number,
                                          const pg_input *in, int64_t accepted_unix_ms,
                                          cuzk_err *err);
void pg_folder_remove(const pg_store *s, uint64_t number, const uint8_t digest[CUZK_SHA256_BYTES]);
/** Removes what no unfinished job has. A pg_work; arg is not looked at. */
cuzk_status pg_folder_sweep(pg_store *s, pg_conn *c, void *arg, bool is_again, cuzk_err *err);

#endif /* CUZK_STORE_PG_PG_FOLDER_H */
