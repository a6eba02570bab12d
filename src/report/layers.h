/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_REPORT_LAYERS_H
#define CUZK_REPORT_LAYERS_H

/*
 * Where the time of a job went. A layer is a path of span names from the job's root ("prove/ntt").
 * Every instant of the root's time belongs to the innermost spans open then, in equal shares when
 * several run side by side; so the exclusive times of all rows add up to the root's wall time, by
 * construction and whatever overlaps. Time of a span that has others inside, while none of them is
 * open, is its layer's "unaccounted" row.
 */
#include "trace/trace_read.h"

#define CUZK_LAYER_NAME_BYTES 96
#define CUZK_LAYER_ROOT       UINT32_MAX

typedef struct cuzk_layer {
    char path[CUZK_LAYER_NAME_BYTES]; /* from below the root; the root's own is its name; an
                                         unaccounted row's is PATH/unaccounted */
    const char *name;                 /* last part of the path */
    uint32_t parent;                  /* row of the layer around it; CUZK_LAYER_ROOT for the root */
    uint32_t depth;                   /* 0: the root */
    bool unaccounted;
    bool has_parts;        /* other layers inside: its own time is in its unaccounted row */
    bool device;           /* all its spans are of a device */
    uint64_t count;        /* spans; 0 for unaccounted rows */
    uint64_t inclusive_ns; /* wall time while at least one of its spans was open */
    uint64_t busy_ns;      /* sum of its spans' durations */
    double exclusive_ns;   /* its share of the wall time; the column that adds up */
    double overlap_ns;     /* own time that went to others at the same time: own - exclusive */
    uint64_t bytes, cpu_ns, counts[CUZK_COUNTERS]; /* sums over its spans */
} cuzk_layer;

typedef struct cuzk_layers {
    cuzk_layer *rows; /* [n]: the root, then depth first in order of first begin; unaccounted rows
                         last among their siblings */
    uint32_t n;
    uint64_t wall_ns; /* of the root */
    uint64_t begin_ns;
} cuzk_layers;

/**
 * spans [n] as cuzk_trace_snapshot gives them; root: id of a closed span of them. Spans outside
 * the root's time are cut to it. Descendants whose parent is not held are taken as the root's when
 * they have the root's job tag, else left out. E_INVALID: the root is not there or still open;
 * E_NOMEM. Layers beyond 512 or paths that do not fit are E_UNSUPPORTED.
 */
CUZK_NODISCARD cuzk_status cuzk_layers_compute(cuzk_layers *out, const cuzk_span_record *spans,
                                               size_t n, cuzk_span root, cuzk_err *err);
/**
 * The same layers by CPU time of the process instead of wall time: what others do on the machine
 * hardly shows. For jobs whose spans do not overlap, where it adds up as well: exclusive_ns of a
 * layer is its CPU time, of an unaccounted row what its layer's parts leave, wall_ns the root's.
 */
void cuzk_layers_by_cpu(cuzk_layers *l);
void cuzk_layers_free(cuzk_layers *l);
/** The row of a path; NULL: no such row. */
const cuzk_layer *cuzk_layers_find(const cuzk_layers *l, const char *path);
/** Sum of exclusive_ns over the rows; equals wall_ns but for rounding. */
double cuzk_layers_sum(const cuzk_layers *l);

#endif /* CUZK_REPORT_LAYERS_H */
