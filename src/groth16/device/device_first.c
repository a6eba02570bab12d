/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Where the first slice of the file goes in each phase, and when it comes.
 *
 * Phase h: during the quotients of the group, behind what they use.
 * Phase rest: during the last slice of phase h for the last group. Of phase h's two buffers, the one without that slice is
 * free then, and so is the memory behind phase h. The slice must lie behind buffer 1 of phase rest: what is before it
 * (witnesses, multipliers, workspace, the next slice) is written before the slice has been summed.
 */
#include "device_stream.h"

#define ALIGN 255u

/* Memory that is free at the time. is_open: up to the end of the call's memory, which may still grow. */
typedef struct area {
    uint64_t begin, end;
    bool is_open;
} area;

static uint64_t min64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t max64(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t room_of(const device_slice *s)
{
    return (device_slice_input(s) + ALIGN) & ~(uint64_t)ALIGN;
}

/* Puts a part at the end of an area, or not at all. */
static bool place(device_first *f, device_plan *p, const area *a, uint64_t bytes,
                  uint64_t free_bytes)
{
    const uint64_t end = a->is_open ? max64(p->total, a->begin + bytes) : a->end;
    if (a->begin > end || end - a->begin < bytes || (a->is_open && end > free_bytes)) {
        return false;
    }
    p->total = max64(p->total, end);
    f->is_early = true;
    f->at = end - bytes;
    f->bytes = bytes;
    return true;
}

/* A slice that is to come within `ns`. */
typedef struct request {
    const cuzk_device_key *k;
    const device_slice *s;
    uint64_t ns, free_bytes;
} request;

/* The longest first part that fits an area and comes in time; when none comes in time, the shortest. */
static bool place_early(device_first *f, device_plan *p, const request *r, area a)
{
    device_slice parts[DEVICE_MOST_PARTS];
    for (unsigned lg = 0; lg < DEVICE_MOST_PARTS; lg++) {
        (void)device_slice_parts(parts, r->s, r->k, lg);
        const uint64_t bytes = room_of(&parts[0]);
        const bool in_time =
            device_cost_bytes(r->k, (cuzk_srs_section)r->s->section, bytes) <= r->ns ||
            lg + 1 == DEVICE_MOST_PARTS;
        if (in_time && place(f, p, &a, bytes, r->free_bytes)) {
            f->lg = lg;
            return true;
        }
    }
    return false;
}

static void place_late(device_first *f, const request *r, uint64_t at)
{
    device_slice parts[DEVICE_MOST_PARTS];
    f->lg = DEVICE_MOST_PARTS - 1;
    (void)device_slice_parts(parts, r->s, r->k, f->lg);
    f->bytes = room_of(&parts[0]);
    f->at = at;
}

/* The first slice of a phase that has any sums. */
static bool first_slice(device_slice *s, const cuzk_device_key *k, bool is_h, uint64_t slice)
{
    *s = (device_slice){.section = is_h ? CUZK_SRS_H : CUZK_SRS_L};
    while (k->from_file && device_slice_next(s, k, slice) && (s->section == CUZK_SRS_H) == is_h) {
        if (s->sum_bits || s->sum_fulls) {
            return true;
        }
    }
    return false;
}

static void place_h(device_plan *p, const request *r)
{
    const uint64_t buffer_0 = p->at_h + device_sums_buffer(&p->h, 0);
    const area a = {.begin = max64(p->at_h + device_plan_quotient(p), buffer_0), .is_open = true};
    if (!place_early(&p->first_h, p, r, a)) {
        place_late(&p->first_h, r, buffer_0);
    }
}

/* Slices of section h, and points of the last one. */
static uint32_t count_h(const device_plan *p, const cuzk_device_key *k, uint64_t *last)
{
    const uint64_t step = device_slice_of(&k->points[DEVICE_HL], p->h.slice);
    const uint64_t total = k->points[DEVICE_HL].n, first = min64(step, total);
    const uint32_t parts = first >> p->first_h.lg == 0 ? 1 : p->first_h.lg + 1;
    const uint64_t others = (total - first + step - 1) / step;
    *last = others > 0   ? total - first - (others - 1) * step
            : parts == 1 ? first
                         : first - (first >> p->first_h.lg << (parts - 2));
    return (uint32_t)others + parts;
}

/* The slice before the last one of section h is free: slice 0, or one in a buffer. */
static void place_rest(device_plan *p, const request *r, uint32_t n_h)
{
    const uint64_t behind = p->at_rest + device_sums_buffer(&p->rest, 0);
    const uint64_t buffer_0 = p->at_h + device_sums_buffer(&p->h, 0);
    const uint64_t buffer_1 = p->at_h + device_sums_buffer(&p->h, 1);
    const uint64_t h_end = p->at_h + p->h.bytes, first_end = p->first_h.at + p->first_h.bytes;
    area areas[2] = {{.begin = buffer_0, .is_open = true}}; /* the last one is in buffer 1 */
    unsigned n = 1;
    if (n_h % 2 == 1) { /* it is in buffer 0, or the only one */
        areas[0] = (area){.begin = buffer_1, .end = buffer_0};
        areas[1] = (area){.begin = n_h == 1 ? max64(h_end, first_end) : h_end, .is_open = true};
        n = 2;
    }
    for (unsigned i = 0; i < n; i++) {
        areas[i].begin = max64(areas[i].begin, behind);
        if (place_early(&p->first_rest, p, r, areas[i])) {
            return;
        }
    }
    place_late(&p->first_rest, r, behind);
}

void device_plan_first(device_plan *p, const cuzk_device_key *k, uint32_t n, uint64_t free_bytes)
{
    device_slice s;
    request r = {.k = k, .s = &s, .free_bytes = free_bytes};
    p->first_h = p->first_rest = (device_first){0};
    if (!first_slice(&s, k, true, p->h.slice)) {
        return; /* then nothing streams from the file */
    }
    r.ns = p->group * device_cost_quotient(k, p->vectors);
    place_h(p, &r);
    if (first_slice(&s, k, false, p->rest.slice)) {
        uint64_t last = 0;
        const uint32_t n_h = count_h(p, k, &last);
        const uint32_t group = n % p->group != 0 ? n % p->group : p->group;
        r.ns = group * device_cost_sum_h(k, &p->h, last);
        place_rest(p, &r, n_h);
    }
}
