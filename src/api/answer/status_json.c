/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "api/answer/status_json.h"

#include <string.h>

#include "api/gpu_sensors.h"
#include "base/alloc.h"
#include "base/text/json_writer.h"

#define SECONDS(ns) ((double)(ns)*1e-9)
#define MAX_SLOTS \
    (sizeof(((cuzk_status_device *)NULL)->slot) / sizeof(((cuzk_status_device *)NULL)->slot[0]))

static const char *const priority_names[] = {"unspecified", "low", "normal", "high", "critical"};
static const char *const state_names[] = {"queued", "running", "completed", "failed", "cancelled"};
static const char *const part_names[] = {"pending", "synthesizing", "synth_done",  "gpu",
                                         "done",    "failed",       "aggregating", "elsewhere"};

#define NAME(table, i) \
    ((size_t)(i) < sizeof(table) / sizeof((table)[0]) ? (table)[(size_t)(i)] : "unknown")

/* Milliseconds are enough for seconds, and keep the text short. */
static void key_secs(cuzk_jsonw *w, const char *key, uint64_t ns)
{
    cuzk_jsonw_key(w, key);
    const uint64_t ms = ns / 1000000u;
    cuzk_jsonw_f64(w, (double)ms / 1e3);
}
static void key_null(cuzk_jsonw *w, const char *key)
{
    cuzk_jsonw_key(w, key);
    cuzk_jsonw_null(w);
}

static uint64_t since(uint64_t later, uint64_t earlier)
{
    return later > earlier ? later - earlier : 0;
}
/* Microseconds since the daemon's start. */
static uint64_t to_us(const cuzk_engine_status *s, uint64_t ns)
{
    return since(ns, s->started_ns) / 1000u;
}

static bool is_over(const cuzk_status_job *j)
{
    return j->state != CUZK_JOB_QUEUED && j->state != CUZK_JOB_RUNNING;
}
static bool kind_ok(cuzk_job_kind k)
{
    return k >= 1 && k <= CUZK_JOB_KINDS;
}
static const char *kind_name(cuzk_job_kind k)
{
    return kind_ok(k) ? cuzk_job_kind_queue_name(k) : "unknown";
}

static void put_memory(cuzk_jsonw *w, const cuzk_engine_status *s)
{
    cuzk_jsonw_key(w, "memory");
    cuzk_jsonw_begin_object(w);
    cuzk_jsonw_put_u64(w, "total_bytes", s->budget_total);
    cuzk_jsonw_put_u64(w, "used_bytes", s->budget_used);
    cuzk_jsonw_put_u64(w, "available_bytes", since(s->budget_total, s->budget_used));
    cuzk_jsonw_put_u64(w, "reserved_winning_bytes", s->budget_reserved_winning);
    cuzk_jsonw_put_u64(w, "pinned_bytes", s->pinned_used);
    cuzk_jsonw_put_u64(w, "pinned_limit_bytes", s->pinned_limit);
    cuzk_jsonw_put_u64(w, "release_backlog_bytes", s->release_backlog_bytes);
    cuzk_jsonw_put_u64(w, "resident_bytes", s->resident_bytes);
    cuzk_jsonw_end_object(w);
}

/* What several of the original's keys count. */
typedef struct tally {
    uint64_t witness, witness_done, on_device, finishing; /* partitions */
    uint64_t slots;
    uint64_t queued_by_priority[5][CUZK_JOB_KINDS + 1];
    uint64_t running_by_priority[5][CUZK_JOB_KINDS + 1];
    uint64_t ended[CUZK_JOB_KINDS + 1]; /* in the last minute, COMPLETED */
    uint64_t ended_bad;                 /* in the last minute, FAILED or CANCELLED */
} tally;

static void count(tally *t, const cuzk_engine_status *s)
{
    memset(t, 0, sizeof(*t));
    for (uint32_t i = 0; i < s->n_devices; i++) {
        t->slots += s->devices[i].is_fallback && !s->on_cpu ? 0 : s->devices[i].n_slots;
    }
    for (uint32_t i = 0; i < s->n_jobs; i++) {
        const cuzk_status_job *j = &s->jobs[i];
        const int k = kind_ok(j->kind) ? (int)j->kind : 0;
        const int p = j->priority <= CUZK_PRIORITY_CRITICAL ? (int)j->priority : 0;
        if (j->state == CUZK_JOB_QUEUED) {
            t->queued_by_priority[p][k]++;
        } else if (j->state == CUZK_JOB_RUNNING) {
            t->running_by_priority[p][k]++;
        } else if (since(s->now_ns, j->ended_ns) <= 60000000000u) {
            t->ended[k] += j->state == CUZK_JOB_COMPLETED ? 1 : 0;
            t->ended_bad += j->state == CUZK_JOB_COMPLETED ? 0 : 1;
        }
        for (uint32_t q = 0;
             j->state == CUZK_JOB_RUNNING && j->partitions != NULL && q < j->n_partitions; q++) {
            const cuzk_status_partition *part = &j->partitions[q];
            t->witness += part->state == CUZK_PART_WITNESS ? 1 : 0;
            t->witness_done += part->state == CUZK_PART_WITNESS_DONE ? 1 : 0;
            t->on_device += part->state == CUZK_PART_DEVICE ? 1 : 0;
            t->finishing +=
                part->stage > CUZK_STAGE_DEVICE && part->state == CUZK_PART_DEVICE ? 1 : 0;
        }
    }
}

/* [stage, begin, end], microseconds since the daemon's start; end is null while it lasts. */
static void put_spans(cuzk_jsonw *w, const cuzk_engine_status *s, const cuzk_status_partition *p)
{
    cuzk_jsonw_key(w, "spans_us");
    cuzk_jsonw_begin_array(w);
    for (int i = 0; i < CUZK_STAGES; i++) {
        if (p->stage_begin_ns[i] == 0) {
            continue;
        }
        cuzk_jsonw_begin_array(w);
        cuzk_jsonw_u64(w, (uint64_t)i);
        cuzk_jsonw_u64(w, to_us(s, p->stage_begin_ns[i]));
        if (p->stage_end_ns[i] == 0) {
            cuzk_jsonw_null(w);
        } else {
            cuzk_jsonw_u64(w, to_us(s, p->stage_end_ns[i]));
        }
        cuzk_jsonw_end_array(w);
    }
    cuzk_jsonw_end_array(w);
}

/* Duration of a stage, null until it is over. */
static void key_stage_ms(cuzk_jsonw *w, const char *key, const cuzk_status_partition *p,
                         cuzk_stage st)
{
    if (p->stage_begin_ns[st] == 0 || p->stage_end_ns[st] == 0) {
        key_null(w, key);
    } else {
        cuzk_jsonw_put_u64(w, key, since(p->stage_end_ns[st], p->stage_begin_ns[st]) / 1000000u);
    }
}

static void put_partition(cuzk_jsonw *w, const cuzk_engine_status *s,
                          const cuzk_status_partition *p)
{
    cuzk_jsonw_begin_object(w);
    cuzk_jsonw_put_u64(w, "index", p->index);
    cuzk_jsonw_put_str(w, "state", NAME(part_names, p->state));
    key_stage_ms(w, "synth_ms", p, CUZK_STAGE_WITNESS);
    key_stage_ms(w, "gpu_ms", p, CUZK_STAGE_DEVICE);
    cuzk_jsonw_put_str(w, "stage", cuzk_stage_name(p->stage));
    cuzk_jsonw_key(w, "device");
    if (p->device < 0) {
        cuzk_jsonw_null(w);
    } else {
        cuzk_jsonw_i64(w, p->device);
    }
    put_spans(w, s, p);
    cuzk_jsonw_end_object(w);
}

/* They add up to total_secs. */
static void put_times(cuzk_jsonw *w, const cuzk_job_times *t)
{
    const struct {
        const char *name;
        uint64_t ns;
    } parts[] = {{"accept_secs", t->accept_ns},       {"queue_secs", t->queue_ns},
                 {"prepare_secs", t->prepare_ns},     {"load_secs", t->load_ns},
                 {"wait_secs", t->wait_ns},           {"witness_secs", t->witness_ns},
                 {"device_secs", t->device_ns},       {"verify_secs", t->verify_ns},
                 {"aggregate_secs", t->aggregate_ns}, {"return_secs", t->return_ns},
                 {"total_secs", t->total_ns}};
    cuzk_jsonw_key(w, "times");
    cuzk_jsonw_begin_object(w);
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        cuzk_jsonw_key(w, parts[i].name);
        cuzk_jsonw_f64(w, SECONDS(parts[i].ns));
    }
    cuzk_jsonw_end_object(w);
}

static void put_job_head(cuzk_jsonw *w, const cuzk_engine_status *s, const cuzk_status_job *j)
{
    cuzk_jsonw_put_str(w, "job_id", j->job_id);
    cuzk_jsonw_put_u64(w, "number", j->number);
    cuzk_jsonw_put_str(w, "proof_kind", kind_name(j->kind));
    cuzk_jsonw_put_str(w, "priority", NAME(priority_names, j->priority));
    cuzk_jsonw_put_str(w, "job_state", NAME(state_names, j->state));
    cuzk_jsonw_put_u64(w, "accepted_us", to_us(s, j->accepted_ns));
    if (j->peer[0] != '\0') {
        cuzk_jsonw_put_str(w, "peer", j->peer);
    }
    if (is_over(j) && j->error_text[0] != '\0') {
        cuzk_jsonw_put_str(w, "error_class", j->error_class != NULL ? j->error_class : "");
        cuzk_jsonw_put_str(w, "error", j->error_text);
    }
    put_times(w, &j->times);
    if (j->deadline_ns != 0) {
        cuzk_jsonw_key(w, "deadline_in_secs");
        cuzk_jsonw_f64(w, j->deadline_ns >= s->now_ns ? SECONDS(j->deadline_ns - s->now_ns)
                                                      : -SECONDS(s->now_ns - j->deadline_ns));
    }
}

static void put_pipeline(cuzk_jsonw *w, const cuzk_engine_status *s, const cuzk_status_job *j)
{
    const uint64_t started = j->started_ns != 0 ? j->started_ns : j->accepted_ns;
    cuzk_jsonw_begin_object(w);
    put_job_head(w, s, j);
    key_secs(w, "started_secs_ago", since(s->now_ns, started));
    cuzk_jsonw_put_u64(w, "started_us", to_us(s, started));
    if (is_over(j)) {
        cuzk_jsonw_put_u64(w, "ended_us", to_us(s, j->ended_ns));
    }
    cuzk_jsonw_put_u64(w, "total_partitions", j->n_partitions);
    cuzk_jsonw_put_u64(w, "partitions_done", j->n_done);
    cuzk_jsonw_put_u64(w, "partitions_on_cpu", j->n_on_cpu);
    cuzk_jsonw_put_u64(w, "partitions_elsewhere", j->n_elsewhere);
    if (j->is_task) {
        cuzk_jsonw_put_bool(w, "is_task", true);
    }
    cuzk_jsonw_key(w, "partitions");
    cuzk_jsonw_begin_array(w);
    for (uint32_t i = 0; j->partitions != NULL && i < j->n_partitions; i++) {
        put_partition(w, s, &j->partitions[i]);
    }
    cuzk_jsonw_end_array(w);
    cuzk_jsonw_end_object(w);
}

static void put_queued(cuzk_jsonw *w, const cuzk_engine_status *s, const cuzk_status_job *j)
{
    cuzk_jsonw_begin_object(w);
    put_job_head(w, s, j);
    key_secs(w, "waiting_secs", since(s->now_ns, j->accepted_ns));
    cuzk_jsonw_put_u64(w, "total_partitions", j->n_partitions);
    cuzk_jsonw_end_object(w);
}

/*
 * pipelines: running jobs, then the newest that are over; queued: the oldest that wait. What does
 * not fit is counted, so that a reader knows the lists for parts.
 */
static void put_jobs(cuzk_jsonw *w, const cuzk_engine_status *s, uint64_t ended_since_us)
{
    uint64_t running = 0, queued = 0, over = 0, left_out = 0;
    cuzk_jsonw_key(w, "pipelines");
    cuzk_jsonw_begin_array(w);
    for (uint32_t i = 0; i < s->n_jobs; i++) {
        if (s->jobs[i].state == CUZK_JOB_RUNNING) {
            if (running < CUZK_STATUS_JSON_MAX_JOBS) {
                put_pipeline(w, s, &s->jobs[i]);
            }
            running++;
        }
    }
    for (uint32_t i = s->n_jobs; i-- > 0;) {
        const cuzk_status_job *j = &s->jobs[i];
        if (is_over(j) && to_us(s, j->ended_ns) >= ended_since_us) {
            if (over < CUZK_STATUS_JSON_MAX_JOBS) {
                put_pipeline(w, s, j);
            }
            over++;
        }
    }
    cuzk_jsonw_end_array(w);
    cuzk_jsonw_key(w, "queued");
    cuzk_jsonw_begin_array(w);
    for (uint32_t i = 0; i < s->n_jobs; i++) {
        if (s->jobs[i].state == CUZK_JOB_QUEUED) {
            if (queued < CUZK_STATUS_JSON_MAX_JOBS) {
                put_queued(w, s, &s->jobs[i]);
            }
            queued++;
        }
    }
    cuzk_jsonw_end_array(w);
    left_out += since(running, CUZK_STATUS_JSON_MAX_JOBS);
    left_out += since(over, CUZK_STATUS_JSON_MAX_JOBS);
    left_out += since(queued, CUZK_STATUS_JSON_MAX_JOBS);
    cuzk_jsonw_put_u64(w, "jobs_left_out", left_out);
}

static void put_workers(cuzk_jsonw *w, const cuzk_engine_status *s)
{
    uint64_t id = 0;
    cuzk_jsonw_key(w, "gpu_workers");
    cuzk_jsonw_begin_array(w);
    for (uint32_t d = 0; d < s->n_devices; d++) {
        const cuzk_status_device *dev = &s->devices[d];
        for (uint32_t i = 0; i < dev->n_slots && i < MAX_SLOTS; i++) {
            cuzk_jsonw_begin_object(w);
            cuzk_jsonw_put_u64(w, "worker_id", id++);
            cuzk_jsonw_put_u64(w, "gpu_ordinal", dev->ordinal);
            cuzk_jsonw_put_str(w, "state", dev->slot[i].busy ? "proving" : "idle");
            if (dev->slot[i].busy) {
                cuzk_jsonw_put_str(w, "current_job", dev->slot[i].job_id);
                cuzk_jsonw_put_u64(w, "current_partition", dev->slot[i].partition);
                key_secs(w, "busy_secs", since(s->now_ns, dev->slot[i].since_ns));
                cuzk_jsonw_put_str(w, "current_kind", kind_name(dev->slot[i].kind));
            } else {
                key_null(w, "current_job");
                key_null(w, "current_partition");
                key_null(w, "busy_secs");
            }
            cuzk_jsonw_end_object(w);
        }
    }
    cuzk_jsonw_end_array(w);
}

/* What the device can do with circuits, from its memory. */
static void put_abilities(cuzk_jsonw *w, const cuzk_engine_status *s, uint32_t device)
{
    cuzk_jsonw_key(w, "abilities");
    cuzk_jsonw_begin_array(w);
    for (uint32_t i = 0; i < s->n_abilities; i++) {
        const cuzk_status_ability *a = &s->abilities[i];
        if (a->device != device) {
            continue;
        }
        cuzk_jsonw_begin_object(w);
        cuzk_jsonw_put_str(w, "circuit_id", a->circuit_id);
        cuzk_jsonw_put_str(w, "ability", cuzk_device_ability_name(a->ability));
        cuzk_jsonw_put_u64(w, "needed_bytes", a->needed_bytes);
        cuzk_jsonw_put_u64(w, "available_bytes", a->available_bytes);
        if (a->expected_ms != 0) {
            cuzk_jsonw_key(w, "expected_secs");
            cuzk_jsonw_f64(w, (double)a->expected_ms / 1e3);
            cuzk_jsonw_put_bool(w, "expected_is_measured", a->is_measured);
        }
        cuzk_jsonw_end_object(w);
    }
    cuzk_jsonw_end_array(w);
}

/* Circuits that get no work on the device now. */
static void put_set_aside(cuzk_jsonw *w, const cuzk_engine_status *s, uint32_t device)
{
    cuzk_jsonw_key(w, "set_aside");
    cuzk_jsonw_begin_array(w);
    for (uint32_t i = 0; i < s->n_set_aside; i++) {
        const cuzk_status_set_aside *c = &s->set_aside[i];
        if (c->device == device) {
            cuzk_jsonw_begin_object(w);
            cuzk_jsonw_put_str(w, "circuit_id", c->circuit_id);
            key_secs(w, "for_secs", since(c->until_ns, s->now_ns));
            cuzk_jsonw_end_object(w);
        }
    }
    cuzk_jsonw_end_array(w);
}

static void put_devices(cuzk_jsonw *w, const cuzk_engine_status *s)
{
    cuzk_jsonw_key(w, "devices");
    cuzk_jsonw_begin_array(w);
    for (uint32_t i = 0; i < s->n_devices; i++) {
        const cuzk_status_device *d = &s->devices[i];
        uint64_t busy = 0;
        for (uint32_t k = 0; k < d->n_slots && k < MAX_SLOTS; k++) {
            busy += d->slot[k].busy ? 1 : 0;
        }
        cuzk_jsonw_begin_object(w);
        cuzk_jsonw_put_u64(w, "ordinal", d->ordinal);
        cuzk_jsonw_put_str(w, "name", d->name);
        cuzk_jsonw_put_bool(w, "is_cpu", d->is_cpu);
        cuzk_jsonw_put_bool(w, "is_fallback", d->is_fallback);
        cuzk_jsonw_put_bool(w, "quarantined", d->quarantined);
        cuzk_jsonw_put_u64(w, "memory_total_bytes", d->memory_total);
        cuzk_jsonw_put_u64(w, "memory_free_bytes", d->memory_free);
        cuzk_jsonw_put_u64(w, "slots", d->n_slots);
        cuzk_jsonw_put_u64(w, "busy_slots", busy);
        cuzk_jsonw_put_u64(w, "partitions_done", d->jobs_done);
        cuzk_jsonw_put_u64(w, "errors", d->errors);
        put_set_aside(w, s, i);
        put_abilities(w, s, i);
        cuzk_jsonw_end_object(w);
    }
    cuzk_jsonw_end_array(w);
}

/* What the driver says of the machine's cards; all of them, whether the daemon uses them or not. */
static void put_sensors(cuzk_jsonw *w)
{
    cuzk_gpu_sensors list[CUZK_SENSORS_MOST];
    const uint32_t n = cuzk_gpu_sensors_read(list);
    cuzk_jsonw_key(w, "sensors");
    cuzk_jsonw_begin_array(w);
    for (uint32_t i = 0; i < n; i++) {
        const cuzk_gpu_sensors *s = &list[i];
        const struct {
            const char *key;
            cuzk_sensor_bit bit;
            uint64_t value;
        } values[] = {{"celsius", CUZK_SENSOR_TEMPERATURE, s->celsius},
                      {"milliwatts", CUZK_SENSOR_POWER, s->milliwatts},
                      {"clock_mhz", CUZK_SENSOR_CLOCK, s->clock_mhz},
                      {"memory_clock_mhz", CUZK_SENSOR_MEMORY_CLOCK, s->memory_clock_mhz},
                      {"memory_total_bytes", CUZK_SENSOR_MEMORY, s->memory_total},
                      {"memory_used_bytes", CUZK_SENSOR_MEMORY, s->memory_used},
                      {"load_percent", CUZK_SENSOR_LOAD, s->load_percent}};
        cuzk_jsonw_begin_object(w);
        cuzk_jsonw_put_str(w, "name", s->name);
        cuzk_jsonw_put_str(w, "pci", s->pci);
        for (size_t k = 0; k < sizeof(values) / sizeof(values[0]); k++) {
            if ((s->has & (unsigned)values[k].bit) != 0) {
                cuzk_jsonw_put_u64(w, values[k].key, values[k].value);
            }
        }
        cuzk_jsonw_end_object(w);
    }
    cuzk_jsonw_end_array(w);
}

/* What happens, and is happening, when no GPU works. */
static void put_fallback(cuzk_jsonw *w, const cuzk_engine_status *s)
{
    cuzk_jsonw_key(w, "fallback");
    cuzk_jsonw_begin_object(w);
    cuzk_jsonw_put_str(w, "when_lost", s->has_fallback ? "cpu" : "wait");
    cuzk_jsonw_put_bool(w, "on_cpu", s->on_cpu);
    if (s->on_cpu) {
        key_secs(w, "on_cpu_secs", since(s->now_ns, s->on_cpu_since_ns));
    } else {
        key_null(w, "on_cpu_secs");
    }
    cuzk_jsonw_put_u64(w, "times", s->n_fallbacks);
    cuzk_jsonw_end_object(w);
}

static void put_cached(cuzk_jsonw *w, const cuzk_engine_status *s, const char *key, bool srs)
{
    cuzk_jsonw_key(w, key);
    cuzk_jsonw_begin_array(w);
    for (uint32_t i = 0; i < s->n_cached; i++) {
        const cuzk_status_cached *c = &s->cached[i];
        if (c->is_srs == srs) {
            cuzk_jsonw_begin_object(w);
            cuzk_jsonw_put_str(w, "circuit_id", c->circuit_id);
            cuzk_jsonw_put_u64(w, "bytes", c->bytes);
            key_secs(w, "last_used_secs_ago", since(s->now_ns, c->last_used_ns));
            cuzk_jsonw_put_bool(w, "evictable", c->refs == 0);
            cuzk_jsonw_put_u64(w, "refs", c->refs);
            cuzk_jsonw_put_bool(w, "on_device", c->on_device);
            cuzk_jsonw_end_object(w);
        }
    }
    cuzk_jsonw_end_array(w);
}

static void put_by_kind(cuzk_jsonw *w, const char *key, const uint64_t v[CUZK_JOB_KINDS + 1])
{
    cuzk_jsonw_key(w, key);
    cuzk_jsonw_begin_object(w);
    for (int k = 1; k <= CUZK_JOB_KINDS; k++) {
        cuzk_jsonw_put_u64(w, cuzk_job_kind_queue_name((cuzk_job_kind)k), v[k]);
    }
    cuzk_jsonw_end_object(w);
}

static void put_counters(cuzk_jsonw *w, const cuzk_engine_status *s, const tally *t)
{
    uint64_t completed = 0, failed = 0, cancelled = 0, reproved = 0, depth = 0;
    for (int k = 0; k <= CUZK_JOB_KINDS; k++) {
        completed += s->completed[k];
        failed += s->failed[k];
        cancelled += s->cancelled[k];
        reproved += s->reproved[k];
        depth += s->pending[k];
    }
    cuzk_jsonw_key(w, "counters");
    cuzk_jsonw_begin_object(w);
    cuzk_jsonw_put_u64(w, "total_completed", completed);
    cuzk_jsonw_put_u64(w, "total_failed", failed);
    put_by_kind(w, "completed_by_kind", s->completed);
    put_by_kind(w, "failed_by_kind", s->failed);
    cuzk_jsonw_put_u64(w, "queue_depth", depth);
    cuzk_jsonw_put_u64(w, "total_cancelled", cancelled);
    cuzk_jsonw_put_u64(w, "total_reproved", reproved);
    put_by_kind(w, "completed_last_minute", t->ended);
    cuzk_jsonw_put_u64(w, "not_completed_last_minute", t->ended_bad);
    cuzk_jsonw_key(w, "aggregates_verified");
    cuzk_jsonw_begin_object(w);
    cuzk_jsonw_put_u64(w, "valid", s->verified[CUZK_AGGREGATE_VALID]);
    cuzk_jsonw_put_u64(w, "false", s->verified[CUZK_AGGREGATE_FALSE]);
    cuzk_jsonw_put_u64(w, "malformed", s->verified[CUZK_AGGREGATE_MALFORMED]);
    cuzk_jsonw_end_object(w);
    cuzk_jsonw_end_object(w);
}

static void put_queues(cuzk_jsonw *w, const cuzk_engine_status *s, const tally *t)
{
    cuzk_jsonw_key(w, "queues");
    cuzk_jsonw_begin_array(w);
    for (int k = 1; k <= CUZK_JOB_KINDS; k++) {
        cuzk_jsonw_begin_object(w);
        cuzk_jsonw_put_str(w, "proof_kind", cuzk_job_kind_queue_name((cuzk_job_kind)k));
        cuzk_jsonw_put_u64(w, "pending", s->pending[k]);
        cuzk_jsonw_put_u64(w, "in_progress", s->in_progress[k]);
        cuzk_jsonw_key(w, "pending_by_priority");
        cuzk_jsonw_begin_object(w);
        for (int p = CUZK_PRIORITY_CRITICAL; p >= CUZK_PRIORITY_LOW; p--) {
            cuzk_jsonw_put_u64(w, priority_names[p], t->queued_by_priority[p][k]);
        }
        cuzk_jsonw_end_object(w);
        cuzk_jsonw_key(w, "in_progress_by_priority");
        cuzk_jsonw_begin_object(w);
        for (int p = CUZK_PRIORITY_CRITICAL; p >= CUZK_PRIORITY_LOW; p--) {
            cuzk_jsonw_put_u64(w, priority_names[p], t->running_by_priority[p][k]);
        }
        cuzk_jsonw_end_object(w);
        cuzk_jsonw_end_object(w);
    }
    cuzk_jsonw_end_array(w);
    cuzk_jsonw_key(w, "stages");
    cuzk_jsonw_begin_array(w);
    for (int i = 0; i < CUZK_STAGES; i++) {
        cuzk_jsonw_begin_object(w);
        cuzk_jsonw_put_str(w, "name", cuzk_stage_name((cuzk_stage)i));
        cuzk_jsonw_put_u64(w, "waiting", s->queue_len[i]);
        cuzk_jsonw_end_object(w);
    }
    cuzk_jsonw_end_array(w);
}

/* The original's names for what is in flight; what cuzk has no such thing of is 0. */
static void put_synthesis_and_buffers(cuzk_jsonw *w, const tally *t)
{
    cuzk_jsonw_key(w, "synthesis");
    cuzk_jsonw_begin_object(w);
    cuzk_jsonw_put_u64(w, "max_concurrent", t->slots > t->witness ? t->slots : t->witness);
    cuzk_jsonw_put_u64(w, "active", t->witness);
    cuzk_jsonw_end_object(w);
    cuzk_jsonw_key(w, "buffers");
    cuzk_jsonw_begin_object(w);
    cuzk_jsonw_put_u64(w, "synth_in_flight", t->witness);
    cuzk_jsonw_put_u64(w, "provers_in_flight", t->witness_done + t->on_device);
    cuzk_jsonw_put_u64(w, "aux_in_flight", t->witness_done);
    cuzk_jsonw_put_u64(w, "shells_in_flight", 0);
    cuzk_jsonw_put_u64(w, "pending_handles", t->finishing);
    cuzk_jsonw_end_object(w);
}

cuzk_status cuzk_status_json(char **text, size_t *n, const cuzk_engine_status *s,
                             const char *version, uint64_t ended_since_us, cuzk_err *err)
{
    cuzk_jsonw w;
    tally t;
    const char *done = NULL;
    *text = NULL;
    *n = 0;
    count(&t, s);
    cuzk_jsonw_init(&w, false);
    cuzk_jsonw_begin_object(&w);
    key_secs(&w, "uptime_secs", since(s->now_ns, s->started_ns));
    put_memory(&w, s);
    put_synthesis_and_buffers(&w, &t);
    put_jobs(&w, s, ended_since_us);
    put_workers(&w, s);
    cuzk_jsonw_key(&w, "allocations");
    cuzk_jsonw_begin_object(&w);
    put_cached(&w, s, "srs", true);
    put_cached(&w, s, "pce", false);
    cuzk_jsonw_end_object(&w);
    put_counters(&w, s, &t);
    cuzk_jsonw_put_str(&w, "version", version != NULL ? version : "unknown");
    cuzk_jsonw_put_bool(&w, "draining", s->draining);
    cuzk_jsonw_put_u64(&w, "now_us", to_us(s, s->now_ns));
    put_devices(&w, s);
    put_sensors(&w);
    put_fallback(&w, s);
    put_queues(&w, s, &t);
    cuzk_jsonw_end_object(&w);
    cuzk_status st = cuzk_jsonw_finish(&w, &done, n, err);
    if (st == CUZK_OK) {
        *text = cuzk_alloc(*n + 1, 1);
        if (*text == NULL) {
            st = CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for the status");
        } else {
            memcpy(*text, done, *n + 1);
        }
    }
    if (st != CUZK_OK) {
        *n = 0;
    }
    cuzk_jsonw_free(&w);
    return st;
}
