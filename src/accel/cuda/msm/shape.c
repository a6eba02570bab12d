/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <string.h>

#include "accel/card/tuning.h"

#include "msm_internal.h"

_Static_assert(2 * CUZK_CUDA_MSM_MAX_HEX <= CUZK_CUDA_MSM_MAX_WIN, "room for the sums of windows");
_Static_assert(CUZK_CUDA_MSM_MAX_HEX <= CUZK_HEX_MAX_DIGITS, "bases of ec/hex.h");

cuzk_cuda_msm_tuning cuzk_cuda_msm_tuning_of(const cuzk_card *card, cuzk_cuda_msm_group group)
{
    const cuzk_card_tuning *c = cuzk_card_tuning_of(card);
    const cuzk_cuda_msm_tuning t = {
        .lg_level_entries = c->lg_level_entries[group == CUZK_CUDA_MSM_G2],
        .lg_batch_entries = cuzk_card_lg_batch(card),
        .level_load = c->level_load,
        .most_levels = card->cached_tree && group == CUZK_CUDA_MSM_G1 ? 2 : 0,
        .hex_at_once = cuzk_card_is_small(card) ? 3 : 0};
    return t;
}

/* A block of tree_k. */
#define LEAST_PRODUCTS 512u
static unsigned floor_lg(uint64_t n)
{
    unsigned lg = 0;
    while (n >> 1 >> lg != 0) {
        lg++;
    }
    return lg;
}

/*
 * Levels over `entries` entries in buckets of `load`: the padding is about a sixteenth at most. One more
 * makes load / 2^(levels + 1) additions in XYZZ affine for 2^levels / 2 entries of padding: it pays
 * from a multiple of 4^levels on.
 */
static unsigned levels_of(uint64_t entries, uint64_t load, unsigned most,
                          const cuzk_cuda_msm_tuning *t)
{
    unsigned levels = 0;
    most = t->most_levels != 0 && t->most_levels < most ? t->most_levels : most;
    while (levels < most && load >> levels >= t->level_load && load >= (uint64_t)2 << 2 * levels &&
           entries >> levels >= (uint64_t)1 << t->lg_level_entries) {
        levels++;
    }
    return levels;
}

unsigned cuzk_cuda_msm_width(const cuzk_card_costs *k, unsigned lg, unsigned nbits)
{
    uint64_t least = UINT64_MAX;
    unsigned best = 6;
    if (lg < 16) { /* latency counts, not work */
        return lg < 10 ? 6 : lg - 4;
    }
    for (unsigned c = 10; c <= CUZK_CUDA_MSM_MAX_C; c++) {
        const unsigned windows = nbits / c + 1, top_bits = nbits % c;
        const uint64_t buckets = ((uint64_t)(windows - 1) << (c - 1)) + ((uint64_t)1 << top_bits);
        const uint64_t cost =
            ((uint64_t)windows << lg) * (lg >= c + 3 ? k->term_ps : k->small_term_ps) +
            buckets * k->bucket_ps;
        if (cost < least) {
            least = cost;
            best = c;
        }
    }
    return best;
}

/* lg of the reduction's buckets per thread: two additions each, and some 16 more for
 * what follows, in waves of the threads of the device. */
static unsigned chunk_of(uint32_t buckets, const cuzk_card *card)
{
    const uint64_t slots =
        (uint64_t)card->sms * cuzk_card_launch(card->klass, card->klass->shapes.reduce_g1).threads;
    uint64_t least = UINT64_MAX;
    unsigned best = 0;
    for (unsigned lg = 3; lg <= 8; lg++) {
        const uint64_t waves = ((buckets >> lg) + slots - 1) / slots;
        const uint64_t cost = waves * (((uint64_t)2 << lg) + 16);
        if (cost < least) {
            least = cost;
            best = lg;
        }
    }
    return best;
}

uint32_t cuzk_cuda_msm_hex_pieces(const cuzk_hex_base *base, uint32_t length)
{
    uint32_t pieces = 0, rows;
    for (uint32_t q = 0; (rows = cuzk_hex_rows_hd(base, q)) != 0; q += length) {
        pieces += rows;
    }
    return pieces;
}

/* As chunk_of, of the rows of all windows; blocks are not shared by windows. */
static uint32_t piece_of(const cuzk_hex_base *base, const cuzk_card *card)
{
    const uint64_t sms = card->sms;
    const uint64_t threads =
        cuzk_card_launch(card->klass, card->klass->shapes.hex_pieces_g1).threads;
    uint64_t least = UINT64_MAX;
    uint32_t best = 8;
    for (uint32_t length = 8; length <= 192; length += 4) {
        const uint64_t blocks = (cuzk_cuda_msm_hex_pieces(base, length) + threads - 1) / threads;
        const uint64_t waves = (blocks * base->digits + sms - 1) / sms;
        const uint64_t cost = waves * (2 * length + 16);
        if (cost < least) {
            least = cost;
            best = length;
        }
    }
    return best;
}

/* A bucket's two additions are a third of its cost; the rest is padding, and additions in XYZZ in place of
 * affine ones. */
unsigned cuzk_cuda_msm_hex_digits(const cuzk_card_costs *k, unsigned lg)
{
    uint64_t least = UINT64_MAX;
    unsigned best = CUZK_CUDA_MSM_MAX_HEX;
    if (lg < 16) {
        return lg < 10 ? best : best - (lg - 8) / 2;
    }
    for (unsigned d = CUZK_HEX_MIN_DIGITS + 1; d <= CUZK_CUDA_MSM_MAX_HEX; d++) {
        const uint64_t cost = d * (((uint64_t)k->hex_term_ps << lg) +
                                   (uint64_t)cuzk_hex_keys_of(d) * k->hex_bucket_ps);
        if (cost < least) {
            least = cost;
            best = d;
        }
    }
    return best;
}

static unsigned key_bits(uint32_t keys)
{
    return keys < 2 ? 0 : floor_lg(keys - 1) + 1;
}

/* Everything but n by lg n alone, so that no smaller n of the same lg needs more of anything. */
void cuzk_cuda_msm_shape_of(cuzk_cuda_msm_shape *s, uint64_t n, cuzk_cuda_msm_terms terms,
                            const cuzk_cuda_msm_tuning *t, const cuzk_card *card)
{
    const unsigned lg = floor_lg(n);
    memset(s, 0, sizeof(*s));
    s->n = n;
    s->hex = terms.form == CUZK_CUDA_MSM_OF_IMAGES;
    if (s->hex) {
        cuzk_hex_base_of(&s->base, t->hex_digits != 0
                                       ? t->hex_digits
                                       : cuzk_cuda_msm_hex_digits(cuzk_card_costs_of(card), lg));
        s->windows = s->base.digits;
        s->keys = s->top_keys = s->base.keys;
        s->piece = piece_of(&s->base, card);
    } else {
        s->c = t->width != 0 ? t->width
                             : cuzk_cuda_msm_width(cuzk_card_costs_of(card), lg, terms.bits);
        s->windows = terms.bits / s->c + 1;
        s->top_bits = terms.bits - s->c * (s->windows - 1);
        s->keys = (uint32_t)1 << (s->c - 1);
        s->top_keys = (uint32_t)1 << s->top_bits;
    }
    s->buckets = (s->windows - 1) * s->keys + s->top_keys;
    s->lg_chunk = chunk_of(s->buckets, card);
    /* Bins of some 2^14 terms; the keys of a bin must fit the second sort. */
    const unsigned low = CUZK_CUDA_MSM_MAX_LOW, bits = key_bits(s->keys);
    const unsigned top_bits = key_bits(s->top_keys);
    s->lg_bins = lg > 14 ? lg - 14 : 0;
    if (s->lg_bins > CUZK_CUDA_MSM_MAX_LG_BINS) {
        s->lg_bins = CUZK_CUDA_MSM_MAX_LG_BINS;
    }
    if (s->lg_bins + low < bits) {
        s->lg_bins = bits - low;
    }
    s->low = bits > s->lg_bins ? bits - s->lg_bins : 0;
    s->top_low = top_bits > s->lg_bins ? top_bits - s->lg_bins : 0;
    const uint64_t batch = ((uint64_t)1 << t->lg_batch_entries) >> (lg + 1);
    s->batch = batch < 1 ? 1 : batch > s->windows ? s->windows : (unsigned)batch;
    const unsigned at_once = !s->hex ? 4 : t->hex_at_once != 0 ? t->hex_at_once : s->windows;
    s->digits = s->batch < at_once ? at_once / s->batch * s->batch : s->batch;
    s->digits = s->digits < s->windows ? s->digits : s->windows;
    const uint64_t entries = (uint64_t)s->batch << lg;
    s->levels = card->xyzz ? 0
                           : levels_of(entries, ((uint64_t)1 << lg) / s->keys,
                                       CUZK_CUDA_MSM_MAX_LEVELS - 1, t);
}

/* A quarter more for the second step (LG_TOP of accel/cuda/msm/reduce_tmpl.cuh); hex: and for the rows. */
uint32_t cuzk_cuda_msm_chunk_stride(const cuzk_cuda_msm_shape *s)
{
    if (s->hex) {
        return cuzk_cuda_msm_hex_pieces(&s->base, s->piece) + s->base.span / 2;
    }
    const unsigned bits = s->windows == 1 ? s->top_bits : s->c - 1;
    const uint32_t chunks = bits > s->lg_chunk ? 1u << (bits - s->lg_chunk) : 1;
    return chunks + (chunks + 3) / 4;
}

/* The list of n bits is one bucket. */
unsigned cuzk_cuda_msm_bits_levels(uint64_t n, const cuzk_cuda_msm_tuning *t, const cuzk_card *card)
{
    return card->xyzz ? 0 : levels_of(n, n, CUZK_CUDA_MSM_MAX_LEVELS, t);
}

/* Threads of the accumulation on the device, and their waves. */
static uint64_t accumulation_threads(uint64_t points, uint32_t sms)
{
    const uint64_t slots = (uint64_t)sms * CUZK_THREADS_ACCUMULATE_G1;
    return slots * (points / (slots * 64) + 1);
}

/* All of one length, of at most 128. */
uint32_t cuzk_cuda_msm_segment(uint64_t points, uint32_t sms)
{
    const uint64_t threads = accumulation_threads(points, sms);
    const uint64_t segment = (points + threads - 1) / threads;
    return segment < 8 ? 8 : (uint32_t)segment;
}

/* Most segments of any number up to `points`. */
static uint64_t most_segments(uint64_t points, uint32_t sms)
{
    const uint64_t threads = accumulation_threads(points, sms);
    return (points / 8 < threads ? points / 8 : threads) + 1;
}

/* Entries of a list with the padding of its buckets. */
uint64_t cuzk_cuda_msm_list_length(uint64_t entries, uint64_t buckets, unsigned levels)
{
    const uint64_t padding = (buckets << levels) - buckets;
    return ((entries + padding) >> levels << levels) + ((uint64_t)1 << levels);
}

bool cuzk_cuda_msm_batch_of(cuzk_cuda_msm_batch *b, const cuzk_cuda_msm_shape *s,
                            const cuzk_cuda_msm_memory *m, unsigned i)
{
    b->first = i * s->batch;
    if (b->first >= s->windows) {
        return false;
    }
    const unsigned left = s->windows - b->first;
    b->count = left < s->batch ? left : s->batch;
    b->first_bucket = b->first * s->keys;
    b->buckets = b->count < left ? b->count * s->keys : s->buckets - b->first_bucket;
    b->d_offset = m->d_offset + b->first_bucket + i;
    return true;
}

/* Points of the tree are kept in groups of 64. */
static uint64_t groups(uint64_t points)
{
    return (points + 63) & ~(uint64_t)63;
}

/* Room of one array at *at, which moves on; base NULL only counts. */
static void *place(char *base, uint64_t *at, uint64_t count, uint64_t size)
{
    void *p = base == NULL ? NULL : base + *at;
    *at = (*at + count * size + 255) & ~(uint64_t)255;
    return p;
}

static uint64_t max64(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/*
 * Smaller n use the same workspace with other windows: every array takes the largest need over
 * all sizes, which are the sizes just below a change of window, powers of two less one, and n_max.
 */
void cuzk_cuda_msm_place(cuzk_cuda_msm_memory *m, void *base, uint64_t n_max,
                         cuzk_cuda_msm_terms terms, cuzk_cuda_msm_group group,
                         const cuzk_cuda_msm_tuning *t, const cuzk_card *card)
{
    const bool g1 = group == CUZK_CUDA_MSM_G1;
    const uint64_t xyzz = g1 ? sizeof(cuzk_g1_xyzz) : sizeof(cuzk_g2_xyzz);
    const uint64_t affine = g1 ? sizeof(cuzk_g1_affine) : sizeof(cuzk_g2_affine);
    uint64_t digits = 0, entries = 0, list = 0, tree_a = 0, tree_b = 0, segments = 1, chunks = 1;
    uint64_t plain = 1, windows = 1, sums = 1, buckets = 1, bins = 0, at = 0;
    for (unsigned lg = 1; lg <= 29; lg++) {
        const uint64_t top = ((uint64_t)1 << lg) - 1;
        const uint64_t n = top < n_max ? top : n_max;
        cuzk_cuda_msm_shape s;
        /* A sum of bits, then one of scalars. */
        for (unsigned pass = 0; pass < (terms.form == CUZK_CUDA_MSM_OF_BITS ? 1u : 2u); pass++) {
            if (pass == 0) {
                memset(&s, 0, sizeof(s));
                s.n = n;
                s.windows = s.batch = 1;
                s.buckets = s.keys = 1;
                s.levels = cuzk_cuda_msm_bits_levels(n, t, card);
            } else {
                cuzk_cuda_msm_shape_of(&s, n, terms, t, card);
                digits = max64(digits, (n + 4) * s.digits); /* rows in fours */
                entries = max64(entries, n * s.batch);
                bins = max64(bins, ((uint64_t)s.batch << s.lg_bins) + 1);
                const uint64_t stride = cuzk_cuda_msm_chunk_stride(&s);
                chunks = max64(chunks, (s.hex ? 2 : 1) * s.windows * stride);
                plain = max64(plain, s.hex ? 1 : s.windows * stride);
            }
            uint64_t of_batch = (uint64_t)s.batch * s.keys;
            of_batch = of_batch < s.buckets ? of_batch : s.buckets;
            const uint64_t length = cuzk_cuda_msm_list_length(n * s.batch, of_batch, s.levels);
            list = max64(list, length);
            tree_a = max64(tree_a, s.levels > 0 ? groups(length / 2) : 0);
            tree_b = max64(tree_b, s.levels > 1 ? groups(length / 4) : 0);
            segments = max64(segments, most_segments(length >> s.levels, card->sms));
            windows = max64(windows, s.windows);
            sums = max64(sums, (s.hex ? 2 : 1) * s.windows);
            buckets = max64(buckets, s.buckets);
        }
        if (n == n_max) {
            break;
        }
    }
    char *b = (char *)base;
    m->products = cuzk_card_products_bytes(card) / (affine / 2);
    m->products = tree_a < m->products ? tree_a : m->products;
    m->products = tree_a > 0 ? max64(m->products, LEAST_PRODUCTS) : 0;
    m->d_digits = place(b, &at, digits, 4);
    m->d_entries = place(b, &at, entries, 8);
    m->d_list = place(b, &at, list, 4);
    m->d_bin_start = place(b, &at, bins, 4);
    m->d_bin_next = place(b, &at, bins, 4);
    m->d_list_start = place(b, &at, bins, 4);
    m->d_offset = place(b, &at, buckets + windows + 1, 4);
    m->d_heavy = place(b, &at, segments + 1, 4);
    m->d_tree_a = place(b, &at, tree_a, affine);
    m->d_tree_b = place(b, &at, tree_b, affine);
    m->d_products = place(b, &at, m->products, affine / 2);
    m->d_buckets = place(b, &at, buckets, xyzz);
    m->d_heads = place(b, &at, segments, xyzz);
    m->d_chunks = place(b, &at, chunks, xyzz);
    m->d_plain = place(b, &at, plain, xyzz);
    m->d_partials = place(b, &at, sums * CUZK_CUDA_MSM_PARTIALS, xyzz);
    m->d_sums = place(b, &at, sums, xyzz);
    m->bytes = at;
}
