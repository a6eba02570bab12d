/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_REPORT_COMPARE_H
#define CUZK_REPORT_COMPARE_H

/*
 * Two results of one benchmark, metric by metric. A metric is better or worse when the interval of
 * its shift does not contain zero and the shift itself is at least min_effect of the base (and, for
 * a layer, at least floor of the total); the intervals hold for all metrics at once (Bonferroni), so
 * that two equal programs are called different in at most one comparison of twenty, and in practice, since
 * the effect has to be there too, hardly ever. It is the same when the interval lies within
 * must_see of zero; else the runs are too few, or too noisy, to tell.
 *
 * When the machine itself was faster or slower, which the reference loop of each run tells, the
 * effects asked for grow by as much: a change that the machine alone explains is not reported.
 */
#include "report/result.h"
#include "report/stats.h"

typedef enum cuzk_verdict {
    CUZK_VERDICT_SAME,
    CUZK_VERDICT_BETTER,
    CUZK_VERDICT_WORSE,
    CUZK_VERDICT_MIXED,  /* of a comparison: something is worse and something is better */
    CUZK_VERDICT_UNCLEAR /* too few or too noisy runs */
} cuzk_verdict;

typedef struct cuzk_compare_opts {
    double confidence; /* of all intervals together; 0: 0.95 */
    double min_effect; /* part of the base; 0: 0.03 */
    double must_see;   /* 0: 0.05 */
    double floor;      /* part of the total; 0: 0.001 */
} cuzk_compare_opts;

typedef struct cuzk_compared {
    const cuzk_metric *base, *new_; /* borrowed from the results */
    double base_median, new_median;
    cuzk_interval delta; /* new - base, in the unit */
    cuzk_shift_method method;
    cuzk_verdict verdict;
    double effect, seen; /* thresholds used, in the unit: min_effect and must_see */
    double runs_needed;  /* UNCLEAR: about this many on each side would tell; 0: not known */
} cuzk_compared;

/**
 * A layer below this share of the total is small: its change is shown in its unit alone. Of 20 us, a change of 0.1 ms
 * that nobody notices would read as "+500 %".
 */
#define CUZK_SMALL_LAYER 0.005

/** One metric, one commit, one machine, two values. */
typedef struct cuzk_moved {
    char metric[CUZK_METRIC_NAME_BYTES];
    char commit[64];
    const char *file_a, *file_b; /* borrowed */
    double a, b;                 /* medians */
    char unit[16];
} cuzk_moved;

typedef struct cuzk_comparison {
    cuzk_compared *rows; /* [n] in the base's order; info metrics last and not judged */
    uint32_t n, n_judged;
    uint32_t *worse, *better, *unclear; /* indices of rows, by size of change, largest first */
    uint32_t n_worse, n_better, n_unclear;
    cuzk_verdict verdict;
    const cuzk_compared *total; /* NULL: no total */
    double drift;               /* of the reference loop, part of the base; 0: none measured */
    bool drift_known;
    bool same_commit;
    bool same_machine;
    cuzk_moved *moved;
    uint32_t n_moved;
    uint32_t only_base, only_new; /* metrics that the other result does not have */
} cuzk_comparison;

/** The row is a layer whose median is small (CUZK_SMALL_LAYER) in the base; false without a total. */
bool cuzk_compared_is_small(const cuzk_comparison *c, const cuzk_compared *r);

/**
 * E_INVALID: results of different benchmarks, or no metric in common. base and new_ must outlive
 * the comparison.
 */
CUZK_NODISCARD cuzk_status cuzk_compare(cuzk_comparison *out, const cuzk_result *base,
                                        const cuzk_result *new_, const cuzk_compare_opts *opts,
                                        cuzk_err *err);
/**
 * Adds to out->moved: metrics that have different values in two of results [n] that have one name,
 * one commit (without changes) and one machine. files [n] name them; both outlive out. Any number
 * of metrics is tested at once, as in cuzk_compare.
 */
CUZK_NODISCARD cuzk_status cuzk_compare_moved(cuzk_comparison *out,
                                              const cuzk_result *const *results,
                                              const char *const *files, uint32_t n,
                                              const cuzk_compare_opts *opts, cuzk_err *err);
void cuzk_comparison_free(cuzk_comparison *c);

const char *cuzk_verdict_name(cuzk_verdict v);
/** 0: same or better; 1: something is worse (WORSE, MIXED) or a baseline moved; 3: cannot tell. */
int cuzk_comparison_exit_status(const cuzk_comparison *c);

#endif /* CUZK_REPORT_COMPARE_H */
