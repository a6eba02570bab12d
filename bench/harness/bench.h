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

/** What to measure, and whom to tell. */
typedef struct bench_micro_opts {
    const bench_module *const *modules; /* [n_modules], usually bench_modules */
    size_t n_modules;
    const char *const *match; /* [n_match] parts of names; none: all that are not big */
    size_t n_match;
    const char *const *exact; /* [n_exact] whole names; then match is not used */
    size_t n_exact;
    bool all;           /* big ones too */
    double seconds;     /* per case, but at least */
    size_t min_samples; /* samples to take, at least */
    bool cpu_time;      /* of the process, not wall time: for busy machines */
    void *arg;          /* of all below */
    bool (*stop)(void *arg);
    /** A case: samples ns [n] per unit; base: the group's first case, NULL for itself; ratio to it. */
    void (*measured)(void *arg, const bench_case *c, const double *ns, size_t n,
                     const bench_case *base, double ratio);
    void (*skipped)(void *arg, const bench_case *c);
    /** When set: nothing is measured, cases are only named. */
    void (*list)(void *arg, const bench_case *c);
    /** When set: no clock; each case runs a fixed number of times inside bench_counted_run, for a
     * tool that counts instructions there. units: how many of its units those are. */
    void (*counted)(void *arg, const bench_case *c, uint64_t units);
} bench_micro_opts;

/** False: out of memory. */
bool bench_run(const bench_micro_opts *o);
/** Cases that bench_run will go through. */
size_t bench_count(const bench_micro_opts *o);
/** Never inlined: callgrind collects between its entry and its exit. */
void bench_counted_run(const bench_case *c, void *state, uint64_t iters);

/** Deterministic test data: n pseudorandom bytes from a seed. */
void bench_fill(void *out, size_t n, uint64_t seed);

/** Keeps the compiler from dropping or hoisting the computation of *p. */
static inline void bench_use(const void *p)
{
    __asm__ volatile("" : : "r"(p) : "memory");
}

#endif /* CUZK_BENCH_HARNESS_BENCH_H */
