/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Device times of the CUDA kernels, one JSON object per line:
 *     cuzk_bench_cuda [--runs=N] [--max-lg=N] [--device=N] [--as-card=CLASS[:MEMORY]] [--tuned] [--way=affine|xyzz|cached]
 *                     [--msm | --ntt]
 * kernel, size, runs, min/median/max in ms, and the rate at the minimum where there is one. One
 * warm-up before the runs. The points are 2^16 multiples of the generator, repeated; scalars are
 * pseudo-random of 254 bits; half of the bits are set. --msm leaves the transforms out, --ntt the sums. Sums are made as the
 * table of measured constants says; --tuned: as was measured on the device (cuzk_accel_cuda_tune; now, if nothing is kept).
 * --way: how sums in G1 are added up, as far as it is a choice of the card (accel/card/card.h), whatever was measured.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "accel/cuda/cuda_accel.h"
#include "accel/cuda/msm/msm.h"
#include "accel/cuda/ntt/ntt.h"
#include "accel/cuda/queue/queue_internal.h"
#include "base/alloc.h"

#include "throughput_kernels.h"

#define MAX_RUNS  64u
#define LG_POINTS 16u
#define MAX_LG_G2 25u /* b_g2 of a 32 GiB sector: 33 M points */

typedef struct bench {
    cuzk_cuda_queue *q;
    unsigned runs, max_lg;
    bool only_msm, only_ntt, tuned;
    cuzk_g1_affine *d_bases;
    void *d_images; /* of the bases */
    cuzk_scalar *d_scalars;
    void *d_sink;
    cuzk_cuda_msm *msm;
    cuzk_g2_affine *d_bases2; /* [2^lg_bases2] */
    unsigned lg_bases2;
    cuzk_cuda_ntt *ntt;
    unsigned lg;
    bench_op op;
} bench;

typedef cuzk_status (*bench_fn)(bench *b, cuzk_err *err);

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* work > 0: operations of one run, printed as G/s. */
static cuzk_status measure(bench *b, const char *name, uint64_t size, bench_fn fn, double work,
                           cuzk_err *err)
{
    double ms[MAX_RUNS];
    CUZK_TRY(fn(b, err));
    CUZK_TRY(cuzk_cuda_queue_sync(b->q, err));
    for (unsigned i = 0; i < b->runs; i++) {
        CUZK_TRY(cuzk_cuda_timer_start(b->q, err));
        CUZK_TRY(fn(b, err));
        CUZK_TRY(cuzk_cuda_timer_stop(b->q, &ms[i], err));
    }
    qsort(ms, b->runs, sizeof(ms[0]), by_value);
    printf("{\"kernel\": \"%s\", \"size\": %" PRIu64 ", \"runs\": %u, \"min_ms\": %.4f, "
           "\"median_ms\": %.4f, \"max_ms\": %.4f",
           name, size, b->runs, ms[0], ms[b->runs / 2], ms[b->runs - 1]);
    if (work > 0) {
        printf(", \"g_per_s\": %.3f", work / ms[0] * 1e-6);
    }
    printf("}\n");
    (void)fflush(stdout);
    return CUZK_OK;
}

static cuzk_status run_op(bench *b, cuzk_err *err)
{
    return bench_op_launch(b->op, b->q, b->d_bases, b->max_lg, b->d_sink, err);
}

static cuzk_status run_inverse(bench *b, cuzk_err *err)
{
    return cuzk_cuda_ntt_inverse(b->ntt, b->q, (cuzk_fr *)b->d_scalars, CUZK_CUDA_NR, NULL, err);
}

static cuzk_status run_forward(bench *b, cuzk_err *err)
{
    return cuzk_cuda_ntt_forward(b->ntt, b->q, (cuzk_fr *)b->d_scalars, CUZK_CUDA_RN, NULL, err);
}

static cuzk_status run_coset(bench *b, cuzk_err *err)
{
    return cuzk_cuda_ntt_forward(b->ntt, b->q, (cuzk_fr *)b->d_scalars, CUZK_CUDA_RN,
                                 &CUZK_FR_GENERATOR, err);
}

static cuzk_status run_to_coset(bench *b, cuzk_err *err)
{
    return cuzk_cuda_ntt_to_coset(b->ntt, b->q, (cuzk_fr *)b->d_scalars, &CUZK_FR_GENERATOR, err);
}

/* The points are no use by then: vectors lie there. */
static cuzk_status run_product(bench *b, cuzk_err *err)
{
    cuzk_scalar *const out = (cuzk_scalar *)b->d_bases;
    return cuzk_cuda_ntt_product(b->ntt, b->q, out, (const cuzk_fr *)b->d_scalars,
                                 (const cuzk_fr *)b->d_scalars, &CUZK_FR_GENERATOR, err);
}

static cuzk_status run_quotient(bench *b, cuzk_err *err)
{
    cuzk_scalar *const c = (cuzk_scalar *)b->d_bases;
    return cuzk_cuda_ntt_quotient(b->ntt, b->q, c + ((uint64_t)1 << b->lg), (cuzk_fr *)b->d_scalars,
                                  (const cuzk_fr *)b->d_scalars, c, &CUZK_FR_GENERATOR,
                                  &CUZK_FR_GENERATOR, err);
}

static cuzk_status run_msm(bench *b, cuzk_err *err)
{
    cuzk_g1 out;
    return cuzk_cuda_msm_g1(b->msm, b->q, &out, b->d_bases, b->d_scalars, (uint64_t)1 << b->lg,
                            err);
}

static cuzk_status run_images(bench *b, cuzk_err *err)
{
    return cuzk_cuda_msm_make_images_g1(b->q, b->d_images, b->d_bases, (uint64_t)1 << b->lg, err);
}

static cuzk_status run_msm_images(bench *b, cuzk_err *err)
{
    cuzk_g1 out;
    return cuzk_cuda_msm_images_g1(b->msm, b->q, &out, b->d_bases, b->d_images, b->d_scalars,
                                   (uint64_t)1 << b->lg, err);
}

static cuzk_status run_bits(bench *b, cuzk_err *err)
{
    cuzk_g1 out;
    return cuzk_cuda_msm_bits_g1(b->msm, b->q, &out, b->d_bases, (const uint64_t *)b->d_scalars,
                                 (uint64_t)1 << b->lg, err);
}

static cuzk_status run_msm_g2(bench *b, cuzk_err *err)
{
    cuzk_g2 out;
    return cuzk_cuda_msm_g2(b->msm, b->q, &out, b->d_bases2, b->d_scalars, (uint64_t)1 << b->lg,
                            err);
}

static cuzk_status run_bits_g2(bench *b, cuzk_err *err)
{
    cuzk_g2 out;
    return cuzk_cuda_msm_bits_g2(b->msm, b->q, &out, b->d_bases2, (const uint64_t *)b->d_scalars,
                                 (uint64_t)1 << b->lg, err);
}

/* Multiples of the generator from the host, 2^LG_POINTS of them, doubled up on the device. */
#define MAKE_POINTS(G, field, d_points, lg_all)                                         \
    static cuzk_status make_points_##G(bench *b, cuzk_err *err)                         \
    {                                                                                   \
        const size_t n = (size_t)1 << LG_POINTS;                                        \
        cuzk_##G *p = cuzk_alloc(n, sizeof(*p));                                        \
        field *scratch = cuzk_alloc(n, sizeof(*scratch));                               \
        cuzk_##G##_affine *a = cuzk_alloc(n, sizeof(*a));                               \
        const cuzk_scalar s = {{0x123456789abcdef1ULL, 0xfedcba9876543210ULL, 3, 0}};   \
        cuzk_##G at, step;                                                              \
        cuzk_status st = CUZK_OK;                                                       \
        if (p == NULL || scratch == NULL || a == NULL) {                                \
            st = CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for the points");              \
            goto out;                                                                   \
        }                                                                               \
        cuzk_##G##_set_infinity(&at);                                                   \
        cuzk_##G##_add_affine(&at, &at, &GENERATOR_##G);                                \
        cuzk_##G##_mul(&step, &at, &s);                                                 \
        for (size_t i = 0; i < n; i++) {                                                \
            p[i] = at;                                                                  \
            cuzk_##G##_add(&at, &at, &step);                                            \
        }                                                                               \
        cuzk_##G##_batch_to_affine(a, p, scratch, n);                                   \
        CUZK_TRY_GOTO(st, cuzk_cuda_upload(b->q, b->d_points, a, n * sizeof(*a), err)); \
        for (unsigned lg = LG_POINTS; lg < b->lg_all; lg++) {                           \
            const size_t have = (size_t)1 << lg;                                        \
            CUZK_TRY_GOTO(st, cuzk_cuda_copy(b->q, b->d_points + have, b->d_points,     \
                                             have * sizeof(*a), err));                  \
        }                                                                               \
        st = cuzk_cuda_queue_sync(b->q, err);                                           \
out:                                                                                    \
        cuzk_free(p);                                                                   \
        cuzk_free(scratch);                                                             \
        cuzk_free(a);                                                                   \
        return st;                                                                      \
    }
#define GENERATOR_g1 CUZK_G1_GENERATOR
#define GENERATOR_g2 CUZK_G2_GENERATOR

MAKE_POINTS(g1, cuzk_fp, d_bases, max_lg)
MAKE_POINTS(g2, cuzk_fp2, d_bases2, lg_bases2)

static cuzk_status setup(bench *b, cuzk_err *err)
{
    const uint64_t n = (uint64_t)1 << b->max_lg;
    void *p = NULL;
    CUZK_TRY(cuzk_cuda_alloc(b->q, &p, n * sizeof(cuzk_g1_affine), err));
    b->d_bases = p;
    CUZK_TRY(cuzk_cuda_alloc(b->q, &b->d_images, n * CUZK_CUDA_MSM_IMAGE_BYTES, err));
    CUZK_TRY(cuzk_cuda_alloc(b->q, &p, n * sizeof(cuzk_scalar), err));
    b->d_scalars = p;
    CUZK_TRY(cuzk_cuda_alloc(b->q, &b->d_sink, ((uint64_t)1 << 20) * 48, err));
    CUZK_TRY(make_points_g1(b, err));
    b->lg_bases2 = b->max_lg < MAX_LG_G2 ? b->max_lg : MAX_LG_G2;
    CUZK_TRY(cuzk_cuda_alloc(b->q, &p, sizeof(cuzk_g2_affine) << b->lg_bases2, err));
    b->d_bases2 = p;
    CUZK_TRY(make_points_g2(b, err));
    return bench_fill_scalars(b->q, b->d_scalars, n, err);
}

/* Of 2^lg terms: the sum of full scalars (in G2 up to 2^20), in G1 also with images of the bases, and
 * that of bits. */
static cuzk_status measure_msm(bench *b, unsigned lg, cuzk_cuda_msm_group group, cuzk_err *err)
{
    const uint64_t n = (uint64_t)1 << lg;
    const bool g1 = group == CUZK_CUDA_MSM_G1;
    b->lg = lg;
    if (g1 || lg <= 20) {
        CUZK_TRY(cuzk_cuda_msm_create(&b->msm, b->q, n, cuzk_cuda_msm_of_scalars(255), group, err));
        CUZK_TRY(measure(b, g1 ? "msm_g1" : "msm_g2", n, g1 ? run_msm : run_msm_g2, 0, err));
        cuzk_cuda_msm_destroy(b->msm, b->q);
        b->msm = NULL;
    }
    if (g1) {
        CUZK_TRY(measure(b, "msm_make_images", n, run_images, 0, err));
        CUZK_TRY(cuzk_cuda_msm_create(&b->msm, b->q, n, cuzk_cuda_msm_of_images(), group, err));
        CUZK_TRY(measure(b, "msm_g1_images", n, run_msm_images, 0, err));
        cuzk_cuda_msm_destroy(b->msm, b->q);
        b->msm = NULL;
    }
    CUZK_TRY(cuzk_cuda_msm_create(&b->msm, b->q, n, cuzk_cuda_msm_of_bits(), group, err));
    CUZK_TRY(
        measure(b, g1 ? "msm_bits_g1" : "msm_bits_g2", n, g1 ? run_bits : run_bits_g2, 0, err));
    cuzk_cuda_msm_destroy(b->msm, b->q);
    b->msm = NULL;
    return CUZK_OK;
}

static cuzk_status run_all(bench *b, cuzk_err *err)
{
    static const struct {
        const char *name;
        bench_op op;
    } ops[] = {{"fp_mul", BENCH_FP_MUL},
               {"fp_sqr", BENCH_FP_SQR},
               {"fr_mul", BENCH_FR_MUL},
               {"g1_xyzz_add_affine", BENCH_XYZZ_ADD},
               {"fp_inv_in_turn", BENCH_FP_INV}};
    static const unsigned sizes[] = {16, 18, 20, 22, 24, 26, 27};
    static const unsigned sizes_g2[] = {16, 18, 20, 22, 25};
    CUZK_TRY(setup(b, err));
    for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
        b->op = ops[i].op;
        const double n = bench_op_count(b->op);
        CUZK_TRY(measure(b, ops[i].name, (uint64_t)n, run_op, n, err));
    }
    for (size_t i = 0;
         !b->only_ntt && i < sizeof(sizes) / sizeof(sizes[0]) && sizes[i] <= b->max_lg; i++) {
        CUZK_TRY(measure_msm(b, sizes[i], CUZK_CUDA_MSM_G1, err));
    }
    for (size_t i = 0;
         !b->only_ntt && i < sizeof(sizes_g2) / sizeof(sizes_g2[0]) && sizes_g2[i] <= b->lg_bases2;
         i++) {
        CUZK_TRY(measure_msm(b, sizes_g2[i], CUZK_CUDA_MSM_G2, err));
    }
    if (b->only_msm) {
        return CUZK_OK;
    }
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]) && sizes[i] <= b->max_lg; i++) {
        b->lg = sizes[i];
        const uint64_t n = (uint64_t)1 << b->lg;
        CUZK_TRY(cuzk_cuda_ntt_create(&b->ntt, b->q, b->lg, NULL, false, err));
        CUZK_TRY(measure(b, "ntt_inverse_nr", n, run_inverse, 0, err));
        CUZK_TRY(measure(b, "ntt_forward_rn", n, run_forward, 0, err));
        CUZK_TRY(measure(b, "ntt_forward_rn_coset", n, run_coset, 0, err));
        CUZK_TRY(measure(b, "ntt_to_coset", n, run_to_coset, 0, err));
        CUZK_TRY(measure(b, "ntt_product", n, run_product, 0, err));
        CUZK_TRY(measure(b, "ntt_quotient", n, run_quotient, 0, err));
        cuzk_cuda_ntt_destroy(b->ntt, b->q);
        b->ntt = NULL;
    }
    return CUZK_OK;
}

/* The queue adds up as the device was measured to be faster. */
static cuzk_status take_choice(bench *b, uint32_t device, cuzk_err *err)
{
    cuzk_accel *dev = NULL;
    cuzk_cuda_choice c;
    CUZK_TRY(cuzk_accel_cuda_open(&dev, device, 0, err));
    const cuzk_status st = cuzk_accel_cuda_tune(dev, &c, false, err);
    cuzk_accel_close(dev);
    if (st == CUZK_OK) {
        b->q->card.xyzz = c.chosen.xyzz;
        b->q->card.costs = c.chosen.costs;
    }
    return st;
}

/* Value of --name=N, or -1. */
static long option(const char *arg, const char *name)
{
    const size_t n = strlen(name);
    char *end = NULL;
    if (strncmp(arg, name, n) != 0) {
        return -1;
    }
    const long v = strtol(arg + n, &end, 10);
    return end == arg + n || *end != '\0' || v < 0 ? -1 : v;
}

int main(int argc, char **argv)
{
    bench b = {.runs = 7, .max_lg = CUZK_CUDA_NTT_MAX_LG};
    cuzk_err err;
    long device = 0;
    bool way = false, xyzz = false, cached = false;
    for (int i = 1; i < argc; i++) {
        const long runs = option(argv[i], "--runs="), lg = option(argv[i], "--max-lg=");
        const long dev = option(argv[i], "--device=");
        if (strcmp(argv[i], "--msm") == 0) {
            b.only_msm = true;
            continue;
        }
        if (strcmp(argv[i], "--tuned") == 0) {
            b.tuned = true;
            continue;
        }
        if (strncmp(argv[i], "--way=", 6) == 0) {
            way = true;
            xyzz = strcmp(argv[i] + 6, "xyzz") == 0;
            cached = strcmp(argv[i] + 6, "cached") == 0;
            if (xyzz || cached || strcmp(argv[i] + 6, "affine") == 0) {
                continue;
            }
        }
        if (strncmp(argv[i], "--as-card=", 10) == 0) {
            cuzk_card card;
            if (cuzk_card_parse(&card, argv[i] + 10, &err) != CUZK_OK) {
                fprintf(stderr, "cuzk_bench_cuda: %s\n", err.msg);
                return 2;
            }
            cuzk_card_play(&card);
            continue;
        }
        if (strcmp(argv[i], "--ntt") == 0) {
            b.only_ntt = true;
            continue;
        }
        if (runs >= 1 && runs <= (long)MAX_RUNS) {
            b.runs = (unsigned)runs;
        } else if (lg >= (long)LG_POINTS && lg <= CUZK_CUDA_NTT_MAX_LG) {
            b.max_lg = (unsigned)lg;
        } else if (dev >= 0 && dev < 1024) {
            device = dev;
        } else {
            fprintf(
                stderr,
                "usage: %s [--runs=1..64] [--max-lg=16..27] [--device=N] [--as-card=CLASS[:MEMORY]] "
                "[--tuned] [--way=affine|xyzz|cached] [--msm | --ntt]\n",
                argv[0]);
            return 2;
        }
    }
    cuzk_status st = cuzk_cuda_queue_create(&b.q, (int)device, &err);
    if (st == CUZK_OK && b.tuned) {
        st = take_choice(&b, (uint32_t)device, &err);
    }
    if (st == CUZK_OK) {
        b.q->card.xyzz = way ? xyzz : b.q->card.xyzz;
        b.q->card.cached_tree = way ? cached : b.q->card.cached_tree;
        st = run_all(&b, &err);
    }
    if (st != CUZK_OK) {
        fprintf(stderr, "cuzk_bench_cuda: %s\n", err.msg);
    }
    if (b.q != NULL) {
        cuzk_cuda_ntt_destroy(b.ntt, b.q);
        cuzk_cuda_msm_destroy(b.msm, b.q);
        cuzk_cuda_free(b.q, b.d_bases);
        cuzk_cuda_free(b.q, b.d_images);
        cuzk_cuda_free(b.q, b.d_bases2);
        cuzk_cuda_free(b.q, b.d_scalars);
        cuzk_cuda_free(b.q, b.d_sink);
        cuzk_cuda_queue_destroy(b.q);
    }
    return st == CUZK_OK ? 0 : 1;
}
