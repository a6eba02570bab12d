/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Exponents of a setup: Lagrange values, sums of columns, and what sections are made of. */
#include "accel/cuda/queue/launch.cuh"
#include "accel/cuda/r1cs/row_dev.cuh"

#include "setup_internal.h"

#define THREADS        ((unsigned)CUZK_THREADS_PART_COLUMNS)
/* Terms from which a column is summed by all threads of a block. */
#define LONG_COLUMN    512u
/* Lagrange values per thread and inversion. */
#define LAGRANGE_BATCH 32u

CUZK_DEV void load_fr(dfr &out, const cuzk_fr &v)
{
#pragma unroll
    for (int i = 0; i < 8; i++) {
        out.l[i] = (uint32_t)(v.l[i / 2] >> (32 * (i % 2)));
    }
}

CUZK_DEV void load_scalar(dfr &out, const cuzk_scalar &v)
{
#pragma unroll
    for (int i = 0; i < 8; i++) {
        out.l[i] = (uint32_t)(v.l[i / 2] >> (32 * (i % 2)));
    }
}

/* out = a b, reduced; a reduced. */
CUZK_DEV void mul_canon(dfr &out, const dfr &a, const dfr &b)
{
    mont_mul(out, a, b);
    mont_canon(out);
}

/* out = a^(r - 2); a reduced. */
static __device__ __noinline__ dfr fr_inv_call(dfr a)
{
    constexpr uint64_t r[4] = CUZK_FR_MOD_LIMBS; /* r - 2 differs in limb 0 alone, which is odd */
    dfr x = a;
#pragma unroll 1
    for (int i = 253; i >= 0; i--) { /* bit 254 is the top one */
        const uint64_t limb = i >= 192 ? r[3] : i >= 128 ? r[2] : i >= 64 ? r[1] : r[0] - 2;
        mul_canon(x, x, x);
        if ((limb >> (i % 64) & 1) != 0) {
            mul_canon(x, x, a);
        }
    }
    return x;
}

/* base^e; base reduced. */
CUZK_DEV void pow_u64(dfr &out, dfr base, uint64_t e)
{
    mont_one(out);
    for (; e != 0; e >>= 1) {
        if ((e & 1) != 0) {
            mul_canon(out, out, base);
        }
        mul_canon(base, base, base);
    }
}

/*
 * L_k(tau) = scale w^k / (tau - w^k). A thread does values t, t + T, t + 2T, ... of T threads; the
 * products of its denominators so far wait in out.
 */
__global__ void __launch_bounds__(THREADS)
    lagrange_values(cuzk_fr *out, uint64_t n, cuzk_fr root, cuzk_fr step, cuzk_fr step_inv,
                    cuzk_fr tau, cuzk_fr scale)
{
    const uint64_t stride = (uint64_t)gridDim.x * THREADS;
    const uint64_t first = (uint64_t)blockIdx.x * THREADS + threadIdx.x;
    if (first >= n) {
        return;
    }
    dfr w, x, product, d, s;
    load_fr(w, root);
    pow_u64(w, w, first);
    load_fr(x, tau);
    load_fr(s, step);
    mont_one(product);
    uint64_t k = first;
    for (; k < n; k += stride) {
        mont_store(&out[k], product);
        mont_sub(d, x, w);
        mont_canon(d);
        mul_canon(product, product, d);
        mul_canon(w, s, w);
    }
    dfr inv = fr_inv_call(product);
    load_fr(s, step_inv);
    dfr c;
    load_fr(c, scale);
    while (k > first) {
        k -= stride;
        mul_canon(w, s, w);
        mont_load(d, &out[k]);
        mul_canon(d, inv, d); /* 1 / (tau - w^k) */
        mul_canon(d, d, w);
        mul_canon(d, d, c);
        mont_store(&out[k], d);
        mont_sub(d, x, w);
        mont_canon(d);
        mul_canon(inv, inv, d);
    }
}

CUZK_DEV void add_terms(row_sum &s, const cuzk_cuda_column_term *terms, uint32_t begin,
                        uint32_t end, uint32_t step, const cuzk_fr *weights, const cuzk_fr *coeffs)
{
    for (uint32_t i = begin; i < end; i += step) {
        const uint2 t = __ldg((const uint2 *)&terms[i]);
        dfr v;
        mont_load_ro(v, &weights[t.x]);
        if (t.y == CUZK_COEF_MINUS_ONE) {
            mont_neg_canon(v);
        } else if (t.y != 0) {
            dfr c;
            mont_load_ro(c, &coeffs[t.y]);
            mont_mul(v, c, v);
        }
        row_sum_add(s, v);
    }
}

CUZK_DEV void add_sum(row_sum &s, const uint32_t (&o)[9])
{
    s.l[0] = add_cc(s.l[0], o[0]);
#pragma unroll
    for (int i = 1; i < 8; i++) {
        s.l[i] = addc_cc(s.l[i], o[i]);
    }
    s.l[8] = addc(s.l[8], o[8]);
}

/* Shared memory of column_sum. */
struct column_share {
    uint32_t n_long;
    uint32_t owner[THREADS], begin[THREADS], end[THREADS];
    const cuzk_fr *weights[THREADS];
    const cuzk_cuda_column_term *terms[THREADS];
    uint32_t partial[THREADS / 32][9];
    uint32_t total[THREADS][9];
};

/*
 * The sum of a column for every thread of the block: short ones by their thread, long ones by all
 * threads one after the other. All threads call it; an empty range is fine.
 */
CUZK_DEV void column_sum(dfr &out, column_share &sh, const cuzk_cuda_column_term *terms,
                         uint32_t begin, uint32_t end, const cuzk_fr *weights,
                         const cuzk_fr *coeffs)
{
    const uint32_t t = threadIdx.x;
    const bool is_long = end - begin > LONG_COLUMN;
    row_sum s;
    row_sum_init(s);
    __syncthreads();
    if (t == 0) {
        sh.n_long = 0;
    }
    __syncthreads();
    if (is_long) {
        const uint32_t k = atomicAdd(&sh.n_long, 1u);
        sh.owner[k] = t;
        sh.begin[k] = begin;
        sh.end[k] = end;
        sh.weights[k] = weights;
        sh.terms[k] = terms;
    } else {
        add_terms(s, terms, begin, end, 1, weights, coeffs);
    }
    __syncthreads();
    const uint32_t n_long = sh.n_long;
    for (uint32_t k = 0; k < n_long; k++) {
        row_sum p;
        row_sum_init(p);
        add_terms(p, sh.terms[k], sh.begin[k] + t, sh.end[k], THREADS, sh.weights[k], coeffs);
#pragma unroll
        for (int d = 16; d > 0; d /= 2) {
            uint32_t o[9];
#pragma unroll
            for (int i = 0; i < 9; i++) {
                o[i] = __shfl_xor_sync(0xffffffffu, p.l[i], d);
            }
            add_sum(p, o);
        }
        if (t % 32 == 0) {
#pragma unroll
            for (int i = 0; i < 9; i++) {
                sh.partial[t / 32][i] = p.l[i];
            }
        }
        __syncthreads();
        if (t == 0) {
            for (uint32_t j = 1; j < THREADS / 32; j++) {
                add_sum(p, sh.partial[j]);
            }
#pragma unroll
            for (int i = 0; i < 9; i++) {
                sh.total[sh.owner[k]][i] = p.l[i];
            }
        }
        __syncthreads();
    }
    if (is_long) {
        add_sum(s, sh.total[t]);
    }
    row_reduce(out, s.l);
}

/* Columns [0, n) of copies of a part, out[copy][n]. */
__global__ void __launch_bounds__(THREADS)
    part_columns(cuzk_cuda_columns x, uint32_t part, uint32_t m, uint32_t n, uint32_t per_copy,
                 cuzk_fr *out)
{
    __shared__ column_share sh;
    const uint32_t copy = blockIdx.x / per_copy;
    const uint32_t i = (blockIdx.x % per_copy) * THREADS + threadIdx.x;
    const cuzk_cuda_columns_part &p = x.part[part];
    const uint64_t row = part == 0 ? 0 : x.part[0].n_rows + (uint64_t)copy * p.n_rows;
    uint32_t begin = 0, end = 0;
    if (i < n) {
        begin = __ldg(&p.start[m][i]);
        end = __ldg(&p.start[m][i + 1]);
    }
    dfr v;
    column_sum(v, sh, p.terms[m], begin, end, x.lagrange + row, x.coeffs);
    if (i < n) {
        mont_store(&out[(uint64_t)copy * n + i], v);
    }
}

/* What blocks add to the preamble's columns. */
__global__ void __launch_bounds__(THREADS) add_hubs(cuzk_cuda_columns x, uint32_t m)
{
    const uint32_t i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= x.n_targets) {
        return;
    }
    cuzk_fr *at = &x.preamble[m][x.hub_target[i]];
    dfr sum, v;
    mont_load(sum, at);
    for (uint32_t k = x.hub_start[i]; k < x.hub_start[i + 1]; k++) {
        mont_load(v, &x.hubs[m][x.hub_source[k]]);
        mont_add(sum, sum, v);
    }
    mont_canon(sum);
    mont_store(at, sum);
}

/* Where a wire (inputs, then aux) is: a column of the preamble or of a block. */
struct wire_place {
    uint32_t part, block, column;
};

CUZK_DEV wire_place wire_place_of(const cuzk_cuda_columns &x, uint64_t wire)
{
    const bool is_input = wire < x.n_inputs;
    const uint32_t i = (uint32_t)(is_input ? wire : wire - x.n_inputs);
    const uint32_t n0 = is_input ? 1 + x.part[0].n_inputs : x.part[0].n_aux;
    const uint32_t n1 = is_input ? x.part[1].n_inputs : x.part[1].n_aux;
    wire_place p = {0, 0, 0};
    if (i < n0) {
        p.column = !is_input ? x.part[0].first_aux + i : i == 0 ? 0 : x.part[0].first_input + i - 1;
    } else {
        p.part = 1;
        p.block = (i - n0) / n1;
        p.column = (is_input ? x.part[1].first_input : x.part[1].first_aux) + (i - n0) % n1;
    }
    return p;
}

__global__ void __launch_bounds__(THREADS)
    wire_values(cuzk_cuda_columns x, uint32_t m, uint64_t first, uint32_t n, cuzk_fr *out)
{
    __shared__ column_share sh;
    const uint32_t i = blockIdx.x * THREADS + threadIdx.x;
    const uint64_t wire = first + i;
    wire_place p = {0, 0, 0};
    uint32_t begin = 0, end = 0;
    uint64_t row = 0;
    if (i < n) {
        p = wire_place_of(x, wire);
        if (p.part == 1) {
            begin = __ldg(&x.part[1].start[m][p.column]);
            end = __ldg(&x.part[1].start[m][p.column + 1]);
            row = x.part[0].n_rows + (uint64_t)p.block * x.part[1].n_rows;
        }
    }
    dfr v, t;
    column_sum(v, sh, x.part[1].terms[m], begin, end, x.lagrange + row, x.coeffs);
    if (i >= n) {
        return;
    }
    if (p.part == 0) {
        mont_load_ro(v, &x.preamble[m][p.column]);
    }
    if (m == CUZK_MATRIX_A && wire < x.n_inputs) { /* the prover's row I_i * 0 = 0 */
        mont_load_ro(t, &x.lagrange[x.n_rows + wire]);
        mont_add(v, v, t);
        mont_canon(v);
    }
    mont_store(&out[i], v);
}

/* beta a + alpha b + c, reduced. */
CUZK_DEV void ext_value(dfr &out, const cuzk_fr *a, const cuzk_fr *b, const cuzk_fr *c,
                        const cuzk_cuda_setup_factors &f)
{
    dfr t, u, k;
    mont_load(t, a);
    load_fr(k, f.beta);
    mont_mul(t, k, t);
    mont_load(u, b);
    load_fr(k, f.alpha);
    mont_mul(u, k, u);
    mont_add(t, t, u);
    mont_load(u, c);
    mont_add(t, t, u);
    mont_canon(t);
    out = t;
}

__global__ void __launch_bounds__(THREADS)
    ext_scalars(const cuzk_fr *a, const cuzk_fr *b, const cuzk_fr *c, uint32_t n,
                cuzk_cuda_setup_factors f, cuzk_scalar *out)
{
    const uint32_t i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= n) {
        return;
    }
    dfr v, k;
    ext_value(v, &a[i], &b[i], &c[i], f);
    load_scalar(k, f.scale);
    mul_canon(v, v, k);
    mont_store((cuzk_fr *)&out[i], v);
}

/* Whether A (m 0) or B (m 1) has the wire, and how many wires before it does. */
CUZK_DEV bool wire_is_dense(const cuzk_cuda_columns &x, uint32_t m, uint64_t wire, uint64_t *rank)
{
    if (wire < x.n_inputs) {
        if (m == CUZK_MATRIX_A) {
            *rank = wire;
            return true;
        }
        uint32_t before = 0;
        for (uint64_t w = 0; w < wire / 64; w++) {
            before += (uint32_t)__popcll(x.input_dense[w]);
        }
        const unsigned long long word = x.input_dense[wire / 64];
        *rank = before + (uint32_t)__popcll(word & ((1ULL << (wire % 64)) - 1));
        return (word >> (wire % 64) & 1) != 0;
    }
    const wire_place p = wire_place_of(x, wire);
    const uint32_t i = p.column - (p.part == 0 ? x.part[0].first_aux : x.part[1].first_aux);
    const uint64_t *map = p.part == 0 ? x.part[0].dense[m] : x.part[1].dense[m];
    const uint32_t *before = p.part == 0 ? x.part[0].before[m] : x.part[1].before[m];
    const unsigned long long word = map[i / 64];
    *rank = (m == CUZK_MATRIX_A ? x.n_inputs : x.n_input_dense) + (uint64_t)before[i / 64] +
            (uint32_t)__popcll(word & ((1ULL << (i % 64)) - 1));
    if (p.part == 1) {
        *rank += x.part[0].n_dense[m] + (uint64_t)p.block * x.part[1].n_dense[m];
    }
    return (word >> (i % 64) & 1) != 0;
}

__global__ void __launch_bounds__(THREADS)
    dense_scalars(cuzk_cuda_columns x, uint32_t m, uint64_t first, uint32_t n, uint64_t rank_first,
                  const cuzk_fr *values, cuzk_scalar *out)
{
    const uint32_t i = blockIdx.x * THREADS + threadIdx.x;
    uint64_t rank = 0;
    if (i >= n || !wire_is_dense(x, m, first + i, &rank)) {
        return;
    }
    dfr v, one;
    mont_load(v, &values[i]);
    mont_zero(one);
    one.l[0] = 1;
    mul_canon(v, v, one);
    mont_store((cuzk_fr *)&out[rank - rank_first], v);
}

__global__ void __launch_bounds__(THREADS)
    verify_values(cuzk_cuda_columns x, uint64_t first, uint32_t n, const cuzk_fr *a,
                  const cuzk_fr *b, const cuzk_fr *c, cuzk_cuda_setup_factors f,
                  unsigned long long *report)
{
    const uint32_t i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= n) {
        return;
    }
    const uint64_t wire = first + i;
    dfr v[3], e;
    uint64_t rank;
    mont_load(v[0], &a[i]);
    mont_load(v[1], &b[i]);
    mont_load(v[2], &c[i]);
    for (uint32_t m = 0; m < 2; m++) {
        if (mont_is_null(m == 0 ? v[0] : v[1]) && wire_is_dense(x, m, wire, &rank)) {
            atomicMin(&report[0], (unsigned long long)wire);
        }
    }
    ext_value(e, &a[i], &b[i], &c[i], f);
    if (mont_is_null(e)) {
        const bool unused = mont_is_null(v[0]) && mont_is_null(v[1]) && mont_is_null(v[2]);
        atomicMin(&report[1], (unsigned long long)(2 * wire + unused));
    }
}

__global__ void __launch_bounds__(THREADS)
    power_scalars(const cuzk_fr *powers, uint64_t first, uint32_t n, cuzk_scalar scale,
                  cuzk_scalar *out)
{
    const uint32_t i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= n) {
        return;
    }
    dfr v, p;
    load_scalar(v, scale);
    uint32_t k = 0;
    for (uint64_t e = first + i; e != 0; e >>= 1, k++) {
        if ((e & 1) != 0) {
            mont_load_ro(p, &powers[k]);
            mul_canon(v, v, p);
        }
    }
    mont_store((cuzk_fr *)&out[i], v);
}

static unsigned blocks_for(uint64_t n)
{
    return (unsigned)((n + THREADS - 1) / THREADS);
}

cuzk_status cuzk_cuda_setup_lagrange(cuzk_cuda_queue *q, cuzk_fr *d_out, uint64_t n,
                                     const cuzk_fr *root, const cuzk_fr *step,
                                     const cuzk_fr *step_inv, const cuzk_fr *tau,
                                     const cuzk_fr *scale, cuzk_err *err)
{
    CUZK_TRY(CUZK_CUDA(cudaSetDevice(q->device), err));
    return cuzk_cuda_launch(q, CUZK_KERNEL_LAGRANGE_VALUES, lagrange_values,
                            cuzk_cuda_setup_lagrange_stride(n) / THREADS, err, d_out, n, *root,
                            *step, *step_inv, *tau, *scale);
}

uint32_t cuzk_cuda_setup_lagrange_stride(uint64_t n)
{
    return blocks_for((n + LAGRANGE_BATCH - 1) / LAGRANGE_BATCH) * THREADS;
}

static cuzk_status launch_columns(const cuzk_cuda_columns *x, cuzk_cuda_queue *q, uint32_t part,
                                  uint32_t m, uint32_t copies, uint32_t n, cuzk_fr *d_out,
                                  cuzk_err *err)
{
    const uint64_t per_copy = (n + (uint64_t)THREADS - 1) / THREADS;
    if (copies == 0 || n == 0) {
        return CUZK_OK;
    }
    if (per_copy > 0x7fffffffu / copies) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "a circuit too large for one launch");
    }
    return cuzk_cuda_launch(q, CUZK_KERNEL_PART_COLUMNS, part_columns,
                            (unsigned)(per_copy * copies), err, *x, part, m, n, (uint32_t)per_copy,
                            d_out);
}

cuzk_status cuzk_cuda_columns_preamble(const cuzk_cuda_columns *x, cuzk_cuda_queue *q,
                                       cuzk_err *err)
{
    CUZK_TRY(CUZK_CUDA(cudaSetDevice(q->device), err));
    for (uint32_t m = 0; m < 3; m++) {
        CUZK_TRY(launch_columns(x, q, 0, m, 1, x->part[0].n_columns, x->preamble[m], err));
        CUZK_TRY(launch_columns(x, q, 1, m, x->n_blocks, x->part[1].first_input, x->hubs[m], err));
        if (x->n_targets > 0) {
            CUZK_TRY(cuzk_cuda_launch(q, CUZK_KERNEL_ADD_HUBS, add_hubs, blocks_for(x->n_targets),
                                      err, *x, m));
        }
    }
    return CUZK_OK;
}

cuzk_status cuzk_cuda_columns_values(const cuzk_cuda_columns *x, cuzk_cuda_queue *q, unsigned m,
                                     uint64_t first, uint32_t n, cuzk_fr *d_out, cuzk_err *err)
{
    CUZK_TRY(CUZK_CUDA(cudaSetDevice(q->device), err));
    if (n == 0) {
        return CUZK_OK;
    }
    return cuzk_cuda_launch(q, CUZK_KERNEL_WIRE_VALUES, wire_values, blocks_for(n), err, *x, m,
                            first, n, d_out);
}

cuzk_status cuzk_cuda_setup_ext(cuzk_cuda_queue *q, const cuzk_fr *const d_v[3], uint32_t n,
                                const cuzk_cuda_setup_factors *f, cuzk_scalar *d_out, cuzk_err *err)
{
    CUZK_TRY(CUZK_CUDA(cudaSetDevice(q->device), err));
    if (n == 0) {
        return CUZK_OK;
    }
    return cuzk_cuda_launch(q, CUZK_KERNEL_EXT_SCALARS, ext_scalars, blocks_for(n), err, d_v[0],
                            d_v[1], d_v[2], n, *f, d_out);
}

cuzk_status cuzk_cuda_setup_dense(const cuzk_cuda_columns *x, cuzk_cuda_queue *q, unsigned m,
                                  uint64_t first, uint32_t n, uint64_t rank_first,
                                  const cuzk_fr *d_v, cuzk_scalar *d_out, cuzk_err *err)
{
    CUZK_TRY(CUZK_CUDA(cudaSetDevice(q->device), err));
    if (n == 0) {
        return CUZK_OK;
    }
    return cuzk_cuda_launch(q, CUZK_KERNEL_DENSE_SCALARS, dense_scalars, blocks_for(n), err, *x, m,
                            first, n, rank_first, d_v, d_out);
}

cuzk_status cuzk_cuda_setup_powers(cuzk_cuda_queue *q, const cuzk_fr *d_powers, uint64_t first,
                                   uint32_t n, const cuzk_scalar *scale, cuzk_scalar *d_out,
                                   cuzk_err *err)
{
    CUZK_TRY(CUZK_CUDA(cudaSetDevice(q->device), err));
    if (n == 0) {
        return CUZK_OK;
    }
    return cuzk_cuda_launch(q, CUZK_KERNEL_POWER_SCALARS, power_scalars, blocks_for(n), err,
                            d_powers, first, n, *scale, d_out);
}

cuzk_status cuzk_cuda_setup_verify(const cuzk_cuda_columns *x, cuzk_cuda_queue *q, uint64_t first,
                                   uint32_t n, const cuzk_fr *const d_v[3],
                                   const cuzk_cuda_setup_factors *f, uint64_t *d_report,
                                   cuzk_err *err)
{
    CUZK_TRY(CUZK_CUDA(cudaSetDevice(q->device), err));
    if (n == 0) {
        return CUZK_OK;
    }
    return cuzk_cuda_launch(q, CUZK_KERNEL_VERIFY_VALUES, verify_values, blocks_for(n), err, *x,
                            first, n, d_v[0], d_v[1], d_v[2], *f, (unsigned long long *)d_report);
}
