/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_SYS_PROGRESS_H
#define CUZK_SYS_PROGRESS_H

/*
 * The progress of a long job, for a person. On a terminal: a bar, redrawn at most ten times a second. Otherwise (a
 * pipe, a file, TERM=dumb): one line every two seconds. Jobs that end before the first redraw print nothing. UTF-8
 * blocks when the locale says UTF-8, else ASCII; colour unless NO_COLOR is set. NULL is a valid progress everywhere
 * and shows nothing.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

typedef struct cuzk_progress cuzk_progress;

/**
 * @param fd    where to write, usually 2; not closed.
 * @param label shown in front, copied; one line without control characters.
 * @param total amount of work in any unit; 0: unknown, then amount and time are shown.
 * @return E_NOMEM.
 */
CUZK_NODISCARD cuzk_status cuzk_progress_start(cuzk_progress **out, int fd, const char *label,
                                               uint64_t total, cuzk_err *err);
/** n more units are done. @thread safe, lock-free between redraws; reads the clock, so not for inner loops. */
void cuzk_progress_add(cuzk_progress *p, uint64_t n);
/**
 * Sets amount and total, whatever was set before: the total may become known later, or another step begins. @thread
 * as cuzk_progress_add.
 */
void cuzk_progress_set(cuzk_progress *p, uint64_t done, uint64_t total);
/** Last redraw (as complete when `complete`), end of line, frees. No other call may be running. */
void cuzk_progress_finish(cuzk_progress *p, bool complete);

#endif /* CUZK_SYS_PROGRESS_H */
