/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_API_HISTORY_HISTORY_FILE_H
#define CUZK_API_HISTORY_HISTORY_FILE_H

/*
 * The history of a day as bytes, so that it outlives the daemon: at most 12 KiB. Between processes only the time of the day is
 * common: unix_secs is that, now_ns the monotonic clock of this process, both of the same moment.
 */
#include "api/history/history.h"

#define CUZK_HISTORY_FILE_BYTES (32 + 40 * (size_t)CUZK_HISTORY_SAMPLES)

/** Returns the bytes written to out. */
size_t cuzk_history_encode(uint8_t out[CUZK_HISTORY_FILE_BYTES], const cuzk_history *h,
                           uint64_t now_ns, uint64_t unix_secs);
/**
 * Any bytes. *h goes on where the other process ended, with empty samples for the time between; it is empty, from now, when that is
 * a day ago or in the future, and after any failure. name: of the source, for messages. E_FORMAT.
 */
CUZK_NODISCARD cuzk_status cuzk_history_decode(cuzk_history *h, const void *data, size_t n,
                                               const char *name, uint64_t now_ns,
                                               uint64_t unix_secs, cuzk_err *err);
/** Replaces the file at path; whole or not at all. E_IO, E_NOT_FOUND (its folder). */
CUZK_NODISCARD cuzk_status cuzk_history_save(const cuzk_history *h, const char *path,
                                             uint64_t now_ns, uint64_t unix_secs, cuzk_err *err);
/** As cuzk_history_decode; no file at path is an empty history and no failure. E_FORMAT, E_IO. */
CUZK_NODISCARD cuzk_status cuzk_history_load(cuzk_history *h, const char *path, uint64_t now_ns,
                                             uint64_t unix_secs, cuzk_err *err);

#endif /* CUZK_API_HISTORY_HISTORY_FILE_H */
