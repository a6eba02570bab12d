/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "accel/cuda/field/mont_dev.cuh"
#include "accel/cuda/queue/launch.cuh"

#include "section_internal.h"

#define THREADS ((unsigned)CUZK_THREADS_SPLIT_POINTS)

/* A number in the order of preamble, block 0, block 1, ...: which part, and its number in there. */
struct part_place {
    uint32_t block; /* of a block */
    uint32_t i;
    bool is_block;
};

CUZK_DEV part_place place_of(uint32_t k, uint32_t n_preamble, uint32_t n_block)
{
    part_place p = {0, k, false};
    if (k >= n_preamble) {
        p.is_block = true;
        p.block = (k - n_preamble) / n_block;
        p.i = k - n_preamble - p.block * n_block;
    }
    return p;
}

/* 32 numbers further on. */
CUZK_DEV void next_place(part_place &p, uint32_t n_preamble, uint32_t n_block)
{
    uint32_t length = p.is_block ? n_block : n_preamble;
    p.i += 32;
    while (p.i >= length && n_block != 0) {
        p.i -= length;
        p.block = p.is_block ? p.block + 1 : 0;
        p.is_block = true;
        length = n_block;
    }
}

/* A warp makes 32 words, its lanes a bit of each: where a lane's bit is takes one division for all. */
__global__ void __launch_bounds__(THREADS)
    gather_bits(cuzk_cuda_class c, cuzk_cuda_places at, const uint32_t *bits, uint32_t n,
                uint32_t *out)
{
    const uint32_t lane = threadIdx.x % 32;
    const uint64_t words = ((uint64_t)n + 63) / 64 * 2;
    const uint64_t first = ((uint64_t)blockIdx.x * THREADS + threadIdx.x) / 32 * 32;
    if (first >= words) {
        return;
    }
    const uint32_t n_preamble = c.part[0].n_bits, n_block = c.part[1].n_bits;
    uint64_t k = 32 * first + lane;
    part_place p = place_of(k < n ? (uint32_t)k : 0, n_preamble, n_block);
    uint32_t mine = 0;
#pragma unroll 4
    for (uint32_t i = 0; i < 32; i++) {
        uint32_t bit = 0;
        if (k < n) {
            const uint32_t *rank = c.part[p.is_block].bit_rank;
            const uint32_t r = rank == NULL ? p.i : __ldg(&rank[p.i]);
            const uint64_t skip = p.is_block ? at.preamble_words + p.block * at.bit_stride : 0;
            bit = __ldg(&bits[2 * skip + r / 32]) >> (r % 32) & 1;
        }
        const uint32_t word = __ballot_sync(0xffffffffu, bit != 0);
        mine = lane == i ? word : mine;
        k += 32;
        next_place(p, n_preamble, n_block);
    }
    if (first + lane < words) {
        out[first + lane] = mine;
    }
}

__global__ void __launch_bounds__(THREADS)
    gather_fulls(cuzk_cuda_class c, cuzk_cuda_places at, const cuzk_fr *elements, uint32_t n,
                 cuzk_scalar *out)
{
    const uint64_t k = (uint64_t)blockIdx.x * THREADS + threadIdx.x;
    if (k >= n) {
        return;
    }
    uint64_t from;
    if (k < c.n_inputs) {
        from = c.input == NULL ? k : __ldg(&c.input[k]);
    } else {
        const part_place p =
            place_of((uint32_t)k - c.n_inputs, c.part[0].n_fulls, c.part[1].n_fulls);
        const uint32_t *rank = c.part[p.is_block].full_rank;
        from = at.n_inputs + (uint64_t)(rank == NULL ? p.i : __ldg(&rank[p.i]));
        if (p.is_block) {
            from += at.n_fulls + (uint64_t)p.block * at.block_fulls;
        }
    }
    dfr x, one;
    mont_load_ro(x, &elements[from]);
    mont_zero(one);
    one.l[0] = 1;
    mont_mul(x, x, one); /* out of Montgomery form */
    mont_canon(x);
    mont_store((cuzk_fr *)&out[k], x);
}

/* A thread moves 16 bytes of a point. */
__global__ void __launch_bounds__(THREADS)
    split_points(cuzk_cuda_class c, uint32_t quads, uint32_t first, uint32_t n, uint32_t bit0,
                 uint32_t full0, uint4 *bit_points, uint4 *full_points, const uint4 *points)
{
    const uint64_t t = (uint64_t)blockIdx.x * THREADS + threadIdx.x;
    const uint64_t i = t / quads;
    const uint32_t part = (uint32_t)(t - i * quads);
    if (i >= n) {
        return;
    }
    const uint32_t pos = first + (uint32_t)i;
    uint32_t bit = 0, full = pos;
    bool is_full = true;
    if (pos >= c.n_inputs) {
        const part_place p = place_of(pos - c.n_inputs, c.part[0].n_points, c.part[1].n_points);
        const cuzk_cuda_class_part &x = c.part[p.is_block];
        const unsigned long long word = __ldg((const unsigned long long *)&x.is_full[p.i / 64]);
        const uint32_t fulls =
            __ldg(&x.full_before[p.i / 64]) + (uint32_t)__popcll(word & ((1ULL << (p.i % 64)) - 1));
        is_full = (word >> (p.i % 64) & 1) != 0;
        full = c.n_inputs + fulls;
        bit = p.i - fulls;
        if (p.is_block) {
            full += c.part[0].n_fulls + p.block * c.part[1].n_fulls;
            bit += c.part[0].n_bits + p.block * c.part[1].n_bits;
        }
    }
    const uint4 v = __ldg(&points[t]);
    if (is_full) {
        full_points[(uint64_t)(full - full0) * quads + part] = v;
    } else {
        bit_points[(uint64_t)(bit - bit0) * quads + part] = v;
    }
}

static unsigned blocks_for(uint64_t n)
{
    return (unsigned)((n + THREADS - 1) / THREADS);
}

cuzk_status cuzk_cuda_class_gather_bits(const cuzk_cuda_class *c, const cuzk_cuda_places *p,
                                        cuzk_cuda_queue *q, const void *d_witness, uint32_t n_bits,
                                        uint64_t *d_bits, cuzk_err *err)
{
    const uint64_t n = ((uint64_t)n_bits + 63) / 64 * 64;
    CUZK_TRY(CUZK_CUDA(cudaSetDevice(q->device), err));
    if (n == 0) {
        return CUZK_OK;
    }
    return cuzk_cuda_launch(q, CUZK_KERNEL_GATHER_BITS, gather_bits, blocks_for((n + 31) / 32), err,
                            *c, *p, (const uint32_t *)d_witness, n_bits, (uint32_t *)d_bits);
}

cuzk_status cuzk_cuda_class_gather_fulls(const cuzk_cuda_class *c, const cuzk_cuda_places *p,
                                         cuzk_cuda_queue *q, const void *d_witness,
                                         uint32_t n_fulls, cuzk_scalar *d_scalars, cuzk_err *err)
{
    CUZK_TRY(CUZK_CUDA(cudaSetDevice(q->device), err));
    if (n_fulls == 0) {
        return CUZK_OK;
    }
    const cuzk_fr *elements = (const cuzk_fr *)((const uint8_t *)d_witness + p->elements);
    return cuzk_cuda_launch(q, CUZK_KERNEL_GATHER_FULLS, gather_fulls, blocks_for(n_fulls), err, *c,
                            *p, elements, n_fulls, d_scalars);
}

cuzk_status cuzk_cuda_class_split(const cuzk_cuda_class *c, cuzk_cuda_queue *q, uint32_t quads,
                                  uint32_t first, uint32_t n, uint32_t bit0, uint32_t full0,
                                  void *d_bit_points, void *d_full_points, const void *d_points,
                                  cuzk_err *err)
{
    CUZK_TRY(CUZK_CUDA(cudaSetDevice(q->device), err));
    if (n == 0) {
        return CUZK_OK;
    }
    return cuzk_cuda_launch(q, CUZK_KERNEL_SPLIT_POINTS, split_points,
                            blocks_for((uint64_t)n * quads), err, *c, quads, first, n, bit0, full0,
                            (uint4 *)d_bit_points, (uint4 *)d_full_points, (const uint4 *)d_points);
}
