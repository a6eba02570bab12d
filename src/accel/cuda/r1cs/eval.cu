/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * A.w, B.w, C.w. A thread walks a short row of one block. The blocks of one stretch of rows follow
 * each other in the grid, so that the compiled rows are read from memory once and from the cache
 * after that. A warp walks a long row of one block, or, where blocks are many, of 32 blocks at
 * once: then no lane is idle, coefficients are the same for all, and nothing is added up across
 * lanes.
 */
#include "accel/cuda/queue/launch.cuh"

#include "circuit_internal.h"

#include "row_dev.cuh"

#define THREADS     ((unsigned)CUZK_THREADS_EVAL_SHORT)
/* Copies from which a warp takes one long row of 32 of them. */
#define MANY_COPIES 64u

/* Blocks of a part that share its rows: one for the preamble. */
struct part_grid {
    uint64_t first_index; /* part index of copy 0: 0 the preamble, 1 block 0 */
    uint64_t first_row;   /* of copy 0 */
    uint32_t copies;
};

/* The row's value to its place, or with TIMES its product with what is there. */
template <bool TIMES> CUZK_DEV void put_row(cuzk_fr *out, dfr &x)
{
    if (TIMES) {
        dfr y;
        mont_load(y, out);
        mont_mul(x, x, y);
        mont_canon(x);
    }
    mont_store(out, x);
}

template <bool TIMES>
__global__ void __launch_bounds__(THREADS)
    eval_short(cuzk_cuda_circuit_view c, cuzk_cuda_witness_view w, cuzk_cuda_part part,
               part_grid grid, uint32_t m, cuzk_fr *out)
{
    const uint32_t copy = blockIdx.x % grid.copies;
    const uint64_t row = (uint64_t)(blockIdx.x / grid.copies) * THREADS + threadIdx.x;
    if (row >= part.n_rows) {
        return;
    }
    const uint32_t begin = __ldg(&part.m[m].start[row]);
    const uint32_t len = __ldg(&part.m[m].start[row + 1]) - begin;
    if (len > CUZK_CUDA_SHORT_WORDS) {
        return;
    }
    const row_values v = row_values_of(c, w, grid.first_index + copy);
    row_sum s;
    dfr x;
    row_sum_init(s);
    row_sum_words(s, v, part.m[m].words + begin, len);
    row_sum_value(x, s, v);
    put_row<TIMES>(out + grid.first_row + copy * part.n_rows + row, x);
}

/* Which long row a warp has, and which copy each lane; false: none. */
struct long_place {
    uint64_t i;
    uint32_t copy;
};

template <bool MANY>
CUZK_DEV bool long_place_of(long_place &p, const part_grid &grid, uint32_t n_rows)
{
    const uint64_t warp = ((uint64_t)blockIdx.x * THREADS + threadIdx.x) / 32;
    if (MANY) { /* rows first: neighbours refer to the same wires */
        p.i = warp % n_rows;
        p.copy = (uint32_t)(warp / n_rows) * 32 + threadIdx.x % 32;
        return p.copy < grid.copies;
    }
    p.i = warp / grid.copies;
    p.copy = (uint32_t)(warp % grid.copies);
    return p.i < n_rows;
}

template <bool MANY>
CUZK_DEV void row_value_long(dfr &out, const row_values &v, const cuzk_cuda_matrix &x, uint64_t i)
{
    const uint32_t begin = __ldg(&x.long_start[i]), end = __ldg(&x.long_start[i + 1]);
    if (MANY) {
        row_value_thread(out, v, x.long_terms, begin, end);
    } else {
        row_value_warp(out, v, x.long_terms, begin, end);
    }
}

template <bool MANY, bool TIMES>
__global__ void __launch_bounds__(THREADS)
    eval_long(cuzk_cuda_circuit_view c, cuzk_cuda_witness_view w, cuzk_cuda_part part,
              part_grid grid, uint32_t m, cuzk_fr *out)
{
    const cuzk_cuda_matrix &x = part.m[m];
    long_place p;
    if (!long_place_of<MANY>(p, grid, x.n_long)) {
        return;
    }
    const row_values v = row_values_of(c, w, grid.first_index + p.copy);
    dfr y;
    row_value_long<MANY>(y, v, x, p.i);
    if (MANY || threadIdx.x % 32 == 0) {
        put_row<TIMES>(out + grid.first_row + p.copy * part.n_rows + __ldg(&x.long_row[p.i]), y);
    }
}

/* a * b = c for reduced a, b, c. */
CUZK_DEV bool row_holds(const dfr &a, const dfr &b, const dfr &c)
{
    dfr t;
    uint32_t diff = 0;
    mont_mul(t, a, b);
    mont_canon(t);
#pragma unroll
    for (int i = 0; i < 8; i++) {
        diff |= t.l[i] ^ c.l[i];
    }
    return diff == 0;
}

__global__ void __launch_bounds__(THREADS)
    check_short(cuzk_cuda_circuit_view c, cuzk_cuda_witness_view w, cuzk_cuda_part part,
                part_grid grid, unsigned long long *bad)
{
    const uint32_t copy = blockIdx.x % grid.copies;
    const uint64_t row = (uint64_t)(blockIdx.x / grid.copies) * THREADS + threadIdx.x;
    if (row >= part.n_rows) {
        return;
    }
    const row_values v = row_values_of(c, w, grid.first_index + copy);
    dfr x[3];
#pragma unroll
    for (int m = 0; m < 3; m++) {
        const uint32_t begin = __ldg(&part.m[m].start[row]);
        const uint32_t len = __ldg(&part.m[m].start[row + 1]) - begin;
        if (len > CUZK_CUDA_SHORT_WORDS) {
            return; /* check_long has it */
        }
        row_sum s;
        row_sum_init(s);
        row_sum_words(s, v, part.m[m].words + begin, len);
        row_sum_value(x[m], s, v);
    }
    if (!row_holds(x[0], x[1], x[2])) {
        atomicMin(bad, (unsigned long long)(grid.first_row + copy * part.n_rows + row));
    }
}

template <bool MANY>
__global__ void __launch_bounds__(THREADS)
    check_long(cuzk_cuda_circuit_view c, cuzk_cuda_witness_view w, cuzk_cuda_part part,
               part_grid grid, unsigned long long *bad)
{
    long_place p;
    if (!long_place_of<MANY>(p, grid, part.n_check)) {
        return;
    }
    const row_values v = row_values_of(c, w, grid.first_index + p.copy);
    const uint32_t row = __ldg(&part.check_row[p.i]);
    dfr x[3];
#pragma unroll
    for (int m = 0; m < 3; m++) {
        const uint32_t k = __ldg(&part.check_long[m][p.i]);
        if (k != CUZK_CUDA_NO_LONG) {
            row_value_long<MANY>(x[m], v, part.m[m], k);
        } else { /* a warp with one copy: all lanes alike */
            const uint32_t begin = __ldg(&part.m[m].start[row]);
            row_sum s;
            row_sum_init(s);
            row_sum_words(s, v, part.m[m].words + begin, __ldg(&part.m[m].start[row + 1]) - begin);
            row_sum_value(x[m], s, v);
        }
    }
    if ((MANY || threadIdx.x % 32 == 0) && !row_holds(x[0], x[1], x[2])) {
        atomicMin(bad, (unsigned long long)(grid.first_row + p.copy * part.n_rows + row));
    }
}

__global__ void bind_slots(cuzk_cuda_circuit_view c, cuzk_cuda_witness_view w, cuzk_fr *slots)
{
    const uint64_t i = (uint64_t)blockIdx.x * THREADS + threadIdx.x;
    if (i >= c.n_blocks * c.block.n_slots) {
        return;
    }
    const row_values v = row_values_of(c, w, 0);
    row_sum s;
    dfr x;
    row_sum_init(s);
    row_sum_add_term(s, v, __ldg(&c.bindings[i]), 0);
    row_sum_value(x, s, v);
    mont_store(&slots[i], x);
}

/* Warps that long rows take. */
static uint64_t long_warps(uint32_t n_rows, uint32_t copies)
{
    return (uint64_t)n_rows * (copies >= MANY_COPIES ? (copies + 31) / 32 : copies);
}

static cuzk_status grid_size(unsigned *out, uint64_t units, uint64_t per_block, uint64_t copies,
                             cuzk_err *err)
{
    const uint64_t n = (units + per_block - 1) / per_block;
    if (copies != 0 && n > 0x7fffffffu / copies) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "a circuit too large for one launch");
    }
    *out = (unsigned)(n * copies);
    return CUZK_OK;
}

/* part: 0 the preamble, 1 the blocks. */
static part_grid grid_of(const cuzk_cuda_circuit_view *c, int part)
{
    part_grid g = {0, 0, 1};
    if (part == 1) {
        g.first_index = 1;
        g.first_row = c->preamble.n_rows;
        g.copies = (uint32_t)c->n_blocks;
    }
    return g;
}

template <bool TIMES>
static cuzk_status eval_rows(const cuzk_cuda_circuit_view *c, const cuzk_cuda_witness_view *w,
                             cuzk_cuda_queue *q, uint32_t m, cuzk_fr *d_out, cuzk_err *err)
{
    for (int i = 0; i < 2; i++) {
        const cuzk_cuda_part *p = i == 0 ? &c->preamble : &c->block;
        const part_grid g = grid_of(c, i);
        unsigned n_short = 0, n_long = 0;
        CUZK_TRY(grid_size(&n_short, p->n_rows, THREADS, g.copies, err));
        CUZK_TRY(grid_size(&n_long, long_warps(p->m[m].n_long, g.copies), THREADS / 32, 1, err));
        if (n_short > 0) {
            CUZK_TRY(cuzk_cuda_launch(q, CUZK_KERNEL_EVAL_SHORT, eval_short<TIMES>, n_short, err,
                                      *c, *w, *p, g, m, d_out));
        }
        if (n_long > 0) {
            if (g.copies >= MANY_COPIES) {
                CUZK_TRY(cuzk_cuda_launch(q, CUZK_KERNEL_EVAL_LONG, eval_long<true, TIMES>, n_long,
                                          err, *c, *w, *p, g, m, d_out));
            } else {
                CUZK_TRY(cuzk_cuda_launch(q, CUZK_KERNEL_EVAL_LONG, eval_long<false, TIMES>, n_long,
                                          err, *c, *w, *p, g, m, d_out));
            }
        }
    }
    return CUZK_OK;
}

cuzk_status cuzk_cuda_eval_rows(const cuzk_cuda_circuit_view *c, const cuzk_cuda_witness_view *w,
                                cuzk_cuda_queue *q, uint32_t m, bool times, cuzk_fr *d_out,
                                cuzk_err *err)
{
    return times ? eval_rows<true>(c, w, q, m, d_out, err)
                 : eval_rows<false>(c, w, q, m, d_out, err);
}

cuzk_status cuzk_cuda_check_rows(const cuzk_cuda_circuit_view *c, const cuzk_cuda_witness_view *w,
                                 cuzk_cuda_queue *q, uint64_t *d_bad_row, cuzk_err *err)
{
    unsigned long long *bad = (unsigned long long *)d_bad_row;
    for (int i = 0; i < 2; i++) {
        const cuzk_cuda_part *p = i == 0 ? &c->preamble : &c->block;
        const part_grid g = grid_of(c, i);
        unsigned n_short = 0, n_long = 0;
        CUZK_TRY(grid_size(&n_short, p->n_rows, THREADS, g.copies, err));
        CUZK_TRY(grid_size(&n_long, long_warps(p->n_check, g.copies), THREADS / 32, 1, err));
        if (n_short > 0) {
            CUZK_TRY(cuzk_cuda_launch(q, CUZK_KERNEL_CHECK_SHORT, check_short, n_short, err, *c, *w,
                                      *p, g, bad));
        }
        if (n_long > 0) {
            if (g.copies >= MANY_COPIES) {
                CUZK_TRY(cuzk_cuda_launch(q, CUZK_KERNEL_CHECK_LONG, check_long<true>, n_long, err,
                                          *c, *w, *p, g, bad));
            } else {
                CUZK_TRY(cuzk_cuda_launch(q, CUZK_KERNEL_CHECK_LONG, check_long<false>, n_long, err,
                                          *c, *w, *p, g, bad));
            }
        }
    }
    return CUZK_OK;
}

cuzk_status cuzk_cuda_bind_slots(const cuzk_cuda_circuit_view *c, const cuzk_cuda_witness_view *w,
                                 cuzk_cuda_queue *q, cuzk_fr *d_slots, cuzk_err *err)
{
    unsigned n = 0;
    CUZK_TRY(grid_size(&n, c->n_blocks * c->block.n_slots, THREADS, 1, err));
    if (n > 0) {
        CUZK_TRY(cuzk_cuda_launch(q, CUZK_KERNEL_BIND_SLOTS, bind_slots, n, err, *c, *w, d_slots));
    }
    return CUZK_OK;
}
