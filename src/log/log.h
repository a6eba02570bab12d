/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_LOG_LOG_H
#define CUZK_LOG_LOG_H

/*
 * Structured log lines: an event and named values, as text for people, as JSON lines for machines,
 * or with the journal's level prefixes. A line has at most CUZK_LOG_LINE_BYTES. A thread of the log
 * writes the lines: a reader that stalls costs lines beyond the first MiB, which are counted
 * ("log.lost lines=N"), and never holds up a thread that logs. NULL is a valid log everywhere and
 * says nothing.
 *
 *     CUZK_LOG(log, CUZK_LOG_INFO, "job.accepted", "job", id, "kind", "porep-c2");
 *
 * Events are literals in lower case, "thing.what". One line per change of state; what can repeat
 * without end is limited per event, and what was left out is counted in the next line of it.
 *
 * @thread every function may be called from any thread, unless it says otherwise.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

#define CUZK_LOG_LINE_BYTES 4096

typedef struct cuzk_log cuzk_log;

/** The ints of an engine's log function (engine/engine_config.h). */
typedef enum cuzk_log_level {
    CUZK_LOG_OFF = -1, /* as a threshold only */
    CUZK_LOG_ERROR = 0,
    CUZK_LOG_WARN = 1,
    CUZK_LOG_INFO = 2,
    CUZK_LOG_DEBUG = 3,
    CUZK_LOG_TRACE = 4
} cuzk_log_level;

typedef enum cuzk_log_format {
    CUZK_LOG_TEXT = 0, /* TIME LEVEL event name=value ... */
    CUZK_LOG_JSON = 1, /* {"time":...,"level":...,"event":...,"name":"value",...} */
    CUZK_LOG_JOURNAL =
        2 /* <N>event name=value ...: the journal has the time, and reads N as the level */
} cuzk_log_format;

typedef struct cuzk_log_config {
    int fd; /* borrowed */
    cuzk_log_level level;
    cuzk_log_format format;
    bool colour;              /* text only */
    uint32_t burst;           /* lines of one event at once; 0: 1000 */
    uint32_t per_second;      /* and for ever; 0: 200 */
    uint64_t (*now_ns)(void); /* monotonic clock of the limit; NULL: cuzk_clock_ns */
} cuzk_log_config;

/** E_NOMEM. */
CUZK_NODISCARD cuzk_status cuzk_log_create(cuzk_log **out, const cuzk_log_config *config,
                                           cuzk_err *err);
/**
 * Says what the limit left out, writes what is queued as long as the reader takes it, frees. NULL is
 * fine. @thread alone.
 */
void cuzk_log_destroy(cuzk_log *log);
void cuzk_log_set_level(cuzk_log *log, cuzk_log_level level);
/** Waits until what is queued is written, as long as the reader takes something every 200 ms. */
void cuzk_log_flush(cuzk_log *log);
/** Lines that were lost because the output did not take them. */
uint64_t cuzk_log_lost(cuzk_log *log);
/** For values that are dear to make. */
bool cuzk_log_enabled(const cuzk_log *log, cuzk_log_level level);

/**
 * kv: name, value, ..., NULL. A NULL value is left out with its name. Values may be any bytes:
 * control characters are escaped, what is not UTF-8 is replaced. What does not fit is cut, and the
 * line says "truncated". A line that cannot be written is counted as left out, not retried.
 */
void cuzk_log_write(cuzk_log *log, cuzk_log_level level, const char *event, const char *const *kv);
#define CUZK_LOG(log, level, event, ...) \
    cuzk_log_write((log), (level), (event), (const char *const[]){__VA_ARGS__, NULL})

/** The form of cuzk_engine_log_fn; arg is the cuzk_log. */
void cuzk_log_engine(void *arg, int level, const char *event, const char *const *kv);

/** The original's "TIMELINE,<ms>,<EVENT>,<job>,<detail>" as a line of its own, whatever the format. */
void cuzk_log_timeline(cuzk_log *log, uint64_t ms, const char *event, const char *job,
                       const char *detail);

/** "error", "warn", ...; "off" for CUZK_LOG_OFF. */
const char *cuzk_log_level_name(cuzk_log_level level);
/** Also "warning" and upper case; false: none of them. */
bool cuzk_log_level_parse(cuzk_log_level *out, const char *text);
/**
 * The level that a RUST_LOG value ("info", "cuzk_core=debug,warn", "off") means for this program: of its
 * comma-separated directives the highest for a target that begins with "cuzk", else the one without
 * a target. False: it has neither.
 */
bool cuzk_log_level_from_rust(cuzk_log_level *out, const char *spec);

/** True when fd is the stream that the journal made: journal_stream is the environment's JOURNAL_STREAM, or NULL. */
bool cuzk_log_is_journal(int fd, const char *journal_stream);

#endif /* CUZK_LOG_LOG_H */
