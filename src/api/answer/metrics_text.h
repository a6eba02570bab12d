/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_API_ANSWER_METRICS_TEXT_H
#define CUZK_API_ANSWER_METRICS_TEXT_H

#include <stddef.h>

#include "base/status.h"
#include "engine/engine_status.h"

/** Content-Type of the text. */
#define CUZK_METRICS_CONTENT_TYPE "text/plain; version=0.0.4; charset=utf-8"

/**
 * A status in the Prometheus text format 0.0.4: GET /metrics and the GetMetrics RPC. The names are
 * in docs/monitoring.md; those that existed before cuzk are kept, and count as counters should.
 * *text: NUL-terminated, *n bytes, the caller's, released with cuzk_free. E_NOMEM.
 */
CUZK_NODISCARD cuzk_status cuzk_metrics_text(char **text, size_t *n, const cuzk_engine_status *s,
                                             const char *version, cuzk_err *err);

#endif /* CUZK_API_ANSWER_METRICS_TEXT_H */
