/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <string.h>

#include "msm_cuda_internal.h"

/* Entries of a batch: enough to fill the device many times over, and 3 GB of sort memory. */
#define BATCH_ENTRIES ((uint64_t)1 << 28)

static unsigned floor_lg(uint64_t n)
{
    unsigned lg = 0;
    while (n >> 1 >> lg != 0) {
        lg++;
    }
    return lg;
}

/* Windows of about lg n - 4 bits: 16 terms a bucket and window, so that the two additions per
 * bucket stay an eighth of the work; more when there are few terms. */
void cuzk_cuda_msm_shape_of(cuzk_cuda_msm_shape *s, uint64_t n, unsigned nbits)
{
    const unsigned lg = floor_lg(n);
    memset(s, 0, sizeof(*s));
    s->n = n;
    s->nbits = nbits;
    s->c = lg < 10 ? 6 : lg - 4;
    if (s->c > CUZK_CUDA_MSM_MAX_C) {
        s->c = CUZK_CUDA_MSM_MAX_C;
    }
    s->windows = nbits / s->c + 1;
    s->top_bits = nbits - s->c * (s->windows - 1);
    s->buckets =
        (uint32_t)(((uint64_t)(s->windows - 1) << (s->c - 1)) + ((uint64_t)1 << s->top_bits));
    /* Few chunks, since each costs a short multiplication, but no fewer than fill the device. */
    s->lg_chunk = s->buckets > 1u << 22   ? 7
                  : s->buckets > 1u << 20 ? 5
                  : s->buckets > 1u << 19 ? 4
                                          : 3;
    /* By lg n alone, so that no smaller n of the same lg has more segments or entries. */
    const uint64_t most = (uint64_t)2 << lg;
    const uint64_t batch = BATCH_ENTRIES / most;
    s->batch = batch < 1 ? 1 : batch > s->windows ? s->windows : (unsigned)batch;
    const uint64_t work = most / 2 * s->batch;
    s->segment = work > (uint64_t)1 << 26 ? 128 : work > (uint64_t)1 << 24 ? 64 : 32;
}

/* The list of n bits is one bucket. */
uint64_t cuzk_cuda_msm_bits_segment(uint64_t n)
{
    return n > (uint64_t)1 << 24 ? 128 : 32;
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
    b->first_bucket = b->first << (s->c - 1);
    b->buckets = b->count < left ? b->count << (s->c - 1) : s->buckets - b->first_bucket;
    b->d_offset = m->d_offset + b->first_bucket + i;
    return true;
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
void cuzk_cuda_msm_place(cuzk_cuda_msm_memory *m, void *base, uint64_t n_max, unsigned nbits,
                         cuzk_cuda_msm_group group)
{
    const uint64_t xyzz = group == CUZK_CUDA_MSM_G1 ? sizeof(cuzk_g1_xyzz) : sizeof(cuzk_g2_xyzz);
    uint64_t digits = 0, entries = 0, segments = 1, chunks = 1, windows = 1, buckets = 1, bins = 0;
    uint64_t list = n_max, at = 0; /* sums of bits need the list and the heads */
    for (unsigned lg = 1; lg <= 29; lg++) {
        const uint64_t top = ((uint64_t)1 << lg) - 1;
        const uint64_t n = top < n_max ? top : n_max;
        const uint64_t bits_segment = cuzk_cuda_msm_bits_segment(n);
        segments = max64(segments, (n + bits_segment - 1) / bits_segment);
        if (nbits != CUZK_CUDA_MSM_BITS_ONLY) {
            cuzk_cuda_msm_shape s;
            cuzk_cuda_msm_shape_of(&s, n, nbits);
            const uint64_t terms = n * s.batch;
            digits = max64(digits, terms + 4 * s.batch); /* rows in fours */
            entries = max64(entries, terms);
            list = max64(list, terms);
            segments = max64(segments, (terms + s.segment - 1) / s.segment);
            /* Whole windows: at most one chunk more per window. */
            chunks = max64(chunks, ((uint64_t)s.buckets >> s.lg_chunk) + s.windows);
            windows = max64(windows, s.windows);
            buckets = max64(buckets, s.buckets);
            bins = max64(bins, ((uint64_t)s.batch << CUZK_CUDA_MSM_LG_BINS) + 1);
        }
        if (n == n_max) {
            break;
        }
    }
    char *b = (char *)base;
    m->d_digits = place(b, &at, digits, 4);
    m->d_entries = place(b, &at, entries, 8);
    m->d_list = place(b, &at, list, 4);
    m->d_bin_start = place(b, &at, bins, 4);
    m->d_bin_next = place(b, &at, bins, 4);
    m->d_offset = place(b, &at, buckets + windows, 4);
    m->d_heavy = place(b, &at, segments + 1, 4);
    m->d_buckets = place(b, &at, buckets, xyzz);
    m->d_heads = place(b, &at, segments, xyzz);
    m->d_chunks = place(b, &at, chunks, xyzz);
    m->d_partials = place(b, &at, windows * CUZK_CUDA_MSM_PARTIALS, xyzz);
    m->d_sums = place(b, &at, windows, xyzz);
    m->bytes = at;
}
