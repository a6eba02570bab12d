/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_ACCEL_CUDA_MSM_HEX_REDUCE_CUH
#define CUZK_ACCEL_CUDA_MSM_HEX_REDUCE_CUH

/*
 * From buckets to the sums of windows of hexagonal digits: sum of (p + q zeta) B_pq over a window's
 * buckets. With the row sums R_p = sum of B_pq and V_p = sum of q B_pq over q that is
 * (sum of p R_p) + zeta (sum of V_p); the host takes zeta times the second. Pieces of rows give their
 * part of R and of V, q counted from the piece's first, by running sums as in accel/cuda/msm/reduce_tmpl.cuh.
 * One thread per row then joins its pieces, whose number times their length is what was left
 * out of q, and multiplies by p.
 *
 * Pieces are numbered by their place in the row and then by the row: piece j of row p is number
 * (rows that have a piece 0) + ... + (rows that have a piece j - 1) + p - 1, because rows shrink.
 */
#include "reduce_tmpl.cuh"

template <class G> struct hex_reduce_args {
    const uint32_t *offset;
    const typename G::xyzz *buckets;
    typename G::xyzz
        *sums; /* [2 windows][stride]: R and V of the pieces, then p R and V of the rows */
    uint32_t stride, pieces, length; /* length of a piece */
    unsigned batch;
    cuzk_hex_base base;
};

CUZK_DEV uint32_t hex_row_length(const cuzk_hex_base &base, uint32_t p)
{
    return min(base.span - 2 * p, (base.span - p) / 2) + 1;
}

/* run: the thread's running sum; sum: its weighted one. */
template <class G, bool LEAN>
CUZK_DEV void hex_piece(const hex_reduce_args<G> &a, typename G::xyzz *run, typename G::xyzz *sum)
{
    const unsigned w = blockIdx.y;
    const uint32_t i = blockIdx.x * reduce_shape<G, LEAN>::threads + threadIdx.x;
    if (i >= a.pieces) {
        return;
    }
    uint32_t q = 0, p = i; /* i is below the number of pieces: the loop ends */
    for (uint32_t rows; p >= (rows = cuzk_hex_rows_hd(&a.base, q)); q += a.length) {
        p -= rows;
    }
    p++;
    const uint32_t length = min(hex_row_length(a.base, p) - q, a.length);
    const uint32_t first = w * a.base.keys + cuzk_hex_row_hd(&a.base, p) + q;
    const uint32_t *offset = a.offset + first + w / a.batch; /* each batch has one more */
    const typename G::xyzz *buckets = a.buckets + first;
    clear<G>(run);
    clear<G>(sum);
    for (uint32_t k = a.length; k-- > 0;) {
        if (k < length && offset[k] != offset[k + 1]) {
            add_call<G>(run, &buckets[k]);
        }
        __syncwarp();
        if (k < length && k != 0) {
            add_call<G>(sum, run);
        }
        __syncwarp();
    }
    copy<G>(&a.sums[(uint64_t)(2 * w) * a.stride + i], run);
    copy<G>(&a.sums[(uint64_t)(2 * w + 1) * a.stride + i], sum);
}

template <class G, bool LEAN>
static __global__ void __launch_bounds__(reduce_shape<G, LEAN>::threads, 1)
    hex_pieces_k(const hex_reduce_args<G> a)
{
    extern __shared__ __align__(16) uint4 raw[];
    typename G::xyzz *sum = &((shared_point<G> *)raw)[threadIdx.x].p;
    if constexpr (LEAN) {
        __align__(16) typename G::xyzz run;
        hex_piece<G, LEAN>(a, &run, sum);
    } else if constexpr (!CUZK_LEAN_ONLY) {
        hex_piece<G, LEAN>(
            a, &((shared_point<G> *)raw)[reduce_shape<G, LEAN>::threads + threadIdx.x].p, sum);
    }
}

/* *out = k *p, k > 0; not the same. */
template <class G>
CUZK_DEV void hex_times(typename G::xyzz *out, const typename G::xyzz *p, uint32_t k)
{
    copy<G>(out, p);
    for (unsigned bit = 31u - (unsigned)__clz((int)k); bit-- > 0;) {
        double_call<G>(out);
        if (k >> bit & 1) {
            add_call<G>(out, p);
        }
    }
}

template <class G>
static __global__ void __launch_bounds__(SUM_THREADS) hex_rows_k(const hex_reduce_args<G> a)
{
    const unsigned w = blockIdx.y;
    const uint32_t p = 1 + blockIdx.x * SUM_THREADS + threadIdx.x;
    if (2 * p > a.base.span) {
        return;
    }
    typename G::xyzz *plain = a.sums + (uint64_t)(2 * w) * a.stride;
    typename G::xyzz *weighted = plain + a.stride;
    const uint32_t count = (hex_row_length(a.base, p) + a.length - 1) / a.length;
    uint32_t i = p - 1;
    for (uint32_t j = 0; j + 1 < count; j++) {
        i += cuzk_hex_rows_hd(&a.base, j * a.length);
    }
    __align__(16) typename G::xyzz run, sum, times;
    clear<G>(&run);
    clear<G>(&times);
    copy<G>(&sum, &weighted[i]);
    for (uint32_t j = count; j-- > 0;) { /* run = R so far, times = its pieces by their number */
        add_call<G>(&run, &plain[i]);
        if (j != 0) {
            add_call<G>(&times, &run);
            i -= cuzk_hex_rows_hd(&a.base, (j - 1) * a.length);
            add_call<G>(&sum, &weighted[i]);
        }
    }
    __align__(16) typename G::xyzz product;
    hex_times<G>(&product, &times, a.length);
    add_call<G>(&sum, &product);
    copy<G>(&weighted[a.pieces + p - 1], &sum);
    hex_times<G>(&product, &run, p);
    copy<G>(&plain[a.pieces + p - 1], &product);
}

template <class G, bool LEAN>
static cuzk_status hex_reduce(const cuzk_cuda_msm_memory *m, const cuzk_cuda_msm_shape *s,
                              cuzk_cuda_queue *q, cuzk_err *err)
{
    hex_reduce_args<G> r = {};
    r.offset = m->d_offset;
    r.buckets = (const typename G::xyzz *)m->d_buckets;
    r.sums = (typename G::xyzz *)m->d_chunks;
    r.stride = cuzk_cuda_msm_chunk_stride(s);
    r.length = s->piece;
    r.pieces = cuzk_cuda_msm_hex_pieces(&s->base, s->piece);
    r.batch = s->batch;
    r.base = s->base;
    const uint32_t rows = s->base.span / 2;
    CUZK_TRY(cuzk_cuda_launch(
        q, reduce_shape<G, LEAN>::hex_id, hex_pieces_k<G, LEAN>,
        dim3(blocks_for(r.pieces, reduce_shape<G, LEAN>::threads), s->windows), err, r));
    CUZK_TRY(cuzk_cuda_launch(q, CUZK_KERNEL_HEX_ROWS_G1, hex_rows_k<G>,
                              dim3(blocks_for(rows, SUM_THREADS), s->windows), err, r));
    fold_args<G> f = {};
    f.in = r.sums + r.pieces;
    f.in_stride = r.stride;
    f.length = f.last_length = rows;
    return fold_rows<G>(m, q, f, 2 * s->windows, rows, err);
}

#endif /* CUZK_ACCEL_CUDA_MSM_HEX_REDUCE_CUH */
