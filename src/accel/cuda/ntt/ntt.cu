/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The transform is a network of lg_n levels over address bits: the level of bit p joins the
 * elements whose addresses differ in bit p, with the twiddle T[address >> (p + 1)], T[k] =
 * w^bitrev(k) over lg_n - 1 bits. From the top bit down with x + Ty, x - Ty it takes natural order
 * to bit-reversed order; from bit 0 up with x + y, (x - y)T it takes bit-reversed order to
 * natural order. Both work for w (forward) and for w^-1 (inverse, without 1/n).
 *
 * A pass does up to 9 neighbouring bits (ntt_pass_dev.cuh), the passes from natural to bit-reversed
 * order and those back have the same bits: so the last of the one and the first of the other join in
 * one kernel. 2^27 takes three passes.
 */
#include <string.h>

#include "accel/cuda/queue/launch.cuh"
#include "base/alloc.h"

#include "ntt.h"

#include "ntt_pass_dev.cuh"

#define ONE_THREADS   ((unsigned)CUZK_THREADS_SCALE) /* of kernels of one element a thread */
#define SMALL_THREADS ((unsigned)CUZK_THREADS_NTT_SMALL)
#define LG_SMALL      10u /* domains up to this size are one block */

struct cuzk_cuda_ntt {
    int device;
    unsigned lg;
    cuzk_fr n_inv;
    bool is_small;
    /* T of w, of w^-1: [2^(lg-1)]; small: [2^LG_LOW], and behind it [2^(lg-1-LG_LOW)] T[j 2^LG_LOW]. */
    cuzk_fr *d_tw[2];
};

struct root_powers {
    cuzk_fr r[32]; /* r[j]: w^(n / 2^(j+2)), the factor of bit j of T's index */
};

/* tw[k] = T[k << shift], k < 2^bits. */
static __global__ void __launch_bounds__(ONE_THREADS)
    twiddle_k(cuzk_fr *tw, root_powers p, unsigned bits, unsigned shift)
{
    const uint32_t k = blockIdx.x * ONE_THREADS + threadIdx.x;
    if (k >> bits != 0) {
        return;
    }
    dfr t, r;
    mont_one(t);
    for (unsigned j = 0; j < bits; j++) {
        if (k >> j & 1) {
            mont_load(r, &p.r[j + shift]);
            mont_mul(t, r, t);
        }
    }
    mont_canon(t);
    mont_store(&tw[k], t);
}

/* A whole domain of 1 to 2^LG_SMALL points in one block. */
template <bool gs, pass_in in, pass_out out>
static __global__ void __launch_bounds__(SMALL_THREADS) small_k(pass_args p)
{
    __shared__ uint4 raw[2u << LG_SMALL];
    cuzk_fr *const sh = (cuzk_fr *)raw;
    const uint32_t n = 1u << p.lg, i = threadIdx.x;
    dfr x, y, w;
    for (uint32_t j = i; j < n; j += SMALL_THREADS) {
        take<in>(x, p, j);
        mont_store(&sh[j], x);
    }
    for (unsigned s = 0; s < p.lg; s++) {
        const unsigned bit = gs ? s : p.lg - 1 - s;
        __syncthreads();
        if (i < n / 2) {
            const uint32_t k = i >> bit;
            const uint32_t at = k << (bit + 1) | (i & ((1u << bit) - 1));
            mont_load(x, &sh[at]);
            mont_load(y, &sh[at + (1u << bit)]);
            mont_load_ro(w, &p.tw[k]);
            butterfly<gs, false>(x, y, w);
            mont_store(&sh[at], x);
            mont_store(&sh[at + (1u << bit)], y);
        }
    }
    __syncthreads();
    for (uint32_t j = i; j < n; j += SMALL_THREADS) {
        mont_load(x, &sh[j]);
        give<out>(x, p, j);
    }
}

/* pw[i] = s^i, i < 2^LG_POWERS, then pw[2^LG_POWERS + j] = factor * s^(j * 2^LG_POWERS). */
static __global__ void __launch_bounds__(ONE_THREADS)
    powers_k(cuzk_fr *pw, root_powers sq, cuzk_fr factor, unsigned lg)
{
    const uint32_t i = blockIdx.x * ONE_THREADS + threadIdx.x;
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

/* a[i] *= power(i or bitrev(i)). */
static __global__ void __launch_bounds__(ONE_THREADS)
    scale_k(cuzk_fr *a, const cuzk_fr *pw, unsigned lg, bool is_reversed)
{
    const uint32_t i = blockIdx.x * ONE_THREADS + threadIdx.x;
    if (i >> lg != 0) {
        return;
    }
    dfr x;
    mont_load(x, &a[i]);
    times_power(x, pw, is_reversed ? reversed(i, lg) : i);
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
    const unsigned low = d->is_small ? LG_LOW : bits;
    void *tw = NULL;
    CUZK_TRY(cuzk_cuda_alloc(q, &tw, cuzk_cuda_ntt_bytes(d->lg, d->is_small) / 2, err));
    d->d_tw[which] = (cuzk_fr *)tw;
    CUZK_TRY(cuzk_cuda_launch(q, CUZK_KERNEL_TWIDDLE, twiddle_k,
                              blocks_for((uint64_t)1 << low, ONE_THREADS), err, d->d_tw[which], p,
                              low, 0u));
    return low == bits
               ? CUZK_OK
               : cuzk_cuda_launch(q, CUZK_KERNEL_TWIDDLE, twiddle_k,
                                  blocks_for((uint64_t)1 << (bits - low), ONE_THREADS), err,
                                  d->d_tw[which] + ((uint64_t)1 << low), p, bits - low, low);
}

/* No level has more than 2^(lg - 1) twiddles; of few, small tables would be no smaller. */
static bool has_small(unsigned lg)
{
    return lg > LG_LOW + 1;
}

uint64_t cuzk_cuda_ntt_bytes(unsigned lg_n, bool is_small)
{
    const unsigned bits = lg_n > 0 ? lg_n - 1 : 0;
    const uint64_t entries = is_small && has_small(lg_n)
                                 ? ((uint64_t)1 << LG_LOW) + ((uint64_t)1 << (bits - LG_LOW))
                                 : (uint64_t)1 << bits;
    return 2 * ((entries * sizeof(cuzk_fr) + 255) & ~(uint64_t)255);
}

cuzk_status cuzk_cuda_ntt_create(cuzk_cuda_ntt **out, cuzk_cuda_queue *q, unsigned lg_n,
                                 const cuzk_fr *root_2_32, bool is_small, cuzk_err *err)
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
    d->is_small = is_small && has_small(lg_n);
    cuzk_fr_root_of_unity(&w, root_2_32 != NULL ? root_2_32 : &CUZK_FR_ROOT_2_32, lg_n);
    cuzk_fr_inv(&w_inv, &w);
    cuzk_fr_from_u64(&d->n_inv, (uint64_t)1 << lg_n);
    cuzk_fr_inv(&d->n_inv, &d->n_inv);
    CUZK_TRY_GOTO(st, make_twiddles(d, q, 0, &w, err));
    CUZK_TRY_GOTO(st, make_twiddles(d, q, 1, &w_inv, err));
    CUZK_TRY_GOTO(st, cuzk_cuda_queue_sync(q, err));
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

/* Makes power(j) = factor * s^j. */
static cuzk_status make_powers(const cuzk_cuda_ntt *d, cuzk_cuda_queue *q, const cuzk_fr *s,
                               const cuzk_fr *factor, cuzk_err *err)
{
    root_powers sq = {};
    sq.r[0] = *s;
    for (int j = 1; j < 32; j++) {
        cuzk_fr_sqr(&sq.r[j], &sq.r[j - 1]);
    }
    return cuzk_cuda_launch(q, CUZK_KERNEL_POWERS, powers_k, (2u << LG_POWERS) / ONE_THREADS, err,
                            (cuzk_fr *)q->d_scratch, sq, *factor, d->lg);
}

/* a[i] *= power(i); is_reversed: a is in bit-reversed order. */
static cuzk_status scale(const cuzk_cuda_ntt *d, cuzk_cuda_queue *q, cuzk_fr *d_a, bool is_reversed,
                         cuzk_err *err)
{
    return cuzk_cuda_launch(q, CUZK_KERNEL_SCALE, scale_k,
                            blocks_for((uint64_t)1 << d->lg, ONE_THREADS), err, d_a,
                            (const cuzk_fr *)q->d_scratch, d->lg, is_reversed);
}

static pass_args args_for(const cuzk_cuda_ntt *d, cuzk_cuda_queue *q, cuzk_fr *d_a, int which)
{
    pass_args p = {};
    p.d_a = d_a;
    p.tw = d->d_tw[which];
    p.tw_next = d->d_tw[1 - which];
    p.high = p.tw + ((uint64_t)1 << LG_LOW);
    p.high_next = p.tw_next + ((uint64_t)1 << LG_LOW);
    p.pw = (const cuzk_fr *)q->d_scratch;
    p.lg = d->lg;
    return p;
}

static unsigned passes_of(unsigned lg)
{
    return (lg + MAX_BITS - 1) / MAX_BITS;
}

/* Gives p the bits of pass i from the top: the lower passes have the odd ones. */
static void choose_bits(pass_args *p, unsigned i)
{
    unsigned left = p->lg;
    const unsigned passes = passes_of(p->lg);
    for (unsigned j = 0; j <= i; j++) {
        p->bits = left / (passes - j);
        left -= p->bits;
    }
    p->lo = left;
}

static bool is_lean(const cuzk_cuda_queue *q)
{
    return q->card.klass->shapes.ntt_pass == CUZK_KERNEL_NTT_PASS_LEAN;
}

template <bool LEAN, bool gs, bool top, pass_in in, pass_out out, bool is_small>
static cuzk_status run_pass(const pass_args &p, cuzk_cuda_queue *q, cuzk_err *err)
{
    static_assert(CUZK_THREADS_NTT_PASS == THREADS && CUZK_THREADS_NTT_PASS_LEAN == THREADS &&
                      CUZK_NTT_BYTES(2) == 2 * TILE_PADDED * sizeof(uint4),
                  "the table of kernels");
    return cuzk_cuda_launch(q, LEAN ? CUZK_KERNEL_NTT_PASS_LEAN : CUZK_KERNEL_NTT_PASS,
                            pass_k<LEAN, gs, top, in, out, is_small>, 1u << (p.lg - LG_TILE), err,
                            p);
}

/* The passes of a domain of more than one block; in is for the first, out for the last. */
template <bool LEAN, bool gs, pass_in in, pass_out out>
static cuzk_status run_passes(pass_args p, bool is_small, cuzk_cuda_queue *q, cuzk_err *err)
{
    const unsigned passes = passes_of(p.lg);
    for (unsigned i = 0; i < passes; i++) {
        choose_bits(&p, gs ? passes - 1 - i : i);
        if (is_small && p.lo == 0) { /* the others have twiddles below 2^LG_LOW */
            CUZK_TRY((gs ? run_pass<LEAN, true, false, IN_PLACE, OUT_LAZY, true>
                         : run_pass<LEAN, false, false, IN_PLACE, out, true>)(p, q, err));
            continue;
        }
        CUZK_TRY((i == 0 ? run_pass<LEAN, gs, !gs, in, OUT_LAZY, false>
                  : i == passes - 1
                      ? run_pass<LEAN, gs, gs, IN_PLACE, out, false>
                      : run_pass<LEAN, gs, false, IN_PLACE, OUT_LAZY, false>)(p, q, err));
    }
    return CUZK_OK;
}

template <bool gs, pass_in in, pass_out out>
static cuzk_status run_network(const pass_args &p, bool is_small, cuzk_cuda_queue *q, cuzk_err *err)
{
    if (p.lg <= LG_SMALL) {
        return cuzk_cuda_launch(q, CUZK_KERNEL_NTT_SMALL, small_k<gs, in, out>, 1, err, p);
    }
    return is_lean(q) ? run_passes<true, gs, in, out>(p, is_small, q, err)
                      : run_passes<false, gs, in, out>(p, is_small, q, err);
}

/* Natural order to bit-reversed with the inverse twiddles, and back with the others. */
template <bool LEAN>
static cuzk_status run_to_coset(const cuzk_cuda_ntt *d, pass_args p, cuzk_cuda_queue *q,
                                cuzk_err *err)
{
    const unsigned last = passes_of(p.lg) - 1;
    for (unsigned i = 0; i < last; i++) {
        choose_bits(&p, i);
        CUZK_TRY((i == 0 ? run_pass<LEAN, false, true, IN_PLACE, OUT_LAZY, false>
                         : run_pass<LEAN, false, false, IN_PLACE, OUT_LAZY, false>)(p, q, err));
    }
    choose_bits(&p, last);
    CUZK_TRY(cuzk_cuda_launch(q, LEAN ? CUZK_KERNEL_NTT_MIDDLE_LEAN : CUZK_KERNEL_NTT_MIDDLE,
                              d->is_small ? middle_k<LEAN, true> : middle_k<LEAN, false>,
                              1u << (p.lg - LG_TILE), err, p));
    p.tw = d->d_tw[0];
    for (unsigned i = last; i-- > 0;) {
        choose_bits(&p, i);
        CUZK_TRY((i == 0 ? run_pass<LEAN, true, true, IN_PLACE, OUT_REDUCED, false>
                         : run_pass<LEAN, true, false, IN_PLACE, OUT_LAZY, false>)(p, q, err));
    }
    return CUZK_OK;
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

static cuzk_status run_plain(const cuzk_cuda_ntt *d, cuzk_cuda_queue *q, cuzk_fr *d_a, int which,
                             cuzk_cuda_order order, cuzk_err *err)
{
    const pass_args p = args_for(d, q, d_a, which);
    return order == CUZK_CUDA_RN
               ? run_network<true, IN_PLACE, OUT_REDUCED>(p, d->is_small, q, err)
               : run_network<false, IN_PLACE, OUT_REDUCED>(p, d->is_small, q, err);
}

cuzk_status cuzk_cuda_ntt_forward(const cuzk_cuda_ntt *d, cuzk_cuda_queue *q, cuzk_fr *d_a,
                                  cuzk_cuda_order order, const cuzk_fr *shift, cuzk_err *err)
{
    CUZK_TRY(check_call(d, q, shift, err));
    if (shift != NULL && !cuzk_fr_is_one(shift)) {
        CUZK_TRY(make_powers(d, q, shift, &CUZK_FR_ONE, err));
        CUZK_TRY(scale(d, q, d_a, order == CUZK_CUDA_RN, err));
    }
    return run_plain(d, q, d_a, 0, order, err);
}

cuzk_status cuzk_cuda_ntt_inverse(const cuzk_cuda_ntt *d, cuzk_cuda_queue *q, cuzk_fr *d_a,
                                  cuzk_cuda_order order, const cuzk_fr *shift, cuzk_err *err)
{
    CUZK_TRY(check_call(d, q, shift, err));
    if (shift == NULL || cuzk_fr_is_one(shift)) {
        pass_args p = args_for(d, q, d_a, 1);
        p.factor = d->n_inv;
        return order == CUZK_CUDA_RN
                   ? run_network<true, IN_PLACE, OUT_SCALED>(p, d->is_small, q, err)
                   : run_network<false, IN_PLACE, OUT_SCALED>(p, d->is_small, q, err);
    }
    cuzk_fr s_inv;
    cuzk_fr_inv(&s_inv, shift);
    CUZK_TRY(run_plain(d, q, d_a, 1, order, err));
    CUZK_TRY(make_powers(d, q, &s_inv, &d->n_inv, err));
    return scale(d, q, d_a, order == CUZK_CUDA_NR, err);
}

cuzk_status cuzk_cuda_ntt_to_coset(const cuzk_cuda_ntt *d, cuzk_cuda_queue *q, cuzk_fr *d_a,
                                   const cuzk_fr *shift, cuzk_err *err)
{
    CUZK_TRY(check_call(d, q, shift, err));
    if (d->lg <= LG_SMALL) {
        CUZK_TRY(cuzk_cuda_ntt_inverse(d, q, d_a, CUZK_CUDA_NR, NULL, err));
        return cuzk_cuda_ntt_forward(d, q, d_a, CUZK_CUDA_RN, shift, err);
    }
    CUZK_TRY(make_powers(d, q, shift, &d->n_inv, err));
    const pass_args p = args_for(d, q, d_a, 1);
    return is_lean(q) ? run_to_coset<true>(d, p, q, err) : run_to_coset<false>(d, p, q, err);
}

/* An integer in the place of an element: a Montgomery value times it is an integer. */
static cuzk_fr as_integer(const cuzk_fr *k)
{
    cuzk_scalar plain;
    cuzk_fr x;
    cuzk_fr_to_scalar(&plain, k);
    static_assert(sizeof(x) == sizeof(plain), "elements and scalars have the same limbs");
    memcpy(&x, &plain, sizeof(x));
    return x;
}

cuzk_status cuzk_cuda_ntt_product(const cuzk_cuda_ntt *d, cuzk_cuda_queue *q, cuzk_scalar *d_out,
                                  const cuzk_fr *d_a, const cuzk_fr *d_b, const cuzk_fr *k,
                                  cuzk_err *err)
{
    CUZK_TRY(check_call(d, q, NULL, err));
    cuzk_fr factor;
    pass_args p = args_for(d, q, (cuzk_fr *)d_out, 1);
    p.d_x = d_a;
    p.d_y = d_b;
    cuzk_fr_mul(&factor, &d->n_inv, k);
    p.factor = as_integer(&factor);
    return run_network<false, IN_PRODUCT, OUT_SCALED>(p, d->is_small, q, err);
}

cuzk_status cuzk_cuda_ntt_quotient(const cuzk_cuda_ntt *d, cuzk_cuda_queue *q, cuzk_scalar *d_out,
                                   cuzk_fr *d_a, const cuzk_fr *d_b, const cuzk_scalar *d_c,
                                   const cuzk_fr *shift, const cuzk_fr *k, cuzk_err *err)
{
    CUZK_TRY(check_call(d, q, shift, err));
    cuzk_fr factor, s_inv;
    pass_args p = args_for(d, q, d_a, 1);
    p.d_x = d_a;
    p.d_y = d_b;
    p.d_minus = (const cuzk_fr *)d_c;
    p.d_out = (cuzk_fr *)d_out;
    cuzk_fr_inv(&s_inv, shift);
    cuzk_fr_mul(&factor, &d->n_inv, k);
    factor = as_integer(&factor);
    CUZK_TRY(make_powers(d, q, &s_inv, &factor, err));
    return run_network<false, IN_PRODUCT, OUT_MINUS>(p, d->is_small, q, err);
}
