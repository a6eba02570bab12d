/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The transform is a network of lg_n levels over address bits: the level of bit p joins the
 * elements whose addresses differ in bit p, with the twiddle T[address >> (p + 1)], T[k] =
 * w^bitrev(k) over lg_n - 1 bits. From the top bit down with x + Ty, x - Ty it takes natural order
 * to bit-reversed order; from bit 0 up with x + y, (x - y)T it takes bit-reversed order to
 * natural order. Both work for w (forward) and for w^-1 (inverse, without 1/n).
 *
 * A pass does up to 9 neighbouring bits [lo, lo + b): a block holds a tile of 2^11 elements, all
 * 2^b rows for a few columns, and goes through them in steps of up to 3 levels with 8 elements in
 * the registers of each of 256 threads, exchanged through shared memory between the steps.
 * 2^27 takes three passes. Values are lazy (< 2r) between passes.
 */
#include "base/alloc.h"

#include "cuda_queue_internal.h"
#include "ntt_cuda.h"

#include "mont_dev.cuh"

#define LG_TILE     11u
#define LG_SMALL    10u /* domains up to this size are one block */
#define MAX_BITS    9u
#define THREADS     256u
#define TILE        (1u << LG_TILE)
#define TILE_PADDED (TILE + TILE / 8) /* a pad per 8 elements: all access patterns conflict-free */
#define TILE_BYTES  (2 * TILE_PADDED * (unsigned)sizeof(uint4))
#define LG_POWERS   14u /* powers of the shift: 2^14 low and 2^13 high ones */

struct cuzk_cuda_ntt {
    int device;
    unsigned lg;
    cuzk_fr n_inv;
    cuzk_fr *d_tw[2]; /* [2^(lg-1)]: T of w, of w^-1 */
};

struct pass_args {
    cuzk_fr *a;
    const cuzk_fr *tw;
    unsigned lo, bits;
    bool last;   /* outputs reduced */
    bool scaled; /* ... and multiplied by factor */
    cuzk_fr factor;
};

struct root_powers {
    cuzk_fr r[32]; /* r[j]: w^(n / 2^(j+2)), the factor of bit j of the index */
};

static __global__ void __launch_bounds__(256) twiddle_k(cuzk_fr *tw, root_powers p, unsigned bits)
{
    const uint32_t k = blockIdx.x * 256u + threadIdx.x;
    if (k >> bits != 0) {
        return;
    }
    dfr t, r;
    mont_one(t);
    for (unsigned j = 0; j < bits; j++) {
        if (k >> j & 1) {
            mont_load(r, &p.r[j]);
            mont_mul(t, r, t);
        }
    }
    mont_canon(t);
    mont_store(&tw[k], t);
}

/* x, y = x + w y, x - w y, or with gs x + y, (x - y) w; unit: w = 1. */
template <bool gs> CUZK_DEV void butterfly(dfr &x, dfr &y, const dfr &w, bool unit)
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
    } else {
        if (unit) {
            t = y;
        } else {
            mont_mul(t, w, y);
        }
        mont_sub(y, x, t);
        mont_add(x, x, t);
    }
}

/* Level of register bit B (0..2) of 8 elements; k: index of the block of all 8. */
template <bool gs, int B> CUZK_DEV void level8(dfr (&v)[8], const cuzk_fr *tw, uint32_t k)
{
#pragma unroll
    for (int g = 0; g < 4 >> B; g++) { /* blocks that share a twiddle */
        dfr w;
        mont_load_ro(w, &tw[(k << (2 - B)) + (uint32_t)g]);
        const bool unit = g == 0 && k == 0;
#pragma unroll
        for (int i = 0; i < 1 << B; i++) {
            butterfly<gs>(v[(2 * g << B) + i], v[((2 * g + 1) << B) + i], w, unit);
        }
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

CUZK_DEV void finish(dfr &x, const pass_args &p)
{
    if (p.scaled) {
        dfr f;
        mont_load(f, &p.factor);
        mont_mul(x, f, x);
    }
    if (p.last) {
        mont_canon(x);
    }
}

/*
 * Tile index u: [other blocks | row | column]; the low cl bits are the lowest address bits, the
 * rest start at address bit lo. The block index gives the address bits in between and on top.
 */
template <bool gs> static __global__ void __launch_bounds__(THREADS, 2) pass_k(pass_args p)
{
    extern __shared__ uint4 sh[];
    const unsigned spare = LG_TILE - p.bits;
    const unsigned cl = p.lo < spare ? p.lo : spare;
    const uint32_t mid = p.lo - cl;
    const uint32_t base = (blockIdx.x & ((1u << mid) - 1)) << cl | (blockIdx.x >> mid)
                                                                       << (p.lo + LG_TILE - cl);
    const uint32_t tid = threadIdx.x;
    const int steps = (int)(p.bits + 2) / 3;
    dfr v[8];
#pragma unroll 1
    for (int i = 0; i < steps; i++) {
        /* step s counts from the top row bit; its levels are row bits [row, row + count) */
        const unsigned s = (unsigned)(gs ? steps - 1 - i : i);
        const unsigned top = p.bits - 3 * s;
        const unsigned count = top < 3 ? top : 3;
        const unsigned row = top < 3 ? 0 : top - 3;
        const unsigned q = cl + row;
        const uint32_t u = (tid >> q) << (q + 3) | (tid & ((1u << q) - 1));
        const uint32_t at = base | (u & ((1u << cl) - 1)) | (u >> cl) << p.lo;
        const uint32_t k = at >> (p.lo + row + 3);
        if (i == 0) {
#pragma unroll
            for (uint32_t e = 0; e < 8; e++) {
                mont_load(v[e], &p.a[at + (e << (p.lo + row))]);
            }
        } else {
#pragma unroll
            for (uint32_t e = 0; e < 8; e++) {
                tile_get(v[e], sh, u + (e << q));
            }
        }
        if (gs) {
            level8<gs, 0>(v, p.tw, k);
            if (count > 1) {
                level8<gs, 1>(v, p.tw, k);
            }
            if (count > 2) {
                level8<gs, 2>(v, p.tw, k);
            }
        } else {
            if (count > 2) {
                level8<gs, 2>(v, p.tw, k);
            }
            if (count > 1) {
                level8<gs, 1>(v, p.tw, k);
            }
            level8<gs, 0>(v, p.tw, k);
        }
        if (i == steps - 1) {
#pragma unroll
            for (uint32_t e = 0; e < 8; e++) {
                finish(v[e], p);
                mont_store(&p.a[at + (e << (p.lo + row))], v[e]);
            }
        } else {
            /* A thread overwrites what only it has read: one barrier per exchange is enough. */
#pragma unroll
            for (uint32_t e = 0; e < 8; e++) {
                tile_put(sh, u + (e << q), v[e]);
            }
            __syncthreads();
        }
    }
}

/* A whole domain of 2 to 2^LG_SMALL points in one block; p.bits = lg_n. */
template <bool gs> static __global__ void __launch_bounds__(512) small_k(pass_args p)
{
    __shared__ uint4 raw[2u << LG_SMALL];
    cuzk_fr *const sh = (cuzk_fr *)raw;
    const uint32_t n = 1u << p.bits, i = threadIdx.x;
    dfr x, y, w;
    for (uint32_t j = i; j < n; j += 512) {
        mont_load(x, &p.a[j]);
        mont_store(&sh[j], x);
    }
    for (unsigned s = 0; s < p.bits; s++) {
        const unsigned bit = gs ? s : p.bits - 1 - s;
        __syncthreads();
        if (i < n / 2) {
            const uint32_t k = i >> bit;
            const uint32_t at = k << (bit + 1) | (i & ((1u << bit) - 1));
            mont_load(x, &sh[at]);
            mont_load(y, &sh[at + (1u << bit)]);
            mont_load_ro(w, &p.tw[k]);
            butterfly<gs>(x, y, w, false);
            mont_store(&sh[at], x);
            mont_store(&sh[at + (1u << bit)], y);
        }
    }
    __syncthreads();
    for (uint32_t j = i; j < n; j += 512) {
        mont_load(x, &sh[j]);
        finish(x, p);
        mont_store(&p.a[j], x);
    }
}

/* pw[i] = s^i, i < 2^LG_POWERS, then pw[2^LG_POWERS + j] = factor * s^(j * 2^LG_POWERS). */
static __global__ void __launch_bounds__(256)
    powers_k(cuzk_fr *pw, root_powers sq, cuzk_fr factor, unsigned lg)
{
    const uint32_t i = blockIdx.x * 256u + threadIdx.x;
    const bool high = i >> LG_POWERS != 0;
    const unsigned shift = high ? LG_POWERS : 0;
    const uint32_t e = i & ((1u << LG_POWERS) - 1);
    const unsigned bits = lg > LG_POWERS ? lg - LG_POWERS : 0;
    if (high && e >> bits != 0) {
        return;
    }
    dfr t, r;
    mont_one(t);
    if (high) {
        mont_load(t, &factor);
    }
    for (unsigned j = 0; j < LG_POWERS && j + shift < 32; j++) {
        if (e >> j & 1) {
            mont_load(r, &sq.r[j + shift]);
            mont_mul(t, r, t);
        }
    }
    mont_canon(t);
    mont_store(&pw[i], t);
}

/* a[i] *= factor * s^(i or bitrev(i)). */
static __global__ void __launch_bounds__(256)
    scale_k(cuzk_fr *a, const cuzk_fr *pw, unsigned lg, bool reversed)
{
    const uint32_t i = blockIdx.x * 256u + threadIdx.x;
    if (i >> lg != 0) {
        return;
    }
    const uint32_t e = reversed && lg > 0 ? __brev(i) >> (32 - lg) : i;
    dfr x, lo, hi;
    mont_load(x, &a[i]);
    mont_load_ro(lo, &pw[e & ((1u << LG_POWERS) - 1)]);
    mont_load_ro(hi, &pw[(1u << LG_POWERS) + (e >> LG_POWERS)]);
    mont_mul(lo, hi, lo);
    mont_mul(x, x, lo);
    mont_canon(x);
    mont_store(&a[i], x);
}

static unsigned blocks_for(uint64_t n, unsigned threads)
{
    return (unsigned)((n + threads - 1) / threads);
}

static cuzk_status make_twiddles(cuzk_cuda_ntt *d, cuzk_cuda_queue *q, int which,
                                 const cuzk_fr *root, cuzk_err *err)
{
    const unsigned bits = d->lg > 0 ? d->lg - 1 : 0;
    root_powers p = {};
    cuzk_fr w = *root; /* w^(n/2^(j+2)) for j = bits - 1 is w itself */
    for (unsigned j = bits; j-- > 0;) {
        p.r[j] = w;
        cuzk_fr_sqr(&w, &w);
    }
    void *tw = NULL;
    CUZK_TRY(cuzk_cuda_alloc(q, &tw, sizeof(cuzk_fr) << bits, err));
    d->d_tw[which] = (cuzk_fr *)tw;
    twiddle_k<<<blocks_for((uint64_t)1 << bits, 256), 256, 0, q->stream>>>(d->d_tw[which], p, bits);
    return CUZK_CUDA_LAUNCHED(twiddle_k, err);
}

cuzk_status cuzk_cuda_ntt_create(cuzk_cuda_ntt **out, cuzk_cuda_queue *q, unsigned lg_n,
                                 const cuzk_fr *root_2_32, cuzk_err *err)
{
    cuzk_status st = CUZK_OK;
    cuzk_fr w, w_inv;
    if (lg_n > CUZK_CUDA_NTT_MAX_LG) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "NTT domain of 2^%u points on the GPU: at most 2^%d",
                         lg_n, CUZK_CUDA_NTT_MAX_LG);
    }
    cuzk_cuda_ntt *d = (cuzk_cuda_ntt *)cuzk_alloc_zero(1, sizeof(*d));
    if (d == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for an NTT domain");
    }
    d->device = q->device;
    d->lg = lg_n;
    cuzk_fr_root_of_unity(&w, root_2_32 != NULL ? root_2_32 : &CUZK_FR_ROOT_2_32, lg_n);
    cuzk_fr_inv(&w_inv, &w);
    cuzk_fr_from_u64(&d->n_inv, (uint64_t)1 << lg_n);
    cuzk_fr_inv(&d->n_inv, &d->n_inv);
    CUZK_TRY_GOTO(st, make_twiddles(d, q, 0, &w, err));
    CUZK_TRY_GOTO(st, make_twiddles(d, q, 1, &w_inv, err));
    CUZK_TRY_GOTO(st, cuzk_cuda_queue_sync(q, err));
    CUZK_TRY_GOTO(st, CUZK_CUDA(cudaFuncSetAttribute(pass_k<false>,
                                                     cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                     (int)TILE_BYTES),
                                err));
    CUZK_TRY_GOTO(st, CUZK_CUDA(cudaFuncSetAttribute(pass_k<true>,
                                                     cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                     (int)TILE_BYTES),
                                err));
    *out = d;
    return CUZK_OK;
out:
    cuzk_cuda_ntt_destroy(d, q);
    return st;
}

void cuzk_cuda_ntt_destroy(cuzk_cuda_ntt *d, cuzk_cuda_queue *q)
{
    if (d == NULL) {
        return;
    }
    cuzk_cuda_free(q, d->d_tw[0]);
    cuzk_cuda_free(q, d->d_tw[1]);
    cuzk_free(d);
}

/* factor NULL: 1. */
static cuzk_status run_network(const cuzk_cuda_ntt *d, cuzk_cuda_queue *q, cuzk_fr *d_a, int which,
                               bool gs, const cuzk_fr *factor, cuzk_err *err)
{
    pass_args p = {};
    p.a = d_a;
    p.tw = d->d_tw[which];
    if (d->lg == 0) {
        return CUZK_OK;
    }
    if (factor != NULL) {
        p.factor = *factor;
    }
    if (d->lg <= LG_SMALL) {
        p.bits = d->lg;
        p.last = true;
        p.scaled = factor != NULL;
        if (gs) {
            small_k<true><<<1, 512, 0, q->stream>>>(p);
        } else {
            small_k<false><<<1, 512, 0, q->stream>>>(p);
        }
        return CUZK_CUDA_LAUNCHED(small_k, err);
    }
    const unsigned passes = (d->lg + MAX_BITS - 1) / MAX_BITS;
    unsigned done = 0;
    for (unsigned i = 0; i < passes; i++) {
        p.bits = (d->lg - done) / (passes - i);
        p.lo = gs ? done : d->lg - done - p.bits;
        p.last = i == passes - 1;
        p.scaled = p.last && factor != NULL;
        const unsigned blocks = 1u << (d->lg - LG_TILE);
        if (gs) {
            pass_k<true><<<blocks, THREADS, TILE_BYTES, q->stream>>>(p);
        } else {
            pass_k<false><<<blocks, THREADS, TILE_BYTES, q->stream>>>(p);
        }
        CUZK_TRY(CUZK_CUDA_LAUNCHED(pass_k, err));
        done += p.bits;
    }
    return CUZK_OK;
}

/* a[i] *= factor * s^i; reversed: a is in bit-reversed order. */
static cuzk_status scale(const cuzk_cuda_ntt *d, cuzk_cuda_queue *q, cuzk_fr *d_a, const cuzk_fr *s,
                         const cuzk_fr *factor, bool reversed, cuzk_err *err)
{
    cuzk_fr *const pw = (cuzk_fr *)q->d_scratch;
    root_powers sq = {};
    sq.r[0] = *s;
    for (int j = 1; j < 32; j++) {
        cuzk_fr_sqr(&sq.r[j], &sq.r[j - 1]);
    }
    powers_k<<<(2u << LG_POWERS) / 256, 256, 0, q->stream>>>(pw, sq, *factor, d->lg);
    CUZK_TRY(CUZK_CUDA_LAUNCHED(powers_k, err));
    scale_k<<<blocks_for((uint64_t)1 << d->lg, 256), 256, 0, q->stream>>>(d_a, pw, d->lg, reversed);
    return CUZK_CUDA_LAUNCHED(scale_k, err);
}

static cuzk_status check_call(const cuzk_cuda_ntt *d, const cuzk_cuda_queue *q,
                              const cuzk_fr *shift, cuzk_err *err)
{
    if (d->device != q->device) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "NTT tables of device %d used on device %d",
                         d->device, q->device);
    }
    if (shift != NULL && cuzk_fr_is_zero(shift)) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "the coset shift of an NTT is zero");
    }
    return CUZK_CUDA(cudaSetDevice(q->device), err);
}

cuzk_status cuzk_cuda_ntt_forward(const cuzk_cuda_ntt *d, cuzk_cuda_queue *q, cuzk_fr *d_a,
                                  cuzk_cuda_order order, const cuzk_fr *shift, cuzk_err *err)
{
    CUZK_TRY(check_call(d, q, shift, err));
    if (shift != NULL && !cuzk_fr_is_one(shift)) {
        CUZK_TRY(scale(d, q, d_a, shift, &CUZK_FR_ONE, order == CUZK_CUDA_RN, err));
    }
    return run_network(d, q, d_a, 0, order == CUZK_CUDA_RN, NULL, err);
}

cuzk_status cuzk_cuda_ntt_inverse(const cuzk_cuda_ntt *d, cuzk_cuda_queue *q, cuzk_fr *d_a,
                                  cuzk_cuda_order order, const cuzk_fr *shift, cuzk_err *err)
{
    CUZK_TRY(check_call(d, q, shift, err));
    if (shift == NULL || cuzk_fr_is_one(shift)) {
        return run_network(d, q, d_a, 1, order == CUZK_CUDA_RN, &d->n_inv, err);
    }
    cuzk_fr s_inv;
    cuzk_fr_inv(&s_inv, shift);
    CUZK_TRY(run_network(d, q, d_a, 1, order == CUZK_CUDA_RN, NULL, err));
    return scale(d, q, d_a, &s_inv, &d->n_inv, order == CUZK_CUDA_NR, err);
}
