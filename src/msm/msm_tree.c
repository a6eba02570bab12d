/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "msm/msm_tree.h"

#include <string.h>

#include "base/alloc.h"
#include "base/assert.h"

/* Hands out 64-byte aligned parts of one block; with base NULL it only adds up. */
typedef struct carver {
    unsigned char *base;
    size_t used;
} carver;

static void *carve(carver *c, size_t count, size_t size)
{
    unsigned char *p = c->base != NULL ? c->base + c->used : NULL;
    c->used += (count * size + 63) / 64 * 64;
    return p;
}

static void lay_out(cuzk_msm_tree *t, carver *c, const cuzk_msm_engine *eng)
{
    t->eng = eng;
    t->carried = 0;
    t->slots = carve(c, MSM_PIECE + MSM_SEGMENTS, eng->slot_bytes);
    t->pair_scratch = carve(c, MSM_PIECE / 2 + MSM_SEGMENTS + eng->lanes, eng->pair_bytes);
    t->pairs = carve(c, MSM_PIECE / 2 + MSM_SEGMENTS, sizeof(*t->pairs));
    t->sorted = carve(c, MSM_PIECE, sizeof(*t->sorted));
    t->singles = carve(c, MSM_SEGMENTS, sizeof(*t->singles));
    t->live = carve(c, MSM_PIECE + MSM_SEGMENTS, sizeof(*t->live));
    t->count = carve(c, MSM_SEGMENTS + 1, sizeof(*t->count));
    t->seg_start = carve(c, MSM_SEGMENTS, sizeof(*t->seg_start));
    t->seg_count = carve(c, MSM_SEGMENTS, sizeof(*t->seg_count));
    t->active = carve(c, MSM_SEGMENTS, sizeof(*t->active));
}

cuzk_status cuzk_msm_trees_create(cuzk_msm_trees *out, const cuzk_msm_engine *eng, unsigned n,
                                  cuzk_err *err)
{
    cuzk_msm_tree probe;
    carver c = {NULL, 0};
    lay_out(&probe, &c, eng);
    const size_t each = c.used, head = (n * sizeof(cuzk_msm_tree) + 63) / 64 * 64;
    out->n = 0;
    out->t = NULL;
    out->block = cuzk_alloc(1, head + n * each);
    if (out->block == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "msm: no memory for %u work areas of %zu bytes", n,
                         each);
    }
    out->t = out->block;
    out->n = n;
    for (unsigned i = 0; i < n; i++) {
        carver d = {(unsigned char *)out->block + head + i * each, 0};
        lay_out(&out->t[i], &d, eng);
    }
    return CUZK_OK;
}

void cuzk_msm_trees_destroy(cuzk_msm_trees *t)
{
    cuzk_free(t->block);
    t->block = NULL;
    t->t = NULL;
    t->n = 0;
}

static void *slot_at(const cuzk_msm_tree *t, void *slots, size_t i)
{
    return (unsigned char *)slots + i * t->eng->slot_bytes;
}

static bool slot_is_infinity(const cuzk_msm_tree *t, const void *slot)
{
    const uint64_t *w = slot;
    for (size_t i = 0; i < t->eng->slot_bytes / 8; i++) {
        if (w[i] != 0) {
            return false;
        }
    }
    return true;
}

/*
 * Sums each segment s into the slot of its first element, live[seg_start[s]]. Segment s is
 * live[seg_start[s]] .. of seg_count[s] slots; only those listed in active[0, n) have more than one.
 */
static void sum_segments(cuzk_msm_tree *t, size_t n)
{
    while (n > 0) {
        size_t np = 0, left = 0;
        for (size_t a = 0; a < n; a++) {
            const uint32_t s = t->active[a], half = t->seg_count[s] / 2;
            uint32_t *v = &t->live[t->seg_start[s]];
            for (uint32_t j = 0; j < half; j++) {
                t->pairs[np][0] = v[2 * j];
                t->pairs[np][1] = v[2 * j + 1];
                np++;
                v[j] = v[2 * j];
            }
            if ((t->seg_count[s] & 1) != 0) {
                v[half] = v[2 * half];
            }
            t->seg_count[s] -= half;
            if (t->seg_count[s] > 1) {
                t->active[left++] = s;
            }
        }
        t->eng->add_slots(t->slots, (const uint32_t(*)[2])t->pairs, np, t->pair_scratch);
        n = left;
    }
}

/*
 * The first level straight from the table. In: sorted[] by segment, seg_count[s] entries each.
 * Out: slots, live[] and the segments over them, with room for one more slot in each segment.
 * Returns the number of slots in use.
 */
static size_t first_level(cuzk_msm_tree *t, const cuzk_msm_table *table, const uint32_t *sorted,
                          size_t n_segs)
{
    size_t np = 0, ns = 0, at = 0, lp = 0, total = 0;
    for (size_t s = 0; s < n_segs; s++) {
        total += t->seg_count[s] / 2;
    }
    for (size_t s = 0; s < n_segs; s++) {
        const uint32_t c = t->seg_count[s];
        t->seg_start[s] = (uint32_t)lp;
        for (uint32_t j = 0; j + 1 < c; j += 2) {
            t->pairs[np][0] = sorted[at + j];
            t->pairs[np][1] = sorted[at + j + 1];
            t->live[lp++] = (uint32_t)np++;
        }
        if ((c & 1) != 0) {
            t->singles[ns] = sorted[at + c - 1];
            t->live[lp++] = (uint32_t)(total + ns++);
        }
        at += c;
        t->seg_count[s] = (uint32_t)(lp - t->seg_start[s]);
        lp++;
    }
    if (np > 0) {
        t->eng->add_entries(t->slots, 0, table, (const uint32_t(*)[2])t->pairs, np,
                            t->pair_scratch);
    }
    if (ns > 0) {
        t->eng->load(t->slots, total, table, t->singles, ns);
    }
    return total + ns;
}

static size_t list_active(cuzk_msm_tree *t, size_t n_segs)
{
    size_t n = 0;
    for (size_t s = 0; s < n_segs; s++) {
        if (t->seg_count[s] > 1) {
            t->active[n++] = (uint32_t)s;
        }
    }
    return n;
}

void cuzk_msm_tree_buckets(cuzk_msm_tree *t, const cuzk_msm_table *table, const uint64_t *entries,
                           size_t n, void *buckets, size_t n_buckets, bool fresh)
{
    CUZK_ASSERT(n <= MSM_PIECE && n_buckets <= MSM_SEGMENTS);
    memset(t->count, 0, (n_buckets + 1) * sizeof(*t->count));
    for (size_t i = 0; i < n; i++) {
        t->count[(entries[i] >> 32) + 1]++;
    }
    for (size_t b = 0; b < n_buckets; b++) {
        t->seg_count[b] = t->count[b + 1];
        t->count[b + 1] += t->count[b];
    }
    for (size_t i = 0; i < n; i++) {
        t->sorted[t->count[entries[i] >> 32]++] = (uint32_t)entries[i];
    }
    size_t used = first_level(t, table, t->sorted, n_buckets);
    for (size_t b = 0; b < n_buckets && !fresh; b++) {
        const void *old = slot_at(t, buckets, b);
        if (t->seg_count[b] > 0 && !slot_is_infinity(t, old)) {
            memcpy(slot_at(t, t->slots, used), old, t->eng->slot_bytes);
            t->live[t->seg_start[b] + t->seg_count[b]++] = (uint32_t)used++;
        }
    }
    sum_segments(t, list_active(t, n_buckets));
    for (size_t b = 0; b < n_buckets; b++) {
        void *to = slot_at(t, buckets, b);
        if (t->seg_count[b] > 0) {
            memcpy(to, slot_at(t, t->slots, t->live[t->seg_start[b]]), t->eng->slot_bytes);
        } else if (fresh) {
            memset(to, 0, t->eng->slot_bytes);
        }
    }
}

/* Slot a += slot b, with the pairs of this batch if it takes an addition; returns how many pairs. Many
 * buckets of a sparse window are empty. */
static size_t push_pair(cuzk_msm_tree *t, void *slots, size_t np, size_t a, size_t b)
{
    const void *from = slot_at(t, slots, b);
    void *to = slot_at(t, slots, a);
    if (slot_is_infinity(t, from)) {
        return np;
    }
    if (slot_is_infinity(t, to)) {
        memcpy(to, from, t->eng->slot_bytes);
        return np;
    }
    t->pairs[np][0] = (uint32_t)a;
    t->pairs[np][1] = (uint32_t)b;
    return np + 1;
}

static void add_pairs(cuzk_msm_tree *t, void *slots, size_t np)
{
    if (np > 0) {
        t->eng->add_slots(slots, (const uint32_t(*)[2])t->pairs, np, t->pair_scratch);
    }
}

void cuzk_msm_tree_weigh(cuzk_msm_tree *t, void *slots, size_t n, unsigned k)
{
    CUZK_ASSERT(n <= MSM_SEGMENTS && n % ((size_t)1 << k) == 0);
    /* Step s adds at distance 2^s: the pair sums at offset 0, and the sums of odd elements of the
     * levels before, which sit at offset 2^l; so all levels need only k batches. */
    for (unsigned s = 0; s < k; s++) {
        const size_t dist = (size_t)1 << s;
        size_t np = 0;
        for (size_t base = 0; base < n; base += 2 * dist) {
            np = push_pair(t, slots, np, base, base + dist);
            for (unsigned l = 0; l < s; l++) {
                const size_t at = base + ((size_t)1 << l);
                np = push_pair(t, slots, np, at, at + dist);
            }
        }
        add_pairs(t, slots, np);
    }
}

void cuzk_msm_tree_join(cuzk_msm_tree *t, void *slots, size_t blocks, unsigned k, size_t first,
                        size_t window_blocks)
{
    for (size_t dist = 1; dist < blocks; dist *= 2) {
        size_t np = 0;
        for (size_t i = 0; i < blocks;) {
            const size_t left = window_blocks - (first + i) % window_blocks;
            const size_t end = blocks - i < left ? blocks : i + left;
            for (size_t b = i; b + dist < end; b += 2 * dist) {
                for (unsigned l = 0; l < k; l++) {
                    const size_t at = (b << k) + ((size_t)1 << l);
                    np = push_pair(t, slots, np, at, at + (dist << k));
                }
            }
            i = end;
        }
        add_pairs(t, slots, np);
    }
}

void cuzk_msm_tree_rows(cuzk_msm_tree *t, const cuzk_msm_table *table, const uint32_t *entries,
                        const uint32_t *seg_len, size_t n_segs, void *out)
{
    CUZK_ASSERT(n_segs <= MSM_SEGMENTS);
    memcpy(t->seg_count, seg_len, n_segs * sizeof(*seg_len));
    const size_t used = first_level(t, table, entries, n_segs);
    CUZK_ASSERT(used < MSM_PIECE + MSM_SEGMENTS);
    memset(slot_at(t, t->slots, used), 0, t->eng->slot_bytes);
    sum_segments(t, list_active(t, n_segs));
    for (size_t s = 0; s < n_segs; s++) {
        t->count[s] = t->seg_count[s] > 0 ? t->live[t->seg_start[s]] : (uint32_t)used;
    }
    t->eng->store(out, t->slots, t->count, n_segs);
}

/* Tree over slots [0, n) down to at most `stop` of them, which are moved to the front. */
static size_t fold(cuzk_msm_tree *t, size_t n, size_t stop)
{
    uint32_t *v = t->live;
    for (size_t i = 0; i < n; i++) {
        v[i] = (uint32_t)i;
    }
    while (n > stop) {
        const size_t half = n / 2;
        for (size_t j = 0; j < half; j++) {
            t->pairs[j][0] = v[2 * j];
            t->pairs[j][1] = v[2 * j + 1];
            v[j] = v[2 * j];
        }
        if ((n & 1) != 0) {
            v[half] = v[n - 1];
        }
        t->eng->add_slots(t->slots, (const uint32_t(*)[2])t->pairs, half, t->pair_scratch);
        n -= half;
    }
    for (size_t i = 0; i < n; i++) {
        if (v[i] != i) { /* v ascends, so the source has not been overwritten */
            memcpy(slot_at(t, t->slots, i), slot_at(t, t->slots, v[i]), t->eng->slot_bytes);
        }
    }
    return n;
}

void cuzk_msm_tree_feed(cuzk_msm_tree *t, const cuzk_msm_table *table, const uint32_t *entries,
                        size_t n)
{
    CUZK_ASSERT(n <= MSM_PIECE);
    const size_t pairs = n / 2;
    for (size_t i = 0; i < pairs; i++) {
        t->pairs[i][0] = entries[2 * i];
        t->pairs[i][1] = entries[2 * i + 1];
    }
    if (pairs > 0) {
        t->eng->add_entries(t->slots, t->carried, table, (const uint32_t(*)[2])t->pairs, pairs,
                            t->pair_scratch);
    }
    if ((n & 1) != 0) {
        t->eng->load(t->slots, t->carried + pairs, table, &entries[n - 1], 1);
    }
    t->carried = fold(t, t->carried + pairs + (n & 1), MSM_CARRY);
}

void cuzk_msm_tree_take(cuzk_msm_tree *t, void *affine_out)
{
    static const uint32_t zero = 0;
    if (t->carried == 0) {
        memset(affine_out, 0, t->eng->group->affine_bytes);
        return;
    }
    (void)fold(t, t->carried, 1);
    t->eng->store(affine_out, t->slots, &zero, 1);
    t->carried = 0;
}
