/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_LOG_LOG_INTERNAL_H
#define CUZK_LOG_LOG_INTERNAL_H

#include "log/log.h"

/**
 * One line with its '\n' into buf [CUZK_LOG_LINE_BYTES]; returns its bytes.
 * unix_ms: wall clock. suppressed: lines left out since the last one of this event; 0: not said.
 */
size_t cuzk_log_render(char *buf, cuzk_log_format format, bool colour, uint64_t unix_ms,
                       cuzk_log_level level, const char *event, const char *const *kv,
                       uint64_t suppressed);

#endif /* CUZK_LOG_LOG_INTERNAL_H */
