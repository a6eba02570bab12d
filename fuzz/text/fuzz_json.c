/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* DEPS: base */
/*
 * Properties on any input: skipping a value and walking it element by element agree; the fast byte
 * array agrees with the element-wise one; what the writer makes of the walked value parses again.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/text/json.h"
#include "base/text/json_writer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void copy_string(cuzk_jsonw *w, const cuzk_json_str *s)
{
    size_t n = 0;
    char *buf = malloc(s->n + 1);
    if (buf == NULL) {
        abort();
    }
    CUZK_ASSERT(cuzk_json_str_decode(s, buf, s->n, &n)); /* decoding never makes it longer */
    for (size_t i = 0; i < n;) {
        const size_t k = cuzk_utf8_len((const uint8_t *)buf + i, n - i);
        CUZK_ASSERT(k != 0);
        i += k;
    }
    buf[n] = '\0';
    CUZK_ASSERT(cuzk_json_str_eq(s, buf) == (memchr(buf, 0, n) == NULL));
    cuzk_jsonw_str_n(w, buf, n);
    free(buf);
}

/* Depth is bounded by the parser. Containers that a failure leaves open are closed in w. */
static void walk(cuzk_json *j, cuzk_jsonw *w)
{
    cuzk_json_str s;
    bool b = false;
    switch (cuzk_json_peek(j)) {
    case CUZK_JSON_NULL:
        (void)cuzk_json_null(j);
        cuzk_jsonw_null(w);
        break;
    case CUZK_JSON_BOOL:
        (void)cuzk_json_bool(j, &b);
        cuzk_jsonw_bool(w, b);
        break;
    case CUZK_JSON_NUMBER:
        if (cuzk_json_number(j, &s)) {
            cuzk_jsonw_raw(w, s.p, s.n);
        } else {
            cuzk_jsonw_null(w);
        }
        break;
    case CUZK_JSON_STRING:
        if (cuzk_json_string(j, &s)) {
            copy_string(w, &s);
        } else {
            cuzk_jsonw_null(w);
        }
        break;
    case CUZK_JSON_ARRAY:
        cuzk_jsonw_begin_array(w);
        if (cuzk_json_begin_array(j)) {
            while (cuzk_json_next(j)) {
                walk(j, w);
            }
        }
        cuzk_jsonw_end_array(w);
        break;
    case CUZK_JSON_OBJECT:
        cuzk_jsonw_begin_object(w);
        if (cuzk_json_begin_object(j)) {
            while (cuzk_json_next_key(j, &s)) {
                cuzk_jsonw_key(w, "k");
                walk(j, w);
            }
        }
        cuzk_jsonw_end_object(w);
        break;
    case CUZK_JSON_ERROR:
        (void)cuzk_json_fail(j, "expected a value");
        cuzk_jsonw_null(w);
        break;
    }
}

static void check_bytes(const uint8_t *data, size_t size)
{
    enum { CAP = 64 };
    cuzk_json a, b;
    uint8_t fast[CAP], slow[CAP];
    size_t n = 0, k = 0;
    cuzk_json_init(&a, data, size, 4);
    cuzk_json_init(&b, data, size, 4);
    const bool ok = cuzk_json_u8_array_max(&a, fast, CAP, &n);
    if (cuzk_json_begin_array(&b)) {
        while (cuzk_json_next(&b)) {
            uint64_t v = 0;
            if (cuzk_json_u64_max(&b, &v, 255) && k == CAP) {
                (void)cuzk_json_fail(&b, "too many");
            }
            if (!b.failed) {
                slow[k++] = (uint8_t)v;
            }
        }
    }
    CUZK_ASSERT(ok == !b.failed);
    if (ok) {
        CUZK_ASSERT(n == k && memcmp(fast, slow, n) == 0 && a.p == b.p);
    } else {
        CUZK_ASSERT(a.token == b.token);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    cuzk_json a, b;
    cuzk_jsonw w;
    const char *text = NULL;
    size_t n = 0;
    cuzk_err err;
    cuzk_json_init(&a, data, size, 16);
    cuzk_json_init(&b, data, size, 16);
    cuzk_jsonw_init(&w, (size & 1) != 0);
    (void)(cuzk_json_skip(&a) && cuzk_json_end(&a));
    walk(&b, &w);
    (void)cuzk_json_end(&b);
    CUZK_ASSERT(a.failed == b.failed && a.token == b.token);
    CUZK_ASSERT((cuzk_json_status(&a, "x", &err) == CUZK_OK) == !a.failed);
    CUZK_ASSERT(cuzk_jsonw_finish(&w, &text, &n, NULL) == CUZK_OK);
    if (!a.failed) {
        cuzk_json_init(&a, text, n, 16);
        CUZK_ASSERT(cuzk_json_skip(&a) && cuzk_json_end(&a));
    }
    cuzk_jsonw_free(&w);
    check_bytes(data, size);
    return 0;
}
