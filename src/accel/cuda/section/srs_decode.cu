/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Uncompressed points to affine ones, in the steps of ec/ec_codec_tmpl.h and with its verdicts. */
#include "accel/cuda/ec/ec_dev.cuh"
#include "accel/cuda/queue/launch.cuh"
#include "ec/endo_hd.h"

#include "srs.h"

#define THREADS         ((unsigned)CUZK_THREADS_DECODE_POINTS)

/* What is wrong, in a report's low byte; 0: nothing. */
#define BAD_ENCODING    1u
#define BAD_INFINITY    2u
#define BAD_CURVE       3u
#define BAD_GROUP       4u

#define FLAG_COMPRESSED 0x80u
#define FLAG_INFINITY   0x40u
#define FLAG_LARGER     0x20u

/* Both are 16-byte pieces of a point's memory and of its encoding. */
template <class G> struct codec {
    static const int COORDS = (int)(sizeof(typename G::affine) / sizeof(cuzk_fp));
    static const int WORDS = COORDS * 12;
};

/* Coordinate of limbs that are big-endian words, most significant first; false when not below q. */
CUZK_DEV bool load_coordinate(dfp &out, const uint32_t *w)
{
    constexpr uint64_t r2_limbs[6] = CUZK_FP_R2_LIMBS;
    dfp r2, t;
#pragma unroll
    for (int i = 0; i < 12; i++) {
        t.l[i] = __byte_perm(w[11 - i], 0, 0x0123);
        r2.l[i] = mont_limb(r2_limbs, i);
    }
    (void)sub_cc(t.l[0], fp_field::mod(0));
#pragma unroll
    for (int i = 1; i < 12; i++) {
        (void)subc_cc(t.l[i], fp_field::mod(i));
    }
    const bool below = subc(0, 0) != 0;
    mont_mul(out, t, r2); /* t < 2^384, r2 < q: fine also when t is refused */
    mont_canon(out);
    return below;
}

CUZK_DEV bool load_field(dfp &out, const uint32_t *w)
{
    return load_coordinate(out, w);
}

CUZK_DEV bool load_field(dfp2 &out, const uint32_t *w)
{
    const bool b1 = load_coordinate(out.c1, w);
    return load_coordinate(out.c0, w + 12) && b1;
}

CUZK_DEV bool fe_eq(const dfp &a, const dfp &b)
{
    dfp t;
    fe_sub(t, a, b);
    return fe_is_zero(t);
}

CUZK_DEV bool fe_eq(const dfp2 &a, const dfp2 &b)
{
    return fe_eq(a.c0, b.c0) && fe_eq(a.c1, b.c1);
}

/* b: 4 and 4 (1 + i). */
CUZK_DEV void curve_b(dfp &b)
{
    mont_one(b);
    mont_add(b, b, b);
    mont_add(b, b, b);
}

CUZK_DEV void curve_b(dfp2 &b)
{
    curve_b(b.c0);
    b.c1 = b.c0;
}

template <class G> static __device__ __noinline__ bool is_on_curve(dpoint_affine<G> p)
{
    typename G::fe t, b;
    fe_sqr(t, p.x);
    fe_mul(t, t, p.x);
    curve_b(b);
    fe_add(t, t, b);
    fe_sqr(b, p.y);
    return fe_eq(t, b);
}

template <class G> CUZK_DEV void dbl_any(dpoint<G> &a)
{
    if (!point_is_infinity<G>(a)) {
        point_dbl_call<G>(&a);
    }
}

template <class G> static __device__ __noinline__ void add_call(dpoint<G> *a, const dpoint<G> *b)
{
    point_add<G>(*a, *b);
}

/* a = |z| a. */
template <class G> static __device__ __noinline__ void mul_z_abs(dpoint<G> *a)
{
    const uint64_t z = CUZK_EC_Z_ABS; /* bit 63 is set */
    const dpoint<G> base = *a;
#pragma unroll 1
    for (int i = 62; i >= 0; i--) {
        dbl_any<G>(*a);
        if ((z >> i & 1) != 0) {
            add_call<G>(a, &base);
        }
    }
}

/* a is (x, -y). */
template <class G>
CUZK_DEV bool is_negative_of(const dpoint<G> &a, const typename G::fe &x, const typename G::fe &y)
{
    typename G::fe t;
    if (point_is_infinity<G>(a)) {
        return false;
    }
    fe_mul(t, x, a.zz);
    if (!fe_eq(t, a.x)) {
        return false;
    }
    fe_mul(t, y, a.zzz);
    fe_add(t, t, a.y);
    return fe_is_zero(t);
}

template <int N> CUZK_DEV void load_limbs(dfp &out, const uint64_t (&l)[N])
{
#pragma unroll
    for (int i = 0; i < 12; i++) {
        out.l[i] = mont_limb(l, i);
    }
}

/* phi(P) = -z^2 P, as cuzk_g1_affine_is_in_subgroup. */
static __device__ __noinline__ bool is_in_subgroup(dpoint_affine<g1_group> p)
{
    constexpr uint64_t beta_limbs[6] = CUZK_EC_BETA_LIMBS;
    dpoint<g1_group> t;
    dfp beta;
    point_from_affine<g1_group>(t, p);
    mul_z_abs<g1_group>(&t);
    mul_z_abs<g1_group>(&t);
    load_limbs(beta, beta_limbs);
    fe_mul(beta, beta, p.x);
    return is_negative_of<g1_group>(t, beta, p.y);
}

/* psi(P) = z P, z < 0, as cuzk_g2_affine_is_in_subgroup. */
static __device__ __noinline__ bool is_in_subgroup(dpoint_affine<g2_group> p)
{
    constexpr uint64_t x0[6] = CUZK_EC_PSI_X_C0_LIMBS, x1[6] = CUZK_EC_PSI_X_C1_LIMBS;
    constexpr uint64_t y0[6] = CUZK_EC_PSI_Y_C0_LIMBS, y1[6] = CUZK_EC_PSI_Y_C1_LIMBS;
    dpoint<g2_group> t;
    dfp2 c;
    point_from_affine<g2_group>(t, p);
    mul_z_abs<g2_group>(&t);
    mont_neg_canon(p.x.c1); /* conjugates: reduced in, lazy out */
    mont_neg_canon(p.y.c1);
    load_limbs(c.c0, x0);
    load_limbs(c.c1, x1);
    fe_mul(p.x, p.x, c);
    load_limbs(c.c0, y0);
    load_limbs(c.c1, y1);
    fe_mul(p.y, p.y, c);
    return is_negative_of<g2_group>(t, p.x, p.y);
}

template <class G, bool GROUP>
CUZK_DEV uint32_t decode_one(dpoint_affine<G> &p, uint32_t *w, bool check_curve,
                             bool allow_infinity)
{
    const uint32_t flags = w[0] & 0xffu; /* the first byte */
    fe_zero(p.x);
    fe_zero(p.y);
    if ((flags & (FLAG_COMPRESSED | FLAG_LARGER)) != 0) {
        return BAD_ENCODING;
    }
    if ((flags & FLAG_INFINITY) != 0) {
        uint32_t rest = w[0] ^ FLAG_INFINITY;
#pragma unroll
        for (int i = 1; i < codec<G>::WORDS; i++) {
            rest |= w[i];
        }
        return rest != 0 ? BAD_ENCODING : allow_infinity ? 0 : BAD_INFINITY;
    }
    const bool x = load_field(p.x, w), y = load_field(p.y, w + codec<G>::WORDS / 2);
    if (!x || !y) {
        return BAD_ENCODING;
    }
    if ((fe_is_null(p.x) && fe_is_null(p.y)) || (check_curve && !is_on_curve<G>(p))) {
        return BAD_CURVE;
    }
    return GROUP && !is_in_subgroup(p) ? BAD_GROUP : 0;
}

/*
 * Each thread has read its point before it writes, so that out may be in. GROUP: subgroup check, by
 * a kernel of its own because it needs a large stack.
 */
template <class G, bool GROUP>
__global__ void __launch_bounds__(THREADS)
    decode_points(typename G::affine *out, const uint4 *in, uint64_t n, uint64_t first,
                  bool check_curve, bool allow_infinity, unsigned long long *report)
{
    const uint64_t i = (uint64_t)blockIdx.x * THREADS + threadIdx.x;
    if (i >= n) {
        return;
    }
    uint32_t w[codec<G>::WORDS];
#pragma unroll
    for (int k = 0; k < codec<G>::WORDS / 4; k++) {
        const uint4 v = in[i * (codec<G>::WORDS / 4) + k];
        w[4 * k] = v.x;
        w[4 * k + 1] = v.y;
        w[4 * k + 2] = v.z;
        w[4 * k + 3] = v.w;
    }
    dpoint_affine<G> p;
    const uint32_t bad = decode_one<G, GROUP>(p, w, check_curve, allow_infinity);
    if (bad != 0) {
        fe_zero(p.x);
        fe_zero(p.y);
        atomicMin(report, (unsigned long long)((first + i) << 8 | bad));
    }
    fe_store(&out[i].x, p.x);
    fe_store(&out[i].y, p.y);
}

cuzk_status cuzk_cuda_srs_report_reset(cuzk_cuda_queue *q, uint64_t *d_report, cuzk_err *err)
{
    CUZK_TRY(CUZK_CUDA(cudaSetDevice(q->device), err));
    return CUZK_CUDA(cudaMemsetAsync(d_report, 0xff, sizeof(*d_report), q->stream), err);
}

cuzk_status cuzk_cuda_srs_report_status(uint64_t report, const char *section, cuzk_err *err)
{
    static const cuzk_status reasons[] = {CUZK_E_SELFTEST, CUZK_E_ENCODING, CUZK_E_INFINITY,
                                          CUZK_E_NOT_ON_CURVE, CUZK_E_NOT_IN_GROUP};
    if (report == UINT64_MAX) {
        return CUZK_OK;
    }
    const uint64_t reason = report & 0xff;
    const cuzk_status st = reasons[reason <= BAD_GROUP ? reason : 0];
    return CUZK_FAIL(err, st, "section %s, point %llu: %s", section,
                     (unsigned long long)(report >> 8), cuzk_status_text(st));
}

template <class G>
static cuzk_status decode(cuzk_cuda_queue *q, typename G::affine *d_out, const void *d_in,
                          uint64_t n, uint64_t first, cuzk_point_check check, bool allow_infinity,
                          uint64_t *d_report, cuzk_err *err)
{
    const uint64_t blocks = (n + THREADS - 1) / THREADS;
    if (blocks > 0x7fffffffu) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "too many points for one launch");
    }
    CUZK_TRY(CUZK_CUDA(cudaSetDevice(q->device), err));
    if (n == 0) {
        return CUZK_OK;
    }
    if (check == CUZK_POINT_IN_SUBGROUP) {
        CUZK_TRY(cuzk_cuda_launch(q, CUZK_KERNEL_DECODE_POINTS, decode_points<G, true>,
                                  (unsigned)blocks, err, d_out, (const uint4 *)d_in, n, first, true,
                                  allow_infinity, (unsigned long long *)d_report));
    } else {
        CUZK_TRY(cuzk_cuda_launch(q, CUZK_KERNEL_DECODE_POINTS, decode_points<G, false>,
                                  (unsigned)blocks, err, d_out, (const uint4 *)d_in, n, first,
                                  check != CUZK_POINT_UNCHECKED, allow_infinity,
                                  (unsigned long long *)d_report));
    }
    return CUZK_OK;
}

cuzk_status cuzk_cuda_srs_decode_g1(cuzk_cuda_queue *q, cuzk_g1_affine *d_out, const void *d_in,
                                    uint64_t n, uint64_t first, cuzk_point_check check,
                                    bool allow_infinity, uint64_t *d_report, cuzk_err *err)
{
    return decode<g1_group>(q, d_out, d_in, n, first, check, allow_infinity, d_report, err);
}

cuzk_status cuzk_cuda_srs_decode_g2(cuzk_cuda_queue *q, cuzk_g2_affine *d_out, const void *d_in,
                                    uint64_t n, uint64_t first, cuzk_point_check check,
                                    bool allow_infinity, uint64_t *d_report, cuzk_err *err)
{
    return decode<g2_group>(q, d_out, d_in, n, first, check, allow_infinity, d_report, err);
}
