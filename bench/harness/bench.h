/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_BENCH_HARNESS_BENCH_H
#define CUZK_BENCH_HARNESS_BENCH_H

/*
 * Micro benchmarks. A file bench/bench_<module>[_more].c registers its table of cases by existing:
 *
 *     static const bench_case cases[] = {{.name = "ff/fp_mul/adx", .setup = ..., .run = ...}};
 *     BENCH_MODULE(ff, cases)      -- the name is the file's, without "bench_" and ".c"
 *
 * bench/README.md tells how to add one and how to read the output.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

typedef struct bench_case {
    /** module/op/variant or module/op/variant/param=value. Cases that agree in all but the variant are one group: they are timed alternately and compared. */
    const char *name;
    /** Prepare inputs (outside the clock); NULL return: the case is skipped. May be NULL: state is then the case itself. */
    void *(*setup)(const struct bench_case *c);
    /** Do the operation `iters` times. */
    void (*run)(void *state, uint64_t iters);
    /** Release the state; may be NULL. */
    void (*teardown)(void *state);
    /** What is counted, e.g. "op", "point", "butterfly", "byte"; NULL: "op". */
    const char *unit;
    /** How many units one iteration does; 0: 1. */
    uint64_t units;
    /** Processor flags that the case needs (cuzk_cpu_flag); without them it is skipped. */
    uint32_t cpu;
    /** Free for the case: size, window, a function to call. */
    uint64_t arg;
    void (*fn)(void);
    /** Long (seconds): only with --all or a --match that names it. */
    bool big;
} bench_case;

typedef struct bench_module {
    const bench_case *cases;
    size_t n;
} bench_module;

#define BENCH_MODULE(name, table)           \
    extern const bench_module bench_##name; \
    const bench_module bench_##name = {table, sizeof(table) / sizeof((table)[0])};

/** All modules of the program, in file-name order (generated). */
extern const bench_module *const bench_modules[];
extern const size_t bench_modules_count;

int bench_main(int argc, char **argv);

/** Deterministic test data: n pseudorandom bytes from a seed. */
void bench_fill(void *out, size_t n, uint64_t seed);

/** Keeps the compiler from dropping or hoisting the computation of *p. */
static inline void bench_use(const void *p)
{
    __asm__ volatile("" : : "r"(p) : "memory");
}

#endif /* CUZK_BENCH_HARNESS_BENCH_H */
