/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "log/log.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/clock.h"

#include "log_internal.h"
#include "log_writer.h"

#define DEFAULT_BURST      1000u
#define DEFAULT_PER_SECOND 200u
#define FLUSH_STALL_MS     200u
#define NS_PER_SECOND      1000000000u

/* Events share a slot when their hashes do: then they share its limit, which does no harm. */
#define SLOTS              64u

typedef struct slot {
    double tokens;
    uint64_t at_ns; /* when tokens was right; 0: never used, full */
    uint64_t suppressed;
} slot;

struct cuzk_log {
    cuzk_log_config config;
    _Atomic int level;
    pthread_mutex_t mutex; /* the slots */
    cuzk_log_writer *writer;
    slot slots[SLOTS];
};

cuzk_status cuzk_log_create(cuzk_log **out, const cuzk_log_config *config, cuzk_err *err)
{
    cuzk_log *log = cuzk_alloc_zero(1, sizeof(*log));
    if (log == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for the log");
    }
    log->config = *config;
    if (log->config.burst == 0) {
        log->config.burst = DEFAULT_BURST;
    }
    if (log->config.per_second == 0) {
        log->config.per_second = DEFAULT_PER_SECOND;
    }
    if (log->config.now_ns == NULL) {
        log->config.now_ns = cuzk_clock_ns;
    }
    atomic_init(&log->level, (int)config->level);
    const cuzk_status st = cuzk_log_writer_create(&log->writer, config->fd, err);
    if (st != CUZK_OK) {
        cuzk_free(log);
        return st;
    }
    (void)pthread_mutex_init(&log->mutex, NULL);
    *out = log;
    return CUZK_OK;
}

static uint64_t wall_ms(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_REALTIME, &t);
    return (uint64_t)t.tv_sec * 1000u + (uint64_t)t.tv_nsec / 1000000u;
}

/* Under the mutex, so that lines keep the order of their times. */
static void put_line(cuzk_log *log, const char *buf, size_t n)
{
    char text[24], line[CUZK_LOG_LINE_BYTES];
    const uint64_t lost = cuzk_log_writer_take_lost(log->writer);
    if (lost > 0) {
        (void)snprintf(text, sizeof(text), "%" PRIu64, lost);
        const char *const kv[] = {"lines", text, "why", "the log was not read in time", NULL};
        const size_t k = cuzk_log_render(line, log->config.format, log->config.colour, wall_ms(),
                                         CUZK_LOG_WARN, "log.lost", kv, 0);
        (void)cuzk_log_writer_put(log->writer, line, k);
    }
    (void)cuzk_log_writer_put(log->writer, buf, n);
}

void cuzk_log_destroy(cuzk_log *log)
{
    char buf[CUZK_LOG_LINE_BYTES];
    uint64_t left_out = 0;
    if (log == NULL) {
        return;
    }
    for (size_t i = 0; i < SLOTS; i++) {
        left_out += log->slots[i].suppressed;
    }
    left_out += cuzk_log_writer_take_lost(log->writer);
    if (left_out > 0) {
        const size_t n = cuzk_log_render(buf, log->config.format, log->config.colour, wall_ms(),
                                         CUZK_LOG_WARN, "log.incomplete", NULL, left_out);
        (void)cuzk_log_writer_put(log->writer, buf, n);
    }
    cuzk_log_writer_destroy(log->writer);
    (void)pthread_mutex_destroy(&log->mutex);
    cuzk_free(log);
}

void cuzk_log_set_level(cuzk_log *log, cuzk_log_level level)
{
    if (log != NULL) {
        atomic_store_explicit(&log->level, (int)level, memory_order_relaxed);
    }
}

bool cuzk_log_enabled(const cuzk_log *log, cuzk_log_level level)
{
    return log != NULL && (int)level <= atomic_load_explicit(&log->level, memory_order_relaxed);
}

static slot *slot_of(cuzk_log *log, const char *event)
{
    uint32_t h = 2166136261u; /* FNV-1a */
    for (; *event != '\0'; event++) {
        h = (h ^ (unsigned char)*event) * 16777619u;
    }
    return &log->slots[h % SLOTS];
}

/* Takes a token; under the mutex. */
static bool allowed(cuzk_log *log, slot *s)
{
    const double burst = log->config.burst;
    const uint64_t now = log->config.now_ns();
    if (s->at_ns == 0) {
        s->tokens = burst;
    } else if (now > s->at_ns) {
        s->tokens += (double)(now - s->at_ns) / NS_PER_SECOND * log->config.per_second;
        s->tokens = s->tokens > burst ? burst : s->tokens;
    }
    s->at_ns = now;
    if (s->tokens < 1) {
        s->suppressed++;
        return false;
    }
    s->tokens -= 1;
    return true;
}

void cuzk_log_write(cuzk_log *log, cuzk_log_level level, const char *event, const char *const *kv)
{
    char buf[CUZK_LOG_LINE_BYTES];
    if (level < CUZK_LOG_ERROR || level > CUZK_LOG_TRACE || !cuzk_log_enabled(log, level)) {
        return;
    }
    (void)pthread_mutex_lock(&log->mutex);
    slot *s = slot_of(log, event);
    if (allowed(log, s)) {
        const size_t n = cuzk_log_render(buf, log->config.format, log->config.colour, wall_ms(),
                                         level, event, kv, s->suppressed);
        s->suppressed = 0;
        put_line(log, buf, n);
    }
    (void)pthread_mutex_unlock(&log->mutex);
}

void cuzk_log_flush(cuzk_log *log)
{
    if (log != NULL) {
        (void)cuzk_log_writer_flush(log->writer, FLUSH_STALL_MS);
    }
}

uint64_t cuzk_log_lost(cuzk_log *log)
{
    return log == NULL ? 0 : cuzk_log_writer_lost(log->writer);
}

void cuzk_log_engine(void *arg, int level, const char *event, const char *const *kv)
{
    cuzk_log_write(arg, (cuzk_log_level)level, event, kv);
}

void cuzk_log_timeline(cuzk_log *log, uint64_t ms, const char *event, const char *job,
                       const char *detail)
{
    char buf[CUZK_LOG_LINE_BYTES];
    if (log == NULL) {
        return;
    }
    const int n =
        snprintf(buf, sizeof(buf), "TIMELINE,%" PRIu64 ",%s,%s,%s\n", ms, event, job, detail);
    if (n <= 0) {
        return;
    }
    const size_t len = (size_t)n < sizeof(buf) ? (size_t)n : sizeof(buf) - 1;
    for (size_t i = 0; i + 1 < len; i++) {
        if ((unsigned char)buf[i] < 0x20 || buf[i] == 0x7f) {
            buf[i] = '?'; /* a job id is the client's: it may not end the line */
        }
    }
    buf[len - 1] = '\n';
    (void)pthread_mutex_lock(&log->mutex);
    put_line(log, buf, len);
    (void)pthread_mutex_unlock(&log->mutex);
}
