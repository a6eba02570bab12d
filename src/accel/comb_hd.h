/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_ACCEL_COMB_HD_H
#define CUZK_ACCEL_COMB_HD_H

/*
 * A comb has the sums of `teeth` neighbouring points with all signs, but for the last one's, which
 * is +: entry m of a group adds point i where bit i of m is set and subtracts it where not. So a
 * sum over signs takes one addition for a group, and the sum over bits is half of it and of the sum
 * of all points. It is made in place: the points lie at the end of the room for the comb, filled
 * up with infinity to whole groups.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"

#define CUZK_ACCEL_MIN_TEETH 3u
#define CUZK_ACCEL_MAX_TEETH 4u
CUZK_HD_INLINE uint64_t cuzk_accel_comb_groups(uint64_t n, unsigned teeth)
{
    return (n + teeth - 1) / teeth;
}
/** Points of a comb. */
CUZK_HD_INLINE uint64_t cuzk_accel_comb_points(uint64_t n, unsigned teeth)
{
    return cuzk_accel_comb_groups(n, teeth) << (teeth - 1);
}
/** Where the first of the n points lies before the comb is made. */
CUZK_HD_INLINE uint64_t cuzk_accel_comb_first(uint64_t n, unsigned teeth)
{
    return cuzk_accel_comb_points(n, teeth) - cuzk_accel_comb_groups(n, teeth) * teeth;
}
/** Entry of a group whose points have these signs (bit set: +); *negate: the other way round. */
CUZK_HD_INLINE uint32_t cuzk_accel_comb_entry(uint32_t signs, unsigned teeth, bool *negate)
{
    const uint32_t mask = (1u << (teeth - 1)) - 1;
    *negate = (signs >> (teeth - 1) & 1) == 0;
    return (*negate ? ~signs : signs) & mask;
}

#endif /* CUZK_ACCEL_COMB_HD_H */
