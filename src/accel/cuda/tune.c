/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * How a device adds up points: what a table cannot know of a card. The same sum of 2^21 terms is timed in several ways.
 * - Affine additions, additions in XYZZ, or affine ones in two levels through the second-level cache: the first take half the
 *   multiplications of the second and five times the bytes, so which is faster depends on the card's memory, multiplier and cache.
 * - Then, with the faster ones, windows of several widths, and several numbers of hexagonal digits: the costs of a term and of a bucket
 *   are fitted to these times (accel/card/fit.h), and all widths follow from them. One width has buckets too small for affine additions,
 *   and gives the cost of such a term.
 * Taken from the table, not measured: from which sizes on there are levels of affine additions, and images.
 */
#include <string.h>

#include "accel/card/tuning.h"
#include "accel/cuda/msm/msm_internal.h"

#include "tune_internal.h"

#define RUNS     3
#define GAIN     0.97 /* of the time of a tree, and of the better of both */
/* Four windows at a time, so that workspaces fit 3 GB: three levels of affine additions where large sums have four or five. */
#define LG_BATCH 24u
/* Both ways of additions are timed at the width that the table's costs give 2^21 terms. */
#define WIDTH    16u

typedef struct timing {
    gpu_device *d;
    cuzk_cuda_queue *q;
    gpu_tune_inputs in;
    bool has_sum;
    cuzk_g1 sum; /* of the first way, which is that of all others */
} timing;

static void swap_if(double *a, double *b)
{
    if (*b < *a) {
        const double c = *a;
        *a = *b;
        *b = c;
    }
}

static cuzk_status check_sum(timing *t, const cuzk_g1 *sum, bool hex, unsigned shape, cuzk_err *err)
{
    if (!t->has_sum) {
        t->sum = *sum;
        t->has_sum = true;
    }
    if (!cuzk_g1_eq(&t->sum, sum)) {
        return CUZK_FAIL(err, CUZK_E_DEV_UNFIT, "%s: another sum of 2^%u terms in %s %u, %s",
                         t->d->name, GPU_TUNE_LG,
                         hex ? "hexagonal digits, number" : "windows of bits:", shape,
                         t->q->card.xyzz          ? "in XYZZ"
                         : t->q->card.cached_tree ? "by affine additions through the cache"
                                                  : "by affine additions");
    }
    return CUZK_OK;
}

/* One way: the median of RUNS after one. shape: bits of a window, or hexagonal digits. */
static cuzk_status time_sum(timing *t, bool hex, unsigned shape, cuzk_card_timing *out,
                            cuzk_err *err)
{
    const cuzk_cuda_msm_terms terms =
        hex ? cuzk_cuda_msm_of_images() : cuzk_cuda_msm_of_scalars(255);
    cuzk_cuda_msm_tuning tuning = cuzk_cuda_msm_tuning_of(&t->q->card, CUZK_CUDA_MSM_G1);
    cuzk_cuda_msm *m = NULL;
    cuzk_cuda_msm_shape s;
    cuzk_status st = CUZK_OK;
    cuzk_g1 sum;
    double took[RUNS];
    tuning.lg_batch_entries = LG_BATCH;
    tuning.width = hex ? 0 : shape;
    tuning.hex_digits = hex ? shape : 0;
    CUZK_TRY(cuzk_cuda_msm_create_tuned(&m, t->q, NULL, 0, GPU_TUNE_TERMS, terms, CUZK_CUDA_MSM_G1,
                                        &tuning, err));
    for (int i = -1; i < RUNS; i++) {
        CUZK_TRY_GOTO(st, cuzk_cuda_timer_start(t->q, err));
        CUZK_TRY_GOTO(st,
                      hex ? cuzk_cuda_msm_images_g1_enqueue(m, t->q, t->in.d_bases, t->in.d_images,
                                                            t->in.d_scalars, GPU_TUNE_TERMS, err)
                          : cuzk_cuda_msm_g1_enqueue(m, t->q, t->in.d_bases, t->in.d_scalars,
                                                     GPU_TUNE_TERMS, err));
        CUZK_TRY_GOTO(st, cuzk_cuda_timer_stop(t->q, i < 0 ? &took[0] : &took[i], err));
        CUZK_TRY_GOTO(st, cuzk_cuda_msm_g1_finish(m, &sum, err));
        CUZK_TRY_GOTO(st, check_sum(t, &sum, hex, shape, err));
    }
    swap_if(&took[0], &took[1]);
    swap_if(&took[1], &took[2]);
    swap_if(&took[0], &took[1]);
    cuzk_cuda_msm_shape_of(&s, GPU_TUNE_TERMS, terms, &tuning, &t->q->card);
    out->shape = shape;
    out->terms = (uint64_t)s.windows << GPU_TUNE_LG;
    out->buckets = hex ? (uint64_t)s.windows * s.keys : s.buckets;
    out->ms = took[1];
out:
    cuzk_cuda_msm_destroy(m, t->q);
    return st;
}

static cuzk_status choose_additions(timing *t, cuzk_cuda_choice *out, cuzk_err *err)
{
    cuzk_card_timing affine, xyzz, cached;
    t->q->card.xyzz = t->q->card.cached_tree = false;
    CUZK_TRY(time_sum(t, false, WIDTH, &affine, err));
    t->q->card.cached_tree = true;
    CUZK_TRY(time_sum(t, false, WIDTH, &cached, err));
    t->q->card.cached_tree = false;
    t->q->card.xyzz = true;
    CUZK_TRY(time_sum(t, false, WIDTH, &xyzz, err));
    out->affine_ms = affine.ms;
    out->xyzz_ms = xyzz.ms;
    out->cached_ms = cached.ms;
    out->chosen.xyzz = xyzz.ms < GAIN * affine.ms;
    out->chosen.cached_tree = cached.ms < GAIN * (out->chosen.xyzz ? xyzz.ms : affine.ms);
    out->chosen.xyzz = out->chosen.xyzz && !out->chosen.cached_tree;
    t->q->card.xyzz = out->chosen.xyzz;
    t->q->card.cached_tree = out->chosen.cached_tree;
    return CUZK_OK;
}

static cuzk_status time_widths(timing *t, cuzk_cuda_choice *out, cuzk_err *err)
{
    const unsigned kind = out->chosen.xyzz ? 1 : 0;
    for (size_t i = 0; i < CUZK_CARD_TIMED; i++) {
        CUZK_TRY(time_sum(t, false, CUZK_CARD_TIMED_WIDTHS[kind][i], &out->widths[i], err));
    }
    if (!out->chosen.xyzz) {
        CUZK_TRY(time_sum(t, false, CUZK_CARD_SMALL_WIDTH, &out->small, err));
    }
    for (size_t i = 0; i < CUZK_CARD_TIMED; i++) {
        CUZK_TRY(time_sum(t, true, CUZK_CARD_TIMED_DIGITS[kind][i], &out->digits[i], err));
    }
    return CUZK_OK;
}

/*
 * Costs of large sums from those of 2^21 terms, which have fewer levels of affine additions: on the card that was
 * measured at both, the second ones became the first.
 */
static uint32_t of_large_sums(uint32_t ps, uint32_t row_ps, uint32_t fitted_ps)
{
    return (uint32_t)((uint64_t)ps * row_ps / fitted_ps);
}

static void fit(cuzk_cuda_choice *out, const cuzk_card_costs *fitted)
{
    const cuzk_card_costs *row = &out->row;
    cuzk_card_costs *c = &out->chosen.costs;
    cuzk_card_fit_sums(&out->by_width, out->widths, CUZK_CARD_TIMED, row->term_ps, row->bucket_ps);
    cuzk_card_fit_sums(&out->by_digits, out->digits, CUZK_CARD_TIMED, row->hex_term_ps,
                       row->hex_bucket_ps);
    c->term_ps = out->by_width.term_ps;
    c->bucket_ps = out->by_width.bucket_ps;
    c->hex_term_ps = out->by_digits.term_ps;
    c->hex_bucket_ps = out->by_digits.bucket_ps;
    c->small_term_ps = out->chosen.xyzz ? c->term_ps /* additions are of one kind everywhere */
                                        : cuzk_card_small_term(&out->by_width, &out->small);
    if (out->by_width.refused == NULL && !out->chosen.xyzz) {
        c->term_ps = of_large_sums(c->term_ps, row->term_ps, fitted->term_ps);
        c->small_term_ps =
            of_large_sums(c->small_term_ps, row->small_term_ps, fitted->small_term_ps);
        c->bucket_ps = of_large_sums(c->bucket_ps, row->bucket_ps, fitted->bucket_ps);
    }
    if (out->by_digits.refused == NULL && !out->chosen.xyzz) {
        c->hex_term_ps = of_large_sums(c->hex_term_ps, row->hex_term_ps, fitted->hex_term_ps);
        c->hex_bucket_ps =
            of_large_sums(c->hex_bucket_ps, row->hex_bucket_ps, fitted->hex_bucket_ps);
    }
    if (!cuzk_card_costs_are_plausible(c)) { /* the two fits contradict each other */
        *c = *row;
        out->by_width.refused = out->by_digits.refused = "terms of both kinds differ too much";
    }
}

cuzk_status gpu_time_sums(cuzk_cuda_choice *out, gpu_device *d, cuzk_err *err)
{
    timing t;
    cuzk_status st = CUZK_OK;
    memset(&t, 0, sizeof(t));
    t.d = d;
    CUZK_TRY(cuzk_cuda_queue_create_in(&t.q, d->mem, err));
    memset(&t.q->card.costs, 0, sizeof(t.q->card.costs)); /* of an earlier measurement */
    CUZK_TRY_GOTO(st, gpu_tune_inputs_make(&t.in, t.q, err));
    CUZK_TRY_GOTO(st, choose_additions(&t, out, err));
    CUZK_TRY_GOTO(st, time_widths(&t, out, err));
    fit(out, &cuzk_card_tuning_of(&d->card)->fitted);
    out->is_measured = true;
out:
    gpu_tune_inputs_free(&t.in, t.q);
    cuzk_cuda_queue_destroy(t.q);
    return st;
}
