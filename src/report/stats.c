/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "report/stats.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"

enum {
    RANKS_FROM = 8, /* runs on the smaller side */
    MOST = 120      /* values of a side that are used; more are thinned evenly */
};

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_sorted(const double *v, size_t n)
{
    return (v[(n - 1) / 2] + v[n / 2]) / 2;
}

double cuzk_stats_median(double *v, size_t n)
{
    qsort(v, n, sizeof(*v), compare);
    return median_sorted(v, n);
}

/* P(at most k of n fair coins). */
static double binomial_tail(size_t n, size_t k)
{
    double sum = 0;
    for (size_t i = 0; i <= k; i++) {
        sum += exp(lgamma((double)n + 1) - lgamma((double)i + 1) - lgamma((double)(n - i) + 1) -
                   (double)n * log(2));
    }
    return sum;
}

cuzk_interval cuzk_stats_median_interval(double *v, size_t n, double confidence, double *reached)
{
    size_t k = 0; /* [v_k, v_(n-1-k)] misses the median with probability 2 P(at most k heads) */
    cuzk_interval out = {.value = cuzk_stats_median(v, n)};
    while (2 * (k + 1) < n - 1 && 1 - 2 * binomial_tail(n, k + 1) >= confidence) {
        k++;
    }
    out.lo = v[k];
    out.hi = v[n - 1 - k];
    if (reached != NULL) {
        *reached = n == 1 ? 0 : 1 - 2 * binomial_tail(n, k);
    }
    return out;
}

/* Continued fraction of the incomplete beta function (Abramowitz and Stegun 26.5.8), by Lentz. */
static double beta_fraction(double a, double b, double x)
{
    const double tiny = 1e-300;
    double c = 1, d = 1 - (a + b) * x / (a + 1), f;
    d = fabs(d) < tiny ? tiny : d;
    d = 1 / d;
    f = d;
    for (int m = 1; m < 500; m++) {
        for (int odd = 0; odd < 2; odd++) {
            const double t = odd == 0
                                 ? m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
                                 : -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
            d = 1 + t * d;
            d = 1 / (fabs(d) < tiny ? tiny : d);
            c = 1 + t / c;
            c = fabs(c) < tiny ? tiny : c;
            f *= c * d;
        }
        if (fabs(c * d - 1) < 1e-15) {
            break;
        }
    }
    return f;
}

/* Regularised incomplete beta function I_x(a, b). */
static double beta_cdf(double a, double b, double x)
{
    if (x <= 0 || x >= 1) {
        return x <= 0 ? 0 : 1;
    }
    const double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
    return x < (a + 1) / (a + b + 2) ? front * beta_fraction(a, b, x) / a
                                     : 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double cuzk_stats_t_quantile(double confidence, double df)
{
    double lo = 0, hi = 1;
    /* P(|T| > t) = I_(df / (df + t^2))(df / 2, 1 / 2) */
    while (hi < 1e12 && beta_cdf(df / 2, 0.5, df / (df + hi * hi)) > 1 - confidence) {
        hi *= 2;
    }
    for (int i = 0; i < 200; i++) {
        const double t = (lo + hi) / 2;
        if (beta_cdf(df / 2, 0.5, df / (df + t * t)) > 1 - confidence) {
            lo = t;
        } else {
            hi = t;
        }
    }
    return hi;
}

static void mean_and_variance(const double *v, size_t n, double *mean, double *var)
{
    double sum = 0, sq = 0;
    for (size_t i = 0; i < n; i++) {
        sum += v[i];
    }
    *mean = sum / (double)n;
    for (size_t i = 0; i < n; i++) {
        sq += (v[i] - *mean) * (v[i] - *mean);
    }
    *var = sq / (double)(n - 1);
}

static cuzk_interval welch(const double *a, size_t na, const double *b, size_t nb,
                           double confidence)
{
    double ma, va, mb, vb;
    mean_and_variance(a, na, &ma, &va);
    mean_and_variance(b, nb, &mb, &vb);
    va /= (double)na;
    vb /= (double)nb;
    const double se2 = va + vb;
    double half = 0;
    if (se2 > 0) {
        const double df = se2 * se2 / (va * va / (double)(na - 1) + vb * vb / (double)(nb - 1));
        half = cuzk_stats_t_quantile(confidence, df) * sqrt(se2);
    }
    return (cuzk_interval){mb - ma, mb - ma - half, mb - ma + half};
}

/*
 * Largest k with P(U < k) <= tail for the Mann-Whitney U of na and nb values: 0 when even U = 0 is
 * more likely than that. ways [na nb + 1]: subsets by sum, one value after the other.
 */
static size_t rank_quantile(double *ways, size_t na, size_t nb, double tail)
{
    const size_t top = na * nb;
    double total = 1, sum = 0;
    for (size_t u = 0; u <= top; u++) {
        ways[u] = u == 0;
    }
    /* Gaussian binomial: prod (1 - q^(nb + i)) / (1 - q^i), i = 1 .. na */
    for (size_t i = 1; i <= na; i++) {
        for (size_t u = top + 1; u-- > nb + i;) {
            ways[u] -= ways[u - nb - i];
        }
        for (size_t u = i; u <= top; u++) {
            ways[u] += ways[u - i];
        }
        total *= (double)(nb + i) / (double)i;
    }
    for (size_t k = 0; k <= top; k++) {
        sum += ways[k] / total;
        if (sum > tail) {
            return k;
        }
    }
    return top;
}

static cuzk_status ranks(cuzk_interval *out, const double *a, size_t na, const double *b, size_t nb,
                         double confidence, cuzk_err *err)
{
    const size_t n = na * nb;
    double *d = cuzk_alloc(n, sizeof(*d));
    double *ways = cuzk_alloc(n + 1, sizeof(*ways));
    cuzk_status st = CUZK_OK;
    size_t k;
    if (d == NULL || ways == NULL) {
        st = CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for %zu differences", n);
        goto out;
    }
    for (size_t i = 0; i < na; i++) {
        for (size_t j = 0; j < nb; j++) {
            d[i * nb + j] = b[j] - a[i];
        }
    }
    qsort(d, n, sizeof(*d), compare);
    k = rank_quantile(ways, na, nb, (1 - confidence) / 2);
    out->value = median_sorted(d, n);
    out->lo = k == 0 ? -HUGE_VAL : d[k - 1];
    out->hi = k == 0 ? HUGE_VAL : d[n - k];
out:
    cuzk_free(d);
    cuzk_free(ways);
    return st;
}

static size_t thin(double *out, const double *v, size_t n)
{
    const size_t m = n < MOST ? n : MOST;
    for (size_t i = 0; i < m; i++) {
        out[i] = v[i * n / m];
    }
    return m;
}

cuzk_status cuzk_stats_shift(cuzk_interval *out, cuzk_shift_method *method, const double *a,
                             size_t na, const double *b, size_t nb, double confidence,
                             cuzk_err *err)
{
    double x[MOST], y[MOST];
    *out = (cuzk_interval){0, -HUGE_VAL, HUGE_VAL};
    *method = CUZK_SHIFT_NONE;
    if (na == 0 || nb == 0) {
        return CUZK_OK;
    }
    na = thin(x, a, na);
    nb = thin(y, b, nb);
    if (na < 3 || nb < 3) {
        out->value = cuzk_stats_median(y, nb) - cuzk_stats_median(x, na);
        return CUZK_OK;
    }
    if (na >= RANKS_FROM && nb >= RANKS_FROM) {
        CUZK_TRY(ranks(out, x, na, y, nb, confidence, err));
        if (isfinite(out->lo)) {
            *method = CUZK_SHIFT_RANKS;
            return CUZK_OK;
        }
    }
    *method = CUZK_SHIFT_WELCH;
    *out = welch(x, na, y, nb, confidence);
    return CUZK_OK;
}
