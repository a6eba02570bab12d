/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_REPORT_STATS_H
#define CUZK_REPORT_STATS_H

/*
 * What a few runs show. Intervals of medians come from order statistics (binomial), those
 * of a shift between two samples from the exact distribution of the Mann-Whitney statistic with the
 * Hodges-Lehmann estimate inside; neither assumes a shape of the noise. Below eight runs on a side
 * the exact distribution is too coarse for many layers at once, and Welch's t is used instead.
 */
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

typedef struct cuzk_interval {
    double value, lo, hi; /* lo, hi infinite: nothing can be said */
} cuzk_interval;

typedef enum cuzk_shift_method {
    CUZK_SHIFT_NONE, /* fewer than three runs on a side */
    CUZK_SHIFT_WELCH,
    CUZK_SHIFT_RANKS
} cuzk_shift_method;

/** Of v [n], n > 0; sorts v. */
double cuzk_stats_median(double *v, size_t n);
/**
 * Median of v [n], n > 0, with an interval of at least `confidence` where n allows it, else from
 * the least to the greatest; *reached (may be NULL) is what it has. Sorts v.
 */
cuzk_interval cuzk_stats_median_interval(double *v, size_t n, double confidence, double *reached);
/**
 * b minus a in their unit, with an interval of the confidence given. a [na], b [nb] are kept. E_NOMEM.
 */
CUZK_NODISCARD cuzk_status cuzk_stats_shift(cuzk_interval *out, cuzk_shift_method *method,
                                            const double *a, size_t na, const double *b, size_t nb,
                                            double confidence, cuzk_err *err);
/** t with P(|T| <= t) = confidence for df degrees of freedom, df > 0. */
double cuzk_stats_t_quantile(double confidence, double df);

#endif /* CUZK_REPORT_STATS_H */
