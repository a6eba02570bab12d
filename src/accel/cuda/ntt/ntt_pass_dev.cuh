/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_ACCEL_CUDA_NTT_PASS_DEV_CUH
#define CUZK_ACCEL_CUDA_NTT_PASS_DEV_CUH

/*
 * A pass over the data of a transform (accel/cuda/ntt/ntt.cu has the network): up to MAX_BITS neighbouring
 * address bits [lo, lo + bits). A block holds a tile of 2^LG_TILE elements, all 2^bits rows for a
 * few columns, and goes through them in steps of up to LG_ELEMS levels on the elements in the
 * registers of its threads, exchanged through shared memory between the steps. The lean shape, for
 * 100 KiB of shared memory in a multiprocessor, exchanges one half of each element after the other, in
 * half the memory, so that as many blocks work side by side.
 *
 * Values are below 2r + 2^224 on the way to bit-reversed order (gs false), below 2r on the way back.
 */
#include "accel/cuda/field/mont_dev.cuh"
#include "accel/cuda/queue/launch.cuh"

#define LG_TILE       10u
#define LG_ELEMS      3u
#define BLOCKS_PER_SM 4
#define MAX_BITS      9u
#define ELEMS         (1u << LG_ELEMS) /* per thread */
#define THREADS       (1u << (LG_TILE - LG_ELEMS))
#define TILE          (1u << LG_TILE)
#define TILE_PADDED   (TILE + TILE / 8) /* a pad per 8 elements: all access patterns conflict-free */
#define LG_LOW        23u               /* small tables: twiddles that are there as they are */
#define LG_POWERS     14u               /* powers of the shift: 2^14 low and 2^13 high ones */

/** Where a pass takes its elements from, and what it does to them in the end. */
enum pass_in { IN_PLACE, IN_PRODUCT /* d_x d_y */ };
enum pass_out {
    OUT_LAZY,    /* in place, below 2r + 2^224 */
    OUT_REDUCED, /* in place */
    OUT_SCALED,  /* in place, times factor, reduced */
    OUT_MINUS    /* d_out[bitrev(i)] = value * power(bitrev(i)) - d_minus[i], reduced */
};

struct pass_args {
    cuzk_fr *d_a;
    const cuzk_fr *tw;               /* of w or w^-1: T[k], with small tables k < 2^LG_LOW */
    const cuzk_fr *tw_next;          /* middle_k: of the other */
    const cuzk_fr *high, *high_next; /* small tables: T[j * 2^LG_LOW] of both */
    unsigned lg, lo, bits;
    const cuzk_fr *d_x, *d_y;
    const cuzk_fr *pw; /* of powers_k: power(j) = low[j % 2^LG_POWERS] high[j >> LG_POWERS] */
    const cuzk_fr *d_minus;
    cuzk_fr *d_out;
    cuzk_fr factor;
};

/*
 * x + t for t < 1.95r, below 2r + 2^224 if x is: 2r are taken off when the top limb says that there are
 * as many, which is less work than a comparison.
 */
CUZK_DEV void add_roughly(dfr &x, const dfr &t)
{
    x.l[0] = add_cc(x.l[0], t.l[0]);
#pragma unroll
    for (int i = 1; i < 8; i++) {
        x.l[i] = addc_cc(x.l[i], t.l[i]);
    }
    const uint32_t carry = addc(0, 0);
    mont_sub_mod2_if(x, carry | (x.l[7] > mont_mod2<fr_field>(7) ? 1 : 0));
}

/* x, y = x + w y, x - w y, or with gs x + y, (x - y) w; unit: w = 1. */
template <bool gs, bool unit> CUZK_DEV void butterfly(dfr &x, dfr &y, const dfr &w)
{
    dfr t;
    if (gs) {
        mont_sub(t, x, y);
        mont_add(x, x, y);
        if (unit) {
            y = t;
        } else {
            mont_mul(y, w, t);
        }
    } else if (unit) {
        t = y;
        mont_sub(y, x, t);
        mont_add(x, x, t);
    } else {
        mont_mul(t, w, y);
        mont_sub(y, x, t);
        add_roughly(x, t);
    }
}

/** Where a pass takes its twiddles from. high is read with small tables alone. */
struct twiddles {
    const cuzk_fr *low, *high;
};

/* T[k], reduced; with small tables T[k] = T[k mod 2^LG_LOW] T[k - k mod 2^LG_LOW], since T[k] has w to the sum
 * of what the bits of k stand for. */
template <bool is_small> CUZK_DEV void twiddle(dfr &w, const twiddles &t, uint32_t k)
{
    if (is_small) {
        dfr h;
        mont_load_ro(w, &t.low[k & ((1u << LG_LOW) - 1)]);
        mont_load_ro(h, &t.high[k >> LG_LOW]);
        mont_mul(w, h, w);
        mont_canon(w);
    } else {
        mont_load_ro(w, &t.low[k]);
    }
}

/* Level of register bit B of a thread's elements; k: index of the block of all of them; top: it is 0. */
template <bool gs, unsigned B, bool top, bool is_small>
CUZK_DEV void level(dfr (&v)[ELEMS], const twiddles &t, uint32_t k)
{
#pragma unroll
    for (uint32_t g = 0; g < ELEMS / 2 >> B; g++) { /* blocks that share a twiddle */
        const bool unit = top && g == 0;
        dfr w;
        if (!unit) {
            twiddle<is_small>(w, t, (top ? 0 : k << (LG_ELEMS - 1 - B)) + g);
        }
#pragma unroll
        for (uint32_t i = 0; i < 1u << B; i++) {
            dfr &x = v[(2 * g << B) + i], &y = v[((2 * g + 1) << B) + i];
            if (unit) {
                butterfly<gs, true>(x, y, w);
            } else {
                butterfly<gs, false>(x, y, w);
            }
        }
    }
}

/* The lowest `count` levels of a thread's elements, 1 to LG_ELEMS; all of them with top. */
template <bool gs, bool top, bool is_small>
CUZK_DEV void levels(dfr (&v)[ELEMS], const twiddles &t, uint32_t k, unsigned count)
{
    if (gs) {
        level<gs, 0, top, is_small>(v, t, k);
        if (top || count > 1) {
            level<gs, 1, top, is_small>(v, t, k);
        }
        if (top || count > 2) {
            level<gs, 2, top, is_small>(v, t, k);
        }
    } else {
        if (top || count > 2) {
            level<gs, 2, top, is_small>(v, t, k);
        }
        if (top || count > 1) {
            level<gs, 1, top, is_small>(v, t, k);
        }
        level<gs, 0, top, is_small>(v, t, k);
    }
}

/* Levels of address bits from `bit` on: level bit + b has twiddles below 2^(lg - 1 - bit - b). */
template <bool gs, bool is_small>
CUZK_DEV void some_levels(dfr (&v)[ELEMS], const twiddles &t, uint32_t k, unsigned count,
                          unsigned lg, unsigned bit)
{
    if (is_small && lg - 1 - bit > LG_LOW) {
        levels<gs, false, true>(v, t, k, count);
    } else {
        levels<gs, false, false>(v, t, k, count);
    }
}

CUZK_DEV void tile_put(uint4 *sh, uint32_t u, const dfr &a)
{
    const uint32_t at = u + (u >> 3);
    sh[at] = make_uint4(a.l[0], a.l[1], a.l[2], a.l[3]);
    sh[at + TILE_PADDED] = make_uint4(a.l[4], a.l[5], a.l[6], a.l[7]);
}

CUZK_DEV void tile_get(dfr &a, const uint4 *sh, uint32_t u)
{
    const uint32_t at = u + (u >> 3);
    const uint4 x = sh[at], y = sh[at + TILE_PADDED];
    a.l[0] = x.x;
    a.l[1] = x.y;
    a.l[2] = x.z;
    a.l[3] = x.w;
    a.l[4] = y.x;
    a.l[5] = y.y;
    a.l[6] = y.z;
    a.l[7] = y.w;
}

/* Half h of an element. */
CUZK_DEV void tile_put_half(uint4 *sh, uint32_t u, const dfr &a, unsigned h)
{
    sh[u + (u >> 3)] = make_uint4(a.l[4 * h], a.l[4 * h + 1], a.l[4 * h + 2], a.l[4 * h + 3]);
}

CUZK_DEV void tile_get_half(dfr &a, const uint4 *sh, uint32_t u, unsigned h)
{
    const uint4 x = sh[u + (u >> 3)];
    a.l[4 * h] = x.x;
    a.l[4 * h + 1] = x.y;
    a.l[4 * h + 2] = x.z;
    a.l[4 * h + 3] = x.w;
}

/*
 * A thread's elements, at u, u + 2^q, ... of the tile, for those at next.u, next.u + 2^next.q, ... A
 * thread overwrites what only it has read: wide, one barrier per exchange is enough.
 */
template <bool LEAN>
CUZK_DEV void exchange(dfr (&v)[ELEMS], uint4 *sh, uint32_t u, unsigned q, uint32_t next_u,
                       unsigned next_q)
{
    if constexpr (LEAN) {
#pragma unroll
        for (unsigned h = 0; h < 2; h++) {
#pragma unroll
            for (uint32_t e = 0; e < ELEMS; e++) {
                tile_put_half(sh, u + (e << q), v[e], h);
            }
            __syncthreads();
#pragma unroll
            for (uint32_t e = 0; e < ELEMS; e++) {
                tile_get_half(v[e], sh, next_u + (e << next_q), h);
            }
            if (h == 0) {
                __syncthreads();
            }
        }
    } else {
#pragma unroll
        for (uint32_t e = 0; e < ELEMS; e++) {
            tile_put(sh, u + (e << q), v[e]);
        }
        __syncthreads();
#pragma unroll
        for (uint32_t e = 0; e < ELEMS; e++) {
            tile_get(v[e], sh, next_u + (e << next_q));
        }
    }
}

CUZK_DEV uint32_t reversed(uint32_t i, unsigned lg)
{
    return lg > 0 ? __brev(i) >> (32 - lg) : 0;
}

/* x *= power(j). */
CUZK_DEV void times_power(dfr &x, const cuzk_fr *pw, uint32_t j)
{
    dfr f;
    mont_load_ro(f, &pw[(1u << LG_POWERS) + (j >> LG_POWERS)]);
    mont_mul(x, f, x);
    mont_load_ro(f, &pw[j & ((1u << LG_POWERS) - 1)]);
    mont_mul(x, f, x);
}

template <pass_in in> CUZK_DEV void take(dfr &x, const pass_args &p, uint32_t at)
{
    if (in == IN_PRODUCT) {
        dfr y;
        mont_load(x, &p.d_x[at]);
        mont_load(y, &p.d_y[at]);
        mont_mul(x, x, y);
    } else {
        mont_load(x, &p.d_a[at]);
    }
}

template <pass_out out> CUZK_DEV void give(dfr &x, const pass_args &p, uint32_t at)
{
    if (out == OUT_MINUS) {
        dfr y;
        const uint32_t j = reversed(at, p.lg);
        times_power(x, p.pw, j);
        mont_load(y, &p.d_minus[at]);
        mont_sub(x, x, y);
        mont_canon(x);
        mont_store(&p.d_out[j], x);
        return;
    }
    if (out == OUT_SCALED) {
        dfr f;
        mont_load(f, &p.factor);
        mont_mul(x, f, x);
    }
    if (out == OUT_REDUCED) { /* from 2r + 2^224 */
        mont_canon(x);
    }
    if (out != OUT_LAZY) {
        mont_canon(x);
    }
    mont_store(&p.d_a[at], x);
}

/*
 * Tile index u: [other blocks | row | column]; the low cl bits are the lowest address bits, the
 * rest start at address bit lo. The block index gives the address bits in between and on top.
 * far (lo = 0): the other blocks of the tile are told apart by the top address bits instead, so that
 * what goes to bit-reversed places goes to neighbours.
 */
struct tile_map {
    uint32_t base;
    unsigned lo, cl, bits, far;
};

template <bool far> CUZK_DEV tile_map map_tile(const pass_args &p)
{
    const unsigned spare = LG_TILE - p.bits;
    tile_map m;
    m.lo = p.lo;
    m.bits = p.bits;
    m.cl = p.lo < spare ? p.lo : spare;
    m.far = p.lg - spare;
    const uint32_t mid = p.lo - m.cl;
    m.base = far ? blockIdx.x << p.bits
                 : (blockIdx.x & ((1u << mid) - 1)) << m.cl | (blockIdx.x >> mid)
                                                                  << (p.lo + LG_TILE - m.cl);
    return m;
}

template <bool far> CUZK_DEV uint32_t address_of(const tile_map &m, uint32_t u)
{
    if (far) {
        return m.base | (u & ((1u << m.bits) - 1)) | (u >> m.bits) << m.far;
    }
    return m.base | (u & ((1u << m.cl) - 1)) | (u >> m.cl) << m.lo;
}

/* Step s of a pass counts from the top row bit; its levels are row bits [row, row + count). */
struct pass_step {
    unsigned row, count, q; /* q: tile index bit of row */
    uint32_t u;             /* tile index of the thread's first element; the next is 2^q on */
};

CUZK_DEV pass_step step_at(const tile_map &m, unsigned s)
{
    pass_step t;
    const unsigned top = m.bits - LG_ELEMS * s;
    t.count = top < LG_ELEMS ? top : LG_ELEMS;
    t.row = top < LG_ELEMS ? 0 : top - LG_ELEMS;
    t.q = m.cl + t.row;
    t.u = (threadIdx.x >> t.q) << (t.q + LG_ELEMS) | (threadIdx.x & ((1u << t.q) - 1));
    return t;
}

/* top: the pass has the top bits, so the first three levels (with gs the last) have w = 1 to leave out.
 * is_small: its lowest step may need twiddles that small tables do not have as they are. */
template <bool LEAN, bool gs, bool top, pass_in in, pass_out out, bool is_small>
CUZK_DEV void pass_tile(const pass_args &p, uint4 *sh)
{
    const bool far = out == OUT_MINUS;
    const twiddles tw = {p.tw, p.high};
    const tile_map m = map_tile<far>(p);
    const unsigned steps = (p.bits + LG_ELEMS - 1) / LG_ELEMS;
    dfr v[ELEMS];
    pass_step t = step_at(m, gs ? steps - 1 : 0);
#pragma unroll 1
    for (unsigned i = 0; i < steps; i++) {
        const uint32_t at = address_of<far>(m, t.u), stride = p.lo + t.row;
        if (i == 0) {
#pragma unroll
            for (uint32_t e = 0; e < ELEMS; e++) {
                take<in>(v[e], p, at + (e << stride));
            }
        }
        if (top && (gs ? i == steps - 1 : i == 0)) {
            levels<gs, true, false>(v, tw, 0, LG_ELEMS);
        } else {
            some_levels<gs, is_small>(v, tw, at >> (stride + LG_ELEMS), t.count, p.lg, stride);
        }
        if (i == steps - 1) {
#pragma unroll
            for (uint32_t e = 0; e < ELEMS; e++) {
                give<out>(v[e], p, at + (e << stride));
            }
        } else {
            const pass_step next = step_at(m, gs ? steps - 2 - i : i + 1);
            exchange<LEAN>(v, sh, t.u, t.q, next.u, next.q);
            t = next;
        }
    }
}

template <bool LEAN, bool gs, bool top, pass_in in, pass_out out, bool is_small>
static __global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM) pass_k(const pass_args p)
{
    extern __shared__ uint4 sh[];
    if constexpr (LEAN || !CUZK_LEAN_ONLY) {
        pass_tile<LEAN, gs, top, in, out, is_small>(p, sh);
    }
}

/*
 * The last pass from natural to bit-reversed order, times power(index), and the first pass back with
 * the other twiddles: both on the lowest address bits, so a tile does them in one go.
 */
template <bool LEAN, bool is_small> CUZK_DEV void middle_tile(const pass_args &p, uint4 *sh)
{
    const twiddles tw = {p.tw, p.high}, next = {p.tw_next, p.high_next};
    const tile_map m = map_tile<false>(p);
    const unsigned steps = (p.bits + LG_ELEMS - 1) / LG_ELEMS;
    dfr v[ELEMS];
    pass_step t = step_at(m, 0);
#pragma unroll 1
    for (unsigned i = 0; i < 2 * steps; i++) {
        const uint32_t at = address_of<false>(m, t.u), k = at >> (t.row + LG_ELEMS);
        if (i == 0) {
#pragma unroll
            for (uint32_t e = 0; e < ELEMS; e++) {
                mont_load(v[e], &p.d_a[at + (e << t.row)]);
            }
        } else if (i == steps) { /* the same elements as in the step before */
#pragma unroll
            for (uint32_t e = 0; e < ELEMS; e++) {
                times_power(v[e], p.pw, reversed(at + (e << t.row), p.lg));
            }
        }
        if (i < steps) {
            some_levels<false, is_small>(v, tw, k, t.count, p.lg, t.row);
        } else {
            some_levels<true, is_small>(v, next, k, t.count, p.lg, t.row);
        }
        if (i == 2 * steps - 1) {
#pragma unroll
            for (uint32_t e = 0; e < ELEMS; e++) {
                mont_store(&p.d_a[at + (e << t.row)], v[e]);
            }
        } else if (i != steps - 1) {
            const pass_step next = step_at(m, i + 1 < steps ? i + 1 : 2 * steps - 2 - i);
            exchange<LEAN>(v, sh, t.u, t.q, next.u, next.q);
            t = next;
        }
    }
}

template <bool LEAN, bool is_small>
static __global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM) middle_k(const pass_args p)
{
    extern __shared__ uint4 sh[];
    if constexpr (LEAN || !CUZK_LEAN_ONLY) {
        middle_tile<LEAN, is_small>(p, sh);
    }
}

#endif /* CUZK_ACCEL_CUDA_NTT_PASS_DEV_CUH */
