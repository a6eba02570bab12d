/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* DEPS: api top base */
/*
 * The status that `cuzk top` reads, from any bytes: lists stay in their bounds, and what is drawn
 * has no control character, whatever the names are.
 */
#include <stdint.h>
#include <string.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "top/status_read.h"
#include "top/top_render.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_drawing(const cuzk_status_view *v, unsigned width)
{
    cuzk_text_buf b = {0};
    char *text = NULL;
    size_t n = 0, column = 0;
    const cuzk_top_style style = {width, 0, false, NULL};
    cuzk_top_render(&b, v, &style);
    if (cuzk_text_finish(&b, &text, &n, NULL) != CUZK_OK) {
        return;
    }
    CUZK_ASSERT(strlen(text) == n);
    for (size_t i = 0; i < n; i++) {
        const uint8_t c = (uint8_t)text[i];
        CUZK_ASSERT(c == '\n' || (c >= 0x20 && c != 0x7f));
        CUZK_ASSERT(c != 0xc2 || (uint8_t)text[i + 1] >= 0xa0);
        column = c == '\n' ? 0 : column + ((c & 0xc0) != 0x80 ? 1 : 0);
        CUZK_ASSERT(column <= width);
    }
    cuzk_free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    cuzk_status_view *v = cuzk_alloc(1, sizeof(*v));
    cuzk_err err;
    if (v == NULL) {
        return 0;
    }
    if (cuzk_status_view_parse(v, data, size, "input", &err) == CUZK_OK) {
        CUZK_ASSERT(v->n_devices <= CUZK_VIEW_DEVICES && v->n_queues <= CUZK_VIEW_QUEUES);
        CUZK_ASSERT(v->n_stages <= CUZK_VIEW_STAGES && v->n_cached <= CUZK_VIEW_CACHED);
        CUZK_ASSERT(v->n_jobs <= CUZK_VIEW_JOBS);
        check_drawing(v, 120);
        check_drawing(v, 33);
    }
    cuzk_free(v);
    return 0;
}
