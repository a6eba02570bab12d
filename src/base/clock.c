/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "base/clock.h"

#include <sys/resource.h>
#include <time.h>

static uint64_t read_clock(clockid_t id)
{
    struct timespec t = {0, 0};
    (void)clock_gettime(id, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t cuzk_clock_ns(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

uint64_t cuzk_clock_cpu_ns(void)
{
    return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

uint64_t cuzk_clock_peak_rss(void)
{
    struct rusage u;
    if (getrusage(RUSAGE_SELF, &u) != 0) {
        return 0;
    }
    return (uint64_t)u.ru_maxrss * 1024u; /* Linux counts in KiB */
}
