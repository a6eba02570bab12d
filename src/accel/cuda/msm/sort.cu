/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Counting sort of the terms of a batch of windows by bucket, in two steps. The first spreads a
 * window over up to 2^11 bins by the top bits of the bucket. Blocks sort tiles of terms in shared
 * memory and take room in the bins tile by tile, so that what is written at any time lies close
 * together and leaves the L2 cache in whole sectors. The second sorts each bin by the low bits, at
 * most 10, one block per bin, through shared memory.
 * The order inside a bucket is not fixed, and need not be. Every bucket is filled up to a multiple
 * of 2^levels entries with CUZK_CUDA_MSM_NONE, for the tree of additions (accel/cuda/msm/tree_tmpl.cuh).
 */
#include "accel/cuda/queue/launch.cuh"

#include "msm_internal.h"

#define MAX_BINS      (1u << CUZK_CUDA_MSM_MAX_LG_BINS)
#define LOW_KEYS      (1u << CUZK_CUDA_MSM_MAX_LOW)
#define THREADS       ((unsigned)CUZK_THREADS_COUNT)
#define SIGN          CUZK_CUDA_MSM_SIGN
#define FLAGS         CUZK_CUDA_MSM_FLAGS
#define SPREAD_TILE   (8 * THREADS)
#define DIGIT_THREADS ((unsigned)CUZK_THREADS_DIGITS)
/* Two blocks of spread_k in a multiprocessor of more than 1536 threads and 100 KiB. */
#define SPREAD_BLOCKS (CUZK_LEAN_ONLY ? 1 : 2)

struct sort_args {
    const uint32_t *digits;
    uint64_t *entries;
    uint32_t *list, *bin_start, *bin_next, *list_start, *offset;
    uint64_t n, row; /* terms; digits from one window to the next */
    uint32_t keys, top_keys;
    unsigned low, top_low, lg_bins, levels;
    unsigned first, last; /* the batch's first window; the last of all windows */
    uint32_t buckets;     /* of the batch */
    uint32_t room;        /* entries in place_k's shared memory */
};

/* w counts from the batch's first window. */
static __device__ __forceinline__ unsigned low_bits(const sort_args &a, unsigned w)
{
    return a.first + w == a.last ? a.top_low : a.low;
}

/*
 * Signed digits without carries from window to window: with half of 2^c added in every window but
 * the last, a window's bits are its digit plus that half.
 */
struct digit_args {
    const cuzk_scalar *scalars;
    uint32_t *digits;
    uint64_t n, row;
    uint64_t halves[4]; /* sum of 2^(cw + c - 1) over the windows but the last */
    unsigned c, first, count, last;
};

static __global__ void __launch_bounds__(DIGIT_THREADS) digits_k(digit_args a)
{
    const uint64_t i = blockIdx.x * (uint64_t)DIGIT_THREADS + threadIdx.x;
    if (i >= a.n) {
        for (unsigned w = 0; i < a.row && w < a.count; w++) {
            a.digits[w * a.row + i] = 0; /* read with those before it */
        }
        return;
    }
    const ulonglong2 *p = (const ulonglong2 *)&a.scalars[i];
    const ulonglong2 lo = p[0], hi = p[1];
    uint64_t l[4] = {lo.x, lo.y, hi.x, hi.y};
    uint64_t carry = 0;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        const uint64_t t = l[k] + carry;
        carry = t < carry;
        l[k] = t + a.halves[k];
        carry += l[k] < t;
    }
    unsigned skip = a.c * a.first;
    for (; skip >= 64; skip -= 64) {
        l[0] = l[1];
        l[1] = l[2];
        l[2] = l[3];
        l[3] = 0;
    }
    const uint32_t half = 1u << (a.c - 1), mask = (half << 1) - 1;
    for (unsigned w = 0; w < a.count; w++) {
        if (skip != 0) {
            l[0] = l[0] >> skip | l[1] << (64 - skip);
            l[1] = l[1] >> skip | l[2] << (64 - skip);
            l[2] = l[2] >> skip | l[3] << (64 - skip);
            l[3] >>= skip;
        }
        skip = a.c;
        uint32_t d = (uint32_t)l[0];
        if (a.first + w != a.last) {
            d = (d & mask) - half;
            d = (int32_t)d < 0 ? SIGN | (0 - d) : d;
        }
        a.digits[w * a.row + i] = d;
    }
}

struct hex_args {
    const cuzk_scalar *scalars;
    uint32_t *digits;
    uint64_t n, row;
    cuzk_hex_base base;
    unsigned first, count;
};

/* Digits of windows first to first + count - 1; from the top, so those above are made as well. */
static __global__ void __launch_bounds__(DIGIT_THREADS) hex_digits_k(const hex_args a)
{
    const uint64_t i = blockIdx.x * (uint64_t)DIGIT_THREADS + threadIdx.x;
    if (i >= a.n) {
        for (unsigned w = 0; i < a.row && w < a.count; w++) {
            a.digits[w * a.row + i] = 0; /* read with those before it */
        }
        return;
    }
    const ulonglong2 *p = (const ulonglong2 *)&a.scalars[i];
    const ulonglong2 lo = p[0], hi = p[1];
    const uint64_t l[4] = {lo.x, lo.y, hi.x, hi.y};
    cuzk_hex_int z;
    cuzk_hex_rest u;
    cuzk_hex_reduce_hd(&z, l);
    cuzk_hex_start_hd(&u, &z, &a.base);
#pragma unroll 1
    for (unsigned w = a.base.digits; w-- > a.first;) {
        int32_t x, y;
        cuzk_hex_next_hd(&x, &y, &u, a.base.m);
        if (w < a.first + a.count) {
            uint32_t unit;
            uint32_t d = cuzk_hex_key_hd(&unit, x, y, &a.base);
            if (d != 0) {
                d |= (unit & CUZK_HEX_PHI) << CUZK_CUDA_MSM_LG_PHI;
                d |= (unit & CUZK_HEX_NEGATIVE) != 0 ? SIGN : 0;
            }
            a.digits[(w - a.first) * a.row + i] = d;
        }
    }
}

/* Exclusive sum over one value per thread of a block of THREADS; *total: of all. */
static __device__ __forceinline__ uint32_t block_scan(uint32_t v, uint32_t *warp_sums,
                                                      uint32_t *total)
{
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    uint32_t x = v;
    for (unsigned d = 1; d < 32; d <<= 1) {
        const uint32_t y = __shfl_up_sync(0xffffffffu, x, d);
        x += lane >= d ? y : 0;
    }
    if (lane == 31) {
        warp_sums[warp] = x;
    }
    __syncthreads();
    if (warp == 0) {
        uint32_t s = warp_sums[lane];
        for (unsigned d = 1; d < 32; d <<= 1) {
            const uint32_t y = __shfl_up_sync(0xffffffffu, s, d);
            s += lane >= d ? y : 0;
        }
        warp_sums[lane] = s;
    }
    __syncthreads();
    *total = warp_sums[31];
    const uint32_t before = warp == 0 ? 0 : warp_sums[warp - 1];
    __syncthreads(); /* warp_sums may be used again */
    return before + x - v;
}

/* Digits of terms i to i + 3 (i a multiple of 4), zero from n on: four loads in flight as one. */
static __device__ __forceinline__ void four_digits(uint32_t (&v)[4], const sort_args &a, unsigned w,
                                                   uint64_t i)
{
    v[0] = v[1] = v[2] = v[3] = 0;
    if (i < a.n) {
        const uint4 x = __ldcs((const uint4 *)&a.digits[w * a.row + i]); /* read once per pass */
        v[0] = x.x;
        v[1] = i + 1 < a.n ? x.y : 0;
        v[2] = i + 2 < a.n ? x.z : 0;
        v[3] = i + 3 < a.n ? x.w : 0;
    }
}

static __global__ void __launch_bounds__(THREADS) count_k(sort_args a)
{
    __shared__ uint32_t count[MAX_BINS];
    const unsigned w = blockIdx.y, low = low_bits(a, w), bins = 1u << a.lg_bins;
    for (uint32_t b = threadIdx.x; b < bins; b += THREADS) {
        count[b] = 0;
    }
    __syncthreads();
    for (uint64_t i = 4 * (blockIdx.x * (uint64_t)THREADS + threadIdx.x); i < a.n;
         i += 4 * (uint64_t)gridDim.x * THREADS) {
        uint32_t v[4];
        four_digits(v, a, w, i);
#pragma unroll
        for (int j = 0; j < 4; j++) {
            const uint32_t d = v[j] & ~FLAGS;
            if (d != 0) {
                atomicAdd(&count[(d - 1) >> low], 1u);
            }
        }
    }
    __syncthreads();
    for (uint32_t b = threadIdx.x; b < bins; b += THREADS) {
        if (count[b] != 0) {
            atomicAdd(&a.bin_start[w * bins + b], count[b]);
        }
    }
}

/* Counts to first entries, also in next unless NULL; start[bins] = all. One block. */
static __global__ void __launch_bounds__(THREADS)
    scan_bins_k(uint32_t *start, uint32_t *next, uint32_t bins)
{
    __shared__ uint32_t warp_sums[32];
    uint32_t base = 0, total;
    for (uint32_t from = 0; from < bins; from += 4 * THREADS) {
        const uint32_t b = from + 4 * threadIdx.x;
        uint32_t v[4];
#pragma unroll
        for (uint32_t j = 0; j < 4; j++) {
            v[j] = b + j < bins ? start[b + j] : 0;
        }
        uint32_t at = base + block_scan(v[0] + v[1] + v[2] + v[3], warp_sums, &total);
#pragma unroll
        for (uint32_t j = 0; j < 4; j++) {
            if (b + j < bins) {
                start[b + j] = at;
                if (next != NULL) {
                    next[b + j] = at;
                }
                at += v[j];
            }
        }
        base += total;
    }
    if (threadIdx.x == 0) {
        start[bins] = base;
    }
}

/* Shared memory of spread_k. */
struct spread_tile {
    uint64_t entry[SPREAD_TILE]; /* key << 32 | flags and term */
    uint32_t count[MAX_BINS];    /* of the tile, then the bin's first place in the tile */
    uint32_t move[MAX_BINS];     /* from a place in the tile to one in the list of entries */
    uint32_t warp_sums[32];
};

/*
 * Blocks sort tiles of 2^13 terms by bin in shared memory and copy them out in order, so that
 * neighbouring threads write neighbouring entries. Room in the bins is taken tile by tile: with
 * four tiles at a time, half as many bytes again went through device memory.
 */
static __global__ void __launch_bounds__(THREADS, SPREAD_BLOCKS) spread_k(sort_args a)
{
    extern __shared__ uint64_t raw[];
    spread_tile &sh = *(spread_tile *)raw;
    const unsigned w = blockIdx.y, low = low_bits(a, w), bins = 1u << a.lg_bins;
    const uint32_t t = threadIdx.x;
    const uint64_t keep = ((uint64_t)1 << (32 + low)) - 1; /* the low key and the term */
    for (uint64_t base = (uint64_t)blockIdx.x * SPREAD_TILE; base < a.n;
         base += (uint64_t)gridDim.x * SPREAD_TILE) {
        uint32_t v[8], rank[8];
        sh.count[2 * t] = 0; /* MAX_BINS = 2 THREADS */
        sh.count[2 * t + 1] = 0;
#pragma unroll
        for (uint32_t h = 0; h < 2; h++) {
            uint32_t x[4];
            four_digits(x, a, w, base + 4 * (h * THREADS + t));
#pragma unroll
            for (uint32_t j = 0; j < 4; j++) {
                v[4 * h + j] = x[j];
            }
        }
        __syncthreads();
#pragma unroll
        for (uint32_t j = 0; j < 8; j++) {
            const uint32_t d = v[j] & ~FLAGS;
            rank[j] = d != 0 ? atomicAdd(&sh.count[(d - 1) >> low], 1u) : 0;
        }
        __syncthreads();
        uint32_t total;
        const uint32_t c0 = sh.count[2 * t], c1 = sh.count[2 * t + 1];
        uint32_t at0 = 0, at1 = 0;
        if (c0 != 0) {
            at0 = atomicAdd(&a.bin_next[w * bins + 2 * t], c0);
        }
        if (c1 != 0) {
            at1 = atomicAdd(&a.bin_next[w * bins + 2 * t + 1], c1);
        }
        const uint32_t p0 = block_scan(c0 + c1, sh.warp_sums, &total), p1 = p0 + c0;
        sh.count[2 * t] = p0;
        sh.count[2 * t + 1] = p1;
        sh.move[2 * t] = at0 - p0;
        sh.move[2 * t + 1] = at1 - p1;
        __syncthreads();
#pragma unroll
        for (uint32_t j = 0; j < 8; j++) {
            const uint32_t d = v[j] & ~FLAGS;
            if (d != 0) {
                const uint32_t key = d - 1, p = sh.count[key >> low] + rank[j];
                const uint32_t term = (uint32_t)base + 4 * ((j / 4) * THREADS + t) + j % 4;
                sh.entry[p] = (uint64_t)key << 32 | ((v[j] & FLAGS) | term);
            }
        }
        __syncthreads();
        for (uint32_t p = t; p < total; p += THREADS) {
            const uint64_t e = sh.entry[p];
            a.entries[sh.move[(uint32_t)(e >> 32) >> low] + p] = e & keep;
        }
        __syncthreads();
    }
}

#define BATCH 4u

/* Entries i, i + THREADS, ... below to, all loads before the first use. */
static __device__ __forceinline__ void load_batch(uint64_t (&v)[BATCH], const uint64_t *entries,
                                                  uint32_t i, uint32_t to)
{
#pragma unroll
    for (uint32_t j = 0; j < BATCH; j++) {
        v[j] = i + j * THREADS < to ? entries[i + j * THREADS] : 0;
    }
}

static __device__ __forceinline__ uint32_t padded(uint32_t count, unsigned levels)
{
    return (count + (1u << levels) - 1) >> levels << levels;
}

/* A block's bin: its keys (none: a window with fewer bins), entries and first bucket. */
struct bin_range {
    uint32_t keys, from, to, bucket;
};

static __device__ __forceinline__ bin_range bin_of(const sort_args &a)
{
    const unsigned w = blockIdx.y, low = low_bits(a, w);
    const uint32_t bin = blockIdx.x, i = (w << a.lg_bins) + bin;
    const uint32_t keys = a.first + w == a.last ? a.top_keys : a.keys, first = bin << low;
    bin_range r;
    r.keys = first >= keys ? 0 : keys - first < 1u << low ? keys - first : 1u << low;
    r.from = a.bin_start[i];
    r.to = a.bin_start[i + 1];
    r.bucket = w * a.keys + first;
    return r;
}

/* Entries of each key of a bin to offset, and of the bin with all keys filled up to list_start. */
static __global__ void __launch_bounds__(THREADS) count_keys_k(sort_args a)
{
    __shared__ uint32_t count[LOW_KEYS];
    __shared__ uint32_t warp_sums[32];
    const bin_range r = bin_of(a);
    const uint32_t t = threadIdx.x; /* LOW_KEYS = THREADS */
    count[t] = r.keys == 1 && t == 0 ? r.to - r.from : 0;
    __syncthreads();
    if (r.keys > 1) {
        for (uint32_t i = r.from + t; i < r.to; i += BATCH * THREADS) {
            uint64_t v[BATCH];
            load_batch(v, a.entries, i, r.to);
#pragma unroll
            for (uint32_t j = 0; j < BATCH; j++) {
                if (i + j * THREADS < r.to) {
                    atomicAdd(&count[v[j] >> 32], 1u);
                }
            }
        }
        __syncthreads();
    }
    if (t < r.keys) {
        a.offset[r.bucket + t] = count[t];
    }
    uint32_t total;
    (void)block_scan(padded(count[t], a.levels), warp_sums, &total);
    if (t == 0) {
        a.list_start[(blockIdx.y << a.lg_bins) + blockIdx.x] = total;
    }
}

/* Entries of the bin with keys from key up to stop to their places: at[key] is the next one, less
 * base. */
static __device__ __forceinline__ void place_keys(const sort_args &a, const bin_range &r,
                                                  uint32_t *at, uint32_t *out, uint32_t base,
                                                  uint32_t key, uint32_t stop)
{
    for (uint32_t i = r.from + threadIdx.x; i < r.to; i += BATCH * THREADS) {
        uint64_t v[BATCH];
        load_batch(v, a.entries, i, r.to);
#pragma unroll
        for (uint32_t j = 0; j < BATCH; j++) {
            const uint32_t k = (uint32_t)(v[j] >> 32);
            if (i + j * THREADS < r.to && k >= key && k < stop) {
                out[atomicAdd(&at[k], 1u) - base] = (uint32_t)v[j];
            }
        }
    }
}

/*
 * Sort one bin by the low key bits into the list, and write the offsets of its buckets. As many
 * keys at a time as fit shared memory; one that does not fit alone goes straight to the list.
 */
static __global__ void __launch_bounds__(THREADS) place_k(sort_args a)
{
    extern __shared__ uint32_t out[];
    __shared__ uint32_t at[LOW_KEYS];
    __shared__ uint32_t warp_sums[32];
    __shared__ uint32_t stop, length;
    const bin_range r = bin_of(a);
    const uint32_t t = threadIdx.x;
    if (r.keys == 0) {
        return;
    }
    const uint32_t mine = t < r.keys ? a.offset[r.bucket + t] : 0;
    uint32_t total;
    const uint32_t first = a.list_start[(blockIdx.y << a.lg_bins) + blockIdx.x] +
                           block_scan(padded(mine, a.levels), warp_sums, &total);
    const uint32_t next = first + padded(mine, a.levels);
    at[t] = first;
    if (t < r.keys) {
        a.offset[r.bucket + t] = first;
        if (r.bucket + t + 1 == a.buckets) {
            a.offset[a.buckets] = next;
        }
    }
    for (uint32_t key = 0; key < r.keys;) {
        __syncthreads();
        const uint32_t base = at[key];
        if (t == 0) {
            stop = key + 1; /* at least */
        }
        __syncthreads();
        if (t < r.keys && t > key && next - base <= a.room) {
            atomicMax(&stop, t + 1);
        }
        __syncthreads();
        const uint32_t to = stop;
        if (t == to - 1) {
            length = next - base;
        }
        __syncthreads();
        if (length > a.room || r.keys == 1) {
            if (t == key) {
                for (uint32_t i = first + mine; i < next; i++) {
                    a.list[i] = CUZK_CUDA_MSM_NONE;
                }
            }
            if (r.keys == 1) {
                for (uint32_t i = r.from + t; i < r.to; i += THREADS) {
                    a.list[base + (i - r.from)] = (uint32_t)a.entries[i];
                }
            } else {
                place_keys(a, r, at, a.list, 0, key, to);
            }
        } else {
            for (uint32_t i = t; i < length; i += THREADS) {
                out[i] = CUZK_CUDA_MSM_NONE;
            }
            __syncthreads();
            place_keys(a, r, at, out, base, key, to);
            __syncthreads();
            for (uint32_t i = t; i < length; i += THREADS) {
                a.list[base + i] = out[i];
            }
        }
        key = to;
    }
}

static __global__ void __launch_bounds__(THREADS)
    list_bits_k(uint32_t *list, uint32_t *offset, const uint64_t *bits, uint64_t n)
{
    __shared__ uint32_t warp_sums[32];
    __shared__ uint32_t base;
    const uint64_t word = blockIdx.x * (uint64_t)THREADS + threadIdx.x;
    uint64_t v = 0;
    if (word * 64 < n) {
        const uint64_t rest = n - word * 64;
        v = bits[word] & (rest >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << rest) - 1);
    }
    uint32_t total;
    uint32_t at = block_scan((uint32_t)__popcll((long long)v), warp_sums, &total);
    if (threadIdx.x == 0) {
        base = atomicAdd(&offset[1], total);
    }
    __syncthreads();
    at += base;
    for (; v != 0; v &= v - 1) {
        list[at++] = (uint32_t)(word * 64) + (uint32_t)__ffsll((long long)v) - 1;
    }
}

/* Fills the list of bits up to a multiple of 2^levels; one block of at least as many threads. */
static __global__ void pad_bits_k(uint32_t *list, uint32_t *offset, unsigned levels)
{
    const uint32_t length = offset[1];
    const uint32_t full = padded(length, levels);
    __syncthreads();
    if (length + threadIdx.x < full) {
        list[length + threadIdx.x] = CUZK_CUDA_MSM_NONE;
    }
    if (threadIdx.x == 0) {
        offset[1] = full;
    }
}

/* Digits from one window's to the next's. */
static uint64_t row_of(const cuzk_cuda_msm_shape *s)
{
    return (s->n + 3) & ~(uint64_t)3;
}

/* Digits of the windows from a batch's first on, as many as there is room for. */
static cuzk_status make_digits(const cuzk_cuda_msm_memory *m, const cuzk_cuda_msm_shape *s,
                               unsigned first, cuzk_cuda_queue *q, const cuzk_scalar *d_scalars,
                               cuzk_err *err)
{
    const unsigned blocks = (unsigned)((s->n + DIGIT_THREADS - 1) / DIGIT_THREADS);
    const unsigned count = s->windows - first < s->digits ? s->windows - first : s->digits;
    if (s->hex) {
        hex_args h = {};
        h.scalars = d_scalars;
        h.digits = m->d_digits;
        h.n = s->n;
        h.row = row_of(s);
        h.base = s->base;
        h.first = first;
        h.count = count;
        return cuzk_cuda_launch(q, CUZK_KERNEL_HEX_DIGITS, hex_digits_k, blocks, err, h);
    }
    digit_args d = {};
    d.scalars = d_scalars;
    d.digits = m->d_digits;
    d.n = s->n;
    d.row = row_of(s);
    d.c = s->c;
    d.first = first;
    d.count = count;
    d.last = s->windows - 1;
    for (unsigned w = 0; w + 1 < s->windows; w++) {
        const unsigned bit = s->c * w + s->c - 1;
        d.halves[bit / 64] |= (uint64_t)1 << bit % 64;
    }
    return cuzk_cuda_launch(q, CUZK_KERNEL_DIGITS, digits_k, blocks, err, d);
}

cuzk_status cuzk_cuda_msm_sort(const cuzk_cuda_msm_memory *m, const cuzk_cuda_msm_shape *s,
                               const cuzk_cuda_msm_batch *b, cuzk_cuda_queue *q,
                               const cuzk_scalar *d_scalars, cuzk_err *err)
{
    sort_args a = {};
    a.row = row_of(s);
    a.digits = m->d_digits + b->first % s->digits * a.row;
    a.entries = m->d_entries;
    a.list = m->d_list;
    a.bin_start = m->d_bin_start;
    a.bin_next = m->d_bin_next;
    a.list_start = m->d_list_start;
    a.offset = b->d_offset;
    a.n = s->n;
    a.keys = s->keys;
    a.top_keys = s->top_keys;
    a.low = s->low;
    a.top_low = s->top_low;
    a.lg_bins = s->lg_bins;
    a.levels = s->levels;
    a.first = b->first;
    a.last = s->windows - 1;
    a.buckets = b->buckets;
    /* Room for a bin of half again the mean, with its padding. */
    const uint64_t mean = (s->n << s->low) / s->keys + ((uint64_t)1 << (s->low + s->levels));
    const uint32_t most = q->card.klass->shapes.place_entries;
    a.room = mean * 3 / 2 + 64 < most ? (uint32_t)(mean * 3 / 2 + 64) : most;
    cuzk_launch place = cuzk_card_launch(q->card.klass, CUZK_KERNEL_PLACE);
    place.dynamic_bytes = a.room * (uint32_t)sizeof(uint32_t);
    const uint32_t bins = b->count << s->lg_bins;
    const dim3 per_bin(1u << s->lg_bins, b->count);
    /* As many blocks as the device holds, or one per tile. */
    unsigned tiles = (unsigned)((s->n + SPREAD_TILE - 1) / SPREAD_TILE);
    const unsigned held = q->card.klass->shapes.spread_blocks * q->card.sms;
    tiles = tiles < held ? tiles : held;
    static_assert(sizeof(spread_tile) == CUZK_SPREAD_BYTES, "the table of kernels");
    CUZK_TRY(CUZK_CUDA(cudaMemsetAsync(m->d_bin_start, 0, (bins + 1) * sizeof(uint32_t), q->stream),
                       err));
    if (b->first % s->digits == 0) {
        CUZK_TRY(make_digits(m, s, b->first, q, d_scalars, err));
    }
    CUZK_TRY(cuzk_cuda_launch(q, CUZK_KERNEL_COUNT, count_k, dim3(tiles, b->count), err, a));
    CUZK_TRY(cuzk_cuda_launch(q, CUZK_KERNEL_SCAN_BINS, scan_bins_k, 1, err, m->d_bin_start,
                              m->d_bin_next, bins));
    CUZK_TRY(cuzk_cuda_launch(q, CUZK_KERNEL_SPREAD, spread_k, dim3(tiles, b->count), err, a));
    CUZK_TRY(cuzk_cuda_launch(q, CUZK_KERNEL_COUNT_KEYS, count_keys_k, per_bin, err, a));
    CUZK_TRY(cuzk_cuda_launch(q, CUZK_KERNEL_SCAN_BINS, scan_bins_k, 1, err, m->d_list_start,
                              nullptr, bins));
    return cuzk_cuda_launch_as(q, CUZK_KERNEL_PLACE, place, place_k, per_bin, err, a);
}

cuzk_status cuzk_cuda_msm_list_bits(const cuzk_cuda_msm_memory *m, cuzk_cuda_queue *q,
                                    const uint64_t *d_bits, uint64_t n, unsigned levels,
                                    cuzk_err *err)
{
    const unsigned blocks = (unsigned)(((n + 63) / 64 + THREADS - 1) / THREADS);
    CUZK_TRY(CUZK_CUDA(cudaMemsetAsync(m->d_offset, 0, 2 * sizeof(uint32_t), q->stream), err));
    static_assert(CUZK_THREADS_PAD_BITS == 1u << CUZK_CUDA_MSM_MAX_LEVELS, "pad_bits_k");
    CUZK_TRY(cuzk_cuda_launch(q, CUZK_KERNEL_LIST_BITS, list_bits_k, blocks, err, m->d_list,
                              m->d_offset, d_bits, n));
    return cuzk_cuda_launch(q, CUZK_KERNEL_PAD_BITS, pad_bits_k, 1, err, m->d_list, m->d_offset,
                            levels);
}
