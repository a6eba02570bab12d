/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_REPORT_RESULT_H
#define CUZK_REPORT_RESULT_H

/*
 * What one benchmark measured: a JSON file with the machine, the commit, the options, and for each
 * metric the value of every run. docs/benchmarks.md has the fields.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/text/json_writer.h"
#include "report/layers.h"

#define CUZK_METRIC_NAME_BYTES 120
#define CUZK_RESULT_MAX_FACTS  20
#define CUZK_RESULT_MAX_NOTES  8

typedef enum cuzk_metric_role {
    CUZK_ROLE_LAYER,     /* a part of the total: layers add up to it */
    CUZK_ROLE_TOTAL,     /* what the layers add up to */
    CUZK_ROLE_OTHER,     /* judged on its own: a micro case, memory, CPU time */
    CUZK_ROLE_REFERENCE, /* a fixed loop: how fast the machine was */
    CUZK_ROLE_INFO       /* shown, not judged */
} cuzk_metric_role;
#define CUZK_ROLES 5

typedef struct cuzk_metric {
    char name[CUZK_METRIC_NAME_BYTES]; /* layers: the path */
    char unit[16];                     /* "s", "ns/op", "bytes", ... */
    cuzk_metric_role role;
    bool more_is_better;
    double *values; /* [n] one per run */
    uint32_t n, cap;
} cuzk_metric;

typedef struct cuzk_fact {
    char key[32], value[160];
} cuzk_fact;

/** A span of the last run, for drawing. */
typedef struct cuzk_timeline_span {
    char name[48], track[48];
    uint32_t depth;
    int32_t partition; /* CUZK_TRACE_NONE: none */
    double begin_s, end_s;
} cuzk_timeline_span;

typedef struct cuzk_result {
    char kind[16];  /* "micro", "synth", "prove" */
    char name[128]; /* what was measured: results compare by it */
    char command[512];
    char commit[64]; /* "" unknown; with "-dirty" when the tree had changes */
    uint64_t unix_time;
    uint32_t runs, warmup;
    cuzk_fact facts[CUZK_RESULT_MAX_FACTS]; /* machine, compiler, options */
    uint32_t n_facts;
    char notes[CUZK_RESULT_MAX_NOTES][160];
    uint32_t n_notes;
    cuzk_metric *metrics;
    uint32_t n_metrics, cap_metrics;
    cuzk_timeline_span *timeline;
    uint32_t n_timeline, cap_timeline;
    bool nomem; /* sticky: an addition failed */
} cuzk_result;

void cuzk_result_init(cuzk_result *r, const char *kind, const char *name);
void cuzk_result_free(cuzk_result *r);
/** Sets or replaces a fact; one too many or too long is cut. */
void cuzk_result_fact(cuzk_result *r, const char *key, const char *fmt, ...) CUZK_PRINTF(3, 4);
void cuzk_result_note(cuzk_result *r, const char *fmt, ...) CUZK_PRINTF(2, 3);
/** NULL: no such fact. */
const char *cuzk_result_get_fact(const cuzk_result *r, const char *key);
/** The facts of this machine and process: cpu, cores, memory, kernel. */
void cuzk_result_machine(cuzk_result *r);
/** The metric of that name, made when it is not there. NULL when out of memory (then r->nomem). */
cuzk_metric *cuzk_result_metric(cuzk_result *r, const char *name, const char *unit,
                                cuzk_metric_role role);
const cuzk_metric *cuzk_result_find(const cuzk_result *r, const char *name);
/** Appends the value of one run. m NULL is fine. */
void cuzk_result_add(cuzk_result *r, cuzk_metric *m, double value);
/**
 * One run's layers: a metric per row that has exclusive time of its own, in seconds, and the root's
 * wall time as the total; inclusive times of layers with parts are for information. Rows that
 * earlier runs did not have get zeros for those, and the other way round; run is the number of runs
 * before this one.
 */
void cuzk_result_add_layers(cuzk_result *r, const cuzk_layers *l, uint32_t run);
/** Replaces the timeline by the spans of a job, at most 2000, short ones left out first. */
void cuzk_result_set_timeline(cuzk_result *r, const cuzk_span_record *spans, size_t n,
                              cuzk_span root);

CUZK_NODISCARD cuzk_status cuzk_result_write(cuzk_jsonw *w, const cuzk_result *r, cuzk_err *err);
/** Any JSON is safe to give; what: for messages. E_FORMAT, E_NOMEM. On failure r is empty. */
CUZK_NODISCARD cuzk_status cuzk_result_parse(cuzk_result *r, const void *data, size_t n,
                                             const char *what, cuzk_err *err);
/** Appends the runs of a second result of the same thing: values by name. E_INVALID: another one. */
CUZK_NODISCARD cuzk_status cuzk_result_merge(cuzk_result *into, const cuzk_result *from,
                                             cuzk_err *err);

#endif /* CUZK_REPORT_RESULT_H */
