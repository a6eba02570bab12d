/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "trace_internal.h"

static const char *const names[CUZK_COUNTERS] = {"instructions", "cycles", "branches",
                                                 "branch_misses"};

const char *cuzk_trace_counter_name(cuzk_trace_counter c)
{
    return names[c];
}

void cuzk_perf_init(cuzk_perf *p)
{
    for (unsigned i = 0; i < CUZK_COUNTERS; i++) {
        p->fd[i] = -1;
    }
    p->any = false;
    (void)snprintf(p->note, sizeof(p->note), "hardware counters: not asked for");
}

/* inherit: threads started later are counted in the same descriptor. That excludes groups on most
 * kernels, so each counter has its own. */
static int open_one(uint32_t type, uint64_t config)
{
    struct perf_event_attr a;
    memset(&a, 0, sizeof(a));
    a.size = sizeof(a);
    a.type = type;
    a.config = config;
    a.inherit = 1;
    a.exclude_kernel = 1;
    a.exclude_hv = 1;
    a.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    return (int)syscall(SYS_perf_event_open, &a, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

bool cuzk_perf_open(cuzk_perf *p)
{
    static const uint64_t config[CUZK_COUNTERS] = {
        PERF_COUNT_HW_INSTRUCTIONS, PERF_COUNT_HW_CPU_CYCLES, PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
        PERF_COUNT_HW_BRANCH_MISSES};
    return cuzk_perf_open_events(p, PERF_TYPE_HARDWARE, config);
}

bool cuzk_perf_open_events(cuzk_perf *p, uint32_t type, const uint64_t config[CUZK_COUNTERS])
{
    int why = 0, n;
    cuzk_perf_close(p);
    n = snprintf(p->note, sizeof(p->note), "hardware counters:");
    for (unsigned i = 0; i < CUZK_COUNTERS; i++) {
        p->fd[i] = open_one(type, config[i]);
        if (p->fd[i] < 0) {
            why = errno;
            continue;
        }
        p->any = true;
        n += snprintf(p->note + n, sizeof(p->note) - (size_t)n, " %s", names[i]);
    }
    if (!p->any) {
        const char *text = why == ENOENT || why == EOPNOTSUPP || why == ENODEV
                               ? "this machine (often: a virtual one) has none"
                           : why == EACCES || why == EPERM
                               ? "the kernel does not allow them (kernel.perf_event_paranoid)"
                               : strerror(why); /* NOLINT(concurrency-mt-unsafe) */
        (void)snprintf(p->note, sizeof(p->note), "hardware counters: none: %s", text);
    } else if (why != 0) {
        (void)snprintf(p->note + n, sizeof(p->note) - (size_t)n, "; the others are refused");
    }
    return p->any;
}

void cuzk_perf_close(cuzk_perf *p)
{
    for (unsigned i = 0; i < CUZK_COUNTERS; i++) {
        if (p->fd[i] >= 0) {
            (void)close(p->fd[i]);
        }
    }
    cuzk_perf_init(p);
}

void cuzk_perf_read(const cuzk_perf *p, uint64_t out[CUZK_COUNTERS])
{
    for (unsigned i = 0; i < CUZK_COUNTERS; i++) {
        struct {
            uint64_t value, enabled, running;
        } v;
        out[i] = 0;
        if (p->fd[i] < 0 || read(p->fd[i], &v, sizeof(v)) != (ssize_t)sizeof(v)) {
            continue;
        }
        out[i] = v.running == 0 || v.running >= v.enabled
                     ? v.value
                     : (uint64_t)((double)v.value * (double)v.enabled / (double)v.running);
    }
}
