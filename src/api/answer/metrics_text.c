/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "api/answer/metrics_text.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "api/answer/text_buf.h"
#include "api/gpu_sensors.h"

static void family(cuzk_text_buf *b, const char *name, const char *type, const char *help)
{
    cuzk_text_printf(b, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void one_u64(cuzk_text_buf *b, const char *name, const char *type, const char *help,
                    uint64_t v)
{
    family(b, name, type, help);
    cuzk_text_printf(b, "%s %" PRIu64 "\n", name, v);
}

static void one_f64(cuzk_text_buf *b, const char *name, const char *type, const char *help,
                    double v)
{
    family(b, name, type, help);
    cuzk_text_printf(b, "%s %.6f\n", name, v);
}

/* A label's value: backslash, quote and line feed are escaped; other control characters dropped. */
static void put_label_value(cuzk_text_buf *b, const char *s)
{
    for (; *s != '\0'; s++) {
        if (*s == '\\' || *s == '"') {
            cuzk_text_printf(b, "\\%c", *s);
        } else if (*s == '\n') {
            cuzk_text_put(b, "\\n", 2);
        } else if ((unsigned char)*s >= 0x20) {
            cuzk_text_put(b, s, 1);
        }
    }
}

static void by_kind_u64(cuzk_text_buf *b, const char *name, const char *type, const char *help,
                        const uint64_t v[CUZK_JOB_KINDS + 1])
{
    family(b, name, type, help);
    for (int k = 1; k <= CUZK_JOB_KINDS; k++) {
        cuzk_text_printf(b, "%s{proof_kind=\"%s\"} %" PRIu64 "\n", name,
                         cuzk_job_kind_label((cuzk_job_kind)k), v[k]);
    }
}

static void by_kind_u32(cuzk_text_buf *b, const char *name, const char *help,
                        const uint32_t v[CUZK_JOB_KINDS + 1])
{
    uint64_t wide[CUZK_JOB_KINDS + 1];
    for (int k = 0; k <= CUZK_JOB_KINDS; k++) {
        wide[k] = v[k];
    }
    by_kind_u64(b, name, "gauge", help, wide);
}

/* Index 0 holds what had no kind. */
static uint64_t sum_kinds(const uint64_t v[CUZK_JOB_KINDS + 1])
{
    uint64_t sum = 0;
    for (int k = 0; k <= CUZK_JOB_KINDS; k++) {
        sum += v[k];
    }
    return sum;
}

/* labels: "a=\"b\"", not empty. Buckets of a series are cumulative and end with +Inf. */
static void histogram(cuzk_text_buf *b, const char *name, const char *labels,
                      const cuzk_histogram *h)
{
    uint64_t seen = 0;
    for (int i = 0; i < CUZK_HISTOGRAM_BUCKETS; i++) {
        seen += h->count[i];
        if (i < CUZK_HISTOGRAM_BUCKETS - 1) {
            cuzk_text_printf(b, "%s_bucket{%s,le=\"%g\"} %" PRIu64 "\n", name, labels,
                             cuzk_histogram_bound[i], seen);
        } else {
            cuzk_text_printf(b, "%s_bucket{%s,le=\"+Inf\"} %" PRIu64 "\n", name, labels, seen);
        }
    }
    cuzk_text_printf(b, "%s_sum{%s} %.6f\n%s_count{%s} %" PRIu64 "\n", name, labels, h->sum_seconds,
                     name, labels, seen);
}

static void put_verified(cuzk_text_buf *b, const cuzk_engine_status *s)
{
    static const char name[] = "cuzk_aggregates_verified_total";
    static const char *const results[] = {"valid", "false", "malformed"};
    family(b, name, "counter", "Aggregates that callers had verified, by answer.");
    for (int i = 0; i < 3; i++) {
        cuzk_text_printf(b, "%s{result=\"%s\"} %" PRIu64 "\n", name, results[i],
                         s->verified[CUZK_AGGREGATE_VALID + i]);
    }
}

static void put_jobs(cuzk_text_buf *b, const cuzk_engine_status *s)
{
    uint32_t pending = 0, running = 0;
    for (int k = 0; k <= CUZK_JOB_KINDS; k++) {
        pending += s->pending[k];
        running += s->in_progress[k];
    }
    one_u64(b, "cuzk_proofs_completed_total", "counter", "Jobs whose proof was returned.",
            sum_kinds(s->completed));
    one_u64(b, "cuzk_proofs_failed_total", "counter", "Jobs that ended in failure.",
            sum_kinds(s->failed));
    by_kind_u64(b, "cuzk_proofs_completed", "counter", "Jobs whose proof was returned, by kind.",
                s->completed);
    by_kind_u64(b, "cuzk_proofs_failed", "counter", "Jobs that ended in failure, by kind.",
                s->failed);
    by_kind_u64(b, "cuzk_jobs_cancelled_total", "counter",
                "Jobs cancelled by a client, a deadline or a stop.", s->cancelled);
    by_kind_u64(b, "cuzk_partitions_reproved_total", "counter",
                "Partitions proved again because a proof did not verify.", s->reproved);
    put_verified(b, s);
    one_u64(b, "cuzk_queue_depth", "gauge", "Jobs accepted and not started.", pending);
    one_u64(b, "cuzk_running_jobs", "gauge", "Jobs being proved.", running);
    by_kind_u32(b, "cuzk_jobs_pending", "Jobs accepted and not started, by kind.", s->pending);
    by_kind_u32(b, "cuzk_jobs_in_progress", "Jobs being proved, by kind.", s->in_progress);

    double oldest[CUZK_JOB_KINDS + 1] = {0};
    for (uint32_t i = 0; i < s->n_jobs; i++) {
        const cuzk_status_job *j = &s->jobs[i];
        if (j->state == CUZK_JOB_QUEUED && j->kind >= 1 && j->kind <= CUZK_JOB_KINDS &&
            s->now_ns > j->accepted_ns) {
            const double age = (double)(s->now_ns - j->accepted_ns) * 1e-9;
            oldest[j->kind] = age > oldest[j->kind] ? age : oldest[j->kind];
        }
    }
    family(b, "cuzk_oldest_pending_seconds", "gauge",
           "Age of the oldest job that waits to be started, 0 when none does.");
    for (int k = 1; k <= CUZK_JOB_KINDS; k++) {
        cuzk_text_printf(b, "cuzk_oldest_pending_seconds{proof_kind=\"%s\"} %.3f\n",
                         cuzk_job_kind_label((cuzk_job_kind)k), oldest[k]);
    }
    family(b, "cuzk_stage_queue_partitions", "gauge", "Partitions that wait before a stage.");
    for (int i = 0; i < CUZK_STAGES; i++) {
        cuzk_text_printf(b, "cuzk_stage_queue_partitions{stage=\"%s\"} %" PRIu32 "\n",
                         cuzk_stage_name((cuzk_stage)i), s->queue_len[i]);
    }
}

static void put_durations(cuzk_text_buf *b, const cuzk_engine_status *s)
{
    char labels[96];
    family(b, "cuzk_proof_duration_seconds", "histogram",
           "Time from a job's acceptance to its end.");
    for (int k = 1; k <= CUZK_JOB_KINDS; k++) {
        (void)snprintf(labels, sizeof(labels), "proof_kind=\"%s\"",
                       cuzk_job_kind_label((cuzk_job_kind)k));
        histogram(b, "cuzk_proof_duration_seconds", labels, &s->job[k]);
    }
    family(b, "cuzk_stage_duration_seconds", "histogram",
           "Time of a partition in a stage, without the wait before it.");
    for (int i = 0; i < CUZK_STAGES; i++) {
        for (int k = 1; k <= CUZK_JOB_KINDS; k++) {
            (void)snprintf(labels, sizeof(labels), "stage=\"%s\",proof_kind=\"%s\"",
                           cuzk_stage_name((cuzk_stage)i), cuzk_job_kind_label((cuzk_job_kind)k));
            histogram(b, "cuzk_stage_duration_seconds", labels, &s->stage[i][k]);
        }
    }
}

static void put_memory(cuzk_text_buf *b, const cuzk_engine_status *s)
{
    one_u64(b, "cuzk_memory_budget_bytes", "gauge", "Host memory that the engine may use.",
            s->budget_total);
    one_u64(b, "cuzk_memory_used_bytes", "gauge", "Host memory reserved from the budget.",
            s->budget_used);
    one_u64(b, "cuzk_memory_reserved_winning_bytes", "gauge",
            "Part of the budget that is held back for WinningPoSt.", s->budget_reserved_winning);
    one_u64(b, "cuzk_memory_pinned_bytes", "gauge", "Page-locked host memory.", s->pinned_used);
    one_u64(b, "cuzk_memory_pinned_limit_bytes", "gauge",
            "Most host memory that keys of devices may lock.", s->pinned_limit);
    one_u64(b, "cuzk_memory_release_backlog_bytes", "gauge",
            "Buffers that are over but not yet given back to the system.",
            s->release_backlog_bytes);
    one_u64(b, "process_resident_memory_bytes", "gauge", "Resident memory of the process.",
            s->resident_bytes);
}

typedef uint64_t (*device_value)(const cuzk_status_device *d);
static uint64_t device_total(const cuzk_status_device *d)
{
    return d->memory_total;
}
static uint64_t device_free(const cuzk_status_device *d)
{
    return d->memory_free;
}
static uint64_t device_done(const cuzk_status_device *d)
{
    return d->jobs_done;
}
static uint64_t device_errors(const cuzk_status_device *d)
{
    return d->errors;
}
static uint64_t device_quarantined(const cuzk_status_device *d)
{
    return d->quarantined ? 1 : 0;
}
static uint64_t device_slots(const cuzk_status_device *d)
{
    return d->n_slots;
}
static uint64_t device_busy(const cuzk_status_device *d)
{
    uint64_t busy = 0;
    const size_t cap = sizeof(d->slot) / sizeof(d->slot[0]);
    for (size_t i = 0; i < d->n_slots && i < cap; i++) {
        busy += d->slot[i].busy ? 1 : 0;
    }
    return busy;
}

static void put_devices(cuzk_text_buf *b, const cuzk_engine_status *s)
{
    static const struct {
        const char *name, *type, *help;
        device_value get;
    } all[] = {
        {"cuzk_device_memory_bytes", "gauge", "Memory of the device.", device_total},
        {"cuzk_device_memory_free_bytes", "gauge", "Free memory of the device.", device_free},
        {"cuzk_device_slots", "gauge", "Partitions that the device takes at once.", device_slots},
        {"cuzk_device_busy_slots", "gauge", "Partitions on the device now.", device_busy},
        {"cuzk_device_quarantined", "gauge",
         "1 while the device gets no work because of its errors.", device_quarantined},
        {"cuzk_device_partitions_total", "counter", "Partitions that the device proved.",
         device_done},
        {"cuzk_device_errors_total", "counter", "Errors of the device and wrong proofs from it.",
         device_errors}};
    uint64_t slots = 0;
    for (uint32_t i = 0; i < s->n_devices; i++) {
        slots += s->devices[i].is_fallback && !s->on_cpu ? 0 : s->devices[i].n_slots;
    }
    one_u64(b, "cuzk_on_cpu", "gauge", "1 while the CPU proves for want of a GPU that works.",
            s->on_cpu ? 1 : 0);
    one_u64(b, "cuzk_fallbacks_total", "counter", "Times that the CPU took over from the GPUs.",
            s->n_fallbacks);
    one_u64(b, "cuzk_gpu_workers", "gauge", "Partitions that all devices take at once.", slots);
    for (size_t m = 0; m < sizeof(all) / sizeof(all[0]); m++) {
        family(b, all[m].name, all[m].type, all[m].help);
        for (uint32_t i = 0; i < s->n_devices; i++) {
            const cuzk_status_device *d = &s->devices[i];
            cuzk_text_printf(b, "%s{device=\"%" PRIu32 "\",type=\"%s\",name=\"", all[m].name,
                             d->ordinal, d->is_cpu ? "cpu" : "gpu");
            put_label_value(b, d->name);
            cuzk_text_printf(b, "\"} %" PRIu64 "\n", all[m].get(d));
        }
    }
}

/* The family is there without a row, too: an alert on it knows that the daemon has the metric. */
static void put_set_aside(cuzk_text_buf *b, const cuzk_engine_status *s)
{
    family(b, "cuzk_circuit_set_aside", "gauge",
           "1 while the circuit gets no work on the device: its proofs did not verify there.");
    for (uint32_t i = 0; i < s->n_set_aside; i++) {
        const cuzk_status_device *d = &s->devices[s->set_aside[i].device];
        cuzk_text_printf(b, "cuzk_circuit_set_aside{device=\"%" PRIu32 "\",type=\"%s\",circuit=\"",
                         d->ordinal, d->is_cpu ? "cpu" : "gpu");
        put_label_value(b, s->set_aside[i].circuit_id);
        cuzk_text_printf(b, "\"} 1\n");
    }
}

/* Of the machine's cards, by the driver: families are there when a card has a value. */
static void put_sensors(cuzk_text_buf *b)
{
    cuzk_gpu_sensors list[CUZK_SENSORS_MOST];
    const uint32_t n = cuzk_gpu_sensors_read(list);
    for (int f = 0; f < 7; f++) {
        static const struct {
            const char *name, *help;
            cuzk_sensor_bit bit;
        } families[] = {
            {"cuzk_gpu_temperature_celsius", "Temperature of the card.", CUZK_SENSOR_TEMPERATURE},
            {"cuzk_gpu_power_watts", "Power that the card takes.", CUZK_SENSOR_POWER},
            {"cuzk_gpu_clock_hertz", "Clock of the multiprocessors.", CUZK_SENSOR_CLOCK},
            {"cuzk_gpu_memory_clock_hertz", "Clock of the memory.", CUZK_SENSOR_MEMORY_CLOCK},
            {"cuzk_gpu_memory_bytes", "Memory of the card.", CUZK_SENSOR_MEMORY},
            {"cuzk_gpu_memory_used_bytes", "Memory that all programs have.", CUZK_SENSOR_MEMORY},
            {"cuzk_gpu_load_ratio", "Share of the last moments in which a kernel ran.",
             CUZK_SENSOR_LOAD}};
        bool has_head = false;
        for (uint32_t i = 0; i < n; i++) {
            const cuzk_gpu_sensors *s = &list[i];
            const double values[] = {s->celsius,
                                     s->milliwatts * 1e-3,
                                     s->clock_mhz * 1e6,
                                     s->memory_clock_mhz * 1e6,
                                     (double)s->memory_total,
                                     (double)s->memory_used,
                                     s->load_percent * 1e-2};
            if ((s->has & (unsigned)families[f].bit) == 0) {
                continue;
            }
            if (!has_head) {
                family(b, families[f].name, "gauge", families[f].help);
                has_head = true;
            }
            cuzk_text_printf(b, "%s{pci=\"", families[f].name);
            put_label_value(b, s->pci);
            cuzk_text_put(b, "\",name=\"", 8);
            put_label_value(b, s->name);
            cuzk_text_printf(b, "\"} %.17g\n", values[f]);
        }
    }
}

static void put_cache_labels(cuzk_text_buf *b, const cuzk_status_cached *c)
{
    cuzk_text_put(b, "{circuit=\"", 10);
    put_label_value(b, c->circuit_id);
    cuzk_text_printf(b, "\",what=\"%s\",where=\"%s\"} ", c->is_srs ? "srs" : "circuit",
                     c->on_device ? "device" : "host");
}

static void put_caches(cuzk_text_buf *b, const cuzk_engine_status *s)
{
    family(b, "cuzk_cache_bytes", "gauge", "Size of a loaded SRS or compiled circuit.");
    for (uint32_t i = 0; i < s->n_cached; i++) {
        cuzk_text_put(b, "cuzk_cache_bytes", 16);
        put_cache_labels(b, &s->cached[i]);
        cuzk_text_printf(b, "%" PRIu64 "\n", s->cached[i].bytes);
    }
    family(b, "cuzk_cache_users", "gauge", "Jobs that use a loaded SRS or compiled circuit.");
    for (uint32_t i = 0; i < s->n_cached; i++) {
        cuzk_text_put(b, "cuzk_cache_users", 16);
        put_cache_labels(b, &s->cached[i]);
        cuzk_text_printf(b, "%" PRIu32 "\n", s->cached[i].refs);
    }
}

cuzk_status cuzk_metrics_text(char **text, size_t *n, const cuzk_engine_status *s,
                              const char *version, cuzk_err *err)
{
    cuzk_text_buf b = {0};
    family(&b, "cuzk_build_info", "gauge", "Always 1; the version is a label.");
    cuzk_text_put(&b, "cuzk_build_info{version=\"", 25);
    put_label_value(&b, version != NULL ? version : "unknown");
    cuzk_text_put(&b, "\"} 1\n", 5);
    one_f64(&b, "cuzk_uptime_seconds", "gauge", "Time since the engine was started.",
            (double)(s->now_ns - s->started_ns) * 1e-9);
    one_u64(&b, "cuzk_draining", "gauge", "1 while no new jobs are taken.", s->draining ? 1 : 0);
    put_jobs(&b, s);
    put_durations(&b, s);
    put_memory(&b, s);
    put_devices(&b, s);
    put_set_aside(&b, s);
    put_sensors(&b);
    put_caches(&b, s);
    return cuzk_text_finish(&b, text, n, err);
}
