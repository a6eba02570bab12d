/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "fake_load.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "engine/engine.h"

enum { MAX_JOBS = 160, MAX_IN_FLIGHT = 26, MAX_PARTS = 16, STEP_MS = 10, N_DEVICES = 3, SLOTS = 2 };

typedef struct part {
    int begin[CUZK_STAGES], end[CUZK_STAGES]; /* ms, -1: not in the script */
    int device, slot;
} part;

typedef struct job {
    cuzk_job_kind kind;
    cuzk_job_priority priority;
    char id[64];
    int arrives, ends, n_parts;  /* ends -1: after the script */
    bool fails, cancelled, over; /* over: while the script is written, nothing is left to do */
    part parts[MAX_PARTS];
} job;

/* What a status points into. */
typedef struct block {
    cuzk_status_device devices[N_DEVICES];
    cuzk_status_cached cached[8];
    cuzk_status_ability abilities[2 * N_DEVICES];
    cuzk_status_set_aside set_aside[1];
    cuzk_status_job jobs[MAX_JOBS];
    cuzk_status_partition parts[MAX_JOBS][MAX_PARTS];
} block;

struct fake_load {
    job jobs[MAX_JOBS];
    int n_jobs;
};

/* Milliseconds of one partition in each stage, by kind. */
static const int stage_ms[CUZK_JOB_KINDS + 1][CUZK_STAGES] = {
    {0},
    {30, 190, 320, 1600, 2600, 90, 140, 20},
    {20, 120, 210, 1000, 1700, 90, 140, 20},
    {20, 500, 800, 1900, 3000, 90, 140, 20},
    {10, 40, 60, 250, 620, 60, 120, 10},
};
/* Partitions that a stage works on at once. */
static const int width[CUZK_STAGES] = {8, 1, 1, 4, N_DEVICES *SLOTS, 1, 1, 8};

static bool quarantined(int device, int ms)
{
    return device == 2 && ms >= 45000 && ms < 150000;
}

static void add(fake_load *f, cuzk_job_kind kind, cuzk_job_priority priority, int arrives,
                const char *id, int n_parts)
{
    if (f->n_jobs == MAX_JOBS) {
        return;
    }
    job *j = &f->jobs[f->n_jobs++];
    memset(j, 0, sizeof(*j));
    j->kind = kind;
    j->priority = priority;
    j->arrives = arrives;
    j->ends = -1;
    j->n_parts = n_parts;
    (void)snprintf(j->id, sizeof(j->id), "%s", id);
    for (int p = 0; p < n_parts; p++) {
        j->parts[p].device = -1;
        for (int s = 0; s < CUZK_STAGES; s++) {
            j->parts[p].begin[s] = j->parts[p].end[s] = -1;
        }
    }
}

static void write_script(fake_load *f)
{
    char id[64];
    const int total = (int)FAKE_LOAD_SECONDS * 1000;
    for (int ms = 500, i = 0; ms < total; ms += 500) {
        if (ms % 5000 == 500) {
            (void)snprintf(id, sizeof(id), "porep-1000-%d", 4410 + i++);
            add(f, CUZK_JOB_POREP, CUZK_PRIORITY_NORMAL, ms, id, 10);
        }
        if (ms % 30000 == 6000) {
            (void)snprintf(id, sizeof(id), "snap-1000-%d", 7200 + i++);
            add(f, CUZK_JOB_UPDATE, ms % 60000 == 6000 ? CUZK_PRIORITY_LOW : CUZK_PRIORITY_NORMAL,
                ms, id, 16);
        }
        if (ms % 27000 == 9000) {
            (void)snprintf(id, sizeof(id), "wdpost-1000-0-[17 4 %d 250 9 33 1 7]", i++);
            add(f, CUZK_JOB_WINDOW, CUZK_PRIORITY_HIGH, ms, id, 1);
        }
        if (ms % 7500 == 3000) {
            (void)snprintf(id, sizeof(id), "winpost-1000-5f3a%04x9c01d2e8", i++);
            add(f, CUZK_JOB_WINNING, CUZK_PRIORITY_CRITICAL, ms, id, 1);
        }
    }
    if (f->n_jobs > 12) {
        f->jobs[9].fails = true;
        f->jobs[12].cancelled = true;
    }
}

/* The stage that p is in or waits for; CUZK_STAGES when it is over. */
static int next_stage(const part *p)
{
    for (int s = 0; s < CUZK_STAGES; s++) {
        if (p->begin[s] < 0) {
            return s;
        }
    }
    return CUZK_STAGES;
}

static bool is_idle(const job *j, int now)
{
    return j->over || j->arrives > now;
}

static bool slot_is_free(const fake_load *f, int device, int slot, int now)
{
    for (int i = 0; i < f->n_jobs; i++) {
        for (int k = 0; !is_idle(&f->jobs[i], now) && k < f->jobs[i].n_parts; k++) {
            const part *p = &f->jobs[i].parts[k];
            if (p->device == device && p->slot == slot && p->begin[CUZK_STAGE_DEVICE] >= 0 &&
                p->end[CUZK_STAGE_DEVICE] > now) {
                return false;
            }
        }
    }
    return true;
}

static bool take_slot(const fake_load *f, part *p, int now)
{
    for (int slot = 0; slot < SLOTS; slot++) {
        for (int d = 0; d < N_DEVICES; d++) {
            if (!quarantined(d, now) && slot_is_free(f, d, slot, now)) {
                p->device = d;
                p->slot = slot;
                return true;
            }
        }
    }
    return false;
}

static int busy_in(const fake_load *f, int stage, int now)
{
    int n = 0;
    for (int i = 0; i < f->n_jobs; i++) {
        for (int k = 0; !is_idle(&f->jobs[i], now) && k < f->jobs[i].n_parts; k++) {
            const part *p = &f->jobs[i].parts[k];
            n += p->begin[stage] >= 0 && p->end[stage] > now ? 1 : 0;
        }
    }
    return n;
}

/* Partitions that are parsed and not yet through the device. */
static int in_flight(const fake_load *f, int now)
{
    int n = 0;
    for (int i = 0; i < f->n_jobs; i++) {
        for (int k = 0; !is_idle(&f->jobs[i], now) && k < f->jobs[i].n_parts; k++) {
            const part *p = &f->jobs[i].parts[k];
            const int end = p->end[CUZK_STAGE_DEVICE];
            n += p->begin[CUZK_STAGE_PARSE] >= 0 && (end < 0 || end > now) ? 1 : 0;
        }
    }
    return n;
}

/* Starts what can be started in one stage at this moment, urgent jobs first. */
static void start_stage(fake_load *f, int stage, int now)
{
    int room = width[stage] - busy_in(f, stage, now);
    if (stage == CUZK_STAGE_PARSE) { /* the queues behind are bounded */
        const int more = MAX_IN_FLIGHT - in_flight(f, now);
        room = more < room ? more : room;
    }
    for (int prio = CUZK_PRIORITY_CRITICAL; prio >= CUZK_PRIORITY_LOW && room > 0; prio--) {
        for (int i = 0; i < f->n_jobs && room > 0; i++) {
            job *j = &f->jobs[i];
            if ((int)j->priority != prio || is_idle(j, now)) {
                continue;
            }
            for (int k = 0; k < j->n_parts && room > 0; k++) {
                part *p = &j->parts[k];
                if (next_stage(p) != stage || (stage > 0 && p->end[stage - 1] > now) ||
                    (stage == CUZK_STAGE_DEVICE && !take_slot(f, p, now))) {
                    continue;
                }
                const int jitter = (i * 37 + k * 91) % 23; /* percent */
                p->begin[stage] = now;
                p->end[stage] = now + stage_ms[j->kind][stage] * (90 + jitter) / 100;
                room--;
            }
        }
    }
}

static void find_ends(fake_load *f)
{
    for (int i = 0; i < f->n_jobs; i++) {
        job *j = &f->jobs[i];
        j->ends = j->arrives;
        for (int k = 0; k < j->n_parts; k++) {
            const int end = j->parts[k].end[CUZK_STAGE_RETURN];
            j->ends = end < 0 || j->ends < 0 ? -1 : (end > j->ends ? end : j->ends);
        }
    }
}

fake_load *fake_load_new(void)
{
    fake_load *f = calloc(1, sizeof(*f));
    if (f == NULL) {
        (void)fprintf(stderr, "out of memory\n");
        exit(1);
    }
    write_script(f);
    for (int now = 0; now < (int)FAKE_LOAD_SECONDS * 1000; now += STEP_MS) {
        for (int s = CUZK_STAGES - 1; s >= 0; s--) {
            start_stage(f, s, now);
        }
        for (int i = 0; i < f->n_jobs; i++) {
            f->jobs[i].over = true;
            for (int k = 0; k < f->jobs[i].n_parts; k++) {
                const int end = f->jobs[i].parts[k].end[CUZK_STAGE_RETURN];
                f->jobs[i].over = f->jobs[i].over && end >= 0 && end <= now;
            }
        }
    }
    find_ends(f);
    return f;
}

void fake_load_free(fake_load *f)
{
    free(f);
}

static uint64_t at(uint64_t begin_ns, int ms)
{
    return begin_ns + (uint64_t)ms * 1000000u;
}

static void observe(cuzk_histogram *h, int ms)
{
    int i = 0;
    while (i < CUZK_HISTOGRAM_BUCKETS - 1 && ms * 1e-3 > cuzk_histogram_bound[i]) {
        i++;
    }
    h->count[i]++;
    h->sum_seconds += ms * 1e-3;
}

static void show_part(cuzk_engine_status *out, cuzk_status_partition *q, const job *j,
                      const part *p, int index, int now, uint64_t begin_ns)
{
    q->index = (uint32_t)index;
    q->device = -1;
    for (int s = 0; s < CUZK_STAGES; s++) {
        if (p->begin[s] < 0 || p->begin[s] > now) {
            if (s > 0 && p->end[s - 1] >= 0 && p->end[s - 1] <= now) {
                out->queue_len[s]++;
            }
            break;
        }
        q->stage = (cuzk_stage)s;
        q->stage_begin_ns[s] = at(begin_ns, p->begin[s]);
        if (p->end[s] <= now) {
            q->stage_end_ns[s] = at(begin_ns, p->end[s]);
            observe(&out->stage[s][j->kind], p->end[s] - p->begin[s]);
        }
        if (s >= CUZK_STAGE_DEVICE) {
            q->device = p->device;
        }
    }
    const bool over = q->stage_end_ns[CUZK_STAGE_RETURN] != 0;
    if (over) {
        q->state = j->fails && index == 0 ? CUZK_PART_FAILED : CUZK_PART_DONE;
    } else if (q->stage_begin_ns[CUZK_STAGE_DEVICE] != 0) {
        q->state = CUZK_PART_DEVICE;
    } else if (q->stage_end_ns[CUZK_STAGE_WITNESS] != 0) {
        q->state = CUZK_PART_WITNESS_DONE;
    } else {
        q->state =
            q->stage_begin_ns[CUZK_STAGE_WITNESS] != 0 ? CUZK_PART_WITNESS : CUZK_PART_PENDING;
    }
}

static void show_slot(cuzk_engine_status *out, const job *j, const part *p, int index, int now,
                      uint64_t begin_ns)
{
    if (p->device < 0 || p->begin[CUZK_STAGE_DEVICE] > now) {
        return;
    }
    cuzk_status_device *d = &out->devices[p->device];
    if (p->end[CUZK_STAGE_DEVICE] <= now) {
        d->jobs_done++;
        return;
    }
    d->slot[p->slot].busy = true;
    d->slot[p->slot].kind = j->kind;
    d->slot[p->slot].partition = (uint32_t)index;
    d->slot[p->slot].since_ns = at(begin_ns, p->begin[CUZK_STAGE_DEVICE]);
    (void)snprintf(d->slot[p->slot].job_id, sizeof(d->slot[p->slot].job_id), "%s", j->id);
}

static void show_job(cuzk_engine_status *out, const job *j, cuzk_status_partition *parts,
                     int number, int now, uint64_t begin_ns)
{
    const bool over = j->ends >= 0 && j->ends <= now;
    const bool started =
        j->parts[0].begin[CUZK_STAGE_PARSE] >= 0 && j->parts[0].begin[CUZK_STAGE_PARSE] <= now;
    if (over) {
        uint64_t *count = j->fails ? out->failed : j->cancelled ? out->cancelled : out->completed;
        count[j->kind]++;
        observe(&out->job[j->kind], j->ends - j->arrives);
    } else if (started) {
        out->in_progress[j->kind]++;
    } else {
        out->pending[j->kind]++;
    }
    for (int k = 0; k < j->n_parts && started; k++) {
        show_slot(out, j, &j->parts[k], k, now, begin_ns);
    }
    cuzk_status_job *q = &out->jobs[out->n_jobs];
    memset(q, 0, sizeof(*q)); /* its place may have been that of a forgotten one */
    if (started) {
        q->partitions = parts;
    }
    out->n_jobs++;
    (void)snprintf(q->job_id, sizeof(q->job_id), "%s", j->id);
    q->kind = j->kind;
    q->priority = j->priority;
    q->number = (uint64_t)number + 1;
    q->accepted_ns = at(begin_ns, j->arrives);
    q->started_ns = started ? at(begin_ns, j->parts[0].begin[CUZK_STAGE_PARSE]) : 0;
    q->ended_ns = over ? at(begin_ns, j->ends) : 0;
    q->deadline_ns = j->kind == CUZK_JOB_WINNING ? at(begin_ns, j->arrives + 25000) : 0;
    q->n_partitions = (uint32_t)j->n_parts;
    q->state = !over          ? (started ? CUZK_JOB_RUNNING : CUZK_JOB_QUEUED)
               : j->fails     ? CUZK_JOB_FAILED
               : j->cancelled ? CUZK_JOB_CANCELLED
                              : CUZK_JOB_COMPLETED;
    if (over && j->fails) {
        q->code = CUZK_E_DEV_LOST;
        q->error_class = cuzk_job_error_class(q->code);
        (void)snprintf(
            q->error_text, sizeof(q->error_text), "%s",
            "CUDA device 2: an uncorrectable memory error (no such card: an invented one)");
    }
    for (int k = 0; k < j->n_parts && started; k++) {
        show_part(out, &q->partitions[k], j, &j->parts[k], k, now, begin_ns);
        q->n_done += q->partitions[k].state == CUZK_PART_DONE ? 1 : 0;
        out->budget_used += q->partitions[k].state == CUZK_PART_WITNESS        ? 130u << 20
                            : q->partitions[k].state == CUZK_PART_WITNESS_DONE ? 130u << 20
                            : q->partitions[k].state == CUZK_PART_DEVICE       ? 610u << 20
                                                                               : 0;
    }
    if (over && now - j->ends > 60000) { /* the engine forgets it after a minute */
        out->n_jobs--;
    }
}

static void show_machine(cuzk_engine_status *out, int now)
{
    static const struct {
        const char *id;
        bool srs, on_device;
        uint64_t mib;
        uint32_t refs;
    } cached[] = {
        {"porep-32g", true, false, 45200, 3},      {"porep-32g", false, false, 193, 3},
        {"window-post-32g", true, true, 57344, 1}, {"window-post-32g", false, false, 4, 1},
        {"snap-32g", true, false, 33100, 0},       {"snap-32g", false, false, 88, 0},
        {"winning-post-32g", true, true, 184, 0},  {"winning-post-32g", false, false, 1, 0}};
    for (int d = 0; d < N_DEVICES; d++) {
        cuzk_status_device *dev = &out->devices[d];
        dev->ordinal = (uint32_t)d;
        (void)snprintf(dev->name, sizeof(dev->name), "%s", "NVIDIA H200");
        dev->n_slots = SLOTS;
        dev->memory_total = (uint64_t)141 << 30;
        dev->memory_free = (uint64_t)(141 - 38 - 7 * d) << 30;
        dev->quarantined = quarantined(d, now);
        dev->errors = d == 2 && now >= 45000 ? 3 : 0;
    }
    out->set_aside[out->n_set_aside++] = (cuzk_status_set_aside){
        .circuit_id = "snap-32g", .device = 1, .until_ns = out->now_ns + 90000000000u};
    for (uint32_t i = 0; i < 2 * N_DEVICES; i++) { /* the last device is a small one */
        cuzk_status_ability *a = &out->abilities[out->n_abilities++];
        const bool is_window = i % 2 == 1, is_small = i / 2 == N_DEVICES - 1;
        *a = (cuzk_status_ability){.device = i / 2,
                                   .ability = !is_small   ? CUZK_DEVICE_RESIDENT
                                              : is_window ? CUZK_DEVICE_CANNOT
                                                          : CUZK_DEVICE_STREAMS,
                                   .needed_bytes = (uint64_t)9 << 30,
                                   .available_bytes = (uint64_t)(is_small ? 7 : 141) << 30,
                                   .expected_ms = is_window ? 0 : 7890,
                                   .is_measured = !is_small};
        (void)snprintf(a->circuit_id, sizeof(a->circuit_id), is_window ? "wpost-32g" : "porep-32g");
    }
    out->budget_used += (uint64_t)62 << 30;
    for (size_t i = 0; i < sizeof(cached) / sizeof(cached[0]); i++) {
        cuzk_status_cached *c = &out->cached[out->n_cached++];
        (void)snprintf(c->circuit_id, sizeof(c->circuit_id), "%s", cached[i].id);
        c->is_srs = cached[i].srs;
        c->on_device = cached[i].on_device;
        c->bytes = cached[i].mib << 20;
        c->refs = cached[i].refs;
        c->last_used_ns = out->now_ns - (cached[i].refs > 0 ? 0 : 41000000000u);
        c->last_used_ns = c->last_used_ns > out->now_ns ? 0 : c->last_used_ns;
    }
}

cuzk_status fake_load_status(const fake_load *f, double second, uint64_t begin_ns,
                             cuzk_engine_status *out, cuzk_err *err)
{
    const int now = (int)(second * 1000);
    memset(out, 0, sizeof(*out));
    out->started_ns = begin_ns;
    out->now_ns = at(begin_ns, now);
    out->budget_total = (uint64_t)110 << 30;
    out->budget_reserved_winning = (uint64_t)640 << 20;
    out->pinned_limit = (uint64_t)16 << 30;
    out->pinned_used = (uint64_t)6 << 30;
    out->n_fallbacks = 3;
    out->resident_bytes = (uint64_t)66 << 30;
    out->release_backlog_bytes = (uint64_t)(now % 900) << 20;
    out->reproved[CUZK_JOB_POREP] = now > 45000 ? 1 : 0;
    /* one block, as cuzk_engine_status_free expects */
    block *b = cuzk_alloc_zero(1, sizeof(*b));
    if (b == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "fake status");
    }
    out->devices = b->devices;
    out->cached = b->cached;
    out->jobs = b->jobs;
    out->abilities = b->abilities;
    out->set_aside = b->set_aside;
    out->n_devices = N_DEVICES;
    show_machine(out, now);
    for (int i = 0; i < f->n_jobs; i++) {
        if (f->jobs[i].arrives <= now) {
            show_job(out, &f->jobs[i], b->parts[i], i, now, begin_ns);
        }
    }
    return CUZK_OK;
}
