/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "bench_stats.h"

#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

bench_stats bench_stats_of(double *v, size_t n)
{
    qsort(v, n, sizeof(*v), compare);
    const size_t rank = (95 * n + 99) / 100; /* ceil(0.95 n), from 1 */
    return (bench_stats){v[0], (v[(n - 1) / 2] + v[n / 2]) / 2, v[rank - 1]};
}
