/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Translates the configuration for the engine, and the engine's defaults for the configuration. */
#include "serve_engine.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const char *or_null(const char *text)
{
    return text[0] == '\0' ? NULL : text;
}

static cuzk_engine_stream stream_of(const char *name)
{
    return strcmp(name, "memory") == 0   ? CUZK_ENGINE_STREAM_MEMORY
           : strcmp(name, "file") == 0   ? CUZK_ENGINE_STREAM_FILE
           : strcmp(name, "locked") == 0 ? CUZK_ENGINE_STREAM_LOCKED
           : strcmp(name, "read") == 0   ? CUZK_ENGINE_STREAM_READ
                                         : CUZK_ENGINE_STREAM_AUTO;
}

/* The configuration and the engine have the same value for "explicitly none". */
CUZK_STATIC_ASSERT(CUZK_CONFIG_NONE == CUZK_ENGINE_NONE, "no translation");

void serve_engine_config(cuzk_engine_config *out, const cuzk_config *c)
{
    memset(out, 0, sizeof(*out));
    out->param_cache = or_null(c->param_cache);
    out->aggregate_srs = or_null(c->aggregate_srs);
    out->aggregate_srs_digest = or_null(c->aggregate_srs_digest);
    out->budget_bytes = c->total_budget;
    out->safety_margin_bytes = c->safety_margin;
    out->eviction_min_idle_ms = c->eviction_min_idle;
    out->threads = (unsigned)c->threads;
    out->devices = c->devices.n == 0 ? NULL : c->devices.item;
    out->n_devices = c->devices.n;
    out->cpu_only = c->cpu_only;
    out->spread_partitions = c->spread_partitions;
    out->cpu_when_lost = strcmp(c->when_lost, "cpu") == 0;
    out->vram_limit_bytes = cuzk_engine_or_none(c->vram_limit);
    out->combs = c->combs;
    out->stream = stream_of(c->stream);
    out->slots_per_device = (unsigned)c->workers_per_device;
    out->max_batch_size = (uint32_t)c->max_batch_size;
    out->max_batch_wait_ms = c->max_batch_wait_ms;
    out->max_queued_jobs = (uint32_t)c->max_queued_jobs;
    out->result_keep_ms = c->result_retention_ms;
    out->result_keep_count = (uint32_t)c->result_count;
    out->winning_reserve_bytes = c->winning_reserve;
    out->age_ms = c->ageing_ms;
    out->device_timeout_ms = c->device_timeout;
}

static void print_size(char *out, size_t n, uint64_t v)
{
    (void)snprintf(out, n, "%" PRIu64 "GiB", v >> 30);
}

static void print_time(char *out, size_t n, uint64_t ms)
{
    if (ms % 3600000 == 0) {
        (void)snprintf(out, n, "%" PRIu64 "h", ms / 3600000);
    } else {
        (void)snprintf(out, n, "%" PRIu64 "m", ms / 60000);
    }
}

static void print_number(char *out, size_t n, uint64_t v)
{
    (void)snprintf(out, n, "%" PRIu64, v);
}

bool serve_engine_default(char *out, size_t n, const char *key)
{
    cuzk_engine_config e;
    memset(&e, 0, sizeof(e));
    cuzk_engine_config_complete(&e);
    const struct {
        const char *key;
        uint64_t value;
        void (*print)(char *out, size_t n, uint64_t v);
    } table[] = {{"memory.safety_margin", e.safety_margin_bytes, print_size},
                 {"memory.eviction_min_idle", e.eviction_min_idle_ms, print_time},
                 {"gpus.device_timeout", e.device_timeout_ms, print_time},
                 {"scheduler.max_queued_jobs", e.max_queued_jobs, print_number},
                 {"scheduler.ageing", e.age_ms, print_time},
                 {"store.result_retention", e.result_keep_ms, print_time},
                 {"store.result_count", e.result_keep_count, print_number}};
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        if (strcmp(table[i].key, key) == 0) {
            table[i].print(out, n, table[i].value);
            return true;
        }
    }
    return false;
}
