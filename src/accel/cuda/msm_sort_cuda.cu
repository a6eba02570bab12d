/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Counting sort of the terms of a batch of windows by bucket, in two steps. The first spreads a window
 * over 2^11 bins by the top bits of the bucket: each block counts its share, reserves room in
 * every bin with one atomic addition, and writes; a block's run in a bin is long enough for whole
 * sectors. The second sorts each bin by the low bits, at most 10, one block per bin; the bin is
 * in the L2 cache then. The order inside a bucket is not fixed, and need not be.
 */
#include "cuda_queue_internal.h"
#include "msm_cuda_internal.h"

#define BINS        (1u << CUZK_CUDA_MSM_LG_BINS)
#define LOW_KEYS    (1u << (CUZK_CUDA_MSM_MAX_C - 1 - CUZK_CUDA_MSM_LG_BINS))
#define THREADS     1024u
#define SIGN        0x80000000u
#define SPREAD_TILE (8 * THREADS)

struct sort_args {
    const uint32_t *digits;
    uint64_t *entries;
    uint32_t *list, *bin_start, *bin_next, *offset;
    uint64_t n, row; /* terms; digits from one window to the next */
    unsigned c, top_bits;
    unsigned first, last; /* the batch's first window; the last of all windows */
    uint32_t buckets;     /* of the batch */
};

/* w counts from the batch's first window. */
static __device__ __forceinline__ unsigned key_bits(const sort_args &a, unsigned w)
{
    return a.first + w == a.last ? a.top_bits : a.c - 1;
}

static __device__ __forceinline__ unsigned low_bits(const sort_args &a, unsigned w)
{
    const unsigned k = key_bits(a, w);
    return k > CUZK_CUDA_MSM_LG_BINS ? k - CUZK_CUDA_MSM_LG_BINS : 0;
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

static __global__ void __launch_bounds__(256) digits_k(digit_args a)
{
    const uint64_t i = blockIdx.x * (uint64_t)256 + threadIdx.x;
    if (i >= a.n) {
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

/* Range of terms of this block in its window. */
static __device__ __forceinline__ void block_range(uint64_t n, uint64_t *from, uint64_t *to)
{
    const uint64_t share = ((n + gridDim.x - 1) / gridDim.x + 3) & ~(uint64_t)3;
    *from = blockIdx.x * share < n ? blockIdx.x * share : n;
    *to = *from + share < n ? *from + share : n;
}

/* Digits of terms i to i + 3 (i a multiple of 4), zero from `to` on: four loads in flight as one. */
static __device__ __forceinline__ void four_digits(uint32_t (&v)[4], const sort_args &a, unsigned w,
                                                   uint64_t i, uint64_t to)
{
    const uint4 x = __ldcs((const uint4 *)&a.digits[w * a.row + i]); /* read once per pass */
    v[0] = x.x;
    v[1] = i + 1 < to ? x.y : 0;
    v[2] = i + 2 < to ? x.z : 0;
    v[3] = i + 3 < to ? x.w : 0;
}

static __device__ __forceinline__ void count_bins(const sort_args &a, uint32_t *count)
{
    const unsigned w = blockIdx.y, low = low_bits(a, w);
    uint64_t from, to;
    block_range(a.n, &from, &to);
    for (uint32_t b = threadIdx.x; b < BINS; b += THREADS) {
        count[b] = 0;
    }
    __syncthreads();
    for (uint64_t i = from + 4 * threadIdx.x; i < to; i += 4 * THREADS) {
        uint32_t v[4];
        four_digits(v, a, w, i, to);
#pragma unroll
        for (int j = 0; j < 4; j++) {
            const uint32_t d = v[j] & ~SIGN;
            if (d != 0) {
                atomicAdd(&count[(d - 1) >> low], 1u);
            }
        }
    }
    __syncthreads();
}

static __global__ void __launch_bounds__(THREADS) count_k(sort_args a)
{
    __shared__ uint32_t count[BINS];
    count_bins(a, count);
    for (uint32_t b = threadIdx.x; b < BINS; b += THREADS) {
        if (count[b] != 0) {
            atomicAdd(&a.bin_start[blockIdx.y * BINS + b], count[b]);
        }
    }
}

/* bin_start: counts to first entries, one block. bins is a multiple of BINS. */
static __global__ void __launch_bounds__(THREADS)
    scan_bins_k(uint32_t *start, uint32_t *next, uint32_t bins)
{
    __shared__ uint32_t warp_sums[32];
    uint32_t base = 0, total;
    for (uint32_t b = threadIdx.x; b < bins; b += THREADS) {
        const uint32_t v = start[b];
        const uint32_t at = base + block_scan(v, warp_sums, &total);
        start[b] = at;
        next[b] = at;
        base += total;
    }
    if (threadIdx.x == 0) {
        start[bins] = base;
    }
}

/* Shared memory of spread_k. */
struct spread_tile {
    uint64_t entry[SPREAD_TILE];
    uint16_t bin[SPREAD_TILE];
    uint32_t at[BINS];    /* next place in the bin's room of this block */
    uint32_t count[BINS]; /* of the tile, then the bin's first place in the tile */
    uint32_t move[BINS];  /* from a place in the tile to one in the list of entries */
    uint32_t warp_sums[32];
};

/*
 * Each block sorts tiles of 2^13 terms by bin in shared memory and copies them out in order, so
 * that neighbouring threads write neighbouring entries: entries written one by one would each
 * touch a sector of their own.
 */
static __global__ void __launch_bounds__(THREADS) spread_k(sort_args a)
{
    extern __shared__ uint64_t raw[];
    spread_tile &sh = *(spread_tile *)raw;
    const unsigned w = blockIdx.y, low = low_bits(a, w);
    const uint32_t t = threadIdx.x;
    uint64_t from, to;
    count_bins(a, sh.at);
    for (uint32_t b = t; b < BINS; b += THREADS) {
        if (sh.at[b] != 0) {
            sh.at[b] = atomicAdd(&a.bin_next[w * BINS + b], sh.at[b]);
        }
    }
    block_range(a.n, &from, &to);
    for (uint64_t base = from; base < to; base += SPREAD_TILE) {
        uint32_t v[8], rank[8];
        for (uint32_t b = t; b < BINS; b += THREADS) {
            sh.count[b] = 0;
        }
        __syncthreads();
#pragma unroll
        for (uint32_t h = 0; h < 2; h++) {
            const uint64_t i = base + 4 * (h * THREADS + t);
            uint32_t x[4] = {0, 0, 0, 0};
            if (i < to) {
                four_digits(x, a, w, i, to);
            }
#pragma unroll
            for (uint32_t j = 0; j < 4; j++) {
                v[4 * h + j] = x[j];
            }
        }
#pragma unroll
        for (uint32_t j = 0; j < 8; j++) {
            const uint32_t d = v[j] & ~SIGN;
            rank[j] = d != 0 ? atomicAdd(&sh.count[(d - 1) >> low], 1u) : 0;
        }
        __syncthreads();
        uint32_t total;
        const uint32_t c0 = sh.count[2 * t], c1 = sh.count[2 * t + 1]; /* BINS = 2 THREADS */
        const uint32_t p0 = block_scan(c0 + c1, sh.warp_sums, &total), p1 = p0 + c0;
        sh.count[2 * t] = p0;
        sh.count[2 * t + 1] = p1;
        sh.move[2 * t] = sh.at[2 * t] - p0;
        sh.move[2 * t + 1] = sh.at[2 * t + 1] - p1;
        sh.at[2 * t] += c0;
        sh.at[2 * t + 1] += c1;
        __syncthreads();
#pragma unroll
        for (uint32_t j = 0; j < 8; j++) {
            const uint32_t d = v[j] & ~SIGN;
            if (d != 0) {
                const uint32_t key = d - 1, bin = key >> low, p = sh.count[bin] + rank[j];
                const uint32_t term = (uint32_t)base + 4 * ((j / 4) * THREADS + t) + j % 4;
                sh.entry[p] = (uint64_t)(key & ((1u << low) - 1)) << 32 | ((v[j] & SIGN) | term);
                sh.bin[p] = (uint16_t)bin;
            }
        }
        __syncthreads();
        for (uint32_t p = t; p < total; p += THREADS) {
            a.entries[sh.move[sh.bin[p]] + p] = sh.entry[p];
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

/* Sort one bin by the low key bits; writes the offsets of its buckets. */
static __global__ void __launch_bounds__(THREADS) sort_bin_k(sort_args a)
{
    __shared__ uint32_t at[LOW_KEYS];
    __shared__ uint32_t warp_sums[32];
    const unsigned w = blockIdx.y, bin = blockIdx.x, low = low_bits(a, w);
    const uint32_t keys = 1u << low, t = threadIdx.x;
    const unsigned bits = key_bits(a, w);
    if ((uint64_t)bin << low >> bits != 0) {
        return; /* a window with fewer bins */
    }
    const uint32_t from = a.bin_start[w * BINS + bin], to = a.bin_start[w * BINS + bin + 1];
    const uint32_t first = (w << (a.c - 1)) + (bin << low);
    at[t] = 0; /* LOW_KEYS = THREADS */
    __syncthreads();
    if (low == 0) {
        if (t == 0) {
            at[0] = to - from;
        }
    } else {
        for (uint32_t i = from + t; i < to; i += BATCH * THREADS) {
            uint64_t v[BATCH];
            load_batch(v, a.entries, i, to);
#pragma unroll
            for (uint32_t j = 0; j < BATCH; j++) {
                if (i + j * THREADS < to) {
                    atomicAdd(&at[v[j] >> 32], 1u);
                }
            }
        }
    }
    __syncthreads();
    uint32_t total;
    const uint32_t mine = from + block_scan(at[t], warp_sums, &total);
    at[t] = mine;
    if (t < keys) {
        a.offset[first + t] = mine;
    }
    if (t == 0 && first + keys == a.buckets) {
        a.offset[a.buckets] = to;
    }
    __syncthreads();
    for (uint32_t i = from + t; i < to; i += BATCH * THREADS) {
        uint64_t v[BATCH];
        load_batch(v, a.entries, i, to);
#pragma unroll
        for (uint32_t j = 0; j < BATCH; j++) {
            if (i + j * THREADS < to) {
                const uint32_t pos = low == 0 ? i + j * THREADS : atomicAdd(&at[v[j] >> 32], 1u);
                a.list[pos] = (uint32_t)v[j];
            }
        }
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

cuzk_status cuzk_cuda_msm_sort(const cuzk_cuda_msm_memory *m, const cuzk_cuda_msm_shape *s,
                               const cuzk_cuda_msm_batch *b, cuzk_cuda_queue *q,
                               const cuzk_scalar *d_scalars, cuzk_err *err)
{
    digit_args d = {};
    d.scalars = d_scalars;
    d.digits = m->d_digits;
    d.n = s->n;
    d.row = (s->n + 3) & ~(uint64_t)3;
    d.c = s->c;
    d.first = b->first;
    d.count = b->count;
    d.last = s->windows - 1;
    for (unsigned w = 0; w + 1 < s->windows; w++) {
        const unsigned bit = s->c * w + s->c - 1;
        d.halves[bit / 64] |= (uint64_t)1 << bit % 64;
    }
    sort_args a = {};
    a.digits = m->d_digits;
    a.entries = m->d_entries;
    a.list = m->d_list;
    a.bin_start = m->d_bin_start;
    a.bin_next = m->d_bin_next;
    a.offset = b->d_offset;
    a.n = s->n;
    a.row = d.row;
    a.c = s->c;
    a.top_bits = s->top_bits;
    a.first = b->first;
    a.last = d.last;
    a.buckets = b->buckets;
    const uint32_t bins = b->count << CUZK_CUDA_MSM_LG_BINS;
    const unsigned digit_blocks = (unsigned)((s->n + 255) / 256);
    /* Two blocks per SM, each with a share worth its 2^11 counters. */
    unsigned share_blocks = (unsigned)((s->n + (1u << 13) - 1) >> 13);
    if (share_blocks > 2 * (unsigned)q->sm_count) {
        share_blocks = 2 * (unsigned)q->sm_count;
    }
    CUZK_TRY(CUZK_CUDA(cudaMemsetAsync(m->d_bin_start, 0, (bins + 1) * sizeof(uint32_t), q->stream),
                       err));
    digits_k<<<digit_blocks, 256, 0, q->stream>>>(d);
    CUZK_TRY(CUZK_CUDA_LAUNCHED(digits_k, err));
    count_k<<<dim3(share_blocks, b->count), THREADS, 0, q->stream>>>(a);
    CUZK_TRY(CUZK_CUDA_LAUNCHED(count_k, err));
    scan_bins_k<<<1, THREADS, 0, q->stream>>>(m->d_bin_start, m->d_bin_next, bins);
    CUZK_TRY(CUZK_CUDA_LAUNCHED(scan_bins_k, err));
    CUZK_TRY(CUZK_CUDA(cudaFuncSetAttribute(spread_k, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                            (int)sizeof(spread_tile)),
                       err));
    spread_k<<<dim3(share_blocks, b->count), THREADS, sizeof(spread_tile), q->stream>>>(a);
    CUZK_TRY(CUZK_CUDA_LAUNCHED(spread_k, err));
    sort_bin_k<<<dim3(BINS, b->count), THREADS, 0, q->stream>>>(a);
    return CUZK_CUDA_LAUNCHED(sort_bin_k, err);
}

cuzk_status cuzk_cuda_msm_list_bits(const cuzk_cuda_msm_memory *m, cuzk_cuda_queue *q,
                                    const uint64_t *d_bits, uint64_t n, cuzk_err *err)
{
    const unsigned blocks = (unsigned)(((n + 63) / 64 + THREADS - 1) / THREADS);
    CUZK_TRY(CUZK_CUDA(cudaMemsetAsync(m->d_offset, 0, 2 * sizeof(uint32_t), q->stream), err));
    list_bits_k<<<blocks, THREADS, 0, q->stream>>>(m->d_list, m->d_offset, d_bits, n);
    return CUZK_CUDA_LAUNCHED(list_bits_k, err);
}
