/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_SYS_PROGRESS_INTERNAL_H
#define CUZK_SYS_PROGRESS_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum cuzk_progress_style {
    CUZK_PROGRESS_LINES, /* "label 45% elapsed 12s, 15s left\n" */
    CUZK_PROGRESS_ASCII,
    CUZK_PROGRESS_UTF8
} cuzk_progress_style;

typedef struct cuzk_progress_view {
    const char *label;
    uint64_t done, total;
    uint64_t elapsed_ns;
    unsigned columns; /* of the terminal; not for LINES */
    cuzk_progress_style style;
    bool colour;
} cuzk_progress_view;

/**
 * One drawing of v into buf, NUL-terminated, cut at cap (whole characters); returns its bytes. A bar
 * begins with a return to column one and takes at most columns - 1 columns, so it never wraps.
 */
size_t cuzk_progress_render(char *buf, size_t cap, const cuzk_progress_view *v);

/** Style for a stream from the environment; NULL for an unset variable. */
cuzk_progress_style cuzk_progress_choose(bool is_terminal, const char *term, const char *locale);

#endif /* CUZK_SYS_PROGRESS_INTERNAL_H */
