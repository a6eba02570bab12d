/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "top/status_read.h"

#include <string.h>

#include "base/text/json.h"

#define MAX_DEPTH 8

const char *const cuzk_view_priority[CUZK_VIEW_PRIORITIES] = {"critical", "high", "normal", "low"};

typedef struct reader {
    cuzk_json *j;
    uint64_t seen;
    cuzk_json_str key;
} reader;

/* Index of the next key in names, -1 for another one (not yet skipped); false at the end. */
static bool next_field(reader *r, const char *const *names, size_t n, int *index)
{
    if (!cuzk_json_next_key(r->j, &r->key)) {
        return false;
    }
    *index = cuzk_json_field(r->j, &r->key, names, n, &r->seen);
    return !r->j->failed;
}

static bool begin(reader *r, cuzk_json *j)
{
    r->j = j;
    r->seen = 0;
    return cuzk_json_begin_object(j);
}

#define COUNT(names) (sizeof(names) / sizeof((names)[0]))

/* An object of integers: values[i] for names[i]; others are passed over. */
static void read_u64s(cuzk_json *j, const char *const *names, uint64_t *const *values, size_t n)
{
    reader r;
    int i = 0;
    if (!begin(&r, j)) {
        return;
    }
    while (next_field(&r, names, n, &i)) {
        if (i >= 0) {
            (void)cuzk_json_u64(j, values[i]);
        } else {
            (void)cuzk_json_skip(j);
        }
    }
}

/* Sum of an object's integers. */
static void read_sum(cuzk_json *j, uint64_t *sum)
{
    cuzk_json_str key;
    *sum = 0;
    if (!cuzk_json_begin_object(j)) {
        return;
    }
    while (cuzk_json_next_key(j, &key)) {
        uint64_t v = 0;
        if (cuzk_json_u64(j, &v) && __builtin_add_overflow(*sum, v, sum)) {
            (void)cuzk_json_fail(j, "the sum does not fit");
        }
    }
}

static void read_memory(cuzk_json *j, cuzk_status_view *v)
{
    static const char *const names[] = {"total_bytes",  "used_bytes",     "reserved_winning_bytes",
                                        "pinned_bytes", "resident_bytes", "release_backlog_bytes"};
    uint64_t *const values[] = {&v->memory_total, &v->memory_used, &v->memory_reserved,
                                &v->pinned,       &v->resident,    &v->release_backlog};
    read_u64s(j, names, values, COUNT(names));
}

static void read_counters(cuzk_json *j, cuzk_status_view *v)
{
    static const char *const names[] = {"total_completed",      "total_failed",
                                        "total_cancelled",      "total_reproved",
                                        "queue_depth",          "not_completed_last_minute",
                                        "completed_last_minute"};
    uint64_t *const values[] = {&v->completed, &v->failed,      &v->cancelled,
                                &v->reproved,  &v->queue_depth, &v->not_completed_last_minute};
    reader r;
    int i = 0;
    if (!begin(&r, j)) {
        return;
    }
    while (next_field(&r, names, COUNT(names), &i)) {
        if (i >= 0 && (size_t)i < COUNT(values)) {
            (void)cuzk_json_u64(j, values[i]);
        } else if (i >= 0) {
            read_sum(j, &v->completed_last_minute);
        } else {
            (void)cuzk_json_skip(j);
        }
    }
}

static void read_ability(cuzk_json *j, cuzk_view_ability *a)
{
    static const char *const names[] = {"circuit_id", "ability", "expected_secs"};
    reader r;
    int i = 0;
    if (!begin(&r, j)) {
        return;
    }
    while (next_field(&r, names, COUNT(names), &i)) {
        switch (i) {
        case 0: (void)cuzk_json_string_copy(j, a->circuit_id, sizeof(a->circuit_id)); break;
        case 1: (void)cuzk_json_string_copy(j, a->ability, sizeof(a->ability)); break;
        case 2: (void)cuzk_json_f64(j, &a->expected_secs); break;
        default: (void)cuzk_json_skip(j); break;
        }
    }
}

static void read_abilities(cuzk_json *j, cuzk_view_device *d)
{
    if (!cuzk_json_begin_array(j)) {
        return;
    }
    while (cuzk_json_next(j)) {
        cuzk_view_ability more = {.expected_secs = 0};
        read_ability(j, d->n_abilities < CUZK_VIEW_ABILITIES ? &d->abilities[d->n_abilities++]
                                                             : &more);
    }
}

static void read_one_set_aside(cuzk_json *j, cuzk_view_set_aside *c)
{
    static const char *const names[] = {"circuit_id", "for_secs"};
    reader r;
    int i = 0;
    if (!begin(&r, j)) {
        return;
    }
    while (next_field(&r, names, COUNT(names), &i)) {
        switch (i) {
        case 0: (void)cuzk_json_string_copy(j, c->circuit_id, sizeof(c->circuit_id)); break;
        case 1: (void)cuzk_json_f64(j, &c->for_secs); break;
        default: (void)cuzk_json_skip(j); break;
        }
    }
}

static void read_set_aside(cuzk_json *j, cuzk_view_device *d)
{
    if (!cuzk_json_begin_array(j)) {
        return;
    }
    while (cuzk_json_next(j)) {
        cuzk_view_set_aside more = {.for_secs = 0};
        read_one_set_aside(j, d->n_set_aside < CUZK_VIEW_SET_ASIDE ? &d->set_aside[d->n_set_aside++]
                                                                   : &more);
    }
}

static void read_device(cuzk_json *j, cuzk_view_device *d)
{
    static const char *const names[] = {"ordinal",
                                        "memory_total_bytes",
                                        "memory_free_bytes",
                                        "slots",
                                        "busy_slots",
                                        "partitions_done",
                                        "errors",
                                        "is_cpu",
                                        "quarantined",
                                        "name",
                                        "is_fallback",
                                        "abilities",
                                        "set_aside"};
    uint64_t *const values[] = {&d->ordinal,    &d->memory_total,    &d->memory_free, &d->slots,
                                &d->busy_slots, &d->partitions_done, &d->errors};
    reader r;
    int i = 0;
    if (!begin(&r, j)) {
        return;
    }
    while (next_field(&r, names, COUNT(names), &i)) {
        switch (i) {
        case -1: (void)cuzk_json_skip(j); break;
        case 7: (void)cuzk_json_bool(j, &d->is_cpu); break;
        case 8: (void)cuzk_json_bool(j, &d->quarantined); break;
        case 9: (void)cuzk_json_string_copy(j, d->name, sizeof(d->name)); break;
        case 10: (void)cuzk_json_bool(j, &d->is_fallback); break;
        case 11: read_abilities(j, d); break;
        case 12: read_set_aside(j, d); break;
        default: (void)cuzk_json_u64(j, values[i]); break;
        }
    }
}

static void read_queue(cuzk_json *j, cuzk_view_queue *q)
{
    static const char *const names[] = {"proof_kind", "pending", "in_progress",
                                        "pending_by_priority"};
    uint64_t *const values[] = {&q->pending_by_priority[0], &q->pending_by_priority[1],
                                &q->pending_by_priority[2], &q->pending_by_priority[3]};
    reader r;
    int i = 0;
    if (!begin(&r, j)) {
        return;
    }
    while (next_field(&r, names, COUNT(names), &i)) {
        switch (i) {
        case 0: (void)cuzk_json_string_copy(j, q->kind, sizeof(q->kind)); break;
        case 1: (void)cuzk_json_u64(j, &q->pending); break;
        case 2: (void)cuzk_json_u64(j, &q->in_progress); break;
        case 3: read_u64s(j, cuzk_view_priority, values, CUZK_VIEW_PRIORITIES); break;
        default: (void)cuzk_json_skip(j); break;
        }
    }
}

static void read_stage(cuzk_json *j, cuzk_view_stage *s)
{
    static const char *const names[] = {"name", "waiting"};
    reader r;
    int i = 0;
    if (!begin(&r, j)) {
        return;
    }
    while (next_field(&r, names, COUNT(names), &i)) {
        switch (i) {
        case 0: (void)cuzk_json_string_copy(j, s->name, sizeof(s->name)); break;
        case 1: (void)cuzk_json_u64(j, &s->waiting); break;
        default: (void)cuzk_json_skip(j); break;
        }
    }
}

static void read_cached(cuzk_json *j, cuzk_view_cached *c)
{
    static const char *const names[] = {"circuit_id", "bytes", "refs", "on_device"};
    reader r;
    int i = 0;
    if (!begin(&r, j)) {
        return;
    }
    while (next_field(&r, names, COUNT(names), &i)) {
        switch (i) {
        case 0: (void)cuzk_json_string_copy(j, c->circuit_id, sizeof(c->circuit_id)); break;
        case 1: (void)cuzk_json_u64(j, &c->bytes); break;
        case 2: (void)cuzk_json_u64(j, &c->refs); break;
        case 3: (void)cuzk_json_bool(j, &c->on_device); break;
        default: (void)cuzk_json_skip(j); break;
        }
    }
}

/* '#' done, 'F' failed, '.' not begun, 'D' device, else the stage's first letter. */
static char stage_letter(const char *state, const char *stage)
{
    if (strcmp(state, "done") == 0) {
        return '#';
    }
    if (strcmp(state, "failed") == 0) {
        return 'F';
    }
    if (strcmp(stage, "device") == 0) {
        return 'D';
    }
    if (stage[0] >= 'a' && stage[0] <= 'z') {
        return stage[0];
    }
    return '.';
}

static void read_partition(cuzk_json *j, char *letter)
{
    static const char *const names[] = {"state", "stage"};
    char state[16] = "", stage[16] = "";
    reader r;
    int i = 0;
    if (!begin(&r, j)) {
        return;
    }
    while (next_field(&r, names, COUNT(names), &i)) {
        switch (i) {
        case 0: (void)cuzk_json_string_copy(j, state, sizeof(state)); break;
        case 1: (void)cuzk_json_string_copy(j, stage, sizeof(stage)); break;
        default: (void)cuzk_json_skip(j); break;
        }
    }
    *letter = stage_letter(state, stage);
}

static void read_partitions(cuzk_json *j, cuzk_view_job *job)
{
    char spare = 0;
    if (!cuzk_json_begin_array(j)) {
        return;
    }
    while (cuzk_json_next(j)) {
        const bool room = job->n_stage < CUZK_VIEW_PARTITIONS;
        read_partition(j, room ? &job->stage[job->n_stage] : &spare);
        job->n_stage += room ? 1 : 0;
    }
}

static void read_job(cuzk_json *j, cuzk_view_job *job)
{
    static const char *const names[] = {
        "accepted_us", "started_us",  "ended_us", "total_partitions", "partitions_done",
        "job_id",      "proof_kind",  "priority", "job_state",        "partitions",
        "error",       "error_class", "peer"};
    uint64_t *const values[] = {&job->accepted_us, &job->started_us, &job->ended_us,
                                &job->n_partitions, &job->n_done};
    reader r;
    int i = 0;
    if (!begin(&r, j)) {
        return;
    }
    while (next_field(&r, names, COUNT(names), &i)) {
        switch (i) {
        case -1: (void)cuzk_json_skip(j); break;
        case 5: (void)cuzk_json_string_copy(j, job->id, sizeof(job->id)); break;
        case 6: (void)cuzk_json_string_copy(j, job->kind, sizeof(job->kind)); break;
        case 7: (void)cuzk_json_string_copy(j, job->priority, sizeof(job->priority)); break;
        case 8: (void)cuzk_json_string_copy(j, job->state, sizeof(job->state)); break;
        case 9: read_partitions(j, job); break;
        case 10: (void)cuzk_json_string_copy(j, job->error, sizeof(job->error)); break;
        case 11: (void)cuzk_json_string_copy(j, job->error_class, sizeof(job->error_class)); break;
        case 12: (void)cuzk_json_string_copy(j, job->peer, sizeof(job->peer)); break;
        default: (void)cuzk_json_u64(j, values[i]); break;
        }
    }
}

static void read_card(cuzk_json *j, cuzk_view_card *c)
{
    static const char *const names[] = {"name",
                                        "pci",
                                        "celsius",
                                        "milliwatts",
                                        "clock_mhz",
                                        "load_percent",
                                        "memory_total_bytes",
                                        "memory_used_bytes"};
    uint64_t *const values[] = {NULL,
                                NULL,
                                &c->celsius,
                                &c->milliwatts,
                                &c->clock_mhz,
                                &c->load_percent,
                                &c->memory_total,
                                &c->memory_used};
    reader r;
    int i = 0;
    if (!begin(&r, j)) {
        return;
    }
    while (next_field(&r, names, COUNT(names), &i)) {
        switch (i) {
        case -1: (void)cuzk_json_skip(j); break;
        case 0: (void)cuzk_json_string_copy(j, c->name, sizeof(c->name)); break;
        case 1: (void)cuzk_json_string_copy(j, c->pci, sizeof(c->pci)); break;
        default: (void)cuzk_json_u64(j, values[i]); break;
        }
    }
}

/* The elements of an array, as many as fit; the rest is checked and passed over. */
#define READ_LIST(j, list, count, cap, read)     \
    do {                                         \
        if (cuzk_json_begin_array(j)) {          \
            while (cuzk_json_next(j)) {          \
                if ((count) < (uint32_t)(cap)) { \
                    read((j), &(list)[(count)]); \
                    (count)++;                   \
                } else {                         \
                    (void)cuzk_json_skip(j);     \
                }                                \
            }                                    \
        }                                        \
    } while (0)

static void read_allocations(cuzk_json *j, cuzk_status_view *v)
{
    static const char *const names[] = {"srs", "pce"};
    reader r;
    int i = 0;
    if (!begin(&r, j)) {
        return;
    }
    while (next_field(&r, names, COUNT(names), &i)) {
        if (i < 0) {
            (void)cuzk_json_skip(j);
            continue;
        }
        const uint32_t first = v->n_cached;
        READ_LIST(j, v->cached, v->n_cached, CUZK_VIEW_CACHED, read_cached);
        for (uint32_t k = first; k < v->n_cached; k++) {
            v->cached[k].is_srs = i == 0;
        }
    }
}

static void read_fallback(cuzk_json *j, cuzk_status_view *v)
{
    static const char *const names[] = {"on_cpu"};
    reader r;
    int i = 0;
    if (!begin(&r, j)) {
        return;
    }
    while (next_field(&r, names, COUNT(names), &i)) {
        if (i == 0) {
            (void)cuzk_json_bool(j, &v->on_cpu);
        } else {
            (void)cuzk_json_skip(j);
        }
    }
}

static void read_member(cuzk_json *j, cuzk_view_member *m)
{
    static const char *const names[] = {"heard_ms_ago", "places",  "devices",   "healthy_devices",
                                        "claimed",      "running", "completed", "name",
                                        "state",        "version", "partitions"};
    uint64_t *const values[] = {&m->heard_ms, &m->places,  &m->devices,   &m->healthy,
                                &m->claimed,  &m->running, &m->completed, NULL,
                                NULL,         NULL,        &m->parts};
    reader r;
    int i = 0;
    if (!begin(&r, j)) {
        return;
    }
    while (next_field(&r, names, COUNT(names), &i)) {
        switch (i) {
        case -1: (void)cuzk_json_skip(j); break;
        case 7: (void)cuzk_json_string_copy(j, m->name, sizeof(m->name)); break;
        case 8: (void)cuzk_json_string_copy(j, m->state, sizeof(m->state)); break;
        case 9: (void)cuzk_json_string_copy(j, m->version, sizeof(m->version)); break;
        default: (void)cuzk_json_u64(j, values[i]); break;
        }
    }
}

static void read_fleet(cuzk_json *j, cuzk_view_fleet *f)
{
    static const char *const names[] = {"queued",
                                        "claimed",
                                        "running",
                                        "places",
                                        "wait_ms",
                                        "members",
                                        "reachable",
                                        "partitions_running",
                                        "partitions_waiting"};
    uint64_t *const values[] = {&f->queued, &f->claimed,       &f->running,
                                &f->places, &f->wait_ms,       NULL,
                                NULL,       &f->parts_running, &f->parts_waiting};
    reader r;
    int i = 0;
    if (!begin(&r, j)) {
        return;
    }
    f->is_member = true;
    while (next_field(&r, names, COUNT(names), &i)) {
        switch (i) {
        case -1: (void)cuzk_json_skip(j); break;
        case 5: READ_LIST(j, f->members, f->n_members, CUZK_VIEW_MEMBERS, read_member); break;
        case 6: (void)cuzk_json_bool(j, &f->reachable); break;
        default: (void)cuzk_json_u64(j, values[i]); break;
        }
    }
}

cuzk_status cuzk_status_view_parse(cuzk_status_view *out, const void *text, size_t n,
                                   const char *name, cuzk_err *err)
{
    static const char *const names[] = {"uptime_secs", "memory",   "pipelines", "queued",
                                        "allocations", "counters", "version",   "draining",
                                        "now_us",      "devices",  "queues",    "stages",
                                        "fallback",    "fleet",    "sensors"};
    cuzk_json j;
    reader r;
    int i = 0;
    memset(out, 0, sizeof(*out));
    cuzk_json_init(&j, text, n, MAX_DEPTH);
    (void)begin(&r, &j);
    while (next_field(&r, names, COUNT(names), &i)) {
        switch (i) {
        case 0: (void)cuzk_json_f64(&j, &out->uptime_secs); break;
        case 1: read_memory(&j, out); break;
        case 2:
        case 3: READ_LIST(&j, out->jobs, out->n_jobs, CUZK_VIEW_JOBS, read_job); break;
        case 4: read_allocations(&j, out); break;
        case 5: read_counters(&j, out); break;
        case 6: (void)cuzk_json_string_copy(&j, out->version, sizeof(out->version)); break;
        case 7: (void)cuzk_json_bool(&j, &out->draining); break;
        case 8: (void)cuzk_json_u64(&j, &out->now_us); break;
        case 9: READ_LIST(&j, out->devices, out->n_devices, CUZK_VIEW_DEVICES, read_device); break;
        case 10: READ_LIST(&j, out->queues, out->n_queues, CUZK_VIEW_QUEUES, read_queue); break;
        case 11: READ_LIST(&j, out->stages, out->n_stages, CUZK_VIEW_STAGES, read_stage); break;
        case 12: read_fallback(&j, out); break;
        case 13: read_fleet(&j, &out->fleet); break;
        case 14: READ_LIST(&j, out->cards, out->n_cards, CUZK_VIEW_CARDS, read_card); break;
        default: (void)cuzk_json_skip(&j); break;
        }
    }
    (void)cuzk_json_end(&j);
    return cuzk_json_status(&j, name, err);
}
