/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The engine's log. Lines are queued under the lock and given to the logger by a thread of their own, so that
 * a logger that stalls (a full pipe) holds up no job, no status and no watchdog.
 */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "engine/engine_internal.h"

#define N_LINES    512u
#define LINE_BYTES 2048u

struct log_line {
    int level;
    uint32_t n_pairs;
    const char *event;     /* a literal */
    char text[LINE_BYTES]; /* names and values, each with its NUL */
};

cuzk_status cuzk_log_init(log_queue *q, cuzk_err *err)
{
    q->lines = cuzk_alloc(N_LINES, sizeof(*q->lines));
    return q->lines != NULL ? CUZK_OK : CUZK_FAIL(err, CUZK_E_NOMEM, "engine: out of memory");
}

/* Copies a string with its NUL, cut where the room ends. */
static size_t copy(char *to, size_t room, const char *from)
{
    const size_t n = strnlen(from, room - 1);
    memcpy(to, from, n);
    to[n] = '\0';
    return n + 1;
}

void cuzk_engine_log(cuzk_engine *e, int level, const char *event, const char *const *kv)
{
    log_queue *q = &e->log;
    if (e->cfg.log == NULL) {
        return;
    }
    if (q->n == N_LINES) {
        q->n_lost++;
        return;
    }
    log_line *line = &q->lines[(q->first + q->n++) % N_LINES];
    size_t at = 0;
    *line = (log_line){.level = level, .event = event};
    for (; line->n_pairs < LOG_PAIRS && kv[2 * line->n_pairs] != NULL; line->n_pairs++) {
        const char *const *pair = kv + 2 * (size_t)line->n_pairs;
        if (at + 64 > LINE_BYTES) {
            break; /* names are short; the values before this one took all the room */
        }
        at += copy(line->text + at, 32, pair[0]);
        at += copy(line->text + at, LINE_BYTES - at, pair[1]);
    }
    pthread_cond_signal(&e->locks.log);
}

static void give(const cuzk_engine *e, const log_line *line)
{
    const char *kv[2 * LOG_PAIRS + 1];
    const char *at = line->text;
    for (uint32_t i = 0; i < 2 * line->n_pairs; i++) {
        kv[i] = at;
        at += strlen(at) + 1;
    }
    kv[2 * line->n_pairs] = NULL;
    e->cfg.log(e->cfg.log_arg, line->level, line->event, kv);
}

static void give_lost(const cuzk_engine *e, uint64_t n)
{
    char text[24];
    (void)snprintf(text, sizeof(text), "%llu", (unsigned long long)n);
    const char *const kv[] = {"lines", text, NULL};
    e->cfg.log(e->cfg.log_arg, 1, "log.lost", kv);
}

void cuzk_log_loop(worker *w)
{
    cuzk_engine *e = w->e;
    uint64_t told = 0;
    cuzk_engine_lock(e);
    while (!e->stop) {
        if (e->log.n == 0 && e->log.n_lost == told) {
            cuzk_engine_wait(e, &e->locks.log);
            continue;
        }
        log_line line;
        const bool has_line = e->log.n != 0;
        const uint64_t lost = e->log.n_lost - told;
        if (has_line) {
            line = e->log.lines[e->log.first];
            e->log.first = (e->log.first + 1) % N_LINES;
            e->log.n--;
        }
        told = e->log.n_lost;
        cuzk_engine_unlock(e);
        if (has_line) {
            give(e, &line);
        }
        if (lost != 0) {
            give_lost(e, lost);
        }
        cuzk_engine_lock(e);
    }
    cuzk_engine_unlock(e);
}

ALONE void cuzk_log_free(cuzk_engine *e)
{
    for (; e->log.lines != NULL && e->log.n != 0; e->log.n--) {
        give(e, &e->log.lines[e->log.first]);
        e->log.first = (e->log.first + 1) % N_LINES;
    }
    cuzk_free(e->log.lines);
}

static const char *state_name(cuzk_job_state s)
{
    static const char *const names[] = {"queued", "running", "completed", "failed", "cancelled"};
    return (unsigned)s < 5 ? names[s] : "?";
}

void cuzk_job_devices(const device_table *devices, const job *j, char *out, size_t n)
{
    uint64_t used = 0;
    size_t at = 0;
    out[0] = '\0';
    for (uint32_t i = 0; j->partitions != NULL && i < j->n_partitions; i++) {
        used |= j->partitions[i].device >= 0 ? (uint64_t)1 << j->partitions[i].device : 0;
    }
    for (uint32_t d = 0; d < devices->n && at < n; d++) {
        if ((used >> d & 1) != 0) {
            const char *comma = at != 0 ? "," : "";
            const int k = devices->all[d].info.is_cpu ? snprintf(out + at, n - at, "%scpu", comma)
                                                      : snprintf(out + at, n - at, "%s%u", comma,
                                                                 devices->all[d].info.ordinal);
            at += k > 0 ? (size_t)k : 0;
        }
    }
}

/* Times in milliseconds, as text: the fields of cuzk_job_times. */
static const char *const time_names[] = {"accept_ms", "queue_ms",    "load_ms",    "wait_ms",
                                         "return_ms", "prepare_ms",  "witness_ms", "device_ms",
                                         "verify_ms", "aggregate_ms"};
CUZK_STATIC_ASSERT(sizeof(time_names) / sizeof(time_names[0]) == CUZK_JOB_ACTIVITIES,
                   "a name each");

void cuzk_engine_log_job(cuzk_engine *e, int level, const char *event, const job *j,
                         const char *key, const char *value)
{
    char number[24], times[CUZK_JOB_ACTIVITIES][24], total[24];
    const char *kv[2 * LOG_PAIRS + 1];
    uint32_t n = 0;
    if (e->cfg.log == NULL) {
        return;
    }
    (void)snprintf(number, sizeof(number), "%llu", (unsigned long long)j->number);
    const char *const first[] = {
        "job",    j->id,
        "number", number,
        "kind",   cuzk_job_kind_queue_name(j->rq.kind),
        "state",  state_name(j->phase >= PHASE_ENDING ? j->outcome : j->state)};
    memcpy(kv, first, sizeof(first));
    n = sizeof(first) / sizeof(first[0]);
    if (j->peer[0] != '\0') {
        kv[n++] = "peer";
        kv[n++] = j->peer;
    }
    if (j->phase == PHASE_ENDED) {
        const uint64_t now = cuzk_clock_ns();
        (void)snprintf(total, sizeof(total), "%llu",
                       (unsigned long long)(cuzk_job_clock_total(&j->clock, now) / MS_NS));
        kv[n++] = "total_ms";
        kv[n++] = total;
        for (int a = 0; a < CUZK_JOB_ACTIVITIES; a++) {
            const uint64_t ns = cuzk_job_clock_spent(&j->clock, (cuzk_job_activity)a, now);
            (void)snprintf(times[a], sizeof(times[a]), "%llu", (unsigned long long)(ns / MS_NS));
            kv[n++] = time_names[a];
            kv[n++] = times[a];
        }
    }
    if (key != NULL) {
        kv[n++] = key;
        kv[n++] = value;
    }
    kv[n] = NULL;
    cuzk_engine_log(e, level, event, kv);
}

void cuzk_engine_log_device(cuzk_engine *e, int level, const char *event, uint32_t index,
                            const char *why)
{
    char ordinal[16];
    (void)snprintf(ordinal, sizeof(ordinal), "%u", e->devices.all[index].info.ordinal);
    const char *const kv[] = {"device", ordinal, "name", e->devices.all[index].info.name,
                              "why",    why,     NULL};
    cuzk_engine_log(e, level, event, kv);
}
