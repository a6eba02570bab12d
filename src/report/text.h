/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_REPORT_TEXT_H
#define CUZK_REPORT_TEXT_H

/* Results and comparisons for people, as text. Nothing is checked but by ferror(f). */
#include <stdio.h>

#include "report/compare.h"
#include "report/familiar.h"

#define CUZK_QUANTITY_BYTES 32

/** A number with its unit in three digits: 2.63 s, 470 ms, 1.2 GiB, 17.2 ns/op. Returns buf. */
const char *cuzk_quantity(char buf[CUZK_QUANTITY_BYTES], double v, const char *unit);
/** The same with a sign. */
const char *cuzk_quantity_signed(char buf[CUZK_QUANTITY_BYTES], double v, const char *unit);
/** Medians, intervals, layers and the familiar table. */
void cuzk_text_result(FILE *f, const cuzk_result *r);
/** Rows and the verdict; the last line says it all. */
void cuzk_text_comparison(FILE *f, const cuzk_comparison *c, const cuzk_result *base,
                          const cuzk_result *new_);
/** A line for each baseline that moved. */
void cuzk_text_moved(FILE *f, const cuzk_comparison *c);
/** The verdict in one or two sentences, layers named in order of size. */
void cuzk_text_verdict(FILE *f, const cuzk_comparison *c);
/** One job's layers: inclusive and exclusive time, overlap, CPU time of the process meanwhile. */
void cuzk_text_layers(FILE *f, const cuzk_layers *l);

#endif /* CUZK_REPORT_TEXT_H */
