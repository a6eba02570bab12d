/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_APPS_BENCH_DEVICE_H
#define CUZK_APPS_BENCH_DEVICE_H

/* Operations of a device (accel/accel.h), timed by marks of its queue: transforms, products, sums. */
#include "accel/accel.h"

#include "bench_common.h"

typedef struct bench_device_opts {
    unsigned lg[8]; /* sizes; the points are 2^16 multiples of the generator, repeated */
    unsigned n_lg;
    unsigned samples;
    const char *const *match; /* [n_match] parts of names; none: all */
    size_t n_match;
} bench_device_opts;

/** Metrics "accel/OP/KIND/lg_n=N" into b->r; sizes that do not fit the device are named and left out. */
CUZK_NODISCARD cuzk_status bench_device_run(bench_opts *b, cuzk_accel *dev,
                                            const bench_device_opts *o);

#endif /* CUZK_APPS_BENCH_DEVICE_H */
