/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <string.h>

#include "trace_internal.h"

#define AT_A_TIME 32u /* spans, on the stack */

/* Whether the span of that id is held and has that name. */
static bool has_name(const cuzk_trace *t, cuzk_span id, const char *name)
{
    cuzk_span_record r;
    return id != 0 && cuzk_trace_read(t, id - 1, &r, 1) == 1 && r.id == id &&
           strcmp(r.name, name) == 0;
}

uint64_t cuzk_trace_sum(const cuzk_trace *t, cuzk_span after, const char *parent, const char *name)
{
    cuzk_span_record r[AT_A_TIME];
    uint64_t sum = 0;
    size_t n;
    while ((n = cuzk_trace_read(t, after, r, AT_A_TIME)) > 0) {
        for (size_t i = 0; i < n; i++) {
            if (r[i].end_ns != 0 && strcmp(r[i].name, name) == 0 &&
                (parent == NULL || has_name(t, r[i].parent, parent))) {
                sum += r[i].end_ns - r[i].begin_ns;
            }
        }
        after = r[n - 1].id;
    }
    return sum;
}
