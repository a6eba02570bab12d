/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_BASE_TEXT_JSON_WRITER_H
#define CUZK_BASE_TEXT_JSON_WRITER_H

/*
 * Writes one JSON value into a growing buffer. Out of memory is sticky and reported by
 * cuzk_jsonw_finish; wrong nesting is a bug and asserted. Output is ASCII but for valid UTF-8 of
 * the caller's strings; bytes that are not UTF-8 become U+FFFD.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/status.h"

typedef struct cuzk_jsonw {
    char *buf;
    size_t len, cap;
    uint32_t depth;
    uint64_t objects; /* bit d: the container at depth d + 1 is an object */
    uint64_t filled;  /* bit d: it has an element already */
    bool after_key;
    bool pretty;
    bool nomem;
} cuzk_jsonw;

/** pretty: one element per line, two blanks of indentation per level. */
void cuzk_jsonw_init(cuzk_jsonw *w, bool pretty);
/** Releases the buffer; w may be initialised again. */
void cuzk_jsonw_free(cuzk_jsonw *w);

void cuzk_jsonw_begin_object(cuzk_jsonw *w);
void cuzk_jsonw_end_object(cuzk_jsonw *w);
void cuzk_jsonw_begin_array(cuzk_jsonw *w);
void cuzk_jsonw_end_array(cuzk_jsonw *w);
/** Inside an object, before each value. */
void cuzk_jsonw_key(cuzk_jsonw *w, const char *key);

void cuzk_jsonw_str(cuzk_jsonw *w, const char *s);
void cuzk_jsonw_str_n(cuzk_jsonw *w, const char *s, size_t n);
void cuzk_jsonw_u64(cuzk_jsonw *w, uint64_t v);
void cuzk_jsonw_i64(cuzk_jsonw *w, int64_t v);
/** Shortest of 15 or 17 digits that reads back the same; null when not finite. */
void cuzk_jsonw_f64(cuzk_jsonw *w, double v);
void cuzk_jsonw_bool(cuzk_jsonw *w, bool v);
void cuzk_jsonw_null(cuzk_jsonw *w);
/** Lower-case hex of [n] bytes as a string. */
void cuzk_jsonw_hex(cuzk_jsonw *w, const uint8_t *data, size_t n);
/** The caller's own JSON text of one value, not checked. */
void cuzk_jsonw_raw(cuzk_jsonw *w, const char *text, size_t n);

/** A key and its value. */
static inline void cuzk_jsonw_put_str(cuzk_jsonw *w, const char *key, const char *v)
{
    cuzk_jsonw_key(w, key);
    cuzk_jsonw_str(w, v);
}

static inline void cuzk_jsonw_put_u64(cuzk_jsonw *w, const char *key, uint64_t v)
{
    cuzk_jsonw_key(w, key);
    cuzk_jsonw_u64(w, v);
}

static inline void cuzk_jsonw_put_f64(cuzk_jsonw *w, const char *key, double v)
{
    cuzk_jsonw_key(w, key);
    cuzk_jsonw_f64(w, v);
}

static inline void cuzk_jsonw_put_bool(cuzk_jsonw *w, const char *key, bool v)
{
    cuzk_jsonw_key(w, key);
    cuzk_jsonw_bool(w, v);
}

/** *text: NUL-terminated, *n bytes, w's until cuzk_jsonw_free. E_NOMEM when any call ran out of memory. */
CUZK_NODISCARD cuzk_status cuzk_jsonw_finish(cuzk_jsonw *w, const char **text, size_t *n,
                                             cuzk_err *err);

#endif /* CUZK_BASE_TEXT_JSON_WRITER_H */
