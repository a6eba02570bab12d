/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_BASE_TEXT_UTF8_H
#define CUZK_BASE_TEXT_UTF8_H

/* Text of strangers that is shown in a terminal or a log. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The code point of the sequence at p; len is what cuzk_utf8_len (base/text/json.h) said, 1 to 4. */
uint32_t cuzk_utf8_code(const uint8_t *p, size_t len);
/**
 * True for code points that change how other text is shown: control characters (C0, DEL, C1), line
 * separators, invisible ones, and those that set the direction of writing.
 */
bool cuzk_utf8_is_control(uint32_t code);
/**
 * Copies text [n] to out [cap, at least 1], which is then NUL-terminated: control characters become
 * '?', bytes that are not UTF-8 as well; what does not fit is cut at a character. Returns out.
 */
const char *cuzk_utf8_clean(char *out, size_t cap, const char *text, size_t n);

#endif /* CUZK_BASE_TEXT_UTF8_H */
