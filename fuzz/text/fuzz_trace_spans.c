/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* DEPS: report trace */
/*
 * The spans of a daemon, from any bytes: refused, or in order, with names that end; layers of them add up
 * to the time of their root.
 */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/assert.h"
#include "report/layers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    cuzk_trace_spans s;
    cuzk_layers l;
    cuzk_err err;
    if (cuzk_trace_parse(&s, data, size, "input", &err) != CUZK_OK) {
        CUZK_ASSERT(s.spans == NULL && s.n == 0);
        return 0;
    }
    for (size_t i = 0; i < s.n; i++) {
        CUZK_ASSERT(strlen(s.spans[i].name) < CUZK_SPAN_NAME_BYTES);
        CUZK_ASSERT(s.spans[i].parent < s.spans[i].id);
        CUZK_ASSERT(i == 0 || s.spans[i - 1].id < s.spans[i].id);
    }
    if (s.n > 0 && cuzk_layers_compute(&l, s.spans, s.n, s.spans[0].id, &err) == CUZK_OK) {
        const double wall = (double)l.wall_ns;
        CUZK_ASSERT(fabs(cuzk_layers_sum(&l) - wall) <= 1e-6 * wall + 1);
        cuzk_layers_free(&l);
    }
    cuzk_trace_spans_free(&s);
    return 0;
}
