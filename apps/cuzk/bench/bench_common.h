/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_APPS_BENCH_COMMON_H
#define CUZK_APPS_BENCH_COMMON_H

/* The common part of the measuring sub-commands: runs, warm-up, the result and where it is written. */
#include <argp.h>

#include "apps/cuzk/app.h"
#include "report/compare.h"

typedef struct bench_opts {
    app a;
    uint64_t runs, warmup;
    const char *result; /* file; NULL: none */
    const char *html;
    const char *commit;
    char *inject;   /* --inject [PARENT/]LAYER=PERCENT */
    bool by_cpu;    /* --cpu-time */
    bool no_tables; /* the command prints its own */
    cuzk_result r;
} bench_opts;

/* --runs, --warmup, --result, --report, --commit, and the common options. Its input: bench_opts. */
extern const struct argp bench_argp;
#define BENCH_CHILD                              \
    {                                            \
        &bench_argp, 0, "Measuring options:", 80 \
    }

/** Before argp_parse. */
void bench_opts_init(bench_opts *b, const char *command);
/** After app_begin: names the result and fills in machine, commit and command line. */
void bench_begin(bench_opts *b, const char *kind, const char *name, int argc, char **argv);
/** Applies --inject; for commands that record spans. E_INVALID. */
CUZK_NODISCARD cuzk_status bench_inject(bench_opts *b);
/** Writes result file and page if they were asked for, prints the tables, then frees b->r. Call it in any case. */
CUZK_NODISCARD cuzk_status bench_end(bench_opts *b, cuzk_status st);
/** Nanoseconds of a loop that never changes, by the wall or of CPU time: how fast the machine is
 * now. About 10 ms. */
uint64_t bench_reference_ns(bool by_cpu);
/** Forgets the peak of the resident set, where the kernel allows; false: it is since the start. */
bool bench_reset_peak_rss(void);
/** A page of a result (new_ and c NULL) or of a comparison. */
CUZK_NODISCARD cuzk_status bench_write_page(const char *path, const cuzk_result *base,
                                            const cuzk_result *new_, const cuzk_comparison *c,
                                            bool replace, cuzk_err *err);
/** Reads a result file. */
CUZK_NODISCARD cuzk_status bench_load(cuzk_result *r, const char *path, cuzk_err *err);

#endif /* CUZK_APPS_BENCH_COMMON_H */
