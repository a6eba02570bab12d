/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "base/assert.h"

#include <stdio.h>
#include <stdlib.h>

void cuzk_assert_fail(const char *expr, const char *file, int line)
{
    (void)fprintf(stderr, "cuzk: internal error: %s:%d: %s\n", file, line, expr);
    abort();
}
