/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_API_ANSWER_TEXT_BUF_H
#define CUZK_API_ANSWER_TEXT_BUF_H

/* Text that grows. Out of memory is sticky and asked for once, at the end. */
#include <stdbool.h>
#include <stddef.h>

#include "base/compiler.h"
#include "base/status.h"

/** All zero: empty. */
typedef struct cuzk_text_buf {
    char *p; /* NUL-terminated once something was put */
    size_t len, cap;
    bool nomem;
} cuzk_text_buf;

void cuzk_text_put(cuzk_text_buf *b, const char *s, size_t n);
void cuzk_text_printf(cuzk_text_buf *b, const char *fmt, ...) CUZK_PRINTF(2, 3);
/** Hands the text over ("" if nothing was put): released with cuzk_free. E_NOMEM: *text is NULL, b is empty. */
CUZK_NODISCARD cuzk_status cuzk_text_finish(cuzk_text_buf *b, char **text, size_t *n,
                                            cuzk_err *err);
void cuzk_text_free(cuzk_text_buf *b);

#endif /* CUZK_API_ANSWER_TEXT_BUF_H */
