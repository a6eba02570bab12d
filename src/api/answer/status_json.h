/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_API_ANSWER_STATUS_JSON_H
#define CUZK_API_ANSWER_STATUS_JSON_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "engine/engine_status.h"

/** Jobs of each state (running, queued, over) that one answer lists at most; the rest is counted. */
#define CUZK_STATUS_JSON_MAX_JOBS 256u

/**
 * A status as the JSON of GET /status (keys: docs/monitoring.md). Jobs that ended before
 * ended_since_us (microseconds since the daemon's start, the clock of the spans) are left out.
 * *text: NUL-terminated, *n bytes, the caller's, released with cuzk_free. E_NOMEM.
 */
CUZK_NODISCARD cuzk_status cuzk_status_json(char **text, size_t *n, const cuzk_engine_status *s,
                                            const char *version, uint64_t ended_since_us,
                                            cuzk_err *err);

#endif /* CUZK_API_ANSWER_STATUS_JSON_H */
