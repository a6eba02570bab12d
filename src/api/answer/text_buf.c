/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "api/answer/text_buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"

/* Room for n more bytes and a NUL. */
static bool reserve(cuzk_text_buf *b, size_t n)
{
    if (b->nomem) {
        return false;
    }
    if (n >= b->cap - b->len) {
        size_t cap = b->cap + b->cap / 2;
        cap = cap < b->len + n + 1024 ? b->len + n + 1024 : cap;
        char *p = cuzk_realloc(b->p, cap, 1);
        if (p == NULL) {
            b->nomem = true;
            return false;
        }
        b->p = p;
        b->cap = cap;
    }
    return true;
}

void cuzk_text_put(cuzk_text_buf *b, const char *s, size_t n)
{
    if (reserve(b, n)) {
        memcpy(b->p + b->len, s, n);
        b->len += n;
        b->p[b->len] = '\0';
    }
}

void cuzk_text_printf(cuzk_text_buf *b, const char *fmt, ...)
{
    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    const int n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    if (n > 0 && reserve(b, (size_t)n)) {
        (void)vsnprintf(b->p + b->len, (size_t)n + 1, fmt, again);
        b->len += (size_t)n;
    }
    va_end(again);
}

cuzk_status cuzk_text_finish(cuzk_text_buf *b, char **text, size_t *n, cuzk_err *err)
{
    cuzk_text_put(b, "", 0); /* so that nothing is "" */
    *text = NULL;
    *n = 0;
    if (b->nomem) {
        cuzk_text_free(b);
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for a text");
    }
    *text = b->p;
    *n = b->len;
    memset(b, 0, sizeof(*b));
    return CUZK_OK;
}

void cuzk_text_free(cuzk_text_buf *b)
{
    cuzk_free(b->p);
    memset(b, 0, sizeof(*b));
}
