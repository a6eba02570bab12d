/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_LOG_LOG_WRITER_H
#define CUZK_LOG_LOG_WRITER_H

/*
 * Writes lines on a thread of its own. A reader that stalls (a terminal after Ctrl-S, a stuck
 * journal) then costs lines, which are counted, and never holds up a thread that logs.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

#define CUZK_LOG_QUEUE_BYTES ((size_t)1 << 20)

typedef struct cuzk_log_writer cuzk_log_writer;

/** Starts the thread, which writes to a duplicate of fd; the caller may close fd. E_NOMEM, E_IO. */
CUZK_NODISCARD cuzk_status cuzk_log_writer_create(cuzk_log_writer **out, int fd, cuzk_err *err);
/**
 * Queues one line [n]; never waits for the reader. False: the queue is full or the output is
 * broken, and the line is counted as lost. @thread any
 */
bool cuzk_log_writer_put(cuzk_log_writer *w, const char *line, size_t n);
/**
 * Lines lost since the last call, those that the output refused included; only when the queue has
 * room for a line that says so, else 0. @thread any
 */
uint64_t cuzk_log_writer_take_lost(cuzk_log_writer *w);
/** Lines lost so far. @thread any */
uint64_t cuzk_log_writer_lost(cuzk_log_writer *w);
/**
 * Waits until the queue is empty, as long as the reader takes something within stall_ms each time.
 * False: it does not. @thread any
 */
bool cuzk_log_writer_flush(cuzk_log_writer *w, uint32_t stall_ms);
/**
 * Flushes, ends the thread and frees the writer. NULL is fine. Where the reader takes nothing for
 * half a second, returns all the same: the thread, still in its write, frees the writer when the
 * write returns (or ends with the process), and the lines that wait are dropped.
 */
void cuzk_log_writer_destroy(cuzk_log_writer *w);

#endif /* CUZK_LOG_LOG_WRITER_H */
