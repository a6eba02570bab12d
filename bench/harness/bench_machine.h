/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_BENCH_HARNESS_BENCH_MACHINE_H
#define CUZK_BENCH_HARNESS_BENCH_MACHINE_H

#include <stdint.h>
#include <stdio.h>

/** Time stamp counter; 0 where there is none that user code may read. */
static inline uint64_t bench_tsc(void)
{
#if defined(__x86_64__)
    uint32_t lo, hi;
    __asm__ volatile("lfence\n\trdtsc" : "=a"(lo), "=d"(hi) : : "memory");
    return (uint64_t)hi << 32 | lo;
#else
    return 0;
#endif
}

/** s as a JSON string, quotes included. */
void bench_json_string(FILE *f, const char *s);

/** One JSON line: what a number cannot be read without (processor, flags in force, compiler, commit, time). */
void bench_machine_line(FILE *f, const char *commit);

#endif /* CUZK_BENCH_HARNESS_BENCH_MACHINE_H */
