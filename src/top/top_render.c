/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "top/top_render.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text/json.h"
#include "base/text/utf8.h"
#include "top/top_jobs.h"

typedef enum ink { INK_NONE, INK_BOLD, INK_DIM, INK_GOOD, INK_WARN, INK_BAD } ink;
static const char *const ink_code[] = {"",         "\033[1m",  "\033[2m",
                                       "\033[32m", "\033[33m", "\033[31m"};

typedef struct page {
    cuzk_text_buf *b;
    cuzk_top_style style;
    unsigned column, lines; /* of the line being written; lines ended */
} page;

static bool is_full(const page *p)
{
    return p->style.height != 0 && p->lines + 1 >= p->style.height;
}

/* Text at the column, cut at the edge and left out below the last line; what is no printable UTF-8 becomes '?'. A character is taken as one column. */
static void put(page *p, ink colour, const char *text)
{
    const uint8_t *s = (const uint8_t *)text;
    size_t left = strlen(text);
    const bool coloured = p->style.colour && colour != INK_NONE && left > 0;
    if (is_full(p)) {
        return;
    }
    if (coloured) {
        cuzk_text_put(p->b, ink_code[colour], strlen(ink_code[colour]));
    }
    while (left > 0 && p->column < p->style.width) {
        const size_t k = cuzk_utf8_len(s, left);
        const bool control = k == 0 || cuzk_utf8_is_control(cuzk_utf8_code(s, k));
        if (control) {
            cuzk_text_put(p->b, "?", 1);
        } else {
            cuzk_text_put(p->b, (const char *)s, k);
        }
        s += k != 0 ? k : 1;
        left -= k != 0 ? k : 1;
        p->column++;
    }
    if (coloured) {
        cuzk_text_put(p->b, "\033[0m", 4);
    }
}

static void putf(page *p, ink colour, const char *fmt, ...) CUZK_PRINTF(3, 4);
static void putf(page *p, ink colour, const char *fmt, ...)
{
    char text[512];
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    put(p, colour, text);
}

/* Blanks up to a column; at least one if something is there already. */
static void tab(page *p, unsigned column)
{
    if (p->column > 0 && p->column >= column) {
        put(p, INK_NONE, " ");
    }
    while (p->column < column && p->column < p->style.width && !is_full(p)) {
        put(p, INK_NONE, " ");
    }
}

/* text with its last character at column - 1. */
static void right(page *p, unsigned column, ink colour, const char *text)
{
    const unsigned n = (unsigned)strlen(text);
    tab(p, column > n ? column - n : 0);
    put(p, colour, text);
}

static void right_u64(page *p, unsigned column, uint64_t v)
{
    char text[24];
    (void)snprintf(text, sizeof(text), "%" PRIu64, v);
    right(p, column, v != 0 ? INK_NONE : INK_DIM, text);
}

static void end_line(page *p)
{
    if (is_full(p)) {
        return;
    }
    cuzk_text_put(p->b, "\n", 1);
    p->lines++;
    p->column = 0;
}

static const char *bytes_text(char out[24], uint64_t v)
{
    static const char *const unit[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double d = (double)v;
    int i = 0;
    for (; d >= 1000 && i < 6; i++) {
        d /= 1024;
    }
    (void)snprintf(out, 24, i == 0 || d >= 100 ? "%.0f %s" : "%.1f %s", d, unit[i]);
    return out;
}

static const char *time_text(char out[24], double s)
{
    if (s > 1e9) { /* 30 years: an error somewhere, and more than an int of seconds */
        s = 1e9;
    }
    if (s < 1) {
        (void)snprintf(out, 24, "%.0f ms", s > 0 ? s * 1000 : 0);
    } else if (s < 60) {
        (void)snprintf(out, 24, "%.1f s", s);
    } else if (s < 3600) {
        (void)snprintf(out, 24, "%d m %02d s", (int)s / 60, (int)s % 60);
    } else if (s < 172800) {
        (void)snprintf(out, 24, "%d h %02d m", (int)(s / 3600), (int)s % 3600 / 60);
    } else {
        (void)snprintf(out, 24, "%.0f d %02d h", s / 86400 - 0.5, (int)(s / 3600) % 24);
    }
    return out;
}

static double seconds_between(uint64_t later_us, uint64_t earlier_us)
{
    return later_us > earlier_us ? (double)(later_us - earlier_us) * 1e-6 : 0;
}

static void bar(page *p, unsigned width, uint64_t used, uint64_t total)
{
    char text[64];
    const unsigned cap = width < sizeof(text) ? width : (unsigned)sizeof(text) - 1;
    const double share = total != 0 ? (double)used / (double)total : 0;
    const unsigned full = share >= 1 ? cap : (unsigned)(share * cap + 0.5);
    memset(text, '#', full);
    memset(text + full, '.', cap - full);
    text[cap] = '\0';
    put(p, INK_DIM, "[");
    put(p, share > 0.92 ? INK_WARN : INK_GOOD, text);
    put(p, INK_DIM, "]");
}

/* "stages  3 check, 1 witness": what waits before each step. Steps before which nothing waits are left out; the rest
 * goes on in a second line. */
static void put_stages(page *p, const cuzk_status_view *v)
{
    uint32_t shown = 0;
    put(p, INK_NONE, "stages  ");
    for (uint32_t i = 0; i < v->n_stages; i++) {
        char text[64];
        if (v->stages[i].waiting == 0) {
            continue;
        }
        const int n =
            snprintf(text, sizeof(text), "%" PRIu64 " %s", v->stages[i].waiting, v->stages[i].name);
        put(p, INK_NONE, shown != 0 ? "," : "waiting before a step:");
        if (n > 0 && p->column + 2 + (unsigned)n > p->style.width) {
            end_line(p);
            put(p, INK_NONE, "       ");
        }
        put(p, INK_NONE, " ");
        put(p, INK_NONE, text);
        shown++;
    }
    put(p, INK_DIM, shown == 0 ? "nothing waits before a step" : "");
    end_line(p);
}

static void put_summary(page *p, const cuzk_status_view *v)
{
    char a[24], b[24];
    uint64_t running = 0, oldest_us = v->now_us;
    for (uint32_t i = 0; i < v->n_queues; i++) {
        running += v->queues[i].in_progress;
    }
    for (uint32_t i = 0; i < v->n_jobs; i++) {
        if (strcmp(v->jobs[i].state, "queued") == 0 && v->jobs[i].accepted_us < oldest_us) {
            oldest_us = v->jobs[i].accepted_us;
        }
    }
    putf(p, INK_BOLD, "cuzk %s", v->version);
    put(p, INK_NONE, "  ");
    put(p, v->draining ? INK_WARN : INK_GOOD, v->draining ? "draining" : "serving");
    if (v->on_cpu) {
        put(p, INK_BAD, "  no GPU works: proving on the CPU");
    }
    putf(p, INK_NONE, "  up %s  ", time_text(a, v->uptime_secs));
    putf(p, INK_BOLD, "%" PRIu64, v->completed_last_minute);
    put(p, INK_NONE, " proofs in the last minute");
    end_line(p);
    putf(p, INK_NONE, "jobs    %" PRIu64 " running, %" PRIu64 " waiting", running, v->queue_depth);
    if (v->queue_depth > 0) {
        putf(p, INK_NONE, " (oldest %s)", time_text(a, seconds_between(v->now_us, oldest_us)));
    }
    putf(p, INK_NONE, "; %" PRIu64 " completed, ", v->completed);
    putf(p, v->not_completed_last_minute != 0 ? INK_BAD : INK_NONE, "%" PRIu64 " failed",
         v->failed);
    putf(p, INK_NONE, ", %" PRIu64 " cancelled, %" PRIu64 " proved again", v->cancelled,
         v->reproved);
    end_line(p);
    put(p, INK_NONE, "memory  ");
    bar(p, 20, v->memory_used, v->memory_total);
    putf(p, INK_NONE, " %s of %s", bytes_text(a, v->memory_used), bytes_text(b, v->memory_total));
    putf(p, INK_DIM, ", resident %s", bytes_text(a, v->resident));
    putf(p, INK_DIM, ", pinned %s", bytes_text(a, v->pinned));
    putf(p, INK_DIM, ", releasing %s", bytes_text(a, v->release_backlog));
    end_line(p);
    put_stages(p, v);
}

/* All daemons of a shared queue. */
static void put_fleet(page *p, const cuzk_view_fleet *f)
{
    char a[24], text[48];
    if (!f->is_member || is_full(p)) {
        return;
    }
    if (!f->reachable) {
        put(p, INK_BAD, "fleet   its database cannot be reached");
        end_line(p);
        return;
    }
    putf(p, INK_BOLD, "fleet   ");
    putf(p, INK_NONE, "%" PRIu64 " running, %" PRIu64 " waiting (%s of work), %" PRIu64 " places",
         f->running, f->queued + f->claimed, time_text(a, (double)f->wait_ms / 1e3), f->places);
    if (f->parts_running + f->parts_waiting != 0) {
        putf(p, INK_NONE, "; partitions of shared jobs: %" PRIu64 " running, %" PRIu64 " waiting",
             f->parts_running, f->parts_waiting);
    }
    end_line(p);
    for (uint32_t i = 0; i < f->n_members && !is_full(p); i++) {
        const cuzk_view_member *m = &f->members[i];
        const bool lives = strcmp(m->state, "alive") == 0;
        const bool leaves = strcmp(m->state, "draining") == 0 || strcmp(m->state, "left") == 0;
        put(p, INK_NONE, "  ");
        put(p, INK_NONE, m->name);
        tab(p, 24);
        put(p, lives ? INK_GOOD : leaves ? INK_WARN : INK_BAD, m->state);
        (void)snprintf(text, sizeof(text), "%" PRIu64 "/%" PRIu64 " cards", m->healthy, m->devices);
        right(p, 46, m->healthy < m->devices ? INK_BAD : INK_NONE, text);
        right_u64(p, 52, m->running);
        put(p, INK_DIM, " running");
        right_u64(p, 68, m->completed);
        put(p, INK_DIM, " done");
        tab(p, 75);
        if (m->parts != 0) {
            putf(p, INK_NONE, "%" PRIu64 " partitions, ", m->parts);
        }
        putf(p, INK_DIM, "heard %s ago, %s", time_text(a, (double)m->heard_ms / 1e3), m->version);
        end_line(p);
    }
}

/* "porep-32g resident 7.9 s, window-32g not possible"; nothing for a device without memory of its own. */
static void put_abilities(page *p, const cuzk_view_device *d)
{
    char a[24];
    if (d->n_abilities == 0 || is_full(p)) {
        return;
    }
    for (uint32_t i = 0; i < d->n_abilities; i++) {
        const cuzk_view_ability *b = &d->abilities[i];
        putf(p, INK_DIM, "%s%s ", i == 0 ? "      " : ", ", b->circuit_id);
        put(p, strcmp(b->ability, "not possible") == 0 ? INK_WARN : INK_DIM, b->ability);
        if (b->expected_secs > 0) {
            putf(p, INK_DIM, " %s", time_text(a, b->expected_secs));
        }
    }
    end_line(p);
}

/* "      set aside: snap-32g, its proofs do not verify here; tried again in 4 m 30 s". */
static void put_set_aside(page *p, const cuzk_view_device *d)
{
    char a[24];
    for (uint32_t i = 0; i < d->n_set_aside && !is_full(p); i++) {
        const cuzk_view_set_aside *c = &d->set_aside[i];
        putf(p, INK_BAD, "      set aside: %s", c->circuit_id);
        putf(p, INK_NONE, ", its proofs do not verify here; tried again %s%s",
             c->for_secs > 0 ? "in " : "now", c->for_secs > 0 ? time_text(a, c->for_secs) : "");
        end_line(p);
    }
}

static void put_devices(page *p, const cuzk_status_view *v)
{
    char a[24], b[24], text[64];
    end_line(p);
    put(p, INK_DIM, "DEVICE");
    tab(p, 32);
    put(p, INK_DIM, "HEALTH");
    right(p, 51, INK_DIM, "BUSY");
    right(p, 72, INK_DIM, "MEMORY");
    right(p, 82, INK_DIM, "DONE");
    right(p, 90, INK_DIM, "ERRORS");
    end_line(p);
    for (uint32_t i = 0; i < v->n_devices && !is_full(p); i++) {
        const cuzk_view_device *d = &v->devices[i];
        if (d->is_cpu) {
            putf(p, INK_NONE, "CPU   %.24s", strcmp(d->name, "CPU") != 0 ? d->name : "");
        } else {
            putf(p, INK_NONE, "GPU %-2" PRIu64 "%.24s", d->ordinal, d->name);
        }
        tab(p, 32);
        put(p,
            d->quarantined                 ? INK_BAD
            : d->is_fallback && !v->on_cpu ? INK_DIM
            : d->is_fallback               ? INK_WARN
                                           : INK_GOOD,
            d->quarantined                 ? "quarantined"
            : d->is_fallback && !v->on_cpu ? "if none works"
            : d->is_fallback               ? "stands in"
                                           : "ok");
        (void)snprintf(text, sizeof(text), "%" PRIu64 "/%" PRIu64, d->busy_slots, d->slots);
        right(p, 51, INK_NONE, text);
        const uint64_t used =
            d->memory_total > d->memory_free ? d->memory_total - d->memory_free : 0;
        (void)snprintf(text, sizeof(text), "%s/%s", bytes_text(a, used),
                       bytes_text(b, d->memory_total));
        right(p, 72, INK_NONE, text);
        right_u64(p, 82, d->partitions_done);
        right_u64(p, 90, d->errors);
        end_line(p);
        put_abilities(p, d);
        put_set_aside(p, d);
    }
}

/* "CARD  61 C, 413 W, 1980 MHz, busy 97 %, 38.2 GiB of 79.6 GiB, NVIDIA H200": what the driver says; by PCI address, since
 * the daemon may use another order or not all of them. */
static void put_cards(page *p, const cuzk_status_view *v)
{
    char a[24], b[24];
    if (v->n_cards > 0 && !is_full(p)) {
        end_line(p);
    }
    for (uint32_t i = 0; i < v->n_cards && !is_full(p); i++) {
        const cuzk_view_card *c = &v->cards[i];
        putf(p, INK_DIM, "card %s", c->pci);
        tab(p, 22);
        if (c->celsius > 0) {
            putf(p, c->celsius > 87 ? INK_WARN : INK_NONE, "%" PRIu64 " C, ", c->celsius);
        }
        if (c->milliwatts > 0) {
            putf(p, INK_NONE, "%" PRIu64 " W, ", (c->milliwatts + 500) / 1000);
        }
        if (c->clock_mhz > 0) {
            putf(p, INK_NONE, "%" PRIu64 " MHz, ", c->clock_mhz);
        }
        putf(p, INK_NONE, "busy %" PRIu64 " %%, %s of %s used, ", c->load_percent,
             bytes_text(a, c->memory_used), bytes_text(b, c->memory_total));
        put(p, INK_DIM, c->name);
        end_line(p);
    }
}

static void put_queues(page *p, const cuzk_status_view *v)
{
    end_line(p);
    put(p, INK_DIM, "WAITING");
    for (unsigned k = 0; k < CUZK_VIEW_PRIORITIES; k++) {
        right(p, 26 + 10 * k, INK_DIM, cuzk_view_priority[k]);
    }
    right(p, 66, INK_DIM, "running");
    end_line(p);
    for (uint32_t i = 0; i < v->n_queues && !is_full(p); i++) {
        put(p, INK_NONE, v->queues[i].kind);
        for (unsigned k = 0; k < CUZK_VIEW_PRIORITIES; k++) {
            right_u64(p, 26 + 10 * k, v->queues[i].pending_by_priority[k]);
        }
        right_u64(p, 66, v->queues[i].in_progress);
        end_line(p);
    }
}

static void put_cached(page *p, const cuzk_status_view *v)
{
    char a[24];
    if (v->n_cached == 0) {
        return;
    }
    end_line(p);
    put(p, INK_DIM, "LOADED");
    right(p, 40, INK_DIM, "SIZE");
    right(p, 48, INK_DIM, "USERS");
    end_line(p);
    for (uint32_t i = 0; i < v->n_cached && !is_full(p); i++) {
        const cuzk_view_cached *c = &v->cached[i];
        putf(p, INK_NONE, "%.20s", c->circuit_id);
        tab(p, 21);
        put(p, INK_DIM, c->is_srs ? "SRS" : "circuit");
        right(p, 40, INK_NONE, bytes_text(a, c->bytes));
        right_u64(p, 48, c->refs);
        if (c->on_device) {
            put(p, INK_DIM, "  on the device");
        }
        end_line(p);
    }
}

static ink state_ink(const char *state)
{
    return strcmp(state, "completed") == 0   ? INK_GOOD
           : strcmp(state, "failed") == 0    ? INK_BAD
           : strcmp(state, "cancelled") == 0 ? INK_WARN
           : strcmp(state, "queued") == 0    ? INK_DIM
                                             : INK_NONE;
}

/* Columns of the table of jobs; a narrow screen has shorter names and no letters. */
typedef struct job_columns {
    unsigned name, kind, priority, state, partitions, waited, took;
    bool letters;
} job_columns;

static job_columns columns_for(unsigned width)
{
    const bool letters = width >= 96;
    const unsigned rest = letters ? 75 : 61, most = 34, least = 12;
    const unsigned name = width >= rest + most    ? most
                          : width >= rest + least ? width - rest
                                                  : least;
    const unsigned k = name + 2;
    const job_columns c = {name, k, k + 13, k + 22, k + 32, name + rest - 11, name + rest, letters};
    return c;
}

static void put_job(page *p, const job_columns *c, const cuzk_status_view *v,
                    const cuzk_view_job *j)
{
    char a[24];
    const bool queued = strcmp(j->state, "queued") == 0;
    const bool selected = p->style.keys != NULL && p->style.keys->job[0] != '\0' &&
                          strcmp(p->style.keys->job, j->id) == 0;
    if (selected) {
        put(p, INK_BOLD, ">");
    }
    putf(p, selected ? INK_BOLD : INK_NONE, "%.*s", (int)c->name - (selected ? 1 : 0),
         j->id[0] != '\0' ? j->id : "(no name)");
    tab(p, c->kind);
    put(p, INK_NONE, j->kind);
    tab(p, c->priority);
    put(p, strcmp(j->priority, "critical") == 0 ? INK_WARN : INK_NONE, j->priority);
    tab(p, c->state);
    put(p, state_ink(j->state), j->state);
    tab(p, c->partitions);
    if (queued) {
        put(p, INK_DIM, "-");
    } else {
        putf(p, INK_NONE, "%.*s%s%" PRIu64 "/%" PRIu64, c->letters ? (int)j->n_stage : 0, j->stage,
             c->letters ? " " : "", j->n_done, j->n_partitions);
    }
    right(p, c->waited, INK_DIM,
          time_text(a, seconds_between(queued ? v->now_us : j->started_us, j->accepted_us)));
    if (!queued) {
        const uint64_t end = j->ended_us != 0 ? j->ended_us : v->now_us;
        right(p, c->took, INK_NONE, time_text(a, seconds_between(end, j->started_us)));
    }
    end_line(p);
    if (j->error[0] != '\0' && !is_full(p)) {
        putf(p, state_ink(j->state), "  %s%s%s%s%s", j->error_class,
             j->error_class[0] != '\0' ? ": " : "", j->error, j->peer[0] != '\0' ? "  from " : "",
             j->peer);
        end_line(p);
    }
}

static void put_jobs(page *p, const cuzk_status_view *v)
{
    const job_columns c = columns_for(p->style.width);
    if (is_full(p)) {
        return;
    }
    end_line(p);
    put(p, INK_DIM, "JOB");
    tab(p, c.kind);
    put(p, INK_DIM, "KIND");
    tab(p, c.priority);
    put(p, INK_DIM, "PRIO");
    tab(p, c.state);
    put(p, INK_DIM, "STATE");
    tab(p, c.partitions);
    put(p, INK_DIM, c.letters ? "PARTITIONS" : "DONE");
    right(p, c.waited, INK_DIM, "WAITED");
    right(p, c.took, INK_DIM, "TOOK");
    end_line(p);
    uint32_t list[CUZK_VIEW_JOBS];
    const uint32_t n = cuzk_top_jobs(list, v, p->style.keys);
    for (uint32_t i = 0; i < n && !is_full(p); i++) {
        put_job(p, &c, v, &v->jobs[list[i]]);
    }
}

/* Everything that is known of the selected job, with the whole error. */
static void put_details(page *p, const cuzk_status_view *v, const cuzk_top_keys *keys)
{
    char a[24], b[24];
    for (uint32_t i = 0; i < v->n_jobs; i++) {
        const cuzk_view_job *j = &v->jobs[i];
        if (strcmp(j->id, keys->job) != 0) {
            continue;
        }
        end_line(p);
        putf(p, INK_BOLD, "job %s", j->id);
        end_line(p);
        putf(p, INK_NONE, "  %s, %s, ", j->kind, j->priority);
        put(p, state_ink(j->state), j->state);
        putf(p, INK_NONE, ", %" PRIu64 " of %" PRIu64 " partitions done", j->n_done,
             j->n_partitions);
        end_line(p);
        const uint64_t end = j->ended_us != 0 ? j->ended_us : v->now_us;
        putf(p, INK_NONE, "  accepted %s ago; waited %s; took %s",
             time_text(a, seconds_between(v->now_us, j->accepted_us)),
             time_text(b, seconds_between(j->started_us != 0 ? j->started_us : v->now_us,
                                          j->accepted_us)),
             j->started_us != 0 ? "" : "-");
        if (j->started_us != 0) {
            put(p, INK_NONE, time_text(a, seconds_between(end, j->started_us)));
        }
        end_line(p);
        if (j->peer[0] != '\0') {
            putf(p, INK_NONE, "  from %s", j->peer);
            end_line(p);
        }
        if (j->error[0] == '\0') {
            return;
        }
        /* in as many lines as it takes */
        const size_t width = p->style.width > 4 ? p->style.width - 4 : 1;
        char text[sizeof(j->error) + sizeof(j->error_class) + 4];
        (void)snprintf(text, sizeof(text), "%s: %s", j->error_class, j->error);
        for (const char *at = text; *at != '\0' && !is_full(p);) {
            const size_t n = strlen(at) < width ? strlen(at) : width;
            putf(p, INK_BAD, "  %.*s", (int)n, at);
            end_line(p);
            at += n;
        }
        return;
    }
}

static void put_keys(page *p, const cuzk_top_keys *keys)
{
    if (keys->typing) {
        putf(p, INK_BOLD, "filter: %s_", keys->filter);
    } else {
        put(p, INK_DIM, "q quit  s order: ");
        put(p, INK_NONE, cuzk_top_order_name[keys->order]);
        put(p, INK_DIM, "  / filter");
        if (keys->filter[0] != '\0') {
            putf(p, INK_NONE, ": %s", keys->filter);
        }
        put(p, INK_DIM, "  up, down select  Enter details  Esc back");
    }
    end_line(p);
}

void cuzk_top_render(cuzk_text_buf *b, const cuzk_status_view *v, const cuzk_top_style *style)
{
    page p = {b, *style, 0, 0};
    put_summary(&p, v);
    if (style->keys != NULL) {
        uint32_t list[CUZK_VIEW_JOBS]; /* the selection moves before anything of it is shown */
        (void)cuzk_top_jobs(list, v, style->keys);
        put_keys(&p, style->keys);
    }
    if (style->keys != NULL && style->keys->details) {
        put_details(&p, v, style->keys);
    } else {
        put_fleet(&p, &v->fleet);
        put_devices(&p, v);
        put_cards(&p, v);
        put_queues(&p, v);
        put_cached(&p, v);
    }
    put_jobs(&p, v);
}
