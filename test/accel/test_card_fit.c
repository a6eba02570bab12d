/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Costs of a card from times of sums, and the widths of windows that follow from costs. */
#include <math.h>
#include <string.h>

#include "accel/card/fit.h"
#include "accel/card/tuning.h"
#include "accel/cuda/msm/msm_internal.h"

#include "test.h"

#define LG    CUZK_CARD_TIMED_LG
#define BITS  255u
#define WAYS  CUZK_CARD_TIMED
#define LG_GB 30u
#define ROOM  ((uint64_t)16 << 20) /* of a queue, and between blocks */

static const cuzk_card_costs *row(void)
{
    cuzk_card card;
    cuzk_err err;
    CHECK_OK(cuzk_card_parse(&card, "9.0", &err), &err);
    return &cuzk_card_tuning_of(&card)->costs;
}

static uint64_t windows_of(unsigned width)
{
    return BITS / width + 1;
}

static uint64_t buckets_of(unsigned width)
{
    return (windows_of(width) - 1) * ((uint64_t)1 << (width - 1)) + ((uint64_t)1 << BITS % width);
}

static double cost_of(double term, double bucket, unsigned lg, unsigned width)
{
    return (double)(windows_of(width) << lg) * term + (double)buckets_of(width) * bucket;
}

static double hex_cost_of(double term, double bucket, unsigned lg, unsigned d)
{
    return d * ((double)((uint64_t)1 << lg) * term + (double)cuzk_hex_keys_of(d) * bucket);
}

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

static double distance_of(double a, double b)
{
    return a < b ? b - a : a - b;
}

/* Between -1 and 1. */
static double noise(void)
{
    return (double)test_below(2000001) / 1e6 - 1;
}

/* Times of the five widths, or numbers of digits, each off by at most `part`. */
static void times_of(cuzk_card_timing t[WAYS], bool hex, double term, double bucket, double part)
{
    for (size_t i = 0; i < WAYS; i++) {
        const unsigned kind = bucket < 3 * term ? 1 : 0; /* as additions in XYZZ have it */
        const unsigned shape =
            hex ? CUZK_CARD_TIMED_DIGITS[kind][i] : CUZK_CARD_TIMED_WIDTHS[kind][i];
        t[i].shape = shape;
        t[i].terms = (hex ? shape : windows_of(shape)) << LG;
        t[i].buckets = hex ? (uint64_t)shape * cuzk_hex_keys_of(shape) : buckets_of(shape);
        const double ps =
            hex ? hex_cost_of(term, bucket, LG, shape) : cost_of(term, bucket, LG, shape);
        t[i].ms = ps * 1e-9 * (1 + part * noise());
    }
}

static bool is_near(double a, double b, double part)
{
    return distance_of(a, b) <= part * b;
}

static const struct {
    double term, bucket;
} truths[] = {{330, 1800}, {305, 3500}, {470, 940},     {2600, 7000},
              {100, 600},  {900, 900},  {40000, 90000}, {25, 1000}};
#define TRUTHS (sizeof(truths) / sizeof(truths[0]))

static void exact_times_give_the_costs(void)
{
    for (size_t i = 0; i < TRUTHS; i++) {
        for (int hex = 0; hex < 2; hex++) {
            cuzk_card_timing t[WAYS];
            cuzk_card_fit f;
            times_of(t, hex != 0, truths[i].term, truths[i].bucket, 0);
            cuzk_card_fit_sums(&f, t, WAYS, 330, 1800);
            CHECK_MSG(f.refused == NULL, "%s", f.refused);
            CHECK(f.residual < 1e-3);
            CHECK(is_near(f.term_ps, truths[i].term, 0.001) ||
                  distance_of(f.term_ps, truths[i].term) < 1);
            CHECK(is_near(f.bucket_ps, truths[i].bucket, 0.001));
        }
    }
}

/* Times off by 3 % choose widths that take at most 6 % more than the best one, for every number of terms. */
static void noise_chooses_good_widths(void)
{
    for (size_t k = 0; k < test_iters(100); k++) {
        for (size_t i = 0; i < TRUTHS; i++) {
            const double term = truths[i].term, bucket = truths[i].bucket;
            cuzk_card_timing t[WAYS];
            cuzk_card_fit f, h;
            times_of(t, false, term, bucket, 0.03);
            cuzk_card_fit_sums(&f, t, WAYS, (uint32_t)term, (uint32_t)bucket);
            times_of(t, true, term, bucket, 0.03);
            cuzk_card_fit_sums(&h, t, WAYS, (uint32_t)term, (uint32_t)bucket);
            const cuzk_card_costs c = {f.term_ps, f.term_ps, f.bucket_ps, h.term_ps, h.bucket_ps};
            CHECK(cuzk_card_costs_are_plausible(&c));
            for (unsigned lg = 16; lg <= 27; lg++) {
                const unsigned w = cuzk_cuda_msm_width(&c, lg, BITS);
                const unsigned d = cuzk_cuda_msm_hex_digits(&c, lg);
                double least = 1e300, hex_least = 1e300;
                for (unsigned x = 11; x <= CUZK_CUDA_MSM_MAX_C; x++) {
                    least = smaller(least, cost_of(term, bucket, lg, x));
                    hex_least = smaller(hex_least, hex_cost_of(term, bucket, lg, x));
                }
                CHECK_MSG(cost_of(term, bucket, lg, w) < 1.06 * least,
                          "2^%u terms of %g, %g ps: %u bits by %u, %u", lg, term, bucket, w,
                          f.term_ps, f.bucket_ps);
                CHECK_MSG(hex_cost_of(term, bucket, lg, d) < 1.06 * hex_least,
                          "2^%u terms of %g, %g ps: %u digits by %u, %u", lg, term, bucket, d,
                          h.term_ps, h.bucket_ps);
            }
        }
    }
}

/* A part of each sum that is neither of terms nor of buckets (1 ms of 12) moves costs, and hardly widths. */
static void constant_part_is_borne(void)
{
    cuzk_card_timing t[WAYS];
    cuzk_card_fit f;
    times_of(t, false, 300, 1800, 0);
    for (size_t i = 0; i < WAYS; i++) {
        t[i].ms += 1;
    }
    cuzk_card_fit_sums(&f, t, WAYS, 330, 1800);
    CHECK(f.refused == NULL && f.residual < 0.02);
    CHECK(is_near(f.term_ps, 330, 0.05) && is_near(f.bucket_ps, 1950, 0.1));
}

static bool has_proportions(const cuzk_card_fit *f, double term, double bucket)
{
    return is_near((double)f->bucket_ps / f->term_ps, bucket / term, 0.01);
}

static void disturbed_times_are_refused(void)
{
    static const double bad[] = {0,    -1,   (double)NAN, (double)INFINITY, -(double)INFINITY,
                                 1e12, 1e300};
    cuzk_card_timing t[WAYS];
    cuzk_card_fit f;
    for (size_t i = 0; i < WAYS; i++) {
        for (size_t k = 0; k < sizeof(bad) / sizeof(bad[0]); k++) {
            times_of(t, false, 660, 3600, 0);
            t[i].ms = bad[k];
            cuzk_card_fit_sums(&f, t, WAYS, 330, 1800);
            CHECK(f.refused != NULL && has_proportions(&f, 330, 1800));
            CHECK(is_near(f.term_ps, 660, 0.01)); /* scaled by the fastest of the others */
        }
        /* Another program was at work during one sum. */
        times_of(t, false, 330, 1800, 0);
        t[i].ms *= 1.6;
        cuzk_card_fit_sums(&f, t, WAYS, 330, 1800);
        CHECK(f.refused != NULL && has_proportions(&f, 330, 1800));
    }
    /* Times that follow the model, with costs that no card has. */
    times_of(t, false, 2, 20, 0);
    cuzk_card_fit_sums(&f, t, WAYS, 330, 1800);
    CHECK(f.refused != NULL && f.term_ps == 330 && f.bucket_ps == 1800);
    times_of(t, false, 300, 60000, 0);
    cuzk_card_fit_sums(&f, t, WAYS, 330, 1800);
    CHECK(f.refused != NULL && has_proportions(&f, 330, 1800));
    for (size_t i = 0; i < WAYS; i++) {
        t[i].ms = (double)t[i].buckets; /* terms that cost nothing */
    }
    cuzk_card_fit_sums(&f, t, WAYS, 330, 1800);
    CHECK(f.refused != NULL);
    /* None of use at all. */
    memset(t, 0, sizeof(t));
    cuzk_card_fit_sums(&f, t, WAYS, 330, 1800);
    CHECK(f.refused != NULL && f.term_ps == 330 && f.bucket_ps == 1800);
}

static void alike_widths(void)
{
    cuzk_card_timing t[WAYS];
    cuzk_card_fit f;
    times_of(t, false, 400, 1000, 0);
    t[1] = t[0];
    cuzk_card_fit_sums(&f, t, WAYS, 330, 1800);
    CHECK(f.refused == NULL && is_near(f.bucket_ps, 1000, 0.01));
    for (size_t i = 1; i < WAYS; i++) {
        t[i] = t[0];
    }
    cuzk_card_fit_sums(&f, t, WAYS, 330, 1800);
    CHECK(f.refused != NULL && has_proportions(&f, 330, 1800));
    for (size_t n = 0; n < 3; n++) {
        times_of(t, false, 400, 1000, 0);
        cuzk_card_fit_sums(&f, t, n, 330, 1800);
        CHECK(f.refused != NULL && has_proportions(&f, 330, 1800));
    }
}

/* Buckets that seem to cost less than a term get the least cost that there is. */
static void buckets_have_a_floor(void)
{
    cuzk_card_timing t[WAYS];
    cuzk_card_fit f;
    times_of(t, false, 400, 320, 0);
    cuzk_card_fit_sums(&f, t, WAYS, 330, 1800);
    CHECK(f.refused == NULL && f.bucket_ps == f.term_ps && is_near(f.term_ps, 393, 0.03));
}

static void small_terms(void)
{
    const cuzk_card_fit f = {.term_ps = 330, .bucket_ps = 1800};
    cuzk_card_timing t = {.shape = 19, .terms = windows_of(19) << LG, .buckets = buckets_of(19)};
    t.ms = ((double)t.terms * 430 + (double)t.buckets * 1800) * 1e-9;
    CHECK_U64(cuzk_card_small_term(&f, &t), 430);
    t.ms *= 10;
    CHECK_U64(cuzk_card_small_term(&f, &t), 990);
    t.ms /= 100;
    CHECK_U64(cuzk_card_small_term(&f, &t), 330);
    t.ms = (double)NAN;
    CHECK_U64(cuzk_card_small_term(&f, &t), 330);
}

static void plausible_costs(void)
{
    const cuzk_card_costs *good = row();
    CHECK(cuzk_card_costs_are_plausible(good));
    cuzk_card_costs c = {0, 0, 0, 0, 0};
    CHECK(!cuzk_card_costs_are_plausible(&c));
    uint32_t *const each[] = {&c.term_ps, &c.small_term_ps, &c.bucket_ps, &c.hex_term_ps,
                              &c.hex_bucket_ps};
    for (size_t i = 0; i < 5; i++) {
        static const uint32_t bad[] = {0, 1, 3000000, UINT32_MAX};
        for (size_t k = 0; k < 4; k++) {
            c = *good;
            *each[i] = bad[k];
            CHECK_MSG(!cuzk_card_costs_are_plausible(&c), "cost %zu: %u", i, bad[k]);
        }
    }
}

/* The widths of the table's row, as bench/results/2026-11-29-h200-msm-hex.md has them. */
static void row_gives_known_widths(void)
{
    static const unsigned known[][3] = {{22, 16, 15}, {24, 20, 13}, {26, 20, 12}, {27, 22, 12}};
    for (size_t i = 0; i < 4; i++) {
        CHECK_U64(cuzk_cuda_msm_width(row(), known[i][0], BITS), known[i][1]);
        CHECK_U64(cuzk_cuda_msm_hex_digits(row(), known[i][0]), known[i][2]);
    }
}

/* The dearer a bucket, the fewer of them: narrower windows, more digits. */
static void dear_buckets_make_narrow_windows(void)
{
    for (unsigned lg = 16; lg <= 28; lg++) {
        unsigned width = CUZK_CUDA_MSM_MAX_C, n = 0;
        for (uint32_t bucket = 330; bucket <= 33000; bucket += 330) {
            const cuzk_card_costs c = {330, 330, bucket, 330, bucket};
            const unsigned w = cuzk_cuda_msm_width(&c, lg, BITS);
            const unsigned d = cuzk_cuda_msm_hex_digits(&c, lg);
            CHECK(w <= width && w >= 10 && d >= n && d <= CUZK_CUDA_MSM_MAX_HEX);
            width = w;
            n = d;
        }
    }
}

/* A card's own costs are the ones that its sums and its workspaces go by. */
static void costs_of_a_card(void)
{
    cuzk_card card;
    cuzk_err err;
    CHECK_OK(cuzk_card_parse(&card, "8.9:24GiB", &err), &err);
    CHECK_MEM(cuzk_card_costs_of(&card), row(), sizeof(*row()));
    const cuzk_card_costs own = {400, 500, 900, 380, 1200};
    card.costs = own;
    CHECK(cuzk_card_costs_of(&card) == &card.costs);
    const cuzk_cuda_msm_tuning t = cuzk_cuda_msm_tuning_of(&card, CUZK_CUDA_MSM_G1);
    for (unsigned lg = 16; lg <= 27; lg++) {
        cuzk_cuda_msm_shape s;
        cuzk_cuda_msm_shape_of(&s, (uint64_t)1 << lg, cuzk_cuda_msm_of_scalars(BITS), &t, &card);
        CHECK_U64(s.c, cuzk_cuda_msm_width(&own, lg, BITS));
        cuzk_cuda_msm_shape_of(&s, (uint64_t)1 << lg, cuzk_cuda_msm_of_images(), &t, &card);
        CHECK_U64(s.base.digits, cuzk_cuda_msm_hex_digits(&own, lg));
    }
}

static uint64_t distance(const void *from, const void *to)
{
    return (uint64_t)((uintptr_t)to - (uintptr_t)from);
}

/* Every smaller sum fits the workspace of n_max terms, whatever the costs. */
static void workspaces_hold_smaller_sums(void)
{
    cuzk_card card;
    cuzk_err err;
    CHECK_OK(cuzk_card_parse(&card, "8.6:12GiB", &err), &err);
    for (size_t k = 0; k < test_iters(50); k++) {
        const uint32_t term = 100 + (uint32_t)test_below(1000);
        const cuzk_card_costs c = {term, term * 4 / 3, term * (1 + (uint32_t)test_below(30)), term,
                                   term * (1 + (uint32_t)test_below(60))};
        CHECK(cuzk_card_costs_are_plausible(&c));
        card.costs = c;
        card.xyzz = test_below(2) != 0;
        cuzk_cuda_msm_tuning t = cuzk_cuda_msm_tuning_of(&card, CUZK_CUDA_MSM_G1);
        t.width = test_below(3) == 0 ? 6 + (unsigned)test_below(17) : 0;
        const cuzk_cuda_msm_terms terms =
            test_below(2) != 0 ? cuzk_cuda_msm_of_images() : cuzk_cuda_msm_of_scalars(BITS);
        const uint64_t n_max = 1 + test_below((uint64_t)1 << (1 + test_below(27)));
        char *const base = (char *)(uintptr_t)256;
        cuzk_cuda_msm_memory m;
        cuzk_cuda_msm_place(&m, base, n_max, terms, CUZK_CUDA_MSM_G1, &t, &card);
        for (int i = 0; i < 40; i++) {
            cuzk_cuda_msm_shape s;
            const uint64_t n = i == 0 ? n_max : 1 + test_below(n_max);
            cuzk_cuda_msm_shape_of(&s, n, terms, &t, &card);
            CHECK(distance(m.d_buckets, m.d_heads) >= s.buckets * sizeof(cuzk_g1_xyzz));
            CHECK(distance(m.d_digits, m.d_entries) >= n * s.digits * 4);
            CHECK(distance(m.d_entries, m.d_list) >= n * s.batch * 8);
            CHECK(distance(m.d_list, m.d_bin_start) >=
                  4 * cuzk_cuda_msm_list_length(n * s.batch, 0, s.levels));
            CHECK(s.windows <= CUZK_CUDA_MSM_MAX_WIN && (!s.hex || 2 * s.windows <= 44));
        }
    }
}

/* What cuzk_accel_cuda_tune takes of a device's memory: its points, images and scalars, and one workspace, which is larger
 * than what the making of the points takes. */
static void a_measurement_fits_3_gb(void)
{
    for (size_t i = 0; i < CUZK_CARD_CLASSES; i++) {
        for (unsigned gb = 8; gb <= 128; gb *= 4) {
            cuzk_card card = {.klass = &CUZK_CARD_TABLE[i], .sms = CUZK_CARD_TABLE[i].sms};
            card.memory = (uint64_t)(gb - 1) << LG_GB;
            const uint64_t inputs = (uint64_t)(96 + CUZK_CUDA_MSM_IMAGE_BYTES + 32) << LG;
            cuzk_cuda_msm_tuning t = cuzk_cuda_msm_tuning_of(&card, CUZK_CUDA_MSM_G1);
            cuzk_cuda_msm_memory m;
            t.lg_batch_entries = 24;
            for (unsigned k = 0; k < 2 * WAYS; k++) {
                card.xyzz = k >= WAYS;
                t.hex_digits = 0;
                t.width = CUZK_CARD_TIMED_WIDTHS[k / WAYS][k % WAYS];
                cuzk_cuda_msm_place(&m, NULL, (uint64_t)1 << LG, cuzk_cuda_msm_of_scalars(BITS),
                                    CUZK_CUDA_MSM_G1, &t, &card);
                CHECK_MSG(m.bytes + inputs + ROOM < 3000000000, "%u bits: %llu", t.width,
                          (unsigned long long)m.bytes);
                t.width = 0;
                t.hex_digits = CUZK_CARD_TIMED_DIGITS[k / WAYS][k % WAYS];
                cuzk_cuda_msm_place(&m, NULL, (uint64_t)1 << LG, cuzk_cuda_msm_of_images(),
                                    CUZK_CUDA_MSM_G1, &t, &card);
                CHECK_MSG(m.bytes + inputs + ROOM < 3000000000, "%u digits: %llu", t.hex_digits,
                          (unsigned long long)m.bytes);
            }
        }
    }
}

static const cuzk_case cases[] = {CASE(exact_times_give_the_costs),
                                  CASE(noise_chooses_good_widths),
                                  CASE(constant_part_is_borne),
                                  CASE(disturbed_times_are_refused),
                                  CASE(alike_widths),
                                  CASE(buckets_have_a_floor),
                                  CASE(small_terms),
                                  CASE(plausible_costs),
                                  CASE(row_gives_known_widths),
                                  CASE(dear_buckets_make_narrow_windows),
                                  CASE(costs_of_a_card),
                                  CASE(workspaces_hold_smaller_sums),
                                  CASE(a_measurement_fits_3_gb)};
TEST_MAIN("accel/card_fit", cases)
