/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_REPORT_HTML_INTERNAL_H
#define CUZK_REPORT_HTML_INTERNAL_H

#include "report/html.h"

/* Layers that are drawn in a colour of their own; the others share the last. */
#define HTML_COLOURS 10
enum { HTML_MOST_LAYERS = 256 };

typedef struct html_layer {
    char path[CUZK_METRIC_NAME_BYTES];
    double base, new_; /* medians in seconds */
    int colour;
} html_layer;

typedef struct html_layers {
    html_layer rows[HTML_MOST_LAYERS]; /* by base, the largest first; unaccounted time last */
    int n;
    double base_total, new_total;
} html_layers;

/** s with markup characters escaped. */
void html_escape(FILE *f, const char *s);
/** Short form of a path: what tells it from its neighbours. */
const char *html_label(const char *path);
/** Median of a metric; 0 without values or memory. */
double html_median(const cuzk_metric *m);
/** From one or two results. */
void html_collect(html_layers *out, const cuzk_result *base, const cuzk_result *new_);
/** One or two bars on one scale. */
void html_stacked(FILE *f, const html_layers *l, bool two);
/** Spans of the last run of r, by thread or device queue. */
void html_timeline(FILE *f, const cuzk_result *r, const html_layers *l);
/** Interval of a change around zero; scale: per cent at the edge; effect: the band of no effect. */
void html_interval(FILE *f, double lo, double value, double hi, double effect, double scale,
                   const char *css_class);

#endif /* CUZK_REPORT_HTML_INTERNAL_H */
