/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_REPORT_HTML_H
#define CUZK_REPORT_HTML_H

/* One self-contained page: no scripts, nothing loaded, light and dark. */
#include <stdio.h>

#include "report/compare.h"

/**
 * Of a comparison, or of one result (new_ and c NULL). Nothing is checked but by ferror(f). Names
 * from files are escaped.
 */
void cuzk_html_page(FILE *f, const cuzk_result *base, const cuzk_result *new_,
                    const cuzk_comparison *c);

#endif /* CUZK_REPORT_HTML_H */
