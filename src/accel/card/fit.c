/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "fit.h"

#define PS_PER_MS     1e9
#define LEAST_TIMINGS 3u
#define MOST_RESIDUAL 0.10
/* Of an H200 a term is 330 ps; the bounds are of cards from 16 times as fast to 600 times as slow. */
#define LEAST_TERM    20.0
#define MOST_TERM     200000.0
/* A bucket in terms: it has two additions in XYZZ, a term has one of some kind and its sort. */
#define LEAST_BUCKET  1.0
#define MOST_BUCKET   100.0
#define MOST_SMALL    3.0
#define MOST_HEX      3.0 /* a term of hexagonal digits against one of signed digits, either way */
/* 1 - cos^2 of the angle between terms and buckets, as vectors over the sums: below it they tell nothing apart. */
#define LEAST_ANGLE   0.02
/* The fitted costs are to find a width, of those timed, that takes little more than the fastest. */
#define MOST_LOSS     1.05

const unsigned CUZK_CARD_TIMED_WIDTHS[2][CUZK_CARD_TIMED] = {{12, 14, 16, 17, 18},
                                                             {12, 14, 16, 18, 20}};
const unsigned CUZK_CARD_TIMED_DIGITS[2][CUZK_CARD_TIMED] = {{13, 14, 15, 16, 18},
                                                             {12, 13, 14, 16, 18}};

static bool is_of_use(const cuzk_card_timing *t)
{
    return t->terms > 0 && t->ms > 0 && t->ms < 1e7; /* false of what is not a number */
}

static double model(const cuzk_card_timing *t, double term, double bucket)
{
    return (double)t->terms * term + (double)t->buckets * bucket;
}

/* The costs with the least sum of squares of (model / time - 1). Buckets that come out too cheap get the least
 * cost there is, and terms are fitted again. */
static const char *solve(const cuzk_card_timing *t, size_t n, double *term, double *bucket)
{
    double uu = 0, uv = 0, vv = 0, u1 = 0, v1 = 0, ww = 0, w1 = 0;
    if (n < LEAST_TIMINGS) {
        return "too few times";
    }
    for (size_t i = 0; i < n; i++) {
        if (!is_of_use(&t[i])) {
            return "a time is of no use";
        }
        const double ps = t[i].ms * PS_PER_MS;
        const double u = (double)t[i].terms / ps, v = (double)t[i].buckets / ps;
        const double w = u + LEAST_BUCKET * v;
        uu += u * u;
        uv += u * v;
        vv += v * v;
        u1 += u;
        v1 += v;
        ww += w * w;
        w1 += w;
    }
    const double det = uu * vv - uv * uv;
    if (!(det > LEAST_ANGLE * uu * vv)) {
        return "the widths are alike";
    }
    *term = (u1 * vv - v1 * uv) / det;
    *bucket = (v1 * uu - u1 * uv) / det;
    if (!(*term > 0)) {
        return "terms cost nothing";
    }
    if (*bucket < LEAST_BUCKET * *term) {
        *term = w1 / ww;
        *bucket = LEAST_BUCKET * *term;
    }
    return NULL;
}

/* How far the costs are off, and whether they find a fast one of the sums. */
static const char *examine(const cuzk_card_timing *t, size_t n, double term, double bucket,
                           double *residual)
{
    size_t fastest = 0, found = 0;
    for (size_t i = 0; i < n; i++) {
        const double off = model(&t[i], term, bucket) / (t[i].ms * PS_PER_MS) - 1;
        const double size = off < 0 ? -off : off;
        *residual = size > *residual ? size : *residual;
        fastest = t[i].ms < t[fastest].ms ? i : fastest;
        found = model(&t[i], term, bucket) < model(&t[found], term, bucket) ? i : found;
    }
    if (*residual > MOST_RESIDUAL) {
        return "the times do not follow the model";
    }
    if (term < LEAST_TERM || term > MOST_TERM || bucket > MOST_BUCKET * term) {
        return "a cost is out of bounds";
    }
    return t[found].ms > MOST_LOSS * t[fastest].ms ? "another width was faster" : NULL;
}

/* The factor on the row's costs that makes them right for the fastest sum. */
static double scale_of(const cuzk_card_timing *t, size_t n, double term, double bucket)
{
    double least = 0, scale = 1;
    for (size_t i = 0; i < n; i++) {
        if (is_of_use(&t[i]) && (least == 0 || t[i].ms < least)) {
            least = t[i].ms;
            scale = t[i].ms * PS_PER_MS / model(&t[i], term, bucket);
        }
    }
    return scale * term >= LEAST_TERM && scale * term <= MOST_TERM ? scale : 1;
}

void cuzk_card_fit_sums(cuzk_card_fit *out, const cuzk_card_timing *t, size_t n,
                        uint32_t row_term_ps, uint32_t row_bucket_ps)
{
    double term = 0, bucket = 0;
    out->residual = 0;
    out->refused = solve(t, n, &term, &bucket);
    if (out->refused == NULL) {
        out->refused = examine(t, n, term, bucket, &out->residual);
    }
    if (out->refused != NULL) {
        const double scale = scale_of(t, n, row_term_ps, row_bucket_ps);
        term = scale * row_term_ps;
        bucket = scale * row_bucket_ps;
    }
    out->term_ps = (uint32_t)(term + 0.5);
    out->bucket_ps = (uint32_t)(bucket + 0.5);
}

uint32_t cuzk_card_small_term(const cuzk_card_fit *fit, const cuzk_card_timing *t)
{
    const double term = fit->term_ps;
    if (!is_of_use(t)) {
        return fit->term_ps;
    }
    const double left = t->ms * PS_PER_MS - (double)t->buckets * fit->bucket_ps;
    const double small = left / (double)t->terms;
    return small < term                ? fit->term_ps
           : small > MOST_SMALL * term ? (uint32_t)MOST_SMALL * fit->term_ps
                                       : (uint32_t)(small + 0.5);
}

/* Both were rounded: a bound may be missed by one. */
static bool are_in_bounds(double term, double bucket)
{
    return term >= LEAST_TERM - 1 && term <= MOST_TERM + 1 && bucket + 1 >= LEAST_BUCKET * term &&
           bucket <= MOST_BUCKET * (term + 1);
}

bool cuzk_card_costs_are_plausible(const cuzk_card_costs *c)
{
    return are_in_bounds(c->term_ps, c->bucket_ps) &&
           are_in_bounds(c->hex_term_ps, c->hex_bucket_ps) && c->small_term_ps >= c->term_ps &&
           c->small_term_ps <= MOST_SMALL * c->term_ps && c->hex_term_ps <= MOST_HEX * c->term_ps &&
           c->term_ps <= MOST_HEX * c->hex_term_ps;
}
