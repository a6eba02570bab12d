/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "api/history/history.h"

#include <inttypes.h>
#include <string.h>

#include "api/answer/text_buf.h"
#include "api/gpu_sensors.h"

void cuzk_history_init(cuzk_history *h, uint64_t start_ns)
{
    memset(h, 0, sizeof(*h));
    h->start_ns = start_ns;
}

/* Counters of a process do not fall; a smaller one is of another process, and counts from 0. */
static uint64_t grown(uint64_t now, uint64_t before)
{
    return now >= before ? now - before : now;
}

static uint32_t capped(uint64_t v)
{
    return v > UINT32_MAX ? UINT32_MAX : (uint32_t)v;
}

static uint32_t most(uint32_t a, uint64_t b)
{
    return capped(b) > a ? capped(b) : a;
}

/* Samples between the newest one and step are empty; the oldest ones make room. */
static void go_to(cuzk_history *h, uint64_t step)
{
    if (step <= h->step) {
        return;
    }
    if (step - h->step >= CUZK_HISTORY_SAMPLES) {
        memset(h->ring, 0, sizeof(h->ring));
        h->step = step;
    }
    while (h->step < step) {
        h->step++;
        h->ring[h->step % CUZK_HISTORY_SAMPLES] = (cuzk_history_sample){.completed = 0};
    }
}

void cuzk_history_take(cuzk_history *h, const cuzk_history_look *look)
{
    const int64_t since = (int64_t)(look->now_ns - h->start_ns);
    go_to(h, since > 0 ? (uint64_t)since / CUZK_HISTORY_STEP_NS : 0);
    cuzk_history_sample *s = &h->ring[h->step % CUZK_HISTORY_SAMPLES];
    s->completed = capped(s->completed + grown(look->completed, h->completed));
    s->failed = capped(s->failed + grown(look->failed, h->failed));
    h->completed = look->completed;
    h->failed = look->failed;
    s->queued = most(s->queued, look->queued);
    s->running = most(s->running, look->running);
    s->celsius = most(s->celsius, look->celsius);
    s->watts = most(s->watts, look->watts);
    s->memory_used = look->memory_used > s->memory_used ? look->memory_used : s->memory_used;
    if (s->looks < UINT32_MAX / 1000) { /* five minutes of ten looks a second are 3,000 */
        s->looks++;
        s->busy_sum += look->slots > 0
                           ? 1000 *
                                 (look->busy_slots < look->slots ? look->busy_slots : look->slots) /
                                 look->slots
                           : 0;
    }
}

static void look_at_devices(cuzk_history_look *out, const cuzk_engine_status *s)
{
    for (uint32_t i = 0; i < s->n_devices; i++) {
        const cuzk_status_device *d = &s->devices[i];
        const size_t cap = sizeof(d->slot) / sizeof(d->slot[0]);
        out->slots += d->is_fallback && !s->on_cpu ? 0 : d->n_slots;
        for (size_t k = 0; k < d->n_slots && k < cap; k++) {
            out->busy_slots += d->slot[k].busy ? 1 : 0;
        }
    }
}

static void look_at_sensors(cuzk_history_look *out)
{
    cuzk_gpu_sensors cards[CUZK_SENSORS_MOST];
    const uint32_t n = cuzk_gpu_sensors_read(cards);
    uint64_t milliwatts = 0;
    for (uint32_t i = 0; i < n; i++) {
        out->celsius = most(out->celsius, cards[i].celsius);
        milliwatts += cards[i].milliwatts;
    }
    out->watts = capped((milliwatts + 500) / 1000);
}

void cuzk_history_look_at(cuzk_history_look *out, const cuzk_engine_status *s)
{
    memset(out, 0, sizeof(*out));
    out->now_ns = s->now_ns;
    for (int k = 0; k <= CUZK_JOB_KINDS; k++) {
        out->completed += s->completed[k];
        out->failed += s->failed[k];
        out->queued += s->pending[k];
        out->running += s->in_progress[k];
    }
    out->memory_used = s->budget_used;
    look_at_devices(out, s);
    look_at_sensors(out);
}

static uint64_t value_of(const cuzk_history_sample *s, int column)
{
    switch (column) {
    case 0: return s->completed;
    case 1: return s->failed;
    case 2: return s->queued;
    case 3: return s->running;
    case 4: return s->looks > 0 ? (s->busy_sum / s->looks + 5) / 10 : 0;
    case 5: return s->memory_used;
    case 6: return s->celsius;
    default: return s->watts;
    }
}

cuzk_status cuzk_history_json(char **text, size_t *n, const cuzk_history *h, uint64_t now_ns,
                              cuzk_err *err)
{
    static const char *const columns[] = {"completed",    "failed",       "queued_most",
                                          "running_most", "busy_percent", "memory_most_bytes",
                                          "celsius_most", "watts_most"};
    const uint64_t count = h->step + 1 < CUZK_HISTORY_SAMPLES ? h->step + 1 : CUZK_HISTORY_SAMPLES;
    const uint64_t begun_ns = h->start_ns + h->step * CUZK_HISTORY_STEP_NS;
    const int64_t since = (int64_t)(now_ns - begun_ns);
    cuzk_text_buf b = {.p = NULL};
    cuzk_text_printf(&b, "{\"step_secs\":%" PRIu64 ",\"newest_began_secs_ago\":%.1f",
                     CUZK_HISTORY_STEP_NS / 1000000000u, since > 0 ? (double)since * 1e-9 : 0.0);
    for (int c = 0; c < 8; c++) {
        cuzk_text_printf(&b, ",\"%s\":[", columns[c]);
        for (uint64_t i = 0; i < count; i++) {
            const uint64_t step = h->step + 1 - count + i;
            cuzk_text_printf(&b, i == 0 ? "%" PRIu64 : ",%" PRIu64,
                             value_of(&h->ring[step % CUZK_HISTORY_SAMPLES], c));
        }
        cuzk_text_put(&b, "]", 1);
    }
    cuzk_text_put(&b, "}", 1);
    return cuzk_text_finish(&b, text, n, err);
}
