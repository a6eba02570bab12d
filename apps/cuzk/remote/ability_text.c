/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "ability_text.h"

#include <stdio.h>
#include <string.h>

#define GIB (1024.0 * 1024 * 1024)

const char *ability_text(char *out, size_t n, const ability_words *a)
{
    if (strcmp(a->ability, "not possible") == 0) {
        (void)snprintf(out, n, "%s: not possible, needs %.1f GiB of device memory, has %.1f GiB",
                       a->circuit_id, (double)a->needed_bytes / GIB,
                       (double)a->available_bytes / GIB);
    } else if (a->expected_ms == 0) {
        (void)snprintf(out, n, "%s: %s", a->circuit_id, a->ability);
    } else {
        const double s = (double)a->expected_ms * 1e-3;
        (void)snprintf(out, n, "%s: %s, %s%.*f s (%s)", a->circuit_id, a->ability,
                       a->is_measured ? "" : "about ",
                       s < 1    ? 3
                       : s < 10 ? 1
                                : 0,
                       s, a->is_measured ? "measured on such a card" : "computed, not measured");
    }
    return out;
}
