/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "base/assert.h"
#include "msm/msm_core.h"

/* Entries (8 bytes) of the windows in memory at once; one window is always allowed. */
#define GROUP_ENTRIES ((size_t)1 << 21)

static size_t min_size(size_t a, size_t b)
{
    return a < b ? a : b;
}

static unsigned windows_for(unsigned bits, unsigned c)
{
    return (bits + c) / c; /* ceil((bits + 1) / c): the sign needs a bit */
}

/* Additions, in units of one batched addition. */
static double cost(const cuzk_msm_engine *eng, double m, unsigned bits, unsigned c)
{
    const double w = windows_for(bits, c), buckets = (double)((uint64_t)1 << (c - 1));
    /* A tree saves one addition per bucket that is not empty; roughly m N / (m + N) are not. */
    const double sums = m - m * buckets / (m + buckets);
    /* Sorting is about 6 ns per digit, whatever the group. Weighing: 2 additions per bucket. */
    return w * (sums + 2.2 * buckets + m * 6.0 / eng->add_ns);
}

void cuzk_msm_plan_make(cuzk_msm_plan *p, const cuzk_msm_engine *eng, size_t m, unsigned bits)
{
    unsigned best = MSM_C_MIN;
    for (unsigned c = MSM_C_MIN + 1; c <= 20; c++) {
        if (cost(eng, (double)m, bits, c) < cost(eng, (double)m, bits, best)) {
            best = c;
        }
    }
    cuzk_msm_plan_make_c(p, m, bits, best);
}

void cuzk_msm_plan_make_c(cuzk_msm_plan *p, size_t m, unsigned bits, unsigned c)
{
    CUZK_ASSERT(m > 0 && bits >= 1 && bits <= MSM_GLV_BITS && c >= MSM_C_MIN && c <= MSM_C_MAX);
    const unsigned c1 = c - 1;
    p->bits = bits;
    p->c = c;
    p->windows = windows_for(bits, c);
    p->bias = 0;
    for (unsigned w = 0; w + 1 < p->windows; w++) {
        p->bias += (cuzk_i128)1 << (c * w + c1);
    }
    /* Partitions of about 3/4 of a piece. */
    const size_t want = MSM_PIECE / 4 * 3;
    unsigned low = 0;
    while ((2u << low) <= MSM_SEGMENTS && (m << (low + 1)) >> c1 <= want && low + 1 < 40 &&
           ((size_t)1 << (low + 1)) >> c1 <= p->windows) {
        low++;
    }
    p->low = low;
    const size_t unit = low > c1 ? (size_t)1 << (low - c1) : 1; /* windows per partition */
    size_t group = GROUP_ENTRIES / m / unit * unit;
    group = group < unit ? unit : group;
    group = min_size(group, (p->windows + unit - 1) / unit * unit);
    p->group = (unsigned)group;
    p->group_parts = (group << c1) >> low;
    p->parts = (p->windows + group - 1) / group * p->group_parts;
}
