/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_ENGINE_LOG_ENGINE_LOG_H
#define CUZK_ENGINE_LOG_ENGINE_LOG_H

/* Queues lines for the logger, from any thread that has the lock. */
#include "engine/job/job.h"
#include "engine/lock/engine_lock.h"

/** Lines for the logger. A logger that stalls loses lines; no thread waits for it. */
typedef struct log_line log_line;
typedef struct log_queue {
    log_line *lines; /* ring */
    GUARDED uint32_t first, n;
    GUARDED uint64_t n_lost;
} log_queue;

CUZK_NODISCARD cuzk_status cuzk_log_init(log_queue *q, cuzk_err *err);
/** Hands the remaining lines to the logger; no other thread runs. */
void cuzk_log_free(cuzk_engine *e);

#define LOG_PAIRS 20
/** Queues a line: kv [LOG_PAIRS] names and values, up to a NULL. A full queue counts it as lost. */
LOCKED void cuzk_engine_log(cuzk_engine *e, int level, const char *event, const char *const *kv);
LOCKED void cuzk_engine_log_job(cuzk_engine *e, int level, const char *event, const job *j,
                                const char *key, const char *value);
LOCKED void cuzk_engine_log_device(cuzk_engine *e, int level, const char *event, uint32_t index,
                                   const char *why);

#endif /* CUZK_ENGINE_LOG_ENGINE_LOG_H */
