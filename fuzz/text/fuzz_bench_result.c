/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* DEPS: report */
/*
 * Any file: refused, or a result that is written and read back as the same text, that can be
 * compared with itself without anything being better or worse, and shown as text and as a page.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "report/html.h"
#include "report/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *written(const cuzk_result *r, size_t *n)
{
    cuzk_jsonw w;
    const char *text = NULL;
    cuzk_jsonw_init(&w, false);
    CUZK_ASSERT(cuzk_result_write(&w, r, NULL) == CUZK_OK);
    CUZK_ASSERT(cuzk_jsonw_finish(&w, &text, n, NULL) == CUZK_OK);
    char *copy = malloc(*n + 1);
    CUZK_ASSERT(copy != NULL);
    memcpy(copy, text, *n + 1);
    cuzk_jsonw_free(&w);
    return copy;
}

static void show(const cuzk_result *r, const cuzk_comparison *c)
{
    char *text = NULL;
    size_t n = 0;
    FILE *f = open_memstream(&text, &n);
    CUZK_ASSERT(f != NULL);
    cuzk_text_result(f, r);
    cuzk_html_page(f, r, NULL, NULL);
    if (c != NULL) {
        cuzk_text_comparison(f, c, r, r);
        cuzk_html_page(f, r, r, c);
    }
    (void)fclose(f);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static cuzk_result r, s; /* too large for the stack */
    cuzk_comparison c;
    size_t n = 0, m = 0;
    cuzk_err err;
    if (cuzk_result_parse(&r, data, size, "input", &err) != CUZK_OK) {
        return 0;
    }
    char *first = written(&r, &n);
    CUZK_ASSERT(cuzk_result_parse(&s, first, n, "own", &err) == CUZK_OK);
    char *second = written(&s, &m);
    CUZK_ASSERT(n == m && memcmp(first, second, n) == 0);
    free(first);
    free(second);
    cuzk_result_free(&s);
    if (cuzk_compare(&c, &r, &r, NULL, &err) == CUZK_OK) {
        CUZK_ASSERT(c.n_worse == 0 && c.n_better == 0);
        show(&r, &c);
        cuzk_comparison_free(&c);
    } else {
        show(&r, NULL);
    }
    cuzk_result_free(&r);
    return 0;
}
