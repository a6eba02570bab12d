/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_API_TOP_RENDER_H
#define CUZK_API_TOP_RENDER_H

#include <stdbool.h>

#include "api/answer/text_buf.h"
#include "top/status_read.h"
#include "top/top_keys.h"

typedef struct cuzk_top_style {
    unsigned width, height; /* of the terminal; height 0: as many lines as there are */
    bool colour;
    cuzk_top_keys *keys; /* what the user has chosen, shown in the last line; NULL: no keys */
} cuzk_top_style;

/**
 * A view as lines for a terminal, each at most width columns wide and ended by '\n'. Names from
 * the status are shown without control characters, so that they cannot command the terminal.
 */
void cuzk_top_render(cuzk_text_buf *b, const cuzk_status_view *v, const cuzk_top_style *style);

#endif /* CUZK_API_TOP_RENDER_H */
