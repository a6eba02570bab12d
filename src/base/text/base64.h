/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_BASE_TEXT_BASE64_H
#define CUZK_BASE_TEXT_BASE64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Most bytes that n characters can decode to. */
static inline size_t cuzk_base64_max(size_t n)
{
    return n / 4 * 3;
}

/**
 * Standard alphabet with padding (RFC 4648 section 4), nothing else: no blanks, no line breaks, unused
 * bits zero. out holds cuzk_base64_max(n) bytes; *out_n gets the number written. false when
 * malformed (then out is unspecified). out and in may not overlap.
 */
bool cuzk_base64_decode(uint8_t *out, size_t *out_n, const char *in, size_t n);

/**
 * The same with blanks and line breaks anywhere, as programs write it into files and mail. out holds
 * cuzk_base64_max(n) bytes, and may be in itself.
 */
bool cuzk_base64_decode_text(uint8_t *out, size_t *out_n, const char *in, size_t n);

#endif /* CUZK_BASE_TEXT_BASE64_H */
