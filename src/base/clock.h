/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_BASE_CLOCK_H
#define CUZK_BASE_CLOCK_H

#include <stdint.h>

/** Monotonic time in nanoseconds. */
uint64_t cuzk_clock_ns(void);
/** CPU time of the whole process in nanoseconds. */
uint64_t cuzk_clock_cpu_ns(void);
/** Peak resident set of the process in bytes; 0 when unknown. */
uint64_t cuzk_clock_peak_rss(void);

#endif /* CUZK_BASE_CLOCK_H */
