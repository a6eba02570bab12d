/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_TEST_API_PROM_CHECK_H
#define CUZK_TEST_API_PROM_CHECK_H

/* A reader of the Prometheus text format 0.0.4, as strict as the format's description. */
#include <stddef.h>

enum { PROM_MAX_SERIES = 4096, PROM_NAME = 96, PROM_LABELS = 512 };

typedef struct prom_series {
    char name[PROM_NAME];     /* of the sample, e.g. x_bucket */
    char labels[PROM_LABELS]; /* as written, without le */
    char type;                /* c counter, g gauge, h histogram */
    double le;                /* of a bucket, else -1 */
    double value;
} prom_series;

typedef struct prom_text {
    prom_series *series; /* [n] */
    size_t n;
} prom_text;

/** Ends the case with the line at fault when the text breaks a rule. Freed with prom_free. */
prom_text prom_parse(const char *text);
void prom_free(prom_text *t);
/** Value of the series; ends the case when there is none. labels: as written. */
double prom_value(const prom_text *t, const char *name, const char *labels);
/** Every counter, bucket, count and sum of a is in b and not smaller there. */
void prom_check_monotonic(const prom_text *a, const prom_text *b);

#endif /* CUZK_TEST_API_PROM_CHECK_H */
