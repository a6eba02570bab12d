/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_STORE_INPUT_ITEMS_H
#define CUZK_STORE_INPUT_ITEMS_H

/* What packing and unpacking of inputs share. */
#include <stddef.h>
#include <stdint.h>

enum { ITEM_END = 0, ITEM_BYTES = 1, ITEM_NUMBERS = 2, ITEM_BASE64 = 3 };

/** The 64 letters in order, and a NUL. */
extern const char store_base64_letters[65];
/**
 * Base64 with padding of data [n] to out [(n + 2) / 3 * 4]. data may be the last n bytes of out, and may not overlap it
 * otherwise.
 */
void store_base64_encode(uint8_t *out, const uint8_t *data, size_t n);

#endif /* CUZK_STORE_INPUT_ITEMS_H */
