/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_BASE_TEXT_JSON_H
#define CUZK_BASE_TEXT_JSON_H

/*
 * Strict pull parser for JSON (RFC 8259) in a buffer: no tree, no allocation, no recursion.
 *
 *     cuzk_json_str key;
 *     cuzk_json_begin_object(&j);
 *     while (cuzk_json_next_key(&j, &key)) {
 *         switch (cuzk_json_field(&j, &key, names, 2, &seen)) {
 *         case 0: cuzk_json_u64(&j, &height); break;
 *         case 1: cuzk_json_u8_array(&j, root, 32); break;
 *         default: cuzk_json_skip(&j); break;
 *         }
 *     }
 *     cuzk_json_end(&j);
 *     return cuzk_json_status(&j, "proof.json", err);
 *
 * Errors are sticky: after the first one every call does nothing and returns false (and writes
 * nothing), so that schema code checks once, at the end. Stricter than the RFC in this: the text
 * is UTF-8 without byte order mark, and lone surrogates are refused. Numbers are exact: an integer
 * that does not fit, or that is written with a fraction or exponent, is an error and never rounded.
 *
 * @thread one parser per thread; the buffer is only read and must outlive borrowed strings.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/status.h"

#define CUZK_JSON_MAX_DEPTH 64u

typedef enum cuzk_json_kind {
    CUZK_JSON_ERROR = 0, /* after an error, or when no value starts here */
    CUZK_JSON_NULL,
    CUZK_JSON_BOOL,
    CUZK_JSON_NUMBER,
    CUZK_JSON_STRING,
    CUZK_JSON_ARRAY,
    CUZK_JSON_OBJECT
} cuzk_json_kind;

typedef struct cuzk_json {
    const uint8_t *start, *p, *end;
    const uint8_t *token; /* start of the last token read: where errors point */
    uint32_t depth, max_depth;
    bool first;    /* the next element is the first of its container */
    bool failed;   /* sticky */
    char msg[104]; /* of the first error */
} cuzk_json;

/** Text between the quotes, borrowed from the buffer; checked, but with escapes left as they are. */
typedef struct cuzk_json_str {
    const char *p; /* not NUL-terminated */
    size_t n;
    bool escaped; /* has at least one backslash */
} cuzk_json_str;

/** max_depth <= CUZK_JSON_MAX_DEPTH; containers nested deeper are an error. */
void cuzk_json_init(cuzk_json *j, const void *data, size_t n, uint32_t max_depth);
/**
 * Whether a file of n bytes is meant as JSON, not as a binary format: behind blanks it begins with a brace or a bracket,
 * and what follows is text. (A binary file may begin with the byte of a bracket, too: the number of sector 91 does.)
 */
bool cuzk_json_is_likely(const void *data, size_t n);

/** Kind of the value that comes next; moves over blanks only. */
cuzk_json_kind cuzk_json_peek(cuzk_json *j);

bool cuzk_json_null(cuzk_json *j);
bool cuzk_json_bool(cuzk_json *j, bool *out);
/** Digits only: no sign, fraction or exponent, no leading zero, <= 2^64 - 1. */
bool cuzk_json_u64(cuzk_json *j, uint64_t *out);
/** As cuzk_json_u64, and <= max. */
bool cuzk_json_u64_max(cuzk_json *j, uint64_t *out, uint64_t max);
/** Nearest double; numbers longer than 63 characters and infinities are errors. */
bool cuzk_json_f64(cuzk_json *j, double *out);
/** The number's characters, grammar checked. For integers beyond 64 bits. */
bool cuzk_json_number(cuzk_json *j, cuzk_json_str *out);
bool cuzk_json_string(cuzk_json *j, cuzk_json_str *out);
/** Next string, decoded, NUL-terminated, into out [cap]; error when longer or when it contains U+0000. */
bool cuzk_json_string_copy(cuzk_json *j, char *out, size_t cap);

/** Enters an array; then `while (cuzk_json_next(j))` read one value each. */
bool cuzk_json_begin_array(cuzk_json *j);
/** True: another value follows. False: the array ended (and is left), or an error. */
bool cuzk_json_next(cuzk_json *j);
bool cuzk_json_begin_object(cuzk_json *j);
/** True: *key is set and its value follows. False: the object ended (and is left), or an error. */
bool cuzk_json_next_key(cuzk_json *j, cuzk_json_str *key);

/** An array of exactly n integers 0..255 into out [n] (partly written on error). The fast path of big files. */
bool cuzk_json_u8_array(cuzk_json *j, uint8_t *out, size_t n);
/** An array of at most cap such integers; *n is their number. */
bool cuzk_json_u8_array_max(cuzk_json *j, uint8_t *out, size_t cap, size_t *n);
/** Passes over one value of any kind, checking its grammar. */
bool cuzk_json_skip(cuzk_json *j);
/**
 * Passes over a value that comes next and that another parser of this text has read to `end`, at no
 * greater depth than is left here.
 */
void cuzk_json_pass(cuzk_json *j, const uint8_t *end);
/** Only blanks may be left. */
bool cuzk_json_end(cuzk_json *j);

/**
 * Index of key in names [n], n <= 64, or -1 when it is not there. A key met for the second time
 * (bit in *seen, which starts as 0) is an error. The caller decides about unknown keys.
 */
int cuzk_json_field(cuzk_json *j, const cuzk_json_str *key, const char *const *names, size_t n,
                    uint64_t *seen);
/** Error naming the first of names [n] that has no bit in seen. */
bool cuzk_json_require(cuzk_json *j, const char *const *names, size_t n, uint64_t seen);
/** Schema code's own error, at the last token. Always false. No effect after another error. */
CUZK_COLD CUZK_PRINTF(2, 3) bool cuzk_json_fail(cuzk_json *j, const char *fmt, ...);

/** Line and column (in bytes) of the last token, counted from 1. */
void cuzk_json_position(const cuzk_json *j, uint64_t *line, uint64_t *column);
/** CUZK_OK, or E_FORMAT with "WHAT:LINE:COLUMN: message". */
CUZK_NODISCARD cuzk_status cuzk_json_status(const cuzk_json *j, const char *what, cuzk_err *err);

/** Decoded text equals the NUL-terminated text. */
bool cuzk_json_str_eq(const cuzk_json_str *s, const char *text);
/** Decodes into out [cap]; false when it does not fit. *n is the decoded length; not NUL-terminated. */
bool cuzk_json_str_decode(const cuzk_json_str *s, char *out, size_t cap, size_t *n);

/** Length of the valid UTF-8 sequence at p (n bytes left, n > 0), or 0: overlong, surrogate, > U+10FFFF, cut off. */
size_t cuzk_utf8_len(const uint8_t *p, size_t n);

#endif /* CUZK_BASE_TEXT_JSON_H */
