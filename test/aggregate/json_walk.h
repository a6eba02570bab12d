/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_TEST_AGGREGATE_JSON_WALK_H
#define CUZK_TEST_AGGREGATE_JSON_WALK_H

/* Values of a JSON text by key and index. A miss ends the case, except in jwalk_has. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A value: from its first byte to the end of the text. */
typedef struct jwalk {
    const uint8_t *p, *end;
} jwalk;

jwalk jwalk_key(jwalk object, const char *key);
bool jwalk_has(jwalk object, const char *key);
jwalk jwalk_at(jwalk array, size_t i);
size_t jwalk_count(jwalk array);
bool jwalk_is_null(jwalk v);
bool jwalk_is_string(jwalk v);
/** Copies a string, NUL-terminated; longer than cap - 1 is a failure. */
const char *jwalk_text(jwalk v, char *out, size_t cap);
bool jwalk_equals(jwalk v, const char *text);
uint64_t jwalk_u64(jwalk v);
bool jwalk_bool(jwalk v);
/** Hex string into out [cap]; the number of bytes. */
size_t jwalk_hex(jwalk v, uint8_t *out, size_t cap);
/** A hex string of exactly n bytes equals data. */
bool jwalk_hex_is(jwalk v, const uint8_t *data, size_t n);

#endif /* CUZK_TEST_AGGREGATE_JSON_WALK_H */
